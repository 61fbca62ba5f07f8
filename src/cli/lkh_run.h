/* LKH as a process: its files, its time, its end. */
#ifndef UCPO_CLI_LKH_RUN_H
#define UCPO_CLI_LKH_RUN_H

#include "cli/cli.h"

enum { LKH_PATH = 4096 };

struct lkh_job {
    char program[LKH_PATH];
    char folder[LKH_PATH];                                                       /* temporary */
    char problem[LKH_PATH], parameters[LKH_PATH], tour[LKH_PATH], log[LKH_PATH]; /* in it */
    long trials;
    int vehicles; /* 0: a tour */
    double seconds;
    char complaint[200]; /* of the last run that failed */
};

enum lkh_end { LKH_DONE, LKH_FAILED, LKH_LATE };

/* Finds the program and makes the folder. Messages are printed; the result is the exit code. */
int lkh_begin(struct lkh_job *job, const char *program);
void lkh_end(struct lkh_job *job);

/* Runs it on a problem file; job->tour is what it wrote. Exit code: only for what is wrong here. */
int lkh_run(struct lkh_job *job, const char *bytes, size_t size, enum lkh_end *end);

#endif
