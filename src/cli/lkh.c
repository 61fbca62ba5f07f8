#include "cli/lkh.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/lkh_run.h"
#include "cli/model_choice.h"
#include "cli/output.h"
#include "cli/reading.h"

#define AT(member) offsetof(struct lkh_settings, member)

static const struct opt_spec specs[] = {
    OPT("lkh", 0, OPT_FILE, AT(program), "PROGRAM", NULL,
        "the program [default: LKH, else LKH-3, on the PATH]"),
    OPT("lkh-trials", 0, OPT_INTEGER, AT(trials), "N", "10000", "its MAX_TRIALS", .low = 1,
        .high = 1000000000),
    OPT("lkh-time", 0, OPT_TIME, AT(time), "TIME", "10m",
        "it is ended if it takes longer for an instance; there is no reference then"),
    OPT("lkh-cache", 0, OPT_FILE, AT(cache), "FILE", NULL,
        "keep its results in this CSV file and do not compute what is there"),
};

const struct opt_group lkh_options = {"With --reference lkh", specs,
                                      sizeof specs / sizeof specs[0]};

/* ---- results of earlier runs: lines "key,cost", cost empty if there is none ---- */

struct cache {
    const char *path;
    char *bytes;
};

/* What the result depends on: the problem file and the trials. FNV-1a. */
static uint64_t key_of(const char *bytes, size_t size, long trials)
{
    uint64_t hash = UINT64_C(14695981039346656037) ^ (uint64_t)trials;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(1099511628211);
    return hash;
}

static int cache_open(struct cache *c, const char *path)
{
    ucpo_error err = {0};
    size_t size = 0;
    c->path = path;
    if (!path || access(path, F_OK) != 0) return EXIT_DONE;
    ucpo_status status = ucpo_file_read(path, &c->bytes, &size, &err);
    return status ? message_failure(status, &err) : EXIT_DONE;
}

static int cache_find(const struct cache *c, uint64_t key, double *cost)
{
    char text[24];
    snprintf(text, sizeof text, "%016llx,", (unsigned long long)key);
    const char *line = c->bytes ? strstr(c->bytes, text) : NULL;
    if (!line) return 0;
    char *end = NULL;
    const char *number = line + strlen(text);
    if (strchr("\r\n", *number)) return 0; /* strtod would go on to the next line */
    *cost = strtod(number, &end);
    return strchr("\r\n", *end) && *cost > 0.0;
}

/* At once, so that nothing is lost if the run is interrupted. */
static int cache_add(const struct cache *c, uint64_t key, double cost)
{
    if (!c->path) return EXIT_DONE;
    char number[NUMBER_MAX], why[128];
    FILE *file = fopen(c->path, "a");
    int good = file != NULL;
    if (good && ftell(file) == 0) good = fputs("key,cost\n", file) >= 0;
    if (good)
        good =
            fprintf(file, "%016llx,%s\n", (unsigned long long)key, number_exact(number, cost)) > 0;
    if (file && fclose(file) != 0) good = 0;
    if (good) return EXIT_DONE;
    message_error("%s: cannot be written: %s", c->path, errno_text(errno, why, sizeof why));
    return EXIT_INPUT;
}

/* ---- one instance ---- */

/* The length that becomes 10^7: LKH computes in whole numbers of 32 bits. PIP's scale. */
static double scale_for(const ucpo_instance_data *d)
{
    double span = d->unit;
    size_t n = (size_t)d->n;
    int has_fractions = !d->cost && d->rounding == UCPO_ROUND_NONE;
    for (size_t i = 0; d->cost && i < n * n; i++) {
        span = fmax(span, d->cost[i] / 1.5);
        has_fractions = has_fractions || d->cost[i] != floor(d->cost[i]);
    }
    for (size_t i = 0; !d->cost && d->x && i < n; i++)
        span = fmax(span, fmax(fabs(d->x[i] - d->x[0]), fabs(d->y[i] - d->y[0])));
    return has_fractions ? 1e7 / span : 0.0;
}

static int check_either_way(const ucpo_instance *inst, const ucpo_plan *plan, double *cost)
{
    ucpo_evaluation eval = {0};
    int32_t *turned = malloc((plan->len + 1) * sizeof *turned);
    if (!turned) return 0;
    for (size_t k = 0; k < plan->len; k++) turned[k] = plan->nodes[plan->len - 1 - k];
    int good = !ucpo_check(inst, plan->nodes, plan->len, &eval, NULL, 0, NULL, 0, NULL) &&
               eval.is_feasible;
    if (!good) /* ships that load were shown to LKH as ships that unload */
        good =
            !ucpo_check(inst, turned, plan->len, &eval, NULL, 0, NULL, 0, NULL) && eval.is_feasible;
    free(turned);
    *cost = eval.cost / ucpo_instance_view(inst)->unit;
    return good;
}

enum outcome { GOOD, REJECTED, FAILED, LATE, OUTCOMES };

struct work {
    struct lkh_job job;
    struct cache cache;
    size_t outcomes[OUTCOMES], cached;
};

static void note_failure(const struct work *w, size_t index, const char *what)
{
    message_note("instance %zu: %s: %s", index, w->job.program, what);
}

/* NaN if there is no reference. */
static double judge(struct work *w, const ucpo_dataset *one, size_t index, enum lkh_end end)
{
    ucpo_error err = {0};
    ucpo_plans *plans = NULL;
    double cost = (double)NAN;
    enum outcome outcome = FAILED;
    if (end == LKH_LATE) {
        outcome = LATE;
        note_failure(w, index, "ended, it took too long");
    } else if (end == LKH_FAILED) {
        note_failure(w, index, w->job.complaint);
    } else if (ucpo_plans_read(w->job.tour, "tour", one, &plans, &err)) {
        note_failure(w, index, err.text);
    } else if (ucpo_plans_count(plans) != 1) {
        note_failure(w, index, "wrote no tour");
    } else {
        ucpo_plan plan = ucpo_plans_at(plans, 0);
        outcome = check_either_way(ucpo_dataset_at(one, 0), &plan, &cost) ? GOOD : REJECTED;
        if (outcome == REJECTED) note_failure(w, index, "the checker rejects its tour");
    }
    w->outcomes[outcome]++;
    ucpo_plans_free(plans);
    return outcome == GOOD ? cost : (double)NAN;
}

static int reference_of(struct work *w, const ucpo_dataset *one, size_t index, double *cost)
{
    const ucpo_instance_data *d = ucpo_instance_view(ucpo_dataset_at(one, 0));
    ucpo_write_config options = ucpo_write_config_default();
    ucpo_error err = {0};
    char *bytes = NULL;
    size_t size = 0;
    options.format = "tsplib";
    options.scale = scale_for(d);
    ucpo_status status = ucpo_write_bytes(one, &options, &bytes, &size, &err);
    if (status) return message_failure(status, &err);
    uint64_t key = key_of(bytes, size, w->job.trials);
    int code = EXIT_DONE;
    if (cache_find(&w->cache, key, cost)) {
        w->cached++;
        w->outcomes[GOOD]++;
    } else {
        enum lkh_end end = LKH_DONE;
        w->job.vehicles = d->capacity <= 0.0 ? 0 : d->vehicles > 0 ? d->vehicles : d->n - 1;
        code = lkh_run(&w->job, bytes, size, &end);
        if (!code) *cost = judge(w, one, index, end);
        if (!code && !isnan(*cost))
            code = cache_add(&w->cache, key, *cost); /* failures try again */
    }
    ucpo_bytes_free(bytes);
    return code;
}

static void report(const struct work *w, size_t count)
{
    message_note("LKH: %zu of %zu results from %s", w->cached, count,
                 w->cache.path ? w->cache.path : "no file");
    if (w->outcomes[GOOD] == count) return;
    message_warning(
        "LKH: no reference for %zu of %zu instances (%zu tours rejected by the checker, "
        "%zu runs failed, %zu took too long); gaps are over the others, -v names them",
        count - w->outcomes[GOOD], count, w->outcomes[REJECTED], w->outcomes[FAILED],
        w->outcomes[LATE]);
}

int lkh_costs(const struct lkh_settings *settings, const ucpo_dataset *set, double *costs)
{
    struct work w = {.job = {.trials = settings->trials, .seconds = settings->time.seconds}};
    ucpo_hooks hooks = message_hooks("running LKH");
    size_t count = ucpo_dataset_count(set);
    int code = cache_open(&w.cache, settings->cache);
    if (!code) code = lkh_begin(&w.job, settings->program);
    for (size_t i = 0; !code && i < count; i++) {
        ucpo_dataset *one = NULL;
        if (hooks.progress && hooks.progress(hooks.user, i, count)) code = EXIT_INTERRUPTED;
        if (!code) code = slice_set(set, i, 1, &one);
        if (!code) code = reference_of(&w, one, i, &costs[i]);
        ucpo_dataset_free(one);
    }
    if (!code && hooks.progress) (void)hooks.progress(hooks.user, count, count);
    lkh_end(&w.job);
    free(w.cache.bytes);
    if (code) return code;
    report(&w, count);
    if (w.outcomes[GOOD] > 0) return EXIT_DONE;
    message_error("LKH gave no reference at all; -v says why, instance by instance");
    return EXIT_INPUT;
}
