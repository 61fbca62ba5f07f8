/* Reading metrics.csv. */
#include "core/number.h"
#include "plot/plot.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const column_names[PLOT_COLUMN_COUNT] = {"instances",
                                                            "elapsed",
                                                            "loss",
                                                            "dual",
                                                            "margin",
                                                            "primal",
                                                            "dual_share",
                                                            "margin_share",
                                                            "primal_share",
                                                            "infeasible_samples",
                                                            "infeasible_instances",
                                                            "objective",
                                                            "gap"};

static const char *const kind_names[PLOT_KIND_COUNT] = {"train", "greedy", "sampled"};

enum { KIND = PLOT_COLUMN_COUNT, UNKNOWN = -1, MAX_COLUMNS = 256 };

struct layout {
    int place[MAX_COLUMNS]; /* enum plot_column, KIND or UNKNOWN */
    size_t count;
    int has[PLOT_COLUMN_COUNT + 1];
};

/* The next cell of a line; 0 behind the last. `at` becomes NULL then. */
static int next_cell(const char **at, const char *end, const char **cell, size_t *length)
{
    if (!*at) return 0;
    const char *comma = memchr(*at, ',', (size_t)(end - *at));
    *cell = *at;
    *length = (size_t)((comma ? comma : end) - *at);
    *at = comma ? comma + 1 : NULL;
    return 1;
}

static int is_word(const char *cell, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(cell, word, length) == 0;
}

static int column_of(const char *cell, size_t length)
{
    if (is_word(cell, length, "kind")) return KIND;
    for (int c = 0; c < PLOT_COLUMN_COUNT; c++)
        if (is_word(cell, length, column_names[c])) return c;
    return UNKNOWN;
}

static ucpo_status read_head(struct io_text *text, struct layout *layout, ucpo_error *err)
{
    const char *line = "", *cell;
    size_t length = 0;
    io_line(text, &line, &length);
    const char *at = line, *end = line + length;
    while (next_cell(&at, end, &cell, &length)) {
        if (layout->count == MAX_COLUMNS)
            return status_fail_at(err, UCPO_E_FORMAT, text->label, 1,
                                  "has more than %d columns, expected a metrics.csv", MAX_COLUMNS);
        int column = column_of(cell, length);
        layout->place[layout->count++] = column;
        if (column == UNKNOWN) continue;
        if (layout->has[column])
            return status_fail_at(err, UCPO_E_FORMAT, text->label, 1,
                                  "column '%.*s' is there twice, expected it once", (int)length,
                                  cell);
        layout->has[column] = 1;
    }
    const char *missing = !layout->has[KIND]             ? "kind"
                          : !layout->has[PLOT_INSTANCES] ? "instances"
                                                         : NULL;
    if (!missing) return UCPO_OK;
    return status_fail_at(err, UCPO_E_FORMAT, text->label, 1,
                          "column '%s' is missing, expected a head line with the columns of a "
                          "metrics.csv",
                          missing);
}

/* A cell as a number. Empty, nan, inf and what is too large for arithmetic cannot be drawn: NaN. */
static int read_cell(const char *cell, size_t length, double *out)
{
    size_t sign = length > 0 && (*cell == '-' || *cell == '+');
    *out = NAN;
    if (length == 0 || is_word(cell + sign, length - sign, "nan")) return 1;
    if (!number_read(cell, length, out)) return 0;
    if (!(fabs(*out) < 1e100)) *out = NAN;
    return 1;
}

struct line {
    const char *begin;
    size_t length;
    long number;
    int is_last; /* without an end of line: maybe still being written */
};

static size_t count_cells(const struct line *line)
{
    size_t count = 1;
    for (size_t i = 0; i < line->length; i++) count += line->begin[i] == ',';
    return count;
}

/* Fills `row`; `is_known` says whether it is of a kind that is drawn. */
static ucpo_status read_row(const struct line *line, const struct layout *layout, const char *label,
                            struct plot_row *row, int *is_known, ucpo_error *err)
{
    const char *at = line->begin, *end = at + line->length, *cell;
    size_t length;
    *is_known = 0;
    for (int c = 0; c < PLOT_COLUMN_COUNT; c++) row->cell[c] = NAN;
    for (size_t i = 0; next_cell(&at, end, &cell, &length); i++) {
        int column = layout->place[i];
        for (int k = 0; column == KIND && k < PLOT_KIND_COUNT; k++)
            if (is_word(cell, length, kind_names[k])) row->kind = (enum plot_kind)k, *is_known = 1;
        if (column == UNKNOWN || column == KIND) continue;
        if (!read_cell(cell, length, &row->cell[column]))
            return status_fail_at(err, UCPO_E_FORMAT, label, line->number,
                                  "%s is '%.*s', expected a number or nothing",
                                  column_names[column], length < 40 ? (int)length : 40, cell);
    }
    return UCPO_OK;
}

static ucpo_status add_row(struct plot_run *run, const struct plot_row *row, ucpo_error *err)
{
    struct plot_row *grown = mem_grow(run->rows, &run->room, run->count + 1, sizeof *row, err);
    if (!grown) return UCPO_E_MEMORY;
    run->rows = grown;
    grown[run->count++] = *row;
    return UCPO_OK;
}

static ucpo_status read_line(const struct line *line, const struct layout *layout,
                             const char *label, struct plot_run *run, ucpo_error *err)
{
    struct plot_row row = {0};
    int is_known = 0;
    size_t cells = count_cells(line);
    if (line->length == 0 || (line->is_last && cells < layout->count)) return UCPO_OK;
    if (cells != layout->count)
        return status_fail_at(err, UCPO_E_FORMAT, label, line->number,
                              "has %zu cells, expected %zu as in the head line", cells,
                              layout->count);
    ucpo_status st = read_row(line, layout, label, &row, &is_known, err);
    if (st || !is_known) return st;
    return add_row(run, &row, err);
}

ucpo_status plot_metrics_read(const char *bytes, size_t size, const char *label,
                              struct plot_run *run, ucpo_error *err)
{
    struct io_text text = io_text_open(bytes, size, label);
    struct layout layout = {.count = 0};
    struct plot_run out = {.name = run->name};
    ucpo_status st = read_head(&text, &layout, err);
    struct line line = {.number = text.line};
    while (!st && io_line(&text, &line.begin, &line.length)) {
        line.is_last = text.line == line.number;
        st = read_line(&line, &layout, label, &out, err);
        line.number = text.line;
    }
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
        st = status_fail_at(err, UCPO_E_FORMAT, path, 0,
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
