/* The data dictionary of OR-Tools' routing examples, saved as JSON. */
#include "core/text.h"
#include "io/json_foreign.h"
#include "problem/problem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct dictionary {
    const struct io_source *source;
    const json_t *root;
    size_t n;
    double depot;
    struct io_matrices matrices;
    double *ready, *due, *service, *demand, *x, *y;
    ucpo_file_notes file;
    char name[IO_NAME_SIZE];
    ucpo_instance_data data;
    struct mem_pool pool; /* holds the arrays */
};

/* Known, but not modelled, and what the instance is without it. */
static const struct {
    const char *key;
    ucpo_reading way;
} lost[] = {
    {"pickups_deliveries", UCPO_READ_EASIER},
    {"starts", UCPO_READ_EITHER},
    {"ends", UCPO_READ_EITHER},
    {"max_distance", UCPO_READ_EASIER},
    {"vehicle_max_distance", UCPO_READ_EASIER},
    {"max_travel_time", UCPO_READ_EASIER},
    {"vehicle_max_time", UCPO_READ_EASIER},
    {"penalties", UCPO_READ_HARDER},
    {"penalty", UCPO_READ_HARDER},
    {"depot_capacity", UCPO_READ_EASIER},
    {"vehicle_load_time", UCPO_READ_EASIER},
    {"vehicle_unload_time", UCPO_READ_EASIER},
    {"breaks", UCPO_READ_EASIER},
    {"vehicle_costs", UCPO_READ_COST},
};

enum { LOST = sizeof lost / sizeof lost[0] };

static const char known[] = "distance_matrix time_matrix time_windows demands vehicle_capacities "
                            "num_vehicles vehicle_capacity depot service_time service_times "
                            "locations coordinates name";

static const json_t *get(const struct dictionary *d, const char *key)
{
    return json_object_get(d->root, key);
}

static ucpo_status wrong(const struct dictionary *d, const char *key, const char *expected,
                         ucpo_error *err)
{
    return json_wrong(d->source->label, key, get(d, key), expected, err);
}

/* What ucpo does not model is named; a misspelt key too. */
static ucpo_status check_keys(const struct dictionary *d, ucpo_error *err)
{
    ucpo_status st = UCPO_OK;
    char words[600];
    snprintf(words, sizeof words, "%s", known);
    for (size_t k = 0; !st && k < LOST; k++) {
        text_append(words, sizeof words, " ", "%s", lost[k].key);
        if (get(d, lost[k].key))
            st = io_leave_out(lost[k].way, d->source, 0, err,
                              "key '%s': ucpo has no counterpart (one depot, deliveries only, "
                              "all places are served; option 'ignore_unsupported' drops it)",
                              lost[k].key);
    }
    return st ? st : json_check_keys(d->source, "", "", d->root, words, err);
}

static ucpo_status take_matrices(struct dictionary *d, ucpo_error *err)
{
    const json_t *length = get(d, "distance_matrix"), *time = get(d, "time_matrix");
    d->n = json_array_size(length ? length : time);
    const char *first = length ? "distance_matrix" : "time_matrix";
    if (d->n < 2 || d->n > IO_MAX_NODES) return wrong(d, first, "an array of 2 .. 65536", err);
    ucpo_status st = json_matrix(d->source->label, first, length ? length : time, d->n, 0, &d->pool,
                                 &d->matrices.cost, err);
    if (!st && length && time)
        st = json_matrix(d->source->label, "time_matrix", time, d->n, 0, &d->pool,
                         &d->matrices.duration, err);
    d->matrices.n = d->n;
    return st;
}

static ucpo_status take_depot(struct dictionary *d, ucpo_error *err)
{
    d->depot = 0.0;
    if (!get(d, "depot")) return UCPO_OK;
    if (!json_whole(get(d, "depot"), 0, (double)d->n - 1.0, &d->depot))
        return wrong(d, "depot", "the number of a place, from 0", err);
    json_matrices_move(&d->matrices, (size_t)d->depot);
    d->file.depot = (int32_t)d->depot;
    d->data.file = &d->file;
    return UCPO_OK;
}

/* Node of place k of the dictionary. */
static size_t node_of(const struct dictionary *d, size_t place)
{
    size_t depot = (size_t)d->depot;
    return place == depot ? 0 : place < depot ? place + 1 : place;
}

static ucpo_status take_vector(const struct dictionary *d, const char *key, double *out,
                               ucpo_error *err)
{
    const json_t *list = get(d, key);
    char expected[48];
    snprintf(expected, sizeof expected, "an array of %zu numbers >= 0", d->n);
    if (!json_is_array(list) || json_array_size(list) != d->n) return wrong(d, key, expected, err);
    for (size_t k = 0; k < d->n; k++) {
        const json_t *entry = json_array_get(list, k);
        if (!json_is_number(entry) || json_number_value(entry) < 0.0)
            return wrong(d, key, expected, err);
        out[node_of(d, k)] = json_number_value(entry);
    }
    return UCPO_OK;
}

static ucpo_status take_pairs(const struct dictionary *d, const char *key, double *first,
                              double *second, ucpo_error *err)
{
    const json_t *list = get(d, key);
    char expected[48];
    snprintf(expected, sizeof expected, "an array of %zu pairs of numbers", d->n);
    if (!json_is_array(list) || json_array_size(list) != d->n) return wrong(d, key, expected, err);
    for (size_t k = 0; k < d->n; k++) {
        const json_t *pair = json_array_get(list, k);
        const json_t *a = json_array_get(pair, 0), *b = json_array_get(pair, 1);
        if (json_array_size(pair) != 2 || !json_is_number(a) || !json_is_number(b))
            return wrong(d, key, expected, err);
        first[node_of(d, k)] = json_number_value(a);
        second[node_of(d, k)] = json_number_value(b);
    }
    return UCPO_OK;
}

static ucpo_status take_windows(struct dictionary *d, ucpo_error *err)
{
    ucpo_status st = UCPO_OK;
    for (size_t k = 0; k < d->n; k++) d->due[k] = (double)INFINITY;
    if (get(d, "time_windows")) {
        st = take_pairs(d, "time_windows", d->ready, d->due, err);
        d->due[0] = (double)INFINITY;
        io_warn(d->source, 0,
                "as in OR-Tools' examples the window of the depot is for leaving, vehicles "
                "may come back at "
                "any time");
    }
    const char *key = get(d, "service_times") ? "service_times" : "service_time";
    const json_t *service = get(d, key);
    if (st || !service) return st;
    if (json_is_number(service) && json_number_value(service) >= 0.0)
        for (size_t k = 1; k < d->n; k++) d->service[k] = json_number_value(service);
    else
        st = take_vector(d, key, d->service, err);
    d->service[0] = 0.0;
    d->data.service = d->service;
    return st;
}

/* One capacity for all vehicles. */
static ucpo_status take_capacity(struct dictionary *d, double vehicles, ucpo_error *err)
{
    const json_t *list = get(d, "vehicle_capacities"), *one = get(d, "vehicle_capacity");
    if (json_is_number(one)) d->data.capacity = json_number_value(one);
    if (!list) return UCPO_OK;
    if (!json_is_array(list) || json_array_size(list) == 0)
        return wrong(d, "vehicle_capacities", "an array of numbers", err);
    if (vehicles > 0.0 && vehicles != (double)json_array_size(list))
        return wrong(d, "vehicle_capacities", "as many entries as num_vehicles says", err);
    d->data.capacity = json_number_value(json_array_get(list, 0));
    for (size_t k = 0; k < json_array_size(list); k++) {
        const json_t *entry = json_array_get(list, k);
        if (!json_is_number(entry))
            return wrong(d, "vehicle_capacities", "an array of numbers", err);
        if (json_number_value(entry) != d->data.capacity)
            return status_fail_at(
                err, UCPO_E_UNSUPPORTED, d->source->label, 0,
                "vehicle_capacities[%zu] is %g, the first is %g: ucpo plans with vehicles of "
                "one kind",
                k, json_number_value(entry), d->data.capacity);
    }
    return UCPO_OK;
}

static ucpo_status take_fleet(struct dictionary *d, ucpo_error *err)
{
    double vehicles = 0.0;
    const json_t *count = get(d, "num_vehicles");
    if (count && !json_whole(count, 1, INT32_MAX, &vehicles))
        return wrong(d, "num_vehicles", "a whole number >= 1", err);
    ucpo_status st = take_capacity(d, vehicles, err);
    if (st) return st;
    if (vehicles == 0.0) vehicles = (double)json_array_size(get(d, "vehicle_capacities"));
    int has_loads = get(d, "demands") != NULL;
    int is_fleet = has_loads || vehicles > 1.0 || d->data.capacity > 0.0;
    if (!has_loads && d->data.capacity > 0.0)
        io_warn(d->source, 0, "there are no demands: the vehicles carry anything");
    d->data.problem = prob_name_with(is_fleet ? PROB_TIMED_FLEET : PROB_TIMED_TOUR);
    if (!is_fleet) return UCPO_OK;
    d->data.vehicles = (int32_t)vehicles;
    d->data.demand = d->demand;
    if (has_loads) st = take_vector(d, "demands", d->demand, err);
    for (size_t k = 1; !has_loads && k < d->n; k++) d->demand[k] = 1.0; /* each place counts 1 */
    if (!has_loads) d->data.capacity = (double)d->n;
    return st;
}

static ucpo_status take_places(struct dictionary *d, ucpo_error *err)
{
    const char *key = get(d, "locations") ? "locations" : "coordinates";
    if (!get(d, key)) return UCPO_OK;
    ucpo_status st = take_pairs(d, key, d->x, d->y, err);
    d->data.x = d->x;
    d->data.y = d->y;
    return st;
}

static ucpo_status build(struct dictionary *d, ucpo_dataset *set, ucpo_error *err)
{
    double **array[] = {&d->ready, &d->due, &d->service, &d->demand, &d->x, &d->y};
    for (size_t k = 0; k < sizeof array / sizeof array[0]; k++)
        *array[k] = mem_take(&d->pool, d->n, sizeof(double), err);
    if (d->pool.has_failed) return UCPO_E_MEMORY;
    d->data.n = (int32_t)d->n;
    d->data.name = json_string_value(get(d, "name"));
    if (!d->data.name) d->data.name = io_name_of_file(d->source->label, d->name);
    d->data.cost = d->matrices.cost;
    d->data.duration = d->matrices.duration;
    d->data.ready = d->ready;
    d->data.due = d->due;
    ucpo_status st = take_windows(d, err);
    if (!st) st = take_fleet(d, err);
    if (!st) st = take_places(d, err);
    if (!st && d->depot > 0.0) st = io_number_nodes(&d->pool, &d->data, 0, err);
    if (!st) json_warn_about_islands(d->source, d->matrices.cost, d->n, d->data.id);
    if (d->source->options->speed > 0.0) io_no_effect(d->source, "speed", "the file has a matrix");
    return st ? st : io_add_instance(d->source, 0, &d->data, set, err);
}

ucpo_status json_read_dictionary(const struct io_source *source, const json_t *root,
                                 ucpo_dataset *set, ucpo_error *err)
{
    struct dictionary d = {.source = source, .root = root, .data = ucpo_instance_data_default()};
    ucpo_status st = check_keys(&d, err);
    if (!st) st = take_matrices(&d, err);
    if (!st) st = take_depot(&d, err);
    if (!st) st = build(&d, set, err);
    mem_pool_free(&d.pool);
    return st;
}
