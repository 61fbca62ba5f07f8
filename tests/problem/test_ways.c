/* Speeds, great circles, legs without a way, ids and clocks. */
#include "problem/env.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double x[] = {0, 3, 6, 2}, y[] = {0, 4, 8, 1}, ready[] = {0, 4, 8, 0},
                    due[] = {90, 30, 20, 20};

static ucpo_instance_data square(void)
{
    ucpo_instance_data data = ucpo_instance_data_default();
    data.problem = "tsptw";
    data.n = 4;
    data.x = x;
    data.y = y;
    data.ready = ready;
    data.due = due;
    return data;
}

static ucpo_instance *make(const ucpo_instance_data *data)
{
    ucpo_instance *inst = NULL;
    ucpo_error err = {0};
    if (ucpo_instance_create(data, &inst, &err) != UCPO_OK) fail_msg("%s", err.text);
    return inst;
}

static void a_speed_is_a_duration_matrix_without_the_matrix(void **state)
{
    (void)state;
    ucpo_instance_data data = square();
    data.speed = 0.5;
    ucpo_instance *fast = make(&data);
    double duration[16];
    for (int32_t i = 0; i < 4; i++)
        for (int32_t j = 0; j < 4; j++) duration[4 * i + j] = ucpo_instance_cost(fast, i, j) / 0.5;
    data.speed = 0.0;
    data.duration = duration;
    ucpo_instance *slow = make(&data);
    static const int32_t plan[] = {1, 3, 2};
    ucpo_evaluation a, b;
    assert_int_equal(ucpo_check(fast, plan, 3, &a, NULL, 0, NULL, 0, NULL), UCPO_OK);
    assert_int_equal(ucpo_check(slow, plan, 3, &b, NULL, 0, NULL, 0, NULL), UCPO_OK);
    assert_true(a.cost == b.cost && a.duration == b.duration && a.late_sum == b.late_sum &&
                a.late_sum > 0);
    data.speed = 2.0;
    ucpo_error err = {0};
    ucpo_instance *none = NULL;
    assert_int_equal(ucpo_instance_create(&data, &none, &err), UCPO_E_ARGUMENT);
    assert_non_null(strstr(err.text, "both a speed"));
    ucpo_instance_free(fast);
    ucpo_instance_free(slow);
}

static void great_circles_have_the_length_of_the_earth(void **state)
{
    (void)state;
    ucpo_instance_data data = square();
    static const double lat[] = {0, 0, 90, 52.5200}, lon[] = {0, 90, 0, 13.4050};
    data.x = lat;
    data.y = lon;
    data.metric = UCPO_METRIC_HAVERSINE;
    ucpo_instance *inst = make(&data);
    double quarter = 6371.0088 * 1.5707963267948966;
    assert_close(ucpo_instance_cost(inst, 0, 1), quarter, 1e-12, 0);
    assert_close(ucpo_instance_cost(inst, 2, 1), quarter, 1e-12, 0);
    assert_close(ucpo_instance_cost(inst, 3, 2), quarter * (90.0 - 52.52) / 90.0, 1e-12, 0);
    float xy[8];
    geometry_image(&inst->data, 0, xy);
    for (int k = 0; k < 8; k++) assert_true(xy[k] >= 0.0f && xy[k] <= 1.0f);
    ucpo_instance_free(inst);
}

/* Tours of a matrix with holes: environment and checker agree, and none that uses a hole is feasible. */
static void a_leg_without_a_way_is_a_violation_for_checker_and_environment(void **state)
{
    (void)state;
    double none = (double)INFINITY;
    const double cost[] = {0, 5, none, 2, 5, 0, 5, none, 9, 5, 0, 7, 2, 4, 7, 0};
    double open[] = {none, none, none, none};
    ucpo_instance_data data = square();
    data.x = data.y = NULL;
    data.cost = cost;
    data.due = open;
    ucpo_instance *inst = make(&data);
    assert_true(inst->data.no_way > 4 * 9 && isfinite(inst->data.no_way));
    assert_true(inst->data.unit < 9);
    struct prob_env *env = NULL;
    assert_int_equal(prob_env_create(inst->ops, 4, 1, &env, NULL), UCPO_OK);
    static const int32_t order[6][3] = {{1, 2, 3}, {1, 3, 2}, {2, 1, 3},
                                        {2, 3, 1}, {3, 1, 2}, {3, 2, 1}};
    static const int blocked[6] = {0, 1, 2, 1, 0, 0};
    for (int k = 0; k < 6; k++) {
        ucpo_evaluation eval;
        double objective, violation;
        assert_int_equal(ucpo_check(inst, order[k], 3, &eval, NULL, 0, NULL, 0, NULL), UCPO_OK);
        assert_int_equal(eval.blocked, blocked[k]);
        assert_int_equal(eval.is_feasible, blocked[k] == 0);
        assert_true(eval.cost < 40);
        assert_int_equal(prob_env_bind(env, inst, NULL), UCPO_OK);
        for (int s = 0; s < 3; s++) prob_env_step(env, &order[k][s]);
        prob_env_result(env, &objective, &violation);
        assert_close(objective * inst->data.unit, eval.cost, 1e-12, 0);
        assert_close(violation, eval.violation, 1e-12, 0);
    }
    ucpo_solution *solution = NULL;
    assert_int_equal(ucpo_solve(NULL, inst, NULL, &solution, NULL), UCPO_OK);
    assert_true(solution->evaluation.is_feasible && solution->evaluation.cost == 19);
    assert_int_equal(solution->disputed, 0);
    ucpo_solution_free(solution);
    prob_env_free(env);
    ucpo_instance_free(inst);
}

/* Every way home is closed: the answer is never called feasible. */
static void an_instance_without_ways_has_no_feasible_answer(void **state)
{
    (void)state;
    double none = (double)INFINITY, cost[] = {0, 5, 3, none, 0, 5, none, 5, 0},
           open[] = {none, none, none};
    const double demand[] = {0, 1, 1}, start[] = {0, 0, 0};
    static const char *const problems[] = {"tsptw", "cvrptw"};
    for (int k = 0; k < 2; k++) {
        ucpo_instance_data data = ucpo_instance_data_default();
        data.problem = problems[k];
        data.n = 3;
        data.cost = cost;
        data.ready = start;
        data.due = open;
        if (k) data.demand = demand;
        if (k) data.capacity = 5;
        ucpo_instance *inst = make(&data);
        ucpo_solution *solution = NULL;
        assert_int_equal(ucpo_solve(NULL, inst, NULL, &solution, NULL), UCPO_OK);
        assert_false(solution->evaluation.is_feasible);
        assert_true(solution->evaluation.blocked >= 1);
        assert_int_equal(solution->disputed, 0);
        ucpo_solution_free(solution);
        ucpo_instance_free(inst);
    }
}

static void ids_and_labels_are_kept_clean_and_short(void **state)
{
    (void)state;
    char longest[300];
    memset(longest, 'a', sizeof longest);
    longest[299] = '\0';
    const char *id[] = {"D", "K\x1b[31m", "", longest}, *label[] = {"", "B\xC3\xA4r", "c", "d"};
    ucpo_instance_data data = square();
    data.id = id;
    data.label = label;
    ucpo_instance *inst = make(&data);
    char text[160];
    assert_string_equal(ucpo_node_text(inst, 0, text, sizeof text), "D");
    assert_string_equal(ucpo_node_text(inst, 1, text, sizeof text), "K [31m");
    assert_string_equal(ucpo_node_text(inst, 2, text, sizeof text), "2");
    assert_string_equal(ucpo_node_text(inst, 9, text, sizeof text), "9");
    assert_int_equal(strlen(ucpo_node_text(inst, 3, text, sizeof text)), 127);
    assert_string_equal(inst->data.label[1], "B\xC3\xA4r");
    assert_string_equal(ucpo_clock_text(inst, 5, 1, text, sizeof text), "");
    ucpo_instance_free(inst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_speed_is_a_duration_matrix_without_the_matrix),
        cmocka_unit_test(great_circles_have_the_length_of_the_earth),
        cmocka_unit_test(a_leg_without_a_way_is_a_violation_for_checker_and_environment),
        cmocka_unit_test(an_instance_without_ways_has_no_feasible_answer),
        cmocka_unit_test(ids_and_labels_are_kept_clean_and_short),
    };
    return cmocka_run_group_tests_name("ways", tests, NULL, NULL);
}
