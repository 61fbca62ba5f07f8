/* Larger and smaller of two numbers, without fmax's care for NaN. */
#ifndef UCPO_CORE_MINMAX_H
#define UCPO_CORE_MINMAX_H

static inline double more_of(double a, double b)
{
    return a > b ? a : b;
}

static inline double less_of(double a, double b)
{
    return a < b ? a : b;
}

#endif
