#include "train/step.h"

#include "core/par.h"
#include "math/gemm.h"

#include <stdlib.h>
#include <string.h>

static ucpo_status allocate(struct step *s, ucpo_error *err)
{
    size_t batch = (size_t)s->config.batch, rows = batch * (size_t)s->config.samples;
    size_t total = s->model->total, most = (size_t)policy_max_steps(s->policy[0]);
    s->shard_grads = mem_zeroed((size_t)s->shards * total, sizeof(real));
    s->grads = mem_zeroed(total, sizeof(real));
    s->objective = mem_zeroed(rows, sizeof(double));
    s->violation = mem_zeroed(rows, sizeof(double));
    s->log_prob = mem_zeroed(rows, sizeof(double));
    s->weight = mem_zeroed(rows, sizeof(double));
    s->actions = mem_zeroed(rows * most, sizeof(int32_t));
    s->loss = mem_zeroed(batch, sizeof *s->loss);
    s->replayed = mem_zeroed(batch, sizeof *s->replayed);
    if (!s->shard_grads || !s->grads || !s->objective || !s->violation || !s->log_prob ||
        !s->weight || !s->actions || !s->loss || !s->replayed)
        return status_no_memory(err, (size_t)s->shards * total * sizeof(real));
    return UCPO_OK;
}

ucpo_status step_create(const struct nn_model *model, const struct prob_ops *ops,
                        const struct step_config *config, struct step **out, ucpo_error *err)
{
    if (config->n < 2 || config->samples < 1 || config->batch < 1)
        return status_fail(err, UCPO_E_ARGUMENT, "step of %d nodes, %d samples, batch %d",
                           config->n, config->samples, config->batch);
    gemm_use_one_thread();
    struct step *s = mem_zeroed(1, sizeof *s);
    if (!s) return status_no_memory(err, sizeof *s);
    s->model = model;
    s->ops = ops;
    s->config = *config;
    int chunks = (config->batch + STEP_CHUNK - 1) / STEP_CHUNK;
    s->shards = chunks < STEP_SHARDS ? chunks : STEP_SHARDS;
    s->threads = par_threads(config->threads);
    if (s->threads > s->shards) s->threads = s->shards;
    if (!gemm_is_thread_safe()) s->threads = 1;
    s->policy = mem_zeroed((size_t)s->threads, sizeof(struct policy *));
    ucpo_status st = s->policy ? UCPO_OK : status_no_memory(err, 64);
    int chunk = config->batch < STEP_CHUNK ? config->batch : STEP_CHUNK;
    for (int t = 0; !st && t < s->threads; t++)
        st = policy_create(model, ops, config->n, chunk, config->samples, 1, &s->policy[t], err);
    if (!st) st = allocate(s, err);
    if (st) {
        step_free(s);
        return st;
    }
    *out = s;
    return UCPO_OK;
}

void step_free(struct step *s)
{
    if (!s) return;
    for (int t = 0; s->policy && t < s->threads; t++) policy_free(s->policy[t]);
    free(s->policy);
    free(s->shard_grads);
    free(s->grads);
    free(s->objective);
    free(s->violation);
    free(s->log_prob);
    free(s->weight);
    free(s->actions);
    free(s->loss);
    free(s->replayed);
    free(s);
}

size_t step_bytes(const struct step *s)
{
    size_t rows = (size_t)s->config.batch * (size_t)s->config.samples;
    size_t most = (size_t)policy_max_steps(s->policy[0]);
    return (size_t)s->threads * policy_bytes(s->policy[0]) +
           ((size_t)s->shards + 1) * s->model->total * sizeof(real) +
           rows * (4 * sizeof(double) + most * sizeof(int32_t));
}

/* ---- one call ---- */

struct job {
    struct step *step;
    const real *params;
    const ucpo_instance *const *instances;
    int count;
    const ucpo_loss_config *loss;
    const struct policy_options *options;
};

/* Sampling, loss and replay of instance i, which is encoded in slot b. */
static ucpo_status learn_instance(const struct job *job, struct policy *p, int b, int i,
                                  ucpo_error *err)
{
    struct step *s = job->step;
    int samples = s->config.samples;
    size_t row = (size_t)i * (size_t)samples;
    int32_t *actions = s->actions + row * (size_t)policy_max_steps(p);
    double *weight = s->weight + row, *log_prob = s->log_prob + row;
    struct policy_result sampled = {
        .log_prob = log_prob, .objective = s->objective + row, .violation = s->violation + row};
    struct policy_options options = *job->options;
    options.index += (uint64_t)i;
    ucpo_status st = policy_rollout(p, b, job->instances[i], &options, actions, &sampled, err);
    if (st) return st;

    double alpha = ucpo_loss_alpha(job->loss, s->config.n);
    for (int k = 0; k < samples; k++) log_prob[k] *= alpha;
    st = ucpo_loss(job->loss, (size_t)samples, s->objective + row, s->violation + row, log_prob,
                   &s->loss[i], weight, NULL, err);
    if (st) return st;
    s->replayed[i] = policy_drop_negligible(weight, samples, s->config.negligible);
    for (int k = 0; k < samples; k++) weight[k] *= alpha / job->count;
    if (s->replayed[i] == 0) return UCPO_OK;
    if (policy_is_on_tape(p)) {
        policy_learn(p, b, weight);
        return UCPO_OK;
    }
    struct policy_result nothing = {0};
    options.temperature = 1.0;
    return policy_replay(p, b, job->instances[i], &options, actions, samples, weight, &nothing,
                         err);
}

static ucpo_status learn_chunk(const struct job *job, struct policy *p, real *grads, int first,
                               ucpo_error *err)
{
    int count = job->count - first < STEP_CHUNK ? job->count - first : STEP_CHUNK;
    for (int b = 0; b < count; b++) {
        geometry_image(&job->instances[first + b]->data, 0, p->xy);
        policy_load(p, b, job->instances[first + b], p->xy);
    }
    policy_encode(p, job->params, count);
    for (int b = 0; b < count; b++) {
        ucpo_status st = learn_instance(job, p, b, first + b, err);
        if (st) return st;
    }
    policy_backward(p, job->params, grads, count);
    return UCPO_OK;
}

static ucpo_status learn_shard(void *context, size_t begin, size_t end, int thread, ucpo_error *err)
{
    struct job *job = context;
    struct step *s = job->step;
    int chunks = (job->count + STEP_CHUNK - 1) / STEP_CHUNK;
    for (size_t shard = begin; shard < end; shard++) {
        real *grads = s->shard_grads + shard * s->model->total;
        memset(grads, 0, s->model->total * sizeof(real));
        for (int c = (int)shard; c < chunks; c += s->shards) {
            ucpo_status st = learn_chunk(job, s->policy[thread], grads, c * STEP_CHUNK, err);
            if (st) return st;
        }
    }
    return UCPO_OK;
}

/* Sums a range of parameters over the shards, in shard order. */
static ucpo_status sum_range(void *context, size_t begin, size_t end, int thread, ucpo_error *err)
{
    struct step *s = context;
    (void)thread, (void)err;
    memcpy(s->grads + begin, s->shard_grads + begin, (end - begin) * sizeof(real));
    for (int shard = 1; shard < s->shards; shard++)
        s->policy[0]->kern->add(s->grads + begin,
                                s->shard_grads + (size_t)shard * s->model->total + begin,
                                end - begin);
    return UCPO_OK;
}

static void sum_up(const struct step *s, int count, struct step_result *r)
{
    int samples = s->config.samples, feasible = 0;
    *r = (struct step_result){0};
    for (int i = 0; i < count; i++) {
        const ucpo_loss_result *l = &s->loss[i];
        r->loss.loss += l->loss / count;
        r->loss.dual += l->dual / count;
        r->loss.margin += l->margin / count;
        r->loss.primal += l->primal / count;
        r->loss.pairs += l->pairs;
        r->loss.feasible += l->feasible;
        r->loss.dual_active += l->dual_active;
        r->loss.margin_active += l->margin_active;
        r->loss.primal_active += l->primal_active;
        feasible += l->feasible > 0;
        r->replayed += (double)s->replayed[i] / samples / count;
        for (int k = 0; k < samples; k++)
            r->mean_objective +=
                s->objective[(size_t)i * (size_t)samples + (size_t)k] / samples / count;
    }
    r->infeasible_samples = 1.0 - (double)r->loss.feasible / samples / count;
    r->infeasible_instances = 1.0 - (double)feasible / count;
}

ucpo_status step_gradient(struct step *s, const real *params, const ucpo_instance *const *instances,
                          int count, const ucpo_loss_config *loss,
                          const struct policy_options *options, struct step_result *result,
                          ucpo_error *err)
{
    if (count < 1 || count > s->config.batch)
        return status_fail(err, UCPO_E_ARGUMENT, "%d instances, expected 1 .. %d", count,
                           s->config.batch);
    struct job job = {s, params, instances, count, loss, options};
    ucpo_status st = par_run((size_t)s->shards, 1, s->threads, NULL, learn_shard, &job, err);
    if (!st) st = par_run(s->model->total, 65536, s->threads, NULL, sum_range, s, err);
    if (!st && result) sum_up(s, count, result);
    return st;
}
