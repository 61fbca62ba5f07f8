/* Pictures of runs, through the public function: what is in them, how large they are, what is
 * refused, memory. */
#include "io/io.h"
#include "support/alloc.h"
#include "support/support.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_RUNS = 9 };

static char folder[64], dirs[MOST_RUNS][128];

static const char *const *dir_list(void)
{
    static const char *list[MOST_RUNS];
    for (size_t i = 0; i < MOST_RUNS; i++) list[i] = dirs[i];
    return list;
}

static void metrics_path(size_t run, char out[160])
{
    snprintf(out, 160, "%.120s/metrics.csv", dirs[run]);
}

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/ucpo_plot_XXXXXX");
    if (!mkdtemp(folder)) return -1;
    for (size_t i = 0; i < MOST_RUNS; i++) {
        snprintf(dirs[i], sizeof dirs[i], "%s/a&<b>%zu", folder, i);
        if (mkdir(dirs[i], 0777) != 0) return -1;
    }
    return 0;
}

static int remove_folder(void **state)
{
    char path[160];
    (void)state;
    for (size_t i = 0; i < MOST_RUNS; i++) {
        metrics_path(i, path);
        unlink(path);
        rmdir(dirs[i]);
    }
    return rmdir(folder);
}

static void write_metrics(size_t run, const char *bytes, size_t size)
{
    char path[160];
    ucpo_error err = {0};
    metrics_path(run, path);
    assert_ok(ucpo_file_write(path, bytes, size, &err), &err);
}

static const char head[] = "kind,instances,loss,dual,margin,primal,dual_share,margin_share,"
                           "primal_share,infeasible_samples,infeasible_instances,objective,gap,"
                           "elapsed\n";

/* `rows` noisy training rows, a validation after each `every`. */
static void make_run(size_t run, int rows, int every, int has_gap)
{
    struct io_buffer text = {0};
    io_put(&text, head, strlen(head));
    for (int i = 1; i <= rows; i++) {
        double noise = fmod(i * 0.61803398875, 1.0), fall = 1.0 / (1.0 + 9.0 * i / rows);
        io_printf(&text, "train,%d,%g,0.1,0.2,0.3,%g,1,0.5,%g,%g,%g,,%g\n", i * 64, noise + fall,
                  fall * noise, fall, fall * fall, 20 + fall + noise, i * 1.5);
        for (int k = 0; i % every == 0 && k < 2; k++)
            io_printf(&text, "%s,%d,,,,,,,,%g,%g,%g,%s,%g\n", k ? "sampled" : "greedy", i * 64,
                      fall, fall / (1 + k), 20 + fall, has_gap ? "2.5" : "", i * 1.5);
    }
    assert_false(text.failed);
    write_metrics(run, text.bytes, text.size);
    io_buffer_free(&text);
}

static char *plot(size_t count, const char *x, size_t *size)
{
    char *bytes = NULL;
    ucpo_error err = {0};
    ucpo_plot_config options = ucpo_plot_config_default();
    if (x) options.x = x;
    size_t got = 0;
    assert_ok(ucpo_plot_runs(dir_list(), count, &options, &bytes, &got, &err), &err);
    char *text = calloc(got + 1, 1);
    assert_non_null(text);
    memcpy(text, bytes, got);
    ucpo_bytes_free(bytes);
    assert_int_equal(strncmp(text, "<svg ", 5), 0);
    assert_string_equal(text + got - 7, "</svg>\n");
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf\"")); /* no number that is none */
    if (size) *size = got;
    return text;
}

static void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part)) fail_msg("'%s' is not in the picture", part);
}

static void one_run_has_all_its_panels(void **state)
{
    (void)state;
    make_run(0, 200, 20, 1);
    char *text = plot(1, NULL, NULL);
    static const char *const parts[] = {">a&amp;&lt;b&gt;0<",
                                        ">infeasible<",
                                        ">objective<",
                                        ">gap<",
                                        ">loss<",
                                        ">share of instances<",
                                        ">validation, greedy<",
                                        ">instances<",
                                        ">dual<",
                                        ">12,800 instances in 5 min<",
                                        "class=\"raw c0\"",
                                        "prefers-color-scheme:dark"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) assert_has(text, parts[i]);
    free(text);
    text = plot(1, "time", NULL);
    assert_has(text, ">time (min)<");
    free(text);
    make_run(0, 200, 20, 0);
    text = plot(1, NULL, NULL);
    assert_null(strstr(text, ">gap<"));
    free(text);
}

static void several_runs_are_told_apart_by_name_and_colour(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++) make_run(i, 100 + (int)i, 10, i == 2);
    char *text = plot(3, NULL, NULL);
    assert_has(text, ">3 training runs<");
    assert_has(text, ">a&amp;&lt;b&gt;2<");
    assert_has(text, "class=\"line c2\"");
    assert_has(text, ">gap<");
    assert_null(strstr(text, "class=\"raw"));
    assert_null(strstr(text, ">dual<"));
    free(text);
}

/* 100,000 rows; then eight runs, each of more points than pixels. */
static void a_loss_without_pairs_has_no_panel_of_shares(void **state)
{
    (void)state;
    static const char text[] =
        "kind,instances,loss,dual,margin,primal,dual_share,margin_share,primal_share,"
        "infeasible_samples,infeasible_instances,objective,gap,elapsed\n"
        "train,64,1.5,,,,,,,0.5,0.2,21,,1\ntrain,128,1.25,0,0,0,0,0,0,0.4,0.1,20,,2\n";
    write_metrics(0, text, strlen(text));
    char *svg = plot(1, NULL, NULL);
    assert_has(svg, ">loss<");
    assert_null(strstr(svg, "share of instances"));
    assert_null(strstr(svg, ">dual<"));
    free(svg);
}

static void long_runs_give_small_pictures(void **state)
{
    size_t size;
    (void)state;
    make_run(0, 100000, 10, 1);
    for (size_t i = 1; i < 8; i++) make_run(i, 5000, 10, 1);
    free(plot(1, NULL, &size));
    assert_in_range(size, 20000, 500000);
    free(plot(8, NULL, &size));
    assert_in_range(size, 20000, 500000);
}

static void one_row_is_a_picture(void **state)
{
    (void)state;
    static const char row[] = "kind,instances,objective\ntrain,64,20.5\n";
    make_run(0, 1, 1, 1);
    free(plot(1, NULL, NULL));
    write_metrics(0, row, strlen(row));
    char *text = plot(1, NULL, NULL);
    assert_has(text, ">no values<");
    free(text);
}

/* Numbers carry a point under a locale that has a comma. */
static void the_locale_does_not_matter(void **state)
{
    (void)state;
    make_run(0, 50, 10, 1);
    char *plain = plot(1, NULL, NULL);
    if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "de_DE.utf8")) {
        free(plain);
        skip();
    }
    char *german = plot(1, NULL, NULL);
    setlocale(LC_ALL, "C");
    assert_string_equal(plain, german);
    free(plain);
    free(german);
}

static void assert_refused(size_t count, const char *x, ucpo_status code, const char *part)
{
    ucpo_plot_config options = ucpo_plot_config_default();
    options.x = x;
    char *bytes = NULL;
    size_t size = 0;
    ucpo_error err = {0};
    assert_int_equal(ucpo_plot_runs(dir_list(), count, &options, &bytes, &size, &err), code);
    if (!strstr(err.text, part)) fail_msg("'%s' is not in '%s'", part, err.text);
    assert_null(bytes);
}

static void what_cannot_be_drawn_is_refused(void **state)
{
    char path[160];
    ucpo_error err = {0};
    char *bytes = NULL;
    size_t size = 0;
    (void)state;
    assert_refused(1, NULL, UCPO_E_IO, "holds no metrics.csv");
    write_metrics(0, head, strlen(head));
    assert_refused(1, NULL, UCPO_E_FORMAT, "holds no row yet");
    static const char no_time[] = "kind,instances\ntrain,1\n";
    write_metrics(0, no_time, strlen(no_time));
    assert_refused(1, "time", UCPO_E_FORMAT, "no value in column 'elapsed'");
    assert_refused(1, "steps", UCPO_E_ARGUMENT, "x is 'steps', expected 'instances' or 'time'");
    assert_refused(0, NULL, UCPO_E_ARGUMENT, "0 runs, expected 1 to 8");
    assert_refused(9, NULL, UCPO_E_ARGUMENT, "9 runs, expected 1 to 8");
    metrics_path(0, path);
    const char *file = path;
    assert_int_equal(ucpo_plot_runs(&file, 1, NULL, &bytes, &size, &err), UCPO_E_UNSUPPORTED);
    assert_non_null(strstr(err.text, "is a file, expected the directory of a training run"));
    file = "/nowhere/at/all";
    assert_int_equal(ucpo_plot_runs(&file, 1, NULL, &bytes, &size, &err), UCPO_E_IO);
    assert_int_equal(ucpo_plot_runs(NULL, 1, NULL, &bytes, &size, &err), UCPO_E_ARGUMENT);
    assert_int_equal(ucpo_plot_runs(&file, 1, NULL, NULL, &size, &err), UCPO_E_ARGUMENT);
}

static void every_failed_allocation_is_reported(void **state)
{
    long failures = 0;
    int is_done = 0;
    (void)state;
    make_run(0, 40, 10, 1);
    make_run(1, 40, 10, 0);
    for (; !is_done; failures++) {
        char *bytes = NULL;
        size_t size = 0;
        ucpo_error err = {0};
        test_alloc_countdown = (int)failures;
        ucpo_status st = ucpo_plot_runs(dir_list(), 2, NULL, &bytes, &size, &err);
        is_done = test_alloc_countdown >= 0; /* none failed */
        test_alloc_countdown = -1;
        if (st != UCPO_OK) assert_null(bytes);
        ucpo_bytes_free(bytes);
    }
    assert_true(failures > 30);
}

#define FOLDER_TEST(function) cmocka_unit_test_setup_teardown(function, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(one_run_has_all_its_panels),
        FOLDER_TEST(several_runs_are_told_apart_by_name_and_colour),
        FOLDER_TEST(a_loss_without_pairs_has_no_panel_of_shares),
        FOLDER_TEST(long_runs_give_small_pictures),
        FOLDER_TEST(one_row_is_a_picture),
        FOLDER_TEST(the_locale_does_not_matter),
        FOLDER_TEST(what_cannot_be_drawn_is_refused),
        FOLDER_TEST(every_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
