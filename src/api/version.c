/* Facts about this build. */
#include "math/kern.h"
#include "ucpo.h"

#include <stdio.h>

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

#ifdef NDEBUG
#define ASSERT_TEXT "off"
#else
#define ASSERT_TEXT "on"
#endif

const char *ucpo_version(void)
{
    return VERSION_TEXT;
}

ucpo_status ucpo_kernels(const char *kernels, const char *precision, const char **kernels_used,
                         const char **precision_used, ucpo_error *err)
{
    const struct kern_ops *kern = NULL;
    ucpo_status st = kern_choose(kernels, precision, &kern, err);
    if (st) return st;
    if (kernels_used) *kernels_used = kern->name;
    if (precision_used) *precision_used = kern->precision;
    return UCPO_OK;
}

const char *ucpo_build_info(char *buf, size_t size)
{
    char products[256], sets[64];
    if (!buf || size == 0) return buf ? buf : "";
    snprintf(buf, size,
             "compiler: " COMPILER_TEXT "\n"
             "threads: POSIX\n"
             "kernels: %s (this machine has %s)\n"
             "products: %s\n"
             "assertions: " ASSERT_TEXT "\n",
             kern_best()->name, kern_list(sets, sizeof sets),
             kern_products(kern_best(), products, sizeof products));
    return buf;
}
