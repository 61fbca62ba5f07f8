/* Compiled with -mavx2 -mfma (see CMakeLists.txt); reached only on processors that have both. */
#if defined(__AVX2__) && defined(__FMA__)
#define KERN_TABLE kern_avx2
#define KERN_NAME  "avx2"
#include "math/kern_body.h"
extern const struct kern_ops kern_avx2;
#else
typedef int kern_avx2_is_not_built;
#endif
