/* Each allocation failing in turn, ours and jansson's, while data files are read and written: a
 * clean error, nothing leaked (seen by the sanitizer build). */
#include <stdlib.h>

#include "support/alloc.h"
#include "support/same.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

static int jansson_failed; /* the one that failed was jansson's */

#define FLEET                                                                                      \
    "{\"problem\":\"cvrptwlv\",\"name\":\"caf\\u00e9\",\"n\":3,"                                   \
    "\"coordinates\":[[0,0],[50,100],[100,60]],\"time_windows\":[[0,900],[4,90],[8,null]],"        \
    "\"service\":1,\"demand\":[0,1,2],\"capacity\":3,\"vehicles\":2,\"unit\":100}"
#define MATRIX                                                                                     \
    "{\"problem\":\"tsptw\",\"cost\":[[0,1],[2,0]],\"duration\":[[0,1],[2,0]],"                    \
    "\"time_windows\":[[0,900],[4,90]]}"

static const char set_text[] =
    "{\"schema\":\"ucpo.dataset/1\",\"instances\":[" FLEET "," MATRIX "," FLEET "]}";
static const char fleet_text[] =
    "{\"schema\":\"ucpo.dataset/1\",\"instances\":[" FLEET "," FLEET "]}";

/* What the scenarios work on, made while nothing fails. */
static ucpo_dataset *mixed, *fleets;
static ucpo_plans *plans;

static ucpo_status instances_through(const ucpo_dataset *set, const char *format, ucpo_error *err)
{
    ucpo_write_config options = ucpo_write_config_default();
    options.format = format;
    char *bytes = NULL;
    size_t size = 0;
    ucpo_status st = ucpo_write_bytes(set, &options, &bytes, &size, err);
    if (st) return st;
    ucpo_dataset *back = NULL;
    st = ucpo_read_bytes(bytes, size, "back", NULL, &back, err);
    ucpo_bytes_free(bytes);
    if (st) return st;
    int saved = test_alloc_countdown;
    test_alloc_countdown = -1; /* cmocka and the comparison may allocate */
    if (strcmp(format, "json") == 0) assert_same_set(set, back);
    ucpo_dataset_free(back);
    test_alloc_countdown = saved;
    return UCPO_OK;
}

static ucpo_status json_instances(ucpo_error *err)
{
    return instances_through(mixed, "json", err);
}

static ucpo_status npy_instances(ucpo_error *err)
{
    return instances_through(fleets, "npy", err);
}

static ucpo_status read_plan_text(const char *text, ucpo_error *err)
{
    ucpo_plans *back = NULL;
    ucpo_status st = ucpo_plans_read_bytes(text, strlen(text), "plan", NULL, mixed, &back, err);
    if (!st) ucpo_plans_free(back);
    return st;
}

static ucpo_status plans_through(const char *format, const ucpo_plans *which, ucpo_error *err)
{
    char *bytes = NULL;
    size_t size = 0;
    ucpo_status st = ucpo_plans_write_bytes(format, mixed, which, &bytes, &size, err);
    if (st) return st;
    ucpo_plans *back = NULL;
    st = ucpo_plans_read_bytes(bytes, size, "back", NULL, mixed, &back, err);
    ucpo_bytes_free(bytes);
    if (!st) ucpo_plans_free(back);
    return st;
}

static ucpo_status json_plans(ucpo_error *err)
{
    return plans_through("json", plans, err);
}

static ucpo_status csv_plans(ucpo_error *err)
{
    return plans_through("csv", plans, err);
}

static ucpo_status npy_plans(ucpo_error *err)
{
    return plans_through("npy", plans, err);
}

static ucpo_status single_plans(ucpo_error *err)
{
    static const int32_t nodes[] = {1, 0, 2};
    ucpo_plans *single = NULL;
    ucpo_status st = ucpo_plans_create(&single, err);
    if (!st) st = ucpo_plans_add(single, nodes, 3, NAN, err);
    if (!st) st = plans_through("sol", single, err);
    if (!st) st = plans_through("tour", single, err);
    ucpo_plans_free(single);
    return st;
}

static ucpo_status read_only_plans(ucpo_error *err)
{
    ucpo_status st = read_plan_text("1 2\n2 1\n", err);
    if (!st)
        st = read_plan_text("The tours traveled by the 2 salesmen are:\n1 2 1 (#1)  Cost: 20\n"
                            "1 3 1 (#1)  Cost: 3\n",
                            err);
    return st;
}

static void fail_each_allocation_of(ucpo_status (*scenario)(ucpo_error *), int fewest)
{
    int k = 0;
    for (;; k++) {
        ucpo_error err = {0};
        jansson_failed = 0;
        test_alloc_countdown = k;
        ucpo_status st = scenario(&err);
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
    assert_true(k >= fewest);
}

static void json_instances_survive(void **state)
{
    (void)state;
    fail_each_allocation_of(json_instances, 200);
}

static void npy_instances_survive(void **state)
{
    (void)state;
    fail_each_allocation_of(npy_instances, 10);
}

static void json_plans_survive(void **state)
{
    (void)state;
    fail_each_allocation_of(json_plans, 100);
}

static void other_plans_survive(void **state)
{
    (void)state;
    fail_each_allocation_of(csv_plans, 10);
    fail_each_allocation_of(npy_plans, 5);
    fail_each_allocation_of(single_plans, 10);
    fail_each_allocation_of(read_only_plans, 6);
}

/* jansson 2.14 does not look whether its token buffer (16 bytes, doubled for longer tokens) could
 * grow (its issue 362): it drops characters and later writes past the end. Those sizes are spared
 * here; the rest of jansson, and all of ours, must survive. */
static void *counted_malloc(size_t size)
{
    int is_token_buffer = size == 32 || size == 64 || size == 128;
    if (is_token_buffer || !test_alloc_fails_now()) return __real_malloc(size);
    jansson_failed = 1;
    return NULL;
}

static int set_up(void **state)
{
    (void)state;
    static const int32_t first[] = {1, 0, 2}, second[] = {1};
    ucpo_error err = {0};
    json_set_alloc_funcs(counted_malloc, free);
    mixed = read_text_set(set_text, NULL);
    fleets = read_text_set(fleet_text, NULL);
    if (ucpo_plans_create(&plans, &err)) return 1;
    if (ucpo_plans_add(plans, first, 3, 7, &err)) return 1;
    return ucpo_plans_add(plans, second, 1, NAN, &err) != UCPO_OK;
}

static int tear_down(void **state)
{
    (void)state;
    ucpo_dataset_free(mixed);
    ucpo_dataset_free(fleets);
    ucpo_plans_free(plans);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_instances_survive),
        cmocka_unit_test(npy_instances_survive),
        cmocka_unit_test(json_plans_survive),
        cmocka_unit_test(other_plans_survive),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
