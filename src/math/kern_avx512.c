/* Compiled with -mavx512f and its kin (see cmake/math.cmake); reached only on processors that have
 * them. A tile of a product, 14 x 32, is summed in 28 of 32 registers. The tests compile this file a
 * second time without these instructions (KERN_EMULATED): the same source, other registers. */
#if defined(__AVX512F__) || defined(KERN_EMULATED)

#define GEMM_BYTES (16 * (int)sizeof(real) < 64 ? 16 * (int)sizeof(real) : 64)
#define GEMM_ROWS  14
#define KERN_WIDE  16
#include "math/gemm_body.h"
#include "math/kern_body.h"

#define KERN_TABLE     kern_avx512
#define KERN_NAME      "avx512"
#define KERN_PRECISION "f32"
#define KERN_NT        gemm_nt
#define KERN_NN        gemm_nn
#define KERN_TN        gemm_tn
#include "math/kern_table.h"

#define KERN_TABLE     kern_avx512_bf16
#define KERN_NAME      "avx512"
#define KERN_PRECISION "bf16"
#define KERN_NT        gemm_nt_rounded
#define KERN_NN        gemm_nn_rounded
#define KERN_TN        gemm_tn_rounded
#include "math/kern_table.h"

/* AMX multiplies bf16; the rest is as above. */
#if defined(UCPO_HAVE_AMX) && !defined(UCPO_REAL_DOUBLE)
#include "math/gemm_amx.h"
#define KERN_TABLE     kern_amx_bf16
#define KERN_NAME      "amx"
#define KERN_PRECISION "bf16"
#define KERN_NT        gemm_amx_nt
#define KERN_NN        gemm_amx_nn
#define KERN_TN        gemm_amx_tn
#include "math/kern_table.h"
#endif

#else
typedef int kern_avx512_is_not_built;
#endif
