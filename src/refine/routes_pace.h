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
    int64_t begin;                   /* of the run */
    double share_begin, share, rate; /* of the time: at its begin, when last asked, by effort */
};

static inline void pace_ask(struct pace *p)
{
    p->is_stopped = stop_is_asked(p->stop);
    p->share = p->stop && p->stop->share ? p->stop->share(p->stop->user) : -1.0;
    p->asked = p->effort;
    double more = p->share - p->share_begin;
    p->rate = more > 0.0 && p->asked > p->begin ? more / (double)(p->asked - p->begin) : 0.0;
}

static inline void pace_begin(struct pace *p, int64_t effort, const struct stop *stop)
{
    p->limit = effort < INT64_MAX - p->effort ? p->effort + effort : INT64_MAX;
    p->begin = p->effort;
    p->stop = stop;
    pace_ask(p);
    p->share_begin = p->share;
}

static inline int pace_is_over(struct pace *p)
{
    if (p->is_stopped || p->effort >= p->limit) return 1;
    if (p->effort - p->asked < PACE_ASK_EVERY) return 0;
    pace_ask(p);
    return p->is_stopped;
}

/* Of what the run may take; below 0: nobody knows. */
static inline double pace_share(const struct pace *p)
{
    double share = p->share;
    if (share >= 0.0) share += p->rate * (double)(p->effort - p->asked);
    if (p->limit == INT64_MAX) return share;
    double spent = (double)(p->effort - p->begin), all = (double)(p->limit - p->begin);
    return all > 0.0 && spent / all > share ? spent / all : share;
}

#endif
