#include "cli/plan_input.h"

#include <string.h>

#define AT(member) offsetof(struct plan_settings, member)

static const struct opt_spec specs[] = {
    OPT("index", 'i', OPT_INTEGER, AT(index), "I", NULL,
        "only instance I of a set, counted from 0, with its plan", .high = 2000000000),
    OPT("plan-format", 0, OPT_CHOICE, AT(plan_format), "FORMAT", NULL,
        "format of the solution file; without it the content decides",
        .choice = ucpo_plan_format_at),
};

const struct opt_group plan_options = {"Plans", specs, sizeof specs / sizeof specs[0]};

struct plan_settings plan_settings_default(void)
{
    return (struct plan_settings){.index = -1};
}

static int check_counts(const struct command *self, const struct plan_settings *settings,
                        size_t instances, size_t plans, const char *path)
{
    if (strcmp(path, "-") == 0) path = "standard input";
    if (plans == 0) {
        message_error("%s: the solution file holds no plan", path);
        return EXIT_INPUT;
    }
    if (settings->index >= 0) {
        size_t index = (size_t)settings->index;
        if (index >= instances)
            return usage_error(self, "--index is %zu, the file holds %zu instances", index,
                               instances);
        if (plans != 1 && index >= plans)
            return usage_error(self, "--index is %zu, there are %zu plans", index, plans);
        return EXIT_DONE;
    }
    if (plans > instances) {
        message_error("%s: there are %zu plans for %zu instance%s (in a list of numbers every line "
                      "is a plan, 0 separates the routes of one)",
                      path, plans, instances, instances == 1 ? "" : "s");
        return EXIT_INPUT;
    }
    if (plans < instances)
        message_warning("%s: there are %zu plans for %zu instances", path, plans, instances);
    return EXIT_DONE;
}

int read_paired(const struct command *self, const struct plan_settings *settings,
                const struct read_settings *read, const char *instance, const char *solution,
                ucpo_dataset **set, ucpo_plans **plans)
{
    ucpo_dataset *all = NULL, *part = NULL;
    ucpo_plans *all_plans = NULL, *plan_part = NULL;
    int code = read_set(instance, read, &all);
    if (!code) code = read_plans(solution, settings->plan_format, all, &all_plans);
    size_t count = code ? 0 : ucpo_dataset_count(all);
    size_t plan_count = code ? 0 : ucpo_plans_count(all_plans);
    if (!code) code = check_counts(self, settings, count, plan_count, solution);
    int is_one = settings->index >= 0;
    size_t first = is_one ? (size_t)settings->index : 0;
    if (!code) code = slice_set(all, first, is_one ? 1 : count, &part);
    if (!code)
        code = slice_plans(all_plans, is_one && plan_count > 1 ? first : 0, is_one ? 1 : plan_count,
                           &plan_part);
    ucpo_plans_free(all_plans);
    ucpo_dataset_free(all);
    if (code) {
        ucpo_dataset_free(part);
        return code;
    }
    *set = part;
    *plans = plan_part;
    return EXIT_DONE;
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
