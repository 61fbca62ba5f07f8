#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void assert_close_at(double actual, double expected, double rel_bound, double abs_bound,
                     const char *file, int line)
{
    if (isnan(actual) && isnan(expected)) return;
    if (actual == expected) return;
    if (fabs(actual - expected) <= abs_bound + rel_bound * fabs(expected)) return;
    print_error("%s:%d: %.17g is not close to %.17g (rel %g, abs %g)\n", file, line, actual,
                expected, rel_bound, abs_bound);
    _fail(file, line);
}

void assert_ok_at(ucpo_status status, const ucpo_error *err, const char *file, int line)
{
    if (status == UCPO_OK) return;
    char text[1024] = "";
    if (err) ucpo_error_message(err, text, sizeof text);
    print_error("%s:%d: %s: %s\n", file, line, ucpo_status_name(status), text);
    _fail(file, line);
}

char *test_read_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    char *block = NULL;
    size_t used = 0;
    for (;;) {
        block = realloc(block, used + 65536 + 1);
        size_t got = fread(block + used, 1, 65536, f);
        used += got;
        if (got == 0) break;
    }
    fclose(f);
    block[used] = '\0';
    if (size) *size = used;
    return block;
}

const char *test_data_path(char *buf, size_t size, const char *relative)
{
    snprintf(buf, size, "%s/%s", UCPO_TEST_DATA, relative);
    return buf;
}

const char *test_shared_path(char *buf, size_t size, const char *relative)
{
    snprintf(buf, size, "%s/%s", UCPO_SHARED, relative);
    return buf;
}

static int skipped;

void test_skip(const char *file, int line)
{
    skipped++;
    _skip(file, line);
}

int test_result(int failed)
{
    return failed || !skipped ? failed : TEST_SKIPPED;
}

int test_is_full(void)
{
    const char *text = getenv("UCPO_TEST_FULL"); /* NOLINT(concurrency-mt-unsafe) */
    return text && strcmp(text, "1") == 0;
}

void test_need_shared(void)
{
    char path[512];
    FILE *f = fopen(test_shared_path(path, sizeof path, "README.md"), "rb");
    if (f) {
        fclose(f);
        return;
    }
    print_message("skipped: %s is absent\n", UCPO_SHARED);
    skip();
}
