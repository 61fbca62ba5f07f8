/* A run directory: what the files of this room share about it. */
#ifndef UCPO_API_TRAIN_H
#define UCPO_API_TRAIN_H

#include "api/model.h"
#include "eval/eval.h"
#include "io/append.h"
#include "train/metrics.h"
#include "train/trainer.h"

enum { RUN_PATH = TRAIN_PATH + 64 };

/* ---- metrics (train_log.c) ---- */

enum { RUN_LOGS = 3 }; /* metrics.jsonl, metrics.csv, events */

struct run_logs {
    struct io_append log[RUN_LOGS];
    char events_name[128];
    char damage[160]; /* names of logs that were shorter than saved or missing; "": none */
};

/* offset[k] -1: begin a new file. `events_name` must be set for old ones. Weights do not depend on
 * logs: one that is missing or too short is gone on with, and named in `damage`. */
ucpo_status run_logs_open(struct run_logs *logs, const char *dir, const int64_t offset[RUN_LOGS],
                          ucpo_error *err);
ucpo_status run_logs_put(struct run_logs *logs, const ucpo_train_report *report, ucpo_error *err);
void run_logs_close(struct run_logs *logs);

/* Averages over the steps since the last line. Values that are NaN do not count. */
struct run_mean {
    ucpo_train_report sum; /* numbers are sums; the rest is the last report's */
    int64_t count[METRICS];
    int64_t steps;
};

void run_mean_add(struct run_mean *mean, const ucpo_train_report *report);
ucpo_train_report run_mean_take(struct run_mean *mean);

/* ---- validation (train_validate.c) ---- */

struct validation {
    ucpo_dataset *set;
    const ucpo_instance **instance;
    ucpo_eval_record *record;
    double *reference; /* or NULL */
    size_t count;
    size_t split_of;      /* own data that was split: all of it; 0: it was not */
    struct eval *eval[2]; /* greedy, sampled */
};

ucpo_status validation_create(const struct train_plan *plan, const struct nn_model *model,
                              struct validation **out, ucpo_error *err);
void validation_free(struct validation *validation);

/* kind 0: greedy, 1: sampled. Fills the validation figures of `report`. */
ucpo_status validation_run(struct validation *validation, int kind, const real *params,
                           const ucpo_comm *comm, const ucpo_hooks *hooks,
                           ucpo_train_report *report, ucpo_error *err);

/* ---- checkpoints (train_checkpoint.c) ---- */

struct run {
    char dir[TRAIN_PATH];
    struct train_plan *plan;
    struct ucpo_model *model;
    struct trainer *trainer;
    struct validation *validation; /* or NULL */
    struct run_logs logs;
    struct run_mean mean;
    const ucpo_train_hooks *hooks;
    int writes;                                           /* this process writes the files */
    int lock;                                             /* file descriptor, or -1 */
    double elapsed;                                       /* seconds in all sessions */
    double best_infeasible, best_objective, best_samples; /* of the best validation so far */
    int64_t best_at;                                      /* and when it was */
    int has_before[2];
    ucpo_train_report before[2], after[2]; /* validation: greedy, sampled */
    int64_t validated_at;                  /* instances; -1: never */
    int64_t kept_at;
    int has_new_length; /* another than the checkpoint's */
    char *settings;     /* what decides the result (train_settings.c) */
};

/* ---- instances that teach nothing (train_impossible.c) ---- */

/* A sentence about the first phase of which a share is proved to have no feasible plan; 0: none. Looks at
 * some instances of each phase, small ones only. */
int run_impossible(const struct run *run, char *text, size_t size);

/* ---- settings that decide the result (train_settings.c) ---- */

/* Fills run->settings from the plan and from the instances that were read; the shape of the network is
 * that of the model in a new run, that of the plan in one that goes on. */
ucpo_status run_settings_make(struct run *run, int is_new, ucpo_error *err);

/* Compares them with those in the checkpoint that run->model came from. A difference is
 * UCPO_E_MISMATCH, or recorded in the fact "train.changed" if it is the length of the run or allow-changes
 * names it. */
ucpo_status run_settings_check(struct run *run, ucpo_error *err);

/* Writes a checkpoint, for example last.safetensors: flushes the logs first, so that the offsets in
 * it hold. */
ucpo_status run_save(struct run *run, const char *name, ucpo_error *err);

/* Path of the checkpoint that the run goes on from. */
void run_checkpoint_path(const struct run *run, char path[RUN_PATH]);

/* Reads that checkpoint into the run's trainer and counters, and the offsets of the logs; the model is there. */
ucpo_status run_load(struct run *run, int64_t offset[RUN_LOGS], ucpo_error *err);

/* The optimiser of a checkpoint, for a warm start that carries it on. */
ucpo_status run_load_optimiser(struct run *run, const char *path, ucpo_error *err);

#endif
