/* Rollout: step by step, no gradient. Replay: given actions, with gradient. Both ask the same
 * functions for the open nodes and their probabilities, so their log-probabilities are equal. */
#include "policy/policy.h"

#include <math.h>
#include <string.h>

/* The distribution at one decision: open nodes, probabilities, what the backward needs. */
struct decision {
    int count;
    real state[NN_MAX_SCALARS];
    real log_normaliser;
    real factor; /* log prob_i = factor * tanh_u_i - log_normaliser */
};

static ucpo_status begin(struct policy *p, const struct ucpo_instance *inst, int count,
                         ucpo_error *err)
{
    p->env->samples = count;
    return prob_env_bind(p->env, inst, err);
}

/* Mask and state of all samples for the next decision. */
static void look(struct policy *p, const struct policy_options *o)
{
    prob_env_mask(p->env, o->predictor ? PROB_MASK_SOFT : o->mask, p->allowed);
    prob_env_state(p->env, p->state);
}

static void read_state(const struct policy *p, int s, real *state)
{
    int k = p->model->config.state_features;
    for (int i = 0; i < k; i++) state[i] = (real)p->state[s * k + i];
}

/* Closes nodes the auxiliary decoder of `predictor` calls infeasible, unless that closes all. */
static int apply_prediction(struct policy *p, struct policy *predictor, int b, int s,
                            const real *state, int count)
{
    struct policy *q = predictor;
    q->kern->attend_forward(q->weight, q->glimpse, q->u, &q->aux.table[b], p->env->at[s], state,
                            q->all, q->n);
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (!(q->u[p->list[i]] > 0)) q->list[kept++] = p->list[i];
    if (kept == 0) return count;
    memcpy(p->list, q->list, (size_t)kept * sizeof *p->list);
    return kept;
}

static int list_open(struct policy *p, int s)
{
    const uint8_t *row = p->allowed + (size_t)s * (size_t)p->n;
    int count = 0;
    for (int j = 0; j < p->n; j++) {
        p->list[count] = (uint16_t)j;
        count += row[j];
    }
    return count;
}

/* Open nodes of sample s into p->list. `d` gets count and state. */
static void open_nodes(struct policy *p, int b, int s, const struct policy_options *o,
                       struct decision *d)
{
    read_state(p, s, d->state);
    d->count = list_open(p, s);
    if (o->predictor && d->count > 1 && p->ops->max_vehicles == 1)
        d->count = apply_prediction(p, o->predictor, b, s, d->state, d->count);
}

static void distribution(struct policy *p, int b, int s, double temperature, struct decision *d)
{
    real clip = (real)p->model->config.clip, heat = (real)temperature;
    p->kern->attend_forward(p->weight, p->glimpse, p->u, &p->decoder.table[b], p->env->at[s],
                            d->state, p->list, d->count);
    d->log_normaliser = p->kern->head_forward(p->tanh_u, p->prob, p->u, clip, heat, d->count);
    d->factor = (clip > 0 ? clip : 1) / heat;
}

static int draw(const struct policy *p, int s, int is_greedy, int count)
{
    int best = 0;
    if (is_greedy) {
        for (int i = 1; i < count; i++)
            if (p->prob[i] > p->prob[best]) best = i;
        return best;
    }
    real target = (real)rng_uniform(&p->rng[s]), sum = 0;
    for (int i = 0; i < count; i++) {
        sum += p->prob[i];
        if (target < sum) return i;
        if (p->prob[i] > 0) best = i; /* rounding: the last node that can be drawn */
    }
    return best;
}

/* Chooses sample s's next node; returns the decision's log-probability (0 if there was no choice).
 */
static double choose(struct policy *p, int b, int s, const struct policy_options *o)
{
    struct decision d;
    open_nodes(p, b, s, o, &d);
    if (o->has_forced_start && p->env->step == 0) {
        p->action[s] = s % (p->n - 1) + 1;
        return 0.0;
    }
    if (d.count == 1) {
        p->action[s] = p->list[0];
        return 0.0;
    }
    distribution(p, b, s, o->temperature, &d);
    int i = draw(p, s, o->is_greedy, d.count);
    p->action[s] = p->list[i];
    return (double)(d.factor * p->tanh_u[i] - d.log_normaliser);
}

static void report(const struct policy *p, struct policy_result *result)
{
    if (result->objective && result->violation)
        prob_env_result(p->env, result->objective, result->violation);
}

static void clear(struct policy_result *result, int count)
{
    if (result->log_prob) memset(result->log_prob, 0, (size_t)count * sizeof *result->log_prob);
    if (result->steps) memset(result->steps, 0, (size_t)count * sizeof *result->steps);
}

ucpo_status policy_rollout(struct policy *p, int b, const struct ucpo_instance *inst,
                           const struct policy_options *o, int32_t *actions,
                           struct policy_result *result, ucpo_error *err)
{
    ucpo_status st = begin(p, inst, p->samples, err);
    if (st) return st;
    int most = policy_max_steps(p);
    for (int s = 0; s < p->samples; s++)
        p->rng[s] = rng_at(o->seed, RNG_SAMPLE + 16u * (uint32_t)s, o->index);
    clear(result, p->samples);
    memset(actions, 0, (size_t)p->samples * (size_t)most * sizeof *actions);
    for (int t = 0; t < most && !prob_env_is_done(p->env); t++) {
        look(p, o);
        for (int s = 0; s < p->samples; s++) {
            p->action[s] = 0;
            if (p->env->done[s]) continue;
            double log_prob = choose(p, b, s, o);
            if (result->log_prob) result->log_prob[s] += log_prob;
            if (result->steps) result->steps[s]++;
            actions[s * most + t] = p->action[s];
        }
        prob_env_step(p->env, p->action);
    }
    report(p, result);
    return UCPO_OK;
}

/* ---- replay ---- */

/* Position of `node` in the list; if the mask excludes it, the list becomes all it may visit. */
static int find_action(struct policy *p, int s, int32_t node, struct decision *d)
{
    for (int i = 0; i < d->count; i++)
        if (p->list[i] == node) return i;
    const uint8_t *visited = p->env->visited + (size_t)s * (size_t)p->n;
    int found = -1;
    d->count = 0;
    for (int j = 0; j < p->n; j++) {
        if (visited[j] && j != node) continue;
        if (j == node) found = d->count;
        p->list[d->count++] = (uint16_t)j;
    }
    return found;
}

static double follow(struct policy *p, int b, int s, const struct policy_options *o, int32_t node,
                     double weight)
{
    struct decision d;
    if (o->has_forced_start && p->env->step == 0) return 0.0;
    open_nodes(p, b, s, o, &d);
    int i = find_action(p, s, node, &d);
    if (d.count == 1) return 0.0;
    distribution(p, b, s, 1.0, &d);
    if (weight != 0.0) {
        p->kern->head_backward(p->du, p->tanh_u, p->prob, (real)weight, i,
                               (real)p->model->config.clip, d.count);
        p->kern->attend_backward(&p->decoder.gradient[b], &p->decoder.table[b], p->weight,
                                 p->glimpse, p->du, p->env->at[s], d.state, p->list, d.count,
                                 p->scratch);
    }
    return (double)(d.factor * p->tanh_u[i] - d.log_normaliser);
}

/* Copies column t of the trajectories into p->action; an impossible action is an error. */
static ucpo_status take_actions(struct policy *p, const int32_t *actions, int count, int t,
                                ucpo_error *err)
{
    int most = policy_max_steps(p);
    for (int s = 0; s < count; s++) {
        int32_t node = actions[s * most + t];
        p->action[s] = node;
        if (p->env->done[s]) continue;
        int is_depot_allowed = p->ops->max_vehicles != 1 && p->env->at[s] != 0;
        int good = node > 0
                       ? node < p->n && !p->env->visited[(size_t)s * (size_t)p->n + (size_t)node]
                       : node == 0 && is_depot_allowed;
        if (!good)
            return status_fail(err, UCPO_E_ARGUMENT,
                               "trajectory %d, step %d: node %d cannot follow", s, t, (int)node);
    }
    return UCPO_OK;
}

ucpo_status policy_replay(struct policy *p, int b, const struct ucpo_instance *inst,
                          const struct policy_options *o, const int32_t *actions, int count,
                          const double *weight, struct policy_result *result, ucpo_error *err)
{
    if (count < 1 || count > p->samples)
        return status_fail(err, UCPO_E_ARGUMENT, "%d trajectories, expected 1 .. %d", count,
                           p->samples);
    ucpo_status st = begin(p, inst, count, err);
    if (st) return st;
    int most = policy_max_steps(p), is_score = !weight || result->log_prob != NULL;
    clear(result, count);
    for (int t = 0; t < most && !prob_env_is_done(p->env); t++) {
        st = take_actions(p, actions, count, t, err);
        if (st) return st;
        look(p, o);
        for (int s = 0; s < count; s++) {
            double w = weight ? weight[s] : 0.0;
            if (p->env->done[s] || (w == 0.0 && !is_score)) continue;
            double log_prob = follow(p, b, s, o, p->action[s], w);
            if (result->log_prob) result->log_prob[s] += log_prob;
            if (result->steps) result->steps[s]++;
        }
        prob_env_step(p->env, p->action);
    }
    if (!prob_env_is_done(p->env))
        return status_fail(err, UCPO_E_ARGUMENT,
                           "a trajectory ends before all customers are served");
    report(p, result);
    return UCPO_OK;
}

/* ---- auxiliary decoder ---- */

/* Label of an unvisited node at the current decision of sample s (after a look-ahead mask). */
static int label_of(const struct policy *p, int s, int j)
{
    return p->env->hopeless[s] || !p->allowed[(size_t)s * (size_t)p->n + (size_t)j];
}

ucpo_status policy_count_labels(struct policy *p, const struct ucpo_instance *inst,
                                const int32_t *actions, int count, int64_t *zeros, int64_t *ones,
                                ucpo_error *err)
{
    ucpo_status st = begin(p, inst, count, err);
    int most = policy_max_steps(p);
    for (int t = 0; !st && t < most && !prob_env_is_done(p->env); t++) {
        st = take_actions(p, actions, count, t, err);
        if (st) break;
        prob_env_mask(p->env, PROB_MASK_LOOKAHEAD, p->allowed);
        for (int s = 0; s < count; s++) {
            const uint8_t *visited = p->env->visited + (size_t)s * (size_t)p->n;
            if (p->env->left[s] < 2) continue;
            for (int j = 1; j < p->n; j++)
                if (!visited[j]) label_of(p, s, j) ? ones[t]++ : zeros[t]++;
        }
        prob_env_step(p->env, p->action);
    }
    return st;
}

/* Logistic loss of z against label y and its slope, stable for large |z|. */
static double logistic(double z, int y, double *slope)
{
    double e = exp(-fabs(z)), sigmoid = z >= 0 ? 1.0 / (1.0 + e) : e / (1.0 + e);
    *slope = sigmoid - y;
    return fmax(z, 0.0) - z * y + log1p(e);
}

ucpo_status policy_replay_aux(struct policy *p, int b, const struct ucpo_instance *inst,
                              const int32_t *actions, int count, const double *weight0,
                              const double *weight1, double *loss, ucpo_error *err)
{
    ucpo_status st = begin(p, inst, count, err);
    int most = policy_max_steps(p);
    *loss = 0.0;
    for (int t = 0; !st && t < most && !prob_env_is_done(p->env); t++) {
        st = take_actions(p, actions, count, t, err);
        if (st) break;
        prob_env_mask(p->env, PROB_MASK_LOOKAHEAD, p->allowed);
        prob_env_state(p->env, p->state);
        for (int s = 0; s < count; s++) {
            const uint8_t *visited = p->env->visited + (size_t)s * (size_t)p->n;
            real state[NN_MAX_SCALARS];
            if (p->env->left[s] < 2 || (weight0[t] == 0.0 && weight1[t] == 0.0)) continue;
            read_state(p, s, state);
            p->kern->attend_forward(p->weight, p->glimpse, p->u, &p->aux.table[b], p->env->at[s],
                                    state, p->all, p->n);
            for (int j = 0; j < p->n; j++) {
                p->du[j] = 0;
                if (visited[j]) continue;
                int y = label_of(p, s, j);
                double slope, w = y ? weight1[t] : weight0[t];
                *loss += w * logistic((double)p->u[j], y, &slope);
                p->du[j] = (real)(w * slope);
            }
            p->kern->attend_backward(&p->aux.gradient[b], &p->aux.table[b], p->weight, p->glimpse,
                                     p->du, p->env->at[s], state, p->all, p->n, p->scratch);
        }
        prob_env_step(p->env, p->action);
    }
    return st;
}
