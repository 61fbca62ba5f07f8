#include "api/share.h"

#include "core/mem.h"

#include <stdlib.h>

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

/* Everybody's status to everybody. A failure counts for more than a wish to stop. */
static ucpo_status share_status(const ucpo_comm *comm, ucpo_status st, ucpo_error *err)
{
    size_t ranks = (size_t)comm->ranks, rank = (size_t)comm->rank;
    int32_t *all = mem_zeroed(ranks, sizeof *all);
    if (!all) return status_no_memory(err, ranks * sizeof *all);
    all[rank] = (int32_t)st;
    ucpo_status sent = comm->gather(comm->user, all, ranks * sizeof *all, rank * sizeof *all,
                                    (rank + 1) * sizeof *all, err);
    int failed = -1, cancelled = -1;
    for (int k = comm->ranks - 1; k >= 0; k--) {
        if (all[k] == (int32_t)UCPO_E_CANCELLED)
            cancelled = k;
        else if (all[k])
            failed = k;
    }
    free(all);
    if (sent) return sent;
    if (failed >= 0)
        return status_fail(err, UCPO_E_IO, "process %d failed; its message says why", failed);
    if (cancelled >= 0)
        return status_fail(err, UCPO_E_CANCELLED, "process %d was asked to stop", cancelled);
    return UCPO_OK;
}

ucpo_status share_bytes(const ucpo_comm *comm, void *bytes, size_t size, size_t begin, size_t end,
                        ucpo_status st, ucpo_error *err)
{
    if (!comm || comm->ranks == 1) return st;

    ucpo_error own = {0};
    ucpo_status sent = share_status(comm, st, &own);
    if (st) return st;
    if (!sent && size > 0) sent = comm->gather(comm->user, bytes, size, begin, end, &own);
    if (sent && err) *err = own;
    return sent;
}
