/* Settings as text: presets, key=value items, and the way back. One table of keys drives both. */
#include "core/number.h"
#include "core/sized.h"
#include "core/text.h"
#include "loss/loss.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the keys ---- */

enum key_kind { KEY_CHOICE, KEY_SWITCH, KEY_WHOLE, KEY_NUMBER, KEY_TERMS, KEY_ALPHA };

#define MAX_WORDS 6

struct key {
    const char *name;
    enum key_kind kind;
    size_t offset;                /* of the field in ucpo_loss_config */
    const char *words[MAX_WORDS]; /* KEY_CHOICE: by enum value; KEY_TERMS: by bit */
};

static_assert(sizeof(ucpo_relation) == sizeof(unsigned) && sizeof(int) == sizeof(unsigned) &&
                  sizeof(uint32_t) == sizeof(unsigned),
              "choices, switches and counts are stored through one type");

#define FIELD(name) offsetof(ucpo_loss_config, name)

static const struct key keys[] = {
    {"family", KEY_CHOICE, FIELD(family), {"pairs", "slim", "reinforce", "reinforce-norm"}},
    {"relation",
     KEY_CHOICE,
     FIELD(relation),
     {"canonical", "constraint", "primal", "dual", "ties", "objective"}},
    {"pairing",
     KEY_CHOICE,
     FIELD(pairing),
     {"anchor", "subsets", "subsets-mean", "best-worst", "argmax", "all"}},
    {"scaling",
     KEY_CHOICE,
     FIELD(scaling),
     {"lagrangian", "violation", "objective", "objective-inverse", "indicator", "constant"}},
    {"terms", KEY_TERMS, FIELD(terms), {"dual", "margin", "primal"}},
    {"k", KEY_WHOLE, FIELD(k), {0}},
    {"lambda", KEY_NUMBER, FIELD(lambda), {0}},
    {"tie", KEY_NUMBER, FIELD(tie), {0}},
    {"tie-is-plain", KEY_SWITCH, FIELD(tie_is_plain), {"no", "yes"}},
    {"indicator", KEY_NUMBER, FIELD(indicator), {0}},
    {"beta", KEY_NUMBER, FIELD(beta), {0}},
    {"beta-min", KEY_NUMBER, FIELD(beta_min), {0}},
    {"beta-max", KEY_NUMBER, FIELD(beta_max), {0}},
    {"skip-equal", KEY_SWITCH, FIELD(skip_equal), {"no", "yes"}},
    {"alpha", KEY_ALPHA, FIELD(alpha), {0}},
};

enum { KEYS = sizeof keys / sizeof keys[0] };

static unsigned get_word(const ucpo_loss_config *config, const struct key *key)
{
    unsigned value;
    memcpy(&value, (const char *)config + key->offset, sizeof value);
    return value;
}

static void set_word(ucpo_loss_config *config, const struct key *key, unsigned value)
{
    memcpy((char *)config + key->offset, &value, sizeof value);
}

static double get_number(const ucpo_loss_config *config, const struct key *key)
{
    double value;
    memcpy(&value, (const char *)config + key->offset, sizeof value);
    return value;
}

static void set_number(ucpo_loss_config *config, const struct key *key, double value)
{
    memcpy((char *)config + key->offset, &value, sizeof value);
}

/* ---- presets: what differs from the default ---- */

static const struct preset {
    const char *name, *items;
} presets[] = {
    {"ucpo", ""},
    {"ucpo-c", "relation=constraint"},
    {"ucpo-p", "relation=primal"},
    {"ucpo-d", "relation=dual"},
    {"ucpo-t", "relation=ties"},
    {"ucpo-t-plain", "relation=ties,tie-is-plain=yes"},
    {"ucpo-beta-d", "scaling=violation"},
    {"ucpo-beta-p", "scaling=objective"},
    {"ucpo-beta-p-inverse", "scaling=objective-inverse"},
    {"ucpo-beta-c", "scaling=indicator"},
    {"ucpo-subsets", "pairing=subsets"},
    {"ucpo-subsets-mean", "pairing=subsets-mean"},
    {"ucpo-best-worst", "pairing=best-worst"},
    {"ucpo-argmax", "pairing=argmax"},
    {"ucpo-dual", "terms=dual"},
    {"ucpo-margin", "terms=margin"},
    {"ucpo-primal", "terms=primal"},
    {"bopo", "relation=objective"},
    {"poco", "relation=dual,pairing=all,scaling=constant,beta=0.05,alpha=sum"},
    {"slim", "family=slim"},
    {"reinforce", "family=reinforce,alpha=sum"},
    {"reinforce-norm", "family=reinforce-norm,alpha=sum"},
};

enum { PRESETS = sizeof presets / sizeof presets[0] };

const char *ucpo_loss_preset_at(size_t index)
{
    return index < PRESETS ? presets[index].name : NULL;
}

/* ---- reading ---- */

/* A piece of the text; blanks around it do not count. */
struct piece {
    const char *at;
    size_t length;
};

static struct piece trimmed(const char *begin, const char *end)
{
    while (begin < end && *begin == ' ') begin++;
    while (end > begin && end[-1] == ' ') end--;
    return (struct piece){begin, (size_t)(end - begin)};
}

/* The piece up to the next `separator`; moves *at behind it, to NULL at the end. */
static struct piece cut(const char **at, const char *end, char separator)
{
    const char *begin = *at;
    const char *stop = memchr(begin, separator, (size_t)(end - begin));
    *at = stop ? stop + 1 : NULL;
    return trimmed(begin, stop ? stop : end);
}

static int is_word(struct piece piece, const char *word)
{
    return strlen(word) == piece.length && memcmp(piece.at, word, piece.length) == 0;
}

/* Index of the word, or count if it is none of them. */
static size_t find_word(struct piece piece, const char *const *words, size_t count)
{
    size_t i = 0;
    while (i < count && !(words[i] && is_word(piece, words[i]))) i++;
    return i;
}

/* "what 'piece' is unknown; did you mean 'x'?" or a list of the words if nothing is near. */
static ucpo_status unknown_word(const char *what, struct piece piece, const char *const *words,
                                size_t count, ucpo_error *err)
{
    char word[48], list[320] = "";
    size_t length = piece.length < sizeof word - 1 ? piece.length : sizeof word - 1;
    memcpy(word, piece.at, length);
    word[length] = '\0';
    const char *near = text_nearest(word, words, count);
    if (near)
        return status_fail(err, UCPO_E_ARGUMENT, "loss: %s '%s' is unknown; did you mean '%s'?",
                           what, word, near);
    for (size_t i = 0, used = 0; i < count && words[i] && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, " %s", words[i]);
    return status_fail(err, UCPO_E_ARGUMENT, "loss: %s '%s' is unknown; expected one of:%s", what,
                       word, list);
}

static ucpo_status not_a(const char *expected, const struct key *key, struct piece value,
                         ucpo_error *err)
{
    int length = value.length < 40 ? (int)value.length : 40;
    return status_fail(err, UCPO_E_ARGUMENT, "loss: %s is '%.*s', expected %s", key->name, length,
                       value.at, expected);
}

static ucpo_status read_terms(ucpo_loss_config *config, const struct key *key, struct piece value,
                              ucpo_error *err)
{
    unsigned terms = 0;
    const char *at = value.at, *end = value.at + value.length;
    while (at) {
        struct piece name = cut(&at, end, '+');
        size_t bit = find_word(name, key->words, MAX_WORDS);
        if (bit == MAX_WORDS) return unknown_word(key->name, name, key->words, MAX_WORDS, err);
        terms |= 1u << bit;
    }
    set_word(config, key, terms);
    return UCPO_OK;
}

/* "mean", "sum", "0.1" or "3/n". */
static ucpo_status read_alpha(ucpo_loss_config *config, const struct key *key, struct piece value,
                              ucpo_error *err)
{
    int is_mean = is_word(value, "mean"), is_sum = is_word(value, "sum");
    int is_per_node = value.length > 2 && memcmp(value.at + value.length - 2, "/n", 2) == 0;
    size_t digits = is_per_node ? value.length - 2 : value.length;
    double alpha = 1.0;
    if (!is_mean && !is_sum && !number_read(value.at, digits, &alpha))
        return not_a("mean, sum, a number or a number of n-ths such as 3/n", key, value, err);
    config->alpha = alpha;
    config->alpha_is_per_node = is_mean || is_per_node;
    return UCPO_OK;
}

static ucpo_status read_value(ucpo_loss_config *config, const struct key *key, struct piece value,
                              ucpo_error *err)
{
    double number;
    size_t choice;
    switch (key->kind) {
    case KEY_CHOICE:
    case KEY_SWITCH:
        choice = find_word(value, key->words, MAX_WORDS);
        if (choice == MAX_WORDS) return unknown_word(key->name, value, key->words, MAX_WORDS, err);
        set_word(config, key, (unsigned)choice);
        return UCPO_OK;
    case KEY_WHOLE:
        if (!number_read(value.at, value.length, &number) || number != floor(number) ||
            number < 1.0 || number > UINT32_MAX)
            return not_a("a whole number of at least 1", key, value, err);
        set_word(config, key, (unsigned)number);
        return UCPO_OK;
    case KEY_NUMBER:
        if (!number_read(value.at, value.length, &number))
            return not_a("a number", key, value, err);
        set_number(config, key, number);
        return UCPO_OK;
    case KEY_TERMS: return read_terms(config, key, value, err);
    case KEY_ALPHA: return read_alpha(config, key, value, err);
    }
    return UCPO_E_INTERNAL;
}

static ucpo_status read_item(ucpo_loss_config *config, struct piece item, ucpo_error *err)
{
    const char *names[KEYS], *at = item.at, *end = item.at + item.length;
    if (!memchr(item.at, '=', item.length))
        return status_fail(err, UCPO_E_ARGUMENT, "loss: expected key=value, found '%.*s'",
                           item.length < 40 ? (int)item.length : 40, item.at);
    for (size_t i = 0; i < KEYS; i++) names[i] = keys[i].name;
    struct piece name = cut(&at, end, '=');
    size_t k = find_word(name, names, KEYS);
    if (k == KEYS) return unknown_word("key", name, names, KEYS, err);
    return read_value(config, &keys[k], trimmed(at, end), err);
}

static ucpo_status read_items(ucpo_loss_config *config, const char *at, ucpo_error *err)
{
    const char *end = at + strlen(at);
    while (at) {
        ucpo_status st = read_item(config, cut(&at, end, ','), err);
        if (st) return st;
    }
    return UCPO_OK;
}

/* A preset's items come from the table above and cannot fail; a test reads them all. */
static ucpo_loss_config preset_config(size_t p)
{
    ucpo_loss_config config = ucpo_loss_config_default();
    if (presets[p].items[0] != '\0') (void)read_items(&config, presets[p].items, NULL);
    return config;
}

ucpo_status ucpo_loss_config_parse(const char *text, ucpo_loss_config *out, size_t size,
                                   ucpo_error *err)
{
    if (!text || !out)
        return status_fail(err, UCPO_E_ARGUMENT, "loss: %s is NULL", text ? "out" : "text");
    const char *names[PRESETS], *rest = text;
    for (size_t i = 0; i < PRESETS; i++) names[i] = presets[i].name;
    struct piece first = cut(&rest, text + strlen(text), ',');
    ucpo_loss_config config = ucpo_loss_config_default();
    if (memchr(first.at, '=', first.length)) {
        rest = text;
    } else {
        size_t p = find_word(first, names, PRESETS);
        if (p == PRESETS) return unknown_word("preset", first, names, PRESETS, err);
        config = preset_config(p);
    }
    ucpo_status st = rest ? read_items(&config, rest, err) : UCPO_OK;
    if (!st) st = config_check(&config, err);
    if (!st) sized_give(out, size, &config, sizeof config);
    return st;
}

/* ---- writing ---- */

static int is_same(const ucpo_loss_config *a, const ucpo_loss_config *b, const struct key *key)
{
    switch (key->kind) {
    case KEY_NUMBER: return get_number(a, key) == get_number(b, key);
    case KEY_ALPHA: return a->alpha == b->alpha && !a->alpha_is_per_node == !b->alpha_is_per_node;
    case KEY_SWITCH: return !get_word(a, key) == !get_word(b, key);
    default: return get_word(a, key) == get_word(b, key);
    }
}

struct writer {
    char *buf;
    size_t size, used;
};

static void put(struct writer *out, const char *text)
{
    for (; *text; text++, out->used++)
        if (out->used + 1 < out->size) out->buf[out->used] = *text;
}

static void write_terms(struct writer *out, const struct key *key, unsigned terms)
{
    const char *joint = "";
    for (size_t bit = 0; bit < MAX_WORDS && key->words[bit]; bit++) {
        if (!(terms & 1u << bit)) continue;
        put(out, joint);
        put(out, key->words[bit]);
        joint = "+";
    }
}

static void write_value(struct writer *out, const struct key *key, const ucpo_loss_config *config)
{
    char digits[NUMBER_SIZE];
    unsigned word = get_word(config, key);
    switch (key->kind) {
    case KEY_CHOICE: put(out, word < MAX_WORDS && key->words[word] ? key->words[word] : "?"); break;
    case KEY_SWITCH: put(out, key->words[word != 0]); break;
    case KEY_WHOLE: put(out, number_write(digits, word)); break;
    case KEY_NUMBER: put(out, number_write(digits, get_number(config, key))); break;
    case KEY_TERMS: write_terms(out, key, word); break;
    case KEY_ALPHA:
        put(out, number_write(digits, config->alpha));
        if (config->alpha_is_per_node) put(out, "/n");
        break;
    }
}

/* The preset with the fewest differences, the earlier one among equals. */
static size_t nearest_preset(const ucpo_loss_config *config)
{
    size_t best = 0, fewest = KEYS + 1;
    for (size_t p = 0; p < PRESETS; p++) {
        ucpo_loss_config preset = preset_config(p);
        size_t differences = 0;
        for (size_t k = 0; k < KEYS; k++) differences += !is_same(config, &preset, &keys[k]);
        if (differences >= fewest) continue;
        best = p;
        fewest = differences;
    }
    return best;
}

size_t ucpo_loss_config_text(const ucpo_loss_config *config, char *buf, size_t size)
{
    ucpo_loss_config defaults = ucpo_loss_config_default();
    if (!config) config = &defaults;
    struct writer out = {buf, buf ? size : 0, 0};
    size_t p = nearest_preset(config);
    ucpo_loss_config preset = preset_config(p);
    put(&out, presets[p].name);
    for (size_t k = 0; k < KEYS; k++) {
        if (is_same(config, &preset, &keys[k])) continue;
        put(&out, ",");
        put(&out, keys[k].name);
        put(&out, "=");
        write_value(&out, &keys[k], config);
    }
    if (buf && size > 0) buf[out.used < size ? out.used : size - 1] = '\0';
    return out.used;
}
