/* Words, numbers, names and arrays for the readers of text formats. */
#include "io/text_common.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- words and lines ---- */

int io_word_is(const char *word, size_t length, const char *expected)
{
    size_t i = 0;
    while (i < length && expected[i] != '\0' && text_lower(word[i]) == text_lower(expected[i])) i++;
    return i == length && expected[i] == '\0';
}

int io_is(const struct io_text *text, const char *expected)
{
    return io_word_is(text->at, io_left(text), expected);
}

int io_begins(const struct io_text *text, const char *expected)
{
    size_t length = strlen(expected);
    return io_left(text) >= length && io_word_is(text->at, length, expected);
}

const char *io_find_part(const char *text, size_t length, const char *part)
{
    size_t size = strlen(part);
    for (size_t i = 0; i + size <= length; i++)
        if (io_word_is(text + i, size, part)) return text + i;
    return NULL;
}

size_t io_word(struct io_text *text, const char **word)
{
    size_t length = io_token(text, word);
    while (length > 0 && **word == '#') {
        struct io_text rest;
        io_line(text, &rest);
        length = io_token(text, word);
    }
    return length;
}

int io_content_line(struct io_text *text, struct io_text *line)
{
    do
        if (!io_line(text, line)) return 0;
    while (io_left(line) == 0 || *line->at == '#');
    return 1;
}

/* ---- numbers ---- */

static ucpo_status bad_number(const struct io_text *text, const char *word, size_t length,
                              const char *what, const char *expected, ucpo_error *err)
{
    if (length == 0)
        return status_format(err, text->label, text->line, "file ends where %s was expected", what);
    return status_format(err, text->label, text->line, "%s is '%.*s', expected %s", what,
                         io_shown(length), word, expected);
}

ucpo_status io_value(struct io_text *text, double *out, ucpo_error *err, const char *what, ...)
{
    const char *word;
    size_t length = io_word(text, &word);
    if (io_parse_number(word, length, out)) return UCPO_OK;
    char name[160];
    va_list args;
    va_start(args, what);
    vsnprintf(name, sizeof name, what, args);
    va_end(args);
    return bad_number(text, word, length, name, "a finite number", err);
}

ucpo_status io_whole(struct io_text *text, long low, long high, long *out, ucpo_error *err,
                     const char *what, ...)
{
    const char *word;
    size_t length = io_word(text, &word);
    double value;
    if (io_parse_number(word, length, &value) && value == floor(value) && value >= (double)low &&
        value <= (double)high) {
        *out = (long)value;
        return UCPO_OK;
    }
    char name[160], expected[80];
    snprintf(expected, sizeof expected, "a whole number %ld .. %ld", low, high);
    va_list args;
    va_start(args, what);
    vsnprintf(name, sizeof name, what, args);
    va_end(args);
    return bad_number(text, word, length, name, expected, err);
}

ucpo_status io_expect_numbers(const struct io_text *text, size_t count, const char *what,
                              ucpo_error *err)
{
    size_t left = io_left(text);
    if (count > 0 && left / 2 + 1 < count)
        return status_format(
            err, text->label, text->line,
            "%s needs %zu numbers, but only %zu bytes are left: the file is cut off "
            "or the declared size is wrong",
            what, count, left);
    return UCPO_OK;
}

ucpo_status io_expect_end(const struct io_source *source, struct io_text *text, ucpo_error *err)
{
    const char *word;
    size_t length = io_word(text, &word);
    if (length == 0) return UCPO_OK;
    return io_object_to(IO_UNKNOWN, source, text->line, err,
                        "'%.*s' and what follows stands after the end of the data and is not read",
                        io_shown(length), word);
}

struct io_tail io_judge_tail(struct io_text text)
{
    const struct io_tail none = {0, 0};
    struct io_tail tail = {1, 1};
    const char *word;
    double n, value, before = 0.0;
    size_t length = io_word(&text, &word);
    if (!io_parse_number(word, length, &n) || !(n >= 2.0 && n <= IO_MAX_NODES)) return none;
    size_t count = (size_t)n;
    for (size_t k = 0; k < count * count; k++)
        if (io_word(&text, &word) == 0) return none;
    for (size_t k = 0; k < 2 * count; k++, before = value) {
        length = io_word(&text, &word);
        if (!io_parse_number(word, length, &value)) return none;
        if (k % 2 == 1 && before > value) tail.fits_windows = 0;
        if (value < 0.0 || value != floor(value) || (k == 0 && value != 0.0)) tail.fits_loads = 0;
    }
    return tail;
}

/* ---- the head of rows ---- */

/* Moves the cursor behind `word` if the letters there spell it; other characters are skipped. */
static int take_letters(struct io_text *text, const char *word)
{
    struct io_text at = *text;
    for (; *word; word++) {
        while (at.at < at.end && !text_is_letter(*at.at)) at.at++;
        if (at.at == at.end || text_lower(*at.at) != text_lower(*word)) return 0;
        at.at++;
    }
    *text = at;
    return 1;
}

ucpo_status io_expect_row_head(struct io_text line, ucpo_error *err)
{
    static const struct {
        const char *shown, *word, *more[2];
    } columns[] = {
        {"CUST NO.", "CUST", {"NO", NULL}},          {"XCOORD.", "XCOORD", {NULL, NULL}},
        {"YCOORD.", "YCOORD", {NULL, NULL}},         {"DEMAND", "DEMAND", {NULL, NULL}},
        {"READY TIME", "READY", {"TIME", "DATE"}},   {"DUE DATE", "DUE", {"DATE", "TIME"}},
        {"SERVICE TIME", "SERVICE", {"TIME", NULL}},
    };

    const size_t count = sizeof columns / sizeof columns[0];
    size_t c = 0;
    for (; c < count && take_letters(&line, columns[c].word); c++)
        for (int k = 0; k < 2 && columns[c].more[k]; k++)
            if (take_letters(&line, columns[c].more[k])) break;
    while (line.at < line.end && !text_is_letter(*line.at)) line.at++;
    if (c == count && line.at == line.end) return UCPO_OK;
    const char *word;
    size_t size = io_token(&line, &word);
    return status_format(err, line.label, line.line,
                         "column head %s '%.*s', expected %s%s (CUST NO. XCOORD. YCOORD. DEMAND "
                         "READY TIME DUE DATE SERVICE TIME)",
                         size ? "is" : "ends with", io_shown(size), word,
                         c < count ? "column " : "no more columns",
                         c < count ? columns[c].shown : "");
}

/* ---- names ---- */

int io_clean_name(char out[IO_NAME_SIZE], const char *name, size_t length)
{
    size_t used = 0, i = 0;
    for (; i < length && used < IO_NAME_SIZE - 1; i++) {
        int is_blank = (unsigned char)name[i] <= ' ' || name[i] == 127;
        if (used > 0 || !is_blank) out[used++] = is_blank ? ' ' : name[i];
    }
    int is_cut = i < length;
    while (is_cut && used > 0 && ((unsigned char)out[used - 1] & 0xC0) == 0x80) used--;
    if (is_cut && used > 0 && ((unsigned char)out[used - 1] & 0xC0) == 0xC0) used--;
    while (used > 0 && out[used - 1] == ' ') used--;
    out[used] = '\0';
    return used == length && memcmp(out, name, length) == 0;
}

/* ---- arrays ---- */

ucpo_status io_arrays_add(struct io_arrays *arrays, enum io_field field, ucpo_error *err)
{
    size_t count = arrays->n;
    if (field == IO_COST && size_mul_overflows(count, count, &count))
        return status_no_memory(err, SIZE_MAX);
    free(arrays->of[field]);
    arrays->of[field] = mem_zeroed(count, sizeof(double));
    return arrays->of[field] ? UCPO_OK : status_no_memory(err, count * sizeof(double));
}

void io_arrays_free(struct io_arrays *arrays)
{
    for (int f = 0; f < IO_FIELD_COUNT; f++) free(arrays->of[f]);
    *arrays = (struct io_arrays){0};
}

void io_arrays_lend(const struct io_arrays *arrays, ucpo_instance_data *data)
{
    data->n = (int32_t)arrays->n;
    data->x = arrays->of[IO_X];
    data->y = arrays->of[IO_Y];
    data->cost = arrays->of[IO_COST];
    data->ready = arrays->of[IO_READY];
    data->due = arrays->of[IO_DUE];
    data->service = arrays->of[IO_SERVICE];
    data->demand = arrays->of[IO_DEMAND];
    data->limit = arrays->of[IO_LIMIT];
}

/* v[0], v[stride], ... v[last * stride]: the last becomes the first. */
static void rotate(double *v, size_t last, size_t stride)
{
    double kept = v[last * stride];
    for (size_t i = last; i > 0; i--) v[i * stride] = v[(i - 1) * stride];
    v[0] = kept;
}

void io_move_depot(double *values, size_t n, size_t depot, int is_square)
{
    if (!values) return;
    for (size_t i = 0; i < (is_square ? n : 1); i++) rotate(values + i * n, depot, 1);
    for (size_t j = 0; is_square && j < n; j++) rotate(values + j, depot, n);
}

void io_arrays_move_depot(struct io_arrays *arrays, size_t depot)
{
    for (int f = 0; f < IO_FIELD_COUNT; f++)
        io_move_depot(arrays->of[f], arrays->n, depot, f == IO_COST);
}

void io_arrays_transpose(struct io_arrays *arrays)
{
    double *m = arrays->of[IO_COST];
    size_t n = arrays->n;
    for (size_t i = 0; m && i < n; i++) {
        for (size_t j = i + 1; j < n; j++) {
            double kept = m[i * n + j];
            m[i * n + j] = m[j * n + i];
            m[j * n + i] = kept;
        }
    }
}

void io_settle_service(const struct io_source *source, struct io_arrays *arrays)
{
    double *service = arrays->of[IO_SERVICE];
    if (!service) return;
    if (service[0] != 0.0) {
        io_warn(source, 0, "service time %g of the depot is ignored", service[0]);
        service[0] = 0.0;
    }
    for (size_t i = 0; i < arrays->n; i++)
        if (service[i] != 0.0) return;
    free(service);
    arrays->of[IO_SERVICE] = NULL;
}

/* ---- rows of the Solomon family ---- */

static const char *const row_label[7] = {"id",         "x",        "y",           "demand",
                                         "ready time", "due date", "service time"};

ucpo_status io_row_parse(struct io_text line, struct io_row *row, ucpo_error *err)
{
    const char *word;
    size_t size;
    int count = 0;
    row->line = line.line;
    while ((size = io_token(&line, &word)) > 0) {
        if (count < 7 && !io_parse_number(word, size, &row->value[count]))
            return status_format(err, line.label, line.line,
                                 "%s is '%.*s', expected a finite number", row_label[count],
                                 io_shown(size), word);
        count++;
    }
    if (count != 7)
        return status_format(err, line.label, line.line,
                             "row has %d numbers, expected 7: id x y demand ready due service",
                             count);
    return UCPO_OK;
}

ucpo_status io_row_store(const struct io_source *source, const struct io_row *row, size_t index,
                         struct io_arrays *arrays, ucpo_error *err)
{
    static const enum io_field field[7] = {IO_FIELD_COUNT, IO_X,   IO_Y,      IO_DEMAND,
                                           IO_READY,       IO_DUE, IO_SERVICE};

    for (int c = 1; c < 7; c++) {
        int must_be_positive = field[c] == IO_DEMAND || field[c] == IO_SERVICE;
        if (must_be_positive && row->value[c] < 0.0)
            return status_format(err, source->label, row->line,
                                 "%s of id %g is %g, expected a number >= 0", row_label[c],
                                 row->value[0], row->value[c]);
        if (arrays->of[field[c]]) arrays->of[field[c]][index] = row->value[c];
    }
    if (row->value[4] > row->value[5])
        return status_format(err, source->label, row->line,
                             "window of id %g is [%g, %g], expected ready <= due", row->value[0],
                             row->value[4], row->value[5]);
    return UCPO_OK;
}

void io_row_write(struct io_buffer *out, const ucpo_instance_data *data, int32_t node, int32_t id)
{
    double value[6] = {
        data->x[node],     data->y[node],   data->demand ? data->demand[node] : 0.0,
        data->ready[node], data->due[node], data->service ? data->service[node] : 0.0};
    io_printf(out, "%5d", (int)id);
    for (int c = 0; c < 6; c++) {
        io_put(out, "  ", 2);
        io_put_number(out, value[c]);
    }
    io_put(out, "\n", 1);
}

ucpo_status io_read_matrix(struct io_text *text, struct io_arrays *arrays, const char *noun,
                           ucpo_error *err)
{
    size_t n = arrays->n;
    double *m = arrays->of[IO_COST];
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            double *entry = &m[i * n + j];
            ucpo_status st =
                io_value(text, entry, err, "matrix entry from %s %zu to %s %zu", noun, i, noun, j);
            if (st) return st;
            if (i != j && *entry < 0.0)
                return status_format(
                    err, text->label, text->line,
                    "matrix entry from %s %zu to %s %zu is %g, expected a number >= 0", noun, i,
                    noun, j, *entry);
        }
    }
    return UCPO_OK;
}
