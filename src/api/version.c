/* Facts about this build. */
#include "ucpo.h"

#define TEXT_OF(x)     #x
#define NUMBER_TEXT(x) TEXT_OF(x)

#define VERSION_TEXT                                                                               \
    NUMBER_TEXT(UCPO_VERSION_MAJOR)                                                                \
    "." NUMBER_TEXT(UCPO_VERSION_MINOR) "." NUMBER_TEXT(UCPO_VERSION_PATCH)

#if defined(__clang__)
#define COMPILER_TEXT "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER_TEXT "gcc " __VERSION__
#else
#define COMPILER_TEXT "unknown"
#endif

#ifdef _OPENMP
#define THREADS_TEXT "OpenMP " NUMBER_TEXT(_OPENMP)
#else
#define THREADS_TEXT "none (single-threaded build)"
#endif

#ifdef NDEBUG
#define ASSERT_TEXT "off"
#else
#define ASSERT_TEXT "on"
#endif

#if defined(__AVX2__) && defined(__FMA__)
#define SIMD_TEXT "avx2, fma (tuned build)"
#else
#define SIMD_TEXT "portable baseline"
#endif

const char *ucpo_version(void)
{
    return VERSION_TEXT;
}

const char *ucpo_build_info(void)
{
    return "compiler: " COMPILER_TEXT "\n"
           "threads: " THREADS_TEXT "\n"
           "instructions: " SIMD_TEXT "\n"
           "assertions: " ASSERT_TEXT "\n";
}
