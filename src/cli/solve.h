/* The parts of the solve command. */
#ifndef UCPO_CLI_SOLVE_H
#define UCPO_CLI_SOLVE_H

#include <stdio.h>

#include "cli/cli.h"
#include "cli/explain_report.h"

/* ---- what the solve command found, as text and as data (solve_report.c) ---- */

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

/* No plan of the instance is feasible: proved by the search or by what was found after it. */
int solved_is_hopeless(const struct solved *item);

/* One instance: how it was solved, then the report of the check command. Returns the exit code of a
 * failure, or 0. */
int solve_text_one(FILE *out, const struct solved *item, int asked_rounding);

/* A line on stderr about the plans written to `path`; that some are infeasible is said in any case.
 */
void solve_announce(const char *path, const struct solved *items, size_t count);

/* A line on stderr for each of the first infeasible plans: why. */
void solve_say_why(const struct solved *items, size_t count);

/* A row per instance and the averages. */
int solve_text_set(FILE *out, const struct solved *items, size_t count);

/* Facts about the search as a JSON value: an object, for several an array. */
void solve_json_facts(FILE *out, const struct solved *items, size_t count);

/* ---- solutions that several processes found, made known to all of them (solve_share.c) ---- */

/* Whether this process solves item `number`: every comm->ranks-th. comm NULL: all. */
int solve_is_mine(const ucpo_comm *comm, size_t number);

/* All processes tell how they fared: a failure (`code`) makes the call fail everywhere; `was_interrupted`
 * becomes true if any process was. Returns the exit code. */
int solve_agree(const ucpo_comm *comm, size_t count, int code, int *was_interrupted);

/* Fills in the solutions of the others (items without one); an item that nobody solved, since they
 * were interrupted, stays without. `code` and `was_interrupted` as above. Returns the exit code. */
int solve_share(const ucpo_comm *comm, struct solved *items, size_t count, int code,
                int *was_interrupted);

/* ---- where the plans of the solve command go (solve_target.c) ---- */

enum { TARGET_PATH_SIZE = 4096 };

struct solve_target {
    const char *output, *format;
    const char *cloud, *model; /* or NULL */
    int is_folder;             /* the output: a plan file for each input */
    char *const *inputs;
    size_t count;
};

/* Before any work: no input is replaced, no two plan files have one name, and there is a place for
 * all of them; a folder is made. Returns the exit code, after a message if it is not 0. */
int solve_target_check(const struct command *self, const struct solve_target *t);

/* Formats that hold one plan do not take `count`, those of `input` (NULL: of all). */
int solve_target_takes(const struct solve_target *t, const char *input, size_t count);

/* The plan file of an input in the folder, into path. Returns the exit code. */
int solve_target_path(const struct solve_target *t, const char *input, char path[TARGET_PATH_SIZE]);

#endif
