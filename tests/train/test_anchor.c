/* Refined trajectories as teachers: the same bits for any number of threads, no allocation, what is
 * left out is left out exactly, and the policy follows them. */
#include "refine/refine.h"
#include "support/alloc.h"
#include "support/support.h"
#include "train/keys.h"
#include "train/trainer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bench {
    ucpo_train_config *config;
    struct train_plan *plan;
    struct nn_model model;
    real *params;
    struct trainer *trainer;
};

static void set(struct bench *b, const char *key, const char *value)
{
    ucpo_error err = {0};
    if (!b->config) assert_ok(ucpo_train_config_create(&b->config, &err), &err);
    assert_ok(ucpo_train_config_set(b->config, key, value, &err), &err);
}

/* "key=value key=value" on top of a small run. */
static struct bench prepare(const char *problem, const char *more)
{
    struct bench b = {0};
    char text[400];
    set(&b, "problem", problem);
    set(&b, "protocol", "paper");
    set(&b, "anchor-weight", "0.1");
    set(&b, "anchor-effort", "100k");
    set(&b, "size", "9");
    set(&b, "batch", "21");
    set(&b, "threads", "1");
    set(&b, "lr", "1e-3");
    set(&b, "loss", "ucpo,alpha=0.3");
    set(&b, "anchor-effort", "1000");
    snprintf(text, sizeof text, "%s", more);
    for (char *item = strtok(text, " "); item; item = strtok(NULL, " ")) {
        char *value = strchr(item, '=');
        *value++ = 0;
        set(&b, item, value);
    }
    return b;
}

static void begin(struct bench *b, const char *problem, const char *more)
{
    *b = prepare(problem, more);
    ucpo_error err = {0};
    b->plan = calloc(1, sizeof *b->plan);
    assert_ok(train_plan_make(b->config, b->plan, &err), &err);
    struct nn_config base = nn_config_default();
    base.layers = 1, base.width = 32, base.heads = 2, base.hidden = 32;
    base.has_aux = train_plan_has_aux(b->plan);
    struct nn_config config = policy_config(b->plan->ops, base);
    assert_ok(nn_model_init(&b->model, &config, &err), &err);
    b->params = malloc(b->model.total * sizeof(real));
    nn_params_init(&b->model, 1, b->params);
    assert_ok(trainer_create(b->plan, &b->model, b->params, NULL, &b->trainer, &err), &err);
}

static ucpo_train_report run(struct bench *b, int steps)
{
    ucpo_train_report report = {0};
    ucpo_error err = {0};
    for (int i = 0; i < steps; i++) assert_ok(trainer_step(b->trainer, &report, &err), &err);
    return report;
}

static void release(struct bench *b)
{
    trainer_free(b->trainer);
    free(b->params);
    free(b->plan);
    ucpo_train_config_free(b->config);
}

static int is_same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void assert_same_weights(const struct bench *a, const struct bench *b)
{
    assert_int_equal(a->model.total, b->model.total);
    assert_memory_equal(a->params, b->params, a->model.total * sizeof(real));
}

static const char *const modes[] = {"anchor=refine anchor-mode=imitate",
                                    "anchor=refine anchor-mode=pair anchor-weight=0.5",
                                    "anchor=refine anchor-mode=pair anchor-weight=1 score=cut",
                                    "anchor=refine mask=pip score=mean anchor-share=0.5",
                                    "anchor=refine anchor-mode=pair mask=pip loss=reinforce-norm"};

enum { MODES = sizeof modes / sizeof modes[0] };

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    for (size_t p = 0; p < prob_registry_count; p++) {
        const char *problem = prob_registry[p]->info.name;
        for (int m = 0; m < MODES; m++) {
            struct bench one;
            begin(&one, problem, modes[m]);
            ucpo_train_report first = run(&one, 3);
            assert_true(first.anchor_share > 0 && first.anchor_share <= 1);
            for (int threads = 2; threads <= 3; threads++) {
                char text[200];
                snprintf(text, sizeof text, "%s threads=%d", modes[m], threads);
                struct bench more;
                begin(&more, problem, text);
                ucpo_train_report r = run(&more, 3);
                assert_same_weights(&one, &more);
                assert_true(is_same(r.anchor_share, first.anchor_share));
                assert_true(is_same(r.anchor_gain, first.anchor_gain));
                assert_true(is_same(r.anchor_log_prob, first.anchor_log_prob));
                release(&more);
            }
            release(&one);
        }
    }
}

/* Shares over all instances, the gain over those that have one, the log-probability over anchors. */
static void a_report_of_anchors_is_made_of_their_trajectories(void **state)
{
    static const char *const cases[] = {"anchor=refine", "anchor=refine mask=pip level=hard",
                                        "anchor=refine level=hard anchor-share=0.6"};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct bench b;
        begin(&b, "tsptw", cases[k]);
        ucpo_train_report r = run(&b, 1);
        const struct step *s = b.trainer->pool[0];
        int samples = s->config.samples, used = 0, gains = 0, outside = 0;
        double gain = 0, log_prob = 0;
        for (int i = 0; i < 21; i++) {
            const struct anchor_note *note = &s->notes[i];
            size_t at = (size_t)i * (size_t)(samples + 1);
            const double *f = s->objective + at, *v = s->violation + at;
            int best = 0;
            for (int j = 1; j < samples; j++)
                if (ucpo_compare(NULL, f[j], v[j], f[best], v[best]) < 0) best = j;
            assert_false(note->is_used && note->is_masked);
            outside += note->is_masked;
            if (!note->is_used) continue;
            assert_int_equal(ucpo_compare(NULL, f[samples], v[samples], f[best], v[best]), -1);
            assert_int_equal(note->has_gain, v[best] == 0.0);
            used++;
            log_prob += s->log_prob[at + (size_t)samples] / s->counted[at + (size_t)samples];
            if (v[best] > 0.0) continue;
            gains++;
            gain += 100.0 * (f[best] - f[samples]) / f[best];
        }
        assert_true(used > 0 || k > 0);
        assert_close(r.anchor_share, used / 21.0, 1e-6, 0);
        assert_close(r.anchor_masked, outside / 21.0, 1e-6, 0);
        assert_close(r.anchor_gain, gains ? gain / gains : (double)NAN, 1e-4, 1e-5);
        assert_close(r.anchor_log_prob, used ? log_prob / used : (double)NAN, 1e-5, 0);
        assert_true(r.anchor_time > 0 && r.anchor_time < 1);
        release(&b);
    }
}

static void without_share_or_weight_nothing_changes(void **state)
{
    (void)state;
    static const char *const idle[] = {"anchor=refine anchor-share=0",
                                       "anchor=refine anchor-share=0 anchor-mode=pair",
                                       "anchor=refine anchor-weight=0"};
    for (size_t p = 0; p < prob_registry_count; p++) {
        struct bench none;
        begin(&none, prob_registry[p]->info.name, "");
        ucpo_train_report plain = run(&none, 4);
        assert_true(isnan(plain.anchor_share) && isnan(plain.anchor_time));
        for (size_t k = 0; k < sizeof idle / sizeof idle[0]; k++) {
            struct bench b;
            begin(&b, prob_registry[p]->info.name, idle[k]);
            ucpo_train_report r = run(&b, 4);
            assert_same_weights(&none, &b);
            assert_true((r.anchor_share > 0) == (k == 2));
            assert_true(r.loss == plain.loss && is_same(r.objective, plain.objective));
            assert_true(r.infeasible_samples == plain.infeasible_samples);
            release(&b);
        }
        release(&none);
    }
}

static void every_mode_runs_for_twenty_steps_with_every_problem(void **state)
{
    (void)state;
    for (size_t p = 0; p < prob_registry_count; p++) {
        for (int m = 0; m < MODES; m++) {
            struct bench b;
            begin(&b, prob_registry[p]->info.name, modes[m]);
            double anchors = 0;
            for (int i = 0; i < 20; i++) {
                ucpo_train_report r = run(&b, 1);
                assert_true(isfinite(r.loss) && isfinite(r.grad_norm));
                assert_true(r.anchor_share + r.anchor_masked <= 1);
                assert_true(r.anchor_share == 0 || r.anchor_log_prob < 0);
                assert_false(r.anchor_gain <= 0); /* NaN: no feasible sample was improved */
                assert_true(r.anchor_time >= 0 && r.anchor_time <= 1);
                anchors += r.anchor_share;
            }
            assert_true(anchors > 1);
            release(&b);
        }
    }
}

/* Half of the instances, not all and not none: within four standard deviations. */
static void the_share_is_kept(void **state)
{
    (void)state;
    struct bench all, half;
    begin(&all, "tsptw", "anchor=refine anchor-weight=0 batch=200 instances=200");
    begin(&half, "tsptw",
          "anchor=refine anchor-weight=0 batch=200 instances=200 "
          "anchor-share=0.5");
    double whole = run(&all, 1).anchor_share, part = run(&half, 1).anchor_share;
    assert_true(whole > 0.5); /* an untrained policy is easy to improve on */
    assert_true(fabs(part - whole / 2) < 4 * sqrt(0.25 / 200));
    release(&all);
    release(&half);
}

enum { TAUGHT = STEP_CHUNK, ROUNDS = 30 };

/* Eight instances, and the anchors an untrained policy gets for them. */
struct lesson {
    struct bench bench;
    struct step *step;
    ucpo_dataset *set;
    const ucpo_instance *instance[TAUGHT];
    struct step_task task;
    ucpo_loss_config loss;
    int32_t anchor[TAUGHT][64];
    int has_anchor[TAUGHT];
};

static void begin_lesson(struct lesson *l, const char *problem, double weight)
{
    ucpo_error err = {0};
    struct step_result r;
    begin(&l->bench, problem, "");
    ucpo_generate_config g = ucpo_generate_config_default();
    g.problem = problem, g.size = 9, g.count = TAUGHT;
    if (strcmp(problem, "tsptw") == 0) g.level = "easy"; /* hard windows teach the order anyway */
    assert_ok(ucpo_generate(&g, &l->set, &err), &err);
    for (size_t i = 0; i < TAUGHT; i++) l->instance[i] = ucpo_dataset_at(l->set, i);
    struct step_config config = {.n = ucpo_instance_view(l->instance[0])->n,
                                 .samples = 10,
                                 .batch = TAUGHT,
                                 .threads = 1,
                                 .has_anchor = 1};
    assert_ok(step_create(&l->bench.model, l->bench.plan->ops, &config, &l->step, &err), &err);
    l->loss = ucpo_loss_config_default();
    l->task = (struct step_task){.loss = &l->loss,
                                 .options = policy_options_default(),
                                 .anchor = {ANCHOR_IMITATE, weight, 1.0, 1000}};
    assert_ok(step_gradient(l->step, l->bench.params, l->instance, TAUGHT, &l->task, &r, &err),
              &err);
    assert_true(r.anchors.used > 0);
    size_t most = (size_t)policy_max_steps(l->step->policy[0]), row = 11 * most;
    for (size_t i = 0; i < TAUGHT; i++) {
        memcpy(l->anchor[i], l->step->actions + i * row + 10 * most, most * sizeof(int32_t));
        l->has_anchor[i] = l->step->notes[i].is_used;
    }
}

/* Mean log-likelihood of the first anchors under the policy as it is now. */
static double likelihood(struct lesson *l)
{
    struct policy *p = l->step->policy[0];
    double sum = 0, log_prob = 0;
    int count = 0;
    for (int i = 0; i < TAUGHT; i++) {
        geometry_image(&l->instance[i]->data, 0, p->xy);
        policy_load(p, i, l->instance[i], p->xy);
    }
    policy_encode(p, l->bench.params, TAUGHT);
    for (int i = 0; i < TAUGHT; i++) {
        struct policy_result result = {.log_prob = &log_prob};
        if (!l->has_anchor[i]) continue;
        assert_int_equal(policy_replay(p, i, l->instance[i], &l->task.options, l->anchor[i], 1,
                                       NULL, &result, NULL),
                         UCPO_OK);
        sum += log_prob;
        count++;
    }
    return sum / count;
}

static double gain_of_lessons(const char *problem, double weight)
{
    struct lesson l = {0};
    begin_lesson(&l, problem, weight);
    struct nn_adam adam = nn_adam_default();
    adam.rate = 1e-3;
    struct trainer *t = l.bench.trainer;
    double before = likelihood(&l);
    for (int k = 0; k < ROUNDS; k++) {
        l.task.options.index = (uint64_t)k * TAUGHT;
        assert_int_equal(
            step_gradient(l.step, l.bench.params, l.instance, TAUGHT, &l.task, NULL, NULL),
            UCPO_OK);
        nn_adam_step(&adam, t->kern, &l.bench.model, l.bench.params, t->m, t->v, l.step->grads);
    }
    double gain = likelihood(&l) - before;
    step_free(l.step);
    ucpo_dataset_free(l.set);
    release(&l.bench);
    return gain;
}

static void imitation_makes_refined_tours_likely(void **state)
{
    (void)state;
    for (size_t p = 0; p < prob_registry_count; p++) {
        const char *problem = prob_registry[p]->info.name;
        double without = gain_of_lessons(problem, 0.0), with = gain_of_lessons(problem, 3.0);
        print_message("%s: log-likelihood %+.2f without, %+.2f with\n", problem, without, with);
        assert_true(with > 1.0 && with > without + 1.0);
    }
}

/* Step at which a trajectory comes to a node. */
static double step_of(const int32_t *actions, int most, int32_t node)
{
    for (int k = 0; k < most; k++)
        if (actions[k] == node) return k;
    fail();
    return 0.0;
}

/* Any order of the routes is the same plan; imitated is the one the policy chose itself. */
static void routes_come_in_the_order_of_the_sample(void **state)
{
    (void)state;
    struct lesson l = {0};
    begin_lesson(&l, "cvrptw", 1.0);
    int most = policy_max_steps(l.step->policy[0]), routes = 0;
    for (int i = 0; i < TAUGHT; i++) {
        if (!l.has_anchor[i]) continue;
        const double *f = l.step->objective + 11 * i, *v = l.step->violation + 11 * i;
        int best = 0;
        for (int k = 1; k < 10; k++)
            if (ucpo_compare(NULL, f[k], v[k], f[best], v[best]) < 0) best = k;
        const int32_t *sample = l.step->actions + (11 * i + best) * most;
        double sum = 0.0, count = 0.0, before = -1.0;
        for (int k = 0; k < most; k++) {
            if (l.anchor[i][k] != 0) {
                sum += step_of(sample, most, l.anchor[i][k]);
                count += 1.0;
            } else if (count > 0.0) {
                assert_true(sum / count >= before);
                before = sum / count;
                sum = count = 0.0;
                routes++;
            }
        }
    }
    assert_true(routes > TAUGHT); /* some plans have several */
    step_free(l.step);
    ucpo_dataset_free(l.set);
    release(&l.bench);
}

/* 1 -> 3 is far, 1 -> 2 -> 3 is near: the look-ahead closes 1 as the first customer, and with it the
 * best tour 1 2 3. */
static void a_better_tour_outside_the_mask_is_counted_and_not_followed(void **state)
{
    (void)state;
    static const double x[] = {0, 1, 2, 3}, y[] = {0, 1, 0, 1}, ready[4] = {0};
    static const double cost[] = {0, 1, 3, 5, 1, 0, 1, 100, 3, 9, 0, 1, 1, 9, 9, 0};
    static const double due[] = {50, 50, 50, 50};
    ucpo_instance_data d = ucpo_instance_data_default();
    d.problem = "tsptw", d.n = 4, d.x = x, d.y = y, d.cost = cost, d.ready = ready, d.due = due;
    ucpo_instance *inst = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_instance_create(&d, &inst, &err), &err);
    struct bench b;
    begin(&b, "tsptw", "");
    struct step_config config = {.n = 4, .samples = 8, .batch = 1, .has_anchor = 1};
    struct step *with = NULL, *without = NULL;
    assert_ok(step_create(&b.model, b.plan->ops, &config, &with, &err), &err);
    assert_ok(step_create(&b.model, b.plan->ops, &config, &without, &err), &err);
    const ucpo_instance *one[] = {inst};
    struct step_result r, plain;
    ucpo_loss_config loss = ucpo_loss_config_default();
    struct step_task task = {.loss = &loss, .options = policy_options_default()};
    task.options.mask = PROB_MASK_LOOKAHEAD;
    assert_ok(step_gradient(without, b.params, one, 1, &task, &plain, &err), &err);
    task.anchor = (struct anchor_config){ANCHOR_IMITATE, 1.0, 1.0, 1000};
    assert_ok(step_gradient(with, b.params, one, 1, &task, &r, &err), &err);
    assert_int_equal(r.anchors.masked, 1);
    assert_int_equal(r.anchors.used, 0);
    assert_true(r.infeasible_instances == 0 && r.loss.loss == plain.loss.loss);
    assert_memory_equal(with->grads, without->grads, b.model.total * sizeof(real));
    task.options.mask = PROB_MASK_SOFT;
    assert_ok(step_gradient(with, b.params, one, 1, &task, &r, &err), &err);
    assert_int_equal(r.anchors.masked, 0);
    step_free(with);
    step_free(without);
    release(&b);
    ucpo_instance_free(inst);
}

static void steps_do_not_allocate(void **state)
{
    (void)state;
    for (size_t p = 0; p < prob_registry_count; p++) {
        struct bench b;
        begin(&b, prob_registry[p]->info.name, "anchor=refine mask=pip");
        struct source_batch drawn;
        ucpo_error err = {0};
        struct step_result r;
        ucpo_loss_config loss = ucpo_loss_config_default();
        struct step_task task = {.loss = &loss,
                                 .options = policy_options_default(),
                                 .anchor = {ANCHOR_IMITATE, 1.0, 1.0, 1000}};
        run(&b, 1);
        assert_ok(trainer_draw(b.trainer, 0, &drawn, &err), &err);
        struct step *step = b.trainer->pool[0];
        assert_ok(step_gradient(step, b.params, drawn.instance, drawn.count, &task, &r, &err),
                  &err);
        size_t before = test_alloc_calls;
        assert_ok(step_gradient(step, b.params, drawn.instance, drawn.count, &task, &r, &err),
                  &err);
        assert_int_equal(test_alloc_calls - before, 0);
        assert_true(r.anchors.used > 0 && test_alloc_calls > 0);
        release(&b);
    }
}

static void failing_allocations_are_reported(void **state)
{
    (void)state;
    struct bench b;
    begin(&b, "tsptw", "anchor=refine");
    struct step_config config = {.n = 9, .samples = 9, .batch = 9, .threads = 1, .has_anchor = 1};
    for (int k = 0;; k++) {
        struct step *step = NULL;
        ucpo_error err = {0};
        test_alloc_countdown = k;
        ucpo_status st = step_create(&b.model, b.plan->ops, &config, &step, &err);
        int was_reached = test_alloc_countdown < 0;
        test_alloc_countdown = -1;
        if (!was_reached) {
            assert_int_equal(st, UCPO_OK);
            step_free(step);
            break;
        }
        assert_int_equal(st, UCPO_E_MEMORY);
    }
    release(&b);
}

static void settings_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    struct bench b = prepare("tsptw", "anchor=refine anchor-mode=pair anchor-weight=1.5");
    ucpo_error err = {0};
    b.plan = calloc(1, sizeof *b.plan);
    assert_int_equal(train_plan_make(b.config, b.plan, &err), UCPO_E_ARGUMENT);
    assert_non_null(strstr(err.text, "anchor-weight"));
    set(&b, "anchor-weight", "1");
    for (size_t p = 0; p < prob_registry_count; p++) {
        set(&b, "problem", prob_registry[p]->info.name);
        assert_ok(train_plan_make(b.config, b.plan, &err), &err);
    }
    assert_int_equal(ucpo_train_config_set(b.config, "anchor", "lkh", &err), UCPO_E_ARGUMENT);
    assert_int_equal(ucpo_train_config_set(b.config, "anchor-share", "1.1", &err), UCPO_E_ARGUMENT);
    assert_int_equal(ucpo_train_config_set(b.config, "anchor-effort", "-1", &err), UCPO_E_ARGUMENT);
    release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(a_report_of_anchors_is_made_of_their_trajectories),
        cmocka_unit_test(without_share_or_weight_nothing_changes),
        cmocka_unit_test(every_mode_runs_for_twenty_steps_with_every_problem),
        cmocka_unit_test(the_share_is_kept),
        cmocka_unit_test(imitation_makes_refined_tours_likely),
        cmocka_unit_test(routes_come_in_the_order_of_the_sample),
        cmocka_unit_test(a_better_tour_outside_the_mask_is_counted_and_not_followed),
        cmocka_unit_test(steps_do_not_allocate),
        cmocka_unit_test(failing_allocations_are_reported),
        cmocka_unit_test(settings_that_make_no_sense_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
