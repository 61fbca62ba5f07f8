/* Features of a decision: bounded, independent of the list and of units, equal to what their names
 * say computed the long way. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problem/env.h"
#include "support/random_instance.h"
#include "support/support.h"

enum { SAMPLES = 3, MOST = 48, FEATURES = 32 };

static struct prob_env *bound_env(const ucpo_instance *inst)
{
    struct prob_env *env = NULL;
    ucpo_error err = {0};
    assert_ok(prob_env_create(inst->ops, inst->data.n, SAMPLES, &env, &err), &err);
    env->has_decisions = 1;
    assert_ok(prob_env_bind(env, inst, &err), &err);
    return env;
}

/* The open nodes of sample s. */
static int32_t list_open(const struct prob_env *env, const uint8_t *allowed, int32_t s,
                         uint16_t *list)
{
    int32_t count = 0;
    for (int32_t j = 0; j < env->n; j++)
        if (allowed[s * env->n + j]) list[count++] = (uint16_t)j;
    return count;
}

/* The features of a list: raw numbers by their rules. */
static void decide(struct prob_env *env, int32_t s, const uint16_t *list, int32_t count, float *phi,
                   size_t stride)
{
    struct env_shape shape;
    float raw[FEATURES * MOST];
    assert_true(env->ops->raw_numbers <= FEATURES);
    prob_env_shape(env, &shape);
    prob_env_decide(env, s, list, count, raw, MOST);
    for (int f = 0; f < shape.features; f++)
        for (int32_t i = 0; i < count; i++)
            phi[(size_t)f * stride + (size_t)i] =
                env_shaped(&shape, f, raw[shape.source[f] * MOST + i]);
}

static float feature(const struct prob_env *env, const float *phi, const char *name, int32_t i)
{
    for (int f = 0; f < env->ops->decision_features; f++)
        if (strcmp(env->ops->decision[f].name, name) == 0) return phi[f * MOST + i];
    fail_msg("%s has no feature %s", env->ops->info.name, name);
    return 0;
}

/* Calls `look` at every decision of random rollouts of every problem and shape. */
static void for_all_decisions(const struct prob_ops *only,
                              void (*look)(struct prob_env *env, int32_t s, const uint16_t *list,
                                           int32_t count, const float *phi))
{
    for (size_t p = 0; p < prob_registry_count; p++) {
        if (only && prob_registry[p] != only) continue;
        for (int shape = 0; shape < SHAPE_COUNT; shape++) {
            for (uint64_t seed = 0; seed < 6; seed++) {
                int32_t n = 4 + (int32_t)(seed * 7 % 40), action[SAMPLES];
                ucpo_instance *inst = test_random_instance(prob_registry[p], n, shape, seed);
                struct prob_env *env = bound_env(inst);
                struct rng rng = rng_at(seed, RNG_TEST, 1);
                while (!prob_env_is_done(env)) {
                    uint8_t allowed[SAMPLES * MOST];
                    prob_env_mask(env, seed % 2 ? PROB_MASK_SOFT : PROB_MASK_LOOKAHEAD, allowed);
                    for (int32_t s = 0; s < SAMPLES; s++) {
                        uint16_t list[MOST];
                        float phi[FEATURES * MOST];
                        int32_t count = list_open(env, allowed, s, list);
                        if (!env->done[s]) decide(env, s, list, count, phi, MOST);
                        if (!env->done[s]) look(env, s, list, count, phi);
                        action[s] = list[rng_below(&rng, (uint32_t)count)];
                    }
                    prob_env_step(env, action);
                }
                prob_env_free(env);
                ucpo_instance_free(inst);
            }
        }
    }
}

static void look_at_bounds(struct prob_env *env, int32_t s, const uint16_t *list, int32_t count,
                           const float *phi)
{
    assert_true(env->ops->decision_features > 0 && env->ops->decision_features <= FEATURES);
    for (int f = 0; f < env->ops->decision_features; f++)
        for (int32_t i = 0; i < count; i++)
            assert_true(isfinite(phi[f * MOST + i]) && fabsf(phi[f * MOST + i]) <= 4.0f);
    for (int32_t i = 0; i < count; i++) {
        float one[FEATURES];
        decide(env, s, list + i, 1, one, 1);
        for (int f = 0; f < env->ops->decision_features; f++)
            assert_true(one[f] == phi[f * MOST + i]);
    }
}

static void features_are_bounded_and_independent_of_the_list(void **state)
{
    (void)state;
    for_all_decisions(NULL, look_at_bounds);
}

/* ---- the long way ---- */

static void squashed(const struct prob_env *env, const float *phi, const char *name, int32_t i,
                     double x, double scale)
{
    double got = (double)feature(env, phi, name, i), expected = x / (fabs(x) + scale);
    if (fabs(got - expected) > 1e-5) print_error("%s is %g, expected %g\n", name, got, expected);
    assert_close(got, expected, 1e-5, 1e-5);
}

/* Nodes still to come after j, by rising limit. */
static int32_t others_by(const struct prob_env *env, int32_t s, int32_t j, const double *limit,
                         int32_t *order)
{
    int32_t count = 0;
    for (int32_t k = 1; k < env->n; k++) {
        if (env->visited[s * env->n + k] || k == j) continue;
        int32_t at = count++;
        for (; at > 0 && limit[order[at - 1]] > limit[k]; at--) order[at] = order[at - 1];
        order[at] = k;
    }
    return count;
}

static void look_at_times(struct prob_env *env, int32_t s, const uint16_t *list, int32_t count,
                          const float *phi)
{
    double unit = env->inst->data.unit, far = 1e3 * unit;
    for (int32_t i = 0; i < count; i++) {
        int32_t j = list[i], order[MOST], others = others_by(env, s, j, env->due, order),
                earlier = 0;
        const double *way = env->duration + env->at[s] * env->n;
        double start = fmax(env->time[s] + way[j], env->ready[j]), look = far, second = far;
        double nearest = others ? HUGE_VAL : 0.0, leave = start + env->service[j], chain = far;
        for (int32_t k = 0; k < others; k++) {
            int32_t o = order[k];
            double spare = env->due[o] - leave - env->duration[j * env->n + o];
            second = spare < look ? look : fmin(second, spare);
            look = fmin(look, spare);
            nearest = fmin(nearest, env->cost[j * env->n + o]);
            earlier += env->due[o] < env->due[j];
        }
        int32_t at = j;
        for (int32_t k = 0; k <= others; k++) {
            int32_t o = k < others ? order[k] : 0;
            double begin = leave + env->duration[at * env->n + o];
            if (o) begin = fmax(begin, env->ready[o]);
            chain = fmin(chain, (o ? fmin(env->due[o], env->inst->horizon) : env->due[0]) - begin);
            leave = begin + env->service[o];
            at = o;
        }
        double cost = env->cost[env->at[s] * env->n + j];
        squashed(env, phi, "way_near", i, cost, env->reach);
        squashed(env, phi, "regret", i, cost - nearest, env->reach);
        squashed(env, phi, "slack_w", i, fmin(env->due[j], env->inst->horizon) - start,
                 env->leeway);
        squashed(env, phi, "look_u", i, look, 0.5 * unit);
        squashed(env, phi, "second_w", i, second, env->leeway);
        squashed(env, phi, "chain_u", i, chain, 0.5 * unit);
        assert_true(feature(env, phi, "earlier", i) * (float)(others + 1) >=
                    (float)earlier - 1e-3f);
        assert_close((double)feature(env, phi, "left", i), (others + 1.0) / (env->n - 1), 1e-6, 0);
    }
}

static void features_of_windows_are_what_they_say(void **state)
{
    (void)state;
    for_all_decisions(prob_find("tsptw"), look_at_times);
}

static void look_at_drafts(struct prob_env *env, int32_t s, const uint16_t *list, int32_t count,
                           const float *phi)
{
    double total = env->inst->total_demand, some = 2.0 * total / (env->n - 1), most = 4.0 * total;
    for (int32_t i = 0; i < count; i++) {
        int32_t j = list[i], order[MOST], others = others_by(env, s, j, env->limit, order);
        double load = env->load[s] + env->demand[j], look = most, chain = most, sum = load;
        for (int32_t k = 0; k < others; k++) {
            int32_t o = order[k];
            look = fmin(look, env->limit[o] - env->demand[o] - load);
            sum += env->demand[o];
            chain = fmin(chain, env->limit[o] - sum);
        }
        chain = fmin(chain, env->limit[0] - sum);
        squashed(env, phi, "room_d", i, fmin(env->limit[j] - load, most), some);
        squashed(env, phi, "look_d", i, look, some);
        squashed(env, phi, "chain_d", i, chain, some);
    }
}

static void features_of_drafts_are_what_they_say(void **state)
{
    (void)state;
    for_all_decisions(prob_find("tspdl"), look_at_drafts);
}

static void look_at_fleets(struct prob_env *env, int32_t s, const uint16_t *list, int32_t count,
                           const float *phi)
{
    const ucpo_instance_data *d = &env->inst->data;
    for (int32_t i = 0; i < count; i++) {
        int32_t j = list[i], starts = env->at[s] == 0 && j != 0;
        double room = j ? d->capacity - env->load[s] - env->demand[j] : 0.0, open = 0.0;
        double begin = fmax(env->time[s] + env->duration[env->at[s] * env->n + j], env->ready[j]);
        double leave = j ? begin + env->service[j] : env->ready[0];
        int others = 0, reached = 0;
        for (int32_t k = 1; k < env->n; k++) {
            if (env->visited[s * env->n + k] || k == j) continue;
            open += env->demand[k];
            others++;
            reached += leave + env->duration[j * env->n + k] <= env->due[k];
        }
        double lost = others ? (double)(others - reached) / others : 0.0;
        double waste = j ? fmax(0.0, room - (others ? reached * open / others : 0.0))
                         : d->capacity - env->load[s];
        assert_close((double)feature(env, phi, "lost", i), lost, 1e-5, 1e-5);
        assert_close((double)feature(env, phi, "waste", i), waste / d->capacity, 1e-5, 1e-5);
        double spare = (d->vehicles - env->used[s] - starts) + (room - open) / d->capacity;
        if (d->vehicles > 0) squashed(env, phi, "fleet", i, spare, 0.5);
        assert_true((feature(env, phi, "depot", i) == 1.0f) == (j == 0));
        double through = env->cost[env->at[s] * env->n] + env->cost[j];
        double saved = (through - env->cost[env->at[s] * env->n + j]) / d->unit;
        assert_close((double)feature(env, phi, "detour", i), fmax(-4.0, fmin(4.0, saved)), 1e-5,
                     1e-5);
    }
}

static void features_of_fleets_are_what_they_say(void **state)
{
    (void)state;
    for_all_decisions(prob_find("cvrptwlv"), look_at_fleets);
    for_all_decisions(prob_find("cvrptw"), look_at_fleets);
}

/* ---- units ---- */

static void features_do_not_depend_on_units(void **state)
{
    (void)state;
    ucpo_error err = {0};
    ucpo_instance *small = test_random_instance(prob_find("tsptw"), 12, SHAPE_GENERATED, 4);
    ucpo_instance *large = NULL;
    ucpo_instance_data d = small->data;
    double array[4][12];
    const double *from[4] = {d.x, d.y, d.ready, d.due};
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 12; i++) array[k][i] = 60.0 * from[k][i];
    d.x = array[0], d.y = array[1], d.ready = array[2], d.due = array[3];
    d.unit *= 60.0, d.tolerance *= 60.0;
    assert_ok(ucpo_instance_create(&d, &large, &err), &err);
    struct prob_env *a = bound_env(small), *b = bound_env(large);
    uint16_t list[11];
    float phi[2][FEATURES * MOST];
    for (int i = 0; i < 11; i++) list[i] = (uint16_t)(i + 1);
    decide(a, 0, list, 11, phi[0], MOST);
    decide(b, 0, list, 11, phi[1], MOST);
    for (int f = 0; f < a->ops->decision_features; f++)
        for (int i = 0; i < 11; i++)
            assert_close((double)phi[1][f * MOST + i], (double)phi[0][f * MOST + i], 1e-5, 1e-5);
    prob_env_free(a);
    prob_env_free(b);
    ucpo_instance_free(small);
    ucpo_instance_free(large);
}

/* ---- fewer candidates ---- */

/* Whether `node` is among them. */
static int is_listed(const uint16_t *list, int32_t count, int32_t node)
{
    for (int32_t i = 0; i < count; i++)
        if (list[i] == node) return 1;
    return 0;
}

static int32_t nearer_than(const struct prob_env *env, int32_t from, int32_t node)
{
    int32_t nearer = 0;
    for (int32_t j = 0; j < env->n; j++)
        nearer += env->cost[from * env->n + j] < env->cost[from * env->n + node];
    return nearer;
}

static void a_vehicle_under_way_decides_among_the_nearest(void **state)
{
    (void)state;

    enum { N = 301 };

    ucpo_instance *inst = test_random_instance(prob_find("cvrptw"), N, SHAPE_GENERATED, 5);
    struct prob_env *env = bound_env(inst);
    uint16_t list[N];
    int32_t action[SAMPLES] = {7, 0, 8};
    for (int32_t j = 0; j < N; j++) list[j] = (uint16_t)j;
    assert_int_equal(prob_env_narrow(env, 0, list, N), N); /* at the depot */
    prob_env_step(env, action);
    assert_int_equal(prob_env_narrow(env, 0, list, ENV_CHOICES), ENV_CHOICES);
    int32_t count = prob_env_narrow(env, 0, list, N);
    assert_in_range(count, ENV_CHOICES, ENV_CHOICES + 1); /* the depot may come on top */
    assert_int_equal(list[0], 0);
    for (int32_t i = 1; i < count; i++) assert_true(list[i] > list[i - 1]);
    for (int32_t j = 1; j < N; j++)
        assert_int_equal(is_listed(list, count, j), nearer_than(env, 7, j) < ENV_CHOICES);
    prob_env_free(env);
    ucpo_instance_free(inst);
}

static void who_is_as_near_as_the_last_stays_and_tours_keep_all(void **state)
{
    (void)state;

    enum { N = 201 };

    ucpo_error err = {0};
    ucpo_instance *tour = test_random_instance(prob_find("tsptw"), N, SHAPE_GENERATED, 6), *spot;
    ucpo_instance *fleet = test_random_instance(prob_find("cvrptw"), N, SHAPE_GENERATED, 6);
    ucpo_instance_data d = fleet->data;
    double place[N] = {0};
    d.x = d.y = place; /* everybody lives at the depot */
    assert_ok(ucpo_instance_create(&d, &spot, &err), &err);
    ucpo_instance *of[2] = {tour, spot};
    for (int k = 0; k < 2; k++) {
        struct prob_env *env = bound_env(of[k]);
        uint16_t list[N];
        int32_t action[SAMPLES] = {3, 3, 3};
        for (int32_t j = 0; j < N; j++) list[j] = (uint16_t)j;
        prob_env_step(env, action);
        assert_int_equal(prob_env_narrow(env, 1, list, N), N);
        prob_env_free(env);
        ucpo_instance_free(of[k]);
    }
    ucpo_instance_free(fleet);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(features_are_bounded_and_independent_of_the_list),
        cmocka_unit_test(features_of_windows_are_what_they_say),
        cmocka_unit_test(features_of_drafts_are_what_they_say),
        cmocka_unit_test(features_of_fleets_are_what_they_say),
        cmocka_unit_test(features_do_not_depend_on_units),
        cmocka_unit_test(a_vehicle_under_way_decides_among_the_nearest),
        cmocka_unit_test(who_is_as_near_as_the_last_stays_and_tours_keep_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
