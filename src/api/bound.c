/* Lower bounds as a call. */
#include "bound/bound.h"
#include "core/clock.h"

#include <stdlib.h>

static int is_late(void *user)
{
    return clock_seconds() > *(double *)user;
}

static void reverse(int32_t *nodes, size_t count)
{
    for (size_t a = 0, b = count; a + 1 < b; a++) {
        int32_t first = nodes[a];
        nodes[a] = nodes[--b];
        nodes[b] = first;
    }
}

/* Drafts in the loading convention, which the bounds speak of. */
static ucpo_status compute(const ucpo_instance *inst, double upper, const struct stop *stop,
                           struct bound *bound, ucpo_error *err)
{
    if (!inst->data.limit || inst->data.draft == UCPO_DRAFT_LOAD)
        return bound_compute(inst, upper, stop, bound, err);
    ucpo_instance *mirrored = NULL;
    ucpo_status st = ucpo_instance_mirror(inst, &mirrored, err);
    if (!st) st = bound_compute(mirrored, upper, stop, bound, err);
    ucpo_instance_free(mirrored);
    if (!st && bound->has_better) reverse(bound->better, (size_t)inst->data.n - 1);
    return st;
}

ucpo_status ucpo_bound_plan(const ucpo_instance *inst, const int32_t *nodes, size_t len,
                            double seconds, int32_t *better, ucpo_bound *out, ucpo_error *err)
{
    if (!inst || !out || (len > 0 && !nodes))
        return status_fail(err, UCPO_E_ARGUMENT, "inst, nodes and out must not be NULL");
    ucpo_evaluation e;
    ucpo_status st = ucpo_check(inst, nodes, len, &e, NULL, 0, NULL, 0, err);
    if (st) return st;
    if (!e.is_feasible)
        return status_fail(err, UCPO_E_ARGUMENT,
                           "the plan is infeasible: a bound needs the cost of a feasible one");
    double end = clock_seconds() + seconds;
    struct stop stop = {.ask = is_late, .user = &end};
    int32_t *tour = mem_zeroed((size_t)inst->data.n, sizeof *tour);
    struct bound bound = {.better = tour};
    st = tour ? compute(inst, e.cost, &stop, &bound, err)
              : status_no_memory(err, (size_t)inst->data.n * sizeof *tour);
    if (!st) *out = (ucpo_bound){bound.cost, bound.is_optimal, bound.has_better};
    for (int32_t k = 0; !st && better && bound.has_better && k + 1 < inst->data.n; k++)
        better[k] = tour[k];
    free(tour);
    return st;
}
