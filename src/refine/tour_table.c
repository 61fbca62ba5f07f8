/* Costs, legs and neighbours of an instance. */
#include "refine/tour.h"

#include <math.h>
#include <string.h>

enum { OWN_COST, OWN_COST_INTO, OWN_LEG, OWN_LEG_INTO };

#define WAIT_SHARE 0.2 /* waiting counts as this much of a way */

enum { SCALE_ROWS = 200 }; /* rows that say what a typical leg is */

/* Times are a table of their own if they are not the costs. */
static int legs_differ(const struct tour *t)
{
    const ucpo_instance_data *d = &t->inst->data;
    return d->due && (d->service || instance_has_times(d));
}

static int is_straight(const ucpo_instance_data *d)
{
    return !d->cost && d->metric == UCPO_METRIC_EUCLID &&
           (d->rounding == UCPO_ROUND_NONE || d->rounding == UCPO_ROUND_DECLARED);
}

static int has_tables(const struct tour *t)
{
    return t->n <= (is_straight(&t->inst->data) ? TOUR_STRAIGHT_NODES : TOUR_TABLE_NODES);
}

static int has_table(const struct tour *t, int which)
{
    const ucpo_instance_data *d = &t->inst->data;
    if (!has_tables(t)) return 0;
    switch (which) {
    case OWN_COST: return !d->cost;
    case OWN_COST_INTO: return d->cost != NULL;
    case OWN_LEG:
    case OWN_LEG_INTO: break;
    }
    return legs_differ(t);
}

void tour_layout_tables(struct tour *t, struct arena *arena)
{
    size_t n = (size_t)t->n, room;
    if (size_mul_overflows(n, n, &room)) room = SIZE_MAX;
    t->nears = t->n <= TOUR_NEAR ? t->n - 1 : TOUR_NEAR;
    for (int i = 0; i < 4; i++)
        t->table[i] = has_table(t, i) ? arena_take(arena, room, sizeof(double)) : NULL;
    t->ready = arena_take(arena, n, sizeof(double));
    t->due = arena_take(arena, n, sizeof(double));
    t->near = arena_take(arena, n * (size_t)t->nears, sizeof(int32_t));
    t->has_near = arena_take(arena, n, 1);
}

double tour_leg_computed(const struct tour *t, int32_t i, int32_t j)
{
    const ucpo_instance_data *d = &t->inst->data;
    double service = d->service && i > 0 ? d->service[i] : 0.0;
    return service +
           (instance_has_times(d) ? ucpo_instance_duration(t->inst, i, j) : tour_cost(t, i, j));
}

static void fill_windows(struct tour *t)
{
    const ucpo_instance_data *d = &t->inst->data;
    /* A little less than the tolerance: the checker adds up in another order. */
    double slack = 0.999 * (d->due ? d->tolerance : t->inst->load_tolerance);
    for (int32_t i = 0; i < t->n; i++) {
        t->ready[i] = d->due ? d->ready[i] : 0.0;
        t->due[i] = (d->due ? d->due[i] : d->limit ? d->limit[i] : HUGE_VAL) + slack;
    }
    if (!d->due) t->due[0] = HUGE_VAL; /* all tours bring the same load home */
}

static void fill_row(struct tour *t, int32_t i)
{
    size_t n = (size_t)t->n, row = (size_t)i * n;
    for (int32_t j = 0; j < t->n; j++) {
        if (t->table[OWN_COST])
            t->table[OWN_COST][row + (size_t)j] = ucpo_instance_cost(t->inst, i, j);
        if (t->table[OWN_COST_INTO])
            t->table[OWN_COST_INTO][row + (size_t)j] = ucpo_instance_cost(t->inst, j, i);
        if (!t->table[OWN_LEG]) continue;
        t->table[OWN_LEG][row + (size_t)j] = i == j ? 0.0 : tour_leg_computed(t, i, j);
        t->table[OWN_LEG_INTO][row + (size_t)j] = i == j ? 0.0 : tour_leg_computed(t, j, i);
    }
}

static int fill_legs(struct tour *t, const struct stop *stop)
{
    const ucpo_instance_data *d = &t->inst->data;
    t->x = is_straight(d) ? d->x : NULL;
    t->y = is_straight(d) ? d->y : NULL;
    t->cost = d->cost;
    for (int32_t i = 0; i < t->n && has_tables(t); i++) {
        if (stop_is_asked(stop)) return 0;
        fill_row(t, i);
    }
    if (t->table[OWN_COST]) t->cost = t->table[OWN_COST];
    t->cost_into = d->cost ? t->table[OWN_COST_INTO] : t->cost;
    t->leg_stride = (size_t)t->n;
    t->leg_into = NULL;
    if (!d->due)
        t->leg = d->demand ? d->demand : t->ready, t->leg_stride = 0; /* ready is all 0 here */
    else if (legs_differ(t))
        t->leg = t->table[OWN_LEG], t->leg_into = t->table[OWN_LEG_INTO];
    else
        t->leg = t->cost, t->leg_into = t->cost_into;
    t->is_metric = !d->cost && !d->duration;
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

/* What it takes to go from i to j next: the way, some of the waiting, and lateness that no order avoids. */
static double succession(const struct tour *t, int32_t i, int32_t j)
{
    double cost = tour_cost(t, i, j);
    if (!t->inst->data.due) return cost;
    double leg = tour_leg(t, i, j);
    double wait = more_of(t->ready[j] - leg - t->due[i], 0.0);
    double late = more_of(t->ready[i] + leg - t->due[j], 0.0);
    return cost + t->scale * (WAIT_SHARE * wait + late);
}

/* The nearest of a row by insertion: rows are short. */
static void fill_near_row(struct tour *t, int32_t i, double *key)
{
    int32_t *row = &t->near[(size_t)i * (size_t)t->nears], count = 0;
    for (int32_t j = 0; j < t->n; j++) {
        if (j == i) continue;
        double near = less_of(succession(t, i, j), succession(t, j, i));
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

const int32_t *tour_near(struct tour *t, int32_t node)
{
    if (!t->has_near[node]) {
        fill_near_row(t, node, t->sort_key);
        t->has_near[node] = 1;
        t->work += t->n;
    }
    return &t->near[(size_t)node * (size_t)t->nears];
}

/* From the cheapest legs of some customers. */
static double typical_scale(const struct tour *t)
{
    int32_t by = t->n <= SCALE_ROWS ? 1 : t->n / SCALE_ROWS;
    double cost = 0.0, leg = 0.0;
    for (int32_t i = 0; i < t->n; i += by) {
        int32_t nearest = i > 0 ? 0 : 1;
        for (int32_t j = 0; j < t->n; j++)
            if (j != i && tour_cost(t, i, j) < tour_cost(t, i, nearest)) nearest = j;
        cost += tour_cost(t, i, nearest);
        leg += tour_leg(t, i, nearest);
    }
    return cost > 0.0 && leg > 0.0 ? cost / leg : 1.0;
}

int tour_fill_tables(struct tour *t, const struct stop *stop)
{
    fill_windows(t);
    if (!fill_legs(t, stop)) return 0;
    t->is_symmetric = costs_are_symmetric(t);
    if (t->is_symmetric && t->cost) t->cost_into = t->cost;
    t->scale = t->n > 1 ? typical_scale(t) : 1.0;
    memset(t->has_near, 0, (size_t)t->n);
    return 1;
}
