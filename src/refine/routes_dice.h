/* A fast local generator (xoroshiro128+), seeded from the counter-based one. */
#ifndef UCPO_REFINE_ROUTES_DICE_H
#define UCPO_REFINE_ROUTES_DICE_H

#include "core/rng.h"

struct dice {
    uint64_t a, b;
};

static inline struct dice dice_at(uint64_t seed)
{
    struct rng rng = rng_at(seed, RNG_SEARCH, 0);
    struct dice d = {0};
    d.a = (uint64_t)rng_u32(&rng) << 32 | rng_u32(&rng);
    d.b = (uint64_t)rng_u32(&rng) << 32 | rng_u32(&rng) | 1;
    return d;
}

static inline uint64_t dice_u64(struct dice *d)
{
    uint64_t a = d->a, b = d->b, sum = a + b;
    b ^= a;
    d->a = (a << 24 | a >> 40) ^ b ^ (b << 16);
    d->b = b << 37 | b >> 27;
    return sum;
}

static inline double dice_uniform(struct dice *d) /* [0, 1) */
{
    return (double)(dice_u64(d) >> 11) * 0x1p-53;
}

static inline int32_t dice_below(struct dice *d, int32_t bound) /* bound >= 1; bias below 2^-32 */
{
    return (int32_t)((dice_u64(d) >> 32) * (uint64_t)bound >> 32);
}

#endif
