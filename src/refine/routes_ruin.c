/* The perturbation of a fleet: strings leave their routes and come back one by one. */
#include "refine/routes.h"

#include <string.h>

enum {
    LONGEST_STRING = 10,
    MEAN_CUT = 10,
    BLINK_IN = 100, /* one place in so many is overlooked */
    SCAN_ALL = 160, /* up to this many nodes all routes are priced, else those of neighbours */
    SCAN_NEAR = 40, /* so many neighbours */
    MOST_LANES = 64 /* routes whose prices are remembered for a customer */
};

/* Places up to so many times as dear as the best one so far are looked for, and remembered. */
static const double look_beyond = 3.0;

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
    ruin->order = RUIN_ANY;
    ruin->dearest = HUGE_VAL;
    ruin->mark = ruin->look = 0;
    ruin->outs = ruin->gaps = ruin->blink = ruin->is_lost = 0;
    ruin->only_grows = f->ground->is_metric;
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
    if (length > 1 && length < route->count && (dice_next(dice) >> 63)) {
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

void ruin_cut(struct ruin *ruin, struct fleet *f, struct dice *dice)
{
    int32_t customers = f->n - 1;
    double longest = less_of(LONGEST_STRING, (double)customers / f->actives);
    double most = 4.0 * ruin->mean_cut / (1.0 + longest) - 1.0;
    int32_t strings = (int32_t)(1.0 + dice_uniform(dice) * more_of(most, 1.0));
    int32_t seed = 1 + dice_below(dice, customers);
    const int32_t *list = ground_near(f->ground, seed);
    ruin->outs = ruin->gaps = 0;
    ruin->mark++;
    for (int32_t k = -1; k < f->ground->nears && strings > 0; k++) {
        int32_t c = k < 0 ? seed : list[k], r = f->stop[c].route;
        if (r < 0 || ruin->lane[r] == ruin->mark) continue;
        ruin->lane[r] = ruin->mark;
        double most_here = less_of(f->route[r].count, longest);
        int32_t length = (int32_t)(1.0 + dice_uniform(dice) * most_here);
        cut_around(ruin, f, dice, c, least(length, f->route[r].count));
        strings--;
    }
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

static void choose_order(struct ruin *ruin, const struct fleet *f, struct dice *dice)
{
    static const uint8_t often[17] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 4, 4, 5, 5, 6, 6};
    enum ruin_order order = ruin->order;
    if (order == RUIN_ANY) order = (enum ruin_order)(RUIN_SHUFFLED + often[dice_below(dice, 17)]);
    for (int32_t k = 0; k < ruin->outs; k++) {
        int32_t j = ruin->out[k];
        const struct site *s = &f->site[j];
        double key = 0.0;
        switch (order) {
        case RUIN_SHUFFLED: key = dice_uniform(dice); break;
        case RUIN_HEAVY_FIRST: key = -s->demand; break;
        case RUIN_FAR_FIRST: key = -ruin->from_depot[j]; break;
        case RUIN_NEAR_FIRST: key = ruin->from_depot[j]; break;
        case RUIN_NARROW_FIRST: key = s->due - s->ready; break;
        case RUIN_EARLY_FIRST: key = s->ready; break;
        default: key = -s->due; break;
        }
        ruin->key[j] = key;
    }
    sort_by_key(ruin->out, ruin->outs, ruin->key);
}

/* The place looked for: the cheapest so far, behind stop `behind`. */
struct place {
    int32_t j, behind;
    double delta, demand;
    const struct site *site;
};

/* Overlooks one place in BLINK_IN: the number of places until the next one is drawn. */
static int blinks(struct ruin *ruin, struct dice *dice)
{
    if (--ruin->blink > 0) return 0;
    double wait = -dice_exponential(dice) / log(1.0 - 1.0 / BLINK_IN);
    ruin->blink = 1 + (wait < 1e6 ? (int32_t)wait : 1000000);
    return 1;
}

/* Whoever leaves the stop before later than this pays more for it than `delta`. */
static inline double latest_of(const struct fleet *f, double late, double delta)
{
    return f->ground->is_metric ? late + delta / f->penalty.warp : HUGE_VAL;
}

static inline double warp_between(const struct fleet_stop *s, const struct site *site,
                                  const struct fleet_stop *next, double time_in, double time_out)
{
    double arrive = s->time + time_in;
    double leave = less_of(more_of(arrive, site->ready), site->due) + site->service;
    return s->warp + next->tail + more_of(arrive - site->due, 0.0) +
           more_of(leave + time_out - next->late, 0.0);
}

/* All places of route r but the one behind `shunned`; `fixed`: what any of them costs. Legs are in tables. */
static void scan_tables(const struct fleet *f, const struct place *p, int32_t r, int32_t shunned,
                        double fixed, struct ruin_price *found)
{
    const struct ground *g = f->ground;
    const struct fleet_stop *stop = f->stop;
    const struct site *site = p->site;
    size_t row = (size_t)p->j * (size_t)f->n;
    const double *in = g->cost_into + row, *out = g->cost + row;
    const double *time_in = g->leg_into + row, *time_out = g->leg + row;
    double best = found->delta, weight = f->penalty.warp;
    double latest = latest_of(f, site->due, best - fixed);
    int32_t head = f->n + r, i = head, a = 0, behind = -1;
    do {
        const struct fleet_stop *s = &stop[i];
        int32_t next = s->next, b = next == head ? 0 : next;
        if (s->time > latest) break;
        double delta = in[a] + out[b] - s->way + fixed;
        if (delta < best && i != shunned) {
            delta += weight * warp_between(s, site, &stop[next], time_in[a], time_out[b]);
            if (delta < best) {
                best = delta;
                behind = i;
                latest = latest_of(f, site->due, best - fixed);
            }
        }
        i = next;
        a = b;
    } while (i != head);
    found->delta = best;
    found->behind = behind;
}

/* The same, where legs are computed. */
static void scan_lines(const struct fleet *f, const struct place *p, int32_t r, int32_t shunned,
                       double fixed, struct ruin_price *found)
{
    const struct site *site = p->site;
    double latest = latest_of(f, site->due, found->delta - fixed);
    int32_t head = f->n + r, i = head, j = p->j;
    do {
        const struct fleet_stop *s = &f->stop[i], *q = &f->stop[s->next];
        if (s->time > latest) break;
        double delta = fleet_cost(f, i, j) + fleet_cost(f, j, s->next) - s->way + fixed;
        if (delta < found->delta && i != shunned) {
            double time_in = fleet_time(f, i, j), time_out = fleet_time(f, j, s->next);
            delta += f->penalty.warp * warp_between(s, site, q, time_in, time_out);
            if (delta < found->delta) {
                found->delta = delta;
                found->behind = i;
                latest = latest_of(f, site->due, delta - fixed);
            }
        }
        i = s->next;
    } while (i != head);
}

/* The cheapest place in route r below `most`, but not behind `shunned`. */
static struct ruin_price scan_route(const struct fleet *f, const struct place *p, int32_t r,
                                    int32_t shunned, double most)
{
    const struct fleet_route *route = &f->route[r];
    struct ruin_price found = {.version = route->version, .delta = most, .behind = -1};
    double fixed = f->penalty.over * (fleet_over(f, route->load + p->demand) - route->over) -
                   f->penalty.warp * route->warp;
    if (fixed - (f->ground->is_metric ? 0.0 : route->cost) >= most) return found;
    if (f->ground->cost_into && f->ground->leg_into)
        scan_tables(f, p, r, shunned, fixed, &found);
    else
        scan_lines(f, p, r, shunned, fixed, &found);
    return found;
}

/* The cheapest place in route r, if it is cheaper than the best so far. Routes that were not changed
 * since the mark will mostly stay as they are, since most rounds are taken back: their prices are
 * remembered. */
static int64_t price_route(struct ruin *ruin, const struct fleet *f, struct dice *dice,
                           struct place *p, int32_t r)
{
    const struct fleet_route *route = &f->route[r];
    struct ruin_price found;
    int64_t priced = 1;
    if (f->touched[r] == f->mark) {
        found = scan_route(f, p, r, -1, p->delta);
        priced += route->count;
    } else {
        struct ruin_price *known =
            &ruin->price[(size_t)p->j * (size_t)ruin->lanes + (size_t)(r & (ruin->lanes - 1))];
        if (known->version != route->version || (known->behind < 0 && known->delta < p->delta)) {
            *known = scan_route(f, p, r, -1, more_of(p->delta, look_beyond * p->delta));
            priced += route->count;
        }
        found = *known;
    }
    if (found.behind < 0 || found.delta >= p->delta) return priced;
    if (blinks(ruin, dice)) {
        found = scan_route(f, p, r, found.behind, p->delta);
        priced += route->count;
        if (found.behind < 0) return priced;
    }
    p->delta = found.delta;
    p->behind = found.behind;
    return priced;
}

/* The routes of the nearest customers. */
static int64_t scan_nearby(struct ruin *ruin, const struct fleet *f, struct dice *dice,
                           struct place *p)
{
    const int32_t *list = ground_near(f->ground, p->j);
    int64_t priced = 0;
    uint32_t look = ++ruin->look;
    for (int32_t k = 0; k < f->ground->nears && k < SCAN_NEAR; k++) {
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
    const struct fleet_stop *depot = &f->stop[head];
    double delta = fleet_cost(f, 0, p->j) + fleet_cost(f, p->j, 0) +
                   fleet_beyond(f, f->actives + 1) - fleet_beyond(f, f->actives) +
                   f->penalty.over * fleet_over(f, p->demand);
    double time_in = fleet_time(f, 0, p->j), time_out = fleet_time(f, p->j, 0);
    delta += f->penalty.warp * warp_between(depot, p->site, depot, time_in, time_out);
    if (delta >= p->delta) return;
    p->delta = delta;
    p->behind = head;
}

int64_t ruin_mend(struct ruin *ruin, struct fleet *f, struct dice *dice, double most)
{
    int64_t priced = 0;
    int32_t kept = 0;
    ruin->is_lost = 0;
    choose_order(ruin, f, dice);
    for (int32_t k = 0; k < ruin->outs; k++) {
        int32_t j = ruin->out[k];
        double room = ruin->only_grows ? most - fleet_value(f) : HUGE_VAL;
        struct place p = {.j = j,
                          .behind = -1,
                          .delta = less_of(room, ruin->dearest),
                          .demand = f->site[j].demand,
                          .site = &f->site[j]};
        try_alone(f, &p);
        priced++;
        if (f->n <= SCAN_ALL) {
            for (int32_t a = 0; a < f->actives; a++)
                priced += price_route(ruin, f, dice, &p, f->active[a]);
        } else {
            priced += scan_nearby(ruin, f, dice, &p);
        }
        if (p.behind >= 0) {
            fleet_put(f, j, p.behind);
        } else if (ruin->dearest < HUGE_VAL) {
            ruin->out[kept++] = j;
        } else {
            ruin->is_lost = 1;
            break;
        }
    }
    ruin->outs = kept;
    return priced;
}
