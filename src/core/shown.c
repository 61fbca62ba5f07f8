/* UTF-8, and the characters that are shown by name. */
#include "core/text.h"

#include <stdio.h>
#include <string.h>

size_t text_utf8_length(const char *text, size_t left)
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

/* Of `length` bytes, which are UTF-8. */
static uint32_t number_of(const unsigned char *u, size_t length)
{
    uint32_t code = length == 1 ? u[0] : u[0] & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++) code = code << 6 | (u[i] & 0x3F);
    return code;
}

/* Controls, directions (Unicode's Bidi_Control), ends of lines and what has no width (of
 * Default_Ignorable_Code_Point), but for joiners (U+200C, U+200D) and variation selectors. */
static int is_hidden(uint32_t code)
{
    static const uint32_t ranges[][2] = {
        {0x00, 0x1F},       {0x7F, 0x9F},       {0xAD, 0xAD},       {0x34F, 0x34F},
        {0x61C, 0x61C},     {0x115F, 0x1160},   {0x17B4, 0x17B5},   {0x180E, 0x180E},
        {0x200B, 0x200B},   {0x200E, 0x200F},   {0x2028, 0x202E},   {0x2060, 0x206F},
        {0x3164, 0x3164},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFB},
        {0xFFFE, 0xFFFF},   {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE00FF},
        {0xE01F0, 0xE0FFF},
    };

    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (code >= ranges[i][0] && code <= ranges[i][1]) return 1;
    return 0;
}

size_t text_hidden(const char *text, size_t left, uint32_t *code)
{
    const unsigned char *u = (const unsigned char *)text;
    size_t length = text_utf8_length(text, left);
    *code = 0;
    if (left == 0) return 0;
    *code = length ? number_of(u, length) : u[0];
    return length == 0 ? 1 : is_hidden(*code) ? length : 0;
}

const char *text_name_hidden(uint32_t code, char buf[TEXT_NAMED])
{
    if (code < 0x100)
        snprintf(buf, TEXT_NAMED, "\\x%02x", (unsigned)code);
    else if (code < 0x10000)
        snprintf(buf, TEXT_NAMED, "\\u%04x", (unsigned)code);
    else
        snprintf(buf, TEXT_NAMED, "\\U%08x", (unsigned)code);
    return buf;
}

size_t text_printable(const char *text, size_t size, const char *kept, char *out, size_t room)
{
    size_t used = 0;
    for (size_t i = 0, length; i < size; i += length) {
        char name[TEXT_NAMED];
        uint32_t code = 0;
        const char *shown = text + i;
        length = text_hidden(text + i, size - i, &code);
        if (length == 0 || (code > 0 && code < 0x80 && strchr(kept, (int)code)))
            length = text_utf8_length(text + i, size - i);
        else
            shown = text_name_hidden(code, name);
        size_t more = shown == name ? strlen(name) : length;
        for (size_t k = 0; k < more && used + k < room; k++) out[used + k] = shown[k];
        used += more;
    }
    return used;
}

size_t text_json_next(const char *text, char out[TEXT_JSON])
{
    uint32_t code = 0;
    size_t left = strnlen(text, 4), length = text_utf8_length(text, left);
    if (left == 0) return 0;
    size_t hidden = text_hidden(text, left, &code);
    if (length == 0)
        snprintf(out, TEXT_JSON, "\\ufffd");
    else if (hidden && code > 0xFFFF)
        snprintf(out, TEXT_JSON, "\\u%04x\\u%04x", 0xD800u | ((code - 0x10000u) >> 10 & 0x3FFu),
                 0xDC00u | (code & 0x3FFu));
    else if (hidden)
        snprintf(out, TEXT_JSON, "\\u%04x", (unsigned)code);
    else
        snprintf(out, TEXT_JSON, "%s%.*s", *text == '"' || *text == '\\' ? "\\" : "", (int)length,
                 text);
    return length ? length : 1;
}
