/* Tokens, lines and numbers, without locale, with the line they stand on. */
#include "io/io.h"

#include <math.h>
#include <stdio.h>
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

int io_line(struct io_text *text, const char **line, size_t *length)
{
    if (text->at >= text->end) return 0;
    const char *begin = text->at;
    const char *stop = memchr(begin, '\n', (size_t)(text->end - begin));
    text->at = stop ? stop + 1 : text->end;
    if (stop)
        text->line++;
    else
        stop = text->end;
    while (begin < stop && is_space(*begin)) begin++;
    while (stop > begin && is_space(stop[-1])) stop--;
    *line = begin;
    *length = (size_t)(stop - begin);
    return 1;
}

int io_parse_number(const char *token, size_t length, int may_be_infinite, double *out)
{
    /* strtod obeys the locale's decimal point: replace '.' by it after checking the characters */
    char copy[64];
    if (length == 0 || length >= sizeof copy) return 0;
    if (may_be_infinite && ((length == 3 && memcmp(token, "inf", 3) == 0) ||
                            (length == 8 && memcmp(token, "infinity", 8) == 0))) {
        *out = INFINITY;
        return 1;
    }
    for (size_t i = 0; i < length; i++) {
        char c = token[i];
        int allowed =
            (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
        if (!allowed) return 0;
        copy[i] = c;
    }
    copy[length] = '\0';
    char *stop;
    double value = strtod(copy, &stop);
    if (*stop == '.') { /* a locale with another decimal point is in force */
        char probe[8];
        snprintf(probe, sizeof probe, "%.1f", 0.5);
        *stop = probe[1];
        value = strtod(copy, &stop);
    }
    if (*stop != '\0' || !isfinite(value)) return 0;
    *out = value;
    return 1;
}

ucpo_status io_number(struct io_text *text, const char *what, double *out, ucpo_error *err)
{
    const char *token;
    size_t length = io_token(text, &token);
    if (length == 0)
        return status_fail_at(err, UCPO_E_FORMAT, text->label, text->line,
                              "file ends where %s was expected", what);
    if (!io_parse_number(token, length, 0, out))
        return status_fail_at(err, UCPO_E_FORMAT, text->label, text->line,
                              "%s is '%.*s', expected a finite number", what,
                              (int)(length < 40 ? length : 40), token);
    return UCPO_OK;
}

ucpo_status io_integer(struct io_text *text, const char *what, long low, long high, long *out,
                       ucpo_error *err)
{
    double value;
    ucpo_status st = io_number(text, what, &value, err);
    if (st) return st;
    if (value != floor(value) || value < (double)low || value > (double)high)
        return status_fail_at(err, UCPO_E_FORMAT, text->label, text->line,
                              "%s is %g, expected a whole number %ld .. %ld", what, value, low,
                              high);
    *out = (long)value;
    return UCPO_OK;
}
