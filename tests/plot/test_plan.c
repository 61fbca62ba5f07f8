/* Pictures of plans, through the public functions: what is in them, what is refused, memory. */
#include "support/alloc.h"
#include "support/support.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ucpo_instance *make(const char *problem, int has_map, const char *name)
{
    static const double x[] = {0, 3, 6, 6}, y[] = {0, 4, 8, 0}, ready[] = {0, 4, 8, 4};
    static const double due[] = {40, 9, 14, 9}, demand[] = {0, 1, 1, 1}, limit[] = {3, 2, 3, 1};
    static const double cost[] = {0, 5, 10, 6, 5, 0, 5, 5, 10, 5, 0, 8, 6, 5, 8, 0};
    ucpo_instance_data data = ucpo_instance_data_default();
    ucpo_error err = {0};
    ucpo_instance *inst = NULL;
    int has_fleet = strncmp(problem, "cvrp", 4) == 0, has_draft = strcmp(problem, "tspdl") == 0;
    data.problem = problem;
    data.name = name;
    data.n = 4;
    if (has_map) {
        data.x = x;
        data.y = y;
    } else
        data.cost = cost;
    if (!has_draft) {
        data.ready = ready;
        data.due = due;
    }
    if (has_fleet || has_draft) data.demand = demand;
    if (has_fleet) data.capacity = 2;
    if (has_draft) data.limit = limit;
    if (strcmp(problem, "cvrptwlv") == 0) data.vehicles = 2;
    assert_ok(ucpo_instance_create(&data, &inst, &err), &err);
    return inst;
}

/* The picture as a string; freed by the caller. */
static char *plot(const ucpo_instance *inst, const int32_t *nodes, size_t len,
                  const ucpo_plot_config *options)
{
    char *bytes = NULL;
    size_t size = 0;
    ucpo_error err = {0};
    assert_ok(ucpo_plot_plan(inst, nodes, len, options, &bytes, &size, &err), &err);
    char *text = malloc(size + 1);
    assert_non_null(text);
    memcpy(text, bytes, size);
    text[size] = '\0';
    ucpo_bytes_free(bytes);
    return text;
}

static void expect_plot(const char *problem, int has_map, const int32_t *nodes, size_t len,
                        const char *show, const char *wanted)
{
    ucpo_instance *inst = make(problem, has_map, "a<b>&\"c");
    ucpo_plot_config options = ucpo_plot_config_default();
    options.show = show;
    char *text = plot(inst, nodes, len, &options);
    if (!strstr(text, wanted)) fail_msg("%s: '%s' is not in the picture", problem, wanted);
    assert_null(strstr(text, "a<b"));
    free(text);
    ucpo_instance_free(inst);
}

static const int32_t good[] = {1, 2, 3}, late[] = {2, 3, 1}, twice[] = {1, 1, 0, 9};

static void every_problem_has_its_panels(void **state)
{
    (void)state;
    expect_plot("tsptw", 1, good, 3, NULL, ">timeline<");
    expect_plot("tspdl", 1, good, 3, NULL, ">draft along the tour<");
    expect_plot("cvrptw", 1, good, 3, NULL, ">load along the routes<");
    expect_plot("cvrptwlv", 1, good, 3, NULL, "1 used, 2 allowed");
}

static void what_is_missing_is_said_in_place(void **state)
{
    (void)state;
    expect_plot("tsptw", 0, good, 3, NULL, "no map: ");
    expect_plot("tspdl", 1, good, 3, "time", "no timeline: ");
    expect_plot("tsptw", 1, good, 3, "load", "no load: ");
    expect_plot("cvrptw", 1, NULL, 0, "map,time,load", "3 customers missing");
}

static void a_violated_plan_is_never_called_feasible(void **state)
{
    (void)state;
    expect_plot("tsptw", 1, late, 3, NULL, "infeasible: late ");
    expect_plot("tspdl", 1, late, 3, NULL, "infeasible: too deep by");
    expect_plot("cvrptw", 1, good, 3, NULL, "overloaded by 1 ");
    expect_plot("cvrptw", 1, twice, 4, NULL, "1 unknown node");
    expect_plot("cvrptw", 1, twice, 4, "map", "customer 2 is not visited");
}

static void a_feasible_plan_is_called_so(void **state)
{
    static const int32_t routes[] = {1, 2, 0, 3};
    (void)state;
    expect_plot("cvrptw", 1, routes, 4, NULL, "\xE2\x9C\x93 feasible<");
    expect_plot("cvrptw", 1, routes, 4, "map", "vehicle 2, 1 stop<");
}

static void samples_make_a_cloud(void **state)
{
    static const double cost[] = {30, 24, 26}, violation[] = {0, 0.5, 0};
    (void)state;
    ucpo_instance *inst = make("tsptw", 1, NULL);
    ucpo_cloud cloud = {cost, violation, 3};
    ucpo_plot_config options = ucpo_plot_config_default();
    options.clouds = &cloud;
    char *text = plot(inst, good, 3, &options);
    assert_non_null(strstr(text, "3 candidates, 2 feasible"));
    assert_non_null(strstr(text, "best 26<"));
    free(text);
    double bad = NAN;
    char *bytes = NULL;
    size_t size = 0;
    cloud.cost = &bad;
    cloud.count = 1;
    assert_int_equal(ucpo_plot_plan(inst, good, 3, &options, &bytes, &size, NULL), UCPO_E_ARGUMENT);
    ucpo_instance_free(inst);
}

/* 200 candidates from 100 to 119.9, and two that are far away in each direction. */
static void wild_candidates_do_not_flatten_the_cloud(void **state)
{
    (void)state;
    double cost[203], violation[203];
    for (int i = 0; i < 200; i++) cost[i] = 100 + 0.1 * i, violation[i] = i % 10;
    cost[200] = 1e15, violation[200] = 0;
    cost[201] = 1, violation[201] = 5;
    cost[202] = 110, violation[202] = 1e9;
    ucpo_instance *inst = make("tsptw", 1, NULL);
    ucpo_cloud cloud = {cost, violation, 203};
    ucpo_plot_config options = ucpo_plot_config_default();
    options.clouds = &cloud;
    options.show = "cloud";
    char *text = plot(inst, good, 3, &options);
    assert_non_null(strstr(text, "203 candidates, 21 feasible"));
    assert_non_null(strstr(text, " beyond the edge;"));
    assert_non_null(strstr(text, ">110<")); /* a tick of the axis */
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "\"inf\""));
    free(text);
    ucpo_instance_free(inst);
}

static void unknown_panels_are_refused(void **state)
{
    (void)state;
    ucpo_instance *inst = make("tsptw", 1, NULL);
    ucpo_error err = {0};
    char *bytes = NULL;
    size_t size = 0;
    static const char *const wrong[] = {"maps", "map,", ",map", "map time"};
    for (size_t i = 0; i < 4; i++) {
        ucpo_plot_config options = ucpo_plot_config_default();
        options.show = wrong[i];
        assert_int_equal(ucpo_plot_plan(inst, good, 3, &options, &bytes, &size, &err),
                         UCPO_E_ARGUMENT);
    }
    assert_null(bytes);
    ucpo_instance_free(inst);
}

/* ---- the page ---- */

static void fill(ucpo_dataset *set, ucpo_plans *plans, const char *name, const int32_t *nodes)
{
    ucpo_error err = {0};
    assert_ok(ucpo_dataset_add(set, make("tsptw", 1, name), &err), &err);
    assert_ok(ucpo_plans_add(plans, nodes, 3, NAN, &err), &err);
}

static char *page(const ucpo_dataset *set, const ucpo_plans *plans, const ucpo_plot_config *options)
{
    ucpo_error err = {0};
    char *bytes = NULL;
    size_t size = 0;
    assert_ok(ucpo_report_html(set, plans, options, &bytes, &size, &err), &err);
    char *text = malloc(size + 1);
    assert_non_null(text);
    memcpy(text, bytes, size);
    text[size] = '\0';
    ucpo_bytes_free(bytes);
    return text;
}

static void names_from_files_stay_text(void **state)
{
    (void)state;
    ucpo_dataset *set = NULL;
    ucpo_plans *plans = NULL;
    assert_ok(ucpo_dataset_create(&set, NULL), NULL);
    assert_ok(ucpo_plans_create(&plans, NULL), NULL);
    fill(set, plans, "</script><script>alert(1)</script>", late);
    const char *label = "\"><img src=x onerror=alert(1)>";
    ucpo_plot_config options = ucpo_plot_config_default();
    options.labels = &label;
    options.title = "<script>alert(2)</script>";
    char *text = page(set, plans, &options);
    assert_null(strstr(text, "<script>alert"));
    assert_null(strstr(text, "<img"));
    assert_non_null(strstr(text, "&lt;script&gt;alert(2)"));
    assert_non_null(strstr(text, "\\u003c/script\\u003e"));
    assert_null(strstr(text, "src=\"http"));
    assert_null(strstr(text, "href=\"http"));
    assert_non_null(strstr(text, "Infeasible: late"));
    assert_null(strstr(text, "Feasible: every constraint"));
    free(text);
    ucpo_plans_free(plans);
    ucpo_dataset_free(set);
}

static void many_plans_are_capped_with_a_word(void **state)
{
    (void)state;
    ucpo_dataset *set = NULL;
    ucpo_plans *plans = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_dataset_create(&set, NULL), NULL);
    assert_ok(ucpo_plans_create(&plans, NULL), NULL);
    for (int i = 0; i < 5; i++) fill(set, plans, NULL, i == 3 ? late : good);
    ucpo_plot_config options = ucpo_plot_config_default();
    options.most = 2;
    char *text = page(set, plans, &options);
    assert_non_null(strstr(text, "The first 2 plans of 5"));
    assert_non_null(strstr(text, "of 5 plans"));
    assert_non_null(strstr(text, "id=\"plan-1\""));
    assert_null(strstr(text, "id=\"plan-2\""));
    free(text);
    char *bytes = NULL;
    size_t size = 0;
    assert_ok(ucpo_plans_add(plans, good, 3, NAN, &err), &err);
    assert_int_equal(ucpo_report_html(set, plans, NULL, &bytes, &size, &err), UCPO_E_MISMATCH);
    ucpo_plans_free(plans);
    ucpo_dataset_free(set);
}

static void every_failing_allocation_is_reported(void **state)
{
    (void)state;
    ucpo_dataset *set = NULL;
    ucpo_plans *plans = NULL;
    char *bytes = NULL;
    size_t size = 0;
    assert_ok(ucpo_dataset_create(&set, NULL), NULL);
    assert_ok(ucpo_plans_create(&plans, NULL), NULL);
    fill(set, plans, "a", late);
    fill(set, plans, "b", good);
    ucpo_status status = UCPO_E_MEMORY;
    for (int i = 0; status; i++) {
        assert_true(i < 500);
        test_alloc_countdown = i;
        status = ucpo_report_html(set, plans, NULL, &bytes, &size, NULL);
        test_alloc_countdown = -1;
        if (status) assert_int_equal(status, UCPO_E_MEMORY);
    }
    ucpo_bytes_free(bytes);
    status = UCPO_E_MEMORY;
    for (int i = 0; status; i++) {
        assert_true(i < 200);
        test_alloc_countdown = i;
        status = ucpo_plot_plan(ucpo_dataset_at(set, 0), late, 3, NULL, &bytes, &size, NULL);
        test_alloc_countdown = -1;
    }
    ucpo_bytes_free(bytes);
    ucpo_plans_free(plans);
    ucpo_dataset_free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_problem_has_its_panels),
        cmocka_unit_test(what_is_missing_is_said_in_place),
        cmocka_unit_test(a_violated_plan_is_never_called_feasible),
        cmocka_unit_test(a_feasible_plan_is_called_so),
        cmocka_unit_test(samples_make_a_cloud),
        cmocka_unit_test(wild_candidates_do_not_flatten_the_cloud),
        cmocka_unit_test(unknown_panels_are_refused),
        cmocka_unit_test(names_from_files_stay_text),
        cmocka_unit_test(many_plans_are_capped_with_a_word),
        cmocka_unit_test(every_failing_allocation_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
