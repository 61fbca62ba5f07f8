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

/* Eight lanes; unaligned loads are fine. */
typedef real vec __attribute__((vector_size(KERN_LANES * sizeof(real))));

INLINE vec vec_load(const real *p)
{
    vec v;
    memcpy(&v, p, sizeof v);
    return v;
}

INLINE void vec_store(real *p, vec v)
{
    memcpy(p, &v, sizeof v);
}

INLINE vec vec_all(real x)
{
    return (vec){x, x, x, x, x, x, x, x};
}

INLINE vec vec_max(vec a, vec b)
{
#if HAVE_AVX_FLOAT
    return (vec)_mm256_max_ps((__m256)a, (__m256)b);
#else
    for (int i = 0; i < KERN_LANES; i++) a[i] = a[i] > b[i] ? a[i] : b[i];
    return a;
#endif
}

INLINE real vec_sum(vec v)
{
    return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

/* Lane k of the result is the sum of the lanes of p[k]. */
INLINE vec vec_sum8(const vec p[8])
{
#if HAVE_AVX_FLOAT
    __m256 a = _mm256_hadd_ps((__m256)p[0], (__m256)p[1]),
           b = _mm256_hadd_ps((__m256)p[2], (__m256)p[3]);
    __m256 c = _mm256_hadd_ps((__m256)p[4], (__m256)p[5]),
           d = _mm256_hadd_ps((__m256)p[6], (__m256)p[7]);
    __m256 ab = _mm256_hadd_ps(a, b), cd = _mm256_hadd_ps(c, d);
    return (vec)_mm256_add_ps(_mm256_permute2f128_ps(ab, cd, 0x20),
                              _mm256_permute2f128_ps(ab, cd, 0x31));
#else
    vec out;
    for (int k = 0; k < 8; k++) out[k] = vec_sum(p[k]);
    return out;
#endif
}

/* ---- exponential and hyperbolic tangent ---- */

#ifdef UCPO_REAL_DOUBLE

INLINE vec vec_exp(vec x)
{
    for (int i = 0; i < KERN_LANES; i++) x[i] = exp(x[i] < REAL_EXP_LOW ? REAL_EXP_LOW : x[i]);
    return x;
}

#else

typedef int32_t vec_int __attribute__((vector_size(KERN_LANES * sizeof(int32_t))));

/* exp by 2^k * e^r, |r| <= ln2 / 2, polynomial of degree 6; relative error below 2e-7 on
 * [-87, 88]. Below -87 the result is that of -87 (about 1.6e-38): no slow subnormal path. */
INLINE vec vec_exp(vec x)
{
    x = vec_max(x, vec_all(REAL_EXP_LOW));
    x = -vec_max(-x, vec_all(-88.0f));
    const vec magic = vec_all(12582912.0f); /* 1.5 * 2^23: adding it rounds to a whole number */
    vec k = x * vec_all(1.44269504088896341f) + magic;
    vec_int bits;
    memcpy(&bits, &k, sizeof bits);
    k = k - magic;
    vec r = x - k * vec_all(0.693145751953125f) - k * vec_all(1.42860682030941723e-6f);
    vec p = vec_all(1.3888889e-3f);
    p = p * r + vec_all(8.3333333e-3f);
    p = p * r + vec_all(4.16666667e-2f);
    p = p * r + vec_all(1.66666667e-1f);
    p = p * r + vec_all(0.5f);
    p = p * r + vec_all(1.0f);
    p = p * r + vec_all(1.0f);
    bits = (bits - 0x4B400000 + 127) << 23; /* the whole number sits in the low bits */
    vec scale;
    memcpy(&scale, &bits, sizeof scale);
    return p * scale;
}

#endif

INLINE vec vec_tanh(vec x)
{
    vec e = vec_exp(x + x);
    return (e - vec_all(1)) / (e + vec_all(1));
}

/* Applies exp(x - shift) to a row and returns the sum; entries beyond n are not touched. */
INLINE real exp_row(real *x, real shift, int n)
{
    vec total = vec_all(0);
    int i = 0;
    for (; i + KERN_LANES <= n; i += KERN_LANES) {
        vec e = vec_exp(vec_load(x + i) - vec_all(shift));
        vec_store(x + i, e);
        total += e;
    }
    real sum = vec_sum(total);
    if (i < n) {
        real tail[KERN_LANES] = {0};
        memcpy(tail, x + i, (size_t)(n - i) * sizeof(real));
        vec_store(tail, vec_exp(vec_load(tail) - vec_all(shift)));
        for (int k = 0; i + k < n; k++) sum += x[i + k] = tail[k];
    }
    return sum;
}

INLINE real max_row(const real *x, int n)
{
    real top = x[0];
    int i = 0;
    if (n >= KERN_LANES) {
        vec tops = vec_load(x);
        for (i = KERN_LANES; i + KERN_LANES <= n; i += KERN_LANES)
            tops = vec_max(tops, vec_load(x + i));
        for (int k = 0; k < KERN_LANES; k++) top = tops[k] > top ? tops[k] : top;
    }
    for (; i < n; i++) top = x[i] > top ? x[i] : top;
    return top;
}

/* ---- rows ---- */

INLINE void softmax_row(real *x, int n)
{
    real inverse = 1 / exp_row(x, max_row(x, n), n);
    for (int i = 0; i < n; i++) x[i] *= inverse;
}

/* dp = p * (dp - sum(p dp)) * scale */
INLINE void softmax_row_backward(real *dp, const real *p, int n, real scale)
{
    vec total = vec_all(0);
    int i = 0;
    for (; i + KERN_LANES <= n; i += KERN_LANES) total += vec_load(p + i) * vec_load(dp + i);
    real sum = vec_sum(total);
    for (; i < n; i++) sum += p[i] * dp[i];
    for (i = 0; i < n; i++) dp[i] = scale * p[i] * (dp[i] - sum);
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

/* Channels are handled in blocks of lanes: statistics stay in registers. */
static void instance_norm_forward(real *y, real *xhat, real *inv, const real *a, const real *b,
                                  const real *gain, const real *offset, int n, int width)
{
    for (int c = 0; c < width; c += KERN_LANES) {
        vec sum = vec_all(0), square = vec_all(0);
        for (int i = 0; i < n; i++) {
            vec x = vec_load(a + i * width + c) + vec_load(b + i * width + c);
            vec_store(xhat + i * width + c, x);
            sum += x;
        }
        vec mean = sum / vec_all((real)n);
        for (int i = 0; i < n; i++) {
            vec x = vec_load(xhat + i * width + c) - mean;
            square += x * x;
        }
        vec variance = square / vec_all((real)n) + vec_all(NORM_EPS);
        vec inverse;
        for (int k = 0; k < KERN_LANES; k++) inverse[k] = 1 / (real)sqrt((double)variance[k]);
        vec_store(inv + c, inverse);
        vec g = vec_load(gain + c), o = vec_load(offset + c);
        for (int i = 0; i < n; i++) {
            vec x = (vec_load(xhat + i * width + c) - mean) * inverse;
            vec_store(xhat + i * width + c, x);
            vec_store(y + i * width + c, g * x + o);
        }
    }
}

/* dx = inv * gain * (dy - mean(dy) - xhat * mean(dy xhat)), means over the n rows */
static void instance_norm_backward(real *dx, real *dgain, real *doffset, const real *dy,
                                   const real *xhat, const real *inv, const real *gain, int n,
                                   int width)
{
    for (int c = 0; c < width; c += KERN_LANES) {
        vec sum = vec_all(0), dot = vec_all(0);
        for (int i = 0; i < n; i++) {
            vec d = vec_load(dy + i * width + c);
            sum += d;
            dot += d * vec_load(xhat + i * width + c);
        }
        vec_store(dgain + c, vec_load(dgain + c) + dot);
        vec_store(doffset + c, vec_load(doffset + c) + sum);
        vec factor = vec_load(inv + c) * vec_load(gain + c), share = vec_all(1 / (real)n);
        sum *= share;
        dot *= share;
        for (int i = 0; i < n; i++) {
            vec d = vec_load(dy + i * width + c), x = vec_load(xhat + i * width + c);
            vec_store(dx + i * width + c, factor * (d - sum - x * dot));
        }
    }
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

/* ---- self-attention: two small products, made for thin heads ---- */

/* out (n x n) = x y^T, y given transposed (K rows of `stride`, padded with zeros). Four rows at
 * once. */
INLINE void dots(real *out, const real *x, int ld, const real *yt, int stride, int n, int K)
{
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        const real *x0 = x + (size_t)i * (size_t)ld, *x1 = x0 + ld, *x2 = x1 + ld, *x3 = x2 + ld;
        for (int j = 0; j < n; j += KERN_LANES) {
            vec s0 = vec_all(0), s1 = s0, s2 = s0, s3 = s0;
            for (int c = 0; c < K; c++) {
                vec y = vec_load(yt + c * stride + j);
                s0 += vec_all(x0[c]) * y;
                s1 += vec_all(x1[c]) * y;
                s2 += vec_all(x2[c]) * y;
                s3 += vec_all(x3[c]) * y;
            }
            size_t some = (size_t)(n - j < KERN_LANES ? n - j : KERN_LANES) * sizeof(real);
            real *to = out + (size_t)i * (size_t)n + (size_t)j;
            if (n - j >= KERN_LANES) {
                vec_store(to, s0);
                vec_store(to + n, s1);
                vec_store(to + 2 * n, s2);
                vec_store(to + 3 * n, s3);
            } else {
                memcpy(to, &s0, some);
                memcpy(to + n, &s1, some);
                memcpy(to + 2 * n, &s2, some);
                memcpy(to + 3 * n, &s3, some);
            }
        }
    }
    for (; i < n; i++) {
        for (int j = 0; j < n; j += KERN_LANES) {
            vec s = vec_all(0);
            for (int c = 0; c < K; c++)
                s += vec_all(x[(size_t)i * (size_t)ld + (size_t)c]) * vec_load(yt + c * stride + j);
            size_t some = (size_t)(n - j < KERN_LANES ? n - j : KERN_LANES) * sizeof(real);
            memcpy(out + (size_t)i * (size_t)n + (size_t)j, &s, some);
        }
    }
}

/* out_i = sum_j w[i row + j column] x_j for n rows of K. Four rows by two vectors at once. */
INLINE void mix(real *out, int ldo, const real *w, size_t row, size_t column, const real *x, int ld,
                int n, int K)
{
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        for (int c = 0; c < K; c += 2 * KERN_LANES) {
            int is_wide = c + 2 * KERN_LANES <= K;
            vec a0 = vec_all(0), a1 = a0, a2 = a0, a3 = a0, b0 = a0, b1 = a0, b2 = a0, b3 = a0;
            const real *v = w + (size_t)i * row;
            for (int j = 0; j < n; j++, v += column) {
                const real *at = x + (size_t)j * (size_t)ld + c;
                vec lo = vec_load(at), hi = is_wide ? vec_load(at + KERN_LANES) : lo;
                vec w0 = vec_all(v[0]), w1 = vec_all(v[row]);
                vec w2 = vec_all(v[2 * row]), w3 = vec_all(v[3 * row]);
                a0 += w0 * lo;
                b0 += w0 * hi;
                a1 += w1 * lo;
                b1 += w1 * hi;
                a2 += w2 * lo;
                b2 += w2 * hi;
                a3 += w3 * lo;
                b3 += w3 * hi;
            }
            real *to = out + (size_t)i * (size_t)ldo + c;
            vec_store(to, a0);
            vec_store(to + ldo, a1);
            vec_store(to + 2 * ldo, a2);
            vec_store(to + 3 * ldo, a3);
            if (!is_wide) continue;
            to += KERN_LANES;
            vec_store(to, b0);
            vec_store(to + ldo, b1);
            vec_store(to + 2 * ldo, b2);
            vec_store(to + 3 * ldo, b3);
        }
    }
    for (; i < n; i++) {
        for (int c = 0; c < K; c += KERN_LANES) {
            vec s = vec_all(0);
            for (int j = 0; j < n; j++)
                s += vec_all(w[(size_t)i * row + (size_t)j * column]) *
                     vec_load(x + (size_t)j * (size_t)ld + c);
            vec_store(out + (size_t)i * (size_t)ldo + c, s);
        }
    }
}

/* Columns of x (n x K) as rows of `stride` numbers, the rest zero. */
INLINE void transpose(real *to, int stride, const real *x, int ld, int n, int K)
{
    for (int c = 0; c < K; c++) {
        for (int j = 0; j < n; j++) to[c * stride + j] = x[(size_t)j * (size_t)ld + (size_t)c];
        for (int j = n; j < stride; j++) to[c * stride + j] = 0;
    }
}

INLINE void self_forward_sized(real *out, int ldo, real *p, const real *q, const real *k,
                               const real *v, int ld, int n, int K, real scale, real *scratch)
{
    int stride = (n + KERN_LANES - 1) / KERN_LANES * KERN_LANES;
    transpose(scratch, stride, k, ld, n, K);
    for (int c = 0; c < K * stride; c++) scratch[c] *= scale;
    dots(p, q, ld, scratch, stride, n, K);
    for (int i = 0; i < n; i++) softmax_row(p + (size_t)i * (size_t)n, n);
    mix(out, ldo, p, (size_t)n, 1, v, ld, n, K);
}

/* dv = p^T dout; ds = scale p (dp - row sum), dp = dout v^T; dq = ds k; dk = ds^T q */
INLINE void self_backward_sized(real *dq, real *dk, real *dv, const real *dout, int ldo,
                                const real *p, const real *q, const real *k, const real *v, int ld,
                                int n, int K, real scale, real *scratch)
{
    int stride = (n + KERN_LANES - 1) / KERN_LANES * KERN_LANES;
    real *ds = scratch, *vt = scratch + (size_t)n * (size_t)n;
    mix(dv, ld, p, 1, (size_t)n, dout, ldo, n, K);
    transpose(vt, stride, v, ld, n, K);
    dots(ds, dout, ldo, vt, stride, n, K);
    for (int i = 0; i < n; i++)
        softmax_row_backward(ds + (size_t)i * (size_t)n, p + (size_t)i * (size_t)n, n, scale);
    mix(dq, ld, ds, (size_t)n, 1, k, ld, n, K);
    mix(dk, ld, ds, 1, (size_t)n, q, ld, n, K);
}

static void self_forward(real *out, int ldo, real *p, const real *q, const real *k, const real *v,
                         int ld, int n, int K, real scale, real *scratch)
{
    if (K == 16)
        self_forward_sized(out, ldo, p, q, k, v, ld, n, 16, scale, scratch);
    else
        self_forward_sized(out, ldo, p, q, k, v, ld, n, K, scale, scratch);
}

static void self_backward(real *dq, real *dk, real *dv, const real *dout, int ldo, const real *p,
                          const real *q, const real *k, const real *v, int ld, int n, int K,
                          real scale, real *scratch)
{
    if (K == 16)
        self_backward_sized(dq, dk, dv, dout, ldo, p, q, k, v, ld, n, 16, scale, scratch);
    else
        self_backward_sized(dq, dk, dv, dout, ldo, p, q, k, v, ld, n, K, scale, scratch);
}

/* ---- glimpse and point ---- */

enum { MAX_LANES = 64 };

/* weight[i][a] = exp(x[i][a] - max_i x); inverse[a] = 1 / their sum, so that p = weight * inverse.
 */
INLINE void attend_weights(real *weight, real *inverse, const struct kern_tables *t, int at,
                           const real *state, const uint16_t *list, int count, int lanes,
                           int scalars)
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

/* glimpse_a = inverse_a sum_i weight[i][a] value[j_i]_a. Heads of two vectors go four at a time. */
INLINE void attend_glimpse(real *glimpse, const real *weight, const real *inverse,
                           const struct kern_tables *t, const uint16_t *list, int count, int lanes,
                           int heads, int head_width)
{
    int a = 0;
    if (head_width == 2 * KERN_LANES) {
        for (; a + 4 <= heads; a += 4) {
            vec s0 = vec_all(0), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
            for (int i = 0; i < count; i++) {
                const real *v = t->value + (size_t)list[i] * (size_t)t->width + a * head_width;
                const real *w = weight + (size_t)i * (size_t)lanes + a;
                vec w0 = vec_all(w[0]), w1 = vec_all(w[1]), w2 = vec_all(w[2]), w3 = vec_all(w[3]);
                s0 += w0 * vec_load(v);
                s1 += w0 * vec_load(v + 8);
                s2 += w1 * vec_load(v + 16);
                s3 += w1 * vec_load(v + 24);
                s4 += w2 * vec_load(v + 32);
                s5 += w2 * vec_load(v + 40);
                s6 += w3 * vec_load(v + 48);
                s7 += w3 * vec_load(v + 56);
            }
            real *o = glimpse + a * head_width;
            vec_store(o, vec_all(inverse[a]) * s0);
            vec_store(o + 8, vec_all(inverse[a + 0]) * s1);
            vec_store(o + 16, vec_all(inverse[a + 1]) * s2);
            vec_store(o + 24, vec_all(inverse[a + 1]) * s3);
            vec_store(o + 32, vec_all(inverse[a + 2]) * s4);
            vec_store(o + 40, vec_all(inverse[a + 2]) * s5);
            vec_store(o + 48, vec_all(inverse[a + 3]) * s6);
            vec_store(o + 56, vec_all(inverse[a + 3]) * s7);
        }
    }
    for (; a < heads; a++) {
        for (int c = a * head_width; c < (a + 1) * head_width; c += KERN_LANES) {
            vec s = vec_all(0);
            for (int i = 0; i < count; i++)
                s += vec_all(weight[(size_t)i * (size_t)lanes + a]) *
                     vec_load(t->value + (size_t)list[i] * (size_t)t->width + c);
            vec_store(glimpse + c, vec_all(inverse[a]) * s);
        }
    }
}

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
static void glimpse_forward(real *weight, real *glimpse, const struct kern_tables *t, int at,
                            const real *state, const uint16_t *list, int count)
{
    real inverse[MAX_LANES];
    if (t->heads == 8 && t->width == 128) {
        if (t->scalars == 1)
            attend_weights(weight, inverse, t, at, state, list, count, 8, 1);
        else
            attend_weights(weight, inverse, t, at, state, list, count, 8, t->scalars);
        attend_glimpse(glimpse, weight, inverse, t, list, count, 8, 8, 16);
    } else {
        attend_weights(weight, inverse, t, at, state, list, count, t->lanes, t->scalars);
        attend_glimpse(glimpse, weight, inverse, t, list, count, t->lanes, t->heads,
                       t->width / t->heads);
    }
}

static void point_forward(real *u, const real *glimpse, const struct kern_tables *t,
                          const uint16_t *list, int count)
{
    if (t->width == 128)
        attend_point(u, glimpse, t, list, count, 128);
    else
        attend_point(u, glimpse, t, list, count, t->width);
}

/* dkey_i += du'_i glimpse, dbias_i += du'_i, dglimpse = sum_i du'_i key_i, with du' = scale * du.
 * Blocks of columns, so that a block of dglimpse stays in registers. */
INLINE void attend_point_backward(const struct kern_tables *d, real *dglimpse,
                                  const struct kern_tables *t, const real *glimpse, const real *du,
                                  const uint16_t *list, int count, int width)
{
    for (int i = 0; i < count; i++) d->bias[list[i]] += t->scale * du[i];
    int c = 0;
    for (; c + 4 * KERN_LANES <= width; c += 4 * KERN_LANES) {
        vec o0 = vec_load(glimpse + c), o1 = vec_load(glimpse + c + 8);
        vec o2 = vec_load(glimpse + c + 16), o3 = vec_load(glimpse + c + 24);
        vec s0 = vec_all(0), s1 = s0, s2 = s0, s3 = s0;
        for (int i = 0; i < count; i++) {
            vec g = vec_all(t->scale * du[i]);
            const real *key = t->key + (size_t)list[i] * (size_t)width + c;
            real *dkey = d->key + (size_t)list[i] * (size_t)width + c;
            s0 += g * vec_load(key);
            s1 += g * vec_load(key + 8);
            s2 += g * vec_load(key + 16);
            s3 += g * vec_load(key + 24);
            vec_store(dkey, vec_load(dkey) + g * o0);
            vec_store(dkey + 8, vec_load(dkey + 8) + g * o1);
            vec_store(dkey + 16, vec_load(dkey + 16) + g * o2);
            vec_store(dkey + 24, vec_load(dkey + 24) + g * o3);
        }
        vec_store(dglimpse + c, s0);
        vec_store(dglimpse + c + 8, s1);
        vec_store(dglimpse + c + 16, s2);
        vec_store(dglimpse + c + 24, s3);
    }
    for (; c < width; c += KERN_LANES) {
        vec o = vec_load(glimpse + c), sum = vec_all(0);
        for (int i = 0; i < count; i++) {
            vec g = vec_all(t->scale * du[i]);
            real *dkey = d->key + (size_t)list[i] * (size_t)width + c;
            sum += g * vec_load(t->key + (size_t)list[i] * (size_t)width + c);
            vec_store(dkey, vec_load(dkey) + g * o);
        }
        vec_store(dglimpse + c, sum);
    }
}

/* Scores and slopes of one list entry: d += dx, d_k += s_k dx. */
INLINE void attend_score_backward(const struct kern_tables *d, vec dx, int n, int at, int j,
                                  const real *state, int lanes, int lane, int scalars)
{
    real *to = d->score + ((size_t)at * (size_t)n + (size_t)j) * (size_t)lanes + lane;
    vec_store(to, vec_load(to) + dx);
    for (int k = 0; k < scalars; k++) {
        to = d->slope + ((size_t)k * (size_t)n + (size_t)j) * (size_t)lanes + lane;
        vec_store(to, vec_load(to) + vec_all(state[k]) * dx);
    }
}

/* Per list entry: dvalue += p dglimpse; dp_a = dglimpse_a . value_a; dx = p (dp - dglimpse . o). */
INLINE void attend_glimpse_backward(const struct kern_tables *d, const struct kern_tables *t,
                                    const real *weight, const real *glimpse, const real *dglimpse,
                                    int at, const real *state, const uint16_t *list, int count,
                                    int lanes, int heads, int head_width)
{
    size_t width = (size_t)heads * (size_t)head_width;
    for (int a = 0; a < lanes; a += KERN_LANES) { /* eight heads at a time */
        int some = heads - a < KERN_LANES ? heads - a : KERN_LANES;
        vec part[KERN_LANES];
        for (int k = 0; k < KERN_LANES; k++) {
            part[k] = vec_all(0);
            if (k >= some) continue;
            for (int c = (a + k) * head_width; c < (a + k + 1) * head_width; c += KERN_LANES)
                part[k] += vec_load(dglimpse + c) * vec_load(glimpse + c);
        }
        vec mean = vec_sum8(part); /* per head: sum_i p dp = dglimpse_a . glimpse_a */
        vec total = vec_all(0);
        for (int i = 0; i < count; i++) total += vec_load(weight + (size_t)i * (size_t)lanes + a);
        vec inverse = vec_all(1) / total;
        for (int i = 0; i < count; i++) {
            const real *v = t->value + (size_t)list[i] * width;
            real *dv = d->value + (size_t)list[i] * width;
            real p[KERN_LANES];
            vec_store(p, vec_load(weight + (size_t)i * (size_t)lanes + a) * inverse);
            for (int k = 0; k < some; k++) {
                vec w = vec_all(p[k]), sum = vec_all(0);
                for (int c = (a + k) * head_width; c < (a + k + 1) * head_width; c += KERN_LANES) {
                    vec g = vec_load(dglimpse + c);
                    sum += g * vec_load(v + c);
                    vec_store(dv + c, vec_load(dv + c) + w * g);
                }
                part[k] = sum;
            }
            vec dx = vec_load(p) * (vec_sum8(part) - mean);
            attend_score_backward(d, dx, t->n, at, list[i], state, lanes, a, t->scalars);
        }
    }
}

static void point_backward(const struct kern_tables *d, real *dglimpse, const struct kern_tables *t,
                           const real *glimpse, const real *du, const uint16_t *list, int count)
{
    if (t->width == 128)
        attend_point_backward(d, dglimpse, t, glimpse, du, list, count, 128);
    else
        attend_point_backward(d, dglimpse, t, glimpse, du, list, count, t->width);
}

static void glimpse_backward(const struct kern_tables *d, const struct kern_tables *t,
                             const real *weight, const real *glimpse, const real *dglimpse, int at,
                             const real *state, const uint16_t *list, int count)
{
    if (t->heads == 8 && t->width == 128)
        attend_glimpse_backward(d, t, weight, glimpse, dglimpse, at, state, list, count, 8, 8, 16);
    else
        attend_glimpse_backward(d, t, weight, glimpse, dglimpse, at, state, list, count, t->lanes,
                                t->heads, t->width / t->heads);
}

/* ---- the policy's head ---- */

static real head_forward(real *tanh_u, real *prob, const real *u, real clip, real temperature,
                         int count)
{
    real factor = (clip > 0 ? clip : 1) / temperature, lowest = (real)-1e30;
    vec tops = vec_all(lowest), total = vec_all(0);
    for (int i = 0; i < count; i += KERN_LANES) {
        vec x = clip > 0 ? vec_tanh(vec_load(u + i)) : vec_load(u + i);
        vec logit = vec_all(factor) * x;
        for (int k = count - i; k < KERN_LANES; k++) logit[k] = lowest; /* beyond the list */
        vec_store(tanh_u + i, x);
        vec_store(prob + i, logit);
        tops = vec_max(tops, logit);
    }
    real top = tops[0];
    for (int k = 1; k < KERN_LANES; k++) top = tops[k] > top ? tops[k] : top;
    for (int i = 0; i < count; i += KERN_LANES) {
        vec e = vec_exp(vec_load(prob + i) - vec_all(top));
        vec_store(prob + i, e);
        total += e; /* entries beyond the list add less than 1e-37 */
    }
    real sum = vec_sum(total);
    vec inverse = vec_all(1 / sum);
    for (int i = 0; i < count; i += KERN_LANES) vec_store(prob + i, vec_load(prob + i) * inverse);
    return top + (real)log((double)sum);
}

static void head_backward(real *du, const real *tanh_u, const real *prob, real weight, int chosen,
                          real clip, int count)
{
    for (int i = 0; i < count; i++) {
        real slope = clip > 0 ? clip * (1 - tanh_u[i] * tanh_u[i]) : 1;
        du[i] = weight * slope * ((real)(i == chosen) - prob[i]);
    }
}

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

const struct kern_ops KERN_TABLE = {
    .name = KERN_NAME,
    .self_forward = self_forward,
    .self_backward = self_backward,
    .norm_forward = norm_forward,
    .norm_backward = norm_backward,
    .add_bias = add_bias,
    .add_bias_relu = add_bias_relu,
    .relu_backward = relu_backward,
    .sum_rows = sum_rows,
    .add = add,
    .glimpse_forward = glimpse_forward,
    .point_forward = point_forward,
    .point_backward = point_backward,
    .glimpse_backward = glimpse_backward,
    .head_forward = head_forward,
    .head_backward = head_backward,
    .adam = adam,
};
