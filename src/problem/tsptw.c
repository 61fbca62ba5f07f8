/* TSPTW: one vehicle, time windows, travel cost. */
#include "problem/env.h"

#include <math.h>
#include <stdlib.h>

/* ---- generator: square of side 100, speed 1, no service ---- */

enum { MEDIUM, EASY, HARD };

/* Windows start anywhere before 55 n and are a share of it long. Not tested for feasibility. */
static void draw_windows(struct instance_arrays to, int32_t n, double low, double high,
                         struct rng *rng)
{
    uint32_t horizon = 55u * (uint32_t)n;
    for (int32_t i = 1; i < n; i++) {
        to.ready[i] = rng_below(rng, horizon);
        double width = nearbyint(horizon * (low + (high - low) * rng_uniform(rng)));
        to.due[i] = fmin(to.ready[i] + width, 2.0 * horizon);
    }
    to.due[0] = 2.0 * horizon;
}

/* A hidden random order is feasible: windows lie around the times at which it passes. */
static void draw_hard_windows(struct instance_arrays to, int32_t n, struct rng *rng)
{
    double *order = to.service; /* scratch: there is no service */
    for (int32_t i = 0; i < n; i++) order[i] = i;
    double passing = 0.0;
    for (int32_t k = 1; k < n; k++) {
        int32_t pick = k + (int32_t)rng_below(rng, (uint32_t)(n - k));
        double chosen = order[pick];
        order[pick] = order[k];
        order[k] = chosen;
        int32_t from = (int32_t)order[k - 1], node = (int32_t)chosen;
        passing += hypot(to.x[from] - to.x[node], to.y[from] - to.y[node]);
        double before = rng_uniform(rng), after = rng_uniform(rng);
        to.ready[node] = (double)(float)(passing - 50.0 + 50.0 * before);
        to.due[node] = (double)(float)(passing + 50.0 * after);
        if (to.due[node] < to.ready[node]) to.due[node] = to.ready[node];
    }
    int32_t last = (int32_t)order[n - 1];
    double home = passing + hypot(to.x[last] - to.x[0], to.y[last] - to.y[0]);
    to.due[0] =
        fmax(100000.0, ceil(home + 50.0)); /* the published value, for up to 1800 nodes or so */
}

static void generate(struct ucpo_instance *blank, int level, double capacity, struct rng *rng)
{
    (void)capacity;
    struct instance_arrays to = instance_arrays(blank);
    int32_t n = blank->data.n;
    for (int32_t i = 0; i < n; i++) { /* float32 values: files stay small without loss */
        to.x[i] = (double)(float)(100.0 * rng_uniform(rng));
        to.y[i] = (double)(float)(100.0 * rng_uniform(rng));
    }
    if (level == HARD)
        draw_hard_windows(to, n, rng);
    else
        draw_windows(to, n, level == EASY ? 0.5 : 0.1, level == EASY ? 0.75 : 0.2, rng);
    blank->data.unit = 100.0;
    blank->data.service = NULL;
}

/* ---- network input: x, y; window ends and time as a share of opening .. horizon ---- */

static double share_of_day(const struct ucpo_instance *inst, double time)
{
    double opening = inst->data.ready[0];
    return (fmin(time, inst->horizon) - opening) / (inst->horizon - opening);
}

static void features(const struct ucpo_instance *inst, const float *xy, float *depot, float *node)
{
    const ucpo_instance_data *d = &inst->data;
    (void)depot;
    for (int32_t i = 0; i < d->n; i++) {
        float *row = node + 4 * (size_t)i;
        row[0] = xy[2 * (size_t)i];
        row[1] = xy[2 * (size_t)i + 1];
        row[2] = (float)share_of_day(inst, d->ready[i]);
        row[3] = i == 0 ? 1.0f : (float)share_of_day(inst, d->due[i]);
    }
}

static void env_state(const struct prob_env *env, float *state)
{
    double opening = env->ready[0], span = env->inst->horizon - opening;
    for (int32_t s = 0; s < env->samples; s++) state[s] = (float)((env->time[s] - opening) / span);
}

/* ---- environment ---- */

/* Look-ahead: after starting service at j at time A_j, an unvisited k is still in time iff
 * A_j <= bound[j][k] = due_k - duration_jk - service_j (+ tolerance). So j is allowed iff A_j is at
 * most the smallest bound over the other unvisited nodes. Row j of `order` lists k by rising
 * bound; each sample keeps the position of the smallest unvisited one (`cursor`) and its bound
 * (`tightest`). Positions only ever move forward, which makes a whole tour cost O(n) per node and
 * sample instead of O(n^2). */
static void env_layout(struct prob_env *env, struct arena *arena)
{
    size_t n = (size_t)env->n, entries = (size_t)env->samples * n;
    env->bound = arena_take(arena, n * n, sizeof(double));
    env->order = arena_take(arena, n * n, sizeof(int32_t));
    env->cursor = arena_take(arena, entries, sizeof(uint16_t));
    env->tightest = arena_take(arena, entries, sizeof(double));
}

/* Sorts order[0 .. count) by key, ascending, ties by node: heap sort, in place. */
static int sorts_after(const double *key, int32_t a, int32_t b)
{
    return key[a] > key[b] || (key[a] == key[b] && a > b);
}

static void sift_down(int32_t *order, int32_t from, int32_t count, const double *key)
{
    int32_t moving = order[from];
    for (int32_t child = 2 * from + 1; child < count; child = 2 * from + 1) {
        if (child + 1 < count && sorts_after(key, order[child + 1], order[child])) child++;
        if (!sorts_after(key, order[child], moving)) break;
        order[from] = order[child];
        from = child;
    }
    order[from] = moving;
}

static void sort_by_key(int32_t *order, int32_t count, const double *key)
{
    for (int32_t i = count / 2 - 1; i >= 0; i--) sift_down(order, i, count, key);
    for (int32_t last = count - 1; last > 0; last--) {
        int32_t largest = order[0];
        order[0] = order[last];
        order[last] = largest;
        sift_down(order, 0, last, key);
    }
}

static void env_tables(struct prob_env *env)
{
    int32_t n = env->n;
    for (int32_t j = 0; j < n && !stop_is_asked(env->stop); j++) {
        double *bound = env->bound + (size_t)j * (size_t)n;
        int32_t *order = env->order + (size_t)j * (size_t)n;
        const double *duration = env->duration + (size_t)j * (size_t)n;
        for (int32_t k = 0; k < n; k++) {
            bound[k] = k == j || k == 0 ? HUGE_VAL : env->due[k] - duration[k] - env->service[j];
            order[k] = k;
        }
        sort_by_key(order, n, bound);
    }
}

static void env_reset(struct prob_env *env)
{
    size_t n = (size_t)env->n;
    for (size_t s = 0; s < (size_t)env->samples; s++) {
        for (size_t j = 0; j < n; j++) {
            env->cursor[s * n + j] = 0;
            env->tightest[s * n + j] = env->bound[j * n + (size_t)env->order[j * n]];
        }
    }
}

static void env_step(struct prob_env *env, const int32_t *action)
{
    for (int32_t s = 0; s < env->samples; s++) {
        if (env->done[s]) continue;
        int32_t j = action[s];
        double start = fmax(env_travel(env, s, j), env->ready[j]);
        env_count_late(env, s, j, start);
        env->time[s] = start + env->service[j];
        if (env->left[s] > 0) continue;
        env_count_late(env, s, 0, env_travel(env, s, 0));
        env->done[s] = 1;
    }
}

/* Brings the tightest bounds of open nodes up to date with what sample s has visited. The node
 * itself has bound infinity, so it is never the tightest while another is left. */
static void advance_bounds(struct prob_env *env, int32_t s, const uint8_t *row)
{
    size_t n = (size_t)env->n;
    const uint8_t *visited = env->visited + (size_t)s * n;
    uint16_t *cursor = env->cursor + (size_t)s * n;
    double *tightest = env->tightest + (size_t)s * n;
    for (size_t j = 1; j < n; j++) {
        const int32_t *order = env->order + j * n;
        if (!row[j] || !visited[order[cursor[j]]]) continue;
        size_t at = cursor[j];
        while (at + 1 < n && visited[order[at]]) at++;
        cursor[j] = (uint16_t)at;
        tightest[j] = env->bound[j * n + (size_t)order[at]];
    }
}

/* Start of service at every node if sample s went there now, compared with the tightest bounds. */
static void compare_bounds(const struct prob_env *env, int32_t s, uint8_t *row)
{
    size_t n = (size_t)env->n;
    const double *duration = env->duration + (size_t)env->at[s] * n, *ready = env->ready;
    const double *tightest = env->tightest + (size_t)s * n;
    const double time = env->time[s], tolerance = env->tolerance;
    for (size_t j = 0; j < n; j++) {
        double start = time + duration[j] > ready[j] ? time + duration[j] : ready[j];
        row[j] &= start <= tightest[j] + tolerance;
    }
}

static void check_own_deadline(const struct prob_env *env, int32_t s, uint8_t *row)
{
    const double *duration = env->duration + (size_t)env->at[s] * (size_t)env->n;
    const double tolerance = env->tolerance;
    for (int32_t j = 1; j < env->n; j++) {
        double start = fmax(env->time[s] + duration[j], env->ready[j]);
        double home = start + env->service[j] + env->duration[(size_t)j * (size_t)env->n];
        row[j] = row[j] && start <= env->due[j] + tolerance && home <= env->due[0] + tolerance;
    }
}

static void look_ahead(struct prob_env *env, int32_t s, int also_own, uint8_t *row)
{
    advance_bounds(env, s, row);
    compare_bounds(env, s, row);
    if (also_own) check_own_deadline(env, s, row);
}

static void env_mask(struct prob_env *env, enum prob_mask kind, uint8_t *allowed)
{
    env_tour_mask(env, kind, allowed, look_ahead);
}

/* Some customer cannot be reached in time even by going there at once. */
static int env_is_doomed(const struct prob_env *env, int32_t s)
{
    size_t n = (size_t)env->n;
    const uint8_t *visited = env->visited + (size_t)s * n;
    const double *duration = env->duration + (size_t)env->at[s] * n;
    int is_doomed = 0;
    for (size_t k = 0; k < n; k++) {
        int is_open = k == 0 || !visited[k];
        is_doomed |= is_open && env->time[s] + duration[k] > env->due[k] + env->tolerance;
    }
    return is_doomed;
}

const struct prob_ops prob_tsptw = {
    .info = {"tsptw", "travelling salesman with time windows", "medium easy hard", 0},
    .needs = PROB_WINDOWS,
    .max_vehicles = 1,
    .generate = generate,
    .node_features = 4,
    .depot_features = 0,
    .state_features = 1,
    .features = features,
    .env_layout = env_layout,
    .env_tables = env_tables,
    .env_reset = env_reset,
    .env_step = env_step,
    .env_mask = env_mask,
    .env_state = env_state,
    .env_is_doomed = env_is_doomed,
};
