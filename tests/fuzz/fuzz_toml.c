/* Configuration files: never a crash, never a refusal without a word, and what is read comes back
 * the same after it was written. */
#include "io/toml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every value as a string, sections as they were. */
static void write_strings(const struct io_toml *doc, struct io_buffer *out)
{
    size_t entry = 0;
    for (size_t s = 0; s < doc->section_count; s++) {
        int is_listed = doc->sections[s].is_listed;
        if (s > 0)
            io_printf(out, "%s%s%s\n", is_listed ? "[[" : "[", doc->sections[s].name,
                      is_listed ? "]]" : "]");
        for (; entry < doc->entry_count && doc->entries[entry].section == s; entry++)
            io_toml_put_string(out, doc->entries[entry].key, doc->entries[entry].value);
    }
}

static void compare(const struct io_toml *a, const struct io_toml *b)
{
    if (a->entry_count != b->entry_count || a->section_count != b->section_count) abort();
    for (size_t i = 0; i < a->entry_count; i++) {
        if (strcmp(a->entries[i].key, b->entries[i].key) != 0) abort();
        if (strcmp(a->entries[i].value, b->entries[i].value) != 0) abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct io_toml doc = {0}, back = {0};
    struct io_buffer out = {0};
    ucpo_error err = {0};
    if (io_toml_read((const char *)data, size, "fuzz", &doc, &err) != UCPO_OK) {
        if (err.text[0] == '\0' || doc.pool) abort();
        return 0;
    }
    write_strings(&doc, &out);
    if (io_toml_read(out.bytes, out.size, "back", &back, &err) != UCPO_OK) abort();
    compare(&doc, &back);
    io_toml_free(&doc);
    io_toml_free(&back);
    io_buffer_free(&out);
    return 0;
}
