#include "train/anchor.h"

#include "core/clock.h"
#include "refine/refine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct anchor {
    struct refine *refine; /* of the latest instance; NULL: there was none yet */
    double *weight;        /* samples + 1 */
    uint32_t *rank;
    int32_t *when; /* nodes: at which step the best sample comes to a node */
};

ucpo_status anchor_create(int samples, int nodes, struct anchor **out, ucpo_error *err)
{
    struct anchor *a = mem_zeroed(1, sizeof *a);
    if (!a) return status_no_memory(err, sizeof *a);
    a->weight = mem_zeroed((size_t)samples + 1, sizeof *a->weight);
    a->rank = mem_zeroed((size_t)samples + 1, sizeof *a->rank);
    a->when = mem_zeroed((size_t)nodes, sizeof *a->when);
    if (!a->weight || !a->rank || !a->when) {
        anchor_free(a);
        return status_no_memory(err, ((size_t)samples + 1) * sizeof *a->weight);
    }
    *out = a;
    return UCPO_OK;
}

void anchor_free(struct anchor *a)
{
    if (!a) return;
    refine_free(a->refine);
    free(a->weight);
    free(a->rank);
    free(a->when);
    free(a);
}

/* By the feasible-first order, which is also the search's. A gain that could be rounding is none. */
static int is_better(double f, double v, double than_f, double than_v)
{
    return ucpo_compare(NULL, f + 1e-9 * fabs(f), v, than_f, than_v) < 0;
}

static int best_sample(const struct anchor_row *row)
{
    int best = 0;
    for (int k = 1; k < row->samples; k++)
        if (is_better(row->objective[k], row->violation[k], row->objective[best],
                      row->violation[best]))
            best = k;
    return best;
}

/* ---- a plan as actions ---- */

struct route {
    size_t begin, end; /* of its customers in the plan; none: it ends there */
    double when;       /* mean step at which the sample comes to them */
};

static struct route route_from(const struct refined *plan, const int32_t *when, size_t k)
{
    while (k < plan->len && plan->nodes[k] == 0) k++;
    struct route route = {k, k, 0.0};
    for (; route.end < plan->len && plan->nodes[route.end] != 0; route.end++)
        route.when += when[plan->nodes[route.end]];
    if (route.end > route.begin) route.when /= (double)(route.end - route.begin);
    return route;
}

/* The first route of the plan behind `last`, in the order in which the sample comes to them. */
static struct route next_route(const struct refined *plan, const int32_t *when,
                               const struct route *last)
{
    struct route next = {plan->len, plan->len, HUGE_VAL}, r = route_from(plan, when, 0);
    for (; r.end > r.begin; r = route_from(plan, when, r.end)) {
        int is_behind = r.when > last->when || (r.when == last->when && r.begin > last->begin);
        if (is_behind && r.when < next.when) next = r;
    }
    return next;
}

/* No depot in a tour. In a fleet one between routes, and one at the end, which is among the zeros
 * behind; the order of the routes is that of the sample, since any order is the same plan and another
 * one would have to be learned for nothing. */
static void write_actions(struct anchor *a, const struct policy *p, const struct refined *plan,
                          int32_t nodes, const int32_t *sample, int32_t *actions)
{
    int most = policy_max_steps(p), count = 0;
    for (int32_t node = 0; node < nodes; node++) a->when[node] = most; /* it may have ended early */
    for (int k = 0; k < most; k++) a->when[sample[k]] = k;
    memset(actions, 0, (size_t)most * sizeof *actions);
    struct route r = next_route(plan, a->when, &(struct route){0, 0, -1.0});
    for (; r.end > r.begin; r = next_route(plan, a->when, &r)) {
        if (count > 0) count++;
        for (size_t k = r.begin; k < r.end && count < most; k++) actions[count++] = plan->nodes[k];
    }
}

/* ---- the search ---- */

static ucpo_status search(struct anchor *a, const ucpo_instance *inst, const int32_t *actions,
                          int most, uint64_t seed, int64_t effort, ucpo_error *err)
{
    size_t len = (size_t)most;
    while (len > 0 && actions[len - 1] == 0) len--;
    ucpo_status st = a->refine ? refine_bind(a->refine, inst, NULL, err)
                               : refine_create(inst, NULL, &a->refine, err);
    if (!st) st = refine_start(a->refine, actions, len, seed, err);
    if (!st) refine_run(a->refine, effort, NULL);
    return st;
}

/* ---- the anchor of an instance ---- */

static struct policy_options replay_options(const struct policy_options *options)
{
    struct policy_options again = *options;
    again.is_bound = 1; /* the rollout was about this instance */
    again.temperature = 1.0;
    return again;
}

static int32_t *last_actions(const struct policy *p, const struct anchor_row *row)
{
    return row->actions + (size_t)row->samples * (size_t)policy_max_steps(p);
}

/* Replays the refined trajectory and decides whether it is of use. */
static ucpo_status judge(struct policy *p, const struct policy_options *options,
                         const struct anchor_row *row, int best, struct anchor_note *note,
                         ucpo_error *err)
{
    int last = row->samples;
    int32_t outside = 0;
    struct policy_result result = {.log_prob = row->log_prob + last,
                                   .objective = row->objective + last,
                                   .violation = row->violation + last,
                                   .counted = row->counted + last,
                                   .outside = &outside};
    struct policy_options again = replay_options(options);
    ucpo_status st =
        policy_replay(p, row->b, row->inst, &again, last_actions(p, row), 1, NULL, &result, err);
    if (st) return st;
    double f = row->objective[last], v = row->violation[last];
    if (!is_better(f, v, row->objective[best], row->violation[best])) return UCPO_OK;
    note->is_masked = outside > 0;
    if (note->is_masked || row->counted[last] == 0 || !isfinite(row->log_prob[last]))
        return UCPO_OK;
    note->is_used = 1;
    note->log_prob = row->log_prob[last] / row->counted[last];
    note->has_gain = row->violation[best] <= 0.0;
    if (note->has_gain) note->gain = 100.0 * (1.0 - f / row->objective[best]);
    return UCPO_OK;
}

ucpo_status anchor_find(struct anchor *a, const struct anchor_config *config, struct policy *p,
                        const struct policy_options *options, const struct anchor_row *row,
                        struct anchor_note *note, ucpo_error *err)
{
    *note = (struct anchor_note){0};
    struct rng rng = rng_at(options->seed, RNG_ANCHOR, options->index);
    if (rng_uniform(&rng) >= config->share) return UCPO_OK;
    uint64_t high = rng_u32(&rng), seed = high << 32 | rng_u32(&rng);
    int best = best_sample(row), most = policy_max_steps(p);
    const int32_t *start = row->actions + (size_t)best * (size_t)most;
    int64_t n = row->inst->data.n, effort = config->effort > 0 ? config->effort : 40 * n * n;
    double began = clock_seconds();
    ucpo_status st = search(a, row->inst, start, most, seed, effort, err);
    note->seconds = clock_seconds() - began;
    if (st) return st;
    struct refined plan = refine_best(a->refine);
    write_actions(a, p, &plan, row->inst->data.n, start, last_actions(p, row));
    return judge(p, options, row, best, note, err);
}

/* ---- learning from it ---- */

static double between(double from, double to, double share)
{
    return from + share * (to - from);
}

ucpo_status anchor_mix(struct anchor *a, const struct anchor_config *config,
                       const ucpo_loss_config *loss, const struct anchor_row *row,
                       ucpo_loss_result *result, double *weight, ucpo_error *err)
{
    ucpo_loss_result with;
    double share = config->weight;
    ucpo_status st = ucpo_loss(loss, (size_t)row->samples + 1, row->objective, row->violation,
                               row->log_prob, &with, a->weight, a->rank, err);
    if (st) return st;
    weight[row->samples] = 0.0;
    for (int k = 0; k <= row->samples; k++) weight[k] = between(weight[k], a->weight[k], share);
    result->loss = between(result->loss, with.loss, share);
    result->dual = between(result->dual, with.dual, share);
    result->margin = between(result->margin, with.margin, share);
    result->primal = between(result->primal, with.primal, share);
    result->pairs += with.pairs;
    result->dual_active |= with.dual_active;
    result->margin_active |= with.margin_active;
    result->primal_active |= with.primal_active;
    return UCPO_OK;
}

ucpo_status anchor_learn(struct policy *p, const struct policy_options *options,
                         const struct anchor_row *row, double weight, ucpo_error *err)
{
    struct policy_result nothing = {0};
    struct policy_options again = replay_options(options);
    return policy_replay(p, row->b, row->inst, &again, last_actions(p, row), 1, &weight, &nothing,
                         err);
}
