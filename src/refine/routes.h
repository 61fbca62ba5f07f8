/* The search for fleets: ruin and recreate under annealing, local search, adaptive penalties. For
 * instances with capacity or windows and any number of vehicles. Files:
 *
 *   routes.c           start, run: ruin, accept or go back
 *   routes_fleet.c     the plan under change
 *   routes_move.c      moves and their prices
 *   routes_descend.c   improving moves until none is left
 *   routes_fill.c      first plans: of nothing, and within a limited fleet
 *   routes_ruin.c      the perturbation: takes customers out and puts them back */
#ifndef UCPO_REFINE_ROUTES_H
#define UCPO_REFINE_ROUTES_H

#include "refine/search.h"
#include "refine/segment.h"

/* ---- routes_fleet.c ---- */

/* A plan of many routes under change: linked stops with what happened before and what lies ahead.
 *
 *   stop 1 .. n - 1   customers
 *   stop n + r        the depot as both ends of route r
 *
 * Any customer may be in no route (route -1). Routes are slots; those with customers are listed in
 * `active`. Everything that is priced adds penalties for what the checker would reject:
 *
 *   cost + penalty.warp x warp + penalty.over x overload + penalty.fleet x routes beyond the limit */

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
    const struct ground *ground;
    const struct site *site; /* the ground's */
    int32_t n, limit;        /* limit: vehicles, n if there is none */
    double capacity;
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

void fleet_bind(struct fleet *f, const struct ground *ground, struct arena *arena);
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

static inline double fleet_cost(const struct fleet *f, int32_t i, int32_t j)
{
    return ground_cost(f->ground, fleet_site_of(f, i), fleet_site_of(f, j));
}

static inline double fleet_time(const struct fleet *f, int32_t i, int32_t j)
{
    return ground_leg(f->ground, fleet_site_of(f, i), fleet_site_of(f, j));
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

/* A priced move takes several times as long as a place in a tour. */
static inline void fleet_spend(struct pace *pace, int64_t priced)
{
    pace_spend(pace, priced, 4 * priced);
}

/* ---- routes_move.c ---- */

/* Moves of local search: what each would change, priced without walking the routes, and done.
 *
 *   relocate   u and the u_count - 1 after it go behind v in another route, maybe turned around
 *   swap       they and the v_count from v on change places, in two routes
 *   cross      the rest of a route behind u and that of another behind v change places (2-opt*)
 *   star       u and v change routes, each to the best place there (swap*): behind u_to and v_to,
 *              which are neither u nor v; u_to is in v's route
 *   shift      like relocate within a route (or-opt); v is not in the piece that moves
 *   exchange   u and v change places within a route, u before v
 *   turn       the piece from u to v is turned around (2-opt), u before v
 *
 * v, or u of a cross, may be the depot end of a route: the place in front of its first customer. */

enum move_kind {
    MOVE_RELOCATE,
    MOVE_SWAP,
    MOVE_CROSS,
    MOVE_STAR,
    MOVE_SHIFT,
    MOVE_EXCHANGE,
    MOVE_TURN,
    MOVE_KINDS
};

struct move {
    enum move_kind kind;
    int32_t u, v, u_count, v_count;
    int is_turned;
    int32_t u_to, v_to;
    double delta; /* of fleet_value */
};

/* The change of fleet_value, or HUGE_VAL as soon as it is known not to be below `bound`. Moves within
 * a route take time for the stops between u and v; move_best_within extends them step by step. */
double move_price(const struct fleet *f, const struct move *m, double bound);

/* The best shift of u, or exchange or turn from u on, with a delta below m->delta goes into m; returns
 * the number of moves priced. */
int64_t move_best_within(const struct fleet *f, int32_t u, struct move *m);

/* The best star of two routes, likewise. */
int64_t move_best_star(const struct fleet *f, int32_t a, int32_t b, struct move *m);

void move_do(struct fleet *f, const struct move *m);

/* ---- routes_descend.c ---- */

/* Local search: improving moves until none is left, among customers that are near each other. */

struct descend {
    int32_t *order;                 /* customers, n */
    int64_t *tested;                /* of a customer: when */
    int64_t *changed, *star_tested; /* of a route: when */
    int32_t *lane;                  /* of a route: the other route of a pair */
    int64_t clock;
    int32_t lanes;
    double least; /* improvements below it do not count */
};

void descend_layout(struct descend *d, int32_t n, struct arena *arena);
void descend_init(struct descend *d, int32_t n, double least);

/* The plan is a plan at any time: when the pace is over, descent ends early. */
void descend_run(struct descend *d, struct fleet *f, struct dice *dice, struct pace *pace);

/* All routes count as changed. Who changes routes otherwise says so by d->changed[r] = ++d->clock. */
void descend_forget(struct descend *d, int32_t n);

/* ---- routes_ruin.c ---- */

/* Ruin and recreate: strings of customers from neighbouring routes are taken out and put back one by
 * one where it is cheapest, now and then overlooking a place (Christiaens and Vanden Berghe, SISR,
 * 2020). */

/* The cheapest place for a customer in a route, as long as the route has that version. Behind -1: no
 * place is cheaper than delta. */
struct ruin_price {
    uint64_t version;
    double delta;
    int32_t behind;
};

enum { RUIN_STRINGS = 16 };

/* In which order customers come back. */
enum ruin_order {
    RUIN_ANY, /* one of the others, drawn anew each time */
    RUIN_SHUFFLED,
    RUIN_HEAVY_FIRST,
    RUIN_FAR_FIRST,
    RUIN_NEAR_FIRST,
    RUIN_NARROW_FIRST,
    RUIN_EARLY_FIRST,
    RUIN_LATE_FIRST
};

struct ruin {
    struct ruin_price *price; /* n x lanes by customer and route */
    int32_t lanes;            /* a power of two; routes with the same remainder share a place */
    int32_t gap[RUIN_STRINGS], gaps; /* the stop before each string that was cut, a route each */
    int32_t *out;                    /* customers that are out, n */
    int32_t outs;
    double *key;        /* n, to sort by */
    double *from_depot; /* n */
    uint32_t *lane;     /* n: mark of the ruin a route was last cut in */
    uint32_t *seen;     /* n: the look in which a route was last priced */
    uint32_t mark, look;
    int32_t blink;
    int only_grows; /* no customer makes a route cheaper */
    enum ruin_order order;
    double dearest; /* a customer without a place below it stays out; HUGE_VAL: all have one */
    int is_lost;
    double mean_cut; /* customers taken out on average */
};

void ruin_layout(struct ruin *ruin, int32_t n, struct arena *arena);
void ruin_init(struct ruin *ruin, const struct fleet *f);

/* Takes strings out of routes near a random customer. */
void ruin_cut(struct ruin *ruin, struct fleet *f, struct dice *dice);

/* Exchanges the rests of two of the routes that were cut, or makes one a route of its own, if that costs
 * no more than `most`; returns the number of moves priced. */
int64_t ruin_cross(struct ruin *ruin, struct fleet *f, double most);

/* Puts all that are out back; returns the number of places priced. If the plan would be worth more than
 * `most` it may give up: ruin->is_lost, and some are still out. With `dearest`, those without a place
 * are left in ruin->out. */
int64_t ruin_mend(struct ruin *ruin, struct fleet *f, struct dice *dice, double most);

/* ---- routes_fill.c ---- */

/* A plan made of nothing: everybody goes where it is cheapest, those far from the depot first or last,
 * whichever is better. */
void fill_anew(struct fleet *f, struct ruin *ruin, struct dice *dice, struct pace *pace);

/* A plan within the limit, windows and loads, by the fleet minimisation of SISR: customers without a
 * place stay out, and the more often one did, the more it counts. */
struct fill {
    int32_t *out; /* n */
    int32_t outs;
    double *missed; /* n: how often a customer had no place */
};

void fill_layout(struct fill *fill, int32_t n, struct arena *arena);

/* Makes such a plan of nothing, until everybody has a place or the pace is over; then whoever is left goes
 * where the harm is least. `leg`: a typical leg. */
void fill_run(struct fill *fill, struct fleet *f, struct ruin *ruin, struct dice *dice,
              struct pace *pace, double leg);

#endif
