/* What one plan may take over from another: a part that serves the same customers for less. Both serve
 * every customer once. */
#ifndef UCPO_EVAL_JOIN_H
#define UCPO_EVAL_JOIN_H

#include "problem/problem.h"

struct joint {
    const int32_t *actions;
    const double *sum; /* join_sum */
    size_t len;        /* without closing depots */
};

/* The cost of the legs up to and with the one to actions[k], in sum[k + 1]; len + 2 numbers, the last
 * with the way home. */
void join_sum(const ucpo_instance *inst, const int32_t *actions, size_t len, double *sum);

/* Begin with *end = 0: the next route's customers are actions[*first .. *end - 1]; 0: there is none. */
int join_next_route(const struct joint *plan, size_t *first, size_t *end);

/* Of its legs, the depot's too, with the customers actions[first .. end - 1]. */
double join_route_cost(const struct joint *plan, size_t first, size_t end);

/* A run of customers of a plan and a run of another with the same ones. */
struct run {
    size_t at, from, len; /* in the plan, in the other */
    double gain;          /* if the plan had the other's order */
};

/* The run of a plan with the largest gain below `below`; 0: none gains. `cells`: n and twice the
 * other's length. */
int join_find_run(const ucpo_instance *inst, const struct joint *tour, const struct joint *other,
                  double below, int32_t *cells, struct run *out);

/* What join_find_routes works with. */
struct join_routes {
    int32_t *route_of; /* n: the plan's route of a customer */
    int32_t *parent;   /* 2 n: routes of the plan, then of the other */
    int32_t *more;     /* 2 n: routes that a group would have more */
    double *gain;      /* 2 n */
};

/* Groups of routes that serve the same customers as a group of the other's: writes the plan with the
 * other's where they cost less, and, if the fleet is limited, are not more. Returns its length; 0: none. */
size_t join_find_routes(const ucpo_instance *inst, const struct joint *plan,
                        const struct joint *other, const struct join_routes *room, int32_t *draft);

#endif
