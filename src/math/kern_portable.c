/* Baseline instructions of the target. Where a BLAS is built in, it makes the products of this set. */
#define GEMM_BYTES 16
#define GEMM_ROWS  4
#include "math/gemm_body.h"
#include "math/kern_body.h"

#ifdef UCPO_HAVE_BLAS
#include "math/gemm_blas.h"
#define KERN_NT gemm_blas_nt
#define KERN_NN gemm_blas_nn
#define KERN_TN gemm_blas_tn
#else
#define KERN_NT gemm_nt
#define KERN_NN gemm_nn
#define KERN_TN gemm_tn
#endif
#define KERN_TABLE     kern_portable
#define KERN_NAME      "portable"
#define KERN_PRECISION "f32"
#include "math/kern_table.h"

#define KERN_TABLE     kern_portable_bf16
#define KERN_NAME      "portable"
#define KERN_PRECISION "bf16"
#define KERN_NT        gemm_nt_rounded
#define KERN_NN        gemm_nn_rounded
#define KERN_TN        gemm_tn_rounded
#include "math/kern_table.h"
