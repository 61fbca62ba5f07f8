/* The AMX products over imitated tiles. */
#define gemm_amx_nt emulated_amx_nt
#define gemm_amx_nn emulated_amx_nn
#define gemm_amx_tn emulated_amx_tn

#ifndef UCPO_REAL_DOUBLE
#include "support/amx_imitation.h"

#include "math/gemm_amx_body.h"
#else
typedef int amx_is_not_emulated_in_double;
#endif
