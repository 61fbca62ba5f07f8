/* The number type of the network: float in the library. Tests compile math, nn and policy a second
 * time with double, because finite differences in float prove nothing. */
#ifndef UCPO_MATH_REAL_H
#define UCPO_MATH_REAL_H

#ifdef UCPO_REAL_DOUBLE
typedef double real;
#define REAL_EXP_LOW (-700.0)
#else
typedef float real;
#define REAL_EXP_LOW (-86.0f)
#endif

#endif
