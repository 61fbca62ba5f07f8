#include "api/share.h"

#include <math.h>

void share_part(const ucpo_comm *comm, size_t count, size_t *begin, size_t *end)
{
    size_t ranks = comm ? (size_t)comm->ranks : 1, rank = comm ? (size_t)comm->rank : 0;
    *begin = count / ranks * rank + count % ranks * rank / ranks;
    *end = count / ranks * (rank + 1) + count % ranks * (rank + 1) / ranks;
}

int share_threads(const ucpo_comm *comm, int requested)
{
    return requested == 0 && comm ? comm->threads : requested;
}

ucpo_status share_bytes(const ucpo_comm *comm, void *bytes, size_t size, size_t begin, size_t end,
                        ucpo_status st, ucpo_error *err)
{
    if (!comm || comm->ranks == 1) return st;

    enum { CANCELLED = 4096 }; /* for up to as many processes the sum is exact */

    float trouble = st == UCPO_E_CANCELLED ? CANCELLED : st ? 1.0f : 0.0f;
    ucpo_error own = {0};
    ucpo_status sent = comm->sum(comm->user, &trouble, 1, &own);
    if (st) return st;
    if (!sent && trouble > 0 && fmodf(trouble, CANCELLED) == 0.0f)
        return status_fail(err, UCPO_E_CANCELLED, "another process was asked to stop");
    if (!sent && trouble > 0)
        return status_fail(err, UCPO_E_IO, "another process failed; its message says why");
    if (!sent && size > 0) sent = comm->gather(comm->user, bytes, size, begin, end, &own);
    if (sent && err) *err = own;
    return sent;
}
