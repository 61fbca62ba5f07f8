#define UCPO_CORE_STATUS_C
#include "core/status.h"

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

const char *ucpo_error_message(const ucpo_error *err, char *buf, size_t size)
{
    if (!buf || size == 0) return buf ? buf : "";
    buf[0] = '\0';
    if (!err) return buf;
    if (err->file[0] == '\0')
        snprintf(buf, size, "%s", err->text);
    else if (err->line <= 0)
        snprintf(buf, size, "%s: %s", err->file, err->text);
    else
        snprintf(buf, size, "%s:%ld: %s", err->file, err->line, err->text);
    return buf;
}

ucpo_status status_fail_at(ucpo_error *err, ucpo_status code, const char *file, long line,
                           const char *format, ...)
{
    if (!err) return code;
    va_list args;
    va_start(args, format);
    err->code = code;
    err->line = line;
    snprintf(err->file, sizeof err->file, "%s", file ? file : "");
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    return code;
}

ucpo_status status_no_memory(ucpo_error *err, size_t bytes)
{
    return status_fail(err, UCPO_E_MEMORY, "out of memory (%zu bytes asked for)", bytes);
}

void hooks_log(const ucpo_hooks *hooks, ucpo_log_level level, const char *format, ...)
{
    if (!hooks || !hooks->log) return;
    char text[768];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
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
