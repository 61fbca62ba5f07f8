/* bf16: the upper half of a float32. Rounding to nearest, ties to even; a NaN stays one. */
#ifndef UCPO_MATH_BF16_H
#define UCPO_MATH_BF16_H

#include <stdint.h>
#include <string.h>

static inline uint16_t bf16_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint32_t rounded = bits + 0x7FFF + (bits >> 16 & 1);
    uint32_t nan = bits | 0x400000; /* rounding could carry it to infinity */
    return (uint16_t)(((bits & 0x7FFFFFFF) > 0x7F800000 ? nan : rounded) >> 16);
}

static inline float bf16_value(uint16_t half)
{
    uint32_t bits = (uint32_t)half << 16;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline float bf16_round(float x)
{
    return bf16_value(bf16_bits(x));
}

#endif
