/* Compiled with -mamx-tile -mamx-bf16 (see cmake/math.cmake). */
#if defined(UCPO_HAVE_AMX) && !defined(UCPO_REAL_DOUBLE)
#include <immintrin.h>

#include "math/gemm_amx_body.h"
#else
typedef int gemm_amx_is_not_built;
#endif
