/* The facade: one vehicle or a fleet. */
#include "refine/search.h"

#include <stdlib.h>

struct refine {
    struct tour *tour; /* one vehicle */
};

int refine_takes(const struct prob_ops *ops)
{
    return ops->max_vehicles == 1; /* FLEETS: always */
}

static ucpo_status check_draft(const ucpo_instance *inst, ucpo_error *err)
{
    if (inst->data.draft == UCPO_DRAFT_UNLOAD && inst->data.limit)
        return status_fail(err, UCPO_E_UNSUPPORTED, "the instance unloads: mirror it first");
    return UCPO_OK;
}

ucpo_status refine_create(const ucpo_instance *inst, struct refine **out, ucpo_error *err)
{
    ucpo_status st = check_draft(inst, err);
    if (st) return st;
    if (!refine_takes(inst->ops)) /* FLEETS: routes_create */
        return status_fail(err, UCPO_E_UNSUPPORTED, "local search has one vehicle only");
    struct refine *refine = mem_zeroed(1, sizeof *refine);
    if (!refine) return status_no_memory(err, sizeof *refine);
    st = tour_create(inst, &refine->tour, err);
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
    tour_free(refine->tour); /* FLEETS: routes_free */
    free(refine);
}

ucpo_status refine_bind(struct refine *refine, const ucpo_instance *inst, ucpo_error *err)
{
    ucpo_status st = check_draft(inst, err);
    if (!st && inst->ops->max_vehicles != 1)
        st = status_fail(err, UCPO_E_MISMATCH, "a search for one vehicle cannot become one for %s",
                         inst->ops->info.name);
    return st ? st : tour_bind(refine->tour, inst, err); /* FLEETS: routes_bind */
}

ucpo_status refine_start(struct refine *refine, const int32_t *nodes, size_t len, uint64_t seed,
                         ucpo_error *err)
{
    return tour_start(refine->tour, nodes, len, seed, err); /* FLEETS: routes_start */
}

ucpo_status refine_run(struct refine *refine, int64_t effort, const struct stop *stop,
                       ucpo_error *err)
{
    return tour_run(refine->tour, effort, stop, err); /* FLEETS: routes_run */
}

struct refined refine_best(const struct refine *refine)
{
    return tour_best(refine->tour); /* FLEETS: routes_best */
}
