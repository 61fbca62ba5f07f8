/* Lower bounds against the best plan of small instances, found by trying all of them. */
#include "bound/bound.h"
#include "core/rng.h"
#include "support/random_instance.h"
#include "support/small.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8 };

/* What somebody claims: refuted only if no plan is as cheap, and, one vehicle, always then. */
static void refutes_claims_below_the_best_only(const ucpo_instance *inst, double best)
{
    static const double shares[] = {0.3, 0.9, 0.9999, 1.0, 1.0001, 1.3};
    for (size_t k = 0; k < sizeof shares / sizeof shares[0]; k++) {
        double claim = shares[k] * best, bound = 0.0;
        ucpo_error err = {0};
        assert_ok(ucpo_bound(inst, claim, &bound, &err), &err);
        assert_true(bound <= best + 1e-7 * best);
        if (shares[k] > 1.0) assert_true(bound < claim);
        if (shares[k] < 1.0 && inst->ops->max_vehicles == 1) assert_true(bound >= claim);
    }
}

/* Never above the best; what is called optimal is; a plan that is too dear is replaced by the best one
 * where labels were asked. Returns the gap of the bound. */
static double compare(const ucpo_instance *inst, int *proofs)
{
    double best = test_least_cost(inst);
    if (best == HUGE_VAL) return 0.0;
    refutes_claims_below_the_best_only(inst, best);
    int32_t tour[MOST], is_tour = inst->ops->max_vehicles == 1;
    ucpo_error err = {0};
    struct bound b = {.better = tour};
    assert_ok(bound_compute(inst, best, NULL, &b, &err), &err);
    assert_true(b.cost <= best + 1e-7 * best);
    assert_true(b.cost > 0.0);
    assert_false(b.has_better);
    if (b.is_optimal) assert_true(fabs(b.cost - best) < 1e-7 * best);
    double gap = 1.0 - b.cost / best;
    *proofs += b.is_optimal;
    if (!is_tour) return gap;
    assert_true(b.is_optimal); /* labels of so few customers are never too many */
    assert_ok(bound_compute(inst, 1.2 * best + 2.0, NULL, &b, &err), &err);
    assert_true(b.has_better && b.is_optimal);
    assert_true(fabs(b.cost - best) < 1e-7 * best);
    ucpo_evaluation e;
    assert_ok(
        ucpo_check(inst, tour, (size_t)ucpo_instance_view(inst)->n - 1, &e, NULL, 0, NULL, 0, &err),
        &err);
    assert_true(e.is_feasible);
    return gap;
}

static void generated_instances(void **state)
{
    (void)state;
    int proofs = 0;
    for (size_t p = 0; p < ucpo_problem_count(); p++) {
        const ucpo_problem_info *problem = ucpo_problem_at(p);
        char levels[64];
        snprintf(levels, sizeof levels, "%s", problem->levels);
        char *rest = levels;
        for (char *level; (level = strtok_r(rest, " ", &rest));) {
            ucpo_generate_config g = ucpo_generate_config_default();
            g.problem = problem->name, g.level = level, g.count = 12, g.seed = 5;
            g.size = problem->depot_is_extra ? 6 : 7;
            ucpo_dataset *set = NULL;
            ucpo_error err = {0};
            assert_ok(ucpo_generate(&g, &set, &err), &err);
            for (size_t i = 0; i < ucpo_dataset_count(set); i++) {
                const ucpo_instance *inst = ucpo_dataset_at(set, i);
                if (!ucpo_instance_view(inst)->limit || inst->data.draft == UCPO_DRAFT_LOAD)
                    compare(inst, &proofs);
            }
            ucpo_dataset_free(set);
        }
    }
    assert_true(proofs > 20);
}

/* Matrices that are not symmetric, whole or not, some without triangle inequality or with blocked legs. */
static void matrices(void **state)
{
    (void)state;
    struct rng rng = rng_at(7, 0, 0);
    int proofs = 0;
    for (int k = 0; k < 60; k++) {
        enum { N = 7 };

        double cost[N * N], ready[N], due[N], service[N];
        int is_whole = k % 2;
        for (int i = 0; i < N * N; i++) {
            cost[i] = 1.0 + 99.0 * rng_uniform(&rng);
            if (is_whole) cost[i] = rint(cost[i]);
            if (k % 5 == 4 && rng_uniform(&rng) < 0.1) cost[i] = 1e6;
            if (i % (N + 1) == 0) cost[i] = 0.0;
        }
        for (int i = 0; i < N; i++) {
            ready[i] = i ? rint(200.0 * rng_uniform(&rng)) : 0.0;
            due[i] = i ? ready[i] + 60.0 + 250.0 * rng_uniform(&rng) : 1e4;
            service[i] = i && k % 3 == 0 ? 5.0 : 0.0;
        }
        ucpo_instance_data d = ucpo_instance_data_default();
        d.problem = "tsptw", d.n = N, d.cost = cost, d.ready = ready, d.due = due,
        d.service = service;
        if (k % 5 == 4) d.no_way = 1e6;
        ucpo_instance *inst = NULL;
        ucpo_error err = {0};
        assert_ok(ucpo_instance_create(&d, &inst, &err), &err);
        compare(inst, &proofs);
        ucpo_instance_free(inst);
    }
    assert_true(proofs > 20);
}

static int is_close(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

/* In both directions of drafts too. */
static void the_best_plan_of_a_few_customers_or_that_there_is_none(void **state)
{
    (void)state;
    int feasible = 0, infeasible = 0;
    for (size_t p = 0; p < prob_registry_count; p++) {
        for (uint64_t seed = 0; seed < 72; seed++) {
            ucpo_instance *inst = test_random_instance(prob_registry[p], 4 + (int32_t)(seed % 4),
                                                       (enum test_shape)(seed % SHAPE_COUNT), seed);
            ucpo_instance *turned = NULL;
            if (inst->data.limit) {
                assert_int_equal(ucpo_instance_mirror(inst, &turned, NULL), UCPO_OK);
                ucpo_instance_free(inst);
                inst = turned;
            }
            double best = test_least_cost(inst);
            struct bound_exact all;
            ucpo_error err = {0};
            assert_ok(bound_exact(inst, &all, &err), &err);
            assert_true(all.is_known);
            assert_int_equal(all.is_feasible, best < HUGE_VAL);
            if (all.is_feasible) {
                ucpo_evaluation e;
                assert_ok(ucpo_check(inst, all.plan, all.len, &e, NULL, 0, NULL, 0, &err), &err);
                assert_true(e.is_feasible && is_close(e.cost, best) && is_close(all.cost, best));
            }
            feasible += all.is_feasible, infeasible += !all.is_feasible;
            ucpo_instance_free(inst);
        }
    }
    assert_true(feasible > 100 && infeasible > 20);
}

/* Half a unit late is tolerated to the last bit, at a customer and at home, and no more. */
static void all_orders_tolerate_what_the_checker_does(void **state)
{
    (void)state;
    const double cost[] = {0, 5, 9, 5, 0, 5, 9, 5, 0}, ready[] = {0, 0, 0};
    const double due[][3] = {{18.5, 4.5, 9.5}, {18.5, 5, 10}, {19, 4.5, 10}};
    for (int k = 0; k < 3; k++) {
        for (int is_granted = 0; is_granted < 2; is_granted++) {
            ucpo_instance_data d = ucpo_instance_data_default();
            d.problem = "tsptw", d.n = 3, d.cost = cost, d.ready = ready, d.due = due[k];
            d.tolerance = is_granted ? 0.5 : 0.25;
            ucpo_instance *inst = NULL;
            ucpo_error err = {0};
            struct bound_exact all;
            assert_ok(ucpo_instance_create(&d, &inst, &err), &err);
            assert_ok(bound_exact(inst, &all, &err), &err);
            assert_int_equal(all.is_feasible, is_granted);
            if (is_granted) assert_true(all.cost == 19.0);
            ucpo_instance_free(inst);
        }
    }
}

static void ten_customers_are_too_many_to_try_all_orders(void **state)
{
    (void)state;
    for (int32_t n = 10; n <= 11; n++) {
        ucpo_instance *inst = test_random_instance(prob_find("cvrp"), n, SHAPE_MATRIX, 3);
        struct bound_exact all;
        assert_int_equal(bound_exact(inst, &all, NULL), UCPO_OK);
        assert_int_equal(all.is_known, n == 10);
        ucpo_instance_free(inst);
    }
}

/* Found by enumeration: 211 where a plan costs 204. The checker tolerates such an amount even in a vehicle that is
 * full, the bound had a second vehicle for it. */
static void demands_within_the_tolerance_need_no_vehicle(void **state)
{
    (void)state;
    const double cost[] = {0, 68, 7, 74, 73, 0, 7, 54, 36, 84, 0, 24, 39, 95, 78, 0};
    const double demand[] = {0, 2.5859609354549944, 0.5894314826589035, 1.4204055800893754e-09};
    ucpo_instance_data d = ucpo_instance_data_default();
    d.problem = "cvrp", d.n = 4, d.cost = cost, d.demand = demand, d.capacity = 2.5859609324549915;
    ucpo_instance *inst = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_instance_create(&d, &inst, &err), &err);
    double best = test_least_cost(inst);
    for (int k = 0; k < 2; k++) {
        int32_t tour[4];
        struct bound b = {.better = tour};
        assert_ok(bound_compute(inst, k ? 329.0 : best, NULL, &b, &err), &err);
        assert_true(b.cost <= best * (1.0 + 1e-9));
    }
    ucpo_instance_free(inst);
}

static int yes(void *user)
{
    (void)user;
    return 1;
}

static void a_stop_leaves_a_bound_or_none(void **state)
{
    (void)state;
    ucpo_generate_config g = ucpo_generate_config_default();
    g.problem = "tsptw", g.level = "medium", g.size = 30, g.count = 1, g.seed = 3;
    ucpo_dataset *set = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_generate(&g, &set, &err), &err);
    struct stop stop = {.ask = yes};
    int32_t tour[30];
    struct bound b = {.better = tour};
    assert_ok(bound_compute(ucpo_dataset_at(set, 0), 1e5, &stop, &b, &err), &err);
    assert_false(b.is_optimal || b.has_better);
    assert_true(b.cost < 1e5);
    ucpo_dataset_free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generated_instances),
        cmocka_unit_test(matrices),
        cmocka_unit_test(the_best_plan_of_a_few_customers_or_that_there_is_none),
        cmocka_unit_test(all_orders_tolerate_what_the_checker_does),
        cmocka_unit_test(ten_customers_are_too_many_to_try_all_orders),
        cmocka_unit_test(demands_within_the_tolerance_need_no_vehicle),
        cmocka_unit_test(a_stop_leaves_a_bound_or_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
