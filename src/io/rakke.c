/* TSPDL text of Rakke et al.: n, the n x n matrix, n demands, n draft limits, the optimal cost.
 *
 * The ship unloads: it leaves the depot full, and the load on arrival counts against the limit.
 * The diagonal is meaningless (the published files hold 1). */
#include "io/text_common.h"

#include <math.h>
#include <string.h>

static int detect(const char *bytes, size_t size)
{
    /* the closing optimum makes one number more than a plain TSPTW file of the same n has */
    struct io_text text = io_text_open(bytes, size, "");
    const char *line, *word;
    size_t length;
    long number;
    double n, value;
    if (!io_content_line(&text, &line, &length, &number)) return 0;
    if (!io_parse_number(line, length, &n) || n != floor(n)) return 0;
    if (n < 1.0 || n > IO_MAX_NODES) return 0;
    double count = 1.0;
    while ((length = io_word(&text, &word)) > 0) {
        if (!io_parse_number(word, length, &value)) return 0;
        count += 1.0;
    }
    return count == 1.0 + n * n + 2.0 * n + 1.0;
}

static ucpo_status read_loads(struct io_text *text, const char *what, double *out, size_t n,
                              ucpo_error *err)
{
    for (size_t i = 0; i < n; i++) {
        ucpo_status st = io_value(text, &out[i], err, "%s of port %zu", what, i);
        if (st) return st;
        if (out[i] < 0.0 || out[i] != floor(out[i]))
            return status_fail_at(err, UCPO_E_FORMAT, text->label, text->line,
                                  "%s of port %zu is %g, expected a whole number >= 0", what, i,
                                  out[i]);
    }
    return UCPO_OK;
}

/* The last number; negative means unknown. */
static ucpo_status read_best_known(struct io_text *text, double *best, ucpo_error *err)
{
    struct io_text ahead = *text;
    const char *word;
    if (io_word(&ahead, &word) == 0) return UCPO_OK;
    double value;
    ucpo_status st = io_value(text, &value, err, "best known cost");
    if (!st && value >= 0.0) *best = value;
    return st;
}

/* Counting numbers said rakke: does the content agree? */
static ucpo_status confirm_guess(const struct io_source *source, ucpo_error *err)
{
    if (source->options->format) return UCPO_OK;
    struct io_tail tail = io_judge_tail(io_text_open(source->bytes, source->size, source->label));
    if (tail.fits_windows && !tail.fits_loads)
        return status_fail_at(
            err, UCPO_E_FORMAT, source->label, 0,
            "there are as many numbers as in a rakke file (%s), but what follows the matrix are "
            "not demands and draft limits: it may be a plain file (%s) with one number too many "
            "(option 'format' decides)",
            prob_type_with(PROB_DRAFT_TOUR), prob_type_with(PROB_TIMED_TOUR));
    hooks_log(&source->options->hooks, UCPO_LOG_INFO,
              "%s: read as rakke (%s), by the count of its numbers; option 'format' overrides",
              source->label, prob_type_with(PROB_DRAFT_TOUR));
    return UCPO_OK;
}

static ucpo_status read(const struct io_source *source, ucpo_dataset *set, ucpo_error *err)
{
    struct io_text text = io_text_open(source->bytes, source->size, source->label);
    struct io_arrays arrays = {0};
    ucpo_instance_data data = ucpo_instance_data_default();
    long n = 0;
    ucpo_status st =
        io_whole(&text, 2, IO_MAX_NODES, &n, err, "number of ports (the depot included)");
    if (!st) st = io_expect_numbers(&text, (size_t)n * (size_t)n + 2 * (size_t)n, "the file", err);
    arrays.n = (size_t)n;
    if (!st) st = io_arrays_add(&arrays, IO_COST, err);
    if (!st) st = io_arrays_add(&arrays, IO_DEMAND, err);
    if (!st) st = io_arrays_add(&arrays, IO_LIMIT, err);
    if (!st) st = confirm_guess(source, err);
    if (!st) st = io_read_matrix(&text, &arrays, "port", err);
    for (size_t i = 0; !st && i < arrays.n; i++) arrays.of[IO_COST][i * (arrays.n + 1)] = 0.0;
    if (!st) st = read_loads(&text, "demand", arrays.of[IO_DEMAND], arrays.n, err);
    if (!st) st = read_loads(&text, "draft limit", arrays.of[IO_LIMIT], arrays.n, err);
    if (!st) st = read_best_known(&text, &data.best_known, err);
    if (!st) st = io_expect_end(source, &text, err);
    if (!st) {
        data.problem = prob_name_with(PROB_DRAFT_TOUR);
        data.draft = UCPO_DRAFT_UNLOAD;
        io_arrays_lend(&arrays, &data);
        st = io_add_instance(source, 0, &data, set, err);
    }
    io_arrays_free(&arrays);
    return st;
}

/* ---- writing ---- */

static void write_numbers(struct io_buffer *out, const double *value, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        if (i > 0) io_put(out, " ", 1);
        io_put_number(out, value[i]);
    }
    io_put(out, "\n", 1);
}

/* Entry (i, j) of the file; the mirror image of a loading instance is an unloading one. */
static double entry(const struct io_subject *subject, int32_t i, int32_t j)
{
    return subject->data->draft == UCPO_DRAFT_LOAD ? ucpo_instance_cost(subject->inst, j, i)
                                                   : ucpo_instance_cost(subject->inst, i, j);
}

static void write_instance(struct io_buffer *out, const struct io_subject *subject)
{
    const ucpo_instance_data *d = subject->data;
    io_printf(out, "%d\n\n", (int)d->n);
    for (int32_t i = 0; i < d->n; i++) {
        for (int32_t j = 0; j < d->n; j++) {
            if (j > 0) io_put(out, " ", 1);
            io_put_number(out, entry(subject, i, j));
        }
        io_put(out, "\n", 1);
    }
    io_put(out, "\n", 1);
    write_numbers(out, d->demand, d->n);
    io_put(out, "\n", 1);
    write_numbers(out, d->limit, d->n);
    io_put(out, "\n", 1);
    io_put_number(out, isnan(d->best_known) ? -1.0 : d->best_known);
    io_put(out, "\n", 1);
}

static ucpo_status write(struct io_buffer *out, const ucpo_dataset *set,
                         const ucpo_write_config *options, ucpo_error *err)
{
    static const struct io_ability ability = {"rakke", PROB_DRAFT_TOUR,
                                              IO_CARRY_MATRIX | IO_CARRY_BEST_KNOWN};
    struct io_subject subject;
    ucpo_status st = io_subject_open(set, options, &ability, &subject, err);
    if (st) return st;
    st = io_expect_whole_loads(subject.data, "rakke", err);
    if (!st && subject.data->draft == UCPO_DRAFT_LOAD)
        st = io_cannot_carry(options, err,
                             "format rakke unloads: the mirror image of this loading instance is "
                             "written; tours of the file must be reversed");
    if (!st && subject.data->best_known < 0.0)
        st = io_cannot_carry(options, err, "format rakke cannot carry the best known cost %g",
                             subject.data->best_known);
    if (!st && subject.data->name[0])
        hooks_log(&options->hooks, UCPO_LOG_INFO, "format rakke has no place for the name '%s'",
                  subject.data->name);
    if (!st) write_instance(out, &subject);
    io_subject_free(&subject);
    return st;
}

const struct io_format io_format_rakke = {"rakke", 0, detect, read, write};
