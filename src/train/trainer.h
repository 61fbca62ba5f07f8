/* The state of a run and one optimiser step. Knows no files. */
#ifndef UCPO_TRAIN_TRAINER_H
#define UCPO_TRAIN_TRAINER_H

#include "train/pipd.h"
#include "train/source.h"

/* Everything besides the big arrays that a checkpoint must keep. */
struct trainer_counters {
    int64_t step, batches, instances;    /* done in all */
    int64_t phase_step, phase_instances; /* done of the current phase */
    int phase;                           /* from 0; plan->phases: finished */
    int64_t adam_step;
};

enum { TRAINER_POOL = 4 };

struct trainer {
    const struct train_plan *plan;
    const struct nn_model *model;
    const struct kern_ops *kern;
    const ucpo_comm *comm; /* NULL: alone */
    real *params;          /* the model's own */
    real *m, *v;           /* Adam */
    real *grads;           /* sum over the batches of a step */
    float *shared;         /* gradient and figures, for comm */
    double time_share;     /* of a run that is measured in time: what is over, 0 .. 1 */
    int wish, heard;       /* why this process wants to stop, and why any did at the last step:
                              ucpo_train_end, 0: go on */
    struct trainer_counters at;
    struct pipd pipd;
    struct source *source;
    struct step *pool[TRAINER_POOL]; /* workspaces by number of nodes, latest first */
    struct arena arena;              /* the arrays above */
};

ucpo_status trainer_create(const struct train_plan *plan, const struct nn_model *model,
                           real *params, const ucpo_comm *comm, struct trainer **out,
                           ucpo_error *err);
void trainer_free(struct trainer *trainer);

int trainer_is_done(const struct trainer *trainer);

/* The time of the run is over: no step comes any more. */
void trainer_finish(struct trainer *trainer);

/* A finished run that has become longer: it is in its last phase again. */
void trainer_reopen(struct trainer *trainer);

/* One step. A loss or gradient that is not finite is UCPO_E_DIVERGED and changes nothing; the batch
 * can then be drawn again (trainer_draw). Fills what a step knows of a report. */
ucpo_status trainer_step(struct trainer *trainer, ucpo_train_report *report, ucpo_error *err);

/* A report of where the run stands, all figures NaN. */
ucpo_train_report trainer_report(const struct trainer *trainer);

/* The instances of the step that comes next (or has just failed), batch by batch. */
ucpo_status trainer_draw(struct trainer *trainer, int64_t batch, struct source_batch *out,
                         ucpo_error *err);

/* Bytes the plan needs at most: weights, optimiser, workspaces of the largest sizes; creates these. */
ucpo_status trainer_measure(struct trainer *trainer, size_t *bytes, ucpo_error *err);

#endif
