/* The warning about instances that are unlike the training's. */
#include "api/model.h"
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ucpo_model *trained_on(const char *problem, const char *level)
{
    ucpo_model_config c = ucpo_model_config_default(problem);
    c.width = 8, c.heads = 1, c.hidden = 4, c.layers = 1;
    ucpo_model *model = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_model_create(&c, 3, &model, &err), &err);
    if (level) assert_ok(ucpo_model_set_fact(model, "train.level", level, &err), &err);
    return model;
}

/* Instances of a set that draw a warning. */
static size_t warned(const ucpo_model *model, const ucpo_dataset *set)
{
    size_t count = 0;
    char text[160];
    for (size_t i = 0; i < ucpo_dataset_count(set); i++)
        count += model_is_far(model, ucpo_dataset_at(set, i), text, sizeof text) != 0;
    return count;
}

static ucpo_dataset *draw(const char *problem, const char *level, int32_t size, size_t count)
{
    ucpo_generate_config g = ucpo_generate_config_default();
    ucpo_dataset *set = NULL;
    ucpo_error err = {0};
    g.problem = problem, g.level = level, g.size = size, g.count = count, g.seed = 77;
    assert_ok(ucpo_generate(&g, &set, &err), &err);
    return set;
}

static void no_alarm_on_what_it_was_trained_on(void **state)
{
    (void)state;
    static const int32_t sizes[] = {10, 20, 50, 100};
    for (size_t p = 0; p < ucpo_problem_count(); p++) {
        const ucpo_problem_info *problem = ucpo_problem_at(p);
        char levels[64];
        snprintf(levels, sizeof levels, "%s", problem->levels);
        char *rest = levels;
        for (char *level; (level = strtok_r(rest, " ", &rest));) {
            ucpo_model *model = trained_on(problem->name, level);
            for (size_t k = 0; k < 4; k++) {
                ucpo_dataset *set = draw(problem->name, level, sizes[k], 100);
                assert_int_equal(warned(model, set), 0);
                ucpo_dataset_free(set);
            }
            ucpo_model_free(model);
        }
    }
}

static void no_alarm_on_the_published_sets(void **state)
{
    (void)state;
    for (size_t i = 0; ucpo_preset_at(i); i++) {
        const char *name = ucpo_preset_at(i);
        char problem[12] = "";
        memcpy(problem, name, strcspn(name, "0123456789"));
        ucpo_model *model = trained_on(problem, strchr(name, '_') + 1);
        ucpo_dataset *set = NULL;
        ucpo_error err = {0};
        assert_ok(ucpo_generate_preset(name, 0, 100, &set, &err), &err);
        assert_int_equal(warned(model, set), 0);
        ucpo_dataset_free(set);
        ucpo_model_free(model);
    }
}

static void narrow_and_wide_windows_are_noticed(void **state)
{
    (void)state;
    ucpo_model *hard = trained_on("tsptw", "hard"), *easy = trained_on("tsptw", "easy");
    ucpo_dataset *narrow = draw("tsptw", "hard", 50, 20), *wide = draw("tsptw", "easy", 50, 20);
    assert_int_equal(warned(hard, wide), 20);
    assert_int_equal(warned(easy, narrow), 20);
    ucpo_model *both = trained_on("tsptw", "easy hard"), *silent = trained_on("tsptw", NULL);
    assert_int_equal(warned(both, wide) + warned(both, narrow), 0);
    assert_int_equal(warned(silent, wide) + warned(silent, narrow), 0);
    char text[160];
    assert_true(model_is_far(hard, ucpo_dataset_at(wide, 0), text, sizeof text));
    assert_non_null(strstr(text, "windows"));
    ucpo_dataset_free(narrow);
    ucpo_dataset_free(wide);
    ucpo_model_free(both);
    ucpo_model_free(silent);
    ucpo_model_free(hard);
    ucpo_model_free(easy);
}

static void small_vehicles_are_noticed(void **state)
{
    (void)state;
    ucpo_model *model = trained_on("cvrptw", "cvrp");
    ucpo_dataset *set = draw("cvrptw", "cvrp", 50, 1);
    ucpo_instance_data d = *ucpo_instance_view(ucpo_dataset_at(set, 0));
    ucpo_instance *small = NULL;
    char text[160];
    d.capacity /= 4.0;
    assert_int_equal(ucpo_instance_create(&d, &small, NULL), UCPO_OK);
    assert_true(model_is_far(model, small, text, sizeof text));
    assert_non_null(strstr(text, "vehicle"));
    ucpo_instance_free(small);
    ucpo_dataset_free(set);
    ucpo_model_free(model);
}

/* Of three files of one size the one whose level the instance is of is found; with one for all levels
 * beside them, as small, still that one; and a smaller one before it. */
static void the_model_that_looks_right_is_found(void **state)
{
    (void)state;
    static const char *const levels[] = {"easy", "medium", "hard"};
    char folder[] = "/tmp/ucpo_find_XXXXXX", path[256], found[256];
    assert_non_null(mkdtemp(folder));
    ucpo_error err = {0};
    for (int k = 0; k < 3; k++) {
        ucpo_model *model = trained_on("tsptw", levels[k]);
        assert_ok(ucpo_model_set_fact(model, "train.sizes", "50", &err), &err);
        snprintf(path, sizeof path, "%s/%s.safetensors", folder, levels[k]);
        assert_ok(ucpo_model_save(model, path, UCPO_DTYPE_F32, &err), &err);
        ucpo_model_free(model);
    }
    for (int k = 0; k < 3; k++) {
        ucpo_dataset *set = draw("tsptw", levels[k], 60, 10);
        for (size_t i = 0; i < 10; i++) {
            assert_ok(ucpo_model_find(folder, ucpo_dataset_at(set, i), found, sizeof found, &err),
                      &err);
            snprintf(path, sizeof path, "%s/%s.safetensors", folder, levels[k]);
            assert_string_equal(found, path);
        }
        ucpo_dataset_free(set);
    }
    ucpo_model *general = trained_on("tsptw", "easy:1,medium:2,hard:1");
    assert_ok(ucpo_model_set_fact(general, "train.sizes", "20:1,50:3,100:2", &err), &err);
    snprintf(path, sizeof path, "%s/general.safetensors", folder);
    assert_ok(ucpo_model_save(general, path, UCPO_DTYPE_F16, &err), &err); /* smaller */
    ucpo_dataset *set = draw("tsptw", "hard", 60, 1);
    assert_ok(ucpo_model_find(folder, ucpo_dataset_at(set, 0), found, sizeof found, &err), &err);
    assert_string_equal(found, path);
    ucpo_dataset_free(set);
    ucpo_model_free(general);
    assert_int_equal(remove(path), 0);
    for (int k = 0; k < 3; k++) {
        snprintf(path, sizeof path, "%s/%s.safetensors", folder, levels[k]);
        assert_int_equal(remove(path), 0);
    }
    assert_int_equal(rmdir(folder), 0);
}

/* A larger file that has seen one level more, and so a little more of everything, does not win by a hair; on
 * that level it does. */
static void a_hair_does_not_choose_the_larger_model(void **state)
{
    (void)state;
    static const char *const levels[] = {"cvrp", "cvrp:1,mvmoe:1"}, *const asked[] = {"cvrp",
                                                                                      "mvmoe"};
    char folder[] = "/tmp/ucpo_find_XXXXXX", path[2][256], found[256];
    assert_non_null(mkdtemp(folder));
    ucpo_error err = {0};
    for (int k = 0; k < 2; k++) {
        ucpo_model *model = trained_on("cvrptw", levels[k]);
        assert_ok(ucpo_model_set_fact(model, "train.sizes", "50", &err), &err);
        snprintf(path[k], sizeof path[k], "%s/%d.safetensors", folder, k);
        assert_ok(ucpo_model_save(model, path[k], k ? UCPO_DTYPE_F32 : UCPO_DTYPE_F16, &err), &err);
        ucpo_model_free(model);
    }
    for (int k = 0; k < 2; k++) {
        ucpo_dataset *set = draw("cvrptw", asked[k], 50, 80);
        int right = 0;
        for (size_t i = 0; i < 80; i++) {
            assert_ok(ucpo_model_find(folder, ucpo_dataset_at(set, i), found, sizeof found, &err),
                      &err);
            right += strcmp(found, path[k]) == 0;
        }
        assert_true(right >= 76); /* single instances may look like the other level */
        ucpo_dataset_free(set);
    }
    for (int k = 0; k < 2; k++) assert_int_equal(remove(path[k]), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_model_that_looks_right_is_found),
        cmocka_unit_test(a_hair_does_not_choose_the_larger_model),
        cmocka_unit_test(no_alarm_on_what_it_was_trained_on),
        cmocka_unit_test(no_alarm_on_the_published_sets),
        cmocka_unit_test(narrow_and_wide_windows_are_noticed),
        cmocka_unit_test(small_vehicles_are_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
