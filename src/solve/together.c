/* Several processes that search one instance: what they tell each other when they meet. */
#include "solve/solve.h"

#include <stdlib.h>
#include <string.h>

ucpo_status solve_agree_on(const ucpo_comm *comm, uint64_t number, const char *what,
                           ucpo_error *err)
{
    size_t size = sizeof number, rank = (size_t)comm->rank;
    uint64_t *all = mem_zeroed((size_t)comm->ranks, size);
    if (!all) return status_no_memory(err, (size_t)comm->ranks * size);
    all[rank] = number;
    ucpo_status st = comm->gather(comm->user, all, size * (size_t)comm->ranks, size * rank,
                                  size * (rank + 1), err);
    for (int k = 1; !st && k < comm->ranks; k++)
        if (all[k] != all[0])
            st = status_fail(err, UCPO_E_ARGUMENT, "process %d has another %s than process 0", k,
                             what);
    free(all);
    return st;
}

/* The process with the best plan; the first of several. */
static int find_best(const struct solve_news *all, int ranks)
{
    int best = 0;
    for (int k = 1; k < ranks; k++)
        if (ucpo_compare(NULL, all[k].objective, all[k].violation, all[best].objective,
                         all[best].violation) < 0)
            best = k;
    return best;
}

static void fold(struct solve_news *sum, const struct solve_news *all, int ranks)
{
    *sum = all[0];
    for (int k = 1; k < ranks; k++) {
        const struct solve_news *n = &all[k];
        if (n->over > sum->over) sum->over = n->over;
        if (n->threads < sum->threads) sum->threads = n->threads;
        if (n->bound > sum->bound) sum->bound = n->bound;
        sum->rounds += n->rounds;
        sum->searches += n->searches;
        sum->candidates += n->candidates;
        sum->distinct += n->distinct;
        sum->feasible += n->feasible;
        sum->disputed += n->disputed;
    }
}

static ucpo_status exchange(const ucpo_comm *comm, const struct solve_pool *pool,
                            struct solve_news *all, int32_t *plan, int *best, ucpo_error *err)
{
    size_t size = sizeof *all, rank = (size_t)comm->rank;
    ucpo_status st = comm->gather(comm->user, all, size * (size_t)comm->ranks, size * rank,
                                  size * (rank + 1), err);
    if (st) return st;
    *best = find_best(all, comm->ranks);
    size_t len = (size_t)all[*best].len;
    if (len > pool->room)
        return status_fail(err, UCPO_E_INTERNAL, "process %d has a plan of %zu nodes, room for %zu",
                           *best, len, pool->room);
    int is_mine = *best == comm->rank;
    if (is_mine) memcpy(plan, pool->item[0].nodes, len * sizeof *plan);
    return comm->gather(comm->user, plan, len * sizeof *plan, 0, is_mine ? len * sizeof *plan : 0,
                        err);
}

ucpo_status solve_meet(const ucpo_comm *comm, struct solve_pool *pool, struct solve_news *news,
                       int32_t *plan, ucpo_error *err)
{
    struct solve_news *all = mem_zeroed((size_t)comm->ranks, sizeof *all);
    if (!all) return status_no_memory(err, (size_t)comm->ranks * sizeof *all);
    const struct solve_candidate *mine = &pool->item[0];
    news->objective = mine->objective;
    news->violation = mine->violation;
    news->len = (int64_t)mine->len;
    news->candidates = pool->candidates;
    news->distinct = pool->distinct;
    news->feasible = pool->feasible;
    news->disputed = pool->disputed;
    all[comm->rank] = *news;
    int best = 0;
    ucpo_status st = exchange(comm, pool, all, plan, &best, err);
    if (!st) {
        fold(news, all, comm->ranks);
        news->objective = all[best].objective;
        news->violation = all[best].violation;
        news->len = all[best].len;
        if (best != comm->rank)
            st = solve_pool_add(pool, plan, (size_t)news->len, 0.0, -1.0, 0, err);
    }
    free(all);
    return st;
}
