/* A run that goes on for longer than it was begun with, or ends sooner. */
#include "api/train_runs.h"

#define CONSTANT "lr-end=0 samples-end=0 alpha-end= "
#define PHASES   CONSTANT "phases=instances=96+loss=reinforce-norm;instances="

/* What a session said, a line each. */
static void note(void *user, ucpo_log_level level, const char *text)
{
    char *all = user;
    size_t used = strlen(all);
    (void)level;
    snprintf(all + used, 2000 - used, "%s\n", text);
}

/* Resumes with "key=value ..."; `said` (or NULL) receives the log. */
static ucpo_status go_on(const char *run, const char *more, char said[2000], int stop_at,
                         ucpo_train_summary *summary, ucpo_error *err)
{
    struct watch w = {.stop_at = stop_at};
    ucpo_train_hooks hooks = {.report = on_report, .stop = on_stop, .user = &w};
    ucpo_train_config *changes = NULL;
    assert_ok(ucpo_train_config_create(&changes, err), err);
    char text[200], *rest = text;
    snprintf(text, sizeof text, "%s", more);
    for (char *item; (item = strtok_r(rest, " ", &rest));) {
        char *value = strchr(item, '=');
        *value++ = 0;
        set(changes, item, value);
    }
    if (said) {
        said[0] = 0;
        hooks = (ucpo_train_hooks){.log = note, .user = said};
    }
    ucpo_status st = ucpo_train_resume(in_root(run), changes, &hooks, summary, err);
    ucpo_train_config_free(changes);
    return st;
}

static ucpo_train_summary longer(const char *run, const char *more, char said[2000])
{
    ucpo_train_summary s;
    ucpo_error err = {0};
    assert_ok(go_on(run, more, said, 0, &s, &err), &err);
    assert_int_equal(s.end, UCPO_TRAIN_FINISHED);
    return s;
}

static void refuse(const char *run, const char *more, const char *part)
{
    ucpo_error err = {0};
    assert_says(go_on(run, more, NULL, 0, NULL, &err), &err, UCPO_E_ARGUMENT, "", part);
}

static int config_has(const char *run, const char *line)
{
    char *text = test_read_file(file_of(run, "config.toml"), NULL);
    int has = strstr(text, line) != NULL;
    free(text);
    return has;
}

static void a_finished_run_that_goes_on_has_the_bits_of_a_longer_one(void **state)
{
    (void)state;
    char said[2000];
    train(CONSTANT "instances=320", "short", 0);
    train(CONSTANT "instances=480", "long", 0);
    ucpo_train_summary s = longer("short", "instances=480", said);
    assert_int_equal(s.instances, 480);
    assert_int_equal(s.step, 30);
    assert_same_tensors(file_of("short", "last.safetensors"), file_of("long", "last.safetensors"));
    assert_non_null(strstr(said, "goes on from 320 to 480 instances\n"));
    assert_true(config_has("short", "\ninstances = 480\n"));
    s = longer("short", "", said); /* nothing is left, and it says so */
    assert_int_equal(s.instances, 480);
    assert_non_null(strstr(said, "the run was finished; to go on say a larger number"));
}

/* Also if it was stopped, was lengthened twice, or is stopped on the way to its new end. */
static void an_unfinished_run_takes_another_end(void **state)
{
    (void)state;
    ucpo_train_summary s;
    ucpo_error err = {0};
    train(CONSTANT "instances=480 warmup=25", "whole", 0);
    train(CONSTANT "instances=320 warmup=25", "twice", 0);
    assert_ok(go_on("twice", "instances=400", NULL, 2, &s, &err), &err);
    assert_int_equal(s.end, UCPO_TRAIN_STOPPED);
    assert_int_equal(s.instances, 352);
    assert_true(config_has("twice", "\ninstances = 400\n"));
    s = longer("twice", "", NULL); /* the new end is kept */
    assert_int_equal(s.instances, 400);
    s = longer("twice", "instances=480", NULL);
    assert_same_tensors(file_of("twice", "last.safetensors"), file_of("whole", "last.safetensors"));
    train(CONSTANT "instances=960 warmup=25", "shorter", 5);
    s = longer("shorter", "instances=480", NULL);
    assert_int_equal(s.instances, 480);
    assert_same_tensors(file_of("shorter", "last.safetensors"),
                        file_of("whole", "last.safetensors"));
    train(CONSTANT "instances=960", "ended", 5);
    s = longer("ended", "instances=80", NULL); /* as many as are done */
    assert_int_equal(s.instances, 80);
    assert_string_equal(s.after[1].kind, "sampled");
}

static double last_rate(const char *run)
{
    char *rows = rows_of(run), *last = rows, *line = rows;
    int place = 0;
    char *name = strstr(rows, ",lr,");
    for (char *at = rows; at <= name; at++) place += *at == ',';
    for (; *line; line = strchr(line, '\n') + 1)
        if (strncmp(line, "train", 5) == 0) last = line;
    double rate = column(last, place);
    free(rows);
    return rate;
}

/* What moves over the run takes the place it has in one that was begun with the new length. */
static void a_rate_that_falls_falls_until_the_new_end(void **state)
{
    (void)state;
    char said[2000];
    train("lr-curve=linear warmup=0", "fallen", 0);
    assert_true(last_rate("fallen") < 1.5e-4);
    longer("fallen", "instances=640", said);
    assert_non_null(strstr(said, "goes on from 320 to 640 instances; what moves over the run now "
                                 "moves until then, lr goes on at 0.00055"));
    assert_true(last_rate("fallen") < 1.3e-4);
    train("lr-curve=linear warmup=0 instances=640", "begun", 20);
    double there = last_rate("begun");
    assert_true(there > 5e-4);
    char *rows = rows_of("fallen"), *at = strstr(rows, "\ntrain,21,336,");
    assert_non_null(at);
    int place = 0;
    for (char *c = rows; c <= strstr(rows, ",lr,"); c++) place += *c == ',';
    assert_true(column(at + 1, place) < there && column(at + 1, place) > 0.9 * there);
    free(rows);
}

static void the_last_of_several_phases_becomes_longer(void **state)
{
    (void)state;
    char said[2000];
    train(PHASES "64", "phases", 0);
    train(PHASES "160", "more", 0);
    refuse("phases", "instances=96", "expected more than the phases before the last have");
    refuse("phases", "instances=112", "but it has learned from 160 already");
    ucpo_train_summary s = longer("phases", "instances=256", said);
    assert_int_equal(s.instances, 256);
    assert_same_tensors(file_of("phases", "last.safetensors"), file_of("more", "last.safetensors"));
    train(PHASES "160", "early", 2); /* of the first phase: only the last one changes */
    longer("early", "instances=160", NULL);
    assert_true(config_has("early", "instances = 96\n"));
    assert_true(config_has("early", "instances = 64\n"));
}

static void a_length_that_cannot_be_is_refused_and_changes_nothing(void **state)
{
    (void)state;
    train(CONSTANT, "kept", 0);
    size_t size[2];
    char *before = test_read_file(file_of("kept", "config.toml"), &size[0]);
    refuse("kept", "instances=304",
           "instances of the whole run are 304, but it has learned from 320 already");
    refuse("kept", "epochs=0", "the whole run would have 0 instances");
    refuse("kept", "time=60", "the run is measured in instances");
    refuse("kept", "instances=640 lr=0.5", "lr cannot change when a run goes on");
    char *after = test_read_file(file_of("kept", "config.toml"), &size[1]);
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(before, after, size[0]);
    free(before);
    free(after);
    assert_int_equal(longer("kept", "", NULL).instances, 320);
}

/* A kill between the two files that know the length: whichever was written, the next session goes on. */
static void the_length_in_config_toml_counts(void **state)
{
    (void)state;
    char said[2000], line[600];
    train(CONSTANT, "edited", 0);
    snprintf(line, sizeof line, "sed -i 's/^instances = .*/instances = 352/' %s",
             file_of("edited", "config.toml"));
    assert_int_equal(system(line), 0); /* NOLINT(cert-env33-c): the name is ours */
    assert_int_equal(longer("edited", "", said).instances, 352);
    assert_non_null(strstr(said, "goes on from 320 to 352 instances"));
    ucpo_model *model = NULL;
    assert_int_equal(ucpo_model_load(file_of("edited", "last.safetensors"), &model, NULL), 0);
    assert_string_equal(ucpo_model_fact(model, "train.changed"),
                        "instances 320 -> 352 after 320 instances");
    ucpo_model_free(model);
}

static void a_run_measured_in_time_gets_more_of_it(void **state)
{
    (void)state;
    char said[2000];
    train("time=0.05 validate=none", "timed", 0);
    int64_t first = longer("timed", "", said).instances;
    assert_non_null(strstr(said, "option 'time'"));
    refuse("timed", "instances=1000000", "the run is measured in time");
    refuse("timed", "time=0", "time is '0', expected more than 0");
    refuse("timed", "time=0.001", "time is 0.001 s, but the run has learned for");
    char more[40];
    snprintf(more, sizeof more, "time=%.3f", longer("timed", "", NULL).elapsed + 0.2);
    ucpo_train_summary s = longer("timed", more, said);
    assert_true(s.instances > first);
    assert_non_null(strstr(said, "seconds of learning; what moves over the run now moves until"));
    assert_false(config_has("timed", "\ntime = 0.05\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_finished_run_that_goes_on_has_the_bits_of_a_longer_one),
        cmocka_unit_test(an_unfinished_run_takes_another_end),
        cmocka_unit_test(a_rate_that_falls_falls_until_the_new_end),
        cmocka_unit_test(the_last_of_several_phases_becomes_longer),
        cmocka_unit_test(a_length_that_cannot_be_is_refused_and_changes_nothing),
        cmocka_unit_test(the_length_in_config_toml_counts),
        cmocka_unit_test(a_run_measured_in_time_gets_more_of_it),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
