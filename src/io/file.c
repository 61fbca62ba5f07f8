/* Files: read whole, written all or nothing. */
#define _XOPEN_SOURCE 700 /* NOLINT(readability-identifier-naming): for realpath */
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Pipes and devices may have no end; what is larger belongs into a file. */
#define MOST_OF_A_STREAM ((size_t)1 << 30)

/* Reads until the end; `used` counts bytes. The block keeps one byte for a closing NUL. `expected`: what
 * is probably there, read in one go; what is there counts. 0: no regular file, so there is a limit. */
static ucpo_status load_stream(FILE *file, const char *path, size_t expected, char **bytes,
                               size_t *size, ucpo_error *err)
{
    char *block = NULL;
    size_t used = 0, capacity = 0;
    for (;;) {
        if (expected == 0 && used > MOST_OF_A_STREAM) {
            free(block);
            return status_fail_at(err, UCPO_E_IO, path, 0,
                                  "does not end after %zu MB, which is the limit for pipes and "
                                  "devices; put it into a file first",
                                  MOST_OF_A_STREAM >> 20);
        }
        size_t more = used < expected ? expected - used : 65536;
        char *grown = mem_grow(block, &capacity, used + more + 1, 1, err);
        if (!grown) {
            free(block);
            return UCPO_E_MEMORY;
        }
        block = grown;
        size_t got = fread(block + used, 1, capacity - used - 1, file);
        used += got;
        if (got == 0) break;
    }
    if (ferror(file)) {
        char text[128];
        status_errno_text(errno, text, sizeof text);
        free(block);
        return status_fail_at(err, UCPO_E_IO, path, 0, "cannot be read: %s", text);
    }
    block[used] = '\0';
    *bytes = block;
    *size = used;
    return UCPO_OK;
}

ucpo_status ucpo_file_read(const char *path, char **bytes, size_t *size, ucpo_error *err)
{
    if (!path || !bytes || !size)
        return status_argument(err, "path, bytes and size must not be NULL");
    if (strcmp(path, "-") == 0) {
        struct stat in = {0};
        int is_file = fstat(fileno(stdin), &in) == 0 && S_ISREG(in.st_mode) && in.st_size > 0;
        return load_stream(stdin, "standard input", is_file ? (size_t)in.st_size + 1 : 0, bytes,
                           size, err);
    }
    FILE *file = fopen(path, "rb");
    if (!file) {
        char text[128];
        return status_fail_at(err, UCPO_E_IO, path, 0, "cannot be opened: %s",
                              status_errno_text(errno, text, sizeof text));
    }
    struct stat info = {0};
    if (fstat(fileno(file), &info) == 0 && S_ISDIR(info.st_mode)) {
        fclose(file);
        return status_fail_at(err, UCPO_E_IO, path, 0, "is a directory, expected a file");
    }
    size_t expected = S_ISREG(info.st_mode) ? (size_t)info.st_size + 1 : 0;
    ucpo_status st = load_stream(file, path, expected, bytes, size, err);
    fclose(file);
    return st;
}

static int write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t put = write(fd, bytes, size);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return 0;
        bytes += put;
        size -= (size_t)put;
    }
    return 1;
}

/* Where `path` leads if it is a symbolic link to a regular file, which is then replaced instead of
 * the link; a copy of `path` otherwise. NULL: no memory. */
static char *follow_links(const char *path)
{
    struct stat info;
    int is_link = lstat(path, &info) == 0 && S_ISLNK(info.st_mode);
    char *target = is_link ? realpath(path, NULL) : NULL;
    return target ? target : mem_copy(path, strlen(path) + 1, 1);
}

/* Written straight through: devices and pipes, which renaming would destroy; links to nothing; and
 * names of open files, where somebody else may have written before us (/dev/stdout in `>> log`). */
static int is_special(const char *path)
{
    static const char *const open_files[] = {"/dev/std", "/dev/fd/", "/proc/"};
    struct stat info;
    for (size_t k = 0; k < sizeof open_files / sizeof open_files[0]; k++)
        if (strncmp(path, open_files[k], strlen(open_files[k])) == 0) return 1;
    if (stat(path, &info) != 0) return lstat(path, &info) == 0;
    return !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

static ucpo_status cannot_write(const char *path, int code, ucpo_error *err)
{
    return status_fail_errno(err, path, code, "cannot be written");
}

static ucpo_status store_special(const char *path, const void *bytes, size_t size, ucpo_error *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    int good = fd >= 0 && write_all(fd, bytes, size);
    int code = errno;
    if (fd >= 0) close(fd);
    return good ? UCPO_OK : cannot_write(path, code, err);
}

/* Writes and flushes `temporary`, with the access rights of `target` if that exists. 0: errno. */
static int fill_temporary(const char *temporary, const char *target, const void *bytes, size_t size)
{
    struct stat info;
    int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (fd < 0 && errno == EEXIST &&
        unlink(temporary) == 0) /* of a killed process with our number */
        fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (fd < 0) return 0;
    if (stat(target, &info) == 0) (void)fchmod(fd, info.st_mode & 0777);
    int good = write_all(fd, bytes, size) && fsync(fd) == 0;
    int code = errno;
    if (close(fd) != 0 && good) good = 0, code = errno;
    if (!good) unlink(temporary);
    errno = code;
    return good;
}

static ucpo_status store_file(const char *path, const char *target, const void *bytes, size_t size,
                              ucpo_error *err)
{
    size_t length = strlen(target) + 32;
    char *temporary = mem_zeroed(length, 1);
    if (!temporary) return status_no_memory(err, length);
    snprintf(temporary, length, "%s.tmp.%ld", target, (long)getpid());
    int good = fill_temporary(temporary, target, bytes, size), code = errno;
    if (good && rename(temporary, target) != 0) {
        code = errno;
        good = 0;
        unlink(temporary);
    }
    free(temporary);
    return good ? UCPO_OK : cannot_write(path, code, err);
}

ucpo_status ucpo_file_write(const char *path, const void *bytes, size_t size, ucpo_error *err)
{
    if (!path || (!bytes && size > 0))
        return status_argument(err, "path and bytes must not be NULL");
    if (is_special(path)) return store_special(path, bytes, size, err);
    char *target = follow_links(path);
    if (!target) return status_no_memory(err, strlen(path) + 1);
    ucpo_status st = store_file(path, target, bytes, size, err);
    free(target);
    return st;
}
