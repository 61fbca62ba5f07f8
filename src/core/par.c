#include "core/par.h"

#include <stdatomic.h>
#include <stdint.h>

#ifdef _OPENMP
#include <omp.h>
#endif

int par_threads(int requested)
{
#ifdef _OPENMP
    int all = omp_get_num_procs();
    return requested > 0 && requested < 1024 ? requested : all;
#else
    (void)requested;
    return 1;
#endif
}

static int thread_slot(void)
{
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
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
    atomic_size_t done;
    atomic_int stop;
};

static ucpo_status ask_progress(const struct run *run, size_t done, ucpo_error *err)
{
    if (!hooks_progress(run->hooks, done, run->count)) return UCPO_OK;
    return status_fail(err, UCPO_E_CANCELLED, "stopped by the progress callback");
}

static void run_chunk(struct run *run, size_t c)
{
    if (atomic_load(&run->stop)) return;
    size_t begin = c * run->chunk;
    size_t end = run->count - begin < run->chunk ? run->count : begin + run->chunk;
    ucpo_error error = {0};
    ucpo_status status = run->work(run->context, begin, end, thread_slot(), &error);
    size_t done = atomic_fetch_add(&run->done, end - begin) + (end - begin);
    if (status == UCPO_OK && thread_slot() == 0 && done < run->count)
        status = ask_progress(run, done, &error);
    if (status == UCPO_OK) return;
#pragma omp critical(par_failure)
    {
        if (c < run->failed_chunk) {
            run->failed_chunk = c;
            run->status = status;
            if (run->err) *run->err = error;
        }
    }
    if (status == UCPO_E_CANCELLED || status == UCPO_E_MEMORY) atomic_store(&run->stop, 1);
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
                      .failed_chunk = SIZE_MAX};
    int workers = par_threads(threads);
    if ((size_t)workers > run.chunks) workers = (int)run.chunks;
    (void)workers; /* unused without OpenMP */
#pragma omp parallel for default(none) shared(run) num_threads(workers) schedule(dynamic, 1)
    for (size_t c = 0; c < run.chunks; c++) run_chunk(&run, c);
    if (run.status == UCPO_OK) run.status = ask_progress(&run, count, err);
    return run.status;
}
