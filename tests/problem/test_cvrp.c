/* Capacity alone: what the generator draws, and what a registered problem gives for nothing. */
#include "problem/problem.h"
#include "support/support.h"

#include <math.h>
#include <string.h>

static ucpo_dataset *draw(int32_t size, double capacity, size_t count)
{
    ucpo_generate_config c = ucpo_generate_config_default();
    ucpo_error err = {0};
    ucpo_dataset *set = NULL;
    c.problem = "cvrp", c.size = size, c.capacity = capacity, c.count = count, c.seed = 5;
    assert_ok(ucpo_generate(&c, &set, &err), &err);
    return set;
}

static void capacities_are_the_published_ones(void **state)
{
    static const int32_t size[] = {5, 10, 20, 35, 50, 100, 200};
    static const double capacity[] = {15, 20, 30, 35, 40, 50, 70};
    (void)state;
    for (size_t k = 0; k < sizeof size / sizeof size[0]; k++) {
        ucpo_dataset *set = draw(size[k], 0.0, 1);
        const ucpo_instance_data *d = ucpo_instance_view(ucpo_dataset_at(set, 0));
        assert_int_equal(d->n, size[k] + 1);
        assert_true(d->capacity == capacity[k]);
        ucpo_dataset_free(set);
    }
    ucpo_dataset *set = draw(50, 60.0, 1);
    assert_true(ucpo_instance_view(ucpo_dataset_at(set, 0))->capacity == 60.0);
    ucpo_dataset_free(set);
}

static void demands_are_one_to_nine_and_places_fill_the_square(void **state)
{
    (void)state;
    ucpo_dataset *set = draw(50, 0.0, 200);
    size_t seen[10] = {0};
    double sum = 0.0;
    for (size_t i = 0; i < 200; i++) {
        const ucpo_instance_data *d = ucpo_instance_view(ucpo_dataset_at(set, i));
        assert_null(d->due);
        assert_null(d->service);
        assert_true(d->demand[0] == 0.0 && d->vehicles == 0 && d->unit == 1.0);
        for (int32_t node = 1; node < d->n; node++) {
            assert_true(d->demand[node] >= 1.0 && d->demand[node] <= 9.0);
            seen[(int)d->demand[node]]++;
            assert_true(d->x[node] >= 0.0 && d->x[node] < 1.0 && d->y[node] < 1.0);
            sum += d->x[node] + d->y[node];
        }
    }
    for (int k = 1; k <= 9; k++) assert_true(seen[k] > 1000 && seen[k] < 1225); /* 1111 +- 3.5 sd */
    assert_close(sum / (2 * 200 * 50), 0.5, 0.0, 0.01);
    ucpo_dataset_free(set);
}

static void a_fleet_limit_is_refused(void **state)
{
    (void)state;
    ucpo_dataset *set = draw(5, 0.0, 1);
    ucpo_instance_data d = *ucpo_instance_view(ucpo_dataset_at(set, 0));
    ucpo_instance *inst = NULL;
    ucpo_error err = {0};
    d.vehicles = 2;
    assert_int_equal(ucpo_instance_create(&d, &inst, &err), UCPO_E_ARGUMENT);
    assert_non_null(strstr(err.text, "cvrp has no fleet limit"));
    ucpo_dataset_free(set);
}

static void problems_are_found_by_what_they_need(void **state)
{
    (void)state;
    for (size_t p = 0; p < prob_registry_count; p++) {
        const struct prob_ops *ops = prob_registry[p];
        assert_ptr_equal(prob_with(ops->needs), ops); /* no two have the same arrays */
        assert_non_null(ops->columns);
        assert_non_null(ops->tsplib[0]);
        assert_true(prob_is_same_kind(ops->info.name, ops->info.name));
    }
    const struct prob_ops *fleet = prob_find("cvrptw");
    assert_string_equal(prob_limited(fleet, 1)->info.name, "cvrptwlv");
    assert_ptr_equal(prob_limited(prob_limited(fleet, 1), 0), fleet);
    assert_null(prob_limited(prob_find("cvrp"), 1));
    assert_true(prob_is_same_kind("cvrptw", "cvrptwlv"));
    assert_false(prob_is_same_kind("cvrptw", "cvrp"));
    assert_false(prob_is_same_kind("cvrptw", "no such problem"));
    assert_string_equal(prob_name_with(PROB_LIMIT | PROB_WINDOWS), "");
    char types[128];
    assert_string_equal(prob_types(types, sizeof types), "TSPTW, TSPDL, CVRPTW, VRPTW or CVRP");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(capacities_are_the_published_ones),
        cmocka_unit_test(demands_are_one_to_nine_and_places_fill_the_square),
        cmocka_unit_test(a_fleet_limit_is_refused),
        cmocka_unit_test(problems_are_found_by_what_they_need),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
