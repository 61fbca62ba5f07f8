/* The one building block of every preference loss, and its tie counterpart. */
#ifndef UCPO_LOSS_BLOCK_H
#define UCPO_LOSS_BLOCK_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Adding a block adds its derivatives to weight[winner] and weight[loser] and returns its value. */
struct block {
    size_t winner, loser;
    double beta, shift, coefficient;
};

/* log(1 + e^x) and its derivative 1 / (1 + e^-x), without overflow for any x. */
struct logistic {
    double softplus, sigmoid;
};

/* log(1 + e) for 0 <= e <= 1 as 2 artanh(s), s = e / (2 + e) <= 1/3. The series 1 + q/3 + q^2/5 +
 * ... in q = s^2 <= 1/9 reaches the last bit after 16 terms, relative to tiny results too. It is as
 * exact as log1p and needs neither a branch nor a call; four quarters keep the chain short. */
static inline double log_one_plus(double e)
{
    double s = e / (2.0 + e), q = s * s, q2 = q * q, q4 = q2 * q2;
    double a = (1.0 / 1 + q * (1.0 / 3)) + q2 * (1.0 / 5 + q * (1.0 / 7));
    double b = (1.0 / 9 + q * (1.0 / 11)) + q2 * (1.0 / 13 + q * (1.0 / 15));
    double c = (1.0 / 17 + q * (1.0 / 19)) + q2 * (1.0 / 21 + q * (1.0 / 23));
    double d = (1.0 / 25 + q * (1.0 / 27)) + q2 * (1.0 / 29 + q * (1.0 / 31));
    return 2.0 * s * (a + q4 * (b + q4 * (c + q4 * d)));
}

static inline struct logistic logistic_at(double x)
{
    double e = exp(-fabs(x));
    return (struct logistic){
        .softplus = 0.5 * (x + fabs(x)) + log_one_plus(e),
        .sigmoid = (x < 0.0 ? e : 1.0) / (1.0 + e),
    };
}

/* ---- many at a time ---- */

/* Numbers that are worked on together: loops of so many steps over plain arrays become vectors. */
enum { BLOCK_ROW = 8 };

/* e^-x for 0 <= x < 708 to the last bits, 0 beyond. x = -n ln 2 - r with whole n and |r| <= ln 2 / 2: adding 1.5 x 2^52
 * rounds to n and leaves it in the low bits, from where it goes to the exponent; e^r by its series. */
static inline double exp_of_minus(double x)
{
    const double whole = 0x1.8p52, ln2 = 0x1.62e42feep-1, ln2_rest = 0x1.a39ef35793c76p-33;
    double y = x < 708.0 ? x : 708.0, t = whole - y * 0x1.71547652b82fep0, n = t - whole;
    double r = (-y - n * ln2) - n * ln2_rest, r2 = r * r, r4 = r2 * r2;
    double a = (1.0 + r) + r2 * (1.0 / 2 + r * (1.0 / 6));
    double b = (1.0 / 24 + r * (1.0 / 120)) + r2 * (1.0 / 720 + r * (1.0 / 5040));
    double c = (1.0 / 40320 + r * (1.0 / 362880)) + r2 * (1.0 / 3628800 + r * (1.0 / 39916800));
    double d = 1.0 / 479001600 + r * (1.0 / 6227020800);
    double series = a + r4 * (b + r4 * (c + r4 * d)), power;
    uint64_t bits;
    memcpy(&bits, &t, sizeof bits);
    bits = (bits + 1023) << 52;
    memcpy(&power, &bits, sizeof power);
    return x < 708.0 ? series * power : 0.0;
}

/* log((1 + e_1) (1 + e_2) ...) of BLOCK_ROW numbers, which it overwrites. The product less 1 is made in pairs,
 * p + q + p q, so that tiny numbers are not lost beside the 1. */
static inline double log_product(double *e)
{
    for (int k = 0; k < 4; k++) e[k] += e[k + 4] + e[k] * e[k + 4];
    for (int k = 0; k < 2; k++) e[k] += e[k + 2] + e[k] * e[k + 2];
    return log1p(e[0] + e[1] + e[0] * e[1]);
}

/* The sum of log(1 + e^x) over BLOCK_ROW numbers, and each one's derivative; x = -HUGE_VAL counts for nothing. */
static inline double logistic_row(const double *x, double *sigmoid)
{
    double e[BLOCK_ROW], above[BLOCK_ROW], sum = 0.0;
    for (int k = 0; k < BLOCK_ROW; k++) {
        e[k] = exp_of_minus(fabs(x[k]));
        sigmoid[k] = (x[k] < 0.0 ? e[k] : 1.0) / (1.0 + e[k]);
        above[k] = x[k] < 0.0 ? 0.0 : x[k];
    }
    for (int k = 0; k < BLOCK_ROW; k++) sum += above[k];
    return sum + log_product(e);
}

/* Bradley-Terry, the summand of eq. (1) to (3): -c log sigma(z) with z = beta (l_a - l_b - shift).
 *   d/dl_a = -c beta sigma(-z),   d/dl_b = +c beta sigma(-z) */
static inline double block_pair(const struct block *pair, const double *l, double *weight)
{
    double z = pair->beta * (l[pair->winner] - l[pair->loser] - pair->shift);
    struct logistic at = logistic_at(-z);
    double pull = pair->coefficient * pair->beta * at.sigmoid;
    weight[pair->winner] -= pull;
    weight[pair->loser] += pull;
    return pair->coefficient * at.softplus;
}

/* The same for one winner and up to BLOCK_ROW losers, without shift. */
struct block_row {
    size_t winner, count, loser[BLOCK_ROW];
    double beta[BLOCK_ROW], coefficient;
};

static inline double block_pairs(const struct block_row *row, const double *l, double *weight)
{
    double x[BLOCK_ROW], sigmoid[BLOCK_ROW], pulled = 0.0;
    for (size_t k = 0; k < BLOCK_ROW; k++)
        x[k] = k < row->count ? row->beta[k] * (l[row->loser[k]] - l[row->winner]) : -HUGE_VAL;
    double value = logistic_row(x, sigmoid);
    for (size_t k = 0; k < row->count; k++) {
        double pull = row->coefficient * row->beta[k] * sigmoid[k];
        weight[row->loser[k]] += pull;
        pulled += pull;
    }
    weight[row->winner] -= pulled;
    return row->coefficient * value;
}

/* A tie, eq. (42) (UCPO-T; its other pairs, eq. (41), are block_pair with a shift), where shift is
 * the threshold and mu = beta (l_a - l_b):
 *   log P = log(e^(2 shift) - 1) - log(1 + e^(shift + mu)) - log(1 + e^(shift - mu))
 *   plain    -c log P            d/dmu = c (sigma(shift + mu) - sigma(shift - mu))
 *   literal  -c log sigma(log P) d/dmu = the same times 1 / (1 + P) = sigma(-log P) */
static inline double block_tie(const struct block *pair, int is_plain, const double *l,
                               double *weight)
{
    double shift = pair->shift;
    double mu = pair->beta * (l[pair->winner] - l[pair->loser]);
    struct logistic above = logistic_at(shift + mu), below = logistic_at(shift - mu);
    double log_p = 2.0 * shift + log(-expm1(-2.0 * shift)) - above.softplus - below.softplus;
    double value = -log_p;
    double slope = above.sigmoid - below.sigmoid;
    if (!is_plain) {
        struct logistic at = logistic_at(-log_p);
        value = at.softplus;
        slope *= at.sigmoid;
    }
    double pull = pair->coefficient * pair->beta * slope;
    weight[pair->winner] += pull;
    weight[pair->loser] -= pull;
    return pair->coefficient * value;
}

#endif
