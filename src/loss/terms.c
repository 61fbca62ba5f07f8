/* The three terms of the universal constrained preference loss, eq. (1) to (4), and the pairing
 * schemes of appendix D.3. A term says when it is active and which beta it uses; the pairing says
 * who meets whom; contrast() is the only loop over pairs. */
#include "loss/loss.h"

/* ---- the sets T and F ---- */

/* Members of one set, as positions among the kept ones. Lowest index wins among equals. */
struct loss_set {
    int is_feasible;
    size_t count, best, worst;
};

struct tally {
    const struct loss_view *view;
    struct loss_set feasible, infeasible; /* T, F */
    double *weight;
};

static double key_of(const struct loss_view *view, size_t m)
{
    size_t i = loss_member(view, m);
    return order_key(view->config, view->f[i], view->v[i]);
}

static int is_in(const struct loss_view *view, int is_feasible, size_t m)
{
    return order_is_feasible(view->config, view->v[loss_member(view, m)]) == is_feasible;
}

static void set_add(const struct loss_view *view, struct loss_set *set, size_t m)
{
    double key = key_of(view, m);
    if (set->count == 0 || key < key_of(view, set->best)) set->best = m;
    if (set->count == 0 || key > key_of(view, set->worst)) set->worst = m;
    set->count++;
}

static struct tally split(const struct loss_view *view, double *weight)
{
    struct tally t = {.view = view, .feasible = {.is_feasible = 1}, .weight = weight};
    for (size_t m = 0; m < view->kept; m++)
        set_add(view, is_in(view, 1, m) ? &t.feasible : &t.infeasible, m);
    return t;
}

/* ---- pairings: who meets whom, and what one pair counts ---- */

/* Members of T or of F at positions begin .. end - 1: the whole set or one of it. */
struct group {
    int is_feasible;
    size_t begin, end;
};

struct pairing {
    struct group winners, losers;
    double coefficient;
};

static struct group all_of(const struct tally *t, const struct loss_set *set)
{
    return (struct group){set->is_feasible, 0, t->view->kept};
}

static struct group only(const struct loss_set *set, size_t m)
{
    return (struct group){set->is_feasible, m, m + 1};
}

/* The worst of a set other than its best: the next member if all are equal. */
static struct group worst_but_best(const struct tally *t, const struct loss_set *set)
{
    size_t m = set->worst;
    if (m == set->best)
        for (m = 0; m == set->best || !is_in(t->view, set->is_feasible, m);) m++;
    return only(set, m);
}

/* Pairs inside one set (Dual in F, Primal in T) of at least two members. */
static struct pairing within(const struct tally *t, const struct loss_set *set)
{
    double n = (double)set->count, kept = (double)t->view->kept;
    struct group all = all_of(t, set), best = only(set, set->best);
    switch (t->view->config->pairing) {
    case UCPO_PAIRING_SUBSETS:
    case UCPO_PAIRING_SUBSETS_MEAN: return (struct pairing){all, all, 2.0 / (n * (n - 1.0))};
    case UCPO_PAIRING_ALL: return (struct pairing){all, all, 1.0 / (kept * kept)};
    case UCPO_PAIRING_BEST_WORST: return (struct pairing){best, worst_but_best(t, set), 1.0};
    case UCPO_PAIRING_ARGMAX: return (struct pairing){all, only(set, set->worst), 1.0 / (n - 1.0)};
    case UCPO_PAIRING_ANCHOR: break;
    }
    int has_ties = t->view->config->relation == UCPO_RELATION_TIES; /* UCPO-T: 1 / (N - 1) */
    return (struct pairing){best, all, 1.0 / ((has_ties ? kept : n) - 1.0)};
}

/* Pairs across the sets: winners in T, losers in F (Margin). */
static struct pairing across(const struct tally *t)
{
    const struct loss_set *feasible = &t->feasible, *infeasible = &t->infeasible;
    double nt = (double)feasible->count, nf = (double)infeasible->count;
    double kept = (double)t->view->kept;
    struct group best = only(feasible, feasible->best), worst = only(infeasible, infeasible->worst);
    struct group all_t = all_of(t, feasible), all_f = all_of(t, infeasible);
    switch (t->view->config->pairing) {
    case UCPO_PAIRING_SUBSETS: return (struct pairing){all_t, all_f, 2.0 / (nt * nf)};
    case UCPO_PAIRING_SUBSETS_MEAN: return (struct pairing){all_t, all_f, 1.0 / (nt * nf)};
    case UCPO_PAIRING_ALL: return (struct pairing){all_t, all_f, 1.0 / (kept * kept)};
    case UCPO_PAIRING_BEST_WORST: return (struct pairing){best, worst, 1.0};
    case UCPO_PAIRING_ARGMAX: return (struct pairing){all_t, worst, 1.0 / nt};
    case UCPO_PAIRING_ANCHOR: break;
    }
    int has_ties = t->view->config->relation == UCPO_RELATION_TIES;
    return (struct pairing){best, all_f, 1.0 / (has_ties ? kept - 1.0 : nf)};
}

/* ---- the sum over pairs ---- */

struct term {
    double value;
    size_t pairs;
};

/* Schemes with one anchor keep pairs of equal rank (unless told not to), schemes that run over all
 * pairs need a strict winner. */
static int keeps_equal(const ucpo_loss_config *config)
{
    switch (config->pairing) {
    case UCPO_PAIRING_SUBSETS:
    case UCPO_PAIRING_SUBSETS_MEAN:
    case UCPO_PAIRING_ALL: return 0;
    default: return !config->skip_equal;
    }
}

static double add_pair(const struct tally *t, size_t a, size_t b, double beta, double coefficient)
{
    const struct loss_view *view = t->view;
    const ucpo_loss_config *config = view->config;
    struct block pair = {.winner = a, .loser = b, .beta = beta, .coefficient = coefficient};
    if (config->relation != UCPO_RELATION_TIES) return block_pair(&pair, view->l, t->weight);
    pair.shift = config->tie;
    if (order_is_tie(config, view->f[a], view->v[a], view->f[b], view->v[b]))
        return block_tie(&pair, config->tie_is_plain, view->l, t->weight);
    return block_pair(&pair, view->l, t->weight);
}

static struct term contrast(const struct tally *t, struct pairing who, beta_function beta)
{
    const struct loss_view *view = t->view;
    const ucpo_loss_config *config = view->config;
    int allowed = keeps_equal(config) ? 0 : -1; /* largest result of the comparison that pairs */
    struct term term = {0};
    for (size_t m = who.winners.begin; m < who.winners.end; m++) {
        if (!is_in(view, who.winners.is_feasible, m)) continue;
        size_t a = loss_member(view, m);
        for (size_t k = who.losers.begin; k < who.losers.end; k++) {
            if (k == m || !is_in(view, who.losers.is_feasible, k)) continue;
            size_t b = loss_member(view, k);
            if (order_compare(config, view->f[a], view->v[a], view->f[b], view->v[b]) > allowed)
                continue;
            term.value += add_pair(t, a, b, beta(view, a, b), who.coefficient);
            term.pairs++;
        }
    }
    return term;
}

/* ---- the terms ---- */

/* Eq. (1), only while nothing feasible was sampled:
 *   Dual = -1/(|F| - 1) sum_{t in F \ o} log sigma( L(t)/L(o) [l(o) - l(t)] ) */
static struct term dual_term(const struct tally *t)
{
    if (t->feasible.count > 0 || t->infeasible.count < 2) return (struct term){0};
    return contrast(t, within(t, &t->infeasible), beta_dual);
}

/* Eq. (2), as soon as both sets have members:
 *   Margin = -1/|F| sum_{t in F} log sigma( L(t)/f(*) [l(*) - l(t)] ) */
static struct term margin_term(const struct tally *t)
{
    if (t->feasible.count == 0 || t->infeasible.count == 0) return (struct term){0};
    return contrast(t, across(t), beta_margin);
}

/* Eq. (3), with two feasible ones; best-worst has spent its only pair on the margin if F exists:
 *   Primal = -1/(|T| - 1) sum_{t in T \ *} log sigma( f(t)/f(*) [l(*) - l(t)] ) */
static struct term primal_term(const struct tally *t)
{
    int is_spent = t->view->config->pairing == UCPO_PAIRING_BEST_WORST && t->infeasible.count > 0;
    if (t->feasible.count < 2 || is_spent) return (struct term){0};
    return contrast(t, within(t, &t->feasible), beta_primal);
}

/* Eq. (4): Loss = Dual + Margin + Primal, each term with its switch. */
void loss_pairs(const struct loss_view *view, ucpo_loss_result *result, double *weight)
{
    struct tally t = split(view, weight);
    struct term dual = {0}, margin = {0}, primal = {0};
    if (view->config->terms & UCPO_TERM_DUAL) dual = dual_term(&t);
    if (view->config->terms & UCPO_TERM_MARGIN) margin = margin_term(&t);
    if (view->config->terms & UCPO_TERM_PRIMAL) primal = primal_term(&t);
    result->dual = dual.value;
    result->margin = margin.value;
    result->primal = primal.value;
    result->loss = dual.value + margin.value + primal.value;
    result->pairs = dual.pairs + margin.pairs + primal.pairs;
    result->dual_active = dual.pairs > 0;
    result->margin_active = margin.pairs > 0;
    result->primal_active = primal.pairs > 0;
}
