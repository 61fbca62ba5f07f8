/* Writer of the TSPLIB family. What the format has no keyword for goes into one COMMENT that our
 * reader understands: `COMMENT : ucpo rounding=none unit=100`. */
#include "io/tsplib.h"

#include <math.h>
#include <string.h>

/* ---- small parts ---- */

static void put_key_number(struct io_buffer *out, const char *key, const char *between,
                           double value, const char *end)
{
    io_printf(out, "%s%s", key, between);
    io_put_number(out, value);
    io_printf(out, "%s", end);
}

/* The first weight type with this metric and rounding, else with this metric. */
static const struct io_tsplib_weight *choose_weight(const ucpo_instance_data *d)
{
    if (d->cost) return &io_tsplib_weights[0];
    const struct io_tsplib_weight *best = NULL;
    for (size_t k = 1; k < io_tsplib_weight_count; k++) {
        const struct io_tsplib_weight *w = &io_tsplib_weights[k];
        if (w->metric != d->metric) continue;
        if (w->rounding == d->rounding) return w;
        if (!best) best = w;
    }
    return best;
}

static void write_comment(struct io_buffer *out, const struct io_subject *subject,
                          const struct io_tsplib_weight *weight, double scale)
{
    const ucpo_instance_data *d = subject->data;
    struct io_buffer note = {0};
    if (scale > 0.0) put_key_number(&note, " scale", "=", scale, "");
    if (weight->metric != d->metric) io_printf(&note, " metric=%s", io_metrics[d->metric]);
    if (weight->rounding != d->rounding)
        io_printf(&note, " rounding=%s", io_roundings[d->rounding]);
    if (!subject->is_derived_unit) put_key_number(&note, " unit", "=", d->unit, "");
    if (!subject->is_derived_tolerance) put_key_number(&note, " tolerance", "=", d->tolerance, "");
    if (d->limit && d->draft == UCPO_DRAFT_LOAD) io_printf(&note, " draft=load");
    if (d->file->service_in_cost != 0.0)
        put_key_number(&note, " service_in_cost", "=", d->file->service_in_cost, "");
    if (!isnan(d->best_known)) put_key_number(&note, " best_known", "=", d->best_known, "");
    if (note.size > 0) {
        io_printf(out, "COMMENT : ucpo");
        io_put(out, note.bytes, note.size);
        io_put(out, "\n", 1);
    }
    if (note.failed) out->failed = 1;
    io_buffer_free(&note);
}

static ucpo_status write_name(struct io_buffer *out, const char *given,
                              const ucpo_write_config *options, ucpo_error *err)
{
    char name[IO_NAME_SIZE];
    int is_same = io_clean_name(name, given, strlen(given));
    if (name[0]) io_printf(out, "NAME : %s\n", name);
    return is_same
               ? UCPO_OK
               : io_cannot_carry(options, err, "format tsplib cannot carry the name '%s'", given);
}

static void write_head(struct io_buffer *out, const struct io_subject *subject,
                       const struct io_tsplib_weight *weight)
{
    const ucpo_instance_data *d = subject->data;
    const struct prob_ops *ops = subject->inst->ops;
    int has_fleet = (ops->needs & PROB_CAPACITY) != 0;
    io_printf(out, "TYPE : %s\nDIMENSION : %d\n", ops->tsplib[0], (int)d->n);
    if (has_fleet && d->vehicles > 0) io_printf(out, "VEHICLES : %d\n", (int)d->vehicles);
    if (has_fleet) put_key_number(out, "CAPACITY", " : ", d->capacity, "\n");
    io_printf(out, "EDGE_WEIGHT_TYPE : %s\n", weight->name);
    if (weight->is_explicit) io_printf(out, "EDGE_WEIGHT_FORMAT : FULL_MATRIX\n");
    if (weight->is_explicit && d->x) io_printf(out, "NODE_COORD_TYPE : TWOD_COORDS\n");
}

/* ---- sections ---- */

/* `first` and `second` (may be NULL) behind each id, in the order of the file it came from. */
static void write_nodes(struct io_buffer *out, const char *name, const ucpo_instance_data *d,
                        const double *first, const double *second)
{
    if (!first) return;
    io_printf(out, "%s\n", name);
    for (int32_t place = 0; place < d->n; place++) {
        int32_t node = io_node_at(d, place);
        io_printf(out, "%d ", (int)place + 1);
        io_put_number(out, first[node]);
        if (second) {
            io_put(out, " ", 1);
            io_put_number(out, second[node]);
        }
        io_put(out, "\n", 1);
    }
}

/* A loading instance is written as its mirror image, which unloads as LKH does. */
static void write_matrix(struct io_buffer *out, const ucpo_instance_data *d, int is_mirrored)
{
    size_t n = (size_t)d->n;
    io_printf(out, "EDGE_WEIGHT_SECTION\n");
    for (int32_t row = 0; row < d->n; row++) {
        size_t i = (size_t)io_node_at(d, row);
        for (int32_t column = 0; column < d->n; column++) {
            size_t j = (size_t)io_node_at(d, column);
            if (column > 0) io_put(out, " ", 1);
            io_put_number(out, is_mirrored ? d->cost[j * n + i] : d->cost[i * n + j]);
        }
        io_put(out, "\n", 1);
    }
}

static void write_sections(struct io_buffer *out, const struct io_subject *subject)
{
    const ucpo_instance_data *d = subject->data;
    if (d->cost) write_matrix(out, d, d->limit && d->draft == UCPO_DRAFT_LOAD);
    write_nodes(out, "NODE_COORD_SECTION", d, d->x, d->y);
    write_nodes(out, "DEMAND_SECTION", d, d->demand, NULL);
    write_nodes(out, "DRAFT_LIMIT_SECTION", d, d->limit, NULL);
    write_nodes(out, "TIME_WINDOW_SECTION", d, d->ready, d->due);
    write_nodes(out, "SERVICE_TIME_SECTION", d, d->service, NULL);
    io_printf(out, "DEPOT_SECTION\n%d\n-1\nEOF\n", (int)d->file->depot + 1);
}

/* ---- what people who feed the file to LKH should know ---- */

static int is_whole_matrix(const ucpo_instance_data *d)
{
    size_t count = (size_t)d->n * (size_t)d->n;
    for (size_t i = 0; i < count; i++)
        if (d->cost[i] != floor(d->cost[i])) return 0;
    return 1;
}

static void warn_about_lkh(const struct io_subject *subject, const struct io_tsplib_weight *weight,
                           const ucpo_write_config *options)
{
    const ucpo_instance_data *d = subject->data;
    int is_rounded_otherwise = !d->cost && weight->rounding != d->rounding &&
                               d->metric != UCPO_METRIC_GEO && d->metric != UCPO_METRIC_ATT;
    if (is_rounded_otherwise)
        hooks_log(&options->hooks, UCPO_LOG_WARNING,
                  "LKH will round these %s distances to whole numbers, ucpo will not (COMMENT says "
                  "rounding=%s); write with option 'scale' for LKH",
                  weight->name, io_roundings[d->rounding]);
    if (d->cost && !is_whole_matrix(d))
        hooks_log(&options->hooks, UCPO_LOG_WARNING,
                  "LKH reads whole matrix entries only, this matrix has fractions; write with "
                  "option 'scale' for LKH");
    const struct prob_ops *ops = subject->inst->ops;
    if (ops->max_vehicles == 1 && d->service)
        hooks_log(&options->hooks, UCPO_LOG_WARNING,
                  "LKH ignores service times for TYPE %s; format plain adds them to the matrix",
                  ops->tsplib[0]);
    if (d->limit && d->draft == UCPO_DRAFT_LOAD)
        hooks_log(
            &options->hooks, UCPO_LOG_INFO,
            "the file holds the mirror image that unloads; LKH's tours of it must be reversed");
    if ((ops->needs & PROB_CAPACITY) && d->vehicles == 0)
        hooks_log(&options->hooks, UCPO_LOG_INFO,
                  "no VEHICLES is written: the fleet is unlimited; LKH needs a number there");
}

static ucpo_status write(struct io_buffer *out, const struct io_subject *subject,
                         const ucpo_write_config *options, ucpo_error *err)
{
    const struct io_tsplib_weight *weight = choose_weight(subject->data);
    ucpo_status st = UCPO_OK;
    if (subject->data->limit) st = io_expect_whole_loads(subject->data, "tsplib", err);
    if (!st) st = write_name(out, subject->data->name, options, err);
    if (st) return st;
    write_comment(out, subject, weight, options->scale);
    write_head(out, subject, weight);
    write_sections(out, subject);
    warn_about_lkh(subject, weight, options);
    return UCPO_OK;
}

const struct io_writer io_tsplib_writer = {
    {"tsplib", 0,
     IO_CARRY_COORDINATES | IO_CARRY_MATRIX | IO_CARRY_METRIC | IO_CARRY_BEST_KNOWN |
         IO_CARRY_UNIT | IO_CARRY_SERVICE_SUM | IO_CARRY_NUMBERING},
    write};
