/* Load against capacity, a small panel per vehicle; or draft against its limit at every port. */
#include "plot/plan.h"

#include <math.h>
#include <stdio.h>

enum {
    HEAD = 26,
    CELL_HEAD = 18,
    CELL_AREA = 58, /* of a vehicle's panel */
    CELL_FOOT = 14,
    CELL_GAP = 16,
    DRAFT_AREA = 200,
    DRAFT_LEFT = 40,
    DRAFT_FOOT = 38,
    NOTE_HEIGHT = 60,
    TERSE_CELLS = 120
};

static size_t column_count(const struct plot_plan *plan)
{
    return plan->route_count <= 2    ? 2
           : plan->route_count <= 3  ? 3
           : plan->route_count <= 20 ? 4
                                     : 6;
}

/* Vehicles that get a panel: of a page with thousands of stops not all. */
static size_t shown_routes(const struct plot_plan *plan)
{
    return plan->is_terse && plan->route_count > TERSE_CELLS ? TERSE_CELLS : plan->route_count;
}

double plot_load_height(const struct plot_plan *plan)
{
    if (!plan->data->demand || plan->count == 0) return HEAD + NOTE_HEIGHT;
    if (plan->data->limit) return HEAD + DRAFT_AREA + DRAFT_FOOT;
    size_t columns = column_count(plan), rows = (shown_routes(plan) + columns - 1) / columns;
    return HEAD + (double)rows * (CELL_HEAD + CELL_AREA + CELL_FOOT);
}

/* ---- a vehicle's load ---- */

struct cell {
    const struct plot_plan *plan;
    struct plot_route route;
    double left, top, width;
    double most; /* load at the top */
};

static double cell_y(const struct cell *cell, double load)
{
    return cell->top + CELL_AREA * (1.0 - load / cell->most);
}

static double cell_x(const struct cell *cell, size_t stop)
{
    double slots = (double)(cell->route.end - cell->route.first);
    return cell->left + cell->width * (double)(stop - cell->route.first) / slots;
}

/* The steps as a path; closed at the bottom if `is_area`. */
static void put_steps(struct io_buffer *out, const struct cell *cell, const char *look, int is_area)
{
    double load = 0.0;
    io_printf(out, "<path class=\"%s\" d=\"", look);
    plot_svg_pair(out, "M", cell->left, cell_y(cell, 0.0));
    for (size_t i = cell->route.first; i < cell->route.end; i++) {
        if (!cell->plan->stops[i].is_unknown) load = cell->plan->stops[i].load;
        plot_svg_pair(out, "L", cell_x(cell, i), cell_y(cell, load));
        plot_svg_pair(out, "L", cell_x(cell, i + 1), cell_y(cell, load));
    }
    if (is_area) plot_svg_pair(out, "L", cell->left + cell->width, cell_y(cell, 0.0));
    io_printf(out, "%s\"/>\n", is_area ? "z" : "");
}

static void draw_cell_stops(struct io_buffer *out, const struct cell *cell)
{
    double capacity = cell->plan->data->capacity;
    for (size_t i = cell->route.first; i < cell->route.end; i++) {
        const ucpo_stop *stop = &cell->plan->stops[i];
        double x = cell_x(cell, i), width = cell_x(cell, i + 1) - x;
        if (cell->plan->is_terse && stop->over <= 0.0) continue;
        plot_stop_open(out, cell->plan, i, "step");
        plot_rect(out, "hit", x, cell->top, width, CELL_AREA);
        if (stop->load > capacity && (stop->over > 0.0 || plot_stop_is_return(cell->plan, i))) {
            double y = cell_y(cell, stop->load);
            plot_rect(out, "late", x, y, width, cell_y(cell, capacity) - y);
        }
        if (stop->over > 0.0) plot_diamond(out, "bad", x, cell_y(cell, stop->load), 4.5);
        io_printf(out, "</g>\n");
    }
}

static void draw_cell(struct io_buffer *out, const struct cell *cell, size_t index)
{
    char text[64], class[16], a[32], b[32];
    int vehicle = (int)cell->plan->stops[cell->route.first].route;
    double load = 0.0, capacity = cell->plan->data->capacity;
    int is_over = 0;
    for (size_t i = cell->route.first; i < cell->route.end; i++) {
        load = fmax(load, cell->plan->stops[i].load);
        is_over |= cell->plan->stops[i].over > 0.0;
    }
    io_printf(out, "<g class=\"row %s\" data-v=\"%d\">\n", plot_vehicle_class(index, class),
              vehicle);
    plot_rect(out, "rail", cell->left, cell->top - 14.0, 3.0, 10.0);
    snprintf(text, sizeof text, "V%d", vehicle);
    plot_svg_text(out, cell->left + 8.0, cell->top - 5.0, PLOT_START, "strong", text);
    snprintf(text, sizeof text, "%s%s / %s", is_over ? "over: " : "", plot_number(load, 3, a),
             plot_number(capacity, 3, b));
    plot_svg_text(out, cell->left + cell->width, cell->top - 5.0, PLOT_END,
                  is_over ? "muted text-bad" : "muted", text);
    put_steps(out, cell, "area", 1);
    put_steps(out, cell, "line steps", 0);
    plot_svg_line(out, "axis", cell->left, cell->top + CELL_AREA, cell->left + cell->width,
                  cell->top + CELL_AREA);
    double y = cell_y(cell, capacity);
    plot_svg_line(out, "limit", cell->left, y, cell->left + cell->width, y);
    draw_cell_stops(out, cell);
    io_printf(out, "</g>\n");
}

static void draw_loads(struct io_buffer *out, const struct plot_plan *plan, struct plot_box box)
{
    size_t columns = column_count(plan);
    double width = (box.width - CELL_GAP * (double)(columns - 1)) / (double)columns;
    double most = plan->data->capacity;
    for (size_t i = 0; i < plan->count; i++) most = fmax(most, plan->stops[i].load);
    if (most <= 0.0) most = 1.0;
    for (size_t r = 0; r < shown_routes(plan); r++) {
        struct cell cell = {.plan = plan, .route = plan->routes[r], .width = width};
        size_t row = r / columns;
        cell.left = box.left + (width + CELL_GAP) * (double)(r % columns);
        cell.top = box.top + HEAD + CELL_HEAD + (CELL_HEAD + CELL_AREA + CELL_FOOT) * (double)row;
        cell.most = 1.08 * most;
        draw_cell(out, &cell, r);
    }
}

/* ---- draft ---- */

static void draw_port(struct io_buffer *out, const struct plot_plan *plan, size_t stop, double x,
                      double width, double y, double limit_y)
{
    int is_over = plan->stops[stop].over > 0.0;
    plot_stop_open(out, plan, stop, "step");
    plot_rect(out, "hit", x, fmin(y, limit_y) - 6.0, width, fabs(y - limit_y) + 12.0);
    if (is_over) plot_rect(out, "late", x, y, width, limit_y - y);
    double inset = width > 6.0 ? 0.12 * width : 0.0;
    plot_svg_line(out, is_over ? "line-bad" : "cap", x + inset, limit_y, x + width - inset,
                  limit_y);
    if (is_over) plot_diamond(out, "bad", x + width / 2.0, y, fmin(fmax(width / 2.0, 3.0), 5.0));
    io_printf(out, "</g>\n");
}

static void draw_numbers(struct io_buffer *out, const struct plot_plan *plan, double left,
                         double slot, double bottom)
{
    static const int steps[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};
    size_t k = 0;
    char text[16];
    while (k < 9 && slot * steps[k] < 22.0) k++;
    for (size_t i = 0; i < plan->count; i++) {
        if (plan->number[i] % steps[k] != 0 || plot_stop_is_return(plan, i)) continue;
        snprintf(text, sizeof text, "%d", (int)plan->number[i]);
        plot_svg_text(out, left + slot * ((double)i + 0.5), bottom + 15.0, PLOT_MIDDLE, "small",
                      text);
    }
}

static void draw_key(struct io_buffer *out, double x, double y)
{
    io_printf(out, "<g class=\"v0 keys\">\n");
    plot_svg_line(out, "line steps", x, y - 4.0, x + 18.0, y - 4.0);
    plot_svg_text(out, x + 23.0, y, PLOT_START, "muted", "draft");
    plot_svg_line(out, "cap", x + 66.0, y - 4.0, x + 84.0, y - 4.0);
    plot_svg_text(out, x + 89.0, y, PLOT_START, "muted", "limit of the port");
    plot_rect(out, "late", x + 192.0, y - 8.0, 18.0, 8.0);
    plot_svg_text(out, x + 215.0, y, PLOT_START, "muted", "too deep");
    io_printf(out, "</g>\n");
}

static void draw_draft(struct io_buffer *out, const struct plot_plan *plan, struct plot_box box)
{
    double high = 0.0, left = box.left + DRAFT_LEFT, top = box.top + HEAD + 4.0;
    double width = box.width - DRAFT_LEFT - 8.0, slot = width / (double)plan->count;
    double bottom = floor(top + DRAFT_AREA) + 0.5;
    for (size_t i = 0; i < plan->count; i++) {
        const ucpo_stop *stop = &plan->stops[i];
        if (!stop->is_unknown) high = fmax(high, fmax(stop->load, plan->data->limit[stop->node]));
    }
    struct plot_axis axis = plot_axis_fit(0.0, high, 5, 1);
    double scale = DRAFT_AREA / (axis.high - axis.low);
    char label[64];
    for (long k = axis.first; k <= axis.last; k++) {
        double y = floor(bottom - scale * plot_axis_tick(&axis, k)) + 0.5;
        plot_svg_line(out, "grid", left, y, left + width, y);
        plot_svg_text(out, left - 7.0, y + 4.0, PLOT_END, "muted",
                      plot_axis_label(&axis, k, label, sizeof label));
    }
    io_printf(out, "<g class=\"row v0 d0\" data-v=\"1\">\n<path class=\"line steps\" d=\"");
    double load = plan->stops[0].load;
    for (size_t i = 0; i < plan->count; i++) {
        if (!plan->stops[i].is_unknown) load = plan->stops[i].load;
        plot_svg_pair(out, i ? "L" : "M", left + slot * (double)i, bottom - scale * load);
        plot_svg_pair(out, "L", left + slot * (double)(i + 1), bottom - scale * load);
    }
    io_printf(out, "\"/>\n");
    for (size_t i = 0; i < plan->count; i++)
        if (!plan->stops[i].is_unknown)
            draw_port(out, plan, i, left + slot * (double)i, slot,
                      bottom - scale * plan->stops[i].load,
                      bottom - scale * plan->data->limit[plan->stops[i].node]);
    io_printf(out, "</g>\n");
    plot_svg_line(out, "axis", left, bottom, left + width, bottom);
    draw_numbers(out, plan, left, slot, bottom);
    plot_svg_text(out, left + width, bottom + 30.0, PLOT_END, "muted",
                  plan->data->draft == UCPO_DRAFT_LOAD
                      ? "stop (last: the depot, on return); draft after each pick-up"
                      : "stop (last: the depot, on departure); draft on arrival");
    draw_key(out, left + width - 272.0, box.top + 12.0);
}

void plot_load_draw(struct io_buffer *out, const struct plot_plan *plan, struct plot_box box)
{
    int has_draft = plan->data->limit != NULL;
    plot_svg_text(out, box.left, box.top + 12.0, PLOT_START, "title",
                  has_draft                                ? "draft along the tour"
                  : shown_routes(plan) < plan->route_count ? "load along the first 120 routes"
                                                           : "load along the routes");
    if (!plan->data->demand || plan->count == 0) {
        struct plot_box place = {box.left, box.top + HEAD - 4.0, box.width};
        plot_note(out, place, NOTE_HEIGHT - 8.0,
                  plan->data->demand ? "no stop, no load" : "no load: there are no demands");
    } else if (has_draft)
        draw_draft(out, plan, box);
    else {
        plot_svg_line(out, "limit", box.left + box.width - 78.0, box.top + 8.0,
                      box.left + box.width - 58.0, box.top + 8.0);
        plot_svg_text(out, box.left + box.width, box.top + 12.0, PLOT_END, "muted", "capacity");
        draw_loads(out, plan, box);
    }
}
