#include "io/append.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Brings the open file to `offset` and says where it ends then. */
static ucpo_status settle(int fd, const char *path, int64_t offset, int64_t *end, ucpo_error *err)
{
    struct stat info;
    if (fstat(fd, &info) != 0) return status_fail_errno(err, path, errno, "cannot be opened");
    if (!S_ISREG(info.st_mode))
        return status_fail_at(err, UCPO_E_IO, path, 0, "is not a regular file, expected one");
    if (offset > (int64_t)info.st_size)
        return status_fail_at(err, UCPO_E_MISMATCH, path, 0,
                              "has %" PRId64 " bytes, expected at least %" PRId64
                              ": it is not the file that was written here before",
                              (int64_t)info.st_size, offset);
    *end = offset == IO_APPEND_AT_END ? (int64_t)info.st_size : offset;
    if (*end < (int64_t)info.st_size && ftruncate(fd, (off_t)*end) != 0)
        return status_fail_errno(err, path, errno, "cannot be cut to its saved length");
    return UCPO_OK;
}

ucpo_status io_append_open(struct io_append *log, const char *path, int64_t offset, ucpo_error *err)
{
    if (offset < IO_APPEND_AT_END)
        return status_argument(err, "offset is %" PRId64 ", expected -1 or more", offset);
    char *copy = mem_copy(path, strlen(path) + 1, 1);
    if (!copy) return status_no_memory(err, strlen(path) + 1);
    int create = offset > 0 ? 0 : O_CREAT;
    int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | create, 0666);
    int64_t end = 0;
    ucpo_status st = fd < 0 ? status_fail_errno(err, path, errno, "cannot be opened")
                            : settle(fd, path, offset, &end, err);
    if (!st) {
        *log = (struct io_append){copy, fd, end};
        return UCPO_OK;
    }
    if (fd >= 0) close(fd);
    free(copy);
    return st;
}

/* One write; a signal that came before the first byte does not count. */
static ssize_t write_once(int fd, const void *bytes, size_t size)
{
    ssize_t put;
    do put = write(fd, bytes, size);
    while (put < 0 && errno == EINTR);
    return put;
}

ucpo_status io_append_put(struct io_append *log, const void *bytes, size_t size, ucpo_error *err)
{
    if (size == 0) return UCPO_OK;
    ssize_t put = write_once(log->fd, bytes, size);
    int code = put < 0 ? errno : ENOSPC;
    if (put >= 0 && (size_t)put < size) { /* only the rest tells why */
        ssize_t rest = write_once(log->fd, (const char *)bytes + put, size - (size_t)put);
        code = rest < 0 ? errno : ENOSPC;
        put += rest > 0 ? rest : 0;
    }
    if (put == (ssize_t)size) {
        log->offset += (int64_t)size;
        return UCPO_OK;
    }
    if (put > 0 && ftruncate(log->fd, (off_t)log->offset) != 0)
        return status_fail_errno(err, log->path, errno,
                                 "a record was written in part and cannot be cut off");
    return status_fail_errno(err, log->path, code, "cannot be written");
}

ucpo_status io_append_flush(struct io_append *log, ucpo_error *err)
{
    return fsync(log->fd) == 0
               ? UCPO_OK
               : status_fail_errno(err, log->path, errno, "cannot be flushed to disk");
}

ucpo_status io_append_close(struct io_append *log, ucpo_error *err)
{
    if (!log->path) return UCPO_OK;
    ucpo_status st = close(log->fd) == 0
                         ? UCPO_OK
                         : status_fail_errno(err, log->path, errno, "cannot be written");
    free(log->path);
    *log = (struct io_append){0};
    return st;
}
