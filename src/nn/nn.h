/* The network: POMO encoder and pointer decoder. Knows features, scalars and lists of open nodes;
 * never hears of a time window.
 *
 * Sizes, everywhere: B instances in a chunk, n nodes, R = B n rows, D width, H heads, K = D / H
 * head width, F hidden width, L layers, k state scalars. Linear weights are stored [out, in].
 * Backward functions accumulate into parameter gradients and overwrite activation gradients. */
#ifndef UCPO_NN_NN_H
#define UCPO_NN_NN_H

#include "core/mem.h"
#include "core/rng.h"
#include "core/status.h"
#include "core/stop.h"
#include "math/kern.h"
#include "math/real.h"

/* NN_STOP_ROWS: of n x n tables, between two questions whether to stop: 3 ms at 2000 nodes. */
enum { NN_STOP_ROWS = 240 };

/* Features of all pairs that are kept from layer to layer without gradients: at most so many numbers
 * (64 MB); if there are more, they are filled in anew for every layer, NN_STOP_ROWS rows at a time. */
enum { NN_PAIR_NUMBERS = 1 << 24 };

enum { NN_MAX_LAYERS = 16, NN_MAX_TENSORS = 26 + 18 * NN_MAX_LAYERS, NN_MAX_SCALARS = 4 };

/* Fixed: by means and variances that are part of the model and do not learn (batch norm in use). */
enum nn_norm { NN_NORM_INSTANCE, NN_NORM_LAYER, NN_NORM_FIXED, NN_NORMS };

struct nn_config {
    int node_features, depot_features, state_features; /* depot_features 0: depot is a plain node */
    int width, heads, hidden, layers;
    enum nn_norm norm;
    double clip;   /* logits are clip * tanh(.) */
    int has_aux;   /* the auxiliary decoder of PIP-D */
    int has_mean;  /* the policy's query also sees the mean of the nodes */
    int has_units; /* state scalars are in units of the instance; for those who fill them in */
    int side_features, side_hidden; /* of a decision, see nn_side; hidden 0: none */
    int side_glimpse;               /* the side network is heard in the glimpse, too */
    int pair_features; /* of an ordered pair of nodes, heard in the encoder's attention */
};

enum nn_init { NN_INIT_UNIFORM, NN_INIT_ONE, NN_INIT_ZERO }; /* uniform: +-1/sqrt(fan_in) */

struct nn_tensor {
    char name[64];
    int rank, shape[2]; /* shape[1] is 1 for vectors */
    size_t offset, count;
    enum nn_init init;
    int fan_in;
    double pace; /* factor on the learning rate; 0: does not learn */
};

/* Offsets of one encoder layer. Wq, Wk, Wv lie next to each other: one 3D x D matrix. */
struct nn_layer {
    size_t qkv, mix, mix_bias, gain1, shift1, w1, b1, w2, b2, gain2, shift2;
    size_t mean1, var1, mean2, var2; /* of a fixed norm */
    size_t pair;                     /* heads x pair_features, if there are some */
};

/* Offsets of a decoder. Wk, Wv lie next to each other: one 2D x D matrix. */
struct nn_pointer {
    size_t query, key_value, mix, mix_bias;
    size_t mean; /* with has_mean, of the policy */
};

/* One table of names, shapes and offsets; parameters, gradients and moments are flat arrays of
 * `total` numbers described by it. The order is that of the published state dictionaries. */
struct nn_model {
    struct nn_config config;
    struct nn_tensor tensor[NN_MAX_TENSORS];
    int tensors;
    size_t total;
    size_t depot_w, depot_b, node_w, node_b;
    struct nn_layer layer[NN_MAX_LAYERS];
    struct nn_pointer policy, aux;
    size_t side;   /* W1, b1, w2 of the side network, one after the other */
    size_t side_v; /* its V (heads x hidden), with side_glimpse */
};

/* Heads, rounded up to whole vectors: what decoder tables have. */
static inline int nn_lanes(const struct nn_config *config)
{
    return (config->heads + KERN_LANES - 1) / KERN_LANES * KERN_LANES;
}

struct nn_config nn_config_default(void); /* 128 wide, 8 heads, 512 hidden, 6 layers, clip 10 */
ucpo_status nn_model_init(struct nn_model *model, const struct nn_config *config, ucpo_error *err);
void nn_params_init(const struct nn_model *model, uint64_t seed, real *params);

/* ---- encoder ---- */

/* Features of ordered pairs of nodes, which each head adds to its scores:
 *   score(i, j) += sum_k weight[head][k] phi_k(i, j)
 * `fill` writes rows first .. first + count - 1 of slot b: number k of the pair (i, j) to
 * to[k * plane + (i - first) * stride + j], 0 from column n to the end of the row. */
struct nn_pairs {
    void (*fill)(void *context, int b, int first, int count, real *to, size_t stride, size_t plane);
    void *context;
    int rows;      /* kept at once: n or NN_STOP_ROWS */
    real *phi;     /* (rows = n: B x) features x rows x stride */
    real *bias;    /* heads x up to NN_STOP_ROWS rows */
    int *slot;     /* B: slot whose pairs are those of slot b: itself, or an earlier one */
    uint8_t *full; /* B: phi is what `fill` would write; for whoever fills the slot to clear */
};

/* What the forward pass keeps. Without `keep` all layers share one set of buffers. */
struct nn_encoder {
    const struct nn_model *model;
    const struct kern_ops *kern;
    int B, n, keep;
    const struct stop *stop; /* asked every few milliseconds; then the output means nothing */
    real *depot,
        *node; /* features of the chunk: B x depot_features, B x (n or n-1) x node_features */
    real *h[NN_MAX_LAYERS + 1];     /* R x D; h[L] is the output */
    real *qkv[NN_MAX_LAYERS];       /* R x 3D */
    real *attention[NN_MAX_LAYERS]; /* B x H x n x (n, rounded up), after softmax */
    real *heads[NN_MAX_LAYERS];     /* R x D */
    real *xhat1[NN_MAX_LAYERS], *inv1[NN_MAX_LAYERS]; /* R x D; B x D, R or D */
    real *h1[NN_MAX_LAYERS];                          /* R x D */
    real *hidden[NN_MAX_LAYERS];                      /* R x F, after ReLU */
    real *xhat2[NN_MAX_LAYERS], *inv2[NN_MAX_LAYERS];
    real *scratch;      /* R x D */
    real *head_scratch; /* one head's n x n (with pairs: every head's) and a transposed n x K */
    struct nn_pairs pairs;
    real *dh, *dh1, *dqkv, *dhidden; /* backward only */
};

void nn_encoder_layout(struct nn_encoder *enc, struct arena *arena);

/* From enc->depot and enc->node of `count` <= B instances to enc->h[L]. */
void nn_encoder_forward(struct nn_encoder *enc, const real *params, int count);

/* From enc->dh (gradient of h[L], destroyed) to grads. Needs keep. */
void nn_encoder_backward(struct nn_encoder *enc, const real *params, real *grads, int count);

/* ---- decoder tables ---- */

/* Tables of the chunk's instances for the pointer kernels, and what their backward needs. */
struct nn_decoder {
    const struct nn_model *model;
    const struct kern_ops *kern;
    const struct nn_pointer *offsets;
    int B, n, keep, is_aux;
    const struct stop *stop;      /* as in the encoder */
    struct kern_tables *table;    /* B tables */
    struct kern_tables *gradient; /* B tables, with keep */
    real *query, *key_value;      /* R x D, R x 2D */
    real *mixed;                  /* R x D: keys of the pointer, later their gradient */
    real *dquery, *dkey_value;    /* with keep */
    real *plane, *dplane; /* rows of n: one head of one instance; plane NN_STOP_ROWS of them */
    real *mean, *context; /* with has_mean, B x D: means of the nodes, what they add to the queries;
                             later the gradient of either */
};

void nn_decoder_layout(struct nn_decoder *dec, struct arena *arena);
void nn_decoder_forward(struct nn_decoder *dec, const real *params, const real *h, int count);
void nn_decoder_clear(struct nn_decoder *dec, int count);

/* Adds to grads and to dh (R x D). */
void nn_decoder_backward(struct nn_decoder *dec, const real *params, const real *h, real *grads,
                         real *dh, int count);

/* ---- side network ---- */

/* Scores candidate j of a decision by numbers that describe going there now:
 *   units_j = relu(W1 phi_j + b1)
 *   bias_j  = w2 . units_j,   logit_j = clip * tanh(u_j) + bias_j
 *   extra_j = V units_j, one number per head, added to what the glimpse's attention scores j with;
 *             only with side_glimpse
 * w2 and V are 0 at the start. Its few weights learn at a rate of their own (nn_tensor.pace). */
struct nn_side {
    const struct nn_model *model;
    const struct kern_ops *kern;
    int keep;
    struct kern_side size;
    real *par; /* of the last nn_side_begin, laid out as the kernel wants it */
    real *sum; /* with keep: the gradient, likewise */
};

void nn_side_layout(struct nn_side *side, struct arena *arena);
void nn_side_begin(struct nn_side *side, const real *params);
/* units: hidden x stride; extra: count x lanes (heads rounded up to KERN_LANES), NULL without V. */
void nn_side_forward(const struct nn_side *side, real *bias, real *units, real *extra,
                     const real *phi, size_t stride, int count);
void nn_side_backward(struct nn_side *side, const real *phi, const real *units, size_t stride,
                      const real *dbias, const real *dextra, int count);
/* Adds the gradient since nn_side_begin to grads. */
void nn_side_end(struct nn_side *side, real *grads);

/* ---- optimiser ---- */

struct nn_adam {
    double rate, beta1, beta2, eps, decay; /* decay is added to the gradient (coupled L2) */
    double clip_norm;                      /* 0: off; otherwise the gradient's norm is capped */
    int64_t step;                          /* completed steps */
};

/* Factor on the rate: rises over `warmup` steps, then constant; dropped to `last` at a step (the
 * published protocol: 0.1 after 90 %); or brought to `last` at step `length`, straight or by a
 * cosine. */
enum nn_schedule_kind {
    NN_SCHEDULE_CONSTANT,
    NN_SCHEDULE_DROP,
    NN_SCHEDULE_LINEAR,
    NN_SCHEDULE_COSINE
};

struct nn_schedule {
    enum nn_schedule_kind kind;
    int64_t warmup, length, drop_at;
    double last;
};

double nn_schedule_factor(const struct nn_schedule *schedule, int64_t step);

struct nn_adam nn_adam_default(void); /* 1e-4, 0.9, 0.999, 1e-8, 1e-6, no clipping */

/* Returns the gradient norm before clipping (in double). If that is not finite, nothing is changed. */
double nn_adam_step(struct nn_adam *adam, const struct kern_ops *kern, const struct nn_model *model,
                    real *params, real *m, real *v, const real *grads);

#endif
