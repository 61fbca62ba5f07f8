/* The map: routes with direction and order, the depot, what is violated or missing. Labels are put
 * down one by one, where nothing is yet; those that find no place are left out. */
#include "plot/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    INSET = 24, /* from the frame to the outermost stops */
    LEAST_HEIGHT = 200,
    MOST_HEIGHT = 600,
    NOTE_HEIGHT = 72,      /* instead of a map */
    BIG_STOPS = 90,        /* up to so many stops may hold their number inside */
    MANY_STOPS = 3000,     /* beyond, stops have no number */
    LEGS_WITH_LABELS = 600 /* up to so many stops labels keep off the legs */
};

/* Corner x, y and size, in pixels. */
struct area {
    double x0, y0, x1, y1;
};

struct map {
    const struct plot_plan *plan;
    struct plot_box box;
    double height;
    double low_x, high_y, scale, shift_x, shift_y;
    int is_swapped;    /* GEO and degrees: x is the latitude */
    double narrow;     /* a degree of longitude is that much shorter than one of latitude */
    struct area *legs; /* from x0, y0 to x1, y1 */
    size_t leg_count;
    double dot;         /* radius of a small stop */
    struct area *taken; /* dots, then labels */
    size_t taken_count, dot_count;
    uint8_t *is_big; /* stop -> holds its number inside */
};

/* ---- from coordinates to pixels ---- */

static double raw_x(const struct map *map, int32_t node)
{
    return map->is_swapped ? map->narrow * map->plan->data->y[node] : map->plan->data->x[node];
}

static double raw_y(const struct map *map, int32_t node)
{
    return map->is_swapped ? map->plan->data->x[node] : map->plan->data->y[node];
}

static double pixel_x(const struct map *map, int32_t node)
{
    return map->box.left + map->shift_x + map->scale * (raw_x(map, node) - map->low_x);
}

static double pixel_y(const struct map *map, int32_t node)
{
    return map->box.top + map->shift_y + map->scale * (map->high_y - raw_y(map, node));
}

/* Cosine of the latitude in the middle of the map. */
static double narrowing(const ucpo_instance_data *data)
{
    double low = data->x[0], high = data->x[0];
    for (int32_t i = 1; i < data->n; i++) {
        low = fmin(low, data->x[i]);
        high = fmax(high, data->x[i]);
    }
    return fmax(cos(0.5 * (low + high) * 0.017453292519943295), 0.01);
}

/* Scale and height for a width; the same in both directions. */
static struct map fit_map(const struct plot_plan *plan, struct plot_box box)
{
    struct map map = {.plan = plan, .box = box};
    map.is_swapped = (plan->data->metric == UCPO_METRIC_GEO && !plan->data->cost) ||
                     plan->data->metric == UCPO_METRIC_HAVERSINE;
    map.narrow = plan->data->metric == UCPO_METRIC_HAVERSINE ? narrowing(plan->data) : 1.0;
    double low_x = HUGE_VAL, high_x = -HUGE_VAL, low_y = HUGE_VAL, high_y = -HUGE_VAL;
    for (int32_t i = 0; i < plan->data->n; i++) {
        low_x = fmin(low_x, raw_x(&map, i));
        high_x = fmax(high_x, raw_x(&map, i));
        low_y = fmin(low_y, raw_y(&map, i));
        high_y = fmax(high_y, raw_y(&map, i));
    }
    double span_x = high_x - low_x, span_y = high_y - low_y;
    double inner = box.width - 2 * INSET, tall = MOST_HEIGHT - 2 * INSET;
    double scale_x = span_x > 0.0 ? inner / span_x : HUGE_VAL;
    double scale_y = span_y > 0.0 ? tall / span_y : HUGE_VAL;
    map.scale = fmin(scale_x, scale_y);
    if (!isfinite(map.scale)) map.scale = 1.0; /* all in one place */
    map.height = fmax(LEAST_HEIGHT, ceil(map.scale * span_y) + 2 * INSET);
    map.low_x = low_x;
    map.high_y = high_y;
    map.shift_x = (box.width - map.scale * span_x) / 2.0;
    map.shift_y = (map.height - map.scale * span_y) / 2.0;
    return map;
}

double plot_map_height(const struct plot_plan *plan, double width)
{
    struct plot_box box = {0, 0, width};
    return plan->data->x ? fit_map(plan, box).height : NOTE_HEIGHT;
}

/* ---- places for labels ---- */

static int is_free(const struct map *map, struct area a, size_t except)
{
    const struct plot_box *box = &map->box;
    if (a.x0 < box->left + 2.0 || a.x1 > box->left + box->width - 2.0) return 0;
    if (a.y0 < box->top + 2.0 || a.y1 > box->top + map->height - 2.0) return 0;
    for (size_t i = 0; i < map->taken_count; i++) {
        const struct area *b = &map->taken[i];
        if (i != except && a.x0 < b->x1 && b->x0 < a.x1 && a.y0 < b->y1 && b->y0 < a.y1) return 0;
    }
    return 1;
}

static struct area around(double x, double y, double half_x, double half_y)
{
    return (struct area){x - half_x, y - half_y, x + half_x, y + half_y};
}

/* Whether a leg runs through the area: both ends on one side of it mean no, else its line decides. */
static int is_crossed(const struct map *map, struct area a)
{
    for (size_t i = 0; i < map->leg_count; i++) {
        const struct area *l = &map->legs[i];
        if ((l->x0 < a.x0 && l->x1 < a.x0) || (l->x0 > a.x1 && l->x1 > a.x1)) continue;
        if ((l->y0 < a.y0 && l->y1 < a.y0) || (l->y0 > a.y1 && l->y1 > a.y1)) continue;
        double dx = l->x1 - l->x0, dy = l->y1 - l->y0;
        double corner[] = {
            dx * (a.y0 - l->y0) - dy * (a.x0 - l->x0), dx * (a.y0 - l->y0) - dy * (a.x1 - l->x0),
            dx * (a.y1 - l->y0) - dy * (a.x0 - l->x0), dx * (a.y1 - l->y0) - dy * (a.x1 - l->x0)};
        int above = 0;
        for (int k = 0; k < 4; k++) above += corner[k] > 0.0;
        if (above > 0 && above < 4) return 1;
    }
    return 0;
}

/* A label beside the dot at x, y: the first free place of eight. 0: there is none. */
static int place_label(struct map *map, double x, double y, double radius, double width,
                       double *out_x, double *out_y)
{
    static const double side[8][2] = {{1, -1}, {1, 1}, {-1, -1}, {-1, 1},
                                      {0, -1}, {1, 0}, {-1, 0},  {0, 1}};

    const double half_y = 5.5, half_x = width / 2.0;
    for (size_t trial = 0; trial < 16; trial++) { /* first where no leg would run through it */
        size_t k = trial % 8;
        double reach = side[k][0] != 0.0 && side[k][1] != 0.0 ? 0.75 : 1.0;
        double at_x = x + side[k][0] * (reach * radius + half_x + 1.0);
        double at_y = y + side[k][1] * (reach * radius + half_y);
        struct area area = around(at_x, at_y, half_x, half_y);
        if (!is_free(map, area, (size_t)-1)) continue;
        if (trial < 8 && is_crossed(map, area)) continue;
        map->taken[map->taken_count++] = area;
        *out_x = at_x;
        *out_y = at_y + 3.6;
        return 1;
    }
    return 0;
}

/* Visible stops: not the returns, not what is nowhere. */
static int is_drawn(const struct map *map, size_t stop)
{
    return !map->plan->stops[stop].is_unknown && !plot_stop_is_return(map->plan, stop);
}

/* Reserves the dots, then lets stops grow where there is room: violated ones first. */
static void place_stops(struct map *map)
{
    const struct plot_plan *plan = map->plan;
    for (size_t i = 0; i < plan->count; i++) {
        int32_t node = is_drawn(map, i) ? plan->stops[i].node : 0;
        map->taken[map->taken_count++] =
            around(pixel_x(map, node), pixel_y(map, node), map->dot + 1.0, map->dot + 1.0);
    }
    map->dot_count = map->taken_count;
    map->taken[map->taken_count++] = around(pixel_x(map, 0), pixel_y(map, 0), 9.0, 9.0);
    if (plan->count > BIG_STOPS || plan->names != PLOT_NAMES_ORDER) return;
    for (int violated = 1; violated >= 0; violated--)
        for (size_t i = 0; i < plan->count; i++) {
            if (!is_drawn(map, i) || plot_stop_is_violated(plan, i) != violated) continue;
            double half = violated ? 11.5 : 10.0;
            int32_t node = plan->stops[i].node;
            struct area area = around(pixel_x(map, node), pixel_y(map, node), half, half);
            if (!is_free(map, area, i)) continue;
            map->taken[i] = area;
            map->is_big[i] = 1;
        }
}

/* ---- legs ---- */

/* A triangle in the middle of a leg that is long enough, pointing along it. */
static void put_arrow(struct io_buffer *out, double x0, double y0, double x1, double y1,
                      double size)
{
    double dx = x1 - x0, dy = y1 - y0, length = hypot(dx, dy);
    if (length < 5.0 * size) return;
    dx /= length;
    dy /= length;
    double tip = 0.5 * length + size, tail = 0.5 * length - 0.8 * size, half = 0.75 * size;
    plot_svg_pair(out, "M", x0 + tip * dx, y0 + tip * dy);
    plot_svg_pair(out, "L", x0 + tail * dx - half * dy, y0 + tail * dy + half * dx);
    plot_svg_pair(out, " ", x0 + tail * dx + half * dy, y0 + tail * dy - half * dx);
    io_put(out, "z", 1);
}

/* Where the legs are, for the labels: of so many that nobody can read them none. */
static void note_legs(struct map *map)
{
    const struct plot_plan *plan = map->plan;
    int32_t at = 0;
    if (plan->count > LEGS_WITH_LABELS) return;
    for (size_t i = 0; i < plan->count; i++) {
        const ucpo_stop *stop = &plan->stops[i];
        if (i == 0 || stop->route != plan->stops[i - 1].route) at = 0;
        if (stop->is_unknown) continue;
        map->legs[map->leg_count++] = (struct area){
            pixel_x(map, at), pixel_y(map, at), pixel_x(map, stop->node), pixel_y(map, stop->node)};
        at = stop->node;
    }
}

/* The legs of a route; `what` 0: between customers, 1: from and to the depot, 2: arrows. */
static void put_legs(struct io_buffer *out, const struct map *map, struct plot_route route,
                     int what, double arrow)
{
    const struct plot_plan *plan = map->plan;
    int32_t at = 0;
    int is_fleet = plan->route_count > 1;
    for (size_t i = route.first; i < route.end; i++) {
        const ucpo_stop *stop = &plan->stops[i];
        if (stop->is_unknown) continue;
        double x0 = pixel_x(map, at), y0 = pixel_y(map, at);
        double x1 = pixel_x(map, stop->node), y1 = pixel_y(map, stop->node);
        int touches_depot = is_fleet && (at == 0 || stop->node == 0);
        if (what == 2) put_arrow(out, x0, y0, x1, y1, arrow);
        if (what == touches_depot) {
            plot_svg_pair(out, "M", x0, y0);
            plot_svg_pair(out, "L", x1, y1);
        }
        at = stop->node;
    }
}

static void draw_routes(struct io_buffer *out, const struct map *map)
{
    static const char *const looks[] = {"leg", "leg far", "arrow"};
    char class[16];
    const char *crowd = map->plan->count > 300 ? " many" : map->plan->count > 120 ? " some" : "";
    double arrow = map->plan->count > 300 ? 2.6 : map->plan->count > 100 ? 3.4 : 5.0;
    for (size_t r = 0; r < map->plan->route_count; r++) {
        struct plot_route route = map->plan->routes[r];
        io_printf(out, "<g class=\"route %s%s\" data-v=\"%d\">\n", plot_vehicle_class(r, class),
                  crowd, (int)map->plan->stops[route.first].route);
        for (int what = 0; what < (map->plan->is_terse ? 2 : 3);
             what++) { /* no arrows in a crowd */
            io_printf(out, "<path class=\"%s\" d=\"", looks[what]);
            put_legs(out, map, route, what, arrow);
            io_printf(out, "\"/>\n");
        }
        io_printf(out, "</g>\n");
    }
}

/* ---- stops ---- */

/* What stands at a stop: its place on the route, its id or its name, short enough for a map. */
static void name_stop(const struct plot_plan *plan, size_t stop, char text[64])
{
    const ucpo_instance_data *d = plan->data;
    int32_t node = plan->stops[stop].node;
    char id[160];
    snprintf(text, 64, "%d", (int)plan->number[stop]);
    if (plan->names == PLOT_NAMES_ORDER) return;
    const char *name = ucpo_node_text(plan->inst, node, id, sizeof id);
    if (plan->names == PLOT_NAMES_NAME && d->label && d->label[node][0]) name = d->label[node];
    size_t length = 0;
    for (int characters = 0; name[length] && characters < 22; characters++) do
            length++;
        while ((name[length] & 0xC0) == 0x80);
    if (length > 56) length = 56;
    snprintf(text, 64, "%.*s%s", (int)length, name, name[length] ? "\xE2\x80\xA6" : "");
}

/* One mark and nothing else. */
static void draw_terse_stop(struct io_buffer *out, const struct map *map, size_t stop)
{
    const struct plot_plan *plan = map->plan;
    double x = pixel_x(map, plan->stops[stop].node), y = pixel_y(map, plan->stops[stop].node);
    int is_violated = plot_stop_is_violated(plan, stop);
    char class[16];
    io_printf(out, "<%s class=\"dot%s %s\" data-v=\"%d\" data-s=\"%zu\"",
              is_violated ? "path" : "circle", is_violated ? " bad" : "",
              plot_vehicle_class((size_t)plan->route_of[stop], class), (int)plan->stops[stop].route,
              stop);
    if (is_violated) {
        io_printf(out, " d=\"");
        plot_svg_pair(out, "M", x, y - map->dot - 2.0);
        plot_svg_pair(out, "l", map->dot + 2.0, map->dot + 2.0);
        plot_svg_pair(out, " ", -map->dot - 2.0, map->dot + 2.0);
        plot_svg_pair(out, " ", -map->dot - 2.0, -map->dot - 2.0);
        io_printf(out, "z\"/>\n");
        return;
    }
    plot_svg_attribute(out, "cx", x);
    plot_svg_attribute(out, "cy", y);
    plot_svg_attribute(out, "r", map->dot);
    io_printf(out, "/>\n");
}

static void draw_stop(struct io_buffer *out, struct map *map, size_t stop)
{
    const struct plot_plan *plan = map->plan;
    double x = pixel_x(map, plan->stops[stop].node), y = pixel_y(map, plan->stops[stop].node);
    int is_violated = plot_stop_is_violated(plan, stop), is_big = map->is_big[stop];
    double radius = is_big ? 9.0 : map->dot;
    double label_x = x, label_y = y + 3.6;
    char text[64];
    name_stop(plan, stop, text);
    if (plan->is_terse) {
        draw_terse_stop(out, map, stop);
        return;
    }
    int has_label = is_big || (plan->count <= MANY_STOPS &&
                               place_label(map, x, y, is_violated ? radius + 3.0 : radius,
                                           plot_text_width(text, 10.0) + 1.0, &label_x, &label_y));
    plot_stop_open(out, plan, stop, "stop");
    plot_circle(out, "hit", x, y, fmax(radius, 8.0));
    if (is_violated)
        plot_diamond(out, "dot bad", x, y, is_big ? 13.0 : radius + 3.5);
    else
        plot_circle(out, "dot", x, y, radius);
    if (has_label)
        plot_svg_text(out, label_x, label_y, PLOT_MIDDLE, is_big ? "inside" : "beside", text);
    io_printf(out, "</g>\n");
}

/* Customers that no route visits: a cross in a circle. */
static void draw_missing(struct io_buffer *out, const struct map *map)
{
    for (int32_t k = 0; k < map->plan->report.eval.missing; k++) {
        int32_t node = map->plan->report.missing[k];
        double x = pixel_x(map, node), y = pixel_y(map, node), half = 3.2;
        char name[PLOT_WORDS];
        io_printf(out, "<g class=\"missing\"><title>customer ");
        plot_svg_escape(out, plot_node(map->plan, node, name));
        io_printf(out, " is not visited</title>\n");
        plot_circle(out, "hole-bad", x, y, 6.0);
        plot_svg_line(out, "line-bad", x - half, y - half, x + half, y + half);
        plot_svg_line(out, "line-bad", x - half, y + half, x + half, y - half);
        io_printf(out, "</g>\n");
    }
}

static void draw_depot(struct io_buffer *out, struct map *map)
{
    double x = pixel_x(map, 0), y = pixel_y(map, 0), label_x, label_y;
    io_printf(out, "<g class=\"depot\"><title>depot</title>\n");
    plot_rect(out, "house", x - 7.0, y - 7.0, 14.0, 14.0);
    plot_rect(out, "door", x - 2.5, y - 2.5, 5.0, 5.0);
    if (place_label(map, x, y, 8.0, plot_text_width("depot", 11.0) + 2.0, &label_x, &label_y))
        plot_svg_text(out, label_x, label_y, PLOT_MIDDLE, "beside strong", "depot");
    io_printf(out, "</g>\n");
}

/* "vehicle 3" in a fleet, at the stop farthest from the depot. */
static void draw_vehicle(struct io_buffer *out, struct map *map, size_t index)
{
    struct plot_route route = map->plan->routes[index];
    double farthest = -1.0, x = 0.0, y = 0.0, label_x, label_y;
    size_t best = route.end;
    for (size_t i = route.first; i < route.end; i++) {
        if (!is_drawn(map, i)) continue;
        double at_x = pixel_x(map, map->plan->stops[i].node);
        double at_y = pixel_y(map, map->plan->stops[i].node);
        double away = hypot(at_x - pixel_x(map, 0), at_y - pixel_y(map, 0));
        if (away <= farthest) continue;
        farthest = away;
        x = at_x;
        y = at_y;
        best = i;
    }
    char text[24], class[16];
    snprintf(text, sizeof text, "V%d", (int)map->plan->stops[route.first].route);
    double width = plot_text_width(text, 10.0) + 8.0;
    if (best == route.end || !place_label(map, x, y, map->is_big[best] ? 11.0 : map->dot + 2.0,
                                          width, &label_x, &label_y))
        return;
    io_printf(out, "<g class=\"badge %s\" data-v=\"%d\">\n", plot_vehicle_class(index, class),
              (int)map->plan->stops[route.first].route);
    plot_rect(out, "pill", label_x - width / 2.0, label_y - 10.2, width, 13.0);
    plot_svg_text(out, label_x, label_y, PLOT_MIDDLE, "inside", text);
    io_printf(out, "</g>\n");
}

static void draw_map(struct io_buffer *out, struct map *map)
{
    const struct plot_plan *plan = map->plan;
    plot_rect(out, "frame", map->box.left, map->box.top, map->box.width, map->height);
    place_stops(map);
    note_legs(map);
    draw_routes(out, map);
    draw_missing(out, map);
    draw_depot(out, map);
    for (size_t r = 0; plan->route_count > 1 && r < plan->route_count && r < 200; r++)
        draw_vehicle(out, map, r);
    for (int violated = 1; violated >= 0; violated--)
        for (size_t i = 0; i < plan->count; i++)
            if (is_drawn(map, i) && plot_stop_is_violated(plan, i) == violated)
                draw_stop(out, map, i);
}

ucpo_status plot_map_draw(struct io_buffer *out, const struct plot_plan *plan, struct plot_box box,
                          ucpo_error *err)
{
    if (!plan->data->x) {
        plot_note(out, box, NOTE_HEIGHT,
                  "no map: the instance has a distance matrix, but no coordinates");
        return UCPO_OK;
    }
    struct map map = fit_map(plan, box);
    double spacing = sqrt(box.width * map.height / (double)(plan->count + 1));
    map.dot = fmin(fmax(0.09 * spacing, 1.8), 5.0);
    size_t most = 2 * plan->count + plan->route_count + 2;
    map.taken = mem_zeroed(most, sizeof *map.taken);
    map.is_big = mem_zeroed(plan->count, 1);
    map.legs = mem_zeroed(plan->count, sizeof *map.legs);
    ucpo_status st = UCPO_OK;
    if (!map.taken || !map.is_big || !map.legs)
        st = status_no_memory(err, most * sizeof *map.taken);
    else
        draw_map(out, &map);
    free(map.taken);
    free(map.is_big);
    free(map.legs);
    return st;
}
