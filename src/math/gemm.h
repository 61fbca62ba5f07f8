/* What a matrix product is asked for. Row-major, single-threaded: threads are ours, above this
 * level. The functions themselves are in struct kern_ops, chosen with the other kernels. */
#ifndef UCPO_MATH_GEMM_H
#define UCPO_MATH_GEMM_H

#include "math/real.h"

#include <stddef.h>

/* c (m x n, rows of ldc) = alpha * a (m x k) * b (k x n) + beta * c. Element (i, l) of a is at
 * a[i * row_a + l * column_a], element (l, j) of b at b[l * row_b + j * column_b]. */
struct gemm_product {
    int m, n, k;
    real alpha;
    const real *a;
    size_t row_a, column_a;
    const real *b;
    size_t row_b, column_b;
    real beta;
    real *c;
    size_t ldc;
    int is_rounded; /* a and b are first rounded to bf16 */
};

#endif
