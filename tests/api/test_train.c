/* Runs in their directory: what is in it, exact resume, stops, crashes, warm starts, refusals. */
#include "api/model.h"
#include "api/train_runs.h"
#include "support/ranks.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the directory ---- */

static void a_run_leaves_what_the_manual_says(void **state)
{
    (void)state;
    ucpo_train_summary s = train("", "deep/er/plain", 0); /* directories above are made */
    assert_int_equal(s.step, STEPS);
    assert_int_equal(s.instances, STEPS * BATCH);
    assert_true(s.elapsed > 0);
    static const char *const kinds[] = {"greedy", "sampled"};
    for (int k = 0; k < 2; k++) {
        assert_string_equal(s.before[k].kind, kinds[k]);
        assert_string_equal(s.after[k].kind, kinds[k]);
        assert_int_equal(s.before[k].instances, 0);
        assert_int_equal(s.after[k].instances, STEPS * BATCH);
        assert_true(s.after[k].infeasible_instances >= 0 && s.after[k].infeasible_instances <= 1);
    }
    static const char *const names[] = {"config.toml", "metrics.jsonl", "metrics.csv",
                                        "last.safetensors", "best.safetensors"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_true(exists("deep/er/plain", names[i]));
    ucpo_error err = {0};
    ucpo_model *last = NULL, *best = NULL;
    assert_ok(ucpo_model_load(file_of("deep/er/plain", "last.safetensors"), &last, &err), &err);
    assert_ok(ucpo_model_load(file_of("deep/er/plain", "best.safetensors"), &best, &err), &err);
    assert_string_equal(ucpo_model_fact(last, "train.mask"), "pip");
    assert_string_equal(ucpo_model_fact(last, "train.sizes"), "7");
    assert_string_equal(ucpo_model_fact(last, "train.instances"), "320");
    assert_non_null(ucpo_model_fact(last, "run.step"));
    assert_non_null(ucpo_model_fact(best, "run.adam-step")); /* the best is a checkpoint, too */
    ucpo_model_free(last);
    ucpo_model_free(best);
    ucpo_train_config *config = NULL; /* config.toml is a configuration */
    char *text = NULL, *written = test_read_file(file_of("deep/er/plain", "config.toml"), NULL);
    size_t size = 0;
    assert_ok(ucpo_train_config_create(&config, &err), &err);
    assert_ok(ucpo_train_config_read(config, file_of("deep/er/plain", "config.toml"), &err), &err);
    assert_ok(ucpo_train_config_text(config, &text, &size, &err), &err);
    assert_string_equal(text, written);
    ucpo_bytes_free(text);
    free(written);
    ucpo_train_config_free(config);
}

static void both_metrics_files_tell_the_same(void **state)
{
    (void)state;
    struct watch w = {0};
    ucpo_train_hooks hooks = hooks_of(&w);
    ucpo_error err = {0};
    ucpo_train_config *config = settings("log-every=3");
    assert_ok(ucpo_train(config, in_root("metrics"), &hooks, NULL, &err), &err);
    ucpo_train_config_free(config);
    char *csv = test_read_file(file_of("metrics", "metrics.csv"), NULL);
    char *json = test_read_file(file_of("metrics", "metrics.jsonl"), NULL);
    assert_int_equal(w.steps, STEPS);
    assert_int_equal(w.lines, 7 + 2 * 5); /* steps 3 .. 18, 20; 0, 112, 208, 304, 320 */
    assert_int_equal(lines_in(json), w.lines);
    assert_int_equal(lines_in(csv), w.lines + 1);
    const char *row = strchr(csv, '\n') + 1, *object = json;
    for (int i = 0; i < w.lines; i++) {
        char expected[160];
        size_t kind = strcspn(row, ",");
        snprintf(expected, sizeof expected, "{\"kind\":\"%.*s\",\"step\":%d,\"instances\":%d,",
                 (int)kind, row, (int)column(row, 1), (int)column(row, 2));
        assert_int_equal(strncmp(object, expected, strlen(expected)), 0);
        const char *loss = strstr(object, "\"loss\":");
        int has_loss = loss && loss < strchr(object, '\n');
        assert_int_equal(has_loss, !isnan(column(row, 5)));
        if (has_loss) assert_true(strtod(loss + 7, NULL) == column(row, 5));
        assert_int_equal(has_loss, strncmp(row, "train,", 6) == 0);
        row = strchr(row, '\n') + 1;
        object = strchr(object, '\n') + 1;
    }
    free(csv);
    free(json);
}

static void the_best_model_is_the_best_of_the_validations(void **state)
{
    (void)state;
    train("mask=visited validate-every=32 instances=640 lr=5e-3 lr-end=0 loss=reinforce-norm "
          "alpha-end=0.1 validate-samples=20",
          "best", 0);
    char *csv = test_read_file(file_of("best", "metrics.csv"), NULL);
    double infeasible = HUGE_VAL, objective = HUGE_VAL, samples = HUGE_VAL;
    int best = -1, count = 0;
    for (const char *row = csv; *row; row = strchr(row, '\n') + 1) {
        if (strncmp(row, "sampled,", 8) != 0) continue;
        double rate = column(row, 13), cost = column(row, 14);
        if (isnan(cost)) cost = HUGE_VAL;
        count++;
        double all = column(row, 12);
        int is_tie = rate == infeasible && cost == objective;
        if (rate < infeasible || (rate == infeasible && cost < objective) ||
            (is_tie && all <= samples)) {
            infeasible = rate, objective = cost, samples = all;
            best = (int)column(row, 2);
        }
    }
    free(csv);
    assert_int_equal(count, 21);
    ucpo_model *model = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_model_load(file_of("best", "best.safetensors"), &model, &err), &err);
    assert_int_equal(atoi(ucpo_model_fact(model, "train.instances")), best);
    ucpo_model_free(model);
}

static void checkpoints_are_kept_on_request(void **state)
{
    (void)state;
    train("keep-every=100 validate=none", "kept", 10);
    resume("kept", 0);
    assert_true(exists("kept", "at-112.safetensors"));
    assert_true(exists("kept", "at-208.safetensors"));
    assert_true(exists("kept", "at-304.safetensors"));
    assert_false(exists("kept", "at-16.safetensors"));
    assert_false(exists("kept", "at-176.safetensors"));
    assert_false(exists("kept", "best.safetensors"));
    ucpo_model *model = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_model_load(file_of("kept", "at-208.safetensors"), &model, &err), &err);
    assert_string_equal(ucpo_model_fact(model, "train.instances"), "208");
    ucpo_model_free(model);
}

/* ---- exact resume ---- */

static void a_resumed_run_has_the_bits_of_an_uninterrupted_one(void **state)
{
    (void)state;
    char own[400];
    snprintf(own, sizeof own, "data=%s validate=none", in_root("own.npy"));
    put_set(in_root("own.npy"), 7, 9);
    const char *const cases[] = {
        "",
        "phases=instances=100;instances=120+mask=visited+size=9+loss=reinforce-norm,alpha=5/n;"
        "instances=100+lr=1e-4+score=cut-mean",
        "size=6:1,8:2,9:1 level=easy,hard:2",
        "batch=8 accumulate=2",
        "mask=pip-d aux-open=0.15 aux-blocks=4 aux-update=0.3 aux-close=0.1 aux-recall=0.01",
        own,
        "problem=cvrptwlv mask=pip-own validate-augment=8 lr-end=0",
        "problem=tspdl clip-norm=0.5 weight-decay=0.01 lr-curve=drop norm=layer",
        "anchor=refine anchor-share=0.7 anchor-effort=300",
        "problem=tspdl anchor=refine anchor-mode=pair anchor-weight=0.5 anchor-effort=500",
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char whole[40], parts[40], more[512], pieces[40];
        snprintf(whole, sizeof whole, "whole%zu", i);
        ucpo_train_summary all = train(cases[i], whole, 0);
        assert_int_equal(all.step, i == 1 ? 22 : STEPS);
        for (int threads = 1; threads <= 2; threads++) {
            snprintf(parts, sizeof parts, "parts%zu_%d", i, threads);
            snprintf(more, sizeof more, "%s threads=%d", cases[i], threads);
            assert_int_equal(train(more, parts, 10).step, 10);
            ucpo_train_summary s = resume(parts, 0);
            assert_int_equal(s.end, UCPO_TRAIN_FINISHED);
            assert_int_equal(s.step, all.step);
            assert_same_tensors(file_of(whole, "last.safetensors"),
                                file_of(parts, "last.safetensors"));
            assert_same_rows(whole, parts);
            if (exists(whole, "best.safetensors"))
                assert_same_tensors(file_of(whole, "best.safetensors"),
                                    file_of(parts, "best.safetensors"));
            for (int k = 0; k < 2; k++) /* also what it was like before */
                assert_close(s.before[k].objective, all.before[k].objective, 1e-12, 0);
        }
        snprintf(pieces, sizeof pieces, "pieces%zu", i);
        train(cases[i], pieces, 1);
        int calls = 0;
        while (resume(pieces, 1 + calls % 4).end != UCPO_TRAIN_FINISHED) calls++;
        assert_true(calls >= 5);
        assert_same_tensors(file_of(whole, "last.safetensors"),
                            file_of(pieces, "last.safetensors"));
        assert_same_rows(whole, pieces);
    }
}

static void what_was_logged_after_the_checkpoint_is_cut_off(void **state)
{
    (void)state;
    train("", "straight", 0);
    train("", "crashed", 7);
    static const char *const names[] = {"metrics.csv", "metrics.jsonl"};
    for (int k = 0; k < 2; k++) {
        FILE *file = fopen(file_of("crashed", names[k]), "a");
        assert_non_null(file);
        fputs("train,999,9999,half a li", file);
        fclose(file);
    }
    resume("crashed", 0);
    assert_same_rows("straight", "crashed");
    assert_same_tensors(file_of("straight", "last.safetensors"),
                        file_of("crashed", "last.safetensors"));
    char *json = test_read_file(file_of("crashed", "metrics.jsonl"), NULL);
    char *csv = test_read_file(file_of("crashed", "metrics.csv"), NULL);
    assert_int_equal(lines_in(json) + 1, lines_in(csv));
    assert_null(strstr(json, "999,9999"));
    free(json);
    free(csv);
}

static void a_run_killed_before_its_first_checkpoint_begins_again(void **state)
{
    (void)state;
    train("", "early", 5);
    assert_int_equal(unlink(file_of("early", "last.safetensors")), 0);
    refuse_resume("early", UCPO_E_IO, "last.safetensors", "is missing, but the log says that 80");
    unlink(file_of("early", "best.safetensors"));
    assert_int_equal(unlink(file_of("early", "metrics.jsonl")), 0);
    refuse_resume("early", UCPO_E_IO, "last.safetensors", "is missing, but the log says that 80");
    assert_int_equal(unlink(file_of("early", "metrics.csv")), 0);
    ucpo_train_summary s = resume("early", 0); /* nothing says that it ever learned */
    assert_int_equal(s.step, STEPS);
    train("", "early_whole", 0);
    assert_same_tensors(file_of("early_whole", "last.safetensors"),
                        file_of("early", "last.safetensors"));
    assert_same_rows("early_whole", "early");
    s = resume("early", 0); /* nothing is left to do, and nothing happens */
    assert_int_equal(s.end, UCPO_TRAIN_FINISHED);
    assert_same_rows("early_whole", "early");
}

/* ---- warm starts ---- */

static void a_warm_start_leaves_its_source_alone(void **state)
{
    (void)state;
    char more[400];
    train("", "base", 0);
    size_t size[2];
    char *before = test_read_file(file_of("base", "last.safetensors"), &size[0]);
    static const char *const kinds[] = {"fresh", "carry"};
    for (int k = 0; k < 2; k++) {
        snprintf(more, sizeof more,
                 "start=%s optimiser=%s layers=3 width=64 loss=reinforce-norm alpha-end=0.2",
                 file_of("base", "last.safetensors"), kinds[k]);
        ucpo_train_summary s = train(more, kinds[k], 10);
        assert_int_equal(s.step, 10);
        resume(kinds[k], 0);
        char *text = test_read_file(file_of(kinds[k], "config.toml"), NULL);
        assert_non_null(strstr(text, "\nwidth = 16\n")); /* the model's, not what was asked for */
        assert_non_null(strstr(text, "\nlayers = 1\n"));
        free(text);
        ucpo_model *model = NULL;
        ucpo_error err = {0};
        assert_ok(ucpo_model_load(file_of(kinds[k], "last.safetensors"), &model, &err), &err);
        assert_string_equal(ucpo_model_fact(model, "run.adam-step"), k ? "40" : "20");
        assert_non_null(strstr(ucpo_model_fact(model, "train.start"), "base/last.safetensors"));
        ucpo_model_free(model);
    }
    snprintf(more, sizeof more, "start=%s optimiser=carry loss=reinforce-norm alpha-end=0.2",
             file_of("base", "last.safetensors"));
    train(more, "carry_whole", 0);
    assert_same_tensors(file_of("carry_whole", "last.safetensors"),
                        file_of("carry", "last.safetensors"));
    char *after = test_read_file(file_of("base", "last.safetensors"), &size[1]);
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(before, after, size[0]);
    free(before);
    free(after);
}

static void a_warm_start_that_does_not_fit_is_refused(void **state)
{
    (void)state;
    char more[400];
    train("instances=16", "tiny", 0);
    snprintf(more, sizeof more, "start=%s problem=tspdl", file_of("tiny", "last.safetensors"));
    refuse_train(more, "no1", UCPO_E_MISMATCH, "last.safetensors", "the model solves tsptw");
    snprintf(more, sizeof more, "start=%s mask=pip-d", file_of("tiny", "last.safetensors"));
    refuse_train(more, "no2", UCPO_E_ARGUMENT, "last.safetensors", "auxiliary decoder");
    ucpo_model *bare = NULL;
    ucpo_model_config c = ucpo_model_config_default("tsptw");
    c.width = 16, c.heads = 2, c.hidden = 16, c.layers = 1;
    assert_int_equal(ucpo_model_create(&c, 7, &bare, NULL), UCPO_OK);
    assert_int_equal(ucpo_model_save(bare, in_root("bare.safetensors"), UCPO_DTYPE_F32, NULL),
                     UCPO_OK);
    ucpo_model_free(bare);
    snprintf(more, sizeof more, "start=%s optimiser=carry", in_root("bare.safetensors"));
    refuse_train(more, "no3", UCPO_E_FORMAT, "bare.safetensors", "not a checkpoint");
    refuse_train("start=/nowhere/m.safetensors", "no4", UCPO_E_IO, "/nowhere/m.safetensors", "");
    for (int k = 1; k <= 4; k++) { /* nothing is left behind */
        char name[8];
        snprintf(name, sizeof name, "no%d", k);
        assert_true(access(in_root(name), F_OK) != 0);
    }
}

/* ---- refusals ---- */

static void runs_that_cannot_be_are_refused(void **state)
{
    (void)state;
    train("instances=32", "there", 0);
    refuse_train("", "there", UCPO_E_ARGUMENT, "there", "already holds a run");
    refuse_resume("absent", UCPO_E_IO, "absent", "holds no run");
    refuse_train("level=simple", "bad", UCPO_E_ARGUMENT, "", "level is 'simple'");
    refuse_train("width=12", "bad", UCPO_E_ARGUMENT, "", "width");
    refuse_train("validate=/nowhere/set.npy", "bad", UCPO_E_IO, "/nowhere/set.npy", "");
    refuse_train("validate=tspdl50_hard", "bad", UCPO_E_MISMATCH, "", "instance 0 is tspdl");
    refuse_train("reference=c.npy", "bad", UCPO_E_ARGUMENT, "", "name it with validate");
    refuse_train("validate=tsptw50_hard reference=/nowhere/c.npy", "bad", UCPO_E_IO,
                 "/nowhere/c.npy", "");
    assert_true(access(in_root("bad"), F_OK) != 0);
    assert_int_equal(mkdir(in_root("full"), 0777), 0); /* somebody's model is in it */
    FILE *other = fopen(file_of("full", "best.safetensors"), "w");
    assert_non_null(other);
    fclose(other);
    refuse_train("", "full", UCPO_E_ARGUMENT, "full", "is not empty");
    assert_true(access(file_of("full", ".lock"), F_OK) != 0);
    FILE *file = fopen(in_root("a_file"), "w");
    assert_non_null(file);
    fclose(file);
    refuse_train("", "a_file", UCPO_E_IO, "a_file", "");
    refuse_train("", "a_file/run", UCPO_E_IO, "a_file/run", "cannot be created");
    assert_int_equal(mkdir(in_root("closed"), 0555), 0);
    if (geteuid() != 0)
        refuse_train("", "closed/run", UCPO_E_IO, "closed/run", "cannot be created");
    char name[2000];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = 0;
    ucpo_error err = {0};
    ucpo_train_config *config = settings("");
    assert_says(ucpo_train(config, name, NULL, NULL, &err), &err, UCPO_E_ARGUMENT, "", "too long");
    assert_says(ucpo_train_resume(name, NULL, NULL, NULL, &err), &err, UCPO_E_ARGUMENT, "",
                "too long");
    ucpo_train_config_free(config);
}

static void a_run_is_worked_on_by_one_process(void **state)
{
    (void)state;
    train("", "locked", 5);
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        int fd = open(file_of("locked", ".lock"), O_RDWR);
        char answer = fcntl(fd, F_SETLK, &lock) == 0 ? 'y' : 'n';
        if (write(ready[1], &answer, 1) != 1) _exit(1);
        alarm(30); /* no orphan if the test fails */
        pause();
        _exit(0);
    }
    char answer = 0;
    assert_int_equal(read(ready[0], &answer, 1), 1);
    assert_int_equal(answer, 'y');
    refuse_resume("locked", UCPO_E_IO, "locked", "another process is working in it");
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(ready[0]);
    close(ready[1]);
    assert_int_equal(resume("locked", 0).end, UCPO_TRAIN_FINISHED);
}

/* Writes the first `keep` bytes of a checkpoint, or all of it with one change. */
static void damage(const char *run, size_t keep, const char *from, const char *to)
{
    size_t size = 0;
    const char *path = file_of(run, "last.safetensors");
    char *bytes = test_read_file(path, &size);
    char *checksum = strstr(bytes + 8, "\"checksum\"");
    if (from) memcpy(checksum + 1, "Checksum", 8); /* as if there were none */
    for (size_t i = 0; from && i + strlen(from) < size; i++)
        if (memcmp(bytes + i, from, strlen(from)) == 0) {
            memcpy(bytes + i, to, strlen(to));
            break;
        }
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fwrite(bytes, 1, keep ? keep : size, file);
    fclose(file);
    free(bytes);
}

static void a_damaged_checkpoint_is_refused(void **state)
{
    (void)state;

    static const struct {
        size_t keep;
        const char *from, *to, *part;
    } cases[] = {{500, NULL, NULL, ""},
                 {0, "run.adam-step", "run.adam-stop", "run.adam-step is 'missing'"},
                 {0, "events.out.", "../../etc/x", "run.events"},
                 {0, "\"run.phase\":\"0\"", "\"run.phase\":\"7\"", "run.phase is 7"},
                 {0, "\"state.v\"", "\"state.w\"", ""}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char name[20];
        snprintf(name, sizeof name, "damaged%zu", i);
        train("validate=none", name, 3);
        damage(name, cases[i].keep, cases[i].from, cases[i].to);
        refuse_resume(name, UCPO_E_FORMAT, "last.safetensors", cases[i].part);
    }
}

/* ---- trouble ---- */

static void a_full_disk_ends_the_run_and_the_checkpoint_stays(void **state)
{
    (void)state;

    static const struct {
        rlim_t bytes;
        const char *file;
    } cases[] = {{1200, "metrics."}, {20000, "last.safetensors"}};

    signal(SIGXFSZ, SIG_IGN);
    train("", "roomy", 0);
    for (int k = 0; k < 2; k++) {
        char name[16];
        snprintf(name, sizeof name, "full%d", k);
        train("", name, 5);
        char *before, *after;
        size_t size[2];
        before = test_read_file(file_of(name, "last.safetensors"), &size[0]);
        assert_true(size[0] > 20000);
        struct watch w = {.limit_at = 4, .file_limit = cases[k].bytes};
        ucpo_train_hooks hooks = hooks_of(&w);
        ucpo_error err = {0};
        struct rlimit old;
        getrlimit(RLIMIT_FSIZE, &old);
        w.stop_at = 8;
        ucpo_status st = ucpo_train_resume(in_root(name), NULL, &hooks, NULL, &err);
        setrlimit(RLIMIT_FSIZE, &old);
        assert_says(st, &err, UCPO_E_IO, cases[k].file, "");
        after = test_read_file(file_of(name, "last.safetensors"), &size[1]);
        assert_true(size[0] - 64 <= size[1] &&
                    size[1] <= size[0] + 64); /* whole; headers are padded to 64 */
        free(before);
        free(after);
        resume(name, 0);
        assert_same_tensors(file_of("roomy", "last.safetensors"),
                            file_of(name, "last.safetensors"));
        assert_same_rows("roomy", name);
    }
}

static void divergence_keeps_the_checkpoint_and_the_instances(void **state)
{
    (void)state;
    ucpo_model_config c = ucpo_model_config_default("tsptw");
    ucpo_model *model = NULL, *last = NULL;
    ucpo_error err = {0};
    c.width = 16, c.heads = 2, c.hidden = 16, c.layers = 1;
    assert_ok(ucpo_model_create(&c, 7, &model, &err), &err);
    for (size_t i = 0; i < model->net.total; i++) model->params[i] *= (real)1e30;
    assert_ok(ucpo_model_save(model, in_root("huge.safetensors"), UCPO_DTYPE_F32, &err), &err);
    char more[300];
    snprintf(more, sizeof more, "start=%s validate=none batch=6 accumulate=3",
             in_root("huge.safetensors"));
    ucpo_train_config *config = settings(more);
    assert_says(ucpo_train(config, in_root("diverged"), NULL, NULL, &err), &err, UCPO_E_DIVERGED,
                "", "diverged.json");
    ucpo_train_config_free(config);
    ucpo_dataset *set = NULL;
    assert_ok(ucpo_read(file_of("diverged", "diverged.json"), NULL, &set, &err), &err);
    assert_int_equal(ucpo_dataset_count(set), 18); /* all batches of the step */
    assert_int_equal(ucpo_instance_view(ucpo_dataset_at(set, 0))->n, 7);
    ucpo_dataset_free(set);
    assert_ok(ucpo_model_load(file_of("diverged", "last.safetensors"), &last, &err), &err);
    assert_memory_equal(last->params, model->params, model->net.total * sizeof(real));
    refuse_resume("diverged", UCPO_E_DIVERGED, "", "diverged.json");
    ucpo_model_free(model);
    ucpo_model_free(last);
}

/* ---- estimates, own directories, processes ---- */

static void a_dry_run_measures_and_writes_nothing(void **state)
{
    (void)state;
    ucpo_train_config *config = settings("phases=size=6;size=9+mask=pip-d");
    ucpo_train_estimate e;
    ucpo_error err = {0};
    assert_ok(ucpo_train_dry_run(config, &e, &err), &err);
    assert_true(e.parameters > 1000 && e.bytes > 5 * 4 * e.parameters);
    assert_true(e.seconds > 0 && isfinite(e.seconds) && e.total_seconds > 0);
    assert_close(e.seconds, e.total_seconds * 10000 / 640, 1e-9, 0); /* of 2 x 320 instances */
    ucpo_train_config *mixed = settings("size=6:1,20:1"), *large = settings("size=20");
    ucpo_train_estimate of_mixed, of_large;
    assert_ok(ucpo_train_dry_run(mixed, &of_mixed, &err), &err);
    assert_ok(ucpo_train_dry_run(large, &of_large, &err), &err);
    assert_true(of_mixed.bytes > of_large.bytes); /* two workspaces */
    ucpo_train_config_free(mixed);
    ucpo_train_config_free(large);
    set(config, "level", "simple");
    assert_int_equal(ucpo_train_dry_run(config, &e, &err), UCPO_E_ARGUMENT);
    ucpo_train_config_free(config);
}

static void own_directories_validate_too(void **state)
{
    (void)state;
    char more[300];
    assert_int_equal(mkdir(in_root("mine"), 0777), 0);
    put_set(file_of("mine", "b.npy"), 6, 5);
    put_set(file_of("mine", "a.npy"), 7, 5);
    snprintf(more, sizeof more, "data=%s", in_root("mine"));
    ucpo_train_summary s = train(more, "on_mine", 0);
    assert_string_equal(s.after[1].kind, "sampled");
    ucpo_model *model = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_model_load(file_of("on_mine", "last.safetensors"), &model, &err), &err);
    assert_string_equal(ucpo_model_fact(model, "train.data"), in_root("mine"));
    assert_string_equal(ucpo_model_fact(model, "train.sizes"), "6,7");
    ucpo_model_free(model);
}

struct rank {
    struct member member;
    ucpo_comm comm;
    const char *dir;
    struct watch watch;
    ucpo_train_summary summary;
    ucpo_status status;
};

static void *work(void *user)
{
    struct rank *me = user;
    ucpo_train_hooks hooks = {on_report, NULL, on_stop, &me->watch, &me->comm};
    ucpo_train_config *config = settings("");
    me->status = ucpo_train(config, me->dir, &hooks, &me->summary, NULL);
    ucpo_train_config_free(config);
    return NULL;
}

static void processes_end_together_and_one_writes(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct meeting meeting;
        struct rank rank[RANKS];
        pthread_t thread[RANKS];
        char dir[200];
        snprintf(dir, sizeof dir, "%s", in_root(k ? "ranks1" : "ranks0"));
        pthread_barrier_init(&meeting.barrier, NULL, RANKS);
        for (int r = 0; r < RANKS; r++) {
            rank[r] = (struct rank){.member = {&meeting, r}, .dir = dir};
            rank[r].comm = comm_of(&rank[r].member);
        }
        if (k) rank[1].watch.stop_at = 6;
        for (int r = 0; r < RANKS; r++) pthread_create(&thread[r], NULL, work, &rank[r]);
        for (int r = 0; r < RANKS; r++) pthread_join(thread[r], NULL);
        for (int r = 0; r < RANKS; r++) {
            assert_int_equal(rank[r].status, UCPO_OK);
            assert_int_equal(rank[r].summary.end, k ? UCPO_TRAIN_STOPPED : UCPO_TRAIN_FINISHED);
            assert_int_equal(rank[r].summary.step, k ? 7 : STEPS);
        }
        assert_close(rank[0].summary.before[1].objective, rank[1].summary.before[1].objective,
                     1e-12, 0);
        pthread_barrier_destroy(&meeting.barrier);
    }
    train("", "alone", 0); /* validation at the start is the same to rounding */
    char *a = rows_of("ranks0"), *b = rows_of("alone");
    assert_int_equal(lines_in(a), lines_in(b));
    free(a);
    free(b);
    assert_int_equal(resume("ranks1", 0).step, STEPS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_leaves_what_the_manual_says),
        cmocka_unit_test(both_metrics_files_tell_the_same),
        cmocka_unit_test(the_best_model_is_the_best_of_the_validations),
        cmocka_unit_test(checkpoints_are_kept_on_request),
        cmocka_unit_test(a_resumed_run_has_the_bits_of_an_uninterrupted_one),
        cmocka_unit_test(what_was_logged_after_the_checkpoint_is_cut_off),
        cmocka_unit_test(a_run_killed_before_its_first_checkpoint_begins_again),
        cmocka_unit_test(a_warm_start_leaves_its_source_alone),
        cmocka_unit_test(a_warm_start_that_does_not_fit_is_refused),
        cmocka_unit_test(runs_that_cannot_be_are_refused),
        cmocka_unit_test(a_run_is_worked_on_by_one_process),
        cmocka_unit_test(a_damaged_checkpoint_is_refused),
        cmocka_unit_test(a_full_disk_ends_the_run_and_the_checkpoint_stays),
        cmocka_unit_test(divergence_keeps_the_checkpoint_and_the_instances),
        cmocka_unit_test(a_dry_run_measures_and_writes_nothing),
        cmocka_unit_test(own_directories_validate_too),
        cmocka_unit_test(processes_end_together_and_one_writes),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
