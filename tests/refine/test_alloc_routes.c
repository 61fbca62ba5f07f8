/* Memory of the search for fleets: each allocation failing in turn, and none at all while it works. */
#include "refine/routes.h"

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
        struct routes *routes = NULL;
        test_alloc_countdown = k;
        ucpo_status st = routes_create(inst, NULL, &routes, &err);
        int was_reached = test_alloc_countdown < 0;
        test_alloc_countdown = -1;
        routes_free(routes);
        if (!was_reached) {
            assert_ok(st, &err);
            break;
        }
        assert_int_equal(st, UCPO_E_MEMORY);
        assert_int_equal(err.code, UCPO_E_MEMORY);
        assert_null(routes);
    }
    assert_int_equal(k, 2);
    ucpo_instance_free(inst);
}

static void the_search_allocates_nothing(void **state)
{
    (void)state;
    ucpo_instance *inst = test_random_instance(prob_find("cvrptwlv"), 40, SHAPE_GENERATED, 1);
    struct routes *routes = NULL;
    ucpo_error err = {0};
    assert_ok(routes_create(inst, NULL, &routes, &err), &err);
    size_t before = test_alloc_calls;
    ucpo_status started = routes_start(routes, NULL, 0, 1, &err);
    ucpo_status ran = routes_run(routes, 1000000, NULL, &err);
    struct refined best = routes_best(routes);
    size_t after = test_alloc_calls;
    assert_ok(started, &err);
    assert_ok(ran, &err);
    assert_true(best.len >= 39);
    assert_int_equal(after, before);
    routes_free(routes);
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
