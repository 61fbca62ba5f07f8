/* A panel: title and keys, y axis with grid, x axis, curves. */
#include "plot/plot.h"

#include <math.h>
#include <stdlib.h>

ucpo_status plot_panel_add(struct plot_panel *panel, struct plot_points *points,
                           enum plot_stroke stroke, int colour, ucpo_error *err)
{
    struct plot_curve curve = {*points, stroke, colour};
    ucpo_status st =
        mem_append(&panel->curves, &panel->count, &panel->room, &curve, sizeof curve, err);
    if (st) plot_points_free(points);
    *points = (struct plot_points){0};
    return st;
}

void plot_panel_free(struct plot_panel *panel)
{
    for (size_t i = 0; i < panel->count; i++) plot_points_free(&panel->curves[i].points);
    free(panel->curves);
    panel->curves = NULL;
    panel->count = panel->room = 0;
}

/* Smallest and largest value that must be seen: raw noise need not be. 0: there is nothing. */
static int find_range(const struct plot_panel *panel, double *low, double *high)
{
    *low = HUGE_VAL;
    *high = -HUGE_VAL;
    for (size_t c = 0; c < panel->count; c++) {
        const struct plot_curve *curve = &panel->curves[c];
        for (size_t i = 0; curve->stroke != PLOT_RAW && i < curve->points.count; i++) {
            *low = fmin(*low, curve->points.y[i]);
            *high = fmax(*high, curve->points.y[i]);
        }
    }
    return *low <= *high;
}

/* Points become pixels, the origin at the top left corner of the plot area. */
static void place_curves(struct plot_panel *panel, const struct plot_axis *y)
{
    const struct plot_axis *x = panel->x;
    for (size_t c = 0; c < panel->count; c++) {
        struct plot_points *points = &panel->curves[c].points;
        for (size_t i = 0; i < points->count; i++) {
            points->x[i] = panel->width * (points->x[i] - x->low) / (x->high - x->low);
            points->y[i] = panel->height * (y->high - points->y[i]) / (y->high - y->low);
        }
    }
}

static void draw_y_axis(struct io_buffer *out, const struct plot_panel *panel,
                        const struct plot_axis *y)
{
    char label[64];
    for (long k = y->first; k <= y->last; k++) {
        double at =
            panel->top + panel->height * (y->high - plot_axis_tick(y, k)) / (y->high - y->low);
        at = floor(at) + 0.5;
        plot_svg_line(out, "grid", panel->left, at, panel->left + panel->width, at);
        plot_svg_text(out, panel->left - 7.0, at + 4.0, PLOT_END, "muted",
                      plot_axis_label(y, k, label, sizeof label));
    }
}

static void draw_x_axis(struct io_buffer *out, const struct plot_panel *panel)
{
    char label[64];
    const struct plot_axis *x = panel->x;
    double bottom = floor(panel->top + panel->height) + 0.5, right = panel->left + panel->width;
    plot_svg_line(out, "axis", panel->left, bottom, right, bottom);
    for (long k = x->first; k <= x->last; k++) {
        double at =
            panel->left + panel->width * (plot_axis_tick(x, k) - x->low) / (x->high - x->low);
        at = floor(at) + 0.5;
        plot_svg_line(out, "axis", at, bottom, at, bottom + 4.0);
        if (!panel->hides_x_labels)
            plot_svg_text(out, at, bottom + 17.0, PLOT_MIDDLE, "muted",
                          plot_axis_label(x, k, label, sizeof label));
    }
    if (panel->x_title) plot_svg_text(out, right, bottom + 33.0, PLOT_END, "muted", panel->x_title);
}

enum {
    BLEED = 4, /* pixels around the plot area that lines may use */
    TITLE = 15 /* from the title down to the plot area */
};

/* Inside a window of its own, so that noise does not leave the panel; dots always lie inside. */
static void draw_curves(struct io_buffer *out, const struct plot_panel *panel)
{
    double width = panel->width + 2 * BLEED, height = panel->height + 2 * BLEED;
    const double numbers[] = {panel->left - BLEED, panel->top - BLEED, width, height};
    static const char *const names[] = {"x", "y", "width", "height"};
    io_printf(out, "<svg");
    for (size_t i = 0; i < 4; i++) {
        io_printf(out, " %s=\"", names[i]);
        plot_svg_number(out, numbers[i]);
        io_put(out, "\"", 1);
    }
    io_printf(out, " viewBox=\"-%d -%d ", BLEED, BLEED);
    plot_svg_number(out, width);
    io_put(out, " ", 1);
    plot_svg_number(out, height);
    io_printf(out, "\">\n");
    for (int raw = 1; raw >= 0; raw--)
        for (size_t c = 0; c < panel->count; c++) {
            const struct plot_curve *curve = &panel->curves[c];
            if ((curve->stroke == PLOT_RAW) == raw)
                plot_svg_curve(out, &curve->points, curve->stroke, curve->colour);
        }
    for (size_t c = 0; c < panel->count; c++)
        plot_svg_dots(out, &panel->curves[c].points, panel->curves[c].stroke,
                      panel->curves[c].colour);
    io_printf(out, "</svg>\n");
}

static void draw_keys(struct io_buffer *out, const struct plot_panel *panel)
{
    double at = panel->left + panel->width + 16.0, base = panel->top - TITLE;
    for (size_t i = 0; i < PLOT_KEYS && panel->keys[i].label; i++)
        at -= plot_svg_key_width(panel->keys[i].label);
    for (size_t i = 0; i < PLOT_KEYS && panel->keys[i].label; i++) {
        plot_svg_key(out, at, base, &panel->keys[i]);
        at += plot_svg_key_width(panel->keys[i].label);
    }
}

void plot_panel_draw(struct io_buffer *out, struct plot_panel *panel)
{
    double low, high;
    plot_svg_text(out, panel->left - 36.0, panel->top - TITLE, PLOT_START, "title", panel->title);
    if (!find_range(panel, &low, &high)) {
        plot_svg_text(out, panel->left + panel->width / 2.0, panel->top + panel->height / 2.0,
                      PLOT_MIDDLE, "muted", "no values");
        draw_x_axis(out, panel);
        return;
    }
    struct plot_axis y = plot_axis_fit(low, high, panel->height > 120.0 ? 5 : 3, 1);
    y.suffix = panel->suffix;
    place_curves(panel, &y);
    draw_y_axis(out, panel, &y);
    draw_x_axis(out, panel);
    draw_curves(out, panel);
    draw_keys(out, panel);
}
