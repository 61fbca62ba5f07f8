/* The parameter table: the one place that knows names, shapes and order. */
#include "nn/nn.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct nn_config nn_config_default(void)
{
    return (struct nn_config){.node_features = 4,
                              .state_features = 1,
                              .width = 128,
                              .heads = 8,
                              .hidden = 512,
                              .layers = 6,
                              .clip = 10.0};
}

static ucpo_status check_config(const struct nn_config *c, ucpo_error *err)
{
    struct {
        const char *name;
        int value, low, high;
    } rule[] = {
        {"node_features", c->node_features, 1, 64},
        {"depot_features", c->depot_features, 0, 64},
        {"state_features", c->state_features, 0, NN_MAX_SCALARS},
        {"width", c->width, 8, 1024},
        {"heads", c->heads, 1, 64},
        {"hidden", c->hidden, 1, 8192},
        {"layers", c->layers, 0, NN_MAX_LAYERS},
        {"norm", (int)c->norm, 0, NN_NORMS - 1},
        {"has_aux", c->has_aux, 0, 1},
        {"has_mean", c->has_mean, 0, 1},
        {"has_units", c->has_units, 0, 1},
        {"side_features", c->side_features, c->side_hidden ? 1 : 0,
         c->side_hidden ? KERN_SIDE_FEATURES : 0},
        {"side_hidden", c->side_hidden, 0, KERN_SIDE_HIDDEN},
        {"side_glimpse", c->side_glimpse, 0, 1},
        {"pair_features", c->pair_features, 0, KERN_SIDE_FEATURES},
    };

    for (size_t i = 0; i < sizeof rule / sizeof rule[0]; i++)
        if (rule[i].value < rule[i].low || rule[i].value > rule[i].high)
            return status_fail(err, UCPO_E_ARGUMENT, "network %s is %d, expected %d .. %d",
                               rule[i].name, rule[i].value, rule[i].low, rule[i].high);
    if (c->width % c->heads != 0 || c->width / c->heads % KERN_LANES != 0)
        return status_fail(err, UCPO_E_ARGUMENT,
                           "width %d over %d heads: the width of a head must be a multiple of %d",
                           c->width, c->heads, KERN_LANES);
    if (c->side_hidden % 4 != 0)
        return status_fail(err, UCPO_E_ARGUMENT,
                           "network side_hidden is %d, expected a multiple of 4", c->side_hidden);
    if (c->side_glimpse && !c->side_hidden)
        return status_fail(err, UCPO_E_ARGUMENT,
                           "decision_glimpse is set, which needs decision > 0: there is no side "
                           "network to hear");
    if (!isfinite(c->clip) || c->clip < 0.0 || c->clip > 1000.0)
        return status_fail(err, UCPO_E_ARGUMENT, "clip is %g, expected 0 .. 1000", c->clip);
    return UCPO_OK;
}

/* Appends a tensor; columns 0 means a vector. Returns its offset. */
static size_t append(struct nn_model *m, const char *prefix, const char *name, int rows,
                     int columns, enum nn_init init, int fan_in)
{
    struct nn_tensor *t = &m->tensor[m->tensors++];
    snprintf(t->name, sizeof t->name, "%s%s", prefix, name);
    t->rank = columns ? 2 : 1;
    t->shape[0] = rows;
    t->shape[1] = columns ? columns : 1;
    t->count = (size_t)rows * (size_t)t->shape[1];
    t->offset = m->total;
    t->init = init;
    t->fan_in = fan_in;
    t->pace = 1.0;
    m->total += t->count;
    return t->offset;
}

/* Gain and shift of a norm, and its statistics if it has some. */
static void append_norm(struct nn_model *m, const char *prefix, const char *name, size_t *gain,
                        size_t *shift, size_t *mean, size_t *var)
{
    int D = m->config.width, first = m->tensors;
    char p[52];
    snprintf(p, sizeof p, "%s%s.norm.", prefix, name);
    *gain = append(m, p, "weight", D, 0, NN_INIT_ONE, 0);
    *shift = append(m, p, "bias", D, 0, NN_INIT_ZERO, 0);
    if (m->config.norm != NN_NORM_FIXED) return;
    *mean = append(m, p, "running_mean", D, 0, NN_INIT_ZERO, 0);
    *var = append(m, p, "running_var", D, 0, NN_INIT_ONE, 0);
    m->tensor[first + 2].pace = m->tensor[first + 3].pace = 0.0;
}

/* Few weights on features of order 1: they learn faster than the rest, as the side network does. */
#define PAIR_PACE 30.0

static void append_layer(struct nn_model *m, int index)
{
    int D = m->config.width, F = m->config.hidden, pairs = m->config.pair_features;
    struct nn_layer *l = &m->layer[index];
    char p[32];
    snprintf(p, sizeof p, "encoder.layers.%d.", index);
    l->qkv = append(m, p, "Wq.weight", D, D, NN_INIT_UNIFORM, D);
    append(m, p, "Wk.weight", D, D, NN_INIT_UNIFORM, D);
    append(m, p, "Wv.weight", D, D, NN_INIT_UNIFORM, D);
    l->mix = append(m, p, "multi_head_combine.weight", D, D, NN_INIT_UNIFORM, D);
    l->mix_bias = append(m, p, "multi_head_combine.bias", D, 0, NN_INIT_UNIFORM, D);
    append_norm(m, p, "addAndNormalization1", &l->gain1, &l->shift1, &l->mean1, &l->var1);
    l->w1 = append(m, p, "feedForward.W1.weight", F, D, NN_INIT_UNIFORM, D);
    l->b1 = append(m, p, "feedForward.W1.bias", F, 0, NN_INIT_UNIFORM, D);
    l->w2 = append(m, p, "feedForward.W2.weight", D, F, NN_INIT_UNIFORM, F);
    l->b2 = append(m, p, "feedForward.W2.bias", D, 0, NN_INIT_UNIFORM, F);
    append_norm(m, p, "addAndNormalization2", &l->gain2, &l->shift2, &l->mean2, &l->var2);
    if (!pairs) return;
    l->pair = append(m, p, "pair.weight", m->config.heads, pairs, NN_INIT_ZERO, 0);
    m->tensor[m->tensors - 1].pace = PAIR_PACE;
}

/* The published order interleaves policy and auxiliary decoder. */
static void append_decoders(struct nn_model *m)
{
    int D = m->config.width, in = D + m->config.state_features, aux = m->config.has_aux;
    const char *p = "decoder.";
    m->policy.query = append(m, p, "Wq_last.weight", D, in, NN_INIT_UNIFORM, in);
    if (aux) m->aux.query = append(m, p, "Wq_last_sl.weight", D, in, NN_INIT_UNIFORM, in);
    m->policy.key_value = append(m, p, "Wk.weight", D, D, NN_INIT_UNIFORM, D);
    append(m, p, "Wv.weight", D, D, NN_INIT_UNIFORM, D);
    if (aux) {
        m->aux.key_value = append(m, p, "Wk_sl.weight", D, D, NN_INIT_UNIFORM, D);
        append(m, p, "Wv_sl.weight", D, D, NN_INIT_UNIFORM, D);
    }
    m->policy.mix = append(m, p, "multi_head_combine.weight", D, D, NN_INIT_UNIFORM, D);
    m->policy.mix_bias = append(m, p, "multi_head_combine.bias", D, 0, NN_INIT_UNIFORM, D);
    if (aux) {
        m->aux.mix = append(m, p, "multi_head_combine_sl.weight", D, D, NN_INIT_UNIFORM, D);
        m->aux.mix_bias = append(m, p, "multi_head_combine_sl.bias", D, 0, NN_INIT_UNIFORM, D);
    }
    if (m->config.has_mean)
        m->policy.mean = append(m, p, "Wq_mean.weight", D, D, NN_INIT_UNIFORM, D);
}

/* How much faster than the rest the side network learns: at the same rate its gain is small
 * (docs/results.md). */
enum {
    SIDE_FAN_IN = 4
}; /* features are of order 1 and few matter at a time: larger than 1/sqrt(F) */

#define SIDE_PACE_W1 30.0
#define SIDE_PACE_W2 300.0

static void append_side(struct nn_model *m)
{
    int features = m->config.side_features, hidden = m->config.side_hidden, first = m->tensors;
    const char *p = "decoder.side_";
    if (hidden == 0) return;
    m->side = append(m, p, "W1.weight", hidden, features, NN_INIT_UNIFORM, SIDE_FAN_IN);
    append(m, p, "W1.bias", hidden, 0, NN_INIT_UNIFORM, SIDE_FAN_IN);
    append(m, p, "W2.weight", 1, hidden, NN_INIT_ZERO, 0);
    for (int k = first; k < m->tensors; k++)
        m->tensor[k].pace = k + 1 < m->tensors ? SIDE_PACE_W1 : SIDE_PACE_W2;
    if (!m->config.side_glimpse) return;
    m->side_v = append(m, p, "V.weight", m->config.heads, hidden, NN_INIT_ZERO, 0);
    m->tensor[m->tensors - 1].pace = SIDE_PACE_W2;
}

ucpo_status nn_model_init(struct nn_model *m, const struct nn_config *config, ucpo_error *err)
{
    ucpo_status st = check_config(config, err);
    if (st) return st;
    memset(m, 0, sizeof *m);
    m->config = *config;
    int D = config->width;
    const char *p = "encoder.";
    if (config->depot_features) {
        int in = config->depot_features;
        m->depot_w = append(m, p, "embedding_depot.weight", D, in, NN_INIT_UNIFORM, in);
        m->depot_b = append(m, p, "embedding_depot.bias", D, 0, NN_INIT_UNIFORM, in);
    }
    int in = config->node_features;
    m->node_w = append(m, p, "embedding_node.weight", D, in, NN_INIT_UNIFORM, in);
    m->node_b = append(m, p, "embedding_node.bias", D, 0, NN_INIT_UNIFORM, in);
    for (int l = 0; l < config->layers; l++) append_layer(m, l);
    append_decoders(m);
    append_side(m);
    return UCPO_OK;
}

void nn_params_init(const struct nn_model *m, uint64_t seed, real *params)
{
    for (int k = 0; k < m->tensors; k++) {
        const struct nn_tensor *t = &m->tensor[k];
        struct rng rng = rng_at(seed, RNG_INIT, (uint64_t)k);
        double bound = t->fan_in ? 1.0 / sqrt((double)t->fan_in) : 0.0;
        for (size_t i = 0; i < t->count; i++) {
            double value = t->init == NN_INIT_ONE ? 1.0 : 0.0;
            if (t->init == NN_INIT_UNIFORM) value = bound * (2.0 * rng_uniform(&rng) - 1.0);
            params[t->offset + i] = (real)value;
        }
    }
}
