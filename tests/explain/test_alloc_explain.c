/* Each allocation failing in turn leaves a clean error (leaks are seen by the sanitizer build). */
#include <math.h>

#include "problem/problem.h"
#include "support/alloc.h"
#include "support/random_instance.h"
#include "support/support.h"

static void every_failing_allocation_is_a_clean_error(void **state)
{
    (void)state;
    static const int32_t plan[] = {1, 2, 3, 4, 5, 6, 7};
    for (size_t p = 0; p < prob_registry_count; p++) {
        for (uint64_t seed = 0; seed < 12; seed++) {
            enum test_shape shape = (enum test_shape)(seed % SHAPE_COUNT);
            ucpo_instance *inst = test_random_instance(prob_registry[p], 8, shape, seed);
            int k = 0;
            for (;; k++) {
                ucpo_error err = {0};
                ucpo_explanation *e = NULL;
                test_alloc_countdown = k;
                ucpo_status st = ucpo_explain(inst, plan, seed % 3 ? 7 : 6, &e, &err);
                int was_reached = test_alloc_countdown < 0;
                test_alloc_countdown = -1;
                ucpo_explanation_free(e);
                if (st == UCPO_OK && !was_reached) break;
                assert_int_equal(st, UCPO_E_MEMORY);
                assert_int_equal(err.code, UCPO_E_MEMORY);
                assert_null(e);
            }
            assert_true(k > 5);
            ucpo_instance_free(inst);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_failing_allocation_is_a_clean_error)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
