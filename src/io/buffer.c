#include "io/io.h"

#include "core/number.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *reserve(struct io_buffer *buf, size_t more)
{
    if (buf->failed) return NULL;
    char *grown = more > SIZE_MAX / 2 - buf->size
                      ? NULL
                      : mem_grow(buf->bytes, &buf->capacity, buf->size + more, 1, NULL);
    if (grown)
        buf->bytes = grown;
    else
        buf->failed = 1;
    return grown ? grown + buf->size : NULL;
}

void io_put(struct io_buffer *buf, const void *bytes, size_t size)
{
    char *at = size > 0 ? reserve(buf, size) : NULL;
    if (!at) return;
    memcpy(at, bytes, size);
    buf->size += size;
}

void io_printf(struct io_buffer *buf, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    char *at = length < 0 ? NULL : reserve(buf, (size_t)length + 1);
    if (at) {
        vsnprintf(at, (size_t)length + 1, format, again);
        buf->size += (size_t)length;
    }
    va_end(again);
    va_end(args);
}

void io_put_number(struct io_buffer *buf, double value)
{
    char text[NUMBER_SIZE];
    number_write(text, value);
    io_put(buf, text, strlen(text));
}

uint64_t io_little(const void *bytes, size_t count)
{
    uint64_t value = 0;
    while (count-- > 0) value = value << 8 | ((const unsigned char *)bytes)[count];
    return value;
}

void io_store_little(void *to, uint64_t value, size_t count)
{
    for (size_t i = 0; i < count; i++) ((unsigned char *)to)[i] = (unsigned char)(value >> (8 * i));
}

void io_put_little(struct io_buffer *buf, uint64_t value, size_t count)
{
    unsigned char bytes[8];
    io_store_little(bytes, value, count);
    io_put(buf, bytes, count);
}

double io_number_in(const void *bytes, char type, size_t count)
{
    uint64_t bits = io_little(bytes, count);
    uint32_t low = (uint32_t)bits;
    float narrow;
    double wide;
    memcpy(&narrow, &low, sizeof narrow);
    memcpy(&wide, &bits, sizeof wide);
    if (type == 'f') return count == 4 ? (double)narrow : wide;
    if (type == 'b') return bits != 0;
    if (type == 'u') return (double)bits;
    if (count == 0 || count >= 8) return (double)(int64_t)bits;
    size_t unused = 64 - 8 * count; /* move the sign bit to the top and back */
    return (double)((int64_t)(bits << unused) >> unused);
}

ucpo_status io_buffer_status(const struct io_buffer *buf, ucpo_error *err)
{
    return buf->failed ? status_no_memory(err, buf->size) : UCPO_OK;
}

void io_buffer_free(struct io_buffer *buf)
{
    free(buf->bytes);
    *buf = (struct io_buffer){0};
}

ucpo_status io_buffer_give(struct io_buffer *buf, ucpo_status st, char **bytes, size_t *size,
                           ucpo_error *err)
{
    if (!st) st = io_buffer_status(buf, err);
    if (st) {
        io_buffer_free(buf);
        return st;
    }
    *bytes = buf->bytes;
    *size = buf->size;
    return UCPO_OK;
}
