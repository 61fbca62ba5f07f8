/* Values that move over a phase, and what a plan makes of the settings for them. */
#include "support/support.h"
#include "train/config.h"

#include <math.h>
#include <stdlib.h>

static struct train_plan *plan_of(const char *const (*pairs)[2], size_t count)
{
    ucpo_train_config *config = NULL;
    ucpo_error err = {0};
    struct train_plan *plan = calloc(1, sizeof *plan);
    assert_non_null(plan);
    assert_ok(ucpo_train_config_create(&config, &err), &err);
    assert_ok(ucpo_train_config_set(config, "problem", "tsptw", &err), &err);
    assert_ok(ucpo_train_config_set(config, "size", "10", &err), &err);
    for (size_t i = 0; i < count; i++)
        assert_ok(ucpo_train_config_set(config, pairs[i][0], pairs[i][1], &err), &err);
    assert_ok(train_plan_make(config, plan, &err), &err);
    ucpo_train_config_free(config);
    return plan;
}

/* A step that is not full counts, too. */
static void a_schedule_is_as_long_as_the_phase_has_steps(void **state)
{
    static const struct {
        const char *instances, *batch, *accumulate;
        int64_t length, drop_at;
    } cases[] = {{"320", "16", "1", 20, 18}, {"321", "16", "1", 21, 18}, {"319", "16", "1", 20, 18},
                 {"320", "16", "2", 10, 9},  {"321", "16", "2", 11, 9},  {"1", "16", "1", 1, 0},
                 {"1600", "8", "2", 100, 90}};

    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const char *const pairs[][2] = {{"instances", cases[k].instances},
                                        {"batch", cases[k].batch},
                                        {"accumulate", cases[k].accumulate},
                                        {"lr", "1e-3"},
                                        {"lr-end", "1e-4"},
                                        {"warmup", "3"},
                                        {"lr-curve", "drop"}};
        struct train_plan *plan = plan_of(pairs, 7);
        const struct nn_schedule *s = &plan->phase[0].schedule;
        assert_int_equal(s->kind, NN_SCHEDULE_DROP);
        assert_int_equal(s->length, cases[k].length);
        assert_int_equal(s->drop_at, cases[k].drop_at);
        assert_int_equal(s->warmup, 3);
        assert_close(s->last, 0.1, 1e-12, 0);
        free(plan);
    }
}

static void words_of_curves_and_scores_mean_what_they_say(void **state)
{
    static const char *const curves[] = {"constant", "drop", "linear", "cosine"};
    static const char *const scores[] = {"sum", "mean", "cut", "cut-mean"};
    static const int kinds[] = {NN_SCHEDULE_CONSTANT, NN_SCHEDULE_DROP, NN_SCHEDULE_LINEAR,
                                NN_SCHEDULE_COSINE};
    static const int means[] = {STEP_SUM, STEP_MEAN, STEP_CUT, STEP_CUT_MEAN};
    (void)state;
    for (int k = 0; k < 4; k++) {
        const char *const pairs[][2] = {
            {"lr", "2e-3"}, {"lr-end", "1e-3"}, {"lr-curve", curves[k]}, {"score", scores[k]}};
        struct train_plan *plan = plan_of(pairs, 4);
        assert_int_equal(plan->phase[0].schedule.kind, kinds[k]);
        assert_int_equal(plan->phase[0].score_kind, means[k]);
        free(plan);
        const char *const level[][2] = {{"lr", "2e-3"}, {"lr-end", "0"}, {"lr-curve", curves[k]}};
        plan = plan_of(level, 3);
        assert_int_equal(plan->phase[0].schedule.kind, NN_SCHEDULE_CONSTANT);
        assert_true(train_rate(&plan->phase[0], 123) == 2e-3);
        free(plan);
    }
    const char *const rising[][2] = {{"lr", "1e-3"}, {"lr-end", "5e-3"}, {"lr-curve", "linear"}};
    struct train_plan *plan = plan_of(rising, 3);
    assert_true(plan->phase[0].schedule.last == 1.0); /* never above lr */
    free(plan);
}

/* In time the clock says how far a run is, and steps how far its warm-up. */
static void a_rate_in_time_follows_the_clock(void **state)
{
    struct train_phase p = {.lr = 2.0, .warmup = 4};
    (void)state;
    p.schedule = (struct nn_schedule){NN_SCHEDULE_LINEAR, 4, 50, 45, 0.25};
    for (int step = 0; step < 8; step++) {
        double rise = step < 4 ? (step + 1) / 4.0 : 1.0;
        assert_close(train_rate_in_time(&p, 0.0, step), 2.0 * rise, 1e-12, 0);
        assert_close(train_rate_in_time(&p, 0.5, step), 2.0 * rise * 0.625, 1e-12, 0);
        assert_close(train_rate_in_time(&p, 1.0, step), 2.0 * rise * 0.25, 1e-12, 0);
    }
    assert_close(train_rate_in_time(&p, 0.25, 1000), 2.0 * 0.8125, 1e-12, 0);
    p.schedule.kind = NN_SCHEDULE_DROP;
    assert_close(train_rate_in_time(&p, 0.899999, 100), 2.0, 1e-12, 0);
    assert_close(train_rate_in_time(&p, 0.9, 100), 0.5, 1e-12, 0);
    p.schedule.kind = NN_SCHEDULE_COSINE;
    assert_close(train_rate_in_time(&p, 0.5, 100), 2.0 * 0.625, 1e-12, 0);
    p.schedule.kind = NN_SCHEDULE_CONSTANT;
    assert_close(train_rate_in_time(&p, 0.7, 100), 2.0, 1e-12, 0);
    p.warmup = 0;
    assert_close(train_rate_in_time(&p, 0.7, 0), 2.0, 1e-12, 0);
}

static void samples_are_rounded_and_count_customers_to_start_at(void **state)
{
    struct train_phase p = {.samples = 4, .samples_end = 9};
    (void)state;
    for (int i = 0; i <= 100; i++)
        assert_int_equal(train_samples(&p, 50, i / 100.0), (int)floor(4.5 + 5 * (i / 100.0)));
    assert_int_equal(train_most_samples(&p, 50), 9);
    p.samples = 12;
    assert_int_equal(train_most_samples(&p, 50), 12);
    assert_int_equal(train_samples(&p, 50, 1.0), 9);
    p = (struct train_phase){0}; /* the size of the instance */
    assert_int_equal(train_samples(&p, 50, 0.0), 50);
    assert_int_equal(train_samples(&p, 50, 0.77), 50);
    p.has_forced_start = 1;
    assert_int_equal(train_samples(&p, 50, 0.3), 49);
    p.is_depot_extra = 1;
    assert_int_equal(train_samples(&p, 50, 0.3), 49);
    p.has_forced_start = 0;
    assert_int_equal(train_samples(&p, 50, 0.3), 49);
    p.samples_end = 99;
    assert_int_equal(train_samples(&p, 50, 0.5), 74);
    assert_int_equal(train_most_samples(&p, 50), 99);
}

static void alpha_and_anchor_weight_move_by_factors_and_straight_from_or_to_zero(void **state)
{
    struct train_phase p = {.loss_config = ucpo_loss_config_default(),
                            .last_loss = ucpo_loss_config_default()};
    (void)state;
    p.loss_config.alpha = 16.0, p.last_loss.alpha = 1.0;
    p.anchor_config.weight = 0.25, p.last_anchor_weight = 4.0;
    assert_close(train_loss(&p, 0.0).alpha, 16, 1e-12, 0);
    assert_close(train_loss(&p, 0.25).alpha, 8, 1e-12, 0);
    assert_close(train_loss(&p, 0.75).alpha, 2, 1e-12, 0);
    assert_close(train_loss(&p, 1.0).alpha, 1, 1e-12, 0);
    assert_close(train_anchor(&p, 0.25).weight, 0.5, 1e-12, 0);
    assert_close(train_anchor(&p, 0.5).weight, 1.0, 1e-12, 0);
    assert_close(train_anchor(&p, 1.0).weight, 4.0, 1e-12, 0);
    p.last_anchor_weight = 0.0;
    assert_close(train_anchor(&p, 0.25).weight, 0.1875, 1e-12, 0);
    assert_true(train_anchor(&p, 1.0).weight == 0.0);
    p.anchor_config.weight = 0.0, p.last_anchor_weight = 2.0;
    assert_close(train_anchor(&p, 0.25).weight, 0.5, 1e-12, 0);
    p.last_anchor_weight = 0.0;
    assert_true(train_anchor(&p, 0.25).weight == 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_schedule_is_as_long_as_the_phase_has_steps),
        cmocka_unit_test(words_of_curves_and_scores_mean_what_they_say),
        cmocka_unit_test(a_rate_in_time_follows_the_clock),
        cmocka_unit_test(samples_are_rounded_and_count_customers_to_start_at),
        cmocka_unit_test(alpha_and_anchor_weight_move_by_factors_and_straight_from_or_to_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
