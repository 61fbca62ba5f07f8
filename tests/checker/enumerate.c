/* Random small instances against trying every plan:
 *
 *     enumerate [--count N] [--seed S] [--first I] [--log SECONDS]   compares N instances from index I on
 *     enumerate --print I [--seed S]                                 writes instance I as JSON for `ucpo`
 *
 * Compared are ucpo_check with random plans, ucpo_explain, ucpo_solve with random settings and bad plans to start
 * from, ucpo_refine, and the bounds below bad upper bounds. A difference is told with its index; the exit status
 * is 1 if there was any. One thread. An instance is a function of seed and index: --first goes on. */
#include "enumerate.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bound/bound.h"
#include "ucpo.h"

#define CLOSE 1e-9 /* sums of the same legs in another order, as a share */

struct tally {
    uint64_t seed, index;
    long feasible, infeasible, failures, proofs, bounds;
    int has_failed; /* the instance at hand */
    double largest_gap;
};

/* ---- what is said about a difference ---- */

__attribute__((format(printf, 2, 3))) static void fail(struct tally *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("seed %llu, index %llu: ", (unsigned long long)t->seed, (unsigned long long)t->index);
    vprintf(format, args);
    va_end(args);
    printf("; enumerate --seed %llu --print %llu\n", (unsigned long long)t->seed,
           (unsigned long long)t->index);
    fflush(stdout);
    t->has_failed = 1;
}

static int is_close(double a, double b)
{
    return fabs(a - b) <= CLOSE * fmax(fabs(a), fabs(b));
}

static int is_above(double a, double b)
{
    return a > b && !is_close(a, b);
}

/* ---- the library's instance ---- */

static ucpo_instance *make(const struct small *s, ucpo_error *err)
{
    ucpo_instance_data d = ucpo_instance_data_default();
    d.problem = s->problem;
    d.n = s->n;
    if (s->has_xy) d.x = s->x, d.y = s->y;
    if (s->has_cost) d.cost = s->cost;
    if (s->has_duration) d.duration = s->duration;
    if (s->has_windows) d.ready = s->ready, d.due = s->due;
    if (s->has_service) d.service = s->service;
    if (s->has_setup) d.setup = s->setup, d.place = s->place;
    if (s->has_loads) d.demand = s->demand;
    if (s->has_limits) d.limit = s->limit;
    d.capacity = s->capacity;
    d.speed = s->speed;
    d.tolerance = s->tolerance;
    d.vehicles = s->vehicles;
    d.draft = s->is_unloading ? UCPO_DRAFT_UNLOAD : UCPO_DRAFT_LOAD;
    d.rounding = s->is_rounded ? UCPO_ROUND_NEAREST : UCPO_ROUND_NONE;
    ucpo_instance *inst = NULL;
    return ucpo_instance_create(&d, &inst, err) ? NULL : inst;
}

/* Legs as the library has them: the same, but for the last bit of a root. */
static void compare_legs(struct tally *t, struct rules *r, const ucpo_instance *inst)
{
    for (int i = 0; i < r->s->n; i++)
        for (int j = 0; j < r->s->n; j++) {
            if (i == j) continue;
            if (ucpo_instance_has_way(inst, i, j) == r->is_blocked[i][j])
                fail(t, "leg %d %d is blocked or not", i, j);
            if (r->is_blocked[i][j]) continue;
            double cost = ucpo_instance_cost(inst, i, j), time = ucpo_instance_duration(inst, i, j);
            if (!is_close(cost, r->cost[i][j]) || !is_close(time, r->time[i][j]))
                fail(t, "leg %d %d costs %.17g and takes %.17g", i, j, cost, time);
            r->cost[i][j] = cost;
            r->time[i][j] = time;
        }
}

/* ---- the checker ---- */

static void compare_check(struct tally *t, const struct rules *r, const ucpo_instance *inst,
                          const int32_t *plan, size_t len)
{
    ucpo_evaluation e;
    struct verdict own = rules_judge(r, plan, len);
    if (ucpo_check(inst, plan, len, &e, NULL, 0, NULL, 0, NULL)) {
        fail(t, "ucpo_check fails");
        return;
    }
    if (e.is_feasible != own.is_feasible)
        fail(t, "ucpo_check calls a plan %s", e.is_feasible ? "feasible" : "infeasible");
    if (own.is_feasible && !is_close(e.cost, own.cost))
        fail(t, "ucpo_check: cost %.17g, not %.17g", e.cost, own.cost);
    if (r->s->has_loads && e.load_tolerance != r->load_tolerance)
        fail(t, "loads are tolerated by %.17g, not %.17g", e.load_tolerance, r->load_tolerance);
}

static void compare_checks(struct tally *t, const struct rules *r, const ucpo_instance *inst,
                           const struct answer *a, struct draws *d)
{
    int32_t plan[SMALL_PLAN];
    for (int k = 0; k < 6; k++) {
        size_t len = small_draw_plan(r->s, d, plan);
        if (k == 0 && len > 1) len--;                   /* somebody is missing */
        if (k == 1 && len > 1) plan[0] = plan[len - 1]; /* or there twice */
        compare_check(t, r, inst, plan, len);
    }
    if (!a->is_feasible) return;
    compare_check(t, r, inst, a->plan, a->len);
    compare_check(t, r, inst, a->bad, a->bad_len);
}

/* ---- proofs that there is no plan ---- */

static void compare_explain(struct tally *t, const ucpo_instance *inst, const struct answer *a,
                            const int32_t *plan, size_t len)
{
    ucpo_explanation *e = NULL;
    ucpo_error err = {0};
    if (ucpo_explain(inst, plan, len, &e, &err)) {
        fail(t, "ucpo_explain: %s", err.text);
        return;
    }
    int is_proof = ucpo_explanation_is_proof(e);
    if (is_proof && a->is_feasible) fail(t, "a false proof: %s", ucpo_explanation_at(e, 0)->text);
    if (!is_proof && !a->is_feasible) fail(t, "infeasible, and ucpo_explain does not prove it");
    ucpo_explanation_free(e);
}

/* ---- the solver ---- */

static void compare_claims(struct tally *t, const ucpo_solution *s, const struct answer *a)
{
    const ucpo_evaluation *e = &s->evaluation;
    if (e->is_feasible && !a->is_feasible) fail(t, "a plan where there is none");
    if (s->end == UCPO_SOLVE_INFEASIBLE && a->is_feasible) fail(t, "ucpo_solve: a false proof");
    if (a->is_feasible && e->is_feasible && is_above(a->best, e->cost))
        fail(t, "a plan for %.17g, the best costs %.17g", e->cost, a->best);
    if (a->is_feasible && is_above(s->bound, a->best))
        fail(t, "bound %.17g, the best costs %.17g", s->bound, a->best);
    if (e->is_feasible && s->bound > e->cost)
        fail(t, "bound %.17g above the cost %.17g", s->bound, e->cost);
    if (s->end == UCPO_SOLVE_OPTIMAL && (!e->is_feasible || !is_close(e->cost, a->best)))
        fail(t, "called optimal: %.17g, the best costs %.17g", e->cost, a->best);
    if (s->end == UCPO_SOLVE_OPTIMAL && s->bound != e->cost) fail(t, "optimal, and a gap");
    if (s->disputed) fail(t, "environment and checker disagree");
}

/* What nobody may miss. */
static void compare_answer(struct tally *t, const ucpo_solution *s, const struct answer *a)
{
    if (a->is_feasible && !s->evaluation.is_feasible)
        fail(t, "missed: the best costs %.17g", a->best);
    else if (a->is_feasible && s->end != UCPO_SOLVE_OPTIMAL)
        fail(t, "the best plan, not proved (end %d, cost %.17g)", (int)s->end, s->evaluation.cost);
    if (!a->is_feasible && s->end != UCPO_SOLVE_INFEASIBLE)
        fail(t, "infeasible, not proved (end %d)", (int)s->end);
    t->proofs++;
}

static void compare_solve(struct tally *t, const struct rules *r, const ucpo_instance *inst,
                          const struct answer *a, struct draws *d)
{
    int32_t plan[SMALL_PLAN];
    size_t len = small_draw_plan(r->s, d, plan);
    ucpo_solve_config c = ucpo_solve_config_default();
    c.threads = 1;
    c.kernels = "portable"; /* no model: the processor need not be asked each time */
    c.seed = t->index;
    if (draw_below(d, 20)) c.time_limit = 1e-6; /* no time for searches */
    if (draw_below(d, 2)) c.initial = plan, c.initial_len = len;
    if (a->is_feasible && draw_below(d, 4) == 0) c.initial = a->bad, c.initial_len = a->bad_len;
    c.refine = draw_below(d, 8) != 0;
    c.prove = draw_below(d, 20) != 0;
    c.first_feasible = draw_below(d, 20) == 0;
    ucpo_solution *s = NULL;
    ucpo_error err = {0};
    if (ucpo_solve(NULL, inst, &c, &s, &err)) {
        fail(t, "ucpo_solve: %s", err.text);
        return;
    }
    compare_claims(t, s, a);
    int is_early = c.first_feasible && s->end == UCPO_SOLVE_FEASIBLE;
    if (c.prove && !is_early) compare_answer(t, s, a);
    if (!c.prove && s->bound != 0.0) fail(t, "a bound that nobody asked for");
    compare_check(t, r, inst, s->nodes, s->len);
    ucpo_solution_free(s);
}

static void compare_refine(struct tally *t, const struct rules *r, const ucpo_instance *inst,
                           const struct answer *a, struct draws *d)
{
    int32_t plan[SMALL_PLAN];
    size_t len = small_draw_plan(r->s, d, plan);
    ucpo_refine_config c = ucpo_refine_config_default();
    ucpo_solution *s = NULL;
    ucpo_error err = {0};
    c.moves = 500;
    if (ucpo_refine(inst, plan, len, &c, &s, &err)) {
        fail(t, "ucpo_refine: %s", err.text);
        return;
    }
    compare_claims(t, s, a);
    compare_check(t, r, inst, s->nodes, s->len);
    ucpo_solution_free(s);
}

/* ---- bounds below the costs of bad plans ---- */

static void compare_bound(struct tally *t, const ucpo_instance *inst, const struct answer *a,
                          double upper)
{
    int32_t tour[SMALL_NODES];
    struct bound b = {.better = tour};
    if (bound_compute(instance_for_bounds(inst), upper, NULL, &b, NULL)) {
        fail(t, "bound_compute fails");
        return;
    }
    t->bounds++;
    double claimed = b.has_better ? b.cost : upper;
    if (is_above(b.cost, a->best))
        fail(t, "a plan costs %.17g: bound %.17g, the best costs %.17g", upper, b.cost, a->best);
    if (b.is_optimal && !is_close(claimed, a->best))
        fail(t, "a plan costs %.17g: called optimal %.17g, the best costs %.17g", upper, claimed,
             a->best);
    if (a->best > 0.0) t->largest_gap = fmax(t->largest_gap, 1.0 - b.cost / a->best);
}

/* A cost that somebody claims, maybe below what is possible: the bound is true all the same. */
static void compare_claim(struct tally *t, const ucpo_instance *inst, const struct answer *a,
                          double claim)
{
    double bound = 0.0;
    if (ucpo_bound(inst, claim, &bound, NULL)) fail(t, "ucpo_bound fails");
    t->bounds++;
    if (is_above(bound, a->best))
        fail(t, "claimed %.17g: bound %.17g, the best costs %.17g", claim, bound, a->best);
}

static void compare_bounds(struct tally *t, const ucpo_instance *inst, const struct answer *a,
                           struct draws *d)
{
    if (!a->is_feasible) return;
    switch (draw_below(d, 5)) {
    case 0: compare_claim(t, inst, a, a->best * draw_between(d, 0.3, 1.5)); break;
    case 4: compare_bound(t, inst, a, a->best); break;
    case 1: compare_bound(t, inst, a, a->worst); break;
    case 2: compare_bound(t, inst, a, a->second < HUGE_VAL ? a->second : a->best); break;
    default: compare_bound(t, inst, a, 1.2 * a->best + 2.0 + fabs(a->worst - a->best)); break;
    }
}

/* ---- one instance, all instances ---- */

static void compare_one(struct tally *t)
{
    static struct small s;
    static struct rules r;
    static struct answer a;
    struct draws d = draws_at(t->seed, t->index);
    ucpo_error err = {0};
    t->has_failed = 0;
    small_draw(&s, &d);
    ucpo_instance *inst = make(&s, &err);
    if (!inst) {
        fail(t, "no instance: %s", err.text);
        t->failures++;
        return;
    }
    rules_of(&r, &s, ucpo_instance_view(inst)->tolerance);
    compare_legs(t, &r, inst);
    rules_try_all(&r, &a);
    compare_checks(t, &r, inst, &a, &d);
    int32_t plan[SMALL_PLAN];
    size_t len = small_draw_plan(&s, &d, plan);
    int has_plan = draw_below(&d, 50) == 0;
    compare_explain(t, inst, &a, has_plan ? plan : NULL, has_plan ? len : 0);
    compare_solve(t, &r, inst, &a, &d);
    if (draw_below(&d, 8) == 0) compare_refine(t, &r, inst, &a, &d);
    compare_bounds(t, inst, &a, &d);
    t->feasible += a.is_feasible;
    t->infeasible += !a.is_feasible;
    t->failures += t->has_failed;
    ucpo_instance_free(inst);
}

static int print_one(uint64_t seed, uint64_t index)
{
    struct small s;
    struct draws d = draws_at(seed, index);
    ucpo_error err = {0};
    ucpo_dataset *set = NULL;
    char *bytes = NULL;
    size_t size = 0;
    small_draw(&s, &d);
    ucpo_write_config c = ucpo_write_config_default();
    c.format = "json";
    ucpo_instance *inst = make(&s, &err);
    int is_good = inst && !ucpo_dataset_create(&set, &err) && !ucpo_dataset_add(set, inst, &err) &&
                  !ucpo_write_bytes(set, &c, &bytes, &size, &err);
    if (is_good)
        fwrite(bytes, 1, size, stdout);
    else
        fprintf(stderr, "enumerate: %s\n", err.text);
    ucpo_bytes_free(bytes);
    ucpo_dataset_free(set);
    return is_good ? 0 : 1;
}

static void log_line(const struct tally *t, uint64_t first, double seconds)
{
    printf("%llu instances up to index %llu in %.0f s: %ld feasible, %ld not; %ld proofs, %ld "
           "bounds; %ld failures\n",
           (unsigned long long)(t->index - first), (unsigned long long)t->index, seconds,
           t->feasible, t->infeasible, t->proofs, t->bounds, t->failures);
    fflush(stdout);
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int compare_many(uint64_t seed, uint64_t first, uint64_t count, double every)
{
    struct tally t = {.seed = seed, .index = first};
    double begin = seconds_now(), logged = begin;
    for (; t.index < first + count; t.index++) {
        compare_one(&t);
        double now = seconds_now();
        if (now - logged < every) continue;
        log_line(&t, first, now - begin);
        logged = now;
    }
    log_line(&t, first, seconds_now() - begin);
    int is_one_sided = count >= 1000 && (t.feasible < t.infeasible / 9 || t.infeasible == 0);
    if (is_one_sided) printf("the instances are too much alike\n");
    return t.failures > 0 || is_one_sided;
}

int main(int argc, char **argv)
{
    uint64_t seed = 1, first = 0, count = 3000, index = 0;
    double every = 60.0;
    int is_print = 0;
    for (int i = 1; i < argc; i += 2) {
        char *end = NULL;
        uint64_t value = i + 1 < argc ? strtoull(argv[i + 1], &end, 10) : 0;
        int is_good = end && end != argv[i + 1] && *end == '\0';
        if (is_good && strcmp(argv[i], "--count") == 0) {
            count = value;
        } else if (is_good && strcmp(argv[i], "--seed") == 0) {
            seed = value;
        } else if (is_good && strcmp(argv[i], "--first") == 0) {
            first = value;
        } else if (is_good && strcmp(argv[i], "--log") == 0) {
            every = (double)value;
        } else if (is_good && strcmp(argv[i], "--print") == 0) {
            is_print = 1, index = value;
        } else {
            fprintf(stderr, "usage: enumerate [--count N] [--seed S] [--first I] [--log SECONDS] | "
                            "--print I [--seed S]\n");
            return 2;
        }
    }
    return is_print ? print_one(seed, index) : compare_many(seed, first, count, every);
}
