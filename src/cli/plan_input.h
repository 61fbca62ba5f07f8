/* What plot and report share: instances with their plans, paired and cut to what is wanted. */
#ifndef UCPO_CLI_PLAN_INPUT_H
#define UCPO_CLI_PLAN_INPUT_H

#include "cli/reading.h"

struct plan_settings {
    const char *plan_format;
    long index; /* -1: all */
};

extern const struct opt_group plan_options; /* settings: struct plan_settings */

/* Presets of the members that have none in the table. */
struct plan_settings plan_settings_default(void);

/* Reads both files; plan i of the result belongs to instance i. Fewer plans than instances are a
 * warning. Messages are printed; the result is the exit code. */
int read_paired(const struct command *self, const struct plan_settings *settings,
                const struct read_settings *read, const char *instance, const char *solution,
                ucpo_dataset **set, ucpo_plans **plans);

/* EXIT_INFEASIBLE if a plan is infeasible or an instance has none. Warns of nodes that do not
 * exist: the plan is probably another instance's. */
int judge_plans(const ucpo_dataset *set, const ucpo_plans *plans);

#endif
