#include "io/pickle.h"

#include "io/io.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The machine: input, values made so far, stack, marks in the stack, memo. Every opcode makes at
 * most one value and pushes at most one entry, so everything is bounded by the input's size. */
struct machine {
    const char *label;
    const unsigned char *begin, *at, *end;
    struct pickle *out;
    size_t *stack, *mark, *memo;
    size_t depth, marks, memos;
    size_t stack_capacity, mark_capacity, memo_capacity;
    int is_checkpoint;
    ucpo_error *err;
};

static ucpo_status malformed(const struct machine *m, const char *what)
{
    return status_format(m->err, m->label, 0, "pickle, byte %zu: %s", (size_t)(m->at - m->begin),
                         what);
}

/* ---- input ---- */

static ucpo_status take(struct machine *m, size_t count, const unsigned char **out)
{
    if ((size_t)(m->end - m->at) < count) return malformed(m, "the file is cut short");
    *out = m->at;
    m->at += count;
    return UCPO_OK;
}

static ucpo_status take_unsigned(struct machine *m, int bytes, uint64_t *out)
{
    const unsigned char *u = NULL;
    ucpo_status st = take(m, (size_t)bytes, &u);
    if (!st) *out = io_little(u, (size_t)bytes);
    return st;
}

/* ---- values and stack ---- */

static ucpo_status push(struct machine *m, size_t value)
{
    return mem_append(&m->stack, &m->depth, &m->stack_capacity, &value, sizeof value, m->err);
}

static ucpo_status push_new(struct machine *m, struct pickle_value value)
{
    struct pickle *p = m->out;
    ucpo_status st =
        mem_append(&p->value, &p->values, &p->value_capacity, &value, sizeof value, m->err);
    return st ? st : push(m, p->values - 1);
}

static ucpo_status push_number(struct machine *m, double number)
{
    return push_new(m, (struct pickle_value){.kind = PICKLE_NUMBER, .number = number});
}

/* Where the entries above the last mark begin; below it nothing may be popped. */
static size_t stack_floor(const struct machine *m)
{
    return m->marks > 0 ? m->mark[m->marks - 1] : 0;
}

static ucpo_status pop(struct machine *m, size_t *out)
{
    if (m->depth <= stack_floor(m)) return malformed(m, "the stack is empty");
    *out = m->stack[--m->depth];
    return UCPO_OK;
}

static ucpo_status append(struct machine *m, struct pickle_value *sequence, size_t value)
{
    struct pickle *p = m->out;
    struct pickle_cell cell = {value, 0};
    size_t at = p->cells;
    ucpo_status st = mem_append(&p->cell, &p->cells, &p->cell_capacity, &cell, sizeof cell, m->err);
    if (st) return st;
    *(sequence->length++ ? &p->cell[sequence->tail].next : &sequence->head) = at;
    sequence->tail = at;
    return UCPO_OK;
}

/* Moves the stack from `from` on into a sequence. */
static ucpo_status append_from(struct machine *m, struct pickle_value *sequence, size_t from)
{
    for (size_t i = from; i < m->depth; i++) {
        ucpo_status st = append(m, sequence, m->stack[i]);
        if (st) return st;
    }
    m->depth = from;
    return UCPO_OK;
}

static ucpo_status pop_mark(struct machine *m, size_t *from)
{
    if (m->marks == 0) return malformed(m, "a mark is missing");
    *from = m->mark[--m->marks];
    return UCPO_OK;
}

static ucpo_status push_mark(struct machine *m)
{
    return mem_append(&m->mark, &m->marks, &m->mark_capacity, &m->depth, sizeof m->depth, m->err);
}

/* Where the last `count` entries begin, or (0) those behind the last mark, which is taken away. */
static ucpo_status entries_from(struct machine *m, size_t count, const char *missing, size_t *from)
{
    if (count == 0) return pop_mark(m, from);
    if (m->depth - stack_floor(m) < count) return malformed(m, missing);
    *from = m->depth - count;
    return UCPO_OK;
}

static ucpo_status make_tuple(struct machine *m, size_t count)
{
    struct pickle_value tuple = {.kind = PICKLE_SEQUENCE};
    size_t from = 0;
    ucpo_status st = entries_from(m, count, "the stack is empty", &from);
    if (!st) st = append_from(m, &tuple, from);
    return st ? st : push_new(m, tuple);
}

/* Adds entries to the list or dictionary (keys and values in turn) below them. */
static ucpo_status extend(struct machine *m, enum pickle_kind kind, size_t count)
{
    const char *missing = kind == PICKLE_DICT ? "a dictionary is missing" : "a list is missing";
    size_t from = 0;
    ucpo_status st = entries_from(m, count, missing, &from);
    if (st) return st;
    if (!m->stack || from <= stack_floor(m) || (kind == PICKLE_DICT && (m->depth - from) % 2 != 0))
        return malformed(m, missing);
    struct pickle_value *target = &m->out->value[m->stack[from - 1]];
    return target->kind == kind ? append_from(m, target, from) : malformed(m, missing);
}

static ucpo_status push_text(struct machine *m, int length_bytes)
{
    uint64_t length = 0;
    const unsigned char *text = NULL;
    ucpo_status st = take_unsigned(m, length_bytes, &length);
    if (!st && length > (uint64_t)(m->end - m->at)) return malformed(m, "the file is cut short");
    if (!st) st = take(m, (size_t)length, &text);
    if (st) return st;
    return push_new(m, (struct pickle_value){.kind = PICKLE_TEXT,
                                             .text = (const char *)text,
                                             .length = (size_t)length});
}

/* ---- memo ---- */

static ucpo_status remember(struct machine *m, uint64_t place)
{
    if (m->depth <= stack_floor(m)) return malformed(m, "the stack is empty");
    if (place > (uint64_t)(m->end - m->begin)) return malformed(m, "a memo number is too large");
    size_t need = (size_t)place + 1;
    size_t *grown = mem_grow(m->memo, &m->memo_capacity, need, sizeof *grown, m->err);
    if (!grown) return UCPO_E_MEMORY;
    m->memo = grown;
    while (m->memos < need) m->memo[m->memos++] = 0;
    m->memo[place] = m->stack[m->depth - 1];
    return UCPO_OK;
}

static ucpo_status recall(struct machine *m, int bytes)
{
    uint64_t place = 0;
    ucpo_status st = take_unsigned(m, bytes, &place);
    if (st) return st;
    if (place >= m->memos || m->memo[place] == 0) return malformed(m, "a memo entry is missing");
    return push(m, m->memo[place]);
}

static ucpo_status remember_at(struct machine *m, int bytes)
{
    uint64_t place = 0;
    ucpo_status st = take_unsigned(m, bytes, &place);
    return st ? st : remember(m, place);
}

/* ---- NumPy by name ---- */

enum global {
    GLOBAL_SCALAR,
    GLOBAL_DTYPE,
    GLOBAL_ARRAY,
    GLOBAL_FROM_BUFFER,
    GLOBAL_RECONSTRUCT,
    GLOBAL_ORDERED_DICT, /* from here on in checkpoints only */
    GLOBAL_DEFAULT_DICT,
    GLOBAL_COUNTER,
    GLOBAL_LIST,
    GLOBAL_ENCODE,
    GLOBAL_TENSOR,
    GLOBAL_PARAMETER,
    GLOBAL_FLOAT_STORAGE, /* from here on types of storages */
    GLOBAL_DOUBLE_STORAGE,
    GLOBAL_HALF_STORAGE,
    GLOBAL_LONG_STORAGE,
    GLOBAL_INT_STORAGE,
    GLOBAL_BOOL_STORAGE
};

/* The only names a file may use; "numpy._core" counts as "numpy.core". */
static const struct {
    const char *module, *name;
    char type; /* of a storage */
    int item_bytes;
} globals[] = {
    [GLOBAL_SCALAR] = {"numpy.core.multiarray", "scalar", 0, 0},
    [GLOBAL_DTYPE] = {"numpy", "dtype", 0, 0},
    [GLOBAL_ARRAY] = {"numpy", "ndarray", 0, 0},
    [GLOBAL_FROM_BUFFER] = {"numpy.core.numeric", "_frombuffer", 0, 0},
    [GLOBAL_RECONSTRUCT] = {"numpy.core.multiarray", "_reconstruct", 0, 0},
    [GLOBAL_ORDERED_DICT] = {"collections", "OrderedDict", 0, 0},
    [GLOBAL_DEFAULT_DICT] = {"collections", "defaultdict", 0, 0},
    [GLOBAL_COUNTER] = {"collections", "Counter", 0, 0},
    [GLOBAL_LIST] = {"__builtin__", "list", 0, 0}, /* protocol 2, as PyTorch writes */
    [GLOBAL_ENCODE] = {"_codecs", "encode", 0, 0}, /* of NumPy scalars' bytes, in protocol 2 */
    [GLOBAL_TENSOR] = {"torch._utils", "_rebuild_tensor_v2", 0, 0},
    [GLOBAL_PARAMETER] = {"torch._utils", "_rebuild_parameter", 0, 0},
    [GLOBAL_FLOAT_STORAGE] = {"torch", "FloatStorage", 'f', 4},
    [GLOBAL_DOUBLE_STORAGE] = {"torch", "DoubleStorage", 'f', 8},
    [GLOBAL_HALF_STORAGE] = {"torch", "HalfStorage", 'f', 2},
    [GLOBAL_LONG_STORAGE] = {"torch", "LongStorage", 'i', 8},
    [GLOBAL_INT_STORAGE] = {"torch", "IntStorage", 'i', 4},
    [GLOBAL_BOOL_STORAGE] = {"torch", "BoolStorage", 'b', 1},
};

char pickle_storage_type(const struct pickle_value *global, int *item_bytes)
{
    if (!global || global->kind != PICKLE_GLOBAL) return 0;
    *item_bytes = globals[(size_t)global->number].item_bytes;
    return globals[(size_t)global->number].type;
}

static int text_is(const char *text, size_t length, const char *word)
{
    return length == strlen(word) && memcmp(text, word, length) == 0;
}

static int is_module(const char *text, size_t length, const char *module)
{
    static const char old[] = "numpy.core.", new[] = "numpy._core.";
    if (text_is(text, length, module)) return 1;
    size_t o = sizeof old - 1, w = sizeof new - 1;
    return length > w && memcmp(text, new, w) == 0 && strncmp(module, old, o) == 0 &&
           text_is(text + w, length - w, module + o);
}

static int shown(size_t length)
{
    return (int)(length < 40 ? length : 40);
}

static ucpo_status push_global(struct machine *m, const char *module, size_t module_length,
                               const char *name, size_t name_length)
{
    size_t known = m->is_checkpoint ? sizeof globals / sizeof globals[0] : GLOBAL_ORDERED_DICT;
    for (size_t i = 0; i < known; i++)
        if (is_module(module, module_length, globals[i].module) &&
            text_is(name, name_length, globals[i].name))
            return push_new(m, (struct pickle_value){.kind = PICKLE_GLOBAL, .number = (double)i});
    return status_fail_at(m->err, UCPO_E_UNSUPPORTED, m->label, 0,
                          "pickle names %.*s.%.*s, expected lists, tuples%s and numbers only",
                          shown(module_length), module, shown(name_length), name,
                          m->is_checkpoint ? ", dictionaries, tensors" : "");
}

/* Printable ASCII only, so that a message can show it. */
static int is_plain_name(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] <= ' ' || text[i] > '~') return 0;
    return length > 0;
}

static ucpo_status stack_global(struct machine *m)
{
    size_t name = 0, module = 0;
    ucpo_status st = pop(m, &name);
    if (!st) st = pop(m, &module);
    if (st) return st;
    struct pickle_value a = m->out->value[module], b = m->out->value[name];
    if (a.kind != PICKLE_TEXT || b.kind != PICKLE_TEXT || !is_plain_name(a.text, a.length) ||
        !is_plain_name(b.text, b.length))
        return malformed(m, "a name is missing");
    return push_global(m, a.text, a.length, b.text, b.length);
}

/* GLOBAL: two lines of text. */
static ucpo_status line_global(struct machine *m)
{
    const char *part[2];
    size_t length[2];
    for (int k = 0; k < 2; k++) {
        const unsigned char *stop = memchr(m->at, '\n', (size_t)(m->end - m->at));
        if (!stop) return malformed(m, "the file is cut short");
        part[k] = (const char *)m->at, length[k] = (size_t)(stop - m->at);
        if (!is_plain_name(part[k], length[k])) return malformed(m, "a name is missing");
        m->at = stop + 1;
    }
    return push_global(m, part[0], length[0], part[1], length[1]);
}

const struct pickle_value *pickle_entry(const struct pickle *pickle, const struct pickle_value *of,
                                        size_t index)
{
    if (!of || (of->kind != PICKLE_SEQUENCE && of->kind != PICKLE_DICT) || index >= of->length)
        return NULL;
    size_t cell = of->head;
    while (index-- > 0) cell = pickle->cell[cell].next;
    return &pickle->value[pickle->cell[cell].value];
}

static const struct pickle_value *entry(const struct machine *m, const struct pickle_value *v,
                                        size_t index)
{
    return pickle_entry(m->out, v, index);
}

/* numpy.dtype('f8', ...) */
static ucpo_status make_dtype(struct machine *m, const struct pickle_value *args)
{
    const struct pickle_value *code = entry(m, args, 0);
    if (!code || code->kind != PICKLE_TEXT || code->length != 2 || !strchr("fiub", code->text[0]) ||
        !strchr("1248", code->text[1]) || !code->text[0] || !code->text[1])
        return malformed(m, "a NumPy type is not one of f4, f8, i1 .. i8, u1 .. u8, b1");
    return push_new(m, (struct pickle_value){.kind = PICKLE_DTYPE,
                                             .type = code->text[0],
                                             .item_bytes = code->text[1] - '0'});
}

/* numpy.core.multiarray.scalar(dtype, bytes) */
static ucpo_status make_scalar(struct machine *m, const struct pickle_value *args)
{
    const struct pickle_value *dtype = entry(m, args, 0), *raw = entry(m, args, 1);
    int is_good = dtype && raw && dtype->kind == PICKLE_DTYPE && raw->kind == PICKLE_TEXT &&
                  raw->length == (size_t)dtype->item_bytes &&
                  (dtype->type != 'f' || dtype->item_bytes >= 4);
    if (!is_good) return malformed(m, "a NumPy scalar is not understood");
    return push_number(m, io_number_in(raw->text, dtype->type, raw->length));
}

/* _rebuild_tensor_v2(storage, ...): kept as it stands. _rebuild_parameter(tensor, ...): the tensor. */
static ucpo_status make_tensor(struct machine *m, size_t args)
{
    const struct pickle_value *first = entry(m, &m->out->value[args], 0);
    if (first && first->kind == PICKLE_TENSOR) return push_new(m, *first);
    if (!first || first->kind != PICKLE_STORAGE) return malformed(m, "a tensor has no storage");
    return push_new(m, (struct pickle_value){.kind = PICKLE_TENSOR, .head = args});
}

/* REDUCE: what Python would call. We only note what would come out. */
static ucpo_status reduce(struct machine *m)
{
    size_t args = 0, callee = 0;
    ucpo_status st = pop(m, &args);
    if (!st) st = pop(m, &callee);
    if (st) return st;
    const struct pickle_value *f = &m->out->value[callee];
    struct pickle_value a = m->out->value[args];
    if (f->kind != PICKLE_GLOBAL || a.kind != PICKLE_SEQUENCE)
        return malformed(m, "a call is not understood");
    switch ((enum global)f->number) {
    case GLOBAL_SCALAR:
        if (m->is_checkpoint) break; /* nobody asks for its value */
        return make_scalar(m, &a);
    case GLOBAL_DTYPE: return make_dtype(m, &a);
    case GLOBAL_ARRAY:
    case GLOBAL_FROM_BUFFER:
    case GLOBAL_RECONSTRUCT:
    case GLOBAL_ENCODE: break;
    case GLOBAL_ORDERED_DICT:
    case GLOBAL_DEFAULT_DICT:
    case GLOBAL_COUNTER: return push_new(m, (struct pickle_value){.kind = PICKLE_DICT});
    case GLOBAL_TENSOR:
    case GLOBAL_PARAMETER: return make_tensor(m, args);
    case GLOBAL_LIST:
    case GLOBAL_FLOAT_STORAGE:
    case GLOBAL_DOUBLE_STORAGE:
    case GLOBAL_HALF_STORAGE:
    case GLOBAL_LONG_STORAGE:
    case GLOBAL_INT_STORAGE:
    case GLOBAL_BOOL_STORAGE: return malformed(m, "a call is not understood");
    }
    return push_new(m, (struct pickle_value){.kind = PICKLE_OPAQUE});
}

/* BUILD: the state of a dtype, (version, byte order, ...), or of an array. */
static ucpo_status build(struct machine *m)
{
    size_t state = 0;
    ucpo_status st = pop(m, &state);
    if (st) return st;
    if (m->depth <= stack_floor(m)) return malformed(m, "the stack is empty");
    const struct pickle_value *target = &m->out->value[m->stack[m->depth - 1]];
    if (target->kind == PICKLE_OPAQUE || target->kind == PICKLE_DICT) return UCPO_OK;
    if (target->kind != PICKLE_DTYPE) return malformed(m, "an object with a state is not known");
    const struct pickle_value *order = entry(m, &m->out->value[state], 1);
    if (order && order->kind == PICKLE_TEXT && order->length == 1 && order->text[0] != '>')
        return UCPO_OK;
    return malformed(m, "a NumPy type is not little-endian");
}

/* ---- opcodes ---- */

static ucpo_status take_float(struct machine *m)
{
    const unsigned char *u = NULL;
    ucpo_status st = take(m, 8, &u);
    if (st) return st;
    uint64_t bits = 0;
    for (int i = 0; i < 8; i++) bits = bits << 8 | u[i]; /* big-endian, unlike all others */
    double value;
    memcpy(&value, &bits, sizeof value);
    return push_number(m, value);
}

static ucpo_status take_integer(struct machine *m, int bytes, int is_signed)
{
    const unsigned char *u = m->at;
    uint64_t bits = 0;
    ucpo_status st = take_unsigned(m, bytes, &bits);
    if (st) return st;
    return push_number(m, is_signed ? io_number_in(u, 'i', (size_t)bytes) : (double)bits);
}

/* LONG1: a length, then that many bytes. */
static ucpo_status take_long(struct machine *m)
{
    uint64_t length = 0;
    ucpo_status st = take_unsigned(m, 1, &length);
    if (st) return st;
    if (length > 8) return malformed(m, "a whole number is too large");
    return length ? take_integer(m, (int)length, 1) : push_number(m, 0.0);
}

static ucpo_status skip(struct machine *m, size_t count)
{
    const unsigned char *ignored = NULL;
    return take(m, count, &ignored);
}

static ucpo_status take_version(struct machine *m)
{
    uint64_t version = 0;
    ucpo_status st = take_unsigned(m, 1, &version);
    if (!st && (version < 2 || version > 5)) return malformed(m, "the protocol is not 2 .. 5");
    return st;
}

/* ---- what only checkpoints have ---- */

/* BINPERSID: where PyTorch says which storage is meant. */
static ucpo_status make_storage(struct machine *m)
{
    size_t id = 0;
    ucpo_status st = pop(m, &id);
    if (st) return st;
    if (m->out->value[id].kind != PICKLE_SEQUENCE)
        return malformed(m, "a storage is not understood");
    return push_new(m, (struct pickle_value){.kind = PICKLE_STORAGE, .head = id});
}

static ucpo_status step_checkpoint(struct machine *m, unsigned char code)
{
    switch (code) {
    case '}': return push_new(m, (struct pickle_value){.kind = PICKLE_DICT});
    case 's': return extend(m, PICKLE_DICT, 2);
    case 'u': return extend(m, PICKLE_DICT, 0);
    case 'Q': return make_storage(m);
    default: break;
    }
    return status_fail_at(m->err, UCPO_E_UNSUPPORTED, m->label, 0,
                          "pickle, byte %zu: opcode 0x%02x is not one of those that dictionaries "
                          "of tensors need",
                          (size_t)(m->at - m->begin - 1), code);
}

static ucpo_status step(struct machine *m, unsigned char code)
{
    switch (code) {
    case 0x80: return take_version(m);
    case 0x95: return skip(m, 8); /* FRAME: a hint for readers of streams */
    case '(': return push_mark(m);
    case ']': /* an empty list, an empty tuple */
    case ')': return push_new(m, (struct pickle_value){.kind = PICKLE_SEQUENCE});
    case 'a': return extend(m, PICKLE_SEQUENCE, 1);
    case 'e': return extend(m, PICKLE_SEQUENCE, 0);
    case 't': return make_tuple(m, 0);
    case 0x85:
    case 0x86:
    case 0x87: return make_tuple(m, (size_t)(code - 0x84));
    case 'G': return take_float(m);
    case 'J': return take_integer(m, 4, 1);
    case 'M': return take_integer(m, 2, 0);
    case 'K': return take_integer(m, 1, 0);
    case 0x8a: return take_long(m);
    case 0x88: return push_number(m, 1.0);
    case 0x89: return push_number(m, 0.0);
    case 'N': return push_new(m, (struct pickle_value){.kind = PICKLE_NONE});
    case 'C': /* short bytes, short text */
    case 0x8c: return push_text(m, 1);
    case 'B':
    case 'X': return push_text(m, 4);
    case 0x96: return push_text(m, 8); /* bytearray */
    case 0x94: return remember(m, m->memos);
    case 'q': return remember_at(m, 1);
    case 'r': return remember_at(m, 4);
    case 'h': return recall(m, 1);
    case 'j': return recall(m, 4);
    case 'c': return line_global(m);
    case 0x93: return stack_global(m);
    case 'R': return reduce(m);
    case 'b': return build(m);
    default: break;
    }
    if (m->is_checkpoint) return step_checkpoint(m, code);
    return status_fail_at(m->err, UCPO_E_UNSUPPORTED, m->label, 0,
                          "pickle, byte %zu: opcode 0x%02x is not one of those that lists, tuples "
                          "and numbers need",
                          (size_t)(m->at - m->begin - 1), code);
}

static ucpo_status run(struct machine *m)
{
    for (;;) {
        if (m->at >= m->end) return malformed(m, "the file is cut short");
        unsigned char code = *m->at++;
        if (code == '.') break;
        ucpo_status st = step(m, code);
        if (st) return st;
    }
    if (m->at != m->end) return malformed(m, "there are bytes after the end");
    if (m->marks != 0 || m->depth != 1) return malformed(m, "the stack does not hold one value");
    m->out->root = m->stack[0];
    return UCPO_OK;
}

int pickle_detect(const char *bytes, size_t size)
{
    return size >= 2 && bytes && (unsigned char)bytes[0] == 0x80 && bytes[1] >= 2 && bytes[1] <= 5;
}

ucpo_status pickle_read(const char *bytes, size_t size, const char *label, int is_checkpoint,
                        struct pickle *out, ucpo_error *err)
{
    struct pickle made = {.values = 1, .cells = 1};
    const unsigned char *begin = (const unsigned char *)bytes;
    struct machine m = {.label = label,
                        .begin = begin,
                        .at = begin,
                        .out = &made,
                        .is_checkpoint = is_checkpoint,
                        .err = err};
    m.end = begin + size;
    ucpo_status st = run(&m);
    free(m.stack);
    free(m.mark);
    free(m.memo);
    if (st)
        pickle_free(&made);
    else
        *out = made;
    return st;
}

void pickle_free(struct pickle *pickle)
{
    free(pickle->value);
    free(pickle->cell);
    *pickle = (struct pickle){0};
}
