#include "cli/lkh.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/output.h"
#include "core/clock.h"

extern char **environ;

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

const struct opt_group lkh_options = OPT_GROUP("With --reference lkh", specs);

/* ---- LKH as a process: its files, its time, its end ---- */

enum { LKH_PATH = 4096 };

struct lkh_job {
    char program[LKH_PATH];
    char folder[LKH_PATH];                                                       /* temporary */
    char problem[LKH_PATH], parameters[LKH_PATH], tour[LKH_PATH], log[LKH_PATH]; /* in it */
    long trials;
    int vehicles; /* 0: a tour */
    double seconds;
    char complaint[200]; /* of the last run that failed */
};

enum lkh_end { LKH_DONE, LKH_FAILED, LKH_LATE };

static int is_program_in(const char *folders, const char *name, char *path)
{
    while (folders && *folders) {
        size_t length = strcspn(folders, ":");
        int need = snprintf(path, LKH_PATH, "%.*s/%s", (int)length, folders, name);
        if (length > 0 && need > 0 && need < LKH_PATH && access(path, X_OK) == 0) return 1;
        folders += length + (folders[length] == ':');
    }
    return 0;
}

static int find_program(struct lkh_job *job, const char *program)
{
    const char *folders = getenv("PATH"); /* NOLINT(concurrency-mt-unsafe) */
    if (program && strchr(program, '/')) {
        snprintf(job->program, sizeof job->program, "%s", program);
        if (access(program, X_OK) == 0) return EXIT_DONE;
    } else if (program) {
        if (is_program_in(folders, program, job->program)) return EXIT_DONE;
    } else if (is_program_in(folders, "LKH", job->program) ||
               is_program_in(folders, "LKH-3", job->program)) {
        return EXIT_DONE;
    }
    if (program) return message_error("--lkh is '%s': there is no such program", program);
    return message_error(
        "--reference lkh needs LKH, and neither LKH nor LKH-3 is on the PATH; name it "
        "with --lkh (it is not part of ucpo; for a file of that name: ./lkh)");
}

/* Finds the program and makes the folder. Messages are printed; the result is the exit code. */
static int lkh_begin(struct lkh_job *job, const char *program)
{
    char why[128];
    const char *base = getenv("TMPDIR"); /* NOLINT(concurrency-mt-unsafe) */
    int code = find_program(job, program);
    if (code) return code;
    int need = snprintf(job->folder, sizeof job->folder, "%s/ucpo_lkh_XXXXXX",
                        base && base[0] ? base : "/tmp");
    if (need >= LKH_PATH - 32 || !mkdtemp(job->folder)) {
        message_error("%s: cannot be made: %s", job->folder,
                      status_errno_text(errno, why, sizeof why));
        job->folder[0] = '\0';
        return EXIT_INPUT;
    }
    int length = LKH_PATH - 32; /* checked above; the compiler wants to see it */
    snprintf(job->problem, LKH_PATH, "%.*s/problem.txt", length, job->folder);
    snprintf(job->parameters, LKH_PATH, "%.*s/parameters.txt", length, job->folder);
    snprintf(job->tour, LKH_PATH, "%.*s/tour.txt", length, job->folder);
    snprintf(job->log, LKH_PATH, "%.*s/log.txt", length, job->folder);
    return EXIT_DONE;
}

static void clear_files(const struct lkh_job *job)
{
    unlink(job->problem);
    unlink(job->parameters);
    unlink(job->tour);
    unlink(job->log);
}

static void lkh_end(struct lkh_job *job)
{
    if (!job->folder[0]) return;
    clear_files(job);
    rmdir(job->folder);
}

/* As the PIP repository has it. MTSP_MIN_SIZE: vehicles may stay at home. */
static int write_files(const struct lkh_job *job, const char *bytes, size_t size)
{
    char text[3 * LKH_PATH], fleet[80] = "";
    ucpo_error err = {0};
    if (job->vehicles > 0)
        snprintf(fleet, sizeof fleet, "VEHICLES = %d\nMTSP_MIN_SIZE = 0\n", job->vehicles);
    int length = snprintf(text, sizeof text,
                          "SPECIAL\nPROBLEM_FILE = %s\nMAX_TRIALS = %ld\nRUNS = 1\nSEED = 1234\n"
                          "%sTOUR_FILE = %s\n",
                          job->problem, job->trials, fleet, job->tour);
    ucpo_status status = ucpo_file_write(job->problem, bytes, size, &err);
    if (!status) status = ucpo_file_write(job->parameters, text, (size_t)length, &err);
    return status ? message_failure(status, &err) : EXIT_DONE;
}

static int start(const struct lkh_job *job, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    char *argv[] = {(char *)job->program, (char *)job->parameters, NULL};
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, job->log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    posix_spawnattr_setpgroup(&attributes, 0); /* it and what it starts can be ended together */
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    int code = posix_spawn(child, job->program, &actions, &attributes, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return code;
}

/* Waits for it, not longer than it may take. Returns 0 if it was ended. */
static int await(pid_t child, double seconds, int *status)
{
    double begin = clock_seconds();
    struct timespec pause = {0, 2000000};
    for (;;) {
        pid_t ended = waitpid(child, status, WNOHANG);
        if (ended == child) return 1;
        if (ended < 0 && errno != EINTR) return 1;
        if (interrupt_is_pending() || clock_seconds() - begin > seconds) break;
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 50000000) pause.tv_nsec += pause.tv_nsec / 4;
    }
    kill(-child, SIGKILL);
    while (waitpid(child, status, 0) < 0 && errno == EINTR) {
    }
    return 0;
}

/* The last line it printed, for the message. */
static void find_complaint(struct lkh_job *job, int status)
{
    char line[160], last[160] = "";
    FILE *file = fopen(job->log, "r");
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\r\n")] = '\0';
        if (line[0]) memcpy(last, line, sizeof last);
    }
    if (file) (void)fclose(file);
    if (WIFSIGNALED(status))
        snprintf(job->complaint, sizeof job->complaint, "ended by signal %d", WTERMSIG(status));
    else
        snprintf(job->complaint, sizeof job->complaint, "exit status %d%s%s", WEXITSTATUS(status),
                 last[0] ? ": " : ", no output", last);
}

/* Runs it on a problem file; job->tour is what it wrote. Exit code: only for what is wrong here. */
static int lkh_run(struct lkh_job *job, const char *bytes, size_t size, enum lkh_end *end)
{
    pid_t child = 0;
    int status = 0;
    clear_files(job);
    int code = write_files(job, bytes, size);
    if (code) return code;
    int failure = start(job, &child);
    if (failure) {
        char why[128];
        return message_error("%s: cannot be run: %s", job->program,
                             status_errno_text(failure, why, sizeof why));
    }
    int is_over = await(child, job->seconds, &status);
    ucpo_error none = {0};
    if (interrupt_is_pending()) return message_failure(UCPO_E_CANCELLED, &none);
    *end = !is_over                                        ? LKH_LATE
           : WIFEXITED(status) && WEXITSTATUS(status) == 0 ? LKH_DONE
                                                           : LKH_FAILED;
    if (*end == LKH_DONE && access(job->tour, R_OK) != 0) *end = LKH_FAILED;
    if (*end == LKH_FAILED) find_complaint(job, status);
    return EXIT_DONE;
}

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
            fprintf(file, "%016llx,%s\n", (unsigned long long)key, number_write(number, cost)) > 0;
    if (file && fclose(file) != 0) good = 0;
    if (good) return EXIT_DONE;
    return message_error("%s: cannot be written: %s", c->path,
                         status_errno_text(errno, why, sizeof why));
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
    ucpo_error err = {0};
    size_t count = ucpo_dataset_count(set);
    int code = cache_open(&w.cache, settings->cache);
    if (!code) code = lkh_begin(&w.job, settings->program);
    for (size_t i = 0; !code && i < count; i++) {
        ucpo_dataset *one = NULL;
        if (hooks.progress && hooks.progress(hooks.user, i, count)) code = EXIT_INTERRUPTED;
        if (!code && ucpo_dataset_slice(set, i, 1, &one, &err))
            code = message_failure(err.code, &err);
        if (!code) code = reference_of(&w, one, i, &costs[i]);
        ucpo_dataset_free(one);
    }
    if (!code && hooks.progress) (void)hooks.progress(hooks.user, count, count);
    lkh_end(&w.job);
    free(w.cache.bytes);
    if (code) return code;
    report(&w, count);
    if (w.outcomes[GOOD] > 0) return EXIT_DONE;
    return message_error("LKH gave no reference at all; -v says why, instance by instance");
}
