/* Plans as text: VRPLIB .sol, TSPLIB TOUR, bare lists, LKH's MTSP solution file. */
#include "io/plan.h"
#include "io/text_common.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The node an id of a TSPLIB file (from 1) means. */
static int32_t node_of_id(const ucpo_instance *inst, int32_t id)
{
    return inst ? io_node_at(&inst->data, id - 1) : id - 1;
}

/* What the numbers of a file are: our nodes, or ids of the TSPLIB file the instance came from. */
struct numbering {
    int has_ids;
    const ucpo_instance *inst; /* may be NULL */
};

static const struct numbering our_numbering = {0, NULL};

/* Reads node numbers up to the end of the line. */
static ucpo_status push_line(struct io_text *line, const char *where, struct numbering numbering,
                             struct plan_draft *draft, ucpo_error *err)
{
    for (;;) {
        int32_t id;
        size_t length;
        ucpo_status st = plan_token_id(line, where, &id, &length, err);
        if (st || length == 0) return st;
        st = plan_push(draft, numbering.has_ids ? node_of_id(numbering.inst, id) : id, err);
        if (st) return st;
    }
}

/* ---- sol: "Route #1: 1 2", "Cost 32"; other lines mean nothing to us ---- */

static int is_route_line(const struct io_text *line)
{
    if (!io_begins(line, "route")) return 0;
    const char *next = line->at + 5;
    return next < line->end && plan_is_one_of(*next, " \t#:");
}

static int is_cost_line(const struct io_text *line)
{
    if (!io_begins(line, "cost")) return 0;
    const char *next = line->at + 4;
    return next == line->end || plan_is_one_of(*next, " \t:=");
}

/* "Rout #1: ...": letters, then '#', a number and a colon. Ignored, its customers would be missing. */
static int is_misspelt_route(struct io_text line)
{
    const char *begin = line.at;
    while (line.at < line.end && text_is_letter(*line.at)) line.at++;
    if (line.at == begin) return 0;
    while (line.at < line.end && plan_is_one_of(*line.at, " \t")) line.at++;
    if (line.at == line.end || *line.at != '#') return 0;
    line.at++;
    const char *digits = line.at;
    while (line.at < line.end && text_is_digit(*line.at)) line.at++;
    if (line.at == digits) return 0;
    while (line.at < line.end && plan_is_one_of(*line.at, " \t")) line.at++;
    return line.at < line.end && *line.at == ':';
}

static int detect_sol(const char *bytes, size_t size)
{
    struct io_text text = io_text_open(bytes, size, ""), line;
    while (io_line(&text, &line))
        if (is_route_line(&line)) return 1;
    return 0;
}

/* Moves the cursor behind "Route #k:". */
static ucpo_status skip_route_head(struct io_text *line, int32_t *number, ucpo_error *err)
{
    const char *begin = line->at + 5;
    const char *colon = memchr(begin, ':', (size_t)(line->end - begin));
    while (colon && begin < colon && plan_is_one_of(*begin, " \t#")) begin++;
    const char *stop = colon;
    while (colon && stop > begin && (stop[-1] == ' ' || stop[-1] == '\t')) stop--;
    if (!colon || !plan_parse_id(begin, (size_t)(stop - begin), number)) {
        size_t length = (size_t)(line->end - line->at);
        return status_format(err, line->label, line->line,
                             "route line begins '%.*s', expected 'Route #1: 4 2 ...'",
                             (int)(length < 24 ? length : 24), line->at);
    }
    line->at = colon + 1;
    return UCPO_OK;
}

static ucpo_status read_sol_lines(struct io_text *text, struct plan_draft *draft, double *cost,
                                  ucpo_error *err)
{
    struct io_text line;
    int routes = 0;
    long cost_line = 0;
    ucpo_status st = UCPO_OK;
    while (!st && io_line(text, &line)) {
        if (is_cost_line(&line)) {
            struct io_text value = line;
            value.at += 4;
            if (cost_line > 0)
                return status_format(err, line.label, line.line,
                                     "cost is given again (first on line %ld): a sol file holds "
                                     "one plan",
                                     cost_line);
            cost_line = line.line;
            if (!plan_parse_cost(&value, cost))
                st = status_format(err, line.label, line.line, "cost is '%.*s', expected a number",
                                   (int)(line.end - line.at < 40 ? line.end - line.at : 40),
                                   line.at);
        } else if (is_route_line(&line)) {
            int32_t number = 0;
            char where[32];
            st = skip_route_head(&line, &number, err);
            snprintf(where, sizeof where, "route %d", (int)number);
            if (!st) st = plan_push(draft, 0, err);
            if (!st) st = push_line(&line, where, our_numbering, draft, err);
            routes++;
        } else if (is_misspelt_route(line)) {
            st = status_format(err, line.label, line.line,
                               "line begins '%.*s', is it meant to be 'Route #1: ...'?",
                               (int)(line.end - line.at < 24 ? line.end - line.at : 24), line.at);
        }
    }
    if (!st && routes == 0)
        st = status_format(err, text->label, 0,
                           "file holds no route, expected lines 'Route #1: 4 2 ...'");
    return st;
}

static ucpo_status read_sol(const char *bytes, size_t size, const char *label,
                            const ucpo_dataset *set, ucpo_plans *plans, ucpo_error *err)
{
    (void)set;
    struct io_text text = io_text_open(bytes, size, label);
    struct plan_draft draft = {0};
    double cost = NAN;
    ucpo_status st = read_sol_lines(&text, &draft, &cost, err);
    if (!st) st = plan_finish(&draft, cost, plans, err);
    plan_draft_free(&draft);
    return st;
}

static ucpo_status write_sol(struct io_buffer *out, const ucpo_dataset *set,
                             const ucpo_plans *plans, ucpo_error *err)
{
    struct plan_report r;
    ucpo_status st = plan_report_make(set, plans, 0, &r, err);
    if (st) return st;
    int route = 0, is_open = 0;
    for (size_t k = 0; k < r.plan.len; k++) {
        int32_t node = r.plan.nodes[k];
        if (node != 0 && !is_open) io_printf(out, "%sRoute #%d:", route ? "\n" : "", route + 1);
        if (node != 0) io_printf(out, " %d", (int)node);
        route += node != 0 && !is_open;
        is_open = node != 0;
    }
    io_printf(out, "%s\nCost ", route ? "" : "Route #1:");
    io_put_number(out, r.eval.cost);
    io_put(out, "\n", 1);
    plan_report_free(&r);
    return UCPO_OK;
}

/* ---- tour: TSPLIB, ids from 1, -1 at the end; ids above n are copies of the depot ---- */

struct tour {
    struct plan_draft ids; /* as in the file, from 1 */
    double stated_cost;
    int32_t dimension; /* 0: not stated */
    long dimension_line;
};

static int is_tour_section(const struct io_text *line)
{
    return io_begins(line, "TOUR_SECTION");
}

static int detect_tour(const char *bytes, size_t size)
{
    struct io_text text = io_text_open(bytes, size, ""), line;
    while (io_line(&text, &line))
        if (is_tour_section(&line)) return 1;
    return 0;
}

/* The value behind "KEYWORD :" */
static struct io_text value_of(const struct io_text *line, const char *keyword)
{
    struct io_text value = *line;
    value.at += strlen(keyword);
    while (value.at < value.end && plan_is_one_of(*value.at, " \t:")) value.at++;
    return value;
}

static ucpo_status read_tour_line(struct io_text *line, struct tour *tour, ucpo_error *err)
{
    struct io_text value;
    const char *token;
    if (io_begins(line, "DIMENSION")) {
        value = value_of(line, "DIMENSION");
        size_t length = io_token(&value, &token);
        if (!plan_parse_id(token, length, &tour->dimension) || tour->dimension < 1)
            return status_format(err, line->label, line->line,
                                 "DIMENSION is '%.*s', expected a whole number >= 1",
                                 io_shown(length), token);
        tour->dimension_line = line->line;
    } else if (io_begins(line, "COMMENT")) {
        value = value_of(line, "COMMENT");
        if (io_begins(&value, "Length") || io_begins(&value, "Cost")) {
            value.at += io_begins(&value, "Cost") ? 4 : 6;
            double cost; /* a comment may say anything: no number, no stated cost */
            if (plan_parse_cost(&value, &cost)) tour->stated_cost = cost;
        }
    } else if (io_begins(line, "TYPE")) {
        value = value_of(line, "TYPE");
        size_t length = io_token(&value, &token);
        if (length != 4 || memcmp(token, "TOUR", 4) != 0)
            return status_format(err, line->label, line->line, "TYPE is '%.*s', expected TOUR",
                                 io_shown(length), token);
    }
    return UCPO_OK;
}

static ucpo_status read_tour_ids(struct io_text *text, struct tour *tour, ucpo_error *err)
{
    for (;;) {
        const char *token;
        size_t length = io_token(text, &token);
        int32_t id;
        if (length == 0)
            return status_format(err, text->label, text->line,
                                 "file ends inside TOUR_SECTION, expected -1 after the last node");
        if (length == 3 && memcmp(token, "EOF", 3) == 0) return UCPO_OK;
        if (!plan_parse_id(token, length, &id))
            return status_format(err, text->label, text->line,
                                 "TOUR_SECTION holds '%.*s', expected a node number or -1",
                                 io_shown(length), token);
        if (id == -1) return UCPO_OK;
        if (id < 1)
            return status_format(err, text->label, text->line,
                                 "TOUR_SECTION holds %d, expected node numbers from 1", (int)id);
        ucpo_status st = plan_push(&tour->ids, id, err);
        if (st) return st;
    }
}

/* Copies of the depot that make sense: one vehicle fewer than could be used. */
static int32_t most_copies(const ucpo_instance *inst)
{
    if (inst->ops->max_vehicles == 1) return 0;
    int32_t vehicles = inst->data.n - 1;
    if (vehicles < inst->data.vehicles) vehicles = inst->data.vehicles;
    return vehicles - 1;
}

/* A tour of another instance must not pass as one with many copies of the depot. */
static ucpo_status check_dimension(const struct tour *tour, const ucpo_instance *inst,
                                   const char *label, ucpo_error *err)
{
    int32_t n = inst->data.n;
    int64_t copies = 0;
    for (size_t k = 0; k < tour->ids.len; k++) copies += tour->ids.nodes[k] > n;
    int explained = copies <= most_copies(inst) && tour->dimension == n + copies;
    if (tour->dimension == 0 || tour->dimension == n || explained) return UCPO_OK;
    return status_fail_at(err, UCPO_E_MISMATCH, label, tour->dimension_line,
                          "DIMENSION is %d, but the instance has %d nodes", (int)tour->dimension,
                          (int)n);
}

/* Ids to nodes, starting behind the depot: the tour is a circle and may begin anywhere. */
static ucpo_status push_rotated(const struct tour *tour, const ucpo_instance *inst, int32_t n,
                                struct plan_draft *draft, ucpo_error *err)
{
    const struct plan_draft *ids = &tour->ids;
    size_t first = 0;
    while (first < ids->len && node_of_id(inst, ids->nodes[first]) != 0) first++;
    if (first == ids->len) first = 0;
    for (size_t k = 0; k < ids->len; k++) {
        int32_t id = ids->nodes[(first + k) % ids->len];
        ucpo_status st = plan_push(draft, id > n ? 0 : node_of_id(inst, id), err);
        if (st) return st;
    }
    return UCPO_OK;
}

static ucpo_status read_tour(const char *bytes, size_t size, const char *label,
                             const ucpo_dataset *set, ucpo_plans *plans, ucpo_error *err)
{
    struct io_text text = io_text_open(bytes, size, label), line;
    struct tour tour = {.stated_cost = NAN};
    struct plan_draft draft = {0};
    ucpo_status st = UCPO_OK;
    int found = 0;
    while (!st && !found && io_line(&text, &line)) {
        found = is_tour_section(&line);
        if (!found) st = read_tour_line(&line, &tour, err);
    }
    if (!st && !found) st = status_format(err, label, 0, "file holds no TOUR_SECTION");
    if (!st) st = read_tour_ids(&text, &tour, err);
    const ucpo_instance *inst = plan_instance(set, 0);
    if (!st && inst) st = check_dimension(&tour, inst, label, err);
    int32_t n = inst ? inst->data.n : tour.dimension > 0 ? tour.dimension : INT32_MAX;
    if (!st) st = push_rotated(&tour, inst, n, &draft, err);
    if (!st) st = plan_finish(&draft, tour.stated_cost, plans, err);
    plan_draft_free(&tour.ids);
    plan_draft_free(&draft);
    return st;
}

static ucpo_status check_tour(const struct plan_report *r, ucpo_error *err)
{
    if (r->eval.unknown > 0)
        return status_fail(err, UCPO_E_UNSUPPORTED,
                           "the plan holds %d unknown nodes: format tour would read them as the "
                           "depot (use json)",
                           (int)r->eval.unknown);
    if (r->eval.routes - 1 > most_copies(r->inst))
        return status_fail(err, UCPO_E_UNSUPPORTED,
                           "the plan has %d routes, a tour of this instance has at most %d (use "
                           "json)",
                           (int)r->eval.routes, (int)most_copies(r->inst) + 1);
    return UCPO_OK;
}

static void put_plain_name(struct io_buffer *out, const char *name)
{
    for (; *name; name++) io_printf(out, "%c", (unsigned char)*name < 0x20 ? '_' : *name);
}

static ucpo_status write_tour(struct io_buffer *out, const ucpo_dataset *set,
                              const ucpo_plans *plans, ucpo_error *err)
{
    struct plan_report r;
    ucpo_status st = plan_report_make(set, plans, 0, &r, err);
    if (st) return st;
    st = check_tour(&r, err);
    int32_t n = r.inst->data.n;
    int32_t dimension = r.eval.routes > 1 ? n + r.eval.routes - 1 : n;
    if (!st) {
        io_put(out, "NAME : ", 7);
        put_plain_name(out, r.inst->data.name[0] ? r.inst->data.name : r.inst->ops->info.name);
        io_put(out, ".", 1);
        io_put_number(out, r.eval.cost);
        io_put(out, ".tour\nCOMMENT : Length = ", 25);
        io_put_number(out, r.eval.cost);
        io_printf(out, "\nTYPE : TOUR\nDIMENSION : %d\nTOUR_SECTION\n%d\n", (int)dimension,
                  (int)r.inst->data.file->depot + 1);
        int32_t copy = n;
        for (size_t k = 0; k < r.eval.stops; k++) {
            int32_t node = r.schedule[k].node;
            if (node != 0)
                io_printf(out, "%d\n", (int)io_place_of(&r.inst->data, node) + 1);
            else if (k + 1 < r.eval.stops)
                io_printf(out, "%d\n", (int)++copy);
        }
        io_put(out, "-1\nEOF\n", 7);
    }
    plan_report_free(&r);
    return st;
}

/* ---- list: node numbers, one plan per line, '#' begins a comment ---- */

static void cut_comment(struct io_text *line)
{
    const char *mark = memchr(line->at, '#', (size_t)(line->end - line->at));
    if (mark) line->end = mark;
}

static int detect_list(const char *bytes, size_t size)
{
    struct io_text text = io_text_open(bytes, size, ""), line;
    int numbers = 0;
    while (io_line(&text, &line)) {
        cut_comment(&line);
        const char *token;
        for (size_t length = io_token(&line, &token); length > 0;
             length = io_token(&line, &token)) {
            int32_t id;
            if (!plan_parse_id(token, length, &id)) return 0;
            numbers = 1;
        }
    }
    return numbers;
}

static ucpo_status read_list(const char *bytes, size_t size, const char *label,
                             const ucpo_dataset *set, ucpo_plans *plans, ucpo_error *err)
{
    (void)set;
    struct io_text text = io_text_open(bytes, size, label), line;
    struct plan_draft draft = {0};
    ucpo_status st = UCPO_OK;
    long blank = 0;
    while (!st && io_line(&text, &line)) {
        int is_blank = line.at == line.end;
        if (is_blank && blank == 0) blank = line.line;
        cut_comment(&line);
        struct io_text probe = line;
        const char *token;
        if (io_token(&probe, &token) == 0) continue;
        /* skipped, it would give every later plan to the wrong instance */
        if (blank > 0)
            st = status_format(err, label, blank,
                               "line is empty, but plans follow: write 0 for an instance without "
                               "a plan");
        if (!st) st = push_line(&line, "the plan", our_numbering, &draft, err);
        if (!st) st = plan_finish(&draft, NAN, plans, err);
    }
    plan_draft_free(&draft);
    return st;
}

/* ---- mtsp: LKH's "The tours traveled by the 2 salesmen are:", ids from 1 ---- */

static int is_mtsp_head(const struct io_text *line)
{
    return io_begins(line, "The tours traveled by");
}

static int detect_mtsp(const char *bytes, size_t size)
{
    struct io_text text = io_text_open(bytes, size, ""), line;
    while (io_line(&text, &line))
        if (is_mtsp_head(&line)) return 1;
    return 0;
}

/* Position of `word` in the line, or NULL. */
static const char *find_word(const struct io_text *line, const char *word)
{
    struct io_text at = *line;
    for (; at.at < at.end; at.at++)
        if (io_begins(&at, word)) return at.at;
    return NULL;
}

/* "Cost: 20" anywhere in the line; NaN if there is none. */
static double cost_in_line(const struct io_text *line)
{
    const char *at = find_word(line, "Cost:");
    double cost = NAN;
    if (at) {
        struct io_text value = *line;
        value.at = at + 5;
        if (!plan_parse_cost(&value, &cost)) cost = NAN;
    }
    return cost;
}

/* "(#2)" states the customers of the route, which begin at draft->nodes[before]. */
static ucpo_status check_count(struct io_text *mark, const char *where,
                               const struct plan_draft *draft, size_t before, ucpo_error *err)
{
    const char *token;
    int32_t stated = -1, found = 0;
    for (size_t k = before; k < draft->len; k++) found += draft->nodes[k] != 0;
    size_t length = io_token(mark, &token);
    int is_count = length > 3 && token[1] == '#' && token[length - 1] == ')' &&
                   plan_parse_id(token + 2, length - 3, &stated);
    if (is_count && stated == found) return UCPO_OK;
    return status_format(err, mark->label, mark->line, "%s states '%.*s', but has %d customers",
                         where, (int)(length < 24 ? length : 24), token, (int)found);
}

static ucpo_status read_mtsp_routes(struct io_text *text, const ucpo_instance *inst,
                                    struct plan_draft *draft, double *sum, ucpo_error *err)
{
    struct io_text line;
    ucpo_status st = UCPO_OK;
    int routes = 0;
    *sum = 0.0;
    while (!st && io_line(text, &line)) {
        if (line.at == line.end) continue;
        char where[32];
        snprintf(where, sizeof where, "route %d", ++routes);
        *sum += cost_in_line(&line);
        const char *mark = memchr(line.at, '(', (size_t)(line.end - line.at));
        struct io_text count = line;
        if (mark) line.end = count.at = mark;
        st = plan_push(draft, 0, err);
        size_t before = draft->len;
        if (!st) st = push_line(&line, where, (struct numbering){1, inst}, draft, err);
        if (!st && mark) st = check_count(&count, where, draft, before, err);
    }
    if (!st && routes == 0)
        st = status_format(err, text->label, text->line,
                           "file ends where the first route was expected");
    return st;
}

static ucpo_status read_mtsp(const char *bytes, size_t size, const char *label,
                             const ucpo_dataset *set, ucpo_plans *plans, ucpo_error *err)
{
    struct io_text text = io_text_open(bytes, size, label), line;
    struct plan_draft draft = {0};
    double stated = NAN, sum = NAN;
    int found = 0;
    while (!found && io_line(&text, &line)) {
        found = is_mtsp_head(&line);
        double cost = cost_in_line(&line); /* LKH's first line: "name, Cost: 0_32" */
        if (!isnan(cost)) stated = cost;
    }
    if (!found)
        return status_format(err, label, 0,
                             "file holds no line 'The tours traveled by the ... salesmen are:'");
    ucpo_status st = read_mtsp_routes(&text, plan_instance(set, 0), &draft, &sum, err);
    if (!st) st = plan_finish(&draft, isnan(stated) ? sum : stated, plans, err);
    plan_draft_free(&draft);
    return st;
}

const struct io_plan_format io_plan_sol = {"sol", 0, 0, detect_sol, read_sol, write_sol};
const struct io_plan_format io_plan_tour = {"tour", 0, 0, detect_tour, read_tour, write_tour};
const struct io_plan_format io_plan_list = {"list", 1, 1, detect_list, read_list, NULL};
const struct io_plan_format io_plan_mtsp = {"mtsp", 0, 0, detect_mtsp, read_mtsp, NULL};
