/* What the solve command found, as text and as data. */
#ifndef UCPO_CLI_SOLVE_REPORT_H
#define UCPO_CLI_SOLVE_REPORT_H

#include <stdio.h>

#include "cli/explain_report.h"

struct solved {
    const char *file;  /* as given */
    const char *model; /* file, or NULL: constructive rules only */
    size_t index;      /* in its file */
    int is_set;        /* the file holds several instances */
    const ucpo_instance *inst;
    ucpo_solution *solution; /* NULL for a while: another process's */
    int is_copy;             /* the solution is not the library's */
    uint64_t seed;
    struct explained why; /* findings NULL: feasible, or not explained */
};

void solved_free(struct solved *item); /* solution and findings */

/* One instance: how it was solved, then the report of the check command. Returns the exit code of a
 * failure, or 0. */
int solve_text_one(FILE *out, const struct solved *item, int asked_rounding);

/* A line on stderr about the plans written to `path`; that some are infeasible is said in any case.
 */
void solve_announce(const char *path, const struct solved *items, size_t count);

/* A row per instance and the averages. */
int solve_text_set(FILE *out, const struct solved *items, size_t count);

/* Facts about the search as a JSON value: an object, for several an array. */
void solve_json_facts(FILE *out, const struct solved *items, size_t count);

#endif
