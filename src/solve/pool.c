/* The best distinct candidates, and which plans were seen before. */
#include "solve/solve.h"

#include <stdlib.h>
#include <string.h>

/* Plans whose hashes are remembered; beyond it every new one counts as distinct. 32 MiB. */
enum { FIRST_SLOTS = 1 << 10, MOST_SLOTS = 1 << 22 };

ucpo_status solve_pool_create(const ucpo_instance *inst, size_t longest, struct solve_pool **out,
                              ucpo_error *err)
{
    struct solve_pool *p = mem_zeroed(1, sizeof *p);
    if (!p) return status_no_memory(err, sizeof *p);
    size_t least = 2 * (size_t)inst->data.n;
    p->inst = inst;
    p->room = longest > least ? longest : least;
    p->slots = FIRST_SLOTS;
    p->store = mem_zeroed(p->room * SOLVE_POOL, sizeof *p->store);
    p->draft = mem_zeroed(p->room, sizeof *p->draft);
    p->seen = mem_zeroed(p->slots, sizeof *p->seen);
    if (!p->store || !p->draft || !p->seen) {
        size_t bytes = p->room * SOLVE_POOL * sizeof *p->store;
        solve_pool_free(p);
        return status_no_memory(err, bytes);
    }
    for (size_t k = 0; k < SOLVE_POOL; k++) p->item[k].nodes = p->store + k * p->room;
    *out = p;
    return UCPO_OK;
}

void solve_pool_free(struct solve_pool *p)
{
    if (!p) return;
    free(p->store);
    free(p->draft);
    free(p->seen);
    free(p);
}

/* ---- distinct plans ---- */

/* Finaliser of MurmurHash3: every bit of the input reaches every bit of the output. */
static uint64_t mix(uint64_t h)
{
    h = (h ^ h >> 33) * 0xff51afd7ed558ccdU;
    h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53U;
    return h ^ h >> 33;
}

uint64_t solve_plan_hash(const int32_t *nodes, size_t len)
{
    uint64_t sum = 0, route = 0;
    for (size_t i = 0; i < len; i++) {
        if (nodes[i] != 0) {
            route = mix(route + 0x9e3779b97f4a7c15U) ^ mix((uint32_t)nodes[i]);
        } else if (route != 0) {
            sum += mix(route);
            route = 0;
        }
    }
    if (route != 0) sum += mix(route);
    return sum ? sum : 1;
}

static int insert(uint64_t *seen, size_t slots, uint64_t hash)
{
    size_t at = (size_t)hash & (slots - 1);
    while (seen[at] != 0 && seen[at] != hash) at = (at + 1) & (slots - 1);
    int is_new = seen[at] == 0;
    seen[at] = hash;
    return is_new;
}

static int is_known(const struct solve_pool *p, uint64_t hash)
{
    size_t at = (size_t)hash & (p->slots - 1);
    while (p->seen[at] != 0 && p->seen[at] != hash) at = (at + 1) & (p->slots - 1);
    return p->seen[at] == hash;
}

/* Doubles the table when it is more than half full. */
static ucpo_status make_room(struct solve_pool *p, ucpo_error *err)
{
    if (2 * p->used < p->slots || p->slots >= MOST_SLOTS) return UCPO_OK;
    uint64_t *larger = mem_zeroed(2 * p->slots, sizeof *larger);
    if (!larger) return status_no_memory(err, 2 * p->slots * sizeof *larger);
    for (size_t i = 0; i < p->slots; i++)
        if (p->seen[i]) insert(larger, 2 * p->slots, p->seen[i]);
    free(p->seen);
    p->seen = larger;
    p->slots *= 2;
    return UCPO_OK;
}

static ucpo_status remember(struct solve_pool *p, uint64_t hash, int *is_new, ucpo_error *err)
{
    *is_new = !is_known(p, hash);
    if (!*is_new) return UCPO_OK;
    ucpo_status st = make_room(p, err);
    if (st) return st;
    p->distinct++;
    if (4 * p->used < 3 * p->slots) p->used += (size_t)insert(p->seen, p->slots, hash);
    return UCPO_OK;
}

/* ---- the best ---- */

static int is_better(double objective, double violation, const struct solve_candidate *other)
{
    return ucpo_compare(NULL, objective, violation, other->objective, other->violation) < 0;
}

size_t solve_plain_plan(const int32_t *nodes, size_t len, int is_reversed, int32_t *to)
{
    size_t kept = 0;
    for (size_t i = 0; i < len; i++) {
        int32_t node = nodes[is_reversed ? len - 1 - i : i];
        if (node != 0 || (kept > 0 && to[kept - 1] != 0)) to[kept++] = node;
    }
    while (kept > 0 && to[kept - 1] == 0) kept--;
    return kept;
}

static void put(struct solve_pool *p, size_t len, double cost, double violation, uint64_t hash)
{
    double objective = cost / p->inst->data.unit;
    int at = p->count;
    while (at > 0 && is_better(objective, violation, &p->item[at - 1])) at--;
    if (at == SOLVE_POOL) return;
    int last = p->count < SOLVE_POOL ? p->count++ : SOLVE_POOL - 1;
    int32_t *nodes = p->item[last].nodes;
    memmove(&p->item[at + 1], &p->item[at], (size_t)(last - at) * sizeof p->item[0]);
    memcpy(nodes, p->draft, len * sizeof *nodes);
    p->item[at] = (struct solve_candidate){objective, violation, cost, hash, len, nodes};
    p->improved += at == 0;
}

ucpo_status solve_pool_add(struct solve_pool *p, const int32_t *nodes, size_t len, double objective,
                           double violation, int is_reversed, ucpo_error *err)
{
    if (len > p->room)
        return status_fail(err, UCPO_E_INTERNAL, "a plan of %zu nodes, room for %zu", len, p->room);
    int is_claimed = violation >= 0.0, is_feasible = is_claimed && violation <= 0.0, is_new = 0;
    len = solve_plain_plan(nodes, len, is_reversed, p->draft);
    uint64_t hash = solve_plan_hash(p->draft, len);
    ucpo_status st = remember(p, hash, &is_new, err);
    if (st) return st;
    int is_kept = is_new && (!is_claimed || p->count < SOLVE_POOL ||
                             is_better(objective, violation, &p->item[SOLVE_POOL - 1]));
    ucpo_evaluation check = {.is_feasible = is_feasible};
    if (is_kept || !is_claimed)
        st = ucpo_check(p->inst, p->draft, len, &check, NULL, 0, NULL, 0, err);
    if (st) return st;
    p->candidates++;
    p->feasible += check.is_feasible;
    p->disputed += is_claimed && check.is_feasible != is_feasible;
    if (is_kept || !is_claimed) {
        objective = check.cost / p->inst->data.unit;
        violation = check.is_feasible ? 0.0 : check.violation;
    }
    p->last_objective = objective;
    p->last_violation = violation;
    if (is_kept) put(p, len, check.cost, violation, hash);
    return UCPO_OK;
}
