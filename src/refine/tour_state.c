/* The tour and what is known at every position of it.
 *
 * Customers that are out leave one gap, which follows the places where they come back: whoever stands
 * behind the last change keeps its position, and a perturbation moves only what lies between its own
 * places. Heads and rests are made right as far as somebody looks. Where a head comes out as it was,
 * those behind it are right as well, up to the next change. */
#include "refine/tour.h"

#include <assert.h>
#include <string.h>

void tour_extend_heads(struct tour *t, int32_t target)
{
    int32_t p = t->head_to;
    while (p < target) {
        int32_t before = p;
        p = tour_next(t, p);
        struct moment old = t->head[p];
        t->head[p] = tour_serve(t, t->head[before], t->at[before], t->at[p]);
        if (!moment_is(old, t->head[p])) {
            if (p > t->heads_to) t->heads_to = p;
        } else if (p < t->head_run) {
            p = t->head_run;
        } else if (p > t->changed_to && p > t->heads_to) {
            p = t->n; /* from here on as in the kept tour */
        }
    }
    t->head_to = p;
}

void tour_extend_rests(struct tour *t, int32_t target)
{
    int32_t p = t->rest_from;
    while (p > target) {
        int32_t after = p;
        p = tour_before(t, p);
        struct tail old = t->rest[p];
        t->rest[p] = tour_precede(t, t->rest[after], t->at[p], t->at[after]);
        if (!tail_is(old, t->rest[p])) {
            if (p < t->rests_from) t->rests_from = p;
        } else if (p > t->rest_run) {
            p = t->rest_run;
        } else if (p < t->changed_from && p < t->rests_from) {
            p = 0;
        }
    }
    t->rest_from = p;
}

static void sum_anew(struct tour *t)
{
    t->total = 0.0;
    for (int32_t p = 0; p < t->n; p = tour_next(t, p)) t->total += t->edge[p];
}

void tour_derive(struct tour *t)
{
    int32_t n = t->n;
    t->at[0] = t->at[n] = 0;
    for (int32_t p = 1; p < t->gap; p++) t->pos[t->at[p]] = p;
    for (int32_t p = 0; p < n; p = tour_next(t, p))
        t->edge[p] = tour_cost(t, t->at[p], t->at[tour_next(t, p)]);
    t->head[0] = (struct moment){t->site[0].ready, 0.0};
    t->rest[n] = (struct tail){t->site[0].due, 0.0};
    t->changed_from = 1, t->changed_to = n;
    t->head_to = t->head_run = 0;
    t->heads_to = t->rest_run = t->rest_from = n;
    t->rests_from = 0;
    tour_extend_heads(t, n);
    tour_extend_rests(t, 0);
    sum_anew(t);
    t->warp = t->head[n].warp;
}

/* ---- out and in ---- */

static void note_positions(const struct tour *t, int32_t from, int32_t count)
{
    if (t->n <= TOUR_EXACT_NODES) return; /* nobody looks */
    for (int32_t p = from; p < from + count; p++) t->pos[t->at[p]] = p;
}

/* Those between first and last who stay move up, the gap comes behind them; `last` is out. */
static void close_up(struct tour *t, int32_t first, int32_t last)
{
    int32_t to = first, is_gap = 0;
    for (int32_t p = first; p <= last + 1; p++) {
        int32_t node = t->at[p];
        double edge = t->edge[p - 1];
        if (t->pos[node] < 0) {
            t->total -= edge;
            is_gap = 1;
            continue;
        }
        if (is_gap) {
            t->total -= edge;
            edge = tour_cost(t, t->at[to - 1], node);
            t->total += edge;
            is_gap = 0;
        }
        t->edge[to - 1] = edge;
        if (p <= last) t->at[to++] = node;
    }
    note_positions(t, first, to - first);
    t->gap = to;
    t->gap_end = last + 1;
}

void tour_take_out(struct tour *t)
{
    int32_t first = t->n, last = 0;
    assert(t->outs > 0 && t->gap == t->gap_end);
    for (int32_t k = 0; k < t->outs; k++) {
        int32_t p = t->pos[t->out[k]];
        t->pos[t->out[k]] = -p;
        if (p < first) first = p;
        if (p > last) last = p;
    }
    t->changed_from = t->rests_from = first;
    t->changed_to = t->heads_to = last;
    t->head_to = t->head_run = first - 1;
    t->rest_from = t->rest_run = last + 1;
    close_up(t, first, last);
    tour_extend_heads(t, t->gap - 1);
    t->warp = warp_joined(t->head[t->gap - 1], tour_leg(t, t->at[t->gap - 1], t->at[t->gap_end]),
                          t->rest[t->gap_end]);
}

static void move_entries(struct tour *t, int32_t to, int32_t from, int32_t count)
{
    memmove(&t->at[to], &t->at[from], (size_t)count * sizeof t->at[0]);
    memmove(&t->edge[to], &t->edge[from], (size_t)count * sizeof t->edge[0]);
    memmove(&t->head[to], &t->head[from], (size_t)count * sizeof t->head[0]);
    memmove(&t->rest[to], &t->rest[from], (size_t)count * sizeof t->rest[0]);
    note_positions(t, to, count);
}

/* The gap comes directly behind position p, wherever that is then: returns it. */
static int32_t move_gap(struct tour *t, int32_t p)
{
    int32_t width = t->gap_end - t->gap;
    if (p < t->gap) {
        int32_t count = t->gap - 1 - p;
        move_entries(t, p + 1 + width, p + 1, count);
        if (t->head_run > p && t->head_run < t->gap) t->head_run += width;
        if (t->rest_run > p && t->rest_run < t->gap) t->rest_run += width;
        t->gap = p + 1;
    } else {
        int32_t count = p + 1 - t->gap_end;
        move_entries(t, t->gap, t->gap_end, count);
        if (t->head_run >= t->gap_end && t->head_run <= p) t->head_run -= width;
        if (t->rest_run >= t->gap_end && t->rest_run <= p) t->rest_run -= width;
        t->gap += count;
    }
    t->gap_end = t->gap + width;
    if (t->gap < t->changed_from) t->changed_from = t->gap;
    if (t->gap_end - 1 > t->changed_to) t->changed_to = t->gap_end - 1;
    return t->gap - 1;
}

void tour_put_in(struct tour *t, int32_t customer, int32_t p)
{
    assert(t->gap < t->gap_end && p <= t->head_to && tour_next(t, p) >= t->rest_from);
    t->head_run = t->head_to;
    t->rest_run = t->rest_from;
    p = move_gap(t, p);
    int32_t here = p + 1, next = t->gap_end, last = t->at[p], then = t->at[next];
    t->gap++;
    t->at[here] = customer;
    t->pos[customer] = here;
    double in = tour_cost(t, last, customer), on = tour_cost(t, customer, then);
    t->total += in + on - t->edge[p];
    t->edge[p] = in;
    t->edge[here] = on;
    t->head[here] = tour_serve(t, t->head[p], last, customer);
    t->rest[here] = tour_precede(t, t->rest[next], customer, then);
    t->warp = warp_joined(t->head[here], tour_leg(t, customer, then), t->rest[next]);
    t->head_to = t->rest_from = here;
}

/* ---- back and forth ---- */

static void copy_changes(const struct tour *t, int is_back)
{
    size_t from = (size_t)t->changed_from, count = (size_t)t->changed_to - from + 1;
    int32_t heads_to = t->heads_to > t->changed_to ? t->heads_to : t->changed_to;
    size_t rests_from = t->rests_from < t->changed_from ? (size_t)t->rests_from : from;
    size_t heads = (size_t)heads_to - from + 1, rests = (size_t)t->changed_to - rests_from + 1;
    if (is_back) {
        memcpy(&t->at[from], &t->kept[from], count * sizeof t->at[0]);
        memcpy(&t->edge[from - 1], &t->kept_edge[from - 1], (count + 1) * sizeof t->edge[0]);
        memcpy(&t->head[from], &t->kept_head[from], heads * sizeof t->head[0]);
        memcpy(&t->rest[rests_from], &t->kept_rest[rests_from], rests * sizeof t->rest[0]);
    } else {
        memcpy(&t->kept[from], &t->at[from], count * sizeof t->at[0]);
        memcpy(&t->kept_edge[from - 1], &t->edge[from - 1], (count + 1) * sizeof t->edge[0]);
        memcpy(&t->kept_head[from], &t->head[from], heads * sizeof t->head[0]);
        memcpy(&t->kept_rest[rests_from], &t->rest[rests_from], rests * sizeof t->rest[0]);
    }
    for (int32_t p = t->changed_from; p <= t->changed_to; p++) t->pos[t->at[p]] = p;
    t->pos[0] = 0;
}

void tour_keep(struct tour *t)
{
    assert(t->gap == t->gap_end);
    tour_extend_heads(t, t->n);
    tour_extend_rests(t, 0);
    copy_changes(t, 0);
    if (t->ground->inst->data.cost || t->heat.step % 64 == 0)
        sum_anew(t); /* before rounding adds up */
    t->kept_total = t->total;
    t->kept_warp = t->warp;
}

void tour_go_back(struct tour *t)
{
    copy_changes(t, 1);
    t->gap = t->gap_end = t->n;
    t->total = t->kept_total;
    t->warp = t->kept_warp;
}
