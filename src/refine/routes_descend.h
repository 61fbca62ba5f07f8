/* Local search: improving moves until none is left, among customers that are near each other. */
#ifndef UCPO_REFINE_ROUTES_DESCEND_H
#define UCPO_REFINE_ROUTES_DESCEND_H

#include "refine/routes_move.h"
#include "refine/routes_pace.h"
#include "refine/routes_ruin.h"

struct descend {
    int32_t *order;                 /* customers, n */
    int64_t *tested;                /* of a customer: when */
    int64_t *changed, *star_tested; /* of a route: when */
    int32_t *lane;                  /* of a route: the other route of a pair */
    int64_t clock;
    int32_t lanes;
    double least; /* improvements below it do not count */
};

void descend_layout(struct descend *d, int32_t n, struct arena *arena);
void descend_init(struct descend *d, int32_t n, double least);

/* The plan is a plan at any time: when the pace is over, descent ends early. */
void descend_run(struct descend *d, struct fleet *f, const struct nearby *near, struct dice *dice,
                 struct pace *pace);

/* All routes count as changed. Who changes routes otherwise says so by d->changed[r] = ++d->clock. */
void descend_forget(struct descend *d, int32_t n);

#endif
