#include "cli/check_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/verdict.h"
#include "core/text.h"

/* A placeholder is no plan: it is counted apart and never enters a mean. An identity order that
 * is feasible is a plan like any other. */
static int checked_is_placeholder(const struct checked *item)
{
    return item->plan.is_placeholder && !item->eval.is_feasible;
}

/* Stated costs are printed with few digits: 1e-4 of a unit-sized leg, or 1e-7 of the cost. */
static int costs_agree(const ucpo_instance_data *data, double a, double b)
{
    double allowed = fmax(1e-4 * fmin(data->unit, 1.0), 1e-7 * fabs(b));
    return fabs(a - b) <= allowed;
}

static int stated_agrees(const struct checked *item)
{
    const ucpo_instance_data *data = ucpo_instance_view(item->inst);
    double stated = item->plan.stated_cost, cost = item->eval.cost;
    return costs_agree(data, stated, cost) ||
           (data->file->service_in_cost > 0.0 &&
            costs_agree(data, stated, cost - data->file->service_in_cost));
}

/* ---- what is wrong, in words ---- */

static const char *stop_violations(const ucpo_stop *stop, char *buf, size_t size)
{
    buf[0] = '\0';
    if (stop->is_unknown) text_append(buf, size, ", ", "unknown node");
    if (stop->is_duplicate) text_append(buf, size, ", ", "duplicate");
    if (stop->is_blocked) text_append(buf, size, ", ", "no way");
    if (stop->late > 0.0) text_append(buf, size, ", ", "late %.6g", stop->late);
    if (stop->over > 0.0) text_append(buf, size, ", ", "over %.6g", stop->over);
    return buf;
}

/* ---- one plan: header ---- */

void report_facts(FILE *out, const ucpo_instance_data *data, int asked_rounding)
{
    const ucpo_problem_info *problem = problem_find(data->problem);
    report_line(out, "problem", "%s (%s)", data->problem, problem ? problem->title : "");
    report_line(out, "instance", "%s", data->name && data->name[0] ? data->name : "(no name)");
    report_line(out, "n", "%d node%s, %d customer%s", (int)data->n, data->n == 1 ? "" : "s",
                (int)data->n - 1, data->n == 2 ? "" : "s");
    if (data->cost)
        report_line(out, "distances", "matrix, as given");
    else
        report_line(out, "distances", "from coordinates%s%s, rounding: %s (%s)",
                    data->metric == UCPO_METRIC_EUCLID ? "" : ", ",
                    data->metric == UCPO_METRIC_EUCLID ? "" : metric_name(data->metric),
                    length_rounding(data->metric, data->rounding),
                    asked_rounding ? "--round" : "as declared");
    if (data->speed > 0.0 && data->clock > 0.0)
        report_line(out, "speed", "%.6g km/h", data->speed * 3600.0 / data->clock);
    else if (data->speed > 0.0)
        report_line(out, "speed", "%.6g%s per unit of time", data->speed,
                    data->metric == UCPO_METRIC_HAVERSINE ? " km" : "");
    report_line(out, "tolerance", "%.6g", data->tolerance);
    report_left_out(out, data);
    if (data->limit)
        report_line(out, "draft", "%s",
                    data->draft == UCPO_DRAFT_LOAD ? "ship loads: draft after each pick-up"
                                                   : "ship unloads: draft on arrival");
}

static void print_costs(FILE *out, const struct checked *item)
{
    const ucpo_instance_data *data = ucpo_instance_view(item->inst);
    char text[NUMBER_MAX], more[NUMBER_MAX], unit[24];
    int decimals = number_decimals(data->unit);
    double cost = item->eval.cost, travel = cost - data->file->service_in_cost;
    if (data->file->service_in_cost > 0.0)
        report_line(out, "cost", "%s (%s without the service times in the matrix)",
                    number_fixed(text, cost, decimals), number_fixed(more, travel, decimals));
    else
        report_line(out, "cost", "%s%s", number_fixed(text, cost, decimals),
                    cost_unit_text(data, unit));
    double stated = item->plan.stated_cost;
    if (!isnan(stated) && stated_agrees(item))
        report_line(out, "stated cost", "%s, agrees", number_fixed(text, stated, decimals));
    else if (!isnan(stated))
        report_line(out, "stated cost", "%s, DIFFERS by %s", number_fixed(text, stated, decimals),
                    number_fixed(more, stated - cost, decimals));
    if (!isnan(data->best_known) && data->best_known > 0.0)
        report_line(out, "best known", "%s, gap %.2f %%",
                    number_fixed(text, data->best_known, decimals),
                    100.0 * (travel / data->best_known - 1.0));
}

/* ---- one plan: stops ---- */

enum stop_columns { SHOW_WINDOW = 1, SHOW_LIMIT = 2, SHOW_LOAD = 4, SHOW_ID = 8, SHOW_NAME = 16 };

static unsigned columns_for(const ucpo_instance_data *data)
{
    unsigned columns = 0;
    if (data->due) columns |= SHOW_WINDOW;
    if (data->limit) columns |= SHOW_LIMIT;
    if (data->demand && !data->limit) columns |= SHOW_LOAD;
    if (data->id) columns |= SHOW_ID;
    if (data->label) columns |= SHOW_NAME;
    return columns;
}

static void add_head(struct table *table, const char *head, int is_text)
{
    if (is_text) table->left |= 1u << table->columns;
    table->heads[table->columns++] = head;
}

static struct table stop_table(unsigned columns)
{
    struct table table = {0};
    add_head(&table, "route", 0);
    add_head(&table, "stop", 0);
    add_head(&table, "node", 0);
    if (columns & SHOW_ID) add_head(&table, "id", 1);
    if (columns & SHOW_NAME) add_head(&table, "name", 1);
    if (columns & SHOW_WINDOW) add_head(&table, "window", 0);
    if (columns & SHOW_LIMIT) add_head(&table, "limit", 0);
    add_head(&table, "arrive", 0);
    if (columns & SHOW_WINDOW) {
        add_head(&table, "wait", 0);
        add_head(&table, "start", 0);
        add_head(&table, "leave", 0);
    }
    if (columns & SHOW_LIMIT) add_head(&table, "draft", 0);
    if (columns & (SHOW_WINDOW | SHOW_LIMIT)) add_head(&table, "slack", 0);
    if (columns & SHOW_LOAD) add_head(&table, "load", 0);
    add_head(&table, "violation", 1);
    return table;
}

static void add_number(struct table *table, double value, int decimals)
{
    char text[NUMBER_MAX];
    table_add(table, "%s", number_fixed(text, value, decimals));
}

/* A time as the instance counts it: 08:30 if it has a clock. */
static const char *time_text(const ucpo_instance *inst, double time, int decimals,
                             char buf[NUMBER_MAX])
{
    if (ucpo_clock_text(inst, time, 0, buf, NUMBER_MAX)[0]) return buf;
    return number_fixed(buf, time, decimals);
}

static void add_time(struct table *table, const ucpo_instance *inst, double time, int decimals)
{
    char text[NUMBER_MAX];
    table_add(table, "%s", time_text(inst, time, decimals, text));
}

static void add_window(struct table *table, const ucpo_instance *inst, int32_t node, int decimals)
{
    const ucpo_instance_data *data = ucpo_instance_view(inst);
    char from[NUMBER_MAX], to[NUMBER_MAX];
    table_add(table, "[%s, %s]", time_text(inst, data->ready[node], decimals, from),
              time_text(inst, data->due[node], decimals, to));
}

/* Names are cut so that the table stays one. */
static void add_name(struct table *table, const char *name)
{
    int most = 28;
    while (most > 0 && strlen(name) > (size_t)most && (name[most] & 0xC0) == 0x80) most--;
    table_add(table, "%.*s", most, name);
}

/* A node that does not exist has no times: all its cells are dashes. */
static void add_unknown(struct table *table, const ucpo_stop *stop, int32_t number)
{
    table_add(table, "%d", (int)stop->route);
    table_add(table, "%d", (int)number);
    table_add(table, "%d", (int)stop->node);
    for (size_t c = 3; c + 1 < table->columns; c++) table_add(table, "-");
    table_add(table, "unknown node");
}

static void add_stop(struct table *table, const ucpo_instance *inst, const ucpo_stop *stop,
                     int32_t number)
{
    const ucpo_instance_data *data = ucpo_instance_view(inst);
    char text[TABLE_CELL];
    unsigned columns = columns_for(data);
    int decimals = data->clock > 0.0 ? 1 : number_decimals(data->unit);
    table_add(table, "%d", (int)stop->route);
    table_add(table, "%d", (int)number);
    table_add(table, "%d", (int)stop->node);
    if (columns & SHOW_ID) add_name(table, data->id[stop->node]);
    if (columns & SHOW_NAME) add_name(table, data->label[stop->node]);
    if (columns & SHOW_WINDOW) add_window(table, inst, stop->node, decimals);
    if (columns & SHOW_LIMIT) add_number(table, data->limit[stop->node], decimals);
    add_time(table, inst, stop->arrive, decimals);
    if (columns & SHOW_WINDOW) {
        add_number(table, stop->wait, decimals);
        add_time(table, inst, stop->start, decimals);
        add_time(table, inst, stop->leave, decimals);
    }
    if (columns & SHOW_LIMIT) add_number(table, stop->load, decimals);
    if (columns & (SHOW_WINDOW | SHOW_LIMIT)) add_number(table, stop->slack, decimals);
    if (columns & SHOW_LOAD) add_number(table, stop->load, decimals);
    table_add(table, "%s", stop_violations(stop, text, sizeof text));
}

/* Nobody reads more rows than that; files hold them all. */
enum { MOST_STOPS = 100000 };

static int print_stops(FILE *out, const struct checked *item, const ucpo_stop *stops, size_t count)
{
    const ucpo_instance_data *data = ucpo_instance_view(item->inst);
    struct table table = stop_table(columns_for(data));
    int32_t number = 0;
    for (size_t i = 0; i < count; i++) {
        number = i > 0 && stops[i].route == stops[i - 1].route ? number + 1 : 1;
        if (stops[i].is_unknown)
            add_unknown(&table, &stops[i], number);
        else
            add_stop(&table, item->inst, &stops[i], number);
    }
    int is_good = table_print(&table, out);
    if (count < item->eval.stops)
        fprintf(out, "... and %zu stops more; --format csv or json has them all\n",
                item->eval.stops - count);
    return is_good;
}

static size_t shown_stops(const struct checked *item)
{
    return item->eval.stops < MOST_STOPS ? item->eval.stops : MOST_STOPS;
}

static int print_schedule(FILE *out, const struct checked *item, ucpo_stop *stops, int32_t *missing)
{
    ucpo_error err = {0};
    ucpo_evaluation eval;
    size_t count = shown_stops(item);
    ucpo_status status = ucpo_check(item->inst, item->plan.nodes, item->plan.len, &eval, stops,
                                    count, missing, (size_t)item->eval.missing, &err);
    if (status) return message_failure(status, &err);
    fputc('\n', out);
    if (!print_stops(out, item, stops, count)) return EXIT_INTERNAL;
    if (eval.missing == 0) return EXIT_DONE;
    fprintf(out, "\nmissing:");
    for (int32_t i = 0; i < eval.missing; i++) fprintf(out, " %d", (int)missing[i]);
    fputc('\n', out);
    return EXIT_DONE;
}

int report_one(FILE *out, const struct checked *item, int asked_rounding)
{
    char verdict[PLAN_VERDICT];
    int routes = (int)item->eval.routes, over = (int)item->eval.vehicles_over;
    report_facts(out, ucpo_instance_view(item->inst), asked_rounding);
    if (over)
        report_line(out, "routes", "%d, %d allowed", routes, routes - over);
    else
        report_line(out, "routes", "%d", routes);
    print_costs(out, item);
    report_line(out, "feasible", "%s",
                plan_verdict(item->inst, &item->eval, "yes", "no", verdict, sizeof verdict));
    if (checked_is_placeholder(item))
        report_line(out, "note",
                    "the plan is 1, 2, 3, ...: what LKH scripts store when no tour was found");
    ucpo_stop *stops = malloc((shown_stops(item) + 1) * sizeof *stops);
    int32_t *missing = malloc(((size_t)item->eval.missing + 1) * sizeof *missing);
    int code = stops && missing ? print_schedule(out, item, stops, missing) : no_memory();
    free(stops);
    free(missing);
    return code;
}

/* ---- a set ---- */

enum { SHOW_ALL_UP_TO = 20 };

static const char *verdict_of(const struct checked *item)
{
    if (item->eval.is_tolerated) return "within tolerance";
    if (item->eval.is_feasible) return "yes";
    return checked_is_placeholder(item) ? "placeholder" : "no";
}

static int print_rows(FILE *out, const struct checked *items, size_t count)
{
    struct table table = {
        .columns = 7,
        .left = 1u << 1 | 1u << 5 | 1u << 6,
        .heads = {"index", "instance", "n", "routes", "cost", "feasible", "violations"}};
    char text[TABLE_CELL];
    for (size_t i = 0; i < count; i++) {
        const struct checked *item = &items[i];
        const ucpo_instance_data *data = ucpo_instance_view(item->inst);
        table_add(&table, "%zu", item->index);
        table_add(&table, "%s", data->name && data->name[0] ? data->name : "-");
        table_add(&table, "%d", (int)data->n);
        table_add(&table, "%d", (int)item->eval.routes);
        double cost = checked_is_placeholder(item) ? (double)NAN : item->eval.cost;
        add_number(&table, cost, number_decimals(data->unit));
        const char *note = ucpo_claim_note(
            item->inst, item->eval.is_feasible ? UCPO_CLAIM_FEASIBLE : UCPO_CLAIM_INFEASIBLE);
        table_add(&table, "%s%s", verdict_of(item), note[0] ? " (as read)" : "");
        table_add(&table, "%s", plan_violations(&item->eval, text, sizeof text));
    }
    int is_good = table_print(&table, out);
    fputc('\n', out);
    return is_good;
}

static int is_differing(const struct checked *item)
{
    int has_cost = !isnan(item->plan.stated_cost) && !checked_is_placeholder(item);
    return has_cost && !stated_agrees(item);
}

struct totals {
    size_t feasible, infeasible, placeholders, differing, with_best;
    struct excess excess;
    double cost, normalised, gap;
};

static struct totals add_up(const struct checked *items, size_t count)
{
    struct totals t = {0};
    for (size_t i = 0; i < count; i++) {
        const ucpo_instance_data *data = ucpo_instance_view(items[i].inst);
        if (checked_is_placeholder(&items[i])) {
            t.placeholders++;
            continue;
        }
        t.differing += (size_t)is_differing(&items[i]);
        if (!items[i].eval.is_feasible) {
            t.infeasible++;
            continue;
        }
        t.feasible++;
        excess_add(&t.excess, &items[i].eval);
        t.cost += items[i].eval.cost;
        t.normalised += items[i].eval.cost / data->unit;
        if (isnan(data->best_known) || data->best_known <= 0.0) continue;
        t.with_best++;
        t.gap += (items[i].eval.cost - data->file->service_in_cost) / data->best_known - 1.0;
    }
    return t;
}

typedef int (*item_test)(const struct checked *item);

static int is_broken(const struct checked *item)
{
    return !item->eval.is_feasible && !checked_is_placeholder(item);
}

static void print_indices(FILE *out, const char *label, const struct checked *items, size_t count,
                          item_test test)
{
    int is_first = 1;
    for (size_t i = 0; i < count; i++) {
        if (!test(&items[i])) continue;
        if (is_first) fprintf(out, "%s:", label);
        fprintf(out, " %zu", items[i].index);
        is_first = 0;
    }
    if (!is_first) fputc('\n', out);
}

static void print_means(FILE *out, const struct totals *t)
{
    char text[NUMBER_MAX];
    if (t->feasible == 0) {
        report_line(out, "mean cost", "- (no feasible plan)");
        return;
    }
    double many = (double)t->feasible;
    report_line(out, "mean cost", "%s (feasible plans)", number_fixed(text, t->cost / many, 5));
    report_line(out, "mean / unit", "%s", number_fixed(text, t->normalised / many, 5));
    if (t->with_best > 0)
        report_line(out, "mean gap", "%.3f %% to the best known (%zu plans)",
                    100.0 * t->gap / (double)t->with_best, t->with_best);
}

int report_set(FILE *out, const struct checked *items, size_t count, size_t instances, int show_all)
{
    if ((show_all || count <= SHOW_ALL_UP_TO) && !print_rows(out, items, count))
        return EXIT_INTERNAL;
    struct totals t = add_up(items, count);
    report_line(out, "instances", "%zu", instances);
    report_line(out, "plans", "%zu", count);
    report_line(out, "feasible", "%zu (%.2f %%)", t.feasible,
                100.0 * (double)t.feasible / (double)instances);
    report_excess(out, &t.excess);
    report_line(out, "infeasible", "%zu", t.infeasible);
    report_line(out, "placeholders", "%zu", t.placeholders);
    if (count < instances) report_line(out, "unsolved", "%zu (no plan)", instances - count);
    if (t.differing) report_line(out, "stated cost", "DIFFERS for %zu plans", t.differing);
    print_means(out, &t);
    size_t changed = 0;
    for (size_t i = 0; i < count; i++)
        changed += ucpo_instance_reading(items[i].inst) != UCPO_READ_WHOLE;
    report_changed(out, changed);
    print_indices(out, "infeasible at", items, count, is_broken);
    print_indices(out, "placeholders at", items, count, checked_is_placeholder);
    print_indices(out, "stated cost differs at", items, count, is_differing);
    return EXIT_DONE;
}
