/* Folders among the inputs: all files in them that hold instances. */
#ifndef UCPO_CLI_INPUTS_H
#define UCPO_CLI_INPUTS_H

#include "cli/reading.h"

struct inputs {
    char **path; /* strings of its own */
    size_t count;
};

int input_is_folder(const char *path);

/* The operands, folders replaced by their files in the order of their names: hidden files and
 * subfolders are left out, files of no instance format are skipped with a note. A folder without
 * instances is an error. Messages are printed; the result is the exit code. */
int inputs_expand(char *const *operands, size_t count, struct inputs *out);
void inputs_free(struct inputs *inputs);

/* Like read_set; of a folder the instances of all its files, file after file. */
int read_set_or_folder(const char *path, const struct read_settings *settings, ucpo_dataset **out);

#endif
