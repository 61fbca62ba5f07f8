/* Edge cases (spec E.6) and bad input. */
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 8 };

struct outcome {
    ucpo_loss_result result;
    double weight[MOST];
};

static struct outcome loss_of(const char *text, size_t count, const double *f, const double *v,
                              const double *l)
{
    struct outcome out;
    ucpo_loss_config config;
    ucpo_error err;
    uint32_t rank[MOST];
    assert_ok(ucpo_loss_parse(text, &config, &err), &err);
    assert_ok(ucpo_loss(&config, count, f, v, l, &out.result, out.weight, rank, &err), &err);
    return out;
}

static const double log2_ = 0.69314718055994531;

static void one_trajectory_teaches_nothing(void **state)
{
    const double f = 12.5, late = 3.0, none = 0.0, l = -7.25;
    (void)state;
    for (size_t p = 0; ucpo_loss_preset_at(p); p++) {
        struct outcome a = loss_of(ucpo_loss_preset_at(p), 1, &f, &none, &l);
        struct outcome b = loss_of(ucpo_loss_preset_at(p), 1, &f, &late, &l);
        assert_true(a.result.loss == 0.0 && a.weight[0] == 0.0);
        assert_true(b.result.loss == 0.0 && b.weight[0] == 0.0);
        assert_int_equal(a.result.feasible, 1);
        assert_int_equal(b.result.feasible, 0);
    }
}

static void regimes_follow_the_sets(void **state)
{
    const double f[] = {10, 11, 12}, l[] = {-1, -2, -3};
    const double none[] = {0, 0, 0}, one_good[] = {0, 1, 2}, two_good[] = {0, 0, 2},
                 all[] = {3, 1, 2};
    (void)state;
    ucpo_loss_result r = loss_of("ucpo", 3, f, none, l).result;
    assert_true(!r.dual_active && !r.margin_active && r.primal_active && r.pairs == 2);
    r = loss_of("ucpo", 3, f, one_good, l).result;
    assert_true(!r.dual_active && r.margin_active && !r.primal_active && r.pairs == 2);
    r = loss_of("ucpo", 3, f, two_good, l).result;
    assert_true(!r.dual_active && r.margin_active && r.primal_active && r.pairs == 2);
    r = loss_of("ucpo", 3, f, all, l).result;
    assert_true(r.dual_active && !r.margin_active && !r.primal_active && r.pairs == 2);
    assert_int_equal(r.feasible, 0);
}

static void a_set_thinned_to_one_is_silent(void **state)
{
    const double f[] = {10, 11}, v[] = {0, 0}, l[] = {-1, -2};
    (void)state;
    struct outcome out = loss_of("ucpo,k=2", 2, f, v, l);
    assert_true(out.result.loss == 0.0 && out.weight[0] == 0.0 && out.weight[1] == 0.0);
}

static void identical_trajectories_cost_log_two_per_term(void **state)
{
    const double f[] = {9, 9, 9, 9}, v[] = {0, 0, 0, 0}, l[] = {-6, -6, -6, -6};
    (void)state;
    struct outcome out = loss_of("ucpo", 4, f, v, l);
    assert_close(out.result.loss, log2_, 1e-15, 0);
    assert_close(out.weight[0], -0.5, 1e-15, 0); /* the lowest index is the anchor */
    assert_true(loss_of("ucpo-subsets", 4, f, v, l).result.loss == 0.0);
    assert_true(loss_of("poco", 4, f, v, l).result.loss == 0.0);
    out = loss_of("reinforce-norm", 4, f, v, l);
    assert_true(out.result.loss == 0.0 && out.weight[0] == 0.0);
}

static void equal_advantages_do_not_amplify_rounding(void **state)
{
    const double f[] = {0.1, 0.1, 0.1}, v[] = {0.2, 0.2, 0.2}, l[] = {-1, -2, -3};
    (void)state;
    struct outcome out = loss_of("reinforce-norm", 3, f, v, l);
    for (size_t i = 0; i < 3; i++) assert_true(out.weight[i] == 0.0);
}

/* Deviations of 5e-12 of the mean are differences, of 3e-13 rounding. */
static void advantages_are_told_from_rounding_beside_their_mean(void **state)
{
    const double v[] = {0, 0}, l[] = {-1, -2};
    (void)state;
    for (double mean = 1e-3; mean < 1e7; mean *= 1e3) {
        const double apart[] = {mean * (1 - 5e-12), mean * (1 + 5e-12)};
        const double same[] = {mean * (1 - 3e-13), mean * (1 + 3e-13)};
        struct outcome out = loss_of("reinforce-norm", 2, apart, v, l);
        assert_close(out.weight[0], -0.5, 1e-3, 0);
        assert_close(out.weight[1], 0.5, 1e-3, 0);
        assert_close(out.result.loss, -0.5, 1e-3, 0);
        out = loss_of("reinforce-norm", 2, same, v, l);
        assert_true(out.weight[0] == 0.0 && out.weight[1] == 0.0 && out.result.loss == 0.0);
    }
}

/* L = 1, 4, 7 with lambda 2: mean 4, deviation sqrt(6). */
static void baselines_by_hand(void **state)
{
    const double f[] = {1, 2, 1}, v[] = {0, 1, 3}, l[] = {-1, -2, -4};
    (void)state;
    struct outcome out = loss_of("reinforce,lambda=2", 3, f, v, l);
    const double plain[] = {-1.0, 0.0, 1.0};
    for (size_t i = 0; i < 3; i++) assert_close(out.weight[i], plain[i], 1e-15, 1e-16);
    assert_close(out.result.loss, -3.0, 1e-15, 0);
    assert_int_equal(out.result.pairs, 0);
    out = loss_of("reinforce-norm,lambda=2", 3, f, v, l);
    for (size_t i = 0; i < 3; i++) assert_close(out.weight[i], plain[i] / sqrt(6.0), 1e-14, 1e-16);
    out = loss_of("slim", 3, f, v, l);
    assert_true(out.weight[0] == -1.0 && out.weight[1] == 0.0 && out.weight[2] == 0.0);
    assert_true(out.result.loss == 1.0);
    const double late[] = {1, 1, 1}, same[] = {5, 4, 4}; /* the first of the best */
    out = loss_of("slim", 3, same, late, l);
    assert_true(out.weight[0] == 0.0 && out.weight[1] == -1.0 && out.weight[2] == 0.0);
    assert_true(out.result.loss == 2.0);
}

/* 3 ln(1 + e^-x) and its likes, with numbers that can be followed on paper. */
static void each_term_by_hand(void **state)
{
    const double f[] = {2, 3, 4, 1}, v[] = {0, 0, 1, 5}, l[] = {-1, -2, -1.5, -3};
    (void)state;
    struct outcome out = loss_of("ucpo", 4, f, v, l);
    /* T = {0, 1}, F = {2, 3}: * is 0; beta 5/2, 6/2 in the margin, 3/2 in the primal */
    double margin = 0.5 * (log1p(exp(-2.5 * 0.5)) + log1p(exp(-3.0 * 2.0)));
    double primal = log1p(exp(-1.5 * 1.0));
    assert_close(out.result.margin, margin, 1e-14, 0);
    assert_close(out.result.primal, primal, 1e-14, 0);
    assert_close(out.result.loss, margin + primal, 1e-14, 0);
    assert_close(out.weight[1], 1.5 / (1.0 + exp(1.5)), 1e-14, 0);
    assert_close(out.weight[2], 0.5 * 2.5 / (1.0 + exp(1.25)), 1e-14, 0);
    assert_close(out.weight[3], 0.5 * 3.0 / (1.0 + exp(6.0)), 1e-14, 0);
    assert_close(out.weight[0], -(out.weight[1] + out.weight[2] + out.weight[3]), 1e-14, 0);
    const double all[] = {4, 1, 2, 9}; /* L = 6, 4, 6, 10: o is 1, beta 6/4, 6/4, 10/4 */
    out = loss_of("ucpo", 4, f, all, l);
    double dual = (log1p(exp(1.5)) + log1p(exp(0.75)) + log1p(exp(-2.5))) / 3.0;
    assert_close(out.result.dual, dual, 1e-14, 0);
    assert_close(out.weight[0], 1.5 / (1.0 + exp(-1.5)) / 3.0, 1e-14, 0);
    out = loss_of("poco", 4, f, v, l); /* L = 2, 3, 5, 6: six pairs of beta 0.05 by 1/16 */
    double sum = 0.0;
    for (size_t a = 0; a < 4; a++)
        for (size_t b = a + 1; b < 4; b++) sum += log1p(exp(-0.05 * (l[a] - l[b]))) / 16.0;
    assert_close(out.result.loss, sum, 1e-14, 0);
    assert_int_equal(out.result.pairs, 6);
}

static void equal_pairs_can_be_skipped_and_divisors_stay(void **state)
{
    const double f[] = {9, 9, 12}, v[] = {0, 0, 0}, l[] = {-6, -3, -5};
    (void)state;
    struct outcome with = loss_of("ucpo", 3, f, v, l),
                   without = loss_of("ucpo,skip-equal=yes", 3, f, v, l);
    assert_int_equal(with.result.pairs, 2);
    assert_int_equal(without.result.pairs, 1);
    assert_true(without.weight[1] == 0.0);
    assert_close(without.weight[2], with.weight[2], 0, 0); /* still divided by |T| - 1 = 2 */
}

static void beta_falls_back_to_one(void **state)
{
    const double zero[] = {0, 1}, negative[] = {-5, 3}, v[] = {0, 0}, l[] = {-2, -2};
    (void)state;
    assert_close(loss_of("ucpo", 2, zero, v, l).weight[1], 0.5, 1e-15, 0);
    assert_close(loss_of("ucpo", 2, negative, v, l).weight[1], 0.5, 1e-15, 0);
}

static void beta_can_be_bounded_on_both_sides(void **state)
{
    const double f[] = {10, 6}, v[] = {0, 0.5}, l[] = {-2, -2}; /* margin beta 0.65 */
    const double far[] = {10, 1000};
    (void)state;
    assert_close(loss_of("ucpo", 2, f, v, l).weight[1], 0.325, 1e-15, 0);
    assert_close(loss_of("ucpo,beta-min=1", 2, f, v, l).weight[1], 0.5, 1e-15, 0);
    assert_close(loss_of("ucpo,beta-max=2", 2, far, v, l).weight[1], 1.0, 1e-15, 0);
}

/* 1e-12 is no number to divide by, the next one is. */
static void beta_divides_by_what_is_above_1e_12(void **state)
{
    const double v[] = {0, 0}, l[] = {-2, -2};
    const double at[] = {1e-12, 3e-12}, above[] = {nextafter(1e-12, 1.0), 3e-12};
    (void)state;
    assert_close(loss_of("ucpo", 2, at, v, l).weight[1], 0.5, 1e-15, 0);
    assert_close(loss_of("ucpo", 2, above, v, l).weight[1], 1.5, 1e-14, 0);
}

static void a_beta_of_zero_pulls_nothing(void **state)
{
    const double f[] = {2, 3, 1}, v[] = {0, 0, 1}, l[] = {-2, -3, 5};
    (void)state;
    struct outcome out = loss_of("ucpo,scaling=constant,beta=0", 3, f, v, l);
    for (size_t i = 0; i < 3; i++) assert_true(out.weight[i] == 0.0);
    assert_close(out.result.margin, log2_, 1e-15, 0);
    assert_close(out.result.primal, log2_, 1e-15, 0);
    const double nothing[] = {0, 3, 1}; /* an infinite indicator, whatever the objective */
    out = loss_of("ucpo-beta-c,terms=margin", 3, nothing, v, l);
    for (size_t i = 0; i < 3; i++) assert_true(out.weight[i] == 0.0);
}

static void a_bound_that_is_not_met_changes_nothing(void **state)
{
    const double f[] = {1, 2}, v[] = {0, 0}, l[] = {-2, -2}; /* beta 2 */
    (void)state;
    assert_close(loss_of("ucpo,beta-min=1", 2, f, v, l).weight[1], 1.0, 1e-15, 0);
    assert_close(loss_of("ucpo,beta-max=3", 2, f, v, l).weight[1], 1.0, 1e-15, 0);
    assert_close(loss_of("ucpo,beta-max=0.5", 2, f, v, l).weight[1], 0.25, 1e-15, 0);
    assert_close(loss_of("ucpo,beta-min=0.5,beta-max=0.5", 2, f, v, l).weight[1], 0.25, 1e-15, 0);
}

static void lambda_zero_still_splits_by_violation(void **state)
{
    const double f[] = {10, 8, 9}, v[] = {0, 3, 2}, l[] = {-5, -4, -6};
    (void)state;
    ucpo_loss_result r = loss_of("ucpo,lambda=0", 3, f, v, l).result;
    assert_true(r.margin_active && r.feasible == 1);
}

static void extreme_scores_saturate_without_nan(void **state)
{
    const double f[] = {10, 11, 12}, v[] = {0, 0, 4}, up[] = {0, -1e100, -5000},
                 down[] = {-1e100, 0, 1e100};
    (void)state;
    for (size_t p = 0; ucpo_loss_preset_at(p); p++) {
        struct outcome a = loss_of(ucpo_loss_preset_at(p), 3, f, v, up);
        struct outcome b = loss_of(ucpo_loss_preset_at(p), 3, f, v, down);
        assert_true(isfinite(a.result.loss) && isfinite(b.result.loss));
        for (size_t i = 0; i < 3; i++) assert_true(isfinite(a.weight[i]) && isfinite(b.weight[i]));
    }
    struct outcome out = loss_of("ucpo", 3, f, v, up);
    assert_true(out.result.loss == 0.0 && out.weight[0] == 0.0);
    out = loss_of("ucpo", 3, f, v, down);
    assert_close(out.weight[1], 1.1, 1e-15, 0); /* beta c, the whole pull */
}

static void extreme_values_at_the_limit_stay_finite(void **state)
{
    const double f[] = {2e-12, 1e100, 1e100, 3}, v[] = {0, 0, 0, 1e99}, l[] = {-1e100, 1e100, 0, 5};
    (void)state;
    for (size_t p = 0; ucpo_loss_preset_at(p); p++) {
        struct outcome out = loss_of(ucpo_loss_preset_at(p), 4, f, v, l);
        assert_true(isfinite(out.result.loss));
        for (size_t i = 0; i < 4; i++) assert_true(isfinite(out.weight[i]));
    }
}

static void magnitudes_of_1e100_are_taken_and_no_larger_ones(void **state)
{
    const double most = 1e100, over = nextafter(1e100, HUGE_VAL);
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2)
        for (int which = 0; which < 3; which++)
            for (int is_over = 0; is_over < 2; is_over++) {
                double f[] = {1, 2}, v[] = {0, 0}, l[] = {-1, -2}, weight[2];
                double *of[] = {f, l, v}, value = sign * (is_over ? over : most);
                ucpo_loss_config config = ucpo_loss_config_default();
                ucpo_loss_result result;
                ucpo_error err;
                if (which == 2 && sign < 0) continue;
                if (which == 2) config.lambda = 0.0; /* L is then f */
                of[which][1] = value;
                ucpo_status st = ucpo_loss(&config, 2, f, v, l, &result, weight, NULL, &err);
                assert_int_equal(st, is_over ? UCPO_E_ARGUMENT : UCPO_OK);
            }
    double f[] = {9e99}, v[] = {1e99}, l[] = {0}, weight; /* L is 1e100 */
    ucpo_loss_result result;
    ucpo_error err;
    ucpo_loss_config config = ucpo_loss_config_default();
    config.lambda = 1.0;
    assert_ok(ucpo_loss(&config, 1, f, v, l, &result, &weight, NULL, &err), &err);
    config.lambda = 1.001;
    assert_int_equal(ucpo_loss(&config, 1, f, v, l, &result, &weight, NULL, &err), UCPO_E_ARGUMENT);
}

/* ---- bad input: an error that names index and value, nothing written ---- */

struct trial {
    const char *config;
    size_t count;
    double f[3], v[3], l[3];
    const char *expected;
};

static void check_refused(const struct trial *trial)
{
    ucpo_loss_config config;
    ucpo_error err;
    assert_ok(ucpo_loss_parse(trial->config, &config, &err), &err);
    ucpo_loss_result result;
    double weight[3];
    uint32_t rank[3];
    memset(&result, 0x5a, sizeof result);
    memset(weight, 0x5a, sizeof weight);
    memset(rank, 0x5a, sizeof rank);
    const ucpo_loss_result result_before = result;
    double weight_before[3];
    uint32_t rank_before[3];
    memcpy(weight_before, weight, sizeof weight);
    memcpy(rank_before, rank, sizeof rank);
    assert_int_equal(
        ucpo_loss(&config, trial->count, trial->f, trial->v, trial->l, &result, weight, rank, &err),
        UCPO_E_ARGUMENT);
    assert_int_equal(err.code, UCPO_E_ARGUMENT);
    assert_string_equal(err.text, trial->expected);
    assert_memory_equal(&result, &result_before, sizeof result);
    assert_memory_equal(weight, weight_before, sizeof weight);
    assert_memory_equal(rank, rank_before, sizeof rank);
}

#define NUMBER "expected a finite number of magnitude at most 1e100"

static void bad_values_are_named_and_nothing_is_written(void **state)
{
    const double inf = (double)INFINITY, nan = (double)NAN;
    const struct trial trials[] = {
        {"ucpo", 3, {1, 2, 3}, {0, 0, 0}, {0, nan, 0}, "score[1] is nan, " NUMBER},
        {"ucpo", 3, {1, 2, 3}, {0, 0, 0}, {0, 0, inf}, "score[2] is inf, " NUMBER},
        {"slim", 3, {1, 2, 3}, {0, 0, 0}, {-inf, 0, 0}, "score[0] is -inf, " NUMBER},
        {"ucpo", 3, {1, nan, 3}, {0, 0, 0}, {0, 0, 0}, "objective[1] is nan, " NUMBER},
        {"ucpo", 3, {1, 2, inf}, {0, 0, 0}, {0, 0, 0}, "objective[2] is inf, " NUMBER},
        {"ucpo",
         3,
         {-1e101, 2, 3},
         {0, 0, 0},
         {0, 0, 0},
         "objective[0] is -9.9999999999999998e+100, " NUMBER},
        {"ucpo",
         3,
         {1, 2, 3},
         {0, -0.5, 0},
         {0, 0, 0},
         "violation[1] is -0.5, expected a number 0 .. 1e100"},
        {"ucpo",
         3,
         {1, 2, 3},
         {0, 0, nan},
         {0, 0, 0},
         "violation[2] is nan, expected a number 0 .. 1e100"},
        {"ucpo,lambda=1e10",
         3,
         {1, 2, 3},
         {0, 2e95, 0},
         {0, 0, 0},
         "objective + lambda x violation[1] is 2.0000000000000001e+105, " NUMBER},
        /* two at a time: the first that is met is named */
        {"ucpo",
         3,
         {-1e101, 2, 3},
         {1e101, 0, 0},
         {0, 0, 0},
         "objective[0] is -9.9999999999999998e+100, " NUMBER},
        {"ucpo",
         3,
         {1.5e100, 2, 3},
         {-1e100, 0, 0},
         {0, 0, 0},
         "objective[0] is 1.4999999999999999e+100, " NUMBER},
        {"ucpo",
         3,
         {1, 2, 3},
         {-0.5, 0, 0},
         {0, nan, 0},
         "violation[0] is -0.5, expected a number 0 .. 1e100"},
        {"ucpo",
         3,
         {1, 2, nan},
         {0, -0.5, 0},
         {0, 0, inf},
         "violation[1] is -0.5, expected a number 0 .. 1e100"},
        {"reinforce", 0, {1, 2, 3}, {0, 0, 0}, {0, 0, 0}, "samples is 0, expected 1 .. 4294967295"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++) check_refused(&trials[i]);
}

static void sizes_that_cannot_exist_are_refused(void **state)
{
    const double x = 1.0;
    double weight = 7.0;
    ucpo_loss_result result;
    ucpo_error err;
    (void)state;
    assert_int_equal(ucpo_loss(NULL, SIZE_MAX, &x, &x, &x, &result, &weight, NULL, &err),
                     UCPO_E_ARGUMENT);
    assert_int_equal(
        ucpo_loss(NULL, (size_t)UINT32_MAX + 1, &x, &x, &x, &result, &weight, NULL, &err),
        UCPO_E_ARGUMENT);
    assert_string_equal(err.text, "samples is 4294967296, expected 1 .. 4294967295");
    assert_int_equal(
        ucpo_loss_batch(NULL, SIZE_MAX / 2, 50, &x, &x, &x, 1, &result, &weight, NULL, &err),
        UCPO_E_ARGUMENT);
    assert_non_null(strstr(err.text, "do not fit in memory"));
    assert_int_equal(ucpo_loss_batch(NULL, 0, 50, &x, &x, &x, 1, &result, &weight, NULL, &err),
                     UCPO_E_ARGUMENT);
    assert_string_equal(err.text, "batch is 0, expected at least 1");
    assert_true(weight == 7.0);
}

static void missing_arrays_are_named(void **state)
{
    const double x[] = {1, 2};
    double weight[2];
    ucpo_loss_result r;
    ucpo_error err;
    ucpo_loss_config config = ucpo_loss_config_default();
    (void)state;
    assert_int_equal(ucpo_loss(NULL, 2, NULL, x, x, &r, weight, NULL, &err), UCPO_E_ARGUMENT);
    assert_string_equal(err.text, "objective is NULL");
    assert_int_equal(ucpo_loss(NULL, 2, x, NULL, x, &r, weight, NULL, &err), UCPO_E_ARGUMENT);
    assert_string_equal(err.text, "violation is NULL");
    assert_int_equal(ucpo_loss(NULL, 2, x, x, NULL, &r, weight, NULL, &err), UCPO_E_ARGUMENT);
    assert_string_equal(err.text, "score is NULL");
    assert_int_equal(ucpo_loss(NULL, 2, x, x, x, NULL, weight, NULL, &err), UCPO_E_ARGUMENT);
    assert_string_equal(err.text, "result is NULL");
    assert_int_equal(ucpo_loss(NULL, 2, x, x, x, &r, NULL, NULL, &err), UCPO_E_ARGUMENT);
    assert_string_equal(err.text, "weight is NULL");
    config.k = 2;
    assert_int_equal(ucpo_loss(&config, 2, x, x, x, &r, weight, NULL, &err), UCPO_E_ARGUMENT);
    assert_string_equal(err.text, "rank is NULL, but k = 2 needs it");
    assert_int_equal(ucpo_loss(&config, 2, x, x, x, &r, weight, NULL, NULL), UCPO_E_ARGUMENT);
}

static void a_ranking_is_refused_as_a_loss_is(void **state)
{
    const double x[] = {1, 2}, bad[] = {1, (double)NAN}, none[] = {0, 0}, minus[] = {0, -1};
    uint32_t rank[] = {7, 7};
    ucpo_error err;
    ucpo_loss_config config = ucpo_loss_config_default();
    (void)state;
    config.lambda = -1.0;
    assert_int_equal(ucpo_rank(&config, 2, x, none, rank, &err), UCPO_E_ARGUMENT);
    assert_string_equal(err.text, "loss: lambda is -1, expected 0 .. 1e+100");
    assert_int_equal(ucpo_rank(NULL, 0, x, none, rank, &err), UCPO_E_ARGUMENT);
    assert_string_equal(err.text, "samples is 0, expected 1 .. 4294967295");
    assert_int_equal(ucpo_rank(NULL, 2, NULL, none, rank, &err), UCPO_E_ARGUMENT);
    assert_string_equal(err.text, "objective is NULL");
    assert_int_equal(ucpo_rank(NULL, 2, x, NULL, rank, &err), UCPO_E_ARGUMENT);
    assert_string_equal(err.text, "violation is NULL");
    assert_int_equal(ucpo_rank(NULL, 2, x, none, NULL, &err), UCPO_E_ARGUMENT);
    assert_string_equal(err.text, "rank is NULL");
    assert_int_equal(ucpo_rank(NULL, 2, bad, none, rank, &err), UCPO_E_ARGUMENT);
    assert_string_equal(err.text, "objective[1] is nan, " NUMBER);
    assert_int_equal(ucpo_rank(NULL, 2, x, minus, rank, &err), UCPO_E_ARGUMENT);
    assert_string_equal(err.text, "violation[1] is -1, expected a number 0 .. 1e100");
    assert_true(rank[0] == 7 && rank[1] == 7);
    assert_ok(ucpo_rank(NULL, 1, x, none, rank, &err), &err);
    assert_true(rank[0] == 0 && rank[1] == 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_trajectory_teaches_nothing),
        cmocka_unit_test(regimes_follow_the_sets),
        cmocka_unit_test(a_set_thinned_to_one_is_silent),
        cmocka_unit_test(identical_trajectories_cost_log_two_per_term),
        cmocka_unit_test(equal_advantages_do_not_amplify_rounding),
        cmocka_unit_test(equal_pairs_can_be_skipped_and_divisors_stay),
        cmocka_unit_test(beta_falls_back_to_one),
        cmocka_unit_test(beta_can_be_bounded_on_both_sides),
        cmocka_unit_test(lambda_zero_still_splits_by_violation),
        cmocka_unit_test(extreme_scores_saturate_without_nan),
        cmocka_unit_test(extreme_values_at_the_limit_stay_finite),
        cmocka_unit_test(bad_values_are_named_and_nothing_is_written),
        cmocka_unit_test(sizes_that_cannot_exist_are_refused),
        cmocka_unit_test(missing_arrays_are_named),
        cmocka_unit_test(advantages_are_told_from_rounding_beside_their_mean),
        cmocka_unit_test(baselines_by_hand),
        cmocka_unit_test(each_term_by_hand),
        cmocka_unit_test(beta_divides_by_what_is_above_1e_12),
        cmocka_unit_test(a_beta_of_zero_pulls_nothing),
        cmocka_unit_test(a_bound_that_is_not_met_changes_nothing),
        cmocka_unit_test(magnitudes_of_1e100_are_taken_and_no_larger_ones),
        cmocka_unit_test(a_ranking_is_refused_as_a_loss_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
