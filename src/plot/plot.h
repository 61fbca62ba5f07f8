/* Pictures: what all of them share, and training runs (metrics.csv in, one SVG out). Plans: plan.h. */
#ifndef UCPO_PLOT_PLOT_H
#define UCPO_PLOT_PLOT_H

#include "io/io.h"

/* ---- a run (metrics.c) ---- */

/* Columns that are drawn; the file has more. */
enum plot_column {
    PLOT_INSTANCES,
    PLOT_ELAPSED, /* seconds */
    PLOT_LOSS,
    PLOT_DUAL,
    PLOT_MARGIN,
    PLOT_PRIMAL,
    PLOT_DUAL_SHARE,
    PLOT_MARGIN_SHARE,
    PLOT_PRIMAL_SHARE,
    PLOT_INFEASIBLE_SAMPLES,
    PLOT_INFEASIBLE_INSTANCES,
    PLOT_OBJECTIVE,
    PLOT_GAP,
    PLOT_COLUMN_COUNT
};

enum plot_kind { PLOT_TRAIN, PLOT_GREEDY, PLOT_SAMPLED, PLOT_KIND_COUNT };

struct plot_row {
    enum plot_kind kind;
    double cell[PLOT_COLUMN_COUNT]; /* NaN: not applicable, or nothing that could be drawn */
};

struct plot_run {
    const char *name; /* of the directory, as given */
    struct plot_row *rows;
    size_t count;
};

/* Reads rows from the content of metrics.csv; `label` names it in messages. Columns are found by
 * name, unknown columns and kinds are skipped. A last line that is cut short is a run being
 * written and is skipped, too. */
ucpo_status plot_metrics_read(const char *bytes, size_t size, const char *label,
                              struct plot_run *run, ucpo_error *err);

/* The same from DIR/metrics.csv. A run without rows is an error. */
ucpo_status plot_run_read(const char *dir, struct plot_run *run, ucpo_error *err);
void plot_run_free(struct plot_run *run);

/* ---- points (points.c) ---- */

struct plot_points {
    double *x, *y;
    size_t count;
};

/* The finite values of a column in rows of one kind, times `factor`. */
ucpo_status plot_points_take(const struct plot_run *run, enum plot_kind kind, enum plot_column x,
                             enum plot_column y, double factor, struct plot_points *out,
                             ucpo_error *err);
void plot_points_free(struct plot_points *points);

/* Three ways to keep about `most` points, in place: means of groups; the extremes of each group,
 * which keep the outline of noise; or points evenly picked, always the last. */
void plot_points_mean(struct plot_points *points, size_t most);
void plot_points_outline(struct plot_points *points, size_t most);
void plot_points_pick(struct plot_points *points, size_t most);

/* Running mean over a sixtieth of the curve; few points stay as they are. At most `most` are kept.
 * Returns 1 if it changed anything. */
int plot_points_smooth(struct plot_points *points, size_t most);

/* ---- axes (axis.c) ---- */

struct plot_axis {
    double low, high;
    double unit;        /* of the ticks: a tick is at k x step x 10^exponent x unit */
    int step, exponent; /* step is 1, 2 or 5 */
    long first, last;   /* ticks k */
    int thousands;      /* labels count in 1000^thousands */
    const char *suffix; /* of every label */
};

/* An axis for values from low to high (both finite) with about `ticks` ticks. It begins at 0 if
 * `low` is not far from it, and ends on a tick if `is_rounded`. */
struct plot_axis plot_axis_fit(double low, double high, int ticks, int is_rounded);

/* Time in seconds, with ticks in s, min, h or d. */
struct plot_axis plot_axis_time(double low, double high, int ticks, const char **unit_name);

double plot_axis_tick(const struct plot_axis *axis, long k);

/* Label of tick k, the same under every locale: "0.25", "1.5M", "40%". Returns buf. */
const char *plot_axis_label(const struct plot_axis *axis, long k, char *buf, size_t size);

/* ---- drawing (svg.c): coordinates in pixels ---- */

enum plot_anchor { PLOT_START, PLOT_MIDDLE, PLOT_END };

enum plot_stroke {
    PLOT_RAW,    /* faint, behind everything */
    PLOT_LINE,   /* solid */
    PLOT_DASHED, /* broken */
    PLOT_DOTS,   /* thin line with filled dots */
    PLOT_RINGS   /* thin line with open dots */
};

enum { PLOT_COLOURS = 8, PLOT_NEUTRAL = 8 }; /* colours 0 .. 7 for data, and grey */

/* The element alone (`about` may be NULL), its style sheet alone, and both with a background. */
void plot_svg_begin(struct io_buffer *out, double width, double height, const char *title,
                    const char *about);
void plot_svg_style(struct io_buffer *out);
void plot_svg_open(struct io_buffer *out, double width, double height, const char *title);
void plot_svg_close(struct io_buffer *out);

/* A number of pixels, one decimal, the same under every locale. */
void plot_svg_number(struct io_buffer *out, double value);

/* name="value" with a blank before; a command of a path with its two numbers. */
void plot_svg_attribute(struct io_buffer *out, const char *name, double value);
void plot_svg_pair(struct io_buffer *out, const char *command, double x, double y);

/* XML and HTML: markup is escaped; hidden characters (core/text.h) are shown by name. */
void plot_svg_escape(struct io_buffer *out, const char *text);

/* Text is escaped; `look` is a class of the style sheet: "", "muted", "title", "head". */
void plot_svg_text(struct io_buffer *out, double x, double y, enum plot_anchor anchor,
                   const char *look, const char *text);
void plot_svg_line(struct io_buffer *out, const char *look, double x1, double y1, double x2,
                   double y2);

/* Points in pixels: the line alone, and the dots alone (strokes that have some). */
void plot_svg_curve(struct io_buffer *out, const struct plot_points *points,
                    enum plot_stroke stroke, int colour);
void plot_svg_dots(struct io_buffer *out, const struct plot_points *points, enum plot_stroke stroke,
                   int colour);

/* What a stroke means: a sample of it with a label behind. */
struct plot_key {
    enum plot_stroke stroke;
    int colour;
    const char *label;
};

void plot_svg_key(struct io_buffer *out, double x, double y, const struct plot_key *key);
double plot_svg_key_width(const char *label); /* with the space behind; estimated */

/* ---- one panel (panel.c) ---- */

struct plot_curve {
    struct plot_points points; /* in units of the axes */
    enum plot_stroke stroke;
    int colour;
};

enum { PLOT_KEYS = 4 };

struct plot_panel {
    const char *title, *suffix; /* suffix of the labels of the y axis */
    double left, top, width, height;
    const struct plot_axis *x;
    const char *x_title; /* NULL: none */
    int hides_x_labels;
    struct plot_curve *curves;
    size_t count, room;
    struct plot_key keys[PLOT_KEYS]; /* beside the title; unused ones have no label */
};

/* Takes over `points`, also on failure. */
ucpo_status plot_panel_add(struct plot_panel *panel, struct plot_points *points,
                           enum plot_stroke stroke, int colour, ucpo_error *err);

/* Draws once: the curves are turned into pixels in place. */
void plot_panel_draw(struct io_buffer *out, struct plot_panel *panel);
void plot_panel_free(struct plot_panel *panel);

#endif
