/* What every test needs: cmocka, closeness with a useful message, files, the shared material. */
#ifndef UCPO_TEST_SUPPORT_H
#define UCPO_TEST_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* cmocka counts a skipped test as passed: here the program then ends with TEST_SKIPPED, which CTest
 * reports as skipped (and which a failure beside it overrides). */
enum { TEST_SKIPPED = 77 };

void test_skip(const char *file, int line);
int test_result(int failed);

#undef skip
#define skip() test_skip(__FILE__, __LINE__)
#undef cmocka_run_group_tests
#define cmocka_run_group_tests(tests, setup, teardown)                                             \
    test_result(_cmocka_run_group_tests(#tests, tests, sizeof(tests) / sizeof((tests)[0]), setup,  \
                                        teardown))
#undef cmocka_run_group_tests_name
#define cmocka_run_group_tests_name(name, tests, setup, teardown)                                  \
    test_result(                                                                                   \
        _cmocka_run_group_tests(name, tests, sizeof(tests) / sizeof((tests)[0]), setup, teardown))

#include "ucpo.h"

/* |actual - expected| <= abs_bound + rel_bound * |expected|, NaN equals NaN. */
void assert_close_at(double actual, double expected, double rel_bound, double abs_bound,
                     const char *file, int line);
#define assert_close(actual, expected, rel, abs)                                                   \
    assert_close_at((actual), (expected), (rel), (abs), __FILE__, __LINE__)

/* Fails with the error's message if status is not UCPO_OK. */
void assert_ok_at(ucpo_status status, const ucpo_error *err, const char *file, int line);
#define assert_ok(call, err) assert_ok_at((call), (err), __FILE__, __LINE__)

/* Whole file as a malloc'ed, NUL-terminated block; NULL if it cannot be read. */
char *test_read_file(const char *path, size_t *size);

/* Path of a file under tests/data, and under ../shared (both into a static-free caller buffer). */
const char *test_data_path(char *buf, size_t size, const char *relative);
const char *test_shared_path(char *buf, size_t size, const char *relative);

/* UCPO_TEST_FULL=1: tests that have a short and a long form take the long one (CONTRIBUTING.md). */
int test_is_full(void);

/* Skips the running test with a message if ../shared is not there. */
void test_need_shared(void);

#endif
