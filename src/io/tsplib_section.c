/* Data sections of the TSPLIB family. Their length follows from DIMENSION; line breaks mean
 * nothing. */
#include "io/tsplib.h"

#include <math.h>
#include <string.h>

/* ---- sections with one record per node ---- */

struct node_section {
    enum io_tsplib_key key;
    int columns, is_signed;
    const char *name;
    enum io_field field[2];
    const char *label[2];
};

static const struct node_section node_sections[] = {
    {KEY_COORDS, 2, 1, "NODE_COORD_SECTION", {IO_X, IO_Y}, {"x", "y"}},
    {KEY_DISPLAY, 2, 1, "DISPLAY_DATA_SECTION", {IO_SHOWN_X, IO_SHOWN_Y}, {"x", "y"}},
    {KEY_WINDOWS,
     2,
     1,
     "TIME_WINDOW_SECTION",
     {IO_READY, IO_DUE},
     {"earliest time", "latest time"}},
    {KEY_SERVICE, 1, 0, "SERVICE_TIME_SECTION", {IO_SERVICE}, {"service time"}},
    {KEY_DEMAND, 1, 0, "DEMAND_SECTION", {IO_DEMAND}, {"demand"}},
    {KEY_LIMIT, 1, 0, "DRAFT_LIMIT_SECTION", {IO_LIMIT}, {"draft limit"}},
};

/* NaN marks a node that has no record yet; numbers of the file are finite. */
static ucpo_status add_unseen(struct io_tsplib *file, const struct node_section *section,
                              ucpo_error *err)
{
    for (int c = 0; c < section->columns; c++) {
        ucpo_status st = io_arrays_add(&file->arrays, section->field[c], err);
        if (st) return st;
        for (size_t i = 0; i < file->arrays.n; i++)
            file->arrays.of[section->field[c]][i] = (double)NAN;
    }
    return UCPO_OK;
}

/* The id that starts a record. A word that is no number means that records are missing. */
static ucpo_status read_id(struct io_tsplib *file, const struct node_section *section,
                           size_t record, long *id, ucpo_error *err)
{
    struct io_text ahead = file->text;
    const double *values = file->arrays.of[section->field[0]];
    const char *word;
    double number;
    size_t length = io_word(&ahead, &word), missing = 0;
    if (!io_parse_number(word, length, &number) || number == -1.0) {
        while (!isnan(values[missing])) missing++;
        return status_format(err, ahead.label, ahead.line,
                             "%s ends at '%.*s' after %zu of %zu nodes: node %zu is missing",
                             section->name, io_shown(length), word, record, file->arrays.n,
                             missing + 1);
    }
    ucpo_status st =
        io_whole(&file->text, 1, (long)file->arrays.n, id, err, "%s: node id", section->name);
    if (!st && !isnan(values[*id - 1]))
        st = status_format(err, file->text.label, file->text.line, "%s: node %ld is given twice",
                           section->name, *id);
    return st;
}

static ucpo_status read_nodes(struct io_tsplib *file, const struct node_section *section,
                              ucpo_error *err)
{
    size_t n = file->arrays.n;
    ucpo_status st =
        io_expect_numbers(&file->text, n * (size_t)(section->columns + 1), section->name, err);
    if (!st) st = add_unseen(file, section, err);
    for (size_t k = 0; !st && k < n; k++) {
        long id = 0;
        st = read_id(file, section, k, &id, err);
        for (int c = 0; !st && c < section->columns; c++) {
            double *value = &file->arrays.of[section->field[c]][id - 1];
            st = io_value(&file->text, value, err, "%s: %s of node %ld", section->name,
                          section->label[c], id);
            if (!st && *value < 0.0 && !section->is_signed)
                st = status_format(err, file->text.label, file->text.line,
                                   "%s: %s of node %ld is %g, expected a number >= 0",
                                   section->name, section->label[c], id, *value);
        }
        if (st || section->key != KEY_WINDOWS) continue;
        double ready = file->arrays.of[IO_READY][id - 1], due = file->arrays.of[IO_DUE][id - 1];
        if (ready > due)
            st = status_format(err, file->text.label, file->text.line,
                               "%s: window of node %ld is [%g, %g], expected earliest <= latest",
                               section->name, id, ready, due);
    }
    return st;
}

/* ---- EDGE_WEIGHT_SECTION ---- */

/* A triangle read by columns is the opposite triangle read by rows. */
static const struct weight_format {
    const char *name;
    int is_full, is_upper, has_diagonal;
} weight_formats[] = {
    {"FULL_MATRIX", 1, 0, 1},    {"UPPER_ROW", 0, 1, 0},      {"LOWER_ROW", 0, 0, 0},
    {"UPPER_DIAG_ROW", 0, 1, 1}, {"LOWER_DIAG_ROW", 0, 0, 1}, {"UPPER_COL", 0, 0, 0},
    {"LOWER_COL", 0, 1, 0},      {"UPPER_DIAG_COL", 0, 0, 1}, {"LOWER_DIAG_COL", 0, 1, 1},
};

int io_tsplib_find_weight_format(const char *word, size_t length)
{
    for (size_t k = 0; k < sizeof weight_formats / sizeof weight_formats[0]; k++)
        if (io_word_is(word, length, weight_formats[k].name)) return (int)k + 1;
    return 0;
}

static ucpo_status read_weight_row(struct io_tsplib *file, const struct weight_format *format,
                                   size_t i, ucpo_error *err)
{
    size_t n = file->arrays.n, skip = format->has_diagonal ? 0 : 1;
    size_t first = format->is_full || !format->is_upper ? 0 : i + skip;
    size_t stop = format->is_full || format->is_upper ? n : i + 1 - skip;
    double *m = file->arrays.of[IO_COST];
    for (size_t j = first; j < stop; j++) {
        double value;
        ucpo_status st =
            io_value(&file->text, &value, err,
                     "EDGE_WEIGHT_SECTION: weight from node %zu to node %zu", i + 1, j + 1);
        if (st) return st;
        if (value < 0.0 && i != j)
            return status_format(err, file->text.label, file->text.line,
                                 "EDGE_WEIGHT_SECTION: weight from node %zu to node %zu is %g, "
                                 "expected a number >= 0",
                                 i + 1, j + 1, value);
        m[i * n + j] = value;
        if (!format->is_full) m[j * n + i] = value;
    }
    return UCPO_OK;
}

static ucpo_status read_weights(struct io_tsplib *file, ucpo_error *err)
{
    if (file->weight_format == 0)
        return status_format(err, file->text.label, file->text.line,
                             "EDGE_WEIGHT_FORMAT must come before EDGE_WEIGHT_SECTION");
    const struct weight_format *format = &weight_formats[file->weight_format - 1];
    size_t n = file->arrays.n;
    size_t count = format->is_full        ? n * n
                   : format->has_diagonal ? n * (n + 1) / 2
                                          : n * (n - 1) / 2;
    ucpo_status st = io_expect_numbers(&file->text, count, "EDGE_WEIGHT_SECTION", err);
    if (!st) st = io_arrays_add(&file->arrays, IO_COST, err);
    for (size_t i = 0; !st && i < n; i++) st = read_weight_row(file, format, i, err);
    return st;
}

/* ---- DEPOT_SECTION ---- */

/* Ids up to -1; the end of the file or the next keyword also end the list, as in LKH. */
static ucpo_status read_depots(struct io_tsplib *file, ucpo_error *err)
{
    for (;;) {
        struct io_text ahead = file->text;
        const char *word;
        double value;
        size_t length = io_word(&ahead, &word);
        if (!io_parse_number(word, length, &value)) break;
        if (value == -1.0) {
            file->text = ahead;
            break;
        }
        long id, first = file->depot;
        ucpo_status st =
            io_whole(&file->text, 1, (long)file->arrays.n, &id, err, "DEPOT_SECTION: node id");
        if (st) return st;
        if (first != 0)
            return status_fail_at(err, UCPO_E_UNSUPPORTED, file->text.label, file->text.line,
                                  "DEPOT_SECTION names the depots %ld and %ld, but only one depot "
                                  "is supported",
                                  first, id);
        file->depot = id;
    }
    if (file->depot == 0)
        return status_format(err, file->text.label, file->text.line,
                             "DEPOT_SECTION is empty, expected the id of the depot");
    return UCPO_OK;
}

/* ---- all of them ---- */

/* Some writers close every section with -1. */
static void skip_closing_mark(struct io_text *text)
{
    struct io_text ahead = *text;
    const char *word;
    size_t length = io_word(&ahead, &word);
    if (length == 2 && memcmp(word, "-1", 2) == 0) *text = ahead;
}

ucpo_status io_tsplib_section(struct io_tsplib *file, enum io_tsplib_key key, ucpo_error *err)
{
    if (file->arrays.n == 0)
        return status_format(err, file->text.label, file->text.line,
                             "DIMENSION must come before the data sections");
    if (key == KEY_DEPOT) return read_depots(file, err);
    ucpo_status st = UCPO_OK;
    if (key == KEY_WEIGHTS) st = read_weights(file, err);
    for (size_t k = 0; !st && k < sizeof node_sections / sizeof node_sections[0]; k++)
        if (node_sections[k].key == key) st = read_nodes(file, &node_sections[k], err);
    if (!st) skip_closing_mark(&file->text);
    return st;
}
