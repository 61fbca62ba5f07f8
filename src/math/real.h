/* The number type of the network: float in the library. Tests compile math, nn and policy a second
 * time with double, because finite differences in float prove nothing. */
#ifndef UCPO_MATH_REAL_H
#define UCPO_MATH_REAL_H

#ifdef UCPO_REAL_DOUBLE
typedef double real;
#define REAL_EXP_LOW (-600.0)
#else
typedef float real;
#define REAL_EXP_LOW (-70.0f)
#endif
/* Exponentials of less than REAL_EXP_LOW are 0: shares of a sum that could be subnormal, and products
 * with those cost a hundred cycles each. */

#endif
