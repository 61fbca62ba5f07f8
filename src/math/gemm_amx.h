/* Products on the tiles of AMX: factors rounded to bf16, sums in float32. Only where cpu_has_amx. */
#ifndef UCPO_MATH_GEMM_AMX_H
#define UCPO_MATH_GEMM_AMX_H

#include "math/real.h"

void gemm_amx_nt(int m, int n, int k, real alpha, const real *a, int lda, const real *b, int ldb,
                 real beta, real *c, int ldc);
void gemm_amx_nn(int m, int n, int k, real alpha, const real *a, int lda, const real *b, int ldb,
                 real beta, real *c, int ldc);
void gemm_amx_tn(int m, int n, int k, real alpha, const real *a, int lda, const real *b, int ldb,
                 real beta, real *c, int ldc);

#endif
