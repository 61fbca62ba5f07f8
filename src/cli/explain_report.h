/* Findings about an instance and a plan, as text and as data: for explain, and for solve when it found
 * nothing feasible. */
#ifndef UCPO_CLI_EXPLAIN_REPORT_H
#define UCPO_CLI_EXPLAIN_REPORT_H

#include <stdio.h>

#include "ucpo.h"

/* An instance, its plan if there is one, and the findings. */
struct explained {
    const ucpo_instance *inst;
    size_t index;
    int has_plan;
    int is_found; /* the plan is the solver's best, not the user's */
    ucpo_evaluation eval;
    ucpo_explanation *findings;
    int code; /* what the exit status would be */
};

/* plan may be NULL. Messages are printed; the result is the exit code. On success the caller frees
 * out->findings. */
int explain_one(const ucpo_instance *inst, const ucpo_plan *plan, struct explained *out);

/* Facts, verdict and findings of one instance. */
void explain_print_detail(FILE *out, const struct explained *item, int asked_rounding);

/* Verdict and findings alone, for the end of another report. */
void explain_print_findings(FILE *out, const struct explained *item);

/* Why the plan is infeasible, in one sentence, into buf; returns buf. */
const char *explain_in_short(const struct explained *item, char *buf, size_t size);

/* A line, or nothing if there is nothing to say. */
void explain_print_row(FILE *out, const struct explained *item);

/* An object. */
void explain_put_item(FILE *out, const struct explained *item);

#endif
