#include "core/status.h"
#include "core/text.h"
#include "support/support.h"

#include <stdio.h>
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

/* ---- hidden characters ---- */

static const char *printable(const char *text)
{
    static char shown[400];
    size_t used = text_printable(text, strlen(text), "\n", shown, sizeof shown - 1);
    shown[used] = '\0';
    return shown;
}

static void what_turns_or_hides_text_is_shown_by_name(void **state)
{
    (void)state;
    assert_string_equal(printable("a\x1b[2Jb\x7f"), "a\\x1b[2Jb\\x7f");
    assert_string_equal(printable("\xC2\x9B"), "\\x9b");
    assert_string_equal(printable("\x9B"
                                  "31m"),
                        "\\x9b31m");                               /* a byte that is no UTF-8 */
    assert_string_equal(printable("\xE2\x80\xAEon"), "\\u202eon"); /* override */
    assert_string_equal(printable("\xE2\x81\xA6\xE2\x81\xA9"), "\\u2066\\u2069"); /* isolates */
    assert_string_equal(printable("\xD8\x9C"), "\\u061c");
    assert_string_equal(printable("\xE2\x80\xA8\xE2\x80\xA9"),
                        "\\u2028\\u2029"); /* ends of lines */
    assert_string_equal(printable("\xF3\xA0\x81\x81"), "\\U000e0041");
    assert_string_equal(printable("one\ntwo"), "one\ntwo"); /* kept if asked for */
    assert_string_equal(printable("one\ttwo"), "one\\x09two");
}

static void words_of_all_languages_are_left_as_they_are(void **state)
{
    (void)state;
    static const char *const words[] = {
        "Stra\303\237e 5", /* octal: an e would belong to a number of base 16 */
        "\xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D",
        "\xD9\x85\xDB\x8C\xE2\x80\x8C\xD8\xB4\xD9\x88\xD8\xAF", /* a joiner in a Persian word */
        "\xE6\x9D\xB1\xE4\xBA\xAC",
        "\xE2\x9D\xA4\xEF\xB8\x8F", /* an emoji and its variation */
        "\xF0\x9F\x9A\x9A"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        assert_string_equal(printable(words[i]), words[i]);
}

static void every_control_of_direction_is_hidden(void **state)
{
    (void)state;
    static const uint32_t marks[] = {0x061C, 0x200E, 0x200F, 0x202A, 0x202B, 0x202C,
                                     0x202D, 0x202E, 0x2066, 0x2067, 0x2068, 0x2069};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        uint32_t c = marks[i], code = 0;
        char two[] = {(char)(0xC0 | c >> 6), (char)(0x80 | (c & 0x3F)), 0};
        char three[] = {(char)(0xE0 | c >> 12), (char)(0x80 | (c >> 6 & 0x3F)),
                        (char)(0x80 | (c & 0x3F)), 0};
        const char *text = c < 0x800 ? two : three;
        assert_int_equal(text_hidden(text, strlen(text), &code), strlen(text));
        assert_int_equal(code, c);
    }
}

static void printable_text_is_cut_where_there_is_no_room(void **state)
{
    (void)state;
    char small[6] = "#####";
    assert_int_equal(text_printable("ab\xE2\x80\xAE", 5, "", small, 4), 8);
    assert_memory_equal(small, "ab\\u#", 5);
    assert_int_equal(text_printable("\xE2\x80", 2, "", NULL, 0),
                     8); /* half a character: two bytes */
    assert_int_equal(text_printable("", 0, "", NULL, 0), 0);
}

static void keep_text(void *user, ucpo_log_level level, const char *text)
{
    (void)level;
    snprintf(user, 100, "%s", text);
}

static void errors_and_warnings_show_hidden_characters_by_name(void **state)
{
    (void)state;
    ucpo_error err = {0};
    char message[100];
    (void)status_fail_at(&err, UCPO_E_FORMAT, "a\x1b.txt", 3, "key '%s' is not known",
                         "\xE2\x80\xAE"
                         "x");
    assert_string_equal(err.file, "a\x1b.txt"); /* the file's own name */
    assert_string_equal(err.text, "key '\\u202ex' is not known");
    ucpo_error_message(&err, message, sizeof message);
    assert_string_equal(message, "a\\x1b.txt:3: key '\\u202ex' is not known");
    ucpo_error_message(&err, message, 6);
    assert_string_equal(message, "a\\x1b");
    ucpo_hooks hooks = {.log = keep_text, .user = message};
    hooks_log(&hooks, UCPO_LOG_WARNING, "%s",
              "\xE2\x81\xA6"
              "y");
    assert_string_equal(message, "\\u2066y");
}

static void json_numbers_what_is_hidden(void **state)
{
    (void)state;
    static const char text[] = "a\"\\\n\xE2\x80\xAE\xF3\xA0\x81\x81\xFF\xC3\xA9";
    char all[100] = "", one[TEXT_JSON];
    size_t at = 0;
    for (size_t length; (length = text_json_next(text + at, one)) > 0; at += length)
        strcat(all, one);
    assert_int_equal(at, sizeof text - 1);
    assert_string_equal(all, "a\\\"\\\\\\u000a\\u202e\\udb40\\udc41\\ufffd\xC3\xA9");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_key_behind_common_slips),
        cmocka_unit_test(completes_a_word_that_only_one_key_begins_with),
        cmocka_unit_test(finds_nothing_when_nothing_is_near),
        cmocka_unit_test(the_first_of_two_equally_near_keys_wins),
        cmocka_unit_test(what_turns_or_hides_text_is_shown_by_name),
        cmocka_unit_test(words_of_all_languages_are_left_as_they_are),
        cmocka_unit_test(every_control_of_direction_is_hidden),
        cmocka_unit_test(printable_text_is_cut_where_there_is_no_room),
        cmocka_unit_test(errors_and_warnings_show_hidden_characters_by_name),
        cmocka_unit_test(json_numbers_what_is_hidden),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
