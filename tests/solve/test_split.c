/* A fleet's plan searched in parts: nobody is lost, nothing gets worse, whatever the instance has. */
#include "solve/solve.h"

#include <math.h>
#include <string.h>

#include "support/random_instance.h"
#include "support/support.h"

enum { NODES = 220, FEW_NODES = 40, MOST_PARTS = 4 };

static int no_more(void *user)
{
    int *left = user;
    return --*left < 0;
}

static size_t a_plan(const ucpo_instance *inst, int32_t *nodes)
{
    struct construct *rules = NULL;
    ucpo_error err = {0};
    size_t len = 0;
    assert_ok(construct_create(inst, &rules, &err), &err);
    assert_ok(construct_run(rules, 1, NULL, nodes, &len, &err), &err);
    construct_free(rules);
    return len;
}

static ucpo_evaluation value_of(const ucpo_instance *inst, const int32_t *nodes, size_t len)
{
    ucpo_evaluation e;
    assert_int_equal(ucpo_check(inst, nodes, len, &e, NULL, 0, NULL, 0, NULL), UCPO_OK);
    assert_int_equal(e.missing + e.duplicates + e.unknown, 0);
    return e;
}

static void search(const ucpo_instance *inst, int32_t *nodes, size_t *len, int parts, double turn,
                   int asks)
{
    struct stop stop[MOST_PARTS];
    int left[MOST_PARTS];
    ucpo_error err = {0};
    for (int t = 0; t < MOST_PARTS; t++) {
        left[t] = asks;
        stop[t] = (struct stop){.ask = no_more, .user = &left[t]};
    }
    assert_ok(split_search(inst, nodes, len, parts, turn, 5, NULL, stop, NULL, &err), &err);
}

static void parts_lose_nobody_and_make_nothing_worse(void **state)
{
    (void)state;
    const char *const problems[] = {"cvrptw", "cvrp", "cvrptwlv"};

    const enum test_shape shapes[] = {SHAPE_GENERATED, SHAPE_TIGHT};

    for (size_t p = 0; p < sizeof problems / sizeof *problems; p++) {
        for (int shape = 0; shape < 2; shape++) {
            ucpo_instance *inst = test_random_instance(
                prob_find(problems[p]), shape ? FEW_NODES : NODES, shapes[shape], 11);
            int32_t nodes[2 * NODES];
            size_t len = a_plan(inst, nodes);
            for (int parts = 2; parts <= MOST_PARTS; parts++) {
                ucpo_evaluation before = value_of(inst, nodes, len);
                search(inst, nodes, &len, parts, 0.3 * parts, 4 * NODES);
                ucpo_evaluation after = value_of(inst, nodes, len);
                if (!before.is_feasible) continue;
                assert_true(after.is_feasible);
                assert_true(after.cost <= before.cost * (1.0 + 1e-9));
            }
            ucpo_instance_free(inst);
        }
    }
}

static void parts_improve_a_poor_plan(void **state)
{
    (void)state;
    ucpo_instance *inst = test_random_instance(prob_find("cvrptw"), NODES, SHAPE_GENERATED, 3);
    int32_t nodes[2 * NODES];
    size_t len = a_plan(inst, nodes);
    double before = value_of(inst, nodes, len).cost;
    search(inst, nodes, &len, 2, 0.0, 2000);
    assert_true(value_of(inst, nodes, len).cost < 0.95 * before);
    ucpo_instance_free(inst);
}

static void a_stop_at_once_leaves_the_plan(void **state)
{
    (void)state;
    ucpo_instance *inst = test_random_instance(prob_find("cvrptw"), NODES, SHAPE_GENERATED, 4);
    int32_t nodes[2 * NODES];
    size_t len = a_plan(inst, nodes);
    double before = value_of(inst, nodes, len).cost;
    search(inst, nodes, &len, 2, 0.5, 0);
    assert_true(fabs(value_of(inst, nodes, len).cost - before) <= 1e-9 * before);
    ucpo_instance_free(inst);
}

static void only_large_fleets_with_coordinates_are_split(void **state)
{
    (void)state;

    const struct {
        const char *problem;
        int32_t n;
        enum test_shape shape;
        int threads, parts;
    } cases[] = {
        {"tsptw", 400, SHAPE_GENERATED, 4, 1},  {"cvrptw", 150, SHAPE_GENERATED, 4, 1},
        {"cvrptw", 250, SHAPE_GENERATED, 4, 2}, {"cvrptw", 420, SHAPE_GENERATED, 3, 3},
        {"cvrptw", 420, SHAPE_GENERATED, 1, 1},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ucpo_instance *inst =
            test_random_instance(prob_find(cases[k].problem), cases[k].n, cases[k].shape, 1);
        int parts = split_parts(inst, cases[k].threads);
        assert_int_equal(parts, cases[k].parts);
        ucpo_instance_free(inst);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_lose_nobody_and_make_nothing_worse),
        cmocka_unit_test(parts_improve_a_poor_plan),
        cmocka_unit_test(a_stop_at_once_leaves_the_plan),
        cmocka_unit_test(only_large_fleets_with_coordinates_are_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
