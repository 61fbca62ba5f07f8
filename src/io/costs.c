/* Costs to compare with, one per instance: NPY, CSV, pickle. */
#include "io/io.h"
#include "io/pickle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct costs {
    const char *label;
    double *value;
    size_t count, capacity;
};

static ucpo_status add(struct costs *c, double value, long line, ucpo_error *err)
{
    if (!isfinite(value) || value <= 0.0)
        return status_fail_at(err, UCPO_E_FORMAT, c->label, line,
                              "cost %zu is %g, expected a positive number", c->count, value);
    double *grown = mem_grow(c->value, &c->capacity, c->count + 1, sizeof *grown, err);
    if (!grown) return UCPO_E_MEMORY;
    c->value = grown;
    c->value[c->count++] = value;
    return UCPO_OK;
}

/* ---- NPY ---- */

static ucpo_status read_npy(const char *bytes, size_t size, struct costs *c, ucpo_error *err)
{
    struct io_npy array;
    ucpo_status st = io_npy_parse(bytes, size, c->label, &array, err);
    if (st) return st;
    if (array.rank != 1)
        return status_fail_at(err, UCPO_E_FORMAT, c->label, 0,
                              "NPY array has %d axes, expected one: a cost per instance",
                              array.rank);
    for (size_t i = 0; !st && i < array.shape[0]; i++) {
        size_t index[4] = {i, 0, 0, 0};
        st = add(c, io_npy_at(&array, index), 0, err);
    }
    return st;
}

/* ---- CSV ---- */

/* Takes the next field of a line, up to a comma outside quotes, without quotes and blanks. */
static int next_field(const char **at, const char *end, const char **field, size_t *length)
{
    if (!*at) return 0;
    const char *begin = *at, *stop = begin;
    int is_quoted = 0;
    for (; stop < end && (is_quoted || *stop != ','); stop++) is_quoted ^= *stop == '"';
    *at = stop < end ? stop + 1 : NULL;
    while (begin < stop && strchr(" \t\"", *begin)) begin++;
    while (stop > begin && strchr(" \t\"", stop[-1])) stop--;
    *field = begin;
    *length = (size_t)(stop - begin);
    return 1;
}

/* Field `column` of a line. */
static int find_field(const char *line, size_t line_length, int column, const char **field,
                      size_t *length)
{
    const char *at = line;
    for (int k = 0; next_field(&at, line + line_length, field, length); k++)
        if (k == column) return 1;
    return 0;
}

/* Column of the head line that is called `cost`, or -1. */
static int find_cost(const char *line, size_t line_length)
{
    const char *at = line, *field;
    size_t length;
    for (int k = 0; next_field(&at, line + line_length, &field, &length); k++)
        if (length == 4 && memcmp(field, "cost", 4) == 0) return k;
    return -1;
}

/* Column -1: the line is one number. */
static ucpo_status read_line(struct costs *c, const char *line, size_t line_length, int column,
                             long number, ucpo_error *err)
{
    const char *field = line;
    size_t length = line_length;
    double value;
    if (column >= 0 && !find_field(line, line_length, column, &field, &length))
        return status_fail_at(err, UCPO_E_FORMAT, c->label, number, "row ends before column cost");
    if (!io_parse_number(field, length, &value))
        return status_fail_at(err, UCPO_E_FORMAT, c->label, number, "cost is '%.*s', expected %s",
                              (int)(length < 40 ? length : 40), field,
                              column < 0 ? "one number a line" : "a number");
    return add(c, value, number, err);
}

/* The first line: a head with a column cost, or already a number (*column -1). */
static ucpo_status read_head(const struct costs *c, const char *line, size_t length, long number,
                             int *column, ucpo_error *err)
{
    double ignored;
    *column = io_parse_number(line, length, &ignored) ? -1 : find_cost(line, length);
    if (*column >= 0 || io_parse_number(line, length, &ignored)) return UCPO_OK;
    return status_fail_at(
        err, UCPO_E_FORMAT, c->label, number,
        "is no list of costs: expected an NPY vector, a pickle, CSV with a column "
        "cost, or one number a line");
}

static ucpo_status read_csv(const char *bytes, size_t size, struct costs *c, ucpo_error *err)
{
    struct io_text text = io_text_open(bytes, size, c->label);
    const char *line;
    size_t length;
    int column = -1, is_first = 1;
    for (long number = text.line; io_line(&text, &line, &length); number = text.line) {
        if (length == 0) continue;
        ucpo_status st = UCPO_OK;
        if (is_first) st = read_head(c, line, length, number, &column, err);
        if (!st && !(is_first && column >= 0)) st = read_line(c, line, length, column, number, err);
        if (st) return st;
        is_first = 0;
    }
    return UCPO_OK;
}

/* ---- pickle ---- */

static ucpo_status read_pickle(const char *bytes, size_t size, struct costs *c, ucpo_error *err)
{
    struct pickle p;
    ucpo_status st = pickle_read(bytes, size, c->label, &p, err);
    if (st) return st;
    const struct pickle_value *root = &p.value[p.root];
    if (root->kind != PICKLE_SEQUENCE)
        st = status_fail_at(err, UCPO_E_FORMAT, c->label, 0,
                            "pickle holds a single value, expected a list of costs");
    size_t cell = root->kind == PICKLE_SEQUENCE ? root->head : 0;
    for (; !st && cell != 0; cell = p.cell[cell].next) {
        const struct pickle_value *v = &p.value[p.cell[cell].value];
        if (v->kind == PICKLE_SEQUENCE && v->length > 0) v = &p.value[p.cell[v->head].value];
        if (v->kind == PICKLE_NUMBER)
            st = add(c, v->number, 0, err);
        else
            st = status_fail_at(err, UCPO_E_FORMAT, c->label, 0,
                                "entry %zu is neither a number nor a (cost, tour) pair", c->count);
    }
    pickle_free(&p);
    return st;
}

/* ---- all ---- */

ucpo_status ucpo_costs_read_bytes(const void *bytes, size_t size, const char *label, double **out,
                                  size_t *count, ucpo_error *err)
{
    if ((!bytes && size > 0) || !out || !count)
        return status_fail(err, UCPO_E_ARGUMENT, "bytes, out and count must not be NULL");
    struct costs c = {.label = label ? label : ""};
    ucpo_status st;
    if (size >= 6 && memcmp(bytes, "\x93NUMPY", 6) == 0)
        st = read_npy(bytes, size, &c, err);
    else if (pickle_detect(bytes, size))
        st = read_pickle(bytes, size, &c, err);
    else
        st = read_csv(bytes, size, &c, err);
    if (!st && c.count == 0)
        st = status_fail_at(err, UCPO_E_FORMAT, c.label, 0, "file holds no cost");
    if (st) {
        free(c.value);
        return st;
    }
    *out = c.value;
    *count = c.count;
    return UCPO_OK;
}

ucpo_status ucpo_costs_read(const char *path, double **out, size_t *count, ucpo_error *err)
{
    char *bytes = NULL;
    size_t size = 0;
    ucpo_status st = ucpo_file_read(path, &bytes, &size, err);
    if (st) return st;
    st = ucpo_costs_read_bytes(bytes, size, strcmp(path, "-") == 0 ? "standard input" : path, out,
                               count, err);
    ucpo_bytes_free(bytes);
    return st;
}

void ucpo_costs_free(double *costs)
{
    free(costs);
}
