/* The search for fleets beside PyVRP, in one run: CPU seconds, gaps, vehicles.
 *
 *   bench_routes [COUNT [SECONDS [PEER_SECONDS [LONG_SECONDS [FOLDER]]]]]
 *
 * COUNT generated instances (CVRPTW-50 and CVRPTWLV-50, profile `cvrp`, seed 20261201), each searched
 * for SECONDS of CPU time from a constructive plan, set-up included; then PyVRP with PEER_SECONDS of
 * CPU time (0: not at all). LONG_SECONDS > 0: also the 56 Solomon files of ../shared and large
 * instances with that much time. FOLDER: PyVRP's plans are there already (cvrptw.pyvrp, cvrptwlv.pyvrp,
 * solomon.pyvrp: what peers/routes_pyvrp.py printed). Says so where PyVRP or the files are missing.
 * Run from the source directory. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/allowance.h"
#include "core/clock.h"
#include "refine/refine.h"

enum { SEED = 20261201, MOST_LINE = 1 << 16 };

struct result {
    double cost, seconds;
    int is_feasible, is_known;
    int32_t routes;
    long long improved;
};

static struct result judge(const ucpo_instance *inst, const int32_t *nodes, size_t len,
                           double seconds)
{
    ucpo_evaluation e;
    struct result r = {.is_known = 1, .seconds = seconds};
    if (ucpo_check(inst, nodes, len, &e, NULL, 0, NULL, 0, NULL)) exit(1); /* NOLINT */
    r.cost = e.cost, r.is_feasible = e.is_feasible, r.routes = e.routes;
    return r;
}

/* A constructive plan, then the search; its set-up counts. */
static struct result ours(const ucpo_instance *inst, double seconds, struct result *start)
{
    size_t n = (size_t)ucpo_instance_view(inst)->n, len = 0;
    struct construct *c = NULL;
    struct refine *routes = NULL;
    int32_t *nodes = malloc(2 * n * sizeof *nodes);
    int bad =
        !nodes || construct_create(inst, &c, NULL) || construct_run(c, 3, NULL, nodes, &len, NULL);
    struct allowance allowance;
    const struct stop stop = allowance_stop(&allowance, seconds);
    bad = bad || refine_create(inst, NULL, &routes, NULL) ||
          refine_start(routes, nodes, len, 1, NULL);
    if (bad) {
        fprintf(stderr, "bench_routes: a call failed\n");
        exit(1); /* NOLINT(concurrency-mt-unsafe) */
    }
    refine_run(routes, INT64_MAX, &stop);
    double used = clock_thread_seconds() - allowance.from;
    struct refined best = refine_best(routes);
    struct result r = judge(inst, best.nodes, best.len, used);
    *start = judge(inst, nodes, len, 0.0);
    refine_free(routes);
    construct_free(c);
    free(nodes);
    return r;
}

/* PyVRP on a file of the whole set, or what it wrote before; returns the number of plans. */
static size_t peer(const ucpo_dataset *set, const char *path, double seconds, const char *saved,
                   struct result *to)
{
    char command[4500];
    const char *script = access("bench/peers/routes_pyvrp.py", R_OK) == 0
                             ? "bench/peers/routes_pyvrp.py"
                             : "../bench/peers/routes_pyvrp.py";
    size_t done = 0, count = ucpo_dataset_count(set);
    snprintf(command, sizeof command, "python3 %s %s %g", script, path, seconds);
    if (saved) snprintf(command, sizeof command, "cat %s", saved);
    FILE *pipe = popen(command, "r"); /* NOLINT(cert-env33-c) */
    char *line = malloc(MOST_LINE);
    int32_t *nodes = malloc(MOST_LINE * sizeof *nodes);
    if (!pipe || !line || !nodes) exit(1); /* NOLINT(concurrency-mt-unsafe) */
    while (done < count && fgets(line, MOST_LINE, pipe)) {
        char *at = line;
        size_t index = strtoul(at, &at, 10), len = 0;
        strtol(at, &at, 10);
        double used = strtod(at, &at);
        for (char *next = at;; at = next) {
            long node = strtol(at, &next, 10);
            if (next == at) break;
            nodes[len++] = (int32_t)node;
        }
        to[index] = judge(ucpo_dataset_at(set, index), nodes, len, used);
        done++;
    }
    free(line);
    free(nodes);
    if (pclose(pipe) != 0) done = 0;
    return done;
}

struct summary {
    double cost, seconds, routes, start;
    size_t infeasible, count;
};

static void add(struct summary *s, const struct result *r)
{
    s->count++;
    s->seconds += r->seconds;
    s->infeasible += !r->is_feasible;
    s->cost += r->cost;
    s->routes += r->routes;
}

static void print(const char *who, const struct summary *s)
{
    double k = s->count ? (double)s->count : 1.0;
    printf("  %-8s %6zu  infeasible %6.2f %%  mean cost %10.4f  routes %6.2f  CPU s %.3f\n", who,
           s->count, 100.0 * (double)s->infeasible / k, s->cost / k, s->routes / k, s->seconds / k);
}

static void compare(const struct result *a, const struct result *b, size_t count)
{
    double sum = 0.0, worst = -HUGE_VAL;
    size_t better = 0, equal = 0, known = 0;
    for (size_t i = 0; i < count; i++) {
        if (!b[i].is_known || !b[i].is_feasible || !a[i].is_feasible) continue;
        double gap = 100.0 * (a[i].cost / b[i].cost - 1.0);
        sum += gap, known++;
        worst = gap > worst ? gap : worst;
        better += gap < -1e-4;
        equal += fabs(gap) <= 1e-4;
    }
    printf("  gap      %6zu  mean %.3f %%  worst %.3f %%  better on %zu, equal on %zu\n", known,
           known ? sum / (double)known : 0.0, worst, better, equal);
}

static void run_set(const char *title, const char *name, const ucpo_dataset *set, double seconds,
                    double peer_seconds, const char *folder)
{
    char saved[4200];
    snprintf(saved, sizeof saved, "%s/%s.pyvrp", folder ? folder : "", name);
    size_t count = ucpo_dataset_count(set);
    struct result *a = calloc(count, sizeof *a), *b = calloc(count, sizeof *b), start;
    struct summary mine = {0}, theirs = {0}, begin = {0};
    char path[] = "/tmp/bench_routes_XXXXXX";
    int file = mkstemp(path);
    ucpo_write_config w = ucpo_write_config_default();
    w.format = "json";
    if (!a || !b || file < 0 || ucpo_write(path, set, &w, NULL)) exit(1); /* NOLINT */
    close(file);
    printf("%s\n", title);
    for (size_t i = 0; i < count; i++) {
        a[i] = ours(ucpo_dataset_at(set, i), seconds, &start);
        add(&mine, &a[i]);
        add(&begin, &start);
    }
    print("start", &begin);
    print("ours", &mine);
    fflush(stdout);
    if (peer_seconds > 0.0) {
        if (peer(set, path, peer_seconds, folder ? saved : NULL, b) < count)
            printf("  PyVRP is not there (pip install pyvrp): no comparison\n");
        for (size_t i = 0; i < count; i++)
            if (b[i].is_known) add(&theirs, &b[i]);
        if (theirs.count) print("PyVRP", &theirs), compare(a, b, count);
    }
    for (size_t i = 0; strcmp(name, "solomon") == 0 && i < count; i++)
        printf("  %-8s ours %9.2f %3d %s  PyVRP %9.2f %3d %s\n",
               ucpo_instance_view(ucpo_dataset_at(set, i))->name, a[i].cost, (int)a[i].routes,
               a[i].is_feasible ? "ok " : "BAD", b[i].cost, (int)b[i].routes,
               !b[i].is_known     ? "-"
               : b[i].is_feasible ? "ok"
                                  : "BAD");
    fflush(stdout);
    unlink(path);
    free(a);
    free(b);
}

static void run_generated(const char *problem, size_t count, double seconds, double peer_seconds,
                          const char *folder)
{
    ucpo_generate_config g = ucpo_generate_config_default();
    ucpo_dataset *set = NULL;
    char title[128];
    g.problem = problem, g.level = "cvrp", g.size = 50, g.count = count, g.seed = SEED;
    if (ucpo_generate(&g, &set, NULL)) exit(1); /* NOLINT(concurrency-mt-unsafe) */
    snprintf(title, sizeof title, "%s-50, %zu instances, %g s; PyVRP %g s", problem, count, seconds,
             peer_seconds);
    run_set(title, problem, set, seconds, peer_seconds, folder);
    ucpo_dataset_free(set);
}

/* The files have no header: name and capacity by class. */
static int add_solomon(ucpo_dataset *set, const char *class, int number)
{
    static const double capacities[2][3] = {{200, 200, 200}, {700, 1000, 1000}};
    int family = class[0] == 'C' ? 0 : class[1] == 'C' ? 2 : 1;
    char path[512];
    snprintf(path, sizeof path, "../shared/data/benchmarks/solomon_vrptw/%s%d.txt", class, number);
    ucpo_read_config o = ucpo_read_config_default();
    o.format = "solomon", o.capacity = capacities[number / 100 - 1][family];
    ucpo_dataset *one = NULL;
    ucpo_instance *copy = NULL;
    if (access(path, R_OK) != 0 || ucpo_read(path, &o, &one, NULL)) return 0;
    ucpo_instance_data d = *ucpo_instance_view(ucpo_dataset_at(one, 0));
    char name[16];
    snprintf(name, sizeof name, "%s%d", class, number);
    d.name = name;
    int ok = !ucpo_instance_create(&d, &copy, NULL) && !ucpo_dataset_add(set, copy, NULL);
    ucpo_dataset_free(one);
    return ok;
}

static void run_solomon(double seconds, double peer_seconds, const char *folder)
{
    static const struct {
        const char *class;
        int first, last;
    } files[] = {{"C", 101, 109}, {"C", 201, 208},  {"R", 101, 112},
                 {"R", 201, 211}, {"RC", 101, 108}, {"RC", 201, 208}};

    ucpo_dataset *set = NULL;
    if (ucpo_dataset_create(&set, NULL)) return;
    for (size_t k = 0; k < sizeof files / sizeof *files; k++)
        for (int i = files[k].first; i <= files[k].last; i++) add_solomon(set, files[k].class, i);
    if (ucpo_dataset_count(set) == 0)
        printf("Solomon: no files in ../shared/data/benchmarks/solomon_vrptw\n");
    else
        run_set("Solomon, 100 customers", "solomon", set, seconds, peer_seconds, folder);
    ucpo_dataset_free(set);
}

/* Speed of set-up, and what is left of a constructive plan. */
static void run_large(int32_t size, double seconds)
{
    ucpo_generate_config g = ucpo_generate_config_default();
    ucpo_dataset *set = NULL;
    struct refine *routes = NULL;
    g.problem = "cvrptw", g.level = "jampr", g.size = size, g.count = 1, g.seed = SEED;
    g.capacity = 200;
    if (ucpo_generate(&g, &set, NULL)) exit(1); /* NOLINT(concurrency-mt-unsafe) */
    double begin = clock_thread_seconds();
    if (refine_create(ucpo_dataset_at(set, 0), NULL, &routes, NULL)) exit(1); /* NOLINT */
    double used = clock_thread_seconds() - begin;
    refine_free(routes);
    struct result start, end = ours(ucpo_dataset_at(set, 0), used + seconds, &start);
    printf("cvrptw-%d, set-up %.3f s, then %g s: cost %.3f -> %.3f, routes %d -> %d, %s\n",
           (int)size, used, end.seconds - used, start.cost, end.cost, (int)start.routes,
           (int)end.routes, end.is_feasible ? "feasible" : "INFEASIBLE");
    ucpo_dataset_free(set);
}

int main(int argc, char **argv)
{
    size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 30;
    double seconds = argc > 2 ? strtod(argv[2], NULL) : 0.2;
    double peer_seconds = argc > 3 ? strtod(argv[3], NULL) : 1.0;
    double long_seconds = argc > 4 ? strtod(argv[4], NULL) : 0.0;
    const char *folder = argc > 5 ? argv[5] : NULL;
    if (count > 0) {
        run_generated("cvrptw", count, seconds, peer_seconds, folder);
        run_generated("cvrptwlv", count, seconds, peer_seconds, folder);
    }
    if (long_seconds > 0.0) {
        run_solomon(long_seconds, peer_seconds, folder);
        run_large(200, long_seconds);
        run_large(1000, long_seconds);
        run_large(5000, long_seconds);
        run_large(10000, long_seconds);
    }
    return 0;
}
