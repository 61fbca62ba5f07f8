/* Reading metrics.csv. */
#include "core/number.h"
#include "core/text.h"
#include "io/table.h"
#include "plot/plot.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* In the order of enum plot_column, then that of the row's kind. */
static const char column_names[] =
    "instances elapsed loss dual margin primal dual_share margin_share primal_share "
    "infeasible_samples infeasible_instances objective gap kind";

static const char *const kind_names[PLOT_KIND_COUNT] = {"train", "greedy", "sampled"};

/* Where the columns stand; -1: nowhere. The last place is that of `kind`. */
static ucpo_status find_columns(const struct io_table *table, const char *label,
                                int place[PLOT_COLUMN_COUNT + 1], ucpo_error *err)
{
    const char *names = column_names;
    char name[32];
    for (int c = 0; c <= PLOT_COLUMN_COUNT; c++) place[c] = -1;
    for (int c = 0; text_next(&names, name, sizeof name); c++) {
        place[c] = io_table_column(table, name);
        if (place[c] == -2)
            return status_format(err, label, 1, "column '%s' is there twice, expected it once",
                                 name);
    }
    if (place[PLOT_COLUMN_COUNT] >= 0 && place[PLOT_INSTANCES] >= 0) return UCPO_OK;
    return status_format(err, label, 1,
                         "column '%s' is missing, expected a head line with the columns of a "
                         "metrics.csv",
                         place[PLOT_COLUMN_COUNT] < 0 ? "kind" : "instances");
}

/* A cell as a number. Empty, nan, inf and what is too large for arithmetic cannot be drawn: NaN. */
static int read_cell(const char *cell, double *out)
{
    size_t sign = *cell == '-' || *cell == '+';
    *out = NAN;
    if (*cell == '\0' || strcmp(cell + sign, "nan") == 0) return 1;
    if (!number_read(cell, strlen(cell), out)) return 0;
    if (!(fabs(*out) < 1e100)) *out = NAN;
    return 1;
}

/* A row, if it is of a kind that is drawn. */
static ucpo_status read_row(const struct io_table *table, size_t r, const char *label,
                            const int place[PLOT_COLUMN_COUNT + 1], struct plot_run *run,
                            ucpo_error *err)
{
    const char *kind = io_table_at(table, r, place[PLOT_COLUMN_COUNT]);
    struct plot_row *row = &run->rows[run->count];
    int k = 0;
    while (k < PLOT_KIND_COUNT && strcmp(kind, kind_names[k]) != 0) k++;
    for (int c = 0; c < PLOT_COLUMN_COUNT; c++) {
        const char *cell = io_table_at(table, r, place[c]);
        if (!read_cell(cell, &row->cell[c]))
            return status_format(err, label, table->row[r].line,
                                 "%s is '%.40s', expected a number or nothing",
                                 io_table_at(table, 0, place[c]), cell);
    }
    row->kind = (enum plot_kind)k;
    run->count += k < PLOT_KIND_COUNT;
    return UCPO_OK;
}

ucpo_status plot_metrics_read(const char *bytes, size_t size, const char *label,
                              struct plot_run *run, ucpo_error *err)
{
    struct io_table table = {0};
    struct plot_run out = {.name = run->name};
    int place[PLOT_COLUMN_COUNT + 1];
    ucpo_status st = io_table_read(bytes, size, label, ',', &table, err);
    if (!st) st = find_columns(&table, label, place, err);
    if (!st) out.rows = mem_zeroed(table.rows, sizeof *out.rows);
    if (!st && !out.rows) st = status_no_memory(err, table.rows * sizeof *out.rows);
    for (size_t r = 1; !st && r < table.rows; r++) {
        size_t cells = table.row[r].count, expected = table.row[0].count;
        int is_being_written = r + 1 == table.rows && bytes[size - 1] != '\n';
        if (is_being_written && cells < expected) break;
        if (cells != expected)
            st = status_format(err, label, table.row[r].line,
                               "has %zu cells, expected %zu as in the head line", cells, expected);
        if (!st) st = read_row(&table, r, label, place, &out, err);
    }
    io_table_free(&table);
    if (st)
        plot_run_free(&out);
    else
        *run = out;
    return st;
}

/* A directory? Otherwise an error: something is there that is no run, or nothing is. */
static ucpo_status expect_directory(const char *dir, ucpo_error *err)
{
    struct stat info;
    char text[128];
    if (stat(dir, &info) != 0) {
        return status_fail_at(err, UCPO_E_IO, dir, 0,
                              "cannot be opened: %s; expected the directory of a training run",
                              status_errno_text(errno, text, sizeof text));
    }
    if (S_ISDIR(info.st_mode)) return UCPO_OK;
    return status_fail_at(err, UCPO_E_UNSUPPORTED, dir, 0,
                          "is a file, expected the directory of a training run (it holds "
                          "metrics.csv)");
}

ucpo_status plot_run_read(const char *dir, struct plot_run *run, ucpo_error *err)
{
    char *bytes = NULL;
    size_t size = 0, room = strlen(dir) + sizeof "/metrics.csv";
    struct stat info;
    ucpo_status st = expect_directory(dir, err);
    if (st) return st;
    char *path = mem_zeroed(room, 1);
    if (!path) return status_no_memory(err, room);
    snprintf(path, room, "%s%smetrics.csv", dir, dir[strlen(dir) - 1] == '/' ? "" : "/");
    if (stat(path, &info) != 0)
        st = status_fail_at(err, UCPO_E_IO, dir, 0,
                            "holds no metrics.csv, expected the directory of a training run");
    if (!st) st = ucpo_file_read(path, &bytes, &size, err);
    run->name = dir;
    if (!st) st = plot_metrics_read(bytes, size, path, run, err);
    if (!st && run->count == 0) {
        plot_run_free(run);
        st = status_format(err, path, 0,
                           "holds no row yet, expected at least one of training or validation");
    }
    ucpo_bytes_free(bytes);
    free(path);
    return st;
}

void plot_run_free(struct plot_run *run)
{
    free(run->rows);
    *run = (struct plot_run){0};
}
