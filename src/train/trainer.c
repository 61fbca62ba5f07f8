#include "train/trainer.h"
#include "train/metrics.h"

#include "core/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void lay_out(struct trainer *t)
{
    struct arena *a = &t->arena;
    size_t total = t->model->total, copies = train_plan_has_aux(t->plan) ? total : 0;
    t->m = arena_take(a, total, sizeof(real));
    t->v = arena_take(a, total, sizeof(real));
    t->grads = arena_take(a, total, sizeof(real));
    t->shared = arena_take(a, total + FIGURES, sizeof(float));
    t->pipd.frozen = arena_take(a, copies, sizeof(real));
    t->pipd.snapshot = arena_take(a, copies, sizeof(real));
}

ucpo_status trainer_create(const struct train_plan *plan, const struct nn_model *model,
                           real *params, const ucpo_comm *comm, struct trainer **out,
                           ucpo_error *err)
{
    struct trainer *t = mem_zeroed(1, sizeof *t);
    if (!t) return status_no_memory(err, sizeof *t);
    t->plan = plan, t->model = model, t->params = params, t->comm = comm;
    t->pipd.block = -1;
    lay_out(t);
    ucpo_status st = arena_reserve(&t->arena, err);
    if (!st) lay_out(t);
    if (!st) st = kern_choose(plan->run.kernels, plan->run.precision, &t->kern, err);
    if (!st) st = source_create(plan, &t->source, err);
    if (st) {
        trainer_free(t);
        return st;
    }
    *out = t;
    return UCPO_OK;
}

void trainer_free(struct trainer *t)
{
    if (!t) return;
    for (int i = 0; i < TRAINER_POOL; i++) step_free(t->pool[i]);
    source_free(t->source);
    arena_free(&t->arena);
    free(t);
}

int trainer_is_done(const struct trainer *t)
{
    return t->at.phase >= t->plan->phases;
}

void trainer_finish(struct trainer *t)
{
    t->at.phase = t->plan->phases;
    t->at.phase_step = t->at.phase_instances = 0;
}

void trainer_reopen(struct trainer *t)
{
    int64_t steps = 0, instances = 0; /* of the phases before the last */
    t->at.phase = t->plan->phases - 1;
    for (int p = 0; p < t->at.phase; p++) {
        const struct train_phase *phase = &t->plan->phase[p];
        int64_t a_step = phase->batch * phase->accumulate;
        steps += (phase->instances + a_step - 1) / a_step;
        instances += phase->instances;
    }
    t->at.phase_instances = t->at.instances - instances;
    t->at.phase_step = t->at.step > steps ? t->at.step - steps : 0;
}

/* ---- shares of the work ---- */

static double done_share(const struct trainer *t)
{
    if (t->plan->run.time > 0.0) return t->time_share;
    return (double)t->at.phase_instances / (double)t->plan->phase[t->at.phase].instances;
}

/* Instances of the phase at hand; a run that is measured in time never comes to their end. */
static int64_t phase_length(const struct trainer *t)
{
    return t->plan->run.time > 0.0 ? INT64_MAX / 2 : t->plan->phase[t->at.phase].instances;
}

/* Instances of batch number `batch` (from 0) of the step at hand; 0: the phase has no more. */
static int batch_size(const struct trainer *t, int64_t batch)
{
    const struct train_phase *p = &t->plan->phase[t->at.phase];
    int64_t left = phase_length(t) - t->at.phase_instances - batch * p->batch;
    if (left <= 0 || batch >= p->accumulate) return 0;
    return (int)(left < p->batch ? left : p->batch);
}

/* This process's part of a batch, cut between chunks: the same chunks for any number of processes.
 */
static void own_part(const struct trainer *t, int count, int *begin, int *end)
{
    int ranks = t->comm ? t->comm->ranks : 1, rank = t->comm ? t->comm->rank : 0;
    int chunks = (count + STEP_CHUNK - 1) / STEP_CHUNK;
    *begin = (int)((int64_t)chunks * rank / ranks) * STEP_CHUNK;
    *end = (int)((int64_t)chunks * (rank + 1) / ranks) * STEP_CHUNK;
    if (*begin > count) *begin = count;
    if (*end > count) *end = count;
}

ucpo_status trainer_draw(struct trainer *t, int64_t batch, struct source_batch *out,
                         ucpo_error *err)
{
    const struct train_phase *p = &t->plan->phase[t->at.phase];
    int begin, end, count = batch_size(t, batch);
    own_part(t, count, &begin, &end);
    *out = (struct source_batch){0};
    if (begin == end) return UCPO_OK;
    uint64_t first = (uint64_t)(t->at.instances + batch * p->batch);
    return source_draw(t->source, t->at.phase, (uint64_t)(t->at.batches + batch), first, begin, end,
                       out, err);
}

/* ---- workspaces ---- */

static int fits(const struct trainer *t, const struct step *s, int n)
{
    const struct train_phase *p = &t->plan->phase[t->at.phase];
    return s && s->config.n == n && s->config.batch >= p->batch &&
           s->policy[0]->room == train_most_samples(p, n) && /* same bits as a fresh one */
           (s->predictor != NULL) == (p->is_predicted != 0) &&
           (s->anchor != NULL) == (p->anchor_config.mode != ANCHOR_NONE);
}

/* The workspace for n nodes in the current phase, made if there is none. */
static ucpo_status workspace(struct trainer *t, int n, struct step **out, ucpo_error *err)
{
    const struct train_phase *p = &t->plan->phase[t->at.phase];
    int at = 0;
    while (at < TRAINER_POOL && !fits(t, t->pool[at], n)) at++;
    struct step *found = at < TRAINER_POOL ? t->pool[at] : NULL;
    if (!found) {
        struct step_config config = {.n = n,
                                     .samples = train_most_samples(p, n),
                                     .batch = (int)p->batch,
                                     .threads = (int)t->plan->run.threads,
                                     .kern = t->kern,
                                     .negligible = t->plan->run.negligible,
                                     .has_predictor = p->is_predicted,
                                     .has_anchor = p->anchor_config.mode != ANCHOR_NONE};
        at = TRAINER_POOL - 1;
        step_free(t->pool[at]);
        t->pool[at] = NULL;
        ucpo_status st = step_create(t->model, t->plan->ops, &config, &found, err);
        if (st) return st;
    }
    memmove(t->pool + 1, t->pool, (size_t)at * sizeof *t->pool);
    t->pool[0] = *out = found;
    return UCPO_OK;
}

ucpo_status trainer_measure(struct trainer *t, size_t *bytes, ucpo_error *err)
{
    size_t most = 0, total = t->model->total;
    struct trainer_counters at = t->at;
    ucpo_status st = UCPO_OK;
    for (t->at.phase = 0; !st && t->at.phase < t->plan->phases; t->at.phase++) {
        int nodes[TRAINER_POOL];
        int count = source_sizes(t->source, t->at.phase, nodes, TRAINER_POOL);
        size_t bytes_of_phase = 0;
        for (int i = 0; !st && i < count && i < TRAINER_POOL; i++) {
            struct step *step = NULL;
            st = workspace(t, nodes[i], &step, err);
            if (!st) bytes_of_phase += step_bytes(step);
        }
        if (bytes_of_phase > most) most = bytes_of_phase;
    }
    t->at = at;
    *bytes = most + total * (4 * sizeof(real) + sizeof(float));
    return st;
}

/* ---- one step ---- */

static void add_figures(float *figure, const struct step_result *r)
{
    float count = (float)r->instances;
    const struct step_labels *l = &r->labels;
    double feasible = (1.0 - r->infeasible_instances) * r->instances;
    figure[FIGURE_INSTANCES] += count;
    figure[FIGURE_LOSS] += (float)r->loss.loss * count;
    figure[FIGURE_DUAL] += (float)r->loss.dual * count;
    figure[FIGURE_MARGIN] += (float)r->loss.margin * count;
    figure[FIGURE_PRIMAL] += (float)r->loss.primal * count;
    figure[FIGURE_DUAL_ACTIVE] += (float)r->loss.dual_active;
    figure[FIGURE_MARGIN_ACTIVE] += (float)r->loss.margin_active;
    figure[FIGURE_PRIMAL_ACTIVE] += (float)r->loss.primal_active;
    figure[FIGURE_INFEASIBLE_SAMPLES] += (float)r->infeasible_samples * count;
    figure[FIGURE_INFEASIBLE_INSTANCES] += (float)r->infeasible_instances * count;
    if (feasible > 0.5) figure[FIGURE_OBJECTIVE] += (float)(r->best_objective * feasible);
    figure[FIGURE_REPLAYED] += (float)r->replayed * count;
    figure[FIGURE_AUX_LOSS] += (float)l->loss;
    figure[FIGURE_NODES0] += (float)l->nodes[0];
    figure[FIGURE_NODES1] += (float)l->nodes[1];
    figure[FIGURE_RIGHT0] += (float)l->right[0];
    figure[FIGURE_RIGHT1] += (float)l->right[1];
    figure[FIGURE_ANCHORS] += (float)r->anchors.used;
    figure[FIGURE_ANCHORS_MASKED] += (float)r->anchors.masked;
    figure[FIGURE_ANCHOR_GAINS] += (float)r->anchors.gains;
    figure[FIGURE_ANCHOR_GAIN] += (float)r->anchors.gain;
    figure[FIGURE_ANCHOR_LOG_PROB] += (float)r->anchors.log_prob;
}

struct doing {
    struct step_task task;
    ucpo_loss_config loss;
    int samples, n;
    double search, work; /* seconds of this process's threads: in refine, in all */
};

static ucpo_status learn_batch(struct trainer *t, struct doing *doing, int64_t batch, float *figure,
                               ucpo_error *err)
{
    const struct train_phase *p = &t->plan->phase[t->at.phase];
    struct source_batch drawn;
    struct step *step = NULL;
    struct step_result result;
    int begin, end;
    own_part(t, batch_size(t, batch), &begin, &end);
    doing->n = source_nodes(t->source, t->at.phase, (uint64_t)(t->at.batches + batch));
    doing->samples = train_samples(p, doing->n, done_share(t));
    ucpo_status st = trainer_draw(t, batch, &drawn, err);
    if (st || drawn.count == 0) return st;
    st = workspace(t, drawn.n, &step, err);
    if (st) return st;
    step_set_samples(step, doing->samples);
    doing->task.options.index = (uint64_t)(t->at.instances + batch * p->batch + begin);
    double began = clock_seconds();
    st = step_gradient(step, t->params, drawn.instance, drawn.count, &doing->task, &result, err);
    if (st) return st;
    doing->work += (clock_seconds() - began) * step->threads;
    doing->search += result.anchors.seconds;
    t->kern->add(t->grads, step->grads, t->model->total);
    add_figures(figure, &result);
    return UCPO_OK;
}

enum { MARK = 4096 }; /* as many processes add up exactly */

/* Two numbers that differ, most likely, if the weights or the step do. */
static void mark_state(const struct trainer *t, float mark[2])
{
    uint64_t sum = (uint64_t)t->at.step * 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < t->model->total; i++) {
        float weight = (float)t->params[i];
        uint32_t bits;
        memcpy(&bits, &weight, sizeof bits);
        sum += bits * (0x9e3779b97f4a7c15u + 2 * (uint64_t)i);
    }
    sum ^= sum >> 29;
    mark[0] = (float)((sum >> 12) % MARK), mark[1] = (float)(sum % MARK);
}

/* What the others said, after the sum. */
static ucpo_status hear(struct trainer *t, const float *figure, const float mark[2],
                        ucpo_error *err)
{
    float ranks = (float)t->comm->ranks;
    if (figure[FIGURE_DIVERGED] > 0)
        return status_fail(err, UCPO_E_DIVERGED, "step %lld is not finite in another process",
                           (long long)t->at.step + 1);
    if (figure[FIGURE_FAILED] > 0)
        return status_fail(err, UCPO_E_IO, "another process failed; its message says why");
    if (figure[FIGURE_MARK0] != ranks * mark[0] || figure[FIGURE_MARK1] != ranks * mark[1])
        return status_fail(err, UCPO_E_MISMATCH,
                           "processes hold different weights before step %lld: not the same "
                           "checkpoint, or processors of different kinds",
                           (long long)t->at.step + 1);
    t->heard = figure[FIGURE_STOP] > 0    ? UCPO_TRAIN_STOPPED
               : figure[FIGURE_LIMIT] > 0 ? UCPO_TRAIN_LIMIT
                                          : 0;
    return UCPO_OK;
}

/* The gradient and figures of all processes. A process that failed tells the others. */
static ucpo_status sum_over_processes(struct trainer *t, float *figure, ucpo_status st,
                                      ucpo_error *err)
{
    if (!t->comm || t->comm->ranks == 1) return st;
    size_t total = t->model->total;
    float mark[2];
    mark_state(t, mark);
    for (size_t i = 0; i < total; i++) t->shared[i] = st ? 0 : (float)t->grads[i];
    figure[FIGURE_FAILED] = st ? 1.0f : 0.0f;
    figure[FIGURE_DIVERGED] = st == UCPO_E_DIVERGED ? 1.0f : 0.0f;
    figure[FIGURE_STOP] = t->wish == UCPO_TRAIN_STOPPED ? 1.0f : 0.0f;
    figure[FIGURE_LIMIT] = t->wish == UCPO_TRAIN_LIMIT ? 1.0f : 0.0f;
    figure[FIGURE_MARK0] = mark[0], figure[FIGURE_MARK1] = mark[1];
    ucpo_error trouble = {0};
    ucpo_status sent = t->comm->sum(t->comm->user, t->shared, total + FIGURES, &trouble);
    if (st) return st;
    if (sent) {
        if (err) *err = trouble;
        return sent;
    }
    st = hear(t, figure, mark, err);
    for (size_t i = 0; !st && i < total; i++) t->grads[i] = (real)t->shared[i];
    return st;
}

ucpo_train_report trainer_report(const struct trainer *t)
{
    ucpo_train_report report = {.step = t->at.step,
                                .instances = t->at.instances,
                                .total = t->plan->instances,
                                .phase = trainer_is_done(t) ? t->plan->phases : t->at.phase + 1};
    metrics_clear(&report);
    return report;
}

static void report_anchors(const struct doing *d, const float *f, ucpo_train_report *r)
{
    double count = (double)f[FIGURE_INSTANCES], anchors = (double)f[FIGURE_ANCHORS];
    if (d->task.anchor.mode == ANCHOR_NONE) return;
    r->anchor_share = anchors / count;
    r->anchor_masked = (double)f[FIGURE_ANCHORS_MASKED] / count;
    if (f[FIGURE_ANCHOR_GAINS] > 0)
        r->anchor_gain = (double)(f[FIGURE_ANCHOR_GAIN] / f[FIGURE_ANCHOR_GAINS]);
    if (anchors > 0) r->anchor_log_prob = (double)f[FIGURE_ANCHOR_LOG_PROB] / anchors;
    if (d->work > 0) r->anchor_time = d->search / d->work;
}

static void fill_report(const struct doing *d, const struct trainer *t, const float *f, double lr,
                        double norm, ucpo_train_report *r)
{
    double count = (double)f[FIGURE_INSTANCES];
    double feasible = count - (double)f[FIGURE_INFEASIBLE_INSTANCES];
    *r = trainer_report(t);
    r->kind = "train";
    r->n = d->n, r->samples = d->samples;
    metrics_take_means(r, f);
    if (feasible > 0.5) r->objective = (double)f[FIGURE_OBJECTIVE] / feasible;
    r->lr = lr, r->alpha = ucpo_loss_alpha(&d->loss, d->n), r->grad_norm = norm;
    report_anchors(d, f, r);
    if (!(f[FIGURE_NODES0] > 0) || !(f[FIGURE_NODES1] > 0)) return;
    r->aux_loss = (double)f[FIGURE_AUX_LOSS];
    r->recall_feasible = (double)(f[FIGURE_RIGHT0] / f[FIGURE_NODES0]);
    r->recall_infeasible = (double)(f[FIGURE_RIGHT1] / f[FIGURE_NODES1]);
}

static void advance(struct trainer *t, int64_t batches, int instances)
{
    t->at.step++, t->at.phase_step++;
    t->at.batches += batches;
    t->at.instances += instances, t->at.phase_instances += instances;
    if (t->at.phase_instances < phase_length(t)) return;
    t->at.phase++;
    t->at.phase_step = t->at.phase_instances = 0;
    if (trainer_is_done(t)) return;
    /* the next phase judges predictors anew; its own instances may be harder */
    t->pipd = (struct pipd){.block = -1, .frozen = t->pipd.frozen, .snapshot = t->pipd.snapshot};
}

/* The mask of the step: true while the auxiliary decoder learns it, predicted otherwise. */
static void choose_mask(struct trainer *t, const struct train_phase *p, struct step_task *task)
{
    task->options.mask = p->mask_kind;
    if (!p->is_predicted) return;
    double done = done_share(t);
    pipd_renew(&t->pipd, p, done, t->model->total);
    task->learns_aux = pipd_learns(p, done) || !t->pipd.has_frozen;
    task->predictor = task->learns_aux ? NULL : t->pipd.frozen;
}

static ucpo_status update(struct trainer *t, const struct train_phase *p, double rate, double *norm,
                          ucpo_error *err)
{
    struct nn_adam adam = nn_adam_default();
    adam.rate = rate, adam.decay = p->weight_decay, adam.clip_norm = p->clip_norm;
    adam.step = t->at.adam_step;
    *norm = nn_adam_step(&adam, t->kern, t->model, t->params, t->m, t->v, t->grads);
    if (!isfinite(*norm))
        return status_fail(err, UCPO_E_DIVERGED, "the gradient of step %lld is not finite",
                           (long long)t->at.step + 1);
    t->at.adam_step = adam.step;
    return UCPO_OK;
}

ucpo_status trainer_step(struct trainer *t, ucpo_train_report *report, ucpo_error *err)
{
    const struct train_phase *p = &t->plan->phase[t->at.phase];
    struct doing doing = {.loss = train_loss(p, done_share(t))};
    doing.task = (struct step_task){.loss = &doing.loss,
                                    .score = p->score_kind,
                                    .options = policy_options_default(),
                                    .images = p->data[0] ? (int)p->images : 1,
                                    .anchor = train_anchor(p, done_share(t))};
    doing.task.options.seed = t->plan->run.seed;
    doing.task.options.has_forced_start = p->has_forced_start;
    choose_mask(t, p, &doing.task);
    int64_t batches = 0;
    for (int count; (count = batch_size(t, batches)) > 0; batches++) doing.task.total += count;
    float *figure = t->shared + t->model->total;
    memset(figure, 0, FIGURES * sizeof *figure);
    memset(t->grads, 0, t->model->total * sizeof(real));
    ucpo_status st = UCPO_OK;
    for (int64_t b = 0; !st && b < batches; b++) st = learn_batch(t, &doing, b, figure, err);
    st = sum_over_processes(t, figure, st, err);
    if (st) return st;
    double rate = t->plan->run.time > 0.0 ? train_rate_in_time(p, t->time_share, t->at.phase_step)
                                          : train_rate(p, t->at.phase_step);
    double norm = 0.0;
    st = update(t, p, rate, &norm, err);
    if (st) return st;
    if (doing.task.learns_aux) {
        struct step_labels labels = {
            .nodes = {(int64_t)figure[FIGURE_NODES0], (int64_t)figure[FIGURE_NODES1]},
            .right = {(int64_t)figure[FIGURE_RIGHT0], (int64_t)figure[FIGURE_RIGHT1]}};
        pipd_judge(&t->pipd, p, &labels, t->params, t->model->total);
    }
    int phase = t->at.phase;
    advance(t, batches, doing.task.total);
    fill_report(&doing, t, figure, rate, norm, report);
    report->phase = phase + 1;
    return UCPO_OK;
}
