/* Where later rounds decide anew. */
#include "eval/focus.h"

#include <math.h>
#include <string.h>

#include "support/random_instance.h"
#include "support/support.h"

enum { SAMPLES = 400, N = 20, LEN = N - 1, DOUBTED = 11 };

static const struct prob_ops *ops_of(int is_fleet)
{
    for (size_t p = 0; p < prob_registry_count; p++)
        if ((prob_registry[p]->max_vehicles != 1) == is_fleet) return prob_registry[p];
    fail();
    return NULL;
}

/* One tour of the first round, sure of all but one decision, is all there is to go back to. */
static void tours_go_on_where_the_policy_doubted(void **state)
{
    (void)state;
    ucpo_error err = {0};
    ucpo_instance *inst = test_random_instance(ops_of(0), N, SHAPE_GENERATED, 3);
    struct focus *f = NULL;
    int32_t tour[LEN];
    for (int t = 0; t < LEN; t++) tour[t] = t + 1;
    assert_ok(focus_create(SAMPLES, 1, N, LEN, 0, &f, &err), &err);
    focus_clear(f, inst, 2);
    struct policy_options first = policy_options_default(), o = first;
    real *sure = focus_begin(f, SAMPLES, &first);
    assert_null(first.begun);
    sure[DOUBTED] = 0;
    assert_ok(focus_take(f, 0, tour, 10.0, 0.0, &err), &err);
    assert_ok(focus_close_round(f, &err), &err);
    sure = focus_begin(f, SAMPLES, &o);
    int at[LEN] = {0};
    for (int s = 0; s < SAMPLES; s++) {
        assert_memory_equal(o.begun + s * LEN, tour, sizeof tour);
        assert_in_range(o.kept[s], 0, LEN - 1);
        assert_true(o.until[s] == LEN || o.until[s] - o.kept[s] <= LEN / 2);
        assert_true(sure[s * LEN + DOUBTED] == (o.kept[s] > DOUBTED ? 0 : 1)); /* not decided yet */
        at[o.kept[s]]++;
    }
    /* 1.1 of 1.1 + 17 x 0.1 */
    assert_in_range(at[DOUBTED], SAMPLES * 0.31, SAMPLES * 0.45);
    for (int t = 0; t < LEN - 1; t++) assert_in_range(at[t], 1, SAMPLES * 0.45);
    assert_true(o.temperature < 1.0);
    assert_int_equal(at[LEN - 1], 0); /* nothing to choose there */
    focus_free(f);
    ucpo_instance_free(inst);
}

/* A round that says the same throughout is followed by parts of a tour that must differ, and is hotter;
 * what is decided anew is not said to be sure or unsure yet. */
static void tours_that_repeat_themselves_must_differ(void **state)
{
    (void)state;

    enum { MOST = 80, LONGEST = 25 };

    ucpo_error err = {0};
    ucpo_instance *inst = test_random_instance(ops_of(0), MOST + 1, SHAPE_GENERATED, 3);
    for (int is_feasible = 0; is_feasible < 2; is_feasible++) {
        struct focus *f = NULL;
        int32_t tour[MOST];
        for (int t = 0; t < MOST; t++) tour[t] = t + 1;
        assert_ok(focus_create(SAMPLES, 1, MOST + 1, MOST, 0, &f, &err), &err);
        focus_clear(f, inst, 2);
        struct policy_options o = policy_options_default();
        real *sure = focus_begin(f, SAMPLES, &o);
        for (int t = 0; t < MOST; t++) sure[t] = t == DOUBTED ? 0 : (real)0.5;
        for (int s = 0; s < SAMPLES; s++)
            assert_ok(focus_take(f, s, tour, 10.0, is_feasible ? 0.0 : 1.0, &err), &err);
        assert_ok(focus_close_round(f, &err), &err);
        sure = focus_begin(f, SAMPLES, &o);
        int longest = 0, must = 0;
        for (int s = 0; s < SAMPLES; s++) {
            int length = o.until[s] - o.kept[s];
            if (o.until[s] < MOST && length > longest) longest = length;
            assert_true(length >= 3 || o.until[s] == MOST);
            must += o.differs[s];
            for (int t = 0; t < MOST; t++) {
                real was = t == DOUBTED ? 0 : (real)0.5;
                int is_again = t >= o.kept[s] && t < o.until[s];
                assert_true(sure[s * MOST + t] == (is_again ? 1 : was));
            }
        }
        assert_true(must > SAMPLES * 9 / 10);
        assert_int_equal(longest, LONGEST);
        assert_true(is_feasible == (o.temperature < 2.0)); /* 0.7 of twice as hot */
        assert_true(o.temperature > 1.0);
        focus_free(f);
    }
    ucpo_instance_free(inst);
}

/* Whole routes stay, at most the begin of one more is there, and two or three are open. */
static void fleets_keep_whole_routes_and_the_begin_of_one(void **state)
{
    (void)state;

    enum { MOST = 2 * N, ROUTES = 5 };

    static const int32_t plan[] = {1, 2,  3, 0,  4,  5,  6,  7, 0,  8,
                                   9, 10, 0, 11, 12, 13, 14, 0, 15, 16};
    ucpo_error err = {0};
    ucpo_instance *inst = test_random_instance(ops_of(1), N, SHAPE_GENERATED, 3);
    struct focus *f = NULL;
    int32_t actions[MOST] = {0};
    int begun[2] = {0};
    memcpy(actions, plan, sizeof plan);
    assert_ok(focus_create(SAMPLES, 1, N, MOST, 1, &f, &err), &err);
    focus_clear(f, inst, 2);
    assert_ok(focus_take(f, 0, actions, 10.0, 0.0, &err), &err);
    assert_ok(focus_close_round(f, &err), &err);
    struct policy_options o = policy_options_default();
    assert_null(focus_begin(f, SAMPLES, &o));
    for (int s = 0; s < SAMPLES; s++) {
        const int32_t *is = o.begun + s * MOST;
        int routes = 0, seen[N] = {0}, from = 0;
        for (int t = 0; t < o.kept[s]; t++) {
            assert_true(is[t] == 0 || !seen[is[t]]++);
            if (is[t] != 0 && t > from) assert_int_equal(is[t], is[t - 1] + 1);
            if (is[t] == 0) routes++, from = t + 1;
        }
        int is_begun = o.kept[s] > from, open = ROUTES - routes;
        assert_true(open == 2 || open == 3);
        begun[is_begun]++;
    }
    assert_true(begun[0] > SAMPLES / 3 && begun[1] > SAMPLES / 4);
    focus_free(f);
    ucpo_instance_free(inst);
}

/* Six of eight rounds of tours and four of fleets; fewer of tours and all of fleets that lack a
 * feasible plan, each hotter than the one before. */
static void most_rounds_are_independent(void **state)
{
    (void)state;
    static const int independent[2][2] = {{6, 1}, {4, 8}};
    for (int is_fleet = 0; is_fleet < 2; is_fleet++)
        for (int is_unsolved = 0; is_unsolved < 2; is_unsolved++) {
            ucpo_error err = {0};
            ucpo_instance *inst = test_random_instance(ops_of(is_fleet), N, SHAPE_GENERATED, 3);
            struct focus *f = NULL;
            int32_t plan[2 * N] = {0};
            size_t most = is_fleet ? 2 * N : LEN;
            for (int t = 0; t < LEN; t++) plan[t] = t + 1;
            assert_ok(focus_create(1, 1, N, most, is_fleet, &f, &err), &err);
            focus_clear(f, inst, 8);
            for (int round = 0; round < 8; round++) {
                struct policy_options o = policy_options_default();
                focus_begin(f, 1, &o);
                assert_int_equal(!o.begun, round < independent[is_fleet][is_unsolved]);
                if (is_fleet && is_unsolved) assert_close(o.temperature, pow(1.15, round), 1e-9, 0);
                assert_ok(focus_take(f, 0, plan, 10.0, is_unsolved, &err), &err);
                assert_ok(focus_close_round(f, &err), &err);
            }
            focus_free(f);
            ucpo_instance_free(inst);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tours_go_on_where_the_policy_doubted),
        cmocka_unit_test(tours_that_repeat_themselves_must_differ),
        cmocka_unit_test(fleets_keep_whole_routes_and_the_begin_of_one),
        cmocka_unit_test(most_rounds_are_independent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
