/* Tests that run once per kernel set: CTest starts them with the name of one. */
#ifndef UCPO_TEST_KERNELS_H
#define UCPO_TEST_KERNELS_H

#include "math/kern.h"

enum { TEST_SKIPPED = 77 };

/* The set named by argv[1] (none: the best) into *out; returns 0, or TEST_SKIPPED with a message if
 * this machine does not have it. */
int test_kernels(int argc, char **argv, enum kern_set *out);

#endif
