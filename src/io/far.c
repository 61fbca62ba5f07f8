/* A place far off all others: swapped columns, a missing coordinate read as 0, a wrong sign. */
#include "io/far.h"

#include "problem/problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define FAR_TIMES    30.0  /* the middle distance of places from their middle */
#define FAR_KM       500.0 /* with degrees: and this far, which few vehicles drive in a day */
#define FEW_OF       10    /* at most one place in so many: else the instance is just spread out */
#define NEAR_ENOUGH  3.0 /* of the middle distance: swapped coordinates would be among the others */
#define LEAST_PLACES 3

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *values, size_t n, double *room)
{
    for (size_t i = 0; i < n; i++) room[i] = values[i];
    qsort(room, n, sizeof *room, compare);
    return room[n / 2];
}

/* From the middle of all places, in the instance's lengths (of degrees kilometres), without rounding. */
static double off(const ucpo_instance_data *d, double x, double y, double mid_x, double mid_y)
{
    double px[] = {x, mid_x}, py[] = {y, mid_y};
    if (d->metric != UCPO_METRIC_HAVERSINE) return hypot(x - mid_x, y - mid_y);
    ucpo_instance_data pair = {.n = 2, .x = px, .y = py, .metric = UCPO_METRIC_HAVERSINE};
    return geometry_length(&pair, 0, 1);
}

struct far_place {
    int32_t node;
    size_t count;
    double off, middle, mid_x, mid_y;
};

static int find(const ucpo_instance_data *d, double *work, struct far_place *out)
{
    size_t n = (size_t)d->n;
    double *from = work, *room = work + n;
    struct far_place far = {.mid_x = median(d->x, n, room), .mid_y = median(d->y, n, room)};
    for (size_t i = 0; i < n; i++) from[i] = off(d, d->x[i], d->y[i], far.mid_x, far.mid_y);
    far.middle = median(from, n, room);
    double limit = FAR_TIMES * far.middle;
    if (d->metric == UCPO_METRIC_HAVERSINE) limit = fmax(limit, FAR_KM);
    if (d->metric != UCPO_METRIC_HAVERSINE && far.middle <= 0.0)
        return 0; /* all but few at one place */
    for (size_t i = 0; i < n; i++) {
        if (!(from[i] > limit)) continue;
        far.count++;
        if (from[i] <= far.off) continue;
        far.off = from[i];
        far.node = (int32_t)i;
    }
    *out = far;
    return far.count > 0 && far.count <= (n > FEW_OF ? n / FEW_OF : 1);
}

/* What may have happened. */
static const char *guess(const ucpo_instance_data *d, const struct far_place *far)
{
    double x = d->x[far->node], y = d->y[far->node];
    double near = NEAR_ENOUGH * fmax(far->middle, far->off / 100.0);
    if (x == 0.0 && y == 0.0) return ": is a coordinate missing there?";
    int may_swap = d->metric != UCPO_METRIC_HAVERSINE || fabs(y) <= 90.0;
    if (may_swap && off(d, y, x, far->mid_x, far->mid_y) <= near)
        return d->metric == UCPO_METRIC_HAVERSINE ? ": are latitude and longitude swapped there?"
                                                  : ": are its coordinates swapped?";
    if (off(d, -x, y, far->mid_x, far->mid_y) <= near ||
        off(d, x, -y, far->mid_x, far->mid_y) <= near)
        return ": is a sign wrong there?";
    return "";
}

ucpo_status io_warn_about_far_places(const struct io_source *source, const ucpo_instance *inst,
                                     ucpo_error *err)
{
    const ucpo_instance_data *d = ucpo_instance_view(inst);
    int is_flat = d->metric != UCPO_METRIC_GEO && d->metric != UCPO_METRIC_ATT;
    if (!d->x || !is_flat || d->n < LEAST_PLACES) return UCPO_OK;
    double *work = mem_zeroed(2 * (size_t)d->n, sizeof *work);
    if (!work) return status_no_memory(err, 2 * (size_t)d->n * sizeof *work);
    struct far_place far;
    char id[160] = "", others[64] = "", label[160] = "";
    if (find(d, work, &far)) {
        if (d->id) snprintf(id, sizeof id, " (%.60s)", d->id[far.node]);
        if (d->label && d->label[far.node][0])
            snprintf(label, sizeof label, " '%.60s'", d->label[far.node]);
        if (far.count > 1)
            snprintf(others, sizeof others, ", and %zu more are as far off", far.count - 1);
        io_warn(source, 0, "%s %d%s%s lies at %.6g, %.6g, %.4g%s from the middle of all places%s%s",
                far.node == 0 ? "the depot, node" : "node", (int)far.node, id, label,
                d->x[far.node], d->y[far.node], far.off,
                d->metric == UCPO_METRIC_HAVERSINE ? " km" : "", others, guess(d, &far));
    }
    free(work);
    return UCPO_OK;
}
