/* The best plans of an instance so far, no two of the same cost. Each plan that comes, kept or not, gives
 * the kept ones what it does better than they (eval/join.h). */
#ifndef UCPO_EVAL_ELITE_H
#define UCPO_EVAL_ELITE_H

#include "eval/join.h"
#include "eval/partition.h"
#include "math/real.h"

enum { ELITE_MOST = 32 };

struct elite {
    int32_t *actions; /* as many as there may be: 0 behind the last customer */
    real *sure;       /* of each action; NULL for fleets */
    double *sum;
    size_t len; /* without closing depots */
    double objective, violation;
};

struct given {
    const int32_t *actions;
    const real *sure;
    double *sum;
    size_t len;
    double objective, violation;
};

struct elites {
    int count;
    struct elite plan[ELITE_MOST]; /* the best first */
    size_t most;                   /* actions */
    int is_fleet;
    const ucpo_instance *inst;
    struct given given; /* the plan that has come */
    struct join_routes routes;
    struct partition *partition;    /* of all routes; NULL for tours */
    int32_t *draft, *whole, *cells; /* most; most; n + 2 most */
    int32_t *actions, *numbers;     /* what the plans point into, and the rest */
    real *sure;
    double *sums;
};

/* Of n nodes and at most `most` actions. After a failure to be freed as well. */
ucpo_status elites_create(struct elites *elites, int n, size_t most, int is_fleet, ucpo_error *err);
void elites_free(struct elites *elites);

/* Before the first plan of an instance, which must outlive the last. */
void elites_clear(struct elites *elites, const ucpo_instance *inst);

/* A plan, feasible or not. */
ucpo_status elites_take(struct elites *elites, const int32_t *actions, const real *sure,
                        double objective, double violation, ucpo_error *err);

/* The cheapest plan that can be put together of all routes so far is given as well. Tours stay as they are. */
ucpo_status elites_assemble(struct elites *elites, ucpo_error *err);

/* Whether two costs are of the same legs, perhaps in another order: of routes, say. */
int elites_is_same_sum(double a, double b);

#endif
