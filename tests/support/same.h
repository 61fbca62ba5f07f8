/* Equality of instances, sets and plans down to the last bit; a log that remembers warnings. */
#ifndef UCPO_TEST_SAME_H
#define UCPO_TEST_SAME_H

#include "support/support.h"

/* "" if every field has the same bits, else the name of the first field that differs. An absent
 * service array equals one of zeros. */
const char *difference_of_instances(const ucpo_instance *a, const ucpo_instance *b);
void assert_same_set(const ucpo_dataset *a, const ucpo_dataset *b);

/* Collects log lines: line_log_hooks(&log) goes into the options. */
struct line_log {
    char text[2048];
    int lines;
};

ucpo_hooks line_log_hooks(struct line_log *log);

/* Reads text as a set and expects success. The caller frees it. */
ucpo_dataset *read_text_set(const char *text, const char *problem);

/* Expects `code` and that the error's text contains `fragment` and stands on `line`. */
void assert_error(ucpo_status got, const ucpo_error *err, ucpo_status code, long line,
                  const char *fragment);

#endif
