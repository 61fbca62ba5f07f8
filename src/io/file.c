/* Files: read whole, written all or nothing. */
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads until the end; `used` counts bytes. The block keeps one byte for a closing NUL. */
static ucpo_status load_stream(FILE *file, const char *path, char **bytes, size_t *size,
                               ucpo_error *err)
{
    char *block = NULL;
    size_t used = 0, capacity = 0;
    for (;;) {
        ucpo_status st = mem_grow((void **)&block, &capacity, used + 65536 + 1, 1, err);
        if (st) {
            free(block);
            return st;
        }
        size_t got = fread(block + used, 1, capacity - used - 1, file);
        used += got;
        if (got == 0) break;
    }
    if (ferror(file)) {
        int code = errno;
        free(block);
        return status_fail_at(err, UCPO_E_IO, path, 0, "cannot be read: %s",
                              code ? strerror(code) : "read error");
    }
    block[used] = '\0';
    *bytes = block;
    *size = used;
    return UCPO_OK;
}

ucpo_status io_load(const char *path, char **bytes, size_t *size, ucpo_error *err)
{
    if (strcmp(path, "-") == 0) return load_stream(stdin, "standard input", bytes, size, err);
    FILE *file = fopen(path, "rb");
    if (!file)
        return status_fail_at(err, UCPO_E_IO, path, 0, "cannot be opened: %s", strerror(errno));
    struct stat info;
    if (fstat(fileno(file), &info) == 0 && S_ISDIR(info.st_mode)) {
        fclose(file);
        return status_fail_at(err, UCPO_E_IO, path, 0, "is a directory, expected a file");
    }
    ucpo_status st = load_stream(file, path, bytes, size, err);
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

/* Renaming over a device, a pipe or a symbolic link (/dev/stdout is one) would destroy it: these
 * are written straight through. */
static int is_special(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

static ucpo_status store_special(const char *path, const void *bytes, size_t size, ucpo_error *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    int good = fd >= 0 && write_all(fd, bytes, size);
    int code = errno;
    if (fd >= 0) close(fd);
    if (!good)
        return status_fail_at(err, UCPO_E_IO, path, 0, "cannot be written: %s", strerror(code));
    return UCPO_OK;
}

ucpo_status io_store(const char *path, const void *bytes, size_t size, ucpo_error *err)
{
    if (is_special(path)) return store_special(path, bytes, size, err);
    char *temporary = mem_zeroed(strlen(path) + 32, 1);
    if (!temporary) return status_no_memory(err, strlen(path) + 32);
    sprintf(temporary, "%s.tmp.%ld", path, (long)getpid());
    int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL, 0666);
    int created = fd >= 0;
    int good = created && write_all(fd, bytes, size) && fsync(fd) == 0;
    int code = errno;
    if (created && close(fd) != 0 && good) good = 0, code = errno;
    if (good && rename(temporary, path) != 0) good = 0, code = errno;
    if (!good && created) unlink(temporary);
    free(temporary);
    if (!good)
        return status_fail_at(err, UCPO_E_IO, path, 0, "cannot be written: %s", strerror(code));
    return UCPO_OK;
}
