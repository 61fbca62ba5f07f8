/* The cheapest way to give every node one successor and one predecessor, by shortest augmenting paths. */
#include "bound/bound.h"

#include <math.h>
#include <stdlib.h>

/* Columns are reached from row `from` in order of distance until a free one is met. */
struct hunt {
    double *distance;
    int32_t *via; /* column before this one on the way */
    uint8_t *is_done;
    int32_t *row_of; /* of a column; n: free */
};

/* Gives `row` a column and moves prices; 0: there is none. Column n stands for the row itself. */
static int augment(const struct bound_arcs *a, struct hunt *h, double *out, double *in, int32_t row)
{
    int32_t n = a->n, at = n;
    h->row_of[n] = row;
    for (int32_t j = 0; j <= n; j++) h->distance[j] = HUGE_VAL, h->is_done[j] = 0;
    do {
        int32_t i = h->row_of[at], next = -1;
        double step = HUGE_VAL;
        h->is_done[at] = 1;
        for (int32_t j = 0; j < n; j++) {
            if (h->is_done[j]) continue;
            double way = bound_cost(a, i, j) - out[i] - in[j];
            if (way < h->distance[j]) h->distance[j] = way, h->via[j] = at;
            if (h->distance[j] < step) step = h->distance[j], next = j;
        }
        if (next < 0) return 0;
        for (int32_t j = 0; j <= n; j++) {
            if (!h->is_done[j]) {
                h->distance[j] -= step;
                continue;
            }
            out[h->row_of[j]] += step;
            if (j < n) in[j] -= step;
        }
        at = next;
    } while (h->row_of[at] < n);
    while (at != n) {
        int32_t via = h->via[at];
        h->row_of[at] = h->row_of[via];
        at = via;
    }
    return 1;
}

ucpo_status bound_by_assignment(const struct bound_arcs *a, const struct stop *stop, double *out,
                                double *in, double *bound, ucpo_error *err)
{
    size_t n = (size_t)a->n;
    struct hunt h = {mem_zeroed(n + 1, sizeof(double)), mem_zeroed(n + 1, sizeof(int32_t)),
                     mem_zeroed(n + 1, 1), mem_zeroed(n + 1, sizeof(int32_t))};
    ucpo_status st = UCPO_OK;
    int is_done = 1;
    *bound = 0.0;
    if (!h.distance || !h.via || !h.is_done || !h.row_of) st = status_no_memory(err, n);
    for (size_t j = 0; !st && j <= n; j++) h.row_of[j] = a->n;
    for (size_t i = 0; i < n; i++) out[i] = in[i] = 0.0;
    for (int32_t i = 0; !st && is_done && i < a->n; i++)
        is_done = !stop_is_asked(stop) && augment(a, &h, out, in, i);
    for (size_t i = 0; !st && is_done && i < n; i++) *bound += out[i] + in[i];
    free(h.distance), free(h.via), free(h.is_done), free(h.row_of);
    return st;
}
