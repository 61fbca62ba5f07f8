/* Curves: which points are taken, smoothed, thinned out. */
#include "plot/plot.h"

#include "support/support.h"

#include <math.h>

/* A run of `count` training rows: instances i, loss f(i). */
static struct plot_run make_run(size_t count, double (*f)(size_t))
{
    struct plot_run run = {.name = "run"};
    run.rows = mem_zeroed(count, sizeof *run.rows);
    assert_non_null(run.rows);
    run.count = count;
    for (size_t i = 0; i < count; i++) {
        for (int c = 0; c < PLOT_COLUMN_COUNT; c++) run.rows[i].cell[c] = NAN;
        run.rows[i].cell[PLOT_INSTANCES] = (double)i;
        run.rows[i].cell[PLOT_LOSS] = f(i);
    }
    return run;
}

static struct plot_points take(struct plot_run *run)
{
    struct plot_points points = {0};
    ucpo_error err = {0};
    assert_ok(plot_points_take(run, PLOT_TRAIN, PLOT_INSTANCES, PLOT_LOSS, 2.0, &points, &err),
              &err);
    plot_run_free(run);
    return points;
}

static double with_holes(size_t i)
{
    return i % 3 == 0 ? (double)NAN : (double)i;
}

static double line(size_t i)
{
    return 3.0 * (double)i;
}

static double zigzag(size_t i)
{
    return i % 2 ? 1.0 : -1.0;
}

static double spike(size_t i)
{
    return i == 777 ? 50.0 : 0.0;
}

static void missing_values_and_other_kinds_are_left_out(void **state)
{
    (void)state;
    struct plot_run run = make_run(10, with_holes);
    run.rows[1].kind = PLOT_GREEDY;
    struct plot_points points = take(&run);
    assert_int_equal(points.count, 5); /* 2 4 5 7 8 */
    assert_true(points.x[0] == 2.0 && points.y[0] == 4.0 && points.x[4] == 8.0);
    plot_points_free(&points);
}

static void a_straight_line_stays_where_it_is(void **state)
{
    (void)state;
    struct plot_run run = make_run(10000, line);
    struct plot_points points = take(&run);
    assert_true(plot_points_smooth(&points, 300));
    assert_int_equal(points.count, 300);
    for (size_t i = 10; i < 290; i++) assert_close(points.y[i], 6.0 * points.x[i], 1e-9, 1e-9);
    plot_points_free(&points);
}

static void noise_is_averaged_out_but_its_outline_kept(void **state)
{
    (void)state;
    struct plot_run run = make_run(5000, zigzag), again = make_run(5000, zigzag);
    struct plot_points smooth = take(&run), outline = take(&again);
    plot_points_smooth(&smooth, 300);
    plot_points_outline(&outline, 200);
    assert_int_equal(outline.count, 200);
    for (size_t i = 0; i < smooth.count; i++) assert_true(fabs(smooth.y[i]) < 0.2);
    for (size_t i = 0; i < outline.count; i++) assert_true(fabs(outline.y[i]) == 2.0);
    for (size_t i = 1; i < outline.count; i++) assert_true(outline.x[i] >= outline.x[i - 1]);
    plot_points_free(&smooth);
    plot_points_free(&outline);
}

static void a_spike_is_still_in_the_outline(void **state)
{
    (void)state;
    struct plot_run run = make_run(100000, spike);
    struct plot_points points = take(&run);
    double high = 0.0;
    plot_points_outline(&points, 100);
    for (size_t i = 0; i < points.count; i++) high = fmax(high, points.y[i]);
    assert_true(high == 100.0);
    plot_points_free(&points);
}

static void few_points_stay_as_they_are(void **state)
{
    (void)state;
    struct plot_run run = make_run(29, zigzag);
    struct plot_points points = take(&run);
    assert_false(plot_points_smooth(&points, 300));
    plot_points_outline(&points, 29);
    plot_points_pick(&points, 29);
    plot_points_mean(&points, 29);
    assert_int_equal(points.count, 29);
    assert_true(points.y[28] == -2.0);
    plot_points_free(&points);
}

static void the_last_point_is_always_picked(void **state)
{
    (void)state;
    for (size_t count = 8; count < 60; count++) {
        struct plot_run run = make_run(count, line);
        struct plot_points points = take(&run);
        plot_points_pick(&points, 7);
        assert_int_equal(points.count, 7);
        assert_true(points.x[6] == (double)(count - 1));
        for (size_t i = 1; i < 7; i++) assert_true(points.x[i] > points.x[i - 1]);
        plot_points_free(&points);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(missing_values_and_other_kinds_are_left_out),
        cmocka_unit_test(a_straight_line_stays_where_it_is),
        cmocka_unit_test(noise_is_averaged_out_but_its_outline_kept),
        cmocka_unit_test(a_spike_is_still_in_the_outline),
        cmocka_unit_test(few_points_stay_as_they_are),
        cmocka_unit_test(the_last_point_is_always_picked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
