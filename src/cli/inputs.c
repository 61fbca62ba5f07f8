#define _XOPEN_SOURCE 700 /* NOLINT(readability-identifier-naming): for scandir */
#include "cli/input.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/text.h"

int input_is_folder(const char *path)
{
    struct stat about;
    return strcmp(path, "-") != 0 && stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

int refused_note(struct refused *refused, const char *path, int code)
{
    if (code != EXIT_INPUT && code != EXIT_MISFIT) return code;
    if (refused->count++ == 0) refused->code = code;
    text_append(refused->names, sizeof refused->names, ", ", "%s",
                strcmp(path, "-") == 0 ? "standard input" : path);
    return EXIT_DONE;
}

int refused_end(const struct refused *refused, size_t done, int code)
{
    if (refused->count == 0) return code;
    if (done > 0)
        message_alarm("%zu of %zu inputs refused: %s", refused->count, refused->count + done,
                      refused->names);
    return code == EXIT_INTERRUPTED || code == EXIT_INTERNAL ? code : refused->code;
}

int refused_runs(char **paths, size_t *count, struct refused *refused)
{
    enum { MOST = 8 }; /* in one picture: of more the library says so */

    size_t kept = 0, all = *count;
    int code = EXIT_DONE;
    if (all < 2 || all > MOST) return EXIT_DONE;
    for (size_t i = 0; !code && i < all; i++) {
        const char *dir = paths[i];
        char *bytes = NULL;
        size_t size = 0;
        ucpo_error err = {0};
        ucpo_status status = ucpo_plot_runs(&dir, 1, NULL, &bytes, &size, &err);
        ucpo_bytes_free(bytes);
        if (status)
            code = refused_note(refused, dir, message_failure(status, &err));
        else
            paths[kept++] = paths[i];
    }
    *count = kept;
    return code || kept > 0 ? code : refused->code;
}

static int add(struct inputs *to, const char *path)
{
    char **grown = realloc(to->path, (to->count + 1) * sizeof *grown);
    if (!grown) return no_memory();
    to->path = grown;
    to->path[to->count] = strdup(path);
    return to->path[to->count] ? (to->count++, EXIT_DONE) : no_memory();
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Whether the beginning of the file looks like an instance; files that cannot be read do, so that reading
 * says why not. */
static int holds_instances(const char *path)
{
    static const char plan[] = "\"ucpo.solution";
    char *bytes = NULL;
    size_t size = 0;
    if (ucpo_file_read(path, &bytes, &size, NULL)) return 1;
    int holds = ucpo_format_detect(bytes, size) != NULL;
    size_t most = size < 200 ? size : 200;
    for (size_t i = 0; holds && i + sizeof plan - 1 <= most; i++)
        if (memcmp(bytes + i, plan, sizeof plan - 1) == 0) holds = 0;
    ucpo_bytes_free(bytes);
    return holds;
}

static int add_file(struct inputs *to, const char *folder, const char *name)
{
    char path[4096];
    size_t used = strlen(folder);
    int need = snprintf(path, sizeof path, "%s%s%s", folder,
                        used > 0 && folder[used - 1] == '/' ? "" : "/", name);
    if (need < 0 || (size_t)need >= sizeof path)
        return message_error("%s: the name of a file in it is too long", folder);
    if (input_is_folder(path)) return EXIT_DONE;
    if (holds_instances(path)) return add(to, path);
    message_warning("%s: skipped, holds no instance", path);
    return EXIT_DONE;
}

static int add_folder(struct inputs *to, const char *folder)
{
    struct dirent **entry = NULL;
    size_t before = to->count;
    int code = EXIT_DONE, count = scandir(folder, &entry, is_visible, by_name);
    if (count < 0) return message_error("%s: the folder cannot be read", folder);
    for (int i = 0; i < count; i++) {
        if (!code) code = add_file(to, folder, entry[i]->d_name);
        free(entry[i]);
    }
    free(entry);
    if (code || to->count > before) return code;
    return message_error("%s: the folder holds no instance", folder);
}

int inputs_expand(char *const *operands, size_t count, struct inputs *out)
{
    int code = EXIT_DONE;
    *out = (struct inputs){0};
    for (size_t i = 0; !code && i < count; i++) {
        if (!input_is_folder(operands[i])) {
            code = add(out, operands[i]);
            continue;
        }
        code = add_folder(out, operands[i]);
        if (code) code = refused_note(&out->refused, operands[i], code);
    }
    if (!code && out->count == 0) code = out->refused.code;
    if (code) inputs_free(out);
    return code;
}

void inputs_free(struct inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++) free(inputs->path[i]);
    free(inputs->path);
    *inputs = (struct inputs){0};
}

int read_set_or_folder(const char *path, const struct read_settings *settings, ucpo_dataset **out)
{
    if (!input_is_folder(path)) return read_set(path, settings, out);
    struct inputs files;
    char *operand = (char *)path;
    ucpo_dataset *all = NULL;
    ucpo_error err = {0};
    int code = inputs_expand(&operand, 1, &files);
    if (code) return code;
    if (files.refused.count > 0) code = files.refused.code; /* a set is read whole or not at all */
    if (!code && ucpo_dataset_create(&all, &err)) code = message_failure(err.code, &err);
    for (size_t i = 0; !code && i < files.count; i++) {
        ucpo_dataset *set = NULL;
        code = read_set(files.path[i], settings, &set);
        for (size_t k = 0; !code && k < ucpo_dataset_count(set); k++)
            if (ucpo_dataset_share(all, ucpo_dataset_at(set, k), &err))
                code = message_failure(err.code, &err);
        ucpo_dataset_free(set);
    }
    inputs_free(&files);
    if (code)
        ucpo_dataset_free(all);
    else
        *out = all;
    return code;
}
