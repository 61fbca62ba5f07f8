/* The picture of a plan: head, map with facts beside it, timeline, load, cloud, one below the other.
 */
#include "plot/plan.h"

#include "core/sized.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    WIDTH = 880,
    MARGIN = 22,
    HEAD = 74,
    MAP_WIDTH = 574,
    SIDE_LEFT = MARGIN + MAP_WIDTH + 24,
    LINE = 19,  /* of the facts */
    SPACE = 26, /* between panels */
    MANY_KEYS = 12
};

static void draw_head(struct io_buffer *out, const struct plot_plan *plan, const char *title)
{
    const ucpo_evaluation *e = &plan->report.eval;
    char text[PLOT_WORDS + 32], words[PLOT_WORDS], name[PLOT_WORDS];
    size_t most = 96;
    snprintf(text, sizeof text, "%s", title ? title : plot_plan_name(plan, name));
    if (strlen(text) > most) { /* not inside a character */
        while (most > 0 && (text[most] & 0xC0) == 0x80) most--;
        snprintf(text + most, sizeof text - most, "\xE2\x80\xA6");
    }
    plot_svg_text(out, MARGIN, 32.0, PLOT_START, "head", text);
    snprintf(text, sizeof text, "%s %s", e->is_feasible ? "\xE2\x9C\x93" : "\xE2\x9C\x97",
             plot_plan_verdict(plan, words));
    plot_svg_text(out, MARGIN, 54.0, PLOT_START,
                  e->is_feasible ? "strong text-good" : "strong text-bad", text);
}

/* ---- beside the map ---- */

static double side_height(const struct plot_plan *plan)
{
    struct plot_fact facts[PLOT_FACTS];
    size_t keys = plan->route_count > 1 ? plan->route_count : 0;
    if (keys > MANY_KEYS) keys = MANY_KEYS + 1;
    return LINE * (double)(plot_plan_facts(plan, facts) + keys + (plan->data->x ? 5 : 1));
}

static double draw_marks(struct io_buffer *out, const struct plot_plan *plan, double x, double y)
{
    const ucpo_evaluation *e = &plan->report.eval;
    plot_rect(out, "house", x + 1.0, y - 11.0, 12.0, 12.0);
    plot_rect(out, "door", x + 5.0, y - 7.0, 4.0, 4.0);
    plot_svg_text(out, x + 22.0, y, PLOT_START, "muted", "depot");
    y += LINE;
    io_printf(out, "<g class=\"v0\">\n");
    plot_circle(out, "dot", x + 7.0, y - 4.0, 6.0);
    io_printf(out, "</g>\n");
    plot_svg_text(out, x + 22.0, y, PLOT_START, "muted",
                  plan->names == PLOT_NAMES_ORDER ? "stop; numbers are the order of visits"
                                                  : "stop");
    y += LINE;
    if (e->late_count || e->over_count || e->duplicates || e->blocked) {
        plot_diamond(out, "dot bad", x + 7.0, y - 4.0, 8.0);
        plot_svg_text(out, x + 22.0, y, PLOT_START, "muted", "violated stop");
        y += LINE;
    }
    if (e->missing) {
        plot_circle(out, "hole-bad", x + 7.0, y - 4.0, 6.0);
        plot_svg_line(out, "line-bad", x + 4.0, y - 7.0, x + 10.0, y - 1.0);
        plot_svg_line(out, "line-bad", x + 4.0, y - 1.0, x + 10.0, y - 7.0);
        plot_svg_text(out, x + 22.0, y, PLOT_START, "muted", "customer that is not visited");
        y += LINE;
    }
    return y;
}

static void draw_side(struct io_buffer *out, const struct plot_plan *plan, double top)
{
    struct plot_fact facts[PLOT_FACTS];
    size_t count = plot_plan_facts(plan, facts);
    double x = SIDE_LEFT, y = top + 12.0;
    char text[64], class[16];
    for (size_t i = 0; i < count; i++, y += LINE) {
        plot_svg_text(out, x, y, PLOT_START, "muted", facts[i].key);
        plot_svg_text(out, x + 92.0, y, PLOT_START, i == 0 ? "strong" : "fact", facts[i].value);
    }
    y += LINE / 2.0;
    if (plan->data->x) y = draw_marks(out, plan, x, y);
    for (size_t r = 0; plan->route_count > 1 && r < plan->route_count; r++, y += LINE) {
        struct plot_route route = plan->routes[r];
        size_t stops = route.end - route.first - 1;
        if (r == MANY_KEYS && plan->route_count > MANY_KEYS + 1) {
            snprintf(text, sizeof text, "and %zu more", plan->route_count - r);
            plot_svg_text(out, x + 22.0, y, PLOT_START, "muted", text);
            break;
        }
        int vehicle = (int)plan->stops[route.first].route;
        io_printf(out, "<g class=\"row %s\" data-v=\"%d\">\n", plot_vehicle_class(r, class),
                  vehicle);
        plot_svg_line(out, "leg", x, y - 4.0, x + 15.0, y - 4.0);
        snprintf(text, sizeof text, "vehicle %d, %zu stop%s", vehicle, stops,
                 stops == 1 ? "" : "s");
        plot_svg_text(out, x + 22.0, y, PLOT_START, "muted", text);
        io_printf(out, "</g>\n");
    }
}

/* ---- the whole ---- */

static double heights(const struct plot_plan *plan, unsigned show, double height[4])
{
    double sum = HEAD;
    height[0] = fmax(plot_map_height(plan, MAP_WIDTH), side_height(plan));
    height[1] = plot_time_height(plan);
    height[2] = plot_load_height(plan);
    height[3] = plot_cloud_height();
    for (size_t k = 0; k < 4; k++)
        if (show >> k & 1) sum += height[k] + SPACE;
    return sum;
}

static ucpo_status draw(struct io_buffer *out, const struct plot_plan *plan, unsigned show,
                        const ucpo_cloud *cloud, const char *title, ucpo_error *err)
{
    char name[PLOT_WORDS], sentence[PLOT_WORDS];
    double height[4], total = heights(plan, show, height);
    ucpo_status st = UCPO_OK;
    plot_svg_begin(out, WIDTH, total, title ? title : plot_plan_name(plan, name),
                   plot_plan_sentence(plan, sentence));
    io_printf(out, "<style>\n");
    plot_svg_style(out);
    io_printf(out, "\n%s</style>\n<rect class=\"paper\" width=\"100%%\" height=\"100%%\"/>\n",
              plot_asset_plan_css);
    draw_head(out, plan, title);
    struct plot_box box = {MARGIN, HEAD, WIDTH - 2 * MARGIN};
    if (show & PLOT_SHOW_MAP) {
        struct plot_box map = {MARGIN, box.top, MAP_WIDTH};
        st = plot_map_draw(out, plan, map, err);
        draw_side(out, plan, box.top);
        box.top += height[0] + SPACE;
    }
    if (show & PLOT_SHOW_TIME) {
        plot_time_draw(out, plan, box);
        box.top += height[1] + SPACE;
    }
    if (show & PLOT_SHOW_LOAD) {
        plot_load_draw(out, plan, box);
        box.top += height[2] + SPACE;
    }
    if (show & PLOT_SHOW_CLOUD) plot_cloud_draw(out, cloud, box);
    plot_svg_close(out);
    return st;
}

ucpo_status ucpo_plot_plan(const ucpo_instance *inst, const int32_t *nodes, size_t len,
                           const ucpo_plot_config *config, char **bytes, size_t *size,
                           ucpo_error *err)
{
    ucpo_plot_config o = ucpo_plot_config_default();
    ucpo_cloud cloud = {0};
    struct plot_plan plan = {0};
    struct io_buffer out = {0};
    unsigned asked = 0;
    if (!inst || !bytes || !size)
        return status_argument(err, "inst, bytes and size must not be NULL");
    ucpo_status st = sized_take(&o, sizeof o, config, "ucpo_plot_config", err);
    if (!st && o.clouds) cloud = o.clouds[0];
    if (!st) st = plot_show_parse(o.show, &asked, err);
    if (!st) st = plot_cloud_check(&cloud, err);
    enum plot_names names = PLOT_NAMES_ORDER;
    if (!st) st = plot_names_parse(o.names, &names, err);
    if (!st) st = plot_plan_make(inst, (ucpo_plan){nodes, len, NAN, 0}, &plan, err);
    if (st) return st;
    plan.names = names;
    unsigned show = plot_show_for(&plan, asked);
    if (cloud.count == 0) show &= ~(unsigned)PLOT_SHOW_CLOUD;
    st = draw(&out, &plan, show, &cloud, o.title, err);
    plot_plan_free(&plan);
    return io_buffer_give(&out, st, bytes, size, err);
}
