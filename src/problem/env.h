/* Environments: many samples of one instance, stepped together (structure of arrays).
 *
 * They sit in the hot loop of learning and sampling. State is double in the instance's own units;
 * lengths and violations come out normalised (divided by `unit`, loads by capacity or total
 * demand). Every sample starts at the depot; an action is the next node.
 *   tours (tsp*)    n - 1 actions, the way home is added with the last one
 *   routes (cvrp*)  customers and depot visits until all are served and the vehicle is home;
 *                   finished samples take action 0 and stay
 * An environment never fails on an allowed action; it allows late, heavy and extra, and counts. */
#ifndef UCPO_PROBLEM_ENV_H
#define UCPO_PROBLEM_ENV_H

#include "core/stop.h"
#include "problem/problem.h"

struct prob_env {
    const struct ucpo_instance *inst;
    const struct prob_ops *ops;
    int32_t n, samples;
    int32_t step;            /* actions taken so far */
    const struct stop *stop; /* asked by prob_env_bind; NULL: never */
    double tolerance, load_tolerance, no_way;
    double mask_tolerance; /* of time in look-ahead masks; 0: `tolerance` */
    int has_units;         /* prob_env_state gives times in units, not as shares of the day */

    /* tables of the instance, filled by prob_env_bind */
    double *cost, *duration;                        /* n x n; the way to a node itself is 0 */
    double *ready, *due, *service, *demand, *limit; /* n; zero or infinite where absent */

    /* state per sample */
    int32_t *at;      /* where the sample stands */
    int32_t *left;    /* customers not yet served */
    int32_t *used;    /* vehicles that have left the depot */
    double *time;     /* when the sample may leave `at` */
    double *load;     /* on board (tspdl) or served on this route (cvrptw) */
    double *open;     /* demand not yet served */
    uint8_t *visited; /* samples x n */
    uint8_t *done;
    uint8_t *doomed;   /* a violation has happened or is certain; see prob_env_mark_doomed */
    uint8_t *hopeless; /* the last look-ahead mask of a tour found no way out: all unvisited open */

    /* totals per sample, instance units */
    double *length, *late, *over;
    int32_t *violations; /* late stops, overloaded stops, extra vehicles, legs without a way */

    /* private tables of a problem (look-ahead) */
    double *bound;      /* tsptw: n x n, see there; tspdl: n */
    int32_t *order;     /* rows of nodes sorted by bound */
    uint16_t *cursor;   /* per sample: first unvisited position in a row */
    double *tightest;   /* tsptw, per sample and node: bound at the cursor */
    uint16_t *behind;   /* tsptw: second unvisited position, kept as far as decisions asked */
    double *second;     /* tsptw: bound there */
    double *last_start; /* cvrptw: n, for service in time and a return in time */
    float *leg;         /* cvrptw: n x n durations */
    float *deadline;    /* cvrptw: n, of the decision at hand */

    int32_t *by_limit;     /* customers by what closes first: deadline, or bound of the draft */
    int32_t *todo, *place; /* n each: the unvisited of by_limit; the place of a node in todo */

    /* for features of a decision; filled by prob_env_bind if has_decisions is set before it */
    int has_decisions;
    uint16_t *nearby; /* n x ENV_NEARBY: the nearest customers of a node, by cost */
    uint8_t *passed;  /* samples x n: how many of these, from the first, are visited */
    double *chain;    /* ENV_CHAIN x (n + 1), see the problems */
    double reach;     /* typical way between neighbours: unit / sqrt(n) */
    double leeway;    /* typical width of a window, or of a draft */
    struct arena arena;
};

enum { ENV_NEARBY = 8, ENV_CHAIN = 8, ENV_FEATURES = 32, ENV_CHOICES = 100 };

/* Room for `samples` samples of instances with n nodes. */
ucpo_status prob_env_create(const struct prob_ops *ops, int32_t n, int32_t samples,
                            struct prob_env **out, ucpo_error *err);
void prob_env_free(struct prob_env *env);

/* Points the environment at an instance (same problem, same n) and resets it. No allocation. The
 * tables take a while for large n: UCPO_E_CANCELLED if `stop` said so meanwhile.
 * tspdl: the instance must be its own `load`. */
ucpo_status prob_env_bind(struct prob_env *env, const struct ucpo_instance *inst, ucpo_error *err);

void prob_env_reset(struct prob_env *env);

/* One action per sample. */
void prob_env_step(struct prob_env *env, const int32_t *action);

/* allowed[s * n + j] = 1 if sample s may go to j next. At least one entry per row is 1. */
void prob_env_mask(struct prob_env *env, enum prob_mask kind, uint8_t *allowed);

/* Brings `doomed` up to date after a step. Once doomed, always doomed. Like the look-ahead it assumes
 * the triangle inequality; the depot counts: a return that is already too late dooms. */
void prob_env_mark_doomed(struct prob_env *env);

/* The scalars of the decoder's context: samples x state_features. */
void prob_env_state(const struct prob_env *env, float *state);

/* Actions until every sample is finished, at most. */
int32_t prob_env_max_steps(const struct prob_env *env);
int prob_env_is_done(const struct prob_env *env);

/* Normalised objective and violation of every sample so far (feasible iff violation is 0). */
void prob_env_result(const struct prob_env *env, double *objective, double *violation);

/* Raw numbers of the candidates of sample s, see prob_ops. */
void prob_env_decide(struct prob_env *env, int32_t s, const uint16_t *list, int32_t count,
                     float *raw, size_t stride);

/* A vehicle under way decides among those nearby: of the open nodes of sample s keeps the ENV_CHOICES
 * nearest, who is as near as the last of them, and the depot, in their order. At the depot, and for
 * tours, where the next one may be far, all. Returns how many. Uses `chain`. */
int32_t prob_env_narrow(struct prob_env *env, int32_t s, uint16_t *list, int32_t count);

/* How they become features of the bound instance: feature f is raw number source[f] by scale[f]. */
struct env_shape {
    int features;
    int source[ENV_FEATURES], is_squashed[ENV_FEATURES];
    float scale[ENV_FEATURES];
};

void prob_env_shape(const struct prob_env *env, struct env_shape *out);

/* One number by its rule. */
float env_shaped(const struct env_shape *shape, int feature, float raw);

/* ---- for the problem files ---- */

/* Moves sample s to `node`: length, visited, left; counts a leg without a way, which takes no time. Returns the
 * arrival time. */
double env_travel(struct prob_env *env, int32_t s, int32_t node);

/* Counts lateness of starting at `start` against due[node]. */
void env_count_late(struct prob_env *env, int32_t s, int32_t node, double start);
void env_count_over(struct prob_env *env, int32_t s, double excess);

/* The mask of a tour: unvisited customers, narrowed by `look_ahead` while at least two are left; if
 * that closes all, nothing can be saved: all unvisited are open and the sample is hopeless. */
void env_tour_mask(struct prob_env *env, enum prob_mask kind, uint8_t *allowed,
                   void (*look_ahead)(struct prob_env *env, int32_t s, int also_own, uint8_t *row));

/* Cost from j to the nearest other unvisited customer of sample s; 0 if there is none. */
double env_nearest(struct prob_env *env, int32_t s, int32_t j);

/* Lists the unvisited of by_limit in todo, with their places; returns how many. */
int32_t env_list_todo(struct prob_env *env, int32_t s);

static inline double env_mask_tolerance(const struct prob_env *env)
{
    return env->mask_tolerance > 0.0 ? env->mask_tolerance : env->tolerance;
}

/* What a time is divided by in the state, where a day takes `span`. */
static inline double env_time_scale(const struct prob_env *env, double span)
{
    return env->has_units ? env->inst->data.unit : span;
}

/* Fills a row with 1 for unvisited customers; returns how many. The depot gets 0. */
int32_t env_open_row(const struct prob_env *env, int32_t s, uint8_t *row);

/* Entries of a table of features; more than ENV_FEATURES do not compile. */
#define ENV_COUNT(table)                                                                           \
    ((int)(sizeof(table) / sizeof(table)[0] +                                                      \
           0 * sizeof(char[sizeof(table) / sizeof(table)[0] <= ENV_FEATURES ? 1 : -1])))

/* Members of prob_ops that the file of a problem fills with functions and a table of the same names. */
#define PROB_OWN                                                                                   \
    .generate = generate, .features = features, .raw_numbers = RAW_NUMBERS, .decision = decision,  \
    .decision_features = ENV_COUNT(decision), .env_decide = env_decide, .env_step = env_step,      \
    .env_mask = env_mask, .env_is_doomed = env_is_doomed

#endif
