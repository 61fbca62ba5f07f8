/* Where results go, looked at before any work: what cannot be written, and what must not be. */
#ifndef UCPO_CLI_TARGET_H
#define UCPO_CLI_TARGET_H

#include "cli/cli.h"

/* Refuses `output` if it is the same file as `input`, whatever their names. NULL and "-": fine.
 * Returns the exit code, after a message if it is not 0. */
int target_spares(const struct command *self, const char *output, const char *input);
int target_spares_all(const struct command *self, const char *output, char *const *inputs,
                      size_t count);

/* Whether a file can be made at `path`, as far as can be told without writing. Returns the exit
 * code, after a message if it is not 0. */
int target_is_possible(const char *path);

/* A name that ends in '/', or a folder that exists. */
int target_is_folder(const char *path);

/* Makes the folder if it does not exist, and checks that it can be written to. */
int target_make_folder(const char *path);

/* FOLDER/name-of-input-without-ending.FORMAT into buf; 0 if it is too long. */
int target_in_folder(const char *folder, const char *input, const char *format, char *buf,
                     size_t size);

/* All of it for a command that reads its operands and writes one file, whose name ends in `known` or `also`
 * (or NULL) if it has an ending. */
int target_check(const struct command *self, const char *output, const struct opt_parsed *parsed,
                 const char *known, const char *also);

/* The name of the file without its folder. */
const char *target_name(const char *path);

/* The ending of the file's name with its dot, or NULL if it has none. */
const char *target_ending(const char *path);

#endif
