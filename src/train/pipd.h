/* PIP-D: who makes the mask, and when the auxiliary decoder learns.
 *
 * A phase of length 1 learns the true look-ahead in [0, open), in the last `update` of each of
 * `blocks` equal blocks, and in [1 - close, 1): there the rollout uses the true mask. Elsewhere a
 * frozen copy of the network predicts it. The copy is renewed at `open` and at the start of every
 * block from the best snapshot so far: the highest recall on feasible nodes among those that
 * recognise at least `recall` of the infeasible ones. Until there is one, the true mask is used.
 * (Published: 10,000 epochs, open 200, blocks of 1000, update 50, close 50; the shares here scale
 * with the run.) A snapshot is judged by running averages over about fifty steps. */
#ifndef UCPO_TRAIN_PIPD_H
#define UCPO_TRAIN_PIPD_H

#include "train/config.h"

struct pipd {
    int64_t block;            /* the frozen copy was renewed for this block; -1: never */
    int has_frozen, has_best; /* which copies hold parameters */
    int64_t judged;           /* steps that taught the decoder */
    double recall[2];         /* running recall on feasible (0) and infeasible (1) nodes */
    double best;              /* recall on feasible nodes of the snapshot */
    real *frozen, *snapshot;  /* total numbers each */
};

/* Does the auxiliary decoder learn at this point of the phase? */
int pipd_learns(const struct train_phase *phase, double done);

/* Before a step: renews the frozen copy if it is time. */
void pipd_renew(struct pipd *pipd, const struct train_phase *phase, double done, size_t total);

/* After a step that taught the decoder: keeps `params` if they are the best so far. */
void pipd_judge(struct pipd *pipd, const struct train_phase *phase,
                const struct step_labels *labels, const real *params, size_t total);

#endif
