/* Proofs from forced orders of a single vehicle: who must come before whom, and what that leaves of the
 * windows, until nothing changes any more. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "explain/explain.h"

enum { MOST_ROUNDS = 20 };

struct orders {
    struct bounds *b;
    size_t n;
    uint8_t *direct; /* [i * n + j]: i before j, since j before i is too late */
    uint8_t *before; /* the same, closed under transitivity */
    double *after;   /* service and shortest usable leg to a next customer */
    double *ahead;   /* the same on the way to a customer: service of the one before, and the leg */
    double *from, *to; /* the new windows: all follow from the old ones, whose order is known */
    int32_t *by_earliest, *by_latest, *list;
};

/* ---- relation ---- */

static void find_orders(struct orders *o)
{
    size_t n = o->n;
    for (size_t i = 1; i < n; i++)
        for (size_t j = 1; j < n; j++)
            if (i != j && !bounds_may_precede(o->b, (int32_t)j, (int32_t)i))
                o->direct[i * n + j] = 1;
    memcpy(o->before, o->direct, n * n);
    for (size_t k = 1; k < n; k++)
        for (size_t i = 1; i < n; i++) {
            if (!o->before[i * n + k]) continue;
            for (size_t j = 1; j < n; j++) o->before[i * n + j] |= o->before[k * n + j];
        }
}

/* The shortest way along `direct` from `start` back to it, into o->list; returns its length. */
static size_t cycle_through(struct orders *o, int32_t start, int32_t *parent)
{
    size_t head = 0, tail = 0, length = 0;
    int32_t *queue = o->by_earliest; /* free at this point */
    for (size_t i = 0; i < o->n; i++) parent[i] = -1;
    queue[tail++] = start;
    while (head < tail) {
        int32_t at = queue[head++];
        for (int32_t j = 1; j < o->b->n; j++) {
            if (!o->direct[(size_t)at * o->n + (size_t)j] || parent[j] >= 0) continue;
            parent[j] = at;
            if (j != start) {
                queue[tail++] = j;
                continue;
            }
            int32_t k = start;
            do length++, k = parent[k];
            while (k != start);
            for (size_t p = length; p-- > 0; k = parent[k]) o->list[(p + 1) % length] = k;
            return length;
        }
    }
    return 0;
}

static void add_cycle(struct orders *o, ucpo_explanation *out)
{
    size_t best = 0;
    int32_t at = 0, *parent = o->by_latest;
    for (int32_t i = 1; i < o->b->n; i++) {
        size_t length = o->before[(size_t)i * o->n + (size_t)i] ? cycle_through(o, i, parent) : 0;
        if (length == 0 || (best > 0 && length >= best)) continue;
        best = length;
        at = i;
    }
    if (best == 0) return;
    cycle_through(o, at, parent);
    char list[EXPLAIN_LIST];
    explain_add(
        out, UCPO_REASON_CYCLE, o->list, best, (struct numbers){(double)best, 0.0},
        "%s have no order: each must come before the next, since the other way round is %stoo "
        "late, and the last before the first%s",
        explain_list(list, o->list, best), o->b->data->no_way > 0.0 ? "closed or " : "",
        o->b->is_narrowed ? " (windows narrowed by orders that are forced)" : "");
}

/* ---- windows ---- */

static void find_legs(struct orders *o)
{
    const struct bounds *b = o->b;
    for (size_t i = 0; i < o->n; i++) o->after[i] = o->ahead[i] = HUGE_VAL;
    for (int32_t i = 1; i < b->n; i++) {
        double service = bounds_service(b, i);
        for (int32_t j = 1; j < b->n; j++) {
            if (i == j || o->before[(size_t)j * o->n + (size_t)i]) continue;
            double step = service + bounds_leg(b, i, j);
            if (b->earliest[i] + step > b->latest[j]) continue;
            o->after[i] = fmin(o->after[i], step);
            o->ahead[j] = fmin(o->ahead[j], step);
        }
    }
    for (int32_t i = 1; i < b->n; i++) { /* nobody can follow or precede: 0 is a bound as well */
        if (isinf(o->after[i])) o->after[i] = 0.0;
        if (isinf(o->ahead[i])) o->ahead[i] = 0.0;
    }
}

/* All that must come before j are served one after the other, each keeping the vehicle busy until the
 * next one starts; the order of earliest starts ends soonest. */
static double start_after_all(const struct orders *o, int32_t j)
{
    const struct bounds *b = o->b;
    double time = -HUGE_VAL, best = b->earliest[j];
    for (size_t k = 0; k + 1 < o->n; k++) {
        int32_t i = o->by_earliest[k];
        if (!o->before[(size_t)i * o->n + (size_t)j]) continue;
        time = fmax(time, b->earliest[i]) + o->after[i];
        best = fmax(best, b->earliest[i] + bounds_service(b, i) + bounds_way(b, i, j));
    }
    return fmax(best, time);
}

static double start_before_all(const struct orders *o, int32_t i)
{
    const struct bounds *b = o->b;
    double time = HUGE_VAL, best = b->latest[i];
    for (size_t k = o->n - 1; k-- > 0;) {
        int32_t j = o->by_latest[k];
        if (!o->before[(size_t)i * o->n + (size_t)j]) continue;
        time = fmin(time, b->latest[j]) - o->ahead[j];
        best = fmin(best, b->latest[j] - bounds_way(b, i, j) - bounds_service(b, i));
    }
    return fmin(best, time);
}

static void add_chain(struct orders *o, int32_t at, ucpo_explanation *out)
{
    const struct bounds *b = o->b;
    size_t first = 0, count = 0;
    char ahead[EXPLAIN_LIST], behind[EXPLAIN_LIST], words[2 * EXPLAIN_LIST + 40] = "";
    for (size_t k = 0; k + 1 < o->n; k++)
        if (o->before[(size_t)o->by_earliest[k] * o->n + (size_t)at])
            o->list[count++] = o->by_earliest[k];
    first = count;
    o->list[count++] = at;
    for (size_t k = 0; k + 1 < o->n; k++)
        if (o->before[(size_t)at * o->n + (size_t)o->by_latest[k]])
            o->list[count++] = o->by_latest[k];
    size_t used = 0;
    if (first > 0)
        used = (size_t)snprintf(words, sizeof words, " must come after %s",
                                explain_list(ahead, o->list, first));
    if (first + 1 < count)
        snprintf(words + used, sizeof words - used, "%s before %s", used ? " and" : " must come",
                 explain_list(behind, o->list + first + 1, count - first - 1));
    double start = b->earliest[at], last = bounds_plain(b, b->latest[at]);
    explain_add(
        out, UCPO_REASON_CHAIN, o->list, count, (struct numbers){start, last},
        "customer %d%s (any other order is %stoo late), so it starts at %s at the earliest, "
        "but must start by %s (%.6g too late)",
        (int)at, words, b->data->no_way > 0.0 ? "closed or " : "",
        explain_time(b->inst, start).text, explain_time(b->inst, last).text, start - last);
}

/* One round: 0 when nothing changes any more or a proof was found. */
static int tighten(struct orders *o, ucpo_explanation *out)
{
    struct bounds *b = o->b;
    int has_changed = 0;
    find_orders(o);
    for (size_t i = 1; i < o->n && !out->status; i++) {
        if (!o->before[i * o->n + i]) continue;
        add_cycle(o, out);
        return 0;
    }
    find_legs(o);
    bounds_rank(b->n, NULL, b->earliest, o->n, o->by_earliest, out);
    bounds_rank(b->n, NULL, b->latest, o->n, o->by_latest, out);
    if (out->status) return 0;
    for (int32_t i = 1; i < b->n; i++) {
        o->from[i] = start_after_all(o, i);
        o->to[i] = start_before_all(o, i);
        has_changed |= o->from[i] > b->earliest[i] || o->to[i] < b->latest[i];
    }
    for (int32_t i = 1; i < b->n; i++) {
        b->earliest[i] = o->from[i];
        b->latest[i] = o->to[i];
        if (o->from[i] <= o->to[i]) continue;
        add_chain(o, i, out);
        return 0;
    }
    return has_changed;
}

void prove_precedences(struct bounds *b, ucpo_explanation *out)
{
    if (b->n > EXPLAIN_PATHS_UP_TO) return;
    struct orders o = {.b = b, .n = (size_t)b->n};
    o.direct = explain_room(out, o.n * o.n, 1);
    o.before = explain_room(out, o.n * o.n, 1);
    o.after = explain_room(out, o.n, sizeof(double));
    o.ahead = explain_room(out, o.n, sizeof(double));
    o.from = explain_room(out, o.n, sizeof(double));
    o.to = explain_room(out, o.n, sizeof(double));
    o.by_earliest = explain_room(out, o.n, sizeof(int32_t));
    o.by_latest = explain_room(out, o.n, sizeof(int32_t));
    o.list = explain_room(out, o.n, sizeof(int32_t));
    if (out->status) return;
    for (int round = 0; round < MOST_ROUNDS && tighten(&o, out); round++) b->is_narrowed = 1;
}
