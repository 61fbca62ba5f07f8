/* CSV of stops, format "csv": one row per place, columns found by name (docs/formats.md). */
#ifndef UCPO_IO_STOPS_H
#define UCPO_IO_STOPS_H

#include "io/table.h"

enum stops_column {
    STOPS_ID,
    STOPS_NAME,
    STOPS_X,
    STOPS_Y,
    STOPS_LAT,
    STOPS_LON,
    STOPS_READY,
    STOPS_DUE,
    STOPS_WINDOW,
    STOPS_SERVICE,
    STOPS_DEMAND,
    STOPS_KIND,
    STOPS_CAPACITY,
    STOPS_VEHICLES,
    STOPS_COLUMNS
};

struct stops_head {
    int place[STOPS_COLUMNS]; /* field of the column, from 0; -1: absent */
    double minutes; /* of a unit of the service column: 1, unless its head says (s) or (h) */
};

/* The name by which --column calls a column. */
const char *stops_column_name(enum stops_column column);

/* What a head says alone: the column, or -1. */
int stops_column_of(const char *head);

/* Finds the columns of row 0, after options->columns and the list of known names. Columns that mean nothing are
 * warned about in one line, misspelt ones are errors. */
ucpo_status stops_find_columns(const struct io_source *source, const struct io_table *table,
                               struct stops_head *out, ucpo_error *err);

/* stops_write.c */
ucpo_status stops_write(struct io_buffer *out, const ucpo_dataset *set,
                        const ucpo_write_config *options, ucpo_error *err);

#endif
