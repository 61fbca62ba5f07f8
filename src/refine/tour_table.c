/* Costs, legs and neighbours of an instance. */
#include "refine/tour.h"

#include <math.h>
#include <string.h>

static int has_own_cost(const struct tour *t)
{
    return !t->inst->data.cost && t->n <= TOUR_TABLE_NODES;
}

/* Times are a table of their own if they are not the costs. */
static int has_own_leg(const struct tour *t)
{
    const ucpo_instance_data *d = &t->inst->data;
    return d->due && t->n <= TOUR_TABLE_NODES && (d->service || instance_has_times(d));
}

void tour_layout_tables(struct tour *t, struct arena *arena)
{
    size_t n = (size_t)t->n, room;
    if (size_mul_overflows(n, n, &room)) room = SIZE_MAX;
    t->nears = t->n <= TOUR_FULL_NODES ? t->n - 1 : TOUR_NEAR;
    t->table_cost = has_own_cost(t) ? arena_take(arena, room, sizeof(double)) : NULL;
    t->table_leg = has_own_leg(t) ? arena_take(arena, room, sizeof(double)) : NULL;
    t->ready = arena_take(arena, n, sizeof(double));
    t->due = arena_take(arena, n, sizeof(double));
    t->near = arena_take(arena, n * (size_t)t->nears, sizeof(int32_t));
}

double tour_leg_computed(const struct tour *t, int32_t i, int32_t j)
{
    const ucpo_instance_data *d = &t->inst->data;
    double service = d->service && i > 0 ? d->service[i] : 0.0;
    return service + ucpo_instance_duration(t->inst, i, j);
}

static void fill_windows(struct tour *t)
{
    const ucpo_instance_data *d = &t->inst->data;
    /* A little less than the tolerance: the checker adds up in another order. */
    double slack = 0.999 * (d->due ? d->tolerance : t->inst->load_tolerance);
    for (int32_t i = 0; i < t->n; i++) {
        t->ready[i] = d->due ? d->ready[i] : 0.0;
        t->due[i] = (d->due ? d->due[i] : d->limit[i]) + slack;
    }
    if (!d->due) t->due[0] = HUGE_VAL; /* all tours bring the same load home */
}

static int fill_legs(struct tour *t, const struct stop *stop)
{
    const ucpo_instance_data *d = &t->inst->data;
    size_t n = (size_t)t->n;
    for (int32_t i = 0; i < t->n; i++) {
        if (stop_is_asked(stop)) return 0;
        for (int32_t j = 0; j < t->n; j++) {
            size_t place = (size_t)i * n + (size_t)j;
            if (t->table_cost)
                t->table_cost[place] = i == j ? 0.0 : ucpo_instance_cost(t->inst, i, j);
            if (t->table_leg) t->table_leg[place] = i == j ? 0.0 : tour_leg_computed(t, i, j);
        }
    }
    t->cost = t->table_cost ? t->table_cost : d->cost;
    t->leg_stride = n;
    if (!d->due)
        t->leg = d->demand, t->leg_stride = 0;
    else
        t->leg = t->table_leg ? t->table_leg : d->service || instance_has_times(d) ? NULL : t->cost;
    return 1;
}

static int costs_are_symmetric(const struct tour *t)
{
    const double *cost = t->inst->data.cost;
    size_t n = (size_t)t->n;
    for (size_t i = 0; cost && i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            if (cost[i * n + j] != cost[j * n + i]) return 0;
    return 1;
}

static double nearness(const struct tour *t, int32_t i, int32_t j)
{
    double there = tour_cost(t, i, j);
    return t->is_symmetric ? there : fmin(there, tour_cost(t, j, i));
}

/* The nearest of row i by insertion: rows are short, or the instance is small. */
static void fill_near_row(struct tour *t, int32_t i, double *key)
{
    int32_t *row = &t->near[(size_t)i * (size_t)t->nears], count = 0;
    for (int32_t j = 0; j < t->n; j++) {
        if (j == i) continue;
        double near = nearness(t, i, j);
        if (count == t->nears && near >= key[count - 1]) continue;
        int32_t place = count < t->nears ? count++ : count - 1;
        while (place > 0 && key[place - 1] > near) {
            key[place] = key[place - 1];
            row[place] = row[place - 1];
            place--;
        }
        key[place] = near;
        row[place] = j;
    }
}

int tour_fill_tables(struct tour *t, const struct stop *stop)
{
    fill_windows(t);
    if (!fill_legs(t, stop)) return 0;
    t->is_symmetric = costs_are_symmetric(t);
    double cost = 0.0, leg = 0.0;
    for (int32_t i = 0; i < t->n; i++) {
        if (stop_is_asked(stop)) return 0;
        fill_near_row(t, i, t->sort_key);
        cost += tour_cost(t, i, t->near[(size_t)i * (size_t)t->nears]);
        leg += tour_leg(t, i, t->near[(size_t)i * (size_t)t->nears]);
    }
    t->scale = cost > 0.0 && leg > 0.0 ? cost / leg : 1.0;
    return 1;
}
