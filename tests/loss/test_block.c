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
        cmocka_unit_test(a_pair_moves_winner_and_loser_by_the_same_amount),
        cmocka_unit_test(a_tie_pulls_towards_equal_scores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
