/* Weights of published PyTorch checkpoints: the POMO, PIP and PIP-D networks. */
#include "api/model.h"

#include "io/checkpoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The published networks' width of a head and clip; a checkpoint does not tell them. */
enum { HEAD_WIDTH = 16 };

#define CLIP 10.0

struct import {
    struct checkpoint file;
    const char *label;
    ucpo_error *err;
};

/* Extent `axis` of a tensor, 0 if there is none. */
static int extent(const struct import *in, const char *name, int axis)
{
    const struct io_tensor *t = checkpoint_find(&in->file, name);
    return t && axis < t->rank && t->shape[axis] <= 1000000 ? (int)t->shape[axis] : 0;
}

static int count_layers(const struct import *in)
{
    char name[64];
    int layers = 0;
    do {
        snprintf(name, sizeof name, "encoder.layers.%d.Wq.weight", layers);
    } while (extent(in, name, 0) && ++layers <= NN_MAX_LAYERS);
    return layers;
}

/* The problem by the shapes, where they leave no choice. */
static const char *guess_problem(const struct import *in)
{
    int width = extent(in, "decoder.Wq_last.weight", 0);
    int state = extent(in, "decoder.Wq_last.weight", 1) - width;
    const char *found = NULL;
    for (size_t i = 0; ucpo_problem_at(i); i++) {
        const struct prob_ops *ops = prob_find(ucpo_problem_at(i)->name);
        int fits = ops->node_features == extent(in, "encoder.embedding_node.weight", 1) &&
                   ops->depot_features == extent(in, "encoder.embedding_depot.weight", 1) &&
                   ops->state_features == state;
        if (fits && found) return NULL;
        if (fits) found = ops->info.name;
    }
    return found;
}

static ucpo_status choose_problem(const struct import *in, const char *problem,
                                  const struct prob_ops **out)
{
    if (checkpoint_find(&in->file, "init_embed.weight"))
        return status_fail_at(in->err, UCPO_E_UNSUPPORTED, in->label, 0,
                              "the checkpoint is of the AM family (init_embed.weight): expected "
                              "POMO, PIP or PIP-D (encoder.embedding_node.weight)");
    if (!checkpoint_find(&in->file, "encoder.embedding_node.weight"))
        return status_fail_at(in->err, UCPO_E_MISMATCH, in->label, 0,
                              "there is no tensor encoder.embedding_node.weight: expected a "
                              "checkpoint of POMO, PIP or PIP-D");
    if (!problem) problem = guess_problem(in);
    if (!problem)
        return status_fail_at(in->err, UCPO_E_ARGUMENT, in->label, 0,
                              "the weights fit several problems or none: name the problem they "
                              "were trained for");
    *out = prob_find(problem);
    if (*out) return UCPO_OK;
    return status_fail(in->err, UCPO_E_ARGUMENT, "problem is '%s', which is none of ours", problem);
}

static struct nn_config config_of(const struct import *in)
{
    struct nn_config c = nn_config_default();
    c.width = extent(in, "encoder.embedding_node.weight", 0);
    c.heads = c.width / HEAD_WIDTH;
    c.layers = count_layers(in);
    c.hidden = c.layers ? extent(in, "encoder.layers.0.feedForward.W1.weight", 0) : 1;
    c.clip = CLIP;
    c.has_aux = checkpoint_find(&in->file, "decoder.Wq_last_sl.weight") != NULL;
    return c;
}

/* ---- weights ---- */

static ucpo_status check_tensor(const struct import *in, const struct nn_tensor *want,
                                const struct io_tensor *have)
{
    if (!have)
        return status_fail_at(in->err, UCPO_E_MISMATCH, in->label, 0, "tensor %s is missing",
                              want->name);
    if (!model_has_shape(want, have))
        return status_fail_at(in->err, UCPO_E_MISMATCH, in->label, 0,
                              "tensor %s has %zu numbers in %d dimensions, expected %d x %d",
                              want->name, have->count, have->rank, want->shape[0], want->shape[1]);
    if (have->dtype != IO_F32 && have->dtype != IO_F16)
        return status_fail_at(in->err, UCPO_E_MISMATCH, in->label, 0,
                              "tensor %s is %s, expected F32 or F16", want->name,
                              io_dtype_name(have->dtype));
    return UCPO_OK;
}

static ucpo_status read_tensor(const struct import *in, const struct nn_tensor *want, real *to)
{
    const struct io_tensor *have = checkpoint_find(&in->file, want->name);
    float bad = 0.0f;
    if (model_decode(have, to, &bad) == have->count) return UCPO_OK;
    return status_fail_at(in->err, UCPO_E_FORMAT, in->label, 0,
                          "tensor %s holds %g, expected finite weights", want->name, (double)bad);
}

static ucpo_status check_all(const struct import *in, const struct nn_model *net)
{
    for (int k = 0; k < net->tensors; k++) {
        const struct io_tensor *have = checkpoint_find(&in->file, net->tensor[k].name);
        ucpo_status st = check_tensor(in, &net->tensor[k], have);
        if (st) return st;
    }
    for (size_t i = 0; i < in->file.count; i++) {
        const char *name = in->file.tensor[i].name;
        char shown[IO_SHOWN_NAME];
        if (!model_has_tensor(net, name))
            return status_fail_at(in->err, UCPO_E_MISMATCH, in->label, 0,
                                  "tensor '%s' is unexpected: the network has no such part",
                                  io_shown_name(name, shown));
    }
    return UCPO_OK;
}

static ucpo_status fill(const struct import *in, ucpo_model *model)
{
    ucpo_status st = check_all(in, &model->net);
    if (!st) st = model_fill(model, in->err);
    for (int k = 0; !st && k < model->net.tensors; k++)
        st = read_tensor(in, &model->net.tensor[k], model->params + model->net.tensor[k].offset);
    if (st) return st;
    return ucpo_model_set_fact(model, "notes", "weights of a PyTorch checkpoint", in->err);
}

ucpo_status ucpo_model_import_bytes(const void *bytes, size_t size, const char *label,
                                    const char *problem, ucpo_model **out, ucpo_error *err)
{
    struct import in = {.label = label ? label : "", .err = err};
    const struct prob_ops *ops = NULL;
    ucpo_model *model = NULL;
    ucpo_status st = checkpoint_read(bytes, size, in.label, &in.file, err);
    if (!st) st = choose_problem(&in, problem, &ops);
    if (!st) {
        struct nn_config config = config_of(&in);
        st = model_outline(ops, &config, &model, err);
    }
    if (!st) st = fill(&in, model);
    checkpoint_free(&in.file);
    if (st) {
        ucpo_model_free(model);
        return st;
    }
    *out = model;
    return UCPO_OK;
}
