/* Matrices of table services: OSRM, openrouteservice, Valhalla through either. */
#include "io/json_foreign.h"
#include "io/text_common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* n rows of n; asked before memory is. */
static ucpo_status check_shape(const char *label, const char *path, const json_t *value, size_t n,
                               ucpo_error *err)
{
    char expected[64], place[128];
    snprintf(expected, sizeof expected, "an array of %zu", n);
    if (!json_is_array(value) || json_array_size(value) != n)
        return json_wrong(label, path, value, expected, err);
    for (size_t i = 0; i < n; i++) {
        const json_t *row = json_array_get(value, i);
        snprintf(place, sizeof place, "%s[%zu]", path, i);
        if (!json_is_array(row) || json_array_size(row) != n)
            return json_wrong(label, place, row, expected, err);
    }
    return UCPO_OK;
}

ucpo_status json_matrix(const char *label, const char *path, const json_t *value, size_t n,
                        int is_own, struct mem_pool *pool, double **out, ucpo_error *err)
{
    char place[128];
    ucpo_status st = check_shape(label, path, value, n, err);
    if (st) return st;
    double *m = mem_take(pool, n, n * sizeof *m, err);
    if (!m) return UCPO_E_MEMORY;
    for (size_t i = 0; i < n; i++) {
        const json_t *row = json_array_get(value, i);
        for (size_t j = 0; j < n; j++) {
            const json_t *cell = json_array_get(row, j);
            double v = json_is_null(cell) ? (double)INFINITY : json_number_value(cell);
            m[i * n + j] = !is_own && i == j && !(v > 0.0 && isfinite(v)) ? 0.0 : v;
            int is_good = json_is_number(cell) && (is_own || v >= 0.0 || i == j);
            if (is_good || json_is_null(cell)) continue;
            snprintf(place, sizeof place, "%s[%zu][%zu]", path, i, j);
            return json_wrong(
                label, place, cell,
                is_own ? "a number, or null: no way" : "a number >= 0, or null: no way", err);
        }
    }
    *out = m;
    return UCPO_OK;
}

/* Whether every way from (or to) place i is closed. */
static int is_island(const double *m, size_t n, size_t i, int is_from)
{
    for (size_t j = 0; j < n; j++)
        if (i != j && isfinite(m[is_from ? i * n + j : j * n + i])) return 0;
    return 1;
}

void json_warn_about_islands(const struct io_source *source, const double *matrix, size_t n,
                             const char *const *id)
{
    for (size_t i = 0; matrix && i < n; i++) {
        int is_closed = is_island(matrix, n, i, 0), is_trap = is_island(matrix, n, i, 1);
        int is_named = id && id[i][0];
        if (is_closed || is_trap)
            io_warn(source, 0, "there is no way %s place %zu%s%.60s%s: no plan can be feasible",
                    is_closed && is_trap ? "to or from"
                    : is_closed          ? "to"
                                         : "from",
                    i, is_named ? " (" : "", is_named ? id[i] : "", is_named ? ")" : "");
    }
}

static const json_t *first_of(const json_t *root, const char *a, const char *b, const char **name)
{
    const json_t *value = json_object_get(root, a);
    *name = value ? a : b;
    return value ? value : json_object_get(root, b);
}

/* Locations of the answer, longitude first, as they were snapped to the road. */
static int take_locations(const json_t *list, size_t n, double *lat, double *lon)
{
    for (size_t i = 0; i < n; i++) {
        const json_t *place = json_object_get(json_array_get(list, i), "location");
        const json_t *x = json_array_get(place, 0), *y = json_array_get(place, 1);
        if (!json_is_number(x) || !json_is_number(y)) return 0;
        lon[i] = json_number_value(x);
        lat[i] = json_number_value(y);
        if (fabs(lat[i]) > 90.0 || fabs(lon[i]) > 180.0) return 0;
    }
    return 1;
}

static ucpo_status place_all(const json_t *root, struct mem_pool *pool, struct io_matrices *m,
                             ucpo_error *err)
{
    const json_t *list = json_object_get(root, "destinations");
    if (!list) list = json_object_get(root, "sources");
    if (json_array_size(list) != m->n) return UCPO_OK;
    m->lat = mem_take(pool, m->n, sizeof *m->lat, err);
    m->lon = mem_take(pool, m->n, sizeof *m->lon, err);
    if (!m->lat || !m->lon) return UCPO_E_MEMORY;
    if (!take_locations(list, m->n, m->lat, m->lon)) m->lat = m->lon = NULL;
    return UCPO_OK;
}

/* openrouteservice repeats the unit it was asked for; without a word distances are metres. */
static ucpo_status take_unit(const char *label, const json_t *root, struct io_matrices *m,
                             ucpo_error *err)
{
    static const char *const names[] = {"m", "km", "mi"};
    static const double metres[] = {1.0, 1000.0, 1609.344};
    const json_t *query = json_object_get(json_object_get(root, "metadata"), "query");
    const json_t *unit = json_object_get(query, "units");
    if (!unit) return UCPO_OK;
    const char *name = json_string_value(unit);
    int k = 0;
    while (k < 3 && !(name && strcmp(name, names[k]) == 0)) k++;
    if (k == 3) return json_wrong(label, "metadata.query.units", unit, "m, km or mi", err);
    for (size_t i = 0; m->cost && i < m->n * m->n; i++) m->cost[i] *= metres[k];
    return UCPO_OK;
}

ucpo_status json_service_error(const char *label, const json_t *root, ucpo_error *err)
{
    const json_t *inner = json_object_get(root, "error"); /* openrouteservice */
    const char *code = json_string_value(json_object_get(root, "code"));
    const char *text = json_string_value(json_object_get(root, "message"));
    if (json_is_object(inner)) text = json_string_value(json_object_get(inner, "message"));
    if (json_is_string(inner)) text = json_string_value(inner);
    if (!inner && (!code || strcmp(code, "Ok") == 0)) return UCPO_OK;
    if (!inner && !text &&
        (json_object_get(root, "durations") || json_object_get(root, "distances")))
        return UCPO_OK;
    return status_format(err, label, 0,
                         "the answer of a routing service that failed: %.40s%s%.200s",
                         code ? code : "", code && text ? ": " : "", text ? text : "");
}

static ucpo_status read_matrices(const char *label, const json_t *root, size_t n,
                                 struct mem_pool *pool, struct io_matrices *out, ucpo_error *err)
{
    const char *time_name, *length_name;
    const json_t *time = first_of(root, "durations", "duration", &time_name);
    const json_t *length = first_of(root, "distances", "cost", &length_name);
    struct io_matrices m = {.n = n, .is_osrm = strcmp(time_name, "durations") == 0};
    ucpo_status st = json_service_error(label, root, err);
    if (st) return st;
    if (!time && !length)
        return status_format(err, label, 0,
                             "holds no matrix, expected durations or distances (OSRM, "
                             "openrouteservice), or cost or duration");
    if (!time) m.is_osrm = strcmp(length_name, "distances") == 0;
    if (length) st = json_matrix(label, length_name, length, n, 0, pool, &m.cost, err);
    if (!st && time)
        st = json_matrix(label, time_name, time, n, 0, pool, length ? &m.duration : &m.cost, err);
    m.is_time_only = !length;
    m.is_length_only = !time;
    if (!st && length && strcmp(length_name, "distances") == 0)
        st = take_unit(label, root, &m, err);
    if (!st) st = place_all(root, pool, &m, err);
    *out = m;
    return st;
}

ucpo_status json_matrices_load(const char *path, size_t n, struct mem_pool *pool,
                               struct io_matrices *out, ucpo_error *err)
{
    char *bytes = NULL;
    size_t size = 0;
    json_t *root = NULL;
    ucpo_status st = ucpo_file_read(path, &bytes, &size, err);
    if (!st) st = json_parse(bytes, size, path, &root, err);
    if (!st) st = read_matrices(path, root, n, pool, out, err);
    json_decref(root);
    free(bytes);
    return st;
}

void json_matrices_scale(struct io_matrices *m, double length, double time)
{
    for (size_t k = 0; k < m->n * m->n; k++) {
        m->cost[k] *= m->is_time_only ? time : length;
        if (m->duration) m->duration[k] *= time;
    }
}

void json_matrices_move(struct io_matrices *m, size_t depot)
{
    io_move_depot(m->cost, m->n, depot, 1);
    io_move_depot(m->duration, m->n, depot, 1);
}

/* ---- the answer of a table service as an instance: one tour, no windows ---- */

static ucpo_status build_tour(const struct io_source *source, const json_t *root,
                              const struct io_matrices *m, double *work, const char **label,
                              ucpo_dataset *set, ucpo_error *err)
{
    size_t n = m->n;
    double *ready = work, *due = work + n;
    ucpo_instance_data data = ucpo_instance_data_default();
    char file[IO_NAME_SIZE];
    data.name = io_name_of_file(source->label, file);
    data.problem = prob_name_with(PROB_TIMED_TOUR);
    data.n = (int32_t)n;
    data.cost = m->cost;
    data.duration = m->duration;
    data.cost_unit = m->is_time_only ? "s" : "m";
    for (size_t i = 0; i < n; i++) due[i] = (double)INFINITY;
    data.ready = ready;
    data.due = due;
    const json_t *places = json_object_get(root, "destinations");
    if (!places) places = json_object_get(root, "sources");
    if (m->lat) {
        data.x = m->lat;
        data.y = m->lon;
        data.metric = UCPO_METRIC_HAVERSINE;
    }
    for (size_t i = 0; i < n; i++) {
        const char *name = json_string_value(json_object_get(json_array_get(places, i), "name"));
        label[i] = name ? name : "";
    }
    if (io_has_text(label, n)) data.label = label;
    json_warn_about_islands(source, m->cost, n, NULL);
    if (m->is_length_only && source->options->speed > 0.0)
        data.speed = source->options->speed / 3.6; /* metres a second */
    else if (m->is_length_only)
        io_warn(source, 0,
                "no durations, only distances: times are metres (option 'speed', in km/h, "
                "makes them "
                "seconds)");
    else if (source->options->speed > 0.0)
        io_no_effect(source, "speed", "the file has durations");
    io_warn(source, 0,
            "a matrix alone is read as one tour without time windows (a CSV of stops takes it "
            "with option 'matrix')");
    return io_add_instance(source, 0, &data, set, err);
}

ucpo_status json_read_table(const struct io_source *source, const json_t *root, ucpo_dataset *set,
                            ucpo_error *err)
{
    ucpo_status st = json_service_error(source->label, root, err);
    if (st) return st;
    const json_t *rows = json_object_get(root, "durations");
    if (!rows) rows = json_object_get(root, "distances");
    size_t n = json_array_size(rows);
    if (n < 2 || n > IO_MAX_NODES)
        return json_wrong(source->label,
                          json_object_get(root, "durations") ? "durations" : "distances", rows,
                          "an array of 2 .. 65536", err);
    struct io_matrices m = {0};
    struct mem_pool pool = {0};
    st = read_matrices(source->label, root, n, &pool, &m, err);
    double *work = mem_take(&pool, 2 * n, sizeof *work, st ? NULL : err);
    const char **label = mem_take(&pool, n, sizeof *label, st ? NULL : err);
    if (!st && (!work || !label)) st = UCPO_E_MEMORY;
    if (!st) st = build_tour(source, root, &m, work, label, set, err);
    mem_pool_free(&pool);
    return st;
}
