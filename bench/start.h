/* Where searches of the benchmarks begin: the best of the constructive rules. */
#ifndef UCPO_BENCH_START_H
#define UCPO_BENCH_START_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/stop.h"
#include "refine/refine.h"

/* Of those there is time for, the first always; `best` has room for 2 n nodes. Returns its length. */
static size_t construct_best(const ucpo_instance *inst, const struct stop *stop, int32_t *best)
{
    struct construct *rules = NULL;
    size_t room = 2 * (size_t)inst->data.n, len = 0, best_len = 0;
    int32_t *nodes = malloc(room * sizeof *nodes);
    ucpo_evaluation check, known = {0};
    double unit = inst->data.unit;
    int bad = !nodes || construct_create(inst, &rules, NULL);
    for (int rule = 0; !bad && rule < CONSTRUCT_RULES && (rule == 0 || !stop_is_asked(stop));
         rule++) {
        bad = construct_run(rules, rule, NULL, nodes, &len, NULL) ||
              ucpo_check(inst, nodes, len, &check, NULL, 0, NULL, 0, NULL);
        if (bad || (rule > 0 && ucpo_compare(NULL, check.cost / unit, check.violation,
                                             known.cost / unit, known.violation) >= 0))
            continue;
        known = check;
        best_len = len;
        memcpy(best, nodes, len * sizeof *nodes);
    }
    construct_free(rules);
    free(nodes);
    if (bad) {
        fprintf(stderr, "a constructive rule failed\n");
        exit(1); /* NOLINT(concurrency-mt-unsafe) */
    }
    return best_len;
}

#endif
