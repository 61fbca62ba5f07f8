/* The page about training runs: curves, validations, settings. */
#include "plot/plan.h"

#include "core/sized.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_percent(struct io_buffer *out, double share)
{
    char text[32];
    io_printf(out, "<td>%s</td>", plot_number(100.0 * share, 2, text));
}

static void put_row(struct io_buffer *out, const char *run, const struct plot_row *row)
{
    char text[32];
    io_printf(out, "<tr><td class=\"words\">");
    plot_svg_escape(out, run);
    io_printf(out, "</td><td class=\"words\">%s</td>",
              row->kind == PLOT_GREEDY ? "greedy" : "sampled");
    io_printf(out, "<td>%s</td>", plot_number(row->cell[PLOT_INSTANCES], 0, text));
    put_percent(out, row->cell[PLOT_INFEASIBLE_INSTANCES]);
    put_percent(out, row->cell[PLOT_INFEASIBLE_SAMPLES]);
    io_printf(out, "<td>%s</td>", plot_number(row->cell[PLOT_OBJECTIVE], 4, text));
    io_printf(out, "<td>%s</td>", plot_number(row->cell[PLOT_GAP], 2, text));
    io_printf(out, "<td>%s</td></tr>\n", plot_number(row->cell[PLOT_ELAPSED], 0, text));
}

/* The first and the last validation of each kind, or all of them. */
static void put_validations(struct io_buffer *out, const char *name, const struct plot_run *run)
{
    enum { ALL_UP_TO = 200 };

    size_t count = 0, seen = 0;
    for (size_t i = 0; i < run->count; i++) count += run->rows[i].kind != PLOT_TRAIN;
    for (size_t i = 0; i < run->count; i++) {
        if (run->rows[i].kind == PLOT_TRAIN) continue;
        seen++;
        if (count <= ALL_UP_TO || seen <= 2 || seen + 2 > count) put_row(out, name, &run->rows[i]);
    }
}

static void put_table_head(struct io_buffer *out)
{
    static const char *const heads[] = {
        "run",  "decoding", "instances", "infeasible instances %", "infeasible solutions %",
        "cost", "gap %",    "seconds"};
    io_printf(
        out,
        "<h3>Validation</h3>\n<div class=\"scroll\"><table class=\"index sortable\"><thead><tr>");
    for (size_t k = 0; k < sizeof heads / sizeof heads[0]; k++)
        io_printf(out, "<th scope=\"col\"%s><button type=\"button\">%s</button></th>",
                  k < 2 ? " class=\"words\"" : "", heads[k]);
    io_printf(out, "</tr></thead><tbody>\n");
}

/* config.toml as it stands; a run without one is shown without. */
static void put_settings(struct io_buffer *out, const char *dir)
{
    char *bytes = NULL, *text = NULL;
    size_t size = 0, room = strlen(dir) + sizeof "/config.toml";
    char *path = mem_zeroed(room, 1);
    if (path) snprintf(path, room, "%s/config.toml", dir);
    if (path && ucpo_file_read(path, &bytes, &size, NULL) == UCPO_OK) {
        text = mem_zeroed(size + 1, 1);
        if (text) memcpy(text, bytes, size);
    }
    if (text) {
        io_printf(out, "<details><summary>Settings of ");
        plot_svg_escape(out, dir);
        io_printf(out, "</summary><pre>");
        for (char *line = text; *line;) { /* line ends are no control characters here */
            size_t length = strcspn(line, "\n");
            int is_last = line[length] == '\0';
            line[length] = '\0';
            plot_svg_escape(out, line);
            io_put(out, "\n", 1);
            line += length + !is_last;
        }
        io_printf(out, "</pre></details>\n");
    }
    free(text);
    free(path);
    ucpo_bytes_free(bytes);
}

ucpo_status ucpo_report_runs(const char *const *dirs, size_t count, const ucpo_plot_config *config,
                             char **bytes, size_t *size, ucpo_error *err)
{
    char *curves = NULL, title[PLOT_WORDS];
    size_t curves_size = 0;
    if (!bytes || !size) return status_argument(err, "bytes and size must not be NULL");
    ucpo_plot_config own = ucpo_plot_config_default();
    ucpo_status st = sized_take(&own, sizeof own, config, "ucpo_plot_config", err);
    if (!st) st = ucpo_plot_runs(dirs, count, NULL, &curves, &curves_size, err);
    if (st) return st;
    struct io_buffer out = {0};
    if (own.title)
        snprintf(title, sizeof title, "%s", own.title);
    else if (count == 1)
        snprintf(title, sizeof title, "Training run %s", dirs[0]);
    else
        snprintf(title, sizeof title, "%zu training runs", count);
    plot_page_head(&out, title);
    const char *svg = curves; /* without the XML declaration */
    while (svg < curves + curves_size && strncmp(svg, "<svg", 4) != 0) svg++;
    io_printf(&out, "<figure class=\"wide\">");
    io_put(&out, svg, (size_t)(curves + curves_size - svg));
    io_printf(&out, "</figure>\n");
    ucpo_bytes_free(curves);
    put_table_head(&out);
    for (size_t r = 0; !st && r < count; r++) {
        struct plot_run run = {0};
        st = plot_run_read(dirs[r], &run, err);
        if (!st) put_validations(&out, dirs[r], &run);
        plot_run_free(&run);
    }
    io_printf(&out, "</tbody></table></div>\n");
    for (size_t r = 0; !st && r < count; r++) put_settings(&out, dirs[r]);
    io_printf(&out,
              "<script type=\"application/json\" id=\"ucpo-data\">{\"schema\": \"ucpo.report/1\", "
              "\"plans\": "
              "[]}</script>\n<script>\n%s</script>\n</body>\n</html>\n",
              plot_asset_report_js);
    return io_buffer_give(&out, st, bytes, size, err);
}
