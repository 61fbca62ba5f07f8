/* The state of a run in a checkpoint: every counter and array comes back as it was, and a file that lacks one of them
 * or is damaged is refused. */
#include "api/train.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/ucpo_checkpoint_XXXXXX";

static int make_root(void **state)
{
    (void)state;
    return mkdtemp(root) ? 0 : -1;
}

static const char *file_at(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", root, name);
    return path;
}

static int remove_root(void **state)
{
    static const char *const names[] = {"metrics.jsonl", "metrics.csv", "last.safetensors"};
    char line[128];
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) remove(file_at(names[k]));
    snprintf(line, sizeof line, "rm -rf %s", root);
    return system(line); /* NOLINT(cert-env33-c): the name is ours */
}

/* ---- a run without a directory of settings ---- */

static void begin(struct run *run, int has_aux)
{
    ucpo_train_config *config = NULL;
    ucpo_error err = {0};
    static const char *const base[][2] = {{"problem", "tsptw"},
                                          {"protocol", "paper"},
                                          {"size", "7"},
                                          {"instances", "320"},
                                          {"kernels", "portable"},
                                          {"precision", "f32"},
                                          {"phases", "instances=100;instances=220 score=mean"}};
    memset(run, 0, sizeof *run);
    run->lock = -1;
    run->writes = 1;
    snprintf(run->dir, sizeof run->dir, "%s", root);
    run->plan = calloc(1, sizeof *run->plan);
    assert_non_null(run->plan);
    assert_ok(ucpo_train_config_create(&config, &err), &err);
    for (size_t i = 0; i < sizeof base / sizeof base[0]; i++)
        assert_ok(ucpo_train_config_set(config, base[i][0], base[i][1], &err), &err);
    if (has_aux) assert_ok(ucpo_train_config_set(config, "mask", "pip-d", &err), &err);
    assert_ok(train_plan_make(config, run->plan, &err), &err);
    ucpo_train_config_free(config);
    snprintf(run->plan->run.from, sizeof run->plan->run.from, "last");
    ucpo_model_config m = ucpo_model_config_default("tsptw");
    m.width = 8, m.heads = 1, m.hidden = 8, m.layers = 1, m.has_aux = has_aux;
    assert_ok(ucpo_model_create(&m, 1, &run->model, &err), &err);
    assert_ok(
        trainer_create(run->plan, &run->model->net, run->model->params, NULL, &run->trainer, &err),
        &err);
}

static void release(struct run *run)
{
    if (run->logs.events_name[0] && run->settings) run_logs_close(&run->logs);
    trainer_free(run->trainer);
    ucpo_model_free(run->model);
    free(run->plan);
    free(run->settings);
}

/* Every number another one. */
static void fill(struct run *run)
{
    struct trainer *t = run->trainer;
    ucpo_error err = {0};
    const int64_t fresh[RUN_LOGS] = {-1, -1, -1};
    t->at = (struct trainer_counters){.step = 11,
                                      .batches = 13,
                                      .instances = 4503599627370497, /* 2^52 + 1 */
                                      .phase_step = 19,
                                      .phase_instances = 23,
                                      .phase = 1,
                                      .adam_step = 29};
    t->pipd.block = 31, t->pipd.judged = 37;
    t->pipd.has_frozen = t->pipd.has_best =
        t->pipd.frozen != NULL && run->model->net.config.has_aux;
    t->pipd.recall[0] = 0.1, t->pipd.recall[1] = 1.0 / 3.0, t->pipd.best = 0.7;
    run->elapsed = 41.25, run->best_infeasible = 0.3, run->best_objective = (double)NAN;
    run->best_samples = 1e-300, run->best_at = 43, run->validated_at = -1, run->kept_at = 47;
    for (int k = 0; k < 2; k++) {
        ucpo_train_report *r = &run->before[k];
        run->has_before[k] = 1 - k;
        r->infeasible_samples = 53.5 + k, r->infeasible_instances = 59.5 + k;
        r->objective = 61.5 + k, r->gap = k ? (double)NAN : -67.5, r->gap_of_means = 71.5 + k;
    }
    for (size_t i = 0; i < run->model->net.total; i++) {
        t->m[i] = (real)(0.25 + (double)i), t->v[i] = (real)(0.5 + (double)i);
        if (!t->pipd.has_best) continue;
        t->pipd.frozen[i] = (real)(-1.25 - (double)i),
        t->pipd.snapshot[i] = (real)(-7.5 - (double)i);
    }
    assert_ok(run_logs_open(&run->logs, run->dir, fresh, &err), &err);
    run->settings = malloc(8);
    assert_non_null(run->settings);
    snprintf(run->settings, 8, "a=1");
}

static void save(struct run *run)
{
    ucpo_error err = {0};
    assert_ok(run_save(run, "last.safetensors", &err), &err);
}

static void same_reals(const real *a, const real *b, size_t count)
{
    for (size_t i = 0; i < count; i++) assert_true(a[i] == b[i]);
}

static void assert_same_run(const struct run *a, const struct run *b)
{
    const struct trainer *s = a->trainer, *t = b->trainer;
    size_t total = a->model->net.total;
    assert_int_equal(t->at.step, s->at.step);
    assert_int_equal(t->at.batches, s->at.batches);
    assert_true(t->at.instances == s->at.instances);
    assert_int_equal(t->at.phase, s->at.phase);
    assert_int_equal(t->at.phase_step, s->at.phase_step);
    assert_int_equal(t->at.phase_instances, s->at.phase_instances);
    assert_int_equal(t->at.adam_step, s->at.adam_step);
    assert_int_equal(t->pipd.block, s->pipd.block);
    assert_int_equal(t->pipd.judged, s->pipd.judged);
    assert_int_equal(t->pipd.has_frozen, s->pipd.has_frozen);
    assert_int_equal(t->pipd.has_best, s->pipd.has_best);
    assert_close(t->pipd.recall[0], s->pipd.recall[0], 0, 0);
    assert_close(t->pipd.recall[1], s->pipd.recall[1], 0, 0);
    assert_close(t->pipd.best, s->pipd.best, 0, 0);
    assert_close(b->elapsed, a->elapsed, 0, 0);
    assert_close(b->best_infeasible, a->best_infeasible, 0, 0);
    assert_close(b->best_objective, a->best_objective, 0, 0);
    assert_close(b->best_samples, a->best_samples, 0, 0);
    assert_int_equal(b->best_at, a->best_at);
    assert_int_equal(b->validated_at, a->validated_at);
    assert_int_equal(b->kept_at, a->kept_at);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(b->has_before[k], a->has_before[k]);
        assert_close(b->before[k].infeasible_samples, a->before[k].infeasible_samples, 0, 0);
        assert_close(b->before[k].infeasible_instances, a->before[k].infeasible_instances, 0, 0);
        assert_close(b->before[k].objective, a->before[k].objective, 0, 0);
        assert_close(b->before[k].gap, a->before[k].gap, 0, 0);
        assert_close(b->before[k].gap_of_means, a->before[k].gap_of_means, 0, 0);
    }
    same_reals(t->m, s->m, total);
    same_reals(t->v, s->v, total);
    if (!s->pipd.has_best) return;
    same_reals(t->pipd.frozen, s->pipd.frozen, total);
    same_reals(t->pipd.snapshot, s->pipd.snapshot, total);
}

static void everything_comes_back(void **state)
{
    (void)state;
    for (int has_aux = 0; has_aux < 2; has_aux++) {
        struct run run, again;
        int64_t offset[RUN_LOGS] = {0};
        ucpo_error err = {0};
        begin(&run, has_aux);
        fill(&run);
        save(&run);
        begin(&again, has_aux);
        assert_ok(run_load(&again, offset, &err), &err);
        assert_same_run(&run, &again);
        for (int k = 0; k < RUN_LOGS; k++) assert_int_equal(offset[k], run.logs.log[k].offset);
        assert_string_equal(again.logs.events_name, run.logs.events_name);
        again.logs.events_name[0] = '\0'; /* they are the other's */
        struct run warm;                  /* takes the optimiser alone */
        begin(&warm, has_aux);
        assert_ok(run_load_optimiser(&warm, file_at("last.safetensors"), &err), &err);
        assert_int_equal(warm.trainer->at.adam_step, 29);
        assert_int_equal(warm.trainer->at.step, 0);
        same_reals(warm.trainer->m, run.trainer->m, run.model->net.total);
        same_reals(warm.trainer->v, run.trainer->v, run.model->net.total);
        release(&warm);
        release(&again);
        release(&run);
    }
}

static void assert_fact(const ucpo_model *model, const char *key, const char *expected)
{
    const char *value = ucpo_model_fact(model, key);
    if (!value != !expected || (value && strcmp(value, expected) != 0))
        fail_msg("%s is '%s', expected '%s'", key, value ? value : "missing",
                 expected ? expected : "missing");
}

/* Of the phase at hand, here the second of two. */
static void a_checkpoint_says_what_it_was_trained_on(void **state)
{
    struct run run;
    ucpo_model *saved = NULL;
    ucpo_error err = {0};
    (void)state;
    begin(&run, 0);
    fill(&run);
    run.plan->run.seed = 18446744073709551615u;
    save(&run);
    assert_ok(ucpo_model_load(file_at("last.safetensors"), &saved, &err), &err);
    assert_fact(saved, "train.sizes", "7");
    assert_fact(saved, "train.level", run.plan->phase[1].level);
    assert_fact(saved, "train.data", NULL);
    assert_fact(saved, "train.held_back", NULL);
    assert_fact(saved, "train.mask", run.plan->phase[1].mask);
    assert_fact(saved, "train.loss", run.plan->phase[1].loss);
    assert_fact(saved, "train.score", "mean");
    assert_fact(saved, "train.instances", "4503599627370497");
    assert_fact(saved, "train.seed", "18446744073709551615");
    assert_fact(saved, "train.kernels", "portable");
    assert_fact(saved, "train.precision", "f32");
    assert_fact(saved, "train.start", NULL);
    assert_fact(saved, "run.settings", "a=1");
    assert_fact(saved, "run.events", run.logs.events_name);
    ucpo_model_free(saved);
    run.trainer->at.phase = 2; /* finished: the last one */
    snprintf(run.plan->run.start, sizeof run.plan->run.start, "base.safetensors");
    save(&run);
    assert_ok(ucpo_model_load(file_at("last.safetensors"), &saved, &err), &err);
    assert_fact(saved, "train.score", "mean");
    assert_fact(saved, "train.start", "base.safetensors");
    ucpo_model_free(saved);
    run.trainer->at.phase = 0;
    save(&run);
    assert_ok(ucpo_model_load(file_at("last.safetensors"), &saved, &err), &err);
    assert_fact(saved, "train.score", "sum");
    ucpo_model_free(saved);
    release(&run);
}

/* Eight of the sizes at most, evenly from the smallest to the largest; the depot of a fleet is none of its stops. */
static void sizes_of_own_data_are_told_from_end_to_end(void **state)
{
    static const struct {
        const char *problem;
        int from, to;
        const char *expected;
    } cases[] = {{"tsptw", 4, 13, "4,5,6,7,9,10,11,13"},
                 {"cvrp", 4, 13, "4,5,6,7,9,10,11,13"},
                 {"cvrp", 5, 7, "5,6,7"},
                 {"tsptw", 9, 9, "9"}};

    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char folder[100], path[128];
        struct run run = {.lock = -1, .writes = 1};
        ucpo_train_config *config = NULL;
        ucpo_error err = {0};
        snprintf(folder, sizeof folder, "%s/data%zu", root, k);
        assert_int_equal(mkdir(folder, 0700), 0);
        for (int size = cases[k].from; size <= cases[k].to; size++) {
            ucpo_generate_config g = ucpo_generate_config_default();
            ucpo_dataset *set = NULL;
            g.problem = cases[k].problem, g.size = size, g.count = 2;
            assert_ok(ucpo_generate(&g, &set, &err), &err);
            snprintf(path, sizeof path, "%s/%d.npy", folder, size);
            ucpo_write_config how = ucpo_write_config_default();
            how.format = "npy";
            assert_ok(ucpo_write(path, set, &how, &err), &err);
            ucpo_dataset_free(set);
        }
        const char *const pairs[][2] = {{"problem", cases[k].problem},
                                        {"protocol", "paper"},
                                        {"data", folder},
                                        {"validate", "none"}};
        assert_ok(ucpo_train_config_create(&config, &err), &err);
        for (int i = 0; i < 4; i++)
            assert_ok(ucpo_train_config_set(config, pairs[i][0], pairs[i][1], &err), &err);
        run.plan = calloc(1, sizeof *run.plan);
        assert_non_null(run.plan);
        assert_ok(train_plan_make(config, run.plan, &err), &err);
        ucpo_train_config_free(config);
        ucpo_model_config m = ucpo_model_config_default(cases[k].problem);
        m.width = 8, m.heads = 1, m.hidden = 8, m.layers = 1;
        assert_ok(ucpo_model_create(&m, 1, &run.model, &err), &err);
        assert_ok(
            trainer_create(run.plan, &run.model->net, run.model->params, NULL, &run.trainer, &err),
            &err);
        snprintf(run.dir, sizeof run.dir, "%s", root);
        fill(&run);
        run.trainer->at.phase = 0;
        save(&run);
        ucpo_model *saved = NULL;
        assert_ok(ucpo_model_load(file_at("last.safetensors"), &saved, &err), &err);
        assert_fact(saved, "train.sizes", cases[k].expected);
        assert_fact(saved, "train.data", run.plan->phase[0].data);
        assert_fact(saved, "train.level", NULL);
        ucpo_model_free(saved);
        release(&run);
    }
}

static void a_process_that_does_not_write_leaves_no_file(void **state)
{
    struct run run;
    ucpo_error err = {0};
    (void)state;
    remove(file_at("last.safetensors"));
    begin(&run, 0);
    fill(&run);
    run.writes = 0;
    assert_ok(run_save(&run, "last.safetensors", &err), &err);
    assert_int_equal(access(file_at("last.safetensors"), F_OK), -1);
    release(&run);
}

/* ---- damage ---- */

static void put_file(const char *bytes, size_t size)
{
    FILE *file = fopen(file_at("last.safetensors"), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static char *find(char *bytes, size_t size, const char *text)
{
    for (size_t i = 0; i + strlen(text) <= size; i++)
        if (memcmp(bytes + i, text, strlen(text)) == 0) return bytes + i;
    return NULL;
}

static ucpo_status load_copy(struct run *run, const char *bytes, size_t size, ucpo_error *err)
{
    int64_t offset[RUN_LOGS];
    *err = (ucpo_error){0};
    put_file(bytes, size);
    ucpo_status st = run_load(run, offset, err);
    run->logs.events_name[0] = '\0';
    return st;
}

static char *sound_file(struct run *run, size_t *size)
{
    begin(run, 1);
    fill(run);
    save(run);
    char *bytes = test_read_file(file_at("last.safetensors"), size);
    assert_non_null(bytes);
    return bytes;
}

static void every_number_that_is_missing_is_named(void **state)
{
    static const char *const keys[] = {"step",
                                       "batches",
                                       "instances",
                                       "phase",
                                       "phase-step",
                                       "phase-instances",
                                       "adam-step",
                                       "elapsed",
                                       "best-infeasible",
                                       "best-objective",
                                       "best-samples",
                                       "best-at",
                                       "validated-at",
                                       "kept-at",
                                       "jsonl-bytes",
                                       "csv-bytes",
                                       "events-bytes",
                                       "aux-block",
                                       "aux-judged",
                                       "aux-frozen",
                                       "aux-best",
                                       "aux-recall0",
                                       "aux-recall1",
                                       "aux-best-recall",
                                       "before-greedy",
                                       "before-greedy-samples",
                                       "before-greedy-instances",
                                       "before-greedy-objective",
                                       "before-greedy-gap",
                                       "before-greedy-ratio",
                                       "before-sampled",
                                       "before-sampled-samples",
                                       "before-sampled-instances",
                                       "before-sampled-objective",
                                       "before-sampled-gap",
                                       "before-sampled-ratio"};
    struct run run, again;
    size_t size = 0;
    char *bytes = sound_file(&run, &size);
    (void)state;
    memcpy(find(bytes, size, "\"checksum\"") + 1, "Checksum", 8); /* as if there were none */
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
        char name[64], expected[96];
        ucpo_error err;
        snprintf(name, sizeof name, "\"run.%s\"", keys[k]);
        snprintf(expected, sizeof expected, "run.%s is 'missing', expected a number", keys[k]);
        char *at = find(bytes, size, name);
        assert_non_null(at);
        at[1] = 'R';
        begin(&again, 1);
        assert_int_equal(load_copy(&again, bytes, size, &err), UCPO_E_FORMAT);
        if (!strstr(err.text, expected)) fail_msg("'%s' is not '%s'", err.text, expected);
        at[1] = 'r';
        release(&again);
    }
    free(bytes);
    release(&run);
}

static void numbers_that_cannot_be_are_refused(void **state)
{
    static const struct {
        const char *from, *to, *part; /* of the same length */
    } cases[] = {
        {"\"run.phase\":\"1\"", "\"run.phase\":\"2\"", NULL}, /* finished */
        {"\"run.phase\":\"1\"", "\"run.phase\":\"3\"", "run.phase is 3, the run has 2 phases"},
        {"\"run.step\":\"11\"", "\"run.step\":\"1x\"", "run.step is '1x', expected a number"},
        {"\"run.phase-step\":\"19\"", "\"run.phase-step\":\"  \"", "run.phase-step is"},
        {"\"run.phase-instances\":\"23\"", "\"run.phase-instances\":\"-3\"", "run.phase is 1"},
        {"\"run.step\":\"11\"", "\"run.step\":\"an\"", "run.step is 'an'"},
        {"\"run.kept-at\":\"47\"", "\"run.kept-at\":\"na\"", "run.kept-at is 'na'"},
        {"\"events.out.", "\"events/out.", "run.events is 'events/out."},
        {"\"state.m\"", "\"state.n\"", ""},
        {"\"state.v\"", "\"state.w\"", ""},
    };
    struct run run, again;
    size_t size = 0;
    char *bytes = sound_file(&run, &size);
    (void)state;
    memcpy(find(bytes, size, "\"checksum\"") + 1, "Checksum", 8);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        ucpo_error err;
        char *at = find(bytes, size, cases[k].from);
        if (!at) fail_msg("no %s in the file", cases[k].from);
        memcpy(at, cases[k].to, strlen(cases[k].to));
        begin(&again, 1);
        ucpo_status st = load_copy(&again, bytes, size, &err);
        assert_int_equal(st, cases[k].part ? UCPO_E_FORMAT : UCPO_OK);
        if (st && !strstr(err.text, cases[k].part)) fail_msg("'%s': %s", err.text, cases[k].part);
        memcpy(at, cases[k].from, strlen(cases[k].from));
        release(&again);
    }
    free(bytes);
    release(&run);
}

static void a_changed_or_missing_byte_is_noticed(void **state)
{
    struct run run, again;
    size_t size = 0;
    char *bytes = sound_file(&run, &size);
    ucpo_error err;
    (void)state;
    begin(&again, 1);
    for (size_t i = 0; i < size; i += 1 + size / 400) { /* places all over the file */
        bytes[i] = (char)(bytes[i] ^ 1);
        assert_int_not_equal(load_copy(&again, bytes, size, &err), UCPO_OK);
        bytes[i] = (char)(bytes[i] ^ 1);
        assert_int_not_equal(load_copy(&again, bytes, i, &err), UCPO_OK);
    }
    assert_int_not_equal(load_copy(&again, bytes, size - 1, &err), UCPO_OK);
    assert_ok(load_copy(&again, bytes, size, &err), &err);
    assert_same_run(&run, &again);
    release(&again);
    free(bytes);
    release(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_comes_back),
        cmocka_unit_test(a_checkpoint_says_what_it_was_trained_on),
        cmocka_unit_test(sizes_of_own_data_are_told_from_end_to_end),
        cmocka_unit_test(a_process_that_does_not_write_leaves_no_file),
        cmocka_unit_test(every_number_that_is_missing_is_named),
        cmocka_unit_test(numbers_that_cannot_be_are_refused),
        cmocka_unit_test(a_changed_or_missing_byte_is_noticed),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
