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

#define NEAR 1.25 /* distances apart by no more are equal: looks are compared by a few draws */

static double said(double distance)
{
    return distance > 0.0 ? distance : NOT_SAID;
}

static int suits_better(struct rating a, struct rating b, double near)
{
    double of_a = fmax(a.distance, near), of_b = fmax(b.distance, near);
    return of_a != of_b ? of_a < of_b : of_a < HUGE_VAL && a.bytes < b.bytes;
}

/* One whose sizes alone put it behind `best`, of the files before, is not looked at further. */
static ucpo_status rate(const char *path, const ucpo_instance *inst, double near,
                        struct rating best, struct rating *out, ucpo_error *err)
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
        int is_behind = suits_better(best, (struct rating){apart, out->bytes}, near);
        if (problem && strcmp(problem, inst->ops->info.name) == 0 && !is_behind)
            out->distance = apart * said(model_look_distance(levels, inst));
    }
    json_decref(root);
    free(text);
    return st == UCPO_E_MEMORY ? st : UCPO_OK; /* another failure: no model, passed over */
}

static int is_model_name(const char *name)
{
    const char *ending = ".safetensors";
    size_t length = strlen(name), tail = strlen(ending);
    return name[0] != '.' && length > tail && strcmp(name + length - tail, ending) == 0;
}

/* The best of all names, the first in the alphabet among equals. */
static ucpo_status look_through(DIR *folder, const char *dir, const ucpo_instance *inst,
                                double near, struct rating *least, char *best, size_t size,
                                ucpo_error *err)
{
    char path[4096];
    *least = (struct rating){HUGE_VAL, 0};
    rewinddir(folder);
    for (const struct dirent *entry;
         (entry = readdir(folder));) { /* NOLINT(concurrency-mt-unsafe) */
        if (!is_model_name(entry->d_name)) continue;
        int length = snprintf(path, sizeof path, "%s/%s", dir, entry->d_name);
        if (length < 0 || (size_t)length >= sizeof path || (size_t)length >= size) continue;
        struct rating rating;
        ucpo_status st = rate(path, inst, near, *least, &rating, err);
        if (st) return st;
        int is_first = rating.distance < HUGE_VAL && !suits_better(*least, rating, near) &&
                       strcmp(path, best) < 0;
        if (!suits_better(rating, *least, near) && !is_first) continue;
        *least = rating;
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
    struct rating least;
    ucpo_status st = look_through(folder, dir, inst, 0.0, &least, path, size, &unused);
    if (!st && path[0]) /* how near the nearest is; then the smallest of those as near */
        st = look_through(folder, dir, inst, NEAR * least.distance, &least, path, size, &unused);
    (void)closedir(folder);
    return st ? status_fail(err, st, "%s: %s", dir, unused.text) : UCPO_OK;
}
