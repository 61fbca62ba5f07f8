/* The ranked list t_1 > t_2 > ... > t_N of the paper (section "Partial-Order Relation", D.1). */
#include "loss/loss.h"

#include <math.h>

/* D.1. UCPO-D puts everyone in F, BOPO everyone in T. */
struct order order_of(const ucpo_loss_config *config)
{
    double lambda = config->lambda;
    switch (config->relation) {
    case UCPO_RELATION_CONSTRAINT: return (struct order){0.0, {0.0, 1.0}, lambda};
    case UCPO_RELATION_PRIMAL: return (struct order){0.0, {1.0, 1.0}, 0.0};
    case UCPO_RELATION_DUAL: return (struct order){-1.0, {1.0, 1.0}, lambda};
    case UCPO_RELATION_OBJECTIVE: return (struct order){HUGE_VAL, {1.0, 1.0}, 0.0};
    case UCPO_RELATION_CANONICAL:
    case UCPO_RELATION_TIES: break;
    }
    return (struct order){0.0, {1.0, 1.0}, lambda};
}

/* Where the order leaves two trajectories equal, the lower index goes first: a total order. */
static int comes_after(const struct order *order, const double *f, const double *v, uint32_t a,
                       uint32_t b)
{
    int result = order_compare(order, f[a], v[a], f[b], v[b]);
    return result != 0 ? result > 0 : a > b;
}

/* Lets the entry at `root` sink until no child comes after it. Bottom-up: the hole first falls to a
 * leaf, then the entry climbs back, which is rarely far; half the comparisons of the usual way. */
static void sift_down(const struct order *order, const double *f, const double *v, uint32_t *heap,
                      size_t root, size_t count)
{
    uint32_t moving = heap[root];
    size_t hole = root;
    for (size_t child = 2 * hole + 1; child < count; child = 2 * hole + 1) {
        if (child + 1 < count)
            child += (size_t)comes_after(order, f, v, heap[child + 1], heap[child]);
        heap[hole] = heap[child];
        hole = child;
    }
    while (hole > root) {
        size_t parent = (hole - 1) / 2;
        if (comes_after(order, f, v, heap[parent], moving)) break;
        heap[hole] = heap[parent];
        hole = parent;
    }
    heap[hole] = moving;
}

/* Heap sort: the C library's qsort may allocate and takes no context. */
void order_rank(const struct order *order, const double *f, const double *v, size_t count,
                uint32_t *rank)
{
    for (size_t i = 0; i < count; i++) rank[i] = (uint32_t)i;
    for (size_t root = count / 2; root-- > 0;) sift_down(order, f, v, rank, root, count);
    for (size_t last = count; last-- > 1;) {
        uint32_t worst = rank[0];
        rank[0] = rank[last];
        rank[last] = worst;
        sift_down(order, f, v, rank, 0, last);
    }
}

int ucpo_compare(const ucpo_loss_config *config, double objective_a, double violation_a,
                 double objective_b, double violation_b)
{
    ucpo_loss_config defaults = ucpo_loss_config_default();
    if (!config) config = &defaults;
    if (config->relation == UCPO_RELATION_TIES &&
        order_is_tie(config, objective_a, violation_a, objective_b, violation_b))
        return 0;
    struct order order = order_of(config);
    return order_compare(&order, objective_a, violation_a, objective_b, violation_b);
}
