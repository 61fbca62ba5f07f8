/* Rollout and replay: equal log-probabilities, every problem and mask; no allocation in between. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/kern.h"
#include "policy/policy.h"
#include "support/alloc.h"
#include "support/random_instance.h"
#include "support/shake_side.h"
#include "support/support.h"

enum { SAMPLES = 6, MOST = 2 * 40 };

struct setup {
    struct nn_model model;
    real *params, *grads;
    struct policy *policy;
    ucpo_instance *inst;
    int32_t actions[SAMPLES * MOST];
};

static struct setup prepare(const struct prob_ops *ops, int n, enum test_shape shape, int has_aux)
{
    struct setup s = {0};
    ucpo_error err = {0};
    struct nn_config base = nn_config_default();
    base.layers = 2, base.width = 32, base.heads = 4, base.hidden = 32, base.has_aux = has_aux;
    base.side_hidden = 8, base.side_glimpse = !has_aux, base.pair_features = 1;
    struct nn_config config = policy_config(ops, base);
    struct nn_model *model = malloc(sizeof *model);
    assert_ok(nn_model_init(model, &config, &err), &err);
    s.model = *model;
    free(model);
    s.params = malloc(s.model.total * sizeof(real));
    s.grads = calloc(s.model.total, sizeof(real));
    nn_params_init(&s.model, 5, s.params);
    shake_side(&s.model, s.params);
    s.inst = test_random_instance(ops, n, shape, 3);
    return s;
}

static void encode(struct setup *s, int n, int keep)
{
    ucpo_error err = {0};
    float xy[2 * 64];
    assert_ok(policy_create(&s->model, s->inst->ops, n, 2, SAMPLES, keep, &s->policy, &err), &err);
    geometry_image(&s->inst->data, 0, xy);
    policy_load(s->policy, 0, s->inst, xy);
    geometry_image(&s->inst->data, 5, xy);
    policy_load(s->policy, 1, s->inst, xy);
    policy_encode(s->policy, s->params, 2);
}

static void release(struct setup *s)
{
    policy_free(s->policy);
    ucpo_instance_free(s->inst);
    free(s->params);
    free(s->grads);
}

/* Decisions that were none, and what lies behind the end, stay as they were. */
static void rollouts_say_how_sure_they_were(void **state)
{
    (void)state;
    for (size_t p = 0; p < prob_registry_count; p++) {
        struct setup s = prepare(prob_registry[p], 20, SHAPE_GENERATED, 0);
        encode(&s, 20, 0);
        size_t most = (size_t)policy_max_steps(s.policy), decided = 0;
        real *prob = calloc(SAMPLES * most * 20, sizeof *prob), sure[SAMPLES * MOST];
        for (size_t i = 0; i < SAMPLES * most; i++) sure[i] = 7;
        int32_t steps[SAMPLES];
        struct policy_options o = policy_options_default();
        struct policy_result r = {.steps = steps, .sure = sure, .prob = prob};
        ucpo_error err = {0};
        assert_ok(policy_rollout(s.policy, 0, s.inst, &o, s.actions, &r, &err), &err);
        for (size_t i = 0; i < SAMPLES * most; i++) {
            real was = prob[i * 20 + (size_t)s.actions[i]];
            int is_over = (int)(i % most) >= steps[i / most];
            assert_true(sure[i] == 7 ? is_over || was == 1 : sure[i] == was);
            decided += sure[i] != 7;
        }
        assert_true(decided > SAMPLES * 10);
        free(prob);
        release(&s);
    }
}

static void samples_begin_as_they_are_told(void **state)
{
    (void)state;
    for (size_t p = 0; p < prob_registry_count; p++) {
        struct setup s = prepare(prob_registry[p], 20, SHAPE_GENERATED, 0);
        encode(&s, 20, 0);
        int most = policy_max_steps(s.policy), changed = 0;
        struct policy_options o = policy_options_default();
        double f[SAMPLES], v[SAMPLES], again[SAMPLES];
        int32_t steps[SAMPLES], kept[SAMPLES], until[SAMPLES], begun[SAMPLES * MOST];
        uint8_t differs[SAMPLES] = {0};
        struct policy_result r = {.objective = f, .violation = v, .steps = steps};
        ucpo_error err = {0};
        assert_ok(policy_rollout(s.policy, 0, s.inst, &o, s.actions, &r, &err), &err);
        memcpy(begun, s.actions, (size_t)(SAMPLES * most) * sizeof *begun);
        memcpy(again, f, sizeof f);
        for (int k = 0; k < SAMPLES; k++) {
            kept[k] = k == 0 ? steps[0] : k % steps[k];
            until[k] = most;
        }
        o.begun = begun, o.kept = kept, o.until = until, o.differs = differs, o.seed = 77;
        assert_ok(policy_rollout(s.policy, 1, s.inst, &o, s.actions, &r, &err), &err);
        assert_true(f[0] == again[0]); /* nothing left to decide */
        for (int k = 0; k < SAMPLES; k++) {
            const int32_t *was = begun + k * most, *is = s.actions + k * most;
            assert_memory_equal(was, is, (size_t)kept[k] * sizeof *is);
            changed += memcmp(was, is, (size_t)most * sizeof *is) != 0;
        }
        assert_true(changed > SAMPLES / 2);
        release(&s);
    }
}

/* What stood before and behind a part stays, the part holds the same nodes, and begins otherwise if
 * that is asked for. */
static void a_part_of_a_tour_can_be_decided_again(void **state)
{
    (void)state;

    enum { N = 20, FROM = 5, TO = 11 };

    for (size_t p = 0; p < prob_registry_count; p++) {
        if (prob_registry[p]->max_vehicles != 1) continue;
        for (int mask = 0; mask <= PROB_MASK_LOOKAHEAD_OWN; mask++) {
            struct setup s = prepare(prob_registry[p], N, SHAPE_GENERATED, 0);
            encode(&s, N, 0);
            int most = policy_max_steps(s.policy), other = 0;
            struct policy_options o = policy_options_default();
            int32_t kept[SAMPLES], until[SAMPLES], begun[SAMPLES * MOST];
            uint8_t differs[SAMPLES];
            struct policy_result r = {0};
            ucpo_error err = {0};
            o.mask = (enum prob_mask)mask;
            assert_ok(policy_rollout(s.policy, 0, s.inst, &o, s.actions, &r, &err), &err);
            memcpy(begun, s.actions, (size_t)(SAMPLES * most) * sizeof *begun);
            for (int k = 0; k < SAMPLES; k++)
                kept[k] = FROM, until[k] = TO, differs[k] = (uint8_t)(k % 2);
            o.begun = begun, o.kept = kept, o.until = until, o.differs = differs, o.seed = 77;
            assert_ok(policy_rollout(s.policy, 0, s.inst, &o, s.actions, &r, &err), &err);
            for (int k = 0; k < SAMPLES; k++) {
                const int32_t *was = begun + k * most, *is = s.actions + k * most;
                int sum = 0;
                for (int t = 0; t < most; t++) {
                    if (t < FROM || t >= TO) assert_int_equal(was[t], is[t]);
                    sum += (1 << is[t]) - (1 << was[t]); /* 20 nodes: a set as bits */
                }
                assert_int_equal(sum, 0);
                other += differs[k] && was[FROM] != is[FROM];
            }
            /* the look-ahead may leave no other choice */
            if (o.mask == PROB_MASK_SOFT) assert_int_equal(other, SAMPLES / 2);
            release(&s);
        }
    }
}

static void replay_gives_the_log_probabilities_of_the_rollout(void **state)
{
    (void)state;
    for (size_t p = 0; p < prob_registry_count; p++) {
        for (int mask = 0; mask <= PROB_MASK_LOOKAHEAD_OWN; mask++) {
            for (int forced = 0; forced < 2; forced++) {
                struct setup s = prepare(prob_registry[p], 20, SHAPE_GENERATED, 0);
                encode(&s, 20, 1);
                struct policy_options o = policy_options_default();
                o.mask = (enum prob_mask)mask, o.has_forced_start = forced, o.seed = 9;
                double logp[2][SAMPLES], f[2][SAMPLES], v[2][SAMPLES];
                int32_t steps[2][SAMPLES];
                struct policy_result r0 = {logp[0], f[0], v[0], steps[0], NULL, NULL, NULL, NULL},
                                     r1 = {logp[1], f[1], v[1], steps[1], NULL, NULL, NULL, NULL};
                assert_int_equal(policy_rollout(s.policy, 0, s.inst, &o, s.actions, &r0, NULL),
                                 UCPO_OK);
                assert_int_equal(
                    policy_replay(s.policy, 0, s.inst, &o, s.actions, SAMPLES, NULL, &r1, NULL),
                    UCPO_OK);
                for (int i = 0; i < SAMPLES; i++) {
                    assert_true(logp[0][i] < 0);
                    assert_close(logp[1][i], logp[0][i], 1e-12, 0);
                    assert_close(f[1][i], f[0][i], 0, 0);
                    assert_close(v[1][i], v[0][i], 0, 0);
                    assert_int_equal(steps[0][i], steps[1][i]);
                    ucpo_evaluation e;
                    int most = policy_max_steps(s.policy);
                    ucpo_check(s.inst, s.actions + i * most, (size_t)steps[0][i], &e, NULL, 0, NULL,
                               0, NULL);
                    assert_close(e.cost / s.inst->data.unit, f[0][i], 1e-12, 0);
                    assert_int_equal(e.missing, 0);
                }
                if (forced && s.inst->ops->max_vehicles == 1)
                    for (int i = 0; i < SAMPLES; i++)
                        assert_int_equal(s.actions[i * policy_max_steps(s.policy)], i + 1);
                release(&s);
            }
        }
    }
}

/* Vehicles under way choose among the nearest: replay does as the rollout did, and a leg to a customer that
 * is far but allowed is not outside the mask. */
static void large_fleets_are_replayed_and_may_go_far(void **state)
{
    (void)state;

    enum { N = 251 };
    struct setup s = prepare(prob_find("cvrp"), N, SHAPE_GENERATED, 0);
    ucpo_error err = {0};
    float xy[2 * N];
    assert_ok(policy_create(&s.model, s.inst->ops, N, 1, 3, 1, &s.policy, &err), &err);
    geometry_image(&s.inst->data, 0, xy);
    policy_load(s.policy, 0, s.inst, xy);
    policy_encode(s.policy, s.params, 1);
    int most = policy_max_steps(s.policy);
    int32_t *actions = calloc((size_t)(3 * most), sizeof *actions), outside[3] = {0};
    double logp[2][3];
    struct policy_options o = policy_options_default();
    struct policy_result drawn = {.log_prob = logp[0]};
    struct policy_result replayed = {.log_prob = logp[1], .outside = outside};
    assert_ok(policy_rollout(s.policy, 0, s.inst, &o, actions, &drawn, &err), &err);
    assert_ok(policy_replay(s.policy, 0, s.inst, &o, actions, 3, NULL, &replayed, &err), &err);
    for (int i = 0; i < 3; i++) assert_close(logp[1][i], logp[0][i], 1e-12, 0);
    int32_t far = 1;
    for (int32_t j = 2; j < N; j++)
        if (ucpo_instance_cost(s.inst, 1, j) > ucpo_instance_cost(s.inst, 1, far)) far = j;
    int t = 0; /* 1, then the farthest from it, home; all others for themselves */
    memset(actions, 0, (size_t)most * sizeof *actions);
    actions[t++] = 1, actions[t++] = far, t++;
    for (int32_t j = 2; j < N; j++)
        if (j != far) actions[t++] = j, t++;
    outside[0] = 0;
    assert_ok(policy_replay(s.policy, 0, s.inst, &o, actions, 1, NULL, &replayed, &err), &err);
    assert_int_equal(outside[0], 0);
    assert_true(isfinite(logp[1][0]) && logp[1][0] < 0);
    free(actions);
    release(&s);
}

static void a_cut_score_ends_with_the_decision_that_dooms(void **state)
{
    (void)state;
    for (size_t p = 0; p < prob_registry_count; p++) {
        struct setup s = prepare(prob_registry[p], 20, SHAPE_GENERATED, 0);
        encode(&s, 20, 1);
        struct policy_options o = policy_options_default();
        o.seed = 9;
        double logp[3][SAMPLES], f[SAMPLES], v[SAMPLES];
        int32_t steps[SAMPLES], counted[3][SAMPLES];
        struct policy_result full = {logp[0], f, v, steps, counted[0], NULL, NULL, NULL},
                             cut = {logp[1], f, v, steps, counted[1], NULL, NULL, NULL},
                             again = {logp[2], f, v, steps, counted[2], NULL, NULL, NULL};
        assert_int_equal(policy_rollout(s.policy, 0, s.inst, &o, s.actions, &full, NULL), UCPO_OK);
        o.is_cut = 1;
        assert_int_equal(policy_rollout(s.policy, 0, s.inst, &o, s.actions, &cut, NULL), UCPO_OK);
        assert_int_equal(
            policy_replay(s.policy, 0, s.inst, &o, s.actions, SAMPLES, NULL, &again, NULL),
            UCPO_OK);
        for (int i = 0; i < SAMPLES; i++) {
            assert_int_equal(counted[0][i], steps[i]);
            assert_int_equal(counted[1][i], counted[2][i]);
            assert_close(logp[2][i], logp[1][i], 1e-12, 0);
            if (v[i] == 0) assert_close(logp[1][i], logp[0][i], 0, 0);
            if (counted[1][i] < steps[i]) assert_true(v[i] > 0 && logp[1][i] > logp[0][i]);
        }
        /* no customer decided after the cut gets a gradient: only the first `counted` rows count */
        double weight[SAMPLES] = {1};
        policy_encode(s.policy, s.params, 2);
        assert_int_equal(
            policy_replay(s.policy, 0, s.inst, &o, s.actions, SAMPLES, weight, &again, NULL),
            UCPO_OK);
        const struct kern_tables *g = &s.policy->decoder.gradient[0];
        for (int t = counted[1][0]; t < steps[0]; t++) {
            size_t from = (size_t)s.actions[t - 1];
            if (from == 0) continue;
            for (size_t k = 0; k < 20u * (size_t)g->lanes; k++)
                assert_true(g->score[from * 20u * (size_t)g->lanes + k] == 0);
        }
        release(&s);
    }
}

/* All numbers of the first slot's table gradients one after the other; returns how many. */
static size_t copy_gradient(const struct setup *s, real *to)
{
    const struct kern_tables *g = &s->policy->decoder.gradient[0];
    size_t n = (size_t)g->n, rows = n * (size_t)g->width, scores = n * n * (size_t)g->lanes;
    memcpy(to, g->score, scores * sizeof(real));
    memcpy(to + scores, g->value, rows * sizeof(real));
    memcpy(to + scores + rows, g->key, rows * sizeof(real));
    return scores + 2 * rows;
}

static void the_tape_gives_the_gradient_of_a_replay(void **state)
{
    (void)state;
    static real a[64 * 1024], b[64 * 1024];
    for (size_t p = 0; p < prob_registry_count; p++) {
        for (int is_cut = 0; is_cut < 2; is_cut++) {
            struct setup s = prepare(prob_registry[p], 20, SHAPE_GENERATED, 0);
            encode(&s, 20, 1);
            struct policy_options o = policy_options_default();
            o.seed = 9, o.is_cut = is_cut;
            struct policy_result none = {0};
            double weight[SAMPLES];
            for (int i = 0; i < SAMPLES; i++) weight[i] = i % 3 - 1; /* some are 0 */
            assert_int_equal(policy_rollout(s.policy, 0, s.inst, &o, s.actions, &none, NULL),
                             UCPO_OK);
            assert_true(policy_is_on_tape(s.policy));
            policy_learn(s.policy, 0, weight);
            size_t count = copy_gradient(&s, a);
            assert_true(count <= sizeof a / sizeof a[0]);
            policy_encode(s.policy, s.params, 2); /* clears */
            assert_int_equal(
                policy_replay(s.policy, 0, s.inst, &o, s.actions, SAMPLES, weight, &none, NULL),
                UCPO_OK);
            assert_false(policy_is_on_tape(s.policy));
            copy_gradient(&s, b);
            double size = 0;
            for (size_t i = 0; i < count; i++) size += fabs((double)b[i]);
            assert_true(size > 0);
            for (size_t i = 0; i < count; i++)
                assert_close((double)a[i], (double)b[i], 1e-3, 1e-4 * size / (double)count + 1e-6);
            release(&s);
        }
    }
}

static void the_predicted_mask_falls_back_and_is_replayed(void **state)
{
    (void)state;
    struct setup s = prepare(prob_find("tsptw"), 20, SHAPE_GENERATED, 1);
    encode(&s, 20, 1);
    struct setup other = prepare(prob_find("tsptw"), 20, SHAPE_GENERATED, 1);
    encode(&other, 20, 0);
    struct policy_options o = policy_options_default();
    o.predictor = other.policy;
    double logp[2][SAMPLES];
    struct policy_result r0 = {.log_prob = logp[0]}, r1 = {.log_prob = logp[1]};
    assert_int_equal(policy_rollout(s.policy, 0, s.inst, &o, s.actions, &r0, NULL), UCPO_OK);
    assert_int_equal(policy_replay(s.policy, 0, s.inst, &o, s.actions, SAMPLES, NULL, &r1, NULL),
                     UCPO_OK);
    for (int i = 0; i < SAMPLES; i++) assert_close(logp[1][i], logp[0][i], 1e-12, 0);
    o.predictor = NULL; /* the prediction did change something */
    assert_int_equal(policy_replay(s.policy, 0, s.inst, &o, s.actions, SAMPLES, NULL, &r1, NULL),
                     UCPO_OK);
    double difference = 0;
    for (int i = 0; i < SAMPLES; i++) difference += fabs(logp[1][i] - logp[0][i]);
    assert_true(difference > 1e-3);
    release(&s);
    release(&other);
}

static void any_trajectory_can_be_replayed_and_impossible_ones_are_refused(void **state)
{
    (void)state;
    struct setup s = prepare(prob_find("tsptw"), 12, SHAPE_GENERATED, 0);
    encode(&s, 12, 1);
    struct policy_options o = policy_options_default();
    o.mask = PROB_MASK_LOOKAHEAD_OWN; /* the identity order will leave this mask */
    int most = policy_max_steps(s.policy);
    for (int t = 0; t < most; t++) s.actions[t] = t + 1;
    double logp[SAMPLES], weight[SAMPLES] = {1.0};
    struct policy_result r = {.log_prob = logp};
    ucpo_error err = {0};
    assert_ok(policy_replay(s.policy, 0, s.inst, &o, s.actions, 1, weight, &r, &err), &err);
    assert_true(isfinite(logp[0]) && logp[0] < 0);
    s.actions[3] = 2; /* visited twice */
    assert_int_equal(policy_replay(s.policy, 0, s.inst, &o, s.actions, 1, NULL, &r, &err),
                     UCPO_E_ARGUMENT);
    assert_non_null(strstr(err.text, "trajectory 0, step 3: node 2"));
    s.actions[3] = 99;
    assert_int_equal(policy_replay(s.policy, 0, s.inst, &o, s.actions, 1, NULL, &r, &err),
                     UCPO_E_ARGUMENT);
    s.actions[3] = 0;
    assert_int_equal(policy_replay(s.policy, 0, s.inst, &o, s.actions, 1, NULL, &r, &err),
                     UCPO_E_ARGUMENT);
    release(&s);
}

static void sampling_follows_the_probabilities(void **state)
{
    (void)state;
    struct setup s = prepare(prob_find("tsptw"), 6, SHAPE_GENERATED, 0);
    encode(&s, 6, 1);
    int most = policy_max_steps(s.policy), hits[6] = {0};
    struct policy_options o = policy_options_default();
    double logp[SAMPLES];
    struct policy_result r = {.log_prob = logp};
    for (uint64_t round = 0; round < 4000; round++) {
        o.index = round;
        policy_rollout(s.policy, 0, s.inst, &o, s.actions, &r, NULL);
        for (int i = 0; i < SAMPLES; i++) hits[s.actions[i * most]]++;
    }
    /* probability of the first customer = sum over the orders of the rest of exp(log_prob) */
    double expected[6] = {0}, total = 0;
    int32_t order[5] = {1, 2, 3, 4, 5};
    for (int code = 0; code < 3125; code++) {
        int used = 0, c = code;
        for (int t = 0; t < 5; t++, c /= 5) order[t] = c % 5 + 1, used |= 1 << order[t];
        if (used != 62) continue;
        policy_replay(s.policy, 0, s.inst, &o, order, 1, NULL, &r, NULL);
        expected[order[0]] += exp(logp[0]);
        total += exp(logp[0]);
    }
    assert_close(total, 1, 1e-5, 0);
    for (int j = 1; j < 6; j++) assert_close(hits[j] / (4000.0 * SAMPLES), expected[j], 0, 0.012);
    release(&s);
}

static void greedy_takes_the_likeliest_and_heat_flattens(void **state)
{
    (void)state;
    struct setup s = prepare(prob_find("tsptw"), 20, SHAPE_GENERATED, 0);
    encode(&s, 20, 1);
    int most = policy_max_steps(s.policy);
    struct policy_options o = policy_options_default();
    double logp[3][SAMPLES];
    struct policy_result r[3] = {
        {.log_prob = logp[0]}, {.log_prob = logp[1]}, {.log_prob = logp[2]}};
    o.is_greedy = 1;
    policy_rollout(s.policy, 0, s.inst, &o, s.actions, &r[0], NULL);
    for (int i = 1; i < SAMPLES; i++)
        assert_memory_equal(s.actions, s.actions + i * most, (size_t)most * sizeof(int32_t));
    o.is_greedy = 0, o.temperature = 100;
    policy_rollout(s.policy, 0, s.inst, &o, s.actions, &r[1], NULL);
    double uniform = 0;
    for (int k = 2; k <= 19; k++) uniform -= log(k);
    for (int i = 0; i < SAMPLES; i++) assert_close(logp[1][i], uniform, 0.05, 0);
    assert_true(logp[0][0] > logp[1][0]);
    release(&s);
}

static int is_feasible(const struct setup *s, const int32_t *actions)
{
    ucpo_evaluation e;
    size_t len = (size_t)policy_max_steps(s->policy);
    while (len > 0 && actions[len - 1] == 0) len--;
    assert_int_equal(ucpo_check(s->inst, actions, len, &e, NULL, 0, NULL, 0, NULL), UCPO_OK);
    return e.is_feasible;
}

/* Hard windows have a feasible tour; an untrained greedy policy misses some of them. */
static void stepping_back_finds_feasible_tours(void **state)
{
    (void)state;
    int plain = 0, searched = 0, count = 0;
    ucpo_error err = {0};
    for (size_t p = 0; p < prob_registry_count; p++) {
        ucpo_generate_config g = ucpo_generate_config_default();
        ucpo_dataset *set = NULL;
        int is_tsptw = strcmp(prob_registry[p]->info.name, "tsptw") == 0;
        g.problem = prob_registry[p]->info.name, g.level = is_tsptw ? "hard" : NULL;
        g.size = prob_registry[p]->info.depot_is_extra ? 19 : 20, g.count = 10;
        assert_ok(ucpo_generate(&g, &set, &err), &err);
        for (size_t i = 0; i < g.count; i++) {
            struct setup s = prepare(prob_registry[p], 20, SHAPE_GENERATED, 0);
            ucpo_instance_free(s.inst);
            assert_ok(ucpo_instance_create(&ucpo_dataset_at(set, i)->data, &s.inst, &err), &err);
            encode(&s, 20, 0);
            struct policy_options o = policy_options_default();
            double f = -1, v = -1;
            struct policy_result r = {.objective = &f, .violation = &v};
            int is_found = 0, again = 0;
            o.is_greedy = 1, o.mask = PROB_MASK_LOOKAHEAD, s.policy->samples = 1;
            assert_ok(policy_rollout(s.policy, 0, s.inst, &o, s.actions, &r, &err), &err);
            int is_good = is_feasible(&s, s.actions);
            o.is_bound = 1;
            assert_ok(
                policy_backtrack(s.policy, 0, s.inst, &o, 2000, s.actions, &is_found, &r, &err),
                &err);
            if (is_good) assert_true(is_found); /* and it is the greedy one */
            if (is_found) assert_true(is_feasible(&s, s.actions) && v == 0 && f > 0);
            assert_ok(policy_backtrack(s.policy, 0, s.inst, &o, 1, s.actions, &again, &r, &err),
                      &err);
            assert_false(again); /* one decision is not enough */
            plain += is_tsptw && is_good, searched += is_tsptw && is_found, count += is_tsptw;
            release(&s);
        }
        ucpo_dataset_free(set);
    }
    assert_true(plain < searched && searched == count);
}

static void slots_hold_different_images_of_the_instance(void **state)
{
    (void)state;
    struct setup s = prepare(prob_find("cvrptw"), 20, SHAPE_GENERATED, 0);
    encode(&s, 20, 1);
    struct policy_options o = policy_options_default();
    double logp[2][SAMPLES];
    struct policy_result r0 = {.log_prob = logp[0]}, r1 = {.log_prob = logp[1]};
    policy_rollout(s.policy, 0, s.inst, &o, s.actions, &r0, NULL);
    policy_replay(s.policy, 1, s.inst, &o, s.actions, SAMPLES, NULL, &r1, NULL);
    assert_true(fabs(logp[0][0] - logp[1][0]) > 1e-6);
    release(&s);
}

static const real *phi_of(const struct policy *p, int slot, size_t *count)
{
    size_t n = (size_t)p->n, line = (size_t)p->kern->line, stride = (n + line - 1) / line * line;
    *count = (size_t)p->model->config.pair_features * n * stride;
    return p->encoder.pairs.phi + (size_t)slot * *count;
}

static size_t encoded_size(const struct policy *p)
{
    return (size_t)(p->n * p->model->config.width) * sizeof(real);
}

/* Loaded one by one or as images of the first: the same to the bit. */
static void all_images_have_the_same_pairs(void **state)
{
    (void)state;

    enum { N = 21, IMAGES = 8 };

    for (size_t p = 0; p < prob_registry_count; p++) {
        struct setup s = prepare(prob_registry[p], N, SHAPE_GENERATED, 0);
        struct policy *both[2];
        ucpo_error err = {0};
        float xy[2 * N];
        for (int k = 0; k < 2; k++) {
            assert_ok(policy_create(&s.model, s.inst->ops, N, IMAGES, 1, 0, &both[k], &err), &err);
            for (int b = 0; b < IMAGES; b++) {
                geometry_image(&s.inst->data, b, xy);
                if (k == 0 || b == 0)
                    policy_load(both[k], b, s.inst, xy);
                else
                    policy_load_image(both[k], b, b - 1, s.inst, xy);
            }
            policy_encode(both[k], s.params, IMAGES);
        }
        size_t count, rows = encoded_size(both[0]) / sizeof(real);
        const real *first = phi_of(both[0], 0, &count);
        const real *h[2] = {both[0]->encoder.h[2], both[1]->encoder.h[2]};
        assert_true(count > 0);
        for (int b = 1; b < IMAGES; b++) {
            assert_memory_equal(phi_of(both[0], b, &count), first, count * sizeof(real));
            assert_memory_not_equal(h[0] + (size_t)b * rows, h[0], rows * sizeof(real));
        }
        assert_memory_equal(h[1], h[0], IMAGES * rows * sizeof(real));
        geometry_image(&s.inst->data, 5, xy); /* the same slot again */
        policy_load_image(both[1], 0, 0, s.inst, xy);
        policy_encode(both[1], s.params, 1);
        assert_memory_equal(h[1], h[0] + 5 * rows, rows * sizeof(real));
        policy_free(both[0]), policy_free(both[1]);
        release(&s);
    }
}

/* A matrix and its transpose, shown at the same places. */
static void the_way_back_is_heard(void **state)
{
    (void)state;

    enum { N = 10 };
    struct setup s = prepare(prob_find("tsptw"), N, SHAPE_MATRIX, 0);
    ucpo_error err = {0};
    ucpo_instance_data d = s.inst->data;
    double turned[N * N];
    float xy[2 * N] = {0};
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) turned[i * N + j] = d.cost[j * N + i];
    d.cost = turned;
    ucpo_instance *other = NULL;
    assert_ok(ucpo_instance_create(&d, &other, &err), &err);
    assert_ok(policy_create(&s.model, s.inst->ops, N, 3, 1, 0, &s.policy, &err), &err);
    policy_load(s.policy, 0, s.inst, xy);
    policy_load(s.policy, 1, other, xy);
    policy_load(s.policy, 2, s.inst, xy);
    policy_encode(s.policy, s.params, 3);
    size_t size = encoded_size(s.policy), rows = size / sizeof(real);
    const real *h = s.policy->encoder.h[2];
    assert_memory_not_equal(h + rows, h, size);
    assert_memory_equal(h + 2 * rows, h, size);
    ucpo_instance_free(other);
    release(&s);
}

static int is_asked(void *context)
{
    int *left = context;
    return (*left)-- <= 0;
}

/* Of many large instances the features are not kept but filled in again for each layer; and who was
 * interrupted in between begins anew. */
static void pairs_of_large_instances_come_in_parts(void **state)
{
    (void)state;

    enum { N = 301, MANY = 12 };
    struct setup s = prepare(prob_find("tsptw"), N, SHAPE_GENERATED, 0);
    struct policy *one = NULL, *many = NULL;
    ucpo_error err = {0};
    float *xy = calloc((size_t)2 * N, sizeof *xy);
    geometry_image(&s.inst->data, 0, xy);
    assert_ok(policy_create(&s.model, s.inst->ops, N, 1, 1, 0, &one, &err), &err);
    assert_ok(policy_create(&s.model, s.inst->ops, N, MANY, 1, 0, &many, &err), &err);
    assert_int_equal(one->encoder.pairs.rows, N);
    assert_int_equal(many->encoder.pairs.rows, NN_STOP_ROWS);
    policy_load(one, 0, s.inst, xy);
    int left = 3;
    struct stop stop = {.ask = is_asked, .user = &left};
    one->encoder.stop = &stop;
    nn_encoder_forward(&one->encoder, s.params, 1);
    assert_int_equal(one->encoder.pairs.full[0], 0);
    one->encoder.stop = NULL;
    policy_encode(one, s.params, 1);
    assert_int_equal(one->encoder.pairs.full[0], 1);
    for (int b = 0; b < 2; b++) policy_load(many, b, s.inst, xy);
    policy_load_image(many, 2, 1, s.inst, xy);
    policy_encode(many, s.params, MANY); /* others are empty */
    size_t size = encoded_size(one);
    for (size_t b = 0; b < 3; b++)
        assert_memory_equal(many->encoder.h[2] + b * size / sizeof(real), one->encoder.h[2], size);
    policy_free(one), policy_free(many);
    free(xy);
    release(&s);
}

static void rollout_replay_and_backward_do_not_allocate(void **state)
{
    (void)state;
    struct setup s = prepare(prob_find("cvrptwlv"), 20, SHAPE_GENERATED, 0);
    encode(&s, 20, 1);
    struct policy_options o = policy_options_default();
    o.mask = PROB_MASK_LOOKAHEAD;
    double logp[SAMPLES], weight[SAMPLES] = {1, -1, 0.5, 0, 1e-9, 2};
    struct policy_result r = {.log_prob = logp};
    assert_int_equal(policy_drop_negligible(weight, SAMPLES, 1e-3), 4);
    size_t before = 0;
    for (int round = 0; round < 3; round++) {
        if (round == 1) before = test_alloc_calls; /* round 0 may warm up foreign libraries */
        policy_encode(s.policy, s.params, 2);
        policy_rollout(s.policy, 0, s.inst, &o, s.actions, &r, NULL);
        policy_replay(s.policy, 0, s.inst, &o, s.actions, SAMPLES, weight, &r, NULL);
        policy_backward(s.policy, s.params, s.grads, 2);
    }
    size_t allocations = test_alloc_calls - before;
    assert_true(test_alloc_calls > 0); /* the counter counts */
    assert_int_equal(allocations, 0);
    double sum = 0;
    for (size_t i = 0; i < s.model.total; i++) sum += fabs((double)s.grads[i]);
    assert_true(sum > 0 && isfinite(sum));
    release(&s);
}

static void a_network_of_another_problem_is_refused(void **state)
{
    (void)state;
    struct setup s = prepare(prob_find("tsptw"), 10, SHAPE_GENERATED, 0);
    ucpo_error err = {0};
    assert_int_equal(policy_create(&s.model, prob_find("cvrptw"), 10, 1, 1, 0, &s.policy, &err),
                     UCPO_E_MISMATCH);
    assert_non_null(strstr(err.text, "cvrptw"));
    assert_null(s.policy);
    release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rollouts_say_how_sure_they_were),
        cmocka_unit_test(samples_begin_as_they_are_told),
        cmocka_unit_test(a_part_of_a_tour_can_be_decided_again),
        cmocka_unit_test(replay_gives_the_log_probabilities_of_the_rollout),
        cmocka_unit_test(large_fleets_are_replayed_and_may_go_far),
        cmocka_unit_test(a_cut_score_ends_with_the_decision_that_dooms),
        cmocka_unit_test(the_tape_gives_the_gradient_of_a_replay),
        cmocka_unit_test(the_predicted_mask_falls_back_and_is_replayed),
        cmocka_unit_test(any_trajectory_can_be_replayed_and_impossible_ones_are_refused),
        cmocka_unit_test(sampling_follows_the_probabilities),
        cmocka_unit_test(greedy_takes_the_likeliest_and_heat_flattens),
        cmocka_unit_test(stepping_back_finds_feasible_tours),
        cmocka_unit_test(slots_hold_different_images_of_the_instance),
        cmocka_unit_test(all_images_have_the_same_pairs),
        cmocka_unit_test(the_way_back_is_heard),
        cmocka_unit_test(pairs_of_large_instances_come_in_parts),
        cmocka_unit_test(rollout_replay_and_backward_do_not_allocate),
        cmocka_unit_test(a_network_of_another_problem_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
