/* Bodies of the vector kernels. Included by one file per instruction set. No include guard. */
#include "math/kern.h"

#include <math.h>
#include <string.h>

#if defined(__AVX__) && !defined(UCPO_REAL_DOUBLE)
#include <immintrin.h>
#define HAVE_AVX_FLOAT 1 /* for what plain vector code cannot say: maximum, horizontal sums */
#else
#define HAVE_AVX_FLOAT 0
#endif

#define INLINE static inline __attribute__((always_inline))

#if defined(__AVX512F__) && !defined(UCPO_REAL_DOUBLE)
#define HAVE_AVX512_FLOAT 1
#else
#define HAVE_AVX512_FLOAT 0
#endif

#define LOWEST ((real)-1e30)

enum { ROUND = KERN_ROUND };

static const real beyond[2 * ROUND] = {
    [ROUND] = LOWEST,      [ROUND + 1] = LOWEST,  [ROUND + 2] = LOWEST,  [ROUND + 3] = LOWEST,
    [ROUND + 4] = LOWEST,  [ROUND + 5] = LOWEST,  [ROUND + 6] = LOWEST,  [ROUND + 7] = LOWEST,
    [ROUND + 8] = LOWEST,  [ROUND + 9] = LOWEST,  [ROUND + 10] = LOWEST, [ROUND + 11] = LOWEST,
    [ROUND + 12] = LOWEST, [ROUND + 13] = LOWEST, [ROUND + 14] = LOWEST, [ROUND + 15] = LOWEST};

/* `vec`, eight lanes: one channel of eight heads. `line`: neighbours in a row, as many as a register
 * takes; two channels of eight heads where it takes sixteen. */
#define VEC       vec
#define VEC_FN(f) vec_##f
#define VEC_LANES 8
#include "math/kern_vec.h"

#ifdef KERN_WIDE
#define LINE_LANES 16
#else
#define LINE_LANES 8
#endif
#define VEC       line
#define VEC_FN(f) line_##f
#define VEC_LANES LINE_LANES
#include "math/kern_vec.h"

INLINE real vec_sum(vec v)
{
#if HAVE_AVX_FLOAT
    __m128 four =
        _mm_add_ps(_mm256_castps256_ps128((__m256)v), _mm256_extractf128_ps((__m256)v, 1));
    __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
#else
    return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
#endif
}

/* The largest lane. */
INLINE real vec_top(vec v)
{
#if HAVE_AVX_FLOAT
    __m128 four =
        _mm_max_ps(_mm256_castps256_ps128((__m256)v), _mm256_extractf128_ps((__m256)v, 1));
    __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
#else
    real top = v[0];
    for (int i = 1; i < KERN_LANES; i++) top = v[i] > top ? v[i] : top;
    return top;
#endif
}

/* Lane k of the result is the sum of the lanes of p[k]. */
INLINE vec vec_sum8(const vec p[8])
{
#if HAVE_AVX_FLOAT
    __m256 t[4]; /* low half: p[k], high half: p[k + 4], each with its halves added */
    for (int k = 0; k < 4; k++)
        t[k] = _mm256_add_ps(_mm256_blend_ps((__m256)p[k], (__m256)p[k + 4], 0xF0),
                             _mm256_permute2f128_ps((__m256)p[k], (__m256)p[k + 4], 0x21));
    return (vec)_mm256_hadd_ps(_mm256_hadd_ps(t[0], t[1]), _mm256_hadd_ps(t[2], t[3]));
#else
    vec out;
    for (int k = 0; k < 8; k++) out[k] = vec_sum(p[k]);
    return out;
#endif
}

#ifdef KERN_WIDE

INLINE vec line_low(line v)
{
    return __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7);
}

INLINE vec line_high(line v)
{
    return __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
}

/* The same eight numbers in both halves. */
INLINE line line_twice(vec v)
{
    return __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7);
}

INLINE line line_both(vec low, vec high)
{
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

/* Sum of the halves. */
INLINE vec line_fold(line v)
{
    return line_low(v) + line_high(v);
}

INLINE real line_sum(line v)
{
    return vec_sum(line_fold(v));
}

INLINE real line_top(line v)
{
    return vec_top(vec_max(line_low(v), line_high(v)));
}

#else

INLINE vec line_fold(line v)
{
    return v;
}

INLINE real line_sum(line v)
{
    return vec_sum(v);
}

INLINE real line_top(line v)
{
    return vec_top(v);
}

#endif

/* ---- rows ---- */

/* In whole vectors; what is beyond n gets almost nothing. */
INLINE void softmax_row(real *x, int n)
{
    line tops = line_all(LOWEST), total = line_all(0);
    for (int i = 0; i < n; i += LINE_LANES) {
        line v = line_load(x + i) + line_end(n - i);
        line_store(x + i, v);
        tops = line_max(tops, v);
    }
    line top = line_all(line_top(tops));
    for (int i = 0; i < n; i += LINE_LANES) {
        line e = line_exp(line_load(x + i) - top);
        line_store(x + i, e);
        total += e;
    }
    line inverse = line_all(1 / line_sum(total));
    for (int i = 0; i < n; i += LINE_LANES) line_store(x + i, line_load(x + i) * inverse);
}

/* dp = p * (dp - sum(p dp)) * scale, in whole vectors */
INLINE void softmax_row_backward(real *dp, const real *p, int n, real scale)
{
    line total = line_all(0);
    for (int i = 0; i < n; i += LINE_LANES) total += line_load(p + i) * line_load(dp + i);
    line sum = line_all(line_sum(total)), factor = line_all(scale);
    for (int i = 0; i < n; i += LINE_LANES)
        line_store(dp + i, factor * line_load(p + i) * (line_load(dp + i) - sum));
}

static void add_bias(real *y, const real *bias, int rows, int width)
{
    for (int r = 0; r < rows; r++, y += width)
        for (int i = 0; i < width; i++) y[i] += bias[i];
}

static void add_bias_relu(real *y, const real *bias, int rows, int width)
{
    for (int r = 0; r < rows; r++, y += width) {
        for (int i = 0; i < width; i++) {
            real v = y[i] + bias[i];
            y[i] = v > 0 ? v : 0;
        }
    }
}

static void relu_backward(real *dy, const real *y, size_t count)
{
    for (size_t i = 0; i < count; i++) dy[i] = y[i] > 0 ? dy[i] : 0;
}

static void sum_rows(real *out, const real *x, int rows, int width)
{
    for (int r = 0; r < rows; r++, x += width)
        for (int i = 0; i < width; i++) out[i] += x[i];
}

static void add(real *y, const real *x, size_t count)
{
    for (size_t i = 0; i < count; i++) y[i] += x[i];
}

/* ---- normalisation ---- */

#define NORM_EPS ((real)1e-5)

/* Channels are handled in blocks of four vectors: statistics stay in registers. */
enum { NORM_BLOCK = 4 };

INLINE void norm_block_forward(real *y, real *xhat, real *inv, const real *a, const real *b,
                               const real *gain, const real *offset, int n, int width, int vectors)
{
    vec mean[NORM_BLOCK], inverse[NORM_BLOCK];
    for (int k = 0; k < vectors; k++) mean[k] = inverse[k] = vec_all(0);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < vectors; k++) {
            int at = i * width + k * KERN_LANES;
            vec x = vec_load(a + at) + vec_load(b + at);
            vec_store(xhat + at, x);
            mean[k] += x;
        }
    }
    for (int k = 0; k < vectors; k++) mean[k] /= vec_all((real)n);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < vectors; k++) {
            vec x = vec_load(xhat + i * width + k * KERN_LANES) - mean[k];
            inverse[k] += x * x;
        }
    }
    for (int k = 0; k < vectors; k++) {
        vec variance = inverse[k] / vec_all((real)n) + vec_all(NORM_EPS);
        for (int l = 0; l < KERN_LANES; l++)
            inv[k * KERN_LANES + l] = 1 / (real)sqrt((double)variance[l]);
        inverse[k] = vec_load(inv + k * KERN_LANES);
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < vectors; k++) {
            int c = k * KERN_LANES, at = i * width + c;
            vec x = (vec_load(xhat + at) - mean[k]) * inverse[k];
            vec_store(xhat + at, x);
            vec_store(y + at, vec_load(gain + c) * x + vec_load(offset + c));
        }
    }
}

static void instance_norm_forward(real *y, real *xhat, real *inv, const real *a, const real *b,
                                  const real *gain, const real *offset, int n, int width)
{
    int c = 0;
    for (; c + NORM_BLOCK * KERN_LANES <= width; c += NORM_BLOCK * KERN_LANES)
        norm_block_forward(y + c, xhat + c, inv + c, a + c, b + c, gain + c, offset + c, n, width,
                           NORM_BLOCK);
    for (; c < width; c += KERN_LANES)
        norm_block_forward(y + c, xhat + c, inv + c, a + c, b + c, gain + c, offset + c, n, width,
                           1);
}

/* dx = inv * gain * (dy - mean(dy) - xhat * mean(dy xhat)), means over the n rows */
INLINE void norm_block_backward(real *dx, real *dgain, real *doffset, const real *dy,
                                const real *xhat, const real *inv, const real *gain, int n,
                                int width, int vectors)
{
    vec sum[NORM_BLOCK], dot[NORM_BLOCK], factor[NORM_BLOCK], share = vec_all(1 / (real)n);
    for (int k = 0; k < vectors; k++) sum[k] = dot[k] = vec_all(0);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < vectors; k++) {
            vec d = vec_load(dy + i * width + k * KERN_LANES);
            sum[k] += d;
            dot[k] += d * vec_load(xhat + i * width + k * KERN_LANES);
        }
    }
    for (int k = 0; k < vectors; k++) {
        int c = k * KERN_LANES;
        vec_store(dgain + c, vec_load(dgain + c) + dot[k]);
        vec_store(doffset + c, vec_load(doffset + c) + sum[k]);
        factor[k] = vec_load(inv + c) * vec_load(gain + c);
        sum[k] *= share;
        dot[k] *= share;
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < vectors; k++) {
            int at = i * width + k * KERN_LANES;
            vec d = vec_load(dy + at), x = vec_load(xhat + at);
            vec_store(dx + at, factor[k] * (d - sum[k] - x * dot[k]));
        }
    }
}

static void instance_norm_backward(real *dx, real *dgain, real *doffset, const real *dy,
                                   const real *xhat, const real *inv, const real *gain, int n,
                                   int width)
{
    int c = 0;
    for (; c + NORM_BLOCK * KERN_LANES <= width; c += NORM_BLOCK * KERN_LANES)
        norm_block_backward(dx + c, dgain + c, doffset + c, dy + c, xhat + c, inv + c, gain + c, n,
                            width, NORM_BLOCK);
    for (; c < width; c += KERN_LANES)
        norm_block_backward(dx + c, dgain + c, doffset + c, dy + c, xhat + c, inv + c, gain + c, n,
                            width, 1);
}

static void layer_norm_forward(real *y, real *xhat, real *inv, const real *a, const real *b,
                               const real *gain, const real *offset, int n, int width)
{
    for (int i = 0; i < n; i++, a += width, b += width, y += width, xhat += width) {
        real sum = 0, square = 0;
        for (int c = 0; c < width; c++) sum += xhat[c] = a[c] + b[c];
        real mean = sum / (real)width;
        for (int c = 0; c < width; c++) square += (xhat[c] - mean) * (xhat[c] - mean);
        real inverse = 1 / (real)sqrt((double)(square / (real)width + NORM_EPS));
        inv[i] = inverse;
        for (int c = 0; c < width; c++) {
            xhat[c] = (xhat[c] - mean) * inverse;
            y[c] = gain[c] * xhat[c] + offset[c];
        }
    }
}

static void layer_norm_backward(real *dx, real *dgain, real *doffset, const real *dy,
                                const real *xhat, const real *inv, const real *gain, int n,
                                int width)
{
    for (int i = 0; i < n; i++, dx += width, dy += width, xhat += width) {
        real sum = 0, dot = 0;
        for (int c = 0; c < width; c++) {
            dgain[c] += dy[c] * xhat[c];
            doffset[c] += dy[c];
            sum += gain[c] * dy[c];
            dot += gain[c] * dy[c] * xhat[c];
        }
        sum /= (real)width;
        dot /= (real)width;
        for (int c = 0; c < width; c++) dx[c] = inv[i] * (gain[c] * dy[c] - sum - xhat[c] * dot);
    }
}

static void norm_forward(real *y, real *xhat, real *inv, const real *a, const real *b,
                         const real *gain, const real *offset, int by_channel, int n, int width)
{
    (by_channel ? instance_norm_forward : layer_norm_forward)(y, xhat, inv, a, b, gain, offset, n,
                                                              width);
}

static void norm_backward(real *dx, real *dgain, real *doffset, const real *dy, const real *xhat,
                          const real *inv, const real *gain, int by_channel, int n, int width)
{
    (by_channel ? instance_norm_backward : layer_norm_backward)(dx, dgain, doffset, dy, xhat, inv,
                                                                gain, n, width);
}

#include "math/kern_self.h"

/* ---- glimpse and point ---- */

enum { MAX_LANES = 64 };

/* weight[i][a] = exp(x[i][a] - max_i x); inverse[a] = 1 / their sum, so that p = weight * inverse.
 */
INLINE void attend_weights(real *weight, real *inverse, const struct kern_tables *t, int at,
                           const real *state, const uint16_t *list, int count, const real *extra,
                           int lanes, int scalars)
{
    const real *score = t->score + (size_t)at * (size_t)t->n * (size_t)lanes;
    for (int g = 0; g < lanes; g += KERN_LANES) {
        vec top = vec_all((real)-HUGE_VALF), sum = vec_all(0);
        for (int i = 0; i < count; i++) {
            vec x = vec_load(score + (size_t)list[i] * (size_t)lanes + g);
            for (int k = 0; k < scalars; k++) {
                const real *slope = t->slope + ((size_t)k * (size_t)t->n + list[i]) * (size_t)lanes;
                x += vec_all(state[k]) * vec_load(slope + g);
            }
            if (extra) x += vec_load(extra + (size_t)i * (size_t)lanes + g);
            vec_store(weight + (size_t)i * (size_t)lanes + g, x);
            top = vec_max(top, x);
        }
        for (int i = 0; i < count; i++) {
            real *w = weight + (size_t)i * (size_t)lanes + g;
            vec e = vec_exp(vec_load(w) - top);
            vec_store(w, e);
            sum += e;
        }
        vec_store(inverse + g, vec_all(1) / sum);
    }
}

enum { BLOCK = 8 }; /* vectors summed at once in registers; widths are multiples of 8 vectors */

/* glimpse_a = inverse_a sum_i weight[i][a] value[j_i]_a */
INLINE void attend_glimpse(real *glimpse, const real *weight, const real *inverse,
                           const struct kern_tables *t, const uint16_t *list, int count, int lanes,
                           int width)
{
    for (int g = 0; g < lanes; g += KERN_LANES) {
        for (int c = g; c < width; c += BLOCK * lanes) {
            vec sum[BLOCK];
            for (int k = 0; k < BLOCK; k++) sum[k] = vec_all(0);
            for (int i = 0; i < count; i++) {
                const real *v = t->value + (size_t)list[i] * (size_t)width + c;
                vec w = vec_load(weight + (size_t)i * (size_t)lanes + g);
                for (int k = 0; k < BLOCK; k++) sum[k] += w * vec_load(v + k * lanes);
            }
            vec scale = vec_load(inverse + g);
            for (int k = 0; k < BLOCK; k++) vec_store(glimpse + c + k * lanes, scale * sum[k]);
        }
    }
}

/* x, but 0 where products of it would be subnormal. */
INLINE vec not_faint(vec x)
{
    return vec_where_positive(x, vec_max(x, -x) - vec_all((real)1e-16));
}

/* Scores and slopes of one list entry: d += dx, d_k += s_k dx. */
INLINE void attend_score_backward(const struct kern_tables *d, vec dx, int at, int j,
                                  const real *state, int lanes, int lane, int scalars)
{
    size_t n = (size_t)d->n;
    real *to = d->score + ((size_t)at * n + (size_t)j) * (size_t)lanes + lane;
    vec_store(to, vec_load(to) + dx);
    for (int k = 0; k < scalars; k++) {
        to = d->slope + ((size_t)k * n + (size_t)j) * (size_t)lanes + lane;
        vec_store(to, vec_load(to) + vec_all(state[k]) * dx);
    }
}

#ifdef KERN_WIDE
#include "math/kern_wide.h"
#endif

/* u_i = scale * (glimpse . key_i + bias_i), eight at a time so that sums fill a vector. */
INLINE void attend_point(real *u, const real *glimpse, const struct kern_tables *t,
                         const uint16_t *list, int count, int width)
{
    for (int i = 0; i < count; i += 8) {
        int some = count - i < 8 ? count - i : 8;
        const real *key[8];
        real part[8] = {0};
        vec sum[8];
        for (int k = 0; k < 8; k++) {
            int j = list[k < some ? i + k : i];
            key[k] = t->key + (size_t)j * (size_t)width;
            part[k] = t->bias[j];
            sum[k] = vec_all(0);
        }
        if (some > 4) {
            for (int c = 0; c < width; c += KERN_LANES) {
                vec o = vec_load(glimpse + c);
                for (int k = 0; k < 8; k++) sum[k] += o * vec_load(key[k] + c);
            }
        } else {
            for (int c = 0; c < width; c += KERN_LANES) {
                vec o = vec_load(glimpse + c);
                for (int k = 0; k < 4; k++) sum[k] += o * vec_load(key[k] + c);
            }
        }
        vec_store(u + i, vec_all(t->scale) * (vec_sum8(sum) + vec_load(part)));
    }
}

/* The common size goes through the same code with constants for the compiler. */
INLINE int is_common(const struct kern_tables *t)
{
    return t->lanes == 8 && t->width == 128 && t->scalars == 1;
}

static void glimpse_forward(real *weight, real *glimpse, const struct kern_tables *t, int at,
                            const real *state, const uint16_t *list, int count, const real *extra)
{
    real inverse[MAX_LANES];
    if (is_common(t)) {
#ifdef KERN_WIDE
        vec shares = wide_weights(weight, t, at, state, list, count, extra);
        wide_glimpse(glimpse, weight, shares, t, list, count);
#else
        attend_weights(weight, inverse, t, at, state, list, count, extra, 8, 1);
        attend_glimpse(glimpse, weight, inverse, t, list, count, 8, 128);
#endif
    } else {
        attend_weights(weight, inverse, t, at, state, list, count, extra, t->lanes, t->scalars);
        attend_glimpse(glimpse, weight, inverse, t, list, count, t->lanes, t->width);
    }
}

static void point_forward(real *u, const real *glimpse, const struct kern_tables *t,
                          const uint16_t *list, int count)
{
    if (t->width == 128)
#ifdef KERN_WIDE
        wide_point(u, glimpse, t, list, count);
#else
        attend_point(u, glimpse, t, list, count, 128);
#endif
    else
        attend_point(u, glimpse, t, list, count, t->width);
}

/* dglimpse = scale * sum_i du_i key_i */
INLINE void attend_point_backward(real *dglimpse, const struct kern_tables *t, const real *du,
                                  const uint16_t *list, int count, int width)
{
    for (int c = 0; c < width; c += BLOCK * KERN_LANES) {
        vec sum[BLOCK];
        for (int k = 0; k < BLOCK; k++) sum[k] = vec_all(0);
        for (int i = 0; i < count; i++) {
            const real *key = t->key + (size_t)list[i] * (size_t)width + c;
            vec g = vec_all(du[i]);
            for (int k = 0; k < BLOCK; k++) sum[k] += g * vec_load(key + k * KERN_LANES);
        }
        for (int k = 0; k < BLOCK; k++)
            vec_store(dglimpse + c + k * KERN_LANES, vec_all(t->scale) * sum[k]);
    }
}

/* dkey_j += scale * sum over visits of du * glimpse, dbias_j += scale * sum of du */
INLINE void attend_key_backward(const struct kern_tables *d, const struct kern_tables *t,
                                const struct kern_visits *visits, const real *du, int stride,
                                const real *glimpse, int width)
{
    for (int j = 0; j < t->n; j++) {
        const struct kern_visit *visit = visits->at + (size_t)j * KERN_ROWS;
        real g[KERN_ROWS], total = 0;
        int count = visits->count[j];
        for (int i = 0; i < count; i++) {
            g[i] = t->scale * du[(size_t)visit[i].row * (size_t)stride + visit[i].entry];
            total += g[i];
        }
        d->bias[j] += total;
        for (int c = 0; c < width; c += BLOCK * KERN_LANES) {
            real *to = d->key + (size_t)j * (size_t)width + c;
            vec sum[BLOCK];
            for (int k = 0; k < BLOCK; k++) sum[k] = vec_load(to + k * KERN_LANES);
            for (int i = 0; i < count; i++) {
                const real *o = glimpse + (size_t)visit[i].row * (size_t)width + c;
                vec w = vec_all(g[i]);
                for (int k = 0; k < BLOCK; k++) sum[k] += w * vec_load(o + k * KERN_LANES);
            }
            for (int k = 0; k < BLOCK; k++) vec_store(to + k * KERN_LANES, sum[k]);
        }
    }
}

/* Per list entry: dp_a = dglimpse_a . value_a, dx = p (dp - dglimpse . glimpse), as dglimpse .
 * glimpse = sum_i p dp. Four entries at a time. */
INLINE void attend_glimpse_backward(const struct kern_tables *d, real *weight,
                                    const struct kern_tables *t, const real *glimpse,
                                    const real *dglimpse, int at, const real *state,
                                    const uint16_t *list, int count, real *dextra, int lanes,
                                    int width, int scalars)
{
    for (int g = 0; g < lanes; g += KERN_LANES) {
        vec mean = vec_all(0), total = vec_all(0);
        for (int c = g; c < width; c += lanes)
            mean += vec_load(dglimpse + c) * vec_load(glimpse + c);
        for (int i = 0; i < count; i++) total += vec_load(weight + (size_t)i * (size_t)lanes + g);
        vec inverse = vec_all(1) / total;
        for (int i = 0; i < count; i += 4) {
            const real *v[4];
            vec dp[4];
            for (int k = 0; k < 4; k++) {
                v[k] = t->value + (size_t)list[i + k < count ? i + k : i] * (size_t)width;
                dp[k] = vec_all(0);
            }
            for (int c = g; c < width; c += lanes) {
                vec o = vec_load(dglimpse + c);
                for (int k = 0; k < 4; k++) dp[k] += o * vec_load(v[k] + c);
            }
            for (int k = 0; k < 4 && i + k < count; k++) {
                real *w = weight + (size_t)(i + k) * (size_t)lanes + g;
                vec p = vec_load(w) * inverse;
                vec_store(w, p);
                vec dx = p * (dp[k] - mean);
                if (dextra) vec_store(dextra + (size_t)(i + k) * (size_t)lanes + g, not_faint(dx));
                attend_score_backward(d, dx, at, list[i + k], state, lanes, g, scalars);
            }
        }
    }
}

/* dvalue_j,a += sum over visits of p_a dglimpse_a */
INLINE void attend_value_backward(const struct kern_tables *d, const struct kern_visits *visits,
                                  const real *p, const real *dglimpse, int lanes, int width)
{
    size_t cells = (size_t)d->n * (size_t)lanes;
    for (int j = 0; j < d->n; j++) {
        const struct kern_visit *visit = visits->at + (size_t)j * KERN_ROWS;
        int count = visits->count[j];
        for (int g = 0; g < lanes; g += KERN_LANES) {
            for (int c = g; c < width; c += BLOCK * lanes) {
                real *to = d->value + (size_t)j * (size_t)width + c;
                vec sum[BLOCK];
                for (int k = 0; k < BLOCK; k++) sum[k] = vec_load(to + k * lanes);
                for (int i = 0; i < count; i++) {
                    size_t row = visit[i].row, entry = visit[i].entry;
                    vec w = vec_load(p + row * cells + entry * (size_t)lanes + g);
                    const real *o = dglimpse + row * (size_t)width + c;
                    for (int k = 0; k < BLOCK; k++) sum[k] += w * vec_load(o + k * lanes);
                }
                for (int k = 0; k < BLOCK; k++) vec_store(to + k * lanes, sum[k]);
            }
        }
    }
}

static void point_backward(real *dglimpse, const struct kern_tables *t, const real *du,
                           const uint16_t *list, int count)
{
    if (t->width == 128)
#ifdef KERN_WIDE
        wide_point_backward(dglimpse, t, du, list, count);
#else
        attend_point_backward(dglimpse, t, du, list, count, 128);
#endif
    else
        attend_point_backward(dglimpse, t, du, list, count, t->width);
}

static void glimpse_backward(const struct kern_tables *d, real *weight, const struct kern_tables *t,
                             const real *glimpse, const real *dglimpse, int at, const real *state,
                             const uint16_t *list, int count, real *dextra)
{
    if (is_common(t))
#ifdef KERN_WIDE
        wide_glimpse_backward(d, weight, t, glimpse, dglimpse, at, state, list, count, dextra);
#else
        attend_glimpse_backward(d, weight, t, glimpse, dglimpse, at, state, list, count, dextra, 8,
                                128, 1);
#endif
    else
        attend_glimpse_backward(d, weight, t, glimpse, dglimpse, at, state, list, count, dextra,
                                t->lanes, t->width, t->scalars);
}

static void key_backward(const struct kern_tables *d, const struct kern_tables *t,
                         const struct kern_visits *visits, const real *du, int stride,
                         const real *glimpse)
{
    if (t->width == 128)
#ifdef KERN_WIDE
        wide_key_backward(d, t, visits, du, stride, glimpse);
#else
        attend_key_backward(d, t, visits, du, stride, glimpse, 128);
#endif
    else
        attend_key_backward(d, t, visits, du, stride, glimpse, t->width);
}

static void value_backward(const struct kern_tables *d, const struct kern_visits *visits,
                           const real *p, const real *dglimpse)
{
    if (is_common(d))
#ifdef KERN_WIDE
        wide_value_backward(d, visits, p, dglimpse);
#else
        attend_value_backward(d, visits, p, dglimpse, 8, 128);
#endif
    else
        attend_value_backward(d, visits, p, dglimpse, d->lanes, d->width);
}

/* ---- the policy's head ---- */

static real log_of(real x)
{
#ifdef UCPO_REAL_DOUBLE
    return log(x);
#else
    return logf(x);
#endif
}

static real head_forward(real *tanh_u, real *prob, const real *u, const real *bias, real clip,
                         real temperature, int count)
{
    real factor = (clip > 0 ? clip : 1) / temperature, share = 1 / temperature;
    int is_bounded = clip > 0 && !bias && factor < 30; /* no logit is above `factor` */
    line tops = line_all(LOWEST), total = line_all(0);
    for (int i = 0; i < count; i += LINE_LANES) {
        line x = clip > 0 ? line_tanh(line_load(u + i)) : line_load(u + i);
        line logit = line_all(factor) * x;
        if (bias) logit += line_all(share) * line_load(bias + i);
        logit += line_end(count - i);
        line_store(tanh_u + i, x);
        line_store(prob + i, logit);
        tops = line_max(logit, tops);
    }
    real top = is_bounded ? factor : line_top(tops);
    for (int i = 0; i < count; i += LINE_LANES) {
        line e = line_exp(line_load(prob + i) - line_all(top));
        line_store(prob + i, e);
        total += e; /* entries beyond the list are 0 */
    }
    real sum = line_sum(total);
    line inverse = line_all(1 / sum);
    for (int i = 0; i < count; i += LINE_LANES) line_store(prob + i, line_load(prob + i) * inverse);
    return top + log_of(sum);
}

static void head_backward(real *du, real *dbias, const real *tanh_u, const real *prob, real weight,
                          int chosen, real clip, int count)
{
    for (int i = 0; i < count; i++) {
        real slope = clip > 0 ? clip * (1 - tanh_u[i] * tanh_u[i]) : 1;
        du[i] = weight * slope * ((real)(i == chosen) - prob[i]);
    }
    for (int i = 0; dbias && i < count; i++)
        dbias[i] =
            i == chosen ? weight * (1 - prob[i]) : (prob[i] < KERN_FAINT ? 0 : -weight * prob[i]);
}

#include "math/kern_side.h"

/* ---- optimiser ---- */

static void adam(real *w, real *m, real *v, const real *g, size_t count, double rate, double beta1,
                 double beta2, double eps, double decay, double bias1, double bias2, double scale)
{
    const real b1 = (real)beta1, b2 = (real)beta2, c1 = (real)(1 - beta1), c2 = (real)(1 - beta2);
    const real step = (real)(rate / bias1), root = (real)(1 / sqrt(bias2));
    const real e = (real)eps, l2 = (real)decay, s = (real)scale;
    for (size_t i = 0; i < count; i++) {
        real grad = s * g[i] + l2 * w[i];
        m[i] = b1 * m[i] + c1 * grad;
        v[i] = b2 * v[i] + c2 * grad * grad;
#ifdef UCPO_REAL_DOUBLE
        w[i] -= step * m[i] / (sqrt(v[i]) * root + e);
#else
        w[i] -= step * m[i] / (sqrtf(v[i]) * root + e);
#endif
    }
}
