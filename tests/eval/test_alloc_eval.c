/* Each allocation failing in turn while a set is solved and costs are read: a clean error, nothing
 * leaked (seen by the sanitizer build). */
#include <stdlib.h>
#include <string.h>

#include "support/alloc.h"
#include "support/support.h"

static ucpo_model *model;
static ucpo_dataset *set;

static int prepare(void **state)
{
    (void)state;
    ucpo_model_config c = ucpo_model_config_default("tspdl");
    c.width = 8, c.heads = 1, c.hidden = 1, c.layers = 1;
    ucpo_generate_config g = ucpo_generate_config_default();
    g.problem = "tspdl", g.size = 5, g.count = 3;
    if (ucpo_model_create(&c, 1, &model, NULL) || ucpo_generate(&g, &set, NULL)) return 1;
    ucpo_instance *mirrored = NULL;
    if (ucpo_instance_mirror(ucpo_dataset_at(set, 0), &mirrored, NULL)) return 1;
    return ucpo_dataset_add(set, mirrored, NULL) != UCPO_OK;
}

static int clean_up(void **state)
{
    (void)state;
    ucpo_model_free(model);
    ucpo_dataset_free(set);
    return 0;
}

static ucpo_status solve(ucpo_error *err)
{
    ucpo_eval_config config = ucpo_eval_config_default();
    config.threads = 1;
    ucpo_eval_record records[4];
    ucpo_plans *plans = NULL;
    ucpo_status st = ucpo_evaluate(model, set, &config, records, &plans, err);
    ucpo_plans_free(plans);
    return st;
}

/* [(1.5, [2])] */
static ucpo_status read_pickle(ucpo_error *err)
{
    static const char pickle[] =
        "\200\004\225\024\000\000\000\000\000\000\000\135\224\107\077\370\000\000"
        "\000\000\000\000\135\224\113\002\141\206\224\141\056";
    double *costs = NULL;
    size_t count = 0;
    ucpo_status st = ucpo_costs_read_bytes(pickle, sizeof pickle - 1, "p", &costs, &count, err);
    ucpo_costs_free(costs);
    return st;
}

static void check(ucpo_status (*work)(ucpo_error *err), int at_least)
{
    int k = 0;
    for (;; k++) {
        ucpo_error err = {0};
        test_alloc_countdown = k;
        ucpo_status st = work(&err);
        int was_reached = test_alloc_countdown < 0;
        test_alloc_countdown = -1;
        if (!was_reached) {
            assert_ok(st, &err);
            break;
        }
        assert_int_equal(st, UCPO_E_MEMORY);
        assert_int_equal(err.code, UCPO_E_MEMORY);
    }
    assert_true(k >= at_least);
}

static void solving_survives_every_shortage(void **state)
{
    (void)state;
    check(solve, 15);
}

static void reading_costs_survives_every_shortage(void **state)
{
    (void)state;
    check(read_pickle, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solving_survives_every_shortage),
        cmocka_unit_test(reading_costs_survives_every_shortage),
    };
    return cmocka_run_group_tests(tests, prepare, clean_up);
}
