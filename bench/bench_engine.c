/* Speed of the engine: learning and sampling, one and two threads, growth with n, matrix products.
 *
 *   bench_engine [bf16] [memory] [main] [gemm] [greedy] [sizes] [side] [pairs]   all without arguments; bf16: factors
 *                                   of products are rounded (fast with AMX, elsewhere an imitation)
 *   bench_engine only train|infer soft|lookahead [5] that many seconds of one thread, for a
 *                                   profiler; prints processor milliseconds an instance
 *
 * CSV rows, first column says what the others are:
 *   rss,work,n,samples,batch,threads,workspace MB,peak resident MB
 *   ours,work,mask,n,threads,instances/s,instances per processor second,share of sgemm (counted
 *       flops only; empty for the look-ahead)
 *   replayed,mask,n,share of trajectories replayed
 *   gemm,kind,m,n,k,GF/s
 *   side,work,mask,where it is heard,n,milliseconds of an instance without and with it,ratio
 *   pairs,work,mask,n,milliseconds of an instance without and with features of pairs,ratio
 *   greedy,n,processor milliseconds of one greedy plan, instances of a set (eval --greedy -a 1)
 *   size,work,mask,n,instances per processor second,microseconds per trajectory (one thread)
 *   growth,work,mask,from n,to n,exponent per trajectory
 * Instances: TSPTW medium. A learning step is rollout, UCPO loss with the default score scale,
 * replay of what is not negligible (1e-3), backward, reduction, Adam. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "core/par.h"
#include "eval/eval.h"
#include "math/kern.h"
#include "train/step.h"

enum { IMAGES = 8, MOST_THREADS = 2 };

static const struct kern_ops *kernels; /* chosen once, in main */

static const char *const mask_name[] = {"soft", "lookahead"};

static const char *const work_name[] = {"train", "infer"};

static const enum prob_mask mask_kind[] = {PROB_MASK_SOFT, PROB_MASK_LOOKAHEAD};

static double read_clock(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

/* Of all threads; other work on the machine does not count. */
static double processor_time(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

static void *need(void *block)
{
    if (!block) {
        fprintf(stderr, "bench_engine: no memory\n");
        exit(1);
    }
    return block;
}

static void check(ucpo_status status, const ucpo_error *err)
{
    if (!status) return;
    fprintf(stderr, "bench_engine: %s\n", err->text);
    exit(1);
}

/* ---- one size: model, instances, learning step, samplers ---- */

struct bench {
    int n, samples, batch, threads, images;
    struct nn_model model;
    const struct prob_ops *ops;
    ucpo_dataset *set;
    const ucpo_instance **instances;
    real *params, *m, *v;
    struct nn_adam adam;
    struct step *step;
    struct policy *sampler[MOST_THREADS];
    int32_t *actions[MOST_THREADS];
    double *objective[MOST_THREADS], *violation[MOST_THREADS];
    double *best; /* per instance */
    enum prob_mask mask;
    double replayed;
};

static void make_samplers(struct bench *b)
{
    ucpo_error err = {0};
    for (int t = 0; t < b->threads; t++) {
        check(
            policy_create(&b->model, b->ops, b->n, b->images, b->samples, 0, &b->sampler[t], &err),
            &err);
        policy_use_kernels(b->sampler[t], kernels);
        size_t samples = (size_t)b->samples, most = (size_t)policy_max_steps(b->sampler[t]);
        b->actions[t] = need(mem_zeroed(samples * most, sizeof(int32_t)));
        b->objective[t] = need(mem_zeroed(samples, sizeof(double)));
        b->violation[t] = need(mem_zeroed(samples, sizeof(double)));
    }
}

/* What a network has beyond the published one. */
struct more {
    int side;       /* hidden units of a side network */
    int is_glimpse; /* which the glimpse hears, too */
    int has_pairs;
};

static struct bench *bench_with(int n, int batch, int threads, int images, struct more more)
{
    ucpo_error err = {0};
    struct bench *b = need(mem_zeroed(1, sizeof *b));
    b->n = b->samples = n, b->batch = batch, b->threads = threads, b->images = images;
    b->ops = prob_find("tsptw");
    struct nn_config config = nn_config_default();
    config.side_hidden = more.side, config.side_glimpse = more.is_glimpse;
    config.pair_features = more.has_pairs;
    config = policy_config(b->ops, config);
    check(nn_model_init(&b->model, &config, &err), &err);
    ucpo_generate_config g = ucpo_generate_config_default();
    g.problem = "tsptw", g.level = "medium", g.size = n, g.count = (size_t)batch, g.seed = 1;
    check(ucpo_generate(&g, &b->set, &err), &err);
    b->instances = need(mem_zeroed((size_t)batch, sizeof(void *)));
    for (int i = 0; i < batch; i++) b->instances[i] = ucpo_dataset_at(b->set, (size_t)i);
    b->params = need(mem_zeroed(b->model.total, sizeof(real)));
    b->m = need(mem_zeroed(b->model.total, sizeof(real)));
    b->v = need(mem_zeroed(b->model.total, sizeof(real)));
    b->best = need(mem_zeroed((size_t)batch, sizeof(double)));
    nn_params_init(&b->model, 1, b->params);
    b->adam = nn_adam_default();
    struct step_config step = {.n = n,
                               .samples = n,
                               .batch = batch,
                               .threads = threads,
                               .kern = kernels,
                               .negligible = 1e-3};
    check(step_create(&b->model, b->ops, &step, &b->step, &err), &err);
    make_samplers(b);
    return b;
}

static struct bench *bench_create(int n, int batch, int threads, int images)
{
    return bench_with(n, batch, threads, images, (struct more){0});
}

static void bench_free(struct bench *b)
{
    for (int t = 0; t < b->threads; t++) {
        policy_free(b->sampler[t]);
        free(b->actions[t]);
        free(b->objective[t]);
        free(b->violation[t]);
    }
    step_free(b->step);
    ucpo_dataset_free(b->set);
    free(b->instances);
    free(b->params);
    free(b->m);
    free(b->v);
    free(b->best);
    free(b);
}

static struct policy_options options_of(const struct bench *b, uint64_t index)
{
    struct policy_options o = policy_options_default();
    o.mask = b->mask, o.seed = 1, o.index = index;
    return o;
}

static void train(struct bench *b)
{
    ucpo_error err = {0};
    ucpo_loss_config loss = ucpo_loss_config_default();
    struct step_task task = {.loss = &loss,
                             .options = options_of(b, (uint64_t)b->adam.step * (uint64_t)b->batch)};
    struct step_result result;
    check(step_gradient(b->step, b->params, b->instances, b->batch, &task, &result, &err), &err);
    nn_adam_step(&b->adam, b->sampler[0]->kern, &b->model, b->params, b->m, b->v, b->step->grads);
    b->replayed = result.replayed;
}

/* All images and samples of instances begin .. end - 1: the best feasible objective of each. */
static ucpo_status infer_some(void *context, size_t begin, size_t end, int thread, ucpo_error *err)
{
    struct bench *b = context;
    struct policy *p = b->sampler[thread];
    double *f = b->objective[thread], *v = b->violation[thread];
    for (size_t i = begin; i < end; i++) {
        const ucpo_instance *inst = b->instances[i];
        b->best[i] = HUGE_VAL;
        for (int image = 0; image < b->images; image++) {
            geometry_image(&inst->data, image, p->xy);
            if (image == 0)
                policy_load(p, 0, inst, p->xy);
            else
                policy_load_image(p, image, 0, inst, p->xy);
        }
        policy_encode(p, b->params, b->images);
        for (int image = 0; image < b->images; image++) {
            struct policy_options options = options_of(b, i * IMAGES + (size_t)image);
            struct policy_result result = {.objective = f, .violation = v};
            ucpo_status st =
                policy_rollout(p, image, inst, &options, b->actions[thread], &result, err);
            if (st) return st;
            for (int s = 0; s < b->samples; s++)
                if (v[s] <= 0.0 && f[s] < b->best[i]) b->best[i] = f[s];
        }
    }
    return UCPO_OK;
}

static void infer(struct bench *b)
{
    ucpo_error err = {0};
    check(par_run((size_t)b->batch, 1, b->threads, NULL, infer_some, b, &err), &err);
}

/* Instances per second of the clock on the wall and of processor time. */
struct rate {
    double wall, processor;
};

/* Best of `repeats` after one that warms up (none for slow work). */
static struct rate best_rate(void (*work)(struct bench *), struct bench *b, int repeats)
{
    struct rate best = {0.0, 0.0};
    for (int i = 0; i <= repeats; i++) {
        double start = now(), processor = processor_time();
        work(b);
        double seconds = now() - start;
        processor = processor_time() - processor;
        if (i > 0 || seconds > 2.0) {
            best.wall = fmax(best.wall, b->batch / seconds);
            best.processor = fmax(best.processor, b->batch / processor);
        }
        if (seconds > 2.0 && i + 1 >= repeats) break;
    }
    return best;
}

/* ---- counted work: matrix products and pointer sums of the visited mask, as GF ---- */

static double encoder_flops(const struct nn_config *c, double n)
{
    double D = c->width, F = c->hidden;
    double layers = c->layers * (2 * n * D * 4 * D + 4 * n * D * F + 4 * n * n * D);
    double tables = 2 * n * D * 4 * D + 2 * n * n * D;
    return 2 * n * c->node_features * D + layers + tables;
}

/* All decisions of one trajectory: glimpse and pointer over the open nodes. */
static double trajectory_flops(const struct nn_config *c, double n)
{
    return 4 * c->width * n * (n - 1) / 2;
}

static double train_flops(const struct bench *b)
{
    const struct nn_config *c = &b->model.config;
    return 3 * encoder_flops(c, b->n) +
           b->samples * trajectory_flops(c, b->n) * (1 + 3 * b->replayed);
}

static double infer_flops(const struct bench *b)
{
    const struct nn_config *c = &b->model.config;
    return b->images * (encoder_flops(c, b->n) + b->samples * trajectory_flops(c, b->n));
}

/* ---- matrix products ---- */

struct shape {
    const char *kind;
    int m, n, k, lda, ldb;
};

static double gemm_rate(const struct shape *s)
{
    size_t most = (size_t)4096 * 1024;
    real *a = need(mem_zeroed(most, sizeof(real))), *b = need(mem_zeroed(most, sizeof(real)));
    real *c = need(mem_zeroed(most, sizeof(real)));
    for (size_t i = 0; i < most; i++) a[i] = b[i] = (real)((double)(i % 17) * 0.01);
    const struct kern_ops *kern = kernels;
    int is_nt = strcmp(s->kind, "nt") == 0, is_nn = strcmp(s->kind, "nn") == 0;
    kern_product *product = is_nt ? kern->nt : is_nn ? kern->nn : kern->tn;
    real beta = is_nt || is_nn ? 0 : 1; /* weight gradients are added up */
    double flops = 2.0 * s->m * s->n * s->k, best = 0.0;
    int calls = (int)(2e8 / flops) + 1;
    for (int repeat = 0; repeat < 8; repeat++) {
        double start = now();
        for (int i = 0; i < calls; i++)
            product(s->m, s->n, s->k, 1, a, s->lda, b, s->ldb, beta, c, s->n);
        best = fmax(best, flops * calls / (now() - start) * 1e-9);
    }
    free(a), free(b), free(c);
    return best;
}

/* What a chunk of 8 instances of 50 nodes asks for; returns the best speed seen. */
static double gemm_section(int is_shown)
{
    static const struct shape shape[] = {
        {"nt", 400, 384, 128, 128, 128}, {"nt", 400, 128, 128, 128, 128},
        {"nt", 400, 512, 128, 128, 128}, {"nt", 400, 128, 512, 512, 512},
        {"nn", 400, 128, 512, 512, 128}, {"nn", 400, 512, 128, 128, 512},
        {"tn", 512, 128, 400, 512, 128}, {"tn", 384, 128, 400, 384, 128},
        {"nt", 50, 50, 16, 384, 384},    {"nn", 50, 16, 50, 50, 384},
        {"tn", 50, 16, 50, 50, 128},     {"nn", 50, 128, 128, 128, 128},
    };
    double best = 0.0;
    for (size_t i = 0; i < sizeof shape / sizeof shape[0]; i++) {
        double rate = gemm_rate(&shape[i]);
        best = fmax(best, rate);
        if (is_shown)
            printf("gemm,%s,%d,%d,%d,%.1f\n", shape[i].kind, shape[i].m, shape[i].n, shape[i].k,
                   rate);
    }
    fflush(stdout);
    return best;
}

/* ---- sections ---- */

static void memory_section(void)
{
    struct bench *b = bench_create(100, 64, 2, IMAGES);
    double workspace = (double)step_bytes(b->step) / 1048576.0;
    train(b);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("rss,train,100,100,64,2,%.0f,%.0f\n", workspace, (double)usage.ru_maxrss / 1024.0);
    fflush(stdout);
    bench_free(b);
}

static void main_section(double sgemm)
{
    for (int threads = 1; threads <= 2; threads++) {
        struct bench *b = bench_create(50, 64, threads, IMAGES);
        for (int m = 0; m < 2; m++) {
            b->mask = mask_kind[m];
            struct rate rate[2] = {best_rate(train, b, 5), best_rate(infer, b, 3)};
            double flops[2] = {train_flops(b), infer_flops(b)};
            for (int w = 0; w < 2; w++) {
                double reached = rate[w].wall * flops[w] / (threads * sgemm * 1e9);
                printf("ours,%s,%s,50,%d,%.2f,%.2f,", work_name[w], mask_name[m], threads,
                       rate[w].wall, rate[w].processor);
                if (m == 0) printf("%.3f", reached);
                printf("\n");
            }
            if (threads == 1) printf("replayed,%s,50,%.3f\n", mask_name[m], b->replayed);
            fflush(stdout);
        }
        bench_free(b);
    }
}

struct size {
    int n, batch, images;
};

static void sizes_section(void)
{
    static const struct size sizes[] = {
        {20, 64, 8}, {50, 16, 8}, {100, 8, 8}, {200, 2, 8}, {500, 1, 1}};

    enum { COUNT = sizeof sizes / sizeof sizes[0] };

    double micro[2][2][COUNT];

    for (size_t i = 0; i < COUNT; i++) {
        const struct size *s = &sizes[i];
        struct bench *b = bench_create(s->n, s->batch, 1, s->images);
        for (int m = 0; m < 2; m++) {
            b->mask = mask_kind[m];
            double rate[2] = {best_rate(train, b, 2).processor, best_rate(infer, b, 2).processor};
            micro[0][m][i] = 1e6 / rate[0] / s->n;
            micro[1][m][i] = 1e6 / rate[1] / s->n / s->images;
            rate[1] *= (double)s->images / IMAGES; /* as if all images had been done */
            for (int w = 0; w < 2; w++)
                printf("size,%s,%s,%d,%.4f,%.1f\n", work_name[w], mask_name[m], s->n, rate[w],
                       micro[w][m][i]);
            fflush(stdout);
        }
        bench_free(b);
    }
    for (int w = 0; w < 2; w++)
        for (int m = 0; m < 2; m++)
            for (size_t i = 1; i < COUNT; i++)
                printf("growth,%s,%s,%d,%d,%.2f\n", work_name[w], mask_name[m], sizes[i - 1].n,
                       sizes[i].n,
                       log(micro[w][m][i] / micro[w][m][i - 1]) /
                           log((double)sizes[i].n / sizes[i - 1].n));
}

/* What features of the decision cost, in the logits and in the glimpse, too, in turns with the network
 * without them: processor time of the fastest of some rounds, untrained, when all candidates are open
 * and likely. */
static void side_section(void)
{
    enum { ROUNDS = 8 };

    struct bench *b[3] = {bench_create(50, 32, 1, 1),
                          bench_with(50, 32, 1, 1, (struct more){.side = 16}),
                          bench_with(50, 32, 1, 1, (struct more){.side = 16, .is_glimpse = 1})};
    for (int w = 0; w < 2; w++) {
        for (int m = 0; m < 2; m++) {
            double best[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
            for (int k = 0; k < 3 * ROUNDS; k++) {
                struct bench *one = b[k % 3];
                one->mask = mask_kind[m];
                double begin = processor_time();
                (w == 0 ? train : infer)(one);
                best[k % 3] = fmin(best[k % 3], processor_time() - begin);
            }
            for (int k = 1; k < 3; k++)
                printf("side,%s,%s,%s,50,%.3f,%.3f,%.3f\n", work_name[w], mask_name[m],
                       k == 1 ? "logits" : "glimpse", 1e3 * best[0] / b[0]->batch,
                       1e3 * best[k] / b[k]->batch, best[k] / best[0]);
            fflush(stdout);
        }
    }
    for (int k = 0; k < 3; k++) bench_free(b[k]);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The weights of another network as far as both have them, and no more learning: the same decisions. */
static void take_weights(struct bench *to, struct bench *from)
{
    for (int i = 0; i < to->model.tensors; i++)
        for (int k = 0; k < from->model.tensors; k++)
            if (strcmp(to->model.tensor[i].name, from->model.tensor[k].name) == 0)
                memcpy(to->params + to->model.tensor[i].offset,
                       from->params + from->model.tensor[k].offset,
                       from->model.tensor[k].count * sizeof(real));
    to->adam.rate = from->adam.rate = 0.0;
}

/* What features of pairs cost a network with a side network, in turns with the same without them: the
 * median of the ratios of processor time. */
static void pairs_section(void)
{
    enum { ROUNDS = 15 };

    static const int sizes[] = {50, 100};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct more more = {.side = 16, .is_glimpse = 1};
        int n = sizes[i], batch = 800 / n;
        struct bench *b[2] = {bench_with(n, batch, 1, IMAGES, more), NULL};
        more.has_pairs = 1;
        b[1] = bench_with(n, batch, 1, IMAGES, more);
        take_weights(b[1], b[0]);
        for (int w = 0; w < 2; w++) {
            double ratio[ROUNDS], best[2] = {HUGE_VAL, HUGE_VAL};
            for (int k = -1; k < ROUNDS; k++) {
                double took[2];
                for (int p = 0; p < 2; p++) {
                    b[p]->mask = PROB_MASK_LOOKAHEAD;
                    double begin = processor_time();
                    (w == 0 ? train : infer)(b[p]);
                    took[p] = processor_time() - begin;
                    best[p] = fmin(best[p], took[p]);
                }
                if (k >= 0) ratio[k] = took[1] / took[0]; /* the first round warms up */
            }
            qsort(ratio, ROUNDS, sizeof *ratio, by_size);
            printf("pairs,%s,lookahead,%d,%.3f,%.3f,%.3f\n", work_name[w], n, 1e3 * best[0] / batch,
                   1e3 * best[1] / batch, ratio[ROUNDS / 2]);
            fflush(stdout);
        }
        bench_free(b[0]), bench_free(b[1]);
    }
}

/* One thread, 64 instances, untrained network. */
static void greedy_section(void)
{
    ucpo_error err = {0};
    struct bench *b = bench_create(50, 64, 1, IMAGES);
    ucpo_eval_config config = ucpo_eval_config_default();
    struct policy_means means = {.kern = kernels};
    struct eval *e = NULL;
    ucpo_eval_record records[64];
    double best = HUGE_VAL;
    config.greedy = 1, config.augment = 1, config.threads = 1;
    check(eval_create(&b->model, b->ops, &config, &means, &e, &err), &err);
    for (int i = 0; i < 10; i++) {
        double start = processor_time();
        check(eval_run(e, b->params, b->instances, 64, 0, NULL, records, &err), &err);
        best = fmin(best, processor_time() - start);
    }
    printf("greedy,50,%.3f\n", 1e3 * best / 64);
    fflush(stdout);
    eval_free(e);
    bench_free(b);
}

/* Some seconds of one kind of work; the fastest round counts. */
static int only_section(const char *work, const char *mask, double seconds)
{
    struct bench *b = bench_create(50, 64, 1, IMAGES);
    double best = HUGE_VAL;
    b->mask = mask_kind[strcmp(mask, mask_name[1]) == 0];
    for (double start = now(); now() - start < seconds;) {
        double processor = processor_time();
        (strcmp(work, "infer") == 0 ? infer : train)(b);
        best = fmin(best, processor_time() - processor);
    }
    printf("only,%s,%s,%.3f\n", work, mask, 1e3 * best / b->batch);
    bench_free(b);
    return 0;
}

static int wants(int argc, char **argv, const char *section)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], section) == 0) return 1;
    return argc == 1;
}

int main(int argc, char **argv)
{
    char backend[256];
    ucpo_error err = {0};
    int is_bf16 = argc > 1 && strcmp(argv[1], "bf16") == 0;
    check(kern_choose("auto", is_bf16 ? "bf16" : "f32", &kernels, &err), &err);
    argc -= is_bf16, argv += is_bf16;
    if (argc >= 4 && strcmp(argv[1], "only") == 0)
        return only_section(argv[2], argv[3], argc > 4 ? strtod(argv[4], NULL) : 5.0);
    printf("facts,kernels %s,%s\n", kernels->name, kern_products(kernels, backend, sizeof backend));
    if (wants(argc, argv, "memory")) memory_section(); /* first: the peak is that of the process */
    int is_shown = wants(argc, argv, "gemm");
    double sgemm =
        is_shown || wants(argc, argv, "main") ? gemm_section(is_shown) : 0.0; /* one thread */
    if (wants(argc, argv, "main")) main_section(sgemm);
    if (wants(argc, argv, "side")) side_section();
    if (wants(argc, argv, "pairs")) pairs_section();
    if (wants(argc, argv, "greedy")) greedy_section();
    if (wants(argc, argv, "sizes")) sizes_section();
    return 0;
}
