/* Python pickles as data: a stack machine over a closed list of opcodes that builds values and
 * never calls anything. Enough for what the PIP repository stores about LKH's results: lists,
 * tuples, numbers, NumPy scalars and arrays (the arrays' content is not kept); and, if asked for, for
 * the index of a PyTorch checkpoint: also dictionaries, storages and tensors. */
#ifndef UCPO_IO_PICKLE_H
#define UCPO_IO_PICKLE_H

#include "core/mem.h"

enum pickle_kind {
    PICKLE_NONE,
    PICKLE_NUMBER,   /* numbers, truth values, NumPy scalars */
    PICKLE_TEXT,     /* text or bytes */
    PICKLE_SEQUENCE, /* list or tuple */
    PICKLE_GLOBAL,   /* a name of the closed list in pickle.c */
    PICKLE_DTYPE,    /* a NumPy type */
    PICKLE_OPAQUE,   /* a NumPy array */
    PICKLE_DICT,     /* keys and values in turn; the next three in checkpoints only */
    PICKLE_STORAGE,  /* ("storage", type, key, device, count): the value `head` */
    PICKLE_TENSOR    /* (storage, offset, shape, strides, ...): the value `head` */
};

struct pickle_value {
    enum pickle_kind kind;
    double number;     /* of a number; of a global its place in the list */
    const char *text;  /* into the input */
    size_t length;     /* of text; entries of a sequence */
    size_t head, tail; /* cells of a sequence or dictionary */
    char type;         /* of a dtype: 'f', 'i', 'u', 'b' */
    int item_bytes;
};

/* Entry of a sequence. */
struct pickle_cell {
    size_t value, next;
};

/* Value 0 and cell 0 are not used: 0 means none. */
struct pickle {
    struct pickle_value *value;
    struct pickle_cell *cell;
    size_t values, value_capacity, cells, cell_capacity;
    size_t root;
};

int pickle_detect(const char *bytes, size_t size);

/* The texts point into `bytes`. Sequences may contain themselves: do not follow them blindly.
 * is_checkpoint: with what PyTorch needs. */
ucpo_status pickle_read(const char *bytes, size_t size, const char *label, int is_checkpoint,
                        struct pickle *out, ucpo_error *err);

/* Type of a storage that a global names ('f' 4, 'f' 8, 'f' 2, 'i' 8, ...); 0: it names none. */
char pickle_storage_type(const struct pickle_value *global, int *item_bytes);

/* Entry `index` of a sequence or dictionary, NULL if it has fewer. */
const struct pickle_value *pickle_entry(const struct pickle *pickle, const struct pickle_value *of,
                                        size_t index);
void pickle_free(struct pickle *pickle);

#endif
