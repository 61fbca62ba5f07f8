/* The one building block of every preference loss, and its tie counterpart. */
#ifndef UCPO_LOSS_BLOCK_H
#define UCPO_LOSS_BLOCK_H

#include <math.h>
#include <stddef.h>

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
