#define UCPO_CORE_STATUS_C
#include "core/status.h"
#include "core/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *ucpo_status_name(ucpo_status code)
{
    switch (code) {
    case UCPO_OK: return "UCPO_OK";
    case UCPO_E_ARGUMENT: return "UCPO_E_ARGUMENT";
    case UCPO_E_MEMORY: return "UCPO_E_MEMORY";
    case UCPO_E_IO: return "UCPO_E_IO";
    case UCPO_E_FORMAT: return "UCPO_E_FORMAT";
    case UCPO_E_UNSUPPORTED: return "UCPO_E_UNSUPPORTED";
    case UCPO_E_MISMATCH: return "UCPO_E_MISMATCH";
    case UCPO_E_CANCELLED: return "UCPO_E_CANCELLED";
    case UCPO_E_DIVERGED: return "UCPO_E_DIVERGED";
    case UCPO_E_INTERNAL: return "UCPO_E_INTERNAL";
    }
    return "UCPO_E_UNKNOWN";
}

/* Texts quote files: what is hidden in them is shown by name. */
static void put_shown(const char *raw, char *buf, size_t size)
{
    size_t used = text_printable(raw, strlen(raw), "", buf, size - 1);
    buf[used < size - 1 ? used : size - 1] = '\0';
}

const char *ucpo_error_message(const ucpo_error *err, char *buf, size_t size)
{
    if (!buf || size == 0) return buf ? buf : "";
    buf[0] = '\0';
    if (!err) return buf;
    char raw[sizeof err->file + sizeof err->text + 32];
    if (err->file[0] == '\0')
        snprintf(raw, sizeof raw, "%s", err->text);
    else if (err->line <= 0)
        snprintf(raw, sizeof raw, "%s: %s", err->file, err->text);
    else
        snprintf(raw, sizeof raw, "%s:%ld: %s", err->file, err->line, err->text);
    put_shown(raw, buf, size);
    return buf;
}

ucpo_status status_fail_at(ucpo_error *err, ucpo_status code, const char *file, long line,
                           const char *format, ...)
{
    if (!err) return code;
    char raw[sizeof err->text];
    va_list args;
    va_start(args, format);
    err->code = code;
    err->line = line;
    snprintf(err->file, sizeof err->file, "%s", file ? file : "");
    vsnprintf(raw, sizeof raw, format, args);
    va_end(args);
    put_shown(raw, err->text, sizeof err->text);
    return code;
}

ucpo_status status_no_memory(ucpo_error *err, size_t bytes)
{
    return status_fail(err, UCPO_E_MEMORY, "out of memory (%zu bytes asked for)", bytes);
}

void hooks_log(const ucpo_hooks *hooks, ucpo_log_level level, const char *format, ...)
{
    if (!hooks || !hooks->log) return;
    char raw[768], text[sizeof raw];
    va_list args;
    va_start(args, format);
    vsnprintf(raw, sizeof raw, format, args);
    va_end(args);
    put_shown(raw, text, sizeof text);
    hooks->log(hooks->user, level, text);
}

const char *status_errno_text(int code, char *buf, size_t size)
{
    if (strerror_r(code, buf, size) != 0) snprintf(buf, size, "error %d", code);
    return buf;
}

ucpo_status status_fail_errno(ucpo_error *err, const char *path, int code, const char *what)
{
    char text[128];
    return status_fail_at(err, UCPO_E_IO, path, 0, "%s: %s", what,
                          status_errno_text(code, text, sizeof text));
}

int hooks_progress(const ucpo_hooks *hooks, size_t done, size_t total)
{
    return hooks && hooks->progress ? hooks->progress(hooks->user, done, total) : 0;
}
