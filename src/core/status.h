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

/* UCPO_E_ARGUMENT: what the caller gave is wrong; UCPO_E_FORMAT: what a line of a file says (0: none). */
ucpo_status status_argument(ucpo_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
ucpo_status status_format(ucpo_error *err, const char *file, long line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
ucpo_status status_no_memory(ucpo_error *err, size_t bytes);

/* UCPO_E_IO about `path`: "what: reason", with the words for an errno. */
ucpo_status status_fail_errno(ucpo_error *err, const char *path, int code, const char *what);

/* Words for an errno, into buf; returns buf. */
const char *status_errno_text(int code, char *buf, size_t size);

/* clang's analyzer sees one file at a time and would follow paths where a failure returns UCPO_OK:
 * show it what is returned. */
#if defined(__clang_analyzer__) && !defined(UCPO_CORE_STATUS_C)
static inline ucpo_status status_known(ucpo_status ignored, ucpo_status code)
{
    (void)ignored;
    return code;
}

/* NOLINTBEGIN(readability-identifier-naming) */
#define status_fail(err, code, ...) status_known((status_fail)(err, code, __VA_ARGS__), code)
#define status_fail_at(err, code, file, line, ...)                                                 \
    status_known((status_fail_at)(err, code, file, line, __VA_ARGS__), code)
#define status_argument(err, ...) status_known((status_argument)(err, __VA_ARGS__), UCPO_E_ARGUMENT)
#define status_format(err, file, line, ...)                                                        \
    status_known((status_format)(err, file, line, __VA_ARGS__), UCPO_E_FORMAT)
#define status_no_memory(err, bytes) status_known((status_no_memory)(err, bytes), UCPO_E_MEMORY)
/* NOLINTEND(readability-identifier-naming) */
#endif

/* Sends a formatted line to the log hook (hooks and its log may be NULL). */
void hooks_log(const ucpo_hooks *hooks, ucpo_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Asks the progress hook; non-zero = stop. */
int hooks_progress(const ucpo_hooks *hooks, size_t done, size_t total);

#endif
