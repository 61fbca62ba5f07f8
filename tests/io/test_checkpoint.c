/* PyTorch checkpoints, put together by hand: a stored zip archive with a pickle and one file per storage. */
#include "io/checkpoint.h"
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* ---- bytes ---- */

struct bytes {
    unsigned char *at;
    size_t size, room;
};

static void add(struct bytes *b, const void *data, size_t size)
{
    if (b->size + size > b->room) {
        b->room = 2 * (b->size + size) + 256;
        b->at = realloc(b->at, b->room);
        assert_non_null(b->at);
    }
    if (size > 0) memcpy(b->at + b->size, data, size);
    b->size += size;
}

static void add_text(struct bytes *b, const char *text)
{
    add(b, text, strlen(text));
}

static void add_number(struct bytes *b, uint64_t value, int width)
{
    for (int k = 0; k < width; k++) {
        unsigned char c = (unsigned char)(k < 8 ? value >> (8 * k) : 0);
        add(b, &c, 1);
    }
}

/* ---- pickle ---- */

static void word(struct bytes *b, const char *text)
{
    add_text(b, "X");
    add_number(b, strlen(text), 4);
    add_text(b, text);
}

static void whole(struct bytes *b, double value)
{
    unsigned char raw[8], turned[8];
    if (value == (double)(int32_t)value) {
        add_text(b, "J");
        add_number(b, (uint32_t)(int32_t)value, 4);
        return;
    }
    memcpy(raw, &value, 8);
    for (int k = 0; k < 8; k++) turned[k] = raw[7 - k];
    add_text(b, "G");
    add(b, turned, 8);
}

enum { MOST_RANK = 5 };

struct tensor {
    const char *name, *type, *key; /* type NULL: FloatStorage; key NULL: "0" */
    double offset;
    int rank;
    double shape[MOST_RANK], stride[MOST_RANK];
    const char *what; /* NULL: "storage" */
    int strides;      /* 0: as many as rank; -1: a number instead of a tuple */
};

static void add_tensor(struct bytes *b, const struct tensor *t)
{
    word(b, t->name);
    add_text(b, "ctorch._utils\n_rebuild_tensor_v2\n((");
    word(b, t->what ? t->what : "storage");
    add_text(b, "ctorch\n");
    add_text(b, t->type ? t->type : "FloatStorage");
    add_text(b, "\n");
    word(b, t->key ? t->key : "0");
    word(b, "cpu");
    whole(b, 6);
    add_text(b, "tQ");
    whole(b, t->offset);
    add_text(b, "(");
    for (int k = 0; k < t->rank; k++) whole(b, t->shape[k]);
    add_text(b, "t");
    if (t->strides < 0) whole(b, 1);
    if (t->strides >= 0) add_text(b, "(");
    for (int k = 0; k < (t->strides ? t->strides : t->rank); k++) whole(b, t->stride[k]);
    if (t->strides >= 0) add_text(b, "t");
    add_text(b, "\x89"
                "ccollections\nOrderedDict\n)RtR");
}

static struct bytes begun(void)
{
    struct bytes b = {0};
    add_text(&b, "\x80\x02");
    return b;
}

static struct bytes dictionary(const struct tensor *tensors, size_t count)
{
    struct bytes b = begun();
    add_text(&b, "}(");
    for (size_t k = 0; k < count; k++) add_tensor(&b, &tensors[k]);
    add_text(&b, "u.");
    return b;
}

/* ---- the archive ---- */

struct entry {
    const char *name;
    const void *data;
    size_t size;
};

/* Offsets of the contents go to `content`, if asked for. */
static struct bytes archive(const struct entry *entry, size_t count, size_t *content)
{
    struct bytes all = {0}, directory = {0};
    for (size_t k = 0; k < count; k++) {
        size_t place = all.size, length = strlen(entry[k].name);
        uint32_t sum = (uint32_t)crc32(0, entry[k].size ? entry[k].data : (const void *)"",
                                       (unsigned)entry[k].size);
        add_text(&all, "PK\3\4");
        for (int half = 0; half < 2; half++) {
            struct bytes *to = half ? &directory : &all;
            if (half) add_text(to, "PK\1\2"), add_number(to, 20, 2);
            add_number(to, 20, 2), add_number(to, 0, 2), add_number(to, 0, 2);
            add_number(to, 0, 4), add_number(to, sum, 4);
            add_number(to, entry[k].size, 4), add_number(to, entry[k].size, 4);
            add_number(to, length, 2);
            add_number(to, half ? 0 : 3, 2); /* extra bytes: in the file's own header only */
            if (half) add_number(to, 0, 10), add_number(to, place, 4);
            add_text(to, entry[k].name);
            if (!half) add_text(to, "xyz");
        }
        if (content) content[k] = all.size;
        add(&all, entry[k].data, entry[k].size);
    }
    size_t begin = all.size;
    add(&all, directory.at, directory.size);
    add_text(&all, "PK\5\6");
    add_number(&all, 0, 4), add_number(&all, count, 2), add_number(&all, count, 2);
    add_number(&all, directory.size, 4), add_number(&all, begin, 4), add_number(&all, 0, 2);
    free(directory.at);
    return all;
}

static const float numbers[6] = {1, 2, 3, 4, 5, 6};

/* The archive of a pickle and one storage of six floats. */
static struct bytes archive_of(struct bytes pickle)
{
    const struct entry entries[] = {{"m/data.pkl", pickle.at, pickle.size},
                                    {"m/byteorder", "little", 6},
                                    {"m/data/0", numbers, sizeof numbers}};
    struct bytes all = archive(entries, 3, NULL);
    free(pickle.at);
    return all;
}

static ucpo_status read_and_free(struct bytes b, struct checkpoint *out, ucpo_error *err)
{
    *err = (ucpo_error){0};
    *out = (struct checkpoint){0};
    ucpo_status st = checkpoint_read((char *)b.at, b.size, "c.pt", out, err);
    free(b.at);
    return st;
}

static void assert_wrong(struct bytes b, const char *part)
{
    struct checkpoint c;
    ucpo_error err;
    ucpo_status st = read_and_free(b, &c, &err);
    if (st != UCPO_E_FORMAT || !strstr(err.text, part) || strcmp(err.file, "c.pt") != 0)
        fail_msg("status %d, %s: '%s' instead of '%s'", (int)st, err.file, err.text, part);
    assert_null(c.tensor);
    assert_null(c.names);
    assert_int_equal(c.count, 0);
}

static void assert_wrong_tensor(struct tensor t, const char *part)
{
    t.name = "w";
    assert_wrong(archive_of(dictionary(&t, 1)), part);
}

static void assert_right_tensor(struct tensor t, size_t count, const float *first)
{
    struct checkpoint c;
    ucpo_error err;
    t.name = "w";
    struct bytes all = archive_of(dictionary(&t, 1));
    assert_ok(checkpoint_read((char *)all.at, all.size, "c.pt", &c, &err), &err);
    assert_int_equal(c.tensor[0].count, count);
    assert_int_equal(c.tensor[0].rank, t.rank);
    for (int k = 0; k < t.rank; k++) assert_true((double)c.tensor[0].shape[k] == t.shape[k]);
    if (first) assert_memory_equal(c.tensor[0].data, first, sizeof *first);
    checkpoint_free(&c);
    free(all.at);
}

/* ---- what is read ---- */

static void tensors_have_names_shapes_types_and_their_place_in_a_storage(void **state)
{
    static const double wide[2] = {0.5, -7};
    static const int64_t longs[3] = {1, 2, -3};
    static const int32_t ints[2] = {-5, 6};
    static const uint16_t halves[2] = {0x3c00, 0xc000};
    static const unsigned char truths[4] = {1, 0, 1, 1};
    static const struct tensor tensors[] = {
        {.name = "module.a.weight", .rank = 2, .shape = {2, 2}, .stride = {2, 1}, .offset = 2},
        {.name = "all", .rank = 1, .shape = {6}, .stride = {1}},
        {.name = "one", .rank = 0, .offset = 5},
        {.name = "d", .type = "DoubleStorage", .key = "1", .rank = 1, .shape = {2}, .stride = {1}},
        {.name = "l",
         .type = "LongStorage",
         .key = "2",
         .offset = 1,
         .rank = 1,
         .shape = {2},
         .stride = {1}},
        {.name = "i", .type = "IntStorage", .key = "33", .rank = 1, .shape = {2}, .stride = {1}},
        {.name = "h",
         .type = "HalfStorage",
         .key = "4",
         .offset = 1,
         .rank = 1,
         .shape = {1},
         .stride = {1}},
        {.name = "b",
         .type = "BoolStorage",
         .key = "5",
         .rank = 4,
         .shape = {1, 2, 1, 2},
         .stride = {9, 2, 7, 1}},
    };

    static const struct {
        const char *name;
        enum io_dtype dtype;
        int rank;
        size_t count;
        const void *data;
        size_t bytes;
    } expected[] = {
        {"a.weight", IO_F32, 2, 4, &numbers[2], 16}, {"all", IO_F32, 1, 6, numbers, 24},
        {"one", IO_F32, 0, 1, &numbers[5], 4},       {"d", IO_F64, 1, 2, wide, 16},
        {"l", IO_I64, 1, 2, &longs[1], 16},          {"i", IO_I32, 1, 2, ints, 8},
        {"h", IO_F16, 1, 1, &halves[1], 2},          {"b", IO_BOOL, 4, 4, truths, 4},
    };
    struct bytes pickle = dictionary(tensors, 8);
    const struct entry entries[] = {
        {"run/data.pkl", pickle.at, pickle.size}, {"run/data/0", numbers, sizeof numbers},
        {"run/data/1", wide, sizeof wide},        {"run/data/2", longs, sizeof longs},
        {"run/data/33", ints, sizeof ints},       {"run/data/4", halves, sizeof halves},
        {"run/data/5", truths, sizeof truths},    {"run/version", "3\n", 2},
    };
    struct bytes all = archive(entries, 8, NULL);
    struct checkpoint c;
    ucpo_error err;
    (void)state;
    assert_ok(checkpoint_read((char *)all.at, all.size, "c.pt", &c, &err), &err);
    assert_int_equal(c.count, 8);
    for (size_t k = 0; k < 8; k++) {
        const struct io_tensor *t = checkpoint_find(&c, expected[k].name);
        assert_ptr_equal(t, &c.tensor[k]);
        assert_int_equal(t->dtype, expected[k].dtype);
        assert_int_equal(t->rank, expected[k].rank);
        assert_int_equal(t->count, expected[k].count);
        assert_memory_equal(t->data, expected[k].data, expected[k].bytes);
        for (int d = 0; d < t->rank; d++) assert_true((double)t->shape[d] == tensors[k].shape[d]);
    }
    assert_null(checkpoint_find(&c, "module.a.weight"));
    assert_null(checkpoint_find(&c, "a"));
    assert_null(checkpoint_find(&c, ""));
    checkpoint_free(&c);
    assert_int_equal(c.count, 0);
    free(pickle.at);
    free(all.at);
}

/* {other: tensor, key: {w: tensor}, last: 3} */
static struct bytes nested(const char *key, const char *second)
{
    const struct tensor outer = {.name = "outer", .rank = 1, .shape = {1}, .stride = {1}},
                        inner = {.name = "w", .rank = 1, .shape = {2}, .stride = {1}};
    struct bytes b = begun();
    add_text(&b, "}(");
    word(&b, "epoch");
    whole(&b, 3);
    add_tensor(&b, &outer);
    for (int k = 0; k < 2; k++) {
        const char *name = k ? second : key;
        if (!name) continue;
        word(&b, name);
        add_text(&b, "}(");
        struct tensor t = inner;
        if (k) t.name = "second";
        add_tensor(&b, &t);
        add_text(&b, "u");
    }
    add_text(&b, "u.");
    return b;
}

static void the_weights_stand_under_a_key_or_by_themselves(void **state)
{
    static const struct {
        const char *key, *second, *expected;
    } cases[] = {
        {"model_state_dict", NULL, "w"},
        {"state_dict", NULL, "w"},
        {"model", NULL, "w"},
        {"optimizer", NULL, "outer"},
        {"model", "model_state_dict", "second"},
        {"state_dict", "model", "w"},
        {"model_state_dict", "state_dict", "w"},
    };

    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct checkpoint c;
        ucpo_error err;
        assert_ok(read_and_free(archive_of(nested(cases[k].key, cases[k].second)), &c, &err), &err);
        assert_int_equal(c.count, 1);
        assert_string_equal(c.tensor[0].name, cases[k].expected);
        checkpoint_free(&c);
    }
}

static void a_key_that_is_no_dictionary_is_no_place_for_weights(void **state)
{
    struct bytes b = begun();
    const struct tensor t = {.name = "w", .rank = 1, .shape = {2}, .stride = {1}};
    struct checkpoint c;
    ucpo_error err;
    (void)state;
    add_text(&b, "}(");
    word(&b, "model");
    word(&b, "small");
    add_tensor(&b, &t);
    add_text(&b, "u.");
    assert_ok(read_and_free(archive_of(b), &c, &err), &err);
    assert_int_equal(c.count, 1);
    checkpoint_free(&c);
}

static void names_are_made_printable_and_lose_their_prefix_once(void **state)
{
    static const struct {
        const char *given, *expected;
    } names[] = {
        {"module.w", "w"},    {"module.module.w", "module.w"}, {"module.", "module."},
        {"module", "module"}, {"modules.w", "modules.w"},      {"a b\x01\x7f~!", "a?b??~!"},
    };

    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        struct tensor t = {.name = names[k].given, .rank = 1, .shape = {1}, .stride = {1}};
        struct checkpoint c;
        ucpo_error err;
        assert_ok(read_and_free(archive_of(dictionary(&t, 1)), &c, &err), &err);
        assert_string_equal(c.tensor[0].name, names[k].expected);
        checkpoint_free(&c);
    }
}

/* ---- what is refused ---- */

static void shapes_are_whole_row_major_and_of_rank_four_at_most(void **state)
{
    (void)state;
    assert_right_tensor((struct tensor){.rank = 2, .shape = {2, 3}, .stride = {3, 1}}, 6, numbers);
    assert_right_tensor((struct tensor){.rank = 2, .shape = {3, 2}, .stride = {2, 1}}, 6, numbers);
    assert_right_tensor((struct tensor){.rank = 2, .shape = {1, 3}, .stride = {77, 1}}, 3, numbers);
    assert_right_tensor((struct tensor){.rank = 2, .shape = {0, 3}, .stride = {3, 1}}, 0, NULL);
    const char *major = "a tensor is not row-major: save contiguous tensors";
    assert_wrong_tensor((struct tensor){.rank = 2, .shape = {3, 2}, .stride = {1, 3}}, major);
    assert_wrong_tensor((struct tensor){.rank = 1, .shape = {3}, .stride = {2}}, major);
    assert_wrong_tensor((struct tensor){.rank = 1, .shape = {3}, .stride = {0}}, major);
    assert_wrong_tensor((struct tensor){.rank = 2, .shape = {2, 2}, .stride = {3, 1}}, major);
    const char *whole_only = "a shape is not of whole numbers";
    assert_wrong_tensor((struct tensor){.rank = 1, .shape = {1.5}, .stride = {1}}, whole_only);
    assert_wrong_tensor((struct tensor){.rank = 1, .shape = {-1}, .stride = {1}}, whole_only);
    assert_wrong_tensor((struct tensor){.rank = 1, .shape = {2}, .stride = {-1}}, whole_only);
    assert_wrong_tensor((struct tensor){.rank = 1, .shape = {2e12}, .stride = {1}}, whole_only);
    const char *rank = "a tensor has no shape of at most 4 numbers";
    assert_wrong_tensor(
        (struct tensor){.rank = 5, .shape = {1, 1, 1, 1, 1}, .stride = {1, 1, 1, 1, 1}}, rank);
    assert_wrong_tensor((struct tensor){.rank = 1, .strides = 2, .shape = {1}, .stride = {1, 1}},
                        rank);
    assert_wrong_tensor((struct tensor){.rank = 0, .strides = -1}, rank);
    const double large = 1048576.0; /* 2^20 */
    assert_wrong_tensor(
        (struct tensor){.rank = 2, .shape = {large, 2 * large}, .stride = {2 * large, 1}},
        "a tensor is too large");
    assert_wrong_tensor((struct tensor){.rank = 2, .shape = {large, large}, .stride = {large, 1}},
                        "a tensor is larger than its storage");
}

static void a_tensor_lies_in_its_storage(void **state)
{
    const char *large = "a tensor is larger than its storage", *not = "a storage is not understood";
    (void)state;
    assert_right_tensor((struct tensor){.rank = 1, .shape = {1}, .stride = {1}, .offset = 5}, 1,
                        &numbers[5]);
    assert_right_tensor((struct tensor){.rank = 1, .shape = {5}, .stride = {1}, .offset = 1}, 5,
                        &numbers[1]);
    assert_right_tensor((struct tensor){.rank = 1, .shape = {0}, .stride = {1}, .offset = 6}, 0,
                        NULL);
    assert_wrong_tensor((struct tensor){.rank = 1, .shape = {7}, .stride = {1}}, large);
    assert_wrong_tensor((struct tensor){.rank = 1, .shape = {6}, .stride = {1}, .offset = 1},
                        large);
    assert_wrong_tensor((struct tensor){.rank = 1, .shape = {0}, .stride = {1}, .offset = 7},
                        large);
    assert_wrong_tensor(
        (struct tensor){.rank = 1, .shape = {4}, .stride = {1}, .type = "DoubleStorage"}, large);
    assert_wrong_tensor((struct tensor){.rank = 1, .shape = {1}, .stride = {1}, .offset = -1},
                        not );
    assert_wrong_tensor((struct tensor){.rank = 1, .shape = {1}, .stride = {1}, .offset = 0.5},
                        not );
    assert_wrong_tensor((struct tensor){.rank = 1, .shape = {1}, .stride = {1}, .what = "blob"},
                        not );
    assert_wrong_tensor((struct tensor){.rank = 1, .shape = {1}, .stride = {1}, .key = "1"},
                        "the file of a storage is missing");
    assert_wrong_tensor(
        (struct tensor){.rank = 1,
                        .shape = {1},
                        .stride = {1},
                        .key = "0123456789012345678901234567890123"}, /* 34, the most */
        "the file of a storage is missing");
    assert_wrong_tensor(
        (struct tensor){
            .rank = 1, .shape = {1}, .stride = {1}, .key = "01234567890123456789012345678901234"},
        not );
}

static void archives_that_torch_did_not_make(void **state)
{
    const struct tensor twice[] = {{.name = "w", .rank = 1, .shape = {1}, .stride = {1}},
                                   {.name = "module.w", .rank = 1, .shape = {1}, .stride = {1}}};
    struct bytes pickle = dictionary(twice, 1);
    const struct entry bare[] = {{"data.pkl", pickle.at, pickle.size}};
    const struct entry other[] = {{"m/notdata.pkl", pickle.at, pickle.size}};
    const struct entry turned[] = {{"m/data.pkl", pickle.at, pickle.size},
                                   {"m/byteorder", "big", 3}};
    const struct entry cut[] = {{"m/data.pkl", pickle.at, pickle.size},
                                {"m/byteorder", "littl", 5}};
    const struct entry other_word[] = {{"m/data.pkl", pickle.at, pickle.size},
                                       {"m/byteorder", "biggest", 7}};
    const char *none = "there is no data.pkl in the archive: not made by torch.save";
    (void)state;
    assert_wrong(archive(bare, 1, NULL), none);
    assert_wrong(archive(other, 1, NULL), none);
    assert_wrong(archive(turned, 2, NULL), "its numbers are not little-endian");
    assert_wrong(archive(cut, 2, NULL), "its numbers are not little-endian");
    assert_wrong(archive(other_word, 2, NULL), "its numbers are not little-endian");
    free(pickle.at);
    assert_wrong(archive_of(dictionary(twice, 2)), "two tensors have the same name");
    assert_wrong(archive_of(dictionary(twice, 0)), "there is no tensor in its state dictionary");
    struct bytes list = begun();
    add_text(&list, "].");
    assert_wrong(archive_of(list), "it holds no dictionary");
}

static struct bytes many(int count)
{
    static char name[4097][8];
    static struct tensor tensors[4097];
    for (int k = 0; k < count; k++) {
        snprintf(name[k], sizeof name[k], "t%d", k);
        tensors[k] = (struct tensor){.name = name[k], .rank = 1, .shape = {1}, .stride = {1}};
    }
    return archive_of(dictionary(tensors, (size_t)count));
}

static void a_file_has_4096_tensors_at_most(void **state)
{
    struct checkpoint c;
    ucpo_error err;
    (void)state;
    assert_ok(read_and_free(many(4096), &c, &err), &err);
    assert_int_equal(c.count, 4096);
    assert_string_equal(c.tensor[4095].name, "t4095");
    checkpoint_free(&c);
    assert_wrong(many(4097), "there are more than 4096 tensors");
}

/* ---- damage ---- */

static struct bytes sound(size_t content[3], size_t size[3])
{
    const struct tensor tensors[] = {
        {.name = "v", .rank = 2, .shape = {2, 2}, .stride = {2, 1}, .offset = 1},
        {.name = "w", .rank = 1, .shape = {6}, .stride = {1}}};
    struct bytes pickle = dictionary(tensors, 2);
    const struct entry entries[] = {{"m/data.pkl", pickle.at, pickle.size},
                                    {"m/byteorder", "little", 6},
                                    {"m/data/0", numbers, sizeof numbers}};
    struct bytes all = archive(entries, 3, content);
    for (int k = 0; k < 3; k++) size[k] = entries[k].size;
    free(pickle.at);
    return all;
}

static int is_as_it_was(const struct checkpoint *c)
{
    return c->count == 2 && strcmp(c->tensor[0].name, "v") == 0 &&
           strcmp(c->tensor[1].name, "w") == 0 && c->tensor[0].rank == 2 &&
           c->tensor[0].shape[0] == 2 && c->tensor[0].shape[1] == 2 && c->tensor[1].rank == 1 &&
           c->tensor[1].shape[0] == 6 && memcmp(c->tensor[0].data, numbers + 1, 16) == 0 &&
           memcmp(c->tensor[1].data, numbers, 24) == 0;
}

/* A byte may say what nobody asks for (a date, a version); then nothing has changed. */
static void a_changed_byte_is_noticed_or_changes_nothing(void **state)
{
    static const unsigned char change[] = {0x01, 0x80, 0xff};
    size_t content[3], size[3], ignored = 0;
    struct bytes all = sound(content, size);
    (void)state;
    for (size_t i = 0; i < all.size; i++)
        for (size_t k = 0; k < sizeof change; k++) {
            struct checkpoint c;
            ucpo_error err = {0};
            all.at[i] ^= change[k];
            ucpo_status st = checkpoint_read((char *)all.at, all.size, "c.pt", &c, &err);
            all.at[i] ^= change[k];
            if (st) {
                assert_true(err.text[0] != '\0');
                continue;
            }
            assert_true(is_as_it_was(&c));
            checkpoint_free(&c);
            ignored++;
            for (int f = 0; f < 3; f++) assert_false(i >= content[f] && i < content[f] + size[f]);
        }
    assert_in_range(ignored, 1, all.size); /* of three times as many */
    free(all.at);
}

static void every_truncation_is_refused(void **state)
{
    size_t content[3], size[3];
    struct bytes all = sound(content, size);
    (void)state;
    for (size_t length = 0; length < all.size; length++) {
        struct checkpoint c = {0};
        ucpo_error err = {0};
        char *part = malloc(length + 1); /* no byte behind it that a tool would not see */
        assert_non_null(part);
        memcpy(part, all.at, length);
        assert_int_not_equal(checkpoint_read(part, length, "c.pt", &c, &err), UCPO_OK);
        assert_null(c.tensor);
        free(part);
    }
    free(all.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensors_have_names_shapes_types_and_their_place_in_a_storage),
        cmocka_unit_test(the_weights_stand_under_a_key_or_by_themselves),
        cmocka_unit_test(a_key_that_is_no_dictionary_is_no_place_for_weights),
        cmocka_unit_test(names_are_made_printable_and_lose_their_prefix_once),
        cmocka_unit_test(shapes_are_whole_row_major_and_of_rank_four_at_most),
        cmocka_unit_test(a_tensor_lies_in_its_storage),
        cmocka_unit_test(archives_that_torch_did_not_make),
        cmocka_unit_test(a_file_has_4096_tensors_at_most),
        cmocka_unit_test(a_changed_byte_is_noticed_or_changes_nothing),
        cmocka_unit_test(every_truncation_is_refused),
    };
    return cmocka_run_group_tests_name("checkpoint", tests, NULL, NULL);
}
