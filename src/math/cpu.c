#define _GNU_SOURCE /* syscall. NOLINT: the name is the C library's */
#include "math/cpu.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { /* bits of a register that cpuid fills */
       FMA = 1 << 12,
       OSXSAVE = 1 << 27,
       AVX2 = 1 << 5,
       AVX512F = 1 << 16,
       AVX512DQ = 1 << 17,
       AVX512BW = 1 << 30,
       AMX_BF16 = 1 << 22,
       AMX_TILE = 1 << 24
};

#define AVX512VL (1u << 31)

enum { /* register files that the system saves: bits of XCR0 */
       STATE_AVX = 0x6,
       STATE_AVX512 = 0xE6,
       STATE_AMX = 0x60000
};

enum { SUPPORTED = 0x1021, REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 }; /* of arch_prctl */

struct features {
    unsigned one_c, seven_b, seven_d; /* leaf 1 and leaf 7 */
    uint64_t states;
};

static int all_of(uint64_t value, uint64_t bits)
{
    return (value & bits) == bits;
}

static struct features read_features(void)
{
    struct features f = {0};
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d)) return f;
    f.one_c = c;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) f.seven_b = b, f.seven_d = d;
    if (all_of(f.one_c, OSXSAVE)) {
        __asm__("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
        f.states = (uint64_t)d << 32 | a;
    }
    return f;
}

int cpu_has_avx2(void)
{
    struct features f = read_features();
    return all_of(f.one_c, FMA) && all_of(f.seven_b, AVX2) && all_of(f.states, STATE_AVX);
}

int cpu_has_avx512(void)
{
    struct features f = read_features();
    return cpu_has_avx2() && all_of(f.seven_b, AVX512F | AVX512DQ | AVX512BW | AVX512VL) &&
           all_of(f.states, STATE_AVX512);
}

int cpu_has_amx(void)
{
#ifdef __linux__
    struct features f = read_features();
    uint64_t supported = 0;
    return cpu_has_avx512() && all_of(f.seven_d, AMX_BF16 | AMX_TILE) &&
           all_of(f.states, STATE_AMX) && syscall(SYS_arch_prctl, SUPPORTED, &supported) == 0 &&
           all_of(supported, 1u << TILE_DATA);
#else
    return 0;
#endif
}

int cpu_takes_amx(void)
{
#ifdef __linux__
    return cpu_has_amx() && syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0;
#else
    return 0;
#endif
}

#else

int cpu_has_avx2(void)
{
    return 0;
}

int cpu_has_avx512(void)
{
    return 0;
}

int cpu_has_amx(void)
{
    return 0;
}

int cpu_takes_amx(void)
{
    return 0;
}

#endif
