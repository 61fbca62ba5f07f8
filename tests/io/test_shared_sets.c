/* The published validation sets and the LKH tours that came with them. */
#include "io/io.h"
#include "support/same.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct set {
    const char *name;
    int32_t n;
    const char *problem;
    double unit;
    int infeasible[4]; /* rows, ended by -1 */
};

static const struct set sets[] = {
    {"tsptw50_easy", 50, "tsptw", 100, {-1}},
    {"tsptw50_medium", 50, "tsptw", 100, {-1}},
    {"tsptw50_hard", 50, "tsptw", 100, {164, 921, 929, -1}},
    {"tsptw100_easy", 100, "tsptw", 100, {-1}},
    {"tsptw100_medium", 100, "tsptw", 100, {-1}},
    {"tsptw100_hard", 100, "tsptw", 100, {-1}},
    {"tspdl50_medium", 50, "tspdl", 1, {-1}},
    {"tspdl50_hard", 50, "tspdl", 1, {-1}},
    {"tspdl100_medium", 100, "tspdl", 1, {-1}},
    {"tspdl100_hard", 100, "tspdl", 1, {-1}},
};

enum { SET_COUNT = sizeof sets / sizeof sets[0] };

static const char *path_of(char *buf, size_t size, const struct set *s, const char *part)
{
    char relative[128];
    snprintf(relative, sizeof relative, "data/validation/%s_%s.npy", s->name, part);
    return test_shared_path(buf, size, relative);
}

static ucpo_dataset *read_set(const struct set *s)
{
    char path[512];
    ucpo_dataset *set = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_read(path_of(path, sizeof path, s, "first1000"), NULL, &set, &err), &err);
    return set;
}

static void the_ten_sets_are_recognised(void **state)
{
    (void)state;
    test_need_shared();
    for (size_t k = 0; k < SET_COUNT; k++) {
        ucpo_dataset *set = read_set(&sets[k]);
        assert_int_equal(ucpo_dataset_count(set), 1000);
        for (size_t i = 0; i < 1000; i++) {
            const ucpo_instance_data *d = ucpo_instance_view(ucpo_dataset_at(set, i));
            assert_string_equal(d->problem, sets[k].problem);
            assert_int_equal(d->n, sets[k].n);
            assert_true(d->unit == sets[k].unit);
            assert_int_equal(d->draft, UCPO_DRAFT_LOAD);
        }
        ucpo_dataset_free(set);
    }
}

static void the_first_rows_are_the_published_ones(void **state)
{
    (void)state;
    test_need_shared();

    static const struct {
        const char *name;
        float row[4];
    } expected[] = {
        {"tsptw50_medium", {93.26057f, 44.556816f, 2308, 2690}},
        {"tsptw50_hard", {16.195227f, 18.299059f, 1992.7521f, 2059.6973f}},
        {"tspdl50_hard", {0.16195227f, 0.1829906f, 1, 9}},
    };

    for (size_t k = 0; k < sizeof expected / sizeof expected[0]; k++) {
        size_t which = 0;
        while (strcmp(sets[which].name, expected[k].name) != 0) which++;
        ucpo_dataset *set = read_set(&sets[which]);
        const ucpo_instance_data *d = ucpo_instance_view(ucpo_dataset_at(set, 0));
        const float *row = expected[k].row;
        assert_close(d->x[1], (double)row[0], 1e-7, 0);
        assert_close(d->y[1], (double)row[1], 1e-7, 0);
        assert_close(d->limit ? d->demand[1] : d->ready[1], (double)row[2], 1e-7, 0);
        assert_close(d->limit ? d->limit[1] : d->due[1], (double)row[3], 1e-7, 0);
        ucpo_dataset_free(set);
    }
}

static void writing_a_set_gives_the_same_file(void **state)
{
    (void)state;
    test_need_shared();
    for (size_t k = 0; k < SET_COUNT; k++) {
        char path[512];
        size_t size = 0, original_size = 0;
        char *original =
            test_read_file(path_of(path, sizeof path, &sets[k], "first1000"), &original_size);
        ucpo_dataset *set = read_set(&sets[k]);
        ucpo_write_config options = ucpo_write_config_default();
        options.format = "npy";
        options.strict = 1; /* nothing is lost */
        char *bytes = NULL;
        ucpo_error err = {0};
        assert_ok(ucpo_write_bytes(set, &options, &bytes, &size, &err), &err);
        assert_int_equal(size, original_size);
        assert_memory_equal(bytes, original, size);
        ucpo_bytes_free(bytes);
        ucpo_dataset_free(set);
        free(original);
    }
}

static void json_carries_a_set_without_loss(void **state)
{
    (void)state;
    test_need_shared();
    ucpo_dataset *set = read_set(&sets[2]), *back = NULL;
    ucpo_write_config options = ucpo_write_config_default();
    options.format = "json";
    char *bytes = NULL;
    size_t size = 0;
    ucpo_error err = {0};
    assert_ok(ucpo_write_bytes(set, &options, &bytes, &size, &err), &err);
    assert_ok(ucpo_read_bytes(bytes, size, "back", NULL, &back, &err), &err);
    assert_same_set(set, back);
    ucpo_bytes_free(bytes);
    ucpo_dataset_free(back);
    ucpo_dataset_free(set);
}

static int is_listed(const int *rows, int row)
{
    while (*rows >= 0 && *rows != row) rows++;
    return *rows == row;
}

static void check_lkh_tours(const struct set *s)
{
    char path[512];
    ucpo_dataset *set = read_set(s);
    ucpo_plans *plans = NULL;
    ucpo_error err = {0};
    path_of(path, sizeof path, s, "lkh_tour1000");
    assert_ok(ucpo_plans_read(path, NULL, set, &plans, &err), &err);
    assert_int_equal(ucpo_plans_count(plans), 1000);
    size_t size = 0;
    char *bytes = test_read_file(path_of(path, sizeof path, s, "lkh_cost10000"), &size);
    assert_non_null(bytes);
    struct io_npy costs;
    assert_ok(io_npy_parse(bytes, size, path, &costs, &err), &err);
    for (int i = 0; i < 1000; i++) {
        const ucpo_instance *inst = ucpo_dataset_at(set, (size_t)i);
        ucpo_plan plan = ucpo_plans_at(plans, (size_t)i);
        ucpo_evaluation eval;
        assert_ok(ucpo_check(inst, plan.nodes, plan.len, &eval, NULL, 0, NULL, 0, &err), &err);
        assert_close(eval.cost / ucpo_instance_view(inst)->unit,
                     io_npy_at(&costs, (size_t[4]){(size_t)i}), 0, 1e-4);
        int expected = !is_listed(s->infeasible, i);
        if (eval.is_feasible != expected) {
            print_error("%s row %d: late %g over %g\n", s->name, i, eval.late_sum, eval.over_sum);
            fail();
        }
        int placeholder = strcmp(s->name, "tsptw50_hard") == 0 && (i == 921 || i == 929);
        assert_int_equal(plan.is_placeholder, placeholder);
        assert_int_equal(eval.missing + eval.duplicates + eval.unknown, 0);
    }
    free(bytes);
    ucpo_plans_free(plans);
    ucpo_dataset_free(set);
}

static void lkh_tours_cost_what_was_published_and_keep_the_rules(void **state)
{
    (void)state;
    test_need_shared();
    for (size_t k = 0; k < SET_COUNT; k++) check_lkh_tours(&sets[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ten_sets_are_recognised),
        cmocka_unit_test(the_first_rows_are_the_published_ones),
        cmocka_unit_test(writing_a_set_gives_the_same_file),
        cmocka_unit_test(json_carries_a_set_without_loss),
        cmocka_unit_test(lkh_tours_cost_what_was_published_and_keep_the_rules),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
