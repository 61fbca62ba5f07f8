#include "core/text.h"
#include "support/support.h"

#include <string.h>

static const char *const keys[] = {"capacity", "coordinates", "cost", NULL, "demand", "n"};
static const size_t key_count = sizeof keys / sizeof keys[0];

static void finds_the_key_behind_common_slips(void **state)
{
    (void)state;

    static const struct {
        const char *word, *meant;
    } slip[] = {
        {"capacty", "capacity"},
        {"capactiy", "capacity"},
        {"Capacity", "capacity"},
        {"demands", "demand"},
        {"coost", "cost"},
        {"dmenad", "demand"},
        {"COSTS", "cost"},
        {"cordinate", "coordinates"},
        {"coordinat", "coordinates"},
    };

    for (size_t i = 0; i < sizeof slip / sizeof slip[0]; i++) {
        const char *near = text_nearest(slip[i].word, keys, key_count);
        assert_non_null(near);
        assert_string_equal(near, slip[i].meant);
    }
}

static void completes_a_word_that_only_one_key_begins_with(void **state)
{
    (void)state;
    assert_string_equal(text_nearest("coord", keys, key_count), "coordinates");
    assert_string_equal(text_nearest("dem", keys, key_count), "demand");
    const char *const twins[] = {"time_windows", "time_limit"};
    assert_null(text_nearest("time", twins, 2));
}

static void finds_nothing_when_nothing_is_near(void **state)
{
    (void)state;
    assert_null(text_nearest("penalty", keys, key_count));
    assert_null(text_nearest("coords", keys, key_count)); /* too many edits, and no prefix */
    assert_null(text_nearest("", keys, key_count));
    assert_null(text_nearest("x", keys, key_count));
    assert_null(text_nearest("cost", keys, 0));
    char endless[200];
    memset(endless, 'c', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    assert_null(text_nearest(endless, keys, key_count));
    const char *const giants[] = {endless, "cost"};
    assert_string_equal(text_nearest("cots", giants, 2), "cost");
}

static void the_first_of_two_equally_near_keys_wins(void **state)
{
    (void)state;
    const char *const pair[] = {"sea", "see"};
    assert_string_equal(text_nearest("sed", pair, 2), "sea");
    const char *const exact[] = {"sea", "see"};
    assert_string_equal(text_nearest("see", exact, 2), "see");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_key_behind_common_slips),
        cmocka_unit_test(completes_a_word_that_only_one_key_begins_with),
        cmocka_unit_test(finds_nothing_when_nothing_is_near),
        cmocka_unit_test(the_first_of_two_equally_near_keys_wins),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
