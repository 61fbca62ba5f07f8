/* When a run is over, and the temperature. Whoever knows how long the run will be lets it cool once from
 * the begin to the end. If nobody knows, cycles of cooling follow each other, each longer than the one
 * before. */
#include "refine/tour.h"

#include <math.h>

enum {
    LEAST_PER_ASK = 1000, /* work between questions: asking takes a microsecond or two, */
    MOST_PER_ASK = 20000, /* this some 50 to 200 */
    CYCLE_PER_NODE = 40,  /* perturbations of the first cycle */
    STEPS_PER_HEAT = 16   /* perturbations of one temperature */
};

#define ASK_SHARE    0.01 /* of the run between questions */
#define LEAST_SHARE  0.02 /* of the run that says how long the rest will take */
#define FREE_LEG     0.5  /* of the mean leg without its floor */
#define REPAIR_SHARE 0.9  /* of the run: without a feasible tour it is not spent on heat */

static void ask_share(struct tour *t)
{
    double share = t->stop && t->stop->share ? t->stop->share(t->stop->user) : -1.0;
    double done = (double)(t->work - t->work_begin);
    t->share = share;
    t->share_rate = share > 0.0 && done > 0.0 ? share / done : 0.0;
    t->asked_at = t->work;
    double next = t->share_rate > 0.0 ? ASK_SHARE / t->share_rate : LEAST_PER_ASK;
    if (share < 0.0) next = MOST_PER_ASK;
    t->ask_at = t->work + (int64_t)less_of(more_of(next, LEAST_PER_ASK), MOST_PER_ASK);
}

int tour_is_over(struct tour *t)
{
    if (t->is_stopped) return 1;
    if (t->priced >= t->effort_end) return 1;
    if (t->work < t->ask_at) return 0;
    t->is_stopped = stop_is_asked(t->stop);
    ask_share(t);
    return t->is_stopped;
}

/* Of the run; below 0: nobody knows. */
static double share_spent(const struct tour *t)
{
    double share = t->share;
    if (share >= 0.0) share += t->share_rate * (double)(t->work - t->asked_at);
    if (t->effort_end == INT64_MAX) return share;
    double effort = (double)(t->effort_end - t->effort_begin);
    return more_of(share, (double)(t->priced - t->effort_begin) / effort);
}

/* What heat is measured by: the mean leg of the tour. Where the matrix is not symmetric, legs may consist
 * mostly of what leaving a place costs in any case, which no order saves. */
static double mean_leg(const struct tour *t)
{
    double mean = t->kept_total / t->n;
    return t->leg_floor > 0.0 ? less_of(mean, FREE_LEG * more_of(mean - t->leg_floor, 0.0)) : mean;
}

static double heat_of_share(struct tour *t, const struct cooling *c, double share)
{
    double mean = mean_leg(t);
    if (t->best_violation > 0.0 && share < REPAIR_SHARE) return mean * c->cold;
    return mean * c->hot * pow(c->cold / c->hot, less_of(share, 1.0));
}

/* Perturbations of the next cycle. If it is known how many are left and no cycle after it would fit, it
 * takes them all: a run that is cut while it is hot has wasted its last cycle. */
static double next_length(const struct tour *t, const struct cooling *c, double share)
{
    double next =
        t->cycle_length ? c->growth * (double)t->cycle_length : (double)CYCLE_PER_NODE * t->n;
    if (share < LEAST_SHARE || share >= 1.0) return next;
    double left = (double)t->iteration * (1.0 - share) / share;
    return left < next * (1.0 + c->growth) ? more_of(left, 1.0) : next;
}

static double heat_of_cycle(struct tour *t, const struct cooling *c, double share)
{
    int64_t done = t->iteration - t->cycle_begin;
    if (done >= t->cycle_length) {
        t->cycle_length = (int64_t)next_length(t, c, share);
        t->cycle_begin = t->iteration;
        t->hot = mean_leg(t) * c->hot;
        done = 0;
    }
    return t->hot * pow(c->cold / c->hot, (double)done / (double)t->cycle_length);
}

double tour_temperature(struct tour *t, const struct cooling *cooling)
{
    if (t->iteration % STEPS_PER_HEAT == 0) {
        double share = share_spent(t);
        int is_once = cooling->is_fitted && share >= 0.0;
        t->heat = is_once ? heat_of_share(t, cooling, share) : heat_of_cycle(t, cooling, share);
    }
    return t->heat;
}
