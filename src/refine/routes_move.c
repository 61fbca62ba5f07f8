/* Moves of a fleet: their prices, and done. */
#include "refine/routes.h"

/* ---- pieces ---- */

static struct segment single(const struct fleet *f, int32_t j)
{
    const struct site *s = &f->site[j];
    return (struct segment){j, j, s->ready, s->due, s->service, 0.0, s->demand, 0.0};
}

static struct segment join(const struct fleet *f, const struct segment *a, const struct segment *b)
{
    return segment_join(a, fleet_cost(f, a->last, b->first), fleet_time(f, a->last, b->first), b);
}

/* `count` customers from i on, as they are or turned around. */
static struct segment piece(const struct fleet *f, int32_t i, int32_t count, int is_turned)
{
    struct segment s = single(f, i);
    for (int32_t k = 1; k < count; k++) {
        i = f->stop[i].next;
        struct segment next = single(f, i);
        s = is_turned ? join(f, &next, &s) : join(f, &s, &next);
    }
    return s;
}

static int32_t ahead(const struct fleet *f, int32_t i, int32_t count)
{
    for (; count > 0; count--) i = f->stop[i].next;
    return i;
}

/* Cost of the legs from stop i to stop j. */
static double ways(const struct fleet *f, int32_t i, int32_t j)
{
    double sum = 0.0;
    do {
        sum += f->stop[i].way;
        i = f->stop[i].next;
    } while (i != j);
    return sum;
}

/* ---- routes put together: the beginning of one up to stop i, pieces, the rest of one from j on ---- */

static struct course begin(const struct fleet *f, int32_t i)
{
    const struct fleet_stop *s = &f->stop[i];
    return (struct course){i, s->time, s->warp, s->load, 0.0};
}

static void serve(const struct fleet *f, struct course *c, const struct segment *s)
{
    course_serve(c, fleet_cost(f, c->at, s->first), fleet_time(f, c->at, s->first), s);
}

/* What the route then costs beyond its old legs. */
static double finish(const struct fleet *f, struct course *c, int32_t j)
{
    const struct fleet_stop *s = &f->stop[j];
    double rest = f->route[s->route].load - f->stop[s->prev].load;
    double late = more_of(0.0, c->time + fleet_time(f, c->at, j) - s->late);
    return c->cost + fleet_cost(f, c->at, j) + f->penalty.warp * (c->warp + s->tail + late) +
           f->penalty.over * fleet_over(f, c->load + rest);
}

static double penalties(const struct fleet *f, int32_t a, int32_t b)
{
    double sum = fleet_route_penalty(f, &f->route[a]);
    return a == b ? sum : sum + fleet_route_penalty(f, &f->route[b]);
}

/* Routes more (or fewer) in use, if a and b then have so many customers. */
static double fleet_change(const struct fleet *f, int32_t a, int32_t b, int32_t a_then,
                           int32_t b_then)
{
    int32_t more = (a_then > 0) - (f->route[a].count > 0) + (b_then > 0) - (f->route[b].count > 0);
    return fleet_beyond(f, f->actives + more) - fleet_beyond(f, f->actives);
}

/* ---- moves between routes ---- */

static double price_relocate(const struct fleet *f, const struct move *m, double bound)
{
    int32_t u = m->u, v = m->v, a = f->stop[u].route, b = f->stop[v].route;
    int32_t before = f->stop[u].prev, after = ahead(f, u, m->u_count), next = f->stop[v].next;
    double old = ways(f, before, after) + (f->route[b].count ? f->stop[v].way : 0.0);
    double change = fleet_change(f, a, b, f->route[a].count - m->u_count, 1);
    double penalty = penalties(f, a, b);
    struct segment s = piece(f, u, m->u_count, m->is_turned);
    double legs = fleet_cost(f, before, after) + fleet_cost(f, v, s.first) + s.cost +
                  fleet_cost(f, s.last, next);
    if (legs - old - penalty + change >= bound) return HUGE_VAL;
    struct course ca = begin(f, before), cb = begin(f, v);
    serve(f, &cb, &s);
    return finish(f, &ca, after) + finish(f, &cb, next) - old - penalty + change;
}

static double price_swap(const struct fleet *f, const struct move *m, double bound)
{
    int32_t u = m->u, v = m->v, a = f->stop[u].route, b = f->stop[v].route;
    int32_t u_before = f->stop[u].prev, u_after = ahead(f, u, m->u_count);
    int32_t v_before = f->stop[v].prev, v_after = ahead(f, v, m->v_count);
    double old = ways(f, u_before, u_after) + ways(f, v_before, v_after);
    double penalty = penalties(f, a, b);
    struct segment s = piece(f, u, m->u_count, 0), t = piece(f, v, m->v_count, 0);
    double legs = fleet_cost(f, u_before, t.first) + t.cost + fleet_cost(f, t.last, u_after) +
                  fleet_cost(f, v_before, s.first) + s.cost + fleet_cost(f, s.last, v_after);
    if (legs - old - penalty >= bound) return HUGE_VAL;
    struct course ca = begin(f, u_before), cb = begin(f, v_before);
    serve(f, &ca, &t);
    serve(f, &cb, &s);
    return finish(f, &ca, u_after) + finish(f, &cb, v_after) - old - penalty;
}

static double price_cross(const struct fleet *f, const struct move *m, double bound)
{
    int32_t u = m->u, v = m->v, a = f->stop[u].route, b = f->stop[v].route;
    int32_t u_next = f->stop[u].next, v_next = f->stop[v].next;
    int32_t a_head = f->n + a, b_head = f->n + b;
    /* the depot's ends are those of the route the vehicle began with; only place and time matter */
    double old =
        (f->route[a].count ? f->stop[u].way : 0.0) + (f->route[b].count ? f->stop[v].way : 0.0);
    double penalty = penalties(f, a, b);
    int32_t a_then = f->stop[u].place, b_then = f->stop[v].place;
    int32_t from_a = f->route[a].count - a_then, from_b = f->route[b].count - b_then;
    double change = fleet_change(f, a, b, a_then + from_b, b_then + from_a);
    double legs = fleet_cost(f, u, v_next) + fleet_cost(f, v, u_next);
    if (legs - old - penalty + change >= bound) return HUGE_VAL;
    if ((u == a_head && v == b_head) || (u_next == a_head && v_next == b_head)) return HUGE_VAL;
    struct course ca = begin(f, u), cb = begin(f, v);
    return finish(f, &ca, v_next) + finish(f, &cb, u_next) - old - penalty + change;
}

/* The route of `gone`, without it but with j behind stop `to`. */
static double price_replaced(const struct fleet *f, int32_t gone, int32_t j, int32_t to)
{
    int32_t before = f->stop[gone].prev, after = f->stop[gone].next;
    struct segment s = single(f, j), middle;
    if (to == before) {
        struct course c = begin(f, before);
        serve(f, &c, &s);
        return finish(f, &c, after);
    }
    if (f->stop[to].place > f->stop[gone].place) {
        struct course c = begin(f, before);
        middle = piece(f, after, f->stop[to].place - f->stop[gone].place, 0);
        serve(f, &c, &middle);
        serve(f, &c, &s);
        return finish(f, &c, f->stop[to].next) - ways(f, after, f->stop[to].next) + f->stop[to].way;
    }
    struct course c = begin(f, to);
    int32_t first = f->stop[to].next;
    middle = piece(f, first, f->stop[gone].place - f->stop[to].place - 1, 0);
    serve(f, &c, &s);
    serve(f, &c, &middle);
    return finish(f, &c, after) - ways(f, first, gone) + f->stop[before].way;
}

/* Legs that go when j comes behind `to` in place of `gone`; those of the middle stay, see above. */
static double old_replaced(const struct fleet *f, int32_t gone, int32_t to)
{
    int32_t before = f->stop[gone].prev;
    double old = f->stop[before].way + f->stop[gone].way;
    return to == before ? old : old + f->stop[to].way;
}

static double price_star(const struct fleet *f, const struct move *m, double bound)
{
    int32_t a = f->stop[m->u].route, b = f->stop[m->v].route;
    double delta = price_replaced(f, m->u, m->v, m->v_to) - old_replaced(f, m->u, m->v_to);
    if (delta - penalties(f, a, b) - f->route[b].cost >= bound) return HUGE_VAL;
    delta += price_replaced(f, m->v, m->u, m->u_to) - old_replaced(f, m->v, m->u_to);
    return delta - penalties(f, a, b);
}

/* ---- moves within a route ---- */

/* before, then the two pieces, then after; in place of what costs `old`. */
static double price_two(const struct fleet *f, int32_t before, const struct segment *s,
                        const struct segment *t, int32_t after, double old, double bound)
{
    double penalty = fleet_route_penalty(f, &f->route[f->stop[before].route]);
    double legs = fleet_cost(f, before, s->first) + s->cost + fleet_cost(f, s->last, t->first) +
                  t->cost + fleet_cost(f, t->last, after);
    if (legs - old - penalty >= bound) return HUGE_VAL;
    struct course c = begin(f, before);
    serve(f, &c, s);
    serve(f, &c, t);
    return finish(f, &c, after) - old - penalty;
}

static double price_one(const struct fleet *f, int32_t before, const struct segment *s,
                        int32_t after, double old, double bound)
{
    double penalty = fleet_route_penalty(f, &f->route[f->stop[before].route]);
    double legs = fleet_cost(f, before, s->first) + s->cost + fleet_cost(f, s->last, after);
    if (legs - old - penalty >= bound) return HUGE_VAL;
    struct course c = begin(f, before);
    serve(f, &c, s);
    return finish(f, &c, after) - old - penalty;
}

static double price_shift(const struct fleet *f, const struct move *m, double bound)
{
    int32_t u = m->u, v = m->v, after = ahead(f, u, m->u_count);
    struct segment s = piece(f, u, m->u_count, m->is_turned), middle;
    if (f->stop[v].place > f->stop[u].place) {
        int32_t before = f->stop[u].prev, next = f->stop[v].next;
        middle = piece(f, after, f->stop[v].place - f->stop[u].place - m->u_count + 1, 0);
        return price_two(f, before, &middle, &s, next, ways(f, before, next), bound);
    }
    int32_t first = f->stop[v].next;
    if (first == u) return price_one(f, v, &s, after, ways(f, v, after), bound);
    middle = piece(f, first, f->stop[u].place - f->stop[first].place, 0);
    return price_two(f, v, &s, &middle, after, ways(f, v, after), bound);
}

static double price_exchange(const struct fleet *f, const struct move *m, double bound)
{
    int32_t u = m->u, v = m->v, before = f->stop[u].prev, after = f->stop[v].next;
    struct segment s = single(f, u), t = single(f, v);
    if (f->stop[u].next != v) {
        struct segment middle =
            piece(f, f->stop[u].next, f->stop[v].place - f->stop[u].place - 1, 0);
        s = join(f, &middle, &s);
    }
    return price_two(f, before, &t, &s, after, ways(f, before, after), bound);
}

static double price_turn(const struct fleet *f, const struct move *m, double bound)
{
    int32_t before = f->stop[m->u].prev, after = f->stop[m->v].next;
    struct segment s = piece(f, m->u, f->stop[m->v].place - f->stop[m->u].place + 1, 1);
    return price_one(f, before, &s, after, ways(f, before, after), bound);
}

double move_price(const struct fleet *f, const struct move *m, double bound)
{
    switch (m->kind) {
    case MOVE_RELOCATE: return price_relocate(f, m, bound);
    case MOVE_SWAP: return price_swap(f, m, bound);
    case MOVE_CROSS: return price_cross(f, m, bound);
    case MOVE_STAR: return price_star(f, m, bound);
    case MOVE_SHIFT: return price_shift(f, m, bound);
    case MOVE_EXCHANGE: return price_exchange(f, m, bound);
    case MOVE_TURN: return price_turn(f, m, bound);
    case MOVE_KINDS: break;
    }
    return HUGE_VAL;
}

/* ---- the best move within a route ---- */

static void offer(struct move *best, double delta, enum move_kind kind, int32_t u, int32_t u_count,
                  int is_turned, int32_t v)
{
    if (delta >= best->delta) return;
    *best = (struct move){
        .kind = kind, .u = u, .v = v, .u_count = u_count, .is_turned = is_turned, .delta = delta};
}

enum { LONGEST_WITHIN = 60 }; /* how far apart u and v may be */

/* The piece s (u and those after it, maybe turned) to the right, then to the left, step by step. */
static int64_t best_shift(const struct fleet *f, int32_t u, int32_t count, int is_turned,
                          struct move *best)
{
    int32_t head = f->n + f->stop[u].route, before = f->stop[u].prev, after = ahead(f, u, count);
    struct segment s = piece(f, u, count, is_turned), middle = {0};
    double old = ways(f, before, after);
    int64_t priced = 0;
    for (int32_t v = after, k = 0; v != head && k < LONGEST_WITHIN; v = f->stop[v].next, k++) {
        struct segment t = single(f, v);
        middle = k ? join(f, &middle, &t) : t;
        old += f->stop[v].way;
        double delta = price_two(f, before, &middle, &s, f->stop[v].next, old, best->delta);
        offer(best, delta, MOVE_SHIFT, u, count, is_turned, v);
        priced++;
    }
    old = ways(f, before, after);
    if (is_turned)
        offer(best, price_one(f, before, &s, after, old, best->delta), MOVE_SHIFT, u, count, 1,
              before);
    for (int32_t w = before, k = 0; w != head && k < LONGEST_WITHIN; w = f->stop[w].prev, k++) {
        struct segment t = single(f, w);
        int32_t v = f->stop[w].prev;
        middle = k ? join(f, &t, &middle) : t;
        old += f->stop[v].way;
        offer(best, price_two(f, v, &s, &middle, after, old, best->delta), MOVE_SHIFT, u, count,
              is_turned, v);
        priced++;
    }
    return priced;
}

/* From u to every later v: turned around, or only the two exchanged. */
static int64_t best_pair(const struct fleet *f, int32_t u, struct move *best)
{
    int32_t head = f->n + f->stop[u].route, before = f->stop[u].prev;
    struct segment first = single(f, u), turned = first, middle = first;
    double old = f->stop[before].way + f->stop[u].way;
    int64_t priced = 0;
    int32_t v = f->stop[u].next;
    for (int32_t k = 0; v != head && k < LONGEST_WITHIN; v = f->stop[v].next, k++) {
        struct segment t = single(f, v), rest = first;
        int32_t after = f->stop[v].next;
        old += f->stop[v].way;
        turned = join(f, &t, &turned);
        offer(best, price_one(f, before, &turned, after, old, best->delta), MOVE_TURN, u, 1, 0, v);
        if (k > 0) rest = join(f, &middle, &first);
        offer(best, price_two(f, before, &t, &rest, after, old, best->delta), MOVE_EXCHANGE, u, 1,
              0, v);
        middle = k > 0 ? join(f, &middle, &t) : t;
        priced += 2;
    }
    return priced;
}

int64_t move_best_within(const struct fleet *f, int32_t u, struct move *m)
{
    int32_t left = f->route[f->stop[u].route].count - f->stop[u].place + 1;
    int64_t priced = best_pair(f, u, m);
    for (int32_t count = 1; count <= 3 && count <= left; count++) {
        priced += best_shift(f, u, count, 0, m);
        if (count > 1) priced += best_shift(f, u, count, 1, m);
    }
    return priced;
}

/* ---- swap* ---- */

/* The best places for j in route r, as it is now, by the price of the detour and its lateness. */
static struct fleet_places best_places(const struct fleet *f, int32_t j, int32_t r)
{
    struct fleet_places p;
    for (int k = 0; k < FLEET_PLACES; k++) p.behind[k] = -1, p.delta[k] = HUGE_VAL;
    struct segment s = single(f, j);
    int32_t head = f->n + r, i = head;
    do {
        int32_t next = f->stop[i].next;
        double delta = fleet_cost(f, i, j) + fleet_cost(f, j, next) - f->stop[i].way;
        if (delta < p.delta[FLEET_PLACES - 1]) {
            struct course c = begin(f, i);
            serve(f, &c, &s);
            double late = more_of(0.0, c.time + fleet_time(f, j, next) - f->stop[next].late);
            delta += f->penalty.warp * (c.warp + f->stop[next].tail + late - f->route[r].warp);
        }
        int k = FLEET_PLACES;
        for (; k > 0 && delta < p.delta[k - 1]; k--) {
            if (k == FLEET_PLACES) continue;
            p.delta[k] = p.delta[k - 1], p.behind[k] = p.behind[k - 1];
        }
        if (k < FLEET_PLACES) p.delta[k] = delta, p.behind[k] = i;
        i = next;
    } while (i != head);
    return p;
}

/* Where j goes when `gone` leaves: one of the best places that does not touch it, or its own. */
static int32_t best_place(const struct fleet *f, const struct fleet_places *p, int32_t j,
                          int32_t gone, double *delta)
{
    int32_t before = f->stop[gone].prev, after = f->stop[gone].next, to = before;
    *delta = fleet_cost(f, before, j) + fleet_cost(f, j, after) - fleet_cost(f, before, after);
    for (int k = 0; k < FLEET_PLACES && p->behind[k] >= 0; k++) {
        if (p->behind[k] == gone || p->behind[k] == before) continue;
        if (p->delta[k] < *delta) *delta = p->delta[k], to = p->behind[k];
        break;
    }
    return to;
}

static double leaving(const struct fleet *f, int32_t u)
{
    int32_t before = f->stop[u].prev, after = f->stop[u].next;
    return fleet_cost(f, before, after) - f->stop[before].way - f->stop[u].way;
}

static void star_of(const struct fleet *f, int32_t u, int32_t b, struct move *best)
{
    int32_t a = f->stop[u].route, head = f->n + b;
    double gain = leaving(f, u) - penalties(f, a, b);
    for (int32_t v = f->stop[head].next; v != head; v = f->stop[v].next) {
        double to_b, to_a;
        struct move m = {.kind = MOVE_STAR, .u = u, .v = v, .u_count = 1, .v_count = 1};
        m.u_to = best_place(f, &f->places[u], u, v, &to_b);
        double so_far = gain + leaving(f, v) + to_b;
        if (so_far >= best->delta) continue;
        m.v_to = best_place(f, &f->places[v], v, u, &to_a);
        if (so_far + to_a >= best->delta) continue;
        m.delta = move_price(f, &m, best->delta);
        if (m.delta < best->delta) *best = m;
    }
}

static void find_places(const struct fleet *f, int32_t of, int32_t in)
{
    int32_t head = f->n + of;
    for (int32_t u = f->stop[head].next; u != head; u = f->stop[u].next)
        f->places[u] = best_places(f, u, in);
}

int64_t move_best_star(const struct fleet *f, int32_t a, int32_t b, struct move *m)
{
    int32_t head = f->n + a;
    find_places(f, a, b);
    find_places(f, b, a);
    for (int32_t u = f->stop[head].next; u != head; u = f->stop[u].next) star_of(f, u, b, m);
    return 3 * (int64_t)f->route[a].count * f->route[b].count;
}

/* ---- done ---- */

/* Appends the stops from i up to, not including, j. */
static int32_t *copy(const struct fleet *f, int32_t *to, int32_t i, int32_t j)
{
    for (; i != j; i = f->stop[i].next) *to++ = i;
    return to;
}

static int32_t *copy_piece(const struct fleet *f, int32_t *to, int32_t i, int32_t count,
                           int is_turned)
{
    for (int32_t k = 0; k < count; k++, i = f->stop[i].next) to[is_turned ? count - 1 - k : k] = i;
    return to + count;
}

/* The route of `gone` without it, with j behind `to`. */
static int32_t *copy_replaced(const struct fleet *f, int32_t *at, int32_t gone, int32_t j,
                              int32_t to)
{
    int32_t head = f->n + f->stop[gone].route, i = head;
    do {
        if (i != head && i != gone) *at++ = i;
        if (i == to) *at++ = j;
        i = f->stop[i].next;
    } while (i != head);
    return at;
}

static int32_t *first_route(const struct fleet *f, const struct move *m, int32_t *at)
{
    int32_t u = m->u, v = m->v, head = f->n + f->stop[u].route, first = f->stop[head].next;
    int32_t u_end = u < f->n ? ahead(f, u, m->u_count) : u;
    switch (m->kind) {
    case MOVE_RELOCATE: return copy(f, copy(f, at, first, u), u_end, head);
    case MOVE_SWAP:
        at = copy_piece(f, copy(f, at, first, u), v, m->v_count, 0);
        return copy(f, at, u_end, head);
    case MOVE_CROSS:
        at = u == head ? at : copy(f, at, first, f->stop[u].next);
        return copy(f, at, f->stop[v].next, f->n + f->stop[v].route);
    case MOVE_STAR: return copy_replaced(f, at, u, v, m->v_to);
    case MOVE_SHIFT:
        if (f->stop[v].place > f->stop[u].place) {
            at = copy(f, copy(f, at, first, u), u_end, f->stop[v].next);
            at = copy_piece(f, at, u, m->u_count, m->is_turned);
            return copy(f, at, f->stop[v].next, head);
        }
        at = v == head ? at : copy(f, at, first, f->stop[v].next);
        at = copy_piece(f, at, u, m->u_count, m->is_turned);
        return copy(f, copy(f, at, f->stop[v].next, u), u_end, head);
    case MOVE_EXCHANGE:
        at = copy(f, at, first, u);
        *at++ = v;
        at = copy(f, at, f->stop[u].next, v);
        *at++ = u;
        return copy(f, at, f->stop[v].next, head);
    case MOVE_TURN:
        at = copy(f, at, first, u);
        at = copy_piece(f, at, u, f->stop[v].place - f->stop[u].place + 1, 1);
        return copy(f, at, f->stop[v].next, head);
    case MOVE_KINDS: break;
    }
    return at;
}

static int32_t *second_route(const struct fleet *f, const struct move *m, int32_t *at)
{
    int32_t u = m->u, v = m->v, head = f->n + f->stop[v].route, first = f->stop[head].next;
    if (m->kind == MOVE_SWAP) {
        at = copy_piece(f, copy(f, at, first, v), u, m->u_count, 0);
        return copy(f, at, ahead(f, v, m->v_count), head);
    }
    if (m->kind == MOVE_STAR) return copy_replaced(f, at, v, u, m->u_to);
    at = v == head ? at : copy(f, at, first, f->stop[v].next);
    if (m->kind == MOVE_CROSS) return copy(f, at, f->stop[u].next, f->n + f->stop[u].route);
    at = copy_piece(f, at, u, m->u_count, m->is_turned);
    return copy(f, at, f->stop[v].next, head);
}

void move_do(struct fleet *f, const struct move *m)
{
    int32_t a = f->stop[m->u].route, b = f->stop[m->v].route;
    int32_t *middle = first_route(f, m, f->order), *end = middle;
    if (a != b) end = second_route(f, m, middle);
    fleet_touch(f, a);
    fleet_touch(f, b);
    fleet_set(f, a, f->order, (int32_t)(middle - f->order));
    if (a != b) fleet_set(f, b, middle, (int32_t)(end - middle));
}
