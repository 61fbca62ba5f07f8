/* Allocations under control: counted, and one of them made to fail. A test that includes this header is
 * linked with the allocator wrapped (cmake/tests.cmake). */
#ifndef UCPO_TEST_ALLOC_H
#define UCPO_TEST_ALLOC_H

#include <stddef.h>

/* volatile: the compiler knows malloc and would move plain stores past it. */
extern volatile int test_alloc_countdown; /* allocations until one fails; negative: none fails */
extern volatile size_t test_alloc_calls;  /* allocations so far */

/* Counts one allocation; 1 if it must fail. For allocators that are not malloc's. */
int test_alloc_fails_now(void);

/* The allocator itself, neither counted nor failing. */
void *__real_malloc(size_t size);

#endif
