/* VROOM problems: jobs and vehicles of one kind from one depot. What has no counterpart is named. */
#include "core/text.h"
#include "io/json_foreign.h"
#include "problem/problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_SPEED 40.0 /* km/h */
#define DAY           86400.0
#define SMALL_HOURS   10800.0 /* three in the morning */

struct vroom {
    const struct io_source *source;
    const json_t *root, *jobs, *vehicles, *vehicle; /* vehicle: the first */
    size_t n;
    const char *profile;
    const json_t *matrices; /* of the profile, or NULL */
    size_t *place;          /* of node k: row of the matrices */
    double *lat, *lon, *ready, *due, *service, *setup, *demand;
    int32_t *where; /* of node k: number of its place */
    double *cost, *duration;
    const char **id, **label;
    char *ids;
    int has_setup, has_priority, has_pickups, has_deliveries, has_steps;
    char name[IO_NAME_SIZE];
    ucpo_instance_data data;
    struct mem_pool pool; /* holds the arrays */
};

static const char *label_of(const struct vroom *v)
{
    return v->source->label;
}

/* ---- keys ---- */

static int is_empty(const json_t *value)
{
    return !value || json_is_null(value) || (json_is_array(value) && json_array_size(value) == 0);
}

/* A key whose meaning gets lost, and what that makes of the instance. */
struct lost {
    const char *key;
    ucpo_reading way;
};

static ucpo_status refuse_keys(const struct vroom *v, const char *where, const json_t *object,
                               const struct lost *lost, ucpo_error *err)
{
    ucpo_status st = UCPO_OK;
    for (; !st && lost->key; lost++)
        if (!is_empty(json_object_get(object, lost->key)))
            st = io_leave_out(
                lost->way, v->source, 0, err,
                "%s has '%s', which ucpo has no counterpart for (option 'ignore_unsupported' drops "
                "it)",
                where, lost->key);
    return st;
}

static ucpo_status check_root(const struct vroom *v, ucpo_error *err)
{
    static const char known[] = "jobs vehicles shipments matrices matrix";
    static const struct lost lost[] = {{"shipments", UCPO_READ_EASIER}, {NULL, UCPO_READ_WHOLE}};
    ucpo_status st = json_check_keys(v->source, "", " in the problem", v->root, known, err);
    return st ? st : refuse_keys(v, "the problem", v->root, lost, err);
}

/* An object of a list, known by its keys: element k of `list`, into `where` for messages. */
static ucpo_status check_object(const struct vroom *v, const char *list, size_t k,
                                const json_t *object, const char *known, const struct lost *lost,
                                char where[48], ucpo_error *err)
{
    char in[64];
    snprintf(where, 48, "%s[%zu]", list, k);
    if (!json_is_object(object)) return json_wrong(label_of(v), where, object, "an object", err);
    snprintf(in, sizeof in, " in %s", where);
    ucpo_status st = json_check_keys(v->source, "", in, object, known, err);
    return st ? st : refuse_keys(v, where, object, lost, err);
}

static ucpo_status check_vehicle(struct vroom *v, size_t k, const json_t *vehicle, ucpo_error *err)
{
    static const struct lost lost[] = {{"skills", UCPO_READ_EASIER},
                                       {"breaks", UCPO_READ_EASIER},
                                       {"max_tasks", UCPO_READ_EASIER},
                                       {"max_travel_time", UCPO_READ_EASIER},
                                       {"max_distance", UCPO_READ_EASIER},
                                       {"costs", UCPO_READ_COST},
                                       {NULL, UCPO_READ_WHOLE}};
    char where[48];
    ucpo_status st = check_object(
        v, "vehicles", k, vehicle,
        "id profile description start end start_index end_index capacity time_window costs skills "
        "breaks speed_factor max_tasks max_travel_time max_distance steps type",
        lost, where, err);
    v->has_steps |= !is_empty(json_object_get(vehicle, "steps"));
    const json_t *factor = json_object_get(vehicle, "speed_factor");
    double faster = json_number_value(factor);
    if (!st && factor && faster != 1.0)
        st = io_leave_out(faster > 1.0   ? UCPO_READ_HARDER
                          : faster > 0.0 ? UCPO_READ_EASIER
                                         : UCPO_READ_EITHER,
                          v->source, 0, err, "%s has a speed_factor, expected none or 1", where);
    return st;
}

/* What it means to plan with the first vehicle's value where another's is `here`. More room or more time there
 * makes what is read harder, less makes it easier. */
static ucpo_reading way_of_capacity(const json_t *here, const json_t *first)
{
    unsigned way = UCPO_READ_WHOLE;
    size_t a = json_array_size(here), b = json_array_size(first);
    if (!here || !first) return here ? UCPO_READ_EASIER : UCPO_READ_HARDER; /* none: any load */
    for (size_t k = 0; k < a || k < b; k++) {
        double more = json_number_value(json_array_get(here, k)) -
                      json_number_value(json_array_get(first, k));
        way |= more > 0.0 ? UCPO_READ_HARDER : more < 0.0 ? UCPO_READ_EASIER : UCPO_READ_WHOLE;
    }
    return way == UCPO_READ_WHOLE ? UCPO_READ_EITHER : (ucpo_reading)way;
}

static ucpo_reading way_of_window(const json_t *here, const json_t *first)
{
    if (is_empty(here) || is_empty(first))
        return is_empty(here) ? UCPO_READ_HARDER : UCPO_READ_EASIER;
    double from =
        json_number_value(json_array_get(here, 0)) - json_number_value(json_array_get(first, 0));
    double to =
        json_number_value(json_array_get(here, 1)) - json_number_value(json_array_get(first, 1));
    unsigned way = UCPO_READ_WHOLE;
    if (from < 0.0 || to > 0.0) way |= UCPO_READ_HARDER;
    if (from > 0.0 || to < 0.0) way |= UCPO_READ_EASIER;
    return way == UCPO_READ_WHOLE ? UCPO_READ_EITHER : (ucpo_reading)way;
}

static const struct {
    const char *key;
    ucpo_reading (*way)(const json_t *here, const json_t *first); /* NULL: either */
} alike[] = {
    {"profile", NULL},
    {"start", NULL},
    {"end", NULL},
    {"start_index", NULL},
    {"end_index", NULL},
    {"capacity", way_of_capacity},
    {"time_window", way_of_window},
};

/* All vehicles must be alike where it matters. */
static ucpo_status check_alike(struct vroom *v, size_t k, const json_t *vehicle, ucpo_error *err)
{
    ucpo_status st = UCPO_OK;
    for (size_t a = 0; !st && a < sizeof alike / sizeof alike[0]; a++) {
        json_t *here = json_object_get(vehicle, alike[a].key);
        json_t *first = json_object_get(v->vehicle, alike[a].key);
        if (json_equal(here, first) || (!here && !first)) continue;
        st = io_leave_out(alike[a].way ? alike[a].way(here, first) : UCPO_READ_EITHER, v->source, 0,
                          err,
                          "vehicles[%zu].%s differs from vehicles[0]: ucpo plans with vehicles of "
                          "one kind (option 'ignore_unsupported' takes all like the first)",
                          k, alike[a].key);
    }
    return st;
}

/* Routes end where they began. One that may end anywhere can be shorter than any of ours. */
static ucpo_status check_ends(struct vroom *v, ucpo_error *err)
{
    static const char *const ends[2][2] = {{"start", "end"}, {"start_index", "end_index"}};
    ucpo_status st = UCPO_OK;
    for (int k = 0; !st && k < 2; k++) {
        json_t *start = json_object_get(v->vehicle, ends[k][0]);
        json_t *end = json_object_get(v->vehicle, ends[k][1]);
        if ((!start && !end) || json_equal(start, end)) continue;
        unsigned way = start && end ? UCPO_READ_EITHER : UCPO_READ_HARDER;
        st = io_leave_out((ucpo_reading)(way | UCPO_READ_COST), v->source, 0, err,
                          "vehicles[0].%s and .%s are not the same: routes of ucpo end where they "
                          "began (option 'ignore_unsupported' takes the %s for both)",
                          ends[k][0], ends[k][1], start ? "start" : "end");
    }
    return st;
}

static ucpo_status check_fleet(struct vroom *v, ucpo_error *err)
{
    ucpo_status st = UCPO_OK;
    for (size_t k = 0; !st && k < json_array_size(v->vehicles); k++) {
        const json_t *vehicle = json_array_get(v->vehicles, k);
        st = check_vehicle(v, k, vehicle, err);
        if (!st) st = check_alike(v, k, vehicle, err);
    }
    return st ? st : check_ends(v, err);
}

static ucpo_status check_job(struct vroom *v, size_t k, const json_t *job, ucpo_error *err)
{
    static const struct lost lost[] = {{"skills", UCPO_READ_EASIER},
                                       {"setup_per_type", UCPO_READ_EITHER},
                                       {"service_per_type", UCPO_READ_EITHER},
                                       {NULL, UCPO_READ_WHOLE}};
    char where[48];
    v->has_priority |= json_number_value(json_object_get(job, "priority")) > 0.0;
    return check_object(
        v, "jobs", k, job,
        "id description location location_index setup service delivery pickup amount skills "
        "priority time_windows type setup_per_type service_per_type",
        lost, where, err);
}

/* ---- values ---- */

/* A number >= 0 under `key`, or `otherwise`. */
static ucpo_status take_number(const struct vroom *v, const char *where, const json_t *object,
                               const char *key, double *out, ucpo_error *err)
{
    const json_t *value = json_object_get(object, key);
    if (!value) return UCPO_OK;
    if (json_is_number(value) && json_number_value(value) >= 0.0) {
        *out = json_number_value(value);
        return UCPO_OK;
    }
    char path[96];
    snprintf(path, sizeof path, "%s.%s", where, key);
    return json_wrong(label_of(v), path, value, "a number >= 0", err);
}

/* [start, end] */
static ucpo_status take_span(const struct vroom *v, const char *path, const json_t *pair,
                             double *from, double *to, ucpo_error *err)
{
    const json_t *a = json_array_get(pair, 0), *b = json_array_get(pair, 1);
    if (json_array_size(pair) != 2 || !json_is_number(a) || !json_is_number(b))
        return json_wrong(label_of(v), path, pair, "a pair of numbers", err);
    *from = json_number_value(a);
    *to = json_number_value(b);
    return UCPO_OK;
}

/* The first component of a load; others must be 0. */
static ucpo_status take_load(const struct vroom *v, const char *where, const json_t *object,
                             const char *key, double *out, int *is_there, ucpo_error *err)
{
    const json_t *list = json_object_get(object, key);
    if (is_empty(list)) return UCPO_OK;
    char path[96];
    snprintf(path, sizeof path, "%s.%s", where, key);
    const json_t *first = json_array_get(list, 0);
    if (!json_is_array(list))
        return json_wrong(label_of(v), path, list, "an array of numbers >= 0", err);
    if (!json_is_number(first) || json_number_value(first) < 0.0) {
        snprintf(path, sizeof path, "%s.%s[0]", where, key);
        return json_wrong(label_of(v), path, first, "a number >= 0", err);
    }
    *out = json_number_value(first);
    *is_there = 1;
    for (size_t k = 1; k < json_array_size(list); k++)
        if (json_number_value(json_array_get(list, k)) != 0.0)
            return io_object_to(
                IO_UNSUPPORTED, v->source, 0, err,
                "%s has %zu components: ucpo has one kind of load (option 'ignore_unsupported' "
                "takes the first)",
                path, json_array_size(list));
    return UCPO_OK;
}

/* Coordinates (longitude first) or the place in the matrices. */
static ucpo_status take_place(struct vroom *v, const char *where, const json_t *object,
                              const char *key, const char *index_key, size_t node, ucpo_error *err)
{
    char path[96];
    const json_t *at = json_object_get(object, key), *index = json_object_get(object, index_key);
    if (at) {
        const json_t *x = json_array_get(at, 0), *y = json_array_get(at, 1);
        snprintf(path, sizeof path, "%s.%s", where, key);
        if (json_array_size(at) != 2 || !json_is_number(x) || !json_is_number(y))
            return json_wrong(label_of(v), path, at, "[longitude, latitude]", err);
        v->lon[node] = json_number_value(x);
        v->lat[node] = json_number_value(y);
    } else {
        v->data.x = NULL; /* not all have coordinates */
    }
    if (!v->matrices && at) return UCPO_OK;
    double row;
    snprintf(path, sizeof path, "%s.%s", where, v->matrices ? index_key : key);
    if (!v->matrices)
        return json_wrong(label_of(v), path, at, "[longitude, latitude], since there is no matrix",
                          err);
    if (!json_whole(index, 0, IO_MAX_NODES, &row))
        return json_wrong(label_of(v), path, index, "a row of the matrix, from 0", err);
    v->place[node] = (size_t)row;
    return UCPO_OK;
}

/* ---- jobs and depot ---- */

static ucpo_status take_job_windows(struct vroom *v, const char *where, const json_t *job,
                                    size_t node, ucpo_error *err)
{
    const json_t *list = json_object_get(job, "time_windows");
    v->due[node] = (double)INFINITY;
    v->ready[node] = v->ready[0];
    if (is_empty(list)) return UCPO_OK;
    char path[96];
    snprintf(path, sizeof path, "%s.time_windows[0]", where);
    ucpo_status st =
        take_span(v, path, json_array_get(list, 0), &v->ready[node], &v->due[node], err);
    if (!st && json_array_size(list) > 1)
        st = io_leave_out(
            UCPO_READ_HARDER, v->source, 0, err,
            "%s has %zu time windows, ucpo has one (option 'ignore_unsupported' takes the first)",
            where, json_array_size(list));
    return st;
}

static ucpo_status take_job(struct vroom *v, size_t k, ucpo_error *err)
{
    const json_t *job = json_array_get(v->jobs, k), *id = json_object_get(job, "id");
    size_t node = k + 1;
    char where[48];
    snprintf(where, sizeof where, "jobs[%zu]", k);
    ucpo_status st = check_job(v, k, job, err);
    if (!st) st = take_place(v, where, job, "location", "location_index", node, err);
    if (!st) st = take_job_windows(v, where, job, node, err);
    double pickup = 0.0;
    if (!st) st = take_number(v, where, job, "service", &v->service[node], err);
    if (!st) st = take_number(v, where, job, "setup", &v->setup[node], err);
    if (!st) st = take_load(v, where, job, "amount", &v->demand[node], &v->has_deliveries, err);
    if (!st) st = take_load(v, where, job, "delivery", &v->demand[node], &v->has_deliveries, err);
    if (!st) st = take_load(v, where, job, "pickup", &pickup, &v->has_pickups, err);
    v->demand[node] += pickup;
    v->has_setup |= v->setup[node] > 0.0;
    v->id[node] = json_word(id, v->ids + node * JSON_NUMBER_BYTES);
    const char *about = json_string_value(json_object_get(job, "description"));
    v->label[node] = about ? about : "";
    return st;
}

/* Plans name jobs by their ids. */
static ucpo_status check_ids(const struct vroom *v, ucpo_error *err)
{
    size_t first, second;
    int found = io_find_duplicate(v->id + 1, v->n - 1, &first, &second);
    if (found < 0) return status_no_memory(err, v->n * sizeof *v->id);
    if (!found) return UCPO_OK;
    return io_object_to(IO_DOUBLE, v->source, 0, err,
                        "jobs[%zu].id is %.60s, as jobs[%zu].id, expected ids that differ "
                        "(option 'ignore_unsupported' keeps both)",
                        second, v->id[second + 1], first);
}

static ucpo_status take_depot(struct vroom *v, ucpo_error *err)
{
    const json_t *window = json_object_get(v->vehicle, "time_window");
    const char *key = json_object_get(v->vehicle, "start") ? "start" : "end";
    const char *index = json_object_get(v->vehicle, "start_index") ? "start_index" : "end_index";
    v->due[0] = (double)INFINITY;
    v->id[0] = "depot";
    v->label[0] = "";
    ucpo_status st = take_place(v, "vehicles[0]", v->vehicle, key, index, 0, err);
    if (!st && !is_empty(window))
        st = take_span(v, "vehicles[0].time_window", window, &v->ready[0], &v->due[0], err);
    return st;
}

static void say_what_changed(const struct vroom *v)
{
    if (v->has_priority)
        io_warn(v->source, 0, "all jobs are served, priorities are not used");
    else
        io_note(v->source, "all jobs are served");
    if (v->has_steps) io_warn(v->source, 0, "the steps of vehicles are not used");
}

/* ---- setups ---- */

struct spot {
    double lat, lon;
    int32_t node;
};

static int compare_spots(const void *a, const void *b)
{
    const struct spot *p = a, *q = b;
    if (p->lat != q->lat) return p->lat < q->lat ? -1 : 1;
    if (p->lon != q->lon) return p->lon < q->lon ? -1 : 1;
    return p->node < q->node ? -1 : 1;
}

/* Two nodes are at one place if they have the same row of the matrix, or without one the same coordinates. */
static ucpo_status number_places(struct vroom *v, ucpo_error *err)
{
    for (size_t k = 0; v->matrices && k < v->n; k++) v->where[k] = (int32_t)v->place[k];
    if (v->matrices) return UCPO_OK;
    struct spot *spot = mem_take(&v->pool, v->n, sizeof *spot, err);
    if (!spot) return UCPO_E_MEMORY;
    for (size_t k = 0; k < v->n; k++) spot[k] = (struct spot){v->lat[k], v->lon[k], (int32_t)k};
    qsort(spot, v->n, sizeof *spot, compare_spots);
    for (size_t k = 0; k < v->n; k++) {
        int is_same = k > 0 && spot[k].lat == spot[k - 1].lat && spot[k].lon == spot[k - 1].lon;
        v->where[spot[k].node] = is_same ? v->where[spot[k - 1].node] : spot[k].node;
    }
    return UCPO_OK;
}

/* VROOM pays the setup of a job unless the vehicle comes from the same place, be it its start. Where that
 * cannot happen the setup is service. */
static ucpo_status settle_setups(struct vroom *v, ucpo_error *err)
{
    if (!v->has_setup) return UCPO_OK;
    int *count = mem_take(&v->pool, IO_MAX_NODES + 1, sizeof *count, err);
    ucpo_status st = count ? number_places(v, err) : UCPO_E_MEMORY;
    int is_any_shared = 0, is_any_alone = 0;
    for (size_t k = 0; !st && k < v->n; k++) count[v->where[k]]++;
    for (size_t k = 1; !st && k < v->n; k++) {
        int is_shared = count[v->where[k]] > 1;
        is_any_shared |= is_shared && v->setup[k] > 0.0;
        if (is_shared || !(v->setup[k] > 0.0)) continue;
        v->service[k] += v->setup[k];
        v->setup[k] = 0.0;
        is_any_alone = 1;
    }
    if (st) return st;
    if (is_any_alone)
        io_note(v->source, "setup times are added to the service times where a place has one job");
    if (!is_any_shared) return UCPO_OK;
    io_note(v->source, "jobs at one place in a row pay one setup, as in VROOM");
    v->data.setup = v->setup;
    v->data.place = v->where;
    return UCPO_OK;
}

/* ---- legs ---- */

static ucpo_status pick(struct vroom *v, const char *path, const json_t *square, double **out,
                        ucpo_error *err)
{
    size_t rows = json_array_size(square), n = v->n;
    for (size_t i = 0; i < n; i++)
        if (v->place[i] >= rows)
            return status_format(err, label_of(v), 0, "%s has %zu rows, but row %zu is asked for",
                                 path, rows, v->place[i]);
    struct mem_pool room = {0};
    double *whole = NULL, *m = mem_take(&v->pool, n, n * sizeof *m, err);
    if (!m) return UCPO_E_MEMORY;
    ucpo_status st = json_matrix(label_of(v), path, square, rows, 0, &room, &whole, err);
    for (size_t i = 0; !st && i < n; i++)
        for (size_t j = 0; j < n; j++) m[i * n + j] = whole[v->place[i] * rows + v->place[j]];
    mem_pool_free(&room);
    *out = m;
    return st;
}

/* VROOM minimises costs, or durations if it has none. */
static ucpo_status take_matrices(struct vroom *v, ucpo_error *err)
{
    char path[96];
    const json_t *durations =
        json_is_array(v->matrices) ? v->matrices : json_object_get(v->matrices, "durations");
    const json_t *costs = json_is_array(v->matrices) ? NULL : json_object_get(v->matrices, "costs");
    snprintf(path, sizeof path, "matrices.%.40s.durations", v->profile);
    ucpo_status st = pick(v, path, durations, costs ? &v->duration : &v->cost, err);
    snprintf(path, sizeof path, "matrices.%.40s.costs", v->profile);
    if (!st && costs) st = pick(v, path, costs, &v->cost, err);
    v->data.cost = v->cost;
    v->data.duration = v->duration;
    if (!costs) v->data.cost_unit = "s";
    if (!st) json_warn_about_islands(v->source, v->cost, v->n, v->id);
    if (v->source->options->speed > 0.0) io_no_effect(v->source, "speed", "the file has a matrix");
    return st;
}

static void take_straight_lines(struct vroom *v)
{
    const ucpo_read_config *o = v->source->options;
    double speed = o->speed > 0.0 ? o->speed : DEFAULT_SPEED;
    v->data.speed = speed / 3600.0; /* kilometres a second */
    if (o->speed <= 0.0)
        io_warn(v->source, 0,
                "there is no matrix: travel times are straight lines at %g km/h (option 'speed' "
                "changes it)",
                DEFAULT_SPEED);
}

/* Whether times may be seconds since midnight: none is later than the next day's, and they do not look like
 * seconds since the beginning of a plan, as VROOM allows too: a vehicle's window that opens at 0 and closes
 * before midnight, or without one a job's that opens in the small hours. */
static int are_of_the_day(const struct vroom *v)
{
    int has_window = !is_empty(json_object_get(v->vehicle, "time_window"));
    double least = HUGE_VAL, most = 0.0;
    for (size_t k = has_window ? 0 : 1; k < v->n; k++) {
        if (!isfinite(v->due[k])) continue;
        least = fmin(least, v->ready[k]);
        most = fmax(most, v->due[k]);
    }
    if (!(least >= 0.0 && isfinite(least)) || most > 2.0 * DAY) return 0;
    if (!has_window) return least >= SMALL_HOURS;
    return v->ready[0] > 0.0 || v->due[0] >= DAY - 60.0;
}

static double travel_time(const struct vroom *v, size_t from, size_t to)
{
    const double *leg = v->duration ? v->duration : v->cost;
    if (leg) return leg[from * v->n + to];
    return geometry_length(&v->data, (int32_t)from, (int32_t)to) / v->data.speed;
}

/* The longest way there is into j, at least; on straight lines no way is longer than twice the longest from the
 * depot. */
static double longest_into(const struct vroom *v, size_t j, double farthest)
{
    double longest = 2.0 * farthest;
    for (size_t i = 0; v->cost && i < v->n; i++) {
        double leg = travel_time(v, i, j);
        if (i != j && isfinite(leg)) longest = fmax(longest, leg);
    }
    return longest;
}

/* Time that suffices for all jobs in any order, one behind the other. */
static double all_work(const struct vroom *v)
{
    double sum = 0.0, farthest = 0.0;
    for (size_t j = 1; !v->cost && j < v->n; j++) farthest = fmax(farthest, travel_time(v, 0, j));
    for (size_t j = 1; j < v->n; j++)
        sum += longest_into(v, j, farthest) + v->service[j] + v->setup[j];
    return sum;
}

/* Seconds since 1970 become seconds since the midnight (UTC) before the first. A vehicle without a window may
 * leave at any time: the midnight is one that leaves time for all jobs before the first window. */
static void settle_clock(struct vroom *v)
{
    double least = HUGE_VAL;
    for (size_t k = 0; k < v->n; k++) {
        int is_set = isfinite(v->due[k]);
        if (is_set) least = fmin(least, v->ready[k]);
    }
    if (are_of_the_day(v)) v->data.clock = 1.0;
    if (!(least >= 1e9 && least < 1e11)) return;
    if (is_empty(json_object_get(v->vehicle, "time_window"))) least -= all_work(v);
    double day = floor(fmax(least, 0.0) / DAY);
    for (size_t k = 0; k < v->n; k++) {
        v->ready[k] = fmax(v->ready[k] - day * DAY, 0.0);
        v->due[k] -= day * DAY;
    }
    v->data.clock = 1.0;
    v->data.clock_day = (int32_t)day;
}

/* ---- the problem ---- */

static ucpo_status take_loads(struct vroom *v, ucpo_error *err)
{
    double capacity = 0.0;
    int has_capacity = 0;
    size_t vehicles = json_array_size(v->vehicles);
    ucpo_status st =
        take_load(v, "vehicles[0]", v->vehicle, "capacity", &capacity, &has_capacity, err);
    if (st) return st;
    if (v->has_pickups && v->has_deliveries)
        st = io_leave_out(UCPO_READ_HARDER, v->source, 0, err,
                          "there are pickups and deliveries: ucpo counts one of them along a route "
                          "(option 'ignore_unsupported' adds them up)");
    int is_fleet = has_capacity || vehicles > 1;
    if (!has_capacity && (v->has_pickups || v->has_deliveries))
        io_warn(v->source, 0, "jobs have loads, but vehicles no capacity: they carry anything");
    v->data.problem = prob_name_with(is_fleet ? PROB_TIMED_FLEET : PROB_TIMED_TOUR);
    if (st || !is_fleet) return st;
    int has_loads = v->has_pickups || v->has_deliveries;
    v->data.vehicles = (int32_t)vehicles;
    v->data.demand = v->demand;
    v->data.capacity = capacity;
    if (has_loads && !has_capacity) { /* vehicles that may carry anything */
        for (size_t k = 1; k < v->n; k++) v->data.capacity += v->demand[k];
    } else if (!has_loads) {
        for (size_t k = 1; k < v->n; k++) v->demand[k] = 1.0;
        v->data.capacity = (double)v->n;
    }
    if (v->data.capacity <= 0.0) v->data.capacity = 1.0;
    return UCPO_OK;
}

static ucpo_status allocate(struct vroom *v, ucpo_error *err)
{
    double **array[] = {&v->lat, &v->lon, &v->ready, &v->due, &v->service, &v->setup, &v->demand};
    for (size_t k = 0; k < sizeof array / sizeof array[0]; k++)
        *array[k] = mem_take(&v->pool, v->n, sizeof(double), err);
    v->place = mem_take(&v->pool, v->n, sizeof *v->place, err);
    v->where = mem_take(&v->pool, v->n, sizeof *v->where, err);
    v->id = mem_take(&v->pool, v->n, sizeof *v->id, err);
    v->label = mem_take(&v->pool, v->n, sizeof *v->label, err);
    v->ids = mem_take(&v->pool, v->n, JSON_NUMBER_BYTES, err);
    return v->pool.has_failed ? UCPO_E_MEMORY : UCPO_OK;
}

static ucpo_status build(struct vroom *v, ucpo_dataset *set, ucpo_error *err)
{
    ucpo_instance_data *d = &v->data;
    ucpo_status st = allocate(v, err);
    d->x = v->lat;
    d->y = v->lon;
    if (!st) st = take_depot(v, err);
    for (size_t k = 0; !st && k + 1 < v->n; k++) st = take_job(v, k, err);
    if (!st) st = check_ids(v, err);
    if (!st) st = take_loads(v, err);
    if (!st) st = settle_setups(v, err);
    if (!st && v->matrices)
        st = take_matrices(v, err);
    else if (!st)
        take_straight_lines(v);
    if (st) return st;
    d->n = (int32_t)v->n;
    if (!d->x) d->y = NULL;
    if (d->x) d->metric = UCPO_METRIC_HAVERSINE;
    settle_clock(v);
    say_what_changed(v);
    d->name = io_name_of_file(label_of(v), v->name);
    d->ready = v->ready;
    d->due = v->due;
    d->service = v->service;
    d->id = v->id;
    if (io_has_text(v->label, v->n)) d->label = v->label;
    return io_add_instance(v->source, 0, d, set, err);
}

ucpo_status json_read_vroom(const struct io_source *source, const json_t *root, ucpo_dataset *set,
                            ucpo_error *err)
{
    struct vroom v = {.source = source,
                      .root = root,
                      .jobs = json_object_get(root, "jobs"),
                      .vehicles = json_object_get(root, "vehicles"),
                      .data = ucpo_instance_data_default()};
    size_t jobs = json_array_size(v.jobs);
    if (jobs < 1 || jobs >= IO_MAX_NODES)
        return json_wrong(source->label, "jobs", v.jobs, "an array of 1 .. 65535", err);
    if (json_array_size(v.vehicles) < 1)
        return json_wrong(source->label, "vehicles", v.vehicles, "an array of at least 1", err);
    v.n = jobs + 1;
    v.vehicle = json_array_get(v.vehicles, 0);
    v.profile = json_string_value(json_object_get(v.vehicle, "profile"));
    if (!v.profile) v.profile = "car";
    v.matrices = json_object_get(json_object_get(root, "matrices"), v.profile);
    const json_t *matrices = json_object_get(root, "matrices");
    if (json_object_size(matrices) > 0 && !v.matrices)
        return status_format(err, source->label, 0,
                             "matrices has no profile '%.40s', which vehicles[0] has", v.profile);
    if (!v.matrices) v.matrices = json_object_get(root, "matrix");
    ucpo_status st = check_root(&v, err);
    if (!st) st = check_fleet(&v, err);
    if (!st) st = build(&v, set, err);
    mem_pool_free(&v.pool);
    return st;
}
