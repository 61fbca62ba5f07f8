/* The ranked list t_1 > t_2 > ... > t_N of the paper (section "Partial-Order Relation", D.1). */
#include "loss/loss.h"

/* Where the order leaves two trajectories equal, the lower index goes first: a total order. */
static int comes_after(const ucpo_loss_config *config, const double *f, const double *v, uint32_t a,
                       uint32_t b)
{
    int order = order_compare(config, f[a], v[a], f[b], v[b]);
    return order != 0 ? order > 0 : a > b;
}

/* Lets the entry at `root` sink until no child comes after it. */
static void sift_down(const ucpo_loss_config *config, const double *f, const double *v,
                      uint32_t *heap, size_t root, size_t count)
{
    uint32_t moving = heap[root];
    for (size_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
        if (child + 1 < count && comes_after(config, f, v, heap[child + 1], heap[child])) child++;
        if (!comes_after(config, f, v, heap[child], moving)) break;
        heap[root] = heap[child];
        root = child;
    }
    heap[root] = moving;
}

/* Heap sort: the C library's qsort may allocate and takes no context. */
void order_rank(const ucpo_loss_config *config, const double *f, const double *v, size_t count,
                uint32_t *rank)
{
    for (size_t i = 0; i < count; i++) rank[i] = (uint32_t)i;
    for (size_t root = count / 2; root-- > 0;) sift_down(config, f, v, rank, root, count);
    for (size_t last = count; last-- > 1;) {
        uint32_t worst = rank[0];
        rank[0] = rank[last];
        rank[last] = worst;
        sift_down(config, f, v, rank, 0, last);
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
    return order_compare(config, objective_a, violation_a, objective_b, violation_b);
}
