/* A log that only grows: metrics and event files of a training run. Whoever resumes the run opens
 * the log at the offset that was saved with the run's state; what a killed run wrote after that is
 * cut off, so that nothing is there twice. */
#ifndef UCPO_IO_APPEND_H
#define UCPO_IO_APPEND_H

#include "io/io.h"

struct io_append {
    char *path;
    int fd;
    int64_t offset; /* bytes of whole records: where the next one goes */
};

#define IO_APPEND_AT_END (-1)

/* Opens `path` for records after byte `offset`. A longer file is cut to it; a shorter or missing
 * one is an error that says so. 0: a new file, or an old one emptied. IO_APPEND_AT_END: whatever
 * is there stays. */
ucpo_status io_append_open(struct io_append *log, const char *path, int64_t offset,
                           ucpo_error *err);

/* Appends a whole record in one write: readers that follow the file see all of it or nothing. If
 * it does not fit (disk full, limits), what was written of it is cut off again and the log stays as
 * it was; the caller may try again. */
ucpo_status io_append_put(struct io_append *log, const void *bytes, size_t size, ucpo_error *err);

/* Down to the disk: after a power cut everything before is there. */
ucpo_status io_append_flush(struct io_append *log, ucpo_error *err);

/* Frees everything, also on failure. A log that was never opened (all zero) has a NULL path and may
 * be closed, too. */
ucpo_status io_append_close(struct io_append *log, ucpo_error *err);

#endif
