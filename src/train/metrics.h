/* The figures of a training run: one row each. Who adds one adds its member to ucpo_train_report, a row here, and
 * fills it in (trainer.c; if it is a mean over instances, the row does). */
#ifndef UCPO_TRAIN_METRICS_H
#define UCPO_TRAIN_METRICS_H

#include "core/status.h"

/* What a step sums up, over batches and over processes. */
enum figure {
    FIGURE_INSTANCES,
    FIGURE_LOSS,
    FIGURE_DUAL,
    FIGURE_MARGIN,
    FIGURE_PRIMAL,
    FIGURE_DUAL_ACTIVE,
    FIGURE_MARGIN_ACTIVE,
    FIGURE_PRIMAL_ACTIVE,
    FIGURE_INFEASIBLE_SAMPLES,
    FIGURE_INFEASIBLE_INSTANCES,
    FIGURE_OBJECTIVE, /* sum of the best feasible ones */
    FIGURE_REPLAYED,
    FIGURE_AUX_LOSS,
    FIGURE_NODES0,
    FIGURE_NODES1,
    FIGURE_RIGHT0,
    FIGURE_RIGHT1,
    FIGURE_ANCHORS,
    FIGURE_ANCHORS_MASKED,
    FIGURE_ANCHOR_GAINS,
    FIGURE_ANCHOR_GAIN,
    FIGURE_ANCHOR_LOG_PROB,
    FIGURE_FAILED,   /* processes that could not go on */
    FIGURE_DIVERGED, /* those of them that met a number that is not finite */
    FIGURE_STOP,     /* processes that want to stop */
    FIGURE_LIMIT,    /* processes that have reached a limit */
    FIGURE_MARK0,    /* weights and step before the step: two numbers below MARK */
    FIGURE_MARK1,
    FIGURES
};

enum metric_kind { METRIC_TEXT, METRIC_LONG, METRIC_INT, METRIC_REAL };

struct metric {
    const char *name; /* column of the logs; NULL: in none */
    enum metric_kind kind;
    size_t offset;   /* in ucpo_train_report */
    enum figure sum; /* METRIC_REAL: a mean over instances, of this; FIGURE_INSTANCES: no mean */
};

/* Row `index` in the order of the logs' columns, NULL past the end. */
const struct metric *metric_at(size_t index);

enum { METRICS = 32 };

double metric_get(const ucpo_train_report *report, const struct metric *metric);
void metric_set(ucpo_train_report *report, const struct metric *metric, double value);

/* All numbers that are not counts NaN. */
void metrics_clear(ucpo_train_report *report);

/* The means over instances, from the sums. */
void metrics_take_means(ucpo_train_report *report, const float sums[FIGURES]);

#endif
