/* Random instances of every shape an instance can have, beyond what the generators draw. */
#ifndef UCPO_TEST_RANDOM_INSTANCE_H
#define UCPO_TEST_RANDOM_INSTANCE_H

#include "problem/problem.h"

enum test_shape {
    SHAPE_GENERATED,  /* what the generator draws, first level */
    SHAPE_MATRIX,     /* asymmetric integer cost matrix, whole times, service */
    SHAPE_TWO_MATRIX, /* separate real-valued duration matrix, service */
    SHAPE_TIGHT, /* coordinates, real loads, tight windows, limits and depot: often infeasible */
    SHAPE_COUNT
};

/* A valid instance of n nodes; aborts the test on failure. Free with ucpo_instance_free. */
ucpo_instance *test_random_instance(const struct prob_ops *ops, int32_t n, enum test_shape shape,
                                    uint64_t seed);

#endif
