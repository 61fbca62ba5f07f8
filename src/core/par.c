#define _GNU_SOURCE /* NOLINT: sched_getaffinity needs the name as it is */
#include "core/par.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

enum { MOST_THREADS = 1023 };

int par_threads(int requested)
{
    cpu_set_t own; /* processors this process may use */
    if (requested > 0 && requested <= MOST_THREADS) return requested;
    return sched_getaffinity(0, sizeof own, &own) == 0 ? CPU_COUNT(&own) : 1;
}

/* One parallel run: the earliest failing chunk wins, so errors do not depend on timing. */
struct run {
    size_t count, chunk, chunks;
    const ucpo_hooks *hooks;
    par_work work;
    void *context;
    ucpo_error *err;
    ucpo_status status;
    size_t failed_chunk;
    atomic_size_t next, done;
    atomic_int stop;
    atomic_flag failing; /* held by who writes status, err and failed_chunk */
};

static ucpo_status ask_progress(const struct run *run, size_t done, ucpo_error *err)
{
    if (!hooks_progress(run->hooks, done, run->count)) return UCPO_OK;
    return status_fail(err, UCPO_E_CANCELLED, "stopped by the progress callback");
}

static void run_chunk(struct run *run, size_t c, int slot)
{
    if (atomic_load(&run->stop)) return;
    size_t begin = c * run->chunk;
    size_t end = run->count - begin < run->chunk ? run->count : begin + run->chunk;
    ucpo_error error = {0};
    ucpo_status status = run->work(run->context, begin, end, slot, &error);
    size_t done = atomic_fetch_add(&run->done, end - begin) + (end - begin);
    if (status == UCPO_OK && slot == 0 && done < run->count)
        status = ask_progress(run, done, &error);
    if (status == UCPO_OK) return;
    while (atomic_flag_test_and_set(&run->failing)) {
    }
    if (c < run->failed_chunk) {
        run->failed_chunk = c;
        run->status = status;
        if (run->err) *run->err = error;
    }
    atomic_flag_clear(&run->failing);
    if (status == UCPO_E_CANCELLED || status == UCPO_E_MEMORY) atomic_store(&run->stop, 1);
}

/* What each thread does: the next chunk, until there is none. Slot 0 is the calling thread. */
static void run_worker(struct run *run, int slot)
{
    for (;;) {
        size_t c = atomic_fetch_add(&run->next, 1);
        if (c >= run->chunks) return;
        run_chunk(run, c, slot);
    }
}

struct helper {
    struct run *run;
    int slot;
    pthread_t thread;
};

static void *helper_main(void *argument)
{
    struct helper *helper = argument;
    run_worker(helper->run, helper->slot);
    return NULL;
}

/* Threads live for one call: nothing is left over that a fork could miss. If the system gives fewer
 * than asked for, those that are there do the work. */
static void run_all(struct run *run, int workers)
{
    struct helper helpers[MOST_THREADS];
    int started = 0;
    while (started < workers - 1) {
        helpers[started] = (struct helper){.run = run, .slot = started + 1};
        if (pthread_create(&helpers[started].thread, NULL, helper_main, &helpers[started])) break;
        started++;
    }
    run_worker(run, 0);
    for (int i = 0; i < started; i++) pthread_join(helpers[i].thread, NULL);
}

ucpo_status par_run(size_t count, size_t chunk, int threads, const ucpo_hooks *hooks, par_work work,
                    void *context, ucpo_error *err)
{
    if (count == 0) return UCPO_OK;
    struct run run = {.count = count,
                      .chunk = chunk,
                      .chunks = (count - 1) / chunk + 1,
                      .hooks = hooks,
                      .work = work,
                      .context = context,
                      .err = err,
                      .failed_chunk = SIZE_MAX,
                      .failing = ATOMIC_FLAG_INIT};
    int workers = par_threads(threads);
    if ((size_t)workers > run.chunks) workers = (int)run.chunks;
    run_all(&run, workers);
    if (run.status == UCPO_OK) run.status = ask_progress(&run, count, err);
    return run.status;
}
