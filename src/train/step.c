#include "train/step.h"

#include "core/par.h"
#include "math/kern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Trajectories an instance has room for. */
static size_t row_length(const struct step *s)
{
    return (size_t)s->config.samples + (s->config.has_anchor ? 1 : 0);
}

static void lay_out(struct step *s)
{
    struct arena *a = &s->arena;
    size_t batch = (size_t)s->config.batch, rows = batch * row_length(s);
    size_t total = s->model->total, most = (size_t)policy_max_steps(s->policy[0]);
    s->shard_grads = arena_take(a, (size_t)s->shards * total, sizeof(real));
    s->grads = arena_take(a, total, sizeof(real));
    s->objective = arena_take(a, rows, sizeof(double));
    s->violation = arena_take(a, rows, sizeof(double));
    s->log_prob = arena_take(a, rows, sizeof(double));
    s->weight = arena_take(a, rows, sizeof(double));
    s->actions = arena_take(a, rows * most, sizeof(int32_t));
    s->loss = arena_take(a, batch, sizeof *s->loss);
    s->rank = arena_take(a, rows, sizeof *s->rank);
    s->replayed = arena_take(a, batch, sizeof *s->replayed);
    s->counted = arena_take(a, rows, sizeof *s->counted);
    s->notes = arena_take(a, s->config.has_anchor ? batch : 0, sizeof *s->notes);
    s->labels = arena_take(a, (batch + STEP_CHUNK - 1) / STEP_CHUNK, sizeof *s->labels);
    s->label_count = arena_take(a, (size_t)s->threads * 2 * most, sizeof(int64_t));
    s->label_weight = arena_take(a, (size_t)s->threads * 2 * most, sizeof(double));
}

/* What every thread has of its own. */
static ucpo_status equip_threads(struct step *s, ucpo_error *err)
{
    const struct step_config *c = &s->config;
    int chunk = c->batch < STEP_CHUNK ? c->batch : STEP_CHUNK;
    size_t threads = (size_t)s->threads;
    s->policy = mem_zeroed(threads, sizeof *s->policy);
    if (c->has_predictor) s->predictor = mem_zeroed(threads, sizeof *s->predictor);
    if (c->has_anchor) s->anchor = mem_zeroed(threads, sizeof *s->anchor);
    if (!s->policy || (c->has_predictor && !s->predictor) || (c->has_anchor && !s->anchor))
        return status_no_memory(err, threads * sizeof *s->policy);
    ucpo_status st = UCPO_OK;
    for (int t = 0; !st && t < s->threads; t++)
        st = policy_create(s->model, s->ops, c->n, chunk, c->samples, 1, &s->policy[t], err);
    for (int t = 0; !st && s->predictor && t < s->threads; t++)
        st = policy_create(s->model, s->ops, c->n, chunk, 1, 0, &s->predictor[t], err);
    for (int t = 0; !st && s->anchor && t < s->threads; t++)
        st = anchor_create(c->samples, c->n + 1, &s->anchor[t], err);
    for (int t = 0; !st && t < s->threads; t++) {
        policy_use_kernels(s->policy[t], c->kern);
        if (s->predictor) policy_use_kernels(s->predictor[t], c->kern);
    }
    return st;
}

ucpo_status step_create(const struct nn_model *model, const struct prob_ops *ops,
                        const struct step_config *config, struct step **out, ucpo_error *err)
{
    if (config->n < 2 || config->samples < 1 || config->batch < 1)
        return status_argument(err, "step of %d nodes, %d samples, batch %d", config->n,
                               config->samples, config->batch);
    struct step *s = mem_zeroed(1, sizeof *s);
    if (!s) return status_no_memory(err, sizeof *s);
    s->model = model;
    s->ops = ops;
    s->config = *config;
    int chunks = (config->batch + STEP_CHUNK - 1) / STEP_CHUNK;
    s->shards = chunks < STEP_SHARDS ? chunks : STEP_SHARDS;
    s->threads = par_threads(config->threads);
    if (s->threads > s->shards) s->threads = s->shards;
    if (!s->config.kern) s->config.kern = kern_best();
    if (!kern_is_thread_safe(s->config.kern)) s->threads = 1;
    ucpo_status st = equip_threads(s, err);
    if (!st) {
        lay_out(s);
        st = arena_reserve(&s->arena, err);
    }
    if (st) {
        step_free(s);
        return st;
    }
    lay_out(s);
    *out = s;
    return UCPO_OK;
}

void step_free(struct step *s)
{
    if (!s) return;
    for (int t = 0; s->policy && t < s->threads; t++) policy_free(s->policy[t]);
    for (int t = 0; s->predictor && t < s->threads; t++) policy_free(s->predictor[t]);
    for (int t = 0; s->anchor && t < s->threads; t++) anchor_free(s->anchor[t]);
    free(s->policy);
    free(s->predictor);
    free(s->anchor);
    arena_free(&s->arena);
    free(s);
}

size_t step_bytes(const struct step *s)
{
    size_t rows = (size_t)s->config.batch * row_length(s);
    size_t most = (size_t)policy_max_steps(s->policy[0]);
    size_t second = s->predictor ? policy_bytes(s->predictor[0]) : 0;
    return (size_t)s->threads * (policy_bytes(s->policy[0]) + second) +
           ((size_t)s->shards + 1) * s->model->total * sizeof(real) +
           rows * (4 * sizeof(double) + (most + 1) * sizeof(int32_t));
}

void step_set_samples(struct step *s, int samples)
{
    s->config.samples = samples;
    for (int t = 0; t < s->threads; t++) s->policy[t]->samples = samples;
}

/* ---- one call ---- */

struct job {
    struct step *step;
    const real *params;
    const ucpo_instance *const *instances;
    int count;
    const struct step_task *task;
};

static int is_mean(enum step_score score)
{
    return score == STEP_MEAN || score == STEP_CUT_MEAN;
}

/* Factor from the log-likelihood of a trajectory to its score. */
static double score_scale(const struct job *job, int32_t counted)
{
    int n = job->step->config.n;
    double alpha = ucpo_loss_alpha(job->task->loss, n);
    if (!is_mean(job->task->score)) return alpha;
    return counted > 0 ? alpha * n / counted : 0.0;
}

static struct policy_options options_of(const struct job *job, int i, struct policy *predictor)
{
    struct policy_options options = job->task->options;
    options.index += (uint64_t)i;
    options.is_cut = job->task->score >= STEP_CUT;
    options.predictor = job->task->predictor ? predictor : NULL;
    return options;
}

/* The trajectories of instance i, which is encoded in slot b. */
static struct anchor_row row_of(const struct job *job, int b, int i)
{
    struct step *s = job->step;
    size_t at = (size_t)i * row_length(s);
    return (struct anchor_row){.b = b,
                               .inst = job->instances[i],
                               .samples = s->config.samples,
                               .actions = s->actions + at * (size_t)policy_max_steps(s->policy[0]),
                               .objective = s->objective + at,
                               .violation = s->violation + at,
                               .log_prob = s->log_prob + at,
                               .counted = s->counted + at};
}

static ucpo_status sample_instance(struct policy *p, const struct policy_options *options,
                                   const struct anchor_row *row, ucpo_error *err)
{
    struct policy_result sampled = {.log_prob = row->log_prob,
                                    .objective = row->objective,
                                    .violation = row->violation,
                                    .counted = row->counted};
    ucpo_status st = policy_rollout(p, row->b, row->inst, options, row->actions, &sampled, err);
    for (int k = 0; !st && k < row->samples; k++)
        if (!isfinite(row->log_prob[k]))
            st = status_fail(err, UCPO_E_DIVERGED,
                             "a log-probability is %g, the network's numbers are not finite",
                             row->log_prob[k]);
    return st;
}

/* The loss of instance i, and in `weight` its derivative by the log-probability of each trajectory
 * (of the anchor too, if it has one), as part of the step's. */
static ucpo_status weigh_instance(const struct job *job, struct anchor *anchor,
                                  const struct anchor_row *row, int i, double *weight,
                                  ucpo_error *err)
{
    struct step *s = job->step;
    const struct step_task *task = job->task;
    const struct anchor_config *config = &task->anchor;
    int samples = row->samples, has_anchor = anchor && s->notes[i].is_used;
    int ranked = samples + (has_anchor && config->mode == ANCHOR_PAIR);
    int total = task->total ? task->total : job->count;
    for (int k = 0; k < ranked; k++) row->log_prob[k] *= score_scale(job, row->counted[k]);
    ucpo_status st =
        ucpo_loss(task->loss, (size_t)samples, row->objective, row->violation, row->log_prob,
                  &s->loss[i], weight, s->rank + (size_t)i * row_length(s), err);
    if (!st && ranked > samples)
        st = anchor_mix(anchor, config, task->loss, row, &s->loss[i], weight, err);
    if (st) return st;
    for (int k = 0; k < ranked; k++) weight[k] *= score_scale(job, row->counted[k]) / total;
    if (has_anchor && config->mode == ANCHOR_IMITATE)
        weight[samples] = -config->weight / row->counted[samples] / total;
    return UCPO_OK;
}

/* Sampling, loss and replay of instance i, which is encoded in slot b. */
static ucpo_status learn_instance(const struct job *job, int thread, int b, int i, ucpo_error *err)
{
    struct step *s = job->step;
    struct policy *p = s->policy[thread];
    struct anchor *anchor = job->task->anchor.mode ? s->anchor[thread] : NULL;
    struct anchor_row row = row_of(job, b, i);
    double *weight = s->weight + (size_t)i * row_length(s);
    struct policy_options options = options_of(job, i, s->predictor ? s->predictor[thread] : NULL);
    ucpo_status st = sample_instance(p, &options, &row, err);
    if (!st && anchor)
        st = anchor_find(anchor, &job->task->anchor, p, &options, &row, &s->notes[i], err);
    if (!st) st = weigh_instance(job, anchor, &row, i, weight, err);
    if (st) return st;
    s->replayed[i] = policy_drop_negligible(weight, row.samples, s->config.negligible);
    if (s->replayed[i] > 0 && policy_is_on_tape(p)) {
        policy_learn(p, b, weight);
    } else if (s->replayed[i] > 0) {
        struct policy_result nothing = {0};
        options.temperature = 1.0;
        st = policy_replay(p, b, row.inst, &options, row.actions, row.samples, weight, &nothing,
                           err);
    }
    if (!st && anchor && s->notes[i].is_used)
        st = anchor_learn(p, &options, &row, weight[row.samples], err);
    return st;
}

/* Teaches the auxiliary decoder the look-ahead of all decisions of a chunk. Classes are balanced
 * per step over the chunk: with N0, N1 nodes of each label, weight N / (2 N_y), averaged over nodes
 * and steps; a step with one class only counts 0. */
static ucpo_status learn_labels(const struct job *job, int thread, int first, int count,
                                ucpo_error *err)
{
    struct step *s = job->step;
    struct policy *p = s->policy[thread];
    struct step_labels *labels = &s->labels[first / STEP_CHUNK];
    int n = s->config.n, samples = s->config.samples, most = policy_max_steps(p);
    size_t row = row_length(s) * (size_t)most;
    int64_t *zeros = s->label_count + 2 * (size_t)thread * (size_t)most, *ones = zeros + most;
    double *weight0 = s->label_weight + 2 * (size_t)thread * (size_t)most,
           *weight1 = weight0 + most;
    memset(zeros, 0, 2 * (size_t)most * sizeof *zeros);
    ucpo_status st = UCPO_OK;
    for (int b = 0; !st && b < count; b++)
        st = policy_count_labels(p, job->instances[first + b],
                                 s->actions + (size_t)(first + b) * row, samples, zeros, ones, err);
    int total = job->task->total ? job->task->total : job->count;
    double share = (double)count / total / (n > 2 ? n - 2 : 1);
    for (int t = 0; t < most; t++) {
        int both = zeros[t] > 0 && ones[t] > 0;
        weight0[t] = both ? share / (2.0 * (double)zeros[t]) : 0.0;
        weight1[t] = both ? share / (2.0 * (double)ones[t]) : 0.0;
        labels->nodes[0] += both ? zeros[t] : 0;
        labels->nodes[1] += both ? ones[t] : 0;
    }
    for (int b = 0; !st && b < count; b++) {
        double loss = 0.0;
        st = policy_replay_aux(p, b, job->instances[first + b],
                               s->actions + (size_t)(first + b) * row, samples, weight0, weight1,
                               &loss, labels->right, err);
        labels->loss += loss;
    }
    return st;
}

static void load_chunk(const struct job *job, struct policy *p, struct policy *predictor, int first,
                       int count)
{
    const struct step_task *task = job->task;
    for (int b = 0; b < count; b++) {
        const ucpo_instance *inst = job->instances[first + b];
        uint64_t index = task->options.index + (uint64_t)(first + b);
        struct rng rng = rng_at(task->options.seed, RNG_IMAGE, index);
        int image = task->images > 1 ? (int)rng_below(&rng, (uint32_t)task->images) : 0;
        geometry_image(&inst->data, image, p->xy);
        policy_load(p, b, inst, p->xy);
        if (task->predictor) policy_load(predictor, b, inst, p->xy);
    }
}

static ucpo_status learn_chunk(const struct job *job, int thread, real *grads, int first,
                               ucpo_error *err)
{
    struct policy *p = job->step->policy[thread];
    struct policy *predictor = job->step->predictor ? job->step->predictor[thread] : NULL;
    int count = job->count - first < STEP_CHUNK ? job->count - first : STEP_CHUNK;
    load_chunk(job, p, predictor, first, count);
    policy_encode(p, job->params, count);
    if (job->task->predictor) policy_encode(predictor, job->task->predictor, count);
    ucpo_status st = UCPO_OK;
    for (int b = 0; !st && b < count; b++) st = learn_instance(job, thread, b, first + b, err);
    if (!st && job->task->learns_aux) st = learn_labels(job, thread, first, count, err);
    if (!st) policy_backward(p, job->params, grads, count);
    return st;
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
            ucpo_status st = learn_chunk(job, thread, grads, c * STEP_CHUNK, err);
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

static void add_samples(const struct step *s, int i, struct step_result *r)
{
    int samples = s->config.samples;
    const double *f = s->objective + (size_t)i * row_length(s);
    const double *v = s->violation + (size_t)i * row_length(s);
    double best = HUGE_VAL, sum = 0.0;
    for (int k = 0; k < samples; k++) {
        sum += f[k];
        if (v[k] == 0.0 && f[k] < best) best = f[k];
    }
    r->mean_objective += sum / samples;
    if (best < HUGE_VAL) r->best_objective += best;
}

static void add_anchor(const struct anchor_note *note, struct step_anchors *sum)
{
    sum->used += note->is_used;
    sum->masked += note->is_masked;
    sum->gains += note->has_gain;
    sum->gain += note->gain;
    sum->log_prob += note->log_prob;
    sum->seconds += note->seconds;
}

static void sum_up(const struct step *s, int count, int has_anchors, struct step_result *r)
{
    int samples = s->config.samples, feasible = 0;
    *r = (struct step_result){.instances = count};
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
        add_samples(s, i, r);
        if (has_anchors) add_anchor(&s->notes[i], &r->anchors);
    }
    r->mean_objective /= count;
    r->best_objective = feasible > 0 ? r->best_objective / feasible : (double)NAN;
    r->infeasible_samples = 1.0 - (double)r->loss.feasible / samples / count;
    r->infeasible_instances = 1.0 - (double)feasible / count;
    for (int c = 0; c * STEP_CHUNK < count; c++) {
        r->labels.loss += s->labels[c].loss;
        for (int y = 0; y < 2; y++) {
            r->labels.nodes[y] += s->labels[c].nodes[y];
            r->labels.right[y] += s->labels[c].right[y];
        }
    }
}

ucpo_status step_gradient(struct step *s, const real *params, const ucpo_instance *const *instances,
                          int count, const struct step_task *task, struct step_result *result,
                          ucpo_error *err)
{
    if (count < 1 || count > s->config.batch)
        return status_argument(err, "%d instances, expected 1 .. %d", count, s->config.batch);
    if (task->anchor.mode && !s->anchor)
        return status_fail(err, UCPO_E_INTERNAL, "the step has no room for anchors");
    struct job job = {s, params, instances, count, task};
    size_t chunks = ((size_t)count + STEP_CHUNK - 1) / STEP_CHUNK;
    memset(s->labels, 0, chunks * sizeof *s->labels);
    ucpo_status st = par_run((size_t)s->shards, 1, s->threads, NULL, learn_shard, &job, err);
    if (!st) st = par_run(s->model->total, 65536, s->threads, NULL, sum_range, s, err);
    if (!st && result) sum_up(s, count, task->anchor.mode != ANCHOR_NONE, result);
    return st;
}
