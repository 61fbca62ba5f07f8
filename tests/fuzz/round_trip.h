/* Shared by the fuzz targets of the text formats: whatever can be read must be writable, and what
 * was written must read back as the same instance. */
#ifndef UCPO_FUZZ_ROUND_TRIP_H
#define UCPO_FUZZ_ROUND_TRIP_H

#include "ucpo.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

static inline void require(int condition)
{
    if (!condition) __builtin_trap();
}

/* NULL stands for zeros. */
static inline int same_numbers(const double *a, const double *b, size_t count)
{
    for (size_t i = 0; (a || b) && i < count; i++)
        if ((a ? a[i] : 0.0) != (b ? b[i] : 0.0)) return 0;
    return 1;
}

static inline int same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static inline void require_same(const ucpo_instance_data *a, const ucpo_instance_data *b)
{
    size_t n = (size_t)a->n;
    require(strcmp(a->problem, b->problem) == 0);
    require(strcmp(a->name, b->name) == 0);
    require(a->n == b->n && !a->x == !b->x && !a->cost == !b->cost);
    require(same_numbers(a->x, b->x, n) && same_numbers(a->y, b->y, n));
    require(same_numbers(a->cost, b->cost, n * n));
    require(same_numbers(a->ready, b->ready, n) && same_numbers(a->due, b->due, n));
    require(same_numbers(a->service, b->service, n));
    require(same_numbers(a->demand, b->demand, n) && same_numbers(a->limit, b->limit, n));
    require(a->capacity == b->capacity && a->vehicles == b->vehicles);
    require(a->metric == b->metric && a->rounding == b->rounding && a->draft == b->draft);
    require(a->unit == b->unit && a->tolerance == b->tolerance);
    require(a->file->service_in_cost == b->file->service_in_cost &&
            a->file->depot == b->file->depot);
    require(same_number(a->best_known, b->best_known));
}

static inline int round_trip(const uint8_t *bytes, size_t size, const char *format, double capacity)
{
    ucpo_read_config options = ucpo_read_config_default();
    ucpo_error err;
    ucpo_dataset *set = NULL, *again = NULL;
    /* detection runs on the same bytes; which format it finds does not matter here */
    if (ucpo_read_bytes(bytes, size, "fuzz", &options, &set, &err) == UCPO_OK)
        ucpo_dataset_free(set);
    set = NULL;
    options.format = format;
    options.capacity = capacity;
    if (ucpo_read_bytes(bytes, size, "fuzz", &options, &set, &err) != UCPO_OK) {
        require(err.text[0] != '\0');
        return 0;
    }
    ucpo_write_config how = ucpo_write_config_default();
    how.format = format;
    char *text = NULL;
    size_t length = 0;
    require(ucpo_write_bytes(set, &how, &text, &length, &err) == UCPO_OK);
    const ucpo_instance_data *a = ucpo_instance_view(ucpo_dataset_at(set, 0));
    /* a fleet without limit has no place in the solomon format */
    if (strcmp(a->problem, "cvrptw") == 0) options.vehicles = -1;
    /* detection must find the format of what we write, unless a Solomon file's first line, the
     * name, looks like another format */
    if (a->name[0] == '\0' || isalnum((unsigned char)a->name[0])) options.format = NULL;
    require(ucpo_read_bytes(text, length, "written", &options, &again, &err) == UCPO_OK);
    require_same(a, ucpo_instance_view(ucpo_dataset_at(again, 0)));
    ucpo_bytes_free(text);
    ucpo_dataset_free(set);
    ucpo_dataset_free(again);
    return 0;
}

#endif
