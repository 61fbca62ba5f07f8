/* The tour and what is known at every position of it. */
#include "refine/tour.h"

#include <string.h>

static void derive_head(struct tour *t, int32_t p)
{
    int32_t node = t->at[p];
    t->head[p] =
        moment_next(t->head[p - 1], tour_leg(t, t->at[p - 1], node), t->ready[node], t->due[node]);
}

static void derive_rest(struct tour *t, int32_t p)
{
    int32_t node = t->at[p];
    t->rest[p] =
        tail_before(t->rest[p + 1], tour_leg(t, node, t->at[p + 1]), t->ready[node], t->due[node]);
}

static void derive_edges(struct tour *t, int32_t from, int32_t to)
{
    for (int32_t p = from; p < to; p++) t->edge[p] = tour_cost(t, t->at[p], t->at[p + 1]);
    if (t->is_symmetric) return;
    for (int32_t p = from; p < t->len; p++) {
        t->forth[p + 1] = t->forth[p] + t->edge[p];
        t->back[p + 1] = t->back[p] + tour_cost(t, t->at[p + 1], t->at[p]);
    }
}

/* Heads from p on; beyond `last` until they are what they were. */
static void derive_heads(struct tour *t, int32_t p, int32_t last)
{
    for (; p <= t->len; p++) {
        struct moment old = t->head[p];
        derive_head(t, p);
        if (p > last && old.time == t->head[p].time && old.warp == t->head[p].warp) break;
    }
}

static void derive_rests(struct tour *t, int32_t p, int32_t first)
{
    for (; p >= 0; p--) {
        struct tail old = t->rest[p];
        derive_rest(t, p);
        if (p < first && old.latest == t->rest[p].latest && old.warp == t->rest[p].warp) break;
    }
}

void tour_derive(struct tour *t)
{
    t->at[0] = t->at[t->len] = 0;
    for (int32_t p = 1; p < t->len; p++) t->pos[t->at[p]] = p;
    t->forth[0] = t->back[0] = 0.0;
    derive_edges(t, 0, t->len);
    t->head[0] = (struct moment){t->ready[0], 0.0};
    derive_heads(t, 1, t->len);
    t->rest[t->len] = (struct tail){t->due[0], 0.0};
    derive_rests(t, t->len - 1, 0);
    t->total = 0.0;
    for (int32_t p = 0; p < t->len; p++) t->total += t->edge[p];
}

static void note_change(struct tour *t, int32_t first, int32_t last)
{
    if (first < t->changed_from) t->changed_from = first;
    if (last > t->changed_to) t->changed_to = last;
}

void tour_refresh(struct tour *t, int32_t first, int32_t last)
{
    for (int32_t p = first; p <= last; p++) t->pos[t->at[p]] = p;
    derive_edges(t, first - 1, last + 1);
    derive_heads(t, first, last);
    derive_rests(t, last, first);
    note_change(t, first, last);
}

void tour_take_out(struct tour *t)
{
    int32_t first = t->len, end = 0, to;
    for (int32_t k = 0; k < t->outs; k++) {
        int32_t p = t->pos[t->out[k]];
        t->pos[t->out[k]] = 0;
        if (p < first) first = p;
        if (p > end) end = p;
    }
    note_change(t, first, end);
    to = first;
    for (int32_t p = first; p <= t->len; p++) {
        int32_t node = t->at[p];
        if (node != 0 && t->pos[node] == 0) continue;
        t->at[to] = node;
        t->edge[to] = t->edge[p];
        t->rest[to] = t->rest[p];
        if (node != 0) t->pos[node] = to;
        to++;
    }
    t->len = to - 1;
    derive_edges(t, first - 1, t->len);
    derive_heads(t, first, t->len);
    derive_rests(t, t->len - 1, 0);
    t->total = 0.0;
    for (int32_t p = 0; p < t->len; p++) t->total += t->edge[p];
}

void tour_put_in(struct tour *t, int32_t customer, int32_t p)
{
    size_t count = (size_t)(t->len - p);
    memmove(&t->at[p + 2], &t->at[p + 1], count * sizeof t->at[0]);
    memmove(&t->edge[p + 2], &t->edge[p + 1], count * sizeof t->edge[0]);
    memmove(&t->head[p + 2], &t->head[p + 1], count * sizeof t->head[0]);
    memmove(&t->rest[p + 2], &t->rest[p + 1], count * sizeof t->rest[0]);
    t->total -= t->edge[p];
    t->at[p + 1] = customer;
    t->len++;
    if (t->n > TOUR_FULL_NODES)
        for (int32_t q = p + 1; q < t->len; q++) t->pos[t->at[q]] = q;
    derive_edges(t, p, p + 2);
    t->total += t->edge[p] + t->edge[p + 1];
    derive_heads(t, p + 1, p + 1);
    derive_rests(t, p + 1, p + 1);
    int32_t last = p + 1 + t->outs; /* those that come in before it move it on */
    note_change(t, p + 1, last < t->n ? last : t->n - 1);
}

void tour_keep(struct tour *t)
{
    for (int32_t p = t->changed_from; p <= t->changed_to; p++) t->kept[p] = t->at[p];
    t->changed_from = t->len;
    t->changed_to = 0;
    t->kept_total = t->total;
    t->kept_warp = tour_warp(t);
}

void tour_go_back(struct tour *t)
{
    int32_t first = t->changed_from, last = t->changed_to;
    if (first <= last) {
        for (int32_t p = first; p <= last; p++) t->at[p] = t->kept[p];
        tour_refresh(t, first, last);
    }
    t->changed_from = t->len;
    t->changed_to = 0;
    t->total = t->kept_total;
}
