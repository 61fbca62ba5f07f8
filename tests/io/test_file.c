/* Files appear complete or not at all, and nothing else than their content changes. */
#include "support/support.h"
#include "ucpo.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static const char *in_folder(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/ucpo_file_XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    static const char *const names[] = {"target", "link", "nothing", "log"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) unlink(in_folder(names[k]));
    return rmdir(folder); /* fails if anything else was left */
}

static void write_text(const char *name, const char *text)
{
    ucpo_error err = {0};
    assert_ok(ucpo_file_write(in_folder(name), text, strlen(text), &err), &err);
}

static void assert_content(const char *name, const char *expected)
{
    ucpo_error err = {0};
    char *bytes = NULL;
    size_t size = 0;
    assert_ok(ucpo_file_read(in_folder(name), &bytes, &size, &err), &err);
    assert_int_equal(size, strlen(expected));
    assert_memory_equal(bytes, expected, size);
    ucpo_bytes_free(bytes);
}

static void what_is_written_is_read_back(void **state)
{
    (void)state;
    write_text("target", "first");
    write_text("target", "second");
    assert_content("target", "second");
    write_text("target", "");
    assert_content("target", "");
}

static void access_rights_survive(void **state)
{
    struct stat info;
    (void)state;
    write_text("target", "secret");
    assert_int_equal(chmod(in_folder("target"), 0600), 0);
    write_text("target", "still secret");
    assert_int_equal(stat(in_folder("target"), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
}

/* The old content stays whole for whoever has it open: the target was replaced, not overwritten. */
static void a_symbolic_link_stays_and_its_target_is_replaced(void **state)
{
    struct stat info;
    char old[8] = "";
    (void)state;
    write_text("target", "old");
    assert_int_equal(symlink("target", in_folder("link")), 0);
    FILE *reader = fopen(in_folder("target"), "r");
    assert_non_null(reader);
    write_text("link", "new");
    assert_int_equal(lstat(in_folder("link"), &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_content("target", "new");
    assert_int_equal(fread(old, 1, sizeof old, reader), 3);
    assert_string_equal(old, "old");
    fclose(reader);
}

static void a_link_to_nothing_creates_its_target(void **state)
{
    struct stat info;
    (void)state;
    assert_int_equal(symlink("nothing", in_folder("link")), 0);
    write_text("link", "something");
    assert_int_equal(lstat(in_folder("link"), &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_content("nothing", "something");
}

/* `ucpo ... -o /dev/fd/1 >> log` must not wipe the log. */
static void an_open_file_is_appended_to(void **state)
{
    ucpo_error err = {0};
    char path[32];
    (void)state;
    write_text("log", "before ");
    int fd = open(in_folder("log"), O_WRONLY | O_APPEND);
    assert_true(fd >= 0);
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    assert_ok(ucpo_file_write(path, "after", 5, &err), &err);
    close(fd);
    assert_content("log", "before after");
}

/* A killed process with our number: process numbers repeat in containers. */
static void the_rest_of_a_killed_writer_is_no_obstacle(void **state)
{
    (void)state;
    char rest[64];
    snprintf(rest, sizeof rest, "target.tmp.%ld", (long)getpid());
    write_text(rest, "half a fi");
    write_text("target", "whole");
    assert_content("target", "whole");
    assert_true(access(in_folder(rest), F_OK) != 0);
}

static void failures_name_the_file_and_leave_nothing(void **state)
{
    ucpo_error err = {0};
    char *bytes = NULL;
    size_t size = 0;
    (void)state;
    assert_int_equal(ucpo_file_write(folder, "x", 1, &err), UCPO_E_IO);
    assert_string_equal(err.file, folder);
    assert_int_equal(ucpo_file_write(in_folder("no/such"), "x", 1, &err), UCPO_E_IO);
    assert_int_equal(ucpo_file_read(in_folder("absent"), &bytes, &size, &err), UCPO_E_IO);
    assert_int_equal(ucpo_file_read(folder, &bytes, &size, &err), UCPO_E_IO);
    assert_int_equal(ucpo_file_read(NULL, &bytes, &size, &err), UCPO_E_ARGUMENT);
    assert_int_equal(ucpo_file_write("x", NULL, 1, &err), UCPO_E_ARGUMENT);
    assert_null(bytes);
    char leftover[96];
    snprintf(leftover, sizeof leftover, "%s.tmp.%ld", folder, (long)getpid());
    assert_int_equal(access(leftover, F_OK), -1);
}

#define FOLDER_TEST(function) cmocka_unit_test_setup_teardown(function, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(what_is_written_is_read_back),
        FOLDER_TEST(access_rights_survive),
        FOLDER_TEST(a_symbolic_link_stays_and_its_target_is_replaced),
        FOLDER_TEST(a_link_to_nothing_creates_its_target),
        FOLDER_TEST(an_open_file_is_appended_to),
        FOLDER_TEST(the_rest_of_a_killed_writer_is_no_obstacle),
        FOLDER_TEST(failures_name_the_file_and_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
