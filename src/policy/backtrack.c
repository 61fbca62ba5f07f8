/* A greedy trajectory that steps back from dead ends.
 *
 * A step that dooms the sample (a violation has happened or is certain) is a dead end. The customer
 * that can least be reached any more should have come earlier: the latest decision at which it was
 * open, and has not been tried, takes it instead, and the trajectory goes on from there. Where there
 * is no such decision, the last one takes its next likeliest node. */
#include "policy/rows.h"

#include <assert.h>
#include <string.h>

struct trail {
    struct policy *p;
    const struct policy_options *options;
    int b, n, most;
    int32_t *actions; /* of the trajectory in hand */
    uint8_t *open;    /* most x n: what was open at a decision and has not been tried */
    int depth;        /* decisions taken */
};

/* Environment after the first `depth` actions. */
static void go_to(struct trail *t, int depth)
{
    prob_env_reset(t->p->env);
    for (int k = 0; k < depth; k++) prob_env_step(t->p->env, &t->actions[k]);
    t->depth = depth;
}

static void take(struct trail *t, int32_t node)
{
    struct prob_env *env = t->p->env;
    t->open[(size_t)t->depth * (size_t)t->n + (size_t)node] = 0;
    t->actions[t->depth++] = node;
    prob_env_step(env, &node);
    prob_env_mark_doomed(env);
}

/* The likeliest of the open nodes that have not been tried; -1: there is none. */
static int32_t decide(struct trail *t)
{
    struct policy *p = t->p;
    struct policy_rows *r = p->rows;
    const uint8_t *open = t->open + (size_t)t->depth * (size_t)t->n;
    int32_t best = -1;
    real most = -1;
    rows_look(p, t->options);
    r->count = rows_open(p, t->b, 0, t->options, 0) > 1;
    if (r->count == 0) return open[r->list[0]] ? r->list[0] : -1;
    rows_forward(p, t->b, t->options->temperature);
    for (int i = 0; i < r->open[0]; i++) {
        if (!open[r->list[i]] || r->prob[i] <= most) continue;
        best = r->list[i];
        most = r->prob[i];
    }
    r->count = 0;
    return best;
}

/* Notes what is open at the decision at hand: all of it is untried. */
static void note_open(struct trail *t)
{
    uint8_t *open = t->open + (size_t)t->depth * (size_t)t->n;
    memset(open, 0, (size_t)t->n);
    rows_look(t->p, t->options);
    int count = rows_open(t->p, t->b, 0, t->options, 0);
    for (int i = 0; i < count; i++) open[t->p->rows->list[i]] = 1;
}

/* Who should have come earlier: the customer that came late, or the unvisited one that is missed most
 * if it came next; 0: nobody in particular. */
static int32_t find_wanted(const struct trail *t)
{
    const struct prob_env *env = t->p->env;
    const double *way = env->duration + (size_t)env->at[0] * (size_t)env->n;
    int32_t worst = 0;
    double least = 0.0;
    if (t->p->ops->max_vehicles != 1) return 0; /* another vehicle may serve it */
    if (env->violations[0] > 0 && t->depth > 0) return t->actions[t->depth - 1];
    for (int32_t k = 1; k < env->n; k++) {
        if (env->visited[k]) continue;
        double slack = env->inst->data.limit ? env->limit[k] - env->load[0] - env->demand[k]
                                             : env->due[k] - env->time[0] - way[k];
        if (slack < least) worst = k, least = slack;
    }
    return worst;
}

enum back { BACK_NOWHERE, BACK_TO_CHOOSE, BACK_AND_ON };

/* Goes back to the latest decision that has `wanted` untried, and takes it; otherwise to the latest
 * that has anything untried. */
static enum back step_back(struct trail *t, int32_t wanted)
{
    size_t n = (size_t)t->n;
    for (int depth = t->depth - 1; wanted > 0 && depth >= 0; depth--) {
        if (!t->open[(size_t)depth * n + (size_t)wanted]) continue;
        go_to(t, depth);
        take(t, wanted);
        return BACK_AND_ON;
    }
    for (int depth = t->depth - 1; depth >= 0; depth--) {
        if (!memchr(t->open + (size_t)depth * n, 1, n)) continue;
        go_to(t, depth);
        return BACK_TO_CHOOSE;
    }
    return BACK_NOWHERE;
}

/* 1: a whole trajectory without a violation. */
static int search(struct trail *t, int64_t budget)
{
    struct prob_env *env = t->p->env;
    int is_new = 1; /* what is open at the decision at hand is not noted yet */
    for (int64_t taken = 0; taken < budget && !stop_is_asked(t->options->stop); taken++) {
        if (env->doomed[0]) {
            enum back back = step_back(t, find_wanted(t));
            if (back == BACK_NOWHERE) return 0;
            is_new = back == BACK_AND_ON;
            continue;
        }
        if (env->done[0]) return 1;
        if (is_new) note_open(t);
        int32_t node = decide(t);
        if (node < 0)
            env->doomed[0] = 1;
        else
            take(t, node);
        is_new = node >= 0;
    }
    return 0;
}

ucpo_status policy_backtrack(struct policy *p, int b, const struct ucpo_instance *inst,
                             const struct policy_options *o, int64_t budget, int32_t *actions,
                             int *is_found, struct policy_result *result, ucpo_error *err)
{
    *is_found = 0;
    if (!p->untried)
        return status_fail(err, UCPO_E_INTERNAL, "a policy that learns does not search");
    ucpo_status st = rows_begin(p, inst, 1, o->is_bound, err);
    if (st) return st;
    struct trail t = {p, o, b, p->n, policy_max_steps(p), actions, p->untried, 0};
    memset(actions, 0, (size_t)t.most * sizeof *actions);
    *is_found = search(&t, budget);
    if (*is_found && result->objective && result->violation)
        prob_env_result(p->env, result->objective, result->violation);
    return UCPO_OK;
}

ucpo_status policy_mend(struct policy *p, int b, const struct ucpo_instance *inst,
                        const struct policy_options *o, int per_node, int32_t *actions,
                        struct policy_result *result, ucpo_error *err)
{
    assert(o->is_greedy && !p->keep && per_node > 0);
    struct policy_options again = *o;
    size_t most = (size_t)policy_max_steps(p);
    int is_found = 0;
    again.is_bound = 1;
    ucpo_status st = policy_backtrack(p, b, inst, &again, (int64_t)per_node * p->n, actions + most,
                                      &is_found, result, err);
    if (is_found) memcpy(actions, actions + most, most * sizeof *actions);
    return st;
}
