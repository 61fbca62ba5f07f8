/* ucpo generate: random instances, or one of the published validation sets. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/input.h"
#include "cli/output.h"
#include "core/text.h"

struct generate_settings {
    ucpo_generate_config config;
    const char *profile, *preset, *to, *output;
};

/* ---- levels: a list of words per problem in the registry ---- */

enum { LEVEL_MAX = 32, LEVEL_LENGTH = 24 };

/* Adds the words of a list that are not there yet. */
static size_t add_levels(const char *list, char words[][LEVEL_LENGTH], size_t count)
{
    while (count < LEVEL_MAX && text_next(&list, words[count], LEVEL_LENGTH)) {
        size_t same = 0;
        while (strcmp(words[same], words[count]) != 0) same++;
        if (same == count) count++;
    }
    return count;
}

/* The levels of all problems, each once. */
static const char *level_at(size_t index)
{
    static char words[LEVEL_MAX][LEVEL_LENGTH];
    static size_t count;
    if (count == 0)
        for (size_t p = 0; ucpo_problem_at(p); p++)
            count = add_levels(ucpo_problem_at(p)->levels, words, count);
    return index < count ? words[index] : NULL;
}

/* ---- table ---- */

#define AT(member) offsetof(struct generate_settings, member)

static const struct opt_spec what_specs[] = {
    OPT("size", 'n', OPT_INT, AT(config.size), "SIZE", NULL,
        "nodes including the depot for tours, customers for fleets; as in the literature", .low = 3,
        .high = 10000),
    OPT("level", 'l', OPT_TEXT, AT(config.level), "LEVEL", NULL,
        "how hard, or which profile; 'ucpo info' lists the levels of each problem, the "
        "default first",
        .choice = level_at),
    OPT("profile", 0, OPT_TEXT, AT(profile), "LEVEL", NULL, "another name for --level",
        .choice = level_at),
    OPT("preset", 0, OPT_CHOICE, AT(preset), "NAME", NULL,
        "a validation set of 10000 instances: the ten published ones, bit for bit, or one of ours "
        "for fleets (docs/generators.md)",
        .choice = ucpo_preset_at),
    OPT("count", 'c', OPT_INTEGER, AT(config.count), "N", NULL,
        "number of instances [default: 1; with --preset all]", .low = 1, .high = 100000000),
    OPT("first", 0, OPT_INTEGER, AT(config.first), "K", "0",
        "start at instance K; instance K is the same whatever else is generated", .low = 0,
        .high = 2000000000),
    OPT("seed", 's', OPT_SEED, AT(config.seed), "SEED", "1",
        "same seed, same instances, on any number of threads"),
    OPT("capacity", 0, OPT_REAL, AT(config.capacity), "Q", NULL,
        "vehicle capacity, instead of the level's", .is_low_excluded = 1),
    OPT("threads", 'j', OPT_INT, AT(config.threads), "T", "0", "threads, 0 for all processors",
        .low = 0, .high = 1024, .old_letter = 't'),
};

static const struct opt_spec output_specs[] = {
    OPT("to", 0, OPT_CHOICE, AT(to), "FORMAT", NULL,
        "format to write [default: by the ending of FILE, else json]", .choice = ucpo_format_at),
    OPT("output", 'o', OPT_FILE, AT(output), "FILE", "-", "where to write, - for standard output"),
};

static const struct opt_group what_group = OPT_GROUP("What to generate", what_specs);
static const struct opt_group output_group = OPT_GROUP("Output", output_specs);

/* ---- checks ---- */

static int check_preset_use(const struct command *self, const struct opt_parsed *parsed)
{
    static const char *const fixed[] = {"size", "level", "profile", "seed", "capacity"};
    if (parsed->operand_count > 0)
        return usage_error(self, "--preset names the problem, '%s' is one too many",
                           parsed->operands[0]);
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
        if (opt_is_given(parsed, fixed[i]))
            return usage_error(self, "--preset is a fixed set, --%s cannot change it", fixed[i]);
    return EXIT_DONE;
}

static int check_level(const struct command *self, const ucpo_problem_info *problem,
                       const struct generate_settings *settings)
{
    const char *level = settings->config.level;
    if (!level || text_word_index(problem->levels, level) >= 0) return EXIT_DONE;
    const char *near = opt_nearest(level_at, level);
    int is_near = near && text_word_index(problem->levels, near) >= 0;
    return usage_error(self, "--level is '%s', %s has: %s%s%s%s", level, problem->name,
                       problem->levels, is_near ? " (did you mean '" : "", is_near ? near : "",
                       is_near ? "'?)" : "");
}

static int check_random_use(const struct command *self, const struct opt_parsed *parsed,
                            struct generate_settings *settings)
{
    char known[200], hint[80];
    if (parsed->operand_count == 0)
        return usage_error(self, "PROBLEM is missing, expected one of: %s (or use --preset)",
                           text_join(problem_name_at, ", ", known, sizeof known));
    const ucpo_problem_info *problem = problem_find(parsed->operands[0]);
    if (!problem)
        return usage_error(self, "PROBLEM is '%s', expected one of: %s%s", parsed->operands[0],
                           text_join(problem_name_at, ", ", known, sizeof known),
                           opt_hint(problem_name_at, parsed->operands[0], hint, sizeof hint));
    if (!opt_is_given(parsed, "size")) return usage_error(self, "-n SIZE is missing");
    int both = settings->config.level && settings->profile;
    if (both && strcmp(settings->config.level, settings->profile) != 0)
        return usage_error(self, "--level %s and --profile %s are one setting with two values",
                           settings->config.level, settings->profile);
    if (settings->profile) settings->config.level = settings->profile;
    return check_level(self, problem, settings);
}

/* ---- work ---- */

static ucpo_status make_set(const char *problem, const struct generate_settings *settings,
                            ucpo_dataset **set, ucpo_error *err)
{
    ucpo_generate_config config = settings->config;
    if (settings->preset)
        return ucpo_generate_preset(settings->preset, config.first, config.count, set, err);
    config.problem = problem;
    if (config.count == 0) config.count = 1;
    config.hooks = message_hooks("generating");
    return ucpo_generate(&config, set, err);
}

/* Random windows may leave no way: says so, as far as a look at some small instances finds out. */
static void warn_of_impossible(const ucpo_dataset *set)
{
    enum { MOST_LOOKED_AT = 100, MOST_NODES = 60 };

    size_t looked = 0, proved = 0;
    for (size_t i = 0; i < ucpo_dataset_count(set) && i < MOST_LOOKED_AT; i++) {
        ucpo_explanation *why = NULL;
        const ucpo_instance *inst = ucpo_dataset_at(set, i);
        if (ucpo_instance_view(inst)->n > MOST_NODES) break;
        if (ucpo_explain(inst, NULL, 0, &why, NULL)) break;
        proved += ucpo_explanation_is_proof(why) != 0;
        looked++;
        ucpo_explanation_free(why);
    }
    if (proved == 1 && ucpo_dataset_count(set) == 1)
        message_warning("the instance is proved to have no feasible plan; 'ucpo explain' says why");
    else if (proved > 0)
        message_warning("%zu of the first %zu instances %s proved to have no feasible plan; 'ucpo "
                        "explain' says why",
                        proved, looked, proved == 1 ? "is" : "are");
}

static int write_set(const ucpo_dataset *set, const char *format, const char *path)
{
    ucpo_error err = {0};
    char *bytes = NULL;
    size_t size = 0;
    ucpo_write_config options = ucpo_write_config_default();
    options.format = format;
    options.hooks = message_hooks("writing");
    ucpo_status status = ucpo_write_bytes(set, &options, &bytes, &size, &err);
    return output_made(path, status, &err, bytes, size);
}

/* --to, else the ending of the file name if it is an instance format, else json. */
static const char *choose_format(const struct generate_settings *settings)
{
    if (settings->to) return settings->to;
    const char *by_name = output_format_for(settings->output);
    return by_name && text_find(ucpo_format_at, by_name) >= 0 ? by_name : "json";
}

static int run(const struct command *self, int argc, char **argv)
{
    struct generate_settings settings = {.config = ucpo_generate_config_default()};
    settings.config.count = 0; /* not given: one, or all of a preset */
    void *targets[OPT_MAX_GROUPS] = {&settings, &settings};
    struct opt_parsed parsed;
    int code = EXIT_DONE;
    if (!command_begin(self, targets, argc, argv, &parsed, &code)) return code;
    code = settings.preset ? check_preset_use(self, &parsed)
                           : check_random_use(self, &parsed, &settings);
    if (code) return code;
    const char *format = choose_format(&settings);
    if (!output_accepts(settings.output, format)) return EXIT_INPUT;

    ucpo_error err = {0};
    ucpo_dataset *set = NULL;
    ucpo_status status =
        make_set(parsed.operand_count ? parsed.operands[0] : NULL, &settings, &set, &err);
    if (status) return message_failure(status, &err);
    code = write_set(set, format, settings.output);
    if (code == EXIT_DONE)
        message_note("generated %zu instances, written as %s", ucpo_dataset_count(set), format);
    if (code == EXIT_DONE && !settings.preset && !message_is_quiet()) warn_of_impossible(set);
    ucpo_dataset_free(set);
    return code;
}

const struct command command_generate = {
    .name = "generate",
    .summary = "make random instances, or a published validation set",
    .usage = {"generate PROBLEM -n SIZE [options]", "generate --preset NAME [options]"},
    .examples =
        {
            {"one TSP with time windows, 20 nodes, as JSON on the screen",
             "ucpo generate tsptw -n 20 --level hard"},
            {"1000 hard instances for a benchmark, repeatable by the seed",
             "ucpo generate tsptw -n 50 --level hard --count 1000 --seed 7 -o hard50.npy"},
            {"instance 17 of that set alone",
             "ucpo generate tsptw -n 50 --level hard --first 17 --seed 7"},
            {"the first 100 instances of a published validation set",
             "ucpo generate --preset tsptw50_hard --count 100 -o val.npy"},
        },
    .operands = {{"PROBLEM", "which problem to generate", problem_name_at, 1, 0}},
    .groups = {&what_group, &output_group, &common_options},
    .details =
        {"Instance number i depends on problem, level, size, seed and i only: not on the count, "
         "the number of threads or the order. Formats that hold one instance take --count 1.",
         "Time windows of one tour are drawn as published for the levels easy and medium, and not "
         "tested: of small instances (below 50 nodes) a part has no feasible plan, and a warning "
         "counts those of which this is proved. Level hard has a feasible plan by construction."},
    .run = run,
};
