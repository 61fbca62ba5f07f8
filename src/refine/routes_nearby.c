#include "refine/routes_ruin.h"

#include <math.h>

enum { MOST_NEARBY = 100 };

void nearby_layout(struct nearby *near, int32_t n, struct arena *arena)
{
    near->count = n - 2 < MOST_NEARBY ? n - 2 : MOST_NEARBY;
    if (near->count < 0) near->count = 0;
    near->list = arena_take(arena, (size_t)n * (size_t)near->count, sizeof *near->list);
}

/* Way, waiting and lateness if j follows i (Vidal et al., 2013). */
static double follow(const struct fleet *f, int32_t i, int32_t j)
{
    const struct fleet_site *a = &f->site[i], *b = &f->site[j];
    double way = a->service + fleet_time(f, i, j);
    double wait = larger(0.0, b->ready - way - a->late);
    double late = larger(0.0, a->ready + way - b->late);
    return fleet_cost(f, i, j) + 0.2 * wait + late;
}

/* A heap of the `most` nearest so far, the farthest on top; key by customer. */
static void sift(int32_t *heap, int32_t at, int32_t count, const double *key)
{
    int32_t moving = heap[at];
    for (int32_t c = 2 * at + 1; c < count; c = 2 * at + 1) {
        if (c + 1 < count && key[heap[c + 1]] > key[heap[c]]) c++;
        if (key[heap[c]] <= key[moving]) break;
        heap[at] = heap[c];
        at = c;
    }
    heap[at] = moving;
}

static void nearest_of(struct nearby *near, const struct fleet *f, int32_t i, double *key)
{
    int32_t *heap = near->list + (size_t)i * (size_t)near->count, filled = 0;
    for (int32_t j = 1; j < f->n; j++) {
        if (j == i) continue;
        key[j] = smaller(follow(f, i, j), follow(f, j, i));
        if (filled < near->count) {
            heap[filled++] = j;
            if (filled == near->count)
                for (int32_t k = filled / 2 - 1; k >= 0; k--) sift(heap, k, filled, key);
        } else if (key[j] < key[heap[0]]) {
            heap[0] = j;
            sift(heap, 0, filled, key);
        }
    }
    for (int32_t last = filled - 1; last > 0; last--) {
        int32_t far = heap[0];
        heap[0] = heap[last];
        heap[last] = far;
        sift(heap, 0, last, key);
    }
}

int nearby_fill(struct nearby *near, const struct fleet *f, double *key, const struct stop *stop)
{
    for (int32_t i = 1; near->count > 0 && i < f->n; i++) {
        if (stop_is_asked(stop)) return 0;
        nearest_of(near, f, i, key);
    }
    return 1;
}
