#include "math/half.h"

#include <string.h>

/* binary32: 8 exponent bits (bias 127), 23 fraction bits; binary16: 5 (bias 15) and 10. */
enum { FRACTION_DROP = 23 - 10, BIAS_DROP = 127 - 15, HALF_INFINITY = 0x7C00, HALF_QUIET = 0x0200 };

/* value / 2^shift, nearest, ties to even. 1 <= shift <= 31. */
static uint32_t shift_to_even(uint32_t value, int shift)
{
    uint32_t kept = value >> shift, rest = value & ((UINT32_C(1) << shift) - 1);
    uint32_t middle = UINT32_C(1) << (shift - 1);
    return kept + (rest > middle || (rest == middle && (kept & 1)));
}

uint16_t half_from_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint32_t sign = bits >> 16 & 0x8000, fraction = bits & 0x7FFFFF;
    int exponent = (int)(bits >> 23 & 0xFF) - BIAS_DROP;
    uint32_t magnitude;
    if (exponent == 0xFF - BIAS_DROP)
        magnitude = HALF_INFINITY | (fraction ? HALF_QUIET | fraction >> FRACTION_DROP : 0);
    else if (exponent >= 31)
        magnitude = HALF_INFINITY;
    else if (exponent >= 1) /* a carry moves into the exponent, at the top to infinity */
        magnitude = shift_to_even((uint32_t)exponent << 23 | fraction, FRACTION_DROP);
    else if (exponent >= -10) /* subnormal: the leading 1 becomes part of the fraction */
        magnitude = shift_to_even(0x800000 | fraction, FRACTION_DROP + 1 - exponent);
    else
        magnitude = 0;
    return (uint16_t)(sign | magnitude);
}

float half_to_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, fraction = half & 0x3FF;
    int exponent = half >> 10 & 0x1F;
    if (exponent == 0 && fraction) { /* subnormal: move the leading 1 out of the fraction */
        for (exponent = 1; !(fraction & 0x400); exponent--) fraction <<= 1;
        fraction &= 0x3FF;
    } else if (exponent == 0) {
        exponent = -BIAS_DROP;
    } else if (exponent == 0x1F) {
        exponent = 0xFF - BIAS_DROP;
    }
    uint32_t bits = sign | (uint32_t)(exponent + BIAS_DROP) << 23 | fraction << FRACTION_DROP;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Fraction and exponent bits moved to their place in a float give the value times 2^-BIAS_DROP, also for
 * subnormals; the product with 2^BIAS_DROP is exact. Infinities and NaN get the largest exponent. */
void half_to_floats(const unsigned char *bytes, size_t count, float *out)
{
    const float scale = 0x1p112f; /* 2^BIAS_DROP */
    for (size_t i = 0; i < count; i++) {
        uint32_t half = (uint32_t)bytes[2 * i] | (uint32_t)bytes[2 * i + 1] << 8;
        uint32_t magnitude = (half & 0x7FFF) << FRACTION_DROP, bits;
        float value;
        memcpy(&value, &magnitude, sizeof value);
        value *= scale;
        memcpy(&bits, &value, sizeof bits);
        uint32_t is_special = (half & HALF_INFINITY) == HALF_INFINITY;
        bits |= is_special * UINT32_C(0x7F800000) | (half & 0x8000) << 16;
        memcpy(&out[i], &bits, sizeof bits);
    }
}
