/* The building block: accuracy of its logistic part, and its derivatives at single points. */
#include "loss/block.h"
#include "support/support.h"

static void softplus_and_sigmoid_are_exact_to_the_last_bits(void **state)
{
    double worst = 0.0;
    (void)state;
    for (int i = -80000; i <= 80000; i++) {
        double x = i / 100.0 + 1e-3 * sin(i);
        struct logistic at = logistic_at(x);
        long double odds = expl(-fabsl((long double)x));
        long double softplus = (x > 0.0 ? (long double)x : 0.0L) + log1pl(odds);
        long double sigmoid = (x < 0.0 ? odds : 1.0L) / (1.0L + odds);
        if (odds < 1e-300L) continue; /* a subnormal result may round more coarsely */
        worst = fmax(worst, (double)(fabsl((long double)at.softplus - softplus) / softplus));
        worst = fmax(worst, (double)(fabsl((long double)at.sigmoid - sigmoid) / sigmoid));
    }
    print_message("largest relative error %.2e\n", worst);
    assert_true(worst < 5e-16);
}

static void logistic_has_no_bad_point(void **state)
{
    static const double points[] = {0.0, -0.0, 1e-300, 1e-17, 37.0, 745.0, 746.0, 1e10, 1e212};
    (void)state;
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) {
        struct logistic up = logistic_at(points[i]), down = logistic_at(-points[i]);
        assert_true(isfinite(up.softplus) && isfinite(down.softplus));
        assert_true(up.softplus >= points[i] && down.softplus >= 0.0);
        assert_close(up.sigmoid + down.sigmoid, 1.0, 1e-15, 0);
    }
    assert_true(logistic_at(1e212).softplus == 1e212);
    assert_true(logistic_at(-1e212).softplus == 0.0);
}

static void a_row_is_as_exact_as_its_numbers_one_by_one(void **state)
{
    double worst = 0.0;
    (void)state;
    for (int i = -70000; i <= 70000; i++) {
        double x[BLOCK_ROW], sigmoid[BLOCK_ROW];
        long double softplus = 0.0L;
        for (int k = 0; k < BLOCK_ROW; k++) {
            x[k] = i / 100.0 + (i % 7 - 3) * k * sin(i + k);
            softplus +=
                (x[k] > 0.0 ? (long double)x[k] : 0.0L) + log1pl(expl(-fabsl((long double)x[k])));
        }
        double sum = logistic_row(x, sigmoid);
        for (int k = 0; k < BLOCK_ROW; k++) {
            long double odds = expl(-fabsl((long double)x[k]));
            long double exact = (x[k] < 0.0 ? odds : 1.0L) / (1.0L + odds);
            if (odds < 1e-300L) continue;
            worst = fmax(worst, (double)(fabsl((long double)sigmoid[k] - exact) / exact));
        }
        if (softplus < 1e-290L) continue; /* beside it what counts as 0 is not */
        worst = fmax(worst, (double)(fabsl((long double)sum - softplus) / softplus));
    }
    print_message("largest relative error %.2e\n", worst);
    assert_true(worst < 2e-15);
}

static void a_row_has_no_bad_point(void **state)
{
    static const double points[] = {0.0, -0.0, 1e-300, 1e-17, 37.0, 708.0, 745.0, 1e10, 1e212};
    (void)state;
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) {
        double x[BLOCK_ROW], sigmoid[BLOCK_ROW];
        for (int k = 0; k < BLOCK_ROW; k++) x[k] = -HUGE_VAL;
        assert_true(logistic_row(x, sigmoid) == 0.0 && sigmoid[0] == 0.0);
        x[1] = points[i], x[6] = -points[i];
        double sum = logistic_row(x, sigmoid);
        double want = logistic_at(points[i]).softplus + logistic_at(-points[i]).softplus;
        assert_close(sum, want, 2e-15, 1e-300);
        assert_close(sigmoid[1] + sigmoid[6], 1.0, 1e-15, 0);
    }
}

static void a_row_is_its_pairs(void **state)
{
    double l[1 + BLOCK_ROW], one[1 + BLOCK_ROW] = {3.0}, all[1 + BLOCK_ROW] = {3.0};
    (void)state;
    for (size_t count = 1; count <= BLOCK_ROW; count++) {
        struct block_row row = {.winner = 0, .count = count, .coefficient = 0.7};
        double value = 0.0;
        for (size_t k = 0; k <= count; k++) l[k] = sin(5.0 * (double)(k + count));
        for (size_t k = 0; k < count; k++) {
            row.loser[k] = k + 1;
            row.beta[k] = 1.0 + 0.3 * (double)k;
            struct block pair = {0, k + 1, row.beta[k], 0.0, 0.7};
            value += block_pair(&pair, l, one);
        }
        assert_close(block_pairs(&row, l, all), value, 1e-14, 0);
        for (size_t k = 0; k <= BLOCK_ROW; k++) assert_close(all[k], one[k], 1e-14, 1e-14);
    }
}

static void a_pair_moves_winner_and_loser_by_the_same_amount(void **state)
{
    const double l[] = {-2.0, -1.0};
    double weight[] = {10.0, 20.0}; /* blocks add to what is there */
    struct block pair = {.winner = 0, .loser = 1, .beta = 1.5, .coefficient = 0.5, .shift = 0.25};
    (void)state;
    double value = block_pair(&pair, l, weight);
    double z = 1.5 * (-1.0 - 0.25);
    assert_close(value, 0.5 * log1p(exp(-z)), 1e-15, 0);
    assert_close(weight[0] - 10.0, -0.75 / (1.0 + exp(z)), 1e-14, 0);
    assert_close(weight[1] - 20.0, 0.75 / (1.0 + exp(z)), 1e-14, 0);
}

static void a_tie_pulls_towards_equal_scores(void **state)
{
    double apart[] = {-1.0, -4.0}, equal[] = {-1.0, -1.0}, weight[2] = {0};
    struct block pair = {.winner = 0, .loser = 1, .beta = 1.0, .coefficient = 1.0, .shift = 0.1};
    (void)state;
    double there = block_tie(&pair, 1, equal, weight);
    assert_close(there, -log(tanh(0.05)), 1e-14, 0); /* P = tanh(shift / 2) at mu = 0 */
    assert_true(weight[0] == 0.0 && weight[1] == 0.0);
    assert_true(block_tie(&pair, 1, apart, weight) > there);
    assert_true(weight[0] > 0.0 && weight[1] == -weight[0]);
    double literal[2] = {0};
    block_tie(&pair, 0, apart, literal);
    assert_true(literal[0] < weight[0] && literal[0] > 0.95 * weight[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(softplus_and_sigmoid_are_exact_to_the_last_bits),
        cmocka_unit_test(logistic_has_no_bad_point),
        cmocka_unit_test(a_row_is_as_exact_as_its_numbers_one_by_one),
        cmocka_unit_test(a_row_has_no_bad_point),
        cmocka_unit_test(a_row_is_its_pairs),
        cmocka_unit_test(a_pair_moves_winner_and_loser_by_the_same_amount),
        cmocka_unit_test(a_tie_pulls_towards_equal_scores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
