/* Decoding a set of instances: several images of each, several trajectories of each image, the best
 * candidate checked. A workspace is made once and used with any parameters and any sets.
 *
 * Slots and batch sizes of the encoder depend on an instance's number only, so its candidates are
 * the same bits in any set and on any number of threads. */
#ifndef UCPO_EVAL_EVAL_H
#define UCPO_EVAL_EVAL_H

#include "eval/polish.h"
#include "policy/policy.h"

enum { EVAL_IMAGES = 8, EVAL_MAX_SAMPLES = 1000000 };

struct eval_config {
    int samples; /* trajectories per image; 0: the instance's size */
    int augment; /* images, 1 .. EVAL_IMAGES */
    int is_greedy;
    int backtrack; /* greedy: an infeasible trajectory is searched on for so many decisions per node */
    int has_forced_start; /* sample s begins with customer s: POMO's multi-start */
    enum prob_mask mask;
    double mask_tolerance; /* 0: the instance's */
    int is_predicted; /* the model's auxiliary decoder says what the look-ahead would (PIP-D) */
    double temperature;
    uint64_t seed;
    int threads;                 /* 0: all */
    const struct kern_ops *kern; /* NULL: the best */
    struct polish polish;        /* the answer is improved */
};

struct eval_config eval_config_default(void); /* sampling, 8 images, soft mask */

struct eval;

/* The model must outlive the workspace. NULL: constructive rules give the candidates. */
ucpo_status eval_create(const struct nn_model *model, const struct prob_ops *ops,
                        const struct eval_config *config, struct eval **out, ucpo_error *err);
void eval_free(struct eval *eval);

/* Fills `count` records. Instance i has the number first + i. Allocates when a thread meets another
 * n than before; on failure the records are in no particular state. */
ucpo_status eval_run(struct eval *eval, const real *params, const ucpo_instance *const *instances,
                     size_t count, uint64_t first, const ucpo_hooks *hooks,
                     ucpo_eval_record *records, ucpo_error *err);

/* The answer to instance i of the last successful run, in the form ucpo_check takes. Valid until
 * the next run. */
const int32_t *eval_plan(const struct eval *eval, size_t i, size_t *len);

#endif
