/* Two processes that are threads of a test: a communicator in memory. */
#ifndef UCPO_TEST_RANKS_H
#define UCPO_TEST_RANKS_H

#include "ucpo.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 2 };

struct meeting {
    pthread_barrier_t barrier;
    void *values[RANKS];
    size_t begin[RANKS], end[RANKS];
};

struct member {
    struct meeting *meeting;
    int rank;
};

/* Everybody adds up in the order of ranks, so all get the same bits. */
static inline ucpo_status sum_in_memory(void *user, float *values, size_t count, ucpo_error *err)
{
    struct member *me = user;
    struct meeting *m = me->meeting;
    (void)err;
    float *sum = calloc(count, sizeof *sum);
    m->values[me->rank] = values;
    pthread_barrier_wait(&m->barrier);
    for (int r = 0; r < RANKS; r++)
        for (size_t i = 0; i < count; i++) sum[i] += ((float *)m->values[r])[i];
    pthread_barrier_wait(&m->barrier);
    memcpy(values, sum, count * sizeof *sum);
    free(sum);
    return UCPO_OK;
}

static inline ucpo_status gather_in_memory(void *user, void *bytes, size_t size, size_t begin,
                                           size_t end, ucpo_error *err)
{
    struct member *me = user;
    struct meeting *m = me->meeting;
    (void)err, (void)size;
    m->values[me->rank] = bytes;
    m->begin[me->rank] = begin;
    m->end[me->rank] = end;
    pthread_barrier_wait(&m->barrier);
    for (int r = 0; r < RANKS; r++)
        if (r != me->rank)
            memcpy((char *)bytes + m->begin[r], (char *)m->values[r] + m->begin[r],
                   m->end[r] - m->begin[r]);
    pthread_barrier_wait(&m->barrier);
    return UCPO_OK;
}

static inline ucpo_comm comm_of(struct member *member)
{
    return (ucpo_comm){.rank = member->rank,
                       .ranks = RANKS,
                       .sum = sum_in_memory,
                       .gather = gather_in_memory,
                       .user = member};
}

#endif
