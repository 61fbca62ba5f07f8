/* Training runs in a scratch directory: settings, hooks, and what is compared. */
#ifndef UCPO_TESTS_API_TRAIN_RUNS_H
#define UCPO_TESTS_API_TRAIN_RUNS_H

#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { STEPS = 20, BATCH = 16 };

static char root[] = "/tmp/ucpo_train_XXXXXX";

static inline const char *in_root(const char *name)
{
    static char path[8][200];
    static int turn;
    turn = (turn + 1) % 8;
    snprintf(path[turn], sizeof path[0], "%s/%s", root, name);
    return path[turn];
}

static inline const char *file_of(const char *run, const char *name)
{
    char path[150];
    snprintf(path, sizeof path, "%s/%s", run, name);
    return in_root(path);
}

static inline int exists(const char *run, const char *name)
{
    return access(file_of(run, name), F_OK) == 0;
}

static inline int make_root(void **state)
{
    (void)state;
    return mkdtemp(root) ? 0 : -1;
}

static inline int remove_root(void **state)
{
    char line[128];
    (void)state;
    snprintf(line, sizeof line, "chmod -R u+w %s; rm -rf %s", root, root);
    return system(line); /* NOLINT(cert-env33-c): the name is ours */
}

/* ---- settings and hooks ---- */

static inline void set(ucpo_train_config *config, const char *key, const char *value)
{
    ucpo_error err = {0};
    assert_ok(ucpo_train_config_set(config, key, value, &err), &err);
}

/* STEPS steps on small instances; `more` is "key=value ..." on top. */
static inline ucpo_train_config *settings(const char *more)
{
    static const char *const base[][2] = {{"problem", "tsptw"},    {"protocol", "paper"},
                                          {"size", "7"},           {"width", "16"},
                                          {"heads", "2"},          {"hidden", "16"},
                                          {"layers", "1"},         {"instances", "320"},
                                          {"batch", "16"},         {"lr", "1e-3"},
                                          {"lr-end", "1e-4"},      {"warmup", "5"},
                                          {"samples-end", "9"},    {"alpha-end", "3/n"},
                                          {"validate-count", "6"}, {"validate-every", "100"},
                                          {"log-every", "1"},      {"threads", "1"},
                                          {"mask", "pip"}};
    ucpo_train_config *config = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_train_config_create(&config, &err), &err);
    for (size_t i = 0; i < sizeof base / sizeof base[0]; i++) set(config, base[i][0], base[i][1]);
    char text[512], *rest = text;
    snprintf(text, sizeof text, "%s", more);
    for (char *item; (item = strtok_r(rest, " ", &rest));) {
        char *value = strchr(item, '=');
        *value++ = 0;
        for (char *at = value; *at; at++)
            if (*at == '+') *at = ' '; /* blanks inside phases */
        set(config, item, value);
    }
    return config;
}

struct watch {
    int steps, stop_at; /* stop_at 0: never */
    int lines;          /* reports that went to the files */
    rlim_t file_limit;  /* from step limit_at on */
    int limit_at;
};

static inline void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes ? bytes : limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static inline void on_report(void *user, const ucpo_train_report *report)
{
    struct watch *w = user;
    if (strcmp(report->kind, "step") != 0) {
        w->lines++;
        return;
    }
    w->steps++;
    if (w->limit_at > 0 && w->steps == w->limit_at) limit_files(w->file_limit);
}

static inline int on_stop(void *user)
{
    const struct watch *w = user;
    return w->stop_at > 0 && w->steps >= w->stop_at;
}

static inline ucpo_train_hooks hooks_of(struct watch *w)
{
    return (ucpo_train_hooks){.report = on_report, .stop = on_stop, .user = w};
}

/* Own instances in a file, as npy. */
static inline void put_set(const char *path, int size, size_t count)
{
    ucpo_generate_config g = ucpo_generate_config_default();
    ucpo_write_config npy = ucpo_write_config_default();
    ucpo_dataset *set = NULL;
    g.problem = "tsptw", g.size = size, g.count = count, npy.format = "npy";
    assert_int_equal(ucpo_generate(&g, &set, NULL), UCPO_OK);
    assert_int_equal(ucpo_write(path, set, &npy, NULL), UCPO_OK);
    ucpo_dataset_free(set);
}

static inline ucpo_train_summary train(const char *more, const char *run, int stop_at)
{
    struct watch w = {.stop_at = stop_at};
    ucpo_train_hooks hooks = hooks_of(&w);
    ucpo_train_summary summary;
    ucpo_error err = {0};
    ucpo_train_config *config = settings(more);
    assert_ok(ucpo_train(config, in_root(run), &hooks, &summary, &err), &err);
    ucpo_train_config_free(config);
    assert_int_equal(summary.end, stop_at ? UCPO_TRAIN_STOPPED : UCPO_TRAIN_FINISHED);
    return summary;
}

static inline ucpo_train_summary resume(const char *run, int stop_at)
{
    struct watch w = {.stop_at = stop_at};
    ucpo_train_hooks hooks = hooks_of(&w);
    ucpo_train_summary summary;
    ucpo_error err = {0};
    assert_ok(ucpo_train_resume(in_root(run), NULL, &hooks, &summary, &err), &err);
    return summary;
}

static inline void assert_says(ucpo_status got, const ucpo_error *err, ucpo_status code,
                               const char *file, const char *part)
{
    if (got != code || !strstr(err->text, part) || !strstr(err->file, file))
        print_error("expected %s: '%s', got %s: %s: %s\n", file, part, ucpo_status_name(got),
                    err->file, err->text);
    assert_int_equal(got, code);
    assert_int_equal(err->code, code);
    assert_non_null(strstr(err->text, part));
    assert_non_null(strstr(err->file, file));
}

static inline void refuse_train(const char *more, const char *run, ucpo_status code,
                                const char *file, const char *part)
{
    ucpo_error err = {0};
    ucpo_train_config *config = settings(more);
    assert_says(ucpo_train(config, in_root(run), NULL, NULL, &err), &err, code, file, part);
    ucpo_train_config_free(config);
}

static inline void refuse_resume(const char *run, ucpo_status code, const char *file,
                                 const char *part)
{
    ucpo_error err = {0};
    assert_says(ucpo_train_resume(in_root(run), NULL, NULL, NULL, &err), &err, code, file, part);
}

/* ---- what is compared ---- */

/* The tensors of a file: names and places are a function of the architecture. */
static inline void assert_same_tensors(const char *a, const char *b)
{
    size_t size[2];
    char *bytes[2] = {test_read_file(a, &size[0]), test_read_file(b, &size[1])};
    const char *data[2];
    size_t left[2];
    for (int k = 0; k < 2; k++) {
        uint64_t header = 0;
        assert_non_null(bytes[k]);
        assert_true(size[k] > 8);
        memcpy(&header, bytes[k], 8);
        data[k] = bytes[k] + 8 + header;
        left[k] = size[k] - 8 - header;
    }
    assert_int_equal(left[0], left[1]);
    assert_memory_equal(data[0], data[1], left[0]);
    free(bytes[0]);
    free(bytes[1]);
}

/* metrics.csv without the two columns of time at its end. */
static inline char *rows_of(const char *run)
{
    char *text = test_read_file(file_of(run, "metrics.csv"), NULL), *to = text;
    assert_non_null(text);
    for (char *line = text, *next; *line; line = next) {
        next = strchr(line, '\n');
        assert_non_null(next);
        char *end = next++;
        for (int commas = 0; commas < 2; commas += *end == ',') end--;
        memmove(to, line, (size_t)(end - line));
        to += end - line;
        *to++ = '\n';
    }
    *to = 0;
    return text;
}

static inline int lines_in(const char *text)
{
    int lines = 0;
    for (; *text; text++) lines += *text == '\n';
    return lines;
}

static inline void assert_same_rows(const char *a, const char *b)
{
    char *left = rows_of(a), *right = rows_of(b);
    assert_string_equal(left, right);
    free(left);
    free(right);
}

/* Value of a column (counted from 0) in a row of CSV; NaN if it is empty. */
static inline double column(const char *row, int index)
{
    for (; index > 0; index--) row = strchr(row, ',') + 1;
    return *row == ',' ? (double)NAN : strtod(row, NULL);
}

#endif
