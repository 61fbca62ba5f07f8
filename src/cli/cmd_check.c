/* ucpo check: a plan against an instance, or plans against a data set. */
#include <stdlib.h>
#include <string.h>

#include "cli/check_report.h"
#include "cli/cli.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/target.h"

struct check_settings {
    struct read_settings read;
    const char *plan_format, *format, *output;
    long index;
};

#define AT(member) offsetof(struct check_settings, member)

static const struct opt_spec specs[] = {
    OPT("format", 'f', OPT_CHOICE, AT(format), "FORMAT", "text", "form of the report",
        .words = "text json csv"),
    OPT("output", 'o', OPT_FILE, AT(output), "FILE", "-",
        "where to write the report, - for standard output"),
    OPT("plan-format", 0, OPT_CHOICE, AT(plan_format), "FORMAT", NULL,
        "format of the solution file; without it the content decides",
        .choice = ucpo_plan_format_at),
    OPT("index", 'i', OPT_INTEGER, AT(index), "I", NULL,
        "only instance I of a set, counted from 0, with its schedule", .high = 2000000000),
};

static const struct opt_group group = OPT_GROUP("Checking", specs);

/* Leaves the instances that have a plan, or the one that --index asks for. */
static int pair_up(const struct command *self, const struct check_settings *settings,
                   const char *path, ucpo_dataset **set, size_t count)
{
    size_t instances = ucpo_dataset_count(*set);
    int code = check_counts(self, settings->index, instances, count, &path);
    if (code) return code;
    if (count == 0) return message_error("the solution file holds no plan");
    if (settings->index >= 0) return cut_set(set, (size_t)settings->index, 1);
    if (count == instances) return EXIT_DONE;
    if (settings->read.config.strict)
        return message_error("%s: there are %zu plans for %zu instances", path, count, instances);
    message_warning("there are %zu plans for %zu instances: those from %zu on count as unsolved",
                    count, instances, count);
    return cut_set(set, 0, count);
}

/* The first instance is number `first` of its file, its plan number `at`. */
static int check_all(const ucpo_dataset *set, const ucpo_plans *plans, size_t first, size_t at,
                     struct checked *items)
{
    ucpo_error err = {0};
    for (size_t i = 0; i < ucpo_dataset_count(set); i++) {
        struct checked *item = &items[i];
        item->index = first + i;
        item->inst = ucpo_dataset_at(set, i);
        item->plan = ucpo_plans_at(plans, at + i);
        ucpo_status status = ucpo_check(item->inst, item->plan.nodes, item->plan.len, &item->eval,
                                        NULL, 0, NULL, 0, &err);
        if (!status && interrupt_is_pending()) status = UCPO_E_CANCELLED;
        if (status) return message_failure(status, &err);
    }
    return EXIT_DONE;
}

static int print_text(const struct check_settings *settings, const struct checked *items,
                      size_t count, size_t instances)
{
    struct output out;
    if (output_begin(&out)) return EXIT_INTERNAL;
    int is_single = instances == 1 || settings->index >= 0;
    int code = is_single ? report_one(out.stream, &items[0], settings->read.rounding != NULL)
                         : report_set(out.stream, items, count, instances, message_is_verbose());
    return output_end(&out, settings->output, code);
}

/* `instances`: in the file. JSON and CSV reports are the library's plan files: they carry schedule and
 * violations. */
static int report(const struct check_settings *settings, const ucpo_dataset *set,
                  ucpo_plans **plans, size_t instances)
{
    size_t count = ucpo_dataset_count(set),
           first = settings->index >= 0 ? (size_t)settings->index : 0;
    size_t at = ucpo_plans_count(*plans) == 1 ? 0 : first;
    int is_text = strcmp(settings->format, "text") == 0;
    struct checked *items = calloc(count + 1, sizeof *items);
    if (!items) return no_memory();
    int code = check_all(set, *plans, first, at, items);
    if (!code && is_text) code = print_text(settings, items, count, instances);
    if (!code && !is_text) code = cut_plans(plans, at, count);
    if (!code && !is_text) code = write_plan_file(settings->output, settings->format, set, *plans);
    int is_complete = settings->index >= 0 || count == instances;
    if (code == EXIT_DONE && !is_complete) code = EXIT_INFEASIBLE;
    for (size_t i = 0; code == EXIT_DONE && i < count; i++)
        if (!items[i].eval.is_feasible) code = EXIT_INFEASIBLE;
    free(items);
    return code;
}

static int run(const struct command *self, int argc, char **argv)
{
    struct check_settings settings = {.index = -1};
    void *targets[OPT_MAX_GROUPS] = {&settings, &settings.read};
    struct opt_parsed parsed;
    int code = EXIT_DONE;
    if (!command_begin(self, targets, argc, argv, &parsed, &code)) return code;
    const char *instance = parsed.operands[0], *solution = parsed.operands[1];
    if (!inputs_are_distinct(self, instance, solution)) return EXIT_INPUT;
    code = target_spares_all(self, settings.output, parsed.operands, parsed.operand_count);
    if (code) return code;

    ucpo_dataset *set = NULL;
    ucpo_plans *plans = NULL;
    code = read_set(instance, &settings.read, &set);
    size_t instances = code ? 0 : ucpo_dataset_count(set);
    if (!code) code = read_plans(solution, settings.plan_format, set, &plans);
    if (!code) code = pair_up(self, &settings, solution, &set, ucpo_plans_count(plans));
    if (!code) code = report(&settings, set, &plans, instances);
    ucpo_plans_free(plans);
    ucpo_dataset_free(set);
    return code;
}

const struct command command_check = {
    .name = "check",
    .summary = "check a plan: cost, schedule of every stop, every violation",
    .usage = {"check INSTANCE SOLUTION [options]"},
    .examples =
        {
            {"the cost, the schedule, and what is wrong at which stop",
             "ucpo check c101.txt c101.sol"},
            {"a tour typed by hand: customer numbers, the depot left out",
             "echo 3 1 2 | ucpo check toy.tsptw -"},
            {"the same as data", "ucpo check c101.txt c101.sol --format json -o report.json"},
            {"distances rounded as in the DIMACS challenge, at most 10 vehicles",
             "ucpo check c101.txt c101.sol --round dimacs --vehicles 10"},
            {"a whole data set: averages, and which plans break a constraint",
             "ucpo check val.npy plans.npy"},
            {"one instance of it in detail", "ucpo check val.npy plans.npy --index 17"},
        },
    .operands = {{"INSTANCE", "instance or data set, any format; - for standard input", NULL, 0, 0},
                 {"SOLUTION", "plan or plans, any plan format; - for standard input", NULL, 0, 0}},
    .groups = {&group, &read_options, &common_options},
    .details =
        {"The check is made from the problem definition in double precision. A time window bounds "
         "the start of service, both ends included; early vehicles wait. In the table, 'late 3.2' "
         "means 3.2 after the window closed, 'over 2' means 2 more than the capacity or the draft "
         "limit.",
         "A plan 1, 2, 3, ... that is infeasible is what LKH scripts store when they found no "
         "tour: it is counted as a placeholder, and its cost never enters a mean.",
         "Exit status: 0 all plans feasible, 3 at least one is not, 2 usage or input error."},
    .run = run,
};
