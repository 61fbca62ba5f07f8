#include "cli/solve.h"

#include <string.h>

#include "cli/target.h"

int solve_target_path(const struct solve_target *t, const char *input, char path[TARGET_PATH_SIZE])
{
    if (target_in_folder(t->output, input, t->format, path, TARGET_PATH_SIZE)) return EXIT_DONE;
    return message_error("%s: the name of the output file is too long", input);
}

int solve_target_takes(const struct solve_target *t, const char *input, size_t count)
{
    int holds_one = strcmp(t->format, "sol") == 0 || strcmp(t->format, "tour") == 0 ||
                    strcmp(t->format, "svg") == 0;
    if (count < 2 || !holds_one) return EXIT_DONE;
    return message_error(
        "%s%sformat %s holds one plan, there are %zu instances (use json, csv or npy%s)",
        input ? input : "", input ? ": " : "", t->format, count,
        t->count > 1 && !t->is_folder ? ", or write into a folder: -o DIR/" : "");
}

/* Nothing that is read may be replaced, except the plan of --initial. */
static int spare_inputs(const struct command *self, const struct solve_target *t, const char *path)
{
    int code = target_spares(self, path, t->model);
    return code ? code : target_spares_all(self, path, t->inputs, t->count);
}

static int check_names(const struct command *self, const struct solve_target *t, size_t k)
{
    char path[TARGET_PATH_SIZE], other[TARGET_PATH_SIZE];
    int code = solve_target_path(t, t->inputs[k], path);
    if (!code) code = spare_inputs(self, t, path);
    for (size_t i = 0; !code && i < k; i++) {
        code = solve_target_path(t, t->inputs[i], other);
        if (!code && strcmp(path, other) == 0)
            code = usage_error(self, "the plans of %s and %s would both be written to %s",
                               t->inputs[i], t->inputs[k], path);
    }
    return code;
}

int solve_target_check(const struct command *self, const struct solve_target *t)
{
    int code = spare_inputs(self, t, t->cloud);
    if (!code) code = target_is_possible(t->cloud);
    for (size_t k = 0; !code && t->is_folder && k < t->count; k++) code = check_names(self, t, k);
    if (code || t->is_folder) return code ? code : target_make_folder(t->output);
    code = spare_inputs(self, t, t->output);
    if (!code) code = target_is_possible(t->output);
    return code ? code : solve_target_takes(t, NULL, t->count);
}
