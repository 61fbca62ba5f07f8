/* Command line parser over option tables. Strict: what is not understood is an error with a hint.
 */
#include "cli/options.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* ---- word lists and nearest matches ---- */

const char *opt_join(opt_words words, const char *separator, char *buf, size_t size)
{
    size_t used = 0;
    buf[0] = '\0';
    for (size_t i = 0; words(i) && used < size; i++)
        used += (size_t)snprintf(buf + used, size - used, "%s%s", i ? separator : "", words(i));
    return buf;
}

int opt_has_word(opt_words words, const char *word)
{
    for (size_t i = 0; words(i); i++)
        if (strcmp(words(i), word) == 0) return 1;
    return 0;
}

static size_t min_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

enum { EDIT_MAX = 40 };

/* Insertions, deletions, replacements and swaps of neighbours that turn a into b. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t rows[3][EDIT_MAX + 1];
    size_t length_a = strlen(a), length_b = strlen(b);
    if (length_a > EDIT_MAX || length_b > EDIT_MAX) return EDIT_MAX;
    size_t *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= length_b; j++) last[j] = j;
    for (size_t i = 1; i <= length_a; i++) {
        row[0] = i;
        for (size_t j = 1; j <= length_b; j++) {
            size_t cost = last[j - 1] + (a[i - 1] != b[j - 1]);
            cost = min_of(cost, min_of(last[j], row[j - 1]) + 1);
            int is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (is_swap) cost = min_of(cost, before[j - 2] + 1);
            row[j] = cost;
        }
        size_t *oldest = before;
        before = last;
        last = row;
        row = oldest;
    }
    return last[length_b];
}

/* How far `word` is from a known name; SIZE_MAX if too far to be meant. */
static size_t distance_to(const char *known, const char *word)
{
    size_t length = strlen(word);
    if (length >= 2 && strncmp(known, word, length) == 0) return 0; /* an abbreviation */
    size_t distance = edit_distance(known, word);
    size_t limit = length <= 3 ? 1 : length <= 6 ? 2 : 3;
    return distance <= limit && distance < length ? distance : SIZE_MAX;
}

const char *opt_nearest(opt_words words, const char *word)
{
    const char *best = NULL;
    size_t best_distance = SIZE_MAX;
    for (size_t i = 0; words(i); i++) {
        size_t distance = distance_to(words(i), word);
        if (distance < best_distance) {
            best = words(i);
            best_distance = distance;
        }
    }
    return best;
}

const char *opt_hint(opt_words words, const char *word, char *buf, size_t size)
{
    const char *near = opt_nearest(words, word);
    buf[0] = '\0';
    if (near) snprintf(buf, size, " (did you mean '%s'?)", near);
    return buf;
}

/* ---- finding options ---- */

/* An option, and the struct its value goes to. */
struct target {
    const struct opt_spec *spec;
    void *settings;
};

struct parser {
    const struct command *command;
    void *const *targets;
    struct opt_parsed *out;
    int argc, next;
    char **argv;
};

static struct target find_long(const struct parser *p, const char *name, size_t length)
{
    for (size_t g = 0; g < OPT_MAX_GROUPS && p->command->groups[g]; g++) {
        const struct opt_group *group = p->command->groups[g];
        for (size_t i = 0; i < group->count; i++) {
            const char *known = group->specs[i].name;
            if (strlen(known) == length && strncmp(known, name, length) == 0)
                return (struct target){&group->specs[i], p->targets[g]};
        }
    }
    return (struct target){0};
}

static struct target find_letter(const struct parser *p, char letter)
{
    for (size_t g = 0; g < OPT_MAX_GROUPS && p->command->groups[g]; g++) {
        const struct opt_group *group = p->command->groups[g];
        for (size_t i = 0; i < group->count; i++)
            if (group->specs[i].letter == letter)
                return (struct target){&group->specs[i], p->targets[g]};
    }
    return (struct target){0};
}

static enum opt_outcome unknown_long(const struct parser *p, const char *name, size_t length)
{
    char typed[EDIT_MAX + 1];
    snprintf(typed, sizeof typed, "%.*s", (int)length, name);
    const char *best = NULL;
    size_t best_distance = SIZE_MAX;
    for (size_t g = 0; g < OPT_MAX_GROUPS && p->command->groups[g]; g++) {
        const struct opt_group *group = p->command->groups[g];
        for (size_t i = 0; i < group->count; i++) {
            size_t distance = distance_to(group->specs[i].name, typed);
            if (distance >= best_distance || group->specs[i].is_hidden) continue;
            best = group->specs[i].name;
            best_distance = distance;
        }
    }
    if (best)
        usage_error(p->command, "unknown option '--%s' (did you mean '--%s'?)", typed, best);
    else
        usage_error(p->command, "unknown option '--%s'", typed);
    return OPT_BAD;
}

/* ---- values ---- */

static void *member(struct target target)
{
    return (char *)target.settings + target.spec->offset;
}

/* The range in words: "a whole number from 1 to 10", "a number > 0". */
static const char *expected(const struct opt_spec *spec, char *buf, size_t size)
{
    const char *kind = spec->kind == OPT_REAL ? "a number" : "a whole number";
    const char *or_word = spec->minus_one ? " or " : "";
    const char *word = spec->minus_one ? spec->minus_one : "";
    if (spec->low < spec->high && !spec->is_low_excluded)
        snprintf(buf, size, "%s from %.0f to %.0f%s%s", kind, spec->low, spec->high, or_word, word);
    else
        snprintf(buf, size, "%s %s %g%s%s", kind, spec->is_low_excluded ? ">" : ">=", spec->low,
                 or_word, word);
    return buf;
}

static int in_range(const struct opt_spec *spec, double value)
{
    if (value < spec->low || (spec->is_low_excluded && value <= spec->low)) return 0;
    return spec->low >= spec->high || value <= spec->high;
}

/* Plain decimal text only: strtod would also take blanks, hexadecimal, "nan" and "inf". */
static int is_decimal(const char *text, const char *extra)
{
    const char *at = text + (*text == '-' || *text == '+');
    if (*at == '\0') return 0;
    for (; *at; at++)
        if ((*at < '0' || *at > '9') && !strchr(extra, *at)) return 0;
    return 1;
}

static int store_integer(struct target target, const char *text)
{
    char *end = NULL;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (!is_decimal(text, "") || *end || errno || !in_range(target.spec, (double)value)) return 0;
    *(long *)member(target) = value;
    return 1;
}

static int store_seed(struct target target, const char *text)
{
    char *end = NULL;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (!is_decimal(text, "") || *text == '-' || *end || errno) return 0;
    *(uint64_t *)member(target) = (uint64_t)value;
    return 1;
}

static int store_real(struct target target, const char *text)
{
    char *end = NULL;
    errno = 0;
    double value = strtod(text, &end);
    if (!is_decimal(text, ".eE+-") || *end || !isfinite(value) || !in_range(target.spec, value))
        return 0;
    *(double *)member(target) = value;
    return 1;
}

static int store_number(struct target target, const char *text)
{
    if (target.spec->minus_one && strcmp(text, target.spec->minus_one) == 0) {
        if (target.spec->kind == OPT_REAL)
            *(double *)member(target) = -1.0;
        else
            *(long *)member(target) = -1;
        return 1;
    }
    if (target.spec->kind == OPT_INTEGER) return store_integer(target, text);
    if (target.spec->kind == OPT_SEED) return store_seed(target, text);
    return store_real(target, text);
}

static enum opt_outcome bad_choice(const struct parser *p, const struct opt_spec *spec,
                                   const char *text)
{
    char known[400], hint[80];
    usage_error(p->command, "--%s is '%s', expected one of: %s%s", spec->name, text,
                opt_join(spec->choice, ", ", known, sizeof known),
                opt_hint(spec->choice, text, hint, sizeof hint));
    return OPT_BAD;
}

static enum opt_outcome store(const struct parser *p, struct target target, const char *text)
{
    const struct opt_spec *spec = target.spec;
    char range[160];
    switch (spec->kind) {
    case OPT_FLAG: *(int *)member(target) = 1; return OPT_GO;
    case OPT_CHOICE:
        if (!opt_has_word(spec->choice, text)) return bad_choice(p, spec, text);
        *(const char **)member(target) = text;
        return OPT_GO;
    case OPT_TEXT:
    case OPT_FILE:
        if (text[0] == '\0') {
            usage_error(p->command, "--%s is empty, expected %s", spec->name, spec->value);
            return OPT_BAD;
        }
        *(const char **)member(target) = text;
        return OPT_GO;
    case OPT_INTEGER:
    case OPT_SEED:
    case OPT_REAL:
        if (store_number(target, text)) return OPT_GO;
        usage_error(p->command, "--%s is '%s', expected %s", spec->name, text,
                    expected(spec, range, sizeof range));
        return OPT_BAD;
    }
    return OPT_BAD;
}

static void remember(struct opt_parsed *out, const struct opt_spec *spec)
{
    if (out->given_count < OPT_MAX_GIVEN) out->given[out->given_count++] = spec;
}

int opt_is_given(const struct opt_parsed *parsed, const char *name)
{
    for (size_t i = 0; i < parsed->given_count; i++)
        if (strcmp(parsed->given[i]->name, name) == 0) return 1;
    return 0;
}

/* ---- the walk over argv ---- */

/* "-o --to json" is a forgotten value, not a file called "--to". */
static int is_known_option(const struct parser *p, const char *text)
{
    if (text[0] != '-' || text[1] == '\0') return 0;
    if (text[1] != '-') return text[2] == '\0' && find_letter(p, text[1]).spec != NULL;
    return text[2] == '\0' || find_long(p, text + 2, strcspn(text + 2, "=")).spec != NULL;
}

/* The value in the next word of argv; NULL after a message. */
static const char *next_value(struct parser *p, const struct opt_spec *spec)
{
    if (p->next < p->argc && !is_known_option(p, p->argv[p->next])) return p->argv[p->next++];
    usage_error(p->command, "--%s needs a value: --%s %s", spec->name, spec->name, spec->value);
    return NULL;
}

static enum opt_outcome parse_long(struct parser *p, const char *word)
{
    const char *name = word + 2;
    size_t length = strcspn(name, "=");
    struct target target = find_long(p, name, length);
    if (!target.spec) return unknown_long(p, name, length);
    const char *value = name[length] == '=' ? name + length + 1 : NULL;
    if (target.spec->kind == OPT_FLAG && value) {
        usage_error(p->command, "--%s takes no value, got '%s'", target.spec->name, value);
        return OPT_BAD;
    }
    if (target.spec->kind != OPT_FLAG && !value) {
        value = next_value(p, target.spec);
        if (!value) return OPT_BAD;
    }
    remember(p->out, target.spec);
    return store(p, target, value);
}

/* "-n50", "-n 50", "-qv", "-qn50". */
static enum opt_outcome parse_letters(struct parser *p, const char *word)
{
    for (const char *at = word + 1; *at; at++) {
        struct target target = find_letter(p, *at);
        if (!target.spec) {
            usage_error(p->command, "unknown option '-%c'%s%s", *at, at > word + 1 ? " in " : "",
                        at > word + 1 ? word : "");
            return OPT_BAD;
        }
        remember(p->out, target.spec);
        if (target.spec->kind == OPT_FLAG) {
            store(p, target, NULL);
            continue;
        }
        const char *value = at[1] ? at + 1 : next_value(p, target.spec);
        return value ? store(p, target, value) : OPT_BAD;
    }
    return OPT_GO;
}

static enum opt_outcome store_presets(const struct parser *p)
{
    for (size_t g = 0; g < OPT_MAX_GROUPS && p->command->groups[g]; g++) {
        const struct opt_group *group = p->command->groups[g];
        for (size_t i = 0; i < group->count; i++) {
            const struct opt_spec *spec = &group->specs[i];
            struct target target = {spec, p->targets[g]};
            if (spec->preset && store(p, target, spec->preset) != OPT_GO) return OPT_BAD;
        }
    }
    return OPT_GO;
}

static enum opt_outcome check_operands(const struct parser *p)
{
    size_t needed = 0, allowed = 0;
    for (size_t i = 0; i < OPT_MAX_OPERANDS && p->command->operands[i].name; i++) {
        const struct opt_operand *operand = &p->command->operands[i];
        if (!operand->is_optional) needed++;
        allowed = operand->is_repeated ? SIZE_MAX : allowed + 1;
    }
    size_t count = p->out->operand_count;
    if (count < needed) {
        usage_error(p->command, "%s is missing", p->command->operands[count].name);
        return OPT_BAD;
    }
    if (count > allowed) {
        usage_error(p->command, "unexpected argument '%s'", p->out->operands[allowed]);
        return OPT_BAD;
    }
    return OPT_GO;
}

static int asks_for_help(const struct opt_parsed *out)
{
    return opt_is_given(out, "help");
}

enum opt_outcome opt_parse(const struct command *command, void *const targets[], int argc,
                           char **argv, struct opt_parsed *out)
{
    *out = (struct opt_parsed){.operands = argv};
    struct parser parser = {command, targets, out, argc, 0, argv};
    enum opt_outcome outcome = store_presets(&parser);
    int options_ended = 0;
    while (outcome == OPT_GO && parser.next < argc && !asks_for_help(out)) {
        char *word = argv[parser.next++];
        if (options_ended || word[0] != '-' || word[1] == '\0')
            out->operands[out->operand_count++] = word; /* never ahead of `next` */
        else if (strcmp(word, "--") == 0)
            options_ended = 1;
        else
            outcome = word[1] == '-' ? parse_long(&parser, word) : parse_letters(&parser, word);
    }
    if (outcome == OPT_GO && asks_for_help(out)) return OPT_HELP;
    return outcome == OPT_GO ? check_operands(&parser) : outcome;
}

const char *opt_kernels_at(size_t index)
{
    static const char *const names[] = {"auto", "portable", "avx2", "avx512", "amx"};
    return index < sizeof names / sizeof names[0] ? names[index] : NULL;
}

const char *opt_precision_at(size_t index)
{
    static const char *const names[] = {"auto", "f32", "bf16"};
    return index < sizeof names / sizeof names[0] ? names[index] : NULL;
}
