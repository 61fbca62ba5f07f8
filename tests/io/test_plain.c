/* The formats plain and silva (TSPTW) and rakke (TSPDL). */
#include "support/text_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

static const double toy_cost[16] = {0, 5, 10, 6, 5, 0, 5, 5, 10, 5, 0, 8, 6, 5, 8, 0};
static const double x[3] = {0.1, 1.0 / 3.0, 4}, y[3] = {-2.5, 10, 2.0 / 3.0};
static const double cost[9] = {7, 0.1, 2, 3, 0, 1.0 / 3.0, 5, 6, 0.5};
static const double ready[3] = {-1.5, 0.1, 0.7}, due[3] = {1e9, 0.1, 1e12};
static const double service[3] = {0, 0.25, 2};
static const double loads[3] = {0, 2, 1}, limits[3] = {3, 3, 2};

static void assert_numbers(const double *actual, const double *expected, size_t count)
{
    assert_non_null(actual);
    for (size_t i = 0; i < count; i++) assert_close(actual[i], expected[i], 0.0, 0.0);
}

static ucpo_instance_data windows_only(void)
{
    ucpo_instance_data d = ucpo_instance_data_default();
    d.problem = "tsptw";
    d.n = 3;
    d.ready = ready;
    d.due = due;
    return d;
}

static ucpo_instance_data drafts(ucpo_draft draft)
{
    static const double legs[9] = {0, 0.1, 2, 3, 0, 1.0 / 3.0, 5, 6, 0};
    ucpo_instance_data d = ucpo_instance_data_default();
    d.problem = "tspdl";
    d.n = 3;
    d.cost = legs;
    d.demand = loads;
    d.limit = limits;
    d.draft = draft;
    return d;
}

static void assert_write_fails(const ucpo_instance_data *d, const char *format, int strict,
                               const char *part)
{
    ucpo_dataset *set = test_set_of(d);
    ucpo_write_config how = ucpo_write_config_default();
    how.format = format;
    how.strict = strict;
    char *bytes = NULL;
    size_t size = 0;
    ucpo_error err = {0};
    assert_int_equal(ucpo_write_bytes(set, &how, &bytes, &size, &err), UCPO_E_UNSUPPORTED);
    assert_non_null(strstr(err.text, part));
    assert_null(bytes);
    ucpo_dataset_free(set);
}

static void assert_round_trip(const ucpo_instance_data *d, const char *format)
{
    ucpo_dataset *set = test_set_of(d);
    ucpo_write_config how = ucpo_write_config_default();
    how.strict = 1; /* nothing may get lost */
    char *text = test_write_text(set, format, &how);
    ucpo_dataset *again = test_read_text(text, NULL);
    assert_same_instance(test_view(again), test_view(set));
    ucpo_dataset_free(again);
    ucpo_dataset_free(set);
    free(text);
}

/* ---- plain ---- */

static void test_reads_the_toy_plain(void **state)
{
    (void)state;
    ucpo_dataset *set = test_read_data("toy_plain.txt", NULL);
    const ucpo_instance_data *d = test_view(set);
    assert_string_equal(d->problem, "tsptw");
    assert_numbers(d->cost, toy_cost, 16);
    assert_numbers(d->ready, (double[]){0, 4, 8, 15}, 4);
    assert_numbers(d->due, (double[]){40, 9, 14, 22}, 4);
    assert_null(d->service);
    assert_close(d->file->service_in_cost, 0.0, 0.0, 0.0);
    ucpo_dataset_free(set);
}

static void test_plain_is_real_asymmetric_and_free_of_line_breaks(void **state)
{
    (void)state;
    ucpo_dataset *set = test_read_text("\n# a remark\n2\n0 1.5\n2.5\n\n7 0 10.5 # another\n3\n4\n"
                                       "# sum of service times: 12.5\n",
                                       NULL);
    const ucpo_instance_data *d = test_view(set);
    assert_numbers(d->cost, (double[]){0, 1.5, 2.5, 7}, 4);
    assert_numbers(d->due, (double[]){10.5, 4}, 2);
    assert_close(d->file->service_in_cost, 12.5, 0.0, 0.0);
    ucpo_dataset_free(set);
}

static void test_plain_survives_a_round_trip(void **state)
{
    (void)state;
    ucpo_instance_data d = windows_only();
    d.cost = cost;
    d.file = &(ucpo_file_notes){.service_in_cost = 0.3};
    assert_round_trip(&d, "plain");
}

static void test_plain_folds_service_into_the_rows_and_says_so(void **state)
{
    (void)state;
    ucpo_instance_data d = windows_only();
    d.cost = cost;
    d.service = service;
    d.file = &(ucpo_file_notes){.service_in_cost = 1};
    assert_write_fails(&d, "plain", 1, "added to the matrix rows");
    ucpo_dataset *set = test_set_of(&d);
    struct test_log log;
    ucpo_write_config how = ucpo_write_config_default();
    how.hooks = test_log_hooks(&log);
    char *text = test_write_text(set, "plain", &how);
    assert_logged(&log, "warning: format plain has no service times");
    ucpo_dataset *again = test_read_text(text, NULL);
    const ucpo_instance_data *e = test_view(again);
    assert_numbers(e->cost, (double[]){7, 0.1, 2, 3.25, 0, 1.0 / 3.0 + 0.25, 7, 8, 0.5}, 9);
    assert_close(e->file->service_in_cost, 3.25, 0.0, 0.0);
    ucpo_dataset_free(again);
    ucpo_dataset_free(set);
    free(text);
}

static void test_plain_turns_coordinates_into_a_matrix_with_a_warning(void **state)
{
    (void)state;
    ucpo_instance_data d = windows_only();
    d.x = x;
    d.y = y;
    assert_write_fails(&d, "plain", 1, "format plain cannot carry coordinates");
    ucpo_dataset *set = test_set_of(&d);
    char *text = test_write_text(set, "plain", NULL);
    ucpo_dataset *again = test_read_text(text, NULL);
    for (int32_t i = 0; i < 3; i++)
        for (int32_t j = 0; j < 3; j++)
            assert_close(ucpo_instance_cost(ucpo_dataset_at(again, 0), i, j),
                         ucpo_instance_cost(ucpo_dataset_at(set, 0), i, j), 0.0, 0.0);
    ucpo_dataset_free(again);
    ucpo_dataset_free(set);
    free(text);
}

static void test_plain_names_all_that_it_loses(void **state)
{
    (void)state;
    ucpo_instance_data d = windows_only();
    d.cost = cost;
    d.duration = cost; /* the same again: nothing is lost */
    d.unit = 12;
    d.best_known = 3;
    ucpo_dataset *set = test_set_of(&d);
    struct test_log log;
    ucpo_write_config how = ucpo_write_config_default();
    how.hooks = test_log_hooks(&log);
    free(test_write_text(set, "plain", &how));
    assert_logged(&log, "the unit of length");
    assert_logged(&log, "the best known cost");
    assert_not_logged(&log, "coordinates");
    ucpo_dataset_free(set);
}

static void test_travel_times_of_their_own_were_dropped(void **state)
{
    (void)state;
    ucpo_instance_data d = windows_only();
    d.cost = cost;
    d.duration = toy_cost;
    assert_write_fails(&d, "plain", 0, "format plain has no travel times of their own");
    assert_write_fails(&d, "tsplib", 0, "format tsplib has no travel times of their own");
    d.cost = NULL;
    d.x = x;
    d.y = y;
    assert_write_fails(&d, "silva", 0, "format silva has no travel times of their own");
}

static void refuse_scale(const ucpo_instance_data *d, double scale, const char *part)
{
    ucpo_dataset *set = test_set_of(d);
    ucpo_write_config how = ucpo_write_config_default();
    how.format = "silva";
    how.scale = scale;
    char *bytes = NULL;
    size_t size = 0;
    ucpo_error err = {0};
    assert_int_equal(ucpo_write_bytes(set, &how, &bytes, &size, &err), UCPO_E_ARGUMENT);
    if (!strstr(err.text, part)) print_error("got: %s\n", err.text);
    assert_non_null(strstr(err.text, part));
    ucpo_dataset_free(set);
}

static void test_a_scale_that_ruins_the_instance_was_taken(void **state)
{
    (void)state;
    ucpo_instance_data d = windows_only();
    d.x = (const double[]){0, 30, 60};
    d.y = (const double[]){0, 40, 80};
    d.ready = (const double[]){0, 0, 0};
    d.due = (const double[]){400, 90, 140};
    d.service = (const double[]){0, 0.25, 0.25};
    refuse_scale(&d, 1.0, "every service time that is not 0 would become 0");
    refuse_scale(&d, 1e-3, "every coordinate x that is not 0 would become 0");
    refuse_scale(&d, 1e11, "scale 1e+11 is too large");
    refuse_scale(&d, 1e13, "expected a number 1e-06 .. 1e+12");
    refuse_scale(&d, 1e-7, "expected a number 1e-06 .. 1e+12");
    ucpo_dataset *set = test_set_of(&d);
    struct test_log log;
    ucpo_write_config how = ucpo_write_config_default();
    how.hooks = test_log_hooks(&log);
    how.scale = 10.0;
    free(test_write_text(set, "silva", &how));
    assert_logged(&log, "rounding to whole numbers changes values by up to 20 % (a service time)");
    ucpo_dataset_free(set);
}

static void test_a_matrix_of_many_coordinates_filled_the_disk(void **state)
{
    (void)state;

    enum { MANY = 5001 };

    double *zero = calloc(MANY, sizeof *zero);
    ucpo_instance_data d = ucpo_instance_data_default();
    d.problem = "tsptw";
    d.n = MANY;
    d.x = d.y = d.ready = d.due = zero;
    assert_write_fails(&d, "plain", 0, "5001 nodes would make a file of about 0.3 GB");
    free(zero);
}

static void test_plain_holds_no_other_problem_and_no_open_window(void **state)
{
    (void)state;
    ucpo_instance_data d = drafts(UCPO_DRAFT_UNLOAD);
    assert_write_fails(&d, "plain", 0, "format plain holds no tspdl instances");
    assert_write_fails(&d, "silva", 0, "format silva holds no tspdl instances");
    d = windows_only();
    d.cost = cost;
    assert_write_fails(&d, "rakke", 0, "format rakke holds no tsptw instances");
    d.due = (const double[]){1, 5, (double)INFINITY};
    assert_write_fails(&d, "plain", 0, "due of node 2 is infinite");
}

static void test_trailing_numbers_are_a_warning_or_an_error_under_strict(void **state)
{
    (void)state;
    static const char text[] = "2\n0 1\n1 0\n0 9\n0 9\n17 18\n";
    struct test_log log;
    ucpo_read_config options = ucpo_read_config_default();
    options.hooks = test_log_hooks(&log);
    ucpo_dataset *set = test_read_text(text, &options);
    assert_logged(&log, "warning: text:6: '17' and what follows");
    ucpo_dataset_free(set);
    options.strict = 1;
    set = NULL;
    ucpo_error err = {0};
    assert_int_equal(ucpo_read_bytes(text, strlen(text), "text", &options, &set, &err),
                     UCPO_E_FORMAT);
    assert_int_equal(err.line, 6);
}

static void test_malformed_plain_files_are_refused_with_line_and_reason(void **state)
{
    (void)state;
    static const struct test_bad cases[] = {
        {"", UCPO_E_FORMAT, 1, "file ends where number of nodes"},
        {"1\n0\n0 9\n", UCPO_E_FORMAT, 1, "'1', expected a whole number 2 .. 65536"},
        {"two\n", UCPO_E_FORMAT, 1, "'two'"},
        {"65536\n1 2 3\n", UCPO_E_FORMAT, 1, "needs 4295098368 numbers"},
        {"1e99\n1 2 3\n", UCPO_E_FORMAT, 1, "'1e99'"},
        {"2\n0 1\n1 0\n0 9\n0 \n", UCPO_E_FORMAT, 6, "file ends where latest time of node 1"},
        {"2\n0 1\n1 0\n0 9\n0 x\n", UCPO_E_FORMAT, 5, "latest time of node 1 is 'x'"},
        {"2\n0 -1\n1 0\n0 9\n0 9\n", UCPO_E_FORMAT, 2,
         "matrix entry from node 0 to node 1 is -1, expected a number >= 0"},
        {"2\n0 1\n1 0\n0 9\n9 0\n", UCPO_E_FORMAT, 5, "window of node 1 is [9, 0]"},
        {"2\n0 1\n1 0\n0 9\n0 9\n# Sum of service times: -3\n", UCPO_E_FORMAT, 6,
         "sum of service times is '-3'"},
        {"2\n0 1\n1 0\n0 9\n0 9\n# Sum of service times:\n", UCPO_E_FORMAT, 6,
         "sum of service times is ''"},
    };
    assert_refused("plain", cases, COUNT(cases));
}

static void test_a_cut_off_plain_file_is_still_recognised(void **state)
{
    (void)state;
    static const struct test_bad cases[] = {
        {"3\n0 1 2\n", UCPO_E_FORMAT, 1, "needs 15 numbers"},
    };
    assert_refused(NULL, cases, COUNT(cases));
}

/* ---- silva ---- */

static void test_reads_the_toy_silva_without_rounding(void **state)
{
    (void)state;
    struct test_log log;
    ucpo_read_config options = ucpo_read_config_default();
    options.hooks = test_log_hooks(&log);
    ucpo_dataset *set = test_read_data("toy_silva.txt", &options);
    const ucpo_instance_data *d = test_view(set);
    assert_string_equal(d->problem, "tsptw");
    assert_string_equal(d->name, "toy");
    assert_numbers(d->x, (double[]){0, 3, 6, 6}, 4);
    assert_numbers(d->due, (double[]){40, 9, 14, 22}, 4);
    assert_int_equal(d->rounding, UCPO_ROUND_NONE);
    assert_logged(&log, "distances are not rounded");
    assert_not_logged(&log, "warning");
    ucpo_dataset_free(set);
}

static void test_silva_uses_service_and_warns_about_demand(void **state)
{
    (void)state;
    struct test_log log;
    ucpo_read_config options = ucpo_read_config_default();
    options.hooks = test_log_hooks(&log);
    ucpo_dataset *set =
        test_read_text("!! a b\n1 0 0 0 0 9 3\n2 1 0 4 0 9 2\n999\nleft over\n", &options);
    assert_string_equal(test_view(set)->name, "a");
    assert_numbers(test_view(set)->service, (double[]){0, 2}, 2);
    assert_logged(&log, "demand 4 of id 2");
    assert_logged(&log, "service time 3 of the depot is ignored");
    assert_logged(&log, "warning: text:5: 'left' and what follows");
    ucpo_dataset_free(set);
}

static void test_silva_survives_a_round_trip(void **state)
{
    (void)state;
    ucpo_instance_data d = windows_only();
    d.name = "n3w1.001";
    d.x = x;
    d.y = y;
    d.service = service;
    assert_round_trip(&d, "silva");
    d.name = "";
    assert_round_trip(&d, "silva");
}

static void test_silva_refuses_a_matrix_other_metrics_and_too_many_nodes(void **state)
{
    (void)state;
    ucpo_instance_data d = windows_only();
    d.x = x;
    d.y = y;
    d.cost = cost;
    assert_write_fails(&d, "silva", 0, "come from a matrix");
    d.cost = NULL;
    d.metric = UCPO_METRIC_MANHATTAN;
    assert_write_fails(&d, "silva", 0, "Euclidean distances only");
    d.metric = UCPO_METRIC_EUCLID;
    d.rounding = UCPO_ROUND_DOWN;
    assert_write_fails(&d, "silva", 0, "format silva has exact distances only");
    d.rounding = UCPO_ROUND_NONE;
    d.name = "two words";
    assert_write_fails(&d, "silva", 1, "cannot carry the name");
    double *many = calloc(999, sizeof *many);
    assert_non_null(many);
    d.n = 999;
    d.x = d.y = d.ready = d.due = many;
    assert_write_fails(&d, "silva", 0, "999 nodes");
    free(many);
}

static void test_malformed_silva_files_are_refused_with_line_and_reason(void **state)
{
    (void)state;
    static const struct test_bad cases[] = {
        {"!! toy\n", UCPO_E_FORMAT, 2, "file ends where the row of id 1"},
        {"!! toy\n1 0 0 0 0 9\n", UCPO_E_FORMAT, 2, "row has 6 numbers, expected 7"},
        {"!! toy\n1 0 0 0 0 9 0 0\n", UCPO_E_FORMAT, 2, "row has 8 numbers"},
        {"!! toy\n2 0 0 0 0 9 0\n", UCPO_E_FORMAT, 2, "id is 2, expected 1"},
        {"!! toy\n1 0 0 0 0 9 0\n3 0 0 0 0 9 0\n", UCPO_E_FORMAT, 3, "id is 3, expected 2"},
        {"!! toy\n1 0 0 0 0 9 0\n2 0 b 0 0 9 0\n", UCPO_E_FORMAT, 3, "y is 'b', expected a finite"},
        {"!! toy\n1 0 0 0 0 9 0\n2 0 0 0 10 9 0\n", UCPO_E_FORMAT, 3, "window of id 2 is [10, 9]"},
        {"!! toy\n1 0 0 0 0 9 0\n2 0 0 0 0 9 -1\n", UCPO_E_FORMAT, 3, "service time of id 2 is -1"},
        {"!! toy\n1 0 0 0 0 9 0\n2 0 0 0 0 9 0\n", UCPO_E_FORMAT, 4,
         "file ends before the closing row with id 999"},
        {"!! toy\n999\n", UCPO_E_FORMAT, 0, "n is 0"},
        {"!! toy\n1 0 0 0 0 9 0\n999\n", UCPO_E_FORMAT, 0, "n is 1"},
    };
    assert_refused("silva", cases, COUNT(cases));
}

/* ---- rakke ---- */

static void test_reads_the_toy_rakke_and_ignores_the_diagonal(void **state)
{
    (void)state;
    ucpo_dataset *set = test_read_data("toy_rakke.txt", NULL);
    const ucpo_instance_data *d = test_view(set);
    assert_string_equal(d->problem, "tspdl");
    assert_int_equal(d->draft, UCPO_DRAFT_UNLOAD);
    assert_numbers(d->cost, toy_cost, 16);
    assert_numbers(d->demand, (double[]){0, 1, 1, 1}, 4);
    assert_numbers(d->limit, (double[]){3, 2, 3, 1}, 4);
    assert_close(d->best_known, 24.0, 0.0, 0.0);
    ucpo_dataset_free(set);
}

static void test_rakke_may_lack_the_optimum_if_the_format_is_named(void **state)
{
    (void)state;
    ucpo_read_config options = ucpo_read_config_default();
    options.format = "rakke";
    ucpo_dataset *set = test_read_text("2\n1 5\n5 1\n0 1\n1 1\n", &options);
    assert_true(isnan(test_view(set)->best_known));
    ucpo_dataset_free(set);
    set = test_read_text("2\n1 5\n5 1\n0 1\n1 1\n-1\n", NULL);
    assert_string_equal(test_view(set)->problem, "tspdl");
    assert_true(isnan(test_view(set)->best_known));
    ucpo_dataset_free(set);
}

static void test_rakke_survives_a_round_trip(void **state)
{
    (void)state;
    ucpo_instance_data d = drafts(UCPO_DRAFT_UNLOAD);
    assert_round_trip(&d, "rakke");
    d.best_known = 17.5;
    assert_round_trip(&d, "rakke");
}

static void test_rakke_writes_a_loading_instance_as_its_mirror(void **state)
{
    (void)state;
    ucpo_instance_data d = drafts(UCPO_DRAFT_LOAD);
    assert_write_fails(&d, "rakke", 1, "tours of the file must be reversed");
    ucpo_dataset *set = test_set_of(&d);
    char *text = test_write_text(set, "rakke", NULL);
    ucpo_dataset *again = test_read_text(text, NULL);
    ucpo_instance *mirror = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_instance_mirror(ucpo_dataset_at(set, 0), &mirror, &err), &err);
    assert_same_instance(test_view(again), ucpo_instance_view(mirror));
    ucpo_instance_free(mirror);
    ucpo_dataset_free(again);
    ucpo_dataset_free(set);
    free(text);
}

static void test_rakke_refuses_fractional_loads_and_negative_optima(void **state)
{
    (void)state;
    ucpo_instance_data d = drafts(UCPO_DRAFT_UNLOAD);
    d.best_known = -2;
    assert_write_fails(&d, "rakke", 1, "best known cost -2");
    d.demand = (const double[]){0, 0.5, 1};
    assert_write_fails(&d, "rakke", 0, "demand of node 1 is 0.5");
}

static void test_malformed_rakke_files_are_refused_with_line_and_reason(void **state)
{
    (void)state;
    static const struct test_bad cases[] = {
        {"0\n", UCPO_E_FORMAT, 1, "number of ports (the depot included) is '0'"},
        {"2\n1 5\n", UCPO_E_FORMAT, 1, "needs 8 numbers"},
        {"2\n1 -5\n5 1\n0 1\n1 1\n", UCPO_E_FORMAT, 2, "from port 0 to port 1 is -5"},
        {"2\n1 5\n5 1\n0 1.5\n1 1\n", UCPO_E_FORMAT, 4,
         "demand of port 1 is 1.5, expected a whole number >= 0"},
        {"2\n1 5\n5 1\n0 1\n1 -1\n", UCPO_E_FORMAT, 5, "draft limit of port 1 is -1"},
        {"2\n1 5\n5 1\n0 1\n1 1\nbest\n", UCPO_E_FORMAT, 6, "best known cost is 'best'"},
        {"2\n1 5\n5 1\n1 1\n1 1\n", UCPO_E_FORMAT, 0, "demand of the depot is 1, expected 0"},
    };
    assert_refused("rakke", cases, COUNT(cases));
}

/* ---- detection ---- */

static void test_plain_and_rakke_were_told_apart_by_counting_only(void **state)
{
    (void)state;
    static const struct test_bad cases[] = {
        /* windows, and one number too many */
        {"3\n0 1 2\n1 0 1\n2 1 0\n5 9.5\n1 2\n3 4\n7\n", UCPO_E_FORMAT, 0,
         "it may be a plain file (TSPTW) with one number too many"},
        /* loads without the optimum */
        {"3\n0 1 2\n1 0 1\n2 1 0\n0 4 3\n2 9 9\n", UCPO_E_FORMAT, 0,
         "it may be a rakke file (TSPDL) without the optimum"},
    };

    assert_refused(NULL, cases, sizeof cases / sizeof cases[0]);
    struct test_log log;
    ucpo_read_config options = ucpo_read_config_default();
    options.hooks = test_log_hooks(&log);
    ucpo_dataset_free(test_read_text("2\n0 1\n1 0\n0 9\n1 9\n", &options));
    assert_logged(&log, "read as plain (TSPTW)");
}

static void test_one_number_more_tells_rakke_from_plain(void **state)
{
    (void)state;
    ucpo_dataset *set = test_read_text("2\n0 5\n5 0\n0 1\n1 1\n", NULL);
    assert_string_equal(test_view(set)->problem, "tsptw");
    ucpo_dataset_free(set);
    set = test_read_text("2\n0 5\n5 0\n0 1\n# 99 remarks do not count\n1 1\n10\n", NULL);
    assert_string_equal(test_view(set)->problem, "tspdl");
    ucpo_dataset_free(set);
}

static void test_scaling_plain_and_silva_gives_whole_numbers(void **state)
{
    (void)state;
    ucpo_instance_data d = windows_only();
    d.x = x;
    d.y = y;
    d.due = (const double[]){4.04, 0.16, 7};
    ucpo_dataset *set = test_set_of(&d);
    ucpo_write_config how = ucpo_write_config_default();
    how.scale = 10.0;
    static const char *const formats[] = {"plain", "silva"};
    for (size_t k = 0; k < 2; k++) {
        char *text = test_write_text(set, formats[k], &how);
        ucpo_dataset *again = test_read_text(text, NULL);
        assert_numbers(test_view(again)->due, (double[]){40, 2, 70}, 3);
        ucpo_dataset_free(again);
        free(text);
    }
    ucpo_dataset_free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_the_toy_plain),
        cmocka_unit_test(test_plain_is_real_asymmetric_and_free_of_line_breaks),
        cmocka_unit_test(test_plain_survives_a_round_trip),
        cmocka_unit_test(test_plain_folds_service_into_the_rows_and_says_so),
        cmocka_unit_test(test_plain_turns_coordinates_into_a_matrix_with_a_warning),
        cmocka_unit_test(test_plain_names_all_that_it_loses),
        cmocka_unit_test(test_travel_times_of_their_own_were_dropped),
        cmocka_unit_test(test_a_scale_that_ruins_the_instance_was_taken),
        cmocka_unit_test(test_a_matrix_of_many_coordinates_filled_the_disk),
        cmocka_unit_test(test_plain_holds_no_other_problem_and_no_open_window),
        cmocka_unit_test(test_trailing_numbers_are_a_warning_or_an_error_under_strict),
        cmocka_unit_test(test_malformed_plain_files_are_refused_with_line_and_reason),
        cmocka_unit_test(test_a_cut_off_plain_file_is_still_recognised),
        cmocka_unit_test(test_reads_the_toy_silva_without_rounding),
        cmocka_unit_test(test_silva_uses_service_and_warns_about_demand),
        cmocka_unit_test(test_silva_survives_a_round_trip),
        cmocka_unit_test(test_silva_refuses_a_matrix_other_metrics_and_too_many_nodes),
        cmocka_unit_test(test_malformed_silva_files_are_refused_with_line_and_reason),
        cmocka_unit_test(test_reads_the_toy_rakke_and_ignores_the_diagonal),
        cmocka_unit_test(test_rakke_may_lack_the_optimum_if_the_format_is_named),
        cmocka_unit_test(test_rakke_survives_a_round_trip),
        cmocka_unit_test(test_rakke_writes_a_loading_instance_as_its_mirror),
        cmocka_unit_test(test_rakke_refuses_fractional_loads_and_negative_optima),
        cmocka_unit_test(test_malformed_rakke_files_are_refused_with_line_and_reason),
        cmocka_unit_test(test_one_number_more_tells_rakke_from_plain),
        cmocka_unit_test(test_plain_and_rakke_were_told_apart_by_counting_only),
        cmocka_unit_test(test_scaling_plain_and_silva_gives_whole_numbers),
    };
    return cmocka_run_group_tests_name("plain", tests, NULL, NULL);
}
