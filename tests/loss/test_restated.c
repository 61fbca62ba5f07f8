/* Every pairing, relation, scaling and bound of the pair losses, restated from docs/loss.md pair by pair in long
 * double. The objectives and violations are small whole numbers, so that equals are everywhere. */
#include "core/rng.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 300 };

struct sample {
    size_t count;
    double f[MOST], v[MOST], l[MOST];
};

/* ---- the restatement ---- */

struct told {
    long double dual, margin, primal, weight[MOST];
    size_t pairs, dual_pairs, margin_pairs, primal_pairs;
};

struct member {
    size_t index; /* in the sample */
    int is_in_t;
    double key;
};

static int is_in_t(const ucpo_loss_config *c, double v)
{
    if (c->relation == UCPO_RELATION_DUAL) return 0;
    return c->relation == UCPO_RELATION_OBJECTIVE || v == 0.0;
}

static double key_of(const ucpo_loss_config *c, double f, double v)
{
    if (is_in_t(c, v) || c->relation == UCPO_RELATION_PRIMAL) return f;
    if (c->relation == UCPO_RELATION_CONSTRAINT) return c->lambda * v;
    return f + c->lambda * v;
}

static int by_rank(const void *x, const void *y)
{
    const struct member *a = x, *b = y;
    if (a->is_in_t != b->is_in_t) return b->is_in_t - a->is_in_t;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return a->index < b->index ? -1 : 1;
}

static long double over(double num, double den)
{
    return num > 0.0 && den > 1e-12 ? (long double)num / den : 1.0L;
}

enum term { DUAL, MARGIN, PRIMAL };

static long double beta_of(const ucpo_loss_config *c, const struct sample *s, enum term term,
                           size_t a, size_t b)
{
    double f_a = s->f[a], f_b = s->f[b], pay_a = c->lambda * s->v[a], pay_b = c->lambda * s->v[b];
    double l_a = f_a + pay_a, l_b = f_b + pay_b;
    long double beta = 0.0L;
    switch (c->scaling) {
    case UCPO_SCALING_OBJECTIVE: beta = over(f_a, f_b); break;
    case UCPO_SCALING_OBJECTIVE_INVERSE: beta = over(f_b, f_a); break;
    case UCPO_SCALING_CONSTANT: beta = c->beta; break;
    default:
        if (term == PRIMAL) beta = over(f_b, f_a);
        if (term == MARGIN) beta = over(l_b, f_a);
        if (term == DUAL) beta = over(l_b, l_a);
    }
    if (term == DUAL && c->scaling == UCPO_SCALING_VIOLATION) beta = over(pay_b, pay_a);
    if (term == DUAL && c->scaling == UCPO_SCALING_INDICATOR) beta = 1.0L;
    if (term == MARGIN && c->scaling == UCPO_SCALING_INDICATOR)
        beta = isinf(c->indicator) ? 0.0L : over(f_a, c->indicator);
    if (c->beta_min > 0.0 && beta < c->beta_min) return c->beta_min;
    return c->beta_max > 0.0 && beta > c->beta_max ? c->beta_max : beta;
}

static long double soft(long double x)
{
    return x > 0.0L ? x + log1pl(expl(-x)) : log1pl(expl(x));
}

static long double sigma(long double x)
{
    return 1.0L / (1.0L + expl(-x));
}

/* One pair: its value, its pull added to the weights. */
static long double pair_of(const ucpo_loss_config *c, const struct sample *s, enum term term,
                           size_t a, size_t b, long double coefficient, long double *weight)
{
    long double beta = beta_of(c, s, term, a, b), mu = beta * ((long double)s->l[a] - s->l[b]);
    int has_ties = c->relation == UCPO_RELATION_TIES;
    double gap = (s->f[a] + c->lambda * s->v[a]) - (s->f[b] + c->lambda * s->v[b]);
    long double tie = c->tie, value, slope; /* slope: of the value by mu */
    if (!has_ties || fabs(gap) > c->tie) {
        long double z = has_ties ? mu - beta * tie : mu;
        value = soft(-z), slope = -sigma(-z);
    } else {
        long double log_p = logl(expm1l(2.0L * tie)) - soft(tie + mu) - soft(tie - mu);
        slope = sigma(tie + mu) - sigma(tie - mu);
        value = c->tie_is_plain ? -log_p : soft(-log_p);
        if (!c->tie_is_plain) slope *= sigma(-log_p);
    }
    weight[a] += coefficient * beta * slope;
    weight[b] -= coefficient * beta * slope;
    return coefficient * value;
}

struct cast {
    const struct member *list;
    size_t count, of[2], best[2],
        worst[2]; /* by is_in_t: how many; places in the list, first of equals */
};

static struct cast cast_of(const struct member *list, size_t count)
{
    struct cast cast = {list, count, {0, 0}, {MOST, MOST}, {MOST, MOST}};
    for (size_t m = 0; m < count; m++) {
        int t = list[m].is_in_t;
        cast.of[t]++;
        if (cast.best[t] == MOST || list[m].key < list[cast.best[t]].key) cast.best[t] = m;
        if (cast.worst[t] == MOST || list[m].key > list[cast.worst[t]].key) cast.worst[t] = m;
    }
    return cast;
}

/* The first of the worst that is not the best; MOST: there is none. */
static size_t other_worst(const struct cast *cast, int t)
{
    size_t worst = MOST;
    for (size_t m = 0; m < cast->count; m++)
        if (cast->list[m].is_in_t == t && m != cast->best[t] &&
            (worst == MOST || cast->list[m].key > cast->list[worst].key))
            worst = m;
    return worst;
}

static int meets(const ucpo_loss_config *c, const struct cast *cast, enum term term, size_t a,
                 size_t b)
{
    const struct member *x = &cast->list[a], *y = &cast->list[b];
    int winners = term != DUAL, losers = term == PRIMAL;
    if (a == b || x->is_in_t != winners || y->is_in_t != losers) return 0;
    int is_strict = term == MARGIN || x->key < y->key, is_equal = !is_strict && x->key == y->key;
    int wins = is_strict || (is_equal && !c->skip_equal);
    switch (c->pairing) {
    case UCPO_PAIRING_ANCHOR: return wins && a == cast->best[winners];
    case UCPO_PAIRING_BEST_WORST:
        if (term == PRIMAL && cast->of[0] > 0) return 0;
        return wins && a == cast->best[winners] &&
               b == (term == MARGIN ? cast->worst[0] : other_worst(cast, losers));
    case UCPO_PAIRING_ARGMAX: return wins && b == cast->worst[losers];
    default: return is_strict;
    }
}

static long double coefficient_of(const ucpo_loss_config *c, const struct cast *cast,
                                  enum term term)
{
    double n = (double)cast->of[term == PRIMAL], nt = (double)cast->of[1], nf = (double)cast->of[0],
           all = (double)cast->count;
    switch (c->pairing) {
    case UCPO_PAIRING_SUBSETS: return term == MARGIN ? 2.0L / (nt * nf) : 2.0L / (n * (n - 1.0));
    case UCPO_PAIRING_SUBSETS_MEAN:
        return term == MARGIN ? 1.0L / (nt * nf) : 2.0L / (n * (n - 1.0));
    case UCPO_PAIRING_ALL: return 1.0L / (all * all);
    case UCPO_PAIRING_BEST_WORST: return 1.0L;
    case UCPO_PAIRING_ARGMAX: return 1.0L / (term == MARGIN ? nt : n - 1.0);
    default: break;
    }
    if (c->relation == UCPO_RELATION_TIES) return 1.0L / (all - 1.0);
    return 1.0L / (term == MARGIN ? nf : n - 1.0);
}

static struct told tell(const ucpo_loss_config *c, const struct sample *s)
{
    struct told told = {0};
    struct member list[MOST];
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++)
        list[i] = (struct member){i, is_in_t(c, s->v[i]), key_of(c, s->f[i], s->v[i])};
    if (c->k > 1) { /* ranks 1, 1 + k, ... */
        qsort(list, s->count, sizeof *list, by_rank);
        for (size_t r = 0; r < s->count; r += c->k) list[kept++] = list[r];
    } else {
        kept = s->count;
    }
    struct cast cast = cast_of(list, kept);
    const int is_active[] = {cast.of[1] == 0 && cast.of[0] >= 2, cast.of[1] > 0 && cast.of[0] > 0,
                             cast.of[1] >= 2};
    for (enum term term = DUAL; term <= PRIMAL; term++) {
        long double *sum = term == DUAL ? &told.dual : term == MARGIN ? &told.margin : &told.primal;
        size_t *pairs = term == DUAL     ? &told.dual_pairs
                        : term == MARGIN ? &told.margin_pairs
                                         : &told.primal_pairs;
        if (!is_active[term] || !(c->terms & (1u << term))) continue;
        for (size_t a = 0; a < kept; a++)
            for (size_t b = 0; b < kept; b++)
                if (meets(c, &cast, term, a, b)) {
                    *sum += pair_of(c, s, term, list[a].index, list[b].index,
                                    coefficient_of(c, &cast, term), told.weight);
                    ++*pairs;
                }
    }
    told.pairs = told.dual_pairs + told.margin_pairs + told.primal_pairs;
    return told;
}

/* ---- the comparison ---- */

static struct sample draw(struct rng *rng, size_t count)
{
    static const double shares[] = {0.0, 0.2, 0.5, 0.9, 1.0};
    struct sample s = {.count = count};
    double share = shares[rng_below(rng, 5)];
    for (size_t i = 0; i < count; i++) {
        s.f[i] = 1.0 + (double)rng_below(rng, 4);
        s.v[i] = rng_uniform(rng) < share ? 0.0 : 0.5 + 0.5 * (double)rng_below(rng, 3);
        s.l[i] = -3.0 + 2.0 * rng_normal(rng);
    }
    return s;
}

static void check(const ucpo_loss_config *c, const struct sample *s)
{
    ucpo_loss_result r;
    ucpo_error err;
    double weight[MOST];
    uint32_t rank[MOST];
    struct told told = tell(c, s);
    assert_ok(ucpo_loss(c, s->count, s->f, s->v, s->l, &r, weight, rank, &err), &err);
    assert_close(r.dual, (double)told.dual, 1e-12, 1e-15);
    assert_close(r.margin, (double)told.margin, 1e-12, 1e-15);
    assert_close(r.primal, (double)told.primal, 1e-12, 1e-15);
    assert_close(r.loss, (double)(told.dual + told.margin + told.primal), 1e-12, 1e-15);
    assert_int_equal(r.pairs, told.pairs);
    assert_int_equal(r.dual_active, told.dual_pairs > 0);
    assert_int_equal(r.margin_active, told.margin_pairs > 0);
    assert_int_equal(r.primal_active, told.primal_pairs > 0);
    size_t feasible = 0;
    for (size_t i = 0; i < s->count; i++) {
        feasible += s->v[i] == 0.0;
        assert_close(weight[i], (double)told.weight[i], 1e-11, 1e-14);
    }
    assert_int_equal(r.feasible, feasible);
}

static ucpo_loss_config some_settings(struct rng *rng)
{
    static const double lambdas[] = {1.0, 0.0, 0.5, 3.0}, bounds[] = {0.0, 0.0, 0.4, 1.0, 2.0},
                        indicators[] = {HUGE_VAL, 2.0, 0.5, 100.0}, betas[] = {1.0, 0.0, 0.05, 2.5};
    ucpo_loss_config c = ucpo_loss_config_default();
    c.terms = 1 + rng_below(rng, 7);
    if (rng_below(rng, 2)) c.terms = 7;
    c.k = rng_below(rng, 3) ? 1 : 2 + rng_below(rng, 3);
    c.lambda = lambdas[rng_below(rng, 4)];
    c.indicator = indicators[rng_below(rng, 4)];
    c.beta = betas[rng_below(rng, 4)];
    c.tie = rng_below(rng, 2) ? 0.1 : 1.0; /* 1: differences on the threshold are ties */
    c.tie_is_plain = (int)rng_below(rng, 2);
    c.skip_equal = (int)rng_below(rng, 2);
    c.beta_min = bounds[rng_below(rng, 5)];
    c.beta_max = bounds[rng_below(rng, 5)];
    if (c.beta_max > 0.0 && c.beta_min > c.beta_max) c.beta_max = c.beta_min;
    return c;
}

static void every_combination_is_what_its_definition_says(void **state)
{
    struct rng rng = rng_at(36, RNG_TEST, 0);
    (void)state;
    for (ucpo_relation relation = 0; relation <= UCPO_RELATION_OBJECTIVE; relation++)
        for (ucpo_pairing pairing = 0; pairing <= UCPO_PAIRING_ALL; pairing++)
            for (ucpo_scaling scaling = 0; scaling <= UCPO_SCALING_CONSTANT; scaling++)
                for (int round = 0; round < 40; round++) {
                    ucpo_loss_config c = some_settings(&rng);
                    int is_defined =
                        relation != UCPO_RELATION_TIES || pairing == UCPO_PAIRING_ANCHOR;
                    c.relation = relation, c.pairing = pairing, c.scaling = scaling;
                    struct sample s = draw(&rng, 1 + rng_below(&rng, 24));
                    if (is_defined) check(&c, &s);
                }
}

/* More than two tiles of losers, and numbers of them around what one row holds. */
static void large_sets_lose_no_pair(void **state)
{
    struct rng rng = rng_at(36, RNG_TEST, 1);
    static const size_t sizes[] = {127, 128, 129, 130, 136, 137, 256, 257, 258, 300};
    (void)state;
    for (size_t z = 0; z < sizeof sizes / sizeof sizes[0]; z++)
        for (ucpo_pairing pairing = 0; pairing <= UCPO_PAIRING_ALL; pairing++) {
            ucpo_loss_config c = ucpo_loss_config_default();
            c.pairing = pairing;
            struct sample s = draw(&rng, sizes[z]);
            check(&c, &s);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_combination_is_what_its_definition_says),
        cmocka_unit_test(large_sets_lose_no_pair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
