/* Costs to compare with, one per instance: NPY, CSV, pickle. */
#include "io/io.h"
#include "io/pickle.h"
#include "io/table.h"
#include "io/text_common.h"

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
        return status_format(err, c->label, line, "cost %zu is %g, expected a positive number",
                             c->count, value);
    return mem_append(&c->value, &c->count, &c->capacity, &value, sizeof value, err);
}

/* ---- NPY ---- */

static ucpo_status read_npy(const char *bytes, size_t size, struct costs *c, ucpo_error *err)
{
    struct io_npy array;
    ucpo_status st = io_npy_parse(bytes, size, c->label, &array, err);
    if (st) return st;
    if (array.rank != 1)
        return status_format(err, c->label, 0,
                             "NPY array has %d axes, expected one: a cost per instance",
                             array.rank);
    for (size_t i = 0; !st && i < array.shape[0]; i++) {
        size_t index[4] = {i, 0, 0, 0};
        st = add(c, io_npy_at(&array, index), 0, err);
    }
    return st;
}

/* ---- CSV ---- */

/* A head line with a column cost, or a number a line from the first on. */
static ucpo_status read_csv(const char *bytes, size_t size, struct costs *c, ucpo_error *err)
{
    struct io_text text = io_text_open(bytes, size, c->label), line;
    struct io_table table = {0};
    double value;
    if (!io_content_line(&text, &line)) return UCPO_OK;
    int is_list = io_parse_number(line.at, io_left(&line), &value), column = 0;
    if (!is_list && !io_find_part(line.at, io_left(&line), "cost"))
        column = -1; /* may be anything */
    ucpo_status st = column < 0 ? UCPO_OK : io_table_read(bytes, size, c->label, ',', &table, err);
    if (!st && !is_list) column = io_table_column(&table, "cost");
    if (!st && column < 0)
        st = status_format(
            err, c->label, line.line,
            "is no list of costs: expected an NPY vector, a pickle, CSV with a column "
            "cost, or one number a line");
    for (size_t k = !is_list; !st && k < table.rows; k++) {
        const char *cell = io_table_at(&table, k, column);
        long number = table.row[k].line;
        if ((size_t)column >= table.row[k].count)
            st = status_format(err, c->label, number, "row ends before column cost");
        else if (!io_parse_number(cell, strlen(cell), &value) ||
                 (is_list && table.row[k].count > 1))
            st = status_format(err, c->label, number, "cost is '%.40s', expected %s", cell,
                               is_list ? "one number a line" : "a number");
        else
            st = add(c, value, number, err);
    }
    io_table_free(&table);
    return st;
}

/* ---- pickle ---- */

static ucpo_status read_pickle(const char *bytes, size_t size, struct costs *c, ucpo_error *err)
{
    struct pickle p;
    ucpo_status st = pickle_read(bytes, size, c->label, 0, &p, err);
    if (st) return st;
    const struct pickle_value *root = &p.value[p.root];
    if (root->kind != PICKLE_SEQUENCE)
        st = status_format(err, c->label, 0,
                           "pickle holds a single value, expected a list of costs");
    size_t cell = root->kind == PICKLE_SEQUENCE ? root->head : 0;
    for (; !st && cell != 0; cell = p.cell[cell].next) {
        const struct pickle_value *v = &p.value[p.cell[cell].value];
        if (v->kind == PICKLE_SEQUENCE && v->length > 0) v = &p.value[p.cell[v->head].value];
        if (v->kind == PICKLE_NUMBER)
            st = add(c, v->number, 0, err);
        else
            st = status_format(err, c->label, 0,
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
        return status_argument(err, "bytes, out and count must not be NULL");
    struct costs c = {.label = label ? label : ""};
    ucpo_status st;
    if (io_npy_detect(bytes, size))
        st = read_npy(bytes, size, &c, err);
    else if (pickle_detect(bytes, size))
        st = read_pickle(bytes, size, &c, err);
    else
        st = read_csv(bytes, size, &c, err);
    if (!st && c.count == 0) st = status_format(err, c.label, 0, "file holds no cost");
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
    if (!out || !count) return status_argument(err, "out and count must not be NULL");
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
