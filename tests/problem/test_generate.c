/* Random sets: statistics of the recipes, independence of threads, refusals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/support.h"

static ucpo_dataset *draw(const char *problem, const char *level, int32_t size, size_t first,
                          size_t count, int threads)
{
    ucpo_generate_config c = ucpo_generate_config_default();
    c.problem = problem, c.level = level, c.size = size, c.first = first, c.count = count;
    c.threads = threads, c.seed = 11;
    ucpo_dataset *set = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_generate(&c, &set, &err), &err);
    return set;
}

static void same_arrays(const double *a, const double *b, int32_t n)
{
    assert_int_equal(a == NULL, b == NULL);
    if (a) assert_memory_equal(a, b, (size_t)n * sizeof(double));
}

static void same_instance(const ucpo_instance *left, const ucpo_instance *right)
{
    const ucpo_instance_data *a = ucpo_instance_view(left), *b = ucpo_instance_view(right);
    assert_int_equal(a->n, b->n);
    same_arrays(a->x, b->x, a->n);
    same_arrays(a->y, b->y, a->n);
    same_arrays(a->ready, b->ready, a->n);
    same_arrays(a->due, b->due, a->n);
    same_arrays(a->demand, b->demand, a->n);
    same_arrays(a->limit, b->limit, a->n);
    assert_true(a->capacity == b->capacity && a->vehicles == b->vehicles && a->unit == b->unit);
}

static void an_instance_depends_on_its_number_only(void **state)
{
    (void)state;
    for (size_t p = 0; p < ucpo_problem_count(); p++) {
        const char *name = ucpo_problem_at(p)->name;
        ucpo_dataset *whole = draw(name, NULL, 20, 0, 300, 1);
        ucpo_dataset *part = draw(name, NULL, 20, 100, 150, 2);
        for (size_t i = 0; i < 150; i++)
            same_instance(ucpo_dataset_at(whole, 100 + i), ucpo_dataset_at(part, i));
        ucpo_dataset_free(whole);
        ucpo_dataset_free(part);
    }
}

static void seeds_levels_and_sizes_give_unrelated_instances(void **state)
{
    (void)state;
    ucpo_dataset *easy = draw("tsptw", "easy", 20, 0, 1, 1),
                 *medium = draw("tsptw", "medium", 20, 0, 1, 1);
    assert_true(ucpo_instance_view(ucpo_dataset_at(easy, 0))->x[1] !=
                ucpo_instance_view(ucpo_dataset_at(medium, 0))->x[1]);
    ucpo_dataset_free(easy);
    ucpo_dataset_free(medium);
}

static void tsptw_windows_follow_the_recipe(void **state)
{
    (void)state;

    static const struct {
        const char *level;
        double low, high, mean;
    } want[] = {{"easy", 1375, 2062.5, 1718}, {"medium", 275, 550, 412}, {"hard", 0, 100, 50}};

    for (int l = 0; l < 3; l++) {
        ucpo_dataset *set = draw("tsptw", want[l].level, 50, 0, 400, 0);
        double sum = 0;
        for (size_t i = 0; i < 400; i++) {
            const ucpo_instance_data *d = ucpo_instance_view(ucpo_dataset_at(set, i));
            assert_close(d->unit, 100, 0, 0);
            for (int j = 1; j < 50; j++) {
                double width = d->due[j] - d->ready[j];
                assert_true(width >= want[l].low - 0.5 && width <= want[l].high + 0.5);
                assert_true(d->x[j] >= 0 && d->x[j] < 100.001);
                if (l < 2) assert_true(d->ready[j] == floor(d->ready[j]) && d->ready[j] < 2750);
                sum += width;
            }
        }
        assert_close(sum / (400 * 49), want[l].mean, 0.02, 0);
        ucpo_dataset_free(set);
    }
}

static void tspdl_restricts_the_right_number_of_ports(void **state)
{
    (void)state;

    static const struct {
        const char *level;
        int32_t size;
        int restricted;
    } want[] = {{"medium", 50, 37},
                {"hard", 50, 45},
                {"medium", 100, 75},
                {"hard", 100, 90},
                {"easy", 50, 25}};

    for (int l = 0; l < 5; l++) {
        ucpo_dataset *set = draw("tspdl", want[l].level, want[l].size, 0, 50, 0);
        for (size_t i = 0; i < 50; i++) {
            const ucpo_instance_data *d = ucpo_instance_view(ucpo_dataset_at(set, i));
            int restricted = 0;
            for (int j = 0; j < d->n; j++) restricted += d->limit[j] < d->n - 1;
            assert_int_equal(restricted, want[l].restricted);
            assert_true(d->limit[0] == d->n - 1 && d->demand[0] == 0 && d->demand[1] == 1);
        }
        ucpo_dataset_free(set);
    }
}

static void cvrptw_statistics_match_the_published_measurements(void **state)
{
    (void)state;
    ucpo_dataset *set = draw("cvrptw", "jampr", 50, 0, 2000, 0);
    double demand = 0, width = 0, narrow = 0, way = 0, ones = 0;
    for (size_t i = 0; i < 2000; i++) {
        const ucpo_instance *inst = ucpo_dataset_at(set, i);
        const ucpo_instance_data *d = ucpo_instance_view(inst);
        assert_true(d->n == 51 && d->capacity == 750 && d->due[0] == 10 && d->vehicles == 0);
        for (int j = 1; j < 51; j++) {
            double home = ucpo_instance_cost(inst, j, 0);
            demand += d->demand[j], ones += d->demand[j] == 1, way += 100 * home;
            width += 100 * (d->due[j] - d->ready[j]),
                narrow += 100 * (d->due[j] - d->ready[j]) < 50;
            assert_true(d->ready[j] >= home && d->due[j] + 0.1 + home <= 9.99 + 1e-9);
        }
    }
    assert_close(demand / 1e5, 15.11, 0.01, 0);
    assert_close(ones / 1e5, 0.052, 0.05, 0);
    assert_close(way / 1e5, 52.2, 0.02, 0);
    assert_close(width / 1e5, 188, 0.02, 0);
    assert_close(narrow / 1e5, 0.18, 0.05, 0);
    ucpo_dataset_free(set);
}

/* Shares measured on the 500 instances of the collection that ../shared has. */
static void mvmoe_windows_match_the_collection(void **state)
{
    (void)state;
    ucpo_dataset *set = draw("cvrptw", "mvmoe", 50, 0, 2000, 0);
    double demand = 0, width = 0, ready = 0, open = 0, late = 0, early = 0;
    for (size_t i = 0; i < 2000; i++) {
        const ucpo_instance *inst = ucpo_dataset_at(set, i);
        const ucpo_instance_data *d = ucpo_instance_view(inst);
        assert_true(d->n == 51 && d->capacity == 40 && d->due[0] == 3 && d->vehicles == 0);
        for (int j = 1; j < 51; j++) {
            double home = ucpo_instance_cost(inst, j, 0);
            demand += d->demand[j], width += d->due[j] - d->ready[j], ready += d->ready[j];
            open += d->ready[j] == 0, late += d->due[j] == 3, early += d->ready[j] < home;
            assert_true(d->service[j] == 0.2 && d->ready[j] >= 0 && d->due[j] <= 3);
            assert_true(home <= d->due[j] && fmax(home, d->ready[j]) + 0.2 + home <= 3 + 1e-9);
        }
    }
    assert_close(demand / 1e5, 4.99, 0.01, 0);
    assert_close(width / 1e5, 1.079, 0.01, 0);
    assert_close(ready / 1e5, 0.866, 0.01, 0);
    assert_close(open / 1e5, 0.0797, 0.05, 0);
    assert_close(late / 1e5, 0.0343, 0.06, 0);
    assert_close(early / 1e5, 0.3457, 0.03, 0);
    ucpo_dataset_free(set);
}

static void limited_fleets_are_as_small_as_the_demand_allows(void **state)
{
    (void)state;
    ucpo_dataset *set = draw("cvrptwlv", NULL, 50, 0, 500, 0);
    double fleet = 0;
    for (size_t i = 0; i < 500; i++) {
        const ucpo_instance_data *d = ucpo_instance_view(ucpo_dataset_at(set, i));
        double total = 0;
        for (int j = 1; j < 51; j++) {
            assert_true(d->demand[j] >= 1 && d->demand[j] <= 9 &&
                        d->demand[j] == floor(d->demand[j]));
            total += d->demand[j];
        }
        assert_close(d->capacity, 40, 0, 0);
        assert_int_equal(d->vehicles, (int)ceil(total / 40));
        fleet += d->vehicles;
    }
    assert_close(fleet / 500, 6.8, 0.03, 0);
    ucpo_dataset_free(set);
}

static void every_size_and_level_can_be_drawn(void **state)
{
    (void)state;
    static const int32_t sizes[] = {3, 4, 5, 7, 10, 20, 37, 100, 200, 500};
    for (size_t p = 0; p < ucpo_problem_count(); p++) {
        char levels[64], *level = levels;
        strcpy(levels, ucpo_problem_at(p)->levels);
        while (level) {
            char *next = strchr(level, ' ');
            if (next) *next++ = '\0';
            for (size_t k = 0; k < 10; k++)
                ucpo_dataset_free(draw(ucpo_problem_at(p)->name, level, sizes[k], 0, 3, 1));
            level = next;
        }
    }
}

static void bad_requests_name_the_value(void **state)
{
    (void)state;
    ucpo_generate_config c = ucpo_generate_config_default();
    ucpo_dataset *set = NULL;
    ucpo_error err = {0};
    c.problem = "no such problem";
    assert_int_equal(ucpo_generate(&c, &set, &err), UCPO_E_ARGUMENT);
    assert_non_null(strstr(err.text, "unknown problem 'no such problem'"));
    c.problem = "cvrptwlv", c.level = "jampr";
    assert_int_equal(ucpo_generate(&c, &set, &err), UCPO_E_ARGUMENT);
    assert_non_null(strstr(err.text, "unknown level 'jampr' for cvrptwlv, expected one of: cvrp"));
    c.level = NULL, c.size = 2;
    assert_int_equal(ucpo_generate(&c, &set, &err), UCPO_E_ARGUMENT);
    c.size = 20, c.count = 0;
    assert_int_equal(ucpo_generate(&c, &set, &err), UCPO_E_ARGUMENT);
    c.count = 2, c.first = SIZE_MAX; /* the number of the second would be 0 again */
    assert_int_equal(ucpo_generate(&c, &set, &err), UCPO_E_ARGUMENT);
    assert_non_null(strstr(err.text, "first is 18446744073709551615"));
    c.count = 1, c.first = 0, c.capacity = NAN;
    assert_int_equal(ucpo_generate(&c, &set, &err), UCPO_E_ARGUMENT);
    c.problem = "tsptw", c.capacity = 5;
    assert_int_equal(ucpo_generate(&c, &set, &err), UCPO_E_ARGUMENT);
    assert_null(set);
}

static int stop(void *user, size_t done, size_t total)
{
    (void)user, (void)done, (void)total;
    return 1;
}

static void drawing_can_be_cancelled(void **state)
{
    (void)state;
    ucpo_generate_config c = ucpo_generate_config_default();
    c.problem = "tsptw", c.count = 5000, c.hooks.progress = stop;
    ucpo_dataset *set = NULL;
    assert_int_equal(ucpo_generate(&c, &set, NULL), UCPO_E_CANCELLED);
    assert_null(set);
}

/* The hidden order is feasible at any size: sorted by the middle of the windows it is nearly found. */
static void hard_windows_leave_time_to_come_home(void **state)
{
    (void)state;
    static const int32_t sizes[] = {50, 100, 1500, 2000, 5000};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        ucpo_dataset *set = draw("tsptw", "hard", sizes[k], 0, 1, 1);
        const ucpo_instance *inst = ucpo_dataset_at(set, 0);
        const ucpo_instance_data *d = ucpo_instance_view(inst);
        for (int32_t i = 1; i < d->n; i++)
            assert_true(fmax(d->ready[i], 0) + ucpo_instance_duration(inst, i, 0) <= d->due[0]);
        if (sizes[k] <= 1500) assert_true(d->due[0] == 100000.0); /* as published */
        ucpo_dataset_free(set);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hard_windows_leave_time_to_come_home),
        cmocka_unit_test(an_instance_depends_on_its_number_only),
        cmocka_unit_test(seeds_levels_and_sizes_give_unrelated_instances),
        cmocka_unit_test(tsptw_windows_follow_the_recipe),
        cmocka_unit_test(tspdl_restricts_the_right_number_of_ports),
        cmocka_unit_test(cvrptw_statistics_match_the_published_measurements),
        cmocka_unit_test(mvmoe_windows_match_the_collection),
        cmocka_unit_test(limited_fleets_are_as_small_as_the_demand_allows),
        cmocka_unit_test(every_size_and_level_can_be_drawn),
        cmocka_unit_test(bad_requests_name_the_value),
        cmocka_unit_test(drawing_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
