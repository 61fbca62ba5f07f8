/* FNV-1a: data are compared with themselves, nobody forges them. */
#ifndef UCPO_CORE_HASH_H
#define UCPO_CORE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_BEGIN 0xcbf29ce484222325u

static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++) hash = (hash ^ at[i]) * 0x100000001b3u; /* NOLINT: set */
    return hash;
}

#endif
