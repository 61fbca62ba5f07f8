/* Create, start, run: annealing over perturbations. */
#include "refine/tour.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Hot is hotter than usual: tours with windows fall into a few sweeps of the map, and changing who
 * belongs to which takes long ways uphill. */
static const struct cooling cooling = {.hot = 6.0, .cold = 0.10, .growth = 2.0, .is_fitted = 1};

/* Penalties, in costs of a short leg per resource it takes. */
#define FIRST_WEIGHT   20.0
#define LEAST_WEIGHT   2.0
#define MOST_WEIGHT    100.0
#define JUDGED_AGAIN   0.95 /* of the warp last judged, if no tour is feasible */
#define FEASIBLE_SHARE 0.4  /* of the tours tried: fewer raise the weight */

enum { WORK_PER_DESCENT = 6000 }; /* between two, per node: a descent takes a few hundred */

static void lay_out_drafts(struct tour *t, struct arena *arena)
{
    size_t n = (size_t)t->n;
    int has_drafts = !t->inst->data.due;
    double **array[] = {&t->load, &t->slack, &t->kept_load, &t->kept_slack};
    for (size_t i = 0; i < sizeof array / sizeof array[0]; i++)
        *array[i] = has_drafts ? arena_take(arena, n + 1, sizeof(double)) : NULL;
}

static void lay_out(struct tour *t, struct arena *arena)
{
    size_t n = (size_t)t->n;
    tour_layout_tables(t, arena);
    t->at = arena_take(arena, n + 1, sizeof(int32_t));
    t->pos = arena_take(arena, n, sizeof(int32_t));
    t->edge = arena_take(arena, n + 1, sizeof(double));
    t->head = arena_take(arena, n + 1, sizeof(struct moment));
    t->rest = arena_take(arena, n + 1, sizeof(struct tail));
    t->queue = arena_take(arena, n, sizeof(int32_t));
    t->is_queued = arena_take(arena, n, 1);
    t->scratch = arena_take(arena, n, sizeof(int32_t));
    t->out = arena_take(arena, n, sizeof(int32_t));
    t->sort_key = arena_take(arena, n, sizeof(double));
    t->is_chosen = arena_take(arena, n, 1);
    t->kept = arena_take(arena, n + 1, sizeof(int32_t));
    t->kept_edge = arena_take(arena, n + 1, sizeof(double));
    t->kept_head = arena_take(arena, n + 1, sizeof(struct moment));
    t->kept_rest = arena_take(arena, n + 1, sizeof(struct tail));
    t->best = arena_take(arena, n, sizeof(int32_t));
    t->visited = arena_take(arena, n, 1);
    lay_out_drafts(t, arena);
}

ucpo_status tour_bind(struct tour *t, const ucpo_instance *inst, const struct stop *stop,
                      ucpo_error *err)
{
    struct arena need = {0};
    t->inst = inst;
    t->n = inst->data.n;
    lay_out(t, &need);
    if (need.overflowed || need.used > t->arena.size) {
        arena_free(&t->arena);
        t->arena = need;
        ucpo_status st = arena_reserve(&t->arena, err);
        if (st) return st;
    }
    t->arena.used = 0;
    lay_out(t, &t->arena);
    if (!tour_fill_tables(t, stop)) return UCPO_E_CANCELLED;
    return UCPO_OK;
}

ucpo_status tour_create(const ucpo_instance *inst, const struct stop *stop, struct tour **out,
                        ucpo_error *err)
{
    struct tour *t = mem_zeroed(1, sizeof *t);
    if (!t) return status_no_memory(err, sizeof *t);
    ucpo_status st = tour_bind(t, inst, stop, err);
    if (st) {
        tour_free(t);
        return st;
    }
    *out = t;
    return UCPO_OK;
}

void tour_free(struct tour *t)
{
    if (!t) return;
    arena_free(&t->arena);
    free(t);
}

/* ---- the best ---- */

void tour_judge(struct tour *t)
{
    ucpo_evaluation found;
    prob_check(t->inst, &t->at[1], (size_t)(t->len - 1), &found, t->visited, NULL, 0, NULL, 0);
    double objective = found.cost / t->inst->data.unit;
    double violation = found.is_feasible ? 0.0 : found.violation;
    if (t->has_best &&
        ucpo_compare(NULL, objective, violation, t->best_objective, t->best_violation) >= 0)
        return;
    t->has_best = 1;
    t->best_objective = objective;
    t->best_violation = violation;
    memcpy(t->best, &t->at[1], (size_t)(t->len - 1) * sizeof t->best[0]);
}

/* Cheap. Without a feasible tour, warp says which tours are worth the checker's time. */
static int may_be_best(struct tour *t)
{
    const ucpo_instance_data *d = &t->inst->data;
    if (t->best_violation <= 0.0) {
        double shortest = t->best_objective - 1e-10 * fabs(t->best_objective);
        return t->warp <= 1e-9 * fabs(t->due[t->at[t->n - 1]]) && t->total / d->unit < shortest;
    }
    if (t->warp > 0.0 && t->warp >= JUDGED_AGAIN * t->judged_warp) return 0;
    t->judged_warp = t->warp;
    return 1;
}

/* ---- start ---- */

static void repair(struct tour *t, const int32_t *nodes, size_t len)
{
    int32_t end = 1;
    memset(t->pos, 0, (size_t)t->n * sizeof t->pos[0]);
    for (size_t i = 0; i < len; i++) {
        int32_t node = nodes[i];
        if (node <= 0 || node >= t->n || t->pos[node] != 0) continue;
        t->pos[node] = end;
        t->at[end++] = node;
    }
    t->gap = end;
    t->gap_end = t->n;
    tour_derive(t);
    for (int32_t node = 1; node < t->n; node++)
        if (t->pos[node] == 0) tour_insert(t, node);
    t->gap = t->gap_end = t->n;
    tour_derive(t);
}

ucpo_status tour_start(struct tour *t, const int32_t *nodes, size_t len, uint64_t seed,
                       ucpo_error *err)
{
    (void)err;
    struct rng rng = rng_at(seed, RNG_SEARCH, 0);
    uint64_t high = rng_u32(&rng), low = rng_u32(&rng);
    t->dice.state = ((high << 32) | low) | 1u;
    t->weight = FIRST_WEIGHT * t->scale;
    t->has_best = 0;
    t->len = t->n;
    t->iteration = 0;
    t->cycle_begin = 0;
    t->cycle_length = 0;
    t->tries = t->tries_feasible = 0;
    t->priced = t->work = t->ask_at = 0;
    t->descend_at = t->n > TOUR_EXACT_NODES ? 0 : (int64_t)WORK_PER_DESCENT * t->n;
    memset(t->is_chosen, 0, (size_t)t->n);
    memset(t->is_queued, 0, (size_t)t->n);
    t->queue_begin = t->queue_count = 0;
    repair(t, nodes, len);
    tour_keep(t);
    t->judged_warp = t->warp;
    tour_judge(t);
    t->is_drafted = t->load && t->n > 2 && draft_start(t);
    return UCPO_OK;
}

/* ---- run ---- */

static void adapt_weight(struct tour *t)
{
    t->tries_feasible += t->warp <= 0.0;
    if (++t->tries < 50) return;
    double share = (double)t->tries_feasible / t->tries;
    if (share < FEASIBLE_SHARE)
        t->weight *= 1.2;
    else
        t->weight *= 0.85;
    t->weight = less_of(more_of(t->weight, LEAST_WEIGHT * t->scale), MOST_WEIGHT * t->scale);
    t->tries = t->tries_feasible = 0;
}

/* The kept tour, until no move helps. */
static void descend(struct tour *t)
{
    t->changed_from = t->rests_from = t->n;
    t->changed_to = t->heads_to = 0;
    tour_queue_all(t);
    tour_descend(t);
    if (may_be_best(t)) tour_judge(t);
    if (t->changed_to > 0) tour_keep(t);
    t->descend_at = t->work + (int64_t)WORK_PER_DESCENT * t->n;
}

static void search(struct tour *t)
{
    while (!tour_is_over(t)) {
        if (t->work >= t->descend_at) descend(t);
        double luck = -log(1.0 - dice_uniform(&t->dice));
        double old = t->kept_total + t->weight * t->kept_warp;
        double most = old + tour_temperature(t, &cooling) * luck;
        int is_done = tour_perturb(t, most);
        adapt_weight(t);
        if (is_done && may_be_best(t)) tour_judge(t);
        if (is_done && t->total + t->weight * t->warp < most)
            tour_keep(t);
        else
            tour_go_back(t);
        t->iteration++;
    }
    if (t->best_violation > 0.0) tour_judge(t);
}

ucpo_status tour_run(struct tour *t, int64_t effort, const struct stop *stop, ucpo_error *err)
{
    (void)err;
    t->stop = stop;
    t->is_stopped = 0;
    t->work_begin = t->ask_at = t->work;
    t->effort_begin = t->priced;
    t->effort_end = effort < INT64_MAX - t->priced ? t->priced + effort : INT64_MAX;
    if (t->n <= 2) return UCPO_OK;
    if (t->is_drafted)
        draft_run(t);
    else
        search(t);
    return UCPO_OK;
}

struct refined tour_best(const struct tour *t)
{
    return (struct refined){t->best, (size_t)(t->n - 1), t->best_objective, t->best_violation};
}
