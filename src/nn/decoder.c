/* Decoder tables. The query is linear in the last node's embedding and the state scalars,
 * q = Wh h_c + sum_k s_k w_k, so query times key is a table plus s times a vector per scalar; and
 * the head mix folds into the pointer: (Wc o + bc) . h_j = o . (Wc^T h_j) + bc . h_j.
 *
 *   score[c][j][a] = (Wh h_c)_a . K_j,a / sqrt(K)        value = V
 *   slope[k][j][a] = w_k,a . K_j,a / sqrt(K)             key = H Wc, bias = H bc
 *
 * If the query also sees the mean of the nodes, Wm mean(h) is added to every Wh h_c.
 * In value and key the channels of the heads are interleaved (math/kern.h): spread, collect. */
#include "nn/nn.h"

#include <math.h>
#include <string.h>

static void table_layout(struct nn_decoder *d, struct kern_tables *t, struct arena *arena)
{
    const struct nn_config *c = &d->model->config;
    int lanes = nn_lanes(c);
    size_t n = (size_t)d->n, s = sizeof(real);
    struct kern_tables out = {.n = d->n,
                              .heads = c->heads,
                              .lanes = lanes,
                              .width = c->width / c->heads * lanes,
                              .scalars = c->state_features};
    out.scale = (real)(d->is_aux ? 1.0 : 1.0 / sqrt((double)c->width));
    out.score = arena_take(arena, n * n * (size_t)lanes, s);
    out.slope = arena_take(arena, (size_t)c->state_features * n * (size_t)lanes, s);
    out.value = arena_take(arena, n * (size_t)out.width, s);
    out.key = arena_take(arena, n * (size_t)out.width, s);
    out.bias = arena_take(arena, n, s);
    if (t) *t = out;
}

static int has_mean(const struct nn_decoder *d)
{
    return d->model->config.has_mean && !d->is_aux;
}

void nn_decoder_layout(struct nn_decoder *d, struct arena *arena)
{
    size_t n = (size_t)d->n, R = (size_t)d->B * n, D = (size_t)d->model->config.width;
    size_t means = has_mean(d) ? (size_t)d->B * D : 0;
    d->offsets = d->is_aux ? &d->model->aux : &d->model->policy;
    d->table = arena_take(arena, (size_t)d->B, sizeof *d->table);
    d->gradient = d->keep ? arena_take(arena, (size_t)d->B, sizeof *d->gradient) : NULL;
    for (int b = 0; b < d->B; b++) table_layout(d, d->table ? &d->table[b] : NULL, arena);
    for (int b = 0; d->keep && b < d->B; b++)
        table_layout(d, d->gradient ? &d->gradient[b] : NULL, arena);
    d->query = arena_take(arena, R * D, sizeof(real));
    d->key_value = arena_take(arena, R * 2 * D, sizeof(real));
    d->mixed = arena_take(arena, R * D, sizeof(real));
    d->mean = arena_take(arena, means, sizeof(real));
    d->context = arena_take(arena, means, sizeof(real));
    d->plane = arena_take(arena, (n < NN_STOP_ROWS ? n : NN_STOP_ROWS) * n, sizeof(real));
    if (!d->keep) return;
    d->dquery = arena_take(arena, R * D, sizeof(real));
    d->dkey_value = arena_take(arena, R * 2 * D, sizeof(real));
    d->dplane = arena_take(arena, n * n, sizeof(real));
}

void nn_decoder_clear(struct nn_decoder *d, int count)
{
    for (int b = 0; b < count; b++) {
        struct kern_tables *t = &d->gradient[b];
        size_t n = (size_t)t->n, lanes = (size_t)t->lanes, width = (size_t)t->width;
        memset(t->score, 0, n * n * lanes * sizeof(real));
        memset(t->slope, 0, (size_t)t->scalars * n * lanes * sizeof(real));
        memset(t->value, 0, n * width * sizeof(real));
        memset(t->key, 0, n * width * sizeof(real));
        memset(t->bias, 0, n * sizeof(real));
    }
}

/* Rows of H heads side by side (row stride ld) to rows of interleaved channels. */
static void spread(const struct kern_tables *t, real *to, const real *from, int ld)
{
    int K = t->width / t->lanes;
    for (int j = 0; j < t->n; j++, to += t->width, from += ld)
        for (int c = 0; c < K; c++)
            for (int a = 0; a < t->heads; a++) to[c * t->lanes + a] = from[a * K + c];
}

/* The reverse. */
static void collect(const struct kern_tables *t, real *to, int ld, const real *from)
{
    int K = t->width / t->lanes;
    for (int j = 0; j < t->n; j++, to += ld, from += t->width)
        for (int a = 0; a < t->heads; a++)
            for (int c = 0; c < K; c++) to[a * K + c] = from[c * t->lanes + a];
}

/* score and slope of one instance from its queries q (n x D) and keys k (rows of stride 2D) */
static void score_forward(struct nn_decoder *d, struct kern_tables *t, const real *wq,
                          const real *q, const real *k)
{
    int D = d->model->config.width, H = t->heads, K = D / H, n = t->n, in = D + t->scalars;
    real scale = (real)(1.0 / sqrt((double)K));
    size_t lanes = (size_t)t->lanes;
    for (int a = 0; a < H; a++) {
        for (int i = 0; i < n; i += NN_STOP_ROWS) {
            int rows = n - i < NN_STOP_ROWS ? n - i : NN_STOP_ROWS;
            size_t from = (size_t)i * (size_t)n, cells = (size_t)rows * (size_t)n;
            if (stop_is_asked(d->stop)) return;
            d->kern->nt(rows, n, K, scale, q + (size_t)i * (size_t)D + a * K, D, k + a * K, 2 * D,
                        0, d->plane, n);
            for (size_t c = 0; c < cells; c++)
                t->score[(from + c) * lanes + (size_t)a] = d->plane[c];
        }
        for (int s = 0; s < t->scalars; s++) {
            for (int j = 0; j < n; j++) {
                real dot = 0;
                for (int c = a * K; c < (a + 1) * K; c++)
                    dot += wq[c * in + D + s] * k[j * 2 * D + c];
                t->slope[((size_t)s * (size_t)n + (size_t)j) * lanes + (size_t)a] = scale * dot;
            }
        }
    }
}

/* Adds Wm mean(h) to the queries of every instance. */
static void mean_forward(struct nn_decoder *d, const real *params, const real *h, int count)
{
    int D = d->model->config.width, n = d->n;
    memset(d->mean, 0, (size_t)count * (size_t)D * sizeof(real));
    for (int b = 0; b < count; b++) {
        real *mean = d->mean + b * D;
        d->kern->sum_rows(mean, h + (size_t)b * (size_t)n * (size_t)D, n, D);
        for (int c = 0; c < D; c++) mean[c] /= (real)n;
    }
    d->kern->nt(count, D, D, 1, d->mean, D, params + d->offsets->mean, D, 0, d->context, D);
    for (int b = 0; b < count; b++)
        d->kern->add_bias(d->query + (size_t)b * (size_t)n * (size_t)D, d->context + b * D, n, D);
}

/* From the gradient of the queries. */
static void mean_backward(struct nn_decoder *d, const real *params, real *grads, real *dh,
                          int count)
{
    int D = d->model->config.width, n = d->n;
    memset(d->context, 0, (size_t)count * (size_t)D * sizeof(real));
    for (int b = 0; b < count; b++)
        d->kern->sum_rows(d->context + b * D, d->dquery + (size_t)b * (size_t)n * (size_t)D, n, D);
    d->kern->tn(D, D, count, 1, d->context, D, d->mean, D, 1, grads + d->offsets->mean, D);
    d->kern->nn(count, D, D, 1 / (real)n, d->context, D, params + d->offsets->mean, D, 0, d->mean,
                D);
    for (int b = 0; b < count; b++)
        d->kern->add_bias(dh + (size_t)b * (size_t)n * (size_t)D, d->mean + b * D, n, D);
}

void nn_decoder_forward(struct nn_decoder *d, const real *params, const real *h, int count)
{
    const struct nn_config *c = &d->model->config;
    int D = c->width, n = d->n, R = count * n, in = D + c->state_features;
    const real *wq = params + d->offsets->query, *mix = params + d->offsets->mix;
    const real *mix_bias = params + d->offsets->mix_bias;
    d->kern->nt(R, D, D, 1, h, D, wq, in, 0, d->query, D);
    if (has_mean(d)) mean_forward(d, params, h, count);
    d->kern->nt(R, 2 * D, D, 1, h, D, params + d->offsets->key_value, D, 0, d->key_value, 2 * D);
    d->kern->nn(R, D, D, 1, h, D, mix, D, 0, d->mixed, D);
    for (int b = 0; b < count; b++) {
        struct kern_tables *t = &d->table[b];
        size_t row = (size_t)b * (size_t)n;
        const real *hb = h + row * (size_t)D, *kv = d->key_value + row * 2 * (size_t)D;
        score_forward(d, t, wq, d->query + row * (size_t)D, kv);
        spread(t, t->value, kv + D, 2 * D);
        spread(t, t->key, d->mixed + row * (size_t)D, D);
        for (int j = 0; j < n; j++) {
            real dot = 0;
            for (int i = 0; i < D; i++) dot += mix_bias[i] * hb[j * D + i];
            t->bias[j] = dot;
        }
    }
}

/* dq (n x D) and dk (stride 2D) of one instance; slopes also reach the scalar columns of Wq. */
static void score_backward(struct nn_decoder *d, const struct kern_tables *g, const real *wq,
                           real *dwq, const real *q, const real *k, real *dq, real *dk)
{
    int D = d->model->config.width, H = g->heads, K = D / H, n = g->n, in = D + g->scalars;
    real scale = (real)(1.0 / sqrt((double)K));
    size_t cells = (size_t)n * (size_t)n, lanes = (size_t)g->lanes;
    for (int a = 0; a < H; a++) {
        for (size_t i = 0; i < cells; i++) d->dplane[i] = g->score[i * lanes + (size_t)a];
        d->kern->nn(n, K, n, scale, d->dplane, n, k + a * K, 2 * D, 0, dq + a * K, D);
        d->kern->tn(n, K, n, scale, d->dplane, n, q + a * K, D, 0, dk + a * K, 2 * D);
        for (int s = 0; s < g->scalars; s++) {
            for (int j = 0; j < n; j++) {
                size_t cell = ((size_t)s * (size_t)n + (size_t)j) * lanes + (size_t)a;
                real du = scale * g->slope[cell];
                for (int c = a * K; c < (a + 1) * K; c++) {
                    dwq[c * in + D + s] += du * k[j * 2 * D + c];
                    dk[j * 2 * D + c] += du * wq[c * in + D + s];
                }
            }
        }
    }
}

void nn_decoder_backward(struct nn_decoder *d, const real *params, const real *h, real *grads,
                         real *dh, int count)
{
    const struct nn_config *c = &d->model->config;
    const struct nn_pointer *o = d->offsets;
    int D = c->width, n = d->n, R = count * n, in = D + c->state_features;
    for (int b = 0; b < count; b++) {
        const struct kern_tables *g = &d->gradient[b];
        size_t row = (size_t)b * (size_t)n;
        const real *hb = h + row * (size_t)D;
        real *dhb = dh + row * (size_t)D, *dkv = d->dkey_value + row * 2 * (size_t)D;
        score_backward(d, g, params + o->query, grads + o->query, d->query + row * (size_t)D,
                       d->key_value + row * 2 * (size_t)D, d->dquery + row * (size_t)D, dkv);
        collect(g, dkv + D, 2 * D, g->value);
        collect(g, d->mixed + row * (size_t)D, D, g->key);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < D; i++) {
                grads[o->mix_bias + (size_t)i] += g->bias[j] * hb[j * D + i];
                dhb[j * D + i] += g->bias[j] * params[o->mix_bias + (size_t)i];
            }
    }
    if (has_mean(d)) mean_backward(d, params, grads, dh, count);
    d->kern->tn(D, D, R, 1, h, D, d->mixed, D, 1, grads + o->mix, D);
    d->kern->nt(R, D, D, 1, d->mixed, D, params + o->mix, D, 1, dh, D);
    d->kern->tn(D, D, R, 1, d->dquery, D, h, D, 1, grads + o->query, in);
    d->kern->nn(R, D, D, 1, d->dquery, D, params + o->query, in, 1, dh, D);
    d->kern->tn(2 * D, D, R, 1, d->dkey_value, 2 * D, h, D, 1, grads + o->key_value, D);
    d->kern->nn(R, D, 2 * D, 1, d->dkey_value, 2 * D, params + o->key_value, D, 1, dh, D);
}
