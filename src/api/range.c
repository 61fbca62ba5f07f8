/* Whether an instance looks like what a model was trained on. The training's distribution is not stored:
 * some instances of its levels (fact "train.level") are drawn anew, of the instance's own size, and a
 * few plain statistics compared. Far outside is what is more than FACTOR beyond all of them. */
#include "api/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PROBES = 12, MOST_NODES = 500 };

#define FACTOR 2.5

enum statistic { WINDOW, DEMAND, LIMIT, LIMITED, STATISTICS };

static const char *const words[STATISTICS] = {
    "mean width of windows, as a share of the day,", "mean demand, as a share of a vehicle,",
    "mean draft limit, as a share of the cargo,", "share of ports with a limit below the cargo"};

/* NaN: the instance has no such thing. */
static void measure(const ucpo_instance *inst, double out[STATISTICS])
{
    const ucpo_instance_data *d = &inst->data;
    double low = HUGE_VAL, high = -HUGE_VAL, width = 0.0, demand = 0.0, limits = 0.0, below = 0.0;
    int32_t n = d->n, windows = 0;
    for (int k = 0; k < STATISTICS; k++) out[k] = (double)NAN;
    for (int32_t i = 1; i < n; i++) {
        if (d->demand) demand += d->demand[i];
        if (!d->ready || !d->due || !isfinite(d->due[i])) continue;
        windows++;
        width += d->due[i] - d->ready[i];
        low = fmin(low, d->ready[i]);
        high = fmax(high, d->due[i]);
    }
    if (windows > 0 && high > low) out[WINDOW] = width / windows / (high - low);
    if (d->demand && !d->limit && d->capacity > 0.0) out[DEMAND] = demand / (n - 1) / d->capacity;
    for (int32_t i = 1; d->limit && i < n; i++) {
        limits += fmin(d->limit[i], demand);
        below += d->limit[i] < demand;
    }
    if (!d->limit || demand <= 0.0) return;
    out[LIMIT] = limits / (n - 1) / demand;
    out[LIMITED] = below / (n - 1);
}

/* The smallest and largest values among fresh instances of the levels in `levels`. */
static int probe(const ucpo_instance *inst, const char *levels, double low[STATISTICS],
                 double high[STATISTICS])
{
    ucpo_generate_config g = ucpo_generate_config_default();
    char level[32];
    int drawn = 0;
    for (int k = 0; k < STATISTICS; k++) low[k] = HUGE_VAL, high[k] = -HUGE_VAL;
    g.problem = inst->ops->info.name, g.count = PROBES, g.threads = 1, g.seed = 1;
    g.size = inst->data.n - (inst->ops->info.depot_is_extra != 0);
    for (int used = 0; sscanf(levels, " %31[^ ,]%n", level, &used) == 1; levels += used) {
        ucpo_dataset *set = NULL;
        level[strcspn(level, ":")] = '\0'; /* its weight in a mixture */
        g.level = level;
        if (ucpo_generate(&g, &set, NULL))
            return 0; /* another version's level, too small: no word */
        for (size_t i = 0; i < ucpo_dataset_count(set); i++, drawn++) {
            double value[STATISTICS];
            measure(ucpo_dataset_at(set, i), value);
            for (int k = 0; k < STATISTICS; k++) {
                low[k] = fmin(low[k], value[k]); /* NaN is passed over */
                high[k] = fmax(high[k], value[k]);
            }
        }
        ucpo_dataset_free(set);
        levels += strspn(levels + used, " ,");
    }
    return drawn > 0;
}

/* By how many times a value is outside its range, at least 1. */
static double beyond(double value, double low, double high)
{
    if (isnan(value) || low > high) return 1.0;
    double least = 1e-3; /* shares: smaller ones do not differ */
    return fmax(1.0, fmax(low, least) / fmax(value, least)) *
           fmax(1.0, fmax(value, least) / fmax(high, least));
}

/* The range of every statistic, and the instance's values; 0: nothing is known. */
static int compare(const char *levels, const ucpo_instance *inst, double value[STATISTICS],
                   double low[STATISTICS], double high[STATISTICS])
{
    if (!levels || inst->data.n > MOST_NODES || inst->data.n < 5) return 0;
    if (!probe(inst, levels, low, high)) return 0;
    measure(inst, value);
    return 1;
}

int model_is_far(const ucpo_model *model, const ucpo_instance *inst, char *text, size_t size)
{
    double value[STATISTICS], low[STATISTICS], high[STATISTICS];
    if (!compare(ucpo_model_fact(model, "train.level"), inst, value, low, high)) return 0;
    for (int k = 0; k < STATISTICS; k++) {
        if (beyond(value[k], low[k], high[k]) <= FACTOR) continue;
        snprintf(text, size, "%s is %.2g, trained with %.2g to %.2g", words[k], value[k], low[k],
                 high[k]);
        return 1;
    }
    return 0;
}

double model_look_distance(const char *levels, const ucpo_instance *inst)
{
    double value[STATISTICS], low[STATISTICS], high[STATISTICS], product = 1.0;
    if (!compare(levels, inst, value, low, high)) return 0.0;
    for (int k = 0; k < STATISTICS; k++) product *= beyond(value[k], low[k], high[k]);
    return product;
}
