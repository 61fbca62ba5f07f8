/* The facade: one vehicle or a fleet. */
#include "refine/routes.h"
#include "refine/search.h"

#include <assert.h>
#include <stdlib.h>

struct refine {
    const ucpo_instance *inst;
    struct tour *tour;     /* one vehicle, */
    struct routes *routes; /* or a fleet: the other one is NULL */
};

ucpo_status refine_create(const ucpo_instance *inst, const struct stop *stop, struct refine **out,
                          ucpo_error *err)
{
    assert(inst->load == inst);
    struct refine *refine = mem_zeroed(1, sizeof *refine);
    if (!refine) return status_no_memory(err, sizeof *refine);
    refine->inst = inst;
    ucpo_status st = inst->ops->max_vehicles == 1 ? tour_create(inst, stop, &refine->tour, err)
                                                  : routes_create(inst, stop, &refine->routes, err);
    if (st) {
        refine_free(refine);
        return st;
    }
    *out = refine;
    return UCPO_OK;
}

void refine_free(struct refine *refine)
{
    if (!refine) return;
    tour_free(refine->tour);
    routes_free(refine->routes);
    free(refine);
}

ucpo_status refine_bind(struct refine *r, const ucpo_instance *inst, const struct stop *stop,
                        ucpo_error *err)
{
    assert(inst->load == inst);
    if ((inst->ops->max_vehicles == 1) != (r->tour != NULL))
        return status_fail(err, UCPO_E_MISMATCH, "this search cannot become one for %s",
                           inst->ops->info.name);
    r->inst = inst;
    return r->tour ? tour_bind(r->tour, inst, stop, err) : routes_bind(r->routes, inst, stop, err);
}

ucpo_status refine_start(struct refine *r, const int32_t *nodes, size_t len, uint64_t seed,
                         ucpo_error *err)
{
    if (r->tour) return tour_start(r->tour, nodes, len, seed, err);
    return routes_start(r->routes, nodes, len, seed, err);
}

ucpo_status refine_run(struct refine *r, int64_t effort, const struct stop *stop, ucpo_error *err)
{
    return r->tour ? tour_run(r->tour, effort, stop, err)
                   : routes_run(r->routes, effort, stop, err);
}

#ifndef NDEBUG
/* As many customers as there are, and their numbers add up: what a search loses or doubles shows here. */
static int is_whole(const struct refined *plan, int64_t n)
{
    int64_t count = 0, sum = 0;
    for (size_t i = 0; i < plan->len; i++) count += plan->nodes[i] != 0, sum += plan->nodes[i];
    return count == n - 1 && sum == n * (n - 1) / 2 && plan->violation >= 0.0;
}
#endif

struct refined refine_best(const struct refine *r)
{
    struct refined best = r->tour ? tour_best(r->tour) : routes_best(r->routes);
    assert(is_whole(&best, r->inst->data.n));
    return best;
}
