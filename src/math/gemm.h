/* Matrix products, row-major, single-threaded: threads are ours, above this level. */
#ifndef UCPO_MATH_GEMM_H
#define UCPO_MATH_GEMM_H

#include "math/real.h"

/* Each: C (m x n, row stride ldc) = alpha * op(A) op(B) + beta * C.
 *   gemm_nt   A m x k, B n x k    y = x W^T, the forward of a linear layer
 *   gemm_nn   A m x k, B k x n    dx = dy W
 *   gemm_tn   A k x m, B k x n    dW = dy^T x */
void gemm_nt(int m, int n, int k, real alpha, const real *a, int lda, const real *b, int ldb,
             real beta, real *c, int ldc);
void gemm_nn(int m, int n, int k, real alpha, const real *a, int lda, const real *b, int ldb,
             real beta, real *c, int ldc);
void gemm_tn(int m, int n, int k, real alpha, const real *a, int lda, const real *b, int ldb,
             real beta, real *c, int ldc);

/* Makes the BLAS single-threaded where it has threads of its own; call before parallel work. */
void gemm_use_one_thread(void);

/* Whether two of our threads may call it at the same time. */
int gemm_is_thread_safe(void);

/* Name and version of the BLAS in use, and the threads it reports. */
const char *gemm_backend(char *buf, unsigned long size);

#endif
