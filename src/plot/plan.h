/* Pictures of a plan: map, timeline, load. Every number in them is the checker's. */
#ifndef UCPO_PLOT_PLAN_H
#define UCPO_PLOT_PLAN_H

#include "io/plan.h"
#include "plot/plot.h"

/* ---- style sheets and script, put into the library by CMake (cmake/embed.cmake) ---- */

extern const char plot_asset_plan_css[], plot_asset_report_css[], plot_asset_report_js[];

/* ---- a checked plan (plan_data.c) ---- */

/* Rows first .. end - 1 of the schedule: the stops of a route, the return last. */
struct plot_route {
    size_t first, end;
};

/* What stands at the stops of the map. */
enum plot_names { PLOT_NAMES_ORDER, PLOT_NAMES_ID, PLOT_NAMES_NAME };

struct plot_plan {
    struct plan_report report;
    const ucpo_instance *inst;
    enum plot_names names;
    int is_terse; /* a page of so many stops that they get no element of their own where one path will do */
    const ucpo_instance_data *data;
    const ucpo_stop *stops;
    size_t count;
    struct plot_route *routes;
    size_t route_count;
    int32_t *route_of; /* stop -> index of its route */
    int32_t *number;   /* stop -> its place on the route, from 1; the return has the last */
    int decimals;      /* that make sense for lengths and times */
};

ucpo_status plot_plan_make(const ucpo_instance *inst, ucpo_plan nodes, struct plot_plan *out,
                           ucpo_error *err);
void plot_plan_free(struct plot_plan *plan);

/* From "order", "id", "name"; NULL: order. */
ucpo_status plot_names_parse(const char *word, enum plot_names *out, ucpo_error *err);

int plot_stop_is_return(const struct plot_plan *plan, size_t stop);
int plot_stop_is_violated(const struct plot_plan *plan, size_t stop);

enum { PLOT_VEHICLES = 7, PLOT_DASHES = 3 }; /* vehicle colours, then the same ones dashed */

/* Classes of a vehicle: "v3 d0". */
const char *plot_vehicle_class(size_t route, char buf[16]);

/* ---- words and numbers (plan_words.c): the same under every locale ---- */

enum { PLOT_WORDS = 512 };

/* At most `decimals` decimals, no closing zeros; "-" for NaN, "none" for infinity. Returns buf. */
const char *plot_number(double value, int decimals, char buf[32]);

/* A time: 08:30 if the instance has a clock, else a number. */
const char *plot_time(const struct plot_plan *plan, double time, char buf[32]);

/* Decimals of durations: minutes of a clock need one. */
int plot_time_decimals(const struct plot_plan *plan);

/* "12", or its id with its name: "K101 (Bakery)". */
const char *plot_node(const struct plot_plan *plan, int32_t node, char buf[PLOT_WORDS]);

/* "late 3.2 in all at 1 stop, 2 customers missing", or "" */
const char *plot_plan_words(const struct plot_plan *plan, char buf[PLOT_WORDS]);

/* What the verdict is not about, if reading left something out: "of the instance as read, ...", or "". */
const char *plot_plan_note(const struct plot_plan *plan);

/* "feasible", "feasible within tolerance 0.001: ..." or "infeasible: ..." */
const char *plot_plan_verdict(const struct plot_plan *plan, char buf[PLOT_WORDS]);

/* "late 3.2, over 2", or "" */
const char *plot_stop_words(const struct plot_plan *plan, size_t stop, char buf[PLOT_WORDS]);

/* "vehicle 1, stop 3: customer 12, arrives 5, ..." */
const char *plot_stop_title(const struct plot_plan *plan, size_t stop, char buf[PLOT_WORDS]);

/* What the picture shows, in one sentence for readers who cannot see it. */
const char *plot_plan_sentence(const struct plot_plan *plan, char buf[PLOT_WORDS]);
const char *plot_plan_name(const struct plot_plan *plan, char buf[PLOT_WORDS]);

/* Facts about a plan as pairs of words: "cost", "32". */
struct plot_fact {
    char key[24], value[96];
};

enum { PLOT_FACTS = 14 };

size_t plot_plan_facts(const struct plot_plan *plan, struct plot_fact facts[PLOT_FACTS]);

/* ---- which panels ---- */

enum plot_panels { PLOT_SHOW_MAP = 1, PLOT_SHOW_TIME = 2, PLOT_SHOW_LOAD = 4, PLOT_SHOW_CLOUD = 8 };

/* From "map,time,load,cloud"; NULL: 0, which stands for all that the instance has. */
ucpo_status plot_show_parse(const char *words, unsigned *out, ucpo_error *err);

/* The ones to draw for this instance. */
unsigned plot_show_for(const struct plot_plan *plan, unsigned asked);

/* ---- panels: each tells its height, then draws; width and place in pixels ---- */

struct plot_box {
    double left, top, width;
};

double plot_map_height(const struct plot_plan *plan, double width);
ucpo_status plot_map_draw(struct io_buffer *out, const struct plot_plan *plan, struct plot_box box,
                          ucpo_error *err);
double plot_time_height(const struct plot_plan *plan);
void plot_time_draw(struct io_buffer *out, const struct plot_plan *plan, struct plot_box box);
double plot_load_height(const struct plot_plan *plan);
void plot_load_draw(struct io_buffer *out, const struct plot_plan *plan, struct plot_box box);

ucpo_status plot_cloud_check(const ucpo_cloud *cloud, ucpo_error *err);
double plot_cloud_height(void);
void plot_cloud_draw(struct io_buffer *out, const ucpo_cloud *cloud, struct plot_box box);

/* ---- pages (report.c) ---- */

/* Everything up to the headline; the page ends with </body></html>. */
void plot_page_head(struct io_buffer *out, const char *title);

/* ---- small shapes (plan_shape.c) ---- */

void plot_rect(struct io_buffer *out, const char *look, double x, double y, double width,
               double height);
void plot_circle(struct io_buffer *out, const char *look, double x, double y, double radius);

/* A square on its tip: the mark of what is violated. */
void plot_diamond(struct io_buffer *out, const char *look, double x, double y, double half);

/* <g class="LOOK v0 d0" data-v="1" data-s="3"><title>...</title>, to be closed with </g>. */
void plot_stop_open(struct io_buffer *out, const struct plot_plan *plan, size_t stop,
                    const char *look);

/* A sentence in the place of a panel that cannot be drawn. */
void plot_note(struct io_buffer *out, struct plot_box box, double height, const char *text);

/* Estimated width of a text of 11 or 12 pixels. */
double plot_text_width(const char *text, double size);

#endif
