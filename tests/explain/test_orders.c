/* The single arguments of explanations, each called by itself: what they prove is so for all plans, and they
 * prove as much as they did. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain/explain.h"
#include "support/small.h"
#include "support/support.h"

enum { N = SMALL_NODES, SEEDS = 1200 };

/* What the arguments found when this was written: a weaker one is noticed. */
enum { NARROWED = 1670, GAINED = 16556, CYCLES = 304, CHAINS = 80, CROWDS = 62 };

/* An instance with what is known of its times, and room for findings. */
struct known {
    ucpo_instance *inst;
    ucpo_explanation *out;
    struct bounds b;
    double least; /* cost of the best plan */
};

static struct known looked_at(const struct prob_ops *ops, int32_t n, uint64_t seed)
{
    unsigned with =
        (unsigned)(seed % 3 == 1) * SMALL_GAPS | (unsigned)(seed % 4 == 2) * SMALL_METRIC;
    struct known k = {.inst = test_small_instance(ops, n, with, seed)};
    ucpo_error err = {0};
    assert_ok(ucpo_explain(k.inst, NULL, 0, &k.out, &err), &err);
    k.out->count = 0; /* begin anew */
    k.b = (struct bounds){.inst = k.inst, .data = &k.inst->data, .n = n, .fleet = fleet_of(k.inst)};
    bounds_find(&k.b, k.out);
    k.least = test_least_cost(k.inst);
    return k;
}

static void forgotten(struct known *k)
{
    assert_int_equal(k->out->status, UCPO_OK);
    ucpo_explanation_free(k->out);
    ucpo_instance_free(k->inst);
}

static double service(const ucpo_instance *inst, int32_t i)
{
    return inst->data.service ? inst->data.service[i] : 0.0;
}

/* ---- forced orders ---- */

/* Every feasible tour keeps within the windows that orders left. */
static void keep_within(void *user, const ucpo_instance *inst, const int32_t *plan, size_t len,
                        const ucpo_evaluation *eval)
{
    const struct bounds *b = user;
    const ucpo_instance_data *d = &inst->data;
    ucpo_stop stop[N + 1];
    ucpo_evaluation e;
    uint8_t visited[N];
    if (!eval->is_feasible) return;
    prob_check(inst, plan, len, &e, visited, stop, N + 1, NULL, 0);
    double latest = d->due[0] + d->tolerance;
    for (size_t k = len; k-- > 0;) { /* as late as this tour may be there */
        int32_t i = plan[k], next = k + 1 < len ? plan[k + 1] : 0;
        latest = fmin(d->due[i] + d->tolerance,
                      latest - ucpo_instance_duration(inst, i, next) - service(inst, i));
        assert_true(stop[k].start >= b->earliest[i] - 1e-9);
        assert_true(latest <= b->latest[i] + 1e-9);
    }
}

static void orders_that_are_forced_leave_every_feasible_tour(void **state)
{
    (void)state;
    int narrowed = 0, by_kind[32] = {0};
    double gained = 0.0;
    for (uint64_t seed = 0; seed < 2 * SEEDS; seed++) {
        struct known k = looked_at(prob_find("tsptw"), 4 + (int32_t)(seed % 4), seed + 20000);
        prove_precedences(&k.b, k.out);
        if (k.out->count > 0) {
            assert_true(isinf(k.least));
            const ucpo_reason *r = &k.out->items[0];
            by_kind[r->kind]++;
            if (r->kind == UCPO_REASON_CYCLE) {
                assert_true(r->value == (double)r->customer_count && r->customer_count > 1);
                for (size_t c = 0; c < r->customer_count; c++)
                    assert_false(bounds_may_precede(&k.b, r->customers[(c + 1) % r->customer_count],
                                                    r->customers[c]));
            } else {
                assert_int_equal(r->kind, UCPO_REASON_CHAIN);
                assert_true(r->excess > k.inst->data.tolerance);
                assert_close(r->excess, r->value - r->bound, 0, 1e-9);
            }
        } else {
            test_each_plan(k.inst, keep_within, &k.b);
            narrowed += k.b.is_narrowed;
            for (int32_t i = 1; i < k.b.n; i++) {
                assert_true(k.b.earliest[i] >= k.b.first_earliest[i]);
                assert_true(k.b.latest[i] <= k.b.first_latest[i]);
                gained += k.b.earliest[i] - k.b.first_earliest[i];
                if (isfinite(k.b.first_latest[i])) gained += k.b.first_latest[i] - k.b.latest[i];
            }
        }
        forgotten(&k);
    }
    print_message("narrowed %d by %.2f; cycles %d, chains %d\n", narrowed, gained,
                  by_kind[UCPO_REASON_CYCLE], by_kind[UCPO_REASON_CHAIN]);
    assert_true(narrowed >= NARROWED && gained >= GAINED);
    assert_true(by_kind[UCPO_REASON_CYCLE] >= CYCLES && by_kind[UCPO_REASON_CHAIN] >= CHAINS);
}

/* ---- crowds ---- */

static void crowds_are_only_found_where_no_plan_is(void **state)
{
    (void)state;
    int found = 0;
    for (size_t p = 0; p < prob_registry_count; p++) {
        const struct prob_ops *ops = prob_registry[p];
        if (!(ops->needs & PROB_WINDOWS)) continue;
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            struct known k = looked_at(ops, 4 + (int32_t)(seed % 3), seed + 30000);
            prove_reach(&k.b, k.out);
            int is_lost = k.out->count > 0; /* then crowds are not asked */
            if (k.b.fleet > 0 && !is_lost) prove_crowds(&k.b, k.out);
            if (k.out->count > 0 && !is_lost) {
                const ucpo_reason *r = &k.out->items[0];
                assert_true(isinf(k.least) && r->kind == UCPO_REASON_CROWD);
                assert_true(r->excess > 0.0 && r->customer_count > (size_t)k.b.fleet);
                found++;
            }
            forgotten(&k);
        }
    }
    print_message("crowds %d\n", found);
    assert_true(found >= CROWDS);
}

/* ---- customers that need vehicles of their own ---- */

static int are_apart(const struct bounds *b, int32_t i, int32_t j)
{
    const ucpo_instance_data *d = b->data;
    return d->demand[i] + d->demand[j] > d->capacity + b->inst->load_tolerance ||
           (!bounds_may_precede(b, i, j) && !bounds_may_precede(b, j, i));
}

static int is_clique(const struct bounds *b, unsigned set)
{
    for (int32_t i = 1; i < b->n; i++)
        for (int32_t j = i + 1; j < b->n; j++)
            if (set >> i & 1u && set >> j & 1u && !are_apart(b, i, j)) return 0;
    return 1;
}

static void customers_that_need_vehicles_of_their_own_are_counted(void **state)
{
    (void)state;
    int found = 0;
    for (uint64_t seed = 0; seed < 2 * SEEDS; seed++) {
        struct known k = looked_at(prob_find("cvrptwlv"), 4 + (int32_t)(seed % 3), seed + 40000);
        int most = 0;
        for (unsigned set = 0; set < 1u << k.b.n; set += 2)
            if (is_clique(&k.b, set) && __builtin_popcount(set) > most)
                most = __builtin_popcount(set);
        prove_apart(&k.b, k.out);
        assert_int_equal(k.out->count, most > k.b.fleet);
        if (k.out->count > 0) {
            const ucpo_reason *r = &k.out->items[0];
            unsigned set = 0;
            for (size_t c = 0; c < r->customer_count; c++) set |= 1u << r->customers[c];
            assert_true(isinf(k.least) && r->kind == UCPO_REASON_FLEET_APART);
            assert_true(is_clique(&k.b, set) && __builtin_popcount(set) == (int)r->value);
            assert_true(r->value > r->bound && r->bound == k.b.fleet);
            found++;
        }
        forgotten(&k);
    }
    print_message("apart %d\n", found);
    assert_true(found > 100);
}

/* ---- by hand ---- */

/* 1 opens at 40 and needs 2 and 3 before it, which keep the vehicle busy for 15 each after 20: 50. */
static void a_chain_says_when_it_starts_and_must(void **state)
{
    (void)state;
    double cost[16], ready[] = {0, 40, 0, 0}, due[] = {999, 45, 35, 36}, held[] = {0, 0, 2, 2};
    for (int i = 0; i < 16; i++) cost[i] = i / 4 == i % 4 ? 0 : i / 4 == 0 ? 20 : 13;
    for (int late = 0; late < 2; late++) {
        due[1] = late ? 45 : 50;
        ucpo_instance_data d = ucpo_instance_data_default();
        d.problem = "tsptw", d.n = 4, d.cost = cost, d.ready = ready, d.due = due, d.service = held;
        ucpo_instance *inst = NULL;
        ucpo_error err = {0};
        assert_ok(ucpo_instance_create(&d, &inst, &err), &err);
        ucpo_explanation *e = NULL;
        assert_ok(ucpo_explain(inst, NULL, 0, &e, &err), &err);
        assert_int_equal(ucpo_explanation_is_proof(e), late);
        assert_int_equal(isinf(test_least_cost(inst)), late);
        if (late) {
            const ucpo_reason *r = ucpo_explanation_at(e, 0);
            assert_int_equal(r->kind, UCPO_REASON_CHAIN);
            assert_close(r->value, 50, 0, 1e-6);
            assert_close(r->bound, 45, 0, 1e-6);
            assert_non_null(strstr(r->text, "customer 1 must come after customers 2 and 3"));
        }
        ucpo_explanation_free(e);
        ucpo_instance_free(inst);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_that_are_forced_leave_every_feasible_tour),
        cmocka_unit_test(crowds_are_only_found_where_no_plan_is),
        cmocka_unit_test(customers_that_need_vehicles_of_their_own_are_counted),
        cmocka_unit_test(a_chain_says_when_it_starts_and_must),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
