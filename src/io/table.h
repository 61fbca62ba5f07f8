/* Tables of text: CSV as spreadsheets write it. */
#ifndef UCPO_IO_TABLE_H
#define UCPO_IO_TABLE_H

#include "io/io.h"

struct io_row_of {
    size_t first, count; /* cells */
    long line;
};

/* Cells are zero-terminated, without quotes and blanks at their ends. Row 0 is the head line. Blank
 * rows, and those whose first cell begins with '#', are left out. */
struct io_table {
    char separator;
    const char **cell;
    struct io_row_of *row;
    size_t cells, rows, cell_capacity, row_capacity;
    char *store;
};

/* The separator of a head line: ';', tab or ',', whichever stands there most often outside quotes (in
 * this order if equally often); 0: none of them. */
char io_table_separator(const char *line, size_t length);

/* Whether a head line is that of a plan as ucpo writes it: route, position, node. */
int io_table_is_plan(const char *line, size_t length);

/* Fields may be quoted, then hold separators, line ends and doubled quotes. separator 0: that of the head
 * line, which must be there and have one. */
ucpo_status io_table_read(const char *bytes, size_t size, const char *label, char separator,
                          struct io_table *out, ucpo_error *err);
void io_table_free(struct io_table *table);

/* The column that the head line calls `name`; -1: none, -2: more than one. */
int io_table_column(const struct io_table *table, const char *name);

/* Cell `column` of a row; "" if the row ends before it or column is negative. */
const char *io_table_at(const struct io_table *table, size_t row, int column);

#endif
