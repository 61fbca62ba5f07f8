/* Models: creation, facts, information. Files are in model_file.c. */
#include "api/model.h"

#include "core/text.h"
#include "io/json.h"
#include "policy/policy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const model_norm_name[NN_NORMS] = {
    [NN_NORM_INSTANCE] = "instance",
    [NN_NORM_LAYER] = "layer",
    [NN_NORM_FIXED] = "fixed",
};

const char *model_decision_in(const struct nn_config *config)
{
    return config->side_glimpse ? "glimpse" : "logits";
}

const char *model_pair(const struct nn_config *config)
{
    return config->pair_features ? "on" : "off";
}

const char *const model_normalisation =
    "ucpo-1: xy/unit, time/(opening..horizon), load/(capacity or total), fleet left/limit";

static ucpo_model_config config_of(const char *problem, const struct nn_config *c)
{
    return (ucpo_model_config){.problem = problem,
                               .width = c->width,
                               .heads = c->heads,
                               .hidden = c->hidden,
                               .layers = c->layers,
                               .norm = model_norm_name[c->norm],
                               .clip = c->clip,
                               .has_aux = c->has_aux,
                               .decision = c->side_hidden,
                               .decision_glimpse = c->side_glimpse,
                               .pair = c->pair_features > 0};
}

ucpo_model_config ucpo_model_config_default(const char *problem)
{
    struct nn_config c = nn_config_default();
    return config_of(problem, &c);
}

/* ---- life ---- */

ucpo_status model_outline(const struct prob_ops *ops, const struct nn_config *config,
                          struct ucpo_model **out, ucpo_error *err)
{
    struct ucpo_model *model = mem_zeroed(1, sizeof *model);
    if (!model) return status_no_memory(err, sizeof *model);
    struct nn_config complete = policy_config(ops, *config);
    ucpo_status st = nn_model_init(&model->net, &complete, err);
    if (st) {
        ucpo_model_free(model);
        return st;
    }
    model->ops = ops;
    snprintf(model->version, sizeof model->version, "%s", ucpo_version());
    *out = model;
    return UCPO_OK;
}

ucpo_status model_fill(struct ucpo_model *model, ucpo_error *err)
{
    arena_take(&model->arena, model->net.total, sizeof(real));
    ucpo_status st = arena_reserve(&model->arena, err);
    if (!st) model->params = arena_take(&model->arena, model->net.total, sizeof(real));
    return st;
}

static ucpo_status find_norm(const char *name, enum nn_norm *out, ucpo_error *err)
{
    if (name && strcmp(name, model_norm_name[NN_NORM_FIXED]) == 0)
        return status_argument(
            err, "norm is fixed, which needs the statistics of a model that has some: "
                 "expected instance or layer");
    for (int k = 0; k < NN_NORM_FIXED; k++) {
        if (!name || strcmp(name, model_norm_name[k]) != 0) continue;
        *out = (enum nn_norm)k;
        return UCPO_OK;
    }
    return status_argument(err, "norm is '%.40s', expected instance or layer", name ? name : "");
}

ucpo_status ucpo_model_create(const ucpo_model_config *config, uint64_t seed, ucpo_model **out,
                              ucpo_error *err)
{
    if (!config || !out) return status_argument(err, "config and out must not be NULL");
    const char *problem = config->problem ? config->problem : "";
    const struct prob_ops *ops = prob_find(problem);
    char names[128];
    if (!ops)
        return status_argument(err, "problem is '%.40s', expected one of %s", problem,
                               prob_names(names, sizeof names));
    struct nn_config c = nn_config_default();
    c.width = config->width, c.heads = config->heads, c.hidden = config->hidden;
    c.layers = config->layers, c.clip = config->clip, c.has_aux = config->has_aux;
    c.side_hidden = config->decision, c.side_glimpse = config->decision_glimpse;
    c.pair_features = config->pair;
    ucpo_model *model = NULL;
    ucpo_status st = find_norm(config->norm, &c.norm, err);
    if (!st) st = model_outline(ops, &c, &model, err);
    if (!model) return st;
    st = model_fill(model, err);
    if (st) {
        ucpo_model_free(model);
        return st;
    }
    nn_params_init(&model->net, seed, model->params);
    *out = model;
    return UCPO_OK;
}

void ucpo_model_free(ucpo_model *model)
{
    if (!model) return;
    for (size_t i = 0; i < model->facts; i++) free(model->fact[i].value);
    free(model->fact);
    arena_free(&model->arena);
    free(model);
}

ucpo_model_info ucpo_model_describe(const ucpo_model *model)
{
    if (!model) return (ucpo_model_info){.version = "", .normalisation = "", .notes = ""};
    const struct nn_config *c = &model->net.config;
    const char *notes = ucpo_model_fact(model, "notes");
    return (ucpo_model_info){.config = config_of(model->ops->info.name, c),
                             .node_features = c->node_features,
                             .depot_features = c->depot_features,
                             .state_features = c->state_features,
                             .parameters = model->net.total,
                             .tensors = (size_t)model->net.tensors,
                             .facts = model->facts,
                             .version = model->version,
                             .normalisation = model_normalisation,
                             .notes = notes ? notes : ""};
}

/* ---- facts ---- */

int model_is_reserved(const char *key)
{
    return text_word_index("format version problem arch normalisation checksum", key) >= 0;
}

/* Position of the first key that is not smaller. */
static size_t place_of(const ucpo_model *model, const char *key)
{
    size_t at = 0;
    while (at < model->facts && strcmp(model->fact[at].key, key) < 0) at++;
    return at;
}

static int is_at(const ucpo_model *model, size_t at, const char *key)
{
    return at < model->facts && strcmp(model->fact[at].key, key) == 0;
}

const char *ucpo_model_fact(const ucpo_model *model, const char *key)
{
    if (!model || !key) return NULL;
    size_t at = place_of(model, key);
    return is_at(model, at, key) ? model->fact[at].value : NULL;
}

const char *ucpo_model_fact_key(const ucpo_model *model, size_t index)
{
    return model && index < model->facts ? model->fact[index].key : NULL;
}

static int is_key(const char *key)
{
    size_t length = strlen(key);
    for (size_t i = 0; i < length; i++)
        if (key[i] <= ' ' || key[i] > '~') return 0;
    return length >= 1 && length <= MODEL_MAX_KEY;
}

static ucpo_status check_fact(const ucpo_model *model, const char *key, const char *value,
                              ucpo_error *err)
{
    if (!is_key(key))
        return status_argument(err,
                               "a fact's key has %zu bytes, expected 1 .. %d printable ASCII "
                               "characters without blanks",
                               strlen(key), MODEL_MAX_KEY);
    if (model_is_reserved(key)) return status_argument(err, "fact '%s': the name is reserved", key);
    if (!value) return UCPO_OK;
    if (strlen(value) > MODEL_MAX_VALUE || !json_is_utf8(value))
        return status_argument(err, "fact '%s' has %zu bytes, expected UTF-8 of at most %d", key,
                               strlen(value), MODEL_MAX_VALUE);
    if (model->facts >= MODEL_MAX_FACTS && !ucpo_model_fact(model, key))
        return status_argument(err, "fact '%s' would be one more than %d", key, MODEL_MAX_FACTS);
    return UCPO_OK;
}

static void remove_fact(ucpo_model *model, size_t at)
{
    free(model->fact[at].value);
    model->facts--;
    memmove(&model->fact[at], &model->fact[at + 1], (model->facts - at) * sizeof *model->fact);
}

ucpo_status ucpo_model_set_fact(ucpo_model *model, const char *key, const char *value,
                                ucpo_error *err)
{
    if (!model || !key) return status_argument(err, "model and key must not be NULL");
    ucpo_status st = check_fact(model, key, value, err);
    if (st) return st;
    size_t at = place_of(model, key);
    int is_known = is_at(model, at, key);
    if (!value) {
        if (is_known) remove_fact(model, at);
        return UCPO_OK;
    }
    char *copy = mem_copy(value, strlen(value) + 1, 1);
    if (!copy) return status_no_memory(err, strlen(value) + 1);
    if (is_known) {
        free(model->fact[at].value);
        model->fact[at].value = copy;
        return UCPO_OK;
    }
    struct model_fact *grown =
        mem_grow(model->fact, &model->fact_capacity, model->facts + 1, sizeof *model->fact, err);
    if (!grown) {
        free(copy);
        return UCPO_E_MEMORY;
    }
    model->fact = grown;
    memmove(&model->fact[at + 1], &model->fact[at], (model->facts - at) * sizeof *model->fact);
    model->facts++;
    snprintf(model->fact[at].key, sizeof model->fact[at].key, "%s", key);
    model->fact[at].value = copy;
    return UCPO_OK;
}
