/* Local search: repairs and polishes one plan.
 *
 *   start with a plan (any, also an infeasible one) -> perturb, descend (fleets), accept or go back
 *   -> ... the best plan by the feasible-first order is kept
 *
 * Tours (one vehicle) and fleets have searches of their own, tour.c and routes.c; which one follows
 * from the instance, never from a problem's name. Moves are priced by joining segments (segment.h),
 * never by walking the plan. A search is a function of instance, start, seed and effort, which cuts it
 * at the same place on every machine; `stop` cuts it wherever it happens to be. */
#ifndef UCPO_REFINE_REFINE_H
#define UCPO_REFINE_REFINE_H

#include "core/stop.h"
#include "problem/problem.h"

struct refine;

/* Tables for an instance, used for any number of starts. inst must outlive it and be its own
 * `load`. UCPO_E_CANCELLED if `stop` (may be NULL) said so. */
ucpo_status refine_create(const ucpo_instance *inst, const struct stop *stop, struct refine **out,
                          ucpo_error *err);
void refine_free(struct refine *refine);

/* The same for another instance of the problem: allocates only if it needs more room than those
 * before. If it fails, only refine_bind and refine_free may follow. */
ucpo_status refine_bind(struct refine *refine, const ucpo_instance *inst, const struct stop *stop,
                        ucpo_error *err);

/* Begins anew from a plan in the form ucpo_check takes. Customers that are missing are put in, second
 * visits and unknown nodes left out. No allocation. */
ucpo_status refine_start(struct refine *refine, const int32_t *nodes, size_t len, uint64_t seed,
                         ucpo_error *err);

/* Goes on until `effort` more moves have been priced (INT64_MAX: no such limit) or `stop` (may be
 * NULL) says so; it is asked at least every few milliseconds. Tours with windows cool from begin to
 * end of a run whose length is known, by its effort or by the share of the stop. No allocation. */
ucpo_status refine_run(struct refine *refine, int64_t effort, const struct stop *stop,
                       ucpo_error *err);

/* The best plan since the start: never worse than it. Valid until the next call. */
struct refined {
    const int32_t *nodes;
    size_t len;
    double objective, violation; /* normalised, as ucpo_check defines them; 0: feasible */
};

struct refined refine_best(const struct refine *refine);

#endif
