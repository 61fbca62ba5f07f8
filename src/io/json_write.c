/* Writing JSON instances: one key per line, every array on one line. */
#include "io/clock.h"
#include "io/json.h"
#include "problem/problem.h"

#include <math.h>

struct writer {
    struct io_buffer *out;
    const char *indent;
    int members; /* written so far: decides about the comma */
};

static void begin(struct writer *w, const char *key)
{
    io_printf(w->out, "%s%s\"%s\": ", w->members++ ? ",\n" : "", w->indent, key);
}

static void put_text(struct writer *w, const char *key, const char *text)
{
    begin(w, key);
    json_put_string(w->out, text);
}

static void put_number(struct writer *w, const char *key, double value)
{
    begin(w, key);
    json_put_number(w->out, value);
}

static void put_vector(struct writer *w, const char *key, const double *v, int32_t n)
{
    if (!v) return;
    begin(w, key);
    for (int32_t i = 0; i < n; i++) {
        io_put(w->out, i ? ", " : "[", i ? 2 : 1);
        json_put_number(w->out, v[i]);
    }
    io_put(w->out, "]", 1);
}

static void put_places(struct writer *w, const ucpo_instance_data *d)
{
    if (!d->place) return;
    begin(w, "places");
    for (int32_t i = 0; i < d->n; i++) io_printf(w->out, "%s%d", i ? ", " : "[", (int)d->place[i]);
    io_put(w->out, "]", 1);
}

static void put_pairs(struct writer *w, const char *key, const double *a, const double *b,
                      int32_t n)
{
    if (!a) return;
    begin(w, key);
    for (int32_t i = 0; i < n; i++) {
        io_put(w->out, i ? ", [" : "[[", i ? 3 : 2);
        json_put_number(w->out, a[i]);
        io_put(w->out, ",", 1);
        json_put_number(w->out, b[i]);
        io_put(w->out, "]", 1);
    }
    io_put(w->out, "]", 1);
}

static void put_matrix(struct writer *w, const char *key, const double *m,
                       const ucpo_instance_data *d)
{
    if (!m) return;
    int32_t n = d->n;
    begin(w, key);
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) {
            io_put(w->out, j ? "," : i ? ", [" : "[[", j ? 1 : i ? 3 : 2);
            double entry = m[(size_t)i * (size_t)n + (size_t)j];
            if (d->no_way > 0.0 && i != j && entry >= d->no_way)
                io_put(w->out, "null", 4);
            else
                io_put_number(w->out, entry);
        }
        io_put(w->out, "]", 1);
    }
    io_put(w->out, "]", 1);
}

static void put_texts(struct writer *w, const char *key, const char *const *text, int32_t n)
{
    if (!text) return;
    begin(w, key);
    for (int32_t i = 0; i < n; i++) {
        io_put(w->out, i ? ", " : "[", i ? 2 : 1);
        json_put_string(w->out, text[i]);
    }
    io_put(w->out, "]", 1);
}

static void put_date(struct writer *w, int32_t day)
{
    char date[IO_DATE_SIZE];
    if (day != 0) put_text(w, "date", io_date_text(day, date));
}

static void put_instance(struct writer *w, const ucpo_instance *inst)
{
    const ucpo_instance_data *d = ucpo_instance_view(inst);
    put_text(w, "problem", d->problem);
    if (d->name[0]) put_text(w, "name", d->name);
    put_number(w, "n", d->n);
    put_texts(w, "ids", d->id, d->n);
    put_texts(w, "names", d->label, d->n);
    put_pairs(w, "coordinates", d->x, d->y, d->n);
    if (d->x) {
        put_text(w, "metric", io_metrics[d->metric]);
        put_text(w, "rounding", io_roundings[d->rounding]);
    }
    put_matrix(w, "cost", d->cost, d);
    put_matrix(w, "duration", d->duration, d);
    if (d->speed > 0.0) put_number(w, "speed", d->speed);
    put_pairs(w, "time_windows", d->ready, d->due, d->n);
    put_vector(w, "service", d->service, d->n);
    put_vector(w, "setup", d->setup, d->n);
    put_places(w, d);
    put_vector(w, "demand", d->demand, d->n);
    put_vector(w, "draft_limit", d->limit, d->n);
    if (inst->ops->needs & PROB_LIMIT) put_text(w, "draft", io_drafts[d->draft]);
    if (inst->ops->needs & PROB_CAPACITY) put_number(w, "capacity", d->capacity);
    if ((inst->ops->needs & PROB_CAPACITY) && d->vehicles > 0)
        put_number(w, "vehicles", d->vehicles);
    if (d->clock > 0.0 && d->ready) put_number(w, "clock", d->clock);
    if (d->ready) put_date(w, d->clock_day);
    put_number(w, "unit", d->unit);
    put_number(w, "tolerance", d->tolerance);
    if (d->file->service_in_cost > 0.0) put_number(w, "service_in_cost", d->file->service_in_cost);
    if (!isnan(d->best_known)) put_number(w, "best_known", d->best_known);
    if (d->file->depot != 0) put_number(w, "file_depot", d->file->depot);
    if (d->cost_unit) put_text(w, "cost_unit", d->cost_unit);
    if (d->left_outs == 0) return;
    begin(w, "left_out");
    json_put_left_out(w->out, d, w->indent);
}

ucpo_status json_write(struct io_buffer *out, const ucpo_dataset *set,
                       const ucpo_write_config *options, ucpo_error *err)
{
    if (options->scale > 0.0)
        return status_argument(err,
                               "scale is %g, but format json keeps every number exactly as it is",
                               options->scale);
    size_t count = ucpo_dataset_count(set);
    struct writer w = {out, "  ", 0};
    io_put(out, "{\n", 2);
    if (count == 1) {
        put_text(&w, "schema", JSON_INSTANCE_SCHEMA);
        put_instance(&w, ucpo_dataset_at(set, 0));
    } else {
        put_text(&w, "schema", JSON_DATASET_SCHEMA);
        begin(&w, "instances");
        for (size_t i = 0; i < count && !out->failed; i++) {
            struct writer inner = {out, "    ", 0};
            io_printf(out, "%s\n", i ? "  }, {" : "[{");
            put_instance(&inner, ucpo_dataset_at(set, i));
            io_put(out, "\n", 1);
            if (hooks_progress(&options->hooks, i + 1, count))
                return status_fail(err, UCPO_E_CANCELLED, "writing was stopped");
        }
        io_put(out, "  }]", 4);
    }
    io_put(out, "\n}\n", 3);
    return UCPO_OK;
}
