/* The subset of TOML: what is read, what is refused and how, what is written. */
#include "io/toml.h"

#include "support/alloc.h"
#include "support/support.h"

#include <stdio.h>
#include <string.h>

static struct io_toml read_text(const char *text)
{
    struct io_toml doc = {0};
    ucpo_error err = {0};
    assert_ok(io_toml_read(text, strlen(text), "run.toml", &doc, &err), &err);
    return doc;
}

/* The value of a key of section `section`. */
static const char *value_of(const struct io_toml *doc, size_t section, const char *key)
{
    const struct io_toml_entry *entry = io_toml_find(doc, section, key);
    assert_non_null(entry);
    return entry->value;
}

static void assert_refused(const char *text, ucpo_status code, long line, const char *part)
{
    struct io_toml doc = {0};
    ucpo_error err = {0};
    ucpo_status st = io_toml_read(text, strlen(text), "run.toml", &doc, &err);
    if (st != code) fail_msg("'%s' gave %s, '%s'", text, ucpo_status_name(st), err.text);
    assert_int_equal(err.code, code);
    assert_string_equal(err.file, "run.toml");
    if (!strstr(err.text, part)) fail_msg("'%s' is not in '%s'", part, err.text);
    if (err.line != line) fail_msg("line %ld, expected %ld: %s", err.line, line, err.text);
    assert_null(doc.sections);
}

static void scalars_of_every_kind_are_read(void **state)
{
    (void)state;
    struct io_toml doc =
        read_text("\xEF\xBB\xBF# a run\r\n"
                  "learning-rate = 1e-4 # comment\r\n"
                  "seed=18_446_744_073_709_551_615\n"
                  "least = -9223372036854775808\n"
                  "plus = +1_0.5E+0_1\n"
                  "high = inf\nlow = -inf\nnone = nan\n"
                  "mask\t=\ttrue\n"
                  "quiet = false\n"
                  "literal = 'C:\\dir #1'\n"
                  "basic = \"a\\t\\\"b\\\" \\\\ \\u00e9\\U0001F600 # no comment\"\n"
                  "empty = \"\"");
    assert_int_equal(doc.entry_count, 12);
    assert_int_equal(doc.section_count, 1);
    assert_string_equal(value_of(&doc, 0, "learning-rate"), "1e-4");
    assert_int_equal(io_toml_find(&doc, 0, "learning-rate")->line, 2);
    assert_string_equal(value_of(&doc, 0, "seed"), "18446744073709551615");
    assert_string_equal(value_of(&doc, 0, "least"), "-9223372036854775808");
    assert_string_equal(value_of(&doc, 0, "plus"), "10.5e+01");
    assert_string_equal(value_of(&doc, 0, "high"), "inf");
    assert_string_equal(value_of(&doc, 0, "low"), "-inf");
    assert_string_equal(value_of(&doc, 0, "none"), "nan");
    assert_string_equal(value_of(&doc, 0, "mask"), "true");
    assert_string_equal(value_of(&doc, 0, "quiet"), "false");
    assert_string_equal(value_of(&doc, 0, "literal"), "C:\\dir #1");
    assert_string_equal(value_of(&doc, 0, "basic"),
                        "a\t\"b\" \\ \xC3\xA9\xF0\x9F\x98\x80 # no comment");
    assert_string_equal(value_of(&doc, 0, "empty"), "");
    io_toml_free(&doc);
}

static void sections_are_counted_by_name(void **state)
{
    (void)state;
    struct io_toml doc = read_text("a = 1\n[ model ]\na = 2\n[[phase]]\na = 3\n"
                                   "[[phase]] # empty\n[[other]]\n[[phase]]\na = 4\n");
    static const char *const names[] = {"", "model", "phase", "phase", "other", "phase"};
    static const size_t index[] = {0, 0, 0, 1, 0, 2};
    assert_int_equal(doc.section_count, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_string_equal(doc.sections[i].name, names[i]);
        assert_int_equal(doc.sections[i].index, index[i]);
        assert_int_equal(doc.sections[i].is_listed, i >= 2);
    }
    assert_string_equal(value_of(&doc, 0, "a"), "1");
    assert_string_equal(value_of(&doc, 1, "a"), "2");
    assert_string_equal(value_of(&doc, 5, "a"), "4");
    assert_null(io_toml_find(&doc, 3, "a"));
    assert_int_equal(doc.sections[5].line, 8);
    io_toml_free(&doc);
}

static void an_empty_file_has_only_the_top(void **state)
{
    (void)state;
    struct io_toml doc = read_text("\n  # nothing\n");
    assert_int_equal(doc.section_count, 1);
    assert_int_equal(doc.entry_count, 0);
    io_toml_free(&doc);
}

static void malformed_files_are_refused_by_line_key_and_value(void **state)
{
    static const struct {
        const char *text;
        long line;
        const char *part;
    } cases[] = {
        {"a = 1\nlr = fast\n", 2, "key 'lr' is 'fast', expected a string in quotes"},
        {"lr =\n", 1, "key 'lr' has no value here"},
        {"lr = # later\n", 1, "key 'lr' has no value here"},
        {"lr\n", 1, "key 'lr' has no value, expected 'lr = ...'"},
        {"= 1\n", 1, "'= 1' is no key"},
        {"a = 1\n\na = 2\n", 3, "key 'a' is already in line 1, expected it once"},
        {"[m]\nb = 1\n[m]\n", 3, "section 'm' is already in line 1, expected it once"},
        {"[m]\n[[m]]\n", 2, "always in double brackets"},
        {"[[m]]\n[m]\n", 2, "always in double brackets"},
        {"[m\na = 1", 1, "section 'm' is not closed, expected ']'"},
        {"[[m]\n", 1, "expected ']]'"},
        {"[]\n", 1, "is no section"},
        {"[m] a = 1\n", 1, "'a = 1' follows the section"},
        {"a = 1 2\n", 1, "'2' follows the value"},
        {"a = \"x\n", 1, "key 'a' is '\"x', expected a string that is closed"},
        {"a = 'x\n'\n", 1, "expected a string that is closed"},
        {"a = \"\\q\"\n", 1, "after a backslash"},
        {"a = \"\\uD800\"\n", 1, "after a backslash"},
        {"a = \"\\u0000\"\n", 1, "after a backslash"},
        {"a = \"\\U00110000\"\n", 1, "after a backslash"},
        {"a = \"\\UFFFFFFFF\"\n", 1, "after a backslash"},
        {"a = \"\\u12\"\n", 1, "after a backslash"},
        {"a = \"x\001\"\n", 1, "no control character"},
        {"a = 01\n", 1, "key 'a' is '01'"},
        {"a = 1__0\n", 1, "'1__0'"},
        {"a = 1_\n", 1, "'1_'"},
        {"a = _1\n", 1, "'_1'"},
        {"a = .5\n", 1, "'.5'"},
        {"a = 5.\n", 1, "'5.'"},
        {"a = 1e\n", 1, "'1e'"},
        {"a = True\n", 1, "'True'"},
        {"a = [1, 2]\n", 1, "a is a list, expected one value"},
        {"a = ]\n", 1, "key 'a' is ']'"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_refused(cases[i].text, UCPO_E_FORMAT, cases[i].line, cases[i].part);
    struct io_toml doc = {0};
    assert_int_equal(io_toml_read("a = \0", 5, "x", &doc, NULL), UCPO_E_FORMAT);
}

static void unsupported_toml_is_named(void **state)
{
    (void)state;
    assert_refused("d = 1979-05-27T07:32:00Z\n", UCPO_E_UNSUPPORTED, 1, "a date or time");
    assert_refused("d = 07:32:00\n", UCPO_E_UNSUPPORTED, 1, "a date or time");
    assert_refused("t = { a = 1 }\n", UCPO_E_UNSUPPORTED, 1, "an inline table");
    assert_refused("s = \"\"\"x\"\"\"\n", UCPO_E_UNSUPPORTED, 1, "a string over several lines");
    assert_refused("s = '''x'''\n", UCPO_E_UNSUPPORTED, 1, "a string over several lines");
    assert_refused("a.b = 1\n", UCPO_E_UNSUPPORTED, 1, "'a.b = 1' is a dotted name");
    assert_refused("a . b = 1\n", UCPO_E_UNSUPPORTED, 1, "a dotted name");
    assert_refused("[a.b]\n", UCPO_E_UNSUPPORTED, 1, "a dotted name");
    assert_refused("\"a\" = 1\n", UCPO_E_UNSUPPORTED, 1, "a name in quotes");
    assert_refused("a = 0xFF\n", UCPO_E_UNSUPPORTED, 1, "another base");
}

static void a_limit_is_an_error_not_a_cut(void **state)
{
    (void)state;
    struct io_buffer text = {0};
    for (int i = 0; i <= IO_TOML_LIMIT; i++) io_printf(&text, "k%d = 1\n", i);
    io_put(&text, "", 1);
    assert_false(text.failed);
    assert_refused(text.bytes, UCPO_E_UNSUPPORTED, IO_TOML_LIMIT + 1, "more than 4096 keys");
    text.size = 0;
    for (int i = 0; i <= IO_TOML_LIMIT; i++) io_printf(&text, "[[s]]\n");
    io_put(&text, "", 1);
    assert_refused(text.bytes, UCPO_E_UNSUPPORTED, IO_TOML_LIMIT + 1, "more than 4096 sections");
    io_buffer_free(&text);
}

static void what_is_written_reads_back_the_same(void **state)
{
    static const char odd[] = "quote \" back \\ tab\t line\n bell\a del\x7f latin \xE9";
    (void)state;
    struct io_buffer text = {0};
    io_toml_put_string(&text, "odd", odd);
    io_put(&text, "", 1);
    assert_false(text.failed);
    struct io_toml doc = read_text(text.bytes);
    assert_string_equal(value_of(&doc, 0, "odd"), odd);
    io_toml_free(&doc);
    io_buffer_free(&text);
}

static void every_failed_allocation_is_reported(void **state)
{
    static const char text[] = "a = 'x'\n[b]\nc = 2\n";
    long failures = 0;
    (void)state;
    for (;; failures++) {
        struct io_toml doc = {0};
        ucpo_error err = {0};
        test_alloc_countdown = (int)failures;
        ucpo_status st = io_toml_read(text, strlen(text), "x", &doc, &err);
        test_alloc_countdown = -1;
        io_toml_free(&doc);
        if (st == UCPO_OK) break;
        assert_int_equal(st, UCPO_E_MEMORY);
    }
    assert_true(failures >= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars_of_every_kind_are_read),
        cmocka_unit_test(sections_are_counted_by_name),
        cmocka_unit_test(an_empty_file_has_only_the_top),
        cmocka_unit_test(malformed_files_are_refused_by_line_key_and_value),
        cmocka_unit_test(unsupported_toml_is_named),
        cmocka_unit_test(a_limit_is_an_error_not_a_cut),
        cmocka_unit_test(what_is_written_reads_back_the_same),
        cmocka_unit_test(every_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
