/* How far a search may go: effort counts priced moves, the stop is asked every few of them. */
#ifndef UCPO_REFINE_ROUTES_PACE_H
#define UCPO_REFINE_ROUTES_PACE_H

#include <stdint.h>

#include "core/stop.h"

enum { PACE_ASK_EVERY = 4000 }; /* some 50 to 500 microseconds */

struct pace {
    int64_t effort, limit, asked;
    const struct stop *stop;
    int is_stopped;
};

static inline int pace_is_over(struct pace *p)
{
    if (p->is_stopped || p->effort >= p->limit) return 1;
    if (p->effort - p->asked < PACE_ASK_EVERY) return 0;
    p->asked = p->effort;
    p->is_stopped = stop_is_asked(p->stop);
    return p->is_stopped;
}

#endif
