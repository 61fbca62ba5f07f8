#include "eval/focus.h"

#include <stdlib.h>
#include <string.h>

#define DISTINCT 0.6  /* share of a round below which the next is hotter */
#define HOTTEST  64.0 /* times the temperature asked for */

enum { PART_LEAST = 3 }; /* decisions of a part that must differ; at most half of a tour */

enum { ROUTES_LEAST = 2, ROUTES_MOST = 3 };

struct elite {
    int32_t *actions;
    size_t len; /* without closing depots */
    double objective, violation;
};

struct route {
    size_t first, end;
    double away; /* of its nearest customer from a chosen one */
    int is_again;
};

struct focus {
    size_t most;
    int is_fleet;
    const ucpo_instance *inst;
    int count; /* elite[0] is the best */
    struct elite elite[FOCUS_ELITE];
    int32_t *begun, *kept, *until; /* samples x most, samples, samples */
    uint8_t *differs;              /* samples */
    struct route *route;           /* of one trajectory */
    int32_t *block;                /* all of int32_t */
    double *met;                   /* objectives of this round */
    size_t drawn;
    double heat, insist; /* factor of the temperature; share of the samples that must differ */
};

ucpo_status focus_create(int samples, int images, size_t most, int is_fleet, struct focus **out,
                         ucpo_error *err)
{
    size_t rows = (size_t)samples, cells = (rows + FOCUS_ELITE) * most + 2 * rows;
    struct focus *f = mem_zeroed(1, sizeof *f);
    if (!f) return status_no_memory(err, sizeof *f);
    f->block = mem_zeroed(cells, sizeof *f->block);
    f->differs = mem_zeroed(rows, sizeof *f->differs);
    f->route = mem_zeroed(most, sizeof *f->route);
    f->met = mem_zeroed(rows * (size_t)images, sizeof *f->met);
    if (!f->block || !f->differs || !f->route || !f->met) {
        focus_free(f);
        return status_no_memory(err, cells * sizeof *f->block);
    }
    f->most = most;
    f->is_fleet = is_fleet;
    f->begun = f->block;
    for (size_t k = 0; k < FOCUS_ELITE; k++) f->elite[k].actions = f->block + (rows + k) * most;
    f->kept = f->block + (rows + FOCUS_ELITE) * most;
    f->until = f->kept + rows;
    *out = f;
    return UCPO_OK;
}

void focus_free(struct focus *f)
{
    if (!f) return;
    free(f->block);
    free(f->differs);
    free(f->route);
    free(f->met);
    free(f);
}

void focus_clear(struct focus *f, const ucpo_instance *inst)
{
    f->inst = inst;
    f->count = 0;
    f->drawn = 0;
    f->heat = 1.0;
    f->insist = 0.0;
}

static int order(const struct elite *a, double objective, double violation)
{
    return ucpo_compare(NULL, a->objective, a->violation, objective, violation);
}

void focus_take(struct focus *f, const int32_t *actions, double objective, double violation)
{
    int at = f->count;
    f->met[f->drawn++] = objective + violation;
    while (at > 0 && order(&f->elite[at - 1], objective, violation) > 0) at--;
    if (at == FOCUS_ELITE) return;
    for (int k = at; k > 0 && order(&f->elite[k - 1], objective, violation) == 0; k--)
        if (memcmp(f->elite[k - 1].actions, actions, f->most * sizeof *actions) == 0) return;
    if (f->count < FOCUS_ELITE) f->count++;
    struct elite spare = f->elite[f->count - 1]; /* free, or the worst */
    memmove(f->elite + at + 1, f->elite + at, (size_t)(f->count - 1 - at) * sizeof *f->elite);
    memcpy(spare.actions, actions, f->most * sizeof *actions);
    spare.len = f->most;
    while (spare.len > 0 && actions[spare.len - 1] == 0) spare.len--;
    spare.objective = objective;
    spare.violation = violation;
    f->elite[at] = spare;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void focus_close_round(struct focus *f)
{
    size_t distinct = 0;
    qsort(f->met, f->drawn, sizeof *f->met, by_value);
    for (size_t i = 0; i < f->drawn; i++) distinct += i == 0 || f->met[i] != f->met[i - 1];
    double share = (double)distinct / (double)f->drawn;
    if (share < DISTINCT && f->heat < HOTTEST) f->heat *= 2.0;
    f->insist = 1.0 - (1.0 - f->insist) * share;
    f->drawn = 0;
}

/* From a random decision on; if it must differ, in a part of the tour. */
static void again_tour(struct focus *f, const struct elite *e, int s, struct rng *rng)
{
    size_t len = e->len, kept = rng_below(rng, (uint32_t)len), until = f->most;
    memcpy(f->begun + (size_t)s * f->most, e->actions, f->most * sizeof *f->begun);
    f->differs[s] = rng_uniform(rng) < f->insist;
    if (f->differs[s] && len / 2 > PART_LEAST) {
        until = kept + PART_LEAST + rng_below(rng, (uint32_t)(len / 2 - PART_LEAST + 1));
        if (until >= len) until = f->most;
    }
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

/* Two or three routes around a random customer; the others come first, as they are. */
static void again_fleet(struct focus *f, const struct elite *e, int s, struct rng *rng)
{
    int32_t *begun = f->begun + (size_t)s * f->most, customer = 0;
    size_t kept = 0;
    while (customer == 0) customer = e->actions[rng_below(rng, (uint32_t)e->len)];
    size_t routes = find_routes(f, e, customer);
    size_t open = ROUTES_LEAST + rng_below(rng, ROUTES_MOST - ROUTES_LEAST + 1);
    for (size_t k = 0; k < open && k < routes; k++) nearest(f, routes)->is_again = 1;
    for (size_t k = 0; k < routes; k++) {
        const struct route *r = &f->route[k];
        if (r->is_again) continue;
        memcpy(begun + kept, e->actions + r->first, (r->end - r->first) * sizeof *begun);
        kept += r->end - r->first;
        begun[kept++] = 0;
    }
    f->differs[s] = 0;
    f->kept[s] = (int32_t)kept;
    f->until[s] = (int32_t)f->most;
}

void focus_begin(struct focus *f, int samples, struct policy_options *o)
{
    /* routes that stay would keep the fleet as full, or as large, as it is */
    if (f->is_fleet && f->elite[0].violation > 0.0) return;
    struct rng rng = rng_at(o->seed, RNG_FOCUS, o->index);
    for (int s = 0; s < samples; s++) {
        const struct elite *e = &f->elite[rng_below(&rng, (uint32_t)f->count)];
        if (f->is_fleet)
            again_fleet(f, e, s, &rng);
        else
            again_tour(f, e, s, &rng);
    }
    o->begun = f->begun;
    o->kept = f->kept;
    o->until = f->until;
    o->differs = f->differs;
    o->temperature *= f->heat;
}
