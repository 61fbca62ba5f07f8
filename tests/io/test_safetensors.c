/* The safetensors container: what is accepted, what is refused and why, what is written. */
#include "io/safetensors.h"
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A file of exactly the size it needs, so that the sanitizer build sees an overrun. */
static char *file_of(const char *header, uint64_t stated_length, size_t data_bytes, size_t *size)
{
    size_t length = strlen(header);
    *size = 8 + length + data_bytes;
    char *bytes = malloc(*size);
    for (int k = 0; k < 8; k++) bytes[k] = (char)(stated_length >> (8 * k));
    memcpy(bytes + 8, header, length);
    for (size_t i = 0; i < data_bytes; i++) bytes[8 + length + i] = (char)i;
    return bytes;
}

static ucpo_status read_file(const char *header, uint64_t stated_length, size_t data_bytes,
                             ucpo_error *err)
{
    size_t size;
    char *bytes = file_of(header, stated_length, data_bytes, &size);
    struct io_tensors tensors;
    ucpo_status st = io_safetensors_read(bytes, size, "t.safetensors", &tensors, err);
    io_tensors_free(&tensors);
    free(bytes);
    return st;
}

static void assert_refused(const char *header, size_t data_bytes, ucpo_status code,
                           const char *part_of_text)
{
    ucpo_error err = {0};
    ucpo_status st = read_file(header, strlen(header), data_bytes, &err);
    if (st != code || !strstr(err.text, part_of_text))
        print_error("%.300s\n  gave %s: %s\n", header, ucpo_status_name(st), err.text);
    assert_int_equal(st, code);
    assert_int_equal(err.code, code);
    assert_string_equal(err.file, "t.safetensors");
    assert_non_null(strstr(err.text, part_of_text));
}

static void assert_accepted(const char *header, size_t data_bytes)
{
    ucpo_error err = {0};
    assert_ok(read_file(header, strlen(header), data_bytes, &err), &err);
}

#define ENTRY(dtype, shape, offsets)                                                               \
    "{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":" offsets "}"

static void a_toy_file_is_read(void **state)
{
    (void)state;
    const char *header = "{\"w\":" ENTRY(
        "F32", "[2]",
        "[0,8]") ",\"__metadata__\":{\"format\":"
                 "\"toy-1\",\"k\\u00e9y\":\"\"},\"b\":" ENTRY(
                     "F16", "[1,2,1,2]",
                     "[8,16]") ",\"scalar\":" ENTRY("I64", "[]",
                                                    "[16,24]") ",\"none\":" ENTRY("F64", "[3,0]",
                                                                                  "[8,8]") "}   ";
    size_t size;
    char *bytes = file_of(header, strlen(header), 24, &size);
    struct io_tensors t;
    ucpo_error err = {0};
    assert_ok(io_safetensors_read(bytes, size, "toy", &t, &err), &err);
    assert_int_equal(t.count, 4);
    assert_string_equal(t.tensor[0].name, "w");
    const struct io_tensor *b = io_tensors_find(&t, "b");
    assert_non_null(b);
    assert_int_equal(b->dtype, IO_F16);
    assert_int_equal(b->rank, 4);
    assert_int_equal(b->shape[1], 2);
    assert_int_equal(b->shape[3], 2);
    assert_int_equal(b->count, 4);
    assert_int_equal(b->data[0], 8);
    assert_int_equal(io_tensors_find(&t, "scalar")->count, 1);
    assert_int_equal(io_tensors_find(&t, "scalar")->rank, 0);
    assert_int_equal(io_tensors_find(&t, "none")->count, 0);
    assert_null(io_tensors_find(&t, "W"));
    assert_int_equal(t.metas, 2);
    assert_string_equal(io_tensors_meta(&t, "format"), "toy-1");
    assert_string_equal(io_tensors_meta(&t, "k\xC3\xA9y"), "");
    assert_null(io_tensors_meta(&t, "w"));
    io_tensors_free(&t);
    free(bytes);
    assert_accepted("{}", 0);
    assert_accepted("{\"__metadata__\":{}}", 0);
}

static void every_type_has_its_size(void **state)
{
    (void)state;
    static const size_t bytes[IO_DTYPES] = {4, 2, 2, 8, 8, 4, 2, 1, 8, 4, 2, 1, 1};
    for (int k = 0; k < IO_DTYPES; k++) {
        char header[128];
        assert_int_equal(io_dtype_bytes((enum io_dtype)k), bytes[k]);
        snprintf(header, sizeof header,
                 "{\"a\":{\"dtype\":\"%s\",\"shape\":[3],\"data_offsets\":[0,%zu]}}",
                 io_dtype_name((enum io_dtype)k), 3 * bytes[k]);
        assert_accepted(header, 3 * bytes[k]);
    }
}

static void the_stated_header_length_must_be_true(void **state)
{
    (void)state;
    const char *header = "{\"a\":" ENTRY("U8", "[4]", "[0,4]") "}";
    size_t length = strlen(header), size;
    ucpo_error err = {0};
    struct io_tensors t;
    assert_ok(read_file(header, length, 4, &err), &err);
    const uint64_t lies[] = {
        0,         1,         length - 1,        length + 1, length + 4, length + 5,
        100000000, 100000001, UINT64_C(1) << 32, INT64_MAX,  UINT64_MAX, UINT64_MAX - 7};
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        assert_int_equal(read_file(header, lies[i], 4, &err), UCPO_E_FORMAT);
        assert_true(strlen(err.text) > 10);
    }
    char *bytes = file_of(header, length, 4, &size);
    for (size_t cut = 0; cut < size; cut++) { /* exact copies: asan sees a read past the end */
        char *copy = malloc(cut ? cut : 1);
        memcpy(copy, bytes, cut);
        assert_int_equal(io_safetensors_read(copy, cut, "cut", &t, &err), UCPO_E_FORMAT);
        io_tensors_free(&t);
        free(copy);
    }
    free(bytes);
}

static void the_header_must_be_one_json_object(void **state)
{
    (void)state;
    assert_refused("", 0, UCPO_E_FORMAT, "'{'");
    assert_refused(" {}", 0, UCPO_E_FORMAT, "'{'");
    assert_refused("[]", 0, UCPO_E_FORMAT, "'{'");
    assert_refused("\xEF\xBB\xBF{}", 0, UCPO_E_FORMAT, "'{'");
    assert_refused("{", 0, UCPO_E_FORMAT, "not valid JSON");
    assert_refused("{} {}", 0, UCPO_E_FORMAT, "not valid JSON");
    assert_refused("{}x", 0, UCPO_E_FORMAT, "not valid JSON");
    assert_refused("{\"a\xFF\":1}", 0, UCPO_E_FORMAT, "not valid JSON");
    assert_refused("{\"a\\u0000b\":1}", 0, UCPO_E_FORMAT, "not valid JSON");
    assert_refused("{\"a\":" ENTRY("U8", "[0]", "[0,0]") ",\"a\":" ENTRY("U8", "[0]", "[0,0]") "}",
                   0, UCPO_E_FORMAT, "duplicate");
    assert_refused("{\"a\":{\"dtype\":\"U8\",\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]"
                   "}}",
                   0, UCPO_E_FORMAT, "duplicate");
    assert_refused("{\"__metadata__\":{},\"__metadata__\":{}}", 0, UCPO_E_FORMAT, "duplicate");
}

static void deep_json_is_an_error_not_a_crash(void **state)
{
    (void)state;

    enum { DEEP = 200000 };

    static const char *const opening[] = {"[", "{\"a\":"};
    for (int kind = 0; kind < 2; kind++) {
        size_t step = strlen(opening[kind]);
        char *header = malloc(8 + DEEP * step + 1);
        strcpy(header, "{\"a\":");
        for (size_t i = 0; i < DEEP; i++) memcpy(header + 5 + i * step, opening[kind], step + 1);
        assert_refused(header, 0, UCPO_E_FORMAT, "not valid JSON");
        free(header);
    }
}

static void metadata_holds_strings_only(void **state)
{
    (void)state;
    static const char *const values[] = {"1", "1.5", "null", "true", "[]", "[\"a\"]", "{}"};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        char header[128];
        snprintf(header, sizeof header, "{\"__metadata__\":{\"a\":\"b\",\"odd\":%s}}", values[i]);
        assert_refused(header, 0, UCPO_E_FORMAT, "__metadata__ 'odd' is ");
        snprintf(header, sizeof header, "{\"__metadata__\":%s}", values[i]);
        if (strcmp(values[i], "{}") != 0)
            assert_refused(header, 0, UCPO_E_FORMAT, "expected an object");
    }
}

static void an_entry_has_exactly_three_fields(void **state)
{
    (void)state;
    static const char *const entries[] = {
        "1",
        "null",
        "[]",
        "{}",
        "{\"dtype\":\"U8\",\"shape\":[0]}",
        "{\"dtype\":\"U8\",\"data_offsets\":[0,0]}",
        "{\"shape\":[0],\"data_offsets\":[0,0]}",
        "{\"dtype\":8,\"shape\":[0],\"data_offsets\":[0,0]}",
        "{\"dtype\":\"U8\",\"shape\":0,\"data_offsets\":[0,0]}",
        "{\"dtype\":\"U8\",\"shape\":[\"0\"],\"data_offsets\":[0,0]}",
        "{\"dtype\":\"U8\",\"shape\":[-1],\"data_offsets\":[0,0]}",
        "{\"dtype\":\"U8\",\"shape\":[0.0],\"data_offsets\":[0,0]}",
        "{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":0}",
        "{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0]}",
        "{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0,0]}",
        "{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[-1,0]}",
        "{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0.5]}",
        "{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[null,0]}",
        "{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0],\"more\":1}",
    };

    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        char header[160];
        snprintf(header, sizeof header, "{\"some.name\":%s}", entries[i]);
        assert_refused(header, 0, UCPO_E_FORMAT, "tensor 'some.name': ");
    }
    assert_refused("{\"a\":" ENTRY("F8_E4M3", "[0]", "[0,0]") "}", 0, UCPO_E_UNSUPPORTED,
                   "F8_E4M3");
    assert_refused("{\"a\":" ENTRY("f32", "[0]", "[0,0]") "}", 0, UCPO_E_UNSUPPORTED, "f32");
    assert_refused("{\"a\":" ENTRY("U8", "[1,1,1,1,0]", "[0,0]") "}", 0, UCPO_E_FORMAT,
                   "at most 4 dimensions");
    assert_accepted("{\"a\":" ENTRY("U8", "[1,2,1,2]", "[0,4]") "}", 4);
    assert_refused("{\"a\":" ENTRY("U8", "[-1]", "[0,0]") "}", 0, UCPO_E_FORMAT,
                   "an extent of the shape is -1, expected a whole number >= 0");
    assert_refused("{\"a\":" ENTRY("U8", "[0]", "[-1,0]") "}", 0, UCPO_E_FORMAT,
                   "a data offset is -1, expected a whole number >= 0");
}

static void offsets_stay_within_the_data(void **state)
{
    (void)state;
    assert_refused("{\"a\":" ENTRY("U8", "[4]", "[0,4]") "}", 3, UCPO_E_FORMAT, "end <= 3");
    assert_refused("{\"a\":" ENTRY("U8", "[4]", "[4,0]") "}", 4, UCPO_E_FORMAT, "begin <= end");
    assert_refused("{\"a\":" ENTRY("U8", "[4]", "[0,9223372036854775807]") "}", 4, UCPO_E_FORMAT,
                   "end <= 4");
    assert_refused("{\"a\":" ENTRY("U8", "[4]", "[9223372036854775807,9223372036854775807]") "}", 4,
                   UCPO_E_FORMAT, "end <= 4");
    assert_refused("{\"a\":" ENTRY("U8", "[4]", "[0,18446744073709551620]") "}", 4, UCPO_E_FORMAT,
                   "too big integer");
}

static void tensors_fill_the_data_without_overlap_hole_or_rest(void **state)
{
    (void)state;
    assert_accepted("{\"b\":" ENTRY("U8", "[2]", "[2,4]") ",\"a\":" ENTRY("U8", "[2]", "[0,2]") "}",
                    4); /* any order in the header */
    assert_refused("{\"a\":" ENTRY("U8", "[3]", "[0,3]") ",\"b\":" ENTRY("U8", "[2]", "[2,4]") "}",
                   4, UCPO_E_FORMAT, "overlaps");
    assert_refused("{\"a\":" ENTRY("U8", "[4]", "[0,4]") ",\"b\":" ENTRY("U8", "[4]", "[0,4]") "}",
                   4, UCPO_E_FORMAT, "overlaps");
    assert_refused("{\"a\":" ENTRY("U8", "[4]", "[0,4]") ",\"b\":" ENTRY("U8", "[1]", "[1,2]") "}",
                   4, UCPO_E_FORMAT, "overlaps");
    assert_refused("{\"a\":" ENTRY("U8", "[4]", "[0,4]") ",\"b\":" ENTRY("U8", "[0]", "[1,1]") "}",
                   4, UCPO_E_FORMAT, "overlaps");
    assert_refused("{\"a\":" ENTRY("U8", "[1]", "[0,1]") ",\"b\":" ENTRY("U8", "[2]", "[2,4]") "}",
                   4, UCPO_E_FORMAT, "hole");
    assert_refused("{\"a\":" ENTRY("U8", "[3]", "[1,4]") "}", 4, UCPO_E_FORMAT, "hole");
    assert_refused("{\"a\":" ENTRY("U8", "[3]", "[0,3]") "}", 4, UCPO_E_FORMAT, "end at byte 3");
    assert_refused("{}", 4, UCPO_E_FORMAT, "end at byte 0");
}

static void sizes_are_shape_times_type(void **state)
{
    (void)state;
    assert_refused("{\"a\":" ENTRY("F32", "[4]", "[0,8]") "}", 8, UCPO_E_FORMAT,
                   "4 elements of F32");
    assert_refused("{\"a\":" ENTRY("F32", "[]", "[0,8]") "}", 8, UCPO_E_FORMAT, "1 elements");
    assert_refused("{\"a\":" ENTRY("F32", "[0]", "[0,8]") "}", 8, UCPO_E_FORMAT, "0 elements");
    /* products that wrap: 2^32 x 2^32 = 0, and 2^61 + 1 elements of 8 bytes = 8 */
    assert_refused("{\"a\":" ENTRY("U8", "[4294967296,4294967296]", "[0,0]") "}", 0, UCPO_E_FORMAT,
                   "can be counted");
    assert_refused("{\"a\":" ENTRY("F64", "[2305843009213693953]", "[0,8]") "}", 8, UCPO_E_FORMAT,
                   "cover 8 bytes");
    assert_refused("{\"a\":" ENTRY("U8", "[9223372036854775807,3,0]", "[0,0]") "}", 0,
                   UCPO_E_FORMAT, "can be counted");
}

static void too_many_tensors_are_refused_loudly(void **state)
{
    (void)state;
    struct io_buffer header = {0};
    io_put(&header, "{", 1);
    for (int i = 0; i <= IO_MAX_TENSORS; i++)
        io_printf(&header, "%s\"%d\":" ENTRY("U8", "[0]", "[0,0]"), i ? "," : "", i);
    io_put(&header, "}", 2);
    assert_refused(header.bytes, 0, UCPO_E_UNSUPPORTED, "65537 entries");
    io_buffer_free(&header);
}

static void names_in_messages_are_cut_and_printable(void **state)
{
    (void)state;
    assert_refused("{\"new\\nline\\u007f\":1}", 0, UCPO_E_FORMAT, "'new?line?'");
    char header[400] = "{\"", text[IO_SHOWN_NAME];
    for (int i = 0; i < 100; i++) strcat(header, "\xC3\xA9");
    assert_string_equal(io_shown_name(header + 2, text) + 68, "...");
    strcat(header, "\":1}");
    assert_refused(header, 0, UCPO_E_FORMAT, "\xC3\xA9...'");
    assert_string_equal(io_shown_name("plain", text), "plain");
}

static void what_was_written_reads_back(void **state)
{
    (void)state;
    static const unsigned char raw[24] = {1, 2, 3, 4, 5, 6, 7, 8};
    const struct io_meta meta[] = {{"z", "last first"}, {"a \"b\"", "\\ \xC3\xA9 \n"}};
    const struct io_tensor tensor[] = {
        {.name = "second", .dtype = IO_F32, .rank = 2, .shape = {2, 1}, .count = 2, .data = raw},
        {.name = "odd \"name\"", .dtype = IO_U8, .rank = 1, .shape = {3}, .count = 3, .data = raw},
        {.name = "scalar", .dtype = IO_F64, .rank = 0, .count = 1, .data = raw},
        {.name = "none", .dtype = IO_F64, .rank = 1, .shape = {0}, .count = 0, .data = raw}};
    for (size_t metas = 0; metas <= 2; metas++) {
        for (size_t count = 0; count <= 4; count++) {
            struct io_buffer out = {0};
            struct io_tensors t;
            ucpo_error err = {0};
            assert_ok(io_safetensors_write(&out, meta, metas, tensor, count, &err), &err);
            uint64_t length = 0;
            for (int k = 7; k >= 0; k--) length = length << 8 | (unsigned char)out.bytes[k];
            assert_int_equal((8 + length) % 64, 0);
            assert_ok(io_safetensors_read(out.bytes, out.size, "back", &t, &err), &err);
            assert_int_equal(t.metas, metas);
            assert_int_equal(t.count, count);
            for (size_t i = 0; i < metas; i++) {
                assert_string_equal(t.meta[i].key, meta[i].key);
                assert_string_equal(t.meta[i].value, meta[i].value);
            }
            for (size_t i = 0; i < count; i++) {
                assert_string_equal(t.tensor[i].name, tensor[i].name);
                assert_int_equal(t.tensor[i].dtype, tensor[i].dtype);
                assert_int_equal(t.tensor[i].rank, tensor[i].rank);
                assert_memory_equal(t.tensor[i].shape, tensor[i].shape, sizeof tensor[i].shape);
                assert_memory_equal(t.tensor[i].data, raw,
                                    tensor[i].count * io_dtype_bytes(tensor[i].dtype));
            }
            io_tensors_free(&t);
            io_buffer_free(&out);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_toy_file_is_read),
        cmocka_unit_test(every_type_has_its_size),
        cmocka_unit_test(the_stated_header_length_must_be_true),
        cmocka_unit_test(the_header_must_be_one_json_object),
        cmocka_unit_test(deep_json_is_an_error_not_a_crash),
        cmocka_unit_test(metadata_holds_strings_only),
        cmocka_unit_test(an_entry_has_exactly_three_fields),
        cmocka_unit_test(offsets_stay_within_the_data),
        cmocka_unit_test(tensors_fill_the_data_without_overlap_hole_or_rest),
        cmocka_unit_test(sizes_are_shape_times_type),
        cmocka_unit_test(too_many_tensors_are_refused_loudly),
        cmocka_unit_test(names_in_messages_are_cut_and_printable),
        cmocka_unit_test(what_was_written_reads_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
