/* What must hold for any input (spec E.7), over random inputs with fixed, printed seeds; and a
 * restatement of the canonical loss from its equations. */
#include "core/rng.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 400, USUAL = 60, ROUNDS = 60 };

static const uint64_t seed = 20240611;

/* ---- random instances ---- */

enum kind { MIXED, ALL_FEASIBLE, ALL_INFEASIBLE, KINDS };

struct sample {
    size_t count;
    double f[MOST], v[MOST], l[MOST];
};

/* Even rounds have differences of several nats (sum scores), odd ones a few hundredths (means). */
static struct sample draw_sized(uint64_t round, enum kind kind, uint32_t least, uint32_t most)
{
    struct rng rng = rng_at(seed, RNG_TEST, round * KINDS + kind);
    struct sample s = {.count = least + rng_below(&rng, most - least + 1)};
    double spread = round % 2 ? 0.05 : 4.0, share = rng_uniform(&rng);
    for (size_t i = 0; i < s.count; i++) {
        int is_feasible = kind == MIXED ? rng_uniform(&rng) < share : kind == ALL_FEASIBLE;
        s.f[i] = 10.0 + 10.0 * rng_uniform(&rng);
        s.v[i] = is_feasible ? 0.0 : 1e-6 + 5.0 * rng_uniform(&rng);
        s.l[i] = -20.0 + spread * rng_normal(&rng);
    }
    return s;
}

static struct sample draw(uint64_t round, enum kind kind)
{
    return draw_sized(round, kind, 2, USUAL);
}

struct outcome {
    ucpo_loss_result result;
    double weight[MOST];
    uint32_t rank[MOST];
};

static ucpo_loss_config config_of(const char *text)
{
    ucpo_loss_config config;
    ucpo_error err;
    assert_ok(ucpo_loss_parse(text, &config, &err), &err);
    return config;
}

static struct outcome loss_of(const char *text, const struct sample *s)
{
    struct outcome out;
    ucpo_error err;
    ucpo_loss_config config = config_of(text);
    assert_ok(
        ucpo_loss(&config, s->count, s->f, s->v, s->l, &out.result, out.weight, out.rank, &err),
        &err);
    return out;
}

static void assert_same(const struct outcome *a, const struct outcome *b, size_t count, double rel)
{
    assert_close(a->result.loss, b->result.loss, rel, rel * 1e-2);
    for (size_t i = 0; i < count; i++) assert_close(a->weight[i], b->weight[i], rel, rel * 1e-2);
}

/* ---- every preset and every option that changes the sum ---- */

static const char *const options[] = {
    "ucpo,k=2",
    "ucpo,k=3,relation=ties",
    "bopo,k=4",
    "ucpo,skip-equal=yes",
    "ucpo,beta-min=1",
    "ucpo,beta-max=1.2",
    "ucpo,lambda=0.25",
    "ucpo,lambda=0",
    "ucpo-beta-c,indicator=30",
    "ucpo-c,pairing=subsets-mean",
    "ucpo-p,pairing=argmax",
    "ucpo-d,pairing=best-worst",
    "ucpo,pairing=all,scaling=constant,beta=0.5",
    "ucpo,terms=margin+primal",
    "slim,relation=objective",
};

static void for_each_variant(void (*check)(const char *text, const struct sample *s))
{
    print_message("seed %llu, %d rounds\n", (unsigned long long)seed, ROUNDS);
    for (uint64_t round = 0; round < ROUNDS; round++)
        for (enum kind kind = 0; kind < KINDS; kind++) {
            struct sample s = draw(round, kind);
            for (size_t p = 0; ucpo_loss_preset_at(p); p++) check(ucpo_loss_preset_at(p), &s);
            for (size_t p = 0; p < sizeof options / sizeof options[0]; p++) check(options[p], &s);
        }
}

static int starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static void check_sum(const char *text, const struct sample *s)
{
    struct outcome out = loss_of(text, s);
    double sum = 0.0, size = 0.0;
    if (starts_with(text, "slim")) return;
    for (size_t i = 0; i < s->count; i++) {
        sum += out.weight[i];
        size += fabs(out.weight[i]);
    }
    assert_close(sum, 0.0, 0, 1e-13 * (1.0 + size));
}

static void weights_sum_to_zero(void **state)
{
    (void)state;
    for_each_variant(check_sum);
}

static void check_shift(const char *text, const struct sample *s)
{
    struct sample moved = *s;
    if (starts_with(text, "slim")) return;
    for (size_t i = 0; i < s->count; i++) moved.l[i] += 7.5;
    struct outcome a = loss_of(text, s), b = loss_of(text, &moved);
    assert_same(&a, &b, s->count, 1e-9);
}

static void a_constant_on_all_scores_changes_nothing(void **state)
{
    (void)state;
    for_each_variant(check_shift);
}

static void check_permutation(const char *text, const struct sample *s)
{
    struct sample turned = *s;
    for (size_t i = 0; i < s->count; i++) { /* reversed and rotated */
        size_t j = (s->count - 1 - i + 3) % s->count;
        turned.f[j] = s->f[i];
        turned.v[j] = s->v[i];
        turned.l[j] = s->l[i];
    }
    struct outcome a = loss_of(text, s), b = loss_of(text, &turned);
    assert_close(a.result.loss, b.result.loss, 1e-12, 1e-12);
    for (size_t i = 0; i < s->count; i++)
        assert_close(a.weight[i], b.weight[(s->count - 1 - i + 3) % s->count], 1e-9, 1e-13);
}

static void order_of_the_samples_does_not_matter(void **state)
{
    (void)state;
    for_each_variant(check_permutation);
}

static void check_scale(const char *text, const struct sample *s)
{
    struct sample scaled = *s;
    int has_unit = starts_with(text, "ucpo-t") || strstr(text, "ties") ||
                   starts_with(text, "ucpo-beta-c") || strcmp(text, "reinforce") == 0;
    if (has_unit) return;
    for (size_t i = 0; i < s->count; i++) {
        scaled.f[i] *= 3.7;
        scaled.v[i] *= 3.7;
    }
    struct outcome a = loss_of(text, s), b = loss_of(text, &scaled);
    assert_same(&a, &b, s->count, 1e-9);
}

static void the_unit_of_objective_and_violation_does_not_matter(void **state)
{
    (void)state;
    for_each_variant(check_scale);
}

static void check_derivative(const char *text, const struct sample *s)
{
    struct outcome out = loss_of(text, s);
    const double h = 1e-5;
    for (size_t i = 0; i < s->count; i += 1 + s->count / 7) {
        struct sample up = *s, down = *s;
        up.l[i] += h;
        down.l[i] -= h;
        double slope =
            (loss_of(text, &up).result.loss - loss_of(text, &down).result.loss) / (2.0 * h);
        assert_close(out.weight[i], slope, 1e-6, 1e-6);
    }
}

static void weights_are_the_derivative_by_finite_differences(void **state)
{
    (void)state;
    for_each_variant(check_derivative);
}

static void check_terms(const char *text, const struct sample *s)
{
    ucpo_loss_config config = config_of(text);
    struct outcome out = loss_of(text, s);
    if (config.family != UCPO_LOSS_PAIRS) {
        assert_int_equal(out.result.pairs, 0);
        return;
    }
    assert_close(out.result.dual + out.result.margin + out.result.primal, out.result.loss, 1e-15,
                 0);
    assert_true(out.result.loss >= 0.0);
    assert_true(out.result.dual_active + out.result.margin_active <= 1); /* regimes exclude */
    assert_int_equal(out.result.dual_active || out.result.dual > 0.0, out.result.dual_active);
    assert_int_equal(out.result.margin_active || out.result.margin > 0.0, out.result.margin_active);
    assert_int_equal(out.result.primal_active || out.result.primal > 0.0, out.result.primal_active);
}

static void terms_add_up_to_the_loss(void **state)
{
    (void)state;
    for_each_variant(check_terms);
}

/* ---- single facts ---- */

static void the_anchor_is_pulled_up_and_the_others_down(void **state)
{
    static const char *const anchored[] = {"ucpo",   "ucpo-c", "ucpo-p",
                                           "ucpo-d", "bopo",   "ucpo,k=3"};
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++)
        for (enum kind kind = 0; kind < KINDS; kind++)
            for (size_t a = 0; a < sizeof anchored / sizeof anchored[0]; a++) {
                struct sample s = draw(round, kind);
                struct outcome out = loss_of(anchored[a], &s);
                for (size_t i = 0; i < s.count; i++) {
                    int is_anchor = i == out.rank[0];
                    assert_true(is_anchor ? out.weight[i] <= 0.0 : out.weight[i] >= 0.0);
                }
            }
}

static void no_loser_is_pushed_harder_than_beta_allows(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        struct sample s = draw(round, MIXED);
        struct outcome out = loss_of("ucpo", &s);
        size_t best = out.rank[0], nt = out.result.feasible, nf = s.count - nt;
        double pivot = nt > 0 ? s.f[best] : s.f[best] + s.v[best];
        for (size_t i = 0; i < s.count; i++) {
            if (i == best) continue;
            double others = s.v[i] > 0.0 ? (double)(nt > 0 ? nf : nf - 1) : (double)nt - 1.0;
            double bound = (s.f[i] + s.v[i]) / pivot / others;
            assert_true(out.weight[i] <= bound * (1.0 + 1e-12));
        }
    }
}

static void all_feasible_is_bopo_and_all_infeasible_is_ucpo_d(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        struct sample s = draw(round, ALL_FEASIBLE);
        struct outcome a = loss_of("ucpo", &s), b = loss_of("bopo", &s);
        assert_same(&a, &b, s.count, 0);
        s = draw(round, ALL_INFEASIBLE);
        a = loss_of("ucpo", &s);
        b = loss_of("ucpo-d", &s);
        assert_same(&a, &b, s.count, 0);
    }
}

static void single_terms_add_up_to_the_whole(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++)
        for (enum kind kind = 0; kind < KINDS; kind++) {
            struct sample s = draw(round, kind);
            struct outcome whole = loss_of("ucpo", &s), dual = loss_of("ucpo-dual", &s),
                           margin = loss_of("ucpo-margin", &s), primal = loss_of("ucpo-primal", &s);
            assert_close(dual.result.loss + margin.result.loss + primal.result.loss,
                         whole.result.loss, 1e-15, 0);
            for (size_t i = 0; i < s.count; i++)
                assert_close(dual.weight[i] + margin.weight[i] + primal.weight[i], whole.weight[i],
                             1e-13, 1e-15);
        }
}

static void density_is_the_canonical_loss_of_the_ranks_kept(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++)
        for (size_t k = 1; k <= 5; k++) {
            struct sample s = draw(round, MIXED), kept = {0};
            char text[32];
            snprintf(text, sizeof text, "ucpo,k=%zu", k);
            struct outcome thin = loss_of(text, &s);
            for (size_t r = 0; r < s.count; r += k, kept.count++) {
                kept.f[kept.count] = s.f[thin.rank[r]];
                kept.v[kept.count] = s.v[thin.rank[r]];
                kept.l[kept.count] = s.l[thin.rank[r]];
            }
            struct outcome whole = loss_of("ucpo", &kept);
            assert_close(thin.result.loss, whole.result.loss, 1e-14, 0);
            for (size_t r = 0; r < s.count; r++)
                assert_close(thin.weight[thin.rank[r]], r % k == 0 ? whole.weight[r / k] : 0.0,
                             1e-13, 1e-16);
        }
}

static void normalised_advantages_have_unit_deviation(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        struct sample s = draw(round, MIXED);
        struct outcome out = loss_of("reinforce-norm", &s);
        double n = (double)s.count, squares = 0.0;
        for (size_t i = 0; i < s.count; i++) squares += out.weight[i] * n * out.weight[i] * n / n;
        assert_close(squares, 1.0, 1e-12, 0);
    }
}

static double wild(struct rng *rng)
{
    double value = pow(10.0, 200.0 * rng_uniform(rng) - 100.0);
    return rng_below(rng, 8) == 0 ? 0.0 : value;
}

static void wild_magnitudes_give_finite_results(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 20 * ROUNDS; round++) {
        struct rng rng = rng_at(seed, RNG_TEST, 1000000 + round);
        struct sample s = {.count = 2 + rng_below(&rng, 8)};
        for (size_t i = 0; i < s.count; i++) {
            s.f[i] = 0.4 * wild(&rng) * (rng_below(&rng, 3) == 0 ? -1.0 : 1.0);
            s.v[i] = 0.4 * wild(&rng) * rng_below(&rng, 2);
            s.l[i] = wild(&rng) * (rng_below(&rng, 2) ? -1.0 : 1.0);
        }
        for (size_t p = 0; ucpo_loss_preset_at(p); p++) {
            struct outcome out = loss_of(ucpo_loss_preset_at(p), &s);
            assert_true(isfinite(out.result.loss));
            for (size_t i = 0; i < s.count; i++) assert_true(isfinite(out.weight[i]));
        }
    }
}

/* ---- the restatement: equations (1) to (4) in long double, nothing shared with the engine ---- */

static long double restated(const struct sample *s, long double *w)
{
    size_t nt = 0, best = 0;
    for (size_t i = 0; i < s->count; i++) nt += s->v[i] == 0.0;
    for (size_t i = 0; i < s->count; i++) { /* * if anything is feasible, else o */
        int better = nt > 0 ? s->v[i] == 0.0 && (s->v[best] > 0.0 || s->f[i] < s->f[best])
                            : s->f[i] + s->v[i] < s->f[best] + s->v[best];
        if (better) best = i;
    }
    size_t nf = s->count - nt;
    long double loss = 0.0L, pivot = (long double)s->f[best] + (long double)s->v[best];
    for (size_t i = 0; i < s->count; i++) w[i] = 0.0L;
    for (size_t i = 0; i < s->count; i++) {
        if (i == best) continue;
        size_t mates = s->v[i] == 0.0 ? nt - 1 : nt > 0 ? nf : nf - 1;
        long double beta = ((long double)s->f[i] + (long double)s->v[i]) / pivot;
        long double odds = expl(-beta * ((long double)s->l[best] - (long double)s->l[i]));
        loss += logl(1.0L + odds) / (long double)mates;
        w[i] += beta * odds / (1.0L + odds) / (long double)mates;
        w[best] -= beta * odds / (1.0L + odds) / (long double)mates;
    }
    return loss;
}

static void canonical_loss_agrees_with_its_restatement(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 20 * ROUNDS; round++)
        for (enum kind kind = 0; kind < KINDS; kind++) {
            struct sample s = draw(round, kind);
            long double w[MOST];
            struct outcome out = loss_of("ucpo", &s);
            assert_close(out.result.loss, (double)restated(&s, w), 1e-13, 0);
            for (size_t i = 0; i < s.count; i++)
                assert_close(out.weight[i], (double)w[i], 1e-12, 1e-16);
        }
}

/* All pairs as printed in D.3, true mean: nothing but the definition. */
static double restated_subsets(const struct sample *s, double *w)
{
    double nt = 0.0, nf = 0.0, loss = 0.0;
    for (size_t i = 0; i < s->count; i++) *(s->v[i] > 0.0 ? &nf : &nt) += 1.0;
    memset(w, 0, s->count * sizeof *w);
    for (size_t i = 0; i < s->count; i++)
        for (size_t j = 0; j < s->count; j++) {
            if (ucpo_compare(NULL, s->f[i], s->v[i], s->f[j], s->v[j]) >= 0) continue;
            int is_infeasible = s->v[i] > 0.0, is_margin = !is_infeasible && s->v[j] > 0.0;
            if (is_infeasible && nt > 0.0) continue; /* Dual is off */
            double n = is_infeasible ? nf : nt;
            double c = is_margin ? 1.0 / (nt * nf) : 2.0 / (n * (n - 1.0));
            double beta = (s->f[j] + s->v[j]) / (s->f[i] + s->v[i]);
            double odds = exp(-beta * (s->l[i] - s->l[j]));
            loss += c * log1p(odds);
            w[i] -= c * beta * odds / (1.0 + odds);
            w[j] += c * beta * odds / (1.0 + odds);
        }
    return loss;
}

static void large_sets_agree_with_the_restatements(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 12; round++)
        for (enum kind kind = 0; kind < KINDS; kind++) {
            struct sample s = draw_sized(round, kind, 100, MOST);
            long double w[MOST];
            double pair_w[MOST];
            struct outcome out = loss_of("ucpo", &s);
            assert_close(out.result.loss, (double)restated(&s, w), 1e-13, 0);
            for (size_t i = 0; i < s.count; i++)
                assert_close(out.weight[i], (double)w[i], 1e-12, 1e-16);
            out = loss_of("ucpo-subsets-mean", &s);
            assert_close(out.result.loss, restated_subsets(&s, pair_w), 1e-11, 0);
            for (size_t i = 0; i < s.count; i++)
                assert_close(out.weight[i], pair_w[i], 1e-10, 1e-14);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_sum_to_zero),
        cmocka_unit_test(a_constant_on_all_scores_changes_nothing),
        cmocka_unit_test(order_of_the_samples_does_not_matter),
        cmocka_unit_test(the_unit_of_objective_and_violation_does_not_matter),
        cmocka_unit_test(weights_are_the_derivative_by_finite_differences),
        cmocka_unit_test(terms_add_up_to_the_loss),
        cmocka_unit_test(the_anchor_is_pulled_up_and_the_others_down),
        cmocka_unit_test(no_loser_is_pushed_harder_than_beta_allows),
        cmocka_unit_test(all_feasible_is_bopo_and_all_infeasible_is_ucpo_d),
        cmocka_unit_test(single_terms_add_up_to_the_whole),
        cmocka_unit_test(density_is_the_canonical_loss_of_the_ranks_kept),
        cmocka_unit_test(normalised_advantages_have_unit_deviation),
        cmocka_unit_test(wild_magnitudes_give_finite_results),
        cmocka_unit_test(canonical_loss_agrees_with_its_restatement),
        cmocka_unit_test(large_sets_agree_with_the_restatements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
