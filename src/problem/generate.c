/* Random data sets: instance i is a function of (problem, level, size, seed, i). */
#include "problem/problem.h"

#include "core/par.h"
#include "core/sized.h"

#include <math.h>
#include <stdlib.h>

/* Instances a task draws; fixed, so that progress and errors do not depend on threads. */
#define CHUNK 64

void ucpo_generate_config_init(ucpo_generate_config *config, size_t size)
{
    ucpo_generate_config own = {.size = 50, .count = 1};
    sized_give(config, size, &own, sizeof own);
}

double prob_published_capacity(const double capacity[4], int32_t customers, double least)
{
    static const double size[] = {10, 20, 50, 100};
    int k = customers <= 20 ? 0 : customers <= 50 ? 1 : 2;
    double slope = (capacity[k + 1] - capacity[k]) / (size[k + 1] - size[k]);
    double value = floor(capacity[k] + slope * (customers - size[k]));
    return value > least ? value : least;
}

struct job {
    const ucpo_generate_config *config;
    const struct prob_ops *ops;
    int level;
    int32_t n;
    ucpo_instance **made;
};

/* Unrelated numbers for every problem, level and size under the same seed. */
static uint32_t stream_of(const struct job *job)
{
    uint32_t hash = 2166136261u;
    for (const char *c = job->ops->info.name; *c; c++) hash = (hash ^ (uint8_t)*c) * 16777619u;
    hash = (hash ^ (uint32_t)job->level) * 16777619u;
    hash = (hash ^ (uint32_t)job->n) * 16777619u;
    return hash ^ RNG_GENERATE;
}

static ucpo_status draw_range(void *context, size_t begin, size_t end, int thread, ucpo_error *err)
{
    struct job *job = context;
    (void)thread;
    for (size_t i = begin; i < end; i++) {
        struct ucpo_instance *inst = NULL;
        ucpo_status st = instance_blank(job->ops, job->n, &inst, err);
        if (st) return st;
        job->made[i] = inst;
        struct rng rng = rng_at(job->config->seed, stream_of(job), job->config->first + i);
        job->ops->generate(inst, job->level, job->config->capacity, &rng);
        st = instance_finish(inst, err);
        if (st) return st;
    }
    return UCPO_OK;
}

static ucpo_status check_config(const ucpo_generate_config *config, struct job *job,
                                ucpo_error *err)
{
    char names[128];
    job->ops = config->problem ? prob_find(config->problem) : NULL;
    if (!job->ops)
        return status_argument(err, "unknown problem '%s', expected one of: %s",
                               config->problem ? config->problem : "",
                               prob_names(names, sizeof names));
    job->level = prob_level_index(job->ops, config->level);
    if (job->level < 0)
        return status_argument(err, "unknown level '%s' for %s, expected one of: %s", config->level,
                               job->ops->info.name, job->ops->info.levels);
    if (config->size < 3 || config->size > 10000)
        return status_argument(err, "size is %d, expected 3 .. 10000", (int)config->size);
    job->n = config->size + (job->ops->info.depot_is_extra ? 1 : 0);
    if (config->count < 1 || config->count > 100000000)
        return status_argument(err, "count is %zu, expected 1 .. 100000000", config->count);
    if (config->first > SIZE_MAX - config->count)
        return status_argument(err, "first is %zu, expected 0 .. %zu with count %zu", config->first,
                               SIZE_MAX - config->count, config->count);
    int has_capacity = (job->ops->needs & PROB_CAPACITY) != 0;
    int is_fine = config->capacity == 0.0 || /* at least the smallest demand */
                  (has_capacity && config->capacity >= 1.0 && config->capacity <= 1e12);
    if (!is_fine)
        return status_argument(err, "capacity is %g, expected %s", config->capacity,
                               has_capacity ? "1 .. 1e12" : "none: the problem has no capacity");
    return UCPO_OK;
}

ucpo_status ucpo_generate(const ucpo_generate_config *given, ucpo_dataset **out, ucpo_error *err)
{
    if (!out) return status_argument(err, "out must not be NULL");
    ucpo_generate_config own = ucpo_generate_config_default();
    const ucpo_generate_config *config = &own;
    struct job job = {.config = config};
    ucpo_status st = sized_take(&own, sizeof own, given, "ucpo_generate_config", err);
    if (!st) st = check_config(config, &job, err);
    if (st) return st;
    job.made = mem_zeroed(config->count, sizeof(ucpo_instance *));
    if (!job.made) return status_no_memory(err, config->count * sizeof(ucpo_instance *));
    ucpo_dataset *set = NULL;
    st = ucpo_dataset_create(&set, err);
    if (!st)
        st = par_run(config->count, CHUNK, config->threads, &config->hooks, draw_range, &job, err);
    size_t added = 0;
    while (!st && added < config->count) {
        st = ucpo_dataset_add(set, job.made[added], err);
        if (!st) added++;
    }
    for (size_t i = added; i < config->count; i++) ucpo_instance_free(job.made[i]);
    free(job.made);
    if (st) {
        ucpo_dataset_free(set);
        return st;
    }
    *out = set;
    return UCPO_OK;
}
