/* The search for one vehicle: ruin and recreate under annealing. Files:
 *
 *   tour.c         start, run: perturb, accept or go back
 *   tour_state.c   the tour and what is known at every position of it
 *   tour_move.c    moves, their prices, the descent
 *   tour_ruin.c    the perturbation: takes customers out and puts them back
 *   tour_draft.c   another search, for draft limits that can be kept */
#ifndef UCPO_REFINE_TOUR_H
#define UCPO_REFINE_TOUR_H

#include "refine/search.h"
#include "refine/segment.h"

/* Up to this n a customer comes back at the best of all places. */
enum { TOUR_EXACT_NODES = 300 };

/* Customers that leave a tour with draft limits at a time. */
enum { DRAFT_MOST_OUT = 10 };

struct tour {
    const struct ground *ground;
    const struct site *site; /* the ground's */
    int32_t n;
    struct dice dice;
    struct pace pace;
    struct heat heat;
    struct best best;

    /* The tour in hand: at[0] and at[n] are the depot, the rest customers (tour_state.c). While
     * customers are out, positions gap .. gap_end - 1 hold nobody. */
    int32_t len; /* n; the draft search counts without those that are out */
    int32_t gap, gap_end;
    int32_t *at;
    int32_t *pos; /* of a customer; out of the tour: minus its last position, or 0. While some
                            are out, up to TOUR_EXACT_NODES, the others' are not kept up */
    double *edge; /* cost from at[p] to the next */
    struct moment *head; /* of at[0 .. p] */
    struct tail *rest;   /* of at[p .. n] */
    double total, warp;  /* of the tour in hand */
    int32_t head_to;     /* heads are right up to this position, */
    int32_t head_run;    /* and those up to this one follow from each other */
    int32_t rest_from;   /* rests are right from this position on, */
    int32_t rest_run;    /* and those down to this one follow from each other */

    /* the tour to go back to; what differs lies within these positions */
    int32_t *kept;
    double *kept_edge;
    struct moment *kept_head;
    struct tail *kept_rest;
    double kept_total, kept_warp;
    int32_t changed_from, changed_to; /* customers */
    int32_t heads_to, rests_from;     /* heads: changed_from .. heads_to; rests likewise */

    /* descent (tour_move.c) */
    int32_t *queue; /* ring of customers to look at */
    uint8_t *is_queued;
    int32_t queue_begin, queue_count;
    int32_t *scratch;
    int64_t descend_at; /* work */

    /* perturbation (tour_ruin.c) */
    int32_t *out; /* customers taken out */
    int32_t outs;
    double *sort_key;
    uint8_t *is_chosen;

    /* the search (tour.c) */
    double weight;                 /* cost of a unit of warp */
    int32_t tries, tries_feasible; /* since the weight was last set */
    double judged_warp; /* of the last tour that went to the checker while none was feasible */

    /* draft limits (tour_draft.c) */
    int is_drafted;       /* the tour in hand keeps its limits and is searched there */
    double *load, *slack; /* at a position: the load, and how much it may grow */
    double *kept_load, *kept_slack;
    int32_t left[DRAFT_MOST_OUT]; /* the positions of t->out before they left */
    double best_total;            /* of those that keep the limits */
};

static inline double tour_cost(const struct tour *t, int32_t i, int32_t j)
{
    return ground_cost(t->ground, i, j);
}

static inline double tour_leg(const struct tour *t, int32_t i, int32_t j)
{
    return ground_leg(t->ground, i, j);
}

/* After the next stop of a beginning, and with one more stop before an ending. */
static inline struct moment tour_serve(const struct tour *t, struct moment now, int32_t from,
                                       int32_t to)
{
    return moment_next(now, tour_leg(t, from, to), t->site[to].ready, t->site[to].due);
}

static inline struct tail tour_precede(const struct tour *t, struct tail rest, int32_t node,
                                       int32_t next)
{
    return tail_before(rest, tour_leg(t, node, next), t->site[node].ready, t->site[node].due);
}

/* ---- tour_state.c ---- */

static inline int32_t tour_next(const struct tour *t, int32_t p)
{
    return p + 1 == t->gap ? t->gap_end : p + 1;
}

static inline int32_t tour_before(const struct tour *t, int32_t p)
{
    return p == t->gap_end ? t->gap - 1 : p - 1;
}

/* Everything that is derived from at[0 .. n], whose gap is at the end. */
void tour_derive(struct tour *t);

/* Makes heads right up to a position, rests from one on. */
void tour_extend_heads(struct tour *t, int32_t target);
void tour_extend_rests(struct tour *t, int32_t target);

/* Takes out the customers in t->out (nobody is out). */
void tour_take_out(struct tour *t);

/* Puts a customer behind position p: heads are right up to there, rests behind it. */
void tour_put_in(struct tour *t, int32_t customer, int32_t p);

/* Notes the tour as the one to go back to, and goes back; nobody is out when it is noted. */
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

/* Takes out some customers that are near each other and puts them back elsewhere. 0: it was given up
 * because the value, cost and weight x warp, is not going to be below `most`. */
int tour_perturb(struct tour *t, double most);

/* Puts a customer where it costs least. */
void tour_insert(struct tour *t, int32_t customer);

/* ---- tour_draft.c ---- */

/* 1: the tour in hand keeps the limits, if need be another one than before; 0: none does. */
int draft_start(struct tour *t);

/* head and rest are not kept up. */
void draft_run(struct tour *t);

/* ---- tour.c ---- */

/* What heat is measured by: the mean leg of the tour to go back to. Where costs are not symmetric, legs
 * may consist mostly of what leaving a place costs in any case, which no order saves. */
double tour_mean_leg(const struct tour *t);

/* Lets the checker judge the tour in hand, which has all customers. */
void tour_judge(struct tour *t);

#endif
