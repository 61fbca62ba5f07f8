/* ucpo solve: plans for instances, with a model or without. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cloud.h"
#include "cli/input.h"
#include "cli/model.h"
#include "cli/output.h"
#include "cli/solve.h"
#include "cli/target.h"
#include "core/clock.h"
#include "core/text.h"

/* With --time, larger instances are explained only if asked: it would take more than 50 ms. */
enum { EXPLAIN_IN_TIME = 200 };

struct solve_settings {
    struct read_settings read;
    ucpo_solve_config config;
    const char *model, *initial, *format, *output, *explain, *cloud;
    struct opt_time time; /* reading included */
    int is_not_refined;
};

/* ---- table ---- */

static const char formats[] = "text json sol tour csv npy html svg";

#define AT(member) offsetof(struct solve_settings, member)

static const struct opt_spec search_specs[] = {
    OPT("model", 'm', OPT_FILE, AT(model), "FILE|RUN|none", NULL,
        "model to solve with, or a run whose best model it is; none: rules and local search only "
        "[default: the model for the problem, nearest in size and looks, in $UCPO_MODELS or among "
        "the "
        "installed ones]"),
    OPT("time", 't', OPT_TIME, AT(time), "TIME", NULL,
        "time for each instance, reading and loading included: 2, 0.5s, 200ms, 1m; without "
        "--samples it is used up"),
    OPT("samples", 'k', OPT_INTEGER, AT(config.samples), "N", NULL,
        "trajectories drawn per image [default: the size of the instance, fewer above 100, none "
        "with --time; with --time and --no-refine no limit]",
        .low = 1, .high = 1000000, .old_letter = 'n'),
    OPT("no-refine", 0, OPT_FLAG, AT(is_not_refined), NULL, NULL,
        "no local search after the model and the rules"),
    OPT("first-feasible", 0, OPT_FLAG, AT(config.first_feasible), NULL, NULL,
        "stop at the first feasible plan"),
    OPT("initial", 'i', OPT_FILE, AT(initial), "PLAN", NULL,
        "a plan (for a set: plans) to start from, any plan format; the answer is never worse"),
};

static const struct opt_spec output_specs[] = {
    OPT("explain", 0, OPT_CHOICE, AT(explain), "WHEN", "auto",
        "whether to say why, if nothing feasible was found; auto: always, but with --time only up "
        "to 200 nodes, since it comes after the time",
        .words = "auto always never"),
    OPT("cloud", 0, OPT_FILE, AT(cloud), "FILE", NULL,
        "also write cost and violation of every candidate (CSV), for 'ucpo plot --cloud'"),
    OPT("format", 'f', OPT_CHOICE, AT(format), "FORMAT", NULL,
        "text is a report, html a web page, svg a picture, the others are plan files; without it "
        "the ending of -o decides [default: text]",
        .words = formats),
    OPT("output", 'o', OPT_FILE, AT(output), "FILE|DIR/", "-",
        "where to write, - for standard output; into a folder: a plan file per input, and the "
        "table to standard output"),
};

static const struct opt_spec decode_specs[] = {DECODE_ROWS(AT)};

static const struct opt_group search_group = OPT_GROUP("Search", search_specs),
                              decode_group = OPT_GROUP("Decoding", decode_specs),
                              output_group = OPT_GROUP("Output", output_specs);

/* ---- what the run holds ---- */

struct input {
    const char *path;
    ucpo_dataset *set;
    ucpo_model *model; /* NULL: none */
    ucpo_solver *solver;
    char model_path[MODEL_PATH_SIZE];
    double seconds;      /* that reading took */
    size_t first, count; /* its items */
};

struct work {
    const struct command *self;
    struct solve_settings *settings;
    struct input *inputs;
    size_t count;
    struct solve_target target;
    ucpo_plans *initial;
    struct refused refused; /* inputs that are left out */
    size_t instances;       /* of all inputs */
    const ucpo_comm *group; /* processes that search the same instance as this one, or NULL */
    struct solved *items;
    size_t solved, capacity;
    int decimals; /* of costs of the instance at hand */
    int was_interrupted;
    struct cloud_writer cloud; /* without a stream: not asked for */
};

/* The format by --format, or by the ending of the output. */
static int choose_format(struct work *w)
{
    struct solve_settings *s = w->settings;
    const char *by_ending = output_format_for(s->output), *ending = target_ending(s->output);
    w->target.is_folder = target_is_folder(s->output);
    if (w->target.is_folder) {
        if (!s->format) s->format = "json";
        if (strcmp(s->format, "text") == 0)
            return usage_error(w->self, "a folder takes plan files: --format is 'text'");
    }
    if (s->format) return EXIT_DONE;
    s->format = "text";
    if (by_ending && text_word_index(formats, by_ending) >= 0)
        s->format = by_ending;
    else if (ending && strcmp(ending, ".txt") != 0)
        return usage_error(
            w->self,
            "the ending '%s' names no plan format, expected .json, .sol, .tour, "
            ".csv, .npy, .html for a web page, .svg for a picture, or .txt for the report; "
            "or pass --format",
            ending);
    return EXIT_DONE;
}

static int check_usage(struct work *w, const struct opt_parsed *parsed)
{
    struct solve_settings *s = w->settings;
    if (s->config.greedy && opt_is_given(parsed, "samples"))
        return usage_error(w->self, "--greedy draws nothing, --samples has no meaning with it");
    if (s->initial && w->count > 1)
        return usage_error(w->self, "--initial is for one file, %zu are given", w->count);
    if (s->cloud && strcmp(s->cloud, "-") == 0 && strcmp(s->output, "-") == 0)
        return usage_error(w->self, "candidates and plans cannot both go to standard output");
    size_t from_stdin = s->initial && strcmp(s->initial, "-") == 0;
    for (size_t i = 0; i < w->count; i++) from_stdin += strcmp(w->inputs[i].path, "-") == 0;
    if (from_stdin > 1)
        return usage_error(w->self, "two inputs are '-', but there is only one standard input");
    int code = choose_format(w);
    if (code) return code;
    if (!w->target.is_folder && !output_accepts(s->output, s->format)) return EXIT_INPUT;
    w->target.output = s->output;
    w->target.format = s->format;
    w->target.cloud = s->cloud;
    w->target.model = s->model;
    w->target.count = w->count;
    return solve_target_check(w->self, &w->target);
}

/* Starts the cluster, if there is one. */
static int check_cluster(const struct work *w)
{
    if (!cluster_comm()) return EXIT_DONE;
    int reads_stdin = w->settings->initial && strcmp(w->settings->initial, "-") == 0;
    for (size_t k = 0; k < w->count; k++)
        reads_stdin = reads_stdin || strcmp(w->inputs[k].path, "-") == 0;
    if (reads_stdin)
        return message_error("several processes cannot share standard input; give a file");
    return w->settings->cloud ? message_error("--cloud is for one process") : EXIT_DONE;
}

/* ---- work ---- */

/* A plan of another instance is a start as any other, but hardly what was meant. */
static int warn_of_strangers(const struct work *w, const struct input *in)
{
    long missing = 0, unknown = 0, customers = 0;
    for (size_t i = 0; i < ucpo_plans_count(w->initial); i++) {
        const ucpo_instance *inst = ucpo_dataset_at(in->set, i);
        ucpo_plan plan = ucpo_plans_at(w->initial, i);
        ucpo_evaluation eval;
        ucpo_error err = {0};
        ucpo_status status = ucpo_check(inst, plan.nodes, plan.len, &eval, NULL, 0, NULL, 0, &err);
        if (status) return message_failure(status, &err);
        missing += eval.missing;
        unknown += eval.unknown;
        customers += ucpo_instance_view(inst)->n - 1;
    }
    if (missing || unknown)
        message_warning("%s: %ld of %ld customer%s %s missing, %ld node%s not in the instance: "
                        "does the plan belong to another one?",
                        w->settings->initial, missing, customers, customers == 1 ? "" : "s",
                        missing == 1 ? "is" : "are", unknown, unknown == 1 ? " is" : "s are");
    return EXIT_DONE;
}

static int read_input(struct work *w, struct input *in)
{
    int code = read_set(in->path, &w->settings->read, &in->set);
    if (code) return code;
    size_t count = ucpo_dataset_count(in->set);
    if (count == 0) return message_error("%s: holds no instance", in->path);
    return w->target.is_folder ? solve_target_takes(&w->target, in->path, count) : EXIT_DONE;
}

static int equip_input(struct work *w, struct input *in)
{
    const struct solve_settings *s = w->settings;
    ucpo_error err = {0};
    int code = model_choose(s->model, in->path, in->set, 0, &in->model, in->model_path);
    if (!code && ucpo_solver_create(in->model, &in->solver, &err))
        code = message_failure(err.code, &err);
    if (!code && in->model) message_note("%s: the model for it is %s", in->path, in->model_path);
    if (!code && s->initial) code = read_plans(s->initial, NULL, in->set, &w->initial);
    if (!code && w->initial && ucpo_plans_count(w->initial) > ucpo_dataset_count(in->set))
        code = message_error("%s: there are %zu plans for %zu instances", s->initial,
                             ucpo_plans_count(w->initial), ucpo_dataset_count(in->set));
    return code || !w->initial ? code : warn_of_strangers(w, in);
}

static void input_free(struct input *in)
{
    ucpo_solver_free(in->solver);
    ucpo_model_free(in->model);
    ucpo_dataset_free(in->set);
    *in = (struct input){0};
}

/* What is wrong with the file, or with the model for it, leaves the other files alone; what is wrong with the model
 * itself does not. */
static int open_input(struct work *w, struct input *in, int *is_refused)
{
    int code = read_input(w, in), of_file = code == EXIT_INPUT;
    if (!code) {
        code = equip_input(w, in);
        of_file = code == EXIT_MISFIT;
    }
    *is_refused = of_file;
    return of_file ? refused_note(&w->refused, in->path, code) : code;
}

/* All of them before the first search, so that what does not work is known at once. */
static int open_inputs(struct work *w, double begin)
{
    size_t kept = 0, all = w->count;
    int code = EXIT_DONE, is_refused = 0;
    for (size_t k = 0; !code && k < all; k++) {
        struct input in = {.path = w->inputs[k].path};
        code = open_input(w, &in, &is_refused);
        in.seconds = clock_seconds() - begin;
        begin = clock_seconds();
        if (!code && !is_refused) w->instances += ucpo_dataset_count(in.set);
        if (is_refused)
            input_free(&in);
        else
            w->inputs[kept++] = in;
    }
    w->count = kept;
    if (!code && kept == 0) return w->refused.code;
    if (code || w->target.is_folder) return code;
    return solve_target_takes(&w->target, NULL, w->instances);
}

/* With more processes than instances several search the same one, if time is what ends them. */
static int form_groups(struct work *w, int code)
{
    const ucpo_comm *comm = cluster_comm();
    code = solve_agree(comm, w->instances, code, &w->was_interrupted);
    if (code || !comm || !(w->settings->time.seconds > 0.0)) return code;
    if (w->instances >= (size_t)comm->ranks) return EXIT_DONE;
    w->group = cluster_group(comm->rank % (int)w->instances);
    return w->group ? EXIT_DONE : message_error("the processes cannot form groups");
}

static int is_mine(const struct work *w, size_t number)
{
    const ucpo_comm *comm = cluster_comm();
    return w->group ? (size_t)comm->rank % w->instances == number : solve_is_mine(comm, number);
}

static void add_candidate(void *user, double cost, double violation)
{
    struct work *w = user;
    cloud_add(&w->cloud, cost, violation);
}

/* The line on a terminal while a search goes on: cost, and how much there may be to gain. */
static void show_standing(void *user, const ucpo_solve_progress *now)
{
    const struct work *w = user;
    char where[80] = "", limit[40] = "", cost[NUMBER_MAX], gap[60] = "gap not known yet";
    if (w->instances > 1) snprintf(where, sizeof where, " %zu/%zu", w->solved + 1, w->instances);
    if (w->settings->time.seconds > 0.0)
        snprintf(limit, sizeof limit, " of %g", w->settings->time.seconds);
    if (now->bound > 0.0)
        snprintf(gap, sizeof gap, "gap at most %.1f %%", 100.0 * (1.0 - now->bound / now->cost));
    if (now->is_feasible)
        message_progress("solving%s, %.1f%s s: cost %s, %s", where, now->seconds, limit,
                         number_fixed(cost, now->cost, w->decimals), gap);
    else
        message_progress("solving%s, %.1f%s s: nothing feasible yet", where, now->seconds, limit);
}

static ucpo_solve_config config_for(struct work *w, size_t number, double used)
{
    const struct solve_settings *s = w->settings;
    ucpo_solve_config c = s->config;
    if (s->time.seconds > 0.0) c.time_limit = fmax(s->time.seconds - used, 1e-6);
    c.refine = !s->is_not_refined;
    c.number = number;
    if (c.threads == 0 && cluster_comm()) c.threads = cluster_comm()->threads;
    c.comm = w->group;
    c.hooks = message_hooks(NULL);
    c.user = w;
    if (message_shows_progress()) c.watch = show_standing;
    if (w->cloud.out.stream) c.candidate = add_candidate;
    if (w->initial && number < ucpo_plans_count(w->initial)) {
        ucpo_plan plan = ucpo_plans_at(w->initial, number);
        c.initial = plan.nodes;
        c.initial_len = plan.len;
    }
    return c;
}

static int keep(struct work *w, const struct solved *item)
{
    if (w->solved == w->capacity) {
        size_t capacity = w->capacity ? 2 * w->capacity : 16;
        struct solved *items = realloc(w->items, capacity * sizeof *items);
        if (!items) return no_memory();
        w->items = items;
        w->capacity = capacity;
    }
    w->items[w->solved++] = *item;
    return EXIT_DONE;
}

/* Nothing feasible: why. */
static int explain_failure(struct work *w, struct solved *item)
{
    const struct solve_settings *s = w->settings;
    const ucpo_solution *found = item->solution;
    if (!found || found->evaluation.is_feasible || w->was_interrupted) return EXIT_DONE;
    if (strcmp(s->explain, "never") == 0) return EXIT_DONE;
    int is_large = ucpo_instance_view(item->inst)->n > EXPLAIN_IN_TIME;
    if (strcmp(s->explain, "auto") == 0 && s->time.seconds > 0.0 && is_large) return EXIT_DONE;
    ucpo_plan plan = {.nodes = found->nodes, .len = found->len, .stated_cost = (double)NAN};
    item->why.index = item->index;
    item->why.is_found = 1;
    int code = explain_one(item->inst, &plan, &item->why);
    if (code == EXIT_INTERRUPTED) { /* the plan is there all the same */
        w->was_interrupted = 1;
        return EXIT_DONE;
    }
    return code;
}

static int solve_one(struct work *w, struct input *in, size_t i, double used)
{
    ucpo_error err = {0};
    struct solved item = {.file = strcmp(in->path, "-") == 0 ? "standard input" : in->path,
                          .model = in->model ? in->model_path : NULL,
                          .index = i,
                          .is_set = ucpo_dataset_count(in->set) > 1,
                          .inst = ucpo_dataset_at(in->set, i),
                          .seed = w->settings->config.seed};
    ucpo_solve_config config = config_for(w, i, used);
    w->cloud.instance = w->solved;
    w->decimals = number_decimals(ucpo_instance_view(item.inst)->unit);
    if (is_mine(w, w->solved) && !w->was_interrupted) {
        ucpo_status status =
            ucpo_solver_solve(in->solver, item.inst, &config, &item.solution, &err);
        if (status) return message_failure(status, &err);
        if (item.solution->disputed)
            message_warning("%s: environment and checker disagree about %lld plans, please report",
                            item.file, (long long)item.solution->disputed);
        if (item.solution->end == UCPO_SOLVE_STOPPED) w->was_interrupted = 1;
        if (w->group && w->group->rank > 0) { /* the first of the group has it */
            ucpo_solution_free(item.solution);
            item.solution = NULL;
        }
    }
    int code = cluster_comm() ? EXIT_DONE : explain_failure(w, &item); /* else when all is known */
    if (!code) code = keep(w, &item);
    if (code) solved_free(&item);
    return code;
}

static int solve_input(struct work *w, struct input *in)
{
    int code = EXIT_DONE;
    in->first = w->solved;
    int is_over = 0; /* several processes go on: each lists all instances */
    for (size_t i = 0; !code && !is_over && i < ucpo_dataset_count(in->set); i++) {
        code = solve_one(w, in, i, i == 0 ? in->seconds : 0.0);
        is_over = w->was_interrupted && !cluster_comm();
    }
    in->count = w->solved - in->first;
    return code;
}

/* What the processes found together; what nobody solved is left out. */
static int share_all(struct work *w, int code)
{
    size_t kept = 0, input = 0;
    if (code && w->group) return code; /* they wait for a plan, not for news: see cluster_end */
    code = solve_share(cluster_comm(), w->items, w->solved, code, &w->was_interrupted);
    if (code || !cluster_comm()) return code;
    for (size_t k = 0; k < w->count; k++) {
        size_t first = kept;
        for (size_t i = 0; i < w->inputs[k].count; i++, input++)
            if (w->items[input].solution) w->items[kept++] = w->items[input];
        w->inputs[k].first = first;
        w->inputs[k].count = kept - first;
    }
    w->solved = kept;
    for (size_t i = 0; !code && cluster_is_first() && i < kept; i++)
        code = explain_failure(w, &w->items[i]);
    return code;
}

/* ---- output ---- */

/* The plans of items first .. first + count - 1 and their instances. */
static ucpo_status collect(const struct work *w, size_t first, size_t count, ucpo_dataset **set,
                           ucpo_plans **plans, ucpo_error *err)
{
    ucpo_status status = ucpo_dataset_create(set, err);
    if (!status) status = ucpo_plans_create(plans, err);
    for (size_t i = first; !status && i < first + count; i++) {
        const ucpo_solution *s = w->items[i].solution;
        status = ucpo_dataset_share(*set, w->items[i].inst, err);
        if (!status) status = ucpo_plans_add(*plans, s->nodes, s->len, s->evaluation.cost, err);
    }
    return status;
}

/* The library's file, for JSON with one more member: facts about the search. */
static int emit_plans(const struct work *w, size_t first, size_t count, const char *format,
                      const char *path, const char *bytes, size_t size)
{
    if (strcmp(format, "json") != 0 || size < 3) return output_emit(path, bytes, size);
    struct output out;
    if (output_begin(&out)) return EXIT_INTERNAL;
    fwrite(bytes, 1, size - 3, out.stream); /* without the closing brace */
    fputs(",\n  \"solver\": ", out.stream);
    solve_json_facts(out.stream, w->items + first, count);
    fputs("\n}\n", out.stream);
    return output_finish(&out, path);
}

/* A plan file, a page or a picture. */
static ucpo_status make_bytes(const char *format, const ucpo_dataset *set, const ucpo_plans *plans,
                              char **bytes, size_t *size, ucpo_error *err)
{
    if (strcmp(format, "html") == 0) return ucpo_report_html(set, plans, NULL, bytes, size, err);
    if (strcmp(format, "svg") != 0)
        return ucpo_plans_write_bytes(format, set, plans, bytes, size, err);
    ucpo_plan plan = ucpo_plans_at(plans, 0);
    return ucpo_plot_plan(ucpo_dataset_at(set, 0), plan.nodes, plan.len, NULL, bytes, size, err);
}

static int write_plans(const struct work *w, size_t first, size_t count, const char *format,
                       const char *path)
{
    ucpo_dataset *set = NULL;
    ucpo_plans *plans = NULL;
    ucpo_error err = {0};
    char *bytes = NULL;
    size_t size = 0;
    ucpo_status status = collect(w, first, count, &set, &plans, &err);
    if (!status) status = make_bytes(format, set, plans, &bytes, &size, &err);
    int code = status ? message_failure(status, &err)
                      : emit_plans(w, first, count, format, path, bytes, size);
    ucpo_bytes_free(bytes);
    ucpo_plans_free(plans);
    ucpo_dataset_free(set);
    return code;
}

static int write_text(const struct work *w, const char *path)
{
    struct output out;
    if (output_begin(&out)) return EXIT_INTERNAL;
    int code = w->solved == 1
                   ? solve_text_one(out.stream, &w->items[0], w->settings->read.rounding != NULL)
                   : solve_text_set(out.stream, w->items, w->solved);
    return output_end(&out, path, code);
}

/* A search is not lost because a disk is full: then the result goes to standard output. */
static int write_or_show(const struct work *w, size_t first, size_t count, const char *path)
{
    const char *format = w->settings->format;
    int is_text = strcmp(format, "text") == 0;
    int code = is_text ? write_text(w, path) : write_plans(w, first, count, format, path);
    if (code != EXIT_INPUT || output_is_stdout(path)) return code;
    message_error("%s: the result follows on standard output instead", path);
    if (strstr("npy html svg", format)) format = "json"; /* it may be a terminal */
    (void)(is_text ? write_text(w, NULL) : write_plans(w, first, count, format, NULL));
    return code;
}

/* FOLDER/name-without-ending.FORMAT for each input. */
static int write_folder(const struct work *w)
{
    int failed = EXIT_DONE;
    for (size_t k = 0; k < w->count; k++) {
        const struct input *in = &w->inputs[k];
        char path[TARGET_PATH_SIZE];
        if (in->count == 0) continue;
        int code = solve_target_path(&w->target, in->path, path);
        if (!code) code = write_or_show(w, in->first, in->count, path);
        if (code && code != EXIT_INPUT) return code;
        if (code) failed = code; /* the others are still written */
    }
    int code = write_text(w, NULL);
    return code ? code : failed;
}

static int write_all(const struct work *w)
{
    if (w->solved == 0) return EXIT_DONE;
    if (w->target.is_folder) return write_folder(w);
    return write_or_show(w, 0, w->solved, w->settings->output);
}

static void work_free(struct work *w)
{
    for (size_t i = 0; i < w->solved; i++) solved_free(&w->items[i]);
    for (size_t k = 0; w->inputs && k < w->count; k++) input_free(&w->inputs[k]);
    if (w->cloud.out.stream) output_discard(&w->cloud.out);
    ucpo_plans_free(w->initial);
    free(w->inputs);
    free(w->items);
}

/* A file tells nothing to who waits for it, and a plan file cannot say why it is infeasible. Beside a folder there
 * is the table; only what is infeasible is repeated. */
static void announce(const struct work *w)
{
    const char *path = w->settings->output;
    size_t bad = 0;
    for (size_t i = 0; i < w->solved; i++) bad += !w->items[i].solution->evaluation.is_feasible;
    int is_shown = output_is_stdout(path), says_why = !is_shown;
    if (!is_shown && (!w->target.is_folder || bad > 0)) solve_announce(path, w->items, w->solved);
    if (is_shown)
        says_why =
            strcmp(w->settings->format, "text") != 0 && strcmp(w->settings->format, "json") != 0;
    if (says_why && strcmp(w->settings->explain, "never") != 0) solve_say_why(w->items, w->solved);
}

static int verdict(const struct work *w)
{
    int code = EXIT_DONE;
    for (size_t i = 0; i < w->solved; i++) {
        if (solved_is_hopeless(&w->items[i])) return EXIT_PROVED;
        if (!w->items[i].solution->evaluation.is_feasible) code = EXIT_INFEASIBLE;
    }
    return code;
}

static int run_all(struct work *w, const struct opt_parsed *parsed, double begin)
{
    int code = check_usage(w, parsed);
    if (!code && w->settings->cloud) code = cloud_begin(&w->cloud);
    if (!code) code = check_cluster(w);
    if (code) return code;
    code = form_groups(w, open_inputs(w, begin));
    if (code) return code;
    for (size_t k = 0; !code && (!w->was_interrupted || cluster_comm()) && k < w->count; k++)
        code = solve_input(w, &w->inputs[k]);
    code = share_all(w, code);
    if (code || !cluster_is_first()) return code;
    if (w->was_interrupted) interrupt_clear(); /* what was found is still written */
    code = write_all(w);
    if (!code && w->settings->cloud) {
        code = output_finish(&w->cloud.out, w->settings->cloud);
        w->cloud.out.stream = NULL;
    }
    if (code) return code;
    announce(w);
    return w->was_interrupted ? EXIT_INTERRUPTED : verdict(w);
}

static int run(const struct command *self, int argc, char **argv)
{
    struct solve_settings settings = {.config = ucpo_solve_config_default()};
    void *targets[OPT_MAX_GROUPS] = {&settings, &settings, &settings, &settings.read};
    struct opt_parsed parsed;
    int code = EXIT_DONE;
    if (!command_begin(self, targets, argc, argv, &parsed, &code)) return code;
    (void)cluster_comm(); /* processes find each other before the clock starts */
    double begin = clock_seconds();
    interrupt_also_terminate();
    struct inputs files;
    code = inputs_expand(parsed.operands, parsed.operand_count, &files);
    if (code) return code;
    struct work w = {.self = self, .settings = &settings, .count = files.count};
    w.refused = files.refused;
    w.target.inputs = files.path;
    w.inputs = calloc(w.count, sizeof *w.inputs);
    for (size_t k = 0; w.inputs && k < w.count; k++) w.inputs[k].path = files.path[k];
    code = w.inputs ? run_all(&w, &parsed, begin) : no_memory();
    if (cluster_is_first()) code = refused_end(&w.refused, w.solved > 0 ? w.count : 0, code);
    work_free(&w);
    inputs_free(&files);
    return code;
}

const struct command command_solve = {
    .name = "solve",
    .summary = "find plans: with a model or without, improved by local search",
    .usage = {"solve FILE... [options]"},
    .examples =
        {
            {"the schedule of the best plan", "ucpo solve c101.txt"},
            {"two seconds, reading included; the plan for other tools",
             "ucpo solve c101.txt -m m.safetensors -t 2s -o c101.sol"},
            {"never worse than the plan of yesterday",
             "ucpo solve day.json --initial yesterday.sol -o today.sol"},
            {"without any model", "ucpo solve a.tsptw -m none"},
            {"many files: a table, and a plan file for each",
             "ucpo solve *.txt -t 1 -o plans/ --format sol"},
            {"a data set: all plans in one file", "ucpo solve val.npy -o plans.npy"},
            {"a list of stops with times of the day, as a page to click through",
             "ucpo solve stops.csv --capacity 20 --speed 30 -o plan.html"},
            {"all files of a folder", "ucpo solve orders/ -t 1 -o plans/"},
        },
    .operands = {{"FILE",
                  "instances or data sets, any format; folders of them; - for standard input", NULL,
                  0, 1}},
    .groups = {&search_group, &decode_group, &output_group, &read_options, &common_options},
    .details =
        {"Candidates come in a fixed order: the plan of --initial, seven constructive rules, the "
         "model's most probable plan of each image, samples, then local searches from the best of "
         "these. With --time the searches get at least half of it (above 400 nodes a quarter, and "
         "with a "
         "model most rules are left out unless it finds nothing in time). The best one is the "
         "answer: "
         "feasible before infeasible, short before long. It is checked by the verifier behind "
         "'ucpo check'. If nothing feasible was found, the least bad plan is printed with its "
         "violations and the exit status is 3; what 'ucpo explain' has to say about it follows: a "
         "proof that no plan can be feasible (exit status 4), or where it is tightest and the "
         "smallest change that would make this plan feasible. "
         "Up to nine customers all orders are looked at, however short the time is: the answer is "
         "the best plan there is, or the proof that there is none. Larger tours are proved optimal "
         "where few orders are left, and a bound says how far from the best a plan can be.",
         "Without --time the answer is the same on any number of threads; with it the number of "
         "candidates and searches varies. Ctrl-C ends the search: the best plan so far is written "
         "as if the time were up, and the exit status is 130.",
         "A model is used up to 2000 nodes; larger instances get rules and local search only. "
         "Instances that have a matrix but no coordinates are shown to the model by an embedding "
         "of the matrix in the plane.",
         "Started by mpirun (a build with MPI), processes deal out the instances; with --time and "
         "fewer instances than processes several search the same one, and the best of their plans "
         "is the answer.",
         "A file that is refused among several does not end the work: the others are solved, the "
         "last line on standard error names what was refused, and the exit status is its.",
         "Exit status: 0 all plans feasible, 2 usage or input error, 3 at least one plan is not "
         "feasible, 4 an instance is proved to have no feasible plan, 5 the model is for another "
         "problem, 130 interrupted (plans are written)."},
    .run = run,
};
