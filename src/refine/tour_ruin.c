/* The perturbation: takes customers out and puts them back, after Christiaens and Vanden Berghe
 * (2020): strings of the tour around a place on the map leave it and come back one by one, each
 * where it costs least. */
#include "refine/tour.h"

#include <math.h>
#include <stdlib.h>

/* Measured on TSPTW sets of 50 and 100 nodes: few short strings get stuck, many are slow. */
enum {
    MOST_OUT = 20,
    LONGEST_STRING = 6 /* of the tour, leaving it as one */
};

#define BLINK   0.01 /* share of places that are overlooked */
#define SCATTER 0.3

static void take_string(struct tour *t, int32_t around, int32_t length, int32_t most)
{
    int32_t p = t->pos[around], first = p - dice_below(&t->dice, length);
    if (first < 1) first = 1;
    if (first + length > t->len) first = t->len - length;
    if (first < 1) first = 1;
    for (int32_t q = first; q < first + length && q < t->len && t->outs < most; q++) {
        int32_t customer = t->at[q];
        if (t->is_queued[customer]) continue; /* marks those already chosen */
        t->is_queued[customer] = 1;
        t->out[t->outs++] = customer;
    }
}

void tour_choose_out(struct tour *t, int32_t most_out, double scatter)
{
    int32_t customers = t->len - 1;
    int32_t most = 1 + dice_below(&t->dice, most_out);
    if (most > customers) most = customers;
    int32_t seed = t->at[1 + dice_below(&t->dice, customers)];
    int32_t longest = LONGEST_STRING;
    t->outs = 0;
    take_string(t, seed, 1 + dice_below(&t->dice, longest < most ? longest : most), most);
    if (dice_uniform(&t->dice) < scatter) {
        for (int32_t k = 0; k < 2 * most && t->outs < most; k++) {
            int32_t left = most - t->outs, other = t->at[1 + dice_below(&t->dice, customers)];
            take_string(t, other, 1 + dice_below(&t->dice, longest < left ? longest : left), most);
        }
    }
    const int32_t *near = &t->near[(size_t)seed * (size_t)t->nears];
    for (int32_t k = 0; k < t->nears && t->outs < most; k++) {
        int32_t other = near[k];
        if (other == 0 || t->is_queued[other]) continue;
        if (dice_below(&t->dice, 4) == 0) continue;
        int32_t left = most - t->outs;
        take_string(t, other, 1 + dice_below(&t->dice, longest < left ? longest : left), most);
    }
    for (int32_t k = 0; k < t->outs; k++) t->is_queued[t->out[k]] = 0;
}

static double place_in_line(struct tour *t, int32_t customer, enum line line)
{
    switch (line) {
    case LINE_DUE: return t->due[customer];
    case LINE_NARROW: return t->due[customer] - t->ready[customer];
    case LINE_FAR: return -tour_cost(t, 0, customer);
    case LINE_READY: return t->ready[customer];
    case LINE_RANDOM: break;
    }
    return dice_uniform(&t->dice);
}

void tour_line_up(struct tour *t, enum line line)
{
    for (int32_t k = 0; k < t->outs; k++) {
        int32_t customer = t->out[k];
        double key = place_in_line(t, customer, line);
        int32_t place = k;
        for (; place > 0 && t->sort_key[place - 1] > key; place--) {
            t->sort_key[place] = t->sort_key[place - 1];
            t->out[place] = t->out[place - 1];
        }
        t->sort_key[place] = key;
        t->out[place] = customer;
    }
}

struct place {
    double value;
    int32_t p;
};

static void offer_place(const struct tour *t, int32_t customer, int32_t p, struct place *best)
{
    int32_t from = t->at[p], to = t->at[p + 1];
    double cost = tour_cost(t, from, customer) + tour_cost(t, customer, to) - t->edge[p];
    if (cost >= best->value) return;
    struct moment now =
        moment_next(t->head[p], tour_leg(t, from, customer), t->ready[customer], t->due[customer]);
    double warp = warp_joined(now, tour_leg(t, customer, to), t->rest[p + 1]) - tour_warp(t);
    double value = cost + t->weight * warp;
    if (value < best->value) *best = (struct place){value, p};
}

/* How many places are looked at before one is overlooked. */
static int32_t until_blink(struct tour *t, double blink)
{
    if (blink <= 0.0) return INT32_MAX;
    double places = log(1.0 - dice_uniform(&t->dice)) / log(1.0 - blink);
    return places < 1e9 ? (int32_t)places : INT32_MAX;
}

/* Looks at every place. */
static struct place best_place(struct tour *t, int32_t customer, double blink)
{
    struct place best = {HUGE_VAL, 0};
    const double *row = &t->cost[(size_t)customer * (size_t)t->n];
    int32_t sight = until_blink(t, blink);
    double warp_now = tour_warp(t), ready = t->ready[customer], due = t->due[customer];
    double before = tour_cost(t, 0, customer);
    for (int32_t p = 0; p < t->len; p++) {
        int32_t to = t->at[p + 1];
        double after = row[to], cost = before + after - t->edge[p];
        before = t->is_symmetric ? after : tour_cost(t, to, customer);
        if (cost >= best.value) continue;
        if (sight-- == 0) {
            sight = until_blink(t, blink);
            continue;
        }
        struct moment now = moment_next(t->head[p], tour_leg(t, t->at[p], customer), ready, due);
        double warp = warp_joined(now, tour_leg(t, customer, to), t->rest[p + 1]) - warp_now;
        double value = cost + t->weight * warp;
        if (value < best.value) best = (struct place){value, p};
    }
    t->priced += t->len;
    t->work += t->len;
    return best;
}

/* Looks at the places beside near customers. */
static struct place best_near_place(struct tour *t, int32_t customer)
{
    struct place best = {HUGE_VAL, 0};
    const int32_t *near = &t->near[(size_t)customer * (size_t)t->nears];
    for (int32_t k = 0; k < t->nears; k++) {
        int32_t p = t->pos[near[k]];
        if (p == 0 && near[k] != 0) continue;
        offer_place(t, customer, p, &best);
        offer_place(t, customer, p > 0 ? p - 1 : t->len - 1, &best);
    }
    offer_place(t, customer, t->len - 1, &best);
    t->priced += 2 * t->nears;
    t->work += 2 * t->nears;
    return best;
}

static void insert(struct tour *t, int32_t customer, double blink)
{
    int is_small = t->n <= TOUR_FULL_NODES;
    struct place best = is_small ? best_place(t, customer, blink) : best_near_place(t, customer);
    tour_put_in(t, customer, best.p);
}

void tour_insert(struct tour *t, int32_t customer)
{
    insert(t, customer, 0.0);
}

void tour_perturb(struct tour *t)
{
    tour_choose_out(t, MOST_OUT, SCATTER);
    int32_t line = dice_below(&t->dice, 8);
    tour_line_up(t, line < LINE_RANDOM ? (enum line)line : LINE_RANDOM);
    tour_take_out(t);
    for (int32_t k = 0; k < t->outs; k++) insert(t, t->out[k], BLINK);
    if (t->n <= TOUR_FULL_NODES)
        for (int32_t p = t->changed_from; p < t->len; p++) t->pos[t->at[p]] = p;
    if (t->n > TOUR_FULL_NODES)
        for (int32_t k = 0; k < t->outs; k++) {
            int32_t p = t->pos[t->out[k]];
            tour_queue(t, t->out[k]);
            tour_queue(t, t->at[p - 1]);
            tour_queue(t, t->at[p + 1]);
        }
}
