#include "refine/routes_ruin.h"

#include <math.h>
#include <string.h>

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
    double wait = more_of(0.0, b->ready - way - a->late);
    double late = more_of(0.0, a->ready + way - b->late);
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

/* The nearest of the customers offered one by one; `filled` of them so far. */
static void offer(int32_t *heap, int32_t *filled, int32_t most, int32_t j, const double *key)
{
    if (*filled < most) {
        heap[(*filled)++] = j;
        for (int32_t k = *filled / 2 - 1; *filled == most && k >= 0; k--) sift(heap, k, most, key);
    } else if (key[j] < key[heap[0]]) {
        heap[0] = j;
        sift(heap, 0, most, key);
    }
}

static void sort_heap(int32_t *heap, int32_t count, const double *key)
{
    for (int32_t last = count - 1; last > 0; last--) {
        int32_t far = heap[0];
        heap[0] = heap[last];
        heap[last] = far;
        sift(heap, 0, last, key);
    }
}

static double distance(const struct fleet *f, int32_t i, int32_t j)
{
    return less_of(follow(f, i, j), follow(f, j, i));
}

static void nearest_of_all(struct nearby *near, const struct fleet *f, int32_t i, double *key)
{
    int32_t *heap = near->list + (size_t)i * (size_t)near->count, filled = 0;
    for (int32_t j = 1; j < f->n; j++) {
        if (j == i) continue;
        key[j] = distance(f, i, j);
        offer(heap, &filled, near->count, j, key);
    }
    sort_heap(heap, filled, key);
}

/* ---- many nodes with coordinates: only those around, from a grid ---- */

struct grid {
    double x, y, side; /* corner, width of a cell */
    int32_t columns, rows;
    int32_t *begin; /* columns x rows + 1 */
    int32_t *items; /* customers by cell */
};

enum { PER_CELL = 8 };

static int32_t cell_along(double at, double from, double side, int32_t cells)
{
    int32_t k = (int32_t)((at - from) / side);
    return k < cells ? k : cells - 1;
}

static int32_t cell_of(const struct grid *g, double x, double y)
{
    return cell_along(y, g->y, g->side, g->rows) * g->columns +
           cell_along(x, g->x, g->side, g->columns);
}

static void count_cells(struct grid *g, const ucpo_instance_data *d)
{
    for (int32_t i = 1; i < d->n; i++) g->begin[cell_of(g, d->x[i], d->y[i]) + 1]++;
    for (int32_t c = 0; c < g->columns * g->rows; c++) g->begin[c + 1] += g->begin[c];
    for (int32_t i = d->n - 1; i > 0; i--) { /* ends move to begins */
        int32_t c = cell_of(g, d->x[i], d->y[i]);
        g->items[--g->begin[c + 1]] = i;
    }
    int32_t cells = g->columns * g->rows;
    for (int32_t c = 0; c < cells; c++) g->begin[c] = g->begin[c + 1];
    g->begin[cells] = d->n - 1;
}

/* Cells as square as they can be, some PER_CELL customers in each, never more than n / 2 cells. */
static struct grid grid_of(const ucpo_instance_data *d, int32_t *begin, int32_t *items)
{
    struct grid g = {.x = d->x[1], .y = d->y[1], .begin = begin, .items = items};
    double right = g.x, top = g.y;
    for (int32_t i = 2; i < d->n; i++) {
        g.x = less_of(g.x, d->x[i]), right = more_of(right, d->x[i]);
        g.y = less_of(g.y, d->y[i]), top = more_of(top, d->y[i]);
    }
    double wide = right - g.x, high = top - g.y, longest = more_of(wide, high);
    g.side = sqrt(wide * high * PER_CELL / d->n);
    g.side = more_of(g.side, longest * 4.0 * PER_CELL / d->n);
    if (!(g.side > 0.0)) g.side = 1.0;
    g.columns = 1 + (int32_t)(wide / g.side);
    g.rows = 1 + (int32_t)(high / g.side);
    memset(begin, 0, ((size_t)g.columns * (size_t)g.rows + 1) * sizeof *begin);
    count_cells(&g, d);
    return g;
}

struct ring {
    struct nearby *near;
    const struct fleet *f;
    const struct grid *grid;
    double *key;
    int32_t i, filled, seen;
};

static void offer_cell(struct ring *r, int32_t column, int32_t row)
{
    const struct grid *g = r->grid;
    if (column < 0 || row < 0 || column >= g->columns || row >= g->rows) return;
    int32_t c = row * g->columns + column;
    int32_t *heap = r->near->list + (size_t)r->i * (size_t)r->near->count;
    for (int32_t k = g->begin[c]; k < g->begin[c + 1]; k++) {
        int32_t j = g->items[k];
        if (j == r->i) continue;
        r->key[j] = distance(r->f, r->i, j);
        offer(heap, &r->filled, r->near->count, j, r->key);
        r->seen++;
    }
}

/* Rings of cells around i until there are several times as many as asked for. */
static void nearest_around(struct ring *r)
{
    const struct grid *g = r->grid;
    const ucpo_instance_data *d = &r->f->inst->data;
    int32_t at = cell_of(g, d->x[r->i], d->y[r->i]), column = at % g->columns,
            row = at / g->columns;
    int32_t enough = 4 * r->near->count < d->n - 2 ? 4 * r->near->count : d->n - 2;
    for (int32_t away = 0; r->seen < enough; away++) {
        for (int32_t x = column - away; x <= column + away; x++) {
            offer_cell(r, x, row - away);
            if (away > 0) offer_cell(r, x, row + away);
        }
        for (int32_t y = row - away + 1; y < row + away; y++) {
            offer_cell(r, column - away, y);
            offer_cell(r, column + away, y);
        }
    }
    sort_heap(r->near->list + (size_t)r->i * (size_t)r->near->count, r->filled, r->key);
}

int nearby_fill(struct nearby *near, const struct fleet *f, double *key, int32_t *items,
                const struct stop *stop)
{
    const ucpo_instance_data *d = &f->inst->data;
    if (near->count == 0) return 1;
    int has_grid = !f->cost && d->x && !d->cost && !instance_has_times(d) &&
                   d->metric != UCPO_METRIC_HAVERSINE;
    struct grid grid = {0};
    if (has_grid) grid = grid_of(d, f->order, items);
    for (int32_t i = 1; i < f->n; i++) {
        if (stop_is_asked(stop)) return 0;
        if (has_grid)
            nearest_around(&(struct ring){.near = near, .f = f, .grid = &grid, .key = key, .i = i});
        else
            nearest_of_all(near, f, i, key);
    }
    return 1;
}
