/* Tokens, lines and numbers, without locale, with the line they stand on. */
#include "io/io.h"

#include "core/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct io_text io_text_open(const char *bytes, size_t size, const char *label)
{
    struct io_text text = {label, bytes, size ? bytes + size : bytes, 1};
    if (size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) text.at += 3;
    return text;
}

static int is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

size_t io_token(struct io_text *text, const char **token)
{
    while (text->at < text->end && is_space(*text->at)) {
        if (*text->at == '\n') text->line++;
        text->at++;
    }
    *token = text->at;
    while (text->at < text->end && !is_space(*text->at)) text->at++;
    return (size_t)(text->at - *token);
}

int io_line(struct io_text *text, struct io_text *line)
{
    *line = *text;
    if (io_left(text) == 0) return 0;
    const char *stop = memchr(text->at, '\n', io_left(text));
    text->at = stop ? stop + 1 : text->end;
    text->line += stop != NULL;
    if (stop) line->end = stop;
    while (io_left(line) && is_space(*line->at)) line->at++;
    while (io_left(line) && is_space(line->end[-1])) line->end--;
    return 1;
}

int io_parse_number(const char *token, size_t length, double *out)
{
    double value;
    if (!number_read(token, length, &value) || !isfinite(value)) return 0;
    *out = value;
    return 1;
}

int io_has_text(const char *const *text, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (text[k][0]) return 1;
    return 0;
}

struct placed {
    const char *text;
    size_t place;
};

static int compare_placed(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    int order = strcmp(x->text, y->text);
    return order ? order : (x->place > y->place) - (x->place < y->place);
}

int io_find_duplicate(const char *const *text, size_t n, size_t *first, size_t *second)
{
    struct placed *all = mem_zeroed(n, sizeof *all);
    size_t count = 0;
    int found = 0;
    if (!all) return -1;
    for (size_t k = 0; k < n; k++)
        if (text[k][0]) all[count++] = (struct placed){text[k], k};
    qsort(all, count, sizeof *all, compare_placed);
    for (size_t k = 1; k < count; k++) {
        if (strcmp(all[k - 1].text, all[k].text) != 0) continue;
        if (found && all[k].place >= *second) continue;
        found = 1;
        *first = all[k - 1].place;
        *second = all[k].place;
    }
    free(all);
    return found;
}
