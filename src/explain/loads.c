/* Proofs from loads: draft limits, capacity, packing. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "explain/explain.h"

/* Sums of n loads in another order differ by less than this. */
static double load_margin(const ucpo_instance *inst)
{
    return 8.0 * (inst->data.n + 4.0) * DBL_EPSILON * fmax(inst->total_demand, inst->data.capacity);
}

double load_room(const ucpo_instance *inst, double limit)
{
    return limit + inst->load_tolerance + load_margin(inst);
}

double load_counted(const ucpo_instance *inst, int32_t i)
{
    return inst->data.demand[i] > inst->load_tolerance ? inst->data.demand[i] : 0.0;
}

/* ---- draft limits ----
 *
 * The ports with a limit of at most q hold together the cargo C(q). Loading: at the last of them C(q)
 * or more is on board; unloading: at the first. So C(q) <= q for every q; and if that holds, the order
 * of ascending limits (unloading: descending) is feasible: this test is exact. */

static void add_drafts(const ucpo_instance *inst, const int32_t *by_limit, size_t count,
                       double cargo, ucpo_explanation *out)
{
    const ucpo_instance_data *d = &inst->data;
    double limit = d->limit[by_limit[count - 1]];
    int32_t *ids = explain_room(out, count, sizeof *ids);
    if (!ids) return;
    memcpy(ids, by_limit, count * sizeof *ids);
    explain_sort(ids, count);
    char list[EXPLAIN_LIST];
    explain_add(out, UCPO_REASON_LIMITS, ids, count, (struct numbers){cargo, limit},
                "%s have draft limits of at most %.10g, but %s %.10g together: whichever comes %s "
                "sees a draft of at least that, %.6g too much",
                explain_list(list, ids, count), limit,
                d->draft == UCPO_DRAFT_LOAD ? "load" : "receive", cargo,
                d->draft == UCPO_DRAFT_LOAD ? "last" : "first", cargo - limit);
}

static void add_single_ports(const ucpo_instance *inst, ucpo_explanation *out)
{
    const ucpo_instance_data *d = &inst->data;
    double total = inst->total_demand;
    if (total > load_room(inst, d->limit[0]))
        explain_add(
            out, UCPO_REASON_LIMIT, (const int32_t[]){0}, 1, (struct numbers){total, d->limit[0]},
            "the depot's draft limit is %.10g, but all cargo together is %.10g, %.6g too much",
            d->limit[0], total, total - d->limit[0]);
    for (int32_t i = 1; i < d->n; i++)
        if (d->demand[i] > load_room(inst, d->limit[i]))
            explain_add(out, UCPO_REASON_LIMIT, &i, 1, (struct numbers){d->demand[i], d->limit[i]},
                        "customer %d has a draft limit of %.10g, but its own demand is %.10g, %.6g "
                        "too much",
                        (int)i, d->limit[i], d->demand[i], d->demand[i] - d->limit[i]);
}

void prove_drafts(const ucpo_instance *inst, ucpo_explanation *out)
{
    const ucpo_instance_data *d = &inst->data;
    add_single_ports(inst, out);
    if (out->count > 0) return;
    int32_t *ids = explain_room(out, (size_t)d->n, sizeof *ids);
    if (!ids) return;
    size_t count = bounds_rank(d->n, NULL, d->limit, (size_t)d->n, ids, out);
    double cargo = 0.0;
    for (size_t k = 0; k < count && out->count == 0; k++) {
        cargo += d->demand[ids[k]];
        if (cargo > load_room(inst, d->limit[ids[k]])) add_drafts(inst, ids, k + 1, cargo, out);
    }
}

/* ---- capacity ---- */

static int compare_descending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Vehicles needed for `amount`, rounding in their favour. */
static double vehicles_for(double amount, double room)
{
    return amount > 0.0 ? ceil(amount / room - 1e-9) : 0.0;
}

/* L2 of Martello and Toth (1990): demands above half the capacity ride alone; those of at least
 * `least` find room only beside the ones that leave enough. `size` is sorted in descending order. */
static double pack_bound(const double *size, const double *prefix, size_t count, double room)
{
    size_t halves = 0;
    while (halves < count && size[halves] > room / 2.0) halves++;
    double best = 0.0;
    for (size_t k = count; k > halves; k--) { /* least = size[k - 1], ascending */
        double least = size[k - 1];
        size_t low = 0, high = halves;
        while (low < high) { /* first that leaves room for `least` */
            size_t mid = (low + high) / 2;
            if (size[mid] > room - least)
                low = mid + 1;
            else
                high = mid;
        }
        size_t giants = low;
        double large = prefix[halves] - prefix[giants], small = prefix[k] - prefix[halves];
        double rest = small - ((double)(halves - giants) * room - large);
        best = fmax(best, (double)halves + vehicles_for(rest, room));
    }
    return fmax(best, (double)halves);
}

/* Least number of vehicles by volume and by packing; 0 after a failure. */
static int count_vehicles(const ucpo_instance *inst, double *by_volume, double *by_packing,
                          size_t *halves, ucpo_explanation *out)
{
    size_t n = (size_t)inst->data.n, count = n - 1;
    double *size = explain_room(out, n, sizeof *size), room = load_room(inst, inst->data.capacity);
    double *prefix = explain_room(out, n, sizeof *prefix);
    if (out->status) return 0;
    for (size_t i = 0; i < count; i++) size[i] = load_counted(inst, (int32_t)i + 1);
    qsort(size, count, sizeof *size, compare_descending);
    for (size_t i = 0; i < count; i++) prefix[i + 1] = prefix[i] + size[i];
    *by_volume = vehicles_for(prefix[count], room);
    *by_packing = pack_bound(size, prefix, count, room);
    for (*halves = 0; *halves < count && size[*halves] > room / 2.0;) (*halves)++;
    return 1;
}

static void add_large_demands(const ucpo_instance *inst, ucpo_explanation *out)
{
    const ucpo_instance_data *d = &inst->data;
    for (int32_t i = 1; i < d->n; i++)
        if (load_counted(inst, i) > load_room(inst, d->capacity))
            explain_add(out, UCPO_REASON_DEMAND, &i, 1, (struct numbers){d->demand[i], d->capacity},
                        "customer %d has a demand of %.10g, %.6g more than a vehicle holds (%.10g)",
                        (int)i, d->demand[i], d->demand[i] - d->capacity, d->capacity);
}

void prove_packing(const ucpo_instance *inst, ucpo_explanation *out)
{
    const ucpo_instance_data *d = &inst->data;
    int32_t fleet = fleet_of(inst);
    double volume, packing;
    size_t halves;
    add_large_demands(inst, out);
    if (out->count > 0 || fleet <= 0 || !count_vehicles(inst, &volume, &packing, &halves, out))
        return;
    if (volume > fleet)
        explain_add(
            out, UCPO_REASON_FLEET_LOAD, NULL, 0, (struct numbers){volume, fleet},
            "all demands together are %.10g, which takes at least %.0f vehicles of capacity "
            "%.10g; there %s %d (%.6g too much to load)",
            inst->total_demand, volume, d->capacity, fleet == 1 ? "is" : "are", (int)fleet,
            inst->total_demand - fleet * d->capacity);
    else if (packing > fleet)
        explain_add(out, UCPO_REASON_FLEET_PACK, NULL, 0, (struct numbers){packing, fleet},
                    "the demands cannot be packed into the fleet: %zu of them are above half the "
                    "capacity %.10g and cannot share a vehicle, and with the others it takes at "
                    "least %.0f vehicles; there %s %d",
                    halves, d->capacity, packing, fleet == 1 ? "is" : "are", (int)fleet);
}
