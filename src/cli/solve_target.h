/* Where the plans of the solve command go. */
#ifndef UCPO_CLI_SOLVE_TARGET_H
#define UCPO_CLI_SOLVE_TARGET_H

#include "cli/cli.h"

enum { TARGET_PATH_SIZE = 4096 };

struct solve_target {
    const char *output, *format;
    const char *cloud, *model; /* or NULL */
    int is_folder;             /* the output: a plan file for each input */
    char *const *inputs;
    size_t count;
};

/* Before any work: no input is replaced, no two plan files have one name, and there is a place for
 * all of them; a folder is made. Returns the exit code, after a message if it is not 0. */
int solve_target_check(const struct command *self, const struct solve_target *t);

/* Formats that hold one plan do not take `count`, those of `input` (NULL: of all). */
int solve_target_takes(const struct solve_target *t, const char *input, size_t count);

/* The plan file of an input in the folder, into path. Returns the exit code. */
int solve_target_path(const struct solve_target *t, const char *input, char path[TARGET_PATH_SIZE]);

#endif
