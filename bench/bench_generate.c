/* Instances per second and core for every problem and level, and the published sets. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "ucpo.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double rate(const char *problem, const char *level, int32_t size)
{
    ucpo_generate_config c = ucpo_generate_config_default();
    c.problem = problem, c.level = level, c.size = size, c.count = 2000, c.threads = 1;
    double best = 0;
    for (int repeat = 0; repeat < 3; repeat++) {
        ucpo_dataset *set = NULL;
        double start = now();
        if (ucpo_generate(&c, &set, NULL) != UCPO_OK) return 0;
        double speed = 2000 / (now() - start);
        ucpo_dataset_free(set);
        if (speed > best) best = speed;
    }
    return best;
}

int main(void)
{
    printf("generator, one core, best of 3\n%-10s %-8s %14s %14s\n", "problem", "level",
           "n=50 inst/s", "n=100 inst/s");
    for (size_t p = 0; p < ucpo_problem_count(); p++) {
        const ucpo_problem_info *info = ucpo_problem_at(p);
        char levels[64], *save = NULL;
        snprintf(levels, sizeof levels, "%s", info->levels);
        for (char *l = strtok_r(levels, " ", &save); l; l = strtok_r(NULL, " ", &save))
            printf("%-10s %-8s %14.0f %14.0f\n", info->name, l, rate(info->name, l, 50),
                   rate(info->name, l, 100));
    }
    printf("\npublished sets, seconds for all 10,000 instances\n");
    for (size_t i = 0; ucpo_preset_at(i); i++) {
        ucpo_dataset *set = NULL;
        double start = now();
        if (ucpo_generate_preset(ucpo_preset_at(i), 0, 0, &set, NULL) != UCPO_OK) return 1;
        printf("%-16s %.3f\n", ucpo_preset_at(i), now() - start);
        ucpo_dataset_free(set);
    }
    return 0;
}
