/* Sampling in rounds: the best so far take over what others do better (eval/elite.h). What is drawn in
 * the last rounds goes over one of them again, from a decision on that the policy was not sure of (a
 * tour) or in a few neighbouring routes (a fleet), and does as it did elsewhere. A policy that repeats
 * itself is asked for another decision than before in a part of the tour, and at a higher temperature
 * if most of a round was the same. */
#ifndef UCPO_EVAL_FOCUS_H
#define UCPO_EVAL_FOCUS_H

#include "policy/policy.h"

struct focus;

/* For `samples` trajectories of n nodes and at most `most` actions at once, of so many images. */
ucpo_status focus_create(int samples, int images, int n, size_t most, int is_fleet,
                         struct focus **out, ucpo_error *err);
void focus_free(struct focus *focus);

/* Before the first of so many rounds of an instance, which must outlive the last. */
void focus_clear(struct focus *focus, const ucpo_instance *inst, int rounds);

/* Counts sample s of the last rollout; the best so far take over what it does better. */
ucpo_status focus_take(struct focus *focus, int s, const int32_t *actions, double objective,
                       double violation, ucpo_error *err);

/* A sample, or one that has taken over parts of others. */
const int32_t *focus_best(const struct focus *focus, double *objective, double *violation);

/* After all images of a round: puts a fleet's plan together of all routes so far, and decides how much the
 * next round must differ. */
ucpo_status focus_close_round(struct focus *focus, ucpo_error *err);

/* Tells a rollout what each of its samples goes over again, in independent rounds nothing, and changes
 * its temperature. Random numbers follow from seed and index of the options. Returns where the
 * rollout says how sure it was, NULL if nobody asks. */
real *focus_begin(struct focus *focus, int samples, struct policy_options *options);

#endif
