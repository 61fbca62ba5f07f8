/* All orders of a few customers: of partial routes with the same customers and the same last one, those
 * stay that are not cheaper, earlier and lighter at once than none of the others. Routes are then put
 * together to plans.
 *
 * Times and loads are added up in the order of the route, as the definition has it (ucpo.h, section 8),
 * so that not even rounding tells a route here from the same route elsewhere. More customers, time and
 * load only ever add: what is behind stays behind, also in rounded numbers. */
#include "bound/bound.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = BOUND_EXACT, SETS = 1 << MOST, NONE = -1 };

struct label {
    double time, cost, load; /* end of service */
    int32_t parent, next;    /* next with the same customers and last one */
    int32_t last;
};

struct exact {
    const ucpo_instance *inst;
    const ucpo_instance_data *data;
    int32_t customers;
    int is_unloading;
    struct label *all;
    size_t count, capacity;
    int32_t first[SETS][MOST + 1]; /* labels by customers and last one */
    double route[SETS];            /* cost of the best route for these customers; HUGE_VAL: none */
    int32_t route_end[SETS];
    double plan[MOST + 1][SETS]; /* the same of at most so many routes */
    int32_t part[MOST + 1][SETS];
};

/* ---- partial routes ---- */

static int is_as_light(const struct exact *s, double a, double b)
{
    return s->is_unloading ? a >= b : a <= b; /* who has unloaded more has less on board */
}

static int is_as_good(const struct exact *s, const struct label *a, const struct label *b)
{
    return a->cost <= b->cost && a->time <= b->time && is_as_light(s, a->load, b->load);
}

static ucpo_status add(struct exact *s, unsigned set, const struct label *l, ucpo_error *err)
{
    int32_t *at = &s->first[set][l->last];
    while (*at != NONE) {
        struct label *other = &s->all[*at];
        if (is_as_good(s, other, l)) return UCPO_OK;
        if (is_as_good(s, l, other))
            *at = other->next;
        else
            at = &other->next;
    }
    struct label own = *l;
    own.next = s->first[set][l->last];
    int32_t number = (int32_t)s->count;
    ucpo_status st = mem_append(&s->all, &s->count, &s->capacity, &own, sizeof own, err);
    if (!st) s->first[set][l->last] = number;
    return st;
}

/* Serves j behind what `l` is the end of; 0: it is late or too heavy. */
static int serve(const struct exact *s, struct label *l, int32_t j)
{
    const ucpo_instance_data *d = s->data;
    int is_there = d->place && d->place[l->last] == d->place[j]; /* the setup is paid */
    if (!ucpo_instance_has_way(s->inst, l->last, j)) return 0;
    l->cost += ucpo_instance_cost(s->inst, l->last, j);
    if (d->ready) {
        l->time += ucpo_instance_duration(s->inst, l->last, j);
        if (l->time < d->ready[j]) l->time = d->ready[j];
        if (l->time - d->due[j] > d->tolerance) return 0;
        if (d->setup && !is_there) l->time += d->setup[j];
        if (d->service) l->time += d->service[j];
    }
    l->last = j;
    if (!d->demand) return 1;
    double before = l->load;
    l->load += d->demand[j];
    if (d->limit) {
        double draft = s->is_unloading ? s->inst->total_demand - before : l->load;
        return !(draft - d->limit[j] > s->inst->load_tolerance);
    }
    double excess = l->load - d->capacity;
    return !((excess < d->demand[j] ? excess : d->demand[j]) > s->inst->load_tolerance);
}

/* The way home; 0: it is late, or the depot too shallow. */
static int come_home(const struct exact *s, struct label *l)
{
    const ucpo_instance_data *d = s->data;
    if (!ucpo_instance_has_way(s->inst, l->last, 0)) return 0;
    l->cost += ucpo_instance_cost(s->inst, l->last, 0);
    if (d->limit && s->inst->total_demand - d->limit[0] > s->inst->load_tolerance) return 0;
    if (!d->ready) return 1;
    l->time += ucpo_instance_duration(s->inst, l->last, 0);
    return !(l->time - d->due[0] > d->tolerance);
}

static void close_route(struct exact *s, unsigned set, int32_t index)
{
    struct label end = s->all[index];
    if (!come_home(s, &end) || end.cost >= s->route[set]) return;
    s->route[set] = end.cost;
    s->route_end[set] = index;
}

static ucpo_status extend(struct exact *s, unsigned set, int32_t index, ucpo_error *err)
{
    ucpo_status st = UCPO_OK;
    for (int32_t j = 1; !st && j <= s->customers; j++) {
        unsigned bit = 1u << (j - 1);
        if (set & bit) continue;
        struct label to = index == NONE ? (struct label){0} : s->all[index];
        if (index == NONE && s->data->ready) to.time = s->data->ready[0];
        to.parent = index;
        if (serve(s, &to, j)) st = add(s, set | bit, &to, err);
    }
    return st;
}

/* Sets in ascending order: what a set is made from comes before it. */
static ucpo_status find_routes(struct exact *s, ucpo_error *err)
{
    ucpo_status st = extend(s, 0, NONE, err);
    for (unsigned set = 1; !st && set < 1u << s->customers; set++)
        for (int32_t last = 1; last <= s->customers; last++)
            for (int32_t k = s->first[set][last]; !st && k != NONE; k = s->all[k].next) {
                close_route(s, set, k);
                st = extend(s, set, k, err);
            }
    return st;
}

/* ---- plans ---- */

/* At most so many routes for a set: one that has its lowest customer, the others for the rest. */
static void find_plans(struct exact *s, int32_t routes)
{
    unsigned sets = 1u << s->customers;
    for (unsigned set = 1; set < sets; set++) s->plan[0][set] = HUGE_VAL;
    for (int32_t k = 1; k <= routes; k++) {
        s->plan[k][0] = 0.0;
        for (unsigned set = 1; set < sets; set++) {
            unsigned lowest = set & (~set + 1u);
            s->plan[k][set] = HUGE_VAL;
            for (unsigned part = set; part; part = (part - 1u) & set) {
                double cost = s->route[part] + s->plan[k - 1][set ^ part];
                if (!(part & lowest) || cost >= s->plan[k][set]) continue;
                s->plan[k][set] = cost;
                s->part[k][set] = (int32_t)part;
            }
        }
    }
}

static size_t write_plan(const struct exact *s, int32_t routes, int32_t *plan)
{
    size_t len = 0;
    unsigned set = (1u << s->customers) - 1u;
    for (int32_t k = routes; set; k--) {
        unsigned part = (unsigned)s->part[k][set];
        size_t count = 0;
        for (unsigned rest = part; rest; rest &= rest - 1u) count++;
        if (len) plan[len++] = 0;
        len += count;
        size_t at = len;
        for (int32_t l = s->route_end[part]; l != NONE; l = s->all[l].parent)
            plan[--at] = s->all[l].last;
        set ^= part;
    }
    return len;
}

static int32_t most_routes(const ucpo_instance *inst)
{
    int32_t fleet = inst->ops->max_vehicles ? inst->ops->max_vehicles : inst->data.vehicles;
    int32_t customers = inst->data.n - 1;
    return fleet > 0 && fleet < customers ? fleet : customers;
}

ucpo_status bound_exact(const ucpo_instance *inst, struct bound_exact *out, ucpo_error *err)
{
    out->is_known = out->is_feasible = 0;
    if (inst->data.n - 1 > MOST) return UCPO_OK;
    struct exact *s = mem_zeroed(1, sizeof *s);
    if (!s) return status_no_memory(err, sizeof *s);
    s->inst = inst;
    s->data = &inst->data;
    s->customers = inst->data.n - 1;
    s->is_unloading = inst->data.limit && inst->data.draft == UCPO_DRAFT_UNLOAD;
    memset(s->first, 0xff, sizeof s->first);
    for (unsigned set = 0; set < SETS; set++) s->route[set] = HUGE_VAL;
    int32_t routes = most_routes(inst);
    unsigned everybody = (1u << s->customers) - 1u;
    ucpo_status st = find_routes(s, err);
    if (!st) {
        find_plans(s, routes);
        out->is_known = 1;
        out->cost = s->plan[routes][everybody];
        out->is_feasible = out->cost < HUGE_VAL;
        if (out->is_feasible) out->len = write_plan(s, routes, out->plan);
    }
    free(s->all);
    free(s);
    return st;
}
