/* The parts of train and finetune. */
#ifndef UCPO_CLI_TRAIN_H
#define UCPO_CLI_TRAIN_H

#include "cli/cli.h"

/* ---- options: one per setting of the library, ucpo_train_key_at (train_options.c) ---- */

enum { TRAIN_GROUPS = 4, TRAIN_KEYS = 96 };

/* Values as typed, by the key's place in the library's table. */
struct train_settings {
    const char *value[TRAIN_KEYS];
};

/* What to learn from, how to learn, network, run. Empty until train_options_setup. */
extern struct opt_group train_groups[TRAIN_GROUPS];
extern struct opt_group warm_groups[TRAIN_GROUPS]; /* with the defaults of finetune */

/* Fills the groups; main calls it once before anything else. */
void train_options_setup(void);

/* Sets every option that was typed. Returns the exit code; messages are printed. */
int train_options_apply(const struct command *command, const struct opt_parsed *parsed,
                        const struct train_settings *settings, ucpo_train_config *config);

/* ---- what a run shows (train_display.c) ---- */

/* One live line on a terminal, plain lines otherwise; a table at the end. */
struct train_display {
    int is_quiet, is_terminal;
    double gap;              /* of the last sampled validation; NaN: there is none */
    double began;            /* elapsed at the first report of this session */
    int64_t began_instances; /* and instances */
    ucpo_train_report step;  /* running averages of the live line */
    double last_drawn;
};

struct train_display train_display_begin(int is_quiet);
void train_display_report(void *user, const ucpo_train_report *report);

/* Removes the live line. */
void train_display_end(struct train_display *display);

/* Before and after, on stdout. Returns the exit code. */
int train_display_table(const ucpo_train_summary *summary, const char *dir);

#endif
