/* Verdicts in words. Each says how far the plan exceeds a limit, tolerated or not. */
#ifndef UCPO_CLI_VERDICT_H
#define UCPO_CLI_VERDICT_H

#include <stdio.h>

#include "ucpo.h"

/* Room for a verdict. */
enum { PLAN_VERDICT = 800 };

/* "late 3.2 in all at 1 stop, 2 customers missing" into buf; returns buf. */
const char *plan_violations(const ucpo_evaluation *eval, char *buf, size_t size);

/* "GOOD, largest excess 0", "GOOD, within tolerance 0.001: largest excess 2e-05 in time" or
 * "BAD: late 3.2 in all at 1 stop; largest excess 3.2 in time"; behind it what the file is not, if reading
 * left something out. */
const char *plan_verdict(const ucpo_instance *inst, const ucpo_evaluation *eval, const char *good,
                         const char *bad, char *buf, size_t size);

/* "; of the instance as read, ...", or nothing if the claim is true of the file. */
void print_claim_note(FILE *out, const ucpo_instance *inst, ucpo_claim claim);

/* The first few things that were left out when the instance was read, as lines of a report. */
void report_left_out(FILE *out, const ucpo_instance_data *data);

/* Of many instances: how many are not their file's problem. Nothing if there are none. */
void report_changed(FILE *out, size_t changed);

/* "reading": "easier", "left_out": [...] as members of a JSON object, if something was left out. */
void put_json_reading(FILE *out, int *is_first, const ucpo_instance *inst);

/* Warnings that stay under --quiet. */
void tell_left_out(const char *file, const ucpo_dataset *set);

/* " km", or "" if nobody knows. */
const char *cost_unit_text(const ucpo_instance_data *data, char buf[24]);

/* Of many plans: how many need their tolerance, and the largest excess. */
struct excess {
    int has_any;
    size_t tolerated;
    double least, most; /* tolerances of the instances */
    double late_max, over_max;
};

void excess_add(struct excess *sum, const ucpo_evaluation *eval);

enum { EXCESS_TEXT = 320 };

/* "0.001, needed by no feasible plan: largest excess 0" and the like, into buf; returns buf. */
const char *excess_text(const struct excess *sum, char *buf, size_t size);

/* That as a line of a report, if there is a feasible plan. */
void report_excess(FILE *out, const struct excess *sum);

#endif
