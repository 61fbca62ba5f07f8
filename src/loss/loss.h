/* The preference loss: pure functions of objective, violation and score.
 *
 * Letters as in the paper: N trajectories, T the feasible ones, F the others, f objective, v
 * violation, l score (alpha times log-likelihood), L = f + lambda v, * the best of T, o the best
 * of F. docs/loss.md has the derivations.
 *
 *   order.c   who is better            block.h     one pair: value and weights
 *   beta.c    how hard a pair pulls    terms.c     Dual, Margin, Primal
 *   loss.c    the public functions     baseline.c  SLIM and REINFORCE
 *   config.c  settings and their check config_text.c  settings as text, presets
 */
#ifndef UCPO_LOSS_LOSS_H
#define UCPO_LOSS_LOSS_H

#include "core/status.h"

/* Largest magnitude accepted for f, L and l, so that no ratio, product or sum can overflow. */
#define LOSS_LIMIT 1e100

/* ---- order (order.c) ---- */

static inline double order_lagrangian(const ucpo_loss_config *config, double f, double v)
{
    return f + config->lambda * v;
}

/* A preference relation in numbers. T holds those with v <= split, F the others; T goes before F;
 * inside a set the key by_f[is_feasible] f + by_v v decides, smaller is better. (In T, where v = 0,
 * that is f.) Numbers instead of cases: which set comes next is a coin toss to a branch predictor.
 */
struct order {
    double split, by_f[2], by_v;
};

struct order order_of(const ucpo_loss_config *config);

static inline int order_is_feasible(const struct order *order, double v)
{
    return v <= order->split;
}

static inline double order_key(const struct order *order, double f, double v)
{
    return order->by_f[order_is_feasible(order, v)] * f + order->by_v * v;
}

/* UCPO-T: two trajectories whose Lagrangians differ by at most the threshold. Not transitive, hence
 * no part of the order. */
static inline int order_is_tie(const ucpo_loss_config *config, double f_a, double v_a, double f_b,
                               double v_b)
{
    double gap = order_lagrangian(config, f_a, v_a) - order_lagrangian(config, f_b, v_b);
    return (gap < 0 ? -gap : gap) <= config->tie;
}

/* -1 if a is strictly better, +1 if b is, 0 if neither. */
static inline int order_compare(const struct order *order, double f_a, double v_a, double f_b,
                                double v_b)
{
    int sets = order_is_feasible(order, v_b) - order_is_feasible(order, v_a);
    double a = order_key(order, f_a, v_a), b = order_key(order, f_b, v_b);
    return sets != 0 ? sets : (a > b) - (a < b);
}

/* Fills rank with 0 .. count - 1, best first, equal ones by index. In place, O(N log N). */
void order_rank(const struct order *order, const double *f, const double *v, size_t count,
                uint32_t *rank);

/* ---- one instance ---- */

struct loss_view {
    const ucpo_loss_config *config;
    struct order order;
    const double *f, *v, *l;
    const uint32_t *rank; /* best first, if the set is thinned; NULL: everyone is kept */
    size_t kept;          /* trajectories that take part: N, or ceil(N / k) */
};

/* Trajectory number of kept member m: ranks 1, 1 + k, 1 + 2k, ... or simply all. */
static inline size_t loss_member(const struct loss_view *view, size_t m)
{
    return view->rank ? view->rank[m * view->config->k] : m;
}

/* ---- scalings (beta.c): beta of winner a against loser b ---- */

typedef double (*beta_function)(const struct loss_view *view, size_t a, size_t b);
double beta_dual(const struct loss_view *view, size_t a, size_t b);
double beta_margin(const struct loss_view *view, size_t a, size_t b);
double beta_primal(const struct loss_view *view, size_t a, size_t b);

/* ---- losses: weights (N, zeroed by the caller) and result are written ---- */

void loss_pairs(const struct loss_view *view, ucpo_loss_result *result, double *weight);
void loss_slim(const struct loss_view *view, ucpo_loss_result *result, double *weight);
void loss_reinforce(const struct loss_view *view, ucpo_loss_result *result, double *weight);

/* ---- settings (config.c) ---- */

ucpo_status config_check(const ucpo_loss_config *config, ucpo_error *err);

#endif
