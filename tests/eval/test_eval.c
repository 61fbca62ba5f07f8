/* Decoding: the same bits whatever the threads and the company, answers the checker confirms. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eval/eval.h"
#include "support/random_instance.h"
#include "support/support.h"

enum { MOST = 24 };

struct bench {
    struct nn_model model;
    const struct prob_ops *ops;
    real *params;
    ucpo_instance *own[MOST];
    const ucpo_instance *instances[MOST];
    size_t count;
};

static void add(struct bench *b, ucpo_instance *inst)
{
    b->own[b->count] = inst;
    b->instances[b->count++] = inst;
}

static struct bench prepare(const char *problem)
{
    struct bench b = {.ops = prob_find(problem)};
    ucpo_error err = {0};
    struct nn_config base = nn_config_default();
    base.layers = 2, base.width = 32, base.heads = 4, base.hidden = 64;
    struct nn_config config = policy_config(b.ops, base);
    assert_ok(nn_model_init(&b.model, &config, &err), &err);
    b.params = malloc(b.model.total * sizeof(real));
    nn_params_init(&b.model, 1, b.params);
    return b;
}

/* `count` generated instances; the sizes change every third if they are to be mixed. */
static struct bench prepare_set(const char *problem, size_t count, int is_mixed)
{
    struct bench b = prepare(problem);
    for (size_t i = 0; i < count; i++)
        add(&b, test_random_instance(b.ops, 9 + (is_mixed ? (int)(i / 3) % 3 : 0), SHAPE_GENERATED,
                                     40 + i));
    return b;
}

static void release(struct bench *b)
{
    for (size_t i = 0; i < b->count; i++) ucpo_instance_free(b->own[i]);
    free(b->params);
}

static struct eval *make(const struct bench *b, ucpo_eval_config config)
{
    struct eval *eval = NULL;
    ucpo_error err = {0};
    struct policy_means means = {0};
    if (strcmp(config.mask, "auto") != 0)
        assert_ok(prob_mask_find(config.mask, &means.mask, &err), &err);
    assert_ok(eval_create(&b->model, b->ops, &config, &means, &eval, &err), &err);
    return eval;
}

static void run(struct eval *eval, const struct bench *b, size_t first, size_t count,
                ucpo_eval_record *records)
{
    ucpo_error err = {0};
    memset(records, 0, count * sizeof *records); /* padding too */
    assert_ok(eval_run(eval, b->params, b->instances + first, count, first, NULL, records, &err),
              &err);
}

static void assert_same(const ucpo_eval_record *a, const ucpo_eval_record *b)
{
    assert_int_equal(a->candidates, b->candidates);
    assert_int_equal(a->feasible, b->feasible);
    assert_int_equal(a->is_feasible, b->is_feasible);
    assert_int_equal(a->best, b->best);
    assert_int_equal(a->first_is_feasible, b->first_is_feasible);
    assert_memory_equal(&a->cost, &b->cost, sizeof a->cost);
    assert_memory_equal(&a->violation, &b->violation, sizeof a->violation);
    assert_memory_equal(&a->first_objective, &b->first_objective, sizeof a->first_objective);
    assert_close(a->mean_objective, b->mean_objective, 0, 0);
}

/* All records, which one and two threads and every `step`-th beginning agree about. */
static void run_in_company(const struct bench *b, ucpo_eval_config config, size_t step,
                           ucpo_eval_record *all)
{
    ucpo_eval_record some[MOST];
    for (int threads = 1; threads <= 2; threads++) {
        config.threads = threads;
        struct eval *eval = make(b, config);
        if (threads == 1) run(eval, b, 0, b->count, all);
        for (size_t first = 0; first < b->count; first += step) {
            run(eval, b, first, b->count - first, some);
            for (size_t i = first; i < b->count; i++) assert_same(&some[i - first], &all[i]);
        }
        eval_free(eval);
    }
}

static void answers_do_not_depend_on_threads(void **state)
{
    (void)state;
    for (size_t p = 0; p < prob_registry_count; p++) {
        struct bench b = prepare_set(prob_registry[p]->info.name, 17, p % 2 == 0);
        ucpo_eval_config config = ucpo_eval_config_default();
        config.samples = 6, config.augment = p % 2 ? 3 : 8;
        ucpo_eval_record expected[MOST], found[MOST];
        for (int threads = 1; threads <= 3; threads++) {
            config.threads = threads;
            struct eval *eval = make(&b, config);
            run(eval, &b, 0, b.count, threads == 1 ? expected : found);
            for (size_t i = 0; threads > 1 && i < b.count; i++)
                assert_same(&found[i], &expected[i]);
            eval_free(eval);
        }
        release(&b);
    }
}

static void an_answer_depends_on_the_seed_and_the_number_only(void **state)
{
    (void)state;
    static const int images[] = {1, 2, 3, 8};
    for (size_t k = 0; k < 4; k++) {
        struct bench b = prepare_set("tsptw", 21, 1);
        ucpo_eval_config config = ucpo_eval_config_default();
        config.samples = 5, config.augment = images[k];
        struct eval *eval = make(&b, config);
        ucpo_eval_record all[MOST], some[MOST];
        run(eval, &b, 0, b.count, all);
        for (size_t first = 0; first < b.count; first++) {
            size_t count = b.count - first < 3 ? b.count - first : 3;
            run(eval, &b, first, count, some);
            for (size_t i = 0; i < count; i++) assert_same(&some[i], &all[first + i]);
        }
        eval_free(eval);
        config.seed = 2;
        eval = make(&b, config);
        run(eval, &b, 0, b.count, some);
        size_t different = 0;
        for (size_t i = 0; i < b.count; i++) different += some[i].cost != all[i].cost;
        assert_true(different > 0);
        eval_free(eval);
        release(&b);
    }
}

/* Rounds: the same on threads and in any company, never worse than what was drawn, and no disputes. */
static void rounds_give_what_the_checker_confirms(void **state)
{
    (void)state;
    int joined = 0;
    for (size_t p = 0; p < prob_registry_count; p++) {
        struct bench b = prepare_set(prob_registry[p]->info.name, 17, 1);
        ucpo_eval_config config = ucpo_eval_config_default();
        config.samples = 8, config.augment = 8, config.rounds = 4;
        ucpo_eval_record all[MOST], some[MOST];
        run_in_company(&b, config, 5, all);
        config.rounds = 1;
        struct eval *eval = make(&b, config);
        run(eval, &b, 0, b.count, some);
        for (size_t i = 0; i < b.count; i++) {
            assert_int_equal(all[i].is_disputed, 0);
            assert_true(all[i].is_feasible || all[i].feasible == 0);
            joined += all[i].is_feasible && all[i].objective < some[i].objective;
        }
        eval_free(eval);
        config.samples = 1; /* nothing to draw in rounds */
        eval = make(&b, config);
        run(eval, &b, 0, b.count, all);
        eval_free(eval);
        config.rounds = 4;
        eval = make(&b, config);
        run(eval, &b, 0, b.count, some);
        for (size_t i = 0; i < b.count; i++) assert_same(&some[i], &all[i]);
        eval_free(eval);
        release(&b);
    }
    assert_true(joined > 10);
}

/* Instances of more than 200 nodes are a batch by themselves, beside others that are not. */
static void large_instances_among_small_ones_change_nothing(void **state)
{
    (void)state;
    struct bench b = prepare("cvrptw");
    for (uint64_t i = 0; i < 7; i++)
        add(&b, test_random_instance(b.ops, i % 3 == 1 ? 206 : 11, SHAPE_GENERATED, 70 + i));
    ucpo_eval_config config = ucpo_eval_config_default();
    config.greedy = 1, config.augment = 1;
    ucpo_eval_record all[MOST];
    run_in_company(&b, config, 2, all);
    release(&b);
}

static void local_search_is_the_same_on_any_number_of_threads_and_never_worse(void **state)
{
    (void)state;
    for (size_t p = 0; p < prob_registry_count; p++) {
        struct bench b = prepare_set(prob_registry[p]->info.name, 12, 1);
        ucpo_eval_config config = ucpo_eval_config_default();
        config.samples = 2, config.augment = 1;
        ucpo_eval_record plain[MOST], expected[MOST], found[MOST];
        struct eval *eval = make(&b, config);
        run(eval, &b, 0, b.count, plain);
        eval_free(eval);
        config.refine_moves = 20000;
        size_t better = 0;
        for (int threads = 1; threads <= 3; threads++) {
            config.threads = threads;
            eval = make(&b, config);
            run(eval, &b, 0, b.count, threads == 1 ? expected : found);
            for (size_t i = 0; threads > 1 && i < b.count; i++)
                assert_same(&found[i], &expected[i]);
            eval_free(eval);
        }
        for (size_t i = 0; i < b.count; i++) {
            const ucpo_eval_record *r = &expected[i], *q = &plain[i];
            assert_int_equal(r->decoded_is_feasible, q->is_feasible);
            assert_close(r->decoded_objective, q->objective, 1e-12, 0);
            assert_int_equal(r->is_disputed, 0);
            int order = ucpo_compare(NULL, r->objective, r->violation, q->objective, q->violation);
            assert_true(order <= 0);
            better += order < 0;
        }
        assert_true(better >= 6);
        release(&b);
    }
}

static void without_a_model_rules_answer(void **state)
{
    (void)state;
    for (size_t p = 0; p < prob_registry_count; p++) {
        struct bench b = prepare_set(prob_registry[p]->info.name, 12, 1);
        struct eval *eval = NULL;
        ucpo_error err = {0};
        ucpo_eval_config config = ucpo_eval_config_default();
        assert_ok(eval_create(NULL, b.ops, &config, &(struct policy_means){0}, &eval, &err), &err);
        ucpo_eval_record records[MOST];
        run(eval, &b, 0, b.count, records);
        for (size_t i = 0; i < b.count; i++) {
            size_t len = 0;
            const int32_t *plan = eval_plan(eval, i, &len);
            ucpo_evaluation e;
            assert_ok(ucpo_check(b.instances[i], plan, len, &e, NULL, 0, NULL, 0, &err), &err);
            assert_int_equal(e.missing + e.duplicates + e.unknown, 0);
            assert_int_equal(e.is_feasible, records[i].is_feasible);
            assert_true(e.cost == records[i].cost);
            assert_int_equal(records[i].candidates, 7);
        }
        eval_free(eval);
        release(&b);
    }
}

static void check_answers(const struct eval *eval, const struct bench *b,
                          const ucpo_eval_record *records, size_t *feasible)
{
    for (size_t i = 0; i < b->count; i++) {
        size_t len = 0;
        const int32_t *plan = eval_plan(eval, i, &len);
        const ucpo_eval_record *r = &records[i];
        ucpo_evaluation e;
        assert_int_equal(ucpo_check(b->instances[i], plan, len, &e, NULL, 0, NULL, 0, NULL),
                         UCPO_OK);
        assert_int_equal(r->is_disputed, 0);
        assert_int_equal(r->is_feasible, e.is_feasible);
        assert_int_equal(r->is_feasible, r->feasible > 0);
        assert_true(r->cost == e.cost && r->violation == e.violation);
        assert_close(r->objective * b->instances[i]->data.unit, e.cost, 1e-12, 0);
        assert_int_equal(e.missing + e.duplicates + e.unknown, 0);
        assert_true(r->best >= 0 && r->best < r->candidates);
        if (r->feasible > 0) assert_true(r->objective <= r->mean_objective + 1e-9);
        *feasible += r->is_feasible != 0;
    }
}

static void the_checker_confirms_every_answer(void **state)
{
    (void)state;

    static const enum test_shape shapes[] = {SHAPE_GENERATED, SHAPE_TIGHT};

    for (size_t p = 0; p < prob_registry_count; p++) {
        struct bench b = prepare(prob_registry[p]->info.name);
        for (int i = 0; i < 16; i++)
            add(&b, test_random_instance(b.ops, 4 + i / 4, shapes[i % 2], (uint64_t)(100 + i)));
        size_t feasible = 0;
        for (int mask = PROB_MASK_SOFT; mask <= (int)PROB_MASK_LOOKAHEAD_OWN; mask++) {
            for (int is_greedy = 0; is_greedy < 2; is_greedy++) {
                ucpo_eval_config config = ucpo_eval_config_default();
                config.mask = prob_mask_name((enum prob_mask)mask), config.greedy = is_greedy;
                struct eval *eval = make(&b, config);
                ucpo_eval_record records[MOST];
                run(eval, &b, 0, b.count, records);
                check_answers(eval, &b, records, &feasible);
                eval_free(eval);
            }
        }
        assert_true(feasible > 0);
        release(&b);
    }
}

static void sample_count_zero_means_the_size(void **state)
{
    (void)state;
    struct bench b = prepare_set("tsptw", 1, 0), f = prepare_set("cvrptw", 1, 0);
    ucpo_eval_record r;
    struct eval *eval = make(&b, ucpo_eval_config_default());
    run(eval, &b, 0, 1, &r);
    assert_int_equal(r.candidates, 8 * 9);
    eval_free(eval);
    eval = make(&f, ucpo_eval_config_default());
    run(eval, &f, 0, 1, &r);
    assert_int_equal(r.candidates, 8 * 8); /* eight customers */
    eval_free(eval);
    release(&b);
    release(&f);
}

static void greedy_is_one_candidate_per_image_and_knows_no_seed(void **state)
{
    (void)state;
    struct bench b = prepare_set("tspdl", 6, 0);
    ucpo_eval_config config = ucpo_eval_config_default();
    config.greedy = 1, config.samples = 50;
    ucpo_eval_record eight[MOST], other[MOST], one[MOST];
    struct eval *eval = make(&b, config);
    run(eval, &b, 0, b.count, eight);
    eval_free(eval);
    config.seed = 99;
    eval = make(&b, config);
    run(eval, &b, 0, b.count, other);
    eval_free(eval);
    config.augment = 1;
    eval = make(&b, config);
    run(eval, &b, 0, b.count, one);
    eval_free(eval);
    for (size_t i = 0; i < b.count; i++) {
        assert_same(&other[i], &eight[i]);
        assert_int_equal(eight[i].candidates, 8);
        assert_int_equal(one[i].candidates, 1);
        assert_int_equal(one[i].best, 0);
        assert_int_equal(one[i].is_feasible, eight[i].first_is_feasible);
        assert_close(one[i].objective, eight[i].first_objective, 1e-12, 0);
        assert_close(one[i].first_objective, eight[i].first_objective, 0, 0);
    }
    release(&b);
}

/* More samples keep those that were there: the answer can only become better. */
static void more_samples_and_more_images_never_hurt(void **state)
{
    (void)state;
    struct bench b = prepare_set("tsptw", 12, 0);
    ucpo_eval_config config = ucpo_eval_config_default();
    ucpo_eval_record last[MOST], next[MOST];
    for (int step = 0; step < 3; step++) {
        config.samples = step < 2 ? 4 : 16, config.augment = step ? 8 : 4;
        struct eval *eval = make(&b, config);
        run(eval, &b, 0, b.count, next);
        for (size_t i = 0; step > 0 && i < b.count; i++)
            assert_true(ucpo_compare(NULL, next[i].objective, next[i].violation, last[i].objective,
                                     last[i].violation) <= 0);
        memcpy(last, next, sizeof last);
        eval_free(eval);
    }
    release(&b);
}

static void a_ship_that_unloads_is_the_mirror_of_one_that_loads(void **state)
{
    (void)state;
    struct bench b = prepare_set("tspdl", 8, 1), m = prepare("tspdl");
    for (size_t i = 0; i < b.count; i++) {
        ucpo_instance *mirrored = NULL;
        assert_int_equal(ucpo_instance_mirror(b.instances[i], &mirrored, NULL), UCPO_OK);
        assert_int_equal(ucpo_instance_view(mirrored)->draft, UCPO_DRAFT_UNLOAD);
        add(&m, mirrored);
    }
    ucpo_eval_config config = ucpo_eval_config_default();
    config.mask = "pip";
    struct eval *loading = make(&b, config), *unloading = make(&m, config);
    ucpo_eval_record a[MOST], c[MOST];
    run(loading, &b, 0, b.count, a);
    run(unloading, &m, 0, m.count, c);
    size_t feasible = 0;
    check_answers(unloading, &m, c, &feasible);
    assert_true(feasible > 0);
    for (size_t i = 0; i < b.count; i++) {
        size_t la = 0, lc = 0;
        const int32_t *pa = eval_plan(loading, i, &la), *pc = eval_plan(unloading, i, &lc);
        assert_int_equal(la, lc);
        for (size_t k = 0; k < la; k++) assert_int_equal(pa[k], pc[la - 1 - k]);
        assert_int_equal(a[i].feasible, c[i].feasible);
        assert_close(a[i].cost, c[i].cost, 1e-12, 0);
    }
    eval_free(loading);
    eval_free(unloading);
    release(&b);
    release(&m);
}

static void assert_refused(const struct bench *b, ucpo_eval_config config, const char *words)
{
    struct eval *eval = NULL;
    ucpo_error err = {0};
    assert_int_equal(
        eval_create(&b->model, b->ops, &config, &(struct policy_means){0}, &eval, &err),
        UCPO_E_ARGUMENT);
    assert_non_null(strstr(err.text, words));
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    struct bench b = prepare_set("cvrptw", 2, 0), t = prepare("tsptw");
    add(&b, test_random_instance(prob_find("cvrptwlv"), 9, SHAPE_GENERATED, 1));
    add(&t, test_random_instance(t.ops, 9, SHAPE_MATRIX, 1));
    ucpo_eval_config config = ucpo_eval_config_default();
    struct eval *eval = make(&b, config), *other = make(&t, config);
    ucpo_eval_record r[MOST];
    ucpo_error err = {0};
    assert_int_equal(eval_run(eval, b.params, b.instances, 3, 0, NULL, r, &err), UCPO_E_MISMATCH);
    assert_string_equal(err.text, "the model is for cvrptw, but instance 2 is cvrptwlv");
    assert_int_equal(eval_run(other, t.params, t.instances, 1, 0, NULL, r, &err),
                     UCPO_E_UNSUPPORTED);
    assert_non_null(strstr(err.text, "coordinates"));
    assert_ok(eval_run(eval, b.params, b.instances, 0, 0, NULL, r, &err), &err);
    eval_free(eval);
    eval_free(other);
    config.augment = 9;
    assert_refused(&b, config, "augment is 9");
    config = ucpo_eval_config_default(), config.samples = -1;
    assert_refused(&b, config, "samples is -1");
    config = ucpo_eval_config_default(), config.temperature = 0;
    assert_refused(&b, config, "temperature is 0");
    config = ucpo_eval_config_default(), config.temperature = (double)NAN;
    assert_refused(&b, config, "temperature is nan");
    config = ucpo_eval_config_default(), config.mask_tolerance = (double)NAN;
    assert_refused(&b, config, "mask_tolerance is nan");
    config = ucpo_eval_config_default(), config.refine_seconds = (double)NAN;
    assert_refused(&b, config, "refine_seconds is nan");
    config = ucpo_eval_config_default(), config.rounds = -1;
    assert_refused(&b, config, "rounds is -1");
    config.rounds = (int32_t)INT32_MIN; /* what a NaN becomes when it is cast */
    assert_refused(&b, config, "rounds is -2147483648");
    config.rounds = 1000000;
    assert_refused(&b, config, "rounds is 1000000");
    config.rounds = 2, config.greedy = 1;
    assert_refused(&b, config, "rounds are for sampled trajectories");
    release(&b);
    release(&t);
}

static int stop_at_once(void *user, size_t done, size_t total)
{
    (void)user, (void)done, (void)total;
    return 1;
}

static void the_progress_hook_stops_a_run_and_the_workspace_lives_on(void **state)
{
    (void)state;
    struct bench b = prepare_set("tsptw", 12, 0);
    ucpo_eval_config config = ucpo_eval_config_default();
    config.threads = 1;
    struct eval *eval = make(&b, config);
    ucpo_eval_record r[MOST];
    ucpo_hooks hooks = {.progress = stop_at_once};
    assert_int_equal(eval_run(eval, b.params, b.instances, b.count, 0, &hooks, r, NULL),
                     UCPO_E_CANCELLED);
    run(eval, &b, 0, b.count, r);
    eval_free(eval);
    release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_do_not_depend_on_threads),
        cmocka_unit_test(rounds_give_what_the_checker_confirms),
        cmocka_unit_test(large_instances_among_small_ones_change_nothing),
        cmocka_unit_test(local_search_is_the_same_on_any_number_of_threads_and_never_worse),
        cmocka_unit_test(without_a_model_rules_answer),
        cmocka_unit_test(an_answer_depends_on_the_seed_and_the_number_only),
        cmocka_unit_test(the_checker_confirms_every_answer),
        cmocka_unit_test(sample_count_zero_means_the_size),
        cmocka_unit_test(greedy_is_one_candidate_per_image_and_knows_no_seed),
        cmocka_unit_test(more_samples_and_more_images_never_hurt),
        cmocka_unit_test(a_ship_that_unloads_is_the_mirror_of_one_that_loads),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(the_progress_hook_stops_a_run_and_the_workspace_lives_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
