/* Curves of one training run, or of several side by side: which panels there are and what is in
 * them. */
#include "plot/plot.h"

#include "core/sized.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- sizes ---- */

enum {
    WIDTH = 880,
    LEFT = 58,        /* of the plot areas of the first column: room for labels */
    COLUMN = 438,     /* from one column to the next */
    AREA_WIDTH = 366, /* of a plot area */
    AREA_HEIGHT = 180,
    ROW = 250,         /* from one row of panels to the next */
    PANEL_HEAD = 38,   /* title above a plot area */
    KEY_ROW = 20,      /* of the legend */
    HALF_TOP = 78,     /* of two plot areas in the place of one: the upper, */
    HALF_BOTTOM = 60,  /* the lower */
    PICTURE_FOOT = 46, /* labels and title of the last x axis */
    MANY_POINTS = 360, /* of a smooth curve: one per pixel */
    MANY_RAW = 720,    /* of its raw values: two per pixel */
    MANY_DOTS = 120,
    NAME_SIZE = 160
};

enum { MOST_PANELS = 5 };

struct picture {
    struct plot_run *runs;
    char (*names)[NAME_SIZE];
    size_t count;
    enum plot_column x_column;
    struct plot_axis x;
    char x_title[32];
    struct plot_panel panels[MOST_PANELS];
    size_t panel_count;
    double top; /* of the first plot areas */
};

static int is_single(const struct picture *picture)
{
    return picture->count == 1;
}

static int has_values(const struct picture *picture, enum plot_column column)
{
    for (size_t r = 0; r < picture->count; r++)
        for (size_t i = 0; i < picture->runs[r].count; i++)
            if (!isnan(picture->runs[r].rows[i].cell[column])) return 1;
    return 0;
}

static int has_kind(const struct picture *picture, enum plot_kind kind)
{
    for (size_t r = 0; r < picture->count; r++)
        for (size_t i = 0; i < picture->runs[r].count; i++)
            if (picture->runs[r].rows[i].kind == kind) return 1;
    return 0;
}

/* ---- curves ---- */

/* What to draw of a run: a column, as what, in which colour. */
struct drawn {
    enum plot_column column;
    double factor;
    enum plot_stroke stroke;
    int colour;
};

static ucpo_status take(const struct picture *picture, size_t run, enum plot_kind kind,
                        const struct drawn *what, struct plot_points *out, ucpo_error *err)
{
    return plot_points_take(&picture->runs[run], kind, picture->x_column, what->column,
                            what->factor, out, err);
}

/* A line needs two points; one alone is a dot. */
static enum plot_stroke stroke_for(const struct drawn *what, const struct plot_points *points)
{
    if (points->count != 1 || what->stroke == PLOT_DOTS) return what->stroke;
    return what->stroke == PLOT_LINE ? PLOT_DOTS : PLOT_RINGS;
}

/* A training curve: smooth, with the raw one behind it if there is one run only. Validation: some dots. */
static ucpo_status add_curve(const struct picture *picture, struct plot_panel *panel, size_t run,
                             enum plot_kind kind, const struct drawn *what, ucpo_error *err)
{
    struct plot_points points = {0}, raw = {0};
    int is_smoothed = 0;
    ucpo_status st = take(picture, run, kind, what, &points, err);
    if (st) return st;
    if (kind == PLOT_TRAIN)
        is_smoothed = plot_points_smooth(&points, MANY_POINTS);
    else
        plot_points_pick(&points, MANY_DOTS);
    st = plot_panel_add(panel, &points, stroke_for(what, &points), what->colour, err);
    if (!st && is_smoothed && is_single(picture)) {
        st = take(picture, run, kind, what, &raw, err);
        if (st) return st;
        plot_points_outline(&raw, MANY_RAW);
        st = plot_panel_add(panel, &raw, PLOT_RAW, what->colour, err);
    }
    return st;
}

/* A column of training and of both validations, of all runs. */
static ucpo_status add_column(const struct picture *picture, struct plot_panel *panel,
                              enum plot_column column, double factor, ucpo_error *err)
{
    static const enum plot_stroke strokes[] = {PLOT_LINE, PLOT_DOTS, PLOT_RINGS};

    ucpo_status st = UCPO_OK;
    for (size_t r = 0; r < picture->count; r++)
        for (int k = 0; !st && k < PLOT_KIND_COUNT; k++) {
            struct drawn what = {column, factor, strokes[k], is_single(picture) ? k : (int)r};
            st = add_curve(picture, panel, r, (enum plot_kind)k, &what, err);
        }
    return st;
}

/* Greedy runs of one sample each: both rates are one, and one curve is enough. */
static int rates_differ(const struct plot_run *run, enum plot_kind kind)
{
    for (size_t i = 0; i < run->count; i++) {
        const double *cell = run->rows[i].cell;
        if (run->rows[i].kind == kind &&
            cell[PLOT_INFEASIBLE_SAMPLES] != cell[PLOT_INFEASIBLE_INSTANCES])
            return 1;
    }
    return 0;
}

/* The rate over samples of a single run, beside the one over instances. */
static ucpo_status add_samples(const struct picture *picture, struct plot_panel *panel,
                               ucpo_error *err)
{
    ucpo_status st = UCPO_OK;
    for (int k = 0; !st && k < PLOT_KIND_COUNT; k++) {
        struct drawn what = {PLOT_INFEASIBLE_SAMPLES, 100.0, PLOT_DASHED, k};
        if (!rates_differ(picture->runs, (enum plot_kind)k)) continue;
        st = add_curve(picture, panel, 0, (enum plot_kind)k, &what, err);
    }
    return st;
}

/* ---- panels ---- */

/* The next panel, in the next place of the grid. */
static struct plot_panel *next_panel(struct picture *picture, const char *title, const char *suffix)
{
    size_t place = picture->panel_count++, row = place / 2;
    struct plot_panel *panel = &picture->panels[place];
    *panel = (struct plot_panel){.title = title,
                                 .suffix = suffix,
                                 .left = LEFT + COLUMN * (double)(place % 2),
                                 .top = picture->top + ROW * (double)row,
                                 .width = AREA_WIDTH,
                                 .height = AREA_HEIGHT,
                                 .x = &picture->x};
    if (place >= 2) panel->x_title = picture->x_title;
    return panel;
}

static ucpo_status make_infeasible(struct picture *picture, ucpo_error *err)
{
    struct plot_panel *panel =
        next_panel(picture, is_single(picture) ? "infeasible" : "infeasible instances", "%");
    ucpo_status st = add_column(picture, panel, PLOT_INFEASIBLE_INSTANCES, 100.0, err);
    if (st || !is_single(picture)) return st;
    panel->keys[0] = (struct plot_key){PLOT_LINE, PLOT_NEUTRAL, "instances"};
    panel->keys[1] = (struct plot_key){PLOT_DASHED, PLOT_NEUTRAL, "samples"};
    return add_samples(picture, panel, err);
}

/* Three columns in three colours, with their names as keys. */
static ucpo_status add_terms(struct picture *picture, struct plot_panel *panel,
                             enum plot_column first, double factor, size_t first_key,
                             ucpo_error *err)
{
    static const char *const names[] = {"dual", "margin", "primal"};
    ucpo_status st = UCPO_OK;
    for (int t = 0; !st && t < 3; t++) {
        struct drawn what = {(enum plot_column)((int)first + t), factor, PLOT_LINE, 3 + t};
        panel->keys[first_key + (size_t)t] = (struct plot_key){PLOT_LINE, 3 + t, names[t]};
        st = add_curve(picture, panel, 0, PLOT_TRAIN, &what, err);
    }
    return st;
}

/* Losses that compare no pairs have neither terms nor shares: their columns are empty or zero. */
static int has_terms(const struct picture *picture)
{
    if (!is_single(picture)) return 0;
    const struct plot_run *run = &picture->runs[0];
    for (size_t i = 0; i < run->count; i++)
        for (int t = 0; t < 3; t++)
            if (run->rows[i].cell[PLOT_DUAL_SHARE + t] > 0.0) return 1;
    return 0;
}

static ucpo_status make_loss(struct picture *picture, ucpo_error *err)
{
    struct plot_panel *panel = next_panel(picture, "loss", "");
    struct drawn total = {PLOT_LOSS, 1.0, PLOT_LINE, PLOT_NEUTRAL};
    ucpo_status st = UCPO_OK;
    if (has_terms(picture)) {
        panel->keys[0] = (struct plot_key){PLOT_LINE, PLOT_NEUTRAL, "sum"};
        st = add_curve(picture, panel, 0, PLOT_TRAIN, &total, err);
        return st ? st : add_terms(picture, panel, PLOT_DUAL, 1.0, 1, err);
    }
    for (size_t r = 0; !st && r < picture->count; r++) {
        if (!is_single(picture)) total.colour = (int)r;
        st = add_curve(picture, panel, r, PLOT_TRAIN, &total, err);
    }
    return st;
}

/* The last two panels share the fourth place. */
static void stack_last_two(struct picture *picture)
{
    struct plot_panel *upper = &picture->panels[3], *lower = &picture->panels[4];
    lower->left = upper->left;
    lower->top = upper->top + AREA_HEIGHT - HALF_BOTTOM;
    lower->height = HALF_BOTTOM;
    upper->height = HALF_TOP;
    upper->hides_x_labels = 1;
    upper->x_title = NULL;
}

static ucpo_status make_panels(struct picture *picture, ucpo_error *err)
{
    int has_gap = has_values(picture, PLOT_GAP);
    ucpo_status st = make_infeasible(picture, err);
    if (!st && !is_single(picture) && !has_gap)
        st = add_column(picture, next_panel(picture, "infeasible samples", "%"),
                        PLOT_INFEASIBLE_SAMPLES, 100.0, err);
    if (!st)
        st = add_column(picture, next_panel(picture, "objective", ""), PLOT_OBJECTIVE, 1.0, err);
    if (!st && has_gap)
        st = add_column(picture, next_panel(picture, "gap", "%"), PLOT_GAP, 1.0, err);
    if (!st) st = make_loss(picture, err);
    if (!st && has_terms(picture))
        st = add_terms(picture, next_panel(picture, "share of instances", "%"), PLOT_DUAL_SHARE,
                       100.0, 0, err);
    if (!st && has_terms(picture) && has_gap) stack_last_two(picture);
    return st;
}

/* ---- the x axis ---- */

static ucpo_status fit_x(struct picture *picture, ucpo_error *err)
{
    double low = HUGE_VAL, high = -HUGE_VAL;
    int is_time = picture->x_column == PLOT_ELAPSED;
    for (size_t r = 0; r < picture->count; r++) {
        const struct plot_run *run = &picture->runs[r];
        size_t known = 0;
        for (size_t i = 0; i < run->count; i++) {
            double x = run->rows[i].cell[picture->x_column];
            known += !isnan(x);
            low = fmin(low, x); /* fmin and fmax pass over NaN */
            high = fmax(high, x);
        }
        if (known == 0)
            return status_format(err, run->name, 0,
                                 "metrics.csv has no value in column '%s', which is the x axis",
                                 is_time ? "elapsed" : "instances");
    }
    if (low == high) low = fmin(0.0, low);
    const char *unit = "";
    picture->x = is_time ? plot_axis_time(low, high, 5, &unit) : plot_axis_fit(low, high, 5, 0);
    snprintf(picture->x_title, sizeof picture->x_title, is_time ? "time (%s)" : "instances%s",
             unit);
    return UCPO_OK;
}

/* ---- names and the head of the picture ---- */

/* The last part of a path, without closing slashes; the whole path if `is_whole`. */
static void short_name(const char *path, int is_whole, char out[NAME_SIZE])
{
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/') end--;
    size_t begin = end;
    while (begin > 0 && path[begin - 1] != '/') begin--;
    if (is_whole || begin == end) begin = 0;
    if (end - begin >= NAME_SIZE) begin = end - (NAME_SIZE - 1); /* the end says most */
    snprintf(out, NAME_SIZE, "%.*s", (int)(end - begin), path + begin);
    if (strcmp(out, ".") == 0 || strcmp(out, "..") == 0) snprintf(out, NAME_SIZE, "training run");
}

/* Keeps the last `most` characters, after an ellipsis. */
static void cut_name(char name[NAME_SIZE], size_t most)
{
    char whole[NAME_SIZE];
    size_t length = strlen(name);
    if (length <= most) return;
    size_t begin = length - most;
    while ((name[begin] & 0xC0) == 0x80) begin++; /* not inside a character */
    memcpy(whole, name, NAME_SIZE);
    snprintf(name, NAME_SIZE, "\xE2\x80\xA6%.*s", NAME_SIZE - 4, whole + begin);
}

/* Short names; the whole paths where short ones would be the same. */
static void name_runs(struct picture *picture)
{
    int is_whole = 0;
    for (size_t r = 0; r < picture->count; r++) {
        short_name(picture->runs[r].name, 0, picture->names[r]);
        for (size_t other = 0; other < r; other++)
            if (strcmp(picture->names[r], picture->names[other]) == 0) is_whole = 1;
    }
    for (size_t r = 0; r < picture->count; r++) {
        if (is_whole) short_name(picture->runs[r].name, 1, picture->names[r]);
        cut_name(picture->names[r], is_single(picture) ? 80 : 44);
    }
}

/* 1,280,000 */
static void put_grouped(char *buf, size_t size, double value)
{
    char digits[40];
    snprintf(digits, sizeof digits, "%.0f", fmin(fmax(value, 0.0), 1e18));
    size_t length = strlen(digits), used = 0;
    for (size_t i = 0; i < length && used + 2 < size; i++) {
        if (i > 0 && (length - i) % 3 == 0) buf[used++] = ',';
        buf[used++] = digits[i];
    }
    buf[used] = '\0';
}

static void put_duration(char *buf, size_t size, double seconds)
{
    int64_t whole = (int64_t)fmin(fmax(seconds, 0.0), 1e12);
    if (whole < 120)
        snprintf(buf, size, "%" PRId64 " s", whole);
    else if (whole < 7200)
        snprintf(buf, size, "%" PRId64 " min", whole / 60);
    else
        snprintf(buf, size, "%" PRId64 " h %" PRId64 " min", whole / 3600, whole / 60 % 60);
}

static double largest(const struct plot_run *run, enum plot_column column)
{
    double high = NAN;
    for (size_t i = 0; i < run->count; i++) high = fmax(high, run->rows[i].cell[column]);
    return high;
}

/* The legend below the head; returns the height it took. Draws nothing if `out` is NULL. */
static double draw_keys(struct io_buffer *out, const struct plot_key *keys, size_t count,
                        double top)
{
    double x = LEFT - 36.0, y = top;
    for (size_t i = 0; i < count; i++) {
        double width = plot_svg_key_width(keys[i].label);
        int is_first_stroke = i > 0 && keys[i].colour == PLOT_NEUTRAL &&
                              keys[i - 1].colour != PLOT_NEUTRAL; /* below the names of runs */
        if (i > 0 && (is_first_stroke || x + width > WIDTH)) {
            x = LEFT - 36.0;
            y += KEY_ROW;
        }
        if (out) plot_svg_key(out, x, y, &keys[i]);
        x += width;
    }
    return y - top + (count ? KEY_ROW : 0);
}

/* Colours of the runs, then what the strokes mean. */
static size_t list_keys(const struct picture *picture,
                        struct plot_key keys[PLOT_COLOURS + PLOT_KIND_COUNT])
{
    static const char *const names[] = {"training", "validation, greedy", "validation, sampled"};

    static const enum plot_stroke strokes[] = {PLOT_LINE, PLOT_DOTS, PLOT_RINGS};

    size_t count = 0;
    for (size_t r = 0; !is_single(picture) && r < picture->count; r++)
        keys[count++] = (struct plot_key){PLOT_LINE, (int)r, picture->names[r]};
    for (int k = 0; k < PLOT_KIND_COUNT; k++)
        if (has_kind(picture, (enum plot_kind)k))
            keys[count++] =
                (struct plot_key){strokes[k], is_single(picture) ? k : PLOT_NEUTRAL, names[k]};
    return count;
}

static void draw_head(struct io_buffer *out, const struct picture *picture)
{
    char title[NAME_SIZE], about[128], instances[48], duration[64];
    double seconds = largest(picture->runs, PLOT_ELAPSED);
    double seen = largest(picture->runs, PLOT_INSTANCES);
    snprintf(title, sizeof title, "%zu training runs", picture->count);
    put_grouped(instances, sizeof instances, seen);
    put_duration(duration, sizeof duration, seconds);
    snprintf(about, sizeof about, "%s instances%s%s", instances, isnan(seconds) ? "" : " in ",
             isnan(seconds) ? "" : duration);
    plot_svg_text(out, LEFT - 36.0, 28.0, PLOT_START, "head",
                  is_single(picture) ? picture->names[0] : title);
    if (is_single(picture) && !isnan(seen))
        plot_svg_text(out, LEFT + COLUMN + AREA_WIDTH, 28.0, PLOT_END, "muted", about);
}

/* ---- the picture ---- */

static ucpo_status draw(struct picture *picture, struct io_buffer *out, ucpo_error *err)
{
    struct plot_key keys[PLOT_COLOURS + PLOT_KIND_COUNT];
    size_t key_count = list_keys(picture, keys);
    const double keys_top = 52.0;
    picture->top = keys_top + draw_keys(NULL, keys, key_count, keys_top) + PANEL_HEAD - 8.0;
    ucpo_status st = make_panels(picture, err);
    if (st) return st;
    plot_svg_open(out, WIDTH, picture->top + ROW + AREA_HEIGHT + PICTURE_FOOT, "training curves");
    draw_head(out, picture);
    draw_keys(out, keys, key_count, keys_top);
    for (size_t p = 0; p < picture->panel_count; p++) plot_panel_draw(out, &picture->panels[p]);
    plot_svg_close(out);
    return io_buffer_status(out, err);
}

static void picture_free(struct picture *picture)
{
    for (size_t p = 0; p < picture->panel_count; p++) plot_panel_free(&picture->panels[p]);
    for (size_t r = 0; picture->runs && r < picture->count; r++) plot_run_free(&picture->runs[r]);
    free(picture->runs);
    free(picture->names);
}

static ucpo_status check_arguments(const char *const *dirs, size_t count, ucpo_error *err)
{
    if (count < 1 || count > PLOT_COLOURS)
        return status_argument(err,
                               "%zu runs, expected 1 to %d: more cannot be told apart by colour",
                               count, PLOT_COLOURS);
    for (size_t r = 0; dirs && r < count; r++)
        if (!dirs[r] || !dirs[r][0]) return status_argument(err, "run %zu has no name", r);
    return dirs ? UCPO_OK : status_argument(err, "dirs must not be NULL");
}

static ucpo_status choose_x(const char *word, enum plot_column *column, ucpo_error *err)
{
    if (word && strcmp(word, "instances") != 0 && strcmp(word, "time") != 0)
        return status_argument(err, "x is '%s', expected 'instances' or 'time'", word);
    *column = word && strcmp(word, "time") == 0 ? PLOT_ELAPSED : PLOT_INSTANCES;
    return UCPO_OK;
}

void ucpo_plot_config_init(ucpo_plot_config *config, size_t size)
{
    ucpo_plot_config own = {.x = "instances"};
    sized_give(config, size, &own, sizeof own);
}

ucpo_status ucpo_plot_runs(const char *const *dirs, size_t count, const ucpo_plot_config *config,
                           char **bytes, size_t *size, ucpo_error *err)
{
    struct picture picture = {.count = count};
    struct io_buffer out = {0};
    if (!bytes || !size) return status_argument(err, "bytes and size must not be NULL");
    ucpo_plot_config own = ucpo_plot_config_default();
    ucpo_status st = sized_take(&own, sizeof own, config, "ucpo_plot_config", err);
    if (!st) st = check_arguments(dirs, count, err);
    if (!st) st = choose_x(own.x, &picture.x_column, err);
    if (st) return st;
    picture.runs = mem_zeroed(count, sizeof *picture.runs);
    picture.names = mem_zeroed(count, sizeof *picture.names);
    if (!picture.runs || !picture.names) st = status_no_memory(err, count * sizeof *picture.runs);
    for (size_t r = 0; !st && r < count; r++) st = plot_run_read(dirs[r], &picture.runs[r], err);
    if (!st) st = fit_x(&picture, err);
    if (!st) name_runs(&picture);
    if (!st) st = draw(&picture, &out, err);
    picture_free(&picture);
    return io_buffer_give(&out, st, bytes, size, err);
}
