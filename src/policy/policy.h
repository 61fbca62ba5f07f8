/* The policy: network and environment together. One workspace per thread; a chunk of instances is
 * encoded as one batch, then each is rolled out (no gradient) and replayed (with gradient).
 *
 *   load x count -> encode -> per instance: rollout, replay -> backward
 */
#ifndef UCPO_POLICY_POLICY_H
#define UCPO_POLICY_POLICY_H

#include "nn/nn.h"
#include "problem/pairs.h"

/* Decisions that are worked on together: a few samples of one step. */
enum { POLICY_ROWS = KERN_ROWS };

/* A group of decisions and what their backward needs. */
struct policy_rows {
    int count;
    int sample[POLICY_ROWS];
    int at[POLICY_ROWS];
    int open[POLICY_ROWS];   /* length of the row's list */
    int chosen[POLICY_ROWS]; /* position in the list */
    int counts[POLICY_ROWS]; /* its log-probability is part of the score */
    real state[POLICY_ROWS][NN_MAX_SCALARS];
    real log_normaliser[POLICY_ROWS];
    uint16_t *list;      /* rows x n */
    real *weight;        /* rows x n x lanes */
    real *glimpse;       /* rows x width of the tables */
    real *tanh_u, *prob; /* rows x stride */

    /* side network: the candidates of all rows one after the other, a row from `first` on */
    int first[POLICY_ROWS + 1];
    real *bias;  /* rows x stride */
    real *phi;   /* features x phi_stride; from the policy's pool */
    real *units; /* hidden x phi_stride, behind phi */
    size_t phi_stride;
};

/* Rollouts of a policy with gradients keep their groups, if they fit into this many bytes: the
 * gradient then needs neither environment nor forward pass. */
enum { POLICY_TAPE_BYTES = 128 << 20 };

struct policy {
    const struct nn_model *model;
    const struct kern_ops *kern;
    const struct prob_ops *ops;
    int n, B, samples, keep;
    int room; /* samples there is memory for; `samples` may be lowered */
    struct nn_encoder encoder;
    struct nn_decoder decoder;
    struct nn_decoder aux; /* used if the model has one */
    struct nn_side side;   /* the same */
    struct prob_env *env;
    uint8_t *allowed;     /* samples x n */
    float *state;         /* samples x state_features */
    int32_t *action;      /* samples */
    struct rng *rng;      /* samples */
    float *xy, *features; /* one instance */
    const struct ucpo_instance *
        *held;               /* B: instances that are to be encoded, where pairs are heard */
    struct prob_pairs pairs; /* the same */
    struct env_shape pair_shape;
    uint16_t *all;  /* 0 .. n-1: the list of every node */
    int stride;     /* n rounded up to whole vectors */
    real *u, *du;   /* POLICY_ROWS x stride */
    real *dglimpse; /* POLICY_ROWS x width of the tables */
    real *dbias;    /* POLICY_ROWS x stride */
    real *extra,
        *dextra; /* POLICY_ROWS x stride x lanes, where the glimpse hears the side network */
    real *pool;  /* features and units of the groups */
    size_t pool_size, pool_used;
    float *raw;             /* raw numbers of the candidates of a group */
    struct env_shape shape; /* of the bound instance */
    struct kern_visits visits;
    uint8_t *untried;          /* without gradients: steps x n, of backtracking */
    struct policy_rows *group; /* the tape; without one a single group */
    int groups, used;          /* room; groups of the last rollout, 0: not on tape */
    struct policy_rows *rows;  /* the group at work */
    struct arena arena;
};

/* What the words in settings stand for: kernels and precision, and the mask. */
struct policy_means {
    const struct kern_ops *kern; /* NULL: the best */
    enum prob_mask mask;
    int is_predicted; /* the model's auxiliary decoder says what the look-ahead would (PIP-D) */
};

/* How actions are chosen. */
struct policy_options {
    enum prob_mask mask;
    double mask_tolerance; /* see prob_env; 0: the instance's */
    int is_greedy;
    int has_forced_start; /* sample s begins with customer s mod (n - 1) + 1, with probability 1 */
    const int32_t *begun; /* NULL, or trajectories that a rollout goes over again: see below */
    const int32_t *kept, *until;
    const uint8_t *differs;
    int is_cut;           /* the score ends with the first decision that dooms the sample */
    double temperature;   /* 1: as trained */
    uint64_t seed, index; /* sample s uses stream (seed, index, s) */
    struct policy
        *predictor;          /* NULL, or an encoded policy whose auxiliary decoder gives the mask */
    int is_bound;            /* the last call was about this instance: its tables still hold */
    const struct stop *stop; /* rollout: asked before every step; UCPO_E_CANCELLED if it says so */
};

/* Going over a trajectory again: sample s does what begun[s * policy_max_steps + t] says, with
 * probability 1, but for t from kept[s] on and below until[s]. There it decides: among the nodes that
 * stand there or, where this part reaches policy_max_steps, among all. If differs[s] is set, its
 * first decision is another one than before, where there is another. */

struct policy_options policy_options_default(void);

/* Workspace for chunks of up to B instances of n nodes, `samples` trajectories each; keep = with
 * gradients. The model must outlive it. */
ucpo_status policy_create(const struct nn_model *model, const struct prob_ops *ops, int n, int B,
                          int samples, int keep, struct policy **out, ucpo_error *err);

/* Other kernels than the best; before any work. */
void policy_use_kernels(struct policy *policy, const struct kern_ops *kern);

void policy_free(struct policy *policy);
size_t policy_bytes(const struct policy *policy);

/* The configuration a problem asks for: feature widths of `ops`, the rest from `base`. */
struct nn_config policy_config(const struct prob_ops *ops, struct nn_config base);

/* Puts an instance's features into slot b. xy: n pairs in the unit square (geometry_image). */
void policy_load(struct policy *policy, int b, const struct ucpo_instance *inst, const float *xy);

/* The same for another image of the instance in slot `from` <= b: what all images have in common is
 * taken over from there. */
void policy_load_image(struct policy *policy, int b, int from, const struct ucpo_instance *inst,
                       const float *xy);

/* Encoder and decoder tables for slots 0 .. count-1, whose instances must still be there; with keep also clears the table gradients.
 * There is no tape afterwards. */
void policy_encode(struct policy *policy, const real *params, int count);

/* Longest trajectory: actions per sample, and the stride of `actions`. */
int policy_max_steps(const struct policy *policy);

/* What a rollout or replay reports, one entry per sample; any pointer may be NULL. */
struct policy_result {
    double *log_prob;  /* sum over real decisions, in double */
    double *objective; /* normalised, see env.h */
    double *violation;
    int32_t *steps;   /* actions until the sample was finished */
    int32_t *counted; /* those of them whose log-probability counts (is_cut: fewer) */
    int32_t *outside; /* replay: those of them that the mask excludes */
    real *sure; /* rollout: samples x policy_max_steps, probability of what the network chose, at
                         its temperature and among what was open; other entries stay as they were */
    real *prob; /* samples x policy_max_steps x n: what each node's probability was when the sample
                   decided (0: closed; rows after its end stay as they were) */
};

/* Samples `samples` trajectories of slot b; actions is samples x policy_max_steps. */
ucpo_status policy_rollout(struct policy *policy, int b, const struct ucpo_instance *inst,
                           const struct policy_options *options, int32_t *actions,
                           struct policy_result *result, ucpo_error *err);

/* One greedy trajectory of slot b that steps back from dead ends (backtrack.c) and ends with the
 * first one without a violation; *is_found 0: not within `budget` decisions. For policies without
 * gradients. actions: policy_max_steps entries; result: objective and violation. */
ucpo_status policy_backtrack(struct policy *policy, int b, const struct ucpo_instance *inst,
                             const struct policy_options *options, int64_t budget, int32_t *actions,
                             int *is_found, struct policy_result *result, ucpo_error *err);

/* Replaces the infeasible greedy trajectory that a rollout of `inst` has just left in `actions` by a
 * feasible one, if one is found within per_node decisions a node. actions: 2 x policy_max_steps. */
ucpo_status policy_mend(struct policy *policy, int b, const struct ucpo_instance *inst,
                        const struct policy_options *options, int per_node, int32_t *actions,
                        struct policy_result *result, ucpo_error *err);

/* Follows `count` <= samples given trajectories, which need not come from the policy: fills result
 * and, where weight[s] is not 0, adds weight[s] * d log_prob[s] to the table gradients of slot b.
 * An action outside the mask is counted as if its mask were visited-only; weight NULL: score only.
 * A tape stays as it is. */
ucpo_status policy_replay(struct policy *policy, int b, const struct ucpo_instance *inst,
                          const struct policy_options *options, const int32_t *actions, int count,
                          const double *weight, struct policy_result *result, ucpo_error *err);

/* Is the last rollout, of slot b, on tape? It is if it ran at temperature 1 and the tape has room.
 * Then policy_learn adds the gradient that policy_replay of its actions would add. */
int policy_is_on_tape(const struct policy *policy);
void policy_learn(struct policy *policy, int b, const double *weight);

/* Sets weights with |w| <= threshold * max|w| to 0 and returns how many are left. */
int policy_drop_negligible(double *weight, int count, double threshold);

/* Auxiliary decoder (PIP-D). Labels: y = 1 for unvisited nodes the look-ahead removes. count_labels
 * adds the numbers of y = 0 and y = 1 per step to zeros[t], ones[t]; replay_aux adds the gradient
 * of sum over steps of weight_y(t) * logistic loss, returns that loss and adds to right[y] the
 * nodes of label y that the decoder recognises. */
ucpo_status policy_count_labels(struct policy *policy, const struct ucpo_instance *inst,
                                const int32_t *actions, int count, int64_t *zeros, int64_t *ones,
                                ucpo_error *err);
ucpo_status policy_replay_aux(struct policy *policy, int b, const struct ucpo_instance *inst,
                              const int32_t *actions, int count, const double *weight0,
                              const double *weight1, double *loss, int64_t right[2],
                              ucpo_error *err);

/* From the table gradients of slots 0 .. count-1 to grads (accumulated). */
void policy_backward(struct policy *policy, const real *params, real *grads, int count);

#endif
