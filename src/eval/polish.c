/* An answer improved by local search. */
#include "eval/polish.h"

#include "core/clock.h"
#include "refine/construct.h"
#include "refine/refine.h"

#include <stdlib.h>
#include <string.h>

/* Processor time that is up. */
struct allowance {
    double from, until;
};

static int is_spent(void *user)
{
    const struct allowance *a = user;
    return clock_thread_seconds() >= a->until;
}

static double share_spent(void *user)
{
    const struct allowance *a = user;
    return (clock_thread_seconds() - a->from) / (a->until - a->from);
}

int polish_is_on(const ucpo_eval_config *config)
{
    return config->refine_moves > 0 || config->refine_seconds > 0.0;
}

ucpo_status polish_plan(const ucpo_eval_config *config, const ucpo_instance *inst, uint64_t number,
                        struct polished *plan, ucpo_error *err)
{
    double now = clock_thread_seconds();
    struct allowance allowance = {now, now + config->refine_seconds};
    struct stop stop = {is_spent, &allowance, share_spent};
    const struct stop *limit = config->refine_seconds > 0.0 ? &stop : NULL;
    int64_t effort = config->refine_moves > 0 ? config->refine_moves : INT64_MAX;
    struct rng rng = rng_at(config->seed, RNG_SEARCH, number);
    struct refine *refine = NULL;
    ucpo_status st = refine_create(inst, limit, &refine, err);
    if (st == UCPO_E_CANCELLED) return UCPO_OK; /* no time to begin */
    if (!st) st = refine_start(refine, plan->nodes, plan->len, rng_u32(&rng), err);
    if (!st) st = refine_run(refine, effort, limit, err);
    if (!st) {
        struct refined best = refine_best(refine);
        memcpy(plan->nodes, best.nodes, best.len * sizeof *best.nodes);
        plan->len = best.len;
        plan->objective = best.objective;
        plan->violation = best.violation;
    }
    refine_free(refine);
    return st;
}

/* ---- where there is no model ---- */

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

ucpo_status build_plan(const ucpo_instance *inst, struct built *best, ucpo_error *err)
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
