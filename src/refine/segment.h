/* The algebra of stretches of a plan: what joining them costs in time windows or draft limits.
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

#include <stdint.h>

#include "core/minmax.h"

/* After a beginning: start of service at its last stop, warp so far. */
struct moment {
    double time, warp;
};

/* Of an ending: the latest arrival at its first stop that adds no warp to its own. */
struct tail {
    double latest, warp;
};

static inline int moment_is(struct moment a, struct moment b)
{
    return a.time == b.time && a.warp == b.warp;
}

static inline int tail_is(struct tail a, struct tail b)
{
    return a.latest == b.latest && a.warp == b.warp;
}

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

/* ---- pieces of any length, for fleets, whose legs take no service ----
 *
 * A piece entered at time t ends at clamp(t, early, late) + span, and its warp is warp + max(0, t - late).
 * A vehicle that is under way needs its clock and the warp so far only; of what lies ahead of it, the
 * rest of a route, late and warp are enough. */

struct segment {
    int32_t first, last;
    double early, late, span, warp;
    double load, cost; /* cost: of the legs inside */
};

/* a, then a leg, then b. */
static inline struct segment segment_join(const struct segment *a, double cost, double duration,
                                          const struct segment *b)
{
    double way = a->span + duration;
    struct segment s = {.first = a->first,
                        .last = b->last,
                        .load = a->load + b->load,
                        .cost = a->cost + cost + b->cost};
    s.early = more_of(a->early, less_of(b->early - way, a->late));
    s.late = less_of(a->late, more_of(b->late - way, a->early));
    s.warp = a->warp + b->warp + more_of(0.0, a->early + way - b->late);
    s.span = less_of(more_of(s.early + way, b->early), b->late) + b->span - s.early;
    return s;
}

/* A vehicle under way: it has served `at`. */
struct course {
    int32_t at;
    double time, warp, load, cost;
};

static inline void course_serve(struct course *c, double cost, double duration,
                                const struct segment *s)
{
    double arrive = c->time + duration;
    c->warp += s->warp + more_of(0.0, arrive - s->late);
    c->time = less_of(more_of(arrive, s->early), s->late) + s->span;
    c->load += s->load;
    c->cost += cost + s->cost;
    c->at = s->last;
}

#endif
