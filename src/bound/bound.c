/* The bounds one after the other, the cheap ones first. */
#include "bound/bound.h"
#include "core/minmax.h"

#include <math.h>
#include <stdlib.h>

/* Sums of costs are compared within this share. */
#define CLOSE 1e-9

enum {
    FREE = 20
}; /* of a customer, on average: TSPTW-50 medium has 12, easy 40, draft limits everybody */

/* What the next cheaper plan would save at least. */
static double margin_of(const struct bound_arcs *a, double upper)
{
    return a->are_costs_whole ? 0.999 : CLOSE * fabs(upper);
}

static double round_up(const struct bound_arcs *a, double bound)
{
    if (a->are_costs_whole) return ceil(bound - 1e-6);
    return bound - 1e-12 * fabs(bound);
}

/* Whether there may be few enough orders: a customer has few others that may come before it or behind it. */
static int is_narrow(const struct bound_arcs *a)
{
    size_t ordered = 0, customers = (size_t)a->n - 1;
    for (int32_t j = 1; a->before && j < a->n; j++)
        for (int32_t i = 1; i < a->n; i++)
            ordered += (size_t)bound_has(a->before + (size_t)j * BOUND_WORDS, i);
    return a->before && customers * customers - 2 * ordered <= FREE * customers;
}

/* A tour that the labels found: the checker has the last word, whose tolerances are a little tighter. */
static ucpo_status judge(const ucpo_instance *inst, struct bound *b, ucpo_error *err)
{
    ucpo_evaluation e;
    ucpo_status st =
        ucpo_check(inst, b->better, (size_t)inst->data.n - 1, &e, NULL, 0, NULL, 0, err);
    if (st) return st;
    b->has_better = b->is_optimal = e.is_feasible;
    b->cost = more_of(b->cost, e.cost - CLOSE * fabs(e.cost));
    if (e.is_feasible) b->cost = e.cost;
    return UCPO_OK;
}

static ucpo_status prove(const ucpo_instance *inst, const struct bound_arcs *a, double upper,
                         const struct stop *stop, struct bound *b, ucpo_error *err)
{
    size_t n = (size_t)a->n;
    double *out = mem_zeroed(2 * n, sizeof *out), *in = out + n, assigned = 0.0;
    if (!out) return status_no_memory(err, 2 * n * sizeof *out);
    ucpo_status st = bound_by_assignment(a, stop, out, in, &assigned, err);
    b->cost = more_of(b->cost, round_up(a, assigned));
    double margin = margin_of(a, upper);
    int is_done = 0, has_tour = 0;
    if (!st && assigned > 0.0 && is_narrow(a) && b->cost <= upper - margin)
        st = bound_by_labels(a, out, in, assigned, upper, margin, stop, b->better, &has_tour,
                             &is_done, err);
    if (!st && is_done && has_tour) st = judge(inst, b, err);
    if (!st && is_done && !has_tour) b->cost = upper, b->is_optimal = 1;
    free(out);
    return st;
}

ucpo_status bound_compute(const ucpo_instance *inst, double upper, const struct stop *stop,
                          struct bound *b, ucpo_error *err)
{
    b->cost = 0.0;
    b->is_optimal = b->has_better = 0;
    if (inst->data.n < 3 || inst->data.n > BOUND_NODES || !isfinite(upper)) return UCPO_OK;
    struct bound_arcs *a = NULL;
    ucpo_status st = bound_arcs_create(inst, stop, &a, err);
    if (st || !a) return st;
    if (a->are_costs_whole) upper = ceil(upper - 1e-6); /* it need not be the cost of a plan */
    double tree = 0.0, radial = 0.0;
    st = bound_by_loads(a, inst, &radial, err);
    if (!st) st = bound_by_tree(a, upper, stop, &tree, err);
    if (!st) b->cost = round_up(a, more_of(tree, radial));
    if (!st && a->is_tour) st = prove(inst, a, upper, stop, b, err);
    if (!st && !b->is_optimal && b->cost > upper - margin_of(a, upper)) {
        b->cost = upper;
        b->is_optimal = 1;
    }
    bound_arcs_free(a);
    return st;
}
