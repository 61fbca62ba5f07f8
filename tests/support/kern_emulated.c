/* The source of the AVX-512 kernels, compiled for what the machine has, and a table with the AMX products
 * over imitated tiles (amx_emulated.c): shows that the algorithms are right where no such processor is
 * at hand. */
#define KERN_EMULATED
#define UCPO_HAVE_AMX
#define kern_avx512      kern_emulated
#define kern_avx512_bf16 kern_emulated_rounded
#define kern_amx_bf16    kern_emulated_amx
#define gemm_amx_nt      emulated_amx_nt
#define gemm_amx_nn      emulated_amx_nn
#define gemm_amx_tn      emulated_amx_tn

#include "../../src/math/kern_avx512.c"
