#include "cli/summary.h"

#include <math.h>
#include <string.h>

#include "cli/output.h"
#include "cli/reading.h"

/* ---- gathering ---- */

static void widen(struct range *range, double value)
{
    if (isnan(value)) return;
    if (!(range->low <= value)) range->low = value;
    if (!(range->high >= value)) range->high = value;
}

static void add_windows(struct summary *s, const ucpo_instance_data *data)
{
    double latest = data->ready[0];
    s->with_windows++;
    for (int32_t i = 1; i < data->n; i++)
        if (isfinite(data->due[i])) latest = fmax(latest, data->due[i]);
    double horizon = latest - data->ready[0];
    s->horizon += horizon;
    for (int32_t i = 1; i < data->n; i++) {
        double width = data->due[i] - data->ready[i];
        if (!isfinite(width)) continue;
        s->windowed++;
        s->window_width += width;
        if (horizon > 0.0) s->window_share += width / horizon;
    }
}

static void add_loads(struct summary *s, const ucpo_instance_data *data)
{
    double total = 0.0;
    for (int32_t i = 1; i < data->n; i++) total += data->demand[i];
    widen(&s->total_demand, total);
    if (data->limit) {
        s->with_limits++;
        s->draft = data->draft;
        for (int32_t i = 1; i < data->n; i++) s->limited += data->limit[i] < total;
    } else if (data->capacity > 0.0) {
        s->with_capacity++;
        widen(&s->capacity, data->capacity);
        widen(&s->least_vehicles, ceil(total / data->capacity - 1e-9));
    }
}

static int is_symmetric(const ucpo_instance_data *data)
{
    size_t n = (size_t)data->n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            if (data->cost[i * n + j] != data->cost[j * n + i]) return 0;
    return 1;
}

static void add_legs(struct summary *s, const ucpo_instance_data *data)
{
    if (data->duration) s->with_duration++;
    if (data->speed > 0.0) s->with_speed++;
    if (data->cost) {
        s->with_matrix++;
        s->asymmetric += !is_symmetric(data);
        return;
    }
    s->metric = data->metric;
    s->rounding = data->rounding;
}

static int has_service(const ucpo_instance_data *data)
{
    for (int32_t i = 0; data->service && i < data->n; i++)
        if (data->service[i] > 0.0) return 1;
    return 0;
}

static void add_instance(struct summary *s, const ucpo_instance_data *data)
{
    s->count++;
    s->customers += (size_t)data->n - 1;
    widen(&s->n, data->n);
    widen(&s->unit, data->unit);
    widen(&s->tolerance, data->tolerance);
    widen(&s->best_known, data->best_known);
    s->with_service += (size_t)has_service(data);
    if (data->vehicles > 0) {
        s->with_fleet++;
        widen(&s->vehicles, data->vehicles);
    }
    if (s->problem && strcmp(s->problem, data->problem) != 0) s->problem = NULL;
    add_legs(s, data);
    if (data->due) add_windows(s, data);
    if (data->demand) add_loads(s, data);
}

struct summary summarize(const ucpo_dataset *set)
{
    const struct range none = {NAN, NAN};
    const ucpo_instance_data *first = ucpo_instance_view(ucpo_dataset_at(set, 0));
    struct summary s = {.problem = first->problem,
                        .n = none,
                        .unit = none,
                        .tolerance = none,
                        .capacity = none,
                        .vehicles = none,
                        .best_known = none,
                        .total_demand = none,
                        .least_vehicles = none};
    for (size_t i = 0; i < ucpo_dataset_count(set); i++)
        add_instance(&s, ucpo_instance_view(ucpo_dataset_at(set, i)));
    if (s.count == 1) s.name = first->name;
    return s;
}

/* ---- text ---- */

/* "5" or "5 to 7"; returns buf. */
static const char *range_text(char *buf, size_t size, struct range range)
{
    if (range.low == range.high)
        snprintf(buf, size, "%.6g", range.low);
    else
        snprintf(buf, size, "%.6g to %.6g", range.low, range.high);
    return buf;
}

static void range_line(FILE *out, const char *key, struct range range)
{
    char text[80];
    if (!isnan(range.low)) report_line(out, key, "%s", range_text(text, sizeof text, range));
}

static void text_legs(FILE *out, const struct summary *s)
{
    if (s->with_matrix == s->count)
        report_line(out, "distances", "matrix, %s", s->asymmetric ? "asymmetric" : "symmetric");
    else
        report_line(out, "distances", "from coordinates, %s, rounding: %s", metric_name(s->metric),
                    length_rounding(s->metric, s->rounding));
    if (s->with_duration) report_line(out, "times", "matrix of their own");
    if (s->with_speed) report_line(out, "times", "by a speed");
}

static void text_windows(FILE *out, const struct summary *s)
{
    if (s->with_windows == 0) return;
    if (s->windowed == 0) {
        report_line(out, "windows", "none is bounded");
        return;
    }
    double many = (double)s->windowed;
    report_line(out, "windows", "%zu of %zu customers, mean width %.6g = %.1f %% of the horizon",
                s->windowed, s->customers, s->window_width / many, 100.0 * s->window_share / many);
    report_line(out, "horizon", "%.6g%s", s->horizon / (double)s->with_windows,
                s->count > 1 ? " (mean)" : "");
    report_line(out, "service", "%s", s->with_service ? "yes" : "none");
}

static void text_loads(FILE *out, const struct summary *s)
{
    char total[80], vehicles[80];
    if (s->with_capacity)
        report_line(out, "demand", "%s, at least %s vehicles",
                    range_text(total, sizeof total, s->total_demand),
                    range_text(vehicles, sizeof vehicles, s->least_vehicles));
    else
        range_line(out, "demand", s->total_demand);
    range_line(out, "capacity", s->capacity);
    if (s->with_limits)
        report_line(out, "draft", "limits bind at %zu of %zu ports (%.1f %%), ship %s", s->limited,
                    s->customers, 100.0 * (double)s->limited / (double)s->customers,
                    s->draft == UCPO_DRAFT_LOAD ? "loads" : "unloads");
    if (s->with_capacity && s->with_fleet == 0) report_line(out, "vehicles", "no limit");
    range_line(out, "vehicles", s->vehicles);
}

void summary_text(FILE *out, const struct summary *s)
{
    report_line(out, "problem", "%s", s->problem ? s->problem : "mixed");
    report_line(out, "instances", "%zu", s->count);
    if (s->name && s->name[0]) report_line(out, "name", "%s", s->name);
    range_line(out, "nodes", s->n);
    text_legs(out, s);
    range_line(out, "unit", s->unit);
    range_line(out, "tolerance", s->tolerance);
    text_windows(out, s);
    text_loads(out, s);
    range_line(out, "best known", s->best_known);
}

/* ---- JSON ---- */

static void json_range(FILE *out, int *is_first, const char *key, struct range range)
{
    if (isnan(range.low)) return;
    put_json_key(out, is_first, key);
    fputc('[', out);
    put_json_number(out, range.low);
    fputs(", ", out);
    put_json_number(out, range.high);
    fputc(']', out);
}

static void json_windows(FILE *out, int *is_first, const struct summary *s)
{
    double many = (double)s->windowed;
    put_json_value(out, is_first, "windowed_customers", many);
    if (s->windowed == 0) return;
    put_json_value(out, is_first, "mean_window", s->window_width / many);
    put_json_value(out, is_first, "mean_window_share", s->window_share / many);
    put_json_value(out, is_first, "mean_horizon", s->horizon / (double)s->with_windows);
}

void summary_json(FILE *out, const struct summary *s, int *is_first)
{
    put_json_text(out, is_first, "problem", s->problem ? s->problem : "mixed");
    put_json_value(out, is_first, "instances", (double)s->count);
    if (s->name && s->name[0]) put_json_text(out, is_first, "name", s->name);
    json_range(out, is_first, "n", s->n);
    put_json_value(out, is_first, "customers", (double)s->customers);
    put_json_text(out, is_first, "distances",
                  s->with_matrix == s->count ? "matrix" : "coordinates");
    if (s->with_matrix < s->count) {
        put_json_text(out, is_first, "metric", metric_name(s->metric));
        put_json_text(out, is_first, "rounding", length_rounding(s->metric, s->rounding));
    }
    json_range(out, is_first, "unit", s->unit);
    json_range(out, is_first, "tolerance", s->tolerance);
    if (s->with_windows) json_windows(out, is_first, s);
    json_range(out, is_first, "total_demand", s->total_demand);
    json_range(out, is_first, "capacity", s->capacity);
    json_range(out, is_first, "least_vehicles", s->least_vehicles);
    json_range(out, is_first, "vehicles", s->vehicles);
    if (s->with_limits) {
        put_json_value(out, is_first, "limited_ports", (double)s->limited);
        put_json_text(out, is_first, "draft", s->draft == UCPO_DRAFT_LOAD ? "load" : "unload");
    }
    json_range(out, is_first, "best_known", s->best_known);
}
