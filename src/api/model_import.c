/* Weights of published PyTorch checkpoints. The POMO, PIP and PIP-D networks have the names and layouts
 * of our table; those of the AM family are in model_import_am.c. */
#include "api/import.h"
#include "core/text.h"

#include <stdio.h>
#include <string.h>

/* The published networks' width of a head, which a checkpoint does not tell. */
enum { HEAD_WIDTH = 16 };

/* ---- tensors ---- */

int import_extent(const struct import *in, const char *name, int axis)
{
    const struct io_tensor *t = checkpoint_find(&in->file, name);
    return t && axis < t->rank && t->shape[axis] <= 1000000 ? (int)t->shape[axis] : 0;
}

ucpo_status import_check(const struct import *in, const char *name, int rank, const int *shape)
{
    const struct io_tensor *have = checkpoint_find(&in->file, name);
    char want[64] = "";
    int is_same = have && have->rank == rank;
    for (int k = 0; k < rank; k++) {
        is_same = is_same && have->shape[k] == (size_t)shape[k];
        text_append(want, sizeof want, " x ", "%d", shape[k]);
    }
    if (!have)
        return status_fail_at(in->err, UCPO_E_MISMATCH, in->label, 0, "tensor %s is missing", name);
    if (!is_same)
        return status_fail_at(in->err, UCPO_E_MISMATCH, in->label, 0,
                              "tensor %s has %zu numbers in %d dimensions, expected %s", name,
                              have->count, have->rank, want);
    if (have->dtype != IO_F32 && have->dtype != IO_F16)
        return status_fail_at(in->err, UCPO_E_MISMATCH, in->label, 0,
                              "tensor %s is %s, expected F32 or F16", name,
                              io_dtype_name(have->dtype));
    return UCPO_OK;
}

ucpo_status import_unexpected(const struct import *in, const char *name)
{
    char shown[IO_SHOWN_NAME];
    return status_fail_at(in->err, UCPO_E_MISMATCH, in->label, 0,
                          "tensor '%s' is unexpected: the network has no such part",
                          io_shown_name(name, shown));
}

ucpo_status import_read(const struct import *in, const char *name, real *to)
{
    const struct io_tensor *have = checkpoint_find(&in->file, name);
    float bad = 0.0f;
    if (model_decode(have, to, &bad) == have->count) return UCPO_OK;
    return status_format(in->err, in->label, 0, "tensor %s holds %g, expected finite weights", name,
                         (double)bad);
}

/* ---- POMO, PIP, PIP-D ---- */

static int count_layers(const struct import *in)
{
    char name[64];
    int layers = 0;
    do {
        snprintf(name, sizeof name, "encoder.layers.%d.Wq.weight", layers);
    } while (import_extent(in, name, 0) && ++layers <= NN_MAX_LAYERS);
    return layers;
}

static ucpo_status pomo_config(const struct import *in, struct nn_config *out)
{
    static const char embedding[] = "encoder.embedding_node.weight";
    struct nn_config c = nn_config_default();
    if (!checkpoint_find(&in->file, embedding))
        return status_fail_at(in->err, UCPO_E_MISMATCH, in->label, 0,
                              "there is no tensor %s: expected a checkpoint of POMO, PIP or PIP-D, "
                              "or of AM (init_embed.weight)",
                              embedding);
    c.width = import_extent(in, embedding, 0);
    c.node_features = import_extent(in, embedding, 1);
    c.depot_features = import_extent(in, "encoder.embedding_depot.weight", 1);
    c.state_features = import_extent(in, "decoder.Wq_last.weight", 1) -
                       import_extent(in, "decoder.Wq_last.weight", 0);
    c.heads = c.width / HEAD_WIDTH;
    c.layers = count_layers(in);
    c.hidden = c.layers ? import_extent(in, "encoder.layers.0.feedForward.W1.weight", 0) : 1;
    c.clip = IMPORT_CLIP;
    c.has_aux = checkpoint_find(&in->file, "decoder.Wq_last_sl.weight") != NULL;
    *out = c;
    return UCPO_OK;
}

static ucpo_status pomo_fill(const struct import *in, ucpo_model *model)
{
    const struct nn_model *net = &model->net;
    for (int k = 0; k < net->tensors; k++) {
        const struct nn_tensor *t = &net->tensor[k];
        ucpo_status st = import_check(in, t->name, t->rank, t->shape);
        if (st) return st;
    }
    for (size_t i = 0; i < in->file.count; i++)
        if (!model_has_tensor(net, in->file.tensor[i].name))
            return import_unexpected(in, in->file.tensor[i].name);
    ucpo_status st = model_fill(model, in->err);
    for (int k = 0; !st && k < net->tensors; k++)
        st = import_read(in, net->tensor[k].name, model->params + net->tensor[k].offset);
    return st;
}

/* ---- any of them ---- */

static int fits(const struct prob_ops *ops, const struct nn_config *c)
{
    return ops && ops->node_features == c->node_features &&
           ops->depot_features == c->depot_features && ops->state_features == c->state_features;
}

/* The problem by the shapes, where they leave no choice; AM was published for tours with windows only. */
static const struct prob_ops *guess_problem(const struct import *in, const struct nn_config *c)
{
    const struct prob_ops *found = NULL, *timed = prob_with(PROB_TIMED_TOUR);
    if (import_is_am(in)) return fits(timed, c) ? timed : NULL;
    for (size_t i = 0; i < prob_registry_count; i++) {
        if (!fits(prob_registry[i], c)) continue;
        if (found) return NULL;
        found = prob_registry[i];
    }
    return found;
}

static ucpo_status choose_problem(const struct import *in, const struct nn_config *c,
                                  const char *problem, const struct prob_ops **out)
{
    *out = problem ? prob_find(problem) : guess_problem(in, c);
    if (*out) return UCPO_OK;
    if (problem)
        return status_fail(in->err, UCPO_E_ARGUMENT, "problem is '%s', which is none of ours",
                           problem);
    return status_fail_at(in->err, UCPO_E_ARGUMENT, in->label, 0,
                          "the weights fit several problems or none: name the problem they were "
                          "trained for");
}

static ucpo_status import_model(const struct import *in, const char *problem, ucpo_model **model)
{
    const struct prob_ops *ops = NULL;
    struct nn_config config;
    int is_am = import_is_am(in);
    ucpo_status st = (is_am ? import_am_config : pomo_config)(in, &config);
    if (!st) st = choose_problem(in, &config, problem, &ops);
    if (!st) st = model_outline(ops, &config, model, in->err);
    if (!st) st = (is_am ? import_am_fill : pomo_fill)(in, *model);
    if (!st) st = ucpo_model_set_fact(*model, "notes", "weights of a PyTorch checkpoint", in->err);
    if (!st && config.has_aux) /* nothing else has the auxiliary decoder */
        st = ucpo_model_set_fact(*model, "train.mask", PROB_MASK_PREDICTED, in->err);
    return st;
}

ucpo_status ucpo_model_import_bytes(const void *bytes, size_t size, const char *label,
                                    const char *problem, ucpo_model **out, ucpo_error *err)
{
    if ((!bytes && size > 0) || !out) return status_argument(err, "bytes and out must not be NULL");
    struct import in = {.label = label ? label : "", .err = err};
    ucpo_model *model = NULL;
    ucpo_status st = checkpoint_read(bytes, size, in.label, &in.file, err);
    if (!st) st = import_model(&in, problem, &model);
    checkpoint_free(&in.file);
    if (st) {
        ucpo_model_free(model);
        return st;
    }
    *out = model;
    return UCPO_OK;
}
