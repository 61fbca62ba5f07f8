/* The kernels of one set against plain restatements, over odd sizes, with sentinels. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "math/bf16.h"
#include "math/kern.h"
#include "support/kernels.h"
#include "support/support.h"

static const real SENTINEL = (real)12345.5;

/* The set under test, its products with bf16 factors, and what it is compared with. */
static const struct kern_ops *kern, *rounded, *plain;

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
    for (int count = 1; count <= 70; count++) {
        size_t room = ((size_t)count + KERN_ROUND - 1) / KERN_ROUND * KERN_ROUND;
        real *u = guarded(room), *t = guarded(room), *p = guarded(room);
        fill(u, (size_t)count, (uint64_t)count, -1.5, 1.5);
        for (size_t i = (size_t)count; i < room; i++) u[i] = NAN; /* beyond the list: anything */
        real z = kern->head_forward(t, p, u, NULL, 10, 2, count);
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

static void extreme_scores_stay_finite(void **state)
{
    (void)state;
    real u[KERN_ROUND] = {1e30f, -1e30f, 0, 88, -88, 1e-30f, 500, -500}, t[KERN_ROUND],
         p[KERN_ROUND];
    kern->head_forward(t, p, u, NULL, 10, 1, 8);
    for (int i = 0; i < 8; i++) assert_true(isfinite(t[i]) && isfinite(p[i]) && p[i] >= 0);
    kern->head_forward(t, p, u, NULL, 0, 1, 3); /* without clip: one takes all */
    assert_close((double)p[0], 1, 1e-6, 0);
    assert_close((double)p[1], 0, 0, 1e-30);
}

/* Each would cost an assist of the processor in every product it meets. */
static void no_probability_is_subnormal(void **state)
{
    (void)state;
    for (int step = 1; step <= 400; step++) {
        real u[KERN_ROUND] = {0}, t[KERN_ROUND], p[KERN_ROUND] = {0};
        for (int i = 0; i < 5; i++) u[i] = (real)(-0.3 * step * i);
        kern->head_forward(t, p, u, NULL, 0, 1, 5);
        for (int i = 0; i < KERN_ROUND; i++) assert_true(p[i] == 0 || isnormal(p[i]));
    }
}

static void self_attention_matches_plain_loops(void **state)
{
    (void)state;
    for (int n = 1; n <= 70; n += n < 20 ? 1 : 7) {
        for (int K = 8; K <= 24; K += 8) {
            int ld = 3 * K, ldo = K + 8;
            size_t stride = ((size_t)n + KERN_ROUND - 1) / KERN_ROUND * KERN_ROUND;
            size_t cells = (size_t)n * (size_t)ld, square = (size_t)n * stride;
            size_t outs = (size_t)n * (size_t)ldo, work = square + (size_t)K * stride;
            real *qkv = guarded(cells), *out = guarded(outs), *p = guarded(square),
                 *w = guarded(work);
            fill(qkv, cells, (uint64_t)(n + K), -1, 1);
            size_t wide =
                ((size_t)n + (size_t)kern->line - 1) / (size_t)kern->line * (size_t)kern->line;
            real *bias = guarded((size_t)n * wide);
            int has_bias = n % 2;
            fill(bias, (size_t)n * wide, (uint64_t)n, -2, 2);
            int part = n > 30 ? 17 : n; /* in parts: not a multiple of any tile */
            for (int i = 0; i < n; i += part)
                kern->self_forward(out, ldo, p, qkv, qkv + K, qkv + 2 * K, ld,
                                   has_bias ? bias + (size_t)i * wide : NULL, n, i,
                                   n - i < part ? n - i : part, K, (real)0.3, w);
            for (int i = 0; i < n; i++) {
                double e[70], sum = 0;
                for (int j = 0; j < n; j++) {
                    double dot = 0;
                    for (int c = 0; c < K; c++)
                        dot += (double)qkv[i * ld + c] * (double)qkv[j * ld + K + c];
                    double more = has_bias ? (double)bias[(size_t)i * wide + (size_t)j] : 0;
                    sum += e[j] = exp(0.3 * dot + more);
                }
                for (int c = 0; c < K; c++) {
                    double expected = 0;
                    for (int j = 0; j < n; j++)
                        expected += e[j] / sum * (double)qkv[j * ld + 2 * K + c];
                    assert_close((double)out[i * ldo + c], expected, 1e-5, 1e-6);
                }
            }
            release(qkv, cells), release(out, outs), release(p, square), release(w, work);
            release(bias, (size_t)n * wide);
        }
    }
}

static void rows_are_multiplied_with_rows(void **state)
{
    (void)state;
    static const int sizes[][3] = {{8, 16, 1}, {1, 1, 3}, {4, 12, 70}, {5, 11, 300}, {12, 3, 17}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        int rows = sizes[s][0], columns = sizes[s][1], ldo = columns + 1;
        size_t count = (size_t)sizes[s][2] * KERN_ROUND, ldx = count + KERN_ROUND;
        real *x = guarded((size_t)rows * ldx), *y = guarded((size_t)columns * count);
        real *out = guarded((size_t)(rows * ldo));
        fill(x, (size_t)rows * ldx, 1 + s, -1, 1);
        fill(y, (size_t)columns * count, 11 + s, -1, 1);
        for (int i = 0; i < rows * ldo; i++) out[i] = 7;
        kern->dot_rows(out, ldo, x, ldx, rows, y, count, columns, count, (real)0.5);
        for (int i = 0; i < rows; i++) {
            for (int j = 0; j < columns; j++) {
                double sum = 0;
                for (size_t c = 0; c < count; c++)
                    sum += (double)x[(size_t)i * ldx + c] * (double)y[(size_t)j * count + c];
                assert_close((double)out[i * ldo + j], 7 + 0.5 * sum, 2e-5, 1e-5);
            }
            assert_true(out[i * ldo + columns] == 7); /* not ours */
        }
        release(x, (size_t)rows * ldx), release(y, (size_t)columns * count);
        release(out, (size_t)(rows * ldo));
    }
}

static void the_pointer_agrees_with_the_portable_one(void **state)
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
                                .scalars = s == 0 ? 1 : 2,
                                .scale = (real)0.1};
        size_t scores = (size_t)(n * n * lanes), slopes = (size_t)(2 * n * lanes),
               rows = (size_t)(n * width);
        t.score = guarded(scores), t.slope = guarded(slopes), t.value = guarded(rows);
        t.key = guarded(rows), t.bias = guarded((size_t)n);
        fill(t.score, scores, 1, -2, 2), fill(t.slope, slopes, 2, -1, 1),
            fill(t.value, rows, 3, -1, 1);
        fill(t.key, rows, 4, -1, 1), fill(t.bias, (size_t)n, 5, -1, 1);
        for (int round = 0; round < 2 * n; round++) { /* without and with something extra */
            int count = round / 2 + 1;
            size_t cells = (size_t)(count * lanes);
            uint16_t list[64];
            for (int i = 0; i < count; i++) list[i] = (uint16_t)(i * 7 % n);
            real state2[2] = {(real)0.3, (real)-0.7};
            real *u[2], *extra = guarded(cells);
            fill(extra, cells, 6, -1, 1);
            for (int k = 0; k < 2; k++) {
                const struct kern_ops *use = k ? kern : plain;
                real *weight = guarded(cells), *glimpse = guarded((size_t)width);
                u[k] = guarded(48); /* 37 in whole vectors */
                use->glimpse_forward(weight, glimpse, &t, 5, state2, list, count,
                                     round % 2 ? extra : NULL);
                use->point_forward(u[k], glimpse, &t, list, count);
                release(weight, cells), release(glimpse, (size_t)width);
            }
            release(extra, cells);
            for (int i = 0; i < count; i++)
                assert_close((double)u[0][i], (double)u[1][i], 1e-4, 1e-5);
            release(u[0], 48), release(u[1], 48);
        }
        release(t.score, scores), release(t.slope, slopes), release(t.value, rows);
        release(t.key, rows), release(t.bias, (size_t)n);
    }
}

/* A side network and its gradient beside those of the portable kernels. */
static void compare_side(struct kern_side size, int count)
{
    int folded = size.hidden * (size.features + 2), more = size.hidden * size.lanes;
    size_t stride = ((size_t)count + KERN_ROUND - 1) / KERN_ROUND * KERN_ROUND;
    size_t numbers = (size_t)(folded + more), cells = (size_t)(count * size.lanes);
    size_t sums = (size_t)(folded * KERN_LANES + more), inputs = (size_t)size.features * stride;
    real *par = guarded(numbers), *phi = guarded(inputs), *dout = guarded((size_t)count);
    real *dextra = guarded(cells), *out[2], *units[2], *extra[2], *sum[2];
    fill(par, numbers, 1, -1, 1), fill(phi, inputs, 2, -1, 1);
    fill(dout, (size_t)count, 3, -1, 1), fill(dextra, cells, 4, -1, 1);
    for (int k = 0; k < 2; k++) {
        const struct kern_ops *use = k ? kern : plain;
        out[k] = guarded(stride), units[k] = guarded((size_t)size.hidden * stride);
        extra[k] = guarded(cells), sum[k] = guarded(sums);
        memset(sum[k], 0, sums * sizeof(real));
        use->side_forward(out[k], units[k], extra[k], phi, stride, par, &size, count);
        use->side_backward(sum[k], phi, units[k], stride, par, dout, dextra, &size, count);
    }
    for (int i = 0; i < count; i++) assert_close((double)out[0][i], (double)out[1][i], 1e-4, 1e-5);
    for (size_t i = 0; i < cells; i++)
        assert_close((double)extra[0][i], (double)extra[1][i], 1e-4, 1e-5);
    for (int i = 0; i < folded; i++) {
        double total[2] = {0, 0};
        for (int k = 0; k < 2; k++)
            for (int a = 0; a < KERN_LANES; a++) total[k] += (double)sum[k][i * KERN_LANES + a];
        assert_close(total[0], total[1], 1e-3, 1e-4);
    }
    for (size_t i = (size_t)(folded * KERN_LANES); i < sums; i++)
        assert_close((double)sum[0][i], (double)sum[1][i], 1e-3, 1e-4);
    for (int k = 0; k < 2; k++) {
        release(out[k], stride), release(units[k], (size_t)size.hidden * stride);
        release(extra[k], cells), release(sum[k], sums);
    }
    release(par, numbers), release(phi, inputs), release(dout, (size_t)count);
    release(dextra, cells);
}

static void the_side_network_agrees_with_the_portable_one(void **state)
{
    (void)state;
    static const struct kern_side sizes[] = {{16, 16, 8}, {17, 8, 0}, {5, 4, 16}, {32, 64, 64}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int count = 1; count <= 150; count += count < 40 ? 1 : 37)
            compare_side(sizes[s], count);
}

static void norms_have_mean_zero_and_variance_one(void **state)
{
    (void)state;
    for (int by_channel = 0; by_channel < 2; by_channel++) {
        for (int n = 2; n <= 70; n += 17) {
            int D = 24;
            size_t cells = (size_t)(n * D), stats = by_channel ? (size_t)D : (size_t)n;
            real *a = guarded(cells), *b = guarded(cells), *y = guarded(cells), *x = guarded(cells);
            real *inv = guarded(stats), gain[24], shift[24];
            fill(a, cells, 1, -3, 5), fill(b, cells, 2, -1, 1);
            for (int c = 0; c < D; c++) gain[c] = 1, shift[c] = 0;
            kern->norm_forward(y, x, inv, a, b, gain, shift, by_channel, n, D);
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

static void products_transpose_as_they_say(void **state)
{
    (void)state;
    real a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {1, 0, 2, 0, 1, 3}, c[9];
    kern->nt(2, 2, 3, 1, a, 3, b, 3, 0, c, 2); /* a 2x3, b 2x3 */
    assert_true(c[0] == 7 && c[1] == 11 && c[2] == 16 && c[3] == 23);
    kern->nn(2, 2, 3, 1, a, 3, b, 2, 0, c, 2); /* b 3x2 */
    assert_true(c[0] == 8 && c[1] == 9 && c[2] == 20 && c[3] == 18);
    kern->tn(3, 3, 2, 1, a, 3, b, 3, 0, c, 3); /* a 2x3, b 2x3 */
    assert_true(c[0] == 1 && c[1] == 4 && c[2] == 14 && c[8] == 24);
    char name[256];
    assert_true(strlen(kern_products(kern, name, sizeof name)) >= 3);
}

/* A factor of a product: rows x columns, or its transpose in memory. */
struct factor {
    int is_transposed, ld;
    real *at;
    size_t count;
};

static struct factor make_factor(int rows, int columns, int is_transposed, int more, uint64_t seed)
{
    struct factor f = {is_transposed, (is_transposed ? rows : columns) + more, NULL, 0};
    f.count = (size_t)(is_transposed ? columns : rows) * (size_t)f.ld;
    f.at = guarded(f.count);
    fill(f.at, f.count, seed, -1, 1);
    return f;
}

static double element(const struct factor *f, int row, int column, int is_bf16)
{
    real x = f->is_transposed ? f->at[column * f->ld + row] : f->at[row * f->ld + column];
    return is_bf16 ? (double)bf16_round((float)x) : (double)x;
}

static kern_product *product_of(const struct kern_ops *ops, int kind)
{
    return kind == 0 ? ops->nt : kind == 1 ? ops->nn : ops->tn;
}

/* Odd sizes, several panels, strides wider than the rows, every kind, against sums in double. */
static const int product_size[][3] = {{1, 1, 1},      {6, 16, 8},    {7, 17, 9},    {13, 33, 256},
                                      {50, 16, 50},   {5, 31, 300},  {12, 48, 513}, {64, 7, 3},
                                      {141, 150, 40}, {33, 129, 65}, {29, 64, 801}, {128, 4, 49}};

enum { PRODUCT_SIZES = sizeof product_size / sizeof product_size[0] };

static void check_product(const struct kern_ops *ops, const int size[3], int kind, real alpha,
                          real beta, int is_bf16)
{
    int m = size[0], n = size[1], k = size[2], ldc = n + 3;
    struct factor a = make_factor(m, k, kind == 2, 2, 1), b = make_factor(k, n, kind == 0, 5, 2);
    size_t cs = (size_t)(m * ldc);
    real *c = guarded(cs), *before = guarded(cs);
    fill(c, cs, 3, -1, 1);
    memcpy(before, c, cs * sizeof(real));
    product_of(ops, kind)(m, n, k, alpha, a.at, a.ld, b.at, b.ld, beta, c, ldc);
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < ldc; j++) {
            double sum = 0, size_of_sum = 0, old = (double)before[i * ldc + j];
            for (int l = 0; l < k && j < n; l++) {
                double term = element(&a, i, l, is_bf16) * element(&b, l, j, is_bf16);
                sum += term, size_of_sum += fabs(term);
            }
            double expected = j < n ? (double)alpha * sum + (double)beta * old : old;
            assert_close((double)c[i * ldc + j], expected, 1e-6, 1e-6 + 1e-6 * size_of_sum);
        }
    }
    release(a.at, a.count), release(b.at, b.count), release(c, cs), release(before, cs);
}

static void products_match_plain_loops(void **state)
{
    (void)state;
    for (int s = 0; s < PRODUCT_SIZES; s++) {
        for (int kind = 0; kind < 3; kind++) {
            check_product(kern, product_size[s], kind, 1, 0, 0);
            check_product(kern, product_size[s], kind, 1, 1, 0);
            check_product(kern, product_size[s], kind, (real)0.7, (real)0.5, 0);
        }
    }
}

static void rounded_products_are_those_of_rounded_factors(void **state)
{
    (void)state;
    for (int s = 0; s < PRODUCT_SIZES; s++) {
        for (int kind = 0; kind < 3; kind++) {
            check_product(rounded, product_size[s], kind, 1, 0, 1);
            check_product(rounded, product_size[s], kind, 1, 1, 1);
            check_product(rounded, product_size[s], kind, (real)0.7, (real)0.5, 1);
        }
    }
}

/* A result that was there before does not matter with beta 0, whatever it was. */
static void beta_zero_ignores_what_was_there(void **state)
{
    (void)state;
    const struct kern_ops *both[] = {kern, rounded};
    for (int k = 0; k < 2; k++) {
        for (int kind = 0; kind < 3; kind++) {
            real a[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, c[9];
            for (int i = 0; i < 9; i++) c[i] = NAN;
            product_of(both[k], kind)(3, 3, 3, 1, a, 3, a, 3, 0, c, 3);
            for (int i = 0; i < 9; i++) assert_true(isfinite(c[i]));
        }
    }
}

/* What is not finite is seen afterwards: a run that diverges must not look healthy. */
static void infinities_and_nan_pass_through(void **state)
{
    (void)state;
    const struct kern_ops *both[] = {kern, rounded};
    for (int k = 0; k < 2; k++) {
        real a[4] = {1, NAN, INFINITY, 1}, b[4] = {1, 2, 3, 4}, c[4];
        both[k]->nn(2, 2, 2, 1, a, 2, b, 2, 0, c, 2);
        assert_true(isnan(c[0]) && isnan(c[1]) && isinf(c[2]) && isinf(c[3]));
    }
}

/* One chain of multiply-adds per output, in the order of k: where that is one instruction, how wide
 * a vector is does not matter. */
static void products_have_the_bits_of_avx2(void **state)
{
    (void)state;
    const struct kern_ops *avx2 = kern_of(KERN_AVX2, 0);
    if (!avx2 || kern == plain) return; /* nothing to compare with: no gap in what is tested */
    for (int s = 0; s < PRODUCT_SIZES; s++) {
        for (int i = 0; i < 12; i++) { /* kind; alpha 1 or 0.7; beta 0 or 0.5 */
            int kind = i % 3, m = product_size[s][0], n = product_size[s][1];
            int k = product_size[s][2];
            real alpha = i / 3 % 2 ? (real)0.7 : 1, beta = i / 6 ? (real)0.5 : 0;
            struct factor a = make_factor(m, k, kind == 2, 2, 1);
            struct factor b = make_factor(k, n, kind == 0, 5, 2);
            size_t cs = (size_t)m * (size_t)n;
            real *c = guarded(cs), *d = guarded(cs);
            fill(c, cs, 3, -1, 1), fill(d, cs, 3, -1, 1);
            product_of(kern, kind)(m, n, k, alpha, a.at, a.ld, b.at, b.ld, beta, c, n);
            product_of(avx2, kind)(m, n, k, alpha, a.at, a.ld, b.at, b.ld, beta, d, n);
            assert_memory_equal(c, d, cs * sizeof(real));
            release(a.at, a.count), release(b.at, b.count), release(c, cs), release(d, cs);
        }
    }
}

/* The machine's own word for it. */
static int has_flags(const char *text, const char *const *flag)
{
    for (; *flag; flag++) {
        char word[32];
        snprintf(word, sizeof word, " %s ", *flag);
        if (!strstr(text, word)) return 0;
    }
    return 1;
}

/* Only a request tells whether tiles are granted, so of AMX this test knows the flags alone. */
static void the_chosen_set_is_the_best_that_the_system_lists(void **state)
{
    (void)state;
    static const char *const avx2[] = {"avx2", "fma", NULL};
    static const char *const avx512[] = {"avx512f", "avx512bw", "avx512dq", "avx512vl", NULL};
    static const char *const amx[] = {"amx_tile", "amx_bf16", NULL};
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[8192], *flags = NULL;
    while (file && !flags && fgets(line, sizeof line, file))
        if (strncmp(line, "flags", 5) == 0) flags = line;
    if (file) fclose(file);
#ifndef __x86_64__
    flags = NULL; /* an emulator shows those of its host */
#endif
    if (!flags) { /* no x86, or no Linux */
        assert_string_equal(kern_best()->name, "portable");
        return;
    }
    line[strcspn(line, "\n")] = ' ';
    int has_avx2 = has_flags(flags, avx2), has_avx512 = has_avx2 && has_flags(flags, avx512);
    assert_string_equal(kern_best()->name, has_avx512 ? "avx512" : has_avx2 ? "avx2" : "portable");
    assert_int_equal(kern_of(KERN_AVX2, 0) != NULL, has_avx2);
    assert_int_equal(kern_of(KERN_AVX512, 0) != NULL, has_avx512);
    if (!has_avx512 || !has_flags(flags, amx)) assert_null(kern_of(KERN_AMX, 0));
}

static void settings_choose_kernels_and_wrong_ones_are_refused(void **state)
{
    (void)state;
    const struct kern_ops *chosen = NULL;
    ucpo_error err = {0};
    assert_ok(kern_choose(NULL, NULL, &chosen, &err), &err);
    assert_ptr_equal(chosen, kern_best());
    assert_ok(kern_choose("auto", "auto", &chosen, &err), &err);
    assert_ptr_equal(chosen, kern_best());
    assert_string_equal(chosen->precision, "f32"); /* auto does not round */
    assert_ok(kern_choose("portable", "bf16", &chosen, &err), &err);
    assert_string_equal(chosen->name, "portable");
    assert_string_equal(chosen->precision, "bf16");
    assert_int_equal(kern_choose("sse", "f32", &chosen, &err), UCPO_E_ARGUMENT);
    assert_int_equal(kern_choose("auto", "f16", &chosen, &err), UCPO_E_ARGUMENT);
    for (int set = 0; set < KERN_SETS; set++) {
        ucpo_status st = kern_choose(kern_set_name((enum kern_set)set), "f32", &chosen, &err);
        assert_int_equal(st, kern_of((enum kern_set)set, 0) ? UCPO_OK : UCPO_E_ARGUMENT);
        if (st) assert_non_null(strstr(err.text, "this machine has portable"));
    }
}

int main(int argc, char **argv)
{
    int skipped = test_kernels(argc, argv, &kern, &rounded);
    if (skipped) return skipped;
    plain = kern_of(KERN_PORTABLE, 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probabilities_match_a_plain_softmax),
        cmocka_unit_test(extreme_scores_stay_finite),
        cmocka_unit_test(no_probability_is_subnormal),
        cmocka_unit_test(self_attention_matches_plain_loops),
        cmocka_unit_test(rows_are_multiplied_with_rows),
        cmocka_unit_test(the_pointer_agrees_with_the_portable_one),
        cmocka_unit_test(the_side_network_agrees_with_the_portable_one),
        cmocka_unit_test(norms_have_mean_zero_and_variance_one),
        cmocka_unit_test(products_transpose_as_they_say),
        cmocka_unit_test(products_match_plain_loops),
        cmocka_unit_test(rounded_products_are_those_of_rounded_factors),
        cmocka_unit_test(beta_zero_ignores_what_was_there),
        cmocka_unit_test(infinities_and_nan_pass_through),
        cmocka_unit_test(products_have_the_bits_of_avx2),
        cmocka_unit_test(the_chosen_set_is_the_best_that_the_system_lists),
        cmocka_unit_test(settings_choose_kernels_and_wrong_ones_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
