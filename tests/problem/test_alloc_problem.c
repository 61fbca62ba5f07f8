/* Each allocation failing in turn leaves a clean error (leaks are seen by the sanitizer build). */
#include <stdlib.h>

#include "problem/env.h"
#include "support/alloc.h"
#include "support/support.h"

static ucpo_status use_everything(const char *problem, ucpo_error *err)
{
    ucpo_generate_config c = ucpo_generate_config_default();
    c.problem = problem, c.size = 6, c.count = 10, c.threads = 1;
    ucpo_dataset *set = NULL;
    ucpo_status st = ucpo_generate(&c, &set, err);
    struct prob_env *env = NULL;
    if (!st)
        st = prob_env_create(prob_find(problem), ucpo_instance_view(ucpo_dataset_at(set, 0))->n, 3,
                             &env, err);
    if (!st) st = prob_env_bind(env, ucpo_dataset_at(set, 1), err);
    ucpo_evaluation eval;
    if (!st) st = ucpo_check(ucpo_dataset_at(set, 0), NULL, 0, &eval, NULL, 0, NULL, 0, err);
    prob_env_free(env);
    ucpo_dataset_free(set);
    return st;
}

static void every_failing_allocation_is_a_clean_error(void **state)
{
    (void)state;
    for (size_t p = 0; p < ucpo_problem_count(); p++) {
        int k = 0;
        for (;; k++) {
            ucpo_error err = {0};
            test_alloc_countdown = k;
            ucpo_status st = use_everything(ucpo_problem_at(p)->name, &err);
            int was_reached = test_alloc_countdown < 0;
            test_alloc_countdown = -1;
            if (st == UCPO_OK && !was_reached) break;
            assert_int_equal(st, UCPO_E_MEMORY);
            assert_int_equal(err.code, UCPO_E_MEMORY);
        }
        assert_true(k > 20);
    }
}

static void embedding_without_memory_is_a_clean_error(void **state)
{
    (void)state;
    const double cost[9] = {0, 3, 4, 3, 0, 5, 4, 5, 0}, zero[3] = {0}, late[3] = {99, 99, 99};
    ucpo_instance_data d = ucpo_instance_data_default();
    d.problem = "tsptw", d.n = 3, d.cost = cost, d.ready = zero, d.due = late;
    ucpo_instance *inst = NULL;
    assert_int_equal(ucpo_instance_create(&d, &inst, NULL), UCPO_OK);
    float xy[6];
    int k = 0;
    for (;; k++) {
        ucpo_error err = {0};
        test_alloc_countdown = k;
        ucpo_status st = embed_matrix(inst, NULL, xy, &err);
        int was_reached = test_alloc_countdown < 0;
        test_alloc_countdown = -1;
        if (st == UCPO_OK && !was_reached) break;
        assert_int_equal(st, UCPO_E_MEMORY);
        assert_int_equal(err.code, UCPO_E_MEMORY);
    }
    assert_true(k > 0);
    ucpo_instance_free(inst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failing_allocation_is_a_clean_error),
        cmocka_unit_test(embedding_without_memory_is_a_clean_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
