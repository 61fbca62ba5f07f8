/* Plans as a table for spreadsheets: one row per stop, returns to the depot included.
 *
 * Written with the whole schedule; read back by the columns instance, route, position and node,
 * in any order of columns and rows. Instances and their plans are counted from 0. */
#include "io/plan.h"
#include "io/table.h"

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

/* A head line with commas, one of its columns being node. Asks for no memory. */
static int detect(const char *bytes, size_t size)
{
    struct io_text text = io_text_open(bytes, size, ""), head;
    do
        if (!io_line(&text, &head)) return 0;
    while (head.at == head.end);
    if (!memchr(head.at, ',', (size_t)(head.end - head.at))) return 0;
    for (const char *at = head.at, *stop; at < head.end; at = stop + 1) {
        stop = memchr(at, ',', (size_t)(head.end - at));
        if (!stop) stop = head.end;
        const char *end = stop;
        while (at < end && plan_is_one_of(*at, " \t\"")) at++;
        while (end > at && plan_is_one_of(end[-1], " \t\"")) end--;
        if (end - at == 4 && memcmp(at, columns[NODE], 4) == 0) return 1;
    }
    return 0;
}

static ucpo_status find_columns(const struct io_table *table, const char *label, int place[COLUMNS],
                                ucpo_error *err)
{
    for (int c = 0; c < COLUMNS; c++) {
        place[c] = io_table_column(table, columns[c]);
        if (place[c] >= 0) continue;
        return status_format(err, label, table->row[0].line, "column %s is %s the head line",
                             columns[c], place[c] == -1 ? "missing in" : "given twice in");
    }
    return UCPO_OK;
}

static ucpo_status read_row(const struct io_table *table, size_t r, const char *label,
                            const int place[COLUMNS], struct row *row, ucpo_error *err)
{
    const struct io_row_of *from = &table->row[r], *head = &table->row[0];
    row->line = from->line;
    if (from->count > head->count)
        return status_format(err, label, from->line,
                             "row has more fields than the head line, which has %zu", head->count);
    for (int c = 0; c < COLUMNS; c++) {
        const char *cell = io_table_at(table, r, place[c]);
        if ((size_t)place[c] >= from->count)
            return status_format(err, label, from->line, "row ends before column %s", columns[c]);
        if (!plan_parse_id(cell, strlen(cell), &row->value[c]) || (c != NODE && row->value[c] < 0))
            return status_format(err, label, from->line, "%s is '%.40s', expected a whole number%s",
                                 columns[c], cell, c == NODE ? "" : " >= 0");
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

static ucpo_status build_plans(const struct row *rows, size_t count, const char *label,
                               ucpo_plans *plans, struct plan_draft *draft, ucpo_error *err)
{
    ucpo_status st = UCPO_OK;
    for (size_t k = 0; !st && k < count; k++) {
        const struct row *now = &rows[k], *before = k ? now - 1 : NULL;
        int same_plan = before && before->value[INSTANCE] == now->value[INSTANCE];
        int same_route = same_plan && before->value[ROUTE] == now->value[ROUTE];
        if (same_route && before->value[POSITION] == now->value[POSITION])
            return status_format(
                err, label, now->line, "instance %d, route %d, position %d is given twice",
                (int)now->value[INSTANCE], (int)now->value[ROUTE], (int)now->value[POSITION]);
        if (before && !same_plan) st = plan_finish(draft, NAN, plans, err);
        if (!st && !same_plan && (size_t)now->value[INSTANCE] != ucpo_plans_count(plans))
            return status_format(err, label, now->line,
                                 "instance is %d, but no row belongs to instance %zu",
                                 (int)now->value[INSTANCE], ucpo_plans_count(plans));
        if (!st && !same_route) st = plan_push(draft, 0, err);
        if (!st) st = plan_push(draft, now->value[NODE], err);
    }
    if (!st && count > 0) st = plan_finish(draft, NAN, plans, err);
    return st;
}

static ucpo_status read_csv(const char *bytes, size_t size, const char *label,
                            const ucpo_dataset *set, ucpo_plans *plans, ucpo_error *err)
{
    (void)set;
    struct io_table table = {0};
    struct plan_draft draft = {0};
    int place[COLUMNS];
    ucpo_status st = io_table_read(bytes, size, label, ',', &table, err);
    if (!st && table.rows == 0) st = status_format(err, label, 0, "file is empty");
    if (!st) st = find_columns(&table, label, place, err);
    size_t count = st ? 0 : table.rows - 1;
    struct row *rows = st ? NULL : mem_zeroed(count, sizeof *rows);
    if (!st && !rows) st = status_no_memory(err, count * sizeof *rows);
    for (size_t k = 0; !st && k < count; k++)
        st = read_row(&table, k + 1, label, place, &rows[k], err);
    if (!st && count > 1) qsort(rows, count, sizeof *rows, by_place);
    if (!st) st = build_plans(rows, count, label, plans, &draft, err);
    plan_draft_free(&draft);
    free(rows);
    io_table_free(&table);
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
