/* ucpo explain: why no plan, or this plan, is not feasible. */
#include <math.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/explain_report.h"
#include "cli/input.h"
#include "cli/model.h"
#include "cli/output.h"
#include "cli/target.h"

struct explain_settings {
    struct read_settings read;
    const char *plan_format, *format, *output;
    const char *model;
    struct opt_time time; /* 0: nobody searches */
    long index;
    int skips_search;
};

#define AT(member) offsetof(struct explain_settings, member)

static const struct opt_spec specs[] = {
    OPT("format", 'f', OPT_CHOICE, AT(format), "FORMAT", "text", "form of the report",
        .words = "text json"),
    OPT("output", 'o', OPT_FILE, AT(output), "FILE", "-",
        "where to write the report, - for standard output"),
    OPT("plan-format", 0, OPT_CHOICE, AT(plan_format), "FORMAT", NULL,
        "format of the solution file; without it the content decides",
        .choice = ucpo_plan_format_at),
    OPT("index", 'i', OPT_INTEGER, AT(index), "I", NULL,
        "only instance I of a set, counted from 0, in detail", .high = 2000000000),
};

static const struct opt_spec search_specs[] = {
    OPT("model", 'm', OPT_FILE, AT(model), "FILE|none", NULL,
        "model to search with; none: rules and local search only [default: as in 'ucpo solve']"),
    OPT("time", 't', OPT_TIME, AT(time), "TIME", NULL,
        "at most so long for each instance: 2, 0.5s, 200ms, 1m [default: 1s; sets are searched "
        "only if it is given]"),
    OPT("no-search", 0, OPT_FLAG, AT(skips_search), NULL, NULL, "look at the instance alone"),
};

static const struct opt_group search_group =
    OPT_GROUP("Search for a plan, if none is given", search_specs);
static const struct opt_group group = OPT_GROUP("Explaining", specs);

/* ---- a plan, if none is given ---- */

/* What all instances of a file share. */
struct explaining {
    const struct explain_settings *settings;
    const ucpo_dataset *set;
    const ucpo_plans *plans; /* or NULL */
    ucpo_model *model;       /* or NULL */
    size_t first, count, proved, infeasible;
};

/* As many samples as the instance has nodes: the same plan every time unless the time is short. */
static int find_plan(const struct explaining *e, size_t index, ucpo_solution **out)
{
    const ucpo_instance *inst = ucpo_dataset_at(e->set, index);
    ucpo_error err = {0};
    ucpo_solve_config config = ucpo_solve_config_default();
    config.time_limit = e->settings->time.seconds;
    config.samples = ucpo_instance_view(inst)->n;
    config.first_feasible = 1;
    config.number = index;
    config.hooks = message_hooks("searching");
    config.hooks.log = NULL; /* the plan is a means here: no advice about models */
    ucpo_status status = ucpo_solve(e->model, inst, &config, out, &err);
    if (!status && (*out)->end == UCPO_SOLVE_STOPPED) {
        ucpo_solution_free(*out);
        status = UCPO_E_CANCELLED;
    }
    return status ? message_failure(status, &err) : EXIT_DONE;
}

/* A proof needs no plan; without one the best that can be found is looked at. */
static int explain_searching(const struct explaining *e, size_t index, struct explained *item)
{
    const ucpo_instance *inst = ucpo_dataset_at(e->set, index);
    int code = explain_one(inst, NULL, item);
    if (code || item->code == EXIT_PROVED || e->settings->time.seconds <= 0.0) return code;
    ucpo_solution *found = NULL;
    ucpo_explanation_free(item->findings);
    *item = (struct explained){.index = index, .is_found = 1};
    code = find_plan(e, index, &found);
    if (code) return code;
    ucpo_plan plan = {.nodes = found->nodes, .len = found->len, .stated_cost = (double)NAN};
    code = explain_one(inst, &plan, item);
    ucpo_solution_free(found);
    return code;
}

/* ---- the command ---- */

/* Explains the instances one by one, and prints as it goes. */
static int explain_all(struct explaining *e, FILE *out)
{
    size_t count = e->count, many = e->plans ? ucpo_plans_count(e->plans) : 0;
    int is_json = strcmp(e->settings->format, "json") == 0, is_single = count == 1;
    if (is_json && !is_single) fputs("[", out);
    for (size_t i = e->first; i < e->first + count; i++) {
        size_t at = many == 1 && is_single ? 0 : i;
        ucpo_plan plan = {0};
        if (at < many) plan = ucpo_plans_at(e->plans, at);
        struct explained item = {.index = i};
        int code = e->plans
                       ? explain_one(ucpo_dataset_at(e->set, i), at < many ? &plan : NULL, &item)
                       : explain_searching(e, i, &item);
        if (code) return code;
        if (is_json && i > e->first) fputs(",\n", out);
        if (is_json)
            explain_put_item(out, &item);
        else if (is_single)
            explain_print_detail(out, &item, e->settings->read.rounding != NULL);
        else
            explain_print_row(out, &item);
        e->proved += item.code == EXIT_PROVED;
        e->infeasible += item.code == EXIT_INFEASIBLE;
        ucpo_explanation_free(item.findings);
    }
    if (is_json) fputs(is_single ? "\n" : "]\n", out);
    if (is_json || is_single) return EXIT_DONE;
    report_line(out, "instances", "%zu", count);
    report_line(out, "proved", "%zu infeasible (%.2f %%)", e->proved,
                100.0 * (double)e->proved / (double)count);
    if (e->plans)
        report_line(out, "plans", "%zu infeasible without such a proof", e->infeasible);
    else if (e->settings->time.seconds > 0.0)
        report_line(out, "not solved", "%zu without such a proof", e->infeasible);
    return EXIT_DONE;
}

/* Whether and how long to search for plans, and the model for it. */
static int prepare_search(struct explain_settings *settings, struct explaining *e,
                          const char *label)
{
    char path[MODEL_PATH_SIZE];
    double *seconds = &settings->time.seconds;
    if (e->plans || settings->skips_search)
        *seconds = 0.0;
    else if (!settings->time.text && e->count == 1)
        *seconds = 1.0;
    if (*seconds <= 0.0) return EXIT_DONE;
    return model_choose(settings->model, label, e->set, 1, &e->model, path);
}

static int report(const struct command *self, struct explain_settings *settings,
                  const ucpo_dataset *set, const ucpo_plans *plans, const char *label)
{
    size_t instances = ucpo_dataset_count(set), first = 0, count = instances;
    size_t many = plans ? ucpo_plans_count(plans) : 0;
    if (settings->index >= 0) first = (size_t)settings->index, count = 1;
    if (plans && (many == 0 || (settings->index < 0 && many > instances)))
        return message_error("the solution file holds %zu plans for %zu instance%s", many,
                             instances, instances == 1 ? "" : "s");
    const char *path = label;
    int code = check_counts(self, settings->index, instances, plans ? many : 1, &path);
    if (code) return code;
    struct explaining e = {
        .settings = settings, .set = set, .plans = plans, .first = first, .count = count};
    code = prepare_search(settings, &e, label);
    struct output out;
    if (!code) code = output_begin(&out);
    if (!code) code = output_end(&out, settings->output, explain_all(&e, out.stream));
    ucpo_model_free(e.model);
    if (code) return code;
    return e.proved ? EXIT_PROVED : e.infeasible ? EXIT_INFEASIBLE : EXIT_DONE;
}

static int run(const struct command *self, int argc, char **argv)
{
    struct explain_settings settings = {.index = -1};
    void *targets[OPT_MAX_GROUPS] = {&settings, &settings, &settings.read};
    struct opt_parsed parsed;
    int code = EXIT_DONE;
    if (!command_begin(self, targets, argc, argv, &parsed, &code)) return code;
    const char *instance = parsed.operands[0];
    const char *solution = parsed.operand_count > 1 ? parsed.operands[1] : NULL;
    if (solution && !inputs_are_distinct(self, instance, solution)) return EXIT_INPUT;
    code = target_spares_all(self, settings.output, parsed.operands, parsed.operand_count);
    if (code) return code;

    ucpo_dataset *set = NULL;
    ucpo_plans *plans = NULL;
    code = read_set(instance, &settings.read, &set);
    if (!code && solution) code = read_plans(solution, settings.plan_format, set, &plans);
    if (!code) code = report(self, &settings, set, plans, instance);
    ucpo_plans_free(plans);
    ucpo_dataset_free(set);
    return code;
}

const struct command command_explain = {
    .name = "explain",
    .summary = "why no plan can be feasible, or what would make this one feasible",
    .usage = {"explain INSTANCE [SOLUTION] [options]"},
    .examples =
        {
            {"can this be solved at all? if not: which customers, and by how much",
             "ucpo explain tour.tsptw"},
            {"my plan is infeasible: the smallest change that would save it",
             "ucpo explain c101.txt c101.sol"},
            {"an order typed by hand", "echo 3 1 2 | ucpo explain toy.tsptw -"},
            {"would ten vehicles do?", "ucpo explain c101.txt --vehicles 10"},
            {"a whole set: the instances that are proved infeasible", "ucpo explain set.npy"},
            {"the same as data", "ucpo explain set.npy --format json -o why.json"},
        },
    .operands = {{"INSTANCE", "instance or data set, any format; - for standard input", NULL, 0, 0},
                 {"SOLUTION", "plan or plans, any plan format; - for standard input", NULL, 1, 0}},
    .groups = {&group, &search_group, &read_options, &common_options},
    .details =
        {"A proof says that no plan whatsoever can be feasible: a customer that cannot be reached "
         "in "
         "time, two that exclude each other, orders that are forced and leave no time, cargo that "
         "exceeds the draft limits, demands that exceed the fleet. Proofs assume nothing about "
         "distances and allow what 'ucpo check' tolerates.",
         "Without a proof the instance may have a feasible plan or not; the stops with the least "
         "room "
         "are shown. Up to 12 customers all plans are tried, so that a proof is found if there is "
         "one.",
         "Without SOLUTION and without a proof, a plan is searched for: constructive rules, and "
         "the "
         "shipped model if there is one for the problem. If it is feasible, nothing is wrong; if "
         "not, it is looked at like a plan of yours ('ucpo solve' prints it).",
         "With a plan, the smallest changes of one thing (a due time, an opening time, a draft "
         "limit, "
         "the capacity, the number of vehicles) that make it feasible are listed, each confirmed "
         "by the "
         "checker. If no single one is enough, all that are needed are listed.",
         "Exit status: 4 an instance is proved infeasible; 3 no proof, but the plan, given or "
         "found, "
         "is infeasible; 0 no proof, and the plan (if any) is feasible; 2 usage or input error; 5 "
         "the model is for another problem."},
    .run = run,
};
