/* Each allocation failing in turn, ours and jansson's, while models are made, saved and loaded: a
 * clean error, nothing leaked (seen by the sanitizer build). */
#include <stdlib.h>

#include "support/alloc.h"
#include "support/support.h"

#include <jansson.h>
#include <string.h>

static int jansson_failed; /* the one that failed was jansson's */

static ucpo_status make_save_and_load(ucpo_error *err)
{
    ucpo_model_config c = ucpo_model_config_default("cvrptwlv");
    c.width = 8, c.heads = 1, c.hidden = 1, c.layers = 1;
    ucpo_model *model = NULL, *back = NULL;
    char *bytes = NULL;
    size_t size = 0;
    ucpo_status st = ucpo_model_create(&c, 1, &model, err);
    if (!st) st = ucpo_model_set_fact(model, "train.sizes", "20", err);
    if (!st) st = ucpo_model_set_fact(model, "notes", "", err);
    if (!st) st = ucpo_model_set_fact(model, "notes", "replaced", err);
    if (!st) st = ucpo_model_save_bytes(model, UCPO_DTYPE_F16, &bytes, &size, err);
    if (!st) st = ucpo_model_load_bytes(bytes, size, "back", &back, err);
    ucpo_bytes_free(bytes);
    ucpo_model_free(model);
    ucpo_model_free(back);
    return st;
}

static void every_failing_allocation_is_a_clean_error(void **state)
{
    (void)state;
    int k = 0;
    for (;; k++) {
        ucpo_error err = {0};
        jansson_failed = 0;
        test_alloc_countdown = k;
        ucpo_status st = make_save_and_load(&err);
        int was_reached = test_alloc_countdown < 0;
        test_alloc_countdown = -1;
        if (st == UCPO_OK && !was_reached) break;
        /* jansson may take its own shortage for a syntax error */
        if (jansson_failed && st == UCPO_E_FORMAT && strstr(err.text, "not valid JSON")) continue;
        if (st != UCPO_E_MEMORY || err.code != UCPO_E_MEMORY)
            print_error("allocation %d: %s: %s\n", k, ucpo_status_name(st), err.text);
        assert_int_equal(st, UCPO_E_MEMORY);
        assert_int_equal(err.code, UCPO_E_MEMORY);
    }
    assert_true(k > 200);
}

/* Besides models the folder holds files that are none: those are passed over, a lack of memory is not. */
static void finding_a_model_without_memory_is_a_clean_error(void **state)
{
    (void)state;
    ucpo_generate_config g = ucpo_generate_config_default();
    g.problem = "tsptw", g.size = 5, g.count = 1;
    ucpo_dataset *set = NULL;
    assert_int_equal(ucpo_generate(&g, &set, NULL), UCPO_OK);
    char path[4096];
    int k = 0;
    for (;; k++) {
        ucpo_error err = {0};
        jansson_failed = 0;
        test_alloc_countdown = k;
        ucpo_status st =
            ucpo_model_find(UCPO_TEST_DATA, ucpo_dataset_at(set, 0), path, sizeof path, &err);
        int was_reached = test_alloc_countdown < 0;
        test_alloc_countdown = -1;
        if (st == UCPO_OK && !was_reached) break;
        if (jansson_failed && st == UCPO_OK) continue; /* taken for a syntax error */
        assert_int_equal(st, UCPO_E_MEMORY);
        assert_int_equal(err.code, UCPO_E_MEMORY);
    }
    assert_true(k > 10);
    assert_non_null(strstr(path, "tsptw.safetensors"));
    ucpo_dataset_free(set);
}

/* jansson 2.14 does not look whether its token buffer (16 bytes, doubled for longer tokens) could
 * grow (its issue 362): it drops characters and later writes past the end. Those sizes are spared
 * here; the rest of jansson, and all of ours, must survive. */
static void *counted_malloc(size_t size)
{
    int is_token_buffer = size >= 32 && size <= 1024 && (size & (size - 1)) == 0;
    if (is_token_buffer || !test_alloc_fails_now()) return __real_malloc(size);
    jansson_failed = 1;
    return NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failing_allocation_is_a_clean_error),
        cmocka_unit_test(finding_a_model_without_memory_is_a_clean_error),
    };
    json_set_alloc_funcs(counted_malloc, free);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
