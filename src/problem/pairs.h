/* What the encoder hears of an ordered pair of nodes (i, j): how far it is, whether j can follow i,
 * how much both load. Everything comes from the legs, both ways, and from what the nodes ask for,
 * never from coordinates: a matrix says the same as places, and all images of an instance are alike.
 * Ways are in terms of the instance's unit, times in what a unit of way takes, loads in terms of
 * what there is: whatever the instance counts in, the numbers are the same. */
#ifndef UCPO_PROBLEM_PAIRS_H
#define UCPO_PROBLEM_PAIRS_H

#include "problem/env.h"

/* Raw numbers of a row of pairs. A problem fills those that its features name. */
enum pair_number {
    PAIR_WAY,    /* from i to j */
    PAIR_STEP,   /* the same in terms of the way between neighbours, unit / sqrt(n) */
    PAIR_STEP_2, /* its square */
    PAIR_TURN,   /* how much longer than the way back, in such terms */
    PAIR_SAME,   /* 1 if i is j */
    PAIR_DEPOT,  /* 1 if one of them is the depot */

    PAIR_FORWARD,      /* time left at j after service at i as early as can be */
    PAIR_BACKWARD,     /* time left at i after service at j as early as can be */
    PAIR_WAIT,         /* wait at j after service at i as late as may be; below 0: none */
    PAIR_LATER,        /* from the opening of i's window to that of j's */
    PAIR_APART,        /* between the middles of the windows, squared */
    PAIR_FAR_APART,    /* grows with the way and with PAIR_APART: (1 + step) (1 + apart) - 1 */
    PAIR_NEAR_FORWARD, /* soft(forward) / (1 + step) */

    PAIR_DEEPER,     /* j's draft limit less i's, in terms of four times the mean demand */
    PAIR_DEEPER_2,   /* its square */
    PAIR_FAR_DEEPER, /* (1 + step) (1 + deeper^2) - 1 */
    PAIR_SHALLOW,    /* the smaller limit, a share of the total demand */
    PAIR_LIMIT,      /* j's limit, likewise */

    PAIR_LOAD,   /* demand of both, a share of the capacity */
    PAIR_SAVING, /* what going from i to j saves against going through the depot */
    PAIR_SAVED,  /* the same as a share of the way through the depot */
    PAIR_ANGLE,  /* 1 - cosine of the angle at the depot, by the lengths of the three sides */
    PAIR_NUMBERS
};

/* A feature: raw number by a scale; squashed: x / (|x| + scale), otherwise x / scale, cut at -4 and 4. */
struct prob_pair {
    const char *name;
    enum pair_number raw;
    float scale;
    int is_squashed;
};

/* Workspace of one thread: what a row of pairs is made of. */
struct prob_pairs {
    const struct ucpo_instance *inst;
    int32_t n;
    size_t stride;                /* n, rounded up */
    double per_way, per_time;     /* from the instance's numbers to ours */
    float root;                   /* sqrt(n) */
    float *ready, *due, *service; /* n */
    float *demand, *limit;        /* n: shares; demand in terms of the capacity for fleets */
    float *out, *home;            /* n: ways from the depot and to it */
    double *row;                  /* n */
    float *way, *back;            /* of the row at work */
    float *time, *time_back;      /* the same; way and back themselves where times are costs */
    float *raw;                   /* PAIR_NUMBERS x stride */
};

/* Takes the memory from an arena, twice (core/mem.h). */
void prob_pairs_layout(struct prob_pairs *pairs, int32_t n, struct arena *arena);

/* Whose pairs are asked for from now on. No allocation. */
void prob_pairs_bind(struct prob_pairs *pairs, const struct ucpo_instance *inst);

/* The raw numbers of all pairs (i, j): number r of node j is raw[r * stride + j]. */
void prob_pairs_row(struct prob_pairs *pairs, int32_t i);

/* How they become features: feature f is raw number source[f] by scale[f]. */
void prob_pairs_shape(const struct prob_ops *ops, struct env_shape *out);

/* ---- for the problem files: parts of a row ---- */

void pairs_ways(struct prob_pairs *pairs, int32_t i);
void pairs_windows(struct prob_pairs *pairs, int32_t i); /* after pairs_ways, as the others */
void pairs_drafts(struct prob_pairs *pairs, int32_t i);
void pairs_routes(struct prob_pairs *pairs, int32_t i);

/* Members of prob_ops that the file of a problem fills with a table and a function of these names. */
#define PROB_PAIRS .pair = pair, .pair_features = ENV_COUNT(pair), .pair_row = pair_row

#endif
