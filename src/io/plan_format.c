/* Plans: the container, the table of formats, and what the formats share. */
#include "io/plan.h"

#include "core/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the container ---- */

struct entry {
    int32_t *nodes;
    size_t len;
    double stated_cost;
    int is_placeholder;
};

struct ucpo_plans {
    struct entry *item;
    size_t count, capacity;
};

ucpo_status ucpo_plans_create(ucpo_plans **out, ucpo_error *err)
{
    if (!out) return status_argument(err, "out must not be NULL");
    ucpo_plans *plans = mem_zeroed(1, sizeof *plans);
    if (!plans) return status_no_memory(err, sizeof *plans);
    *out = plans;
    return UCPO_OK;
}

void ucpo_plans_free(ucpo_plans *plans)
{
    if (!plans) return;
    for (size_t i = 0; i < plans->count; i++) free(plans->item[i].nodes);
    free(plans->item);
    free(plans);
}

ucpo_status ucpo_plans_add(ucpo_plans *plans, const int32_t *nodes, size_t len, double stated_cost,
                           ucpo_error *err)
{
    if (!plans || (!nodes && len > 0))
        return status_argument(err, "plans and nodes must not be NULL");
    if (len > INT32_MAX / 2) return status_argument(err, "a plan of %zu stops is too long", len);
    struct entry e = {mem_copy(nodes, len, sizeof *nodes), len, stated_cost, 0};
    if (!e.nodes) return status_no_memory(err, len * sizeof *nodes);
    ucpo_status st = mem_append(&plans->item, &plans->count, &plans->capacity, &e, sizeof e, err);
    if (st) free(e.nodes);
    return st;
}

size_t ucpo_plans_count(const ucpo_plans *plans)
{
    return plans ? plans->count : 0;
}

ucpo_plan ucpo_plans_at(const ucpo_plans *plans, size_t index)
{
    if (!plans || index >= plans->count) return (ucpo_plan){.stated_cost = NAN};
    const struct entry *e = &plans->item[index];
    return (ucpo_plan){e->nodes, e->len, e->stated_cost, e->is_placeholder};
}

/* ---- the formats ---- */

static const struct io_plan_format *const formats[] = {
    &io_plan_json, &io_plan_sol,  &io_plan_tour, &io_plan_csv,
    &io_plan_npy,  &io_plan_list, &io_plan_mtsp,
};

static const size_t format_count = sizeof formats / sizeof formats[0];

/* Asked in this order when detecting: first those with an unmistakable mark. */
static const struct io_plan_format *const by_mark[] = {
    &io_plan_npy, &io_plan_json, &io_plan_mtsp, &io_plan_tour,
    &io_plan_csv, &io_plan_sol,  &io_plan_list,
};

const char *ucpo_plan_format_at(size_t index)
{
    return index < format_count ? formats[index]->name : NULL;
}

static ucpo_status find_format(const char *name, const struct io_plan_format **out, ucpo_error *err)
{
    char known[128];
    int at = name ? text_find(ucpo_plan_format_at, name) : -1;
    if (at < 0)
        return status_argument(err, "unknown solution format '%s', expected one of: %s",
                               name ? name : "",
                               text_join(ucpo_plan_format_at, ", ", known, sizeof known));
    *out = formats[at];
    return UCPO_OK;
}

static ucpo_status detect_format(const char *bytes, size_t size, const char *label,
                                 const struct io_plan_format **out, ucpo_error *err)
{
    for (size_t i = 0; i < format_count; i++) {
        if (by_mark[i]->detect(bytes, size)) {
            *out = by_mark[i];
            return UCPO_OK;
        }
    }
    if (size == 0) return status_format(err, label, 0, "file is empty");
    return status_format(err, label, 1, "content is none of the known solution formats");
}

/* ---- reading ---- */

const ucpo_instance *plan_instance(const ucpo_dataset *set, size_t index)
{
    return set ? ucpo_dataset_at(set, index) : NULL;
}

/* All customers in the order of their numbers. With two customers that proves nothing. */
static int is_identity(const struct entry *e, const ucpo_instance *inst)
{
    if (e->len < 3) return 0;
    if (inst && e->len != (size_t)ucpo_instance_view(inst)->n - 1) return 0;
    for (size_t i = 0; i < e->len; i++)
        if ((size_t)e->nodes[i] != i + 1) return 0;
    return 1;
}

ucpo_status ucpo_plans_read_bytes(const void *bytes, size_t size, const char *label,
                                  const char *format, const ucpo_dataset *set, ucpo_plans **out,
                                  ucpo_error *err)
{
    if ((!bytes && size > 0) || !out) return status_argument(err, "bytes and out must not be NULL");
    const char *content = size > 0 ? bytes : "";
    if (!label) label = "input";
    const struct io_plan_format *reader = NULL;
    ucpo_status st = format ? find_format(format, &reader, err)
                            : detect_format(content, size, label, &reader, err);
    ucpo_plans *plans = NULL;
    if (!st) st = ucpo_plans_create(&plans, err);
    if (!st) st = reader->read(content, size, label, set, plans, err);
    if (!st && plans->count == 0) st = status_format(err, label, 0, "file holds no plan");
    if (st) {
        ucpo_plans_free(plans);
        return st;
    }
    for (size_t i = 0; reader->marks_placeholders && i < plans->count; i++)
        plans->item[i].is_placeholder = is_identity(&plans->item[i], plan_instance(set, i));
    *out = plans;
    return UCPO_OK;
}

ucpo_status ucpo_plans_read(const char *path, const char *format, const ucpo_dataset *set,
                            ucpo_plans **out, ucpo_error *err)
{
    char *bytes = NULL;
    size_t size = 0;
    if (!out) return status_argument(err, "out must not be NULL");
    ucpo_status st = ucpo_file_read(path, &bytes, &size, err);
    if (st) return st;
    st = ucpo_plans_read_bytes(bytes, size, strcmp(path, "-") == 0 ? "standard input" : path,
                               format, set, out, err);
    free(bytes);
    return st;
}

/* ---- writing ---- */

ucpo_status ucpo_plans_write_bytes(const char *format, const ucpo_dataset *set,
                                   const ucpo_plans *plans, char **bytes, size_t *size,
                                   ucpo_error *err)
{
    if (!plans || !bytes || !size)
        return status_argument(err, "plans, bytes and size must not be NULL");
    const struct io_plan_format *writer = NULL;
    ucpo_status st = find_format(format, &writer, err);
    if (st) return st;
    if (!writer->write) return status_argument(err, "format %s can be read only", writer->name);
    if (plans->count == 0) return status_argument(err, "there is no plan to write");
    if (plans->count > 1 && !writer->holds_many)
        return status_argument(err,
                               "format %s holds one plan, there are %zu (use json, csv or npy)",
                               writer->name, plans->count);
    struct io_buffer buf = {0};
    st = writer->write(&buf, set, plans, err);
    return io_buffer_give(&buf, st, bytes, size, err);
}

ucpo_status ucpo_plans_write(const char *path, const char *format, const ucpo_dataset *set,
                             const ucpo_plans *plans, ucpo_error *err)
{
    char *bytes = NULL;
    size_t size = 0;
    ucpo_status st = ucpo_plans_write_bytes(format, set, plans, &bytes, &size, err);
    if (st) return st;
    st = ucpo_file_write(path, bytes, size, err);
    free(bytes);
    return st;
}

/* ---- shared by the formats ---- */

ucpo_status plan_push(struct plan_draft *draft, int32_t node, ucpo_error *err)
{
    if (node == 0 && (draft->len == 0 || draft->nodes[draft->len - 1] == 0)) return UCPO_OK;
    return mem_append(&draft->nodes, &draft->len, &draft->capacity, &node, sizeof node, err);
}

ucpo_status plan_finish(struct plan_draft *draft, double stated_cost, ucpo_plans *plans,
                        ucpo_error *err)
{
    if (draft->len > 0 && draft->nodes[draft->len - 1] == 0) draft->len--;
    ucpo_status st = ucpo_plans_add(plans, draft->nodes, draft->len, stated_cost, err);
    draft->len = 0;
    return st;
}

void plan_draft_free(struct plan_draft *draft)
{
    free(draft->nodes);
    *draft = (struct plan_draft){0};
}

int plan_parse_id(const char *token, size_t length, int32_t *out)
{
    size_t at = length > 0 && (token[0] == '-' || token[0] == '+');
    int64_t value = 0;
    if (at == length) return 0;
    for (; at < length; at++) {
        if (token[at] < '0' || token[at] > '9') return 0;
        value = 10 * value + (token[at] - '0');
        if (value > INT32_MAX) return 0;
    }
    *out = (int32_t)(token[0] == '-' ? -value : value);
    return 1;
}

ucpo_status plan_token_id(struct io_text *line, const char *where, int32_t *out, size_t *out_length,
                          ucpo_error *err)
{
    const char *token;
    *out_length = io_token(line, &token);
    if (*out_length == 0 || plan_parse_id(token, *out_length, out)) return UCPO_OK;
    return status_format(err, line->label, line->line, "%s holds '%.*s', expected a node number",
                         where, (int)(*out_length < 40 ? *out_length : 40), token);
}

int plan_is_one_of(char c, const char *set)
{
    return c != '\0' && strchr(set, c) != NULL;
}

int plan_parse_cost(struct io_text *line, double *out)
{
    while (line->at < line->end && plan_is_one_of(*line->at, " \t:=")) line->at++;
    const char *token;
    size_t length = io_token(line, &token);
    const char *bar = memchr(token, '_', length);
    if (bar) {
        length -= (size_t)(bar + 1 - token);
        token = bar + 1;
    }
    return io_parse_number(token, length, out);
}

ucpo_status plan_report_check(const ucpo_instance *inst, ucpo_plan plan, struct plan_report *out,
                              ucpo_error *err)
{
    struct plan_report r = {.inst = inst, .plan = plan};
    ucpo_status st = ucpo_check(r.inst, r.plan.nodes, r.plan.len, &r.eval, NULL, 0, NULL, 0, err);
    if (st) return st;
    r.schedule = mem_zeroed(r.eval.stops, sizeof *r.schedule);
    r.missing = mem_zeroed((size_t)r.eval.missing, sizeof *r.missing);
    if (!r.schedule || !r.missing)
        st = status_no_memory(err, r.eval.stops * sizeof *r.schedule);
    else
        st = ucpo_check(r.inst, r.plan.nodes, r.plan.len, &r.eval, r.schedule, r.eval.stops,
                        r.missing, (size_t)r.eval.missing, err);
    if (st) {
        plan_report_free(&r);
        return st;
    }
    *out = r;
    return UCPO_OK;
}

ucpo_status plan_report_make(const ucpo_dataset *set, const ucpo_plans *plans, size_t index,
                             struct plan_report *out, ucpo_error *err)
{
    const ucpo_instance *inst = plan_instance(set, index);
    if (!inst)
        return status_fail(err, UCPO_E_MISMATCH, "plan %zu has no instance: the set holds %zu",
                           index, set ? ucpo_dataset_count(set) : 0);
    return plan_report_check(inst, ucpo_plans_at(plans, index), out, err);
}

void plan_report_free(struct plan_report *report)
{
    free(report->schedule);
    free(report->missing);
    *report = (struct plan_report){0};
}
