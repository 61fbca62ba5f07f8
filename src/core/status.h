/* Errors: every fallible function returns a status and fills the caller's ucpo_error. */
#ifndef UCPO_CORE_STATUS_H
#define UCPO_CORE_STATUS_H

#include "ucpo.h"

/* Fills err (may be NULL) with code and formatted text about a line of a file (NULL and 0: none); returns
 * code. */
ucpo_status status_fail_at(ucpo_error *err, ucpo_status code, const char *file, long line,
                           const char *format, ...) __attribute__((format(printf, 5, 6)));
ucpo_status status_no_memory(ucpo_error *err, size_t bytes);

/* UCPO_E_IO about `path`: "what: reason", with the words for an errno. */
ucpo_status status_fail_errno(ucpo_error *err, const char *path, int code, const char *what);

/* Words for an errno, into buf; returns buf. */
const char *status_errno_text(int code, char *buf, size_t size);

/* NOLINTBEGIN(readability-identifier-naming) */
#if defined(__clang_analyzer__) && !defined(UCPO_CORE_STATUS_C)
/* It sees one file at a time and would follow paths where a failure returns UCPO_OK: show it what is
 * returned. */
static inline ucpo_status status_known(ucpo_status ignored, ucpo_status code)
{
    (void)ignored;
    return code;
}

#define status_fail_at(err, code, file, line, ...)                                                 \
    status_known((status_fail_at)(err, code, file, line, __VA_ARGS__), code)
#define status_no_memory(err, bytes) status_known((status_no_memory)(err, bytes), UCPO_E_MEMORY)
#endif

/* The same without a file; UCPO_E_ARGUMENT: what the caller gave is wrong; UCPO_E_FORMAT: what a line of a
 * file says (0: none). */
#define status_fail(err, code, ...) status_fail_at(err, code, NULL, 0, __VA_ARGS__)
#define status_argument(err, ...)   status_fail_at(err, UCPO_E_ARGUMENT, NULL, 0, __VA_ARGS__)
#define status_format(err, file, line, ...)                                                        \
    status_fail_at(err, UCPO_E_FORMAT, file, line, __VA_ARGS__)
/* NOLINTEND(readability-identifier-naming) */

/* Sends a formatted line to the log hook (hooks and its log may be NULL). */
void hooks_log(const ucpo_hooks *hooks, ucpo_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Asks the progress hook; non-zero = stop. */
int hooks_progress(const ucpo_hooks *hooks, size_t done, size_t total);

#endif
