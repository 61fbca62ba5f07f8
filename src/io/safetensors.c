#include "io/safetensors.h"

#include "io/json.h"

#include <stdlib.h>
#include <string.h>

#define LENGTH_BYTES 8
#define DATA_ALIGN   64
#define METADATA_KEY "__metadata__"

static const struct {
    const char *name;
    size_t bytes;
} dtypes[IO_DTYPES] = {
    [IO_F32] = {"F32", 4},   [IO_F16] = {"F16", 2}, [IO_BF16] = {"BF16", 2}, [IO_F64] = {"F64", 8},
    [IO_I64] = {"I64", 8},   [IO_I32] = {"I32", 4}, [IO_I16] = {"I16", 2},   [IO_I8] = {"I8", 1},
    [IO_U64] = {"U64", 8},   [IO_U32] = {"U32", 4}, [IO_U16] = {"U16", 2},   [IO_U8] = {"U8", 1},
    [IO_BOOL] = {"BOOL", 1},
};

const char *io_dtype_name(enum io_dtype dtype)
{
    return dtypes[dtype].name;
}

size_t io_dtype_bytes(enum io_dtype dtype)
{
    return dtypes[dtype].bytes;
}

const char *io_shown_name(const char *name, char buf[IO_SHOWN_NAME])
{
    size_t length = json_cut(name, IO_SHOWN_NAME - 4);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)name[i];
        buf[i] = c < 0x20 || c == 0x7F ? '?' : name[i];
    }
    memcpy(buf + length, name[length] ? "..." : "\0\0\0", 4);
    return buf;
}

/* ---- reading ---- */

struct reader {
    const char *label;
    const unsigned char *data;
    size_t data_size;
    ucpo_error *err;
};

/* Bytes [begin, end) of the data belong to one tensor. */
struct span {
    size_t begin, end;
    const char *name;
};

/* A whole number that is not negative and fits size_t. */
static int take_size(const json_t *value, size_t *out)
{
    if (!json_is_integer(value)) return 0;
    json_int_t number = json_integer_value(value);
    if (number < 0 || (uintmax_t)number > SIZE_MAX) return 0;
    *out = (size_t)number;
    return 1;
}

static ucpo_status wrong(const struct reader *r, const char *name, const char *field,
                         const json_t *value, const char *expected)
{
    char shown[IO_SHOWN_NAME], text[80];
    return status_format(r->err, r->label, 0, "tensor '%s': %s is %s, expected %s",
                         io_shown_name(name, shown), field, json_describe(value, text, sizeof text),
                         expected);
}

static ucpo_status read_dtype(const struct reader *r, const json_t *entry, struct io_tensor *t)
{
    const json_t *value = json_object_get(entry, "dtype");
    if (!json_is_string(value)) return wrong(r, t->name, "dtype", value, "a type such as \"F32\"");
    for (int k = 0; k < IO_DTYPES; k++) {
        if (strcmp(json_string_value(value), dtypes[k].name) != 0) continue;
        t->dtype = (enum io_dtype)k;
        return UCPO_OK;
    }
    char shown[IO_SHOWN_NAME], text[80];
    return status_fail_at(r->err, UCPO_E_UNSUPPORTED, r->label, 0,
                          "tensor '%s': dtype is %s, expected a type such as \"F32\" or \"F16\"",
                          io_shown_name(t->name, shown), json_describe(value, text, sizeof text));
}

static ucpo_status read_shape(const struct reader *r, const json_t *entry, struct io_tensor *t)
{
    const json_t *value = json_object_get(entry, "shape");
    if (!json_is_array(value)) return wrong(r, t->name, "shape", value, "an array");
    if (json_array_size(value) > IO_TENSOR_RANK)
        return wrong(r, t->name, "shape", value, "at most 4 dimensions");
    t->rank = (int)json_array_size(value);
    t->count = 1;
    for (int k = 0; k < t->rank; k++) {
        const json_t *extent = json_array_get(value, (size_t)k);
        if (!take_size(extent, &t->shape[k]))
            return wrong(r, t->name, "an extent of the shape", extent, "a whole number >= 0");
        if (size_mul_overflows(t->count, t->shape[k], &t->count))
            return wrong(r, t->name, "an extent of the shape", extent,
                         "a product that can be counted");
    }
    return UCPO_OK;
}

static ucpo_status read_offsets(const struct reader *r, const json_t *entry, struct io_tensor *t,
                                struct span *span)
{
    const json_t *value = json_object_get(entry, "data_offsets");
    if (!json_is_array(value) || json_array_size(value) != 2)
        return wrong(r, t->name, "data_offsets", value, "[begin, end]");
    char shown[IO_SHOWN_NAME];
    io_shown_name(t->name, shown);
    for (size_t k = 0; k < 2; k++) {
        const json_t *offset = json_array_get(value, k);
        if (!take_size(offset, k == 0 ? &span->begin : &span->end))
            return wrong(r, t->name, "a data offset", offset, "a whole number >= 0");
    }
    if (span->begin > span->end || span->end > r->data_size)
        return status_format(r->err, r->label, 0,
                             "tensor '%s': data_offsets are [%zu, %zu], expected begin <= end <= "
                             "%zu, the size of the data",
                             shown, span->begin, span->end, r->data_size);
    size_t bytes;
    if (size_mul_overflows(t->count, dtypes[t->dtype].bytes, &bytes) ||
        bytes != span->end - span->begin)
        return status_format(r->err, r->label, 0,
                             "tensor '%s': data_offsets cover %zu bytes, expected %zu elements of "
                             "%s",
                             shown, span->end - span->begin, t->count, dtypes[t->dtype].name);
    t->data = r->data + span->begin;
    span->name = t->name;
    return UCPO_OK;
}

static ucpo_status read_tensor(const struct reader *r, const char *name, const json_t *entry,
                               struct io_tensor *t, struct span *span)
{
    t->name = name;
    if (!json_is_object(entry))
        return wrong(r, name, "the entry", entry, "an object with dtype, shape and data_offsets");
    ucpo_status st = read_dtype(r, entry, t);
    if (!st) st = read_shape(r, entry, t);
    if (!st) st = read_offsets(r, entry, t, span);
    if (!st && json_object_size(entry) != 3)
        st = wrong(r, name, "the entry", entry, "nothing but dtype, shape and data_offsets");
    return st;
}

static ucpo_status read_metadata(const struct reader *r, json_t *entry, struct io_tensors *out)
{
    char text[80], shown[IO_SHOWN_NAME];
    if (!json_is_object(entry))
        return status_format(r->err, r->label, 0, METADATA_KEY " is %s, expected an object",
                             json_describe(entry, text, sizeof text));
    out->meta = mem_zeroed(json_object_size(entry), sizeof *out->meta);
    if (!out->meta) return status_no_memory(r->err, json_object_size(entry) * sizeof *out->meta);
    const char *key;
    json_t *value;
    json_object_foreach(entry, key, value)
    {
        if (!json_is_string(value))
            return status_format(r->err, r->label, 0, METADATA_KEY " '%s' is %s, expected a string",
                                 io_shown_name(key, shown),
                                 json_describe(value, text, sizeof text));
        out->meta[out->metas++] = (struct io_meta){key, json_string_value(value)};
    }
    return UCPO_OK;
}

static int by_position(const void *left, const void *right)
{
    const struct span *a = left, *b = right;
    if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
    return (a->end > b->end) - (a->end < b->end);
}

/* Sorted by position, each begins where the one before ends, and the last ends with the data. */
static ucpo_status check_cover(const struct reader *r, struct span *span, size_t count)
{
    char shown[IO_SHOWN_NAME];
    size_t covered = 0;
    qsort(span, count, sizeof *span, by_position);
    for (size_t i = 0; i < count; i++) {
        if (span[i].begin != covered)
            return status_format(r->err, r->label, 0,
                                 "tensor '%s' begins at byte %zu of the data, expected %zu (%s)",
                                 io_shown_name(span[i].name, shown), span[i].begin, covered,
                                 span[i].begin < covered ? "it overlaps another" : "a hole");
        covered = span[i].end;
    }
    if (covered != r->data_size)
        return status_format(r->err, r->label, 0,
                             "the tensors end at byte %zu of the data, which has %zu bytes",
                             covered, r->data_size);
    return UCPO_OK;
}

/* `span` and out->tensor have room for every entry of the header. */
static ucpo_status read_entries(const struct reader *r, json_t *root, struct io_tensors *out,
                                struct span *span)
{
    ucpo_status st = UCPO_OK;
    for (void *at = json_object_iter(root); at && !st; at = json_object_iter_next(root, at)) {
        const char *name = json_object_iter_key(at);
        json_t *entry = json_object_iter_value(at);
        if (strcmp(name, METADATA_KEY) == 0) {
            st = read_metadata(r, entry, out);
            continue;
        }
        st = read_tensor(r, name, entry, &out->tensor[out->count], &span[out->count]);
        out->count++;
    }
    return st ? st : check_cover(r, span, out->count);
}

static ucpo_status read_header(const struct reader *r, json_t *root, struct io_tensors *out)
{
    size_t count = json_object_size(root);
    if (count > IO_MAX_TENSORS)
        return status_fail_at(r->err, UCPO_E_UNSUPPORTED, r->label, 0,
                              "the header has %zu entries, at most %d are read", count,
                              IO_MAX_TENSORS);
    struct span *span = mem_zeroed(count, sizeof *span);
    out->tensor = mem_zeroed(count, sizeof *out->tensor);
    ucpo_status st = UCPO_E_MEMORY;
    if (span && out->tensor)
        st = read_entries(r, root, out, span);
    else
        status_no_memory(r->err, count * sizeof *out->tensor);
    free(span);
    return st;
}

static ucpo_status parse_header(const struct reader *r, const char *header, size_t length,
                                json_t **root)
{
    if (length == 0 || header[0] != '{')
        return status_format(r->err, r->label, 0,
                             "not a safetensors file: the header does not begin with '{'");
    json_error_t where;
    *root = json_loadb(header, length, JSON_REJECT_DUPLICATES, &where);
    if (!*root && where.text[0] == '\0') return status_no_memory(r->err, length);
    if (!*root)
        return status_format(r->err, r->label, 0, "the header is not valid JSON: %s (byte %d)",
                             where.text, where.position);
    return UCPO_OK;
}

ucpo_status io_safetensors_read(const char *bytes, size_t size, const char *label,
                                struct io_tensors *out, ucpo_error *err)
{
    *out = (struct io_tensors){0};
    if (size < LENGTH_BYTES)
        return status_format(err, label, 0,
                             "not a safetensors file: %zu bytes, expected at least %d", size,
                             LENGTH_BYTES);
    uint64_t length = io_little(bytes, LENGTH_BYTES);
    if (length > IO_MAX_HEADER) /* no writer makes such a header: these bytes are something else */
        return status_format(err, label, 0,
                             "not a safetensors file: it does not begin with the length of a "
                             "header");
    if (length > size - LENGTH_BYTES)
        return status_format(err, label, 0,
                             "not a safetensors file, or cut off: the header has %llu bytes, "
                             "expected at most %zu (and at most %d)",
                             (unsigned long long)length, size - LENGTH_BYTES, IO_MAX_HEADER);
    const char *header = bytes + LENGTH_BYTES;
    struct reader r = {label, (const unsigned char *)header + length,
                       size - LENGTH_BYTES - (size_t)length, err};
    json_t *root = NULL;
    ucpo_status st = parse_header(&r, header, (size_t)length, &root);
    out->text = root;
    return st ? st : read_header(&r, root, out);
}

void io_tensors_free(struct io_tensors *tensors)
{
    free(tensors->tensor);
    free(tensors->meta);
    json_decref(tensors->text);
    *tensors = (struct io_tensors){0};
}

const struct io_tensor *io_tensors_find(const struct io_tensors *tensors, const char *name)
{
    for (size_t i = 0; i < tensors->count; i++)
        if (strcmp(tensors->tensor[i].name, name) == 0) return &tensors->tensor[i];
    return NULL;
}

const char *io_tensors_meta(const struct io_tensors *tensors, const char *key)
{
    for (size_t i = 0; i < tensors->metas; i++)
        if (strcmp(tensors->meta[i].key, key) == 0) return tensors->meta[i].value;
    return NULL;
}

/* ---- writing ---- */

static void put_metadata(struct io_buffer *out, const struct io_meta *meta, size_t metas)
{
    io_printf(out, "\"" METADATA_KEY "\":{");
    for (size_t i = 0; i < metas; i++) {
        if (i > 0) io_put(out, ",", 1);
        json_put_string(out, meta[i].key);
        io_put(out, ":", 1);
        json_put_string(out, meta[i].value);
    }
    io_put(out, "}", 1);
}

static void put_entry(struct io_buffer *out, const struct io_tensor *t, size_t begin, size_t end)
{
    json_put_string(out, t->name);
    io_printf(out, ":{\"dtype\":\"%s\",\"shape\":[", dtypes[t->dtype].name);
    for (int k = 0; k < t->rank; k++) io_printf(out, "%s%zu", k ? "," : "", t->shape[k]);
    io_printf(out, "],\"data_offsets\":[%zu,%zu]}", begin, end);
}

static void put_header(struct io_buffer *out, const struct io_meta *meta, size_t metas,
                       const struct io_tensor *tensor, size_t count)
{
    io_put(out, "{", 1);
    if (metas > 0) put_metadata(out, meta, metas);
    size_t begin = 0;
    for (size_t i = 0; i < count; i++) {
        size_t end = begin + tensor[i].count * dtypes[tensor[i].dtype].bytes;
        if (i > 0 || metas > 0) io_put(out, ",", 1);
        put_entry(out, &tensor[i], begin, end);
        begin = end;
    }
    io_put(out, "}", 1);
    while (!out->failed && (LENGTH_BYTES + out->size) % DATA_ALIGN != 0) io_put(out, " ", 1);
}

ucpo_status io_safetensors_write(struct io_buffer *out, const struct io_meta *meta, size_t metas,
                                 const struct io_tensor *tensor, size_t count, ucpo_error *err)
{
    struct io_buffer header = {0};
    put_header(&header, meta, metas, tensor, count);
    ucpo_status st = io_buffer_status(&header, err);
    if (!st && header.size > IO_MAX_HEADER)
        st = status_argument(err, "the header would have %zu bytes, at most %d", header.size,
                             IO_MAX_HEADER);
    if (!st) {
        io_put_little(out, header.size, LENGTH_BYTES);
        io_put(out, header.bytes, header.size);
        for (size_t i = 0; i < count; i++)
            io_put(out, tensor[i].data, tensor[i].count * dtypes[tensor[i].dtype].bytes);
        st = io_buffer_status(out, err);
    }
    io_buffer_free(&header);
    return st;
}
