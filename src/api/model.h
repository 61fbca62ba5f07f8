/* What a ucpo_model is made of, for the other files of this room. */
#ifndef UCPO_API_MODEL_H
#define UCPO_API_MODEL_H

#include "nn/nn.h"
#include "policy/policy.h"
#include "problem/problem.h"

enum { MODEL_MAX_FACTS = 256, MODEL_MAX_KEY = 64, MODEL_MAX_VALUE = 65535 };

struct model_fact {
    char *value;
    char key[MODEL_MAX_KEY + 1];
};

struct ucpo_model {
    struct nn_model net;
    const struct prob_ops *ops;
    real *params; /* net.total numbers, aligned to 64 bytes */
    struct arena arena;
    struct model_fact *fact; /* sorted by key */
    size_t facts, fact_capacity;
    char version[32];
};

/* Names of nn_norm in files and in the interface, by value. */
extern const char *const model_norm_name[NN_NORMS];

/* Where a network with a side network hears it, as the setting 'decision-in' says it. */
const char *model_decision_in(const struct nn_config *config);

/* Whether it hears features of pairs, as the setting 'pair' says it. */
const char *model_pair(const struct nn_config *config);

/* The only normalisation there is (docs/model.md); files that name another are refused. */
extern const char *const model_normalisation;

/* A model with a parameter table but no parameters yet: sizes can be checked before memory is spent
 * on them. The feature widths come from `ops`. */
ucpo_status model_outline(const struct prob_ops *ops, const struct nn_config *config,
                          struct ucpo_model **out, ucpo_error *err);

/* The parameters of an outline, all 0. */
ucpo_status model_fill(struct ucpo_model *model, ucpo_error *err);

/* A checkpoint is a model file with further flat arrays of net.total numbers, whose names begin with
 * MODEL_STATE: optimiser moments, copies of the network. Whoever only wants the model skips them. */
#define MODEL_STATE "state."

struct model_state {
    const char *name;
    const real *values;
};

ucpo_status model_save_state(const struct ucpo_model *model, ucpo_dtype dtype,
                             const struct model_state *state, size_t states, char **bytes,
                             size_t *size, ucpo_error *err);

/* Reads one such array, if the file has it. */
ucpo_status model_load_state(const char *bytes, size_t size, const char *label, size_t total,
                             const char *name, real *values, int *is_there, ucpo_error *err);

struct io_tensor;

int model_has_tensor(const struct nn_model *net, const char *name);

/* A whole tensor of F32 or F16. Returns the first number that is not finite, or its count; it goes to
 * *bad. */
size_t model_decode(const struct io_tensor *f, real *out, float *bad);

/* A fixed norm divides by variances: none may be negative. */
ucpo_status model_check_norm(const struct ucpo_model *model, const char *label, ucpo_error *err);

/* Whether windows, demands or limits are far from those of the training's level (range.c); the text then
 * says which. 0 also if the model does not tell its level, or the size is out of range anyway. */
int model_is_far(const ucpo_model *model, const ucpo_instance *inst, char *text, size_t size);

/* By how many times these numbers are outside of what the levels of the text "train.level" draw: 1
 * within, 0 if that is not known. */
double model_look_distance(const char *levels, const struct ucpo_instance *inst);

/* As ucpo_model_distance, from the text of "train.sizes" (NULL: 0). */
double model_size_distance(const char *sizes, const struct ucpo_instance *inst);

/* What words of settings stand for with this model: the mask (NULL, "auto" or a name; pip-d is the look-ahead
 * as the model's auxiliary decoder predicts it), kernels and precision. model NULL: the mask is not looked at. */
ucpo_status model_means(const struct ucpo_model *model, const char *mask, const char *kernels,
                        const char *precision, struct policy_means *out, ucpo_error *err);

/* Keys of metadata that are not facts. */
int model_is_reserved(const char *key);

#endif
