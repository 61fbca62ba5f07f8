/* TSPDL: one ship that loads at every port; the load after loading must not exceed the port's draft
 * limit. Instances of the unloading convention are mirrored before they come here. */
#include "core/minmax.h"
#include "problem/pairs.h"

#include <math.h>

/* ---- generator: unit square, unit demands ---- */

enum { MEDIUM, EASY, HARD };

/* With unit demands an order exists iff at most q limits are <= q, for every q. */
static int limits_can_be_met(const double *limit, int32_t n, double *count)
{
    for (int32_t q = 0; q < n; q++) count[q] = 0.0;
    for (int32_t i = 1; i < n; i++) count[(int32_t)limit[i]] += 1.0;
    double at_most = 0.0;
    for (int32_t q = 0; q < n - 1; q++) {
        at_most += count[q];
        if (at_most > q) return 0;
    }
    return 1;
}

static void generate(struct ucpo_instance *blank, int level, double capacity, struct rng *rng)
{
    (void)capacity;
    static const int percent[] = {[MEDIUM] = 75, [EASY] = 50, [HARD] = 90};
    struct instance_arrays to = instance_arrays(blank);
    int32_t n = blank->data.n, restricted = n * percent[level] / 100;
    if (restricted > n - 2) restricted = n - 2; /* the last port needs the full draft */
    double *order = to.y, *count = to.x;        /* scratch until the coordinates are drawn */
    for (int32_t i = 0; i < n; i++) {
        to.demand[i] = i == 0 ? 0.0 : 1.0;
        to.limit[i] = n - 1;
        order[i] = i;
    }
    for (int32_t k = 1; k <= restricted; k++) { /* the first `restricted` of a random order */
        int32_t pick = k + (int32_t)rng_below(rng, (uint32_t)(n - k));
        double swap = order[k];
        order[k] = order[pick];
        order[pick] = swap;
    }
    do { /* about 2 (medium) to 5 (hard) rounds */
        for (int32_t k = 1; k <= restricted; k++)
            to.limit[(int32_t)order[k]] = 1.0 + rng_below(rng, (uint32_t)(n - 2));
    } while (!limits_can_be_met(to.limit, n, count));
    for (int32_t i = 0; i < n; i++) {
        to.x[i] = (double)(float)rng_uniform(rng);
        to.y[i] = (double)(float)rng_uniform(rng);
    }
    blank->data.unit = 1.0;
}

/* ---- network input: x, y, demand and limit over total demand ---- */

static void features(const struct ucpo_instance *inst, const float *xy, float *depot, float *node)
{
    const ucpo_instance_data *d = &inst->data;
    double total = inst->total_demand > 0.0 ? inst->total_demand : 1.0;
    (void)depot;
    for (int32_t i = 0; i < d->n; i++) {
        float *row = node + 4 * (size_t)i;
        row[0] = xy[2 * (size_t)i];
        row[1] = xy[2 * (size_t)i + 1];
        row[2] = (float)(d->demand[i] / total);
        row[3] = (float)(fmin(d->limit[i], total) / total);
    }
}

static void env_state(const struct prob_env *env, float *state)
{
    double total = env->inst->total_demand > 0.0 ? env->inst->total_demand : 1.0;
    for (int32_t s = 0; s < env->samples; s++) state[s] = (float)(env->load[s] / total);
}

/* ---- environment ---- */

/* Look-ahead: after loading at j, an unvisited k can still be entered iff
 * load + demand_j <= bound_k = limit_k - demand_k. So j is allowed iff that holds for the smallest
 * bound over the other unvisited ports: the first or second unvisited one of a single sorted list.
 */
static void env_layout(struct prob_env *env, struct arena *arena)
{
    env->bound = arena_take(arena, (size_t)env->n, sizeof(double));
    env->order = arena_take(arena, (size_t)env->n, sizeof(int32_t));
    env->cursor = arena_take(arena, (size_t)env->samples, sizeof(uint16_t));
}

static void env_tables(struct prob_env *env)
{
    for (int32_t k = 0; k < env->n; k++) {
        env->bound[k] = k == 0 ? HUGE_VAL : env->limit[k] - env->demand[k];
        int32_t at = k;
        for (; at > 0 && env->bound[env->order[at - 1]] > env->bound[k]; at--)
            env->order[at] = env->order[at - 1];
        env->order[at] = k;
    }
}

static void env_reset(struct prob_env *env)
{
    for (int32_t s = 0; s < env->samples; s++) env->cursor[s] = 0;
}

static void env_step(struct prob_env *env, const int32_t *action)
{
    for (int32_t s = 0; s < env->samples; s++) {
        if (env->done[s]) continue;
        int32_t j = action[s];
        env_travel(env, s, j);
        env->load[s] += env->demand[j];
        env_count_over(env, s, env->load[s] - env->limit[j]);
        if (env->left[s] > 0) continue;
        env_travel(env, s, 0);
        env_count_over(env, s, env->load[s] - env->limit[0]);
        env->done[s] = 1;
    }
}

/* The two unvisited ports with the smallest bounds; -1 where there is none. */
static void two_tightest(struct prob_env *env, int32_t s, int32_t tightest[2])
{
    const uint8_t *visited = env->visited + (size_t)s * (size_t)env->n;
    uint16_t *cursor = &env->cursor[s];
    while (*cursor < env->n && visited[env->order[*cursor]]) (*cursor)++;
    tightest[0] = tightest[1] = -1;
    int found = 0;
    for (int32_t k = *cursor; k < env->n && found < 2; k++)
        if (!visited[env->order[k]]) tightest[found++] = env->order[k];
}

static void look_ahead(struct prob_env *env, int32_t s, int also_own, uint8_t *row)
{
    int32_t tightest[2];
    two_tightest(env, s, tightest);
    for (int32_t j = 1; j < env->n; j++) {
        if (!row[j]) continue;
        double load = env->load[s] + env->demand[j];
        int32_t other = tightest[0] == j ? tightest[1] : tightest[0];
        int good = other < 0 || load <= env->bound[other] + env->load_tolerance;
        if (also_own) good = good && load <= env->limit[j] + env->load_tolerance;
        row[j] = (uint8_t)good;
    }
}

static void env_mask(struct prob_env *env, enum prob_mask kind, uint8_t *allowed)
{
    env_tour_mask(env, kind, allowed, look_ahead);
}

/* Some port is too shallow even if it is the next one. */
static int env_is_doomed(const struct prob_env *env, int32_t s)
{
    const uint8_t *visited = env->visited + (size_t)s * (size_t)env->n;
    int is_doomed = 0;
    for (int32_t k = 1; k < env->n; k++)
        is_doomed |= !visited[k] && env->load[s] > env->bound[k] + env->load_tolerance;
    return is_doomed;
}

/* ---- features of a decision ---- */

enum {
    WAY,    /* cost of the way */
    REGRET, /* what of it another visit from the nearest unvisited would save */
    ROOM,   /* left under j's limit after loading there */
    LOOK,   /* least room at the others if each came straight after j */
    CHAIN,  /* least room if the others come by rising limit after j: < 0 iff none can be saved */
    LOWER,  /* share of the unvisited with a lower limit */
    HOME,   /* cost from j to the depot */
    LEFT,   /* share of the ports not yet visited */
    RAW_NUMBERS
};

static const struct prob_feature decision[] = {
    {"way", WAY, PROB_UNIT, 0},          {"way_near", WAY, PROB_REACH, 1},
    {"regret", REGRET, PROB_REACH, 1},   {"room", ROOM, PROB_LOAD, 0},
    {"room_d", ROOM, PROB_PORTION, 1},   {"look", LOOK, PROB_LOAD, 0},
    {"look_d", LOOK, PROB_PORTION, 1},   {"chain", CHAIN, PROB_LOAD, 0},
    {"chain_d", CHAIN, PROB_PORTION, 1}, {"lower", LOWER, PROB_ONE, 0},
    {"home", HOME, PROB_UNIT, 0},        {"left", LEFT, PROB_ONE, 0},
};

/* Room under the limits if the unvisited come by rising limit: least[0 .. k) in before[k], least of
 * the ports from k on in from[k]. */
static void build_chain(const struct prob_env *env, int32_t s, int32_t count, double *before,
                        double *from)
{
    double load = env->load[s];
    before[0] = HUGE_VAL;
    for (int32_t k = 0; k < count; k++) {
        load += env->demand[env->todo[k]];
        from[k] = env->limit[env->todo[k]] - load;
        before[k + 1] = less_of(before[k], from[k]);
    }
    from[count] = env->limit[0] - load; /* home, with all on board */
    for (int32_t k = count - 1; k >= 0; k--) from[k] = less_of(from[k], from[k + 1]);
}

static void env_decide(struct prob_env *env, int32_t s, const uint16_t *list, int32_t count,
                       float *raw, size_t stride)
{
    size_t n = (size_t)env->n, at = (size_t)env->at[s] * n;
    double most = 4.0 * more_of(env->inst->total_demand, 1e-300);
    double *before = env->chain, *from = before + n + 1;
    int32_t tightest[2], todo = env_list_todo(env, s);
    float of_todo = 1.0f / (float)todo, left = (float)todo / (float)(n - 1);
    two_tightest(env, s, tightest);
    build_chain(env, s, todo, before, from);
    for (int32_t i = 0; i < count; i++) {
        int32_t j = list[i], other = tightest[0] == j ? tightest[1] : tightest[0];
        int32_t place = env->place[j];
        float *to = raw + i;
        double way = env->cost[at + (size_t)j], load = env->load[s] + env->demand[j];
        double chain = less_of(before[place] - env->demand[j], from[place + 1]);
        to[WAY * stride] = (float)way;
        to[REGRET * stride] = (float)(way - env_nearest(env, s, j));
        to[ROOM * stride] = (float)less_of(env->limit[j] - load, most);
        to[LOOK * stride] = (float)(other < 0 ? most : less_of(env->bound[other] - load, most));
        to[CHAIN * stride] = (float)less_of(chain, most);
        to[LOWER * stride] = (float)place * of_todo;
        to[HOME * stride] = (float)env->cost[(size_t)j * n];
        to[LEFT * stride] = left;
    }
}

/* ---- features of a pair ---- */

static const struct prob_pair pair[] = {
    {"way", PAIR_WAY, 1.0f, 0},         {"near", PAIR_STEP, 1.0f, 1},
    {"nearest", PAIR_STEP_2, 0.25f, 1}, {"turn", PAIR_TURN, 1.0f, 1},
    {"same", PAIR_SAME, 1.0f, 0},       {"depot", PAIR_DEPOT, 1.0f, 0},
    {"deeper", PAIR_DEEPER, 1.0f, 1},   {"deeper_4", PAIR_DEEPER, 0.25f, 1},
    {"apart", PAIR_DEEPER_2, 1.0f, 1},  {"far_apart", PAIR_FAR_DEEPER, 1.0f, 1},
    {"shallow", PAIR_SHALLOW, 1.0f, 0}, {"limit", PAIR_LIMIT, 1.0f, 0},
};

static void pair_row(struct prob_pairs *pairs, int32_t i)
{
    pairs_ways(pairs, i);
    pairs_drafts(pairs, i);
}

const struct prob_ops prob_tspdl = {
    .info = {"tspdl", "travelling salesman with draft limits", "medium easy hard", 0},
    .needs = PROB_DEMAND | PROB_LIMIT,
    .tsplib = {"TSPDL"},
    .columns = "x y demand limit",
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
