/* Settings of a run: every key is read, checked, written and read back; mistakes are named. */
#include "support/alloc.h"
#include "support/support.h"
#include "train/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ucpo_train_config *config_of(const char *problem)
{
    ucpo_train_config *config = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_train_config_create(&config, &err), &err);
    if (problem) assert_ok(ucpo_train_config_set(config, "problem", problem, &err), &err);
    return config;
}

static void set(ucpo_train_config *config, const char *key, const char *value)
{
    ucpo_error err = {0};
    assert_ok(ucpo_train_config_set(config, key, value, &err), &err);
}

static struct train_plan *plan_of(const ucpo_train_config *config)
{
    struct train_plan *plan = calloc(1, sizeof *plan);
    ucpo_error err = {0};
    assert_ok(train_plan_make(config, plan, &err), &err);
    return plan;
}

static char *text_of(const ucpo_train_config *config)
{
    char *bytes = NULL;
    size_t size = 0;
    ucpo_error err = {0};
    assert_ok(ucpo_train_config_text(config, &bytes, &size, &err), &err);
    assert_int_equal(strlen(bytes), size);
    return bytes;
}

static void assert_says(ucpo_status got, const ucpo_error *err, ucpo_status code, const char *part)
{
    if (got != code || !strstr(err->text, part))
        print_error("expected '%s', got %s: %s\n", part, ucpo_status_name(got), err->text);
    assert_int_equal(got, code);
    assert_int_equal(err->code, code);
    assert_non_null(strstr(err->text, part));
}

/* ---- the table ---- */

static void every_key_has_help_and_a_default_that_parses(void **state)
{
    (void)state;

    union {
        struct train_phase phase;
        struct train_run run;
    } base;

    size_t count = 0;
    for (const struct train_key *key; (key = train_key_at(count)); count++) {
        ucpo_train_key shown = ucpo_train_key_at(count);
        ucpo_error err = {0};
        char text[TRAIN_PATH], again[TRAIN_PATH];
        assert_string_equal(shown.name, key->name);
        assert_string_equal(shown.preset, key->preset);
        assert_int_equal(shown.is_phase, key->is_phase);
        assert_true(strlen(shown.help) >= 5 && strlen(key->name) < 24);
        assert_ptr_equal(train_key_find(key->name), key);
        for (size_t j = 0; j < count; j++)
            assert_string_not_equal(train_key_at(j)->name, key->name);
        assert_ok(train_key_put(key, &base, key->preset, &err), &err);
        train_key_text(key, &base, text, sizeof text);
        assert_ok(train_key_put(key, &base, text, &err), &err);
        train_key_text(key, &base, again, sizeof again);
        assert_string_equal(text, again);
        int is_number = key->kind == KEY_COUNT || key->kind == KEY_REAL;
        assert_true(!is_number || key->high > key->low);
    }
    assert_true(count > 40);
    assert_null(ucpo_train_key_at(count).name);
    assert_null(train_key_find("nothing"));
}

static void the_papers_have_defaults_of_their_own(void **state)
{
    (void)state;
    ucpo_train_config *config = config_of("tsptw");
    struct train_plan *plan = plan_of(config);
    assert_string_equal(plan->run.protocol, "ours");
    assert_string_equal(plan->phase[0].anchor, "auto");
    assert_int_equal(plan->phase[0].batch, 16);
    free(plan);
    set(config, "phases", "instances=5; instances=5 batch=3");
    set(config, "lr", "0.25"); /* what is said counts, in whatever order */
    set(config, "protocol", "paper");
    plan = plan_of(config);
    assert_string_equal(plan->phase[0].anchor, "none");
    assert_string_equal(plan->phase[0].loss, "ucpo");
    assert_string_equal(plan->phase[1].score, "sum");
    assert_string_equal(plan->phase[1].mask, "visited");
    assert_int_equal(plan->phase[0].batch, 64);
    assert_int_equal(plan->phase[1].batch, 3);
    assert_true(plan->phase[0].lr == 0.25 && plan->phase[0].lr_end == 1e-5);
    assert_int_equal(plan->phase[0].instances, 5);
    assert_true(plan->run.negligible == 0.0 && plan->run.decision == 0);
    free(plan);
    ucpo_train_config_free(config);
}

/* The plan of "key=value key=value ...". */
static struct train_plan *planned(const char *problem, const char *settings)
{
    ucpo_train_config *config = config_of(problem);
    char text[300], *rest = NULL;
    snprintf(text, sizeof text, "%s", settings);
    for (char *item = strtok_r(text, " ", &rest); item; item = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(item, '=');
        *value = 0;
        set(config, item, value + 1);
    }
    struct train_plan *plan = plan_of(config);
    ucpo_train_config_free(config);
    return plan;
}

static void every_training_kind_of_the_papers_is_one_word(void **state)
{
    (void)state;

    static const struct {
        const char *problem, *settings, *loss, *mask;
        int samples;
        int64_t epochs;
        double lr, lr_end, aux_open, aux_update, aux_recall;
    } kind[] = {
        {"tsptw", "protocol=paper", "ucpo", "visited", 0, 10000, 1e-4, 1e-5, .02, .05, .75},
        {"tsptw", "protocol=paper-sum", "ucpo,alpha=sum", "visited", 0, 10000, 1e-4, 1e-5, .02, .05,
         .75},
        {"tsptw", "protocol=pomo", "reinforce", "visited", 50, 10000, 1e-4, 1e-5, .02, .05, .75},
        {"tsptw", "protocol=pip", "reinforce", "pip", 50, 10000, 1e-4, 1e-5, .02, .05, .75},
        {"tsptw", "protocol=pip-d", "reinforce", "pip-d", 50, 10000, 1e-4, 1e-5, .02, .05, .75},
        {"tspdl", "protocol=pip-d size=20:1,100:2", "reinforce", "pip-d", 50, 10000, 1e-4, 1e-5,
         .01, .02, .6},
        {"cvrptw", "protocol=slim", "slim", "visited", 128, 10000, 1e-4, 1e-5, .02, .05, .75},
        {"tsptw", "protocol=bopo", "bopo,k=16", "pip", 128, 2000, 1e-4, 0, .02, .05, .75},
        {"tsptw", "protocol=bopo size=100", "bopo,k=16", "pip", 256, 21000, 1e-4, 0, .01, .02, .75},
        {"tsptw", "protocol=poco", "poco", "visited", 0, 20100, 3e-4, 6e-5, .02, .05, .75},
        {"tsptw", "protocol=paper start=a mask=pip", "ucpo", "pip", 0, 500, 3e-5, 0, .02, .05, .75},
        {"tsptw", "protocol=paper start=a mask=pip-d", "ucpo", "pip-d", 0, 100, 3e-5, 0, .02, .05,
         .75},
        {"tsptw", "protocol=pomo start=a", "reinforce", "visited", 50, 500, 3e-5, 0, .02, .05, .75},
        {"tsptw", "protocol=pip-d start=a", "reinforce", "pip-d", 50, 100, 3e-5, 0, .02, .05, .75},
        {"tsptw", "protocol=pip-d start=a mask=pip", "reinforce", "pip", 50, 500, 3e-5, 0, .02, .05,
         .75},
        {"tsptw", "protocol=pip starts=each size=20", "reinforce", "pip", 0, 10000, 1e-4, 1e-5, .02,
         .05, .75},
        {"tsptw", "protocol=paper network=small", "ucpo", "visited", 0, 10000, 1e-4, 1e-5, .02, .05,
         .75}, /* the network's own rate is for our protocol */
    };

    for (size_t i = 0; i < sizeof kind / sizeof kind[0]; i++) {
        struct train_plan *plan = planned(kind[i].problem, kind[i].settings);
        const struct train_phase *p = &plan->phase[0];
        assert_string_equal(p->loss, kind[i].loss);
        assert_string_equal(p->mask, kind[i].mask);
        assert_string_equal(p->score, "sum");
        assert_string_equal(p->anchor, "none");
        assert_int_equal(p->anchor_config.mode, ANCHOR_NONE);
        assert_int_equal(p->samples, kind[i].samples);
        assert_int_equal(p->instances, kind[i].epochs * 10000);
        assert_true(p->lr == kind[i].lr && p->lr_end == kind[i].lr_end);
        assert_true(p->aux_open == kind[i].aux_open && p->aux_update == kind[i].aux_update);
        assert_true(p->aux_recall == kind[i].aux_recall && p->aux_close == 0.005);
        assert_int_equal(p->batch, strstr(kind[i].settings, "bopo size") ? 48 : 64);
        assert_true(plan->run.negligible == 0.0 && plan->run.decision == 0);
        free(plan);
    }
}

static void epochs_are_ten_thousand_instances(void **state)
{
    (void)state;
    struct train_plan *plan = planned("tsptw", "epochs=3");
    assert_int_equal(plan->instances, 30000);
    free(plan);
    plan = planned("tsptw", "protocol=paper instances=70");
    assert_int_equal(plan->instances, 70);
    free(plan);
    plan = planned("tsptw", "instances=70 epochs=2"); /* a file, then an option */
    assert_int_equal(plan->instances, 20000);
    free(plan);
    plan = planned("tsptw", "epochs=2 instances=70 epochs=0"); /* what config.toml says */
    assert_int_equal(plan->instances, 70);
    free(plan);
    ucpo_train_config *config = config_of("tsptw");
    ucpo_error err = {0};
    set(config, "epochs", "2");
    set(config, "phases", "instances=7; epochs=1; lr=0.5");
    plan = plan_of(config);
    assert_int_equal(plan->phase[0].instances, 7);
    assert_int_equal(plan->phase[1].instances, 10000);
    assert_int_equal(plan->phase[2].instances, 20000);
    free(plan);
    assert_says(ucpo_train_config_set(config, "phases", "instances=7 epochs=1", &err), &err,
                UCPO_E_ARGUMENT, "epochs and instances exclude each other");
    ucpo_train_config_free(config);
}

static void as_many_samples_as_the_size(void **state)
{
    (void)state;
    struct train_plan *plan = planned("tsptw", "size=50");
    assert_int_equal(train_samples(&plan->phase[0], 50, 0.0), 50);
    free(plan);
    plan = planned("cvrptw", "size=50"); /* 51 nodes: the depot is one more */
    assert_int_equal(train_samples(&plan->phase[0], 51, 0.0), 50);
    assert_int_equal(train_most_samples(&plan->phase[0], 51), 50);
    free(plan);
    plan = planned("tsptw", "size=50 starts=each"); /* as many as customers */
    assert_int_equal(train_samples(&plan->phase[0], 50, 0.0), 49);
    assert_true(plan->phase[0].has_forced_start);
    free(plan);
}

static void anchors_are_on_where_they_help(void **state)
{
    (void)state;

    static const struct {
        const char *problem, *mask, *anchor;
        int is_on;
    } cases[] = {{"tsptw", "pip", "auto", 1},       {"tsptw", "visited", "auto", 0},
                 {"tspdl", "pip-own", "auto", 1},   {"tsptw", "pip-d", "auto", 1},
                 {"cvrptw", "pip", "auto", 0},      {"cvrptw", "pip", "refine", 1},
                 {"tsptw", "visited", "refine", 1}, {"tsptw", "pip", "none", 0}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ucpo_train_config *config = config_of(cases[i].problem);
        set(config, "mask", cases[i].mask);
        set(config, "anchor", cases[i].anchor);
        struct train_plan *plan = plan_of(config);
        assert_int_equal(plan->phase[0].anchor_config.mode != ANCHOR_NONE, cases[i].is_on);
        free(plan);
        ucpo_train_config_free(config);
    }
}

static void a_rate_never_rises(void **state)
{
    (void)state;
    ucpo_train_config *config = config_of("tsptw");
    set(config, "lr", "5e-7"); /* below the default of lr-end */
    struct train_plan *plan = plan_of(config);
    for (int64_t step = 0; step < 5000; step += 500)
        assert_true(train_rate(&plan->phase[0], step) == 5e-7);
    free(plan);
    ucpo_train_config_free(config);
}

static void every_number_is_refused_just_outside_its_range(void **state)
{
    (void)state;
    ucpo_train_config *config = config_of("tsptw");
    const struct train_key *key;
    for (size_t i = 0; (key = train_key_at(i)); i++) {
        if (key->high <= key->low) continue;
        const double ends[2] = {key->low - 1.0, key->high * 1.001 + 1.0};
        for (int k = 0; k < 2; k++) {
            char text[64];
            ucpo_error err = {0};
            snprintf(text, sizeof text, "%.0f", ends[k]);
            assert_says(ucpo_train_config_set(config, key->name, text, &err), &err, UCPO_E_ARGUMENT,
                        key->name);
        }
        char text[64];
        snprintf(text, sizeof text, "%.17g", key->high);
        set(config, key->name, text);
    }
    ucpo_train_config_free(config);
}

/* ---- values ---- */

static void numbers_take_suffixes(void **state)
{
    (void)state;

    static const struct {
        const char *text;
        int64_t value;
    } counts[] = {{"7", 7},       {"200k", 200000},     {"1.5M", 1500000}, {"8.2M", 8200000},
                  {"0.064k", 64}, {"1.001k", 1001},     {"1e6", 1000000},  {"4.35M", 4350000},
                  {"2.3k", 2300}, {"1000M", 1000000000}};

    static const struct {
        const char *text;
        double value;
    } times[] = {{"90", 90}, {"90s", 90}, {"2m", 120}, {"1.5h", 5400}, {"0.5m", 30}};

    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        ucpo_train_config *config = config_of("tsptw");
        set(config, "instances", counts[i].text);
        struct train_plan *plan = plan_of(config);
        assert_int_equal(plan->phase[0].instances, counts[i].value);
        free(plan);
        ucpo_train_config_free(config);
    }
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        ucpo_train_config *config = config_of("tsptw");
        set(config, "save-every", times[i].text);
        struct train_plan *plan = plan_of(config);
        assert_true(plan->run.save_every == times[i].value);
        free(plan);
        ucpo_train_config_free(config);
    }
}

static void bad_values_are_refused_with_what_was_expected(void **state)
{
    (void)state;

    static const struct {
        const char *key, *value, *part;
    } bad[] = {
        {"instances", "1.5", "instances is '1.5', expected a whole number in 1 .. 1e+15"},
        {"instances", "k", "a whole number"},
        {"instances", "", "a whole number"},
        {"instances", "5m", "a whole number"},
        {"instances", "5kk", "a whole number"},
        {"instances", "nan", "a whole number"},
        {"instances", "inf", "a whole number"},
        {"instances", "-3", "a whole number"},
        {"lr", "1k", "lr is '1k', expected a number in 0 .. 1"},
        {"lr", "2", "expected a number in 0 .. 1"},
        {"lr", "fast", "expected a number"},
        {"save-every", "0", "a time such as 200ms, 90s, 30m or 2h in 0.01 .. 1e+09"},
        {"max-time", "1d", "a time"},
        {"seed", "-1", "a seed of 64 bits"},
        {"seed", "18446744073709551616", "a seed of 64 bits"},
        {"seed", "1k", "a seed of 64 bits"},
        {"mask", "pip-x", "mask is 'pip-x', expected one of: visited pip pip-own pip-d"},
        {"mask", "pi", "expected one of"},
        {"mask", "", "expected one of"},
        {"score", "sum mean", "expected one of"},
        {"lr-curve", "Cosine", "expected one of: constant linear cosine drop"},
        {"norm", "batch", "expected one of: instance layer fixed"},
        {"problem", "a-name-that-is-much-too-long-for-it", "at most 23 are kept"},
        {"lerning-rate", "1", "unknown setting 'lerning-rate'"},
        {"bacth", "8", "did you mean 'batch'?"},
        {"phases", "instances=5 batch", "'batch' is not key=value (phase 1)"},
        {"phases", "instances=5; bath=3", "did you mean 'batch'?"},
        {"phases", "size=10; seed=4", "'seed' belongs to the run, not to phase 2"},
        {"phases", "size=10; batch=0", "batch is '0'"},
        {"phases", "size=10; ;batch=3", "phase 2 is empty"},
        {"phases", ";", "phase 1 is empty"},
    };

    ucpo_train_config *config = config_of("tsptw");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ucpo_error err = {0};
        assert_says(ucpo_train_config_set(config, bad[i].key, bad[i].value, &err), &err,
                    UCPO_E_ARGUMENT, bad[i].part);
    }
    ucpo_error err = {0};
    assert_says(ucpo_train_config_set(config, NULL, "1", &err), &err, UCPO_E_ARGUMENT, "NULL");
    assert_says(ucpo_train_config_set(config, "lr", NULL, &err), &err, UCPO_E_ARGUMENT, "NULL");
    assert_says(ucpo_train_config_set(NULL, "lr", "1", &err), &err, UCPO_E_ARGUMENT, "NULL");
    ucpo_train_config_free(config);
}

static void a_plan_refuses_what_does_not_fit_together(void **state)
{
    (void)state;

    static const struct {
        const char *key, *value, *part;
        ucpo_status code;
    } bad[] = {
        {"problem", "knapsack", "problem is 'knapsack', expected one of", UCPO_E_ARGUMENT},
        {"problem", "", "problem is ''", UCPO_E_ARGUMENT},
        {"size", "2", "size is '2', expected 3 .. 10000", UCPO_E_ARGUMENT},
        {"size", "10001", "expected 3 .. 10000", UCPO_E_ARGUMENT},
        {"size", "10.5", "expected 3 .. 10000", UCPO_E_ARGUMENT},
        {"size", "", "size is empty", UCPO_E_ARGUMENT},
        {"size", "20:", "'20:' needs a positive weight", UCPO_E_ARGUMENT},
        {"size", "20:0", "positive weight", UCPO_E_ARGUMENT},
        {"size", "20:-1,50", "positive weight", UCPO_E_ARGUMENT},
        {"size", "20:x", "positive weight", UCPO_E_ARGUMENT},
        {"size", "20:inf", "positive weight", UCPO_E_ARGUMENT},
        {"size", ":3", "is not a value or value:weight", UCPO_E_ARGUMENT},
        {"size", "20,,50", "is not a value or value:weight", UCPO_E_ARGUMENT},
        {"size", "3,4,5,6,7,8,9,10,11", "at most 8 parts", UCPO_E_ARGUMENT},
        {"level", "simple", "level is 'simple', tsptw has: ", UCPO_E_ARGUMENT},
        {"level", "easy:1,simple:2", "level is 'simple'", UCPO_E_ARGUMENT},
        {"level", "a-level-whose-name-is-far-too-long", "is not a value", UCPO_E_ARGUMENT},
        {"loss", "upco", "upco", UCPO_E_ARGUMENT},
        {"loss", "ucpo,k=0", "k", UCPO_E_ARGUMENT},
        {"alpha-end", "0.1", "give both as a number of n-ths", UCPO_E_ARGUMENT},
        {"alpha-end", "x", "alpha", UCPO_E_ARGUMENT},
        {"lr", "0", "lr is 0, expected above 0", UCPO_E_ARGUMENT},
        {"samples-end", "1", "samples-end is 1", UCPO_E_ARGUMENT},
        {"optimiser", "carry", "no checkpoint to start from", UCPO_E_ARGUMENT},
        {"phases", "size=10; size=2", "phase 2: size is '2', expected", UCPO_E_ARGUMENT},
        {"phases", "loss=upco; size=10", "phase 1: ", UCPO_E_ARGUMENT},
    };

    struct train_plan *plan = calloc(1, sizeof *plan);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ucpo_train_config *config = config_of("tsptw");
        ucpo_error err = {0};
        set(config, bad[i].key, bad[i].value);
        assert_says(train_plan_make(config, plan, &err), &err, bad[i].code, bad[i].part);
        char *bytes = NULL;
        size_t size = 0;
        assert_int_equal(ucpo_train_config_text(config, &bytes, &size, &err), bad[i].code);
        assert_null(bytes);
        ucpo_train_config_free(config);
    }
    ucpo_train_config *config = config_of("cvrptw");
    ucpo_error err = {0};
    set(config, "mask", "pip-d");
    assert_says(train_plan_make(config, plan, &err), &err, UCPO_E_UNSUPPORTED, "use pip");
    set(config, "mask", "pip");
    set(config, "batch", "65536");
    set(config, "accumulate", "16");
    assert_says(train_plan_make(config, plan, &err), &err, UCPO_E_ARGUMENT, "batch x accumulate");
    ucpo_train_config_free(config);
    free(plan);
}

static void alpha_moves_only_between_the_same_units(void **state)
{
    (void)state;

    static const struct {
        const char *loss, *end;
        int fits;
    } cases[] = {{"ucpo,alpha=5/n", "1/n", 1}, {"ucpo,alpha=5/n", "0.1", 0},
                 {"ucpo,alpha=0.5", "0.1", 1}, {"ucpo,alpha=0.5", "2/n", 0},
                 {"poco", "0.01", 1},          {"ucpo", "5/n", 1},
                 {"ucpo", "mean", 1},          {"reinforce-norm,alpha=sum", "1/n", 0}};

    struct train_plan *plan = calloc(1, sizeof *plan);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ucpo_train_config *config = config_of("tsptw");
        set(config, "loss", cases[i].loss);
        set(config, "alpha-end", cases[i].end);
        ucpo_status st = train_plan_make(config, plan, NULL);
        if ((st == UCPO_OK) != cases[i].fits) print_error("%s, %s\n", cases[i].loss, cases[i].end);
        assert_int_equal(st == UCPO_OK, cases[i].fits);
        ucpo_train_config_free(config);
    }
    free(plan);
}

/* ---- mixtures and phases ---- */

static void mixtures_have_weights_that_sum_to_one(void **state)
{
    (void)state;
    ucpo_train_config *config = config_of("tsptw");
    set(config, "size", "20:1,50:3,9");
    set(config, "level", "easy,hard:1.5");
    struct train_plan *plan = plan_of(config);
    const struct train_phase *p = &plan->phase[0];
    assert_int_equal(p->sizes.count, 3);
    assert_int_equal(p->sizes.number[0], 20);
    assert_int_equal(p->sizes.number[1], 50);
    assert_int_equal(p->sizes.number[2], 9);
    assert_close(p->sizes.weight[0], 0.2, 1e-12, 0);
    assert_close(p->sizes.weight[1], 0.6, 1e-12, 0);
    assert_close(p->sizes.weight[2], 0.2, 1e-12, 0);
    assert_int_equal(p->levels.count, 2);
    assert_string_equal(p->levels.word[1], "hard");
    assert_close(p->levels.weight[1], 0.6, 1e-12, 0);
    free(plan);
    ucpo_train_config_free(config);
}

static void an_empty_level_is_the_first_of_the_problem(void **state)
{
    (void)state;
    for (size_t i = 0; i < prob_registry_count; i++) {
        ucpo_train_config *config = config_of(prob_registry[i]->info.name);
        struct train_plan *plan = plan_of(config);
        const char *levels = prob_registry[i]->info.levels;
        assert_int_equal(plan->phase[0].levels.count, 1);
        assert_int_equal(strncmp(plan->phase[0].level, levels, strlen(plan->phase[0].level)), 0);
        free(plan);
        ucpo_train_config_free(config);
    }
}

static void phases_inherit_what_the_run_says(void **state)
{
    (void)state;
    ucpo_train_config *config = config_of("tsptw");
    set(config, "protocol", "paper");
    set(config, "phases", "size=10 instances=5k;\n loss=ucpo,alpha=2/n size=20 ; lr=1e-3");
    set(config, "batch", "16");
    set(config, "instances", "1k"); /* later than the phases: for all of them */
    struct train_plan *plan = plan_of(config);
    assert_int_equal(plan->phases, 3);
    assert_int_equal(plan->instances, 3000);
    assert_string_equal(plan->phase[0].size, "10");
    assert_string_equal(plan->phase[1].size, "20");
    assert_string_equal(plan->phase[2].size, "50");
    assert_string_equal(plan->phase[0].loss, "ucpo");
    assert_string_equal(plan->phase[1].loss, "ucpo,alpha=2/n");
    assert_true(plan->phase[1].lr == 1e-4 && plan->phase[2].lr == 1e-3);
    for (int p = 0; p < 3; p++) assert_int_equal(plan->phase[p].batch, 16);
    free(plan);
    set(config, "phases", "size=7"); /* replaces all of them */
    plan = plan_of(config);
    assert_int_equal(plan->phases, 1);
    assert_string_equal(plan->phase[0].size, "7");
    free(plan);
    ucpo_train_config_free(config);
}

static void there_are_at_most_sixteen_phases(void **state)
{
    (void)state;
    char text[256] = "";
    for (int p = 0; p < TRAIN_MAX_PHASES; p++) strcat(text, "size=5;");
    ucpo_train_config *config = config_of("tspdl");
    set(config, "phases", text);
    struct train_plan *plan = plan_of(config);
    assert_int_equal(plan->phases, TRAIN_MAX_PHASES);
    free(plan);
    strcat(text, "size=6");
    ucpo_error err = {0};
    assert_says(ucpo_train_config_set(config, "phases", text, &err), &err, UCPO_E_ARGUMENT,
                "more than 16 phases");
    ucpo_train_config_free(config);
}

/* ---- files ---- */

static const char *write_temp(const char *text)
{
    static char path[] = "/tmp/ucpo_config_XXXXXX";
    strcpy(path, "/tmp/ucpo_config_XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    return path;
}

static ucpo_status read_back(ucpo_train_config *config, const char *text, ucpo_error *err)
{
    const char *path = write_temp(text);
    ucpo_status st = ucpo_train_config_read(config, path, err);
    unlink(path);
    return st;
}

static void the_text_reads_back_to_the_same_text(void **state)
{
    (void)state;
    static const char *const phases[] = {
        "", "size=20:1,50:3 level=easy,hard:2 loss=ucpo-t,tie=0.2,alpha=3/n alpha-end=1/n",
        ("instances=50k loss=reinforce-norm; instances=1.5M mask=pip-d aux-open=0.1 score=cut-mean "
         "lr=0.00031 lr-end=1e-6 lr-curve=drop samples=8 samples-end=24; data=a\"b\\c#d.npy")};

    for (size_t i = 0; i < sizeof phases / sizeof phases[0]; i++) {
        ucpo_train_config *config = config_of("tsptw"), *back = config_of(NULL);
        ucpo_error err = {0};
        set(config, "phases", phases[i]);
        set(config, "seed", "18446744073709551615");
        set(config, "validate", "my \"set\" # of\tinstances.npy");
        set(config, "max-time", "1.5h");
        set(config, "negligible", "0.1");
        char *first = text_of(config);
        assert_ok(read_back(back, first, &err), &err);
        char *second = text_of(back);
        assert_string_equal(first, second);
        const struct train_key *key; /* every key is in it */
        for (size_t k = 0; (key = train_key_at(k)); k++) {
            char line[40];
            if (strcmp(key->name, "from") == 0 || strcmp(key->name, "allow-changes") == 0)
                continue; /* of one call */
            snprintf(line, sizeof line, "\n%s = ", key->name);
            assert_non_null(strstr(first, line));
        }
        ucpo_bytes_free(first);
        ucpo_bytes_free(second);
        ucpo_train_config_free(config);
        ucpo_train_config_free(back);
    }
}

static void a_file_replaces_only_what_it_names(void **state)
{
    (void)state;
    ucpo_train_config *config = config_of("tsptw");
    ucpo_error err = {0};
    set(config, "lr", "0.01");
    set(config, "batch", "8");
    assert_ok(read_back(config,
                        "# mine\nbatch = 16\nsize = \"5:1,6:2\"\nseed = 9\n[[phase]]\n"
                        "lr = 1e-3\n\n[[phase]]\ninstances = \"2k\"\n",
                        &err),
              &err);
    struct train_plan *plan = plan_of(config);
    assert_int_equal(plan->phases, 2);
    assert_int_equal(plan->phase[0].batch, 16);
    assert_int_equal(plan->run.seed, 9);
    assert_true(plan->phase[0].lr == 1e-3 && plan->phase[1].lr == 0.01);
    assert_int_equal(plan->phase[1].instances, 2000);
    free(plan);
    ucpo_train_config_free(config);
}

static void phases_on_top_of_a_written_file_inherit_from_it(void **state)
{
    (void)state;
    ucpo_train_config *config = config_of("tsptw"), *second = config_of("tspdl");
    ucpo_error err = {0};
    char *text = NULL;
    size_t size = 0;
    set(config, "level", "hard");
    set(config, "instances", "320");
    assert_ok(ucpo_train_config_text(config, &text, &size, &err), &err);
    assert_ok(read_back(second, text, &err), &err);
    ucpo_bytes_free(text);
    set(second, "phases", "size=10; size=12;");
    struct train_plan *plan = plan_of(second);
    assert_int_equal(plan->phases, 2);
    for (int p = 0; p < 2; p++) {
        assert_string_equal(plan->phase[p].level, "hard");
        assert_int_equal(plan->phase[p].instances, 320);
    }
    assert_ok(ucpo_train_config_text(second, &text, &size, &err), &err); /* said once */
    assert_null(strstr(strstr(text, "level = \"hard\"") + 1, "level ="));
    assert_ok(read_back(config, text, &err), &err);
    set(config, "phases", "lr=1e-3; lr=1e-4"); /* also how long they are */
    struct train_plan *again = plan_of(config);
    assert_int_equal(again->instances, 640);
    free(again);
    ucpo_bytes_free(text);
    free(plan);
    ucpo_train_config_free(config);
    ucpo_train_config_free(second);
}

static void mistakes_in_a_file_are_named_with_their_line(void **state)
{
    (void)state;

    static const struct {
        const char *text, *part;
        long line;
    } bad[] = {
        {"batch = 8\nbacth = 9\n", "did you mean 'batch'?", 2},
        {"\n\nlr = 7\n", "lr is '7'", 3},
        {"[[phase]]\nseed = 7\n", "belongs to the run", 2},
        {"[network]\nwidth = 8\n", "section [network] is unknown, expected [[phase]]", 1},
        {"batch = 8\n[phase]\nbatch = 8\n", "section [phase] is unknown", 2},
        {"[[phase]]\nbatch = 8\n[[phase]]\n", "phase 2 is empty", 3},
        {"size = [5, 6]\n", "size is a list", 1},
        {"mask = \"soft\"\n", "expected one of", 1},
        {"batch\n", "", 1},
    };

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ucpo_train_config *config = config_of("tsptw");
        ucpo_error err = {0};
        ucpo_status st = read_back(config, bad[i].text, &err);
        assert_true(st == UCPO_E_ARGUMENT || st == UCPO_E_FORMAT);
        assert_says(st, &err, st, bad[i].part);
        assert_int_equal(err.line, bad[i].line);
        assert_non_null(strstr(err.file, "ucpo_config_"));
        ucpo_train_config_free(config);
    }
    ucpo_train_config *config = config_of("tsptw");
    ucpo_error err = {0};
    assert_int_equal(ucpo_train_config_read(config, "/nowhere/x.toml", &err), UCPO_E_IO);
    assert_string_equal(err.file, "/nowhere/x.toml");
    ucpo_train_config_free(config);
}

static void a_run_that_goes_on_keeps_what_decides_its_result(void **state)
{
    (void)state;
    ucpo_train_config *config = config_of("tsptw"), *changes = config_of(NULL);
    ucpo_error err = {0};
    set(changes, "threads", "2");
    set(changes, "max-time", "5");
    set(changes, "save-every", "7");
    assert_ok(train_config_change(config, changes, &err), &err);
    struct train_plan *plan = plan_of(config);
    assert_int_equal(plan->run.threads, 2);
    assert_true(plan->run.save_every == 7.0);
    free(plan);
    set(changes, "lr", "0.1");
    assert_says(train_config_change(config, changes, &err), &err, UCPO_E_ARGUMENT,
                "lr cannot change when a run goes on; only its length (instances, epochs or time) "
                "and these can: threads");
    ucpo_train_config_free(config);
    ucpo_train_config_free(changes);
}

/* Of the instances of the whole run the last phase gets what the others leave, whatever unit it had. */
static void a_run_that_goes_on_may_have_another_length(void **state)
{
    (void)state;
    static const char *const before[] = {"instances", "phases", "phases", "time"};
    static const char *const length[] = {"60k", "instances=10k; instances=20k",
                                         "epochs=1; epochs=2 lr=1e-3", "1h"};
    static const char *const key[] = {"instances", "instances", "epochs", "time"};
    static const char *const value[] = {"80k", "80k", "8", "2h"};
    for (int k = 0; k < 4; k++) {
        ucpo_train_config *config = config_of("tsptw"), *changes = config_of(NULL);
        ucpo_error err = {0};
        int has_length = 0;
        set(config, before[k], length[k]);
        set(changes, "threads", "2");
        assert_ok(train_config_change_length(config, changes, &has_length, &err), &err);
        assert_false(has_length);
        set(changes, key[k], value[k]);
        assert_ok(train_config_change_length(config, changes, &has_length, &err), &err);
        assert_true(has_length);
        struct train_plan *plan = plan_of(config);
        assert_int_equal(plan->phases, k == 1 || k == 2 ? 2 : 1);
        assert_true(plan->run.time == (k == 3 ? 7200.0 : 0.0));
        if (k < 3) assert_int_equal(plan->instances, 80000);
        if (plan->phases == 2) assert_int_equal(plan->phase[0].instances, 10000);
        free(plan);
        ucpo_train_config_free(changes);
        changes = config_of(NULL);
        set(changes, "phases", "instances=5; instances=7");
        assert_says(train_config_change(config, changes, &err), &err, UCPO_E_ARGUMENT,
                    "instances of a phase cannot change when a run goes on");
        ucpo_train_config_free(config);
        ucpo_train_config_free(changes);
    }
}

/* ---- memory ---- */

static ucpo_status use_everything(const char *path, ucpo_error *err)
{
    ucpo_train_config *config = NULL, *copy = NULL;
    char *bytes = NULL;
    size_t size = 0;
    ucpo_status st = ucpo_train_config_create(&config, err);
    if (!st) st = ucpo_train_config_create(&copy, err);
    if (!st) st = ucpo_train_config_read(config, path, err);
    if (!st) st = ucpo_train_config_set(config, "phases", "size=5; size=6; size=7 lr=0.1", err);
    if (!st) st = train_config_copy(copy, config, err);
    if (!st) st = ucpo_train_config_text(copy, &bytes, &size, err);
    ucpo_bytes_free(bytes);
    ucpo_train_config_free(config);
    ucpo_train_config_free(copy);
    return st;
}

static void every_failing_allocation_is_reported(void **state)
{
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "%s",
             write_temp("problem = \"tsptw\"\nbatch = 3\nlr = 0.2\nseed = 4\nsamples = 5\n"));
    int failures = 0;
    for (int k = 0;; k++) {
        ucpo_error err = {0};
        test_alloc_countdown = k;
        ucpo_status st = use_everything(path, &err);
        int was_reached = test_alloc_countdown < 0;
        test_alloc_countdown = -1;
        if (!was_reached) {
            assert_ok(st, &err);
            break;
        }
        failures += st != UCPO_OK;
        assert_true(st == UCPO_E_MEMORY || st == UCPO_OK || st == UCPO_E_IO);
        if (st) assert_int_equal(err.code, st);
    }
    assert_true(failures > 5);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_has_help_and_a_default_that_parses),
        cmocka_unit_test(the_papers_have_defaults_of_their_own),
        cmocka_unit_test(every_training_kind_of_the_papers_is_one_word),
        cmocka_unit_test(epochs_are_ten_thousand_instances),
        cmocka_unit_test(as_many_samples_as_the_size),
        cmocka_unit_test(anchors_are_on_where_they_help),
        cmocka_unit_test(a_rate_never_rises),
        cmocka_unit_test(every_number_is_refused_just_outside_its_range),
        cmocka_unit_test(numbers_take_suffixes),
        cmocka_unit_test(bad_values_are_refused_with_what_was_expected),
        cmocka_unit_test(a_plan_refuses_what_does_not_fit_together),
        cmocka_unit_test(alpha_moves_only_between_the_same_units),
        cmocka_unit_test(mixtures_have_weights_that_sum_to_one),
        cmocka_unit_test(an_empty_level_is_the_first_of_the_problem),
        cmocka_unit_test(phases_inherit_what_the_run_says),
        cmocka_unit_test(there_are_at_most_sixteen_phases),
        cmocka_unit_test(the_text_reads_back_to_the_same_text),
        cmocka_unit_test(a_file_replaces_only_what_it_names),
        cmocka_unit_test(phases_on_top_of_a_written_file_inherit_from_it),
        cmocka_unit_test(mistakes_in_a_file_are_named_with_their_line),
        cmocka_unit_test(a_run_that_goes_on_keeps_what_decides_its_result),
        cmocka_unit_test(a_run_that_goes_on_may_have_another_length),
        cmocka_unit_test(every_failing_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
