/* The numbers of explanations against all ways, orders and plans of small instances, and at their edges. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain/explain.h"
#include "support/small.h"
#include "support/support.h"

enum { N = SMALL_NODES };

static ucpo_explanation *explained(const ucpo_instance *inst, const int32_t *plan, size_t len)
{
    ucpo_explanation *e = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_explain(inst, plan, len, &e, &err), &err);
    return e;
}

static struct bounds found(const ucpo_instance *inst, ucpo_explanation *room)
{
    struct bounds b = {
        .inst = inst, .data = &inst->data, .n = inst->data.n, .fleet = fleet_of(inst)};
    bounds_find(&b, room);
    assert_int_equal(room->status, UCPO_OK);
    return b;
}

/* Which problems have times. */
static int has_windows(const struct prob_ops *ops)
{
    return (ops->needs & PROB_WINDOWS) != 0;
}

/* ---- times against all walks over customers ---- */

struct walks {
    const ucpo_instance *inst;
    double earliest[N]; /* over any customers before, each in time */
    double way[N][N];   /* from the end of service at i to j, services between counted */
};

static double leg(const ucpo_instance *inst, int32_t i, int32_t j)
{
    return ucpo_instance_has_way(inst, i, j) ? ucpo_instance_duration(inst, i, j) : HUGE_VAL;
}

static double service(const ucpo_instance *inst, int32_t i)
{
    return inst->data.service ? inst->data.service[i] : 0.0;
}

static void walk_out(struct walks *w, int32_t at, unsigned seen, double leave)
{
    const ucpo_instance_data *d = &w->inst->data;
    for (int32_t j = 1; j < d->n; j++) {
        if (seen >> j & 1u) continue;
        double start = fmax(leave + leg(w->inst, at, j), d->ready[j]);
        if (start < w->earliest[j]) w->earliest[j] = start;
        if (start <= d->due[j] + d->tolerance + 1e-9)
            walk_out(w, j, seen | 1u << j, start + service(w->inst, j));
    }
}

static void walk_on(struct walks *w, int32_t from, int32_t at, unsigned seen, double time)
{
    for (int32_t j = 0; j < w->inst->data.n; j++) {
        if (seen >> j & 1u || (j == 0 && at == 0)) continue;
        double arrive = time + leg(w->inst, at, j);
        if (arrive < w->way[from][j]) w->way[from][j] = arrive;
        if (j != 0) walk_on(w, from, j, seen | 1u << j, arrive + service(w->inst, j));
    }
}

static struct walks walked(const ucpo_instance *inst)
{
    struct walks w = {.inst = inst};
    for (int32_t i = 0; i < N; i++) {
        w.earliest[i] = HUGE_VAL;
        for (int32_t j = 0; j < N; j++) w.way[i][j] = HUGE_VAL;
    }
    walk_out(&w, 0, 1u, inst->data.ready[0]);
    for (int32_t i = 1; i < inst->data.n; i++) walk_on(&w, i, i, 1u << i, 0.0);
    return w;
}

static unsigned with_of(uint64_t seed)
{
    return (unsigned)(seed % 3 == 1) * SMALL_GAPS | (unsigned)(seed % 4 == 2) * SMALL_METRIC;
}

static int same(double a, double b)
{
    return isinf(b) ? isinf(a) : fabs(a - b) < 1e-9;
}

static double latest_of(const struct walks *w, int32_t i)
{
    const ucpo_instance_data *d = &w->inst->data;
    double home = d->due[0] + d->tolerance - service(w->inst, i) - w->way[i][0];
    return isfinite(d->due[0]) ? fmin(d->due[i] + d->tolerance, home) : d->due[i] + d->tolerance;
}

static void times_are_the_least_and_the_most_over_all_walks(void **state)
{
    (void)state;
    int over_others = 0;
    for (size_t p = 0; p < prob_registry_count; p++) {
        if (!has_windows(prob_registry[p])) continue;
        for (uint64_t seed = 0; seed < 300; seed++) {
            ucpo_instance *inst = test_small_instance(prob_registry[p], 3 + (int32_t)(seed % 4),
                                                      with_of(seed), seed + 100);
            ucpo_explanation *room = explained(inst, NULL, 0);
            struct bounds b = found(inst, room);
            struct walks w = walked(inst);
            for (int32_t i = 1; i < b.n; i++) {
                assert_true(same(b.earliest[i], w.earliest[i]));
                assert_true(same(b.home[i], w.way[i][0]));
                assert_true(same(b.latest[i], latest_of(&w, i)));
                assert_true(b.latest[i] > latest_of(&w, i) || !isfinite(b.latest[i]));
                assert_true(b.first_earliest[i] == b.earliest[i]);
                assert_true(b.first_latest[i] == b.latest[i]);
                over_others += w.way[i][0] < leg(inst, i, 0);
                for (int32_t j = 1; j < b.n; j++) {
                    if (i == j) continue;
                    assert_true(same(bounds_way(&b, i, j), w.way[i][j]));
                    assert_true(same(bounds_leg(&b, i, j), leg(inst, i, j)));
                    double start = w.earliest[i] + service(inst, i) + w.way[i][j];
                    assert_int_equal(bounds_may_precede(&b, i, j),
                                     isfinite(start) && start <= latest_of(&w, j) + 1e-9);
                }
            }
            assert_true(
                same(bounds_plain(&b, b.latest[1]), latest_of(&w, 1) - inst->data.tolerance));
            ucpo_explanation_free(room);
            ucpo_instance_free(inst);
        }
    }
    assert_true(over_others > 300);
}

/* More nodes than ways are looked for between: least legs stand for them. Coordinates need none. */
static void many_nodes_have_bounds_of_their_ways_too(void **state)
{
    (void)state;

    enum { MANY = EXPLAIN_PATHS_UP_TO + 5 };

    static double cost[MANY * MANY], way[MANY * MANY], ready[MANY], due[MANY], held[MANY];
    struct rng rng = rng_at(3, RNG_TEST, 3);
    ucpo_instance_data d = ucpo_instance_data_default();
    for (size_t i = 0; i < MANY; i++) {
        ready[i] = 0, due[i] = 1e4, held[i] = i ? 2.0 + rng_below(&rng, 3) : 0.0;
        for (size_t j = 0; j < MANY; j++)
            cost[i * MANY + j] = way[i * MANY + j] = i == j ? 0.0 : 30.0 + rng_below(&rng, 90);
    }
    d.problem = "tsptw", d.n = MANY, d.cost = cost, d.ready = ready, d.due = due, d.service = held;
    ucpo_instance *inst = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_instance_create(&d, &inst, &err), &err);
    ucpo_explanation *room = explained(inst, NULL, 0);
    struct bounds b = found(inst, room);
    for (size_t k = 1; k < MANY; k++)
        for (size_t i = 1; i < MANY; i++)
            for (size_t j = 0; j < MANY; j++) {
                double via = way[i * MANY + k] + held[k] + way[k * MANY + j];
                if (i != j && i != k && j != k && via < way[i * MANY + j]) way[i * MANY + j] = via;
            }
    int shorter = 0;
    for (int32_t i = 1; i < MANY; i++) {
        assert_true(same(b.home[i], way[i * MANY]));
        for (int32_t j = 1; j < MANY; j++) {
            double straight = cost[i * MANY + j], out = HUGE_VAL, in = HUGE_VAL;
            if (i == j) continue;
            for (int32_t k = 1; k < MANY && (i * 7 + j) % 50 == 0; k++) {
                if (k != i) out = fmin(out, cost[i * MANY + k]);
                if (k != j) in = fmin(in, cost[k * MANY + j]);
            }
            assert_true(bounds_way(&b, i, j) <= way[i * MANY + j]);
            if ((i * 7 + j) % 50 == 0)
                assert_true(bounds_way(&b, i, j) == fmin(straight, out + 2.0 + in));
            shorter += bounds_way(&b, i, j) < straight;
        }
    }
    assert_true(shorter > 1000);
    ucpo_explanation_free(room);
    ucpo_instance_free(inst);
}

/* ---- findings ---- */

static const ucpo_reason *finding(const ucpo_explanation *e, ucpo_reason_kind kind, int32_t a,
                                  int32_t b)
{
    for (size_t k = 0; k < ucpo_explanation_count(e); k++) {
        const ucpo_reason *r = ucpo_explanation_at(e, k);
        int is_a = !a || (r->customer_count > 0 && r->customers[0] == a);
        if (r->kind == kind && is_a && (!b || (r->customer_count > 1 && r->customers[1] == b)))
            return r;
    }
    return NULL;
}

static void expect_numbers(const ucpo_reason *r, double value, double bound)
{
    assert_non_null(r);
    if (!same(r->value, value) || !same(r->bound, bound))
        fail_msg("%g, %g expected: %s", value, bound, r->text);
    if (isfinite(value)) assert_close(r->excess, value - bound, 0, 1e-9);
}

/* What is said of single customers and pairs, and that it is said wherever it holds. */
static int compare_reach(const ucpo_instance *inst, const ucpo_explanation *e)
{
    const ucpo_instance_data *d = &inst->data;
    struct walks w = walked(inst);
    int count = 0;
    for (int32_t i = 1; i < d->n; i++) {
        double back = w.earliest[i] + service(inst, i) + w.way[i][0];
        int is_far = isfinite(w.earliest[i]) && w.earliest[i] > d->due[i] + d->tolerance + 1e-9;
        int is_lost = !is_far && isfinite(w.earliest[i]) && back > d->due[0] + d->tolerance + 1e-9;
        const ucpo_reason *far = finding(e, UCPO_REASON_REACH, i, 0);
        const ucpo_reason *lost = finding(e, UCPO_REASON_RETURN, i, 0);
        if (isinf(w.earliest[i])) continue;
        assert_int_equal(far != NULL, is_far);
        assert_int_equal(lost != NULL, is_lost);
        if (is_far) expect_numbers(far, w.earliest[i], d->due[i]);
        if (is_lost) expect_numbers(lost, back, d->due[0]);
        count += is_far + is_lost;
    }
    return count;
}

static int compare_pairs(const ucpo_instance *inst, const ucpo_explanation *e)
{
    const ucpo_instance_data *d = &inst->data;
    struct walks w = walked(inst);
    int count = 0;
    for (int32_t i = 1; i < d->n; i++)
        for (int32_t j = i + 1; j < d->n; j++) {
            double to = w.earliest[i] + service(inst, i) + w.way[i][j];
            double back = w.earliest[j] + service(inst, j) + w.way[j][i];
            double last_j = latest_of(&w, j), last_i = latest_of(&w, i);
            int is_pair = !(isfinite(to) && to <= last_j + 1e-9) &&
                          !(isfinite(back) && back <= last_i + 1e-9);
            const ucpo_reason *r = finding(e, UCPO_REASON_PAIR, i, j);
            assert_int_equal(r != NULL, is_pair);
            if (!is_pair || isinf(to) || isinf(back)) continue;
            double slack = d->tolerance, late_j = to - last_j, late_i = back - last_i;
            if (late_j <= late_i)
                expect_numbers(r, to, last_j - slack);
            else
                expect_numbers(r, back, last_i - slack);
            count++;
        }
    return count;
}

static int is_kind(const ucpo_explanation *e, ucpo_reason_kind kind)
{
    return ucpo_explanation_count(e) > 0 && ucpo_explanation_at(e, 0)->kind == kind;
}

static void customers_out_of_reach_and_pairs_are_named_with_their_times(void **state)
{
    (void)state;
    int reach = 0, pairs = 0;
    for (size_t p = 0; p < prob_registry_count; p++) {
        if (!has_windows(prob_registry[p])) continue;
        for (uint64_t seed = 0; seed < 2500; seed++) {
            ucpo_instance *inst = test_small_instance(prob_registry[p], 3 + (int32_t)(seed % 4),
                                                      with_of(seed), seed + 3000);
            ucpo_explanation *e = explained(inst, NULL, 0);
            int is_load = is_kind(e, UCPO_REASON_DEMAND) || is_kind(e, UCPO_REASON_FLEET_LOAD) ||
                          is_kind(e, UCPO_REASON_FLEET_PACK);
            int is_gap = ucpo_explanation_count(e) > 0 &&
                         strstr(ucpo_explanation_at(e, 0)->text, "there is no way") &&
                         !is_kind(e, UCPO_REASON_PAIR);
            int known = is_gap ? 0 : compare_reach(inst, e);
            reach += known;
            if (fleet_of(inst) == 1 && !known && !is_gap && !is_load)
                pairs += compare_pairs(inst, e);
            ucpo_explanation_free(e);
            ucpo_instance_free(inst);
        }
    }
    print_message("%d out of reach, %d pairs\n", reach, pairs);
    assert_true(reach > 300 && pairs > 100);
}

/* Least number of vehicles for the demands, by trying all divisions. */
static int least_vehicles(const ucpo_instance *inst)
{
    const ucpo_instance_data *d = &inst->data;
    int least[1 << N];
    for (unsigned set = 0; set < 1u << (d->n - 1); set++) {
        least[set] = set ? 99 : 0;
        for (unsigned part = set; part; part = (part - 1u) & set) {
            double load = 0.0;
            for (int32_t i = 1; i < d->n; i++) load += part >> (i - 1) & 1u ? d->demand[i] : 0.0;
            if (load <= d->capacity + inst->load_tolerance && least[set ^ part] + 1 < least[set])
                least[set] = least[set ^ part] + 1;
        }
    }
    return least[(1u << (d->n - 1)) - 1u];
}

static void loads_are_proved_where_they_do_not_fit(void **state)
{
    (void)state;
    int by_kind[32] = {0}, tight = 0;
    for (size_t p = 0; p < prob_registry_count; p++) {
        if (!(prob_registry[p]->needs & PROB_DEMAND)) continue;
        for (uint64_t seed = 0; seed < 2400; seed++) {
            ucpo_instance *inst =
                test_small_instance(prob_registry[p], 3 + (int32_t)(seed % 5), 0, seed + 6000);
            const ucpo_instance_data *d = &inst->data;
            ucpo_explanation *e = explained(inst, NULL, 0);
            const ucpo_reason *r = ucpo_explanation_at(e, 0);
            for (int32_t i = 1; i < d->n && !d->limit; i++) {
                const ucpo_reason *large = finding(e, UCPO_REASON_DEMAND, i, 0);
                assert_int_equal(large != NULL, d->demand[i] > d->capacity + inst->load_tolerance);
                if (large) expect_numbers(large, d->demand[i], d->capacity);
            }
            if (d->limit && prob_registry[p]->needs == (PROB_DEMAND | PROB_LIMIT))
                assert_int_equal(ucpo_explanation_is_proof(e), isinf(test_least_cost(inst)));
            if (d->limit && ucpo_explanation_is_proof(e)) {
                double cargo = 0.0, limit = 0.0;
                for (size_t k = 0; k < r->customer_count; k++) {
                    cargo += r->customers[k] ? d->demand[r->customers[k]] : inst->total_demand;
                    limit = fmax(limit, d->limit[r->customers[k]]);
                }
                expect_numbers(r, cargo, limit);
                assert_true(cargo > limit);
            }
            if (d->vehicles && !is_kind(e, UCPO_REASON_DEMAND)) {
                int is_load = is_kind(e, UCPO_REASON_FLEET_LOAD), least = least_vehicles(inst);
                int is_pack = is_kind(e, UCPO_REASON_FLEET_PACK);
                double volume = ceil(inst->total_demand / d->capacity - 1e-9);
                assert_int_equal(is_load, volume > d->vehicles);
                if (is_load) expect_numbers(r, volume, d->vehicles);
                if (is_pack) assert_true(r->value > d->vehicles && r->value <= least);
                if (is_pack) assert_true(r->bound == d->vehicles);
                tight += least > d->vehicles && !is_load;
            }
            if (ucpo_explanation_is_proof(e)) by_kind[r->kind]++;
            ucpo_explanation_free(e);
            ucpo_instance_free(inst);
        }
    }
    print_message("limit %d, limits %d, demand %d, fleet load %d, pack %d of %d\n",
                  by_kind[UCPO_REASON_LIMIT], by_kind[UCPO_REASON_LIMITS],
                  by_kind[UCPO_REASON_DEMAND], by_kind[UCPO_REASON_FLEET_LOAD],
                  by_kind[UCPO_REASON_FLEET_PACK], tight);
    assert_true(by_kind[UCPO_REASON_LIMIT] > 20 && by_kind[UCPO_REASON_LIMITS] > 20);
    assert_true(by_kind[UCPO_REASON_DEMAND] > 1 && by_kind[UCPO_REASON_FLEET_LOAD] > 50);
    assert_true(by_kind[UCPO_REASON_FLEET_PACK] > 5);
}

/* ---- sets: small enough to be tried ---- */

/* Ways from one of a list to another, or to and from the depot, over customers that are not of it. */
static void find_ways_around(const ucpo_instance *inst, const int32_t *ids, size_t count,
                             double way[N][N])
{
    int32_t n = inst->data.n;
    unsigned members = 1u;
    for (size_t k = 0; k < count; k++) members |= 1u << ids[k];
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++) way[i][j] = leg(inst, i, j);
    for (int32_t k = 1; k < n; k++)
        for (int32_t i = 0; i < n && !(members >> k & 1u); i++)
            for (int32_t j = 0; j < n; j++)
                if (i != j && i != k && j != k)
                    way[i][j] = fmin(way[i][j], way[i][k] + service(inst, k) + way[k][j]);
}

/* The instance with every deadline `later` (the depot's too), and only the customers of a list, others passed on
 * the way. */
static ucpo_instance *changed(const ucpo_instance *inst, const int32_t *ids, size_t count,
                              double later)
{
    const ucpo_instance_data *s = &inst->data;
    double cost[N * N], ready[N], due[N], held[N], demand[N], way[N][N];
    ucpo_instance_data d = *s;
    find_ways_around(inst, ids, count, way);
    int32_t node[N] = {0}, n = (int32_t)count + 1;
    for (int32_t k = 1; k < n; k++) node[k] = ids[k - 1];
    for (int32_t i = 0; i < n; i++) {
        ready[i] = s->ready[node[i]], due[i] = s->due[node[i]] + later;
        held[i] = service(inst, node[i]), demand[i] = s->demand ? s->demand[node[i]] : 0.0;
        for (int32_t j = 0; j < n; j++) cost[i * n + j] = way[node[i]][node[j]];
    }
    d.n = n, d.x = d.y = NULL, d.cost = cost, d.duration = NULL, d.speed = 0.0, d.no_way = 0.0;
    d.ready = ready, d.due = due, d.service = held, d.id = d.label = NULL;
    if (s->demand) d.demand = demand;
    ucpo_instance *out = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_instance_create(&d, &out, &err), &err);
    return out;
}

static int has_plan(const ucpo_instance *inst, const int32_t *ids, size_t count, double later)
{
    ucpo_instance *twin = changed(inst, ids, count, later);
    int is_feasible = isfinite(test_least_cost(twin));
    ucpo_instance_free(twin);
    return is_feasible;
}

static void a_set_that_everything_was_tried_for_needs_just_so_much_time(void **state)
{
    (void)state;
    int sets = 0, delays = 0, parts = 0;
    for (size_t p = 0; p < prob_registry_count; p++) {
        if (!has_windows(prob_registry[p])) continue;
        for (uint64_t seed = 0; seed < 3000; seed++) {
            ucpo_instance *inst = test_small_instance(prob_registry[p], 4 + (int32_t)(seed % 3),
                                                      with_of(seed), seed + 8000);
            ucpo_explanation *e = explained(inst, NULL, 0);
            if (is_kind(e, UCPO_REASON_SET)) {
                const ucpo_reason *r = ucpo_explanation_at(e, 0);
                size_t count = r->customer_count;
                int is_all = (int32_t)count == inst->data.n - 1;
                double by = r->value - inst->data.tolerance;
                sets++, parts += !is_all;
                assert_true(r->bound == 0.0);
                if (is_all && r->value > 0.0) { /* part of them: others may lie between */
                    assert_true(has_plan(inst, r->customers, count, by + 1e-6));
                    assert_false(has_plan(inst, r->customers, count, by - 1e-6));
                    delays++;
                }
                for (size_t k = 0; k < count && count > 1; k++) { /* nobody can be left out */
                    int32_t rest[N];
                    size_t left = 0;
                    for (size_t x = 0; x < count; x++)
                        if (x != k) rest[left++] = r->customers[x];
                    assert_true(has_plan(inst, rest, left, 0.0));
                }
            }
            /* so few customers are tried in the end: all that is infeasible is proved */
            assert_int_equal(ucpo_explanation_is_proof(e), isinf(test_least_cost(inst)));
            ucpo_explanation_free(e);
            ucpo_instance_free(inst);
        }
    }
    print_message("%d sets, %d of a part, %d with a delay\n", sets, parts, delays);
    assert_true(sets > 100 && delays > 50 && parts > 100);
}

/* Loads of 4 in vehicles of 10: two in each, so five take ten customers, not eleven. By volume they take 12. */
static void up_to_twelve_customers_are_divided_in_all_ways(void **state)
{
    (void)state;
    for (int32_t customers = 10; customers <= 13; customers++) {
        double cost[14 * 14], ready[14] = {0}, due[14], demand[14];
        int32_t n = customers + 1;
        for (int32_t i = 0; i < n * n; i++) cost[i] = i / n != i % n;
        for (int32_t i = 0; i < n; i++) due[i] = 99, demand[i] = i ? 4 : 0;
        if (customers == 13) demand[13] = 2;
        ucpo_instance_data d = ucpo_instance_data_default();
        d.problem = "cvrptwlv", d.n = n, d.cost = cost, d.ready = ready, d.due = due;
        d.demand = demand, d.capacity = 10, d.vehicles = 5;
        ucpo_instance *inst = NULL;
        ucpo_error err = {0};
        assert_ok(ucpo_instance_create(&d, &inst, &err), &err);
        ucpo_explanation *e = explained(inst, NULL, 0);
        assert_int_equal(ucpo_explanation_is_proof(e), customers == 11 || customers == 12);
        if (ucpo_explanation_is_proof(e)) {
            assert_int_equal(ucpo_explanation_at(e, 0)->kind, UCPO_REASON_SET);
            assert_int_equal(ucpo_explanation_at(e, 0)->customer_count, 11);
        }
        ucpo_explanation_free(e);
        ucpo_instance_free(inst);
    }
}

/* ---- without a proof ---- */

static void the_tightest_windows_come_first_with_their_slack(void **state)
{
    (void)state;
    int shown = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        ucpo_instance *inst =
            test_small_instance(prob_find("tsptw"), 3 + (int32_t)(seed % 6), 0, seed + 9500);
        ucpo_explanation *e = explained(inst, NULL, 0);
        struct walks w = walked(inst);
        double slack = -HUGE_VAL;
        int rows = 0, finite = 0;
        for (size_t k = 0; k < ucpo_explanation_count(e); k++) {
            const ucpo_reason *r = ucpo_explanation_at(e, k);
            if (r->kind != UCPO_REASON_TIGHT_WINDOW) continue;
            int32_t i = r->customers[0];
            expect_numbers(r, w.earliest[i], latest_of(&w, i) - inst->data.tolerance);
            assert_true(-r->excess >= slack - 1e-9);
            slack = -r->excess, rows++;
        }
        for (int32_t i = 1; i < inst->data.n; i++) finite += isfinite(latest_of(&w, i));
        if (!ucpo_explanation_is_proof(e)) assert_int_equal(rows, finite < 5 ? finite : 5);
        shown += rows;
        ucpo_explanation_free(e);
        ucpo_instance_free(inst);
    }
    assert_true(shown > 500);
}

static ucpo_instance *loaded(const char *problem, const double *demand, const double *limit,
                             double capacity, int32_t vehicles)
{
    double cost[36], ready[6] = {0}, due[6];
    ucpo_instance_data d = ucpo_instance_data_default();
    for (int i = 0; i < 36; i++) cost[i] = i / 6 != i % 6;
    for (int i = 0; i < 6; i++) due[i] = 99;
    d.problem = problem, d.n = 6, d.cost = cost, d.demand = demand, d.limit = limit;
    if (prob_find(problem)->needs & PROB_WINDOWS) d.ready = ready, d.due = due;
    d.capacity = capacity, d.vehicles = vehicles;
    ucpo_instance *inst = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_instance_create(&d, &inst, &err), &err);
    return inst;
}

static void the_tightest_loads_are_shown_with_their_room(void **state)
{
    (void)state;
    const double demand[] = {0, 2, 5, 1, 5, 3}, limit[] = {16, 3, 16, 3, 12, 15};
    ucpo_instance *inst = loaded("cvrptwlv", demand, NULL, 6, 4);
    ucpo_explanation *e = explained(inst, NULL, 0);
    assert_false(ucpo_explanation_is_proof(e));
    expect_numbers(finding(e, UCPO_REASON_TIGHT_LOAD, 2, 0), 5, 6);
    expect_numbers(finding(e, UCPO_REASON_TIGHT_FLEET, 0, 0), 3, 4); /* 16 in vehicles of 6 */
    assert_non_null(strstr(finding(e, UCPO_REASON_TIGHT_FLEET, 0, 0)->text, "room for 8 more"));
    ucpo_explanation_free(e);
    ucpo_instance_free(inst);
    inst = loaded("tspdl", demand, limit, 0, 0);
    e = explained(inst, NULL, 0);
    assert_false(ucpo_explanation_is_proof(e));
    expect_numbers(finding(e, UCPO_REASON_TIGHT_LOAD, 1, 0), 3, 3); /* 1 and 3 together */
    expect_numbers(finding(e, UCPO_REASON_TIGHT_LOAD, 3, 0), 3, 3);
    expect_numbers(finding(e, UCPO_REASON_TIGHT_LOAD, 4, 0), 8, 12);
    expect_numbers(finding(e, UCPO_REASON_TIGHT_LOAD, 5, 0), 11, 15);
    assert_null(finding(e, UCPO_REASON_TIGHT_LOAD, 2, 0)); /* never binds */
    assert_int_equal(ucpo_explanation_count(e), 4);
    ucpo_explanation_free(e);
    ucpo_instance_free(inst);
}

/* ---- relaxations ---- */

/* The instance with one change made; tolerance and unit stay. */
static void change(struct ucpo_instance *twin, double *ready, double *due, double *limit,
                   const ucpo_reason *r, double value)
{
    int32_t node = r->customer_count ? r->customers[0] : 0;
    if (r->kind == UCPO_REASON_RELAX_DUE) due[node] = value;
    if (r->kind == UCPO_REASON_RELAX_READY) ready[node] = value;
    if (r->kind == UCPO_REASON_RELAX_LIMIT) limit[node] = value;
    if (r->kind == UCPO_REASON_RELAX_CAPACITY) twin->data.capacity = value;
    if (r->kind == UCPO_REASON_RELAX_FLEET) twin->data.vehicles = (int32_t)value;
}

/* Feasible after the relaxations of a list but one (`without`), of which `short_by` is left undone? */
static int is_mended(const ucpo_instance *inst, const ucpo_explanation *e, size_t first,
                     size_t last, size_t without, double share, const int32_t *plan, size_t len)
{
    const ucpo_instance_data *d = &inst->data;
    struct ucpo_instance twin = *inst;
    double ready[N], due[N], limit[N];
    size_t bytes = (size_t)d->n * sizeof(double);
    if (d->ready) memcpy(ready, d->ready, bytes), twin.data.ready = ready;
    if (d->due) memcpy(due, d->due, bytes), twin.data.due = due;
    if (d->limit) memcpy(limit, d->limit, bytes), twin.data.limit = limit;
    for (size_t k = first; k < last; k++) {
        const ucpo_reason *r = ucpo_explanation_at(e, k);
        change(&twin, ready, due, limit, r, k == without ? r->bound + share * r->excess : r->value);
    }
    ucpo_evaluation eval;
    assert_int_equal(ucpo_check(&twin, plan, len, &eval, NULL, 0, NULL, 0, NULL), UCPO_OK);
    return eval.is_feasible;
}

/* Old and new value of a relaxation by what the schedule says. */
static void expect_change(const ucpo_instance *inst, const ucpo_reason *r,
                          const ucpo_evaluation *eval, const ucpo_stop *stop)
{
    const ucpo_instance_data *d = &inst->data;
    int32_t node = r->customer_count ? r->customers[0] : 0;
    double start = 0.0, load = 0.0, late = 0.0;
    int is_of_all = r->kind == UCPO_REASON_RELAX_CAPACITY || r->kind == UCPO_REASON_RELAX_FLEET;
    assert_int_equal(r->customer_count, !is_of_all);
    for (size_t k = 0; k < eval->stops; k++) {
        if (stop[k].node == node && stop[k].late > 0.0) start = fmax(start, stop[k].start);
        if (stop[k].over > 0.0 && (d->capacity > 0.0 || stop[k].node == node))
            load = fmax(load, stop[k].load);
        late = fmax(late, stop[k].late);
    }
    if (r->kind == UCPO_REASON_RELAX_DUE) expect_numbers(r, start, d->due[node]);
    if (r->kind == UCPO_REASON_RELAX_READY)
        expect_numbers(r, d->ready[node] - late, d->ready[node]);
    if (r->kind == UCPO_REASON_RELAX_LIMIT) expect_numbers(r, load, d->limit[node]);
    if (r->kind == UCPO_REASON_RELAX_CAPACITY) expect_numbers(r, load, d->capacity);
    if (r->kind == UCPO_REASON_RELAX_FLEET) expect_numbers(r, eval->routes, d->vehicles);
}

struct mended {
    int single, joint, ready;
};

static void mend(const ucpo_instance *inst, const int32_t *plan, size_t len, struct mended *m)
{
    ucpo_explanation *e = explained(inst, plan, len);
    ucpo_evaluation eval;
    ucpo_stop stop[4 * N];
    size_t first = 0, last = ucpo_explanation_count(e);
    assert_int_equal(ucpo_check(inst, plan, len, &eval, stop, 4 * N, NULL, 0, NULL), UCPO_OK);
    while (first < last && ucpo_explanation_at(e, first)->kind < UCPO_REASON_RELAX_DUE) first++;
    for (size_t k = first; k < last; k++) {
        const ucpo_reason *r = ucpo_explanation_at(e, k);
        if (r->kind == UCPO_REASON_PLAN_BROKEN) continue;
        size_t from = r->is_joint ? first : k, to = r->is_joint ? last : k + 1;
        expect_change(inst, r, &eval, stop);
        assert_true(is_mended(inst, e, from, to, last, 0.0, plan, len));
        assert_false(is_mended(inst, e, from, to, k, 0.0, plan, len));
        m->joint += r->is_joint, m->single += !r->is_joint;
        m->ready += r->kind == UCPO_REASON_RELAX_READY;
    }
    int has_any = first < last;
    assert_int_equal(has_any, !eval.is_feasible);
    ucpo_explanation_free(e);
}

static void relaxations_say_what_the_schedule_lacks_and_mend_it(void **state)
{
    (void)state;
    struct mended m = {0};
    for (size_t p = 0; p < prob_registry_count; p++)
        for (uint64_t seed = 0; seed < 500; seed++) {
            ucpo_instance *inst = test_small_instance(prob_registry[p], 3 + (int32_t)(seed % 5),
                                                      with_of(seed) & ~SMALL_GAPS, seed + 20);
            struct rng rng = rng_at(seed, RNG_TEST, 44);
            int32_t plan[2 * N];
            size_t len = 0;
            for (int32_t i = 1; i < inst->data.n; i++) {
                plan[len++] = i;
                if (!inst->ops->max_vehicles && rng_below(&rng, 3) == 0) plan[len++] = 0;
            }
            if (rng_below(&rng, 3) == 0) {
                int32_t kept = plan[0];
                plan[0] = plan[len - 1 - (plan[len - 1] == 0)],
                plan[len - 1 - (plan[len - 1] == 0)] = kept;
            }
            mend(inst, plan, len, &m);
            ucpo_instance_free(inst);
        }
    print_message("%d single changes (%d of openings), %d joint\n", m.single, m.ready, m.joint);
    assert_true(m.single > 300 && m.ready > 50 && m.joint > 300);
}

/* Plans with anything wrong that no number of the instance can change. */
static void broken_plans_are_called_so_with_all_their_faults(void **state)
{
    (void)state;
    int blocked = 0, broken = 0;
    for (size_t p = 0; p < prob_registry_count; p++)
        for (uint64_t seed = 0; seed < 500; seed++) {
            ucpo_instance *inst = test_small_instance(prob_registry[p], 3 + (int32_t)(seed % 5),
                                                      SMALL_GAPS, seed + 60);
            struct rng rng = rng_at(seed, RNG_TEST, 45);
            int32_t plan[2 * N], missing[N];
            size_t len = 0;
            for (int32_t i = 1; i < inst->data.n; i++) {
                plan[len++] = rng_below(&rng, 5) ? i : (int32_t)rng_below(&rng, 12) - 1;
                if (rng_below(&rng, 4) == 0) plan[len++] = 0;
            }
            ucpo_evaluation eval;
            assert_int_equal(ucpo_check(inst, plan, len, &eval, NULL, 0, missing, N, NULL),
                             UCPO_OK);
            int over = inst->ops->max_vehicles ? eval.vehicles_over : 0;
            int faults = eval.missing + eval.duplicates + eval.unknown + eval.blocked + over;
            ucpo_explanation *e = explained(inst, plan, len);
            const ucpo_reason *r = finding(e, UCPO_REASON_PLAN_BROKEN, 0, 0);
            assert_int_equal(r != NULL, faults > 0);
            for (size_t k = 0; r && k < ucpo_explanation_count(e); k++)
                assert_true(ucpo_explanation_at(e, k)->kind < UCPO_REASON_RELAX_DUE ||
                            ucpo_explanation_at(e, k) == r);
            if (r) {
                assert_true(r->value == faults + (over ? 0 : eval.vehicles_over));
                assert_int_equal(r->customer_count, eval.missing);
                assert_memory_equal(r->customers, missing,
                                    (size_t)eval.missing * sizeof missing[0]);
                assert_true(!eval.blocked || strstr(r->text, "there is no way"));
                assert_true(!eval.duplicates || strstr(r->text, "repeats"));
                assert_true(!eval.unknown || strstr(r->text, "unknown"));
                assert_true(!eval.missing || strstr(r->text, "leaves out"));
            }
            broken += faults > 0, blocked += faults > 0 && faults == eval.blocked;
            ucpo_explanation_free(e);
            ucpo_instance_free(inst);
        }
    assert_true(broken > 1000 && blocked > 50);
}

/* On a clock a change is told in whole seconds that are enough: later deadlines up, earlier openings down. */
static void seconds_are_rounded_to_the_side_that_helps(void **state)
{
    (void)state;
    const double cost[] = {0, 10.25, 5, 0}, ready[] = {100, 0}, due[] = {HUGE_VAL, 105};
    ucpo_instance_data d = ucpo_instance_data_default();
    d.problem = "tsptw", d.n = 2, d.cost = cost, d.ready = ready, d.due = due;
    d.clock = 1.0, d.tolerance = 0.0;
    ucpo_instance *inst = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_instance_create(&d, &inst, &err), &err);
    ucpo_explanation *e = explained(inst, (const int32_t[]){1}, 1);
    const ucpo_reason *later = finding(e, UCPO_REASON_RELAX_DUE, 1, 0);
    const ucpo_reason *earlier = finding(e, UCPO_REASON_RELAX_READY, 0, 0);
    expect_numbers(later, 110.25, 105);
    assert_non_null(strstr(later->text, "00:01:51 instead of 00:01:45"));
    expect_numbers(earlier, 94.75, 100);
    assert_non_null(strstr(earlier->text, "00:01:34 instead of 00:01:40"));
    ucpo_explanation_free(e);
    ucpo_instance_free(inst);
}

/* ---- by hand: just enough is no proof ---- */

struct crowd {
    double due, service;
    int32_t vehicles;
    int is_proof;
};

/* Four customers 10 from the depot and 8 from each other, all to start by `due`: one vehicle works 8 and the
 * service three times, two vehicles once each. */
static void a_crowd_that_just_fits_is_no_proof(void **state)
{
    (void)state;
    static const struct crowd cases[] = {
        {37, 1, 1, 0}, {37 - 1e-3, 1, 1, 1}, {34, 0, 1, 0}, {34 - 1e-3, 0, 1, 1},
        {19, 1, 2, 0}, {19 - 1e-3, 1, 2, 1}, {10, 1, 4, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        double cost[25], ready[5] = {0}, due[5], held[5], demand[] = {0, 1, 1, 1, 1};
        ucpo_instance_data d = ucpo_instance_data_default();
        for (int i = 0; i < 25; i++)
            cost[i] = i / 5 == i % 5 ? 0 : i / 5 == 0 || i % 5 == 0 ? 10 : 8;
        for (int i = 0; i < 5; i++)
            due[i] = i ? cases[k].due : 999, held[i] = i ? cases[k].service : 0;
        d.problem = "cvrptwlv", d.n = 5, d.cost = cost, d.ready = ready, d.due = due;
        d.service = held, d.demand = demand, d.capacity = 4, d.vehicles = cases[k].vehicles;
        ucpo_instance *inst = NULL;
        ucpo_error err = {0};
        assert_ok(ucpo_instance_create(&d, &inst, &err), &err);
        ucpo_explanation *e = explained(inst, NULL, 0);
        assert_int_equal(ucpo_explanation_is_proof(e), cases[k].is_proof);
        assert_int_equal(isinf(test_least_cost(inst)), cases[k].is_proof);
        if (cases[k].is_proof) {
            const ucpo_reason *r = ucpo_explanation_at(e, 0);
            int32_t spare = cases[k].vehicles;
            double work = (4 - spare) * (8 + cases[k].service);
            if (r->kind == UCPO_REASON_CROWD)
                expect_numbers(r, work, (cases[k].due - 10) * spare);
            else
                assert_int_equal(r->kind, UCPO_REASON_FLEET_APART);
        }
        ucpo_explanation_free(e);
        ucpo_instance_free(inst);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_the_least_and_the_most_over_all_walks),
        cmocka_unit_test(many_nodes_have_bounds_of_their_ways_too),
        cmocka_unit_test(customers_out_of_reach_and_pairs_are_named_with_their_times),
        cmocka_unit_test(loads_are_proved_where_they_do_not_fit),
        cmocka_unit_test(a_set_that_everything_was_tried_for_needs_just_so_much_time),
        cmocka_unit_test(up_to_twelve_customers_are_divided_in_all_ways),
        cmocka_unit_test(the_tightest_windows_come_first_with_their_slack),
        cmocka_unit_test(the_tightest_loads_are_shown_with_their_room),
        cmocka_unit_test(relaxations_say_what_the_schedule_lacks_and_mend_it),
        cmocka_unit_test(broken_plans_are_called_so_with_all_their_faults),
        cmocka_unit_test(seconds_are_rounded_to_the_side_that_helps),
        cmocka_unit_test(a_crowd_that_just_fits_is_no_proof),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
