/* What a run costs beside its learning: steps per second of ucpo_train against the bare steps on the
 * same instances, in turns, both on all threads.
 *
 *   overhead,round,instances/s of bare steps,instances/s of a run,ratio
 *   overhead,median,...
 *   checkpoint,milliseconds for one last.safetensors,share of the time at the default interval
 *
 * TSPTW medium, n = 50, 50 samples, batch 64, visited mask. A run draws its instances, writes metrics
 * every ten steps, and asks whether to stop; validation is off and not counted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "train/step.h"

enum { STEPS = 12, ROUNDS = 3, BATCH = 64, N = 50 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(ucpo_status status, const ucpo_error *err)
{
    if (!status) return;
    fprintf(stderr, "bench_train: %s\n", err->text);
    exit(1);
}

static void *need(void *block)
{
    if (!block) exit(1);
    return block;
}

/* ---- bare steps ---- */

struct bare {
    struct nn_model *model;
    struct step *step;
    real *params, *m, *v;
    struct nn_adam adam;
    ucpo_dataset *set[STEPS];
};

static struct bare bare_create(void)
{
    struct bare b = {.model = need(calloc(1, sizeof *b.model)), .adam = nn_adam_default()};
    ucpo_error err = {0};
    const struct prob_ops *ops = prob_find("tsptw");
    struct nn_config config = policy_config(ops, nn_config_default());
    check(nn_model_init(b.model, &config, &err), &err);
    struct step_config step = {.n = N, .samples = N, .batch = BATCH, .negligible = 1e-3};
    check(step_create(b.model, ops, &step, &b.step, &err), &err);
    b.params = need(malloc(b.model->total * sizeof(real)));
    b.m = need(calloc(b.model->total, sizeof(real)));
    b.v = need(calloc(b.model->total, sizeof(real)));
    for (size_t k = 0; k < STEPS; k++) {
        ucpo_generate_config g = ucpo_generate_config_default();
        g.problem = "tsptw", g.size = N, g.first = k * BATCH, g.count = BATCH, g.seed = 1;
        check(ucpo_generate(&g, &b.set[k], &err), &err);
    }
    return b;
}

static double bare_rate(struct bare *b)
{
    ucpo_error err = {0};
    nn_params_init(b->model, 1, b->params);
    memset(b->m, 0, b->model->total * sizeof(real));
    memset(b->v, 0, b->model->total * sizeof(real));
    b->adam.step = 0;
    double start = now();
    for (int k = 0; k < STEPS; k++) {
        const ucpo_instance *instance[BATCH];
        for (size_t i = 0; i < BATCH; i++) instance[i] = ucpo_dataset_at(b->set[k], i);
        ucpo_loss_config loss = ucpo_loss_config_default();
        struct step_task task = {.loss = &loss, .options = policy_options_default()};
        task.options.seed = 1, task.options.index = (uint64_t)k * BATCH;
        struct step_result result;
        check(step_gradient(b->step, b->params, instance, BATCH, &task, &result, &err), &err);
        nn_adam_step(&b->adam, kern_choose(0), b->params, b->m, b->v, b->step->grads,
                     b->model->total);
    }
    return STEPS * BATCH / (now() - start);
}

static void bare_free(struct bare *b)
{
    for (int k = 0; k < STEPS; k++) ucpo_dataset_free(b->set[k]);
    step_free(b->step);
    free(b->params);
    free(b->m);
    free(b->v);
    free(b->model);
}

/* ---- the same steps as a run ---- */

/* When the first and the last step ended: set-up and checkpoints lie outside. */
struct watch {
    double first, last;
    int steps;
};

static void on_report(void *user, const ucpo_train_report *report)
{
    struct watch *w = user;
    if (strcmp(report->kind, "step") != 0) return;
    w->last = now();
    if (w->steps++ == 0) w->first = w->last;
}

static void remove_run(const char *dir)
{
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", dir);
    if (system(command) != 0) fprintf(stderr, "bench_train: %s stays\n", dir);
}

static double run_rate(double *checkpoint)
{
    char dir[] = "/tmp/ucpo-bench-XXXXXX", run[64], instances[32];
    ucpo_error err = {0};
    ucpo_train_config *config = NULL;
    ucpo_train_summary summary;
    struct watch watch = {0};
    ucpo_train_hooks hooks = {.report = on_report, .user = &watch};
    need(mkdtemp(dir));
    snprintf(run, sizeof run, "%s/run", dir);
    snprintf(instances, sizeof instances, "%d", STEPS * BATCH);
    check(ucpo_train_config_create(&config, &err), &err);
    check(ucpo_train_config_set(config, "problem", "tsptw", &err), &err);
    check(ucpo_train_config_set(config, "instances", instances, &err), &err);
    check(ucpo_train_config_set(config, "validate", "none", &err), &err);
    check(ucpo_train(config, run, &hooks, &summary, &err), &err);
    *checkpoint = now() - watch.last;
    ucpo_train_config_free(config);
    remove_run(dir);
    return (STEPS - 1) * BATCH / (watch.last - watch.first);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(void)
{
    struct bare bare = bare_create();
    double ratio[ROUNDS], checkpoint = 0.0, least = 1e9;
    bare_rate(&bare); /* warm up */
    for (int k = 0; k < ROUNDS; k++) {
        double alone = bare_rate(&bare), run = run_rate(&checkpoint);
        ratio[k] = run / alone;
        if (checkpoint < least) least = checkpoint;
        printf("overhead,%d,%.1f,%.1f,%.3f\n", k, alone, run, ratio[k]);
        fflush(stdout);
    }
    qsort(ratio, ROUNDS, sizeof *ratio, ascending);
    printf("overhead,median,,,%.3f\n", ratio[ROUNDS / 2]);
    printf("checkpoint,%.1f,%.5f\n", 1000 * least, least / 120.0);
    bare_free(&bare);
    return 0;
}
