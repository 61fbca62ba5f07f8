#include "io/table.h"

#include <stdlib.h>
#include <string.h>

char io_table_separator(const char *line, size_t length)
{
    static const char separators[] = {';', '\t', ','};
    size_t count[3] = {0};
    int is_quoted = 0;
    for (size_t i = 0; i < length; i++) {
        if (line[i] == '"') is_quoted = !is_quoted;
        for (int k = 0; k < 3; k++) count[k] += !is_quoted && line[i] == separators[k];
    }
    int best = 0;
    for (int k = 1; k < 3; k++)
        if (count[k] > count[best]) best = k;
    return count[best] > 0 ? separators[best] : '\0';
}

/* The table while it is read; `to` is where the next character of a cell goes. */
struct scan {
    struct io_text text;
    struct io_table *table;
    char *to;
};

static int is_end(const struct scan *s)
{
    return s->text.at >= s->text.end;
}

/* A quoted field, up to its closing quote. */
static ucpo_status scan_quoted(struct scan *s, ucpo_error *err)
{
    long began = s->text.line;
    s->text.at++;
    while (!is_end(s)) {
        char c = *s->text.at++;
        if (c == '"' && (is_end(s) || *s->text.at != '"')) return UCPO_OK;
        if (c == '"') s->text.at++;
        if (c == '\n') s->text.line++;
        *s->to++ = c;
    }
    return status_format(err, s->text.label, began, "a quote is not closed");
}

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Behind a closing quote the field ends. If not, a quote before was left open, or one within was not doubled. */
static ucpo_status expect_field_end(struct scan *s, long began, ucpo_error *err)
{
    while (!is_end(s) && (*s->text.at == ' ' || *s->text.at == '\r')) s->text.at++;
    if (is_end(s) || *s->text.at == s->table->separator || *s->text.at == '\n') return UCPO_OK;
    size_t length = 0;
    while (s->text.at + length < s->text.end && length < 20 && s->text.at[length] != '\n' &&
           s->text.at[length] != '\r')
        length++;
    if (s->text.line == began)
        return status_format(err, s->text.label, began,
                             "'%.*s' behind a closing quote, expected '%c' or the end of the row "
                             "(a quote within a quoted field is doubled)",
                             (int)length, s->text.at, s->table->separator);
    return status_format(err, s->text.label, began,
                         "the quote that opens here is not closed in its row: the next one, in "
                         "line %ld, is followed by '%.*s'",
                         s->text.line, (int)length, s->text.at);
}

/* One field, the character behind it is left alone. */
static ucpo_status scan_field(struct scan *s, ucpo_error *err)
{
    struct io_table *t = s->table;
    while (!is_end(s) && *s->text.at == ' ' && t->separator != ' ') s->text.at++;
    char *begin = s->to;
    ucpo_status st = UCPO_OK;
    if (!is_end(s) && *s->text.at == '"') {
        long began = s->text.line;
        st = scan_quoted(s, err);
        if (!st) st = expect_field_end(s, began, err);
    }
    while (!st && !is_end(s) && *s->text.at != t->separator && *s->text.at != '\n')
        *s->to++ = *s->text.at++;
    while (begin < s->to && is_blank(*begin)) begin++;
    while (s->to > begin && is_blank(s->to[-1])) s->to--;
    *s->to++ = '\0';
    return st ? st : mem_append(&t->cell, &t->cells, &t->cell_capacity, &begin, sizeof begin, err);
}

/* Rows without content say nothing; '#' begins a remark. */
static int is_row(const struct io_table *t, const struct io_row_of *row)
{
    if (t->cell[row->first][0] == '#') return 0;
    for (size_t k = 0; k < row->count; k++)
        if (t->cell[row->first + k][0]) return 1;
    return 0;
}

static ucpo_status scan_row(struct scan *s, ucpo_error *err)
{
    struct io_table *t = s->table;
    struct io_row_of row = {.first = t->cells, .line = s->text.line};
    for (;;) {
        ucpo_status st = scan_field(s, err);
        if (st) return st;
        row.count++;
        if (is_end(s)) break;
        char c = *s->text.at++;
        if (c == '\n') {
            s->text.line++;
            break;
        }
    }
    if (!is_row(t, &row)) {
        t->cells = row.first;
        return UCPO_OK;
    }
    return mem_append(&t->row, &t->rows, &t->row_capacity, &row, sizeof row, err);
}

/* The first line with content decides about the separator. */
static char find_separator(struct io_text text)
{
    struct io_text line;
    while (io_line(&text, &line))
        if (io_left(&line) > 0 && *line.at != '#')
            return io_table_separator(line.at, io_left(&line));
    return '\0';
}

ucpo_status io_table_read(const char *bytes, size_t size, const char *label, char separator,
                          struct io_table *out, ucpo_error *err)
{
    struct io_table table = {.separator = separator};
    struct scan s = {.text = io_text_open(bytes, size, label), .table = &table};
    if (!separator) table.separator = find_separator(s.text);
    if (memchr(bytes, '\0', size))
        return status_format(err, label, 0, "the text holds a zero byte");
    if (!table.separator)
        return status_format(err, label, 1,
                             "the head line has no ';', tab or ',' between its columns");
    table.store =
        mem_zeroed(size + 2, 1); /* a cell is at most as long as its field and what ends it */
    if (!table.store) return status_no_memory(err, size + 2);
    s.to = table.store;
    ucpo_status st = UCPO_OK;
    while (!st && !is_end(&s)) st = scan_row(&s, err);
    if (!st && table.rows == 0 && !separator)
        st = status_format(err, label, 0, "file holds no row");
    if (st) {
        io_table_free(&table);
        return st;
    }
    *out = table;
    return UCPO_OK;
}

void io_table_free(struct io_table *table)
{
    free(table->cell);
    free(table->row);
    free(table->store);
    *table = (struct io_table){0};
}

const char *io_table_at(const struct io_table *table, size_t row, int column)
{
    const struct io_row_of *r = &table->row[row];
    return column >= 0 && (size_t)column < r->count ? table->cell[r->first + (size_t)column] : "";
}

int io_table_column(const struct io_table *table, const char *name)
{
    int found = -1;
    for (size_t c = 0; table->rows > 0 && c < table->row[0].count; c++)
        if (strcmp(io_table_at(table, 0, (int)c), name) == 0) found = found == -1 ? (int)c : -2;
    return found;
}

int io_table_is_plan(const char *line, size_t length)
{
    struct io_table table = {0};
    if (length > 4096 || io_table_read(line, length, "", 0, &table, NULL)) return 0;
    int is_plan = io_table_column(&table, "route") >= 0 &&
                  io_table_column(&table, "position") >= 0 && io_table_column(&table, "node") >= 0;
    io_table_free(&table);
    return is_plan;
}
