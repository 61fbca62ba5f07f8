/* Without a proof: where there is least room. */
#include <math.h>

#include "explain/explain.h"

enum { SHOWN = 5 };

static void show_windows(const struct bounds *b, int32_t *ids, ucpo_explanation *out)
{
    size_t count = bounds_rank(b->n, b->earliest, b->latest, SHOWN, ids, out);
    for (size_t k = 0; k < count; k++) {
        double from = b->earliest[ids[k]], to = bounds_plain(b, b->latest[ids[k]]);
        if (isinf(to)) continue;
        if (fabs(to - from) <= 2.0 * b->margin) to = from; /* not "-1e-13 to spare" */
        explain_add(out, UCPO_REASON_TIGHT_WINDOW, &ids[k], 1, (struct numbers){from, to},
                    "customer %d can start at %s at the earliest and must by %s: %.6g to spare",
                    (int)ids[k], explain_time(b->inst, from).text, explain_time(b->inst, to).text,
                    to - from);
    }
}

/* Cargo of all ports that are no deeper, for each limit that binds. */
static void show_drafts(const ucpo_instance *inst, int32_t *ids, ucpo_explanation *out)
{
    const ucpo_instance_data *d = &inst->data;
    double *cargo = explain_room(out, (size_t)d->n, sizeof *cargo), sum = 0.0;
    if (!cargo) return;
    size_t count = bounds_rank(d->n, NULL, d->limit, (size_t)d->n, ids, out);
    for (size_t k = 0; k < count; k++) {
        size_t last = k;
        sum += d->demand[ids[k]];
        if (k + 1 < count && d->limit[ids[k + 1]] == d->limit[ids[k]]) continue;
        for (;; last--) { /* the whole group of equal limits */
            cargo[ids[last]] = sum;
            if (last == 0 || d->limit[ids[last - 1]] != d->limit[ids[k]]) break;
        }
    }
    count = bounds_rank(d->n, cargo, d->limit, SHOWN, ids, out);
    for (size_t k = 0; k < count; k++) {
        int32_t i = ids[k];
        if (d->limit[i] >= inst->total_demand) continue; /* never binds */
        explain_add(out, UCPO_REASON_TIGHT_LOAD, &i, 1, (struct numbers){cargo[i], d->limit[i]},
                    "customer %d has a draft limit of %.10g; ports no deeper than that hold %.10g "
                    "together: %.6g to spare",
                    (int)i, d->limit[i], cargo[i], d->limit[i] - cargo[i]);
    }
}

static void show_loads(const ucpo_instance *inst, ucpo_explanation *out)
{
    const ucpo_instance_data *d = &inst->data;
    int32_t largest = 1, fleet = fleet_of(inst);
    double least = ceil(inst->total_demand / d->capacity - 1e-9);
    for (int32_t i = 2; i < d->n; i++)
        if (d->demand[i] > d->demand[largest]) largest = i;
    explain_add(out, UCPO_REASON_TIGHT_LOAD, &largest, 1,
                (struct numbers){d->demand[largest], d->capacity},
                "customer %d has the largest demand, %.10g of a capacity of %.10g: %.6g to spare",
                (int)largest, d->demand[largest], d->capacity, d->capacity - d->demand[largest]);
    if (fleet > 0)
        explain_add(out, UCPO_REASON_TIGHT_FLEET, NULL, 0, (struct numbers){least, fleet},
                    "all demands together take at least %.0f of %d vehicles: room for %.6g more",
                    least, (int)fleet, fleet * d->capacity - inst->total_demand);
}

void show_tight(const struct bounds *b, ucpo_explanation *out)
{
    int32_t *ids = explain_room(out, (size_t)b->n, sizeof *ids);
    if (!ids) return;
    if (b->data->ready) {
        struct bounds plain = *b;
        plain.earliest = b->first_earliest;
        plain.latest = b->first_latest;
        show_windows(&plain, ids, out);
    }
    if (b->data->limit)
        show_drafts(b->inst, ids, out);
    else if (b->data->demand)
        show_loads(b->inst, out);
}
