/* The cheapest plan that can be put together of routes. */
#include "eval/partition.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/random_instance.h"
#include "support/support.h"

enum { N = 11, CUSTOMERS = N - 1, MOST = 2 * CUSTOMERS, SETS = 1 << CUSTOMERS, PLANS = 150 };

enum limit { UNLIMITED, FULL, FEW };

/* Full: five vehicles with little room to spare. Few: four where more would be cheaper. */
static ucpo_instance *fleet_instance(enum limit limit, int has_windows, int32_t n, uint64_t seed)
{
    size_t p = 0;
    for (;; p++) {
        uint32_t needs = prob_registry[p]->needs;
        if (prob_registry[p]->max_vehicles == 1 || !!(needs & PROB_FLEET) != (limit != UNLIMITED))
            continue;
        if (!!(needs & PROB_WINDOWS) == has_windows) break;
    }
    enum test_shape shape = seed % 2 ? SHAPE_MATRIX : SHAPE_GENERATED;
    ucpo_instance *inst = test_random_instance(prob_registry[p], n, shape, seed), *other = NULL;
    if (limit == UNLIMITED) return inst;
    ucpo_instance_data d = *ucpo_instance_view(inst);
    ucpo_error err = {0};
    double total = 0.0, cost[N * N], ready[N] = {0}, due[N];
    for (int32_t i = 1; i < n; i++) total += d.demand[i];
    for (int32_t i = 0; i < n; i++) {
        due[i] = 1e6;
        for (int32_t j = 0; j < n; j++)
            cost[i * n + j] = ucpo_instance_cost(inst, i, j) * (i == 0 || j == 0 ? 0.1 : 1.0);
    }
    d.vehicles = 5;
    d.capacity = ceil(0.22 * total);
    if (limit == FEW) {
        d.vehicles = 4;
        d.capacity = total;
        d.x = d.y = d.duration = NULL;
        d.cost = cost, d.ready = ready, d.due = due;
    }
    assert_ok(ucpo_instance_create(&d, &other, &err), &err);
    ucpo_instance_free(inst);
    return other;
}

/* Random routes of random customers. */
static size_t random_plan(int32_t *plan, int32_t customers, struct rng *rng)
{
    int32_t tour[64];
    size_t len = 0;
    for (int32_t k = 0; k < customers; k++) tour[k] = k + 1;
    for (int32_t k = customers - 1; k > 0; k--) {
        uint32_t other = rng_below(rng, (uint32_t)k + 1);
        int32_t node = tour[k];
        tour[k] = tour[other];
        tour[other] = node;
    }
    for (int32_t k = 0; k < customers; k++) {
        if (k > 0 && rng_below(rng, 2) == 0) plan[len++] = 0;
        plan[len++] = tour[k];
    }
    return len;
}

/* Of the routes that come, the cheapest that serves a set of customers, and may be driven. */
static void note_routes(const ucpo_instance *inst, const int32_t *plan, size_t len, double *cost)
{
    double sum[MOST + 2];
    join_sum(inst, plan, len, sum);
    struct joint joint = {plan, sum, len};
    for (size_t first, end = 0; join_next_route(&joint, &first, &end);) {
        ucpo_evaluation e;
        ucpo_error err = {0};
        size_t set = 0;
        assert_ok(ucpo_check(inst, plan + first, end - first, &e, NULL, 0, NULL, 0, &err), &err);
        for (size_t k = first; k < end; k++) set |= (size_t)1 << (plan[k] - 1);
        if (e.late_sum <= 0.0 && e.over_sum <= 0.0 && e.cost < cost[set]) cost[set] = e.cost;
    }
}

/* Of all partitions into at most so many of these routes: by what `limit` routes serve. */
static double cheapest(const double *cost, int limit)
{
    static double now[SETS], next[SETS];
    double best = HUGE_VAL;
    for (size_t set = 0; set < SETS; set++) now[set] = set ? HUGE_VAL : 0.0;
    for (int used = 0; used < limit; used++) {
        for (size_t set = 0; set < SETS; set++) next[set] = HUGE_VAL;
        for (size_t set = 0; set < SETS - 1; set++) {
            size_t rest = (SETS - 1) & ~set;
            if (now[set] == HUGE_VAL) continue;
            for (size_t part = rest; part; part = (part - 1) & rest)
                if (now[set] + cost[part] < next[set | part])
                    next[set | part] = now[set] + cost[part];
        }
        memcpy(now, next, sizeof now);
        if (now[SETS - 1] < best) best = now[SETS - 1];
    }
    return best;
}

static void the_cheapest_partition_is_found(void **state)
{
    (void)state;
    struct partition *p = NULL;
    ucpo_error err = {0};
    int found = 0, none = 0, limited = 0, binds = 0;
    assert_ok(partition_create(N, &p, &err), &err);
    for (uint64_t seed = 0; seed < 160; seed++) {
        ucpo_instance *inst =
            fleet_instance(seed % 4 < 3 ? seed % 4 : UNLIMITED, seed % 4 < 3, N, seed);
        static double cost[SETS];
        struct rng rng = rng_at(seed, 1, 1);
        int32_t vehicles = ucpo_instance_view(inst)->vehicles, plan[MOST];
        for (size_t set = 0; set < SETS; set++) cost[set] = HUGE_VAL;
        partition_clear(p, inst);
        for (int k = 0; k < PLANS; k++) {
            double sum[MOST + 2];
            size_t len = random_plan(plan, CUSTOMERS, &rng);
            join_sum(inst, plan, len, sum);
            struct joint joint = {plan, sum, len};
            partition_add(p, &joint, 0);
            note_routes(inst, plan, len, cost);
        }
        double best = cheapest(cost, vehicles > 0 ? vehicles : CUSTOMERS);
        binds += vehicles > 0 && cheapest(cost, CUSTOMERS) < best;
        for (int bound = 0; bound < 3; bound++) { /* none, above and at the best */
            double below = bound == 0 ? HUGE_VAL : bound == 1 ? best * 1.1 : best;
            size_t len = partition_find(p, below, plan);
            if (best == HUGE_VAL || bound == 2) {
                assert_int_equal(len, 0);
                none++;
                continue;
            }
            ucpo_evaluation e;
            assert_ok(ucpo_check(inst, plan, len, &e, NULL, 0, NULL, 0, &err), &err);
            assert_true(e.is_feasible);
            assert_close(e.cost, best, 1e-7, 0);
            found++;
            limited += vehicles > 0;
        }
        ucpo_instance_free(inst);
    }
    assert_true(found > 60 && none > 60 && limited > 20 && binds > 20);
    partition_free(p);
}

/* Far more routes than there is room for: plans get better nevertheless, and what was found is not lost. */
static void a_full_store_keeps_the_better_half(void **state)
{
    (void)state;

    enum { NODES = 21, DRAWN = 12000, EVERY = 1000 };

    for (uint64_t seed = 1; seed < 10; seed += 2) {
        struct partition *p = NULL;
        ucpo_error err = {0};
        struct rng rng = rng_at(seed, 1, 1);
        ucpo_instance *inst = fleet_instance(UNLIMITED, 0, NODES, seed);
        int32_t plan[2 * NODES];
        double sum[2 * NODES + 2], best = HUGE_VAL, first = HUGE_VAL;
        assert_ok(partition_create(NODES, &p, &err), &err);
        partition_clear(p, inst);
        for (int k = 1; k <= DRAWN; k++) {
            size_t len = random_plan(plan, NODES - 1, &rng);
            join_sum(inst, plan, len, sum);
            struct joint drawn = {plan, sum, len};
            partition_add(p, &drawn, 0);
            if (k % EVERY || (len = partition_find(p, best, plan)) == 0) continue;
            ucpo_evaluation e;
            assert_ok(ucpo_check(inst, plan, len, &e, NULL, 0, NULL, 0, &err), &err);
            assert_true(e.is_feasible && e.cost < best);
            best = e.cost;
            if (first == HUGE_VAL) first = best;
            join_sum(inst, plan, len, sum);
            struct joint again = {plan, sum, len};
            partition_add(p, &again, 1);
            len = partition_find(p, best * (1.0 + 1e-6), plan);
            assert_true(len > 0);
            assert_ok(ucpo_check(inst, plan, len, &e, NULL, 0, NULL, 0, &err), &err);
            assert_true(e.is_feasible && e.cost <= best * (1.0 + 1e-6));
        }
        assert_true(best < 0.8 * first);
        partition_free(p);
        ucpo_instance_free(inst);
    }
}

/* A thousand nodes and hundreds of routes: the search gets to the last of them. */
static void plans_of_many_short_routes_are_found(void **state)
{
    (void)state;

    enum { NODES = 1001, SHORT = 4, TURNS = 100 };

    static int32_t plan[2 * NODES], order[NODES];
    static double sum[2 * NODES + 2];
    struct partition *p = NULL;
    ucpo_error err = {0};
    struct rng rng = rng_at(3, 1, 1);
    ucpo_instance *inst = fleet_instance(UNLIMITED, 0, NODES, 0);
    double best = HUGE_VAL;
    assert_ok(partition_create(NODES, &p, &err), &err);
    partition_clear(p, inst);
    for (int turn = 0; turn < TURNS; turn++) { /* slices of nearly the same order */
        size_t len = 0;
        for (int32_t k = 0; k < NODES - 1; k++) order[k] = k + 1;
        for (int k = 0; k < 5; k++) {
            uint32_t a = rng_below(&rng, NODES - 2);
            int32_t node = order[a];
            order[a] = order[a + 1];
            order[a + 1] = node;
        }
        uint32_t shift = rng_below(&rng, SHORT);
        for (uint32_t k = 0; k < NODES - 1; k++) {
            if (k > 0 && (k + shift) % SHORT == 0) plan[len++] = 0;
            plan[len++] = order[k];
        }
        join_sum(inst, plan, len, sum);
        struct joint drawn = {plan, sum, len};
        partition_add(p, &drawn, 1);
        if (sum[len + 1] < best) best = sum[len + 1];
    }
    size_t len = partition_find(p, best, plan);
    assert_true(len > 0);
    join_sum(inst, plan, len, sum);
    assert_true(sum[len + 1] < best);
    partition_free(p);
    ucpo_instance_free(inst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cheapest_partition_is_found),
        cmocka_unit_test(a_full_store_keeps_the_better_half),
        cmocka_unit_test(plans_of_many_short_routes_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
