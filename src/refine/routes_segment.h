/* Pieces of routes and how they join, in constant time.
 *
 * A piece entered at time t ends at clamp(t, early, late) + span, and lateness in it adds up to
 * warp + max(0, t - late): who comes too late is set back to the deadline, and pays for it (time
 * warp). Waiting costs nothing. A vehicle that is under way needs its clock and the warp so far only;
 * of what lies ahead of it, the rest of a route, late and warp are enough. */
#ifndef UCPO_REFINE_ROUTES_SEGMENT_H
#define UCPO_REFINE_ROUTES_SEGMENT_H

#include <stdint.h>

#include "core/minmax.h"

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
