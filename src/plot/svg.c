/* SVG elements. The style sheet stands in the file: light and dark, colours that people with any
 * colour vision tell apart (Okabe and Ito's, a little darker on white, lighter on black). */
#include "core/text.h"
#include "plot/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char style[] =
    ".ucpo-plot text{font:12px system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif;"
    "fill:#1f2328}"
    ".ucpo-plot .muted{fill:#59636e;font-size:11px}"
    ".ucpo-plot .title{font-weight:600}"
    ".ucpo-plot .head{font-size:16px;font-weight:600}"
    ".ucpo-plot .paper{fill:#fff}"
    ".ucpo-plot path{fill:none;stroke-linejoin:round;stroke-linecap:round}"
    ".ucpo-plot .grid{stroke:#e4e8ec;stroke-width:1}"
    ".ucpo-plot .axis{stroke:#9aa4af;stroke-width:1}"
    ".ucpo-plot .raw{stroke-width:.8;opacity:.28}"
    ".ucpo-plot .line{stroke-width:1.6}"
    ".ucpo-plot .dashed{stroke-width:1.5;stroke-dasharray:5 3.5;stroke-linecap:butt}"
    ".ucpo-plot .thin{stroke-width:1.1}"
    ".ucpo-plot .dots{stroke-width:5.5}"
    ".ucpo-plot .hole{stroke:#fff;stroke-width:2.8}"
    ".ucpo-plot .c0{stroke:#0072b2}.ucpo-plot .c1{stroke:#d55e00}"
    ".ucpo-plot .c2{stroke:#00916a}.ucpo-plot .c3{stroke:#b8579a}"
    ".ucpo-plot .c4{stroke:#d99100}.ucpo-plot .c5{stroke:#35a0dc}"
    ".ucpo-plot .c6{stroke:#7a6a00}.ucpo-plot .c7{stroke:#444c56}"
    ".ucpo-plot .c8{stroke:#59636e}"
    "@media(prefers-color-scheme:dark){"
    ".ucpo-plot text{fill:#e6edf3}"
    ".ucpo-plot .muted{fill:#9da7b1}"
    ".ucpo-plot .paper{fill:#0d1117}"
    ".ucpo-plot .grid{stroke:#22282f}"
    ".ucpo-plot .axis{stroke:#59636e}"
    ".ucpo-plot .raw{opacity:.35}"
    ".ucpo-plot .hole{stroke:#0d1117}"
    ".ucpo-plot .c0{stroke:#4aa8e8}.ucpo-plot .c1{stroke:#f0803c}"
    ".ucpo-plot .c2{stroke:#2fc39a}.ucpo-plot .c3{stroke:#dd8fc0}"
    ".ucpo-plot .c4{stroke:#f0b429}.ucpo-plot .c5{stroke:#8ad0f5}"
    ".ucpo-plot .c6{stroke:#d6ca55}.ucpo-plot .c7{stroke:#c3ccd6}"
    ".ucpo-plot .c8{stroke:#9da7b1}"
    "}";

void plot_svg_number(struct io_buffer *out, double value)
{
    long tenths = lround(10.0 * fmin(fmax(value, -1e5), 1e5));
    io_printf(out, "%s%ld", tenths < 0 ? "-" : "", labs(tenths) / 10);
    if (tenths % 10) io_printf(out, ".%ld", labs(tenths) % 10);
}

void plot_svg_attribute(struct io_buffer *out, const char *name, double value)
{
    io_printf(out, " %s=\"", name);
    plot_svg_number(out, value);
    io_put(out, "\"", 1);
}

void plot_svg_escape(struct io_buffer *out, const char *text)
{
    char name[TEXT_NAMED];
    for (const char *at = text; *at;) {
        uint32_t code = 0;
        size_t left = strnlen(at, 4), hidden = text_hidden(at, left, &code);
        size_t length = hidden ? hidden : text_utf8_length(at, left);
        if (*at == '&')
            io_put(out, "&amp;", 5);
        else if (*at == '<')
            io_put(out, "&lt;", 4);
        else if (*at == '>')
            io_put(out, "&gt;", 4);
        else if (*at == '"')
            io_put(out, "&quot;", 6);
        else if (hidden)
            io_printf(out, "%s", text_name_hidden(code, name));
        else
            io_put(out, at, length);
        at += length;
    }
}

void plot_svg_begin(struct io_buffer *out, double width, double height, const char *title,
                    const char *about)
{
    io_printf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"ucpo-plot\" role=\"img\"");
    plot_svg_attribute(out, "width", width);
    plot_svg_attribute(out, "height", height);
    io_printf(out, " viewBox=\"0 0 ");
    plot_svg_number(out, width);
    io_put(out, " ", 1);
    plot_svg_number(out, height);
    io_printf(out, "\">\n<title>");
    plot_svg_escape(out, title);
    io_printf(out, "</title>\n");
    if (!about) return;
    io_printf(out, "<desc>");
    plot_svg_escape(out, about);
    io_printf(out, "</desc>\n");
}

void plot_svg_style(struct io_buffer *out)
{
    io_put(out, style, sizeof style - 1);
}

void plot_svg_open(struct io_buffer *out, double width, double height, const char *title)
{
    plot_svg_begin(out, width, height, title, NULL);
    io_printf(out,
              "<style>%s</style>\n<rect class=\"paper\" width=\"100%%\" "
              "height=\"100%%\"/>\n",
              style);
}

void plot_svg_close(struct io_buffer *out)
{
    io_printf(out, "</svg>\n");
}

void plot_svg_text(struct io_buffer *out, double x, double y, enum plot_anchor anchor,
                   const char *look, const char *text)
{
    static const char *const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    io_printf(out, "<text");
    plot_svg_attribute(out, "x", x);
    plot_svg_attribute(out, "y", y);
    io_printf(out, "%s", anchors[anchor]);
    if (*look) io_printf(out, " class=\"%s\"", look);
    io_put(out, ">", 1);
    plot_svg_escape(out, text);
    io_printf(out, "</text>\n");
}

void plot_svg_pair(struct io_buffer *out, const char *command, double x, double y)
{
    io_printf(out, "%s", command);
    plot_svg_number(out, x);
    io_put(out, " ", 1);
    plot_svg_number(out, y);
}

void plot_svg_line(struct io_buffer *out, const char *look, double x1, double y1, double x2,
                   double y2)
{
    io_printf(out, "<path class=\"%s\" d=\"", look);
    plot_svg_pair(out, "M", x1, y1);
    plot_svg_pair(out, "L", x2, y2);
    io_printf(out, "\"/>\n");
}

void plot_svg_curve(struct io_buffer *out, const struct plot_points *points,
                    enum plot_stroke stroke, int colour)
{
    static const char *const looks[] = {"raw", "line", "dashed", "thin", "thin"};
    if (points->count == 0) return;
    io_printf(out, "<path class=\"%s c%d\" d=\"", looks[stroke], colour);
    for (size_t i = 0; i < points->count; i++)
        plot_svg_pair(out, i == 0 ? "M" : i == 1 ? "L" : " ", points->x[i], points->y[i]);
    io_printf(out, "%s\"/>\n", points->count == 1 ? "h0" : "");
}

/* A line of length 0 with round ends is a dot. */
static void put_dots(struct io_buffer *out, const struct plot_points *points)
{
    for (size_t i = 0; i < points->count; i++) {
        plot_svg_pair(out, "M", points->x[i], points->y[i]);
        io_printf(out, "h0");
    }
    io_printf(out, "\"/>\n");
}

void plot_svg_dots(struct io_buffer *out, const struct plot_points *points, enum plot_stroke stroke,
                   int colour)
{
    if (points->count == 0 || (stroke != PLOT_DOTS && stroke != PLOT_RINGS)) return;
    io_printf(out, "<path class=\"dots c%d\" d=\"", colour);
    put_dots(out, points);
    if (stroke != PLOT_RINGS) return;
    io_printf(out, "<path class=\"hole\" d=\"");
    put_dots(out, points);
}

enum { KEY_SAMPLE = 20, KEY_TEXT = 26, KEY_SPACE = 16 };

double plot_svg_key_width(const char *label)
{
    size_t characters = 0;
    for (const char *at = label; *at; at++) characters += (*at & 0xC0) != 0x80;
    return KEY_TEXT + 6.3 * (double)characters + KEY_SPACE;
}

void plot_svg_key(struct io_buffer *out, double x, double y, const struct plot_key *key)
{
    double xs[2] = {x, x + KEY_SAMPLE}, ys[2] = {y - 4.0, y - 4.0};
    double middle = x + KEY_SAMPLE / 2.0;
    const struct plot_points ends = {xs, ys, 2}, dot = {&middle, ys, 1};
    plot_svg_curve(out, &ends, key->stroke, key->colour);
    plot_svg_dots(out, &dot, key->stroke, key->colour);
    plot_svg_text(out, x + KEY_TEXT, y, PLOT_START, "muted", key->label);
}
