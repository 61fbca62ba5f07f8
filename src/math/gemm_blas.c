/* The only file that knows a BLAS; empty without one (the default, see UCPO_BLAS in CMakeLists.txt). */
#include "math/gemm_blas.h"

#ifdef UCPO_HAVE_BLAS

#include <cblas.h>
#include <stdio.h>

#ifdef UCPO_REAL_DOUBLE
#define GEMM cblas_dgemm
#else
#define GEMM cblas_sgemm
#endif

void gemm_blas_nt(int m, int n, int k, real alpha, const real *a, int lda, const real *b, int ldb,
                  real beta, real *c, int ldc)
{
    GEMM(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void gemm_blas_nn(int m, int n, int k, real alpha, const real *a, int lda, const real *b, int ldb,
                  real beta, real *c, int ldc)
{
    GEMM(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void gemm_blas_tn(int m, int n, int k, real alpha, const real *a, int lda, const real *b, int ldb,
                  real beta, real *c, int ldc)
{
    GEMM(CblasRowMajor, CblasTrans, CblasNoTrans, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

/* Present in one BLAS or the other; weak, so that any CBLAS links. */
extern int openblas_get_num_threads(void) __attribute__((weak));
extern char *openblas_get_config(void) __attribute__((weak));
extern int openblas_get_parallel(void) __attribute__((weak));
extern const char *bli_info_get_version_str(void) __attribute__((weak));

int gemm_blas_is_thread_safe(void)
{
    return !openblas_get_parallel || openblas_get_parallel() != 0; /* 0: built without locks */
}

const char *gemm_blas_name(char *buf, unsigned long size)
{
    if (openblas_get_config)
        snprintf(buf, size, "%s, %d thread(s)", openblas_get_config(),
                 openblas_get_num_threads ? openblas_get_num_threads() : 1);
    else if (bli_info_get_version_str)
        snprintf(buf, size, "BLIS %s", bli_info_get_version_str());
    else
        snprintf(buf, size, "CBLAS of unknown make");
    return buf;
}

#endif
