#include "eval/join.h"

#define DEPOT INT32_MAX /* in the place of a node's position */
#define LEAST 1e-9      /* a smaller share of the whole cost is no gain */

enum { LONGEST = 50 }; /* customers of a run: the work is that times n, for each plan kept */

void join_sum(const ucpo_instance *inst, const int32_t *actions, size_t len, double *sum)
{
    int32_t last = 0;
    sum[0] = 0.0;
    for (size_t k = 0; k <= len; k++) {
        int32_t next = k < len ? actions[k] : 0;
        sum[k + 1] = sum[k] + ucpo_instance_cost(inst, last, next);
        last = next;
    }
}

double join_route_cost(const struct joint *plan, size_t first, size_t end)
{
    return plan->sum[end + 1] - plan->sum[first];
}

int join_next_route(const struct joint *plan, size_t *first, size_t *end)
{
    *first = *end;
    while (*first < plan->len && plan->actions[*first] == 0) (*first)++;
    *end = *first;
    while (*end < plan->len && plan->actions[*end] != 0) (*end)++;
    return *first < plan->len;
}

/* ---- another order of the same nodes ---- */

/* With the other's order in place of the tour's nodes first .. last. */
static double run_gain(const ucpo_instance *inst, const struct joint *tour, size_t first,
                       size_t last, const struct joint *other, size_t a, size_t b)
{
    int32_t before = first > 0 ? tour->actions[first - 1] : 0;
    int32_t after = last + 1 < tour->len ? tour->actions[last + 1] : 0;
    return tour->sum[last + 2] - tour->sum[first] - (other->sum[b + 1] - other->sum[a + 1]) -
           ucpo_instance_cost(inst, before, other->actions[a]) -
           ucpo_instance_cost(inst, other->actions[b], after);
}

/* Where the tour has the other's actions, and the first of these places from there to the next depot. */
static void find_places(const struct joint *tour, const struct joint *other, int32_t *at,
                        int32_t *least, int32_t *place)
{
    size_t len = other->len;
    for (size_t k = 0; k < tour->len; k++) place[tour->actions[k]] = (int32_t)k;
    for (size_t k = 0; k < len; k++) at[k] = other->actions[k] ? place[other->actions[k]] : DEPOT;
    for (size_t k = len; k-- > 0;)
        least[k] = k + 1 < len && least[k + 1] < at[k] && at[k] != DEPOT ? least[k + 1] : at[k];
}

int join_find_run(const ucpo_instance *inst, const struct joint *tour, const struct joint *other,
                  double below, int32_t *cells, struct run *out)
{
    size_t len = other->len;
    int32_t *at = cells, *least = at + len;
    find_places(tour, other, at, least, least + len);
    double most = LEAST * tour->sum[tour->len + 1];
    out->len = 0;
    for (size_t a = 0; a + 1 < len; a++) {
        int32_t low = at[a], high = at[a];
        /* a run that begins or ends with the same node in both gains as much without it */
        if (low == DEPOT || least[a + 1] > low) continue;
        for (size_t b = a + 1; b < len && at[b] != DEPOT; b++) {
            if (at[b] < low) low = at[b];
            if (at[b] > high) high = at[b];
            if (high - low >= LONGEST) break;
            if ((size_t)(high - low) != b - a || at[b] == high || at[a] == low) continue;
            double gain = run_gain(inst, tour, (size_t)low, (size_t)high, other, a, b);
            if (gain <= most || gain >= below) continue;
            most = gain;
            *out = (struct run){(size_t)low, a, b - a + 1, gain};
        }
    }
    return out->len > 0;
}

/* ---- other routes with the same customers ---- */

static int32_t root_of(int32_t *parent, int32_t k)
{
    while (parent[k] != k) k = parent[k] = parent[parent[k]];
    return k;
}

/* Whose routes share customers, belong together; what a group gains is noted at its root. */
static int32_t group_routes(const struct joint *plan, const struct joint *other,
                            const struct join_routes *room)
{
    int32_t routes = 0, all;
    for (size_t first, end = 0; join_next_route(plan, &first, &end); routes++)
        for (size_t k = first; k < end; k++) room->route_of[plan->actions[k]] = routes;
    all = routes;
    for (int32_t r = 0; r < routes; r++) room->parent[r] = r;
    for (size_t first, end = 0; join_next_route(other, &first, &end); all++) {
        room->parent[all] = all;
        for (size_t k = first; k < end; k++) {
            int32_t theirs = root_of(room->parent, room->route_of[other->actions[k]]);
            room->parent[theirs] = root_of(room->parent, all);
        }
    }
    for (int32_t r = 0; r < all; r++) room->gain[r] = 0.0, room->more[r] = 0;
    int32_t r = 0;
    for (size_t first, end = 0; join_next_route(plan, &first, &end); r++) {
        int32_t root = root_of(room->parent, r);
        room->gain[root] += join_route_cost(plan, first, end), room->more[root]--;
    }
    for (size_t first, end = 0; join_next_route(other, &first, &end); r++) {
        int32_t root = root_of(room->parent, r);
        room->gain[root] -= join_route_cost(other, first, end), room->more[root]++;
    }
    return routes;
}

/* Adds the routes, numbered from r on, whose group is taken or not. */
static size_t write_routes(const struct joint *from, const struct join_routes *room, int32_t r,
                           int is_taken, int32_t *draft, size_t len)
{
    for (size_t first, end = 0; join_next_route(from, &first, &end); r++) {
        if ((room->more[root_of(room->parent, r)] == INT32_MAX) != is_taken) continue;
        if (len > 0) draft[len++] = 0;
        for (size_t k = first; k < end; k++) draft[len++] = from->actions[k];
    }
    return len;
}

size_t join_find_routes(const ucpo_instance *inst, const struct joint *plan,
                        const struct joint *other, const struct join_routes *room, int32_t *draft)
{
    double least = LEAST * plan->sum[plan->len + 1];
    int is_limited = inst->data.vehicles > 0, gains = 0;
    int32_t routes = group_routes(plan, other, room), r = 0;
    for (size_t first, end = 0; join_next_route(plan, &first, &end); r++) {
        int32_t root = root_of(room->parent, r);
        if (room->more[root] == INT32_MAX || room->gain[root] <= least) continue;
        if (is_limited && room->more[root] > 0) continue;
        room->more[root] = INT32_MAX; /* taken */
        gains = 1;
    }
    if (!gains) return 0;
    size_t len = write_routes(plan, room, 0, 0, draft, 0);
    return write_routes(other, room, routes, 1, draft, len);
}
