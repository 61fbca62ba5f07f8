#include "refine/routes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "refine/routes_descend.h"

enum {
    CONFIRM_EVERY = 300000, /* effort between two checks of the best plan */
    CONFIRM_ALL = 500,      /* up to so many nodes every promising infeasible plan is checked */
    ADAPT_EVERY = 64        /* rounds between two looks at the penalties */
};

/* Temperatures in typical legs; cycles in effort per node. A first, cold cycle is short: large
 * instances have no time for more. From the second on each is longer than the one before, so that a
 * good part of any time limit is one whole cycle. */
static const double first_hot = 0.05, hot = 0.8, cold = 0.01;
static const double first_cycle = 2000.0, second_cycle = 20000.0, growth = 1.4;

/* The share of plans that should be feasible. */
static const double least_feasible = 0.3, most_feasible = 0.4;

/* How far the penalties may move from their first values to get there. */
static const double least_strength = 1e-4, most_strength = 1e6;

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
    int64_t confirmed_at;
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
    double strict = 1.0 + f->n / 100.0;
    f->penalty.warp = strict * s->leg / step;
    f->penalty.over = demand > 0.0 ? strict * 2.0 * s->leg / demand : 1.0;
    f->penalty.fleet = strict * 10.0 * s->leg;
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
    s->pace.effort = ruin_mend(&s->ruin, f, &s->near, &s->dice);
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
    double factor = share < least_feasible ? 1.2 : share > most_feasible ? 0.85 : 1.0;
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

/* A feasible start is first improved without leaving what is feasible, so that even a short run has
 * something to show. */
static void begin(struct routes *s)
{
    struct fleet *f = &s->fleet;
    struct fleet_penalty usual = f->penalty;
    double strict = fleet_is_feasible(f) ? 1000.0 : 1.0;
    scale_penalties(f, strict);
    polish(s);
    look_at_current(s);
    f->penalty = usual;
    fleet_sum(f);
    s->value = fleet_value(f);
}

static void round_of_ruin(struct routes *s)
{
    struct fleet *f = &s->fleet;
    fleet_mark(f);
    ruin_cut(&s->ruin, f, &s->near, &s->dice);
    s->pace.effort += s->ruin.outs;
    s->pace.effort += ruin_mend(&s->ruin, f, &s->near, &s->dice);
    double value = fleet_value(f);
    double u = 1.0 - dice_uniform(&s->dice);
    if (value < s->value - s->temperature * log(u)) {
        note_changes(s);
        s->value = value;
        look_at_current(s);
    } else {
        fleet_undo(f);
    }
    s->feasible_rounds += fleet_is_feasible(f);
    if (++s->rounds % ADAPT_EVERY == 0) adapt(s);
}

static void cool(struct routes *s, int64_t used)
{
    s->cycle_used += used;
    if (s->cycle_used >= s->cycle) {
        s->cycle =
            (int64_t)(s->cycles == 1 ? second_cycle * s->fleet.n : growth * (double)s->cycle);
        go_back_to_best(s);
        polish(s);
        look_at_current(s);
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
    pace->limit = effort < INT64_MAX - pace->effort ? pace->effort + effort : INT64_MAX;
    pace->stop = stop;
    pace->is_stopped = 0;
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
