/* The cloud of sampled tours: cost to the right, violation upwards. Feasible ones lie on the
 * bottom line, the best of them is marked. */
#include "plot/plan.h"

#include <math.h>
#include <stdio.h>

enum { HEAD = 26, AREA = 190, FOOT = 38, LEFT = 48, CELLS_X = 200, CELLS_Y = 60, BINS = 256 };

double plot_cloud_height(void)
{
    return HEAD + AREA + FOOT;
}

ucpo_status plot_cloud_check(const ucpo_cloud *cloud, ucpo_error *err)
{
    if (cloud->count == 0) return UCPO_OK;
    if (!cloud->cost || !cloud->violation)
        return status_argument(err, "cloud_count is %zu, but an array is NULL", cloud->count);
    for (size_t i = 0; i < cloud->count; i++)
        if (!isfinite(cloud->cost[i]) || !isfinite(cloud->violation[i]) || cloud->violation[i] < 0)
            return status_argument(
                err,
                "sample %zu of the cloud: cost and violation must be finite, the "
                "violation not negative",
                i);
    return UCPO_OK;
}

struct cloud_view {
    struct plot_axis x, y;
    double left, top, width;
};

/* A value that at least `share` of the numbers do not exceed, nearly the smallest such. Without memory:
 * counted into bins, which become finer while all that matters is in the first. */
static double quantile(const double *values, size_t count, double share, double low, double high)
{
    double edge = high;
    for (int round = 0; round < 40 && high > low; round++) {
        size_t bins[BINS] = {0}, sum = 0, k = 0;
        double step = (high - low) / BINS;
        for (size_t i = 0; i < count; i++)
            if (values[i] <= high) bins[(size_t)fmin((values[i] - low) / step, BINS - 1)]++;
        while (k + 1 < BINS && (double)(sum + bins[k]) < share * (double)count) sum += bins[k++];
        edge = low + step * (double)(k + 1);
        if (k > 3) break;
        high = edge;
    }
    return edge;
}

static double cloud_x(const struct cloud_view *v, double cost)
{
    return v->left + v->width * (cost - v->x.low) / (v->x.high - v->x.low);
}

static double cloud_y(const struct cloud_view *v, double violation)
{
    return v->top + AREA * (1.0 - violation / v->y.high);
}

static void draw_axes(struct io_buffer *out, const struct cloud_view *v)
{
    char label[64];
    double bottom = floor(v->top + AREA) + 0.5;
    for (long k = v->y.first; k <= v->y.last; k++) {
        double y = floor(cloud_y(v, plot_axis_tick(&v->y, k))) + 0.5;
        plot_svg_line(out, k == 0 ? "axis" : "grid", v->left, y, v->left + v->width, y);
        plot_svg_text(out, v->left - 7.0, y + 4.0, PLOT_END, "muted",
                      plot_axis_label(&v->y, k, label, sizeof label));
    }
    for (long k = v->x.first; k <= v->x.last; k++) {
        double x = floor(cloud_x(v, plot_axis_tick(&v->x, k))) + 0.5;
        plot_svg_line(out, "axis", x, bottom, x, bottom + 4.0);
        plot_svg_text(out, x, bottom + 17.0, PLOT_MIDDLE, "muted",
                      plot_axis_label(&v->x, k, label, sizeof label));
    }
    plot_svg_text(out, v->left + v->width, bottom + 32.0, PLOT_END, "muted", "cost");
}

/* One dot per cell of a fine grid: a million samples must not make a million dots. */
static void draw_dots(struct io_buffer *out, const ucpo_cloud *cloud, const struct cloud_view *v)
{
    uint8_t seen[CELLS_X * CELLS_Y] = {0};
    for (size_t i = 0; i < cloud->count; i++) {
        double x = fmax(fmin(cloud_x(v, cloud->cost[i]), v->left + v->width), v->left);
        double y = fmax(cloud_y(v, cloud->violation[i]), v->top);
        int is_feasible = cloud->violation[i] == 0.0;
        int column = (int)((CELLS_X - 1) * (x - v->left) / v->width);
        int row = is_feasible ? CELLS_Y - 1 : (int)((CELLS_Y - 2) * (y - v->top) / AREA);
        uint8_t *cell = &seen[row * CELLS_X + column];
        if (*cell) continue;
        *cell = 1;
        plot_circle(out, is_feasible ? "sample ok" : "sample not", x, y, 2.6);
    }
}

void plot_cloud_draw(struct io_buffer *out, const ucpo_cloud *cloud, struct plot_box box)
{
    double low = HUGE_VAL, high = -HUGE_VAL, worst = 0.0;
    size_t feasible = 0, best = cloud->count;
    for (size_t i = 0; i < cloud->count; i++) {
        low = fmin(low, cloud->cost[i]);
        high = fmax(high, cloud->cost[i]);
        worst = fmax(worst, cloud->violation[i]);
        if (cloud->violation[i] > 0.0) continue;
        feasible++;
        if (best == cloud->count || cloud->cost[i] < cloud->cost[best]) best = i;
    }
    /* A few wild plans must not press all others into a corner: they go to the edge. */
    double far = quantile(cloud->cost, cloud->count, 0.97, low, high);
    double bad = quantile(cloud->violation, cloud->count, 0.97, 0.0, worst);
    double near = quantile(cloud->cost, cloud->count, 0.01, low, far);
    if (best < cloud->count) near = fmin(near, cloud->cost[best]);
    if (high - far > 0.3 * (high - low)) high = far;
    if (near - low > 0.3 * (high - low)) low = near;
    if (bad < 0.7 * worst) worst = bad;
    struct cloud_view v = {.left = box.left + LEFT,
                           .top = box.top + HEAD,
                           .width = box.width - LEFT - 10.0,
                           .x = plot_axis_fit(low - 0.02 * (high - low), high, 6, 0),
                           .y = plot_axis_fit(0.0, worst > 0.0 ? worst : 1.0, 4, 1)};
    char text[128], cost[32], beyond[48] = "";
    size_t outside = 0;
    for (size_t i = 0; i < cloud->count; i++)
        outside +=
            cloud->cost[i] < v.x.low || cloud->cost[i] > v.x.high || cloud->violation[i] > v.y.high;
    if (outside > 0) snprintf(beyond, sizeof beyond, "; %zu beyond the edge", outside);
    snprintf(text, sizeof text, "%zu candidate%s, %zu feasible", cloud->count,
             cloud->count == 1 ? "" : "s", feasible);
    plot_svg_text(out, box.left, box.top + 12.0, PLOT_START, "title", text);
    snprintf(text, sizeof text, "violation upwards%s; on the bottom line: feasible", beyond);
    plot_svg_text(out, box.left + box.width - 10.0, box.top + 12.0, PLOT_END, "muted", text);
    draw_axes(out, &v);
    draw_dots(out, cloud, &v);
    if (best == cloud->count) return;
    double x = cloud_x(&v, cloud->cost[best]), y = cloud_y(&v, 0.0);
    plot_circle(out, "best", x, y, 6.5);
    snprintf(text, sizeof text, "best %s", plot_number(cloud->cost[best], 3, cost));
    int is_right = x < v.left + 0.75 * v.width;
    plot_svg_text(out, x + (is_right ? 4.0 : -4.0), y - 11.0, is_right ? PLOT_START : PLOT_END,
                  "strong halo", text);
}
