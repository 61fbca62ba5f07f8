#define _DEFAULT_SOURCE /* NOLINT(readability-identifier-naming): for madvise */
#include "core/mem.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __linux__
#include <sys/mman.h>
#endif

#define ARENA_ALIGN 64
#define LARGE_PAGE  ((size_t)2 << 20)

int size_mul_overflows(size_t a, size_t b, size_t *product)
{
    return __builtin_mul_overflow(a, b, product);
}

void *mem_zeroed(size_t count, size_t size)
{
    size_t bytes;
    if (size_mul_overflows(count, size, &bytes)) return NULL;
    return calloc(1, bytes ? bytes : 1);
}

void *mem_copy(const void *src, size_t count, size_t size)
{
    size_t bytes;
    if (size_mul_overflows(count, size, &bytes)) return NULL;
    void *dst = malloc(bytes ? bytes : 1);
    if (dst && bytes) memcpy(dst, src, bytes);
    return dst;
}

void *mem_grow(void *array, size_t *capacity, size_t need, size_t size, ucpo_error *err)
{
    if (need <= *capacity) return array;
    size_t grown = *capacity < 8 ? 8 : *capacity + *capacity / 2, bytes = SIZE_MAX;
    if (grown < need) grown = need;
    void *block = size_mul_overflows(grown, size, &bytes) ? NULL : realloc(array, bytes);
    if (block)
        *capacity = grown;
    else
        status_no_memory(err, bytes);
    return block;
}

ucpo_status mem_append(void *array, size_t *count, size_t *capacity, const void *item, size_t size,
                       ucpo_error *err)
{
    void *block;
    memcpy(&block, array, sizeof block);
    block = mem_grow(block, capacity, *count + 1, size, err);
    if (!block) return UCPO_E_MEMORY;
    memcpy(array, &block, sizeof block);
    memcpy((char *)block + size * (*count)++, item, size);
    return UCPO_OK;
}

struct mem_piece {
    struct mem_piece *before;
    max_align_t bytes[];
};

void *mem_take(struct mem_pool *pool, size_t count, size_t size, ucpo_error *err)
{
    size_t bytes = SIZE_MAX;
    struct mem_piece *piece = NULL;
    if (!size_mul_overflows(count, size, &bytes) && bytes < SIZE_MAX / 2)
        piece = calloc(1, sizeof *piece + bytes);
    if (!piece) {
        status_no_memory(err, bytes);
        pool->has_failed = 1;
        return NULL;
    }
    piece->before = pool->last;
    pool->last = piece;
    return piece->bytes;
}

void mem_pool_free(struct mem_pool *pool)
{
    for (struct mem_piece *piece = pool->last, *before; piece; piece = before) {
        before = piece->before;
        free(piece);
    }
    *pool = (struct mem_pool){0};
}

void *arena_take(struct arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (size_mul_overflows(count, size, &bytes) || bytes > SIZE_MAX / 2 - arena->used) {
        arena->overflowed = 1;
        return NULL;
    }
    void *piece = arena->base ? arena->base + arena->used : NULL;
    size_t end = arena->used + bytes;
    arena->used = (end + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
    return piece;
}

/* A gigabyte of small pages takes some 100 ms to touch and as long again to give back; of large ones a
 * few. Advice only: a system without them goes on as it would. */
static void prefer_large_pages(unsigned char *block, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    if (bytes < 2 * LARGE_PAGE) return;
    size_t skip = (LARGE_PAGE - (uintptr_t)block % LARGE_PAGE) % LARGE_PAGE;
    (void)madvise(block + skip, (bytes - skip) / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
#else
    (void)block;
    (void)bytes;
#endif
}

/* The block begins up to ARENA_ALIGN bytes before the base; its address is kept just before the base.
 * calloc, since large blocks then come as untouched pages of zeros: set-up takes no time, whoever
 * uses the memory pays for it. */
ucpo_status arena_reserve(struct arena *arena, ucpo_error *err)
{
    if (arena->overflowed) return status_no_memory(err, SIZE_MAX);
    size_t bytes = arena->used ? arena->used : ARENA_ALIGN;
    unsigned char *block = calloc(1, bytes + ARENA_ALIGN + sizeof block);
    if (!block) return status_no_memory(err, bytes);
    prefer_large_pages(block, bytes);
    size_t past = ((uintptr_t)block + sizeof block) % ARENA_ALIGN;
    arena->base = block + sizeof block + (ARENA_ALIGN - past) % ARENA_ALIGN;
    memcpy(arena->base - sizeof block, &block, sizeof block);
    arena->size = bytes;
    arena->used = 0;
    return UCPO_OK;
}

ucpo_status arena_fit(struct arena *arena, const struct arena *need, ucpo_error *err)
{
    if (!arena->base || need->overflowed || need->used > arena->size) {
        arena_free(arena);
        *arena = *need;
        return arena_reserve(arena, err);
    }
    memset(arena->base, 0, need->used);
    arena->used = 0;
    return UCPO_OK;
}

void arena_free(struct arena *arena)
{
    unsigned char *block = NULL;
    if (arena->base) memcpy(&block, arena->base - sizeof block, sizeof block);
    free(block);
    *arena = (struct arena){0};
}
