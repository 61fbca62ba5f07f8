#include "cli/eval_report.h"

#include <math.h>
#include <string.h>

#include "cli/output.h"
#include "cli/verdict.h"

/* ---- what every form shows ---- */

/* The numbers of a row, in the order of CSV and JSON. */
static const struct {
    const char *name;
    size_t offset;
    int is_count;
} fields[] = {

#define COUNT(name)                                                                                \
    {                                                                                              \
#name, offsetof(ucpo_eval_summary, name), 1                                                \
    }
#define REAL(name)                                                                                 \
    {                                                                                              \
#name, offsetof(ucpo_eval_summary, name), 0                                                \
    }
    COUNT(instances),
    COUNT(feasible_instances),
    COUNT(candidates),
    COUNT(feasible_candidates),
    COUNT(disputed),
    COUNT(tolerated),
    REAL(late_max),
    REAL(over_max),
    REAL(infeasible_instances),
    REAL(infeasible_solutions),
    REAL(mean_objective),
    REAL(mean_cost),
    REAL(first_infeasible),
    REAL(first_objective),
    REAL(mean_reference),
    REAL(gap_mean),
    REAL(gap_ratio),
    COUNT(common),
    REAL(common_objective),
    REAL(gap_common),
    REAL(cpu_seconds),
#undef COUNT
#undef REAL
};

enum { FIELDS = sizeof fields / sizeof fields[0] };

static double field_value(const ucpo_eval_summary *summary, size_t k)
{
    const char *at = (const char *)summary + fields[k].offset;
    if (fields[k].is_count) return (double)*(const size_t *)(const void *)at;
    return *(const double *)(const void *)at;
}

/* Exactly `decimals` decimals, so that a column lines up; "-" for NaN. */
static const char *fixed(char buf[NUMBER_MAX], double value, int decimals)
{
    if (isnan(value)) return "-";
    snprintf(buf, NUMBER_MAX, "%.*f", decimals, value);
    if (buf[0] == '-' && strspn(buf, "-0.") == strlen(buf)) return buf + 1;
    return buf;
}

/* ---- text ---- */

/* The first row of a model, or of the constructive rules; NULL: there is none. */
static const struct eval_row *first_row(const struct eval_report *r, int is_rules)
{
    for (size_t i = 0; i < r->count; i++)
        if ((strcmp(r->rows[i].mask, "-") == 0) == is_rules) return &r->rows[i];
    return NULL;
}

/* "7 candidates" */
static const char *candidates_text(char *buf, size_t size, const struct eval_row *row)
{
    char each[NUMBER_MAX];
    double candidates = (double)row->summary.candidates / (double)row->summary.instances;
    const char *count = number_fixed(each, candidates, 1);
    snprintf(buf, size, "%s candidate%s", count, strcmp(count, "1") == 0 ? "" : "s");
    return buf;
}

static void text_decoding(FILE *out, const struct eval_report *r, const struct eval_row *row)
{
    char each[2 * NUMBER_MAX], seed[NUMBER_MAX], how[48];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)r->config.seed);
    snprintf(how, sizeof how, "%s", r->config.greedy ? "greedy" : "sampling");
    if (r->config.rounds > 1)
        snprintf(how, sizeof how, "sampling in %d rounds", (int)r->config.rounds);
    report_line(out, "decoding", "%s, %d image%s: %s an instance%s%s", how, (int)r->config.augment,
                r->config.augment == 1 ? "" : "s", candidates_text(each, sizeof each, row),
                r->config.greedy ? "" : ", seed ", r->config.greedy ? "" : seed);
}

static void text_head(FILE *out, const struct eval_report *r)
{
    const struct eval_row *model = first_row(r, 0), *rules = first_row(r, 1);
    report_line(out, "set", "%s (%s), instances %zu to %zu", r->source, r->problem, r->first,
                r->first + r->instances - 1);
    if (r->is_partial)
        report_line(out, "PARTIAL", "interrupted: %zu of %zu instances were solved by the last row",
                    r->rows[r->count - 1].summary.instances, r->instances);
    if (model) text_decoding(out, r, model);
    if (rules) {
        char each[2 * NUMBER_MAX];
        report_line(out, "rules", "constructive, nothing is drawn: %s an instance",
                    candidates_text(each, sizeof each, rules));
    }
    if (r->reference)
        report_line(out, "reference", "%s, mean %.4f", r->reference,
                    r->rows[0].summary.mean_reference);
    fputc('\n', out);
}

/* What the columns of the table mean. */
static void text_legend(FILE *out, const struct eval_report *r)
{
    fputs("inst. %    instances without a feasible candidate\n"
          "sol. %     candidates that are infeasible\n"
          "obj.       mean of the best candidates of solved instances, in normalised length\n"
          "first      the same for the first candidate alone, without augmentation\n"
          "CPU ms     processor time of an instance; seconds: of the whole set, all threads\n",
          out);
    if (r->config.refine_seconds > 0.0)
        fputs("+ TIME     the answer improved by local search for that processor time\n", out);
    if (r->reference)
        fputs("gap %      mean over solved instances of 100 (f - reference) / reference\n"
              "ratio %    100 (mean f over solved / mean reference over all - 1)\n",
              out);
    if (r->count > 1)
        fprintf(out, "common     over the %zu instance%s that all rows solved\n",
                r->rows[0].summary.common, r->rows[0].summary.common == 1 ? "" : "s");
}

static void text_row(struct table *table, const struct eval_report *r, const struct eval_row *row)
{
    char b[NUMBER_MAX];
    const ucpo_eval_summary *s = &row->summary;
    table_add(table, "%s%s%s", row->model, row->refine ? " + " : "",
              row->refine ? row->refine : "");
    table_add(table, "%s", row->mask);
    table_add(table, "%s", fixed(b, 100.0 * s->infeasible_instances, 2));
    table_add(table, "%s", fixed(b, 100.0 * s->infeasible_solutions, 2));
    table_add(table, "%s", fixed(b, s->mean_objective, 4));
    table_add(table, "%s", fixed(b, 100.0 * s->first_infeasible, 2));
    table_add(table, "%s", fixed(b, s->first_objective, 4));
    if (r->reference) {
        table_add(table, "%s", fixed(b, s->gap_mean, 3));
        table_add(table, "%s", fixed(b, s->gap_ratio, 3));
    }
    if (r->count > 1) {
        table_add(table, "%s", fixed(b, s->common_objective, 4));
        if (r->reference) table_add(table, "%s", fixed(b, s->gap_common, 3));
    }
    table_add(table, "%s", fixed(b, 1000.0 * s->cpu_seconds, 1));
    table_add(table, "%s", fixed(b, row->seconds, 1));
}

/* What the answers that count as feasible owe to the tolerance. */
static void text_excess(FILE *out, const struct eval_report *r)
{
    char text[EXCESS_TEXT];
    fputc('\n', out);
    for (size_t i = 0; i < r->count; i++) {
        const ucpo_eval_summary *s = &r->rows[i].summary;
        int is_unrefined = i + 1 < r->count && r->rows[i + 1].refine && !r->rows[i].refine;
        if (is_unrefined || s->feasible_instances == 0) continue;
        struct excess sum = {.tolerated = s->tolerated,
                             .least = r->tolerance_least,
                             .most = r->tolerance_most,
                             .late_max = s->late_max,
                             .over_max = s->over_max};
        excess_text(&sum, text, sizeof text);
        report_line(out, "tolerance", "%s%s%s", r->count > 1 ? r->rows[i].model : "",
                    r->count > 1 ? ": " : "", text);
    }
}

/* References that are no plans' costs. */
static void text_doubts(FILE *out, const struct eval_report *r)
{
    enum { LISTED = 20 };

    const struct eval_doubts *d = &r->doubts;
    char count[NUMBER_MAX] = "none", below[NUMBER_MAX], bound[NUMBER_MAX];
    if (d->asked == 0) return;
    if (d->count > 0) snprintf(count, sizeof count, "%zu", d->count);
    report_line(out, "contradicted", "%s of %zu references looked at (%zu are below our plans)%s",
                count, d->asked, d->below, d->count > 0 ? ": no plan costs so little" : "");
    for (size_t k = 0; k < d->count && k < LISTED; k++) {
        const struct eval_doubt *one = &d->contradicted[k];
        report_line(out, "",
                    "instance %zu: reference %s, every plan costs at least %s (%.2g %% more)",
                    r->first + one->index, fixed(below, one->reference, 4),
                    fixed(bound, one->bound, 4), 100.0 * (one->bound / one->reference - 1.0));
    }
    if (d->count > LISTED) report_line(out, "", "and %zu more: --format json", d->count - LISTED);
}

int eval_text(FILE *out, const struct eval_report *r)
{
    struct table table = {.left = 3};
    const char *heads[TABLE_COLUMNS] = {"model", "mask",          "inst. %",   "sol. %",
                                        "obj.",  "first inst. %", "first obj."};
    size_t columns = 7;
    if (r->reference) heads[columns++] = "gap %", heads[columns++] = "ratio %";
    if (r->count > 1) heads[columns++] = "common obj.";
    if (r->count > 1 && r->reference) heads[columns++] = "common ratio %";
    heads[columns++] = "CPU ms";
    heads[columns++] = "seconds";
    memcpy(table.heads, heads, sizeof heads);
    table.columns = columns;
    text_head(out, r);
    for (size_t i = 0; i < r->count; i++) text_row(&table, r, &r->rows[i]);
    int is_done = table_print(&table, out);
    text_excess(out, r);
    report_changed(out, r->changed);
    text_doubts(out, r);
    text_legend(out, r);
    return is_done;
}

static int is_partial_row(const struct eval_report *r, const struct eval_row *row)
{
    return row->summary.instances < r->instances;
}

/* ---- CSV ---- */

void eval_csv(FILE *out, const struct eval_report *r)
{
    char b[NUMBER_MAX];
    fputs("model,mask,refine", out);
    for (size_t k = 0; k < FIELDS; k++) fprintf(out, ",%s", fields[k].name);
    fputs(",seconds,partial\n", out);
    for (size_t i = 0; i < r->count; i++) {
        put_csv_text(out, r->rows[i].model);
        fprintf(out, ",%s,%s", r->rows[i].mask, r->rows[i].refine ? r->rows[i].refine : "");
        for (size_t k = 0; k < FIELDS; k++) {
            double value = field_value(&r->rows[i].summary, k);
            fprintf(out, ",%s", isnan(value) ? "" : number_write(b, value));
        }
        fprintf(out, ",%.3f,%d\n", r->rows[i].seconds, is_partial_row(r, &r->rows[i]));
    }
}

/* ---- JSON ---- */

static void json_record(FILE *out, const struct eval_report *r, const ucpo_eval_record *record,
                        size_t i, int is_first_record)
{
    int is_first = 1;
    fputs(is_first_record ? "\n    {" : ",\n    {", out);
    put_json_value(out, &is_first, "index", (double)(r->first + i));
    put_json_truth(out, &is_first, "is_feasible", record->is_feasible);
    put_json_value(out, &is_first, "cost", record->cost);
    put_json_value(out, &is_first, "objective", record->objective);
    put_json_value(out, &is_first, "violation", record->violation);
    put_json_truth(out, &is_first, "within_tolerance", record->is_tolerated);
    put_json_value(out, &is_first, "late_max", record->late_max);
    put_json_value(out, &is_first, "over_max", record->over_max);
    put_json_value(out, &is_first, "best", record->best);
    put_json_value(out, &is_first, "candidates", record->candidates);
    put_json_value(out, &is_first, "feasible", record->feasible);
    put_json_value(out, &is_first, "mean_objective", record->mean_objective);
    put_json_truth(out, &is_first, "first_is_feasible", record->first_is_feasible);
    put_json_value(out, &is_first, "first_objective", record->first_objective);
    put_json_value(out, &is_first, "reference", r->costs ? r->costs[i] : (double)NAN);
    fputc('}', out);
}

static void json_row(FILE *out, const struct eval_report *r, const struct eval_row *row)
{
    int is_first = 1;
    put_json_text(out, &is_first, "model", row->model);
    put_json_text(out, &is_first, "mask", row->mask);
    put_json_text(out, &is_first, "refine", row->refine);
    for (size_t k = 0; k < FIELDS; k++)
        put_json_value(out, &is_first, fields[k].name, field_value(&row->summary, k));
    put_json_key(out, &is_first, "seconds");
    fprintf(out, "%.3f", row->seconds);
    put_json_truth(out, &is_first, "partial", is_partial_row(r, row));
    put_json_key(out, &is_first, "records");
    fputc('[', out);
    int is_first_record = 1;
    for (size_t i = 0; i < r->instances; i++) {
        if (row->records[i].candidates == 0) continue; /* not reached */
        json_record(out, r, &row->records[i], i, is_first_record);
        is_first_record = 0;
    }
    fputs("]}", out);
}

static void json_decoding(FILE *out, const ucpo_eval_config *config)
{
    int is_first = 1;
    fputc('{', out);
    put_json_truth(out, &is_first, "greedy", config->greedy);
    put_json_value(out, &is_first, "augment", config->augment);
    put_json_value(out, &is_first, "samples", config->greedy ? 1 : config->samples);
    put_json_value(out, &is_first, "rounds", config->rounds > 1 ? config->rounds : 1);
    put_json_value(out, &is_first, "temperature", config->temperature);
    const char *kernels = NULL, *precision = NULL;
    (void)ucpo_kernels(config->kernels, config->precision, &kernels, &precision, NULL);
    put_json_text(out, &is_first, "kernels", kernels);
    put_json_text(out, &is_first, "precision", precision);
    put_json_key(out, &is_first, "seed");
    fprintf(out, "%llu}", (unsigned long long)config->seed);
}

static void json_doubts(FILE *out, const struct eval_report *r)
{
    const struct eval_doubts *d = &r->doubts;
    int is_first = 1;
    fputc('{', out);
    put_json_value(out, &is_first, "below", (double)d->below);
    put_json_value(out, &is_first, "asked", (double)d->asked);
    put_json_key(out, &is_first, "contradicted");
    fputc('[', out);
    for (size_t k = 0; k < d->count; k++) {
        int is_first_member = 1;
        fputs(k ? ", {" : "{", out);
        put_json_value(out, &is_first_member, "index",
                       (double)(r->first + d->contradicted[k].index));
        put_json_value(out, &is_first_member, "reference", d->contradicted[k].reference);
        put_json_value(out, &is_first_member, "bound", d->contradicted[k].bound);
        fputc('}', out);
    }
    fputs("]}", out);
}

void eval_json(FILE *out, const struct eval_report *r)
{
    int is_first = 1;
    fputc('{', out);
    put_json_text(out, &is_first, "schema", "ucpo.eval/1");
    put_json_text(out, &is_first, "version", ucpo_version());
    put_json_text(out, &is_first, "set", r->source);
    put_json_text(out, &is_first, "problem", r->problem);
    put_json_value(out, &is_first, "first", (double)r->first);
    if (r->changed > 0) put_json_value(out, &is_first, "as_read", (double)r->changed);
    put_json_text(out, &is_first, "reference", r->reference);
    if (r->reference) {
        put_json_key(out, &is_first, "doubts");
        json_doubts(out, r);
    }
    put_json_key(out, &is_first, "decoding");
    json_decoding(out, &r->config);
    put_json_key(out, &is_first, "models");
    fputc('[', out);
    for (size_t i = 0; i < r->count; i++) {
        fputs(i ? ",\n  {" : "\n  {", out);
        json_row(out, r, &r->rows[i]);
    }
    fputs("]}\n", out);
}

/* ---- LaTeX ---- */

static void latex_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("&%$#_{}", *text))
            fprintf(out, "\\%c", *text);
        else if (*text == '\\')
            fputs("\\textbackslash{}", out);
        else if (strchr("~^", *text))
            fprintf(out, "\\%c{}", *text);
        else
            fputc(*text, out);
    }
}

static void latex_row(FILE *out, const struct eval_report *r, const struct eval_row *row)
{
    char b[NUMBER_MAX];
    const ucpo_eval_summary *s = &row->summary;
    latex_text(out, row->model);
    if (row->refine) fprintf(out, " + %s", row->refine);
    fprintf(out, " & %s", fixed(b, 100.0 * s->infeasible_solutions, 2));
    fprintf(out, " & %s", fixed(b, 100.0 * s->infeasible_instances, 2));
    fprintf(out, " & %s", fixed(b, s->mean_objective, 3));
    if (r->reference) {
        fprintf(out, " & %s", fixed(b, s->gap_ratio, 2));
        fprintf(out, " & %s", fixed(b, s->gap_mean, 2));
        if (r->count > 1) fprintf(out, " & %s", fixed(b, s->gap_common, 2));
    }
    fprintf(out, " & %.1f \\\\\n", row->seconds);
}

void eval_latex(FILE *out, const struct eval_report *r)
{
    int has_common = r->reference && r->count > 1;
    if (r->is_partial) fputs("% PARTIAL: interrupted, not all instances were solved\n", out);
    if (r->reference)
        fputs("% gap (ratio): 100 (mean f over solved / mean reference over all - 1)\n"
              "% gap (mean): mean over solved instances of 100 (f - reference) / reference\n",
              out);
    if (has_common)
        fprintf(out,
                "%% gap (common): the ratio over the %zu instance%s that all rows solved, for f "
                "and the reference\n",
                r->rows[0].summary.common, r->rows[0].summary.common == 1 ? "" : "s");
    fprintf(out, "\\begin{tabular}{lrrr%s%sr}\n\\hline\n", r->reference ? "rr" : "",
            has_common ? "r" : "");
    fprintf(out, "Model & Sol.\\ \\%% & Inst.\\ \\%% & Obj.%s%s & Time (s) \\\\\n\\hline\n",
            r->reference ? " & Gap (ratio) \\% & Gap (mean) \\%" : "",
            has_common ? " & Gap (common) \\%" : "");
    for (size_t i = 0; i < r->count; i++) latex_row(out, r, &r->rows[i]);
    fputs("\\hline\n\\end{tabular}\n", out);
}
