/* In double: the gradient of a step with anchors is that of the loss it stands for. The search has a
 * fixed seed and samples are drawn with fixed numbers, so a tiny change of the weights changes the
 * loss by the likelihoods alone. */
#include <math.h>
#include <stdlib.h>

#include "refine/refine.h"
#include "support/shake_side.h"
#include "support/support.h"
#include "train/step.h"

enum { COUNT = 5, SAMPLES = 6, DIRECTIONS = 8 };

struct bench {
    struct nn_model model;
    real *params;
    ucpo_dataset *set;
    const ucpo_instance *instances[COUNT];
    struct step *step;
};

static void prepare(struct bench *b, const struct prob_ops *ops)
{
    ucpo_error err = {0};
    struct nn_config base = nn_config_default();
    base.layers = 1, base.width = 16, base.heads = 2, base.hidden = 16, base.side_hidden = 8;
    base.side_glimpse = 1, base.pair_features = 1;
    struct nn_config config = policy_config(ops, base);
    assert_ok(nn_model_init(&b->model, &config, &err), &err);
    b->params = malloc(b->model.total * sizeof(real));
    nn_params_init(&b->model, 1, b->params);
    shake_side(&b->model, b->params);
    ucpo_generate_config g = ucpo_generate_config_default();
    g.problem = ops->info.name, g.size = 9, g.count = COUNT;
    assert_ok(ucpo_generate(&g, &b->set, &err), &err);
    for (size_t i = 0; i < COUNT; i++) b->instances[i] = ucpo_dataset_at(b->set, i);
    struct step_config c = {.n = b->instances[0]->data.n,
                            .samples = SAMPLES,
                            .batch = COUNT,
                            .threads = 1,
                            .has_anchor = 1};
    assert_ok(step_create(&b->model, ops, &c, &b->step, &err), &err);
}

static void release(struct bench *b)
{
    step_free(b->step);
    free(b->params);
    ucpo_dataset_free(b->set);
}

/* The loss that the step descends, its parts from the step's report. */
static double loss_of(struct bench *b, const struct step_task *task, struct step_result *r)
{
    ucpo_error err = {0};
    assert_ok(step_gradient(b->step, b->params, b->instances, COUNT, task, r, &err), &err);
    int imitates = task->anchor.mode == ANCHOR_IMITATE;
    return r->loss.loss - (imitates ? task->anchor.weight * r->anchors.log_prob / COUNT : 0.0);
}

static void expect_gradient(struct bench *b, const struct step_task *task)
{
    size_t total = b->model.total;
    real *grads = malloc(total * sizeof(real)), *at = malloc(total * sizeof(real));
    struct step_result here, there;
    loss_of(b, task, &here);
    if (task->anchor.mode) assert_true(here.anchors.used > 0);
    for (size_t i = 0; i < total; i++) grads[i] = b->step->grads[i], at[i] = b->params[i];
    for (uint64_t d = 0; d < DIRECTIONS; d++) {
        double side[2], slope = 0, h = 1e-7; /* larger ones cross kinks */
        for (int k = 0; k < 2; k++) {
            struct rng rng = rng_at(9, RNG_TEST, d);
            for (size_t i = 0; i < total; i++)
                b->params[i] = (real)(at[i] + (k ? -h : h) * rng_normal(&rng));
            side[k] = loss_of(b, task, &there);
            assert_true(there.mean_objective == here.mean_objective); /* the same trajectories */
            assert_true(there.anchors.gain == here.anchors.gain);
        }
        struct rng rng = rng_at(9, RNG_TEST, d);
        for (size_t i = 0; i < total; i++) slope += grads[i] * rng_normal(&rng);
        assert_close(slope, (side[0] - side[1]) / (2 * h), 1e-5, 1e-6);
    }
    for (size_t i = 0; i < total; i++) b->params[i] = at[i];
    free(grads);
    free(at);
}

static void the_gradient_with_anchors_is_that_of_the_loss(void **state)
{
    (void)state;
    static const struct anchor_config anchors[] = {{.mode = ANCHOR_NONE},
                                                   {ANCHOR_IMITATE, 0.7, 1.0, 2000},
                                                   {ANCHOR_PAIR, 1.0, 1.0, 2000},
                                                   {ANCHOR_PAIR, 0.3, 1.0, 2000}};
    for (size_t p = 0; p < prob_registry_count; p++) {
        struct bench b = {0};
        prepare(&b, prob_registry[p]);
        for (size_t k = 0; k < 4; k++) {
            ucpo_loss_config loss;
            assert_int_equal(ucpo_loss_parse("ucpo,alpha=0.3", &loss, NULL), UCPO_OK);
            struct step_task task = {.loss = &loss,
                                     .score = k % 2 ? STEP_CUT_MEAN : STEP_SUM,
                                     .options = policy_options_default(),
                                     .images = 8,
                                     .anchor = anchors[k]};
            task.options.seed = 5;
            if (k == 1) task.options.mask = PROB_MASK_LOOKAHEAD;
            expect_gradient(&b, &task);
        }
        release(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gradient_with_anchors_is_that_of_the_loss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
