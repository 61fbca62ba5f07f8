/* Configuration files: never a crash, never a refusal without a word, and what is read comes back
 * the same after it was written. */
#include "io/toml.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put_value(struct io_buffer *out, const char *key, const struct io_toml_value *value)
{
    if (value->kind == IO_TOML_STRING)
        io_toml_put_string(out, key, value->text);
    else if (value->kind == IO_TOML_REAL)
        io_toml_put_real(out, key, value->number);
    else if (value->kind == IO_TOML_BOOLEAN)
        io_toml_put_boolean(out, key, value->number != 0.0);
    else
        io_printf(out, "%s = %s\n", key, value->text); /* may be above INT64_MAX */
}

/* Every value under a key of its own, in order; sections as they were. */
static void write_flat(const struct io_toml *doc, struct io_buffer *out)
{
    size_t entry = 0;
    for (size_t s = 0; s < doc->section_count; s++) {
        if (s > 0) io_toml_put_section(out, doc->sections[s].name, doc->sections[s].is_listed);
        for (; entry < doc->entry_count && doc->entries[entry].section == s; entry++) {
            char key[32];
            const struct io_toml_entry *e = &doc->entries[entry];
            for (size_t k = 0; k < e->count; k++) {
                snprintf(key, sizeof key, "k%zu", e->first + k);
                put_value(out, key, &doc->values[e->first + k]);
            }
        }
    }
}

static void compare(const struct io_toml *a, const struct io_toml *b)
{
    if (a->value_count != b->value_count || a->section_count != b->section_count) abort();
    for (size_t i = 0; i < a->value_count; i++) {
        const struct io_toml_value *x = &a->values[i], *y = &b->values[i];
        if (x->kind != y->kind) abort();
        if (x->kind == IO_TOML_STRING && strcmp(x->text, y->text) != 0) abort();
        if (x->number != y->number && !(isnan(x->number) && isnan(y->number))) abort();
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
    write_flat(&doc, &out);
    if (doc.value_count <= IO_TOML_LIMIT) {
        if (io_toml_read(out.bytes, out.size, "back", &back, &err) != UCPO_OK) abort();
        compare(&doc, &back);
    }
    io_toml_free(&doc);
    io_toml_free(&back);
    io_buffer_free(&out);
    return 0;
}
