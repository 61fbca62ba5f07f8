/* A route costs at least the way to any of its customers and back, so at least their mean weighted by
 * the shares of the vehicle they fill: sum over customers of demand / capacity x (way there + way back). */
#include "bound/bound.h"

#include <math.h>
#include <stdlib.h>

/* Cheapest ways from the depot to everybody, or from everybody to it. */
static void find_ways(const ucpo_instance *inst, int is_back, double *way, uint8_t *is_done)
{
    int32_t n = inst->data.n, at = 0;
    for (int32_t j = 0; j < n; j++) way[j] = HUGE_VAL, is_done[j] = 0;
    way[0] = 0.0;
    while (at >= 0) {
        int32_t next = -1;
        is_done[at] = 1;
        for (int32_t j = 0; j < n; j++) {
            int32_t from = is_back ? j : at, to = is_back ? at : j;
            if (is_done[j]) continue;
            if (ucpo_instance_has_way(inst, from, to))
                way[j] = fmin(way[j], way[at] + ucpo_instance_cost(inst, from, to));
            if (way[j] < HUGE_VAL && (next < 0 || way[j] < way[next])) next = j;
        }
        at = next;
    }
}

ucpo_status bound_by_loads(const struct bound_arcs *a, const ucpo_instance *inst, double *out,
                           ucpo_error *err)
{
    const ucpo_instance_data *d = &inst->data;
    size_t n = (size_t)a->n;
    *out = 0.0;
    if (a->is_tour || !d->demand || d->capacity <= 0.0) return UCPO_OK;
    double *way = mem_zeroed(2 * n, sizeof *way), *back = way + n;
    uint8_t *is_done = mem_zeroed(n, 1);
    ucpo_status st = way && is_done ? UCPO_OK : status_no_memory(err, 2 * n * sizeof *way);
    if (!st) {
        find_ways(inst, 0, way, is_done);
        find_ways(inst, 1, back, is_done);
    }
    double capacity = bound_capacity(inst), sum = 0.0;
    for (int32_t j = 1; !st && j < a->n; j++)
        sum += bound_demand(inst, j) / capacity * (way[j] + back[j]);
    if (!st && isfinite(sum)) *out = sum;
    free(way);
    free(is_done);
    return st;
}
