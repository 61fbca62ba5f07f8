/* ucpo convert: instances, plans or models from one file format to another. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/input.h"
#include "cli/output.h"
#include "core/text.h"

struct convert_settings {
    struct read_settings read;
    const char *to, *output, *plan, *plan_format, *notes, *mask;
    double scale;
    long index, first, count;
};

/* Instance formats, then the plan formats that are not among them. */
static const char *any_format_at(size_t index)
{
    for (size_t i = 0; ucpo_format_at(i); i++)
        if (index-- == 0) return ucpo_format_at(i);
    for (size_t i = 0; ucpo_plan_format_at(i); i++) {
        if (text_find(ucpo_format_at, ucpo_plan_format_at(i)) >= 0) continue;
        if (index-- == 0) return ucpo_plan_format_at(i);
    }
    return NULL;
}

#define AT(member) offsetof(struct convert_settings, member)

static const struct opt_spec specs[] = {
    OPT("to", 0, OPT_TEXT, AT(to), "FORMAT", NULL,
        "format to write [default: by the ending of FILE]; 'ucpo info' lists them; models: f32, "
        "f16",
        .choice = any_format_at),
    OPT("output", 'o', OPT_FILE, AT(output), "FILE", "-", "where to write, - for standard output"),
    OPT("plan", 0, OPT_FILE, AT(plan), "SOLUTION", NULL,
        "convert this plan for the instance, instead of the instance itself"),
    OPT("plan-format", 0, OPT_CHOICE, AT(plan_format), "FORMAT", NULL,
        "format of SOLUTION; without it the content decides", .choice = ucpo_plan_format_at),
    OPT("notes", 0, OPT_TEXT, AT(notes), "TEXT", NULL,
        "models: what 'ucpo info' should say of it, such as where it comes from"),
    OPT("mask", 0, OPT_CHOICE, AT(mask), "WORD", NULL,
        "models: the mask it was trained with, which a PyTorch checkpoint does not tell",
        .choice = ucpo_mask_at),
    OPT("scale", 0, OPT_REAL, AT(scale), "K", NULL,
        "multiply lengths and times by K and round to whole numbers, for solvers that compute in "
        "integers (LKH)",
        .is_low_excluded = 1),
    OPT("index", 'i', OPT_INTEGER, AT(index), "I", NULL, "only instance I of a set, counted from 0",
        .high = 2000000000),
    OPT("first", 0, OPT_INTEGER, AT(first), "K", "0", "start at instance K", .high = 2000000000),
    OPT("count", 'c', OPT_INTEGER, AT(count), "N", NULL, "at most N instances [default: all]",
        .low = 1, .high = 2000000000),
};

static const struct opt_group group = OPT_GROUP("Converting", specs);

/* ---- checks ---- */

static int choose_format(const struct command *self, struct convert_settings *settings)
{
    text_words words = settings->plan ? ucpo_plan_format_at : ucpo_format_at;
    const char *kind = settings->plan ? "plan" : "instance";
    char known[200], hint[80];
    text_join(words, ", ", known, sizeof known);
    if (!settings->to) {
        settings->to = output_format_for(settings->output);
        if (settings->to && text_find(words, settings->to) >= 0) return EXIT_DONE;
        const char *dot = settings->output ? strrchr(settings->output, '.') : NULL;
        if (dot && dot[1] && !strchr(dot, '/'))
            return usage_error(self,
                               "the ending '%s' names no %s format, pass --to with one of: %s", dot,
                               kind, known);
        return usage_error(self, "--to FORMAT is missing, expected one of: %s%s", known,
                           settings->plan ? "" : "; for a model f32 or f16");
    }
    if (text_find(words, settings->to) >= 0) return EXIT_DONE;
    if (!settings->plan && text_find(ucpo_plan_format_at, settings->to) >= 0)
        return usage_error(self, "%s is a plan format: name the plan with --plan SOLUTION",
                           settings->to);
    if (settings->plan && text_find(ucpo_format_at, settings->to) >= 0)
        return usage_error(self, "%s is an instance format, plans are written as: %s", settings->to,
                           known);
    return usage_error(self, "--to is '%s', %s formats are: %s%s", settings->to, kind, known,
                       opt_hint(words, settings->to, hint, sizeof hint));
}

static int check_use(const struct command *self, const struct opt_parsed *parsed,
                     const struct convert_settings *settings)
{
    int has_range = opt_is_given(parsed, "first") || opt_is_given(parsed, "count");
    if (settings->index >= 0 && has_range)
        return usage_error(self, "--index takes one instance, --first and --count a range");
    if (settings->plan && opt_is_given(parsed, "scale"))
        return usage_error(self, "--scale is for instances, not for plans");
    if (!settings->plan && opt_is_given(parsed, "plan-format"))
        return usage_error(self, "--plan-format goes with --plan SOLUTION");
    if (settings->plan && !inputs_are_distinct(self, parsed->operands[0], settings->plan))
        return EXIT_INPUT;
    return EXIT_DONE;
}

/* ---- which instances ---- */

/* Leaves [first, first + count) as far as it exists of the instances, and of their plans if there are any. */
static int take_range(const struct command *self, const struct convert_settings *settings,
                      ucpo_dataset **set, ucpo_plans **plans)
{
    size_t total = plans ? ucpo_plans_count(*plans) : ucpo_dataset_count(*set);
    if (total > ucpo_dataset_count(*set))
        return message_error("%s: there are %zu plans for %zu instances", settings->plan, total,
                             ucpo_dataset_count(*set));
    size_t first = settings->index >= 0 ? (size_t)settings->index : (size_t)settings->first;
    if (first >= total)
        return usage_error(self, "--%s is %zu, the file holds %zu",
                           settings->index >= 0 ? "index" : "first", first, total);
    size_t wanted = settings->index >= 0 ? 1 : (size_t)settings->count;
    size_t left = total - first, count = wanted == 0 || wanted > left ? left : wanted;
    int code = cut_set(set, first, count);
    return code || !plans ? code : cut_plans(plans, first, count);
}

/* ---- work ---- */

static int convert_instances(const struct command *self, const struct convert_settings *settings,
                             ucpo_dataset **set)
{
    int code = take_range(self, settings, set, NULL);
    if (code) return code;
    ucpo_error err = {0};
    char *bytes = NULL;
    size_t size = 0;
    ucpo_write_config options = ucpo_write_config_default();
    options.format = settings->to;
    options.scale = settings->scale;
    options.strict = settings->read.config.strict;
    options.hooks = message_hooks("writing");
    ucpo_status status = ucpo_write_bytes(*set, &options, &bytes, &size, &err);
    return output_made(settings->output, status, &err, bytes, size);
}

static int convert_plans(const struct command *self, const struct convert_settings *settings,
                         ucpo_dataset **set)
{
    ucpo_plans *plans = NULL;
    int code = read_plans(settings->plan, settings->plan_format, *set, &plans);
    if (!code) code = take_range(self, settings, set, &plans);
    if (!code) code = write_plan_file(settings->output, settings->to, *set, plans);
    ucpo_plans_free(plans);
    return code;
}

/* ---- models: --to f32, f16 ---- */

/* What only a run that goes on needs. */
static ucpo_status drop_counters(ucpo_model *model, ucpo_error *err)
{
    ucpo_status status = UCPO_OK;
    for (size_t i = 0; !status && ucpo_model_fact_key(model, i);) {
        char key[80];
        snprintf(key, sizeof key, "%s", ucpo_model_fact_key(model, i));
        if (strncmp(key, "run.", 4) == 0)
            status = ucpo_model_set_fact(model, key, NULL, err);
        else
            i++;
    }
    return status;
}

/* A model file, or a PyTorch checkpoint, which is a zip archive. */
static ucpo_status read_model(const char *path, const char *problem, ucpo_model **model,
                              ucpo_error *err)
{
    char *bytes = NULL;
    size_t size = 0;
    ucpo_status status = ucpo_file_read(path, &bytes, &size, err);
    if (status) return status;
    int is_archive = size >= 4 && memcmp(bytes, "PK\003\004", 4) == 0;
    status = is_archive ? ucpo_model_import_bytes(bytes, size, path, problem, model, err)
                        : ucpo_model_load_bytes(bytes, size, path, model, err);
    ucpo_bytes_free(bytes);
    return status;
}

/* What `eval` and `solve` will decode with, where it is not what the file says of itself. */
static void tell_mask(const char *path, const ucpo_model *model, const char *asked)
{
    const char *known = ucpo_model_fact(model, "train.mask");
    if (asked && known && strcmp(asked, known) != 0)
        message_warning("%s: was trained with mask %s; from now on it is taken for %s", path, known,
                        asked);
    else if (!asked && !known)
        message_warning("%s: does not say which mask it was trained with: eval and solve will take "
                        "visited, finetune its default; --mask puts it down",
                        path);
}

static int convert_model(const struct command *self, const char *path,
                         const struct convert_settings *settings)
{
    ucpo_error err = {0};
    ucpo_model *model = NULL;
    char *bytes = NULL;
    size_t size = 0;
    if (settings->plan) return usage_error(self, "--plan goes with instances, not with models");
    if (!output_accepts(settings->output, "safetensors")) return EXIT_INPUT;
    ucpo_status status = read_model(path, settings->read.config.problem, &model, &err);
    if (!status && settings->mask && strcmp(settings->mask, "pip-d") == 0 &&
        !ucpo_model_describe(model).config.has_aux) {
        ucpo_model_free(model);
        return usage_error(self, "--mask is pip-d, %s has no auxiliary decoder", path);
    }
    if (!status) tell_mask(path, model, settings->mask);
    if (!status) status = drop_counters(model, &err);
    if (!status && settings->notes)
        status = ucpo_model_set_fact(model, "notes", settings->notes, &err);
    if (!status && settings->mask)
        status = ucpo_model_set_fact(model, "train.mask", settings->mask, &err);
    if (!status)
        status = ucpo_model_save_bytes(
            model, strcmp(settings->to, "f16") == 0 ? UCPO_DTYPE_F16 : UCPO_DTYPE_F32, &bytes,
            &size, &err);
    ucpo_model_free(model);
    return output_made(settings->output, status, &err, bytes, size);
}

static int run(const struct command *self, int argc, char **argv)
{
    struct convert_settings settings = {.index = -1};
    void *targets[OPT_MAX_GROUPS] = {&settings, &settings.read};
    struct opt_parsed parsed;
    int code = EXIT_DONE;
    if (!command_begin(self, targets, argc, argv, &parsed, &code)) return code;
    code = check_use(self, &parsed, &settings);
    if (!code && parsed.operand_count > 1) {
        if (opt_is_given(&parsed, "output"))
            return usage_error(self, "the output is named twice: '%s' and '%s'", parsed.operands[1],
                               settings.output);
        settings.output = parsed.operands[1];
    }
    if (code) return code;
    const char *dot = settings.output ? strrchr(settings.output, '.') : NULL;
    if (!settings.to && dot && strcmp(dot, ".safetensors") == 0) settings.to = "f32";
    int is_model = settings.to && text_word_index("f32 f16", settings.to) >= 0;
    if (is_model) return convert_model(self, parsed.operands[0], &settings);
    const char *idle = settings.notes ? "notes" : settings.mask ? "mask" : NULL;
    if (idle) return usage_error(self, "--%s goes with models (--to f16 or f32)", idle);
    code = choose_format(self, &settings);
    if (code) return code;
    if (!output_accepts(settings.output, settings.to)) return EXIT_INPUT;

    ucpo_dataset *set = NULL;
    code = read_set(parsed.operands[0], &settings.read, &set);
    if (!code)
        code = settings.plan ? convert_plans(self, &settings, &set)
                             : convert_instances(self, &settings, &set);
    ucpo_dataset_free(set);
    return code;
}

const struct command command_convert = {
    .name = "convert",
    .summary = "convert instances, plans or models between file formats",
    .usage = {"convert INSTANCE --to FORMAT [-o FILE] [options]",
              "convert INSTANCE --plan SOLUTION --to FORMAT [-o FILE] [options]",
              "convert MODEL|CHECKPOINT.pt FILE.safetensors [--to f16]"},
    .examples =
        {
            {"Solomon's file as JSON", "ucpo convert c101.txt -o c101.json"},
            {"instance 17 of a set for LKH, which computes in whole numbers",
             "ucpo convert val.npy --index 17 --scale 100000 -o one.tsptw"},
            {"the first ten as a smaller set", "ucpo convert val.npy --count 10 -o ten.npy"},
            {"a tour of LKH as VRPLIB solution", "ucpo convert c101.vrp --plan c101.tour --to sol"},
            {"a plan with its schedule as a spreadsheet",
             "ucpo convert c101.txt --plan c101.sol -o stops.csv"},
            {"a PyTorch checkpoint of POMO, PIP, PIP-D or AM, without executing it",
             "ucpo convert epoch-10000.pt pip.safetensors --problem tsptw --mask pip"},
            {"a checkpoint as a model of half the size to hand on",
             "ucpo convert runs/a/last.safetensors --to f16 -o model.safetensors"},
        },
    .operands = {{"INSTANCE", "instance or data set, any format, or a model; - for standard input",
                  NULL, 0, 0},
                 {"FILE", "the same as -o FILE", NULL, 1, 0}},
    .groups = {&group, &read_options, &common_options},
    .details = {"What the target format cannot carry is said on standard error (with --strict it "
                "is an error). FILE appears complete or not at all."},
    .run = run,
};
