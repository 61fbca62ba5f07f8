/* TensorBoard event files: records that are appended, each with checksums. A file is one header
 * record and any number of scalar records, and is read while it grows. Its name must contain
 * "tfevents". */
#ifndef UCPO_IO_EVENTS_H
#define UCPO_IO_EVENTS_H

#include "io/io.h"

struct io_scalar {
    const char *tag; /* "train/loss": the part before the slash groups the plots */
    double value;    /* stored as float; NaN is stored, too */
};

/* The first record of a file. wall_time: seconds since 1970. */
void io_events_put_header(struct io_buffer *buf, double wall_time);

/* One record: all scalars of a step. */
void io_events_put_scalars(struct io_buffer *buf, double wall_time, int64_t step,
                           const struct io_scalar *scalars, size_t count);

/* CRC-32C (Castagnoli) as the records carry it, before masking. */
uint32_t io_crc32c(const void *bytes, size_t size);

/* The same piece by piece: `before` is that of what came before, 0 at the start. */
uint32_t io_crc32c_add(uint32_t before, const void *bytes, size_t size);

#endif
