/* The search for one vehicle. Files:
 *
 *   tour.c         create, start, run: perturb, descend, accept or go back
 *   tour_table.c   costs, legs and neighbours of an instance
 *   tour_state.c   the tour and what is known at every position of it
 *   tour_move.c    moves, their prices, the descent
 *   tour_ruin.c    the perturbation: takes customers out and puts them back
 *   tour_draft.c   another search, for draft limits that can be kept */
#ifndef UCPO_REFINE_TOUR_H
#define UCPO_REFINE_TOUR_H

#include "refine/search.h"
#include "refine/segment.h"

enum {
    TOUR_TABLE_NODES = 2000, /* above this n no n x n tables: lengths are computed when needed */
    TOUR_FULL_NODES =
        300,        /* up to this n everybody is everybody's neighbour, and customers come back
                                in the best of all places; then a descent gains nothing (measured) */
    TOUR_NEAR = 40, /* neighbours above it */
    TOUR_LONGEST_WALK = 1000 /* stops a move may shift or turn */
};

/* A small fast generator (xorshift64*), seeded from core/rng.h. */
struct dice {
    uint64_t state;
};

struct tour {
    const ucpo_instance *inst;
    int32_t n;

    /* tables (tour_table.c) */
    const double *cost;  /* n x n or NULL */
    const double *leg;   /* resource a leg takes: [i * leg_stride + j], or NULL */
    size_t leg_stride;   /* 0: it depends on the end only */
    int is_symmetric;    /* costs */
    double *ready, *due; /* due includes the tolerance */
    int32_t *near;       /* n x nears, the nearest first */
    int32_t nears;
    double *table_cost, *table_leg; /* own memory of the above, or NULL */
    double scale;                   /* cost of a typical leg per resource it takes */

    /* the tour in hand: at[0] and at[len] are the depot, the rest customers (tour_state.c) */
    int32_t len;
    int32_t *at;
    int32_t *pos;                     /* of a customer; 0: not in the tour */
    double *edge;                     /* cost from at[p] to at[p + 1] */
    double *back;                     /* asymmetric only: sum of at[q + 1] to at[q] over q < p */
    double *forth;                    /* the same of at[q] to at[q + 1] */
    struct moment *head;              /* of at[0 .. p] */
    struct tail *rest;                /* of at[p .. len] */
    double total;                     /* cost */
    int32_t changed_from, changed_to; /* positions that differ from `kept` lie within */

    /* descent (tour_move.c) */
    int32_t *queue; /* ring of customers to look at */
    uint8_t *is_queued;
    int32_t queue_begin, queue_count;
    int32_t *scratch;

    /* perturbation (tour_ruin.c) */
    int32_t *out; /* customers taken out */
    int32_t outs;
    double *sort_key;

    /* the search (tour.c) */
    struct dice dice;
    double weight; /* cost of a unit of warp */
    int32_t *kept; /* the tour to go back to */
    double kept_total, kept_warp;
    int is_descending; /* a run was cut before the descent had ended */
    int64_t iteration, cycle_begin, cycle_length;
    int32_t tries, tries_feasible; /* since the weight was last set */
    double hot, cold;              /* temperatures of a cycle */
    int64_t priced, effort_end, ask_at, work;
    const struct stop *stop;
    int is_stopped;

    /* draft limits (tour_draft.c) */
    int is_drafted;       /* the tour in hand keeps its limits and is searched there */
    double *load, *slack; /* at a position: the load, and how much it may grow */
    double *kept_edge, *kept_load, *kept_slack;
    double best_total; /* of those that keep the limits */

    int32_t *best;
    int has_best;
    double best_objective, best_violation;
    uint8_t *visited; /* scratch of the checker */
    struct arena arena;
};

static inline double tour_warp(const struct tour *t)
{
    return t->head[t->len].warp;
}

static inline double tour_cost(const struct tour *t, int32_t i, int32_t j)
{
    return t->cost ? t->cost[(size_t)i * (size_t)t->n + (size_t)j]
                   : ucpo_instance_cost(t->inst, i, j);
}

double tour_leg_computed(const struct tour *t, int32_t i, int32_t j);

static inline double tour_leg(const struct tour *t, int32_t i, int32_t j)
{
    return t->leg ? t->leg[(size_t)i * t->leg_stride + (size_t)j] : tour_leg_computed(t, i, j);
}

/* ---- dice ---- */

static inline uint64_t dice_next(struct dice *d)
{
    d->state ^= d->state >> 12;
    d->state ^= d->state << 25;
    d->state ^= d->state >> 27;
    return d->state * 2685821657736338717u;
}

/* 0 .. bound - 1; the bias is below 2^-32 bound. */
static inline int32_t dice_below(struct dice *d, int32_t bound)
{
    return (int32_t)(((dice_next(d) >> 32) * (uint64_t)bound) >> 32);
}

static inline double dice_uniform(struct dice *d)
{
    return (double)(dice_next(d) >> 11) * 0x1p-53;
}

/* ---- tour_table.c ---- */

void tour_layout_tables(struct tour *t, struct arena *arena);

/* 0: `stop` said so before it was done. */
int tour_fill_tables(struct tour *t, const struct stop *stop);

/* ---- tour_state.c ---- */

/* Everything that is derived from at[0 .. len]. */
void tour_derive(struct tour *t);

/* The stops first .. last are other customers, or in another order. */
void tour_refresh(struct tour *t, int32_t first, int32_t last);

/* Takes out the customers in t->out (they stand in the tour). */
void tour_take_out(struct tour *t);

/* Puts a customer between positions p and p + 1. */
void tour_put_in(struct tour *t, int32_t customer, int32_t p);

/* Notes the tour as the one to go back to, and goes back. */
void tour_keep(struct tour *t);
void tour_go_back(struct tour *t);

/* ---- tour_move.c ---- */

/* A stretch of positions; from > to: backwards. */
struct piece {
    int32_t from, to;
};

/* A move: positions first .. last hold these pieces of the old tour instead. */
struct move {
    int32_t first, last;
    int count;
    struct piece piece[3];
    double cost; /* change of cost */
};

/* Turns first .. last around. */
struct move move_turn(const struct tour *t, int32_t first, int32_t last);

/* Puts the stops first .. last between positions p and p + 1, both outside, turned around or not. */
struct move move_shift(const struct tour *t, int32_t first, int32_t last, int32_t p, int is_turned);

/* Exchanges the stops at positions i < j. */
struct move move_swap(const struct tour *t, int32_t i, int32_t j);

/* Warp of the tour after a move, or a lower bound of it that exceeds `most`. */
double move_warp(const struct tour *t, const struct move *move, double most);

void move_apply(struct tour *t, const struct move *move);

void tour_queue(struct tour *t, int32_t customer);
void tour_queue_all(struct tour *t);

/* Until no move of a queued customer helps: 1; or until the run has to end: 0. */
int tour_descend(struct tour *t);

/* ---- tour_ruin.c ---- */

/* Fills t->out: strings of the tour around a place on the map, up to 1 .. most_out customers; the share
 * `scatter` of the time strings from anywhere. */
void tour_choose_out(struct tour *t, int32_t most_out, double scatter);

/* Who comes back first: the most urgent, the narrowest window, the farthest, the earliest, anybody. */
enum line { LINE_DUE, LINE_NARROW, LINE_FAR, LINE_READY, LINE_RANDOM };

void tour_line_up(struct tour *t, enum line line);

/* Takes out some customers that are near each other and puts them back elsewhere; queues them. */
void tour_perturb(struct tour *t);

/* Puts a customer where it costs least. */
void tour_insert(struct tour *t, int32_t customer);

/* ---- tour_draft.c ---- */

/* 1: the tour in hand keeps the limits, if need be another one than before; 0: none does. */
int draft_start(struct tour *t);

/* head, rest, forth and back are not kept up. */
void draft_run(struct tour *t);

/* ---- tour.c ---- */

/* Lets the checker judge the tour in hand, which has all customers; notes it if it is the best. */
void tour_judge(struct tour *t);

/* Whether the run has to end; asks `stop` now and then. */
int tour_is_over(struct tour *t);

#endif
