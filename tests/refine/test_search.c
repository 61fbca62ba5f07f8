/* The parts both searches are made of: dice, pace, temperature, the best plan. */
#include "refine/search.h"
#include "support/random_instance.h"
#include "support/support.h"

#include <stdlib.h>

static void dice_are_fair_and_the_same_for_a_seed(void **state)
{
    (void)state;
    struct dice a = dice_at(7), b = dice_at(7), c = dice_at(8);
    int count[6] = {0};
    double uniform = 0.0, exponential = 0.0;
    for (int k = 0; k < 60000; k++) {
        int32_t face = dice_below(&a, 6);
        assert_int_equal(face, dice_below(&b, 6));
        count[face]++;
        double u = dice_uniform(&a), e = dice_exponential(&b);
        assert_true(u >= 0.0 && u < 1.0 && e >= 0.0);
        assert_close(e, -log(1.0 - u), 1e-12, 1e-12);
        uniform += u / 60000, exponential += e / 60000;
    }
    for (int face = 0; face < 6; face++) assert_true(count[face] > 9600 && count[face] < 10400);
    assert_close(uniform, 0.5, 0.0, 0.01);
    assert_close(exponential, 1.0, 0.0, 0.03);
    assert_true(dice_next(&a) != dice_next(&c));
}

/* ---- pace ---- */

struct clock {
    double now;
    int asked;
};

static int is_late(void *user)
{
    struct clock *c = user;
    c->asked++;
    return c->now >= 1.0;
}

static double share_of(void *user)
{
    return ((struct clock *)user)->now;
}

/* A run of a million units of work: the share follows the clock, nobody asks more often than needed. */
static void pace_follows_a_clock(void **state)
{
    (void)state;
    struct clock clock = {.now = 0.25};
    const struct stop stop = {.ask = is_late, .user = &clock, .share = share_of};
    struct pace p = {.effort = 50, .work = 1000};
    pace_begin(&p, INT64_MAX, &stop);
    assert_close(pace_share(&p), 0.25, 1e-12, 0.0);
    assert_true(pace_gone(&p) == 0.0); /* what came before is not the run's */
    int64_t steps = 0;
    for (; !pace_is_over(&p); steps++) {
        assert_close(pace_share(&p), clock.now, 0.0, 0.02);
        assert_close(pace_gone(&p), clock.now - 0.25, 0.0, 0.02);
        pace_spend(&p, 1, 100);
        clock.now += 0.75e-4;
    }
    assert_true(steps >= 10000 && steps <= 10200);
    assert_true(clock.asked >= 75 && clock.asked <= 150);
    assert_true(pace_is_over(&p));
}

static void pace_ends_with_its_effort(void **state)
{
    (void)state;
    struct pace p = {.effort = 1000};
    for (int run = 0; run < 3; run++) {
        int64_t before = p.effort;
        pace_begin(&p, 500, NULL);
        while (!pace_is_over(&p)) {
            assert_close(pace_share(&p), (double)(p.effort - before) / 500.0, 1e-12, 1e-12);
            pace_spend(&p, 5, 1);
        }
        assert_int_equal(p.effort - before, 500);
    }
    pace_begin(&p, INT64_MAX, NULL);
    pace_spend(&p, 1000000, 1000000);
    assert_false(pace_is_over(&p));
    assert_true(pace_share(&p) < 0.0);
    pace_begin(&p, 0, NULL);
    assert_true(pace_is_over(&p));
}

/* ---- temperature ---- */

static void heat_falls_from_hot_to_cold(void **state)
{
    (void)state;
    assert_close(heat_between(8.0, 0.5, 0.0), 8.0, 1e-12, 0.0);
    assert_close(heat_between(8.0, 0.5, 0.5), 2.0, 1e-12, 0.0);
    assert_close(heat_between(8.0, 0.5, 1.5), 0.5, 1e-12, 0.0);
}

static void cycles_grow_and_each_begins_hot(void **state)
{
    (void)state;
    const struct cooling c = {.hot = 4.0, .cold = 0.25, .growth = 2.0};
    const struct pace nobody_knows = {.effort_end = INT64_MAX, .share = -1.0};
    struct heat h = {0};
    int64_t begin[4] = {0};
    int cycles = 0;
    for (; h.step < 60 * 10 * 15; h.step++) {
        double before = h.now;
        if (!heat_is_due(&h)) continue;
        if (heat_in_cycles(&h, &c, 10, 3.0, &nobody_knows)) {
            assert_close(h.now, 12.0, 1e-12, 0.0);
            assert_true(cycles == 0 || before < 1.0);
            if (cycles < 4) begin[cycles] = h.step;
            cycles++;
        } else {
            assert_true(h.now < before && h.now > 0.74);
        }
    }
    assert_true(cycles >= 4);
    assert_int_equal(begin[0], 0);
    assert_int_equal(begin[1], 400); /* 40 a node, and twice as many after it */
    assert_int_equal(begin[2], 1200);
    assert_int_equal(begin[3], 2800);
}

/* If no cycle fits behind the next one, it takes all that is left. */
static void the_last_cycle_ends_with_the_run(void **state)
{
    (void)state;
    const struct cooling c = {.hot = 4.0, .cold = 0.25, .growth = 2.0};
    struct heat h = {0};
    int64_t all = 3200; /* of which the set-up took an eighth */
    for (; h.step < all; h.step++) {
        double share = 0.125 + 0.875 * (double)h.step / (double)all;
        const struct pace p = {.effort_end = INT64_MAX, .share = share, .share_begin = 0.125};
        if (heat_is_due(&h)) heat_in_cycles(&h, &c, 10, 1.0, &p);
    }
    assert_true(llabs(h.cycle_begin + h.cycle_length - all) <= 1);
    assert_close(h.now, 0.25, 0.05, 0.0);
}

/* Half of the 400 steps that the first cycle takes where nobody knows. */
static void a_run_too_short_for_the_first_cycle_still_ends_cold(void **state)
{
    (void)state;
    const struct cooling c = {.hot = 4.0, .cold = 0.25, .growth = 2.0};
    struct heat h = {0};
    int64_t all = 208;
    for (; h.step < all; h.step++) {
        const struct pace p = {.effort_end = INT64_MAX, .share = (double)h.step / (double)all};
        if (heat_is_due(&h)) heat_in_cycles(&h, &c, 10, 1.0, &p);
    }
    assert_int_equal(h.cycle_begin, 0);
    assert_true(h.now < 0.32);
}

/* ---- the best plan ---- */

static void only_better_plans_become_the_best(void **state)
{
    (void)state;
    ucpo_instance *inst = test_random_instance(prob_find("tsptw"), 6, SHAPE_GENERATED, 3);
    int32_t store[5], plan[5] = {1, 2, 3, 4, 5};
    uint8_t visited[6];
    struct best best = {.nodes = store, .visited = visited};
    for (int k = 0; k < 40; k++) {
        struct best before = best;
        best_offer(&best, inst, plan, 5);
        ucpo_evaluation e;
        assert_int_equal(ucpo_check(inst, plan, 5, &e, NULL, 0, NULL, 0, NULL), UCPO_OK);
        double f = e.cost / inst->data.unit, v = e.is_feasible ? 0.0 : e.violation;
        int is_better = k == 0 || ucpo_compare(NULL, f, v, before.objective, before.violation) < 0;
        if (is_better) assert_memory_equal(best.nodes, plan, sizeof plan);
        assert_true(best.objective == (is_better ? f : before.objective));
        assert_true(best.violation == (is_better ? v : before.violation));
        int32_t i = k % 5, j = (k * 3 + 1) % 5, swap = plan[i];
        plan[i] = plan[j], plan[j] = swap;
    }
    assert_int_equal(best.len, 5);
    ucpo_instance_free(inst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dice_are_fair_and_the_same_for_a_seed),
        cmocka_unit_test(pace_follows_a_clock),
        cmocka_unit_test(pace_ends_with_its_effort),
        cmocka_unit_test(heat_falls_from_hot_to_cold),
        cmocka_unit_test(cycles_grow_and_each_begins_hot),
        cmocka_unit_test(the_last_cycle_ends_with_the_run),
        cmocka_unit_test(a_run_too_short_for_the_first_cycle_still_ends_cold),
        cmocka_unit_test(only_better_plans_become_the_best),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
