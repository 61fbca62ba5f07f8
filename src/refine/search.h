/* What both searches are made of besides the ground they walk on: random numbers, how far a run may
 * go, the temperature, the best plan. */
#ifndef UCPO_REFINE_SEARCH_H
#define UCPO_REFINE_SEARCH_H

#include <math.h>

#include "refine/ground.h"

/* ---- random numbers: a small fast generator (xorshift64*), seeded from core/rng.h ---- */

struct dice {
    uint64_t state;
};

static inline struct dice dice_at(uint64_t seed)
{
    struct rng rng = rng_at(seed, RNG_SEARCH, 0);
    uint64_t high = rng_u32(&rng), low = rng_u32(&rng);
    return (struct dice){((high << 32) | low) | 1u};
}

static inline uint64_t dice_next(struct dice *d)
{
    d->state ^= d->state >> 12;
    d->state ^= d->state << 25;
    d->state ^= d->state >> 27;
    return d->state * 2685821657736338717u;
}

/* 0 .. bound - 1; the bias is below 2^-32 bound. */
static inline int32_t dice_below(struct dice *d, int32_t bound)
{
    return (int32_t)(((dice_next(d) >> 32) * (uint64_t)bound) >> 32);
}

static inline double dice_uniform(struct dice *d) /* [0, 1) */
{
    return (double)(dice_next(d) >> 11) * 0x1p-53;
}

/* Of mean 1. What a plan may become worse by, in temperatures, is drawn from it (Metropolis). */
static inline double dice_exponential(struct dice *d)
{
    return -log(1.0 - dice_uniform(d));
}

/* ---- pace: effort, which is a promise, and work, some ten nanoseconds each ---- */

struct pace {
    int64_t effort, work; /* since the start */
    int64_t effort_begin, effort_end, work_begin;
    int64_t asked_at, ask_at;        /* work */
    double share_begin, share, rate; /* of the allowance: at the begin, when last asked, by work */
    const struct stop *stop;
    int is_stopped;
};

void pace_begin(struct pace *p, int64_t effort, const struct stop *stop);
void pace_ask(struct pace *p);

static inline void pace_spend(struct pace *p, int64_t effort, int64_t work)
{
    p->effort += effort;
    p->work += work;
}

/* Whether the run has to end; asks `stop` now and then. */
static inline int pace_is_over(struct pace *p)
{
    if (p->is_stopped || p->effort >= p->effort_end) return 1;
    if (p->work >= p->ask_at) pace_ask(p);
    return p->is_stopped;
}

/* Of the allowance that is spent, below 0: nobody knows; and of it by this run. */
double pace_share(const struct pace *p);
double pace_gone(const struct pace *p);

/* ---- temperature ---- */

/* In mean legs of the plan. */
struct cooling {
    double hot, cold;
    double growth; /* of a cycle to the next, where nobody knows how long the run will be */
};

struct heat {
    int64_t step; /* perturbations since the start */
    double now;
    double hot; /* of the cycle */
    int64_t cycle_begin, cycle_length;
};

/* The temperature is set anew every few steps. */
static inline int heat_is_due(const struct heat *h)
{
    return h->step % 16 == 0;
}

/* From hot to cold, by the share of the way. */
static inline double heat_between(double hot, double cold, double share)
{
    return hot * pow(cold / hot, less_of(share, 1.0));
}

/* In cycles of cooling, each longer than the one before, so that any limit ends one well; if it is known
 * how much is spent, the last one ends with the run. Returns 1 where a cycle begins. */
int heat_in_cycles(struct heat *h, const struct cooling *c, int32_t n, double leg,
                   const struct pace *p);

/* ---- the best plan, by the checker's word and the feasible-first order ---- */

struct best {
    int32_t *nodes;
    size_t len;
    double objective, violation;
    int is_known;
    uint8_t *visited; /* scratch of the checker, n */
};

void best_layout(struct best *b, int32_t n, size_t longest, struct arena *arena);
void best_offer(struct best *b, const ucpo_instance *inst, const int32_t *nodes, size_t len);

/* ---- the two of them (tour.h, routes.h) ---- */

struct refine {
    const struct ground *ground;
    struct ground *own;    /* of this search alone, or NULL */
    struct tour *tour;     /* one vehicle, */
    struct routes *routes; /* or a fleet: the other one is NULL */
    struct arena arena;    /* of either */
};

struct tour *tour_create(void);
void tour_bind(struct tour *tour, const struct ground *ground, struct arena *arena);
void tour_start(struct tour *tour, const int32_t *nodes, size_t len, uint64_t seed);
void tour_run(struct tour *tour, int64_t effort, const struct stop *stop);
const struct best *tour_best(const struct tour *tour);

struct routes *routes_create(void);
void routes_bind(struct routes *routes, const struct ground *ground, struct arena *arena);
int routes_begin_anew(const ucpo_instance *inst);
void routes_start(struct routes *routes, const int32_t *nodes, size_t len, uint64_t seed);
void routes_run(struct routes *routes, int64_t effort, const struct stop *stop);
const struct best *routes_best(const struct routes *routes);

#endif
