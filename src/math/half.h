/* IEEE 754 binary16 in storage only: converted with integer operations, the same on every
 * processor. */
#ifndef UCPO_MATH_HALF_H
#define UCPO_MATH_HALF_H

#include <stddef.h>
#include <stdint.h>

/* Nearest half, ties to even. Too large (65520 and above) becomes infinity, too small becomes a
 * subnormal or a zero of the same sign, a NaN stays a NaN (quiet, upper payload bits kept). */
uint16_t half_from_float(float value);

/* Exact: every half is a float. */
float half_to_float(uint16_t half);

/* `count` halves as they lie in files, least byte first. A model holds a million: no branches, so that
 * the compiler can do several at a time. */
void half_to_floats(const unsigned char *bytes, size_t count, float *out);

#endif
