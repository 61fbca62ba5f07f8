/* Tests that run once per kernel set: CTest starts them with the name of one. */
#ifndef UCPO_TEST_KERNELS_H
#define UCPO_TEST_KERNELS_H

#include "math/kern.h"
#include "support/support.h"

/* AVX-512 and AMX on any machine (kern_emulated.c); in double the second is the first. */
extern const struct kern_ops kern_emulated, kern_emulated_rounded, kern_emulated_amx;

/* The set named by argv[1] (none: the best; "emulated": those above), and its products with bf16
 * factors. Returns 0, or TEST_SKIPPED with a message if this machine does not have it. */
int test_kernels(int argc, char **argv, const struct kern_ops **f32, const struct kern_ops **bf16);

#endif
