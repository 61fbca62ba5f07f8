/* Characters, whatever the locale, and words people mistype. */
#ifndef UCPO_CORE_TEXT_H
#define UCPO_CORE_TEXT_H

#include <stddef.h>
#include <stdint.h>

static inline int text_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline int text_is_letter(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static inline char text_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* A number of a file may begin so. */
static inline int text_begins_number(char c)
{
    return text_is_digit(c) || c == '-' || c == '+' || c == '.';
}

/* The candidate most likely meant by a misspelt `word`: at most a third of its characters wrong
 * (inserted, dropped, replaced or swapped with a neighbour; upper and lower case are the same), or
 * failing that the only candidate that begins with it. The first one wins a tie. NULL if nothing is
 * near; candidates may be NULL pointers, which are skipped. */
const char *text_nearest(const char *word, const char *const *candidates, size_t count);

/* Edits that turn one word into the other, counted as above; words longer than 63 bytes are far from
 * everything (SIZE_MAX). */
size_t text_distance(const char *a, const char *b);

/* Adds to a text, `joint` before it unless the text is empty; what there is no room for is cut. */
void text_append(char *buf, size_t size, const char *joint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Word number `index` of a list, NULL past its end. */
typedef const char *(*text_words)(size_t index);

/* All of them, with the separator between; returns buf. */
const char *text_join(text_words words, const char *separator, char *buf, size_t size);

/* Place of a word in the list, or -1. */
int text_find(text_words words, const char *word);

/* Place of `word` in a list of words separated by blanks, or -1. */
int text_word_index(const char *list, const char *word);

/* Copies the next word of such a list and moves behind it; 0: there is none. */
int text_next(const char **list, char *word, size_t size);

/* text_nearest among such a list; what is found stands in `room`. */
const char *text_nearest_in(const char *list, const char *word, char *room, size_t size);

/* ---- UTF-8, and what of it a reader would not see as it is ---- */

/* Bytes of the character at `text`, of which `left` are there; 0: it is not UTF-8. */
size_t text_utf8_length(const char *text, size_t left);

/* The same of a character that must not reach a reader raw, with its number; 0: it may. Such are controls
 * (ESC among them), what turns the direction of the text around it (U+202E), ends lines (U+2028), cannot be
 * seen (U+200B), and bytes that are not UTF-8. Joiners and variation selectors may: words of many languages
 * and emoji are written with them. */
size_t text_hidden(const char *text, size_t left, uint32_t *code);

enum { TEXT_NAMED = 11 };

/* How it is shown instead: "\x1b", "\u202e", "\U000e0001". Returns buf. */
const char *text_name_hidden(uint32_t code, char buf[TEXT_NAMED]);

/* Copies text with hidden characters by name, except those in `kept`, as far as there is room; returns the
 * length it takes: at most four times `size`. */
size_t text_printable(const char *text, size_t size, const char *kept, char *out, size_t room);

enum { TEXT_JSON = 13 };

/* The next character of a text as it stands between the quotes of JSON, into out: hidden ones by number, bytes
 * that are not UTF-8 as U+FFFD. Returns how many bytes of the text it is, 0 at the end. */
size_t text_json_next(const char *text, char out[TEXT_JSON]);

#endif
