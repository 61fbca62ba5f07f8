/* One batch of learning: sample trajectories, weigh them by the loss, replay, sum the gradient.
 *
 * The batch is cut into chunks of CHUNK instances, each encoded as one batch. Chunk c belongs to
 * shard c mod SHARDS; a shard runs its chunks in order into its own gradient, and shards are summed
 * in order. So the result has the same bits for any number of threads. */
#ifndef UCPO_TRAIN_STEP_H
#define UCPO_TRAIN_STEP_H

#include "policy/policy.h"

enum { STEP_CHUNK = 8, STEP_SHARDS = 16 };

struct step_config {
    int n, samples, batch; /* batch: at most this many instances a call */
    int threads;           /* 0: all */
    double negligible;     /* trajectories with |weight| <= this x the largest are not replayed */
};

struct step {
    const struct nn_model *model;
    const struct prob_ops *ops;
    struct step_config config;
    int threads, shards;
    struct policy **policy;                            /* one per thread */
    real *shard_grads;                                 /* shards x total */
    real *grads;                                       /* total: the sum */
    double *objective, *violation, *log_prob, *weight; /* batch x samples */
    int32_t *actions;                                  /* batch x samples x steps */
    ucpo_loss_result *loss;                            /* batch */
    int *replayed;                                     /* batch */
};

struct step_result {
    ucpo_loss_result loss; /* means and counts over the batch */
    double mean_objective, infeasible_samples, infeasible_instances;
    double replayed; /* share of trajectories that were replayed */
};

ucpo_status step_create(const struct nn_model *model, const struct prob_ops *ops,
                        const struct step_config *config, struct step **out, ucpo_error *err);
void step_free(struct step *step);
size_t step_bytes(const struct step *step);

/* Gradient of the mean loss over `count` instances into step->grads. options.index is the number of
 * the first instance: instance i samples with index + i. No allocation. */
ucpo_status step_gradient(struct step *step, const real *params,
                          const ucpo_instance *const *instances, int count,
                          const ucpo_loss_config *loss, const struct policy_options *options,
                          struct step_result *result, ucpo_error *err);

#endif
