/* A teacher from outside the policy: the best sample of an instance, improved by local search.
 *
 *   best sample by the feasible-first order -> refine for so many priced moves -> replay
 *   -> no better, or outside the mask: left alone; otherwise it is the instance's anchor
 *
 * imitate  adds -weight x (mean log-probability of its decisions) to the instance's loss
 * pair     the loss becomes (1 - weight) x that of the samples + weight x that of the samples and
 *          the anchor, which is the best of them
 *
 * Which instances get one and with which seed follows from the run's seed and the instance's number
 * alone, and the search is cut by effort, never by time: the same bits for any number of threads. */
#ifndef UCPO_TRAIN_ANCHOR_H
#define UCPO_TRAIN_ANCHOR_H

#include "policy/policy.h"

enum anchor_mode { ANCHOR_NONE, ANCHOR_IMITATE, ANCHOR_PAIR };

struct anchor_config {
    enum anchor_mode mode;
    double weight, share;
    int64_t effort; /* priced moves; 0: 40 n^2 */
};

/* Work of one thread. */
struct anchor;

ucpo_status anchor_create(int samples, int nodes, struct anchor **out, ucpo_error *err);
void anchor_free(struct anchor *anchor);

/* The trajectories of one instance: `samples` of the policy, and room for one more behind them. */
struct anchor_row {
    int b; /* slot */
    const ucpo_instance *inst;
    int samples;
    int32_t *actions; /* (samples + 1) x policy_max_steps */
    double *objective, *violation, *log_prob;
    int32_t *counted;
};

/* What became of an instance. */
struct anchor_note {
    int is_used;
    int is_masked;   /* the refined plan was better, but the mask forbids it */
    int has_gain;    /* both the best sample and the anchor are feasible */
    double gain;     /* by how many percent the anchor is cheaper */
    double log_prob; /* mean over its decisions */
    double seconds;  /* in the search */
};

/* Right after the rollout of an instance (whose tape stays): if there is an anchor, its trajectory
 * and results are in the last entries of the row. log_prob is the plain sum. */
ucpo_status anchor_find(struct anchor *anchor, const struct anchor_config *config,
                        struct policy *policy, const struct policy_options *options,
                        const struct anchor_row *row, struct anchor_note *note, ucpo_error *err);

/* pair: from the loss and weights of the samples to those of the mixture, weight[samples] included.
 * row->log_prob: scores. */
ucpo_status anchor_mix(struct anchor *anchor, const struct anchor_config *config,
                       const ucpo_loss_config *loss, const struct anchor_row *row,
                       ucpo_loss_result *result, double *weight, ucpo_error *err);

/* Adds weight x d log_prob of the anchor to the table gradients. */
ucpo_status anchor_learn(struct policy *policy, const struct policy_options *options,
                         const struct anchor_row *row, double weight, ucpo_error *err);

#endif
