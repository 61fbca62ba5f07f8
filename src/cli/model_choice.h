/* What solve and explain share: which model to search with, and for how long. */
#ifndef UCPO_CLI_MODEL_CHOICE_H
#define UCPO_CLI_MODEL_CHOICE_H

#include "cli/cli.h"

enum { MODEL_PATH_SIZE = 4096 };

/* The model for the instances of `set`. wanted: a file, "none", or NULL: the shipped one for the
 * problem and nearest size, and if there is none a warning unless `is_silent`. *model stays NULL
 * without one; path gets its file. `label` names the instances in messages. Returns the exit code. */
int model_choose(const char *wanted, const char *label, const ucpo_dataset *set, int is_silent,
                 ucpo_model **model, char path[MODEL_PATH_SIZE]);

#endif
