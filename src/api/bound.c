/* A lower bound for whoever asks. */
#include "bound/bound.h"

#include <math.h>
#include <stdlib.h>

ucpo_status ucpo_bound(const ucpo_instance *inst, double upper, double *bound, ucpo_error *err)
{
    if (!inst || !bound) return status_argument(err, "inst and bound must not be NULL");
    if (!isfinite(upper)) return status_argument(err, "upper is %g, expected a finite cost", upper);
    size_t customers = (size_t)inst->data.n - 1;
    struct bound found = {.better = mem_zeroed(customers, sizeof *found.better)};
    if (!found.better) return status_no_memory(err, customers * sizeof *found.better);
    ucpo_status st = bound_compute(instance_for_bounds(inst), upper, NULL, &found, err);
    free(found.better);
    if (!st) *bound = found.cost;
    return st;
}
