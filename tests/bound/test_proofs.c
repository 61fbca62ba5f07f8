/* What bound_compute calls proved, against all plans of small instances, with known plans that are good and
 * bad: asymmetric matrices, whole costs and quarters, gaps, fleets, lateness at the edge of the tolerance. */
#include "bound/bound.h"
#include "core/rng.h"
#include "support/small.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS = 800 };

static struct bound computed(const ucpo_instance *inst, double upper, int32_t *tour)
{
    struct bound b = {.better = tour, .cost = -7.0, .is_optimal = -7, .has_better = -7};
    ucpo_error err = {0};
    assert_ok(bound_compute(inst, upper, NULL, &b, &err), &err);
    return b;
}

/* The parts by themselves: what the whole must at least say. */
static double best_part(const ucpo_instance *inst, double upper, double *assigned)
{
    struct bound_arcs *a = NULL;
    double radial = 0.0, tree = 0.0, out[64], in[64];
    *assigned = 0.0;
    assert_int_equal(bound_arcs_create(inst, NULL, &a, NULL), UCPO_OK);
    assert_int_equal(bound_by_loads(a, inst, &radial, NULL), UCPO_OK);
    assert_int_equal(bound_by_tree(a, upper, NULL, &tree, NULL), UCPO_OK);
    double value = fmax(radial, tree);
    if (a->is_tour) {
        assert_int_equal(bound_by_assignment(a, NULL, out, in, assigned, NULL), UCPO_OK);
        value = fmax(value, *assigned);
    }
    if (a->are_costs_whole) value = ceil(value - 1e-6);
    bound_arcs_free(a);
    return value;
}

static int is_whole(const ucpo_instance *inst)
{
    for (int32_t i = 0; i < inst->data.n; i++)
        for (int32_t j = 0; j < inst->data.n; j++)
            if (i != j && ucpo_instance_has_way(inst, i, j) &&
                ucpo_instance_cost(inst, i, j) != floor(ucpo_instance_cost(inst, i, j)))
                return 0;
    return 1;
}

struct counts {
    int instances, proofs, betters, hopeless, fleets;
};

/* With a plan of cost `upper`; `best` is the least cost of all. */
static void judge(const ucpo_instance *inst, double best, double upper, struct counts *c)
{
    int32_t tour[SMALL_NODES] = {0}, is_tour = inst->ops->max_vehicles == 1;
    double assigned, part = best_part(inst, upper, &assigned);
    double least = is_whole(inst) ? upper - 0.9 : upper - 0.5e-9 * upper; /* nothing fits between */
    struct bound b = computed(inst, upper, tour);
    if (b.cost > best || b.cost < part - 1e-9 * fabs(part)) /* not an ulp above */
        fail_msg("best %g, upper %g: bound %.17g, parts %g", best, upper, b.cost, part);
    if (b.is_optimal) assert_close(b.cost, best, 1e-12, 0);
    if (b.has_better) {
        ucpo_evaluation e;
        assert_true(is_tour && upper > best && b.is_optimal);
        assert_int_equal(
            ucpo_check(inst, tour, (size_t)inst->data.n - 1, &e, NULL, 0, NULL, 0, NULL), UCPO_OK);
        assert_true(e.is_feasible && e.cost == best);
    }
    if (is_tour && assigned > 0.0) /* so few orders are always tried */
        assert_true(b.is_optimal && b.has_better == (upper > best));
    if (part > least) assert_true(b.is_optimal);
    c->proofs += b.is_optimal, c->betters += b.has_better;
    c->fleets += b.is_optimal && !is_tour;
}

static void no_proof_is_false_whatever_the_known_plan_costs(void **state)
{
    (void)state;
    for (size_t p = 0; p < prob_registry_count; p++) {
        const struct prob_ops *ops = prob_registry[p];
        struct counts c = {0};
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            unsigned with =
                (unsigned)(seed % 4 == 1) * SMALL_GAPS | (unsigned)(seed % 3 == 2) * SMALL_METRIC;
            int32_t n = 3 + (int32_t)(seed % (ops->max_vehicles == 1 ? 5 : 4));
            ucpo_instance *own = test_small_instance(ops, n, with, seed + 5000);
            const ucpo_instance *inst = own->load;
            double best = test_least_cost(inst);
            int32_t tour[SMALL_NODES];
            c.instances++;
            if (isinf(best)) { /* whatever it says of the cost, it finds no plan */
                for (int k = 0; k < 3; k++)
                    assert_false(computed(inst, 10.0 * pow(10.0, k), tour).has_better);
                c.hopeless++;
            } else {
                double step = is_whole(inst) ? 1.0 : 0.25;
                const double upper[] = {
                    best, best + step, best + 2 * step, 1.25 * best + 3.0, 10 * best + 4.0, 1e4,
                    1e8,  1e12};
                for (size_t k = 0; k < sizeof upper / sizeof upper[0]; k++)
                    judge(inst, best, is_whole(inst) ? floor(upper[k]) : upper[k], &c);
            }
            ucpo_instance_free(own);
        }
        print_message("%s: %d instances, %d without a plan, %d proofs, %d better plans\n",
                      ops->info.name, c.instances, c.hopeless, c.proofs, c.betters);
        if (ops->max_vehicles == 1)
            assert_true(c.proofs > 3000 && c.betters > 2500);
        else
            assert_true(c.fleets > 100);
    }
}

/* ---- by hand ---- */

static ucpo_instance *made(const ucpo_instance_data *d)
{
    ucpo_instance *inst = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_instance_create(d, &inst, &err), &err);
    return inst;
}

/* Whole costs: 12 in the only order there is, and a known plan of 13 is not the best. */
static void a_plan_that_costs_one_more_is_not_the_best(void **state)
{
    (void)state;
    const double cost[] = {0, 3, 9, 9, 9, 0, 3, 9, 9, 9, 0, 3, 3, 9, 9, 0}, ready[4] = {0};
    const double due[] = {99, 99, 99, 99};
    ucpo_instance_data d = ucpo_instance_data_default();
    d.problem = "tsptw", d.n = 4, d.cost = cost, d.ready = ready, d.due = due;
    ucpo_instance *inst = made(&d);
    int32_t tour[3];
    for (double upper = 13; upper < 40; upper++) {
        struct bound b = computed(inst, upper, tour);
        assert_true(b.has_better && b.is_optimal && b.cost == 12.0);
        assert_memory_equal(tour, ((const int32_t[]){1, 2, 3}), sizeof tour);
    }
    struct bound b = computed(inst, 12, tour);
    assert_true(!b.has_better && b.is_optimal && b.cost == 12.0);
    ucpo_instance_free(inst);
}

/* Two customers of full loads, 10 there and 1 back each: 22. Paid out and back, not twice out or back. */
static void full_vehicles_pay_there_and_back(void **state)
{
    (void)state;
    const double demand[] = {0, 5, 5};
    for (int is_turned = 0; is_turned < 2; is_turned++) {
        double out = is_turned ? 1 : 10, in = is_turned ? 10 : 1;
        const double cost[] = {0, out, out, in, 0, 30, in, 30, 0};
        ucpo_instance_data d = ucpo_instance_data_default();
        d.problem = "cvrp", d.n = 3, d.cost = cost, d.demand = demand, d.capacity = 5;
        ucpo_instance *inst = made(&d);
        struct bound b = computed(inst, 22, NULL);
        assert_true(b.is_optimal && b.cost == 22.0);
        b = computed(inst, 25, NULL);
        assert_true(!b.is_optimal && b.cost <= 22.0 && b.cost >= 21.0);
        ucpo_instance_free(inst);
    }
}

/* Of two beginnings with the same customers the cheaper is later, and too late for the last: 0-2-1-3 costs
 * more than 0-1-2-3 would, which does not get there. */
static void the_dearer_beginning_is_kept_if_it_is_earlier(void **state)
{
    (void)state;
    /*                 0  1   2  3 */
    const double cost[] = {0, 1, 9, 9, 9, 0, 1, 2, 9, 1, 0, 2, 1, 9, 9, 0};
    const double time[] = {0, 4, 1, 9, 9, 0, 4, 2, 9, 1, 0, 9, 1, 9, 9, 0};
    const double ready[4] = {0}, due[] = {99, 99, 99, 4};
    ucpo_instance_data d = ucpo_instance_data_default();
    d.problem = "tsptw", d.n = 4, d.cost = cost, d.duration = time, d.ready = ready, d.due = due;
    ucpo_instance *inst = made(&d);
    int32_t tour[3];
    assert_true(test_least_cost(inst) == 13.0);
    struct bound b = computed(inst, 50, tour);
    assert_true(b.has_better && b.is_optimal && b.cost == 13.0);
    assert_memory_equal(tour, ((const int32_t[]){2, 1, 3}), sizeof tour);
    ucpo_instance_free(inst);
}

/* Costs of a thousandth, and of a million: the same proofs. */
static void the_scale_of_costs_does_not_matter(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        ucpo_instance *one = test_small_instance(prob_find("tspdl"), 6, 0, seed + 40);
        double best = test_least_cost(one->load), cost[36];
        for (int k = -10; isfinite(best) && best > 0.0 && k <= 20; k += 10) {
            ucpo_instance_data d = one->load->data;
            for (int i = 0; i < 36; i++) cost[i] = ldexp(d.cost[i], k);
            d.cost = cost, d.id = d.label = NULL;
            ucpo_instance *inst = made(&d);
            int32_t tour[5];
            struct bound b = computed(inst, ldexp(best, k), tour);
            double assigned;
            best_part(inst, ldexp(best, k), &assigned);
            if (assigned > 0.0) {
                assert_true(b.is_optimal && !b.has_better && b.cost == ldexp(best, k));
                b = computed(inst, ldexp(2.0 * best + 1.0, k), tour);
                assert_true(b.is_optimal && b.has_better && b.cost == ldexp(best, k));
            }
            ucpo_instance_free(inst);
        }
        ucpo_instance_free(one);
    }
}

/* The cheapest order is late by exactly the tolerance, or by a little more. */
static void the_tolerance_counts_for_the_best_plan(void **state)
{
    (void)state;
    const double cost[] = {0, 1, 5, 5, 0, 1, 1, 5, 0}, ready[3] = {0};
    for (int k = 0; k < 2; k++) {
        const double due[] = {99, 99, 1.5 - 1e-3 * k}; /* 2 is reached at 2 over 1, at 5 straight */
        ucpo_instance_data d = ucpo_instance_data_default();
        d.problem = "tsptw", d.n = 3, d.cost = cost, d.ready = ready, d.due = due;
        d.tolerance = 0.5;
        ucpo_instance *inst = made(&d);
        int32_t tour[2];
        struct bound b = computed(inst, 20, tour);
        assert_int_equal(b.has_better, k == 0);
        if (k == 0) assert_true(b.cost == 3.0 && tour[0] == 1 && tour[1] == 2);
        ucpo_instance_free(inst);
    }
}

/* The labels grant a hair more than the checker: a tour that needs the hair is no plan and proves nothing,
 * but what it costs is a bound. */
static void a_tour_that_only_the_labels_allow_is_neither_plan_nor_proof(void **state)
{
    (void)state;
    const double cost[] = {0, 1000, 3000, 3000, 0, 1000, 1000, 3000, 0}, ready[3] = {0};
    const double due[] = {1e5, 1e5, 2000 - 1e-6}; /* the margin is 2e-6 there */
    ucpo_instance_data d = ucpo_instance_data_default();
    d.problem = "tsptw", d.n = 3, d.cost = cost, d.ready = ready, d.due = due, d.tolerance = 0;
    ucpo_instance *inst = made(&d);
    int32_t tour[2];
    struct bound b = computed(inst, 9000, tour);
    assert_false(b.has_better || b.is_optimal);
    assert_true(b.cost > 2999 && b.cost <= 3000);
    assert_true(isinf(test_least_cost(inst)));
    ucpo_instance_free(inst);
}

/* A ring of ways of 1, everything else 100: the cheapest way to leave everybody once. */
static ucpo_instance *ring(int32_t n, int is_windowed)
{
    static double cost[64 * 64], ready[64], due[64];
    ucpo_instance_data d = ucpo_instance_data_default();
    for (int32_t i = 0; i < n; i++) {
        ready[i] = is_windowed && i > n / 2 ? 30 * n : 0.0;
        due[i] = is_windowed && i > 0 && i <= n / 2 ? 20 * n : 1e6;
        for (int32_t j = 0; j < n; j++)
            cost[i * n + j] = i == j ? 0.0 : j == (i + 1) % n ? 1.0 : 100.0 + (i * 7 + j * 3) % 11;
    }
    d.problem = "tsptw", d.n = n, d.cost = cost, d.ready = ready, d.due = due;
    return made(&d);
}

/* Twenty others on average that may come before or behind a customer are few enough to try orders. */
static void orders_are_tried_where_few_are_left(void **state)
{
    (void)state;
    for (int is_windowed = 0; is_windowed < 2; is_windowed++) {
        ucpo_instance *inst = ring(is_windowed ? 33 : 21, is_windowed);
        int32_t tour[64];
        struct bound b = computed(inst, inst->data.n + 5, tour);
        assert_true(b.has_better && b.is_optimal && b.cost == inst->data.n);
        for (int32_t k = 0; k + 1 < inst->data.n; k++) assert_int_equal(tour[k], k + 1);
        ucpo_instance_free(inst);
    }
}

/* Too many orders to try: the best of the bounds is left, whichever it is. */
static void the_best_of_the_bounds_counts(void **state)
{
    (void)state;

    enum { N = 60 };

    double assigned, cost[N * N], x[N], y[N], ready[N] = {0}, due[N];
    int by_assignment = 0, by_tree = 0;
    for (int k = 0; k < 2; k++) {
        ucpo_instance_data d = ucpo_instance_data_default();
        struct rng rng = rng_at(6, RNG_TEST, (uint64_t)k);
        for (int i = 0; i < N * N; i++) cost[i] = 1.0 + 50.0 * rng_uniform(&rng);
        for (int i = 0; i < N; i++)
            x[i] = rng_uniform(&rng), y[i] = rng_uniform(&rng), due[i] = 1e9;
        d.problem = "tsptw", d.n = N, d.ready = ready, d.due = due;
        if (k == 0) d.cost = cost;
        if (k == 1) d.x = x, d.y = y;
        ucpo_instance *inst = made(&d);
        int32_t tour[N];
        double part = best_part(inst, 1e3, &assigned);
        struct bound b = computed(inst, 1e3, tour);
        assert_false(b.is_optimal || b.has_better);
        assert_close(b.cost, part, 1e-9, 0);
        assert_true(b.cost < part); /* sums are rounded */
        by_assignment += assigned == part, by_tree += assigned < part;
        b = computed(inst, part, tour); /* a plan of that cost would be the best */
        assert_true(b.is_optimal && b.cost == part);
        ucpo_instance_free(inst);
    }
    assert_true(by_assignment == 1 && by_tree == 1);
}

/* Beyond the sizes and numbers that bounds are made for. */
static void nothing_is_said_of_what_bounds_are_not_made_for(void **state)
{
    (void)state;
    const struct prob_ops *ops = prob_find("tsptw");
    ucpo_instance *two = test_small_instance(ops, 2, 0, 1),
                  *five = test_small_instance(ops, 5, 0, 1);
    int32_t tour[SMALL_NODES];
    const double never[] = {HUGE_VAL, (double)NAN};
    for (int k = 0; k < 2; k++) {
        struct bound b = computed(five, never[k], tour);
        assert_true(b.cost == 0.0 && !b.is_optimal && !b.has_better);
    }
    struct bound b = computed(two, 100.0, tour);
    assert_true(b.cost == 0.0 && !b.is_optimal && !b.has_better);
    ucpo_instance_free(two);
    ucpo_instance_free(five);
    for (int32_t n = BOUND_NODES; n <= BOUND_NODES + 1; n++) {
        ucpo_generate_config g = ucpo_generate_config_default();
        g.problem = "cvrp", g.size = n - 1, g.seed = 3;
        ucpo_dataset *set = NULL;
        ucpo_error err = {0};
        assert_ok(ucpo_generate(&g, &set, &err), &err);
        b = computed(ucpo_dataset_at(set, 0), 1e3, NULL);
        assert_true((b.cost > 0.0) == (n <= BOUND_NODES));
        ucpo_dataset_free(set);
    }
}

/* Windows that leave few orders of 120 customers: proved in a moment, and a plan that costs more is bettered. */
static void narrow_windows_are_proved_at_any_size(void **state)
{
    (void)state;

    enum { N = 120 };

    ucpo_generate_config g = ucpo_generate_config_default();
    g.problem = "tsptw", g.level = "hard", g.size = N, g.seed = 2, g.count = 3;
    ucpo_dataset *set = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_generate(&g, &set, &err), &err);
    for (size_t i = 0; i < 3; i++) {
        int32_t tour[N], again[N];
        const ucpo_instance *inst = ucpo_dataset_at(set, i);
        struct bound far = computed(inst, 1e6, tour);
        assert_true(far.has_better && far.is_optimal);
        struct bound near = computed(inst, far.cost, again);
        assert_true(!near.has_better && near.is_optimal && near.cost == far.cost);
        near = computed(inst, far.cost * (1 + 1e-6), again);
        assert_true(near.has_better && near.is_optimal && near.cost == far.cost);
        assert_memory_equal(tour, again, (N - 1) * sizeof tour[0]);
    }
    ucpo_dataset_free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_proof_is_false_whatever_the_known_plan_costs),
        cmocka_unit_test(a_plan_that_costs_one_more_is_not_the_best),
        cmocka_unit_test(full_vehicles_pay_there_and_back),
        cmocka_unit_test(the_dearer_beginning_is_kept_if_it_is_earlier),
        cmocka_unit_test(the_scale_of_costs_does_not_matter),
        cmocka_unit_test(the_tolerance_counts_for_the_best_plan),
        cmocka_unit_test(a_tour_that_only_the_labels_allow_is_neither_plan_nor_proof),
        cmocka_unit_test(orders_are_tried_where_few_are_left),
        cmocka_unit_test(the_best_of_the_bounds_counts),
        cmocka_unit_test(nothing_is_said_of_what_bounds_are_not_made_for),
        cmocka_unit_test(narrow_windows_are_proved_at_any_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
