/* Partial tours, one layer for every number of customers. Of two with the same customers and the same last
 * one, the one that is neither cheaper nor earlier is dropped. */
#include "bound/bound.h"
#include "core/minmax.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1 << 18 };

struct label {
    uint64_t set[BOUND_WORDS];
    double time, cost;
    double above;         /* by how much its arcs exceed their prices: what it adds to the bound */
    int32_t parent, next; /* next in its bucket, or -1 */
    int32_t last;
    int is_dropped;
};

struct labels {
    const struct bound_arcs *arcs;
    const double *out, *in;
    double room; /* what may be added to the bound at most */
    struct label *all;
    size_t count, capacity;
    int32_t *bucket;
    double best;
    int32_t best_last; /* label, or -1 */
};

static size_t bucket_of(const struct label *l)
{
    uint64_t h = (uint64_t)l->last * 0x9E3779B97F4A7C15u;
    for (int w = 0; w < BOUND_WORDS; w++) h = (h ^ l->set[w]) * 0xD6E8FEB86659FD93u, h ^= h >> 32;
    return (size_t)(h % BUCKETS);
}

static int is_same_place(const struct label *a, const struct label *b)
{
    return a->last == b->last && memcmp(a->set, b->set, sizeof a->set) == 0;
}

/* Everybody who is left, and the depot, is still reached in time. */
static int is_alive(const struct bound_arcs *a, const struct label *l)
{
    const double *way = a->way + (size_t)l->last * (size_t)a->n;
    if (l->time + way[0] > a->due[0]) return 0;
    for (int32_t k = 1; k < a->n; k++)
        if (l->time + way[k] > a->due[k] && !bound_has(l->set, k)) return 0;
    return 1;
}

/* Adds a label to the layer unless another one is as good; those it beats are dropped. */
static ucpo_status add(struct labels *s, struct label *l, ucpo_error *err)
{
    size_t bucket = bucket_of(l);
    for (int32_t k = s->bucket[bucket]; k >= 0; k = s->all[k].next) {
        struct label *other = &s->all[k];
        if (other->is_dropped || !is_same_place(other, l)) continue;
        if (other->cost <= l->cost && other->time <= l->time) return UCPO_OK;
        if (l->cost <= other->cost && l->time <= other->time) other->is_dropped = 1;
    }
    l->next = s->bucket[bucket];
    ucpo_status st = mem_append(&s->all, &s->count, &s->capacity, l, sizeof *l, err);
    if (!st) s->bucket[bucket] = (int32_t)s->count - 1;
    return st;
}

static ucpo_status extend(struct labels *s, int32_t index, ucpo_error *err)
{
    const struct bound_arcs *a = s->arcs;
    const struct label from = s->all[index];
    ucpo_status st = UCPO_OK;
    for (int32_t j = 1; j < a->n && !st; j++) {
        double cost = bound_cost(a, from.last, j);
        if (cost == HUGE_VAL || bound_has(from.set, j)) continue;
        struct label to = from;
        to.above += cost - s->out[from.last] - s->in[j];
        to.time = more_of(from.time + bound_leg(a, from.last, j), a->ready[j]);
        if (to.above > s->room || to.time > a->due[j]) continue;
        int is_next = 1;
        for (int w = 0; w < BOUND_WORDS && is_next; w++)
            is_next = (a->before[(size_t)j * BOUND_WORDS + (size_t)w] & ~from.set[w]) == 0;
        if (!is_next) continue;
        to.set[j / 64] |= 1ull << (j % 64);
        to.cost += cost;
        to.last = j;
        to.parent = index;
        to.is_dropped = 0;
        if (is_alive(a, &to)) st = add(s, &to, err);
    }
    return st;
}

/* The way home of the last layer. */
static void close_tours(struct labels *s, size_t first, double most)
{
    for (size_t k = first; k < s->count; k++) {
        const struct label *l = &s->all[k];
        double cost = l->cost + bound_cost(s->arcs, l->last, 0);
        int is_late = l->time + bound_leg(s->arcs, l->last, 0) > s->arcs->due[0];
        if (l->is_dropped || is_late || cost > most || cost >= s->best) continue;
        s->best = cost;
        s->best_last = (int32_t)k;
    }
}

static ucpo_status run(struct labels *s, double most, const struct stop *stop, int *is_done,
                       ucpo_error *err)
{
    ucpo_status st = UCPO_OK;
    size_t first = 0;
    *is_done = 0;
    for (int32_t layer = 1; layer < s->arcs->n; layer++) {
        size_t end = s->count;
        for (size_t k = first; k < end; k++) {
            if (s->all[k].is_dropped) continue;
            if ((k % 64 == 0 && stop_is_asked(stop)) || s->count > BOUND_LABELS) return UCPO_OK;
            if ((st = extend(s, (int32_t)k, err))) return st;
        }
        for (size_t k = end; k < s->count; k++) s->bucket[bucket_of(&s->all[k])] = -1;
        first = end;
    }
    close_tours(s, first, most);
    *is_done = 1;
    return UCPO_OK;
}

ucpo_status bound_by_labels(const struct bound_arcs *arcs, const double *out, const double *in,
                            double bound, double upper, double margin, const struct stop *stop,
                            int32_t *tour, int *has_tour, int *is_done, ucpo_error *err)
{
    struct labels s = {.arcs = arcs, .out = out, .in = in, .best = HUGE_VAL, .best_last = -1};
    s.room = upper - margin - bound + 1e-9 * fabs(upper);
    s.bucket = mem_zeroed(BUCKETS, sizeof *s.bucket);
    *has_tour = *is_done = 0;
    ucpo_status st = s.bucket ? UCPO_OK : status_no_memory(err, BUCKETS * sizeof *s.bucket);
    for (size_t k = 0; !st && k < BUCKETS; k++) s.bucket[k] = -1;
    struct label root = {.time = arcs->ready[0], .parent = -1};
    if (!st) st = add(&s, &root, err);
    if (!st) s.bucket[bucket_of(&root)] = -1;
    if (!st) st = run(&s, upper - margin, stop, is_done, err);
    if (!st && s.best_last >= 0) {
        int32_t at = arcs->n - 1;
        for (int32_t k = s.best_last; k > 0; k = s.all[k].parent) tour[--at] = s.all[k].last;
        *has_tour = 1;
    }
    free(s.all);
    free(s.bucket);
    return st;
}
