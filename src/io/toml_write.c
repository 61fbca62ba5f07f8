#include "io/toml.h"

#include "core/number.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void io_toml_put_section(struct io_buffer *buf, const char *name, int is_listed)
{
    if (buf->size > 0) io_put(buf, "\n", 1);
    io_printf(buf, is_listed ? "[[%s]]\n" : "[%s]\n", name);
}

void io_toml_put_string(struct io_buffer *buf, const char *key, const char *text)
{
    io_printf(buf, "%s = \"", key);
    for (const char *at = text; *at; at++) {
        unsigned char c = (unsigned char)*at;
        if (c == '"' || c == '\\')
            io_printf(buf, "\\%c", c);
        else if (c == '\n')
            io_put(buf, "\\n", 2);
        else if (c == '\t')
            io_put(buf, "\\t", 2);
        else if (c < 0x20 || c == 0x7f)
            io_printf(buf, "\\u%04X", (unsigned)c);
        else
            io_put(buf, at, 1);
    }
    io_put(buf, "\"\n", 2);
}

void io_toml_put_real(struct io_buffer *buf, const char *key, double value)
{
    char text[NUMBER_SIZE];
    const char *shown = isnan(value) ? "nan" : number_write(text, value);
    int is_whole = isfinite(value) && strcspn(shown, ".e") == strlen(shown);
    io_printf(buf, "%s = %s%s\n", key, shown, is_whole ? ".0" : "");
}

void io_toml_put_integer(struct io_buffer *buf, const char *key, int64_t value)
{
    io_printf(buf, "%s = %" PRId64 "\n", key, value);
}

void io_toml_put_boolean(struct io_buffer *buf, const char *key, int value)
{
    io_printf(buf, "%s = %s\n", key, value ? "true" : "false");
}
