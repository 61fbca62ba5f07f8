#include "support/small.h"

#include "core/rng.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>

struct draft {
    int32_t n;
    struct rng rng;
    double grain; /* 1: whole numbers, 0.25: quarters */
    double cost[SMALL_NODES][SMALL_NODES], duration[SMALL_NODES][SMALL_NODES];
    double ready[SMALL_NODES], due[SMALL_NODES], service[SMALL_NODES];
    double demand[SMALL_NODES], limit[SMALL_NODES];
};

static int one_in(struct draft *a, uint32_t count)
{
    return rng_below(&a->rng, count) == 0;
}

/* low .. high - 1 */
static double pick(struct draft *a, int low, int high)
{
    uint32_t steps = (uint32_t)((high - low) / a->grain);
    return low + a->grain * rng_below(&a->rng, steps > 0 ? steps : 1);
}

static void fill_matrix(struct draft *a, double m[SMALL_NODES][SMALL_NODES], unsigned with)
{
    int is_symmetric = one_in(a, 4);
    for (int32_t i = 0; i < a->n; i++)
        for (int32_t j = 0; j < a->n; j++) {
            m[i][j] = is_symmetric && j < i ? m[j][i] : pick(a, one_in(a, 10) ? 0 : 1, 10);
            if (i == j) m[i][j] = 0.0;
        }
    for (int32_t k = 0; with & SMALL_METRIC && k < a->n; k++)
        for (int32_t i = 0; i < a->n; i++)
            for (int32_t j = 0; j < a->n; j++) m[i][j] = fmin(m[i][j], m[i][k] + m[k][j]);
}

/* The hidden plan is 1, 2, 3, ... in one route (fleets: in two). */
static void fill_nodes(struct draft *a, int is_fleet, int with_deadlines)
{
    double time = pick(a, 0, 4), load = 0.0;
    int width = 1 + (int)rng_below(&a->rng, 12);
    a->ready[0] = one_in(a, 3) ? time : 0.0;
    time = a->ready[0];
    for (int32_t i = 1; i < a->n; i++) {
        int32_t from = is_fleet && i == 1 + a->n / 2 ? 0 : i - 1;
        if (from == 0) time = a->ready[0];
        time += a->duration[from][i] + (from ? a->service[from] : 0.0);
        a->service[i] = one_in(a, 2) ? pick(a, 0, 4) : 0.0;
        a->demand[i] = one_in(a, 5) ? 0.0 : pick(a, 1, 5);
        load += a->demand[i];
        a->ready[i] = fmax(0.0, time - pick(a, 0, width));
        a->due[i] = fmax(a->ready[i], time + pick(a, 0, width));
        if (one_in(a, 12)) a->due[i] = fmax(a->ready[i], a->due[i] - pick(a, 1, 4));
        if (!with_deadlines && one_in(a, 3)) a->due[i] = HUGE_VAL;
        a->limit[i] = load + pick(a, 0, 4);
        if (one_in(a, 8)) a->limit[i] = fmax(0.0, a->limit[i] - pick(a, 1, 4));
        time = fmax(time, a->ready[i]);
    }
    a->service[0] = one_in(a, 4) ? 3.0 : 0.0; /* means nothing */
    a->due[0] = one_in(a, 3)
                    ? HUGE_VAL
                    : time + a->service[a->n - 1] + a->duration[a->n - 1][0] + pick(a, 0, 9);
    a->limit[0] = load + (one_in(a, 12) ? -1.0 : pick(a, 0, 2));
    if (a->limit[0] < 0.0) a->limit[0] = 0.0;
}

/* A customer's load moves by half or by twice what is tolerated. */
static void nudge_loads(struct draft *a, double tolerance)
{
    static const double by[] = {0.5, 2.0, -0.5, -2.0};
    for (int32_t i = 1; i < a->n; i++)
        if (a->demand[i] >= 1.0) a->demand[i] += tolerance * by[rng_below(&a->rng, 4)];
}

ucpo_instance *test_small_instance(const struct prob_ops *ops, int32_t n, unsigned with,
                                   uint64_t seed)
{
    static const double tolerances[] = {0.0, 0.0, 0.5, 1.0, -1.0};
    struct draft a = {.n = n, .rng = rng_at(seed, RNG_TEST, 4000 + with * 16 + (uint64_t)n)};
    double cost[SMALL_NODES * SMALL_NODES], duration[SMALL_NODES * SMALL_NODES];
    ucpo_instance_data d = ucpo_instance_data_default();
    assert_true(n <= SMALL_NODES);
    a.grain = with & SMALL_BROKEN || one_in(&a, 3) ? 0.25 : 1.0;
    fill_matrix(&a, a.cost, with);
    int has_times = ops->needs & PROB_WINDOWS && one_in(&a, 2), has_speed = one_in(&a, 4);
    fill_matrix(&a, a.duration, with);
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++) {
            if (!has_times) a.duration[i][j] = a.cost[i][j] / (has_speed ? 2.0 : 1.0);
            int is_gap = with & SMALL_GAPS && i != j && one_in(&a, 6);
            cost[i * n + j] = is_gap ? HUGE_VAL : a.cost[i][j];
            duration[i * n + j] = is_gap ? HUGE_VAL : a.duration[i][j];
        }
    fill_nodes(&a, !ops->max_vehicles, one_in(&a, 2));
    d.problem = ops->info.name, d.n = n, d.cost = cost;
    if (has_times) d.duration = duration;
    if (!has_times && has_speed && ops->needs & PROB_WINDOWS) d.speed = 2.0;
    if (ops->needs & PROB_WINDOWS) d.ready = a.ready, d.due = a.due, d.service = a.service;
    if (ops->needs & PROB_DEMAND) d.demand = a.demand;
    if (ops->needs & PROB_LIMIT) d.limit = a.limit;
    if (ops->needs & PROB_CAPACITY) d.capacity = pick(&a, 4, 11);
    if (ops->needs & PROB_FLEET) d.vehicles = 1 + (int32_t)rng_below(&a.rng, 3);
    if (ops->needs & PROB_LIMIT && one_in(&a, 2)) d.draft = UCPO_DRAFT_UNLOAD;
    static const double heavy[] = {5, 8, 9, 16};
    double weight = with & SMALL_HEAVY ? heavy[rng_below(&a.rng, 4)] : 1.0;
    for (int32_t i = 0; i < n; i++) a.demand[i] *= weight, a.limit[i] *= weight;
    d.capacity *= weight;
    d.tolerance = tolerances[rng_below(&a.rng, 5)];
    d.unit = one_in(&a, 2) ? 8.0 : 0.0;
    if (with & SMALL_BROKEN && one_in(&a, 2)) nudge_loads(&a, 1e-9 * 8.0);
    ucpo_instance *inst = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_instance_create(&d, &inst, &err), &err);
    return inst;
}

/* ---- all plans ---- */

struct search {
    const ucpo_instance *inst;
    test_plan_fn *visit;
    void *user;
    int32_t order[SMALL_NODES];
    uint8_t visited[SMALL_NODES];
};

static void cut(struct search *s)
{
    int32_t customers = s->inst->data.n - 1, plan[2 * SMALL_NODES];
    unsigned cuts = s->inst->ops->max_vehicles == 1 ? 1u : 1u << (customers - 1);
    for (unsigned mask = 0; mask < cuts; mask++) {
        size_t len = 0;
        for (int32_t k = 0; k < customers; k++) {
            plan[len++] = s->order[k];
            if (mask >> k & 1) plan[len++] = 0;
        }
        ucpo_evaluation e;
        prob_check(s->inst, plan, len, &e, s->visited, NULL, 0, NULL, 0);
        s->visit(s->user, s->inst, plan, len, &e);
    }
}

static void permute(struct search *s, int32_t at)
{
    int32_t customers = s->inst->data.n - 1;
    if (at == customers) cut(s);
    for (int32_t k = at; k < customers; k++) {
        int32_t first = s->order[at], other = s->order[k];
        s->order[at] = other, s->order[k] = first;
        permute(s, at + 1);
        s->order[at] = first, s->order[k] = other;
    }
}

void test_each_plan(const ucpo_instance *inst, test_plan_fn *visit, void *user)
{
    struct search s = {.inst = inst, .visit = visit, .user = user};
    assert_true(inst->data.n <= SMALL_NODES);
    for (int32_t k = 0; k + 1 < inst->data.n; k++) s.order[k] = k + 1;
    permute(&s, 0);
}

static void keep_least(void *user, const ucpo_instance *inst, const int32_t *plan, size_t len,
                       const ucpo_evaluation *eval)
{
    double *least = user;
    (void)inst, (void)plan, (void)len;
    if (eval->is_feasible && eval->cost < *least) *least = eval->cost;
}

double test_least_cost(const ucpo_instance *inst)
{
    double least = HUGE_VAL;
    test_each_plan(inst, keep_least, &least);
    return least;
}
