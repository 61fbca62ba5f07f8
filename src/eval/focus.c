#include "eval/focus.h"

#include <stdlib.h>
#include <string.h>

#define DISTINCT 0.6  /* share of a round below which the next is hotter */
#define HOTTEST  64.0 /* times the temperature asked for */

struct elite {
    int32_t *actions;
    size_t len; /* without closing depots */
    double objective, violation;
};

struct focus {
    size_t most;
    int count; /* elite[0] is the best */
    struct elite elite[FOCUS_ELITE];
    int32_t *begun, *kept; /* samples x most, samples */
    int32_t *block;        /* all of it */
    double *met;           /* objectives of this round */
    size_t drawn;
    double heat;
};

ucpo_status focus_create(int samples, int images, size_t most, struct focus **out, ucpo_error *err)
{
    size_t rows = (size_t)samples, cells = (rows + FOCUS_ELITE) * most + rows;
    struct focus *f = mem_zeroed(1, sizeof *f);
    int32_t *block = mem_zeroed(cells, sizeof *block);
    double *met = mem_zeroed(rows * (size_t)images, sizeof *met);
    if (!f || !block || !met) {
        free(f);
        free(block);
        free(met);
        return status_no_memory(err, cells * sizeof *block);
    }
    f->most = most;
    f->met = met;
    f->block = f->begun = block;
    for (size_t k = 0; k < FOCUS_ELITE; k++) f->elite[k].actions = block + (rows + k) * most;
    f->kept = block + (rows + FOCUS_ELITE) * most;
    *out = f;
    return UCPO_OK;
}

void focus_free(struct focus *f)
{
    if (!f) return;
    free(f->block);
    free(f->met);
    free(f);
}

void focus_clear(struct focus *f)
{
    f->count = 0;
    f->drawn = 0;
    f->heat = 1.0;
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
    if ((double)distinct < DISTINCT * (double)f->drawn && f->heat < HOTTEST) f->heat *= 2.0;
    f->drawn = 0;
}

void focus_begin(struct focus *f, int samples, struct policy_options *o)
{
    struct rng rng = rng_at(o->seed, RNG_FOCUS, o->index);
    for (int s = 0; s < samples; s++) {
        const struct elite *e = &f->elite[rng_below(&rng, (uint32_t)f->count)];
        memcpy(f->begun + (size_t)s * f->most, e->actions, f->most * sizeof *f->begun);
        f->kept[s] = (int32_t)rng_below(&rng, (uint32_t)e->len);
    }
    o->begun = f->begun;
    o->kept = f->kept;
    o->temperature *= f->heat;
}
