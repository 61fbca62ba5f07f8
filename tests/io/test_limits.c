/* How many nodes a file may hold: the last number that is taken, and the first that is not, for every format that has
 * one row or entry per node. A file with one too many is refused by its reader, with its line. */
#include "support/text_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 65536 }; /* nodes, the depot included */

struct file {
    char *bytes;
    size_t size, room;
};

__attribute__((format(printf, 2, 3))) static void put(struct file *f, const char *format, ...)
{
    va_list args;
    if (f->room - f->size < 256) {
        f->room = 2 * f->room + 65536;
        f->bytes = realloc(f->bytes, f->room);
        assert_non_null(f->bytes);
    }
    va_start(args, format);
    f->size += (size_t)vsnprintf(f->bytes + f->size, f->room - f->size, format, args);
    va_end(args);
}

/* Reads and frees the file. */
static ucpo_status read_it(struct file *f, const char *format, int32_t *n, ucpo_error *err)
{
    ucpo_read_config options = ucpo_read_config_default();
    options.format = format;
    options.capacity = 10.0;
    ucpo_dataset *set = NULL;
    *err = (ucpo_error){0};
    ucpo_status st = ucpo_read_bytes(f->bytes, f->size, "large", &options, &set, err);
    if (!st) *n = test_view(set)->n;
    ucpo_dataset_free(set);
    free(f->bytes);
    return st;
}

static void assert_taken(struct file *f, const char *format, int32_t expected)
{
    int32_t n = 0;
    ucpo_error err;
    assert_ok(read_it(f, format, &n, &err), &err);
    assert_int_equal(n, expected);
}

static void assert_too_many(struct file *f, const char *format, long line, const char *part)
{
    int32_t n = 0;
    ucpo_error err;
    assert_int_equal(read_it(f, format, &n, &err), UCPO_E_FORMAT);
    if (!strstr(err.text, part)) fail_msg("'%s' does not hold '%s'", err.text, part);
    assert_int_equal(err.line, line);
    assert_string_equal(err.file, "large");
}

static struct file solomon(int n)
{
    struct file f = {0};
    put(&f, "T\nVEHICLE\nNUMBER CAPACITY\n2 10\nCUSTOMER\n");
    put(&f, "CUST NO. XCOORD. YCOORD. DEMAND READY TIME DUE DATE SERVICE TIME\n");
    for (int i = 0; i < n; i++) put(&f, "%d %d 0 %d 0 9 0\n", i, i % 7, i > 0);
    return f;
}

static void solomon_files(void **state)
{
    struct file most = solomon(MOST), more = solomon(MOST + 1), two = solomon(2), one = solomon(1);
    (void)state;
    assert_taken(&most, NULL, MOST);
    assert_too_many(&more, NULL, 7, "file has 65537 rows, expected 2 .. 65536");
    assert_taken(&two, NULL, 2);
    assert_too_many(&one, NULL, 7, "file has 1 rows, expected 2 .. 65536");
}

static struct file table(int n)
{
    struct file f = {0};
    put(&f, "id,x,y,demand\n");
    for (int i = 0; i < n; i++) put(&f, "%d,%d,0,%d\n", i, i % 7, i > 0);
    return f;
}

static void tables(void **state)
{
    struct file most = table(MOST), more = table(MOST + 1), two = table(2), one = table(1);
    (void)state;
    assert_taken(&most, NULL, MOST);
    assert_too_many(&more, NULL, 1, "65537 rows behind the head line, expected 2 .. 65536");
    assert_taken(&two, NULL, 2);
    assert_too_many(&one, NULL, 1, "1 row behind the head line, expected 2 .. 65536");
}

static struct file tsplib(int n)
{
    struct file f = {0};
    put(&f, "TYPE : CVRP\nDIMENSION : %d\nCAPACITY : 5\nEDGE_WEIGHT_TYPE : EUC_2D\n", n);
    put(&f, "NODE_COORD_SECTION\n");
    for (int i = 1; i <= n; i++) put(&f, "%d %d 0\n", i, i % 7);
    put(&f, "DEMAND_SECTION\n");
    for (int i = 1; i <= n; i++) put(&f, "%d %d\n", i, i > 1);
    put(&f, "DEPOT_SECTION\n1\n-1\nEOF\n");
    return f;
}

static void tsplib_files(void **state)
{
    struct file most = tsplib(MOST), more = tsplib(MOST + 1), two = tsplib(2), one = tsplib(1);
    (void)state;
    assert_taken(&most, NULL, MOST);
    assert_too_many(&more, NULL, 2, "DIMENSION is '65537', expected a whole number 2 .. 65536");
    assert_taken(&two, NULL, 2);
    assert_too_many(&one, NULL, 2, "DIMENSION is '1', expected a whole number 2 .. 65536");
}

static struct file json(int n, int is_stated)
{
    struct file f = {0};
    put(&f, "{\"schema\": \"ucpo.instance/1\", \"problem\": \"cvrp\", \"capacity\": 5, ");
    if (is_stated) put(&f, "\"n\": %d, ", n);
    put(&f, "\"coordinates\": [");
    for (int i = 0; i < n; i++) put(&f, "%s[%d, 0]", i ? "," : "", i % 7);
    put(&f, "], \"demand\": [");
    for (int i = 0; i < n; i++) put(&f, "%s%d", i ? "," : "", i > 0);
    put(&f, "]}");
    return f;
}

static void json_files(void **state)
{
    (void)state;
    for (int is_stated = 0; is_stated < 2; is_stated++) {
        const char *many = is_stated ? "n is 65537, expected a whole number 2 .. 65536"
                                     : "expected an array of 2 .. 65536";
        const char *few = is_stated ? "n is 1, expected a whole number 2 .. 65536"
                                    : "expected an array of 2 .. 65536";
        struct file most = json(MOST, is_stated), more = json(MOST + 1, is_stated),
                    two = json(2, is_stated), one = json(1, is_stated);
        assert_taken(&most, NULL, MOST);
        assert_too_many(&more, NULL, 0, many);
        assert_taken(&two, NULL, 2);
        assert_too_many(&one, NULL, 0, few);
    }
}

static struct file vroom(int jobs)
{
    struct file f = {0};
    put(&f, "{\"vehicles\": [{\"id\": 1, \"start\": [13, 52], \"end\": [13, 52]}], \"jobs\": [");
    for (int i = 0; i < jobs; i++)
        put(&f, "%s{\"id\": %d, \"location\": [13.5, 52.%d]}", i ? "," : "", i + 1, i % 7);
    put(&f, "]}");
    return f;
}

static void vroom_problems(void **state)
{
    struct file most = vroom(MOST - 1), more = vroom(MOST), one = vroom(1), none = vroom(0);
    (void)state;
    assert_taken(&most, NULL, MOST);
    assert_too_many(&more, NULL, 0, "an array of 1 .. 65535");
    assert_taken(&one, NULL, 2);
    assert_too_many(&none, NULL, 0, "an array of 1 .. 65535");
}

/* Matrices of so many nodes have 32 GB: the outer array is enough to see where the limit is. */
static struct file empty_rows(const char *start, int n)
{
    struct file f = {0};
    put(&f, "%s[", start);
    for (int i = 0; i < n; i++) put(&f, i ? ",[]" : "[]");
    put(&f, "]}");
    return f;
}

static void matrices_in_json(void **state)
{
    static const char *const starts[] = {
        "{\"code\": \"Ok\", \"durations\": ",
        "{\"num_vehicles\": 1, \"depot\": 0, \"distance_matrix\": ",
        "{\"num_vehicles\": 1, \"depot\": 0, \"time_matrix\": ",
    };
    (void)state;
    for (size_t k = 0; k < sizeof starts / sizeof starts[0]; k++)
        for (int n = 1; n <= 2; n++) {
            int is_large = n == 2;
            struct file bad = empty_rows(starts[k], is_large ? MOST + 1 : 1),
                        good = empty_rows(starts[k], is_large ? MOST : 2);
            int32_t nodes;
            ucpo_error err;
            assert_too_many(&bad, NULL, 0, "expected an array of 2 .. 65536");
            assert_int_equal(read_it(&good, NULL, &nodes, &err), UCPO_E_FORMAT); /* its first row */
            assert_null(strstr(err.text, "expected an array of 2 .. 65536"));
        }
}

static void numbers_at_the_head_of_plain_and_rakke(void **state)
{
    static const struct {
        const char *format, *noun;
    } formats[] = {{"plain", "nodes"}, {"rakke", "ports"}};

    static const char *const wrong[] = {"65537", "1", "0", "-2", "2.5"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        for (size_t w = 0; w < sizeof wrong / sizeof wrong[0]; w++) {
            struct file f = {0};
            char part[160];
            put(&f, "%s\n0 1 1 0 0 9 0 9\n", wrong[w]);
            snprintf(part, sizeof part,
                     "number of %s (the depot included) is '%s', expected a whole number 2 .. "
                     "65536",
                     formats[k].noun, wrong[w]);
            assert_too_many(&f, formats[k].format, 1, part);
        }
        struct file f = {0};
        put(&f, "65536\n0 1 1 0 0 9 0 9\n");
        assert_too_many(&f, formats[k].format, 1, "the file needs 4295098368 numbers, but only");
    }
}

/* The first count of bytes that can hold the numbers: each but the last needs two. */
static void numbers_that_cannot_be_there_are_not_waited_for(void **state)
{
    struct file just = {0}, short_of = {0};
    (void)state;
    put(&just, "2\n0 1 1 0 0 9 0 9"); /* 8 numbers in 15 bytes, with the end of the line 16 */
    assert_taken(&just, "plain", 2);
    put(&short_of, "2\n0 1 1 0 0 9");
    assert_too_many(&short_of, "plain", 1, "the file needs 8 numbers, but only 12 bytes are left");
}

static struct file silva(int n)
{
    struct file f = {0};
    put(&f, "!! S\nCUST NO. XCOORD. YCOORD. DEMAND READY TIME DUE DATE SERVICE TIME\n");
    for (int i = 1; i <= n; i++) put(&f, "%d %d 0 0 0 9 0\n", i, i % 7);
    put(&f, "999 0 0 0 0 0 0\n");
    return f;
}

static void silva_files(void **state)
{
    struct file most = silva(998), more = silva(999), two = silva(2);
    (void)state;
    assert_taken(&most, NULL, 998);
    struct test_log log = {0}; /* node 999 is where it ends */
    ucpo_read_config options = ucpo_read_config_default();
    options.hooks = test_log_hooks(&log);
    ucpo_dataset *set = test_read_text(more.bytes, &options);
    assert_int_equal(test_view(set)->n, 998);
    assert_logged(&log, "'999' and what follows stands after the end of the data");
    ucpo_dataset_free(set);
    free(more.bytes);
    assert_taken(&two, NULL, 2);
}

/* x, y, demand, capacity of each node as 4 x float. */
static struct file npy(int n)
{
    struct file f = {0};
    char header[128];
    int length = snprintf(header, sizeof header,
                          "{'descr': '<f4', 'fortran_order': False, 'shape': (1, %d, 4), }\n", n);
    size_t data = (size_t)n * 4 * sizeof(float);
    f.bytes = calloc(1, 10 + (size_t)length + data);
    assert_non_null(f.bytes);
    memcpy(f.bytes, "\x93NUMPY\x01\x00", 8);
    f.bytes[8] = (char)length;
    memcpy(f.bytes + 10, header, (size_t)length);
    for (int i = 0; i < n; i++) { /* x, y, ready, due */
        float row[4] = {(float)(i % 7), 0, 0, 9};
        memcpy(f.bytes + 10 + length + (size_t)i * sizeof row, row, sizeof row);
    }
    f.size = 10 + (size_t)length + data;
    return f;
}

static void numpy_arrays(void **state)
{
    struct file most = npy(MOST), more = npy(MOST + 1), two = npy(2), one = npy(1);
    (void)state;
    assert_taken(&most, NULL, MOST);
    assert_too_many(&more, NULL, 0, "NPY array has 65537 nodes per instance, expected 2 .. 65536");
    assert_taken(&two, NULL, 2);
    assert_too_many(&one, NULL, 0, "NPY array has 1 nodes per instance, expected 2 .. 65536");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solomon_files),
        cmocka_unit_test(tables),
        cmocka_unit_test(tsplib_files),
        cmocka_unit_test(json_files),
        cmocka_unit_test(vroom_problems),
        cmocka_unit_test(matrices_in_json),
        cmocka_unit_test(numbers_at_the_head_of_plain_and_rakke),
        cmocka_unit_test(numbers_that_cannot_be_there_are_not_waited_for),
        cmocka_unit_test(silva_files),
        cmocka_unit_test(numpy_arrays),
    };
    return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
