/* Every allocation of the text readers and writers fails once: the call must report
 * UCPO_E_MEMORY, leave its outputs alone and (under asan) leak nothing. */
#include "support/alloc.h"
#include "support/text_case.h"

#include <stdlib.h>
#include <string.h>

/* Fails allocation number k (from 1) from now on; 0: none. */
static void arm(long k)
{
    test_alloc_countdown = (int)k - 1;
}

/* Returns the number of allocations that were made to fail. */
static long read_under_failures(const char *text, const ucpo_read_config *options,
                                ucpo_dataset **out)
{
    for (long k = 1;; k++) {
        ucpo_dataset *set = NULL;
        ucpo_error err = {0};
        arm(k);
        ucpo_status st = ucpo_read_bytes(text, strlen(text), "text", options, &set, &err);
        arm(0);
        if (st == UCPO_OK) {
            *out = set;
            return k - 1;
        }
        assert_int_equal(st, UCPO_E_MEMORY);
        assert_int_equal(err.code, UCPO_E_MEMORY);
        assert_null(set);
    }
}

static long write_under_failures(const ucpo_dataset *set, const ucpo_write_config *options)
{
    for (long k = 1;; k++) {
        char *bytes = NULL;
        size_t size = 0;
        ucpo_error err = {0};
        arm(k);
        ucpo_status st = ucpo_write_bytes(set, options, &bytes, &size, &err);
        arm(0);
        if (st == UCPO_OK) {
            assert_true(size > 0);
            ucpo_bytes_free(bytes);
            return k - 1;
        }
        assert_int_equal(st, UCPO_E_MEMORY);
        assert_int_equal(err.code, UCPO_E_MEMORY);
        assert_null(bytes);
    }
}

static void exercise(const char *text, const char *format)
{
    ucpo_read_config options = ucpo_read_config_default();
    options.capacity = 10.0;
    ucpo_dataset *set = NULL;
    assert_true(read_under_failures(text, &options, &set) >= 5);
    ucpo_write_config how = ucpo_write_config_default();
    how.format = format;
    assert_true(write_under_failures(set, &how) >= 3);
    how.scale = 10.0;
    assert_true(write_under_failures(set, &how) >= 5);
    ucpo_dataset_free(set);
}

static void exercise_file(const char *name, const char *format)
{
    char path[512];
    char *text = test_read_file(test_data_path(path, sizeof path, name), NULL);
    assert_non_null(text);
    exercise(text, format);
    free(text);
}

static void test_tsplib_reports_every_failed_allocation(void **state)
{
    (void)state;
    exercise_file("toy.tsptw", "tsplib");
    exercise_file("toy.tspdl", "tsplib");
    exercise_file("toy.cvrptw", "tsplib");
    exercise(
        "COMMENT : ucpo rounding=none unit=7 best_known=3\nTYPE : TSPTW\nDIMENSION : 3\n"
        "EDGE_WEIGHT_TYPE : EUC_2D\nSERVICE_TIME : 2\nNODE_COORD_SECTION\n1 0 0\n2 3 4\n3 6 8\n"
        "TIME_WINDOW_SECTION\n1 0 40\n2 4 9\n3 8 14\nDEPOT_SECTION\n2\n-1\n",
        "tsplib");
    exercise("TYPE : TSPTW\nDIMENSION : 2\nEDGE_WEIGHT_FORMAT : UPPER_ROW\nEDGE_WEIGHT_SECTION\n1\n"
             "DISPLAY_DATA_SECTION\n1 0 0\n2 3 4\nTIME_WINDOW_SECTION\n1 0 40\n2 4 9\n",
             "tsplib");
}

static void test_plain_reports_every_failed_allocation(void **state)
{
    (void)state;
    exercise_file("toy_plain.txt", "plain");
}

static void test_silva_reports_every_failed_allocation(void **state)
{
    (void)state;
    exercise_file("toy_silva.txt", "silva");
}

static void test_rakke_reports_every_failed_allocation(void **state)
{
    (void)state;
    exercise_file("toy_rakke.txt", "rakke");
}

static void test_solomon_reports_every_failed_allocation(void **state)
{
    (void)state;
    exercise_file("toy_solomon.txt", "solomon");
    exercise_file("toy_solomon_bare.txt", "solomon");
}

static void test_csv_reports_every_failed_allocation(void **state)
{
    (void)state;
    ucpo_read_config options = ucpo_read_config_default();
    options.capacity = 10.0;
    options.format = "csv";
    ucpo_dataset *set = NULL;
    assert_true(read_under_failures(
                    "id;name;lat;lon;from;until;demand\nD;;1;2;07:00;09:00;\nA;a;1;3;08:00;;2\n",
                    &options, &set) >= 10);
    ucpo_write_config how = ucpo_write_config_default();
    how.format = "csv";
    assert_true(write_under_failures(set, &how) >= 1);
    ucpo_dataset_free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tsplib_reports_every_failed_allocation),
        cmocka_unit_test(test_plain_reports_every_failed_allocation),
        cmocka_unit_test(test_silva_reports_every_failed_allocation),
        cmocka_unit_test(test_rakke_reports_every_failed_allocation),
        cmocka_unit_test(test_solomon_reports_every_failed_allocation),
        cmocka_unit_test(test_csv_reports_every_failed_allocation),
    };
    return cmocka_run_group_tests_name("alloc_text", tests, NULL, NULL);
}
