/* What a COMMENT line of the TSPLIB family can tell: our own `ucpo key=value ...` carries what the
 * format has no keyword for; comments of others may state the optimum. */
#include "io/tsplib.h"

#include "core/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int find_name(const char *const *names, int count, const char *word, size_t length)
{
    for (int k = 0; k < count; k++)
        if (io_word_is(word, length, names[k])) return k;
    return -1;
}

/* 1: taken, 0: unknown key, -1: the value is none. */
static int take_token(struct io_tsplib_note *note, const char *key, size_t key_length,
                      const char *value, size_t length)
{
    struct {
        const char *key;
        double *out, low;
    } numbers[] = {{"unit", &note->unit, 0.0},
                   {"tolerance", &note->tolerance, 0.0},
                   {"service_in_cost", &note->service_in_cost, 0.0},
                   {"best_known", &note->best_known, -(double)INFINITY},
                   {"scale", &note->scale, 0.0}};

    struct {
        const char *key;
        const char *const *names;
        int low, count;
        int *out;
    } choices[] = {{"rounding", io_roundings, UCPO_ROUND_NONE, IO_ROUNDINGS, &note->rounding},
                   {"metric", io_metrics, 0, IO_METRICS, &note->metric},
                   {"draft", io_drafts, 0, IO_DRAFTS, &note->draft}};

    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
        if (io_word_is(key, key_length, numbers[k].key))
            return io_parse_number(value, length, numbers[k].out) &&
                           *numbers[k].out >= numbers[k].low
                       ? 1
                       : -1;
    for (size_t k = 0; k < sizeof choices / sizeof choices[0]; k++) {
        if (!io_word_is(key, key_length, choices[k].key)) continue;
        *choices[k].out = find_name(choices[k].names, choices[k].count, value, length);
        return *choices[k].out >= choices[k].low ? 1 : -1;
    }
    return 0;
}

static ucpo_status unknown_token(const struct io_source *source, long line, const char *key,
                                 size_t length, ucpo_error *err)
{
    static const char known[] =
        "unit tolerance service_in_cost best_known scale rounding metric draft";
    char copy[64], room[sizeof known];
    snprintf(copy, sizeof copy, "%.*s", (int)(length < 60 ? length : 60), key);
    const char *near = text_nearest_in(known, copy, room, sizeof room);
    if (!near)
        return io_object_to(IO_UNKNOWN, source, line, err, "COMMENT: '%s' is not known", copy);
    return io_object_to(
        IO_MISSPELT, source, line, err,
        "COMMENT: '%s' is not known, did you mean '%s'? (option 'ignore_unsupported' reads "
        "the file without it)",
        copy, near);
}

static ucpo_status take_own(struct io_tsplib *file, struct io_text *text, ucpo_error *err)
{
    const char *word;
    size_t length;
    while ((length = io_token(text, &word)) > 0) {
        const char *equals = memchr(word, '=', length);
        size_t key_length = equals ? (size_t)(equals - word) : length;
        const char *value = equals ? equals + 1 : word + length;
        int verdict =
            take_token(&file->note, word, key_length, value, length - (size_t)(value - word));
        ucpo_status st = UCPO_OK;
        if (verdict < 0)
            st = status_format(err, text->label, text->line, "COMMENT: '%.*s' has no valid value",
                               (int)(length < 60 ? length : 60), word);
        else if (verdict == 0)
            st = unknown_token(file->source, text->line, word, key_length, err);
        if (st) return st;
    }
    return UCPO_OK;
}

/* "... Optimal value: 784)" */
static void take_optimum(struct io_tsplib_note *note, const char *value, size_t length)
{
    static const char label[] = "Optimal value:";
    const char *found = io_find_part(value, length, label);
    if (!found) return;
    const char *stop = value + length, *begin = found + sizeof label - 1;
    while (begin < stop && (*begin == ' ' || *begin == '\t')) begin++;
    const char *end = begin;
    while (end < stop && ((*end >= '0' && *end <= '9') || *end == '.')) end++;
    double best;
    if (io_parse_number(begin, (size_t)(end - begin), &best)) note->best_known = best;
}

ucpo_status io_tsplib_comment(struct io_tsplib *file, const char *value, size_t length, long line,
                              ucpo_error *err)
{
    struct io_text text = {file->text.label, value, value + length, line};
    const char *word;
    size_t size = io_token(&text, &word);
    if (size == 4 && memcmp(word, "ucpo", 4) == 0) return take_own(file, &text, err);
    take_optimum(&file->note, value, length);
    return UCPO_OK;
}
