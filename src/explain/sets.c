/* Proofs by trying everything: a small set of customers that no order, or no division among the
 * vehicles, can serve. The set is then reduced until every customer in it is needed.
 *
 * Between two customers of the set a vehicle may pass others, so ways are the fastest through customers
 * outside the set. If the set is everybody, ways are the legs themselves and the search is exact. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bound/bound.h"
#include "explain/explain.h"

enum {
    MOST = 12,          /* customers of a set */
    GROUP = 9,          /* of the sets tried in large instances */
    OUTSIDE_UP_TO = 40, /* nodes up to which ways avoid the set */
    MASKS = 1 << MOST,
    FLEET_TEXT = 40
};

struct set {
    const struct bounds *b;
    int32_t ids[MOST];
    int count;
    double way[MOST + 1][MOST + 1]; /* last row and column: the depot */
    double *start;                  /* [mask * MOST + last]: earliest start there */
    uint8_t *is_route, *routes; /* by mask: one vehicle can serve it; least number of vehicles */
    double *all;                /* scratch, n x n, up to OUTSIDE_UP_TO nodes */
};

/* ---- ways ---- */

/* Shorter ways through node k (Floyd and Warshall). */
static void go_through(struct set *s, size_t k)
{
    size_t n = (size_t)s->b->n;
    double service = bounds_service(s->b, (int32_t)k);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double via = s->all[i * n + k] + service + s->all[k * n + j];
            if (i != j && i != k && j != k && via < s->all[i * n + j]) s->all[i * n + j] = via;
        }
}

static void find_ways_outside(struct set *s)
{
    const struct bounds *b = s->b;
    size_t n = (size_t)b->n;
    uint8_t is_member[OUTSIDE_UP_TO] = {1}; /* nor through the depot */
    for (int k = 0; k < s->count; k++) is_member[s->ids[k]] = 1;
    for (int32_t i = 0; i < b->n; i++)
        for (int32_t j = 0; j < b->n; j++) s->all[(size_t)i * n + (size_t)j] = bounds_leg(b, i, j);
    for (size_t k = 1; k < n; k++)
        if (!is_member[k]) go_through(s, k);
    for (int x = 0; x <= s->count; x++)
        for (int y = 0; y <= s->count; y++) {
            int32_t i = x < s->count ? s->ids[x] : 0, j = y < s->count ? s->ids[y] : 0;
            s->way[x == s->count ? MOST : x][y == s->count ? MOST : y] =
                s->all[(size_t)i * n + (size_t)j];
        }
}

static void find_ways(struct set *s)
{
    const struct bounds *b = s->b;
    if (b->n <= OUTSIDE_UP_TO) {
        find_ways_outside(s);
        return;
    }
    for (int x = 0; x < s->count; x++) {
        s->way[MOST][x] = 0.0; /* the earliest start knows */
        s->way[x][MOST] = b->home[s->ids[x]];
        for (int y = 0; y < s->count; y++)
            s->way[x][y] = x == y ? 0.0 : bounds_way(b, s->ids[x], s->ids[y]);
    }
}

/* ---- routes ---- */

static double first_start(const struct set *s, int x)
{
    const struct bounds *b = s->b;
    return fmax(b->data->ready[0] + s->way[MOST][x], b->earliest[s->ids[x]]);
}

/* Earliest starts over all orders; `extra` is added to every deadline. */
static void find_starts(struct set *s, double extra)
{
    const struct bounds *b = s->b;
    for (unsigned mask = 1; mask < 1u << s->count; mask++) {
        for (int x = 0; x < s->count; x++) {
            double best = HUGE_VAL;
            unsigned rest = mask & ~(1u << x);
            if (!(mask >> x & 1u)) continue;
            if (rest == 0) best = first_start(s, x);
            for (int y = 0; rest && y < s->count; y++) {
                double from = rest >> y & 1u ? s->start[rest * MOST + (unsigned)y] : HUGE_VAL;
                best = fmin(best, from + bounds_service(b, s->ids[y]) + s->way[y][x]);
            }
            best = fmax(best, b->earliest[s->ids[x]]);
            s->start[mask * MOST + (unsigned)x] =
                best <= b->latest[s->ids[x]] + extra ? best : HUGE_VAL;
        }
    }
}

static double load_of(const struct set *s, unsigned mask)
{
    double load = 0.0;
    for (int x = 0; s->b->data->demand && x < s->count; x++)
        if (mask >> x & 1u) load += load_counted(s->b->inst, s->ids[x]);
    return load;
}

static int can_be_route(const struct set *s, unsigned mask, double extra)
{
    const struct bounds *b = s->b;
    if (b->data->demand && load_of(s, mask) > load_room(b->inst, b->data->capacity)) return 0;
    for (int x = 0; x < s->count; x++) {
        if (!(mask >> x & 1u)) continue;
        double end = s->start[mask * MOST + (unsigned)x] + bounds_service(b, s->ids[x]);
        double back = end + s->way[x][MOST];
        if (isfinite(back) && back <= b->latest[0] + extra) return 1;
    }
    return 0;
}

enum { NONE = 255 };

/* Least number of routes that serve everybody: one holds the first customer, and so on. */
static int least_routes(struct set *s)
{
    unsigned full = (1u << s->count) - 1u;
    s->routes[0] = 0;
    for (unsigned mask = 1; mask <= full; mask++) {
        unsigned lowest = mask & (~mask + 1u);
        int best = NONE;
        for (unsigned part = mask; part; part = (part - 1u) & mask) {
            if (!(part & lowest) || !s->is_route[part]) continue;
            int other = s->routes[mask ^ part];
            if (other != NONE && other + 1 < best) best = other + 1;
        }
        s->routes[mask] = (uint8_t)best;
    }
    return s->routes[full];
}

static int is_impossible(struct set *s, double extra)
{
    if (s->count < 1) return 0;
    unsigned full = (1u << s->count) - 1u;
    find_ways(s);
    find_starts(s, extra);
    if (s->b->fleet == 1) return !can_be_route(s, full, extra);
    for (unsigned mask = 1; mask <= full; mask++)
        s->is_route[mask] = (uint8_t)can_be_route(s, mask, extra);
    int least = least_routes(s);
    return least == NONE || (s->b->fleet > 0 && least > s->b->fleet);
}

/* ---- the report ---- */

static void reduce(struct set *s)
{
    for (int k = s->count - 1; k >= 0 && s->count > 1; k--) {
        struct set smaller = *s;
        smaller.count--;
        memmove(smaller.ids + k, smaller.ids + k + 1,
                (size_t)(smaller.count - k) * sizeof smaller.ids[0]);
        if (is_impossible(&smaller, 0.0)) *s = smaller;
    }
}

/* How much later all deadlines would have to be; infinite if time is not the reason. */
static double least_delay(struct set *s)
{
    double high = 1.0, low = 0.0;
    while (is_impossible(s, high)) {
        low = high;
        high *= 4.0;
        if (high > 1e13) return HUGE_VAL;
    }
    for (int k = 0; k < 50; k++) {
        double middle = 0.5 * (low + high);
        if (is_impossible(s, middle))
            low = middle;
        else
            high = middle;
    }
    return high;
}

static const char *say_fleet(char buf[FLEET_TEXT], int32_t fleet)
{
    if (fleet == 0) return "any number of vehicles";
    if (fleet == 1) return "one vehicle in any order";
    snprintf(buf, FLEET_TEXT, "%d vehicles", (int)fleet);
    return buf;
}

static void add_set(struct set *s, ucpo_explanation *out)
{
    char list[EXPLAIN_LIST], fleet[FLEET_TEXT], delay[120] = "";
    reduce(s);
    double later = s->b->is_narrowed ? HUGE_VAL : least_delay(s) + s->b->data->tolerance;
    if (isfinite(later))
        snprintf(delay, sizeof delay, "; all their deadlines would have to be %.6g later", later);
    explain_sort(s->ids, (size_t)s->count);
    explain_add(out, UCPO_REASON_SET, s->ids, (size_t)s->count,
                (struct numbers){isfinite(later) ? later : 0.0, 0.0},
                "%s cannot be served by %s: everything was tried%s%s",
                explain_list(list, s->ids, (size_t)s->count), say_fleet(fleet, s->b->fleet), delay,
                s->b->is_narrowed ? " (windows narrowed by orders that are forced)" : "");
}

/* ---- which sets ---- */

/* Time to spare if j is served after i; below: in the better order. */
static double spare(const struct bounds *b, int32_t i, int32_t j)
{
    double way = bounds_way(b, i, j);
    return isfinite(way) ? b->latest[j] - b->earliest[i] - bounds_service(b, i) - way : -HUGE_VAL;
}

static double freedom(const struct bounds *b, int32_t i, int32_t j)
{
    return fmax(spare(b, i, j), spare(b, j, i));
}

/* `at` and the customers it gets on worst with. */
static void gather(struct set *s, int32_t at)
{
    double key[GROUP];
    s->ids[0] = at;
    s->count = 1;
    for (int32_t j = 1; j < s->b->n; j++) {
        double value = freedom(s->b, at, j);
        int k = s->count;
        if (j == at || (k == GROUP && value >= key[GROUP - 1])) continue;
        if (k == GROUP)
            k--;
        else
            s->count++;
        for (; k > 1 && key[k - 1] > value; k--) {
            key[k] = key[k - 1];
            s->ids[k] = s->ids[k - 1];
        }
        key[k] = value;
        s->ids[k] = j;
    }
}

static void try_sets(struct set *s, ucpo_explanation *out)
{
    const struct bounds *b = s->b;
    if (b->n - 1 <= MOST) {
        s->count = (int)b->n - 1;
        for (int k = 0; k < s->count; k++) s->ids[k] = k + 1;
        if (is_impossible(s, 0.0)) add_set(s, out);
        return;
    }
    if (b->fleet != 1) return;
    size_t before = out->count;
    for (int32_t i = 1; i < b->n && out->count == before && !out->status; i++) {
        gather(s, i);
        if (is_impossible(s, 0.0)) add_set(s, out);
    }
}

void prove_sets(struct bounds *b, ucpo_explanation *out)
{
    if (b->n > EXPLAIN_PATHS_UP_TO) return;
    struct bounds plain = *b; /* a search that is exact anyway argues with the instance's windows */
    plain.earliest = b->first_earliest;
    plain.latest = b->first_latest;
    plain.is_narrowed = 0;
    struct set s = {.b = b->n - 1 <= MOST ? &plain : b};
    size_t square = b->n <= OUTSIDE_UP_TO ? (size_t)b->n * (size_t)b->n : 1;
    s.start = explain_room(out, (size_t)MASKS * MOST, sizeof *s.start);
    s.is_route = explain_room(out, MASKS, 1);
    s.routes = explain_room(out, MASKS, 1);
    s.all = explain_room(out, square, sizeof *s.all);
    if (!out->status) try_sets(&s, out);
}

void prove_few(const ucpo_instance *inst, ucpo_explanation *out)
{
    struct bound_exact all;
    ucpo_status st = bound_exact(inst, &all, out->err);
    if (st) out->status = st;
    if (st || !all.is_known || all.is_feasible) return;
    int32_t ids[BOUND_EXACT];
    char list[EXPLAIN_LIST], fleet[FLEET_TEXT];
    size_t count = (size_t)inst->data.n - 1;
    for (size_t k = 0; k < count; k++) ids[k] = (int32_t)k + 1;
    explain_add(out, UCPO_REASON_SET, ids, count, (struct numbers){0.0, 0.0},
                "%s cannot be served by %s: everything was tried", explain_list(list, ids, count),
                say_fleet(fleet, fleet_of(inst)));
}
