/* What evaluation does with an answer besides counting it: local search, and answers without a
 * model. Instances are their own `load`. */
#ifndef UCPO_EVAL_POLISH_H
#define UCPO_EVAL_POLISH_H

#include "problem/problem.h"

/* Whether refine_moves or refine_seconds ask for it. */
int polish_is_on(const ucpo_eval_config *config);

/* A plan and what it is worth; there is room for 2 n nodes (tours: n). */
struct polished {
    int32_t *nodes;
    size_t len;
    double objective, violation;
};

/* Replaces the plan by one that is not worse. */
ucpo_status polish_plan(const ucpo_eval_config *config, const ucpo_instance *inst, uint64_t number,
                        struct polished *plan, ucpo_error *err);

/* The best of the constructive rules. */
struct built {
    struct polished plan;
    int rule; /* which one it is of */
    int candidates, feasible;
    double sum; /* of the feasible ones' objectives */
    int first_is_feasible;
    double first_objective;
};

ucpo_status build_plan(const ucpo_instance *inst, struct built *best, ucpo_error *err);

#endif
