/* One batch of learning: sample trajectories, weigh them by the loss, replay, sum the gradient.
 *
 * The batch is cut into chunks of CHUNK instances, each encoded as one batch. Chunk c belongs to
 * shard c mod SHARDS; a shard runs its chunks in order into its own gradient, and shards are summed
 * in order. So the result has the same bits for any number of threads. */
#ifndef UCPO_TRAIN_STEP_H
#define UCPO_TRAIN_STEP_H

#include "policy/policy.h"
#include "train/anchor.h"

enum { STEP_CHUNK = 8, STEP_SHARDS = 16 };

struct step_config {
    int n, samples, batch;       /* batch: at most this many instances a call */
    int threads;                 /* 0: all */
    const struct kern_ops *kern; /* NULL: the best */
    double negligible; /* trajectories with |weight| <= this x the largest are not replayed */
    int has_predictor; /* room for a second network that predicts masks (PIP-D) */
    int has_anchor;    /* room for refined trajectories */
};

/* The score of a trajectory, the number its weight belongs to. */
enum step_score {
    STEP_SUM,     /* alpha x sum of log-probabilities (the paper's reading) */
    STEP_MEAN,    /* alpha n x their mean over the trajectory's decisions */
    STEP_CUT,     /* alpha x sum until the decision that makes a violation certain */
    STEP_CUT_MEAN /* alpha n x the mean of these */
};

/* What to do with a batch. */
struct step_task {
    const ucpo_loss_config *loss;
    enum step_score score;
    struct policy_options options; /* index: number of the first instance */
    int images;                  /* a random one of so many images of each instance; 1: as it is */
    int total;                   /* the gradient is that of the sum / total; 0: the mean */
    int learns_aux;              /* also teaches the auxiliary decoder (options.mask: look-ahead) */
    const real *predictor;       /* parameters of the network that predicts the mask, or NULL */
    struct anchor_config anchor; /* needs has_anchor */
};

/* How the auxiliary decoder did: nodes by true label, and how many of them it got right. */
struct step_labels {
    double loss;
    int64_t nodes[2], right[2];
};

/* Refined trajectories of a batch. */
struct step_anchors {
    int used, masked, gains;
    double gain, log_prob; /* sums: percent over `gains` of them, mean per decision over all */
    double seconds;        /* of all threads */
};

/* Arrays over trajectories have one row an instance: `samples` entries, and with has_anchor one
 * more behind them. */
struct step {
    const struct nn_model *model;
    const struct prob_ops *ops;
    struct step_config config;
    int threads, shards;
    struct policy **policy;                            /* one per thread */
    struct policy **predictor;                         /* the same, with has_predictor */
    struct anchor **anchor;                            /* the same, with has_anchor */
    real *shard_grads;                                 /* shards x total */
    real *grads;                                       /* total: the sum */
    double *objective, *violation, *log_prob, *weight; /* batch x row */
    int32_t *actions;                                  /* batch x row x steps */
    ucpo_loss_result *loss;                            /* batch */
    uint32_t *rank;                                    /* batch x row */
    int *replayed;                                     /* batch */
    int32_t *counted;                                  /* batch x row */
    struct anchor_note *notes;                         /* batch, with has_anchor */
    struct step_labels *labels;                        /* one per chunk */
    int64_t *label_count;                              /* threads x 2 x steps */
    double *label_weight;                              /* threads x 2 x steps */
    struct arena arena;                                /* all of these arrays */
};

struct step_result {
    ucpo_loss_result loss; /* means and counts over the batch */
    int instances;
    double mean_objective; /* over all samples, normalised */
    double best_objective; /* mean over instances with a feasible sample of the best one */
    double infeasible_samples, infeasible_instances;
    double replayed; /* share of trajectories that were replayed */
    struct step_labels labels;
    struct step_anchors anchors;
};

ucpo_status step_create(const struct nn_model *model, const struct prob_ops *ops,
                        const struct step_config *config, struct step **out, ucpo_error *err);
void step_free(struct step *step);
size_t step_bytes(const struct step *step);

/* Uses fewer samples than there is room for. */
void step_set_samples(struct step *step, int samples);

/* Gradient of the loss over `count` instances into step->grads. Instance i samples with
 * options.index + i. No allocation. */
ucpo_status step_gradient(struct step *step, const real *params,
                          const ucpo_instance *const *instances, int count,
                          const struct step_task *task, struct step_result *result,
                          ucpo_error *err);

#endif
