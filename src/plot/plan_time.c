/* The timeline: a row per vehicle, in it a lane per stop from top to bottom. The vehicle comes
 * down like on a staircase; a lane shows the window, waiting, service and lateness. */
#include "plot/plan.h"

#include <math.h>
#include <stdio.h>

enum {
    HEAD = 26,   /* title and keys */
    FOOT = 38,   /* axis */
    LABELS = 76, /* to the left of the lanes */
    GAP = 12,    /* between vehicles */
    NOTE_HEIGHT = 60
};

/* Lanes are as high as the number of stops allows. */
static double lane_height(const struct plot_plan *plan)
{
    return fmin(fmax(680.0 / (double)(plan->count + 1), 1.6), 18.0);
}

static double gap_height(const struct plot_plan *plan)
{
    return plan->route_count > 40 ? 4.0 : GAP;
}

static double lanes_height(const struct plot_plan *plan)
{
    double gaps = plan->route_count > 1 ? (double)(plan->route_count - 1) : 0.0;
    return lane_height(plan) * (double)plan->count + gap_height(plan) * gaps;
}

static int has_lanes(const struct plot_plan *plan)
{
    return plan->data->due && plan->count > 0;
}

double plot_time_height(const struct plot_plan *plan)
{
    return HEAD + (has_lanes(plan) ? lanes_height(plan) + FOOT : NOTE_HEIGHT);
}

struct timeline {
    const struct plot_plan *plan;
    struct plot_box area; /* of the lanes */
    double lane, height;
    struct plot_axis axis;
};

static double pixel_of(const struct timeline *t, double time)
{
    double part = (time - t->axis.low) / (t->axis.high - t->axis.low);
    return t->area.left + t->area.width * fmin(fmax(part, 0.0), 1.0);
}

/* Ticks at whole hours, or parts of one that people know. */
static struct plot_axis clock_axis(double clock, double low, double high)
{
    static const double seconds[] = {60,   300,   600,   900,   1800, 3600,
                                     7200, 10800, 21600, 43200, 86400};
    size_t k = 0;
    while (k < 10 && (high - low) * clock / seconds[k] > 10.0) k++;
    double unit = seconds[k] / clock;
    while ((high - low) / unit > 10.0) unit *= 2.0;
    return (struct plot_axis){.low = low,
                              .high = high > low ? high : low + unit,
                              .unit = unit,
                              .step = 1,
                              .first = (long)ceil(low / unit),
                              .last = (long)floor(high / unit),
                              .suffix = ""};
}

/* From the first departure to the last return; windows that end later may add a quarter. */
static struct plot_axis fit_axis(const struct plot_plan *plan)
{
    double low = plan->data->ready[0], high = low, due = low;
    for (size_t i = 0; i < plan->count; i++) {
        const ucpo_stop *stop = &plan->stops[i];
        if (stop->is_unknown) continue;
        high = fmax(high, stop->leave);
        if (isfinite(plan->data->due[stop->node])) due = fmax(due, plan->data->due[stop->node]);
    }
    high = fmax(high, fmin(due, high + 0.25 * (high - low)));
    return plan->data->clock > 0.0 ? clock_axis(plan->data->clock, low, high)
                                   : plot_axis_fit(low, high, 8, 0);
}

/* ---- frame ---- */

static void draw_axis(struct io_buffer *out, const struct timeline *t)
{
    char label[64];
    double bottom = t->area.top + t->height;
    for (long k = t->axis.first; k <= t->axis.last; k++) {
        double x = floor(pixel_of(t, plot_axis_tick(&t->axis, k))) + 0.5;
        plot_svg_line(out, "grid", x, t->area.top - 2.0, x, bottom + 5.0);
        if (!ucpo_clock_text(t->plan->inst, plot_axis_tick(&t->axis, k), 0, label, sizeof label)[0])
            plot_axis_label(&t->axis, k, label, sizeof label);
        plot_svg_text(out, x, bottom + 18.0, PLOT_MIDDLE, "muted", label);
    }
    plot_svg_line(out, "axis", t->area.left, floor(bottom + 2.0) + 0.5,
                  t->area.left + t->area.width, floor(bottom + 2.0) + 0.5);
    plot_svg_text(out, t->area.left + t->area.width, bottom + 32.0, PLOT_END, "muted", "time");
    double closing = t->plan->data->due[0];
    if (closing > t->axis.low && closing < t->axis.high) {
        double x = floor(pixel_of(t, closing)) + 0.5;
        plot_svg_line(out, "closing", x, t->area.top - 2.0, x, bottom + 2.0);
        plot_svg_text(out, x, bottom + 32.0, PLOT_MIDDLE, "muted", "depot closes");
    }
}

static double put_key(struct io_buffer *out, double x, double y, const char *look, const char *text)
{
    plot_rect(out, look, x, y - 8.0, 18.0, 8.0);
    plot_svg_text(out, x + 23.0, y, PLOT_START, "muted", text);
    return x + 35.0 + plot_text_width(text, 11.0);
}

static void draw_keys(struct io_buffer *out, double x, double y)
{
    io_printf(out, "<g class=\"v6 keys\">\n");
    x = put_key(out, x, y, "window", "window");
    plot_svg_line(out, "travel", x, y - 4.0, x + 18.0, y - 4.0);
    plot_svg_text(out, x + 23.0, y, PLOT_START, "muted", "travel");
    x += 35.0 + plot_text_width("travel", 11.0);
    io_printf(out, "<path class=\"waiting\" stroke-width=\"7\" d=\"");
    plot_svg_pair(out, "M", x, y - 4.0);
    io_printf(out, "h18\"/>\n");
    plot_svg_text(out, x + 23.0, y, PLOT_START, "muted", "waiting");
    x += 35.0 + plot_text_width("waiting", 11.0);
    x = put_key(out, x, y, "service", "service");
    (void)put_key(out, x, y, "late", "late");
    io_printf(out, "</g>\n");
}

/* ---- lanes ---- */

static void draw_bars(struct io_buffer *out, const struct timeline *t, size_t stop, double top)
{
    const ucpo_stop *s = &t->plan->stops[stop];
    const ucpo_instance_data *d = t->plan->data;
    double thick = t->lane >= 4.0 ? 0.7 * t->lane : t->lane, y = top + (t->lane - thick) / 2.0;
    double middle = top + t->lane / 2.0;
    double ready = pixel_of(t, d->ready[s->node]), due = pixel_of(t, d->due[s->node]);
    double arrive = pixel_of(t, s->arrive), start = pixel_of(t, s->start);
    double leave = pixel_of(t, s->leave);
    if (s->node != 0) plot_rect(out, "window", ready, y, fmax(due - ready, 1.0), thick);
    if (start - arrive >= 0.5) {
        io_printf(out, "<path class=\"waiting\"");
        plot_svg_attribute(out, "stroke-width", 0.75 * thick);
        io_printf(out, " d=\"");
        plot_svg_pair(out, "M", arrive, middle);
        plot_svg_pair(out, "L", start, middle);
        io_printf(out, "\"/>\n");
    }
    double width = fmax(leave - start, t->lane >= 4.0 ? 2.5 : 1.5);
    if (s->node == 0) {
        double half = fmin(fmax(0.3 * t->lane, 1.2), 4.0);
        plot_rect(out, "home", start - half, middle - half, 2.0 * half, 2.0 * half);
    } else
        plot_rect(out, "service", start, y, width, thick);
    if (s->late > 0.0) {
        plot_rect(out, "late", due, y, fmax(start - due, 2.0), thick);
        plot_diamond(out, "bad", start, middle, fmin(fmax(0.45 * t->lane, 3.0), 6.0));
    } else if (plot_stop_is_violated(t->plan, stop))
        plot_diamond(out, "bad", start, middle, fmin(fmax(0.45 * t->lane, 3.0), 6.0));
}

/* The way from lane to lane, one path per vehicle. */
static void draw_travel(struct io_buffer *out, const struct timeline *t, struct plot_route route,
                        double top)
{
    double leave = t->plan->data->ready[0], from = top;
    if (t->plan->is_terse) return;
    io_printf(out, "<path class=\"travel\" d=\"");
    for (size_t i = route.first; i < route.end; i++, top += t->lane) {
        const ucpo_stop *stop = &t->plan->stops[i];
        if (stop->is_unknown) continue;
        plot_svg_pair(out, "M", pixel_of(t, leave), from);
        plot_svg_pair(out, "L", pixel_of(t, stop->arrive), top + t->lane / 2.0);
        leave = stop->leave;
        from = top + t->lane / 2.0;
    }
    io_printf(out, "\"/>\n");
}

/* All stops of a vehicle as one path per kind of bar, for pages with thousands of them. */
static void draw_terse_lanes(struct io_buffer *out, const struct timeline *t,
                             struct plot_route route, double top)
{
    static const char *const looks[] = {"window", "waiting", "service", "late"};
    const ucpo_instance_data *d = t->plan->data;
    for (int kind = 0; kind < 4; kind++) {
        int is_open = 0;
        for (size_t i = route.first; i < route.end; i++) {
            const ucpo_stop *s = &t->plan->stops[i];
            if (s->is_unknown || s->node == 0) continue;
            const double from[] = {d->ready[s->node], s->arrive, s->start, d->due[s->node]};
            const double to[] = {d->due[s->node], s->start, s->leave, s->start};
            double x = pixel_of(t, from[kind]), width = pixel_of(t, to[kind]) - x;
            if ((kind == 1 && width < 0.5) || (kind == 3 && s->late <= 0.0)) continue;
            if (!is_open) {
                io_printf(out, "<path class=\"bar %s\"", looks[kind]);
                plot_svg_attribute(out, "stroke-width", t->lane);
                io_printf(out, " d=\"");
                is_open = 1;
            }
            plot_svg_pair(out, "M", x, top + t->lane * ((double)(i - route.first) + 0.5));
            io_put(out, "h", 1);
            plot_svg_number(out, fmax(width, 1.0));
        }
        if (is_open) io_printf(out, "\"/>\n");
    }
}

/* Every k-th number, so that they do not touch. */
static int wants_number(const struct timeline *t, size_t stop)
{
    int every = (int)ceil(11.0 / t->lane);
    static const int steps[] = {1, 2, 5, 10, 20, 50};
    size_t k = 0;
    while (k < 5 && steps[k] < every) k++;
    return t->plan->number[stop] % steps[k] == 0 && !plot_stop_is_return(t->plan, stop);
}

static void draw_lane(struct io_buffer *out, const struct timeline *t, size_t stop, double top)
{
    char text[16];
    plot_stop_open(out, t->plan, stop, "lane");
    plot_rect(out, "hit", t->area.left - 26.0, top, t->area.width + 26.0, t->lane);
    if (!t->plan->stops[stop].is_unknown) draw_bars(out, t, stop, top);
    if (wants_number(t, stop)) {
        snprintf(text, sizeof text, "%d", (int)t->plan->number[stop]);
        plot_svg_text(out, t->area.left - 6.0, top + t->lane / 2.0 + 3.6, PLOT_END, "small", text);
    }
    io_printf(out, "</g>\n");
}

static void draw_vehicle(struct io_buffer *out, const struct timeline *t, size_t index, double top)
{
    char text[32], class[16];
    const struct plot_plan *plan = t->plan;
    struct plot_route route = plan->routes[index];
    double height = t->lane * (double)(route.end - route.first);
    int vehicle = (int)plan->stops[route.first].route;
    io_printf(out, "<g class=\"row %s\" data-v=\"%d\">\n", plot_vehicle_class(index, class),
              vehicle);
    plot_rect(out, "rail", t->area.left - LABELS + 4.0, top, 3.0, height);
    snprintf(text, sizeof text, "V%d", vehicle);
    if (height + gap_height(plan) >= 12.0)
        plot_svg_text(out, t->area.left - LABELS + 12.0,
                      top + fmin(fmax(height / 2.0 + 4.0, 8.0), 13.0), PLOT_START, "strong", text);
    draw_travel(out, t, route, top);
    if (plan->is_terse) draw_terse_lanes(out, t, route, top);
    for (size_t i = route.first; i < route.end && !plan->is_terse; i++, top += t->lane)
        draw_lane(out, t, i, top);
    io_printf(out, "</g>\n");
}

void plot_time_draw(struct io_buffer *out, const struct plot_plan *plan, struct plot_box box)
{
    plot_svg_text(out, box.left, box.top + 12.0, PLOT_START, "title", "timeline");
    if (!has_lanes(plan)) {
        struct plot_box place = {box.left, box.top + HEAD - 4.0, box.width};
        plot_note(out, place, NOTE_HEIGHT - 8.0,
                  plan->data->due ? "no stop, no timeline"
                                  : "no timeline: there are no time windows");
        return;
    }
    struct timeline t = {.plan = plan,
                         .area = {box.left + LABELS, box.top + HEAD, box.width - LABELS - 8.0},
                         .lane = lane_height(plan),
                         .height = lanes_height(plan),
                         .axis = fit_axis(plan)};
    draw_keys(out, box.left + box.width - 376.0, box.top + 12.0);
    draw_axis(out, &t);
    double top = t.area.top;
    for (size_t r = 0; r < plan->route_count; r++) {
        draw_vehicle(out, &t, r, top);
        top += t.lane * (double)(plan->routes[r].end - plan->routes[r].first) + gap_height(plan);
    }
}
