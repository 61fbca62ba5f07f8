/* Local search: repairs and polishes one plan.
 *
 *   start with a plan (any, also an infeasible one) -> perturb, descend, accept or go back -> ... the
 *   best plan by the feasible-first order is kept
 *
 * Tours (one vehicle) and fleets have searches of their own, tour.h and routes.h, on the same ground
 * (ground.h) and from the same parts (search.h); which one follows from the instance, never from a
 * problem's name. Moves are priced by joining segments (segment.h), never by walking the plan. A search
 * is a function of instance, start, seed and effort, which cuts it at the same place on every
 * machine; `stop` cuts it wherever it happens to be. */
#ifndef UCPO_REFINE_REFINE_H
#define UCPO_REFINE_REFINE_H

#include "core/stop.h"
#include "problem/problem.h"

/* ---- the ground: tables and neighbours of an instance ---- */

struct ground;

/* inst must outlive it and be its own `load`. UCPO_E_CANCELLED if `stop` (may be NULL) said so. */
ucpo_status ground_create(const ucpo_instance *inst, const struct stop *stop, struct ground **out,
                          ucpo_error *err);
void ground_free(struct ground *ground);

/* The same for another instance: allocates only if it needs more room than those before. If it fails,
 * only ground_bind and ground_free may follow. Searches on it must be bound anew. */
ucpo_status ground_bind(struct ground *ground, const ucpo_instance *inst, const struct stop *stop,
                        ucpo_error *err);

/* ---- searches ---- */

struct refine;

/* A search on ground that others may use at the same time; it must outlive the search. Any number of
 * starts. */
ucpo_status refine_create_on(const struct ground *ground, struct refine **out, ucpo_error *err);
void refine_free(struct refine *refine);

/* The same search for another instance of the kind, or for ground that was bound anew: allocates only if
 * it needs more room than before. If it fails, only binding and refine_free may follow. */
ucpo_status refine_bind_on(struct refine *refine, const struct ground *ground, ucpo_error *err);

/* A search on ground of its own. */
ucpo_status refine_create(const ucpo_instance *inst, const struct stop *stop, struct refine **out,
                          ucpo_error *err);
ucpo_status refine_bind(struct refine *refine, const ucpo_instance *inst, const struct stop *stop,
                        ucpo_error *err);

/* Begins anew from a plan in the form ucpo_check takes. Customers that are missing are put in, second
 * visits and unknown nodes left out. No allocation. */
ucpo_status refine_start(struct refine *refine, const int32_t *nodes, size_t len, uint64_t seed,
                         ucpo_error *err);

/* Whether the search makes a first plan of its own, better and sooner than rules (large fleets with
 * windows); it takes the start's place if it is better. */
int refine_begins_anew(const ucpo_instance *inst);

/* Goes on until `effort` more moves have been priced (INT64_MAX: no such limit) or `stop` (may be
 * NULL) says so; it is asked at least every few milliseconds. Tours with windows and fleets cool from
 * begin to end of a run whose length is known, by its effort or by the share of the stop. No
 * allocation. */
void refine_run(struct refine *refine, int64_t effort, const struct stop *stop);

/* The best plan since the start: never worse than it. Valid until the next call. */
struct refined {
    const int32_t *nodes;
    size_t len;
    double objective, violation; /* normalised, as ucpo_check defines them; 0: feasible */
};

struct refined refine_best(const struct refine *refine);

/* ---- plans without a model: constructive rules, for those who have no start (construct.c) ---- */

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
