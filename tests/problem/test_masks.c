/* Masks, doom and totals of the environments against their definitions (problem.h, env.h), on small numbers
 * where a customer is reached just in time and a vehicle is just full; and against all plans. */
#include "core/rng.h"
#include "problem/env.h"
#include "support/small.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 3, N = 160 };

/* What one sample has done, kept apart from the environment. */
struct trip {
    const ucpo_instance *inst;
    double tolerance; /* of the mask */
    int32_t at, left, used;
    uint8_t visited[N];
    double time, load, open;
};

static struct trip begun(const ucpo_instance *inst, double mask_tolerance)
{
    const ucpo_instance_data *d = &inst->data;
    struct trip t = {.inst = inst, .left = d->n - 1, .open = inst->total_demand, .visited = {1}};
    t.time = d->ready ? d->ready[0] : 0.0;
    t.tolerance = mask_tolerance > 0.0 ? mask_tolerance : d->tolerance;
    return t;
}

static double service_of(const ucpo_instance *inst, int32_t j)
{
    return j && inst->data.service ? inst->data.service[j] : 0.0;
}

static double demand_of(const ucpo_instance *inst, int32_t j)
{
    return j && inst->data.demand ? inst->data.demand[j] : 0.0;
}

/* Start of service at j, if it is next. A leg without a way keeps its large number: masks avoid it. */
static double start_at(const struct trip *t, int32_t j)
{
    double arrive = t->time + ucpo_instance_duration(t->inst, t->at, j);
    return t->inst->data.ready && j ? fmax(arrive, t->inst->data.ready[j]) : arrive;
}

static void go(struct trip *t, int32_t j)
{
    const ucpo_instance_data *d = &t->inst->data;
    if (t->at == 0 && j == 0) return;
    double start = start_at(t, j);
    if (!ucpo_instance_has_way(t->inst, t->at, j))
        start = d->ready && j ? fmax(t->time, d->ready[j]) : t->time;
    t->used += t->at == 0;
    t->at = j;
    if (j == 0) {
        t->time = d->ready ? d->ready[0] : 0.0, t->load = 0.0;
        return;
    }
    t->time = start + service_of(t->inst, j);
    t->load += demand_of(t->inst, j), t->open -= demand_of(t->inst, j);
    t->left -= !t->visited[j], t->visited[j] = 1;
}

/* ---- tours ---- */

/* After j every other one left can still be next: in time, or under its draft limit. */
static int spares_the_others(const struct trip *t, int32_t j)
{
    const ucpo_instance_data *d = &t->inst->data;
    for (int32_t k = 1; k < d->n; k++) {
        if (t->visited[k] || k == j) continue;
        double way = ucpo_instance_duration(t->inst, j, k);
        if (d->due && start_at(t, j) + service_of(t->inst, j) + way > d->due[k] + t->tolerance)
            return 0;
        if (d->limit &&
            t->load + d->demand[j] + d->demand[k] > d->limit[k] + t->inst->load_tolerance)
            return 0;
    }
    return 1;
}

/* j itself in time, and home in time straight from there; or under its limit. */
static int is_good_itself(const struct trip *t, int32_t j)
{
    const ucpo_instance_data *d = &t->inst->data;
    double start = start_at(t, j);
    double home = start + service_of(t->inst, j) + ucpo_instance_duration(t->inst, j, 0);
    if (d->due && (start > d->due[j] + t->tolerance || home > d->due[0] + t->tolerance)) return 0;
    return !d->limit || t->load + d->demand[j] <= d->limit[j] + t->inst->load_tolerance;
}

/* Returns whether the look-ahead gives up. */
static int tour_row(const struct trip *t, enum prob_mask kind, uint8_t *row)
{
    int32_t n = t->inst->data.n, open = 0;
    memset(row, 0, N);
    for (int32_t j = 1; j < n; j++) {
        row[j] = !t->visited[j];
        if (kind != PROB_MASK_SOFT && t->left > 1) row[j] &= (uint8_t)spares_the_others(t, j);
        if (kind == PROB_MASK_LOOKAHEAD_OWN && t->left > 1) row[j] &= (uint8_t)is_good_itself(t, j);
        open += row[j];
    }
    for (int32_t j = 1; open == 0 && j < n; j++) row[j] = !t->visited[j];
    row[0] = t->left == 0;
    return open == 0 && t->left > 0;
}

static int is_tour_doomed(const struct trip *t)
{
    const ucpo_instance_data *d = &t->inst->data;
    for (int32_t k = 0; k < d->n; k++) {
        if (t->visited[k] && k > 0) continue;
        double reach = t->time + ucpo_instance_duration(t->inst, t->at, k);
        if (d->due && reach > d->due[k] + d->tolerance) return 1;
        if (d->limit && k && t->load + d->demand[k] > d->limit[k] + t->inst->load_tolerance)
            return 1;
    }
    return 0;
}

/* ---- fleets ---- */

/* Demand that the vehicles behind this one can take. */
static double room_behind(const struct trip *t, int32_t used)
{
    return (t->inst->data.vehicles - used) * t->inst->data.capacity;
}

/* Going to j, some of the others reached in time from there fill this vehicle so far that those behind can
 * take the rest. Of broken or large loads: if all of them together would. */
static int fills(const struct trip *t, int32_t j)
{
    const ucpo_instance *inst = t->inst;
    const ucpo_instance_data *d = &inst->data;
    double leave = start_at(t, j) + service_of(inst, j),
           room = d->capacity - t->load - d->demand[j];
    double rest = t->open - d->demand[j], behind = room_behind(t, t->used + (t->at == 0)),
           all = 0.0;
    for (unsigned set = 0; set < 1u << d->n; set += 2) {
        double load = 0.0;
        int is_right = 1;
        for (int32_t k = 1; k < d->n && is_right; k++) {
            if (!(set >> k & 1u)) continue;
            double start = leave + ucpo_instance_duration(inst, j, k);
            double last = fmin(d->due[k], d->due[0] - service_of(inst, k) -
                                              ucpo_instance_duration(inst, k, 0));
            is_right = k != j && !t->visited[k] && d->demand[k] <= room + inst->load_tolerance &&
                       start <= last + t->tolerance;
            load += d->demand[k];
        }
        if (!is_right) continue;
        if (load <= room && rest - load <= behind) return 1;
        all = fmax(all, load);
    }
    int is_exact = inst->whole_loads && room < 64.0;
    return !is_exact && rest - all <= behind + inst->load_tolerance;
}

/* The limit of the fleet closes customers, and keeps the vehicle out. */
static void narrow_fleet(const struct trip *t, uint8_t *row)
{
    const ucpo_instance_data *d = &t->inst->data;
    double slack = t->inst->load_tolerance, room = d->capacity - t->load;
    double behind = room_behind(t, t->used + (t->at == 0));
    int any = 0, is_filling[N] = {0};
    if (t->open <= room + behind + slack && t->open > behind + slack) {
        for (int32_t j = 1; j < d->n; j++) any |= is_filling[j] = row[j] && fills(t, j);
        for (int32_t j = 1; any && j < d->n; j++) row[j] = (uint8_t)is_filling[j];
    }
    if (t->open > room_behind(t, t->used) + slack) row[0] = 0; /* this one is needed */
}

static void fleet_row(const struct trip *t, enum prob_mask kind, uint8_t *row)
{
    const ucpo_instance_data *d = &t->inst->data;
    int32_t fitting = 0, punctual = 0, is_home = t->at == 0;
    uint8_t fits[N] = {0};
    memset(row, 0, N);
    row[0] = !is_home || t->left == 0;
    for (int32_t j = 1; j < d->n; j++) {
        fits[j] = !t->visited[j] && d->demand[j] <= d->capacity - t->load + t->inst->load_tolerance;
        row[j] = fits[j] && (!d->due || kind == PROB_MASK_SOFT || is_good_itself(t, j));
        fitting += fits[j], punctual += row[j];
    }
    if (is_home && fitting == 0) /* too large for any vehicle: let it happen */
        for (int32_t j = 1; j < d->n; j++) row[j] = !t->visited[j];
    else if (is_home && punctual == 0) /* late whatever is chosen */
        memcpy(row, fits, sizeof fits), row[0] = t->left == 0, punctual = fitting;
    if (t->left > 0 && fitting > 0 && punctual > 0 && d->due && kind != PROB_MASK_SOFT &&
        d->vehicles > 0)
        narrow_fleet(t, row);
}

static int is_fleet_doomed(const struct trip *t)
{
    const ucpo_instance_data *d = &t->inst->data;
    double slack = t->inst->load_tolerance, room = room_behind(t, t->used);
    if (t->at != 0) room += d->capacity - t->load;
    if (!d->due) {
        for (int32_t j = 1; j < d->n; j++)
            if (!t->visited[j] && d->demand[j] > d->capacity + slack) return 1;
        return 0;
    }
    if (t->time + ucpo_instance_duration(t->inst, t->at, 0) > d->due[0] + d->tolerance) return 1;
    return d->vehicles > 0 && t->open > room + slack;
}

/* ---- the comparison ---- */

struct counts {
    int rows, closed, given_up, stay_out, doomed, feasible;
};

static int wanted_row(const struct trip *t, enum prob_mask kind, uint8_t *row)
{
    if (t->inst->ops->max_vehicles == 1) return tour_row(t, kind, row);
    fleet_row(t, kind, row);
    return 0;
}

static void compare_rows(struct prob_env *env, const struct trip *trip, struct counts *c)
{
    uint8_t rows[SAMPLES * N], want[N];
    int32_t n = env->n;
    for (int kind = PROB_MASK_SOFT; kind <= PROB_MASK_LOOKAHEAD_OWN; kind++) {
        memset(rows, 0xa5, sizeof rows);
        prob_env_mask(env, (enum prob_mask)kind, rows);
        for (int s = 0; s < SAMPLES; s++) {
            int gives_up = wanted_row(&trip[s], (enum prob_mask)kind, want);
            for (int32_t j = 0; j < n; j++)
                if (rows[s * n + j] != want[j])
                    fail_msg("%s, mask %d, at %d after %d: node %d is %d", env->ops->info.name,
                             kind, (int)trip[s].at, (int)(n - 1 - trip[s].left), (int)j,
                             rows[s * n + j]);
            assert_int_equal(env->hopeless[s], gives_up && kind != PROB_MASK_SOFT);
            c->rows++, c->given_up += gives_up;
            c->stay_out += trip[s].at != 0 && !want[0] && env->ops->max_vehicles != 1;
            for (int32_t j = 1; j < n; j++) c->closed += !trip[s].visited[j] && !want[j];
        }
    }
}

/* Lengths, violations and doom; a finished sample is as good as the checker says. */
static void compare_states(struct prob_env *env, const struct trip *trip, uint8_t *was,
                           struct counts *c)
{
    prob_env_mark_doomed(env);
    for (int s = 0; s < SAMPLES; s++) {
        const struct trip *t = &trip[s];
        if (!env->done[s]) {
            assert_int_equal(env->at[s], t->at);
            if (env->inst->data.due) assert_true(env->time[s] == t->time);
            if (env->inst->data.demand) assert_close(env->load[s], t->load, 0, 0);
            if (env->inst->data.capacity > 0.0) assert_close(env->open[s], t->open, 0, 0);
        }
        assert_int_equal(env->left[s], t->left);
        int is_tour = env->ops->max_vehicles == 1;
        if (!is_tour) assert_int_equal(env->used[s], t->used);
        int is_doomed = was[s] || env->violations[s] > 0 ||
                        (!env->done[s] && (is_tour ? is_tour_doomed(t) : is_fleet_doomed(t)));
        assert_int_equal(env->doomed[s], is_doomed);
        c->doomed += is_doomed && env->violations[s] == 0;
        was[s] = (uint8_t)is_doomed;
    }
}

static void compare_totals(struct prob_env *env, int32_t plan[SAMPLES][4 * N], size_t len,
                           struct counts *c)
{
    double objective[SAMPLES], violation[SAMPLES];
    prob_env_result(env, objective, violation);
    for (int s = 0; s < SAMPLES; s++) {
        ucpo_evaluation e;
        assert_int_equal(ucpo_check(env->inst, plan[s], len, &e, NULL, 0, NULL, 0, NULL), UCPO_OK);
        assert_close(objective[s], e.cost / env->inst->data.unit, 1e-12, 1e-12);
        assert_close(violation[s], e.violation, 1e-12, 1e-12);
        assert_int_equal(violation[s] == 0.0, e.is_feasible);
        c->feasible += e.is_feasible;
    }
}

/* Samples go by the mask of the round, or anywhere that a weaker one allows. */
static void walk(struct prob_env *env, double mask_tolerance, struct rng *rng, struct counts *c)
{
    struct trip trip[SAMPLES];
    int32_t plan[SAMPLES][4 * N], n = env->n;
    uint8_t rows[SAMPLES * N], was[SAMPLES] = {0};
    size_t len = 0;
    enum prob_mask kind = (enum prob_mask)rng_below(rng, 3);
    for (int s = 0; s < SAMPLES; s++) trip[s] = begun(env->inst, mask_tolerance);
    env->mask_tolerance = mask_tolerance;
    prob_env_reset(env);
    while (!prob_env_is_done(env)) {
        int32_t action[SAMPLES] = {0};
        assert_true((int32_t)len < prob_env_max_steps(env));
        compare_rows(env, trip, c);
        prob_env_mask(env, kind, rows);
        for (int s = 0; s < SAMPLES; s++) {
            uint32_t seen = 0;
            for (int32_t j = 0; j < n; j++)
                if (rows[s * n + j] && rng_below(rng, ++seen) == 0) action[s] = j;
            if (trip[s].left > 0 || env->ops->max_vehicles != 1) go(&trip[s], action[s]);
            plan[s][len] = action[s];
        }
        prob_env_step(env, action);
        len++;
        compare_states(env, trip, was, c);
    }
    compare_totals(env, plan, len, c);
}

static void masks_doom_and_totals_follow_their_definitions(void **state)
{
    (void)state;
    for (size_t p = 0; p < prob_registry_count; p++) {
        const struct prob_ops *ops = prob_registry[p];
        struct counts c = {0};
        for (uint64_t seed = 0; seed < 800; seed++) {
            unsigned with = (unsigned)(seed % 4 == 1) * SMALL_GAPS |
                            (unsigned)(seed % 4 == 2) * SMALL_BROKEN |
                            (unsigned)(seed % 4 == 3) * SMALL_HEAVY;
            ucpo_instance *own =
                test_small_instance(ops, 3 + (int32_t)(seed % 6), with, seed + 9000);
            const ucpo_instance *inst = own->load;
            struct prob_env *env = NULL;
            struct rng rng = rng_at(seed, RNG_TEST, 900 + p);
            assert_int_equal(prob_env_create(ops, inst->data.n, SAMPLES, &env, NULL), UCPO_OK);
            assert_int_equal(prob_env_bind(env, inst, NULL), UCPO_OK);
            for (int k = 0; k < 6; k++) walk(env, k % 3 == 2 ? 1.25 : 0.0, &rng, &c);
            prob_env_free(env);
            ucpo_instance_free(own);
        }
        print_message("%s: %d rows, %d closed, %d given up, %d kept out, %d doomed, %d feasible\n",
                      ops->info.name, c.rows, c.closed, c.given_up, c.stay_out, c.doomed,
                      c.feasible);
        assert_true(c.rows > 50000 && c.feasible > 300);
        if (ops->needs & PROB_FLEET) assert_true(c.stay_out > 300);
        if (ops->needs & PROB_KIND) assert_true(c.closed > 2000);
        if (ops->needs & (PROB_WINDOWS | PROB_LIMIT)) assert_true(c.doomed > 300);
    }
}

/* Tables and masks work in blocks of nodes. */
static void a_hundred_and_fifty_nodes_are_masked_as_few_are(void **state)
{
    (void)state;
    static const char *const problems[] = {"tsptw", "tspdl", "cvrptw"};
    for (int p = 0; p < 3; p++) {
        ucpo_generate_config g = ucpo_generate_config_default();
        ucpo_dataset *set = NULL;
        ucpo_error err = {0};
        struct counts c = {0};
        g.problem = problems[p], g.size = p == 2 ? N - 1 : N, g.seed = 4;
        assert_ok(ucpo_generate(&g, &set, &err), &err);
        const ucpo_instance *inst = ucpo_dataset_at(set, 0)->load;
        struct prob_env *env = NULL;
        struct rng rng = rng_at(8, RNG_TEST, 3);
        assert_ok(prob_env_create(inst->ops, N, SAMPLES, &env, &err), &err);
        assert_ok(prob_env_bind(env, inst, &err), &err);
        walk(env, 0.0, &rng, &c);
        walk(env, 0.0, &rng, &c);
        prob_env_free(env);
        ucpo_dataset_free(set);
    }
}

/* ---- against all plans: what obeys the triangle inequality loses none ---- */

struct keep {
    struct prob_env *env;
    int kept, doomed;
};

static void keep_plan(void *user, const ucpo_instance *inst, const int32_t *plan, size_t len,
                      const ucpo_evaluation *eval)
{
    struct keep *k = user;
    struct prob_env *env = k->env;
    uint8_t row[N];
    int is_tour = inst->ops->max_vehicles == 1;
    prob_env_reset(env);
    for (size_t t = 0; t < len + !is_tour; t++) {
        int32_t next = t < len ? plan[t] : 0;
        if (eval->is_feasible)
            for (int kind = PROB_MASK_SOFT; kind <= PROB_MASK_LOOKAHEAD_OWN; kind++) {
                prob_env_mask(env, (enum prob_mask)kind, row);
                assert_true(row[next]);
            }
        prob_env_step(env, &next);
        prob_env_mark_doomed(env);
        if (env->doomed[0]) assert_false(eval->is_feasible);
        k->doomed += env->doomed[0];
    }
    double objective, violation;
    prob_env_result(env, &objective,
                    &violation); /* also of plans that no mask would have let through */
    assert_true(env->done[0]);
    assert_close(objective, eval->cost / inst->data.unit, 1e-12, 1e-12);
    assert_close(violation, eval->violation, 1e-12, 1e-12);
    k->kept += eval->is_feasible;
}

static void no_mask_closes_the_way_of_a_feasible_plan(void **state)
{
    (void)state;
    for (size_t p = 0; p < prob_registry_count; p++) {
        const struct prob_ops *ops = prob_registry[p];
        struct keep k = {0};
        for (uint64_t seed = 0; seed < 60; seed++) {
            unsigned with = SMALL_METRIC | (unsigned)(seed % 4 == 2) * SMALL_BROKEN;
            int32_t n = 3 + (int32_t)(seed % (ops->max_vehicles == 1 ? 4 : 3));
            ucpo_instance *own = test_small_instance(ops, n, with, seed + 700);
            assert_int_equal(prob_env_create(ops, n, 1, &k.env, NULL), UCPO_OK);
            assert_int_equal(prob_env_bind(k.env, own->load, NULL), UCPO_OK);
            test_each_plan(own->load, keep_plan, &k);
            prob_env_free(k.env);
            ucpo_instance_free(own);
        }
        assert_true(k.kept > 100);
        if (ops->needs & (PROB_WINDOWS | PROB_LIMIT)) assert_true(k.doomed > 300);
    }
}

/* ---- by hand: the edges ---- */

struct hand {
    struct prob_env *env;
    ucpo_instance *inst;
    uint8_t row[4];
};

/* A depot that closes at `close`, two customers: 2 and 3 from it, 4 between them, both ways the same. */
static struct hand placed(const char *problem, double close, double due_2, double capacity,
                          int32_t vehicles, double tolerance)
{
    const double cost[] = {0, 2, 3, 2, 0, 4, 3, 4, 0}, ready[3] = {0}, demand[] = {0, 1, 1};
    const double due[] = {close, 99, due_2};
    ucpo_instance_data d = ucpo_instance_data_default();
    struct hand h = {0};
    ucpo_error err = {0};
    d.problem = problem, d.n = 3, d.cost = cost;
    if (prob_find(problem)->needs & PROB_WINDOWS) d.ready = ready, d.due = due;
    if (capacity > 0.0) d.demand = demand, d.capacity = capacity, d.vehicles = vehicles;
    d.tolerance = tolerance;
    assert_ok(ucpo_instance_create(&d, &h.inst, &err), &err);
    assert_ok(prob_env_create(h.inst->ops, 3, 1, &h.env, &err), &err);
    assert_ok(prob_env_bind(h.env, h.inst, &err), &err);
    return h;
}

static void dropped(struct hand *h)
{
    prob_env_free(h->env);
    ucpo_instance_free(h->inst);
}

static const uint8_t *masked(struct hand *h, enum prob_mask kind)
{
    prob_env_mask(h->env, kind, h->row);
    return h->row;
}

/* The way home is allowed to the moment the depot closes, and the tolerance longer. */
static void the_way_home_may_take_until_the_depot_closes(void **state)
{
    (void)state;

    static const struct {
        double close, tolerance;
        int is_open;
    } cases[] = {{6, 0, 1}, {6 - 1e-3, 0, 0}, {5.5, 0.5, 1}, {5.5 - 1e-3, 0.5, 0}};

    for (size_t k = 0; k < 4; k++) {
        struct hand h = placed("cvrptw", cases[k].close, 99, 9, 0, cases[k].tolerance);
        assert_int_equal(masked(&h, PROB_MASK_LOOKAHEAD)[2], cases[k].is_open); /* 3 and 3 back */
        assert_int_equal(h.row[1], 1);
        assert_int_equal(masked(&h, PROB_MASK_SOFT)[2], 1);
        dropped(&h);
        h = placed("tsptw", cases[k].close, 99, 0, 0, cases[k].tolerance);
        assert_int_equal(masked(&h, PROB_MASK_LOOKAHEAD)[2], 1);
        assert_int_equal(masked(&h, PROB_MASK_LOOKAHEAD_OWN)[2], cases[k].is_open);
        dropped(&h);
    }
}

static void the_others_may_be_reached_until_their_windows_close(void **state)
{
    (void)state;

    static const struct {
        double due_2, tolerance;
        int is_open;
    } cases[] = {{6, 0, 1}, {6 - 1e-3, 0, 0}, {5.5, 0.5, 1}, {5.5 - 1e-3, 0.5, 0}};

    for (size_t k = 0; k < 4; k++) {
        struct hand h = placed("tsptw", 99, cases[k].due_2, 0, 0, cases[k].tolerance);
        assert_int_equal(masked(&h, PROB_MASK_LOOKAHEAD)[1], cases[k].is_open); /* 2, then 4 */
        assert_int_equal(h.row[2], 1);
        assert_int_equal(masked(&h, PROB_MASK_SOFT)[1], 1);
        dropped(&h);
    }
}

/* With one place a vehicle, two vehicles are needed and no more come: of K there are K, not one more. */
static void a_limited_fleet_lets_out_as_many_vehicles_as_it_has(void **state)
{
    (void)state;
    for (int32_t vehicles = 1; vehicles <= 3; vehicles++) {
        struct hand h = placed("cvrptwlv", 99, 99, 2, vehicles, 0);
        prob_env_step(h.env, (const int32_t[]){1});
        masked(&h, PROB_MASK_LOOKAHEAD);
        assert_true(h.row[2] == 1 && h.row[0] == (vehicles > 1)); /* the other may take it */
        assert_int_equal(masked(&h, PROB_MASK_SOFT)[0], 1);
        prob_env_step(h.env, (const int32_t[]){0});
        prob_env_mark_doomed(h.env);
        assert_int_equal(h.env->doomed[0], vehicles == 1); /* nobody is left for the other */
        prob_env_step(h.env, (const int32_t[]){2});
        prob_env_step(h.env, (const int32_t[]){0});
        assert_int_equal(h.env->violations[0], vehicles == 1);
        assert_int_equal(h.env->used[0], 2);
        assert_true(h.env->done[0]);
        dropped(&h);
        h = placed("cvrptwlv", 99, 99, 1, vehicles, 0);
        prob_env_mark_doomed(h.env);
        assert_int_equal(h.env->doomed[0], vehicles == 1);
        prob_env_step(h.env, (const int32_t[]){2});
        assert_true(masked(&h, PROB_MASK_LOOKAHEAD)[0] == 1 && h.row[1] == 0); /* it is full */
        dropped(&h);
    }
}

static void a_full_vehicle_has_no_room_for_more(void **state)
{
    (void)state;
    static const char *const problems[] = {"cvrp", "cvrptw", "cvrptwlv"};
    for (int p = 0; p < 3; p++)
        for (int is_full = 0; is_full < 2; is_full++) {
            struct hand h = placed(problems[p], 99, 99, 2 - is_full, p == 2 ? 2 : 0, 0);
            prob_env_step(h.env, (const int32_t[]){1});
            for (int kind = PROB_MASK_SOFT; kind <= PROB_MASK_LOOKAHEAD_OWN; kind++) {
                masked(&h, (enum prob_mask)kind);
                assert_true(h.row[2] == !is_full && h.row[0] == 1 && h.row[1] == 0);
            }
            dropped(&h);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masks_doom_and_totals_follow_their_definitions),
        cmocka_unit_test(a_hundred_and_fifty_nodes_are_masked_as_few_are),
        cmocka_unit_test(no_mask_closes_the_way_of_a_feasible_plan),
        cmocka_unit_test(the_way_home_may_take_until_the_depot_closes),
        cmocka_unit_test(the_others_may_be_reached_until_their_windows_close),
        cmocka_unit_test(a_limited_fleet_lets_out_as_many_vehicles_as_it_has),
        cmocka_unit_test(a_full_vehicle_has_no_room_for_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
