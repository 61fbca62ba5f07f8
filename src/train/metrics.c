#include "train/metrics.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define AT(member) offsetof(ucpo_train_report, member)
#define REAL(name)                                                                                 \
    {                                                                                              \
#name, METRIC_REAL, AT(name), FIGURE_INSTANCES                                             \
    }
#define MEAN(name, sum)                                                                            \
    {                                                                                              \
#name, METRIC_REAL, AT(name), sum                                                          \
    }

static const struct metric metrics[] = {
    {"kind", METRIC_TEXT, AT(kind), FIGURE_INSTANCES},
    {"step", METRIC_LONG, AT(step), FIGURE_INSTANCES},
    {"instances", METRIC_LONG, AT(instances), FIGURE_INSTANCES},
    {"phase", METRIC_INT, AT(phase), FIGURE_INSTANCES},
    {"n", METRIC_INT, AT(n), FIGURE_INSTANCES},
    MEAN(loss, FIGURE_LOSS),
    MEAN(dual, FIGURE_DUAL),
    MEAN(margin, FIGURE_MARGIN),
    MEAN(primal, FIGURE_PRIMAL),
    MEAN(dual_share, FIGURE_DUAL_ACTIVE),
    MEAN(margin_share, FIGURE_MARGIN_ACTIVE),
    MEAN(primal_share, FIGURE_PRIMAL_ACTIVE),
    MEAN(infeasible_samples, FIGURE_INFEASIBLE_SAMPLES),
    MEAN(infeasible_instances, FIGURE_INFEASIBLE_INSTANCES),
    REAL(objective),
    REAL(gap),
    REAL(gap_of_means),
    REAL(lr),
    REAL(alpha),
    {"samples", METRIC_INT, AT(samples), FIGURE_INSTANCES},
    REAL(grad_norm),
    MEAN(replayed, FIGURE_REPLAYED),
    REAL(aux_loss),
    REAL(recall_feasible),
    REAL(recall_infeasible),
    REAL(anchor_share),
    REAL(anchor_masked),
    REAL(anchor_gain),
    REAL(anchor_log_prob),
    REAL(instances_per_s),
    REAL(elapsed),
    {NULL, METRIC_REAL, AT(anchor_time), FIGURE_INSTANCES}, /* differs from run to run */
};

static_assert(sizeof metrics / sizeof metrics[0] == METRICS, "METRICS counts the rows");

const struct metric *metric_at(size_t index)
{
    return index < METRICS ? &metrics[index] : NULL;
}

double metric_get(const ucpo_train_report *report, const struct metric *metric)
{
    double value;
    memcpy(&value, (const char *)report + metric->offset, sizeof value);
    return value;
}

void metric_set(ucpo_train_report *report, const struct metric *metric, double value)
{
    memcpy((char *)report + metric->offset, &value, sizeof value);
}

void metrics_clear(ucpo_train_report *report)
{
    for (size_t i = 0; i < METRICS; i++)
        if (metrics[i].kind == METRIC_REAL) metric_set(report, &metrics[i], (double)NAN);
}

void metrics_take_means(ucpo_train_report *report, const float sums[FIGURES])
{
    for (size_t i = 0; i < METRICS; i++)
        if (metrics[i].sum != FIGURE_INSTANCES)
            metric_set(report, &metrics[i],
                       (double)sums[metrics[i].sum] / (double)sums[FIGURE_INSTANCES]);
}
