/* The instance container: copies, validates, derives. */
#include "core/hash.h"
#include "problem/problem.h"

#include "core/sized.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A matrix of this many nodes is 32 GiB: a larger n is a damaged file, not an instance. */
#define MAX_NODES 65536

void ucpo_instance_data_init(ucpo_instance_data *data, size_t size)
{
    ucpo_instance_data own = {
        .rounding = UCPO_ROUND_NONE, .tolerance = -1.0, .best_known = (double)NAN};
    sized_give(data, size, &own, sizeof own);
}

/* ---- memory ---- */

/* Where the arrays of numbers stand; the last two are matrices. */
#define ARRAY(name) offsetof(ucpo_instance_data, name)

static const size_t arrays[] = {ARRAY(x),       ARRAY(y),       ARRAY(ready), ARRAY(due),
                                ARRAY(service), ARRAY(demand),  ARRAY(limit), ARRAY(setup),
                                ARRAY(cost),    ARRAY(duration)};

enum { ARRAYS = sizeof arrays / sizeof arrays[0], VECTORS = ARRAYS - 2 };

static const double **array_of(const ucpo_instance_data *d, size_t k)
{
    return (const double **)(void *)((char *)(uintptr_t)d + arrays[k]);
}

/* Takes the arrays that `want` has (non-NULL) from the instance's arena; order is irrelevant. */
static void lay_out(struct ucpo_instance *inst, const ucpo_instance_data *want)
{
    size_t n = (size_t)want->n, square;
    if (size_mul_overflows(n, n, &square)) inst->arena.overflowed = 1;
    for (size_t k = 0; k < ARRAYS; k++)
        *array_of(&inst->data, k) =
            *array_of(want, k) ? arena_take(&inst->arena, k < VECTORS ? n : square, sizeof(double))
                               : NULL;
    inst->data.place = want->place ? arena_take(&inst->arena, n, sizeof *want->place) : NULL;
}

static ucpo_status allocate(const struct prob_ops *ops, const ucpo_instance_data *want,
                            struct ucpo_instance **out, ucpo_error *err)
{
    struct ucpo_instance *inst = mem_zeroed(1, sizeof *inst);
    if (!inst) return status_no_memory(err, sizeof *inst);
    inst->data = *want;
    inst->ops = ops;
    snprintf(inst->name, sizeof inst->name, "%s", want->name ? want->name : "");
    inst->data.name = inst->name;
    inst->data.problem = ops->info.name;
    if (want->file) inst->file = *want->file;
    inst->data.file = &inst->file;
    snprintf(inst->cost_unit, sizeof inst->cost_unit, "%s", want->cost_unit ? want->cost_unit : "");
    lay_out(inst, want);
    ucpo_status st = arena_reserve(&inst->arena, err);
    if (st) {
        free(inst);
        return st;
    }
    lay_out(inst, want);
    *out = inst;
    return UCPO_OK;
}

/* NOLINTNEXTLINE(misc-no-recursion): a mirror image has none of its own */
void ucpo_instance_free(ucpo_instance *inst)
{
    if (!inst || atomic_fetch_sub(&inst->others, 1) > 0) return;
    ucpo_instance_free(inst->mirror);
    arena_free(&inst->arena);
    free(inst->labels);
    free((ucpo_left_out *)inst->data.left_out);
    free(inst);
}

const ucpo_instance_data *ucpo_instance_view(const ucpo_instance *inst)
{
    return inst ? &inst->data : NULL;
}

/* ---- validation ---- */

/* Largest magnitudes. Sums of whole numbers up to these stay exact in double for any plan of a sane
 * size, and nothing overflows; larger values are sentinels or damage. Matrix entries may be larger:
 * "forbidden" arcs are often written that way. */
#define MOST_VALUE 1e12
#define MOST_ENTRY 1e15

static ucpo_status check_array(const char *field, const double *v, int32_t n, double low,
                               int may_be_infinite, ucpo_error *err)
{
    for (int32_t i = 0; v && i < n; i++) {
        int is_open = may_be_infinite && v[i] > 0 && isinf(v[i]);
        if (!is_open && !(fabs(v[i]) <= MOST_VALUE && v[i] >= low))
            return status_argument(err, "%s of node %d is %g, expected a number %s %g", field,
                                   (int)i, v[i], low == 0.0 ? "0 .." : "of magnitude at most",
                                   MOST_VALUE);
    }
    return UCPO_OK;
}

static ucpo_status check_matrix(const char *field, const double *m, int32_t n, ucpo_error *err)
{
    if (!m) return UCPO_OK;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) {
            double v = m[(size_t)i * (size_t)n + (size_t)j];
            if (i != j && !(v >= 0.0 && v <= MOST_ENTRY)) /* no ways are settled by now */
                return status_argument(
                    err, "%s from node %d to node %d is %g, expected a number 0 .. %g", field,
                    (int)i, (int)j, v, MOST_ENTRY);
        }
    }
    return UCPO_OK;
}

static ucpo_status check_presence(const struct prob_ops *ops, const ucpo_instance_data *d,
                                  ucpo_error *err)
{
    struct {
        const char *field;
        const void *array;
        unsigned needed_by;
    } rule[] = {
        {"ready", d->ready, PROB_WINDOWS},
        {"due", d->due, PROB_WINDOWS},
        {"demand", d->demand, PROB_DEMAND},
        {"limit", d->limit, PROB_LIMIT},
    };

    for (size_t k = 0; k < sizeof rule / sizeof rule[0]; k++) {
        int needed = (ops->needs & rule[k].needed_by) != 0;
        if (needed && !rule[k].array)
            return status_argument(err, "%s needs the array '%s'", ops->info.name, rule[k].field);
        if (!needed && rule[k].array)
            return status_argument(err, "%s does not use the array '%s'", ops->info.name,
                                   rule[k].field);
    }
    if (d->service && !(ops->needs & PROB_WINDOWS))
        return status_argument(err, "%s does not use the array 'service'", ops->info.name);
    if (d->setup && !(ops->needs & PROB_WINDOWS))
        return status_argument(err, "%s does not use the array 'setup'", ops->info.name);
    if (!d->x != !d->y) return status_argument(err, "x and y must be given together");
    if (!d->x && !d->cost)
        return status_argument(err, "neither coordinates nor a cost matrix given");
    return UCPO_OK;
}

static ucpo_status check_scalars(const struct prob_ops *ops, const ucpo_instance_data *d,
                                 ucpo_error *err)
{
    if (ops->needs & PROB_CAPACITY) {
        if (!(d->capacity > 0.0 && d->capacity <= MOST_VALUE))
            return status_argument(err, "capacity is %g, expected a number > 0 .. %g", d->capacity,
                                   MOST_VALUE);
    }
    if (d->vehicles < 0)
        return status_argument(err, "vehicles is %d, expected >= 0", (int)d->vehicles);
    if (!(ops->needs & PROB_FLEET) && d->vehicles > ops->max_vehicles)
        return status_argument(err, "vehicles is %d, but %s has no fleet limit", (int)d->vehicles,
                               ops->info.name);
    if ((ops->needs & PROB_FLEET) && d->vehicles == 0)
        return status_argument(err, "%s needs a fleet limit: vehicles is 0, expected >= 1",
                               ops->info.name);
    if (!isfinite(d->unit) || d->unit < 0.0)
        return status_argument(err, "unit is %g, expected a number >= 0", d->unit);
    if (isnan(d->tolerance) || isinf(d->tolerance))
        return status_argument(err, "tolerance is %g, expected a finite number", d->tolerance);
    if (!isfinite(d->file->service_in_cost) || d->file->service_in_cost < 0.0)
        return status_argument(err, "service_in_cost is %g, expected a number >= 0",
                               d->file->service_in_cost);
    if (d->file->depot < 0 || d->file->depot >= d->n)
        return status_argument(err, "file->depot is %d, expected 0 .. %d", (int)d->file->depot,
                               (int)d->n - 1);
    if (!(d->speed >= 0.0 && d->speed <= MOST_VALUE))
        return status_argument(err, "speed is %g, expected a number 0 .. %g", d->speed, MOST_VALUE);
    if (d->speed > 0.0 && d->duration)
        return status_argument(
            err, "both a speed (%g) and a duration matrix are given, expected one", d->speed);
    if (!(d->clock >= 0.0 && d->clock <= 86400.0))
        return status_argument(err, "clock is %g, expected seconds 0 .. 86400", d->clock);
    if (isinf(d->best_known)) return status_argument(err, "best_known is infinite");
    if ((unsigned)d->metric > UCPO_METRIC_HAVERSINE || (unsigned)d->rounding > UCPO_ROUND_EXACT ||
        (unsigned)d->draft > UCPO_DRAFT_UNLOAD)
        return status_argument(err, "metric %d, rounding %d or draft %d is not a known value",
                               (int)d->metric, (int)d->rounding, (int)d->draft);
    return UCPO_OK;
}

/* Degrees that are none are swapped columns or another system of coordinates. */
static ucpo_status check_degrees(const ucpo_instance_data *d, ucpo_error *err)
{
    if (d->metric != UCPO_METRIC_HAVERSINE || !d->x) return UCPO_OK;
    for (int32_t i = 0; i < d->n; i++) {
        if (fabs(d->x[i]) > 90.0)
            return status_argument(err, "latitude of node %d is %g, expected degrees -90 .. 90",
                                   (int)i, d->x[i]);
        if (fabs(d->y[i]) > 180.0)
            return status_argument(err, "longitude of node %d is %g, expected degrees -180 .. 180",
                                   (int)i, d->y[i]);
    }
    return UCPO_OK;
}

static ucpo_status check_values(const ucpo_instance_data *d, ucpo_error *err)
{
    struct {
        const char *field;
        const double *array;
        double low;
        int may_be_infinite;
    } rule[] = {
        {"x", d->x, -HUGE_VAL, 0},         {"y", d->y, -HUGE_VAL, 0},
        {"ready", d->ready, -HUGE_VAL, 0}, {"due", d->due, -HUGE_VAL, 1},
        {"service", d->service, 0.0, 0},   {"demand", d->demand, 0.0, 0},
        {"limit", d->limit, 0.0, 0},       {"setup", d->setup, 0.0, 0},
    };

    for (size_t k = 0; k < sizeof rule / sizeof rule[0]; k++) {
        ucpo_status st = check_array(rule[k].field, rule[k].array, d->n, rule[k].low,
                                     rule[k].may_be_infinite, err);
        if (st) return st;
    }
    ucpo_status st = check_degrees(d, err);
    if (!st) st = check_matrix("cost", d->cost, d->n, err);
    if (!st) st = check_matrix("duration", d->duration, d->n, err);
    if (st) return st;
    for (int32_t i = 0; d->ready && i < d->n; i++) {
        if (d->ready[i] > d->due[i])
            return status_argument(err, "window of node %d is [%g, %g], expected ready <= due",
                                   (int)i, d->ready[i], d->due[i]);
    }
    if (d->demand && d->demand[0] != 0.0)
        return status_argument(err, "demand of the depot is %g, expected 0", d->demand[0]);
    return UCPO_OK;
}

/* ---- derived values ---- */

/* Of the entries that are ways. */
static double largest_entry(const ucpo_instance_data *d, const double *m)
{
    double largest = 0.0, end = d->no_way > 0.0 ? d->no_way : HUGE_VAL;
    size_t n = (size_t)d->n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (i != j && m[i * n + j] < end) largest = fmax(largest, m[i * n + j]);
    return largest;
}

static double derived_unit(const ucpo_instance_data *d)
{
    double extent;
    if (d->x && !(d->cost && d->metric == UCPO_METRIC_HAVERSINE)) {
        extent = geometry_extent(d);
    } else {
        extent = largest_entry(d, d->cost) / sqrt(2.0);
    }
    return extent > 0.0 ? extent : 1.0;
}

/* Real-valued times: 1e-5 of the scale of lengths, or of travel times if those are given apart. */
static double derived_tolerance(const ucpo_instance_data *d, double unit)
{
    double scale = unit;
    if (d->duration) scale = fmin(scale, largest_entry(d, d->duration) / sqrt(2.0));
    if (d->speed > 0.0) scale = fmin(scale, scale / d->speed);
    return fmin(1e-5 * scale, 1e-3);
}

static int all_whole(const double *v, size_t count)
{
    for (size_t i = 0; v && i < count; i++)
        if (isfinite(v[i]) && v[i] != floor(v[i])) return 0;
    return 1;
}

/* The diagonal means nothing. */
static int is_whole_matrix(const double *m, size_t n)
{
    for (size_t i = 0; i < n * n; i++)
        if (i / n != i % n && m[i] != floor(m[i])) return 0;
    return 1;
}

/* Whole-numbered travel times: an integer matrix, or coordinates under an integer rounding. */
static int has_whole_times(const ucpo_instance_data *d)
{
    size_t n = (size_t)d->n;
    if (!all_whole(d->ready, n) || !all_whole(d->due, n) || !all_whole(d->service, n) ||
        !all_whole(d->setup, n))
        return 0;
    if (d->duration) return is_whole_matrix(d->duration, n);
    if (d->speed > 0.0) return 0;
    if (d->cost) return is_whole_matrix(d->cost, n);
    if (d->metric == UCPO_METRIC_GEO || d->metric == UCPO_METRIC_ATT) return 1;
    return d->rounding == UCPO_ROUND_NEAREST || d->rounding == UCPO_ROUND_UP ||
           d->rounding == UCPO_ROUND_DOWN || d->rounding == UCPO_ROUND_EXACT;
}

static int is_whole(const struct ucpo_instance *inst)
{
    return inst->data.ready ? has_whole_times(&inst->data) : inst->whole_loads;
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median does not follow a single customer that is far away, as the bounding box does. Of more
 * than SAMPLE customers every k-th is looked at. */
double ucpo_instance_tolerance_cap(const ucpo_instance *inst)
{
    enum { SAMPLE = 512 };

    double leg[SAMPLE];
    if (!inst) return 0.0;
    int32_t count = 0, step = (inst->data.n - 2) / SAMPLE + 1;
    for (int32_t i = 1; i < inst->data.n; i += step)
        leg[count++] = fmax(ucpo_instance_duration(inst, 0, i), ucpo_instance_duration(inst, i, 0));
    qsort(leg, (size_t)count, sizeof leg[0], compare_numbers);
    const ucpo_instance_data *d = &inst->data;
    double own = is_whole(inst) ? 1e-6 : derived_tolerance(d, derived_unit(d));
    return fmax(own, 1e-4 * leg[count / 2]);
}

/* Kilometres by the metric, unless whoever made the instance said what costs are. */
static void derive_cost_unit(struct ucpo_instance *inst)
{
    ucpo_instance_data *d = &inst->data;
    int is_km = d->metric == UCPO_METRIC_HAVERSINE || d->metric == UCPO_METRIC_GEO;
    int is_m = d->metric == UCPO_METRIC_HAVERSINE && d->rounding == UCPO_ROUND_EXACT;
    if (!inst->cost_unit[0] && !d->cost && is_km)
        snprintf(inst->cost_unit, sizeof inst->cost_unit, is_m ? "m" : "km");
    d->cost_unit = inst->cost_unit[0] ? inst->cost_unit : NULL;
}

static void derive(struct ucpo_instance *inst)
{
    ucpo_instance_data *d = &inst->data;
    size_t n = (size_t)d->n;
    if (d->rounding == UCPO_ROUND_DECLARED) d->rounding = UCPO_ROUND_NONE;
    derive_cost_unit(inst);
    int has_own_unit = d->unit <= 0.0;
    if (has_own_unit) d->unit = derived_unit(d);
    inst->whole_loads =
        all_whole(d->demand, n) && all_whole(d->limit, n) && d->capacity == floor(d->capacity);
    if (d->tolerance < 0.0) {
        d->tolerance = is_whole(inst) ? 1e-6 : derived_tolerance(d, d->unit);
        if (!has_own_unit) d->tolerance = fmin(d->tolerance, ucpo_instance_tolerance_cap(inst));
    }
    inst->total_demand = 0.0;
    for (int32_t i = 1; d->demand && i < d->n; i++) inst->total_demand += d->demand[i];
    double largest_load = fmax(d->capacity, inst->total_demand);
    inst->load_tolerance = inst->whole_loads ? 0.0 : fmin(1e-9 * largest_load, 1e-6);
    inst->horizon = 0.0;
    for (int32_t i = 1; d->due && d->ready && i < d->n; i++) {
        double due = isfinite(d->due[i]) ? d->due[i] : d->ready[i];
        double way = ucpo_instance_has_way(inst, i, 0) ? ucpo_instance_duration(inst, i, 0) : 0.0;
        double home =
            due + (d->service ? d->service[i] : 0.0) + (d->setup ? d->setup[i] : 0.0) + way;
        inst->horizon = fmax(inst->horizon, home);
    }
    if (d->ready && inst->horizon <= d->ready[0]) inst->horizon = d->ready[0] + d->unit;
}

/* ---- the mirror image ---- */

static void transpose(double *m, int32_t n)
{
    for (int32_t i = 0; m && i < n; i++) {
        for (int32_t j = i + 1; j < n; j++) {
            double *a = &m[(size_t)i * (size_t)n + (size_t)j];
            double *b = &m[(size_t)j * (size_t)n + (size_t)i];
            double swap = *a;
            *a = *b;
            *b = swap;
        }
    }
}

/* NOLINTNEXTLINE(misc-no-recursion): a mirror image has none of its own */
ucpo_status ucpo_instance_mirror(const ucpo_instance *inst, ucpo_instance **out, ucpo_error *err)
{
    if (!inst || !out) return status_argument(err, "inst and out must not be NULL");
    if (!(inst->ops->needs & PROB_LIMIT))
        return status_argument(err, "%s has no draft convention to mirror", inst->ops->info.name);
    size_t n = (size_t)inst->data.n, cells = n * n;
    ucpo_instance_data data = inst->data;
    double *cost = data.cost ? mem_copy(data.cost, cells, sizeof *cost) : NULL;
    double *duration = data.duration ? mem_copy(data.duration, cells, sizeof *duration) : NULL;
    ucpo_status st = UCPO_OK;
    if ((data.cost && !cost) || (data.duration && !duration))
        st = status_no_memory(err, cells * sizeof *cost);
    transpose(cost, data.n);
    transpose(duration, data.n);
    data.cost = cost;
    data.duration = duration;
    data.draft = inst->data.draft == UCPO_DRAFT_LOAD ? UCPO_DRAFT_UNLOAD : UCPO_DRAFT_LOAD;
    if (!st) st = ucpo_instance_create(&data, out, err);
    free(cost);
    free(duration);
    return st;
}

/* ---- construction ---- */

/* NOLINTNEXTLINE(misc-no-recursion): a mirror image has none of its own */
ucpo_status instance_finish(struct ucpo_instance *inst, ucpo_error *err)
{
    ucpo_status st = check_scalars(inst->ops, &inst->data, err);
    if (!st) st = check_values(&inst->data, err);
    if (st) return st;
    derive(inst);
    inst->load = inst;
    if (inst->data.setup) {
        st = setup_image(inst, &inst->mirror, err);
        if (!st) inst->load = inst->mirror;
        return st;
    }
    if (!inst->data.limit || inst->data.draft == UCPO_DRAFT_LOAD) return UCPO_OK;
    st = ucpo_instance_mirror(inst, &inst->mirror, err);
    inst->load = inst->mirror;
    return st;
}

static ucpo_status check_size(int32_t n, ucpo_error *err)
{
    if (n < 2 || n > MAX_NODES)
        return status_argument(err,
                               "n is %d, expected 2 .. %d (the depot and at least one customer)",
                               (int)n, MAX_NODES);
    return UCPO_OK;
}

ucpo_status instance_blank(const struct prob_ops *ops, int32_t n, struct ucpo_instance **out,
                           ucpo_error *err)
{
    ucpo_status st = check_size(n, err);
    if (st) return st;
    static const double present = 0.0; /* marks the arrays to lay out; never read */
    ucpo_instance_data want = ucpo_instance_data_default();
    want.n = n;
    want.x = want.y = &present;
    if (ops->needs & PROB_WINDOWS) want.ready = want.due = want.service = &present;
    if (ops->needs & PROB_DEMAND) want.demand = &present;
    if (ops->needs & PROB_LIMIT) want.limit = &present;
    return allocate(ops, &want, out, err);
}

struct instance_arrays instance_arrays(struct ucpo_instance *inst)
{
    const ucpo_instance_data *d = &inst->data;
    return (struct instance_arrays){(double *)d->x,    (double *)d->y,       (double *)d->ready,
                                    (double *)d->due,  (double *)d->service, (double *)d->demand,
                                    (double *)d->limit};
}

/* The diagonal means nothing; people put infinity or NaN there, which no file could carry. */
static void settle_diagonal(const double *matrix, size_t n)
{
    double *m = (double *)matrix;
    for (size_t i = 0; m && i < n; i++)
        if (!isfinite(m[i * n + i])) m[i * n + i] = 0.0;
}

/* Infinite entries become a number beyond any plan, in both matrices: sums with it stay exact enough
 * for searches, which then avoid it like any long way. */
static void settle_no_ways(ucpo_instance_data *d)
{
    size_t n = (size_t)d->n;
    double *cost = (double *)d->cost, *duration = (double *)d->duration;
    int is_any = 0;
    for (size_t k = 0; cost && k < n * n; k++)
        is_any |= k / n != k % n && (isinf(cost[k]) || (duration && isinf(duration[k])));
    if (!is_any) return;
    double longest = fmax(largest_entry(d, cost), duration ? largest_entry(d, duration) : 0.0);
    double beyond = fmax(2.0 * (double)(n + 1) * longest, 1.0);
    if (d->no_way <= 0.0) d->no_way = pow(10.0, ceil(log10(beyond)));
    for (size_t k = 0; k < n * n; k++) {
        if (k / n == k % n) continue;
        if (cost[k] < d->no_way && !(duration && duration[k] >= d->no_way)) continue;
        cost[k] = d->no_way;
        if (duration) duration[k] = d->no_way;
    }
}

/* NOLINTNEXTLINE(misc-no-recursion): a mirror image has none of its own */
ucpo_status ucpo_instance_create(const ucpo_instance_data *given, ucpo_instance **out,
                                 ucpo_error *err)
{
    ucpo_instance_data own = ucpo_instance_data_default();
    const ucpo_instance_data *data = &own;
    ucpo_status st = sized_take(&own, sizeof own, given, "ucpo_instance_data", err);
    if (st) return st;
    if (!data->problem || !out)
        return status_argument(err, "data, data->problem and out must not be NULL");
    const struct prob_ops *ops = prob_find(data->problem);
    if (!ops) {
        char names[128];
        return status_argument(err, "unknown problem '%s', expected one of: %s", data->problem,
                               prob_names(names, sizeof names));
    }
    st = check_size(data->n, err);
    if (!st) st = check_presence(ops, data, err);
    struct ucpo_instance *inst = NULL;
    if (!st) st = allocate(ops, data, &inst, err);
    if (st) return st;
    size_t n = (size_t)data->n;
    for (size_t k = 0; k < ARRAYS; k++)
        if (*array_of(data, k))
            memcpy((double *)*array_of(&inst->data, k), *array_of(data, k),
                   (k < VECTORS ? n : n * n) * sizeof(double));
    if (data->place) memcpy((int32_t *)inst->data.place, data->place, n * sizeof *data->place);
    settle_diagonal(inst->data.cost, n);
    settle_diagonal(inst->data.duration, n);
    settle_no_ways(&inst->data);
    st = reading_copy(inst, err);
    if (!st) st = label_copy(inst, err);
    if (!st) st = instance_finish(inst, err);
    if (st) {
        ucpo_instance_free(inst);
        return st;
    }
    *out = inst;
    return UCPO_OK;
}

/* ---- data sets ---- */

struct ucpo_dataset {
    ucpo_instance **item;
    size_t count, capacity;
};

ucpo_status ucpo_dataset_create(ucpo_dataset **out, ucpo_error *err)
{
    if (!out) return status_argument(err, "out must not be NULL");
    ucpo_dataset *set = mem_zeroed(1, sizeof *set);
    if (!set) return status_no_memory(err, sizeof *set);
    *out = set;
    return UCPO_OK;
}

void ucpo_dataset_free(ucpo_dataset *set)
{
    if (!set) return;
    for (size_t i = 0; i < set->count; i++) ucpo_instance_free(set->item[i]);
    free(set->item);
    free(set);
}

ucpo_status ucpo_dataset_add(ucpo_dataset *set, ucpo_instance *inst, ucpo_error *err)
{
    if (!set || !inst) return status_argument(err, "set and inst must not be NULL");
    return mem_append(&set->item, &set->count, &set->capacity, &inst, sizeof inst, err);
}

ucpo_status ucpo_dataset_share(ucpo_dataset *set, const ucpo_instance *inst, ucpo_error *err)
{
    if (!set || !inst) return status_argument(err, "set and inst must not be NULL");
    ucpo_instance *shared = (ucpo_instance *)inst;
    atomic_fetch_add(&shared->others, 1);
    ucpo_status st = ucpo_dataset_add(set, shared, err);
    if (st) ucpo_instance_free(shared);
    return st;
}

static uint64_t hash_numbers(uint64_t hash, const double *numbers, size_t count)
{
    unsigned char is_there = numbers != NULL;
    hash = hash_bytes(hash, &is_there, 1);
    return numbers ? hash_bytes(hash, numbers, count * sizeof *numbers) : hash;
}

uint64_t instance_hash(uint64_t hash, const ucpo_instance_data *d)
{
    size_t n = (size_t)d->n;
    const double scalars[] = {(double)d->n,      d->capacity,         (double)d->vehicles,
                              (double)d->metric, (double)d->rounding, (double)d->draft,
                              d->unit,           d->tolerance};
    const double *const column[] = {d->x, d->y, d->ready, d->due, d->service, d->demand, d->limit};
    const double rare[] = {d->speed, d->no_way}; /* 0 in most; then the hash is that of version 1 */
    hash = hash_numbers(hash, scalars, sizeof scalars / sizeof scalars[0]);
    if (d->speed > 0.0 || d->no_way > 0.0) hash = hash_numbers(hash, rare, 2);
    for (size_t k = 0; k < sizeof column / sizeof column[0]; k++)
        hash = hash_numbers(hash, column[k], n);
    hash = hash_numbers(hash, d->cost, n * n);
    hash = hash_numbers(hash, d->duration, n * n);
    if (d->setup) hash = hash_numbers(hash, d->setup, n);
    return d->place ? hash_bytes(hash, d->place, n * sizeof *d->place) : hash;
}

ucpo_status ucpo_dataset_slice(const ucpo_dataset *set, size_t first, size_t count,
                               ucpo_dataset **out, ucpo_error *err)
{
    if (!set || !out) return status_argument(err, "set and out must not be NULL");
    if (first > set->count || count > set->count - first)
        return status_argument(err, "instances %zu .. %zu of a set that has %zu are asked for",
                               first, first + count, set->count);
    ucpo_dataset *part = NULL;
    ucpo_status st = ucpo_dataset_create(&part, err);
    for (size_t i = first; !st && i < first + count; i++)
        st = ucpo_dataset_share(part, set->item[i], err);
    if (st)
        ucpo_dataset_free(part);
    else
        *out = part;
    return st;
}

size_t ucpo_dataset_count(const ucpo_dataset *set)
{
    return set ? set->count : 0;
}

const ucpo_instance *ucpo_dataset_at(const ucpo_dataset *set, size_t index)
{
    return set && index < set->count ? set->item[index] : NULL;
}
