#include "cli/cloud.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "instance,cost,violation,feasible\n"

int cloud_begin(struct cloud_writer *writer)
{
    int code = output_begin(&writer->out);
    if (!code) fputs(HEAD, writer->out.stream);
    return code;
}

void cloud_add(void *user, double cost, double violation)
{
    struct cloud_writer *w = user;
    char text[NUMBER_MAX];
    fprintf(w->out.stream, "%zu,%s,", w->instance, number_write(text, cost));
    fprintf(w->out.stream, "%s,%d\n", number_write(text, violation), violation <= 0.0);
}

/* The next number of a row and what must follow it. */
static int take_number(char **at, char end, double *value)
{
    char *past = NULL;
    *value = strtod(*at, &past);
    int good = past != *at && *past == end && isfinite(*value);
    *at = past + (*past != '\0');
    return good;
}

static int read_row(char **at, size_t instance, double *costs, double *violations, size_t *count)
{
    double number, cost, violation, is_feasible;
    int good = take_number(at, ',', &number) && take_number(at, ',', &cost) &&
               take_number(at, ',', &violation) && take_number(at, '\n', &is_feasible);
    if (!good || violation < 0.0) return 0;
    if (number == (double)instance) {
        costs[*count] = cost;
        violations[(*count)++] = violation;
    }
    return 1;
}

static int read_rows(const char *path, char *at, size_t instance, ucpo_cloud *out)
{
    size_t rows = 0, line = 1;
    for (const char *c = at; *c; c++) rows += *c == '\n';
    double *cost = malloc((rows + 1) * sizeof *cost);
    double *violation = malloc((rows + 1) * sizeof *violation);
    *out = (ucpo_cloud){cost, violation, 0};
    if (!cost || !violation) return no_memory();
    while (*at) {
        line++;
        if (!read_row(&at, instance, cost, violation, &out->count))
            return message_error("%s:%zu: expected instance,cost,violation,feasible as numbers",
                                 path, line);
    }
    if (out->count > 0) return EXIT_DONE;
    return message_error("%s: holds no candidate of instance %zu", path, instance);
}

int cloud_read(const char *path, size_t instance, ucpo_cloud *out)
{
    ucpo_error err = {0};
    char *bytes = NULL;
    size_t size = 0;
    ucpo_status status = ucpo_file_read(path, &bytes, &size, &err);
    if (status) return message_failure(status, &err);
    int code =
        strncmp(bytes, HEAD, strlen(HEAD)) == 0
            ? read_rows(path, bytes + strlen(HEAD), instance, out)
            : message_error("%s:1: expected the line '%.*s', as 'ucpo solve --cloud' writes it",
                            path, (int)strlen(HEAD) - 1, HEAD);
    ucpo_bytes_free(bytes);
    if (code) cloud_free(out);
    return code;
}

void cloud_free(ucpo_cloud *cloud)
{
    free((double *)cloud->cost);
    free((double *)cloud->violation);
    *cloud = (ucpo_cloud){0};
}
