/* Proof from customers that exclude each other, two by two: each needs a vehicle of its own. A clique
 * larger than the fleet, by greedy search from many beginnings, then by branching within a budget. */
#include <string.h>

#include "explain/explain.h"

enum { CANDIDATES = 2000, BEGINNINGS = 100, NODES = 100000 };

struct graph {
    const struct bounds *b;
    int32_t *ids; /* the customers considered, tightest first */
    size_t count, words;
    uint64_t *row;  /* [v * words]: who v excludes */
    uint64_t *open; /* who could still join the clique */
    size_t *degree;
    int32_t *clique, *best;
    size_t best_size;
    long budget;
};

static int excludes(const struct bounds *b, int32_t i, int32_t j)
{
    double both = load_counted(b->inst, i) + load_counted(b->inst, j);
    if (both > load_room(b->inst, b->data->capacity)) return 1;
    return !bounds_may_precede(b, i, j) && !bounds_may_precede(b, j, i);
}

static int has_edge(const struct graph *g, size_t v, size_t w)
{
    return g->row[v * g->words + w / 64] >> (w % 64) & 1u;
}

static void connect(struct graph *g)
{
    for (size_t v = 0; v < g->count; v++)
        for (size_t w = v + 1; w < g->count; w++) {
            if (!excludes(g->b, g->ids[v], g->ids[w])) continue;
            g->row[v * g->words + w / 64] |= (uint64_t)1 << (w % 64);
            g->row[w * g->words + v / 64] |= (uint64_t)1 << (v % 64);
            g->degree[v]++;
            g->degree[w]++;
        }
}

static void keep(struct graph *g, size_t size)
{
    if (size <= g->best_size) return;
    memcpy(g->best, g->clique, size * sizeof *g->best);
    g->best_size = size;
}

/* The candidate of highest degree, or count. */
static size_t best_open(const struct graph *g)
{
    size_t pick = g->count;
    for (size_t w = 0; w < g->words; w++) {
        for (size_t bit = 0; g->open[w] >> bit; bit++) {
            size_t v = 64 * w + bit;
            if (!(g->open[w] >> bit & 1u)) continue;
            if (pick == g->count || g->degree[v] > g->degree[pick]) pick = v;
            if (bit == 63) break;
        }
    }
    return pick;
}

static void grow_from(struct graph *g, size_t first)
{
    size_t size = 0;
    memset(g->open, 0xff, g->words * sizeof *g->open);
    for (size_t v = first; v < g->count; v = best_open(g)) {
        g->clique[size++] = (int32_t)v;
        for (size_t w = 0; w < g->words; w++) g->open[w] &= g->row[v * g->words + w];
    }
    keep(g, size);
}

/* Every clique, its vertices in order, the last one taken back first; stops above the fleet. */
static void branch(struct graph *g)
{
    size_t goal = (size_t)g->b->fleet, size = 0;
    for (size_t v = 0; v < g->count || size > 0; v++) {
        if (v == g->count) {
            v = (size_t)g->clique[--size];
            continue;
        }
        if (g->best_size > goal || g->budget-- <= 0) return;
        if (g->degree[v] < goal) continue;
        size_t k = 0;
        while (k < size && has_edge(g, (size_t)g->clique[k], v)) k++;
        if (k < size) continue;
        g->clique[size++] = (int32_t)v;
        keep(g, size);
    }
}

static void search(struct graph *g)
{
    size_t goal = (size_t)g->b->fleet;
    connect(g);
    int tried = 0;
    for (size_t v = 0; v < g->count && tried < BEGINNINGS && g->best_size <= goal; v++) {
        if (g->degree[v] < goal) continue;
        grow_from(g, v);
        tried++;
    }
    g->budget = NODES;
    if (g->best_size <= goal) branch(g);
}

static void report(struct graph *g, ucpo_explanation *out)
{
    size_t size = g->best_size;
    int32_t fleet = g->b->fleet;
    if (size <= (size_t)fleet) return;
    for (size_t k = 0; k < size; k++) g->best[k] = g->ids[g->best[k]];
    explain_sort(g->best, size);
    char list[EXPLAIN_LIST];
    explain_add(
        out, UCPO_REASON_FLEET_APART, g->best, size, (struct numbers){(double)size, fleet},
        "no two of %s fit into one route (windows%s or capacity): that takes %zu vehicles, there "
        "are %d",
        explain_list(list, g->best, size), g->b->data->no_way > 0.0 ? ", ways" : "", size,
        (int)fleet);
}

void prove_apart(struct bounds *b, ucpo_explanation *out)
{
    if (b->n - 1 <= b->fleet) return;
    size_t n = (size_t)b->n, most = n < CANDIDATES ? n : CANDIDATES;
    struct graph g = {.b = b, .words = most / 64 + 1};
    g.ids = explain_room(out, n, sizeof *g.ids);
    g.row = explain_room(out, most * g.words, sizeof *g.row);
    g.open = explain_room(out, g.words, sizeof *g.open);
    g.degree = explain_room(out, most, sizeof *g.degree);
    g.clique = explain_room(out, most + 1, sizeof *g.clique);
    g.best = explain_room(out, most + 1, sizeof *g.best);
    if (out->status) return;
    g.count = bounds_rank(b->n, b->earliest, b->latest, most, g.ids, out);
    search(&g);
    report(&g, out);
}
