#include "support/alloc.h"

volatile int test_alloc_countdown = -1;
volatile size_t test_alloc_calls;

void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

int test_alloc_fails_now(void)
{
    test_alloc_calls = test_alloc_calls + 1;
    if (test_alloc_countdown < 0) return 0;
    test_alloc_countdown = test_alloc_countdown - 1;
    return test_alloc_countdown < 0;
}

void *__wrap_malloc(size_t size)
{
    return test_alloc_fails_now() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return test_alloc_fails_now() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size)
{
    return test_alloc_fails_now() ? NULL : __real_realloc(block, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return test_alloc_fails_now() ? NULL : __real_aligned_alloc(alignment, size);
}
