/* Models over sets through the public interface. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/support.h"

enum { COUNT = 5 };

static ucpo_model *make_model(const char *problem)
{
    ucpo_model_config c = ucpo_model_config_default(problem);
    c.width = 16, c.heads = 2, c.hidden = 8, c.layers = 1;
    ucpo_model *model = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_model_create(&c, 7, &model, &err), &err);
    return model;
}

static ucpo_dataset *make_set(const char *problem)
{
    ucpo_generate_config g = ucpo_generate_config_default();
    ucpo_dataset *set = NULL;
    ucpo_error err = {0};
    g.problem = problem, g.size = 8, g.count = COUNT;
    assert_ok(ucpo_generate(&g, &set, &err), &err);
    return set;
}

static void plans_are_the_answers_of_the_records(void **state)
{
    (void)state;
    for (size_t p = 0; ucpo_problem_at(p); p++) {
        const char *problem = ucpo_problem_at(p)->name;
        ucpo_model *model = make_model(problem);
        ucpo_dataset *set = make_set(problem);
        ucpo_eval_record records[COUNT];
        ucpo_plans *plans = NULL;
        ucpo_error err = {0};
        assert_ok(ucpo_evaluate(model, set, NULL, records, &plans, &err), &err);
        assert_int_equal(ucpo_plans_count(plans), COUNT);
        for (size_t i = 0; i < COUNT; i++) {
            ucpo_plan plan = ucpo_plans_at(plans, i);
            ucpo_evaluation e;
            assert_ok(ucpo_check(ucpo_dataset_at(set, i), plan.nodes, plan.len, &e, NULL, 0, NULL,
                                 0, &err),
                      &err);
            assert_true(records[i].cost == e.cost && plan.stated_cost == e.cost);
            assert_int_equal(records[i].is_feasible, e.is_feasible);
            assert_int_equal(records[i].candidates, 8 * 8);
        }
        ucpo_plans_free(plans);
        ucpo_dataset_free(set);
        ucpo_model_free(model);
    }
}

static void the_mask_is_what_the_model_was_trained_with(void **state)
{
    (void)state;
    ucpo_model *model = make_model("tsptw");
    assert_string_equal(ucpo_eval_mask(model, NULL), "visited");
    assert_string_equal(ucpo_eval_mask(model, "auto"), "visited");
    assert_int_equal(ucpo_model_set_fact(model, "train.mask", "pip-own", NULL), UCPO_OK);
    assert_string_equal(ucpo_eval_mask(model, "auto"), "pip-own");
    assert_string_equal(ucpo_eval_mask(model, "pip"), "pip");
    assert_null(ucpo_eval_mask(model, "soft"));
    assert_int_equal(ucpo_model_set_fact(model, "train.mask", "of another program", NULL), UCPO_OK);
    assert_string_equal(ucpo_eval_mask(model, "auto"), "visited");
    assert_string_equal(ucpo_mask_at(3), "pip-d");
    assert_null(ucpo_mask_at(4));
    assert_int_equal(ucpo_model_set_fact(model, "train.mask", "pip-d", NULL), UCPO_OK);
    assert_string_equal(ucpo_eval_mask(model, "auto"), "pip"); /* as the papers test */
    assert_string_equal(ucpo_eval_mask(model, "pip-d"), "pip-d");
    ucpo_model_free(model);
}

static void the_auxiliary_decoder_can_be_the_mask(void **state)
{
    (void)state;
    ucpo_dataset *set = make_set("tsptw");
    ucpo_model *plain = make_model("tsptw"), *model = NULL;
    ucpo_model_config c = ucpo_model_config_default("tsptw");
    c.width = 16, c.heads = 2, c.hidden = 8, c.layers = 1, c.has_aux = 1, c.decision = 0;
    ucpo_error err = {0};
    assert_ok(ucpo_model_create(&c, 5, &model, &err), &err);
    ucpo_eval_config config = ucpo_eval_config_default();
    ucpo_eval_record visited[COUNT], predicted[COUNT];
    config.mask = "visited";
    assert_ok(ucpo_evaluate(model, set, &config, visited, NULL, &err), &err);
    config.mask = "pip-d";
    assert_ok(ucpo_evaluate(model, set, &config, predicted, NULL, &err), &err);
    int differ = 0;
    for (size_t i = 0; i < COUNT; i++) {
        differ += visited[i].cost != predicted[i].cost;
        assert_false(predicted[i].is_disputed);
    }
    assert_true(differ > 0); /* an untrained decoder closes nodes at random */
    assert_int_equal(ucpo_evaluate(plain, set, &config, predicted, NULL, &err), UCPO_E_MISMATCH);
    assert_non_null(strstr(err.text, "auxiliary decoder"));

    ucpo_solve_config sc = ucpo_solve_config_default();
    ucpo_solution *soft = NULL, *other = NULL;
    sc.refine = 0, sc.mask = "visited";
    assert_ok(ucpo_solve(model, ucpo_dataset_at(set, 0), &sc, &soft, &err), &err);
    sc.mask = "pip-d";
    assert_ok(ucpo_solve(model, ucpo_dataset_at(set, 0), &sc, &other, &err), &err);
    assert_int_equal(other->disputed, 0);
    assert_true(other->distinct != soft->distinct || other->feasible != soft->feasible);
    ucpo_solution_free(soft);
    ucpo_solution_free(other);
    assert_int_equal(ucpo_solve(plain, ucpo_dataset_at(set, 0), &sc, &other, &err),
                     UCPO_E_MISMATCH);
    ucpo_dataset_free(set);
    ucpo_model_free(plain);
    ucpo_model_free(model);
}

static void multi_start_begins_with_every_customer(void **state)
{
    (void)state;
    for (size_t p = 0; ucpo_problem_at(p); p++) {
        const char *problem = ucpo_problem_at(p)->name;
        ucpo_model *model = make_model(problem);
        ucpo_dataset *set = make_set(problem);
        int customers = ucpo_instance_view(ucpo_dataset_at(set, 0))->n - 1;
        ucpo_eval_config config = ucpo_eval_config_default();
        ucpo_eval_record records[COUNT];
        ucpo_error err = {0};
        config.multi_start = 1;
        for (config.greedy = 0; config.greedy < 2; config.greedy++) {
            assert_ok(ucpo_evaluate(model, set, &config, records, NULL, &err), &err);
            for (size_t i = 0; i < COUNT; i++)
                assert_int_equal(records[i].candidates, 8 * customers);
        }
        config.greedy = 1, config.backtrack = 5;
        assert_int_equal(ucpo_evaluate(model, set, &config, records, NULL, &err), UCPO_E_ARGUMENT);
        ucpo_dataset_free(set);
        ucpo_model_free(model);
    }
}

/* The first round is what fewer samples would have been; the others only add to it. */
static void rounds_go_on_from_the_best(void **state)
{
    (void)state;
    for (size_t p = 0; ucpo_problem_at(p); p++) {
        const char *problem = ucpo_problem_at(p)->name;
        ucpo_model *model = make_model(problem);
        ucpo_dataset *set = make_set(problem);
        ucpo_eval_config config = ucpo_eval_config_default();
        ucpo_eval_record few[COUNT], plain[COUNT], one[COUNT], many[COUNT], two[COUNT];
        ucpo_error err = {0};
        config.samples = 4;
        assert_ok(ucpo_evaluate(model, set, &config, few, NULL, &err), &err);
        config.samples = 12;
        assert_ok(ucpo_evaluate(model, set, &config, plain, NULL, &err), &err);
        config.rounds = 1;
        assert_ok(ucpo_evaluate(model, set, &config, one, NULL, &err), &err);
        config.rounds = 3, config.threads = 1;
        assert_ok(ucpo_evaluate(model, set, &config, many, NULL, &err), &err);
        config.threads = 2;
        assert_ok(ucpo_evaluate(model, set, &config, two, NULL, &err), &err);
        int better = 0;
        for (size_t i = 0; i < COUNT; i++) {
            assert_true(plain[i].cost == one[i].cost && plain[i].best == one[i].best);
            assert_true(many[i].cost == two[i].cost && many[i].feasible == two[i].feasible);
            assert_int_equal(many[i].candidates, 8 * 12);
            assert_in_range(many[i].best, 0, 8 * 12 - 1);
            assert_int_equal(many[i].is_disputed, 0);
            int order = ucpo_compare(NULL, many[i].objective, many[i].violation, few[i].objective,
                                     few[i].violation);
            assert_true(order <= 0);
            better += order < 0;
        }
        assert_true(better > 0);
        config.rounds = 1000; /* more than there are samples */
        assert_ok(ucpo_evaluate(model, set, &config, many, NULL, &err), &err);
        config.rounds = 3, config.greedy = 1;
        assert_int_equal(ucpo_evaluate(model, set, &config, many, NULL, &err), UCPO_E_ARGUMENT);
        assert_non_null(strstr(err.text, "rounds"));
        config.rounds = -1, config.greedy = 0;
        assert_int_equal(ucpo_evaluate(model, set, &config, many, NULL, &err), UCPO_E_ARGUMENT);
        ucpo_dataset_free(set);
        ucpo_model_free(model);
    }
}

static void auto_and_the_named_mask_give_the_same(void **state)
{
    (void)state;
    ucpo_model *model = make_model("tsptw");
    ucpo_dataset *set = make_set("tsptw");
    ucpo_eval_config config = ucpo_eval_config_default();
    ucpo_eval_record automatic[COUNT], named[COUNT], soft[COUNT];
    assert_int_equal(ucpo_model_set_fact(model, "train.mask", "pip", NULL), UCPO_OK);
    assert_int_equal(ucpo_evaluate(model, set, &config, automatic, NULL, NULL), UCPO_OK);
    config.mask = "pip";
    assert_int_equal(ucpo_evaluate(model, set, &config, named, NULL, NULL), UCPO_OK);
    config.mask = "visited";
    assert_int_equal(ucpo_evaluate(model, set, &config, soft, NULL, NULL), UCPO_OK);
    int more = 0;
    for (size_t i = 0; i < COUNT; i++) {
        assert_true(automatic[i].cost == named[i].cost);
        assert_int_equal(automatic[i].feasible, named[i].feasible);
        more += named[i].feasible - soft[i].feasible;
    }
    assert_true(more > 0); /* looking ahead helps */
    ucpo_dataset_free(set);
    ucpo_model_free(model);
}

static void errors_leave_the_outputs_alone(void **state)
{
    (void)state;
    ucpo_model *model = make_model("cvrptw");
    ucpo_dataset *set = make_set("cvrptwlv"), *empty = NULL;
    assert_int_equal(ucpo_dataset_create(&empty, NULL), UCPO_OK);
    ucpo_eval_record records[COUNT] = {{.candidates = 77}};
    ucpo_plans *plans = NULL;
    ucpo_error err = {0};
    assert_int_equal(ucpo_evaluate(model, set, NULL, records, &plans, &err), UCPO_E_MISMATCH);
    assert_non_null(strstr(err.text, "the model is for cvrptw, but instance 0 is cvrptwlv"));
    assert_int_equal(ucpo_evaluate(model, empty, NULL, records, &plans, &err), UCPO_E_ARGUMENT);
    assert_int_equal(ucpo_evaluate(model, NULL, NULL, records, &plans, &err), UCPO_E_ARGUMENT);
    ucpo_eval_config config = ucpo_eval_config_default();
    config.refine_moves = -1;
    assert_int_equal(ucpo_evaluate(NULL, set, &config, records, &plans, &err), UCPO_E_ARGUMENT);
    config.refine_moves = 0, config.refine_seconds = (double)NAN;
    assert_int_equal(ucpo_evaluate(NULL, set, &config, records, &plans, &err), UCPO_E_ARGUMENT);
    config = ucpo_eval_config_default();
    config.mask = "none";
    assert_int_equal(ucpo_evaluate(model, set, &config, records, &plans, &err), UCPO_E_ARGUMENT);
    assert_non_null(strstr(err.text, "mask is 'none'"));
    config = ucpo_eval_config_default(), config.augment = 0;
    assert_int_equal(ucpo_evaluate(model, set, &config, records, &plans, &err), UCPO_E_ARGUMENT);
    assert_true(records[0].candidates == 77 && plans == NULL);
    ucpo_dataset_free(empty);
    ucpo_dataset_free(set);
    ucpo_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_are_the_answers_of_the_records),
        cmocka_unit_test(the_mask_is_what_the_model_was_trained_with),
        cmocka_unit_test(the_auxiliary_decoder_can_be_the_mask),
        cmocka_unit_test(multi_start_begins_with_every_customer),
        cmocka_unit_test(rounds_go_on_from_the_best),
        cmocka_unit_test(auto_and_the_named_mask_give_the_same),
        cmocka_unit_test(errors_leave_the_outputs_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
