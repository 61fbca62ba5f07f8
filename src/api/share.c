#include "api/share.h"

#include <math.h>
#include <string.h>

/* Numbers that travel at once. On the stack, so that a process without memory can still say so. */
enum { PIECE = 8192 };

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

/* Two bytes are one number of at most 65535. Those who do not know it add 0: the sum is exact. */
static void pack(const unsigned char *bytes, size_t first, size_t count, size_t begin, size_t end,
                 float *numbers)
{
    for (size_t k = 0; k < count; k++) {
        size_t at = first + 2 * k;
        uint16_t word = 0;
        if (at >= begin && at < end) memcpy(&word, bytes + at, 2);
        numbers[k] = (float)word;
    }
}

static void unpack(unsigned char *bytes, size_t first, size_t count, const float *numbers)
{
    for (size_t k = 0; k < count; k++) {
        uint16_t word = (uint16_t)numbers[k];
        memcpy(bytes + first + 2 * k, &word, 2);
    }
}

ucpo_status share_bytes(const ucpo_comm *comm, void *bytes, size_t size, size_t begin, size_t end,
                        ucpo_status st, ucpo_error *err)
{
    if (!comm || comm->ranks == 1) return st;

    enum { CANCELLED = 4096 }; /* for up to as many processes the sum is exact */

    float numbers[PIECE + 1]; /* the first one: processes that failed, and that were stopped */
    size_t first = 0;
    do {
        size_t count = (size - first) / 2 < PIECE ? (size - first) / 2 : PIECE;
        if (st) end = begin;
        numbers[0] = st == UCPO_E_CANCELLED ? CANCELLED : st ? 1.0f : 0.0f;
        pack(bytes, first, count, begin, end, numbers + 1);
        ucpo_error trouble = {0};
        ucpo_status sent = comm->sum(comm->user, numbers, count + 1, &trouble);
        if (st) return st;
        if (sent && err) *err = trouble;
        if (sent) return sent;
        if (numbers[0] > 0 && fmodf(numbers[0], CANCELLED) == 0.0f)
            return status_fail(err, UCPO_E_CANCELLED, "another process was asked to stop");
        if (numbers[0] > 0)
            return status_fail(err, UCPO_E_IO, "another process failed; its message says why");
        unpack(bytes, first, count, numbers + 1);
        first += 2 * count;
    } while (first < size);
    return UCPO_OK;
}
