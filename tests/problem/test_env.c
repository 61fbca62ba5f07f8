/* Environments against the independent checker, for every registered problem and every shape of
 * instance; masks against their definition; brute force. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problem/env.h"
#include "support/random_instance.h"
#include "support/support.h"

enum { MOST_STEPS = 128 };

/* Random rollouts by the given mask; actions[s * MOST_STEPS + t]. Returns the number of steps. */
static int roll(struct prob_env *env, enum prob_mask kind, struct rng *rng, int32_t *actions)
{
    int32_t n = env->n, samples = env->samples;
    uint8_t *allowed = malloc((size_t)samples * (size_t)n);
    int32_t *action = malloc((size_t)samples * sizeof *action);
    int steps = 0;
    while (!prob_env_is_done(env)) {
        assert_true(steps < prob_env_max_steps(env));
        prob_env_mask(env, kind, allowed);
        for (int32_t s = 0; s < samples; s++) {
            const uint8_t *row = allowed + (size_t)s * (size_t)n;
            uint32_t open = 0;
            for (int32_t j = 0; j < n; j++) open += row[j];
            assert_true(open > 0);
            uint32_t pick = rng_below(rng, open);
            for (int32_t j = 0; j < n; j++)
                if (row[j] && pick-- == 0) action[s] = j;
            actions[s * MOST_STEPS + steps] = action[s];
        }
        prob_env_step(env, action);
        steps++;
    }
    free(allowed);
    free(action);
    return steps;
}

static struct prob_env *bound_env(const ucpo_instance *inst, int32_t samples)
{
    struct prob_env *env = NULL;
    ucpo_error err = {0};
    assert_ok(prob_env_create(inst->ops, inst->data.n, samples, &env, &err), &err);
    assert_ok(prob_env_bind(env, inst, &err), &err);
    return env;
}

static void compare_with_checker(const struct prob_env *env, const int32_t *actions, int steps)
{
    double objective[256], violation[256];
    prob_env_result(env, objective, violation);
    for (int32_t s = 0; s < env->samples; s++) {
        ucpo_evaluation eval;
        ucpo_error err = {0};
        assert_ok(ucpo_check(env->inst, actions + s * MOST_STEPS, (size_t)steps, &eval, NULL, 0,
                             NULL, 0, &err),
                  &err);
        assert_int_equal(eval.missing + eval.duplicates + eval.unknown, 0);
        assert_close(objective[s] * env->inst->data.unit, eval.cost, 1e-12, 1e-12);
        assert_close(violation[s], eval.violation, 1e-9, 1e-9);
        assert_int_equal(violation[s] == 0.0, eval.is_feasible);
    }
}

static void a_registered_problem_has_all_that_its_table_must_have(void **state)
{
    (void)state;
    for (size_t p = 0; p < prob_registry_count; p++) {
        const struct prob_ops *o = prob_registry[p];
        assert_true(o->info.name && o->info.name[0] && o->info.title && o->info.levels[0]);
        assert_ptr_equal(prob_find(o->info.name), o);
        assert_true(o->generate && o->features && o->env_decide && o->env_step && o->env_mask);
        assert_true(o->env_state && o->env_is_doomed && o->decision);
        assert_true(o->node_features > 0 && o->depot_features >= 0 && o->state_features > 0);
        assert_true(o->decision_features > 0 && o->decision_features <= ENV_FEATURES);
        for (int f = 0; f < o->decision_features; f++)
            assert_true(o->decision[f].raw >= 0 && o->decision[f].raw < o->raw_numbers);
    }
}

static void totals_of_random_plans_agree_with_the_checker(void **state)
{
    (void)state;
    int feasible = 0, infeasible = 0;
    for (size_t p = 0; p < prob_registry_count; p++) {
        for (int shape = 0; shape < SHAPE_COUNT; shape++) {
            for (uint64_t seed = 0; seed < 12; seed++) {
                int32_t n = 4 + (int32_t)(seed * 5 % 37);
                ucpo_instance *inst = test_random_instance(prob_registry[p], n, shape, seed);
                struct prob_env *env = bound_env(inst, 16);
                int32_t *actions = malloc(16 * MOST_STEPS * sizeof *actions);
                for (int kind = 0; kind <= PROB_MASK_LOOKAHEAD_OWN; kind++) {
                    struct rng rng = rng_at(seed, RNG_TEST, (uint64_t)kind);
                    prob_env_reset(env);
                    int steps = roll(env, (enum prob_mask)kind, &rng, actions);
                    compare_with_checker(env, actions, steps);
                    for (int s = 0; s < 16; s++) env->violations[s] ? infeasible++ : feasible++;
                }
                free(actions);
                prob_env_free(env);
                ucpo_instance_free(inst);
            }
        }
    }
    assert_true(feasible > 500 && infeasible > 500); /* both sides are really exercised */
}

/* Generated data obeys the triangle inequality: what is doomed ends with a violation. */
static void the_doomed_end_with_a_violation_and_nobody_else(void **state)
{
    (void)state;
    int early = 0;
    for (size_t p = 0; p < prob_registry_count; p++) {
        for (uint64_t seed = 0; seed < 20; seed++) {
            ucpo_instance *inst = test_random_instance(prob_registry[p], 20, SHAPE_GENERATED, seed);
            struct prob_env *env = bound_env(inst, 8);
            uint8_t allowed[8 * 20], was[8] = {0};
            struct rng rng = rng_at(seed, RNG_TEST, 5);
            while (!prob_env_is_done(env)) {
                int32_t action[8] = {0};
                prob_env_mask(env, PROB_MASK_SOFT, allowed);
                for (int s = 0; s < 8; s++) do
                        action[s] = (int32_t)rng_below(&rng, 20);
                    while (!allowed[s * 20 + action[s]]);
                prob_env_step(env, action);
                prob_env_mark_doomed(env);
                for (int s = 0; s < 8; s++) {
                    assert_true(env->doomed[s] >= was[s]);
                    was[s] = env->doomed[s];
                    early += env->doomed[s] && env->violations[s] == 0;
                }
            }
            for (int s = 0; s < 8; s++) assert_int_equal(env->doomed[s], env->violations[s] > 0);
            prob_env_free(env);
            ucpo_instance_free(inst);
        }
    }
    assert_true(early > 200); /* it is known before it happens */
}

/* ---- masks by their definition ---- */

static int naive_allows(const struct prob_env *env, int32_t s, int32_t j, int also_own)
{
    const ucpo_instance *inst = env->inst;
    const ucpo_instance_data *d = &inst->data;
    const uint8_t *visited = env->visited + (size_t)s * (size_t)env->n;
    double tol = d->tolerance;
    double service = d->service ? d->service[j] : 0.0;
    double start = 0, load = 0;
    if (d->ready) {
        start = env->time[s] + ucpo_instance_duration(inst, env->at[s], j);
        if (start < d->ready[j]) start = d->ready[j];
        if (also_own && start > d->due[j] + tol) return 0;
        if (also_own && start + service + ucpo_instance_duration(inst, j, 0) > d->due[0] + tol)
            return 0;
    } else {
        load = env->load[s] + d->demand[j];
        if (also_own && load > d->limit[j] + env->load_tolerance) return 0;
    }
    for (int32_t k = 1; k < env->n; k++) {
        if (visited[k] || k == j) continue;
        if (d->ready &&
            start + service + ucpo_instance_duration(inst, j, k) > d->due[k] + tol * (1 + 1e-9))
            return 0;
        if (d->limit && load + d->demand[k] > d->limit[k] + env->load_tolerance) return 0;
    }
    return 1;
}

static void expect_naive_row(const struct prob_env *env, int32_t s, enum prob_mask kind,
                             const uint8_t *row)
{
    const uint8_t *visited = env->visited + (size_t)s * (size_t)env->n;
    int any = 0;
    uint8_t want[64] = {0};
    for (int32_t j = 1; j < env->n; j++) {
        if (visited[j]) continue;
        want[j] = env->left[s] < 2 || naive_allows(env, s, j, kind == PROB_MASK_LOOKAHEAD_OWN);
        any |= want[j];
    }
    for (int32_t j = 1; j < env->n && !any; j++) want[j] = !visited[j];
    assert_memory_equal(row, want, (size_t)env->n);
}

static void look_ahead_masks_of_tours_follow_their_definition(void **state)
{
    (void)state;
    static const char *const names[] = {"tsptw", "tspdl"};
    for (int p = 0; p < 2; p++) {
        for (int shape = 0; shape < SHAPE_COUNT; shape++) {
            for (uint64_t seed = 0; seed < 15; seed++) {
                int32_t n = 4 + (int32_t)(seed * 3 % 30);
                ucpo_instance *inst = test_random_instance(prob_find(names[p]), n, shape, seed);
                struct prob_env *env = bound_env(inst, 4);
                struct rng rng = rng_at(seed, RNG_TEST, 99);
                uint8_t row[4 * 64];
                while (!prob_env_is_done(env)) {
                    int32_t action[4];
                    for (int kind = PROB_MASK_LOOKAHEAD; kind <= PROB_MASK_LOOKAHEAD_OWN; kind++) {
                        prob_env_mask(env, (enum prob_mask)kind, row);
                        for (int32_t s = 0; s < 4; s++)
                            expect_naive_row(env, s, (enum prob_mask)kind, row + s * n);
                    }
                    /* half of the time follow the mask, so that long prefixes stay feasible */
                    prob_env_mask(
                        env, rng_below(&rng, 4) ? PROB_MASK_LOOKAHEAD_OWN : PROB_MASK_SOFT, row);
                    for (int32_t s = 0; s < 4; s++) {
                        do action[s] = 1 + (int32_t)rng_below(&rng, (uint32_t)n - 1);
                        while (!row[s * n + action[s]]);
                    }
                    prob_env_step(env, action);
                }
                prob_env_free(env);
                ucpo_instance_free(inst);
            }
        }
    }
}

static void masked_cvrptw_is_feasible_by_construction_on_generated_data(void **state)
{
    (void)state;
    int32_t *actions = malloc(32 * MOST_STEPS * sizeof *actions);
    for (uint64_t seed = 0; seed < 20; seed++) {
        ucpo_instance *inst = test_random_instance(prob_find("cvrptw"), 51, SHAPE_GENERATED, seed);
        struct prob_env *env = bound_env(inst, 32);
        struct rng rng = rng_at(seed, RNG_TEST, 1);
        roll(env, PROB_MASK_LOOKAHEAD, &rng, actions);
        for (int s = 0; s < 32; s++) assert_int_equal(env->violations[s], 0);
        prob_env_free(env);
        ucpo_instance_free(inst);
    }
    free(actions);
}

/* Random plans of the same instance with and without a known fleet limit. */
static void the_fleet_look_ahead_saves_vehicles(void **state)
{
    (void)state;
    double used[2] = {0, 0};
    int32_t *actions = malloc(32 * MOST_STEPS * sizeof *actions);
    for (uint64_t seed = 0; seed < 20; seed++) {
        ucpo_instance *limited =
            test_random_instance(prob_find("cvrptwlv"), 51, SHAPE_GENERATED, seed);
        ucpo_instance_data data = *ucpo_instance_view(limited);
        ucpo_instance *free_fleet = NULL;
        data.problem = "cvrptw", data.vehicles = 0;
        assert_int_equal(ucpo_instance_create(&data, &free_fleet, NULL), UCPO_OK);
        for (int k = 0; k < 2; k++) {
            struct prob_env *env = bound_env(k ? limited : free_fleet, 32);
            struct rng rng = rng_at(seed, RNG_TEST, 2);
            roll(env, PROB_MASK_LOOKAHEAD, &rng, actions);
            for (int s = 0; s < 32; s++) used[k] += env->used[s];
            prob_env_free(env);
        }
        ucpo_instance_free(limited);
        ucpo_instance_free(free_fleet);
    }
    free(actions);
    print_message("vehicles per random plan: %.2f free, %.2f with look-ahead\n", used[0] / 640,
                  used[1] / 640);
    assert_true(used[1] < 0.9 * used[0]);
}

static void a_late_return_is_measured_before_the_clock_is_reset(void **state)
{
    (void)state;
    const double x[] = {0, 3}, y[] = {0, 4}, ready[] = {0, 0}, due[] = {9, 6}, demand[] = {0, 1};
    ucpo_instance_data d = ucpo_instance_data_default();
    d.problem = "cvrptw", d.n = 2, d.x = x, d.y = y, d.ready = ready, d.due = due,
    d.demand = demand;
    d.capacity = 1, d.unit = 1, d.tolerance = 0;
    ucpo_instance *inst = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_instance_create(&d, &inst, &err), &err);
    struct prob_env *env = bound_env(inst, 1);
    prob_env_step(env, (const int32_t[]){1});
    prob_env_step(env, (const int32_t[]){0});
    assert_close(env->late[0], 1.0, 1e-15, 0);
    assert_true(env->done[0]);
    prob_env_free(env);
    ucpo_instance_free(inst);
}

/* ---- brute force on tiny instances ---- */

/* Next permutation in place; 0 after the last. */
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

struct best {
    double by_check, by_env;
    int tried;
};

static void try_plan(struct prob_env *env, const int32_t *plan, int len, struct best *best)
{
    ucpo_evaluation eval;
    assert_int_equal(ucpo_check(env->inst, plan, (size_t)len, &eval, NULL, 0, NULL, 0, NULL),
                     UCPO_OK);
    if (eval.is_feasible && eval.cost < best->by_check) best->by_check = eval.cost;
    prob_env_reset(env);
    for (int t = 0; t < len; t++) prob_env_step(env, plan + t);
    double objective, violation;
    prob_env_result(env, &objective, &violation);
    assert_true(env->done[0]);
    if (violation == 0.0 && objective * env->inst->data.unit < best->by_env)
        best->by_env = objective * env->inst->data.unit;
    best->tried++;
}

/* Every order of the customers; for routes also every way to cut it. */
static struct best brute_force(struct prob_env *env)
{
    int customers = env->n - 1;
    int cuts = env->ops->max_vehicles == 1 ? 1 : 1 << (customers - 1);
    struct best best = {HUGE_VAL, HUGE_VAL, 0};
    int32_t order[8], plan[16];
    for (int i = 0; i < customers; i++) order[i] = i + 1;
    do {
        for (int cut = 0; cut < cuts; cut++) {
            int len = 0;
            for (int i = 0; i < customers; i++) {
                plan[len++] = order[i];
                if (cut >> i & 1) plan[len++] = 0;
            }
            if (env->ops->max_vehicles != 1) plan[len++] = 0;
            try_plan(env, plan, len, &best);
        }
    } while (next_permutation(order, customers));
    return best;
}

/* An independent optimum for tours: subset recursion over (visited set, last), keeping every
 * non-dominated (cost, time). Draft limits depend on the set alone. HUGE_VAL: infeasible. */
static double exact_tour(const ucpo_instance *inst, int32_t at, unsigned set, double time,
                         double cost)
{
    const ucpo_instance_data *d = &inst->data;
    double best = HUGE_VAL, load = 0;
    int complete = 1;
    for (int32_t i = 1; i < d->n; i++)
        if (d->demand && set >> i & 1u) load += d->demand[i];
    for (int32_t j = 1; j < d->n; j++) {
        if (set >> j & 1u) continue;
        complete = 0;
        double start = time + ucpo_instance_duration(inst, at, j);
        if (d->ready && start < d->ready[j]) start = d->ready[j];
        if (d->due && start > d->due[j] + d->tolerance) continue;
        if (d->limit && load + d->demand[j] > d->limit[j] + 1e-7) continue;
        double leave = start + (d->service ? d->service[j] : 0.0);
        double total =
            exact_tour(inst, j, set | 1u << j, leave, cost + ucpo_instance_cost(inst, at, j));
        if (total < best) best = total;
    }
    if (!complete) return best;
    if (d->due && time + ucpo_instance_duration(inst, at, 0) > d->due[0] + d->tolerance)
        return HUGE_VAL;
    if (d->limit && load > d->limit[0] + 1e-7) return HUGE_VAL;
    return cost + ucpo_instance_cost(inst, at, 0);
}

static void brute_force_agrees_on_optimum_and_infeasibility(void **state)
{
    (void)state;
    for (size_t p = 0; p < prob_registry_count; p++) {
        int solved = 0, hopeless = 0;
        for (int shape = 0; shape < SHAPE_COUNT; shape++) {
            for (uint64_t seed = 0; seed < 10; seed++) {
                const struct prob_ops *ops = prob_registry[p];
                int32_t n =
                    ops->max_vehicles == 1 ? 4 + (int32_t)(seed % 4) : 4 + (int32_t)(seed % 3);
                ucpo_instance *inst = test_random_instance(ops, n, shape, seed);
                struct prob_env *env = bound_env(inst, 1);
                struct best best = brute_force(env);
                assert_close(best.by_env, best.by_check, 1e-12, 1e-12);
                if (ops->max_vehicles == 1) {
                    double start = inst->data.ready ? inst->data.ready[0] : 0.0;
                    assert_close(best.by_check, exact_tour(inst, 0, 1u, start, 0.0), 1e-12, 1e-12);
                }
                isinf(best.by_check) ? hopeless++ : solved++;
                prob_env_free(env);
                ucpo_instance_free(inst);
            }
        }
        int has_more = (prob_registry[p]->needs & (PROB_WINDOWS | PROB_LIMIT)) != 0;
        assert_true(solved > 5);
        if (prob_registry[p]->needs & PROB_KIND)
            assert_true(hopeless > (has_more ? 2 : 0)); /* capacity alone is kind */
    }
}

static void hard_tsptw_is_feasible_by_construction(void **state)
{
    (void)state;
    ucpo_generate_config config = ucpo_generate_config_default();
    config.problem = "tsptw", config.level = "hard", config.size = 7, config.count = 60;
    ucpo_dataset *set = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_generate(&config, &set, &err), &err);
    for (size_t i = 0; i < 60; i++)
        assert_true(isfinite(exact_tour(ucpo_dataset_at(set, i), 0, 1u, 0.0, 0.0)));
    ucpo_dataset_free(set);
}

static void generated_draft_limits_can_always_be_met(void **state)
{
    (void)state;
    static const char *const levels[] = {"easy", "medium", "hard"};
    for (int l = 0; l < 3; l++) {
        ucpo_generate_config config = ucpo_generate_config_default();
        config.problem = "tspdl", config.level = levels[l], config.size = 6, config.count = 60;
        ucpo_dataset *set = NULL;
        ucpo_error err = {0};
        assert_ok(ucpo_generate(&config, &set, &err), &err);
        for (size_t i = 0; i < 60; i++)
            assert_true(isfinite(exact_tour(ucpo_dataset_at(set, i), 0, 1u, 0.0, 0.0)));
        ucpo_dataset_free(set);
    }
}

/* The look-ahead never hides a feasible completion (durations obey the triangle inequality). */
static void look_ahead_keeps_every_feasible_tour(void **state)
{
    (void)state;
    static const char *const names[] = {"tsptw", "tspdl"};
    int checked = 0;
    for (int p = 0; p < 2; p++) {
        for (uint64_t seed = 0; seed < 40; seed++) {
            ucpo_instance *inst = test_random_instance(
                prob_find(names[p]), 6, seed % 2 ? SHAPE_TIGHT : SHAPE_GENERATED, seed);
            struct prob_env *env = bound_env(inst, 1);
            int32_t order[5] = {1, 2, 3, 4, 5};
            do {
                ucpo_evaluation eval;
                assert_int_equal(ucpo_check(inst, order, 5, &eval, NULL, 0, NULL, 0, NULL),
                                 UCPO_OK);
                if (!eval.is_feasible) continue;
                prob_env_reset(env);
                for (int t = 0; t < 5; t++) {
                    uint8_t row[6];
                    prob_env_mask(env, PROB_MASK_LOOKAHEAD_OWN, row);
                    assert_true(row[order[t]]);
                    prob_env_step(env, order + t);
                }
                checked++;
            } while (next_permutation(order, 5));
            prob_env_free(env);
            ucpo_instance_free(inst);
        }
    }
    assert_true(checked > 100);
}

/* ---- limited fleets: the mask by its definition, and no feasible plan lost ---- */

/* A generated instance whose K vehicles carry everything with `spare` to spare in all, loads times `scale`:
 * whole and below 64 (1), whole and above (10), broken (0.7). */
static ucpo_instance *tight_fleet(int32_t vehicles, int spare, double scale, uint64_t seed)
{
    enum { N = 7 };

    ucpo_instance *drawn = test_random_instance(prob_find("cvrptwlv"), N, SHAPE_GENERATED, seed),
                  *out;
    ucpo_instance_data d = drawn->data;
    double demand[N], total = 0;
    for (int i = 0; i < N; i++) total += demand[i] = d.demand[i];
    double whole = vehicles * ceil((total + spare) / vehicles);
    demand[1] += whole - spare - total; /* what does not divide goes to one customer */
    for (int i = 0; i < N; i++) demand[i] *= scale;
    d.demand = demand, d.capacity = scale * whole / vehicles, d.vehicles = vehicles;
    ucpo_error err = {0};
    assert_ok(ucpo_instance_create(&d, &out, &err), &err);
    ucpo_instance_free(drawn);
    return out;
}

static double latest_start(const ucpo_instance_data *d, const ucpo_instance *inst, int32_t k)
{
    return fmin(d->due[k], d->due[0] - d->service[k] - ucpo_instance_duration(inst, k, 0));
}

enum { OTHER = 1 }; /* the sample that is looked at, of two */

/* After j: does some set of the unserved, each in time from j, fill the vehicle so far that the others can
 * carry the rest? Exact for whole loads and a room below 64, else all of them together decide. */
static int fills(const struct prob_env *env, int32_t j)
{
    const ucpo_instance *inst = env->inst;
    const ucpo_instance_data *d = &inst->data;
    int others = d->vehicles - env->used[OTHER] - (env->at[OTHER] == 0);
    double start =
        fmax(env->time[OTHER] + ucpo_instance_duration(inst, env->at[OTHER], j), d->ready[j]);
    double leave = start + d->service[j], room = d->capacity - env->load[OTHER] - d->demand[j];
    double rest = env->open[OTHER] - d->demand[j], all = 0;
    int is_exact = inst->whole_loads && room < 64, found = 0;
    for (unsigned set = 0; set < 1u << d->n; set += 2) {
        double load = 0;
        int is_right = 1;
        for (int32_t k = 1; k < d->n; k++) {
            if (!(set >> k & 1u)) continue;
            is_right &= k != j && !env->visited[OTHER * d->n + k] &&
                        d->demand[k] <= room + inst->load_tolerance &&
                        leave + ucpo_instance_duration(inst, j, k) <=
                            latest_start(d, inst, k) + d->tolerance;
            load += d->demand[k];
        }
        if (!is_right) continue;
        all = fmax(all, load);
        found |= load <= room && rest - load <= others * d->capacity;
    }
    return is_exact ? found : rest - all <= others * d->capacity + 1e-6;
}

/* Along a random plan: a customer is closed by the fleet's look-ahead where the definition says so, unless it
 * says so of all. Returns how many were. */
static int follow_a_plan(struct prob_env *env, struct prob_env *twin, struct rng *rng)
{
    uint8_t rows[16], free_rows[16], *row = rows + OTHER * env->n,
                                     *unlimited = free_rows + OTHER * env->n;
    int closed = 0;
    prob_env_reset(env);
    prob_env_reset(twin);
    while (!env->done[OTHER]) {
        int32_t choice = 0, seen = 0, any = 0;
        prob_env_mask(env, PROB_MASK_LOOKAHEAD, rows);
        prob_env_mask(twin, PROB_MASK_LOOKAHEAD, free_rows); /* the same without a fleet limit */
        int is_lost = env->open[OTHER] >
                      (env->inst->data.vehicles - env->used[OTHER]) * env->inst->data.capacity +
                          (env->at[OTHER] ? env->inst->data.capacity - env->load[OTHER] : 0) + 1e-6;
        for (int32_t j = 1; j < env->n; j++) any |= unlimited[j] && fills(env, j);
        for (int32_t j = 1; j < env->n; j++) {
            assert_int_equal(row[j], unlimited[j] && (is_lost || !any || fills(env, j)));
            closed += unlimited[j] && !row[j];
        }
        for (int32_t j = 0; j < env->n; j++)
            if (row[j] && rng_below(rng, (uint32_t)++seen) == 0) choice = j;
        int32_t both[2] = {0, choice};
        for (int32_t j = 0; j < env->n; j++)
            if (rows[j]) both[0] = j; /* the first sample goes another way */
        prob_env_step(env, both);
        prob_env_step(twin, both);
    }
    return closed;
}

static int keep_feasible_plans(struct prob_env *env)
{
    int32_t order[6] = {1, 2, 3, 4, 5, 6}, plan[12];
    int kept = 0;
    do {
        for (int cut = 0; cut < 1 << 5; cut++) {
            int len = 0;
            for (int i = 0; i < 6; i++) {
                plan[len++] = order[i];
                if (cut >> i & 1 || i == 5) plan[len++] = 0;
            }
            ucpo_evaluation eval;
            ucpo_error err = {0};
            assert_ok(ucpo_check(env->inst, plan, (size_t)len, &eval, NULL, 0, NULL, 0, &err),
                      &err);
            if (!eval.is_feasible) continue;
            prob_env_reset(env);
            for (int t = 0; t < len; t++) {
                uint8_t row[8];
                prob_env_mask(env, PROB_MASK_LOOKAHEAD, row);
                assert_true(row[plan[t]]);
                prob_env_step(env, plan + t);
            }
            kept++;
        }
    } while (next_permutation(order, 6));
    return kept;
}

static void the_fleet_look_ahead_fills_vehicles_and_loses_no_plan(void **state)
{
    (void)state;
    static const double scales[] = {1, 10, 0.7};
    for (int k = 0; k < 3; k++) {
        int closed = 0, kept = 0;
        for (uint64_t seed = 0; seed < 24; seed++) {
            ucpo_instance *limited =
                tight_fleet(2 + (int)(seed % 2), (int)(seed % 3), scales[k], seed);
            ucpo_instance_data d = limited->data;
            ucpo_instance *unlimited = NULL;
            ucpo_error err = {0};
            d.problem = "cvrptw", d.vehicles = 0;
            assert_ok(ucpo_instance_create(&d, &unlimited, &err), &err);
            struct prob_env *env = bound_env(limited, 2), *twin = bound_env(unlimited, 2);
            struct rng rng = rng_at(seed, RNG_TEST, 9);
            for (int i = 0; i < 20; i++) closed += follow_a_plan(env, twin, &rng);
            prob_env_free(env);
            env = bound_env(limited, 1);
            kept += keep_feasible_plans(env);
            prob_env_free(env);
            prob_env_free(twin);
            ucpo_instance_free(limited);
            ucpo_instance_free(unlimited);
        }
        assert_true(closed > 100 && kept > 100);
    }
}

static void an_environment_refuses_what_it_was_not_made_for(void **state)
{
    (void)state;
    ucpo_error err = {0};
    ucpo_instance *a = test_random_instance(prob_find("tspdl"), 8, SHAPE_MATRIX, 1);
    struct prob_env *env = bound_env(a, 2);
    ucpo_instance *other = test_random_instance(prob_find("tspdl"), 9, SHAPE_MATRIX, 1);
    assert_int_equal(prob_env_bind(env, other, &err), UCPO_E_MISMATCH);
    prob_env_free(env);
    ucpo_instance_free(a);
    ucpo_instance_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_registered_problem_has_all_that_its_table_must_have),
        cmocka_unit_test(totals_of_random_plans_agree_with_the_checker),
        cmocka_unit_test(the_doomed_end_with_a_violation_and_nobody_else),
        cmocka_unit_test(look_ahead_masks_of_tours_follow_their_definition),
        cmocka_unit_test(masked_cvrptw_is_feasible_by_construction_on_generated_data),
        cmocka_unit_test(the_fleet_look_ahead_saves_vehicles),
        cmocka_unit_test(a_late_return_is_measured_before_the_clock_is_reset),
        cmocka_unit_test(brute_force_agrees_on_optimum_and_infeasibility),
        cmocka_unit_test(hard_tsptw_is_feasible_by_construction),
        cmocka_unit_test(generated_draft_limits_can_always_be_met),
        cmocka_unit_test(look_ahead_keeps_every_feasible_tour),
        cmocka_unit_test(the_fleet_look_ahead_fills_vehicles_and_loses_no_plan),
        cmocka_unit_test(an_environment_refuses_what_it_was_not_made_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
