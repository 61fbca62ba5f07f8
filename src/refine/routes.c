#include "refine/routes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "refine/routes_descend.h"

enum {
    CONFIRM_EVERY = 300000, /* effort between two checks of the best plan */
    CONFIRM_ALL = 500,      /* up to so many nodes every promising infeasible plan is checked */
    ADAPT_EVERY = 64,       /* rounds between two looks at the penalties */
    ROUNDS_PER_HEAT = 16,   /* rounds of one temperature */
    DISSOLVE_OF_TEN = 2,    /* ruins of a whole route, while no plan keeps to the fleet */
    CROSS_OF_TEN = 3        /* ruins in which rests of routes may be exchanged, of ten */
};

/* A run whose length is known cools once, in mean legs of the best plan; the shorter it is, the less
 * heat there is time for: `hot_by_rounds` x root of the rounds per customer. */
static const double once_hot = 2.0, once_cold = 0.1, hot_by_rounds = 0.1, least_hot = 0.15;

/* And the smaller its ruins are: customers taken out on average. */
static const double most_cut = 10.0, cut_by_rounds = 1.3, least_cut = 4.0;

/* Shares of such a run at which it goes back to the best plan, the last time with a descent. */
static const double returns[] = {0.2, 0.4, 0.6, 0.8, 0.97};

enum { RETURNS = sizeof returns / sizeof *returns };

/* Otherwise: temperatures in typical legs; cycles in effort per node. A first, cold cycle is short: large
 * instances have no time for more. From the second on each is longer than the one before, so that a
 * good part of any time limit is one whole cycle. */
static const double first_hot = 0.05, hot = 0.8, cold = 0.01;
static const double first_cycle = 2000.0, second_cycle = 20000.0, growth = 1.4;

/* The share of plans that should be feasible. */
static const double least_feasible = 0.3, most_feasible = 0.4;

/* The step of the penalties, and how far they may move from their first values to get there. */
static const double penalty_step = 1.1, least_strength = 1e-4, most_strength = 1e6;

/* A plan as the checker knows it. */
struct confirmed {
    int32_t *nodes; /* 2 n */
    size_t len;
    double objective, violation;
};

struct routes {
    struct fleet fleet;
    struct nearby near;
    struct ruin ruin;
    struct descend descend;
    struct pace pace;
    struct arena arena;
    struct dice dice;
    struct confirmed best, draft;
    uint8_t *visited; /* n */

    /* The best plan of the search, as links of stops; the routes in `dirty` have changed since. */
    int32_t *best_next; /* 2 n */
    int32_t *dirty, *is_dirty;
    int32_t dirties;
    double best_value; /* its cost; HUGE_VAL: nothing feasible yet */
    int is_unconfirmed;

    /* Annealing in cycles, each longer than the one before, measured in effort. */
    double value, from, to, temperature; /* from .. to: of this cycle */
    int64_t cycle, cycle_used, cycles;
    int64_t confirmed_at, rounds_begin; /* rounds_begin: of the run */
    int returned;                       /* times the run went back to the best plan */
    int64_t rounds, feasible_rounds;
    double doubtful_value; /* best penalised value seen while nothing is feasible */
    double strength;       /* of the penalties beside those of the start */
    double leg;            /* a typical leg: the unit of temperatures and penalties */
};

static void lay_out(struct routes *s)
{
    struct arena *a = &s->arena;
    size_t n = (size_t)s->fleet.n;
    fleet_layout(&s->fleet, a);
    nearby_layout(&s->near, s->fleet.n, a);
    ruin_layout(&s->ruin, s->fleet.n, a);
    descend_layout(&s->descend, s->fleet.n, a);
    s->best.nodes = arena_take(a, 2 * n, sizeof(int32_t));
    s->draft.nodes = arena_take(a, 2 * n, sizeof(int32_t));
    s->visited = arena_take(a, n, 1);
    s->best_next = arena_take(a, 2 * n, sizeof(int32_t));
    s->dirty = arena_take(a, n, sizeof(int32_t));
    s->is_dirty = arena_take(a, n, sizeof(int32_t));
}

ucpo_status routes_bind(struct routes *s, const ucpo_instance *inst, const struct stop *stop,
                        ucpo_error *err)
{
    if (inst->ops->max_vehicles == 1)
        return status_fail(err, UCPO_E_ARGUMENT, "%s has one vehicle only", inst->data.problem);
    struct arena own = s->arena;
    s->arena = (struct arena){0};
    s->fleet.inst = inst;
    s->fleet.n = inst->data.n;
    lay_out(s);
    if (s->arena.overflowed || s->arena.used > own.size) {
        arena_free(&own);
        ucpo_status st = arena_reserve(&s->arena, err);
        if (st) return st;
    } else {
        memset(own.base, 0, s->arena.used); /* as new */
        s->arena = own;
        s->arena.used = 0;
    }
    lay_out(s);
    if (!fleet_init(&s->fleet, stop)) return UCPO_E_CANCELLED;
    return nearby_fill(&s->near, &s->fleet, s->ruin.key, s->ruin.out, stop) ? UCPO_OK
                                                                            : UCPO_E_CANCELLED;
}

ucpo_status routes_create(const ucpo_instance *inst, const struct stop *stop, struct routes **out,
                          ucpo_error *err)
{
    struct routes *s = mem_zeroed(1, sizeof *s);
    if (!s) return status_no_memory(err, sizeof *s);
    ucpo_status st = routes_bind(s, inst, stop, err);
    if (st) {
        routes_free(s);
        return st;
    }
    *out = s;
    return UCPO_OK;
}

void routes_free(struct routes *s)
{
    if (!s) return;
    arena_free(&s->arena);
    free(s);
}

/* ---- plans in and out ---- */

static size_t write_plan(const struct routes *s, int32_t *nodes)
{
    size_t len = 0;
    int32_t n = s->fleet.n;
    for (int32_t r = 0; r < n; r++) {
        int32_t head = n + r;
        if (s->best_next[head] == head) continue;
        if (len) nodes[len++] = 0;
        for (int32_t i = s->best_next[head]; i != head; i = s->best_next[i]) nodes[len++] = i;
    }
    return len;
}

static int is_better(const struct confirmed *a, const struct confirmed *b)
{
    return ucpo_compare(NULL, a->objective, a->violation, b->objective, b->violation) < 0;
}

static void judge(struct routes *s, struct confirmed *plan)
{
    ucpo_evaluation e;
    prob_check(s->fleet.inst, plan->nodes, plan->len, &e, s->visited, NULL, 0, NULL, 0);
    plan->objective = e.cost / s->fleet.inst->data.unit;
    plan->violation = e.is_feasible ? 0.0 : e.violation;
}

/* The checker's word on the best plan of the search; it replaces the best one known if it is better. */
static void confirm(struct routes *s)
{
    if (!s->is_unconfirmed) return;
    s->is_unconfirmed = 0;
    s->draft.len = write_plan(s, s->draft.nodes);
    judge(s, &s->draft);
    if (!is_better(&s->draft, &s->best)) return;
    struct confirmed swap = s->best;
    s->best = s->draft;
    s->draft = swap;
}

static void note_changes(struct routes *s)
{
    const struct fleet *f = &s->fleet;
    for (int32_t k = 0; k < f->old_routes; k++) {
        int32_t r = f->old_route_id[k];
        if (s->is_dirty[r]) continue;
        s->is_dirty[r] = 1;
        s->dirty[s->dirties++] = r;
    }
}

static void keep_current(struct routes *s)
{
    const struct fleet *f = &s->fleet;
    for (int32_t k = 0; k < s->dirties; k++) {
        int32_t r = s->dirty[k], head = f->n + r, i = head;
        s->is_dirty[r] = 0;
        do {
            s->best_next[i] = f->stop[i].next;
            i = f->stop[i].next;
        } while (i != head);
    }
    s->dirties = 0;
    s->is_unconfirmed = 1;
}

static void go_back_to_best(struct routes *s)
{
    struct fleet *f = &s->fleet;
    fleet_mark(f);
    for (int32_t k = 0; k < s->dirties; k++) fleet_touch(f, s->dirty[k]);
    for (int32_t k = 0; k < s->dirties; k++) {
        int32_t r = s->dirty[k], head = f->n + r, count = 0;
        s->is_dirty[r] = 0;
        for (int32_t i = s->best_next[head]; i != head; i = s->best_next[i]) f->order[count++] = i;
        fleet_set(f, r, f->order, count);
    }
    s->dirties = 0;
    fleet_mark(f);
    fleet_sum(f);
    s->value = fleet_value(f);
}

/* ---- start ---- */

static void read_plan(struct routes *s, const int32_t *nodes, size_t len)
{
    struct fleet *f = &s->fleet;
    int32_t count = 0;
    memset(s->visited, 0, (size_t)f->n);
    for (size_t k = 0; k <= len; k++) {
        int32_t j = k < len ? nodes[k] : 0;
        if (j == 0 && count > 0) {
            fleet_set(f, fleet_spare(f), f->order, count);
            count = 0;
        }
        if (j <= 0 || j >= f->n || s->visited[j]) continue;
        s->visited[j] = 1;
        f->order[count++] = j;
    }
    s->ruin.outs = 0;
    for (int32_t j = 1; j < f->n; j++)
        if (!s->visited[j]) s->ruin.out[s->ruin.outs++] = j;
}

static void set_scales(struct routes *s)
{
    struct fleet *f = &s->fleet;
    double cost = 0.0, time = 0.0, legs = 0.0;
    for (int32_t i = 1; i < f->n; i++) {
        for (int32_t k = 0; k < s->near.count && k < 5; k++, legs += 1.0) {
            int32_t j = s->near.list[(size_t)i * (size_t)s->near.count + (size_t)k];
            cost += fleet_cost(f, i, j);
            time += fleet_time(f, i, j);
        }
        cost += fleet_cost(f, 0, i) / (f->n - 1);
        time += fleet_time(f, 0, i) / (f->n - 1);
    }
    s->leg = cost > 0.0 ? cost / (legs + 1.0) : 1.0;
    double step = time > 0.0 ? time / (legs + 1.0) : 1.0;
    double demand = f->n > 1 ? f->inst->total_demand / (f->n - 1) : 0.0;
    /* the more routes there are, the rarer is a plan without any fault in it */
    double strict = 12.0 + f->n / 25.0;
    f->penalty.warp = strict * s->leg / step;
    f->penalty.over = demand > 0.0 ? strict * 2.0 * s->leg / demand : 1.0;
    f->penalty.fleet = strict * 3.0 * s->leg;
}

static void begin_cycle(struct routes *s)
{
    s->cycle_used = 0;
    s->from = (s->cycles++ ? hot : first_hot) * s->leg;
    s->to = cold * s->leg;
    s->temperature = s->from;
}

ucpo_status routes_start(struct routes *s, const int32_t *nodes, size_t len, uint64_t seed,
                         ucpo_error *err)
{
    struct fleet *f = &s->fleet;
    if (!nodes && len > 0) return status_fail(err, UCPO_E_ARGUMENT, "nodes must not be NULL");
    s->dice = dice_at(seed);
    fleet_clear(f);
    ruin_init(&s->ruin, f);
    set_scales(s);
    read_plan(s, nodes, len);
    descend_init(&s->descend, f->n, 1e-9 * s->leg);
    s->pace = (struct pace){0};
    s->confirmed_at = 0;
    s->pace.effort = ruin_mend(&s->ruin, f, &s->near, &s->dice, HUGE_VAL);
    for (int32_t r = 0; r < f->n; r++) s->is_dirty[r] = 1, s->dirty[r] = r;
    s->dirties = f->n;
    keep_current(s);
    s->best = (struct confirmed){s->best.nodes, write_plan(s, s->best.nodes), 0.0, 0.0};
    judge(s, &s->best);
    s->is_unconfirmed = 0;
    s->best_value = fleet_is_feasible(f) ? f->total.cost : HUGE_VAL;
    s->rounds = s->feasible_rounds = 0;
    s->value = fleet_value(f);
    s->doubtful_value = s->value;
    s->cycle = (int64_t)(first_cycle * f->n);
    s->cycles = 0;
    s->strength = 1.0;
    begin_cycle(s);
    return UCPO_OK;
}

/* ---- run ---- */

static void scale_penalties(struct fleet *f, double factor)
{
    f->penalty.warp *= factor;
    f->penalty.over *= factor;
    f->penalty.fleet *= factor;
    fleet_sum(f);
}

/* Penalties follow the share of feasible plans. */
static void adapt(struct routes *s)
{
    struct fleet *f = &s->fleet;
    double share = (double)s->feasible_rounds / ADAPT_EVERY;
    double factor = share < least_feasible  ? penalty_step
                    : share > most_feasible ? 1.0 / penalty_step
                                            : 1.0;
    s->feasible_rounds = 0;
    double strength = s->strength * factor; /* beside the first penalties */
    if (strength < least_strength || strength > most_strength) factor = 1.0;
    s->strength *= factor;
    scale_penalties(f, factor);
    s->value = fleet_value(f);
    s->doubtful_value = HUGE_VAL;
}

static void look_at_current(struct routes *s)
{
    struct fleet *f = &s->fleet;
    if (fleet_is_feasible(f)) {
        if (f->total.cost >= s->best_value - 1e-9 * s->leg) return;
        s->best_value = f->total.cost;
        keep_current(s);
    } else if (s->best_value == HUGE_VAL && s->value < s->doubtful_value) {
        s->doubtful_value = s->value;
        keep_current(s);
        if (f->n <= CONFIRM_ALL) confirm(s);
    }
}

/* Local search from the current plan on. */
static void polish(struct routes *s)
{
    struct fleet *f = &s->fleet;
    fleet_mark(f);
    descend_forget(&s->descend, f->n);
    descend_run(&s->descend, f, &s->near, &s->dice, &s->pace);
    note_changes(s);
    s->value = fleet_value(f);
}

/* Routes beyond the limit are dissolved, the smallest first; their customers go where they do least harm.
 * Late or overloaded routes are what ruins mend best: they cannot empty a route of many customers. */
static void keep_to_the_limit(struct routes *s)
{
    struct fleet *f = &s->fleet;
    double usual = f->penalty.fleet;
    f->penalty.fleet = 1e9 * s->leg; /* nobody opens a route */
    while (f->actives > f->limit && !pace_is_over(&s->pace)) {
        int32_t least = f->active[0];
        for (int32_t k = 1; k < f->actives; k++)
            if (f->route[f->active[k]].count < f->route[least].count) least = f->active[k];
        fleet_mark(f);
        ruin_dissolve(&s->ruin, f, least);
        s->pace.effort += ruin_mend(&s->ruin, f, &s->near, &s->dice, HUGE_VAL);
        note_changes(s);
    }
    f->penalty.fleet = usual;
    fleet_sum(f);
    s->value = fleet_value(f);
}

/* A feasible start is first improved without leaving what is feasible, so that even a short run has
 * something to show. */
static void begin(struct routes *s)
{
    struct fleet *f = &s->fleet;
    struct fleet_penalty usual = f->penalty;
    keep_to_the_limit(s);
    double strict = fleet_is_feasible(f) ? 1000.0 : 1.0;
    scale_penalties(f, strict);
    polish(s);
    s->doubtful_value = HUGE_VAL;
    look_at_current(s);
    f->penalty = usual;
    fleet_sum(f);
    s->value = fleet_value(f);
}

/* How much worse a plan may become, by Metropolis. */
static double draw_worsening(struct routes *s)
{
    return -s->temperature * log(1.0 - dice_uniform(&s->dice));
}

/* The smaller of two. */
static int32_t small_route(struct routes *s)
{
    const struct fleet *f = &s->fleet;
    int32_t a = f->active[dice_below(&s->dice, f->actives)];
    int32_t b = f->active[dice_below(&s->dice, f->actives)];
    return f->route[a].count < f->route[b].count ? a : b;
}

static void round_of_ruin(struct routes *s)
{
    struct fleet *f = &s->fleet;
    fleet_mark(f);
    int is_over_limit = f->actives > f->limit && s->best_value == HUGE_VAL;
    if (is_over_limit && dice_below(&s->dice, 10) < DISSOLVE_OF_TEN)
        ruin_dissolve(&s->ruin, f, small_route(s));
    else
        ruin_cut(&s->ruin, f, &s->near, &s->dice);
    s->pace.effort += s->ruin.outs;
    if (dice_below(&s->dice, 10) < CROSS_OF_TEN)
        s->pace.effort += ruin_cross(&s->ruin, f, draw_worsening(s));
    double most = s->value + draw_worsening(s);
    s->pace.effort += ruin_mend(&s->ruin, f, &s->near, &s->dice, most);
    if (!s->ruin.is_lost && fleet_value(f) < most) {
        note_changes(s);
        s->value = fleet_value(f);
        look_at_current(s);
    } else {
        fleet_undo(f);
    }
    s->feasible_rounds += fleet_is_feasible(f);
    if (++s->rounds % ADAPT_EVERY == 0) adapt(s);
}

static void return_to_best(struct routes *s, int with_descent)
{
    go_back_to_best(s);
    if (!with_descent) return;
    polish(s);
    look_at_current(s);
}

/* From the begin of the time to its end; share: how much of it is gone. */
static void cool_once(struct routes *s, double share)
{
    const struct fleet *f = &s->fleet;
    if (s->returned < RETURNS && share >= returns[s->returned]) {
        while (s->returned < RETURNS && share >= returns[s->returned]) s->returned++;
        return_to_best(s, s->returned == RETURNS);
    }
    double gone = share - more_of(0.0, s->pace.limit == INT64_MAX ? s->pace.share_begin : 0.0);
    double rounds = (double)(s->rounds - s->rounds_begin) / (f->n - 1);
    rounds = gone > 0.0 ? rounds / gone : 1.0; /* per customer in all */
    double from = less_of(more_of(hot_by_rounds * sqrt(rounds), least_hot), once_hot);
    s->ruin.mean_cut = less_of(more_of(cut_by_rounds * cbrt(rounds), least_cut), most_cut);
    double leg = s->best_value < HUGE_VAL ? s->best_value / (f->n - 1 + f->actives) : 1.5 * s->leg;
    s->temperature = leg * from * pow(once_cold / from, less_of(share, 1.0));
}

static void cool(struct routes *s, int64_t used)
{
    if (s->pace.share >= 0.0 || s->pace.limit < INT64_MAX) {
        if (s->rounds % ROUNDS_PER_HEAT == 0) cool_once(s, pace_share(&s->pace));
        return;
    }
    s->cycle_used += used;
    if (s->cycle_used >= s->cycle) {
        s->cycle =
            (int64_t)(s->cycles == 1 ? second_cycle * s->fleet.n : growth * (double)s->cycle);
        return_to_best(s, 1);
        begin_cycle(s);
        return;
    }
    double share = (double)s->cycle_used / (double)s->cycle;
    s->temperature = s->from * pow(s->to / s->from, share);
}

ucpo_status routes_run(struct routes *s, int64_t effort, const struct stop *stop, ucpo_error *err)
{
    (void)err;
    struct pace *pace = &s->pace;
    pace_begin(pace, effort, stop);
    s->rounds_begin = s->rounds;
    s->returned = 0;
    if (s->fleet.n <= 2) return UCPO_OK;
    if (s->rounds == 0) begin(s);
    while (!pace_is_over(pace)) {
        int64_t before = pace->effort;
        round_of_ruin(s);
        cool(s, pace->effort - before);
        if (pace->effort - s->confirmed_at < CONFIRM_EVERY) continue;
        s->confirmed_at = pace->effort;
        confirm(s);
    }
    confirm(s);
    return UCPO_OK;
}

struct refined routes_best(const struct routes *s)
{
    return (struct refined){s->best.nodes, s->best.len, s->best.objective, s->best.violation};
}
