/* A run learns: on hard windows an untrained policy breaks a constraint in nearly every sample; a
 * short run of a small network must mend most of that. */
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SLOW 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_SLOW 1
#endif
#endif
#ifndef IS_SLOW
#define IS_SLOW 0
#endif

static void a_short_run_removes_most_infeasible_samples(void **state)
{
    (void)state;
    char dir[] = "/tmp/ucpo_learning_XXXXXX", line[100];
    const char *const settings[][2] = {{"problem", "tsptw"},
                                       {"protocol", "paper"},
                                       {"size", "10"},
                                       {"level", "hard"},
                                       {"loss", "reinforce-norm,alpha=sum"},
                                       {"lr", "2e-3"},
                                       {"layers", "2"},
                                       {"width", "32"},
                                       {"heads", "4"},
                                       {"hidden", "64"},
                                       {"instances", IS_SLOW ? "5k" : "10k"},
                                       {"validate-every", "0"},
                                       {"validate-count", "64"}};
    ucpo_train_config *config = NULL;
    ucpo_train_summary s;
    ucpo_error err = {0};
    assert_non_null(mkdtemp(dir));
    assert_ok(ucpo_train_config_create(&config, &err), &err);
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        assert_ok(ucpo_train_config_set(config, settings[i][0], settings[i][1], &err), &err);
    assert_ok(ucpo_train(config, dir, NULL, &s, &err), &err);
    print_message("infeasible samples %.1f %% -> %.1f %%, instances %.1f %% -> %.1f %%, %.0f s\n",
                  100 * s.before[1].infeasible_samples, 100 * s.after[1].infeasible_samples,
                  100 * s.before[1].infeasible_instances, 100 * s.after[1].infeasible_instances,
                  s.elapsed);
    assert_true(s.before[1].infeasible_samples > 0.97);
    assert_true(s.after[1].infeasible_samples < (IS_SLOW ? 0.5 : 0.25));
    ucpo_train_config_free(config);
    snprintf(line, sizeof line, "rm -rf %s", dir);
    assert_int_equal(system(line), 0); /* NOLINT(cert-env33-c): the name is ours */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_short_run_removes_most_infeasible_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
