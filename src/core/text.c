#include "core/text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Longer words are not misspelt keys. */
#define MAX_WORD 63

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Edits that turn a into b, where swapping two neighbours is one edit. Three rows of the usual
 * table are enough: the current one and two before it. */
static size_t edit_distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
    size_t rows[3][MAX_WORD + 1];
    for (size_t j = 0; j <= b_len; j++) rows[0][j] = j;
    for (size_t i = 1; i <= a_len; i++) {
        size_t *now = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= b_len; j++) {
            char p = text_lower(a[i - 1]), q = text_lower(b[j - 1]);
            now[j] = least(above[j - 1] + (p != q), least(above[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && p == text_lower(b[j - 2]) && q == text_lower(a[i - 2]))
                now[j] = least(now[j], two_above[j - 2] + 1);
        }
    }
    return rows[a_len % 3][b_len];
}

static int begins_with(const char *text, const char *prefix, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text_lower(text[i]) != text_lower(prefix[i])) return 0;
    return 1;
}

static const char *only_longer(const char *word, size_t length, const char *const *candidates,
                               size_t count)
{
    const char *found = NULL;
    for (size_t k = 0; k < count; k++) {
        if (!candidates[k] || !begins_with(candidates[k], word, length)) continue;
        if (found) return NULL;
        found = candidates[k];
    }
    return found;
}

const char *text_nearest(const char *word, const char *const *candidates, size_t count)
{
    size_t length = strlen(word);
    if (length == 0 || length > MAX_WORD) return NULL;
    const char *best = NULL;
    size_t best_distance = length / 3 + (length < 3); /* one error in a short word */
    best_distance++;                                  /* now: the first distance that is too far */
    for (size_t k = 0; k < count; k++) {
        size_t other = candidates[k] ? strlen(candidates[k]) : 0;
        if (other == 0 || other > MAX_WORD) continue;
        size_t distance = edit_distance(word, length, candidates[k], other);
        if (distance >= best_distance || distance >= other) continue;
        best = candidates[k];
        best_distance = distance;
    }
    return best || length < 2 ? best : only_longer(word, length, candidates, count);
}

size_t text_distance(const char *a, const char *b)
{
    size_t a_len = strlen(a), b_len = strlen(b);
    return a_len > MAX_WORD || b_len > MAX_WORD ? SIZE_MAX : edit_distance(a, a_len, b, b_len);
}

void text_append(char *buf, size_t size, const char *joint, const char *format, ...)
{
    size_t used = strlen(buf);
    if (used) used += (size_t)snprintf(buf + used, size - used, "%s", joint);
    if (used >= size) return;
    va_list args;
    va_start(args, format);
    vsnprintf(buf + used, size - used, format, args);
    va_end(args);
}

const char *text_join(text_words words, const char *separator, char *buf, size_t size)
{
    buf[0] = '\0';
    for (size_t i = 0; words(i); i++) text_append(buf, size, separator, "%s", words(i));
    return buf;
}

int text_find(text_words words, const char *word)
{
    for (int i = 0; words((size_t)i); i++)
        if (strcmp(words((size_t)i), word) == 0) return i;
    return -1;
}

int text_word_index(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (int index = 0; *list; index++) {
        size_t next = strcspn(list, " ");
        if (next == length && strncmp(list, word, next) == 0) return index;
        list += next + (list[next] == ' ');
    }
    return -1;
}

int text_next(const char **list, char *word, size_t size)
{
    size_t length = strcspn(*list, " ");
    snprintf(word, size, "%.*s", (int)length, *list);
    *list += length + ((*list)[length] == ' ');
    return length > 0;
}

const char *text_nearest_in(const char *list, const char *word, char *room, size_t size)
{
    enum { MOST = 128 };

    const char *known[MOST];
    size_t count = 0;
    snprintf(room, size, "%s", list);
    for (char *at = room; *at && count < MOST;) {
        known[count++] = at;
        at += strcspn(at, " ");
        if (*at) *at++ = '\0';
    }
    return text_nearest(word, known, count);
}
