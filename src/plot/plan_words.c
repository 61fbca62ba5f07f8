/* What a plan is like, in words and numbers. */
#include "plot/plan.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "core/text.h"

const char *plot_number(double value, int decimals, char buf[32])
{
    if (!isfinite(value)) {
        snprintf(buf, 32, "%s", isnan(value) ? "-" : value > 0 ? "none" : "-none");
        return buf;
    }
    long long power = 1;
    for (int i = 0; i < decimals; i++) power *= 10;
    if (fabs(value) >= 1e14) {
        long long whole = llround(value / 1e12);
        snprintf(buf, 32, "%llde12", whole);
        return buf;
    }
    long long number = llround(value * (double)power);
    long long rest = llabs(number) % power;
    int length = snprintf(buf, 32, "%s%lld", number < 0 ? "-" : "", llabs(number) / power);
    if (rest == 0) return buf;
    while (rest % 10 == 0) {
        rest /= 10;
        decimals--;
    }
    snprintf(buf + length, 32 - (size_t)length, ".%0*lld", decimals, rest);
    return buf;
}

const char *plot_time(const struct plot_plan *plan, double time, char buf[32])
{
    if (isnan(time) || !ucpo_clock_text(plan->inst, time, 0, buf, 32)[0])
        return plot_number(time, plan->decimals, buf);
    if (isinf(time)) snprintf(buf, 32, "none");
    return buf;
}

int plot_time_decimals(const struct plot_plan *plan)
{
    return plan->data->clock > 0.0 ? 1 : plan->decimals;
}

const char *plot_node(const struct plot_plan *plan, int32_t node, char buf[PLOT_WORDS])
{
    const ucpo_instance_data *d = plan->data;
    char id[160];
    int has_name = d->label && node >= 0 && node < d->n && d->label[node][0];
    snprintf(buf, PLOT_WORDS, "%s%s%s%s", ucpo_node_text(plan->inst, node, id, sizeof id),
             has_name ? " (" : "", has_name ? d->label[node] : "", has_name ? ")" : "");
    return buf;
}

static void append_count(char buf[PLOT_WORDS], long count, const char *one, const char *many)
{
    if (count) text_append(buf, PLOT_WORDS, ", ", "%ld %s", count, count == 1 ? one : many);
}

/* Amounts of a violation keep six digits: small ones must not look like nothing. */
static const char *amount(double value, char buf[32])
{
    int decimals = value >= 1000.0 ? 1 : value >= 1.0 ? 4 : 6;
    if (plot_number(value, decimals, buf)[0] != '0' || strcmp(buf, "0") != 0) return buf;
    snprintf(buf, 32, "less than 0.000001");
    return buf;
}

const char *plot_plan_words(const struct plot_plan *plan, char buf[PLOT_WORDS])
{
    const ucpo_evaluation *e = &plan->report.eval;
    char text[32];
    buf[0] = '\0';
    if (e->late_count)
        text_append(buf, PLOT_WORDS, ", ", "late %s in all at %d stop%s", amount(e->late_sum, text),
                    (int)e->late_count, e->late_count == 1 ? "" : "s");
    if (e->over_count)
        text_append(buf, PLOT_WORDS, ", ", "%s %s in all at %d stop%s",
                    plan->data->limit ? "too deep by" : "overloaded by", amount(e->over_sum, text),
                    (int)e->over_count, e->over_count == 1 ? "" : "s");
    append_count(buf, e->vehicles_over, "vehicle too many", "vehicles too many");
    append_count(buf, e->missing, "customer missing", "customers missing");
    append_count(buf, e->duplicates, "customer visited twice", "repeated visits");
    append_count(buf, e->unknown, "unknown node", "unknown nodes");
    append_count(buf, e->blocked, "leg without a way", "legs without a way");
    return buf;
}

const char *plot_plan_note(const struct plot_plan *plan)
{
    int is_feasible = plan->report.eval.is_feasible;
    return ucpo_claim_note(plan->report.inst,
                           is_feasible ? UCPO_CLAIM_FEASIBLE : UCPO_CLAIM_INFEASIBLE);
}

const char *plot_plan_verdict(const struct plot_plan *plan, char buf[PLOT_WORDS])
{
    const ucpo_evaluation *e = &plan->report.eval;
    char words[PLOT_WORDS], most[NUMBER_SIZE], excess[NUMBER_SIZE];
    int is_time = e->late_max > 0.0;
    if (!e->is_feasible)
        snprintf(buf, PLOT_WORDS, "infeasible: %.400s", plot_plan_words(plan, words));
    else if (e->is_tolerated)
        snprintf(buf, PLOT_WORDS, "feasible within tolerance %s: largest excess %s in %s",
                 number_write(most, is_time ? e->tolerance : e->load_tolerance),
                 number_write(excess, is_time ? e->late_max : e->over_max),
                 is_time ? "time" : "load");
    else
        snprintf(buf, PLOT_WORDS, "feasible");
    const char *note = plot_plan_note(plan);
    if (note[0]) text_append(buf, PLOT_WORDS, "; ", "%s", note);
    return buf;
}

const char *plot_stop_words(const struct plot_plan *plan, size_t stop, char buf[PLOT_WORDS])
{
    const ucpo_stop *s = &plan->stops[stop];
    char text[32];
    buf[0] = '\0';
    if (s->is_unknown) text_append(buf, PLOT_WORDS, ", ", "unknown node");
    if (s->is_duplicate) text_append(buf, PLOT_WORDS, ", ", "visited before");
    if (s->is_blocked) text_append(buf, PLOT_WORDS, ", ", "no way");
    if (s->late > 0.0) text_append(buf, PLOT_WORDS, ", ", "late %s", amount(s->late, text));
    if (s->over > 0.0) text_append(buf, PLOT_WORDS, ", ", "over %s", amount(s->over, text));
    return buf;
}

const char *plot_stop_title(const struct plot_plan *plan, size_t stop, char buf[PLOT_WORDS])
{
    const ucpo_instance_data *d = plan->data;
    const ucpo_stop *s = &plan->stops[stop];
    char a[32], b[32], words[PLOT_WORDS];
    int decimals = plot_time_decimals(plan);
    buf[0] = '\0';
    if (plot_stop_is_return(plan, stop))
        text_append(buf, PLOT_WORDS, "", "vehicle %d, return to the depot", (int)s->route);
    else
        text_append(buf, PLOT_WORDS, "", "vehicle %d, stop %d: customer %s", (int)s->route,
                    (int)plan->number[stop], plot_node(plan, s->node, words));
    if (!s->is_unknown)
        text_append(buf, PLOT_WORDS, ", ", "arrives %s", plot_time(plan, s->arrive, a));
    if (!s->is_unknown && d->due)
        text_append(buf, PLOT_WORDS, ", ", "window %s to %s", plot_time(plan, d->ready[s->node], a),
                    plot_time(plan, d->due[s->node], b));
    if (s->wait > 0.0)
        text_append(buf, PLOT_WORDS, ", ", "waits %s", plot_number(s->wait, decimals, a));
    if (!s->is_unknown && d->limit)
        text_append(buf, PLOT_WORDS, ", ", "draft %s of %s", plot_number(s->load, 4, a),
                    plot_number(d->limit[s->node], 4, b));
    else if (!s->is_unknown && d->demand)
        text_append(buf, PLOT_WORDS, ", ", "load %s of %s", plot_number(s->load, 4, a),
                    plot_number(d->capacity, 4, b));
    if (plot_stop_is_violated(plan, stop))
        text_append(buf, PLOT_WORDS, ". ", "VIOLATED: %s", plot_stop_words(plan, stop, words));
    return buf;
}

const char *plot_plan_name(const struct plot_plan *plan, char buf[PLOT_WORDS])
{
    const ucpo_instance_data *d = plan->data;
    if (d->name && d->name[0])
        snprintf(buf, PLOT_WORDS, "%s", d->name);
    else
        snprintf(buf, PLOT_WORDS, "%s, %d customer%s", d->problem, (int)d->n - 1,
                 d->n == 2 ? "" : "s");
    return buf;
}

const char *plot_plan_sentence(const struct plot_plan *plan, char buf[PLOT_WORDS])
{
    const ucpo_evaluation *e = &plan->report.eval;
    char words[PLOT_WORDS], cost[32];
    snprintf(buf, PLOT_WORDS,
             "Plan with %d route%s for %d customer%s of a %s instance, cost %s%s%s, ",
             (int)e->routes, e->routes == 1 ? "" : "s", (int)plan->data->n - 1,
             plan->data->n == 2 ? "" : "s", plan->data->problem,
             plot_number(e->cost, plan->decimals, cost), plan->data->cost_unit ? " " : "",
             plan->data->cost_unit ? plan->data->cost_unit : "");
    text_append(buf, PLOT_WORDS, "", "%s.", plot_plan_verdict(plan, words));
    return buf;
}

/* ---- facts ---- */

static void add_fact(struct plot_fact *facts, size_t *count, const char *key, const char *format,
                     ...) __attribute__((format(printf, 4, 5)));

static void add_fact(struct plot_fact *facts, size_t *count, const char *key, const char *format,
                     ...)
{
    va_list arguments;
    if (*count == PLOT_FACTS) return;
    struct plot_fact *fact = &facts[(*count)++];
    snprintf(fact->key, sizeof fact->key, "%s", key);
    va_start(arguments, format);
    vsnprintf(fact->value, sizeof fact->value, format, arguments);
    va_end(arguments);
}

static void add_costs(const struct plot_plan *plan, struct plot_fact *facts, size_t *count)
{
    const ucpo_instance_data *d = plan->data;
    double cost = plan->report.eval.cost, stated = plan->report.plan.stated_cost;
    char text[32], more[32];
    add_fact(facts, count, "cost", "%s%s%s", plot_number(cost, plan->decimals, text),
             d->cost_unit ? " " : "", d->cost_unit ? d->cost_unit : "");
    double without = cost - d->file->service_in_cost;
    if (d->file->service_in_cost > 0.0)
        add_fact(facts, count, "without service", "%s", plot_number(without, plan->decimals, text));
    if (!isnan(stated) && fabs(stated - cost) > fmax(1e-4 * d->unit, 1e-6 * fabs(cost)) &&
        fabs(stated - without) > fmax(1e-4 * d->unit, 1e-6 * fabs(cost)))
        add_fact(facts, count, "stated cost", "%s (differs)",
                 plot_number(stated, plan->decimals, text));
    if (!isnan(d->best_known) && d->best_known > 0.0)
        add_fact(facts, count, "best known", "%s, gap %s %%",
                 plot_number(d->best_known, plan->decimals, text),
                 plot_number(100.0 * (without / d->best_known - 1.0), 2, more));
}

static void add_excess(const ucpo_evaluation *e, struct plot_fact *facts, size_t *count)
{
    char text[NUMBER_SIZE];
    if (e->late_max > 0.0 || e->over_max <= 0.0)
        add_fact(facts, count, "largest excess", "%s%s", number_write(text, e->late_max),
                 e->late_max > 0.0 ? " in time" : "");
    if (e->over_max > 0.0)
        add_fact(facts, count, "largest excess", "%s in load", number_write(text, e->over_max));
}

/* Where the lengths come from, and how they are rounded. */
static void add_distances(const ucpo_instance_data *d, struct plot_fact *facts, size_t *count)
{
    static const char *const roundings[] = {"not rounded", "not rounded", "nearest whole",  "up",
                                            "down",        "one decimal", "x 1000, nearest"};
    if (d->cost)
        add_fact(facts, count, "distances", "matrix, as given");
    else if (d->metric == UCPO_METRIC_GEO)
        add_fact(facts, count, "distances", "geo: whole kilometres");
    else if (d->metric == UCPO_METRIC_ATT)
        add_fact(facts, count, "distances", "ATT: whole numbers");
    else
        add_fact(facts, count, "distances", "%s", roundings[d->rounding]);
}

size_t plot_plan_facts(const struct plot_plan *plan, struct plot_fact facts[PLOT_FACTS])
{
    const ucpo_instance_data *d = plan->data;
    const ucpo_evaluation *e = &plan->report.eval;
    size_t count = 0;
    char text[32];
    add_costs(plan, facts, &count);
    add_fact(facts, &count, "problem", "%s", d->problem);
    add_fact(facts, &count, "customers", "%d", (int)d->n - 1);
    if (d->demand && !d->limit && d->vehicles > 0)
        add_fact(facts, &count, "vehicles", "%d used, %d allowed", (int)e->routes,
                 (int)d->vehicles);
    else if (d->demand && !d->limit)
        add_fact(facts, &count, "vehicles", "%d", (int)e->routes);
    if (d->demand && !d->limit)
        add_fact(facts, &count, "capacity", "%s", plot_number(d->capacity, 4, text));
    if (d->limit)
        add_fact(facts, &count, "draft", "%s",
                 d->draft == UCPO_DRAFT_LOAD ? "loads; after pick-up" : "unloads; on arrival");
    add_distances(d, facts, &count);
    add_fact(facts, &count, "last return", "%s", plot_time(plan, e->duration, text));
    if (d->due)
        add_fact(facts, &count, "waiting", "%s%s",
                 plot_number(e->wait, plot_time_decimals(plan), text),
                 d->clock == 60.0 ? " min" : "");
    if (d->speed > 0.0 && d->clock > 0.0)
        add_fact(facts, &count, "speed", "%s km/h",
                 plot_number(3600.0 * d->speed / d->clock, 2, text));
    add_fact(facts, &count, "tolerance", "%s", number_write(text, d->tolerance));
    add_excess(e, facts, &count);
    return count;
}
