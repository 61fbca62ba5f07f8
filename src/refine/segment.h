/* The algebra of stretches of a tour: what joining them costs in time windows or draft limits.
 *
 * A resource grows along every leg and must lie within [ready, due] at every stop. Below ready one
 * waits; what is beyond due is taken back and counted as `warp` (the time warp of Nagata, Braysy and
 * Dullaert, 2010; Vidal et al., 2013). A tour is feasible iff its warp is 0, and a single warp does
 * not make everything after it late.
 *
 *   windows   the resource is time; a leg takes the service before it and the way
 *   drafts    the resource is the load; a leg takes the demand of its end, due is the limit. The
 *             warp of a tour is then its largest excess */
#ifndef UCPO_REFINE_SEGMENT_H
#define UCPO_REFINE_SEGMENT_H

#include "core/minmax.h"

/* After a beginning: start of service at its last stop, warp so far. */
struct moment {
    double time, warp;
};

/* Of an ending: the latest arrival at its first stop that adds no warp to its own. */
struct tail {
    double latest, warp;
};

static inline struct moment moment_next(struct moment at, double leg, double ready, double due)
{
    double arrive = at.time + leg;
    at.warp += more_of(arrive - due, 0.0);
    at.time = less_of(more_of(arrive, ready), due);
    return at;
}

static inline struct tail tail_before(struct tail rest, double leg, double ready, double due)
{
    double latest = rest.latest - leg;
    rest.warp += more_of(ready - latest, 0.0);
    rest.latest = more_of(ready, less_of(latest, due));
    return rest;
}

/* Warp of the whole. */
static inline double warp_joined(struct moment at, double leg, struct tail rest)
{
    return at.warp + rest.warp + more_of(at.time + leg - rest.latest, 0.0);
}

#endif
