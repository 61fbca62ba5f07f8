/* tests/data/pomo_forward_fixture.txt: numbers of the reference PyTorch modules for weights given
 * by a formula. What needs the LKH tour is checked where ../shared is present. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/kern.h"
#include "policy/policy.h"
#include "support/support.h"

enum { N = 50, MOST = N - 1 };

/* One block of the file: "[TSPTW n=50 medium instance 0] model=POMO mask=visited" and what follows.
 */
struct block {
    int is_tspdl, has_aux, is_lookahead;
    double sum, abs_sum, first[4], last[4]; /* of the encoder's output */
    double prob[6];                         /* nodes 1 .. 6 at the first decision */
    double log_pi, step[4];
    double length, violation, late_nodes;
    double aux[6]; /* nodes 0 .. 5 at the first decision */
    char name[90][64];
    double norm[90];
    int norms;
};

struct fixture {
    struct block block[8];
    int blocks;
};

/* ---- reading ---- */

/* `count` numbers after `key` (and an opening bracket) in `line`; returns 0 if key is absent. */
static int numbers_after(const char *line, const char *key, double *out, int count)
{
    const char *at = strstr(line, key);
    if (!at) return 0;
    at += strlen(key);
    while (*at == ' ' || *at == '[') at++;
    for (int i = 0; i < count; i++) {
        char *end = NULL;
        out[i] = strtod(at, &end);
        assert_ptr_not_equal(end, at);
        at = end;
    }
    return 1;
}

static void read_line(struct fixture *f, const char *line)
{
    if (line[0] == '[') {
        assert_in_range(f->blocks, 0, 7);
        struct block *b = &f->block[f->blocks++];
        b->is_tspdl = strncmp(line, "[TSPDL", 6) == 0;
        b->has_aux = strstr(line, "model=PIP-D") != NULL;
        b->is_lookahead = strstr(line, "visited+PIP") != NULL;
        assert_non_null(strstr(line, "n=50 medium instance 0"));
        return;
    }
    if (f->blocks == 0) return;
    struct block *b = &f->block[f->blocks - 1];
    numbers_after(line, "sum(enc)=", &b->sum, 1);
    numbers_after(line, "sum(|enc|)=", &b->abs_sum, 1);
    numbers_after(line, "enc[0][0:4]=", b->first, 4);
    numbers_after(line, "enc[49][124:128]=", b->last, 4);
    numbers_after(line, "probs of nodes 1..6:", b->prob, 6);
    numbers_after(line, "log pi(LKH tour) =", &b->log_pi, 1);
    numbers_after(line, "step log-probs 1..4 =", b->step, 4);
    numbers_after(line, "env: length=", &b->length, 1);
    numbers_after(line, "total_violation=", &b->violation, 1);
    numbers_after(line, "violated_nodes=", &b->late_nodes, 1);
    numbers_after(line, "first decision nodes 0..5:", b->aux, 6);
    if (sscanf(line, "    %63s %lf", b->name[b->norms], &b->norm[b->norms]) == 2 &&
        (strncmp(line, "    encoder.", 12) == 0 || strncmp(line, "    decoder.", 12) == 0))
        b->norms++;
}

static struct fixture *read_fixture(void)
{
    char path[512], *save = NULL;
    char *text =
        test_read_file(test_data_path(path, sizeof path, "pomo_forward_fixture.txt"), NULL);
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(text);
    assert_non_null(f);
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        read_line(f, line);
    free(text);
    assert_int_equal(f->blocks, 6);
    assert_int_equal(f->block[0].norms, 85);
    assert_int_equal(f->block[3].norms, 85);
    return f;
}

/* ---- the model of a block ---- */

struct world {
    struct nn_model model;
    struct policy *policy;
    ucpo_dataset *set;
    const ucpo_instance *inst;
    real *params, *grads, *prob;
    int32_t tour[MOST];
    double log_prob, objective, violation;
};

static double formula(int tensor, size_t j)
{
    double s = sin(12.9898 * (tensor + 1) + 78.233 * (double)j + 0.37 * (double)((j * j) % 1013));
    return s;
}

static void fill_params(const struct nn_model *m, real *params)
{
    for (int p = 0; p < m->tensors; p++) {
        const struct nn_tensor *t = &m->tensor[p];
        for (size_t j = 0; j < t->count; j++) {
            double s = formula(p, j), value = 0.05 * s;
            if (t->rank == 2) value = 0.8 * s / sqrt((double)t->shape[1]);
            if (strstr(t->name, "norm.weight")) value = 1.0 + 0.1 * s;
            if (strstr(t->name, "norm.bias")) value = 0.1 * s;
            params[t->offset + j] = (real)value;
        }
    }
}

static struct world *set_up(const struct block *b)
{
    ucpo_error err = {0};
    struct world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    const struct prob_ops *ops = prob_find(b->is_tspdl ? "tspdl" : "tsptw");
    struct nn_config config = policy_config(ops, nn_config_default());
    config.has_aux = b->has_aux;
    assert_ok(nn_model_init(&w->model, &config, &err), &err);
    assert_int_equal(w->model.tensors, b->has_aux ? 90 : 85);
    assert_int_equal(w->model.total, b->has_aux ? 1319552 : 1253760);
    const char *preset = b->is_tspdl ? "tspdl50_medium" : "tsptw50_medium";
    assert_ok(ucpo_generate_preset(preset, 0, 1, &w->set, &err), &err);
    w->inst = ucpo_dataset_at(w->set, 0);
    w->params = calloc(w->model.total, sizeof(real));
    w->grads = calloc(w->model.total, sizeof(real));
    w->prob = calloc((size_t)MOST * N, sizeof(real));
    assert_true(w->params && w->grads && w->prob);
    fill_params(&w->model, w->params);
    assert_ok(policy_create(&w->model, ops, N, 1, 1, 1, &w->policy, &err), &err);
    float xy[2 * N];
    geometry_image(&w->inst->data, 0, xy);
    policy_load(w->policy, 0, w->inst, xy);
    policy_encode(w->policy, w->params, 1);
    for (int i = 0; i < MOST; i++) w->tour[i] = i + 1;
    return w;
}

static void tear_down(struct world *w)
{
    policy_free(w->policy);
    ucpo_dataset_free(w->set);
    free(w->params);
    free(w->grads);
    free(w->prob);
    free(w);
}

/* Follows w->tour under the block's mask: fills w's results, adds weight * gradient. */
static void follow_tour(struct world *w, const struct block *b, double weight)
{
    ucpo_error err = {0};
    struct policy_options options = policy_options_default();
    options.mask = b->is_lookahead ? PROB_MASK_LOOKAHEAD : PROB_MASK_SOFT;
    struct policy_result result = {.log_prob = &w->log_prob,
                                   .objective = &w->objective,
                                   .violation = &w->violation,
                                   .prob = w->prob};
    assert_ok(policy_replay(w->policy, 0, w->inst, &options, w->tour, 1, &weight, &result, &err),
              &err);
}

/* ---- tests ---- */

static void encoder_output_is_the_reference_s(void **state)
{
    struct fixture *f = *state;
    for (int i = 0; i < f->blocks; i++) {
        const struct block *b = &f->block[i];
        struct world *w = set_up(b);
        const real *h = w->policy->encoder.h[w->model.config.layers];
        double sum = 0.0, abs_sum = 0.0;
        for (int k = 0; k < N * 128; k++) {
            sum += (double)h[k];
            abs_sum += fabs((double)h[k]);
        }
        assert_close(sum, b->sum, 0, 2e-4);
        assert_close(abs_sum, b->abs_sum, 0, 2e-3);
        for (int k = 0; k < 4; k++) {
            assert_close(h[k], b->first[k], 0, 5e-6);
            assert_close(h[49 * 128 + 124 + k], b->last[k], 0, 5e-6);
        }
        tear_down(w);
    }
}

static void first_decision_has_the_reference_s_probabilities(void **state)
{
    struct fixture *f = *state;
    for (int i = 0; i < f->blocks; i++) {
        const struct block *b = &f->block[i];
        struct world *w = set_up(b);
        if (b->is_lookahead) { /* an action outside the mask would change what is reported */
            ucpo_error err = {0};
            int32_t actions[MOST];
            struct policy_options options = policy_options_default();
            options.mask = PROB_MASK_LOOKAHEAD;
            struct policy_result result = {.prob = w->prob};
            assert_ok(policy_rollout(w->policy, 0, w->inst, &options, actions, &result, &err),
                      &err);
        } else {
            follow_tour(w, b, 0.0);
        }
        double sum = 0.0;
        for (int j = 0; j < N; j++) sum += (double)w->prob[j];
        assert_close(sum, 1.0, 1e-5, 0);
        assert_close(w->prob[0], 0.0, 0, 0);
        for (int j = 0; j < 6; j++) assert_close(w->prob[1 + j], b->prob[j], 0, 1e-6);
        tear_down(w);
    }
}

static void auxiliary_logits_are_the_reference_s(void **state)
{
    struct fixture *f = *state;
    int checked = 0;
    for (int i = 0; i < f->blocks; i++) {
        const struct block *b = &f->block[i];
        if (!b->has_aux) continue;
        struct world *w = set_up(b);
        struct policy *p = w->policy;
        const real start[NN_MAX_SCALARS] = {0};
        struct policy_rows *r = p->rows;
        p->kern->glimpse_forward(r->weight, r->glimpse, &p->aux.table[0], 0, start, p->all, N,
                                 NULL);
        p->kern->point_forward(p->u, r->glimpse, &p->aux.table[0], p->all, N);
        for (int j = 0; j < 6; j++) assert_close(p->u[j], b->aux[j], 0, 2e-5);
        tear_down(w);
        checked++;
    }
    assert_int_equal(checked, 2);
}

/* Row 0 of an array of bytes in NumPy's format (header of 128 bytes). */
static void read_tour(struct world *w, const struct block *b)
{
    char path[512];
    size_t size = 0;
    const char *name = b->is_tspdl ? "data/validation/tspdl50_medium_lkh_tour1000.npy"
                                   : "data/validation/tsptw50_medium_lkh_tour1000.npy";
    char *bytes = test_read_file(test_shared_path(path, sizeof path, name), &size);
    assert_non_null(bytes);
    assert_int_equal(size, 128 + 1000 * MOST);
    for (int t = 0; t < MOST; t++) w->tour[t] = (unsigned char)bytes[128 + t];
    free(bytes);
}

/* Every step of the tour is open under the block's mask (the fixture says 0 masked actions). */
static void expect_open_actions(struct world *w, const struct block *b)
{
    ucpo_error err = {0};
    struct prob_env *env = w->policy->env;
    uint8_t allowed[N];
    env->samples = 1;
    assert_ok(prob_env_bind(env, w->inst, &err), &err);
    for (int t = 0; t < MOST; t++) {
        prob_env_mask(env, b->is_lookahead ? PROB_MASK_LOOKAHEAD : PROB_MASK_SOFT, allowed);
        assert_true(allowed[w->tour[t]]);
        for (int j = 0; j < N; j++)
            assert_int_equal(allowed[j], w->prob[(size_t)t * N + (size_t)j] > 0);
        prob_env_step(env, &w->tour[t]);
    }
}

static void lkh_tour_has_the_reference_s_likelihood(void **state)
{
    struct fixture *f = *state;
    test_need_shared();
    for (int i = 0; i < f->blocks; i++) {
        const struct block *b = &f->block[i];
        struct world *w = set_up(b);
        read_tour(w, b);
        follow_tour(w, b, 0.0);
        assert_close(w->log_prob, b->log_pi, 0, 2e-4);
        for (int t = 0; t < 4; t++) {
            double prob = (double)w->prob[(size_t)t * N + (size_t)w->tour[t]];
            assert_close(log(prob), b->step[t], 0, 2e-5);
        }
        assert_close(w->objective, b->length, 0, 2e-6);
        assert_close(w->violation, b->violation + b->late_nodes, 0, 0);
        expect_open_actions(w, b);
        tear_down(w);
    }
}

static void gradient_norms_are_the_reference_s(void **state)
{
    struct fixture *f = *state;
    test_need_shared();
    for (int i = 0; i < f->blocks; i++) {
        const struct block *b = &f->block[i];
        if (b->norms == 0) continue;
        struct world *w = set_up(b);
        read_tour(w, b);
        follow_tour(w, b, -1.0);
        policy_backward(w->policy, w->params, w->grads, 1);
        assert_int_equal(b->norms, w->model.tensors);
        for (int k = 0; k < w->model.tensors; k++) {
            const struct nn_tensor *t = &w->model.tensor[k];
            double sum = 0.0;
            for (size_t j = 0; j < t->count; j++)
                sum += (double)w->grads[t->offset + j] * (double)w->grads[t->offset + j];
            assert_string_equal(t->name, b->name[k]);
            if (b->norm[k] < 1e-2) /* zero in exact arithmetic, or nearly so */
                assert_close(sqrt(sum), b->norm[k], 0, 1e-3);
            else
                assert_close(sqrt(sum), b->norm[k], 2e-5, 0);
        }
        tear_down(w);
    }
}

static int open_fixture(void **state)
{
    *state = read_fixture();
    return 0;
}

static int close_fixture(void **state)
{
    free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encoder_output_is_the_reference_s),
        cmocka_unit_test(first_decision_has_the_reference_s_probabilities),
        cmocka_unit_test(auxiliary_logits_are_the_reference_s),
        cmocka_unit_test(lkh_tour_has_the_reference_s_likelihood),
        cmocka_unit_test(gradient_norms_are_the_reference_s),
    };
    return cmocka_run_group_tests_name("fixture", tests, open_fixture, close_fixture);
}
