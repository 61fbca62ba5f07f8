/* The search for fleets: never worse than its start, repeatable, punctual, and right on instances so
 * small that every plan can be tried. */
#include "core/clock.h"
#include "refine/refine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/random_instance.h"
#include "support/support.h"

static const enum test_shape shapes[] = {SHAPE_GENERATED, SHAPE_MATRIX, SHAPE_TWO_MATRIX,
                                         SHAPE_TIGHT};

static struct refined judged(const ucpo_instance *inst, const int32_t *nodes, size_t len)
{
    ucpo_evaluation e;
    ucpo_error err = {0};
    assert_ok(ucpo_check(inst, nodes, len, &e, NULL, 0, NULL, 0, &err), &err);
    return (struct refined){nodes, len, e.cost / inst->data.unit, e.is_feasible ? 0 : e.violation};
}

static void assert_true_to_the_checker(const ucpo_instance *inst, struct refined best)
{
    struct refined j = judged(inst, best.nodes, best.len);
    assert_true(j.objective == best.objective && j.violation == best.violation);
}

static struct refine *created(const ucpo_instance *inst)
{
    struct refine *refine = NULL;
    ucpo_error err = {0};
    assert_ok(refine_create(inst, NULL, &refine, &err), &err);
    return refine;
}

static void search(struct refine *refine, const int32_t *nodes, size_t len, uint64_t seed,
                   int64_t effort)
{
    ucpo_error err = {0};
    assert_ok(refine_start(refine, nodes, len, seed, &err), &err);
    refine_run(refine, effort, NULL);
}

/* A random order of the customers, cut here and there. */
static size_t draw_plan(int32_t n, struct rng *rng, int32_t *nodes)
{
    size_t len = 0;
    int32_t order[64];
    for (int32_t i = 1; i < n; i++) order[i - 1] = i;
    for (int32_t i = n - 2; i >= 0; i--) {
        uint32_t j = rng_below(rng, (uint32_t)i + 1);
        int32_t swap = order[i];
        order[i] = order[j], order[j] = swap;
        nodes[len++] = order[i];
        if (rng_below(rng, 4) == 0) nodes[len++] = 0;
    }
    return len;
}

static void a_result_is_never_worse_than_its_start(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 48; seed++) {
        const struct prob_ops *ops = prob_find(seed % 2 ? "cvrptw" : "cvrptwlv");
        int32_t n = 4 + (int32_t)(seed % 20), nodes[128] = {0};
        ucpo_instance *inst = test_random_instance(ops, n, shapes[seed / 2 % 4], seed);
        struct rng rng = rng_at(seed, RNG_TEST, 5);
        struct refine *refine = created(inst);
        for (int64_t effort = 0; effort < 40000; effort = 4 * effort + 20) {
            size_t len = draw_plan(n, &rng, nodes);
            struct refined start = judged(inst, nodes, len);
            search(refine, nodes, len, seed, effort);
            struct refined best = refine_best(refine);
            assert_true_to_the_checker(inst, best);
            assert_true(ucpo_compare(NULL, best.objective, best.violation, start.objective,
                                     start.violation) <= 0);
        }
        refine_free(refine);
        ucpo_instance_free(inst);
    }
}

static void the_same_seed_gives_the_same_plan(void **state)
{
    (void)state;
    ucpo_instance *inst = test_random_instance(prob_find("cvrptwlv"), 31, SHAPE_GENERATED, 3);
    struct refine *a = created(inst), *b = created(inst);
    int32_t nodes[128] = {0}, other[128] = {0};
    struct rng rng = rng_at(1, RNG_TEST, 6);
    size_t len = draw_plan(31, &rng, nodes), other_len = draw_plan(31, &rng, other);
    search(a, nodes, len, 9, 300000);
    search(b, other, other_len, 4, 50000); /* a handle remembers nothing of an earlier start */
    search(b, nodes, len, 9, 300000);
    struct refined x = refine_best(a), y = refine_best(b);
    assert_int_equal(x.len, y.len);
    assert_memory_equal(x.nodes, y.nodes, x.len * sizeof *x.nodes);
    refine_free(a);
    refine_free(b);
    ucpo_instance_free(inst);
}

static void starts_with_gaps_and_doubles_are_completed(void **state)
{
    (void)state;
    ucpo_instance *inst = test_random_instance(prob_find("cvrptw"), 12, SHAPE_GENERATED, 3);
    static const int32_t odd[] = {0, 0, 3, 3, 99, 4, 0, -7, 3, 5, 0};
    static const size_t lengths[] = {0, 3, sizeof odd / sizeof *odd};
    struct refine *refine = created(inst);
    for (size_t k = 0; k < 3; k++) {
        search(refine, lengths[k] ? odd : NULL, lengths[k], 1, k == 0 ? 0 : 2000);
        struct refined best = refine_best(refine);
        ucpo_evaluation e;
        assert_int_equal(ucpo_check(inst, best.nodes, best.len, &e, NULL, 0, NULL, 0, NULL), 0);
        assert_int_equal(e.missing + e.duplicates + e.unknown, 0);
    }
    assert_int_equal(refine_start(refine, NULL, 3, 1, NULL), UCPO_E_ARGUMENT);
    refine_free(refine);
    ucpo_instance_free(inst);
}

/* ---- stopping ---- */

struct watch {
    int left, asked;
    double last, longest;
};

static int says_yes_at_last(void *user)
{
    struct watch *w = user;
    double now = clock_thread_seconds();
    if (w->asked > 0 && now - w->last > w->longest) w->longest = now - w->last;
    w->last = now;
    w->asked++;
    return --w->left <= 0;
}

static void a_stop_is_obeyed_at_once(void **state)
{
    (void)state;
    ucpo_instance *inst = test_random_instance(prob_find("cvrptw"), 51, SHAPE_GENERATED, 3);
    struct refine *refine = created(inst);
    ucpo_error err = {0};
    for (int k = 1; k < 60; k += 7) {
        struct watch w = {.left = k};
        struct stop stop = {.ask = says_yes_at_last, .user = &w};
        assert_ok(refine_start(refine, NULL, 0, 1, &err), &err);
        refine_run(refine, INT64_MAX, &stop);
        assert_int_equal(w.asked, k);
        assert_true_to_the_checker(inst, refine_best(refine));
    }
    refine_free(refine);
    ucpo_instance_free(inst);
}

/* A limit that says how near it is, and may come before it said. */
struct end {
    double left, all, cut;
};

static int is_at_end(void *user)
{
    struct end *e = user;
    return --e->left <= e->cut;
}

static double share_gone(void *user)
{
    const struct end *e = user;
    return 1.0 - e->left / e->all;
}

static void a_search_with_a_known_end_keeps_its_best_wherever_it_is_cut(void **state)
{
    (void)state;
    ucpo_instance *inst = test_random_instance(prob_find("cvrptw"), 51, SHAPE_GENERATED, 5);
    struct refine *refine = created(inst);
    ucpo_error err = {0};
    struct refined first = {0}, last = {0};
    for (int k = 0; k <= 10; k++) {
        struct end e = {400.0, 400.0, 40.0 * (10 - k)};
        struct stop stop = {.ask = is_at_end, .user = &e, .share = share_gone};
        assert_ok(refine_start(refine, NULL, 0, 1, &err), &err);
        refine_run(refine, INT64_MAX, &stop);
        assert_true_to_the_checker(inst, refine_best(refine));
        struct refined before = last;
        last = refine_best(refine);
        if (k == 0)
            first = last;
        else /* the same search, cut later */
            assert_true(ucpo_compare(NULL, last.objective, last.violation, before.objective,
                                     before.violation) <= 0);
    }
    assert_true(last.violation == 0.0);
    assert_true(first.violation > 0.0 || last.objective < first.objective);
    refine_free(refine);
    ucpo_instance_free(inst);
}

static void a_large_fleet_is_asked_often(void **state)
{
    (void)state;
    ucpo_generate_config g = ucpo_generate_config_default();
    g.problem = "cvrptw", g.size = 3000;
    ucpo_dataset *set = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_generate(&g, &set, &err), &err);
    const ucpo_instance *inst = ucpo_dataset_at(set, 0);
    struct refine *refine = created(inst);
    struct watch w = {.left = 300};
    struct stop stop = {.ask = says_yes_at_last, .user = &w};
    assert_ok(refine_start(refine, NULL, 0, 1, &err), &err);
    struct refined before = refine_best(refine), after;
    refine_run(refine, INT64_MAX, &stop);
    assert_int_equal(w.asked, 300);
    assert_true(w.longest < 0.02); /* about a millisecond, ten with sanitizers */
    after = refine_best(refine);
    assert_true(ucpo_compare(NULL, after.objective, after.violation, before.objective,
                             before.violation) < 0);
    assert_true_to_the_checker(inst, refine_best(refine));
    refine_free(refine);
    ucpo_dataset_free(set);
}

/* ---- brute force ---- */

struct brute {
    const ucpo_instance *inst;
    int32_t nodes[32];
    double best;
};

static void try_all(struct brute *b, size_t len, uint32_t left)
{
    int32_t n = b->inst->data.n;
    if (!left) {
        struct refined r = judged(b->inst, b->nodes, len);
        if (r.violation == 0.0 && r.objective < b->best) b->best = r.objective;
        return;
    }
    for (int32_t j = 1; j < n; j++) {
        if (!(left >> j & 1)) continue;
        b->nodes[len] = j;
        try_all(b, len + 1, left & ~(1U << j)); /* NOLINT(misc-no-recursion) */
        /* a new route: only with a larger first customer, since their order does not matter */
        if (len == 0) continue;
        size_t first = len;
        while (first > 0 && b->nodes[first - 1] != 0) first--;
        if (first == len || b->nodes[first] > j) continue;
        b->nodes[len] = 0;
        b->nodes[len + 1] = j;
        try_all(b, len + 2, left & ~(1U << j)); /* NOLINT(misc-no-recursion) */
    }
}

/* Odd ones: no demand, windows of no width, two customers at one place, demands above capacity, a
 * fleet of one. */
static ucpo_instance *odd_instance(uint64_t seed)
{
    struct rng rng = rng_at(seed, RNG_TEST, 11);
    int32_t n = 2 + (int32_t)rng_below(&rng, 6);
    double x[8] = {0}, y[8] = {0}, ready[8] = {0}, due[8] = {0}, demand[8] = {0}, service[8] = {0};
    due[0] = rng_below(&rng, 3) ? 500.0 : 60.0;
    for (int32_t i = 1; i < n; i++) {
        x[i] = rng_below(&rng, 100);
        y[i] = rng_below(&rng, 100);
        ready[i] = rng_below(&rng, 200);
        due[i] = ready[i] + (rng_below(&rng, 3) ? rng_below(&rng, 200) : 0);
        if (rng_below(&rng, 6) == 0) due[i] = HUGE_VAL;
        demand[i] = rng_below(&rng, 4) ? rng_below(&rng, 6) : 0;
        service[i] = rng_below(&rng, 2) ? 0 : rng_below(&rng, 20);
        if (i > 1 && rng_below(&rng, 4) == 0) x[i] = x[i - 1], y[i] = y[i - 1];
    }
    ucpo_instance_data d = ucpo_instance_data_default();
    d.n = n, d.x = x, d.y = y, d.ready = ready, d.due = due, d.demand = demand;
    d.service = service;
    d.capacity = rng_below(&rng, 5) ? 10 : 4;
    d.vehicles = (int32_t)rng_below(&rng, 4);
    d.problem = d.vehicles ? "cvrptwlv" : "cvrptw";
    ucpo_instance *inst = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_instance_create(&d, &inst, &err), &err);
    return inst;
}

static int meets_the_optimum(const ucpo_instance *inst, uint64_t seed)
{
    struct brute b = {.inst = inst, .best = HUGE_VAL};
    try_all(&b, 0, (1U << inst->data.n) - 2);
    struct refine *refine = created(inst);
    search(refine, NULL, 0, seed, 60000);
    struct refined best = refine_best(refine);
    assert_true_to_the_checker(inst, best);
    if (b.best == HUGE_VAL)
        assert_true(best.violation > 0.0);
    else
        assert_close(best.violation == 0.0 ? best.objective : HUGE_VAL, b.best, 1e-9, 1e-9);
    refine_free(refine);
    return b.best < HUGE_VAL;
}

static void small_instances_are_solved_to_the_optimum(void **state)
{
    (void)state;
    int feasible = 0, all = 0;
    for (uint64_t seed = 0; seed < 120; seed++, all++) {
        ucpo_instance *inst = odd_instance(seed);
        feasible += meets_the_optimum(inst, seed);
        ucpo_instance_free(inst);
    }
    assert_true(feasible > 30 && feasible < all - 10); /* both cases occur */
    for (uint64_t seed = 0; seed < 40; seed++) {
        const struct prob_ops *ops = prob_find(seed % 2 ? "cvrptw" : "cvrptwlv");
        ucpo_instance *inst =
            test_random_instance(ops, 4 + (int32_t)(seed % 4), shapes[seed / 2 % 4], seed);
        meets_the_optimum(inst, seed);
        ucpo_instance_free(inst);
    }
}

static void a_fleet_that_suffices_is_kept_to(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        ucpo_instance *inst =
            test_random_instance(prob_find("cvrptwlv"), 51, SHAPE_GENERATED, 100 + seed);
        struct refine *refine = created(inst);
        search(refine, NULL, 0, seed, 2000000);
        assert_true(refine_best(refine).violation == 0.0);
        assert_true_to_the_checker(inst, refine_best(refine));
        refine_free(refine);
        ucpo_instance_free(inst);
    }
}

/* In order of deadlines such a fleet needs many times the vehicles it has. */
static void a_large_fleet_keeps_to_its_limit_at_once(void **state)
{
    (void)state;
    ucpo_instance *plain = test_random_instance(prob_find("cvrptw"), 451, SHAPE_GENERATED, 7);
    struct refine *refine = created(plain);
    search(refine, NULL, 0, 1, 4000000);
    assert_true(refine_best(refine).violation == 0.0);
    size_t len = refine_best(refine).len;
    ucpo_instance_data data = *ucpo_instance_view(plain);
    data.problem = "cvrptwlv", data.vehicles = (int32_t)(len - 450 + 1);
    refine_free(refine);
    ucpo_instance *inst = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_instance_create(&data, &inst, &err), &err);
    int32_t each[900];
    for (int32_t j = 1; j <= 450; j++) each[2 * j - 2] = j, each[2 * j - 1] = 0;
    refine = created(inst);
    search(refine, each, 900, 2, 4000000);
    assert_true_to_the_checker(inst, refine_best(refine));
    assert_true(refine_best(refine).violation == 0.0);
    refine_free(refine);
    ucpo_instance_free(inst);
    ucpo_instance_free(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_result_is_never_worse_than_its_start),
        cmocka_unit_test(the_same_seed_gives_the_same_plan),
        cmocka_unit_test(starts_with_gaps_and_doubles_are_completed),
        cmocka_unit_test(a_stop_is_obeyed_at_once),
        cmocka_unit_test(a_search_with_a_known_end_keeps_its_best_wherever_it_is_cut),
        cmocka_unit_test(a_large_fleet_is_asked_often),
        cmocka_unit_test(small_instances_are_solved_to_the_optimum),
        cmocka_unit_test(a_fleet_that_suffices_is_kept_to),
        cmocka_unit_test(a_large_fleet_keeps_to_its_limit_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
