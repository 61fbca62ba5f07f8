/* Sampling in rounds: what is drawn later begins as the best so far did. A policy that was wrong once in
 * a long trajectory is asked again from there, instead of from the beginning; and one that says the same
 * over and over is asked at a higher temperature. */
#ifndef UCPO_EVAL_FOCUS_H
#define UCPO_EVAL_FOCUS_H

#include "policy/policy.h"

enum { FOCUS_ELITE = 8 }; /* trajectories that are gone back to */

struct focus;

/* For `samples` trajectories of at most `most` actions at once, of so many images. */
ucpo_status focus_create(int samples, int images, size_t most, struct focus **out, ucpo_error *err);
void focus_free(struct focus *focus);

/* Before the first round of an instance. */
void focus_clear(struct focus *focus);

/* Counts the trajectory, and keeps it if it is one of the best and no two would be equal. */
void focus_take(struct focus *focus, const int32_t *actions, double objective, double violation);

/* After all images of a round: decides on the temperature of the next. */
void focus_close_round(struct focus *focus);

/* Tells a rollout how each of its samples begins: as one of the best, up to a random action; and by how
 * much hotter than asked it is. Random numbers follow from seed and index of the options. */
void focus_begin(struct focus *focus, int samples, struct policy_options *options);

#endif
