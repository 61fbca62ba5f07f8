/* Rollout: step by step, no gradient. Replay: given actions, with gradient. Both go through the
 * same rows (rows.h), so their log-probabilities are equal.
 *
 * Samples are worked on in groups of POLICY_ROWS: first the glimpses of all rows, then the pointers
 * of all rows, so that each half finds its table in the first-level cache. A rollout with gradients
 * may leave its groups on a tape, which spares the replay (policy_learn). */
#include "policy/rows.h"

#include <assert.h>
#include <math.h>
#include <string.h>

ucpo_status rows_begin(struct policy *p, const struct ucpo_instance *inst, int count, int is_bound,
                       ucpo_error *err)
{
    p->env->samples = count;
    if (is_bound) {
        prob_env_reset(p->env);
        return UCPO_OK;
    }
    ucpo_status st = prob_env_bind(p->env, inst, err);
    if (!st && p->model->config.side_hidden) prob_env_shape(p->env, &p->shape);
    return st;
}

void rows_look(struct policy *p, const struct policy_options *o)
{
    p->env->mask_tolerance = o->mask_tolerance;
    prob_env_mask(p->env, o->predictor ? PROB_MASK_SOFT : o->mask, p->allowed);
    prob_env_state(p->env, p->state);
}

static void read_state(const struct policy *p, int s, real *state)
{
    int k = p->model->config.state_features;
    for (int i = 0; i < k; i++) state[i] = (real)p->state[s * k + i];
}

static int list_open(const struct policy *p, int s, uint16_t *list)
{
    const int n = p->n;
    const uint8_t *row = p->allowed + (size_t)s * (size_t)n;
    int count = 0, j = 0;
    for (; j + 8 <= n; j += 8) { /* most of a row is closed: eight at a time */
        uint64_t some;
        memcpy(&some, row + j, sizeof some);
        for (int k = j; some && k < j + 8; k++) {
            list[count] = (uint16_t)k;
            count += row[k];
        }
    }
    for (; j < n; j++)
        if (row[j]) list[count++] = (uint16_t)j;
    return count;
}

/* Of `count` open nodes, those that sample s, which goes over a trajectory again, may choose from. If
 * none of its part is open, it takes the first one that is left of it. */
static int list_again(const struct policy *p, int s, const struct policy_options *o, uint16_t *list,
                      int count)
{
    const int32_t *begun = o->begun + (size_t)s * (size_t)policy_max_steps(p);
    const uint8_t *allowed = p->allowed + (size_t)s * (size_t)p->n;
    const uint8_t *visited = p->env->visited + (size_t)s * (size_t)p->n;
    if (o->until[s] < policy_max_steps(p)) {
        count = 0;
        for (int t = o->kept[s]; t < o->until[s]; t++)
            if (allowed[begun[t]]) list[count++] = (uint16_t)begun[t];
        for (int t = o->kept[s]; count == 0; t++)
            if (!visited[begun[t]]) list[count++] = (uint16_t)begun[t];
    }
    if (!o->differs[s] || p->env->step > o->kept[s] || count < 2) return count;
    int left = 0;
    for (int i = 0; i < count; i++)
        if (list[i] != begun[o->kept[s]]) list[left++] = list[i];
    return left;
}

/* Logits of the auxiliary decoder for every node, into row 0 of q. */
static const real *predict(struct policy *q, int b, int at, const real *state)
{
    struct policy_rows *r = q->rows;
    q->kern->glimpse_forward(r->weight, r->glimpse, &q->aux.table[b], at, state, q->all, q->n,
                             NULL);
    q->kern->point_forward(q->u, r->glimpse, &q->aux.table[b], q->all, q->n);
    return q->u;
}

/* Closes nodes the auxiliary decoder of `predictor` calls infeasible, unless that closes all. */
static int apply_prediction(struct policy *p, struct policy *predictor, int b, int s,
                            const real *state, uint16_t *list, int count)
{
    const real *z = predict(predictor, b, p->env->at[s], state);
    int kept = 0, first = 0;
    while (first < count && z[list[first]] > 0) first++;
    if (first == count) return count;
    for (int i = first; i < count; i++)
        if (!(z[list[i]] > 0)) list[kept++] = list[i]; /* in place: the predictor may be p itself */
    return kept;
}

int rows_open(struct policy *p, int b, int s, const struct policy_options *o, int row)
{
    struct policy_rows *r = p->rows;
    uint16_t *list = r->list + (size_t)row * (size_t)p->n;
    read_state(p, s, r->state[row]);
    r->sample[row] = s;
    r->at[row] = p->env->at[s];
    r->counts[row] = 1;
    r->open[row] = prob_env_narrow(p->env, s, list, list_open(p, s, list));
    if (o->begun) r->open[row] = list_again(p, s, o, list, r->open[row]);
    if (o->predictor && r->open[row] > 1 && p->ops->max_vehicles == 1)
        r->open[row] = apply_prediction(p, o->predictor, b, s, r->state[row], list, r->open[row]);
    return r->open[row];
}

/* How many rows need the network: one if all are the same decision, as the first one of a tour is
 * for all samples, whose state is the same. */
static int distinct_rows(const struct policy *p)
{
    const struct policy_rows *r = p->rows;
    size_t n = (size_t)p->n;
    if (p->env->step > 0) return r->count;
    for (int i = 1; i < r->count; i++)
        if (r->open[i] != r->open[0] ||
            memcmp(r->list + (size_t)i * n, r->list, (size_t)r->open[0] * sizeof *r->list) != 0)
            return r->count;
    return r->count > 0;
}

/* Features of the candidates of all rows, one row behind the other, and what the side network makes
 * of them. The environment is still where the rows were collected. The first `distinct` rows are
 * worked out, the others are copies of row 0. */
static void forward_side(struct policy *p, int distinct)
{
    struct policy_rows *r = p->rows;
    const struct env_shape *shape = &p->shape;
    size_t n = (size_t)p->n;
    r->first[0] = 0;
    for (int i = 0; i < r->count; i++) r->first[i + 1] = r->first[i] + r->open[i];
    int total = r->first[r->count];
    size_t whole = ((size_t)total + KERN_ROUND - 1) / KERN_ROUND * KERN_ROUND;
    r->phi = p->pool + p->pool_used;
    r->units = r->phi + (size_t)shape->features * whole;
    r->phi_stride = whole;
    for (int i = 0; i < distinct; i++)
        prob_env_decide(p->env, r->sample[i], r->list + (size_t)i * n, r->open[i],
                        p->raw + r->first[i], whole);
    int worked = r->first[distinct];
    for (int k = 0; k < p->ops->raw_numbers; k++) /* behind the last one */
        for (size_t i = (size_t)worked; i < whole; i++) p->raw[(size_t)k * whole + i] = 0.0f;
    p->kern->side_shape(r->phi, whole, p->raw, whole, shape->source, shape->is_squashed,
                        shape->scale, shape->features, worked);
    nn_side_forward(&p->side, r->bias, r->units, p->extra, r->phi, whole, worked);
    int kept = shape->features + p->model->config.side_hidden; /* rows of phi and of units */
    for (int i = distinct; i < r->count; i++) {
        for (int k = 0; k < kept; k++)
            memcpy(r->phi + (size_t)k * whole + r->first[i], r->phi + (size_t)k * whole,
                   (size_t)worked * sizeof *r->phi);
        memcpy(r->bias + r->first[i], r->bias, (size_t)worked * sizeof *r->bias);
    }
    for (int k = 0; k < kept; k++)
        memset(r->phi + (size_t)k * whole + total, 0, (whole - (size_t)total) * sizeof *r->phi);
    memset(r->bias + total, 0, (whole - (size_t)total + KERN_ROUND) * sizeof *r->bias);
}

void rows_forward(struct policy *p, int b, double temperature)
{
    struct policy_rows *r = p->rows;
    int distinct = distinct_rows(p);
    if (r->count > 0 && r->bias) forward_side(p, distinct);
    const struct kern_tables *t = &p->decoder.table[b];
    size_t n = (size_t)p->n, D = (size_t)t->width, cells = n * (size_t)t->lanes;
    real clip = (real)p->model->config.clip, heat = (real)temperature;
    for (int i = 0; i < distinct; i++)
        p->kern->glimpse_forward(r->weight + (size_t)i * cells, r->glimpse + (size_t)i * D, t,
                                 r->at[i], r->state[i], r->list + (size_t)i * n, r->open[i],
                                 p->extra ? p->extra + (size_t)r->first[i] * (size_t)t->lanes
                                          : NULL);
    for (int i = 0; i < distinct; i++) {
        size_t at = (size_t)i * (size_t)p->stride;
        p->kern->point_forward(p->u + at, r->glimpse + (size_t)i * D, t, r->list + (size_t)i * n,
                               r->open[i]);
        r->log_normaliser[i] =
            p->kern->head_forward(r->tanh_u + at, r->prob + at, p->u + at,
                                  r->bias ? r->bias + r->first[i] : NULL, clip, heat, r->open[i]);
    }
    for (int i = distinct; i < r->count; i++) {
        size_t at = (size_t)i * (size_t)p->stride, s = sizeof(real);
        memcpy(r->weight + (size_t)i * cells, r->weight, cells * s);
        memcpy(r->glimpse + (size_t)i * D, r->glimpse, D * s);
        memcpy(r->tanh_u + at, r->tanh_u, (size_t)p->stride * s);
        memcpy(r->prob + at, r->prob, (size_t)p->stride * s);
        r->log_normaliser[i] = r->log_normaliser[0];
    }
}

/* Log-probability of the chosen entry of a row. */
static double row_log_prob(const struct policy *p, int row, double temperature)
{
    const struct policy_rows *r = p->rows;
    real clip = (real)p->model->config.clip, factor = (clip > 0 ? clip : 1) / (real)temperature;
    real logit = factor * r->tanh_u[(size_t)row * (size_t)p->stride + (size_t)r->chosen[row]];
    if (r->bias) logit += 1 / (real)temperature * r->bias[r->first[row] + r->chosen[row]];
    return (double)(logit - r->log_normaliser[row]);
}

static int draw(const real *prob, int count, int is_greedy, struct rng *rng)
{
    int best = 0;
    if (is_greedy) {
        for (int i = 1; i < count; i++)
            if (prob[i] > prob[best]) best = i;
        return best;
    }
    real target = (real)rng_uniform(rng), sum = 0;
    for (int i = 0; i < count; i++) {
        sum += prob[i];
        if (target < sum) return i;
        if (prob[i] > 0) best = i; /* rounding: the last node that can be drawn */
    }
    return best;
}

/* Where the probabilities of sample s's current decision are reported, cleared; NULL if nobody
 * asked. */
static real *prob_row(const struct policy *p, const struct policy_result *result, int s)
{
    if (!result->prob) return NULL;
    size_t at = (size_t)s * (size_t)policy_max_steps(p) + (size_t)p->env->step;
    return memset(result->prob + at * (size_t)p->n, 0, (size_t)p->n * sizeof *result->prob);
}

static void report_certain(const struct policy *p, struct policy_result *result, int s)
{
    real *prob = prob_row(p, result, s);
    if (prob) prob[p->action[s]] = 1;
}

static void report_row(const struct policy *p, struct policy_result *result, int row)
{
    const struct policy_rows *r = p->rows;
    const uint16_t *list = r->list + (size_t)row * (size_t)p->n;
    const real *from = r->prob + (size_t)row * (size_t)p->stride;
    real *prob = prob_row(p, result, r->sample[row]);
    for (int i = 0; prob && i < r->open[row]; i++) prob[list[i]] = from[i];
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
    if (result->counted) memset(result->counted, 0, (size_t)count * sizeof *result->counted);
    if (result->outside) memset(result->outside, 0, (size_t)count * sizeof *result->outside);
}

/* Does the next decision of sample s count? If so it is counted. */
static int count_decision(const struct policy *p, const struct policy_options *o, int s,
                          struct policy_result *result)
{
    if (o->is_cut && p->env->doomed[s]) return 0;
    if (result->counted) result->counted[s]++;
    return 1;
}

static void move(struct policy *p, const struct policy_options *o)
{
    prob_env_step(p->env, p->action);
    if (o->is_cut) prob_env_mark_doomed(p->env);
}

/* Begins with an empty group; with a tape if asked and possible. */
static void start_groups(struct policy *p, int is_taped)
{
    p->used = is_taped && p->groups > 1;
    p->pool_used = 0;
    p->rows = p->group;
    p->rows->count = 0;
}

/* A group that no tape holds: its last one is always empty. */
static void take_free_group(struct policy *p)
{
    p->rows = p->group + (p->used > 0 ? p->used - 1 : 0);
    p->rows->count = 0;
}

/* ---- rollout ---- */

/* Decides for all rows and leaves an empty group. */
static void decide_rows(struct policy *p, int b, const struct policy_options *o,
                        struct policy_result *result)
{
    struct policy_rows *r = p->rows;
    rows_forward(p, b, o->temperature);
    for (int i = 0; i < r->count; i++) {
        int s = r->sample[i];
        const uint16_t *list = r->list + (size_t)i * (size_t)p->n;
        const real *prob = r->prob + (size_t)i * (size_t)p->stride;
        r->chosen[i] = draw(prob, r->open[i], o->is_greedy, &p->rng[s]);
        p->action[s] = list[r->chosen[i]];
        r->counts[i] = !o->is_cut || !p->env->doomed[s];
        if (result->log_prob && r->counts[i])
            result->log_prob[s] += row_log_prob(p, i, o->temperature);
        if (result->sure) result->sure[s * policy_max_steps(p) + p->env->step] = prob[r->chosen[i]];
        report_row(p, result, i);
    }
    if (p->used && r->count > 0) {
        const struct nn_config *c = &p->model->config;
        if (r->bias) p->pool_used += (size_t)(c->side_features + c->side_hidden) * r->phi_stride;
        p->rows = p->group + p->used++;
    }
    p->rows->count = 0;
}

/* The next action of every sample into p->action. */
static void choose_all(struct policy *p, int b, const struct policy_options *o,
                       struct policy_result *result)
{
    rows_look(p, o);
    for (int s = 0; s < p->samples; s++) {
        struct policy_rows *r = p->rows;
        p->action[s] = 0;
        if (p->env->done[s]) continue;
        if (result->steps) result->steps[s]++;
        count_decision(p, o, s, result);
        if (o->begun && (p->env->step < o->kept[s] || p->env->step >= o->until[s])) {
            p->action[s] = o->begun[s * policy_max_steps(p) + p->env->step];
            report_certain(p, result, s);
        } else if (o->has_forced_start && p->env->step == 0) {
            p->action[s] = s % (p->n - 1) + 1;
            report_certain(p, result, s);
        } else if (rows_open(p, b, s, o, r->count) == 1) { /* no choice: probability 1 */
            p->action[s] = r->list[(size_t)r->count * (size_t)p->n];
            report_certain(p, result, s);
        } else if (++r->count == POLICY_ROWS) {
            decide_rows(p, b, o, result);
        }
    }
    decide_rows(p, b, o, result);
}

ucpo_status policy_rollout(struct policy *p, int b, const struct ucpo_instance *inst,
                           const struct policy_options *o, int32_t *actions,
                           struct policy_result *result, ucpo_error *err)
{
    assert(b >= 0 && b < p->B && p->samples > 0 && p->samples <= p->room);
    assert(o->temperature > 0.0);
    p->env->stop = o->stop;
    ucpo_status st = rows_begin(p, inst, p->samples, o->is_bound, err);
    p->env->stop = NULL;
    if (st) return st;
    int most = policy_max_steps(p);
    for (int s = 0; s < p->samples; s++)
        p->rng[s] = rng_at(o->seed, RNG_SAMPLE + 16u * (uint32_t)s, o->index);
    clear(result, p->samples);
    start_groups(p, o->temperature == 1.0);
    memset(actions, 0, (size_t)p->samples * (size_t)most * sizeof *actions);
    for (int t = 0; t < most && !prob_env_is_done(p->env); t++) {
        if (stop_is_asked(o->stop)) return status_fail(err, UCPO_E_CANCELLED, "stopped");
        choose_all(p, b, o, result);
        for (int s = 0; s < p->samples; s++) actions[s * most + t] = p->action[s];
        move(p, o);
    }
    assert(prob_env_is_done(p->env)); /* every trajectory serves all customers in `most` steps */
    report(p, result);
    return UCPO_OK;
}

/* ---- replay ---- */

static int position_in(const uint16_t *list, int count, int32_t node)
{
    for (int i = 0; i < count; i++)
        if (list[i] == node) return i;
    return -1;
}

/* Position of `node` in a row's list; if it is not there, the list becomes all that the mask allows or, if
 * the mask excludes it, all it may visit. */
static int find_action(struct policy *p, int row, int32_t node, struct policy_result *result)
{
    struct policy_rows *r = p->rows;
    uint16_t *list = r->list + (size_t)row * (size_t)p->n;
    int at = position_in(list, r->open[row], node);
    if (at >= 0) return at;
    size_t from = (size_t)r->sample[row] * (size_t)p->n;
    const uint8_t *visited = p->env->visited + from;
    if (p->ops->max_vehicles != 1 && p->allowed[from + (size_t)node]) {
        r->open[row] = list_open(p, r->sample[row], list); /* far away, but allowed */
        return position_in(list, r->open[row], node);
    }
    if (result->outside) result->outside[r->sample[row]]++;
    int found = -1, count = 0;
    for (int j = 0; j < p->n; j++) {
        if (visited[j] && j != node) continue;
        if (j == node) found = count;
        list[count++] = (uint16_t)j;
    }
    r->open[row] = count;
    return found;
}

/* ---- gradient of a group ---- */

/* Sorts a row's list into the visits of its nodes. */
static void add_visits(struct kern_visits *visits, const uint16_t *list, int count, int row)
{
    for (int i = 0; i < count; i++) {
        int node = list[i], k = visits->count[node]++;
        visits->at[(size_t)node * KERN_ROWS + (size_t)k] =
            (struct kern_visit){(uint16_t)row, (uint16_t)i};
    }
}

/* From the head to dglimpse, for row i. */
static void backward_point(struct policy *p, const struct policy_rows *r,
                           const struct kern_tables *t, int i, double weight)
{
    size_t n = (size_t)p->n, at = (size_t)i * (size_t)p->stride;
    const uint16_t *list = r->list + (size_t)i * n;
    p->kern->head_backward(p->du + at, r->bias ? p->dbias + r->first[i] : NULL, r->tanh_u + at,
                           r->prob + at, (real)weight, r->chosen[i], (real)p->model->config.clip,
                           r->open[i]);
    p->kern->point_backward(p->dglimpse + (size_t)i * (size_t)t->width, t, p->du + at, list,
                            r->open[i]);
    add_visits(&p->visits, list, r->open[i], i);
}

/* Adds weight[s] * d log_prob of every row that counts to the table gradients. One table after the
 * other, so that each stays in the first-level cache. */
static void backward_rows(struct policy *p, int b, const struct policy_rows *r,
                          const double *weight)
{
    const struct kern_tables *t = &p->decoder.table[b], *d = &p->decoder.gradient[b];
    size_t n = (size_t)p->n, D = (size_t)t->width, cells = n * (size_t)t->lanes;
    int row[POLICY_ROWS], count = 0;
    for (int i = 0; i < r->count; i++)
        if (r->counts[i] && weight[r->sample[i]] != 0.0) row[count++] = i;
    if (count == 0) return;
    memset(p->visits.count, 0, n * sizeof *p->visits.count);
    if (r->bias) memset(p->dbias, 0, (size_t)r->first[r->count] * sizeof *p->dbias);
    for (int k = 0; k < count; k++) backward_point(p, r, t, row[k], weight[r->sample[row[k]]]);
    if (p->dextra)
        memset(p->dextra, 0, (size_t)r->first[r->count] * (size_t)t->lanes * sizeof *p->dextra);
    p->kern->key_backward(d, t, &p->visits, p->du, p->stride, r->glimpse);
    for (int k = 0; k < count; k++) {
        size_t i = (size_t)row[k];
        p->kern->glimpse_backward(
            d, r->weight + i * cells, t, r->glimpse + i * D, p->dglimpse + i * D, r->at[i],
            r->state[i], r->list + i * n, r->open[i],
            p->dextra ? p->dextra + (size_t)r->first[i] * (size_t)t->lanes : NULL);
    }
    if (r->bias)
        nn_side_backward(&p->side, r->phi, r->units, r->phi_stride, p->dbias, p->dextra,
                         r->first[r->count]);
    p->kern->value_backward(d, &p->visits, r->weight, p->dglimpse);
}

int policy_is_on_tape(const struct policy *p)
{
    return p->used > 0;
}

void policy_learn(struct policy *p, int b, const double *weight)
{
    for (int g = 0; g < p->used; g++) backward_rows(p, b, &p->group[g], weight);
}

/* Scores and differentiates all rows, and empties them. */
static void learn_rows(struct policy *p, int b, const double *weight, struct policy_result *result)
{
    struct policy_rows *r = p->rows;
    rows_forward(p, b, 1.0);
    for (int i = 0; i < r->count && result->log_prob; i++)
        result->log_prob[r->sample[i]] += row_log_prob(p, i, 1.0);
    for (int i = 0; i < r->count && result->prob; i++) report_row(p, result, i);
    if (weight) backward_rows(p, b, r, weight);
    r->count = 0;
}

static void follow_all(struct policy *p, int b, const struct policy_options *o, int count,
                       const double *weight, struct policy_result *result)
{
    struct policy_rows *r = p->rows;
    rows_look(p, o);
    r->count = 0;
    for (int s = 0; s < count; s++) {
        if (p->env->done[s]) continue;
        if (result->steps) result->steps[s]++;
        if (!count_decision(p, o, s, result)) continue;
        if (weight && weight[s] == 0.0 && !result->log_prob) continue;
        report_certain(p, result, s); /* unless there is a choice */
        if (o->has_forced_start && p->env->step == 0) continue;
        rows_open(p, b, s, o, r->count);
        r->chosen[r->count] = find_action(p, r->count, p->action[s], result);
        if (r->open[r->count] == 1) continue;
        if (++r->count == POLICY_ROWS) learn_rows(p, b, weight, result);
    }
    learn_rows(p, b, weight, result);
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

static ucpo_status check_count(const struct policy *p, int count, ucpo_error *err)
{
    if (count >= 1 && count <= p->samples) return UCPO_OK;
    return status_fail(err, UCPO_E_ARGUMENT, "%d trajectories, expected 1 .. %d", count,
                       p->samples);
}

ucpo_status policy_replay(struct policy *p, int b, const struct ucpo_instance *inst,
                          const struct policy_options *o, const int32_t *actions, int count,
                          const double *weight, struct policy_result *result, ucpo_error *err)
{
    assert(b >= 0 && b < p->B && (!weight || p->keep));
    ucpo_status st = check_count(p, count, err);
    if (!st) st = rows_begin(p, inst, count, o->is_bound, err);
    if (st) return st;
    int most = policy_max_steps(p);
    clear(result, count);
    take_free_group(p);
    for (int t = 0; t < most && !prob_env_is_done(p->env); t++) {
        st = take_actions(p, actions, count, t, err);
        if (st) return st;
        follow_all(p, b, o, count, weight, result);
        move(p, o);
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
    ucpo_status st = check_count(p, count, err);
    if (!st) st = rows_begin(p, inst, count, 0, err);
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

/* One decision of sample s: adds to the gradient, returns the loss. */
static double learn_labels(struct policy *p, int b, int s, double weight0, double weight1,
                           int64_t right[2])
{
    struct policy_rows *r = p->rows;
    const uint8_t *visited = p->env->visited + (size_t)s * (size_t)p->n;
    const struct kern_tables *t = &p->aux.table[b], *d = &p->aux.gradient[b];
    double loss = 0.0;
    read_state(p, s, r->state[0]);
    predict(p, b, p->env->at[s], r->state[0]);
    for (int j = 0; j < p->n; j++) {
        p->du[j] = 0;
        if (visited[j]) continue;
        int y = label_of(p, s, j);
        double slope, w = y ? weight1 : weight0;
        right[y] += (p->u[j] > 0) == y;
        loss += w * logistic((double)p->u[j], y, &slope);
        p->du[j] = (real)(w * slope);
    }
    memset(p->visits.count, 0, (size_t)p->n * sizeof *p->visits.count);
    add_visits(&p->visits, p->all, p->n, 0);
    p->kern->point_backward(p->dglimpse, t, p->du, p->all, p->n);
    p->kern->key_backward(d, t, &p->visits, p->du, p->stride, r->glimpse);
    p->kern->glimpse_backward(d, r->weight, t, r->glimpse, p->dglimpse, p->env->at[s], r->state[0],
                              p->all, p->n, NULL);
    p->kern->value_backward(d, &p->visits, r->weight, p->dglimpse);
    return loss;
}

ucpo_status policy_replay_aux(struct policy *p, int b, const struct ucpo_instance *inst,
                              const int32_t *actions, int count, const double *weight0,
                              const double *weight1, double *loss, int64_t right[2],
                              ucpo_error *err)
{
    ucpo_status st = check_count(p, count, err);
    if (!st) st = rows_begin(p, inst, count, 0, err);
    int most = policy_max_steps(p);
    double sum = 0.0;
    for (int t = 0; !st && t < most && !prob_env_is_done(p->env); t++) {
        st = take_actions(p, actions, count, t, err);
        if (st) break;
        prob_env_mask(p->env, PROB_MASK_LOOKAHEAD, p->allowed);
        prob_env_state(p->env, p->state);
        for (int s = 0; s < count; s++)
            if (p->env->left[s] >= 2 && (weight0[t] != 0.0 || weight1[t] != 0.0))
                sum += learn_labels(p, b, s, weight0[t], weight1[t], right);
        prob_env_step(p->env, p->action);
    }
    if (!st) *loss = sum;
    return st;
}
