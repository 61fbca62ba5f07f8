/* Explanations: no proof without infeasibility (brute force), each kind by hand, relaxations. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "explain/explain.h"
#include "support/random_instance.h"
#include "support/support.h"

/* ---- brute force: every order, and for routes every division ---- */

static int next_permutation(int32_t *v, int n)
{
    int i = n - 2;
    while (i >= 0 && v[i] > v[i + 1]) i--;
    if (i < 0) return 0;
    int j = n - 1;
    while (v[j] < v[i]) j--;
    int32_t swap = v[i];
    v[i] = v[j];
    v[j] = swap;
    for (int a = i + 1, b = n - 1; a < b; a++, b--) {
        swap = v[a];
        v[a] = v[b];
        v[b] = swap;
    }
    return 1;
}

static int is_feasible(const ucpo_instance *inst, const int32_t *plan, size_t len)
{
    ucpo_evaluation eval;
    assert_int_equal(ucpo_check(inst, plan, len, &eval, NULL, 0, NULL, 0, NULL), UCPO_OK);
    return eval.is_feasible;
}

static int has_feasible_plan(const ucpo_instance *inst)
{
    int customers = inst->data.n - 1,
        cuts = inst->ops->max_vehicles == 1 ? 1 : 1 << (customers - 1);
    int32_t order[8], plan[16];
    for (int i = 0; i < customers; i++) order[i] = i + 1;
    do {
        for (int cut = 0; cut < cuts; cut++) {
            size_t len = 0;
            for (int i = 0; i < customers; i++) {
                plan[len++] = order[i];
                if (cut >> i & 1) plan[len++] = 0;
            }
            if (is_feasible(inst, plan, len)) return 1;
        }
    } while (next_permutation(order, customers));
    return 0;
}

/* ---- instances with something to explain ---- */

static double pick(struct rng *rng, double low, double high, int is_whole)
{
    double value = low + (high - low) * rng_uniform(rng);
    return is_whole ? floor(value) : value;
}

enum { NODES = 7 };

struct draft {
    double x[NODES], y[NODES], cost[NODES * NODES], ready[NODES], due[NODES], service[NODES];
    double demand[NODES], limit[NODES];
};

/* Times that a hidden plan meets, then some windows are tightened beyond it; and the same with limits
 * and capacity. Tolerances from 0 to coarse. */
static void fill(struct draft *a, ucpo_instance_data *d, struct rng *rng)
{
    int whole = rng_below(rng, 2) == 0, n = d->n;
    double time = pick(rng, 0, 10, whole), load = 0, width = pick(rng, 5, 60, whole);
    for (int i = 0; i < n; i++) {
        a->x[i] = pick(rng, 0, 50, whole);
        a->y[i] = pick(rng, 0, 50, whole);
        a->service[i] = i && rng_below(rng, 2) ? pick(rng, 0, 15, whole) : 0.0;
        a->demand[i] = i ? pick(rng, 0, 6, whole) : 0.0;
        for (int j = 0; j < n; j++) a->cost[i * n + j] = pick(rng, 1, 50, whole);
    }
    a->ready[0] = time;
    for (int i = 1; i < n; i++) { /* the plan 1, 2, 3, ... */
        double leg =
            d->x ? hypot(a->x[i] - a->x[i - 1], a->y[i] - a->y[i - 1]) : a->cost[(i - 1) * n + i];
        time += leg + (i > 1 ? a->service[i - 1] : 0.0);
        load += a->demand[i];
        a->ready[i] = fmax(0.0, time - pick(rng, 0, width, whole));
        a->due[i] = time + pick(rng, 0, width, whole);
        a->limit[i] = load + pick(rng, 0, 6, whole);
        if (whole) a->ready[i] = floor(a->ready[i]), a->due[i] = floor(a->due[i]);
    }
    a->due[0] = rng_below(rng, 3) ? time + pick(rng, 40, 120, whole) : HUGE_VAL;
    a->limit[0] = load + (rng_below(rng, 5) ? 1.0 : -1.0);
    if (a->limit[0] < 0.0) a->limit[0] = 0.0;
    for (uint32_t k = rng_below(rng, 4); k-- > 0;) {
        uint32_t i = 1 + rng_below(rng, (uint32_t)n - 1);
        a->due[i] = fmax(a->ready[i], a->due[i] - pick(rng, 0, 2 * width, whole));
        a->limit[i] = fmax(0.0, a->limit[i] - pick(rng, 0, 8, whole));
    }
    d->capacity = pick(rng, 4, 14, whole);
    static const double tolerances[] = {-1.0, 0.0, 1e-9, 0.5, 2.0};
    d->tolerance = tolerances[rng_below(rng, 5)];
}

/* Some legs without a way, some customers without a deadline. */
static void open_gaps(struct draft *a, int n, struct rng *rng)
{
    uint32_t share = 2 + rng_below(rng, 6);
    for (int i = 0; i < n * n; i++)
        if (rng_below(rng, 10) < share) a->cost[i] = HUGE_VAL;
    for (int i = 0; i < n; i++)
        if (rng_below(rng, 2)) a->due[i] = HUGE_VAL;
}

static ucpo_instance *drawn_with(const struct prob_ops *ops, uint64_t seed, int has_gaps)
{
    struct rng rng = rng_at(seed, RNG_TEST, 77);
    int32_t n = 3 + (int32_t)(seed % 5);
    if (seed % 4 == 3 && !has_gaps) {
        ucpo_instance *inst =
            test_random_instance(ops, n, 1 + (enum test_shape)(seed / 4 % 3), seed);
        return inst;
    }
    struct draft a;
    ucpo_instance_data d = ucpo_instance_data_default();
    d.problem = ops->info.name, d.n = n;
    if (seed % 4 == 0 && !has_gaps)
        d.x = a.x, d.y = a.y;
    else
        d.cost = a.cost;
    fill(&a, &d, &rng);
    if (has_gaps) open_gaps(&a, n, &rng);
    if (ops->needs & PROB_WINDOWS) d.ready = a.ready, d.due = a.due, d.service = a.service;
    if (ops->needs & PROB_DEMAND) d.demand = a.demand;
    if (ops->needs & PROB_LIMIT) d.limit = a.limit;
    if (!(ops->needs & PROB_CAPACITY)) d.capacity = 0;
    if (ops->needs & PROB_FLEET) d.vehicles = 1 + (int32_t)rng_below(&rng, 3);
    d.draft = ops->needs & PROB_LIMIT && seed % 2 ? UCPO_DRAFT_UNLOAD : UCPO_DRAFT_LOAD;
    ucpo_instance *inst = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_instance_create(&d, &inst, &err), &err);
    return inst;
}

static ucpo_instance *drawn(const struct prob_ops *ops, uint64_t seed)
{
    return drawn_with(ops, seed, 0);
}

static ucpo_explanation *explained(const ucpo_instance *inst, const int32_t *plan, size_t len)
{
    ucpo_explanation *e = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_explain(inst, plan, len, &e, &err), &err);
    return e;
}

static void a_proof_is_never_wrong(void **state)
{
    (void)state;
    for (size_t p = 0; p < prob_registry_count; p++) {
        int infeasible = 0, proved = 0, total = 0, by_kind[32] = {0};
        for (uint64_t seed = 0; seed < 1500; seed++) {
            ucpo_instance *inst = drawn(prob_registry[p], seed);
            ucpo_explanation *e = explained(inst, NULL, 0);
            int is_hopeless = !has_feasible_plan(inst), is_proof = ucpo_explanation_is_proof(e);
            if (is_proof && !is_hopeless)
                fail_msg("%s seed %d: %s", prob_registry[p]->info.name, (int)seed,
                         ucpo_explanation_at(e, 0)->text);
            total++;
            infeasible += is_hopeless;
            proved += is_proof;
            if (is_proof) by_kind[ucpo_explanation_at(e, 0)->kind]++;
            ucpo_explanation_free(e);
            ucpo_instance_free(inst);
        }
        print_message("%s: %d of %d infeasible, %d proved (%.1f %%):", prob_registry[p]->info.name,
                      infeasible, total, proved, infeasible ? 100.0 * proved / infeasible : 100.0);
        for (int k = 0; k < 32; k++)
            if (by_kind[k])
                print_message(" %s %d", ucpo_reason_name((ucpo_reason_kind)k), by_kind[k]);
        print_message("\n");
        int has_more = (prob_registry[p]->needs & (PROB_WINDOWS | PROB_LIMIT)) != 0;
        if (!(prob_registry[p]->needs & PROB_KIND)) continue; /* nothing can be infeasible */
        assert_true(infeasible > (has_more ? 200 : 50) && infeasible < 1400);
        assert_true(proved > 0.99 * infeasible); /* small ones are searched */
    }
}

/* ---- the same through each argument: customers beyond the search's reach ---- */

/* Copies of an instance's customers at the same place, twice as many nodes and more, so that nothing
 * can be tried exhaustively: a plan of the small one serves the copies as well. */
static ucpo_instance *with_copies(const ucpo_instance *inst, int32_t times)
{
    const ucpo_instance_data *s = &inst->data;
    int32_t n = 1 + times * (s->n - 1);
    size_t square = (size_t)n * (size_t)n;
    double *cost = calloc(square, sizeof *cost), *ready = calloc((size_t)n, sizeof *ready);
    double *due = calloc((size_t)n, sizeof *due), *service = calloc((size_t)n, sizeof *service);
    for (int32_t i = 0; i < n; i++) {
        int32_t a = i ? 1 + (i - 1) / times : 0;
        ready[i] = s->ready[a];
        due[i] = s->due[a];
        service[i] = i && (i - 1) % times == times - 1 ? s->service[a] : 0.0;
        for (int32_t j = 0; j < n; j++)
            cost[(size_t)i * (size_t)n + (size_t)j] =
                ucpo_instance_has_way(inst, a, j ? 1 + (j - 1) / times : 0)
                    ? ucpo_instance_duration(inst, a, j ? 1 + (j - 1) / times : 0)
                    : HUGE_VAL;
    }
    ucpo_instance_data d = ucpo_instance_data_default();
    d.problem = s->problem, d.n = n, d.cost = cost, d.ready = ready, d.due = due;
    d.service = service, d.tolerance = s->tolerance;
    ucpo_instance *big = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_instance_create(&d, &big, &err), &err);
    free(cost);
    free(ready);
    free(due);
    free(service);
    return big;
}

static void a_feasible_tour_with_copies_is_never_proved_impossible(void **state)
{
    (void)state;
    int proved = 0, open = 0, by_kind[32] = {0};
    for (uint64_t seed = 0; seed < 600; seed++) {
        ucpo_instance *inst = drawn(prob_find("tsptw"), seed), *big = with_copies(inst, 5);
        ucpo_explanation *e = explained(big, NULL, 0);
        int is_proof = ucpo_explanation_is_proof(e);
        if (has_feasible_plan(inst)) {
            if (is_proof) fail_msg("seed %d: %s", (int)seed, ucpo_explanation_at(e, 0)->text);
        } else {
            is_proof ? proved++ : open++;
            if (is_proof) by_kind[ucpo_explanation_at(e, 0)->kind]++;
        }
        ucpo_explanation_free(e);
        ucpo_instance_free(inst);
        ucpo_instance_free(big);
    }
    print_message("tsptw with copies: %d proved, %d not:", proved, open);
    for (int k = 0; k < 32; k++)
        if (by_kind[k]) print_message(" %s %d", ucpo_reason_name((ucpo_reason_kind)k), by_kind[k]);
    print_message("\n");
    assert_true(proved > open);
}

/* ---- matrices with gaps ---- */

/* No sentence argues with the number that stands for a gap. */
static void assert_no_invented_times(const ucpo_instance *inst, const ucpo_explanation *e)
{
    double no_way = inst->data.no_way;
    for (size_t k = 0; no_way > 0.0 && k < ucpo_explanation_count(e); k++) {
        const ucpo_reason *reason = ucpo_explanation_at(e, k);
        int is_time = reason->kind <= UCPO_REASON_CROWD || reason->kind >= UCPO_REASON_RELAX_DUE;
        if (is_time && isfinite(reason->value) && reason->value >= no_way)
            fail_msg("%g: %s", no_way, reason->text);
        assert_false(isnan(reason->value) || isnan(reason->bound) || isnan(reason->excess));
        if (strstr(reason->text, "inf ") || strstr(reason->text, "nan"))
            fail_msg("%s", reason->text);
    }
}

static void a_proof_across_gaps_is_never_wrong(void **state)
{
    (void)state;
    for (size_t p = 0; p < prob_registry_count; p++) {
        int infeasible = 0, proved = 0;
        for (uint64_t seed = 0; seed < 150; seed++) {
            ucpo_instance *inst = drawn_with(prob_registry[p], seed, 1);
            ucpo_explanation *e = explained(inst, NULL, 0);
            int is_hopeless = !has_feasible_plan(inst), is_proof = ucpo_explanation_is_proof(e);
            if (is_proof && !is_hopeless)
                fail_msg("%s seed %d: %s", prob_registry[p]->info.name, (int)seed,
                         ucpo_explanation_at(e, 0)->text);
            assert_no_invented_times(inst, e);
            infeasible += is_hopeless;
            proved += is_proof;
            ucpo_explanation_free(e);
            ucpo_instance_free(inst);
        }
        print_message("%s with gaps: %d infeasible, %d proved\n", prob_registry[p]->info.name,
                      infeasible, proved);
        assert_true(infeasible > 50 && infeasible < 150);
        int is_searched = prob_registry[p]->needs & PROB_WINDOWS;
        assert_true(proved > (is_searched ? 0.99 : 0.2) * infeasible);
    }
}

static void copies_with_gaps_are_never_proved_impossible(void **state)
{
    (void)state;
    int proved = 0, open = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        ucpo_instance *inst = drawn_with(prob_find("tsptw"), seed, 1), *big = with_copies(inst, 5);
        ucpo_explanation *e = explained(big, NULL, 0);
        int is_proof = ucpo_explanation_is_proof(e);
        if (is_proof && has_feasible_plan(inst))
            fail_msg("seed %d: %s", (int)seed, ucpo_explanation_at(e, 0)->text);
        assert_no_invented_times(big, e);
        is_proof ? proved++ : open++;
        ucpo_explanation_free(e);
        ucpo_instance_free(inst);
        ucpo_instance_free(big);
    }
    assert_true(proved > open);
}

/* ---- each kind by hand ---- */

struct hand {
    const char *problem;
    int32_t n;
    double cost[36], ready[6], due[6], service[6], demand[6], limit[6];
    double capacity;
    int32_t vehicles;
    ucpo_draft draft;
};

static ucpo_instance *by_hand(const struct hand *h)
{
    ucpo_instance_data d = ucpo_instance_data_default();
    unsigned needs = prob_find(h->problem)->needs;
    d.problem = h->problem, d.n = h->n, d.cost = h->cost;
    if (needs & PROB_WINDOWS) d.ready = h->ready, d.due = h->due, d.service = h->service;
    if (needs & PROB_DEMAND) d.demand = h->demand;
    if (needs & PROB_LIMIT) d.limit = h->limit;
    d.capacity = h->capacity, d.vehicles = h->vehicles, d.draft = h->draft;
    ucpo_instance *inst = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_instance_create(&d, &inst, &err), &err);
    return inst;
}

static void expect_proof(const struct hand *h, ucpo_reason_kind kind, const int32_t *customers,
                         size_t count, double excess)
{
    ucpo_instance *inst = by_hand(h);
    ucpo_explanation *e = explained(inst, NULL, 0);
    const ucpo_reason *reason = ucpo_explanation_at(e, 0);
    assert_true(ucpo_explanation_is_proof(e));
    if (reason->kind != kind) fail_msg("%s: %s", ucpo_reason_name(reason->kind), reason->text);
    assert_int_equal(reason->customer_count, count);
    if (count) assert_memory_equal(reason->customers, customers, count * sizeof *customers);
    assert_close(reason->excess, excess, 1e-6, 1e-4);
    assert_false(has_feasible_plan(inst));
    ucpo_explanation_free(e);
    ucpo_instance_free(inst);
}

#define CUSTOMERS(...)                                                                             \
    (const int32_t[]){__VA_ARGS__}, sizeof((const int32_t[]){__VA_ARGS__}) / sizeof(int32_t)

static void one_customer_out_of_reach(void **state)
{
    (void)state;
    /* 2 is reached through 1 at 5 + 1 + 6 = 12, straight at 30 */
    struct hand h = {
        "tsptw", 3, {0, 5, 30, 5, 0, 6, 30, 6, 0}, .due = {99, 50, 10}, .service = {0, 1, 0}};
    expect_proof(&h, UCPO_REASON_REACH, CUSTOMERS(2), 2.0);
    h.due[2] = 12, h.due[0] = 17; /* back through 1: that is already visited, but a bound */
    expect_proof(&h, UCPO_REASON_RETURN, CUSTOMERS(2), 7.0);
}

static void expect_text(const struct hand *h, ucpo_reason_kind kind, const char *part)
{
    ucpo_instance *inst = by_hand(h);
    ucpo_explanation *e = explained(inst, NULL, 0);
    const ucpo_reason *reason = ucpo_explanation_at(e, 0);
    assert_true(ucpo_explanation_is_proof(e));
    assert_int_equal(reason->kind, kind);
    if (!strstr(reason->text, part)) fail_msg("'%s' is not in '%s'", part, reason->text);
    assert_false(has_feasible_plan(inst));
    ucpo_explanation_free(e);
    ucpo_instance_free(inst);
}

static void gaps_are_called_by_their_name(void **state)
{
    (void)state;
    const double gap = HUGE_VAL;
    struct hand to = {"tsptw", 3, {0, 5, gap, 5, 0, gap, 5, 6, 0}, .due = {gap, gap, gap}};
    expect_text(&to, UCPO_REASON_REACH, "there is no way to customer 2");
    struct hand far = {"cvrp",
                       4,
                       {0, 5, gap, gap, 5, 0, gap, gap, 5, 5, 0, 5, 5, 5, 5, 0},
                       .demand = {0, 1, 1, 1},
                       .capacity = 3};
    expect_text(&far, UCPO_REASON_REACH,
                "there is no way from the depot to customer 2, not even over other customers");
    struct hand back = {"tsptw", 3, {0, 5, 5, gap, 0, 5, gap, 6, 0}, .due = {gap, gap, gap}};
    expect_text(&back, UCPO_REASON_RETURN, "there is no way to the depot");
    struct hand trap = {"tsptw", 3, {0, 5, 5, 5, 0, 5, gap, gap, 0}, .due = {gap, gap, gap}};
    expect_text(&trap, UCPO_REASON_RETURN, "there is no way from customer 2");
    struct hand late = {"tsptw", 3, {0, 5, gap, 5, 0, 6, 5, 6, 0}, .due = {gap, 4, gap}};
    expect_text(&late, UCPO_REASON_REACH, "customer 1 cannot be reached in time");
    struct hand pair = {"tsptw", 3, {0, 5, 20, 5, 0, gap, 20, 5, 0}, .due = {99, 5, 50}};
    expect_text(&pair, UCPO_REASON_PAIR,
                "exclude each other: there is no way from 1 to 2; after 2, 1 starts at 25 at the "
                "earliest, it must start by 5 (20 too late)");
    struct hand both = {"tsptw", 3, {0, 5, 5, 5, 0, gap, 5, gap, 0}, .due = {gap, gap, gap}};
    expect_text(&both, UCPO_REASON_PAIR,
                "there is no way from 1 to 2; there is no way from 2 to 1");
}

static void two_customers_exclude_each_other(void **state)
{
    (void)state;
    struct hand h = {"tsptw", 3, {0, 5, 5, 5, 0, 8, 5, 8, 0}, .due = {99, 10, 12}};
    expect_proof(&h, UCPO_REASON_PAIR, CUSTOMERS(1, 2), 1.0);
}

static void three_customers_in_a_circle(void **state)
{
    (void)state;
    struct hand h = {"tsptw",
                     4,
                     {0, 10, 10, 10, 10, 0, 5, 15, 10, 15, 0, 5, 10, 5, 15, 0},
                     .due = {999, 22, 22, 22},
                     .service = {0, 6, 6, 6}};
    static const int32_t circle[] = {1, 2, 3};
    ucpo_instance *inst = by_hand(&h);
    ucpo_explanation *e = explained(inst, NULL, 0);
    assert_int_equal(ucpo_explanation_at(e, 0)->kind, UCPO_REASON_CROWD); /* simpler, comes first */
    struct bounds b = {.inst = inst, .data = &inst->data, .n = inst->data.n, .fleet = 1};
    bounds_find(&b, e);
    prove_precedences(&b, e);
    assert_int_equal(e->status, UCPO_OK);
    const ucpo_reason *last = &e->items[e->count - 1];
    assert_int_equal(last->kind, UCPO_REASON_CYCLE);
    assert_int_equal(last->customer_count, 3);
    assert_memory_equal(last->customers, circle, sizeof circle);
    ucpo_explanation_free(e);
    ucpo_instance_free(inst);
}

static void a_crowd_in_a_short_time(void **state)
{
    (void)state;
    struct hand h = {"tsptw", 5, {0}, .due = {999, 30, 30, 30, 30}, .service = {0, 1, 1, 1, 1}};
    for (int i = 0; i < 25; i++) h.cost[i] = i / 5 == i % 5 ? 0 : i / 5 == 0 ? 10 : 8;
    expect_proof(&h, UCPO_REASON_CROWD, CUSTOMERS(1, 2, 3, 4), 27.0 - 20.0);
}

static void draft_limits_that_cannot_be_ordered(void **state)
{
    (void)state;
    struct hand h = {"tspdl", 5, .demand = {0, 2, 3, 1, 4}, .limit = {10, 4, 4, 10, 10}};
    for (int i = 0; i < 25; i++) h.cost[i] = i / 5 != i % 5;
    expect_proof(&h, UCPO_REASON_LIMITS, CUSTOMERS(1, 2), 1.0);
    h.draft = UCPO_DRAFT_UNLOAD;
    expect_proof(&h, UCPO_REASON_LIMITS, CUSTOMERS(1, 2), 1.0);
    h.limit[4] = 3.0;
    expect_proof(&h, UCPO_REASON_LIMIT, CUSTOMERS(4), 1.0);
    h.limit[4] = 10.0, h.limit[0] = 9.0;
    expect_proof(&h, UCPO_REASON_LIMIT, CUSTOMERS(0), 1.0);
}

static void fleets_that_are_too_small(void **state)
{
    (void)state;
    struct hand h = {"cvrptwlv", 6, .due = {99, 99, 99, 99, 99, 99}, .capacity = 10, .vehicles = 2};
    for (int i = 0; i < 36; i++) h.cost[i] = i / 6 != i % 6;
    const double heavy[] = {0, 11, 1, 1, 1, 1}, much[] = {0, 5, 5, 5, 5, 1},
                 bulky[] = {0, 6, 6, 1, 6, 1};
    memcpy(h.demand, heavy, sizeof heavy);
    expect_proof(&h, UCPO_REASON_DEMAND, CUSTOMERS(1), 1.0);
    memcpy(h.demand, much, sizeof much);
    expect_proof(&h, UCPO_REASON_FLEET_LOAD, NULL, 0, 1.0);
    memcpy(h.demand, bulky, sizeof bulky);
    expect_proof(&h, UCPO_REASON_FLEET_PACK, NULL, 0, 1.0);
    for (int i = 1; i < 6; i++) h.demand[i] = 1.0;
    h.due[1] = h.due[3] = h.due[5] = 1.5; /* each is one step from the depot */
    expect_proof(&h, UCPO_REASON_FLEET_APART, CUSTOMERS(1, 3, 5), 1.0);
}

/* Demands 4, 4, 4 and 3, 3, 3 in two vehicles of 10: enough room in all, but not in pieces. */
static void a_set_that_only_trying_refutes(void **state)
{
    (void)state;
    struct hand h = {"cvrptwlv", 6, .due = {99, 99, 99, 99, 99, 99}, .capacity = 10, .vehicles = 2};
    const double pieces[] = {0, 4, 4, 4, 4, 4};
    for (int i = 0; i < 36; i++) h.cost[i] = i / 6 != i % 6;
    memcpy(h.demand, pieces, sizeof pieces);
    expect_proof(&h, UCPO_REASON_SET, CUSTOMERS(1, 2, 3, 4, 5), 0.0);
}

/* 1 must come after 2 and 3, which together take too long although each alone would do. */
static void forced_predecessors_leave_no_time(void **state)
{
    (void)state;
    struct hand h = {"tsptw", 4, {0}, .ready = {0, 40, 0, 0}, .due = {999, 45, 35, 36}};
    for (int i = 0; i < 16; i++) h.cost[i] = i / 4 == i % 4 ? 0 : i / 4 == 0 ? 20 : 13;
    h.service[2] = h.service[3] = 2;
    ucpo_instance *inst = by_hand(&h);
    ucpo_explanation *e = explained(inst, NULL, 0);
    assert_true(ucpo_explanation_is_proof(e));
    const ucpo_reason *reason = ucpo_explanation_at(e, 0);
    if (reason->kind != UCPO_REASON_CHAIN)
        fail_msg("%s: %s", ucpo_reason_name(reason->kind), reason->text);
    assert_false(has_feasible_plan(inst));
    ucpo_explanation_free(e);
    ucpo_instance_free(inst);
}

/* Exactly at the tolerance nothing is wrong, a little beyond it is. */
static void proofs_begin_where_the_checker_counts(void **state)
{
    (void)state;
    const double x[] = {0, 3}, y[] = {0, 4}, ready[] = {0, 0};
    for (int k = 0; k < 4; k++) {
        double due[] = {99, k % 2 ? 4.5 : 4.4999};
        if (k >= 2) due[1] = 99, due[0] = k % 2 ? 9.5 : 9.4999;
        ucpo_instance_data d = ucpo_instance_data_default();
        d.problem = "tsptw", d.n = 2, d.x = x, d.y = y, d.ready = ready, d.due = due;
        d.tolerance = 0.5;
        ucpo_instance *inst = NULL;
        assert_int_equal(ucpo_instance_create(&d, &inst, NULL), UCPO_OK);
        ucpo_explanation *e = explained(inst, NULL, 0);
        assert_int_equal(has_feasible_plan(inst), k % 2);
        assert_int_equal(ucpo_explanation_is_proof(e), !(k % 2));
        ucpo_explanation_free(e);
        ucpo_instance_free(inst);
    }
}

/* ---- relaxations ---- */

/* The instance with one thing changed, through the public door. */
static ucpo_instance *changed(const ucpo_instance *inst, const ucpo_reason *reason, double value)
{
    ucpo_instance_data d = *ucpo_instance_view(inst);
    double ready[NODES], due[NODES], limit[NODES];
    size_t bytes = (size_t)d.n * sizeof(double);
    if (d.ready) memcpy(ready, d.ready, bytes), d.ready = ready;
    if (d.due) memcpy(due, d.due, bytes), d.due = due;
    if (d.limit) memcpy(limit, d.limit, bytes), d.limit = limit;
    int32_t node = reason->customer_count ? reason->customers[0] : 0;
    if (reason->kind == UCPO_REASON_RELAX_DUE) due[node] = value;
    if (reason->kind == UCPO_REASON_RELAX_READY) ready[node] = value;
    if (reason->kind == UCPO_REASON_RELAX_LIMIT) limit[node] = value;
    if (reason->kind == UCPO_REASON_RELAX_CAPACITY) d.capacity = value;
    if (reason->kind == UCPO_REASON_RELAX_FLEET) d.vehicles = (int32_t)value;
    ucpo_instance *out = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_instance_create(&d, &out, &err), &err);
    return out;
}

/* Feasible with the change, infeasible with 90 % of it (unless that is within the tolerance). */
static void confirm(const ucpo_instance *inst, const ucpo_reason *reason, const int32_t *plan,
                    size_t len)
{
    double part = reason->bound + 0.9 * reason->excess;
    int is_load = reason->kind >= UCPO_REASON_RELAX_LIMIT;
    double tolerance = is_load ? inst->load_tolerance : inst->data.tolerance;
    ucpo_instance *good = changed(inst, reason, reason->value);
    assert_true(is_feasible(good, plan, len));
    ucpo_instance_free(good);
    if (reason->kind == UCPO_REASON_RELAX_FLEET)
        part = reason->value - 1;
    else if (0.1 * fabs(reason->excess) <= tolerance * (1 + 1e-9))
        return;
    ucpo_instance *bad = changed(inst, reason, part);
    assert_false(is_feasible(bad, plan, len));
    ucpo_instance_free(bad);
}

static void a_relaxation_is_enough_and_no_less_is(void **state)
{
    (void)state;
    int by_kind[32] = {0}, joint = 0, feasible = 0, broken = 0;
    for (size_t p = 0; p < prob_registry_count; p++) {
        for (uint64_t seed = 0; seed < 1000; seed++) {
            ucpo_instance *inst = drawn(prob_registry[p], seed);
            struct rng rng = rng_at(seed, RNG_TEST, 5);
            int32_t plan[16];
            size_t len = 0;
            for (int32_t i = 1; i < inst->data.n; i++) {
                plan[len++] = i;
                if (!inst->ops->max_vehicles && rng_below(&rng, 2)) plan[len++] = 0;
            }
            if (seed % 10 == 9) plan[0] = 2;
            ucpo_explanation *e = explained(inst, plan, len);
            int singles = 0, joints = 0, breaks = 0;
            for (size_t k = 0; k < ucpo_explanation_count(e); k++) {
                const ucpo_reason *reason = ucpo_explanation_at(e, k);
                breaks += reason->kind == UCPO_REASON_PLAN_BROKEN;
                if (reason->kind < UCPO_REASON_RELAX_DUE || reason->kind == UCPO_REASON_PLAN_BROKEN)
                    continue;
                by_kind[reason->kind]++;
                if (reason->is_joint) {
                    joints++;
                    continue;
                }
                confirm(inst, reason, plan, len);
                singles++;
            }
            joint += joints > 0;
            feasible += is_feasible(inst, plan, len);
            broken += breaks;
            assert_int_equal(singles + joints + breaks > 0, !is_feasible(inst, plan, len));
            assert_true(joints != 1 && !(singles && joints));
            ucpo_explanation_free(e);
            ucpo_instance_free(inst);
        }
    }
    print_message("plans: %d feasible, %d broken, %d with several changes;", feasible, broken,
                  joint);
    for (int k = UCPO_REASON_RELAX_DUE; k < UCPO_REASON_PLAN_BROKEN; k++) {
        print_message(" %s %d", ucpo_reason_name((ucpo_reason_kind)k), by_kind[k]);
        assert_true(by_kind[k] > 20);
    }
    print_message("\n");
}

/* The opening that the explanation of the plan 1, 2 proposes for the depot, or NAN. */
static double proposed_opening(const struct hand *h)
{
    static const int32_t plan[] = {1, 2};
    ucpo_instance *inst = by_hand(h);
    ucpo_explanation *e = explained(inst, plan, 2);
    double opening = NAN;
    size_t changes = 0;
    for (size_t k = 0; k < ucpo_explanation_count(e); k++) {
        const ucpo_reason *reason = ucpo_explanation_at(e, k);
        changes += reason->kind >= UCPO_REASON_RELAX_DUE;
        if (reason->kind == UCPO_REASON_RELAX_READY) opening = reason->value;
    }
    assert_true(changes > 0); /* a later closing at least */
    ucpo_explanation_free(e);
    ucpo_instance_free(inst);
    return opening;
}

static void nobody_is_told_to_leave_before_the_day_begins(void **state)
{
    (void)state;
    struct hand late = {"tsptw", 3, {0, 5, 9, 5, 0, 8, 9, 8, 0}, .due = {99, 50, 10}};
    assert_true(isnan(proposed_opening(&late))); /* 3 late, and the depot opens at 0 */
    for (int i = 0; i < 3; i++) late.due[i] += 2.0;
    late.ready[0] = 2.0;
    assert_true(isnan(proposed_opening(&late))); /* -1 */
    for (int i = 0; i < 3; i++) late.due[i] += 1.0;
    late.ready[0] = 3.0;
    assert_close(proposed_opening(&late), 0.0, 1e-9, 0);
    for (int i = 0; i < 3; i++) late.due[i] -= 3.0;
    late.ready[0] = 0.0, late.ready[1] = -4.0; /* a day that is counted from its noon */
    assert_close(proposed_opening(&late), -3.0, 1e-9, 0);
}

static void a_plan_of_a_problem_without_windows_is_explained(void **state)
{
    (void)state;
    static const int32_t plan[] = {1, 2};
    struct hand ship = {"tspdl", 3, {0, 5, 9, 5, 0, 8, 9, 8, 0}, .demand = {0, 2, 3}};
    ship.limit[0] = 5.0, ship.limit[1] = 5.0, ship.limit[2] = 3.0;
    struct hand fleet = {"cvrp", 3, {0, 5, 9, 5, 0, 8, 9, 8, 0}, .demand = {0, 2, 3}};
    fleet.capacity = 4.0;
    const struct hand *hands[] = {&ship, &fleet};
    static const ucpo_reason_kind kinds[] = {UCPO_REASON_RELAX_LIMIT, UCPO_REASON_RELAX_CAPACITY};
    for (int k = 0; k < 2; k++) {
        ucpo_instance *inst = by_hand(hands[k]);
        assert_null(ucpo_instance_view(inst)->ready);
        ucpo_explanation *e = explained(inst, plan, 2);
        const ucpo_reason *last = ucpo_explanation_at(e, ucpo_explanation_count(e) - 1);
        assert_int_equal(last->kind, kinds[k]);
        assert_close(last->value, 5.0, 0, 0);
        ucpo_explanation_free(e);
        ucpo_instance_free(inst);
    }
}

/* ---- sizes, arguments ---- */

static void ten_thousand_nodes_take_two_seconds(void **state)
{
    (void)state;
    static const char *const problems[] = {"tsptw", "tspdl", "cvrptw", "cvrptwlv"};
    for (int p = 0; p < 4; p++) {
        for (int is_rounded = 0; is_rounded < 2; is_rounded++) {
            ucpo_generate_config config = ucpo_generate_config_default();
            config.problem = p == 1 ? "tsptw" : problems[p], config.size = 10000,
            config.threads = 1;
            ucpo_dataset *set = NULL;
            ucpo_error err = {0};
            assert_ok(ucpo_generate(&config, &set, &err), &err);
            ucpo_instance_data d = *ucpo_instance_view(ucpo_dataset_at(set, 0));
            double *ones = calloc((size_t)d.n, sizeof *ones),
                   *limits = calloc((size_t)d.n, sizeof *limits);
            int32_t *plan = calloc((size_t)d.n, sizeof *plan);
            for (int32_t i = 0; i < d.n; i++) ones[i] = i > 0, limits[i] = i ? i : d.n, plan[i] = i;
            if (p == 1) d.problem = "tspdl", d.demand = ones, d.limit = limits;
            if (p == 1) d.ready = d.due = d.service = NULL;
            if (is_rounded) d.rounding = UCPO_ROUND_NEAREST;
            ucpo_instance *inst = NULL;
            assert_ok(ucpo_instance_create(&d, &inst, &err), &err);
            double seconds = 2.0;
            for (int k = 0; k < 3 && seconds >= 2.0; k++) { /* others may use the same caches */
                clock_t start = clock();
                ucpo_explanation_free(explained(inst, plan, (size_t)d.n));
                seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
            }
            print_message("%s%s: %.2f s\n", problems[p], is_rounded ? ", rounded" : "", seconds);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__OPTIMIZE__)
            assert_true(seconds < 2.0);
#endif
            free(ones);
            free(limits);
            free(plan);
            ucpo_instance_free(inst);
            ucpo_dataset_free(set);
        }
    }
}

static void arguments_are_checked(void **state)
{
    (void)state;
    ucpo_error err = {0};
    ucpo_explanation *e = NULL;
    assert_int_equal(ucpo_explain(NULL, NULL, 0, &e, &err), UCPO_E_ARGUMENT);
    ucpo_instance *inst = test_random_instance(prob_find("tsptw"), 5, SHAPE_GENERATED, 1);
    assert_int_equal(ucpo_explain(inst, NULL, 3, &e, &err), UCPO_E_ARGUMENT);
    assert_null(e);
    e = explained(inst, NULL, 0);
    assert_null(ucpo_explanation_at(e, ucpo_explanation_count(e)));
    assert_string_equal(ucpo_reason_name((ucpo_reason_kind)999), "unknown");
    ucpo_explanation_free(e);
    ucpo_explanation_free(NULL);
    ucpo_instance_free(inst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_proof_is_never_wrong),
        cmocka_unit_test(a_feasible_tour_with_copies_is_never_proved_impossible),
        cmocka_unit_test(one_customer_out_of_reach),
        cmocka_unit_test(gaps_are_called_by_their_name),
        cmocka_unit_test(a_proof_across_gaps_is_never_wrong),
        cmocka_unit_test(copies_with_gaps_are_never_proved_impossible),
        cmocka_unit_test(two_customers_exclude_each_other),
        cmocka_unit_test(three_customers_in_a_circle),
        cmocka_unit_test(a_crowd_in_a_short_time),
        cmocka_unit_test(draft_limits_that_cannot_be_ordered),
        cmocka_unit_test(fleets_that_are_too_small),
        cmocka_unit_test(a_set_that_only_trying_refutes),
        cmocka_unit_test(forced_predecessors_leave_no_time),
        cmocka_unit_test(proofs_begin_where_the_checker_counts),
        cmocka_unit_test(a_relaxation_is_enough_and_no_less_is),
        cmocka_unit_test(nobody_is_told_to_leave_before_the_day_begins),
        cmocka_unit_test(a_plan_of_a_problem_without_windows_is_explained),
        cmocka_unit_test(ten_thousand_nodes_take_two_seconds),
        cmocka_unit_test(arguments_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
