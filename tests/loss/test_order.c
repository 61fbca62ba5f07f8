/* The partial order and the ranking made from it. */
#include "core/rng.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>

static ucpo_loss_config with_relation(ucpo_relation relation)
{
    ucpo_loss_config config = ucpo_loss_config_default();
    config.relation = relation;
    return config;
}

static void feasible_goes_first_whatever_it_costs(void **state)
{
    (void)state;
    assert_int_equal(ucpo_compare(NULL, 100.0, 0.0, 1.0, 1e-9), -1);
    assert_int_equal(ucpo_compare(NULL, 1.0, 1e-9, 100.0, 0.0), 1);
}

static void feasible_ones_by_objective_others_by_lagrangian(void **state)
{
    (void)state;
    assert_int_equal(ucpo_compare(NULL, 9.0, 0.0, 10.0, 0.0), -1);
    assert_int_equal(ucpo_compare(NULL, 10.0, 0.0, 10.0, 0.0), 0);
    assert_int_equal(ucpo_compare(NULL, 9.0, 3.0, 10.0, 1.0), 1);
    ucpo_loss_config half = ucpo_loss_config_default();
    half.lambda = 0.5;
    assert_int_equal(ucpo_compare(&half, 9.0, 3.0, 10.0, 1.0), 0);
    half.lambda = 0.25;
    assert_int_equal(ucpo_compare(&half, 9.0, 3.0, 10.0, 1.0), -1);
}

static void each_relation_reads_what_it_says(void **state)
{
    /* a: cheap and badly late, b: dear and slightly late, c: feasible and dearest */
    const double fa = 5, va = 6, fb = 9, vb = 1, fc = 12, vc = 0;
    ucpo_loss_config c = with_relation(UCPO_RELATION_CONSTRAINT);
    (void)state;
    assert_int_equal(ucpo_compare(&c, fa, va, fb, vb), 1);
    assert_int_equal(ucpo_compare(&c, fc, vc, fb, vb), -1);
    c = with_relation(UCPO_RELATION_PRIMAL);
    assert_int_equal(ucpo_compare(&c, fa, va, fb, vb), -1);
    assert_int_equal(ucpo_compare(&c, fc, vc, fa, va), -1);
    c = with_relation(UCPO_RELATION_DUAL);
    assert_int_equal(ucpo_compare(&c, fb, vb, fc, vc), -1);
    assert_int_equal(ucpo_compare(&c, fa, va, fb, vb), 1);
    c = with_relation(UCPO_RELATION_OBJECTIVE);
    assert_int_equal(ucpo_compare(&c, fa, va, fc, vc), -1);
    assert_int_equal(ucpo_compare(&c, fa, va, fa, 0.0), 0);
}

static void ties_relation_has_a_threshold_both_ends_included(void **state)
{
    ucpo_loss_config c = with_relation(UCPO_RELATION_TIES);
    c.tie = 0.125;
    (void)state;
    assert_int_equal(ucpo_compare(&c, 8.0, 0.0, 8.125, 0.0), 0);
    assert_int_equal(ucpo_compare(&c, 8.0, 0.0, 8.1875, 0.0), -1);
    assert_int_equal(ucpo_compare(&c, 8.0, 0.0, 7.9375, 0.0625), 0);
    assert_int_equal(ucpo_compare(&c, 8.0, 0.0, 7.0, 0.5), -1); /* no tie: feasible first */
}

static void ranking_is_a_sorted_permutation(void **state)
{
    static const size_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 31, 50, 100, 1000};
    (void)state;
    for (ucpo_relation relation = 0; relation <= UCPO_RELATION_OBJECTIVE; relation++)
        for (size_t z = 0; z < sizeof sizes / sizeof sizes[0]; z++) {
            enum { MOST = 1000 };

            static double f[MOST], v[MOST];
            static uint32_t rank[MOST];
            static unsigned char seen[MOST];
            size_t count = sizes[z];
            struct rng rng = rng_at(11, RNG_TEST, z);
            for (size_t i = 0; i < count; i++) { /* coarse values: many equal ones */
                f[i] = 10.0 + rng_below(&rng, 6);
                v[i] = rng_below(&rng, 3);
                seen[i] = 0;
            }
            ucpo_loss_config config = with_relation(relation), order = config;
            if (relation == UCPO_RELATION_TIES) order.relation = UCPO_RELATION_CANONICAL;
            ucpo_error err;
            assert_ok(ucpo_rank(&config, count, f, v, rank, &err), &err);
            for (size_t r = 0; r < count; r++) {
                assert_true(rank[r] < count && !seen[rank[r]]);
                seen[rank[r]] = 1;
                if (r == 0) continue;
                uint32_t a = rank[r - 1], b = rank[r];
                int result = ucpo_compare(&order, f[a], v[a], f[b], v[b]);
                assert_true(result < 0 || (result == 0 && a < b));
            }
        }
}

static void ranking_refuses_what_it_cannot_order(void **state)
{
    double f[] = {1, 2, (double)NAN}, v[] = {0, 0, 0};
    uint32_t rank[3] = {7, 7, 7};
    ucpo_error err;
    (void)state;
    assert_int_equal(ucpo_rank(NULL, 3, f, v, rank, &err), UCPO_E_ARGUMENT);
    assert_string_equal(err.text, "objective[2] is nan, expected a finite number of magnitude at "
                                  "most 1e100");
    assert_int_equal(ucpo_rank(NULL, 0, f, v, rank, &err), UCPO_E_ARGUMENT);
    assert_int_equal(ucpo_rank(NULL, 2, f, v, NULL, &err), UCPO_E_ARGUMENT);
    assert_int_equal(ucpo_rank(NULL, 2, NULL, v, rank, &err), UCPO_E_ARGUMENT);
    assert_string_equal(err.text, "objective is NULL");
    assert_int_equal(rank[0], 7);
    assert_ok(ucpo_rank(NULL, 2, f, v, rank, &err), &err);
    assert_int_equal(rank[0], 0);
    assert_int_equal(rank[2], 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(feasible_goes_first_whatever_it_costs),
        cmocka_unit_test(feasible_ones_by_objective_others_by_lagrangian),
        cmocka_unit_test(each_relation_reads_what_it_says),
        cmocka_unit_test(ties_relation_has_a_threshold_both_ends_included),
        cmocka_unit_test(ranking_is_a_sorted_permutation),
        cmocka_unit_test(ranking_refuses_what_it_cannot_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
