/* The plan of a fleet under change. */
#include "refine/routes.h"

#include <assert.h>
#include <string.h>

/* ---- set-up ---- */

static void lay_out(struct fleet *f, struct arena *arena)
{
    size_t n = (size_t)f->n;
    f->stop = arena_take(arena, 2 * n, sizeof *f->stop);
    f->route = arena_take(arena, n, sizeof *f->route);
    f->active = arena_take(arena, n, sizeof *f->active);
    f->spare = arena_take(arena, n, sizeof *f->spare);
    f->old_stop = arena_take(arena, 2 * n, sizeof *f->old_stop);
    f->old_id = arena_take(arena, 2 * n, sizeof *f->old_id);
    f->old_route = arena_take(arena, n, sizeof *f->old_route);
    f->old_route_id = arena_take(arena, n, sizeof *f->old_route_id);
    f->touched = arena_take(arena, n, sizeof *f->touched);
    f->order = arena_take(arena, 2 * n, sizeof *f->order);
    f->places = arena_take(arena, n, sizeof *f->places);
}

void fleet_bind(struct fleet *f, const struct ground *ground, struct arena *arena)
{
    const ucpo_instance_data *d = &ground->inst->data;
    f->ground = ground;
    f->site = ground->site;
    f->n = ground->n;
    f->limit = d->vehicles > 0 ? d->vehicles : f->n;
    f->capacity = d->demand ? d->capacity + 0.5 * ground->inst->load_tolerance : HUGE_VAL;
    lay_out(f, arena);
}

void fleet_clear(struct fleet *f)
{
    int32_t n = f->n;
    for (int32_t i = 0; i < 2 * n; i++) f->stop[i] = (struct fleet_stop){.route = -1};
    for (int32_t r = 0; r < n; r++) {
        f->stop[n + r] = (struct fleet_stop){.next = n + r,
                                             .prev = n + r,
                                             .route = r,
                                             .time = f->site[0].ready,
                                             .late = f->site[0].due};
        f->route[r] = (struct fleet_route){.at = -1};
        f->spare[r] = n - 1 - r;
    }
    memset(f->touched, 0, (size_t)n * sizeof *f->touched);
    f->mark = 1;
    f->spares = n;
    f->actives = 0;
    f->old_stops = f->old_routes = 0;
    f->total = (struct fleet_totals){0};
}

/* ---- what is saved ---- */

void fleet_mark(struct fleet *f)
{
    f->mark++;
    if (f->mark == 0) {
        memset(f->touched, 0, (size_t)f->n * sizeof *f->touched);
        f->mark = 1;
    }
    f->old_stops = f->old_routes = 0;
    f->old_total = f->total;
}

void fleet_touch(struct fleet *f, int32_t r)
{
    if (f->touched[r] == f->mark) return;
    f->touched[r] = f->mark;
    f->old_route_id[f->old_routes] = r;
    f->old_route[f->old_routes++] = f->route[r];
    int32_t head = f->n + r, i = head;
    do {
        f->old_id[f->old_stops] = i;
        f->old_stop[f->old_stops++] = f->stop[i];
        i = f->stop[i].next;
    } while (i != head);
}

/* ---- which routes are in use ---- */

int32_t fleet_spare(const struct fleet *f)
{
    return f->spare[f->spares - 1];
}

static void drop_spare(struct fleet *f, int32_t r)
{
    int32_t at = f->spares - 1;
    while (f->spare[at] != r) at--;
    for (f->spares--; at < f->spares; at++) f->spare[at] = f->spare[at + 1];
}

static void set_active(struct fleet *f, int32_t r, int is_active)
{
    struct fleet_route *route = &f->route[r];
    if (is_active) {
        drop_spare(f, r);
        route->at = f->actives;
        f->active[f->actives++] = r;
        return;
    }
    int32_t last = f->active[--f->actives];
    f->active[route->at] = last;
    f->route[last].at = route->at;
    route->at = -1;
    f->spare[f->spares++] = r;
}

void fleet_undo(struct fleet *f)
{
    for (int32_t k = 0; k < f->old_routes; k++) {
        int32_t r = f->old_route_id[k];
        int is_active = f->old_route[k].at >= 0;
        if (is_active != (f->route[r].at >= 0)) set_active(f, r, is_active);
        int32_t at = f->route[r].at;
        f->route[r] = f->old_route[k];
        f->route[r].at = at;
    }
    for (int32_t k = 0; k < f->old_stops; k++) f->stop[f->old_id[k]] = f->old_stop[k];
    f->total = f->old_total;
    fleet_mark(f);
}

/* ---- what is known of a stop ---- */

static void look_back(struct fleet *f, int32_t from)
{
    int32_t head = f->n + f->stop[from].route;
    for (int32_t j = from; j != head; j = f->stop[j].next) {
        struct fleet_stop *s = &f->stop[j];
        const struct fleet_stop *p = &f->stop[s->prev];
        const struct site *site = &f->site[j];
        double arrive = p->time + fleet_time(f, s->prev, j);
        s->place = p->place + 1;
        s->load = p->load + site->demand;
        s->warp = p->warp + more_of(0.0, arrive - site->due);
        s->time = less_of(more_of(arrive, site->ready), site->due) + site->service;
    }
}

static void look_ahead(struct fleet *f, int32_t from)
{
    int32_t head = f->n + f->stop[from].route;
    for (int32_t j = from; j != head; j = f->stop[j].prev) {
        struct fleet_stop *s = &f->stop[j];
        const struct fleet_stop *q = &f->stop[s->next];
        const struct site *site = &f->site[j];
        double way = site->service + fleet_time(f, j, s->next);
        s->late = less_of(site->due, more_of(q->late - way, site->ready));
        s->tail = q->tail + more_of(0.0, site->ready + way - q->late);
    }
}

static void leave_totals(struct fleet *f, const struct fleet_route *r)
{
    f->total.cost -= r->cost;
    f->total.warp -= r->warp;
    f->total.over -= r->over;
    f->total.late_routes -= r->warp > 0.0;
    f->total.heavy_routes -= r->over > 0.0;
}

static void enter_totals(struct fleet *f, const struct fleet_route *r)
{
    f->total.cost += r->cost;
    f->total.warp += r->warp;
    f->total.over += r->over;
    f->total.late_routes += r->warp > 0.0;
    f->total.heavy_routes += r->over > 0.0;
}

/* Route r has its links, its stops know of each other; now the route as a whole. */
static void close_route(struct fleet *f, int32_t r, double cost, int32_t count)
{
    struct fleet_route *route = &f->route[r];
    int32_t head = f->n + r;
    const struct fleet_stop *last = &f->stop[f->stop[head].prev];
    leave_totals(f, route);
    route->count = count;
    route->cost = count ? cost : 0.0;
    route->load = last->load;
    route->over = fleet_over(f, last->load);
    route->warp = 0.0;
    if (count) {
        double home = last->time + fleet_time(f, f->stop[head].prev, head);
        route->warp = last->warp + more_of(0.0, home - f->site[0].due);
    }
    enter_totals(f, route);
    assert(f->total.late_routes >= 0 && f->total.heavy_routes >= 0);
    route->version = ++f->versions;
    if ((count > 0) != (route->at >= 0)) set_active(f, r, count > 0);
}

void fleet_sum(struct fleet *f)
{
    f->total = (struct fleet_totals){0};
    for (int32_t k = 0; k < f->actives; k++) {
        enter_totals(f, &f->route[f->active[k]]);
        f->route[f->active[k]].version = ++f->versions;
    }
}

/* ---- changes ---- */

void fleet_put(struct fleet *f, int32_t j, int32_t i)
{
    int32_t r = f->stop[i].route, next = f->stop[i].next;
    assert(r >= 0 && f->stop[j].route < 0);
    fleet_touch(f, r);
    double cost = f->route[r].count ? f->route[r].cost - f->stop[i].way : 0.0;
    f->stop[j].prev = i;
    f->stop[j].next = next;
    f->stop[j].route = r;
    f->stop[i].next = j;
    f->stop[next].prev = j;
    f->stop[i].way = fleet_cost(f, i, j);
    f->stop[j].way = fleet_cost(f, j, next);
    cost += f->stop[i].way + f->stop[j].way;
    look_back(f, j);
    look_ahead(f, j);
    close_route(f, r, cost, f->route[r].count + 1);
}

void fleet_set(struct fleet *f, int32_t r, const int32_t *order, int32_t count)
{
    int32_t head = f->n + r, at = head;
    double cost = 0.0;
    fleet_touch(f, r);
    for (int32_t k = 0; k <= count; k++) {
        int32_t j = k < count ? order[k] : head;
        f->stop[at].next = j;
        f->stop[at].way = fleet_cost(f, at, j);
        cost += f->stop[at].way;
        f->stop[j].prev = at;
        f->stop[j].route = r;
        at = j;
    }
    look_back(f, f->stop[head].next);
    look_ahead(f, f->stop[head].prev);
    close_route(f, r, cost, count);
}

void fleet_cut(struct fleet *f, int32_t i, int32_t count)
{
    int32_t r = f->stop[i].route, before = f->stop[i].prev, left = f->route[r].count - count;
    assert(count > 0 && f->stop[i].place + count - 1 <= f->route[r].count);
    fleet_touch(f, r);
    double cost = f->route[r].cost - f->stop[before].way;
    for (; count > 0; count--) {
        cost -= f->stop[i].way;
        f->stop[i].route = -1;
        i = f->stop[i].next;
    }
    f->stop[before].next = i;
    f->stop[i].prev = before;
    f->stop[before].way = fleet_cost(f, before, i);
    cost += f->stop[before].way;
    look_back(f, i);
    look_ahead(f, before);
    close_route(f, r, cost, left);
}
