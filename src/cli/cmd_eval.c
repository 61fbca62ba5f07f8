/* ucpo eval: how well models solve a set. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/eval_doubts.h"
#include "cli/eval_report.h"
#include "cli/input.h"
#include "cli/lkh.h"
#include "cli/model.h"
#include "cli/output.h"
#include "cli/target.h"
#include "core/clock.h"
#include "core/text.h"

struct eval_settings {
    struct read_settings read;
    struct lkh_settings lkh;
    const char *preset, *set, *reference, *reference_units;
    long count, doubts;
    ucpo_eval_config config;
    const char *starts;
    struct opt_time refine;
    const char *format, *output, *plans;
};

/* ---- table ---- */

#define AT(member) offsetof(struct eval_settings, member)

static const struct opt_spec set_specs[] = {
    OPT("preset", 0, OPT_CHOICE, AT(preset), "NAME", NULL,
        "solve a validation set: the ten published ones, and ours for fleets",
        .choice = ucpo_preset_at),
    OPT("set", 0, OPT_FILE, AT(set), "FILE|DIR", NULL,
        "solve the instances of a file, any format, or of all files of a folder; - for standard "
        "input"),
    OPT("first", 0, OPT_INTEGER, AT(config.first), "K", "0",
        "start at instance K of the set; its result is the same whatever else is solved", .low = 0,
        .high = 2000000000),
    OPT("count", 'c', OPT_INTEGER, AT(count), "N", NULL,
        "number of instances [default: all the rest]", .low = 1, .high = 100000000),
    OPT("reference", 'r', OPT_FILE, AT(reference), "COSTS|lkh", NULL,
        "costs to compare with, entry K for instance K: an NPY vector, CSV with a column cost or "
        "one number a line, or the PIP repository's .pkl of (cost, tour) pairs; lkh: let an "
        "installed LKH compute them"),
    OPT("reference-units", 0, OPT_CHOICE, AT(reference_units), "UNITS", "normalised",
        "whether the costs are divided by the instance's unit, as the published ones are",
        .words = "normalised instance"),
    OPT("doubts", 0, OPT_INTEGER, AT(doubts), "N", "10",
        "how many of the references below our plans are held against a lower bound, the farthest "
        "below first: what "
        "no plan can cost is listed. Up to 0.5 s each; 0: none",
        .low = 0, .high = 100000000),
};

static const struct opt_spec how_specs[] = {
    OPT("samples", 'k', OPT_INT, AT(config.samples), "N", NULL,
        "trajectories drawn per image [default: the size of the instance, also above 100]",
        .low = 1, .high = 1000000, .old_letter = 'n'),
    OPT("rounds", 0, OPT_INT, AT(config.rounds), "N", "1",
        "draw the samples in N rounds (distances: --round): the best plans take over parts of "
        "others that are better there, a fleet's are put together of all routes drawn, and the "
        "last rounds decide parts of the best anew; 8 is a good number. As many trajectories, "
        "better plans, but no longer the best of independent "
        "ones; "
        "not with --greedy or --starts each",
        .low = 1, .high = 1000),
    OPT("backtrack", 0, OPT_INT, AT(config.backtrack), "N", "0",
        "with --greedy: a trajectory that becomes infeasible steps back and takes the customer it "
        "missed earlier, for up to N decisions per node",
        .low = 0, .high = 1e6),
    OPT("mask-tolerance", 0, OPT_REAL, AT(config.mask_tolerance), "X", NULL,
        "lateness that a look-ahead mask lets pass [default: the instance's tolerance, by which "
        "plans are judged in any case]",
        .low = 0, .high = 1e100),
    OPT("starts", 0, OPT_CHOICE, AT(starts), "HOW", "sampled",
        "first customer of a trajectory: chosen like the others, or each in turn (POMO's "
        "multi-start)",
        .words = "sampled each"),
    OPT("refine", 0, OPT_TIME, AT(refine), "TIME", NULL,
        "improve each answer by local search for this processor time (20ms, 0.1s); the report has "
        "a row without and a row with it",
        .needs_unit = 1),
};

static const struct opt_spec output_specs[] = {
    OPT("format", 'f', OPT_CHOICE, AT(format), "FORMAT", "text",
        "form of the report; json also has a record per instance", .words = "text csv json latex"),
    OPT("output", 'o', OPT_FILE, AT(output), "FILE", "-",
        "where to write the report, - for standard output"),
    OPT("plans", 0, OPT_FILE, AT(plans), "FILE", NULL,
        "write the best plan of every instance, also infeasible ones, for 'ucpo check': .json, "
        ".npy or .csv by the ending; one model only"),
};

static const struct opt_spec decode_specs[] = {DECODE_ROWS(AT)};

static const struct opt_group set_group = OPT_GROUP("What to solve", set_specs),
                              how_group = OPT_GROUP("How to solve it", how_specs),
                              decode_group = OPT_GROUP("Decoding", decode_specs),
                              output_group = OPT_GROUP("Output", output_specs);

/* ---- what the run holds ---- */

struct work {
    const struct command *self;
    const struct eval_settings *settings;
    char **paths; /* of the models */
    size_t count;
    ucpo_model **models; /* NULL: constructive rules */
    ucpo_dataset *set;
    size_t instances;
    double *costs;         /* all of the file's, or the next */
    double *lkh_costs;     /* computed here */
    struct eval_row *rows; /* one per model, with --refine two */
    size_t row_count;
    uint8_t *common;
    ucpo_plans *plans;
    int is_partial;         /* interrupted */
    struct refused refused; /* models that are left out */
    struct eval_report report;
};

static int uses_lkh(const struct eval_settings *s)
{
    return s->reference && strcmp(s->reference, "lkh") == 0;
}

/* Hours of solving are not to be lost at the end. */
static int check_target(const struct work *w, const char *path)
{
    int code = target_spares(w->self, path, w->settings->set);
    if (!code) code = target_spares(w->self, path, w->settings->reference);
    if (!code) code = target_spares_all(w->self, path, w->paths, w->count);
    return code ? code : target_is_possible(path);
}

static int check_plans(const struct work *w, const struct eval_settings *s)
{
    const char *format = output_format_for(s->plans);
    int holds_plans = format && strstr("json npy csv", format);
    if (w->count > 1)
        return usage_error(w->self, "--plans is for one model, %zu are given", w->count);
    if (strcmp(s->plans, "-") == 0 && strcmp(s->output, "-") == 0)
        return usage_error(w->self, "plans and report cannot both go to standard output");
    if (target_ending(s->plans) && !holds_plans)
        return usage_error(w->self, "--plans is '%s', expected the ending .json, .npy or .csv",
                           s->plans);
    return EXIT_DONE;
}

static int check_reference(const struct work *w, const struct eval_settings *s,
                           const struct opt_parsed *parsed)
{
    if (opt_is_given(parsed, "reference-units") && !s->reference)
        return usage_error(w->self, "--reference-units has no meaning without --reference");
    if (opt_is_given(parsed, "doubts") && !s->reference)
        return usage_error(w->self, "--doubts has no meaning without --reference");
    for (size_t i = 0; !uses_lkh(s) && i < lkh_options.count; i++)
        if (opt_is_given(parsed, lkh_options.specs[i].name))
            return usage_error(w->self, "--%s has no meaning without --reference lkh",
                               lkh_options.specs[i].name);
    if (uses_lkh(s) && opt_is_given(parsed, "reference-units"))
        return usage_error(w->self, "--reference-units is for files, not for --reference lkh");
    return EXIT_DONE;
}

static int check_usage(const struct work *w, struct eval_settings *s,
                       const struct opt_parsed *parsed)
{
    if (!s->preset && !s->set)
        return usage_error(w->self, "which instances? --preset NAME or --set FILE is missing");
    if (s->preset && s->set) return usage_error(w->self, "--preset and --set exclude each other");
    for (size_t i = 0; s->preset && i < read_options.count; i++)
        if (opt_is_given(parsed, read_options.specs[i].name) &&
            strcmp(read_options.specs[i].name, "tolerance") != 0)
            return usage_error(w->self, "--preset is a fixed set, --%s cannot change it",
                               read_options.specs[i].name);
    if (s->config.greedy && opt_is_given(parsed, "samples"))
        return usage_error(w->self, "--greedy draws nothing, --samples has no meaning with it");
    if (s->config.rounds > 1 && (s->config.greedy || strcmp(s->starts, "each") == 0))
        return usage_error(w->self, "--rounds is for sampling, not for --greedy or --starts each");
    if (s->config.backtrack > 0 && strcmp(s->starts, "each") == 0)
        return usage_error(w->self, "--backtrack is for one trajectory per image, --starts each "
                                    "asks for many");
    if (s->config.backtrack > 0 && !s->config.greedy)
        return usage_error(w->self, "--backtrack has no meaning without --greedy");
    int code = check_reference(w, s, parsed);
    if (!code && s->plans) code = check_plans(w, s);
    if (!code) code = check_target(w, s->output);
    return code ? code : check_target(w, s->plans);
}

/* Options of decoding, where nothing is decoded. */
static void warn_of_rules(const struct work *w, const struct opt_parsed *parsed)
{
    const char *idle = "samples rounds backtrack mask-tolerance starts augment greedy mask "
                       "temperature kernels precision";
    char name[24];
    for (size_t i = 0; i < w->count; i++)
        if (strcmp(w->paths[i], "none") != 0) return;
    while (text_next(&idle, name, sizeof name))
        if (opt_is_given(parsed, name))
            message_warning("--%s has no effect: constructive rules draw nothing", name);
}

/* Starts the cluster, if there is one. */
static int check_cluster(const struct work *w)
{
    const char *set = w->settings->set;
    if (cluster_comm() && uses_lkh(w->settings))
        return message_error("--reference lkh is for one process");
    if (!cluster_comm() || !set || strcmp(set, "-") != 0) return EXIT_DONE;
    return message_error("several processes cannot share standard input; give --set a file");
}

/* ---- inputs ---- */

static int load_model(const char *name, ucpo_model **model)
{
    ucpo_error err = {0};
    char path[1200];
    if (strcmp(name, "none") == 0) return EXIT_DONE;
    ucpo_status status = ucpo_model_load(model_path(name, path, sizeof path), model, &err);
    return status ? message_failure(status, &err) : EXIT_DONE;
}

/* Each model must be for the problem of each instance. */
static int check_fit(const struct work *w, const ucpo_model *model, const char *name)
{
    const char *problem = ucpo_model_describe(model).config.problem;
    for (size_t i = 0; i < w->instances; i++) {
        const char *other = ucpo_instance_view(ucpo_dataset_at(w->set, i))->problem;
        if (strcmp(problem, other) == 0) continue;
        message_error("%s: the model is for %s, but instance %zu is %s", name, problem,
                      i + w->settings->config.first, other);
        return EXIT_MISFIT;
    }
    return EXIT_DONE;
}

/* A model that is refused among several is left out. */
static int load_models(struct work *w)
{
    size_t kept = 0;
    int code = EXIT_DONE;
    w->models = calloc(w->count, sizeof(ucpo_model *));
    if (!w->models) return no_memory();
    for (size_t i = 0; !code && i < w->count; i++) {
        ucpo_model *model = NULL;
        code = load_model(w->paths[i], &model);
        if (!code && model) code = check_fit(w, model, w->paths[i]);
        if (!code) {
            w->paths[kept] = w->paths[i];
            w->models[kept++] = model;
            continue;
        }
        ucpo_model_free(model);
        code = refused_note(&w->refused, w->paths[i], code);
    }
    w->count = kept;
    if (code || kept > 0) return code;
    return w->refused.code ? w->refused.code : EXIT_INPUT;
}

/* Replaces the set that was read by the part that --first and --count ask for. */
static int take_part(struct work *w)
{
    const struct eval_settings *s = w->settings;
    size_t first = s->config.first, all = ucpo_dataset_count(w->set);
    size_t count = s->count ? (size_t)s->count : all - (first < all ? first : all);
    if (first >= all || count > all - first)
        return message_error("%s: holds %zu instances, asked for are %zu to %zu", s->set, all,
                             first, first + (count ? count : 1) - 1);
    return cut_set(&w->set, first, count);
}

/* A preset knows its own tolerance. */
static int take_tolerance(struct work *w)
{
    ucpo_dataset *set = NULL;
    ucpo_error err = {0};
    ucpo_status status = ucpo_dataset_create(&set, &err);
    for (size_t i = 0; !status && i < ucpo_dataset_count(w->set); i++) {
        ucpo_instance_data data = *ucpo_instance_view(ucpo_dataset_at(w->set, i));
        ucpo_instance *copy = NULL;
        data.tolerance = w->settings->read.config.tolerance;
        status = ucpo_instance_create(&data, &copy, &err);
        if (!status) status = ucpo_dataset_add(set, copy, &err);
        if (status) ucpo_instance_free(copy);
    }
    ucpo_dataset_free(status ? set : w->set);
    if (status) return message_failure(status, &err);
    w->set = set;
    return EXIT_DONE;
}

static int load_set(struct work *w)
{
    const struct eval_settings *s = w->settings;
    ucpo_error err = {0};
    int code = EXIT_DONE;
    if (s->preset) {
        ucpo_status status =
            ucpo_generate_preset(s->preset, s->config.first, (size_t)s->count, &w->set, &err);
        if (status) return message_failure(status, &err);
        if (s->read.config.tolerance >= 0.0) code = take_tolerance(w);
    } else {
        code = read_set_or_folder(s->set, &s->read, &w->set);
        if (!code) code = take_part(w);
    }
    if (!code) w->instances = ucpo_dataset_count(w->set);
    return code;
}

static int compute_reference(struct work *w)
{
    w->lkh_costs = calloc(w->instances, sizeof *w->lkh_costs);
    if (!w->lkh_costs) return no_memory();
    w->costs = w->lkh_costs;
    return lkh_costs(&w->settings->lkh, w->set, w->costs);
}

/* Keeps the costs that belong to the instances, normalised. */
static int load_reference(struct work *w)
{
    const struct eval_settings *s = w->settings;
    size_t found = 0, first = s->config.first, last = first + w->instances;
    if (!s->reference) return EXIT_DONE;
    if (uses_lkh(s)) return compute_reference(w);
    ucpo_error err = {0};
    ucpo_status status = ucpo_costs_read(s->reference, &w->costs, &found, &err);
    if (status) return message_failure(status, &err);
    if (found < last)
        return message_error("%s: holds %zu costs, instances %zu to %zu need %zu", s->reference,
                             found, first, last - 1, last);
    if (found > last && !s->count)
        message_warning("%s: holds %zu costs, those of instances %zu to %zu are used", s->reference,
                        found, first, last - 1);
    memmove(w->costs, w->costs + first, w->instances * sizeof *w->costs);
    for (size_t i = 0; strcmp(s->reference_units, "instance") == 0 && i < w->instances; i++)
        w->costs[i] /= ucpo_instance_view(ucpo_dataset_at(w->set, i))->unit;
    return EXIT_DONE;
}

/* ---- work ---- */

static double refine_share(const ucpo_eval_record *records, size_t count)
{
    double decode = 0.0, refine = 0.0;
    for (size_t i = 0; i < count; i++) {
        decode += records[i].decode_seconds;
        refine += records[i].refine_seconds;
    }
    return refine > 0.0 ? refine / (decode + refine) : 0.0;
}

/* A second row from the same run: what the answers were before local search. */
static int split_row(const struct work *w, const struct eval_row *both, struct eval_row *before)
{
    *before = *both;
    before->refine = NULL;
    before->seconds *= 1.0 - refine_share(both->records, w->instances);
    before->records = calloc(w->instances ? w->instances : 1, sizeof *before->records);
    if (!before->records) return no_memory();
    for (size_t i = 0; i < w->instances; i++) {
        ucpo_eval_record *r = &before->records[i];
        *r = both->records[i];
        r->is_feasible = r->decoded_is_feasible;
        r->objective = r->decoded_objective;
        r->violation = r->decoded_violation;
        r->cost = r->objective * ucpo_instance_view(ucpo_dataset_at(w->set, i))->unit;
        r->refine_seconds = 0.0;
        r->is_tolerated = 0; /* the checker saw the refined answer only */
        r->late_max = r->over_max = (double)NAN;
    }
    return EXIT_DONE;
}

static int solve(struct work *w, size_t m)
{
    int is_refined = w->settings->refine.text != NULL;
    struct eval_row *row = &w->rows[w->row_count];
    ucpo_error err = {0};
    ucpo_eval_config config = w->report.config;
    config.hooks = message_hooks("solving");
    config.partial = 1;
    row += is_refined;
    w->row_count += is_refined ? 2 : 1;
    row->model = w->models[m] ? w->paths[m] : "rules";
    row->refine = w->settings->refine.text;
    row->mask = w->models[m] ? ucpo_eval_mask(w->models[m], config.mask) : "-";
    row->records = calloc(w->instances, sizeof *row->records);
    if (!row->records) return no_memory();
    double begin = clock_seconds();
    ucpo_status status = ucpo_evaluate(w->models[m], w->set, &config, row->records,
                                       w->settings->plans ? &w->plans : NULL, &err);
    row->seconds = clock_seconds() - begin;
    if (status && err.file[0] == '\0') /* what does not fit by now is the model's mask */
        snprintf(err.file, sizeof err.file, "%s",
                 status == UCPO_E_MISMATCH ? w->paths[m] : w->report.source);
    if (status) return message_failure(status, &err);
    for (size_t i = 0; i < w->instances; i++) w->is_partial |= row->records[i].candidates == 0;
    if (w->is_partial) interrupt_clear(); /* what is done is to be written */
    return is_refined ? split_row(w, row, row - 1) : EXIT_DONE;
}

/* Instances that were reached at all. */
static size_t count_done(const struct work *w)
{
    const ucpo_eval_record *records = w->rows[0].records;
    size_t done = 0;
    for (size_t i = 0; records && i < w->instances; i++) done += records[i].candidates > 0;
    return done;
}

/* A gap that no solver has: most likely the reference is in other units. */
static void warn_about_units(const struct work *w, const ucpo_eval_summary *s)
{
    if (!w->costs || !(s->gap_common < -80.0 || s->gap_common > 400.0)) return;
    int is_normalised = strcmp(w->settings->reference_units, "normalised") == 0;
    message_warning("%s: costs are on average %.4g times the reference; is it in %s units "
                    "(--reference-units %s)?",
                    w->settings->reference, 1.0 + s->gap_common / 100.0,
                    is_normalised ? "the instance's" : "normalised",
                    is_normalised ? "instance" : "normalised");
}

static int sum_up(struct work *w)
{
    ucpo_error err = {0};
    w->common = calloc(w->instances, 1);
    if (!w->common) return no_memory();
    for (size_t i = 0; i < w->instances; i++) {
        w->common[i] = 1;
        for (size_t m = 0; m < w->row_count; m++)
            w->common[i] = w->common[i] && w->rows[m].records[i].is_feasible;
    }
    for (size_t m = 0; m < w->row_count; m++) {
        ucpo_eval_summary *s = &w->rows[m].summary;
        ucpo_status status =
            ucpo_eval_summarise(w->rows[m].records, w->instances, w->costs, w->common, s, &err);
        if (status) return message_failure(status, &err);
        if (s->disputed)
            message_warning("%s: environment and checker disagree about %zu plans, please report",
                            w->rows[m].model, s->disputed);
    }
    warn_about_units(w, &w->rows[0].summary);
    return EXIT_DONE;
}

/* References that no plan can cost: tables without a place for them have a warning. */
static int doubt(struct work *w)
{
    int code = eval_doubt(&w->report, w->set, (size_t)w->settings->doubts);
    const struct eval_doubts *d = &w->report.doubts;
    const char *format = w->settings->format;
    if (code || d->count == 0 || strcmp(format, "text") == 0 || strcmp(format, "json") == 0)
        return code;
    char list[200] = "";
    for (size_t k = 0; k < d->count; k++)
        text_append(list, sizeof list, ", ", "%zu", w->report.first + d->contradicted[k].index);
    message_warning("%s: %zu reference%s no plan can cost so little as: %s", w->settings->reference,
                    d->count, d->count == 1 ? "" : "s", list);
    return code;
}

static int write_plans(const struct work *w)
{
    const char *path = w->settings->plans;
    if (!path) return EXIT_DONE;
    const char *format = output_format_for(path);
    if (!format || (strcmp(format, "npy") != 0 && strcmp(format, "csv") != 0)) format = "json";
    if (!output_accepts(path, format)) return EXIT_INPUT;
    return write_plan_file(path, format, w->set, w->plans);
}

static int write_report(const struct work *w)
{
    struct output out;
    if (output_begin(&out)) return EXIT_INTERNAL;
    const char *format = w->settings->format;
    int is_done = 1;
    if (strcmp(format, "csv") == 0)
        eval_csv(out.stream, &w->report);
    else if (strcmp(format, "json") == 0)
        eval_json(out.stream, &w->report);
    else if (strcmp(format, "latex") == 0)
        eval_latex(out.stream, &w->report);
    else
        is_done = eval_text(out.stream, &w->report);
    return output_end(&out, w->settings->output, is_done ? EXIT_DONE : EXIT_INTERNAL);
}

static int solve_all(struct work *w)
{
    const struct eval_settings *s = w->settings;
    w->rows = calloc(2 * w->count, sizeof *w->rows);
    if (!w->rows) return no_memory();
    const char *source = s->preset                  ? s->preset
                         : strcmp(s->set, "-") == 0 ? "standard input"
                                                    : s->set;
    w->report =
        (struct eval_report){.source = source,
                             .problem = ucpo_instance_view(ucpo_dataset_at(w->set, 0))->problem,
                             .first = s->config.first,
                             .instances = w->instances,
                             .reference = s->reference,
                             .costs = w->costs,
                             .config = s->config,
                             .rows = w->rows};
    w->report.config.multi_start = strcmp(s->starts, "each") == 0;
    w->report.config.refine_seconds = s->refine.seconds;
    w->report.config.comm = cluster_comm();
    for (size_t i = 0; i < w->instances; i++) {
        const ucpo_instance *inst = ucpo_dataset_at(w->set, i);
        double tolerance = ucpo_instance_view(inst)->tolerance;
        w->report.changed += ucpo_instance_reading(inst) != UCPO_READ_WHOLE;
        if (i == 0) w->report.tolerance_least = w->report.tolerance_most = tolerance;
        w->report.tolerance_least = fmin(w->report.tolerance_least, tolerance);
        w->report.tolerance_most = fmax(w->report.tolerance_most, tolerance);
    }
    for (size_t m = 0; m < w->count && !w->is_partial; m++) {
        int code = solve(w, m);
        if (code) return code;
    }
    w->report.count = w->row_count;
    w->report.is_partial = w->is_partial;
    if (!w->is_partial) return EXIT_DONE;
    if (count_done(w) > 0) return EXIT_DONE;
    message_error("interrupted before anything was solved, nothing was written");
    return EXIT_INTERRUPTED;
}

static void work_free(struct work *w)
{
    for (size_t m = 0; w->models && m < w->count; m++) ucpo_model_free(w->models[m]);
    for (size_t m = 0; w->rows && m < w->row_count; m++) free(w->rows[m].records);
    free(w->report.doubts.contradicted);
    free(w->models);
    free(w->rows);
    free(w->common);
    if (w->costs != w->lkh_costs) ucpo_costs_free(w->costs);
    free(w->lkh_costs);
    ucpo_plans_free(w->plans);
    ucpo_dataset_free(w->set);
}

static int run(const struct command *self, int argc, char **argv)
{
    struct eval_settings settings = {.config = ucpo_eval_config_default()};
    void *targets[OPT_MAX_GROUPS] = {&settings, &settings.lkh, &settings,
                                     &settings, &settings,     &settings.read};
    struct opt_parsed parsed;
    int code = EXIT_DONE;
    if (!command_begin(self, targets, argc, argv, &parsed, &code)) return code;
    struct work w = {.self = self,
                     .settings = &settings,
                     .paths = parsed.operands,
                     .count = parsed.operand_count};
    interrupt_also_terminate();
    code = check_usage(&w, &settings, &parsed);
    if (!code) warn_of_rules(&w, &parsed);
    if (!code) code = check_cluster(&w);
    if (!code) code = load_set(&w);
    if (!code) code = load_models(&w);
    if (!code) code = load_reference(&w);
    if (!code) code = solve_all(&w);
    if (!code) code = sum_up(&w);
    if (!code && cluster_is_first() && !w.is_partial) code = doubt(&w);
    if (!code && cluster_is_first()) code = write_plans(&w);
    if (!code && cluster_is_first()) code = write_report(&w);
    if (!code && w.is_partial) {
        message_alarm("interrupted: the report is PARTIAL, it holds what was solved until then");
        code = EXIT_INTERRUPTED;
    }
    if (w.rows) code = refused_end(&w.refused, w.count, code);
    work_free(&w);
    return code;
}

const struct command command_eval = {
    .name = "eval",
    .summary = "measure how well models solve a set: feasibility, objective, gaps",
    .usage = {"eval MODEL... --preset NAME [options]", "eval MODEL... --set FILE [options]"},
    .examples =
        {
            {"the first 100 instances of a published set, 8 images of 50 samples each",
             "ucpo eval m.safetensors --preset tsptw50_hard --count 100"},
            {"two models against LKH, also on the instances that both solve",
             "ucpo eval a.safetensors b.safetensors --preset tsptw50_hard --reference "
             "lkh_cost.npy"},
            {"against an LKH of your own, 1000 trials; the second time its results are there",
             "ucpo eval m.safetensors --set val.npy -r lkh --lkh-trials 1000 --lkh-cache lkh.csv"},
            {"as the PIP paper decodes: greedy, 8 candidates an instance",
             "ucpo eval m.safetensors --preset tspdl50_hard --greedy --mask pip"},
            {"own instances; the plans for a second look",
             "ucpo eval m.safetensors --set val.npy --plans plans.npy && ucpo check val.npy "
             "plans.npy"},
            {"the model alone and with 20 ms of local search, side by side",
             "ucpo eval m.safetensors --preset tsptw50_hard --greedy --refine 20ms"},
            {"a table for a paper",
             "ucpo eval *.safetensors --set val.npy -r costs.csv --format latex"},
        },
    .operands = {{"MODEL", "model files, one row of the report each; none: constructive rules",
                  NULL, 0, 1}},
    .groups = {&set_group, &lkh_options, &how_group, &decode_group, &output_group, &read_options,
               &common_options},
    .details =
        {"Each instance is solved from several images of it and by several trajectories per image; "
         "each is a candidate. The best one counts: a feasible one before an infeasible one, a "
         "short one before a long one. It is checked by the verifier behind 'ucpo check', which "
         "shares no code with the solver: what it rejects counts as infeasible.",
         "Two gaps are shown, since papers differ. 'gap %' is the mean over solved instances of "
         "100 (f - reference) / reference. 'ratio %' is 100 (mean f over solved instances / mean "
         "reference over all - 1): a model that solves only short instances looks good by it. With "
         "several models 'common' columns take only instances that all of them solve.",
         "Objectives are normalised: cost divided by the instance's unit (100 in the "
         "published sets with time windows). "
         "In csv and json, infeasible_... are shares from 0 to 1, gaps are percent.",
         "Ctrl-C, SIGTERM and SIGHUP end the work: what was solved until then is written, marked "
         "PARTIAL. Plans of instances that were not reached are empty.",
         "A model that is refused among several is left out: the last line on standard error names "
         "it, "
         "and the exit status is its. A set is read whole or not at all.",
         "Exit status: 0 done, 2 usage or input error, 5 a model is for another problem than the "
         "instances, 130 interrupted."},
    .run = run,
};
