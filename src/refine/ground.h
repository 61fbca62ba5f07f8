/* What is known of an instance before any plan: costs, what legs take, windows, who is near whom.
 *
 * Made once and never changed, so that searches on several threads share it. A fleet's legs take the
 * time of the way. A tour's legs take the resource of segment.h whole: with windows the service
 * before the way and the way, under draft limits the demand of their end. */
#ifndef UCPO_REFINE_GROUND_H
#define UCPO_REFINE_GROUND_H

#include <math.h>

#include "core/minmax.h"
#include "core/sort.h"
#include "refine/refine.h"

struct site {
    double ready, due; /* windows or draft limits; due includes a little less than the tolerance */
    double service, demand; /* service: of fleets; that of a tour is in its legs */
};

struct ground {
    const ucpo_instance *inst;
    int32_t n;
    int is_tour;
    const double *cost, *cost_into; /* n x n, `into` transposed; NULL: computed */
    const double *leg, *leg_into;   /* [i * leg_stride + j], `into` transposed; NULL: computed */
    size_t leg_stride;              /* 0: it depends on the end only */
    int are_legs_costs;
    const double *x, *y; /* of straight lines, or NULL */
    int is_symmetric;    /* costs */
    int is_metric;     /* no matrix: a way over a third place is not shorter than the direct one */
    struct site *site; /* n */
    int32_t *near;     /* n x nears, the nearest first; the depot only in tours */
    int32_t nears;
    double scale;     /* cost of a typical leg per resource it takes */
    double leg_floor; /* mean cost of leaving a place, at least; 0 if costs are symmetric */

    double *table[4];    /* own memory of cost, cost_into, leg, leg_into, or NULL */
    double *key;         /* nears, while it is made */
    int32_t *cell_begin; /* likewise: n + 1 */
    int32_t *cell_items; /* n */
    struct arena arena;
};

double ground_leg_computed(const struct ground *g, int32_t i, int32_t j);

static inline double ground_cost(const struct ground *g, int32_t i, int32_t j)
{
    if (g->cost) return g->cost[(size_t)i * (size_t)g->n + (size_t)j];
    if (!g->x) return ucpo_instance_cost(g->inst, i, j);
    double dx = g->x[i] - g->x[j], dy = g->y[i] - g->y[j];
    return sqrt(dx * dx + dy * dy);
}

static inline double ground_leg(const struct ground *g, int32_t i, int32_t j)
{
    if (g->leg) return g->leg[(size_t)i * g->leg_stride + (size_t)j];
    return g->are_legs_costs ? ground_cost(g, i, j) : ground_leg_computed(g, i, j);
}

static inline const int32_t *ground_near(const struct ground *g, int32_t node)
{
    return &g->near[(size_t)node * (size_t)g->nears];
}

#endif
