/* Our own single-precision product for processors with AVX2 and FMA; see gemm.c for its use. */
#ifndef UCPO_MATH_GEMM_AVX2_H
#define UCPO_MATH_GEMM_AVX2_H

#include "math/real.h"

#include <stddef.h>

/* c (m x n) = alpha * a (m x k) * b (k x n) + beta * c. a and c are rows of lda and ldc, element (l, j)
 * of b sits at b[l * row_b + j * column_b]. */
struct gemm_product {
    int m, n, k;
    real alpha;
    const real *a;
    size_t lda;
    const real *b;
    size_t row_b, column_b;
    real beta;
    real *c;
    size_t ldc;
};

void gemm_avx2(const struct gemm_product *product);

#endif
