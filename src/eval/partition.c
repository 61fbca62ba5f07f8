#include "eval/partition.h"

#include "core/mem.h"
#include "core/minmax.h"
#include "core/rng.h"
#include "core/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Choosing routes x_j in {0, 1} that serve every customer once at the least cost is set partitioning. With
 * a price p_i for each customer and q for each vehicle of a limited fleet of K, route j costs
 *     r_j = c_j - sum of p_i over its customers + q,
 * and no choice costs less than  sum p_i - q K + sum min(0, r_j):  the bound. Prices that make it large are
 * found by steps along its subgradient; then a route whose r_j is larger than what lies between bound and
 * best plan is in no better one, and the few that remain are searched in depth. */

#define SMALL 1e-9 /* share of a cost that is no difference */

enum {
    STEPS = 100,         /* of prices */
    PATIENCE = 10,       /* steps that find no larger bound, before they become half as long */
    MOST_TRIED = 1000,   /* routes, of those that may be in a better plan; or 10 n */
    MOST_FIRST = 5000,   /* the same while there is no plan */
    MOST_CHOICES = 3000, /* points of the search in depth, up to 100 customers */
    LISTS_LEAST = 16     /* or n / 8, times MOST_FIRST: what is left to choose from at all depths */
};

struct drawn {
    uint64_t key; /* sum of its customers' keys */
    double cost, reduced;
    double empty; /* room left in the vehicle */
    size_t at;    /* of its first stop */
    int32_t len;
};

struct ranked {
    double reduced;
    int32_t route;
};

/* A point of the search: some routes are chosen, `list[first ..]` are those that fit them. */
struct choice {
    size_t first, count;
    size_t tries, next;         /* the first `tries` serve the customer whom fewest can serve */
    double cost, prices, bound; /* of the chosen routes; of whom they do not serve; of all */
    double empty;               /* room left in the vehicles of the chosen */
    int32_t used, left, taken;  /* taken: the route that is being tried */
};

struct partition {
    const ucpo_instance *inst;
    int n, is_limited;
    double scale;      /* what a plan costs, roughly; 0: none has come */
    double most_empty; /* room that a limited fleet may leave and still carry everything */
    struct drawn *route;
    size_t count, most;
    int32_t *stops;
    size_t used, room; /* of stops */
    uint64_t *key;     /* of a customer */
    int32_t *slot;     /* hash table: 1 + number of a route */
    size_t slots;      /* a power of two */
    double *price, *best_price;
    double vehicle, best_vehicle; /* q */
    int32_t *serves;              /* how many routes serve a customer */
    int32_t *list;
    size_t list_room;
    uint8_t *visited;
    struct choice *choice;
    struct ranked *ranked; /* routes by reduced cost */
    struct mem_pool pool;
};

ucpo_status partition_create(int n, struct partition **out, ucpo_error *err)
{
    struct partition *p = mem_zeroed(1, sizeof *p);
    if (!p) return status_no_memory(err, sizeof *p);
    size_t nodes = (size_t)n;
    p->n = n;
    p->most = 100 * nodes;
    if (p->most > 20000) p->most = 20000;
    if (p->most < 4 * nodes) p->most = 4 * nodes;
    p->room = 16 * p->most;
    for (p->slots = 1; p->slots < 2 * p->most;) p->slots *= 2;
    p->route = mem_take(&p->pool, p->most, sizeof *p->route, err);
    p->stops = mem_take(&p->pool, p->room, sizeof *p->stops, err);
    p->key = mem_take(&p->pool, nodes, sizeof *p->key, err);
    p->slot = mem_take(&p->pool, p->slots, sizeof *p->slot, err);
    p->price = mem_take(&p->pool, nodes, sizeof *p->price, err);
    p->best_price = mem_take(&p->pool, nodes, sizeof *p->best_price, err);
    p->serves = mem_take(&p->pool, nodes, sizeof *p->serves, err);
    p->list_room = MOST_FIRST * (nodes / 8 > LISTS_LEAST ? nodes / 8 : LISTS_LEAST);
    p->list = mem_take(&p->pool, p->list_room, sizeof *p->list, err);
    p->visited = mem_take(&p->pool, nodes, sizeof *p->visited, err);
    p->choice = mem_take(&p->pool, nodes + 1, sizeof *p->choice, err);
    p->ranked = mem_take(&p->pool, p->most, sizeof *p->ranked, err);
    if (p->pool.has_failed) {
        partition_free(p);
        return UCPO_E_MEMORY;
    }
    for (size_t i = 0; i < nodes; i++) {
        struct rng rng = rng_at(0, RNG_KEY, i);
        p->key[i] = (uint64_t)rng_u32(&rng) << 32;
        p->key[i] |= rng_u32(&rng);
    }
    *out = p;
    return UCPO_OK;
}

void partition_free(struct partition *p)
{
    if (!p) return;
    mem_pool_free(&p->pool);
    free(p);
}

void partition_clear(struct partition *p, const ucpo_instance *inst)
{
    p->inst = inst;
    p->is_limited = inst->data.vehicles > 0;
    p->most_empty = HUGE_VAL;
    double vehicles = inst->data.vehicles, total = inst->total_demand;
    if (p->is_limited)
        p->most_empty =
            vehicles * (inst->data.capacity + inst->load_tolerance) - total * (1.0 - SMALL);
    p->scale = 0.0;
    p->count = p->used = 0;
    memset(p->slot, 0, p->slots * sizeof *p->slot);
}

/* ---- routes ---- */

static const int32_t *stops_of(const struct partition *p, const struct drawn *r)
{
    return p->stops + r->at;
}

static uint64_t key_of(const struct partition *p, const int32_t *stops, size_t len)
{
    uint64_t key = 0;
    for (size_t k = 0; k < len; k++) key += p->key[stops[k]];
    return key;
}

/* Where a route with these customers stands in the hash table, or would. */
static size_t slot_of(const struct partition *p, uint64_t key, size_t len)
{
    size_t at = (size_t)key & (p->slots - 1);
    for (; p->slot[at]; at = (at + 1) & (p->slots - 1)) {
        const struct drawn *r = &p->route[p->slot[at] - 1];
        if (r->key == key && (size_t)r->len == len) break;
    }
    return at;
}

/* What a route costs beyond the prices of whom it serves. */
static double reduced_cost(const struct partition *p, const struct drawn *r)
{
    const int32_t *stops = stops_of(p, r);
    double cost = r->cost + p->vehicle;
    for (int32_t k = 0; k < r->len; k++) cost -= p->price[stops[k]];
    return cost;
}

static int by_reduced(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->reduced != y->reduced) return x->reduced > y->reduced ? 1 : -1;
    return (x->route > y->route) - (x->route < y->route);
}

/* Ranks the routes whose reduced cost is below `most`; returns how many. */
static size_t rank(struct partition *p, double most)
{
    size_t count = 0;
    for (size_t j = 0; j < p->count; j++)
        if (p->route[j].reduced < most)
            p->ranked[count++] = (struct ranked){p->route[j].reduced, (int32_t)j};
    qsort(p->ranked, count, sizeof *p->ranked, by_reduced);
    return count;
}

/* Keeps the better half. */
static void make_room(struct partition *p)
{
    for (size_t j = 0; j < p->count; j++) p->route[j].reduced = reduced_cost(p, &p->route[j]);
    size_t count = rank(p, HUGE_VAL);
    struct ranked middle = p->ranked[count / 2];
    memset(p->slot, 0, p->slots * sizeof *p->slot);
    p->count = p->used = 0;
    for (size_t j = 0; j < count; j++) {
        struct drawn r = p->route[j];
        struct ranked own = {r.reduced, (int32_t)j};
        if (by_reduced(&own, &middle) >= 0) continue;
        memmove(p->stops + p->used, stops_of(p, &r), (size_t)r.len * sizeof *p->stops);
        r.at = p->used;
        p->used += (size_t)r.len;
        p->route[p->count++] = r;
        p->slot[slot_of(p, r.key, (size_t)r.len)] = (int32_t)p->count;
    }
}

/* Every customer costs the same. */
static void guess_prices(struct partition *p)
{
    for (int32_t i = 1; i < p->n; i++) p->price[i] = p->scale / (p->n - 1);
    p->vehicle = 0.0;
}

static double empty_room(const struct partition *p, const int32_t *stops, size_t len)
{
    double room = p->inst->data.capacity;
    for (size_t k = 0; k < len; k++) room -= p->inst->data.demand[stops[k]];
    return room;
}

/* Whether these stops alone are a route that may be driven, and what it costs. */
static int check_route(const struct partition *p, const int32_t *stops, size_t len, double *cost)
{
    ucpo_evaluation e;
    prob_check(p->inst, stops, len, &e, p->visited, NULL, 0, NULL, 0);
    *cost = e.cost;
    return e.late_count + e.over_count + e.blocked + e.duplicates + e.unknown == 0;
}

/* Where a new route of so many stops goes; NULL: there is no room. */
static struct drawn *new_route(struct partition *p, uint64_t key, size_t len)
{
    if (p->count == p->most || p->used + len > p->room) make_room(p);
    if (p->count == p->most || p->used + len > p->room) return NULL;
    struct drawn *r = &p->route[p->count++];
    *r = (struct drawn){.key = key, .at = p->used, .len = (int32_t)len};
    p->used += len;
    p->slot[slot_of(p, key, len)] = (int32_t)p->count;
    return r;
}

static void add_route(struct partition *p, const int32_t *stops, size_t len, double cost,
                      int is_feasible)
{
    double empty = empty_room(p, stops, len);
    if (empty > p->most_empty) return;
    uint64_t key = key_of(p, stops, len);
    size_t at = slot_of(p, key, len);
    struct drawn *r = p->slot[at] ? &p->route[p->slot[at] - 1] : NULL;
    if (r && r->cost <= cost) return;
    if (!is_feasible && !check_route(p, stops, len, &cost)) return;
    if (!r) r = new_route(p, key, len);
    if (!r) return;
    r->cost = cost;
    r->empty = empty;
    memcpy(p->stops + r->at, stops, len * sizeof *stops);
}

void partition_add(struct partition *p, const struct joint *plan, int is_feasible)
{
    double cost = plan->sum[plan->len + 1];
    if (p->scale <= 0.0 || cost < 0.5 * p->scale) { /* of the first legs may be blocked */
        p->scale = cost;
        guess_prices(p);
    }
    for (size_t first, end = 0; join_next_route(plan, &first, &end);)
        add_route(p, plan->actions + first, end - first, join_route_cost(plan, first, end),
                  is_feasible);
}

/* ---- prices ---- */

/* The bound of these prices; notes reduced costs, and how many of the routes with a negative one there are,
 * and serve a customer. */
static double bound_of(struct partition *p, int32_t *used)
{
    double bound = p->is_limited ? -p->vehicle * p->inst->data.vehicles : 0.0;
    for (int32_t i = 1; i < p->n; i++) bound += p->price[i], p->serves[i] = 0;
    *used = 0;
    for (size_t j = 0; j < p->count; j++) {
        struct drawn *r = &p->route[j];
        r->reduced = reduced_cost(p, r);
        if (r->reduced >= 0.0) continue;
        const int32_t *stops = stops_of(p, r);
        bound += r->reduced;
        (*used)++;
        for (int32_t k = 0; k < r->len; k++) p->serves[stops[k]]++;
    }
    return bound;
}

/* Who is served too often becomes cheaper, who is not, dearer. 0: each is served once. */
static int step_prices(struct partition *p, int32_t used, double length)
{
    double square = 0.0, over = 0.0;
    for (int32_t i = 1; i < p->n; i++) square += (1.0 - p->serves[i]) * (1.0 - p->serves[i]);
    if (p->is_limited) over = used - p->inst->data.vehicles;
    if (over < 0.0 && p->vehicle <= 0.0) over = 0.0;
    square += over * over;
    if (square <= 0.0) return 0;
    double step = length / square;
    for (int32_t i = 1; i < p->n; i++) p->price[i] += step * (1.0 - p->serves[i]);
    p->vehicle = more_of(0.0, p->vehicle + step * over);
    return 1;
}

/* Leaves the prices of the largest bound found, and the reduced costs they give; returns that bound. */
static double find_prices(struct partition *p, double below)
{
    double best = -HUGE_VAL, share = 1.0;
    int32_t used;
    for (int step = 0, idle = 0; step < STEPS; step++) {
        double bound = bound_of(p, &used);
        if (bound > best) {
            best = bound;
            idle = 0;
            memcpy(p->best_price, p->price, (size_t)p->n * sizeof *p->price);
            p->best_vehicle = p->vehicle;
        } else if (++idle == PATIENCE) {
            idle = 0;
            share /= 2.0;
        }
        double target = isfinite(below) ? below : more_of(p->scale, bound + 0.05 * p->scale);
        if (bound >= below || !step_prices(p, used, share * (target - bound))) break;
    }
    memcpy(p->price, p->best_price, (size_t)p->n * sizeof *p->price);
    p->vehicle = p->best_vehicle;
    return bound_of(p, &used);
}

/* ---- search ---- */

static int fits(const struct partition *p, const struct drawn *r)
{
    const int32_t *stops = stops_of(p, r);
    for (int32_t k = 0; k < r->len; k++)
        if (p->serves[stops[k]] < 0) return 0;
    return 1;
}

static int serves_customer(const struct partition *p, const struct drawn *r, int32_t i)
{
    const int32_t *stops = stops_of(p, r);
    for (int32_t k = 0; k < r->len; k++)
        if (stops[k] == i) return 1;
    return 0;
}

/* Serving is counted in p->serves, of customers that are served already -1 stands there. Chooses the
 * customer whom fewest routes of the list serve, and puts these first, in the order they have. 0: there is
 * one whom nobody serves. */
static int pick_customer(struct partition *p, struct choice *c)
{
    int32_t *list = p->list + c->first, pick = 0;
    for (int32_t i = 1; i < p->n; i++)
        if (p->serves[i] > 0) p->serves[i] = 0;
    for (size_t k = 0; k < c->count; k++) {
        const struct drawn *r = &p->route[list[k]];
        const int32_t *stops = stops_of(p, r);
        for (int32_t m = 0; m < r->len; m++) p->serves[stops[m]]++;
    }
    for (int32_t i = 1; i < p->n; i++)
        if (p->serves[i] >= 0 && (!pick || p->serves[i] < p->serves[pick])) pick = i;
    if (p->serves[pick] == 0) return 0;
    c->tries = c->next = 0;
    for (size_t k = 0; k < c->count; k++) {
        int32_t j = list[k];
        if (!serves_customer(p, &p->route[j], pick)) continue;
        memmove(list + c->tries + 1, list + c->tries, (k - c->tries) * sizeof *list);
        list[c->tries++] = j;
    }
    return 1;
}

static void set_served(struct partition *p, int32_t j, int32_t value)
{
    const struct drawn *r = &p->route[j];
    const int32_t *stops = stops_of(p, r);
    for (int32_t k = 0; k < r->len; k++) p->serves[stops[k]] = value;
}

/* What no plan with the chosen routes can cost less than. */
static double bound_choice(const struct partition *p, const struct choice *c)
{
    double bound = c->cost + c->prices;
    if (p->is_limited) bound -= (p->inst->data.vehicles - c->used) * p->vehicle;
    for (size_t k = 0; k < c->count; k++) {
        double reduced = p->route[p->list[c->first + k]].reduced;
        if (reduced >= 0.0) break;
        bound += reduced;
    }
    return bound;
}

/* The point behind c when it takes route j; 0: nothing better can come of it. */
static int open_choice(struct partition *p, const struct choice *c, int32_t j, double below,
                       struct choice *to)
{
    const struct drawn *r = &p->route[j];
    *to = (struct choice){.first = c->first + c->count,
                          .cost = c->cost + r->cost,
                          .prices = c->prices - (r->cost + p->vehicle - r->reduced),
                          .empty = c->empty + r->empty,
                          .used = c->used + 1,
                          .left = c->left - r->len};
    if (to->empty > p->most_empty) return 0; /* or more routes than vehicles */
    if (to->left == 0) return to->cost < below;
    if (to->first + c->count > p->list_room) return 0;
    for (size_t k = 0; k < c->count; k++) {
        int32_t other = p->list[c->first + k];
        if (fits(p, &p->route[other])) p->list[to->first + to->count++] = other;
    }
    to->bound = bound_choice(p, to);
    return to->bound < below;
}

static size_t write_chosen(const struct partition *p, int32_t depth, int32_t *plan)
{
    size_t len = 0;
    for (int32_t d = 0; d <= depth; d++) {
        const struct drawn *r = &p->route[p->choice[d].taken];
        if (len > 0) plan[len++] = 0;
        memcpy(plan + len, stops_of(p, r), (size_t)r->len * sizeof *plan);
        len += (size_t)r->len;
    }
    return len;
}

/* Points of the search: each takes the longer the more customers there are, and one plan may need half as many. */
static int most_choices(const struct partition *p)
{
    int n = p->n - 1, most = MOST_CHOICES;
    if (n > 100) most = (int)(MOST_CHOICES * 1e4 / ((double)n * n));
    return most > n / 2 ? most : n / 2;
}

/* Serves customers by routes of list[0 .. count - 1], which are sorted, in depth. */
static size_t search(struct partition *p, size_t count, double below, int32_t *plan)
{
    struct choice *root = &p->choice[0];
    size_t len = 0;
    int32_t depth = 0;
    *root = (struct choice){.count = count, .left = p->n - 1};
    for (int32_t i = 1; i < p->n; i++) root->prices += p->price[i], p->serves[i] = 0;
    root->bound = bound_choice(p, root);
    if (!pick_customer(p, root)) return 0;
    for (int tried = 0, most = most_choices(p); tried < most;) {
        struct choice *c = &p->choice[depth], *to = c + 1;
        int32_t j = c->next < c->tries ? p->list[c->first + c->next++] : -1;
        if (j < 0 || c->bound + more_of(0.0, p->route[j].reduced) >= below) { /* nor the others */
            if (depth == 0) break;
            set_served(p, p->choice[--depth].taken, 0);
            continue;
        }
        tried++;
        c->taken = j;
        set_served(p, j, -1);
        int is_open = open_choice(p, c, j, below, to);
        if (is_open && to->left == 0) {
            below = to->cost * (1.0 - SMALL);
            len = write_chosen(p, depth, plan);
            is_open = 0;
        }
        if (is_open && pick_customer(p, to))
            depth++;
        else
            set_served(p, j, 0);
    }
    return len;
}

size_t partition_find(struct partition *p, double below, int32_t *plan)
{
    if (p->count == 0) return 0;
    if (!isfinite(below)) guess_prices(p); /* what cannot be served makes prices grow without end */
    below *= 1.0 - SMALL;
    double bound = find_prices(p, below);
    if (bound >= below) return 0;
    size_t count = rank(p, below - bound), most = (size_t)p->n * 10;
    if (most < MOST_TRIED) most = MOST_TRIED;
    if (!isfinite(below) && most < MOST_FIRST) most = MOST_FIRST;
    if (count > most) count = most;
    for (size_t k = 0; k < count; k++) p->list[k] = p->ranked[k].route;
    return search(p, count, below, plan);
}
