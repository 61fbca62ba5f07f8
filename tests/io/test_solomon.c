/* The Solomon format, with header and as bare rows. */
#include "support/text_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof(a)[0])
#define HEAD                                                                                       \
    "T\nVEHICLE\nNUMBER CAPACITY\n2 10\nCUSTOMER\n"                                                \
    "CUST NO. XCOORD. YCOORD. DEMAND READY TIME DUE DATE SERVICE TIME\n"
#define ROWS "0 0 0 0 0 40 0\n1 3 4 4 4 9 1\n"

static void assert_numbers(const double *actual, const double *expected, size_t count)
{
    assert_non_null(actual);
    for (size_t i = 0; i < count; i++) assert_close(actual[i], expected[i], 0.0, 0.0);
}

static void assert_is_toy(const ucpo_instance_data *d)
{
    assert_int_equal(d->n, 4);
    assert_numbers(d->x, (double[]){0, 3, 6, 6}, 4);
    assert_numbers(d->y, (double[]){0, 4, 8, 0}, 4);
    assert_numbers(d->demand, (double[]){0, 4, 5, 7}, 4);
    assert_numbers(d->ready, (double[]){0, 4, 8, 15}, 4);
    assert_numbers(d->due, (double[]){40, 9, 14, 22}, 4);
    assert_numbers(d->service, (double[]){0, 1, 1, 1}, 4);
    assert_int_equal(d->rounding, UCPO_ROUND_NONE);
}

static void test_number_is_the_fleet_limit(void **state)
{
    (void)state;
    ucpo_dataset *set = test_read_data("toy_solomon.txt", NULL);
    const ucpo_instance_data *d = test_view(set);
    assert_is_toy(d);
    assert_string_equal(d->problem, "cvrptwlv");
    assert_string_equal(d->name, "TOY");
    assert_int_equal(d->vehicles, 2);
    assert_close(d->capacity, 10.0, 0.0, 0.0);
    ucpo_dataset_free(set);
}

static void test_the_limit_is_dropped_on_request(void **state)
{
    (void)state;
    ucpo_read_config options = ucpo_read_config_default();
    options.problem = "cvrptw";
    ucpo_dataset *set = test_read_data("toy_solomon.txt", &options);
    assert_string_equal(test_view(set)->problem, "cvrptw");
    ucpo_dataset_free(set);
    options.problem = NULL;
    options.vehicles = -1;
    set = test_read_data("toy_solomon.txt", &options);
    assert_string_equal(test_view(set)->problem, "cvrptw");
    ucpo_dataset_free(set);
}

static void test_bare_rows_need_a_capacity(void **state)
{
    (void)state;
    char path[512];
    ucpo_dataset *set = NULL;
    ucpo_error err = {0};
    test_data_path(path, sizeof path, "toy_solomon_bare.txt");
    assert_int_equal(ucpo_read(path, NULL, &set, &err), UCPO_E_FORMAT);
    assert_non_null(strstr(err.text, "option 'capacity'"));
    ucpo_read_config options = ucpo_read_config_default();
    options.capacity = 10.0;
    set = test_read_data("toy_solomon_bare.txt", &options);
    assert_is_toy(test_view(set));
    assert_string_equal(test_view(set)->problem, "cvrptw");
    assert_string_equal(test_view(set)->name, "");
    ucpo_dataset_free(set);
    options.vehicles = 3;
    set = test_read_data("toy_solomon_bare.txt", &options);
    assert_string_equal(test_view(set)->problem, "cvrptwlv");
    assert_int_equal(test_view(set)->vehicles, 3);
    ucpo_dataset_free(set);
}

static void test_ids_may_start_at_0_or_1_with_or_without_header(void **state)
{
    (void)state;
    ucpo_read_config options = ucpo_read_config_default();
    options.capacity = 10.0;
    static const char *const texts[] = {HEAD ROWS, HEAD "1 0 0 0 0 40 0\n2 3 4 4 4 9 1\n", ROWS,
                                        "1 0 0 0 0 40 0\n2 3 4 4 4 9 1\n"};
    for (size_t k = 0; k < COUNT(texts); k++) {
        ucpo_dataset *set = test_read_text(texts[k], &options);
        assert_numbers(test_view(set)->demand, (double[]){0, 4}, 2);
        ucpo_dataset_free(set);
    }
}

static void test_blank_lines_crlf_and_a_missing_name_are_fine(void **state)
{
    (void)state;
    ucpo_dataset *set =
        test_read_text("\r\n\r\nVehicle\r\n\r\nNumber   Capacity\r\n\r\n  2 \r\n10\r\n"
                       "\r\nCustomer\r\nCust No. XCoord YCoord Demand Ready Due "
                       "Service\r\n\r\n0 0 0 0 0 40 0\r\n\r\n"
                       "1 3 4 4 4 9 1\r\n\r\n",
                       NULL);
    assert_string_equal(test_view(set)->name, "");
    assert_int_equal(test_view(set)->n, 2);
    ucpo_dataset_free(set);
}

static void test_words_after_the_rows_are_a_warning(void **state)
{
    (void)state;
    struct test_log log;
    ucpo_read_config options = ucpo_read_config_default();
    options.hooks = test_log_hooks(&log);
    ucpo_dataset *set = test_read_text(HEAD ROWS "thank you\n", &options);
    assert_logged(&log, "warning: text:9: 'thank' and what follows");
    ucpo_dataset_free(set);
}

static void test_service_at_the_depot_is_ignored_with_a_warning(void **state)
{
    (void)state;
    struct test_log log;
    ucpo_read_config options = ucpo_read_config_default();
    options.hooks = test_log_hooks(&log);
    ucpo_dataset *set = test_read_text(HEAD "0 0 0 0 0 40 7\n1 3 4 4 4 9 1\n", &options);
    assert_numbers(test_view(set)->service, (double[]){0, 1}, 2);
    assert_logged(&log, "service time 7 of the depot is ignored");
    ucpo_dataset_free(set);
}

static void test_columns_in_another_order_were_misread(void **state)
{
    (void)state;
#define TOP  "T\nVEHICLE\nNUMBER CAPACITY\n2 10\nCUSTOMER\n"
#define ROWS "0 0 0 0 0 40 0\n1 3 4 4 4 9 1\n"
    static const struct test_bad cases[] = {
        {TOP "CUST NO. XCOORD. YCOORD. READY TIME DUE DATE DEMAND SERVICE TIME\n" ROWS,
         UCPO_E_FORMAT, 6, "column head is 'READY', expected column DEMAND"},
        {TOP "CUST NO. XCOORD. YCOORD. DEMAND READY TIME DUE DATE\n" ROWS, UCPO_E_FORMAT, 6,
         "expected column SERVICE TIME"},
        {TOP "CUST NO. XCOORD. YCOORD. DEMAND READY TIME DUE DATE SERVICE TIME PRIZE\n" ROWS,
         UCPO_E_FORMAT, 6, "column head is 'PRIZE', expected no more columns"},
    };

    assert_refused("solomon", cases, sizeof cases / sizeof cases[0]);
    static const char *const good[] = {
        TOP "cust no xcoord ycoord demand ready due service\n" ROWS,
        TOP "CUST NO.  XCOORD.  YCOORD.  DEMAND  [READY TIME]  DUE-DATE  SERVICE   TIME \n" ROWS,
    };

    for (size_t k = 0; k < sizeof good / sizeof good[0]; k++)
        ucpo_dataset_free(test_read_text(good[k], NULL));
}

static void test_a_name_like_a_tsplib_keyword_does_not_confuse_detection(void **state)
{
    (void)state;
    static const char *const names[] = {"TYPE", "DIMENSION 5", "MY_SECTION", "101"};
    for (size_t k = 0; k < COUNT(names); k++) {
        char text[256];
        snprintf(text, sizeof text, "%s%s", names[k], &HEAD ROWS[1]);
        ucpo_dataset *set = test_read_text(text, NULL);
        assert_string_equal(test_view(set)->name, names[k]);
        ucpo_dataset_free(set);
    }
}

static void test_malformed_files_are_refused_with_line_and_reason(void **state)
{
    (void)state;
    static const struct test_bad cases[] = {
        {"", UCPO_E_FORMAT, 1, "file is empty"},
        {"T\nVEHICULE\n", UCPO_E_FORMAT, 2, "line is 'VEHICULE', expected the line 'VEHICLE'"},
        {"T\nVEHICLE\n", UCPO_E_FORMAT, 3, "file ends"},
        {"T\nVEHICLE\nNUMBER CAPACITY\n0 10\n", UCPO_E_FORMAT, 4, "NUMBER of vehicles is '0'"},
        {"T\nVEHICLE\nNUMBER CAPACITY\n2 ten\n", UCPO_E_FORMAT, 4, "CAPACITY is 'ten'"},
        {"T\nVEHICLE\nNUMBER CAPACITY\n2 0\n", UCPO_E_FORMAT, 4, "CAPACITY is 0, expected"},
        {"T\nVEHICLE\nNUMBER CAPACITY\n2 10 7\nCUSTOMER\n", UCPO_E_FORMAT, 4, "line is '7'"},
        {HEAD, UCPO_E_FORMAT, 7, "file has 0 rows, expected 2 .. 65536"},
        {HEAD "0 0 0 0 0 40 0\n", UCPO_E_FORMAT, 7, "file has 1 rows"},
        {HEAD "0 0 0 0 0 40\n1 3 4 4 4 9 1\n", UCPO_E_FORMAT, 7, "row has 6 numbers"},
        {HEAD "0 0 0 0 0 40 0\n1 3 4 4 4 nine 1\n", UCPO_E_FORMAT, 8, "due date is 'nine'"},
        {HEAD "0 0 0 0 0 40 0\n2 3 4 4 4 9 1\n", UCPO_E_FORMAT, 8, "id is 2, expected 1"},
        {HEAD "5 0 0 0 0 40 0\n6 3 4 4 4 9 1\n", UCPO_E_FORMAT, 7, "id is 5, expected 0"},
        {HEAD "0 0 0 0 0 40 0\n1 3 4 -4 4 9 1\n", UCPO_E_FORMAT, 8, "demand of id 1 is -4"},
        {HEAD "0 0 0 0 0 40 0\n1 3 4 4 10 9 1\n", UCPO_E_FORMAT, 8, "window of id 1 is [10, 9]"},
        {HEAD "0 0 0 0 0 40 0\nnote\n1 3 4 4 4 9 1\n", UCPO_E_FORMAT, 8, "id is 'note'"},
        {HEAD "0 0 0 3 0 40 0\n1 3 4 4 4 9 1\n", UCPO_E_FORMAT, 0, "demand of the depot is 3"},
        {ROWS, UCPO_E_FORMAT, 1, "pass it with option 'capacity'"},
    };
    assert_refused("solomon", cases, COUNT(cases));
}

/* ---- writing ---- */

static ucpo_instance_data odd(void)
{
    static const double x[3] = {0.1, 1.0 / 3.0, 1e-30}, y[3] = {-2.5, 1e11, 2.0 / 3.0};
    static const double ready[3] = {-1.5, 0.1, 0.7}, due[3] = {1e9, 0.1, 1e12};
    static const double service[3] = {0, 0.25, 2}, demand[3] = {0, 0.5, 1};
    ucpo_instance_data d = ucpo_instance_data_default();
    d.problem = "cvrptwlv";
    d.name = "odd 1";
    d.n = 3;
    d.x = x;
    d.y = y;
    d.ready = ready;
    d.due = due;
    d.service = service;
    d.demand = demand;
    d.capacity = 1.0 / 3.0 + 1.0;
    d.vehicles = 7;
    return d;
}

static void test_a_limited_fleet_survives_a_round_trip(void **state)
{
    (void)state;
    ucpo_instance_data d = odd();
    static const char *const names[] = {"odd 1", "", "NUMBER", "7"};
    for (size_t k = 0; k < COUNT(names); k++) {
        d.name = names[k];
        ucpo_dataset *set = test_set_of(&d);
        ucpo_write_config how = ucpo_write_config_default();
        how.strict = 1;
        char *text = test_write_text(set, "solomon", &how);
        ucpo_dataset *again = test_read_text(text, NULL);
        assert_same_instance(test_view(again), test_view(set));
        ucpo_dataset_free(again);
        ucpo_dataset_free(set);
        free(text);
    }
}

static void test_an_unlimited_fleet_is_written_as_one_vehicle_per_customer(void **state)
{
    (void)state;
    ucpo_instance_data d = odd();
    d.problem = "cvrptw";
    d.vehicles = 0;
    ucpo_dataset *set = test_set_of(&d);
    struct test_log log;
    ucpo_write_config how = ucpo_write_config_default();
    how.hooks = test_log_hooks(&log);
    char *text = test_write_text(set, "solomon", &how);
    assert_logged(&log, "NUMBER is written as 2");
    ucpo_read_config options = ucpo_read_config_default();
    options.vehicles = -1;
    ucpo_dataset *again = test_read_text(text, &options);
    assert_same_instance(test_view(again), test_view(set));
    ucpo_dataset_free(again);
    ucpo_dataset_free(set);
    free(text);
}

static void assert_write_fails(const ucpo_instance_data *d, int strict, const char *part)
{
    ucpo_dataset *set = test_set_of(d);
    ucpo_write_config how = ucpo_write_config_default();
    how.format = "solomon";
    how.strict = strict;
    char *bytes = NULL;
    size_t size = 0;
    ucpo_error err = {0};
    assert_int_equal(ucpo_write_bytes(set, &how, &bytes, &size, &err), UCPO_E_UNSUPPORTED);
    assert_non_null(strstr(err.text, part));
    ucpo_dataset_free(set);
}

static void test_what_would_be_another_instance_is_refused(void **state)
{
    (void)state;
    ucpo_instance_data d = odd();
    d.due = (const double[]){(double)INFINITY, 1, 2};
    assert_write_fails(&d, 0, "due of node 0 is infinite");
    d = odd();
    d.cost = (const double[]){0, 1, 2, 3, 0, 4, 5, 6, 0};
    assert_write_fails(&d, 0, "come from a matrix");
    d = odd();
    d.metric = UCPO_METRIC_MAXIMUM;
    assert_write_fails(&d, 0, "Euclidean distances only");
}

static void test_what_gets_lost_is_an_error_under_strict(void **state)
{
    (void)state;
    ucpo_instance_data d = odd();
    d.rounding = UCPO_ROUND_DIMACS;
    assert_write_fails(&d, 0, "format solomon has exact distances only");
    d = odd();
    d.best_known = 9;
    assert_write_fails(&d, 1, "cannot carry the best known cost");
    d = odd();
    d.tolerance = 0.5;
    assert_write_fails(&d, 1, "cannot carry the tolerance");
    d = odd();
    d.name = "vehicle";
    assert_write_fails(&d, 1, "cannot carry the name");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_number_is_the_fleet_limit),
        cmocka_unit_test(test_the_limit_is_dropped_on_request),
        cmocka_unit_test(test_bare_rows_need_a_capacity),
        cmocka_unit_test(test_ids_may_start_at_0_or_1_with_or_without_header),
        cmocka_unit_test(test_blank_lines_crlf_and_a_missing_name_are_fine),
        cmocka_unit_test(test_words_after_the_rows_are_a_warning),
        cmocka_unit_test(test_service_at_the_depot_is_ignored_with_a_warning),
        cmocka_unit_test(test_columns_in_another_order_were_misread),
        cmocka_unit_test(test_a_name_like_a_tsplib_keyword_does_not_confuse_detection),
        cmocka_unit_test(test_malformed_files_are_refused_with_line_and_reason),
        cmocka_unit_test(test_a_limited_fleet_survives_a_round_trip),
        cmocka_unit_test(test_an_unlimited_fleet_is_written_as_one_vehicle_per_customer),
        cmocka_unit_test(test_what_would_be_another_instance_is_refused),
        cmocka_unit_test(test_what_gets_lost_is_an_error_under_strict),
    };
    return cmocka_run_group_tests_name("solomon", tests, NULL, NULL);
}
