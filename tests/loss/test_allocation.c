/* The loss never allocates: every call of the allocator is counted. */
#include "support/alloc.h"
#include "support/support.h"

#include <stdlib.h>

static void the_counter_counts(void **state)
{
    (void)state;
    size_t before = test_alloc_calls;
    void *volatile block = malloc(10);
    size_t calls = test_alloc_calls - before;
    free(block);
    assert_int_equal(calls, 1);
}

static void no_loss_allocates(void **state)
{
    enum { N = 300, BATCH = 4 };

    static double f[N * BATCH], v[N * BATCH], l[N * BATCH], weight[N * BATCH];
    static uint32_t rank[N * BATCH];
    ucpo_loss_result result;
    ucpo_status status = UCPO_OK;
    (void)state;
    for (size_t i = 0; i < (size_t)N * BATCH; i++) {
        f[i] = 10.0 + (double)(i * 7 % 31);
        v[i] = (double)(i * 5 % 3);
        l[i] = -(double)(i * 11 % 17);
    }
    size_t before = test_alloc_calls;
    for (size_t p = 0; ucpo_loss_preset_at(p) && !status; p++) {
        ucpo_loss_config config;
        ucpo_error err;
        char text[64];
        status = ucpo_loss_parse(ucpo_loss_preset_at(p), &config, &err);
        ucpo_loss_config_text(&config, text, sizeof text);
        if (config.family == UCPO_LOSS_PAIRS) config.k = 1 + (uint32_t)p % 3;
        if (!status) status = ucpo_rank(&config, N, f, v, rank, &err);
        if (!status) status = ucpo_loss(&config, N, f, v, l, &result, weight, rank, &err);
        if (!status)
            status = ucpo_loss_batch(&config, BATCH, N, f, v, l, 1, &result, weight, rank, &err);
    }
    l[5] = f[0] / 0.0; /* the error path too */
    ucpo_error err;
    ucpo_status refused = ucpo_loss(NULL, N, f, v, l, &result, weight, NULL, &err);
    size_t calls = test_alloc_calls - before;
    assert_int_equal(status, UCPO_OK);
    assert_int_equal(refused, UCPO_E_ARGUMENT);
    assert_int_equal(calls, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_counter_counts),
        cmocka_unit_test(no_loss_allocates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
