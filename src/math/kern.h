/* Kernels: matrix products and what works on vectors. One table per instruction set, from the same
 * source; which one is used is chosen at run time, here and nowhere else (kern_choose).
 *
 * Conventions: outputs first, then inputs, then sizes. Backward kernels accumulate into parameter
 * and table gradients and overwrite activation gradients, unless said otherwise. */
#ifndef UCPO_MATH_KERN_H
#define UCPO_MATH_KERN_H

#include <stddef.h>
#include <stdint.h>

#include "core/status.h"
#include "math/real.h"

enum {
    KERN_LANES = 8, /* heads are padded to, and head widths are, a multiple of this */
    KERN_ROUND = 16 /* what is read or written "in whole vectors" has room for a multiple of this */
};

/* Tables of one instance for "glimpse, then point" (nn/decoder.c fills them).
 *   x[i][a] = score[c][j_i][a] + sum_k s_k slope[k][j_i][a]     attention of head a on list entry i,
 *             + extra[i][a] if the caller has some
 *   p       = softmax over i
 *   o_a     = sum_i p[i][a] value[j_i]_a                        glimpse
 *   u_i     = scale * (o . key[j_i] + bias[j_i])                pointer
 * c is the current node, s the state scalars, j_0 .. j_{count-1} the list of open nodes.
 *
 * Channel k of head a sits at k * lanes + a of a value, key or glimpse: a vector holds the same
 * channel of eight heads, as it holds their weights, so attention needs no broadcast and no sum
 * across a vector. Lanes beyond the heads are zero in values and keys. */
struct kern_tables {
    int n, heads, lanes, width, scalars; /* lanes: heads rounded up to KERN_LANES */
    real scale;                          /* width: head width x lanes */
    real *score;                         /* n x n x lanes */
    real *slope;                         /* scalars x n x lanes */
    real *value;                         /* n x width */
    real *key;                           /* n x width */
    real *bias;                          /* n */
};

/* The decisions of a group of at most KERN_ROWS rows by node instead of by row: node j is entry
 * at[j * KERN_ROWS + k].entry of the list of row at[..].row, for k < count[j]. */
enum { KERN_ROWS = 32 };

struct kern_visit {
    uint16_t row, entry;
};

struct kern_visits {
    int *count;            /* n */
    struct kern_visit *at; /* n x KERN_ROWS */
};

/* Sizes of the small network of side_forward. */
struct kern_side {
    int features, hidden, lanes;
};

/* A product C (m x n, row stride ldc) = alpha * op(A) op(B) + beta * C. */
typedef void kern_product(int m, int n, int k, real alpha, const real *a, int lda, const real *b,
                          int ldb, real beta, real *c, int ldc);

struct kern_ops {
    const char *name;      /* portable, avx2, avx512, amx */
    const char *precision; /* of the factors of products: f32 or bf16. Sums are float32 */

    kern_product *nt; /* A m x k, B n x k    y = x W^T, the forward of a linear layer */
    kern_product *nn; /* A m x k, B k x n    dx = dy W */
    kern_product *tn; /* A k x m, B k x n    dW = dy^T x */

    /* Self-attention of one head over n nodes, head width K:
     *   p = softmax(scale * q k^T + bias)  (n rows of n rounded up to a multiple of `line`),
     *   out = p v
     * q, k, v, dq, dk, dv have row stride ld, out and dout ldo; bias has rows like those of p, from
     * row `first` on, finite in whole rows, or is NULL. scratch: (n + K) rows like those of p.
     * self_forward does rows first .. first + count - 1 of out and p; the call with first 0 leaves in
     * the first K rows of scratch what the others need. self_backward leaves in the first n rows of
     * scratch scale times the gradient of what the softmax was taken of: 0 beyond column n. */
    int line; /* at most KERN_ROUND */
    void (*self_forward)(real *out, int ldo, real *p, const real *q, const real *k, const real *v,
                         int ld, const real *bias, int n, int first, int count, int K, real scale,
                         real *scratch);
    void (*self_backward)(real *dq, real *dk, real *dv, const real *dout, int ldo, const real *p,
                          const real *q, const real *k, const real *v, int ld, int n, int K,
                          real scale, real *scratch);

    /* out[i * ldo + j] += scale * (x_i . y_j) for `rows` rows x_i, ldx apart, and `columns` rows y_j,
     * ldy apart, of `count` numbers, a multiple of `line`. */
    void (*dot_rows)(real *out, int ldo, const real *x, size_t ldx, int rows, const real *y,
                     size_t ldy, int columns, size_t count, real scale);

    /* y = gain * xhat + offset, xhat = (x - mean) / sqrt(var + eps) with biased variance.
     * by_channel: statistics per channel over the n rows of an instance (instance norm, inv has
     * `width` entries); otherwise per row over its channels (layer norm, inv has n entries).
     * x = a + b is the residual sum, formed here. */
    void (*norm_forward)(real *y, real *xhat, real *inv, const real *a, const real *b,
                         const real *gain, const real *offset, int by_channel, int n, int width);
    /* dx over dy's statistics; dgain and doffset accumulate. dx may be dy. */
    void (*norm_backward)(real *dx, real *dgain, real *doffset, const real *dy, const real *xhat,
                          const real *inv, const real *gain, int by_channel, int n, int width);

    void (*add_bias)(real *y, const real *bias, int rows, int width);
    void (*add_bias_relu)(real *y, const real *bias, int rows, int width);
    void (*relu_backward)(real *dy, const real *y, size_t count);
    void (*sum_rows)(real *out, const real *x, int rows, int width); /* out += column sums */
    void (*add)(real *y, const real *x, size_t count);               /* y += x */

    /* One row, first half: weight (count x lanes) receives p up to a factor per head, glimpse
     * (width) o. extra: NULL or count x lanes. */
    void (*glimpse_forward)(real *weight, real *glimpse, const struct kern_tables *t, int at,
                            const real *state, const uint16_t *list, int count, const real *extra);
    /* Second half: u (count, written in whole vectors). Two
     * calls, so that over many rows each half keeps its own table in the first-level cache. */
    void (*point_forward)(real *u, const real *glimpse, const struct kern_tables *t,
                          const uint16_t *list, int count);
    /* Backward, row by row: dglimpse (width); then score and slope of d and, unless it is NULL,
     * dextra (count x lanes; 0 where it is below 1e-16, or products of it would be subnormal), where
     * weight becomes p. */
    void (*point_backward)(real *dglimpse, const struct kern_tables *t, const real *du,
                           const uint16_t *list, int count);
    void (*glimpse_backward)(const struct kern_tables *d, real *weight, const struct kern_tables *t,
                             const real *glimpse, const real *dglimpse, int at, const real *state,
                             const uint16_t *list, int count, real *dextra);
    /* Backward, node by node over a group of rows: key and bias of d; value of d. du has rows of
     * `stride`, p of n x lanes, glimpse and dglimpse of width. */
    void (*key_backward)(const struct kern_tables *d, const struct kern_tables *t,
                         const struct kern_visits *visits, const real *du, int stride,
                         const real *glimpse);
    void (*value_backward)(const struct kern_tables *d, const struct kern_visits *visits,
                           const real *p, const real *dglimpse);

    /* tanh_u = tanh(u), logit = (clip * tanh_u + bias) / temperature (clip 0: u instead of
     * clip * tanh_u; bias may be NULL: 0), prob = softmax(logit). Returns z so that
     * log prob_i = logit_i - z. All arrays in whole vectors; bias must be finite there. */
    real (*head_forward)(real *tanh_u, real *prob, const real *u, const real *bias, real clip,
                         real temperature, int count);
    /* du of weight * log prob[chosen], at temperature 1. dbias may be NULL; entries of a probability
     * below KERN_FAINT get 0 there, or products of them would be subnormal. */
    void (*head_backward)(real *du, real *dbias, const real *tanh_u, const real *prob, real weight,
                          int chosen, real clip, int count);

    /* Rows of features from rows of raw numbers: with x = raw[source[f]],
     *   phi[f] = x / (|x| + scale[f])  if is_squashed[f], else x / scale[f], cut at -4 and 4
     * phi is written in whole vectors, raw read in whole vectors. */
    void (*side_shape)(real *phi, size_t stride, const float *raw, size_t raw_stride,
                       const int *source, const int *is_squashed, const float *scale, int features,
                       int count);

    /* A small network on `count` entries side by side, whose inputs are rows of phi (features x
     * stride, readable in whole vectors):
     *   units_i = relu(W1 phi_i + b1),  out_i = w2 . units_i,  extra_i = V units_i
     * par: W1 (hidden x features), b1, w2 (hidden each), the transpose of V (hidden x lanes; lanes 0:
     * there is none, and no extra). out and units (hidden x stride) are written in whole vectors. */
    void (*side_forward)(real *out, real *units, real *extra, const real *phi, size_t stride,
                         const real *par, const struct kern_side *size, int count);
    /* Adds the gradient by par to sum: KERN_LANES numbers, whose sum it is, for each of W1, b1, w2,
     * then one for each of V. units are those of the forward pass, finite in whole vectors; dout and
     * dextra beyond count are not read. */
    void (*side_backward)(real *sum, const real *phi, const real *units, size_t stride,
                          const real *par, const real *dout, const real *dextra,
                          const struct kern_side *size, int count);

    /* Adam: g + decay * w; moments; w -= rate * mhat / (sqrt(vhat) + eps). */
    void (*adam)(real *w, real *m, real *v, const real *g, size_t count, double rate, double beta1,
                 double beta2, double eps, double decay, double bias1, double bias2, double scale);
};

enum { KERN_SIDE_HIDDEN = 64, KERN_SIDE_FEATURES = 32 }; /* at most */

#define KERN_FAINT ((real)1e-9)

/* From the least to the most that a processor can do. */
enum kern_set { KERN_PORTABLE, KERN_AVX2, KERN_AVX512, KERN_AMX, KERN_SETS };

const char *kern_set_name(enum kern_set set);

/* The kernels of a set, or NULL if this build or this machine has none. */
const struct kern_ops *kern_of(enum kern_set set, int is_bf16);

/* The best for float32 that this machine runs. */
const struct kern_ops *kern_best(void);

/* By the names of settings: kernels portable, avx2, avx512, amx or auto (the best there is),
 * precision f32, bf16 or auto (f32). NULL is auto. */
ucpo_status kern_choose(const char *kernels, const char *precision, const struct kern_ops **out,
                        ucpo_error *err);

/* Names of the sets this machine runs, with commas. */
const char *kern_list(char *buf, size_t size);

/* How products are made, in words. */
const char *kern_products(const struct kern_ops *kern, char *buf, size_t size);

/* Whether two threads may use the products at once: no only of some BLAS that is built in. */
int kern_is_thread_safe(const struct kern_ops *kern);

#endif
