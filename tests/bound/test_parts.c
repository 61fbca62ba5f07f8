/* Each part of the bounds against its definition, and against all plans of small instances. */
#include "bound/bound.h"
#include "core/minmax.h"
#include "support/small.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS = 400, MOST = SMALL_NODES };

/* What the parts allow beyond a limit is less than this; numbers are quarters. */
#define HAIR 1e-6

static const ucpo_instance *small(size_t problem, uint64_t seed, ucpo_instance **own)
{
    const struct prob_ops *ops = prob_registry[problem];
    unsigned with =
        (unsigned)(seed % 3 == 1) * SMALL_GAPS | (unsigned)(seed % 5 == 2) * SMALL_METRIC;
    int32_t n = 3 + (int32_t)(seed % (ops->max_vehicles == 1 ? 5 : 4));
    *own = test_small_instance(ops, n, with, seed);
    return (*own)->load; /* drafts in the convention of loading */
}

static struct bound_arcs *arcs_of(const ucpo_instance *inst)
{
    struct bound_arcs *a = NULL;
    ucpo_error err = {0};
    assert_ok(bound_arcs_create(inst, NULL, &a, &err), &err);
    assert_non_null(a);
    return a;
}

/* Calls `look` for all problems; returns the sum of what it gives. */
static int for_all(int (*look)(const ucpo_instance *inst, const struct bound_arcs *a))
{
    int sum = 0;
    for (size_t p = 0; p < prob_registry_count; p++)
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            ucpo_instance *own;
            const ucpo_instance *inst = small(p, seed, &own);
            struct bound_arcs *a = arcs_of(inst);
            sum += look(inst, a);
            bound_arcs_free(a);
            ucpo_instance_free(own);
        }
    return sum;
}

/* ---- arcs ---- */

/* Time, or load under draft limits, from the start at i to the arrival at j. */
static double leg_of(const ucpo_instance *inst, int32_t i, int32_t j)
{
    const ucpo_instance_data *d = &inst->data;
    if (!d->due) return d->limit && j > 0 ? d->demand[j] : 0.0;
    if (i == j || !ucpo_instance_has_way(inst, i, j)) return 0.0;
    return ucpo_instance_duration(inst, i, j) + (d->service && i > 0 ? d->service[i] : 0.0);
}

static double due_of(const ucpo_instance *inst, int32_t j, double hair)
{
    const ucpo_instance_data *d = &inst->data;
    if (d->due) return d->due[j] + d->tolerance + hair;
    return d->limit && j > 0 ? d->limit[j] + inst->load_tolerance + hair : HUGE_VAL;
}

/* Ways over customers, until nothing gets shorter. */
static void find_ways(const ucpo_instance *inst, double way[MOST][MOST])
{
    int32_t n = inst->data.n;
    int is_done = 0;
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++) way[i][j] = leg_of(inst, i, j);
    while (!is_done) {
        is_done = 1;
        for (int32_t i = 0; i < n; i++)
            for (int32_t j = 0; j < n; j++)
                for (int32_t k = 1; k < n; k++)
                    if (way[i][k] + way[k][j] < way[i][j])
                        way[i][j] = way[i][k] + way[k][j], is_done = 0;
    }
}

struct order {
    int is_late[MOST][MOST]; /* j is not reached in time after i */
    int is_before[MOST][MOST];
};

static void find_order(const ucpo_instance *inst, double way[MOST][MOST], struct order *o)
{
    const ucpo_instance_data *d = &inst->data;
    double opening = d->due ? d->ready[0] : 0.0;
    for (int32_t i = 0; i < d->n; i++) {
        double start = i == 0 ? opening : fmax(d->due ? d->ready[i] : 0.0, opening + way[0][i]);
        for (int32_t j = 0; j < d->n; j++)
            o->is_late[i][j] = start + way[i][j] > due_of(inst, j, HAIR);
    }
    for (int32_t i = 0; i < d->n; i++)
        for (int32_t j = 0; j < d->n; j++)
            o->is_before[i][j] = i > 0 && j > 0 && i != j && o->is_late[j][i];
}

static int is_closed(const ucpo_instance *inst, const struct order *o, int32_t i, int32_t j)
{
    const ucpo_instance_data *d = &inst->data;
    if (i == j || !ucpo_instance_has_way(inst, i, j) || o->is_late[i][j]) return 1;
    if (inst->ops->max_vehicles != 1)
        return d->demand && i > 0 && j > 0 &&
               d->demand[i] + d->demand[j] > d->capacity + inst->load_tolerance;
    for (int32_t k = 1; k < d->n; k++) {
        if (i == 0 && o->is_before[k][j]) return 1;
        if (j == 0 && o->is_before[i][k]) return 1;
        if (o->is_before[i][k] && o->is_before[k][j]) return 1;
    }
    return 0;
}

static int compare_arcs(const ucpo_instance *inst, const struct bound_arcs *a)
{
    const ucpo_instance_data *d = &inst->data;
    double way[MOST][MOST];
    struct order o;
    int closed = 0, is_whole = 1;
    find_ways(inst, way);
    find_order(inst, way, &o);
    assert_int_equal(a->n, d->n);
    assert_int_equal(a->is_tour, inst->ops->max_vehicles == 1);
    for (int32_t i = 0; i < d->n; i++) {
        assert_true(a->ready[i] == (d->due ? d->ready[i] : 0.0));
        double limit = due_of(inst, i, 0.0); /* a little more than the checker allows, for sums */
        assert_true(isinf(limit) ? isinf(a->due[i]) : a->due[i] <= limit + HAIR / 2);
        assert_true(a->due[i] > limit || limit <= 1.0 || isinf(limit));
        assert_true(a->due[i] >= limit);
        for (int32_t j = 0; j < d->n; j++) {
            size_t at = (size_t)(i * d->n + j);
            if (i != j) assert_true(bound_leg(a, i, j) == leg_of(inst, i, j));
            if (i != j) assert_true(a->way[at] == way[i][j]);
            int is_shut = is_closed(inst, &o, i, j);
            double cost = ucpo_instance_cost(inst, i, j);
            if (bound_cost(a, i, j) != (is_shut ? HUGE_VAL : cost))
                fail_msg("%s: %d to %d: %g", d->problem, (int)i, (int)j, bound_cost(a, i, j));
            closed += i != j && is_shut && ucpo_instance_has_way(inst, i, j);
            if (i != j && ucpo_instance_has_way(inst, i, j) && cost != floor(cost)) is_whole = 0;
            if (!a->before || i == 0 || j == 0) continue;
            assert_int_equal(bound_has(a->before + (size_t)j * BOUND_WORDS, i), o.is_before[i][j]);
        }
    }
    assert_int_equal(a->are_costs_whole, is_whole);
    assert_true((a->before != NULL) == a->is_tour);
    return closed;
}

static void arcs_are_closed_where_the_definition_says_so_and_nowhere_else(void **state)
{
    (void)state;
    assert_true(for_all(compare_arcs) > 2000);
}

struct follow {
    const struct bound_arcs *arcs;
    int feasible;
};

/* A feasible plan uses open arcs, keeps the forced orders, has a number of routes that may be. */
static void follow(void *user, const ucpo_instance *inst, const int32_t *plan, size_t len,
                   const ucpo_evaluation *eval)
{
    struct follow *f = user;
    const struct bound_arcs *a = f->arcs;
    int32_t at = 0;
    uint64_t seen[BOUND_WORDS] = {0};
    if (!eval->is_feasible) return;
    f->feasible++;
    for (size_t k = 0; k <= len; k++) {
        int32_t to = k < len ? plan[k] : 0;
        assert_true(bound_cost(a, at, to) == ucpo_instance_cost(inst, at, to));
        for (int w = 0; to && a->before && w < BOUND_WORDS; w++)
            assert_true((a->before[to * BOUND_WORDS + w] & ~seen[w]) == 0);
        seen[to / 64] |= 1ull << (to % 64);
        at = to;
    }
    assert_true(eval->routes >= a->least_routes && eval->routes <= a->most_routes);
}

static int follow_plans(const ucpo_instance *inst, const struct bound_arcs *a)
{
    struct follow f = {.arcs = a};
    test_each_plan(inst, follow, &f);
    return f.feasible;
}

static void no_feasible_plan_uses_a_closed_arc(void **state)
{
    (void)state;
    assert_true(for_all(follow_plans) > 20000);
}

static int compare_routes(const ucpo_instance *inst, const struct bound_arcs *a)
{
    const ucpo_instance_data *d = &inst->data;
    int32_t least = 1, most = 1, customers = d->n - 1;
    if (inst->ops->max_vehicles != 1) {
        most = d->vehicles > 0 && d->vehicles < customers ? d->vehicles : customers;
        while (least * d->capacity + HAIR < inst->total_demand) least++;
        if (least > most) least = 1; /* no plan at all: not looked into here */
    }
    assert_int_equal(a->least_routes, least);
    assert_int_equal(a->most_routes, most);
    return least > 1;
}

static void routes_are_as_many_as_loads_need_and_the_fleet_has(void **state)
{
    (void)state;
    assert_true(for_all(compare_routes) > 300);
}

static int yes(void *user)
{
    (void)user;
    return 1;
}

static void a_stop_leaves_no_arcs(void **state)
{
    (void)state;
    ucpo_instance *own;
    const ucpo_instance *inst = small(0, 4, &own);
    struct bound_arcs *a = NULL;
    struct stop stop = {.ask = yes};
    assert_int_equal(bound_arcs_create(inst, &stop, &a, NULL), UCPO_OK);
    assert_null(a);
    ucpo_instance_free(own);
}

/* ---- loads ---- */

static int compare_loads(const ucpo_instance *inst, const struct bound_arcs *a)
{
    const ucpo_instance_data *d = &inst->data;
    double way[MOST][MOST], value = -1.0, sum = 0.0;
    assert_int_equal(bound_by_loads(a, inst, &value, NULL), UCPO_OK);
    for (int32_t i = 0; i < d->n; i++)
        for (int32_t j = 0; j < d->n; j++)
            way[i][j] = i == j                              ? 0.0
                        : ucpo_instance_has_way(inst, i, j) ? ucpo_instance_cost(inst, i, j)
                                                            : HUGE_VAL;
    for (int32_t k = 0; k < d->n; k++)
        for (int32_t i = 0; i < d->n; i++)
            for (int32_t j = 0; j < d->n; j++) way[i][j] = fmin(way[i][j], way[i][k] + way[k][j]);
    int is_fleet = d->capacity > 0.0;
    for (int32_t j = 1; is_fleet && j < d->n; j++)
        if (d->demand[j] > 0.0 || isinf(way[0][j]) || isinf(way[j][0]))
            sum += d->demand[j] / d->capacity * (way[0][j] + way[j][0]);
    assert_close(value, isfinite(sum) ? sum : 0.0, 1e-8, 0);
    assert_true(value <= sum || !isfinite(sum));
    double best = test_least_cost(inst);
    assert_true(value <= best);
    return value > 0.0 && value > 0.6 * best;
}

static void loads_pay_their_share_of_the_way_there_and_of_the_way_back(void **state)
{
    (void)state;
    assert_true(for_all(compare_loads) > 30);
}

/* ---- assignments ---- */

struct assign {
    const struct bound_arcs *a;
    double best;
};

static void assign_rows(struct assign *s, int32_t row, unsigned used, double cost)
{
    if (row == s->a->n && cost < s->best) s->best = cost;
    for (int32_t j = 0; row < s->a->n && j < s->a->n; j++)
        if (!(used >> j & 1u) && bound_cost(s->a, row, j) < HUGE_VAL)
            assign_rows(s, row + 1, used | 1u << j, cost + bound_cost(s->a, row, j));
}

static int compare_assignment(const ucpo_instance *inst, const struct bound_arcs *a)
{
    (void)inst;
    double out[MOST], in[MOST], value = -1.0, sum = 0.0;
    struct assign s = {.a = a, .best = HUGE_VAL};
    assert_int_equal(bound_by_assignment(a, NULL, out, in, &value, NULL), UCPO_OK);
    assign_rows(&s, 0, 0, 0.0);
    assert_close(value, isfinite(s.best) ? s.best : 0.0, 0, 1e-9);
    if (isinf(s.best)) return 0;
    for (int32_t i = 0; i < a->n; i++) {
        sum += out[i] + in[i];
        for (int32_t j = 0; j < a->n; j++)
            assert_true(bound_cost(a, i, j) >= out[i] + in[j] - 1e-9);
    }
    assert_close(sum, value, 0, 1e-9);
    return 1;
}

static void an_assignment_is_the_cheapest_and_its_prices_prove_it(void **state)
{
    (void)state;
    assert_true(for_all(compare_assignment) > 1000);
    ucpo_instance *own;
    struct bound_arcs *a = arcs_of(small(0, 4, &own));
    struct stop stop = {.ask = yes};
    double out[MOST], in[MOST], value = -1.0;
    assert_int_equal(bound_by_assignment(a, &stop, out, in, &value, NULL), UCPO_OK);
    assert_true(value == 0.0);
    bound_arcs_free(a);
    ucpo_instance_free(own);
}

/* ---- forests ---- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Edges of the cheapest spanning tree of the customers, ascending (Kruskal); infinite where there is none. */
static void find_tree(const struct bound_arcs *a, double *edge)
{
    int32_t part[MOST], count = 0;
    for (int32_t i = 0; i < a->n; i++) part[i] = i;
    while (count < a->n - 2) {
        int32_t x = 0, y = 0;
        double least = HUGE_VAL;
        for (int32_t i = 1; i < a->n; i++)
            for (int32_t j = 1; j < a->n; j++)
                if (part[i] != part[j] && bound_cost(a, i, j) < least)
                    least = bound_cost(a, i, j), x = i, y = j;
        edge[count++] = least;
        int32_t gone = part[x];
        for (int32_t i = 1; x && i < a->n; i++)
            if (part[i] == gone) part[i] = part[y];
    }
}

/* The cheapest forest of c - R edges, R ways out and R ways in, over all R; a tour's two ends differ. */
static double relaxed(const struct bound_arcs *a)
{
    double edge[MOST], out[MOST], in[MOST], best = HUGE_VAL;
    int32_t customers = a->n - 1;
    find_tree(a, edge);
    for (int32_t j = 1; j < a->n; j++)
        out[j - 1] = bound_cost(a, 0, j), in[j - 1] = bound_cost(a, j, 0);
    if (a->is_tour) {
        double pair = HUGE_VAL, sum = 0.0;
        for (int32_t i = 0; i < customers; i++)
            for (int32_t j = 0; j < customers; j++)
                if (i != j) pair = fmin(pair, out[i] + in[j]);
        for (int32_t k = 0; k < customers - 1; k++) sum += edge[k];
        return sum + pair;
    }
    qsort(out, (size_t)customers, sizeof *out, by_value);
    qsort(in, (size_t)customers, sizeof *in, by_value);
    for (int32_t routes = a->least_routes; routes <= a->most_routes; routes++) {
        double sum = 0.0;
        for (int32_t k = 0; k < customers - routes; k++) sum += edge[k];
        for (int32_t k = 0; k < routes; k++) sum += out[k] + in[k];
        best = fmin(best, sum);
    }
    return best;
}

static int compare_forest(const ucpo_instance *inst, const struct bound_arcs *a)
{
    double first = relaxed(a), value = -1.0, best = test_least_cost(inst);
    /* an upper bound that is already passed: no prices are tried */
    assert_int_equal(bound_by_tree(a, 1e-9, NULL, &value, NULL), UCPO_OK);
    assert_close(value, isfinite(first) ? first : 0.0, 0, 1e-9);
    const double upper[] = {best, best + 1.0, 3.0 * best, 1e3, 1e9};
    for (int k = 0; isfinite(first) && k < 5; k++) {
        if (!isfinite(upper[k])) continue;
        assert_int_equal(bound_by_tree(a, upper[k], NULL, &value, NULL), UCPO_OK);
        assert_true(value >= first - 1e-9);
        assert_true(value <= best + 1e-9);
    }
    return isfinite(first);
}

static void forests_are_relaxations_and_prices_only_help(void **state)
{
    (void)state;
    assert_true(for_all(compare_forest) > 1000);
}

static double gap_sum;

static int add_gap(const ucpo_instance *inst, const struct bound_arcs *a)
{
    double best = test_least_cost(inst), value = 0.0;
    if (!isfinite(best) || best <= 0.0) return 0;
    assert_int_equal(bound_by_tree(a, best, NULL, &value, NULL), UCPO_OK);
    gap_sum += 1.0 - value / best;
    return 1;
}

static void prices_bring_forests_near_the_best_plan(void **state)
{
    (void)state;
    gap_sum = 0.0;
    int count = for_all(add_gap);
    print_message("mean gap of %d forests: %.4f\n", count, gap_sum / count);
    assert_true(count > 1000 && gap_sum / count < 0.2);
}

/* ---- labels ---- */

struct tours {
    const struct bound_arcs *a;
    double best;
};

/* The best tour by the arcs, their legs and dues. */
static void try_tours(struct tours *t, int32_t at, unsigned seen, double time, double cost)
{
    const struct bound_arcs *a = t->a;
    if (seen == (1u << a->n) - 1u && bound_cost(a, at, 0) < HUGE_VAL &&
        time + bound_leg(a, at, 0) <= a->due[0])
        t->best = fmin(t->best, cost + bound_cost(a, at, 0));
    for (int32_t j = 1; j < a->n; j++) {
        double start = fmax(time + bound_leg(a, at, j), a->ready[j]);
        if (seen >> j & 1u || bound_cost(a, at, j) == HUGE_VAL || start > a->due[j]) continue;
        try_tours(t, j, seen | 1u << j, start, cost + bound_cost(a, at, j));
    }
}

static void expect_labels(const struct bound_arcs *a, double best, double upper, double margin)
{
    double out[MOST], in[MOST], value = 0.0, cost = 0.0;
    int32_t tour[MOST] = {0}, at = 0, has_tour = -1, is_done = -1;
    assert_int_equal(bound_by_assignment(a, NULL, out, in, &value, NULL), UCPO_OK);
    assert_int_equal(
        bound_by_labels(a, out, in, value, upper, margin, NULL, tour, &has_tour, &is_done, NULL),
        UCPO_OK);
    assert_int_equal(is_done, 1);
    if (has_tour != (best <= upper - margin))
        fail_msg("best %g, upper %g, margin %g: %d", best, upper, margin, has_tour);
    if (!has_tour) return;
    for (int32_t k = 0; k < a->n; at = k < a->n - 1 ? tour[k] : 0, k++)
        cost += bound_cost(a, at, k < a->n - 1 ? tour[k] : 0);
    assert_close(cost, best, 0, 1e-9);
}

static int compare_labels(const ucpo_instance *inst, const struct bound_arcs *a)
{
    struct tours t = {.a = a, .best = HUGE_VAL};
    if (!a->is_tour) return 0;
    try_tours(&t, 0, 1u, a->ready[0], 0.0);
    if (isinf(t.best)) {
        expect_labels(a, t.best, 60.0, 0.25);
        expect_labels(a, t.best, 1e6, 0.25);
        return 0;
    }
    static const double margins[] = {0.0, 0.25, 0.999, 2.0};
    static const double above[] = {-1.0, -0.25, 0.0, 0.25, 1.0, 30.0, 1e6};
    double margin = margins[inst->data.n % 4], edge = t.best + (margin == 0.999 ? 1.0 : margin);
    for (int k = 0; k < 7; k++) expect_labels(a, t.best, edge + above[k], margin);
    return 1;
}

static void labels_find_the_best_tour_below_any_bound_and_no_other(void **state)
{
    (void)state;
    assert_true(for_all(compare_labels) > 400);
}

/* 40 customers without windows: more partial tours than may be kept. */
static void too_many_labels_prove_nothing(void **state)
{
    (void)state;

    enum { N = 40 };

    double x[N], y[N], ready[N] = {0}, due[N];
    for (int i = 0; i < N; i++) x[i] = i * 37 % 101, y[i] = i * 53 % 97, due[i] = 1e6;
    ucpo_instance_data d = ucpo_instance_data_default();
    d.problem = "tsptw", d.n = N, d.x = x, d.y = y, d.ready = ready, d.due = due;
    ucpo_instance *inst = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_instance_create(&d, &inst, &err), &err);
    struct bound_arcs *a = arcs_of(inst);
    double out[N], in[N], value = 0.0;
    int32_t tour[N], has_tour = -1, is_done = -1;
    struct stop stop = {.ask = yes};
    assert_ok(bound_by_assignment(a, NULL, out, in, &value, &err), &err);
    assert_ok(bound_by_labels(a, out, in, value, 1e6, 1e-3, &stop, tour, &has_tour, &is_done, &err),
              &err);
    assert_true(has_tour == 0 && is_done == 0);
    has_tour = is_done = -1;
    assert_ok(bound_by_labels(a, out, in, value, 1e6, 1e-3, NULL, tour, &has_tour, &is_done, &err),
              &err);
    assert_true(has_tour == 0 && is_done == 0);
    bound_arcs_free(a);
    ucpo_instance_free(inst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arcs_are_closed_where_the_definition_says_so_and_nowhere_else),
        cmocka_unit_test(no_feasible_plan_uses_a_closed_arc),
        cmocka_unit_test(routes_are_as_many_as_loads_need_and_the_fleet_has),
        cmocka_unit_test(a_stop_leaves_no_arcs),
        cmocka_unit_test(loads_pay_their_share_of_the_way_there_and_of_the_way_back),
        cmocka_unit_test(an_assignment_is_the_cheapest_and_its_prices_prove_it),
        cmocka_unit_test(forests_are_relaxations_and_prices_only_help),
        cmocka_unit_test(prices_bring_forests_near_the_best_plan),
        cmocka_unit_test(labels_find_the_best_tour_below_any_bound_and_no_other),
        cmocka_unit_test(too_many_labels_prove_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
