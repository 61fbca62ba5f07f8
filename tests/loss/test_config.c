/* Settings as text: presets, keys, hints, ranges, the way back. */
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static ucpo_loss_config parsed(const char *text)
{
    ucpo_loss_config config;
    ucpo_error err;
    assert_ok(ucpo_loss_parse(text, &config, &err), &err);
    return config;
}

/* Field by field: padding need not agree. */
static void assert_same_config(const ucpo_loss_config *a, const ucpo_loss_config *b)
{
    assert_int_equal(a->family, b->family);
    assert_int_equal(a->relation, b->relation);
    assert_int_equal(a->pairing, b->pairing);
    assert_int_equal(a->scaling, b->scaling);
    assert_int_equal(a->terms, b->terms);
    assert_int_equal(a->k, b->k);
    assert_int_equal(a->tie_is_plain, b->tie_is_plain);
    assert_int_equal(a->skip_equal, b->skip_equal);
    assert_int_equal(a->alpha_is_per_node, b->alpha_is_per_node);
    assert_true(a->lambda == b->lambda && a->tie == b->tie && a->indicator == b->indicator);
    assert_true(a->beta == b->beta && a->beta_min == b->beta_min && a->beta_max == b->beta_max);
    assert_true(a->alpha == b->alpha);
}

static void every_preset_reads_and_comes_back_by_name(void **state)
{
    size_t count = 0;
    (void)state;
    for (; ucpo_loss_preset_at(count); count++) {
        char text[256];
        ucpo_loss_config config = parsed(ucpo_loss_preset_at(count));
        ucpo_loss_config_text(&config, text, sizeof text);
        assert_string_equal(text, ucpo_loss_preset_at(count));
    }
    assert_int_equal(count, 22);
    assert_null(ucpo_loss_preset_at(count + 1000));
}

static void presets_mean_what_they_say(void **state)
{
    (void)state;
    ucpo_loss_config c = parsed("ucpo"), d = ucpo_loss_config_default();
    assert_same_config(&c, &d);
    assert_int_equal(parsed("ucpo-c").relation, UCPO_RELATION_CONSTRAINT);
    assert_int_equal(parsed("ucpo-beta-p").scaling, UCPO_SCALING_OBJECTIVE);
    assert_int_equal(parsed("ucpo-primal").terms, UCPO_TERM_PRIMAL);
    c = parsed("poco");
    assert_int_equal(c.pairing, UCPO_PAIRING_ALL);
    assert_true(c.beta == 0.05 && c.alpha == 1.0 && !c.alpha_is_per_node);
    assert_int_equal(parsed("reinforce-norm").family, UCPO_LOSS_REINFORCE_NORM);
}

static void keys_follow_the_preset_and_later_ones_override(void **state)
{
    (void)state;
    ucpo_loss_config c = parsed("bopo,k=2,lambda=0.5,k=4");
    assert_int_equal(c.relation, UCPO_RELATION_OBJECTIVE);
    assert_int_equal(c.k, 4);
    assert_true(c.lambda == 0.5);
    c = parsed(" ucpo , terms = dual + primal , skip-equal = yes ");
    assert_int_equal(c.terms, UCPO_TERM_DUAL | UCPO_TERM_PRIMAL);
    assert_int_equal(c.skip_equal, 1);
    c = parsed("k=3"); /* no preset: the default */
    assert_int_equal(c.k, 3);
    assert_int_equal(c.relation, UCPO_RELATION_CANONICAL);
    c = parsed("ucpo-beta-c,indicator=100");
    assert_true(c.indicator == 100.0);
    assert_true(isinf(parsed("ucpo-beta-c,indicator=inf").indicator));
}

static void alpha_is_explicit(void **state)
{
    (void)state;
    ucpo_loss_config c = parsed("ucpo");
    assert_true(ucpo_loss_alpha(&c, 50) == 1.0 / 50);
    assert_true(ucpo_loss_alpha(NULL, 20) == 1.0 / 20);
    c = parsed("ucpo,alpha=sum");
    assert_true(ucpo_loss_alpha(&c, 50) == 1.0);
    c = parsed("ucpo,alpha=0.1");
    assert_true(ucpo_loss_alpha(&c, 50) == 0.1);
    c = parsed("ucpo,alpha=3/n");
    assert_true(ucpo_loss_alpha(&c, 50) == 3.0 / 50);
    c = parsed("reinforce,alpha=mean");
    assert_true(ucpo_loss_alpha(&c, 50) == 1.0 / 50);
}

static void check_refused(const char *text, const char *expected)
{
    ucpo_loss_config config, before;
    ucpo_error err;
    memset(&config, 0x5a, sizeof config);
    before = config;
    assert_int_equal(ucpo_loss_parse(text, &config, &err), UCPO_E_ARGUMENT);
    assert_string_equal(err.text, expected);
    assert_memory_equal(&config, &before, sizeof config);
}

static void mistakes_are_answered_with_the_nearest_word(void **state)
{
    (void)state;
    check_refused("upco", "loss: preset 'upco' is unknown; did you mean 'ucpo'?");
    check_refused("reinfroce", "loss: preset 'reinfroce' is unknown; did you mean 'reinforce'?");
    check_refused("ucpo,lamda=1", "loss: key 'lamda' is unknown; did you mean 'lambda'?");
    check_refused("ucpo,relation=duel", "loss: relation 'duel' is unknown; did you mean 'dual'?");
    check_refused("ucpo,terms=dual+marign", "loss: terms 'marign' is unknown; did you mean "
                                            "'margin'?");
    check_refused("ucpo,skip-equal=1", "loss: skip-equal '1' is unknown; expected one of: no yes");
    check_refused("ucpo,family=ppo", "loss: family 'ppo' is unknown; expected one of: pairs slim "
                                     "reinforce reinforce-norm");
}

static void malformed_text_is_refused(void **state)
{
    (void)state;
    check_refused("ucpo,bopo", "loss: expected key=value, found 'bopo'");
    check_refused("ucpo,", "loss: expected key=value, found ''");
    check_refused("ucpo,lambda=", "loss: lambda is '', expected a number");
    check_refused("ucpo,lambda=1x", "loss: lambda is '1x', expected a number");
    check_refused("ucpo,lambda=0x10", "loss: lambda is '0x10', expected a number");
    check_refused("ucpo,lambda=nan", "loss: lambda is 'nan', expected a number");
    check_refused("ucpo,lambda=-1", "loss: lambda is -1, expected 0 .. 1e+100");
    check_refused("ucpo,lambda=inf", "loss: lambda is inf, expected 0 .. 1e+100");
    check_refused("ucpo,k=0", "loss: k is '0', expected a whole number of at least 1");
    check_refused("ucpo,k=2.5", "loss: k is '2.5', expected a whole number of at least 1");
    check_refused("ucpo,k=5000000000",
                  "loss: k is '5000000000', expected a whole number of at least 1");
    check_refused("ucpo,tie=0", "loss: tie is 0, expected 1e-12 .. 1e+06");
    check_refused("ucpo,alpha=2/m",
                  "loss: alpha is '2/m', expected mean, sum, a number or a number "
                  "of n-ths such as 3/n");
    check_refused("ucpo,alpha=0", "loss: alpha is 0, expected 1e-12 .. 1e+100");
    check_refused("ucpo,beta-min=3,beta-max=2", "loss: beta-min 3 is above beta-max 2");
    check_refused("slim,k=2", "loss: k = 2 works with family pairs only");
    check_refused("ucpo-t,pairing=argmax",
                  "loss: relation ties is defined for pairing anchor only");
    ucpo_error err;
    ucpo_loss_config config;
    assert_int_equal(ucpo_loss_parse(NULL, &config, &err), UCPO_E_ARGUMENT);
    assert_int_equal(ucpo_loss_parse("ucpo", NULL, &err), UCPO_E_ARGUMENT);
    assert_int_equal(ucpo_loss_parse("", &config, &err), UCPO_E_ARGUMENT);
    assert_non_null(strstr(err.text, "expected one of: ucpo ucpo-c"));
    assert_int_equal(ucpo_loss_parse("", &config, NULL), UCPO_E_ARGUMENT);
}

static void settings_made_by_hand_are_checked_by_every_call(void **state)
{
    const double x[] = {1, 2};
    double weight[2];
    ucpo_loss_result result;
    ucpo_error err;
    ucpo_loss_config bad = ucpo_loss_config_default();
    (void)state;
    bad.lambda = (double)NAN;
    assert_int_equal(ucpo_loss(&bad, 2, x, x, x, &result, weight, NULL, &err), UCPO_E_ARGUMENT);
    assert_string_equal(err.text, "loss: lambda is nan, expected 0 .. 1e+100");
    bad = ucpo_loss_config_default();
    bad.relation = (ucpo_relation)17;
    assert_int_equal(ucpo_loss(&bad, 2, x, x, x, &result, weight, NULL, &err), UCPO_E_ARGUMENT);
    assert_non_null(strstr(err.text, "relation 17"));
    bad = ucpo_loss_config_default();
    bad.terms = 0;
    assert_int_equal(ucpo_loss(&bad, 2, x, x, x, &result, weight, NULL, &err), UCPO_E_ARGUMENT);
    bad = ucpo_loss_config_default();
    bad.k = 0;
    assert_int_equal(ucpo_loss(&bad, 2, x, x, x, &result, weight, NULL, &err), UCPO_E_ARGUMENT);
}

static void every_number_ends_where_it_says(void **state)
{
    static const struct {
        const char *name;
        double low, high;
        size_t offset;
    } fields[] = {
        {"lambda", 0.0, 1e100, offsetof(ucpo_loss_config, lambda)},
        {"tie", 1e-12, 1e6, offsetof(ucpo_loss_config, tie)},
        {"indicator", 1e-12, HUGE_VAL, offsetof(ucpo_loss_config, indicator)},
        {"beta", 0.0, 1e100, offsetof(ucpo_loss_config, beta)},
        {"beta-min", 0.0, 1e100, offsetof(ucpo_loss_config, beta_min)},
        {"beta-max", 0.0, 1e100, offsetof(ucpo_loss_config, beta_max)},
        {"alpha", 1e-12, 1e100, offsetof(ucpo_loss_config, alpha)},
    };

    const double f[] = {1, 2}, v[] = {0, 0};
    (void)state;
    for (size_t k = 0; k < sizeof fields / sizeof fields[0]; k++) {
        const double tried[] = {fields[k].low, fields[k].high, nextafter(fields[k].low, -HUGE_VAL),
                                isinf(fields[k].high) ? -1.0 : nextafter(fields[k].high, HUGE_VAL)};
        for (int t = 0; t < 4; t++) {
            ucpo_loss_config c = ucpo_loss_config_default();
            uint32_t rank[2];
            ucpo_error err;
            memcpy((char *)&c + fields[k].offset, &tried[t], sizeof tried[t]);
            ucpo_status st = ucpo_rank(&c, 2, f, v, rank, &err);
            if (t < 2) assert_ok(st, &err);
            if (t < 2) continue;
            assert_int_equal(st, UCPO_E_ARGUMENT);
            assert_memory_equal(err.text, "loss: ", 6);
            assert_memory_equal(err.text + 6, fields[k].name, strlen(fields[k].name));
            assert_memory_equal(err.text + 6 + strlen(fields[k].name), " is ", 4);
        }
    }
}

static int is_taken(ucpo_loss_config c)
{
    const double f[] = {1, 2}, v[] = {0, 0};
    uint32_t rank[2];
    return ucpo_rank(&c, 2, f, v, rank, NULL) == UCPO_OK;
}

static void every_choice_ends_where_it_says(void **state)
{
    const ucpo_loss_config good = ucpo_loss_config_default();
    (void)state;
    for (int k = -1; k <= 9; k++) {
        ucpo_loss_config c = good;
        c.family = (ucpo_loss_family)k;
        assert_int_equal(is_taken(c), k >= 0 && k <= 3);
        c = good, c.relation = (ucpo_relation)k;
        assert_int_equal(is_taken(c), k >= 0 && k <= 5);
        c = good, c.pairing = (ucpo_pairing)k;
        assert_int_equal(is_taken(c), k >= 0 && k <= 5);
        c = good, c.scaling = (ucpo_scaling)k;
        assert_int_equal(is_taken(c), k >= 0 && k <= 5);
        c = good, c.terms = (unsigned)k;
        assert_int_equal(is_taken(c), k >= 1 && k <= 7);
        c = good, c.k = (uint32_t)k;
        assert_int_equal(is_taken(c), k != 0);
        c = good, c.k = (uint32_t)k, c.family = UCPO_LOSS_REINFORCE;
        assert_int_equal(is_taken(c), k == 1);
        c = good, c.relation = UCPO_RELATION_TIES, c.pairing = (ucpo_pairing)k;
        assert_int_equal(is_taken(c), k == 0);
    }
    ucpo_loss_config c = good;
    c.beta_min = 0.5, c.beta_max = 0.5;
    assert_true(is_taken(c));
    c.beta_max = 0.25;
    assert_false(is_taken(c));
    c.beta_max = 0.0; /* off */
    assert_true(is_taken(c));
}

static void defaults_are_those_of_the_header(void **state)
{
    const ucpo_loss_config c = ucpo_loss_config_default();
    (void)state;
    assert_int_equal(c.family, UCPO_LOSS_PAIRS);
    assert_int_equal(c.relation, UCPO_RELATION_CANONICAL);
    assert_int_equal(c.pairing, UCPO_PAIRING_ANCHOR);
    assert_int_equal(c.scaling, UCPO_SCALING_LAGRANGIAN);
    assert_int_equal(c.terms, 7);
    assert_int_equal(c.k, 1);
    assert_true(c.lambda == 1.0 && c.tie == 0.1 && isinf(c.indicator) && c.beta == 1.0);
    assert_true(c.beta_min == 0.0 && c.beta_max == 0.0 && c.alpha == 1.0);
    assert_true(c.tie_is_plain == 0 && c.skip_equal == 0 && c.alpha_is_per_node == 1);
}

static void alpha_of_few_nodes(void **state)
{
    ucpo_loss_config c = ucpo_loss_config_default();
    (void)state;
    c.alpha = 3.0;
    assert_true(ucpo_loss_alpha(&c, 2) == 1.5);
    assert_true(ucpo_loss_alpha(&c, 1) == 3.0);
    assert_true(ucpo_loss_alpha(&c, 0) == 3.0);
    assert_true(ucpo_loss_alpha(&c, -4) == 3.0);
    c.alpha_is_per_node = 0;
    assert_true(ucpo_loss_alpha(&c, 2) == 3.0);
}

static void text_reads_back_to_the_same_settings(void **state)
{
    static const char *const texts[] = {
        "bopo,k=4",
        "ucpo,lambda=0.1,alpha=3/n",
        "poco,beta=0.03",
        "ucpo-t,tie=0.25",
        "ucpo-subsets,terms=dual+margin,lambda=0.30000000000000004",
        "ucpo,beta-min=1,beta-max=2,skip-equal=yes",
        "ucpo-beta-c,indicator=100",
        "reinforce-norm,lambda=1e-07",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char back[256];
        ucpo_loss_config a = parsed(texts[i]);
        size_t length = ucpo_loss_config_text(&a, back, sizeof back);
        ucpo_loss_config b = parsed(back);
        assert_int_equal(length, strlen(back));
        assert_same_config(&a, &b);
        char cut[8] = "xxxxxxx";
        assert_int_equal(ucpo_loss_config_text(&a, cut, 5), length);
        assert_int_equal(strlen(cut), 4);
        assert_memory_equal(cut, back, 4);
        assert_int_equal(cut[5], 'x');
    }
    char text[64];
    ucpo_loss_config c = parsed("bopo,k=4");
    ucpo_loss_config_text(&c, text, sizeof text);
    assert_string_equal(text, "bopo,k=4");
    c = parsed("family=reinforce,alpha=sum,lambda=2");
    ucpo_loss_config_text(&c, text, sizeof text);
    assert_string_equal(text, "reinforce,lambda=2");
    assert_int_equal(ucpo_loss_config_text(NULL, NULL, 0), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_preset_reads_and_comes_back_by_name),
        cmocka_unit_test(presets_mean_what_they_say),
        cmocka_unit_test(keys_follow_the_preset_and_later_ones_override),
        cmocka_unit_test(alpha_is_explicit),
        cmocka_unit_test(mistakes_are_answered_with_the_nearest_word),
        cmocka_unit_test(malformed_text_is_refused),
        cmocka_unit_test(settings_made_by_hand_are_checked_by_every_call),
        cmocka_unit_test(every_number_ends_where_it_says),
        cmocka_unit_test(every_choice_ends_where_it_says),
        cmocka_unit_test(defaults_are_those_of_the_header),
        cmocka_unit_test(alpha_of_few_nodes),
        cmocka_unit_test(text_reads_back_to_the_same_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
