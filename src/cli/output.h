/* Results: collected in memory, then written whole, so that nothing half-written is left. */
#ifndef UCPO_CLI_OUTPUT_H
#define UCPO_CLI_OUTPUT_H

#include "core/number.h"
#include "ucpo.h"

#include <stddef.h>
#include <stdio.h>

/* ---- writing ---- */

struct output {
    FILE *stream; /* print here */
    char *bytes;
    size_t size;
};

/* Returns the exit code: there may be no memory. */
int output_begin(struct output *out);

/* Writes what was printed to `path` (NULL or "-": stdout) and frees it. Returns the exit code. */
int output_finish(struct output *out, const char *path);

/* The same if `code` is 0, otherwise what was printed is dropped and the code returned. */
int output_end(struct output *out, const char *path, int code);

/* Frees what was printed; nothing is written. */
void output_discard(struct output *out);

/* Writes bytes to stdout, or to a file that appears complete or not at all. Returns the exit code.
 */
int output_emit(const char *path, const void *bytes, size_t size);

/* The same for what a function of the library made, which is freed; or its error, if it failed. */
int output_made(const char *path, ucpo_status status, const ucpo_error *err, char *bytes,
                size_t size);

/* Whether `path` stands for standard output: NULL, "-" and its device. */
int output_is_stdout(const char *path);

/* The format that a file name's ending suggests for writing, or NULL. */
const char *output_format_for(const char *path);

/* Binary formats and pictures (svg) are not written to a terminal: 0 after a message. */
int output_accepts(const char *path, const char *format);

/* ---- numbers ---- */

enum { NUMBER_MAX = 32 };

/* At most `decimals` decimals, without closing zeros; "inf"; "-" for NaN. Returns the text. */
const char *number_fixed(char buf[NUMBER_MAX], double value, int decimals);

/* Decimals that make sense in a table of lengths around `unit`. */
int number_decimals(double unit);

/* ---- tables: columns as wide as they need to be, two blanks apart ---- */

enum { TABLE_CELL = 160, TABLE_COLUMNS = 16 };

struct table {
    size_t columns;
    const char *heads[TABLE_COLUMNS];
    unsigned left; /* bit c: column c is text, aligned left */
    char (*cells)[TABLE_CELL];
    size_t count, capacity; /* cells */
    int failed;             /* out of memory; table_print says so */
};

/* Adds the next cell, row by row. */
void table_add(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints and frees. Returns 0 if memory ran out. */
int table_print(struct table *table, FILE *stream);

/* "key         value" lines of a report. */
void report_line(FILE *stream, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- JSON ---- */

void put_json_string(FILE *stream, const char *text);
void put_json_number(FILE *stream, double value); /* null if it is not finite */

/* ,"key": before a member; the first member of an object has no comma. */
void put_json_key(FILE *stream, int *is_first, const char *key);

/* Members in one line; a text of NULL is null. */
void put_json_text(FILE *stream, int *is_first, const char *key, const char *text);
void put_json_value(FILE *stream, int *is_first, const char *key, double value);
void put_json_truth(FILE *stream, int *is_first, const char *key, int value);

/* A field of a CSV row: quoted if it must be. */
void put_csv_text(FILE *stream, const char *text);

#endif
