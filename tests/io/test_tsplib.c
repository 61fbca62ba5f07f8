/* The TSPLIB family: grammar, conventions, traps, refusals, round trips. */
#include "support/random_instance.h"
#include "support/same.h"
#include "support/text_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

/* Parts the tests put together. */
#define COORDS  "NODE_COORD_SECTION\n1 0 0\n2 3 4\n3 6 8\n"
#define WINDOWS "TIME_WINDOW_SECTION\n1 0 40\n2 4 9\n3 8 14\n"
#define HEAD    "TYPE : TSPTW\nDIMENSION : 3\nEDGE_WEIGHT_TYPE : EUC_2D\n"
#define MATRIX_HEAD                                                                                \
    "TYPE : TSPTW\nDIMENSION : 3\nEDGE_WEIGHT_TYPE : EXPLICIT\nEDGE_WEIGHT_FORMAT : FULL_MATRIX\n"

static const double toy_cost[16] = {0, 5, 10, 6, 5, 0, 5, 5, 10, 5, 0, 8, 6, 5, 8, 0};

static void assert_numbers(const double *actual, const double *expected, size_t count)
{
    assert_non_null(actual);
    for (size_t i = 0; i < count; i++) assert_close(actual[i], expected[i], 0.0, 0.0);
}

/* ---- the toys of the three types ---- */

static void test_reads_the_toy_tsptw(void **state)
{
    (void)state;
    ucpo_dataset *set = test_read_data("toy.tsptw", NULL);
    const ucpo_instance_data *d = test_view(set);
    assert_string_equal(d->problem, "tsptw");
    assert_string_equal(d->name, "toy");
    assert_int_equal(d->n, 4);
    assert_numbers(d->cost, toy_cost, 16);
    assert_numbers(d->ready, (double[]){0, 4, 8, 15}, 4);
    assert_numbers(d->due, (double[]){40, 9, 14, 22}, 4);
    assert_null(d->x);
    assert_null(d->service);
    ucpo_dataset_free(set);
}

static void test_reads_the_toy_tspdl_as_unloading(void **state)
{
    (void)state;
    ucpo_dataset *set = test_read_data("toy.tspdl", NULL);
    const ucpo_instance_data *d = test_view(set);
    assert_string_equal(d->problem, "tspdl");
    assert_int_equal(d->draft, UCPO_DRAFT_UNLOAD);
    assert_numbers(d->demand, (double[]){0, 1, 1, 1}, 4);
    assert_numbers(d->limit, (double[]){3, 2, 3, 1}, 4);
    assert_close(ucpo_instance_cost(ucpo_dataset_at(set, 0), 0, 2), 10.0, 0.0, 0.0);
    ucpo_dataset_free(set);
}

static void test_vehicles_of_a_cvrptw_is_a_limit(void **state)
{
    (void)state;
    ucpo_dataset *set = test_read_data("toy.cvrptw", NULL);
    const ucpo_instance_data *d = test_view(set);
    assert_string_equal(d->problem, "cvrptwlv");
    assert_int_equal(d->vehicles, 2);
    assert_close(d->capacity, 10.0, 0.0, 0.0);
    assert_numbers(d->service, (double[]){0, 1, 1, 1}, 4);
    ucpo_dataset_free(set);
    ucpo_read_config options = ucpo_read_config_default();
    options.vehicles = -1;
    set = test_read_data("toy.cvrptw", &options);
    assert_string_equal(test_view(set)->problem, "cvrptw");
    ucpo_dataset_free(set);
}

static void test_a_cvrptw_without_vehicles_has_an_unlimited_fleet(void **state)
{
    (void)state;
    ucpo_dataset *set = test_read_text(
        "TYPE : VRPTW\nDIMENSION : 3\nCAPACITY : 2\nEDGE_WEIGHT_TYPE : EUC_2D\n" COORDS WINDOWS
        "DEMAND_SECTION\n1 0\n2 1\n3 1\n",
        NULL);
    assert_string_equal(test_view(set)->problem, "cvrptw");
    assert_int_equal(test_view(set)->vehicles, 0);
    ucpo_dataset_free(set);
}

static void test_salesmen_is_a_synonym_of_vehicles(void **state)
{
    (void)state;
    ucpo_dataset *set =
        test_read_text("TYPE : CVRPTW\nSALESMEN : 3\nDIMENSION : 3\nCAPACITY : 2\nEDGE_WEIGHT_TYPE "
                       ": EUC_2D\n" COORDS WINDOWS "DEMAND_SECTION\n1 0\n2 1\n3 1\n",
                       NULL);
    assert_int_equal(test_view(set)->vehicles, 3);
    ucpo_dataset_free(set);
}

/* ---- grammar ---- */

static void test_accepts_bom_crlf_equals_blank_lower_case_and_no_eof(void **state)
{
    (void)state;
    ucpo_dataset *set = test_read_text("\xEF\xBB\xBFname=Odd One\r\ntype TSPTW\r\n"
                                       "dimension\t3\r\nEdge_Weight_Type = euc_2d\r\n\r\n" COORDS
                                       "time_window_section:\r\n1 0 40\r\n2 4 9\r\n3 8 14\r\n",
                                       NULL);
    assert_string_equal(test_view(set)->name, "Odd One");
    assert_int_equal(test_view(set)->n, 3);
    ucpo_dataset_free(set);
}

static void test_line_breaks_and_comments_inside_data_mean_nothing(void **state)
{
    (void)state;
    ucpo_dataset *set = test_read_text(
        HEAD "# remark\nTIME_WINDOW_SECTION : 1 0\n40 3 8 14\n# in between\n\n2\n4\n9 "
             "NODE_COORD_SECTION 1 0 0 2 3 4\n3 6\n8\n-1\nDEPOT_SECTION 1\nEOF\n",
        NULL);
    assert_numbers(test_view(set)->due, (double[]){40, 9, 14}, 3);
    assert_numbers(test_view(set)->y, (double[]){0, 4, 8}, 3);
    ucpo_dataset_free(set);
}

static void test_every_weight_format_gives_the_same_matrix(void **state)
{
    (void)state;

    static const struct {
        const char *name, *data;
    } forms[] = {
        {"FULL_MATRIX", "0 1 2 3  1 0 4 5  2 4 0 6  3 5 6 0"},
        {"UPPER_ROW", "1 2 3  4 5  6"},
        {"LOWER_ROW", "1  2 4  3 5 6"},
        {"UPPER_DIAG_ROW", "0 1 2 3  0 4 5  0 6  0"},
        {"LOWER_DIAG_ROW", "0  1 0  2 4 0  3 5 6 0"},
        {"UPPER_COL", "1  2 4  3 5 6"},
        {"LOWER_COL", "1 2 3  4 5  6"},
        {"UPPER_DIAG_COL", "0  1 0  2 4 0  3 5 6 0"},
        {"LOWER_DIAG_COL", "0 1 2 3  0 4 5  0 6  0"},
    };

    static const double expected[16] = {0, 1, 2, 3, 1, 0, 4, 5, 2, 4, 0, 6, 3, 5, 6, 0};

    for (size_t k = 0; k < COUNT(forms); k++) {
        char text[512];
        snprintf(text, sizeof text,
                 "TYPE : TSPTW\nDIMENSION : 4\nEDGE_WEIGHT_TYPE : EXPLICIT\n"
                 "EDGE_WEIGHT_FORMAT : %s\nEDGE_WEIGHT_SECTION\n%s\n"
                 "TIME_WINDOW_SECTION\n1 0 9\n2 0 9\n3 0 9\n4 0 9\nEOF\n",
                 forms[k].name, forms[k].data);
        ucpo_dataset *set = test_read_text(text, NULL);
        assert_numbers(test_view(set)->cost, expected, 16);
        ucpo_dataset_free(set);
    }
}

static void test_a_matrix_without_weight_type_is_explicit(void **state)
{
    (void)state; /* some published TSPTW files are so */
    ucpo_dataset *set = test_read_text(
        "TYPE : TSPTW\nDIMENSION : 3\nEDGE_WEIGHT_FORMAT : FULL_MATRIX\nEDGE_WEIGHT_SECTION\n"
        "0 1 2 3 0 4 5 6 0\n" WINDOWS,
        NULL);
    assert_close(test_view(set)->cost[3], 3.0, 0.0, 0.0);
    ucpo_dataset_free(set);
}

static void test_coordinates_beside_a_matrix_are_kept_and_costs_come_from_the_matrix(void **state)
{
    (void)state;
    static const char *const sections[] = {"NODE_COORD_SECTION", "DISPLAY_DATA_SECTION"};
    for (size_t k = 0; k < 2; k++) {
        char text[512];
        snprintf(text, sizeof text,
                 MATRIX_HEAD "EDGE_WEIGHT_SECTION\n0 1 2 3 0 4 5 6 0\n" WINDOWS
                             "%s\n1 0 0\n2 3 4\n3 6 8\n",
                 sections[k]);
        ucpo_dataset *set = test_read_text(text, NULL);
        assert_numbers(test_view(set)->x, (double[]){0, 3, 6}, 3);
        assert_close(ucpo_instance_cost(ucpo_dataset_at(set, 0), 1, 0), 3.0, 0.0, 0.0);
        ucpo_dataset_free(set);
    }
}

static void test_weight_types_follow_tsplib(void **state)
{
    (void)state;

    static const struct {
        const char *type;
        double length; /* between (0, 0) and (1.5, 2.3): 2.745... */
    } types[] = {{"EUC_2D", 3}, {"CEIL_2D", 3}, {"FLOOR_2D", 2}, {"EXACT_2D", 2746},
                 {"MAN_2D", 4}, {"MAX_2D", 2},  {"ATT", 1}};

    for (size_t k = 0; k < COUNT(types); k++) {
        char text[256];
        snprintf(text, sizeof text,
                 "TYPE:TSPTW\nDIMENSION:2\nEDGE_WEIGHT_TYPE:%s\nNODE_COORD_SECTION\n1 0 0\n"
                 "2 1.5 2.3\nTIME_WINDOW_SECTION\n1 0 9\n2 0 9\n",
                 types[k].type);
        ucpo_dataset *set = test_read_text(text, NULL);
        assert_close(ucpo_instance_cost(ucpo_dataset_at(set, 0), 0, 1), types[k].length, 0.0, 0.0);
        ucpo_dataset_free(set);
    }
}

static void test_decimal_degrees_in_a_geo_file_are_noticed(void **state)
{
    (void)state;
    static const char *const text =
        "TYPE:TSPTW\nDIMENSION:2\nEDGE_WEIGHT_TYPE:GEO\nNODE_COORD_SECTION\n"
        "1 48.59 2.30\n2 %s\nTIME_WINDOW_SECTION\n1 0 9\n2 0 9\nEOF\n";
    for (int is_decimal = 0; is_decimal < 2; is_decimal++) {
        char file[256];
        snprintf(file, sizeof file, text, is_decimal ? "48.8566 2.3522" : "48.5959 2.3522");
        struct test_log log;
        ucpo_read_config options = ucpo_read_config_default();
        options.hooks = test_log_hooks(&log);
        ucpo_dataset_free(test_read_text(file, &options));
        if (is_decimal)
            assert_logged(&log, "1 of 2 nodes have 60 minutes or more (node 1: 48.8566 2.3522)");
        else
            assert_not_logged(&log, "minutes");
    }
}

static void test_a_file_cut_off_in_its_last_number_passed_without_a_word(void **state)
{
    (void)state;
    static const char text[] = HEAD COORDS "TIME_WINDOW_SECTION\n1 0 40\n2 4 9\n3 8 1400";
    static const char whole[] = HEAD COORDS WINDOWS;
    struct test_log log;
    ucpo_read_config options = ucpo_read_config_default();
    options.hooks = test_log_hooks(&log);
    ucpo_dataset_free(test_read_text(text, &options));
    assert_logged(&log, "there is no EOF line and the last line does not end: the file may be cut");
    options.hooks = test_log_hooks(&log);
    ucpo_dataset_free(test_read_text(whole, &options));
    assert_logged(&log, "there is no EOF line");
    assert_not_logged(&log, "cut off");
    options.strict = 1;
    ucpo_dataset *set = NULL;
    ucpo_error err = {0};
    assert_int_equal(ucpo_read_bytes(whole, strlen(whole), "text", &options, &set, &err),
                     UCPO_E_FORMAT);
}

/* ---- traps ---- */

static void test_euc_2d_is_rounded_unless_asked_otherwise(void **state)
{
    (void)state;
    static const char text[] = HEAD "NODE_COORD_SECTION\n1 0 0\n2 1 1\n3 2 2\n" WINDOWS "EOF\n";
    struct test_log log;
    ucpo_read_config options = ucpo_read_config_default();
    options.hooks = test_log_hooks(&log);
    ucpo_dataset *set = test_read_text(text, &options);
    assert_close(ucpo_instance_cost(ucpo_dataset_at(set, 0), 0, 1), 1.0, 0.0, 0.0);
    assert_logged(&log, "info: text: EUC_2D distances are used with rounding 'nearest'");
    assert_not_logged(&log, "warning");
    ucpo_dataset_free(set);
    options.rounding = UCPO_ROUND_NONE;
    options.hooks = test_log_hooks(&log);
    set = test_read_text(text, &options);
    assert_close(ucpo_instance_cost(ucpo_dataset_at(set, 0), 0, 1), sqrt(2.0), 1e-15, 0.0);
    assert_logged(&log, "rounding 'none' (as asked for)");
    ucpo_dataset_free(set);
}

static void test_service_times_of_a_tsptw_are_used_with_a_warning_about_lkh(void **state)
{
    (void)state;
    struct test_log log;
    ucpo_read_config options = ucpo_read_config_default();
    options.hooks = test_log_hooks(&log);
    ucpo_dataset *set = test_read_text(HEAD "SERVICE_TIME : 2.5\n" COORDS WINDOWS, &options);
    assert_numbers(test_view(set)->service, (double[]){0, 2.5, 2.5}, 3);
    assert_logged(&log, "warning: text: service times are used, but LKH ignores them");
    ucpo_dataset_free(set);
}

static void test_service_at_the_depot_is_ignored_with_a_warning(void **state)
{
    (void)state;
    struct test_log log;
    ucpo_read_config options = ucpo_read_config_default();
    options.hooks = test_log_hooks(&log);
    ucpo_dataset *set = test_read_text(
        HEAD "SERVICE_TIME : 9\n" COORDS WINDOWS "SERVICE_TIME_SECTION\n1 5\n2 0\n3 0\n", &options);
    assert_null(test_view(set)->service);
    assert_logged(&log, "service time 5 of the depot is ignored");
    assert_logged(&log, "SERVICE_TIME_SECTION replaces it");
    ucpo_dataset_free(set);
}

static void test_a_depot_that_is_not_node_1_becomes_node_0(void **state)
{
    (void)state;
    struct test_log log;
    ucpo_read_config options = ucpo_read_config_default();
    options.hooks = test_log_hooks(&log);
    ucpo_dataset *set =
        test_read_text(MATRIX_HEAD "EDGE_WEIGHT_SECTION\n0 12 13\n21 0 23\n31 32 0\n" WINDOWS
                                   "DEPOT_SECTION\n3\n-1\nEOF\n",
                       &options);
    assert_numbers(test_view(set)->ready, (double[]){8, 0, 4}, 3);
    assert_numbers(test_view(set)->cost, (double[]){0, 31, 32, 13, 0, 12, 23, 21, 0}, 9);
    assert_logged(&log, "warning: text:13: the depot is node 3 of the file");
    ucpo_dataset_free(set);
}

static void test_the_order_of_a_file_with_another_depot_comes_back(void **state)
{
    (void)state;
    static const char matrix[] = "EDGE_WEIGHT_SECTION\n0 12 13\n21 0 23\n31 32 0\n";
    ucpo_dataset *set =
        test_read_text(MATRIX_HEAD "EDGE_WEIGHT_SECTION\n0 12 13\n21 0 23\n31 32 0\n" WINDOWS
                                   "DEPOT_SECTION\n3\n-1\nEOF\n",
                       NULL);
    assert_int_equal(test_view(set)->file->depot, 2);
    static const char *const formats[] = {"tsplib", "json"};
    for (size_t k = 0; k < COUNT(formats); k++) {
        char *text = test_write_text(set, formats[k], NULL);
        if (k == 0) {
            assert_non_null(strstr(text, matrix));
            assert_non_null(strstr(text, WINDOWS));
            assert_non_null(strstr(text, "DEPOT_SECTION\n3\n-1\n"));
        }
        ucpo_dataset *back = test_read_text(text, NULL);
        assert_same_instance(test_view(set), test_view(back));
        ucpo_dataset_free(back);
        free(text);
    }
    struct test_log log;
    ucpo_write_config options = ucpo_write_config_default();
    options.hooks = test_log_hooks(&log);
    free(test_write_text(set, "plain", &options));
    assert_logged(&log, "cannot carry the numbering of the source file");
    ucpo_dataset_free(set);
}

static void test_global_service_time_spares_the_renumbered_depot(void **state)
{
    (void)state;
    ucpo_dataset *set =
        test_read_text(HEAD "SERVICE_TIME : 2\n" COORDS WINDOWS "DEPOT_SECTION\n2\n-1\n", NULL);
    assert_numbers(test_view(set)->service, (double[]){0, 2, 2}, 3);
    assert_numbers(test_view(set)->x, (double[]){3, 0, 6}, 3);
    ucpo_dataset_free(set);
}

static void test_a_misspelt_keyword_relaxed_the_instance(void **state)
{
    (void)state;
    static const struct test_bad cases[] = {
        {"VEHICELS : 2\n" HEAD COORDS WINDOWS "EOF\n", UCPO_E_FORMAT, 1,
         "VEHICELS is not known, did you mean VEHICLES?"},
        {"SERVICETIME : 2\n" HEAD COORDS WINDOWS "EOF\n", UCPO_E_FORMAT, 1,
         "did you mean SERVICE_TIME?"},
        {HEAD COORDS "TIME_WINDOWS_SECTION\n1 0 40\n2 4 9\n3 8 14\nEOF\n", UCPO_E_UNSUPPORTED, 8,
         "did you mean TIME_WINDOW_SECTION?"},
        {"COMMENT : ucpo tolerence=1\n" HEAD COORDS WINDOWS "EOF\n", UCPO_E_FORMAT, 1,
         "did you mean 'tolerance'?"},
    };

    assert_refused("tsplib", cases, COUNT(cases));
    struct test_log log;
    ucpo_read_config options = ucpo_read_config_default();
    options.hooks = test_log_hooks(&log);
    options.ignore_unsupported = 1;
    ucpo_dataset *set = test_read_text(cases[1].text, &options);
    assert_logged(&log, "warning: text:1: key SERVICETIME is not known");
    ucpo_dataset_free(set);
}

static void test_unknown_keys_are_warnings_and_errors_under_strict(void **state)
{
    (void)state;
    static const char text[] = "MAKESPAN : YES\n" HEAD COORDS WINDOWS "EOF\n junk\n";
    struct test_log log;
    ucpo_read_config options = ucpo_read_config_default();
    options.hooks = test_log_hooks(&log);
    ucpo_dataset *set = test_read_text(text, &options);
    assert_logged(&log, "warning: text:1: key MAKESPAN is not known");
    assert_logged(&log, "warning: text:14: 'junk' and what follows");
    ucpo_dataset_free(set);
    options.strict = 1;
    set = NULL;
    ucpo_error err = {0};
    assert_int_equal(ucpo_read_bytes(text, strlen(text), "text", &options, &set, &err),
                     UCPO_E_FORMAT);
    assert_int_equal(err.line, 1);
    assert_null(set);
}

static void
test_sections_that_would_relax_the_instance_are_refused_or_skipped_on_request(void **state)
{
    (void)state;
    static const char *const parts[] = {
        "RELEASE_TIME_SECTION\n1 0\n2 5\n3 5\n",
        "PRIZE_SECTION\n1 0\n2 5\n3 5\n",
        "CAPACITY_SECTION\n1 7\n",
        "BACKHAUL_SECTION\n2\n-1\n",
        "VEHICLES_MAX_DURATION : 20\n",
        "DISTANCE : 100\n",
        "SOMETHING_NEW_SECTION\n1 2 3\n",
        "DEMAND_SECTION\n1 0\n2 1\n3 1\n",
        "CAPACITY : 5\n",
        "VEHICLES : 2\n",
    };

    for (size_t k = 0; k < COUNT(parts); k++) {
        char text[512];
        snprintf(text, sizeof text, HEAD COORDS "%s" WINDOWS, parts[k]);
        ucpo_dataset *set = NULL;
        ucpo_error err = {0};
        assert_int_equal(ucpo_read_bytes(text, strlen(text), "text", NULL, &set, &err),
                         UCPO_E_UNSUPPORTED);
        assert_int_equal(err.line, 8);
        assert_non_null(strstr(err.text, "the instance would be "));
        struct test_log log = {0};
        ucpo_read_config options = ucpo_read_config_default();
        options.hooks = test_log_hooks(&log);
        options.ignore_unsupported = 1;
        set = test_read_text(text, &options);
        assert_logged(&log, "warning: text:8: ");
        assert_true(ucpo_instance_reading(ucpo_dataset_at(set, 0)) != UCPO_READ_WHOLE);
        assert_string_equal(test_view(set)->problem, "tsptw");
        ucpo_dataset_free(set);
    }
}

static void test_problem_option_decides_where_type_is_missing(void **state)
{
    (void)state;
    static const char text[] = "DIMENSION : 3\nEDGE_WEIGHT_TYPE : EUC_2D\n" COORDS WINDOWS;
    ucpo_read_config options = ucpo_read_config_default();
    options.problem = "tsptw";
    ucpo_dataset *set = test_read_text(text, &options);
    assert_string_equal(test_view(set)->problem, "tsptw");
    ucpo_dataset_free(set);
}

static void test_optimum_in_a_comment_is_the_best_known_cost(void **state)
{
    (void)state;
    ucpo_dataset *set = test_read_text(
        "COMMENT : (Someone et al, No of trucks: 5, Optimal value: 784)\n" HEAD COORDS WINDOWS,
        NULL);
    assert_close(test_view(set)->best_known, 784.0, 0.0, 0.0);
    ucpo_dataset_free(set);
}

/* ---- malformed input ---- */

static void test_malformed_files_are_refused_with_line_and_reason(void **state)
{
    (void)state;
    static const struct test_bad cases[] = {
        {"TYPE : TOUR\n", UCPO_E_UNSUPPORTED, 1, "TYPE is 'TOUR', expected TSPTW"},
        {"TYPE : TSPTW\nDIMENSION : 1\n", UCPO_E_FORMAT, 2, "expected a whole number 2 .. 65536"},
        {"TYPE : TSPTW\nDIMENSION : 65537\n", UCPO_E_FORMAT, 2, "'65537'"},
        {"TYPE : TSPTW\nDIMENSION : 2.5\n", UCPO_E_FORMAT, 2, "'2.5'"},
        {"TYPE : TSPTW\nDIMENSION : four\n", UCPO_E_FORMAT, 2, "'four'"},
        {"TYPE : TSPTW\nDIMENSION : 3\nDIMENSION : 3\n", UCPO_E_FORMAT, 3,
         "given again (first on line 2)"},
        {"TYPE : TSPTW\n" COORDS, UCPO_E_FORMAT, 2, "DIMENSION must come before"},
        {"TYPE : TSPTW\n", UCPO_E_FORMAT, 0, "DIMENSION is missing"},
        {"DIMENSION : 3\n", UCPO_E_FORMAT, 0, "TYPE is missing"},
        {HEAD COORDS, UCPO_E_FORMAT, 0, "TIME_WINDOW_SECTION is missing"},
        {HEAD WINDOWS, UCPO_E_FORMAT, 3, "NODE_COORD_SECTION is missing"},
        {"TYPE : TSPTW\nDIMENSION : 3\n" WINDOWS, UCPO_E_FORMAT, 0, "EDGE_WEIGHT_TYPE is missing"},
        {"EDGE_WEIGHT_TYPE : GEOM\n", UCPO_E_UNSUPPORTED, 1, "'GEOM', expected EXPLICIT"},
        {"EDGE_WEIGHT_TYPE : EUC_3D\n", UCPO_E_UNSUPPORTED, 1, "'EUC_3D'"},
        {"EDGE_WEIGHT_FORMAT : DIAGONAL\n", UCPO_E_UNSUPPORTED, 1, "'DIAGONAL', expected FULL"},
        {"NODE_COORD_TYPE : THREED_COORDS\n", UCPO_E_UNSUPPORTED, 1, "THREED_COORDS"},
        {HEAD "NODE_COORD_SECTION\n1 0 0\n2 3 4\n2 6 8\n", UCPO_E_FORMAT, 7,
         "NODE_COORD_SECTION: node 2 is given twice"},
        {HEAD "NODE_COORD_SECTION\n1 0 0\n2 3 4\n4 6 8\n", UCPO_E_FORMAT, 7,
         "NODE_COORD_SECTION: node id is '4', expected a whole number 1 .. 3"},
        {HEAD "NODE_COORD_SECTION\n0 0 0\n1 3 4\n2 6 8\n", UCPO_E_FORMAT, 5, "node id is '0'"},
        {HEAD "NODE_COORD_SECTION\n1 0 0\n3 3 4\n" WINDOWS, UCPO_E_FORMAT, 7,
         "ends at 'TIME_WINDOW_SECTION' after 2 of 3 nodes: node 2 is missing"},
        {HEAD "NODE_COORD_SECTION\n1 0 zero\n2 3 4\n3 6 8\n", UCPO_E_FORMAT, 5,
         "NODE_COORD_SECTION: y of node 1 is 'zero', expected a finite number"},
        {HEAD "NODE_COORD_SECTION\n1 0 1e999\n2 3 4\n3 6 8\n", UCPO_E_FORMAT, 5, "'1e999'"},
        {HEAD COORDS "4 1 1\n", UCPO_E_FORMAT, 8, "more numbers than DIMENSION allows"},
        {HEAD COORDS "TIME_WINDOW_SECTION\n1 0 40\n2 9 4\n3 8 14\n", UCPO_E_FORMAT, 10,
         "window of node 2 is [9, 4], expected earliest <= latest"},
        {HEAD COORDS WINDOWS COORDS, UCPO_E_FORMAT, 12, "NODE_COORD_SECTION is given again"},
        {HEAD COORDS WINDOWS "SERVICE_TIME_SECTION\n1 0\n2 -1\n3 0\n", UCPO_E_FORMAT, 14,
         "service time of node 2 is -1, expected a number >= 0"},
        {HEAD COORDS WINDOWS "DEPOT_SECTION\n1\n2\n-1\n", UCPO_E_UNSUPPORTED, 14,
         "depots 1 and 2, but only one depot"},
        {HEAD COORDS WINDOWS "DEPOT_SECTION\n-1\n", UCPO_E_FORMAT, 13, "DEPOT_SECTION is empty"},
        {HEAD COORDS WINDOWS "DEPOT_SECTION\n9\n-1\n", UCPO_E_FORMAT, 13, "'9'"},
        {MATRIX_HEAD WINDOWS, UCPO_E_FORMAT, 3, "EDGE_WEIGHT_SECTION is missing"},
        {MATRIX_HEAD "EDGE_WEIGHT_SECTION\n0 1 2\n1 0 -2\n1 1 0\n", UCPO_E_FORMAT, 7,
         "weight from node 2 to node 3 is -2, expected a number >= 0"},
        {MATRIX_HEAD "EDGE_WEIGHT_SECTION\n0 1 2\n1 0 2\n1 1\n" WINDOWS, UCPO_E_FORMAT, 9,
         "weight from node 3 to node 3 is 'TIME_WINDOW_SECTION'"},
        {MATRIX_HEAD "EDGE_WEIGHT_SECTION\n0 1 2\n", UCPO_E_FORMAT, 5, "needs 9 numbers"},
        {"TYPE : TSPTW\nDIMENSION : 65536\nEDGE_WEIGHT_FORMAT : UPPER_ROW\nEDGE_WEIGHT_SECTION\n1",
         UCPO_E_FORMAT, 4, "needs 2147450880 numbers, but only 2 bytes are left"},
        {"TYPE : TSPTW\nDIMENSION : 3\nEDGE_WEIGHT_TYPE : EXPLICIT\nEDGE_WEIGHT_SECTION\n0 1 2\n",
         UCPO_E_FORMAT, 4, "EDGE_WEIGHT_FORMAT must come before"},
        {"TYPE : TSPTW\nDIMENSION : 2\nEDGE_WEIGHT_TYPE : EUC_2D\nEDGE_WEIGHT_FORMAT : UPPER_ROW\n"
         "EDGE_WEIGHT_SECTION\n1\nTIME_WINDOW_SECTION\n1 0 9\n2 0 9\n",
         UCPO_E_FORMAT, 5, "EDGE_WEIGHT_TYPE is not EXPLICIT"},
        {"TYPE : CVRPTW\nDIMENSION : 3\nEDGE_WEIGHT_TYPE : EUC_2D\n" COORDS WINDOWS
         "DEMAND_SECTION\n1 0\n2 1\n3 1\n",
         UCPO_E_FORMAT, 0, "CAPACITY is missing (or pass option 'capacity')"},
        {"TYPE : CVRPTW\nVEHICLES : 0\n", UCPO_E_FORMAT, 2, "VEHICLES is '0'"},
        {"CAPACITY : -3\n", UCPO_E_FORMAT, 1, "CAPACITY is '-3', expected a number >= 0"},
        {"TYPE : TSPDL\nDIMENSION : 3\nEDGE_WEIGHT_TYPE : EUC_2D\n" COORDS
         "DEMAND_SECTION\n1 0\n2 0.5\n3 1\nDRAFT_LIMIT_SECTION\n1 2\n2 2\n3 1\n",
         UCPO_E_FORMAT, 8, "demand of node 2 is 0.5, expected a whole number"},
        {"TYPE : TSPDL\nDIMENSION : 3\nEDGE_WEIGHT_TYPE : EUC_2D\n" COORDS
         "DEMAND_SECTION\n1 2\n2 1\n3 1\nDRAFT_LIMIT_SECTION\n1 2\n2 2\n3 1\n",
         UCPO_E_FORMAT, 0, "demand of the depot is 2, expected 0"},
        {"COMMENT : ucpo rounding=often\n", UCPO_E_FORMAT, 1,
         "'rounding=often' has no valid value"},
        {"COMMENT : ucpo unit=-1\n", UCPO_E_FORMAT, 1, "'unit=-1'"},
        {"DISPLAY ~ 3\n12\n", UCPO_E_FORMAT, 2, "stands where a keyword was expected"},
    };
    assert_refused("tsplib", cases, COUNT(cases));
}

static void test_a_type_that_is_not_asked_for_is_a_mismatch(void **state)
{
    (void)state;
    ucpo_read_config options = ucpo_read_config_default();
    options.problem = "tspdl";
    ucpo_dataset *set = NULL;
    ucpo_error err = {0};
    static const char text[] = HEAD COORDS WINDOWS;
    assert_int_equal(ucpo_read_bytes(text, strlen(text), "text", &options, &set, &err),
                     UCPO_E_MISMATCH);
}

static void test_a_rounding_option_out_of_range_is_refused(void **state)
{
    (void)state;
    ucpo_read_config options = ucpo_read_config_default();
    options.rounding = (ucpo_rounding)99;
    ucpo_dataset *set = NULL;
    ucpo_error err = {0};
    static const char text[] = HEAD COORDS WINDOWS;
    assert_int_not_equal(ucpo_read_bytes(text, strlen(text), "text", &options, &set, &err),
                         UCPO_OK);
    assert_null(set);
}

/* ---- writing and round trips ---- */

static void assert_round_trip(const ucpo_dataset *set)
{
    char *text = test_write_text(set, "tsplib", NULL);
    ucpo_dataset *again = test_read_text(text, NULL);
    assert_same_instance(test_view(again), test_view(set));
    ucpo_dataset_free(again);
    free(text);
}

static const double odd_x[3] = {0.1, 1.0 / 3.0, 1e-300}, odd_y[3] = {-2.5, 1e11, 2.0 / 3.0};
static const double odd_cost[9] = {7, 0.1, 2, 3, 0, 1.0 / 3.0, 5, 6, 0};
static const double odd_ready[3] = {-1.5, 0.1, 0.7}, odd_due[3] = {1e9, 0.1, 1e12};
static const double odd_service[3] = {0, 0.3, 0};
static const double loads[3] = {0, 2, 1}, limits[3] = {3, 3, 2};

static ucpo_instance_data odd_tsptw(void)
{
    ucpo_instance_data d = ucpo_instance_data_default();
    d.problem = "tsptw";
    d.name = "odd: = one";
    d.n = 3;
    d.x = odd_x;
    d.y = odd_y;
    d.ready = odd_ready;
    d.due = odd_due;
    d.service = odd_service;
    return d;
}

static void test_toys_survive_a_round_trip(void **state)
{
    (void)state;
    static const char *const names[] = {"toy.tsptw", "toy.tspdl", "toy.cvrptw"};
    for (size_t k = 0; k < COUNT(names); k++) {
        ucpo_dataset *set = test_read_data(names[k], NULL);
        assert_round_trip(set);
        ucpo_dataset_free(set);
    }
}

static void test_real_coordinates_survive_a_round_trip_under_every_metric_and_rounding(void **state)
{
    (void)state;
    for (int metric = UCPO_METRIC_EUCLID; metric <= UCPO_METRIC_ATT; metric++) {
        for (int rounding = UCPO_ROUND_NONE; rounding <= UCPO_ROUND_EXACT; rounding++) {
            ucpo_instance_data d = odd_tsptw();
            d.metric = (ucpo_metric)metric;
            d.rounding = (ucpo_rounding)rounding;
            ucpo_dataset *set = test_set_of(&d);
            assert_round_trip(set);
            ucpo_dataset_free(set);
        }
    }
}

/* SCALE multiplies lengths before they are rounded, and the times with them. */
static void test_scale_multiplies_lengths_and_times_as_in_lkh(void **state)
{
    (void)state;

    static const struct {
        const char *type, *scale;
        double length, due, service; /* between (0, 0) and (1.5, 2.3): 2.745... */
    } table[] = {
        {"EUC_2D", "SCALE : 10\n", 27, 93, 12},   {"FLOOR_2D", "SCALE = 100\n", 274, 930, 123},
        {"CEIL_2D", "SCALE:1\n", 3, 9.3, 1.23},   {"EXACT_2D", "", 2746, 9300, 1230},
        {"EXACT_2D", "SCALE : 10\n", 27, 93, 12}, {"MAN_2D", "SCALE : 10\n", 38, 93, 12}};

    for (size_t k = 0; k < COUNT(table); k++) {
        char text[512];
        snprintf(text, sizeof text,
                 "TYPE:CVRPTW\nDIMENSION:2\nCAPACITY:3\nSERVICE_TIME:1.23\n%sEDGE_WEIGHT_TYPE:%s\n"
                 "NODE_COORD_SECTION\n1 0 0\n2 1.5 2.3\nDEMAND_SECTION\n1 0\n2 2\n"
                 "TIME_WINDOW_SECTION\n1 0 9\n2 0 9.3\n",
                 table[k].scale, table[k].type);
        ucpo_dataset *set = test_read_text(text, NULL);
        const ucpo_instance_data *d = ucpo_instance_view(ucpo_dataset_at(set, 0));
        assert_close(ucpo_instance_cost(ucpo_dataset_at(set, 0), 0, 1), table[k].length, 0.0, 0.0);
        assert_close(d->due[1], table[k].due, 0.0, 0.0);
        assert_close(d->service[1], table[k].service, 0.0, 0.0);
        assert_true(d->demand[1] == 2 && d->capacity == 3);
        assert_round_trip(set);
        ucpo_dataset_free(set);
    }
    static const struct test_bad cases[] = {
        {"TYPE:TSPTW\nDIMENSION:2\nSCALE:10\nEDGE_WEIGHT_TYPE:GEO\nNODE_COORD_SECTION\n1 0 0\n2 1 "
         "2\n"
         "TIME_WINDOW_SECTION\n1 0 9\n2 0 9\nEOF\n",
         UCPO_E_UNSUPPORTED, 3, "SCALE is 10, which is not supported"},
        {"TYPE:TSPTW\nDIMENSION:2\nSCALE:0\n", UCPO_E_FORMAT, 3,
         "SCALE is '0', expected a whole number 1"},
    };

    assert_refused("tsplib", cases, COUNT(cases));
}

static void test_unit_tolerance_best_known_and_matrix_survive_a_round_trip(void **state)
{
    (void)state;
    ucpo_instance_data d = odd_tsptw();
    d.name = "";
    d.cost = odd_cost;
    d.rounding = UCPO_ROUND_NEAREST;
    d.metric = UCPO_METRIC_GEO;
    d.unit = 100.0 / 3.0;
    d.tolerance = 0.001;
    d.best_known = 17.1;
    d.file = &(ucpo_file_notes){.service_in_cost = 0.3};
    ucpo_dataset *set = test_set_of(&d);
    assert_round_trip(set);
    ucpo_dataset_free(set);
}

static void test_a_fleet_survives_a_round_trip_with_and_without_limit(void **state)
{
    (void)state;
    ucpo_instance_data d = odd_tsptw();
    d.problem = "cvrptw";
    d.demand = odd_service;
    d.capacity = 0.7;
    ucpo_dataset *set = test_set_of(&d);
    assert_round_trip(set);
    ucpo_dataset_free(set);
    d.problem = "cvrptwlv";
    d.vehicles = 2;
    set = test_set_of(&d);
    assert_round_trip(set);
    ucpo_dataset_free(set);
}

static ucpo_instance_data loading_tspdl(void)
{
    ucpo_instance_data d = ucpo_instance_data_default();
    d.problem = "tspdl";
    d.name = "load";
    d.n = 3;
    d.cost = odd_cost;
    d.demand = loads;
    d.limit = limits;
    d.draft = UCPO_DRAFT_LOAD;
    return d;
}

static void test_a_loading_tspdl_is_written_as_its_mirror_and_read_back_as_it_was(void **state)
{
    (void)state;
    ucpo_instance_data d = loading_tspdl();
    ucpo_dataset *set = test_set_of(&d);
    assert_round_trip(set);
    char *text = test_write_text(set, "tsplib", NULL);
    assert_non_null(strstr(text, "COMMENT : ucpo draft=load"));
    /* who does not know our comment sees the unloading mirror image: the matrix is transposed */
    assert_non_null(strstr(text, "EDGE_WEIGHT_SECTION\n7 3 5\n0.1 0 6\n"));
    free(text);
    ucpo_dataset_free(set);
}

static void test_writing_unrounded_distances_warns_that_lkh_rounds(void **state)
{
    (void)state;
    ucpo_instance_data d = odd_tsptw();
    ucpo_dataset *set = test_set_of(&d);
    struct test_log log;
    ucpo_write_config how = ucpo_write_config_default();
    how.hooks = test_log_hooks(&log);
    char *text = test_write_text(set, "tsplib", &how);
    assert_logged(&log, "warning: LKH will round these EUC_2D distances");
    assert_logged(&log, "LKH ignores service times");
    assert_non_null(strstr(text, "COMMENT : ucpo rounding=none\n"));
    free(text);
    ucpo_dataset_free(set);
}

static void test_scale_makes_whole_numbers_and_is_recorded(void **state)
{
    (void)state;
    ucpo_instance_data d = ucpo_instance_data_default();
    d.problem = "tsptw";
    d.n = 3;
    d.x = (const double[]){0, 0.25, 0.5};
    d.y = (const double[]){0, 0.126, 0};
    d.ready = (const double[]){0, 0.014, 0.5};
    d.due = (const double[]){9, 1.016, 1.25};
    d.service = (const double[]){0, 0.1, 0};
    ucpo_dataset *set = test_set_of(&d);
    ucpo_write_config how = ucpo_write_config_default();
    how.scale = 100.0;
    char *text = test_write_text(set, "tsplib", &how);
    assert_non_null(strstr(text, "COMMENT : ucpo scale=100\n"));
    struct test_log log;
    ucpo_read_config options = ucpo_read_config_default();
    options.hooks = test_log_hooks(&log);
    ucpo_dataset *again = test_read_text(text, &options);
    const ucpo_instance_data *e = test_view(again);
    assert_numbers(e->x, (double[]){0, 25, 50}, 3);
    assert_numbers(e->y, (double[]){0, 13, 0}, 3);
    assert_numbers(e->ready, (double[]){0, 1, 50}, 3);
    assert_numbers(e->due, (double[]){900, 102, 125}, 3);
    assert_numbers(e->service, (double[]){0, 10, 0}, 3);
    assert_int_equal(e->rounding, UCPO_ROUND_NEAREST);
    assert_logged(&log, "100 times the original");
    ucpo_dataset_free(again);
    ucpo_dataset_free(set);
    free(text);
}

static void test_scale_of_rounded_distances_goes_through_a_matrix(void **state)
{
    (void)state;
    ucpo_dataset *set = test_read_data("toy.cvrptw", NULL);
    ucpo_write_config how = ucpo_write_config_default();
    how.scale = 10.0;
    char *text = test_write_text(set, "tsplib", &how);
    ucpo_dataset *again = test_read_text(text, NULL);
    assert_close(ucpo_instance_cost(ucpo_dataset_at(again, 0), 0, 2), 100.0, 0.0, 0.0);
    assert_numbers(test_view(again)->demand, (double[]){0, 4, 5, 7}, 4);
    assert_close(test_view(again)->capacity, 10.0, 0.0, 0.0);
    ucpo_dataset_free(again);
    ucpo_dataset_free(set);
    free(text);
}

static void assert_write_fails(const ucpo_instance_data *d, int strict, const char *part)
{
    ucpo_dataset *set = test_set_of(d);
    ucpo_write_config how = ucpo_write_config_default();
    how.format = "tsplib";
    how.strict = strict;
    char *bytes = NULL;
    size_t size = 0;
    ucpo_error err = {0};
    assert_int_equal(ucpo_write_bytes(set, &how, &bytes, &size, &err), UCPO_E_UNSUPPORTED);
    assert_non_null(strstr(err.text, part));
    assert_null(bytes);
    ucpo_dataset_free(set);
}

/* Only the first TYPE of a problem is written, whatever its matrix looks like. */
static void test_an_asymmetric_matrix_of_every_problem_survives_a_round_trip(void **state)
{
    (void)state;
    for (size_t p = 0; p < prob_registry_count; p++) {
        ucpo_instance *inst = test_random_instance(prob_registry[p], 9, SHAPE_MATRIX, 7 + p);
        ucpo_instance_data d = inst->data;
        double due[9]; /* the format has no open windows */
        for (int i = 0; d.due && i < 9; i++) due[i] = isfinite(d.due[i]) ? d.due[i] : 1e6;
        if (d.due) d.due = due;
        assert_true(d.cost[1] != d.cost[9]);
        ucpo_dataset *set = test_set_of(&d);
        assert_round_trip(set);
        ucpo_dataset_free(set);
        ucpo_instance_free(inst);
    }
}

static void test_an_infinite_due_is_refused(void **state)
{
    (void)state;
    ucpo_instance_data d = odd_tsptw();
    d.due = (const double[]){1e9, (double)INFINITY, 1e12};
    assert_write_fails(&d, 0, "due of node 1 is infinite");
}

static void test_fractional_drafts_are_refused(void **state)
{
    (void)state;
    ucpo_instance_data d = loading_tspdl();
    d.limit = (const double[]){3, 2.5, 2};
    assert_write_fails(&d, 0, "draft limit of node 1 is 2.5");
}

static void test_what_cannot_be_carried_is_a_warning_or_an_error_under_strict(void **state)
{
    (void)state;
    ucpo_instance_data d = odd_tsptw();
    d.name = " two\nlines";
    assert_write_fails(&d, 1, "cannot carry the name");
    ucpo_dataset *set = test_set_of(&d);
    char *text = test_write_text(set, "tsplib", NULL);
    assert_non_null(strstr(text, "NAME : two lines\n"));
    free(text);
    ucpo_dataset_free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_the_toy_tsptw),
        cmocka_unit_test(test_reads_the_toy_tspdl_as_unloading),
        cmocka_unit_test(test_vehicles_of_a_cvrptw_is_a_limit),
        cmocka_unit_test(test_a_cvrptw_without_vehicles_has_an_unlimited_fleet),
        cmocka_unit_test(test_salesmen_is_a_synonym_of_vehicles),
        cmocka_unit_test(test_accepts_bom_crlf_equals_blank_lower_case_and_no_eof),
        cmocka_unit_test(test_line_breaks_and_comments_inside_data_mean_nothing),
        cmocka_unit_test(test_every_weight_format_gives_the_same_matrix),
        cmocka_unit_test(test_a_matrix_without_weight_type_is_explicit),
        cmocka_unit_test(test_coordinates_beside_a_matrix_are_kept_and_costs_come_from_the_matrix),
        cmocka_unit_test(test_weight_types_follow_tsplib),
        cmocka_unit_test(test_scale_multiplies_lengths_and_times_as_in_lkh),
        cmocka_unit_test(test_decimal_degrees_in_a_geo_file_are_noticed),
        cmocka_unit_test(test_a_file_cut_off_in_its_last_number_passed_without_a_word),
        cmocka_unit_test(test_euc_2d_is_rounded_unless_asked_otherwise),
        cmocka_unit_test(test_service_times_of_a_tsptw_are_used_with_a_warning_about_lkh),
        cmocka_unit_test(test_service_at_the_depot_is_ignored_with_a_warning),
        cmocka_unit_test(test_a_depot_that_is_not_node_1_becomes_node_0),
        cmocka_unit_test(test_the_order_of_a_file_with_another_depot_comes_back),
        cmocka_unit_test(test_global_service_time_spares_the_renumbered_depot),
        cmocka_unit_test(test_a_misspelt_keyword_relaxed_the_instance),
        cmocka_unit_test(test_unknown_keys_are_warnings_and_errors_under_strict),
        cmocka_unit_test(
            test_sections_that_would_relax_the_instance_are_refused_or_skipped_on_request),
        cmocka_unit_test(test_problem_option_decides_where_type_is_missing),
        cmocka_unit_test(test_optimum_in_a_comment_is_the_best_known_cost),
        cmocka_unit_test(test_malformed_files_are_refused_with_line_and_reason),
        cmocka_unit_test(test_a_type_that_is_not_asked_for_is_a_mismatch),
        cmocka_unit_test(test_a_rounding_option_out_of_range_is_refused),
        cmocka_unit_test(test_toys_survive_a_round_trip),
        cmocka_unit_test(
            test_real_coordinates_survive_a_round_trip_under_every_metric_and_rounding),
        cmocka_unit_test(test_unit_tolerance_best_known_and_matrix_survive_a_round_trip),
        cmocka_unit_test(test_a_fleet_survives_a_round_trip_with_and_without_limit),
        cmocka_unit_test(test_a_loading_tspdl_is_written_as_its_mirror_and_read_back_as_it_was),
        cmocka_unit_test(test_writing_unrounded_distances_warns_that_lkh_rounds),
        cmocka_unit_test(test_scale_makes_whole_numbers_and_is_recorded),
        cmocka_unit_test(test_scale_of_rounded_distances_goes_through_a_matrix),
        cmocka_unit_test(test_an_asymmetric_matrix_of_every_problem_survives_a_round_trip),
        cmocka_unit_test(test_an_infinite_due_is_refused),
        cmocka_unit_test(test_fractional_drafts_are_refused),
        cmocka_unit_test(test_what_cannot_be_carried_is_a_warning_or_an_error_under_strict),
    };
    return cmocka_run_group_tests_name("tsplib", tests, NULL, NULL);
}
