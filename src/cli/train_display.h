/* What a training run shows: one live line on a terminal, plain lines otherwise; a table at the end.
 */
#ifndef UCPO_CLI_TRAIN_DISPLAY_H
#define UCPO_CLI_TRAIN_DISPLAY_H

#include "cli/cli.h"

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
