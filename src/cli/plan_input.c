#include "cli/input.h"

#include <string.h>

#define AT(member) offsetof(struct plan_settings, member)

static const struct opt_spec specs[] = {
    OPT("index", 'i', OPT_INTEGER, AT(index), "I", NULL,
        "only instance I of a set, counted from 0, with its plan", .high = 2000000000),
    OPT("plan-format", 0, OPT_CHOICE, AT(plan_format), "FORMAT", NULL,
        "format of the solution file; without it the content decides",
        .choice = ucpo_plan_format_at),
};

const struct opt_group plan_options = OPT_GROUP("Plans", specs);

int check_counts(const struct command *self, long index, size_t instances, size_t plans,
                 const char **path)
{
    if (strcmp(*path, "-") == 0) *path = "standard input";
    size_t number = index >= 0 ? (size_t)index : 0;
    if (number >= instances)
        return usage_error(self, "--index is %zu, the file holds %zu instances", number, instances);
    if (index >= 0 && plans > 1 && number >= plans)
        return usage_error(self, "--index is %zu, there are %zu plans", number, plans);
    if (index >= 0 || plans <= instances) return EXIT_DONE;
    return message_error(
        "%s: there are %zu plans for %zu instance%s (in a list of numbers every line "
        "is a plan, 0 separates the routes of one)",
        *path, plans, instances, instances == 1 ? "" : "s");
}

int read_paired(const struct command *self, const struct plan_settings *settings,
                const struct read_settings *read, const char *instance, const char *solution,
                ucpo_dataset **set, ucpo_plans **plans)
{
    int code = read_set(instance, read, set);
    if (!code) code = read_plans(solution, settings->plan_format, *set, plans);
    if (code) return code;
    size_t instances = ucpo_dataset_count(*set), count = ucpo_plans_count(*plans);
    code = check_counts(self, settings->index, instances, count, &solution);
    if (!code && count == 0) code = message_error("%s: the solution file holds no plan", solution);
    if (!code && settings->index >= 0) {
        size_t index = (size_t)settings->index;
        code = cut_set(set, index, 1);
        return code ? code : cut_plans(plans, count > 1 ? index : 0, 1);
    }
    if (!code && count < instances)
        message_warning("%s: there are %zu plans for %zu instances", solution, count, instances);
    return code;
}

int judge_plans(const ucpo_dataset *set, const ucpo_plans *plans)
{
    size_t count = ucpo_plans_count(plans), bad = ucpo_dataset_count(set) - count;
    long unknown = 0;
    ucpo_error err = {0};
    for (size_t i = 0; i < count; i++) {
        ucpo_plan plan = ucpo_plans_at(plans, i);
        ucpo_evaluation eval;
        ucpo_status status = ucpo_check(ucpo_dataset_at(set, i), plan.nodes, plan.len, &eval, NULL,
                                        0, NULL, 0, &err);
        if (status) return message_failure(status, &err);
        unknown += eval.unknown;
        bad += !eval.is_feasible;
    }
    if (unknown)
        message_warning("%ld node%s of the plan%s not in the instance: does the plan belong to "
                        "another one?",
                        unknown, unknown == 1 ? "" : "s", unknown == 1 ? " is" : " are");
    return bad ? EXIT_INFEASIBLE : EXIT_DONE;
}
