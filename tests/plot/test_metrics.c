/* metrics.csv: columns by name, missing values, what is refused and how. */
#include "plot/plot.h"

#include "support/support.h"

#include <math.h>
#include <string.h>

static struct plot_run read_text(const char *text)
{
    struct plot_run run = {0};
    ucpo_error err = {0};
    assert_ok(plot_metrics_read(text, strlen(text), "m.csv", &run, &err), &err);
    return run;
}

static void columns_are_found_by_name(void **state)
{
    (void)state;
    struct plot_run run = read_text("gap,new,kind,instances,objective\r\n"
                                    "1.5,what,train,512,26.5\r\n"
                                    ",,sampled,1024,\r\n"
                                    "nan,,greedy,1536,inf\n"
                                    "-nan,,future,1536,1e300\n");
    assert_int_equal(run.count, 3); /* unknown kinds are skipped */
    assert_int_equal(run.rows[0].kind, PLOT_TRAIN);
    assert_true(run.rows[0].cell[PLOT_GAP] == 1.5);
    assert_true(run.rows[0].cell[PLOT_OBJECTIVE] == 26.5);
    assert_true(isnan(run.rows[0].cell[PLOT_LOSS]));
    assert_int_equal(run.rows[1].kind, PLOT_SAMPLED);
    assert_true(run.rows[1].cell[PLOT_INSTANCES] == 1024.0);
    assert_true(isnan(run.rows[1].cell[PLOT_OBJECTIVE]));
    assert_int_equal(run.rows[2].kind, PLOT_GREEDY);
    assert_true(isnan(run.rows[2].cell[PLOT_OBJECTIVE])); /* cannot be drawn */
    plot_run_free(&run);
}

static void a_last_line_that_is_being_written_is_skipped(void **state)
{
    (void)state;
    struct plot_run run = read_text("kind,instances,loss\ntrain,1,0.5\ntrain,2");
    assert_int_equal(run.count, 1);
    plot_run_free(&run);
    run = read_text("kind,instances,loss\ntrain,1,0.5\ntrain,2,0.25");
    assert_int_equal(run.count, 2);
    plot_run_free(&run);
    run = read_text("kind,instances");
    assert_int_equal(run.count, 0);
    plot_run_free(&run);
}

static void malformed_files_are_refused_by_line_and_column(void **state)
{
    static const struct {
        const char *text;
        long line;
        const char *part;
    } cases[] = {
        {"", 1, "column 'kind' is missing"},
        {"kind,loss\ntrain,1\n", 1, "column 'instances' is missing"},
        {"instances,loss\n", 1, "column 'kind' is missing"},
        {"kind,instances,loss,loss\n", 1, "column 'loss' is there twice"},
        {"kind,instances\ntrain,1\n\ntrain,many\n", 4, "instances is 'many', expected a number"},
        {"kind,instances,loss\ntrain,1,0x1p3\n", 2, "loss is '0x1p3'"},
        {"kind,instances,loss\ntrain,1\ntrain,1,2\n", 2, "has 2 cells, expected 3"},
        {"kind,instances\ntrain,1,2\n", 2, "has 3 cells, expected 2"},
        {"kind,instances\ntrain,1,2", 2, "has 3 cells, expected 2"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct plot_run run = {0};
        ucpo_error err = {0};
        ucpo_status st =
            plot_metrics_read(cases[i].text, strlen(cases[i].text), "m.csv", &run, &err);
        assert_int_equal(st, UCPO_E_FORMAT);
        assert_string_equal(err.file, "m.csv");
        if (!strstr(err.text, cases[i].part))
            fail_msg("'%s' is not in '%s'", cases[i].part, err.text);
        assert_int_equal(err.line, cases[i].line);
        assert_null(run.rows);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_found_by_name),
        cmocka_unit_test(a_last_line_that_is_being_written_is_skipped),
        cmocka_unit_test(malformed_files_are_refused_by_line_and_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
