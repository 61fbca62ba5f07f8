/* Decoding a set of instances: several images of each, several trajectories of each image, the best
 * candidate checked. A workspace is made once and used with any parameters and any sets.
 *
 * Slots and batch sizes of the encoder depend on an instance's number and size only, so its candidates
 * are the same bits in any set and on any number of threads. */
#ifndef UCPO_EVAL_EVAL_H
#define UCPO_EVAL_EVAL_H

#include "policy/policy.h"

enum { EVAL_IMAGES = 8, EVAL_MAX_SAMPLES = 1000000, EVAL_MAX_ROUNDS = 1000 };

struct eval;

/* The model must outlive the workspace. NULL: constructive rules give the candidates. Of the settings the
 * words count as `means` has them, and first, partial, hooks and comm not at all. */
ucpo_status eval_create(const struct nn_model *model, const struct prob_ops *ops,
                        const ucpo_eval_config *config, const struct policy_means *means,
                        struct eval **out, ucpo_error *err);
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
