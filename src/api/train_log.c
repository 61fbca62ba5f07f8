/* metrics.jsonl, metrics.csv and TensorBoard events: the table of train/metrics.h in three forms. */
#include "api/train.h"
#include "core/number.h"
#include "core/text.h"
#include "io/events.h"
#include "train/metrics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { COLUMNS = METRICS - 1 }; /* the last row is in no file */

/* Eight digits are plenty for figures. */
static double shortened(double value)
{
    if (value == 0.0) return 0.0;
    double scale = pow(10.0, 7.0 - floor(log10(fabs(value))));
    return isfinite(scale) ? round(value * scale) / scale : value;
}

/* The cell as text, or "" if it does not apply. */
static const char *cell(const ucpo_train_report *r, const struct metric *c, char *buf, size_t size)
{
    const char *at = (const char *)r + c->offset;
    int64_t whole;
    int32_t small;
    const char *text;
    buf[0] = 0;
    switch (c->kind) {
    case METRIC_TEXT: memcpy(&text, at, sizeof text); return text;
    case METRIC_LONG:
        memcpy(&whole, at, sizeof whole);
        snprintf(buf, size, "%lld", (long long)whole);
        break;
    case METRIC_INT:
        memcpy(&small, at, sizeof small);
        if (small) snprintf(buf, size, "%d", (int)small);
        break;
    case METRIC_REAL:
        if (isfinite(metric_get(r, c))) number_write(buf, shortened(metric_get(r, c)));
        break;
    }
    return buf;
}

static void put_json(struct io_buffer *out, const ucpo_train_report *r)
{
    char buf[64];
    io_printf(out, "{\"kind\":\"%s\"", r->kind);
    for (size_t i = 1; i < COLUMNS; i++) {
        const char *text = cell(r, metric_at(i), buf, sizeof buf);
        if (text[0]) io_printf(out, ",\"%s\":%s", metric_at(i)->name, text);
    }
    io_printf(out, "}\n");
}

static void put_csv(struct io_buffer *out, const ucpo_train_report *r)
{
    char buf[64];
    for (size_t i = 0; i < COLUMNS; i++)
        io_printf(out, "%s%s", i ? "," : "", cell(r, metric_at(i), buf, sizeof buf));
    io_printf(out, "\n");
}

static double wall_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void put_events(struct io_buffer *out, const ucpo_train_report *r)
{
    struct io_scalar scalar[COLUMNS];
    char tag[COLUMNS][64];
    size_t count = 0;
    for (size_t i = 0; i < COLUMNS; i++) {
        const struct metric *c = metric_at(i);
        if (c->kind != METRIC_REAL || !isfinite(metric_get(r, c))) continue;
        snprintf(tag[count], sizeof tag[0], "%s/%s", r->kind, c->name);
        scalar[count] = (struct io_scalar){tag[count], metric_get(r, c)};
        count++;
    }
    io_events_put_scalars(out, wall_time(), r->instances, scalar, count);
}

static ucpo_status flush(struct io_append *log, struct io_buffer *out, ucpo_error *err)
{
    ucpo_status st = io_buffer_status(out, err);
    if (!st && out->size > 0) st = io_append_put(log, out->bytes, out->size, err);
    io_buffer_free(out);
    return st;
}

/* What a log begins with. */
static ucpo_status begin_file(struct run_logs *logs, int k, ucpo_error *err)
{
    struct io_buffer out = {0};
    for (size_t i = 0; k == 1 && i < COLUMNS; i++)
        io_printf(&out, "%s%s", i ? "," : "", metric_at(i)->name);
    if (k == 1) io_printf(&out, "\n");
    if (k == 2) io_events_put_header(&out, wall_time());
    return flush(&logs->log[k], &out, err);
}

static void name_events(struct run_logs *logs)
{
    char host[64] = "host";
    gethostname(host, sizeof host - 1);
    snprintf(logs->events_name, sizeof logs->events_name, "events.out.tfevents.%lld.%s",
             (long long)wall_time(), host);
}

static void log_path(const struct run_logs *logs, const char *dir, int k, char *path, size_t size)
{
    const char *names[RUN_LOGS] = {"metrics.jsonl", "metrics.csv", logs->events_name};
    snprintf(path, size, "%s/%s", dir, names[k]);
}

/* Where the last whole line of a text ends. */
static int64_t whole_lines(const char *path)
{
    char *bytes = NULL;
    size_t size = 0;
    if (ucpo_file_read(path, &bytes, &size, NULL)) return 0;
    while (size > 0 && bytes[size - 1] != '\n') size--;
    free(bytes);
    return (int64_t)size;
}

/* A log that is not what it was: its whole lines stay. Events cannot be told apart, so they begin a
 * new file. */
static ucpo_status mend(struct run_logs *logs, const char *dir, int k, ucpo_error *err)
{
    char path[RUN_PATH + 128];
    log_path(logs, dir, k, path, sizeof path);
    text_append(logs->damage, sizeof logs->damage, ", ", "%s", strrchr(path, '/') + 1);
    if (k == 2) name_events(logs);
    log_path(logs, dir, k, path, sizeof path);
    int64_t end = k == 2 ? 0 : whole_lines(path);
    ucpo_status st = io_append_open(&logs->log[k], path, end, err);
    return st || end > 0 ? st : begin_file(logs, k, err);
}

ucpo_status run_logs_open(struct run_logs *logs, const char *dir, const int64_t offset[RUN_LOGS],
                          ucpo_error *err)
{
    int is_new = offset[0] < 0;
    if (is_new) name_events(logs);
    logs->damage[0] = '\0';
    for (int k = 0; k < RUN_LOGS; k++) {
        char path[RUN_PATH + 128];
        struct stat about;
        log_path(logs, dir, k, path, sizeof path);
        int is_there = stat(path, &about) == 0;
        int is_short = !is_new && (!is_there || (int64_t)about.st_size < offset[k]);
        ucpo_status st = is_short
                             ? mend(logs, dir, k, err)
                             : io_append_open(&logs->log[k], path, is_new ? 0 : offset[k], err);
        if (!st && is_new) st = begin_file(logs, k, err);
        if (st) return st;
    }
    return UCPO_OK;
}

ucpo_status run_logs_put(struct run_logs *logs, const ucpo_train_report *report, ucpo_error *err)
{
    void (*const put[RUN_LOGS])(struct io_buffer *, const ucpo_train_report *) = {put_json, put_csv,
                                                                                  put_events};
    ucpo_status st = UCPO_OK;
    for (int k = 0; !st && k < RUN_LOGS; k++) {
        struct io_buffer out = {0};
        put[k](&out, report);
        st = flush(&logs->log[k], &out, err);
    }
    return st;
}

void run_logs_close(struct run_logs *logs)
{
    for (int k = 0; k < RUN_LOGS; k++) io_append_close(&logs->log[k], NULL);
}

/* ---- averages ---- */

void run_mean_add(struct run_mean *mean, const ucpo_train_report *report)
{
    ucpo_train_report sum = *report;
    for (size_t i = 0; i < COLUMNS; i++) {
        const struct metric *c = metric_at(i);
        if (c->kind != METRIC_REAL) continue;
        if (mean->steps == 0) mean->count[i] = 0;
        double before = mean->count[i] > 0 ? metric_get(&mean->sum, c) : 0.0;
        double now = metric_get(report, c);
        int counts = isfinite(now);
        mean->count[i] += counts;
        metric_set(&sum, c, before + (counts ? now : 0.0));
    }
    mean->sum = sum;
    mean->steps++;
}

ucpo_train_report run_mean_take(struct run_mean *mean)
{
    ucpo_train_report out = mean->sum;
    for (size_t i = 0; i < COLUMNS; i++) {
        const struct metric *c = metric_at(i);
        double count = (double)mean->count[i];
        if (c->kind == METRIC_REAL)
            metric_set(&out, c, count > 0 ? metric_get(&out, c) / count : (double)NAN);
    }
    mean->steps = 0;
    return out;
}
