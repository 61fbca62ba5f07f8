/* What a run costs beside its learning: instances per second of ucpo_train against the bare steps on
 * the same instances, in turns, both on all threads.
 *
 *   overhead,work,round,instances/s of bare steps,instances/s of a run,ratio
 *   overhead,work,median,...
 *   checkpoint,milliseconds for one last.safetensors,share of the time at the default interval
 *
 * TSPTW medium, n = 50, 50 samples. Work "paper": batch 64, visited mask, no anchors; "ours": the
 * defaults, which are batch 16, look-ahead mask, anchors. The bare steps do what the run's settings
 * say, read from the same plan; that both end with the same weights is checked. A run draws its
 * instances, writes metrics every ten steps, and asks whether to stop; validation is off and not
 * counted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "api/model.h"
#include "train/config.h"

enum { INSTANCES = 768, ROUNDS = 7, N = 50 };

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

static ucpo_train_config *settings(const char *protocol)
{
    char instances[32];
    ucpo_error err = {0};
    ucpo_train_config *config = NULL;
    snprintf(instances, sizeof instances, "%d", INSTANCES);
    const char *const pair[][2] = {{"problem", "tsptw"},     {"protocol", protocol},
                                   {"size", "50"},           {"level", "medium"},
                                   {"instances", instances}, {"validate", "none"}};
    check(ucpo_train_config_create(&config, &err), &err);
    for (size_t i = 0; i < sizeof pair / sizeof pair[0]; i++)
        check(ucpo_train_config_set(config, pair[i][0], pair[i][1], &err), &err);
    return config;
}

/* ---- bare steps ---- */

struct bare {
    struct train_plan *plan;
    struct nn_model *model;
    struct step *step;
    real *params, *m, *v;
    struct nn_adam adam;
    ucpo_dataset *set;
};

static struct bare bare_create(const ucpo_train_config *config)
{
    struct bare b = {.plan = need(calloc(1, sizeof *b.plan)),
                     .model = need(calloc(1, sizeof *b.model)),
                     .adam = nn_adam_default()};
    ucpo_error err = {0};
    check(train_plan_make(config, b.plan, &err), &err);
    const struct train_phase *p = &b.plan->phase[0];
    struct nn_config network = policy_config(b.plan->ops, nn_config_default());
    check(nn_model_init(b.model, &network, &err), &err);
    struct step_config step = {.n = N,
                               .samples = train_most_samples(p, N),
                               .batch = (int)p->batch,
                               .negligible = b.plan->run.negligible,
                               .has_anchor = p->anchor_config.mode != ANCHOR_NONE};
    check(step_create(b.model, b.plan->ops, &step, &b.step, &err), &err);
    b.params = need(malloc(b.model->total * sizeof(real)));
    b.m = need(calloc(b.model->total, sizeof(real)));
    b.v = need(calloc(b.model->total, sizeof(real)));
    ucpo_generate_config g = ucpo_generate_config_default();
    g.problem = "tsptw", g.size = N, g.level = p->level, g.count = INSTANCES;
    g.seed = b.plan->run.seed;
    check(ucpo_generate(&g, &b.set, &err), &err);
    return b;
}

static double bare_rate(struct bare *b)
{
    const struct train_phase *p = &b->plan->phase[0];
    ucpo_error err = {0};
    nn_params_init(b->model, b->plan->run.seed, b->params);
    memset(b->m, 0, b->model->total * sizeof(real));
    memset(b->v, 0, b->model->total * sizeof(real));
    b->adam.step = 0;
    double start = now();
    for (int64_t first = 0, step = 0; first < INSTANCES; first += p->batch, step++) {
        const ucpo_instance *instance[INSTANCES];
        for (int64_t i = 0; i < p->batch; i++)
            instance[i] = ucpo_dataset_at(b->set, (size_t)(first + i));
        ucpo_loss_config loss = train_loss(p, (double)first / INSTANCES);
        struct step_task task = {.loss = &loss,
                                 .score = p->score_kind,
                                 .options = policy_options_default(),
                                 .images = 1,
                                 .anchor = p->anchor_config};
        task.options.seed = b->plan->run.seed, task.options.index = (uint64_t)first;
        task.options.mask = p->mask_kind;
        struct step_result result;
        check(step_gradient(b->step, b->params, instance, (int)p->batch, &task, &result, &err),
              &err);
        b->adam.rate = train_rate(p, step), b->adam.decay = p->weight_decay;
        nn_adam_step(&b->adam, kern_best(), b->model, b->params, b->m, b->v, b->step->grads);
    }
    return INSTANCES / (now() - start);
}

static void bare_free(struct bare *b)
{
    ucpo_dataset_free(b->set);
    step_free(b->step);
    free(b->params);
    free(b->m);
    free(b->v);
    free(b->model);
    free(b->plan);
}

/* ---- the same steps as a run ---- */

/* When the first and the last step ended: set-up and checkpoints lie outside. */
struct watch {
    double first, last;
    int64_t first_instances, last_instances;
};

static void on_report(void *user, const ucpo_train_report *report)
{
    struct watch *w = user;
    if (strcmp(report->kind, "step") != 0) return;
    w->last = now(), w->last_instances = report->instances;
    if (w->first_instances == 0) w->first = w->last, w->first_instances = report->instances;
}

static void remove_run(const char *dir)
{
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", dir);
    if (system(command) != 0) fprintf(stderr, "bench_train: %s stays\n", dir);
}

/* The same work ends with the same weights. */
static void compare(const char *run, const struct bare *bare)
{
    char path[128];
    ucpo_model *model = NULL;
    ucpo_error err = {0};
    snprintf(path, sizeof path, "%s/last.safetensors", run);
    check(ucpo_model_load(path, &model, &err), &err);
    if (model->net.total != bare->model->total ||
        memcmp(model->params, bare->params, bare->model->total * sizeof(real)) != 0) {
        fprintf(stderr, "bench_train: the run and the bare steps did not do the same\n");
        exit(1);
    }
    ucpo_model_free(model);
}

static double run_rate(const ucpo_train_config *config, const struct bare *bare, double *checkpoint)
{
    char dir[] = "/tmp/ucpo-bench-XXXXXX", run[64];
    ucpo_error err = {0};
    ucpo_train_summary summary;
    struct watch w = {0};
    ucpo_train_hooks hooks = {.report = on_report, .user = &w};
    need(mkdtemp(dir));
    snprintf(run, sizeof run, "%s/run", dir);
    check(ucpo_train(config, run, &hooks, &summary, &err), &err);
    *checkpoint = now() - w.last;
    compare(run, bare);
    remove_run(dir);
    return (double)(w.last_instances - w.first_instances) / (w.last - w.first);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(void)
{
    static const char *const work[] = {"paper", "ours"};
    double least = 1e9;
    for (int i = 0; i < 2; i++) {
        ucpo_train_config *config = settings(work[i]);
        struct bare bare = bare_create(config);
        double ratio[ROUNDS], checkpoint = 0.0;
        bare_rate(&bare); /* warm up */
        for (int k = 0; k < ROUNDS; k++) {
            double alone = bare_rate(&bare), run = run_rate(config, &bare, &checkpoint);
            ratio[k] = run / alone;
            if (checkpoint < least) least = checkpoint;
            printf("overhead,%s,%d,%.1f,%.1f,%.3f\n", work[i], k, alone, run, ratio[k]);
            fflush(stdout);
        }
        qsort(ratio, ROUNDS, sizeof *ratio, ascending);
        printf("overhead,%s,median,,,%.3f\n", work[i], ratio[ROUNDS / 2]);
        bare_free(&bare);
        ucpo_train_config_free(config);
    }
    printf("checkpoint,%.1f,%.5f\n", 1000 * least, least / 120.0);
    return 0;
}
