/* Command line parser over option tables. Strict: what is not understood is an error with a hint.
 */
#include "cli/options.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "core/number.h"
#include "core/text.h"

/* ---- word lists and nearest matches ---- */

const char *opt_join_words(const struct opt_spec *spec, char *buf, size_t size)
{
    if (spec->choice) return text_join(spec->choice, ", ", buf, size);
    size_t used = 0;
    for (const char *at = spec->words; *at && used + 2 < size; at++) {
        if (*at == ' ') buf[used++] = ',';
        buf[used++] = *at;
    }
    buf[used] = '\0';
    return buf;
}

enum { MOST_WORDS = 128 }; /* that a hint is looked for among */

const char *opt_nearest(text_words words, const char *word)
{
    const char *known[MOST_WORDS];
    size_t count = 0;
    while (count < MOST_WORDS && words(count)) known[count] = words(count), count++;
    return text_nearest(word, known, count);
}

const char *opt_hint(text_words words, const char *word, char *buf, size_t size)
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

/* Option `index` of the command, over all its groups; past the last one without `spec`. */
static struct target option_at(const struct parser *p, size_t index)
{
    for (size_t g = 0; g < OPT_MAX_GROUPS && p->command->groups[g]; g++) {
        const struct opt_group *group = p->command->groups[g];
        if (index < group->count) return (struct target){&group->specs[index], p->targets[g]};
        index -= group->count;
    }
    return (struct target){0};
}

static struct target find_long(const struct parser *p, const char *name, size_t length)
{
    struct target at;
    for (size_t i = 0; (at = option_at(p, i)).spec; i++)
        if (strlen(at.spec->name) == length && strncmp(at.spec->name, name, length) == 0) break;
    return at;
}

/* A letter of today, or failing that one of the last version. */
static struct target find_letter(const struct parser *p, char letter)
{
    struct target at, old = {0};
    for (size_t i = 0; (at = option_at(p, i)).spec; i++) {
        if (at.spec->letter == letter) return at;
        if (at.spec->old_letter == letter) old = at;
    }
    return old;
}

static void warn_of_old_letter(const struct parser *p, const struct opt_spec *spec, char letter)
{
    if (letter == spec->letter) return;
    char today[8] = "";
    if (spec->letter) snprintf(today, sizeof today, "-%c or ", spec->letter);
    message_warning("%s: -%c for --%s goes away with the next version, use %s--%s",
                    p->command->name, letter, spec->name, today, spec->name);
}

static enum opt_outcome unknown_long(const struct parser *p, const char *name, size_t length)
{
    char typed[64];
    snprintf(typed, sizeof typed, "%.*s", (int)length, name);
    const char *known[MOST_WORDS];
    size_t count = 0;
    const struct opt_spec *spec;
    for (size_t i = 0; count < MOST_WORDS && (spec = option_at(p, i).spec); i++)
        if (!spec->is_hidden) known[count++] = spec->name;
    const char *best = text_nearest(typed, known, count);
    usage_error(p->command, "unknown option '--%s'%s%s%s", typed, best ? " (did you mean '--" : "",
                best ? best : "", best ? "'?)" : "");
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
        snprintf(buf, size, "%s from %.10g to %.10g%s%s", kind, spec->low, spec->high, or_word,
                 word);
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

/* Whole numbers are digits alone; no number is infinite. */
static int read_number(const struct opt_spec *spec, const char *text, double *out)
{
    if (spec->minus_one && strcmp(text, spec->minus_one) == 0) {
        *out = -1.0;
        return 1;
    }
    size_t sign = *text == '-' || *text == '+';
    if (spec->kind != OPT_REAL && text[sign + strspn(text + sign, "0123456789")]) return 0;
    double most = spec->kind == OPT_REAL ? DBL_MAX : spec->kind == OPT_INT ? INT_MAX : 9e18;
    return number_read(text, strlen(text), out) && fabs(*out) <= most && in_range(spec, *out);
}

static int store_number(struct target target, const char *text)
{
    if (target.spec->kind == OPT_SEED) return number_read_seed(text, member(target));
    double value;
    if (!read_number(target.spec, text, &value)) return 0;
    if (target.spec->kind == OPT_REAL)
        *(double *)member(target) = value;
    else if (target.spec->kind == OPT_INT)
        *(int *)member(target) = (int)value;
    else
        *(long *)member(target) = (long)value;
    return 1;
}

static enum opt_outcome store_time(const struct parser *p, struct target target, const char *text)
{
    const struct opt_spec *spec = target.spec;
    struct opt_time *time = member(target);
    if (!number_read_time(text, &time->seconds) || time->seconds <= 0.0 || time->seconds > 1e8)
        usage_error(p->command, "--%s is '%s', expected a time above 0 such as 2s, 0.5s, 200ms, 1m",
                    spec->name, text);
    else if (spec->needs_unit && text[strcspn(text, "smh")] == '\0')
        usage_error(p->command, "--%s is '%s', expected a unit as well: %sms or %ss", spec->name,
                    text, text, text);
    else
        time->text = text;
    return time->text == text ? OPT_GO : OPT_BAD;
}

static int is_choice(const struct opt_spec *spec, const char *text)
{
    return (spec->choice ? text_find(spec->choice, text) : text_word_index(spec->words, text)) >= 0;
}

/* --round 5, --rounds nearest: an option whose name is longer or shorter takes the value. */
static const char *hint_neighbour(const struct parser *p, const struct opt_spec *spec,
                                  const char *text, char *buf, size_t size)
{
    const struct opt_spec *other;
    double value;
    for (size_t i = 0; (other = option_at(p, i).spec); i++) {
        int is_number = other->kind == OPT_INTEGER || other->kind == OPT_INT;
        if (other == spec || (strstr(other->name, spec->name) != other->name &&
                              strstr(spec->name, other->name) != spec->name))
            continue;
        if (is_number ? read_number(other, text, &value)
                      : other->kind == OPT_CHOICE && is_choice(other, text))
            snprintf(buf, size, " (did you mean '--%s %s'?)", other->name, text);
    }
    return buf;
}

static enum opt_outcome bad_choice(const struct parser *p, const struct opt_spec *spec,
                                   const char *text)
{
    char known[400], hint[80] = "", room[200];
    const char *near = spec->choice ? opt_nearest(spec->choice, text)
                                    : text_nearest_in(spec->words, text, room, sizeof room);
    if (near) snprintf(hint, sizeof hint, " (did you mean '%s'?)", near);
    if (!near) hint_neighbour(p, spec, text, hint, sizeof hint);
    usage_error(p->command, "--%s is '%s', expected one of: %s%s", spec->name, text,
                opt_join_words(spec, known, sizeof known), hint);
    return OPT_BAD;
}

static enum opt_outcome store(const struct parser *p, struct target target, const char *text)
{
    const struct opt_spec *spec = target.spec;
    char range[160], hint[120] = "";
    switch (spec->kind) {
    case OPT_FLAG: *(int *)member(target) = 1; return OPT_GO;
    case OPT_TIME: return store_time(p, target, text);
    case OPT_CHOICE:
        if (!is_choice(spec, text)) return bad_choice(p, spec, text);
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
    case OPT_INT:
    case OPT_SEED:
    case OPT_REAL:
        if (store_number(target, text)) return OPT_GO;
        usage_error(p->command, "--%s is '%s', expected %s%s", spec->name, text,
                    expected(spec, range, sizeof range),
                    hint_neighbour(p, spec, text, hint, sizeof hint));
        return OPT_BAD;
    }
    return OPT_BAD;
}

int opt_is_given(const struct opt_parsed *parsed, const char *name)
{
    for (size_t i = 0; i < parsed->given_count; i++)
        if (strcmp(parsed->given[i]->name, name) == 0) return 1;
    return 0;
}

static void note_given(struct opt_parsed *out, const struct opt_spec *spec)
{
    if (out->given_count < OPT_MAX_GIVEN) out->given[out->given_count++] = spec;
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
    note_given(p->out, target.spec);
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
        warn_of_old_letter(p, target.spec, *at);
        note_given(p->out, target.spec);
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
    struct target at;
    for (size_t i = 0; (at = option_at(p, i)).spec; i++)
        if (at.spec->preset && store(p, at, at.spec->preset) != OPT_GO) return OPT_BAD;
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

enum opt_outcome opt_parse(const struct command *command, void *const targets[], int argc,
                           char **argv, struct opt_parsed *out)
{
    *out = (struct opt_parsed){.operands = argv};
    struct parser parser = {command, targets, out, argc, 0, argv};
    enum opt_outcome outcome = store_presets(&parser);
    int options_ended = 0;
    while (outcome == OPT_GO && parser.next < argc && !opt_is_given(out, "help")) {
        char *word = argv[parser.next++];
        if (options_ended || word[0] != '-' || word[1] == '\0')
            out->operands[out->operand_count++] = word; /* never ahead of `next` */
        else if (strcmp(word, "--") == 0)
            options_ended = 1;
        else
            outcome = word[1] == '-' ? parse_long(&parser, word) : parse_letters(&parser, word);
    }
    if (outcome == OPT_GO && opt_is_given(out, "help")) return OPT_HELP;
    return outcome == OPT_GO ? check_operands(&parser) : outcome;
}
