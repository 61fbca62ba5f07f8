/* Memory of the search for fleets: each allocation failing in turn, and none at all while it works. */
#include "refine/refine.h"

#include "support/alloc.h"
#include "support/random_instance.h"
#include "support/support.h"

static void set_up_survives_every_shortage(void **state)
{
    (void)state;
    ucpo_instance *inst = test_random_instance(prob_find("cvrptw"), 12, SHAPE_TWO_MATRIX, 1);
    int k = 0;
    for (;; k++) {
        ucpo_error err = {0};
        struct refine *refine = NULL;
        test_alloc_countdown = k;
        ucpo_status st = refine_create(inst, NULL, &refine, &err);
        int was_reached = test_alloc_countdown < 0;
        test_alloc_countdown = -1;
        refine_free(refine);
        if (!was_reached) {
            assert_ok(st, &err);
            break;
        }
        assert_int_equal(st, UCPO_E_MEMORY);
        assert_int_equal(err.code, UCPO_E_MEMORY);
        assert_null(refine);
    }
    assert_int_equal(k, 5);
    ucpo_instance_free(inst);
}

static void the_search_allocates_nothing(void **state)
{
    (void)state;
    ucpo_instance *inst = test_random_instance(prob_find("cvrptwlv"), 40, SHAPE_GENERATED, 1);
    struct refine *refine = NULL;
    ucpo_error err = {0};
    assert_ok(refine_create(inst, NULL, &refine, &err), &err);
    size_t before = test_alloc_calls;
    ucpo_status started = refine_start(refine, NULL, 0, 1, &err);
    refine_run(refine, 1000000, NULL);
    struct refined best = refine_best(refine);
    size_t after = test_alloc_calls;
    assert_ok(started, &err);
    assert_true(best.len >= 39);
    assert_int_equal(after, before);
    refine_free(refine);
    ucpo_instance_free(inst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(set_up_survives_every_shortage),
        cmocka_unit_test(the_search_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
