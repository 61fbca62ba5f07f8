/* The adaptive scaling factors beta, one function per term, and their variants (D.2). */
#include "loss/loss.h"

#include <math.h>

/* num / den where that means something, otherwise 1: a plain Bradley-Terry pair. */
static double ratio(double num, double den)
{
    return num > 0.0 && den > 1e-12 ? num / den : 1.0;
}

static double bounded(const ucpo_loss_config *config, double beta)
{
    if (config->beta_min > 0.0 && beta < config->beta_min) return config->beta_min;
    if (config->beta_max > 0.0 && beta > config->beta_max) return config->beta_max;
    return beta;
}

static double lagrangian(const struct loss_view *view, size_t i)
{
    return order_lagrangian(view->config, view->f[i], view->v[i]);
}

/* L - f, without the rounding of computing it that way. */
static double penalty(const struct loss_view *view, size_t i)
{
    return view->config->lambda * view->v[i];
}

/* beta of D.2 that treats all three terms alike; -1 if the scaling is none of these. */
static inline double same_in_all_terms(const struct loss_view *view, size_t a, size_t b)
{
    switch (view->config->scaling) {
    case UCPO_SCALING_OBJECTIVE: return ratio(view->f[a], view->f[b]); /* beta_P, eq. (44) */
    case UCPO_SCALING_OBJECTIVE_INVERSE:
        return ratio(view->f[b], view->f[a]);              /* the other way up */
    case UCPO_SCALING_CONSTANT: return view->config->beta; /* POCO */
    default: return -1.0;
    }
}

/* Below eq. (1): L(t) / L(o) >= 1. beta_D, eq. (43): violation parts only. beta_C, eq. (45): 1. */
double beta_dual(const struct loss_view *view, size_t a, size_t b)
{
    double beta = same_in_all_terms(view, a, b);
    if (beta < 0.0) {
        switch (view->config->scaling) {
        case UCPO_SCALING_VIOLATION: beta = ratio(penalty(view, b), penalty(view, a)); break;
        case UCPO_SCALING_INDICATOR: beta = 1.0; break;
        default: beta = ratio(lagrangian(view, b), lagrangian(view, a)); break;
        }
    }
    return bounded(view->config, beta);
}

/* Below eq. (2): L(t) / f(*). beta_C, eq. (45): f(*) / C, zero for C = infinity. */
double beta_margin(const struct loss_view *view, size_t a, size_t b)
{
    double beta = same_in_all_terms(view, a, b);
    if (beta < 0.0) {
        double c = view->config->indicator;
        if (view->config->scaling != UCPO_SCALING_INDICATOR)
            beta = ratio(lagrangian(view, b), view->f[a]);
        else
            beta = isinf(c) ? 0.0 : ratio(view->f[a], c);
    }
    return bounded(view->config, beta);
}

/* Below eq. (3): f(t) / f(*) >= 1. */
double beta_primal(const struct loss_view *view, size_t a, size_t b)
{
    double beta = same_in_all_terms(view, a, b);
    if (beta < 0.0) beta = ratio(view->f[b], view->f[a]);
    return bounded(view->config, beta);
}
