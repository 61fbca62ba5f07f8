/* Ruin and recreate: strings of customers from neighbouring routes are taken out and put back one by
 * one where it is cheapest, now and then overlooking a place (Christiaens and Vanden Berghe, SISR,
 * 2020). */
#ifndef UCPO_REFINE_ROUTES_RUIN_H
#define UCPO_REFINE_ROUTES_RUIN_H

#include "refine/routes_dice.h"
#include "refine/routes_move.h"

/* Who is near whom, by way and by time: `count` customers for each, the nearest first. */
struct nearby {
    int32_t count;
    int32_t *list; /* n x count */
};

void nearby_layout(struct nearby *near, int32_t n, struct arena *arena);
/* key and items: scratch of n. 0: `stop` said so before it was done. */
int nearby_fill(struct nearby *near, const struct fleet *f, double *key, int32_t *items,
                const struct stop *stop);

/* The cheapest place for a customer in a route, as long as the route has that version. Behind -1: no
 * place is cheaper than delta. */
struct ruin_price {
    uint64_t version;
    double delta;
    int32_t behind;
};

enum { RUIN_STRINGS = 16 };

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
    int is_lost;
    double mean_cut; /* customers taken out on average */
};

void ruin_layout(struct ruin *ruin, int32_t n, struct arena *arena);
void ruin_init(struct ruin *ruin, const struct fleet *f);

/* Takes strings out of routes near a random customer. */
void ruin_cut(struct ruin *ruin, struct fleet *f, const struct nearby *near, struct dice *dice);

/* Takes all customers of a route out. */
void ruin_dissolve(struct ruin *ruin, struct fleet *f, int32_t r);

/* Exchanges the rests of two of the routes that were cut, or makes one a route of its own, if that costs
 * no more than `most`; returns the number of moves priced. */
int64_t ruin_cross(struct ruin *ruin, struct fleet *f, double most);

/* Puts all that are out back; returns the number of places priced. If the plan would be worth more than
 * `most` it may give up: ruin->is_lost, and some are still out. */
int64_t ruin_mend(struct ruin *ruin, struct fleet *f, const struct nearby *near, struct dice *dice,
                  double most);

#endif
