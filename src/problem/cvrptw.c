/* CVRPTW and CVRPTWLV: capacity, time windows, return before the depot closes; the second with at
 * most `vehicles` routes. Same environment, one more context scalar and one more rule. */
#include "core/minmax.h"
#include "problem/pairs.h"

#include <math.h>

/* ---- generator: unit square, times in units of distance (the recipe's integers / 100) ---- */

enum { CVRP, JAMPR, MVMOE }; /* profiles; cvrptwlv has the first only */

static double level_capacity(int level, int32_t customers)
{
    static const double capacity[2][4] = {{20, 30, 40, 50}, {250, 500, 750, 1000}};
    int is_jampr = level == JAMPR;
    return prob_published_capacity(capacity[is_jampr], customers, is_jampr ? 42 : 9);
}

static void draw_window(struct instance_arrays to, int32_t i, struct rng *rng)
{
    double way = 100.0 * hypot(to.x[0] - to.x[i], to.y[0] - to.y[i]);
    double low = ceil(way) + 1.0, high = 1000.0 - (ceil(way + 10.0) + 1.0);
    double noise = fmax(fabs(rng_normal(rng)), 0.01);
    double ready = low + rng_below(rng, (uint32_t)(high - low));
    double due = floor(fmin(ready + 300.0 * noise, high));
    to.ready[i] = ready / 100.0;
    to.due[i] = due / 100.0;
    to.service[i] = 0.1;
}

/* A centre between the earliest arrival and the last start that is home at 3, less than a third of the
 * day to both sides, cut to the day: MVMoE's windows, which are narrow and wide alike. As there, a customer
 * farther than 1.4 (from corner to corner) cannot be served. */
static void draw_mvmoe_window(struct instance_arrays to, int32_t i, struct rng *rng)
{
    double day = 3.0, service = 0.2, way = hypot(to.x[0] - to.x[i], to.y[0] - to.y[i]);
    double centre = way + (day - service - 2.0 * way) * rng_uniform(rng);
    double half = service / 2.0 + (day / 3.0 - service / 2.0) * rng_uniform(rng);
    to.ready[i] = fmax(centre - half, 0.0);
    to.due[i] = fmin(centre + half, day);
    to.service[i] = service;
}

static void generate(struct ucpo_instance *blank, int level, double capacity, struct rng *rng)
{
    struct instance_arrays to = instance_arrays(blank);
    ucpo_instance_data *d = &blank->data;
    for (int32_t i = 0; i < d->n; i++) {
        to.x[i] = rng_uniform(rng);
        to.y[i] = rng_uniform(rng);
    }
    to.due[0] = level == MVMOE ? 3.0 : 10.0;
    double total = 0.0;
    for (int32_t i = 1; i < d->n; i++) {
        if (level == MVMOE)
            draw_mvmoe_window(to, i, rng);
        else
            draw_window(to, i, rng);
        if (level == JAMPR)
            to.demand[i] = fmin(fmax(floor(fabs(15.0 + 10.0 * rng_normal(rng))), 1.0), 42.0);
        else
            to.demand[i] = 1.0 + rng_below(rng, 9);
        total += to.demand[i];
    }
    d->capacity = capacity > 0.0 ? capacity : level_capacity(level, d->n - 1);
    if (blank->ops->needs & PROB_FLEET) d->vehicles = (int32_t)ceil(total / d->capacity);
    d->unit = 1.0;
}

/* ---- network input ---- */

/* depot: x, y. customer: x, y, demand / capacity, window ends as a share of the opening hours. */
struct hours {
    double open, span;
};

static struct hours opening_hours(const struct ucpo_instance *inst)
{
    double open = inst->data.ready[0];
    double close = isfinite(inst->data.due[0]) ? inst->data.due[0] : inst->horizon;
    return (struct hours){open, close > open ? close - open : 1.0};
}

static void features(const struct ucpo_instance *inst, const float *xy, float *depot, float *node)
{
    const ucpo_instance_data *d = &inst->data;
    struct hours hours = opening_hours(inst);
    depot[0] = xy[0];
    depot[1] = xy[1];
    for (int32_t i = 1; i < d->n; i++) {
        float *row = node + 5 * (size_t)(i - 1);
        const float *at = xy + 2 * (size_t)i;
        row[0] = at[0];
        row[1] = at[1];
        row[2] = (float)(d->demand[i] / d->capacity);
        row[3] = (float)((d->ready[i] - hours.open) / hours.span);
        row[4] = (float)((fmin(d->due[i], hours.open + hours.span) - hours.open) / hours.span);
    }
}

static void write_state(const struct prob_env *env, int width, float *state)
{
    const struct ucpo_instance *inst = env->inst;
    struct hours hours = opening_hours(inst);
    double fleet = inst->data.vehicles, scale = env_time_scale(env, hours.span);
    for (int32_t s = 0; s < env->samples; s++) {
        float *row = state + (size_t)s * (size_t)width;
        row[0] = (float)((inst->data.capacity - env->load[s]) / inst->data.capacity);
        row[1] = (float)((env->time[s] - hours.open) / scale);
        if (width == 3) row[2] = (float)((fleet - env->used[s]) / fleet);
    }
}

static void env_state(const struct prob_env *env, float *state)
{
    write_state(env, 2, state);
}

static void env_state_fleet(const struct prob_env *env, float *state)
{
    write_state(env, 3, state);
}

/* ---- environment ---- */

static void serve(struct prob_env *env, int32_t s, int32_t j)
{
    const ucpo_instance_data *d = &env->inst->data;
    if (env->at[s] == 0) {
        env->used[s]++;
        if (d->vehicles > 0 && env->used[s] > d->vehicles) env->violations[s]++;
    }
    double start = fmax(env_travel(env, s, j), env->ready[j]);
    env_count_late(env, s, j, start);
    env->time[s] = start + env->service[j];
    env->load[s] += env->demand[j];
    env->open[s] -= env->demand[j];
    env_count_over(env, s, fmin(env->load[s] - d->capacity, env->demand[j]));
}

static void env_step(struct prob_env *env, const int32_t *action)
{
    for (int32_t s = 0; s < env->samples; s++) {
        if (env->done[s]) continue;
        if (action[s] != 0) {
            serve(env, s, action[s]);
            continue;
        }
        if (env->at[s] != 0) { /* the return is measured before the clock is reset */
            env_count_late(env, s, 0, env_travel(env, s, 0));
            env->time[s] = env->ready[0];
            env->load[s] = 0.0;
        }
        env->done[s] = env->left[s] == 0;
    }
}

/* Closes customers of a row that do not fit; returns how many stay open. */
static int32_t keep_fitting(const struct prob_env *env, int32_t s, uint8_t *row)
{
    double room = env->inst->data.capacity - env->load[s] + env->load_tolerance;
    int32_t open = 0;
    for (int32_t j = 1; j < env->n; j++) {
        row[j] = row[j] && env->demand[j] <= room;
        open += row[j];
    }
    return open;
}

/* Closes customers that cannot be served in time with a return in time; returns how many stay. */
static int32_t keep_punctual(const struct prob_env *env, int32_t s, uint8_t *row)
{
    const double *duration = env->duration + (size_t)env->at[s] * (size_t)env->n;
    const double tolerance = env_mask_tolerance(env);
    int32_t open = 0;
    for (int32_t j = 1; j < env->n; j++) {
        if (!row[j]) continue;
        double start = fmax(env->time[s] + duration[j], env->ready[j]);
        double home = start + env->service[j] + env->duration[(size_t)j * (size_t)env->n];
        row[j] = start <= env->due[j] + tolerance && home <= env->due[0] + tolerance;
        open += row[j];
    }
    return open;
}

/* Going home leaves (K - used) vehicles: too few if the open demand exceeds their capacity. */
static int needs_this_vehicle(const struct prob_env *env, int32_t s)
{
    const ucpo_instance_data *d = &env->inst->data;
    return d->vehicles > 0 &&
           env->open[s] > (d->vehicles - env->used[s]) * d->capacity + env->load_tolerance;
}

/* Room that this vehicle (at the depot: the next) and those behind it may leave empty in all and still
 * carry what is open; negative: they cannot. */
static double fleet_waste(const struct prob_env *env, int32_t s)
{
    const ucpo_instance_data *d = &env->inst->data;
    int32_t behind = d->vehicles - env->used[s] - (env->at[s] == 0);
    return behind * d->capacity + (d->capacity - env->load[s]) - env->open[s];
}

/* Whether a vehicle that leaves j at `time` with `room` can still be filled up to a rest of `waste` by some of
 * the `count` unserved of `todo` that it reaches in time from there; whether one can follow another is not
 * asked. Whole loads are summed exactly if the room is below 64 (bit b of `sums`: a load of b); otherwise it is
 * enough that all of them together are heavy enough. The last to close come first: they are in time more often. */
static int can_be_filled(const struct prob_env *env, int32_t count, int32_t j, double time,
                         double room, double waste)
{
    const double *duration = env->duration + (size_t)j * (size_t)env->n;
    double least = room - waste - env->load_tolerance, total = 0.0;
    if (least <= 0.0) return 1;
    int is_exact = env->inst->whole_loads && room < 64.0;
    uint64_t sums = 1, wanted = 0;
    if (is_exact) wanted = (UINT64_MAX >> (63 - (int)room)) & (UINT64_MAX << (int)least);
    double start = time - env_mask_tolerance(env);
    for (int32_t i = count - 1; i >= 0; i--) {
        int32_t k = env->todo[i];
        double demand = env->demand[k];
        if (k == j || demand > room + env->load_tolerance ||
            start + duration[k] > env->last_start[k])
            continue;
        total += demand;
        if (is_exact) sums |= sums << (int)demand;
        if (is_exact ? (sums & wanted) != 0 : total >= least) return 1;
    }
    return 0;
}

/* Closes customers after which a limited fleet could not carry everything, if that leaves any. */
static void keep_filling(struct prob_env *env, int32_t s, uint8_t *row)
{
    const double *duration = env->duration + (size_t)env->at[s] * (size_t)env->n;
    double waste = fleet_waste(env, s), room = env->inst->data.capacity - env->load[s];
    if (waste < -env->load_tolerance) return;              /* nothing can be saved */
    if (room - waste - env->load_tolerance <= 0.0) return; /* it may go home as it is */

    enum { OPEN = 1, FILLS = 2 };

    int32_t count = env_list_todo(env, s);
    int any = 0;
    for (int32_t j = 1; j < env->n; j++) {
        if (!row[j]) continue;
        double leave = fmax(env->time[s] + duration[j], env->ready[j]) + env->service[j];
        if (can_be_filled(env, count, j, leave, room - env->demand[j], waste)) row[j] |= FILLS;
        any |= row[j] & FILLS;
    }
    for (int32_t j = 1; j < env->n; j++) row[j] = any ? row[j] == (OPEN | FILLS) : row[j] & OPEN;
}

static void mask_row(struct prob_env *env, int32_t s, enum prob_mask kind, uint8_t *row)
{
    int is_home = env->at[s] == 0;
    if (env_open_row(env, s, row) == 0) { /* all served: go home, stay there */
        row[0] = 1;
        return;
    }
    int32_t open = keep_fitting(env, s, row);
    if (open == 0 && is_home) { /* a demand above capacity: let it happen, it is counted */
        env_open_row(env, s, row);
        return;
    }
    if (kind != PROB_MASK_SOFT) {
        int32_t punctual = keep_punctual(env, s, row);
        if (punctual == 0 && is_home) { /* late whatever is chosen: back to the soft rules */
            env_open_row(env, s, row);
            punctual = keep_fitting(env, s, row);
        }
        open = punctual;
    }
    int is_limited = kind != PROB_MASK_SOFT && env->inst->data.vehicles > 0;
    if (is_limited && open > 0) keep_filling(env, s, row);
    int stay_out = is_limited && open > 0 && needs_this_vehicle(env, s);
    row[0] = !is_home && !stay_out;
}

static void env_mask(struct prob_env *env, enum prob_mask kind, uint8_t *allowed)
{
    for (int32_t s = 0; s < env->samples; s++)
        mask_row(env, s, kind, allowed + (size_t)s * (size_t)env->n);
}

/* The vehicle cannot be home in time, or the vehicles left cannot carry what is left. Late customers
 * are no reason: another vehicle may serve them. */
static int env_is_doomed(const struct prob_env *env, int32_t s)
{
    const ucpo_instance_data *d = &env->inst->data;
    double home = env->time[s] + env->duration[(size_t)env->at[s] * (size_t)env->n];
    if (home > env->due[0] + env->tolerance) return 1;
    int is_out = env->at[s] != 0;
    double room = (d->vehicles - env->used[s]) * d->capacity;
    if (is_out) room += d->capacity - env->load[s];
    return d->vehicles > 0 && env->open[s] > room + env->load_tolerance;
}

/* ---- features of a decision ---- */

enum {
    DEPOT,  /* 1 for the depot, 0 for a customer */
    WAY,    /* cost of the way */
    REGRET, /* what of it another visit from the nearest unserved would save */
    DETOUR, /* what it saves against going through the depot */
    WAIT,   /* until the window opens */
    DELAY,  /* until service begins */
    SLACK,  /* left of the window */
    RETURN, /* time left at the depot if it came straight after */
    ROOM,   /* load left afterwards */
    DEMAND,
    FLEET, /* what the vehicles left can carry beyond the open demand, in vehicles */
    USED,  /* vehicles so far against the least number that can carry everything */
    HOME,  /* cost from there to the depot */
    LEFT,  /* share of the customers not yet served */
    LOST,  /* share of the other unserved that this vehicle can then not reach in time */
    WASTE, /* room of this vehicle beyond what it can then still reach, at the mean open demand */
    RAW_NUMBERS
};

static const struct prob_feature decision[] = {
    {"depot", DEPOT, PROB_ONE, 0},         {"way", WAY, PROB_UNIT, 0},
    {"way_near", WAY, PROB_REACH, 1},      {"regret", REGRET, PROB_REACH, 1},
    {"detour", DETOUR, PROB_UNIT, 0},      {"wait", WAIT, PROB_HALF_UNIT, 1},
    {"delay", DELAY, PROB_UNIT, 1},        {"slack_w", SLACK, PROB_LEEWAY, 1},
    {"slack_u", SLACK, PROB_HALF_UNIT, 1}, {"return", RETURN, PROB_UNIT, 1},
    {"room", ROOM, PROB_LOAD, 0},          {"demand", DEMAND, PROB_LOAD, 0},
    {"fleet", FLEET, PROB_HALF, 1},        {"used", USED, PROB_ONE, 0},
    {"home", HOME, PROB_UNIT, 0},          {"left", LEFT, PROB_ONE, 0},
    {"lost", LOST, PROB_ONE, 0},           {"waste", WASTE, PROB_LOAD, 0},
};

/* Load that can still be carried after going to j, less what is open then; in vehicles. */
static double fleet_spare(const struct prob_env *env, int32_t s, int32_t j)
{
    const ucpo_instance_data *d = &env->inst->data;
    if (d->vehicles <= 0) return 4.0;
    int starts = j != 0 && env->at[s] == 0;
    double room = j == 0 ? 0.0 : d->capacity - env->load[s] - env->demand[j];
    double open = env->open[s] - env->demand[j];
    return d->vehicles - env->used[s] - starts + (room - open) / d->capacity;
}

/* Counting who can be reached is most of the work: in single precision it takes a third of the time. */
static void env_layout(struct prob_env *env, struct arena *arena)
{
    size_t n = (size_t)env->n;
    env->leg = arena_take(arena, n * n, sizeof(float));
    env->deadline = arena_take(arena, n, sizeof(float));
    env->last_start = arena_take(arena, n, sizeof(double));
}

static void env_tables(struct prob_env *env)
{
    for (int32_t j = 0; j < env->n; j++) {
        double home = env->due[0] - env->service[j] - env->duration[(size_t)j * (size_t)env->n];
        env->last_start[j] = fmin(env->due[j], home);
    }
    for (int32_t i = 0; i < env->n && env->has_decisions && !stop_is_asked(env->stop); i++)
        for (int32_t j = 0; j < env->n; j++) {
            size_t k = (size_t)i * (size_t)env->n + (size_t)j;
            env->leg[k] = (float)env->duration[k];
        }
}

/* Of the unserved, from opening time on; nobody is in time at the others. */
static void list_deadlines(struct prob_env *env, int32_t s)
{
    const uint8_t *visited = env->visited + (size_t)s * (size_t)env->n;
    for (int32_t k = 0; k < env->n; k++)
        env->deadline[k] = visited[k] ? -HUGE_VALF : (float)(env->due[k] - env->ready[0]);
}

/* How many unserved other than j can be served in time by a vehicle that leaves j at `time`. */
static int32_t count_reachable(const struct prob_env *env, int32_t j, double time)
{
    const float *leg = env->leg + (size_t)j * (size_t)env->n, *deadline = env->deadline;
    float from = (float)(time - env->ready[0]);
    int32_t count = 0;
    for (int32_t k = 1; k < env->n; k++) count += from + leg[k] <= deadline[k];
    return count - (j != 0 && from + leg[j] <= deadline[j]);
}

static void env_decide(struct prob_env *env, int32_t s, const uint16_t *list, int32_t count,
                       float *raw, size_t stride)
{
    const ucpo_instance_data *d = &env->inst->data;
    size_t n = (size_t)env->n, from = (size_t)env->at[s] * n;
    double now = env->time[s], room = d->capacity - env->load[s], horizon = env->inst->horizon;
    double least = more_of(1.0, ceil(env->inst->total_demand / d->capacity));
    list_deadlines(env, s);
    for (int32_t i = 0; i < count; i++) {
        int32_t j = list[i];
        float *to = raw + i;
        double way = env->cost[from + (size_t)j], home = env->cost[(size_t)j * n];
        double reach = now + env->duration[from + (size_t)j];
        double start = more_of(reach, env->ready[j]);
        double back = start + env->service[j] + env->duration[(size_t)j * n];
        double near = j == 0 ? way : env_nearest(env, s, j);
        to[DEPOT * stride] = j == 0;
        to[WAY * stride] = (float)way;
        to[REGRET * stride] = (float)(way - near);
        to[DETOUR * stride] = (float)(env->cost[from] + env->cost[(size_t)j] - way);
        to[WAIT * stride] = (float)(start - reach);
        to[DELAY * stride] = (float)(start - now);
        to[SLACK * stride] = (float)(less_of(env->due[j], horizon) - start);
        to[RETURN * stride] = (float)(less_of(env->due[0], horizon) - back);
        to[ROOM * stride] = (float)(room - env->demand[j]);
        to[DEMAND * stride] = (float)env->demand[j];
        to[FLEET * stride] = (float)fleet_spare(env, s, j);
        to[USED * stride] = (float)(env->used[s] / least);
        to[HOME * stride] = (float)home;
        to[LEFT * stride] = (float)env->left[s] / (float)(n - 1);
        int32_t others = env->left[s] - (j != 0);
        double leave = j == 0 ? env->ready[0] : start + env->service[j];
        double reached = count_reachable(env, j, leave), spare = room - env->demand[j];
        double mean = others > 0 ? (env->open[s] - env->demand[j]) / others : 0.0;
        to[LOST * stride] = others > 0 ? (float)(1.0 - reached / others) : 0.0f;
        to[WASTE * stride] = j == 0 ? (float)room : (float)more_of(0.0, spare - reached * mean);
    }
}

/* ---- features of a pair: those of the windows did not help (docs/results.md) ---- */

static const struct prob_pair pair[] = {
    {"way", PAIR_WAY, 1.0f, 0},         {"near", PAIR_STEP, 1.0f, 1},
    {"nearest", PAIR_STEP_2, 0.25f, 1}, {"turn", PAIR_TURN, 1.0f, 1},
    {"same", PAIR_SAME, 1.0f, 0},       {"depot", PAIR_DEPOT, 1.0f, 0},
    {"load", PAIR_LOAD, 1.0f, 0},       {"saving", PAIR_SAVING, 1.0f, 0},
    {"angle", PAIR_ANGLE, 1.0f, 0},
};

static void pair_row(struct prob_pairs *pairs, int32_t i)
{
    pairs_ways(pairs, i);
    pairs_routes(pairs, i);
}

#define COLUMNS "x y demand ready due service capacity vehicles"

const struct prob_ops prob_cvrptw = {
    .info = {"cvrptw", "capacitated vehicle routing with time windows", "cvrp jampr mvmoe", 1},
    .needs = PROB_WINDOWS | PROB_DEMAND | PROB_CAPACITY,
    .tsplib = {"CVRPTW", "VRPTW"},
    .columns = COLUMNS,
    .node_features = 5,
    .depot_features = 2,
    .state_features = 2,
    .env_layout = env_layout,
    .env_tables = env_tables,
    .env_state = env_state,
    PROB_OWN,
    PROB_PAIRS,
};

const struct prob_ops prob_cvrptwlv = {
    .info = {"cvrptwlv", "CVRPTW with at most a given number of vehicles", "cvrp", 1},
    .needs = PROB_WINDOWS | PROB_DEMAND | PROB_CAPACITY | PROB_FLEET,
    .tsplib = {"CVRPTW"},
    .columns = COLUMNS,
    .node_features = 5,
    .depot_features = 2,
    .state_features = 3,
    .env_layout = env_layout,
    .env_tables = env_tables,
    .env_state = env_state_fleet,
    PROB_OWN,
    PROB_PAIRS,
};
