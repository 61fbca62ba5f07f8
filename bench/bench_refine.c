/* Local search from constructive plans: infeasible share, gaps, CPU seconds of an instance.
 *
 *   bench_refine                                   a short run over everything
 *   bench_refine WHAT [COUNT [SECONDS [FIRST]]]    WHAT: a preset's name, tsptw, tspdl (benchmark
 *                                                  files), growth or all
 *
 * Seconds are of the thread's CPU and cover tables, constructive rules and search. References are the
 * stored LKH3 costs and best known values in ../shared (from the repository's root); without them
 * only the costs themselves are printed. A row: what, instances, infeasible %, mean gap %, ratio of
 * means gap %, share of instances not above the reference %, CPU seconds, mean objective. Gaps are
 * over feasible results whose reference is believable (a placeholder of LKH3 is not).
 *
 * growth: generated tours of 50 to 5000 nodes, seed 20 and the levels of the generator, against a run
 * of our own that takes ten times as long. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/allowance.h"
#include "core/clock.h"
#include "refine/refine.h"
#include "start.h"

struct result {
    double cost; /* instance units */
    int is_feasible;
    double seconds;
};

struct sums {
    int count, infeasible, compared, not_above;
    double gap, cost, reference, seconds, objective;
};

/* The best of the constructive rules, then local search until `seconds` are over. */
static struct result solve_one(const ucpo_instance *inst, double seconds, uint64_t seed)
{
    struct allowance allowance;
    const struct stop stop = allowance_stop(&allowance, seconds);
    struct refine *refine = NULL;
    int32_t *best = malloc(2 * (size_t)inst->data.n * sizeof *best);
    ucpo_evaluation check = {0};
    struct result result = {0};
    if (!best) exit(1);
    size_t best_len = construct_best(inst, &stop, best);
    ucpo_error err = {0};
    if (refine_create(inst, NULL, &refine, &err) ||
        refine_start(refine, best, best_len, seed, &err)) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    refine_run(refine, INT64_MAX, &stop);
    struct refined found = refine_best(refine);
    if (ucpo_check(inst, found.nodes, found.len, &check, NULL, 0, NULL, 0, NULL)) exit(1);
    result =
        (struct result){check.cost, check.is_feasible, clock_thread_seconds() - allowance.from};
    refine_free(refine);
    free(best);
    return result;
}

static void add(struct sums *s, const ucpo_instance *inst, const struct result *r, double reference)
{
    s->count++;
    s->seconds += r->seconds;
    s->infeasible += !r->is_feasible;
    if (!r->is_feasible) return;
    s->objective += r->cost / inst->data.unit;
    if (!(reference > 0.0) || reference < 0.5 * r->cost) return;
    s->compared++;
    s->gap += r->cost / reference - 1.0;
    s->cost += r->cost;
    s->reference += reference;
    s->not_above += r->cost <= reference * (1.0 + 1e-6);
}

static void print_row(const char *what, const struct sums *s)
{
    int feasible = s->count - s->infeasible;
    printf("%s,%d,%.2f,", what, s->count, s->count ? 100.0 * s->infeasible / s->count : 0.0);
    if (s->compared)
        printf("%.4f,%.4f,%.1f,", 100.0 * s->gap / s->compared,
               100.0 * (s->cost / s->reference - 1.0), 100.0 * s->not_above / s->compared);
    else
        printf("no reference,no reference,no reference,");
    printf("%.4f,%.5f\n", s->count ? s->seconds / s->count : 0.0,
           feasible ? s->objective / feasible : 0.0);
    fflush(stdout);
}

/* ---- the published sets ---- */

static void run_preset(const char *name, size_t first, size_t count, double seconds)
{
    char path[256];
    double *reference = NULL;
    size_t references = 0;
    snprintf(path, sizeof path, "../shared/data/validation/%s_lkh_cost10000.npy", name);
    if (ucpo_costs_read(path, &reference, &references, NULL)) references = 0;
    ucpo_dataset *set = NULL;
    if (ucpo_generate_preset(name, first, count, &set, NULL)) {
        fprintf(stderr, "no preset '%s'\n", name);
        exit(1);
    }
    struct sums sums = {0};
    for (size_t i = 0; i < ucpo_dataset_count(set); i++) {
        const ucpo_instance *inst = ucpo_dataset_at(set, i);
        struct result r = solve_one(inst, seconds, 1);
        double stored = first + i < references ? reference[first + i] * inst->data.unit : 0.0;
        add(&sums, inst, &r, stored);
    }
    print_row(name, &sums);
    ucpo_costs_free(reference);
    ucpo_dataset_free(set);
}

/* ---- benchmark files ---- */

static void run_file(const char *path, double best_known, double seconds, struct sums *sums)
{
    ucpo_dataset *set = NULL;
    ucpo_error err = {0};
    if (ucpo_read(path, NULL, &set, &err)) {
        fprintf(stderr, "%s: %s\n", path, err.text);
        return;
    }
    const ucpo_instance *inst = ucpo_dataset_at(set, 0);
    if (isnan(best_known)) best_known = inst->data.best_known;
    struct result r = solve_one(inst->load, seconds, 1);
    add(sums, inst, &r, best_known);
    if (r.cost > best_known * (1.0 + 1e-6) || !r.is_feasible)
        printf("  %s: %s %g, best known %g\n", path, r.is_feasible ? "found" : "infeasible", r.cost,
               best_known);
    ucpo_dataset_free(set);
}

static void run_tsptw_files(size_t first, size_t count, double seconds)
{
    FILE *list = fopen("../shared/data/benchmarks/tsptw/best_known_selected.csv", "r");
    char line[256], family[64], name[64], path[256];
    struct sums sums = {0};
    double best = 0.0;
    for (size_t i = 0; list && fgets(line, sizeof line, list);) {
        if (sscanf(line, "%63[^,],%63[^,],%*d,%lf", family, name, &best) != 3) continue;
        snprintf(path, sizeof path, "../shared/data/benchmarks/tsptw/%s/%s.tsptw", family, name);
        if (i >= first && i - first < count) run_file(path, best, seconds, &sums);
        i++;
    }
    if (list) fclose(list);
    print_row("tsptw benchmarks", &sums);
}

static int is_text(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot && strcmp(dot, ".txt") == 0;
}

static void run_tspdl_files(size_t first, size_t count, double seconds)
{
    const char *folder = "../shared/data/benchmarks/tspdl_rakke";
    struct dirent **entry = NULL;
    int entries = scandir(folder, &entry, is_text, alphasort);
    struct sums sums = {0};
    char path[512];
    for (int i = 0; i < entries; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name);
        if ((size_t)i >= first && (size_t)i - first < count) run_file(path, NAN, seconds, &sums);
        free(entry[i]);
    }
    free(entry);
    print_row("tspdl benchmarks", &sums);
}

/* ---- growth ---- */

static void run_grown(const char *problem, const char *level, int size, size_t count,
                      double seconds)
{
    ucpo_generate_config config = ucpo_generate_config_default();
    config.problem = problem, config.level = level, config.size = size;
    config.count = count, config.seed = 20;
    ucpo_dataset *set = NULL;
    if (ucpo_generate(&config, &set, NULL)) exit(1);
    struct sums sums = {0};
    char name[64];
    for (size_t i = 0; i < count; i++) {
        const ucpo_instance *inst = ucpo_dataset_at(set, i);
        struct result slow = solve_one(inst, 10.0 * seconds, 2), r = solve_one(inst, seconds, 1);
        add(&sums, inst, &r, slow.is_feasible ? slow.cost : 0.0);
    }
    snprintf(name, sizeof name, "%s %s %d", problem, level, size);
    print_row(name, &sums);
    ucpo_dataset_free(set);
}

static void run_growth(size_t count, double seconds)
{
    static const int size[] = {50, 100, 200, 400, 1000, 2000, 5000};
    for (size_t i = 0; i < sizeof size / sizeof size[0]; i++) {
        run_grown("tsptw", "medium", size[i], count, seconds);
        run_grown("tsptw", "hard", size[i], count, seconds);
        run_grown("tspdl", "hard", size[i], count, seconds);
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "all";
    size_t count = argc > 2 ? (size_t)strtoul(argv[2], NULL, 10) : 10;
    double seconds = argc > 3 ? strtod(argv[3], NULL) : 0.1;
    size_t first = argc > 4 ? (size_t)strtoul(argv[4], NULL, 10) : 0;
    int is_all = strcmp(what, "all") == 0;
    printf("what,instances,infeasible %%,gap %%,ratio gap %%,not above %%,cpu s,objective\n");
    const char *name;
    for (size_t i = 0; (name = ucpo_preset_at(i)) != NULL; i++)
        if (is_all || strcmp(what, name) == 0) run_preset(name, first, count, seconds);
    if (is_all || strcmp(what, "tsptw") == 0) run_tsptw_files(first, count, seconds);
    if (is_all || strcmp(what, "tspdl") == 0) run_tspdl_files(first, count, seconds);
    if (is_all || strcmp(what, "growth") == 0) run_growth(is_all ? 1 : count, seconds);
    return 0;
}
