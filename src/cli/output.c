#include "cli/output.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "core/text.h"

/* ---- writing ---- */

int output_begin(struct output *out)
{
    *out = (struct output){0};
    out->stream = open_memstream(&out->bytes, &out->size);
    return out->stream ? EXIT_DONE : no_memory();
}

/* What a file calls itself must not move the cursor of who reads about it: the text with hidden characters by
 * name, to be freed; NULL if there is no memory. */
static char *make_printable(const char *bytes, size_t *size)
{
    static const char kept[] = "\n\t";
    size_t length = text_printable(bytes, *size, kept, NULL, 0);
    char *text = malloc(length + 1);
    if (!text) return NULL;
    (void)text_printable(bytes, *size, kept, text, length);
    *size = length;
    return text;
}

int output_finish(struct output *out, const char *path)
{
    int is_good = !ferror(out->stream);
    is_good = fclose(out->stream) == 0 && is_good;
    size_t size = out->size;
    char *text = is_good ? make_printable(out->bytes, &size) : NULL;
    int code = text ? output_emit(path, text, size) : no_memory();
    free(text);
    free(out->bytes);
    return code;
}

int output_end(struct output *out, const char *path, int code)
{
    if (code == EXIT_DONE) return output_finish(out, path);
    output_discard(out);
    return code;
}

void output_discard(struct output *out)
{
    (void)fclose(out->stream);
    free(out->bytes);
}

static int write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t put = write(fd, bytes, size);
        if (put < 0 && errno == EINTR && !interrupt_is_pending()) continue;
        if (put <= 0) return 0;
        bytes += put;
        size -= (size_t)put;
    }
    return 1;
}

int output_is_stdout(const char *path)
{
    return !path || strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0;
}

static int emit_to_stdout(const char *bytes, size_t size)
{
    char reason[128];
    if (write_all(STDOUT_FILENO, bytes, size)) return EXIT_DONE;
    if (!interrupt_is_pending())
        return message_error("standard output: cannot be written: %s",
                             status_errno_text(errno, reason, sizeof reason));
    message_error("interrupted");
    return EXIT_INTERRUPTED;
}

int output_emit(const char *path, const void *bytes, size_t size)
{
    if (interrupt_is_pending()) {
        message_error("interrupted, nothing was written");
        return EXIT_INTERRUPTED;
    }
    if (output_is_stdout(path) && isatty(STDOUT_FILENO)) { /* formats that keep names as they are */
        char *text = make_printable(bytes, &size);
        int code = text ? emit_to_stdout(text, size) : no_memory();
        free(text);
        return code;
    }
    if (output_is_stdout(path)) return emit_to_stdout(bytes, size);
    ucpo_error err = {0};
    ucpo_status status = ucpo_file_write(path, bytes, size, &err);
    return status ? message_failure(status, &err) : EXIT_DONE;
}

int output_made(const char *path, ucpo_status status, const ucpo_error *err, char *bytes,
                size_t size)
{
    int code = status ? message_failure(status, err) : output_emit(path, bytes, size);
    ucpo_bytes_free(bytes);
    return code;
}

const char *output_format_for(const char *path)
{
    static const struct {
        const char *ending, *format;
    } known[] = {{".json", "json"}, {".npy", "npy"}, {".vrp", "tsplib"},
                 {".sol", "sol"},   {".csv", "csv"}, {".tour", "tour"},
                 {".html", "html"}, {".svg", "svg"}, {".htm", "html"}};

    const char *dot = path ? strrchr(path, '.') : NULL;
    for (size_t i = 0; dot && i < sizeof known / sizeof known[0]; i++)
        if (strcmp(dot, known[i].ending) == 0) return known[i].format;
    for (size_t i = 0; dot && i < ucpo_problem_count(); i++) /* .tsptw and the like */
        if (strcmp(dot + 1, ucpo_problem_at(i)->name) == 0) return "tsplib";
    return NULL;
}

int output_accepts(const char *path, const char *format)
{
    int is_binary = strcmp(format, "npy") == 0 || strcmp(format, "safetensors") == 0;
    int is_svg = strcmp(format, "svg") == 0;
    if (!output_is_stdout(path) || !(is_binary || is_svg) || !isatty(STDOUT_FILENO)) return 1;
    message_error("%s%s and standard output is a terminal: name a file with -o FILE",
                  is_svg ? "the result is a picture" : format, is_svg ? "" : " is binary");
    return 0;
}

/* ---- numbers ---- */

const char *number_fixed(char buf[NUMBER_MAX], double value, int decimals)
{
    if (isnan(value)) return "-";
    if (!(fabs(value) < 1e15)) {
        snprintf(buf, NUMBER_MAX, "%.6g", value);
        return buf;
    }
    snprintf(buf, NUMBER_MAX, "%.*f", decimals, value);
    if (strchr(buf, '.')) {
        size_t length = strlen(buf);
        while (buf[length - 1] == '0') length--;
        if (buf[length - 1] == '.') length--;
        buf[length] = '\0';
    }
    return strcmp(buf, "-0") == 0 ? "0" : buf;
}

int number_decimals(double unit)
{
    return unit >= 10.0 ? 3 : 5;
}

/* ---- tables ---- */

void table_add(struct table *table, const char *format, ...)
{
    if (table->count == table->capacity) {
        size_t capacity = table->capacity ? 2 * table->capacity : 64;
        char(*cells)[TABLE_CELL] = realloc(table->cells, capacity * sizeof *cells);
        if (!cells) {
            table->failed = 1;
            return;
        }
        table->cells = cells;
        table->capacity = capacity;
    }
    char text[TABLE_CELL], *cell = table->cells[table->count++];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    size_t used = text_printable(text, strlen(text), "", cell, TABLE_CELL - 1);
    cell[used < TABLE_CELL - 1 ? used : TABLE_CELL - 1] = '\0';
}

/* Characters, not bytes; wide ones count as one. */
static int shown_width(const char *text)
{
    int width = 0;
    for (; *text; text++) width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

static void print_row(FILE *stream, const struct table *table, const char *const *cells,
                      const int *widths)
{
    char line[TABLE_COLUMNS * (TABLE_CELL + 2) + 1];
    size_t used = 0;
    for (size_t c = 0; c < table->columns; c++) {
        int is_left = (table->left >> c) & 1, fill = widths[c] - shown_width(cells[c]);
        used += (size_t)snprintf(line + used, sizeof line - used, "%s%*s%s%*s", c ? "  " : "",
                                 is_left ? 0 : fill, "", cells[c], is_left ? fill : 0, "");
    }
    while (used > 0 && line[used - 1] == ' ') used--;
    fprintf(stream, "%.*s\n", (int)used, line);
}

int table_print(struct table *table, FILE *stream)
{
    int widths[TABLE_COLUMNS] = {0};
    if (table->columns == 0) return 1;
    for (size_t c = 0; c < table->columns; c++) widths[c] = shown_width(table->heads[c]);
    for (size_t i = 0; i < table->count; i++) {
        int width = shown_width(table->cells[i]);
        if (width > widths[i % table->columns]) widths[i % table->columns] = width;
    }
    print_row(stream, table, table->heads, widths);
    for (size_t i = 0; i + table->columns <= table->count; i += table->columns) {
        const char *cells[TABLE_COLUMNS];
        for (size_t c = 0; c < table->columns; c++) cells[c] = table->cells[i + c];
        print_row(stream, table, cells, widths);
    }
    free(table->cells);
    table->cells = NULL;
    if (table->failed) no_memory();
    return !table->failed;
}

void report_line(FILE *stream, const char *key, const char *format, ...)
{
    char *text = NULL, *line = NULL;
    size_t size = 0;
    FILE *value = open_memstream(&text, &size);
    if (!value) return;
    va_list args;
    va_start(args, format);
    vfprintf(value, format, args);
    va_end(args);
    if (fclose(value) == 0) line = malloc(4 * size + 1);
    size_t used = line ? text_printable(text, size, "", line, 4 * size) : 0;
    fprintf(stream, "%-12s %.*s\n", key, (int)used, line ? line : "");
    free(line);
    free(text);
}

/* ---- JSON ---- */

void put_json_string(FILE *stream, const char *text)
{
    char one[TEXT_JSON];
    fputc('"', stream);
    for (size_t length; (length = text_json_next(text, one)) > 0; text += length)
        fputs(one, stream);
    fputc('"', stream);
}

void put_json_number(FILE *stream, double value)
{
    char buf[NUMBER_MAX];
    fputs(isfinite(value) ? number_write(buf, value) : "null", stream);
}

void put_json_key(FILE *stream, int *is_first, const char *key)
{
    if (!*is_first) fputs(", ", stream);
    *is_first = 0;
    put_json_string(stream, key);
    fputs(": ", stream);
}

void put_json_text(FILE *stream, int *is_first, const char *key, const char *text)
{
    put_json_key(stream, is_first, key);
    if (text)
        put_json_string(stream, text);
    else
        fputs("null", stream);
}

void put_json_value(FILE *stream, int *is_first, const char *key, double value)
{
    put_json_key(stream, is_first, key);
    put_json_number(stream, value);
}

void put_json_truth(FILE *stream, int *is_first, const char *key, int value)
{
    put_json_key(stream, is_first, key);
    fputs(value ? "true" : "false", stream);
}

/* ---- CSV ---- */

void put_csv_text(FILE *stream, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, stream);
        return;
    }
    fputc('"', stream);
    for (; *text; text++) {
        if (*text == '"') fputc('"', stream);
        fputc(*text, stream);
    }
    fputc('"', stream);
}
