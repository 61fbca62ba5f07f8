/* Each allocation failing in turn while an instance is solved: a clean error, nothing leaked (seen by
 * the sanitizer build). */
#include "support/alloc.h"
#include "support/support.h"

static ucpo_model *model;
static ucpo_dataset *set;
static ucpo_instance *mirrored;

static int prepare(void **state)
{
    (void)state;
    ucpo_model_config c = ucpo_model_config_default("tspdl");
    c.width = 8, c.heads = 1, c.hidden = 1, c.layers = 1;
    ucpo_generate_config g = ucpo_generate_config_default();
    g.problem = "tspdl", g.size = 5, g.count = 1;
    if (ucpo_model_create(&c, 1, &model, NULL) || ucpo_generate(&g, &set, NULL)) return 1;
    return ucpo_instance_mirror(ucpo_dataset_at(set, 0), &mirrored, NULL) != UCPO_OK;
}

static int clean_up(void **state)
{
    (void)state;
    ucpo_model_free(model);
    ucpo_instance_free(mirrored);
    ucpo_dataset_free(set);
    return 0;
}

static void solving_survives_every_shortage(void **state)
{
    (void)state;
    int k = 0;
    for (;; k++) {
        ucpo_error err = {0};
        ucpo_solve_config config = ucpo_solve_config_default();
        config.threads = 1;
        ucpo_solution *solution = NULL;
        test_alloc_countdown = k;
        ucpo_status st = ucpo_solve(model, mirrored, &config, &solution, &err);
        int was_reached = test_alloc_countdown < 0;
        test_alloc_countdown = -1;
        ucpo_solution_free(solution);
        if (!was_reached) {
            assert_ok(st, &err);
            break;
        }
        assert_int_equal(st, UCPO_E_MEMORY);
        assert_int_equal(err.code, UCPO_E_MEMORY);
    }
    assert_true(k >= 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(solving_survives_every_shortage)};
    return cmocka_run_group_tests(tests, prepare, clean_up);
}
