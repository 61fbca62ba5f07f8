/* Start, run: annealing over perturbations. */
#include "refine/tour.h"

#include <string.h>

/* Hot is hotter than usual: tours with windows fall into a few sweeps of the map, and changing who
 * belongs to which takes long ways uphill. */
static const struct cooling cooling = {.hot = 6.0, .cold = 0.10, .growth = 2.0};

/* Penalties, in costs of a short leg per resource it takes. */
#define FIRST_WEIGHT   20.0
#define LEAST_WEIGHT   2.0
#define MOST_WEIGHT    100.0
#define JUDGED_AGAIN   0.95 /* of the warp last judged, if no tour is feasible */
#define FEASIBLE_SHARE 0.4  /* of the tours tried: fewer raise the weight */
#define FREE_LEG       0.5  /* of the mean leg without its floor */
#define REPAIR_SHARE   0.9  /* of the run: without a feasible tour it is not spent on heat */

enum { WORK_PER_DESCENT = 6000 }; /* between two, per node: a descent takes a few hundred */

static void lay_out_drafts(struct tour *t, struct arena *arena)
{
    size_t n = (size_t)t->n;
    int has_drafts = !t->ground->inst->data.due;
    double **array[] = {&t->load, &t->slack, &t->kept_load, &t->kept_slack};
    for (size_t i = 0; i < sizeof array / sizeof array[0]; i++)
        *array[i] = has_drafts ? arena_take(arena, n + 1, sizeof(double)) : NULL;
}

static void lay_out(struct tour *t, struct arena *arena)
{
    size_t n = (size_t)t->n;
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
    best_layout(&t->best, t->n, n, arena);
    lay_out_drafts(t, arena);
}

struct tour *tour_create(void)
{
    return mem_zeroed(1, sizeof(struct tour));
}

void tour_bind(struct tour *t, const struct ground *ground, struct arena *arena)
{
    t->ground = ground;
    t->site = ground->site;
    t->n = ground->n;
    lay_out(t, arena);
}

/* ---- the best ---- */

void tour_judge(struct tour *t)
{
    best_offer(&t->best, t->ground->inst, &t->at[1], (size_t)(t->len - 1));
}

/* Cheap. Without a feasible tour, warp says which tours are worth the checker's time. */
static int may_be_best(struct tour *t)
{
    const ucpo_instance_data *d = &t->ground->inst->data;
    if (t->best.violation <= 0.0) {
        double shortest = t->best.objective - 1e-10 * fabs(t->best.objective);
        return t->warp <= 1e-9 * fabs(t->site[t->at[t->n - 1]].due) &&
               t->total / d->unit < shortest;
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

void tour_start(struct tour *t, const int32_t *nodes, size_t len, uint64_t seed)
{
    t->dice = dice_at(seed);
    t->pace = (struct pace){0};
    t->heat = (struct heat){0};
    t->best.is_known = 0;
    t->weight = FIRST_WEIGHT * t->ground->scale;
    t->len = t->n;
    t->tries = t->tries_feasible = 0;
    t->descend_at = t->n > TOUR_EXACT_NODES ? 0 : (int64_t)WORK_PER_DESCENT * t->n;
    memset(t->is_chosen, 0, (size_t)t->n);
    memset(t->is_queued, 0, (size_t)t->n);
    t->queue_begin = t->queue_count = 0;
    repair(t, nodes, len);
    tour_keep(t);
    t->judged_warp = t->warp;
    tour_judge(t);
    t->is_drafted = t->load && t->n > 2 && draft_start(t);
}

/* ---- run ---- */

static void adapt_weight(struct tour *t)
{
    t->tries_feasible += t->warp <= 0.0;
    if (++t->tries < 50) return;
    double share = (double)t->tries_feasible / t->tries, scale = t->ground->scale;
    if (share < FEASIBLE_SHARE)
        t->weight *= 1.2;
    else
        t->weight *= 0.85;
    t->weight = less_of(more_of(t->weight, LEAST_WEIGHT * scale), MOST_WEIGHT * scale);
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
    t->descend_at = t->pace.work + (int64_t)WORK_PER_DESCENT * t->n;
}

double tour_mean_leg(const struct tour *t)
{
    double mean = t->kept_total / t->n, floor = t->ground->leg_floor;
    return floor > 0.0 ? less_of(mean, FREE_LEG * more_of(mean - floor, 0.0)) : mean;
}

/* Once over a run of known length, otherwise in cycles. */
static void cool(struct tour *t)
{
    double share = pace_share(&t->pace), leg = tour_mean_leg(t);
    if (share < 0.0)
        heat_in_cycles(&t->heat, &cooling, t->n, leg, &t->pace);
    else if (t->best.violation > 0.0 && share < REPAIR_SHARE)
        t->heat.now = leg * cooling.cold;
    else
        t->heat.now = leg * heat_between(cooling.hot, cooling.cold, share);
}

static void search(struct tour *t)
{
    for (; !pace_is_over(&t->pace); t->heat.step++) {
        if (t->pace.work >= t->descend_at) descend(t);
        if (heat_is_due(&t->heat)) cool(t);
        double old = t->kept_total + t->weight * t->kept_warp;
        double most = old + t->heat.now * dice_exponential(&t->dice);
        int is_done = tour_perturb(t, most);
        adapt_weight(t);
        if (is_done && may_be_best(t)) tour_judge(t);
        if (is_done && t->total + t->weight * t->warp < most)
            tour_keep(t);
        else
            tour_go_back(t);
    }
    if (t->best.violation > 0.0) tour_judge(t);
}

void tour_run(struct tour *t, int64_t effort, const struct stop *stop)
{
    pace_begin(&t->pace, effort, stop);
    if (t->is_drafted)
        draft_run(t);
    else
        search(t);
}

const struct best *tour_best(const struct tour *t)
{
    return &t->best;
}
