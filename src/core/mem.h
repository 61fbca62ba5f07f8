/* Allocation with checked sizes, and a workspace that is laid out once and reused. */
#ifndef UCPO_CORE_MEM_H
#define UCPO_CORE_MEM_H

#include "core/status.h"

/* True if a * b does not fit size_t; otherwise stores the product. */
int size_mul_overflows(size_t a, size_t b, size_t *product);

/* count * size zeroed bytes, or NULL (also on overflow, which sets nothing else apart). count 0
 * gives a valid pointer. Release with free(). */
void *mem_zeroed(size_t count, size_t size);

/* Copy of count * size bytes, or NULL. */
void *mem_copy(const void *src, size_t count, size_t size);

/* `array` (NULL or from here, *capacity elements of `size` bytes), grown to hold at least `need`
 * > 0 elements; it may have moved. NULL on failure: the old array stays as it was. */
void *mem_grow(void *array, size_t *capacity, size_t need, size_t size, ucpo_error *err);

/* Appends a copy of `item` to an array of *count such elements. `array` is the address of the pointer to
 * it; on failure nothing has changed. */
ucpo_status mem_append(void *array, size_t *count, size_t *capacity, const void *item, size_t size,
                       ucpo_error *err);

/* Blocks that are given back together. Begins as zeros. */
struct mem_pool {
    struct mem_piece *last;
    int has_failed; /* there was no memory for one of them */
};

/* count * size zeroed bytes of the pool, or NULL. */
void *mem_take(struct mem_pool *pool, size_t count, size_t size, ucpo_error *err);
void mem_pool_free(struct mem_pool *pool);

/* Workspace: one block, pieces aligned to 64 bytes, never freed one by one.
 *
 * A layout function calls arena_take for each of its arrays. Run on an arena without a block it
 * only measures (arena_take returns NULL); run again after arena_reserve it places. One function
 * for both, so sizes cannot drift apart. */
struct arena {
    unsigned char *base;
    size_t size;
    size_t used;
    int overflowed; /* a size did not fit: arena_reserve will fail */
};

void *arena_take(struct arena *arena, size_t count, size_t size);

/* After a measuring run: allocates what was measured and rewinds, ready for the placing run. */
ucpo_status arena_reserve(struct arena *arena, ucpo_error *err);

/* Room for what `need` measured, zeroed and rewound: the block there is if it is large enough, otherwise
 * a new one. */
ucpo_status arena_fit(struct arena *arena, const struct arena *need, ucpo_error *err);

void arena_free(struct arena *arena);

#endif
