/* UTF-8, and what programs write instead of it. */
#include "io/io.h"

size_t io_utf8_length(const char *text, size_t left)
{
    const unsigned char *u = (const unsigned char *)text;
    if (left == 0) return 0;
    if (u[0] < 0x80) return 1;
    if (u[0] < 0xC2 || u[0] > 0xF4) return 0;
    size_t length = u[0] < 0xE0 ? 2 : u[0] < 0xF0 ? 3 : 4;
    if (length > left) return 0;
    for (size_t i = 1; i < length; i++)
        if ((u[i] & 0xC0) != 0x80) return 0;
    /* overlong forms, surrogates and values above U+10FFFF show in the second byte */
    if (u[0] == 0xE0 && u[1] < 0xA0) return 0;
    if (u[0] == 0xED && u[1] > 0x9F) return 0;
    if (u[0] == 0xF0 && u[1] < 0x90) return 0;
    if (u[0] == 0xF4 && u[1] > 0x8F) return 0;
    return length;
}

/* A character of Windows-1252 above 7F; the five bytes it leaves free become U+FFFD. */
static unsigned windows_character(unsigned char byte)
{
    static const unsigned short c1[32] = {
        0x20AC, 0xFFFD, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
        0x2039, 0x0152, 0xFFFD, 0x017D, 0xFFFD, 0xFFFD, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
        0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0xFFFD, 0x017E, 0x0178};
    return byte >= 0x80 && byte < 0xA0 ? c1[byte - 0x80] : byte;
}

static void put_character(struct io_buffer *out, unsigned c)
{
    char two[] = {(char)(0xC0 | c >> 6), (char)(0x80 | (c & 0x3F))};
    char three[] = {(char)(0xE0 | c >> 12), (char)(0x80 | (c >> 6 & 0x3F)),
                    (char)(0x80 | (c & 0x3F))};
    if (c < 0x800)
        io_put(out, two, 2);
    else
        io_put(out, three, 3);
}

long io_utf8_first_bad(const char *bytes, size_t size)
{
    long line = 1;
    for (size_t at = 0, length; at < size; at += length) {
        length = io_utf8_length(bytes + at, size - at);
        if (length == 0) return line;
        line += bytes[at] == '\n';
    }
    return 0;
}

void io_put_as_utf8(struct io_buffer *out, const char *bytes, size_t size)
{
    for (size_t at = 0, length; at < size; at += length ? length : 1) {
        length = io_utf8_length(bytes + at, size - at);
        if (length > 0)
            io_put(out, bytes + at, length);
        else
            put_character(out, windows_character((unsigned char)bytes[at]));
    }
}
