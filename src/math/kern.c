#include "math/kern.h"
#include "math/cpu.h"
#include "math/gemm_blas.h"

#include <stdio.h>
#include <string.h>

extern const struct kern_ops kern_portable, kern_portable_bf16;
#ifdef UCPO_HAVE_AVX2
extern const struct kern_ops kern_avx2, kern_avx2_bf16;
#endif
#ifdef UCPO_HAVE_AVX512
extern const struct kern_ops kern_avx512, kern_avx512_bf16;
#endif
#if defined(UCPO_HAVE_AMX) && !defined(UCPO_REAL_DOUBLE)
extern const struct kern_ops kern_amx_bf16;
#endif

const char *kern_set_name(enum kern_set set)
{
    static const char *const name[KERN_SETS] = {"portable", "avx2", "avx512", "amx"};
    return name[set];
}

/* AMX multiplies bf16 only: with float32 its set is that of AVX-512. */
const struct kern_ops *kern_of(enum kern_set set, int is_bf16)
{
    switch (set) {
    case KERN_PORTABLE: return is_bf16 ? &kern_portable_bf16 : &kern_portable;
#ifdef UCPO_HAVE_AVX2
    case KERN_AVX2:
        if (cpu_has_avx2()) return is_bf16 ? &kern_avx2_bf16 : &kern_avx2;
        break;
#endif
#ifdef UCPO_HAVE_AVX512
    case KERN_AVX512:
        if (cpu_has_avx512()) return is_bf16 ? &kern_avx512_bf16 : &kern_avx512;
        break;
#endif
#ifdef UCPO_HAVE_AMX
    case KERN_AMX:
        if (is_bf16 ? !cpu_takes_amx() : !cpu_has_amx()) break;
#ifdef UCPO_REAL_DOUBLE
        return is_bf16 ? &kern_avx512_bf16 : &kern_avx512; /* tests in double */
#else
        return is_bf16 ? &kern_amx_bf16 : &kern_avx512;
#endif
#endif
    default: break;
    }
    return NULL;
}

static const struct kern_ops *best_of(int is_bf16)
{
    for (int set = KERN_SETS - 1; set > KERN_PORTABLE; set--) {
        const struct kern_ops *kern = kern_of((enum kern_set)set, is_bf16);
        if (kern) return kern;
    }
    return kern_of(KERN_PORTABLE, is_bf16);
}

const struct kern_ops *kern_best(void)
{
    return best_of(0);
}

const char *kern_list(char *buf, size_t size)
{
    size_t used = 0;
    for (int set = 0; set < KERN_SETS; set++) {
        if (!kern_of((enum kern_set)set, 0) || used >= size) continue;
        int more = snprintf(buf + used, size - used, "%s%s", used ? ", " : "",
                            kern_set_name((enum kern_set)set));
        used += more > 0 ? (size_t)more : 0;
    }
    return buf;
}

static int is_auto(const char *text)
{
    return !text || strcmp(text, "auto") == 0;
}

ucpo_status kern_choose(const char *kernels, const char *precision, const struct kern_ops **out,
                        ucpo_error *err)
{
    char list[64];
    int is_bf16 = !is_auto(precision) && strcmp(precision, "bf16") == 0, set = 0;
    if (!is_auto(precision) && !is_bf16 && strcmp(precision, "f32") != 0)
        return status_fail(err, UCPO_E_ARGUMENT, "precision \"%s\", expected f32, bf16 or auto",
                           precision);
    if (is_auto(kernels)) {
        *out = best_of(is_bf16);
        return UCPO_OK;
    }
    while (set < KERN_SETS && strcmp(kernels, kern_set_name((enum kern_set)set)) != 0) set++;
    if (set == KERN_SETS)
        return status_fail(err, UCPO_E_ARGUMENT,
                           "kernels \"%s\", expected portable, avx2, avx512, amx or auto", kernels);
    const struct kern_ops *kern = kern_of((enum kern_set)set, is_bf16);
    if (!kern)
        return status_fail(err, UCPO_E_ARGUMENT, "kernels \"%s\": this machine has %s", kernels,
                           kern_list(list, sizeof list));
    *out = kern;
    return UCPO_OK;
}

const char *kern_products(const struct kern_ops *kern, char *buf, size_t size)
{
#ifdef UCPO_HAVE_BLAS
    char name[256];
    if (kern == &kern_portable) {
        snprintf(buf, size, "f32, %s", gemm_blas_name(name, sizeof name));
        return buf;
    }
#endif
    int is_bf16 = strcmp(kern->precision, "bf16") == 0, is_amx = strcmp(kern->name, "amx") == 0;
    snprintf(buf, size, "%s%s", kern->precision,
             is_bf16 && !is_amx ? " (rounded, then multiplied as float32)" : "");
    return buf;
}

int kern_is_thread_safe(const struct kern_ops *kern)
{
#ifdef UCPO_HAVE_BLAS
    return kern != &kern_portable || gemm_blas_is_thread_safe();
#else
    (void)kern;
    return 1;
#endif
}
