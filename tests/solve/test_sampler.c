/* How many images are decoded before a search has the rest of the time. */
#include "api/model.h"
#include "solve/solve.h"

#include "support/random_instance.h"
#include "support/support.h"

enum { IMAGES = 8 };

static double share_of(void *user)
{
    return *(double *)user;
}

static int never(void *user)
{
    (void)user;
    return 0;
}

/* Candidates of the greedy round if this share of the time is spent. */
static int images_after(double share, int64_t most, int is_searched)
{
    ucpo_model_config m = ucpo_model_config_default("tsptw");
    m.width = 16, m.heads = 2, m.hidden = 8, m.layers = 1;
    ucpo_model *model = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_model_create(&m, 3, &model, &err), &err);
    ucpo_instance *inst = test_random_instance(prob_find("tsptw"), 9, SHAPE_GENERATED, 3);
    ucpo_solve_config config = ucpo_solve_config_default();
    config.threads = 1, config.time_limit = 1.0, config.refine = is_searched;
    const struct solve_model inner = {.net = &model->net, .params = model->params};
    const struct stop stop = {.ask = never, .user = &share, .share = share_of};
    struct sampler *sampler = NULL;
    assert_ok(sampler_fit(&sampler, &inner, &config, inst, IMAGES, &err), &err);
    ucpo_status st = sampler_round(sampler, 0, most, &stop, &err);
    int done = sampler_done(sampler);
    assert_int_equal(st, done < IMAGES ? UCPO_E_CANCELLED : UCPO_OK);
    sampler_free(sampler);
    ucpo_instance_free(inst);
    ucpo_model_free(model);
    return done;
}

static void one_image_is_decoded_if_a_search_needs_the_time(void **state)
{
    (void)state;
    assert_int_equal(images_after(0.3, 0, 1), 1);
    assert_int_equal(images_after(0.01, 0, 1), IMAGES);
    assert_int_equal(images_after(0.3, 0, 0), IMAGES); /* nobody else needs it */
    assert_int_equal(images_after(0.3, 5, 1), IMAGES); /* samples were asked for */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_image_is_decoded_if_a_search_needs_the_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
