/* Plans that take over parts of others. */
#include "eval/elite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/random_instance.h"
#include "support/support.h"

enum { N = 14, CUSTOMERS = N - 1, MOST = 2 * CUSTOMERS };

static const struct prob_ops *ops_of(int is_fleet, uint32_t needs)
{
    for (size_t p = 0; p < prob_registry_count; p++)
        if ((prob_registry[p]->max_vehicles != 1) == is_fleet &&
            (prob_registry[p]->needs & needs) == needs)
            return prob_registry[p];
    fail();
    return NULL;
}

/* A few random exchanges away from 1, 2, 3, ... */
static void shuffled(int32_t *tour, int exchanges, struct rng *rng)
{
    for (int32_t k = 0; k < CUSTOMERS; k++) tour[k] = k + 1;
    for (; exchanges > 0; exchanges--) {
        uint32_t a = rng_below(rng, CUSTOMERS), b = a + rng_below(rng, 5);
        if (b >= CUSTOMERS) continue;
        int32_t node = tour[a];
        tour[a] = tour[b];
        tour[b] = node;
    }
}

static double length(const ucpo_instance *inst, const int32_t *plan, size_t len)
{
    double sum[MOST + 2];
    join_sum(inst, plan, len, sum);
    return sum[len + 1];
}

/* By trying all pairs of runs, below a bound. */
static double best_by_hand(const ucpo_instance *inst, const int32_t *tour, const int32_t *other,
                           double below)
{
    double most = 0.0, now = length(inst, tour, CUSTOMERS);
    for (int len = 2; len <= CUSTOMERS; len++)
        for (int a = 0; a + len <= CUSTOMERS; a++)
            for (int b = 0; b + len <= CUSTOMERS; b++) {
                int32_t joined[CUSTOMERS];
                uint32_t mine = 0, theirs = 0;
                for (int k = 0; k < len; k++)
                    mine |= 1u << tour[a + k], theirs |= 1u << other[b + k];
                if (mine != theirs) continue;
                memcpy(joined, tour, sizeof joined);
                memcpy(joined + a, other + b, (size_t)len * sizeof *joined);
                double gain = now - length(inst, joined, CUSTOMERS);
                if (gain > most && gain < below) most = gain;
            }
    return most;
}

static void the_best_run_of_a_tour_is_found(void **state)
{
    (void)state;
    struct rng rng = rng_at(1, 1, 1);
    int found = 0;
    for (int round = 0; round < 400; round++) {
        enum test_shape shape = round % 2 ? SHAPE_MATRIX : SHAPE_GENERATED;
        ucpo_instance *inst = test_random_instance(ops_of(0, 0), N, shape, (uint64_t)round);
        int32_t tour[CUSTOMERS], other[CUSTOMERS], joined[CUSTOMERS], cells[3 * N];
        double sum[2][CUSTOMERS + 2], below = HUGE_VAL;
        shuffled(tour, 6, &rng);
        shuffled(other, 6, &rng);
        join_sum(inst, tour, CUSTOMERS, sum[0]);
        join_sum(inst, other, CUSTOMERS, sum[1]);
        struct joint a = {tour, sum[0], CUSTOMERS}, b = {other, sum[1], CUSTOMERS};
        struct run run;
        for (int k = 0; k < 3 && join_find_run(inst, &a, &b, below, cells, &run); k++, found++) {
            assert_close(run.gain, best_by_hand(inst, tour, other, below - 1e-7), 1e-7, 1e-9);
            memcpy(joined, tour, sizeof joined);
            memcpy(joined + run.at, other + run.from, run.len * sizeof *joined);
            assert_close(length(inst, tour, CUSTOMERS) - length(inst, joined, CUSTOMERS), run.gain,
                         1e-7, 1e-9);
            below = run.gain;
        }
        if (below == HUGE_VAL)
            assert_close(best_by_hand(inst, tour, other, HUGE_VAL), 0.0, 0, 1e-6);
        ucpo_instance_free(inst);
    }
    assert_true(found > 200);
}

/* Two halves of the routes with the same customers: each is the cheaper one afterwards. */
static void groups_of_routes_are_taken_one_by_one(void **state)
{
    (void)state;
    static const int32_t plan[] = {1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 10, 0, 11, 12, 13};
    static const int32_t other[] = {1, 4, 2, 0, 6, 3, 5, 0, 13, 7, 9, 0, 12, 8, 0, 11, 10};
    static const int32_t firsts[] = {1, 2, 3, 0, 4, 5, 6}, lasts[] = {7, 8, 9, 10, 0, 11, 12, 13};
    static const int32_t their_firsts[] = {1, 4, 2, 0, 6, 3, 5};
    static const int32_t their_lasts[] = {13, 7, 9, 0, 12, 8, 0, 11, 10};

    enum { PLAN = sizeof plan / sizeof *plan, OTHER = sizeof other / sizeof *other };

    int taken = 0, refused = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        const struct prob_ops *ops = ops_of(1, seed % 2 ? PROB_FLEET : 0);
        ucpo_instance *inst = test_random_instance(ops, N, SHAPE_GENERATED, seed);
        int is_limited = ucpo_instance_view(inst)->vehicles > 0;
        int32_t cells[5 * N], draft[MOST];
        double sum[2][MOST + 2], gain[2 * N];
        struct join_routes room = {cells, cells + N, cells + 3 * N, gain};
        join_sum(inst, plan, PLAN, sum[0]);
        join_sum(inst, other, OTHER, sum[1]);
        struct joint a = {plan, sum[0], PLAN}, b = {other, sum[1], OTHER};
        size_t len = join_find_routes(inst, &a, &b, &room, draft);
        double first = length(inst, firsts, 7), last = length(inst, lasts, 8);
        double their_first = length(inst, their_firsts, 7),
               their_last = length(inst, their_lasts, 9);
        double best = fmin(first, their_first) + (is_limited ? last : fmin(last, their_last));
        refused += is_limited && their_last < last; /* three routes for two */
        if (best < first + last) {
            uint32_t seen = 0;
            for (size_t k = 0; k < len; k++) seen |= 1u << draft[k];
            assert_int_equal(seen, (1u << N) - 1);
            assert_close(length(inst, draft, len), best, 1e-9, 0);
            taken++;
        } else {
            assert_int_equal(len, 0);
        }
        ucpo_instance_free(inst);
    }
    assert_true(taken > 20 && taken < 190 && refused > 0);
}

/* What is kept is feasible where it says so, costs what it says, is sorted and distinct. */
static void check_all(const struct elites *e, const ucpo_instance *inst)
{
    for (int k = 0; k < e->count; k++) {
        const struct elite *plan = &e->plan[k];
        ucpo_error err = {0};
        ucpo_evaluation check;
        assert_ok(ucpo_check(inst, plan->actions, plan->len, &check, NULL, 0, NULL, 0, &err), &err);
        assert_int_equal(check.is_feasible, plan->violation <= 0.0);
        assert_close(plan->objective, check.cost / ucpo_instance_view(inst)->unit, 1e-9, 0);
        for (size_t t = plan->len; t < e->most; t++) assert_int_equal(plan->actions[t], 0);
        if (k == 0) continue;
        const struct elite *before = &e->plan[k - 1];
        assert_true(ucpo_compare(NULL, before->objective, before->violation, plan->objective,
                                 plan->violation) <= 0);
        assert_false(elites_is_same_sum(before->objective + before->violation,
                                        plan->objective + plan->violation));
    }
}

/* Windows of every third customer alone, the others' are wide: tours from 1, 2, 3, ... on are often
 * feasible. Limits likewise. */
static ucpo_instance *loosened(ucpo_instance *inst)
{
    ucpo_instance_data d = *ucpo_instance_view(inst);
    double ready[N] = {0}, due[N], limit[N], leg = 0.0;
    ucpo_instance *loose = NULL;
    ucpo_error err = {0};
    for (int i = 1; i < N; i++) leg += ucpo_instance_cost(inst, i - 1, i) / N;
    for (int i = 0; i < N; i++) {
        int is_tight = i % 3 == 1;
        due[i] = is_tight && d.due ? 2 * i * leg : 1e6 * leg;
        limit[i] = is_tight && d.limit ? N - i + 2 : N;
    }
    if (d.ready) d.ready = ready;
    if (d.due) d.due = due;
    if (d.limit) d.limit = limit;
    assert_ok(ucpo_instance_create(&d, &loose, &err), &err);
    ucpo_instance_free(inst);
    return loose;
}

/* Random plans of random instances; an action's doubt is its node's number, so it must move with it. */
static void kept_plans_get_better_and_stay_feasible(void **state)
{
    (void)state;
    int joined[2] = {0}, feasible = 0, assembled = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        const struct prob_ops *ops = prob_registry[seed % prob_registry_count];
        int is_fleet = ops->max_vehicles != 1;
        ucpo_error err = {0};
        enum test_shape shape = seed % 2 ? SHAPE_MATRIX : SHAPE_GENERATED;
        ucpo_instance *inst = test_random_instance(ops, N, shape, seed);
        if (!is_fleet) inst = loosened(inst);
        size_t most = is_fleet ? MOST : CUSTOMERS;
        struct elites e;
        struct rng rng = rng_at(seed, 1, 1);
        double unit = ucpo_instance_view(inst)->unit, best = HUGE_VAL;
        assert_ok(elites_create(&e, N, most, is_fleet, &err), &err);
        elites_clear(&e, inst);
        for (int draw = 0; draw < 300; draw++) {
            int32_t tour[CUSTOMERS], actions[MOST] = {0};
            real sure[MOST] = {0};
            size_t len = 0;
            shuffled(tour, 5, &rng);
            for (int k = 0; k < CUSTOMERS; k++) {
                if (is_fleet && k > 0 && rng_below(&rng, 3) == 0) actions[len++] = 0;
                sure[len] = (real)tour[k];
                actions[len++] = tour[k];
            }
            ucpo_evaluation check;
            assert_ok(ucpo_check(inst, actions, len, &check, NULL, 0, NULL, 0, &err), &err);
            double violation = check.is_feasible ? 0.0 : check.violation;
            if (check.is_feasible) best = fmin(best, check.cost / unit), feasible++;
            assert_ok(elites_take(&e, actions, sure, check.cost / unit, violation, &err), &err);
        }
        check_all(&e, inst);
        if (best < HUGE_VAL) assert_true(e.plan[0].objective <= best);
        double before = e.plan[0].violation > 0.0 ? HUGE_VAL : e.plan[0].objective;
        assert_ok(elites_assemble(&e, &err), &err);
        check_all(&e, inst);
        if (before < HUGE_VAL) assert_true(e.plan[0].objective <= before);
        assembled += e.plan[0].violation <= 0.0 && e.plan[0].objective < before;
        joined[is_fleet] += e.plan[0].objective < best * (1 - 1e-9) && best < HUGE_VAL;
        for (int k = 0; !is_fleet && k < e.count; k++)
            for (size_t t = 0; t < e.plan[k].len; t++)
                assert_true(e.plan[k].sure[t] == (real)e.plan[k].actions[t]);
        elites_free(&e);
        ucpo_instance_free(inst);
    }
    assert_true(joined[0] > 5 && joined[1] > 5 && feasible > 100 && assembled > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_run_of_a_tour_is_found),
        cmocka_unit_test(groups_of_routes_are_taken_one_by_one),
        cmocka_unit_test(kept_plans_get_better_and_stay_feasible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
