/* ucpo explain: why no plan, or this plan, is not feasible. */
#include <math.h>
#include <string.h>

#include "cli/check_report.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "cli/reading.h"

struct explain_settings {
    struct read_settings read;
    const char *plan_format, *format, *output;
    double tolerance;
    long index;
};

static const char *explain_format_at(size_t index)
{
    static const char *const names[] = {"text", "json"};
    return index < 2 ? names[index] : NULL;
}

static const struct opt_spec specs[] = {
    {.name = "format",
     .letter = 'f',
     .kind = OPT_CHOICE,
     .offset = offsetof(struct explain_settings, format),
     .value = "FORMAT",
     .choice = explain_format_at,
     .preset = "text",
     .help = "form of the report"},
    {.name = "output",
     .letter = 'o',
     .kind = OPT_FILE,
     .offset = offsetof(struct explain_settings, output),
     .value = "FILE",
     .preset = "-",
     .help = "where to write the report, - for standard output"},
    {.name = "plan-format",
     .kind = OPT_CHOICE,
     .offset = offsetof(struct explain_settings, plan_format),
     .value = "FORMAT",
     .choice = ucpo_plan_format_at,
     .help = "format of the solution file; without it the content decides"},
    {.name = "tolerance",
     .kind = OPT_REAL,
     .offset = offsetof(struct explain_settings, tolerance),
     .value = "X",
     .help = "lateness up to X counts as none [default: from the instance's unit]"},
    {.name = "index",
     .letter = 'i',
     .kind = OPT_INTEGER,
     .offset = offsetof(struct explain_settings, index),
     .value = "I",
     .high = 2000000000,
     .help = "only instance I of a set, counted from 0, in detail"},
};

static const struct opt_group group = {"Explaining", specs, sizeof specs / sizeof specs[0]};

/* An instance, its plan if there is one, and the findings. */
struct explained {
    const ucpo_instance *inst;
    size_t index;
    int has_plan;
    ucpo_evaluation eval;
    ucpo_explanation *findings;
    int code; /* what the exit status would be */
};

static const char *status_word(const struct explained *item)
{
    if (item->code == EXIT_PROVED) return "proved_infeasible";
    if (item->code == EXIT_INFEASIBLE) return "plan_infeasible";
    return item->has_plan ? "plan_feasible" : "no_proof";
}

static int explain_one(const ucpo_instance *inst, const ucpo_plan *plan, struct explained *out)
{
    ucpo_error err = {0};
    static const int32_t nothing = 0; /* an empty plan is a plan */
    const int32_t *nodes = !plan ? NULL : plan->len ? plan->nodes : &nothing;
    size_t len = plan ? plan->len : 0;
    ucpo_status status = UCPO_OK;
    out->inst = inst;
    out->has_plan = plan != NULL;
    if (plan) status = ucpo_check(inst, nodes, len, &out->eval, NULL, 0, NULL, 0, &err);
    if (!status) status = ucpo_explain(inst, nodes, len, &out->findings, &err);
    if (!status && interrupt_is_pending()) status = UCPO_E_CANCELLED;
    if (status) return message_failure(status, &err);
    out->code = ucpo_explanation_is_proof(out->findings)  ? EXIT_PROVED
                : out->has_plan && !out->eval.is_feasible ? EXIT_INFEASIBLE
                                                          : EXIT_DONE;
    return EXIT_DONE;
}

/* ---- text ---- */

enum part { PROOFS, TIGHT, SINGLE, JOINT, BROKEN, PARTS };

static enum part part_of(const ucpo_reason *reason)
{
    if (reason->is_proof) return PROOFS;
    if (reason->kind == UCPO_REASON_PLAN_BROKEN) return BROKEN;
    if (reason->kind < UCPO_REASON_RELAX_DUE) return TIGHT;
    return reason->is_joint ? JOINT : SINGLE;
}

static void print_heading(FILE *out, enum part part, size_t count)
{
    if (part == PROOFS) fprintf(out, "\nWhy no plan can be feasible:\n");
    if (part == TIGHT) fprintf(out, "\nWhere it is tightest:\n");
    if (part == SINGLE && count == 1)
        fprintf(out, "\nOne change of the instance makes this plan feasible:\n");
    if (part == SINGLE && count > 1)
        fprintf(out, "\nEach of these changes alone makes this plan feasible:\n");
    if (part == JOINT)
        fprintf(out, "\nNo single change makes this plan feasible; these %zu together do:\n",
                count);
    if (part == BROKEN) fprintf(out, "\nWhy this plan cannot be saved:\n");
}

static void print_part(FILE *out, const ucpo_explanation *findings, enum part part)
{
    size_t count = 0;
    for (size_t i = 0; i < ucpo_explanation_count(findings); i++)
        count += part_of(ucpo_explanation_at(findings, i)) == part;
    if (count > 0) print_heading(out, part, count);
    for (size_t i = 0; i < ucpo_explanation_count(findings); i++)
        if (part_of(ucpo_explanation_at(findings, i)) == part)
            fprintf(out, "  - %s\n", ucpo_explanation_at(findings, i)->text);
}

static const char *verdict_of(const struct explained *item)
{
    if (item->code == EXIT_PROVED) return "PROVED INFEASIBLE: no plan can keep all constraints";
    if (item->has_plan && item->eval.is_feasible) return "the plan is feasible: nothing is wrong";
    return "no proof of infeasibility was found, which does not mean that a feasible plan exists";
}

static void print_detail(FILE *out, const struct explained *item, int asked_rounding)
{
    char text[400];
    report_facts(out, ucpo_instance_view(item->inst), asked_rounding);
    if (item->has_plan && item->eval.is_feasible) report_line(out, "plan", "feasible");
    if (item->has_plan && !item->eval.is_feasible)
        report_line(out, "plan", "INFEASIBLE: %s", plan_violations(&item->eval, text, sizeof text));
    report_line(out, "verdict", "%s", verdict_of(item));
    for (int part = 0; part < PARTS; part++) print_part(out, item->findings, (enum part)part);
}

static void print_row(FILE *out, const struct explained *item)
{
    const ucpo_reason *first = ucpo_explanation_at(item->findings, 0);
    if (item->code == EXIT_PROVED)
        fprintf(out, "%zu  proved infeasible: %s\n", item->index, first->text);
    else if (item->code == EXIT_INFEASIBLE)
        fprintf(out, "%zu  plan infeasible, no proof about the instance\n", item->index);
    else if (message_is_verbose())
        fprintf(out, "%zu  %s\n", item->index, item->has_plan ? "plan feasible" : "no proof");
}

/* ---- JSON ---- */

static void put_finding(FILE *out, const ucpo_reason *reason)
{
    int is_first = 1;
    fputc('{', out);
    put_json_key(out, &is_first, "kind");
    put_json_string(out, ucpo_reason_name(reason->kind));
    put_json_key(out, &is_first, "is_proof");
    fputs(reason->is_proof ? "true" : "false", out);
    put_json_key(out, &is_first, "is_joint");
    fputs(reason->is_joint ? "true" : "false", out);
    put_json_key(out, &is_first, "customers");
    fputc('[', out);
    for (size_t i = 0; i < reason->customer_count; i++)
        fprintf(out, "%s%d", i ? ", " : "", (int)reason->customers[i]);
    fputc(']', out);
    put_json_key(out, &is_first, "value");
    put_json_number(out, reason->value);
    put_json_key(out, &is_first, "bound");
    put_json_number(out, reason->bound);
    put_json_key(out, &is_first, "excess");
    put_json_number(out, reason->excess);
    put_json_key(out, &is_first, "text");
    put_json_string(out, reason->text);
    fputc('}', out);
}

static void put_item(FILE *out, const struct explained *item)
{
    const ucpo_instance_data *data = ucpo_instance_view(item->inst);
    int is_first = 1;
    fputc('{', out);
    put_json_key(out, &is_first, "schema");
    put_json_string(out, "ucpo.explanation/1");
    put_json_key(out, &is_first, "problem");
    put_json_string(out, data->problem);
    put_json_key(out, &is_first, "instance");
    put_json_string(out, data->name);
    put_json_key(out, &is_first, "index");
    fprintf(out, "%zu", item->index);
    put_json_key(out, &is_first, "n");
    fprintf(out, "%d", (int)data->n);
    put_json_key(out, &is_first, "tolerance");
    put_json_number(out, data->tolerance);
    put_json_key(out, &is_first, "status");
    put_json_string(out, status_word(item));
    put_json_key(out, &is_first, "code");
    fprintf(out, "%d", item->code);
    put_json_key(out, &is_first, "findings");
    fputc('[', out);
    for (size_t i = 0; i < ucpo_explanation_count(item->findings); i++) {
        fputs(i ? ",\n  " : "\n  ", out);
        put_finding(out, ucpo_explanation_at(item->findings, i));
    }
    fputs("]}", out);
}

/* ---- the command ---- */

struct tally {
    size_t proved, infeasible;
};

/* Explains instances first .. first + count - 1, one by one, and prints as it goes. */
static int explain_all(const struct explain_settings *settings, const ucpo_dataset *set,
                       const ucpo_plans *plans, size_t first, size_t count, FILE *out,
                       struct tally *tally)
{
    int is_json = strcmp(settings->format, "json") == 0, is_single = count == 1;
    if (is_json && !is_single) fputs("[", out);
    for (size_t i = first; i < first + count; i++) {
        size_t many = plans ? ucpo_plans_count(plans) : 0, at = many == 1 && is_single ? 0 : i;
        ucpo_plan plan = {0};
        if (at < many) plan = ucpo_plans_at(plans, at);
        struct explained item = {.index = i};
        int code = explain_one(ucpo_dataset_at(set, i), at < many ? &plan : NULL, &item);
        if (code) return code;
        if (is_json && i > first) fputs(",\n", out);
        if (is_json)
            put_item(out, &item);
        else if (is_single)
            print_detail(out, &item, settings->read.rounding != NULL);
        else
            print_row(out, &item);
        tally->proved += item.code == EXIT_PROVED;
        tally->infeasible += item.code == EXIT_INFEASIBLE;
        ucpo_explanation_free(item.findings);
    }
    if (is_json) fputs(is_single ? "\n" : "]\n", out);
    if (is_json || is_single) return EXIT_DONE;
    report_line(out, "instances", "%zu", count);
    report_line(out, "proved", "%zu infeasible (%.2f %%)", tally->proved,
                100.0 * (double)tally->proved / (double)count);
    if (plans) report_line(out, "plans", "%zu infeasible without such a proof", tally->infeasible);
    return EXIT_DONE;
}

static int report(const struct command *self, const struct explain_settings *settings,
                  const ucpo_dataset *set, const ucpo_plans *plans)
{
    size_t instances = ucpo_dataset_count(set), first = 0, count = instances;
    size_t many = plans ? ucpo_plans_count(plans) : 0;
    if (settings->index >= 0) first = (size_t)settings->index, count = 1;
    if (first >= instances)
        return usage_error(self, "--index is %zu, the file holds %zu instances", first, instances);
    if (plans && (many == 0 || (settings->index < 0 && many > instances))) {
        message_error("the solution file holds %zu plans for %zu instance%s", many, instances,
                      instances == 1 ? "" : "s");
        return EXIT_INPUT;
    }
    if (plans && many != 1 && settings->index >= 0 && first >= many)
        return usage_error(self, "--index is %zu, there are %zu plans", first, many);
    struct output out;
    struct tally tally = {0};
    if (!output_begin(&out)) return EXIT_INTERNAL;
    int code = explain_all(settings, set, plans, first, count, out.stream, &tally);
    if (code) {
        output_discard(&out);
        return code;
    }
    code = output_finish(&out, settings->output);
    if (code) return code;
    return tally.proved ? EXIT_PROVED : tally.infeasible ? EXIT_INFEASIBLE : EXIT_DONE;
}

static int run(const struct command *self, int argc, char **argv)
{
    struct explain_settings settings = {.tolerance = -1.0, .index = -1};
    void *targets[OPT_MAX_GROUPS] = {&settings, &settings.read};
    struct opt_parsed parsed;
    int code = EXIT_DONE;
    if (!command_begin(self, targets, argc, argv, &parsed, &code)) return code;
    const char *instance = parsed.operands[0];
    const char *solution = parsed.operand_count > 1 ? parsed.operands[1] : NULL;
    if (solution && !inputs_are_distinct(self, instance, solution)) return EXIT_INPUT;

    ucpo_dataset *set = NULL;
    ucpo_plans *plans = NULL;
    code = read_set(instance, &settings.read, &set);
    if (!code && settings.tolerance >= 0.0) {
        ucpo_dataset *copy = NULL;
        code = slice_set(set, 0, ucpo_dataset_count(set), settings.tolerance, &copy);
        if (!code) {
            ucpo_dataset_free(set);
            set = copy;
        }
    }
    if (!code && solution) code = read_plans(solution, settings.plan_format, set, &plans);
    if (!code) code = report(self, &settings, set, plans);
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
    .groups = {&group, &read_options, &common_options},
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
         "With a plan, the smallest changes of one thing (a due time, an opening time, a draft "
         "limit, "
         "the capacity, the number of vehicles) that make it feasible are listed, each confirmed "
         "by the "
         "checker. If no single one is enough, all that are needed are listed.",
         "Exit status: 4 an instance is proved infeasible; 3 no proof, but the plan is infeasible; "
         "0 no "
         "proof, and the plan (if given) is feasible; 2 usage or input error."},
    .run = run,
};
