/* Reader of the TSPLIB family: keywords. Sections are in tsplib_section.c, the instance is put
 * together in tsplib_assemble.c. */
#include "io/tsplib.h"

#include "core/text.h"
#include "io/left_out.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *word;
    enum io_tsplib_key key;
} words[] = {
    {"NAME", KEY_NAME},
    {"TYPE", KEY_TYPE},
    {"COMMENT", KEY_COMMENT},
    {"DIMENSION", KEY_DIMENSION},
    {"CAPACITY", KEY_CAPACITY},
    {"VEHICLES", KEY_VEHICLES},
    {"SALESMEN", KEY_VEHICLES},
    {"SERVICE_TIME", KEY_SERVICE_TIME},
    {"SCALE", KEY_SCALE},
    {"EDGE_WEIGHT_TYPE", KEY_WEIGHT_TYPE},
    {"EDGE_WEIGHT_FORMAT", KEY_WEIGHT_FORMAT},
    {"NODE_COORD_TYPE", KEY_COORD_TYPE},
    {"DISPLAY_DATA_TYPE", KEY_DISPLAY_TYPE},
    {"NODE_COORD_SECTION", KEY_COORDS},
    {"DISPLAY_DATA_SECTION", KEY_DISPLAY},
    {"TIME_WINDOW_SECTION", KEY_WINDOWS},
    {"SERVICE_TIME_SECTION", KEY_SERVICE},
    {"DEMAND_SECTION", KEY_DEMAND},
    {"DRAFT_LIMIT_SECTION", KEY_LIMIT},
    {"EDGE_WEIGHT_SECTION", KEY_WEIGHTS},
    {"DEPOT_SECTION", KEY_DEPOT},
    /* keys that restrict or change the instance; every unknown section counts as one, too */
    {"DISTANCE", KEY_CONSTRAINT},
    {"DEMAND_DIMENSION", KEY_CONSTRAINT},
    {"EDGE_DATA_FORMAT", KEY_CONSTRAINT},
    {"RISK_THRESHOLD", KEY_CONSTRAINT},
    {"MTSP_MIN_SIZE", KEY_CONSTRAINT},
    {"MTSP_MAX_SIZE", KEY_CONSTRAINT},
};

static int is_section(const char *word, size_t length)
{
    return length > 8 && io_word_is(word + length - 8, 8, "_SECTION");
}

static enum io_tsplib_key find_key(const char *word, size_t length)
{
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (io_word_is(word, length, words[k].word)) return words[k].key;
    /* VEHICLES_MAX_DURATION and its kin of PyVRP */
    if (is_section(word, length) || (length > 9 && io_word_is(word, 9, "VEHICLES_")))
        return KEY_CONSTRAINT;
    return KEY_UNKNOWN;
}

enum { WORDS = sizeof words / sizeof words[0], WORD_SIZE = 64 };

/* A copy without the _SECTION that all sections share, which would make them all look alike. */
static void copy_stem(char out[WORD_SIZE], const char *word, size_t length)
{
    size_t size = is_section(word, length) ? length - 8 : length;
    if (size >= WORD_SIZE) size = 0;
    memcpy(out, word, size);
    out[size] = '\0';
}

/* The known keyword that `word` may be meant to be, or NULL. */
static const char *nearest_word(const char *word, size_t length)
{
    char stem[WORD_SIZE], known[WORDS][WORD_SIZE];
    const char *candidates[WORDS];
    int section = is_section(word, length);
    copy_stem(stem, word, length);
    for (size_t k = 0; k < WORDS; k++) {
        size_t size = strlen(words[k].word);
        copy_stem(known[k], words[k].word, size);
        candidates[k] = !section || is_section(words[k].word, size) ? known[k] : NULL;
    }
    const char *near = text_nearest(stem, candidates, WORDS);
    for (size_t k = 0; near && k < WORDS; k++)
        if (near == candidates[k]) return words[k].word;
    return NULL;
}

/* One line of the specification part: keyword, then the value with the separator taken off. */
struct spec {
    const char *word, *value;
    size_t length, value_length;
    long line;
};

static int is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static struct spec split_line(const struct io_text *line)
{
    const char *at = line->at, *end = line->end;
    while (at < end && !is_blank(*at) && *at != ':' && *at != '=') at++;
    struct spec spec = {line->at, at, (size_t)(at - line->at), 0, line->line};
    while (at < end && is_blank(*at)) at++;
    if (at < end && (*at == ':' || *at == '=')) at++;
    while (at < end && is_blank(*at)) at++;
    spec.value = at;
    spec.value_length = (size_t)(end - at);
    return spec;
}

/* ---- values of keywords ---- */

static ucpo_status bad_value(const struct io_tsplib *file, const struct spec *spec,
                             ucpo_status code, const char *expected, ucpo_error *err)
{
    return status_fail_at(err, code, file->text.label, spec->line, "%.*s is '%.*s', expected %s",
                          (int)spec->length, spec->word,
                          (int)(spec->value_length < 60 ? spec->value_length : 60), spec->value,
                          expected);
}

static ucpo_status take_whole(const struct io_tsplib *file, const struct spec *spec, long low,
                              long high, const char *expected, long *out, ucpo_error *err)
{
    double value;
    if (!io_parse_number(spec->value, spec->value_length, &value) || value != floor(value) ||
        value < (double)low || value > (double)high)
        return bad_value(file, spec, UCPO_E_FORMAT, expected, err);
    *out = (long)value;
    return UCPO_OK;
}

static ucpo_status take_number(const struct io_tsplib *file, const struct spec *spec, double *out,
                               ucpo_error *err)
{
    double value;
    if (!io_parse_number(spec->value, spec->value_length, &value) || value < 0.0)
        return bad_value(file, spec, UCPO_E_FORMAT, "a number >= 0", err);
    *out = value;
    return UCPO_OK;
}

static ucpo_status take_type(struct io_tsplib *file, const struct spec *spec, ucpo_error *err)
{
    size_t length = 0; /* TSPLIB allows a remark behind the type */
    while (length < spec->value_length && !is_blank(spec->value[length])) length++;
    for (size_t i = 0; !file->ops && i < prob_registry_count; i++)
        for (int k = 0; k < 2 && prob_registry[i]->tsplib[k]; k++)
            if (io_word_is(spec->value, length, prob_registry[i]->tsplib[k]))
                file->ops = prob_registry[i];
    if (file->ops) return UCPO_OK;
    char types[128];
    return bad_value(file, spec, UCPO_E_UNSUPPORTED, prob_types(types, sizeof types), err);
}

static ucpo_status take_weight_type(struct io_tsplib *file, const struct spec *spec,
                                    ucpo_error *err)
{
    for (size_t k = 0; k < io_tsplib_weight_count; k++)
        if (io_word_is(spec->value, spec->value_length, io_tsplib_weights[k].name))
            file->weight = &io_tsplib_weights[k];
    if (file->weight) return UCPO_OK;
    return bad_value(file, spec, UCPO_E_UNSUPPORTED,
                     "EXPLICIT, EUC_2D, CEIL_2D, FLOOR_2D, EXACT_2D, MAN_2D, MAX_2D, GEO or ATT",
                     err);
}

static ucpo_status take_weight_format(struct io_tsplib *file, const struct spec *spec,
                                      ucpo_error *err)
{
    file->weight_format = io_tsplib_find_weight_format(spec->value, spec->value_length);
    if (file->weight_format || io_word_is(spec->value, spec->value_length, "FUNCTION"))
        return UCPO_OK;
    return bad_value(file, spec, UCPO_E_UNSUPPORTED,
                     "FULL_MATRIX, FUNCTION or (UPPER|LOWER)_ROW, _COL, _DIAG_ROW, _DIAG_COL", err);
}

static ucpo_status take_dimension(struct io_tsplib *file, const struct spec *spec, ucpo_error *err)
{
    char expected[80];
    snprintf(expected, sizeof expected, "a whole number 2 .. %d", IO_MAX_NODES);
    long n = 0;
    ucpo_status st = take_whole(file, spec, 2, IO_MAX_NODES, expected, &n, err);
    if (!st) file->arrays.n = (size_t)n;
    return st;
}

static ucpo_status take_value(struct io_tsplib *file, enum io_tsplib_key key,
                              const struct spec *spec, ucpo_error *err)
{
    switch (key) {
    case KEY_NAME: io_clean_name(file->name, spec->value, spec->value_length); return UCPO_OK;
    case KEY_TYPE: return take_type(file, spec, err);
    case KEY_DIMENSION: return take_dimension(file, spec, err);
    case KEY_CAPACITY: return take_number(file, spec, &file->capacity, err);
    case KEY_VEHICLES:
        return take_whole(file, spec, 1, INT32_MAX, "a whole number >= 1", &file->vehicles, err);
    case KEY_SERVICE_TIME: return take_number(file, spec, &file->service_time, err);
    case KEY_SCALE:
        return take_whole(file, spec, 1, 1000000, "a whole number 1 .. 1000000", &file->scale, err);
    case KEY_WEIGHT_TYPE: return take_weight_type(file, spec, err);
    case KEY_WEIGHT_FORMAT: return take_weight_format(file, spec, err);
    case KEY_COORD_TYPE:
        if (io_word_is(spec->value, spec->value_length, "THREED_COORDS"))
            return bad_value(file, spec, UCPO_E_UNSUPPORTED, "TWOD_COORDS or NO_COORDS", err);
        return UCPO_OK;
    default: return UCPO_OK;
    }
}

/* ---- lines ---- */

/* Data of a section we do not know ends at the next line that starts with a letter. */
static void skip_data(struct io_text *text)
{
    for (;;) {
        struct io_text before = *text, line;
        if (!io_content_line(text, &line)) return;
        if (text_is_letter(*line.at)) {
            *text = before;
            return;
        }
    }
}

/* What the instance is without a key or section that has no counterpart. */
static ucpo_reading way_without(const struct spec *spec)
{
    static const char *const easier[] = {"FIXED_EDGES", "BACKHAUL", "PICKUP_AND_DELIVERY",
                                         "RELEASE_TIME", "MUTUALLY_EXCLUSIVE_GROUP"};
    char stem[WORD_SIZE];
    ucpo_reading way;
    copy_stem(stem, spec->word, spec->length);
    size_t length = strlen(stem);
    if (io_restricts(stem, &way)) return way;
    if (length > 5 && io_word_is(stem + length - 5, 5, "_COST")) return UCPO_READ_COST;
    for (size_t k = 0; k < sizeof easier / sizeof easier[0]; k++)
        if (io_word_is(stem, length, easier[k])) return UCPO_READ_EASIER;
    int is_key = !is_section(spec->word, spec->length);
    return is_key || (length > 9 && io_word_is(stem, 9, "VEHICLES_")) ? UCPO_READ_EASIER
                                                                      : UCPO_READ_EITHER;
}

static ucpo_status take_unknown(const struct io_tsplib *file, const struct spec *spec,
                                ucpo_error *err)
{
    int shown = (int)(spec->length < 60 ? spec->length : 60);
    const char *near = nearest_word(spec->word, spec->length);
    char stem[WORD_SIZE];
    ucpo_reading way;
    copy_stem(stem, spec->word, spec->length);
    if (io_restricts(stem, &way))
        return io_leave_out(way, file->source, spec->line, err,
                            "key %.*s: ucpo has no counterpart (option 'ignore_unsupported' reads "
                            "the file without it)",
                            shown, spec->word);
    if (!near)
        return io_object_to(IO_UNKNOWN, file->source, spec->line, err, "key %.*s is not known",
                            shown, spec->word);
    return io_object_to(
        IO_MISSPELT, file->source, spec->line, err,
        "key %.*s is not known, did you mean %s? (option 'ignore_unsupported' reads the "
        "file without it)",
        shown, spec->word, near);
}

static ucpo_status take_line(struct io_tsplib *file, const struct spec *spec, ucpo_error *err)
{
    enum io_tsplib_key key = find_key(spec->word, spec->length);
    int shown = (int)(spec->length < 60 ? spec->length : 60);
    ucpo_status st = UCPO_OK;
    if (key == KEY_COMMENT)
        return io_tsplib_comment(file, spec->value, spec->value_length, spec->line, err);
    if (key == KEY_CONSTRAINT) {
        int section = is_section(spec->word, spec->length);
        const char *near = nearest_word(spec->word, spec->length);
        if (near && io_word_is(spec->word, spec->length, near)) near = NULL; /* spelt well */
        ucpo_reading way = way_without(spec);
        st = io_leave_out(way, file->source, spec->line, err,
                          "unsupported %s %.*s: the instance would be %s%s%s%s",
                          section ? "section" : "key", shown, spec->word,
                          way == UCPO_READ_EASIER ? "relaxed" : "another one",
                          near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
        if (!st && section) skip_data(&file->text);
        return st;
    }
    if (key == KEY_UNKNOWN) return take_unknown(file, spec, err);
    if (file->seen[key] != 0)
        return status_format(err, file->text.label, spec->line,
                             "%.*s is given again (first on line %ld)", shown, spec->word,
                             file->seen[key]);
    file->seen[key] = spec->line;
    if (key < KEY_COORDS) return take_value(file, key, spec, err);
    /* the data may start on the line of the section's name */
    file->text.at = spec->value;
    file->text.line = spec->line;
    return io_tsplib_section(file, key, err);
}

static ucpo_status read_lines(struct io_tsplib *file, ucpo_error *err)
{
    struct io_text line;
    while (io_content_line(&file->text, &line)) {
        struct spec spec = split_line(&line);
        if (io_word_is(spec.word, spec.length, "EOF")) {
            file->text.at = spec.value;
            file->text.line = line.line;
            return io_expect_end(file->source, &file->text, err);
        }
        if (!text_is_letter(*line.at))
            return status_format(err, file->text.label, line.line,
                                 "'%.*s' stands where a keyword was expected: a section holds "
                                 "more numbers than DIMENSION allows",
                                 io_shown(io_left(&line)), line.at);
        ucpo_status st = take_line(file, &spec, err);
        if (st) return st;
    }
    const struct io_source *source = file->source;
    int is_cut = source->size > 0 && source->bytes[source->size - 1] != '\n';
    return io_object_to(IO_UNKNOWN, source, file->text.line, err, "there is no EOF line%s",
                        is_cut ? " and the last line does not end: the file may be cut off" : "");
}

ucpo_status io_tsplib_read(const struct io_source *source, ucpo_dataset *set, ucpo_error *err)
{
    struct io_tsplib file = {
        .source = source,
        .text = io_text_open(source->bytes, source->size, source->label),
        .note = {-1, -1, -1, -1.0, -1.0, -1.0, (double)NAN, -1.0},
    };
    ucpo_status st = read_lines(&file, err);
    if (!st) st = io_tsplib_assemble(&file, set, err);
    io_arrays_free(&file.arrays);
    return st;
}
