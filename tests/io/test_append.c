/* Logs that grow: resumed at an offset, whole records only, errors with the path and the reason. */
#include "io/append.h"

#include "support/support.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static char folder[64], path[96];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/ucpo_append_XXXXXX");
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/log", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static struct io_append open_at(int64_t offset)
{
    struct io_append log = {0};
    ucpo_error err = {0};
    assert_ok(io_append_open(&log, path, offset, &err), &err);
    return log;
}

static void put(struct io_append *log, const char *text)
{
    ucpo_error err = {0};
    assert_ok(io_append_put(log, text, strlen(text), &err), &err);
}

static void close_log(struct io_append *log)
{
    ucpo_error err = {0};
    assert_ok(io_append_flush(log, &err), &err);
    assert_ok(io_append_close(log, &err), &err);
    assert_null(log->path);
}

static void assert_content(const char *expected)
{
    size_t size = 0;
    char *text = test_read_file(path, &size);
    assert_non_null(text);
    assert_string_equal(text, expected);
    assert_int_equal(size, strlen(expected));
    free(text);
}

static void write_log(const char *text)
{
    struct io_append log = open_at(0);
    put(&log, text);
    close_log(&log);
}

static void records_are_appended_and_counted(void **state)
{
    (void)state;
    struct io_append log = open_at(0);
    assert_int_equal(log.offset, 0);
    put(&log, "one\n");
    put(&log, "");
    put(&log, "two\n");
    assert_int_equal(log.offset, 8);
    assert_content("one\ntwo\n"); /* readers see it before it is closed */
    close_log(&log);
}

static void opening_at_zero_begins_anew(void **state)
{
    (void)state;
    write_log("an old run\n");
    write_log("new\n");
    assert_content("new\n");
}

static void opening_at_the_end_keeps_everything(void **state)
{
    (void)state;
    struct io_append log = open_at(IO_APPEND_AT_END); /* creates it, too */
    put(&log, "one\n");
    close_log(&log);
    log = open_at(IO_APPEND_AT_END);
    assert_int_equal(log.offset, 4);
    put(&log, "two\n");
    close_log(&log);
    assert_content("one\ntwo\n");
}

static void what_a_killed_run_wrote_too_much_is_cut_off(void **state)
{
    (void)state;
    write_log("saved\nnot saved\nhal");
    struct io_append log = open_at(6);
    assert_content("saved\n");
    put(&log, "again\n");
    assert_int_equal(log.offset, 12);
    close_log(&log);
    assert_content("saved\nagain\n");
}

static void a_file_shorter_than_the_offset_is_refused(void **state)
{
    struct io_append log = {0};
    ucpo_error err = {0};
    (void)state;
    write_log("short\n");
    assert_int_equal(io_append_open(&log, path, 7, &err), UCPO_E_MISMATCH);
    assert_string_equal(err.file, path);
    assert_non_null(strstr(err.text, "has 6 bytes, expected at least 7"));
    assert_null(log.path);
    assert_content("short\n");
    unlink(path);
    assert_int_equal(io_append_open(&log, path, 7, &err), UCPO_E_IO); /* missing: not created */
    assert_non_null(strstr(err.text, "No such file"));
    assert_int_equal(access(path, F_OK), -1);
}

/* A limit on the size of files stands in for a full disk: the first write is cut short. */
static void a_record_that_does_not_fit_leaves_no_trace(void **state)
{
    struct rlimit old, small;
    ucpo_error err = {0};
    (void)state;
    struct io_append log = open_at(0);
    put(&log, "fits\n");
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = old;
    small.rlim_cur = 8;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    ucpo_status partly = io_append_put(&log, "too long\n", 9, &err);
    int64_t offset = log.offset;
    setrlimit(RLIMIT_FSIZE, &old);
    assert_int_equal(partly, UCPO_E_IO);
    assert_string_equal(err.file, path);
    assert_non_null(strstr(err.text, "cannot be written: File too large"));
    assert_int_equal(offset, 5);
    assert_content("fits\n");
    put(&log, "next\n"); /* there is room again */
    close_log(&log);
    assert_content("fits\nnext\n");
}

static void failures_say_why(void **state)
{
    struct io_append log = {0};
    ucpo_error err = {0};
    (void)state;
    assert_int_equal(io_append_open(&log, folder, 0, &err), UCPO_E_IO);
    assert_string_equal(err.file, folder);
    assert_int_equal(io_append_open(&log, "/dev/null", IO_APPEND_AT_END, &err), UCPO_E_IO);
    assert_non_null(strstr(err.text, "is not a regular file"));
    assert_int_equal(io_append_open(&log, path, -2, &err), UCPO_E_ARGUMENT);
    assert_ok(io_append_close(&log, &err), &err); /* never opened */
}

#define FOLDER_TEST(function) cmocka_unit_test_setup_teardown(function, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(records_are_appended_and_counted),
        FOLDER_TEST(opening_at_zero_begins_anew),
        FOLDER_TEST(opening_at_the_end_keeps_everything),
        FOLDER_TEST(what_a_killed_run_wrote_too_much_is_cut_off),
        FOLDER_TEST(a_file_shorter_than_the_offset_is_refused),
        FOLDER_TEST(a_record_that_does_not_fit_leaves_no_trace),
        FOLDER_TEST(failures_say_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
