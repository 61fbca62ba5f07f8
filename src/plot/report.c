/* The page about plans: one HTML file with pictures, tables, data and a little script. Everything
 * that comes from a file is escaped; the page asks for nothing from anywhere. */
#include "plot/plan.h"

#include "core/sized.h"
#include "core/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/json.h"

enum {
    MAP_WIDTH = 600,
    WIDE = 880,
    PAD = 10,
    MOST = 50,
    MOST_ROWS = 1000,
    TERSE_STOPS = 1000,
    MOST_CHIPS = 200
};

struct page {
    struct io_buffer *out;
    const ucpo_dataset *set;
    const ucpo_plans *plans;
    ucpo_plot_config options;
    unsigned asked;
    enum plot_names names;
    size_t count, instances, sections, feasible, tolerated;
    struct io_buffer json; /* of the sections so far */
};

/* ---- pieces ---- */

static void put_element(struct io_buffer *out, const char *tag, const char *text)
{
    io_printf(out, "<%s>", tag);
    plot_svg_escape(out, text);
    io_printf(out, "</%.*s>", (int)strcspn(tag, " "), tag);
}

static const char *label_of(const struct page *page, size_t index)
{
    return page->options.labels && page->options.labels[index] ? page->options.labels[index] : "";
}

/* "c101 - plan.sol" */
static const char *name_of(const struct page *page, const struct plot_plan *plan, size_t index,
                           char buf[PLOT_WORDS])
{
    char name[PLOT_WORDS];
    const char *label = label_of(page, index);
    const char *known = plan->data->name && plan->data->name[0] ? plan->data->name : NULL;
    if (!known && page->count > 1 && !*label)
        snprintf(buf, PLOT_WORDS, "instance %zu", index);
    else
        snprintf(buf, PLOT_WORDS, "%.200s%s%.200s", plot_plan_name(plan, name),
                 *label ? " \xC2\xB7 " : "", label);
    return buf;
}

/* What was left out of the file, with what that makes of the verdict. */
static void put_left_out(struct io_buffer *out, const struct plot_plan *plan)
{
    const ucpo_instance_data *d = plan->data;
    if (d->left_outs == 0) return;
    io_printf(out, "<div class=\"left-out\"><p class=\"bad-text\">Left out when the file was read:"
                   "</p><ul>\n");
    for (size_t k = 0; k < d->left_outs; k++) {
        io_printf(out, "<li>%s: ", ucpo_reading_name(d->left_out[k].way));
        plot_svg_escape(out, d->left_out[k].text);
        io_printf(out, "</li>\n");
    }
    io_printf(out, "</ul></div>\n");
}

/* The verdict in words; nothing else on the page says it more loudly. */
static void put_verdict(struct io_buffer *out, const struct plot_plan *plan)
{
    char words[PLOT_WORDS];
    const char *note = plot_plan_note(plan);
    int is_good = plan->report.eval.is_feasible;
    io_printf(out, "<p class=\"verdict %s\">%s ", is_good ? "good" : "bad",
              is_good ? "\xE2\x9C\x93" : "\xE2\x9C\x97");
    if (plan->report.eval.is_tolerated) {
        plot_svg_escape(out, plot_plan_verdict(plan, words));
    } else if (is_good) {
        io_printf(out, "Feasible: every constraint holds%s%s", note[0] ? "; " : "", note);
    } else {
        io_printf(out, "Infeasible: ");
        plot_svg_escape(out, plot_plan_words(plan, words));
        io_printf(out, "%s%s", note[0] ? "; " : "", note);
    }
    io_printf(out, ".</p>\n");
    put_left_out(out, plan);
}

static void put_facts(struct io_buffer *out, const struct plot_plan *plan)
{
    struct plot_fact facts[PLOT_FACTS];
    size_t count = plot_plan_facts(plan, facts);
    io_printf(out, "<dl class=\"facts\">");
    for (size_t i = 0; i < count; i++) {
        io_printf(out, "<div>");
        put_element(out, "dt", facts[i].key);
        put_element(out, "dd", facts[i].value);
        io_printf(out, "</div>");
    }
    io_printf(out, "</dl>\n");
    if (plan->report.eval.missing == 0) return;
    io_printf(out, "<p class=\"bad-text\">Not visited:");
    for (int32_t k = 0; k < plan->report.eval.missing && k < 60; k++) {
        char name[PLOT_WORDS];
        io_printf(out, "%s ", k ? "," : "");
        plot_svg_escape(out, plot_node(plan, plan->report.missing[k], name));
    }
    io_printf(out, "%s</p>\n", plan->report.eval.missing > 60 ? ", ..." : "");
}

static void put_vehicles(struct io_buffer *out, const struct plot_plan *plan)
{
    char class[16];
    io_printf(out, "<div class=\"chips ucpo-plot\" role=\"group\" aria-label=\"vehicles\">");
    for (size_t r = 0; r < plan->route_count && r < MOST_CHIPS; r++) {
        struct plot_route route = plan->routes[r];
        int is_bad = 0, vehicle = (int)plan->stops[route.first].route;
        for (size_t i = route.first; i < route.end; i++) is_bad |= plot_stop_is_violated(plan, i);
        io_printf(out,
                  "<button type=\"button\" class=\"chip\" data-chip=\"%d\" aria-pressed=\"false\">"
                  "<svg class=\"key %s\" width=\"20\" height=\"8\" aria-hidden=\"true\"><line "
                  "class=\"leg\" x1=\"0\" "
                  "y1=\"4\" x2=\"20\" y2=\"4\"/></svg>vehicle %d%s</button>",
                  vehicle, plot_vehicle_class(r, class), vehicle,
                  is_bad ? " <b class=\"bad-text\" title=\"violations\">\xE2\x97\x86</b>" : "");
    }
    if (plan->route_count > MOST_CHIPS)
        io_printf(out, "<span class=\"note\">and %zu more, in the pictures and the table</span>",
                  plan->route_count - MOST_CHIPS);
    io_printf(out, "</div>\n");
}

/* ---- pictures ---- */

static ucpo_status put_pictures(struct io_buffer *out, const struct plot_plan *plan, unsigned show,
                                const ucpo_cloud *cloud, ucpo_error *err)
{
    char sentence[PLOT_WORDS];
    ucpo_status st = UCPO_OK;
    struct plot_box box = {PAD, PAD, WIDE - 2 * PAD};
    plot_plan_sentence(plan, sentence);
    io_printf(out, "<div class=\"columns\">");
    if (show & PLOT_SHOW_MAP) {
        struct plot_box map = {1.0, 1.0, MAP_WIDTH - 2.0};
        io_printf(out, "<figure class=\"map\">");
        plot_svg_begin(out, MAP_WIDTH, plot_map_height(plan, map.width) + 2.0, "map of the routes",
                       sentence);
        st = plot_map_draw(out, plan, map, err);
        io_printf(out, "</svg></figure>");
    }
    io_printf(out, "<div class=\"side\"><div class=\"detail\" aria-live=\"polite\"><p "
                   "class=\"hint\">Choose a stop "
                   "or a vehicle, in a picture or in the table. Arrow keys go from stop to stop, "
                   "Esc clears.</p></div>");
    put_facts(out, plan);
    io_printf(out, "</div></div>\n");
    if (show & PLOT_SHOW_TIME) {
        io_printf(out, "<figure class=\"wide\">");
        plot_svg_begin(out, WIDE, plot_time_height(plan) + 2 * PAD, "timeline of the vehicles",
                       sentence);
        plot_time_draw(out, plan, box);
        io_printf(out, "</svg></figure>\n");
    }
    if (show & PLOT_SHOW_LOAD) {
        io_printf(out, "<figure class=\"wide\">");
        plot_svg_begin(out, WIDE, plot_load_height(plan) + 2 * PAD, "load along the routes",
                       sentence);
        plot_load_draw(out, plan, box);
        io_printf(out, "</svg></figure>\n");
    }
    if ((show & PLOT_SHOW_CLOUD) && cloud->count > 0) {
        io_printf(out, "<figure class=\"wide cloud\">");
        plot_svg_begin(out, WIDE, plot_cloud_height() + 2 * PAD, "candidates of the search",
                       "cost and violation of every candidate");
        plot_cloud_draw(out, cloud, box);
        io_printf(out, "</svg></figure>\n");
    }
    return st;
}

/* ---- the table of stops: HTML closes cells by itself, which saves a third of a large page ---- */

static void put_head(struct io_buffer *out, const char *text, int is_words)
{
    io_printf(out, "<th scope=\"col\"%s><button type=\"button\">%s</button></th>",
              is_words ? " class=\"words\"" : "", text);
}

/* A node that does not exist has no numbers. */
static void put_cell(struct io_buffer *out, int is_known, double value, int decimals)
{
    char text[32];
    if (!is_known) value = (double)NAN;
    io_printf(out, "<td>%s", plot_number(value, decimals, text));
}

/* A time; one of the day is sorted by its number. */
static void put_time(struct io_buffer *out, const struct plot_plan *plan, int is_known, double time)
{
    char text[32], number[32];
    if (!is_known) time = (double)NAN;
    if (plan->data->clock > 0.0 && isfinite(time))
        io_printf(out, "<td data-n=\"%s\">%s", plot_number(time, 2, number),
                  plot_time(plan, time, text));
    else
        io_printf(out, "<td>%s", plot_time(plan, time, text));
}

/* Vehicle, place on its route, and who is there. */
static void put_who(struct io_buffer *out, const struct plot_plan *plan, size_t i)
{
    const ucpo_stop *s = &plan->stops[i];
    const ucpo_instance_data *d = plan->data;
    char class[16];
    plot_vehicle_class((size_t)plan->route_of[i], class);
    io_printf(out,
              plot_stop_is_violated(plan, i)
                  ? "<tr class=\"violated\" data-v=\"%d\" data-s=\"%zu\">"
                  : "<tr data-v=\"%d\" data-s=\"%zu\">",
              (int)s->route, i);
    if (plan->is_terse)
        io_printf(out, "<td>%d<td>%d", (int)s->route, (int)plan->number[i]);
    else
        io_printf(out,
                  "<td><i class=\"swatch %s\"></i>%d<td><button type=\"button\" "
                  "class=\"pick\">%d</button>",
                  class, (int)s->route, (int)plan->number[i]);
    io_printf(out, plot_stop_is_return(plan, i) ? "<td data-n=\"0\">depot" : "<td>%d",
              (int)s->node);
    const char *const *texts[] = {d->id, d->label};
    for (int k = 0; k < 2; k++) {
        if (!texts[k]) continue;
        io_printf(out, "<td class=\"who\">");
        plot_svg_escape(out, s->is_unknown ? "" : texts[k][s->node]);
    }
}

static void put_stop(struct io_buffer *out, const struct plot_plan *plan, size_t i)
{
    const ucpo_stop *s = &plan->stops[i];
    const ucpo_instance_data *d = plan->data;
    char words[PLOT_WORDS];
    int decimals = plot_time_decimals(plan);
    put_who(out, plan, i);
    int is_known = !s->is_unknown;
    int32_t node = is_known ? s->node : 0;
    put_time(out, plan, is_known, s->arrive);
    if (d->due) {
        put_time(out, plan, is_known, d->ready[node]);
        put_time(out, plan, is_known, d->due[node]);
        put_cell(out, is_known, s->wait, decimals);
        put_time(out, plan, is_known, s->start);
        put_cell(out, is_known, s->late, decimals);
    }
    if (d->demand) put_cell(out, is_known, s->load, 4);
    if (d->limit) put_cell(out, is_known, d->limit[node], 4);
    io_printf(out, "<td class=\"words\">");
    plot_svg_escape(out, plot_stop_words(plan, i, words));
    io_printf(out, "</tr>\n");
}

static void put_stops(struct io_buffer *out, const struct plot_plan *plan)
{
    const ucpo_instance_data *d = plan->data;
    io_printf(out, "<h3>Stops</h3>\n<div class=\"scroll\"><table class=\"stops ucpo-plot "
                   "sortable\"><thead><tr>");
    put_head(out, "vehicle", 0);
    put_head(out, "stop", 0);
    put_head(out, "customer", 0);
    if (d->id) put_head(out, "id", 1);
    if (d->label) put_head(out, "name", 1);
    put_head(out, "arrival", 0);
    if (d->due) {
        put_head(out, "opens", 0);
        put_head(out, "closes", 0);
        put_head(out, "waiting", 0);
        put_head(out, "start", 0);
        put_head(out, "lateness", 0);
    }
    if (d->demand) put_head(out, d->limit ? "draft" : "load", 0);
    if (d->limit) put_head(out, "limit", 0);
    put_head(out, "violation", 1);
    io_printf(out, "</tr></thead><tbody>\n");
    for (size_t i = 0; i < plan->count; i++) put_stop(out, plan, i);
    io_printf(out, "</tbody></table></div>\n");
}

/* ---- data ---- */

static void put_array(struct io_buffer *out, const char *key, const double *values, int32_t count)
{
    if (!values) return;
    io_printf(out, ", \"%s\": [", key);
    for (int32_t i = 0; i < count; i++) {
        if (i) io_put(out, ",", 1);
        json_put_number(out, values[i]);
    }
    io_put(out, "]", 1);
}

/* A JSON string of the text as the page shows it: hidden characters by name. */
static void put_shown(struct io_buffer *out, const char *text)
{
    char one[TEXT_JSON], name[TEXT_NAMED];
    io_put(out, "\"", 1);
    for (size_t length; *text; text += length) {
        uint32_t code = 0;
        length = text_hidden(text, strnlen(text, 4), &code);
        if (length > 0)
            io_printf(out, "\\%s", text_name_hidden(code, name));
        else
            length = text_json_next(text, one), io_put(out, one, strlen(one));
    }
    io_put(out, "\"", 1);
}

static void put_texts(struct io_buffer *out, const char *key, const char *const *texts,
                      int32_t count)
{
    if (!texts) return;
    io_printf(out, ", \"%s\": [", key);
    for (int32_t i = 0; i < count; i++) {
        if (i) io_put(out, ",", 1);
        put_shown(out, texts[i]);
    }
    io_put(out, "]", 1);
}

/* A plan of thousands of stops: its routes only, the rest is in the table. */
static void put_routes(struct io_buffer *out, const struct plot_plan *plan)
{
    io_printf(out, ", \"solution\": {\"status\": \"%s\", \"cost\": ",
              plan->report.eval.is_feasible ? "feasible" : "infeasible");
    json_put_number(out, plan->report.eval.cost);
    io_printf(out, ", \"routes\": [");
    for (size_t r = 0; r < plan->route_count; r++) {
        struct plot_route route = plan->routes[r];
        io_printf(out, "%s{\"vehicle\": %d, \"nodes\": [", r ? ",\n" : "\n",
                  (int)plan->stops[route.first].route);
        int count = 0;
        for (size_t i = route.first; i < route.end; i++)
            if (!plot_stop_is_return(plan, i))
                io_printf(out, "%s%d", count++ ? "," : "", (int)plan->stops[i].node);
        io_printf(out, "]}");
    }
    io_printf(out, "]}}");
}

static void put_data(struct page *page, const struct plot_plan *plan, size_t index)
{
    const ucpo_instance_data *d = plan->data;
    struct io_buffer *out = &page->json;
    io_printf(out, "%s\n{\"index\": %zu, \"label\": ", index ? "," : "", index);
    put_shown(out, label_of(page, index));
    io_printf(out, ", \"decimals\": %d, \"capacity\": ", plan->decimals);
    json_put_number(out, d->capacity);
    put_texts(out, "ids", d->id, d->n);
    put_texts(out, "names", d->label, d->n);
    if (d->clock > 0.0) io_printf(out, ", \"clock\": %g", d->clock);
    if (plan->is_terse) {
        put_routes(out, plan);
        return;
    }
    put_array(out, "x", d->x, d->n);
    put_array(out, "y", d->y, d->n);
    put_array(out, "ready", d->ready, d->n);
    put_array(out, "due", d->due, d->n);
    put_array(out, "service", d->service, d->n);
    put_array(out, "demand", d->demand, d->n);
    put_array(out, "limit", d->limit, d->n);
    io_printf(out, ", \"solution\": {\n");
    plan_json_put(out, &plan->report, "  ");
    io_printf(out, "}}");
}

/* Inside a script element: JSON without anything that could end it. */
static void put_guarded(struct io_buffer *out, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] == '<' || bytes[i] == '>' || bytes[i] == '&')
            io_printf(out, "\\u%04x", (unsigned)bytes[i]);
        else
            io_put(out, bytes + i, 1);
}

/* ---- sections and index ---- */

static ucpo_status put_section(struct page *page, size_t index, ucpo_error *err)
{
    struct plot_plan plan;
    char name[PLOT_WORDS];
    ucpo_status st = plot_plan_make(ucpo_dataset_at(page->set, index),
                                    ucpo_plans_at(page->plans, index), &plan, err);
    if (st) return st;
    ucpo_cloud cloud = {0};
    if (page->options.clouds) cloud = page->options.clouds[index];
    st = plot_cloud_check(&cloud, err);
    plan.names = page->names;
    plan.is_terse = plan.count > TERSE_STOPS;
    io_printf(page->out, "<section class=\"plan\" id=\"plan-%zu\" data-plan=\"%zu\">\n", index,
              index);
    if (page->count > 1) put_element(page->out, "h2", name_of(page, &plan, index, name));
    put_verdict(page->out, &plan);
    put_vehicles(page->out, &plan);
    if (!st) st = put_pictures(page->out, &plan, plot_show_for(&plan, page->asked), &cloud, err);
    put_stops(page->out, &plan);
    io_printf(page->out, "</section>\n");
    put_data(page, &plan, index);
    plot_plan_free(&plan);
    return st;
}

static ucpo_status put_index_row(struct page *page, size_t index, ucpo_error *err)
{
    struct plot_plan plan;
    char name[PLOT_WORDS], words[PLOT_WORDS], cost[32];
    ucpo_status st = plot_plan_make(ucpo_dataset_at(page->set, index),
                                    ucpo_plans_at(page->plans, index), &plan, err);
    if (st) return st;
    int is_feasible = plan.report.eval.is_feasible, is_linked = index < page->sections;
    page->feasible += is_feasible != 0;
    page->tolerated += plan.report.eval.is_tolerated != 0;
    if (page->count > 1 && index < MOST_ROWS) {
        io_printf(page->out, "<tr class=\"%s\"><td>%zu</td><td class=\"words\">",
                  is_feasible ? "" : "violated", index);
        if (is_linked) io_printf(page->out, "<a href=\"#plan-%zu\">", index);
        plot_svg_escape(page->out, name_of(page, &plan, index, name));
        io_printf(page->out, "%s</td><td>%d</td><td>%d</td><td>%s</td><td class=\"words\">",
                  is_linked ? "</a>" : "", (int)plan.data->n - 1, (int)plan.report.eval.routes,
                  plot_number(plan.report.eval.cost, plan.decimals, cost));
        plot_svg_escape(page->out, plot_plan_verdict(&plan, words));
        io_printf(page->out, "</td></tr>\n");
    }
    plot_plan_free(&plan);
    return UCPO_OK;
}

/* The table of all plans; also counts the feasible ones. */
static ucpo_status make_index(struct page *page, ucpo_error *err)
{
    static const char *const heads[] = {"plan",   "instance", "customers",
                                        "routes", "cost",     "verdict"};
    int has_table = page->count > 1;
    ucpo_status st = UCPO_OK;
    if (has_table)
        io_printf(page->out, "<div class=\"scroll\"><table class=\"index sortable\"><thead><tr>");
    for (size_t k = 0; has_table && k < 6; k++) put_head(page->out, heads[k], k == 1 || k == 5);
    if (has_table) io_printf(page->out, "</tr></thead><tbody>\n");
    for (size_t i = 0; !st && i < page->count; i++) st = put_index_row(page, i, err);
    if (has_table) io_printf(page->out, "</tbody></table></div>\n");
    return st;
}

static void put_totals(struct page *page)
{
    struct io_buffer *out = page->out;
    size_t bad = page->count - page->feasible, unsolved = page->instances - page->count;
    if (page->instances == 1) return; /* its own verdict says it */
    if (bad + unsolved == 0)
        io_printf(out, "<p class=\"verdict good\">\xE2\x9C\x93 All %zu plans are feasible.</p>\n",
                  page->count);
    else
        io_printf(out,
                  "<p class=\"verdict bad\">\xE2\x9C\x97 %zu of %zu plans %s infeasible.</p>\n",
                  bad, page->count, bad == 1 ? "is" : "are");
    if (page->tolerated)
        io_printf(out, "<p class=\"note\">%zu of the feasible ones %s so within tolerance.</p>\n",
                  page->tolerated, page->tolerated == 1 ? "is" : "are");
    if (unsolved)
        io_printf(out, "<p class=\"bad-text\">%zu instance%s no plan.</p>\n", unsolved,
                  unsolved == 1 ? " has" : "s have");
    if (page->count > page->sections)
        io_printf(out,
                  "<p class=\"note\">The first %zu plans of %zu have a section below%s; option "
                  "'most' asks for more.</p>\n",
                  page->sections, page->count,
                  page->count > MOST_ROWS ? "; the table lists the first 1000" : "");
}

void plot_page_head(struct io_buffer *out, const char *title)
{
    io_printf(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                   "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
                   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                   "<meta name=\"color-scheme\" content=\"light dark\">\n");
    put_element(out, "title", title);
    io_printf(out, "\n<style>\n");
    plot_svg_style(out);
    io_printf(out, "\n%s%s</style>\n</head>\n<body>\n", plot_asset_plan_css, plot_asset_report_css);
    put_element(out, "h1", title);
    io_put(out, "\n", 1);
}

static ucpo_status put_page(struct page *page, ucpo_error *err)
{
    struct io_buffer index = {0}, *out = page->out;
    char title[PLOT_WORDS];
    page->out = &index; /* it counts what stands above it */
    ucpo_status st = make_index(page, err);
    page->out = out;
    struct plot_plan first = {0};
    if (!st) st = io_buffer_status(&index, err);
    if (!st)
        st = plot_plan_make(ucpo_dataset_at(page->set, 0), ucpo_plans_at(page->plans, 0), &first,
                            err);
    if (st) {
        io_buffer_free(&index);
        return st;
    }
    if (page->options.title)
        snprintf(title, sizeof title, "%s", page->options.title);
    else if (page->count > 1)
        snprintf(title, sizeof title, "%zu plans", page->count);
    else
        name_of(page, &first, 0, title);
    plot_plan_free(&first);
    plot_page_head(out, title);
    put_totals(page);
    io_put(out, index.bytes ? index.bytes : "", index.size);
    io_buffer_free(&index);
    for (size_t i = 0; !st && i < page->sections; i++) st = put_section(page, i, err);
    io_printf(out, "<script type=\"application/json\" id=\"ucpo-data\">\n"
                   "{\"schema\": \"ucpo.report/1\", \"plans\": [");
    put_guarded(out, page->json.bytes ? page->json.bytes : "", page->json.size);
    io_printf(out, "]}\n</script>\n<script>\n%s</script>\n</body>\n</html>\n",
              plot_asset_report_js);
    if (!st) st = io_buffer_status(&page->json, err);
    return st;
}

ucpo_status ucpo_report_html(const ucpo_dataset *set, const ucpo_plans *plans,
                             const ucpo_plot_config *config, char **bytes, size_t *size,
                             ucpo_error *err)
{
    struct io_buffer out = {0};
    struct page page = {.out = &out, .set = set, .plans = plans};
    page.options = ucpo_plot_config_default();
    if (!set || !plans || !bytes || !size)
        return status_argument(err, "set, plans, bytes and size must not be NULL");
    page.count = ucpo_plans_count(plans);
    page.instances = ucpo_dataset_count(set);
    if (page.count == 0) return status_fail(err, UCPO_E_MISMATCH, "there is no plan");
    if (page.count > page.instances)
        return status_fail(err, UCPO_E_MISMATCH, "there are %zu plans for %zu instances",
                           page.count, page.instances);
    ucpo_status st =
        sized_take(&page.options, sizeof page.options, config, "ucpo_plot_config", err);
    size_t most = page.options.most ? page.options.most : MOST;
    page.sections = page.count < most ? page.count : most;
    if (!st) st = plot_show_parse(page.options.show, &page.asked, err);
    if (!st) st = plot_names_parse(page.options.names, &page.names, err);
    if (!st) st = put_page(&page, err);
    io_buffer_free(&page.json);
    return io_buffer_give(&out, st, bytes, size, err);
}
