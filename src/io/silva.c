/* TSPTW of da Silva and Urrutia: a line `!! name`, a header, rows `id x y demand ready due service`
 * with ids from 1, closed by a row with id 999. Distances are not rounded here; published numbers
 * for the same names follow several conventions. */
#include "io/text_common.h"

#include <string.h>

#define END_ID 999 /* so a file holds at most 998 nodes */

static int detect(const char *bytes, size_t size)
{
    struct io_text text = io_text_open(bytes, size, "");
    const char *word;
    return io_word(&text, &word) > 0 && *word == '!';
}

/* `!! name  numbers`: the name is the first word; what the numbers mean differs between files. */
static void read_name(struct io_text line, char name[IO_NAME_SIZE])
{
    while (io_left(&line) > 0 && *line.at == '!') line.at++;
    const char *word;
    size_t size = io_token(&line, &word);
    io_clean_name(name, word, size);
    name[strcspn(name, " ")] = '\0'; /* where a control character was */
}

/* Comment and header lines up to the first row, which is left unread. */
static ucpo_status read_head(const struct io_source *source, struct io_text *text,
                             char name[IO_NAME_SIZE], ucpo_error *err)
{
    int has_name = 0;
    for (;;) {
        struct io_text before = *text, line;
        if (!io_content_line(text, &line))
            return status_format(err, source->label, line.line,
                                 "file ends where the row of id 1 was expected");
        if (text_begins_number(*line.at)) {
            *text = before;
            return UCPO_OK;
        }
        ucpo_status st = UCPO_OK;
        if (*line.at == '!') {
            if (!has_name) read_name(line, name);
            has_name = 1;
        } else if (io_begins(&line, "CUST")) {
            st = io_expect_row_head(line, err);
        } else {
            st = io_object_to(IO_UNKNOWN, source, line.line, err,
                              "line '%.*s' before the rows is not known", io_shown(io_left(&line)),
                              line.at);
        }
        if (st) return st;
    }
}

/* Only the id counts; the zeros behind it are not always written. */
static int is_closing_row(struct io_text line)
{
    const char *word;
    double id;
    size_t size = io_token(&line, &word);
    return io_parse_number(word, size, &id) && id == (double)END_ID;
}

/* Rows up to the closing one; the arrays have room for END_ID. */
static ucpo_status read_rows(const struct io_source *source, struct io_text *text,
                             struct io_arrays *arrays, size_t *count, ucpo_error *err)
{
    struct io_text line;
    struct io_row row;
    for (*count = 0;; ++*count) {
        if (!io_content_line(text, &line))
            return status_format(err, source->label, line.line,
                                 "file ends before the closing row with id %d", END_ID);
        if (is_closing_row(line)) return UCPO_OK;
        ucpo_status st = io_row_parse(line, &row, err);
        if (st) return st;
        if (row.value[0] != (double)(*count + 1))
            return status_format(err, source->label, line.line,
                                 "id is %g, expected %zu (ids run from 1, %d ends the rows)",
                                 row.value[0], *count + 1, END_ID);
        st = io_row_store(source, &row, *count, arrays, err);
        if (st) return st;
    }
}

static void warn_about_demand(const struct io_source *source, const struct io_arrays *arrays)
{
    for (size_t i = 0; i < arrays->n; i++) {
        if (arrays->of[IO_DEMAND][i] == 0.0) continue;
        io_warn(source, 0, "demand %g of id %zu and all others are not used by %s",
                arrays->of[IO_DEMAND][i], i + 1, prob_name_with(PROB_TIMED_TOUR));
        return;
    }
}

static ucpo_status read(const struct io_source *source, ucpo_dataset *set, ucpo_error *err)
{
    static const enum io_field fields[] = {IO_X, IO_Y, IO_READY, IO_DUE, IO_SERVICE, IO_DEMAND};
    struct io_text text = io_text_open(source->bytes, source->size, source->label);
    struct io_arrays arrays = {END_ID, {NULL}};
    ucpo_instance_data data = ucpo_instance_data_default();
    char name[IO_NAME_SIZE] = "";
    ucpo_status st = read_head(source, &text, name, err);
    for (size_t f = 0; !st && f < sizeof fields / sizeof fields[0]; f++)
        st = io_arrays_add(&arrays, fields[f], err);
    if (!st) st = read_rows(source, &text, &arrays, &arrays.n, err);
    if (!st) st = io_expect_end(source, &text, err);
    if (!st) {
        warn_about_demand(source, &arrays);
        if (arrays.n > 0) io_settle_service(source, &arrays);
        if (source->options->rounding == UCPO_ROUND_DECLARED)
            io_note(source, "distances are not rounded; sources of this format also truncate or "
                            "round them (rounding option)");
        data.problem = prob_name_with(PROB_TIMED_TOUR);
        data.name = name;
        io_arrays_lend(&arrays, &data);
        data.demand = NULL;
        st = io_add_instance(source, 0, &data, set, err);
    }
    io_arrays_free(&arrays);
    return st;
}

/* ---- writing ---- */

/* One word: blanks become underscores. */
static ucpo_status write_name(struct io_buffer *out, const char *given,
                              const ucpo_write_config *options, ucpo_error *err)
{
    char name[IO_NAME_SIZE];
    int is_same = io_clean_name(name, given, strlen(given));
    for (char *c = name; *c; c++) {
        if (*c != ' ') continue;
        *c = '_';
        is_same = 0;
    }
    io_printf(out, "!! %s\n\n", name);
    return is_same
               ? UCPO_OK
               : io_cannot_carry(options, err, "format silva cannot carry the name '%s'", given);
}

static ucpo_status write(struct io_buffer *out, const struct io_subject *subject,
                         const ucpo_write_config *options, ucpo_error *err)
{
    const ucpo_instance_data *d = subject->data;
    if (d->n >= END_ID)
        return status_fail(err, UCPO_E_UNSUPPORTED,
                           "format silva ends at id %d, this instance has %d nodes", END_ID,
                           (int)d->n);
    ucpo_status st = write_name(out, d->name, options, err);
    io_printf(out, "CUST NO.  XCOORD.  YCOORD.  DEMAND  [READY TIME]  [DUE DATE]  "
                   "[SERVICE TIME]\n\n");
    for (int32_t i = 0; i < d->n; i++) io_row_write(out, d, i, i + 1);
    io_printf(out, "%5d  0  0  0  0  0  0\n", END_ID);
    return st;
}

static const struct io_writer writer = {{"silva", PROB_TIMED_TOUR, IO_CARRY_COORDINATES}, write};

const struct io_format io_format_silva = {"silva", 0, detect, read, NULL, &writer};
