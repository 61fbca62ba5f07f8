/* Tables and neighbours of an instance. */
#include "refine/ground.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { OWN_COST, OWN_COST_INTO, OWN_LEG, OWN_LEG_INTO };

enum {
    TABLE_NODES = 2000,   /* above this n no n x n tables of our own: lengths are computed; */
    STRAIGHT_NODES = 500, /* straight lines above this one: tables no longer fit the cache */
    GRID_NODES = 2000,    /* above this n only those around are looked at for neighbours */
    PER_CELL = 8,         /* customers in a cell of the grid */
    NEAR_IN_TOUR = 40,
    NEAR_IN_FLEET = 100,
    SCALE_ROWS = 200 /* rows that say what a typical leg is */
};

#define WAIT_SHARE  0.2   /* waiting counts as this much of a way */
#define SLACK_SHARE 0.999 /* of the tolerance: the checker adds up in another order */

/* ---- tables ---- */

/* Legs are a table of their own if they are not the costs. */
static int legs_differ(const struct ground *g)
{
    const ucpo_instance_data *d = &g->inst->data;
    return instance_has_times(d) || (g->is_tour && d->service);
}

static int legs_are_loads(const struct ground *g)
{
    return g->is_tour && !g->inst->data.due;
}

/* The instance's matrix is the table, unless staying at the depot costs something in it. */
static int has_matrix(const ucpo_instance_data *d)
{
    return d->cost && d->cost[0] == 0.0;
}

static int has_tables(const struct ground *g)
{
    return g->n <= (geometry_is_straight(&g->inst->data) ? STRAIGHT_NODES : TABLE_NODES);
}

static int has_table(const struct ground *g, int which)
{
    const ucpo_instance_data *d = &g->inst->data;
    if (!has_tables(g)) return 0;
    switch (which) {
    case OWN_COST: return !has_matrix(d);
    case OWN_COST_INTO: return !g->is_symmetric;
    default: return !legs_are_loads(g) && legs_differ(g);
    }
}

static void lay_out(struct ground *g, struct arena *arena)
{
    size_t n = (size_t)g->n, square;
    if (size_mul_overflows(n, n, &square)) square = SIZE_MAX;
    for (int k = 0; k < 4; k++)
        g->table[k] = has_table(g, k) ? arena_take(arena, square, sizeof(double)) : NULL;
    if (legs_are_loads(g)) g->table[OWN_LEG] = arena_take(arena, n, sizeof(double));
    g->site = arena_take(arena, n, sizeof *g->site);
    g->near = arena_take(arena, n * (size_t)g->nears, sizeof *g->near);
    g->key = arena_take(arena, (size_t)g->nears, sizeof *g->key);
    g->cell_begin = arena_take(arena, n + 1, sizeof *g->cell_begin);
    g->cell_items = arena_take(arena, n, sizeof *g->cell_items);
}

static int costs_are_symmetric(const ucpo_instance_data *d)
{
    size_t n = (size_t)d->n;
    for (size_t i = 0; d->cost && i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            if (d->cost[i * n + j] != d->cost[j * n + i]) return 0;
    return 1;
}

double ground_leg_computed(const struct ground *g, int32_t i, int32_t j)
{
    const ucpo_instance_data *d = &g->inst->data;
    double service = g->is_tour && d->service && i > 0 ? d->service[i] : 0.0;
    return service +
           (instance_has_times(d) ? ucpo_instance_duration(g->inst, i, j) : ground_cost(g, i, j));
}

static void fill_sites(struct ground *g)
{
    const ucpo_instance_data *d = &g->inst->data;
    double slack = SLACK_SHARE * (d->due ? d->tolerance : g->inst->load_tolerance);
    for (int32_t i = 0; i < g->n; i++) {
        double due = d->due ? d->due[i] : d->limit ? d->limit[i] : HUGE_VAL;
        g->site[i] =
            (struct site){.ready = d->due ? d->ready[i] : 0.0,
                          .due = due + slack,
                          .service = !g->is_tour && d->service && i > 0 ? d->service[i] : 0.0,
                          .demand = d->demand && i > 0 ? d->demand[i] : 0.0};
        if (legs_are_loads(g)) g->table[OWN_LEG][i] = g->site[i].demand;
    }
    if (!d->due) g->site[0].due = HUGE_VAL; /* all tours bring the same load home */
}

static void fill_row(struct ground *g, int32_t i)
{
    size_t row = (size_t)i * (size_t)g->n;
    int has_legs = has_table(g, OWN_LEG);
    if (g->table[OWN_COST]) geometry_row(g->inst, i, g->table[OWN_COST] + row);
    if (!g->table[OWN_COST_INTO] && !has_legs) return;
    for (int32_t j = 0; j < g->n; j++) {
        size_t at = row + (size_t)j;
        if (g->table[OWN_COST_INTO])
            g->table[OWN_COST_INTO][at] = ucpo_instance_cost(g->inst, j, i);
        if (!has_legs) continue;
        g->table[OWN_LEG][at] = i == j ? 0.0 : ground_leg_computed(g, i, j);
        g->table[OWN_LEG_INTO][at] = i == j ? 0.0 : ground_leg_computed(g, j, i);
    }
}

/* 0: `stop` said so before it was done. */
static int fill_tables(struct ground *g, const struct stop *stop)
{
    const ucpo_instance_data *d = &g->inst->data;
    const int is_straight = geometry_is_straight(d);
    g->x = is_straight ? d->x : NULL;
    g->y = is_straight ? d->y : NULL;
    g->cost = has_matrix(d) ? d->cost : NULL; /* NULL: computed, until the table is there */
    for (int32_t i = 0; i < g->n && has_tables(g); i++) {
        if (stop_is_asked(stop)) return 0;
        fill_row(g, i);
    }
    if (g->table[OWN_COST]) g->cost = g->table[OWN_COST];
    g->cost_into = g->is_symmetric ? g->cost : g->table[OWN_COST_INTO];
    g->are_legs_costs = !legs_are_loads(g) && !legs_differ(g);
    g->leg = g->are_legs_costs ? g->cost : g->table[OWN_LEG];
    g->leg_into = g->are_legs_costs ? g->cost_into : g->table[OWN_LEG_INTO];
    g->leg_stride = legs_are_loads(g) ? 0 : (size_t)g->n;
    return 1;
}

/* From the cheapest legs of some places. */
static void find_scale(struct ground *g)
{
    int32_t rows = 0, by = g->n <= SCALE_ROWS ? 1 : g->n / SCALE_ROWS;
    double cost = 0.0, leg = 0.0;
    g->scale = 1.0;
    g->leg_floor = 0.0;
    if (g->n == 1 || (g->are_legs_costs && g->is_symmetric)) return;
    for (int32_t i = 0; i < g->n; i += by, rows++) {
        int32_t nearest = i > 0 ? 0 : 1;
        for (int32_t j = 0; j < g->n; j++)
            if (j != i && ground_cost(g, i, j) < ground_cost(g, i, nearest)) nearest = j;
        cost += ground_cost(g, i, nearest);
        leg += ground_leg(g, i, nearest);
    }
    if (cost > 0.0 && leg > 0.0) g->scale = cost / leg;
    if (!g->is_symmetric) g->leg_floor = cost / rows;
}

/* ---- neighbours ---- */

/* Some of the waiting and lateness that no order avoids, if j comes directly after i (after Vidal et al.,
 * 2013). */
static double mismatch(const struct ground *g, int32_t i, int32_t j, double leg)
{
    const struct site *a = &g->site[i], *b = &g->site[j];
    leg += a->service;
    double wait = more_of(b->ready - leg - a->due, 0.0);
    double late = more_of(a->ready + leg - b->due, 0.0);
    return g->scale * (WAIT_SHARE * wait + late);
}

/* What it takes to go from one to the other next, whichever comes first. */
static double distance(const struct ground *g, int32_t i, int32_t j)
{
    double there = ground_cost(g, i, j), back = g->is_symmetric ? there : ground_cost(g, j, i);
    if (!g->inst->data.due) return less_of(there, back);
    double leg = g->are_legs_costs ? there : ground_leg(g, i, j);
    double leg_back = g->are_legs_costs ? back : ground_leg(g, j, i);
    return less_of(there + mismatch(g, i, j, leg), back + mismatch(g, j, i, leg_back));
}

/* The row of node i, the nearest first, of those who were offered. */
struct row {
    struct ground *g;
    int32_t i, filled, seen;
    int32_t *near;
    double *key;
};

/* By insertion: rows are short. */
static void offer(struct row *r, int32_t j)
{
    if (j == r->i) return;
    double key = distance(r->g, r->i, j);
    r->seen++;
    int32_t at = r->filled;
    if (at == r->g->nears) {
        if (!(key < r->key[at - 1])) return;
        at--;
    } else {
        r->filled++;
    }
    for (; at > 0 && r->key[at - 1] > key; at--) {
        r->key[at] = r->key[at - 1];
        r->near[at] = r->near[at - 1];
    }
    r->key[at] = key;
    r->near[at] = j;
}

/* ---- many nodes with coordinates: only those around, from a grid ---- */

struct grid {
    double x, y, side; /* corner, width of a cell */
    int32_t columns, rows;
    int32_t *begin; /* columns x rows + 1 */
    int32_t *items; /* customers by cell */
};

static int32_t cell_along(double at, double from, double side, int32_t cells)
{
    double k = (at - from) / side;
    return k <= 0.0 ? 0 : k < cells ? (int32_t)k : cells - 1;
}

static int32_t cell_of(const struct grid *g, const ucpo_instance_data *d, int32_t i)
{
    return cell_along(d->y[i], g->y, g->side, g->rows) * g->columns +
           cell_along(d->x[i], g->x, g->side, g->columns);
}

static void count_cells(struct grid *g, const ucpo_instance_data *d)
{
    int32_t cells = g->columns * g->rows;
    memset(g->begin, 0, ((size_t)cells + 1) * sizeof *g->begin);
    for (int32_t i = 1; i < d->n; i++) g->begin[cell_of(g, d, i) + 1]++;
    for (int32_t c = 0; c < cells; c++) g->begin[c + 1] += g->begin[c];
    for (int32_t i = d->n - 1; i > 0; i--) /* ends move to begins */
        g->items[--g->begin[cell_of(g, d, i) + 1]] = i;
    for (int32_t c = 0; c < cells; c++) g->begin[c] = g->begin[c + 1];
    g->begin[cells] = d->n - 1;
}

/* Cells as square as they can be, some PER_CELL customers in each, never more than n / 2 cells. */
static struct grid grid_of(const struct ground *ground)
{
    const ucpo_instance_data *d = &ground->inst->data;
    struct grid g = {.x = d->x[1], .y = d->y[1]};
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
    g.begin = ground->cell_begin;
    g.items = ground->cell_items;
    assert(g.columns * g.rows <= d->n);
    count_cells(&g, d);
    return g;
}

static void offer_cell(struct row *r, const struct grid *g, int32_t column, int32_t row)
{
    if (column < 0 || row < 0 || column >= g->columns || row >= g->rows) return;
    int32_t c = row * g->columns + column;
    for (int32_t k = g->begin[c]; k < g->begin[c + 1]; k++) offer(r, g->items[k]);
}

/* Rings of cells around i until there are several times as many as asked for. */
static void offer_around(struct row *r, const struct grid *g)
{
    int32_t n = r->g->n, at = cell_of(g, &r->g->inst->data, r->i);
    int32_t column = at % g->columns, row = at / g->columns;
    int32_t enough = 4 * r->g->nears < n - 2 ? 4 * r->g->nears : n - 2;
    for (int32_t away = 0; r->seen < enough; away++) {
        for (int32_t x = column - away; x <= column + away; x++) {
            offer_cell(r, g, x, row - away);
            if (away > 0) offer_cell(r, g, x, row + away);
        }
        for (int32_t y = row - away + 1; y < row + away; y++) {
            offer_cell(r, g, column - away, y);
            offer_cell(r, g, column + away, y);
        }
    }
}

/* 0: `stop` said so before it was done. */
static int fill_near(struct ground *g, const struct stop *stop)
{
    const ucpo_instance_data *d = &g->inst->data;
    int has_grid = g->n > GRID_NODES && !g->cost && d->x && !instance_has_times(d) &&
                   d->metric != UCPO_METRIC_HAVERSINE;
    struct grid grid = has_grid ? grid_of(g) : (struct grid){0};
    for (int32_t i = !g->is_tour; g->nears > 0 && i < g->n; i++) {
        int32_t *near = &g->near[(size_t)i * (size_t)g->nears];
        struct row row = {.g = g, .i = i, .near = near, .key = g->key};
        if (stop_is_asked(stop)) return 0;
        if (g->is_tour) offer(&row, 0);
        if (has_grid)
            offer_around(&row, &grid);
        else
            for (int32_t j = 1; j < g->n; j++) offer(&row, j);
        assert(row.filled == g->nears);
    }
    return 1;
}

static int32_t count_near(const struct ground *g)
{
    int32_t all = g->is_tour ? g->n - 1 : g->n - 2;
    int32_t most = g->is_tour ? NEAR_IN_TOUR : NEAR_IN_FLEET;
    return all <= 0 ? 0 : all < most ? all : most;
}

/* ---- made ---- */

ucpo_status ground_bind(struct ground *g, const ucpo_instance *inst, const struct stop *stop,
                        ucpo_error *err)
{
    assert(inst->load == inst);
    struct arena need = {0};
    g->inst = inst;
    g->n = inst->data.n;
    g->is_tour = inst->ops->max_vehicles == 1;
    g->is_symmetric = costs_are_symmetric(&inst->data);
    g->is_metric = !inst->data.cost && !inst->data.duration;
    g->nears = count_near(g);
    lay_out(g, &need);
    ucpo_status st = arena_fit(&g->arena, &need, err);
    if (st) return st;
    lay_out(g, &g->arena);
    fill_sites(g);
    if (!fill_tables(g, stop)) return UCPO_E_CANCELLED;
    find_scale(g);
    return fill_near(g, stop) ? UCPO_OK : UCPO_E_CANCELLED;
}

ucpo_status ground_create(const ucpo_instance *inst, const struct stop *stop, struct ground **out,
                          ucpo_error *err)
{
    struct ground *g = mem_zeroed(1, sizeof *g);
    if (!g) return status_no_memory(err, sizeof *g);
    ucpo_status st = ground_bind(g, inst, stop, err);
    if (st) {
        ground_free(g);
        return st;
    }
    *out = g;
    return UCPO_OK;
}

void ground_free(struct ground *g)
{
    if (!g) return;
    arena_free(&g->arena);
    free(g);
}
