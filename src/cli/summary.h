/* What a data set holds, in a few numbers. */
#ifndef UCPO_CLI_SUMMARY_H
#define UCPO_CLI_SUMMARY_H

#include <stdio.h>

#include "ucpo.h"

struct range {
    double low, high;
};

struct summary {
    const char *problem; /* NULL if instances differ */
    const char *name;    /* of the only instance, or NULL */
    size_t count;
    struct range n, unit, tolerance, capacity, vehicles, best_known, total_demand;
    struct range least_vehicles; /* total demand / capacity, rounded up */
    size_t with_matrix, asymmetric, with_duration, with_speed;
    ucpo_metric metric;                  /* of the first instance without matrix */
    ucpo_rounding rounding;              /* same */
    size_t customers, windowed, limited; /* over all instances; limited: limit < total demand */
    double window_width, window_share;   /* sums over windowed customers; share of the horizon */
    double horizon;                      /* sum over instances: latest finite due - opening */
    size_t with_windows, with_limits, with_capacity, with_service, with_fleet;
    ucpo_draft draft;
};

struct summary summarize(const ucpo_dataset *set);

/* "key   value" lines; the members of a JSON object. */
void summary_text(FILE *out, const struct summary *summary);
void summary_json(FILE *out, const struct summary *summary, int *is_first);

#endif
