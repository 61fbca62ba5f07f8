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
    uint64_t bytes = io_little(length, 8);
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

/* How well a file suits: how many times outside of its training's sizes and looks (infinite: of no
 * use), then how large it is, since a smaller network is the faster one. */
struct rating {
    double distance;
    long bytes;
};

enum { NOT_SAID = 1000 }; /* for a size or a level that the file does not tell */

static double said(double distance)
{
    return distance > 0.0 ? distance : NOT_SAID;
}

/* `best`: of the files before; one that its size alone puts behind it is not looked at further. */
static ucpo_status rate(const char *path, const ucpo_instance *inst, struct rating best,
                        struct rating *out, ucpo_error *err)
{
    *out = (struct rating){HUGE_VAL, 0};
    FILE *file = fopen(path, "rb");
    if (!file) return UCPO_OK;
    size_t size = 0;
    char *text = NULL;
    ucpo_status st = read_header(file, &text, &size, err);
    if (fseek(file, 0, SEEK_END) == 0) out->bytes = ftell(file);
    (void)fclose(file);
    json_t *root = NULL;
    if (text && (st = json_parse(text, size, path, &root, err)) == UCPO_OK) {
        const json_t *meta = json_object_get(root, "__metadata__");
        const char *problem = json_string_value(json_object_get(meta, "problem"));
        const char *sizes = json_string_value(json_object_get(meta, "train.sizes"));
        const char *levels = json_string_value(json_object_get(meta, "train.level"));
        double apart = said(model_size_distance(sizes, inst));
        int is_behind =
            apart > best.distance || (apart == best.distance && out->bytes > best.bytes);
        if (problem && strcmp(problem, inst->ops->info.name) == 0 && !is_behind)
            out->distance = apart * said(model_look_distance(levels, inst));
    }
    json_decref(root);
    free(text);
    return st == UCPO_E_MEMORY ? st : UCPO_OK; /* another failure: no model, passed over */
}

static int suits_better(struct rating a, const char *path, struct rating b, const char *than)
{
    if (a.distance != b.distance) return a.distance < b.distance;
    if (a.distance == HUGE_VAL) return 0;
    return a.bytes != b.bytes ? a.bytes < b.bytes : strcmp(path, than) < 0;
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
    struct rating least = {HUGE_VAL, 0};
    char path[4096];
    for (const struct dirent *entry;
         (entry = readdir(folder));) { /* NOLINT(concurrency-mt-unsafe) */
        if (!is_model_name(entry->d_name)) continue;
        int length = snprintf(path, sizeof path, "%s/%s", dir, entry->d_name);
        if (length < 0 || (size_t)length >= sizeof path || (size_t)length >= size) continue;
        struct rating rating;
        ucpo_status st = rate(path, inst, least, &rating, err);
        if (st) return st;
        if (!suits_better(rating, path, least, best)) continue;
        least = rating;
        memcpy(best, path, (size_t)length + 1);
    }
    return UCPO_OK;
}

ucpo_status ucpo_model_find(const char *dir, const ucpo_instance *inst, char *path, size_t size,
                            ucpo_error *err)
{
    if (!dir || !inst || !path || size == 0)
        return status_argument(err, "dir, inst and path must not be NULL");
    DIR *folder = opendir(dir);
    if (!folder) return status_fail_errno(err, dir, errno, "cannot be opened as a folder");
    path[0] = '\0';
    ucpo_error unused = {0}; /* files that are no models leave words in it */
    ucpo_status st = look_through(folder, dir, inst, path, size, &unused);
    (void)closedir(folder);
    return st ? status_fail(err, st, "%s: %s", dir, unused.text) : UCPO_OK;
}
