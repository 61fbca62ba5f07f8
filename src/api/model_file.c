/* Model files: the parameter table of nn on one side, the container of io on the other. */
#include "api/model.h"

#include "core/text.h"
#include "io/events.h"
#include "io/json.h"
#include "io/safetensors.h"
#include "math/half.h"
#include "problem/pairs.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT_PREFIX "ucpo.model/"
#define FORMAT_NAME   "ucpo.model/1"

/* ---- the architecture as JSON ---- */

/* Its whole numbers: where they live in nn_config. */
static const struct {
    const char *key;
    size_t offset;
} arch_fields[] = {
    {"node_features", offsetof(struct nn_config, node_features)},
    {"depot_features", offsetof(struct nn_config, depot_features)},
    {"state_features", offsetof(struct nn_config, state_features)},
    {"width", offsetof(struct nn_config, width)},
    {"heads", offsetof(struct nn_config, heads)},
    {"hidden", offsetof(struct nn_config, hidden)},
    {"layers", offsetof(struct nn_config, layers)},
};

/* norm, clip, has_aux; then, in networks that have one, the side network: "decision" is an array of
 * the names of its features, "decision_hidden" their number of hidden units; "pair", likewise, the names of
 * the features of pairs; then the switches. */
enum { ARCH_FIELDS = sizeof arch_fields / sizeof arch_fields[0], ARCH_KEYS = ARCH_FIELDS + 3 };

/* Written as true where they are on, absent otherwise. */
static const struct {
    const char *key;
    size_t offset;
} arch_switches[] = {
    {"mean_context", offsetof(struct nn_config, has_mean)},
    {"time_in_units", offsetof(struct nn_config, has_units)},
    {"decision_glimpse", offsetof(struct nn_config, side_glimpse)},
};

enum { ARCH_SWITCHES = sizeof arch_switches / sizeof arch_switches[0] };

static int *arch_field(struct nn_config *config, size_t offset)
{
    return (int *)((char *)config + offset);
}

static void put_arch(struct io_buffer *out, const struct prob_ops *ops, struct nn_config config)
{
    io_put(out, "{", 1);
    for (size_t k = 0; k < ARCH_FIELDS; k++)
        io_printf(out, "\"%s\":%d,", arch_fields[k].key,
                  *arch_field(&config, arch_fields[k].offset));
    io_printf(out, "\"norm\":\"%s\",\"clip\":", model_norm_name[config.norm]);
    json_put_number(out, config.clip);
    io_printf(out, ",\"has_aux\":%s", config.has_aux ? "true" : "false");
    for (int k = 0; config.side_hidden && k < ops->decision_features; k++)
        io_printf(out, "%s\"%s\"", k ? "," : ",\"decision\":[", ops->decision[k].name);
    if (config.side_hidden) io_printf(out, "],\"decision_hidden\":%d", config.side_hidden);
    for (int k = 0; config.pair_features && k < ops->pair_features; k++)
        io_printf(out, "%s\"%s\"", k ? "," : ",\"pair\":[", ops->pair[k].name);
    if (config.pair_features) io_put(out, "]", 1);
    for (size_t k = 0; k < ARCH_SWITCHES; k++)
        if (*arch_field(&config, arch_switches[k].offset))
            io_printf(out, ",\"%s\":true", arch_switches[k].key);
    io_put(out, "}", 1);
    io_put(out, "", 1); /* closing NUL: it is handed on as a string */
}

/* The side network, if there is one: its features must be those of the problem. */
static ucpo_status read_side(const char *label, const json_t *root, const struct prob_ops *ops,
                             struct nn_config *out, ucpo_error *err)
{
    const json_t *names = json_object_get(root, "decision");
    const json_t *hidden = json_object_get(root, "decision_hidden");
    double number;
    if (!names && !hidden) return UCPO_OK;
    if (!json_whole(hidden, 4, KERN_SIDE_HIDDEN, &number))
        return json_wrong(label, "arch: decision_hidden", hidden, "a whole number of 4 .. 64", err);
    if (!json_is_array(names))
        return json_wrong(label, "arch: decision", names, "an array of names", err);
    int is_same = json_array_size(names) == (size_t)ops->decision_features;
    for (int k = 0; is_same && k < ops->decision_features; k++) {
        const char *name = json_string_value(json_array_get(names, (size_t)k));
        is_same = name && strcmp(name, ops->decision[k].name) == 0;
    }
    if (!is_same)
        return status_fail_at(err, UCPO_E_MISMATCH, label, 0,
                              "arch: decision lists other features than this version computes for "
                              "%s: train the model again",
                              ops->info.name);
    out->side_hidden = (int)number;
    out->side_features = ops->decision_features;
    return UCPO_OK;
}

/* The features of pairs, if there are some: those of the problem. */
static ucpo_status read_pairs(const char *label, const json_t *root, const struct prob_ops *ops,
                              struct nn_config *out, ucpo_error *err)
{
    const json_t *names = json_object_get(root, "pair");
    if (!names) return UCPO_OK;
    if (!json_is_array(names))
        return json_wrong(label, "arch: pair", names, "an array of names", err);
    int is_same = ops->pair_features > 0 && json_array_size(names) == (size_t)ops->pair_features;
    for (int k = 0; is_same && k < ops->pair_features; k++) {
        const char *name = json_string_value(json_array_get(names, (size_t)k));
        is_same = name && strcmp(name, ops->pair[k].name) == 0;
    }
    if (!is_same)
        return status_fail_at(err, UCPO_E_MISMATCH, label, 0,
                              "arch: pair lists other features than this version computes for %s: "
                              "train the model again",
                              ops->info.name);
    out->pair_features = ops->pair_features;
    return UCPO_OK;
}

static ucpo_status read_arch_fields(const char *label, const json_t *root,
                                    const struct prob_ops *ops, struct nn_config *out,
                                    ucpo_error *err)
{
    char path[64];
    for (size_t k = 0; k < ARCH_FIELDS; k++) {
        const json_t *value = json_object_get(root, arch_fields[k].key);
        double number;
        snprintf(path, sizeof path, "arch: %s", arch_fields[k].key);
        if (!json_whole(value, 0, 1e6, &number))
            return json_wrong(label, path, value, "a whole number >= 0", err);
        *arch_field(out, arch_fields[k].offset) = (int)number;
    }
    const json_t *norm = json_object_get(root, "norm"), *clip = json_object_get(root, "clip");
    const json_t *aux = json_object_get(root, "has_aux");
    const char *name = json_is_string(norm) ? json_string_value(norm) : "";
    int kind = 0;
    while (kind < NN_NORMS && strcmp(name, model_norm_name[kind]) != 0) kind++;
    if (kind == NN_NORMS)
        return json_wrong(label, "arch: norm", norm, "\"instance\", \"layer\" or \"fixed\"", err);
    if (!json_is_number(clip)) return json_wrong(label, "arch: clip", clip, "a number", err);
    if (!json_is_boolean(aux)) return json_wrong(label, "arch: has_aux", aux, "true or false", err);
    out->norm = (enum nn_norm)kind;
    out->clip = json_number_value(clip);
    out->has_aux = json_is_true(aux);
    ucpo_status st = read_side(label, root, ops, out, err);
    if (!st) st = read_pairs(label, root, ops, out, err);
    size_t expected = ARCH_KEYS + (out->side_hidden ? 2 : 0) + (out->pair_features ? 1 : 0);
    for (size_t k = 0; !st && k < ARCH_SWITCHES; k++) {
        const json_t *value = json_object_get(root, arch_switches[k].key);
        if (!value) continue;
        snprintf(path, sizeof path, "arch: %s", arch_switches[k].key);
        if (!json_is_true(value)) st = json_wrong(label, path, value, "true, or no such key", err);
        *arch_field(out, arch_switches[k].offset) = 1;
        expected++;
    }
    if (st) return st;
    if (json_object_size(root) != expected) /* a feature of the network we do not know */
        return status_fail_at(err, UCPO_E_UNSUPPORTED, label, 0,
                              "arch has %zu keys, expected %zu: written by a newer version?",
                              json_object_size(root), expected);
    return UCPO_OK;
}

static ucpo_status read_arch(const char *label, const char *text, const struct prob_ops *ops,
                             struct nn_config *out, ucpo_error *err)
{
    json_t *root = NULL;
    ucpo_error inner = {0};
    ucpo_status st = json_parse(text, strlen(text), label, &root, &inner);
    if (st) return status_fail_at(err, st, label, 0, "arch: %.400s", inner.text);
    st = read_arch_fields(label, root, ops, out, err);
    json_decref(root);
    return st;
}

/* ---- saving ---- */

/* "name[3, 7]" of entry i of a tensor, for messages. */
static const char *entry_name(const struct nn_tensor *t, size_t i, char *buf, size_t size)
{
    size_t columns = (size_t)t->shape[1];
    if (t->rank == 1)
        snprintf(buf, size, "%s[%zu]", t->name, i);
    else
        snprintf(buf, size, "%s[%zu, %zu]", t->name, i / columns, i % columns);
    return buf;
}

static ucpo_status encode(const struct ucpo_model *model, const struct nn_tensor *t,
                          ucpo_dtype dtype, unsigned char *to, ucpo_error *err)
{
    char name[128];
    for (size_t i = 0; i < t->count; i++) {
        float value = (float)model->params[t->offset + i];
        if (!isfinite(value))
            return status_argument(err, "%s is %g, only finite weights can be saved",
                                   entry_name(t, i, name, sizeof name), (double)value);
        if (dtype == UCPO_DTYPE_F16) {
            uint16_t half = half_from_float(value);
            if (!isfinite(half_to_float(half)))
                return status_argument(err, "%s is %g, too large for float16 (65504)",
                                       entry_name(t, i, name, sizeof name), (double)value);
            io_store_little(to + 2 * i, half, 2);
        } else {
            uint32_t bits;
            memcpy(&bits, &value, sizeof bits);
            io_store_little(to + 4 * i, bits, 4);
        }
    }
    return UCPO_OK;
}

/* Describes the model's tensors in table order; their data goes to consecutive bytes of `data`. */
static ucpo_status encode_all(const struct ucpo_model *model, ucpo_dtype dtype,
                              struct io_tensor *tensor, unsigned char *data, ucpo_error *err)
{
    enum io_dtype stored = dtype == UCPO_DTYPE_F16 ? IO_F16 : IO_F32;
    for (int k = 0; k < model->net.tensors; k++) {
        const struct nn_tensor *t = &model->net.tensor[k];
        unsigned char *to = data + t->offset * io_dtype_bytes(stored);
        ucpo_status st = encode(model, t, dtype, to, err);
        if (st) return st;
        tensor[k] = (struct io_tensor){.name = t->name,
                                       .dtype = stored,
                                       .rank = t->rank,
                                       .shape = {(size_t)t->shape[0], (size_t)t->shape[1]},
                                       .count = t->count,
                                       .data = to};
    }
    return UCPO_OK;
}

/* The checksum of a file is the CRC-32C of all its bytes with zeros in the checksum's own place. */
#define NO_CHECKSUM "00000000"

static const char checksum_key[] = "\"checksum\":\"";

/* Its eight digits in a whole file, or NULL. In a text the quotes would have backslashes. */
static char *find_checksum(const char *bytes, size_t size)
{
    size_t key = strlen(checksum_key), digits = strlen(NO_CHECKSUM);
    size_t length = size >= 8 ? (size_t)io_little(bytes, 8) : 0;
    size_t end = length < size ? 8 + length : size; /* of the header */
    for (size_t i = 8; i + key + digits < end && i + key + digits < size; i++)
        if (memcmp(bytes + i, checksum_key, key) == 0) return (char *)bytes + i + key;
    return NULL;
}

static uint32_t sum_of(const char *bytes, size_t size, const char *digits)
{
    size_t at = (size_t)(digits - bytes), width = strlen(NO_CHECKSUM);
    uint32_t sum = io_crc32c_add(0, bytes, at);
    sum = io_crc32c_add(sum, NO_CHECKSUM, width);
    return io_crc32c_add(sum, digits + width, size - at - width);
}

static void put_checksum(char *bytes, size_t size)
{
    char text[16], *digits = find_checksum(bytes, size);
    if (!digits) return;
    snprintf(text, sizeof text, "%08x", (unsigned)sum_of(bytes, size, digits));
    memcpy(digits, text, strlen(NO_CHECKSUM));
}

/* Files of older versions have none. */
static ucpo_status check_checksum(const char *bytes, size_t size, const char *label,
                                  ucpo_error *err)
{
    char text[16];
    const char *digits = find_checksum(bytes, size);
    if (!digits) return UCPO_OK;
    snprintf(text, sizeof text, "%08x", (unsigned)sum_of(bytes, size, digits));
    if (memcmp(digits, text, strlen(NO_CHECKSUM)) == 0) return UCPO_OK;
    return status_format(err, label, 0,
                         "the checksum is %s, the file says %.8s: it is damaged, or another "
                         "program changed it (and kept the old checksum in its metadata)",
                         text, digits);
}

static ucpo_status write_model(const struct ucpo_model *model, const struct io_tensor *tensor,
                               size_t tensors, struct io_buffer *out, ucpo_error *err)
{
    struct io_buffer arch = {0};
    put_arch(&arch, model->ops, model->net.config);
    ucpo_status st = io_buffer_status(&arch, err);
    struct io_meta meta[6 + MODEL_MAX_FACTS] = {
        {"checksum", NO_CHECKSUM},   {"format", FORMAT_NAME},
        {"version", ucpo_version()}, {"problem", model->ops->info.name},
        {"arch", arch.bytes},        {"normalisation", model_normalisation},
    };
    for (size_t i = 0; i < model->facts; i++)
        meta[6 + i] = (struct io_meta){model->fact[i].key, model->fact[i].value};
    if (!st) st = io_safetensors_write(out, meta, 6 + model->facts, tensor, tensors, err);
    if (!st) st = io_buffer_status(out, err);
    if (!st) put_checksum(out->bytes, out->size);
    io_buffer_free(&arch);
    return st;
}

/* The state of a training run as tensors behind the model's own: flat arrays, float32. */
static void describe_state(const struct model_state *state, size_t count, size_t total,
                           struct io_tensor *tensor, unsigned char *data)
{
    for (size_t k = 0; k < count; k++) {
        for (size_t i = 0; i < total; i++) {
            float value = (float)state[k].values[i];
            uint32_t bits;
            memcpy(&bits, &value, sizeof bits);
            io_store_little(data + 4 * i, bits, 4);
        }
        tensor[k] = (struct io_tensor){.name = state[k].name,
                                       .dtype = IO_F32,
                                       .rank = 1,
                                       .shape = {total},
                                       .count = total,
                                       .data = data};
        data += 4 * total;
    }
}

ucpo_status model_save_state(const ucpo_model *model, ucpo_dtype dtype,
                             const struct model_state *state, size_t states, char **bytes,
                             size_t *size, ucpo_error *err)
{
    size_t own = (size_t)model->net.tensors, total = model->net.total;
    size_t item = dtype == UCPO_DTYPE_F16 ? 2 : 4;
    struct io_tensor *tensor = mem_zeroed(own + states, sizeof *tensor);
    unsigned char *data = mem_zeroed(total, item + 4 * states);
    struct io_buffer out = {0};
    ucpo_status st = UCPO_E_MEMORY;
    if (tensor && data)
        st = encode_all(model, dtype, tensor, data, err);
    else
        status_no_memory(err, total * (item + 4 * states));
    if (!st) {
        describe_state(state, states, total, tensor + own, data + item * total);
        st = write_model(model, tensor, own + states, &out, err);
    }
    free(tensor);
    free(data);
    return io_buffer_give(&out, st, bytes, size, err);
}

ucpo_status ucpo_model_save_bytes(const ucpo_model *model, ucpo_dtype dtype, char **bytes,
                                  size_t *size, ucpo_error *err)
{
    if (!model || !bytes || !size)
        return status_argument(err, "model, bytes and size must not be NULL");
    if (dtype != UCPO_DTYPE_F32 && dtype != UCPO_DTYPE_F16)
        return status_argument(err, "dtype is %d, expected 0 (f32) or 1 (f16)", (int)dtype);
    return model_save_state(model, dtype, NULL, 0, bytes, size, err);
}

ucpo_status ucpo_model_save(const ucpo_model *model, const char *path, ucpo_dtype dtype,
                            ucpo_error *err)
{
    char *bytes = NULL;
    size_t size = 0;
    if (!model || !path) return status_argument(err, "model and path must not be NULL");
    ucpo_status st = ucpo_model_save_bytes(model, dtype, &bytes, &size, err);
    if (!st) st = ucpo_file_write(path, bytes, size, err);
    free(bytes);
    return st;
}

/* ---- loading: metadata ---- */

struct source {
    const char *label;
    struct io_tensors tensors;
    ucpo_error *err;
};

/* "ucpo.model/" and a number other than ours, without leading zeros. */
static int is_newer_format(const char *format)
{
    size_t prefix = strlen(FORMAT_PREFIX);
    if (strncmp(format, FORMAT_PREFIX, prefix) != 0) return 0;
    const char *number = format + prefix;
    size_t digits = strspn(number, "0123456789");
    return digits > 0 && number[digits] == '\0' && number[0] != '0' &&
           strcmp(format, FORMAT_NAME) != 0;
}

static ucpo_status check_format(const struct source *s)
{
    const char *format = io_tensors_meta(&s->tensors, "format");
    char shown[IO_SHOWN_NAME];
    if (!format)
        return status_format(s->err, s->label, 0,
                             "metadata 'format' is missing: tensors alone do not say problem and "
                             "architecture, expected a file with format " FORMAT_NAME);
    if (strcmp(format, FORMAT_NAME) == 0) return UCPO_OK;
    if (is_newer_format(format))
        return status_fail_at(s->err, UCPO_E_UNSUPPORTED, s->label, 0,
                              "format is '%s', newer than " FORMAT_NAME
                              ", the newest that version %s reads",
                              io_shown_name(format, shown), ucpo_version());
    return status_format(s->err, s->label, 0, "format is '%s', expected " FORMAT_NAME,
                         io_shown_name(format, shown));
}

static ucpo_status need_meta(const struct source *s, const char *key, const char **out)
{
    *out = io_tensors_meta(&s->tensors, key);
    if (*out) return UCPO_OK;
    return status_format(s->err, s->label, 0, "metadata '%s' is missing", key);
}

static ucpo_status check_features(const struct source *s, const struct prob_ops *ops,
                                  const struct nn_config *c)
{
    if (c->node_features == ops->node_features && c->depot_features == ops->depot_features &&
        c->state_features == ops->state_features)
        return UCPO_OK;
    return status_fail_at(
        s->err, UCPO_E_MISMATCH, s->label, 0,
        "arch has %d node, %d depot and %d state features, but problem %s has %d, "
        "%d and %d",
        c->node_features, c->depot_features, c->state_features, ops->info.name, ops->node_features,
        ops->depot_features, ops->state_features);
}

/* Everything the metadata says, except facts: a model without parameters. */
static ucpo_status read_outline(const struct source *s, struct ucpo_model **out)
{
    const char *version = NULL, *problem = NULL, *arch = NULL, *normalisation = NULL;
    char shown[IO_SHOWN_NAME], names[128];
    ucpo_status st = check_format(s);
    if (!st) st = need_meta(s, "version", &version);
    if (!st) st = need_meta(s, "problem", &problem);
    if (!st) st = need_meta(s, "arch", &arch);
    if (!st) st = need_meta(s, "normalisation", &normalisation);
    if (st) return st;
    const struct prob_ops *ops = prob_find(problem);
    if (!ops)
        return status_fail_at(s->err, UCPO_E_UNSUPPORTED, s->label, 0,
                              "problem is '%s', expected one of %s", io_shown_name(problem, shown),
                              prob_names(names, sizeof names));
    if (strcmp(normalisation, model_normalisation) != 0)
        return status_fail_at(s->err, UCPO_E_UNSUPPORTED, s->label, 0,
                              "normalisation is '%s', expected '%s'",
                              io_shown_name(normalisation, shown), model_normalisation);
    struct nn_config config = {0};
    st = read_arch(s->label, arch, ops, &config, s->err);
    if (!st) st = check_features(s, ops, &config);
    if (st) return st;
    ucpo_error inner = {0};
    st = model_outline(ops, &config, out, &inner);
    if (st == UCPO_E_ARGUMENT) st = UCPO_E_FORMAT;
    if (st) return status_fail_at(s->err, st, s->label, 0, "arch: %s", inner.text);
    snprintf((*out)->version, sizeof(*out)->version, "%.24s", io_shown_name(version, shown));
    return UCPO_OK;
}

/* A mask that is not known would be another one in use. */
static ucpo_status check_mask(const struct source *s, const char *name)
{
    char shown[IO_SHOWN_NAME];
    enum prob_mask mask;
    if (!name || strcmp(name, PROB_MASK_PREDICTED) == 0) return UCPO_OK;
    if (!prob_mask_find(name, &mask, NULL)) return UCPO_OK;
    return status_fail_at(
        s->err, UCPO_E_UNSUPPORTED, s->label, 0,
        "train.mask is '%s', expected %s, %s, %s or %s: written by a newer version?",
        io_shown_name(name, shown), prob_mask_name(PROB_MASK_SOFT),
        prob_mask_name(PROB_MASK_LOOKAHEAD), prob_mask_name(PROB_MASK_LOOKAHEAD_OWN),
        PROB_MASK_PREDICTED);
}

static ucpo_status read_facts(const struct source *s, struct ucpo_model *model)
{
    for (size_t i = 0; i < s->tensors.metas; i++) {
        const struct io_meta *meta = &s->tensors.meta[i];
        if (model_is_reserved(meta->key)) continue;
        ucpo_error inner = {0};
        ucpo_status st = ucpo_model_set_fact(model, meta->key, meta->value, &inner);
        if (st == UCPO_E_ARGUMENT) st = UCPO_E_FORMAT;
        if (st) return status_fail_at(s->err, st, s->label, 0, "metadata: %s", inner.text);
    }
    return check_mask(s, ucpo_model_fact(model, "train.mask"));
}

/* ---- loading: tensors ---- */

/* Mismatches, as many as fit. Once one did not fit, the rest is only counted. */
struct mismatches {
    char text[400];
    int shown, count;
};

__attribute__((format(printf, 2, 3))) static void add_mismatch(struct mismatches *list,
                                                               const char *format, ...)
{
    char item[256];
    va_list args;
    va_start(args, format);
    vsnprintf(item, sizeof item, format, args);
    va_end(args);
    int is_full = list->shown < list->count++;
    if (is_full || strlen(list->text) + strlen(item) + 3 > sizeof list->text) return;
    text_append(list->text, sizeof list->text, "; ", "%s", item);
    list->shown++;
}

static const char *shape_text(const size_t *shape, int rank, char *buf, size_t size)
{
    snprintf(buf, size, "[");
    for (int k = 0; k < rank; k++) text_append(buf, size, k ? ", " : "", "%zu", shape[k]);
    text_append(buf, size, "", "]");
    return buf;
}

/* Whether a file's tensor has the shape of the network's. */
static int model_has_shape(const struct nn_tensor *want, const struct io_tensor *have)
{
    return have->rank == want->rank && have->shape[0] == (size_t)want->shape[0] &&
           (want->rank == 1 || have->shape[1] == (size_t)want->shape[1]);
}

static void compare(struct mismatches *list, const struct nn_tensor *t, const struct io_tensor *f)
{
    size_t expected[IO_TENSOR_RANK] = {(size_t)t->shape[0], (size_t)t->shape[1]};
    char want[96], have[96];
    shape_text(expected, t->rank, want, sizeof want);
    if (!f) {
        add_mismatch(list, "%s %s is missing", t->name, want);
        return;
    }
    if (!model_has_shape(t, f))
        add_mismatch(list, "%s is %s, expected %s", t->name,
                     shape_text(f->shape, f->rank, have, sizeof have), want);
    if (f->dtype != IO_F32 && f->dtype != IO_F16)
        add_mismatch(list, "%s is %s, expected F32 or F16", t->name, io_dtype_name(f->dtype));
}

int model_has_tensor(const struct nn_model *net, const char *name)
{
    for (int k = 0; k < net->tensors; k++)
        if (strcmp(net->tensor[k].name, name) == 0) return 1;
    return 0;
}

static ucpo_status check_tensors(const struct source *s, const struct nn_model *net)
{
    struct mismatches list = {0};
    char shown[IO_SHOWN_NAME], more[32] = "";
    for (int k = 0; k < net->tensors; k++)
        compare(&list, &net->tensor[k], io_tensors_find(&s->tensors, net->tensor[k].name));
    for (size_t i = 0; i < s->tensors.count; i++)
        if (!model_has_tensor(net, s->tensors.tensor[i].name) &&
            strncmp(s->tensors.tensor[i].name, MODEL_STATE, strlen(MODEL_STATE)) != 0)
            add_mismatch(&list, "'%s' is unexpected",
                         io_shown_name(s->tensors.tensor[i].name, shown));
    if (list.count == 0) return UCPO_OK;
    if (list.shown < list.count)
        snprintf(more, sizeof more, "; and %d more", list.count - list.shown);
    return status_fail_at(s->err, UCPO_E_MISMATCH, s->label, 0,
                          "%d tensor%s not as the architecture asks: %s%s", list.count,
                          list.count == 1 ? " is" : "s are", list.text, more);
}

enum { BLOCK = 512 }; /* numbers that are decoded together */

/* Numbers from .. from + count - 1 of a tensor. */
static void decode(const struct io_tensor *f, size_t from, size_t count, float *out)
{
    if (f->dtype == IO_F16) {
        half_to_floats(f->data + 2 * from, count, out);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const unsigned char *at = f->data + 4 * (from + i);
        uint32_t bits =
            (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
        memcpy(&out[i], &bits, sizeof bits);
    }
}

size_t model_decode(const struct io_tensor *f, real *out, float *bad)
{
    float block[BLOCK];
    for (size_t from = 0; from < f->count; from += BLOCK) {
        size_t count = f->count - from < BLOCK ? f->count - from : BLOCK;
        decode(f, from, count, block);
        float sum = 0.0f; /* 0 x anything finite is 0, else NaN: no branch in the loop */
        for (size_t i = 0; i < count; i++) {
            sum += 0.0f * block[i];
            out[from + i] = (real)block[i];
        }
        for (size_t i = 0; sum != 0.0f && i < count; i++) {
            if (isfinite(block[i])) continue;
            *bad = block[i];
            return from + i;
        }
    }
    return f->count;
}

static ucpo_status read_weights(const struct source *s, struct ucpo_model *model)
{
    char name[128];
    for (int k = 0; k < model->net.tensors; k++) {
        const struct nn_tensor *t = &model->net.tensor[k];
        const struct io_tensor *f = io_tensors_find(&s->tensors, t->name);
        float bad = 0.0f;
        size_t at = model_decode(f, model->params + t->offset, &bad);
        if (at < f->count)
            return status_format(s->err, s->label, 0, "%s is %g, expected a finite weight",
                                 entry_name(t, at, name, sizeof name), (double)bad);
    }
    return UCPO_OK;
}

ucpo_status model_check_norm(const struct ucpo_model *model, const char *label, ucpo_error *err)
{
    const struct nn_config *c = &model->net.config;
    for (int l = 0; c->norm == NN_NORM_FIXED && l < c->layers; l++) {
        const struct nn_layer *o = &model->net.layer[l];
        for (int i = 0; i < c->width; i++) {
            double first = (double)model->params[o->var1 + (size_t)i];
            double second = (double)model->params[o->var2 + (size_t)i];
            if (first < 0.0 || second < 0.0)
                return status_format(err, label, 0,
                                     "running_var[%d] of layer %d is %g, expected >= 0", i, l,
                                     first < 0.0 ? first : second);
        }
    }
    return UCPO_OK;
}

/* Facts and weights. Memory for weights is taken only once the file is known to hold them. */
static ucpo_status read_content(const struct source *s, struct ucpo_model *model)
{
    ucpo_status st = check_tensors(s, &model->net);
    if (!st) st = read_facts(s, model);
    if (!st) st = model_fill(model, s->err);
    if (!st) st = read_weights(s, model);
    if (!st) st = model_check_norm(model, s->label, s->err);
    return st;
}

ucpo_status ucpo_model_load_bytes(const void *bytes, size_t size, const char *label,
                                  ucpo_model **out, ucpo_error *err)
{
    if ((!bytes && size > 0) || !out) return status_argument(err, "bytes and out must not be NULL");
    struct source s = {.label = label ? label : "", .err = err};
    ucpo_model *model = NULL;
    ucpo_status st = io_safetensors_read(bytes, size, s.label, &s.tensors, err);
    if (!st) st = check_checksum(bytes, size, s.label, err);
    if (!st) st = read_outline(&s, &model);
    if (model) st = read_content(&s, model);
    io_tensors_free(&s.tensors);
    if (st) {
        ucpo_model_free(model);
        return st;
    }
    *out = model;
    return UCPO_OK;
}

ucpo_status model_load_state(const char *bytes, size_t size, const char *label, size_t total,
                             const char *name, real *values, int *is_there, ucpo_error *err)
{
    struct io_tensors tensors = {0};
    *is_there = 0;
    ucpo_status st = io_safetensors_read(bytes, size, label, &tensors, err);
    const struct io_tensor *f = st ? NULL : io_tensors_find(&tensors, name);
    if (f && (f->dtype != IO_F32 || f->count != total))
        st = status_fail_at(err, UCPO_E_MISMATCH, label, 0, "%s has %zu numbers, expected %zu F32",
                            name, f->count, total);
    if (!st && f) {
        float bad = 0.0f;
        size_t at = model_decode(f, values, &bad);
        if (at < total) st = status_format(err, label, 0, "%s[%zu] is not finite", name, at);
    }
    *is_there = !st && f;
    io_tensors_free(&tensors);
    return st;
}

ucpo_status ucpo_model_load(const char *path, ucpo_model **out, ucpo_error *err)
{
    char *bytes = NULL;
    size_t size = 0;
    if (!out) return status_argument(err, "out must not be NULL");
    ucpo_status st = ucpo_file_read(path, &bytes, &size, err);
    if (st) return st;
    st = ucpo_model_load_bytes(bytes, size, path, out, err);
    free(bytes);
    return st;
}
