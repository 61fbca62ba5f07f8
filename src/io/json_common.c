#include "io/json.h"

#include "core/text.h"
#include "io/left_out.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static size_t byte_order_mark(const char *bytes, size_t size)
{
    return size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

int json_begins_object(const char *bytes, size_t size)
{
    size_t at = byte_order_mark(bytes, size);
    while (at < size && bytes[at] && strchr(" \t\r\n", bytes[at])) at++;
    return at < size && bytes[at] == '{';
}

ucpo_status json_parse(const char *bytes, size_t size, const char *label, json_t **out,
                       ucpo_error *err)
{
    size_t skip = byte_order_mark(bytes, size);
    json_error_t where;
    /* reals only: keeps -0 and whole numbers beyond 64 bits, and one type is one case less */
    json_t *root =
        json_loadb(bytes + skip, size - skip,
                   JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL | JSON_DECODE_ANY, &where);
    if (!root && where.text[0] == '\0') return status_no_memory(err, size);
    if (!root)
        return status_format(err, label, where.line > 0 ? where.line : 1, "not valid JSON: %s",
                             where.text);
    if (!json_is_object(root)) {
        char text[80];
        json_describe(root, text, sizeof text);
        json_decref(root);
        return status_format(err, label, 1, "the file is %s, expected an object", text);
    }
    *out = root;
    return UCPO_OK;
}

const char *json_describe(const json_t *value, char *buf, size_t size)
{
    if (!value) {
        snprintf(buf, size, "missing");
        return buf;
    }
    switch (json_typeof(value)) {
    case JSON_STRING: {
        const char *text = json_string_value(value);
        size_t shown = json_cut(text, 40);
        snprintf(buf, size, "\"%.*s%s\"", (int)shown, text, text[shown] ? "..." : "");
        break;
    }
    case JSON_REAL:
    case JSON_INTEGER: snprintf(buf, size, "%.10g", json_number_value(value)); break;
    case JSON_TRUE: snprintf(buf, size, "true"); break;
    case JSON_FALSE: snprintf(buf, size, "false"); break;
    case JSON_NULL: snprintf(buf, size, "null"); break;
    case JSON_ARRAY: snprintf(buf, size, "an array of %zu", json_array_size(value)); break;
    case JSON_OBJECT: snprintf(buf, size, "an object"); break;
    }
    return buf;
}

ucpo_status json_wrong(const char *label, const char *path, const json_t *value,
                       const char *expected, ucpo_error *err)
{
    char text[80];
    return status_format(err, label, 0, "%s is %s, expected %s", path,
                         json_describe(value, text, sizeof text), expected);
}

ucpo_status json_check_keys(const struct io_source *source, const char *prefix, const char *where,
                            const json_t *object, const char *known, ucpo_error *err)
{
    json_t *o = (json_t *)object; /* jansson's iterators take no const */
    ucpo_status st = UCPO_OK;
    for (void *it = json_object_iter(o); !st && it; it = json_object_iter_next(o, it)) {
        const char *name = json_object_iter_key(it);
        if (text_word_index(known, name) >= 0) continue;
        int shown = (int)json_cut(name, 60);
        ucpo_reading way;
        char room[800];
        const char *near = text_nearest_in(known, name, room, sizeof room);
        if (io_restricts(name, &way) && !json_is_null(json_object_iter_value(it)))
            st = io_leave_out(way, source, 0, err,
                              "key '%s%.*s'%s: ucpo has no counterpart (option "
                              "'ignore_unsupported' drops it)",
                              prefix, shown, name, where);
        else if (near)
            st = io_object_to(IO_MISSPELT, source, 0, err,
                              "unknown key '%s%.*s'%s, did you mean '%s'? (option "
                              "'ignore_unsupported' reads the file without it)",
                              prefix, shown, name, where, near);
        else
            st = io_object_to(IO_UNKNOWN, source, 0, err, "unknown key '%s%.*s'%s", prefix, shown,
                              name, where);
    }
    return st;
}

int json_whole(const json_t *value, double low, double high, double *out)
{
    if (!json_is_number(value)) return 0;
    double v = json_number_value(value);
    if (v != floor(v) || v < low || v > high) return 0;
    *out = v;
    return 1;
}

const char *json_word(const json_t *value, char *buf)
{
    if (json_is_number(value)) snprintf(buf, JSON_NUMBER_BYTES, "%.15g", json_number_value(value));
    return json_is_string(value) ? json_string_value(value) : buf;
}

ucpo_status json_texts(const char *label, const char *path, const json_t *list, size_t count,
                       struct mem_pool *pool, const char *const **out, ucpo_error *err)
{
    char text[96];
    snprintf(text, sizeof text, "an array of %zu texts", count);
    if (!json_is_array(list) || json_array_size(list) != count)
        return json_wrong(label, path, list, text, err);
    const char **item = mem_take(pool, count, sizeof *item, err);
    char *numbers = mem_take(pool, count, JSON_NUMBER_BYTES, err);
    if (!item || !numbers) return UCPO_E_MEMORY;
    for (size_t i = 0; i < count; i++, numbers += JSON_NUMBER_BYTES) {
        const json_t *entry = json_array_get(list, i);
        item[i] = json_word(entry, numbers);
        if (json_is_string(entry) || json_is_number(entry) || json_is_null(entry)) continue;
        snprintf(text, sizeof text, "%s[%zu]", path, i);
        return json_wrong(label, text, entry, "a text, a number or null", err);
    }
    *out = item;
    return UCPO_OK;
}

/* Length of the UTF-8 character at `text` (NUL-terminated, so that it ends before the text does), 0 if
 * the bytes are none. */
static size_t utf8_length(const char *text)
{
    return text_utf8_length(text, 4);
}

int json_is_utf8(const char *text)
{
    for (size_t length; *text; text += length) {
        length = utf8_length(text);
        if (length == 0) return 0;
    }
    return 1;
}

void json_put_string(struct io_buffer *out, const char *text)
{
    char one[TEXT_JSON];
    io_put(out, "\"", 1);
    for (size_t length; (length = text_json_next(text, one)) > 0; text += length)
        io_put(out, one, strlen(one));
    io_put(out, "\"", 1);
}

void json_put_left_out(struct io_buffer *out, const ucpo_instance_data *data, const char *indent)
{
    io_put(out, "[", 1);
    for (size_t k = 0; k < data->left_outs; k++) {
        io_printf(out, "%s\n%s  {\"way\": \"%s\", \"what\": ", k ? "," : "", indent,
                  ucpo_reading_name(data->left_out[k].way));
        json_put_string(out, data->left_out[k].text);
        io_put(out, "}", 1);
    }
    io_put(out, "]", 1);
}

void json_put_number(struct io_buffer *out, double value)
{
    if (isfinite(value))
        io_put_number(out, value);
    else
        io_put(out, "null", 4);
}

size_t json_cut(const char *text, size_t most)
{
    size_t length = 0;
    while (text[length]) {
        size_t step = utf8_length(text + length);
        if (step == 0) step = 1;
        if (length + step > most) break;
        length += step;
    }
    return length;
}
