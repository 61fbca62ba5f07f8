/* Moves, their prices, the descent: turns, shifts, swaps and exchanges of neighbouring blocks, which
 * reach across large tours where perturbations are small.
 *
 * The change of cost comes first: it takes a few look-ups and settles most moves. The warp of the rest
 * follows from the beginning, the pieces and the ending. */
#include "refine/tour.h"

#include <assert.h>
#include <string.h>

enum {
    LONGEST_SHIFT = 3,   /* stops that are shifted and turned around */
    LONGEST_WALK = 1000, /* stops a move may shift or turn, */
    LONGEST_TURN = 50    /* or turn where both ways differ */
};

/* What turning first .. last around adds inside it. */
static double turned_inside(const struct tour *t, int32_t first, int32_t last)
{
    double cost = 0.0;
    if (t->ground->is_symmetric) return 0.0;
    for (int32_t p = first; p < last; p++)
        cost += tour_cost(t, t->at[p + 1], t->at[p]) - t->edge[p];
    return cost;
}

static double turn_cost(const struct tour *t, int32_t first, int32_t last)
{
    const int32_t *at = t->at;
    return tour_cost(t, at[first - 1], at[last]) + tour_cost(t, at[first], at[last + 1]) -
           t->edge[first - 1] - t->edge[last] + turned_inside(t, first, last);
}

struct move move_turn(const struct tour *t, int32_t first, int32_t last)
{
    return (struct move){first, last, 1, {{last, first}}, turn_cost(t, first, last)};
}

static double shift_cost(const struct tour *t, int32_t first, int32_t last, int32_t p,
                         int is_turned)
{
    const int32_t *at = t->at;
    double cost =
        tour_cost(t, at[first - 1], at[last + 1]) - t->edge[first - 1] - t->edge[last] - t->edge[p];
    if (!is_turned)
        return cost + tour_cost(t, at[p], at[first]) + tour_cost(t, at[last], at[p + 1]);
    return cost + tour_cost(t, at[p], at[last]) + tour_cost(t, at[first], at[p + 1]) +
           turned_inside(t, first, last);
}

static struct move shift_of(int32_t first, int32_t last, int32_t p, int is_turned, double cost)
{
    struct piece moved = is_turned ? (struct piece){last, first} : (struct piece){first, last};
    if (p > last) return (struct move){first, p, 2, {{last + 1, p}, moved}, cost};
    return (struct move){p + 1, last, 2, {moved, {p + 1, first - 1}}, cost};
}

struct move move_shift(const struct tour *t, int32_t first, int32_t last, int32_t p, int is_turned)
{
    return shift_of(first, last, p, is_turned, shift_cost(t, first, last, p, is_turned));
}

static double swap_cost(const struct tour *t, int32_t i, int32_t j)
{
    const int32_t *at = t->at;
    if (j == i + 1)
        return tour_cost(t, at[i - 1], at[j]) + tour_cost(t, at[j], at[i]) +
               tour_cost(t, at[i], at[j + 1]) - t->edge[i - 1] - t->edge[i] - t->edge[j];
    return tour_cost(t, at[i - 1], at[j]) + tour_cost(t, at[j], at[i + 1]) +
           tour_cost(t, at[j - 1], at[i]) + tour_cost(t, at[i], at[j + 1]) - t->edge[i - 1] -
           t->edge[i] - t->edge[j - 1] - t->edge[j];
}

static struct move swap_of(int32_t i, int32_t j, double cost)
{
    if (j == i + 1) return (struct move){i, j, 2, {{j, j}, {i, i}}, cost};
    return (struct move){i, j, 3, {{j, j}, {i + 1, j - 1}, {i, i}}, cost};
}

struct move move_swap(const struct tour *t, int32_t i, int32_t j)
{
    return swap_of(i, j, swap_cost(t, i, j));
}

/* ---- warp ---- */

double move_warp(const struct tour *t, const struct move *move, double most)
{
    const int32_t *at = t->at;
    struct moment now = t->head[move->first - 1];
    int32_t node = at[move->first - 1];
    for (int k = 0; k < move->count; k++) {
        int32_t from = move->piece[k].from, to = move->piece[k].to, by = from <= to ? 1 : -1;
        for (int32_t p = from;; p += by) {
            now = tour_serve(t, now, node, at[p]);
            node = at[p];
            if (now.warp > most) return now.warp;
            if (p == to) break;
            if (by > 0 && now.time == t->head[p].time) { /* from here on as before */
                now.warp += t->head[to].warp - t->head[p].warp;
                now.time = t->head[to].time;
                node = at[to];
                break;
            }
        }
    }
    return warp_joined(now, tour_leg(t, node, at[move->last + 1]), t->rest[move->last + 1]);
}

/* Heads behind and rests before a change, as far as they differ; all were right before it. */
static void refresh(struct tour *t, int32_t first, int32_t last)
{
    for (int32_t p = first - 1; p <= last; p++) {
        t->pos[t->at[p]] = p;
        t->edge[p] = tour_cost(t, t->at[p], t->at[p + 1]);
    }
    t->pos[0] = 0;
    for (int32_t p = first; p <= t->n; p++) {
        struct moment old = t->head[p];
        t->head[p] = tour_serve(t, t->head[p - 1], t->at[p - 1], t->at[p]);
        if (p > last && moment_is(old, t->head[p])) break;
        if (p > t->heads_to) t->heads_to = p;
        t->pace.work++;
    }
    for (int32_t p = last; p >= 0; p--) {
        struct tail old = t->rest[p];
        t->rest[p] = tour_precede(t, t->rest[p + 1], t->at[p], t->at[p + 1]);
        if (p < first && tail_is(old, t->rest[p])) break;
        if (p < t->rests_from) t->rests_from = p;
        t->pace.work++;
    }
    if (first < t->changed_from) t->changed_from = first;
    if (last > t->changed_to) t->changed_to = last;
    t->warp = t->head[t->n].warp;
}

void move_apply(struct tour *t, const struct move *move)
{
    int32_t count = 0;
    for (int k = 0; k < move->count; k++) {
        int32_t from = move->piece[k].from, to = move->piece[k].to, by = from <= to ? 1 : -1;
        for (int32_t p = from; p != to + by; p += by) t->scratch[count++] = t->at[p];
    }
    assert(count == move->last - move->first + 1);
    memcpy(&t->at[move->first], t->scratch, (size_t)count * sizeof t->at[0]);
    t->total += move->cost;
    refresh(t, move->first, move->last);
}

/* ---- queue ---- */

void tour_queue(struct tour *t, int32_t customer)
{
    if (customer == 0 || t->is_queued[customer]) return;
    int32_t place = t->queue_begin + t->queue_count++;
    t->queue[place < t->n ? place : place - t->n] = customer;
    t->is_queued[customer] = 1;
}

void tour_queue_all(struct tour *t)
{
    for (int32_t p = 1; p < t->len; p++) tour_queue(t, t->at[p]);
}

static int32_t take_from_queue(struct tour *t)
{
    int32_t customer = t->queue[t->queue_begin];
    t->queue_begin = t->queue_begin + 1 < t->n ? t->queue_begin + 1 : 0;
    t->queue_count--;
    t->is_queued[customer] = 0;
    return customer;
}

/* ---- the moves of a customer ---- */

struct best_move {
    double value; /* change of cost + weight x warp; only better ones are looked at */
    double worth; /* weight x warp of the tour as it is: what a move can gain at most beside cost */
    struct move move;
};

static void offer(struct tour *t, struct best_move *best, const struct move *move)
{
    int32_t span = move->last - move->first;
    if (span > LONGEST_WALK) return;
    t->pace.work += span;
    double most = (best->value + best->worth - move->cost) / t->weight;
    double warp = move_warp(t, move, most);
    double value = move->cost + t->weight * warp - best->worth;
    if (value >= best->value) return;
    best->value = value;
    best->move = *move;
}

static void offer_turn(struct tour *t, struct best_move *best, int32_t first, int32_t last)
{
    if (first < 1 || last >= t->len || first >= last) return;
    if (!t->ground->is_symmetric && last - first > LONGEST_TURN) return;
    double cost = turn_cost(t, first, last);
    if (cost - best->worth >= best->value) return;
    struct move move = {first, last, 1, {{last, first}}, cost};
    offer(t, best, &move);
}

static void offer_shift(struct tour *t, struct best_move *best, int32_t first, int32_t last,
                        int32_t p, int is_turned)
{
    if (first < 1 || last >= t->len || p < 0 || p >= t->len) return;
    if (p >= first - 1 && p <= last) return;
    double cost = shift_cost(t, first, last, p, is_turned);
    if (cost - best->worth >= best->value) return;
    struct move move = shift_of(first, last, p, is_turned, cost);
    offer(t, best, &move);
}

static void offer_swap(struct tour *t, struct best_move *best, int32_t i, int32_t j)
{
    if (i > j) {
        int32_t swap = i;
        i = j, j = swap;
    }
    if (i < 1 || j >= t->len || i == j) return;
    double cost = swap_cost(t, i, j);
    if (cost - best->worth >= best->value) return;
    struct move move = swap_of(i, j, cost);
    offer(t, best, &move);
}

/* Exchanges the blocks a + 1 .. b and b + 1 .. c. */
static void offer_blocks(struct tour *t, struct best_move *best, int32_t a, int32_t b, int32_t c,
                         double cost)
{
    if (cost - best->worth >= best->value) return;
    struct move move = {a + 1, c, 2, {{b + 1, c}, {a + 1, b}}, cost};
    offer(t, best, &move);
}

/* Position of a node as the end of a leg: the depot is the last stop. */
static int32_t end_position(const struct tour *t, int32_t node)
{
    return node != 0 ? t->pos[node] : t->len;
}

/* With legs i -> j + 1 and j -> near ones: all ways to close the exchange. `gain` is what is saved so
 * far; it must stay positive, as it does in some rotation of every exchange that helps. */
static void offer_closings(struct tour *t, struct best_move *best, int32_t i, int32_t j,
                           double gain)
{
    const int32_t *at = t->at, *near = ground_near(t->ground, at[j]);
    for (int32_t y = 0; y < t->ground->nears; y++) {
        double left = gain - tour_cost(t, at[j], near[y]);
        pace_spend(&t->pace, 1, 1);
        if (left <= 0.0) continue;
        int32_t k = end_position(t, near[y]) - 1;
        if (k == i || k == j) continue;
        double cost = tour_cost(t, at[k], at[i + 1]) - t->edge[k] - left;
        if (i < j && j < k)
            offer_blocks(t, best, i, j, k, cost);
        else if (k < i && i < j)
            offer_blocks(t, best, k, i, j, cost);
        else if (j < k && k < i)
            offer_blocks(t, best, j, k, i, cost);
    }
}

/* Exchanges of neighbouring blocks of any length, none of them turned, that send the stop at i to
 * another one next: three legs change (the or-3-exchange). */
static void offer_exchanges(struct tour *t, struct best_move *best, int32_t i)
{
    const int32_t *at = t->at, *near = ground_near(t->ground, at[i]);
    for (int32_t x = 0; x < t->ground->nears; x++) {
        double gain = t->edge[i] - tour_cost(t, at[i], near[x]);
        if (gain <= 0.0) continue;
        int32_t j = end_position(t, near[x]) - 1;
        if (j != i) offer_closings(t, best, i, j, gain + t->edge[j]);
    }
}

/* Moves that put the stop at j directly before the one at i, a stretch turned around or two stops
 * exchanged. */
static void offer_before(struct tour *t, struct best_move *best, int32_t i, int32_t j)
{
    for (int32_t k = 1; k < LONGEST_SHIFT; k++) {
        offer_shift(t, best, i - k, i, j, 1);
        offer_shift(t, best, j, j + k, i - 1, 1);
    }
    offer_swap(t, best, i, j + 1);
}

static void offer_after(struct tour *t, struct best_move *best, int32_t i, int32_t j)
{
    for (int32_t k = 1; k < LONGEST_SHIFT; k++) {
        offer_shift(t, best, i, i + k, j - 1, 1);
        offer_shift(t, best, j - k, j, i, 1);
    }
    offer_swap(t, best, i, j - 1);
}

/* Moves that make the stop at i a neighbour of the one at j. */
static void offer_pair(struct tour *t, struct best_move *best, int32_t i, int32_t j)
{
    int32_t low = i < j ? i : j, high = i < j ? j : i;
    offer_turn(t, best, low + 1, high);
    offer_turn(t, best, low, high - 1);
    if (j < t->len) offer_before(t, best, i, j);
    if (j > 0) offer_after(t, best, i, j);
    pace_spend(&t->pace, 12, 12);
}

static void queue_ends(struct tour *t, const struct move *move)
{
    int32_t p = move->first;
    tour_queue(t, t->at[p - 1]);
    for (int k = 0; k < move->count; k++) {
        int32_t length = move->piece[k].to - move->piece[k].from;
        tour_queue(t, t->at[p]);
        p += length < 0 ? -length : length;
        tour_queue(t, t->at[p]);
        p++;
    }
    tour_queue(t, t->at[p]);
}

/* The best move of a customer, if one helps. A new leg that costs more than the dearest one it can
 * replace is not looked at: in a tour without warp, the other end sees the gain if there is one. */
static int improve(struct tour *t, int32_t customer)
{
    int32_t i = t->pos[customer];
    const int32_t *near = ground_near(t->ground, customer);
    struct best_move best = {.value = -1e-9 * fabs(t->total) / t->n - 1e-300,
                             .worth = t->weight * t->warp};
    double dearest = more_of(t->edge[i - 1], t->edge[i]), none = best.value;
    for (int32_t k = 0; k < t->ground->nears; k++) {
        int32_t other = near[k];
        double cost = tour_cost(t, customer, other);
        if (!t->ground->is_symmetric) cost = less_of(cost, tour_cost(t, other, customer));
        if (cost >= dearest) continue;
        if (other == 0) offer_pair(t, &best, i, 0);
        offer_pair(t, &best, i, end_position(t, other));
    }
    offer_exchanges(t, &best, i);
    offer_exchanges(t, &best, i - 1);
    if (best.value >= none) return 0;
    move_apply(t, &best.move);
    queue_ends(t, &best.move);
    return 1;
}

int tour_descend(struct tour *t)
{
    tour_extend_heads(t, t->n);
    tour_extend_rests(t, 0);
    while (t->queue_count > 0) {
        if (pace_is_over(&t->pace)) return 0;
        int32_t customer = take_from_queue(t);
        if (improve(t, customer)) tour_queue(t, customer);
    }
    return 1;
}
