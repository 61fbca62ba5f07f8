/* What is known of an instance before any plan, against its definition; and that searches may share it. */
#include "core/par.h"
#include "refine/search.h"
#include "support/random_instance.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

static const char *const problems[] = {"tsptw", "tspdl", "cvrptw", "cvrptwlv", "cvrp"};

enum { PROBLEMS = sizeof problems / sizeof problems[0] };

static struct ground *created(const ucpo_instance *inst)
{
    struct ground *g = NULL;
    ucpo_error err = {0};
    assert_ok(ground_create(inst, NULL, &g, &err), &err);
    return g;
}

static ucpo_dataset *generated(const char *problem, int size)
{
    ucpo_generate_config c = ucpo_generate_config_default();
    ucpo_dataset *set = NULL;
    ucpo_error err = {0};
    c.problem = problem, c.size = size;
    assert_ok(ucpo_generate(&c, &set, &err), &err);
    return set;
}

/* What a leg takes, from the definition in ground.h. */
static double defined_leg(const ucpo_instance *inst, int is_tour, int32_t i, int32_t j)
{
    const ucpo_instance_data *d = &inst->data;
    if (is_tour && !d->due) return d->demand && j > 0 ? d->demand[j] : 0.0;
    double service = is_tour && d->service && i > 0 ? d->service[i] : 0.0;
    return service + ucpo_instance_duration(inst, i, j);
}

static void assert_tables(const struct ground *g)
{
    for (int32_t i = 0; i < g->n; i++)
        for (int32_t j = 0; j < g->n; j++) {
            size_t turned = (size_t)j * (size_t)g->n + (size_t)i;
            double cost = ucpo_instance_cost(g->inst, i, j);
            double leg = defined_leg(g->inst, g->is_tour, i, j);
            if (i == j && i > 0) continue; /* nobody asks */
            assert_close(ground_cost(g, i, j), cost, 1e-12, 0.0);
            assert_close(ground_leg(g, i, j), leg, 1e-12, 0.0);
            if (g->cost_into) assert_true(g->cost_into[turned] == ground_cost(g, i, j));
            if (g->leg_into) assert_true(g->leg_into[turned] == ground_leg(g, i, j));
        }
}

static void costs_and_legs_are_those_of_the_instance(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        const struct prob_ops *ops = prob_find(problems[seed % PROBLEMS]);
        ucpo_instance *inst = test_random_instance(ops, 4 + (int32_t)(seed % 20),
                                                   (enum test_shape)(seed / 2 % SHAPE_COUNT), seed);
        struct ground *g = created(inst);
        assert_tables(g);
        ground_free(g);
        ucpo_instance_free(inst);
    }
}

/* Matrices may hold anything where nobody goes. A route without customers costs nothing. */
static void staying_at_the_depot_costs_nothing(void **state)
{
    (void)state;

    enum { N = 5 };

    double cost[N * N], ready[N] = {0}, due[N], demand[N] = {0, 1, 1, 1, 1};
    for (int i = 0; i < N * N; i++) cost[i] = i / N == i % N ? 99.0 : 10.0 + i;
    for (int i = 0; i < N; i++) due[i] = 1000.0;
    for (int kind = 0; kind < 2; kind++) {
        ucpo_instance_data d = ucpo_instance_data_default();
        d.problem = kind ? "cvrptw" : "tsptw", d.n = N, d.cost = cost, d.ready = ready, d.due = due;
        if (kind) d.demand = demand, d.capacity = 3.0;
        ucpo_instance *inst = NULL;
        ucpo_error err = {0};
        assert_ok(ucpo_instance_create(&d, &inst, &err), &err);
        struct ground *g = created(inst);
        assert_true(ground_cost(g, 0, 0) == 0.0);
        assert_tables(g);
        ground_free(g);
        ucpo_instance_free(inst);
    }
}

/* ---- neighbours ---- */

static double defined_distance(const struct ground *g, int32_t i, int32_t j)
{
    double least = HUGE_VAL;
    for (int way = 0; way < 2; way++) {
        int32_t a = way ? j : i, b = way ? i : j;
        const struct site *from = &g->site[a], *to = &g->site[b];
        double leg = from->service + ground_leg(g, a, b), more = 0.0;
        if (g->inst->data.due)
            more = 0.2 * fmax(to->ready - leg - from->due, 0.0) +
                   fmax(from->ready + leg - to->due, 0.0);
        least = fmin(least, ground_cost(g, a, b) + g->scale * more);
    }
    return least;
}

/* Sorted, nobody twice; returns how many of them are among the nearest there are. */
static int32_t count_nearest(const struct ground *g, int32_t i)
{
    const int32_t *near = ground_near(g, i);
    int32_t found = 0, first = g->is_tour ? 0 : 1, *all = malloc((size_t)g->n * sizeof *all);
    double *key = malloc((size_t)g->n * sizeof *key);
    assert_true(all && key);
    int32_t count = 0;
    for (int32_t j = first; j < g->n; j++)
        if (j != i) all[count++] = j, key[j] = defined_distance(g, i, j);
    sort_by_key(all, count, key);
    assert_true(g->nears <= count);
    double last = g->nears > 0 ? key[all[g->nears - 1]] : 0.0;
    for (int32_t k = 0; k < g->nears; k++) {
        assert_true(near[k] >= first && near[k] < g->n && near[k] != i);
        if (k > 0)
            assert_true(key[near[k - 1]] < key[near[k]] ||
                        (key[near[k - 1]] == key[near[k]] && near[k - 1] < near[k]));
        found += key[near[k]] <= last;
    }
    free(all);
    free(key);
    return found;
}

static void assert_nearest(const ucpo_instance *inst)
{
    struct ground *g = created(inst);
    for (int32_t i = !g->is_tour; i < g->n; i++) assert_int_equal(count_nearest(g, i), g->nears);
    ground_free(g);
}

static void neighbours_are_the_nearest_by_way_and_time(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        const struct prob_ops *ops = prob_find(problems[seed % PROBLEMS]);
        ucpo_instance *inst = test_random_instance(ops, 4 + (int32_t)(seed % 12),
                                                   (enum test_shape)(seed / 2 % SHAPE_COUNT), seed);
        assert_nearest(inst);
        ucpo_instance_free(inst);
    }
    for (int p = 0; p < PROBLEMS; p++) {
        ucpo_dataset *set = generated(problems[p], 150);
        assert_nearest(ucpo_dataset_at(set, 0));
        ucpo_dataset_free(set);
    }
}

/* From a grid, which knows no time: most of the nearest all the same. */
static void neighbours_of_many_are_mostly_the_nearest(void **state)
{
    (void)state;
    for (int p = 0; p < PROBLEMS; p++) {
        ucpo_dataset *set = generated(problems[p], 2200);
        struct ground *g = created(ucpo_dataset_at(set, 0));
        int64_t found = 0, all = 0;
        assert_null(g->cost);
        for (int32_t i = !g->is_tour; i < g->n; i += 150, all += g->nears)
            found += count_nearest(g, i);
        assert_true(10 * found >= 4 * all);
        ground_free(g);
        ucpo_dataset_free(set);
    }
}

static void equal_keys_are_sorted_by_number(void **state)
{
    (void)state;
    struct rng rng = rng_at(1, RNG_TEST, 12);
    for (int32_t count = 0; count < 40; count++) {
        int32_t item[40];
        double key[40];
        for (int32_t k = 0; k < count; k++) item[k] = count - 1 - k, key[k] = rng_below(&rng, 5);
        sort_by_key(item, count, key);
        for (int32_t k = 1; k < count; k++) {
            int32_t a = item[k - 1], b = item[k];
            assert_true(key[a] < key[b] || (key[a] == key[b] && a < b));
        }
    }
}

/* ---- shared ---- */

enum { SEARCHES = 4, SIZE = 40 };

struct wave {
    const struct ground *ground;
    int32_t nodes[SEARCHES][2 * SIZE];
    size_t len[SEARCHES];
};

static ucpo_status search_on(void *context, size_t begin, size_t end, int thread, ucpo_error *err)
{
    struct wave *w = context;
    struct refine *refine = NULL;
    (void)end, (void)thread;
    ucpo_status st = refine_create_on(w->ground, &refine, err);
    if (!st) st = refine_start(refine, NULL, 0, 5 + begin, err);
    if (st) return st;
    refine_run(refine, 60000, NULL);
    struct refined best = refine_best(refine);
    memcpy(w->nodes[begin], best.nodes, best.len * sizeof *best.nodes);
    w->len[begin] = best.len;
    refine_free(refine);
    return UCPO_OK;
}

/* Several at once on one ground find what each finds on ground of its own. */
static void searches_share_their_ground(void **state)
{
    (void)state;
    for (int p = 0; p < PROBLEMS; p++) {
        ucpo_dataset *set = generated(problems[p], SIZE - 1);
        const ucpo_instance *inst = ucpo_dataset_at(set, 0)->load;
        struct ground *g = created(inst);
        struct wave wave = {.ground = g};
        ucpo_error err = {0};
        assert_ok(par_run(SEARCHES, 1, 2, NULL, search_on, &wave, &err), &err);
        for (size_t k = 0; k < SEARCHES; k++) {
            struct refine *own = NULL;
            assert_ok(refine_create(inst, NULL, &own, &err), &err);
            assert_ok(refine_start(own, NULL, 0, 5 + k, &err), &err);
            refine_run(own, 60000, NULL);
            struct refined best = refine_best(own);
            assert_int_equal(best.len, wave.len[k]);
            assert_memory_equal(best.nodes, wave.nodes[k], best.len * sizeof *best.nodes);
            refine_free(own);
        }
        ground_free(g);
        ucpo_dataset_free(set);
    }
}

/* Ground that is bound anew, and searches that move to other ground. */
static void a_search_moves_to_other_ground(void **state)
{
    (void)state;
    ucpo_dataset *first = generated("tsptw", 12), *second = generated("tsptw", 30);
    ucpo_dataset *fleet = generated("cvrptw", 12);
    struct ground *g = created(ucpo_dataset_at(first, 0)), *f = created(ucpo_dataset_at(fleet, 0));
    struct refine *refine = NULL;
    ucpo_error err = {0};
    assert_ok(refine_create_on(g, &refine, &err), &err);
    assert_int_equal(refine_bind_on(refine, f, &err), UCPO_E_MISMATCH);
    assert_ok(ground_bind(g, ucpo_dataset_at(second, 0), NULL, &err), &err);
    assert_ok(refine_bind_on(refine, g, &err), &err);
    assert_ok(refine_start(refine, NULL, 0, 1, &err), &err);
    refine_run(refine, 20000, NULL);
    assert_int_equal(refine_best(refine).len, 29);
    refine_free(refine);
    ground_free(g);
    ground_free(f);
    ucpo_dataset_free(first);
    ucpo_dataset_free(second);
    ucpo_dataset_free(fleet);
}

static int says_yes_at_last(void *user)
{
    int *left = user;
    return (*left)-- <= 0;
}

static void making_ground_can_be_stopped(void **state)
{
    (void)state;
    ucpo_dataset *set = generated("tsptw", 30);
    for (int k = 0; k < 60; k += 20) { /* 30 rows of tables, 30 of neighbours */
        int left = k;
        const struct stop stop = {.ask = says_yes_at_last, .user = &left};
        struct ground *g = NULL;
        assert_int_equal(ground_create(ucpo_dataset_at(set, 0), &stop, &g, NULL), UCPO_E_CANCELLED);
        assert_null(g);
    }
    ucpo_dataset_free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs_and_legs_are_those_of_the_instance),
        cmocka_unit_test(staying_at_the_depot_costs_nothing),
        cmocka_unit_test(neighbours_are_the_nearest_by_way_and_time),
        cmocka_unit_test(neighbours_of_many_are_mostly_the_nearest),
        cmocka_unit_test(equal_keys_are_sorted_by_number),
        cmocka_unit_test(searches_share_their_ground),
        cmocka_unit_test(a_search_moves_to_other_ground),
        cmocka_unit_test(making_ground_can_be_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
