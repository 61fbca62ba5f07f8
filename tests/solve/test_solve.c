/* The solver: the same answer on any number of threads, and none called feasible that is not. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/model.h"
#include "problem/problem.h"
#include "refine/refine.h"
#include "support/random_instance.h"
#include "support/support.h"

static ucpo_model *tiny_model(const char *problem)
{
    ucpo_model_config c = ucpo_model_config_default(problem);
    c.width = 16, c.heads = 2, c.hidden = 8, c.layers = 1;
    ucpo_model *model = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_model_create(&c, 3, &model, &err), &err);
    return model;
}

static ucpo_solution *solve(const ucpo_model *model, const ucpo_instance *inst,
                            const ucpo_solve_config *config)
{
    ucpo_solution *s = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_solve(model, inst, config, &s, &err), &err);
    return s;
}

static void assert_honest(const ucpo_instance *inst, const ucpo_solution *s)
{
    ucpo_evaluation e;
    assert_int_equal(ucpo_check(inst, s->nodes, s->len, &e, NULL, 0, NULL, 0, NULL), UCPO_OK);
    assert_int_equal(e.is_feasible, s->evaluation.is_feasible);
    assert_int_equal(e.missing + e.duplicates + e.unknown, 0);
    assert_true(e.cost == s->evaluation.cost && e.violation == s->evaluation.violation);
    assert_int_equal(s->disputed, 0);
    assert_true(s->feasible <= s->candidates && s->distinct <= s->candidates && s->distinct > 0);
    assert_int_equal(s->feasible > 0, e.is_feasible);
}

static void assert_same(const ucpo_solution *a, const ucpo_solution *b)
{
    assert_int_equal(a->len, b->len);
    assert_memory_equal(a->nodes, b->nodes, a->len * sizeof *a->nodes);
    assert_int_equal(a->candidates, b->candidates);
    assert_int_equal(a->distinct, b->distinct);
    assert_int_equal(a->feasible, b->feasible);
    assert_int_equal(a->rounds, b->rounds);
    assert_int_equal(a->searches, b->searches);
}

static void threads_do_not_change_the_answer(void **state)
{
    (void)state;
    for (size_t p = 0; p < prob_registry_count; p++) {
        ucpo_model *model = tiny_model(prob_registry[p]->info.name);
        for (int shape = 0; shape < SHAPE_COUNT; shape++) {
            ucpo_instance *inst =
                test_random_instance(prob_registry[p], 14, (enum test_shape)shape, 7);
            ucpo_solve_config c = ucpo_solve_config_default();
            c.samples = 70, c.augment = 1 + (int)(p + (size_t)shape) % 8;
            c.first_feasible = shape == 1;
            ucpo_solution *one, *two;
            c.threads = 1, one = solve(model, inst, &c);
            c.threads = 2, two = solve(model, inst, &c);
            assert_same(one, two);
            ucpo_solution_free(two);
            c.threads = 3, two = solve(model, inst, &c);
            assert_same(one, two);
            ucpo_solution_free(one);
            ucpo_solution_free(two);
            ucpo_instance_free(inst);
        }
        ucpo_model_free(model);
    }
}

static void no_answer_is_called_feasible_that_is_not(void **state)
{
    (void)state;
    uint64_t searched = test_is_full() ? 4 : 16; /* local search is what takes the time */
    for (size_t p = 0; p < prob_registry_count; p++) {
        ucpo_model *model = tiny_model(prob_registry[p]->info.name);
        size_t feasible = 0, infeasible = 0;
        for (uint64_t i = 0; i < 1000; i++) {
            ucpo_instance *inst = test_random_instance(prob_registry[p], 4 + (int32_t)(i % 9),
                                                       (enum test_shape)(i % SHAPE_COUNT), i);
            ucpo_solve_config c = ucpo_solve_config_default();
            c.samples = 4, c.augment = 2, c.threads = 1, c.seed = i, c.refine = i % searched == 0;
            ucpo_solution *s = solve(i % 5 ? model : NULL, inst, &c);
            assert_honest(inst, s);
            feasible += s->evaluation.is_feasible != 0;
            infeasible += !s->evaluation.is_feasible;
            ucpo_solution_free(s);
            ucpo_instance_free(inst);
        }
        assert_true(feasible > 100);
        if (prob_registry[p]->needs & PROB_KIND) assert_true(infeasible > 0);
        ucpo_model_free(model);
    }
}

static void candidates_are_counted(void **state)
{
    (void)state;
    ucpo_model *model = tiny_model("tsptw");
    ucpo_instance *inst = test_random_instance(prob_find("tsptw"), 12, SHAPE_GENERATED, 5);
    ucpo_solve_config c = ucpo_solve_config_default();
    ucpo_solution *s = solve(model, inst, NULL); /* rules, greedy, samples, two waves of searches */
    assert_int_equal(s->candidates, 7 + 8 + 8 * 12 + 2 * 4);
    assert_int_equal(s->searches, 2 * 4);
    assert_int_equal(s->end, UCPO_SOLVE_FINISHED);
    assert_int_equal(s->images, 8);
    ucpo_solution_free(s);
    c.greedy = 1, c.augment = 3, c.refine = 0;
    s = solve(model, inst, &c);
    assert_int_equal(s->candidates, 7 + 3);
    assert_int_equal(s->rounds, 1);
    ucpo_solution_free(s);
    c.greedy = 0, c.samples = 1000;
    s = solve(model, inst, &c);
    assert_int_equal(s->candidates, 7 + 3 + 3 * 1000);
    ucpo_solution_free(s);
    s = solve(NULL, inst, &c);
    assert_int_equal(s->candidates, 7);
    assert_int_equal(s->rounds + s->images, 0);
    ucpo_solution_free(s);
    ucpo_instance_free(inst);
    ucpo_model_free(model);
}

struct seen {
    int64_t count, feasible;
    double best; /* cost of the best feasible one */
};

static void note_candidate(void *user, double cost, double violation)
{
    struct seen *seen = user;
    assert_true(isfinite(cost) && cost > 0.0 && isfinite(violation) && violation >= 0.0);
    seen->count++;
    seen->feasible += violation == 0.0;
    if (violation == 0.0) seen->best = fmin(seen->best, cost);
}

static void every_candidate_is_shown(void **state)
{
    (void)state;
    for (size_t p = 0; p < prob_registry_count; p++) {
        ucpo_model *model = tiny_model(prob_registry[p]->info.name);
        ucpo_instance *inst = test_random_instance(prob_registry[p], 9, (enum test_shape)0, 7);
        struct seen seen = {.best = HUGE_VAL};
        ucpo_solve_config c = ucpo_solve_config_default();
        c.samples = 40, c.candidate = note_candidate, c.user = &seen;
        ucpo_solution *s = solve(model, inst, &c);
        assert_int_equal(seen.count, s->candidates);
        assert_int_equal(seen.feasible, s->feasible);
        if (s->evaluation.is_feasible) assert_close(seen.best, s->evaluation.cost, 1e-6, 0);
        ucpo_solution_free(s);
        ucpo_instance_free(inst);
        ucpo_model_free(model);
    }
}

struct last {
    int count;
    double cost;
};

static void keep_last(void *user, double cost, double violation)
{
    struct last *last = user;
    (void)violation;
    last->count++;
    last->cost = cost;
}

/* Also with a side network, whose weights reach a thread by a way of its own. */
static void the_greedy_plan_is_that_of_an_evaluation(void **state)
{
    (void)state;
    ucpo_error err = {0};
    for (size_t p = 0; p < prob_registry_count; p++) {
        const char *problem = prob_registry[p]->info.name;
        ucpo_model_config mc = ucpo_model_config_default(problem);
        mc.width = 16, mc.heads = 2, mc.hidden = 8, mc.layers = 0, mc.decision = 8;
        mc.decision_glimpse = p % 2 != 0;
        ucpo_model *model = NULL;
        assert_ok(ucpo_model_create(&mc, 3, &model, &err), &err);
        const struct nn_tensor *w2 = &model->net.tensor[model->net.tensors - 1]; /* or V */
        for (size_t i = 0; i < w2->count; i++)
            model->params[w2->offset + i] = (real)(3.0 * sin(2.0 + 3.0 * (double)i));
        ucpo_generate_config g = ucpo_generate_config_default();
        g.problem = problem, g.size = 20, g.count = 1;
        ucpo_dataset *set = NULL;
        assert_ok(ucpo_generate(&g, &set, &err), &err);
        ucpo_eval_config ec = ucpo_eval_config_default();
        ucpo_eval_record record;
        ec.greedy = 1, ec.augment = 1, ec.backtrack = 50;
        assert_ok(ucpo_evaluate(model, set, &ec, &record, NULL, &err), &err);
        struct last last = {0};
        ucpo_solve_config c = ucpo_solve_config_default();
        c.greedy = 1, c.augment = 1, c.refine = 0, c.candidate = keep_last, c.user = &last;
        const ucpo_instance *inst = ucpo_dataset_at(set, 0);
        ucpo_solution_free(solve(model, inst, &c));
        assert_close(last.cost, record.first_objective * inst->data.unit, 1e-9, 0);
        ucpo_dataset_free(set);
        ucpo_model_free(model);
    }
}

static void more_samples_are_never_worse(void **state)
{
    (void)state;
    ucpo_model *model = tiny_model("cvrptw");
    ucpo_instance *inst = test_random_instance(prob_find("cvrptw"), 13, SHAPE_GENERATED, 5);
    ucpo_solve_config c = ucpo_solve_config_default();
    c.refine = 0; /* other starts, other ends */
    double before = HUGE_VAL;
    for (c.samples = 1; c.samples <= 512; c.samples *= 8) {
        ucpo_solution *s = solve(model, inst, &c);
        assert_true(s->evaluation.is_feasible && s->evaluation.cost <= before);
        before = s->evaluation.cost;
        ucpo_solution_free(s);
    }
    ucpo_instance_free(inst);
    ucpo_model_free(model);
}

/* Not worse than without it, and better often enough to be worth its time. */
static void local_search_improves(void **state)
{
    (void)state;
    for (size_t p = 0; p < prob_registry_count; p++) {
        ucpo_model *model = tiny_model(prob_registry[p]->info.name);
        int better = 0;
        for (uint64_t i = 0; i < 20; i++) {
            ucpo_instance *inst = test_random_instance(prob_registry[p], 20, SHAPE_GENERATED, i);
            ucpo_solve_config c = ucpo_solve_config_default();
            c.samples = 2, c.augment = 1, c.threads = 1, c.refine = 0;
            ucpo_solution *before = solve(model, inst, &c);
            assert_int_equal(before->searches, 0);
            c.refine = 1;
            ucpo_solution *after = solve(model, inst, &c);
            assert_honest(inst, after);
            assert_true(isnan(after->start_cost) == !before->evaluation.is_feasible);
            if (before->evaluation.is_feasible)
                assert_close(after->start_cost, before->evaluation.cost, 1e-12, 0);
            int order = ucpo_compare(NULL, after->evaluation.cost, after->evaluation.violation,
                                     before->evaluation.cost, before->evaluation.violation);
            assert_true(order <= 0);
            better += order < 0;
            ucpo_solution_free(before);
            ucpo_solution_free(after);
            ucpo_instance_free(inst);
        }
        assert_true(better >= 10);
        ucpo_model_free(model);
    }
}

static void the_answer_is_never_worse_than_the_initial_plan(void **state)
{
    (void)state;
    for (size_t p = 0; p < prob_registry_count; p++) {
        ucpo_model *model = tiny_model(prob_registry[p]->info.name);
        ucpo_instance *inst = test_random_instance(prob_registry[p], 10, SHAPE_GENERATED, 9);
        ucpo_solve_config c = ucpo_solve_config_default();
        c.samples = 3000;
        ucpo_solution *good = solve(model, inst, &c), *again;
        c.initial = good->nodes, c.initial_len = good->len;
        c.greedy = 1, c.prove = 0;
        again = solve(NULL, inst, &c);
        assert_true(ucpo_compare(NULL, again->evaluation.cost, again->evaluation.violation,
                                 good->evaluation.cost, good->evaluation.violation) <= 0);
        ucpo_solution_free(again);
        int32_t partial[40] = {0, 0, 1, 1, 99}; /* missing, twice, unknown, long: never an error */
        c.initial = partial, c.initial_len = 40;
        again = solve(NULL, inst, &c);
        assert_int_equal(again->evaluation.missing, 0);
        assert_int_equal(again->candidates, 8 + 2 * 4);
        ucpo_solution_free(again);
        ucpo_solution_free(good);
        ucpo_instance_free(inst);
        ucpo_model_free(model);
    }
}

static int stop_at_third(void *user, size_t done, size_t total)
{
    assert_true(done < total);
    return ++*(int *)user >= 3;
}

static void note_best(void *user, const ucpo_solve_progress *best)
{
    (void)user;
    assert_true(best->len > 0 && best->candidates > 0);
}

static void callbacks_end_the_search_with_an_answer(void **state)
{
    (void)state;
    int asked = 0;
    ucpo_model *model = tiny_model("tspdl");
    ucpo_instance *inst = test_random_instance(prob_find("tspdl"), 40, SHAPE_GENERATED, 5);
    ucpo_solve_config c = ucpo_solve_config_default();
    c.samples = 100000000, c.hooks.progress = stop_at_third, c.hooks.user = &asked;
    c.improved = note_best;
    ucpo_solution *s = solve(model, inst, &c);
    assert_int_equal(s->end, UCPO_SOLVE_STOPPED);
    assert_int_equal(asked, 3);
    assert_honest(inst, s);
    ucpo_solution_free(s);
    c.hooks.progress = NULL, c.time_limit = 0.05;
    s = solve(model, inst, &c);
    assert_int_equal(s->end, UCPO_SOLVE_TIME);
    assert_honest(inst, s);
    ucpo_solution_free(s);
    c.time_limit = 1e-9; /* no time at all: still an answer, of all the rules */
    s = solve(model, inst, &c);
    assert_int_equal(s->end, UCPO_SOLVE_TIME);
    assert_int_equal(s->candidates, CONSTRUCT_RULES);
    assert_honest(inst, s);
    ucpo_solution_free(s);
    c.time_limit = 0.0, c.first_feasible = 1;
    s = solve(model, inst, &c);
    assert_int_equal(s->end, UCPO_SOLVE_FEASIBLE);
    assert_int_equal(s->feasible, 1);
    ucpo_solution_free(s);
    ucpo_instance_free(inst);
    ucpo_model_free(model);
}

static void ships_that_unload_get_plans_of_their_own_direction(void **state)
{
    (void)state;
    ucpo_model *model = tiny_model("tspdl");
    for (uint64_t i = 0; i < 20; i++) {
        ucpo_instance *inst = test_random_instance(prob_find("tspdl"), 9, SHAPE_MATRIX, i);
        ucpo_instance *mirror = NULL;
        assert_int_equal(ucpo_instance_mirror(inst, &mirror, NULL), UCPO_OK);
        ucpo_solve_config c = ucpo_solve_config_default();
        ucpo_solution *a = solve(model, inst, &c), *b = solve(model, mirror, &c);
        assert_honest(inst, a);
        assert_honest(mirror, b);
        ucpo_solution_free(a);
        ucpo_solution_free(b);
        ucpo_instance_free(inst);
        ucpo_instance_free(mirror);
    }
    ucpo_model_free(model);
}

/* ---- a solver that stays, and local search alone ---- */

/* Sizes go up and down and come back, settings change, so that workspaces are used again, fitted and made anew. */
static void a_solver_answers_like_a_single_call(void **state)
{
    (void)state;
    for (size_t p = 0; p < prob_registry_count; p++) {
        ucpo_model *model = tiny_model(prob_registry[p]->info.name);
        for (int has_model = 0; has_model < 2; has_model++) {
            ucpo_solver *solver = NULL;
            ucpo_error err = {0};
            assert_ok(ucpo_solver_create(has_model ? model : NULL, &solver, &err), &err);
            static const int sizes[] = {9, 9, 14, 9, 12, 12};
            for (uint64_t i = 0; i < 6; i++) {
                ucpo_instance *inst =
                    test_random_instance(prob_registry[p], sizes[i], SHAPE_MATRIX, i);
                ucpo_solve_config c = ucpo_solve_config_default();
                c.threads = i < 4 ? 2 : 1, c.augment = i == 3 ? 2 : 8, c.number = i;
                ucpo_solution *a = NULL;
                assert_ok(ucpo_solver_solve(solver, inst, &c, &a, &err), &err);
                ucpo_solution *b = solve(has_model ? model : NULL, inst, &c);
                assert_same(a, b);
                ucpo_solution_free(a);
                ucpo_solution_free(b);
                ucpo_instance_free(inst);
            }
            ucpo_solver_free(solver);
        }
        ucpo_model_free(model);
    }
}

static void a_plan_is_refined_and_never_made_worse(void **state)
{
    (void)state;
    int better = 0;
    for (size_t p = 0; p < prob_registry_count; p++) {
        for (uint64_t i = 0; i < 4; i++) {
            ucpo_instance *inst = test_random_instance(prob_registry[p], 14, SHAPE_MATRIX, i);
            int32_t plan[13];
            for (int k = 0; k < 13; k++) plan[k] = k + 1;
            ucpo_evaluation before;
            ucpo_error err = {0};
            assert_ok(ucpo_check(inst, plan, 13, &before, NULL, 0, NULL, 0, &err), &err);
            ucpo_refine_config c = ucpo_refine_config_default();
            c.moves = 20000;
            ucpo_solution *a = NULL, *b = NULL;
            assert_ok(ucpo_refine(inst, plan, 13, &c, &a, &err), &err);
            assert_ok(ucpo_refine(inst, plan, 13, &c, &b, &err), &err);
            assert_honest(inst, a);
            assert_same(a, b);
            assert_true(ucpo_compare(NULL, a->evaluation.cost, a->evaluation.violation, before.cost,
                                     before.violation) <= 0);
            assert_int_equal(a->searches, 1);
            assert_int_equal(a->end, UCPO_SOLVE_FINISHED);
            better +=
                a->evaluation.violation < before.violation || a->evaluation.cost < before.cost;
            ucpo_solution_free(a);
            ucpo_solution_free(b);
            c.moves = 0, c.time_limit = 0.05;
            assert_ok(ucpo_refine(inst, plan, 2, &c, &a, &err), &err); /* eleven are missing */
            if (a->searches) assert_honest(inst, a); /* else there was no time to begin */
            assert_int_equal(a->end, UCPO_SOLVE_TIME);
            ucpo_solution_free(a);
            c.moves = -1;
            a = NULL;
            assert_int_equal(ucpo_refine(inst, plan, 13, &c, &a, &err), UCPO_E_ARGUMENT);
            assert_null(a);
            ucpo_instance_free(inst);
        }
    }
    assert_true(better > 10);
}

/* ---- odd instances ---- */

static void try_all(const ucpo_instance_data *d)
{
    ucpo_error err = {0};
    ucpo_instance *inst = NULL;
    assert_ok(ucpo_instance_create(d, &inst, &err), &err);
    ucpo_model *model = tiny_model(d->problem);
    for (int k = 0; k < 2; k++) {
        ucpo_solution *s = solve(k ? model : NULL, inst, NULL);
        assert_honest(inst, s);
        ucpo_solution_free(s);
    }
    ucpo_model_free(model);
    ucpo_instance_free(inst);
}

static void odd_instances_are_solved(void **state)
{
    (void)state;
    const double zero[5] = {0}, ten[5] = {10, 10, 10, 10, 10}, negative[5] = {-9, -8, -8, -7, -7};
    const double matrix[25] = {0}, heavy[5] = {0, 10, 10, 10, 10};
    ucpo_instance_data d = ucpo_instance_data_default();
    d.problem = "tsptw", d.n = 2, d.x = zero, d.y = zero, d.ready = zero, d.due = ten;
    try_all(&d); /* one customer, at the depot */
    d.n = 5;
    try_all(&d); /* all at one place */
    d.due = zero;
    try_all(&d); /* windows without width */
    d.x = ten, d.y = negative, d.ready = negative, d.due = zero;
    try_all(&d); /* negative times and coordinates */
    d.x = d.y = NULL, d.cost = matrix;
    try_all(&d); /* nothing but zeros, no coordinates */
    d.problem = "cvrptw", d.demand = heavy, d.capacity = 1.0;
    try_all(&d); /* nothing fits: infeasible, but a plan */
    d.n = 2, d.demand = zero;
    try_all(&d);
}

static void large_instances_get_rules_within_their_time(void **state)
{
    (void)state;

    enum { N = 10000 };

    double *x = calloc(N, sizeof *x), *due = calloc(N, sizeof *due);
    double *ready = calloc(N, sizeof *ready);
    for (int i = 0; i < N; i++) x[i] = i * 7919 % N, due[i] = 1e9;
    ucpo_instance_data d = ucpo_instance_data_default();
    d.problem = "tsptw", d.n = N, d.x = x, d.y = ready, d.ready = ready, d.due = due;
    ucpo_instance *inst = NULL;
    ucpo_model *model = tiny_model("tsptw");
    assert_int_equal(ucpo_instance_create(&d, &inst, NULL), UCPO_OK);
    ucpo_solve_config c = ucpo_solve_config_default();
    c.time_limit = 0.1;
    ucpo_solution *s = solve(model, inst, &c);
    assert_int_equal(s->images, 0);
    assert_true(s->evaluation.is_feasible);
    assert_true(s->seconds < 5.0); /* how exactly: bench_solve */
    ucpo_solution_free(s);
    ucpo_model_free(model);
    ucpo_instance_free(inst);
    free(x);
    free(due);
    free(ready);
}

/* Hard windows are proved without and with a time limit, in either draft direction no plan is below its
 * bound, and who does not ask gets none. */
static void bounds_and_proofs(void **state)
{
    (void)state;
    int proved = 0;
    for (size_t p = 0; p < prob_registry_count; p++) {
        for (uint64_t seed = 1; seed < 6; seed++) {
            ucpo_instance *inst = test_random_instance(prob_registry[p], 25, SHAPE_GENERATED, seed);
            ucpo_solve_config c = ucpo_solve_config_default();
            ucpo_solution *s = solve(NULL, inst, &c);
            assert_honest(inst, s);
            assert_true(s->bound <= s->evaluation.cost * (1.0 + 1e-8));
            if (s->end == UCPO_SOLVE_OPTIMAL) {
                assert_true(fabs(s->bound - s->evaluation.cost) <= 1e-8 * s->evaluation.cost);
                c.prove = 0, c.samples = 200;
                ucpo_solution *other = solve(NULL, inst, &c);
                assert_true(other->bound == 0.0 && other->end == UCPO_SOLVE_FINISHED);
                if (other->evaluation.is_feasible)
                    assert_true(other->evaluation.cost >= s->bound * (1.0 - 1e-8));
                ucpo_solution_free(other);
                proved++;
            }
            ucpo_solution_free(s);
            ucpo_instance_free(inst);
        }
    }
    assert_true(proved > 3);
}

/* With nine customers there is one answer, however little time there is and whatever was asked for. */
static void nine_customers_are_solved_whatever_the_limits(void **state)
{
    (void)state;
    int feasible = 0, infeasible = 0;
    for (size_t p = 0; p < prob_registry_count; p++) {
        for (int shape = 0; shape < SHAPE_COUNT; shape++) {
            ucpo_instance *inst =
                test_random_instance(prob_registry[p], 10, (enum test_shape)shape, 3);
            ucpo_solution *first = NULL;
            for (int k = 0; k < 5; k++) {
                ucpo_solve_config c = ucpo_solve_config_default();
                c.time_limit = k == 1 ? 1e-9 : k == 2 ? 20.0 : 0.0; /* ends when it is proved */
                c.refine = k != 3, c.samples = k == 4, c.seed = (uint64_t)k;
                ucpo_solution *s = solve(NULL, inst, &c);
                assert_honest(inst, s);
                assert_int_equal(s->end, s->evaluation.is_feasible ? UCPO_SOLVE_OPTIMAL
                                                                   : UCPO_SOLVE_INFEASIBLE);
                assert_true(s->seconds < 10.0);
                if (s->evaluation.is_feasible) assert_true(s->bound == s->evaluation.cost);
                if (!first) first = s;
                assert_int_equal(s->end, first->end);
                if (s->evaluation.is_feasible)
                    assert_close(s->evaluation.cost, first->evaluation.cost, 1e-9, 0);
                if (s != first) ucpo_solution_free(s);
            }
            feasible += first->evaluation.is_feasible;
            infeasible += !first->evaluation.is_feasible;
            ucpo_solution_free(first);
            ucpo_instance_free(inst);
        }
    }
    assert_true(feasible > 4 && infeasible > 0);
}

/* Costs are sums: the same legs in another order differ by an ulp. */
static void a_bound_is_not_an_ulp_above_the_cost(void **state)
{
    (void)state;
    int bounded = 0;
    for (uint64_t i = 0; i < 400; i++) {
        const struct prob_ops *ops = prob_registry[i % prob_registry_count];
        enum test_shape shape = (enum test_shape)(i / 5 % SHAPE_COUNT);
        ucpo_instance *inst = test_random_instance(ops, 4 + (int32_t)(i % 12), shape, i);
        ucpo_solve_config c = ucpo_solve_config_default();
        c.threads = 1, c.time_limit = i % 2 ? 0.06 : 0.0;
        ucpo_solution *s = solve(NULL, inst, &c);
        if (s->evaluation.is_feasible) assert_true(s->bound <= s->evaluation.cost);
        if (s->end == UCPO_SOLVE_OPTIMAL) assert_true(s->bound == s->evaluation.cost);
        bounded += s->bound > 0.0;
        ucpo_solution_free(s);
        ucpo_instance_free(inst);
    }
    assert_true(bounded > 200);
}

/* What takes milliseconds without a limit is tried with one, between the waves or beside them. */
static void a_proof_is_tried_with_a_time_limit_too(void **state)
{
    (void)state;
    int proved = 0;
    for (uint64_t seed = 1; seed < 9; seed++) {
        ucpo_instance *inst = test_random_instance(prob_find(seed % 2 ? "tsptw" : "tspdl"), 14,
                                                   SHAPE_GENERATED, seed);
        ucpo_solve_config c = ucpo_solve_config_default();
        ucpo_solution *s = solve(NULL, inst, &c);
        int is_proved = s->end == UCPO_SOLVE_OPTIMAL;
        double cost = s->evaluation.cost;
        ucpo_solution_free(s);
        for (c.threads = 1; is_proved && c.threads < 3; c.threads++) {
            c.time_limit = 10.0;
            s = solve(NULL, inst, &c);
            assert_int_equal(s->end, UCPO_SOLVE_OPTIMAL);
            assert_close(s->evaluation.cost, cost, 1e-9, 0);
            ucpo_solution_free(s);
        }
        proved += is_proved;
        ucpo_instance_free(inst);
    }
    assert_true(proved > 4);
}

/* ---- news ---- */

struct news {
    int count, watched;
    double seconds, before, cost, first_cost; /* of the last, the one before it */
    double violation;
    int64_t first_candidates, rules;
    double least_of_rules; /* cheapest told while no search had ended */
};

static void note_news(void *user, const ucpo_solve_progress *best)
{
    struct news *n = user;
    assert_true(best->len > 0 && (best->violation == 0.0) == (best->is_feasible != 0));
    if (n->count == 0) n->first_candidates = best->candidates;
    if (n->count > 0) {
        assert_true(ucpo_compare(NULL, best->cost, best->violation, n->cost, n->violation) < 0);
        if (n->count > 1) assert_true(n->seconds - n->before >= 0.0999); /* but for the last one */
    }
    if (best->is_feasible) assert_true(best->bound <= best->cost);
    if (best->is_feasible && best->candidates <= n->rules) n->least_of_rules = best->cost;
    n->before = n->seconds;
    n->seconds = best->seconds;
    n->cost = best->cost;
    n->violation = best->violation;
    n->count++;
}

static void note_standing(void *user, const ucpo_solve_progress *now)
{
    assert_true(now->seconds >= 0.0);
    ((struct news *)user)->watched++;
}

/* Whether a better plan was told before any search had ended. */
static int listen(const ucpo_instance *inst, int threads, double limit)
{
    struct news news = {.rules = CONSTRUCT_RULES, .least_of_rules = HUGE_VAL};
    ucpo_solve_config c = ucpo_solve_config_default();
    c.time_limit = limit, c.threads = threads;
    c.improved = note_news, c.watch = note_standing, c.user = &news;
    ucpo_solution *s = solve(NULL, inst, &c);
    assert_honest(inst, s);
    assert_int_equal(news.first_candidates, 1); /* at once: before any search */
    assert_true(news.count <= 10.0 * s->seconds + 2.0 && news.watched <= 10.0 * s->seconds + 2.0);
    assert_true(news.watched > 1);
    assert_close(news.cost, s->evaluation.cost, 1e-12, 0); /* routes in another order */
    assert_close(news.violation, s->evaluation.violation, 1e-12, 0);
    int is_told = isnan(s->start_cost) || news.least_of_rules < s->start_cost;
    ucpo_solution_free(s);
    return is_told;
}

/* Strictly falling costs, ten a second and the last, also before the first search has ended; the last is the
 * answer. The fleet is large enough to be searched in parts. A machine that is busy gets more time. */
static void better_plans_are_told_while_the_search_goes_on(void **state)
{
    (void)state;
    static const char *const problems[] = {"tsptw", "cvrp", "tspdl", "cvrptw"};
    for (int k = 0; k < 4; k++) {
        int32_t n = 401; /* of fewer nodes a search may end within a tenth of a second */
        ucpo_instance *inst = test_random_instance(prob_find(problems[k]), n, SHAPE_GENERATED, 5);
        int is_told = inst->data.limit != NULL; /* its first searches are over too soon */
        is_told |= listen(inst, 1 + k % 2, 1.0);
        for (double limit = 4.0; !is_told && limit < 20.0; limit *= 4.0)
            is_told = listen(inst, 1 + k % 2, limit);
        assert_true(is_told);
        ucpo_instance_free(inst);
    }
}

static void listening_changes_no_answer(void **state)
{
    (void)state;
    for (size_t p = 0; p < prob_registry_count; p++) {
        ucpo_instance *inst = test_random_instance(prob_registry[p], 30, SHAPE_GENERATED, 11);
        struct news news = {.least_of_rules = HUGE_VAL};
        ucpo_solve_config c = ucpo_solve_config_default();
        c.threads = 2;
        ucpo_solution *silent = solve(NULL, inst, &c);
        c.improved = note_news, c.user = &news;
        ucpo_solution *told = solve(NULL, inst, &c);
        assert_same(silent, told);
        assert_close(news.cost, told->evaluation.cost, 1e-12, 0);
        ucpo_solution_free(silent);
        ucpo_solution_free(told);
        ucpo_instance_free(inst);
    }
}

static void bad_settings_are_errors(void **state)
{
    (void)state;
    ucpo_model *model = tiny_model("tspdl");
    ucpo_instance *inst = test_random_instance(prob_find("tsptw"), 6, SHAPE_GENERATED, 5);
    ucpo_solution *s = NULL;
    ucpo_error err = {0};
    assert_int_equal(ucpo_solve(model, inst, NULL, &s, &err), UCPO_E_MISMATCH);
    assert_non_null(strstr(err.text, "tspdl"));
    assert_non_null(strstr(err.text, "tsptw"));
    ucpo_solve_config bad[6];
    for (int i = 0; i < 6; i++) bad[i] = ucpo_solve_config_default();
    bad[0].time_limit = -1, bad[1].samples = -1, bad[2].augment = 9, bad[3].temperature = 0;
    bad[4].initial_len = 2, bad[5].time_limit = (double)NAN;
    for (int i = 0; i < 6; i++)
        assert_int_equal(ucpo_solve(NULL, inst, &bad[i], &s, &err), UCPO_E_ARGUMENT);
    assert_null(s);
    ucpo_solution_free(NULL);
    ucpo_instance_free(inst);
    ucpo_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_change_the_answer),
        cmocka_unit_test(no_answer_is_called_feasible_that_is_not),
        cmocka_unit_test(candidates_are_counted),
        cmocka_unit_test(every_candidate_is_shown),
        cmocka_unit_test(the_greedy_plan_is_that_of_an_evaluation),
        cmocka_unit_test(more_samples_are_never_worse),
        cmocka_unit_test(local_search_improves),
        cmocka_unit_test(the_answer_is_never_worse_than_the_initial_plan),
        cmocka_unit_test(callbacks_end_the_search_with_an_answer),
        cmocka_unit_test(ships_that_unload_get_plans_of_their_own_direction),
        cmocka_unit_test(a_solver_answers_like_a_single_call),
        cmocka_unit_test(a_plan_is_refined_and_never_made_worse),
        cmocka_unit_test(odd_instances_are_solved),
        cmocka_unit_test(large_instances_get_rules_within_their_time),
        cmocka_unit_test(bounds_and_proofs),
        cmocka_unit_test(nine_customers_are_solved_whatever_the_limits),
        cmocka_unit_test(a_bound_is_not_an_ulp_above_the_cost),
        cmocka_unit_test(a_proof_is_tried_with_a_time_limit_too),
        cmocka_unit_test(better_plans_are_told_while_the_search_goes_on),
        cmocka_unit_test(listening_changes_no_answer),
        cmocka_unit_test(bad_settings_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
