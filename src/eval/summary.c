/* Records in numbers: rates, means and gaps. */
#include "core/status.h"

#include <math.h>

static ucpo_status check_reference(const double *reference, size_t count, ucpo_error *err)
{
    for (size_t i = 0; reference && i < count; i++)
        if (!isnan(reference[i]) && (!isfinite(reference[i]) || reference[i] <= 0.0))
            return status_argument(err,
                                   "reference cost %zu is %g, expected a positive number or NaN", i,
                                   reference[i]);
    return UCPO_OK;
}

/* NaN if there is nothing to divide by. */
static double ratio(double sum, size_t count)
{
    return count > 0 ? sum / (double)count : (double)NAN;
}

static void count_up(const ucpo_eval_record *records, size_t count, ucpo_eval_summary *s)
{
    double objective = 0.0, cost = 0.0, first = 0.0, seconds = 0.0;
    size_t first_feasible = 0;
    for (size_t i = 0; i < count; i++) {
        const ucpo_eval_record *r = &records[i];
        if (r->candidates == 0) continue; /* not reached */
        s->instances++;
        s->candidates += (size_t)r->candidates;
        s->feasible_candidates += (size_t)r->feasible;
        s->feasible_instances += r->is_feasible != 0;
        s->disputed += r->is_disputed != 0;
        if (r->is_feasible) {
            s->tolerated += r->is_tolerated != 0;
            s->late_max = fmax(s->late_max, r->late_max);
            s->over_max = fmax(s->over_max, r->over_max);
        }
        first_feasible += r->first_is_feasible != 0;
        objective += r->is_feasible ? r->objective : 0.0;
        cost += r->is_feasible ? r->cost : 0.0;
        first += r->first_is_feasible ? r->first_objective : 0.0;
        seconds += r->decode_seconds + r->refine_seconds;
    }
    count = s->instances;
    s->infeasible_instances = ratio((double)(count - s->feasible_instances), count);
    s->infeasible_solutions =
        ratio((double)(s->candidates - s->feasible_candidates), s->candidates);
    s->mean_objective = ratio(objective, s->feasible_instances);
    s->mean_cost = ratio(cost, s->feasible_instances);
    s->first_infeasible = ratio((double)(count - first_feasible), count);
    s->first_objective = ratio(first, first_feasible);
    s->cpu_seconds = ratio(seconds, count);
}

/* Only instances that have a reference (not NaN) are looked at. */
static void compare(const ucpo_eval_record *records, size_t count, const double *reference,
                    const uint8_t *common, ucpo_eval_summary *s)
{
    double all = 0.0, gaps = 0.0, ours = 0.0, theirs = 0.0, common_ours = 0.0;
    size_t given = 0, solved = 0, shared = 0;
    for (size_t i = 0; i < count; i++) {
        const ucpo_eval_record *r = &records[i];
        if (isnan(reference[i]) || r->candidates == 0) continue;
        given++;
        all += reference[i];
        if (!r->is_feasible) continue;
        solved++;
        gaps += 100.0 * (r->objective - reference[i]) / reference[i];
        ours += r->objective;
        if (common && !common[i]) continue;
        shared++;
        theirs += reference[i];
        common_ours += r->objective;
    }
    s->mean_reference = ratio(all, given);
    s->gap_mean = ratio(gaps, solved);
    s->gap_ratio = 100.0 * (ratio(ours, solved) / s->mean_reference - 1.0);
    s->gap_common = 100.0 * (ratio(common_ours, shared) / ratio(theirs, shared) - 1.0);
}

ucpo_status ucpo_eval_summarise(const ucpo_eval_record *records, size_t count,
                                const double *reference, const uint8_t *common,
                                ucpo_eval_summary *out, ucpo_error *err)
{
    if (!out || (!records && count > 0))
        return status_argument(err, "records and out must not be NULL");
    ucpo_status st = check_reference(reference, count, err);
    if (st) return st;
    ucpo_eval_summary s = {
        .mean_reference = NAN, .gap_mean = NAN, .gap_ratio = NAN, .gap_common = NAN};
    count_up(records, count, &s);
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        if (!records[i].is_feasible || (common && !common[i])) continue;
        s.common++;
        sum += records[i].objective;
    }
    s.common_objective = ratio(sum, s.common);
    if (reference) compare(records, count, reference, common, &s);
    *out = s;
    return UCPO_OK;
}
