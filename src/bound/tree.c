/* Routes without the depot are paths, paths are forests. With R routes of c customers the relaxation is the
 * cheapest forest of c - R edges, R arcs out of the depot and R into it; a price on every customer pushes
 * it towards two ends each: L(price) = min over R of the relaxation's cost - 2 sum of prices. */
#include "bound/bound.h"
#include "core/minmax.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 400, PATIENCE = 12 };

/* An edge of two customers, or the depot's arc to or from b. */
struct ranked {
    double cost;
    int32_t a, b;
};

struct forest {
    const struct bound_arcs *arcs;
    int32_t n;
    double *price, *best_price, *edge; /* edge: n x n, the cheaper direction */
    int32_t *ends;                     /* of a customer in the relaxation */
    double *near;                      /* growing the tree: the cheapest edge into it, */
    int32_t *from;                     /* and its end there */
    uint8_t *is_in;
    struct ranked *tree, *out, *in; /* n - 2 and n - 1 of each, the cheapest first */
    struct arena arena;
};

static void layout(struct forest *f)
{
    size_t n = (size_t)f->n;
    f->price = arena_take(&f->arena, n, sizeof(double));
    f->best_price = arena_take(&f->arena, n, sizeof(double));
    f->edge = arena_take(&f->arena, n * n, sizeof(double));
    f->ends = arena_take(&f->arena, n, sizeof(int32_t));
    f->near = arena_take(&f->arena, n, sizeof(double));
    f->from = arena_take(&f->arena, n, sizeof(int32_t));
    f->is_in = arena_take(&f->arena, n, 1);
    f->tree = arena_take(&f->arena, n, sizeof(struct ranked));
    f->out = arena_take(&f->arena, n, sizeof(struct ranked));
    f->in = arena_take(&f->arena, n, sizeof(struct ranked));
}

static int by_cost(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
    return x->b < y->b ? -1 : x->b > y->b;
}

/* The cheapest spanning tree of the customers, its edges sorted; those that are no way stay at the end. */
static void grow_tree(struct forest *f)
{
    int32_t n = f->n, last = 1;
    for (int32_t j = 1; j < n; j++) f->near[j] = HUGE_VAL, f->from[j] = 1, f->is_in[j] = 0;
    f->is_in[1] = 1;
    for (int32_t k = 0; k < n - 2; k++) {
        const double *row = f->edge + (size_t)last * (size_t)n;
        int32_t next = 0;
        for (int32_t j = 2; j < n; j++) {
            if (f->is_in[j]) continue;
            double cost = row[j] + f->price[last] + f->price[j];
            if (cost < f->near[j]) f->near[j] = cost, f->from[j] = last;
            if (!next || f->near[j] < f->near[next]) next = j;
        }
        f->tree[k] = (struct ranked){f->near[next], f->from[next], next};
        f->is_in[next] = 1;
        last = next;
    }
    qsort(f->tree, (size_t)n - 2, sizeof *f->tree, by_cost);
}

static void rank_depot(struct forest *f)
{
    for (int32_t j = 1; j < f->n; j++) {
        f->out[j - 1] = (struct ranked){bound_cost(f->arcs, 0, j) + f->price[j], 0, j};
        f->in[j - 1] = (struct ranked){bound_cost(f->arcs, j, 0) + f->price[j], 0, j};
    }
    size_t count = (size_t)f->n - 1;
    qsort(f->out, count, sizeof *f->out, by_cost);
    qsort(f->in, count, sizeof *f->in, by_cost);
}

/* First and last customer of a tour differ: the cheapest such pair to the front. */
static void part_ends(struct forest *f)
{
    if (!f->arcs->is_tour || f->n < 3 || f->out[0].b != f->in[0].b) return;
    struct ranked *list =
        f->out[1].cost + f->in[0].cost < f->out[0].cost + f->in[1].cost ? f->out : f->in;
    struct ranked first = list[0];
    list[0] = list[1], list[1] = first;
}

/* The relaxation at these prices; ends are counted. Infinite: there is no such thing. */
static double relax(struct forest *f)
{
    const struct bound_arcs *a = f->arcs;
    int32_t customers = f->n - 1, best_routes = 0;
    double best = HUGE_VAL, edges = 0.0, depot = 0.0, prices = 0.0;
    grow_tree(f);
    rank_depot(f);
    part_ends(f);
    int32_t used = customers - a->least_routes;
    for (int32_t k = 0; k < used; k++) edges += f->tree[k].cost;
    for (int32_t k = 0; k < a->least_routes; k++) depot += f->out[k].cost + f->in[k].cost;
    for (int32_t routes = a->least_routes; routes <= a->most_routes; routes++) {
        if (edges + depot < best) best = edges + depot, best_routes = routes;
        if (routes == customers) break;
        /* summed anew where an edge that is no way drops out */
        if (f->tree[customers - routes - 1].cost < HUGE_VAL) {
            edges -= f->tree[customers - routes - 1].cost;
        } else {
            edges = 0.0;
            for (int32_t k = 0; k < customers - routes - 1; k++) edges += f->tree[k].cost;
        }
        depot += f->out[routes].cost + f->in[routes].cost;
    }
    if (best == HUGE_VAL) return best;
    memset(f->ends, 0, (size_t)f->n * sizeof *f->ends);
    for (int32_t k = 0; k < customers - best_routes; k++)
        f->ends[f->tree[k].a]++, f->ends[f->tree[k].b]++;
    for (int32_t k = 0; k < best_routes; k++) f->ends[f->out[k].b]++, f->ends[f->in[k].b]++;
    for (int32_t j = 1; j < f->n; j++) prices += f->price[j];
    return best - 2.0 * prices;
}

static double climb(struct forest *f, double upper, const struct stop *stop)
{
    double best = 0.0, step = 1.0;
    int idle = 0;
    for (int k = 0; k < STEPS && step > 1e-3 && !stop_is_asked(stop); k++) {
        double value = relax(f), length = 0.0;
        if (value == HUGE_VAL) return 0.0;
        for (int32_t j = 1; j < f->n; j++) length += (f->ends[j] - 2) * (double)(f->ends[j] - 2);
        if (value > best) {
            best = value, idle = 0;
            memcpy(f->best_price, f->price, (size_t)f->n * sizeof *f->price);
        } else if (++idle == PATIENCE) {
            idle = 0, step *= 0.5;
            memcpy(f->price, f->best_price, (size_t)f->n * sizeof *f->price);
            continue;
        }
        if (length == 0.0 || best >= upper) break;
        double by = step * more_of(upper - value, 1e-3 * upper) / length;
        for (int32_t j = 1; j < f->n; j++) f->price[j] += by * (f->ends[j] - 2);
    }
    return best;
}

ucpo_status bound_by_tree(const struct bound_arcs *arcs, double upper, const struct stop *stop,
                          double *out, ucpo_error *err)
{
    struct forest f = {.arcs = arcs, .n = arcs->n};
    size_t n = (size_t)arcs->n;
    *out = 0.0;
    layout(&f);
    ucpo_status st = arena_reserve(&f.arena, err);
    if (!st) {
        layout(&f);
        for (size_t i = 0; i < n; i++) {
            f.price[i] = f.best_price[i] = 0.0;
            for (size_t j = 0; j < n; j++)
                f.edge[i * n + j] = less_of(arcs->cost[i * n + j], arcs->cost[j * n + i]);
        }
        *out = climb(&f, upper, stop);
    }
    arena_free(&f.arena);
    return st;
}
