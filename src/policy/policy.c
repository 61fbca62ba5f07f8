/* Workspace, encoding, backward. */
#include "policy/policy.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct policy_options policy_options_default(void)
{
    return (struct policy_options){.mask = PROB_MASK_SOFT, .temperature = 1.0};
}

struct nn_config policy_config(const struct prob_ops *ops, struct nn_config base)
{
    base.node_features = ops->node_features;
    base.depot_features = ops->depot_features;
    base.state_features = ops->state_features;
    base.side_features = base.side_hidden ? ops->decision_features : 0;
    base.pair_features = base.pair_features ? ops->pair_features : 0;
    return base;
}

/* One group of decisions. */
static void lay_out_rows(const struct policy *p, struct policy_rows *r, struct arena *a)
{
    const struct nn_config *c = &p->model->config;
    size_t n = (size_t)p->n, rows = POLICY_ROWS, s = sizeof(real);
    size_t lanes = (size_t)nn_lanes(c);
    struct policy_rows out = {0};
    out.list = arena_take(a, rows * n, sizeof(uint16_t));
    out.weight = arena_take(a, rows * n * lanes, s);
    out.glimpse = arena_take(a, rows * (size_t)(c->width / c->heads) * lanes, s);
    out.tanh_u = arena_take(a, rows * (size_t)p->stride, s);
    out.prob = arena_take(a, rows * (size_t)p->stride, s);
    if (c->side_hidden) out.bias = arena_take(a, rows * (size_t)p->stride + KERN_ROUND, s);
    if (r) *r = out;
}

/* Numbers the side network keeps of a candidate: its features and the hidden units. */
static size_t side_numbers(const struct policy *p)
{
    return (size_t)(p->model->config.side_features + p->model->config.side_hidden);
}

/* Those of the largest group; whole vectors may be read behind the last candidate. */
static size_t group_features(const struct policy *p)
{
    return side_numbers(p) * (POLICY_ROWS * (size_t)p->n + (size_t)2 * KERN_ROUND);
}

/* The same of a whole rollout: a tour has n - 1, n - 2, ... candidates; a fleet may be at the depot
 * before each of them. */
static size_t tape_features(const struct policy *p, size_t groups)
{
    size_t n = (size_t)p->n, lists = (p->ops->max_vehicles == 1 ? 1 : 2) * (n * (n + 1) / 2);
    return side_numbers(p) * ((size_t)p->samples * lists + (size_t)2 * KERN_ROUND * groups);
}

/* Groups a rollout may need, if they fit on the tape; otherwise 1. */
static int count_groups(const struct policy *p)
{
    struct arena one = {0};
    lay_out_rows(p, NULL, &one);
    size_t steps = (size_t)prob_env_max_steps(p->env);
    size_t groups = steps * (((size_t)p->samples + POLICY_ROWS - 1) / POLICY_ROWS) + 1;
    size_t bytes =
        groups * (one.used + sizeof(struct policy_rows)) + tape_features(p, groups) * sizeof(real);
    return p->keep && bytes <= POLICY_TAPE_BYTES ? (int)groups : 1;
}

static void lay_out(struct policy *p)
{
    struct arena *a = &p->arena;
    const struct nn_config *c = &p->model->config;
    size_t n = (size_t)p->n, samples = (size_t)p->samples, s = sizeof(real);
    size_t lanes = (size_t)nn_lanes(c);
    nn_encoder_layout(&p->encoder, a);
    nn_decoder_layout(&p->decoder, a);
    if (c->has_aux) nn_decoder_layout(&p->aux, a);
    p->allowed = arena_take(a, samples * n, 1);
    p->state = arena_take(a, samples * (size_t)(c->state_features + 1), sizeof(float));
    p->action = arena_take(a, samples, sizeof(int32_t));
    p->rng = arena_take(a, samples, sizeof(struct rng));
    p->xy = arena_take(a, 2 * n, sizeof(float));
    p->features =
        arena_take(a, n * (size_t)c->node_features + (size_t)c->depot_features, sizeof(float));
    p->all = arena_take(a, n, sizeof(uint16_t));
    if (c->pair_features) {
        p->held = arena_take(a, (size_t)p->B, sizeof(*p->held));
        prob_pairs_layout(&p->pairs, p->n, a);
    }
    size_t rows = POLICY_ROWS, width = (size_t)(c->width / c->heads) * lanes;
    p->u = arena_take(a, rows * (size_t)p->stride, s);
    p->du = arena_take(a, rows * (size_t)p->stride, s);
    p->dglimpse = arena_take(a, rows * width, s);
    if (c->side_hidden) {
        nn_side_layout(&p->side, a);
        size_t cells = c->side_glimpse ? rows * (size_t)p->stride * lanes : 0;
        if (cells) p->extra = arena_take(a, cells, s);
        if (cells && p->keep) p->dextra = arena_take(a, cells, s);
        p->dbias = arena_take(a, rows * (size_t)p->stride, s);
        p->raw = arena_take(a, (size_t)p->ops->raw_numbers * (rows * n + (size_t)2 * KERN_ROUND),
                            sizeof(float));
        p->pool_size =
            (p->groups > 1 ? tape_features(p, (size_t)p->groups) : 0) + group_features(p);
        p->pool = arena_take(a, p->pool_size, s);
    }
    if (!p->keep) p->untried = arena_take(a, (size_t)prob_env_max_steps(p->env) * n, 1);
    p->visits.count = arena_take(a, n, sizeof *p->visits.count);
    p->visits.at = arena_take(a, n * rows, sizeof *p->visits.at);
    p->group = arena_take(a, (size_t)p->groups, sizeof *p->group);
    for (int g = 0; g < p->groups; g++) lay_out_rows(p, p->group ? &p->group[g] : NULL, a);
    p->rows = p->group;
}

/* Features of the pairs of slot b, for the encoder. */
static void fill_pairs(void *context, int b, int first, int count, real *to, size_t stride,
                       size_t plane)
{
    struct policy *p = context;
    const struct env_shape *s = &p->pair_shape;
    if (!p->held[b]) { /* a slot without an instance is encoded, too: nobody looks at it */
        for (size_t k = 0; k < (size_t)s->features; k++)
            memset(to + k * plane, 0, (size_t)count * stride * sizeof *to);
        return;
    }
    if (p->pairs.inst != p->held[b] || first == 0) prob_pairs_bind(&p->pairs, p->held[b]);
    for (int i = first; i < first + count; i++, to += stride) {
        prob_pairs_row(&p->pairs, i);
        p->kern->side_shape(to, plane, p->pairs.raw, p->pairs.stride, s->source, s->is_squashed,
                            s->scale, s->features, p->n);
    }
}

ucpo_status policy_create(const struct nn_model *model, const struct prob_ops *ops, int n, int B,
                          int samples, int keep, struct policy **out, ucpo_error *err)
{
    const struct nn_config *c = &model->config;
    if (c->node_features != ops->node_features || c->depot_features != ops->depot_features ||
        c->state_features != ops->state_features ||
        (c->side_hidden && c->side_features != ops->decision_features) ||
        (c->pair_features && c->pair_features != ops->pair_features))
        return status_fail(err, UCPO_E_MISMATCH,
                           "the network takes %d+%d features, %d scalars, %d features of a "
                           "decision and %d of a pair, %s has %d+%d, %d, %d and %d",
                           c->depot_features, c->node_features, c->state_features, c->side_features,
                           c->pair_features, ops->info.name, ops->depot_features,
                           ops->node_features, ops->state_features, ops->decision_features,
                           ops->pair_features);
    struct policy *p = mem_zeroed(1, sizeof *p);
    if (!p) return status_no_memory(err, sizeof *p);
    p->model = model;
    p->ops = ops;
    p->kern = kern_best();
    p->n = n, p->B = B, p->samples = p->room = samples, p->keep = keep;
    p->encoder = (struct nn_encoder){.model = model, .kern = p->kern, .B = B, .n = n, .keep = keep};
    p->decoder = (struct nn_decoder){.model = model, .kern = p->kern, .B = B, .n = n, .keep = keep};
    p->aux = p->decoder;
    p->aux.is_aux = 1;
    p->side = (struct nn_side){.model = model, .kern = p->kern, .keep = keep};
    ucpo_status st = prob_env_create(ops, n, samples, &p->env, err);
    if (!st) {
        p->env->has_decisions = c->side_hidden > 0;
        p->env->has_units = c->has_units;
        p->stride = (n + KERN_ROUND - 1) / KERN_ROUND * KERN_ROUND;
        p->groups = count_groups(p);
        lay_out(p);
        st = arena_reserve(&p->arena, err);
    }
    if (st) {
        policy_free(p);
        return st;
    }
    lay_out(p);
    for (int j = 0; j < n; j++) p->all[j] = (uint16_t)j;
    p->encoder.pairs.fill = fill_pairs, p->encoder.pairs.context = p;
    prob_pairs_shape(ops, &p->pair_shape);
    *out = p;
    return UCPO_OK;
}

void policy_use_kernels(struct policy *p, const struct kern_ops *kern)
{
    p->kern = p->encoder.kern = p->decoder.kern = p->aux.kern = p->side.kern = kern;
}

void policy_free(struct policy *p)
{
    if (!p) return;
    prob_env_free(p->env);
    arena_free(&p->arena);
    free(p);
}

size_t policy_bytes(const struct policy *p)
{
    return p->arena.size + p->env->arena.size + sizeof *p;
}

int policy_max_steps(const struct policy *p)
{
    return prob_env_max_steps(p->env);
}

static void load_features(struct policy *p, int b, const struct ucpo_instance *inst,
                          const float *xy)
{
    const struct nn_config *c = &p->model->config;
    int depot = c->depot_features, rows = depot ? p->n - 1 : p->n, width = rows * c->node_features;
    float *to_depot = p->features, *to_node = p->features + depot;
    assert(b >= 0 && b < p->B && inst->data.n == p->n && inst->load == inst);
    p->ops->features(inst, xy, to_depot, to_node);
    for (int i = 0; i < depot; i++) p->encoder.depot[b * depot + i] = (real)to_depot[i];
    for (int i = 0; i < width; i++) p->encoder.node[b * width + i] = (real)to_node[i];
}

void policy_load(struct policy *p, int b, const struct ucpo_instance *inst, const float *xy)
{
    load_features(p, b, inst, xy);
    if (!p->held) return;
    p->held[b] = inst;
    p->encoder.pairs.slot[b] = b;
    p->encoder.pairs.full[b] = 0;
}

void policy_load_image(struct policy *p, int b, int from, const struct ucpo_instance *inst,
                       const float *xy)
{
    load_features(p, b, inst, xy);
    if (!p->held) return;
    assert(from >= 0 && from <= b);
    int slot = p->encoder.pairs.slot[from];
    p->encoder.pairs.slot[b] = slot;
    p->held[slot] = inst;
}

void policy_encode(struct policy *p, const real *params, int count)
{
    assert(count > 0 && count <= p->B);
    nn_encoder_forward(&p->encoder, params, count);
    if (p->held) memset(p->held, 0, (size_t)p->B * sizeof *p->held); /* they may go now */
    const real *h = p->encoder.h[p->model->config.layers];
    nn_decoder_forward(&p->decoder, params, h, count);
    if (p->model->config.has_aux) nn_decoder_forward(&p->aux, params, h, count);
    if (p->model->config.side_hidden) nn_side_begin(&p->side, params);
    p->used = 0; /* a tape is of older tables */
    if (!p->keep) return;
    nn_decoder_clear(&p->decoder, count);
    if (p->model->config.has_aux) nn_decoder_clear(&p->aux, count);
}

void policy_backward(struct policy *p, const real *params, real *grads, int count)
{
    const struct nn_config *c = &p->model->config;
    size_t rows = (size_t)count * (size_t)p->n * (size_t)c->width;
    const real *h = p->encoder.h[c->layers];
    memset(p->encoder.dh, 0, rows * sizeof(real));
    nn_decoder_backward(&p->decoder, params, h, grads, p->encoder.dh, count);
    if (c->has_aux) nn_decoder_backward(&p->aux, params, h, grads, p->encoder.dh, count);
    if (c->side_hidden) nn_side_end(&p->side, grads);
    nn_encoder_backward(&p->encoder, params, grads, count);
}

int policy_drop_negligible(double *weight, int count, double threshold)
{
    double largest = 0.0;
    int kept = 0;
    for (int i = 0; i < count; i++) largest = fmax(largest, fabs(weight[i]));
    for (int i = 0; i < count; i++) {
        if (fabs(weight[i]) <= threshold * largest) weight[i] = 0.0;
        kept += weight[i] != 0.0;
    }
    return kept;
}
