/* References that lie below our plans: whether any plan can cost so little. */
#ifndef UCPO_CLI_EVAL_DOUBTS_H
#define UCPO_CLI_EVAL_DOUBTS_H

#include "cli/eval_report.h"

/* Holds up to `most` references against a lower bound of their instances: those below the best plan of all rows, the
 * farthest below first, then those of instances without a plan. Fills report->doubts, whose list the caller frees.
 * Returns the exit code. */
int eval_doubt(struct eval_report *report, const ucpo_dataset *set, size_t most);

#endif
