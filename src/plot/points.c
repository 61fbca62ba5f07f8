/* Curves: taken from a run, smoothed, thinned out. */
#include "plot/plot.h"

#include <math.h>
#include <stdlib.h>

ucpo_status plot_points_take(const struct plot_run *run, enum plot_kind kind, enum plot_column x,
                             enum plot_column y, double factor, struct plot_points *out,
                             ucpo_error *err)
{
    size_t room = run->count ? run->count : 1;
    struct plot_points points = {mem_zeroed(room, sizeof(double)), mem_zeroed(room, sizeof(double)),
                                 0};
    if (!points.x || !points.y) {
        plot_points_free(&points);
        return status_no_memory(err, room * sizeof(double));
    }
    for (size_t i = 0; i < run->count; i++) {
        const struct plot_row *row = &run->rows[i];
        if (row->kind != kind || isnan(row->cell[x]) || isnan(row->cell[y])) continue;
        points.x[points.count] = row->cell[x];
        points.y[points.count++] = factor * row->cell[y];
    }
    *out = points;
    return UCPO_OK;
}

void plot_points_free(struct plot_points *points)
{
    free(points->x);
    free(points->y);
    *points = (struct plot_points){0};
}

/* First point of group g of `groups`. */
static size_t group_begin(const struct plot_points *points, size_t groups, size_t g)
{
    return (size_t)((double)points->count * (double)g / (double)groups);
}

void plot_points_mean(struct plot_points *points, size_t most)
{
    if (points->count <= most) return;
    for (size_t g = 0; g < most; g++) {
        size_t begin = group_begin(points, most, g), end = group_begin(points, most, g + 1);
        double x = 0.0, y = 0.0;
        for (size_t i = begin; i < end; i++) x += points->x[i], y += points->y[i];
        points->x[g] = x / (double)(end - begin);
        points->y[g] = y / (double)(end - begin);
    }
    points->count = most;
}

static void move_point(struct plot_points *points, size_t to, size_t from)
{
    points->x[to] = points->x[from];
    points->y[to] = points->y[from];
}

void plot_points_outline(struct plot_points *points, size_t most)
{
    size_t groups = most / 2, kept = 0;
    if (points->count <= most || groups == 0) return;
    for (size_t g = 0; g < groups; g++) {
        size_t begin = group_begin(points, groups, g), end = group_begin(points, groups, g + 1);
        size_t low = begin, high = begin;
        for (size_t i = begin; i < end; i++) {
            if (points->y[i] < points->y[low]) low = i;
            if (points->y[i] > points->y[high]) high = i;
        }
        size_t first = low < high ? low : high, second = low < high ? high : low;
        move_point(points, kept++, first);  /* never ahead of what is still to be read: */
        move_point(points, kept++, second); /* a group has at least two points */
    }
    points->count = kept;
}

void plot_points_pick(struct plot_points *points, size_t most)
{
    if (points->count <= most || most == 0) return;
    for (size_t g = 0; g < most; g++) move_point(points, g, group_begin(points, most, g + 1) - 1);
    points->count = most;
}

enum { FEW = 30, WORKING = 2000 }; /* not smoothed below; means of groups above */

int plot_points_smooth(struct plot_points *points, size_t most)
{
    if (points->count < FEW) return 0;
    plot_points_mean(points, WORKING);
    size_t count = points->count, half = count / 120 + 1;
    double *smooth = mem_zeroed(count, sizeof *smooth);
    for (size_t i = 0; smooth && i < count; i++) {
        size_t begin = i < half ? 0 : i - half, end = i + half < count ? i + half + 1 : count;
        double sum = 0.0;
        for (size_t k = begin; k < end; k++) sum += points->y[k];
        smooth[i] = sum / (double)(end - begin);
    }
    if (smooth) { /* without memory for it: rougher, but a picture */
        free(points->y);
        points->y = smooth;
    }
    plot_points_mean(points, most);
    return 1;
}
