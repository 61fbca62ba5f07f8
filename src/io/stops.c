/* CSV of stops: cells to an instance. Columns are found by stops_columns.c.
 *
 * Times of the day, and all times beside degrees, are minutes; lengths beside them are kilometres. */
#include "io/stops.h"

#include "core/text.h"
#include "io/clock.h"
#include "io/json_foreign.h"
#include "io/left_out.h"
#include "io/text_common.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DAY           1440.0 /* minutes */
#define DEFAULT_SPEED 40.0   /* km/h: vans in and between towns */

/* A time of a row, before all rows are known. */
struct moment {
    double value; /* minutes of the day, or a plain number; NaN: the cell is empty */
    int32_t day;
};

/* What became of a window without a date that does not lie within the depot's day. */
enum midnight { SAME_DAY, OVER_MIDNIGHT, NEXT_DAY };

struct stops {
    const struct io_source *source;
    struct io_table table;
    struct stops_head head;
    size_t n, depot;            /* rows behind the head line; which of them is the depot */
    size_t *row;                /* of node k: row of the table */
    struct moment *ready, *due; /* by node */
    uint8_t *midnight;          /* by node, enum midnight */
    double *x, *y, *opens, *closes, *service, *demand; /* by node */
    const char **id, **label;
    int is_clock, is_plain, has_date, has_zone, zone; /* what the times look like so far */
    long clock_line;                                  /* where the first time stood */
    char name[IO_NAME_SIZE];
    struct io_matrices matrices;
    ucpo_file_notes file;
    ucpo_instance_data data;
    struct mem_pool pool; /* holds the arrays */
};

static int has(const struct stops *s, enum stops_column column)
{
    return s->head.place[column] >= 0;
}

static const char *cell_of(const struct stops *s, size_t node, enum stops_column column)
{
    return io_table_at(&s->table, s->row[node], s->head.place[column]);
}

static long line_of(const struct stops *s, size_t node)
{
    return s->table.row[s->row[node]].line;
}

/* As the file calls it. */
static const char *heading_of(const struct stops *s, enum stops_column column)
{
    return io_table_at(&s->table, 0, s->head.place[column]);
}

static ucpo_status wrong(const struct stops *s, size_t node, enum stops_column column,
                         const char *expected, ucpo_error *err)
{
    const char *cell = cell_of(s, node, column);
    return status_format(err, s->source->label, line_of(s, node), "%.40s is '%.60s', expected %s",
                         heading_of(s, column), cell, expected);
}

/* Lines of the rows for which `is_meant` says yes, "" if there are none. */
static void list_lines(const struct stops *s, int (*is_meant)(const struct stops *, size_t),
                       char *out, size_t size)
{
    enum { SHOWN = 8 };

    size_t count = 0;
    out[0] = '\0';
    for (size_t k = 0; k < s->n; k++) {
        if (!is_meant(s, k) || count++ > SHOWN) continue;
        if (count <= SHOWN)
            text_append(out, size, ", ", "%ld", line_of(s, k));
        else
            text_append(out, size, ", ", "...");
    }
}

/* ---- numbers and times ---- */

/* A decimal comma is understood where commas do not separate columns. */
static int parse_number(const struct stops *s, const char *cell, double *out)
{
    char text[48];
    size_t length = strlen(cell);
    const char *comma = strchr(cell, ',');
    if (comma && s->table.separator != ',' && length < sizeof text && !strchr(cell, '.') &&
        !strchr(comma + 1, ',')) {
        memcpy(text, cell, length + 1);
        text[comma - cell] = '.';
        cell = text;
    }
    return io_parse_number(cell, length, out);
}

/* A number >= low; an empty cell leaves *out as it is. */
static ucpo_status take_number(const struct stops *s, size_t node, enum stops_column column,
                               double low, const char *expected, double *out, ucpo_error *err)
{
    const char *cell = cell_of(s, node, column);
    double value;
    if (!cell[0]) return UCPO_OK;
    if (!parse_number(s, cell, &value) || value < low) return wrong(s, node, column, expected, err);
    *out = value;
    return UCPO_OK;
}

static ucpo_status mixed(const struct stops *s, size_t node, const char *cell, const char *what,
                         ucpo_error *err)
{
    const char *hint = s->is_clock ? " (such as 8:00)" : "";
    if (line_of(s, node) == s->clock_line)
        return status_format(err, s->source->label, s->clock_line,
                             "'%s' is %s, unlike the other time of this row: expected the same "
                             "throughout%s",
                             cell, what, hint);
    return status_format(err, s->source->label, line_of(s, node),
                         "'%s' is %s, unlike in line %ld: expected the same in all rows%s", cell,
                         what, s->clock_line, hint);
}

static ucpo_status take_moment(struct stops *s, size_t node, const char *text, size_t length,
                               struct moment *out, int *is_good, ucpo_error *err)
{
    char cell[48];
    struct io_time time;
    double number;
    *is_good = 1;
    *out = (struct moment){.value = (double)NAN};
    if (length == 0) return UCPO_OK;
    snprintf(cell, sizeof cell, "%.*s", (int)(length < 47 ? length : 47), text);
    int is_first = !s->is_clock && !s->is_plain;
    if (is_first) s->clock_line = line_of(s, node);
    if (io_parse_time(text, length, &time)) {
        if (s->is_plain) return mixed(s, node, cell, "a time of the day", err);
        if (!is_first && time.has_date != s->has_date)
            return mixed(s, node, cell,
                         time.has_date ? "a time with a date" : "a time without a date", err);
        if (!is_first && (time.has_zone != s->has_zone || time.zone != s->zone))
            return mixed(s, node, cell, "a time of another time zone", err);
        s->is_clock = 1;
        s->has_date = time.has_date;
        s->has_zone = time.has_zone;
        s->zone = time.zone;
        *out = (struct moment){time.seconds / 60.0, time.day};
        return UCPO_OK;
    }
    *is_good =
        length < sizeof cell && !io_looks_like_time(text, length) && parse_number(s, cell, &number);
    if (!*is_good) return UCPO_OK;
    if (s->is_clock) return mixed(s, node, cell, "a plain number as a time", err);
    s->is_plain = 1;
    out->value = number;
    return UCPO_OK;
}

/* "08:30-10:00", also with an en dash or blanks around; the dashes of a date are none. */
static const char *find_dash(const char *cell, size_t *width)
{
    int is_dated = strspn(cell, "0123456789") == 4 && cell[4] == '-';
    for (const char *at = cell; *at; at++) {
        int is_long = memcmp(at, "\xE2\x80\x93", strlen(at) < 3 ? 1 : 3) == 0 && strlen(at) >= 3;
        int is_date = is_dated && (at - cell == 4 || at - cell == 7);
        if (!is_long && (*at != '-' || (is_date && strlen(cell) > 12) || at == cell)) continue;
        *width = is_long ? 3 : 1;
        return at;
    }
    return NULL;
}

static ucpo_status take_window(struct stops *s, size_t node, ucpo_error *err)
{
    static const char expected[] = "a span such as 08:30-10:00";
    const char *cell = cell_of(s, node, STOPS_WINDOW);
    s->ready[node].value = s->due[node].value = (double)NAN;
    if (!cell[0]) return UCPO_OK;
    size_t width = 0;
    const char *dash = find_dash(cell, &width);
    if (!dash) return wrong(s, node, STOPS_WINDOW, expected, err);
    const char *second = dash + width;
    size_t length = (size_t)(dash - cell);
    while (length > 0 && cell[length - 1] == ' ') length--;
    while (*second == ' ') second++;
    int is_good, is_good_too;
    ucpo_status st = take_moment(s, node, cell, length, &s->ready[node], &is_good, err);
    if (!st) st = take_moment(s, node, second, strlen(second), &s->due[node], &is_good_too, err);
    if (!st && (!is_good || !is_good_too)) st = wrong(s, node, STOPS_WINDOW, expected, err);
    return st;
}

static ucpo_status take_times(struct stops *s, size_t node, ucpo_error *err)
{
    static const char expected[] =
        "a number, a time such as 08:30, 8:30 AM, 08h30 or 2026-03-01T08:30, or nothing";
    if (has(s, STOPS_WINDOW)) return take_window(s, node, err);
    const char *from = cell_of(s, node, STOPS_READY), *to = cell_of(s, node, STOPS_DUE);
    int is_good;
    ucpo_status st = take_moment(s, node, from, strlen(from), &s->ready[node], &is_good, err);
    if (!st && !is_good) st = wrong(s, node, STOPS_READY, expected, err);
    if (!st) st = take_moment(s, node, to, strlen(to), &s->due[node], &is_good, err);
    if (!st && !is_good) st = wrong(s, node, STOPS_DUE, expected, err);
    return st;
}

/* ---- rows ---- */

static const char *const depot_words[] = {"depot", "dépôt", "depôt", "warehouse", "hub",
                                          "base",  "start", "lager", "entrepôt",  "entrepot"};

enum { DEPOT_WORDS = sizeof depot_words / sizeof depot_words[0] };

static const char stop_words[] =
    "stop customer client delivery drop job order visit site shop store place kunde stopp halt "
    "lieferung auftrag filiale zustellung livraison arrêt arret commande";

/* What has no counterpart: not a stop like others. */
static const char other_words[] = "pickup pickups collection backhaul return returns break pause "
                                  "lunch shipment abholung retoure rückholung ramassage enlèvement";

enum kind { KIND_NONE, KIND_DEPOT, KIND_STOP, KIND_OTHER, KIND_LIKE_DEPOT, KIND_UNKNOWN };

static enum kind kind_of(const char *cell)
{
    char word[24];
    size_t length = strlen(cell);
    if (length == 0) return KIND_NONE;
    if (length >= sizeof word) return KIND_UNKNOWN;
    for (size_t k = 0; k <= length; k++) word[k] = text_lower(cell[k]);
    for (size_t k = 0; k < DEPOT_WORDS; k++)
        if (strcmp(word, depot_words[k]) == 0) return KIND_DEPOT;
    if (text_word_index(stop_words, word) >= 0) return KIND_STOP;
    if (text_word_index(other_words, word) >= 0) return KIND_OTHER;
    for (size_t k = 0; length >= 5 && k < DEPOT_WORDS; k++)
        if (text_distance(word, depot_words[k]) <= 1) return KIND_LIKE_DEPOT;
    return KIND_UNKNOWN;
}

/* Words in the column of kinds that we do not know. */
static ucpo_status name_kind(const struct stops *s, size_t row, size_t count, enum kind kind,
                             ucpo_error *err)
{
    const char *cell = io_table_at(&s->table, row, s->head.place[STOPS_KIND]);
    long line = s->table.row[row].line;
    int is_like_depot = kind == KIND_LIKE_DEPOT;
    if (kind == KIND_OTHER)
        return io_leave_out(UCPO_READ_EITHER, s->source, line, err,
                            "kind is '%.40s'%s: ucpo has deliveries of one day's load only (option "
                            "'ignore_unsupported' takes it as a stop)",
                            cell, count > 1 ? ", and others" : "");
    if (is_like_depot)
        return io_object_to(
            IO_MISSPELT, s->source, line, err,
            "kind is '%.40s', did you mean 'depot'? (option 'ignore_unsupported' takes it "
            "as a stop)",
            cell);
    return io_object_to(IO_UNKNOWN, s->source, line, err,
                        "kind is '%.40s'%s, expected depot (warehouse, hub, base, ...), stop "
                        "(customer, delivery, ...) or nothing: taken as a stop",
                        cell, count > 1 ? ", and others" : "");
}

/* The row whose kind says so, else the first. */
static ucpo_status find_depot(struct stops *s, ucpo_error *err)
{
    size_t found = 0, like = 0, unknown = 0, other = 0, count = 0, others = 0;
    for (size_t r = 1; r < s->table.rows; r++) {
        enum kind kind = kind_of(io_table_at(&s->table, r, s->head.place[STOPS_KIND]));
        if (kind == KIND_LIKE_DEPOT && !like) like = r;
        if (kind == KIND_UNKNOWN && !unknown) unknown = r;
        if (kind == KIND_OTHER && !other) other = r;
        count += kind == KIND_UNKNOWN;
        others += kind == KIND_OTHER;
        if (kind != KIND_DEPOT) continue;
        if (found)
            return status_fail_at(err, UCPO_E_UNSUPPORTED, s->source->label, s->table.row[r].line,
                                  "a second depot (the first is in line %ld): ucpo plans with one, "
                                  "where all routes begin and end",
                                  s->table.row[found].line);
        found = r;
    }
    s->depot = found ? found - 1 : 0;
    ucpo_status st = like ? name_kind(s, like, 1, KIND_LIKE_DEPOT, err) : UCPO_OK;
    if (!st && other) st = name_kind(s, other, others, KIND_OTHER, err);
    return st || !unknown ? st : name_kind(s, unknown, count, KIND_UNKNOWN, err);
}

static ucpo_status check_ids(const struct stops *s, ucpo_error *err)
{
    size_t first, second;
    int found = io_find_duplicate(s->id, s->n, &first, &second);
    if (found < 0) return status_no_memory(err, s->n * sizeof *s->id);
    if (!found) return UCPO_OK;
    long a = line_of(s, first), b = line_of(s, second);
    return io_object_to(
        IO_DOUBLE, s->source, a > b ? a : b, err,
        "id '%.60s' stands in line %ld as well, expected ids that differ (option "
        "'columns' id=HEAD names another column, option 'ignore_unsupported' keeps both)",
        s->id[first], a > b ? b : a);
}

/* Every cell of a row stands below a heading, and every column of a stop has a cell. */
static ucpo_status check_row(const struct stops *s, size_t r, ucpo_error *err)
{
    const struct io_row_of *head = &s->table.row[0], *row = &s->table.row[r];
    for (size_t k = head->count; k < row->count; k++)
        if (io_table_at(&s->table, r, (int)k)[0])
            return status_format(err, s->source->label, row->line,
                                 "the row has more columns than the head line, which has %zu "
                                 "('%.40s' is too much; a text with a separator needs quotes)",
                                 head->count, io_table_at(&s->table, r, (int)k));
    for (int c = 0; c < STOPS_KIND; c++) /* the rest may stand in the depot's row only */
        if (s->head.place[c] >= (int)row->count)
            return status_format(err, s->source->label, row->line,
                                 "the row has %zu columns, the head line %zu: '%.40s' is missing",
                                 row->count, head->count, heading_of(s, (enum stops_column)c));
    return UCPO_OK;
}

static ucpo_status check_rows(const struct stops *s, ucpo_error *err)
{
    const struct io_row_of *head = &s->table.row[0];
    if (s->n < 2 || s->n > IO_MAX_NODES)
        return status_format(err, s->source->label, head->line,
                             "%zu row%s behind the head line, expected 2 .. %d (the depot and at "
                             "least one stop)",
                             s->n, s->n == 1 ? "" : "s", IO_MAX_NODES);
    ucpo_status st = UCPO_OK;
    for (size_t r = 1; !st && r < s->table.rows; r++) st = check_row(s, r, err);
    return st;
}

static ucpo_status expect_places(const struct stops *s, ucpo_error *err)
{
    int has_xy = has(s, STOPS_X) && has(s, STOPS_Y),
        has_degrees = has(s, STOPS_LAT) && has(s, STOPS_LON);
    if (has_xy || has_degrees || s->source->options->matrix) return UCPO_OK;
    char heads[200] = "";
    for (size_t k = 0; k < s->table.row[0].count; k++)
        text_append(heads, sizeof heads, ", ", "%s", io_table_at(&s->table, 0, (int)k));
    return status_format(
        err, s->source->label, s->table.row[0].line,
        "no columns lat and lon, nor x and y, among: %s (option 'columns' lat=HEAD,lon=HEAD "
        "says which they are; option 'matrix' FILE does without)",
        heads);
}

static ucpo_status allocate(struct stops *s, ucpo_error *err)
{
    double **array[] = {&s->x, &s->y, &s->opens, &s->closes, &s->service, &s->demand};
    size_t n = s->n;
    s->row = mem_take(&s->pool, n, sizeof *s->row, err);
    s->ready = mem_take(&s->pool, n, sizeof *s->ready, err);
    s->due = mem_take(&s->pool, n, sizeof *s->due, err);
    s->id = mem_take(&s->pool, n, sizeof *s->id, err);
    s->label = mem_take(&s->pool, n, sizeof *s->label, err);
    s->midnight = mem_take(&s->pool, n, sizeof *s->midnight, err);
    for (size_t k = 0; k < sizeof array / sizeof array[0]; k++)
        *array[k] = mem_take(&s->pool, n, sizeof(double), err);
    if (s->pool.has_failed) return UCPO_E_MEMORY;
    s->row[0] = s->depot + 1;
    for (size_t k = 1; k < n; k++) s->row[k] = k <= s->depot ? k : k + 1;
    return UCPO_OK;
}

static ucpo_status take_place(struct stops *s, size_t node, enum stops_column column, double *out,
                              ucpo_error *err)
{
    if (!has(s, column)) return UCPO_OK;
    double most = column == STOPS_LAT ? 90.0 : column == STOPS_LON ? 180.0 : HUGE_VAL;
    const char *expected = column == STOPS_LAT   ? "degrees from -90 to 90"
                           : column == STOPS_LON ? "degrees from -180 to 180"
                                                 : "a number";
    if (!cell_of(s, node, column)[0]) return wrong(s, node, column, expected, err);
    ucpo_status st = take_number(s, node, column, -most, expected, out, err);
    return st || *out <= most ? st : wrong(s, node, column, expected, err);
}

static ucpo_status take_row(struct stops *s, size_t node, ucpo_error *err)
{
    int is_degrees = s->data.metric == UCPO_METRIC_HAVERSINE;
    ucpo_status st = take_place(s, node, is_degrees ? STOPS_LAT : STOPS_X, &s->x[node], err);
    if (!st) st = take_place(s, node, is_degrees ? STOPS_LON : STOPS_Y, &s->y[node], err);
    if (!st) st = take_times(s, node, err);
    if (!st) st = take_number(s, node, STOPS_SERVICE, 0.0, "a number >= 0", &s->service[node], err);
    if (!st) st = take_number(s, node, STOPS_DEMAND, 0.0, "a number >= 0", &s->demand[node], err);
    s->id[node] = cell_of(s, node, STOPS_ID);
    s->label[node] = cell_of(s, node, STOPS_NAME);
    return st;
}

static int has_no_demand(const struct stops *s, size_t node)
{
    return node > 0 && has(s, STOPS_DEMAND) && !cell_of(s, node, STOPS_DEMAND)[0];
}

static void warn_about_loads(const struct stops *s)
{
    char lines[200];
    list_lines(s, has_no_demand, lines, sizeof lines);
    if (lines[0])
        io_warn(s->source, 0, "no %.40s in line %s: counted as 0", heading_of(s, STOPS_DEMAND),
                lines);
}

static ucpo_status take_rows(struct stops *s, ucpo_error *err)
{
    int is_degrees = has(s, STOPS_LAT) && has(s, STOPS_LON);
    s->data.metric = is_degrees ? UCPO_METRIC_HAVERSINE : UCPO_METRIC_EUCLID;
    ucpo_status st = UCPO_OK;
    for (size_t k = 0; !st && k < s->n; k++) st = take_row(s, k, err);
    if (!st) st = check_ids(s, err);
    if (st) return st;
    if (s->demand[0] != 0.0 && has(s, STOPS_DEMAND))
        io_warn(s->source, line_of(s, 0), "the demand %g of the depot, '%.40s', is ignored (%s)",
                s->demand[0], s->label[0][0] ? s->label[0] : s->id[0],
                s->depot ? "a column says that it is the depot"
                         : "the first row is the depot, unless a column 'kind' names another");
    warn_about_loads(s);
    if (s->service[0] != 0.0)
        io_warn(s->source, line_of(s, 0), "service time %g of the depot is ignored", s->service[0]);
    s->demand[0] = s->service[0] = 0.0;
    return UCPO_OK;
}

/* ---- lengths and times ---- */

static int in_minutes(const struct stops *s)
{
    return s->is_clock || s->data.metric == UCPO_METRIC_HAVERSINE || s->matrices.is_osrm;
}

#define FAR 1.0 /* kilometres: more than the way from a house to its road */

/* Places of the matrix that lie elsewhere than their rows: probably in another order. */
static void compare_places(const struct stops *s)
{
    const struct io_matrices *m = &s->matrices;
    size_t count = 0, worst = 0;
    double most = FAR;
    if (!m->lat || s->data.metric != UCPO_METRIC_HAVERSINE) return;
    for (size_t k = 0; k < s->n; k++) {
        size_t place = s->row[k] - 1;
        double x[] = {s->x[k], m->lat[place]}, y[] = {s->y[k], m->lon[place]};
        ucpo_instance_data pair = {.n = 2, .x = x, .y = y, .metric = UCPO_METRIC_HAVERSINE};
        double apart = geometry_length(&pair, 0, 1);
        count += apart > FAR;
        if (apart <= most) continue;
        most = apart;
        worst = k;
    }
    if (count == 0) return;
    size_t place = s->row[worst] - 1;
    io_warn(s->source, line_of(s, worst),
            "place %zu of %s lies at %.5g, %.5g, %.3g km from this row (%zu of %zu "
            "places lie more than %g km from theirs): are they in the order of the rows?",
            place, s->source->options->matrix, m->lat[place], m->lon[place], most, count, s->n,
            FAR);
}

static ucpo_status load_matrices(struct stops *s, ucpo_error *err)
{
    const char *path = s->source->options->matrix;
    if (!path) return UCPO_OK;
    ucpo_status st = json_matrices_load(path, s->n, &s->pool, &s->matrices, err);
    if (st) return st;
    compare_places(s);
    json_matrices_move(&s->matrices, s->depot);
    s->data.cost = s->matrices.cost;
    s->data.duration = s->matrices.duration;
    json_warn_about_islands(s->source, s->data.cost, s->n, s->id);
    return UCPO_OK;
}

static int has_times(const struct stops *s)
{
    return has(s, STOPS_READY) || has(s, STOPS_DUE) || has(s, STOPS_WINDOW) ||
           has(s, STOPS_SERVICE);
}

/* A matrix without times needs a speed where times matter. */
static ucpo_status settle_matrix_speed(struct stops *s, ucpo_error *err)
{
    const ucpo_read_config *o = s->source->options;
    s->data.speed = 0.0;
    if (!s->matrices.is_length_only) {
        if (o->speed > 0.0) io_no_effect(s->source, "speed", "the matrix has durations");
        return UCPO_OK;
    }
    if (o->speed > 0.0) {
        s->data.speed = in_minutes(s) ? o->speed / 60.0 : o->speed;
    } else if (s->matrices.is_osrm && has_times(s)) {
        return status_format(
            err, o->matrix, 0,
            "holds distances, but no durations: pass option 'speed' in km/h, or ask the "
            "service for durations as well");
    } else if (s->matrices.is_osrm) {
        s->data.speed = DEFAULT_SPEED / 60.0;
        io_warn(s->source, 0,
                "the matrix has no durations: travel times are its distances at %g km/h "
                "(option 'speed' changes it)",
                DEFAULT_SPEED);
    }
    return UCPO_OK;
}

/* Seconds and metres of a road matrix become minutes and kilometres. */
static ucpo_status settle_units(struct stops *s, ucpo_error *err)
{
    const ucpo_read_config *o = s->source->options;
    if (s->matrices.is_osrm) {
        json_matrices_scale(&s->matrices, 1e-3, 1.0 / 60.0);
        s->data.cost_unit = s->matrices.is_time_only ? "min" : "km";
    }
    for (size_t k = 0; k < s->n; k++) s->service[k] *= s->head.minutes;
    if (s->data.cost) return settle_matrix_speed(s, err);
    if (!in_minutes(s)) {
        s->data.speed = o->speed;
        return UCPO_OK;
    }
    s->data.speed = (o->speed > 0.0 ? o->speed : DEFAULT_SPEED) / 60.0;
    if (o->speed <= 0.0)
        io_warn(s->source, 0,
                "travel times are straight lines at %g km/h (option 'speed' changes it, "
                "option 'matrix' "
                "takes those of a road network)",
                DEFAULT_SPEED);
    return UCPO_OK;
}

static double travel_time(const struct stops *s, int32_t from, int32_t to)
{
    size_t entry = (size_t)from * s->n + (size_t)to;
    if (s->data.duration) return s->data.duration[entry];
    double cost = s->data.cost ? s->data.cost[entry] : geometry_length(&s->data, from, to);
    return s->data.speed > 0.0 ? cost / s->data.speed : cost;
}

/* Latest whole minute from which every opening, or without one every deadline, can be met: leaving earlier would
 * only mean waiting, unless a stop may be served before that minute (is_guess). */
static double opening_of_depot(const struct stops *s)
{
    double opening = HUGE_VAL;
    for (size_t k = 1; k < s->n; k++) {
        double first = isnan(s->ready[k].value) ? s->closes[k] : s->opens[k];
        if (isfinite(first)) opening = fmin(opening, floor(first - travel_time(s, 0, (int32_t)k)));
    }
    return isfinite(opening) ? opening : 0.0;
}

/* Whether who leaves earlier than we think could serve more in time: a stop has no opening of its own, and
 * something has a deadline. */
static int is_guess(const struct stops *s)
{
    int is_open = 0, has_deadline = 0;
    for (size_t k = 0; k < s->n; k++) {
        is_open |= k > 0 && isnan(s->ready[k].value);
        has_deadline |= isfinite(s->closes[k]);
    }
    return is_open && has_deadline;
}

/* Windows without a date that end before the depot opens belong to the next morning, unless the depot
 * is closed then. */
static void move_past_midnight(struct stops *s, size_t node)
{
    if (!s->is_clock || s->has_date || isnan(s->ready[0].value)) return;
    if (s->closes[node] >= s->opens[0]) return;
    s->midnight[node] = NEXT_DAY;
    double opens = isnan(s->ready[node].value) ? s->closes[node] : s->opens[node];
    if (s->closes[0] < opens + DAY) return;
    s->closes[node] += DAY;
    if (!isnan(s->ready[node].value)) s->opens[node] += DAY;
}

#define LONG_NIGHT                                                                                 \
    720.0 /* minutes: a longer window over midnight is rather one with its ends swapped */

static int is_strange_night(const struct stops *s, size_t node)
{
    if (s->midnight[node] != OVER_MIDNIGHT) return 0;
    return s->closes[node] - s->opens[node] > LONG_NIGHT || (node > 0 && s->closes[0] < DAY);
}

static int is_before_opening(const struct stops *s, size_t node)
{
    return s->midnight[node] == NEXT_DAY && s->closes[node] < s->opens[0];
}

/* "07:30", for messages. */
static const char *clock_of(double minutes, char *buf, size_t size)
{
    double day = floor(minutes / DAY);
    int rest = (int)floor(minutes - day * DAY);
    snprintf(buf, size, "%02d:%02d%s", rest / 60, rest % 60,
             day < 0.0   ? " of the day before"
             : day > 0.0 ? " of a later day"
                         : "");
    return buf;
}

static void warn_about_nights(const struct stops *s)
{
    char lines[200];
    size_t first = 0;
    while (first < s->n && !is_strange_night(s, first)) first++;
    list_lines(s, is_strange_night, lines, sizeof lines);
    if (first < s->n) {
        char opens[48], closes[48];
        io_warn(s->source, line_of(s, first),
                "'%.40s' is open from %s to %s, over midnight: longer than 12 hours, or the depot "
                "is closed by then; are the two exchanged? (line %s)",
                s->label[first][0] ? s->label[first] : s->id[first],
                clock_of(s->opens[first], opens, sizeof opens),
                clock_of(s->closes[first], closes, sizeof closes), lines);
    }
    list_lines(s, is_before_opening, lines, sizeof lines);
    if (lines[0])
        io_warn(s->source, 0,
                "windows that end before the depot opens: line %s (not taken as the next "
                "day's, when the depot is closed)",
                lines);
}

static ucpo_status settle_window(struct stops *s, size_t node, int32_t first_day, ucpo_error *err)
{
    const struct moment *from = &s->ready[node], *to = &s->due[node];
    s->opens[node] = from->value + DAY * (s->has_date ? from->day - first_day : 0);
    s->closes[node] = to->value + DAY * (s->has_date ? to->day - first_day : 0);
    if (isnan(to->value)) s->closes[node] = (double)INFINITY;
    if (s->opens[node] <= s->closes[node] || isnan(from->value)) return UCPO_OK;
    if (s->is_clock && !s->has_date) {
        s->closes[node] += DAY;
        s->midnight[node] = OVER_MIDNIGHT;
        return UCPO_OK;
    }
    return status_format(err, s->source->label, line_of(s, node),
                         "the window opens after it closes");
}

static ucpo_status settle_windows(struct stops *s, ucpo_error *err)
{
    int32_t first_day = INT32_MAX;
    for (size_t k = 0; k < s->n; k++) {
        if (!isnan(s->ready[k].value) && s->ready[k].day < first_day) first_day = s->ready[k].day;
        if (!isnan(s->due[k].value) && s->due[k].day < first_day) first_day = s->due[k].day;
    }
    ucpo_status st = UCPO_OK;
    for (size_t k = 0; !st && k < s->n; k++) st = settle_window(s, k, first_day, err);
    if (st) return st;
    for (size_t k = 1; k < s->n; k++) move_past_midnight(s, k);
    warn_about_nights(s);
    if (isnan(s->ready[0].value)) {
        char text[48];
        s->opens[0] = s->is_clock ? opening_of_depot(s) : 0.0;
        if (s->opens[0] > s->closes[0]) s->opens[0] = s->closes[0];
        if (s->is_clock)
            io_warn(s->source, line_of(s, 0),
                    "the depot has no opening time: vehicles may leave from %s on, in "
                    "time for the earliest stops",
                    clock_of(s->opens[0], text, sizeof text));
        if (s->is_clock && is_guess(s))
            st = io_left_add(s->source, line_of(s, 0), UCPO_READ_HARDER,
                             "the depot has no opening time: vehicles leave when the first stop "
                             "can be reached in time, not earlier",
                             err);
        if (st) return st;
    }
    for (size_t k = 1; k < s->n; k++)
        if (isnan(s->ready[k].value)) s->opens[k] = fmin(s->opens[0], s->closes[k]);
    if (s->is_clock) s->data.clock = 60.0;
    if (s->is_clock && s->has_date) s->data.clock_day = first_day;
    return UCPO_OK;
}

/* ---- the problem ---- */

/* Capacity and fleet stand in the depot's row. Other rows may repeat them; something else there is about other
 * vehicles, or is no capacity at all. */
static ucpo_status compare_fleet(const struct stops *s, enum stops_column column, double asked,
                                 ucpo_error *err)
{
    double own = 0.0;
    ucpo_status st = take_number(s, 0, column, 0.0, "a number", &own, err);
    for (size_t k = 1; !st && has(s, column) && asked == 0.0 && k < s->n; k++) {
        double here = own;
        st = take_number(s, k, column, 0.0, "a number", &here, err);
        if (!st && here != own)
            return io_leave_out(here > own ? UCPO_READ_HARDER : UCPO_READ_EASIER, s->source,
                                line_of(s, k), err,
                                "%s is %g, in the depot's row %g: ucpo plans with vehicles of one "
                                "kind (option 'ignore_unsupported' takes the depot's)",
                                stops_column_name(column), here, own);
    }
    return st;
}

static ucpo_status take_fleet(struct stops *s, ucpo_error *err)
{
    double capacity = 0.0, vehicles = 0.0;
    ucpo_status st = take_number(s, 0, STOPS_CAPACITY, 0.0, "a number > 0", &capacity, err);
    if (!st) st = take_number(s, 0, STOPS_VEHICLES, 0.0, "a whole number", &vehicles, err);
    if (!st && (vehicles != floor(vehicles) || vehicles > INT32_MAX))
        st = wrong(s, 0, STOPS_VEHICLES, "a whole number", err);
    s->data.capacity = capacity;
    s->data.vehicles = (int32_t)vehicles;
    const ucpo_read_config *o = s->source->options;
    if (!st) st = compare_fleet(s, STOPS_CAPACITY, o->capacity, err);
    if (!st) st = compare_fleet(s, STOPS_VEHICLES, o->vehicles, err);
    return st;
}

static ucpo_status settle_problem(struct stops *s, ucpo_error *err)
{
    const ucpo_read_config *o = s->source->options;
    ucpo_instance_data *d = &s->data;
    ucpo_status st = take_fleet(s, err);
    if (st) return st;
    double capacity = o->capacity > 0.0 ? o->capacity : d->capacity;
    int has_fleet = has(s, STOPS_DEMAND) || capacity > 0.0 || d->vehicles > 0 || o->vehicles != 0;
    const struct prob_ops *asked = o->problem ? prob_find(o->problem) : NULL;
    int is_tour = asked ? asked->max_vehicles == 1 : !has_fleet;
    d->problem = prob_name_with(is_tour ? PROB_TIMED_TOUR : PROB_TIMED_FLEET);
    if (asked && (!is_tour || asked->needs == 0)) d->problem = asked->info.name;
    if (is_tour) {
        if (has(s, STOPS_DEMAND))
            io_warn(s->source, 0, "one tour, the column of demands is not used");
        d->capacity = 0.0;
        d->vehicles = 0;
        return UCPO_OK;
    }
    if (!has(s, STOPS_DEMAND) && capacity > 0.0)
        io_warn(s->source, 0,
                "there is a capacity, but no column of demands: every stop counts 1 of %g",
                capacity);
    if (!has(s, STOPS_DEMAND)) /* each stop counts 1 */
        for (size_t k = 1; k < s->n; k++) s->demand[k] = 1.0;
    if (!has(s, STOPS_DEMAND) && capacity <= 0.0) d->capacity = (double)s->n;
    if (has(s, STOPS_DEMAND) && capacity <= 0.0)
        return status_format(err, s->source->label, s->table.row[0].line,
                             "there are demands, but no capacity: pass option 'capacity' Q (and "
                             "option 'vehicles' K), or "
                             "option 'problem' %s for one tour without loads",
                             prob_name_with(PROB_TIMED_TOUR));
    d->demand = s->demand;
    return UCPO_OK;
}

/* Nodes are renumbered, so that plans need numbers that can be found in the file. */
static ucpo_status number_rows(struct stops *s, ucpo_error *err)
{
    io_warn(s->source, line_of(s, 0),
            "the depot is not the first row and there are no ids: rows get their number "
            "behind the head line as id, from 1");
    return io_number_nodes(&s->pool, &s->data, 1, err);
}

/* A problem without windows takes a file without times. */
static ucpo_status settle_times(struct stops *s, ucpo_error *err)
{
    static const enum stops_column times[] = {STOPS_READY, STOPS_DUE, STOPS_WINDOW, STOPS_SERVICE};

    ucpo_instance_data *d = &s->data;
    if (prob_find(d->problem)->needs & PROB_WINDOWS) {
        d->ready = s->opens;
        d->due = s->closes;
        d->service = has(s, STOPS_SERVICE) ? s->service : NULL;
        if (has(s, STOPS_READY) && !has(s, STOPS_DUE) && !has(s, STOPS_WINDOW))
            io_warn(s->source, 0, "there is no column of deadlines (due): no stop can be late");
        return UCPO_OK;
    }
    ucpo_status st = UCPO_OK;
    for (size_t k = 0; !st && k < sizeof times / sizeof times[0]; k++)
        if (has(s, times[k]))
            st = io_object_to(IO_UNSUPPORTED, s->source, s->table.row[0].line, err,
                              "the column '%s' does not belong to a %s instance: the instance "
                              "would be relaxed",
                              io_table_at(&s->table, 0, s->head.place[times[k]]), d->problem);
    return st;
}

static ucpo_status build(struct stops *s, ucpo_dataset *set, ucpo_error *err)
{
    ucpo_instance_data *d = &s->data;
    d->n = (int32_t)s->n;
    if ((has(s, STOPS_X) && has(s, STOPS_Y)) || d->metric == UCPO_METRIC_HAVERSINE) {
        d->x = s->x;
        d->y = s->y;
    }
    ucpo_status st = load_matrices(s, err);
    if (st) return st;
    st = settle_units(s, err);
    if (!st) st = settle_windows(s, err);
    if (!st) st = settle_problem(s, err);
    if (!st) st = settle_times(s, err);
    if (st) return st;
    s->file.depot = (int32_t)s->depot;
    d->file = &s->file;
    if (io_has_text(s->id, s->n))
        d->id = s->id;
    else if (s->depot != 0)
        st = number_rows(s, err);
    if (io_has_text(s->label, s->n)) d->label = s->label;
    if (st) return st;
    d->name = io_name_of_file(s->source->label, s->name);
    return io_add_instance(s->source, 0, d, set, err);
}

/* Spreadsheets of old write Windows-1252, which is no UTF-8 as soon as there is an umlaut. */
static ucpo_status read_table(const struct io_source *source, struct io_table *out, ucpo_error *err)
{
    long bad = io_utf8_first_bad(source->bytes, source->size);
    if (!bad) return io_table_read(source->bytes, source->size, source->label, 0, out, err);
    struct io_buffer text = {0};
    io_put_as_utf8(&text, source->bytes, source->size);
    ucpo_status st = io_buffer_status(&text, err);
    if (!st)
        st = io_object_to(IO_UNKNOWN, source, bad, err,
                          "the text is not UTF-8 from here on: read as Windows-1252");
    if (!st) st = io_table_read(text.bytes, text.size, source->label, 0, out, err);
    io_buffer_free(&text);
    return st;
}

static ucpo_status read_stops(const struct io_source *source, ucpo_dataset *set, ucpo_error *err)
{
    struct stops s = {.source = source, .data = ucpo_instance_data_default()};
    ucpo_status st = read_table(source, &s.table, err);
    if (st) return st;
    s.n = s.table.rows - 1;
    st = stops_find_columns(source, &s.table, &s.head, err);
    if (!st) st = expect_places(&s, err);
    if (!st) st = check_rows(&s, err);
    if (!st) st = find_depot(&s, err);
    if (!st) st = allocate(&s, err);
    if (!st) st = take_rows(&s, err);
    if (!st) st = build(&s, set, err);
    mem_pool_free(&s.pool);
    io_table_free(&s.table);
    return st;
}

/* A head line with at least two names that we know. */
static int detect(const char *bytes, size_t size)
{
    struct io_text text = io_text_open(bytes, size, ""), line;
    struct io_table table = {0};
    if (!io_content_line(&text, &line)) return 0;
    size_t length = io_left(&line);
    if (!io_table_separator(line.at, length) || length > 4096 ||
        io_table_is_plan(line.at, length) || io_table_read(line.at, length, "", 0, &table, NULL))
        return 0;
    int known = 0;
    for (size_t k = 0; table.rows > 0 && k < table.row[0].count; k++)
        known += stops_column_of(io_table_at(&table, 0, (int)k)) >= 0;
    io_table_free(&table);
    return known >= 2;
}

const struct io_format io_format_stops = {"csv", 0, detect, read_stops, stops_write, NULL};
