/* The vector kernels against plain restatements, in both builds, over odd sizes, with sentinels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "math/gemm.h"
#include "math/kern.h"
#include "support/support.h"

static const real SENTINEL = (real)12345.5;

static const struct kern_ops *both[2];

static void fill(real *v, size_t count, uint64_t seed, double low, double high)
{
    struct rng rng = rng_at(seed, RNG_TEST, 1);
    for (size_t i = 0; i < count; i++) v[i] = (real)(low + (high - low) * rng_uniform(&rng));
}

/* A buffer of `count` numbers followed by sentinels. */
static real *guarded(size_t count)
{
    real *v = malloc((count + 16) * sizeof(real));
    assert_non_null(v);
    for (size_t i = 0; i < count + 16; i++) v[i] = i < count ? 0 : SENTINEL;
    return v;
}

static void release(real *v, size_t count)
{
    for (size_t i = count; i < count + 16; i++) assert_true(v[i] == SENTINEL);
    free(v);
}

static void probabilities_match_a_plain_softmax(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        for (int count = 1; count <= 70; count++) {
            size_t room = ((size_t)count + 7) / 8 * 8;
            real *u = guarded(room), *t = guarded(room), *p = guarded(room);
            fill(u, (size_t)count, (uint64_t)count, -1.5, 1.5);
            for (size_t i = (size_t)count; i < room; i++)
                u[i] = NAN; /* beyond the list: anything */
            real z = both[k]->head_forward(t, p, u, NULL, 10, 2, count);
            double top = 0, sum = 0, total = 0;
            for (int i = 0; i < count; i++) top = fmax(top, 5 * tanh((double)u[i]));
            for (int i = 0; i < count; i++) sum += exp(5 * tanh((double)u[i]) - top);
            for (int i = 0; i < count; i++) {
                double expected = exp(5 * tanh((double)u[i]) - top) / sum;
                assert_close((double)p[i], expected, 5e-6, 1e-9);
                assert_close((double)(5 * t[i] - z), log(expected), 0, 1e-5);
                total += (double)p[i];
            }
            assert_close(total, 1, 1e-5, 0);
            release(u, room), release(t, room), release(p, room);
        }
    }
}

static void extreme_scores_stay_finite(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        real u[8] = {1e30f, -1e30f, 0, 88, -88, 1e-30f, 500, -500}, t[8], p[8];
        both[k]->head_forward(t, p, u, NULL, 10, 1, 8);
        for (int i = 0; i < 8; i++) assert_true(isfinite(t[i]) && isfinite(p[i]) && p[i] >= 0);
        both[k]->head_forward(t, p, u, NULL, 0, 1, 3); /* without clip: one takes all */
        assert_close((double)p[0], 1, 1e-6, 0);
        assert_close((double)p[1], 0, 0, 1e-30);
    }
}

static void self_attention_matches_plain_loops(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        for (int n = 1; n <= 70; n += n < 20 ? 1 : 7) {
            for (int K = 8; K <= 24; K += 8) {
                int ld = 3 * K, ldo = K + 8;
                size_t stride = ((size_t)n + 7) / 8 * 8;
                size_t cells = (size_t)n * (size_t)ld, square = (size_t)n * stride;
                size_t outs = (size_t)n * (size_t)ldo, work = square + (size_t)K * stride;
                real *qkv = guarded(cells), *out = guarded(outs), *p = guarded(square),
                     *w = guarded(work);
                fill(qkv, cells, (uint64_t)(n + K), -1, 1);
                int part = n > 30 ? 17 : n; /* in parts: not a multiple of any tile */
                for (int i = 0; i < n; i += part)
                    both[k]->self_forward(out, ldo, p, qkv, qkv + K, qkv + 2 * K, ld, n, i,
                                          n - i < part ? n - i : part, K, (real)0.3, w);
                for (int i = 0; i < n; i++) {
                    double e[70], sum = 0;
                    for (int j = 0; j < n; j++) {
                        double dot = 0;
                        for (int c = 0; c < K; c++)
                            dot += (double)qkv[i * ld + c] * (double)qkv[j * ld + K + c];
                        sum += e[j] = exp(0.3 * dot);
                    }
                    for (int c = 0; c < K; c++) {
                        double expected = 0;
                        for (int j = 0; j < n; j++)
                            expected += e[j] / sum * (double)qkv[j * ld + 2 * K + c];
                        assert_close((double)out[i * ldo + c], expected, 1e-5, 1e-6);
                    }
                }
                release(qkv, cells), release(out, outs), release(p, square), release(w, work);
            }
        }
    }
}

static void both_builds_agree_on_the_pointer(void **state)
{
    (void)state;
    static const int shapes[][2] = {{8, 128}, {4, 32}, {1, 8}, {12, 192}};
    for (size_t s = 0; s < 4; s++) {
        int heads = shapes[s][0], lanes = (heads + 7) / 8 * 8, n = 37;
        int width = shapes[s][1] / heads * lanes;
        struct kern_tables t = {.n = n,
                                .heads = heads,
                                .lanes = lanes,
                                .width = width,
                                .scalars = 2,
                                .scale = (real)0.1};
        size_t scores = (size_t)(n * n * lanes), slopes = (size_t)(2 * n * lanes),
               rows = (size_t)(n * width);
        t.score = guarded(scores), t.slope = guarded(slopes), t.value = guarded(rows);
        t.key = guarded(rows), t.bias = guarded((size_t)n);
        fill(t.score, scores, 1, -2, 2), fill(t.slope, slopes, 2, -1, 1),
            fill(t.value, rows, 3, -1, 1);
        fill(t.key, rows, 4, -1, 1), fill(t.bias, (size_t)n, 5, -1, 1);
        for (int count = 1; count <= n; count++) {
            uint16_t list[64];
            for (int i = 0; i < count; i++) list[i] = (uint16_t)(i * 7 % n);
            real state2[2] = {(real)0.3, (real)-0.7};
            real *u[2];
            for (int k = 0; k < 2; k++) {
                real *weight = guarded((size_t)(count * lanes)), *glimpse = guarded((size_t)width);
                u[k] = guarded(40);
                both[k]->glimpse_forward(weight, glimpse, &t, 5, state2, list, count);
                both[k]->point_forward(u[k], glimpse, &t, list, count);
                release(weight, (size_t)(count * lanes)), release(glimpse, (size_t)width);
            }
            for (int i = 0; i < count; i++)
                assert_close((double)u[0][i], (double)u[1][i], 1e-4, 1e-5);
            release(u[0], 40), release(u[1], 40);
        }
        release(t.score, scores), release(t.slope, slopes), release(t.value, rows);
        release(t.key, rows), release(t.bias, (size_t)n);
    }
}

static void norms_of_both_builds_have_mean_zero_and_variance_one(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        for (int by_channel = 0; by_channel < 2; by_channel++) {
            for (int n = 2; n <= 70; n += 17) {
                int D = 24;
                size_t cells = (size_t)(n * D), stats = by_channel ? (size_t)D : (size_t)n;
                real *a = guarded(cells), *b = guarded(cells), *y = guarded(cells),
                     *x = guarded(cells);
                real *inv = guarded(stats), gain[24], shift[24];
                fill(a, cells, 1, -3, 5), fill(b, cells, 2, -1, 1);
                for (int c = 0; c < D; c++) gain[c] = 1, shift[c] = 0;
                both[k]->norm_forward(y, x, inv, a, b, gain, shift, by_channel, n, D);
                int groups = by_channel ? D : n, members = by_channel ? n : D;
                for (int g = 0; g < groups; g++) {
                    double sum = 0, square = 0;
                    for (int m = 0; m < members; m++) {
                        double v = (double)(by_channel ? y[m * D + g] : y[g * D + m]);
                        sum += v, square += v * v;
                    }
                    assert_close(sum / members, 0, 0, 1e-5);
                    assert_close(square / members, 1, 1e-2, 0); /* two rows: eps shows */
                }
                release(a, cells), release(b, cells), release(y, cells), release(x, cells);
                release(inv, stats);
            }
        }
    }
}

static void gemm_wrappers_transpose_as_they_say(void **state)
{
    (void)state;
    real a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {1, 0, 2, 0, 1, 3}, c[9];
    gemm_nt(2, 2, 3, 1, a, 3, b, 3, 0, c, 2); /* a 2x3, b 2x3 */
    assert_true(c[0] == 7 && c[1] == 11 && c[2] == 16 && c[3] == 23);
    gemm_nn(2, 2, 3, 1, a, 3, b, 2, 0, c, 2); /* b 3x2 */
    assert_true(c[0] == 8 && c[1] == 9 && c[2] == 20 && c[3] == 18);
    gemm_tn(3, 3, 2, 1, a, 3, b, 3, 0, c, 3); /* a 2x3, b 2x3 */
    assert_true(c[0] == 1 && c[1] == 4 && c[2] == 14 && c[8] == 24);
    char name[256];
    assert_true(strlen(gemm_backend(name, sizeof name)) > 3);
}

static double element(const real *a, int row, int column, int ld, int is_transposed)
{
    return (double)(is_transposed ? a[column * ld + row] : a[row * ld + column]);
}

/* Odd sizes, strides wider than the rows, every kind, against plain sums in double. */
static void products_match_plain_loops(void **state)
{
    (void)state;
    static const int sizes[][3] = {{1, 1, 1},    {6, 16, 8},   {7, 17, 9},    {13, 33, 256},
                                   {50, 16, 50}, {5, 31, 300}, {12, 48, 513}, {64, 7, 3}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        int m = sizes[s][0], n = sizes[s][1], k = sizes[s][2], ldc = n + 3;
        for (int kind = 0; kind < 6; kind++) { /* nt, nn, tn; beta 0 or 0.5 */
            int ta = kind % 3 == 2, tb = kind % 3 == 0, lda = (ta ? m : k) + 2;
            int ldb = (tb ? k : n) + 5;
            real beta = kind > 2 ? (real)0.5 : 0;
            size_t as = (size_t)((ta ? k : m) * lda), bs = (size_t)((tb ? n : k) * ldb);
            size_t cs = (size_t)(m * ldc);
            real *a = guarded(as), *b = guarded(bs), *c = guarded(cs), *before = guarded(cs);
            fill(a, as, 1, -1, 1), fill(b, bs, 2, -1, 1), fill(c, cs, 3, -1, 1);
            memcpy(before, c, cs * sizeof(real));
            (ta   ? gemm_tn
             : tb ? gemm_nt
                  : gemm_nn)(m, n, k, (real)0.7, a, lda, b, ldb, beta, c, ldc);
            for (int i = 0; i < m; i++) {
                for (int j = 0; j < ldc; j++) {
                    double sum = 0, old = (double)before[i * ldc + j];
                    for (int l = 0; l < k && j < n; l++)
                        sum += element(a, i, l, lda, ta) * element(b, l, j, ldb, tb);
                    double expected = 0.7 * sum + (double)beta * old;
                    assert_close((double)c[i * ldc + j], j < n ? expected : old, 1e-5, 2e-5);
                }
            }
            release(a, as), release(b, bs), release(c, cs), release(before, cs);
        }
    }
}

int main(void)
{
    both[0] = kern_choose(1);
    both[1] = kern_choose(0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probabilities_match_a_plain_softmax),
        cmocka_unit_test(extreme_scores_stay_finite),
        cmocka_unit_test(self_attention_matches_plain_loops),
        cmocka_unit_test(both_builds_agree_on_the_pointer),
        cmocka_unit_test(norms_of_both_builds_have_mean_zero_and_variance_one),
        cmocka_unit_test(gemm_wrappers_transpose_as_they_say),
        cmocka_unit_test(products_match_plain_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
