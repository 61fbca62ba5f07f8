#include "cli/lkh_run.h"
#include "core/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* ---- where it is ---- */

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
    if (program)
        message_error("--lkh is '%s': there is no such program", program);
    else
        message_error(
            "--reference lkh needs LKH, and neither LKH nor LKH-3 is on the PATH; name it "
            "with --lkh (it is not part of ucpo; for a file of that name: ./lkh)");
    return EXIT_INPUT;
}

int lkh_begin(struct lkh_job *job, const char *program)
{
    char why[128];
    const char *base = getenv("TMPDIR"); /* NOLINT(concurrency-mt-unsafe) */
    int code = find_program(job, program);
    if (code) return code;
    int need = snprintf(job->folder, sizeof job->folder, "%s/ucpo_lkh_XXXXXX",
                        base && base[0] ? base : "/tmp");
    if (need >= LKH_PATH - 32 || !mkdtemp(job->folder)) {
        message_error("%s: cannot be made: %s", job->folder, errno_text(errno, why, sizeof why));
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

void lkh_end(struct lkh_job *job)
{
    if (!job->folder[0]) return;
    clear_files(job);
    rmdir(job->folder);
}

/* ---- a run ---- */

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

int lkh_run(struct lkh_job *job, const char *bytes, size_t size, enum lkh_end *end)
{
    pid_t child = 0;
    int status = 0;
    clear_files(job);
    int code = write_files(job, bytes, size);
    if (code) return code;
    int failure = start(job, &child);
    if (failure) {
        char why[128];
        message_error("%s: cannot be run: %s", job->program, errno_text(failure, why, sizeof why));
        return EXIT_INPUT;
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
