/* Each allocation failing in turn leaves a clean error (leaks are seen by the sanitizer build). */
#include <stdlib.h>

#include "problem/env.h"
#include "support/support.h"

static int countdown = -1; /* allocations until one fails; negative: none fails */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

static int fails_now(void)
{
    return countdown >= 0 && countdown-- == 0;
}

void *__wrap_malloc(size_t size)
{
    return fails_now() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails_now() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size)
{
    return fails_now() ? NULL : __real_realloc(block, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return fails_now() ? NULL : __real_aligned_alloc(alignment, size);
}

static ucpo_status use_everything(const char *problem, ucpo_error *err)
{
    ucpo_generate_config c = ucpo_generate_config_default();
    c.problem = problem, c.size = 6, c.count = 10, c.threads = 1;
    ucpo_dataset *set = NULL;
    ucpo_status st = ucpo_generate(&c, &set, err);
    struct prob_env *env = NULL;
    if (!st)
        st = prob_env_create(prob_find(problem), ucpo_instance_view(ucpo_dataset_at(set, 0))->n, 3,
                             &env, err);
    if (!st) st = prob_env_bind(env, ucpo_dataset_at(set, 1), err);
    ucpo_evaluation eval;
    if (!st) st = ucpo_check(ucpo_dataset_at(set, 0), NULL, 0, &eval, NULL, 0, NULL, 0, err);
    prob_env_free(env);
    ucpo_dataset_free(set);
    return st;
}

static void every_failing_allocation_is_a_clean_error(void **state)
{
    (void)state;
    for (size_t p = 0; p < ucpo_problem_count(); p++) {
        int k = 0;
        for (;; k++) {
            ucpo_error err = {0};
            countdown = k;
            ucpo_status st = use_everything(ucpo_problem_at(p)->name, &err);
            int was_reached = countdown < 0;
            countdown = -1;
            if (st == UCPO_OK && !was_reached) break;
            assert_int_equal(st, UCPO_E_MEMORY);
            assert_int_equal(err.code, UCPO_E_MEMORY);
        }
        assert_true(k > 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_failing_allocation_is_a_clean_error)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
