/* Plans as a table for spreadsheets: one row per stop, returns to the depot included.
 *
 * Written with the whole schedule; read back by the columns instance, route, position and node,
 * in any order of columns and rows. Instances and their plans are counted from 0. */
#include "io/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Columns a reader needs, in the order in which rows are sorted; node comes last. */
static const char *const columns[] = {"instance", "route", "position", "node"};

enum { INSTANCE, ROUTE, POSITION, NODE, COLUMNS };

struct row {
    int32_t value[COLUMNS];
    long line;
};

struct rows {
    struct row *item;
    size_t count, capacity;
};

/* Takes the next field of a line: up to a comma, or in quotes. 0: no more fields, -1: a quote that
 * is not closed. The comma behind
 * the last field is remembered by leaving the cursor on it. */
static int next_field(struct io_text *line, int is_first, const char **field, size_t *length)
{
    if (!is_first) {
        if (line->at >= line->end) return 0;
        line->at++; /* the comma */
    }
    const char *begin = line->at;
    if (begin < line->end && *begin == '"') {
        const char *stop = begin + 1;
        while (stop < line->end && (*stop != '"' || (stop + 1 < line->end && stop[1] == '"')))
            stop += *stop == '"' ? 2 : 1;
        if (stop >= line->end) return -1;
        *field = begin + 1;
        *length = (size_t)(stop - begin - 1);
        line->at = stop + 1;
        while (line->at < line->end && *line->at != ',') line->at++;
        return 1;
    }
    while (line->at < line->end && *line->at != ',') line->at++;
    const char *stop = line->at;
    while (begin < stop && plan_is_one_of(*begin, " \t")) begin++;
    while (stop > begin && plan_is_one_of(stop[-1], " \t")) stop--;
    *field = begin;
    *length = (size_t)(stop - begin);
    return 1;
}

static ucpo_status open_quote(const struct io_text *line, ucpo_error *err)
{
    return status_fail_at(err, UCPO_E_FORMAT, line->label, line->line, "a quote is not closed");
}

/* What the head line says: place[c] is the field of column c from 0, -1 if absent. */
struct head {
    int place[COLUMNS], fields;
};

static ucpo_status find_columns(struct io_text line, struct head *head, ucpo_error *err)
{
    const char *field;
    size_t length;
    int more;
    for (int c = 0; c < COLUMNS; c++) head->place[c] = -1;
    for (head->fields = 0; (more = next_field(&line, head->fields == 0, &field, &length)) > 0;
         head->fields++) {
        for (int c = 0; c < COLUMNS; c++) {
            if (length != strlen(columns[c]) || memcmp(field, columns[c], length) != 0) continue;
            if (head->place[c] >= 0)
                return status_fail_at(err, UCPO_E_FORMAT, line.label, line.line,
                                      "column %s is given twice in the head line", columns[c]);
            head->place[c] = head->fields;
        }
    }
    return more < 0 ? open_quote(&line, err) : UCPO_OK;
}

/* The first line that is not blank. */
static int find_head(struct io_text *text, struct io_text *head)
{
    while (plan_line(text, head))
        if (head->at < head->end) return 1;
    return 0;
}

static int detect(const char *bytes, size_t size)
{
    struct io_text text = io_text_open(bytes, size, ""), head;
    struct head found;
    ucpo_error ignored; /* the reader will say it again */
    if (!find_head(&text, &head) || !memchr(head.at, ',', (size_t)(head.end - head.at))) return 0;
    find_columns(head, &found, &ignored);
    return found.place[NODE] >= 0;
}

static ucpo_status read_row(struct io_text *line, const struct head *head, struct row *row,
                            ucpo_error *err)
{
    const char *field;
    size_t length;
    int found[COLUMNS] = {0}, more;
    for (int i = 0; (more = next_field(line, i == 0, &field, &length)) != 0; i++) {
        if (more < 0) return open_quote(line, err);
        if (i >= head->fields)
            return status_fail_at(err, UCPO_E_FORMAT, line->label, line->line,
                                  "row has more fields than the head line, which has %d",
                                  head->fields);
        for (int c = 0; c < COLUMNS; c++) {
            if (head->place[c] != i) continue;
            found[c] = 1;
            if (!plan_parse_id(field, length, &row->value[c]) || (c != NODE && row->value[c] < 0))
                return status_fail_at(err, UCPO_E_FORMAT, line->label, line->line,
                                      "%s is '%.*s', expected a whole number%s", columns[c],
                                      (int)(length < 40 ? length : 40), field,
                                      c == NODE ? "" : " >= 0");
        }
    }
    for (int c = 0; c < COLUMNS; c++)
        if (!found[c])
            return status_fail_at(err, UCPO_E_FORMAT, line->label, line->line,
                                  "row ends before column %s", columns[c]);
    row->line = line->line;
    return UCPO_OK;
}

static ucpo_status read_rows(struct io_text *text, struct rows *rows, ucpo_error *err)
{
    struct io_text line;
    struct head head;
    if (!find_head(text, &line))
        return status_fail_at(err, UCPO_E_FORMAT, text->label, 0, "file is empty");
    ucpo_status st = find_columns(line, &head, err);
    if (st) return st;
    for (int c = 0; c < COLUMNS; c++)
        if (head.place[c] < 0)
            return status_fail_at(err, UCPO_E_FORMAT, text->label, line.line,
                                  "column %s is missing in the head line", columns[c]);
    while (plan_line(text, &line)) {
        if (line.at == line.end) continue;
        struct row *grown =
            mem_grow(rows->item, &rows->capacity, rows->count + 1, sizeof *rows->item, err);
        if (!grown) return UCPO_E_MEMORY;
        rows->item = grown;
        st = read_row(&line, &head, &rows->item[rows->count], err);
        if (st) return st;
        rows->count++;
    }
    return UCPO_OK;
}

static int by_place(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    for (int c = 0; c < NODE; c++)
        if (a->value[c] != b->value[c]) return a->value[c] < b->value[c] ? -1 : 1;
    return a->line < b->line ? -1 : a->line > b->line;
}

static ucpo_status build_plans(const struct rows *rows, const char *label, ucpo_plans *plans,
                               struct plan_draft *draft, ucpo_error *err)
{
    ucpo_status st = UCPO_OK;
    for (size_t k = 0; !st && k < rows->count; k++) {
        const struct row *now = &rows->item[k], *before = k ? now - 1 : NULL;
        int same_plan = before && before->value[INSTANCE] == now->value[INSTANCE];
        int same_route = same_plan && before->value[ROUTE] == now->value[ROUTE];
        if (same_route && before->value[POSITION] == now->value[POSITION])
            return status_fail_at(err, UCPO_E_FORMAT, label, now->line,
                                  "instance %d, route %d, position %d is given twice",
                                  (int)now->value[INSTANCE], (int)now->value[ROUTE],
                                  (int)now->value[POSITION]);
        if (before && !same_plan) st = plan_finish(draft, NAN, plans, err);
        if (!st && !same_plan && (size_t)now->value[INSTANCE] != ucpo_plans_count(plans))
            return status_fail_at(err, UCPO_E_FORMAT, label, now->line,
                                  "instance is %d, but no row belongs to instance %zu",
                                  (int)now->value[INSTANCE], ucpo_plans_count(plans));
        if (!st && !same_route) st = plan_push(draft, 0, err);
        if (!st) st = plan_push(draft, now->value[NODE], err);
    }
    if (!st && rows->count > 0) st = plan_finish(draft, NAN, plans, err);
    return st;
}

static ucpo_status read_csv(const char *bytes, size_t size, const char *label,
                            const ucpo_dataset *set, ucpo_plans *plans, ucpo_error *err)
{
    (void)set;
    struct io_text text = io_text_open(bytes, size, label);
    struct rows rows = {0};
    struct plan_draft draft = {0};
    ucpo_status st = read_rows(&text, &rows, err);
    if (!st && rows.count > 1) qsort(rows.item, rows.count, sizeof *rows.item, by_place);
    if (!st) st = build_plans(&rows, label, plans, &draft, err);
    plan_draft_free(&draft);
    free(rows.item);
    return st;
}

/* ---- writing ---- */

/* Columns behind the numbers, where the instances have them. */
struct extra {
    int ids, names, clock;
};

static struct extra find_extra(const ucpo_dataset *set)
{
    struct extra found = {0};
    for (size_t i = 0; set && i < ucpo_dataset_count(set); i++) {
        const ucpo_instance_data *d = ucpo_instance_view(ucpo_dataset_at(set, i));
        found.ids |= d->id != NULL;
        found.names |= d->label != NULL;
        found.clock |= d->clock > 0.0;
    }
    return found;
}

/* What a spreadsheet would compute instead of showing it; numbers are none. */
static int is_formula(const char *text)
{
    double value;
    return text[0] && strchr("=+-@\t\r", text[0]) && !io_parse_number(text, strlen(text), &value);
}

static void put_text(struct io_buffer *out, const char *text)
{
    io_put(out, ",", 1);
    int needs_quotes = strpbrk(text, ",;\"\n\r") != NULL;
    if (needs_quotes) io_put(out, "\"", 1);
    if (is_formula(text)) io_put(out, "'", 1);
    for (; *text; text++) io_put(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    if (needs_quotes) io_put(out, "\"", 1);
}

static void put_extra(struct io_buffer *out, struct extra extra, const ucpo_instance *inst,
                      const ucpo_stop *s)
{
    const ucpo_instance_data *d = ucpo_instance_view(inst);
    const double times[] = {s->arrive, s->start, s->leave};
    char text[40] = "";
    if (extra.ids) put_text(out, d->id && !s->is_unknown ? d->id[s->node] : "");
    if (extra.names) put_text(out, d->label && !s->is_unknown ? d->label[s->node] : "");
    for (int k = 0; extra.clock && k < 3; k++)
        put_text(out, s->is_unknown ? "" : ucpo_clock_text(inst, times[k], 1, text, sizeof text));
}

static void put_stop(struct io_buffer *out, size_t instance, int position, struct extra extra,
                     const ucpo_instance *inst, const ucpo_stop *s)
{
    const double numbers[] = {s->arrive, s->wait, s->start, s->leave,
                              s->slack,  s->load, s->late,  s->over};
    io_printf(out, "%zu,%d,%d,%d", instance, (int)s->route, position, (int)s->node);
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        io_put(out, ",", 1);
        if (!isnan(numbers[k])) io_put_number(out, numbers[k]); /* "inf" where nothing is due */
    }
    put_extra(out, extra, inst, s);
    io_put(out, "\n", 1);
}

static ucpo_status write_csv(struct io_buffer *out, const ucpo_dataset *set,
                             const ucpo_plans *plans, ucpo_error *err)
{
    static const char head[] =
        "instance,route,position,node,arrive,wait,start,leave,slack,load,late,over";
    struct extra extra = find_extra(set);
    io_printf(out, "%s%s%s%s\n", head, extra.ids ? ",id" : "", extra.names ? ",name" : "",
              extra.clock ? ",arrive_clock,start_clock,leave_clock" : "");
    for (size_t i = 0; i < ucpo_plans_count(plans); i++) {
        struct plan_report r;
        ucpo_status st = plan_report_make(set, plans, i, &r, err);
        if (st) return st;
        int position = 0;
        for (size_t k = 0; k < r.eval.stops; k++) {
            int new_route = k == 0 || r.schedule[k].route != r.schedule[k - 1].route;
            position = new_route ? 1 : position + 1;
            put_stop(out, i, position, extra, r.inst, &r.schedule[k]);
        }
        /* a plan without stops still needs a row, or the next one would take its place */
        const ucpo_stop stay = {.route = 1};
        if (r.eval.stops == 0) put_stop(out, i, 1, extra, r.inst, &stay);
        plan_report_free(&r);
    }
    return UCPO_OK;
}

const struct io_plan_format io_plan_csv = {"csv", 1, 0, detect, read_csv, write_csv};
