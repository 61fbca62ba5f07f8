/* What ucpo eval found, as text, CSV, JSON or LaTeX. */
#ifndef UCPO_CLI_EVAL_REPORT_H
#define UCPO_CLI_EVAL_REPORT_H

#include <stdio.h>

#include "ucpo.h"

struct eval_row {
    const char *model; /* as typed */
    const char *mask;
    const char *refine; /* time of local search as typed, or NULL */
    ucpo_eval_record *records;
    ucpo_eval_summary summary;
    double seconds;
};

/* A reference that no plan can reach. Normalised. */
struct eval_doubt {
    size_t index; /* of the set's part at hand */
    double reference, bound;
};

struct eval_doubts {
    size_t below,
        asked; /* references below our plans; those of them that were held against a bound */
    struct eval_doubt *contradicted;
    size_t count;
};

struct eval_report {
    const char *source, *problem; /* of the set */
    size_t first, instances;
    int is_partial;                         /* interrupted: not all of them were solved */
    const char *reference;                  /* file, or NULL */
    const double *costs;                    /* normalised, one per instance, or NULL */
    double tolerance_least, tolerance_most; /* of the instances */
    size_t changed;                         /* instances that are not their file's problem */
    ucpo_eval_config config;
    struct eval_row *rows;
    size_t count;
    struct eval_doubts doubts; /* with references */
};

/* 0 if memory ran out. */
int eval_text(FILE *out, const struct eval_report *report);
void eval_csv(FILE *out, const struct eval_report *report);
void eval_json(FILE *out, const struct eval_report *report);
void eval_latex(FILE *out, const struct eval_report *report);

#endif
