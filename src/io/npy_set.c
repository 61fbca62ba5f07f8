/* Instances as one NumPy array: [instances, nodes, columns], or [nodes, columns] for one.
 *
 *   4 columns   tsptw   x, y, ready, due
 *               tspdl   x, y, demand, limit (draft measured while loading)
 *   8 columns   cvrptw  x, y, demand, ready, due, service, capacity, vehicles (the last two in the
 *                       depot's row; vehicles 0 = unlimited)
 *
 * Nothing in the file says which, nor the unit of length: both follow from the content. */
#include "io/io.h"
#include "problem/problem.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOUR_COLUMNS = 4, FLEET_COLUMNS = 8 };

enum fleet_column { FLEET_CAPACITY = 6, FLEET_VEHICLES = 7 };

/* The array seen as count x n x columns. */
struct table {
    struct io_npy array;
    size_t count, n, columns;
};

static double at(const struct table *t, size_t instance, size_t node, size_t column)
{
    size_t whole[4] = {instance, node, column, 0}, single[4] = {node, column, 0, 0};
    return io_npy_at(&t->array, t->array.rank == 3 ? whole : single);
}

/* ---- what the content says ---- */

static int instance_is_tspdl(const struct table *t, size_t i)
{
    for (size_t node = 0; node < t->n; node++) {
        double demand = at(t, i, node, 2), limit = at(t, i, node, 3);
        if (demand != (node == 0 ? 0.0 : 1.0)) return 0;
        if (!(limit >= 1.0 && limit <= (double)(t->n - 1)) || limit != floor(limit)) return 0;
    }
    return 1;
}

/* Unit demands and whole limits in every instance. No set of time windows looks like this: its
 * windows would open at 1 and close before anybody can be there. */
static int is_tspdl(const struct table *t)
{
    for (size_t i = 0; i < t->count; i++)
        if (!instance_is_tspdl(t, i)) return 0;
    return 1;
}

/* The depot of a tspdl takes the whole load, so its limit is the sum of the demands; that the latest
 * return of a tsptw is the sum of the ready times would be chance. */
static int instance_is_open(const struct table *t, size_t i)
{
    double sum = 0.0;
    for (size_t node = 0; node < t->n; node++) sum += at(t, i, node, 2);
    for (size_t node = 0; node < t->n; node++) {
        double low = at(t, i, node, 2), high = at(t, i, node, 3);
        if (node == 0 && (low != 0.0 || high != sum)) return 0;
        if (!(low >= 0.0 && low <= high && high <= sum)) return 0;
        if (low != floor(low) || high != floor(high)) return 0;
    }
    return 1;
}

/* Whole numbers that can be windows as well as demands and limits, in every instance. */
static int is_open(const struct table *t)
{
    for (size_t i = 0; i < t->count; i++)
        if (!instance_is_open(t, i)) return 0;
    return 1;
}

/* 100 or 1 if the coordinates fill the square of the published sets, else 0 (derived). */
static double unit_of(const struct table *t)
{
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (size_t i = 0; i < t->count; i++) {
        for (size_t node = 0; node < t->n; node++) {
            double x = at(t, i, node, 0), y = at(t, i, node, 1);
            low = fmin(low, fmin(x, y));
            high = fmax(high, fmax(x, y));
        }
    }
    if (low >= 0.0 && high <= 1.0) return 1.0;
    return low >= 0.0 && high <= 100.0 && high > 1.5 ? 100.0 : 0.0;
}

/* ---- reading ---- */

static ucpo_status parse_table(const struct io_source *source, struct table *t, ucpo_error *err)
{
    ucpo_status st = io_npy_parse(source->bytes, source->size, source->label, &t->array, err);
    if (st) return st;
    int rank = t->array.rank;
    const size_t *shape = t->array.shape;
    size_t columns = rank >= 2 ? shape[rank - 1] : 0;
    if ((rank != 2 && rank != 3) || (columns != TOUR_COLUMNS && columns != FLEET_COLUMNS)) {
        char text[128] = "";
        for (int k = 0; k < rank; k++) {
            size_t used = strlen(text);
            snprintf(text + used, sizeof text - used, "%s%zu", k ? ", " : "", shape[k]);
        }
        return status_fail_at(err, UCPO_E_FORMAT, source->label, 0,
                              "NPY shape is (%s), expected (instances, nodes, 4), "
                              "(instances, nodes, 8), or one instance without the first axis",
                              text);
    }
    t->count = rank == 3 ? shape[0] : 1;
    t->n = shape[rank - 2];
    t->columns = columns;
    if (t->count > 0 && (t->n < 2 || t->n > 65536))
        return status_fail_at(err, UCPO_E_FORMAT, source->label, 0,
                              "NPY array has %zu nodes per instance, expected 2 .. 65536", t->n);
    return UCPO_OK;
}

/* Capacity and vehicles from the depot's row; the other rows hold 0 or repeat them. */
static ucpo_status read_fleet(const struct io_source *source, const struct table *t, size_t i,
                              ucpo_instance_data *data, ucpo_error *err)
{
    for (size_t column = FLEET_CAPACITY; column <= FLEET_VEHICLES; column++) {
        double stated = at(t, i, 0, column);
        for (size_t node = 1; node < t->n; node++) {
            double v = at(t, i, node, column);
            if (v != 0.0 && v != stated)
                return status_fail_at(err, UCPO_E_FORMAT, source->label, 0,
                                      "instance %zu: column %zu of node %zu is %g, expected 0 "
                                      "(%s stands in the depot's row)",
                                      i, column, node, v,
                                      column == FLEET_CAPACITY ? "capacity" : "vehicles");
        }
    }
    double vehicles = at(t, i, 0, FLEET_VEHICLES);
    if (!(vehicles >= 0.0 && vehicles <= INT32_MAX) || vehicles != floor(vehicles))
        return status_fail_at(err, UCPO_E_FORMAT, source->label, 0,
                              "instance %zu: vehicles is %g, expected a whole number >= 0", i,
                              vehicles);
    data->capacity = at(t, i, 0, FLEET_CAPACITY);
    data->vehicles = (int32_t)vehicles;
    return UCPO_OK;
}

/* Points the arrays that `problem` uses at the columns of `block` (column after column). */
static ucpo_instance_data view_columns(const char *problem, const double *block, size_t n)
{
    ucpo_instance_data data = ucpo_instance_data_default();
    data.problem = problem;
    data.n = (int32_t)n;
    data.x = block;
    data.y = block + n;
    if (strcmp(problem, "tsptw") == 0) {
        data.ready = block + 2 * n;
        data.due = block + 3 * n;
    } else {
        data.demand = block + 2 * n;
    }
    if (strcmp(problem, "tspdl") == 0) data.limit = block + 3 * n;
    if (strcmp(problem, "cvrptw") == 0) {
        data.ready = block + 3 * n;
        data.due = block + 4 * n;
        data.service = block + 5 * n;
    }
    data.draft = UCPO_DRAFT_LOAD;
    return data;
}

static ucpo_status read_one(const struct io_source *source, const struct table *t, size_t i,
                            const char *problem, double unit, double *block, ucpo_dataset *set,
                            ucpo_error *err)
{
    for (size_t column = 0; column < t->columns; column++)
        for (size_t node = 0; node < t->n; node++)
            block[column * t->n + node] = at(t, i, node, column);
    ucpo_instance_data data = view_columns(problem, block, t->n);
    data.unit = unit;
    ucpo_status st = t->columns == FLEET_COLUMNS ? read_fleet(source, t, i, &data, err) : UCPO_OK;
    if (st) return st;
    ucpo_error inner = {0};
    st = io_add_instance(source, 0, &data, set, &inner);
    if (st) status_fail_at(err, st, source->label, 0, "instance %zu: %s", i, inner.text);
    return st;
}

/* The problem four columns are for, unless the caller named it. */
static ucpo_status guess_problem(const struct io_source *source, const struct table *t,
                                 const char **problem, ucpo_error *err)
{
    int certain = is_tspdl(t);
    if (!certain && is_open(t))
        return status_fail_at(err, UCPO_E_FORMAT, source->label, 0,
                              "columns 2 and 3 can be time windows (tsptw) or demands and draft "
                              "limits (tspdl): name one with --problem");
    *problem = certain ? "tspdl" : "tsptw";
    hooks_log(&source->options->hooks, UCPO_LOG_INFO,
              "%s: read as %s, by the content of columns 2 and 3; --problem overrides",
              source->label, *problem);
    return UCPO_OK;
}

static ucpo_status read_npy(const struct io_source *source, ucpo_dataset *set, ucpo_error *err)
{
    struct table t = {0};
    ucpo_status st = parse_table(source, &t, err);
    if (st || t.count == 0) return st;
    const char *asked = source->options->problem;
    const char *problem = "cvrptw";
    if (t.columns == TOUR_COLUMNS && asked && strcmp(asked, "tspdl") == 0)
        problem = "tspdl";
    else if (t.columns == TOUR_COLUMNS && asked)
        problem = "tsptw"; /* a fleet problem is refused when the instance is added */
    else if (t.columns == TOUR_COLUMNS)
        st = guess_problem(source, &t, &problem, err);
    if (st) return st;
    double unit = unit_of(&t);
    double *block = mem_zeroed(t.n, t.columns * sizeof *block);
    if (!block) return status_no_memory(err, t.n * t.columns * sizeof *block);
    for (size_t i = 0; !st && i < t.count; i++) {
        st = read_one(source, &t, i, problem, unit, block, set, err);
        if (!st && hooks_progress(&source->options->hooks, i + 1, t.count))
            st = status_fail(err, UCPO_E_CANCELLED, "reading was stopped");
    }
    free(block);
    return st;
}

static int detect(const char *bytes, size_t size)
{
    return size >= 6 && memcmp(bytes, "\x93NUMPY", 6) == 0;
}

/* ---- writing ---- */

static double value_of(const ucpo_instance_data *d, size_t columns, int32_t node, size_t column)
{
    switch (column) {
    case 0: return d->x[node];
    case 1: return d->y[node];
    case 2: return d->demand ? d->demand[node] : d->ready[node];
    case 3:
        return columns == FLEET_COLUMNS ? d->ready[node] : d->limit ? d->limit[node] : d->due[node];
    case 4: return d->due[node];
    case 5: return d->service ? d->service[node] : 0.0;
    case FLEET_CAPACITY: return node == 0 ? d->capacity : 0.0;
    default: return node == 0 ? d->vehicles : 0.0;
    }
}

static int has_service(const ucpo_instance_data *d)
{
    for (int32_t i = 0; d->service && i < d->n; i++)
        if (d->service[i] != 0.0) return 1;
    return 0;
}

static ucpo_status refuse(ucpo_error *err, size_t i, const char *why)
{
    return status_fail(err, UCPO_E_UNSUPPORTED, "instance %zu %s: npy cannot hold it (use json)", i,
                       why);
}

/* What would change the meaning if it were left out. */
static ucpo_status check_one(const ucpo_dataset *set, size_t i, ucpo_error *err)
{
    const ucpo_instance *inst = ucpo_dataset_at(set, i), *first = ucpo_dataset_at(set, 0);
    const ucpo_instance_data *d = ucpo_instance_view(inst);
    if (inst->ops->needs != first->ops->needs &&
        !(inst->ops->needs & first->ops->needs & PROB_CAPACITY))
        return refuse(err, i, "is of another problem than the first");
    if (d->n != ucpo_instance_view(first)->n)
        return refuse(err, i, "has another number of nodes than the first");
    if (!d->x) return refuse(err, i, "has no coordinates");
    if (d->cost || d->duration) return refuse(err, i, "has a matrix of its own");
    if (d->speed > 0.0) return refuse(err, i, "has a speed of its own");
    if (d->metric != UCPO_METRIC_EUCLID || d->rounding != UCPO_ROUND_NONE)
        return refuse(err, i, "does not use plain Euclidean lengths");
    if (!(inst->ops->needs & PROB_DEMAND) && has_service(d))
        return refuse(err, i, "has service times");
    return UCPO_OK;
}

static ucpo_status check_set(const ucpo_dataset *set, ucpo_error *err)
{
    for (size_t i = 0; i < ucpo_dataset_count(set); i++) {
        ucpo_status st = check_one(set, i, err);
        if (st) return st;
    }
    return UCPO_OK;
}

/* What is lost without changing feasibility or cost: each kind is said once. */
static ucpo_status report_losses(const ucpo_dataset *set, const ucpo_write_options *options,
                                 ucpo_error *err)
{
    size_t count = ucpo_dataset_count(set), named = 0, best = 0, service = 0, unload = 0, moved = 0;
    for (size_t i = 0; i < count; i++) {
        const ucpo_instance_data *d = ucpo_instance_view(ucpo_dataset_at(set, i));
        named += d->name[0] != '\0';
        best += !isnan(d->best_known);
        service += d->service_in_cost > 0.0;
        moved += d->file_depot != 0;
        unload += d->limit && d->draft == UCPO_DRAFT_UNLOAD;
    }
    ucpo_status st = UCPO_OK;
    if (named > 0)
        st = io_cannot_carry(options, err, "npy does not carry names (%zu of %zu instances)", named,
                             count);
    if (!st && best > 0)
        st = io_cannot_carry(options, err, "npy does not carry best_known (%zu of %zu instances)",
                             best, count);
    if (!st && service > 0)
        st = io_cannot_carry(options, err,
                             "npy does not carry service_in_cost (%zu of %zu instances)", service,
                             count);
    if (!st && moved > 0)
        st = io_cannot_carry(options, err,
                             "npy does not carry the numbering of the source file, the depot comes "
                             "first (%zu of %zu instances)",
                             moved, count);
    /* lengths from coordinates are symmetric, so the mirror image has the same numbers */
    if (!st && unload > 0)
        st = io_cannot_carry(options, err,
                             "npy holds the loading convention: %zu of %zu instances are mirrored, "
                             "plans for them must be reversed",
                             unload, count);
    return st;
}

static int survives_float(double v)
{
    return isinf(v) || (fabs(v) <= (double)FLT_MAX && (double)(float)v == v);
}

static int set_survives_float(const ucpo_dataset *set, size_t columns)
{
    for (size_t i = 0; i < ucpo_dataset_count(set); i++) {
        const ucpo_instance_data *d = ucpo_instance_view(ucpo_dataset_at(set, i));
        for (int32_t node = 0; node < d->n; node++)
            for (size_t column = 0; column < columns; column++)
                if (!survives_float(value_of(d, columns, node, column))) return 0;
    }
    return 1;
}

static void put_little_endian(struct io_buffer *out, double value, int as_float)
{
    unsigned char raw[8];
    uint64_t bits;
    uint32_t half;
    float narrow = as_float ? (float)value : 0.0f;
    memcpy(&bits, &value, sizeof bits);
    memcpy(&half, &narrow, sizeof half);
    if (as_float) bits = half;
    for (int i = 0; i < 8; i++) raw[i] = (unsigned char)(bits >> (8 * i) & 255);
    io_put(out, raw, as_float ? 4 : 8);
}

/* Reads the bytes back as anybody would and says what they will mean there. */
static ucpo_status report_derived(const struct io_buffer *out, const ucpo_dataset *set,
                                  const ucpo_write_options *options, ucpo_error *err)
{
    const ucpo_instance *first = ucpo_dataset_at(set, 0);
    const char *problem = first->ops->info.name;
    ucpo_read_options how = ucpo_read_options_default();
    how.format = "npy";
    if (!(first->ops->needs & PROB_CAPACITY)) {
        struct io_source source = {out->bytes, out->size, "", &how};
        struct table t = {0};
        ucpo_status st = parse_table(&source, &t, err);
        if (st) return st;
        how.problem = problem;
        const char *guess = is_tspdl(&t) ? "tspdl" : "tsptw";
        if (!is_tspdl(&t) && is_open(&t))
            st = io_cannot_carry(options, err,
                                 "npy does not carry the problem: read it back with problem %s "
                                 "named, its numbers fit tsptw and tspdl",
                                 problem);
        else if (strcmp(guess, problem) != 0)
            st = io_cannot_carry(options, err,
                                 "npy does not carry the problem: read it back with problem %s "
                                 "named, it looks like %s",
                                 problem, guess);
        if (st) return st;
    }
    ucpo_dataset *back = NULL;
    ucpo_status st = ucpo_read_bytes(out->bytes, out->size, "npy", &how, &back, err);
    if (st) return st;
    size_t changed = 0, count = ucpo_dataset_count(set);
    for (size_t i = 0; i < count; i++) {
        const ucpo_instance_data *a = ucpo_instance_view(ucpo_dataset_at(set, i));
        const ucpo_instance_data *b = ucpo_instance_view(ucpo_dataset_at(back, i));
        changed += a->unit != b->unit || a->tolerance != b->tolerance;
    }
    ucpo_dataset_free(back);
    if (changed == 0) return UCPO_OK;
    return io_cannot_carry(options, err,
                           "npy does not carry unit and tolerance: they read back differently for "
                           "%zu of %zu instances",
                           changed, count);
}

static ucpo_status write_npy(struct io_buffer *out, const ucpo_dataset *set,
                             const ucpo_write_options *options, ucpo_error *err)
{
    if (options->scale > 0.0)
        return status_fail(err, UCPO_E_ARGUMENT,
                           "scale is %g, but format npy keeps every number exactly as it is",
                           options->scale);
    ucpo_status st = check_set(set, err);
    if (!st) st = report_losses(set, options, err);
    if (st) return st;
    const ucpo_instance *first = ucpo_dataset_at(set, 0);
    size_t columns = first->ops->needs & PROB_CAPACITY ? FLEET_COLUMNS : TOUR_COLUMNS;
    size_t count = ucpo_dataset_count(set);
    size_t shape[3] = {count, (size_t)first->data.n, columns};
    int as_float = set_survives_float(set, columns);
    io_npy_header(out, as_float ? "<f4" : "<f8", 3, shape);
    for (size_t i = 0; i < count; i++) {
        const ucpo_instance_data *d = ucpo_instance_view(ucpo_dataset_at(set, i));
        for (int32_t node = 0; node < d->n; node++)
            for (size_t column = 0; column < columns; column++)
                put_little_endian(out, value_of(d, columns, node, column), as_float);
    }
    st = io_buffer_status(out, err);
    return st ? st : report_derived(out, set, options, err);
}

const struct io_format io_format_npy = {"npy", 1, detect, read_npy, write_npy};
