#include "cli/solve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/check_report.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "cli/target.h"
#include "cli/verdict.h"
#include "core/text.h"

static const char *end_text(ucpo_solve_end end)
{
    switch (end) {
    case UCPO_SOLVE_FINISHED: return "all candidates looked at";
    case UCPO_SOLVE_TIME: return "the time was up";
    case UCPO_SOLVE_FEASIBLE: return "first feasible plan";
    case UCPO_SOLVE_STOPPED: return "interrupted";
    case UCPO_SOLVE_OPTIMAL: return "optimal, proved";
    case UCPO_SOLVE_INFEASIBLE: return "no plan is feasible: proved";
    }
    return "";
}

void solved_free(struct solved *item)
{
    if (item->is_copy) {
        free((int32_t *)item->solution->nodes);
        free(item->solution);
    } else {
        ucpo_solution_free(item->solution);
    }
    ucpo_explanation_free(item->why.findings);
}

int solved_is_hopeless(const struct solved *item)
{
    return item->why.code == EXIT_PROVED || item->solution->end == UCPO_SOLVE_INFEASIBLE;
}

static const char *why_hopeless(const struct solved *item)
{
    if (item->why.code != EXIT_PROVED) return "all orders of the customers were tried";
    return ucpo_explanation_at(item->why.findings, 0)->text;
}

/* How far the plan can be from the best one. */
static void report_bound(FILE *out, const struct solved *item)
{
    const ucpo_solution *s = item->solution;
    char bound[NUMBER_MAX];
    if (s->bound <= 0.0 || !s->evaluation.is_feasible || s->end == UCPO_SOLVE_OPTIMAL) return;
    int decimals = number_decimals(ucpo_instance_view(item->inst)->unit);
    const char *note = ucpo_claim_note(item->inst, UCPO_CLAIM_OPTIMAL);
    report_line(out, "bound", "no plan costs less than %s: at most %.1f %% to gain%s%s",
                number_fixed(bound, s->bound, decimals),
                100.0 * (1.0 - s->bound / s->evaluation.cost), note[0] ? "; " : "", note);
}

/* Its file; NULL: none decoded anything, for want of one, of time, or since there are too many nodes. */
static const char *model_of(const struct solved *item)
{
    return item->solution->images > 0 ? item->model : NULL;
}

int solve_text_one(FILE *out, const struct solved *item, int asked_rounding)
{
    const ucpo_solution *s = item->solution;
    report_line(out, "model", "%s", model_of(item) ? target_name(item->model) : "none");
    report_line(out, "candidates", "%lld, %lld distinct, %lld feasible; seed %llu",
                (long long)s->candidates, (long long)s->distinct, (long long)s->feasible,
                (unsigned long long)item->seed);
    if (s->searches > 0) {
        const ucpo_instance_data *data = ucpo_instance_view(item->inst);
        char before[NUMBER_MAX];
        report_line(out, "refined", "%lld local search%s, %s%s", (long long)s->searches,
                    s->searches == 1 ? "" : "es",
                    isnan(s->start_cost) ? s->searches == 1 ? "no feasible plan before"
                                                            : "no feasible plan before them"
                                         : "best plan before ",
                    isnan(s->start_cost)
                        ? ""
                        : number_fixed(before, s->start_cost, number_decimals(data->unit)));
    }
    const char *note =
        s->end == UCPO_SOLVE_OPTIMAL      ? ucpo_claim_note(item->inst, UCPO_CLAIM_OPTIMAL)
        : s->end == UCPO_SOLVE_INFEASIBLE ? ucpo_claim_note(item->inst, UCPO_CLAIM_INFEASIBLE)
                                          : "";
    report_line(out, "search", "%.3f s, %s%s%s", s->seconds, end_text(s->end), note[0] ? "; " : "",
                note);
    report_bound(out, item);
    struct checked checked = {
        .inst = item->inst,
        .index = item->index,
        .plan = {.nodes = s->nodes, .len = s->len, .stated_cost = (double)NAN},
        .eval = s->evaluation};
    int code = report_one(out, &checked, asked_rounding);
    if (code || s->evaluation.is_feasible) return code;
    fputc('\n', out);
    if (item->why.findings)
        explain_print_findings(out, &item->why);
    else
        report_line(out, "reasons", "not looked for; see --explain, and 'ucpo explain'");
    return EXIT_DONE;
}

void solve_announce(const char *path, const struct solved *items, size_t count)
{
    char text[NUMBER_MAX], unit[24], verdict[PLAN_VERDICT];
    size_t bad = 0, tolerated = 0, changed = 0;
    for (size_t i = 0; i < count; i++) {
        changed += ucpo_instance_reading(items[i].inst) != UCPO_READ_WHOLE;
        bad += !items[i].solution->evaluation.is_feasible;
        tolerated += items[i].solution->evaluation.is_tolerated != 0;
    }
    if (count > 1 && bad > 0)
        message_alarm("%s: %zu plans, %zu INFEASIBLE", path, count, bad);
    else if (count > 1 && tolerated > 0)
        message_result("%s: %zu plans, all feasible, %zu of them within tolerance", path, count,
                       tolerated);
    else if (count > 1)
        message_result("%s: %zu plans, all feasible", path, count);
    if (count > 1 && changed > 0)
        message_alarm("%s: %zu of the instances are not what their files say (left out: see above)",
                      path, changed);
    if (count != 1) return;
    const ucpo_evaluation *e = &items[0].solution->evaluation;
    const char *many = e->routes == 1 ? "" : "s";
    int decimals = number_decimals(ucpo_instance_view(items[0].inst)->unit);
    const char *cost = number_fixed(text, e->cost, decimals);
    const char *of = cost_unit_text(ucpo_instance_view(items[0].inst), unit);
    plan_verdict(items[0].inst, e, "feasible", "INFEASIBLE", verdict, sizeof verdict);
    if (e->is_feasible)
        message_result("%s: cost %s%s, %d route%s, %s", path, cost, of, (int)e->routes, many,
                       verdict);
    else
        message_alarm("%s: cost %s%s, %d route%s, %s", path, cost, of, (int)e->routes, many,
                      verdict);
}

void solve_say_why(const struct solved *items, size_t count)
{
    enum { SAID = 5 };

    size_t bad = 0;
    for (size_t i = 0; i < count; i++) {
        const struct solved *item = &items[i];
        char which[40] = "", why[1000] = "why was not looked for; see --explain";
        if (item->solution->evaluation.is_feasible || bad++ >= SAID) continue;
        if (item->is_set) snprintf(which, sizeof which, ", instance %zu", item->index);
        if (item->why.findings) explain_in_short(&item->why, why, sizeof why);
        const char *note = ucpo_claim_note(item->inst, UCPO_CLAIM_INFEASIBLE);
        if (note[0]) text_append(why, sizeof why, "; ", "%s", note);
        message_alarm("%s%s: %s", item->file, which, why);
    }
    if (bad > SAID) message_alarm("and %zu more plans are infeasible", bad - SAID);
}

static void add_row(struct table *table, const struct solved *item)
{
    const ucpo_solution *s = item->solution;
    const ucpo_instance_data *data = ucpo_instance_view(item->inst);
    char text[NUMBER_MAX];
    if (item->is_set)
        table_add(table, "%.100s:%zu", target_name(item->file), item->index);
    else
        table_add(table, "%.120s", target_name(item->file));
    table_add(table, "%d", (int)data->n);
    table_add(table, "%d", (int)s->evaluation.routes);
    table_add(table, "%s", number_fixed(text, s->evaluation.cost, number_decimals(data->unit)));
    const char *note = ucpo_claim_note(
        item->inst, s->evaluation.is_feasible ? UCPO_CLAIM_FEASIBLE : UCPO_CLAIM_INFEASIBLE);
    table_add(table, "%s%s",
              s->evaluation.is_tolerated  ? "within tolerance"
              : s->evaluation.is_feasible ? "yes"
              : solved_is_hopeless(item)  ? "never: proved"
                                          : "no",
              note[0] ? " (as read)" : "");
    table_add(table, "%lld", (long long)s->candidates);
    table_add(table, "%lld", (long long)s->feasible);
    table_add(table, "%.3f", s->seconds);
}

static void put_proofs(FILE *out, const struct solved *items, size_t count)
{
    fputs("\nWhy no plan can be feasible:\n", out);
    for (size_t i = 0; i < count; i++) {
        if (!solved_is_hopeless(&items[i])) continue;
        fprintf(out, "  - %s", target_name(items[i].file));
        if (items[i].is_set) fprintf(out, ":%zu", items[i].index);
        fprintf(out, ": %s", why_hopeless(&items[i]));
        print_claim_note(out, items[i].inst, UCPO_CLAIM_INFEASIBLE);
        fputc('\n', out);
    }
}

int solve_text_set(FILE *out, const struct solved *items, size_t count)
{
    struct table table = {.columns = 8,
                          .left = 1u << 0 | 1u << 4,
                          .heads = {"instance", "n", "routes", "cost", "feasible", "candidates",
                                    "feasible ones", "seconds"}};
    size_t feasible = 0, proved = 0;
    struct excess excess = {0};
    double cost = 0.0, normalised = 0.0, seconds = 0.0, all = 0.0, good = 0.0;
    for (size_t i = 0; i < count; i++) {
        const ucpo_solution *s = items[i].solution;
        add_row(&table, &items[i]);
        seconds += s->seconds;
        all += (double)s->candidates;
        good += (double)s->feasible;
        proved += solved_is_hopeless(&items[i]);
        if (!s->evaluation.is_feasible) continue;
        feasible++;
        excess_add(&excess, &s->evaluation);
        cost += s->evaluation.cost;
        normalised += s->evaluation.cost / ucpo_instance_view(items[i].inst)->unit;
    }
    if (!table_print(&table, out)) return EXIT_INTERNAL;
    char text[NUMBER_MAX];
    double many = (double)count, solved = (double)feasible;
    fputc('\n', out);
    report_line(out, "instances", "%zu", count);
    report_line(out, "infeasible", "%.2f %% of the instances, %.2f %% of the candidates",
                100.0 * (many - solved) / many, 100.0 * (all - good) / all);
    report_excess(out, &excess);
    if (proved > 0) report_line(out, "proved", "%zu without any feasible plan", proved);
    if (feasible > 0) {
        report_line(out, "mean cost", "%s (feasible plans)", number_fixed(text, cost / solved, 5));
        report_line(out, "mean / unit", "%s", number_fixed(text, normalised / solved, 5));
    } else {
        report_line(out, "mean cost", "- (no feasible plan)");
    }
    report_line(out, "seconds", "%.3f on average", seconds / many);
    size_t changed = 0;
    for (size_t i = 0; i < count; i++)
        changed += ucpo_instance_reading(items[i].inst) != UCPO_READ_WHOLE;
    report_changed(out, changed);
    if (proved > 0) put_proofs(out, items, count);
    return EXIT_DONE;
}

static void put_facts(FILE *out, const struct solved *item, int is_one_of_many)
{
    const ucpo_solution *s = item->solution;
    static const char *const ends[] = {"finished",    "time",    "feasible",
                                       "interrupted", "optimal", "infeasible"};
    int is_first = 1;
    fputc('{', out);
    if (is_one_of_many) put_json_text(out, &is_first, "file", item->file);
    put_json_text(out, &is_first, "model", model_of(item));
    put_json_key(out, &is_first, "seed");
    fprintf(out, "%llu", (unsigned long long)item->seed);
    put_json_value(out, &is_first, "candidates", (double)s->candidates);
    put_json_value(out, &is_first, "distinct", (double)s->distinct);
    put_json_value(out, &is_first, "feasible", (double)s->feasible);
    put_json_value(out, &is_first, "rounds", (double)s->rounds);
    put_json_value(out, &is_first, "images", s->images);
    put_json_value(out, &is_first, "searches", (double)s->searches);
    put_json_value(out, &is_first, "start_cost", s->start_cost);
    put_json_key(out, &is_first, "seconds");
    fprintf(out, "%.3f", s->seconds);
    put_json_text(out, &is_first, "end", ends[s->end]);
    int is_bounded = s->bound > 0.0 || s->end == UCPO_SOLVE_OPTIMAL;
    put_json_value(out, &is_first, "bound", is_bounded ? s->bound : (double)NAN);
    if (item->inst) put_json_reading(out, &is_first, item->inst);
    if (item->why.findings) {
        put_json_key(out, &is_first, "explanation");
        explain_put_item(out, &item->why);
    }
    fputc('}', out);
}

void solve_json_facts(FILE *out, const struct solved *items, size_t count)
{
    if (count == 1) {
        put_facts(out, items, 0);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ",\n    " : "[\n    ", out);
        put_facts(out, &items[i], 1);
    }
    fputs("]", out);
}
