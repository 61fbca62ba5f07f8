#include "cli/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *model_path(const char *path, char *buf, size_t size)
{
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode)) return path;
    snprintf(buf, size, "%s/best.safetensors", path);
    if (stat(buf, &about) == 0) return buf;
    snprintf(buf, size, "%s/last.safetensors", path);
    return stat(buf, &about) == 0 ? buf : path;
}

static int load_model(const char *from, ucpo_model **model, char *path)
{
    ucpo_error err = {0};
    char inside[MODEL_PATH_SIZE];
    snprintf(path, MODEL_PATH_SIZE, "%s", model_path(from, inside, sizeof inside));
    ucpo_status status = ucpo_model_load(path, model, &err);
    return status ? message_failure(status, &err) : EXIT_DONE;
}

/* Folders with models: $UCPO_MODELS alone if it is set; else beside the program as installed, then
 * the source tree's. */
static const char *model_folder(size_t index, char *buf, size_t size)
{
    const char *own = getenv("UCPO_MODELS"); /* NOLINT(concurrency-mt-unsafe) */
    if (own) return index == 0 ? own : NULL;
    if (index == 0) {
        char program[MODEL_PATH_SIZE - 32];
        ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
        if (length <= 0) return "";
        program[length] = '\0';
        char *slash = strrchr(program, '/');
        if (slash) *slash = '\0';
        snprintf(buf, size, "%s/../share/ucpo/models", program);
        return buf;
    }
#ifdef UCPO_SOURCE_MODELS
    if (index == 1) return UCPO_SOURCE_MODELS;
#endif
    return NULL;
}

/* A folder that somebody named is said to be missing; ours may be. */
static void warn_of_folder(const char *folder, ucpo_status status)
{
    const char *own = getenv("UCPO_MODELS"); /* NOLINT(concurrency-mt-unsafe) */
    if (status && own && strcmp(own, folder) == 0)
        message_warning("$UCPO_MODELS is '%s', which is no folder that can be read", folder);
}

static int find_model(const char *label, const ucpo_dataset *set, int is_silent, ucpo_model **model,
                      char *path)
{
    const ucpo_instance *inst = ucpo_dataset_at(set, 0);
    char folder[MODEL_PATH_SIZE], found[MODEL_PATH_SIZE] = "";
    const char *at = "";
    for (size_t i = 0; !found[0] && (at = model_folder(i, folder, sizeof folder)); i++)
        if (at[0]) warn_of_folder(at, ucpo_model_find(at, inst, found, sizeof found, NULL));
    if (found[0]) return load_model(found, model, path);
    if (!is_silent)
        message_warning(
            "%s: there is no model for %s: rules and local search only (-m none to be silent)",
            label, ucpo_instance_view(inst)->problem);
    return EXIT_DONE;
}

/* Each instance must be of the model's problem. */
static int check_fit(const char *label, const ucpo_dataset *set, const ucpo_model *model,
                     const char *path)
{
    const char *problem = ucpo_model_describe(model).config.problem;
    for (size_t i = 0; i < ucpo_dataset_count(set); i++) {
        const char *other = ucpo_instance_view(ucpo_dataset_at(set, i))->problem;
        if (strcmp(problem, other) == 0) continue;
        message_error("%s: the model is for %s, but %s holds an instance of %s", path, problem,
                      label, other);
        return EXIT_MISFIT;
    }
    return EXIT_DONE;
}

int model_choose(const char *wanted, const char *label, const ucpo_dataset *set, int is_silent,
                 ucpo_model **model, char path[MODEL_PATH_SIZE])
{
    int code = EXIT_DONE;
    if (!wanted)
        code = find_model(label, set, is_silent, model, path);
    else if (strcmp(wanted, "none") != 0)
        code = load_model(wanted, model, path);
    return !code && *model ? check_fit(label, set, *model, path) : code;
}

const char *decode_mask_at(size_t index)
{
    return index == 0 ? "auto" : ucpo_mask_at(index - 1);
}
