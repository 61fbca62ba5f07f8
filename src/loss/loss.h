/* The preference loss: pure functions of objective, violation and score.
 *
 * Letters as in the paper: N trajectories, T the feasible ones, F the others, f objective, v
 * violation, l score (alpha times log-likelihood), L = f + lambda v, * the best of T, o the best
 * of F. docs/loss.md has the derivations.
 *
 *   order.c   who is better            block.c     one pair: value and weights
 *   beta.c    how hard a pair pulls    terms.c     Dual, Margin, Primal
 *   loss.c    the public functions     baseline.c  SLIM and REINFORCE
 *   config.c  settings and their check config_text.c  settings as text, presets
 */
#ifndef UCPO_LOSS_LOSS_H
#define UCPO_LOSS_LOSS_H

#include "core/status.h"

/* Largest magnitude accepted for f, L and l, so that no ratio, product or sum can overflow. */
#define LOSS_LIMIT 1e100

/* ---- one instance ---- */

struct loss_view {
    const ucpo_loss_config *config;
    const double *f, *v, *l;
    const uint32_t *rank; /* best first, if the set is thinned; NULL: everyone is kept */
    size_t kept;          /* trajectories that take part: N, or ceil(N / k) */
};

/* Trajectory number of kept member m: ranks 1, 1 + k, 1 + 2k, ... or simply all. */
static inline size_t loss_member(const struct loss_view *view, size_t m)
{
    return view->rank ? view->rank[m * view->config->k] : m;
}

/* ---- order (order.c) ---- */

static inline double order_lagrangian(const ucpo_loss_config *config, double f, double v)
{
    return f + config->lambda * v;
}

/* Does a trajectory belong to T? UCPO-D never asks (all in F), BOPO has no F (all in T). */
static inline int order_is_feasible(const ucpo_loss_config *config, double v)
{
    switch (config->relation) {
    case UCPO_RELATION_DUAL: return 0;
    case UCPO_RELATION_OBJECTIVE: return 1;
    default: return v <= 0.0;
    }
}

/* What orders trajectories inside T or inside F: smaller is better. */
static inline double order_key(const ucpo_loss_config *config, double f, double v)
{
    if (order_is_feasible(config, v)) return f;
    switch (config->relation) {
    case UCPO_RELATION_CONSTRAINT: return config->lambda * v;
    case UCPO_RELATION_PRIMAL: return f;
    default: return order_lagrangian(config, f, v);
    }
}

/* -1 if a is strictly better, +1 if b is, 0 if neither. A total preorder: ties by threshold
 * (UCPO-T) are not transitive and therefore not part of it. */
static inline int order_compare(const ucpo_loss_config *config, double f_a, double v_a, double f_b,
                                double v_b)
{
    int is_feasible = order_is_feasible(config, v_a);
    if (is_feasible != order_is_feasible(config, v_b)) return is_feasible ? -1 : 1;
    double a = order_key(config, f_a, v_a), b = order_key(config, f_b, v_b);
    return (a > b) - (a < b);
}

/* UCPO-T: two trajectories whose Lagrangians differ by at most the threshold. */
static inline int order_is_tie(const ucpo_loss_config *config, double f_a, double v_a, double f_b,
                               double v_b)
{
    double gap = order_lagrangian(config, f_a, v_a) - order_lagrangian(config, f_b, v_b);
    return (gap < 0 ? -gap : gap) <= config->tie;
}

/* Fills rank with 0 .. count - 1, best first, equal ones by index. In place, O(N log N). */
void order_rank(const ucpo_loss_config *config, const double *f, const double *v, size_t count,
                uint32_t *rank);

/* ---- blocks (block.c): add one pair to the weights, return its value ---- */

struct block {
    size_t winner, loser;
    double beta, shift, coefficient;
};

double block_pair(const struct block *pair, const double *l, double *weight);
double block_tie(const struct block *pair, int is_plain, const double *l, double *weight);

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
