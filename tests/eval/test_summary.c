/* Rates, means and gaps against numbers worked out by hand. */
#include <math.h>
#include <string.h>

#include "support/support.h"

/* Three instances, two solved: costs 200 and 300 in a unit of 100. */
static const ucpo_eval_record records[3] = {
    {.candidates = 8,
     .feasible = 2,
     .is_feasible = 1,
     .cost = 200,
     .objective = 2,
     .mean_objective = 2.5,
     .first_is_feasible = 1,
     .first_objective = 3},
    {.candidates = 8, .cost = 100, .objective = 1, .violation = 1.5, .first_objective = 1},
    {.candidates = 4,
     .feasible = 4,
     .is_feasible = 1,
     .cost = 300,
     .objective = 3,
     .mean_objective = 3.5,
     .first_objective = 9,
     .is_disputed = 1},
};

static void rates_and_means(void **state)
{
    (void)state;
    ucpo_eval_summary s;
    assert_int_equal(ucpo_eval_summarise(records, 3, NULL, NULL, &s, NULL), UCPO_OK);
    assert_int_equal(s.instances, 3);
    assert_int_equal(s.feasible_instances, 2);
    assert_int_equal(s.candidates, 20);
    assert_int_equal(s.feasible_candidates, 6);
    assert_int_equal(s.disputed, 1);
    assert_close(s.infeasible_instances, 1.0 / 3, 1e-15, 0);
    assert_close(s.infeasible_solutions, 0.7, 1e-15, 0);
    assert_close(s.mean_objective, 2.5, 0, 0);
    assert_close(s.mean_cost, 250, 0, 0);
    assert_close(s.first_infeasible, 2.0 / 3, 1e-15, 0);
    assert_close(s.first_objective, 3, 0, 0);
    assert_int_equal(s.common, 2);
    assert_close(s.common_objective, 2.5, 0, 0);
    assert_true(isnan(s.mean_reference) && isnan(s.gap_mean) && isnan(s.gap_ratio));
    assert_true(isnan(s.gap_common));
}

static void the_three_gaps(void **state)
{
    (void)state;
    const double reference[3] = {1.6, 3.4, 2.5};
    ucpo_eval_summary s;
    assert_int_equal(ucpo_eval_summarise(records, 3, reference, NULL, &s, NULL), UCPO_OK);
    assert_close(s.mean_reference, 2.5, 1e-15, 0);
    assert_close(s.gap_mean, (25.0 + 20.0) / 2, 1e-12, 0);
    assert_close(s.gap_ratio, 0.0, 0, 1e-12); /* the unsolved one has the long reference */
    assert_close(s.gap_common, 100 * (5.0 / 4.1 - 1), 1e-12, 0);

    const uint8_t common[3] = {0, 1, 1}; /* of these, we solved the last */
    assert_int_equal(ucpo_eval_summarise(records, 3, reference, common, &s, NULL), UCPO_OK);
    assert_int_equal(s.common, 1);
    assert_close(s.common_objective, 3, 0, 0);
    assert_close(s.gap_common, 20, 1e-12, 0);
    assert_close(s.gap_mean, 22.5, 1e-12, 0);
}

static void an_instance_without_reference_counts_in_no_gap(void **state)
{
    (void)state;
    const double reference[3] = {1.6, 3.4, NAN}, none[3] = {NAN, NAN, NAN};
    ucpo_eval_summary s;
    assert_int_equal(ucpo_eval_summarise(records, 3, reference, NULL, &s, NULL), UCPO_OK);
    assert_close(s.mean_reference, 2.5, 1e-15, 0);
    assert_close(s.gap_mean, 25.0, 1e-12, 0);
    assert_close(s.gap_ratio, 100 * (2.0 / 2.5 - 1), 1e-12, 0);
    assert_close(s.gap_common, 25.0, 1e-12, 0);
    assert_close(s.mean_objective, 2.5, 0, 0); /* as if there were no references */
    assert_int_equal(s.common, 2);
    assert_int_equal(ucpo_eval_summarise(records, 3, none, NULL, &s, NULL), UCPO_OK);
    assert_true(isnan(s.mean_reference) && isnan(s.gap_mean) && isnan(s.gap_common));
}

static void nothing_solved_has_no_means(void **state)
{
    (void)state;
    const double reference[1] = {2};
    ucpo_eval_summary s;
    assert_int_equal(ucpo_eval_summarise(records + 1, 1, reference, NULL, &s, NULL), UCPO_OK);
    assert_close(s.infeasible_instances, 1, 0, 0);
    assert_close(s.infeasible_solutions, 1, 0, 0);
    assert_close(s.mean_reference, 2, 0, 0);
    assert_true(isnan(s.mean_objective) && isnan(s.first_objective) && isnan(s.common_objective));
    assert_true(isnan(s.gap_mean) && isnan(s.gap_ratio) && isnan(s.gap_common));
    assert_int_equal(ucpo_eval_summarise(NULL, 0, NULL, NULL, &s, NULL), UCPO_OK);
    assert_true(isnan(s.infeasible_instances) && s.instances == 0);
}

static void a_reference_that_is_no_cost_is_named(void **state)
{
    (void)state;
    const double bad[3][3] = {{1, 0, 1}, {1, -2, 1}, {1, INFINITY, 1}};
    for (int k = 0; k < 3; k++) {
        ucpo_eval_summary s = {.instances = 77};
        ucpo_error err = {0};
        assert_int_equal(ucpo_eval_summarise(records, 3, bad[k], NULL, &s, &err), UCPO_E_ARGUMENT);
        assert_non_null(strstr(err.text, "reference cost 1 is"));
        assert_int_equal(s.instances, 77);
    }
    assert_int_equal(ucpo_eval_summarise(records, 3, NULL, NULL, NULL, NULL), UCPO_E_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_and_means),
        cmocka_unit_test(the_three_gaps),
        cmocka_unit_test(an_instance_without_reference_counts_in_no_gap),
        cmocka_unit_test(nothing_solved_has_no_means),
        cmocka_unit_test(a_reference_that_is_no_cost_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
