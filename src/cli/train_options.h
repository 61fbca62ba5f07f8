/* Options of train and finetune: one per setting of the library (ucpo_train_key_at). */
#ifndef UCPO_CLI_TRAIN_OPTIONS_H
#define UCPO_CLI_TRAIN_OPTIONS_H

#include "cli/cli.h"

enum { TRAIN_GROUPS = 4, TRAIN_KEYS = 96 };

/* Values as typed, by the key's place in the library's table. */
struct train_settings {
    const char *value[TRAIN_KEYS];
};

/* What to learn from, how to learn, network, run. Empty until train_options_setup. */
extern struct opt_group train_groups[TRAIN_GROUPS];

/* Fills the groups; main calls it once before anything else. */
void train_options_setup(void);

/* Sets every option that was typed. Returns the exit code; messages are printed. */
int train_options_apply(const struct command *command, const struct opt_parsed *parsed,
                        const struct train_settings *settings, ucpo_train_config *config);

#endif
