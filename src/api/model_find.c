/* Which model of a folder suits an instance. Only the headers of the files are read. */
#include "api/model.h"
#include "io/json.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_HEADER = 1 << 20 };

/* The header's text, NUL-terminated, to be freed; NULL: this is no such file. */
static ucpo_status read_header(FILE *file, char **text, size_t *size, ucpo_error *err)
{
    unsigned char length[8];
    if (fread(length, 1, 8, file) != 8) return UCPO_OK;
    uint64_t bytes = 0;
    for (int i = 7; i >= 0; i--) bytes = bytes << 8 | length[i];
    if (bytes < 2 || bytes > MOST_HEADER) return UCPO_OK;
    *text = mem_zeroed((size_t)bytes + 1, 1);
    if (!*text) return status_no_memory(err, (size_t)bytes + 1);
    if (fread(*text, 1, (size_t)bytes, file) != bytes) {
        free(*text);
        *text = NULL;
    }
    *size = (size_t)bytes;
    return UCPO_OK;
}

/* How far the model is from the instance: sizes apart, infinite if it is of no use. */
static ucpo_status rate(const char *path, const ucpo_instance *inst, double *out, ucpo_error *err)
{
    *out = HUGE_VAL;
    FILE *file = fopen(path, "rb");
    if (!file) return UCPO_OK;
    size_t size = 0;
    char *text = NULL;
    ucpo_status st = read_header(file, &text, &size, err);
    (void)fclose(file);
    json_t *root = NULL;
    double distance = HUGE_VAL;
    if (text && (st = json_parse(text, size, path, &root, err)) == UCPO_OK) {
        const json_t *meta = json_object_get(root, "__metadata__");
        const char *problem = json_string_value(json_object_get(meta, "problem"));
        const char *sizes = json_string_value(json_object_get(meta, "train.sizes"));
        if (problem && strcmp(problem, inst->ops->info.name) == 0) {
            distance = model_size_distance(sizes, inst);
            if (distance <= 0.0) distance = 1e9; /* does not say */
        }
    }
    json_decref(root);
    free(text);
    *out = distance;
    return st == UCPO_E_MEMORY ? st : UCPO_OK; /* another failure: no model, passed over */
}

static int is_model_name(const char *name)
{
    const char *ending = ".safetensors";
    size_t length = strlen(name), tail = strlen(ending);
    return name[0] != '.' && length > tail && strcmp(name + length - tail, ending) == 0;
}

/* Looks at all names; among equals the first in the alphabet wins. */
static ucpo_status look_through(DIR *folder, const char *dir, const ucpo_instance *inst, char *best,
                                size_t size, ucpo_error *err)
{
    double least = HUGE_VAL;
    char path[4096];
    for (const struct dirent *entry;
         (entry = readdir(folder));) { /* NOLINT(concurrency-mt-unsafe) */
        if (!is_model_name(entry->d_name)) continue;
        int length = snprintf(path, sizeof path, "%s/%s", dir, entry->d_name);
        if (length < 0 || (size_t)length >= sizeof path || (size_t)length >= size) continue;
        double distance = HUGE_VAL;
        ucpo_status st = rate(path, inst, &distance, err);
        if (st) return st;
        if (distance == HUGE_VAL || distance > least) continue;
        if (distance == least && strcmp(path, best) > 0) continue;
        least = distance;
        memcpy(best, path, (size_t)length + 1);
    }
    return UCPO_OK;
}

ucpo_status ucpo_model_find(const char *dir, const ucpo_instance *inst, char *path, size_t size,
                            ucpo_error *err)
{
    if (!dir || !inst || !path || size == 0)
        return status_fail(err, UCPO_E_ARGUMENT, "dir, inst and path must not be NULL");
    DIR *folder = opendir(dir);
    if (!folder) return status_fail_errno(err, dir, errno, "cannot be opened as a folder");
    path[0] = '\0';
    ucpo_error unused = {0}; /* files that are no models leave words in it */
    ucpo_status st = look_through(folder, dir, inst, path, size, &unused);
    (void)closedir(folder);
    return st ? status_fail(err, st, "%s: %s", dir, unused.text) : UCPO_OK;
}
