/* Fixed chunks of work over threads that live for one call. What a chunk is never depends on the number of threads. */
#ifndef UCPO_CORE_PAR_H
#define UCPO_CORE_PAR_H

#include "core/status.h"

/* Work on items [begin, end). `thread` is a slot number below par_threads(): index scratch by it.
 * Returns a status; on failure the first failing chunk's error (in chunk order) is reported. */
typedef ucpo_status (*par_work)(void *context, size_t begin, size_t end, int thread,
                                ucpo_error *err);

/* Threads that par_run will use for a request (0 = all processors). */
int par_threads(int requested);

/* Runs `work` over `count` items in chunks of `chunk`. The progress hook is called from the calling
 * thread between its chunks and once when all are done; if it asks to stop, remaining chunks are
 * skipped and the result is UCPO_E_CANCELLED. */
ucpo_status par_run(size_t count, size_t chunk, int threads, const ucpo_hooks *hooks, par_work work,
                    void *context, ucpo_error *err);

#endif
