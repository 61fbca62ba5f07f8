/* A batch gives the same bits for any number of threads; learning reduces the loss it descends. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/shake_side.h"
#include "support/support.h"
#include "train/step.h"

struct bench {
    struct nn_model model;
    real *params;
    ucpo_dataset *set;
    const ucpo_instance *instances[64];
    int count;
};

static struct bench prepare(const char *problem, const char *level, int size, int count)
{
    struct bench b = {.count = count};
    ucpo_error err = {0};
    const struct prob_ops *ops = prob_find(problem);
    struct nn_config base = nn_config_default();
    base.layers = 2, base.width = 32, base.heads = 4, base.hidden = 64, base.side_hidden = 8;
    base.side_glimpse = 1, base.pair_features = 1;
    struct nn_config config = policy_config(ops, base);
    assert_ok(nn_model_init(&b.model, &config, &err), &err);
    b.params = malloc(b.model.total * sizeof(real));
    nn_params_init(&b.model, 1, b.params);
    shake_side(&b.model, b.params);
    ucpo_generate_config g = ucpo_generate_config_default();
    g.problem = problem, g.level = level, g.size = size, g.count = (size_t)count;
    assert_ok(ucpo_generate(&g, &b.set, &err), &err);
    for (int i = 0; i < count; i++) b.instances[i] = ucpo_dataset_at(b.set, (size_t)i);
    return b;
}

static void release(struct bench *b)
{
    free(b->params);
    ucpo_dataset_free(b->set);
}

static struct step *make_step(const struct bench *b, int threads, double negligible)
{
    struct step *step = NULL;
    ucpo_error err = {0};
    const ucpo_instance *first = b->instances[0];
    struct step_config config = {.n = first->data.n,
                                 .samples = 12,
                                 .batch = b->count,
                                 .threads = threads,
                                 .negligible = negligible};
    assert_ok(step_create(&b->model, first->ops, &config, &step, &err), &err);
    return step;
}

static void the_gradient_has_the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    for (size_t p = 0; p < prob_registry_count; p++) {
        struct bench b = prepare(prob_registry[p]->info.name, NULL, 12, 37);
        struct policy_options o = policy_options_default();
        ucpo_loss_config loss = ucpo_loss_config_default();
        o.mask = p % 2 ? PROB_MASK_LOOKAHEAD : PROB_MASK_SOFT, o.seed = 4;
        real *first = NULL;
        for (int threads = 1; threads <= 3; threads++) {
            struct step *s = make_step(&b, threads, 1e-3);
            struct step_result r;
            ucpo_error err = {0};
            assert_ok(step_gradient(s, b.params, b.instances, b.count,
                                    &(struct step_task){.loss = &loss, .options = o}, &r, &err),
                      &err);
            assert_true(isfinite(r.loss.loss) && r.loss.pairs > 0);
            if (!first) {
                first = malloc(b.model.total * sizeof(real));
                memcpy(first, s->grads, b.model.total * sizeof(real));
            }
            assert_memory_equal(first, s->grads, b.model.total * sizeof(real));
            step_free(s);
        }
        free(first);
        release(&b);
    }
}

static void dropping_negligible_weights_changes_little_and_zero_drops_nothing(void **state)
{
    (void)state;
    struct bench b = prepare("tsptw", "hard", 10, 16);
    struct policy_options o = policy_options_default();
    ucpo_loss_config loss = ucpo_loss_config_default();
    struct step *all = make_step(&b, 1, 0.0), *some = make_step(&b, 1, 1e-3);
    struct step_result r;
    assert_int_equal(step_gradient(all, b.params, b.instances, 16,
                                   &(struct step_task){.loss = &loss, .options = o}, &r, NULL),
                     UCPO_OK);
    assert_int_equal(step_gradient(some, b.params, b.instances, 16,
                                   &(struct step_task){.loss = &loss, .options = o}, &r, NULL),
                     UCPO_OK);
    double difference = 0, norm = 0;
    for (size_t i = 0; i < b.model.total; i++) {
        difference += pow((double)(all->grads[i] - some->grads[i]), 2);
        norm += pow((double)all->grads[i], 2);
    }
    assert_true(norm > 0 && sqrt(difference) < 0.02 * sqrt(norm));
    step_free(all);
    step_free(some);
    release(&b);
}

/* The engine learns: 60 small steps of REINFORCE on easy windows shorten the tours clearly. */
static void learning_improves_the_policy(void **state)
{
    (void)state;
    struct bench b = prepare("tsptw", "easy", 10, 32);
    struct policy_options o = policy_options_default();
    ucpo_loss_config loss;
    assert_int_equal(ucpo_loss_parse("reinforce-norm,alpha=sum", &loss, NULL), UCPO_OK);
    struct step *s = make_step(&b, 0, 1e-3);
    struct nn_adam adam = nn_adam_default();
    adam.rate = 1e-3;
    real *m = calloc(b.model.total, sizeof(real)), *v = calloc(b.model.total, sizeof(real));
    double early = 0, late = 0;
    for (int step = 0; step < 60; step++) {
        struct step_result r;
        o.index = (uint64_t)step * 32;
        assert_int_equal(step_gradient(s, b.params, b.instances, 32,
                                       &(struct step_task){.loss = &loss, .options = o}, &r, NULL),
                         UCPO_OK);
        nn_adam_step(&adam, s->policy[0]->kern, &b.model, b.params, m, v, s->grads);
        if (step < 5) early += r.mean_objective / 5 + 5 * r.infeasible_samples / 5;
        if (step >= 55) late += r.mean_objective / 5 + 5 * r.infeasible_samples / 5;
    }
    print_message("length + 5 x infeasible share: %.3f -> %.3f\n", early, late);
    assert_true(late < 0.85 * early);
    free(m);
    free(v);
    step_free(s);
    release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gradient_has_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(dropping_negligible_weights_changes_little_and_zero_drops_nothing),
        cmocka_unit_test(learning_improves_the_policy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
