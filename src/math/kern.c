#include "math/kern.h"

#ifdef UCPO_HAVE_AVX2
extern const struct kern_ops kern_avx2;
#endif

const struct kern_ops *kern_choose(int force_portable)
{
#ifdef UCPO_HAVE_AVX2
    if (!force_portable && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &kern_avx2;
#endif
    (void)force_portable;
    return &kern_portable;
}
