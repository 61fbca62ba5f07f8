/* For tests of text formats: read from a string, collect the log, compare instances, tables of
 * malformed input. */
#ifndef UCPO_TEST_TEXT_CASE_H
#define UCPO_TEST_TEXT_CASE_H

#include "support/support.h"

/* Everything a log hook received, one line each, prefixed by "info: " or "warning: ". */
struct test_log {
    char text[8192];
};

ucpo_hooks test_log_hooks(struct test_log *log);
void assert_logged_at(const struct test_log *log, const char *part, const char *file, int line);
void assert_not_logged_at(const struct test_log *log, const char *part, const char *file, int line);
#define assert_logged(log, part)     assert_logged_at((log), (part), __FILE__, __LINE__)
#define assert_not_logged(log, part) assert_not_logged_at((log), (part), __FILE__, __LINE__)

/* Reads text (detected unless options name a format); fails the test if that fails. */
ucpo_dataset *test_read_text(const char *text, const ucpo_read_config *options);
ucpo_dataset *test_read_data(const char *name, const ucpo_read_config *options);
const ucpo_instance_data *test_view(const ucpo_dataset *set);

/* The set as text in `format` (options may be NULL); free() it. */
char *test_write_text(const ucpo_dataset *set, const char *format,
                      const ucpo_write_config *options);

/* A set with one instance made from data. */
ucpo_dataset *test_set_of(const ucpo_instance_data *data);

/* Every field is the same double; service of zeros equals no service. */
void assert_same_instance_at(const ucpo_instance_data *a, const ucpo_instance_data *b,
                             const char *file, int line);
#define assert_same_instance(a, b) assert_same_instance_at((a), (b), __FILE__, __LINE__)

struct test_bad {
    const char *text;
    ucpo_status code;
    long line;
    const char *part; /* of the error text */
};

/* Each text must be refused with code, line and part of the message. */
void assert_refused(const char *format, const struct test_bad *cases, size_t count);

#endif
