/* A search that is pointed at one instance after another finds what a fresh one finds, without
 * allocation once it has seen the largest. */
#include "refine/refine.h"
#include "support/alloc.h"
#include "support/support.h"

#include <string.h>

enum { MOST = 40, COUNT = 3, EFFORT = 3000 };

static ucpo_dataset *generate(const char *problem, int size)
{
    ucpo_dataset *set = NULL;
    ucpo_error err = {0};
    ucpo_generate_config g = ucpo_generate_config_default();
    g.problem = problem, g.size = size, g.count = COUNT;
    assert_ok(ucpo_generate(&g, &set, &err), &err);
    return set;
}

/* Searches from the identity order. */
static struct refined search(struct refine *refine, const ucpo_instance *inst)
{
    int32_t plan[MOST];
    ucpo_error err = {0};
    size_t len = (size_t)ucpo_instance_view(inst)->n - 1;
    for (size_t i = 0; i < len; i++) plan[i] = (int32_t)i + 1;
    assert_ok(refine_start(refine, plan, len, 3, &err), &err);
    refine_run(refine, EFFORT, NULL);
    return refine_best(refine);
}

static void a_bound_search_finds_what_a_fresh_one_finds(void **state)
{
    (void)state;
    static const int sizes[] = {12, 30, 7, 30};
    ucpo_error err = {0};
    for (size_t p = 0; p < prob_registry_count; p++) {
        struct refine *bound = NULL;
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
            ucpo_dataset *set = generate(prob_registry[p]->info.name, sizes[k]);
            for (size_t i = 0; i < COUNT; i++) {
                const ucpo_instance *inst = ucpo_dataset_at(set, i);
                struct refine *fresh = NULL;
                assert_ok(refine_create(inst, NULL, &fresh, &err), &err);
                struct refined expected = search(fresh, inst);
                size_t before = test_alloc_calls;
                if (bound)
                    assert_ok(refine_bind(bound, inst, NULL, &err), &err);
                else
                    assert_ok(refine_create(inst, NULL, &bound, &err), &err);
                struct refined found = search(bound, inst);
                if (k >= 2) assert_int_equal(test_alloc_calls - before, 0);
                assert_int_equal(found.len, expected.len);
                assert_memory_equal(found.nodes, expected.nodes,
                                    expected.len * sizeof *expected.nodes);
                assert_true(found.objective == expected.objective);
                assert_true(found.violation == expected.violation);
                refine_free(fresh);
            }
            ucpo_dataset_free(set);
        }
        refine_free(bound);
    }
}

static void a_search_that_could_not_grow_can_be_bound_again(void **state)
{
    (void)state;
    ucpo_dataset *small = generate("tsptw", 8), *large = generate("tsptw", 30);
    struct refine *refine = NULL;
    ucpo_error err = {0};
    assert_ok(refine_create(ucpo_dataset_at(small, 0), NULL, &refine, &err), &err);
    test_alloc_countdown = 0;
    ucpo_status st = refine_bind(refine, ucpo_dataset_at(large, 0), NULL, &err);
    test_alloc_countdown = -1;
    assert_int_equal(st, UCPO_E_MEMORY);
    assert_ok(refine_bind(refine, ucpo_dataset_at(large, 0), NULL, &err), &err);
    assert_int_equal(search(refine, ucpo_dataset_at(large, 0)).len, 29);
    refine_free(refine);
    ucpo_dataset_free(small);
    ucpo_dataset_free(large);
}

/* Above 2000 nodes there are no tables: those of the smaller instance must not be used. */
static void a_fleet_can_outgrow_its_tables(void **state)
{
    (void)state;
    ucpo_dataset *small = generate("cvrptw", 20), *large = generate("cvrptw", 2100);
    struct refine *refine = NULL;
    ucpo_error err = {0};
    int32_t nodes[1] = {1};
    assert_ok(refine_create(ucpo_dataset_at(small, 0), NULL, &refine, &err), &err);
    assert_ok(refine_bind(refine, ucpo_dataset_at(large, 0), NULL, &err), &err);
    assert_ok(refine_start(refine, nodes, 1, 3, &err), &err);
    refine_run(refine, 1000, NULL);
    assert_true(refine_best(refine).len >= 2100);
    refine_free(refine);
    ucpo_dataset_free(small);
    ucpo_dataset_free(large);
}

static void a_search_keeps_to_its_kind_of_problem(void **state)
{
    (void)state;
    ucpo_dataset *tours = generate("tsptw", 8), *fleets = generate("cvrptw", 8);
    struct refine *refine = NULL;
    ucpo_error err = {0};
    assert_ok(refine_create(ucpo_dataset_at(tours, 0), NULL, &refine, &err), &err);
    assert_int_equal(refine_bind(refine, ucpo_dataset_at(fleets, 0), NULL, &err), UCPO_E_MISMATCH);
    assert_ok(refine_bind(refine, ucpo_dataset_at(tours, 1), NULL, &err), &err);
    refine_free(refine);
    ucpo_dataset_free(tours);
    ucpo_dataset_free(fleets);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bound_search_finds_what_a_fresh_one_finds),
        cmocka_unit_test(a_search_that_could_not_grow_can_be_bound_again),
        cmocka_unit_test(a_fleet_can_outgrow_its_tables),
        cmocka_unit_test(a_search_keeps_to_its_kind_of_problem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
