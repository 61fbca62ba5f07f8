/* Lists of words in JSON, and dates: what instance readers need beside numbers. */
#include "io/json.h"

#include "io/clock.h"

#include <stdio.h>
#include <stdlib.h>

enum { NUMBER_BYTES = 32 };

ucpo_status json_texts_read(const char *label, const char *path, const json_t *list, size_t count,
                            struct json_texts *out, ucpo_error *err)
{
    if (!json_is_array(list) || json_array_size(list) != count) {
        char expected[64];
        snprintf(expected, sizeof expected, "an array of %zu texts", count);
        return json_wrong(label, path, list, expected, err);
    }
    struct json_texts t = {.item = mem_zeroed(count, sizeof *t.item),
                           .numbers = mem_zeroed(count, NUMBER_BYTES)};
    if (!t.item || !t.numbers) {
        json_texts_free(&t);
        return status_no_memory(err, count * (sizeof *t.item + NUMBER_BYTES));
    }
    for (size_t i = 0; i < count; i++) {
        const json_t *entry = json_array_get(list, i);
        char *number = t.numbers + i * NUMBER_BYTES;
        t.item[i] = json_is_string(entry) ? json_string_value(entry) : number;
        if (json_is_number(entry))
            snprintf(number, NUMBER_BYTES, "%.15g", json_number_value(entry));
        if (json_is_string(entry) || json_is_number(entry) || json_is_null(entry)) continue;
        char place[96];
        snprintf(place, sizeof place, "%s[%zu]", path, i);
        json_texts_free(&t);
        return json_wrong(label, place, entry, "a text, a number or null", err);
    }
    *out = t;
    return UCPO_OK;
}

void json_texts_free(struct json_texts *texts)
{
    free(texts->item);
    free(texts->numbers);
    *texts = (struct json_texts){0};
}
