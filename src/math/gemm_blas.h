/* Products of a foreign library, for builds with UCPO_BLAS: they serve the portable kernel set, on
 * processors we have no kernels for. */
#ifndef UCPO_MATH_GEMM_BLAS_H
#define UCPO_MATH_GEMM_BLAS_H

#include "math/real.h"

void gemm_blas_nt(int m, int n, int k, real alpha, const real *a, int lda, const real *b, int ldb,
                  real beta, real *c, int ldc);
void gemm_blas_nn(int m, int n, int k, real alpha, const real *a, int lda, const real *b, int ldb,
                  real beta, real *c, int ldc);
void gemm_blas_tn(int m, int n, int k, real alpha, const real *a, int lda, const real *b, int ldb,
                  real beta, real *c, int ldc);

/* Whether two of our threads may call it at the same time. */
int gemm_blas_is_thread_safe(void);

/* Its name and version, and the threads it reports. */
const char *gemm_blas_name(char *buf, unsigned long size);

#endif
