/* Characters, whatever the locale, and words people mistype. */
#ifndef UCPO_CORE_TEXT_H
#define UCPO_CORE_TEXT_H

#include <stddef.h>

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

#endif
