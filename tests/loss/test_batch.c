/* The batch: a mean over instances, the same to the last bit for any number of threads. */
#include "core/rng.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 700, N = 23 }; /* more than two waves, a last one that is not full */

struct arrays {
    double f[BATCH * N], v[BATCH * N], l[BATCH * N], weight[BATCH * N];
    uint32_t rank[BATCH * N];
};

static struct arrays *make(void)
{
    struct arrays *a = malloc(sizeof *a);
    struct rng rng = rng_at(5, RNG_TEST, 0);
    assert_non_null(a);
    for (size_t i = 0; i < (size_t)BATCH * N; i++) {
        double share = (double)(i / N % 5) / 4.0; /* from all infeasible to all feasible */
        a->f[i] = 5.0 + rng_uniform(&rng);
        a->v[i] = rng_uniform(&rng) < share ? 0.0 : rng_uniform(&rng);
        a->l[i] = rng_normal(&rng);
    }
    return a;
}

static void batch_is_the_mean_of_its_instances(void **state)
{
    struct arrays *a = make();
    ucpo_error err;
    (void)state;
    for (size_t p = 0; ucpo_loss_preset_at(p); p++) {
        ucpo_loss_config config;
        ucpo_loss_result whole, sum = {0};
        assert_ok(ucpo_loss_parse(ucpo_loss_preset_at(p), &config, &err), &err);
        assert_ok(ucpo_loss_batch(&config, BATCH, N, a->f, a->v, a->l, 1, &whole, a->weight,
                                  a->rank, &err),
                  &err);
        for (size_t b = 0; b < BATCH; b++) {
            size_t at = b * N;
            ucpo_loss_result one;
            double weight[N];
            uint32_t rank[N];
            assert_ok(
                ucpo_loss(&config, N, a->f + at, a->v + at, a->l + at, &one, weight, rank, &err),
                &err);
            for (size_t i = 0; i < N; i++) {
                assert_true(a->weight[at + i] == weight[i] / BATCH);
                assert_int_equal(a->rank[at + i], rank[i]);
            }
            sum.loss += one.loss;
            sum.dual += one.dual;
            sum.margin += one.margin;
            sum.primal += one.primal;
            sum.pairs += one.pairs;
            sum.feasible += one.feasible;
            sum.dual_active += one.dual_active;
            sum.margin_active += one.margin_active;
            sum.primal_active += one.primal_active;
        }
        assert_true(whole.loss == sum.loss / BATCH);
        assert_true(whole.dual == sum.dual / BATCH);
        assert_true(whole.margin == sum.margin / BATCH);
        assert_true(whole.primal == sum.primal / BATCH);
        assert_int_equal(whole.pairs, sum.pairs);
        assert_int_equal(whole.feasible, sum.feasible);
        assert_int_equal(whole.dual_active, sum.dual_active);
        assert_int_equal(whole.margin_active, sum.margin_active);
        assert_int_equal(whole.primal_active, sum.primal_active);
    }
    free(a);
}

static void ranks_need_not_be_asked_for(void **state)
{
    struct arrays *a = make(), *b = make();
    ucpo_loss_result with, without;
    ucpo_error err;
    (void)state;
    assert_ok(ucpo_loss_batch(NULL, BATCH, N, a->f, a->v, a->l, 2, &with, a->weight, a->rank, &err),
              &err);
    assert_ok(ucpo_loss_batch(NULL, BATCH, N, b->f, b->v, b->l, 2, &without, b->weight, NULL, &err),
              &err);
    assert_memory_equal(&with, &without, sizeof with);
    assert_memory_equal(a->weight, b->weight, sizeof a->weight);
    free(a);
    free(b);
}

/* One instance, a wave of 256, and one more or less. */
static void a_batch_of_any_size_is_complete(void **state)
{
    static const size_t sizes[] = {1, 2, 7, 8, 9, 255, 256, 257, 512, 513};
    struct arrays *a = make();
    ucpo_error err;
    (void)state;
    for (size_t z = 0; z < sizeof sizes / sizeof sizes[0]; z++) {
        ucpo_loss_result whole, one;
        double loss = 0.0, weight[N];
        assert_ok(
            ucpo_loss_batch(NULL, sizes[z], N, a->f, a->v, a->l, 2, &whole, a->weight, NULL, &err),
            &err);
        for (size_t b = 0; b < sizes[z]; b++) {
            size_t at = b * N;
            assert_ok(ucpo_loss(NULL, N, a->f + at, a->v + at, a->l + at, &one, weight, NULL, &err),
                      &err);
            loss += one.loss;
            for (size_t i = 0; i < N; i++)
                assert_true(a->weight[at + i] == weight[i] / (double)sizes[z]);
        }
        assert_true(whole.loss == loss / (double)sizes[z]);
    }
    free(a);
}

static void threads_do_not_change_a_bit(void **state)
{
    struct arrays *a = make(), *b = make();
    static const char *const texts[] = {"ucpo", "ucpo-subsets", "poco", "ucpo,k=2", "reinforce"};
    ucpo_error err;
    (void)state;
    for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) {
        ucpo_loss_config config;
        ucpo_loss_result one, many;
        assert_ok(ucpo_loss_parse(texts[t], &config, &err), &err);
        assert_ok(
            ucpo_loss_batch(&config, BATCH, N, a->f, a->v, a->l, 1, &one, a->weight, a->rank, &err),
            &err);
        for (int threads = 0; threads <= 4; threads++) {
            assert_ok(ucpo_loss_batch(&config, BATCH, N, b->f, b->v, b->l, threads, &many,
                                      b->weight, b->rank, &err),
                      &err);
            assert_memory_equal(&one, &many, sizeof one);
            assert_memory_equal(a->weight, b->weight, sizeof a->weight);
            assert_memory_equal(a->rank, b->rank, sizeof a->rank);
        }
    }
    free(a);
    free(b);
}

static void a_bad_value_is_named_with_its_instance_and_nothing_is_written(void **state)
{
    struct arrays *a = make(), *before = malloc(sizeof *before);
    ucpo_loss_result result, result_before;
    ucpo_error err;
    (void)state;
    assert_non_null(before);
    a->l[601 * N + 7] = (double)NAN;
    memset(a->weight, 0x5a, sizeof a->weight);
    memset(a->rank, 0x5a, sizeof a->rank);
    memset(&result, 0x5a, sizeof result);
    memcpy(before, a, sizeof *a);
    result_before = result;
    assert_int_equal(
        ucpo_loss_batch(NULL, BATCH, N, a->f, a->v, a->l, 2, &result, a->weight, a->rank, &err),
        UCPO_E_ARGUMENT);
    assert_string_equal(err.text, "instance 601: score[7] is nan, expected a finite number of "
                                  "magnitude at most 1e100");
    assert_memory_equal(a, before, sizeof *a);
    assert_memory_equal(&result, &result_before, sizeof result);
    free(a);
    free(before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batch_is_the_mean_of_its_instances),
        cmocka_unit_test(ranks_need_not_be_asked_for),
        cmocka_unit_test(a_batch_of_any_size_is_complete),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(a_bad_value_is_named_with_its_instance_and_nothing_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
