/* Which customer may follow which. */
#include "bound/bound.h"
#include "core/minmax.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void layout(struct bound_arcs *a)
{
    size_t n = (size_t)a->n;
    a->cost = arena_take(&a->arena, n * n, sizeof(double));
    a->leg = arena_take(&a->arena, n * n, sizeof(double));
    a->way = arena_take(&a->arena, n * n, sizeof(double));
    a->ready = arena_take(&a->arena, n, sizeof(double));
    a->due = arena_take(&a->arena, n, sizeof(double));
    a->before = a->is_tour && a->n <= BOUND_LABEL_NODES
                    ? arena_take(&a->arena, n * BOUND_WORDS, sizeof(uint64_t))
                    : NULL;
}

/* A little more than the checker allows. */
static double with_slack(double limit, double tolerance)
{
    return limit + tolerance + 1e-9 * fabs(limit);
}

static void fill_costs(struct bound_arcs *a, const ucpo_instance *inst)
{
    a->are_costs_whole = 1;
    for (int32_t i = 0; i < a->n; i++) {
        for (int32_t j = 0; j < a->n; j++) {
            int is_way = i != j && ucpo_instance_has_way(inst, i, j);
            double cost = is_way ? ucpo_instance_cost(inst, i, j) : HUGE_VAL;
            a->cost[(size_t)i * (size_t)a->n + (size_t)j] = cost;
            if (is_way && cost != rint(cost)) a->are_costs_whole = 0;
        }
    }
}

/* The resource of a tour is the time or, with draft limits, the load; fleets have time or nothing. */
static void fill_legs(struct bound_arcs *a, const ucpo_instance *inst)
{
    const ucpo_instance_data *d = &inst->data;
    for (int32_t i = 0; i < a->n; i++) {
        a->ready[i] = d->due ? d->ready[i] : 0.0;
        a->due[i] = HUGE_VAL;
        if (d->due) a->due[i] = with_slack(d->due[i], d->tolerance);
        if (!d->due && d->limit && i > 0) a->due[i] = with_slack(d->limit[i], inst->load_tolerance);
        for (int32_t j = 0; j < a->n; j++) {
            double leg = 0.0;
            if (d->due && i != j && ucpo_instance_has_way(inst, i, j))
                leg = ucpo_instance_duration(inst, i, j) +
                      (d->service && i > 0 ? d->service[i] : 0.0);
            else if (!d->due && d->limit)
                leg = j > 0 ? d->demand[j] : 0.0;
            a->leg[(size_t)i * (size_t)a->n + (size_t)j] = leg;
        }
    }
}

/* Shortest ways: who is not in time by these is not in time over any stops between. 0: stopped. */
static int shorten_ways(struct bound_arcs *a, const struct stop *stop)
{
    size_t n = (size_t)a->n;
    memcpy(a->way, a->leg, n * n * sizeof *a->way);
    for (size_t k = 1; k < n; k++) {
        if (stop_is_asked(stop)) return 0;
        for (size_t i = 0; i < n; i++) {
            double first = a->way[i * n + k], *row = a->way + i * n;
            const double *on = a->way + k * n;
            for (size_t j = 0; j < n; j++) row[j] = less_of(row[j], first + on[j]);
        }
    }
    return 1;
}

static double earliest(const struct bound_arcs *a, int32_t j)
{
    return j == 0 ? a->ready[0] : more_of(a->ready[j], a->ready[0] + a->way[j]);
}

static int is_too_late(const struct bound_arcs *a, int32_t i, int32_t j)
{
    return earliest(a, i) + a->way[(size_t)i * (size_t)a->n + (size_t)j] > a->due[j];
}

static void close_arc(struct bound_arcs *a, int32_t i, int32_t j)
{
    a->cost[(size_t)i * (size_t)a->n + (size_t)j] = HUGE_VAL;
}

static void close_by_resource(struct bound_arcs *a, const ucpo_instance *inst)
{
    const ucpo_instance_data *d = &inst->data;
    for (int32_t i = 0; i < a->n; i++) {
        for (int32_t j = 0; j < a->n; j++) {
            if (i == j) continue;
            int is_heavy = !a->is_tour && d->demand && d->capacity > 0.0 && i > 0 && j > 0 &&
                           bound_demand(inst, i) + bound_demand(inst, j) > bound_capacity(inst);
            if (is_too_late(a, i, j) || is_heavy) close_arc(a, i, j);
        }
    }
}

/* i must come before j if i is not reached in time from j. */
static void find_order(struct bound_arcs *a)
{
    for (int32_t j = 1; j < a->n; j++) {
        uint64_t *row = a->before + (size_t)j * BOUND_WORDS;
        memset(row, 0, BOUND_WORDS * sizeof *row);
        for (int32_t i = 1; i < a->n; i++)
            if (i != j && is_too_late(a, j, i)) row[i / 64] |= 1ull << (i % 64);
    }
}

/* j does not follow i straight if somebody must come between; the first has nobody before it, the last
 * nobody behind it. */
static void close_by_order(struct bound_arcs *a)
{
    for (int32_t j = 1; j < a->n; j++) {
        const uint64_t *row = a->before + (size_t)j * BOUND_WORDS;
        for (int32_t k = 1; k < a->n; k++) {
            if (!bound_has(row, k)) continue;
            close_arc(a, 0, j), close_arc(a, k, 0);
            const uint64_t *above = a->before + (size_t)k * BOUND_WORDS;
            for (int32_t i = 1; i < a->n; i++)
                if (bound_has(above, i)) close_arc(a, i, j);
        }
    }
}

/* Routes that all loads need at least, and that there may be at most. */
static void count_routes(struct bound_arcs *a, const ucpo_instance *inst)
{
    const ucpo_instance_data *d = &inst->data;
    int32_t customers = a->n - 1;
    a->least_routes = a->most_routes = 1;
    if (a->is_tour) return;
    a->most_routes = d->vehicles > 0 && d->vehicles < customers ? d->vehicles : customers;
    if (d->demand && d->capacity > 0.0) {
        double sum = 0.0;
        for (int32_t j = 1; j < a->n; j++) sum += bound_demand(inst, j);
        double least = ceil(sum / bound_capacity(inst) - 1e-9);
        if (least > 1.0 && least <= a->most_routes) a->least_routes = (int32_t)least;
    }
}

ucpo_status bound_arcs_create(const ucpo_instance *inst, const struct stop *stop,
                              struct bound_arcs **out, ucpo_error *err)
{
    *out = NULL;
    struct bound_arcs *a = mem_zeroed(1, sizeof *a);
    if (!a) return status_no_memory(err, sizeof *a);
    a->n = inst->data.n;
    a->is_tour = inst->ops->max_vehicles == 1;
    layout(a);
    ucpo_status st = arena_reserve(&a->arena, err);
    if (st) {
        bound_arcs_free(a);
        return st;
    }
    layout(a);
    fill_costs(a, inst);
    fill_legs(a, inst);
    if (!shorten_ways(a, stop)) {
        bound_arcs_free(a);
        return UCPO_OK;
    }
    close_by_resource(a, inst);
    if (a->before) {
        find_order(a);
        close_by_order(a);
    }
    count_routes(a, inst);
    *out = a;
    return UCPO_OK;
}

void bound_arcs_free(struct bound_arcs *arcs)
{
    if (!arcs) return;
    arena_free(&arcs->arena);
    free(arcs);
}
