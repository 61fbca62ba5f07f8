/* When a run is over, and the temperature. Whoever knows how long the run will be lets it cool once from
 * the begin to the end. If nobody knows, cycles of cooling follow each other, each longer than the one
 * before. */
#include "refine/tour.h"

#include <math.h>

enum {
    WORK_PER_ASK = 4000, /* some 10 to 40 microseconds */
    CYCLE_PER_NODE = 40, /* perturbations of the first cycle */
    STEPS_PER_HEAT = 16  /* perturbations of one temperature */
};

/* Of the run; below 0: nobody knows. */
static double share_spent(const struct tour *t)
{
    double share = t->stop && t->stop->share ? t->stop->share(t->stop->user) : -1.0;
    if (t->effort_end == INT64_MAX) return share;
    double effort = (double)(t->effort_end - t->effort_begin);
    return more_of(share, (double)(t->priced - t->effort_begin) / effort);
}

int tour_is_over(struct tour *t)
{
    if (t->is_stopped) return 1;
    if (t->priced >= t->effort_end) return 1;
    if (t->work < t->ask_at) return 0;
    t->ask_at = t->work + WORK_PER_ASK;
    t->is_stopped = stop_is_asked(t->stop);
    return t->is_stopped;
}

static double heat_of_share(struct tour *t, const struct cooling *c, double share)
{
    double mean = t->kept_total / t->n;
    return mean * c->hot * pow(c->cold / c->hot, less_of(share, 1.0));
}

static double heat_of_cycle(struct tour *t, const struct cooling *c)
{
    int64_t done = t->iteration - t->cycle_begin;
    if (done >= t->cycle_length) {
        double grown = t->cycle_length ? c->growth * (double)t->cycle_length
                                       : (double)CYCLE_PER_NODE * t->n;
        t->cycle_begin = t->iteration;
        t->cycle_length = (int64_t)grown;
        t->hot = t->kept_total / t->n * c->hot;
        done = 0;
    }
    return t->hot * pow(c->cold / c->hot, (double)done / (double)t->cycle_length);
}

double tour_temperature(struct tour *t, const struct cooling *cooling)
{
    if (t->iteration % STEPS_PER_HEAT == 0) {
        double share = share_spent(t);
        t->heat = share < 0.0 ? heat_of_cycle(t, cooling) : heat_of_share(t, cooling, share);
    }
    return t->heat;
}
