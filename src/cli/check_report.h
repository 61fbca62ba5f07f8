/* Text reports of the check command. */
#ifndef UCPO_CLI_CHECK_REPORT_H
#define UCPO_CLI_CHECK_REPORT_H

#include <stdio.h>

#include "ucpo.h"

/* A plan, the instance it is for, and what the checker says. */
struct checked {
    const ucpo_instance *inst;
    size_t index; /* in the data set */
    ucpo_plan plan;
    ucpo_evaluation eval;
};

/* Problem, name, size, distances, tolerance. */
void report_facts(FILE *out, const ucpo_instance_data *data, int asked_rounding);

/* Header and one row per stop. `asked_rounding`: --round was given. Returns the exit code of a
 * failure, or 0. */
int report_one(FILE *out, const struct checked *item, int asked_rounding);

/* A row per instance if they are few or `show_all`, then the averages. */
int report_set(FILE *out, const struct checked *items, size_t count, size_t instances,
               int show_all);

#endif
