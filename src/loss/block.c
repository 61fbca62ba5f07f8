/* The one building block of every preference loss, and its tie counterpart. */
#include "loss/loss.h"

#include <math.h>

/* log(1 + e^x) and its derivative 1 / (1 + e^-x), without overflow for any x. */
struct logistic {
    double softplus, sigmoid;
};

static struct logistic logistic_at(double x)
{
    double e = exp(-fabs(x));
    return (struct logistic){
        .softplus = (x > 0.0 ? x : 0.0) + log1p(e),
        .sigmoid = (x < 0.0 ? e : 1.0) / (1.0 + e),
    };
}

/* Bradley-Terry: -c log sigma(z) with z = beta (l_a - l_b - shift).
 *   d/dl_a = -c beta sigma(-z),   d/dl_b = +c beta sigma(-z) */
double block_pair(const struct block *pair, const double *l, double *weight)
{
    double z = pair->beta * (l[pair->winner] - l[pair->loser] - pair->shift);
    struct logistic at = logistic_at(-z);
    double pull = pair->coefficient * pair->beta * at.sigmoid;
    weight[pair->winner] -= pull;
    weight[pair->loser] += pull;
    return pair->coefficient * at.softplus;
}

/* A tie (D.1, UCPO-T), threshold = shift, mu = beta (l_a - l_b):
 *   log P = log(e^(2 shift) - 1) - log(1 + e^(shift + mu)) - log(1 + e^(shift - mu))
 *   plain    -c log P            d/dmu = c (sigma(shift + mu) - sigma(shift - mu))
 *   literal  -c log sigma(log P) d/dmu = the same times 1 / (1 + P) = sigma(-log P) */
double block_tie(const struct block *pair, int is_plain, const double *l, double *weight)
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
