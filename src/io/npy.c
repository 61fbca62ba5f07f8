/* NumPy's .npy container: a strict reader of the header, and elements as doubles.
 *
 * Layout: 0x93 "NUMPY", version (1, 2 or 3, then 0), header length (2 bytes little-endian in
 * version 1, else 4), a Python dict literal padded with blanks and ended by a newline, raw data. */
#include "io/io.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAGIC_BYTES 8 /* magic and version */
#define MAX_RANK    4

/* Cursor over the header text. */
struct header {
    const char *label;
    const char *at, *end;
    ucpo_error *err;
};

static ucpo_status malformed(const struct header *h, const char *expected)
{
    size_t left = (size_t)(h->end - h->at);
    int shown = 0; /* what stands there, as far as it can be printed */
    while ((size_t)shown < left && shown < 20 && h->at[shown] >= ' ' && h->at[shown] <= '~')
        shown++;
    return status_format(h->err, h->label, 0, "NPY header: '%.*s' found, expected %s", shown, h->at,
                         expected);
}

static void skip_blanks(struct header *h)
{
    while (h->at < h->end && (*h->at == ' ' || *h->at == '\t')) h->at++;
}

/* Skips blanks, then takes `c` if it stands there. */
static int take(struct header *h, char c)
{
    skip_blanks(h);
    if (h->at >= h->end || *h->at != c) return 0;
    h->at++;
    return 1;
}

static int take_word(struct header *h, const char *word)
{
    size_t length = strlen(word);
    skip_blanks(h);
    if ((size_t)(h->end - h->at) < length || memcmp(h->at, word, length) != 0) return 0;
    h->at += length;
    return 1;
}

/* A quoted string without escapes, into buf. */
static ucpo_status take_string(struct header *h, char *buf, size_t size, const char *expected)
{
    skip_blanks(h);
    const char *begin = h->at;
    char quote = h->at < h->end ? *h->at : '\0';
    if (quote != '\'' && quote != '"') return malformed(h, expected);
    const char *stop = memchr(begin + 1, quote, (size_t)(h->end - begin - 1));
    size_t length = stop ? (size_t)(stop - begin - 1) : 0;
    if (!stop || length >= size || memchr(begin, '\\', length + 1)) return malformed(h, expected);
    memcpy(buf, begin + 1, length);
    buf[length] = '\0';
    h->at = stop + 1;
    return UCPO_OK;
}

/* ---- the three entries ---- */

static ucpo_status read_descr(struct header *h, struct io_npy *out)
{
    char text[32] = "";
    if (take(h, '['))
        return status_fail_at(h->err, UCPO_E_UNSUPPORTED, h->label, 0,
                              "NPY array is structured (records), expected plain numbers");
    ucpo_status st = take_string(h, text, sizeof text, "a type such as '<f4'");
    if (st) return st;
    char order = text[0], type = order ? text[1] : '\0';
    if (strcmp(text, "O") == 0 || type == 'O')
        return status_fail_at(h->err, UCPO_E_UNSUPPORTED, h->label, 0,
                              "NPY array holds Python objects (pickled), expected plain numbers");
    if (order == '>')
        return status_fail_at(h->err, UCPO_E_UNSUPPORTED, h->label, 0,
                              "NPY type is '%s' (big-endian), expected little-endian", text);
    const char *sizes = type == 'f'                  ? "48"
                        : type == 'i' || type == 'u' ? "1248"
                        : type == 'b'                ? "1"
                                                     : "";
    int known = (order == '<' || order == '|') && type && text[2] && !text[3] &&
                strchr(sizes, text[2]) && (order == '<' || text[2] == '1');
    if (!known)
        return status_fail_at(h->err, UCPO_E_UNSUPPORTED, h->label, 0,
                              "NPY type is '%s', expected one of <f4 <f8 <i2 <i4 <i8 <u2 <u4 <u8 "
                              "|i1 |u1 |b1",
                              text);
    out->type = type;
    out->item_bytes = text[2] - '0';
    return UCPO_OK;
}

static ucpo_status read_order(struct header *h, struct io_npy *out)
{
    if (take_word(h, "False"))
        out->fortran_order = 0;
    else if (take_word(h, "True"))
        out->fortran_order = 1;
    else
        return malformed(h, "True or False");
    return UCPO_OK;
}

static ucpo_status read_extent(struct header *h, size_t *out)
{
    size_t value = 0, digits = 0;
    for (skip_blanks(h); h->at < h->end && *h->at >= '0' && *h->at <= '9'; h->at++, digits++) {
        if (size_mul_overflows(value, 10, &value) ||
            __builtin_add_overflow(value, (size_t)(*h->at - '0'), &value))
            return status_format(h->err, h->label, 0, "NPY shape does not fit this machine");
    }
    if (digits == 0) return malformed(h, "a number in 'shape'");
    *out = value;
    return UCPO_OK;
}

/* A Python tuple: (), (3,), (3, 2) or (3, 2,). */
static ucpo_status read_shape(struct header *h, struct io_npy *out)
{
    if (!take(h, '(')) return malformed(h, "'(' of the shape");
    int rank = 0, closed_by_comma = 1;
    while (!take(h, ')')) {
        if (!closed_by_comma) return malformed(h, "',' or ')' in the shape");
        if (rank == MAX_RANK)
            return status_fail_at(h->err, UCPO_E_UNSUPPORTED, h->label, 0,
                                  "NPY array has more than %d axes", MAX_RANK);
        ucpo_status st = read_extent(h, &out->shape[rank]);
        if (st) return st;
        rank++;
        closed_by_comma = take(h, ',');
    }
    if (rank == 1 && !closed_by_comma) return malformed(h, "a tuple as shape: (n,)");
    out->rank = rank;
    return UCPO_OK;
}

static ucpo_status read_dict(struct header *h, struct io_npy *out)
{
    static const char *const names[] = {"descr", "fortran_order", "shape"};
    ucpo_status (*const readers[])(struct header *, struct io_npy *) = {read_descr, read_order,
                                                                        read_shape};
    int seen[3] = {0, 0, 0};
    if (!take(h, '{')) return malformed(h, "'{'");
    while (!take(h, '}')) {
        char key[16];
        ucpo_status st =
            take_string(h, key, sizeof key, "'descr', 'fortran_order' or 'shape', or '}'");
        if (st) return st;
        int k = 0;
        while (k < 3 && strcmp(key, names[k]) != 0) k++;
        if (k == 3 || seen[k])
            return status_format(h->err, h->label, 0,
                                 "NPY header: key '%s' is %s, expected descr, fortran_order and "
                                 "shape once each",
                                 key, k == 3 ? "unknown" : "given twice");
        seen[k] = 1;
        if (!take(h, ':')) return malformed(h, "':'");
        st = readers[k](h, out);
        if (st) return st;
        if (!take(h, ',')) {
            if (!take(h, '}')) return malformed(h, "',' or '}'");
            break;
        }
    }
    for (int k = 0; k < 3; k++)
        if (!seen[k])
            return status_format(h->err, h->label, 0, "NPY header: key '%s' is missing", names[k]);
    skip_blanks(h);
    if (h->at < h->end && *h->at == '\n') h->at++;
    skip_blanks(h);
    return h->at == h->end ? UCPO_OK : malformed(h, "the end of the header");
}

/* ---- the container ---- */

/* Finds the header text and where the data begins. */
static ucpo_status find_header(const char *bytes, size_t size, struct header *h)
{
    if (size < MAGIC_BYTES || !io_npy_detect(bytes, size))
        return status_format(h->err, h->label, 0,
                             "is not an NPY file (it does not begin with 0x93 NUMPY)");
    int major = (unsigned char)bytes[6], minor = (unsigned char)bytes[7];
    if (major < 1 || major > 3 || minor != 0)
        return status_fail_at(h->err, UCPO_E_UNSUPPORTED, h->label, 0,
                              "NPY version is %d.%d, expected 1.0, 2.0 or 3.0", major, minor);
    size_t prefix = MAGIC_BYTES + (major == 1 ? 2 : 4);
    if (size < prefix) return status_format(h->err, h->label, 0, "NPY file ends inside its header");
    size_t length = (size_t)io_little(bytes + MAGIC_BYTES, prefix - MAGIC_BYTES);
    if (length > size - prefix)
        return status_format(h->err, h->label, 0,
                             "NPY header length is %zu, but only %zu bytes follow", length,
                             size - prefix);
    h->at = bytes + prefix;
    h->end = h->at + length;
    return UCPO_OK;
}

ucpo_status io_npy_parse(const char *bytes, size_t size, const char *label, struct io_npy *out,
                         ucpo_error *err)
{
    struct header h = {label, NULL, NULL, err};
    struct io_npy array = {0};
    ucpo_status st = find_header(bytes, size, &h);
    if (!st) st = read_dict(&h, &array);
    if (st) return st;
    size_t items = 1, need = 0, have = (size_t)(bytes + size - h.end);
    int too_large = 0;
    for (int k = 0; k < array.rank; k++) {
        too_large |= size_mul_overflows(items, array.shape[k], &items);
    }
    too_large |= size_mul_overflows(items, (size_t)array.item_bytes, &need);
    if (too_large) return status_format(err, label, 0, "NPY shape does not fit this machine");
    if (need != have)
        return status_format(err, label, 0, "NPY data is %zu bytes long, its shape needs %zu%s",
                             have, need, have < need ? " (file cut short?)" : "");
    array.data = (const unsigned char *)h.end;
    *out = array;
    return UCPO_OK;
}

double io_npy_at(const struct io_npy *array, const size_t index[4])
{
    size_t at = 0;
    if (array->fortran_order)
        for (int k = array->rank; k-- > 0;) at = at * array->shape[k] + index[k];
    else
        for (int k = 0; k < array->rank; k++) at = at * array->shape[k] + index[k];
    size_t bytes = (size_t)array->item_bytes;
    return io_number_in(array->data + at * bytes, array->type, bytes);
}

int io_npy_detect(const char *bytes, size_t size)
{
    return size >= 6 && memcmp(bytes, "\x93NUMPY", 6) == 0;
}

void io_npy_header(struct io_buffer *out, const char *descr, int rank, const size_t *shape)
{
    char text[192];
    size_t used = (size_t)snprintf(text, sizeof text,
                                   "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
    for (int k = 0; k < rank; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%zu", k ? ", " : "", shape[k]);
    used += (size_t)snprintf(text + used, sizeof text - used, "%s), }", rank == 1 ? "," : "");
    size_t total = (MAGIC_BYTES + 2 + used + 1 + 63) / 64 * 64;
    size_t length = total - MAGIC_BYTES - 2;
    io_put(out, "\x93NUMPY\1", MAGIC_BYTES); /* version 1.0: the closing NUL counts */
    io_put_little(out, length, 2);
    io_put(out, text, used);
    io_printf(out, "%*s\n", (int)(length - used - 1), "");
}
