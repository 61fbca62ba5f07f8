/* Instances as one NumPy array: [instances, nodes, columns], or [nodes, columns] for one.
 *
 * Which columns a problem has stands in its prob_ops (docs/formats.md lists them). Loads and limits are
 * those of the loading convention; capacity and vehicles (0: unlimited) stand in the depot's row. Nothing
 * in the file says which problem it is, nor the unit of length: both follow from the content. */
#include "core/text.h"
#include "io/io.h"
#include "problem/problem.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum column { X, Y, READY, DUE, SERVICE, DEMAND, LIMIT, CAPACITY, VEHICLES, COLUMN_KINDS };

static const char column_words[] = "x y ready due service demand limit capacity vehicles";

/* The arrays behind the columns before CAPACITY. */
#define ARRAY(name) offsetof(ucpo_instance_data, name)
static const size_t array_at[CAPACITY] = {ARRAY(x),       ARRAY(y),      ARRAY(ready), ARRAY(due),
                                          ARRAY(service), ARRAY(demand), ARRAY(limit)};

/* What the columns of a problem's sets are. */
struct layout {
    const struct prob_ops *ops;
    size_t count;
    enum column of[COLUMN_KINDS];
};

static struct layout layout_of(const struct prob_ops *ops)
{
    struct layout layout = {.ops = ops};
    const char *list = ops->columns ? ops->columns : "";
    char word[16];
    while (layout.count < COLUMN_KINDS && text_next(&list, word, sizeof word))
        layout.of[layout.count++] = (enum column)text_word_index(column_words, word);
    return layout;
}

/* The next problem, from `*at` on, whose sets have this many columns; 0: no more. A fleet limit does not
 * change the columns. */
static int next_layout(size_t columns, size_t *at, struct layout *out)
{
    for (; *at < prob_registry_count; ++*at) {
        if (prob_registry[*at]->needs & PROB_FLEET) continue;
        *out = layout_of(prob_registry[*at]);
        if (out->count != columns) continue;
        ++*at;
        return 1;
    }
    return 0;
}

static int has_column(const struct layout *layout, enum column column)
{
    for (size_t k = 0; k < layout->count; k++)
        if (layout->of[k] == column) return 1;
    return 0;
}

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

/* Unit demands and whole limits. No set of time windows looks like this: its windows would open at 1 and
 * close before anybody can be there. */
static int instance_has_drafts(const struct table *t, size_t i)
{
    for (size_t node = 0; node < t->n; node++) {
        double demand = at(t, i, node, 2), limit = at(t, i, node, 3);
        if (demand != (node == 0 ? 0.0 : 1.0)) return 0;
        if (!(limit >= 1.0 && limit <= (double)(t->n - 1)) || limit != floor(limit)) return 0;
    }
    return 1;
}

/* Whole numbers that can be windows as well as demands and limits. With draft limits the depot takes the whole load, so its limit is the sum of the demands; that the
 * latest return is the sum of the ready times would be chance. */
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

/* Loads in the last column but one, and a last one that only the depot's row uses: windows would close
 * before they open. */
static int instance_has_capacity(const struct table *t, size_t i)
{
    double most = 0.0;
    if (!(at(t, i, 0, t->columns - 1) > 0.0)) return 0;
    for (size_t node = 1; node < t->n; node++) {
        if (at(t, i, node, t->columns - 1) != 0.0) return 0;
        most = fmax(most, at(t, i, node, t->columns - 2));
    }
    return most > 0.0;
}

static int all(const struct table *t, int (*is_so)(const struct table *t, size_t i))
{
    for (size_t i = 0; i < t->count; i++)
        if (!is_so(t, i)) return 0;
    return 1;
}

/* Which of the problems with this many columns it can only be; if none says so, the one with windows. NULL:
 * windows and drafts both fit. */
static const struct prob_ops *guess(const struct table *t)
{
    struct layout layout;
    const struct prob_ops *otherwise = NULL;
    size_t found = 0;
    for (size_t k = 0; next_layout(t->columns, &k, &layout); found++) {
        unsigned needs = layout.ops->needs;
        if ((needs & PROB_LIMIT) && all(t, instance_has_drafts)) return layout.ops;
        if (!(needs & PROB_WINDOWS) && (needs & PROB_CAPACITY) && all(t, instance_has_capacity))
            return layout.ops;
        if (!otherwise || (needs & PROB_WINDOWS)) otherwise = layout.ops;
    }
    return found > 1 && all(t, instance_is_open) ? NULL : otherwise;
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
    struct layout layout;
    size_t first = 0;
    if ((rank != 2 && rank != 3) || columns == 0 || !next_layout(columns, &first, &layout)) {
        char text[128] = "", known[128] = "";
        for (int k = 0; k < rank; k++) text_append(text, sizeof text, ", ", "%zu", shape[k]);
        for (size_t count = 1; count <= COLUMN_KINDS; count++, first = 0)
            if (next_layout(count, &first, &layout))
                text_append(known, sizeof known, ", ", "(instances, nodes, %zu)", count);
        return status_format(err, source->label, 0,
                             "NPY shape is (%s), expected %s, or one instance without the first "
                             "axis",
                             text, known);
    }
    t->count = rank == 3 ? shape[0] : 1;
    t->n = shape[rank - 2];
    t->columns = columns;
    if (t->count > 0 && (t->n < 2 || t->n > IO_MAX_NODES))
        return status_format(err, source->label, 0,
                             "NPY array has %zu nodes per instance, expected 2 .. %d", t->n,
                             IO_MAX_NODES);
    return UCPO_OK;
}

/* Capacity and vehicles from the depot's row; the other rows hold 0 or repeat them. */
static ucpo_status read_fleet(const struct io_source *source, const struct table *t, size_t i,
                              const struct layout *layout, ucpo_instance_data *data,
                              ucpo_error *err)
{
    for (size_t column = 0; column < layout->count; column++) {
        if (layout->of[column] < CAPACITY) continue;
        int is_capacity = layout->of[column] == CAPACITY;
        double stated = at(t, i, 0, column);
        for (size_t node = 1; node < t->n; node++) {
            double v = at(t, i, node, column);
            if (v != 0.0 && v != stated)
                return status_format(err, source->label, 0,
                                     "instance %zu: column %zu of node %zu is %g, expected 0 "
                                     "(%s stands in the depot's row)",
                                     i, column, node, v, is_capacity ? "capacity" : "vehicles");
        }
        if (!is_capacity && (!(stated >= 0.0 && stated <= INT32_MAX) || stated != floor(stated)))
            return status_format(err, source->label, 0,
                                 "instance %zu: vehicles is %g, expected a whole number >= 0", i,
                                 stated);
        if (is_capacity)
            data->capacity = stated;
        else
            data->vehicles = (int32_t)stated;
    }
    return UCPO_OK;
}

/* Points the arrays of the layout at the columns of `block` (column after column). */
static ucpo_instance_data view_columns(const struct layout *layout, const double *block, size_t n)
{
    ucpo_instance_data data = ucpo_instance_data_default();
    data.problem = layout->ops->info.name;
    data.n = (int32_t)n;
    data.draft = UCPO_DRAFT_LOAD;
    for (size_t k = 0; k < layout->count; k++, block += n)
        if (layout->of[k] < CAPACITY)
            memcpy((char *)&data + array_at[layout->of[k]], &block, sizeof block);
    return data;
}

static ucpo_status read_one(const struct io_source *source, const struct table *t, size_t i,
                            const struct layout *layout, double unit, double *block,
                            ucpo_dataset *set, ucpo_error *err)
{
    for (size_t column = 0; column < t->columns; column++)
        for (size_t node = 0; node < t->n; node++)
            block[column * t->n + node] = at(t, i, node, column);
    ucpo_instance_data data = view_columns(layout, block, t->n);
    data.unit = unit;
    ucpo_status st = read_fleet(source, t, i, layout, &data, err);
    if (st) return st;
    ucpo_error inner = {0};
    st = io_add_instance(source, 0, &data, set, &inner);
    if (st) status_fail_at(err, st, source->label, 0, "instance %zu: %s", i, inner.text);
    return st;
}

/* The problem the columns are for: the one asked for, or what the content says. */
static ucpo_status choose_layout(const struct io_source *source, const struct table *t,
                                 struct layout *out, ucpo_error *err)
{
    const char *name = source->options->problem;
    const struct prob_ops *asked = name ? prob_find(name) : NULL;
    if (asked && (asked->needs & PROB_FLEET)) asked = prob_limited(asked, 0);
    struct layout other;
    size_t at = 0;
    next_layout(t->columns, &at, out); /* there is one: parse_table */
    while (asked && out->ops != asked && next_layout(t->columns, &at, &other))
        if (other.ops == asked) *out = other; /* else it is refused when an instance is added */
    if (asked || !next_layout(t->columns, &at, &other)) return UCPO_OK;
    const struct prob_ops *found = guess(t);
    if (!found)
        return status_format(err, source->label, 0,
                             "columns 2 and 3 can be time windows (%s) or demands and draft "
                             "limits (%s): name one with option 'problem'",
                             prob_name_with(PROB_TIMED_TOUR), prob_name_with(PROB_DRAFT_TOUR));
    *out = layout_of(found);
    io_note(source, "read as %s, by the content of columns 2 and 3; option 'problem' overrides",
            found->info.name);
    return UCPO_OK;
}

static ucpo_status read_npy(const struct io_source *source, ucpo_dataset *set, ucpo_error *err)
{
    struct table t = {0};
    struct layout layout;
    ucpo_status st = parse_table(source, &t, err);
    if (st || t.count == 0) return st;
    st = choose_layout(source, &t, &layout, err);
    if (st) return st;
    double unit = unit_of(&t);
    double *block = mem_zeroed(t.n, t.columns * sizeof *block);
    if (!block) return status_no_memory(err, t.n * t.columns * sizeof *block);
    for (size_t i = 0; !st && i < t.count; i++) {
        st = read_one(source, &t, i, &layout, unit, block, set, err);
        if (!st && hooks_progress(&source->options->hooks, i + 1, t.count))
            st = status_fail(err, UCPO_E_CANCELLED, "reading was stopped");
    }
    free(block);
    return st;
}

/* ---- writing ---- */

static double value_of(const ucpo_instance_data *d, enum column column, int32_t node)
{
    const double *array = NULL;
    if (column == CAPACITY) return node == 0 ? d->capacity : 0.0;
    if (column == VEHICLES) return node == 0 ? d->vehicles : 0.0;
    memcpy(&array, (const char *)d + array_at[column], sizeof array);
    return array ? array[node] : 0.0;
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
    struct layout layout = layout_of(inst->ops);
    if (layout.count == 0) return refuse(err, i, "is of a problem without columns");
    if ((inst->ops->needs ^ first->ops->needs) & PROB_KIND)
        return refuse(err, i, "is of another problem than the first");
    if (d->n != ucpo_instance_view(first)->n)
        return refuse(err, i, "has another number of nodes than the first");
    if (!d->x) return refuse(err, i, "has no coordinates");
    if (d->cost || d->duration) return refuse(err, i, "has a matrix of its own");
    if (d->speed > 0.0) return refuse(err, i, "has a speed of its own");
    if (d->metric != UCPO_METRIC_EUCLID || d->rounding != UCPO_ROUND_NONE)
        return refuse(err, i, "does not use plain Euclidean lengths");
    if (!has_column(&layout, SERVICE) && has_service(d)) return refuse(err, i, "has service times");
    return UCPO_OK;
}

/* What is lost without changing feasibility or cost: each kind is said once. */
static ucpo_status report_losses(const ucpo_dataset *set, const ucpo_write_config *options,
                                 ucpo_error *err)
{
    size_t count = ucpo_dataset_count(set);

    struct {
        size_t found;
        const char *before, *after;
    } loss[] = {
        {0, "does not carry names (", ")"},
        {0, "does not carry best_known (", ")"},
        {0, "does not carry service_in_cost (", ")"},
        {0, "does not carry the numbering of the source file, the depot comes first (", ")"},
        /* lengths from coordinates are symmetric, so the mirror image has the same numbers */
        {0, "holds the loading convention: ", " are mirrored, plans for them must be reversed"}};

    for (size_t i = 0; i < count; i++) {
        const ucpo_instance_data *d = ucpo_instance_view(ucpo_dataset_at(set, i));
        loss[0].found += d->name[0] != '\0';
        loss[1].found += !isnan(d->best_known);
        loss[2].found += d->file->service_in_cost > 0.0;
        loss[3].found += d->file->depot != 0;
        loss[4].found += d->limit && d->draft == UCPO_DRAFT_UNLOAD;
    }
    ucpo_status st = UCPO_OK;
    for (size_t k = 0; !st && k < sizeof loss / sizeof loss[0]; k++)
        if (loss[k].found > 0)
            st = io_cannot_carry(options, err, "npy %s%zu of %zu instances%s", loss[k].before,
                                 loss[k].found, count, loss[k].after);
    return st;
}

static int set_survives_float(const ucpo_dataset *set, const struct layout *layout)
{
    for (size_t i = 0; i < ucpo_dataset_count(set); i++) {
        const ucpo_instance_data *d = ucpo_instance_view(ucpo_dataset_at(set, i));
        for (int32_t node = 0; node < d->n; node++)
            for (size_t k = 0; k < layout->count; k++) {
                double v = value_of(d, layout->of[k], node);
                if (!isinf(v) && !(fabs(v) <= (double)FLT_MAX && (double)(float)v == v)) return 0;
            }
    }
    return 1;
}

static void put_number(struct io_buffer *out, double value, int as_float)
{
    uint64_t bits;
    uint32_t half;
    float narrow = as_float ? (float)value : 0.0f;
    memcpy(&bits, &value, sizeof bits);
    memcpy(&half, &narrow, sizeof half);
    io_put_little(out, as_float ? half : bits, as_float ? 4 : 8);
}

/* Reads the bytes back as anybody would and says what they will mean there. */
static ucpo_status report_derived(const struct io_buffer *out, const ucpo_dataset *set,
                                  const ucpo_write_config *options, ucpo_error *err)
{
    const ucpo_instance *first = ucpo_dataset_at(set, 0);
    const char *problem = first->ops->info.name;
    ucpo_read_config how = ucpo_read_config_default();
    how.format = "npy";
    struct io_source source = {out->bytes, out->size, "", &how, NULL};
    struct table t = {0};
    ucpo_status st = parse_table(&source, &t, err);
    if (st) return st;
    const struct prob_ops *found = guess(&t);
    if (!(first->ops->needs & PROB_FLEET)) how.problem = problem;
    if (!found)
        st = io_cannot_carry(options, err,
                             "npy does not carry the problem: read it back with problem %s "
                             "named, its numbers fit %s and %s",
                             problem, prob_name_with(PROB_TIMED_TOUR),
                             prob_name_with(PROB_DRAFT_TOUR));
    else if (!prob_is_same_kind(found->info.name, problem))
        st = io_cannot_carry(options, err,
                             "npy does not carry the problem: read it back with problem %s "
                             "named, it looks like %s",
                             problem, found->info.name);
    if (st) return st;
    ucpo_dataset *back = NULL;
    st = ucpo_read_bytes(out->bytes, out->size, "npy", &how, &back, err);
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
                             const ucpo_write_config *options, ucpo_error *err)
{
    if (options->scale > 0.0)
        return status_argument(
            err, "scale is %g, but format npy keeps every number exactly as it is", options->scale);
    size_t count = ucpo_dataset_count(set);
    ucpo_status st = UCPO_OK;
    for (size_t i = 0; !st && i < count; i++) st = check_one(set, i, err);
    if (!st) st = report_losses(set, options, err);
    if (st) return st;
    const ucpo_instance *first = ucpo_dataset_at(set, 0);
    struct layout layout = layout_of(first->ops);
    size_t shape[3] = {count, (size_t)first->data.n, layout.count};
    int as_float = set_survives_float(set, &layout);
    io_npy_header(out, as_float ? "<f4" : "<f8", 3, shape);
    for (size_t i = 0; i < count; i++) {
        const ucpo_instance_data *d = ucpo_instance_view(ucpo_dataset_at(set, i));
        for (int32_t node = 0; node < d->n; node++)
            for (size_t k = 0; k < layout.count; k++)
                put_number(out, value_of(d, layout.of[k], node), as_float);
    }
    st = io_buffer_status(out, err);
    return st ? st : report_derived(out, set, options, err);
}

const struct io_format io_format_npy = {"npy", 1, io_npy_detect, read_npy, write_npy, NULL};
