/* Numbers of things, sorted by what they are worth. */
#ifndef UCPO_CORE_SORT_H
#define UCPO_CORE_SORT_H

#include <stdint.h>

/* Items by key[item], the smallest first; equal ones by their number. In place: by insertion, or by a
 * heap where that takes long. */
void sort_by_key(int32_t *item, int32_t count, const double *key);

/* The k-th of the values, from 0, if they were sorted. Leaves them in another order. */
double sort_kth(double *value, int32_t count, int32_t k);

#endif
