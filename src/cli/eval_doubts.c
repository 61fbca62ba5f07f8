#include "cli/eval_doubts.h"

#include <math.h>
#include <stdlib.h>

#include "cli/cli.h"

/* Published costs are often float32: what is nearer than this share is the same. */
#define CLOSE 1e-6

struct candidate {
    size_t index;
    double best,
        below; /* our plan, HUGE_VAL: none; how far below it the reference is, as a share */
};

static double best_of(const struct eval_report *r, size_t i)
{
    double best = HUGE_VAL;
    for (size_t k = 0; k < r->count; k++)
        if (r->rows[k].records[i].is_feasible) best = fmin(best, r->rows[k].records[i].objective);
    return best;
}

static int farthest_first(const void *a, const void *b)
{
    const struct candidate *p = a, *q = b;
    if (p->below != q->below) return p->below > q->below ? -1 : 1;
    return (p->index > q->index) - (p->index < q->index);
}

/* Those whose reference is below our plan. Without a plan nothing is known: they come last. */
static size_t find_candidates(const struct eval_report *r, struct candidate *list)
{
    size_t count = 0;
    for (size_t i = 0; i < r->instances; i++) {
        if (isnan(r->costs[i]) || r->rows[0].records[i].candidates == 0) continue;
        double best = best_of(r, i);
        if (r->costs[i] >= best * (1.0 - CLOSE)) continue;
        double below = isfinite(best) ? 1.0 - r->costs[i] / best : -1.0;
        list[count++] = (struct candidate){i, best, below};
    }
    qsort(list, count, sizeof *list, farthest_first);
    return count;
}

/* Whether a plan may cost what is claimed, or a little more; if not, also what plans cost at least, as far as it is
 * known: our own plan is the better question to that. */
static ucpo_status ask(const ucpo_instance *inst, const struct candidate *c, double claim,
                       double *bound, ucpo_error *err)
{
    double unit = ucpo_instance_view(inst)->unit, asked = claim * unit * (1.0 + CLOSE), least = 0.0;
    *bound = 0.0;
    ucpo_status status = ucpo_bound(inst, asked, &least, err);
    if (status || least < asked) return status;
    *bound = least / unit;
    if (!isfinite(c->best)) return UCPO_OK;
    status = ucpo_bound(inst, c->best * unit, &least, err);
    *bound = fmax(*bound, least / unit);
    return status;
}

static int by_index(const void *a, const void *b)
{
    const struct eval_doubt *p = a, *q = b;
    return (p->index > q->index) - (p->index < q->index);
}

static int ask_all(struct eval_report *r, const ucpo_dataset *set, const struct candidate *list,
                   size_t count)
{
    struct eval_doubts *d = &r->doubts;
    ucpo_error err = {0};
    d->contradicted = calloc(count, sizeof *d->contradicted);
    if (!d->contradicted) return no_memory();
    for (; d->asked < count && !interrupt_is_pending(); d->asked++) {
        const struct candidate *c = &list[d->asked];
        double claim = r->costs[c->index], bound = 0.0;
        ucpo_status status = ask(ucpo_dataset_at(set, c->index), c, claim, &bound, &err);
        if (status) return message_failure(status, &err);
        if (bound > 0.0) d->contradicted[d->count++] = (struct eval_doubt){c->index, claim, bound};
    }
    qsort(d->contradicted, d->count, sizeof *d->contradicted, by_index);
    return EXIT_DONE;
}

int eval_doubt(struct eval_report *report, const ucpo_dataset *set, size_t most)
{
    if (!report->costs || report->count == 0) return EXIT_DONE;
    struct candidate *list = calloc(report->instances, sizeof *list);
    if (!list) return no_memory();
    report->doubts.below = find_candidates(report, list);
    size_t count = report->doubts.below < most ? report->doubts.below : most;
    int code = count > 0 ? ask_all(report, set, list, count) : EXIT_DONE;
    free(list);
    return code;
}
