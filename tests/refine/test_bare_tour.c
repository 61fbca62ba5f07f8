/* A tour without windows, limits and loads: no registered problem, but what a new one may be. */
#include "refine/refine.h"
#include "support/support.h"

#include <math.h>

enum { NODES = 8 };

static double cheapest(const ucpo_instance *inst, int32_t at, unsigned visited, double cost)
{
    double best = HUGE_VAL;
    if (visited == (1u << NODES) - 1u) return cost + ucpo_instance_cost(inst, at, 0);
    for (int32_t j = 1; j < NODES; j++)
        if (!(visited >> j & 1u))
            best = fmin(
                best, cheapest(inst, j, visited | 1u << j, cost + ucpo_instance_cost(inst, at, j)));
    return best;
}

static void a_tour_without_windows_and_limits_is_searched(void **state)
{
    (void)state;
    struct prob_ops bare = *prob_find("tsptw");
    ucpo_generate_config g = ucpo_generate_config_default();
    ucpo_dataset *set = NULL;
    ucpo_error err = {0};
    bare.needs = 0;
    g.problem = "tsptw", g.size = NODES, g.count = 10;
    assert_ok(ucpo_generate(&g, &set, &err), &err);
    for (size_t i = 0; i < g.count; i++) {
        struct ucpo_instance inst = *ucpo_dataset_at(set, i);
        inst.load = &inst;
        struct refine *refine = NULL;
        inst.ops = &bare;
        inst.data.ready = inst.data.due = inst.data.service = NULL;
        assert_ok(refine_create(&inst, NULL, &refine, &err), &err);
        assert_ok(refine_start(refine, NULL, 0, 1, &err), &err);
        refine_run(refine, 20000, NULL);
        struct refined found = refine_best(refine);
        assert_int_equal(found.len, NODES - 1);
        assert_true(found.violation == 0.0);
        assert_close(found.objective * inst.data.unit, cheapest(&inst, 0, 1u, 0.0), 1e-9, 0.0);
        refine_free(refine);
    }
    ucpo_dataset_free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tour_without_windows_and_limits_is_searched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
