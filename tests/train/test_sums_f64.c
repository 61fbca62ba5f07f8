/* In double: the gradient of a batch is the mean of those of its instances one by one, whatever the chunks and shards;
 * what a step reports is what its arrays say. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/shake_side.h"
#include "support/support.h"
#include "train/step.h"

enum { MOST = 137 }; /* eighteen chunks: more than there are shards, the last one not full */

struct bench {
    struct nn_model model;
    const struct prob_ops *ops;
    real *params;
    ucpo_dataset *set;
    const ucpo_instance *instances[MOST];
};

static void prepare(struct bench *b, const char *problem, const char *level, int size, int has_aux)
{
    ucpo_error err = {0};
    struct nn_config base = nn_config_default();
    b->ops = prob_find(problem);
    base.layers = 1, base.width = 16, base.heads = 2, base.hidden = 16, base.side_hidden = 8;
    base.has_aux = has_aux;
    struct nn_config config = policy_config(b->ops, base);
    assert_ok(nn_model_init(&b->model, &config, &err), &err);
    b->params = malloc(b->model.total * sizeof(real));
    nn_params_init(&b->model, 1, b->params);
    shake_side(&b->model, b->params);
    ucpo_generate_config g = ucpo_generate_config_default();
    g.problem = problem, g.level = level, g.size = size, g.count = MOST;
    assert_ok(ucpo_generate(&g, &b->set, &err), &err);
    for (size_t i = 0; i < MOST; i++) b->instances[i] = ucpo_dataset_at(b->set, i);
}

static void release(struct bench *b)
{
    free(b->params);
    ucpo_dataset_free(b->set);
}

static struct step *make_step(const struct bench *b, int batch, int samples, int threads)
{
    struct step *step = NULL;
    ucpo_error err = {0};
    struct step_config config = {
        .n = b->instances[0]->data.n, .samples = samples, .batch = batch, .threads = threads};
    assert_ok(step_create(&b->model, b->ops, &config, &step, &err), &err);
    return step;
}

static void run(const struct bench *b, struct step *s, int first, int count, struct step_task task,
                struct step_result *r)
{
    ucpo_error err = {0};
    task.options.index += (uint64_t)first;
    assert_ok(step_gradient(s, b->params, b->instances + first, count, &task, r, &err), &err);
}

static double norm_of(const real *v, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) sum += (double)v[i] * (double)v[i];
    return sqrt(sum);
}

/* |a - scale b| / |a| */
static double apart(const real *a, const real *b, double scale, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) sum += pow((double)a[i] - scale * (double)b[i], 2);
    return sqrt(sum) / norm_of(a, count);
}

static struct step_task task_of(const ucpo_loss_config *loss)
{
    struct step_task task = {.loss = loss, .options = policy_options_default(), .images = 8};
    task.options.seed = 3, task.options.index = 1000;
    return task;
}

static void a_batch_is_the_mean_of_its_instances(void **state)
{
    static const int counts[] = {1, 2, 7, 8, 9, 16, 21, 128, 129, MOST};
    struct bench b = {0};
    ucpo_loss_config loss = ucpo_loss_config_default();
    (void)state;
    prepare(&b, "tsptw", "hard", 6, 0);
    struct step *one = make_step(&b, 1, 5, 1), *all = make_step(&b, MOST, 5, 3);
    struct step_task task = task_of(&loss);
    real *sum = calloc(b.model.total, sizeof(real));
    double total = 0.0;
    int done = 0;
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
        struct step_result r, single;
        for (; done < counts[k]; done++) {
            run(&b, one, done, 1, task, &single);
            total += single.loss.loss;
            for (size_t i = 0; i < b.model.total; i++) sum[i] += one->grads[i];
        }
        run(&b, all, 0, counts[k], task, &r);
        assert_true(norm_of(all->grads, b.model.total) > 1e-6);
        assert_true(apart(all->grads, sum, 1.0 / counts[k], b.model.total) < 1e-12);
        assert_close(r.loss.loss, total / counts[k], 1e-12, 0);
        task.total = 200; /* part of a larger step */
        run(&b, all, 0, counts[k], task, &r);
        assert_true(apart(all->grads, sum, 1.0 / 200, b.model.total) < 1e-12);
        task.total = 0;
    }
    free(sum);
    step_free(one);
    step_free(all);
    release(&b);
}

/* What the policy would sample by itself, from the image that the run's seed and the instance's number say. */
static void instances_are_shown_as_they_are_or_as_a_random_image(void **state)
{
    enum { COUNT = 12, SAMPLES = 5, STEPS = 40 };
    struct bench b = {0};
    ucpo_loss_config loss;
    int met[8] = {0}, kinds = 0;
    (void)state;
    assert_int_equal(ucpo_loss_parse("ucpo,alpha=1", &loss, NULL), UCPO_OK);
    prepare(&b, "tsptw", "medium", 8, 0);
    struct step *s = make_step(&b, COUNT, SAMPLES, 1);
    struct policy *p = NULL;
    ucpo_error err = {0};
    assert_ok(policy_create(&b.model, b.ops, b.instances[0]->data.n, 1, SAMPLES, 0, &p, &err),
              &err);
    for (int images = 1; images <= 8; images += 7) {
        struct step_task task = task_of(&loss);
        struct step_result r;
        task.images = images;
        run(&b, s, 0, COUNT, task, &r);
        for (int i = 0; i < COUNT; i++) {
            double log_prob[SAMPLES], objective[SAMPLES], violation[SAMPLES];
            int32_t actions[SAMPLES * STEPS], counted[SAMPLES];
            struct policy_result result = {.log_prob = log_prob,
                                           .objective = objective,
                                           .violation = violation,
                                           .counted = counted};
            struct policy_options options = task.options;
            options.index += (uint64_t)i;
            struct rng rng = rng_at(options.seed, RNG_IMAGE, options.index);
            int image = images > 1 ? (int)rng_below(&rng, 8) : 0;
            met[image]++;
            assert_in_range(policy_max_steps(p), 1, STEPS);
            geometry_image(&b.instances[i]->data, image, p->xy);
            policy_load(p, 0, b.instances[i], p->xy);
            policy_encode(p, b.params, 1);
            assert_ok(policy_rollout(p, 0, b.instances[i], &options, actions, &result, &err), &err);
            for (int k = 0; k < SAMPLES; k++) {
                assert_close(s->log_prob[i * SAMPLES + k], log_prob[k], 1e-12, 0);
                assert_close(s->objective[i * SAMPLES + k], objective[k], 1e-12, 0);
            }
        }
    }
    for (int k = 0; k < 8; k++) kinds += met[k] > 0;
    assert_true(kinds > 3);
    policy_free(p);
    step_free(s);
    release(&b);
}

/* Every number of the result, from the arrays of the step. */
static void check_result(const struct step *s, const struct step_task *task, int count,
                         const struct step_result *r)
{
    int samples = s->config.samples, feasible_instances = 0, feasible = 0;
    ucpo_loss_result sum = {0};
    double lengths = 0.0, best_sum = 0.0;
    ucpo_error err;
    for (int i = 0; i < count; i++) {
        const double *f = s->objective + (size_t)i * (size_t)samples,
                     *v = s->violation + (size_t)i * (size_t)samples,
                     *l = s->log_prob + (size_t)i * (size_t)samples;
        double weight[64], best = HUGE_VAL;
        uint32_t rank[64];
        ucpo_loss_result one;
        assert_ok(ucpo_loss(task->loss, (size_t)samples, f, v, l, &one, weight, rank, &err), &err);
        sum.loss += one.loss, sum.dual += one.dual, sum.margin += one.margin;
        sum.primal += one.primal, sum.pairs += one.pairs;
        sum.dual_active += one.dual_active, sum.margin_active += one.margin_active;
        sum.primal_active += one.primal_active;
        for (int k = 0; k < samples; k++) {
            lengths += f[k];
            feasible += v[k] == 0.0;
            if (v[k] == 0.0) best = fmin(best, f[k]);
        }
        feasible_instances += best < HUGE_VAL;
        if (best < HUGE_VAL) best_sum += best;
    }
    double all = (double)count * samples;
    assert_int_equal(r->instances, count);
    assert_close(r->loss.loss, sum.loss / count, 1e-12, 0);
    assert_close(r->loss.dual, sum.dual / count, 1e-12, 0);
    assert_close(r->loss.margin, sum.margin / count, 1e-12, 0);
    assert_close(r->loss.primal, sum.primal / count, 1e-12, 0);
    assert_int_equal(r->loss.pairs, sum.pairs);
    assert_int_equal(r->loss.feasible, feasible);
    assert_int_equal(r->loss.dual_active, sum.dual_active);
    assert_int_equal(r->loss.margin_active, sum.margin_active);
    assert_int_equal(r->loss.primal_active, sum.primal_active);
    assert_close(r->mean_objective, lengths / all, 1e-12, 0);
    assert_close(r->best_objective,
                 feasible_instances ? best_sum / feasible_instances : (double)NAN, 1e-12, 0);
    assert_close(r->infeasible_samples, (all - feasible) / all, 1e-12, 1e-15);
    assert_close(r->infeasible_instances, (double)(count - feasible_instances) / count, 1e-12,
                 1e-15);
    assert_close(r->replayed, 1.0, 1e-12, 0); /* nothing is negligible here */
}

static void what_is_reported_is_what_the_arrays_say(void **state)
{
    static const struct {
        const char *problem, *level;
        enum prob_mask mask;
    } cases[] = {{"tsptw", "hard", PROB_MASK_SOFT},      {"tsptw", "hard", PROB_MASK_LOOKAHEAD},
                 {"tsptw", "medium", PROB_MASK_SOFT},    {"tspdl", "medium", PROB_MASK_SOFT},
                 {"tspdl", "hard", PROB_MASK_LOOKAHEAD}, {"cvrp", NULL, PROB_MASK_SOFT}};

    size_t dual = 0, margin = 0, primal = 0;
    int mixed = 0;
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct bench b = {0};
        ucpo_loss_config loss;
        struct step_result r;
        assert_int_equal(ucpo_loss_parse("ucpo,alpha=0.3", &loss, NULL), UCPO_OK);
        prepare(&b, cases[k].problem, cases[k].level, 7, 0);
        struct step *s = make_step(&b, 40, 9, 2);
        struct step_task task = task_of(&loss);
        task.options.mask = cases[k].mask;
        run(&b, s, 0, 37, task, &r);
        check_result(s, &task, 37, &r);
        dual += r.loss.dual_active, margin += r.loss.margin_active, primal += r.loss.primal_active;
        mixed += r.infeasible_instances > 0 && r.infeasible_instances < 1;
        step_free(s);
        step_set_samples(s = make_step(&b, 3, 9, 1), 4); /* fewer than there is room for */
        run(&b, s, 0, 1, task, &r);
        assert_int_equal(s->config.samples, 4);
        assert_int_equal(r.instances, 1);
        step_free(s);
        release(&b);
    }
    assert_true(dual > 0 && margin > 0 && primal > 0 && mixed > 0); /* every regime was met */
}

/* alpha times a sum, or alpha n times a mean. */
static void scores_are_what_their_names_say(void **state)
{
    enum { COUNT = 12, SAMPLES = 8 };
    struct bench b = {0};
    ucpo_loss_config plain, loss;
    struct step_result r;
    (void)state;
    assert_int_equal(ucpo_loss_parse("ucpo,alpha=1", &plain, NULL), UCPO_OK);
    assert_int_equal(ucpo_loss_parse("ucpo,alpha=3/n", &loss, NULL), UCPO_OK);
    prepare(&b, "tsptw", "hard", 8, 0);
    int n = b.instances[0]->data.n, shortened = 0;
    struct step *s = make_step(&b, COUNT, SAMPLES, 1);
    struct step_task task = task_of(&plain);
    double sum[COUNT * SAMPLES], cut[COUNT * SAMPLES];
    int32_t whole[COUNT * SAMPLES], kept[COUNT * SAMPLES];
    run(&b, s, 0, COUNT, task, &r);
    memcpy(sum, s->log_prob, sizeof sum);
    memcpy(whole, s->counted, sizeof whole);
    task.score = STEP_CUT;
    run(&b, s, 0, COUNT, task, &r);
    memcpy(cut, s->log_prob, sizeof cut);
    memcpy(kept, s->counted, sizeof kept);
    for (int k = 0; k < COUNT * SAMPLES; k++) {
        assert_true(kept[k] <= whole[k] && cut[k] >= sum[k] - 1e-12);
        if (s->violation[k] == 0.0) assert_true(cut[k] == sum[k] && kept[k] == whole[k]);
        shortened += kept[k] < whole[k];
    }
    assert_true(shortened > 0);
    task.loss = &loss;
    for (int score = STEP_SUM; score <= STEP_CUT_MEAN; score++) {
        task.score = (enum step_score)score;
        run(&b, s, 0, COUNT, task, &r);
        for (int k = 0; k < COUNT * SAMPLES; k++) {
            int is_cut = score == STEP_CUT || score == STEP_CUT_MEAN;
            double l = is_cut ? cut[k] : sum[k];
            int32_t counted = is_cut ? kept[k] : whole[k];
            double expected = score == STEP_SUM || score == STEP_CUT ? 3.0 / n * l
                              : counted > 0                          ? 3.0 * l / counted
                                                                     : 0.0;
            assert_close(s->log_prob[k], expected, 1e-12, 0);
        }
        check_result(s, &task, COUNT, &r);
    }
    step_free(s);
    release(&b);
}

/* Chunks of eight are balanced by themselves, so three calls are one. */
static void labels_of_chunks_add_up(void **state)
{
    struct bench b = {0};
    ucpo_loss_config loss = ucpo_loss_config_default();
    struct step_labels sum = {0};
    struct step_result r;
    (void)state;
    prepare(&b, "tsptw", "hard", 8, 1);
    struct step *s = make_step(&b, 21, 6, 2), *part = make_step(&b, 8, 6, 1);
    struct step_task task = task_of(&loss);
    task.options.mask = PROB_MASK_LOOKAHEAD;
    task.learns_aux = 1;
    task.total = 21;
    real *grads = calloc(b.model.total, sizeof(real));
    for (int first = 0; first < 21; first += 8) {
        run(&b, part, first, first < 16 ? 8 : 5, task, &r);
        sum.loss += r.labels.loss;
        for (int y = 0; y < 2; y++) {
            sum.nodes[y] += r.labels.nodes[y];
            sum.right[y] += r.labels.right[y];
        }
        for (size_t i = 0; i < b.model.total; i++) grads[i] += part->grads[i];
    }
    task.total = 0; /* the whole batch is the step */
    run(&b, s, 0, 21, task, &r);
    assert_close(r.labels.loss, sum.loss, 1e-12, 0);
    assert_true(sum.loss > 0.1 && sum.loss < 10.0); /* log 2 is what knowing nothing costs */
    for (int y = 0; y < 2; y++) {
        assert_int_equal(r.labels.nodes[y], sum.nodes[y]);
        assert_int_equal(r.labels.right[y], sum.right[y]);
        assert_true(sum.nodes[y] > 0 && sum.right[y] >= 0 && sum.right[y] <= sum.nodes[y]);
    }
    assert_true(apart(s->grads, grads, 1.0, b.model.total) < 1e-12);
    run(&b, s, 0, 21, task, &r); /* nothing is left of the call before */
    assert_int_equal(r.labels.nodes[1], sum.nodes[1]);
    task.learns_aux = 0;
    run(&b, s, 0, 21, task, &r);
    assert_true(r.labels.nodes[0] == 0 && r.labels.nodes[1] == 0 && r.labels.loss == 0.0);
    free(grads);
    step_free(s);
    step_free(part);
    release(&b);
}

/* A decoder that knows nothing says one half of every node: with balanced classes each step then costs log 2, however
 * many nodes of each class there are. */
static void classes_of_labels_count_alike_in_every_step(void **state)
{
    struct bench b = {0};
    ucpo_loss_config loss = ucpo_loss_config_default();
    struct step_result r;
    (void)state;
    prepare(&b, "tsptw", "hard", 9, 1);
    int n = b.instances[0]->data.n;
    for (int k = 0; k < b.model.tensors; k++)
        if (strstr(b.model.tensor[k].name, "_sl"))
            memset(b.params + b.model.tensor[k].offset, 0, b.model.tensor[k].count * sizeof(real));
    struct step *s = make_step(&b, 8, 6, 1);
    struct step_task task = task_of(&loss);
    task.options.mask = PROB_MASK_LOOKAHEAD;
    task.learns_aux = 1;
    for (int count = 1; count <= 8; count++) {
        run(&b, s, 0, count, task, &r);
        double steps = r.labels.loss / log(2.0) * (n - 2);
        assert_true(steps > 0.5 && steps < n - 1.5);
        assert_close(steps, round(steps), 0, 1e-9);
        if (count > 1) assert_true(r.labels.nodes[0] != r.labels.nodes[1]);
    }
    step_free(s);
    release(&b);
}

static void steps_that_cannot_be_are_refused(void **state)
{
    struct bench b = {0};
    ucpo_loss_config loss = ucpo_loss_config_default();
    struct step *s = NULL;
    struct step_result r;
    ucpo_error err;
    (void)state;
    prepare(&b, "tsptw", "easy", 5, 0);
    static const struct step_config bad[] = {{.n = 1, .samples = 1, .batch = 1},
                                             {.n = 5, .samples = 0, .batch = 1},
                                             {.n = 5, .samples = 1, .batch = 0}};
    for (int k = 0; k < 3; k++)
        assert_int_equal(step_create(&b.model, b.ops, &bad[k], &s, &err), UCPO_E_ARGUMENT);
    const struct step_config least = {.n = 5, .samples = 1, .batch = 1, .threads = 1};
    assert_ok(step_create(&b.model, b.ops, &least, &s, &err), &err);
    struct step_task task = task_of(&loss);
    assert_ok(step_gradient(s, b.params, b.instances, 1, &task, &r, &err), &err);
    assert_int_equal(step_gradient(s, b.params, b.instances, 0, &task, &r, &err), UCPO_E_ARGUMENT);
    assert_int_equal(step_gradient(s, b.params, b.instances, 2, &task, &r, &err), UCPO_E_ARGUMENT);
    assert_string_equal(err.text, "2 instances, expected 1 .. 1");
    task.anchor.mode = ANCHOR_PAIR;
    assert_int_equal(step_gradient(s, b.params, b.instances, 1, &task, &r, &err), UCPO_E_INTERNAL);
    step_free(s);
    release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_is_the_mean_of_its_instances),
        cmocka_unit_test(instances_are_shown_as_they_are_or_as_a_random_image),
        cmocka_unit_test(what_is_reported_is_what_the_arrays_say),
        cmocka_unit_test(scores_are_what_their_names_say),
        cmocka_unit_test(labels_of_chunks_add_up),
        cmocka_unit_test(classes_of_labels_count_alike_in_every_step),
        cmocka_unit_test(steps_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
