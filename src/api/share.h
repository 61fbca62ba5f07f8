/* Work that several processes share: who does what, and how all get to know all of it. */
#ifndef UCPO_API_SHARE_H
#define UCPO_API_SHARE_H

#include "core/status.h"

/* This process's items of `count`. comm NULL: all. */
void share_part(const ucpo_comm *comm, size_t count, size_t *begin, size_t *end);

/* Threads for a request, which may be 0. */
int share_threads(const ucpo_comm *comm, int requested);

/* `bytes` holds `size` bytes in every process, of which this one knows begin .. end - 1; afterwards all processes know all. `st` is how this process's work went: a
 * failure is passed on (bytes may be NULL then) and makes the call fail everywhere. */
ucpo_status share_bytes(const ucpo_comm *comm, void *bytes, size_t size, size_t begin, size_t end,
                        ucpo_status st, ucpo_error *err);

#endif
