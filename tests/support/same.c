#include "support/same.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int all_zero(const double *v, size_t count)
{
    for (size_t i = 0; v && i < count; i++)
        if (v[i] != 0.0) return 0;
    return 1;
}

static int same_array(const double *a, const double *b, size_t count)
{
    if (!a || !b) return a == b;
    return memcmp(a, b, count * sizeof *a) == 0;
}

static int same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

const char *difference_of_instances(const ucpo_instance *a, const ucpo_instance *b)
{
    const ucpo_instance_data *p = ucpo_instance_view(a), *q = ucpo_instance_view(b);
    size_t n = (size_t)p->n;
    if (strcmp(p->problem, q->problem) != 0) return "problem";
    if (strcmp(p->name, q->name) != 0) return "name";
    if (p->n != q->n) return "n";
    if (!same_array(p->x, q->x, n)) return "x";
    if (!same_array(p->y, q->y, n)) return "y";
    if (!same_array(p->cost, q->cost, n * n)) return "cost";
    if (!same_array(p->duration, q->duration, n * n)) return "duration";
    if (!same_array(p->ready, q->ready, n)) return "ready";
    if (!same_array(p->due, q->due, n)) return "due";
    if (!same_array(p->demand, q->demand, n)) return "demand";
    if (!same_array(p->limit, q->limit, n)) return "limit";
    int no_service = all_zero(p->service, n) && all_zero(q->service, n);
    if (!no_service && !same_array(p->service, q->service, n)) return "service";
    if (!same_number(p->capacity, q->capacity)) return "capacity";
    if (p->vehicles != q->vehicles) return "vehicles";
    if (p->x && p->metric != q->metric) return "metric";
    if (p->x && p->rounding != q->rounding) return "rounding";
    if (p->limit && p->draft != q->draft) return "draft";
    if (!same_number(p->unit, q->unit)) return "unit";
    if (!same_number(p->tolerance, q->tolerance)) return "tolerance";
    if (!same_number(p->file->service_in_cost, q->file->service_in_cost)) return "service_in_cost";
    if (!same_number(p->best_known, q->best_known)) return "best_known";
    if (p->file->depot != q->file->depot) return "file_depot";
    return "";
}

void assert_same_set(const ucpo_dataset *a, const ucpo_dataset *b)
{
    assert_int_equal(ucpo_dataset_count(a), ucpo_dataset_count(b));
    for (size_t i = 0; i < ucpo_dataset_count(a); i++)
        assert_string_equal(difference_of_instances(ucpo_dataset_at(a, i), ucpo_dataset_at(b, i)),
                            "");
}

static void remember(void *user, ucpo_log_level level, const char *text)
{
    (void)level;
    struct line_log *log = user;
    size_t used = strlen(log->text);
    snprintf(log->text + used, sizeof log->text - used, "%s\n", text);
    log->lines++;
}

ucpo_hooks line_log_hooks(struct line_log *log)
{
    return (ucpo_hooks){.log = remember, .user = log};
}

ucpo_dataset *read_text_set(const char *text, const char *problem)
{
    ucpo_dataset *set = NULL;
    ucpo_error err = {0};
    ucpo_read_config options = ucpo_read_config_default();
    options.problem = problem;
    assert_ok(ucpo_read_bytes(text, strlen(text), "text", &options, &set, &err), &err);
    return set;
}

void assert_error(ucpo_status got, const ucpo_error *err, ucpo_status code, long line,
                  const char *fragment)
{
    if (got != code || err->line != line || !strstr(err->text, fragment)) {
        print_error("got %s line %ld '%s', expected %s line %ld '%s'\n", ucpo_status_name(got),
                    err->line, err->text, ucpo_status_name(code), line, fragment);
        fail();
    }
}
