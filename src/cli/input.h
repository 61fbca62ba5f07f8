/* What commands read: instances, plans, folders of them. */
#ifndef UCPO_CLI_INPUT_H
#define UCPO_CLI_INPUT_H

#include "cli/cli.h"

/* ---- instances, plans, a part of a set: what check, convert and info share (reading.c) ---- */

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

/* ---- instances with their plans, as plot and report take them (plan_input.c) ---- */

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

/* ---- a refused file among several does not end the work on the others (inputs.c) ---- */

struct refused {
    size_t count;
    int code; /* of the first one */
    char names[600];
};

/* Notes that `path` was refused with this exit code, which a message has explained, and returns 0; a code that is
 * about more than this file is returned. */
int refused_note(struct refused *refused, const char *path, int code);

/* At the end, `done` others went through: names the refused ones and returns the exit code. `code` is that of the
 * work on the others; interruption and bugs go before. */
int refused_end(const struct refused *refused, size_t done, int code);

/* Of several training runs those that can be drawn, moved to the front of `paths`; *count becomes their number. What
 * is wrong with a single one is left for who draws it. Returns the exit code: of the refused if none is left. */
int refused_runs(char **paths, size_t *count, struct refused *refused);

/* ---- folders among the inputs: all files in them that hold instances (inputs.c) ---- */

struct inputs {
    char **path; /* strings of its own */
    size_t count;
    struct refused refused; /* folders */
};

int input_is_folder(const char *path);

/* The operands, folders replaced by their files in the order of their names: hidden files and
 * subfolders are left out, files of no instance format are skipped with a note. A folder without
 * instances is refused; if nothing is left, that is an error. Messages are printed; the result is the exit
 * code. */
int inputs_expand(char *const *operands, size_t count, struct inputs *out);
void inputs_free(struct inputs *inputs);

/* Like read_set; of a folder the instances of all its files, file after file. */
int read_set_or_folder(const char *path, const struct read_settings *settings, ucpo_dataset **out);

#endif
