/* The only file that knows a BLAS. */
#include "math/gemm.h"
#include "math/gemm_avx2.h"

#include <stdio.h>

#ifdef UCPO_BLAS_REF

/* Plain loops: for builds without a foreign library (memory sanitizer, fuzzing). */
static void reference(int m, int n, int k, real alpha, const real *a, int row_a, int col_a,
                      const real *b, int row_b, int col_b, real beta, real *c, int ldc)
{
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            real sum = 0;
            for (int l = 0; l < k; l++) sum += a[i * row_a + l * col_a] * b[l * row_b + j * col_b];
            c[i * ldc + j] = alpha * sum + (beta == 0 ? 0 : beta * c[i * ldc + j]);
        }
    }
}

void gemm_nt(int m, int n, int k, real alpha, const real *a, int lda, const real *b, int ldb,
             real beta, real *c, int ldc)
{
    reference(m, n, k, alpha, a, lda, 1, b, 1, ldb, beta, c, ldc);
}

void gemm_nn(int m, int n, int k, real alpha, const real *a, int lda, const real *b, int ldb,
             real beta, real *c, int ldc)
{
    reference(m, n, k, alpha, a, lda, 1, b, ldb, 1, beta, c, ldc);
}

void gemm_tn(int m, int n, int k, real alpha, const real *a, int lda, const real *b, int ldb,
             real beta, real *c, int ldc)
{
    reference(m, n, k, alpha, a, 1, lda, b, ldb, 1, beta, c, ldc);
}

void gemm_use_one_thread(void)
{
}

int gemm_is_thread_safe(void)
{
    return 1;
}

const char *gemm_backend(char *buf, unsigned long size)
{
    snprintf(buf, size, "reference loops");
    return buf;
}

#else

#include <cblas.h>

#ifdef UCPO_REAL_DOUBLE
#define GEMM cblas_dgemm
#else
#define GEMM cblas_sgemm
#endif

/* Where a is given by rows our own product is faster on the network's shapes (docs/speed.md). */
static int is_own_faster(void)
{
#if defined(UCPO_HAVE_AVX2) && !defined(UCPO_REAL_DOUBLE)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return 0;
#endif
}

void gemm_nt(int m, int n, int k, real alpha, const real *a, int lda, const real *b, int ldb,
             real beta, real *c, int ldc)
{
    if (is_own_faster())
        gemm_avx2(&(struct gemm_product){m, n, k, alpha, a, (size_t)lda, b, 1, (size_t)ldb, beta, c,
                                         (size_t)ldc});
    else
        GEMM(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void gemm_nn(int m, int n, int k, real alpha, const real *a, int lda, const real *b, int ldb,
             real beta, real *c, int ldc)
{
    if (is_own_faster())
        gemm_avx2(&(struct gemm_product){m, n, k, alpha, a, (size_t)lda, b, (size_t)ldb, 1, beta, c,
                                         (size_t)ldc});
    else
        GEMM(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, alpha, a, lda, b, ldb, beta, c,
             ldc);
}

void gemm_tn(int m, int n, int k, real alpha, const real *a, int lda, const real *b, int ldb,
             real beta, real *c, int ldc)
{
    GEMM(CblasRowMajor, CblasTrans, CblasNoTrans, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

/* Present in one BLAS or the other; weak, so that any CBLAS links. */
extern void openblas_set_num_threads(int threads) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));
extern char *openblas_get_config(void) __attribute__((weak));
extern int openblas_get_parallel(void) __attribute__((weak));
extern void bli_thread_set_num_threads(long threads) __attribute__((weak));
extern const char *bli_info_get_version_str(void) __attribute__((weak));

void gemm_use_one_thread(void)
{
    if (openblas_set_num_threads) openblas_set_num_threads(1);
    if (bli_thread_set_num_threads) bli_thread_set_num_threads(1);
}

int gemm_is_thread_safe(void)
{
    return !openblas_get_parallel || openblas_get_parallel() != 0; /* 0: built without locks */
}

const char *gemm_backend(char *buf, unsigned long size)
{
    if (openblas_get_config)
        snprintf(buf, size, "%s, %d thread(s)", openblas_get_config(),
                 openblas_get_num_threads ? openblas_get_num_threads() : 1);
    else if (bli_info_get_version_str)
        snprintf(buf, size, "BLIS %s, 1 thread", bli_info_get_version_str());
    else
        snprintf(buf, size, "CBLAS of unknown make");
    return buf;
}

#endif
