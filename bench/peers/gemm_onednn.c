/* Our matrix products beside oneDNN's sgemm, one thread, in turns, on the shapes of a chunk of 8
 * instances of 50 nodes; and whether each gives the same bits twice and for other numbers of threads.
 * Not part of the build:
 *   apt-get install libdnnl-dev
 *   cc -O2 -Isrc -Iinclude bench/peers/gemm_onednn.c build/release/libucpo.a -ldnnl -ljansson -lz -lm -pthread -o gemm_onednn
 * Prints gemm,kind,m,n,k,ours GF/s,oneDNN GF/s,ratio. oneDNN is held to AVX-512: Debian's 2.6.3 dies
 * on AMX. */
#include <dnnl.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "math/kern.h"

struct shape {
    char kind[3];
    int m, n, k, lda, ldb;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void ours(const struct kern_ops *kern, const struct shape *s, const float *a, const float *b,
                 float *c)
{
    kern_product *product = !strcmp(s->kind, "nt")   ? kern->nt
                            : !strcmp(s->kind, "nn") ? kern->nn
                                                     : kern->tn;
    product(s->m, s->n, s->k, 1, a, s->lda, b, s->ldb, s->kind[0] == 't', c, s->n);
}

static void theirs(const struct shape *s, const float *a, const float *b, float *c)
{
    dnnl_sgemm(s->kind[0] == 't' ? 'T' : 'N', s->kind[1] == 't' ? 'T' : 'N', s->m, s->n, s->k, 1.0f,
               a, s->lda, b, s->ldb, s->kind[0] == 't' ? 1.0f : 0.0f, c, s->n);
}

int main(void)
{
    static const struct shape shapes[] = {
        {"nt", 400, 384, 128, 128, 128}, {"nt", 400, 128, 128, 128, 128},
        {"nt", 400, 512, 128, 128, 128}, {"nt", 400, 128, 512, 512, 512},
        {"nn", 400, 128, 512, 512, 128}, {"nn", 400, 512, 128, 128, 512},
        {"tn", 512, 128, 400, 512, 128}, {"tn", 384, 128, 400, 384, 128},
        {"tn", 128, 128, 400, 128, 128}, {"nt", 50, 50, 16, 384, 384},
        {"nn", 50, 16, 50, 50, 384},     {"tn", 50, 16, 50, 50, 128},
    };
    size_t most = (size_t)1 << 20;
    float *a = malloc(most * sizeof *a), *b = malloc(most * sizeof *b),
          *c = malloc(most * sizeof *c), *d = malloc(most * sizeof *d);
    dnnl_set_max_cpu_isa(dnnl_cpu_isa_avx512_core);
    const struct kern_ops *kern = kern_best();
    for (size_t i = 0; i < most; i++)
        a[i] = (float)(rand() % 2001 - 1000) * 1e-3f, b[i] = (float)(rand() % 2001 - 1000) * 1e-3f;
    int differs = 0;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct shape *s = &shapes[i];
        double flops = 2.0 * s->m * s->n * s->k, best[2] = {0, 0};
        int calls = (int)(1e8 / flops) + 1;
        omp_set_num_threads(1);
        memset(c, 0, most * sizeof *c);
        for (int repeat = 0; repeat < 24; repeat++)
            for (int side = 0; side < 2; side++) {
                double start = now();
                for (int call = 0; call < calls; call++)
                    side ? theirs(s, a, b, c) : ours(kern, s, a, b, c);
                double rate = flops * calls / (now() - start) * 1e-9;
                if (rate > best[side]) best[side] = rate;
            }
        printf("gemm,%s,%d,%d,%d,%.1f,%.1f,%.2f\n", s->kind, s->m, s->n, s->k, best[0], best[1],
               best[0] / best[1]);
        memset(c, 0, most * sizeof *c), memset(d, 0, most * sizeof *d);
        theirs(s, a, b, c);
        omp_set_num_threads(2);
        theirs(s, a, b, d);
        differs += memcmp(c, d, most * sizeof *c) != 0;
    }
    printf("bits,oneDNN with 1 and 2 threads differ on %d of %zu shapes\n", differs,
           sizeof shapes / sizeof *shapes);
    free(a), free(b), free(c), free(d);
    return 0;
}
