/* Pace, temperature, the best plan. */
#include "refine/search.h"

#include <assert.h>
#include <string.h>

enum {
    LEAST_PER_ASK = 1000, /* work between questions: asking takes a microsecond or two, */
    MOST_PER_ASK = 20000, /* this some 50 to 500 */
    CYCLE_PER_NODE = 40   /* steps of the first cycle */
};

#define ASK_SHARE   0.01 /* of the run between questions */
#define LEAST_SHARE 0.02 /* of the run that says how long the rest will take */

/* ---- pace ---- */

void pace_ask(struct pace *p)
{
    p->is_stopped = stop_is_asked(p->stop);
    p->share = p->stop && p->stop->share ? p->stop->share(p->stop->user) : -1.0;
    double more = p->share - p->share_begin, done = (double)(p->work - p->work_begin);
    p->rate = more > 0.0 && done > 0.0 ? more / done : 0.0;
    p->asked_at = p->work;
    double next = p->rate > 0.0 ? ASK_SHARE / p->rate : LEAST_PER_ASK;
    if (p->share < 0.0) next = MOST_PER_ASK;
    p->ask_at = p->work + (int64_t)less_of(more_of(next, LEAST_PER_ASK), MOST_PER_ASK);
}

void pace_begin(struct pace *p, int64_t effort, const struct stop *stop)
{
    p->effort_begin = p->effort;
    p->effort_end = effort < INT64_MAX - p->effort ? p->effort + effort : INT64_MAX;
    p->work_begin = p->work;
    p->stop = stop;
    pace_ask(p);
    p->share_begin = p->share;
}

double pace_share(const struct pace *p)
{
    double share = p->share;
    if (share >= 0.0) share += p->rate * (double)(p->work - p->asked_at);
    if (p->effort_end == INT64_MAX) return share;
    double spent = (double)(p->effort - p->effort_begin);
    double all = (double)(p->effort_end - p->effort_begin);
    return all > 0.0 ? more_of(share, spent / all) : share;
}

double pace_gone(const struct pace *p)
{
    return pace_share(p) - (p->effort_end == INT64_MAX ? more_of(p->share_begin, 0.0) : 0.0);
}

/* ---- temperature ---- */

/* If it is known how many steps are left and no cycle after the next one would fit, it takes them all: a
 * run that is cut while it is hot has wasted its last cycle. */
static double next_length(const struct heat *h, const struct cooling *c, int32_t n,
                          const struct pace *p)
{
    double share = pace_share(p), gone = pace_gone(p);
    double next =
        h->cycle_length ? c->growth * (double)h->cycle_length : (double)CYCLE_PER_NODE * n;
    if (gone < LEAST_SHARE || share >= 1.0) return next;
    double left = (double)h->step * (1.0 - share) / gone;
    return left < next * (1.0 + c->growth) ? more_of(left, 1.0) : next;
}

/* The first cycle begins before anybody knows how many steps fit into the time. If no other fits behind
 * it, it takes all of them. */
static void fit_first(struct heat *h, const struct cooling *c, const struct pace *p)
{
    double gone = pace_gone(p);
    if (h->cycle_begin > 0 || p->share < 0.0 || gone < LEAST_SHARE || pace_share(p) >= 1.0) return;
    double all = (double)h->step / gone, length = (double)h->cycle_length;
    if (all < length * (1.0 + c->growth)) h->cycle_length = (int64_t)more_of(all, 1.0);
}

int heat_in_cycles(struct heat *h, const struct cooling *c, int32_t n, double leg,
                   const struct pace *p)
{
    int is_new = h->step - h->cycle_begin >= h->cycle_length;
    if (is_new) {
        h->cycle_length = (int64_t)next_length(h, c, n, p);
        h->cycle_begin = h->step;
        h->hot = leg * c->hot;
    }
    fit_first(h, c, p);
    double done = less_of((double)(h->step - h->cycle_begin) / (double)h->cycle_length, 1.0);
    h->now = h->hot * pow(c->cold / c->hot, done);
    assert(h->now >= 0.0);
    return is_new;
}

/* ---- the best plan ---- */

void best_layout(struct best *b, int32_t n, size_t longest, struct arena *arena)
{
    b->nodes = arena_take(arena, longest, sizeof *b->nodes);
    b->visited = arena_take(arena, (size_t)n, 1);
}

void best_offer(struct best *b, const ucpo_instance *inst, const int32_t *nodes, size_t len)
{
    ucpo_evaluation found;
    prob_check(inst, nodes, len, &found, b->visited, NULL, 0, NULL, 0);
    assert(found.missing == 0 && found.duplicates == 0);
    double objective = found.cost / inst->data.unit;
    double violation = found.is_feasible ? 0.0 : found.violation;
    if (b->is_known && ucpo_compare(NULL, objective, violation, b->objective, b->violation) >= 0)
        return;
    b->is_known = 1;
    b->len = len;
    b->objective = objective;
    b->violation = violation;
    memcpy(b->nodes, nodes, len * sizeof *nodes);
}
