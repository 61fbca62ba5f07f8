/* What check, convert and info share: reading instances and plans, taking a part of a set. */
#ifndef UCPO_CLI_READING_H
#define UCPO_CLI_READING_H

#include "cli/cli.h"

struct read_settings {
    ucpo_read_config config; /* begins as zeros; use read_options_for */
    const char *rounding;
};

extern const struct opt_group read_options; /* settings: struct read_settings */

const char *metric_name(ucpo_metric metric);

/* What is done to lengths: the rule, or what the metric brings along. */
const char *length_rounding(ucpo_metric metric, ucpo_rounding rounding);
const char *problem_name_at(size_t index);
const ucpo_problem_info *problem_find(const char *name); /* NULL: there is none */

/* Library options for the settings. */
ucpo_read_config read_options_for(const struct read_settings *settings);

/* Reads `path` ("-": standard input). Messages are printed; the result is the exit code. */
int read_set(const char *path, const struct read_settings *settings, ucpo_dataset **out);
int read_plans(const char *path, const char *format, const ucpo_dataset *set, ucpo_plans **out);

/* Two inputs cannot both be standard input: 0 after a message. */
int inputs_are_distinct(const struct command *command, const char *a, const char *b);

/* Leaves instances first .. first + count - 1 of the set, or as many plans. */
int cut_set(ucpo_dataset **set, size_t first, size_t count);
int cut_plans(ucpo_plans **plans, size_t first, size_t count);

/* Writes plans to a file or standard output. */
int write_plan_file(const char *path, const char *format, const ucpo_dataset *set,
                    const ucpo_plans *plans);

#endif
