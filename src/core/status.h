/* Errors: every fallible function returns a status and fills the caller's ucpo_error. */
#ifndef UCPO_CORE_STATUS_H
#define UCPO_CORE_STATUS_H

#include "ucpo.h"

/* Fills err (may be NULL) with code and formatted text; returns code. */
ucpo_status status_fail(ucpo_error *err, ucpo_status code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for an error at a line of an input file. */
ucpo_status status_fail_at(ucpo_error *err, ucpo_status code, const char *file, long line,
                           const char *format, ...) __attribute__((format(printf, 5, 6)));

ucpo_status status_no_memory(ucpo_error *err, size_t bytes);

/* Sends a formatted line to the log hook (hooks and its log may be NULL). */
void hooks_log(const ucpo_hooks *hooks, ucpo_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Asks the progress hook; non-zero = stop. */
int hooks_progress(const ucpo_hooks *hooks, size_t done, size_t total);

#endif
