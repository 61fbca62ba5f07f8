/* Two text formats that begin with n and the n x n matrix; line breaks mean nothing.
 *
 * plain (Lopez-Ibanez and Blum), tours with time windows: n windows, an optional comment. The matrix
 * already contains the service time of the row node, so a row's entry is "from the start of service at
 * i to the arrival at j".
 *
 * rakke (Rakke et al.), tours with draft limits: n demands, n draft limits, the optimal cost. The ship
 * unloads: it leaves the depot full, and the load on arrival counts against the limit. The diagonal is
 * meaningless (the published files hold 1). */
#include "io/text_common.h"

#include <math.h>
#include <string.h>

static const char sum_label[] = "Sum of service times:";

/* ---- which of the two ---- */

/* The lone number on the first line, and how many follow until the first word that is none. 0: the first
 * line is no lone number. */
static int count_numbers(const char *bytes, size_t size, double *n, double *count, int *is_all)
{
    struct io_text text = io_text_open(bytes, size, ""), line;
    const char *word;
    size_t length;
    double value;
    if (!io_content_line(&text, &line)) return 0;
    if (!io_parse_number(line.at, io_left(&line), n) || *n < 1.0) return 0;
    *count = 0.0;
    while ((length = io_word(&text, &word)) > 0 && io_parse_number(word, length, &value))
        *count += 1.0;
    *is_all = length == 0;
    return 1;
}

/* Also cut-off files, so that the reader can say what is missing. */
static int detect_plain(const char *bytes, size_t size)
{
    double n, count;
    int is_all;
    return count_numbers(bytes, size, &n, &count, &is_all) && (count > 0.0 || is_all);
}

/* The closing optimum makes one number more than a plain file of the same n has. */
static int detect_rakke(const char *bytes, size_t size)
{
    double n, count;
    int is_all;
    if (!count_numbers(bytes, size, &n, &count, &is_all) || !is_all) return 0;
    return n == floor(n) && n <= IO_MAX_NODES && count == n * n + 2.0 * n + 1.0;
}

/* The count of its numbers said which: does the content agree? */
static ucpo_status confirm_guess(const struct io_source *source, int is_rakke, ucpo_error *err)
{
    if (source->options->format) return UCPO_OK;
    struct io_tail tail = io_judge_tail(io_text_open(source->bytes, source->size, source->label));
    const char *timed = prob_type_with(PROB_TIMED_TOUR), *drafts = prob_type_with(PROB_DRAFT_TOUR);
    if (is_rakke && tail.fits_windows && !tail.fits_loads)
        return status_format(
            err, source->label, 0,
            "there are as many numbers as in a rakke file (%s), but what follows the matrix are "
            "not demands and draft limits: it may be a plain file (%s) with one number too many "
            "(option 'format' decides)",
            drafts, timed);
    if (!is_rakke && tail.fits_loads && !tail.fits_windows)
        return status_format(
            err, source->label, 0,
            "there are as many numbers as in a plain file (%s), but what follows the matrix are "
            "no windows: it may be a rakke file (%s) without the optimum at its end "
            "(option 'format' decides)",
            timed, drafts);
    io_note(source, "read as %s (%s), by the count of its numbers; option 'format' overrides",
            is_rakke ? "rakke" : "plain", is_rakke ? drafts : timed);
    return UCPO_OK;
}

/* ---- reading ---- */

static ucpo_status read_windows(struct io_text *text, struct io_arrays *arrays, ucpo_error *err)
{
    double *ready = arrays->of[IO_READY], *due = arrays->of[IO_DUE];
    for (size_t i = 0; i < arrays->n; i++) {
        ucpo_status st = io_value(text, &ready[i], err, "earliest time of node %zu", i);
        if (!st) st = io_value(text, &due[i], err, "latest time of node %zu", i);
        if (st) return st;
        if (ready[i] > due[i])
            return status_format(err, text->label, text->line,
                                 "window of node %zu is [%g, %g], expected earliest <= latest", i,
                                 ready[i], due[i]);
    }
    return UCPO_OK;
}

/* The comment `# Sum of service times: X`, wherever it stands. */
static ucpo_status read_service_sum(const struct io_source *source, double *sum, ucpo_error *err)
{
    struct io_text text = io_text_open(source->bytes, source->size, source->label), line;
    while (io_line(&text, &line)) {
        if (io_left(&line) == 0 || *line.at != '#') continue;
        const char *found = io_find_part(line.at, io_left(&line), sum_label), *word;
        if (!found) continue;
        line.at = found + sizeof sum_label - 1;
        size_t size = io_token(&line, &word);
        if (!io_parse_number(word, size, sum) || *sum < 0.0)
            return status_format(err, source->label, line.line,
                                 "sum of service times is '%.*s', expected a number >= 0",
                                 io_shown(size), word);
    }
    return UCPO_OK;
}

static ucpo_status read_loads(struct io_text *text, const char *what, double *out, size_t n,
                              ucpo_error *err)
{
    for (size_t i = 0; i < n; i++) {
        ucpo_status st = io_value(text, &out[i], err, "%s of port %zu", what, i);
        if (st) return st;
        if (out[i] < 0.0 || out[i] != floor(out[i]))
            return status_format(err, text->label, text->line,
                                 "%s of port %zu is %g, expected a whole number >= 0", what, i,
                                 out[i]);
    }
    return UCPO_OK;
}

/* Demands, limits and the last number, which may be missing; negative means unknown. */
static ucpo_status read_draft_part(struct io_text *text, struct io_arrays *arrays, double *best,
                                   ucpo_error *err)
{
    size_t n = arrays->n;
    const char *word;
    double value = -1.0;
    for (size_t i = 0; i < n; i++) arrays->of[IO_COST][i * (n + 1)] = 0.0;
    ucpo_status st = read_loads(text, "demand", arrays->of[IO_DEMAND], n, err);
    if (!st) st = read_loads(text, "draft limit", arrays->of[IO_LIMIT], n, err);
    struct io_text ahead = *text;
    if (!st && io_word(&ahead, &word) > 0) st = io_value(text, &value, err, "best known cost");
    if (!st && value >= 0.0) *best = value;
    return st;
}

static ucpo_status read_either(const struct io_source *source, ucpo_dataset *set, int is_rakke,
                               ucpo_error *err)
{
    struct io_text text = io_text_open(source->bytes, source->size, source->label);
    const char *noun = is_rakke ? "port" : "node";
    struct io_arrays arrays = {0};
    ucpo_instance_data data = ucpo_instance_data_default();
    ucpo_file_notes file = {0};
    long n = 0;
    ucpo_status st =
        io_whole(&text, 2, IO_MAX_NODES, &n, err, "number of %ss (the depot included)", noun);
    if (!st) st = io_expect_numbers(&text, (size_t)n * (size_t)n + 2 * (size_t)n, "the file", err);
    arrays.n = (size_t)n;
    if (!st) st = io_arrays_add(&arrays, IO_COST, err);
    if (!st) st = io_arrays_add(&arrays, is_rakke ? IO_DEMAND : IO_READY, err);
    if (!st) st = io_arrays_add(&arrays, is_rakke ? IO_LIMIT : IO_DUE, err);
    if (!st) st = confirm_guess(source, is_rakke, err);
    if (!st) st = io_read_matrix(&text, &arrays, noun, err);
    if (!st)
        st = is_rakke ? read_draft_part(&text, &arrays, &data.best_known, err)
                      : read_windows(&text, &arrays, err);
    if (!st) st = io_expect_end(source, &text, err);
    if (!st && !is_rakke) st = read_service_sum(source, &file.service_in_cost, err);
    if (!st) {
        data.file = &file;
        data.problem = prob_name_with(is_rakke ? PROB_DRAFT_TOUR : PROB_TIMED_TOUR);
        if (is_rakke) data.draft = UCPO_DRAFT_UNLOAD;
        io_arrays_lend(&arrays, &data);
        st = io_add_instance(source, 0, &data, set, err);
    }
    io_arrays_free(&arrays);
    return st;
}

static ucpo_status read_plain(const struct io_source *source, ucpo_dataset *set, ucpo_error *err)
{
    return read_either(source, set, 0, err);
}

static ucpo_status read_rakke(const struct io_source *source, ucpo_dataset *set, ucpo_error *err)
{
    return read_either(source, set, 1, err);
}

/* ---- writing ---- */

static void put_row(struct io_buffer *out, const double *value, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        if (i > 0) io_put(out, " ", 1);
        io_put_number(out, value[i]);
    }
    io_put(out, "\n", 1);
}

/* Entry (i, j) of a plain file: service comes with the row, that of the depot is none. */
static double plain_entry(const struct io_subject *subject, int32_t i, int32_t j)
{
    const ucpo_instance_data *d = subject->data;
    if (i == j) return d->cost ? d->cost[(size_t)i * (size_t)d->n + (size_t)i] : 0.0;
    double cost = ucpo_instance_cost(subject->inst, i, j);
    return i > 0 && d->service ? cost + d->service[i] : cost;
}

/* Of a rakke file: the mirror image of a loading instance is an unloading one. */
static double rakke_entry(const struct io_subject *subject, int32_t i, int32_t j)
{
    return subject->data->draft == UCPO_DRAFT_LOAD ? ucpo_instance_cost(subject->inst, j, i)
                                                   : ucpo_instance_cost(subject->inst, i, j);
}

static void put_matrix(struct io_buffer *out, const struct io_subject *subject,
                       double (*entry)(const struct io_subject *subject, int32_t i, int32_t j))
{
    for (int32_t i = 0; i < subject->data->n; i++) {
        for (int32_t j = 0; j < subject->data->n; j++) {
            if (j > 0) io_put(out, " ", 1);
            io_put_number(out, entry(subject, i, j));
        }
        io_put(out, "\n", 1);
    }
}

static ucpo_status write_plain(struct io_buffer *out, const struct io_subject *subject,
                               const ucpo_write_config *options, ucpo_error *err)
{
    const ucpo_instance_data *d = subject->data;
    ucpo_status st = UCPO_OK;
    double sum = d->file->service_in_cost;
    int has_service = 0;
    for (int32_t i = 1; d->service && i < d->n; i++) {
        has_service = has_service || d->service[i] != 0.0;
        sum += d->service[i];
    }
    if (has_service)
        st = io_cannot_carry(options, err,
                             "format plain has no service times: they are added to the matrix rows "
                             "and their sum to every tour's cost");
    if (st) return st;
    io_say_nameless(options, "plain", d->name);
    io_printf(out, "%d\n", (int)d->n);
    put_matrix(out, subject, plain_entry);
    for (int32_t i = 0; i < d->n; i++) put_row(out, (double[]){d->ready[i], d->due[i]}, 2);
    io_printf(out, "# %s ", sum_label);
    put_row(out, &sum, 1);
    return UCPO_OK;
}

static ucpo_status write_rakke(struct io_buffer *out, const struct io_subject *subject,
                               const ucpo_write_config *options, ucpo_error *err)
{
    const ucpo_instance_data *d = subject->data;
    ucpo_status st = io_expect_whole_loads(d, "rakke", err);
    if (!st && d->draft == UCPO_DRAFT_LOAD)
        st = io_cannot_carry(options, err,
                             "format rakke unloads: the mirror image of this loading instance is "
                             "written; tours of the file must be reversed");
    if (!st && d->best_known < 0.0)
        st = io_cannot_carry(options, err, "format rakke cannot carry the best known cost %g",
                             d->best_known);
    if (st) return st;
    double best = isnan(d->best_known) ? -1.0 : d->best_known;
    io_say_nameless(options, "rakke", d->name);
    io_printf(out, "%d\n\n", (int)d->n);
    put_matrix(out, subject, rakke_entry);
    io_put(out, "\n", 1);
    put_row(out, d->demand, d->n);
    io_put(out, "\n", 1);
    put_row(out, d->limit, d->n);
    io_put(out, "\n", 1);
    put_row(out, &best, 1);
    return UCPO_OK;
}

static const struct io_writer
    plain = {{"plain", PROB_TIMED_TOUR, IO_CARRY_MATRIX | IO_CARRY_SERVICE_SUM}, write_plain},
    rakke = {{"rakke", PROB_DRAFT_TOUR, IO_CARRY_MATRIX | IO_CARRY_BEST_KNOWN}, write_rakke};

const struct io_format io_format_plain = {"plain", 0, detect_plain, read_plain, NULL, &plain};
const struct io_format io_format_rakke = {"rakke", 0, detect_rakke, read_rakke, NULL, &rakke};
