/* What a reader leaves out of a file with the user's consent: collected, and handed on with the instance. */
#ifndef UCPO_IO_LEFT_OUT_H
#define UCPO_IO_LEFT_OUT_H

#include "io/io.h"

struct io_left {
    ucpo_left_out *item;
    size_t count, capacity;
    struct mem_pool pool; /* holds the texts */
};

/* Remembers it for the next instance of the source. What stands in brackets about an option is cut. */
ucpo_status io_left_add(const struct io_source *source, long line, ucpo_reading way,
                        const char *text, ucpo_error *err);
void io_left_free(struct io_left *left);

/* Says what that makes of verdicts about the instance. */
void io_left_warn(const struct io_source *source, const ucpo_instance *inst);

/* Whether a key or the head of a column is the name of something that restricts plans and that we do not
 * model, and which way its absence goes. */
int io_restricts(const char *head, ucpo_reading *way);

#endif
