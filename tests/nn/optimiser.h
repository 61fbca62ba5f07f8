/* Adam as its paper has it (Kingma and Ba, algorithm 1; decay added to the gradient, norm capped first), in double,
 * and what the optimiser must do beside it. For tests in float and in double. */
#ifndef UCPO_TESTS_OPTIMISER_H
#define UCPO_TESTS_OPTIMISER_H

#include "core/rng.h"
#include "nn/nn.h"
#include "support/kernels.h"
#include "support/support.h"

#include <math.h>
#include <string.h>

enum { PLENTY = 53 };

static const struct kern_ops *kern;

/* In double the two agree to the last bits, in float as long as rounding lets them. */
static double close_to(void)
{
    return sizeof(real) == sizeof(double) ? 1e-12 : 2e-5;
}

/* Tensors that learn at five paces, two neighbours at the same; odd sizes. */
static struct nn_model five_paces(void)
{
    static const double pace[] = {1, 1, 30, 0, 0.5, 300};
    static const size_t count[] = {5, 29, 8, 4, 6, 1};
    struct nn_model model = {.tensors = 6};
    for (int k = 0; k < 6; k++) {
        model.tensor[k].pace = pace[k];
        model.tensor[k].count = count[k];
        model.tensor[k].offset = model.total;
        model.total += count[k];
    }
    assert_int_equal(model.total, PLENTY);
    return model;
}

static double pace_at(const struct nn_model *model, size_t i)
{
    int k = 0;
    while (i >= model->tensor[k].offset + model->tensor[k].count) k++;
    return model->tensor[k].pace;
}

struct reference {
    double w[PLENTY], m[PLENTY], v[PLENTY];
};

static double follow(struct reference *r, const struct nn_model *model, const struct nn_adam *a,
                     int64_t t, const real *g)
{
    double norm = 0.0;
    for (size_t i = 0; i < model->total; i++) norm += (double)g[i] * (double)g[i];
    norm = sqrt(norm);
    for (size_t i = 0; i < model->total; i++) {
        double pace = pace_at(model, i), grad = (double)g[i];
        if (pace == 0.0) continue;
        if (a->clip_norm > 0.0 && norm > a->clip_norm) grad *= a->clip_norm / norm;
        grad += a->decay * r->w[i];
        r->m[i] = a->beta1 * r->m[i] + (1.0 - a->beta1) * grad;
        r->v[i] = a->beta2 * r->v[i] + (1.0 - a->beta2) * grad * grad;
        double m_hat = r->m[i] / (1.0 - pow(a->beta1, (double)t));
        double v_hat = r->v[i] / (1.0 - pow(a->beta2, (double)t));
        r->w[i] -= a->rate * pace * m_hat / (sqrt(v_hat) + a->eps);
    }
    return norm;
}

static void draw_gradient(real *g, size_t count, int64_t step, double size)
{
    struct rng rng = rng_at(7, RNG_TEST, (uint64_t)step);
    for (size_t i = 0; i < count; i++)
        g[i] = (real)(size * rng_normal(&rng) * (i % 7 == 3 ? 0.0 : pow(10.0, (double)(i % 4))));
}

static void forty_steps_of(struct nn_adam a, const struct nn_schedule *schedule, double size)
{
    struct nn_model model = five_paces();
    struct reference r = {{0}, {0}, {0}};
    real w[PLENTY], m[PLENTY] = {0}, v[PLENTY] = {0}, g[PLENTY];
    double base = a.rate;
    for (size_t i = 0; i < PLENTY; i++) {
        w[i] = (real)(1.0 + 0.25 * (double)(i % 8));
        r.w[i] = (double)w[i];
    }
    for (int64_t t = 1; t <= 40; t++) {
        draw_gradient(g, PLENTY, t, t % 3 ? size : 20.0 * size);
        a.rate = base * nn_schedule_factor(schedule, t - 1);
        double norm = nn_adam_step(&a, kern, &model, w, m, v, g);
        assert_close(norm, follow(&r, &model, &a, t, g), 1e-12, 0);
        assert_int_equal(a.step, t);
        for (size_t i = 0; i < PLENTY; i++) {
            assert_close((double)w[i], r.w[i], close_to(), close_to());
            assert_close((double)m[i], r.m[i], 20 * close_to(), close_to() * norm * 1e-2);
            assert_close((double)v[i], r.v[i], 20 * close_to(), close_to() * norm * 1e-2);
        }
    }
}

static void forty_steps_follow_the_paper(void **state)
{
    const struct nn_schedule level = {0}, rise = {.kind = NN_SCHEDULE_COSINE,
                                                  .warmup = 5,
                                                  .length = 40,
                                                  .last = 0.1};
    struct nn_adam a = nn_adam_default(), other = a;
    (void)state;
    a.rate = 1e-3;
    forty_steps_of(a, &level, 1e-3);
    a.decay = 0.1;
    forty_steps_of(a, &rise, 1e-3);
    a.clip_norm = 1.0; /* of norms about 2 and 40 */
    forty_steps_of(a, &rise, 1e-3);
    a.clip_norm = 5.0; /* some are above it */
    forty_steps_of(a, &level, 1e-3);
    other.rate = 2e-3, other.beta1 = 0.8, other.beta2 = 0.95, other.eps = 0.01, other.decay = 0.0;
    forty_steps_of(other, &rise, 1e-3);
    forty_steps_of(other, &level, 0.0); /* nothing to learn */
}

/* Without bias correction, or with one a step late, it would be another number. */
static void the_first_step_is_the_rate_whatever_the_gradient(void **state)
{
    (void)state;
    for (double size = 1e-3; size < 2e4; size *= 10.0)
        for (int sign = -1; sign <= 1; sign += 2) {
            struct nn_model one = {.tensors = 1, .total = 1, .tensor = {{.count = 1, .pace = 1}}};
            struct nn_adam a = nn_adam_default();
            real w[1] = {0}, m[1] = {0}, v[1] = {0}, g[1] = {(real)(sign * size)};
            a.rate = 0.125;
            nn_adam_step(&a, kern, &one, w, m, v, g);
            assert_close((double)w[0], -0.125 * sign, 2e-5, 0);
            nn_adam_step(&a, kern, &one, w, m, v, g); /* and so is the second, of the same */
            assert_close((double)w[0], -0.25 * sign, 2e-5, 0);
        }
}

/* Norm 5. What the first moment holds is a tenth of the gradient as it was used. */
static void moment_after(double clip, real m[4])
{
    struct nn_model model = {
        .tensors = 2,
        .total = 4,
        .tensor = {{.count = 3, .pace = 1}, {.offset = 3, .count = 1, .pace = 30}}};
    struct nn_adam a = nn_adam_default();
    real w[4] = {0}, v[4] = {0}, g[4] = {3, 0, 0, -4};
    a.clip_norm = clip;
    memset(m, 0, 4 * sizeof *m);
    assert_true(nn_adam_step(&a, kern, &model, w, m, v, g) == 5.0);
}

static double length_of(const real m[4])
{
    double sum = 0.0;
    for (int i = 0; i < 4; i++) sum += (double)m[i] * (double)m[i];
    return sqrt(sum);
}

static void a_gradient_is_capped_above_the_norm_and_not_at_it(void **state)
{
    const double above[] = {5.0, 5.0000001, 5.5, 9.99, 10.0, 10.01, 1e9, 0.0, -1.0};
    const double below[] = {4.999, 4.5, 2.6, 2.5, 2.4, 1.0, 1e-3};
    real free[4], m[4];
    (void)state;
    moment_after(0.0, free);
    assert_close(length_of(free), 0.5, 1e-6, 0);
    for (size_t k = 0; k < sizeof above / sizeof above[0]; k++) {
        moment_after(above[k], m);
        assert_memory_equal(m, free, sizeof m);
    }
    for (size_t k = 0; k < sizeof below / sizeof below[0]; k++) {
        moment_after(below[k], m);
        assert_close(length_of(m), 0.1 * below[k], 1e-6, 0);
        assert_close((double)m[0] / (double)m[3], -0.75, 1e-6, 0); /* the direction stays */
    }
}

static void what_does_not_learn_keeps_its_moments_too(void **state)
{
    struct nn_model model = five_paces();
    struct nn_adam a = nn_adam_default();
    real w[PLENTY], m[PLENTY], v[PLENTY], g[PLENTY];
    (void)state;
    a.decay = 0.5;
    for (size_t i = 0; i < PLENTY; i++) w[i] = m[i] = v[i] = 2, g[i] = 3;
    nn_adam_step(&a, kern, &model, w, m, v, g);
    for (size_t i = 0; i < PLENTY; i++) {
        int is_still = pace_at(&model, i) == 0.0;
        assert_int_equal(w[i] == 2, is_still);
        assert_int_equal(m[i] == 2, is_still);
        assert_int_equal(v[i] == 2, is_still);
    }
}

static void a_gradient_that_is_not_finite_changes_no_bit(void **state)
{
    const real bad[] = {(real)NAN, (real)INFINITY, -(real)INFINITY};
    struct nn_model model = five_paces();
    (void)state;
    for (size_t k = 0; k < 3; k++)
        for (size_t at = 0; at < PLENTY; at += PLENTY - 1) {
            struct nn_adam a = nn_adam_default();
            real w[PLENTY], m[PLENTY], v[PLENTY], g[PLENTY];
            for (size_t i = 0; i < PLENTY; i++) w[i] = m[i] = v[i] = 2, g[i] = 1;
            g[at] = bad[k];
            a.step = 9, a.clip_norm = 1.0;
            assert_false(isfinite(nn_adam_step(&a, kern, &model, w, m, v, g)));
            assert_int_equal(a.step, 9);
            for (size_t i = 0; i < PLENTY; i++) assert_true(w[i] == 2 && m[i] == 2 && v[i] == 2);
        }
}

static void defaults_are_those_of_the_header(void **state)
{
    struct nn_adam a = nn_adam_default();
    (void)state;
    assert_true(a.rate == 1e-4 && a.beta1 == 0.9 && a.beta2 == 0.999 && a.eps == 1e-8);
    assert_true(a.decay == 1e-6 && a.clip_norm == 0.0 && a.step == 0);
}

/* ---- the rate's schedule ---- */

static double factor(enum nn_schedule_kind kind, int64_t warmup, int64_t length, int64_t drop_at,
                     int64_t step)
{
    struct nn_schedule s = {kind, warmup, length, drop_at, 0.25};
    return nn_schedule_factor(&s, step);
}

static void every_schedule_rises_over_its_warm_up(void **state)
{
    (void)state;
    for (int kind = NN_SCHEDULE_CONSTANT; kind <= NN_SCHEDULE_COSINE; kind++)
        for (int64_t warmup = 0; warmup <= 6; warmup++) {
            for (int64_t step = 0; step < warmup; step++)
                assert_true(factor((enum nn_schedule_kind)kind, warmup, 20, 2, step) ==
                            (double)(step + 1) / (double)warmup);
            assert_true(factor((enum nn_schedule_kind)kind, warmup, 20, 15, warmup) == 1.0);
        }
}

static void a_schedule_goes_from_the_warm_up_to_the_length(void **state)
{
    (void)state;
    for (int64_t warmup = 0; warmup <= 8; warmup += 4)
        for (int64_t step = warmup; step <= 30; step++) {
            double done = step >= 24 ? 1.0 : (double)(step - warmup) / (double)(24 - warmup);
            assert_close(factor(NN_SCHEDULE_LINEAR, warmup, 24, 0, step), 1.0 - 0.75 * done, 1e-15,
                         0);
            assert_close(factor(NN_SCHEDULE_COSINE, warmup, 24, 0, step),
                         0.25 + 0.375 * (1.0 + cos(acos(-1.0) * done)), 1e-15, 0);
            assert_true(factor(NN_SCHEDULE_CONSTANT, warmup, 24, 0, step) == 1.0);
            assert_true(factor(NN_SCHEDULE_DROP, warmup, 24, 15, step) ==
                        (step >= 15 ? 0.25 : 1.0));
        }
    assert_close(factor(NN_SCHEDULE_COSINE, 0, 24, 0, 6), 0.25 + 0.375 * (1.0 + sqrt(0.5)), 1e-15,
                 0);
    assert_true(factor(NN_SCHEDULE_LINEAR, 23, 24, 0, 23) == 1.0);
    assert_true(factor(NN_SCHEDULE_LINEAR, 23, 24, 0, 24) == 0.25);
}

/* There is no way down if the warm-up takes all there is. */
static void a_warm_up_as_long_as_the_phase_ends_at_one(void **state)
{
    (void)state;
    for (int64_t length = 0; length <= 8; length += 4)
        for (int64_t step = 8; step <= 20; step += 4) {
            assert_true(factor(NN_SCHEDULE_LINEAR, 8, length, 0, step) == 1.0);
            assert_true(factor(NN_SCHEDULE_COSINE, 8, length, 0, step) == 1.0);
        }
}

static int run_optimiser_tests(int argc, char **argv)
{
    const struct kern_ops *other;
    int skipped = test_kernels(argc, argv, &kern, &other);
    if (skipped) return skipped;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forty_steps_follow_the_paper),
        cmocka_unit_test(the_first_step_is_the_rate_whatever_the_gradient),
        cmocka_unit_test(a_gradient_is_capped_above_the_norm_and_not_at_it),
        cmocka_unit_test(what_does_not_learn_keeps_its_moments_too),
        cmocka_unit_test(a_gradient_that_is_not_finite_changes_no_bit),
        cmocka_unit_test(defaults_are_those_of_the_header),
        cmocka_unit_test(every_schedule_rises_over_its_warm_up),
        cmocka_unit_test(a_schedule_goes_from_the_warm_up_to_the_length),
        cmocka_unit_test(a_warm_up_as_long_as_the_phase_ends_at_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
