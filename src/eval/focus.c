#include "eval/focus.h"

#include "eval/elite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DISTINCT 0.6  /* share of a round below which the next is hotter */
#define HOTTEST  64.0 /* times the temperature asked for */
#define HOTTER   1.15 /* each round of a fleet that has no feasible plan than the one before */
#define COLDER   0.7  /* times the temperature asked for: of later tours, once one is feasible */
#define CERTAIN  0.1  /* weight of a decision with probability 1; of others 1 - p more */

enum { HOTTER_MOST = 7 }; /* times; at 50 rounds no hotter than at 8 */

enum { PART_LEAST = 3, PART_MOST = 25 }; /* decisions of a part; at most half of a tour */

enum { ROUTES_LEAST = 2, ROUTES_MOST = 3 };

enum { GO_BACK = 4 }; /* of the best, one of these is gone over again */

struct route {
    size_t first, end;
    double away; /* of its nearest customer from a chosen one */
    int is_again;
};

struct focus {
    size_t most;
    int is_fleet;
    const ucpo_instance *inst;
    struct elites elites;
    int32_t *begun, *kept, *until; /* samples x most, samples, samples */
    uint8_t *differs;              /* samples */
    real *sure;                    /* of a tour: samples x most */
    struct route *route;           /* of one trajectory */
    int32_t *block;                /* all of int32_t */
    double *met;                   /* objective + violation of this round's */
    size_t drawn;
    int rounds, round; /* of an instance; that are closed */
    int is_alone;      /* the samples of this round are independent */
    double heat;       /* factor of the temperature */
    double repeats;    /* how much rounds repeated themselves, 0 .. 1 */
};

ucpo_status focus_create(int samples, int images, int n, size_t most, int is_fleet,
                         struct focus **out, ucpo_error *err)
{
    size_t rows = (size_t)samples, cells = rows * most + 2 * rows;
    struct focus *f = mem_zeroed(1, sizeof *f);
    if (!f) return status_no_memory(err, sizeof *f);
    ucpo_status st = elites_create(&f->elites, n, most, is_fleet, err);
    f->block = mem_zeroed(cells, sizeof *f->block);
    f->differs = mem_zeroed(rows, sizeof *f->differs);
    f->route = mem_zeroed(most, sizeof *f->route);
    f->met = mem_zeroed(rows * (size_t)images, sizeof *f->met);
    if (!is_fleet) f->sure = mem_zeroed(rows * most, sizeof *f->sure);
    if (!f->block || !f->differs || !f->route || !f->met || (!is_fleet && !f->sure))
        st = status_no_memory(err, cells * sizeof *f->block);
    if (st) {
        focus_free(f);
        return st;
    }
    f->most = most;
    f->is_fleet = is_fleet;
    f->begun = f->block;
    f->kept = f->block + rows * most;
    f->until = f->kept + rows;
    *out = f;
    return UCPO_OK;
}

void focus_free(struct focus *f)
{
    if (!f) return;
    elites_free(&f->elites);
    free(f->block);
    free(f->differs);
    free(f->sure);
    free(f->route);
    free(f->met);
    free(f);
}

void focus_clear(struct focus *f, const ucpo_instance *inst, int rounds)
{
    f->inst = inst;
    elites_clear(&f->elites, inst);
    f->drawn = 0;
    f->rounds = rounds;
    f->round = 0;
    f->is_alone = 1;
    f->heat = 1.0;
    f->repeats = 0.0;
}

ucpo_status focus_take(struct focus *f, int s, const int32_t *actions, double objective,
                       double violation, ucpo_error *err)
{
    const real *sure = f->sure ? f->sure + (size_t)s * f->most : NULL;
    f->met[f->drawn++] = objective + violation;
    return elites_take(&f->elites, actions, sure, objective, violation, err);
}

const int32_t *focus_best(const struct focus *f, double *objective, double *violation)
{
    const struct elite *best = &f->elites.plan[0];
    *objective = best->objective;
    *violation = best->violation;
    return best->actions;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Shares of the rounds that are independent: what differs has more to give. Not of tours that lack a
 * feasible one; of fleets all until then, since routes that stay would keep the fleet as full, or as
 * large, as it is. */
static int is_next_alone(const struct focus *f)
{
    int is_solved = f->elites.plan[0].violation <= 0.0;
    if (f->is_fleet) return !is_solved || 2 * (f->round + 1) <= f->rounds;
    return is_solved && 4 * (f->round + 1) <= 3 * f->rounds;
}

ucpo_status focus_close_round(struct focus *f, ucpo_error *err)
{
    ucpo_status st = elites_assemble(&f->elites, err);
    if (st) return st;
    if (f->round == 0 || !f->is_alone) {
        size_t distinct = 0;
        qsort(f->met, f->drawn, sizeof *f->met, by_value);
        for (size_t i = 0; i < f->drawn; i++)
            distinct += i == 0 || !elites_is_same_sum(f->met[i], f->met[i - 1]);
        double share = (double)distinct / (double)f->drawn;
        if (share < DISTINCT && f->heat < HOTTEST) f->heat *= 2.0;
        f->repeats = 1.0 - (1.0 - f->repeats) * share;
    }
    f->drawn = 0;
    f->round++;
    f->is_alone = is_next_alone(f);
    return UCPO_OK;
}

static double weight(const struct elite *e, size_t t)
{
    return CERTAIN + 1.0 - (double)e->sure[t];
}

/* One of the first `count` decisions, sooner one the policy was not sure of. */
static size_t doubted(const struct elite *e, size_t count, struct rng *rng)
{
    double sum = 0.0;
    size_t t = 0;
    for (size_t i = 0; i < count; i++) sum += weight(e, i);
    sum *= rng_uniform(rng);
    while (t + 1 < count && (sum -= weight(e, t)) >= 0.0) t++;
    return t;
}

/* From a doubted decision on; from any, while no tour is feasible, since then the policy is wrong where
 * it is sure. If it must differ, in a part of the tour. The last decision has no other. */
static void again_tour(struct focus *f, const struct elite *e, int s, struct rng *rng)
{
    int is_wrong = f->elites.plan[0].violation > 0.0;
    size_t len = e->len, until = f->most, choices = len > 1 ? len - 1 : 1;
    size_t kept = is_wrong ? rng_below(rng, (uint32_t)choices) : doubted(e, choices, rng);
    size_t longest = len / 2 < PART_MOST ? len / 2 : PART_MOST;
    memcpy(f->begun + (size_t)s * f->most, e->actions, f->most * sizeof *f->begun);
    f->differs[s] = rng_uniform(rng) < sqrt(sqrt(f->repeats));
    if (f->differs[s] && longest > PART_LEAST) {
        until = kept + PART_LEAST + rng_below(rng, (uint32_t)(longest - PART_LEAST + 1));
        if (until >= len) until = f->most;
    }
    real *sure = f->sure + (size_t)s * f->most;
    memcpy(sure, e->sure, kept * sizeof *sure);
    memcpy(sure + until, e->sure + until, (f->most - until) * sizeof *sure);
    f->kept[s] = (int32_t)kept;
    f->until[s] = (int32_t)until;
}

/* How many there are, and how far each is from the customer. */
static size_t find_routes(struct focus *f, const struct elite *e, int32_t customer)
{
    size_t count = 0;
    for (size_t t = 0; t < e->len; t++) {
        if (e->actions[t] == 0) continue;
        if (t == 0 || e->actions[t - 1] == 0) f->route[count++] = (struct route){.first = t};
        struct route *r = &f->route[count - 1];
        double away = ucpo_instance_cost(f->inst, customer, e->actions[t]);
        if (t == r->first || away < r->away) r->away = away;
        r->end = t + 1;
    }
    return count;
}

/* Of those that stay. */
static struct route *nearest(struct focus *f, size_t routes)
{
    struct route *best = NULL;
    for (size_t k = 0; k < routes; k++)
        if (!f->route[k].is_again && (!best || f->route[k].away < best->away)) best = &f->route[k];
    return best;
}

/* Two or three routes around a random customer; the others come first, as they are, and in half of the
 * cases 0 or more stops from the begin of one of the two or three. */
static void again_fleet(struct focus *f, const struct elite *e, int s, struct rng *rng)
{
    int32_t *begun = f->begun + (size_t)s * f->most, customer = 0;
    size_t kept = 0;
    while (customer == 0) customer = e->actions[rng_below(rng, (uint32_t)e->len)];
    size_t routes = find_routes(f, e, customer);
    size_t open = ROUTES_LEAST + rng_below(rng, ROUTES_MOST - ROUTES_LEAST + 1), begins = 0;
    size_t chosen = rng_below(rng, (uint32_t)open);
    for (size_t k = 0; k < open && k < routes; k++) {
        struct route *r = nearest(f, routes);
        r->is_again = 1;
        if (k == chosen) begins = (size_t)(r - f->route);
    }
    for (size_t k = 0; k < routes; k++) {
        const struct route *r = &f->route[k];
        if (r->is_again) continue;
        memcpy(begun + kept, e->actions + r->first, (r->end - r->first) * sizeof *begun);
        kept += r->end - r->first;
        begun[kept++] = 0;
    }
    const struct route *again = &f->route[begins];
    size_t begin =
        rng_uniform(rng) < 0.5 ? rng_below(rng, (uint32_t)(again->end - again->first + 1)) : 0;
    memcpy(begun + kept, e->actions + again->first, begin * sizeof *begun);
    kept += begin;
    f->differs[s] = 0;
    f->kept[s] = (int32_t)kept;
    f->until[s] = (int32_t)f->most;
}

real *focus_begin(struct focus *f, int samples, struct policy_options *o)
{
    for (size_t i = 0; f->sure && i < (size_t)samples * f->most; i++) f->sure[i] = 1;
    if (f->is_fleet && f->round > 0 && f->elites.plan[0].violation > 0.0)
        o->temperature *= pow(HOTTER, f->round < HOTTER_MOST ? f->round : HOTTER_MOST);
    if (f->is_alone) return f->sure;
    struct rng rng = rng_at(o->seed, RNG_FOCUS, o->index);
    int choices = f->elites.count < GO_BACK ? f->elites.count : GO_BACK;
    for (int s = 0; s < samples; s++) {
        const struct elite *e = &f->elites.plan[rng_below(&rng, (uint32_t)choices)];
        if (f->sure)
            again_tour(f, e, s, &rng);
        else
            again_fleet(f, e, s, &rng);
    }
    o->begun = f->begun;
    o->kept = f->kept;
    o->until = f->until;
    o->differs = f->differs;
    o->temperature *= f->heat;
    if (!f->is_fleet && f->elites.plan[0].violation <= 0.0) o->temperature *= COLDER;
    return f->sure;
}
