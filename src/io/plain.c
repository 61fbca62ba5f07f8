/* Plain TSPTW text (Lopez-Ibanez and Blum): n, the n x n matrix, n windows, an optional comment.
 *
 * The matrix already contains the service time of the row node, so a row's entry is "from the
 * start of service at i to the arrival at j". Line breaks mean nothing. */
#include "io/text_common.h"

#include <string.h>

static const char sum_label[] = "Sum of service times:";

static int detect(const char *bytes, size_t size)
{
    /* a lone whole number on the first line, then another number: also cut-off files, so that the
     * reader can say what is missing */
    struct io_text text = io_text_open(bytes, size, "");
    const char *line, *word;
    size_t length, word_length;
    long number;
    double value;
    if (!io_content_line(&text, &line, &length, &number)) return 0;
    if (!io_parse_number(line, length, &value) || value < 1.0) return 0;
    word_length = io_word(&text, &word);
    return word_length == 0 || io_parse_number(word, word_length, &value);
}

static ucpo_status read_windows(struct io_text *text, struct io_arrays *arrays, ucpo_error *err)
{
    double *ready = arrays->of[IO_READY], *due = arrays->of[IO_DUE];
    for (size_t i = 0; i < arrays->n; i++) {
        ucpo_status st = io_value(text, &ready[i], err, "earliest time of node %zu", i);
        if (!st) st = io_value(text, &due[i], err, "latest time of node %zu", i);
        if (st) return st;
        if (ready[i] > due[i])
            return status_fail_at(err, UCPO_E_FORMAT, text->label, text->line,
                                  "window of node %zu is [%g, %g], expected earliest <= latest", i,
                                  ready[i], due[i]);
    }
    return UCPO_OK;
}

/* The comment `# Sum of service times: X`, wherever it stands. */
static ucpo_status read_service_sum(const struct io_source *source, double *sum, ucpo_error *err)
{
    struct io_text text = io_text_open(source->bytes, source->size, source->label);
    const char *line;
    size_t length;
    for (long number = 1; io_line(&text, &line, &length); number = text.line) {
        if (length == 0 || *line != '#') continue;
        const char *found = io_find_part(line, length, sum_label);
        if (!found) continue;
        const char *begin = found + sizeof sum_label - 1, *word;
        struct io_text rest = {source->label, begin, line + length, number};
        size_t size = io_token(&rest, &word);
        if (!io_parse_number(word, size, sum) || *sum < 0.0)
            return status_fail_at(err, UCPO_E_FORMAT, source->label, number,
                                  "sum of service times is '%.*s', expected a number >= 0",
                                  (int)(size < 40 ? size : 40), word);
    }
    return UCPO_OK;
}

/* A lone number and many others said plain: does the content agree? */
static ucpo_status confirm_guess(const struct io_source *source, ucpo_error *err)
{
    if (source->options->format) return UCPO_OK;
    struct io_tail tail = io_judge_tail(io_text_open(source->bytes, source->size, source->label));
    if (tail.fits_loads && !tail.fits_windows)
        return status_fail_at(
            err, UCPO_E_FORMAT, source->label, 0,
            "there are as many numbers as in a plain file (%s), but what follows the matrix are "
            "no windows: it may be a rakke file (%s) without the optimum at its end "
            "(option 'format' decides)",
            prob_type_with(PROB_TIMED_TOUR), prob_type_with(PROB_DRAFT_TOUR));
    hooks_log(&source->options->hooks, UCPO_LOG_INFO,
              "%s: read as plain (%s), by the count of its numbers; option 'format' overrides",
              source->label, prob_type_with(PROB_TIMED_TOUR));
    return UCPO_OK;
}

static ucpo_status read(const struct io_source *source, ucpo_dataset *set, ucpo_error *err)
{
    struct io_text text = io_text_open(source->bytes, source->size, source->label);
    struct io_arrays arrays = {0};
    ucpo_instance_data data = ucpo_instance_data_default();
    ucpo_file_notes file = {0};
    long n = 0;
    ucpo_status st =
        io_whole(&text, 2, IO_MAX_NODES, &n, err, "number of nodes (the depot included)");
    if (!st) st = io_expect_numbers(&text, (size_t)n * (size_t)n + 2 * (size_t)n, "the file", err);
    arrays.n = (size_t)n;
    if (!st) st = io_arrays_add(&arrays, IO_COST, err);
    if (!st) st = io_arrays_add(&arrays, IO_READY, err);
    if (!st) st = io_arrays_add(&arrays, IO_DUE, err);
    if (!st) st = confirm_guess(source, err);
    if (!st) st = io_read_matrix(&text, &arrays, "node", err);
    if (!st) st = read_windows(&text, &arrays, err);
    if (!st) st = io_expect_end(source, &text, err);
    if (!st) st = read_service_sum(source, &file.service_in_cost, err);
    if (!st) {
        data.file = &file;
        data.problem = prob_name_with(PROB_TIMED_TOUR);
        io_arrays_lend(&arrays, &data);
        st = io_add_instance(source, 0, &data, set, err);
    }
    io_arrays_free(&arrays);
    return st;
}

/* ---- writing ---- */

static void write_instance(struct io_buffer *out, const struct io_subject *subject)
{
    const ucpo_instance_data *d = subject->data;
    size_t n = (size_t)d->n;
    double sum = d->file->service_in_cost;
    io_printf(out, "%d\n", (int)d->n);
    for (size_t i = 0; i < n; i++) {
        double service = d->service ? d->service[i] : 0.0;
        if (i > 0) sum += service;
        for (size_t j = 0; j < n; j++) {
            double cost = ucpo_instance_cost(subject->inst, (int32_t)i, (int32_t)j);
            if (i == j)
                cost = d->cost ? d->cost[i * n + i] : 0.0;
            else if (i > 0)
                cost += service;
            if (j > 0) io_put(out, " ", 1);
            io_put_number(out, cost);
        }
        io_put(out, "\n", 1);
    }
    for (size_t i = 0; i < n; i++) {
        io_put_number(out, d->ready[i]);
        io_put(out, " ", 1);
        io_put_number(out, d->due[i]);
        io_put(out, "\n", 1);
    }
    io_printf(out, "# %s ", sum_label);
    io_put_number(out, sum);
    io_put(out, "\n", 1);
}

static int has_service(const ucpo_instance_data *d)
{
    for (int32_t i = 1; d->service && i < d->n; i++)
        if (d->service[i] != 0.0) return 1;
    return 0;
}

static ucpo_status write(struct io_buffer *out, const ucpo_dataset *set,
                         const ucpo_write_config *options, ucpo_error *err)
{
    static const struct io_ability ability = {"plain", PROB_TIMED_TOUR,
                                              IO_CARRY_MATRIX | IO_CARRY_SERVICE_SUM};
    struct io_subject subject;
    ucpo_status st = io_subject_open(set, options, &ability, &subject, err);
    if (st) return st;
    if (has_service(subject.data))
        st = io_cannot_carry(options, err,
                             "format plain has no service times: they are added to the matrix rows "
                             "and their sum to every tour's cost");
    if (!st && subject.data->name[0])
        hooks_log(&options->hooks, UCPO_LOG_INFO, "format plain has no place for the name '%s'",
                  subject.data->name);
    if (!st) write_instance(out, &subject);
    io_subject_free(&subject);
    return st;
}

const struct io_format io_format_plain = {"plain", 0, detect, read, write};
