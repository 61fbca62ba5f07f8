/* Gradient checks in double: every backward kernel elementwise, encoder and decoder as a whole. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/kern.h"
#include "nn/nn.h"
#include "support/kernels.h"
#include "support/support.h"

static const struct kern_ops *kern; /* the set under test */

static void fill_random(real *v, size_t count, uint64_t seed, double low, double high)
{
    struct rng rng = rng_at(seed, RNG_TEST, 0);
    for (size_t i = 0; i < count; i++) v[i] = (real)(low + (high - low) * rng_uniform(&rng));
}

/* Compares an analytic gradient of f(x) with central differences, elementwise. */
static void expect_gradient(double (*f)(void *), void *context, real *x, const real *dx,
                            size_t count, const char *what)
{
    for (size_t i = 0; i < count; i++) {
        double step = 1e-5, kept = x[i];
        x[i] = (real)(kept + step);
        double up = f(context);
        x[i] = (real)(kept - step);
        double down = f(context);
        x[i] = (real)kept;
        double expected = (up - down) / (2 * step);
        if (fabs(dx[i] - expected) > 1e-6 * (1 + fabs(expected)))
            print_error("%s[%zu]: analytic %.12g, numeric %.12g\n", what, i, (double)dx[i],
                        expected);
        assert_close(dx[i], expected, 1e-6, 1e-6);
    }
}

/* ---- self-attention of one head ---- */

enum { SELF_N = 11, SELF_STRIDE = 16, SELF_K = 24, SELF_CELLS = SELF_N * SELF_K };

/* bias: SELF_STRIDE numbers a row; of a row the kernels read as many as they need. */
struct self_case {
    int n, K, has_bias;
    real q[SELF_CELLS], k[SELF_CELLS], v[SELF_CELLS], r[SELF_CELLS];
    real bias[SELF_N * SELF_STRIDE];
};

static int self_stride(const struct self_case *c)
{
    return (c->n + kern->line - 1) / kern->line * kern->line;
}

static double self_loss(void *context)
{
    struct self_case *c = context;
    real p[SELF_N * SELF_STRIDE], out[SELF_CELLS],
        scratch[SELF_N * SELF_STRIDE + SELF_K * SELF_STRIDE];
    kern->self_forward(out, c->K, p, c->q, c->k, c->v, c->K, c->has_bias ? c->bias : NULL, c->n, 0,
                       c->n, c->K, (real)0.4, scratch);
    double sum = 0;
    for (int i = 0; i < c->n * c->K; i++) sum += out[i] * c->r[i];
    return sum;
}

static void self_attention_backward_is_its_gradient(void **state)
{
    (void)state;
    static const int sizes[][2] = {{11, 16}, {8, 8}, {3, 24}, {1, 16}, {10, 16}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        struct self_case c = {.n = sizes[s][0], .K = sizes[s][1], .has_bias = s % 2 == 0};
        size_t cells = (size_t)(c.n * c.K);
        fill_random(c.q, SELF_CELLS, 1, -1, 1);
        fill_random(c.k, SELF_CELLS, 2, -1, 1);
        fill_random(c.v, SELF_CELLS, 3, -1, 1);
        fill_random(c.r, SELF_CELLS, 4, -1, 1);
        fill_random(c.bias, SELF_N * SELF_STRIDE, 5, -2, 2);
        real p[SELF_N * SELF_STRIDE], out[SELF_CELLS],
            scratch[SELF_N * SELF_STRIDE + SELF_K * SELF_STRIDE];
        real dq[SELF_CELLS], dk[SELF_CELLS], dv[SELF_CELLS];
        kern->self_forward(out, c.K, p, c.q, c.k, c.v, c.K, c.has_bias ? c.bias : NULL, c.n, 0, c.n,
                           c.K, (real)0.4, scratch);
        kern->self_backward(dq, dk, dv, c.r, c.K, p, c.q, c.k, c.v, c.K, c.n, c.K, (real)0.4,
                            scratch);
        expect_gradient(self_loss, &c, c.q, dq, cells, "self q");
        expect_gradient(self_loss, &c, c.k, dk, cells, "self k");
        expect_gradient(self_loss, &c, c.v, dv, cells, "self v");
        if (!c.has_bias) continue;
        int stride = self_stride(&c); /* what is left in scratch is the bias's gradient, scaled */
        for (int i = 0; i < c.n * stride; i++) scratch[i] /= (real)0.4;
        for (int i = 0; i < c.n; i++) {
            expect_gradient(self_loss, &c, c.bias + i * stride, scratch + i * stride, (size_t)c.n,
                            "self bias");
            for (int j = c.n; j < stride; j++) assert_true(scratch[i * stride + j] == 0);
        }
    }
}

/* ---- norms ---- */

enum { NN_ROWS = 5, NN_WIDTH = 16, NN_CELLS = NN_ROWS * NN_WIDTH };

struct norm_case {
    int by_channel;
    real a[NN_CELLS], b[NN_CELLS], gain[NN_WIDTH], shift[NN_WIDTH], r[NN_CELLS];
};

static double norm_loss(void *context)
{
    struct norm_case *c = context;
    real y[NN_CELLS], xhat[NN_CELLS], inv[NN_CELLS];
    kern->norm_forward(y, xhat, inv, c->a, c->b, c->gain, c->shift, c->by_channel, NN_ROWS,
                       NN_WIDTH);
    double sum = 0;
    for (int i = 0; i < NN_CELLS; i++) sum += y[i] * c->r[i];
    return sum;
}

static void norm_backward_is_its_gradient(void **state)
{
    (void)state;
    for (int by_channel = 0; by_channel < 2; by_channel++) {
        struct norm_case c = {.by_channel = by_channel};
        fill_random(c.a, NN_CELLS, 3, -1, 1);
        fill_random(c.b, NN_CELLS, 4, -1, 1);
        fill_random(c.gain, NN_WIDTH, 5, 0.5, 1.5);
        fill_random(c.shift, NN_WIDTH, 6, -1, 1);
        fill_random(c.r, NN_CELLS, 7, -1, 1);
        real y[NN_CELLS], xhat[NN_CELLS], inv[NN_CELLS], dx[NN_CELLS];
        real dgain[NN_WIDTH] = {0}, dshift[NN_WIDTH] = {0};
        kern->norm_forward(y, xhat, inv, c.a, c.b, c.gain, c.shift, by_channel, NN_ROWS, NN_WIDTH);
        memcpy(dx, c.r, sizeof dx);
        kern->norm_backward(dx, dgain, dshift, dx, xhat, inv, c.gain, by_channel, NN_ROWS,
                            NN_WIDTH);
        expect_gradient(norm_loss, &c, c.a, dx, NN_CELLS, "norm a");
        expect_gradient(norm_loss, &c, c.b, dx, NN_CELLS, "norm b");
        expect_gradient(norm_loss, &c, c.gain, dgain, NN_WIDTH, "norm gain");
        expect_gradient(norm_loss, &c, c.shift, dshift, NN_WIDTH, "norm shift");
    }
}

/* ---- ReLU and bias sums ---- */

static void relu_and_bias_backward_are_their_gradients(void **state)
{
    (void)state;
    real y[6] = {-1, 2, -0.5, 3, 0.25, -4}, bias[3] = {0.5, -1, 1}, dy[6] = {1, 2, 3, 4, 5, 6};
    kern->add_bias_relu(y, bias, 2, 3);
    const real expected[6] = {0, 1, 0.5, 3.5, 0, 0};
    for (int i = 0; i < 6; i++) assert_close(y[i], expected[i], 1e-15, 0);
    kern->relu_backward(dy, y, 6);
    const real gated[6] = {0, 2, 3, 4, 0, 0};
    for (int i = 0; i < 6; i++) assert_close(dy[i], gated[i], 0, 0);
    real sums[3] = {1, 1, 1};
    kern->sum_rows(sums, dy, 2, 3);
    assert_close(sums[0], 5, 0, 0);
    assert_close(sums[1], 3, 0, 0);
    assert_close(sums[2], 4, 0, 0);
}

/* ---- pointer head ---- */

struct head_case {
    real u[16], bias[16], clip;
    int chosen;
};

static double head_loss(void *context)
{
    struct head_case *c = context;
    real t[16], p[16];
    real z = kern->head_forward(t, p, c->u, c->bias, c->clip, 1, 11);
    return 1.7 * ((c->clip > 0 ? c->clip : 1) * t[c->chosen] + c->bias[c->chosen] - z);
}

static void head_backward_is_its_gradient(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct head_case c = {.clip = k ? 10 : 0, .chosen = 4};
        fill_random(c.u, 16, 8, -1, 1);
        fill_random(c.bias, 16, 9, -1, 1);
        real t[16], p[16], du[16], dbias[16];
        kern->head_forward(t, p, c.u, c.bias, c.clip, 1, 11);
        kern->head_backward(du, dbias, t, p, (real)1.7, c.chosen, c.clip, 11);
        expect_gradient(head_loss, &c, c.u, du, 11, "head u");
        expect_gradient(head_loss, &c, c.bias, dbias, 11, "head bias");
    }
}

/* ---- side network ---- */

enum { SIDE_COUNT = 150, SIDE_STRIDE = 160, SIDE_MOST = 16 * (17 + 2 + 16) };

/* The loss is sum r out + sum q extra. */
struct side_case {
    struct kern_side size;
    int count;
    real par[SIDE_MOST], phi[17 * SIDE_STRIDE], r[SIDE_STRIDE], q[SIDE_COUNT * 16];
    real units[16 * SIDE_STRIDE];
};

static double side_loss(void *context)
{
    struct side_case *c = context;
    real out[SIDE_STRIDE], extra[SIDE_COUNT * 16];
    double sum = 0;
    kern->side_forward(out, c->units, extra, c->phi, SIDE_STRIDE, c->par, &c->size, c->count);
    for (int i = 0; i < c->count; i++) sum += out[i] * c->r[i];
    for (int i = 0; i < c->count * c->size.lanes; i++) sum += extra[i] * c->q[i];
    return sum;
}

static void side_backward_is_its_gradient(void **state)
{
    (void)state;
    static const int sizes[][4] = {{16, 16, 0, 150}, {17, 8, 0, 3},    {1, 4, 0, 64},
                                   {12, 16, 0, 65},  {5, 12, 0, 8},    {16, 16, 8, 150},
                                   {17, 8, 8, 3},    {12, 16, 16, 65}, {1, 4, 8, 64}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        static struct side_case c;
        c.size = (struct kern_side){sizes[s][0], sizes[s][1], sizes[s][2]};
        c.count = sizes[s][3];
        int folded = c.size.hidden * (c.size.features + 2), more = c.size.hidden * c.size.lanes;
        real sum[SIDE_MOST * KERN_LANES] = {0}, grad[SIDE_MOST] = {0};
        fill_random(c.par, (size_t)(folded + more), 31 + s, -1, 1);
        fill_random(c.phi, 17 * SIDE_STRIDE, 41 + s, -1, 1);
        fill_random(c.r, SIDE_STRIDE, 51 + s, -1, 1);
        fill_random(c.q, SIDE_COUNT * 16, 61 + s, -1, 1);
        side_loss(&c); /* fills the units */
        kern->side_backward(sum, c.phi, c.units, SIDE_STRIDE, c.par, c.r, c.q, &c.size, c.count);
        for (int i = 0; i < folded * KERN_LANES; i++) grad[i / KERN_LANES] += sum[i];
        for (int i = 0; i < more; i++) grad[folded + i] = sum[folded * KERN_LANES + i];
        expect_gradient(side_loss, &c, c.par, grad, (size_t)(folded + more), "side");
    }
}

/* ---- glimpse and point ---- */

enum { AT_N = 22, AT_MOST = AT_N * AT_N * 16 };

struct attend_case {
    struct kern_tables t;
    real score[AT_MOST], slope[2 * AT_N * 16], value[AT_N * 256], key[AT_N * 256], bias[AT_N];
    real r[AT_N], state[2], extra[AT_N * 16];
    uint16_t list[AT_N];
    int at, count, has_extra;
};

static double attend_loss(void *context)
{
    struct attend_case *c = context;
    real weight[AT_N * 16], glimpse[256], u[2 * KERN_ROUND];
    kern->glimpse_forward(weight, glimpse, &c->t, c->at, c->state, c->list, c->count,
                          c->has_extra ? c->extra : NULL);
    kern->point_forward(u, glimpse, &c->t, c->list, c->count);
    double sum = 0;
    for (int i = 0; i < c->count; i++) sum += u[i] * c->r[i];
    return sum;
}

/* As the decoder leaves them: nothing in the lanes beyond the heads. */
static void clear_padding(real *row, int count, int lanes, int heads)
{
    for (int i = 0; i < count; i++)
        if (i % lanes >= heads) row[i] = 0;
}

static void check_attend(int heads, int channels, int scalars, int count, int has_extra)
{
    static struct attend_case c, d; /* too large for a stack */
    memset(&d, 0, sizeof d);
    c.at = 2, c.count = count, c.has_extra = has_extra;
    fill_random(c.extra, AT_N * 16, 16, -1, 1);
    for (int i = 0; i < count; i++) c.list[i] = (uint16_t)((i * 5 + 3) % AT_N);
    int lanes = (heads + 7) / 8 * 8, width = channels / heads * lanes;
    c.t = (struct kern_tables){.n = AT_N,
                               .heads = heads,
                               .lanes = lanes,
                               .width = width,
                               .scalars = scalars,
                               .scale = (real)0.3,
                               .score = c.score,
                               .slope = c.slope,
                               .value = c.value,
                               .key = c.key,
                               .bias = c.bias};
    d.t = c.t;
    d.t.score = d.score, d.t.slope = d.slope, d.t.value = d.value, d.t.key = d.key,
    d.t.bias = d.bias;
    fill_random(c.score, AT_MOST, 9, -1, 1);
    fill_random(c.slope, 2 * AT_N * 16, 10, -1, 1);
    fill_random(c.value, AT_N * 256, 11, -1, 1);
    fill_random(c.key, AT_N * 256, 12, -1, 1);
    fill_random(c.bias, AT_N, 13, -1, 1);
    fill_random(c.r, AT_N, 14, -1, 1);
    fill_random(c.state, 2, 15, -1, 1);
    clear_padding(c.value, AT_N * width, lanes, heads);
    clear_padding(c.key, AT_N * width, lanes, heads);
    real weight[AT_N * 16], glimpse[256], scratch[256];
    struct kern_visit visit[AT_N * KERN_ROWS] = {{0, 0}};
    int visited[AT_N] = {0};
    struct kern_visits visits = {visited, visit};
    for (int i = 0; i < count; i++) {
        visited[c.list[i]] = 1;
        visit[c.list[i] * KERN_ROWS].entry = (uint16_t)i;
    }
    kern->glimpse_forward(weight, glimpse, &c.t, c.at, c.state, c.list, count,
                          has_extra ? c.extra : NULL);
    kern->point_backward(scratch, &c.t, c.r, c.list, count);
    kern->glimpse_backward(&d.t, weight, &c.t, glimpse, scratch, c.at, c.state, c.list, count,
                           has_extra ? d.extra : NULL);
    kern->key_backward(&d.t, &c.t, &visits, c.r, AT_N, glimpse);
    kern->value_backward(&d.t, &visits, weight, scratch);
    size_t used = (size_t)(AT_N * AT_N * lanes);
    /* lanes beyond the heads are padding and carry no gradient */
    for (size_t i = 0; i < used; i++)
        if ((int)(i % (size_t)lanes) >= heads) assert_close(d.score[i], 0, 0, 0);
    if (has_extra)
        expect_gradient(attend_loss, &c, c.extra, d.extra, (size_t)(count * lanes), "extra");
    expect_gradient(attend_loss, &c, c.score, d.score, used, "score");
    expect_gradient(attend_loss, &c, c.slope, d.slope, (size_t)(scalars * AT_N * lanes), "slope");
    expect_gradient(attend_loss, &c, c.value, d.value, (size_t)(AT_N * width), "value");
    expect_gradient(attend_loss, &c, c.key, d.key, (size_t)(AT_N * width), "key");
    expect_gradient(attend_loss, &c, c.bias, d.bias, AT_N, "bias");
}

static void glimpse_and_point_backward_are_their_gradients(void **state)
{
    (void)state;
    for (int has_extra = 0; has_extra < 2; has_extra++) {
        check_attend(8, 128, 1, 4, has_extra); /* the specialised size */
        check_attend(8, 128, 1, 21, has_extra);
        check_attend(8, 128, 2, 4, has_extra);
        check_attend(2, 16, 2, 5, has_extra);
        check_attend(4, 64, 2, 4, has_extra);
        check_attend(12, 192, 2, 4, has_extra);
    }
}

/* ---- whole network by random directions ---- */

struct net_case {
    struct nn_model model;
    struct nn_encoder enc;
    struct nn_decoder dec;
    struct arena arena;
    real *params, *direction, *r;
    size_t outputs;
    double step;
};

/* Some numbers, and nothing beyond the last node. */
static void fill_pairs(void *context, int b, int first, int count, real *to, size_t stride,
                       size_t plane)
{
    const struct net_case *c = context;
    for (int k = 0; k < c->model.config.pair_features; k++)
        for (int i = 0; i < count; i++)
            for (size_t j = 0; j < stride; j++)
                to[(size_t)k * plane + (size_t)i * stride + j] =
                    j < (size_t)c->enc.n
                        ? (real)sin(1.0 + b + 3.0 * k + 0.7 * (first + i) + 0.31 * (double)j)
                        : 0;
}

static void net_layout(struct net_case *c)
{
    nn_encoder_layout(&c->enc, &c->arena);
    nn_decoder_layout(&c->dec, &c->arena);
}

static size_t table_cells(const struct kern_tables *t, real *const part[5], size_t size[5])
{
    size_t n = (size_t)t->n, lanes = (size_t)t->lanes, D = (size_t)t->width, total = 0;
    const size_t sizes[5] = {n * n * lanes, (size_t)t->scalars * n * lanes, n * D, n * D, n};
    (void)part;
    for (int i = 0; i < 5; i++) total += size[i] = sizes[i];
    return total;
}

/* Loss = r . all tables of all instances; also fills the table gradients with r if asked. */
static double net_loss(struct net_case *c, int write_gradient)
{
    int B = c->enc.B;
    nn_encoder_forward(&c->enc, c->params, B);
    nn_decoder_forward(&c->dec, c->params, c->enc.h[c->model.config.layers], B);
    double sum = 0;
    const real *r = c->r;
    for (int b = 0; b < B; b++) {
        struct kern_tables *t = &c->dec.table[b], *g = &c->dec.gradient[b];
        real *const from[5] = {t->score, t->slope, t->value, t->key, t->bias};
        real *const to[5] = {g->score, g->slope, g->value, g->key, g->bias};
        size_t size[5];
        table_cells(t, from, size);
        for (int k = 0; k < 5; k++) {
            for (size_t i = 0; i < size[k]; i++, r++) {
                int is_padding = k < 4 && (int)(i % (size_t)t->lanes) >= t->heads;
                double weight = is_padding ? 0.0 : *r;
                sum += weight * from[k][i];
                if (write_gradient) to[k][i] = (real)weight;
            }
        }
    }
    return sum;
}

static void check_network(struct nn_config config, int n, int B)
{
    struct net_case c = {0};
    ucpo_error err = {0};
    assert_ok(nn_model_init(&c.model, &config, &err), &err);
    c.enc = (struct nn_encoder){.model = &c.model, .kern = kern, .B = B, .n = n, .keep = 1};
    c.dec = (struct nn_decoder){
        .model = &c.model, .kern = kern, .B = B, .n = n, .keep = 1, .is_aux = config.has_aux};
    net_layout(&c);
    assert_ok(arena_reserve(&c.arena, &err), &err);
    net_layout(&c);
    size_t total = c.model.total, size[5];
    size_t outputs = (size_t)B * table_cells(&c.dec.table[0], NULL, size);
    c.params = malloc(total * sizeof(real));
    c.direction = malloc(total * sizeof(real));
    c.r = malloc(outputs * sizeof(real));
    real *grads = calloc(total, sizeof(real)), *kept = malloc(total * sizeof(real));
    nn_params_init(&c.model, 21, c.params);
    c.enc.pairs.fill = fill_pairs, c.enc.pairs.context = &c;
    for (int b = 0; b < B && config.pair_features; b++) c.enc.pairs.slot[b] = b > 1 ? 1 : b;
    /* gains and shifts away from 1 and 0, so that their paths are exercised */
    for (int k = 0; k < c.model.tensors; k++)
        if (c.model.tensor[k].init != NN_INIT_UNIFORM)
            for (size_t i = 0; i < c.model.tensor[k].count; i++)
                c.params[c.model.tensor[k].offset + i] += (real)(0.1 * sin((double)i + k));
    fill_random(c.r, outputs, 22, -1, 1);
    fill_random(c.enc.node,
                (size_t)(B * (config.depot_features ? n - 1 : n) * config.node_features), 23, 0, 1);
    if (config.depot_features)
        fill_random(c.enc.depot, (size_t)(B * config.depot_features), 24, 0, 1);
    net_loss(&c, 1);
    memset(c.enc.dh, 0, (size_t)(B * n * config.width) * sizeof(real));
    nn_decoder_backward(&c.dec, c.params, c.enc.h[config.layers], grads, c.enc.dh, B);
    nn_encoder_backward(&c.enc, c.params, grads, B);
    memcpy(kept, c.params, total * sizeof(real));
    for (uint64_t trial = 0; trial < 4;
         trial++) { /* a tiny step: a ReLU kink in between would show */
        fill_random(c.direction, total, 100 + trial, -1, 1);
        double analytic = 0, value[2];
        for (int k = 0; k < c.model.tensors; k++) /* what does not learn has no gradient */
            for (size_t i = 0; c.model.tensor[k].pace == 0 && i < c.model.tensor[k].count; i++) {
                assert_close(grads[c.model.tensor[k].offset + i], 0, 0, 0);
                c.direction[c.model.tensor[k].offset + i] = 0;
            }
        for (size_t i = 0; i < total; i++) analytic += grads[i] * c.direction[i];
        for (int side = 0; side < 2; side++) {
            for (size_t i = 0; i < total; i++)
                c.params[i] = kept[i] + (side ? -1e-8 : 1e-8) * c.direction[i];
            value[side] = net_loss(&c, 0);
        }
        assert_close(analytic, (value[0] - value[1]) / 2e-8, 1e-6, 1e-5);
        memcpy(c.params, kept, total * sizeof(real));
    }
    free(c.params), free(c.direction), free(c.r), free(grads), free(kept);
    arena_free(&c.arena);
}

static void encoder_and_decoder_gradients_match_directional_derivatives(void **state)
{
    (void)state;
    struct nn_config c = nn_config_default();
    c.width = 32, c.heads = 4, c.hidden = 24, c.layers = 2;
    check_network(c, 7, 3);
    c.norm = NN_NORM_LAYER;
    check_network(c, 5, 2);
    c.norm = NN_NORM_INSTANCE, c.depot_features = 2, c.node_features = 5, c.state_features = 3;
    check_network(c, 6, 2);
    c.has_aux = 1;
    check_network(c, 6, 1);
    c = nn_config_default();
    c.layers = 1;
    check_network(c, 9, 2);
    c.width = 32, c.heads = 4, c.hidden = 24, c.layers = 2;
    c.norm = NN_NORM_FIXED;
    check_network(c, 7, 3);
    c.has_mean = 1;
    check_network(c, 6, 3);
    c.pair_features = 5;
    check_network(c, 7, 3);
    c.width = 24, c.heads = 3, c.pair_features = 16;
    check_network(c, 18, 2);
    c.norm = NN_NORM_INSTANCE, c.depot_features = 2;
    check_network(c, 5, 2);
}

/* ---- Adam against a plain restatement ---- */

static void adam_follows_its_formula(void **state)
{
    (void)state;
    struct nn_adam adam = nn_adam_default();
    struct nn_model flat = {.tensors = 1, .total = 3, .tensor = {{.count = 3, .pace = 1}}};
    adam.rate = 0.01, adam.decay = 0.1;
    real w[3] = {1, -2, 0.5}, m[3] = {0}, v[3] = {0};
    double W[3] = {1, -2, 0.5}, M[3] = {0}, V[3] = {0};
    for (int step = 1; step <= 5; step++) {
        real g[3] = {(real)(0.3 * step), (real)-0.1, (real)(0.01 * step * step)};
        double norm = nn_adam_step(&adam, kern, &flat, w, m, v, g), square = 0;
        for (int i = 0; i < 3; i++) {
            double grad = g[i] + 0.1 * W[i];
            square += g[i] * g[i];
            M[i] = 0.9 * M[i] + 0.1 * grad;
            V[i] = 0.999 * V[i] + 0.001 * grad * grad;
            double mhat = M[i] / (1 - pow(0.9, step)), vhat = V[i] / (1 - pow(0.999, step));
            W[i] -= 0.01 * mhat / (sqrt(vhat) + 1e-8);
            assert_close(w[i], W[i], 1e-12, 1e-12);
        }
        assert_close(norm, sqrt(square), 1e-14, 0);
    }
    struct nn_model two = {
        .tensors = 2,
        .total = 2,
        .tensor = {{.count = 1, .pace = 1}, {.offset = 1, .count = 1, .pace = 30}}};
    real both[2] = {0}, bm[2] = {0}, bv[2] = {0}, bg[2] = {0.4, 0.4};
    nn_adam_step(&adam, kern, &two, both, bm, bv, bg);
    assert_close(both[1], 30 * both[0], 1e-12, 0);
    two.tensor[1].pace = 0; /* does not learn, not even by decay */
    both[1] = 2;
    nn_adam_step(&adam, kern, &two, both, bm, bv, bg);
    assert_close(both[1], 2, 0, 0);
    flat.total = flat.tensor[0].count = 1;
    adam.clip_norm = 0.5, adam.decay = 0, adam.step = 0;
    real a[1] = {0}, am[1] = {0}, av[1] = {0}, g[1] = {2};
    assert_close(nn_adam_step(&adam, kern, &flat, a, am, av, g), 2, 0, 0);
    assert_close(am[0], 0.05, 1e-14, 0); /* 0.1 x the gradient clipped to 0.5 */
}

static void schedules_warm_up_drop_and_end_where_they_say(void **state)
{
    (void)state;
    struct nn_schedule s = {.kind = NN_SCHEDULE_DROP, .warmup = 4, .drop_at = 90, .last = 0.1};
    assert_close(nn_schedule_factor(&s, 0), 0.25, 1e-15, 0);
    assert_close(nn_schedule_factor(&s, 3), 1, 1e-15, 0);
    assert_close(nn_schedule_factor(&s, 89), 1, 0, 0);
    assert_close(nn_schedule_factor(&s, 90), 0.1, 0, 0);
    s = (struct nn_schedule){.kind = NN_SCHEDULE_LINEAR, .length = 100, .last = 0.2};
    assert_close(nn_schedule_factor(&s, 50), 0.6, 1e-15, 0);
    assert_close(nn_schedule_factor(&s, 500), 0.2, 1e-12, 0);
    s.kind = NN_SCHEDULE_COSINE;
    assert_close(nn_schedule_factor(&s, 0), 1, 1e-15, 0);
    assert_close(nn_schedule_factor(&s, 50), 0.6, 1e-12, 0);
    assert_close(nn_schedule_factor(&s, 100), 0.2, 1e-12, 0);
    s = (struct nn_schedule){0};
    assert_close(nn_schedule_factor(&s, 12345), 1, 0, 0);
}

int main(int argc, char **argv)
{
    const struct kern_ops *other;
    int skipped = test_kernels(argc, argv, &kern, &other);
    if (skipped) return skipped;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(self_attention_backward_is_its_gradient),
        cmocka_unit_test(norm_backward_is_its_gradient),
        cmocka_unit_test(relu_and_bias_backward_are_their_gradients),
        cmocka_unit_test(head_backward_is_its_gradient),
        cmocka_unit_test(side_backward_is_its_gradient),
        cmocka_unit_test(glimpse_and_point_backward_are_their_gradients),
        cmocka_unit_test(encoder_and_decoder_gradients_match_directional_derivatives),
        cmocka_unit_test(adam_follows_its_formula),
        cmocka_unit_test(schedules_warm_up_drop_and_end_where_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
