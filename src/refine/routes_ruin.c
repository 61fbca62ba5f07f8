#include "refine/routes_ruin.h"

#include <math.h>
#include <string.h>

enum {
    LONGEST_STRING = 10,
    MEAN_CUT = 10,
    BLINK_IN = 100, /* one place in so many is overlooked */
    SCAN_ALL = 160, /* up to this many nodes all routes are priced, else those of neighbours */
    SCAN_NEAR = 40, /* so many neighbours */
    MOST_LANES = 64 /* routes whose prices are remembered for a customer */
};

void ruin_layout(struct ruin *ruin, int32_t n, struct arena *arena)
{
    ruin->out = arena_take(arena, (size_t)n, sizeof *ruin->out);
    ruin->key = arena_take(arena, (size_t)n, sizeof *ruin->key);
    ruin->from_depot = arena_take(arena, (size_t)n, sizeof *ruin->from_depot);
    ruin->lane = arena_take(arena, (size_t)n, sizeof *ruin->lane);
    ruin->seen = arena_take(arena, (size_t)n, sizeof *ruin->seen);
    ruin->lanes = 1;
    while (ruin->lanes < n && ruin->lanes < MOST_LANES) ruin->lanes *= 2;
    ruin->price = arena_take(arena, (size_t)n * (size_t)ruin->lanes, sizeof *ruin->price);
}

void ruin_init(struct ruin *ruin, const struct fleet *f)
{
    for (int32_t i = 1; i < f->n; i++) ruin->from_depot[i] = fleet_cost(f, 0, i);
    ruin->mean_cut = MEAN_CUT;
    ruin->mark = ruin->look = 0;
    ruin->outs = ruin->gaps = ruin->blink = ruin->is_lost = 0;
    ruin->only_grows = f->has_detours && !instance_has_times(&f->inst->data);
    memset(ruin->lane, 0, (size_t)f->n * sizeof *ruin->lane);
    memset(ruin->seen, 0, (size_t)f->n * sizeof *ruin->seen);
}

/* ---- ruin ---- */

static void cut_string(struct ruin *ruin, struct fleet *f, int32_t i, int32_t count)
{
    int32_t j = i;
    for (int32_t k = 0; k < count; k++, j = f->stop[j].next) ruin->out[ruin->outs++] = j;
    fleet_cut(f, i, count);
}

/* `length` customers around c, in one piece or (every second time) in two with some left between. */
static void cut_around(struct ruin *ruin, struct fleet *f, struct dice *dice, int32_t c,
                       int32_t length)
{
    const struct fleet_route *route = &f->route[f->stop[c].route];
    int32_t kept = 0;
    if (length > 1 && length < route->count && (dice_u64(dice) >> 63)) {
        kept = 1;
        while (length + kept < route->count && dice_uniform(dice) > 0.99) kept++;
    }
    int32_t span = length + kept, place = f->stop[c].place;
    int32_t first = place - span + 1 < 1 ? 1 : place - span + 1;
    int32_t last = place < route->count - span + 1 ? place : route->count - span + 1;
    int32_t begin = first + dice_below(dice, last - first + 1), i = c;
    for (int32_t p = place; p > begin; p--) i = f->stop[i].prev;
    if (ruin->gaps < RUIN_STRINGS) ruin->gap[ruin->gaps++] = f->stop[i].prev;
    if (!kept) {
        cut_string(ruin, f, i, length);
        return;
    }
    int32_t head = 1 + dice_below(dice, length - 1), tail = i;
    for (int32_t k = 0; k < head + kept; k++) tail = f->stop[tail].next;
    cut_string(ruin, f, i, head);
    cut_string(ruin, f, tail, length - head);
}

static int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

void ruin_cut(struct ruin *ruin, struct fleet *f, const struct nearby *near, struct dice *dice)
{
    int32_t customers = f->n - 1;
    double longest = less_of(LONGEST_STRING, (double)customers / f->actives);
    double most = 4.0 * ruin->mean_cut / (1.0 + longest) - 1.0;
    int32_t strings = (int32_t)(1.0 + dice_uniform(dice) * more_of(most, 1.0));
    int32_t seed = 1 + dice_below(dice, customers);
    const int32_t *list = near->list + (size_t)seed * (size_t)near->count;
    ruin->outs = ruin->gaps = 0;
    ruin->mark++;
    for (int32_t k = -1; k < near->count && strings > 0; k++) {
        int32_t c = k < 0 ? seed : list[k], r = f->stop[c].route;
        if (r < 0 || ruin->lane[r] == ruin->mark) continue;
        ruin->lane[r] = ruin->mark;
        double most_here = less_of(f->route[r].count, longest);
        int32_t length = (int32_t)(1.0 + dice_uniform(dice) * most_here);
        cut_around(ruin, f, dice, c, least(length, f->route[r].count));
        strings--;
    }
}

void ruin_dissolve(struct ruin *ruin, struct fleet *f, int32_t r)
{
    ruin->outs = ruin->gaps = 0;
    cut_string(ruin, f, f->stop[f->n + r].next, f->route[r].count);
}

int64_t ruin_cross(struct ruin *ruin, struct fleet *f, double most)
{
    struct move best = {.kind = MOVE_KINDS, .delta = most};
    int64_t priced = 0;
    for (int32_t a = 0; a < ruin->gaps; a++) {
        for (int32_t b = a + 1; b <= ruin->gaps; b++, priced++) {
            int32_t v = b < ruin->gaps ? ruin->gap[b] : f->n + fleet_spare(f);
            struct move m = {.kind = MOVE_CROSS, .u = ruin->gap[a], .v = v};
            if (f->route[f->stop[m.u].route].count == 0) continue;
            m.delta = move_price(f, &m, best.delta);
            if (m.delta < best.delta) best = m;
        }
    }
    if (best.kind != MOVE_KINDS) move_do(f, &best);
    return priced;
}

/* ---- recreate ---- */

/* By key. A handful mostly, but all customers at the start of an empty plan: Shell's gaps. */
static void sort_out(struct ruin *ruin)
{
    int32_t gap = 1;
    while (gap < ruin->outs / 3) gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3) {
        for (int32_t i = gap; i < ruin->outs; i++) {
            int32_t j = ruin->out[i], k = i;
            double key = ruin->key[j];
            for (; k >= gap && ruin->key[ruin->out[k - gap]] > key; k -= gap)
                ruin->out[k] = ruin->out[k - gap];
            ruin->out[k] = j;
        }
    }
}

static void choose_order(struct ruin *ruin, const struct fleet *f, struct dice *dice)
{
    static const uint8_t kinds[17] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 4, 4, 5, 5, 6, 6};
    int kind = kinds[dice_below(dice, 17)];
    for (int32_t k = 0; k < ruin->outs; k++) {
        int32_t j = ruin->out[k];
        const struct fleet_site *s = &f->site[j];
        double key = 0.0;
        switch (kind) {
        case 0: key = dice_uniform(dice); break;
        case 1: key = -s->demand; break;
        case 2: key = -ruin->from_depot[j]; break;
        case 3: key = ruin->from_depot[j]; break;
        case 4: key = s->late - s->ready; break;
        case 5: key = s->ready; break;
        default: key = -s->late; break;
        }
        ruin->key[j] = key;
    }
    sort_out(ruin);
}

/* The place looked for: the cheapest so far, behind stop `behind`. */
struct place {
    int32_t j, behind;
    double delta, demand;
    const struct fleet_site *site;
};

/* Overlooks one place in BLINK_IN: the number of places until the next one is drawn. */
static int blinks(struct ruin *ruin, struct dice *dice)
{
    if (--ruin->blink > 0) return 0;
    double u = 1.0 - dice_uniform(dice);
    double wait = log(u) / log(1.0 - 1.0 / BLINK_IN);
    ruin->blink = 1 + (wait < 1e6 ? (int32_t)wait : 1000000);
    return 1;
}

/* j between i and its successor, whose legs are given; `extra`: what is known already. */
static inline void try_place(const struct fleet *f, struct place *p, int32_t i, double delta,
                             double time_in, double time_out, double warp_before)
{
    const struct fleet_stop *s = &f->stop[i], *q = &f->stop[s->next];
    double arrive = s->time + time_in;
    double warp = s->warp + q->tail + more_of(0.0, arrive - p->site->late);
    double leave = less_of(more_of(arrive, p->site->ready), p->site->late) + p->site->service;
    warp += more_of(0.0, leave + time_out - q->late);
    delta += f->penalty.warp * (warp - warp_before);
    if (delta < p->delta) {
        p->delta = delta;
        p->behind = i;
    }
}

static double load_delta(const struct fleet *f, const struct fleet_route *r, double demand)
{
    return f->penalty.over * (fleet_over(f, r->load + demand) - r->over);
}

/* From a to j, out of j's row of the table. */
static inline double time_into(const struct fleet *f, int32_t a, int32_t j)
{
    return f->time_into ? f->time_into[(size_t)j * (size_t)f->n + (size_t)a] : fleet_time(f, a, j);
}

/* All places of route r but the one behind `shunned`. */
static void scan_route(const struct fleet *f, struct place *p, int32_t r, int32_t shunned)
{
    const struct fleet_route *route = &f->route[r];
    double extra = load_delta(f, route, p->demand);
    double bonus = f->penalty.warp * route->warp;
    if (extra - bonus - (f->has_detours ? 0.0 : route->cost) >= p->delta) return;
    /* whoever comes later than this pays more for it than the best place costs */
    double latest = p->site->late + (p->delta - extra + bonus) / f->penalty.warp;
    size_t row = (size_t)p->j * (size_t)f->n;
    const double *in = f->cost ? f->cost_into + row : NULL, *out = f->cost ? f->cost + row : NULL;
    int32_t head = f->n + r, i = head, a = 0, j = p->j;
    do {
        int32_t next = f->stop[i].next, b = next == head ? 0 : next;
        double legs = in ? in[a] + out[b] : fleet_cost(f, a, j) + fleet_cost(f, j, b);
        double delta = legs - f->stop[i].way + extra;
        if (f->has_detours && f->stop[i].time > latest) break;
        if (delta - bonus < p->delta && i != shunned)
            try_place(f, p, i, delta, time_into(f, a, j), fleet_time(f, j, b), route->warp);
        i = next;
        a = b;
    } while (i != head);
}

/* The cheapest place in route r. Routes that were not changed since the mark will mostly stay as they
 * are, since most rounds are taken back: their prices are remembered. */
static int64_t price_route(struct ruin *ruin, const struct fleet *f, struct dice *dice,
                           struct place *p, int32_t r)
{
    const struct fleet_route *route = &f->route[r];
    struct place here = *p;
    int64_t priced = 1;
    here.behind = -1;
    if (f->touched[r] == f->mark) {
        scan_route(f, &here, r, -1);
        priced += route->count;
    } else {
        struct ruin_price *known =
            &ruin->price[(size_t)p->j * (size_t)ruin->lanes + (size_t)(r & (ruin->lanes - 1))];
        if (known->version != route->version || (known->behind < 0 && known->delta < p->delta)) {
            scan_route(f, &here, r, -1);
            *known = (struct ruin_price){route->version, here.delta, here.behind};
            priced += route->count;
        }
        here.delta = known->delta;
        here.behind = known->behind;
    }
    if (here.behind >= 0 && here.delta < p->delta && blinks(ruin, dice)) {
        int32_t shunned = here.behind;
        here.behind = -1;
        here.delta = p->delta;
        scan_route(f, &here, r, shunned);
        priced += route->count;
    }
    if (here.behind >= 0 && here.delta < p->delta) *p = here;
    return priced;
}

/* The routes of the nearest customers. */
static int64_t scan_nearby(struct ruin *ruin, const struct fleet *f, const struct nearby *near,
                           struct dice *dice, struct place *p)
{
    const int32_t *list = near->list + (size_t)p->j * (size_t)near->count;
    int64_t priced = 0;
    uint32_t look = ++ruin->look;
    for (int32_t k = 0; k < near->count && k < SCAN_NEAR; k++) {
        int32_t r = f->stop[list[k]].route;
        if (r < 0 || ruin->seen[r] == look) continue;
        ruin->seen[r] = look;
        priced += price_route(ruin, f, dice, p, r);
    }
    return priced;
}

/* A route of its own. */
static void try_alone(const struct fleet *f, struct place *p)
{
    int32_t head = f->n + fleet_spare(f);
    double delta = fleet_cost(f, 0, p->j) + fleet_cost(f, p->j, 0) +
                   fleet_beyond(f, f->actives + 1) - fleet_beyond(f, f->actives) +
                   f->penalty.over * fleet_over(f, p->demand);
    try_place(f, p, head, delta, fleet_time(f, 0, p->j), fleet_time(f, p->j, 0), 0.0);
}

int64_t ruin_mend(struct ruin *ruin, struct fleet *f, const struct nearby *near, struct dice *dice,
                  double most)
{
    int64_t priced = 0;
    ruin->is_lost = 0;
    choose_order(ruin, f, dice);
    for (int32_t k = 0; k < ruin->outs; k++) {
        int32_t j = ruin->out[k];
        struct place p = {.j = j,
                          .behind = -1,
                          .delta = ruin->only_grows ? most - fleet_value(f) : HUGE_VAL,
                          .demand = f->site[j].demand,
                          .site = &f->site[j]};
        try_alone(f, &p);
        priced++;
        if (f->n <= SCAN_ALL) {
            for (int32_t a = 0; a < f->actives; a++)
                priced += price_route(ruin, f, dice, &p, f->active[a]);
        } else {
            priced += scan_nearby(ruin, f, near, dice, &p);
        }
        if (p.behind < 0) {
            ruin->is_lost = 1;
            break;
        }
        fleet_put(f, j, p.behind);
    }
    ruin->outs = 0;
    return priced;
}
