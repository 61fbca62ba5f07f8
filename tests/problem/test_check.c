/* The verifier on plans worked out by hand. */
#include <math.h>
#include <string.h>

#include "support/support.h"

static const double X[] = {0, 3, 6, 6}, Y[] = {0, 4, 8, 0};
static const double READY[] = {0, 4, 8, 15}, DUE[] = {40, 9, 14, 22}, SERVICE[] = {0, 1, 1, 1};
static const double DEMAND[] = {0, 4, 5, 7};

static ucpo_instance *make(const ucpo_instance_data *d)
{
    ucpo_error err = {0};
    ucpo_instance *inst = NULL;
    assert_ok(ucpo_instance_create(d, &inst, &err), &err);
    return inst;
}

static ucpo_instance *toy_tsptw(void)
{
    ucpo_instance_data d = ucpo_instance_data_default();
    d.problem = "tsptw", d.n = 4, d.x = X, d.y = Y, d.ready = READY, d.due = DUE, d.tolerance = 0;
    return make(&d);
}

static ucpo_instance *toy_cvrptw(int32_t vehicles)
{
    ucpo_instance_data d = ucpo_instance_data_default();
    d.problem = vehicles ? "cvrptwlv" : "cvrptw";
    d.n = 4, d.x = X, d.y = Y, d.ready = READY, d.due = DUE, d.service = SERVICE, d.demand = DEMAND;
    d.capacity = 10, d.vehicles = vehicles, d.tolerance = 0;
    return make(&d);
}

static ucpo_evaluation check(const ucpo_instance *inst, const int32_t *nodes, size_t len,
                             ucpo_stop *stops)
{
    ucpo_evaluation eval;
    ucpo_error err = {0};
    assert_ok(ucpo_check(inst, nodes, len, &eval, stops, stops ? 16 : 0, NULL, 0, &err), &err);
    return eval;
}

static void the_toy_tour_is_feasible_with_the_known_schedule(void **state)
{
    (void)state;
    ucpo_instance *inst = toy_tsptw();
    ucpo_stop s[16];
    ucpo_evaluation e = check(inst, (const int32_t[]){1, 2, 3}, 3, s);
    assert_true(e.is_feasible);
    assert_close(e.cost, 24, 0, 0);
    assert_int_equal(e.stops, 4);
    assert_close(s[0].arrive, 5, 0, 0);
    assert_close(s[1].arrive, 10, 0, 0);
    assert_close(s[2].arrive, 18, 0, 0);
    assert_close(s[2].slack, 4, 0, 0);
    assert_close(s[3].arrive, 24, 0, 0);
    assert_int_equal(s[3].node, 0);
    ucpo_instance_free(inst);
}

static void depots_around_a_tour_change_nothing(void **state)
{
    (void)state;
    ucpo_instance *inst = toy_tsptw();
    ucpo_evaluation e = check(inst, (const int32_t[]){0, 0, 1, 2, 3, 0}, 6, NULL);
    assert_true(e.is_feasible);
    assert_int_equal(e.routes, 1);
    ucpo_instance_free(inst);
}

static void late_arrival_is_reported_at_its_stop(void **state)
{
    (void)state;
    ucpo_instance *inst = toy_tsptw();
    ucpo_stop s[16];
    /* 0-2: 10; 2-1: 15 (due 9, late 6); 1-3: 20; home 26 */
    ucpo_evaluation e = check(inst, (const int32_t[]){2, 1, 3}, 3, s);
    assert_false(e.is_feasible);
    assert_int_equal(e.late_count, 1);
    assert_close(e.late_sum, 6, 0, 0);
    assert_close(s[1].late, 6, 0, 0);
    assert_close(s[1].slack, -6, 0, 0);
    assert_close(e.violation, 6.0 / 8 + 1, 1e-15, 0);
    ucpo_instance_free(inst);
}

static void a_window_bounds_the_start_of_service_not_its_end(void **state)
{
    (void)state;
    const double service[] = {0, 4, 0,
                              0}; /* starts at 5 <= 9, ends exactly at 9: fine; so is 100 */
    ucpo_instance_data d = ucpo_instance_data_default();
    const double due[] = {400, 5, 140, 220};
    d.problem = "tsptw", d.n = 4, d.x = X, d.y = Y, d.ready = READY, d.due = due,
    d.service = service;
    ucpo_instance *inst = make(&d);
    ucpo_evaluation e = check(inst, (const int32_t[]){1, 2, 3}, 3, NULL);
    assert_true(e.is_feasible); /* node 1 starts at 5 = due although it ends at 9 */
    ucpo_instance_free(inst);
}

static void a_vehicle_waits_for_a_window_to_open(void **state)
{
    (void)state;
    ucpo_instance *inst = toy_cvrptw(0);
    ucpo_stop s[16];
    ucpo_evaluation e = check(inst, (const int32_t[]){1, 2, 0, 3}, 4, s);
    assert_true(e.is_feasible);
    assert_close(e.cost, 32, 0, 0);
    assert_int_equal(e.routes, 2);
    assert_close(s[3].arrive, 6, 0, 0);
    assert_close(s[3].wait, 9, 0, 0);
    assert_close(s[3].start, 15, 0, 0);
    assert_close(s[3].leave, 16, 0, 0);
    assert_close(e.wait, 9, 0, 0);
    assert_close(e.duration, 22, 0, 0);
    ucpo_instance_free(inst);
}

static void overload_is_the_part_that_does_not_fit(void **state)
{
    (void)state;
    ucpo_instance *inst = toy_cvrptw(0);
    ucpo_stop s[16];
    ucpo_evaluation e = check(inst, (const int32_t[]){1, 2, 3}, 3, s);
    assert_false(e.is_feasible);
    assert_close(s[0].over, 0, 0, 0);
    assert_close(s[1].over, 0, 0, 0); /* 9 of 10 */
    assert_close(s[2].over, 6, 0, 0); /* 16 of 10 */
    assert_int_equal(e.over_count, 1);
    assert_close(e.over_sum, 6, 0, 0);
    ucpo_instance_free(inst);
}

static void routes_beyond_the_fleet_are_counted(void **state)
{
    (void)state;
    ucpo_instance *one = toy_cvrptw(1), *two = toy_cvrptw(2);
    const int32_t plan[] = {1, 2, 0, 3};
    assert_int_equal(check(one, plan, 4, NULL).vehicles_over, 1);
    assert_false(check(one, plan, 4, NULL).is_feasible);
    assert_true(check(two, plan, 4, NULL).is_feasible);
    ucpo_instance *tour = toy_tsptw();
    assert_int_equal(check(tour, plan, 4, NULL).vehicles_over, 1);
    ucpo_instance_free(one);
    ucpo_instance_free(two);
    ucpo_instance_free(tour);
}

static void missing_duplicate_and_unknown_nodes_are_named(void **state)
{
    (void)state;
    ucpo_instance *inst = toy_tsptw();
    ucpo_stop s[16];
    int32_t missing[4] = {0};
    ucpo_evaluation e;
    const int32_t plan[] = {1, 99, 1, -3};
    assert_int_equal(ucpo_check(inst, plan, 4, &e, s, 16, missing, 4, NULL), UCPO_OK);
    assert_false(e.is_feasible);
    assert_int_equal(e.missing, 2);
    assert_int_equal(missing[0], 2);
    assert_int_equal(missing[1], 3);
    assert_int_equal(e.duplicates, 1);
    assert_int_equal(e.unknown, 2);
    assert_true(s[1].is_unknown && s[1].node == 99);
    assert_true(s[2].is_duplicate);
    assert_true(s[3].is_unknown && s[3].node == -3);
    assert_close(e.cost, 10, 0, 0); /* there and back */
    ucpo_instance_free(inst);
}

static void an_empty_plan_is_never_feasible(void **state)
{
    (void)state;
    ucpo_instance *inst = toy_tsptw();
    ucpo_evaluation e = check(inst, NULL, 0, NULL);
    assert_false(e.is_feasible);
    assert_int_equal(e.missing, 3);
    assert_int_equal(e.stops, 0);
    ucpo_instance_free(inst);
}

/* Toy of the format notes: unloading allows 2-1-3 only, loading 3-1-2 only. */
static void draft_direction_decides_which_tour_is_feasible(void **state)
{
    (void)state;
    const double demand[] = {0, 1, 1, 1}, limit[] = {3, 2, 3, 1};
    static const int32_t orders[6][3] = {{1, 2, 3}, {1, 3, 2}, {2, 1, 3},
                                         {2, 3, 1}, {3, 1, 2}, {3, 2, 1}};
    ucpo_instance_data d = ucpo_instance_data_default();
    d.problem = "tspdl", d.n = 4, d.x = X, d.y = Y, d.demand = demand, d.limit = limit;
    for (int unload = 0; unload < 2; unload++) {
        d.draft = unload ? UCPO_DRAFT_UNLOAD : UCPO_DRAFT_LOAD;
        ucpo_instance *inst = make(&d);
        for (int k = 0; k < 6; k++)
            assert_int_equal(check(inst, orders[k], 3, NULL).is_feasible, k == (unload ? 2 : 4));
        ucpo_instance_free(inst);
    }
}

static void a_mirrored_tour_has_the_same_cost_and_violations(void **state)
{
    (void)state;
    const double demand[] = {0, 2, 1, 3}, limit[] = {6, 2, 3, 5};
    const double cost[] = {0, 1, 2, 3, 4, 0, 5, 6, 7, 8, 0, 9, 10, 11, 12, 0};
    static const int32_t orders[6][3] = {{1, 2, 3}, {1, 3, 2}, {2, 1, 3},
                                         {2, 3, 1}, {3, 1, 2}, {3, 2, 1}};
    ucpo_instance_data d = ucpo_instance_data_default();
    d.problem = "tspdl", d.n = 4, d.cost = cost, d.demand = demand, d.limit = limit;
    ucpo_instance *a = make(&d), *b = NULL;
    assert_int_equal(ucpo_instance_mirror(a, &b, NULL), UCPO_OK);
    for (int k = 0; k < 6; k++) {
        const int32_t reversed[] = {orders[k][2], orders[k][1], orders[k][0]};
        ucpo_evaluation x = check(a, orders[k], 3, NULL), y = check(b, reversed, 3, NULL);
        assert_close(x.cost, y.cost, 0, 0);
        assert_close(x.over_sum, y.over_sum, 0, 0);
        assert_int_equal(x.over_count, y.over_count);
    }
    ucpo_instance_free(a);
    ucpo_instance_free(b);
}

static void lateness_within_the_tolerance_is_not_lateness(void **state)
{
    (void)state;
    const double due[] = {40, 5 - 1e-4, 14, 22};
    const double ready[] = {0, 4, 8, 15};
    ucpo_instance_data d = ucpo_instance_data_default();
    d.problem = "tsptw", d.n = 4, d.x = X, d.y = Y, d.ready = ready, d.due = due;
    d.tolerance = 2e-4;
    ucpo_instance *loose = make(&d);
    ucpo_evaluation e = check(loose, (const int32_t[]){1, 2, 3}, 3, NULL);
    assert_true(e.is_feasible && e.violation == 0.0);
    d.tolerance = 5e-5;
    ucpo_instance *tight = make(&d);
    e = check(tight, (const int32_t[]){1, 2, 3}, 3, NULL);
    assert_true(!e.is_feasible && e.late_count == 1);
    assert_close(e.late_sum, 1e-4, 1e-6, 0); /* reported in full */
    assert_close(e.violation, 1 + 5e-5 / 8, 1e-9, 0);
    ucpo_instance_free(loose);
    ucpo_instance_free(tight);
}

/* A forbidden arc of 1e12 once made the tolerance so large that late plans passed. */
static void a_huge_matrix_entry_does_not_hide_lateness(void **state)
{
    (void)state;
    const double cost[] = {0, 5, 1e12, 1e12, 0, 5, 5, 1e12, 0}, ready[] = {0, 0, 0},
                 due[] = {99, 4, 8};
    ucpo_instance_data d = ucpo_instance_data_default();
    d.problem = "tsptw", d.n = 3, d.cost = cost, d.ready = ready, d.due = due;
    ucpo_instance *inst = make(&d);
    ucpo_evaluation e = check(inst, (const int32_t[]){1, 2}, 2, NULL);
    assert_false(e.is_feasible);
    assert_close(e.late_sum, 3, 0, 0);
    ucpo_instance_free(inst);
}

static void late_return_to_the_depot_is_a_violation(void **state)
{
    (void)state;
    const double due[] = {23, 9, 14, 22};
    ucpo_instance_data d = ucpo_instance_data_default();
    d.problem = "tsptw", d.n = 4, d.x = X, d.y = Y, d.ready = READY, d.due = due, d.tolerance = 0;
    ucpo_instance *inst = make(&d);
    ucpo_stop s[16];
    ucpo_evaluation e = check(inst, (const int32_t[]){1, 2, 3}, 3, s);
    assert_int_equal(e.late_count, 1);
    assert_close(s[3].late, 1, 0, 0);
    ucpo_instance_free(inst);
}

static void a_verdict_within_the_tolerance_says_so(void **state)
{
    (void)state;
    ucpo_instance_data d = ucpo_instance_data_default();
    double due[] = {40, 4.5, 14, 22}, demand[] = {0, 4, 5, 1.0000000005};
    d.problem = "cvrptw", d.n = 4, d.x = X, d.y = Y, d.ready = READY, d.due = due;
    d.demand = demand, d.capacity = 10, d.tolerance = 0.5;
    ucpo_instance *inst = make(&d);
    ucpo_evaluation e = check(inst, (const int32_t[]){1, 2, 3}, 3, NULL);
    assert_true(e.is_feasible && e.is_tolerated);
    assert_close(e.late_max, 0.5, 0, 1e-12); /* arrives at 5 */
    assert_close(e.over_max, 5e-10, 0, 1e-14);
    assert_close(e.tolerance, 0.5, 0, 0);
    assert_close(e.load_tolerance, 1e-8, 0, 1e-12);
    e = check(inst, (const int32_t[]){2, 0, 3, 0, 1}, 5, NULL);
    assert_true(e.is_feasible && e.is_tolerated && e.over_max == 0.0);
    ucpo_instance_free(inst);
    d.tolerance = 0.25;
    inst = make(&d);
    e = check(inst, (const int32_t[]){1, 2, 3}, 3, NULL);
    assert_true(!e.is_feasible && !e.is_tolerated);
    assert_close(e.late_max, 0.5, 0, 1e-12);
    ucpo_instance_free(inst);
    inst = toy_tsptw();
    e = check(inst, (const int32_t[]){1, 2, 3}, 3, NULL);
    assert_true(e.is_feasible && !e.is_tolerated && e.late_max == 0.0 && e.over_max == 0.0);
    ucpo_instance_free(inst);
}

static void a_setup_is_paid_unless_one_is_there_already(void **state)
{
    (void)state;
    static const double cost[] = {0, 0, 5, 5, 0, 0, 5, 5, 5, 5, 0, 0, 5, 5, 0, 0};
    static const double ready[] = {0, 0, 0, 0}, due[] = {99, 99, 9, 12}, setup[] = {9, 2, 4, 8};
    static const double service[] = {0, 1, 1, 1};
    static const int32_t place[] = {7, 7, 5, 5};
    ucpo_instance_data d = ucpo_instance_data_default();
    d.problem = "tsptw", d.n = 4, d.cost = cost, d.ready = ready, d.due = due, d.tolerance = 0;
    d.service = service, d.setup = setup, d.place = place;
    ucpo_instance *inst = make(&d);
    ucpo_stop s[16];
    ucpo_evaluation e = check(inst, (const int32_t[]){1, 2, 3}, 3, s);
    assert_true(e.is_feasible);
    assert_true(s[0].leave == 1); /* at the depot's own place */
    assert_true(s[1].start == 6 && s[1].leave == 11);
    assert_true(s[2].start == 11 && s[2].leave == 12);  /* behind the other stop of its place */
    assert_true(s[3].arrive == 17 && s[3].leave == 17); /* the depot has none */
    e = check(inst, (const int32_t[]){2, 1, 3}, 3, s);
    assert_true(!e.is_feasible && s[1].leave == 18 &&
                s[2].leave == 32); /* back again: paid again */
    ucpo_instance_free(inst);
    d.place = NULL; /* all differ, a node from itself not */
    inst = make(&d);
    e = check(inst, (const int32_t[]){1, 1, 2, 3}, 4, s);
    assert_true(s[0].leave == 3 && s[1].leave == 4 && s[3].leave - s[3].start == 9);
    ucpo_instance_free(inst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_setup_is_paid_unless_one_is_there_already),
        cmocka_unit_test(a_verdict_within_the_tolerance_says_so),
        cmocka_unit_test(the_toy_tour_is_feasible_with_the_known_schedule),
        cmocka_unit_test(depots_around_a_tour_change_nothing),
        cmocka_unit_test(late_arrival_is_reported_at_its_stop),
        cmocka_unit_test(a_window_bounds_the_start_of_service_not_its_end),
        cmocka_unit_test(a_vehicle_waits_for_a_window_to_open),
        cmocka_unit_test(overload_is_the_part_that_does_not_fit),
        cmocka_unit_test(routes_beyond_the_fleet_are_counted),
        cmocka_unit_test(missing_duplicate_and_unknown_nodes_are_named),
        cmocka_unit_test(an_empty_plan_is_never_feasible),
        cmocka_unit_test(draft_direction_decides_which_tour_is_feasible),
        cmocka_unit_test(a_mirrored_tour_has_the_same_cost_and_violations),
        cmocka_unit_test(lateness_within_the_tolerance_is_not_lateness),
        cmocka_unit_test(a_huge_matrix_entry_does_not_hide_lateness),
        cmocka_unit_test(late_return_to_the_depot_is_a_violation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
