/* The container: what it accepts, what it derives, what it refuses. */
#include <math.h>
#include <string.h>

#include "core/hash.h"
#include "problem/problem.h"
#include "support/support.h"

static const double X[] = {0, 3, 6, 6}, Y[] = {0, 4, 8, 0};
static const double READY[] = {0, 4, 8, 15}, DUE[] = {40, 9, 14, 22}, SERVICE[] = {0, 1, 1, 1};
static const double DEMAND[] = {0, 4, 5, 7}, LIMIT[] = {16, 9, 16, 7};

static ucpo_instance_data toy(const char *problem)
{
    ucpo_instance_data d = ucpo_instance_data_default();
    d.problem = problem;
    d.name = "toy";
    d.n = 4;
    d.x = X, d.y = Y;
    const struct prob_ops *ops = prob_find(problem);
    unsigned needs = ops ? ops->needs : PROB_WINDOWS;
    if (needs & PROB_WINDOWS) d.ready = READY, d.due = DUE, d.service = SERVICE;
    if (needs & PROB_DEMAND) d.demand = DEMAND;
    if (needs & PROB_LIMIT) d.limit = LIMIT;
    if (needs & PROB_CAPACITY) d.capacity = 10;
    if (needs & PROB_FLEET) d.vehicles = 2;
    return d;
}

static void refuse(const ucpo_instance_data *d, const char *fragment)
{
    ucpo_error err = {0};
    ucpo_instance *inst = NULL;
    assert_int_equal(ucpo_instance_create(d, &inst, &err), UCPO_E_ARGUMENT);
    assert_null(inst);
    if (!strstr(err.text, fragment)) print_error("got: %s\n", err.text);
    assert_non_null(strstr(err.text, fragment));
}

static ucpo_instance *accept(const ucpo_instance_data *d)
{
    ucpo_error err = {0};
    ucpo_instance *inst = NULL;
    assert_ok(ucpo_instance_create(d, &inst, &err), &err);
    return inst;
}

static void a_file_depot_that_is_no_node_is_refused(void **state)
{
    (void)state;
    ucpo_instance_data d = toy("tsptw");
    ucpo_file_notes file = {.depot = d.n};
    d.file = &file;
    refuse(&d, "file->depot is 4, expected 0 .. 3");
    file.depot = -1;
    refuse(&d, "file->depot is -1");
    file.depot = 3;
    ucpo_instance_free(accept(&d));
}

/* ---- what a resumed run and several processes know an instance by ---- */

/* A member was added or taken away: say below whether a plan depends on it. */
_Static_assert(sizeof(ucpo_instance_data) == 248, "members of ucpo_instance_data");

static uint64_t hash_with(size_t change)
{
    static const double other[16] = {0, 7, 9, 11, 3, 0, 5, 6, 2, 8, 0, 4, 1, 9, 6, 0};
    ucpo_instance_data d = ucpo_instance_data_default();
    d.n = 4, d.x = X, d.y = Y, d.ready = READY, d.due = DUE, d.service = SERVICE;
    d.demand = DEMAND, d.limit = LIMIT, d.capacity = 10, d.tolerance = 0.0, d.unit = 1.0;
    static const int32_t place[] = {0, 1, 1, 2};
    const double **const array[] = {&d.x,      &d.y,     &d.ready, &d.due,      &d.service,
                                    &d.demand, &d.limit, &d.cost,  &d.duration, &d.setup};
    double *const number[] = {&d.capacity, &d.unit, &d.tolerance, &d.speed, &d.no_way};
    size_t arrays = sizeof array / sizeof array[0], numbers = sizeof number / sizeof number[0];
    if (change < arrays)
        *array[change] = other;
    else if (change < arrays + numbers)
        *number[change - arrays] += 1.5;
    else if (change == arrays + numbers)
        d.vehicles = 3;
    else if (change == arrays + numbers + 1)
        d.metric = UCPO_METRIC_MANHATTAN;
    else if (change == arrays + numbers + 2)
        d.rounding = UCPO_ROUND_NEAREST;
    else if (change == arrays + numbers + 3)
        d.draft = UCPO_DRAFT_UNLOAD;
    else if (change == arrays + numbers + 4)
        d.n = 3;
    else if (change == arrays + numbers + 5)
        d.place = place;
    return instance_hash(HASH_BEGIN, &d);
}

static void whatever_a_plan_depends_on_changes_the_hash(void **state)
{
    (void)state;

    enum { CHANGES = 21 };

    uint64_t hash[CHANGES + 1];
    for (size_t k = 0; k <= CHANGES; k++) {
        hash[k] = hash_with(k);
        for (size_t j = 0; j < k; j++)
            if (hash[j] == hash[k]) fail_msg("changes %zu and %zu have one hash", j, k);
    }
    assert_true(hash_with(CHANGES) == hash_with(CHANGES + 1)); /* nothing changed in either */
}

static void a_diagonal_of_infinity_becomes_zero(void **state)
{
    double cost[16];
    (void)state;
    for (int i = 0; i < 16; i++) cost[i] = i % 5 == 0 ? HUGE_VAL : 1.0;
    ucpo_instance_data d = toy("tsptw");
    d.cost = d.duration = cost;
    ucpo_instance *inst = accept(&d);
    for (int i = 0; i < 4; i++) {
        assert_true(ucpo_instance_view(inst)->cost[5 * i] == 0.0);
        assert_true(ucpo_instance_view(inst)->duration[5 * i] == 0.0);
    }
    ucpo_instance_free(inst);
}

static void every_problem_takes_its_toy(void **state)
{
    (void)state;
    for (size_t p = 0; p < ucpo_problem_count(); p++) {
        ucpo_instance_data d = toy(ucpo_problem_at(p)->name);
        ucpo_instance *inst = accept(&d);
        assert_string_equal(ucpo_instance_view(inst)->name, "toy");
        assert_close(ucpo_instance_cost(inst, 1, 2), 5, 0, 0);
        assert_close(ucpo_instance_duration(inst, 0, 2), 10, 0, 0);
        assert_close(ucpo_instance_view(inst)->unit, 8, 0, 0);
        ucpo_instance_free(inst);
    }
    assert_null(ucpo_problem_at(ucpo_problem_count()));
    ucpo_instance_free(NULL);
}

static void arrays_are_copied(void **state)
{
    (void)state;
    double x[] = {0, 3, 6, 6};
    ucpo_instance_data d = toy("tsptw");
    d.x = x;
    ucpo_instance *inst = accept(&d);
    x[1] = 99;
    assert_close(ucpo_instance_view(inst)->x[1], 3, 0, 0);
    ucpo_instance_free(inst);
}

static double tolerance_of(const ucpo_instance_data *d)
{
    ucpo_instance *inst = accept(d);
    double tolerance = ucpo_instance_view(inst)->tolerance;
    ucpo_instance_free(inst);
    return tolerance;
}

static void whole_numbers_get_a_negligible_tolerance_and_reals_a_small_one(void **state)
{
    (void)state;
    double m[16], hours[16];
    for (int i = 0; i < 16; i++) m[i] = i, hours[i] = 0.01 * i;
    ucpo_instance_data d = toy("tsptw");
    assert_close(tolerance_of(&d), 8e-5, 1e-12, 0); /* Euclidean, unit 8 */
    d.rounding = UCPO_ROUND_NEAREST;
    assert_close(tolerance_of(&d), 1e-6, 0, 0);
    d.cost = m;
    assert_close(tolerance_of(&d), 1e-6, 0, 0);
    m[5] = 0.5; /* the diagonal means nothing */
    assert_close(tolerance_of(&d), 1e-6, 0, 0);
    m[6] = 1e15; /* a forbidden arc does not loosen anything */
    d.x = d.y = NULL;
    assert_close(tolerance_of(&d), 1e-6, 0, 0);
    m[7] = 1.25;
    assert_close(tolerance_of(&d), 1e-3, 0, 0);
    m[6] = 3, d.x = X, d.y = Y, d.duration = hours; /* travel times on a scale of their own */
    assert_close(tolerance_of(&d), 1e-5 * 0.14 / sqrt(2.0), 1e-9, 0);
    d.tolerance = 0;
    assert_close(tolerance_of(&d), 0, 0, 0);
}

static void magnitudes_beyond_exact_arithmetic_are_refused(void **state)
{
    (void)state;
    double huge[4];
    ucpo_instance_data d = toy("cvrptw");
    memcpy(huge, DEMAND, sizeof huge), huge[2] = 9007199254740993.0;
    d.demand = huge;
    refuse(&d, "demand of node 2 is 9.0072e+15, expected a number 0 .. 1e+12");
    d = toy("cvrptw"), d.capacity = 1e300;
    refuse(&d, "capacity is 1e+300");
    d = toy("tsptw"), memcpy(huge, X, sizeof huge), huge[1] = -1e308, d.x = huge;
    refuse(&d, "x of node 1 is -1e+308");
    d = toy("tsptw"), memcpy(huge, DUE, sizeof huge), huge[3] = 1e18, d.due = huge;
    refuse(&d, "due of node 3 is 1e+18");
    d = toy("tsptw"), memcpy(huge, SERVICE, sizeof huge), huge[3] = 1e308, d.service = huge;
    refuse(&d, "service of node 3");
}

static void rounding_rules_do_what_their_communities_say(void **state)
{
    (void)state;
    const double x[] = {0, 1}, y[] = {0, 1}; /* 1.41421356... */
    const double ready[] = {0, 0}, due[] = {9, 9};
    ucpo_instance_data d = ucpo_instance_data_default();
    d.problem = "tsptw", d.n = 2, d.x = x, d.y = y, d.ready = ready, d.due = due;

    static const struct {
        ucpo_rounding rounding;
        double expected;
    } rule[] = {
        {UCPO_ROUND_NONE, 1.4142135623730951},
        {UCPO_ROUND_NEAREST, 1},
        {UCPO_ROUND_UP, 2},
        {UCPO_ROUND_DOWN, 1},
        {UCPO_ROUND_DIMACS, 1.4},
        {UCPO_ROUND_EXACT, 1414},
    };

    for (size_t i = 0; i < 6; i++) {
        d.rounding = rule[i].rounding;
        ucpo_instance *inst = accept(&d);
        assert_close(ucpo_instance_cost(inst, 0, 1), rule[i].expected, 1e-15, 0);
        assert_close(ucpo_instance_cost(inst, 1, 1), 0, 0, 0);
        ucpo_instance_free(inst);
    }
    d.rounding = UCPO_ROUND_NONE;
    d.metric = UCPO_METRIC_MANHATTAN;
    ucpo_instance *taxi = accept(&d);
    assert_close(ucpo_instance_cost(taxi, 0, 1), 2, 0, 0);
    ucpo_instance_free(taxi);
}

/* burma14 of TSPLIB: nodes 1 and 2 are 153 apart, 1 and 14 are 398. att: pcb-style check by hand.
 */
static void tsplib_geo_and_att_distances_match_known_values(void **state)
{
    (void)state;
    const double x[] = {16.47, 16.47, 20.09}, y[] = {96.10, 94.44, 94.55};
    const double ready[] = {0, 0, 0}, due[] = {9999, 9999, 9999};
    ucpo_instance_data d = ucpo_instance_data_default();
    d.problem = "tsptw", d.n = 3, d.x = x, d.y = y, d.ready = ready, d.due = due;
    d.metric = UCPO_METRIC_GEO;
    ucpo_instance *inst = accept(&d);
    assert_close(ucpo_instance_cost(inst, 0, 1), 153, 0, 0);
    assert_close(ucpo_instance_cost(inst, 0, 2), 398, 0, 0);
    ucpo_instance_free(inst);
    const double ax[] = {6734, 2233, 5530}, ay[] = {1453, 10, 1424}; /* att48: 1-2 1495, 1-3 381 */
    d.x = ax, d.y = ay, d.metric = UCPO_METRIC_ATT;
    inst = accept(&d);
    assert_close(ucpo_instance_cost(inst, 0, 1), 1495, 0, 0);
    assert_close(ucpo_instance_cost(inst, 0, 2), 381, 0, 0);
    ucpo_instance_free(inst);
}

static void bad_data_is_refused_with_field_node_and_value(void **state)
{
    (void)state;
    double bad[4];
    ucpo_instance_data d = toy("tsptw");
    d.problem = "tsptww";
    refuse(&d, "unknown problem 'tsptww', expected one of: tsptw, tspdl, cvrptw, cvrptwlv, cvrp");
    d = toy("tsptw"), d.n = 1;
    refuse(&d, "n is 1");
    d = toy("tsptw"), d.n = 70000;
    refuse(&d, "n is 70000");
    d = toy("tsptw"), d.due = NULL;
    refuse(&d, "tsptw needs the array 'due'");
    d = toy("tsptw"), d.demand = DEMAND;
    refuse(&d, "tsptw does not use the array 'demand'");
    d = toy("tspdl"), d.service = SERVICE;
    refuse(&d, "does not use the array 'service'");
    d = toy("tsptw"), d.y = NULL;
    refuse(&d, "x and y");
    d = toy("tsptw"), d.x = d.y = NULL;
    refuse(&d, "neither coordinates nor a cost matrix");
    memcpy(bad, X, sizeof bad), bad[2] = NAN;
    d = toy("tsptw"), d.x = bad;
    refuse(&d, "x of node 2 is nan");
    memcpy(bad, READY, sizeof bad), bad[3] = 23;
    d = toy("tsptw"), d.ready = bad;
    refuse(&d, "window of node 3 is [23, 22]");
    memcpy(bad, READY, sizeof bad), bad[3] = -INFINITY;
    d = toy("tsptw"), d.ready = bad;
    refuse(&d, "ready of node 3");
    memcpy(bad, SERVICE, sizeof bad), bad[1] = -1;
    d = toy("tsptw"), d.service = bad;
    refuse(&d, "service of node 1 is -1");
    memcpy(bad, DEMAND, sizeof bad), bad[0] = 2;
    d = toy("cvrptw"), d.demand = bad;
    refuse(&d, "demand of the depot is 2");
    d = toy("cvrptw"), d.capacity = 0;
    refuse(&d, "capacity is 0");
    d = toy("cvrptw"), d.capacity = NAN;
    refuse(&d, "capacity is nan");
    d = toy("cvrptwlv"), d.vehicles = 0;
    refuse(&d, "cvrptwlv needs a fleet limit");
    d = toy("tsptw"), d.tolerance = NAN;
    refuse(&d, "tolerance");
    d = toy("tsptw"), d.unit = -1;
    refuse(&d, "unit is -1");
    double m[16] = {0};
    m[6] = -3;
    d = toy("tsptw"), d.cost = m;
    refuse(&d, "cost from node 1 to node 2 is -3");
    m[6] = INFINITY, d.cost = NULL, d.duration = m;
    refuse(&d, "duration from node 1 to node 2 is inf");
    refuse(NULL, "must not be NULL");
}

static void the_mirror_of_a_mirror_is_the_same_instance(void **state)
{
    (void)state;
    double m[16];
    for (int i = 0; i < 16; i++) m[i] = i * 7 % 11;
    ucpo_instance_data d = toy("tspdl");
    d.cost = m;
    ucpo_instance *a = accept(&d), *b = NULL, *c = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_instance_mirror(a, &b, &err), &err);
    assert_ok(ucpo_instance_mirror(b, &c, &err), &err);
    assert_int_equal(ucpo_instance_view(b)->draft, UCPO_DRAFT_UNLOAD);
    assert_close(ucpo_instance_cost(b, 1, 2), ucpo_instance_cost(a, 2, 1), 0, 0);
    assert_int_equal(ucpo_instance_view(c)->draft, UCPO_DRAFT_LOAD);
    assert_memory_equal(ucpo_instance_view(c)->cost, ucpo_instance_view(a)->cost, sizeof m);
    ucpo_instance_free(a);
    ucpo_instance_free(b);
    ucpo_instance_free(c);
    d = toy("tsptw");
    a = accept(&d), b = NULL;
    assert_int_equal(ucpo_instance_mirror(a, &b, &err), UCPO_E_ARGUMENT);
    ucpo_instance_free(a);
}

static void a_slice_shares_its_instances_and_outlives_the_set(void **state)
{
    (void)state;
    ucpo_dataset *set = NULL, *part = NULL;
    ucpo_generate_config g = ucpo_generate_config_default();
    ucpo_error err = {0};
    g.problem = "tsptw", g.size = 10, g.count = 5;
    assert_ok(ucpo_generate(&g, &set, &err), &err);
    const ucpo_instance *third = ucpo_dataset_at(set, 2);
    assert_int_equal(ucpo_dataset_slice(set, 4, 2, &part, &err), UCPO_E_ARGUMENT);
    assert_null(part);
    assert_ok(ucpo_dataset_slice(set, 2, 2, &part, &err), &err);
    assert_ok(ucpo_dataset_share(part, ucpo_dataset_at(set, 0), &err), &err);
    assert_int_equal(ucpo_dataset_count(part), 3);
    assert_ptr_equal(ucpo_dataset_at(part, 0), third);
    ucpo_dataset_free(set);
    assert_int_equal(ucpo_instance_view(ucpo_dataset_at(part, 2))->n, 10);
    ucpo_dataset_free(part);
}

static void the_direction_of_drafts_is_settled_when_an_instance_is_made(void **state)
{
    (void)state;
    ucpo_instance_data d = toy("tspdl");
    ucpo_instance *a = accept(&d);
    assert_ptr_equal(a->load, a);
    d.draft = UCPO_DRAFT_UNLOAD;
    ucpo_instance *b = accept(&d);
    assert_ptr_not_equal(b->load, b);
    assert_int_equal(b->load->data.draft, UCPO_DRAFT_LOAD);
    for (int32_t i = 0; i < d.n; i++)
        for (int32_t j = 0; j < d.n; j++)
            assert_true(ucpo_instance_cost(b, i, j) == ucpo_instance_cost(b->load, j, i));
    ucpo_instance_free(a);
    ucpo_instance_free(b);
}

static void the_eight_images_are_symmetries(void **state)
{
    (void)state;
    const double x[] = {0.25, 1.0}, y[] = {0.5, 0.125}, ready[] = {0, 0}, due[] = {9, 9};
    ucpo_instance_data d = ucpo_instance_data_default();
    d.problem = "tsptw", d.n = 2, d.x = x, d.y = y, d.ready = ready, d.due = due, d.unit = 1;
    static const float expected[8][2] = {{0.25f, 0.5f}, {0.75f, 0.5f}, {0.25f, 0.5f},
                                         {0.75f, 0.5f}, {0.5f, 0.25f}, {0.5f, 0.25f},
                                         {0.5f, 0.75f}, {0.5f, 0.75f}};
    for (int image = 0; image < 8; image++) {
        float xy[4];
        geometry_image(&d, image, xy);
        assert_close((double)xy[0], (double)expected[image][0], 0, 0);
        assert_close((double)xy[1], (double)expected[image][1], 0, 0);
        double dx = (double)(xy[0] - xy[2]), dy = (double)(xy[1] - xy[3]);
        assert_close(dx * dx + dy * dy, 0.75 * 0.75 + 0.375 * 0.375, 1e-6, 0);
    }
}

static void compare_rows(const ucpo_instance_data *d)
{
    ucpo_instance *inst = accept(d);
    double row[4], one[4];
    for (int32_t i = 0; i < d->n; i++) {
        geometry_row(inst, i, row);
        for (int32_t j = 0; j < d->n; j++) one[j] = ucpo_instance_cost(inst, i, j);
        assert_memory_equal(row, one, sizeof row);
    }
    ucpo_instance_free(inst);
}

static void a_row_of_costs_is_the_costs_one_by_one(void **state)
{
    (void)state;
    const double x[] = {0.1, 3.3, 6.7, 3.3}, y[] = {0.7, 4.9, 8.1, 4.9};
    const double cost[] = {5, 1, 2, 3, 4, 7, 5, 6, 7, 8, 9, 9, 1, 2, 3, 0};
    ucpo_instance_data d = toy("cvrp");
    d.x = x, d.y = y;
    for (int metric = UCPO_METRIC_EUCLID; metric <= UCPO_METRIC_HAVERSINE; metric++) {
        for (int rounding = UCPO_ROUND_DECLARED; rounding <= UCPO_ROUND_EXACT; rounding++) {
            d.metric = (ucpo_metric)metric, d.rounding = (ucpo_rounding)rounding;
            compare_rows(&d);
        }
    }
    d.metric = UCPO_METRIC_EUCLID, d.rounding = UCPO_ROUND_NONE, d.cost = cost;
    compare_rows(&d);
    d.x = d.y = NULL;
    compare_rows(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_of_costs_is_the_costs_one_by_one),
        cmocka_unit_test(every_problem_takes_its_toy),
        cmocka_unit_test(a_file_depot_that_is_no_node_is_refused),
        cmocka_unit_test(whatever_a_plan_depends_on_changes_the_hash),
        cmocka_unit_test(a_diagonal_of_infinity_becomes_zero),
        cmocka_unit_test(arrays_are_copied),
        cmocka_unit_test(whole_numbers_get_a_negligible_tolerance_and_reals_a_small_one),
        cmocka_unit_test(magnitudes_beyond_exact_arithmetic_are_refused),
        cmocka_unit_test(rounding_rules_do_what_their_communities_say),
        cmocka_unit_test(tsplib_geo_and_att_distances_match_known_values),
        cmocka_unit_test(bad_data_is_refused_with_field_node_and_value),
        cmocka_unit_test(the_mirror_of_a_mirror_is_the_same_instance),
        cmocka_unit_test(a_slice_shares_its_instances_and_outlives_the_set),
        cmocka_unit_test(the_direction_of_drafts_is_settled_when_an_instance_is_made),
        cmocka_unit_test(the_eight_images_are_symmetries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
