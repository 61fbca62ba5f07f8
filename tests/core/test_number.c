/* Numbers in text under any locale. */
#include "core/number.h"
#include "core/rng.h"
#include "support/support.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void plain_numbers_are_read(void **state)
{
    static const struct {
        const char *text;
        double value;
    } good[] = {{"0", 0},  {"-1.5", -1.5}, {"+2", 2},         {"1e3", 1000},      {".5", 0.5},
                {"5.", 5}, {"1E-2", 0.01}, {"inf", HUGE_VAL}, {"-inf", -HUGE_VAL}};

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        double value = 7.0;
        assert_true(number_read(good[i].text, strlen(good[i].text), &value));
        assert_true(value == good[i].value);
    }
}

static void anything_else_is_refused(void **state)
{
    static const char *const bad[] = {"",         "x",   "1x",  "0x10", "nan", "1.2.3",
                                      "1e400",    "1,5", "--1", "1e",   " 1",  "1 ",
                                      "infinity", "+",   ".",   "1_000"};
    double value = 7.0;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(number_read(bad[i], strlen(bad[i]), &value));
    char digits[100];
    memset(digits, '1', sizeof digits);
    assert_false(number_read(digits, sizeof digits, &value));
    assert_true(value == 7.0);
}

static void only_the_given_characters_are_read(void **state)
{
    double value;
    (void)state;
    assert_true(number_read("12345", 2, &value));
    assert_true(value == 12.0);
}

static void check_round_trip(double value)
{
    char text[NUMBER_SIZE];
    double back;
    number_write(text, value);
    assert_true(number_read(text, strlen(text), &back));
    assert_true(back == value);
    assert_null(strchr(text, ','));
}

static void check_round_trips(void)
{
    struct rng rng = rng_at(3, RNG_TEST, 0);
    for (int i = 0; i < 2000; i++)
        check_round_trip(ldexp(rng_uniform(&rng) - 0.5, (int)rng_below(&rng, 600) - 300));
    check_round_trip(0.1);
    check_round_trip(-1.7976931348623157e308);
    check_round_trip(HUGE_VAL);
    char text[NUMBER_SIZE];
    assert_string_equal(number_write(text, 0.1), "0.1");
    assert_string_equal(number_write(text, 4.0), "4");
}

static void written_numbers_read_back_to_the_same_bits(void **state)
{
    (void)state;
    check_round_trips();
}

static void a_decimal_comma_in_the_locale_changes_nothing(void **state)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "ps_AF.UTF-8"};
    const char *got = NULL;
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !got; i++)
        got = setlocale(LC_NUMERIC, names[i]);
    if (!got) skip(); /* no such locale on this machine */
    check_round_trips();
    setlocale(LC_NUMERIC, "C");
}

static void times_have_units(void **state)
{
    static const struct {
        const char *text;
        double seconds;
    } good[] = {{"2", 2},      {"0.5s", 0.5}, {"200ms", 0.2}, {"1.5m", 90},
                {"8h", 28800}, {"0", 0},      {".5s", 0.5}};

    static const char *const bad[] = {"",   "s",    "ms",  "-1s",    "1 s",
                                      "2d", "1e3s", "inf", "1.2.3s", "2S"};
    (void)state;
    double seconds;
    for (size_t k = 0; k < sizeof good / sizeof good[0]; k++) {
        assert_true(number_read_time(good[k].text, &seconds));
        assert_close(seconds, good[k].seconds, 1e-15, 0.0);
    }
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++)
        assert_false(number_read_time(bad[k], &seconds));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_have_units),
        cmocka_unit_test(plain_numbers_are_read),
        cmocka_unit_test(anything_else_is_refused),
        cmocka_unit_test(only_the_given_characters_are_read),
        cmocka_unit_test(written_numbers_read_back_to_the_same_bits),
        cmocka_unit_test(a_decimal_comma_in_the_locale_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
