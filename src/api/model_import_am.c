/* Checkpoints of the AM family (attention model with batch norm), as our network:
 *
 *   batch norm with running statistics     fixed norm
 *   W_query, W_key, W_val [head, in, out]  [out, in], heads side by side; W_out likewise
 *   project_fixed_context                  Wq_mean
 *   logit keys Wl and project_out Wo       (Wo o) . (Wl h_j) = (Wl^T Wo o) . h_j: mix = Wl^T Wo
 *   biases of the mixes                    0, it has none
 *   time of a decision in units            has_units
 */
#include "api/import.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The tensors; a letter of the shape is an extent: f node features, s width + state scalars, T three
 * widths, otherwise as in nn.h. */
enum { EMBED, EMBED_BIAS, NODES, FIXED, STEP, OUT, WHOLE };

static const struct part {
    const char *name, *shape;
} whole[WHOLE] = {
    [EMBED] = {"init_embed.weight", "Df"},
    [EMBED_BIAS] = {"init_embed.bias", "D"},
    [NODES] = {"project_node_embeddings.weight", "TD"}, /* rows: keys, values, logit keys */
    [FIXED] = {"project_fixed_context.weight", "DD"},
    [STEP] = {"project_step_context.weight", "Ds"},
    [OUT] = {"project_out.weight", "DD"},
};

enum { QUERY, KEY, VALUE, MIX, W1, B1, W2, B2, NORM1, NORM2 = NORM1 + 4, LAYER = NORM2 + 4 };

static const struct part layer[LAYER] = {
    [QUERY] = {"0.module.W_query", "HDK"},  [KEY] = {"0.module.W_key", "HDK"},
    [VALUE] = {"0.module.W_val", "HDK"},    [MIX] = {"0.module.W_out", "HKD"},
    [W1] = {"2.module.0.weight", "FD"},     [B1] = {"2.module.0.bias", "F"},
    [W2] = {"2.module.2.weight", "DF"},     [B2] = {"2.module.2.bias", "D"},
    [NORM1] = {"1.normalizer.weight", "D"}, {"1.normalizer.bias", "D"},
    {"1.normalizer.running_mean", "D"},     {"1.normalizer.running_var", "D"},
    [NORM2] = {"3.normalizer.weight", "D"}, {"3.normalizer.bias", "D"},
    {"3.normalizer.running_mean", "D"},     {"3.normalizer.running_var", "D"},
};

static const char *const counters[2] = {"1.normalizer.num_batches_tracked",
                                        "3.normalizer.num_batches_tracked"};

struct name {
    char text[96];
};

static struct name layer_name(int l, const char *part)
{
    struct name name;
    snprintf(name.text, sizeof name.text, "embedder.layers.%d.%s", l, part);
    return name;
}

int import_is_am(const struct import *in)
{
    return checkpoint_find(&in->file, whole[EMBED].name) != NULL;
}

ucpo_status import_am_config(const struct import *in, struct nn_config *out)
{
    struct nn_config c = nn_config_default();
    struct name first = layer_name(0, layer[QUERY].name);
    struct name mean = layer_name(0, "1.normalizer.running_mean");
    c.layers = 0;
    while (c.layers <= NN_MAX_LAYERS &&
           checkpoint_find(&in->file, layer_name(c.layers, layer[QUERY].name).text))
        c.layers++;
    if (c.layers == 0)
        return status_fail_at(in->err, UCPO_E_MISMATCH, in->label, 0, "tensor %s is missing",
                              first.text);
    if (!checkpoint_find(&in->file, mean.text))
        return status_fail_at(in->err, UCPO_E_UNSUPPORTED, in->label, 0,
                              "the checkpoint is of the AM family without running statistics of "
                              "its batch norm (%s; PIP-D has none): what it computes depends on "
                              "the batch",
                              mean.text);
    c.width = import_extent(in, whole[EMBED].name, 0);
    c.node_features = import_extent(in, whole[EMBED].name, 1);
    c.state_features = import_extent(in, whole[STEP].name, 1) - c.width;
    c.heads = import_extent(in, first.text, 0);
    c.hidden = import_extent(in, layer_name(0, layer[W1].name).text, 0);
    c.clip = IMPORT_CLIP;
    c.norm = NN_NORM_FIXED;
    c.has_mean = c.has_units = 1;
    *out = c;
    return UCPO_OK;
}

/* ---- names and shapes ---- */

static int extent_of(const struct nn_config *c, char letter)
{
    switch (letter) {
    case 'D': return c->width;
    case 'F': return c->hidden;
    case 'H': return c->heads;
    case 'K': return c->width / c->heads;
    case 'T': return 3 * c->width;
    case 'f': return c->node_features;
    default: return c->width + c->state_features;
    }
}

static ucpo_status check_part(const struct import *in, const struct nn_config *c, const char *name,
                              const char *letters)
{
    int shape[IO_TENSOR_RANK] = {0}, rank = (int)strlen(letters);
    for (int k = 0; k < rank; k++) shape[k] = extent_of(c, letters[k]);
    return import_check(in, name, rank, shape);
}

static int is_known(const struct nn_config *c, const char *name)
{
    for (int k = 0; k < WHOLE; k++)
        if (strcmp(name, whole[k].name) == 0) return 1;
    for (int l = 0; l < c->layers; l++) {
        for (int k = 0; k < LAYER; k++)
            if (strcmp(name, layer_name(l, layer[k].name).text) == 0) return 1;
        for (int k = 0; k < 2; k++)
            if (strcmp(name, layer_name(l, counters[k]).text) == 0) return 1;
    }
    return 0;
}

static ucpo_status check_all(const struct import *in, const struct nn_config *c)
{
    const int depot[2] = {c->width, c->depot_features};
    ucpo_status st =
        c->depot_features ? import_check(in, "init_embed_depot.weight", 2, depot) : UCPO_OK;
    for (int k = 0; !st && k < WHOLE; k++) st = check_part(in, c, whole[k].name, whole[k].shape);
    for (int l = 0; l < c->layers; l++)
        for (int k = 0; !st && k < LAYER; k++)
            st = check_part(in, c, layer_name(l, layer[k].name).text, layer[k].shape);
    for (size_t i = 0; !st && i < in->file.count; i++)
        if (!is_known(c, in->file.tensor[i].name))
            st = import_unexpected(in, in->file.tensor[i].name);
    return st;
}

/* ---- weights ---- */

/* [heads][rows][columns] to a matrix with a row per (head, column) and a column per row; is_flipped:
 * to one with a row per column and a column per (head, row). */
static void lay_out(real *to, const real *from, int heads, int rows, int columns, int is_flipped)
{
    for (int a = 0; a < heads; a++) {
        for (int i = 0; i < rows; i++) {
            for (int j = 0; j < columns; j++) {
                size_t at = is_flipped ? (size_t)j * (size_t)(heads * rows) + (size_t)(a * rows + i)
                                       : (size_t)(a * columns + j) * (size_t)rows + (size_t)i;
                to[at] = *from++;
            }
        }
    }
}

/* What is being filled; `scratch` has room for 4 D x D. */
struct filling {
    const struct import *in;
    const struct nn_model *net;
    real *params, *scratch;
};

static ucpo_status fill_norm(const struct filling *f, int l, int first, size_t gain, size_t shift,
                             size_t mean, size_t var)
{
    const size_t to[4] = {gain, shift, mean, var};
    ucpo_status st = UCPO_OK;
    for (int k = 0; !st && k < 4; k++)
        st = import_read(f->in, layer_name(l, layer[first + k].name).text, f->params + to[k]);
    return st;
}

static ucpo_status fill_layer(const struct filling *f, int l)
{
    const struct nn_layer *o = &f->net->layer[l];
    int D = f->net->config.width, H = f->net->config.heads, K = D / H;
    ucpo_status st = UCPO_OK;
    for (int k = QUERY; !st && k <= VALUE; k++) {
        st = import_read(f->in, layer_name(l, layer[k].name).text, f->scratch);
        real *to = f->params + o->qkv + (size_t)(k - QUERY) * (size_t)D * (size_t)D;
        if (!st) lay_out(to, f->scratch, H, D, K, 0);
    }
    if (!st) st = import_read(f->in, layer_name(l, layer[MIX].name).text, f->scratch);
    if (!st) lay_out(f->params + o->mix, f->scratch, H, K, D, 1);
    if (!st) st = import_read(f->in, layer_name(l, layer[W1].name).text, f->params + o->w1);
    if (!st) st = import_read(f->in, layer_name(l, layer[B1].name).text, f->params + o->b1);
    if (!st) st = import_read(f->in, layer_name(l, layer[W2].name).text, f->params + o->w2);
    if (!st) st = import_read(f->in, layer_name(l, layer[B2].name).text, f->params + o->b2);
    if (!st) st = fill_norm(f, l, NORM1, o->gain1, o->shift1, o->mean1, o->var1);
    if (!st) st = fill_norm(f, l, NORM2, o->gain2, o->shift2, o->mean2, o->var2);
    return st;
}

/* mix = Wl^T Wo; whether all of it is finite. */
static int multiply(real *mix, const real *Wl, const real *Wo, size_t D)
{
    int is_finite = 1;
    for (size_t i = 0; i < D; i++) {
        for (size_t j = 0; j < D; j++) {
            double sum = 0.0;
            for (size_t k = 0; k < D; k++) sum += (double)Wl[k * D + i] * (double)Wo[k * D + j];
            mix[i * D + j] = (real)sum;
            is_finite = is_finite && isfinite(mix[i * D + j]);
        }
    }
    return is_finite;
}

static ucpo_status fill_decoder(const struct filling *f)
{
    const struct nn_pointer *o = &f->net->policy;
    size_t D = (size_t)f->net->config.width, square = D * D;
    real *out = f->scratch + 3 * square;
    ucpo_status st = import_read(f->in, whole[STEP].name, f->params + o->query);
    if (!st) st = import_read(f->in, whole[FIXED].name, f->params + o->mean);
    if (!st) st = import_read(f->in, whole[NODES].name, f->scratch);
    if (!st) st = import_read(f->in, whole[OUT].name, out);
    if (st) return st;
    memcpy(f->params + o->key_value, f->scratch, 2 * square * sizeof(real));
    if (multiply(f->params + o->mix, f->scratch + 2 * square, out, D)) return UCPO_OK;
    return status_format(f->in->err, f->in->label, 0,
                         "the product of %s and %s is too large for float32", whole[NODES].name,
                         whole[OUT].name);
}

ucpo_status import_am_fill(const struct import *in, ucpo_model *model)
{
    const struct nn_config *c = &model->net.config;
    size_t square = (size_t)c->width * (size_t)c->width;
    ucpo_status st = check_all(in, c);
    if (!st) st = model_fill(model, in->err);
    if (st) return st;
    struct filling f = {in, &model->net, model->params, calloc(4 * square, sizeof(real))};
    if (!f.scratch) return status_no_memory(in->err, 4 * square * sizeof(real));
    st = import_read(in, whole[EMBED].name, f.params + f.net->node_w);
    if (!st) st = import_read(in, whole[EMBED_BIAS].name, f.params + f.net->node_b);
    for (int l = 0; !st && l < c->layers; l++) st = fill_layer(&f, l);
    if (!st) st = fill_decoder(&f);
    free(f.scratch);
    return st ? st : model_check_norm(model, in->label, in->err);
}
