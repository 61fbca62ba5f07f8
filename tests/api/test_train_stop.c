/* When a run ends before it is done, where it goes on, and what it says of its settings. */
#include "api/train_runs.h"

static void limits_end_a_call_and_the_next_one_goes_on(void **state)
{
    (void)state;
    ucpo_train_config *config = settings("max-instances=100");
    ucpo_train_config *changes = NULL;
    ucpo_train_summary s;
    ucpo_error err = {0};
    assert_ok(ucpo_train(config, in_root("limited"), NULL, &s, &err), &err);
    assert_int_equal(s.end, UCPO_TRAIN_LIMIT);
    assert_int_equal(s.instances, 112);
    assert_ok(ucpo_train_config_create(&changes, &err), &err);
    set(changes, "max-instances", "200");
    set(changes, "threads", "2");
    assert_ok(ucpo_train_resume(in_root("limited"), changes, NULL, &s, &err), &err);
    assert_int_equal(s.end, UCPO_TRAIN_LIMIT);
    assert_int_equal(s.instances, 208);
    set(changes, "max-instances", "0");
    set(changes, "max-time", "0.000001");
    assert_ok(ucpo_train_resume(in_root("limited"), changes, NULL, &s, &err), &err);
    assert_int_equal(s.end, UCPO_TRAIN_LIMIT);
    assert_int_equal(s.instances, 208);
    assert_int_equal(resume("limited", 0).end, UCPO_TRAIN_FINISHED);
    train("", "unlimited", 0);
    assert_same_tensors(file_of("unlimited", "last.safetensors"),
                        file_of("limited", "last.safetensors"));
    set(changes, "lr", "0.5");
    assert_says(ucpo_train_resume(in_root("limited"), changes, NULL, &s, &err), &err,
                UCPO_E_ARGUMENT, "", "lr cannot change");
    ucpo_train_config_free(config);
    ucpo_train_config_free(changes);
}

/* Stops when it has been asked so often. */
struct patience {
    int asked, limit;
};

static int out_of_patience(void *user)
{
    struct patience *p = user;
    return ++p->asked > p->limit;
}

static void a_stop_during_validation_leaves_it_to_the_next_session(void **state)
{
    (void)state;
    const char *more = "instances=48 validate-every=16 validate-count=24 keep-every=16";
    train(more, "patient", 0);
    struct patience all = {.limit = 1000};
    ucpo_train_hooks count = {.stop = out_of_patience, .user = &all};
    ucpo_train_config *config = settings(more);
    assert_int_equal(ucpo_train(config, in_root("counted"), &count, NULL, NULL), UCPO_OK);
    assert_true(all.asked >= 4 * 2 * 3); /* validations, decodings, groups of instances */
    for (int limit = 0; limit < all.asked; limit++) {
        struct patience p = {.limit = limit};
        ucpo_train_hooks hooks = {.stop = out_of_patience, .user = &p};
        ucpo_train_summary s;
        ucpo_error err = {0};
        char name[24];
        snprintf(name, sizeof name, "impatient%d", limit);
        assert_ok(ucpo_train(config, in_root(name), &hooks, &s, &err), &err);
        assert_int_equal(s.end, UCPO_TRAIN_STOPPED);
        assert_int_equal(p.asked, limit + 1); /* at once */
        assert_int_equal(resume(name, 0).end, UCPO_TRAIN_FINISHED);
        assert_same_rows("patient", name);
        static const char *const files[] = {"last.safetensors", "best.safetensors",
                                            "at-16.safetensors", "at-48.safetensors"};
        for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
            assert_same_tensors(file_of("patient", files[i]), file_of(name, files[i]));
    }
    ucpo_train_config_free(config);
}

static void a_limit_of_time_lets_a_validation_finish(void **state)
{
    (void)state;
    ucpo_train_config *config = settings("max-time=0.000001 max-instances=900"), *changes = NULL;
    ucpo_train_summary s;
    ucpo_error err = {0};
    assert_ok(ucpo_train(config, in_root("brief"), NULL, &s, &err), &err);
    assert_int_equal(s.end, UCPO_TRAIN_LIMIT);
    char *rows = rows_of("brief");
    assert_int_equal(lines_in(rows), 3); /* or no session would ever get past it */
    free(rows);
    assert_ok(ucpo_train_config_create(&changes, &err), &err); /* limits are not the run's */
    assert_ok(ucpo_train_config_read(changes, file_of("brief", "config.toml"), &err), &err);
    char *text = NULL;
    size_t size = 0;
    assert_ok(ucpo_train_config_text(changes, &text, &size, &err), &err);
    assert_non_null(strstr(text, "\nmax-time = 0\nmax-instances = 0\n"));
    ucpo_bytes_free(text);
    ucpo_train_config_free(changes);
    ucpo_train_config_free(config);
}

static void own_data_is_never_taken_for_a_preset(void **state)
{
    (void)state;
    char here[500];
    assert_non_null(getcwd(here, sizeof here));
    put_set(in_root("tsptw50_hard"), 7, 9);
    assert_int_equal(chdir(root), 0);
    ucpo_train_summary s = train("data=tsptw50_hard instances=32", "misnamed", 0);
    assert_int_equal(chdir(here), 0);
    assert_int_equal(s.after[1].n, 7);
}

static void lines_of_metrics_end_with_their_phase(void **state)
{
    (void)state;
    train("phases=instances=48+lr=1e-3;instances=48+lr=2e-4 lr-end=0 warmup=0 log-every=4 "
          "validate=none",
          "two_phases", 0);
    char *rows = rows_of("two_phases");
    assert_int_equal(lines_in(rows), 1 + 3); /* steps 3 (the phase ends), 4 and 6 */
    const char *row = rows;
    static const double rate[] = {1e-3, 2e-4, 2e-4}, steps[] = {3, 4, 6};
    for (int k = 0; k < 3; k++) {
        row = strchr(row, '\n') + 1;
        assert_close(column(row, 17), rate[k], 1e-9, 0);
        assert_close(column(row, 1), steps[k], 0, 0);
        assert_close(column(row, 3), k == 0 ? 1 : 2, 0, 0);
    }
    free(rows);
}

static void a_run_goes_on_from_any_directory(void **state)
{
    (void)state;
    char here[500];
    assert_non_null(getcwd(here, sizeof here));
    put_set(in_root("near.npy"), 7, 9);
    assert_int_equal(chdir(root), 0);
    train("data=near.npy validate=near.npy", "moved", 5);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(resume("moved", 0).end, UCPO_TRAIN_FINISHED);
    assert_int_equal(chdir(here), 0);
}

struct sayings {
    char text[2000];
};

static void note_saying(void *user, ucpo_log_level level, const char *text)
{
    struct sayings *s = user;
    if (level != UCPO_LOG_WARNING) return;
    size_t used = strlen(s->text);
    snprintf(s->text + used, sizeof s->text - used, "%s\n", text);
}

static void settings_that_do_nothing_are_named(void **state)
{
    (void)state;

    static const struct {
        const char *more, *said;
    } cases[] = {
        {"", ""},
        {"images=4", "images has no effect: generated instances are shown as they are\n"},
        {"anchor-weight=3", "anchor-weight has no effect: no phase has anchors\n"},
        {"anchor=refine anchor-weight=3 anchor-effort=100", ""},
        {"aux-open=0.5", "aux-open has no effect: no phase has mask pip-d\n"},
        {"mask=pip-d aux-open=0.5", /* it had two steps to learn */
         "mask pip-d: the predictor never recognised 0.75 of the infeasible nodes (aux-recall), "
         "all rollouts used the true mask\n"},
        {"lr-curve=constant", "lr-end has no effect: lr-curve is constant\n"},
        {"lr-end=0 lr-curve=drop", "lr-curve has no effect: lr-end is 0, the rate stays\n"},
        {"phases=instances=16;instances=16+anchor=refine+anchor-share=0.5+anchor-effort=50", ""},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct sayings s = {{0}};
        ucpo_train_hooks hooks = {.log = note_saying, .user = &s};
        char more[400], name[16];
        snprintf(more, sizeof more, "instances=32 level=hard validate-count=6 %s", cases[i].more);
        snprintf(name, sizeof name, "idle%zu", i);
        ucpo_train_config *config = settings(more);
        ucpo_error err = {0};
        assert_ok(ucpo_train(config, in_root(name), &hooks, NULL, &err), &err);
        assert_string_equal(s.text, cases[i].said);
        ucpo_train_config_free(config);
    }
    struct sayings s = {{0}};
    ucpo_train_hooks hooks = {.log = note_saying, .user = &s};
    ucpo_train_config *config = settings("instances=16 validate=none");
    assert_int_equal(ucpo_train(config, in_root("idle_none"), &hooks, NULL, NULL), UCPO_OK);
    assert_non_null(strstr(s.text, "validate-count has no effect: validate is none\n"));
    ucpo_train_config_free(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_end_a_call_and_the_next_one_goes_on),
        cmocka_unit_test(a_stop_during_validation_leaves_it_to_the_next_session),
        cmocka_unit_test(a_limit_of_time_lets_a_validation_finish),
        cmocka_unit_test(own_data_is_never_taken_for_a_preset),
        cmocka_unit_test(lines_of_metrics_end_with_their_phase),
        cmocka_unit_test(a_run_goes_on_from_any_directory),
        cmocka_unit_test(settings_that_do_nothing_are_named),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
