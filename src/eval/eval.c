#include "eval/eval.h"

#include "core/allowance.h"
#include "core/clock.h"
#include "core/par.h"
#include "eval/focus.h"
#include "math/kern.h"
#include "refine/refine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What one thread works with. Made for one n, and made anew when another n comes. */
struct worker {
    struct policy *policy;
    int samples;                   /* per image */
    int32_t *actions;              /* (samples + 1) x most steps */
    double *objective, *violation; /* samples */
    struct focus *focus;           /* NULL: one round */
};

struct eval {
    const struct nn_model *model;
    const struct prob_ops *ops;
    ucpo_eval_config config;
    struct policy_means means;
    int together; /* instances that are encoded as one batch */
    int threads;
    struct worker *worker; /* one per thread */
    int32_t *plan;         /* answers, one after the other */
    size_t *plan_at;       /* where each begins; room up to the next */
    size_t *plan_len;
    size_t plan_capacity, at_capacity, len_capacity;
};

/* ---- besides decoding: local search, and answers without a model. Instances are their own `load`. ---- */

/* A plan and what it is worth; there is room for 2 n nodes (tours: n). */
struct polished {
    int32_t *nodes;
    size_t len;
    double objective, violation;
};

/* The best of the constructive rules. */
struct built {
    struct polished plan;
    int rule; /* which one it is of */
    int candidates, feasible;
    double sum; /* of the feasible ones' objectives */
    int first_is_feasible;
    double first_objective;
};

/* Replaces the plan by one that is not worse. */
static ucpo_status polish_plan(const ucpo_eval_config *config, const ucpo_instance *inst,
                               uint64_t number, struct polished *plan, ucpo_error *err)
{
    struct allowance allowance;
    struct stop stop = allowance_stop(&allowance, config->refine_seconds);
    const struct stop *limit = config->refine_seconds > 0.0 ? &stop : NULL;
    int64_t effort = config->refine_moves > 0 ? config->refine_moves : INT64_MAX;
    struct rng rng = rng_at(config->seed, RNG_SEARCH, number);
    struct refine *refine = NULL;
    ucpo_status st = refine_create(inst, limit, &refine, err);
    if (st == UCPO_E_CANCELLED) return UCPO_OK; /* no time to begin */
    if (!st) st = refine_start(refine, plan->nodes, plan->len, rng_u32(&rng), err);
    if (!st) {
        refine_run(refine, effort, limit);
        struct refined best = refine_best(refine);
        memcpy(plan->nodes, best.nodes, best.len * sizeof *best.nodes);
        plan->len = best.len;
        plan->objective = best.objective;
        plan->violation = best.violation;
    }
    refine_free(refine);
    return st;
}

static ucpo_status try_rule(struct construct *c, int rule, const ucpo_instance *inst,
                            int32_t *draft, struct built *best, ucpo_error *err)
{
    size_t len = 0;
    ucpo_evaluation check;
    ucpo_status st = construct_run(c, rule, NULL, draft, &len, err);
    if (!st) st = ucpo_check(inst, draft, len, &check, NULL, 0, NULL, 0, err);
    if (st) return st;
    double objective = check.cost / inst->data.unit;
    double violation = check.is_feasible ? 0.0 : check.violation;
    best->feasible += check.is_feasible;
    if (check.is_feasible) best->sum += objective;
    if (rule == 0) best->first_is_feasible = check.is_feasible, best->first_objective = objective;
    struct polished *p = &best->plan;
    if (rule > 0 && ucpo_compare(NULL, objective, violation, p->objective, p->violation) >= 0)
        return UCPO_OK;
    memcpy(p->nodes, draft, len * sizeof *draft);
    p->len = len;
    p->objective = objective;
    p->violation = violation;
    best->rule = rule;
    return UCPO_OK;
}

static ucpo_status build_plan(const ucpo_instance *inst, struct built *best, ucpo_error *err)
{
    size_t room = 2 * (size_t)inst->data.n;
    int32_t *draft = mem_zeroed(room, sizeof *draft);
    struct construct *c = NULL;
    ucpo_status st = draft ? UCPO_OK : status_no_memory(err, room * sizeof *draft);
    if (!st) st = construct_create(inst, &c, err);
    for (int rule = 0; !st && rule < CONSTRUCT_RULES; rule++)
        st = try_rule(c, rule, inst, draft, best, err);
    best->candidates = CONSTRUCT_RULES;
    construct_free(c);
    free(draft);
    return st;
}

/* ---- life ---- */

static ucpo_status check_config(const ucpo_eval_config *c, ucpo_error *err)
{
    if (c->samples < 0 || c->samples > EVAL_MAX_SAMPLES)
        return status_argument(err, "samples is %d, expected 0 .. %d", c->samples,
                               EVAL_MAX_SAMPLES);
    if (c->augment < 1 || c->augment > EVAL_IMAGES)
        return status_argument(err, "augment is %d, expected 1 .. %d", c->augment, EVAL_IMAGES);
    if (!(c->temperature >= 1e-3 && c->temperature <= 1e3))
        return status_argument(err, "temperature is %g, expected 0.001 .. 1000", c->temperature);
    if (!(c->refine_seconds >= 0.0 && c->refine_seconds <= 1e6))
        return status_argument(err, "refine_seconds is %g, expected 0 .. 1e6", c->refine_seconds);
    if (!(c->mask_tolerance >= 0.0 && c->mask_tolerance <= 1e100))
        return status_argument(err, "mask_tolerance is %g, expected 0 .. 1e100", c->mask_tolerance);
    if (c->backtrack < 0 || c->backtrack > 1000000)
        return status_argument(err, "backtrack is %d, expected 0 .. 1000000", (int)c->backtrack);
    if (c->backtrack > 0 && c->multi_start)
        return status_argument(err,
                               "backtrack is for one trajectory per image, multi_start has many");
    if (c->refine_moves < 0)
        return status_argument(err, "refine_moves is %lld, expected 0 or more",
                               (long long)c->refine_moves);
    if (c->rounds < 0 || c->rounds > EVAL_MAX_ROUNDS)
        return status_argument(err, "rounds is %d, expected 0 .. %d", (int)c->rounds,
                               EVAL_MAX_ROUNDS);
    if (c->rounds > 1 && (c->greedy || c->multi_start))
        return status_argument(
            err, "rounds are for sampled trajectories, not for greedy or multi_start");
    return UCPO_OK;
}

ucpo_status eval_create(const struct nn_model *model, const struct prob_ops *ops,
                        const ucpo_eval_config *config, const struct policy_means *means,
                        struct eval **out, ucpo_error *err)
{
    ucpo_status st = check_config(config, err);
    if (st) return st;
    struct eval *e = mem_zeroed(1, sizeof *e);
    if (!e) return status_no_memory(err, sizeof *e);
    e->model = model;
    e->ops = ops;
    e->config = *config;
    e->means = *means;
    e->together = EVAL_IMAGES / config->augment;
    if (!e->means.kern) e->means.kern = kern_best();
    e->threads = kern_is_thread_safe(e->means.kern) ? par_threads(config->threads) : 1;
    e->worker = mem_zeroed((size_t)e->threads, sizeof *e->worker);
    if (!e->worker) {
        eval_free(e);
        return status_no_memory(err, sizeof *e->worker);
    }
    *out = e;
    return UCPO_OK;
}

static void worker_clear(struct worker *w)
{
    policy_free(w->policy);
    focus_free(w->focus);
    free(w->actions);
    free(w->objective);
    free(w->violation);
    *w = (struct worker){0};
}

void eval_free(struct eval *e)
{
    if (!e) return;
    for (int t = 0; e->worker && t < e->threads; t++) worker_clear(&e->worker[t]);
    free(e->worker);
    free(e->plan);
    free(e->plan_at);
    free(e->plan_len);
    free(e);
}

/* Trajectories per image of an instance of n nodes. */
static int samples_for(const struct eval *e, int n)
{
    int is_multi = e->config.multi_start;
    if (e->config.greedy) return is_multi ? n - 1 : 1;
    if (e->config.samples) return e->config.samples;
    return n - (is_multi || e->ops->info.depot_is_extra);
}

/* Larger instances are a batch by themselves: eight would take eight times the memory and no less time. */
enum { SHARES_A_BATCH = 200 };

static ucpo_status worker_fit(const struct eval *e, struct worker *w, int n, ucpo_error *err)
{
    if (w->policy && w->policy->n == n) return UCPO_OK;
    worker_clear(w);
    int samples = samples_for(e, n), together = n > SHARES_A_BATCH ? 1 : e->together;
    ucpo_status st = policy_create(e->model, e->ops, n, together * e->config.augment, samples, 0,
                                   &w->policy, err);
    if (st) return st;
    policy_use_kernels(w->policy, e->means.kern);
    size_t rows = (size_t)samples, most = (size_t)policy_max_steps(w->policy);
    w->actions = mem_zeroed((rows + 1) * most, sizeof *w->actions); /* one for backtracking */
    w->objective = mem_zeroed(rows, sizeof *w->objective);
    w->violation = mem_zeroed(rows, sizeof *w->violation);
    w->samples = samples;
    if (!w->actions || !w->objective || !w->violation)
        st = status_no_memory(err, rows * most * sizeof *w->actions);
    if (!st && e->config.rounds > 1 && samples > 1)
        st = focus_create(samples, e->config.augment, n, most, e->ops->max_vehicles != 1, &w->focus,
                          err);
    if (st) worker_clear(w);
    return st;
}

/* ---- one instance ---- */

struct job {
    struct eval *eval;
    const real *params;
    const ucpo_instance *const *instances;
    size_t count;
    uint64_t first;
    ucpo_eval_record *records;
};

/* The best candidate so far. */
struct best {
    double objective, violation;
    int32_t candidate; /* -1: none yet */
};

/* Keeps the actions of the best candidate as the plan of instance i, without closing depots. */
static void keep_plan(struct eval *e, size_t i, const int32_t *actions, size_t most)
{
    while (most > 0 && actions[most - 1] == 0) most--;
    memcpy(e->plan + e->plan_at[i], actions, most * sizeof *actions);
    e->plan_len[i] = most;
}

/* Keeps a plan that is better than the best. */
static void take_plan(const struct job *job, const struct worker *w, size_t i,
                      const int32_t *actions, struct best plan, struct best *best)
{
    if (best->candidate >= 0 &&
        ucpo_compare(NULL, plan.objective, plan.violation, best->objective, best->violation) >= 0)
        return;
    *best = plan;
    keep_plan(job->eval, i, actions, (size_t)policy_max_steps(w->policy));
}

/* The same with the best that has come of the rounds, completed by a candidate. */
static void take_focus(const struct job *job, const struct worker *w, size_t i, int candidate,
                       struct best *best)
{
    struct best plan = {.candidate = candidate};
    const int32_t *actions = focus_best(w->focus, &plan.objective, &plan.violation);
    take_plan(job, w, i, actions, plan, best);
}

/* Takes in the candidates of one image from number `from` on; adds the feasible ones' objectives to
 * `sum`. */
static ucpo_status take_image(const struct job *job, const struct worker *w, size_t i, int from,
                              struct best *best, double *sum, ucpo_error *err)
{
    ucpo_eval_record *r = &job->records[i];
    int samples = w->policy->samples;
    size_t most = (size_t)policy_max_steps(w->policy);
    double own = 0.0;
    for (int s = 0; s < samples; s++) {
        double f = w->objective[s], v = w->violation[s];
        int is_feasible = v <= 0.0;
        r->feasible += is_feasible;
        own += is_feasible ? f : 0.0;
        if (from == 0 && s == 0) r->first_is_feasible = is_feasible, r->first_objective = f;
        const int32_t *actions = w->actions + (size_t)s * most;
        if (w->focus) {
            ucpo_status st = focus_take(w->focus, s, actions, f, v, err);
            if (st) return st;
            take_focus(job, w, i, from + s, best);
        } else {
            take_plan(job, w, i, actions, (struct best){f, v, from + s}, best);
        }
    }
    *sum += own;
    return UCPO_OK;
}

static void reverse(int32_t *plan, size_t len)
{
    for (size_t a = 0; a + 1 < len - a; a++) {
        int32_t node = plan[a];
        plan[a] = plan[len - 1 - a];
        plan[len - 1 - a] = node;
    }
}

/* The answer as the checker sees it. */
static ucpo_status verify(const struct job *job, size_t i, const struct best *best, ucpo_error *err)
{
    struct eval *e = job->eval;
    const ucpo_instance *inst = job->instances[i];
    ucpo_eval_record *r = &job->records[i];
    ucpo_evaluation check;
    ucpo_status st =
        ucpo_check(inst, e->plan + e->plan_at[i], e->plan_len[i], &check, NULL, 0, NULL, 0, err);
    if (st) return st;
    double expected = best->objective * inst->data.unit;
    int is_same_cost = fabs(check.cost - expected) <= 1e-9 * fmax(expected, inst->data.unit);
    r->best = best->candidate;
    r->cost = check.cost;
    r->objective = check.cost / inst->data.unit;
    r->violation = check.violation;
    r->late_max = check.late_max;
    r->over_max = check.over_max;
    r->is_tolerated = check.is_tolerated;
    int is_claimed = best->violation <= 0.0, is_image = inst->load != inst && !inst->data.limit;
    if (is_image && check.is_feasible) is_claimed = 1; /* which is harder */
    r->is_feasible = check.is_feasible && is_claimed;
    r->is_disputed = !is_same_cost || check.is_feasible != is_claimed;
    return UCPO_OK;
}

/* Improves the answer, if that is asked for, and verifies it. `inst` is the instance as the
 * environment wants it. */
static ucpo_status finish(const struct job *job, size_t i, const ucpo_instance *inst,
                          struct best *best, ucpo_error *err)
{
    struct eval *e = job->eval;
    ucpo_eval_record *r = &job->records[i];
    int32_t *plan = e->plan + e->plan_at[i];
    r->decoded_is_feasible = best->violation <= 0.0;
    r->decoded_objective = best->objective;
    r->decoded_violation = best->violation;
    if (e->config.refine_moves > 0 || e->config.refine_seconds > 0.0) {
        struct polished p = {plan, e->plan_len[i], best->objective, best->violation};
        double begin = clock_thread_seconds();
        ucpo_status st = polish_plan(&e->config, inst, job->first + i, &p, err);
        if (st) return st;
        r->refine_seconds = clock_thread_seconds() - begin;
        e->plan_len[i] = p.len;
        best->objective = p.objective;
        best->violation = p.violation;
    }
    if (instance_is_reversed(job->instances[i])) reverse(plan, e->plan_len[i]);
    return verify(job, i, best, err);
}

/* The constructive rules' candidates of instance i. */
static ucpo_status build(const struct job *job, size_t i, const ucpo_instance *inst,
                         ucpo_error *err)
{
    struct eval *e = job->eval;
    ucpo_eval_record *r = &job->records[i];
    struct built built = {.plan = {.nodes = e->plan + e->plan_at[i]}};
    double begin = clock_thread_seconds();
    ucpo_status st = build_plan(inst, &built, err);
    if (st) return st;
    e->plan_len[i] = built.plan.len;
    *r = (ucpo_eval_record){.candidates = built.candidates,
                            .feasible = built.feasible,
                            .first_is_feasible = built.first_is_feasible,
                            .first_objective = built.first_objective,
                            .decode_seconds = clock_thread_seconds() - begin};
    r->mean_objective = built.feasible > 0 ? built.sum / built.feasible : (double)NAN;
    struct best best = {built.plan.objective, built.plan.violation, built.rule};
    return finish(job, i, inst, &best, err);
}

/* The candidates of one image and round. */
static ucpo_status decode_image(const struct job *job, struct worker *w, size_t i,
                                const ucpo_instance *inst, int slot, int image, int round,
                                ucpo_error *err)
{
    struct eval *e = job->eval;
    const ucpo_eval_config *c = &e->config;
    struct policy_options o = policy_options_default();
    o.mask = e->means.mask, o.is_greedy = c->greedy, o.temperature = c->temperature;
    o.has_forced_start = c->multi_start, o.mask_tolerance = c->mask_tolerance;
    o.predictor = e->means.is_predicted ? w->policy : NULL;
    o.seed = c->seed;
    o.index = (((uint64_t)round << 40) + job->first + i) * EVAL_IMAGES + (uint64_t)image;
    struct policy_result result = {.objective = w->objective, .violation = w->violation};
    if (w->focus) result.sure = focus_begin(w->focus, w->policy->samples, &o);
    ucpo_status st = policy_rollout(w->policy, slot + image, inst, &o, w->actions, &result, err);
    if (!st && c->backtrack > 0 && c->greedy && w->violation[0] > 0.0)
        st = policy_mend(w->policy, slot + image, inst, &o, c->backtrack, w->actions, &result, err);
    return st;
}

/* All candidates of instance i, whose images are encoded from slot `slot` on. */
static ucpo_status decode(const struct job *job, struct worker *w, size_t i,
                          const ucpo_instance *inst, int slot, ucpo_error *err)
{
    const ucpo_eval_config *c = &job->eval->config;
    ucpo_eval_record *r = &job->records[i];
    struct best best = {.candidate = -1};
    double sum = 0.0;
    double begin = clock_thread_seconds();
    int rounds = c->rounds > 1 ? c->rounds : 1, done = 0;
    if (rounds > w->samples) rounds = w->samples;
    *r = (ucpo_eval_record){.candidates = c->augment * w->samples};
    if (w->focus) focus_clear(w->focus, inst, rounds);
    for (int round = 0; round < rounds; round++) {
        int until = (int)((int64_t)w->samples * (round + 1) / rounds);
        w->policy->samples = until - done;
        for (int image = 0; image < c->augment; image++) {
            ucpo_status st = decode_image(job, w, i, inst, slot, image, round, err);
            if (!st) st = take_image(job, w, i, image * w->samples + done, &best, &sum, err);
            if (st) return st;
        }
        if (w->focus) {
            int last = (c->augment - 1) * w->samples + until - 1;
            ucpo_status st = focus_close_round(w->focus, err);
            if (st) return st;
            take_focus(job, w, i, last, &best);
        }
        done = until;
    }
    r->mean_objective = r->feasible > 0 ? sum / r->feasible : (double)NAN;
    r->decode_seconds = clock_thread_seconds() - begin;
    return finish(job, i, inst, &best, err);
}

/* ---- instances that share a batch ---- */

/* Encodes and decodes instances begin .. end - 1, all of one n; slot is that of the first. `inst`
 * are the instances as the environment wants them. */
static ucpo_status run_batch(const struct job *job, struct worker *w, size_t begin, size_t end,
                             int slot, const ucpo_instance *const *inst, ucpo_error *err)
{
    struct policy *p = w->policy;
    int images = job->eval->config.augment;
    double start = clock_thread_seconds();
    for (size_t i = begin; i < end; i++) {
        for (int image = 0; image < images; image++) {
            geometry_image(&inst[i - begin]->data, image, p->xy);
            int own = slot + (int)(i - begin) * images;
            if (image == 0)
                policy_load(p, own, inst[i - begin], p->xy);
            else
                policy_load_image(p, own + image, own, inst[i - begin], p->xy);
        }
    }
    policy_encode(p, job->params, p->B);
    double encoding = (clock_thread_seconds() - start) / (double)(end - begin);
    for (size_t i = begin; i < end; i++) {
        ucpo_status st = decode(job, w, i, inst[i - begin], slot + (int)(i - begin) * images, err);
        if (st) return st;
        job->records[i].decode_seconds += encoding;
    }
    return UCPO_OK;
}

static ucpo_status build_batch(const struct job *job, size_t begin, size_t end,
                               const ucpo_instance *const *inst, ucpo_error *err)
{
    ucpo_status st = UCPO_OK;
    for (size_t i = begin; !st && i < end; i++) st = build(job, i, inst[i - begin], err);
    return st;
}

static ucpo_status run_equal(const struct job *job, struct worker *w, size_t begin, size_t end,
                             int slot, ucpo_error *err)
{
    const ucpo_instance *inst[EVAL_IMAGES] = {NULL};
    for (size_t i = begin; i < end; i++) inst[i - begin] = job->instances[i]->load;
    if (!job->eval->model) return build_batch(job, begin, end, inst, err);
    int n = job->instances[begin]->data.n;
    ucpo_status st = worker_fit(job->eval, w, n, err);
    if (!st && n <= SHARES_A_BATCH) return run_batch(job, w, begin, end, slot, inst, err);
    for (size_t i = begin; !st && i < end; i++)
        st = run_batch(job, w, i, i + 1, 0, inst + (i - begin), err);
    return st;
}

/* Group g holds the instances whose numbers, counted from the first one's group, divided by
 * `together` give g: the place in a group follows from the number alone. */
static ucpo_status run_group(void *context, size_t g, size_t end_group, int thread, ucpo_error *err)
{
    const struct job *job = context;
    const struct eval *e = job->eval;
    size_t together = (size_t)e->together, shift = (size_t)(job->first % together);
    (void)end_group; /* groups come one at a time */
    size_t begin = g == 0 ? 0 : g * together - shift, end = (g + 1) * together - shift;
    if (end > job->count) end = job->count;
    for (size_t i = begin, stop; i < end; i = stop) {
        stop = i + 1;
        while (stop < end && job->instances[stop]->data.n == job->instances[i]->data.n) stop++;
        int slot = (int)((i + shift) % together) * e->config.augment;
        ucpo_status st = run_equal(job, &e->worker[thread], i, stop, slot, err);
        if (st) return st;
    }
    return UCPO_OK;
}

/* ---- a set ---- */

static ucpo_status check_instance(const struct eval *e, const ucpo_instance *inst, uint64_t number,
                                  ucpo_error *err)
{
    const char *name = e->ops->info.name;
    if (inst->ops != e->ops)
        return status_fail(err, UCPO_E_MISMATCH, "the model is for %s, but instance %llu is %s",
                           name, (unsigned long long)number, inst->ops->info.name);
    if (!inst->data.x && e->model)
        return status_fail(err, UCPO_E_UNSUPPORTED,
                           "instance %llu has no coordinates, which the network needs",
                           (unsigned long long)number);
    return UCPO_OK;
}

/* Room for the answers. */
static ucpo_status reserve_plans(struct eval *e, const ucpo_instance *const *instances,
                                 size_t count, ucpo_error *err)
{
    size_t *at = mem_grow(e->plan_at, &e->at_capacity, count + 1, sizeof *at, err);
    if (!at) return UCPO_E_MEMORY;
    e->plan_at = at;
    size_t *len = mem_grow(e->plan_len, &e->len_capacity, count + 1, sizeof *len, err);
    if (!len) return UCPO_E_MEMORY;
    e->plan_len = len;
    size_t total = 0, actions = e->ops->max_vehicles == 1 ? 1 : 2; /* per customer, at most */
    for (size_t i = 0; i < count; i++) {
        len[i] = 0; /* if the instance is not reached */
        at[i] = total;
        total += actions * (size_t)instances[i]->data.n; /* also for rules and local search */
    }
    int32_t *plan = mem_grow(e->plan, &e->plan_capacity, total + 1, sizeof *plan, err);
    if (!plan) return UCPO_E_MEMORY;
    e->plan = plan;
    return UCPO_OK;
}

ucpo_status eval_run(struct eval *e, const real *params, const ucpo_instance *const *instances,
                     size_t count, uint64_t first, const ucpo_hooks *hooks,
                     ucpo_eval_record *records, ucpo_error *err)
{
    for (size_t i = 0; i < count; i++) {
        ucpo_status st = check_instance(e, instances[i], first + i, err);
        if (st) return st;
    }
    if (count == 0) return UCPO_OK;
    ucpo_status st = reserve_plans(e, instances, count, err);
    if (st) return st;
    struct job job = {e, params, instances, count, first, records};
    size_t together = (size_t)e->together, shift = (size_t)(first % together);
    size_t groups = (shift + count - 1) / together + 1;
    return par_run(groups, 1, e->threads, hooks, run_group, &job, err);
}

const int32_t *eval_plan(const struct eval *e, size_t i, size_t *len)
{
    *len = e->plan_len[i];
    return e->plan + e->plan_at[i];
}
