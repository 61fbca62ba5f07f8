/* JSON instances, "ucpo.instance/1", and sets of them, "ucpo.dataset/1": the lossless format. */
#include "io/json.h"

#include "core/text.h"
#include "io/clock.h"
#include "io/json_foreign.h"
#include "io/left_out.h"
#include "problem/problem.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* `used_by`: the bits of prob_ops.needs that give the key a meaning; 0: every problem.
 * `required_by`: the bits that make it required. */
struct key {
    const char *name;
    unsigned used_by, required_by;
};

static const struct key keys[] = {
    {"schema", 0, 0},
    {"problem", 0, 0},
    {"name", 0, 0},
    {"n", 0, 0},
    {"coordinates", 0, 0},
    {"metric", 0, 0},
    {"rounding", 0, 0},
    {"cost", 0, 0},
    {"duration", 0, 0},
    {"speed", 0, 0},
    {"ids", 0, 0},
    {"names", 0, 0},
    {"clock", PROB_WINDOWS, 0},
    {"date", PROB_WINDOWS, 0},
    {"time_windows", PROB_WINDOWS, PROB_WINDOWS},
    {"service", PROB_WINDOWS, 0},
    {"setup", PROB_WINDOWS, 0},
    {"places", PROB_WINDOWS, 0},
    {"demand", PROB_DEMAND, PROB_DEMAND},
    {"draft_limit", PROB_LIMIT, PROB_LIMIT},
    {"draft", PROB_LIMIT, PROB_LIMIT},
    {"capacity", PROB_CAPACITY, PROB_CAPACITY},
    {"vehicles", PROB_CAPACITY, PROB_FLEET},
    {"unit", 0, 0},
    {"tolerance", 0, 0},
    {"service_in_cost", 0, 0},
    {"best_known", 0, 0},
    {"file_depot", 0, 0},
    {"left_out", 0, 0},
    {"cost_unit", 0, 0},
};

enum { KEY_COUNT = sizeof keys / sizeof keys[0] };

/* One instance while it is read. */
struct reader {
    const struct io_source *source;
    char prefix[48]; /* "" or "instances[3].": where the object stands, for messages */
    const json_t *object;
    const struct prob_ops *ops;
    char n_from[16]; /* the key that said how many nodes there are */
    char name[128], cost_unit[16];
    struct mem_pool pool; /* holds the arrays */
    ucpo_file_notes file;
    ucpo_instance_data data;
};

/* ---- messages ---- */

static ucpo_status wrong(const struct reader *r, const char *key, const json_t *value,
                         const char *expected, ucpo_error *err)
{
    char path[160];
    snprintf(path, sizeof path, "%s%s", r->prefix, key);
    return json_wrong(r->source->label, path, value, expected, err);
}

static ucpo_status wrong_entry(const struct reader *r, const char *key, size_t i,
                               const json_t *value, const char *expected, ucpo_error *err)
{
    char path[80];
    snprintf(path, sizeof path, "%s[%zu]", key, i);
    return wrong(r, path, value, expected, err);
}

static ucpo_status wrong_cell(const struct reader *r, const char *key, size_t i, size_t j,
                              const json_t *value, const char *expected, ucpo_error *err)
{
    char path[80];
    snprintf(path, sizeof path, "%s[%zu][%zu]", key, i, j);
    return wrong(r, path, value, expected, err);
}

/* ---- arrays ---- */

/* The value of `key` in *out (NULL if the key is absent), checked to be an array of n. */
static ucpo_status get_array(const struct reader *r, const char *key, const json_t **out,
                             ucpo_error *err)
{
    const json_t *value = json_object_get(r->object, key);
    *out = NULL;
    if (!value) return UCPO_OK;
    if (!json_is_array(value) || json_array_size(value) != (size_t)r->data.n) {
        char expected[64];
        snprintf(expected, sizeof expected, "an array of %d (as many as %s says)", (int)r->data.n,
                 r->n_from);
        return wrong(r, key, value, expected, err);
    }
    *out = value;
    return UCPO_OK;
}

static ucpo_status take_vector(struct reader *r, const char *key, const double **out,
                               ucpo_error *err)
{
    const json_t *value;
    ucpo_status st = get_array(r, key, &value, err);
    if (st || !value) return st;
    double *v = mem_take(&r->pool, (size_t)r->data.n, sizeof *v, err);
    if (!v) return UCPO_E_MEMORY;
    for (size_t i = 0; i < (size_t)r->data.n; i++) {
        const json_t *entry = json_array_get(value, i);
        if (!json_is_number(entry)) return wrong_entry(r, key, i, entry, "a number", err);
        v[i] = json_number_value(entry);
    }
    *out = v;
    return UCPO_OK;
}

/* [[a, b], ...]; a null in second place means +infinity if `open_end`. */
static ucpo_status take_pairs(struct reader *r, const char *key, int open_end, const double **first,
                              const double **second, ucpo_error *err)
{
    const json_t *value;
    ucpo_status st = get_array(r, key, &value, err);
    if (st || !value) return st;
    double *a = mem_take(&r->pool, (size_t)r->data.n, sizeof *a, err);
    double *b = mem_take(&r->pool, (size_t)r->data.n, sizeof *b, err);
    if (!a || !b) return UCPO_E_MEMORY;
    for (size_t i = 0; i < (size_t)r->data.n; i++) {
        const json_t *pair = json_array_get(value, i);
        if (!json_is_array(pair) || json_array_size(pair) != 2)
            return wrong_entry(r, key, i, pair, "a pair of numbers", err);
        const json_t *low = json_array_get(pair, 0), *high = json_array_get(pair, 1);
        if (!json_is_number(low)) return wrong_cell(r, key, i, 0, low, "a number", err);
        if (!json_is_number(high) && !(open_end && json_is_null(high)))
            return wrong_cell(r, key, i, 1, high, open_end ? "a number or null" : "a number", err);
        a[i] = json_number_value(low);
        b[i] = json_is_null(high) ? (double)INFINITY : json_number_value(high);
    }
    *first = a;
    *second = b;
    return UCPO_OK;
}

static ucpo_status take_matrix(struct reader *r, const char *key, const double **out,
                               ucpo_error *err)
{
    const json_t *value;
    ucpo_status st = get_array(r, key, &value, err);
    if (st || !value) return st;
    double *m = NULL;
    char path[80];
    snprintf(path, sizeof path, "%s%s", r->prefix, key);
    st = json_matrix(r->source->label, path, value, (size_t)r->data.n, 1, &r->pool, &m, err);
    *out = m;
    return st;
}

/* ---- scalars ---- */

static ucpo_status take_number(const struct reader *r, const char *key, double low,
                               const char *expected, double *out, ucpo_error *err)
{
    const json_t *value = json_object_get(r->object, key);
    if (!value) return UCPO_OK;
    if (!json_is_number(value) || !(json_number_value(value) >= low))
        return wrong(r, key, value, expected, err);
    *out = json_number_value(value);
    return UCPO_OK;
}

static ucpo_status take_whole(const struct reader *r, const char *key, int32_t low, int32_t *out,
                              ucpo_error *err)
{
    const json_t *value = json_object_get(r->object, key);
    if (!value) return UCPO_OK;
    char expected[48];
    snprintf(expected, sizeof expected, "a whole number >= %d", (int)low);
    double v;
    if (!json_whole(value, low, INT32_MAX, &v)) return wrong(r, key, value, expected, err);
    *out = (int32_t)v;
    return UCPO_OK;
}

static ucpo_status take_choice(const struct reader *r, const char *key, const char *const *names,
                               size_t count, size_t *out, ucpo_error *err)
{
    const json_t *value = json_object_get(r->object, key);
    if (!value) return UCPO_OK;
    const char *text = json_string_value(value); /* NULL if it is no string */
    char expected[96] = "one of:";
    for (size_t i = 0; i < count; i++) {
        text_append(expected, sizeof expected, " ", "\"%s\"", names[i]);
        if (!text || strcmp(text, names[i]) != 0) continue;
        *out = i;
        return UCPO_OK;
    }
    return wrong(r, key, value, expected, err);
}

/* ---- one instance ---- */

static ucpo_status take_problem(struct reader *r, ucpo_error *err)
{
    const json_t *value = json_object_get(r->object, "problem");
    const char *name = json_string_value(value);
    if (!value) name = r->source->options->problem;
    char names[128], expected[160];
    snprintf(expected, sizeof expected, "one of: %s", prob_names(names, sizeof names));
    r->ops = name ? prob_find(name) : NULL;
    if (!r->ops) return wrong(r, "problem", value, expected, err);
    r->data.problem = r->ops->info.name;
    return UCPO_OK;
}

/* Unknown keys, keys without meaning for this problem, and required keys that are absent. */
static ucpo_status check_keys(const struct reader *r, ucpo_error *err)
{
    char names[600] = "";
    for (size_t k = 0; k < KEY_COUNT; k++)
        text_append(names, sizeof names, " ", "%s", keys[k].name);
    ucpo_status st = json_check_keys(r->source, r->prefix, "", r->object, names, err);
    if (st) return st;
    for (size_t k = 0; k < KEY_COUNT; k++) {
        int present = json_object_get(r->object, keys[k].name) != NULL;
        if (present && keys[k].used_by && !(r->ops->needs & keys[k].used_by)) {
            st = io_object_to(IO_UNSUPPORTED, r->source, 0, err, "%s%s has no meaning for %s",
                              r->prefix, keys[k].name, r->ops->info.name);
            if (st) return st;
        }
        int supplied =
            (strcmp(keys[k].name, "capacity") == 0 && r->source->options->capacity > 0) ||
            (strcmp(keys[k].name, "vehicles") == 0 && r->source->options->vehicles != 0);
        if (!present && !supplied && (r->ops->needs & keys[k].required_by))
            return status_format(err, r->source->label, 0, "%s%s is missing, %s needs it",
                                 r->prefix, keys[k].name, r->ops->info.name);
    }
    return UCPO_OK;
}

static int uses(const struct reader *r, const char *name)
{
    for (size_t k = 0; k < KEY_COUNT; k++)
        if (strcmp(keys[k].name, name) == 0)
            return !keys[k].used_by || (r->ops->needs & keys[k].used_by);
    return 0;
}

/* n as stated, or the length of the first array there is. */
static ucpo_status take_size(struct reader *r, ucpo_error *err)
{
    static const char *const arrays[] = {"coordinates", "cost", "time_windows", "demand"};
    if (!json_object_get(r->object, "coordinates") && !json_object_get(r->object, "cost"))
        return status_format(err, r->source->label, 0,
                             "%scoordinates and %scost are both missing, expected at least one",
                             r->prefix, r->prefix);
    snprintf(r->n_from, sizeof r->n_from, "n");
    const json_t *stated = json_object_get(r->object, "n");
    double n;
    if (stated && !json_whole(stated, 2, IO_MAX_NODES, &n))
        return wrong(r, "n", stated, "a whole number 2 .. 65536 (depot and customers)", err);
    if (stated) r->data.n = (int32_t)n;
    ucpo_status st = UCPO_OK;
    for (size_t k = 0; !st && r->data.n == 0 && k < sizeof arrays / sizeof arrays[0]; k++) {
        const json_t *value = json_object_get(r->object, arrays[k]);
        if (!value) continue;
        size_t count = json_array_size(value); /* 0 if it is no array */
        if (count < 2 || count > IO_MAX_NODES)
            return wrong(r, arrays[k], value, "an array of 2 .. 65536 (depot and customers)", err);
        r->data.n = (int32_t)count;
        snprintf(r->n_from, sizeof r->n_from, "%s", arrays[k]);
    }
    return st;
}

static ucpo_status take_service(struct reader *r, ucpo_error *err)
{
    const json_t *value = json_object_get(r->object, "service");
    double *v = mem_take(&r->pool, (size_t)r->data.n, sizeof *v, err);
    if (!v) return UCPO_E_MEMORY;
    if (!json_is_number(value)) {
        ucpo_status st = take_vector(r, "service", &r->data.service, err);
        if (st || !r->data.service || r->data.service[0] == 0.0) return st;
        io_warn(r->source, 0, "%sservice time %g of the depot is ignored", r->prefix,
                r->data.service[0]);
    }
    for (int32_t i = 1; i < r->data.n; i++)
        v[i] = r->data.service ? r->data.service[i] : json_number_value(value);
    r->data.service = v;
    return UCPO_OK;
}

/* Numbers of places, where setups are paid once in a row. */
static ucpo_status take_places(struct reader *r, ucpo_error *err)
{
    const json_t *value;
    ucpo_status st = get_array(r, "places", &value, err);
    if (st || !value) return st;
    int32_t *place = mem_take(&r->pool, (size_t)r->data.n, sizeof *place, err);
    if (!place) return UCPO_E_MEMORY;
    for (size_t i = 0; i < (size_t)r->data.n; i++) {
        double number;
        const json_t *entry = json_array_get(value, i);
        if (!json_whole(entry, INT32_MIN, INT32_MAX, &number))
            return wrong_entry(r, "places", i, entry, "a whole number", err);
        place[i] = (int32_t)number;
    }
    r->data.place = place;
    return UCPO_OK;
}

static ucpo_status take_arrays(struct reader *r, ucpo_error *err)
{
    ucpo_instance_data *d = &r->data;
    ucpo_status st = take_pairs(r, "coordinates", 0, &d->x, &d->y, err);
    if (!st) st = take_matrix(r, "cost", &d->cost, err);
    if (!st) st = take_matrix(r, "duration", &d->duration, err);
    if (!st && uses(r, "time_windows"))
        st = take_pairs(r, "time_windows", 1, &d->ready, &d->due, err);
    if (!st && uses(r, "service")) st = take_service(r, err);
    if (!st && uses(r, "setup")) st = take_vector(r, "setup", &d->setup, err);
    if (!st && uses(r, "places")) st = take_places(r, err);
    if (!st && uses(r, "demand")) st = take_vector(r, "demand", &d->demand, err);
    if (!st && uses(r, "draft_limit")) st = take_vector(r, "draft_limit", &d->limit, err);
    return st;
}

static ucpo_status take_texts(struct reader *r, const char *key, const char *const **out,
                              ucpo_error *err)
{
    const json_t *value = json_object_get(r->object, key);
    if (!value) return UCPO_OK;
    char path[80];
    snprintf(path, sizeof path, "%s%s", r->prefix, key);
    return json_texts(r->source->label, path, value, (size_t)r->data.n, &r->pool, out, err);
}

static ucpo_status take_date(struct reader *r, ucpo_error *err)
{
    const json_t *value = json_object_get(r->object, "date");
    const char *text = json_string_value(value);
    if (!value) return UCPO_OK;
    if (!text || !io_parse_date(text, strlen(text), &r->data.clock_day))
        return wrong(r, "date", value, "a date such as \"2026-03-01\"", err);
    return UCPO_OK;
}

/* Into `room`, as far as there is room. */
static ucpo_status take_text(struct reader *r, const char *key, char *room, size_t size,
                             const char **out, ucpo_error *err)
{
    const json_t *value = json_object_get(r->object, key);
    if (!value) return UCPO_OK;
    const char *text = json_string_value(value);
    if (!text) return wrong(r, key, value, "a string", err);
    size_t kept = json_cut(text, size - 1);
    memcpy(room, text, kept);
    *out = room;
    return UCPO_OK;
}

/* What an earlier reading left out: [{"way": "easier", "what": "..."}, ...] */
static ucpo_status take_left_out(struct reader *r, ucpo_error *err)
{
    const json_t *list = json_object_get(r->object, "left_out");
    if (!list) return UCPO_OK;
    if (!json_is_array(list)) return wrong(r, "left_out", list, "an array", err);
    ucpo_status st = UCPO_OK;
    for (size_t k = 0; !st && k < json_array_size(list); k++) {
        const json_t *entry = json_array_get(list, k), *what = json_object_get(entry, "what");
        const char *way = json_string_value(json_object_get(entry, "way"));
        unsigned reading = UCPO_READ_EITHER | UCPO_READ_COST;
        while (reading > 0 && !(way && strcmp(way, ucpo_reading_name((ucpo_reading)reading)) == 0))
            reading--;
        if (reading == 0 || !json_is_string(what))
            return wrong_entry(
                r, "left_out", k, entry,
                "an object with a text 'what' and a 'way': easier, harder, either or "
                "other cost",
                err);
        st = io_left_add(r->source, 0, (ucpo_reading)reading, json_string_value(what), err);
    }
    return st;
}

static ucpo_status take_scalars(struct reader *r, ucpo_error *err)
{
    ucpo_instance_data *d = &r->data;
    size_t metric = 0, rounding = 0, draft = 0;
    int32_t fewest = r->ops->needs & PROB_FLEET ? 1 : 0;
    ucpo_status st = take_text(r, "name", r->name, sizeof r->name, &d->name, err);
    if (!st) st = take_choice(r, "metric", io_metrics, IO_METRICS, &metric, err);
    if (!st) st = take_choice(r, "rounding", io_roundings + 1, IO_ROUNDINGS - 1, &rounding, err);
    if (!st && uses(r, "draft")) st = take_choice(r, "draft", io_drafts, IO_DRAFTS, &draft, err);
    if (!st && uses(r, "capacity"))
        st = take_number(r, "capacity", DBL_TRUE_MIN, "a number > 0", &d->capacity, err);
    if (!st && uses(r, "vehicles")) st = take_whole(r, "vehicles", fewest, &d->vehicles, err);
    if (!st) st = take_number(r, "speed", 0.0, "a number >= 0", &d->speed, err);
    if (!st) st = take_texts(r, "ids", &d->id, err);
    if (!st) st = take_texts(r, "names", &d->label, err);
    if (!st && uses(r, "clock"))
        st = take_number(r, "clock", 0.0, "seconds per unit of time", &d->clock, err);
    if (!st && uses(r, "date")) st = take_date(r, err);
    if (!st) st = take_number(r, "unit", DBL_TRUE_MIN, "a number > 0", &d->unit, err);
    if (!st) st = take_number(r, "tolerance", 0.0, "a number >= 0", &d->tolerance, err);
    if (!st)
        st = take_number(r, "service_in_cost", 0.0, "a number >= 0", &r->file.service_in_cost, err);
    if (!st && !json_is_null(json_object_get(r->object, "best_known")))
        st = take_number(r, "best_known", -DBL_MAX, "a number or null", &d->best_known, err);
    if (!st) st = take_whole(r, "file_depot", 0, &r->file.depot, err);
    if (!st) st = take_left_out(r, err);
    if (!st) st = take_text(r, "cost_unit", r->cost_unit, sizeof r->cost_unit, &d->cost_unit, err);
    d->file = &r->file;
    d->metric = (ucpo_metric)metric;
    d->rounding = (ucpo_rounding)(UCPO_ROUND_NONE + rounding);
    d->draft = (ucpo_draft)draft;
    return st;
}

static ucpo_status read_instance(const struct io_source *source, const char *prefix,
                                 const json_t *object, ucpo_dataset *set, ucpo_error *err)
{
    struct reader r = {.source = source, .object = object, .data = ucpo_instance_data_default()};
    snprintf(r.prefix, sizeof r.prefix, "%s", prefix);
    ucpo_status st = take_problem(&r, err);
    if (!st) st = check_keys(&r, err);
    if (!st) st = take_size(&r, err);
    if (!st) st = take_arrays(&r, err);
    if (!st) st = take_scalars(&r, err);
    ucpo_error inner = {0};
    if (!st) {
        st = io_add_instance(source, 0, &r.data, set, &inner);
        int shown = (int)strlen(r.prefix) - 1; /* which instance of a set, without the dot */
        if (st && shown > 0)
            status_fail_at(err, st, source->label, 0, "%.*s: %s", shown, r.prefix, inner.text);
        else if (st)
            status_fail_at(err, st, source->label, 0, "%s", inner.text);
    }
    mem_pool_free(&r.pool);
    return st;
}

/* ---- files ---- */

static ucpo_status read_set(const struct io_source *source, const json_t *root, ucpo_dataset *set,
                            ucpo_error *err)
{
    ucpo_status st = json_check_keys(source, "", "", root, "schema instances", err);
    if (st) return st;
    const json_t *list = json_object_get(root, "instances");
    if (!json_is_array(list)) return json_wrong(source->label, "instances", list, "an array", err);
    size_t count = json_array_size(list);
    for (size_t i = 0; i < count; i++) {
        const json_t *entry = json_array_get(list, i);
        const json_t *schema = json_object_get(entry, "schema");
        char path[48];
        snprintf(path, sizeof path, "instances[%zu]", i);
        if (!json_is_object(entry)) return json_wrong(source->label, path, entry, "an object", err);
        snprintf(path, sizeof path, "instances[%zu].", i);
        if (schema && (!json_is_string(schema) ||
                       strcmp(json_string_value(schema), JSON_INSTANCE_SCHEMA) != 0)) {
            snprintf(path, sizeof path, "instances[%zu].schema", i);
            return json_wrong(source->label, path, schema, "\"" JSON_INSTANCE_SCHEMA "\"", err);
        }
        st = read_instance(source, path, entry, set, err);
        if (st) return st;
        if (hooks_progress(&source->options->hooks, i + 1, count))
            return status_fail(err, UCPO_E_CANCELLED, "reading was stopped");
    }
    return UCPO_OK;
}

static ucpo_status read_json(const struct io_source *source, ucpo_dataset *set, ucpo_error *err)
{
    json_t *root = NULL;
    ucpo_status st = json_parse(source->bytes, source->size, source->label, &root, err);
    if (st) return st;
    const json_t *value = json_object_get(root, "schema");
    const char *schema = json_string_value(value);
    if (schema && strcmp(schema, JSON_INSTANCE_SCHEMA) == 0)
        st = read_instance(source, "", root, set, err);
    else if (schema && strcmp(schema, JSON_DATASET_SCHEMA) == 0)
        st = read_set(source, root, set, err);
    else
        st = json_read_foreign(source, root, set, err);
    if (!st && schema && source->options->speed > 0.0)
        io_no_effect(source, "speed", "the file says how long its legs are");
    json_decref(root);
    return st;
}

const struct io_format io_format_json = {"json",    1,          json_begins_object,
                                         read_json, json_write, NULL};
