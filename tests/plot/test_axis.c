/* Ticks at round values, labels that are exact and short. */
#include "plot/plot.h"

#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* All labels of an axis, separated by blanks. */
static const char *labels(const struct plot_axis *axis, char *buf, size_t size)
{
    char one[64];
    buf[0] = '\0';
    for (long k = axis->first; k <= axis->last; k++) {
        size_t used = strlen(buf);
        snprintf(buf + used, size - used, "%s%s", used ? " " : "",
                 plot_axis_label(axis, k, one, sizeof one));
    }
    return buf;
}

static void ticks_are_round_and_labels_short(void **state)
{
    static const struct {
        double low, high;
        const char *expected;
    } cases[] = {
        {0, 100, "0 20 40 60 80 100"},
        {3, 97, "0 20 40 60 80 100"}, /* begins at 0: it is near */
        {26.05, 30.9, "26 27 28 29 30 31"},
        {0.61, 1.28, "0.6 0.8 1.0 1.2 1.4"},
        {-0.3, 0.2, "-0.3 -0.2 -0.1 0 0.1 0.2"},
        {0, 2048000, "0 0.5M 1.0M 1.5M 2.0M 2.5M"},
        {0, 51200, "0 20k 40k 60k"},
        {0, 3.2e9, "0 1G 2G 3G 4G"},
        {0, 4e-7, "0 1e-7 2e-7 3e-7 4e-7"},
        {0, 4e20, "0 1e20 2e20 3e20 4e20"},
        {5, 5, "4.7 4.8 4.9 5.0 5.1 5.2 5.3"},
        {0, 0, "0 0.2 0.4 0.6 0.8 1.0"},
    };

    char text[256];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct plot_axis axis = plot_axis_fit(cases[i].low, cases[i].high, 5, 1);
        assert_string_equal(labels(&axis, text, sizeof text), cases[i].expected);
        assert_true(axis.low <= cases[i].low && axis.high >= cases[i].high);
    }
}

static void suffixes_follow_every_label(void **state)
{
    char text[256];
    (void)state;
    struct plot_axis axis = plot_axis_fit(0.0, 4.0, 4, 1);
    axis.suffix = "%";
    assert_string_equal(labels(&axis, text, sizeof text), "0% 1% 2% 3% 4%");
}

static void time_is_counted_in_units_people_use(void **state)
{
    static const struct {
        double high;
        const char *unit, *expected;
    } cases[] = {{90, "s", "0 20 40 60 80"},
                 {900, "min", "0 5 10 15"},
                 {7300, "h", "0 0.5 1.0 1.5 2.0"},
                 {400000, "d", "0 1 2 3 4"}};

    char text[256];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *unit = NULL;
        struct plot_axis axis = plot_axis_time(1.0, cases[i].high, 5, &unit);
        assert_string_equal(unit, cases[i].unit);
        assert_string_equal(labels(&axis, text, sizeof text), cases[i].expected);
        assert_true(axis.high == cases[i].high); /* curves end at the right edge */
    }
}

static void any_range_has_a_few_ticks(void **state)
{
    (void)state;
    for (int e = -99; e < 99; e++)
        for (int k = 0; k < 40; k++) {
            double low = (0.37 * k - 5.0) * pow(10.0, e), high = low + (1.0 + k) * pow(10.0, e - 3);
            struct plot_axis axis = plot_axis_fit(low, high, 5, k % 2);
            assert_true(axis.high > axis.low);
            assert_in_range(axis.last - axis.first + 1, 2, 14);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_are_round_and_labels_short),
        cmocka_unit_test(suffixes_follow_every_label),
        cmocka_unit_test(time_is_counted_in_units_people_use),
        cmocka_unit_test(any_range_has_a_few_ticks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
