/* The three terms of the universal constrained preference loss, eq. (1) to (4), and the pairing
 * schemes of appendix D.3. A term says when it is active and which beta it uses; the pairing says
 * who meets whom; contrast() is the only loop over pairs. */
#include "loss/block.h"
#include "loss/loss.h"

#include <math.h>

/* ---- the sets T and F ---- */

#define NOBODY SIZE_MAX /* no position */

enum { F, T }; /* a set's number is its is_feasible */

struct tally {
    const struct loss_view *view;
    size_t count[2], best[2]; /* of F and T; best is a position, the first of equals */
    double *weight;
};

static inline int set_of(const struct loss_view *view, size_t m)
{
    return order_is_feasible(&view->order, view->v[loss_member(view, m)]);
}

static inline double key_of(const struct loss_view *view, size_t m)
{
    size_t i = loss_member(view, m);
    return order_key(&view->order, view->f[i], view->v[i]);
}

static struct tally split(const struct loss_view *view, double *weight)
{
    struct tally t = {.view = view, .weight = weight};
    double best_key[2] = {HUGE_VAL, HUGE_VAL};
    for (size_t m = 0; m < view->kept; m++) {
        int set = set_of(view, m);
        double key = key_of(view, m);
        t.count[set]++;
        if (key >= best_key[set]) continue;
        best_key[set] = key;
        t.best[set] = m;
    }
    return t;
}

/* ---- pairings: who meets whom, and what one pair counts ---- */

/* Members of a set at positions begin .. end - 1: all of it or one. */
struct group {
    int set; /* F or T */
    size_t begin, end;
};

struct pairing {
    struct group winners, losers;
    double coefficient;
};

static struct group all_of(const struct tally *t, int set)
{
    return (struct group){set, 0, t->view->kept};
}

static struct group best_of(const struct tally *t, int set)
{
    return (struct group){set, t->best[set], t->best[set] + 1};
}

/* The worst of a set, the first of equals; `except` (a position) is passed over. */
static struct group worst_of(const struct tally *t, int set, size_t except)
{
    size_t worst = 0;
    double worst_key = -HUGE_VAL;
    for (size_t m = 0; m < t->view->kept; m++) {
        if (m == except || set_of(t->view, m) != set) continue;
        double key = key_of(t->view, m);
        if (key <= worst_key) continue;
        worst_key = key;
        worst = m;
    }
    return (struct group){set, worst, worst + 1};
}

/* Pairs inside one set (Dual in F, Primal in T) of at least two members. Subsets eq. (47), (48),
 * best-worst eq. (49), argmax eq. (51), (52). */
static struct pairing within(const struct tally *t, int set)
{
    double n = (double)t->count[set], kept = (double)t->view->kept;
    struct group all = all_of(t, set), best = best_of(t, set);
    switch (t->view->config->pairing) {
    case UCPO_PAIRING_SUBSETS:
    case UCPO_PAIRING_SUBSETS_MEAN: return (struct pairing){all, all, 2.0 / (n * (n - 1.0))};
    case UCPO_PAIRING_ALL: return (struct pairing){all, all, 1.0 / (kept * kept)};
    case UCPO_PAIRING_BEST_WORST:
        return (struct pairing){best, worst_of(t, set, t->best[set]), 1.0};
    case UCPO_PAIRING_ARGMAX:
        return (struct pairing){all, worst_of(t, set, NOBODY), 1.0 / (n - 1.0)};
    case UCPO_PAIRING_ANCHOR: break;
    }
    int has_ties = t->view->config->relation == UCPO_RELATION_TIES; /* UCPO-T: 1 / (N - 1) */
    return (struct pairing){best, all, 1.0 / ((has_ties ? kept : n) - 1.0)};
}

/* Pairs across the sets: winners in T, losers in F (Margin). Subsets eq. (46), best-worst eq. (49),
 * argmax eq. (50). */
static struct pairing across(const struct tally *t)
{
    double nt = (double)t->count[T], nf = (double)t->count[F];
    double kept = (double)t->view->kept;
    struct group all_t = all_of(t, T), all_f = all_of(t, F);
    switch (t->view->config->pairing) {
    case UCPO_PAIRING_SUBSETS: return (struct pairing){all_t, all_f, 2.0 / (nt * nf)};
    case UCPO_PAIRING_SUBSETS_MEAN: return (struct pairing){all_t, all_f, 1.0 / (nt * nf)};
    case UCPO_PAIRING_ALL: return (struct pairing){all_t, all_f, 1.0 / (kept * kept)};
    case UCPO_PAIRING_BEST_WORST:
        return (struct pairing){best_of(t, T), worst_of(t, F, NOBODY), 1.0};
    case UCPO_PAIRING_ARGMAX: return (struct pairing){all_t, worst_of(t, F, NOBODY), 1.0 / nt};
    case UCPO_PAIRING_ANCHOR: break;
    }
    int has_ties = t->view->config->relation == UCPO_RELATION_TIES;
    return (struct pairing){best_of(t, T), all_f, 1.0 / (has_ties ? kept - 1.0 : nf)};
}

/* ---- the sum over pairs ---- */

struct term {
    double value;
    size_t pairs;
};

/* Some members of a group, gathered so that the pair loop asks nothing twice. */
enum { TILE = 128 };

struct tile {
    size_t count;
    size_t index[TILE];
    double key[TILE];
};

/* Members from position m on until the tile is full; returns the position to go on from. Writes
 * every candidate and keeps members by advancing: no branch on membership. */
static size_t gather(const struct loss_view *view, const struct group *group, size_t m,
                     struct tile *tile)
{
    size_t count = 0;
    for (; m < group->end && count < TILE; m++) {
        tile->index[count] = loss_member(view, m);
        tile->key[count] = key_of(view, m);
        count += (size_t)(set_of(view, m) == group->set);
    }
    tile->count = count;
    return m;
}

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

/* Pairs of UCPO-T: a tie, or a win by more than the threshold. */
static double add_with_ties(const struct tally *t, const struct block_row *row)
{
    const struct loss_view *view = t->view;
    const ucpo_loss_config *config = view->config;
    double value = 0.0;
    size_t a = row->winner;
    for (size_t k = 0; k < row->count; k++) {
        size_t b = row->loser[k];
        struct block pair = {a, b, row->beta[k], config->tie, row->coefficient};
        value += order_is_tie(config, view->f[a], view->v[a], view->f[b], view->v[b])
                     ? block_tie(&pair, config->tie_is_plain, view->l, t->weight)
                     : block_pair(&pair, view->l, t->weight);
    }
    return value;
}

/* Adds the pairs of a row to the term and empties it. */
static void add_row(const struct tally *t, struct block_row *row, struct term *term)
{
    int has_ties = t->view->config->relation == UCPO_RELATION_TIES;
    term->value += has_ties ? add_with_ties(t, row) : block_pairs(row, t->view->l, t->weight);
    term->pairs += row->count;
    row->count = 0;
}

/* Every winner against every loser it beats: across the sets always, inside a set by key. */
static struct term contrast(const struct tally *t, struct pairing who, beta_function beta)
{
    const struct loss_view *view = t->view;
    int is_across = who.winners.set != who.losers.set;
    int takes_equal = keeps_equal(view->config);
    struct term term = {0};
    struct tile losers;
    for (size_t next = who.losers.begin; next < who.losers.end;) {
        next = gather(view, &who.losers, next, &losers);
        for (size_t m = who.winners.begin; m < who.winners.end; m++) {
            if (set_of(view, m) != who.winners.set) continue;
            struct block_row row = {.winner = loss_member(view, m), .coefficient = who.coefficient};
            double key = key_of(view, m);
            for (size_t k = 0; k < losers.count; k++) {
                size_t b = losers.index[k]; /* NOLINT(clang-analyzer-*): gather filled it */
                int wins = is_across || key < losers.key[k] ||
                           (takes_equal && key == losers.key[k] && row.winner != b);
                if (!wins) continue;
                row.loser[row.count] = b;
                row.beta[row.count++] = beta(view, row.winner, b);
                if (row.count == BLOCK_ROW) add_row(t, &row, &term);
            }
            if (row.count > 0) add_row(t, &row, &term);
        }
    }
    return term;
}

/* ---- the terms ---- */

/* Eq. (1), only while nothing feasible was sampled:
 *   Dual = -1/(|F| - 1) sum_{t in F \ o} log sigma( L(t)/L(o) [l(o) - l(t)] ) */
static struct term dual_term(const struct tally *t)
{
    if (t->count[T] > 0 || t->count[F] < 2) return (struct term){0};
    return contrast(t, within(t, F), beta_dual);
}

/* Eq. (2), as soon as both sets have members:
 *   Margin = -1/|F| sum_{t in F} log sigma( L(t)/f(*) [l(*) - l(t)] ) */
static struct term margin_term(const struct tally *t)
{
    if (t->count[T] == 0 || t->count[F] == 0) return (struct term){0};
    return contrast(t, across(t), beta_margin);
}

/* Eq. (3), with two feasible ones; best-worst has spent its only pair on the margin if F exists:
 *   Primal = -1/(|T| - 1) sum_{t in T \ *} log sigma( f(t)/f(*) [l(*) - l(t)] ) */
static struct term primal_term(const struct tally *t)
{
    int is_spent = t->view->config->pairing == UCPO_PAIRING_BEST_WORST && t->count[F] > 0;
    if (t->count[T] < 2 || is_spent) return (struct term){0};
    return contrast(t, within(t, T), beta_primal);
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
