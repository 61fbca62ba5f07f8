/* Earliest and latest starts, fastest ways, without the triangle inequality.
 *
 * Whoever passes a customer serves it: it waits for the window and spends the service time. Both may
 * be left out of a lower bound. A route never passes the depot on the way. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "explain/explain.h"

int32_t fleet_of(const ucpo_instance *inst)
{
    return inst->ops->max_vehicles ? inst->ops->max_vehicles : inst->data.vehicles;
}

double bounds_service(const struct bounds *b, int32_t i)
{
    return b->data->service ? b->data->service[i] : 0.0;
}

double bounds_leg(const struct bounds *b, int32_t i, int32_t j)
{
    if (b->data->no_way > 0.0 && !ucpo_instance_has_way(b->inst, i, j)) return HUGE_VAL;
    return ucpo_instance_duration(b->inst, i, j);
}

/* A detour has a first and a last leg and serves someone. */
static double way_by_legs(const struct bounds *b, int32_t i, int32_t j)
{
    double detour = b->least_out[i] + b->least_service + b->least_in[j],
           straight = bounds_leg(b, i, j);
    return detour < straight ? detour : straight;
}

double bounds_way(const struct bounds *b, int32_t i, int32_t j)
{
    if (b->paths) return b->paths[(size_t)i * (size_t)b->n + (size_t)j];
    return b->is_metric ? bounds_leg(b, i, j) : way_by_legs(b, i, j);
}

int bounds_may_precede(const struct bounds *b, int32_t i, int32_t j)
{
    double start = b->earliest[i] + bounds_service(b, i) + bounds_way(b, i, j);
    return isfinite(start) && start <= b->latest[j];
}

double bounds_plain(const struct bounds *b, double latest)
{
    return latest - b->data->tolerance - b->margin;
}

struct ranked {
    double key;
    int32_t id;
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

size_t bounds_rank(int32_t n, const double *low, const double *high, size_t most, int32_t *out,
                   ucpo_explanation *report)
{
    struct ranked *all = explain_room(report, (size_t)n, sizeof *all);
    if (!all) return 0;
    for (int32_t i = 1; i < n; i++) all[i - 1] = (struct ranked){high[i] - (low ? low[i] : 0.0), i};
    size_t count = (size_t)n - 1;
    qsort(all, count, sizeof *all, compare_ranked);
    if (count > most) count = most;
    for (size_t k = 0; k < count; k++) out[k] = all[k].id;
    return count;
}

/* ---- legs ---- */

static void find_least_legs(struct bounds *b)
{
    b->least_service = HUGE_VAL;
    for (int32_t i = 0; i < b->n; i++) b->least_out[i] = b->least_in[i] = HUGE_VAL;
    for (int32_t i = 1; i < b->n; i++) {
        b->least_service = fmin(b->least_service, bounds_service(b, i));
        double least = HUGE_VAL;
        for (int32_t j = 1; j < b->n; j++) {
            if (i == j) continue;
            double length = bounds_leg(b, i, j);
            if (length < least) least = length;
            if (length < b->least_in[j]) b->least_in[j] = length;
        }
        b->least_out[i] = least;
    }
}

/* Floyd and Warshall over the customers; the service of those passed counts. */
static void find_paths(struct bounds *b)
{
    size_t n = (size_t)b->n;
    for (int32_t i = 0; i < b->n; i++)
        for (int32_t j = 0; j < b->n; j++)
            b->paths[(size_t)i * n + (size_t)j] = bounds_leg(b, i, j);
    for (size_t k = 1; k < n; k++) {
        const double *through = b->paths + k * n;
        for (size_t i = 1; i < n; i++) {
            if (i == k) continue;
            double *row = b->paths + i * n, first = row[k] + bounds_service(b, (int32_t)k);
            for (size_t j = 1; j < n; j++)
                if (j != k && first + through[j] < row[j]) row[j] = first + through[j];
        }
    }
}

/* ---- from the depot ---- */

static double later(double a, double b)
{
    return a > b ? a : b;
}

static int32_t nearest_open(const double *label, const uint8_t *closed, int32_t n)
{
    int32_t best = -1;
    for (int32_t i = 1; i < n; i++)
        if (!closed[i] && (best < 0 || label[i] < label[best])) best = i;
    return best;
}

/* Dijkstra in time: starting earlier never ends later. Who is late cannot be passed. */
static void reach_by_tree(struct bounds *b, uint8_t *closed)
{
    memset(closed, 0, (size_t)b->n);
    for (int32_t round = 1; round < b->n; round++) {
        int32_t i = nearest_open(b->earliest, closed, b->n);
        closed[i] = 1;
        if (b->earliest[i] > b->latest[i]) continue;
        double leave = b->earliest[i] + bounds_service(b, i);
        for (int32_t j = 1; j < b->n; j++) {
            if (closed[j]) continue;
            double start = later(leave + bounds_leg(b, i, j), b->data->ready[j]);
            if (start < b->earliest[j]) b->earliest[j] = start;
        }
    }
}

static void home_by_tree(struct bounds *b, uint8_t *closed)
{
    memset(closed, 0, (size_t)b->n);
    for (int32_t round = 1; round < b->n; round++) {
        int32_t j = nearest_open(b->home, closed, b->n);
        double rest = b->home[j] + bounds_service(b, j);
        closed[j] = 1;
        for (int32_t i = 1; i < b->n; i++)
            if (!closed[i] && bounds_leg(b, i, j) + rest < b->home[i])
                b->home[i] = bounds_leg(b, i, j) + rest;
    }
}

static void reach_by_legs(struct bounds *b)
{
    double out = HUGE_VAL, in = HUGE_VAL, opening = b->data->ready[0];
    for (int32_t i = 1; i < b->n; i++) {
        out = fmin(out, bounds_leg(b, 0, i));
        in = fmin(in, bounds_leg(b, i, 0));
    }
    for (int32_t i = 1; i < b->n; i++) {
        double detour = opening + out + b->least_service + b->least_in[i];
        b->earliest[i] = later(fmin(b->earliest[i], detour), b->data->ready[i]);
        b->home[i] = fmin(b->home[i], b->least_out[i] + b->least_service + in);
    }
}

static void start_straight(struct bounds *b)
{
    const ucpo_instance_data *d = b->data;
    double scale = 0.0;
    for (int32_t i = 0; i < b->n; i++) {
        scale = later(scale, fabs(d->ready[i]));
        if (isfinite(d->due[i])) scale = later(scale, fabs(d->due[i]));
    }
    b->margin = 32.0 * (b->n + 4.0) * DBL_EPSILON * scale;
    b->earliest[0] = d->ready[0];
    b->home[0] = 0.0;
    for (int32_t i = 0; i < b->n; i++) {
        b->latest[i] = d->due[i] + d->tolerance + b->margin;
        if (i == 0) continue;
        b->earliest[i] = later(d->ready[0] + bounds_leg(b, 0, i), d->ready[i]);
        b->home[i] = bounds_leg(b, i, 0);
    }
}

static int is_metric(const ucpo_instance_data *d)
{
    return !d->cost && !instance_has_times(d) && d->rounding == UCPO_ROUND_NONE &&
           d->metric <= UCPO_METRIC_MAXIMUM;
}

void bounds_find(struct bounds *b, ucpo_explanation *report)
{
    size_t n = (size_t)b->n;
    double **const array[] = {&b->earliest, &b->latest,    &b->first_earliest, &b->first_latest,
                              &b->home,     &b->least_out, &b->least_in};
    b->is_metric = is_metric(b->data);
    int with_paths = !b->is_metric && b->n <= EXPLAIN_PATHS_UP_TO;
    for (size_t k = 0; k < sizeof array / sizeof array[0]; k++)
        *array[k] = explain_room(report, n, sizeof(double));
    if (with_paths) b->paths = explain_room(report, n * n, sizeof(double));
    uint8_t *closed = explain_room(report, n, 1);
    if (report->status) return;
    start_straight(b);
    if (!b->is_metric || b->n <= EXPLAIN_TREES_UP_TO)
        find_least_legs(b); /* else 0 is as good, and free */
    if (with_paths) find_paths(b);
    if (!b->is_metric && b->n <= EXPLAIN_TREES_UP_TO) {
        reach_by_tree(b, closed);
        home_by_tree(b, closed);
    } else if (!b->is_metric) {
        reach_by_legs(b);
    }
    for (int32_t i = 1; i < b->n; i++)
        if (isfinite(b->latest[0]))
            b->latest[i] = fmin(b->latest[i], b->latest[0] - bounds_service(b, i) - b->home[i]);
    memcpy(b->first_earliest, b->earliest, n * sizeof(double));
    memcpy(b->first_latest, b->latest, n * sizeof(double));
}
