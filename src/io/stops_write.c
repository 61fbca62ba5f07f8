/* Writing a CSV of stops, so that it reads back as the same instance. */
#include "io/stops.h"

#include "problem/problem.h"

#include <math.h>
#include <string.h>

static ucpo_status refuse(const char *why, ucpo_error *err)
{
    return status_fail(err, UCPO_E_UNSUPPORTED, "format csv: the instance %s (use json)", why);
}

/* Times of the day are minutes in a CSV. A clock of other units is written as plain numbers. */
static int counts_minutes(const ucpo_instance_data *d)
{
    return d->clock == 60.0;
}

static ucpo_status check_instance(const ucpo_instance_data *d, ucpo_error *err)
{
    int is_degrees = d->metric == UCPO_METRIC_HAVERSINE;
    if (d->limit) return refuse("has draft limits", err);
    if (d->cost || d->duration) return refuse("has a matrix", err);
    if (d->metric != UCPO_METRIC_EUCLID && !is_degrees)
        return refuse("has neither Euclidean lengths nor great circles", err);
    if (d->rounding != UCPO_ROUND_NONE) return refuse("has rounded lengths", err);
    if (d->file->service_in_cost != 0.0) return refuse("has service times in its costs", err);
    if ((is_degrees || counts_minutes(d)) && !(d->speed > 0.0))
        return refuse("has degrees or times of the day, but no speed", err);
    return UCPO_OK;
}

/* Times of the day are to the second, and without a date of one day. */
static int has_clock_times(const ucpo_instance_data *d)
{
    if (!counts_minutes(d) || !d->due) return 0;
    for (int32_t i = 0; i < d->n; i++) {
        const double times[] = {d->ready[i], isinf(d->due[i]) ? d->ready[i] : d->due[i]};
        for (int k = 0; k < 2; k++) {
            double seconds = times[k] * 60.0;
            if (seconds != floor(seconds) || seconds < 0.0) return 0;
            if (d->clock_day == 0 && seconds >= 86400.0) return 0;
        }
    }
    return 1;
}

static ucpo_status warn_losses(const ucpo_instance_data *d, const ucpo_write_config *options,
                               ucpo_error *err)
{
    ucpo_status st = UCPO_OK;
    double per_hour =
        counts_minutes(d) || d->metric == UCPO_METRIC_HAVERSINE ? 60.0 * d->speed : d->speed;
    if (d->speed > 0.0)
        st = io_cannot_carry(
            options, err,
            "format csv cannot carry the speed (pass option 'speed' %.6g when reading it)",
            per_hour);
    if (!st && d->clock > 0.0 && !has_clock_times(d))
        st = io_cannot_carry(
            options, err, "format csv cannot carry these times as times of the day, they become %s",
            counts_minutes(d) ? "minutes" : "numbers");
    if (!st && !d->due)
        st = io_cannot_carry(options, err,
                             "format csv does not carry the problem: read it back with problem %s "
                             "named, without times it is taken for %s with open windows",
                             d->problem, prob_name_with(PROB_TIMED_FLEET));
    if (!st && !isnan(d->best_known))
        st = io_cannot_carry(options, err, "format csv cannot carry the best known cost");
    return st;
}

static void put_text(struct io_buffer *out, const char *text)
{
    int needs_quotes = strpbrk(text, ",;\t\"\n\r#") != NULL;
    if (needs_quotes) io_put(out, "\"", 1);
    for (; *text; text++) io_put(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    if (needs_quotes) io_put(out, "\"", 1);
}

static void put_time(struct io_buffer *out, const ucpo_instance *inst, double time, int is_clock)
{
    char text[40];
    io_put(out, ",", 1);
    if (isinf(time)) return;
    if (is_clock)
        io_printf(out, "%s", ucpo_clock_text(inst, time, 1, text, sizeof text));
    else
        io_put_number(out, time);
}

static void put_value(struct io_buffer *out, double value)
{
    io_put(out, ",", 1);
    io_put_number(out, value);
}

static void put_row(struct io_buffer *out, const ucpo_instance *inst, int32_t node, int is_clock)
{
    const ucpo_instance_data *d = ucpo_instance_view(inst);
    char id[160];
    io_printf(out, "%s,", node == 0 ? "depot" : "stop");
    put_text(out, ucpo_node_text(inst, node, id, sizeof id));
    if (d->label) io_put(out, ",", 1);
    if (d->label) put_text(out, d->label[node]);
    put_value(out, d->x[node]);
    put_value(out, d->y[node]);
    if (d->due) put_time(out, inst, d->ready[node], is_clock);
    if (d->due) put_time(out, inst, d->due[node], is_clock);
    if (d->service) put_value(out, d->service[node]);
    if (d->demand) put_value(out, d->demand[node]);
    if (d->demand && node == 0) put_value(out, d->capacity);
    if (d->demand && node == 0 && d->vehicles > 0) put_value(out, d->vehicles);
    io_put(out, "\n", 1);
}

ucpo_status stops_write(struct io_buffer *out, const ucpo_dataset *set,
                        const ucpo_write_config *options, ucpo_error *err)
{
    const ucpo_instance *inst = ucpo_dataset_at(set, 0);
    const ucpo_instance_data *d = ucpo_instance_view(inst);
    if (options->scale > 0.0)
        return status_argument(err, "scale is %g, but format csv keeps every number as it is",
                               options->scale);
    ucpo_status st = check_instance(d, err);
    if (!st) st = warn_losses(d, options, err);
    if (st) return st;
    io_printf(out, "kind,id%s,%s%s%s%s%s\n", d->label ? ",name" : "",
              d->metric == UCPO_METRIC_HAVERSINE ? "lat,lon" : "x,y", d->due ? ",ready,due" : "",
              d->service ? ",service" : "", d->demand ? ",demand,capacity" : "",
              d->vehicles > 0 ? ",vehicles" : "");
    int is_clock = has_clock_times(d);
    for (int32_t node = 0; node < d->n; node++) put_row(out, inst, node, is_clock);
    return UCPO_OK;
}
