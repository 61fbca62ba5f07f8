/* The verifier against a second one, written for this test from section 8 of ucpo.h: every member of every
 * row and of the verdict, on plans of any kind over small numbers, where equality is frequent. */
#include "core/rng.h"
#include "problem/problem.h"
#include "support/small.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STOPS = 64 };

/* What the second one finds. */
struct verdict {
    ucpo_evaluation e;
    ucpo_stop row[MOST_STOPS];
    int32_t missing[SMALL_NODES];
};

static double beyond(double excess, double tolerance)
{
    return excess > tolerance ? excess : 0.0;
}

/* Puts a row behind the others; its lateness and overload are counted as the header says. */
static void append(struct verdict *v, const ucpo_instance *inst, ucpo_stop row, double early,
                   double excess)
{
    const ucpo_instance_data *d = &inst->data;
    double load_unit = d->limit ? inst->total_demand : d->capacity;
    v->row[v->e.stops++] = row;
    v->e.wait += row.wait;
    v->e.late_sum += row.late, v->e.late_count += row.late > 0.0;
    v->e.over_sum += row.over, v->e.over_count += row.over > 0.0;
    v->e.late_max = fmax(v->e.late_max, -early), v->e.over_max = fmax(v->e.over_max, excess);
    if (row.late > 0.0) v->e.violation += 1.0 + (row.late - d->tolerance) / d->unit;
    if (row.over > 0.0) v->e.violation += 1.0;
    if (row.over > 0.0 && load_unit > 0.0)
        v->e.violation += (row.over - inst->load_tolerance) / load_unit;
}

/* The known stops of one route, `count` of `plan`, unknown ones between them. */
static void drive(struct verdict *v, const ucpo_instance *inst, const int32_t *plan, size_t count,
                  uint8_t *seen)
{
    const ucpo_instance_data *d = &inst->data;
    double clock = d->ready ? d->ready[0] : 0.0, load = 0.0;
    int32_t from = 0;
    for (size_t k = 0; k <= count; k++) { /* the last one is the way home */
        int32_t to = k < count ? plan[k] : 0;
        ucpo_stop row = {.route = v->e.routes, .node = to};
        double early = HUGE_VAL, excess = -HUGE_VAL;
        if (to < 0 || to >= d->n) {
            row.is_unknown = 1, v->e.unknown++, v->e.violation += 1.0;
            append(v, inst, row, early, excess);
            continue;
        }
        double demand = to && d->demand && !seen[to] ? d->demand[to] : 0.0;
        row.is_duplicate = to && seen[to];
        row.is_blocked = !ucpo_instance_has_way(inst, from, to);
        double way = row.is_blocked ? 0.0 : ucpo_instance_duration(inst, from, to);
        row.arrive = row.start = clock + way;
        if (to && d->ready) row.start = fmax(row.arrive, d->ready[to]);
        row.wait = row.start - row.arrive;
        row.leave = row.start + (to && d->service ? d->service[to] : 0.0);
        if (d->due) row.slack = early = d->due[to] - row.start;
        row.late = d->due ? beyond(row.start - d->due[to], d->tolerance) : 0.0;
        if (d->limit) {
            double loaded = load + demand;
            if (d->draft == UCPO_DRAFT_UNLOAD) loaded = inst->total_demand - load;
            row.load = to ? loaded : inst->total_demand;
            row.slack = d->limit[to] - row.load, excess = row.load - d->limit[to];
            row.over = beyond(excess, inst->load_tolerance);
        } else if (d->demand) {
            row.load = load + demand, excess = row.load - d->capacity;
            row.over = beyond(fmin(excess, demand), inst->load_tolerance);
        }
        if (!row.is_blocked) v->e.cost += ucpo_instance_cost(inst, from, to);
        v->e.blocked += row.is_blocked, v->e.duplicates += row.is_duplicate;
        v->e.violation += row.is_blocked + row.is_duplicate;
        append(v, inst, row, early, excess);
        clock = row.leave, load += demand, seen[to] = 1, from = to;
    }
    v->e.duration = fmax(v->e.duration, clock);
}

static int is_known(const ucpo_instance *inst, int32_t node)
{
    return node > 0 && node < inst->data.n;
}

static struct verdict judged(const ucpo_instance *inst, const int32_t *plan, size_t len)
{
    const ucpo_instance_data *d = &inst->data;
    struct verdict v = {.e = {.tolerance = d->tolerance, .load_tolerance = inst->load_tolerance}};
    uint8_t seen[SMALL_NODES] = {0};
    for (size_t at = 0; at < len;) {
        size_t end = at, known = 0;
        for (; end < len && plan[end] != 0; end++) known += (size_t)is_known(inst, plan[end]);
        if (known > 0) v.e.routes++, drive(&v, inst, plan + at, end - at, seen);
        for (size_t k = at; known == 0 && k < end; k++) { /* nobody drives */
            ucpo_stop row = {.route = v.e.routes + 1, .node = plan[k], .is_unknown = 1};
            v.row[v.e.stops++] = row, v.e.unknown++, v.e.violation += 1.0;
        }
        at = end + 1;
    }
    for (int32_t i = 1; i < d->n; i++)
        if (!seen[i]) v.missing[v.e.missing++] = i;
    int32_t fleet = inst->ops->max_vehicles == 1 ? 1 : d->vehicles;
    if (fleet > 0 && v.e.routes > fleet) v.e.vehicles_over = v.e.routes - fleet;
    v.e.violation += v.e.missing + v.e.vehicles_over;
    v.e.is_feasible = v.e.late_count + v.e.over_count + v.e.vehicles_over + v.e.missing +
                          v.e.duplicates + v.e.unknown + v.e.blocked ==
                      0;
    v.e.is_tolerated = v.e.is_feasible && (v.e.late_max > 0.0 || v.e.over_max > 0.0);
    return v;
}

static void expect_same_row(const ucpo_stop *a, const ucpo_stop *b)
{
    assert_int_equal(a->route, b->route);
    assert_int_equal(a->node, b->node);
    assert_close(a->arrive, b->arrive, 0, 0);
    assert_close(a->wait, b->wait, 0, 0);
    assert_close(a->start, b->start, 0, 0);
    assert_close(a->leave, b->leave, 0, 0);
    assert_close(a->slack, b->slack, 0, 1e-12);
    assert_close(a->load, b->load, 0, 1e-12);
    assert_close(a->late, b->late, 0, 0);
    assert_close(a->over, b->over, 0, 1e-12);
    assert_int_equal(a->is_duplicate, b->is_duplicate);
    assert_int_equal(a->is_unknown, b->is_unknown);
    assert_int_equal(a->is_blocked, b->is_blocked);
}

static void expect_same_verdict(const ucpo_evaluation *a, const ucpo_evaluation *b)
{
    assert_int_equal(a->is_feasible, b->is_feasible);
    assert_close(a->cost, b->cost, 0, 0);
    assert_close(a->duration, b->duration, 0, 0);
    assert_close(a->wait, b->wait, 0, 0);
    assert_int_equal(a->routes, b->routes);
    assert_close(a->late_sum, b->late_sum, 0, 0);
    assert_close(a->over_sum, b->over_sum, 0, 1e-12);
    assert_int_equal(a->late_count, b->late_count);
    assert_int_equal(a->over_count, b->over_count);
    assert_close(a->late_max, b->late_max, 0, 0);
    assert_close(a->over_max, b->over_max, 0, 1e-12);
    assert_close(a->tolerance, b->tolerance, 0, 0);
    assert_close(a->load_tolerance, b->load_tolerance, 0, 0);
    assert_int_equal(a->is_tolerated, b->is_tolerated);
    assert_int_equal(a->vehicles_over, b->vehicles_over);
    assert_int_equal(a->missing, b->missing);
    assert_int_equal(a->duplicates, b->duplicates);
    assert_int_equal(a->unknown, b->unknown);
    assert_int_equal(a->blocked, b->blocked);
    assert_close(a->violation, b->violation, 1e-12, 1e-12);
    assert_int_equal(a->stops, b->stops);
}

/* How often something was seen that the comparison is for. */
struct seen {
    int feasible, tolerated, at_due, at_tolerance, late, full, over, blocked, doubled, unknown,
        many, missing;
};

static void count(struct seen *s, const ucpo_instance *inst, const struct verdict *v)
{
    for (size_t k = 0; k < v->e.stops; k++) {
        const ucpo_stop *row = &v->row[k];
        s->at_due += row->slack == 0.0 && inst->data.due != NULL;
        s->at_tolerance += inst->data.due && inst->data.tolerance >= 0.5 && row->late == 0.0 &&
                           row->slack == -inst->data.tolerance;
        s->full += inst->data.capacity > 0.0 && row->load == inst->data.capacity;
    }
    s->feasible += v->e.is_feasible, s->tolerated += v->e.is_tolerated;
    s->late += v->e.late_count, s->over += v->e.over_count, s->blocked += v->e.blocked;
    s->doubled += v->e.duplicates, s->unknown += v->e.unknown, s->missing += v->e.missing;
    s->many += v->e.vehicles_over;
}

static void compare(const ucpo_instance *inst, const int32_t *plan, size_t len, struct seen *s)
{
    struct verdict v = judged(inst, plan, len);
    ucpo_evaluation e;
    ucpo_stop row[MOST_STOPS];
    int32_t missing[SMALL_NODES];
    ucpo_error err = {0};
    memset(&e, 0xa5, sizeof e), memset(row, 0xa5, sizeof row);
    assert_ok(ucpo_check(inst, plan, len, &e, row, MOST_STOPS, missing, SMALL_NODES, &err), &err);
    expect_same_verdict(&e, &v.e);
    for (size_t k = 0; k < v.e.stops; k++) expect_same_row(&row[k], &v.row[k]);
    assert_memory_equal(missing, v.missing, (size_t)v.e.missing * sizeof missing[0]);
    count(s, inst, &v);
}

/* The hidden plan of the instance; `faults` of its nodes become others, some unknown, and depots are put in. */
static size_t draw_plan(const ucpo_instance *inst, struct rng *rng, int32_t *plan)
{
    int32_t n = inst->data.n;
    uint32_t faults = rng_below(rng, 3), shuffles = rng_below(rng, 3);
    int32_t order[SMALL_NODES];
    size_t len = 0;
    for (int32_t i = 1; i < n; i++) order[i] = i;
    for (; shuffles > 0; shuffles--) {
        uint32_t a = 1 + rng_below(rng, (uint32_t)n - 1), b = 1 + rng_below(rng, (uint32_t)n - 1);
        int32_t kept = order[a];
        order[a] = order[b], order[b] = kept;
    }
    int is_backwards = inst->data.draft == UCPO_DRAFT_UNLOAD && rng_below(rng, 4);
    uint32_t cuts = inst->ops->max_vehicles ? 12 : 3; /* one in so many */
    for (int32_t i = 1; i < n; i++) {
        while (rng_below(rng, cuts) == 0) plan[len++] = 0;
        plan[len++] = order[is_backwards ? n - i : i];
    }
    for (; faults > 0 && rng_below(rng, 2); faults--)
        plan[rng_below(rng, (uint32_t)len)] = (int32_t)rng_below(rng, (uint32_t)n + 3) - 2;
    return len;
}

static void every_number_of_a_verdict_follows_from_the_definition(void **state)
{
    (void)state;
    struct seen s = {0};
    for (size_t p = 0; p < prob_registry_count; p++)
        for (uint64_t seed = 0; seed < 3000; seed++) {
            unsigned with =
                (unsigned)(seed % 3 == 1) * SMALL_GAPS | (unsigned)(seed % 4 == 2) * SMALL_BROKEN;
            ucpo_instance *inst =
                test_small_instance(prob_registry[p], 2 + (int32_t)(seed % 6), with, seed);
            struct rng rng = rng_at(seed, RNG_TEST, 31 + p);
            int32_t plan[MOST_STOPS];
            for (int k = 0; k < 8; k++) {
                size_t len = draw_plan(inst, &rng, plan);
                if (len < MOST_STOPS / 2) compare(inst, plan, len, &s);
            }
            ucpo_instance_free(inst);
        }
    print_message("feasible %d, tolerated %d, at due %d, at the tolerance %d, late %d, full %d, "
                  "over %d, blocked %d, doubled %d, unknown %d, missing %d, vehicles %d\n",
                  s.feasible, s.tolerated, s.at_due, s.at_tolerance, s.late, s.full, s.over,
                  s.blocked, s.doubled, s.unknown, s.missing, s.many);
    assert_true(s.feasible > 3000 && s.tolerated > 200 && s.at_due > 1000);
    assert_true(s.at_tolerance > 100 && s.late > 1000 && s.full > 200 && s.over > 1000);
    assert_true(s.blocked > 300 && s.doubled > 300 && s.unknown > 300 && s.missing > 300);
    assert_true(s.many > 300);
}

/* ---- by hand: where a verdict turns ---- */

/* One customer, 5 there and 7 back; costs are 2 and 3. */
struct edge {
    double due, close, demand, capacity, limit, hold;
    double tolerance;
};

static ucpo_evaluation at_edge(const char *problem, struct edge g)
{
    const double cost[] = {0, 2, 3, 0}, duration[] = {0, 5, 7, 0}, service[] = {0, 1};
    const double ready[] = {0, 0}, due[] = {g.close, g.due}, demand[] = {0, g.demand};
    const double limit[] = {g.hold, g.limit};
    unsigned needs = prob_find(problem)->needs;
    ucpo_instance_data d = ucpo_instance_data_default();
    d.problem = problem, d.n = 2, d.cost = cost, d.tolerance = g.tolerance, d.unit = 4;
    if (needs & PROB_WINDOWS) d.duration = duration, d.ready = ready, d.due = due;
    if (needs & PROB_WINDOWS) d.service = service;
    if (needs & PROB_DEMAND) d.demand = demand;
    if (needs & PROB_CAPACITY) d.capacity = g.capacity;
    if (needs & PROB_LIMIT) d.limit = limit;
    if (needs & PROB_FLEET) d.vehicles = 1;
    ucpo_instance *inst = NULL;
    ucpo_error err = {0};
    ucpo_evaluation e;
    assert_ok(ucpo_instance_create(&d, &inst, &err), &err);
    assert_ok(ucpo_check(inst, (const int32_t[]){1}, 1, &e, NULL, 0, NULL, 0, &err), &err);
    ucpo_instance_free(inst);
    return e;
}

static const struct edge EASY = {
    .due = 99, .close = 99, .demand = 1, .capacity = 9, .limit = 9, .hold = 9};

static void expect(ucpo_evaluation e, int late, int over)
{
    assert_int_equal(e.late_count, late);
    assert_int_equal(e.over_count, over);
    assert_int_equal(e.is_feasible, late + over == 0);
    assert_close(e.cost, 5, 0, 0); /* of the costs, not of the times */
    assert_true((e.violation > 0.0) == (late + over > 0));
}

/* The boundary cases that only `explain` noticed once. */
static void late_by_a_thousandth_is_late(void **state)
{
    (void)state;
    static const char *const timed[] = {"tsptw", "cvrptw", "cvrptwlv"};
    for (int p = 0; p < 3; p++) {
        struct edge g = EASY;
        g.due = 5.0, expect(at_edge(timed[p], g), 0, 0);
        g.due = 5.0 - 1e-3, expect(at_edge(timed[p], g), 1, 0);
        assert_close(at_edge(timed[p], g).late_sum, 1e-3, 1e-9, 0);
        assert_close(at_edge(timed[p], g).late_max, 1e-3, 1e-9, 0);
        assert_close(at_edge(timed[p], g).violation, 1 + 1e-3 / 4, 1e-9, 0);
        g.tolerance = 1e-3 - 1e-6, expect(at_edge(timed[p], g), 1, 0);
        g.tolerance = 1e-3 + 1e-6, expect(at_edge(timed[p], g), 0, 0);
        assert_true(at_edge(timed[p], g).is_tolerated);
        g.due = nextafter(5.0, 0.0), g.tolerance = 0.0, expect(at_edge(timed[p], g), 1, 0);
        g.tolerance = 1e-12, expect(at_edge(timed[p], g), 0, 0);
    }
}

static void home_by_a_thousandth_too_late_is_late(void **state)
{
    (void)state;
    static const char *const timed[] = {"tsptw", "cvrptw", "cvrptwlv"};
    for (int p = 0; p < 3; p++) {
        struct edge g = EASY; /* 5, one of service, 7 */
        g.close = 13.0, expect(at_edge(timed[p], g), 0, 0);
        assert_false(at_edge(timed[p], g).is_tolerated);
        assert_close(at_edge(timed[p], g).duration, 13, 0, 0);
        g.close = 13.0 - 1e-3, expect(at_edge(timed[p], g), 1, 0);
        assert_close(at_edge(timed[p], g).late_max, 1e-3, 1e-9, 0);
        g.tolerance = 1e-3 + 1e-6, expect(at_edge(timed[p], g), 0, 0);
        g.tolerance = 1e-3 - 1e-6, expect(at_edge(timed[p], g), 1, 0);
    }
}

static void loads_are_full_at_the_limit_and_over_beyond_it(void **state)
{
    (void)state;
    static const char *const loaded[] = {"cvrp", "cvrptw", "cvrptwlv"};
    for (int p = 0; p < 3; p++) {
        struct edge g = EASY;
        g.demand = 9, expect(at_edge(loaded[p], g), 0, 0);
        g.demand = 10, expect(at_edge(loaded[p], g), 0, 1);
        assert_close(at_edge(loaded[p], g).violation, 1 + 1.0 / 9, 1e-12, 0);
        g.capacity = 2000.5, g.demand = 2000.5 + 0.9e-6, expect(at_edge(loaded[p], g), 0, 0);
        assert_true(at_edge(loaded[p], g).is_tolerated);
        g.demand = 2000.5 + 1.1e-6, expect(at_edge(loaded[p], g), 0, 1);
        g.demand = 2000.5, g.capacity = 2000.5, expect(at_edge(loaded[p], g), 0, 0);
        assert_false(at_edge(loaded[p], g).is_tolerated);
    }
}

static void drafts_are_full_at_the_limit_and_over_beyond_it(void **state)
{
    (void)state;
    struct edge g = EASY;
    g.demand = 9, expect(at_edge("tspdl", g), 0, 0);
    g.limit = 8, expect(at_edge("tspdl", g), 0, 1);
    assert_close(at_edge("tspdl", g).violation, 1 + 1.0 / 9, 1e-12, 0);
    g.hold = 8, expect(at_edge("tspdl", g), 0, 2); /* the depot sees all of it */
    g.limit = 9, expect(at_edge("tspdl", g), 0, 1);
}

static ucpo_instance *three_alike(const char *problem, int32_t vehicles)
{
    const double cost[16] = {0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0};
    const double zero[4] = {0}, due[] = {9, 9, 9, 9}, ones[] = {0, 1, 1, 1};
    ucpo_instance_data d = ucpo_instance_data_default();
    d.problem = problem, d.n = 4, d.cost = cost;
    unsigned needs = prob_find(problem)->needs;
    if (needs & PROB_WINDOWS) d.ready = zero, d.due = due;
    if (needs & PROB_DEMAND) d.demand = ones;
    if (needs & PROB_CAPACITY) d.capacity = 3;
    if (needs & PROB_LIMIT) d.limit = due;
    d.vehicles = vehicles;
    ucpo_instance *inst = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_instance_create(&d, &inst, &err), &err);
    return inst;
}

static void one_vehicle_more_than_the_fleet_is_one_too_many(void **state)
{
    (void)state;
    static const int32_t plans[3][5] = {{1, 2, 3}, {1, 0, 2, 3}, {1, 0, 2, 0, 3}};
    for (int32_t limit = 0; limit <= 3; limit++)
        for (int32_t routes = 1; routes <= 3; routes++) {
            ucpo_instance *inst = three_alike(limit ? "cvrptwlv" : "cvrptw", limit);
            ucpo_evaluation e;
            assert_int_equal(
                ucpo_check(inst, plans[routes - 1], (size_t)routes + 2, &e, NULL, 0, NULL, 0, NULL),
                UCPO_OK);
            int32_t over = limit && routes > limit ? routes - limit : 0;
            assert_int_equal(e.routes, routes);
            assert_int_equal(e.vehicles_over, over);
            assert_int_equal(e.is_feasible, over == 0);
            assert_close(e.violation, over, 0, 0);
            ucpo_instance_free(inst);
        }
    static const char *const tours[] = {"tsptw", "tspdl"};
    for (int p = 0; p < 2; p++) {
        ucpo_instance *inst = three_alike(tours[p], 0);
        ucpo_evaluation e;
        assert_int_equal(ucpo_check(inst, plans[1], 4, &e, NULL, 0, NULL, 0, NULL), UCPO_OK);
        assert_true(e.vehicles_over == 1 && !e.is_feasible);
        ucpo_instance_free(inst);
    }
}

static void only_as_many_rows_are_written_as_there_is_room_for(void **state)
{
    (void)state;
    ucpo_instance *inst = three_alike("cvrptw", 0);
    static const int32_t plan[] = {1, 0, 9};
    for (size_t room = 0; room <= 3; room++) {
        ucpo_stop row[4];
        int32_t missing[3] = {-7, -7, -7};
        ucpo_evaluation e;
        for (size_t k = 0; k < 4; k++) row[k] = (ucpo_stop){.node = -7};
        assert_int_equal(ucpo_check(inst, plan, 3, &e, row, room, missing, room, NULL), UCPO_OK);
        assert_int_equal(e.stops, 3);
        assert_int_equal(e.missing, 2);
        for (size_t k = 0; k < 4; k++) assert_int_equal(row[k].node == -7, k >= room);
        for (size_t k = 0; k < 3; k++) assert_int_equal(missing[k] == -7, k >= room || k >= 2);
        assert_int_equal(ucpo_check(inst, plan, 3, &e, NULL, 3, NULL, 3, NULL), UCPO_OK);
        assert_int_equal(e.missing, 2);
    }
    ucpo_instance_free(inst);
}

/* Searches hand in the memory of the plan before. */
static void what_is_left_of_another_plan_does_not_count(void **state)
{
    (void)state;
    ucpo_instance *inst = three_alike("cvrptw", 0);
    uint8_t visited[4] = {1, 1, 1, 1};
    ucpo_evaluation e;
    memset(&e, 0xa5, sizeof e);
    prob_check(inst, (const int32_t[]){1, 2}, 2, &e, visited, NULL, 0, NULL, 0);
    assert_true(e.missing == 1 && e.duplicates == 0 && e.cost == 3.0 && !e.is_feasible);
    prob_check(inst, NULL, 0, &e, visited, NULL, 0, NULL, 0);
    assert_true(e.missing == 3 && e.stops == 0 && e.cost == 0.0 && !e.is_feasible);
    ucpo_instance_free(inst);
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    ucpo_instance *inst = three_alike("cvrptw", 0);
    static const int32_t plan[] = {1};
    ucpo_evaluation e;
    ucpo_error err = {0};
    assert_int_equal(ucpo_check(NULL, plan, 1, &e, NULL, 0, NULL, 0, &err), UCPO_E_ARGUMENT);
    assert_int_equal(ucpo_check(inst, NULL, 1, &e, NULL, 0, NULL, 0, &err), UCPO_E_ARGUMENT);
    assert_int_equal(ucpo_check(inst, plan, 1, NULL, NULL, 0, NULL, 0, &err), UCPO_E_ARGUMENT);
    assert_int_equal(ucpo_check(inst, plan, (size_t)INT32_MAX / 2 + 1, &e, NULL, 0, NULL, 0, &err),
                     UCPO_E_ARGUMENT);
    assert_non_null(strstr(err.text, "too long"));
    ucpo_instance_free(inst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_of_a_verdict_follows_from_the_definition),
        cmocka_unit_test(late_by_a_thousandth_is_late),
        cmocka_unit_test(home_by_a_thousandth_too_late_is_late),
        cmocka_unit_test(loads_are_full_at_the_limit_and_over_beyond_it),
        cmocka_unit_test(drafts_are_full_at_the_limit_and_over_beyond_it),
        cmocka_unit_test(one_vehicle_more_than_the_fleet_is_one_too_many),
        cmocka_unit_test(only_as_many_rows_are_written_as_there_is_room_for),
        cmocka_unit_test(what_is_left_of_another_plan_does_not_count),
        cmocka_unit_test(bad_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
