/* Reference costs from an LKH that is installed: a process per instance, files in a temporary folder.
 * LKH is neither shipped nor linked. */
#ifndef UCPO_CLI_LKH_H
#define UCPO_CLI_LKH_H

#include "cli/cli.h"

struct lkh_settings {
    const char *program;  /* NULL: LKH or LKH-3 on the PATH */
    struct opt_time time; /* at most so long for an instance */
    const char *cache;    /* CSV file with results of earlier runs, or NULL */
    long trials;
};

extern const struct opt_group lkh_options; /* settings: struct lkh_settings */

/* costs[i]: of LKH's tour for instance i, divided by its unit; NaN where there is none that the checker
 * accepts. Says how many there are. Returns the exit code. */
int lkh_costs(const struct lkh_settings *settings, const ucpo_dataset *set, double *costs);

#endif
