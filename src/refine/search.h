/* What the facade (refine.c) needs of the search for one vehicle (tour.c). The arguments are those of
 * the refine_ functions. */
#ifndef UCPO_REFINE_SEARCH_H
#define UCPO_REFINE_SEARCH_H

#include "refine/refine.h"

struct tour;

ucpo_status tour_create(const ucpo_instance *inst, const struct stop *stop, struct tour **out,
                        ucpo_error *err);
void tour_free(struct tour *tour);
ucpo_status tour_bind(struct tour *tour, const ucpo_instance *inst, const struct stop *stop,
                      ucpo_error *err);
ucpo_status tour_start(struct tour *tour, const int32_t *nodes, size_t len, uint64_t seed,
                       ucpo_error *err);
ucpo_status tour_run(struct tour *tour, int64_t effort, const struct stop *stop, ucpo_error *err);
struct refined tour_best(const struct tour *tour);

#endif
