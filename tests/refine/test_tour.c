/* What is known of a tour and prices of moves against its definition, results against brute force, promises of refine.h. */
#include "refine/tour.h"
#include "support/alloc.h"
#include "support/random_instance.h"
#include "support/support.h"

#include <math.h>
#include <string.h>

enum { MOST = 40, LARGE = 320 };

static const char *const problems[] = {"tsptw", "tspdl"};

static void shuffle(int32_t *nodes, int32_t n, struct rng *rng)
{
    for (int32_t i = 1; i < n; i++) nodes[i - 1] = i;
    for (int32_t i = n - 2; i > 0; i--) {
        int32_t j = (int32_t)rng_below(rng, (uint32_t)i + 1), swap = nodes[i];
        nodes[i] = nodes[j];
        nodes[j] = swap;
    }
}

static ucpo_evaluation checked(const ucpo_instance *inst, const int32_t *nodes, size_t len)
{
    ucpo_evaluation found;
    ucpo_error err = {0};
    assert_ok(ucpo_check(inst, nodes, len, &found, NULL, 0, NULL, 0, &err), &err);
    return found;
}

/* Time warp from the definition, in another way than segment.h. */
static double walked_warp(const ucpo_instance *inst, const int32_t *nodes, int32_t count)
{
    const ucpo_instance_data *d = &inst->data;
    double now = d->due ? d->ready[0] : 0.0, warp = 0.0, tolerance;
    int32_t at = 0;
    tolerance = 0.999 * (d->due ? d->tolerance : inst->load_tolerance);
    for (int32_t i = 0; i <= count; i++) {
        int32_t next = i < count ? nodes[i] : 0;
        double due = d->due ? d->due[next] : next ? d->limit[next] : HUGE_VAL;
        if (d->due) {
            now += ucpo_instance_duration(inst, at, next);
            if (d->service && at != 0) now += d->service[at];
            if (now < d->ready[next]) now = d->ready[next];
        } else if (next != 0) {
            now += d->demand[next];
        }
        if (now > due + tolerance) {
            warp += now - due - tolerance;
            now = due + tolerance;
        }
        at = next;
    }
    return warp;
}

static int32_t draw(struct rng *rng, int32_t low, int32_t high)
{
    return low + (int32_t)rng_below(rng, (uint32_t)(high - low + 1));
}

/* The tour in hand without its gap. */
static int32_t copy_tour(const struct tour *t, int32_t *nodes)
{
    int32_t count = 0;
    for (int32_t p = tour_next(t, 0); p < t->n; p = tour_next(t, p)) nodes[count++] = t->at[p];
    return count;
}

static double walked_cost(const ucpo_instance *inst, const int32_t *nodes, int32_t count)
{
    double cost = 0.0;
    for (int32_t i = 0; i <= count; i++)
        cost += ucpo_instance_cost(inst, i > 0 ? nodes[i - 1] : 0, i < count ? nodes[i] : 0);
    return cost;
}

/* Cost and warp of the tour in hand from the definition, and what is known at its positions. */
static void assert_known(struct tour *t)
{
    int32_t nodes[MOST], count = copy_tour(t, nodes);
    assert_close(t->total, walked_cost(t->ground->inst, nodes, count), 1e-9, 1e-7);
    assert_close(t->warp, walked_warp(t->ground->inst, nodes, count), 1e-9, 1e-7);
    double late = fmax(t->site[0].ready - t->rest[0].latest, 0.0);
    tour_extend_heads(t, t->n);
    tour_extend_rests(t, 0);
    assert_close(t->head[t->n].warp, t->warp, 1e-9, 1e-7);
    assert_close(t->rest[0].warp + late, t->warp, 1e-9, 1e-7);
}

/* The least value a customer can be put back at. */
static double least_value(const struct tour *t, int32_t customer)
{
    int32_t nodes[MOST], count = copy_tour(t, nodes);
    double least = HUGE_VAL;
    for (int32_t place = count; place >= 0; place--) {
        nodes[count] = customer;
        for (int32_t i = count; i > place; i--) {
            int32_t swap = nodes[i];
            nodes[i] = nodes[i - 1], nodes[i - 1] = swap;
        }
        double value = walked_cost(t->ground->inst, nodes, count + 1) +
                       t->weight * walked_warp(t->ground->inst, nodes, count + 1);
        if (value < least) least = value;
        count = copy_tour(t, nodes);
    }
    return least;
}

/* Customers leave and come back; after each, everything known is what the definition says, and where
 * detours are never shorter the place is the best of all: looking away from late ones missed none. */
static void customers_come_back_at_the_best_place(void **state)
{
    (void)state;
    int overlooked = 0, looked = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        int32_t n = 5 + (int32_t)(seed % 20), nodes[MOST];
        struct rng rng = rng_at(seed, RNG_TEST, 1);
        ucpo_instance *inst = test_random_instance(prob_find(problems[seed % 2]), n,
                                                   (enum test_shape)(seed / 2 % SHAPE_COUNT), seed);
        struct refine *refine = NULL;
        ucpo_error err = {0};
        assert_ok(refine_create(inst, NULL, &refine, &err), &err);
        struct tour *t = refine->tour;
        shuffle(nodes, n, &rng);
        assert_ok(refine_start(refine, nodes, (size_t)n - 1, seed, &err), &err);
        for (int step = 0; step < 30 && !t->is_drafted; step++) {
            tour_choose_out(t, draw(&rng, 1, n), 0.5);
            tour_take_out(t);
            for (int32_t k = 0; k < t->outs; k++) {
                double least = least_value(t, t->out[k]);
                tour_insert(t, t->out[k]);
                double value = t->total + t->weight * t->warp;
                overlooked += t->ground->is_metric && value > least + 1e-9 * fabs(least) + 1e-7;
                looked += t->ground->is_metric;
                assert_true(value >= least - 1e-9 * fabs(least) - 1e-7);
                if (step % 3 == 0) assert_known(t);
            }
            assert_known(t);
            if (step % 2)
                tour_keep(t);
            else
                tour_go_back(t);
            t->heat.step++;
            assert_known(t);
        }
        refine_free(refine);
        ucpo_instance_free(inst);
    }
    assert_true(looked > 1000);
    assert_true(overlooked <= looked / 20); /* one of 100 on purpose */
}

/* Applies a move and compares what was priced with what is there now. */
static void assert_priced(struct tour *t, const struct move *move)
{
    double warp = move_warp(t, move, HUGE_VAL), old_total = t->total;
    move_apply(t, move);
    ucpo_evaluation after = checked(t->ground->inst, &t->at[1], (size_t)t->n - 1);
    assert_int_equal(after.missing + after.duplicates + after.unknown, 0);
    assert_close(t->total, old_total + move->cost, 1e-12, 1e-12);
    assert_close(t->warp, warp, 1e-9, 1e-7);
    assert_known(t);
    for (int32_t p = 1; p < t->n; p++) assert_int_equal(t->pos[t->at[p]], p);
}

static void price_random_moves(struct tour *t, struct rng *rng)
{
    int32_t last = t->n - 1;
    for (int k = 0; k < 30; k++) {
        int32_t i = draw(rng, 1, last - 1), j = draw(rng, i + 1, last);
        struct move move = move_turn(t, i, j);
        assert_priced(t, &move);
        move = move_swap(t, i, j);
        assert_priced(t, &move);
        move = move_swap(t, i, i + 1);
        assert_priced(t, &move);
        if (i > 1) {
            move = move_shift(t, i, j, draw(rng, 0, i - 2), k & 1);
            assert_priced(t, &move);
        }
        if (j < last) {
            move = move_shift(t, i, j, draw(rng, j + 1, last), k & 1);
            assert_priced(t, &move);
        }
    }
}

static void every_move_costs_what_it_was_priced_at(void **state)
{
    (void)state;
    int seen = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        int32_t n = 4 + (int32_t)(seed % 20), nodes[MOST];
        struct rng rng = rng_at(seed, RNG_TEST, 1);
        ucpo_instance *inst = test_random_instance(prob_find(problems[seed % 2]), n,
                                                   (enum test_shape)(seed / 2 % SHAPE_COUNT), seed);
        struct refine *refine = NULL;
        ucpo_error err = {0};
        assert_ok(refine_create(inst, NULL, &refine, &err), &err);
        struct tour *t = refine->tour;
        shuffle(nodes, n, &rng);
        assert_ok(refine_start(refine, nodes, (size_t)n - 1, seed, &err), &err);
        if (!t->is_drafted) {
            t->changed_from = t->rests_from = t->n;
            t->changed_to = t->heads_to = 0;
            price_random_moves(t, &rng);
            tour_go_back(t);
            assert_known(t);
            double before = t->total + t->weight * t->warp;
            t->pace.effort_end = INT64_MAX;
            tour_queue_all(t);
            assert_int_equal(tour_descend(t), 1);
            assert_known(t);
            assert_true(t->total + t->weight * t->warp <= before + 1e-9 * fabs(before));
            seen++;
        }
        refine_free(refine);
        ucpo_instance_free(inst);
    }
    assert_true(seen > 20);
}

/* Loads, and how much more a stop may carry, from the definition. */
static void assert_loads(const struct tour *t)
{
    const ucpo_instance_data *d = &t->ground->inst->data;
    double load = 0.0;
    for (int32_t p = 1; p < t->len; p++) {
        load += d->demand[t->at[p]];
        assert_close(t->load[p], load, 1e-12, 1e-12);
        assert_close(t->slack[p], d->limit[t->at[p]] - load, 1e-5, 1e-5);
        assert_true(load <= d->limit[t->at[p]] + t->ground->inst->load_tolerance);
    }
}

/* What the search keeps up from move to move is what it would find from scratch. */
static void the_state_does_not_drift(void **state)
{
    (void)state;
    int drafted = 0;
    for (uint64_t seed = 0; seed < 24; seed++) {
        enum test_shape shape = (enum test_shape)(seed / 2 % SHAPE_COUNT);
        int32_t n = 5 + (int32_t)(seed % 25), nodes[LARGE];
        if (shape == SHAPE_GENERATED) n = LARGE;
        struct rng rng = rng_at(seed, RNG_TEST, 2);
        ucpo_instance *inst = test_random_instance(prob_find(problems[seed % 2]), n, shape, seed);
        struct refine *refine = NULL;
        ucpo_error err = {0};
        assert_ok(refine_create(inst, NULL, &refine, &err), &err);
        struct tour *t = refine->tour;
        shuffle(nodes, n, &rng);
        assert_ok(refine_start(refine, nodes, (size_t)n - 1, seed, &err), &err);
        for (int part = 0; part < 20; part++) {
            refine_run(refine, 997, NULL);
            assert_int_equal(t->len, n);
            assert_close(t->total, checked(inst, &t->at[1], (size_t)n - 1).cost, 1e-9, 1e-9);
            drafted += t->is_drafted;
            if (t->is_drafted)
                assert_loads(t);
            else
                assert_close(t->warp, walked_warp(inst, &t->at[1], n - 1), 1e-9, 1e-7);
            for (int32_t p = 1; p < t->len; p++) assert_int_equal(t->pos[t->at[p]], p);
        }
        refine_free(refine);
        ucpo_instance_free(inst);
    }
    assert_true(drafted > 20); /* of 240 */
}

/* ---- promises of refine.h ---- */

static void the_result_is_never_worse_than_the_start(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        int32_t n = 2 + (int32_t)(seed % 15), nodes[MOST];
        if (n < 3 && seed / 2 % SHAPE_COUNT == SHAPE_GENERATED) n = 3;
        struct rng rng = rng_at(seed, RNG_TEST, 3);
        ucpo_instance *inst = test_random_instance(prob_find(problems[seed % 2]), n,
                                                   (enum test_shape)(seed / 2 % SHAPE_COUNT), seed);
        struct refine *refine = NULL;
        ucpo_error err = {0};
        assert_ok(refine_create(inst, NULL, &refine, &err), &err);
        shuffle(nodes, n, &rng);
        ucpo_evaluation start = checked(inst, nodes, (size_t)n - 1);
        for (int64_t effort = 0; effort < 3000; effort += 500) {
            assert_ok(refine_start(refine, nodes, (size_t)n - 1, seed, &err), &err);
            refine_run(refine, effort, NULL);
            struct refined best = refine_best(refine);
            ucpo_evaluation end = checked(inst, best.nodes, best.len);
            assert_true(ucpo_compare(NULL, best.objective, best.violation,
                                     start.cost / inst->data.unit, start.violation) <= 0);
            assert_close(best.objective, end.cost / inst->data.unit, 0.0, 0.0);
            assert_close(best.violation, end.violation, 0.0, 0.0);
            assert_int_equal(end.missing + end.duplicates + end.unknown, 0);
        }
        refine_free(refine);
        ucpo_instance_free(inst);
    }
}

/* Best of all orders by the feasible-first order. */
static void try_all(const ucpo_instance *inst, int32_t *nodes, int32_t k, double *f, double *v)
{
    int32_t count = inst->data.n - 1;
    if (k == count) {
        ucpo_evaluation e = checked(inst, nodes, (size_t)count);
        double objective = e.cost / inst->data.unit;
        if (*f < 0.0 || ucpo_compare(NULL, objective, e.violation, *f, *v) < 0)
            *f = objective, *v = e.violation;
        return;
    }
    for (int32_t i = k; i < count; i++) {
        int32_t a = nodes[k], b = nodes[i];
        nodes[k] = b, nodes[i] = a;
        try_all(inst, nodes, k + 1, f, v);
        nodes[k] = a, nodes[i] = b;
    }
}

static void compare_with_brute_force(const ucpo_instance *inst, uint64_t seed, int *feasible)
{
    int32_t n = inst->data.n, nodes[MOST];
    double f = -1.0, v = 0.0;
    struct refine *refine = NULL;
    ucpo_error err = {0};
    for (int32_t i = 1; i < n; i++) nodes[i - 1] = i;
    try_all(inst, nodes, 0, &f, &v);
    assert_ok(refine_create(inst, NULL, &refine, &err), &err);
    assert_ok(refine_start(refine, nodes, (size_t)n - 1, seed, &err), &err);
    refine_run(refine, 300000, NULL);
    struct refined best = refine_best(refine);
    assert_int_equal(best.violation <= 0.0, v <= 0.0);
    if (v <= 0.0) assert_close(best.objective, f, 1e-9, 1e-9);
    *feasible += v <= 0.0;
    refine_free(refine);
}

static void small_instances_are_solved_as_by_brute_force(void **state)
{
    (void)state;
    int feasible = 0, count = 0;
    for (uint64_t seed = 0; seed < 80; seed++) {
        enum test_shape shape = (enum test_shape)(seed / 2 % SHAPE_COUNT);
        int32_t n = 2 + (int32_t)(seed % 6);
        if (n < 3 && shape == SHAPE_GENERATED) n = 3;
        ucpo_instance *inst = test_random_instance(prob_find(problems[seed % 2]), n, shape, seed);
        compare_with_brute_force(inst, seed, &feasible);
        count++;
        ucpo_instance_free(inst);
    }
    assert_true(feasible > 15 && feasible < count);
}

/* The whole load is more than the depot's own limit lets out, so no plan is feasible. The best is still no
 * worse than the shortest that keeps all other limits, whatever the start. */
static void a_depot_below_the_load_does_not_end_the_search(void **state)
{
    (void)state;
    int drafted = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        struct rng rng = rng_at(seed, RNG_TEST, 5);
        int32_t n = draw(&rng, 4, 6), nodes[8];
        double x[8], y[8], demand[8], limit[8], f = -1.0, v = 0.0;
        for (int32_t i = 0; i < n; i++) {
            x[i] = draw(&rng, 0, 9), y[i] = draw(&rng, 0, 9);
            demand[i] = i > 0;
            limit[i] = i > 0 ? draw(&rng, i, n) : n;
        }
        ucpo_instance_data d = ucpo_instance_data_default();
        d.problem = "tspdl", d.n = n, d.x = x, d.y = y, d.demand = demand, d.limit = limit;
        ucpo_instance *free_depot = NULL, *inst = NULL;
        ucpo_error err = {0};
        struct refine *refine = NULL;
        assert_ok(ucpo_instance_create(&d, &free_depot, &err), &err);
        limit[0] = n - 2;
        assert_ok(ucpo_instance_create(&d, &inst, &err), &err);
        for (int32_t i = 1; i < n; i++) nodes[i - 1] = i; /* keeps the limits of all customers */
        double violation = checked(inst, nodes, (size_t)n - 1).violation;
        assert_true(violation > 0.0);
        try_all(free_depot, nodes, 0, &f, &v);
        assert_true(v <= 0.0);
        shuffle(nodes, n, &rng);
        assert_ok(refine_create(inst, NULL, &refine, &err), &err);
        struct tour *t = refine->tour;
        assert_ok(refine_start(refine, nodes, (size_t)n - 1, seed, &err), &err);
        drafted += t->is_drafted;
        refine_run(refine, 100000, NULL);
        struct refined best = refine_best(refine);
        assert_true(best.objective + best.violation <= f + violation + 1e-9);
        refine_free(refine);
        ucpo_instance_free(inst);
        ucpo_instance_free(free_depot);
    }
    assert_true(drafted > 300);
}

/* Windows without width around a hidden order, several customers at one place, no demand. */
static void degenerate_instances_are_solved_as_by_brute_force(void **state)
{
    (void)state;
    int feasible = 0;
    for (uint64_t seed = 0; seed < 30; seed++) {
        struct rng rng = rng_at(seed, RNG_TEST, 4);
        int32_t n = draw(&rng, 2, 7);
        double x[8], y[8], ready[8], due[8], demand[8], limit[8], now = 0.0;
        for (int32_t i = 0; i < n; i++) {
            x[i] = draw(&rng, 0, 2), y[i] = draw(&rng, 0, 2);
            if (i > 0) now += hypot(x[i] - x[i - 1], y[i] - y[i - 1]);
            ready[i] = due[i] = now;
            demand[i] = i > 0 ? draw(&rng, 0, 1) : 0;
            limit[i] = n - 1 - draw(&rng, 0, i > 0 ? n / 2 : 0);
        }
        due[0] = 1000.0;
        ucpo_instance_data d = ucpo_instance_data_default();
        d.n = n, d.x = x, d.y = y;
        d.problem = problems[seed % 2];
        if (seed % 2 == 0)
            d.ready = ready, d.due = due;
        else
            d.demand = demand, d.limit = limit;
        ucpo_instance *inst = NULL;
        ucpo_error err = {0};
        assert_ok(ucpo_instance_create(&d, &inst, &err), &err);
        compare_with_brute_force(inst, seed, &feasible);
        ucpo_instance_free(inst);
    }
    assert_true(feasible >= 15); /* the hidden order is feasible */
}

static ucpo_instance *middling(uint64_t seed)
{
    return test_random_instance(prob_find(problems[seed % 2]), 30, SHAPE_GENERATED, seed);
}

static void starts_are_repaired(void **state)
{
    (void)state;
    const int32_t nodes[] = {7, 3, 0, 99, -4, 3, 7, 12, 0};
    ucpo_instance *inst = middling(1);
    struct refine *refine = NULL;
    ucpo_error err = {0};
    assert_ok(refine_create(inst, NULL, &refine, &err), &err);
    for (size_t len = 0; len <= 9; len += 9) {
        assert_ok(refine_start(refine, len ? nodes : NULL, len, 1, &err), &err);
        struct refined best = refine_best(refine);
        ucpo_evaluation e = checked(inst, best.nodes, best.len);
        assert_int_equal(e.missing + e.duplicates + e.unknown + e.vehicles_over, 0);
    }
    refine_free(refine);
    ucpo_instance_free(inst);
}

static void the_same_seed_gives_the_same_result_and_another_one_another(void **state)
{
    (void)state;
    int32_t nodes[MOST], first[MOST];
    int differs = 0;
    for (uint64_t seed = 0; seed < 6; seed++) {
        ucpo_instance *inst = middling(seed);
        struct rng rng = rng_at(seed, RNG_TEST, 5);
        ucpo_error err = {0};
        shuffle(nodes, 30, &rng);
        for (int run = 0; run < 3; run++) {
            struct refine *refine = NULL;
            assert_ok(refine_create(inst, NULL, &refine, &err), &err);
            assert_ok(refine_start(refine, nodes, 29, run < 2 ? 5 : 6, &err), &err);
            refine_run(refine, 20000, NULL);
            const int32_t *best = refine_best(refine).nodes;
            if (run == 0) memcpy(first, best, 29 * sizeof *best);
            if (run == 1) assert_memory_equal(first, best, 29 * sizeof *best);
            if (run == 2) differs += memcmp(first, best, 29 * sizeof *best) != 0;
            refine_free(refine);
        }
        ucpo_instance_free(inst);
    }
    assert_true(differs > 0);
}

static void a_handle_can_be_started_again(void **state)
{
    (void)state;
    int32_t nodes[MOST];
    ucpo_instance *inst = middling(0);
    struct rng rng = rng_at(0, RNG_TEST, 6);
    struct refine *refine = NULL;
    ucpo_error err = {0};
    shuffle(nodes, 30, &rng);
    assert_ok(refine_create(inst, NULL, &refine, &err), &err);
    double objective[2], violation[2];
    for (int run = 0; run < 2; run++) {
        assert_ok(refine_start(refine, nodes, 29, 3, &err), &err);
        refine_run(refine, 12345, NULL);
        objective[run] = refine_best(refine).objective;
        violation[run] = refine_best(refine).violation;
    }
    assert_close(objective[0], objective[1], 0.0, 0.0);
    assert_close(violation[0], violation[1], 0.0, 0.0);
    refine_free(refine);
    ucpo_instance_free(inst);
}

static void effort_is_a_limit_of_what_is_priced(void **state)
{
    (void)state;
    int32_t nodes[MOST];
    ucpo_instance *inst = middling(2);
    struct rng rng = rng_at(0, RNG_TEST, 7);
    struct refine *refine = NULL;
    ucpo_error err = {0};
    shuffle(nodes, 30, &rng);
    assert_ok(refine_create(inst, NULL, &refine, &err), &err);
    struct tour *t = refine->tour;
    assert_ok(refine_start(refine, nodes, 29, 3, &err), &err);
    for (int64_t part = 1; part <= 10; part++) {
        refine_run(refine, 5000, NULL);
        assert_true(t->pace.effort >= 5000 * part && t->pace.effort < 7000 * part);
    }
    refine_free(refine);
    ucpo_instance_free(inst);
}

struct asked {
    int count, yes_at;
};

static int ask(void *user)
{
    struct asked *asked = user;
    return ++asked->count >= asked->yes_at;
}

static void a_stop_is_obeyed_at_once_and_asked_often(void **state)
{
    (void)state;
    int32_t nodes[MOST];
    ucpo_instance *inst = middling(0);
    struct rng rng = rng_at(0, RNG_TEST, 8);
    struct refine *refine = NULL;
    ucpo_error err = {0};
    shuffle(nodes, 30, &rng);
    assert_ok(refine_create(inst, NULL, &refine, &err), &err);
    struct tour *t = refine->tour;
    assert_ok(refine_start(refine, nodes, 29, 3, &err), &err);
    for (int k = 1; k < 20; k++) {
        struct asked asked = {0, k};
        const struct stop stop = {.ask = ask, .user = &asked};
        int64_t before = t->pace.work;
        refine_run(refine, INT64_MAX, &stop);
        assert_int_equal(asked.count, k);
        assert_true(t->pace.work - before <= 25000 * (int64_t)k); /* 25000: below 1 ms */
    }
    refine_free(refine);
    ucpo_instance_free(inst);
}

static void large_instances_are_improved_without_tables(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        ucpo_generate_config config = ucpo_generate_config_default();
        config.problem = problems[kind], config.size = 2500;
        ucpo_dataset *set = NULL;
        ucpo_error err = {0};
        struct refine *refine = NULL;
        assert_ok(ucpo_generate(&config, &set, &err), &err);
        assert_ok(refine_create(ucpo_dataset_at(set, 0), NULL, &refine, &err), &err);
        struct tour *t = refine->tour;
        assert_null(t->ground->cost);
        assert_ok(refine_start(refine, NULL, 0, 1, &err), &err);
        struct refined start = refine_best(refine);
        double f = start.objective, v = start.violation;
        for (int k = 0; k < 3; k++) {
            struct asked asked = {0, 100};
            const struct stop stop = {.ask = ask, .user = &asked};
            refine_run(refine, 200000, &stop);
        }
        struct refined end = refine_best(refine);
        assert_true(ucpo_compare(NULL, end.objective, end.violation, f, v) < 0);
        ucpo_evaluation e = checked(t->ground->inst, end.nodes, end.len);
        assert_int_equal(e.missing + e.duplicates, 0);
        refine_free(refine);
        ucpo_dataset_free(set);
    }
}

/* In the order of the limits a tour criss-crosses the map: a search worth its name makes it much shorter. */
static void large_draft_instances_are_made_much_shorter(void **state)
{
    (void)state;
    ucpo_generate_config config = ucpo_generate_config_default();
    config.problem = "tspdl", config.level = "hard", config.size = 400;
    ucpo_dataset *set = NULL;
    ucpo_error err = {0};
    struct refine *refine = NULL;
    assert_ok(ucpo_generate(&config, &set, &err), &err);
    assert_ok(refine_create(ucpo_dataset_at(set, 0), NULL, &refine, &err), &err);
    struct tour *t = refine->tour;
    assert_ok(refine_start(refine, NULL, 0, 1, &err), &err);
    assert_true(t->is_drafted);
    double f = refine_best(refine).objective;
    refine_run(refine, 40000000, NULL);
    assert_true(refine_best(refine).violation <= 0.0);
    assert_true(refine_best(refine).objective < 0.5 * f);
    refine_free(refine);
    ucpo_dataset_free(set);
}

/* ---- memory ---- */

static void starting_and_running_allocate_nothing(void **state)
{
    (void)state;
    int32_t nodes[MOST];
    for (uint64_t seed = 0; seed < 2; seed++) {
        ucpo_instance *inst = middling(seed);
        struct rng rng = rng_at(0, RNG_TEST, 9);
        struct refine *refine = NULL;
        ucpo_error err = {0};
        shuffle(nodes, 30, &rng);
        assert_ok(refine_create(inst, NULL, &refine, &err), &err);
        size_t before = test_alloc_calls;
        ucpo_status st = refine_start(refine, nodes, 20, 1, &err);
        if (!st) refine_run(refine, 50000, NULL);
        size_t calls = test_alloc_calls - before;
        assert_ok(st, &err);
        assert_int_equal(calls, 0);
        refine_free(refine);
        ucpo_instance_free(inst);
    }
}

static void creating_survives_every_shortage(void **state)
{
    (void)state;
    ucpo_instance *inst = middling(0);
    int k = 0;
    for (;; k++) {
        ucpo_error err = {0};
        struct refine *refine = NULL;
        test_alloc_countdown = k;
        ucpo_status st = refine_create(inst, NULL, &refine, &err);
        int was_reached = test_alloc_countdown < 0;
        test_alloc_countdown = -1;
        refine_free(refine);
        if (!was_reached) {
            assert_ok(st, &err);
            break;
        }
        assert_int_equal(st, UCPO_E_MEMORY);
        assert_int_equal(err.code, UCPO_E_MEMORY);
    }
    assert_true(k >= 3);
    ucpo_instance_free(inst);
}

/* All that matters is to be in time: the temperature must not become 0 / 0. */
static void what_costs_nothing_can_still_be_repaired(void **state)
{
    (void)state;

    enum { N = 60 };

    double zero[N * N] = {0}, way[N * N], ready[N], due[N];
    int32_t plan[N - 1];
    for (int i = 0; i < N; i++) { /* on a line, in order, one at a time */
        ready[i] = 0.0, due[i] = i == 0 ? 1000.0 : i + 2.5;
        if (i > 0) plan[i - 1] = 1 + (i * 23) % (N - 1); /* 59 is prime */
        for (int j = 0; j < N; j++) way[i * N + j] = fabs((double)(i - j));
    }
    ucpo_instance_data d = ucpo_instance_data_default();
    d.problem = "tsptw", d.n = N, d.cost = zero, d.duration = way;
    d.tolerance = 0.0;
    d.ready = ready, d.due = due;
    ucpo_instance *inst = NULL;
    struct refine *refine = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_instance_create(&d, &inst, &err), &err);
    assert_ok(refine_create(inst, NULL, &refine, &err), &err);
    assert_ok(refine_start(refine, plan, N - 1, 1, &err), &err);
    refine_run(refine, 2000000, NULL);
    assert_true(refine_best(refine).violation == 0.0);
    refine_free(refine);
    ucpo_instance_free(inst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(customers_come_back_at_the_best_place),
        cmocka_unit_test(every_move_costs_what_it_was_priced_at),
        cmocka_unit_test(the_state_does_not_drift),
        cmocka_unit_test(the_result_is_never_worse_than_the_start),
        cmocka_unit_test(small_instances_are_solved_as_by_brute_force),
        cmocka_unit_test(a_depot_below_the_load_does_not_end_the_search),
        cmocka_unit_test(degenerate_instances_are_solved_as_by_brute_force),
        cmocka_unit_test(starts_are_repaired),
        cmocka_unit_test(the_same_seed_gives_the_same_result_and_another_one_another),
        cmocka_unit_test(a_handle_can_be_started_again),
        cmocka_unit_test(effort_is_a_limit_of_what_is_priced),
        cmocka_unit_test(a_stop_is_obeyed_at_once_and_asked_often),
        cmocka_unit_test(large_instances_are_improved_without_tables),
        cmocka_unit_test(large_draft_instances_are_made_much_shorter),
        cmocka_unit_test(starting_and_running_allocate_nothing),
        cmocka_unit_test(creating_survives_every_shortage),
        cmocka_unit_test(what_costs_nothing_can_still_be_repaired),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
