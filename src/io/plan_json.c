/* Plans as JSON, "ucpo.solution/1" and "ucpo.solutions/1": with schedule and violations. Reading
 * needs the nodes of the routes only; everything else is recomputed by the checker. */
#include "core/text.h"
#include "io/json.h"
#include "io/plan.h"
#include "problem/problem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SOLUTION_SCHEMA  "ucpo.solution/1"
#define SOLUTIONS_SCHEMA "ucpo.solutions/1"

/* ---- reading ---- */

/* Where a value stands, for messages: prefix "" or "solutions[3].". */
struct place {
    const char *label;
    char prefix[48];
};

static ucpo_status wrong(const struct place *p, const char *path, const json_t *value,
                         const char *expected, ucpo_error *err)
{
    char whole[160];
    snprintf(whole, sizeof whole, "%s%s", p->prefix, path);
    return json_wrong(p->label, whole, value, expected, err);
}

/* Other keys mean nothing to us, but one that looks like a known one was meant to say something. */
static ucpo_status check_keys(const struct place *p, const char *path, const json_t *object,
                              const char *known, ucpo_error *err)
{
    json_t *o = (json_t *)object; /* jansson's iterators take no const */
    for (void *it = json_object_iter(o); it; it = json_object_iter_next(o, it)) {
        const char *name = json_object_iter_key(it);
        char room[200];
        const char *near = text_nearest_in(known, name, room, sizeof room);
        if (!near || strcmp(near, name) == 0) continue;
        return status_format(err, p->label, 0, "unknown key '%s%s%.*s', did you mean '%s'?",
                             p->prefix, path, (int)json_cut(name, 60), name, near);
    }
    return UCPO_OK;
}

static ucpo_status check_problem(const struct place *p, const json_t *object,
                                 const ucpo_instance *inst, ucpo_error *err)
{
    const json_t *value = json_object_get(object, "problem");
    const char *stated = json_string_value(value);
    if (!value || !inst) return UCPO_OK;
    if (!stated) return wrong(p, "problem", value, "a string", err);
    const char *problem = ucpo_instance_view(inst)->problem;
    /* a fleet limit is something that options may set or drop */
    if (prob_is_same_kind(stated, problem)) return UCPO_OK;
    return status_fail_at(err, UCPO_E_MISMATCH, p->label, 0,
                          "%sproblem is \"%.*s\", but the instance is a %s", p->prefix,
                          (int)json_cut(stated, 40), stated, problem);
}

static ucpo_status read_route(const struct place *p, size_t index, const json_t *route,
                              struct plan_draft *draft, ucpo_error *err)
{
    char path[80];
    const json_t *nodes = json_object_get(route, "nodes");
    snprintf(path, sizeof path, "routes[%zu]", index);
    if (!json_is_object(route)) return wrong(p, path, route, "an object", err);
    snprintf(path, sizeof path, "routes[%zu].", index);
    ucpo_status st = check_keys(p, path, route, "vehicle nodes stops", err);
    if (st) return st;
    snprintf(path, sizeof path, "routes[%zu].nodes", index);
    if (!json_is_array(nodes)) return wrong(p, path, nodes, "an array of node numbers", err);
    st = plan_push(draft, 0, err);
    for (size_t k = 0; !st && k < json_array_size(nodes); k++) {
        const json_t *entry = json_array_get(nodes, k);
        double node;
        if (!json_whole(entry, INT32_MIN, INT32_MAX, &node)) {
            snprintf(path, sizeof path, "routes[%zu].nodes[%zu]", index, k);
            return wrong(p, path, entry, "a node number", err);
        }
        st = plan_push(draft, (int32_t)node, err);
    }
    return st;
}

/* The cost a file states: stated_cost if the key is there (null: none), else cost. */
static ucpo_status read_cost(const struct place *p, const json_t *object, double *out,
                             ucpo_error *err)
{
    const char *key = json_object_get(object, "stated_cost") ? "stated_cost" : "cost";
    const json_t *value = json_object_get(object, key);
    *out = NAN;
    if (!value || json_is_null(value)) return UCPO_OK;
    if (!json_is_number(value)) return wrong(p, key, value, "a number or null", err);
    *out = json_number_value(value);
    return UCPO_OK;
}

static ucpo_status read_solution(const struct place *p, const json_t *object,
                                 const ucpo_instance *inst, struct plan_draft *draft,
                                 ucpo_plans *plans, ucpo_error *err)
{
    static const char known[] = "schema instance problem status code cost objective tolerance unit "
                                "violation stated_cost summary routes within_tolerance reading "
                                "left_out cost_unit";
    const json_t *routes = json_object_get(object, "routes");
    ucpo_status st = check_keys(p, "", object, known, err);
    if (!st) st = check_problem(p, object, inst, err);
    if (st) return st;
    if (!json_is_array(routes)) return wrong(p, "routes", routes, "an array", err);
    for (size_t k = 0; !st && k < json_array_size(routes); k++)
        st = read_route(p, k, json_array_get(routes, k), draft, err);
    double cost = NAN;
    if (!st) st = read_cost(p, object, &cost, err);
    return st ? st : plan_finish(draft, cost, plans, err);
}

static ucpo_status read_solutions(const char *label, const json_t *root, const ucpo_dataset *set,
                                  struct plan_draft *draft, ucpo_plans *plans, ucpo_error *err)
{
    const json_t *list = json_object_get(root, "solutions");
    if (!json_is_array(list)) return json_wrong(label, "solutions", list, "an array", err);
    ucpo_status st = UCPO_OK;
    for (size_t k = 0; !st && k < json_array_size(list); k++) {
        struct place p = {label, ""};
        const json_t *entry = json_array_get(list, k);
        snprintf(p.prefix, sizeof p.prefix, "solutions[%zu]", k);
        if (!json_is_object(entry)) return wrong(&p, "", entry, "an object", err);
        snprintf(p.prefix, sizeof p.prefix, "solutions[%zu].", k);
        st = read_solution(&p, entry, plan_instance(set, k), draft, plans, err);
    }
    return st;
}

static ucpo_status read_json(const char *bytes, size_t size, const char *label,
                             const ucpo_dataset *set, ucpo_plans *plans, ucpo_error *err)
{
    json_t *root = NULL;
    ucpo_status st = json_parse(bytes, size, label, &root, err);
    if (st) return st;
    const json_t *value = json_object_get(root, "schema");
    const char *schema = json_string_value(value);
    struct plan_draft draft = {0};
    struct place p = {label, ""};
    if (schema && strcmp(schema, SOLUTION_SCHEMA) == 0)
        st = read_solution(&p, root, plan_instance(set, 0), &draft, plans, err);
    else if (schema && strcmp(schema, SOLUTIONS_SCHEMA) == 0)
        st = read_solutions(label, root, set, &draft, plans, err);
    else
        st = json_wrong(label, "schema", value,
                        "\"" SOLUTION_SCHEMA "\" or \"" SOLUTIONS_SCHEMA "\"", err);
    plan_draft_free(&draft);
    json_decref(root);
    return st;
}

/* ---- writing ---- */

/* "key": number, with a leading ", " unless first */
static void put_pair(struct io_buffer *out, int is_first, const char *key, double value)
{
    io_printf(out, "%s\"%s\": ", is_first ? "" : ", ", key);
    json_put_number(out, value);
}

static void put_summary(struct io_buffer *out, const struct plan_report *r)
{
    const ucpo_evaluation *e = &r->eval;
    put_pair(out, 1, "routes", e->routes);
    put_pair(out, 0, "duration", e->duration);
    put_pair(out, 0, "wait", e->wait);
    put_pair(out, 0, "late_sum", e->late_sum);
    put_pair(out, 0, "late_count", e->late_count);
    put_pair(out, 0, "over_sum", e->over_sum);
    put_pair(out, 0, "over_count", e->over_count);
    put_pair(out, 0, "late_max", e->late_max);
    put_pair(out, 0, "over_max", e->over_max);
    put_pair(out, 0, "vehicles_over", e->vehicles_over);
    io_printf(out, ", \"missing\": [");
    for (int32_t k = 0; k < e->missing; k++)
        io_printf(out, "%s%d", k ? ", " : "", (int)r->missing[k]);
    io_printf(out, "]");
    put_pair(out, 0, "duplicates", e->duplicates);
    put_pair(out, 0, "unknown", e->unknown);
    if (ucpo_instance_view(r->inst)->no_way > 0.0) put_pair(out, 0, "no_way", e->blocked);
}

static void put_words(struct io_buffer *out, const char *key, const char *text)
{
    if (!text[0]) return;
    io_printf(out, ", \"%s\": ", key);
    json_put_string(out, text);
}

/* What the file calls the node, and times of the day. */
static void put_labels(struct io_buffer *out, const ucpo_instance *inst, const ucpo_stop *s)
{
    const ucpo_instance_data *d = ucpo_instance_view(inst);
    if (s->is_unknown) return;
    if (d->id) put_words(out, "id", d->id[s->node]);
    if (d->label) put_words(out, "name", d->label[s->node]);
    char text[40];
    put_words(out, "arrive_clock", ucpo_clock_text(inst, s->arrive, 1, text, sizeof text));
    put_words(out, "start_clock", ucpo_clock_text(inst, s->start, 1, text, sizeof text));
    put_words(out, "leave_clock", ucpo_clock_text(inst, s->leave, 1, text, sizeof text));
}

static void put_stop(struct io_buffer *out, const ucpo_instance *inst, const ucpo_stop *s)
{
    int has_limits = ucpo_instance_view(inst)->limit != NULL;
    put_pair(out, 1, "node", s->node);
    put_labels(out, inst, s);
    put_pair(out, 0, "arrive", s->arrive);
    put_pair(out, 0, "wait", s->wait);
    put_pair(out, 0, "start", s->start);
    put_pair(out, 0, "leave", s->leave);
    put_pair(out, 0, "slack", s->slack);
    put_pair(out, 0, "load", s->load);
    put_pair(out, 0, "late", s->late);
    put_pair(out, 0, "over", s->over);

    struct {
        int is_broken;
        const char *rule;
    } violation[] = {
        {s->late > 0.0, "late"},        {s->over > 0.0, has_limits ? "over_draft" : "over_load"},
        {s->is_duplicate, "duplicate"}, {s->is_unknown, "unknown"},
        {s->is_blocked, "no_way"},
    };

    io_printf(out, ", \"violations\": [");
    int count = 0;
    for (size_t k = 0; k < sizeof violation / sizeof violation[0]; k++)
        if (violation[k].is_broken)
            io_printf(out, "%s\"%s\"", count++ ? ", " : "", violation[k].rule);
    io_printf(out, "]");
}

/* Rows first .. end - 1 of the schedule are one route. */
static void put_route(struct io_buffer *out, const struct plan_report *r, size_t first, size_t end,
                      const char *indent)
{
    io_printf(out, "%s  {\"vehicle\": %d, \"nodes\": [", indent, (int)r->schedule[first].route);
    int count = 0;
    for (size_t k = first; k < end; k++)
        if (r->schedule[k].node != 0)
            io_printf(out, "%s%d", count++ ? ", " : "", (int)r->schedule[k].node);
    io_printf(out, "], \"stops\": [\n");
    for (size_t k = first; k < end; k++) {
        io_printf(out, "%s    {", indent);
        put_stop(out, r->inst, &r->schedule[k]);
        io_printf(out, "}%s\n", k + 1 < end ? "," : "");
    }
    io_printf(out, "%s  ]}", indent);
}

static void put_routes(struct io_buffer *out, const struct plan_report *r, const char *indent)
{
    size_t first = 0;
    for (size_t k = 1; k <= r->eval.stops; k++) {
        if (k < r->eval.stops && r->schedule[k].route == r->schedule[first].route) continue;
        io_printf(out, "%s\n", first ? "," : "");
        put_route(out, r, first, k, indent);
        first = k;
    }
    if (first > 0) io_printf(out, "\n%s", indent);
}

void plan_json_put(struct io_buffer *out, const struct plan_report *r, const char *indent)
{
    const ucpo_instance_data *d = ucpo_instance_view(r->inst);
    const ucpo_evaluation *e = &r->eval;

    const struct {
        const char *key;
        double value;
        int is_wanted;
    } number[] = {
        {"code", e->is_feasible ? 0 : 3, 1},    {"cost", e->cost, 1},
        {"objective", e->cost, e->is_feasible}, {"stated_cost", r->plan.stated_cost, 1},
        {"tolerance", d->tolerance, 1},         {"unit", d->unit, 1},
        {"violation", e->violation, 1},
    };

    io_printf(out, "%s\"instance\": ", indent);
    json_put_string(out, d->name);
    io_printf(out, ",\n%s\"problem\": \"%s\",\n%s\"status\": \"%s\",\n", indent, d->problem, indent,
              e->is_feasible ? "feasible" : "infeasible");
    if (e->is_feasible)
        io_printf(out, "%s\"within_tolerance\": %s,\n", indent, e->is_tolerated ? "true" : "false");
    if (d->cost_unit) {
        io_printf(out, "%s\"cost_unit\": ", indent);
        json_put_string(out, d->cost_unit);
        io_put(out, ",\n", 2);
    }
    if (d->left_outs > 0) {
        io_printf(out, "%s\"reading\": \"%s\",\n%s\"left_out\": ", indent,
                  ucpo_reading_name(ucpo_instance_reading(r->inst)), indent);
        json_put_left_out(out, d, indent);
        io_put(out, ",\n", 2);
    }
    for (size_t k = 0; k < sizeof number / sizeof number[0]; k++) {
        if (!number[k].is_wanted) continue;
        io_printf(out, "%s", indent);
        put_pair(out, 1, number[k].key, number[k].value);
        io_put(out, ",\n", 2);
    }
    io_printf(out, "%s\"summary\": {", indent);
    put_summary(out, r);
    io_printf(out, "},\n%s\"routes\": [", indent);
    put_routes(out, r, indent);
    io_printf(out, "]\n");
}

static ucpo_status write_json(struct io_buffer *out, const ucpo_dataset *set,
                              const ucpo_plans *plans, ucpo_error *err)
{
    size_t count = ucpo_plans_count(plans);
    int is_set = count > 1;
    io_printf(out, "{\n  \"schema\": \"%s\",\n", is_set ? SOLUTIONS_SCHEMA : SOLUTION_SCHEMA);
    if (is_set) io_printf(out, "  \"solutions\": [{\n");
    for (size_t i = 0; i < count; i++) {
        struct plan_report r;
        ucpo_status st = plan_report_make(set, plans, i, &r, err);
        if (st) return st;
        if (i > 0) io_printf(out, "  }, {\n");
        plan_json_put(out, &r, is_set ? "    " : "  ");
        plan_report_free(&r);
    }
    io_printf(out, is_set ? "  }]\n}\n" : "}\n");
    return UCPO_OK;
}

const struct io_plan_format io_plan_json = {"json",    1,         0, json_begins_object,
                                            read_json, write_json};
