/* Small shapes that the panels of a plan share. */
#include "plot/plan.h"

#include <stdio.h>

void plot_rect(struct io_buffer *out, const char *look, double x, double y, double width,
               double height)
{
    io_printf(out, "<rect class=\"%s\"", look);
    plot_svg_attribute(out, "x", x);
    plot_svg_attribute(out, "y", y);
    plot_svg_attribute(out, "width", width);
    plot_svg_attribute(out, "height", height);
    io_printf(out, "/>\n");
}

void plot_circle(struct io_buffer *out, const char *look, double x, double y, double radius)
{
    io_printf(out, "<circle class=\"%s\"", look);
    plot_svg_attribute(out, "cx", x);
    plot_svg_attribute(out, "cy", y);
    plot_svg_attribute(out, "r", radius);
    io_printf(out, "/>\n");
}

void plot_diamond(struct io_buffer *out, const char *look, double x, double y, double half)
{
    io_printf(out, "<path class=\"%s\" d=\"", look);
    plot_svg_pair(out, "M", x, y - half);
    plot_svg_pair(out, "L", x + half, y);
    plot_svg_pair(out, " ", x, y + half);
    plot_svg_pair(out, " ", x - half, y);
    io_printf(out, "z\"/>\n");
}

const char *plot_vehicle_class(size_t route, char buf[16])
{
    snprintf(buf, 16, "v%zu d%zu", route % PLOT_VEHICLES, route / PLOT_VEHICLES % PLOT_DASHES);
    return buf;
}

void plot_stop_open(struct io_buffer *out, const struct plot_plan *plan, size_t stop,
                    const char *look)
{
    char class[16], text[PLOT_WORDS];
    io_printf(out, "<g class=\"%s %s%s\" data-v=\"%d\" data-s=\"%zu\">", look,
              plot_vehicle_class((size_t)plan->route_of[stop], class),
              plot_stop_is_violated(plan, stop) ? " violated" : "", (int)plan->stops[stop].route,
              stop);
    if (plan->is_terse) return;
    io_printf(out, "<title>");
    plot_svg_escape(out, plot_stop_title(plan, stop, text));
    io_printf(out, "</title>\n");
}

void plot_note(struct io_buffer *out, struct plot_box box, double height, const char *text)
{
    plot_rect(out, "frame", box.left, box.top, box.width, height);
    plot_svg_text(out, box.left + box.width / 2.0, box.top + height / 2.0 + 4.0, PLOT_MIDDLE,
                  "muted", text);
}

double plot_text_width(const char *text, double size)
{
    size_t characters = 0;
    for (const char *at = text; *at; at++) characters += (*at & 0xC0) != 0x80;
    return 0.58 * size * (double)characters;
}
