/* Compiled with -mavx2 -mfma (see cmake/math.cmake); reached only on processors that have both. A tile
 * of a product, 6 x 16, is summed in 12 of 16 registers. */
#if defined(__AVX2__) && defined(__FMA__)

#define GEMM_BYTES 32
#define GEMM_ROWS  6
#include "math/gemm_body.h"
#include "math/kern_body.h"

#define KERN_TABLE     kern_avx2
#define KERN_NAME      "avx2"
#define KERN_PRECISION "f32"
#define KERN_NT        gemm_nt
#define KERN_NN        gemm_nn
#define KERN_TN        gemm_tn
#include "math/kern_table.h"

#define KERN_TABLE     kern_avx2_bf16
#define KERN_NAME      "avx2"
#define KERN_PRECISION "bf16"
#define KERN_NT        gemm_nt_rounded
#define KERN_NN        gemm_nn_rounded
#define KERN_TN        gemm_tn_rounded
#include "math/kern_table.h"

#else
typedef int kern_avx2_is_not_built;
#endif
