/* UTF-8, and what programs write instead of it. */
#include "core/text.h"
#include "io/io.h"

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
        length = text_utf8_length(bytes + at, size - at);
        if (length == 0) return line;
        line += bytes[at] == '\n';
    }
    return 0;
}

void io_put_as_utf8(struct io_buffer *out, const char *bytes, size_t size)
{
    for (size_t at = 0, length; at < size; at += length ? length : 1) {
        length = text_utf8_length(bytes + at, size - at);
        if (length > 0)
            io_put(out, bytes + at, length);
        else
            put_character(out, windows_character((unsigned char)bytes[at]));
    }
}
