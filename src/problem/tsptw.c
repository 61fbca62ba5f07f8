/* TSPTW: one vehicle, time windows, travel cost. */
#include "core/minmax.h"
#include "core/sort.h"
#include "problem/pairs.h"

#include <math.h>

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
    double opening = env->ready[0], scale = env_time_scale(env, env->inst->horizon - opening);
    for (int32_t s = 0; s < env->samples; s++) state[s] = (float)((env->time[s] - opening) / scale);
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
    env->behind = arena_take(arena, entries, sizeof(uint16_t));
    env->second = arena_take(arena, entries, sizeof(double));
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
            order[k] = env->by_limit[(k + 1) % n]; /* nearly in order, the depot last */
        }
        sort_by_key(order, n, bound);
    }
}

static void env_reset(struct prob_env *env)
{
    size_t n = (size_t)env->n;
    for (size_t s = 0; s < (size_t)env->samples; s++) {
        for (size_t j = 0; j < n; j++) {
            env->cursor[s * n + j] = env->behind[s * n + j] = 0;
            env->tightest[s * n + j] = env->bound[j * n + (size_t)env->order[j * n]];
        }
    }
}

static void env_step(struct prob_env *env, const int32_t *action)
{
    for (int32_t s = 0; s < env->samples; s++) {
        if (env->done[s]) continue;
        int32_t j = action[s];
        double start = more_of(env_travel(env, s, j), env->ready[j]);
        env_count_late(env, s, j, start);
        env->time[s] = start + env->service[j];
        if (env->left[s] > 0) continue;
        env_count_late(env, s, 0, env_travel(env, s, 0));
        env->done[s] = 1;
    }
}

/* What the look-ahead of one sample reads and keeps. */
struct watch {
    size_t n;
    const uint8_t *visited;
    const int32_t *order;
    const double *bound;
    uint16_t *cursor, *behind;
    double *tightest, *second;
};

static struct watch watch_of(const struct prob_env *env, int32_t s)
{
    size_t n = (size_t)env->n, at = (size_t)s * n;
    return (struct watch){n,
                          env->visited + at,
                          env->order,
                          env->bound,
                          env->cursor + at,
                          env->behind + at,
                          env->tightest + at,
                          env->second + at};
}

/* Brings the tightest bound of node j up to date with what the sample has visited. The node itself has
 * bound infinity, so it is never the tightest while another is left. */
static inline void advance_bound(const struct watch *w, size_t j)
{
    const int32_t *order = w->order + j * w->n;
    size_t at = w->cursor[j];
    if (!w->visited[order[at]]) return;
    while (at + 1 < w->n && w->visited[order[at]]) at++;
    w->cursor[j] = (uint16_t)at;
    w->tightest[j] = w->bound[j * w->n + (size_t)order[at]];
}

/* Start of service at every open node if sample s went there now, compared with the tightest bound.
 * Which nodes are open looks random to a processor, so they are listed without branches first. */
static void compare_bounds(const struct prob_env *env, int32_t s, uint8_t *row)
{
    enum { BLOCK = 64 };
    const struct watch w = watch_of(env, s);
    const double *duration = env->duration + (size_t)env->at[s] * w.n, *ready = env->ready;
    const double time = env->time[s], tolerance = env_mask_tolerance(env);
    uint16_t list[BLOCK] = {0};
    for (size_t from = 1; from < w.n; from += BLOCK) {
        size_t end = from + BLOCK < w.n ? from + BLOCK : w.n, count = 0;
        for (size_t j = from; j < end; j++) {
            list[count] = (uint16_t)j;
            count += row[j];
        }
        for (size_t i = 0; i < count; i++) {
            size_t j = list[i];
            advance_bound(&w, j);
            row[j] = more_of(time + duration[j], ready[j]) <= w.tightest[j] + tolerance;
        }
    }
}

static void check_own_deadline(const struct prob_env *env, int32_t s, uint8_t *row)
{
    const double *duration = env->duration + (size_t)env->at[s] * (size_t)env->n;
    const double tolerance = env_mask_tolerance(env);
    for (int32_t j = 1; j < env->n; j++) {
        double start = fmax(env->time[s] + duration[j], env->ready[j]);
        double home = start + env->service[j] + env->duration[(size_t)j * (size_t)env->n];
        row[j] = row[j] && start <= env->due[j] + tolerance && home <= env->due[0] + tolerance;
    }
}

static void look_ahead(struct prob_env *env, int32_t s, int also_own, uint8_t *row)
{
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

/* ---- features of a decision ---- */

enum {
    WAY,     /* cost of the way */
    REGRET,  /* what of it another visit from the nearest unvisited would save */
    WAIT,    /* until the window opens */
    SLACK,   /* left of the window */
    LOOK,    /* least slack of the others if each came straight after j */
    SECOND,  /* the second least */
    CHAIN,   /* least slack if the others come by rising deadline after j */
    EARLIER, /* share of the unvisited with an earlier deadline */
    HOME,    /* cost from j to the depot */
    LEFT,    /* share of the customers not yet visited */
    RAW_NUMBERS
};

static const struct prob_feature decision[] = {
    {"way", WAY, PROB_UNIT, 0},
    {"way_near", WAY, PROB_REACH, 1},
    {"regret", REGRET, PROB_REACH, 1},
    {"wait", WAIT, PROB_HALF_UNIT, 1},
    {"slack", SLACK, PROB_LEEWAY, 0},
    {"slack_w", SLACK, PROB_LEEWAY, 1},
    {"slack_u", SLACK, PROB_HALF_UNIT, 1},
    {"look", LOOK, PROB_LEEWAY, 0},
    {"look_w", LOOK, PROB_LEEWAY, 1},
    {"look_u", LOOK, PROB_HALF_UNIT, 1},
    {"chain_w", CHAIN, PROB_LEEWAY, 1},
    {"chain_u", CHAIN, PROB_HALF_UNIT, 1},
    {"second_w", SECOND, PROB_LEEWAY, 1},
    {"earlier", EARLIER, PROB_ONE, 0},
    {"home", HOME, PROB_UNIT, 0},
    {"left", LEFT, PROB_ONE, 0},
};

/* The unvisited by rising deadline, then the depot, as a chain that is entered at time t: it is left
 * at max(t + span, end), and its least slack is min(open - t, least). Pieces of the chain are put
 * together like that: before[k] is todo[0 .. k), from[k] is todo[k ..] with the depot. */
struct chains {
    double *span, *end, *open, *least; /* before[k] */
    double *from_open, *from_least;    /* from[k] */
    double *leap;                      /* way from todo[k - 1] (k = 0: todo[0]) to todo[k + 1] */
};

static struct chains chains_of(const struct prob_env *env)
{
    size_t row = (size_t)env->n + 1;
    double *at = env->chain;
    return (struct chains){at,           at + row,     at + 2 * row, at + 3 * row,
                           at + 4 * row, at + 5 * row, at + 6 * row};
}

static void build_chains(const struct prob_env *env, const struct chains *c, int32_t count)
{
    size_t n = (size_t)env->n;
    const int32_t *todo = env->todo;
    const double *duration = env->duration, *ready = env->ready, *service = env->service;
    const double horizon = env->inst->horizon;
    double span = 0.0, end = -HUGE_VAL, open = HUGE_VAL, least = HUGE_VAL;
    for (int32_t k = 0; k < count; k++) { /* before[k + 1] = before[k], leg, todo[k] */
        c->span[k] = span, c->end[k] = end, c->open[k] = open, c->least[k] = least;
        size_t j = (size_t)todo[k], next = k + 1 < count ? (size_t)todo[k + 1] : 0;
        const double *from = duration + (size_t)todo[k > 0 ? k - 1 : 0] * n;
        double due = less_of(env->due[j], horizon), leg = k > 0 ? from[j] : 0.0;
        c->leap[k] = from[next];
        span += leg;
        end = more_of(end + leg, ready[j]);
        open = less_of(open, due - span);
        least = less_of(least, due - end);
        span += service[j];
        end += service[j];
    }
    open = env->due[0], least = HUGE_VAL; /* the depot */
    c->from_open[count] = open, c->from_least[count] = least;
    for (int32_t k = count - 1; k >= 0; k--) { /* from[k] = todo[k], leg, from[k + 1] */
        size_t j = (size_t)todo[k], next = k + 1 < count ? (size_t)todo[k + 1] : 0;
        double due = less_of(env->due[j], horizon);
        double leave = open - (service[j] + duration[j * n + next]);
        c->from_open[k] = open = less_of(due, leave);
        c->from_least[k] = least = less_of(open - ready[j], least);
    }
}

/* Least slack of the others if a sample leaves todo[k] at `time` and `back` is the way to todo[0]. */
static double chain_slack(const struct chains *c, int32_t k, double time, double back)
{
    double entered = time + back; /* k = 0: nothing before it, and back is 0 */
    double left = more_of(entered + c->span[k], c->end[k]) + c->leap[k];
    double before = less_of(c->open[k] - entered, c->least[k]);
    return less_of(before, less_of(c->from_open[k + 1] - left, c->from_least[k + 1]));
}

/* Brings the second bound of node j up to date, whose tightest one is. */
static inline void advance_second(const struct watch *w, size_t j)
{
    const int32_t *order = w->order + j * w->n;
    size_t first = w->cursor[j], at = w->behind[j];
    if (at > first && (at == w->n || !w->visited[order[at]])) return;
    at = at > first ? at : first + 1;
    while (at < w->n && w->visited[order[at]]) at++;
    w->behind[j] = (uint16_t)at;
    w->second[j] = at < w->n ? w->bound[j * w->n + (size_t)order[at]] : HUGE_VAL;
}

static void env_decide(struct prob_env *env, int32_t s, const uint16_t *list, int32_t count,
                       float *raw, size_t stride)
{
    const struct watch w = watch_of(env, s);
    size_t n = w.n, from = (size_t)env->at[s] * n;
    for (int32_t i = 0; i < count; i++) { /* what is kept from decision to decision */
        advance_bound(&w, list[i]);
        advance_second(&w, list[i]);
        double nearest = env_nearest(env, s, list[i]);
        raw[REGRET * stride + (size_t)i] = (float)(env->cost[from + list[i]] - nearest);
    }
    int32_t todo = env_list_todo(env, s);
    struct chains chains = chains_of(env);
    build_chains(env, &chains, todo);
    const double far = 1e3 * env->inst->data.unit, horizon = env->inst->horizon;
    const double now = env->time[s], *cost = env->cost + from, *duration = env->duration + from;
    const double *back = env->duration + env->todo[0];
    const float of_todo = 1.0f / (float)todo, left = (float)todo / (float)(n - 1);
    for (int32_t i = 0; i < count; i++) {
        size_t j = list[i];
        int32_t place = env->place[j];
        float *to = raw + i;
        double reach = now + duration[j], start = more_of(reach, env->ready[j]);
        double chain = chain_slack(&chains, place, start + env->service[j], back[j * n]);
        to[WAY * stride] = (float)cost[j];
        to[WAIT * stride] = (float)(start - reach);
        to[SLACK * stride] = (float)(less_of(env->due[j], horizon) - start);
        to[LOOK * stride] = (float)less_of(w.tightest[j] - start, far);
        to[SECOND * stride] = (float)less_of(w.second[j] - start, far);
        to[CHAIN * stride] = (float)less_of(chain, far);
        to[EARLIER * stride] = (float)place * of_todo;
        to[HOME * stride] = (float)env->cost[j * n];
        to[LEFT * stride] = left;
    }
}

/* ---- features of a pair ---- */

static const struct prob_pair pair[] = {
    {"way", PAIR_WAY, 1.0f, 0},
    {"near", PAIR_STEP, 1.0f, 1},
    {"nearest", PAIR_STEP_2, 0.25f, 1},
    {"turn", PAIR_TURN, 1.0f, 1},
    {"same", PAIR_SAME, 1.0f, 0},
    {"depot", PAIR_DEPOT, 1.0f, 0},
    {"forward", PAIR_FORWARD, 1.0f, 1},
    {"forward_4", PAIR_FORWARD, 0.25f, 1},
    {"backward", PAIR_BACKWARD, 1.0f, 1},
    {"backward_4", PAIR_BACKWARD, 0.25f, 1},
    {"wait", PAIR_WAIT, 1.0f, 1},
    {"later", PAIR_LATER, 3.0f, 1},
    {"apart", PAIR_APART, 1.0f, 1},
    {"apart_4", PAIR_APART, 0.0625f, 1},
    {"far_apart", PAIR_FAR_APART, 1.0f, 1},
    {"near_forward", PAIR_NEAR_FORWARD, 1.0f, 0},
};

static void pair_row(struct prob_pairs *pairs, int32_t i)
{
    pairs_ways(pairs, i);
    pairs_windows(pairs, i);
}

const struct prob_ops prob_tsptw = {
    .info = {"tsptw", "travelling salesman with time windows", "medium easy hard", 0},
    .needs = PROB_WINDOWS,
    .tsplib = {"TSPTW"},
    .columns = "x y ready due",
    .max_vehicles = 1,
    .node_features = 4,
    .depot_features = 0,
    .state_features = 1,
    .env_layout = env_layout,
    .env_tables = env_tables,
    .env_reset = env_reset,
    .env_state = env_state,
    PROB_OWN,
    PROB_PAIRS,
};
