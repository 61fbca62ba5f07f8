/* Settings as TOML: keys at the top, phases as [[phase]]. */
#include "io/toml.h"
#include "train/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ucpo_status check_section(const struct io_toml *doc, size_t at, const char *label,
                                 ucpo_error *err)
{
    const struct io_toml_section *section = &doc->sections[at];
    if (!section->is_listed || strcmp(section->name, "phase") != 0)
        return status_format(err, label, section->line,
                             "section [%.60s] is unknown, expected [[phase]]", section->name);
    for (size_t i = 0; i < doc->entry_count; i++)
        if (doc->entries[i].section == at) return UCPO_OK;
    return status_format(err, label, section->line,
                         "phase %zu is empty, expected at least its instances",
                         (size_t)section->index + 1);
}

static ucpo_status read_entry(ucpo_train_config *config, const struct io_toml *doc,
                              const struct io_toml_entry *entry, const char *label, ucpo_error *err)
{
    const struct io_toml_section *section = &doc->sections[entry->section];
    int is_phase = section->name[0] != 0;
    int phase = is_phase ? (int)section->index + 1 : 0;
    ucpo_status st = phase == 0 ? ucpo_train_config_set(config, entry->key, entry->value, err)
                                : train_config_put(config, phase, entry->key, entry->value, err);
    if (st && err && !err->file[0]) {
        snprintf(err->file, sizeof err->file, "%s", label);
        err->line = entry->line;
    }
    return st;
}

/* At the top of a file, as in a phase, epochs and instances are a contradiction. */
static ucpo_status check_length(const struct io_toml *doc, const char *label, ucpo_error *err)
{
    const struct io_toml_entry *found[2] = {NULL, NULL};
    for (size_t i = 0; i < doc->entry_count; i++) {
        const struct io_toml_entry *entry = &doc->entries[i];
        int is_epochs = strcmp(entry->key, "epochs") == 0;
        if (doc->sections[entry->section].name[0]) continue;
        if (is_epochs && strcmp(entry->value, "0") == 0) continue;
        if (is_epochs || strcmp(entry->key, "instances") == 0) found[is_epochs] = entry;
    }
    if (!found[0] || !found[1]) return UCPO_OK;
    return status_fail_at(err, UCPO_E_ARGUMENT, label, found[1]->line,
                          "epochs and instances exclude each other");
}

ucpo_status ucpo_train_config_read(ucpo_train_config *config, const char *path, ucpo_error *err)
{
    char *bytes = NULL;
    size_t size = 0;
    struct io_toml doc = {0};
    if (!config) return status_argument(err, "config must not be NULL");
    ucpo_status st = ucpo_file_read(path, &bytes, &size, err);
    if (!st) st = io_toml_read(bytes, size, path, &doc, err);
    for (size_t i = 1; !st && i < doc.section_count; i++) st = check_section(&doc, i, path, err);
    if (!st) st = check_length(&doc, path, err);
    for (size_t i = 0; !st && i < doc.entry_count; i++)
        st = read_entry(config, &doc, &doc.entries[i], path, err);
    io_toml_free(&doc);
    free(bytes);
    return st;
}

static void put_key(struct io_buffer *out, const struct train_key *key, const void *base)
{
    char text[TRAIN_PATH];
    train_key_text(key, base, text, sizeof text);
    if (key->kind == KEY_WORD || key->kind == KEY_TEXT || key->kind == KEY_PATH)
        io_toml_put_string(out, key->name, text);
    else
        io_printf(out, "%s = %s\n", key->name, text);
}

/* What a resumption asks for is no setting of the run. */
static int is_of_a_call(const struct train_key *key)
{
    return strcmp(key->name, "from") == 0 || strcmp(key->name, "allow-changes") == 0;
}

/* One phase, or the same in all of them: a setting of the run. */
static int is_shared(const struct train_key *key, const struct train_plan *plan)
{
    char first[TRAIN_PATH], other[TRAIN_PATH];
    if (!key->is_phase || plan->phases == 1) return 1;
    train_key_text(key, &plan->phase[0], first, sizeof first);
    for (int p = 1; p < plan->phases; p++) {
        train_key_text(key, &plan->phase[p], other, sizeof other);
        if (strcmp(first, other) != 0) return 0;
    }
    return 1;
}

ucpo_status ucpo_train_config_text(const ucpo_train_config *config, char **bytes, size_t *size,
                                   ucpo_error *err)
{
    if (!config || !bytes || !size)
        return status_argument(err, "config, bytes and size must not be NULL");
    struct train_plan *plan = mem_zeroed(1, sizeof *plan);
    if (!plan) return status_no_memory(err, sizeof *plan);
    struct io_buffer out = {0};
    ucpo_status st = train_plan_make(config, plan, err);
    if (!st) {
        io_printf(&out, "# ucpo %s, settings of a training run\n", ucpo_version());
        const struct train_key *key;
        for (size_t i = 0; (key = train_key_at(i)); i++)
            if (is_shared(key, plan) && !is_of_a_call(key))
                put_key(&out, key, key->is_phase ? (void *)&plan->phase[0] : (void *)&plan->run);
        for (int p = 0; plan->phases > 1 && p < plan->phases; p++) {
            io_printf(&out, "\n[[phase]]\n");
            for (size_t i = 0; (key = train_key_at(i)); i++)
                if (!is_shared(key, plan) || strcmp(key->name, "instances") == 0)
                    put_key(&out, key, &plan->phase[p]); /* no phase is without a word */
        }
        io_put(&out, "", 1);
        st = io_buffer_status(&out, err);
    }
    free(plan);
    if (st) {
        io_buffer_free(&out);
        return st;
    }
    *bytes = out.bytes;
    *size = out.size - 1; /* the zero byte does not count */
    return UCPO_OK;
}
