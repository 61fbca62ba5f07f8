/* What would have to change in the instance for a given plan to be feasible. Every answer is tried:
 * the checker sees the plan with the changed instance. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"
#include "explain/explain.h"

struct change {
    ucpo_reason_kind kind;
    int32_t node;
    double value; /* new */
};

struct relaxing {
    const ucpo_instance *inst;
    const int32_t *plan;
    size_t len;
    ucpo_evaluation eval;
    ucpo_stop *stops;
    struct change *needed; /* one for every broken constraint; together they are enough */
    size_t count;
    double *ready, *due, *limit; /* of the changed instance */
    ucpo_explanation *out;
};

/* ---- a changed instance ---- */

static void reset(const struct relaxing *r)
{
    const ucpo_instance_data *d = &r->inst->data;
    size_t bytes = (size_t)d->n * sizeof(double);
    if (d->ready) memcpy(r->ready, d->ready, bytes);
    if (d->due) memcpy(r->due, d->due, bytes);
    if (d->limit) memcpy(r->limit, d->limit, bytes);
}

/* The instance is shared but for the arrays that change: tolerance and unit stay as they are. */
static int is_enough(const struct relaxing *r, const struct change *changes, size_t count)
{
    struct ucpo_instance twin = *r->inst;
    ucpo_evaluation eval;
    reset(r);
    if (twin.data.ready) twin.data.ready = r->ready;
    if (twin.data.due) twin.data.due = r->due;
    if (twin.data.limit) twin.data.limit = r->limit;
    for (size_t k = 0; k < count; k++) {
        const struct change *c = &changes[k];
        if (c->kind == UCPO_REASON_RELAX_DUE) r->due[c->node] = c->value;
        if (c->kind == UCPO_REASON_RELAX_READY) r->ready[c->node] = c->value;
        if (c->kind == UCPO_REASON_RELAX_LIMIT) r->limit[c->node] = c->value;
        if (c->kind == UCPO_REASON_RELAX_CAPACITY) twin.data.capacity = c->value;
        if (c->kind == UCPO_REASON_RELAX_FLEET) twin.data.vehicles = (int32_t)c->value;
    }
    ucpo_status st = ucpo_check(&twin, r->plan, r->len, &eval, NULL, 0, NULL, 0, r->out->err);
    if (st && !r->out->status) r->out->status = st;
    return !st && eval.is_feasible;
}

/* ---- words ---- */

/* Whole seconds of a clock, on the side where the change is enough. */
static double whole_seconds(const ucpo_instance *inst, const struct change *c)
{
    double clock = inst->data.clock;
    if (clock <= 0.0) return c->value;
    double seconds = c->value * clock;
    return (c->kind == UCPO_REASON_RELAX_DUE ? ceil(seconds - 1e-6) : floor(seconds + 1e-6)) /
           clock;
}

static void add_time(const struct relaxing *r, const struct change *c, double old)
{
    char who[48];
    double by = fabs(c->value - old);
    struct said new_time = explain_time(r->inst, whole_seconds(r->inst, c));
    struct said old_time = explain_time(r->inst, old);
    if (c->node == 0 && c->kind == UCPO_REASON_RELAX_DUE)
        explain_add(r->out, c->kind, &c->node, 1, (struct numbers){c->value, old},
                    "the depot must close at %s instead of %s (%.6g later)", new_time.text,
                    old_time.text, by);
    else if (c->node == 0)
        explain_add(r->out, c->kind, &c->node, 1, (struct numbers){c->value, old},
                    "vehicles must leave the depot at %s instead of %s (%.6g earlier)",
                    new_time.text, old_time.text, by);
    else {
        snprintf(who, sizeof who, "the window of customer %d", (int)c->node);
        explain_add(r->out, c->kind, &c->node, 1, (struct numbers){c->value, old},
                    "%s must %s at %s instead of %s (%.6g %s)", who,
                    c->kind == UCPO_REASON_RELAX_DUE ? "close" : "open", new_time.text,
                    old_time.text, by, c->kind == UCPO_REASON_RELAX_DUE ? "later" : "earlier");
    }
}

static void add_change(const struct relaxing *r, const struct change *c, int is_joint)
{
    const ucpo_instance_data *d = &r->inst->data;
    size_t before = r->out->count;
    char who[32] = "the depot";
    const double *times = c->kind == UCPO_REASON_RELAX_DUE     ? d->due
                          : c->kind == UCPO_REASON_RELAX_READY ? d->ready
                                                               : NULL;
    if (c->node > 0) snprintf(who, sizeof who, "customer %d", (int)c->node);
    if (times)
        add_time(r, c, times[c->node]);
    else if (c->kind == UCPO_REASON_RELAX_LIMIT)
        explain_add(r->out, c->kind, &c->node, 1, (struct numbers){c->value, d->limit[c->node]},
                    "the draft limit of %s must be %.10g instead of %.10g (%.6g more)", who,
                    c->value, d->limit[c->node], c->value - d->limit[c->node]);
    else if (c->kind == UCPO_REASON_RELAX_CAPACITY)
        explain_add(r->out, c->kind, NULL, 0, (struct numbers){c->value, d->capacity},
                    "the capacity must be %.10g instead of %.10g (%.6g more)", c->value,
                    d->capacity, c->value - d->capacity);
    else
        explain_add(r->out, c->kind, NULL, 0, (struct numbers){c->value, d->vehicles},
                    "there must be %.0f vehicles instead of %d (%.0f more)", c->value,
                    (int)d->vehicles, c->value - d->vehicles);
    if (r->out->count > before) r->out->items[before].is_joint = is_joint;
}

/* ---- plans that no change mends ---- */

static void add_broken(const struct relaxing *r, const int32_t *missing)
{
    const ucpo_evaluation *e = &r->eval;
    char list[EXPLAIN_LIST], text[400] = "";
    if (e->missing)
        text_append(text, sizeof text, ", ", "leaves out %s",
                    explain_list(list, missing, (size_t)e->missing));
    if (e->duplicates)
        text_append(text, sizeof text, ", ", "repeats %d visit%s", (int)e->duplicates,
                    e->duplicates == 1 ? "" : "s");
    if (e->unknown)
        text_append(text, sizeof text, ", ", "names %d unknown node%s", (int)e->unknown,
                    e->unknown == 1 ? "" : "s");
    if (e->vehicles_over && r->inst->ops->max_vehicles)
        text_append(text, sizeof text, ", ", "has %d routes instead of one tour", (int)e->routes);
    if (e->blocked)
        text_append(text, sizeof text, ", ", "uses %d leg%s where there is no way", (int)e->blocked,
                    e->blocked == 1 ? "" : "s");
    int faults = e->missing + e->duplicates + e->unknown + e->vehicles_over + e->blocked;
    explain_add(r->out, UCPO_REASON_PLAN_BROKEN, missing, (size_t)e->missing,
                (struct numbers){faults, 0.0}, "the plan %s: no change of the instance mends that",
                text);
}

static int is_broken(const struct relaxing *r)
{
    const ucpo_evaluation *e = &r->eval;
    return e->missing || e->duplicates || e->unknown || e->blocked ||
           (e->vehicles_over && r->inst->ops->max_vehicles);
}

/* ---- changes ---- */

/* The change of this kind and node gets at least `value`. */
static void need(struct relaxing *r, ucpo_reason_kind kind, int32_t node, double value)
{
    int is_shared = node == 0; /* depot, capacity, fleet: one thing for all routes */
    for (size_t k = 0; is_shared && k < r->count; k++) {
        struct change *c = &r->needed[k];
        if (c->kind != kind || c->node != 0) continue;
        c->value = fmax(c->value, value);
        return;
    }
    r->needed[r->count++] = (struct change){kind, node, value};
}

static void collect(struct relaxing *r)
{
    const ucpo_instance_data *d = &r->inst->data;
    for (size_t k = 0; k < r->eval.stops; k++) {
        const ucpo_stop *s = &r->stops[k];
        if (s->late > 0.0) need(r, UCPO_REASON_RELAX_DUE, s->node, s->start);
        if (s->over > 0.0 && d->limit)
            need(r, UCPO_REASON_RELAX_LIMIT, s->node, s->load);
        else if (s->over > 0.0)
            need(r, UCPO_REASON_RELAX_CAPACITY, 0, s->load);
    }
    if (r->eval.vehicles_over) need(r, UCPO_REASON_RELAX_FLEET, 0, r->eval.routes);
}

enum { MOST_TRIES = 64 };

/* Nobody leaves before the day begins: at 0, or with the first window where that is earlier. */
static double begin_of_day(const ucpo_instance_data *d)
{
    double begin = 0.0;
    for (int32_t i = 0; i < d->n; i++) begin = fmin(begin, d->ready[i]);
    return begin;
}

/* Only late: a vehicle that leaves, or is served, earlier. A start moves by at most as much as the
 * opening before it, so the largest lateness is the least that can do. */
static size_t try_earlier(const struct relaxing *r)
{
    const ucpo_instance_data *d = &r->inst->data;
    double late = 0.0;
    int32_t route = 0;
    size_t found = 0, first = r->eval.stops;
    int is_one_route = 1, tries = 0;
    for (size_t k = 0; k < r->eval.stops; k++) {
        if (r->stops[k].late <= 0.0) continue;
        if (first == r->eval.stops) first = k, route = r->stops[k].route;
        is_one_route &= r->stops[k].route == route;
        late = fmax(late, r->stops[k].late);
    }
    double begin = begin_of_day(d);
    struct change depot = {UCPO_REASON_RELAX_READY, 0, d->ready[0] - late};
    if (depot.value >= begin && is_enough(r, &depot, 1)) add_change(r, &depot, 0), found++;
    for (size_t k = 0; is_one_route && k < first && tries < MOST_TRIES; k++) {
        const ucpo_stop *s = &r->stops[k];
        if (s->route != route || s->node == 0 || s->wait + d->tolerance < late) continue;
        struct change c = {UCPO_REASON_RELAX_READY, s->node, d->ready[s->node] - late};
        tries++;
        if (c.value >= begin && is_enough(r, &c, 1)) add_change(r, &c, 0), found++;
    }
    return found;
}

static void find_changes(struct relaxing *r)
{
    size_t singles = 0;
    collect(r);
    int has_windows = r->inst->data.ready && r->inst->data.due;
    int is_late_only =
        has_windows && r->eval.late_count && !r->eval.over_count && !r->eval.vehicles_over;
    int is_sound = is_enough(r, r->needed, r->count);
    if (r->count == 1 && is_sound) add_change(r, &r->needed[0], 0), singles++;
    if (is_late_only) singles += try_earlier(r);
    for (size_t k = 0; singles == 0 && is_sound && k < r->count; k++)
        add_change(r, &r->needed[k], 1);
}

static void explain_plan(struct relaxing *r, int32_t *missing)
{
    ucpo_explanation *out = r->out;
    size_t n = (size_t)r->inst->data.n;
    out->status = ucpo_check(r->inst, r->plan, r->len, &r->eval, r->stops, r->len + n + 1, missing,
                             n, out->err);
    if (out->status || r->eval.is_feasible) return;
    if (is_broken(r))
        add_broken(r, missing);
    else
        find_changes(r);
}

void show_relaxations(const ucpo_instance *inst, const int32_t *plan, size_t len,
                      ucpo_explanation *out)
{
    struct relaxing r = {.inst = inst, .plan = plan, .len = len, .out = out};
    size_t n = (size_t)inst->data.n, most = 2 * len + 2;
    r.ready = explain_room(out, n, sizeof(double));
    r.due = explain_room(out, n, sizeof(double));
    r.limit = explain_room(out, n, sizeof(double));
    r.stops = explain_room(out, most + n + 1, sizeof *r.stops);
    r.needed = explain_room(out, most + 2, sizeof *r.needed);
    int32_t *missing = explain_room(out, n, sizeof *missing);
    if (!out->status) explain_plan(&r, missing);
}
