/* Steps of a run: the same work cut differently is the same gradient; schedules, scores, losses,
 * several processes, and the predicted mask. */
#include "support/ranks.h"
#include "support/support.h"
#include "train/keys.h"
#include "train/trainer.h"

#include <math.h>
#include <pthread.h>
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

static void begin_with(struct bench *b, const ucpo_comm *comm)
{
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
    assert_ok(trainer_create(b->plan, &b->model, b->params, comm, &b->trainer, &err), &err);
}

static void begin(struct bench *b)
{
    begin_with(b, NULL);
}

static struct bench small(const char *problem, const char *size)
{
    struct bench b = {0};
    set(&b, "problem", problem);
    set(&b, "protocol", "paper");
    set(&b, "size", size);
    set(&b, "batch", "16");
    set(&b, "threads", "1");
    return b;
}

static ucpo_train_report step(struct bench *b)
{
    ucpo_train_report report;
    ucpo_error err = {0};
    assert_ok(trainer_step(b->trainer, &report, &err), &err);
    return report;
}

static void release(struct bench *b)
{
    trainer_free(b->trainer);
    free(b->params);
    free(b->plan);
    ucpo_train_config_free(b->config);
}

/* |a - b| / |a| of two gradients. */
static double difference(const struct bench *a, const struct bench *b)
{
    double sum = 0, norm = 0;
    for (size_t i = 0; i < a->model.total; i++) {
        sum += pow((double)(a->trainer->grads[i] - b->trainer->grads[i]), 2);
        norm += pow((double)a->trainer->grads[i], 2);
    }
    assert_true(norm > 0);
    return sqrt(sum / norm);
}

static int is_finite(const real *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite((double)values[i])) return 0;
    return 1;
}

/* ---- cutting the work ---- */

static void two_accumulated_batches_are_one_of_twice_the_size(void **state)
{
    (void)state;
    for (size_t p = 0; p < prob_registry_count; p++) {
        struct bench whole = small(prob_registry[p]->info.name, "9"),
                     halves = small(prob_registry[p]->info.name, "9");
        set(&halves, "batch", "8");
        set(&halves, "accumulate", "2");
        set(&whole, "samples", "7");
        set(&halves, "samples", "7");
        begin(&whole);
        begin(&halves);
        ucpo_train_report a = step(&whole), b = step(&halves);
        assert_true(difference(&whole, &halves) < 1e-5);
        assert_close(b.loss, a.loss, 1e-5, 1e-6);
        assert_close(b.infeasible_samples, a.infeasible_samples, 1e-5, 1e-6);
        assert_close(b.objective, a.objective, 1e-5, 1e-6);
        assert_close(b.grad_norm, a.grad_norm, 1e-4, 0);
        assert_int_equal(a.instances, 16);
        assert_int_equal(b.instances, 16);
        assert_int_equal(halves.trainer->at.batches, 2);
        release(&whole);
        release(&halves);
    }
}

/* Two accumulated batches of 16 and one of 8, the last of the phase, against steps made by hand. */
static void a_report_is_the_mean_of_what_its_batches_found(void **state)
{
    static const int sizes[] = {16, 16, 8};
    (void)state;
    for (size_t p = 0; p <= prob_registry_count; p++) {
        int has_aux = p == prob_registry_count; /* at last with labels, too */
        const char *problem = prob_registry[has_aux ? 0 : p]->info.name;
        struct bench b = small(has_aux ? "tsptw" : problem, "8");
        set(&b, "accumulate", "4");
        set(&b, "instances", "40");
        set(&b, "negligible", "0.2");
        set(&b, "anchor", "none");
        set(&b, "mask", "pip"); /* a mixture of feasible and infeasible ones */
        if (has_aux) set(&b, "mask", "pip-d");
        if (has_aux) set(&b, "aux-open", "1");
        if (has_aux || strcmp(problem, "tsptw") == 0) set(&b, "level", "hard");
        begin(&b);
        struct trainer *t = b.trainer;
        const struct train_phase *phase = &b.plan->phase[0];
        ucpo_loss_config loss = train_loss(phase, 0.0);
        real *before = malloc(b.model.total * sizeof(real));
        memcpy(before, b.params, b.model.total * sizeof(real));
        ucpo_train_report r = step(&b), expected = {0};
        t->at = (struct trainer_counters){0}; /* to draw the same again */
        double found = 0.0;
        struct step_labels labels = {0};
        for (int k = 0; k < 3; k++) {
            struct source_batch drawn;
            struct step *s = NULL;
            struct step_result one;
            ucpo_error err = {0};
            assert_ok(trainer_draw(t, k, &drawn, &err), &err);
            assert_int_equal(drawn.count, sizes[k]);
            struct step_config config = {.n = drawn.n,
                                         .samples = train_samples(phase, drawn.n, 0.0),
                                         .batch = drawn.count,
                                         .threads = 1,
                                         .kern = t->kern,
                                         .negligible = 0.2};
            struct step_task task = {.loss = &loss,
                                     .score = phase->score_kind,
                                     .options = policy_options_default(),
                                     .images = 1,
                                     .learns_aux = has_aux,
                                     .total = 40};
            task.options.seed = b.plan->run.seed, task.options.index = 16 * (uint64_t)k;
            task.options.mask = phase->mask_kind;
            task.options.has_forced_start = phase->has_forced_start;
            assert_ok(step_create(&b.model, b.plan->ops, &config, &s, &err), &err);
            assert_ok(step_gradient(s, before, drawn.instance, drawn.count, &task, &one, &err),
                      &err);
            double share = sizes[k] / 40.0, feasible = (1.0 - one.infeasible_instances) * sizes[k];
            expected.loss += share * one.loss.loss;
            expected.dual += share * one.loss.dual;
            expected.margin += share * one.loss.margin;
            expected.primal += share * one.loss.primal;
            expected.dual_share += (double)one.loss.dual_active / 40.0;
            expected.margin_share += (double)one.loss.margin_active / 40.0;
            expected.primal_share += (double)one.loss.primal_active / 40.0;
            expected.infeasible_samples += share * one.infeasible_samples;
            expected.infeasible_instances += share * one.infeasible_instances;
            expected.replayed += share * one.replayed;
            if (feasible > 0.5) expected.objective += one.best_objective * feasible;
            found += feasible;
            labels.loss += one.labels.loss;
            for (int y = 0; y < 2; y++) {
                labels.nodes[y] += one.labels.nodes[y];
                labels.right[y] += one.labels.right[y];
            }
            step_free(s);
        }
        assert_int_equal(r.instances, 40);
        assert_int_equal(r.step, 1);
        assert_close(r.loss, expected.loss, 1e-5, 1e-7);
        assert_close(r.dual, expected.dual, 1e-5, 1e-7);
        assert_close(r.margin, expected.margin, 1e-5, 1e-7);
        assert_close(r.primal, expected.primal, 1e-5, 1e-7);
        assert_close(r.dual_share, expected.dual_share, 1e-5, 1e-7);
        assert_close(r.margin_share, expected.margin_share, 1e-5, 1e-7);
        assert_close(r.primal_share, expected.primal_share, 1e-5, 1e-7);
        assert_close(r.infeasible_samples, expected.infeasible_samples, 1e-5, 1e-7);
        assert_close(r.infeasible_instances, expected.infeasible_instances, 1e-5, 1e-7);
        assert_close(r.replayed, expected.replayed, 1e-5, 1e-7);
        assert_close(r.objective, found > 0.5 ? expected.objective / found : (double)NAN, 1e-5, 0);
        assert_true(isnan(r.gap) && isnan(r.aux_loss) == !has_aux);
        for (int y = 0; has_aux && y < 2; y++)
            assert_close(y ? r.recall_infeasible : r.recall_feasible,
                         (double)labels.right[y] / (double)labels.nodes[y], 1e-6, 0);
        if (has_aux) assert_close(r.aux_loss, labels.loss, 1e-5, 0);
        assert_true(isnan(r.anchor_share) && isnan(r.elapsed));
        free(before);
        release(&b);
    }
}

/* The largest phase: a workspace for each of its sizes; weights, moments and gradients beside it. */
static void what_is_measured_is_what_the_largest_phase_needs(void **state)
{
    static const struct {
        const char *phases;
        int large[2]; /* sizes of the phase that decides, 0: none */
    } cases[] = {{"size=6,9 instances=16; size=7 instances=16", {6, 9}},
                 {"size=5 instances=16; size=6,7 instances=16; size=30 instances=16", {30, 0}},
                 {"size=8 instances=16", {8, 0}}};

    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct bench b = small("tsptw", "5");
        ucpo_error err = {0};
        size_t bytes = 0, expected = 0;
        set(&b, "phases", cases[k].phases);
        begin(&b);
        assert_ok(trainer_measure(b.trainer, &bytes, &err), &err);
        for (int i = 0; i < 2 && cases[k].large[i]; i++) {
            struct step *s = NULL;
            int n = cases[k].large[i];
            struct step_config config = {
                .n = n, .samples = n, .batch = 16, .threads = 1, .kern = b.trainer->kern};
            assert_ok(step_create(&b.model, b.plan->ops, &config, &s, &err), &err);
            expected += step_bytes(s);
            step_free(s);
        }
        expected += b.model.total * (4 * sizeof(real) + sizeof(float));
        assert_int_equal(bytes, expected);
        assert_int_equal(b.trainer->at.phase, 0);
        release(&b);
    }
}

/* The norm's cap and decay of the settings reach Adam, and its step counts on. */
static void an_update_is_adam_with_the_settings_of_the_phase(void **state)
{
    (void)state;
    struct bench b = small("tsptw", "7");
    set(&b, "lr", "1e-3");
    set(&b, "lr-curve", "linear");
    set(&b, "instances", "64");
    set(&b, "warmup", "2");
    set(&b, "weight-decay", "0.01");
    set(&b, "clip-norm", "0.001");
    begin(&b);
    size_t total = b.model.total;
    real *w = malloc(total * sizeof(real)), *m = calloc(total, sizeof(real)),
         *v = calloc(total, sizeof(real));
    memcpy(w, b.params, total * sizeof(real));
    struct nn_adam adam = nn_adam_default();
    adam.decay = 0.01, adam.clip_norm = 0.001;
    for (int k = 0; k < 4; k++) {
        ucpo_train_report r = step(&b);
        adam.rate = train_rate(&b.plan->phase[0], k);
        double norm = nn_adam_step(&adam, b.trainer->kern, &b.model, w, m, v, b.trainer->grads);
        assert_true(norm > 0.002); /* it is capped, and would not be at ten times the norm */
        assert_close(r.grad_norm, norm, 0, 0);
        assert_close(r.lr, adam.rate, 0, 0);
        assert_int_equal(b.trainer->at.adam_step, k + 1);
        assert_memory_equal(w, b.params, total * sizeof(real));
        assert_memory_equal(m, b.trainer->m, total * sizeof(real));
        assert_memory_equal(v, b.trainer->v, total * sizeof(real));
    }
    free(w);
    free(m);
    free(v);
    release(&b);
}

static void a_phase_ends_on_its_last_instance_and_the_next_begins(void **state)
{
    (void)state;
    struct bench b = small("tsptw", "6");
    set(&b, "phases",
        "instances=50; size=8 instances=20 batch=8 accumulate=2 mask=pip; "
        "size=7 instances=1 samples=2");
    begin(&b);
    static const int64_t instances[] = {16, 32, 48, 50, 66, 70, 71},
                         phase[] = {1, 1, 1, 1, 2, 2, 3};
    static const int32_t nodes[] = {6, 6, 6, 6, 8, 8, 7};
    for (int i = 0; i < 7; i++) {
        assert_false(trainer_is_done(b.trainer));
        ucpo_train_report r = step(&b);
        assert_int_equal(r.instances, instances[i]);
        assert_int_equal(r.step, i + 1);
        assert_int_equal(r.phase, phase[i]);
        assert_int_equal(r.n, nodes[i]);
        assert_int_equal(r.total, 71);
    }
    assert_true(trainer_is_done(b.trainer));
    release(&b);
}

static void mixtures_of_sizes_share_workspaces(void **state)
{
    (void)state;
    struct bench b = small("tspdl", "5,6,7,8,9,10");
    begin(&b);
    int seen[11] = {0};
    for (int i = 0; i < 40; i++) {
        ucpo_train_report r = step(&b);
        seen[r.n] = 1;
        assert_int_equal(r.samples, r.n);
    }
    for (int n = 5; n <= 10; n++) assert_true(seen[n]);
    release(&b);
}

/* ---- schedules ---- */

static void rates_follow_their_curve(void **state)
{
    (void)state;
    static const char *const curves[] = {"constant", "linear", "cosine", "drop"};
    static const double expected[4][3] = {{1e-3, 1e-3, 1e-3},
                                          {1e-3, 5.5e-4, 1e-4 + 9e-6},
                                          {1e-3, 5.5e-4, 1e-4},
                                          {1e-3, 1e-3, 1e-4}}; /* at 0, 50, 99 of 100 steps */
    for (int c = 0; c < 4; c++) {
        struct bench b = small("tsptw", "5");
        set(&b, "instances", "1600");
        set(&b, "lr", "1e-3");
        set(&b, "lr-end", "1e-4");
        set(&b, "lr-curve", curves[c]);
        begin(&b);
        const struct train_phase *p = &b.plan->phase[0];
        assert_close(train_rate(p, 0), expected[c][0], 1e-12, 0);
        assert_close(train_rate(p, 50), expected[c][1], 1e-9, 0);
        assert_close(train_rate(p, 99), expected[c][2], 3e-3, 0);
        assert_close(train_rate(p, 89), c == 3 ? 1e-3 : train_rate(p, 89), 1e-12, 0);
        assert_close(train_rate(p, 90), c == 3 ? 1e-4 : train_rate(p, 90), 1e-12, 0);
        release(&b);
    }
    struct bench b = small("tsptw", "5");
    set(&b, "instances", "1600");
    set(&b, "lr", "1e-3");
    set(&b, "warmup", "10");
    begin(&b);
    assert_close(train_rate(&b.plan->phase[0], 0), 1e-4, 1e-12, 0);
    assert_close(train_rate(&b.plan->phase[0], 4), 5e-4, 1e-12, 0);
    assert_close(train_rate(&b.plan->phase[0], 10), 1e-3, 1e-12, 0);
    assert_close(step(&b).lr, 1e-4, 1e-12, 0);
    release(&b);
}

static void alpha_moves_geometrically_and_samples_linearly(void **state)
{
    (void)state;
    struct bench b = small("tsptw", "10");
    set(&b, "loss", "ucpo,alpha=8/n");
    set(&b, "alpha-end", "2/n");
    set(&b, "samples-end", "30");
    set(&b, "instances", "64");
    begin(&b);
    const struct train_phase *p = &b.plan->phase[0];
    assert_close(train_loss(p, 0.0).alpha, 8, 1e-12, 0);
    assert_close(train_loss(p, 0.5).alpha, 4, 1e-12, 0);
    assert_close(train_loss(p, 1.0).alpha, 2, 1e-12, 0);
    assert_int_equal(train_samples(p, 10, 0.0), 10);
    assert_int_equal(train_samples(p, 10, 0.5), 20);
    assert_int_equal(train_samples(p, 10, 1.0), 30);
    assert_int_equal(train_most_samples(p, 10), 30);
    static const int32_t samples[] = {10, 15, 20, 25};
    for (int i = 0; i < 4; i++) {
        ucpo_train_report r = step(&b);
        assert_int_equal(r.samples, samples[i]);
        assert_close(r.alpha, 0.8 * pow(0.25, i / 4.0), 1e-9, 0);
    }
    release(&b);
    struct bench c = small("tsptw", "10");
    set(&c, "samples", "12");
    set(&c, "samples-end", "4");
    begin(&c);
    assert_int_equal(train_most_samples(&c.plan->phase[0], 10), 12);
    assert_int_equal(train_samples(&c.plan->phase[0], 10, 1.0), 4);
    release(&c);
}

static void multi_start_has_a_trajectory_per_customer(void **state)
{
    (void)state;
    struct bench b = small("tsptw", "10");
    set(&b, "starts", "each");
    begin(&b);
    assert_int_equal(step(&b).samples, 9);
    release(&b);
    struct bench c = small("cvrptw", "10"); /* 11 nodes */
    begin(&c);
    assert_int_equal(step(&c).samples, 10);
    release(&c);
}

/* ---- scores and losses ---- */

static void scores_are_finite_and_differ(void **state)
{
    (void)state;
    static const char *const scores[] = {"sum", "mean", "cut", "cut-mean"};
    for (size_t p = 0; p < prob_registry_count; p++) {
        struct bench b[4];
        for (int k = 0; k < 4; k++) {
            b[k] = small(prob_registry[p]->info.name, "9");
            set(&b[k], "loss", "ucpo,alpha=0.2");
            set(&b[k], "score", scores[k]);
            if (strcmp(prob_registry[p]->info.name, "tsptw") == 0) set(&b[k], "level", "hard");
            begin(&b[k]);
            ucpo_train_report r = step(&b[k]);
            assert_true(isfinite(r.loss) && isfinite(r.grad_norm) && r.grad_norm > 0);
            assert_true(is_finite(b[k].params, b[k].model.total));
            for (int j = 0; j < k; j++)
                if (r.infeasible_samples > 0 || (j ^ k) & 1)
                    assert_true(difference(&b[j], &b[k]) > 1e-3);
        }
        for (int k = 0; k < 4; k++) release(&b[k]);
    }
}

static void every_loss_runs_for_twenty_steps(void **state)
{
    (void)state;
    const char *loss;
    static const char *const further[] = {"ucpo,k=2", "bopo,k=3", NULL};
    size_t presets = 0;
    while (ucpo_loss_preset_at(presets)) presets++;
    for (size_t i = 0; (loss = i < presets ? ucpo_loss_preset_at(i) : further[i - presets]); i++) {
        struct bench b = small(prob_registry[i % prob_registry_count]->info.name, "8");
        set(&b, "loss", loss);
        set(&b, "lr", "1e-3");
        set(&b, "mask", i % 3 == 0 ? "pip" : i % 3 == 1 ? "visited" : "pip-own");
        begin(&b);
        real *before = malloc(b.model.total * sizeof(real));
        memcpy(before, b.params, b.model.total * sizeof(real));
        for (int k = 0; k < 20; k++) {
            ucpo_train_report r = step(&b);
            assert_true(isfinite(r.loss) && isfinite(r.grad_norm));
            assert_true(r.infeasible_samples >= 0 && r.infeasible_samples <= 1);
            assert_true(r.replayed >= 0 && r.replayed <= 1);
        }
        assert_true(is_finite(b.params, b.model.total));
        assert_memory_not_equal(before, b.params, b.model.total * sizeof(real));
        free(before);
        release(&b);
    }
}

static void a_gradient_that_is_not_finite_changes_nothing(void **state)
{
    (void)state;
    struct bench b = small("tsptw", "8");
    begin(&b);
    step(&b);
    for (size_t i = 0; i < b.model.total; i++) b.params[i] *= (real)1e30;
    size_t bytes = b.model.total * sizeof(real);
    real *params = malloc(bytes), *m = malloc(bytes);
    memcpy(params, b.params, bytes);
    memcpy(m, b.trainer->m, bytes);
    struct trainer_counters at = b.trainer->at;
    ucpo_train_report r;
    ucpo_error err = {0};
    assert_int_equal(trainer_step(b.trainer, &r, &err), UCPO_E_DIVERGED);
    assert_int_equal(err.code, UCPO_E_DIVERGED);
    assert_memory_equal(params, b.params, bytes);
    assert_memory_equal(m, b.trainer->m, bytes);
    assert_memory_equal(&at, &b.trainer->at, sizeof at);
    struct source_batch batch;
    assert_ok(trainer_draw(b.trainer, 0, &batch, &err), &err);
    assert_int_equal(batch.count, 16);
    free(params);
    free(m);
    release(&b);
}

/* ---- several processes, here threads ---- */

enum { STEPS = 4 };

struct rank {
    struct member member;
    ucpo_comm comm;
    struct bench bench;
    ucpo_train_report report[STEPS];
    ucpo_status status;
};

static void *work(void *user)
{
    struct rank *me = user;
    for (int i = 0; i < STEPS && !me->status; i++)
        me->status = trainer_step(me->bench.trainer, &me->report[i], NULL);
    return NULL;
}

static struct bench shared_bench(const char *mask, const char *anchor)
{
    struct bench b = small("tsptw", "8:1,10:1");
    set(&b, "batch", "29");
    set(&b, "accumulate", "2");
    set(&b, "instances", "200"); /* the last step is a short one */
    set(&b, "mask", mask);
    set(&b, "anchor", anchor);
    set(&b, "lr", "1e-3");
    return b;
}

static void two_processes_learn_what_one_does(void **state)
{
    (void)state;
    static const char *const masks[] = {"visited", "pip-d", "pip"};
    static const char *const anchors[] = {"none", "none", "refine"};
    for (int k = 0; k < 3; k++) {
        struct meeting meeting;
        struct rank rank[RANKS] = {{.status = UCPO_OK}};
        pthread_t thread[RANKS];
        pthread_barrier_init(&meeting.barrier, NULL, RANKS);
        for (int r = 0; r < RANKS; r++) {
            rank[r].member = (struct member){&meeting, r};
            rank[r].comm = comm_of(&rank[r].member);
            rank[r].bench = shared_bench(masks[k], anchors[k]);
            begin_with(&rank[r].bench, &rank[r].comm);
        }
        rank[1].bench.trainer->wish = 1;
        for (int r = 0; r < RANKS; r++) pthread_create(&thread[r], NULL, work, &rank[r]);
        for (int r = 0; r < RANKS; r++) pthread_join(thread[r], NULL);
        struct bench alone = shared_bench(masks[k], anchors[k]);
        begin(&alone);
        for (int i = 0; i < STEPS; i++) {
            ucpo_train_report r = step(&alone), *shared = rank[0].report;
            assert_int_equal(shared[i].instances, r.instances);
            assert_close(shared[i].loss, r.loss, 1e-3, 1e-4);
            assert_close(shared[i].grad_norm, r.grad_norm, 1e-2, 1e-6);
            assert_close(shared[i].recall_infeasible, r.recall_infeasible, 0, 2e-2);
            assert_close(shared[i].anchor_share, r.anchor_share, 0, 2e-2);
            assert_int_equal(isfinite(r.anchor_share) != 0, k == 2);
        }
        assert_int_equal(rank[0].status, UCPO_OK);
        assert_int_equal(rank[1].status, UCPO_OK);
        assert_int_equal(rank[0].bench.trainer->heard, 1);
        assert_int_equal(rank[1].bench.trainer->heard, 1);
        assert_true(trainer_is_done(rank[0].bench.trainer));
        size_t total = alone.model.total;
        assert_memory_equal(rank[0].bench.params, rank[1].bench.params, total * sizeof(real));
        size_t apart = 0; /* Adam turns the rounding of a tiny gradient into a whole step */
        for (size_t i = 0; i < total; i++)
            apart += fabs((double)(alone.params[i] - rank[0].bench.params[i])) > 5e-4;
        assert_true(apart * 500 < total);
        for (int r = 0; r < RANKS; r++) release(&rank[r].bench);
        release(&alone);
        pthread_barrier_destroy(&meeting.barrier);
    }
}

static void the_first_step_of_two_processes_has_the_gradient_of_one(void **state)
{
    (void)state;
    struct meeting meeting;
    struct rank rank[RANKS] = {{.status = UCPO_OK}};
    pthread_t thread[RANKS];
    pthread_barrier_init(&meeting.barrier, NULL, RANKS);
    for (int r = 0; r < RANKS; r++) {
        rank[r].member = (struct member){&meeting, r};
        rank[r].comm = comm_of(&rank[r].member);
        rank[r].bench = small("cvrptwlv", "7");
        set(&rank[r].bench, "instances", "64");
        set(&rank[r].bench, "lr", "1e-9"); /* all four steps at the same point */
        set(&rank[r].bench, "weight-decay", "0");
        begin_with(&rank[r].bench, &rank[r].comm);
    }
    for (int r = 0; r < RANKS; r++) pthread_create(&thread[r], NULL, work, &rank[r]);
    for (int r = 0; r < RANKS; r++) pthread_join(thread[r], NULL);
    struct bench alone = small("cvrptwlv", "7");
    set(&alone, "instances", "64");
    set(&alone, "lr", "1e-9");
    set(&alone, "weight-decay", "0");
    begin(&alone);
    for (int i = 0; i < STEPS; i++) step(&alone);
    assert_true(difference(&alone, &rank[0].bench) < 1e-4);
    assert_true(difference(&alone, &rank[1].bench) < 1e-4);
    for (int r = 0; r < RANKS; r++) release(&rank[r].bench);
    release(&alone);
    pthread_barrier_destroy(&meeting.barrier);
}

static void a_process_that_fails_ends_the_others(void **state)
{
    (void)state;
    struct meeting meeting;
    struct rank rank[RANKS] = {{.status = UCPO_OK}};
    pthread_t thread[RANKS];
    pthread_barrier_init(&meeting.barrier, NULL, RANKS);
    for (int r = 0; r < RANKS; r++) {
        rank[r].member = (struct member){&meeting, r};
        rank[r].comm = comm_of(&rank[r].member);
        rank[r].bench = small("tsptw", "7");
        if (r == 1) set(&rank[r].bench, "loss", "ucpo,alpha=1e90");
        begin_with(&rank[r].bench, &rank[r].comm);
    }
    for (int r = 0; r < RANKS; r++) pthread_create(&thread[r], NULL, work, &rank[r]);
    for (int r = 0; r < RANKS; r++) pthread_join(thread[r], NULL);
    assert_true(rank[0].status != UCPO_OK);
    assert_int_equal(rank[1].status, UCPO_E_DIVERGED);
    for (int r = 0; r < RANKS; r++) release(&rank[r].bench);
    pthread_barrier_destroy(&meeting.barrier);
}

/* ---- PIP-D ---- */

static void the_predicted_mask_takes_over_and_recall_rises(void **state)
{
    (void)state;
    struct bench b = small("tsptw", "10");
    set(&b, "level", "hard");
    set(&b, "mask", "pip-d");
    set(&b, "loss", "reinforce-norm");
    set(&b, "lr", "1e-3");
    set(&b, "instances", "3200"); /* 200 steps */
    set(&b, "aux-open", "0.4");
    set(&b, "aux-blocks", "5");
    set(&b, "aux-update", "0.25");
    set(&b, "aux-close", "0.05");
    set(&b, "aux-recall", "0.5");
    begin(&b);
    const struct train_phase *p = &b.plan->phase[0];
    double early = 0, late = 0;
    for (int i = 0; i < 200; i++) {
        double done = i / 200.0;
        int learns = pipd_learns(p, done);
        assert_int_equal(learns, i < 80 || i >= 190 || i % 40 >= 30);
        ucpo_train_report r = step(&b);
        assert_int_equal(isfinite(r.recall_infeasible) != 0, learns);
        assert_int_equal(isfinite(r.aux_loss) != 0, learns);
        assert_int_equal(b.trainer->pipd.has_frozen, i >= 80);
        if (i < 5) early += (r.recall_feasible + r.recall_infeasible) / 10;
        if (i >= 195) late += (r.recall_feasible + r.recall_infeasible) / 10;
        if (i == 80) assert_int_equal(b.trainer->pipd.block, 2);
        if (i == 160) assert_int_equal(b.trainer->pipd.block, 4);
    }
    print_message("recall %.3f -> %.3f\n", early, late);
    assert_true(late > early + 0.05 && late > 0.7); /* 0.5 is what knowing nothing gives */
    assert_true(is_finite(b.trainer->pipd.frozen, b.model.total));
    assert_memory_not_equal(b.trainer->pipd.frozen, b.params, b.model.total * sizeof(real));
    release(&b);
}

static void the_true_mask_stays_until_a_predictor_is_good_enough(void **state)
{
    (void)state;
    struct bench b = small("tsptw", "8");
    set(&b, "level", "hard");
    set(&b, "mask", "pip-d");
    set(&b, "instances", "160");
    set(&b, "aux-open", "0.1");
    set(&b, "aux-recall", "1"); /* nobody is */
    begin(&b);
    for (int i = 0; i < 10; i++) {
        ucpo_train_report r = step(&b);
        assert_true(isfinite(r.recall_infeasible));
        assert_false(b.trainer->pipd.has_frozen);
    }
    release(&b);
}

static void a_phase_judges_its_predictors_anew(void **state)
{
    (void)state;
    struct bench b = small("tsptw", "8");
    set(&b, "level", "hard");
    set(&b, "mask", "pip-d");
    set(&b, "aux-open", "0.5");
    set(&b, "aux-recall", "0");
    set(&b, "phases", "instances=64; instances=64");
    begin(&b);
    struct pipd *d = &b.trainer->pipd;
    const real *frozen = d->frozen, *snapshot = d->snapshot;
    for (int i = 0; i < 3; i++) step(&b);
    assert_true(d->has_best && d->has_frozen && d->judged > 0 && d->block >= 0);
    step(&b);
    assert_int_equal(b.trainer->at.phase, 1);
    assert_false(d->has_best || d->has_frozen);
    assert_true(d->judged == 0 && d->block == -1 && d->recall[0] == 0.0 && d->best == 0.0);
    assert_true(d->frozen == frozen && d->snapshot == snapshot);
    for (int i = 0; i < 4; i++) step(&b);
    assert_true(trainer_is_done(b.trainer) && d->has_best);
    release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_accumulated_batches_are_one_of_twice_the_size),
        cmocka_unit_test(a_report_is_the_mean_of_what_its_batches_found),
        cmocka_unit_test(what_is_measured_is_what_the_largest_phase_needs),
        cmocka_unit_test(an_update_is_adam_with_the_settings_of_the_phase),
        cmocka_unit_test(a_phase_ends_on_its_last_instance_and_the_next_begins),
        cmocka_unit_test(mixtures_of_sizes_share_workspaces),
        cmocka_unit_test(rates_follow_their_curve),
        cmocka_unit_test(alpha_moves_geometrically_and_samples_linearly),
        cmocka_unit_test(multi_start_has_a_trajectory_per_customer),
        cmocka_unit_test(scores_are_finite_and_differ),
        cmocka_unit_test(every_loss_runs_for_twenty_steps),
        cmocka_unit_test(a_gradient_that_is_not_finite_changes_nothing),
        cmocka_unit_test(two_processes_learn_what_one_does),
        cmocka_unit_test(the_first_step_of_two_processes_has_the_gradient_of_one),
        cmocka_unit_test(a_process_that_fails_ends_the_others),
        cmocka_unit_test(the_predicted_mask_takes_over_and_recall_rises),
        cmocka_unit_test(a_phase_judges_its_predictors_anew),
        cmocka_unit_test(the_true_mask_stays_until_a_predictor_is_good_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
