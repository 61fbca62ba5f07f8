/* The search under draft limits: annealing over single moves among the tours that keep the limits.
 *
 * A move is drawn, its cost is a few look-ups, and only if that is accepted the limits are looked at:
 * a stretch may come later if every stop of it has the slack, sooner always. One such step takes some
 * 50 ns; in the same time the ruins of tour_ruin.c, as tuned for windows, ended with longer tours. Whether any tour
 * keeps the limits is known at once: the order of the limits does if any does. */
#include "refine/tour.h"

#include <math.h>
#include <string.h>

/* Temperatures in mean legs of the tour. Every cycle begins as hot as the first: of the schedules tried
 * on 30 + 8 hard instances, those that reheated less ended worse. */
#define HOT       0.6
#define COLD      0.04
#define REACH     3.0  /* a new leg may cost so many temperatures more than the one it replaces */
#define MOST_LUCK 12.0 /* temperatures; beyond it nothing is accepted: e^-12 */

enum {
    CYCLE_PER_NODE = 400, /* moves drawn in the first cycle */
    BATCH = 100,          /* moves at one temperature */
    DRAWS = 3,            /* of a neighbour, until one is within reach */
    LONGEST_SHIFT = 3,
    EXCHANGES = 76, /* of 256 moves; */
    TURNS = 26      /* the rest are shifts */
};

/* ---- limits ---- */

/* Whether first .. last may come later by so much load. */
static int shift_fits(const struct tour *t, int32_t first, int32_t last, double later)
{
    for (int32_t p = last; p >= first; p--)
        if (t->slack[p] < later) return 0;
    return 1;
}

/* Whether first .. last may be turned around and come later (below 0: sooner) by so much load. */
static int turn_fits(const struct tour *t, int32_t first, int32_t last, double later)
{
    double whole = t->load[first - 1] + t->load[last] + later;
    for (int32_t p = first; p <= last; p++) {
        double now = whole - t->load[p - 1];
        if (now <= t->load[p]) return 1; /* so do those behind it */
        if (now > t->due[t->at[p]]) return 0;
    }
    return 1;
}

/* ---- apply ---- */

/* What is known at the positions first .. last, which hold other customers than before. */
static void settle(struct tour *t, int32_t first, int32_t last)
{
    double load = t->load[first - 1];
    int32_t before = t->at[first - 1];
    for (int32_t p = first; p <= last; p++) {
        int32_t node = t->at[p];
        t->pos[node] = p;
        t->edge[p - 1] = tour_cost(t, before, node);
        load += t->leg[node];
        t->load[p] = load;
        t->slack[p] = t->due[node] - load;
        before = node;
    }
    t->edge[last] = tour_cost(t, before, t->at[last + 1]);
}

static void copy_turned(int32_t *to, const int32_t *from, int32_t count)
{
    for (int32_t k = 0; k < count; k++) to[k] = from[count - 1 - k];
}

/* a + 1 .. b and b + 1 .. c change places; turned: 1 the first block, 2 the second */
static void apply_blocks(struct tour *t, int32_t a, int32_t b, int32_t c, int turned)
{
    int32_t left = b - a, right = c - b, *at = &t->at[a + 1], *s = t->scratch;
    memcpy(s, at, (size_t)(left + right) * sizeof *s);
    if (turned & 2)
        copy_turned(at, s + left, right);
    else
        memcpy(at, s + left, (size_t)right * sizeof *s);
    if (turned & 1)
        copy_turned(at + right, s, left);
    else
        memcpy(at + right, s, (size_t)left * sizeof *s);
    settle(t, a + 1, c);
}

static void apply_turn(struct tour *t, int32_t first, int32_t last)
{
    for (int32_t i = first, j = last; i < j; i++, j--) {
        int32_t swap = t->at[i];
        t->at[i] = t->at[j];
        t->at[j] = swap;
    }
    settle(t, first, last);
}

/* ---- accept ---- */

static int is_worth(struct tour *t, double delta)
{
    if (delta <= 0.0) return 1;
    if (delta > MOST_LUCK * t->heat) return 0;
    return delta < -t->heat * log(1.0 - dice_uniform(&t->dice));
}

static void judge_pending(struct tour *t)
{
    if (!t->is_pending) return;
    t->is_pending = 0;
    tour_judge(t);
}

/* Before a move: a best tour is judged when it is about to get worse. */
static void account(struct tour *t, double delta)
{
    if (delta > 0.0) judge_pending(t);
    t->total += delta;
    if (t->total < t->best_total - 1e-10 * t->best_total) {
        t->best_total = t->total;
        t->is_pending = 1;
    }
}

/* ---- proposals ---- */

static void try_turn(struct tour *t, int32_t first, int32_t last)
{
    const int32_t *at = t->at;
    if (first >= last) return;
    double delta = tour_cost(t, at[first - 1], at[last]) + tour_cost(t, at[first], at[last + 1]) -
                   t->edge[first - 1] - t->edge[last];
    if (!is_worth(t, delta) || !turn_fits(t, first, last, 0.0)) return;
    account(t, delta);
    apply_turn(t, first, last);
}

/* Exchanges a + 1 .. b and b + 1 .. c; turned as in apply_blocks. */
static void try_blocks(struct tour *t, int32_t a, int32_t b, int32_t c, int turned, double delta)
{
    if (!is_worth(t, delta)) return;
    double later = t->load[c] - t->load[b], sooner = t->load[a] - t->load[b];
    if (turned & 1 ? !turn_fits(t, a + 1, b, later) : !shift_fits(t, a + 1, b, later)) return;
    if (turned & 2 && !turn_fits(t, b + 1, c, sooner)) return;
    account(t, delta);
    apply_blocks(t, a, b, c, turned);
}

/* Puts first .. last between p and p + 1. */
static void try_shift(struct tour *t, int32_t first, int32_t last, int32_t p, int is_turned)
{
    const int32_t *at = t->at;
    if (first < 1 || last >= t->len || p < 0 || p >= t->len) return;
    if (p >= first - 1 && p <= last) return;
    int32_t head = is_turned ? at[last] : at[first], end = is_turned ? at[first] : at[last];
    double delta = tour_cost(t, at[first - 1], at[last + 1]) + tour_cost(t, at[p], head) +
                   tour_cost(t, end, at[p + 1]) - t->edge[first - 1] - t->edge[last] - t->edge[p];
    if (p > last)
        try_blocks(t, first - 1, last, p, is_turned, delta);
    else
        try_blocks(t, p, first - 1, last, 2 * is_turned, delta);
}

/* A neighbour of a node, rather a near one, whose leg costs less than `most`; -1: none came up. */
static int32_t draw_near(const struct tour *t, int32_t node, uint64_t bits, double most)
{
    const int32_t *near = &t->near[(size_t)node * (size_t)t->nears];
    const double *cost = &t->near_cost[(size_t)node * (size_t)t->nears];
    for (int k = 0; k < DRAWS; k++) {
        uint64_t u = bits & 4095;
        int32_t rank = (int32_t)((u * u >> 12) * (uint64_t)t->nears >> 12);
        if (cost[rank] < most) return near[rank];
        bits >>= 12;
    }
    return -1;
}

static int32_t end_position(const struct tour *t, int32_t node)
{
    return node ? t->pos[node] : t->len;
}

/* Exchanges neighbouring blocks of any length: legs i -> j + 1, j -> k + 1, k -> i + 1. */
static void propose_exchange(struct tour *t, int32_t i, uint64_t bits)
{
    const int32_t *at = t->at;
    int32_t b = draw_near(t, at[i], bits, t->edge[i] + t->reach);
    if (b < 0) return;
    int32_t j = end_position(t, b) - 1;
    if (j == i) return;
    double gain = t->edge[i] - tour_cost(t, at[i], b) + t->edge[j];
    int32_t c = draw_near(t, at[j], dice_next(&t->dice), gain + t->reach);
    if (c < 0) return;
    int32_t k = end_position(t, c) - 1;
    if (k == i || k == j) return;
    double delta = tour_cost(t, at[j], c) + tour_cost(t, at[k], at[i + 1]) - t->edge[k] - gain;
    if (i < j && j < k)
        try_blocks(t, i, j, k, 0, delta);
    else if (k < i && i < j)
        try_blocks(t, k, i, j, 0, delta);
    else if (j < k && k < i)
        try_blocks(t, j, k, i, 0, delta);
}

/* Turns a stretch so that the stops at i and j become neighbours. */
static void propose_turn(struct tour *t, int32_t i, int is_after, uint64_t bits)
{
    if (is_after) {
        int32_t b = draw_near(t, t->at[i], bits, t->edge[i] + t->reach);
        if (b < 0) return;
        int32_t j = i > 0 && b == 0 ? 0 : t->pos[b];
        try_turn(t, (i < j ? i : j) + 1, i < j ? j : i);
    } else {
        if (i == 0) i = t->len;
        int32_t b = draw_near(t, t->at[i], bits, t->edge[i - 1] + t->reach);
        if (b < 0) return;
        int32_t j = end_position(t, b);
        try_turn(t, i < j ? i : j, (i < j ? j : i) - 1);
    }
}

/* Puts a stretch that begins or ends at i before or after a neighbour. */
static void propose_shift(struct tour *t, int32_t i, uint64_t bits)
{
    int is_after = (int)(bits & 1), is_first = (int)(bits >> 1 & 1);
    int32_t length = (int32_t)((bits >> 2 & 255) * (uint64_t)LONGEST_SHIFT >> 8);
    if (i == 0) return;
    int32_t b = draw_near(t, t->at[i], bits >> 10, t->edge[is_first ? i - 1 : i] + t->reach);
    if (b < 0) return;
    int32_t p = is_after ? t->pos[b] : end_position(t, b) - 1;
    if (is_first)
        try_shift(t, i, i + length, p, !is_after);
    else
        try_shift(t, i - length, i, p, is_after);
}

static void propose(struct tour *t)
{
    uint64_t bits = dice_next(&t->dice);
    int kind = (int)(bits >> 56);
    int32_t i = (int32_t)((bits & 0xffff) * (uint64_t)t->len >> 16);
    if (kind < EXCHANGES)
        propose_exchange(t, i, bits >> 16);
    else if (kind < EXCHANGES + TURNS)
        propose_turn(t, i, (int)(bits >> 16 & 1), bits >> 17);
    else
        propose_shift(t, i, bits >> 16);
}

/* ---- start and run ---- */

void draft_fill_tables(struct tour *t)
{
    for (int32_t i = 0; i < t->n; i++)
        for (int32_t k = 0; k < t->nears; k++) {
            size_t place = (size_t)i * (size_t)t->nears + (size_t)k;
            t->near_cost[place] = tour_cost(t, i, t->near[place]);
        }
}

/* Customers by their limits. */
static void order_by_limit(struct tour *t)
{
    for (int32_t p = 1; p < t->len; p++) {
        int32_t node = t->at[p], q = p;
        for (; q > 1 && t->due[t->at[q - 1]] > t->due[node]; q--) t->at[q] = t->at[q - 1];
        t->at[q] = node;
    }
    tour_derive(t);
    t->changed_from = 1;
    t->changed_to = t->len - 1;
}

int draft_start(struct tour *t)
{
    if (tour_warp(t) > 0.0) order_by_limit(t);
    if (tour_warp(t) > 0.0) {
        tour_go_back(t);
        return 0;
    }
    t->load[0] = 0.0;
    settle(t, 1, t->len - 1);
    tour_judge(t);
    t->best_total = t->total;
    t->is_pending = 0;
    return 1;
}

static void cool(struct tour *t)
{
    if (t->iteration - t->cycle_begin >= t->cycle_length) {
        t->cycle_begin = t->iteration;
        t->cycle_length = t->cycle_length ? 2 * t->cycle_length : CYCLE_PER_NODE * t->n;
        t->hot = HOT * t->total / t->n;
        t->total = 0.0; /* anew, before rounding adds up */
        for (int32_t p = 0; p < t->len; p++) t->total += tour_cost(t, t->at[p], t->at[p + 1]);
    }
    double done = (double)(t->iteration - t->cycle_begin) / (double)t->cycle_length;
    t->heat = t->hot * pow(COLD / HOT, done);
    t->reach = REACH * t->heat;
}

void draft_run(struct tour *t)
{
    while (!tour_is_over(t)) {
        cool(t);
        for (int k = 0; k < BATCH; k++) propose(t);
        t->iteration += BATCH;
        t->priced += BATCH;
        t->work += BATCH;
    }
    judge_pending(t);
    double total = t->total;
    tour_derive(t);
    t->total = total; /* where a run is cut must not matter */
}
