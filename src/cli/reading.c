#include "cli/input.h"

#include <stdint.h>
#include <string.h>

#include "cli/output.h"
#include "cli/verdict.h"
#include "core/text.h"

/* Index + 1 is the ucpo_rounding. */
static const char roundings[] = "none nearest up down dimacs exact";

const char *metric_name(ucpo_metric metric)
{
    static const char *const names[] = {"Euclidean",
                                        "Manhattan",
                                        "maximum",
                                        "geographic (TSPLIB GEO: degrees.minutes, kilometres)",
                                        "pseudo-Euclidean (ATT)",
                                        "great circle (km)"};
    return (size_t)metric < sizeof names / sizeof names[0] ? names[metric] : "unknown";
}

const char *length_rounding(ucpo_metric metric, ucpo_rounding rounding)
{
    if (metric == UCPO_METRIC_GEO) return "whole kilometres";
    if (metric == UCPO_METRIC_ATT) return "whole numbers, up";
    static const char *const names[] = {"none", "none", "nearest", "up", "down", "dimacs", "exact"};
    return (size_t)rounding < sizeof names / sizeof names[0] ? names[rounding] : "none";
}

const char *problem_name_at(size_t index)
{
    const ucpo_problem_info *info = ucpo_problem_at(index);
    return info ? info->name : NULL;
}

const ucpo_problem_info *problem_find(const char *name)
{
    for (size_t i = 0; ucpo_problem_at(i); i++)
        if (strcmp(ucpo_problem_at(i)->name, name) == 0) return ucpo_problem_at(i);
    return NULL;
}

#define AT(member) offsetof(struct read_settings, member)

static const struct opt_spec specs[] = {
    OPT("input-format", 0, OPT_CHOICE, AT(config.format), "FORMAT", NULL,
        "format of the instance file; without it the content decides, never the file name",
        .choice = ucpo_format_at),
    OPT("problem", 'p', OPT_CHOICE, AT(config.problem), "PROBLEM", NULL,
        "expect this problem; decides where the file leaves it open", .choice = problem_name_at),
    OPT("round", 0, OPT_CHOICE, AT(rounding), "RULE", NULL,
        "how distances between coordinates are rounded, instead of what the file declares; "
        "matrices are never rounded",
        .words = roundings),
    OPT("capacity", 0, OPT_REAL, AT(config.capacity), "Q", NULL,
        "vehicle capacity, instead of the file's", .is_low_excluded = 1),
    OPT("vehicles", 0, OPT_INT, AT(config.vehicles), "N|none", NULL,
        "fleet limit, instead of the file's; none drops it", .low = 1, .high = INT32_MAX,
        .minus_one = "none"),
    OPT("tolerance", 0, OPT_REAL, AT(config.tolerance), "X|file", "file",
        "lateness up to X counts as none; file: what the file says, up to 1e-4 of the median "
        "travel time from the depot, or a small part of the instance's unit",
        .minus_one = "file"),
    OPT("column", 0, OPT_TEXT, AT(config.columns), "WHAT=HEAD,...", NULL,
        "which column of a CSV is what, e.g. demand=qty,id=Kunde; WHAT is id, name, x, y, lat, "
        "lon, ready, due, window, service, demand, kind, capacity or vehicles"),
    OPT("speed", 0, OPT_REAL, AT(config.speed), "V", NULL,
        "km/h, for a CSV with degrees or times of the day and for VROOM files without a matrix "
        "[default: 40]; for a CSV of plain numbers length per unit of time",
        .is_low_excluded = 1),
    OPT("matrix", 0, OPT_FILE, AT(config.matrix), "FILE", NULL,
        "road distances and times of a CSV's places, in their order, as OSRM's table service or "
        "openrouteservice answers (JSON)"),
    OPT("strict", 0, OPT_FLAG, AT(config.strict), NULL, NULL,
        "unknown keys, and losses when writing, are errors instead of warnings"),
    OPT("ignore-unsupported", 0, OPT_FLAG, AT(config.ignore_unsupported), NULL, NULL,
        "leave out what ucpo does not model, instead of stopping; the instance may then be easier "
        "or "
        "harder than the file's problem, and verdicts say so"),
};

const struct opt_group read_options = OPT_GROUP("Reading the instance", specs);

ucpo_read_config read_options_for(const struct read_settings *settings)
{
    ucpo_read_config options = settings->config;
    options.struct_size = sizeof options;
    if (settings->rounding)
        options.rounding = (ucpo_rounding)(text_word_index(roundings, settings->rounding) + 1);
    options.hooks = message_hooks("reading");
    return options;
}

/* An option that changes nothing is worth a word. */
static void warn_about_idle_options(const char *path, const struct read_settings *settings,
                                    const ucpo_dataset *set)
{
    const ucpo_instance_data *data = ucpo_instance_view(ucpo_dataset_at(set, 0));
    int has_fleet = data->demand && !data->limit;
    if (settings->rounding && data->cost)
        message_warning("%s: --round has no effect, the file gives a distance matrix", path);
    if (settings->config.capacity > 0.0 && !has_fleet)
        message_warning("%s: --capacity has no effect on %s", path, data->problem);
    if (settings->config.vehicles != 0 && !has_fleet)
        message_warning("%s: --vehicles has no effect on %s", path, data->problem);
}

int read_set(const char *path, const struct read_settings *settings, ucpo_dataset **out)
{
    ucpo_error err = {0};
    ucpo_read_config options = read_options_for(settings);
    ucpo_status status = ucpo_read(path, &options, out, &err);
    if (status) return message_failure(status, &err);
    warn_about_idle_options(path, settings, *out);
    if (message_is_quiet()) tell_left_out(path, *out); /* else it was said while reading */
    return EXIT_DONE;
}

int read_plans(const char *path, const char *format, const ucpo_dataset *set, ucpo_plans **out)
{
    ucpo_error err = {0};
    ucpo_status status = ucpo_plans_read(path, format, set, out, &err);
    return status ? message_failure(status, &err) : EXIT_DONE;
}

int inputs_are_distinct(const struct command *command, const char *a, const char *b)
{
    if (strcmp(a, "-") != 0 || strcmp(b, "-") != 0) return 1;
    usage_error(command, "both inputs are '-', but there is only one standard input");
    return 0;
}

int cut_set(ucpo_dataset **set, size_t first, size_t count)
{
    ucpo_error err = {0};
    ucpo_dataset *part = NULL;
    ucpo_status status = ucpo_dataset_slice(*set, first, count, &part, &err);
    if (status) return message_failure(status, &err);
    ucpo_dataset_free(*set);
    *set = part;
    return EXIT_DONE;
}

int cut_plans(ucpo_plans **plans, size_t first, size_t count)
{
    ucpo_error err = {0};
    ucpo_plans *part = NULL;
    ucpo_status status = ucpo_plans_create(&part, &err);
    for (size_t i = first; !status && i < first + count; i++) {
        ucpo_plan plan = ucpo_plans_at(*plans, i);
        status = ucpo_plans_add(part, plan.nodes, plan.len, plan.stated_cost, &err);
    }
    ucpo_plans_free(status ? part : *plans);
    if (status) return message_failure(status, &err);
    *plans = part;
    return EXIT_DONE;
}

int write_plan_file(const char *path, const char *format, const ucpo_dataset *set,
                    const ucpo_plans *plans)
{
    ucpo_error err = {0};
    char *bytes = NULL;
    size_t size = 0;
    ucpo_status status = ucpo_plans_write_bytes(format, set, plans, &bytes, &size, &err);
    return output_made(path, status, &err, bytes, size);
}
