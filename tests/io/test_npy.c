#include "io/io.h"
#include "support/same.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file built by hand, so that the reader is not tested against our own writer alone. */
struct file {
    char bytes[4096];
    size_t size;
};

static struct file with_header(int version, const char *header, const void *data, size_t size)
{
    struct file f = {.bytes = "\x93NUMPY"};
    size_t length = strlen(header), prefix = version == 1 ? 10 : 12;
    f.bytes[6] = (char)version;
    f.bytes[8] = (char)(length & 255);
    f.bytes[9] = (char)(length >> 8);
    memcpy(f.bytes + prefix, header, length);
    if (size > 0) memcpy(f.bytes + prefix + length, data, size);
    f.size = prefix + length + size;
    return f;
}

static struct file with_shape(const char *descr, const char *shape, const void *data, size_t size)
{
    char header[256];
    snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n",
             descr, shape);
    return with_header(1, header, data, size);
}

static ucpo_dataset *read_file(const struct file *f, const char *problem)
{
    ucpo_read_config options = ucpo_read_config_default();
    options.problem = problem;
    ucpo_dataset *set = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_read_bytes(f->bytes, f->size, "test.npy", &options, &set, &err), &err);
    return set;
}

static const ucpo_instance_data *view(const ucpo_dataset *set, size_t i)
{
    return ucpo_instance_view(ucpo_dataset_at(set, i));
}

/* two instances of three nodes: x, y, ready, due */
static const float windows[2][3][4] = {
    {{10, 20, 0, 100}, {90, 5, 1, 60.5f}, {7, 8, 2, 70}},
    {{0.25f, 20, 0, 100}, {30, 40, 11, 61}, {70, 80, 12, 71}},
};

static const float drafts[2][4][4] = {
    {{0.5f, 0.5f, 0, 3}, {0, 1, 1, 2}, {1, 0, 1, 1}, {1, 1, 1, 3}},
    {{0.5f, 0.25f, 0, 3}, {0, 1, 1, 3}, {1, 0, 1, 3}, {1, 1, 1, 1}},
};

static void reads_time_windows(void **state)
{
    (void)state;
    struct file f = with_shape("<f4", "(2, 3, 4)", windows, sizeof windows);
    ucpo_dataset *set = read_file(&f, NULL);
    assert_int_equal(ucpo_dataset_count(set), 2);
    const ucpo_instance_data *d = view(set, 0);
    assert_string_equal(d->problem, "tsptw");
    assert_true(d->x[1] == 90 && d->y[1] == 5 && d->ready[1] == 1 && d->due[1] == 60.5);
    assert_true(view(set, 1)->due[2] == 71);
    assert_true(d->unit == 100 && view(set, 1)->unit == 100);
    assert_null(d->service);
    ucpo_dataset_free(set);
}

static void reads_draft_limits_by_content(void **state)
{
    (void)state;
    struct file f = with_shape("<f4", "(2, 4, 4)", drafts, sizeof drafts);
    ucpo_dataset *set = read_file(&f, NULL);
    const ucpo_instance_data *d = view(set, 0);
    assert_string_equal(d->problem, "tspdl");
    assert_int_equal(d->draft, UCPO_DRAFT_LOAD);
    assert_true(d->unit == 1 && d->demand[1] == 1 && d->limit[2] == 1);
    ucpo_dataset_free(set);
    set = read_file(&f, "tsptw"); /* the option decides */
    assert_string_equal(view(set, 0)->problem, "tsptw");
    assert_true(view(set, 0)->due[2] == 1);
    ucpo_dataset_free(set);
}

static void demands_that_look_like_windows_were_read_as_tsptw(void **state)
{
    (void)state;
    static const float data[3][4] = {{0, 0, 0, 3}, {1, 0, 2, 3}, {0, 1, 1, 1}};
    struct file f = with_shape("<f4", "(3, 4)", data, sizeof data);
    ucpo_read_config options = ucpo_read_config_default();
    ucpo_dataset *set = NULL;
    ucpo_error err = {0};
    assert_error(ucpo_read_bytes(f.bytes, f.size, "x", &options, &set, &err), &err, UCPO_E_FORMAT,
                 0, "name one with option 'problem'");
    static const char *const problems[] = {"tsptw", "tspdl"};
    for (size_t k = 0; k < 2; k++) {
        options.problem = problems[k];
        assert_ok(ucpo_read_bytes(f.bytes, f.size, "x", &options, &set, &err), &err);
        assert_string_equal(ucpo_instance_view(ucpo_dataset_at(set, 0))->problem, problems[k]);
        ucpo_dataset_free(set);
    }
}

static void one_instance_that_does_not_fit_makes_the_set_time_windows(void **state)
{
    (void)state;
    float data[2][4][4];

    static const struct {
        int node, column;
        float value;
    } change[] = {{1, 2, 2}, {1, 3, 2.5f}, {3, 3, 4}};

    for (size_t k = 0; k < 3; k++) {
        memcpy(data, drafts, sizeof data);
        data[1][change[k].node][change[k].column] = change[k].value;
        struct file f = with_shape("<f4", "(2, 4, 4)", data, sizeof data);
        ucpo_read_config options = ucpo_read_config_default();
        ucpo_dataset *set = NULL;
        ucpo_error err = {0};
        assert_ok(ucpo_read_bytes(f.bytes, f.size, "x", &options, &set, &err), &err);
        assert_string_equal(view(set, 0)->problem, "tsptw");
        ucpo_dataset_free(set);
        set = read_file(&f, "tspdl");
        assert_string_equal(view(set, 1)->problem, "tspdl");
        ucpo_dataset_free(set);
    }
}

static void the_unit_follows_from_the_whole_set(void **state)
{
    (void)state;

    static const struct {
        float highest;
        double unit;
    } table[] = {{1, 1}, {1.25f, 1.25}, {1.75f, 100}, {100, 100}, {100.5f, 100.5}};

    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
        float data[2][2][4] = {{{0, 0, 0, 9}, {0.5f, table[k].highest, 0, 9}},
                               {{0, 0, 0, 9}, {0.5f, table[k].highest, 0, 9}}};
        struct file f = with_shape("<f4", "(2, 2, 4)", data, sizeof data);
        ucpo_dataset *set = read_file(&f, NULL);
        assert_true(view(set, 0)->unit == table[k].unit);
        ucpo_dataset_free(set);
    }
    float below[1][2][4] = {{{-1, 0, 0, 9}, {49, 0, 0, 9}}};
    struct file f = with_shape("<f4", "(1, 2, 4)", below, sizeof below);
    ucpo_dataset *set = read_file(&f, NULL);
    assert_true(view(set, 0)->unit == 50); /* derived: the side of the bounding box */
    ucpo_dataset_free(set);
}

static const double fleet[2][3][8] = {
    {{0, 0, 0, 0, 100, 0, 30, 2}, {10, 5, 4, 1, 60, 10, 0, 0}, {7, 8, 5, 2, 70, 10, 0, 0}},
    {{0, 0, 0, 0, 100, 0, 40, 0}, {10, 5, 4, 1, 60, 10, 40, 0}, {7, 8, 5, 2, 70, 10, 40, 0}},
};

static void reads_fleets_limited_and_unlimited(void **state)
{
    (void)state;
    struct file f = with_shape("<f8", "(2, 3, 8)", fleet, sizeof fleet);
    ucpo_dataset *set = read_file(&f, NULL);
    const ucpo_instance_data *d = view(set, 0);
    assert_string_equal(d->problem, "cvrptwlv");
    assert_string_equal(view(set, 1)->problem, "cvrptw");
    assert_true(d->capacity == 30 && d->vehicles == 2 && view(set, 1)->capacity == 40);
    assert_true(d->demand[2] == 5 && d->ready[2] == 2 && d->due[2] == 70 && d->service[2] == 10);
    assert_true(d->unit == 100);
    ucpo_dataset_free(set);
}

static void a_rank_two_array_is_one_instance(void **state)
{
    (void)state;
    struct file f = with_shape("<f8", "(3, 8)", fleet[0], sizeof fleet[0]);
    ucpo_dataset *set = read_file(&f, NULL);
    assert_int_equal(ucpo_dataset_count(set), 1);
    assert_true(view(set, 0)->y[2] == 8);
    ucpo_dataset_free(set);
}

static void fortran_order_is_read_like_c_order(void **state)
{
    (void)state;
    float turned[4][3][2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 4; k++) turned[k][j][i] = windows[i][j][k];
    struct file f =
        with_header(1, "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3, 4), }\n", turned,
                    sizeof turned);
    struct file plain = with_shape("<f4", "(2, 3, 4)", windows, sizeof windows);
    ucpo_dataset *a = read_file(&f, NULL), *b = read_file(&plain, NULL);
    assert_same_set(a, b);
    ucpo_dataset_free(a);
    ucpo_dataset_free(b);
}

static void reads_every_number_type(void **state)
{
    (void)state;
    static const int8_t i1[] = {-128, 127};
    static const uint8_t u1[] = {0, 255};
    static const uint8_t b1[] = {0, 2};
    static const int16_t i2[] = {-32768, 32767};
    static const uint16_t u2[] = {0, 65535};
    static const int32_t i4[] = {INT32_MIN, INT32_MAX};
    static const uint32_t u4[] = {0, UINT32_MAX};
    static const int64_t i8[] = {-9007199254740992, 9007199254740992};
    static const uint64_t u8[] = {0, 9007199254740992};
    static const float f4[] = {-1.5f, 1e30f};
    static const double f8[] = {-0.1, 1e300};

    const struct {
        const char *descr;
        const void *data;
        size_t size;
        double first, second;
    } table[] = {
        {"|i1", i1, sizeof i1, -128, 127},
        {"<i1", i1, sizeof i1, -128, 127},
        {"|u1", u1, sizeof u1, 0, 255},
        {"|b1", b1, sizeof b1, 0, 1},
        {"<i2", i2, sizeof i2, -32768, 32767},
        {"<u2", u2, sizeof u2, 0, 65535},
        {"<i4", i4, sizeof i4, INT32_MIN, INT32_MAX},
        {"<u4", u4, sizeof u4, 0, UINT32_MAX},
        {"<i8", i8, sizeof i8, -9007199254740992.0, 9007199254740992.0},
        {"<u8", u8, sizeof u8, 0, 9007199254740992.0},
        {"<f4", f4, sizeof f4, -1.5, (double)1e30f},
        {"<f8", f8, sizeof f8, -0.1, 1e300},
    };

    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
        struct file f = with_shape(table[k].descr, "(2,)", table[k].data, table[k].size);
        struct io_npy array;
        ucpo_error err = {0};
        assert_ok(io_npy_parse(f.bytes, f.size, "x", &array, &err), &err);
        assert_true(io_npy_at(&array, (size_t[4]){0}) == table[k].first);
        assert_true(io_npy_at(&array, (size_t[4]){1}) == table[k].second);
    }
}

static void reads_every_header_version_and_key_order(void **state)
{
    (void)state;
    static const char *const headers[] = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 4), }      \n",
        "{'shape':(2,3,4),'fortran_order':False,'descr':'<f4'}",
        "{ \"fortran_order\" : False , \"shape\" : ( 2 , 3 , 4 , ) , \"descr\" : \"<f4\" , }\n",
    };

    for (int version = 1; version <= 3; version++) {
        for (size_t k = 0; k < sizeof headers / sizeof headers[0]; k++) {
            struct file f = with_header(version, headers[k], windows, sizeof windows);
            ucpo_dataset *set = read_file(&f, NULL);
            assert_int_equal(ucpo_dataset_count(set), 2);
            ucpo_dataset_free(set);
        }
    }
}

static void a_scalar_has_no_axes(void **state)
{
    (void)state;
    double pi = 3.25;
    struct file f = with_shape("<f8", "()", &pi, sizeof pi);
    struct io_npy array;
    ucpo_error err = {0};
    assert_ok(io_npy_parse(f.bytes, f.size, "x", &array, &err), &err);
    assert_int_equal(array.rank, 0);
    assert_true(io_npy_at(&array, (size_t[4]){0}) == 3.25);
}

static void malformed_headers_are_explained(void **state)
{
    (void)state;

    static const struct {
        const char *header;
        ucpo_status code;
        const char *fragment;
    } table[] = {
        {"", UCPO_E_FORMAT, "expected '{'"},
        {"{", UCPO_E_FORMAT, "expected 'descr'"},
        {"{}", UCPO_E_FORMAT, "key 'descr' is missing"},
        {"{'descr': '<f4', 'fortran_order': False}", UCPO_E_FORMAT, "key 'shape' is missing"},
        {"{'descr': '<f4', 'descr': '<f4'}", UCPO_E_FORMAT, "key 'descr' is given twice"},
        {"{'dtype': '<f4'}", UCPO_E_FORMAT, "key 'dtype' is unknown"},
        {"{'descr' '<f4'}", UCPO_E_FORMAT, "expected ':'"},
        {"{'descr': '<f4' 'shape'}", UCPO_E_FORMAT, "expected ',' or '}'"},
        {"{'descr': '<f4", UCPO_E_FORMAT, "expected a type"},
        {"{'descr': 4}", UCPO_E_FORMAT, "expected a type"},
        {"{'descr': '<f\\x34'}", UCPO_E_FORMAT, "expected a type"},
        {"{'descr': '>f4'}", UCPO_E_UNSUPPORTED, "'>f4' (big-endian)"},
        {"{'descr': '|O'}", UCPO_E_UNSUPPORTED, "Python objects"},
        {"{'descr': [('x', '<f4')]}", UCPO_E_UNSUPPORTED, "structured"},
        {"{'descr': '<U4'}", UCPO_E_UNSUPPORTED, "type is '<U4'"},
        {"{'descr': '<f2'}", UCPO_E_UNSUPPORTED, "type is '<f2'"},
        {"{'descr': '|f4'}", UCPO_E_UNSUPPORTED, "type is '|f4'"},
        {"{'descr': '<c8'}", UCPO_E_UNSUPPORTED, "type is '<c8'"},
        {"{'descr': '<f16'}", UCPO_E_UNSUPPORTED, "type is '<f16'"},
        {"{'descr': ''}", UCPO_E_UNSUPPORTED, "type is ''"},
        {"{'descr': '<'}", UCPO_E_UNSUPPORTED, "type is '<'"},
        {"{'descr': '<f'}", UCPO_E_UNSUPPORTED, "type is '<f'"},
        {"{'fortran_order': 0}", UCPO_E_FORMAT, "expected True or False"},
        {"{'shape': 3}", UCPO_E_FORMAT, "expected '('"},
        {"{'shape': (3)}", UCPO_E_FORMAT, "expected a tuple"},
        {"{'shape': (,)}", UCPO_E_FORMAT, "expected a number in 'shape'"},
        {"{'shape': (-1,)}", UCPO_E_FORMAT, "expected a number in 'shape'"},
        {"{'shape': (1 2)}", UCPO_E_FORMAT, "expected ',' or ')'"},
        {"{'shape': (1, 2", UCPO_E_FORMAT, "expected ',' or ')'"},
        {"{'shape': (1,1,1,1,1)}", UCPO_E_UNSUPPORTED, "more than 4 axes"},
        {"{'shape': (99999999999999999999,)}", UCPO_E_FORMAT, "does not fit"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 4)} x", UCPO_E_FORMAT,
         "expected the end of the header"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4, 4)}",
         UCPO_E_FORMAT, "does not fit"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904,)}", UCPO_E_FORMAT,
         "does not fit"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 3, 4)}", UCPO_E_FORMAT,
         "is 96 bytes long, its shape needs 144 (file cut short?)"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3, 4)}", UCPO_E_FORMAT,
         "is 96 bytes long, its shape needs 48"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (24,)}", UCPO_E_FORMAT,
         "shape is (24), expected (instances, nodes, 4)"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2, 3, 2)}", UCPO_E_FORMAT,
         "shape is (2, 2, 3, 2)"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (6, 1, 4)}", UCPO_E_FORMAT,
         "has 1 nodes per instance"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4, 3)}", UCPO_E_FORMAT,
         "shape is (2, 4, 3)"},
    };

    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
        struct file f = with_header(1, table[k].header, windows, sizeof windows);
        ucpo_dataset *set = NULL;
        ucpo_error err = {0};
        ucpo_status st = ucpo_read_bytes(f.bytes, f.size, "bad.npy", NULL, &set, &err);
        assert_error(st, &err, table[k].code, 0, table[k].fragment);
        assert_string_equal(err.file, "bad.npy");
        assert_null(set);
    }
}

static void every_truncation_is_an_error(void **state)
{
    (void)state;
    struct file f = with_shape("<f4", "(2, 3, 4)", windows, sizeof windows);
    ucpo_read_config options = ucpo_read_config_default();
    options.format = "npy";
    for (size_t size = 0; size < f.size; size++) {
        ucpo_dataset *set = NULL;
        ucpo_error err = {0};
        char *copy = malloc(size ? size : 1); /* exact, so that asan sees an overrun */
        memcpy(copy, f.bytes, size);
        assert_int_equal(ucpo_read_bytes(copy, size, "x", &options, &set, &err), UCPO_E_FORMAT);
        free(copy);
    }
}

static void other_versions_are_unsupported(void **state)
{
    (void)state;
    struct file f = with_shape("<f4", "(2, 3, 4)", windows, sizeof windows);
    ucpo_dataset *set = NULL;
    ucpo_error err = {0};
    f.bytes[6] = 4;
    assert_error(ucpo_read_bytes(f.bytes, f.size, "x", NULL, &set, &err), &err, UCPO_E_UNSUPPORTED,
                 0, "version is 4.0");
    f.bytes[6] = 1;
    f.bytes[7] = 1;
    assert_error(ucpo_read_bytes(f.bytes, f.size, "x", NULL, &set, &err), &err, UCPO_E_UNSUPPORTED,
                 0, "version is 1.1");
}

static void no_instances_is_an_error_whatever_the_other_axes_say(void **state)
{
    (void)state;
    struct file f = with_shape("<f4", "(0, 9000000000, 4)", NULL, 0);
    ucpo_dataset *set = NULL;
    ucpo_error err = {0};
    assert_error(ucpo_read_bytes(f.bytes, f.size, "x", NULL, &set, &err), &err, UCPO_E_FORMAT, 0,
                 "holds no instance");
}

static void bad_values_name_instance_and_node(void **state)
{
    (void)state;
    float data[2][3][4];
    memcpy(data, windows, sizeof data);
    data[1][2][0] = NAN;
    struct file f = with_shape("<f4", "(2, 3, 4)", data, sizeof data);
    ucpo_dataset *set = NULL;
    ucpo_error err = {0};
    assert_error(ucpo_read_bytes(f.bytes, f.size, "x", NULL, &set, &err), &err, UCPO_E_FORMAT, 0,
                 "instance 1: x of node 2");
    double fleets[2][3][8];

    static const struct {
        int node, column;
        double value;
        const char *fragment;
    } table[] = {
        {0, 7, 1.5, "instance 1: vehicles is 1.5"},
        {0, 7, -1, "instance 1: vehicles is -1"},
        {0, 7, NAN, "instance 1: vehicles is "},
        {2, 6, 7, "instance 1: column 6 of node 2 is 7, expected 0 (capacity stands in"},
        {1, 7, 7, "instance 1: column 7 of node 1 is 7, expected 0 (vehicles stands in"},
        {0, 6, 0, "instance 1: column 6 of node 1 is 40"},
        {0, 2, 3, "instance 1: demand of the depot"},
    };

    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
        memcpy(fleets, fleet, sizeof fleets);
        fleets[1][table[k].node][table[k].column] = table[k].value;
        f = with_shape("<f8", "(2, 3, 8)", fleets, sizeof fleets);
        ucpo_status st = ucpo_read_bytes(f.bytes, f.size, "x", NULL, &set, &err);
        assert_error(st, &err, UCPO_E_FORMAT, 0, table[k].fragment);
    }
}

static void another_problem_than_asked_for_is_a_mismatch(void **state)
{
    (void)state;
    struct file tours = with_shape("<f4", "(2, 3, 4)", windows, sizeof windows);
    struct file fleets = with_shape("<f8", "(2, 3, 8)", fleet, sizeof fleet);
    ucpo_read_config options = ucpo_read_config_default();
    ucpo_dataset *set = NULL;
    ucpo_error err = {0};
    options.problem = "cvrptw";
    assert_int_equal(ucpo_read_bytes(tours.bytes, tours.size, "x", &options, &set, &err),
                     UCPO_E_MISMATCH);
    options.problem = "tspdl";
    assert_int_equal(ucpo_read_bytes(fleets.bytes, fleets.size, "x", &options, &set, &err),
                     UCPO_E_MISMATCH);
}

/* ---- writing ---- */

static ucpo_status write_set(const ucpo_dataset *set, int strict, struct line_log *log,
                             char **bytes, size_t *size, ucpo_error *err)
{
    ucpo_write_config options = ucpo_write_config_default();
    options.format = "npy";
    options.strict = strict;
    if (log) options.hooks = line_log_hooks(log);
    return ucpo_write_bytes(set, &options, bytes, size, err);
}

static void what_was_read_is_written_byte_for_byte(void **state)
{
    (void)state;

    const struct {
        const char *descr, *shape;
        const void *data;
        size_t size;
    } table[] = {
        {"<f4", "(2, 3, 4)", windows, sizeof windows},
        {"<f4", "(2, 4, 4)", drafts, sizeof drafts},
    };

    for (size_t k = 0; k < 2; k++) {
        struct file f = with_shape(table[k].descr, table[k].shape, table[k].data, table[k].size);
        ucpo_dataset *set = read_file(&f, NULL);
        char *bytes = NULL;
        size_t size = 0;
        ucpo_error err = {0};
        assert_ok(write_set(set, 1, NULL, &bytes, &size, &err), &err);
        assert_int_equal(size, 128 + table[k].size);
        assert_int_equal((unsigned char)bytes[8] + 256 * (unsigned char)bytes[9], 118);
        assert_int_equal(bytes[127], '\n');
        assert_memory_equal(bytes + 128, table[k].data, table[k].size);
        ucpo_bytes_free(bytes);
        ucpo_dataset_free(set);
    }
}

static void doubles_are_used_only_where_floats_would_round(void **state)
{
    (void)state;
    double data[2][3][8];
    for (int precise = 0; precise < 2; precise++) {
        memcpy(data, fleet, sizeof data);
        memset(data[1][1] + 6, 0, sizeof(double));
        memset(data[1][2] + 6, 0, sizeof(double));
        data[0][1][4] = INFINITY;
        if (precise) data[1][1][3] = 0.1;
        struct file f = with_shape("<f8", "(2, 3, 8)", data, sizeof data);
        ucpo_dataset *set = read_file(&f, NULL), *back = NULL;
        char *bytes = NULL;
        size_t size = 0;
        ucpo_error err = {0};
        assert_ok(write_set(set, 1, NULL, &bytes, &size, &err), &err);
        assert_int_equal(size, 128 + (precise ? 2 : 1) * sizeof data / 2);
        assert_non_null(strstr(bytes + 10, precise ? "'<f8'" : "'<f4'"));
        assert_ok(ucpo_read_bytes(bytes, size, "back", NULL, &back, &err), &err);
        assert_same_set(set, back);
        ucpo_bytes_free(bytes);
        ucpo_dataset_free(back);
        ucpo_dataset_free(set);
    }
}

#define TSPTW  "{\"schema\":\"ucpo.instance/1\",\"problem\":\"tsptw\""
#define XY     ",\"coordinates\":[[0,0],[50,100],[100,60]]"
#define OPEN   ",\"time_windows\":[[0,900],[4,90],[8,140]]"
#define TSPDL  "{\"schema\":\"ucpo.instance/1\",\"problem\":\"tspdl\""
#define LIMITS ",\"demand\":[0,1,1],\"draft_limit\":[2,2,1]"

static void what_would_change_the_meaning_is_refused(void **state)
{
    (void)state;

    static const struct {
        const char *text, *fragment;
    } table[] = {
        {TSPTW OPEN ",\"cost\":[[0,1,2],[1,0,3],[2,3,0]]}", "has no coordinates"},
        {TSPTW XY OPEN ",\"cost\":[[0,1,2],[1,0,3],[2,3,0]]}", "has a matrix"},
        {TSPTW XY OPEN ",\"duration\":[[0,1,2],[1,0,3],[2,3,0]]}", "has a matrix"},
        {TSPTW XY OPEN ",\"metric\":\"maximum\"}", "plain Euclidean"},
        {TSPTW XY OPEN ",\"rounding\":\"nearest\"}", "plain Euclidean"},
        {TSPTW XY OPEN ",\"service\":1}", "has service times"},
        {"{\"schema\":\"ucpo.dataset/1\",\"instances\":[" TSPTW XY OPEN "}," TSPDL XY LIMITS
         ",\"draft\":\"load\"}]}",
         "instance 1 is of another problem"},
        {"{\"schema\":\"ucpo.dataset/1\",\"instances\":[" TSPTW XY OPEN "}," TSPTW
         ",\"coordinates\":[[0,0],[1,1]],\"time_windows\":[[0,9],[0,9]]}]}",
         "instance 1 has another number of nodes"},
    };

    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
        ucpo_dataset *set = read_text_set(table[k].text, NULL);
        char *bytes = NULL;
        size_t size = 0;
        ucpo_error err = {0};
        assert_error(write_set(set, 0, NULL, &bytes, &size, &err), &err, UCPO_E_UNSUPPORTED, 0,
                     table[k].fragment);
        assert_null(bytes);
        ucpo_dataset_free(set);
    }
    ucpo_dataset *set = read_text_set(TSPTW XY OPEN "}", NULL);
    ucpo_write_config options = ucpo_write_config_default();
    options.format = "npy";
    options.scale = 10;
    char *bytes = NULL;
    size_t size = 0;
    ucpo_error err = {0};
    assert_error(ucpo_write_bytes(set, &options, &bytes, &size, &err), &err, UCPO_E_ARGUMENT, 0,
                 "scale is 10");
    ucpo_dataset_free(set);
}

static void what_is_lost_is_said_or_refused_when_strict(void **state)
{
    (void)state;

    static const struct {
        const char *text, *fragment;
    } table[] = {
        {TSPTW XY OPEN ",\"name\":\"a\",\"unit\":100}", "names (1 of 1"},
        {TSPTW XY OPEN ",\"best_known\":4}", "best_known (1 of 1"},
        {TSPTW XY OPEN ",\"service_in_cost\":4}", "service_in_cost (1 of 1"},
        {TSPTW XY OPEN ",\"unit\":50}", "unit and tolerance: they read back differently for 1"},
        {TSPTW XY OPEN ",\"unit\":100,\"tolerance\":0.005}", "unit and tolerance"},
        {TSPDL XY LIMITS ",\"draft\":\"unload\"}", "loading convention: 1 of 1"},
        {TSPDL XY ",\"demand\":[0,2,1],\"draft_limit\":[3,3,1],\"draft\":\"load\"}",
         "problem tspdl named, its numbers fit tsptw and tspdl"},
        {TSPTW XY ",\"time_windows\":[[0,1],[1,2],[1,1]]}",
         "problem tsptw named, it looks like tspdl"},
    };

    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
        ucpo_dataset *set = read_text_set(table[k].text, NULL);
        struct line_log log = {0};
        char *bytes = NULL;
        size_t size = 0;
        ucpo_error err = {0};
        assert_ok(write_set(set, 0, &log, &bytes, &size, &err), &err);
        assert_int_equal(log.lines, 1);
        assert_non_null(strstr(log.text, table[k].fragment));
        ucpo_bytes_free(bytes);
        assert_error(write_set(set, 1, &log, &bytes, &size, &err), &err, UCPO_E_UNSUPPORTED, 0,
                     table[k].fragment);
        ucpo_dataset_free(set);
    }
}

static void numpy_reads_what_we_write(void **state)
{
    (void)state;
    if (system("/usr/bin/python3 -c 'import numpy' >/dev/null 2>&1") != 0) {
        print_message("skipped: /usr/bin/python3 with numpy is absent\n");
        skip();
    }
    struct file f = with_shape("<f4", "(2, 3, 4)", windows, sizeof windows);
    ucpo_dataset *set = read_file(&f, NULL);
    ucpo_write_config options = ucpo_write_config_default();
    options.format = "npy";
    ucpo_error err = {0};
    char path[] = "/tmp/ucpo_npy_XXXXXX", command[512];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_ok(ucpo_write(path, set, &options, &err), &err);
    snprintf(command, sizeof command,
             "/usr/bin/python3 -c \"import numpy,sys; a=numpy.load('%s'); "
             "sys.exit(not (a.shape==(2,3,4) and a.dtype=='float32' and a[0,1,3]==60.5))\"",
             path);
    assert_int_equal(system(command), 0);
    remove(path);
    ucpo_dataset_free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_time_windows),
        cmocka_unit_test(reads_draft_limits_by_content),
        cmocka_unit_test(demands_that_look_like_windows_were_read_as_tsptw),
        cmocka_unit_test(one_instance_that_does_not_fit_makes_the_set_time_windows),
        cmocka_unit_test(the_unit_follows_from_the_whole_set),
        cmocka_unit_test(reads_fleets_limited_and_unlimited),
        cmocka_unit_test(a_rank_two_array_is_one_instance),
        cmocka_unit_test(fortran_order_is_read_like_c_order),
        cmocka_unit_test(reads_every_number_type),
        cmocka_unit_test(reads_every_header_version_and_key_order),
        cmocka_unit_test(a_scalar_has_no_axes),
        cmocka_unit_test(malformed_headers_are_explained),
        cmocka_unit_test(every_truncation_is_an_error),
        cmocka_unit_test(other_versions_are_unsupported),
        cmocka_unit_test(no_instances_is_an_error_whatever_the_other_axes_say),
        cmocka_unit_test(bad_values_name_instance_and_node),
        cmocka_unit_test(another_problem_than_asked_for_is_a_mismatch),
        cmocka_unit_test(what_was_read_is_written_byte_for_byte),
        cmocka_unit_test(doubles_are_used_only_where_floats_would_round),
        cmocka_unit_test(what_would_change_the_meaning_is_refused),
        cmocka_unit_test(what_is_lost_is_said_or_refused_when_strict),
        cmocka_unit_test(numpy_reads_what_we_write),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
