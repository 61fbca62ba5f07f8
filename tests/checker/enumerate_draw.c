/* Random small instances of every look: most are nearly infeasible or just so, since windows, loads and fleets are
 * made around a plan that was drawn first, and then moved a little. */
#include "enumerate.h"

#include <math.h>
#include <string.h>

/* ---- numbers (splitmix64) ---- */

static uint64_t next(struct draws *d)
{
    uint64_t z = (d->state += 0x9e3779b97f4a7c15U);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27) * 0x94d049bb133111ebU;
    return z ^ z >> 31;
}

struct draws draws_at(uint64_t seed, uint64_t index)
{
    struct draws d = {seed * 0xd1342543de82ef95U + 1};
    d.state ^= next(&d) + index * 0x2545f4914f6cdd1dU;
    (void)next(&d);
    return d;
}

int draw_below(struct draws *d, int bound)
{
    return (int)(((next(d) >> 32) * (uint64_t)bound) >> 32);
}

double draw_between(struct draws *d, double low, double high)
{
    return low + (high - low) * (double)(next(d) >> 11) * 0x1p-53;
}

static int is_one_in(struct draws *d, int many)
{
    return draw_below(d, many) == 0;
}

/* ---- lengths ---- */

/* How numbers of an instance look: their range, and whether they are whole. */
struct look {
    double range;
    int is_whole, is_large_in_part; /* some numbers are ten times the others */
};

static double draw_number(struct draws *d, const struct look *l)
{
    double v = draw_between(d, 0.0, l->range);
    if (l->is_large_in_part && is_one_in(d, 3)) v *= 10.0;
    return l->is_whole ? floor(v) : v;
}

static void draw_matrix(struct small *s, struct draws *d, const struct look *l, double *m)
{
    int is_symmetric = is_one_in(d, 3);
    for (int i = 0; i < s->n; i++)
        for (int j = 0; j < s->n; j++) {
            if (i == j)
                m[i * s->n + j] = 0.0;
            else if (is_symmetric && j < i)
                m[i * s->n + j] = m[j * s->n + i];
            else
                m[i * s->n + j] = draw_number(d, l);
        }
}

static void block_legs(struct small *s, struct draws *d)
{
    double share = draw_between(d, 0.02, 0.6);
    int by_time = s->has_duration && is_one_in(d, 2);
    for (int i = 0; i < s->n; i++)
        for (int j = 0; j < s->n; j++)
            if (i != j && draw_between(d, 0.0, 1.0) < share)
                (by_time ? s->duration : s->cost)[i * s->n + j] = HUGE_VAL;
}

static struct look draw_look(struct draws *d)
{
    static const double ranges[] = {1.0, 3.0, 10.0, 100.0, 100.0, 1e4, 1e6};
    struct look l = {.range = ranges[draw_below(d, 7)], .is_whole = draw_below(d, 2)};
    if (l.is_whole && l.range < 3.0) l.range = 2.0; /* zeros and ones */
    l.is_large_in_part = is_one_in(d, 6);
    return l;
}

static void draw_legs(struct small *s, struct draws *d, const struct look *l)
{
    s->has_cost = !is_one_in(d, 3);
    s->has_xy = !s->has_cost || is_one_in(d, 3);
    s->is_rounded = !s->has_cost && l->is_whole;
    for (int i = 0; i < s->n; i++) {
        s->x[i] = draw_number(d, l) - (is_one_in(d, 4) ? l->range : 0.0);
        s->y[i] = draw_number(d, l);
    }
    if (s->has_cost) draw_matrix(s, d, l, s->cost);
    if (s->has_windows && is_one_in(d, 4)) {
        struct look own = is_one_in(d, 2) ? *l : draw_look(d);
        s->has_duration = 1;
        draw_matrix(s, d, &own, s->duration);
    } else if (s->has_windows && is_one_in(d, 6)) {
        s->speed = is_one_in(d, 2) ? 2.0 : draw_between(d, 0.3, 3.0);
    }
    if (s->has_cost && is_one_in(d, 4)) block_legs(s, d);
}

/* ---- a plan, and what is made around it ---- */

size_t small_draw_plan(const struct small *s, struct draws *d, int32_t *plan)
{
    int order[SMALL_NODES], count = s->n - 1, cut = draw_below(d, 4);
    for (int k = 0; k < count; k++) order[k] = k + 1;
    for (int k = count - 1; k > 0; k--) {
        int other = draw_below(d, k + 1), node = order[k];
        order[k] = order[other], order[other] = node;
    }
    size_t len = 0;
    for (int k = 0; k < count; k++) {
        if (k > 0 && cut > 0 && draw_below(d, 4) < cut) plan[len++] = 0;
        plan[len++] = order[k];
    }
    return len;
}

/* A little beside: on it, within or beyond what is tolerated, or somewhere else. */
static double move(struct draws *d, double value, double by, double tolerance)
{
    static const double shares[] = {0.5, 1.0, 0.999999, 1.000001, 2.0, 10.0};
    int is_later = draw_below(d, 2);
    switch (draw_below(d, 6)) {
    case 0: return value - tolerance * shares[draw_below(d, 6)];
    case 1: return value + (is_later ? 1.0 : -1.0) * by * draw_between(d, 0.0, 0.3);
    case 2: return value + by * draw_between(d, 0.0, 2.0);
    default: return value;
    }
}

static double leg(const struct small *s, int i, int j)
{
    double dx = s->x[i] - s->x[j], dy = s->y[i] - s->y[j];
    double v = s->has_duration ? s->duration[i * s->n + j]
               : s->has_cost   ? s->cost[i * s->n + j]
                               : sqrt(dx * dx + dy * dy);
    if (isinf(v)) return 0.0;
    if (s->is_rounded) v = floor(v + 0.5);
    return !s->has_duration && s->speed > 0.0 ? v / s->speed : v;
}

static void set_window(struct small *s, struct draws *d, const struct look *l, int i, double start)
{
    double by = l->is_whole ? ceil(l->range) : l->range;
    double tolerance = s->tolerance > 0.0 ? s->tolerance : 1e-6;
    double before = is_one_in(d, 2) ? 0.0 : by * draw_between(d, 0.0, 2.0);
    s->due[i] = move(d, start, by, tolerance);
    s->ready[i] = is_one_in(d, 4) ? -by : s->due[i] - before;
    if (is_one_in(d, 12)) s->due[i] = HUGE_VAL;
    if (l->is_whole && !is_one_in(d, 6)) {
        s->ready[i] = floor(s->ready[i]);
        s->due[i] = isinf(s->due[i]) ? s->due[i] : ceil(s->due[i]);
    }
    if (s->ready[i] > s->due[i]) s->ready[i] = s->due[i];
}

/* Windows in which the plan is in time, or nearly. */
static void draw_windows(struct small *s, struct draws *d, const struct look *l,
                         const int32_t *plan, size_t len)
{
    double opening = is_one_in(d, 2) ? 0.0 : draw_number(d, l) - l->range / 2.0, end = opening;
    double slack = is_one_in(d, 3) ? l->range * draw_between(d, 0.0, 2.0) : 0.0, time = opening;
    int at = 0;
    s->has_service = is_one_in(d, 2);
    for (int i = 1; s->has_service && i < s->n; i++)
        s->service[i] = is_one_in(d, 3) ? 0.0 : draw_number(d, l) / 4.0;
    if (l->is_whole)
        for (int i = 1; i < s->n; i++) s->service[i] = floor(s->service[i]);
    s->has_setup = is_one_in(d, 8);
    for (int i = 0; s->has_setup && i < s->n; i++) {
        s->place[i] = draw_below(d, 3);
        s->setup[i] = i > 0 ? ceil(draw_number(d, l) / 2.0) : 0.0;
    }
    for (size_t k = 0; k <= len; k++) {
        int node = k < len ? plan[k] : 0;
        time += leg(s, at, node) + (node ? floor(slack) : 0.0);
        if (node) {
            set_window(s, d, l, node, time);
            if (time < s->ready[node]) time = s->ready[node];
            if (s->has_setup && s->place[at] != s->place[node]) time += s->setup[node];
            time += s->has_service ? s->service[node] : 0.0;
        } else {
            end = time > end ? time : end;
            time = opening;
        }
        at = node;
    }
    s->ready[0] = opening;
    s->due[0] = move(d, end, l->range, s->tolerance > 0.0 ? s->tolerance : 1e-6);
    if (is_one_in(d, 4)) s->due[0] = HUGE_VAL;
    if (s->due[0] < s->ready[0]) s->due[0] = s->ready[0];
}

static double draw_demand(struct draws *d, int is_whole, double range)
{
    if (is_one_in(d, 6)) return 0.0;
    if (!is_whole && is_one_in(d, 12)) return range * 1e-9 * draw_between(d, 0.0, 2.0);
    double v = draw_between(d, 0.0, range);
    return is_whole ? ceil(v) : v;
}

/* Loads that the plan's vehicles or ship can carry, or nearly. */
static void draw_loads(struct small *s, struct draws *d, const int32_t *plan, size_t len)
{
    int is_whole = !is_one_in(d, 3);
    double range = is_one_in(d, 3) ? 3.0 : 50.0, load = 0.0, most = 0.0, total = 0.0;
    double tolerance = 1e-9 * range;
    for (int i = 1; i < s->n; i++) total += s->demand[i] = draw_demand(d, is_whole, range);
    for (size_t k = 0; k < len; k++) {
        double before = load;
        load += s->demand[plan[k]];
        if (s->has_limits && plan[k]) {
            double draft = s->is_unloading ? total - before : load;
            s->limit[plan[k]] = move(d, draft, range, tolerance);
        } else if (plan[k] == 0 && !s->has_limits) {
            load = 0.0;
        }
        most = load > most ? load : most;
    }
    s->limit[0] = is_one_in(d, 40) ? total - range / 4.0 : move(d, total, range, 0.0);
    s->capacity = s->has_limits ? 0.0 : move(d, most, range, tolerance);
    for (int i = 0; i < s->n; i++) {
        if (is_whole) s->limit[i] = ceil(s->limit[i]);
        if (s->limit[i] < 0.0) s->limit[i] = 0.0;
    }
    if (is_whole) s->capacity = ceil(s->capacity);
    if (!s->has_limits && s->capacity <= 0.0) s->capacity = 1.0;
}

/* ---- all together ---- */

static int draw_customers(struct draws *d)
{
    int at = draw_below(d, 2000);
    if (at < 1) return 9;
    if (at < 6) return 8;
    if (at < 60) return 7;
    static const int usual[] = {1, 2, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6};
    return usual[draw_below(d, 12)];
}

static double draw_tolerance(struct draws *d, const struct look *l)
{
    switch (draw_below(d, 8)) {
    case 0: return 0.0;
    case 1: return l->is_whole ? 1.0 + draw_below(d, 4) : 0.125; /* met exactly */
    case 2: return l->range * draw_between(d, 0.0, 0.2);
    default: return -1.0;
    }
}

void small_draw(struct small *s, struct draws *d)
{
    static const char *const problems[] = {"tsptw", "tspdl", "cvrptw", "cvrptwlv", "cvrp"};
    memset(s, 0, sizeof *s);
    int which = draw_below(d, 5);
    s->problem = problems[which];
    s->n = 1 + draw_customers(d);
    s->has_windows = which == 0 || which == 2 || which == 3;
    s->has_loads = which > 0;
    s->has_limits = which == 1;
    s->is_unloading = which == 1 && draw_below(d, 2);
    struct look look = draw_look(d);
    s->tolerance = draw_tolerance(d, &look);
    draw_legs(s, d, &look);
    int32_t plan[SMALL_PLAN];
    size_t len = small_draw_plan(s, d, plan);
    if (which < 2) { /* a tour: without cuts */
        size_t kept = 0;
        for (size_t k = 0; k < len; k++)
            if (plan[k]) plan[kept++] = plan[k];
        len = kept;
    }
    if (s->has_windows) draw_windows(s, d, &look, plan, len);
    if (s->has_loads) draw_loads(s, d, plan, len);
    int routes = 1;
    for (size_t k = 0; k < len; k++) routes += plan[k] == 0;
    if (which == 3) s->vehicles = is_one_in(d, 4) && routes > 1 ? routes - 1 : routes;
    if (which == 3 && is_one_in(d, 4)) s->vehicles += draw_below(d, 3);
}
