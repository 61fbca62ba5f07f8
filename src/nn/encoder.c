/* Encoder: embedding, then L blocks of self-attention and feed-forward, each with residual and
 * norm. B_a: what features of pairs of nodes add to the scores of head a, if there are some.
 *
 *   h1 = norm1(h + concat_a(softmax(Q_a K_a^T / sqrt(K) + B_a) V_a) Wc^T + bc)
 *   h' = norm2(h1 + relu(h1 W1^T + b1) W2^T + b2) */
#include "nn/nn.h"

#include <math.h>
#include <string.h>

#define NN_NORM_EPS 1e-5 /* as in the kernels */

/* Rows of attention and of pairs: n rounded up. The kernels may need less than there is room for. */
static size_t row_room(const struct nn_encoder *e)
{
    return ((size_t)e->n + KERN_ROUND - 1) / KERN_ROUND * KERN_ROUND;
}

static size_t row_length(const struct nn_encoder *e)
{
    size_t line = (size_t)e->kern->line;
    return ((size_t)e->n + line - 1) / line * line;
}

static void pairs_layout(struct nn_encoder *e, struct arena *arena)
{
    struct nn_pairs *p = &e->pairs;
    size_t B = (size_t)e->B, n = (size_t)e->n, H = (size_t)e->model->config.heads;
    size_t features = (size_t)e->model->config.pair_features, room = row_room(e);
    size_t block = n < NN_STOP_ROWS ? n : NN_STOP_ROWS, all = B * features * n * room;
    if (!features) return;
    p->rows = e->keep || all <= NN_PAIR_NUMBERS ? e->n : (int)block;
    p->phi = arena_take(arena, p->rows == e->n ? all : features * block * room, sizeof(real));
    p->bias = arena_take(arena, H * block * room, sizeof(real));
    p->slot = arena_take(arena, B, sizeof *p->slot);
    p->full = arena_take(arena, B, 1);
}

/* Numbers in head_scratch. Forward: a transposed n x K, of every slot and head where rows come in
 * several parts. Backward: see attention_backward. */
static size_t scratch_numbers(const struct nn_encoder *e)
{
    size_t n = (size_t)e->n, H = (size_t)e->model->config.heads, room = row_room(e);
    size_t K = (size_t)e->model->config.width / H;
    size_t forward = (n > NN_STOP_ROWS ? (size_t)e->B * H * K : K) * room;
    size_t backward = ((e->model->config.pair_features ? H : 1) * n + K) * room;
    return !e->keep || forward > backward ? forward : backward;
}

void nn_encoder_layout(struct nn_encoder *e, struct arena *arena)
{
    const struct nn_config *c = &e->model->config;
    size_t B = (size_t)e->B, n = (size_t)e->n, R = B * n, D = (size_t)c->width;
    size_t F = (size_t)c->hidden, H = (size_t)c->heads, s = sizeof(real);
    size_t stride = row_room(e);
    size_t customers = c->depot_features ? n - 1 : n;
    size_t inv = c->norm == NN_NORM_INSTANCE ? B * D : c->norm == NN_NORM_FIXED ? D : R;
    e->depot = arena_take(arena, B * (size_t)c->depot_features, s);
    e->node = arena_take(arena, B * customers * (size_t)c->node_features, s);
    for (int l = 0; l < c->layers; l++) {
        int again = !e->keep && l > 0; /* inference: every layer reuses the buffers of the first */
        e->h[l] = again && l > 1 ? e->h[l - 2] : arena_take(arena, R * D, s);
        e->qkv[l] = again ? e->qkv[0] : arena_take(arena, R * 3 * D, s);
        e->attention[l] = again ? e->attention[0] : arena_take(arena, B * H * n * stride, s);
        e->heads[l] = again ? e->heads[0] : arena_take(arena, R * D, s);
        e->xhat1[l] = again ? e->xhat1[0] : arena_take(arena, R * D, s);
        e->inv1[l] = again ? e->inv1[0] : arena_take(arena, inv, s);
        e->h1[l] = again ? e->h1[0] : arena_take(arena, R * D, s);
        e->hidden[l] = again ? e->hidden[0] : arena_take(arena, R * F, s);
        e->xhat2[l] = again ? e->xhat2[0] : arena_take(arena, R * D, s);
        e->inv2[l] = again ? e->inv2[0] : arena_take(arena, inv, s);
    }
    e->h[c->layers] = arena_take(arena, R * D, s);
    e->scratch = arena_take(arena, R * D, s);
    e->head_scratch = arena_take(arena, scratch_numbers(e), s);
    pairs_layout(e, arena);
    if (!e->keep) return;
    e->dh = arena_take(arena, R * D, s);
    e->dh1 = arena_take(arena, R * D, s);
    e->dqkv = arena_take(arena, R * 3 * D, s);
    e->dhidden = arena_take(arena, R * F, s);
}

/* ---- embedding: h = features W^T + b; the depot may have a layer of its own ---- */

static void embed_forward(struct nn_encoder *e, const real *params, int count)
{
    const struct nn_model *m = e->model;
    int D = m->config.width, f = m->config.node_features, fd = m->config.depot_features, n = e->n;
    for (int b = 0; b < count; b++) {
        real *h = e->h[0] + (size_t)b * (size_t)n * (size_t)D;
        int customers = fd ? n - 1 : n;
        if (fd) {
            e->kern->nt(1, D, fd, 1, e->depot + b * fd, fd, params + m->depot_w, fd, 0, h, D);
            e->kern->add_bias(h, params + m->depot_b, 1, D);
            h += D;
        }
        const real *features = e->node + (size_t)b * (size_t)customers * (size_t)f;
        e->kern->nt(customers, D, f, 1, features, f, params + m->node_w, f, 0, h, D);
        e->kern->add_bias(h, params + m->node_b, customers, D);
    }
}

static void embed_backward(struct nn_encoder *e, real *grads, const real *dh, int count)
{
    const struct nn_model *m = e->model;
    int D = m->config.width, f = m->config.node_features, fd = m->config.depot_features, n = e->n;
    for (int b = 0; b < count; b++) {
        const real *d = dh + (size_t)b * (size_t)n * (size_t)D;
        int customers = fd ? n - 1 : n;
        if (fd) {
            e->kern->tn(D, fd, 1, 1, d, D, e->depot + b * fd, fd, 1, grads + m->depot_w, fd);
            e->kern->sum_rows(grads + m->depot_b, d, 1, D);
            d += D;
        }
        const real *features = e->node + (size_t)b * (size_t)customers * (size_t)f;
        e->kern->tn(D, f, customers, 1, d, D, features, f, 1, grads + m->node_w, f);
        e->kern->sum_rows(grads + m->node_b, d, customers, D);
    }
}

/* ---- self-attention ---- */

/* What pairs add to the scores of all heads in rows first .. first + rows - 1 of slot b; NULL:
 * nothing. *held: the slot whose pairs are in the buffer. */
static const real *pair_bias(struct nn_encoder *e, const real *weight, int b, int first, int rows,
                             int *held)
{
    struct nn_pairs *p = &e->pairs;
    int features = e->model->config.pair_features, H = e->model->config.heads;
    if (!features) return NULL;
    int slot = p->slot[b], is_kept = p->rows == e->n;
    size_t stride = row_length(e), plane = (size_t)p->rows * stride, cells = (size_t)rows * stride;
    real *phi = p->phi;
    if (is_kept) phi += (size_t)slot * (size_t)features * plane + (size_t)first * stride;
    if (*held == slot) return p->bias;
    if (!is_kept || !p->full[slot]) p->fill(p->context, slot, first, rows, phi, stride, plane);
    if (is_kept && first + rows == e->n) p->full[slot] = 1;
    e->kern->nn(H, (int)cells, features, 1, weight, features, phi, (int)plane, 0, p->bias,
                (int)cells);
    *held = slot;
    return p->bias;
}

/* Rows first .. first + rows - 1 of slot b. */
static void attend(struct nn_encoder *e, int l, int b, int first, int rows, const real *bias)
{
    int D = e->model->config.width, H = e->model->config.heads, K = D / H, n = e->n;
    size_t stride = row_length(e), square = (size_t)n * stride, cells = (size_t)rows * stride;
    size_t turned = n > NN_STOP_ROWS ? (size_t)K * stride : 0; /* kept until the last rows */
    real scale = (real)(1.0 / sqrt((double)K));
    const real *qkv = e->qkv[l] + (size_t)b * (size_t)n * 3 * (size_t)D;
    real *out = e->heads[l] + (size_t)b * (size_t)n * (size_t)D;
    for (int a = 0; a < H && !stop_is_asked(e->stop); a++) {
        const real *q = qkv + a * K, *k = q + D, *v = k + D;
        size_t head = (size_t)b * (size_t)H + (size_t)a;
        e->kern->self_forward(out + a * K, D, e->attention[l] + head * square, q, k, v, 3 * D,
                              bias ? bias + (size_t)a * cells : NULL, n, first, rows, K, scale,
                              e->head_scratch + head * turned);
    }
}

static void attention_forward(struct nn_encoder *e, const real *params, int l, int count)
{
    const real *weight = params + e->model->layer[l].pair;
    for (int first = 0; first < e->n; first += NN_STOP_ROWS) {
        int rows = e->n - first < NN_STOP_ROWS ? e->n - first : NN_STOP_ROWS, held = -1;
        for (int b = 0; b < count && !stop_is_asked(e->stop); b++)
            attend(e, l, b, first, rows, pair_bias(e, weight, b, first, rows, &held));
    }
}

/* From dheads (R x D) to e->dqkv. With pairs head a leaves the gradient of its scores at a * square of
 * the scratch, and their sums with the features are the gradient of the weights. */
static void attention_backward(struct nn_encoder *e, real *grads, int l, const real *dheads,
                               int count)
{
    int D = e->model->config.width, H = e->model->config.heads, K = D / H, n = e->n;
    int features = e->model->config.pair_features;
    size_t square = (size_t)n * row_length(e);
    real scale = (real)(1.0 / sqrt((double)K));
    for (int b = 0; b < count; b++) {
        size_t rows = (size_t)b * (size_t)n;
        const real *qkv = e->qkv[l] + rows * 3 * (size_t)D;
        real *dqkv = e->dqkv + rows * 3 * (size_t)D;
        const real *dout = dheads + rows * (size_t)D;
        const real *p = e->attention[l] + (size_t)b * (size_t)H * square;
        for (int a = 0; a < H; a++, p += square) {
            const real *q = qkv + a * K, *k = q + D, *v = k + D;
            real *dq = dqkv + a * K, *dk = dq + D, *dv = dk + D;
            real *scratch = e->head_scratch + (features ? (size_t)a * square : 0);
            e->kern->self_backward(dq, dk, dv, dout + a * K, D, p, q, k, v, 3 * D, n, K, scale,
                                   scratch);
        }
        if (!features) continue;
        const real *phi = e->pairs.phi + (size_t)(e->pairs.slot[b] * features) * square;
        e->kern->dot_rows(grads + e->model->layer[l].pair, features, e->head_scratch, square, H,
                          phi, square, features, square, 1 / scale);
    }
}

/* ---- norm over the chunk's instances ---- */

/* One of a layer's two norms. */
struct norm {
    real *xhat, *inv;
    size_t gain, shift, mean, var;
};

static struct norm norm_of(const struct nn_encoder *e, int l, int is_second)
{
    const struct nn_layer *o = &e->model->layer[l];
    if (is_second)
        return (struct norm){e->xhat2[l], e->inv2[l], o->gain2, o->shift2, o->mean2, o->var2};
    return (struct norm){e->xhat1[l], e->inv1[l], o->gain1, o->shift1, o->mean1, o->var1};
}

/* Fixed statistics: every row by itself. */
static void fixed_forward(const struct norm *m, const real *p, real *y, const real *a,
                          const real *b, int rows, int D)
{
    const real *gain = p + m->gain, *shift = p + m->shift, *mean = p + m->mean;
    for (int c = 0; c < D; c++)
        m->inv[c] = (real)(1.0 / sqrt((double)p[m->var + (size_t)c] + NN_NORM_EPS));
    for (size_t i = 0; i < (size_t)rows * (size_t)D; i += (size_t)D) {
        for (size_t c = 0; c < (size_t)D; c++) {
            real x = (a[i + c] + b[i + c] - mean[c]) * m->inv[c];
            m->xhat[i + c] = x;
            y[i + c] = gain[c] * x + shift[c];
        }
    }
}

static void fixed_backward(const struct norm *m, const real *p, real *g, real *dx, int rows, int D)
{
    real *dgain = g + m->gain, *dshift = g + m->shift;
    const real *gain = p + m->gain;
    for (size_t i = 0; i < (size_t)rows * (size_t)D; i += (size_t)D) {
        for (size_t c = 0; c < (size_t)D; c++) {
            real dy = dx[i + c];
            dgain[c] += dy * m->xhat[i + c];
            dshift[c] += dy;
            dx[i + c] = dy * gain[c] * m->inv[c];
        }
    }
}

/* y = norm(a + b) */
static void norm_forward(struct nn_encoder *e, const struct norm *m, const real *p, real *y,
                         const real *a, const real *b, int count)
{
    int D = e->model->config.width, n = e->n;
    int by_channel = e->model->config.norm == NN_NORM_INSTANCE;
    size_t block = (size_t)n * (size_t)D, stride = by_channel ? (size_t)D : (size_t)n;
    if (e->model->config.norm == NN_NORM_FIXED) {
        fixed_forward(m, p, y, a, b, count * n, D);
        return;
    }
    for (size_t i = 0; i < (size_t)count; i++)
        e->kern->norm_forward(y + i * block, m->xhat + i * block, m->inv + i * stride,
                              a + i * block, b + i * block, p + m->gain, p + m->shift, by_channel,
                              n, D);
}

/* dx holds dy on entry. */
static void norm_backward(struct nn_encoder *e, const struct norm *m, const real *p, real *g,
                          real *dx, int count)
{
    int D = e->model->config.width, n = e->n;
    int by_channel = e->model->config.norm == NN_NORM_INSTANCE;
    size_t block = (size_t)n * (size_t)D, stride = by_channel ? (size_t)D : (size_t)n;
    if (e->model->config.norm == NN_NORM_FIXED) {
        fixed_backward(m, p, g, dx, count * n, D);
        return;
    }
    for (size_t i = 0; i < (size_t)count; i++)
        e->kern->norm_backward(dx + i * block, g + m->gain, g + m->shift, dx + i * block,
                               m->xhat + i * block, m->inv + i * stride, p + m->gain, by_channel, n,
                               D);
}

/* ---- one block ---- */

static void layer_forward(struct nn_encoder *e, const real *p, int l, int count)
{
    const struct nn_layer *o = &e->model->layer[l];
    const struct norm first = norm_of(e, l, 0), second = norm_of(e, l, 1);
    int D = e->model->config.width, F = e->model->config.hidden, R = count * e->n;
    e->kern->nt(R, 3 * D, D, 1, e->h[l], D, p + o->qkv, D, 0, e->qkv[l], 3 * D);
    attention_forward(e, p, l, count);
    if (stop_is_asked(e->stop)) return;
    e->kern->nt(R, D, D, 1, e->heads[l], D, p + o->mix, D, 0, e->scratch, D);
    e->kern->add_bias(e->scratch, p + o->mix_bias, R, D);
    norm_forward(e, &first, p, e->h1[l], e->h[l], e->scratch, count);
    if (stop_is_asked(e->stop)) return;
    e->kern->nt(R, F, D, 1, e->h1[l], D, p + o->w1, D, 0, e->hidden[l], F);
    e->kern->add_bias_relu(e->hidden[l], p + o->b1, R, F);
    if (stop_is_asked(e->stop)) return;
    e->kern->nt(R, D, F, 1, e->hidden[l], F, p + o->w2, F, 0, e->scratch, D);
    e->kern->add_bias(e->scratch, p + o->b2, R, D);
    norm_forward(e, &second, p, e->h[l + 1], e->h1[l], e->scratch, count);
}

/* e->dh holds dh' on entry and dh on return. */
static void layer_backward(struct nn_encoder *e, const real *p, real *g, int l, int count)
{
    const struct nn_layer *o = &e->model->layer[l];
    const struct norm first = norm_of(e, l, 0), second = norm_of(e, l, 1);
    int D = e->model->config.width, F = e->model->config.hidden, R = count * e->n;
    size_t RD = (size_t)R * (size_t)D;
    real *dh = e->dh, *dh1 = e->dh1, *dff = e->dhidden;

    norm_backward(e, &second, p, g, dh, count);
    /* dh is now the gradient of h1 + ff: feed-forward branch, then its sum with the residual */
    e->kern->sum_rows(g + o->b2, dh, R, D);
    e->kern->tn(D, F, R, 1, dh, D, e->hidden[l], F, 1, g + o->w2, F);
    e->kern->nn(R, F, D, 1, dh, D, p + o->w2, F, 0, dff, F);
    e->kern->relu_backward(dff, e->hidden[l], (size_t)R * (size_t)F);
    e->kern->sum_rows(g + o->b1, dff, R, F);
    e->kern->tn(F, D, R, 1, dff, F, e->h1[l], D, 1, g + o->w1, D);
    memcpy(dh1, dh, RD * sizeof(real));
    e->kern->nn(R, D, F, 1, dff, F, p + o->w1, D, 1, dh1, D);

    norm_backward(e, &first, p, g, dh1, count);
    /* dh1 is now the gradient of h + attention */
    e->kern->sum_rows(g + o->mix_bias, dh1, R, D);
    e->kern->tn(D, D, R, 1, dh1, D, e->heads[l], D, 1, g + o->mix, D);
    e->kern->nn(R, D, D, 1, dh1, D, p + o->mix, D, 0, e->scratch, D);
    attention_backward(e, g, l, e->scratch, count);
    e->kern->tn(3 * D, D, R, 1, e->dqkv, 3 * D, e->h[l], D, 1, g + o->qkv, D);
    memcpy(dh, dh1, RD * sizeof(real));
    e->kern->nn(R, D, 3 * D, 1, e->dqkv, 3 * D, p + o->qkv, D, 1, dh, D);
}

void nn_encoder_forward(struct nn_encoder *e, const real *params, int count)
{
    embed_forward(e, params, count);
    for (int l = 0; l < e->model->config.layers && !stop_is_asked(e->stop); l++)
        layer_forward(e, params, l, count);
}

void nn_encoder_backward(struct nn_encoder *e, const real *params, real *grads, int count)
{
    for (int l = e->model->config.layers - 1; l >= 0; l--)
        layer_backward(e, params, grads, l, count);
    embed_backward(e, grads, e->dh, count);
}
