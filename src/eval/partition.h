/* Routes of many plans, and the cheapest plan that can be put together of them: every customer once, no
 * more routes than vehicles. */
#ifndef UCPO_EVAL_PARTITION_H
#define UCPO_EVAL_PARTITION_H

#include "eval/join.h"

struct partition;

/* For instances of n nodes. */
ucpo_status partition_create(int n, struct partition **out, ucpo_error *err);
void partition_free(struct partition *partition);

/* Before the first plan of an instance, which must outlive the last. */
void partition_clear(struct partition *partition, const ucpo_instance *inst);

/* Takes in the routes of a plan; of one that is not feasible those that are. Of routes with the same
 * customers the cheapest is kept. Where there is no more room, half of all go, those that cost most for
 * whom they serve. */
void partition_add(struct partition *partition, const struct joint *plan, int is_feasible);

/* Writes a plan that costs less than `below` (HUGE_VAL: there is none yet) and returns its length; 0: none
 * was found. The work is limited: if there are many routes, it may not be the cheapest, and none may be found where
 * there is one. */
size_t partition_find(struct partition *partition, double below, int32_t *plan);

#endif
