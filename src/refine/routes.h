/* The search for fleets: ruin and recreate under annealing, local search, adaptive penalties.
 *
 * The functions mean what their namesakes in refine.h mean. For instances with time windows and
 * capacity and any number of vehicles. */
#ifndef UCPO_REFINE_ROUTES_H
#define UCPO_REFINE_ROUTES_H

#include "refine/refine.h"

struct routes;

ucpo_status routes_create(const ucpo_instance *inst, const struct stop *stop, struct routes **out,
                          ucpo_error *err);
ucpo_status routes_bind(struct routes *routes, const ucpo_instance *inst, const struct stop *stop,
                        ucpo_error *err);
void routes_free(struct routes *routes);
ucpo_status routes_start(struct routes *routes, const int32_t *nodes, size_t len, uint64_t seed,
                         ucpo_error *err);
ucpo_status routes_run(struct routes *routes, int64_t effort, const struct stop *stop,
                       ucpo_error *err);
struct refined routes_best(const struct routes *routes);

#endif
