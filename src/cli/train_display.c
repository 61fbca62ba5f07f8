#include "cli/train.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/output.h"

struct train_display train_display_begin(int is_quiet)
{
    return (struct train_display){.is_quiet = is_quiet,
                                  .is_terminal = isatty(STDERR_FILENO),
                                  .gap = (double)NAN,
                                  .began = -1.0,
                                  .last_drawn = -1.0};
}

/* "1h02m", "3m05s", "12s" */
static const char *time_text(double seconds, char *buf, size_t size)
{
    long s = seconds > 0 && seconds < 1e9 ? (long)(seconds + 0.5) : 0;
    if (s >= 3600)
        snprintf(buf, size, "%ldh%02ldm", s / 3600, s / 60 % 60);
    else if (s >= 60)
        snprintf(buf, size, "%ldm%02lds", s / 60, s % 60);
    else
        snprintf(buf, size, "%lds", s);
    return buf;
}

static const char *count_text(int64_t count, char *buf, size_t size)
{
    if (count >= 10000000)
        snprintf(buf, size, "%.1fM", (double)count / 1e6);
    else if (count >= 10000)
        snprintf(buf, size, "%.1fk", (double)count / 1e3);
    else
        snprintf(buf, size, "%lld", (long long)count);
    return buf;
}

/* The line of a report in parts, in the order in which they stand. */
enum part { PROGRESS, PHASE, REGIMES, INFEASIBLE, COST, GAP, ANCHORS, SPEED, PARTS };

struct line {
    char part[PARTS][96];
};

static void fill_figures(const struct train_display *d, const ucpo_train_report *r, struct line *l)
{
    char gap[NUMBER_MAX], by[32] = "", of[32] = "";
    size_t size = sizeof l->part[0];
    if (r->phase > 1) snprintf(l->part[PHASE], size, "  phase %d", (int)r->phase);
    if (r->dual_share + r->margin_share + r->primal_share > 0)
        snprintf(l->part[REGIMES], size, "  dual %.0f%% margin %.0f%% primal %.0f%%",
                 100 * r->dual_share, 100 * r->margin_share, 100 * r->primal_share);
    snprintf(l->part[INFEASIBLE], size, "  infeasible %.2f%% of samples, %.2f%% of instances",
             100 * r->infeasible_samples, 100 * r->infeasible_instances);
    if (isfinite(r->objective)) snprintf(l->part[COST], size, "  cost %.3f", r->objective);
    if (isfinite(d->gap)) snprintf(l->part[GAP], size, "  gap %s%%", number_fixed(gap, d->gap, 2));
    if (!isfinite(r->anchor_share)) return;
    if (isfinite(r->anchor_gain)) snprintf(by, sizeof by, " by %.2f%%", r->anchor_gain);
    if (isfinite(r->anchor_time))
        snprintf(of, sizeof of, " in %.0f%% of time", 100 * r->anchor_time);
    snprintf(l->part[ANCHORS], size, "  anchors %.0f%%%s%s", 100 * r->anchor_share, by, of);
}

static void fill_line(const struct train_display *d, const ucpo_train_report *r, struct line *l)
{
    char seen[32], total[32], elapsed[32], eta[32] = "-";
    double passed = r->elapsed - d->began;
    int64_t done = r->instances - d->began_instances;
    double rate = passed > 0 && done > 0 ? (double)done / passed : 0.0;
    if (rate > 0) time_text((double)(r->total - r->instances) / rate, eta, sizeof eta);
    *l = (struct line){{{0}}};
    snprintf(l->part[PROGRESS], sizeof l->part[0], "%s/%s",
             count_text(r->instances, seen, sizeof seen),
             count_text(r->total, total, sizeof total));
    fill_figures(d, r, l);
    snprintf(l->part[SPEED], sizeof l->part[0], "  %.0f/s  %s  ETA %s",
             isfinite(r->instances_per_s) ? r->instances_per_s : rate,
             time_text(r->elapsed, elapsed, sizeof elapsed), eta);
}

static size_t length_of(const struct line *l)
{
    size_t length = 0;
    for (int p = 0; p < PARTS; p++) length += strlen(l->part[p]);
    return length;
}

/* A line that wraps cannot be drawn over: on a narrow terminal words become shorter, and what still
 * does not fit is left out, the least important part first. */
static void shorten(const ucpo_train_report *r, struct line *l, size_t columns)
{
    static const enum part last_first[] = {ANCHORS, REGIMES, COST, PHASE, GAP, INFEASIBLE, SPEED};

    if (length_of(l) >= columns)
        snprintf(l->part[INFEASIBLE], sizeof l->part[0], "  infeasible %.2f%% / %.2f%%",
                 100 * r->infeasible_samples, 100 * r->infeasible_instances);

    for (size_t i = 0; length_of(l) >= columns && i < sizeof last_first / sizeof *last_first; i++)
        l->part[last_first[i]][0] = 0;
}

static size_t terminal_columns(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

static void put_line(const struct line *l)
{
    for (int p = 0; p < PARTS; p++) fputs(l->part[p], stderr);
}

static void print_validation(const ucpo_train_report *r)
{
    char gap[NUMBER_MAX], ratio[NUMBER_MAX];
    fprintf(stderr,
            "validation at %lld, %s: %.2f%% of instances and %.2f%% of solutions infeasible",
            (long long)r->instances, r->kind, 100 * r->infeasible_instances,
            100 * r->infeasible_samples);
    if (isfinite(r->objective)) fprintf(stderr, ", cost %.4f", r->objective);
    if (isfinite(r->gap))
        fprintf(stderr, ", gap %s%% (of means %s%%)", number_fixed(gap, r->gap, 3),
                number_fixed(ratio, r->gap_of_means, 3));
    fputc('\n', stderr);
}

static double smooth(double old, double now)
{
    if (!isfinite(old)) return now;
    return isfinite(now) ? old + 0.1 * (now - old) : old;
}

static void draw_live(struct train_display *d, const ucpo_train_report *r)
{
    ucpo_train_report line = *r;
    if (d->step.kind) {
        line.infeasible_samples = smooth(d->step.infeasible_samples, r->infeasible_samples);
        line.infeasible_instances = smooth(d->step.infeasible_instances, r->infeasible_instances);
        line.objective = smooth(d->step.objective, r->objective);
        line.dual_share = smooth(d->step.dual_share, r->dual_share);
        line.margin_share = smooth(d->step.margin_share, r->margin_share);
        line.primal_share = smooth(d->step.primal_share, r->primal_share);
        line.anchor_share = smooth(d->step.anchor_share, r->anchor_share);
        line.anchor_gain = smooth(d->step.anchor_gain, r->anchor_gain);
        line.anchor_time = smooth(d->step.anchor_time, r->anchor_time);
    }
    d->step = line;
    if (r->elapsed - d->last_drawn < 0.2) return;
    d->last_drawn = r->elapsed;
    struct line text;
    fill_line(d, &line, &text);
    shorten(&line, &text, terminal_columns());
    fputs("\r\033[K", stderr);
    put_line(&text);
}

void train_display_report(void *user, const ucpo_train_report *r)
{
    struct train_display *d = user;
    if (d->is_quiet) return;
    if (d->began < 0.0) {
        d->began = r->elapsed;
        d->began_instances = r->instances;
    }
    if (strcmp(r->kind, "step") == 0) {
        if (d->is_terminal) draw_live(d, r);
    } else if (strcmp(r->kind, "train") == 0) {
        if (d->is_terminal) return;
        struct line text;
        fill_line(d, r, &text);
        put_line(&text);
        fputc('\n', stderr);
    } else {
        train_display_end(d);
        print_validation(r);
        d->gap = r->gap; /* the sampled one comes last */
    }
}

void train_display_end(struct train_display *d)
{
    if (d->is_terminal && d->step.kind) fputs("\r\033[K", stderr);
}

static void add_row(struct table *table, const char *name, const ucpo_train_report *r)
{
    char a[NUMBER_MAX], b[NUMBER_MAX], c[NUMBER_MAX];
    table_add(table, "%s", name);
    table_add(table, "%s", r->kind);
    table_add(table, "%.2f", 100 * r->infeasible_instances);
    table_add(table, "%.2f", 100 * r->infeasible_samples);
    table_add(table, "%s", number_fixed(a, r->objective, 4));
    table_add(table, "%s", number_fixed(b, r->gap, 3));
    table_add(table, "%s", number_fixed(c, r->gap_of_means, 3));
}

int train_display_table(const ucpo_train_summary *s, const char *dir)
{
    struct output out;
    char elapsed[32];
    if (output_begin(&out)) return EXIT_INTERNAL;
    report_line(out.stream, "run", "%s", dir);
    report_line(out.stream, "instances", "%lld in %lld steps", (long long)s->instances,
                (long long)s->step);
    report_line(out.stream, "time", "%s", time_text(s->elapsed, elapsed, sizeof elapsed));
    if (s->best >= 0)
        report_line(out.stream, "best", "after %lld instances: %s/best.safetensors",
                    (long long)s->best, dir);
    if (s->before[0].kind && s->after[0].kind && s->after[0].instances > 0) {
        char last[40] = "after"; /* of a run that is not finished: its latest validation */
        if (s->after[0].instances < s->instances)
            snprintf(last, sizeof last, "at %lld", (long long)s->after[0].instances);
        struct table table = {.columns = 7,
                              .heads = {"validation", "decoding", "infeasible instances %",
                                        "infeasible solutions %", "cost", "gap %",
                                        "gap of means %"},
                              .left = 3};
        for (int kind = 0; kind < 2; kind++) {
            add_row(&table, "before", &s->before[kind]);
            add_row(&table, last, &s->after[kind]);
        }
        fputc('\n', out.stream);
        if (!table_print(&table, out.stream)) return output_end(&out, NULL, EXIT_INTERNAL);
    }
    return output_finish(&out, NULL);
}
