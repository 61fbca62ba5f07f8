/* ucpo info: this build, or what a file holds. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/verdict.h"

struct info_settings {
    struct read_settings read;
    const char *format;
};

#define AT(member) offsetof(struct info_settings, member)

static const struct opt_spec specs[] = {
    OPT("format", 'f', OPT_CHOICE, AT(format), "FORMAT", "text",
        "form of the answer; csv for files only, one row each", .words = "text json csv"),
};

static const struct opt_group group = OPT_GROUP("Answer", specs);

/* ---- this build ---- */

static void build_text(FILE *out)
{
    char words[400];
    char facts[512];
    fprintf(out, "ucpo %s\n%s", ucpo_version(), build_facts(facts, sizeof facts));
    struct table table = {
        .columns = 4, .left = 15, .heads = {"problem", "levels", "size counts", "what"}};
    for (size_t i = 0; ucpo_problem_at(i); i++) {
        const ucpo_problem_info *info = ucpo_problem_at(i);
        table_add(&table, "%s", info->name);
        table_add(&table, "%s", info->levels);
        table_add(&table, "%s", info->depot_is_extra ? "customers" : "nodes");
        table_add(&table, "%s", info->title);
    }
    fputc('\n', out);
    (void)table_print(&table, out);
    fprintf(out, "\npresets: %s\n", text_join(ucpo_preset_at, " ", words, sizeof words));
    fprintf(out, "instance formats: %s\n", text_join(ucpo_format_at, " ", words, sizeof words));
    fprintf(out, "plan formats: %s\n", text_join(ucpo_plan_format_at, " ", words, sizeof words));
}

static void json_words(FILE *out, int *is_first, const char *key, text_words words)
{
    put_json_key(out, is_first, key);
    fputc('[', out);
    for (size_t i = 0; words(i); i++) {
        if (i) fputs(", ", out);
        put_json_string(out, words(i));
    }
    fputc(']', out);
}

/* The lines "key: value" of the build facts as an object. */
static void json_build(FILE *out)
{
    int is_first = 1;
    fputc('{', out);
    char facts[512];
    for (const char *line = build_facts(facts, sizeof facts); *line;) {
        size_t length = strcspn(line, "\n"), name = strcspn(line, ":");
        char key[64], value[256];
        if (name < length) {
            snprintf(key, sizeof key, "%.*s", (int)name, line);
            size_t skip = name + 1 + (line[name + 1] == ' ');
            snprintf(value, sizeof value, "%.*s", (int)(length - skip), line + skip);
            put_json_text(out, &is_first, key, value);
        }
        line += length + (line[length] == '\n');
    }
    fputc('}', out);
}

static void json_problems(FILE *out)
{
    fputc('[', out);
    for (size_t i = 0; ucpo_problem_at(i); i++) {
        const ucpo_problem_info *info = ucpo_problem_at(i);
        int is_first = 1;
        fputs(i ? ",\n    {" : "\n    {", out);
        put_json_text(out, &is_first, "name", info->name);
        put_json_text(out, &is_first, "title", info->title);
        put_json_text(out, &is_first, "levels", info->levels);
        put_json_truth(out, &is_first, "depot_is_extra", info->depot_is_extra);
        fputc('}', out);
    }
    fputc(']', out);
}

static void build_json(FILE *out)
{
    int is_first = 1;
    fputs("{", out);
    put_json_text(out, &is_first, "schema", "ucpo.info/1");
    put_json_text(out, &is_first, "version", ucpo_version());
    put_json_key(out, &is_first, "build");
    json_build(out);
    put_json_key(out, &is_first, "problems");
    json_problems(out);
    json_words(out, &is_first, "presets", ucpo_preset_at);
    json_words(out, &is_first, "formats", ucpo_format_at);
    json_words(out, &is_first, "plan_formats", ucpo_plan_format_at);
    fputs("}\n", out);
}

/* ---- models ---- */

/* Does the content look like a safetensors file? */
static int model_looks_like(const char *bytes, size_t size)
{
    if (size < 10 || bytes[8] != '{') return 0;
    uint64_t header = 0;
    for (int k = 7; k >= 0; k--) header = header << 8 | (unsigned char)bytes[k];
    return header <= size - 8;
}

/* Notes of shipped models have several parts: a line for each. A semicolon in brackets ends none. */
static void put_notes(FILE *out, const char *key, const char *text)
{
    int depth = 0;
    for (const char *at = text; *at; at++) {
        depth += (*at == '(') - (*at == ')');
        if (depth > 0 || strncmp(at, "; ", 2) != 0) continue;
        report_line(out, key, "%.*s", (int)(at - text + 1), text);
        text = at + 2, key = "";
    }
    report_line(out, key, "%s", text);
}

static void put_fact(FILE *out, const char *key, const char *value)
{
    if (strcmp(key, "notes") == 0)
        put_notes(out, key, value);
    else
        report_line(out, key, "%s", value);
}

static void model_text(FILE *out, const char *label, const ucpo_model *model)
{
    ucpo_model_info info = ucpo_model_describe(model);
    const ucpo_model_config *c = &info.config;
    report_line(out, "file", "%s", label);
    report_line(out, "format", "model (safetensors), written by ucpo %s", info.version);
    report_line(out, "problem", "%s", c->problem);
    report_line(out, "network",
                "%zu parameters; width %d, heads %d, hidden %d, layers %d, %s norm%s%s%s",
                info.parameters, (int)c->width, (int)c->heads, (int)c->hidden, (int)c->layers,
                c->norm, c->has_aux ? ", auxiliary decoder" : "",
                c->decision_glimpse ? ", features of the decision, also in the glimpse"
                : c->decision       ? ", features of the decision"
                                    : "",
                c->pair ? ", features of pairs" : "");
    for (size_t i = 0; ucpo_model_fact_key(model, i); i++) {
        const char *key = ucpo_model_fact_key(model, i);
        if (strncmp(key, "run.", 4) != 0) /* counters of a checkpoint */
            put_fact(out, key, ucpo_model_fact(model, key));
    }
}

static void model_json(FILE *out, const char *label, const ucpo_model *model, int is_first_file)
{
    ucpo_model_info info = ucpo_model_describe(model);
    int is_first = 1, is_first_fact = 1;
    fputs(is_first_file ? "\n  {" : ",\n  {", out);
    put_json_text(out, &is_first, "file", label);
    put_json_text(out, &is_first, "format", "safetensors");
    put_json_text(out, &is_first, "problem", info.config.problem);
    put_json_value(out, &is_first, "parameters", (double)info.parameters);
    put_json_value(out, &is_first, "width", info.config.width);
    put_json_value(out, &is_first, "heads", info.config.heads);
    put_json_value(out, &is_first, "hidden", info.config.hidden);
    put_json_value(out, &is_first, "layers", info.config.layers);
    put_json_text(out, &is_first, "norm", info.config.norm);
    put_json_truth(out, &is_first, "has_aux", info.config.has_aux);
    put_json_value(out, &is_first, "decision", info.config.decision);
    put_json_truth(out, &is_first, "decision_glimpse", info.config.decision_glimpse);
    put_json_truth(out, &is_first, "pair", info.config.pair);
    put_json_key(out, &is_first, "facts");
    fputc('{', out);
    for (size_t i = 0; ucpo_model_fact_key(model, i); i++) {
        const char *key = ucpo_model_fact_key(model, i);
        put_json_text(out, &is_first_fact, key, ucpo_model_fact(model, key));
    }
    fputs("}}", out);
}

static int print_model(FILE *out, const char *format, const char *label, const char *bytes,
                       size_t size, int is_first_file)
{
    ucpo_error err = {0};
    ucpo_model *model = NULL;
    if (strcmp(format, "csv") == 0)
        return message_error("%s: a model does not fit the columns of --format csv", label);
    ucpo_status status = ucpo_model_load_bytes(bytes, size, label, &model, &err);
    if (status) return message_failure(status, &err);
    if (strcmp(format, "json") == 0) {
        model_json(out, label, model, is_first_file);
    } else {
        if (!is_first_file) fputc('\n', out);
        model_text(out, label, model);
    }
    ucpo_model_free(model);
    return EXIT_DONE;
}

/* ---- what a set holds, in a few numbers ---- */

struct range {
    double low, high;
};

struct summary {
    const char *problem; /* NULL if instances differ */
    const char *name;    /* of the only instance, or NULL */
    size_t count;
    struct range n, unit, tolerance, capacity, vehicles, best_known, total_demand;
    struct range least_vehicles; /* total demand / capacity, rounded up */
    size_t with_matrix, asymmetric, with_duration, with_speed;
    ucpo_metric metric;                  /* of the first instance without matrix */
    ucpo_rounding rounding;              /* same */
    size_t customers, windowed, limited; /* over all instances; limited: limit < total demand */
    double window_width, window_share;   /* sums over windowed customers; share of the horizon */
    double horizon;                      /* sum over instances: latest finite due - opening */
    size_t with_windows, with_limits, with_capacity, with_service, with_fleet;
    ucpo_draft draft;
};

static void widen(struct range *range, double value)
{
    if (isnan(value)) return;
    if (!(range->low <= value)) range->low = value;
    if (!(range->high >= value)) range->high = value;
}

static void add_windows(struct summary *s, const ucpo_instance_data *data)
{
    double latest = data->ready[0];
    s->with_windows++;
    for (int32_t i = 1; i < data->n; i++)
        if (isfinite(data->due[i])) latest = fmax(latest, data->due[i]);
    double horizon = latest - data->ready[0];
    s->horizon += horizon;
    for (int32_t i = 1; i < data->n; i++) {
        double width = data->due[i] - data->ready[i];
        if (!isfinite(width)) continue;
        s->windowed++;
        s->window_width += width;
        if (horizon > 0.0) s->window_share += width / horizon;
    }
}

static void add_loads(struct summary *s, const ucpo_instance_data *data)
{
    double total = 0.0;
    for (int32_t i = 1; i < data->n; i++) total += data->demand[i];
    widen(&s->total_demand, total);
    if (data->limit) {
        s->with_limits++;
        s->draft = data->draft;
        for (int32_t i = 1; i < data->n; i++) s->limited += data->limit[i] < total;
    } else if (data->capacity > 0.0) {
        s->with_capacity++;
        widen(&s->capacity, data->capacity);
        widen(&s->least_vehicles, ceil(total / data->capacity - 1e-9));
    }
}

static int is_symmetric(const ucpo_instance_data *data)
{
    size_t n = (size_t)data->n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            if (data->cost[i * n + j] != data->cost[j * n + i]) return 0;
    return 1;
}

static void add_legs(struct summary *s, const ucpo_instance_data *data)
{
    if (data->duration) s->with_duration++;
    if (data->speed > 0.0) s->with_speed++;
    if (data->cost) {
        s->with_matrix++;
        s->asymmetric += !is_symmetric(data);
        return;
    }
    s->metric = data->metric;
    s->rounding = data->rounding;
}

static int has_service(const ucpo_instance_data *data)
{
    for (int32_t i = 0; data->service && i < data->n; i++)
        if (data->service[i] > 0.0) return 1;
    return 0;
}

static void add_instance(struct summary *s, const ucpo_instance_data *data)
{
    s->count++;
    s->customers += (size_t)data->n - 1;
    widen(&s->n, data->n);
    widen(&s->unit, data->unit);
    widen(&s->tolerance, data->tolerance);
    widen(&s->best_known, data->best_known);
    s->with_service += (size_t)has_service(data);
    if (data->vehicles > 0) {
        s->with_fleet++;
        widen(&s->vehicles, data->vehicles);
    }
    if (s->problem && strcmp(s->problem, data->problem) != 0) s->problem = NULL;
    add_legs(s, data);
    if (data->due) add_windows(s, data);
    if (data->demand) add_loads(s, data);
}

static struct summary summarize(const ucpo_dataset *set)
{
    const struct range none = {NAN, NAN};
    const ucpo_instance_data *first = ucpo_instance_view(ucpo_dataset_at(set, 0));
    struct summary s = {.problem = first->problem,
                        .n = none,
                        .unit = none,
                        .tolerance = none,
                        .capacity = none,
                        .vehicles = none,
                        .best_known = none,
                        .total_demand = none,
                        .least_vehicles = none};
    for (size_t i = 0; i < ucpo_dataset_count(set); i++)
        add_instance(&s, ucpo_instance_view(ucpo_dataset_at(set, i)));
    if (s.count == 1) s.name = first->name;
    return s;
}

/* ---- what a set holds, as text ---- */

/* "5" or "5 to 7"; returns buf. */
static const char *range_text(char *buf, size_t size, struct range range)
{
    if (range.low == range.high)
        snprintf(buf, size, "%.6g", range.low);
    else
        snprintf(buf, size, "%.6g to %.6g", range.low, range.high);
    return buf;
}

static void range_line(FILE *out, const char *key, struct range range)
{
    char text[80];
    if (!isnan(range.low)) report_line(out, key, "%s", range_text(text, sizeof text, range));
}

static void text_legs(FILE *out, const struct summary *s)
{
    if (s->with_matrix == s->count)
        report_line(out, "distances", "matrix, %s", s->asymmetric ? "asymmetric" : "symmetric");
    else
        report_line(out, "distances", "from coordinates, %s, rounding: %s", metric_name(s->metric),
                    length_rounding(s->metric, s->rounding));
    if (s->with_duration) report_line(out, "times", "matrix of their own");
    if (s->with_speed) report_line(out, "times", "by a speed");
}

static void text_windows(FILE *out, const struct summary *s)
{
    if (s->with_windows == 0) return;
    if (s->windowed == 0) {
        report_line(out, "windows", "none is bounded");
        return;
    }
    double many = (double)s->windowed;
    report_line(out, "windows", "%zu of %zu customers, mean width %.6g = %.1f %% of the horizon",
                s->windowed, s->customers, s->window_width / many, 100.0 * s->window_share / many);
    report_line(out, "horizon", "%.6g%s", s->horizon / (double)s->with_windows,
                s->count > 1 ? " (mean)" : "");
    report_line(out, "service", "%s", s->with_service ? "yes" : "none");
}

static void text_loads(FILE *out, const struct summary *s)
{
    char total[80], vehicles[80];
    if (s->with_capacity)
        report_line(out, "demand", "%s, at least %s vehicles",
                    range_text(total, sizeof total, s->total_demand),
                    range_text(vehicles, sizeof vehicles, s->least_vehicles));
    else
        range_line(out, "demand", s->total_demand);
    range_line(out, "capacity", s->capacity);
    if (s->with_limits)
        report_line(out, "draft", "limits bind at %zu of %zu ports (%.1f %%), ship %s", s->limited,
                    s->customers, 100.0 * (double)s->limited / (double)s->customers,
                    s->draft == UCPO_DRAFT_LOAD ? "loads" : "unloads");
    if (s->with_capacity && s->with_fleet == 0) report_line(out, "vehicles", "no limit");
    range_line(out, "vehicles", s->vehicles);
}

/* "key   value" lines. */
static void summary_text(FILE *out, const struct summary *s)
{
    report_line(out, "problem", "%s", s->problem ? s->problem : "mixed");
    report_line(out, "instances", "%zu", s->count);
    if (s->name && s->name[0]) report_line(out, "name", "%s", s->name);
    range_line(out, "nodes", s->n);
    text_legs(out, s);
    range_line(out, "unit", s->unit);
    range_line(out, "tolerance", s->tolerance);
    text_windows(out, s);
    text_loads(out, s);
    range_line(out, "best known", s->best_known);
}

/* ---- what a set holds, as JSON ---- */

static void json_range(FILE *out, int *is_first, const char *key, struct range range)
{
    if (isnan(range.low)) return;
    put_json_key(out, is_first, key);
    fputc('[', out);
    put_json_number(out, range.low);
    fputs(", ", out);
    put_json_number(out, range.high);
    fputc(']', out);
}

static void json_windows(FILE *out, int *is_first, const struct summary *s)
{
    double many = (double)s->windowed;
    put_json_value(out, is_first, "windowed_customers", many);
    if (s->windowed == 0) return;
    put_json_value(out, is_first, "mean_window", s->window_width / many);
    put_json_value(out, is_first, "mean_window_share", s->window_share / many);
    put_json_value(out, is_first, "mean_horizon", s->horizon / (double)s->with_windows);
}

/* The members of a JSON object. */
static void summary_json(FILE *out, const struct summary *s, int *is_first)
{
    put_json_text(out, is_first, "problem", s->problem ? s->problem : "mixed");
    put_json_value(out, is_first, "instances", (double)s->count);
    if (s->name && s->name[0]) put_json_text(out, is_first, "name", s->name);
    json_range(out, is_first, "n", s->n);
    put_json_value(out, is_first, "customers", (double)s->customers);
    put_json_text(out, is_first, "distances",
                  s->with_matrix == s->count ? "matrix" : "coordinates");
    if (s->with_matrix < s->count) {
        put_json_text(out, is_first, "metric", metric_name(s->metric));
        put_json_text(out, is_first, "rounding", length_rounding(s->metric, s->rounding));
    }
    json_range(out, is_first, "unit", s->unit);
    json_range(out, is_first, "tolerance", s->tolerance);
    if (s->with_windows) json_windows(out, is_first, s);
    json_range(out, is_first, "total_demand", s->total_demand);
    json_range(out, is_first, "capacity", s->capacity);
    json_range(out, is_first, "least_vehicles", s->least_vehicles);
    json_range(out, is_first, "vehicles", s->vehicles);
    if (s->with_limits) {
        put_json_value(out, is_first, "limited_ports", (double)s->limited);
        put_json_text(out, is_first, "draft", s->draft == UCPO_DRAFT_LOAD ? "load" : "unload");
    }
    json_range(out, is_first, "best_known", s->best_known);
}

/* ---- files ---- */

static const char csv_head[] = "file,format,problem,instances,n_min,n_max,unit_min,unit_max,"
                               "tolerance_min,tolerance_max,mean_window_width\n";

static void csv_row(FILE *out, const char *label, const char *format, const struct summary *s)
{
    put_csv_text(out, label);
    fprintf(out, ",%s,%s,%zu,%.0f,%.0f,%.15g,%.15g,%.15g,%.15g,", format,
            s->problem ? s->problem : "mixed", s->count, s->n.low, s->n.high, s->unit.low,
            s->unit.high, s->tolerance.low, s->tolerance.high);
    if (s->windowed > 0) fprintf(out, "%.15g", s->window_width / (double)s->windowed);
    fputc('\n', out);
}

static void print_file(FILE *out, const struct info_settings *settings, const char *label,
                       const char *format, const ucpo_dataset *set, int is_first_file)
{
    struct summary summary = summarize(set);
    if (strcmp(settings->format, "text") == 0) {
        if (!is_first_file) fputc('\n', out);
        report_line(out, "file", "%s", label);
        report_line(out, "format", "%s", format);
        summary_text(out, &summary);
        for (size_t i = 0; i < ucpo_dataset_count(set); i++)
            report_left_out(out, ucpo_instance_view(ucpo_dataset_at(set, i)));
        return;
    }
    if (strcmp(settings->format, "csv") == 0) {
        if (is_first_file) fputs(csv_head, out);
        csv_row(out, label, format, &summary);
        return;
    }
    int is_first = 1;
    fputs(is_first_file ? "\n  {" : ",\n  {", out);
    put_json_text(out, &is_first, "file", label);
    put_json_text(out, &is_first, "format", format);
    summary_json(out, &summary, &is_first);
    if (summary.count == 1) put_json_reading(out, &is_first, ucpo_dataset_at(set, 0));
    fputc('}', out);
}

static int describe_file(FILE *out, const struct info_settings *settings, const char *path,
                         int is_first_file)
{
    ucpo_error err = {0};
    size_t size = 0;
    const char *label = strcmp(path, "-") == 0 ? "standard input" : path;
    char *bytes = NULL;
    char inside[1200];
    ucpo_status status =
        ucpo_file_read(model_path(path, inside, sizeof inside), &bytes, &size, &err);
    if (status) return message_failure(status, &err);
    if (model_looks_like(bytes, size)) {
        int code = print_model(out, settings->format, label, bytes, size, is_first_file);
        ucpo_bytes_free(bytes);
        return code;
    }
    ucpo_dataset *set = NULL;
    ucpo_read_config options = read_options_for(&settings->read);
    const char *format = options.format ? options.format : ucpo_format_detect(bytes, size);
    status = ucpo_read_bytes(bytes, size, label, &options, &set, &err);
    if (!status && message_is_quiet()) tell_left_out(label, set);
    if (!status) print_file(out, settings, label, format, set, is_first_file);
    ucpo_dataset_free(set);
    ucpo_bytes_free(bytes);
    return status ? message_failure(status, &err) : EXIT_DONE;
}

static int describe_files(FILE *out, const struct info_settings *settings, char **paths,
                          size_t count, struct refused *refused)
{
    int is_json = strcmp(settings->format, "json") == 0, code = EXIT_DONE;
    if (is_json) fputs("{\"schema\": \"ucpo.info/1\", \"files\": [", out);
    for (size_t i = 0; !code && i < count; i++) {
        code = describe_file(out, settings, paths[i], i == refused->count);
        if (code) code = refused_note(refused, paths[i], code);
    }
    if (is_json) fputs("]}\n", out);
    return code || refused->count < count ? code : refused->code;
}

static int run(const struct command *self, int argc, char **argv)
{
    struct info_settings settings = {0};
    void *targets[OPT_MAX_GROUPS] = {&settings, &settings.read};
    struct opt_parsed parsed;
    int code = EXIT_DONE;
    if (!command_begin(self, targets, argc, argv, &parsed, &code)) return code;
    struct output out;
    struct refused refused = {0};
    if (output_begin(&out)) return EXIT_INTERNAL;
    if (parsed.operand_count > 0)
        code =
            describe_files(out.stream, &settings, parsed.operands, parsed.operand_count, &refused);
    else if (strcmp(settings.format, "csv") == 0)
        code = usage_error(self, "--format csv describes files, and none is given");
    else if (strcmp(settings.format, "json") == 0)
        build_json(out.stream);
    else
        build_text(out.stream);
    code = output_end(&out, NULL, code);
    return code ? code : refused_end(&refused, parsed.operand_count - refused.count, code);
}

const struct command command_info = {
    .name = "info",
    .summary = "say what a file holds, or what this program can do",
    .usage = {"info [FILE...] [options]"},
    .examples =
        {
            {"version, build, problems with their levels, presets, formats", "ucpo info"},
            {"what is in these files", "ucpo info c101.txt val.npy"},
            {"what a model was trained on", "ucpo info model.safetensors"},
            {"for scripts", "ucpo info val.npy --format json"},
        },
    .operands = {{"FILE", "instances, data sets or models; - for standard input", NULL, 1, 1}},
    .groups = {&group, &read_options, &common_options},
    .details = {"A file that is refused among several is named in the last line on standard error; "
                "the others are described.",
                "Exit status: 0 done, 2 usage error, or a file was refused."},
    .run = run,
};
