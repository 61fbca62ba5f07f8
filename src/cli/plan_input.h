/* What plot and report share: instances with their plans, paired and cut to what is wanted. */
#ifndef UCPO_CLI_PLAN_INPUT_H
#define UCPO_CLI_PLAN_INPUT_H

#include "cli/reading.h"

struct plan_settings {
    const char *plan_format;
    long index; /* -1: all */
};

extern const struct opt_group plan_options; /* settings: struct plan_settings */

/* Whether `index` (-1: all) and the numbers of instances and plans go together; *path, the file of the
 * plans, gets a name for messages. Fewer plans than instances do. Returns the exit code. */
int check_counts(const struct command *self, long index, size_t instances, size_t plans,
                 const char **path);

/* Reads both files; plan i of the result belongs to instance i. Fewer plans than instances are a
 * warning. Messages are printed; the result is the exit code. The caller frees both in any case. */
int read_paired(const struct command *self, const struct plan_settings *settings,
                const struct read_settings *read, const char *instance, const char *solution,
                ucpo_dataset **set, ucpo_plans **plans);

/* EXIT_INFEASIBLE if a plan is infeasible or an instance has none. Warns of nodes that do not
 * exist: the plan is probably another instance's. */
int judge_plans(const ucpo_dataset *set, const ucpo_plans *plans);

#endif
