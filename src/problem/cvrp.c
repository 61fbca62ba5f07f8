/* CVRP: capacity only. Any number of vehicles; times play no part. */
#include "core/minmax.h"
#include "problem/pairs.h"

#include <math.h>

/* ---- generator: places uniform in the unit square, demands 1 .. 9, capacities as published ---- */

static void generate(struct ucpo_instance *blank, int level, double capacity, struct rng *rng)
{
    static const double published[] = {20, 30, 40, 50};
    struct instance_arrays to = instance_arrays(blank);
    ucpo_instance_data *d = &blank->data;
    (void)level;
    for (int32_t i = 0; i < d->n; i++) {
        to.x[i] = rng_uniform(rng);
        to.y[i] = rng_uniform(rng);
        if (i > 0) to.demand[i] = 1.0 + rng_below(rng, 9);
    }
    d->capacity = capacity > 0.0 ? capacity : prob_published_capacity(published, d->n - 1, 9.0);
    d->unit = 1.0;
}

/* ---- network input: x, y; for customers demand / capacity; the share of the load left ---- */

static void features(const struct ucpo_instance *inst, const float *xy, float *depot, float *node)
{
    const ucpo_instance_data *d = &inst->data;
    depot[0] = xy[0];
    depot[1] = xy[1];
    for (int32_t i = 1; i < d->n; i++) {
        float *row = node + 3 * (size_t)(i - 1);
        row[0] = xy[2 * (size_t)i];
        row[1] = xy[2 * (size_t)i + 1];
        row[2] = (float)(d->demand[i] / d->capacity);
    }
}

static void env_state(const struct prob_env *env, float *state)
{
    double capacity = env->inst->data.capacity;
    for (int32_t s = 0; s < env->samples; s++)
        state[s] = (float)((capacity - env->load[s]) / capacity);
}

/* ---- environment ---- */

static void env_step(struct prob_env *env, const int32_t *action)
{
    for (int32_t s = 0; s < env->samples; s++) {
        int32_t j = action[s];
        if (env->done[s]) continue;
        if (j == 0) {
            if (env->at[s] != 0) env_travel(env, s, 0);
            env->load[s] = 0.0;
            env->done[s] = env->left[s] == 0;
            continue;
        }
        env->used[s] += env->at[s] == 0;
        env_travel(env, s, j);
        env->load[s] += env->demand[j];
        env->open[s] -= env->demand[j];
        env_count_over(env, s, fmin(env->load[s] - env->inst->data.capacity, env->demand[j]));
    }
}

/* Customers that fit; the depot unless the vehicle is there. A customer that fits in no vehicle is open
 * once nobody else is: its visit is counted. The look-ahead has nothing to add. */
static void env_mask(struct prob_env *env, enum prob_mask kind, uint8_t *allowed)
{
    (void)kind;
    for (int32_t s = 0; s < env->samples; s++) {
        uint8_t *row = allowed + (size_t)s * (size_t)env->n;
        int is_home = env->at[s] == 0;
        double room = env->inst->data.capacity - env->load[s] + env->load_tolerance;
        int32_t left = env_open_row(env, s, row), fitting = 0;
        for (int32_t j = 1; j < env->n; j++) {
            row[j] = row[j] && env->demand[j] <= room;
            fitting += row[j];
        }
        row[0] = left == 0 || !is_home;
        if (left > 0 && fitting == 0 && is_home) env_open_row(env, s, row);
    }
}

/* A customer is left that fits in no vehicle. */
static int env_is_doomed(const struct prob_env *env, int32_t s)
{
    const uint8_t *visited = env->visited + (size_t)s * (size_t)env->n;
    double most = env->inst->data.capacity + env->load_tolerance;
    for (int32_t j = 1; j < env->n; j++)
        if (!visited[j] && env->demand[j] > most) return 1;
    return 0;
}

/* ---- features of a decision ---- */

enum {
    DEPOT,  /* 1 for the depot, 0 for a customer */
    WAY,    /* cost of the way */
    REGRET, /* what of it another visit from the nearest unserved would save */
    DETOUR, /* what it saves against going through the depot */
    ROOM,   /* load left afterwards */
    DEMAND,
    USED, /* vehicles so far against the least number that can carry everything */
    HOME, /* cost from there to the depot */
    LEFT, /* share of the customers not yet served */
    RAW_NUMBERS
};

static const struct prob_feature decision[] = {
    {"depot", DEPOT, PROB_ONE, 0},    {"way", WAY, PROB_UNIT, 0},
    {"way_near", WAY, PROB_REACH, 1}, {"regret", REGRET, PROB_REACH, 1},
    {"detour", DETOUR, PROB_UNIT, 0}, {"room", ROOM, PROB_LOAD, 0},
    {"demand", DEMAND, PROB_LOAD, 0}, {"room_d", ROOM, PROB_PORTION, 1},
    {"used", USED, PROB_ONE, 0},      {"home", HOME, PROB_UNIT, 0},
    {"left", LEFT, PROB_ONE, 0},
};

static void env_decide(struct prob_env *env, int32_t s, const uint16_t *list, int32_t count,
                       float *raw, size_t stride)
{
    const ucpo_instance_data *d = &env->inst->data;
    size_t n = (size_t)env->n, from = (size_t)env->at[s] * n;
    double least = more_of(1.0, ceil(env->inst->total_demand / d->capacity));
    for (int32_t i = 0; i < count; i++) {
        int32_t j = list[i];
        float *to = raw + i;
        double way = env->cost[from + (size_t)j];
        double near = j == 0 ? way : env_nearest(env, s, j);
        double load = j == 0 ? 0.0 : env->load[s] + env->demand[j];
        to[DEPOT * stride] = j == 0;
        to[WAY * stride] = (float)way;
        to[REGRET * stride] = (float)(way - near);
        to[DETOUR * stride] = (float)(env->cost[from] + env->cost[(size_t)j] - way);
        to[ROOM * stride] = (float)(d->capacity - load);
        to[DEMAND * stride] = (float)env->demand[j];
        to[USED * stride] = (float)(env->used[s] / least);
        to[HOME * stride] = (float)env->cost[(size_t)j * n];
        to[LEFT * stride] = (float)env->left[s] / (float)(n - 1);
    }
}

/* ---- features of a pair ---- */

static const struct prob_pair pair[] = {
    {"way", PAIR_WAY, 1.0f, 0},          {"near", PAIR_STEP, 1.0f, 1},
    {"nearest", PAIR_STEP_2, 0.25f, 1},  {"turn", PAIR_TURN, 1.0f, 1},
    {"same", PAIR_SAME, 1.0f, 0},        {"depot", PAIR_DEPOT, 1.0f, 0},
    {"load", PAIR_LOAD, 1.0f, 0},        {"saving", PAIR_SAVING, 1.0f, 0},
    {"saved", PAIR_SAVED, 1.0f, 0},      {"angle", PAIR_ANGLE, 1.0f, 0},
    {"angle_4", PAIR_ANGLE, 0.0625f, 1},
};

static void pair_row(struct prob_pairs *pairs, int32_t i)
{
    pairs_ways(pairs, i);
    pairs_routes(pairs, i);
}

const struct prob_ops prob_cvrp = {
    .info = {"cvrp", "capacitated vehicle routing", "uniform", 1},
    .needs = PROB_DEMAND | PROB_CAPACITY,
    .tsplib = {"CVRP"},
    .columns = "x y demand capacity",
    .node_features = 3,
    .depot_features = 2,
    .state_features = 1,
    .env_state = env_state,
    PROB_OWN,
    PROB_PAIRS,
};
