/* The search for fleets on the instances of a file, and the checker's word on anybody's plans.
 *
 *   bench_fleet FILE SECONDS [SEED [FIRST [COUNT]]]   searches COUNT instances from FIRST on
 *   bench_fleet FILE -                                judges plans from standard input
 *
 * A line per instance: index, 1 if feasible, CPU seconds, cost, routes, then the plan (customers, 0
 * between routes). Lines to be judged have no cost and routes, as peers/routes_pyvrp.py writes them.
 * CPU seconds are the thread's and cover everything but reading: constructive rules, tables, search.
 * bench/fleet.py makes a table of it, beside PyVRP. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/allowance.h"
#include "core/clock.h"
#include "refine/refine.h"
#include "start.h"

enum { MOST_LINE = 1 << 18 };

static void fail(const char *what)
{
    fprintf(stderr, "bench_fleet: %s\n", what);
    exit(1); /* NOLINT(concurrency-mt-unsafe) */
}

static void print_plan(size_t index, const ucpo_instance *inst, const int32_t *nodes, size_t len,
                       double seconds)
{
    ucpo_evaluation e;
    if (ucpo_check(inst, nodes, len, &e, NULL, 0, NULL, 0, NULL)) fail("the checker failed");
    printf("%zu %d %.4f %.6f %d", index, e.is_feasible, seconds, e.cost, (int)e.routes);
    for (size_t k = 0; k < len; k++) printf(" %d", (int)nodes[k]);
    printf("\n");
    fflush(stdout);
}

static void search(size_t index, const ucpo_instance *inst, double seconds, uint64_t seed)
{
    struct allowance allowance;
    const struct stop stop = allowance_stop(&allowance, seconds);
    struct refine *refine = NULL;
    int32_t *nodes = malloc(2 * (size_t)inst->data.n * sizeof *nodes);
    if (!nodes) fail("no memory");
    size_t len = construct_best(inst, &stop, nodes);
    if (refine_create(inst, NULL, &refine, NULL) || refine_start(refine, nodes, len, seed, NULL))
        fail("the search failed");
    refine_run(refine, INT64_MAX, &stop);
    struct refined best = refine_best(refine);
    print_plan(index, inst, best.nodes, best.len, clock_thread_seconds() - allowance.from);
    refine_free(refine);
    free(nodes);
}

static void judge(const ucpo_dataset *set)
{
    char *line = malloc(MOST_LINE);
    int32_t *nodes = malloc(MOST_LINE * sizeof *nodes);
    if (!line || !nodes) fail("no memory");
    while (fgets(line, MOST_LINE, stdin)) {
        char *at = line, *next = NULL;
        size_t index = strtoul(at, &at, 10), len = 0;
        strtol(at, &at, 10);
        double seconds = strtod(at, &at);
        if (index >= ucpo_dataset_count(set)) fail("a plan of no instance");
        for (;; at = next) {
            long node = strtol(at, &next, 10);
            if (next == at) break;
            nodes[len++] = (int32_t)node;
        }
        print_plan(index, ucpo_dataset_at(set, index), nodes, len, seconds);
    }
    free(line);
    free(nodes);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        printf("bench_fleet FILE SECONDS [SEED [FIRST [COUNT]]]; bench/fleet.py makes the table\n");
        return 0;
    }
    ucpo_dataset *set = NULL;
    ucpo_error err = {0};
    if (ucpo_read(argv[1], NULL, &set, &err)) fail(err.text);
    if (strcmp(argv[2], "-") == 0) {
        judge(set);
        ucpo_dataset_free(set);
        return 0;
    }
    double seconds = strtod(argv[2], NULL);
    uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    size_t first = argc > 4 ? strtoul(argv[4], NULL, 10) : 0;
    size_t count = argc > 5 ? strtoul(argv[5], NULL, 10) : SIZE_MAX;
    for (size_t i = first; i < ucpo_dataset_count(set) && i - first < count; i++)
        search(i, ucpo_dataset_at(set, i), seconds, seed);
    ucpo_dataset_free(set);
    return 0;
}
