#include "io/checkpoint.h"

#include "io/pickle.h"
#include "io/zip.h"

#include <stdlib.h>
#include <string.h>

#define PREFIX "module." /* of networks that were spread over devices */

enum { MAX_TENSORS = 4096 };

/* What is being read. */
struct reading {
    const char *label;
    struct zip zip;
    const char *folder; /* inside the archive, with its slash */
    size_t folder_length;
    struct pickle pickle;
    ucpo_error *err;
};

static ucpo_status wrong(const struct reading *r, const char *what)
{
    return status_format(r->err, r->label, 0, "checkpoint: %s", what);
}

static int is_text(const struct pickle_value *v, const char *word)
{
    return v && v->kind == PICKLE_TEXT && v->length == strlen(word) &&
           memcmp(v->text, word, v->length) == 0;
}

/* A whole number of 0 .. 2^40; -1: it is none. */
static long long whole(const struct pickle_value *v)
{
    if (!v || v->kind != PICKLE_NUMBER || !(v->number >= 0.0 && v->number <= 1099511627776.0))
        return -1;
    long long value = (long long)v->number;
    return (double)value == v->number ? value : -1;
}

/* ---- the archive ---- */

static ucpo_status open_archive(struct reading *r, const char *bytes, size_t size)
{
    static const char index[] = "data.pkl";
    ucpo_status st = zip_read(bytes, size, r->label, &r->zip, r->err);
    const struct zip_entry *found = NULL;
    for (size_t i = 0; !st && !found && i < r->zip.count; i++) {
        const struct zip_entry *e = &r->zip.entry[i];
        size_t length = sizeof index - 1;
        if (e->name_length <= length || e->name[e->name_length - length - 1] != '/') continue;
        if (memcmp(e->name + e->name_length - length, index, length) == 0) found = e;
    }
    if (st) return st;
    if (!found) return wrong(r, "there is no data.pkl in the archive: not made by torch.save");
    r->folder = found->name;
    r->folder_length = found->name_length - (sizeof index - 1);
    const struct zip_entry *order = zip_find(&r->zip, r->folder, r->folder_length, "byteorder", 9);
    if (order && (order->size < 6 || memcmp(order->data, "little", 6) != 0))
        return wrong(r, "its numbers are not little-endian");
    return pickle_read(found->data, found->size, r->label, 1, &r->pickle, r->err);
}

/* ---- the state dictionary ---- */

static const struct pickle_value *find_key(const struct reading *r, const struct pickle_value *dict,
                                           const char *key)
{
    size_t cell = dict->head;
    for (size_t i = 0; i + 1 < dict->length; i += 2) {
        size_t next = r->pickle.cell[cell].next;
        if (is_text(&r->pickle.value[r->pickle.cell[cell].value], key))
            return &r->pickle.value[r->pickle.cell[next].value];
        cell = r->pickle.cell[next].next;
    }
    return NULL;
}

static ucpo_status find_state(const struct reading *r, const struct pickle_value **out)
{
    static const char *const keys[] = {"model_state_dict", "state_dict", "model"};
    const struct pickle_value *root = &r->pickle.value[r->pickle.root];
    if (root->kind != PICKLE_DICT) return wrong(r, "it holds no dictionary");
    *out = root;
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
        const struct pickle_value *inner = find_key(r, root, keys[k]);
        if (!inner || inner->kind != PICKLE_DICT) continue;
        *out = inner;
        break;
    }
    return UCPO_OK;
}

/* ---- one tensor ---- */

static int dtype_of(char type, int bytes, enum io_dtype *out)
{
    if (type == 'f') *out = bytes == 4 ? IO_F32 : bytes == 8 ? IO_F64 : IO_F16;
    if (type == 'i') *out = bytes == 8 ? IO_I64 : IO_I32;
    if (type == 'b') *out = IO_BOOL;
    return type != 0;
}

/* Shape and strides: row-major without gaps, which is how modules keep their weights. */
static ucpo_status read_shape(const struct reading *r, const struct pickle_value *shape,
                              const struct pickle_value *strides, struct io_tensor *t)
{
    if (!shape || !strides || shape->kind != PICKLE_SEQUENCE || strides->kind != PICKLE_SEQUENCE ||
        shape->length != strides->length || shape->length > IO_TENSOR_RANK)
        return wrong(r, "a tensor has no shape of at most 4 numbers");
    t->rank = (int)shape->length;
    t->count = 1;
    for (int k = t->rank; k-- > 0;) {
        long long extent = whole(pickle_entry(&r->pickle, shape, (size_t)k));
        long long stride = whole(pickle_entry(&r->pickle, strides, (size_t)k));
        if (extent < 0 || stride < 0) return wrong(r, "a shape is not of whole numbers");
        if (extent > 1 && (size_t)stride != t->count)
            return wrong(r, "a tensor is not row-major: save contiguous tensors");
        t->shape[k] = (size_t)extent;
        if (extent > 0 && t->count > ((size_t)1 << 40) / (size_t)extent)
            return wrong(r, "a tensor is too large");
        t->count *= (size_t)extent;
    }
    return UCPO_OK;
}

static ucpo_status read_data(const struct reading *r, const struct pickle_value *storage,
                             long long offset, struct io_tensor *t)
{
    if (!storage || storage->kind != PICKLE_STORAGE) return wrong(r, "a tensor has no storage");
    const struct pickle_value *id = &r->pickle.value[storage->head];
    const struct pickle_value *key = pickle_entry(&r->pickle, id, 2);
    int bytes = 0;
    char type = pickle_storage_type(pickle_entry(&r->pickle, id, 1), &bytes);
    char name[40] = "data/";
    if (!is_text(pickle_entry(&r->pickle, id, 0), "storage") || !dtype_of(type, bytes, &t->dtype) ||
        !key || key->kind != PICKLE_TEXT || key->length > sizeof name - 6 || offset < 0)
        return wrong(r, "a storage is not understood");
    memcpy(name + 5, key->text, key->length);
    const struct zip_entry *file =
        zip_find(&r->zip, r->folder, r->folder_length, name, 5 + key->length);
    if (!file) return wrong(r, "the file of a storage is missing");
    size_t numbers = file->size / (size_t)bytes;
    if ((size_t)offset > numbers || numbers - (size_t)offset < t->count)
        return wrong(r, "a tensor is larger than its storage");
    t->data = (const unsigned char *)file->data + (size_t)offset * (size_t)bytes;
    return UCPO_OK;
}

static ucpo_status read_tensor(const struct reading *r, const struct pickle_value *value,
                               struct io_tensor *t)
{
    const struct pickle_value *args = &r->pickle.value[value->head];
    ucpo_status st =
        read_shape(r, pickle_entry(&r->pickle, args, 2), pickle_entry(&r->pickle, args, 3), t);
    if (st) return st;
    return read_data(r, pickle_entry(&r->pickle, args, 0), whole(pickle_entry(&r->pickle, args, 1)),
                     t);
}

/* ---- all of them ---- */

/* The name without its prefix, closed by a NUL, at `to`; returns where the next one goes. */
static char *copy_name(const struct pickle_value *key, char *to)
{
    size_t skip = strlen(PREFIX);
    if (key->length <= skip || memcmp(key->text, PREFIX, skip) != 0) skip = 0;
    for (size_t i = skip; i < key->length; i++) {
        char c = key->text[i];
        *to++ = c > ' ' && c < 127 ? c : '?';
    }
    *to++ = '\0';
    return to;
}

static ucpo_status read_tensors(const struct reading *r, const struct pickle_value *state,
                                struct checkpoint *out)
{
    size_t cell = state->head, room = 1;
    for (size_t i = 0; i < state->length; i++, cell = r->pickle.cell[cell].next)
        room += r->pickle.value[r->pickle.cell[cell].value].kind == PICKLE_TEXT
                    ? r->pickle.value[r->pickle.cell[cell].value].length + 1
                    : 1;
    out->tensor = calloc(state->length + 1, sizeof *out->tensor);
    out->names = malloc(room);
    if (!out->tensor || !out->names) return status_no_memory(r->err, room);
    char *to = out->names;
    cell = state->head;
    for (size_t i = 0; i + 1 < state->length; i += 2) {
        size_t next = r->pickle.cell[cell].next;
        const struct pickle_value *key = &r->pickle.value[r->pickle.cell[cell].value];
        const struct pickle_value *value = &r->pickle.value[r->pickle.cell[next].value];
        cell = r->pickle.cell[next].next;
        if (key->kind != PICKLE_TEXT || value->kind != PICKLE_TENSOR) continue;
        struct io_tensor *t = &out->tensor[out->count];
        t->name = to;
        to = copy_name(key, to);
        if (checkpoint_find(out, t->name)) return wrong(r, "two tensors have the same name");
        ucpo_status st = read_tensor(r, value, t);
        if (st) return st;
        if (++out->count > MAX_TENSORS) return wrong(r, "there are more than 4096 tensors");
    }
    return out->count ? UCPO_OK : wrong(r, "there is no tensor in its state dictionary");
}

ucpo_status checkpoint_read(const char *bytes, size_t size, const char *label,
                            struct checkpoint *out, ucpo_error *err)
{
    struct reading r = {.label = label, .err = err};
    struct checkpoint made = {0};
    const struct pickle_value *state = NULL;
    ucpo_status st = open_archive(&r, bytes, size);
    if (!st) st = find_state(&r, &state);
    if (!st) st = read_tensors(&r, state, &made);
    pickle_free(&r.pickle);
    zip_free(&r.zip);
    if (st)
        checkpoint_free(&made);
    else
        *out = made;
    return st;
}

void checkpoint_free(struct checkpoint *checkpoint)
{
    free(checkpoint->tensor);
    free(checkpoint->names);
    *checkpoint = (struct checkpoint){0};
}

const struct io_tensor *checkpoint_find(const struct checkpoint *checkpoint, const char *name)
{
    for (size_t i = 0; i < checkpoint->count; i++)
        if (strcmp(checkpoint->tensor[i].name, name) == 0) return &checkpoint->tensor[i];
    return NULL;
}
