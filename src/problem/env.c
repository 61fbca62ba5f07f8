#include "problem/env.h"
#include "core/sort.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void lay_out(struct prob_env *env)
{
    struct arena *a = &env->arena;
    size_t n = (size_t)env->n, samples = (size_t)env->samples;
    env->cost = arena_take(a, n * n, sizeof(double));
    env->duration = arena_take(a, n * n, sizeof(double));
    env->ready = arena_take(a, n, sizeof(double));
    env->due = arena_take(a, n, sizeof(double));
    env->service = arena_take(a, n, sizeof(double));
    env->demand = arena_take(a, n, sizeof(double));
    env->limit = arena_take(a, n, sizeof(double));
    env->at = arena_take(a, samples, sizeof(int32_t));
    env->left = arena_take(a, samples, sizeof(int32_t));
    env->used = arena_take(a, samples, sizeof(int32_t));
    env->time = arena_take(a, samples, sizeof(double));
    env->load = arena_take(a, samples, sizeof(double));
    env->open = arena_take(a, samples, sizeof(double));
    env->visited = arena_take(a, samples * n, 1);
    env->done = arena_take(a, samples, 1);
    env->doomed = arena_take(a, samples, 1);
    env->hopeless = arena_take(a, samples, 1);
    env->length = arena_take(a, samples, sizeof(double));
    env->late = arena_take(a, samples, sizeof(double));
    env->over = arena_take(a, samples, sizeof(double));
    env->violations = arena_take(a, samples, sizeof(int32_t));
    env->nearby = arena_take(a, n * ENV_NEARBY, sizeof(uint16_t));
    env->passed = arena_take(a, samples * n, 1);
    env->by_limit = arena_take(a, n, sizeof(int32_t));
    env->todo = arena_take(a, n, sizeof(int32_t));
    env->place = arena_take(a, n, sizeof(int32_t));
    env->chain = arena_take(a, ENV_CHAIN * (n + 1), sizeof(double));
    if (env->ops->env_layout) env->ops->env_layout(env, a);
}

ucpo_status prob_env_create(const struct prob_ops *ops, int32_t n, int32_t samples,
                            struct prob_env **out, ucpo_error *err)
{
    if (n < 2 || n > 65535 || samples < 1)
        return status_argument(err, "environment of %d nodes and %d samples", (int)n, (int)samples);
    struct prob_env *env = mem_zeroed(1, sizeof *env);
    if (!env) return status_no_memory(err, sizeof *env);
    env->ops = ops;
    env->n = n;
    env->samples = samples;
    lay_out(env);
    ucpo_status st = arena_reserve(&env->arena, err);
    if (st) {
        free(env);
        return st;
    }
    lay_out(env);
    *out = env;
    return UCPO_OK;
}

void prob_env_free(struct prob_env *env)
{
    if (!env) return;
    arena_free(&env->arena);
    free(env);
}

static void fill_array(double *dst, const double *src, int32_t n, double otherwise)
{
    for (int32_t i = 0; i < n; i++) dst[i] = src ? src[i] : otherwise;
}

/* ---- what features of a decision need ---- */

static void list_nearby(struct prob_env *env, int32_t i)
{
    uint16_t *near = env->nearby + (size_t)i * ENV_NEARBY;
    const double *cost = env->cost + (size_t)i * (size_t)env->n;
    int32_t count = 0;
    for (int32_t j = 1; j < env->n; j++) {
        if (j == i || (count == ENV_NEARBY && cost[j] >= cost[near[count - 1]])) continue;
        int32_t at = count < ENV_NEARBY ? count++ : count - 1;
        for (; at > 0 && cost[near[at - 1]] > cost[j]; at--) near[at] = near[at - 1];
        near[at] = (uint16_t)j;
    }
    for (; count < ENV_NEARBY; count++) near[count] = (uint16_t)i; /* counts as visited */
}

static void fill_decisions(struct prob_env *env)
{
    double unit = env->inst->data.unit, sum = 0.0;
    for (int32_t i = 0; i < env->n; i++) {
        list_nearby(env, i);
        double width = fmin(env->due[i], env->inst->horizon) - env->ready[i];
        if (i > 0 && width > 0.0) sum += width;
    }
    env->reach = unit / sqrt((double)env->n);
    env->leeway = fmax(sum / (env->n - 1), 1e-3 * unit);
}

int32_t prob_env_narrow(struct prob_env *env, int32_t s, uint16_t *list, int32_t count)
{
    int32_t at = env->at[s], kept = 0;
    if (count <= ENV_CHOICES || at == 0 || env->ops->max_vehicles == 1) return count;
    const double *cost = env->cost + (size_t)at * (size_t)env->n;
    double *ways = env->chain;
    for (int32_t i = 0; i < count; i++) ways[i] = cost[list[i]];
    double last = sort_kth(ways, count, ENV_CHOICES - 1);
    for (int32_t i = 0; i < count; i++)
        if (list[i] == 0 || cost[list[i]] <= last) list[kept++] = list[i];
    return kept;
}

double env_nearest(struct prob_env *env, int32_t s, int32_t j)
{
    size_t n = (size_t)env->n;
    const uint8_t *visited = env->visited + (size_t)s * n;
    const uint16_t *near = env->nearby + (size_t)j * ENV_NEARBY;
    const double *cost = env->cost + (size_t)j * n;
    uint8_t *passed = env->passed + (size_t)s * n + (size_t)j;
    while (*passed < ENV_NEARBY && (visited[near[*passed]] || near[*passed] == j)) ++*passed;
    if (*passed < ENV_NEARBY) return cost[near[*passed]];
    double least = HUGE_VAL;
    for (int32_t k = 0; k < env->n; k++)
        if (!visited[k] && k != j && cost[k] < least) least = cost[k];
    return least < HUGE_VAL ? least : 0.0;
}

int32_t env_list_todo(struct prob_env *env, int32_t s)
{
    const uint8_t *visited = env->visited + (size_t)s * (size_t)env->n;
    int32_t count = 0;
    for (int32_t k = 1; k < env->n; k++) {
        int32_t j = env->by_limit[k];
        env->todo[count] = j;
        env->place[j] = count;
        count += !visited[j];
    }
    return count;
}

void prob_env_decide(struct prob_env *env, int32_t s, const uint16_t *list, int32_t count,
                     float *raw, size_t stride)
{
    env->ops->env_decide(env, s, list, count, raw, stride);
}

static double scale_of(const struct prob_env *env, enum prob_scale scale)
{
    const struct ucpo_instance *inst = env->inst;
    double load = inst->data.limit ? inst->total_demand : inst->data.capacity;
    switch (scale) {
    case PROB_ONE: return 1.0;
    case PROB_UNIT: return inst->data.unit;
    case PROB_HALF_UNIT: return 0.5 * inst->data.unit;
    case PROB_REACH: return env->reach;
    case PROB_LEEWAY: return env->leeway;
    case PROB_LOAD: return load > 0.0 ? load : 1.0;
    case PROB_PORTION:
        return inst->total_demand > 0.0 ? 2.0 * inst->total_demand / (env->n - 1) : 1.0;
    case PROB_HALF: return 0.5;
    }
    return 1.0;
}

void prob_env_shape(const struct prob_env *env, struct env_shape *out)
{
    out->features = env->ops->decision_features;
    for (int f = 0; f < out->features; f++) {
        const struct prob_feature *feature = &env->ops->decision[f];
        out->source[f] = feature->raw;
        out->is_squashed[f] = feature->is_squashed;
        out->scale[f] = (float)scale_of(env, feature->scale);
    }
}

float env_shaped(const struct env_shape *shape, int f, float raw)
{
    if (shape->is_squashed[f]) return raw / (fabsf(raw) + shape->scale[f]);
    float x = raw / shape->scale[f];
    return x < -4.0f ? -4.0f : x > 4.0f ? 4.0f : x;
}

ucpo_status prob_env_bind(struct prob_env *env, const struct ucpo_instance *inst, ucpo_error *err)
{
    const ucpo_instance_data *d = &inst->data;
    const int has_times = instance_has_times(d);
    if (inst->ops != env->ops || d->n != env->n)
        return status_fail(err, UCPO_E_MISMATCH,
                           "environment for %s with %d nodes, instance is %s with %d",
                           env->ops->info.name, (int)env->n, d->problem, (int)d->n);
    assert(inst->load == inst);
    env->inst = inst;
    env->tolerance = d->tolerance;
    env->no_way = d->no_way;
    env->load_tolerance = inst->load_tolerance;
    for (int32_t i = 0; i < env->n && !stop_is_asked(env->stop); i++) {
        double *cost = env->cost + (size_t)i * (size_t)env->n;
        double *duration = env->duration + (size_t)i * (size_t)env->n;
        geometry_row(inst, i, cost);
        for (int32_t j = 0; j < env->n; j++)
            duration[j] = has_times ? ucpo_instance_duration(inst, i, j) : cost[j];
    }
    fill_array(env->ready, d->ready, env->n, 0.0);
    fill_array(env->due, d->due, env->n, HUGE_VAL);
    fill_array(env->service, d->service, env->n, 0.0);
    fill_array(env->demand, d->demand, env->n, 0.0);
    fill_array(env->limit, d->limit, env->n, HUGE_VAL);
    env->service[0] = 0.0; /* the depot has none */
    for (int32_t i = 0; i < env->n; i++) env->by_limit[i] = i;
    sort_by_key(env->by_limit + 1, env->n - 1, d->limit ? env->limit : env->due);
    if (env->ops->env_tables) env->ops->env_tables(env);
    if (stop_is_asked(env->stop))
        return status_fail(err, UCPO_E_CANCELLED, "stopped while the tables were filled");
    if (env->has_decisions) fill_decisions(env);
    prob_env_reset(env);
    return UCPO_OK;
}

void prob_env_reset(struct prob_env *env)
{
    size_t samples = (size_t)env->samples, n = (size_t)env->n;
    memset(env->visited, 0, samples * n);
    memset(env->done, 0, samples);
    memset(env->hopeless, 0, samples);
    memset(env->doomed, 0, samples);
    if (env->has_decisions) memset(env->passed, 0, samples * n);
    for (size_t s = 0; s < samples; s++) {
        env->visited[s * n] = 1;
        env->at[s] = 0;
        env->left[s] = env->n - 1;
        env->used[s] = 0;
        env->time[s] = env->ready[0];
        env->load[s] = 0.0;
        env->open[s] = env->inst->total_demand;
        env->length[s] = env->late[s] = env->over[s] = 0.0;
        env->violations[s] = 0;
    }
    env->step = 0;
    if (env->ops->env_reset) env->ops->env_reset(env);
}

void prob_env_step(struct prob_env *env, const int32_t *action)
{
    env->ops->env_step(env, action);
    env->step++;
}

void prob_env_mark_doomed(struct prob_env *env)
{
    for (int32_t s = 0; s < env->samples; s++)
        if (!env->doomed[s])
            env->doomed[s] =
                env->violations[s] > 0 || (!env->done[s] && env->ops->env_is_doomed(env, s));
}

void prob_env_mask(struct prob_env *env, enum prob_mask kind, uint8_t *allowed)
{
    memset(env->hopeless, 0, (size_t)env->samples);
    env->ops->env_mask(env, kind, allowed);
}

void prob_env_state(const struct prob_env *env, float *state)
{
    env->ops->env_state(env, state);
}

int32_t prob_env_max_steps(const struct prob_env *env)
{
    int32_t customers = env->n - 1;
    return env->ops->max_vehicles == 1 ? customers : 2 * customers;
}

int prob_env_is_done(const struct prob_env *env)
{
    for (int32_t s = 0; s < env->samples; s++)
        if (!env->done[s]) return 0;
    return 1;
}

void prob_env_result(const struct prob_env *env, double *objective, double *violation)
{
    const struct ucpo_instance *inst = env->inst;
    double load_unit = inst->data.limit ? inst->total_demand : inst->data.capacity;
    for (int32_t s = 0; s < env->samples; s++) {
        objective[s] = env->length[s] / inst->data.unit;
        violation[s] = env->late[s] / inst->data.unit +
                       (load_unit > 0.0 ? env->over[s] / load_unit : 0.0) + env->violations[s];
    }
}

double env_travel(struct prob_env *env, int32_t s, int32_t node)
{
    size_t leg = (size_t)env->at[s] * (size_t)env->n + (size_t)node;
    uint8_t *visited = env->visited + (size_t)s * (size_t)env->n;
    int is_blocked = env->no_way > 0.0 && env->cost[leg] >= env->no_way;
    env->length[s] += is_blocked ? 0.0 : env->cost[leg];
    env->violations[s] += is_blocked;
    env->at[s] = node;
    if (node != 0) {
        env->left[s] -= !visited[node];
        visited[node] = 1;
    }
    return env->time[s] + (is_blocked ? 0.0 : env->duration[leg]);
}

void env_count_late(struct prob_env *env, int32_t s, int32_t node, double start)
{
    double late = start - env->due[node] - env->tolerance;
    if (late > 0.0) {
        env->late[s] += late;
        env->violations[s]++;
    }
}

void env_count_over(struct prob_env *env, int32_t s, double excess)
{
    double over = excess - env->load_tolerance;
    if (over > 0.0) {
        env->over[s] += over;
        env->violations[s]++;
    }
}

int32_t env_open_row(const struct prob_env *env, int32_t s, uint8_t *row)
{
    const int32_t n = env->n;
    const uint8_t *restrict visited = env->visited + (size_t)s * (size_t)n;
    uint8_t *restrict open = row;
    for (int32_t j = 0; j < n; j++) open[j] = visited[j] ^ 1; /* the depot counts as visited */
    return env->left[s];
}

static int is_any_open(const uint8_t *row, int32_t n)
{
    int any = 0;
    for (int32_t j = 0; j < n; j++) any |= row[j];
    return any;
}

void env_tour_mask(struct prob_env *env, enum prob_mask kind, uint8_t *allowed,
                   void (*look_ahead)(struct prob_env *env, int32_t s, int also_own, uint8_t *row))
{
    for (int32_t s = 0; s < env->samples; s++) {
        uint8_t *row = allowed + (size_t)s * (size_t)env->n;
        int32_t open = env_open_row(env, s, row);
        if (env->done[s]) row[0] = 1;
        if (kind == PROB_MASK_SOFT || open < 2) continue;
        look_ahead(env, s, kind == PROB_MASK_LOOKAHEAD_OWN, row);
        if (is_any_open(row, env->n)) continue;
        env->hopeless[s] = 1;
        env_open_row(env, s, row);
    }
}
