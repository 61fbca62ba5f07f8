/* The reader: one cursor over the bytes; sections, keys and values are appended as they come. */
#include "io/toml.h"

#include "core/text.h"

#include <stdlib.h>
#include <string.h>

struct reader {
    struct io_text text;
    struct io_toml *doc;
    char *pool; /* free place in doc->pool */
    ucpo_error *err;
    const char *key, *value; /* of the entry that is being read */
};

enum { SHOWN = 60 }; /* characters of a value in a message */

/* ---- characters ---- */

static int is_key_character(char c)
{
    return text_is_letter(c) || text_is_digit(c) || c == '_' || c == '-';
}

/* The character at the cursor plus `ahead`; NUL past the end. */
static char peek(const struct reader *r, size_t ahead)
{
    return (size_t)(r->text.end - r->text.at) > ahead ? r->text.at[ahead] : '\0';
}

static int is_at_end(const struct reader *r)
{
    return r->text.at >= r->text.end;
}

static int is_at_line_end(const struct reader *r)
{
    return is_at_end(r) || peek(r, 0) == '\n' || (peek(r, 0) == '\r' && peek(r, 1) == '\n');
}

static void skip_blanks(struct reader *r)
{
    while (peek(r, 0) == ' ' || peek(r, 0) == '\t') r->text.at++;
}

/* Moves behind the end of this line. */
static void skip_line(struct reader *r)
{
    while (!is_at_end(r) && *r->text.at != '\n') r->text.at++;
    if (is_at_end(r)) return;
    r->text.at++;
    r->text.line++;
}

/* Blanks, comments and line ends. */
static void skip_space(struct reader *r)
{
    for (;;) {
        skip_blanks(r);
        if (is_at_end(r) || !(peek(r, 0) == '#' || is_at_line_end(r))) return;
        skip_line(r);
    }
}

/* From the cursor to the end of the line or a comment, as far as a message has room. */
static int shown_length(const struct reader *r)
{
    const char *at = r->text.at;
    while (at < r->text.end && at - r->text.at < SHOWN && *at != '\n' && *at != '\r' && *at != '#')
        at++;
    while (at > r->text.at && (at[-1] == ' ' || at[-1] == '\t')) at--;
    return (int)(at - r->text.at);
}

/* ---- text that is kept ---- */

/* Every piece of text is kept once and takes at most twice its length in the file, the NUL
 * included: the pool has that room and never moves. */
static const char *keep(struct reader *r, const char *from, size_t length)
{
    char *kept = r->pool;
    memcpy(kept, from, length);
    kept[length] = '\0';
    r->pool += length + 1;
    return kept;
}

static ucpo_status bad_value(struct reader *r, const char *expected)
{
    int length = shown_length(r);
    if (length == 0)
        return status_format(r->err, r->text.label, r->text.line,
                             "key '%s' has no value here, expected %s", r->key, expected);
    return status_format(r->err, r->text.label, r->text.line, "key '%s' is '%.*s', expected %s",
                         r->key, length, r->text.at, expected);
}

static ucpo_status unsupported(struct reader *r, const char *what, const char *instead)
{
    return status_fail_at(r->err, UCPO_E_UNSUPPORTED, r->text.label, r->text.line,
                          "'%.*s' is %s, which is not supported here; %s", shown_length(r),
                          r->text.at, what, instead);
}

/* ---- strings ---- */

static int hex_digit(char c)
{
    if (text_is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* A code point as UTF-8; returns the place behind it. */
static char *put_code(char *out, uint32_t code)
{
    int extra = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const uint32_t lead[4] = {0, 0xC0, 0xE0, 0xF0};
    *out++ = (char)(lead[extra] | code >> (6 * extra));
    while (extra-- > 0) *out++ = (char)(0x80 | ((code >> (6 * extra)) & 0x3F));
    return out;
}

/* \uXXXX or \UXXXXXXXX, the cursor on the u. */
static int take_code(struct reader *r, char **out)
{
    int digits = peek(r, 0) == 'u' ? 4 : 8;
    uint32_t code = 0;
    for (int i = 1; i <= digits; i++) {
        int value = hex_digit(peek(r, (size_t)i));
        if (value < 0 || code >> 28) return 0;
        code = code << 4 | (uint32_t)value;
    }
    if (code == 0 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return 0;
    *out = put_code(*out, code);
    r->text.at += 1 + digits;
    return 1;
}

/* What follows a backslash. */
static int take_escape(struct reader *r, char **out)
{
    static const char letters[] = "btnfr\"\\", meant[] = "\b\t\n\f\r\"\\";
    char c = peek(r, 0);
    if (c == 'u' || c == 'U') return take_code(r, out);
    const char *found = c ? strchr(letters, c) : NULL;
    if (!found) return 0;
    *(*out)++ = meant[found - letters];
    r->text.at++;
    return 1;
}

static int is_control(char c)
{
    return ((unsigned char)c < 0x20 && c != '\t') || c == 0x7f;
}

/* Everything between the quotes goes to `out`, the cursor behind the closing quote. Returns what was
 * expected instead, or NULL. */
static const char *take_string(struct reader *r, char **out)
{
    char quote = *r->text.at++;
    while (peek(r, 0) != quote) {
        if (is_at_line_end(r)) return "a string that is closed on its line";
        char c = *r->text.at;
        if (is_control(c)) return "no control character in it; write an escape such as \\n";
        r->text.at++;
        if (c != '\\' || quote == '\'')
            *(*out)++ = c;
        else if (!take_escape(r, out))
            return "after a backslash one of b t n f r \" \\, or u and 4 or U and 8 hexadecimal "
                   "digits of a character that is not 0";
    }
    r->text.at++;
    return NULL;
}

/* "..." with escapes, or '...' as it stands. */
static ucpo_status read_string(struct reader *r)
{
    const char *start = r->text.at, *text = r->pool;
    char *out = r->pool;
    if (peek(r, 1) == *start && peek(r, 2) == *start)
        return unsupported(r, "a string over several lines", "write it on one line with \\n");
    const char *expected = take_string(r, &out);
    if (expected) {
        r->text.at = start;
        return bad_value(r, expected);
    }
    *out++ = '\0';
    r->pool = out;
    r->value = text;
    return UCPO_OK;
}

/* ---- numbers ---- */

/* Digits with single '_' between them, copied without; returns how many, -1 for a stray '_'. */
static int take_digits(const char **at, const char *end, char **out)
{
    int count = 0, is_open = 1; /* an '_' would be stray */
    for (; *at < end && (text_is_digit(**at) || **at == '_'); (*at)++) {
        if (**at == '_') {
            if (is_open) return -1;
            is_open = 1;
            continue;
        }
        is_open = 0;
        *(*out)++ = **at;
        count++;
    }
    return count > 0 && is_open ? -1 : count;
}

/* [token, end) as a number of TOML, without '_' and '+' into `out`. 0: it is none. */
static int scan_number(const char *token, const char *end, char *out)
{
    if (*token == '-') *out++ = '-';
    if (*token == '-' || *token == '+') token++;
    const char *digits = token;
    int count = take_digits(&token, end, &out);
    if (count < 1 || (count > 1 && *digits == '0')) return 0;
    if (token < end && *token == '.') {
        *out++ = *token++;
        if (take_digits(&token, end, &out) < 1) return 0;
    }
    if (token < end && (*token == 'e' || *token == 'E')) {
        *out++ = 'e';
        if (++token < end && (*token == '-' || *token == '+')) *out++ = *token++;
        if (take_digits(&token, end, &out) < 1) return 0;
    }
    *out = '\0';
    return token == end;
}

/* inf, nan, with a sign or without. */
static int is_word_number(const char *token, size_t length)
{
    size_t sign = length > 0 && (*token == '-' || *token == '+');
    return length == sign + 3 &&
           (memcmp(token + sign, "inf", 3) == 0 || memcmp(token + sign, "nan", 3) == 0);
}

/* 1979-05-27 or 07:32:00, or the beginning of one. */
static int looks_like_date(const char *token, size_t length)
{
    size_t digits = 0;
    while (digits < length && text_is_digit(token[digits])) digits++;
    return digits < length &&
           ((digits == 4 && token[digits] == '-') || (digits == 2 && token[digits] == ':'));
}

static ucpo_status read_number(struct reader *r, size_t length)
{
    const char *token = r->text.at;
    if (looks_like_date(token, length))
        return unsupported(r, "a date or time", "write it as a string");
    if (length > 2 && token[0] == '0' && strchr("xob", token[1]))
        return unsupported(r, "a number in another base", "write it with decimal digits");
    if (length == 0 || !scan_number(token, token + length, r->pool))
        return bad_value(r, "a string in quotes, a number, true or false");
    r->value = r->pool;
    r->text.at += length;
    r->pool += strlen(r->value) + 1;
    return UCPO_OK;
}

/* ---- values ---- */

static ucpo_status read_bare(struct reader *r)
{
    const char *token = r->text.at, *end = token;
    while (end < r->text.end && (is_key_character(*end) || strchr("+.:", *end)) && *end) end++;
    size_t length = (size_t)(end - token), plus = length > 0 && *token == '+';
    int is_truth = (length == 4 && memcmp(token, "true", 4) == 0) ||
                   (length == 5 && memcmp(token, "false", 5) == 0);
    if (!is_truth && !is_word_number(token, length)) return read_number(r, length);
    r->text.at = end;
    r->value = keep(r, token + plus, length - plus);
    return UCPO_OK;
}

static ucpo_status read_value(struct reader *r)
{
    char c = peek(r, 0);
    if (c == '"' || c == '\'') return read_string(r);
    if (c == '{') return unsupported(r, "an inline table", "use a [section]");
    if (c != '[') return read_bare(r);
    return status_format(r->err, r->text.label, r->text.line, "%.40s is a list, expected one value",
                         r->key);
}

/* Only blanks and a comment may follow on this line. */
static ucpo_status expect_line_end(struct reader *r, const char *after)
{
    skip_blanks(r);
    if (peek(r, 0) == '#' || is_at_line_end(r)) {
        skip_line(r);
        return UCPO_OK;
    }
    return status_format(r->err, r->text.label, r->text.line,
                         "'%.*s' follows %s, expected the end of the line or a comment",
                         shown_length(r), r->text.at, after);
}

/* ---- keys and sections ---- */

/* A bare key, at the cursor. `what` is "key" or "section". */
static ucpo_status read_name(struct reader *r, const char *what, const char **out)
{
    const char *token = r->text.at;
    size_t length = 0;
    while (is_key_character(peek(r, length))) length++;
    if (peek(r, 0) == '"' || peek(r, 0) == '\'')
        return unsupported(r, "a name in quotes", "use letters, digits, '_' and '-'");
    if (length == 0)
        return status_format(r->err, r->text.label, r->text.line,
                             "'%.*s' is no %s, expected letters, digits, '_' or '-'",
                             shown_length(r), token, what);
    r->text.at += length;
    skip_blanks(r);
    if (peek(r, 0) == '.') {
        r->text.at = token;
        return unsupported(r, "a dotted name", "use one level of [section]s");
    }
    *out = keep(r, token, length);
    return UCPO_OK;
}

static ucpo_status too_many(struct reader *r, const char *what)
{
    return status_fail_at(r->err, UCPO_E_UNSUPPORTED, r->text.label, r->text.line,
                          "more than %d %s in one file", IO_TOML_LIMIT, what);
}

/* `section` gets its index among the ones of its name; a name that is taken is an error. */
static ucpo_status check_section(struct reader *r, struct io_toml_section *section)
{
    for (size_t i = 1; i < r->doc->section_count; i++) {
        const struct io_toml_section *other = &r->doc->sections[i];
        if (strcmp(other->name, section->name) != 0) continue;
        if (!other->is_listed || !section->is_listed)
            return status_format(
                r->err, r->text.label, r->text.line,
                "section '%s' is already in line %ld, expected it once%s", section->name,
                other->line,
                other->is_listed || section->is_listed ? " or always in double brackets" : "");
        section->index = other->index + 1;
    }
    return UCPO_OK;
}

static ucpo_status add_section(struct reader *r, struct io_toml_section section)
{
    struct io_toml *doc = r->doc;
    if (doc->section_count > IO_TOML_LIMIT) return too_many(r, "sections");
    ucpo_status st = check_section(r, &section);
    if (st) return st;
    return mem_append(&doc->sections, &doc->section_count, &doc->section_room, &section,
                      sizeof section, r->err);
}

static ucpo_status read_section(struct reader *r)
{
    struct io_toml_section section = {.is_listed = peek(r, 1) == '[', .line = r->text.line};
    r->text.at += 1 + section.is_listed;
    skip_blanks(r);
    ucpo_status st = read_name(r, "section", &section.name);
    if (st) return st;
    if (peek(r, 0) != ']' || (section.is_listed && peek(r, 1) != ']'))
        return status_format(r->err, r->text.label, r->text.line,
                             "section '%s' is not closed, expected '%s'", section.name,
                             section.is_listed ? "]]" : "]");
    r->text.at += 1 + section.is_listed;
    st = add_section(r, section);
    return st ? st : expect_line_end(r, "the section");
}

static ucpo_status add_entry(struct reader *r, const struct io_toml_entry *entry)
{
    struct io_toml *doc = r->doc;
    if (doc->entry_count >= IO_TOML_LIMIT) return too_many(r, "keys");
    const struct io_toml_entry *other = io_toml_find(doc, entry->section, entry->key);
    if (other)
        return status_format(r->err, r->text.label, entry->line,
                             "key '%s' is already in line %ld, expected it once", entry->key,
                             other->line);
    return mem_append(&doc->entries, &doc->entry_count, &doc->entry_room, entry, sizeof *entry,
                      r->err);
}

static ucpo_status read_entry(struct reader *r)
{
    struct io_toml_entry entry = {.section = r->doc->section_count - 1, .line = r->text.line};
    ucpo_status st = read_name(r, "key", &entry.key);
    if (st) return st;
    r->key = entry.key;
    if (peek(r, 0) != '=')
        return status_format(r->err, r->text.label, r->text.line,
                             "key '%s' has no value, expected '%s = ...'", r->key, r->key);
    r->text.at++;
    skip_blanks(r);
    st = read_value(r);
    if (st) return st;
    entry.value = r->value;
    st = add_entry(r, &entry);
    return st ? st : expect_line_end(r, "the value");
}

/* ---- the file ---- */

static ucpo_status read_all(struct reader *r)
{
    ucpo_status st = add_section(r, (struct io_toml_section){.name = ""});
    while (!st) {
        skip_space(r);
        if (is_at_end(r)) break;
        st = peek(r, 0) == '[' ? read_section(r) : read_entry(r);
    }
    return st;
}

ucpo_status io_toml_read(const char *bytes, size_t size, const char *label, struct io_toml *out,
                         ucpo_error *err)
{
    struct io_toml doc = {0};
    if (size > SIZE_MAX / 4) return status_no_memory(err, size);
    doc.pool = mem_zeroed(2 * size + 1, 1);
    if (!doc.pool) return status_no_memory(err, 2 * size + 1);
    struct reader r = {io_text_open(bytes, size, label), &doc, doc.pool, err, "", ""};
    ucpo_status st = read_all(&r);
    if (st)
        io_toml_free(&doc);
    else
        *out = doc;
    return st;
}

void io_toml_free(struct io_toml *doc)
{
    free(doc->sections);
    free(doc->entries);
    free(doc->pool);
    *doc = (struct io_toml){0};
}

const struct io_toml_entry *io_toml_find(const struct io_toml *doc, size_t section, const char *key)
{
    for (size_t i = 0; i < doc->entry_count; i++)
        if (doc->entries[i].section == section && strcmp(doc->entries[i].key, key) == 0)
            return &doc->entries[i];
    return NULL;
}

void io_toml_put_string(struct io_buffer *buf, const char *key, const char *text)
{
    io_printf(buf, "%s = \"", key);
    for (const char *at = text; *at; at++) {
        unsigned char c = (unsigned char)*at;
        if (c == '"' || c == '\\')
            io_printf(buf, "\\%c", c);
        else if (c == '\n')
            io_put(buf, "\\n", 2);
        else if (c == '\t')
            io_put(buf, "\\t", 2);
        else if (c < 0x20 || c == 0x7f)
            io_printf(buf, "\\u%04X", (unsigned)c);
        else
            io_put(buf, at, 1);
    }
    io_put(buf, "\"\n", 2);
}
