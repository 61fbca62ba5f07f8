/* Plans without a model: constructive rules, the starting points of those who have nothing better. */
#ifndef UCPO_REFINE_CONSTRUCT_H
#define UCPO_REFINE_CONSTRUCT_H

#include "core/stop.h"
#include "problem/problem.h"

/* Work for one rule; made for an instance that is its own `load`. O(n) memory. */
struct construct;

enum { CONSTRUCT_RULES = 7 };

ucpo_status construct_create(const ucpo_instance *inst, struct construct **out, ucpo_error *err);
void construct_free(struct construct *c);

/* The plan of a rule, `len` <= 2 n nodes. Rule 0, in order of deadlines, takes no time to speak of and
 * ignores `stop`; the others are nearest-neighbour rules, O(n^2). */
ucpo_status construct_run(struct construct *c, int rule, const struct stop *stop, int32_t *nodes,
                          size_t *len, ucpo_error *err);

#endif
