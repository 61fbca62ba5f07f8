#include "support/text_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void collect(void *user, ucpo_log_level level, const char *text)
{
    struct test_log *log = user;
    size_t used = strlen(log->text);
    snprintf(log->text + used, sizeof log->text - used, "%s: %s\n",
             level == UCPO_LOG_INFO ? "info" : "warning", text);
}

ucpo_hooks test_log_hooks(struct test_log *log)
{
    log->text[0] = '\0';
    return (ucpo_hooks){.log = collect, .user = log};
}

void assert_logged_at(const struct test_log *log, const char *part, const char *file, int line)
{
    if (strstr(log->text, part)) return;
    print_error("%s:%d: '%s' is not in the log:\n%s", file, line, part, log->text);
    _fail(file, line);
}

void assert_not_logged_at(const struct test_log *log, const char *part, const char *file, int line)
{
    if (!strstr(log->text, part)) return;
    print_error("%s:%d: '%s' is in the log:\n%s", file, line, part, log->text);
    _fail(file, line);
}

ucpo_dataset *test_read_text(const char *text, const ucpo_read_config *options)
{
    ucpo_dataset *set = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_read_bytes(text, strlen(text), "text", options, &set, &err), &err);
    assert_int_equal(ucpo_dataset_count(set), 1);
    return set;
}

ucpo_dataset *test_read_data(const char *name, const ucpo_read_config *options)
{
    char path[512];
    ucpo_dataset *set = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_read(test_data_path(path, sizeof path, name), options, &set, &err), &err);
    assert_int_equal(ucpo_dataset_count(set), 1);
    return set;
}

const ucpo_instance_data *test_view(const ucpo_dataset *set)
{
    return ucpo_instance_view(ucpo_dataset_at(set, 0));
}

char *test_write_text(const ucpo_dataset *set, const char *format, const ucpo_write_config *options)
{
    ucpo_write_config how = options ? *options : ucpo_write_config_default();
    how.format = format;
    char *bytes = NULL;
    size_t size = 0;
    ucpo_error err = {0};
    assert_ok(ucpo_write_bytes(set, &how, &bytes, &size, &err), &err);
    char *text = malloc(size + 1);
    assert_non_null(text);
    memcpy(text, bytes, size);
    text[size] = '\0';
    ucpo_bytes_free(bytes);
    return text;
}

ucpo_dataset *test_set_of(const ucpo_instance_data *data)
{
    ucpo_instance *inst = NULL;
    ucpo_dataset *set = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_instance_create(data, &inst, &err), &err);
    assert_ok(ucpo_dataset_create(&set, &err), &err);
    assert_ok(ucpo_dataset_add(set, inst, &err), &err);
    return set;
}

static void same_array(const char *field, const double *a, const double *b, size_t count,
                       int zeros_are_nothing, const char *file, int line)
{
    if (!a != !b && !zeros_are_nothing) {
        print_error("%s:%d: only one instance has '%s'\n", file, line, field);
        _fail(file, line);
    }
    for (size_t i = 0; (a || b) && i < count; i++) {
        double va = a ? a[i] : 0.0, vb = b ? b[i] : 0.0;
        if (va == vb) continue;
        print_error("%s:%d: %s[%zu] is %.17g and %.17g\n", file, line, field, i, va, vb);
        _fail(file, line);
    }
}

static void same_number(const char *field, double a, double b, const char *file, int line)
{
    if (a == b || (isnan(a) && isnan(b))) return;
    print_error("%s:%d: %s is %.17g and %.17g\n", file, line, field, a, b);
    _fail(file, line);
}

void assert_same_instance_at(const ucpo_instance_data *a, const ucpo_instance_data *b,
                             const char *file, int line)
{
    _assert_string_equal(a->problem, b->problem, file, line);
    _assert_string_equal(a->name, b->name, file, line);
    same_number("n", a->n, b->n, file, line);
    size_t n = (size_t)a->n;
    same_array("x", a->x, b->x, n, 0, file, line);
    same_array("y", a->y, b->y, n, 0, file, line);
    same_array("cost", a->cost, b->cost, n * n, 0, file, line);
    same_array("duration", a->duration, b->duration, n * n, 0, file, line);
    same_array("ready", a->ready, b->ready, n, 0, file, line);
    same_array("due", a->due, b->due, n, 0, file, line);
    same_array("service", a->service, b->service, n, 1, file, line);
    same_array("demand", a->demand, b->demand, n, 0, file, line);
    same_array("limit", a->limit, b->limit, n, 0, file, line);
    same_number("capacity", a->capacity, b->capacity, file, line);
    same_number("vehicles", a->vehicles, b->vehicles, file, line);
    same_number("metric", a->metric, b->metric, file, line);
    same_number("rounding", a->rounding, b->rounding, file, line);
    same_number("draft", a->draft, b->draft, file, line);
    same_number("unit", a->unit, b->unit, file, line);
    same_number("tolerance", a->tolerance, b->tolerance, file, line);
    same_number("service_in_cost", a->file->service_in_cost, b->file->service_in_cost, file, line);
    same_number("best_known", a->best_known, b->best_known, file, line);
    same_number("file_depot", a->file->depot, b->file->depot, file, line);
}

void assert_refused(const char *format, const struct test_bad *cases, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        ucpo_read_config options = ucpo_read_config_default();
        options.format = format;
        ucpo_dataset *set = NULL;
        ucpo_error err = {0};
        ucpo_status st =
            ucpo_read_bytes(cases[k].text, strlen(cases[k].text), "bad.txt", &options, &set, &err);
        int is_right = st == cases[k].code && err.code == st && err.line == cases[k].line &&
                       strcmp(err.file, "bad.txt") == 0 && strstr(err.text, cases[k].part) && !set;
        if (is_right) continue;
        print_error("case %zu:\n%s\nexpected %s, line %ld, '...%s...'\ngot %s, line %ld, '%s'\n", k,
                    cases[k].text, ucpo_status_name(cases[k].code), cases[k].line, cases[k].part,
                    ucpo_status_name(st), err.line, err.text);
        fail();
    }
}
