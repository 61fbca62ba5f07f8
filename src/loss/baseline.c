/* Neighbours that are not made of pairs. (BOPO and POCO are: see the presets.) */
#include "loss/loss.h"

#include <math.h>
#include <string.h>

/* Self-labelling: -l of the best trajectory. */
void loss_slim(const struct loss_view *view, ucpo_loss_result *result, double *weight)
{
    const double *f = view->f, *v = view->v;
    size_t best = 0;
    if (view->kept < 2) return;
    for (size_t i = 1; i < view->kept; i++)
        if (order_compare(&view->order, f[i], v[i], f[best], v[best]) < 0) best = i;
    weight[best] = -1.0;
    result->loss = -view->l[best];
}

/* Policy gradient on L with the mean as baseline: w_i = (L_i - mean L) / N, loss = sum w_i l_i.
 * The normalised form divides the advantage by its standard deviation over the N trajectories
 * (divisor N); if they do not differ beyond rounding there is nothing to learn and w = 0. */
void loss_reinforce(const struct loss_view *view, ucpo_loss_result *result, double *weight)
{
    size_t count = view->kept;
    double n = (double)count, mean = 0.0, variance = 0.0;
    for (size_t i = 0; i < count; i++)
        mean += order_lagrangian(view->config, view->f[i], view->v[i]) / n;
    for (size_t i = 0; i < count; i++) {
        weight[i] = order_lagrangian(view->config, view->f[i], view->v[i]) - mean;
        variance += weight[i] * weight[i] / n;
    }
    double scale = n;
    if (view->config->family == UCPO_LOSS_REINFORCE_NORM) {
        double deviation = sqrt(variance);
        scale = n * deviation;
        if (deviation <= 1e-12 * fabs(mean)) {
            memset(weight, 0, count * sizeof *weight);
            return;
        }
    }
    for (size_t i = 0; i < count; i++) {
        weight[i] /= scale;
        result->loss += weight[i] * view->l[i];
    }
}
