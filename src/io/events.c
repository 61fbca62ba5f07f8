/* A record is: u64 length, masked CRC-32C of these 8 bytes, payload, masked CRC-32C of the payload,
 * all little-endian. The payload is a protocol buffer `Event`:
 *   1 wall_time (double)   2 step (varint)   3 file_version (bytes)   5 summary (bytes)
 * and a summary is any number of field 1, value: {1 tag (bytes), 2 simple_value (float)}. */
#include "io/events.h"

#include <string.h>

/* ---- checksum ---- */

/* Remainders of the 16 half bytes for the reflected polynomial 0x82F63B78. */
static const uint32_t crc_table[16] = {
    0x00000000, 0x105EC76F, 0x20BD8EDE, 0x30E349B1, 0x417B1DBC, 0x5125DAD3, 0x61C69362, 0x7198540D,
    0x82F63B78, 0x92A8FC17, 0xA24BB5A6, 0xB21572C9, 0xC38D26C4, 0xD3D3E1AB, 0xE330A81A, 0xF36E6F75};

uint32_t io_crc32c(const void *bytes, size_t size)
{
    return io_crc32c_add(0, bytes, size);
}

static uint32_t crc_byte(uint32_t crc, unsigned byte)
{
    crc = crc_table[(crc ^ byte) & 15] ^ crc >> 4;
    return crc_table[(crc ^ byte >> 4) & 15] ^ crc >> 4;
}

/* Eight bytes at a time: row k holds the remainders of a byte with k bytes behind it. A model's two million
 * bytes take 1 ms instead of 15. */
static uint32_t crc_many(uint32_t crc, const unsigned char *at, size_t eights)
{
    uint32_t row[8][256];
    for (unsigned b = 0; b < 256; b++) {
        row[0][b] = crc_byte(0, b);
        for (int k = 1; k < 8; k++) row[k][b] = crc_byte(row[k - 1][b], 0);
    }
    for (; eights > 0; eights--, at += 8) {
        uint32_t first = crc ^ (uint32_t)io_little(at, 4);
        crc = row[7][first & 255] ^ row[6][first >> 8 & 255] ^ row[5][first >> 16 & 255] ^
              row[4][first >> 24] ^ row[3][at[4]] ^ row[2][at[5]] ^ row[1][at[6]] ^ row[0][at[7]];
    }
    return crc;
}

uint32_t io_crc32c_add(uint32_t before, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint32_t crc = ~before;
    size_t eights = size < 16384 ? 0 : size / 8; /* below, the rows cost more than they save */
    if (eights > 0) crc = crc_many(crc, at, eights);
    for (size_t i = 8 * eights; i < size; i++) crc = crc_byte(crc, at[i]);
    return ~crc;
}

/* Checksums of data that contain checksums would be weak: the format turns and shifts them. */
static uint32_t masked_crc(const void *bytes, size_t size)
{
    uint32_t crc = io_crc32c(bytes, size);
    return (crc >> 15 | crc << 17) + 0xA282EAD8u;
}

/* ---- protocol buffers ---- */

enum wire { WIRE_VARINT = 0, WIRE_DOUBLE = 1, WIRE_BYTES = 2, WIRE_FLOAT = 5 };

static void put_varint(struct io_buffer *buf, uint64_t value)
{
    for (; value >= 0x80; value >>= 7) io_put_little(buf, (value & 0x7F) | 0x80, 1);
    io_put_little(buf, value, 1);
}

static size_t varint_size(uint64_t value)
{
    size_t size = 1;
    while (value >>= 7) size++;
    return size;
}

static void put_tag(struct io_buffer *buf, unsigned field, enum wire wire)
{
    put_varint(buf, field << 3 | (unsigned)wire);
}

static void put_double(struct io_buffer *buf, unsigned field, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_tag(buf, field, WIRE_DOUBLE);
    io_put_little(buf, bits, 8);
}

static void put_float(struct io_buffer *buf, unsigned field, double value)
{
    float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    put_tag(buf, field, WIRE_FLOAT);
    io_put_little(buf, bits, 4);
}

static void put_text(struct io_buffer *buf, unsigned field, const char *text)
{
    size_t length = strlen(text);
    put_tag(buf, field, WIRE_BYTES);
    put_varint(buf, length);
    io_put(buf, text, length);
}

/* ---- records ---- */

enum { RECORD_HEAD = 12 }; /* the length and its checksum */

/* Leaves room for the head; returns where the record begins. */
static size_t begin_record(struct io_buffer *buf)
{
    static const char head[RECORD_HEAD];
    size_t start = buf->size;
    io_put(buf, head, sizeof head);
    return start;
}

static void end_record(struct io_buffer *buf, size_t start)
{
    if (buf->failed) return;
    size_t length = buf->size - start - RECORD_HEAD;
    char *head = buf->bytes + start;
    io_store_little(head, length, 8);
    io_store_little(head + 8, masked_crc(head, 8), 4);
    io_put_little(buf, masked_crc(head + RECORD_HEAD, length), 4);
}

void io_events_put_header(struct io_buffer *buf, double wall_time)
{
    size_t start = begin_record(buf);
    put_double(buf, 1, wall_time);
    put_text(buf, 3, "brain.Event:2");
    end_record(buf, start);
}

/* Length of a summary value: tag and number, each with its field. */
static size_t value_size(const struct io_scalar *scalar)
{
    size_t length = strlen(scalar->tag);
    return 1 + varint_size(length) + length + 1 + 4;
}

void io_events_put_scalars(struct io_buffer *buf, double wall_time, int64_t step,
                           const struct io_scalar *scalars, size_t count)
{
    size_t start = begin_record(buf), summary = 0;
    for (size_t i = 0; i < count; i++)
        summary += 1 + varint_size(value_size(&scalars[i])) + value_size(&scalars[i]);
    put_double(buf, 1, wall_time);
    put_tag(buf, 2, WIRE_VARINT);
    put_varint(buf, (uint64_t)step);
    put_tag(buf, 5, WIRE_BYTES);
    put_varint(buf, summary);
    for (size_t i = 0; i < count; i++) {
        put_tag(buf, 1, WIRE_BYTES);
        put_varint(buf, value_size(&scalars[i]));
        put_text(buf, 1, scalars[i].tag);
        put_float(buf, 2, scalars[i].value);
    }
    end_record(buf, start);
}
