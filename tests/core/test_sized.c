/* Settings that grew: programs older and newer than the library. */
#include "core/sized.h"

#include <string.h>

#include "support/support.h"

struct today {
    size_t struct_size;
    int first;
    double second;
};

struct yesterday {
    size_t struct_size;
    int first;
};

struct tomorrow {
    struct today today;
    int third;
};

static void an_older_program_leaves_what_it_does_not_know_at_its_default(void **state)
{
    (void)state;
    struct yesterday given = {sizeof given, 7};
    struct today own = {sizeof own, 1, 2.0};
    assert_int_equal(sized_take(&own, sizeof own, &given, "today", NULL), UCPO_OK);
    assert_int_equal(own.first, 7);
    assert_true(own.second == 2.0 && own.struct_size == sizeof own);
    struct yesterday out;
    sized_give(&out, sizeof out, &own, sizeof own);
    assert_true(out.first == 7 && out.struct_size == sizeof out);
}

static void a_newer_program_is_refused_only_for_what_it_uses(void **state)
{
    (void)state;
    struct today own = {sizeof own, 1, 2.0};
    struct tomorrow given;
    ucpo_error err = {0};
    memset(&given, 0xff, sizeof given);
    sized_give(&given, sizeof given, &own, sizeof own);
    assert_int_equal(given.third, 0);
    given.today.first = 9;
    assert_int_equal(sized_take(&own, sizeof own, &given, "today", &err), UCPO_OK);
    assert_int_equal(own.first, 9);
    given.third = 1, given.today.first = 10;
    assert_int_equal(sized_take(&own, sizeof own, &given, "today", &err), UCPO_E_UNSUPPORTED);
    assert_non_null(strstr(err.text, "older than the program"));
    assert_int_equal(own.first, 9);
}

static void settings_that_nobody_began_are_refused(void **state)
{
    (void)state;
    struct today own = {sizeof own, 1, 2.0}, given = {0};
    ucpo_error err = {0};
    assert_int_equal(sized_take(&own, sizeof own, &given, "today", &err), UCPO_E_ARGUMENT);
    assert_string_equal(err.text, "today.struct_size is 0: begin with today_default()");
    memset(&given, 0xa5, sizeof given);
    assert_int_equal(sized_take(&own, sizeof own, &given, "today", &err), UCPO_E_ARGUMENT);
    assert_int_equal(sized_take(&own, sizeof own, NULL, "today", &err), UCPO_OK);
    assert_int_equal(own.first, 1);
}

static void every_struct_of_settings_says_its_size(void **state)
{
    (void)state;
    assert_int_equal(ucpo_instance_data_default().struct_size, sizeof(ucpo_instance_data));
    assert_int_equal(ucpo_generate_config_default().struct_size, sizeof(ucpo_generate_config));
    assert_int_equal(ucpo_read_config_default().struct_size, sizeof(ucpo_read_config));
    assert_int_equal(ucpo_write_config_default().struct_size, sizeof(ucpo_write_config));
    assert_int_equal(ucpo_loss_config_default().struct_size, sizeof(ucpo_loss_config));
    assert_int_equal(ucpo_eval_config_default().struct_size, sizeof(ucpo_eval_config));
    assert_int_equal(ucpo_solve_config_default().struct_size, sizeof(ucpo_solve_config));
    assert_int_equal(ucpo_refine_config_default().struct_size, sizeof(ucpo_refine_config));
    assert_int_equal(ucpo_plot_config_default().struct_size, sizeof(ucpo_plot_config));
    ucpo_solve_config c = {0};
    ucpo_solution *out = NULL;
    ucpo_dataset *set = NULL;
    ucpo_generate_config g = ucpo_generate_config_default();
    g.problem = "tsptw", g.size = 5;
    assert_int_equal(ucpo_generate(&g, &set, NULL), UCPO_OK);
    assert_int_equal(ucpo_solve(NULL, ucpo_dataset_at(set, 0), &c, &out, NULL), UCPO_E_ARGUMENT);
    assert_null(out);
    ucpo_dataset_free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_older_program_leaves_what_it_does_not_know_at_its_default),
        cmocka_unit_test(a_newer_program_is_refused_only_for_what_it_uses),
        cmocka_unit_test(settings_that_nobody_began_are_refused),
        cmocka_unit_test(every_struct_of_settings_says_its_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
