/* Counter-based random numbers: a value is a function of (seed, stream, index, position), so
 * results do not depend on threads or on the order of work. Philox4x32 with 10 rounds. */
#ifndef UCPO_CORE_RNG_H
#define UCPO_CORE_RNG_H

#include <stdint.h>

/* One block of the generator: four words for a counter and a key. */
void philox4x32(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* What a stream is for: the same seed and index give unrelated numbers in different streams. */
enum rng_stream {
    RNG_GENERATE = 1,
    RNG_TEST = 2,
    RNG_INIT = 3,
    RNG_SAMPLE = 4,
    RNG_SEARCH = 5,
    RNG_IMAGE = 6,  /* which image of an instance is shown */
    RNG_MIX = 7,    /* which part of a mixture a batch comes from */
    RNG_ANCHOR = 8, /* which instances learn from a refined trajectory */
    RNG_FOCUS = 9,  /* where samples of a later round begin */
    RNG_KEY = 10    /* keys of customers */
};

struct rng {
    uint32_t key[2];
    uint32_t counter[4]; /* block, stream, index low, index high */
    uint32_t word[4];
    int left; /* unused words of the current block */
};

struct rng rng_at(uint64_t seed, uint32_t stream, uint64_t index);
uint32_t rng_u32(struct rng *rng);
double rng_uniform(struct rng *rng);                 /* [0, 1), 53 bits */
double rng_normal(struct rng *rng);                  /* mean 0, variance 1 */
uint32_t rng_below(struct rng *rng, uint32_t bound); /* 0 .. bound - 1, unbiased; bound >= 1 */

#endif
