/* The safetensors container: named tensors and string metadata. Knows nothing of networks.
 *
 *   8 bytes      header length N, little-endian
 *   N bytes      JSON object, first byte '{', may end with blanks:
 *                  "__metadata__": {"key": "text", ...}                        (optional)
 *                  "name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [begin, end]}, ...
 *   the rest     data, row-major, little-endian; offsets count from its first byte */
#ifndef UCPO_IO_SAFETENSORS_H
#define UCPO_IO_SAFETENSORS_H

#include "io/io.h"

enum { IO_TENSOR_RANK = 4, IO_MAX_TENSORS = 65536, IO_MAX_HEADER = 100000000 };

/* Every type of the format of whole bytes per element. */
enum io_dtype {
    IO_F32,
    IO_F16,
    IO_BF16,
    IO_F64,
    IO_I64,
    IO_I32,
    IO_I16,
    IO_I8,
    IO_U64,
    IO_U32,
    IO_U16,
    IO_U8,
    IO_BOOL,
    IO_DTYPES
};

const char *io_dtype_name(enum io_dtype dtype);
size_t io_dtype_bytes(enum io_dtype dtype);

struct io_tensor {
    const char *name;
    enum io_dtype dtype;
    int rank;
    size_t shape[IO_TENSOR_RANK];
    size_t count;              /* product of the shape; 1 for rank 0 */
    const unsigned char *data; /* count * io_dtype_bytes bytes, not aligned */
};

struct io_meta {
    const char *key, *value;
};

struct io_tensors {
    struct io_tensor *tensor; /* in the order of the header */
    size_t count;
    struct io_meta *meta;
    size_t metas;
    void *text; /* owns names, keys and values */
};

/* Checks everything there is to check: the header fits the file, the tensors fill the data without
 * overlap, hole or rest, every size is shape times type. The data is not copied: `bytes` must
 * outlive `out`. Release with io_tensors_free, also after an error. */
ucpo_status io_safetensors_read(const char *bytes, size_t size, const char *label,
                                struct io_tensors *out, ucpo_error *err);
void io_tensors_free(struct io_tensors *tensors);

/* NULL: no such tensor, no such key. */
const struct io_tensor *io_tensors_find(const struct io_tensors *tensors, const char *name);
const char *io_tensors_meta(const struct io_tensors *tensors, const char *key);

/* A name from a file made fit for a message: cut, control characters replaced. */
enum { IO_SHOWN_NAME = 72 };

const char *io_shown_name(const char *name, char buf[IO_SHOWN_NAME]);

/* Appends a whole file: metadata first, then the tensors in the order given, without gaps. Blanks
 * after the header let the data begin at a multiple of 64. Same input, same bytes. Names and keys
 * must be different, rank and count within the limits above; text must be UTF-8. */
ucpo_status io_safetensors_write(struct io_buffer *out, const struct io_meta *meta, size_t metas,
                                 const struct io_tensor *tensor, size_t count, ucpo_error *err);

#endif
