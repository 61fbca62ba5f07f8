/* Small instances of small numbers, in which being just in time, just full and just too late are frequent,
 * and all plans of an instance. */
#ifndef UCPO_TEST_SMALL_H
#define UCPO_TEST_SMALL_H

#include "problem/problem.h"

enum { SMALL_NODES = 9 };

/* What an instance is drawn with; the rest is up to the seed. */
enum small_with {
    SMALL_GAPS = 1,   /* some legs have no way */
    SMALL_METRIC = 2, /* the triangle inequality holds, also for the times */
    SMALL_BROKEN =
        4,          /* quarters, and loads off by half and twice what is tolerated; else some are */
    SMALL_HEAVY = 8 /* loads and capacities up to some hundred */
};

/* Numbers are whole or quarters, so that sums are exact. Matrices need not be symmetric. Windows and
 * limits lie around a hidden plan, to which most keep; tolerances of time are 0, 0.5, 1 or derived. */
ucpo_instance *test_small_instance(const struct prob_ops *ops, int32_t n, unsigned with,
                                   uint64_t seed);

/* Every order of the customers; fleets: every way to cut it into routes (no empty ones, no 0 at the
 * end, and routes in any order). */
typedef void test_plan_fn(void *user, const ucpo_instance *inst, const int32_t *plan, size_t len,
                          const ucpo_evaluation *eval);
void test_each_plan(const ucpo_instance *inst, test_plan_fn *visit, void *user);

/* Least cost of a feasible plan; HUGE_VAL: there is none. */
double test_least_cost(const ucpo_instance *inst);

#endif
