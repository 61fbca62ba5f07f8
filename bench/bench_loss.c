/* Time of one loss evaluation, one core, N = 50, beside a straightforward peer in the same run.
 *
 *   bench_loss [instances]      prints one CSV row per setting; see bench/peers/loss_torch.py too
 */
#include "ucpo.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N = 50, REPEATS = 40 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- data: half of the trajectories infeasible on average, score differences of a few nats ----
 */

struct data {
    size_t batch;
    double *f, *v, *l, *weight;
    uint32_t *rank;
};

static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

static struct data make_data(size_t batch)
{
    size_t count = batch * N;
    struct data d = {batch,
                     malloc(count * sizeof(double)),
                     malloc(count * sizeof(double)),
                     malloc(count * sizeof(double)),
                     malloc(count * sizeof(double)),
                     malloc(count * sizeof(uint32_t))};
    uint64_t state = 7;
    if (!d.f || !d.v || !d.l || !d.weight || !d.rank) exit(4);
    for (size_t i = 0; i < count; i++) {
        d.f[i] = 20.0 + 10.0 * uniform(&state);
        d.v[i] = uniform(&state) < 0.5 ? 0.0 : 5.0 * uniform(&state);
        d.l[i] = -30.0 + 10.0 * (uniform(&state) + uniform(&state) - 1.0);
    }
    return d;
}

/* ---- the peer: written down as one would at first sight ---- */

struct entry {
    double f, lagrangian, l;
    int is_infeasible;
    size_t index;
};

static int better_first(const void *pa, const void *pb)
{
    const struct entry *a = pa, *b = pb;
    if (a->is_infeasible != b->is_infeasible) return a->is_infeasible - b->is_infeasible;
    double ka = a->is_infeasible ? a->lagrangian : a->f,
           kb = b->is_infeasible ? b->lagrangian : b->f;
    return ka < kb ? -1 : ka > kb ? 1 : a->index < b->index ? -1 : 1;
}

static double naive_pair(const struct entry *a, const struct entry *b, double c, double *weight)
{
    double z = b->lagrangian / a->lagrangian * (a->l - b->l), p = 1.0 / (1.0 + exp(-z));
    double pull = c * b->lagrangian / a->lagrangian * (1.0 / (1.0 + exp(z)));
    weight[a->index] -= pull;
    weight[b->index] += pull;
    return -c * log(p);
}

/* Sorts, splits, sums: the anchor against all others, or every pair. */
static double naive_loss(int every_pair, const double *f, const double *v, const double *l,
                         double *weight)
{
    struct entry *list = malloc(N * sizeof *list);
    size_t feasible = 0;
    double loss = 0.0;
    if (!list) exit(4);
    memset(weight, 0, N * sizeof *weight);
    for (size_t i = 0; i < N; i++) {
        list[i] = (struct entry){f[i], f[i] + v[i], l[i], v[i] > 0.0, i};
        feasible += v[i] <= 0.0;
    }
    qsort(list, N, sizeof *list, better_first);
    double nt = (double)feasible, nf = (double)(N - feasible);
    for (size_t a = 0; a < (every_pair ? N : 1); a++)
        for (size_t b = a + 1; b < N; b++) {
            int inside = list[a].is_infeasible == list[b].is_infeasible;
            if (inside && list[a].is_infeasible && feasible > 0) continue;
            double set = list[a].is_infeasible ? nf : nt;
            double c = every_pair ? (inside ? 2.0 / (set * (set - 1.0)) : 2.0 / (nt * nf))
                                  : (inside ? 1.0 / (set - 1.0) : 1.0 / nf);
            loss += naive_pair(&list[a], &list[b], c, weight);
        }
    free(list);
    return loss;
}

/* ---- timing: the fastest of several runs over the whole data ---- */

static double sink;

static double time_ours(const struct data *d, const ucpo_loss_config *config, int with_rank)
{
    double best = HUGE_VAL;
    for (int r = 0; r < REPEATS; r++) {
        double start = now();
        for (size_t b = 0; b < d->batch; b++) {
            size_t at = b * N;
            ucpo_loss_result result;
            ucpo_error err;
            if (ucpo_loss(config, N, d->f + at, d->v + at, d->l + at, &result, d->weight + at,
                          with_rank ? d->rank + at : NULL, &err)) {
                fprintf(stderr, "%s\n", err.text);
                exit(1);
            }
            sink += result.loss;
        }
        best = fmin(best, (now() - start) / (double)d->batch);
    }
    return best * 1e9;
}

static double time_peer(const struct data *d, int every_pair)
{
    double best = HUGE_VAL;
    for (int r = 0; r < REPEATS; r++) {
        double start = now();
        for (size_t b = 0; b < d->batch; b++) {
            size_t at = b * N;
            sink += naive_loss(every_pair, d->f + at, d->v + at, d->l + at, d->weight + at);
        }
        best = fmin(best, (now() - start) / (double)d->batch);
    }
    return best * 1e9;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *config;
        int with_rank;
        double target; /* nanoseconds, 0: none */
        int peer;      /* 0 none, 1 anchor, 2 every pair */
    } rows[] = {
        {"ucpo", 0, 2000, 1},        {"ucpo", 1, 0, 1},
        {"ucpo,k=2", 1, 0, 0},       {"ucpo-t", 0, 0, 0},
        {"bopo", 0, 0, 0},           {"slim", 0, 0, 0},
        {"reinforce-norm", 0, 0, 0}, {"ucpo-subsets", 0, 60000, 2},
        {"poco", 0, 60000, 0},
    };

    size_t batch = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 2000;
    struct data d = make_data(batch > 0 ? batch : 1);
    printf("setting,samples,rank,ns_per_instance,target_ns,peer_ns,peer_over_ours\n");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ucpo_loss_config config;
        ucpo_error err;
        if (ucpo_loss_parse(rows[i].config, &config, &err)) {
            fprintf(stderr, "%s\n", err.text);
            return 1;
        }
        double ours = time_ours(&d, &config, rows[i].with_rank);
        double peer = rows[i].peer ? time_peer(&d, rows[i].peer == 2) : 0.0;
        printf("\"%s\",%d,%d,%.0f,%.0f,%.0f,%.2f\n", rows[i].config, N, rows[i].with_rank, ours,
               rows[i].target, peer, peer / ours);
    }
    free(d.f);
    free(d.v);
    free(d.l);
    free(d.weight);
    free(d.rank);
    return isfinite(sink) ? 0 : 1;
}
