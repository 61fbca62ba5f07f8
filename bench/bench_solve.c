/* Latency and punctuality of solving. Rows: what, milliseconds (best and median of runs), bar.
 *
 *   start      the program with --version: loading
 *   greedy     the program solving one 50-node file, greedy, 8 images, from process start
 *   overshoot  a call with a time limit: time it took beyond the limit (largest of runs)
 *
 * The program is looked for beside this one. */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ucpo.h"

enum { RUNS = 15 };

extern char **environ;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int run(char *const argv[])
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", 1, 0);
    if (posix_spawn(&child, argv[0], &actions, NULL, argv, environ) == 0)
        waitpid(child, &status, 0);
    posix_spawn_file_actions_destroy(&actions);
    return status;
}

static void time_program(const char *what, char *const argv[], double bar)
{
    double ms[RUNS];
    for (int i = 0; i < RUNS; i++) {
        double begin = now();
        int status = run(argv);
        ms[i] = 1e3 * (now() - begin);
        if (!WIFEXITED(status) ||
            (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != 3 && WEXITSTATUS(status) != 4)) {
            printf("%s,failed\n", what);
            return;
        }
    }
    qsort(ms, RUNS, sizeof ms[0], compare);
    printf("%s,%.1f,%.1f,%g\n", what, ms[0], ms[RUNS / 2], bar);
}

/* A file of 50 nodes and a model of the standard size. */
static int prepare(const char *instance, const char *model_path)
{
    ucpo_generate_config g = ucpo_generate_config_default();
    g.problem = "tsptw", g.size = 50, g.count = 1;
    ucpo_model_config c = ucpo_model_config_default("tsptw");
    ucpo_write_config w = ucpo_write_config_default();
    w.format = "json";
    ucpo_dataset *set = NULL;
    ucpo_model *model = NULL;
    int bad = ucpo_generate(&g, &set, NULL) || ucpo_write(instance, set, &w, NULL) ||
              ucpo_model_create(&c, 1, &model, NULL) ||
              ucpo_model_save(model, model_path, UCPO_DTYPE_F16, NULL);
    ucpo_dataset_free(set);
    ucpo_model_free(model);
    return !bad;
}

static void time_overshoot(const char *problem, int32_t size, double limit)
{
    ucpo_generate_config g = ucpo_generate_config_default();
    g.problem = problem, g.size = size, g.count = 1;
    ucpo_model_config c = ucpo_model_config_default(problem);
    ucpo_dataset *set = NULL;
    ucpo_model *model = NULL;
    if (ucpo_generate(&g, &set, NULL) || ucpo_model_create(&c, 1, &model, NULL)) {
        printf("overshoot,failed\n");
        exit(1); /* NOLINT(concurrency-mt-unsafe) */
    }
    double ms[5];
    long long candidates = 0;
    for (int i = 0; i < 5; i++) {
        ucpo_solve_config config = ucpo_solve_config_default();
        ucpo_solution *solution = NULL;
        config.time_limit = limit;
        double begin = now();
        if (ucpo_solve(model, ucpo_dataset_at(set, 0), &config, &solution, NULL)) return;
        ms[i] = 1e3 * (now() - begin - limit);
        candidates = solution->candidates;
        ucpo_solution_free(solution);
    }
    qsort(ms, 5, sizeof ms[0], compare);
    printf("overshoot %s %d limit %g s %lld candidates,%.1f,%.1f,50\n", problem, (int)size, limit,
           candidates, ms[0], ms[4]);
    ucpo_dataset_free(set);
    ucpo_model_free(model);
}

int main(int argc, char **argv)
{
    (void)argc;
    char program[4096], folder[] = "/tmp/bench_solve_XXXXXX", instance[64], model[64];
    const char *slash = strrchr(argv[0], '/');
    int length = slash ? (int)(slash - argv[0]) + 1 : 0;
    snprintf(program, sizeof program, "%.*s%s", length, argv[0], slash ? "ucpo" : "./ucpo");
    if (!mkdtemp(folder)) return 1;
    snprintf(instance, sizeof instance, "%s/a.json", folder);
    snprintf(model, sizeof model, "%s/m.safetensors", folder);
    if (!prepare(instance, model)) return 1;
    printf("what,best ms,median ms,bar ms\n");
    time_program("start", (char *[]){program, "--version", NULL}, 20);
    time_program(
        "greedy x 8, 50 nodes",
        (char *[]){program, "solve", instance, "-m", model, "--greedy", "--no-refine", NULL}, 60);
    time_overshoot("tsptw", 50, 0.2);
    time_overshoot("tsptw", 500, 0.5);
    time_overshoot("tsptw", 2000, 0.5);
    time_overshoot("cvrptw", 1000, 0.5);
    time_overshoot("cvrptw", 5000, 0.5);
    unlink(instance);
    unlink(model);
    rmdir(folder);
    return 0;
}
