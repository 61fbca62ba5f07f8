/* The benchmark tours: every one feasible, with exactly the best known cost. Needs ../shared. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/support.h"

#define FOLDER "data/benchmarks/tsptw"

static void check_tour(const char *family, const char *name, int n, double best)
{
    char path[512], relative[256];
    ucpo_error err = {0};
    ucpo_dataset *set = NULL;
    ucpo_plans *plans = NULL;
    snprintf(relative, sizeof relative, FOLDER "/%s/%s.tsptw", family, name);
    assert_ok(ucpo_read(test_shared_path(path, sizeof path, relative), NULL, &set, &err), &err);
    snprintf(relative, sizeof relative, FOLDER "/%s/%s.tour", family, name);
    assert_ok(
        ucpo_plans_read(test_shared_path(path, sizeof path, relative), NULL, set, &plans, &err),
        &err);
    const ucpo_instance *inst = ucpo_dataset_at(set, 0);
    assert_int_equal(ucpo_instance_view(inst)->n, n);
    ucpo_plan plan = ucpo_plans_at(plans, 0);
    ucpo_evaluation e;
    assert_ok(ucpo_check(inst, plan.nodes, plan.len, &e, NULL, 0, NULL, 0, &err), &err);
    if (!e.is_feasible || e.cost != best)
        print_error("%s/%s: feasible %d, cost %.17g, best known %.17g\n", family, name,
                    e.is_feasible, e.cost, best);
    assert_true(e.is_feasible);
    assert_true(e.cost == best && plan.stated_cost == best);
    ucpo_plans_free(plans);
    ucpo_dataset_free(set);
}

static void all_45_tsptw_tours_are_feasible_at_the_best_known_cost(void **state)
{
    (void)state;
    test_need_shared();
    char path[512];
    char *csv = test_read_file(
        test_shared_path(path, sizeof path, FOLDER "/best_known_selected.csv"), NULL);
    assert_non_null(csv);
    int count = 0;
    char *save = NULL;
    strtok_r(csv, "\r\n", &save); /* header */
    for (char *line = strtok_r(NULL, "\r\n", &save); line; line = strtok_r(NULL, "\r\n", &save)) {
        char family[64], name[64];
        int n;
        double best;
        assert_int_equal(sscanf(line, "%63[^,],%63[^,],%d,%lf", family, name, &n, &best), 4);
        check_tour(family, name, n, best);
        count++;
    }
    assert_int_equal(count, 45);
    free(csv);
}

/* LKH's own files of CVRPTW: SCALE with FLOOR_2D, and EXACT_2D. Also after a way through JSON and
 * back to TSPLIB, which writes scaled coordinates. */
static void tours_of_lkh_for_cvrptw_are_feasible_at_the_published_cost(void **state)
{
    (void)state;
    test_need_shared();

    static const struct {
        const char *name;
        double cost;
    } table[] = {{"C101_scale10", 8273}, {"R101_25_scale10", 6171}, {"RC101_exact", 1696945}};

    static const char *const ways[] = {NULL, "tsplib", "json"};

    for (size_t k = 0; k < 3; k++) {
        char path[512], relative[256];
        ucpo_error err = {0};
        ucpo_dataset *set = NULL;
        snprintf(relative, sizeof relative, "data/benchmarks/lkh_cvrptw/%s.vrptw", table[k].name);
        assert_ok(ucpo_read(test_shared_path(path, sizeof path, relative), NULL, &set, &err), &err);
        for (size_t way = 0; way < 3; way++) {
            ucpo_dataset *other = NULL;
            ucpo_write_config options = ucpo_write_config_default();
            char *bytes = NULL;
            size_t size = 0;
            options.format = ways[way];
            if (ways[way]) {
                assert_ok(ucpo_write_bytes(set, &options, &bytes, &size, &err), &err);
                assert_ok(ucpo_read_bytes(bytes, size, "text", NULL, &other, &err), &err);
                ucpo_bytes_free(bytes);
            }
            const ucpo_dataset *judge = other ? other : set;
            ucpo_plans *plans = NULL;
            snprintf(relative, sizeof relative, "data/benchmarks/lkh_cvrptw/%s.%.0f.tour",
                     table[k].name, table[k].cost);
            assert_ok(ucpo_plans_read(test_shared_path(path, sizeof path, relative), NULL, judge,
                                      &plans, &err),
                      &err);
            ucpo_plan plan = ucpo_plans_at(plans, 0);
            ucpo_evaluation e;
            assert_ok(ucpo_check(ucpo_dataset_at(judge, 0), plan.nodes, plan.len, &e, NULL, 0, NULL,
                                 0, &err),
                      &err);
            assert_true(e.is_feasible && !e.is_tolerated);
            assert_true(e.cost == table[k].cost && plan.stated_cost == table[k].cost);
            ucpo_plans_free(plans);
            ucpo_dataset_free(other);
        }
        ucpo_dataset_free(set);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_45_tsptw_tours_are_feasible_at_the_best_known_cost),
        cmocka_unit_test(tours_of_lkh_for_cvrptw_are_feasible_at_the_published_cost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
