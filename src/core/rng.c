#include "core/rng.h"

#include <math.h>

void philox4x32(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; round++) {
        uint64_t p0 = (uint64_t)0xD2511F53u * c0;
        uint64_t p1 = (uint64_t)0xCD9E8D57u * c2;
        uint32_t n0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        uint32_t n2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)p1;
        c3 = (uint32_t)p0;
        c0 = n0;
        c2 = n2;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

struct rng rng_at(uint64_t seed, uint32_t stream, uint64_t index)
{
    return (struct rng){
        .key = {(uint32_t)seed, (uint32_t)(seed >> 32)},
        .counter = {0, stream, (uint32_t)index, (uint32_t)(index >> 32)},
    };
}

uint32_t rng_u32(struct rng *rng)
{
    if (rng->left == 0) {
        philox4x32(rng->counter, rng->key, rng->word);
        rng->counter[0]++;
        rng->left = 4;
    }
    return rng->word[4 - rng->left--];
}

double rng_uniform(struct rng *rng)
{
    uint64_t high = rng_u32(rng) >> 5; /* 27 bits */
    uint64_t low = rng_u32(rng) >> 6;  /* 26 bits */
    return (double)((high << 26) | low) * 0x1p-53;
}

double rng_normal(struct rng *rng)
{
    double u = 1.0 - rng_uniform(rng); /* (0, 1]: the logarithm is finite */
    double v = rng_uniform(rng);
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}

uint32_t rng_below(struct rng *rng, uint32_t bound)
{
    uint32_t reject = (0u - bound) % bound; /* 2^32 mod bound */
    for (;;) {
        uint64_t product = (uint64_t)rng_u32(rng) * bound;
        if ((uint32_t)product >= reject) return (uint32_t)(product >> 32);
    }
}
