/* A plan of many routes under change: linked stops with what happened before and what lies ahead.
 *
 *   stop 1 .. n - 1   customers
 *   stop n + r        the depot as both ends of route r
 *
 * Any customer may be in no route (route -1). Routes are slots; those with customers are listed in
 * `active`. Everything that is priced adds penalties for what the checker would reject:
 *
 *   cost + penalty.warp x warp + penalty.over x overload + penalty.fleet x routes beyond the limit */
#ifndef UCPO_REFINE_ROUTES_FLEET_H
#define UCPO_REFINE_ROUTES_FLEET_H

#include <math.h>

#include "core/stop.h"
#include "problem/problem.h"
#include "refine/routes_segment.h"

/* Up to this many nodes legs are looked up in tables of our own. */
enum { FLEET_TABLE = 2000 };

struct fleet_site {
    double ready, late, service, demand; /* late: the deadline, with the checker's tolerance */
};

struct fleet_stop {
    int32_t next, prev, route, place; /* place: from 1; 0 is the depot */
    double way;                       /* cost of the leg to `next` */
    double time, warp, load;          /* when it is left, warp and load up to here */
    double late, tail; /* entered at t, warp from here to the end is tail + max(0, t - late) */
};

struct fleet_route {
    double cost, warp, load, over;
    int32_t count;
    int32_t at;       /* in `active`, or -1 */
    uint64_t version; /* routes with the same version have the same customers in the same order */
};

struct fleet_penalty {
    double warp, over, fleet;
};

struct fleet_totals {
    double cost, warp, over;
    int32_t late_routes, heavy_routes;
};

/* The best places for a customer in some route, the best first; behind -1: none. */
enum { FLEET_PLACES = 3 };

struct fleet_places {
    int32_t behind[FLEET_PLACES];
    double delta[FLEET_PLACES];
};

struct fleet {
    const ucpo_instance *inst;
    int32_t n, limit; /* limit: vehicles, n if there is none */
    double capacity, warp_free;
    int has_detours; /* no way over a third place is shorter than the direct one */
    const double *cost, *cost_into, *time,
        *time_into;            /* n x n, `into` transposed; NULL: too large */
    const double *x, *y;       /* without tables: straight lines, or NULL */
    struct fleet_site *site;   /* n */
    struct fleet_stop *stop;   /* 2 n */
    struct fleet_route *route; /* n */
    int32_t *active, *spare;
    int32_t actives, spares;
    uint64_t versions;
    struct fleet_totals total;
    struct fleet_penalty penalty;
    /* what the last changes overwrote, since fleet_mark */
    struct fleet_stop *old_stop; /* 2 n */
    int32_t *old_id;
    struct fleet_route *old_route;
    int32_t *old_route_id;
    uint32_t *touched; /* n: mark at which the route was saved */
    uint32_t mark;
    int32_t old_stops, old_routes;
    struct fleet_totals old_total;
    /* scratch */
    int32_t *order;              /* 2 n */
    struct fleet_places *places; /* n */
};

void fleet_layout(struct fleet *f, struct arena *arena);
/* 0: `stop` said so before it was done. */
int fleet_init(struct fleet *f, const struct stop *stop);
/* No routes; every customer is out. */
void fleet_clear(struct fleet *f);

/* An empty route. */
int32_t fleet_spare(const struct fleet *f);

/* Changes. fleet_put: customer j, which is out, behind stop i. fleet_set: the whole route. fleet_cut:
 * `count` customers from stop i on, which are out then. */
void fleet_put(struct fleet *f, int32_t j, int32_t i);
void fleet_set(struct fleet *f, int32_t r, const int32_t *order, int32_t count);
void fleet_cut(struct fleet *f, int32_t i, int32_t count);

/* From fleet_mark on, every change saves what it overwrites; fleet_undo goes back. Who moves customers
 * between routes by fleet_set touches all of these routes first. */
void fleet_mark(struct fleet *f);
void fleet_touch(struct fleet *f, int32_t r);
void fleet_undo(struct fleet *f);

/* Sums over the routes anew, rid of rounding that adds up, and with versions of their own: prices from
 * before are no longer valid. */
void fleet_sum(struct fleet *f);

static inline int32_t fleet_site_of(const struct fleet *f, int32_t stop)
{
    return stop < f->n ? stop : 0;
}

static inline double fleet_line(const struct fleet *f, int32_t a, int32_t b)
{
    double dx = f->x[a] - f->x[b], dy = f->y[a] - f->y[b];
    return sqrt(dx * dx + dy * dy);
}

static inline double fleet_cost(const struct fleet *f, int32_t i, int32_t j)
{
    int32_t a = fleet_site_of(f, i), b = fleet_site_of(f, j);
    if (f->cost) return f->cost[(size_t)a * (size_t)f->n + (size_t)b];
    return f->x ? fleet_line(f, a, b) : ucpo_instance_cost(f->inst, a, b);
}

static inline double fleet_time(const struct fleet *f, int32_t i, int32_t j)
{
    int32_t a = fleet_site_of(f, i), b = fleet_site_of(f, j);
    if (f->time) return f->time[(size_t)a * (size_t)f->n + (size_t)b];
    return f->x ? fleet_line(f, a, b) : ucpo_instance_duration(f->inst, a, b);
}

static inline double fleet_over(const struct fleet *f, double load)
{
    return more_of(0.0, load - f->capacity);
}

static inline double fleet_route_penalty(const struct fleet *f, const struct fleet_route *r)
{
    return f->penalty.warp * r->warp + f->penalty.over * r->over;
}

static inline double fleet_beyond(const struct fleet *f, int32_t routes)
{
    return routes > f->limit ? f->penalty.fleet * (routes - f->limit) : 0.0;
}

static inline double fleet_value(const struct fleet *f)
{
    return f->total.cost + f->penalty.warp * f->total.warp + f->penalty.over * f->total.over +
           fleet_beyond(f, f->actives);
}

static inline int fleet_is_feasible(const struct fleet *f)
{
    return !f->total.late_routes && !f->total.heavy_routes && f->actives <= f->limit;
}

#endif
