/* The search for fleets: start, run. */
#include "refine/routes.h"

#include <string.h>

enum {
    CONFIRM_EVERY = 300000, /* effort between two checks of the best plan */
    ANEW_FROM = 400,   /* nodes from which on, with windows, a plan made of nothing is better */
    CONFIRM_ALL = 500, /* up to so many nodes every promising infeasible plan is checked */
    ADAPT_EVERY = 64,  /* rounds between two looks at the penalties */
    CROSS_OF_TEN = 5,  /* ruins in which rests of routes may be exchanged, of ten, */
    CROSS_WITHOUT_WINDOWS = 3
};

/* A run whose length is known cools once, in mean legs of the best plan; the shorter it is, the less
 * heat there is time for: `hot_by_rounds` x root of the rounds per customer. */
static const double once_hot = 2.0, once_cold = 0.1, least_hot = 0.15;
static const double hot_by_rounds = 0.1, hot_with_windows = 0.15;

/* And the smaller its ruins are: customers taken out on average. */
static const double most_cut = 10.0, cut_by_rounds = 1.3, least_cut = 4.0;

/* Shares of such a run at which it goes back to the best plan, the last time with a descent. */
static const double returns[] = {0.2, 0.4, 0.6, 0.8, 0.97};

enum { RETURNS = sizeof returns / sizeof *returns };

/* Otherwise in cycles, in typical legs; after each it goes back to the best plan, with a descent. */
static const struct cooling in_cycles = {.hot = 0.8, .cold = 0.01, .growth = 1.4};

/* The share of plans that should be feasible. */
static const double least_feasible = 0.3, most_feasible = 0.4;

/* The step of the penalties, and how far they may move from their first values to get there. */
static const double penalty_step = 1.1, least_strength = 1e-4, most_strength = 1e6;
static const double strict_strength = 50.0; /* see is_strict */

static const double closed = 1e9; /* legs that a route beyond the limit costs */

struct routes {
    struct fleet fleet;
    struct ruin ruin;
    struct descend descend;
    struct fill fill;
    struct dice dice;
    struct pace pace;
    struct heat heat;
    struct best best;

    /* The best plan of the search, as links of stops; the routes in `dirty` have changed since. */
    int32_t *best_next; /* 2 n */
    int32_t *dirty, *is_dirty;
    int32_t dirties;
    double best_value; /* its cost; HUGE_VAL: nothing feasible yet */
    int is_unconfirmed;

    double value;
    int64_t confirmed_at, feasible_rounds;
    int64_t rounds_begin;  /* of the run */
    int returned;          /* times the run went back to the best plan */
    double doubtful_value; /* best penalised value seen while nothing is feasible */
    double strength;       /* of the penalties beside those of the start */
    double leg;            /* a typical leg: the unit of temperatures and penalties */
};

struct routes *routes_create(void)
{
    return mem_zeroed(1, sizeof(struct routes));
}

void routes_bind(struct routes *s, const struct ground *ground, struct arena *arena)
{
    size_t n = (size_t)ground->n;
    fleet_bind(&s->fleet, ground, arena);
    ruin_layout(&s->ruin, ground->n, arena);
    descend_layout(&s->descend, ground->n, arena);
    fill_layout(&s->fill, ground->n, arena);
    best_layout(&s->best, ground->n, 2 * n, arena);
    s->best_next = arena_take(arena, 2 * n, sizeof(int32_t));
    s->dirty = arena_take(arena, n, sizeof(int32_t));
    s->is_dirty = arena_take(arena, n, sizeof(int32_t));
}

/* ---- plans in and out ---- */

/* The checker's word on the best plan of the search. */
static void confirm(struct routes *s)
{
    int32_t *nodes = s->fleet.order, n = s->fleet.n;
    size_t len = 0;
    if (!s->is_unconfirmed) return;
    s->is_unconfirmed = 0;
    for (int32_t head = n; head < 2 * n; head++) {
        if (s->best_next[head] == head) continue;
        if (len) nodes[len++] = 0;
        for (int32_t i = s->best_next[head]; i != head; i = s->best_next[i]) nodes[len++] = i;
    }
    best_offer(&s->best, s->fleet.ground->inst, nodes, len);
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
    memset(s->best.visited, 0, (size_t)f->n);
    for (size_t k = 0; k <= len; k++) {
        int32_t j = k < len ? nodes[k] : 0;
        if (j == 0 && count > 0) {
            fleet_set(f, fleet_spare(f), f->order, count);
            count = 0;
        }
        if (j <= 0 || j >= f->n || s->best.visited[j]) continue;
        s->best.visited[j] = 1;
        f->order[count++] = j;
    }
    s->ruin.outs = 0;
    for (int32_t j = 1; j < f->n; j++)
        if (!s->best.visited[j]) s->ruin.out[s->ruin.outs++] = j;
}

static void set_scales(struct routes *s)
{
    struct fleet *f = &s->fleet;
    double cost = 0.0, time = 0.0, legs = 0.0;
    for (int32_t i = 1; i < f->n; i++) {
        const int32_t *near = ground_near(f->ground, i);
        for (int32_t k = 0; k < f->ground->nears && k < 5; k++, legs += 1.0) {
            cost += fleet_cost(f, i, near[k]);
            time += fleet_time(f, i, near[k]);
        }
        cost += fleet_cost(f, 0, i) / (f->n - 1);
        time += fleet_time(f, 0, i) / (f->n - 1);
    }
    s->leg = cost > 0.0 ? cost / (legs + 1.0) : 1.0;
    double step = time > 0.0 ? time / (legs + 1.0) : 1.0;
    double demand = f->n > 1 ? f->ground->inst->total_demand / (f->n - 1) : 0.0;
    /* the more routes there are, the rarer is a plan without any fault in it */
    double strict = 12.0 + f->n / 25.0;
    f->penalty.warp = strict * s->leg / step;
    f->penalty.over = demand > 0.0 ? strict * 2.0 * s->leg / demand : 1.0;
    f->penalty.fleet = strict * 3.0 * s->leg;
}

static void all_have_changed(struct routes *s)
{
    for (int32_t r = 0; r < s->fleet.n; r++) s->is_dirty[r] = 1, s->dirty[r] = r;
    s->dirties = s->fleet.n;
}

/* A plan to start from, the best of the search so far. */
static void take_current(struct routes *s)
{
    all_have_changed(s);
    keep_current(s);
    confirm(s);
}

int routes_begin_anew(const ucpo_instance *inst)
{
    return inst->data.n > ANEW_FROM && inst->data.due != NULL;
}

/* A plan made of nothing takes the place of the one given if it is better. */
static void begin_anew(struct routes *s, const int32_t *nodes, size_t len)
{
    struct fleet *f = &s->fleet;
    double given = fleet_value(f);
    int was_feasible = fleet_is_feasible(f);
    fill_anew(f, &s->ruin, &s->dice, &s->pace);
    if (fleet_value(f) < given && (fleet_is_feasible(f) || !was_feasible)) {
        take_current(s);
        return;
    }
    fleet_clear(f);
    read_plan(s, nodes, len);
    fleet_spend(&s->pace, ruin_mend(&s->ruin, f, &s->dice, HUGE_VAL));
}

void routes_start(struct routes *s, const int32_t *nodes, size_t len, uint64_t seed)
{
    struct fleet *f = &s->fleet;
    s->dice = dice_at(seed);
    s->pace = (struct pace){0};
    s->heat = (struct heat){0};
    s->best.is_known = 0;
    fleet_clear(f);
    ruin_init(&s->ruin, f);
    set_scales(s);
    read_plan(s, nodes, len);
    descend_init(&s->descend, f->n, 1e-9 * s->leg);
    fleet_spend(&s->pace, ruin_mend(&s->ruin, f, &s->dice, HUGE_VAL));
    take_current(s);
    if (routes_begin_anew(f->ground->inst)) begin_anew(s, nodes, len);
    s->best_value = fleet_is_feasible(f) ? f->total.cost : HUGE_VAL;
    s->feasible_rounds = s->confirmed_at = 0;
    s->value = s->doubtful_value = fleet_value(f);
    s->strength = 1.0;
}

/* ---- run ---- */

static void scale_penalties(struct fleet *f, double factor)
{
    f->penalty.warp *= factor;
    f->penalty.over *= factor;
    f->penalty.fleet *= factor;
    fleet_sum(f);
}

static int has_windows(const struct fleet *f)
{
    return f->ground->inst->data.due != NULL;
}

/* Late plans gain nothing once a plan in time is known, if routes may be added: then the penalties stay
 * high, and with them the remembered prices valid. */
static int is_strict(const struct routes *s)
{
    const struct fleet *f = &s->fleet;
    return s->best_value < HUGE_VAL && f->limit >= f->n - 1 && has_windows(f);
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
    if (is_strict(s)) factor = s->strength < strict_strength ? strict_strength / s->strength : 1.0;
    double strength = s->strength * factor; /* beside the first penalties */
    if (strength < least_strength || strength > most_strength) factor = 1.0;
    s->strength *= factor;
    if (factor != 1.0) scale_penalties(f, factor);
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
    descend_run(&s->descend, f, &s->dice, &s->pace);
    note_changes(s);
    s->value = fleet_value(f);
}

/* A plan with more routes than the fleet has is given up for one that is made for the fleet. From then on
 * nobody opens a route. */
static void keep_to_the_limit(struct routes *s)
{
    struct fleet *f = &s->fleet;
    if (f->actives > f->limit) {
        fill_run(&s->fill, f, &s->ruin, &s->dice, &s->pace, s->leg);
        all_have_changed(s);
    }
    if (f->limit < f->n - 1 && f->actives <= f->limit) f->penalty.fleet = closed * s->leg;
    s->value = fleet_value(f);
}

/* A feasible start is first improved without leaving what is feasible, so that even a short run has
 * something to show. */
static void begin(struct routes *s)
{
    struct fleet *f = &s->fleet;
    keep_to_the_limit(s);
    struct fleet_penalty usual = f->penalty;
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
    return s->heat.now * dice_exponential(&s->dice);
}

static void round_of_ruin(struct routes *s)
{
    struct fleet *f = &s->fleet;
    fleet_mark(f);
    ruin_cut(&s->ruin, f, &s->dice);
    fleet_spend(&s->pace, s->ruin.outs);
    if (dice_below(&s->dice, 10) < (has_windows(f) ? CROSS_OF_TEN : CROSS_WITHOUT_WINDOWS))
        fleet_spend(&s->pace, ruin_cross(&s->ruin, f, draw_worsening(s)));
    double most = s->value + draw_worsening(s);
    fleet_spend(&s->pace, ruin_mend(&s->ruin, f, &s->dice, most));
    double value = fleet_value(f);
    int is_same = fabs(value - s->value) <= 1e-9 * s->leg; /* undone, prices stay valid */
    if (!s->ruin.is_lost && value < most && !is_same) {
        note_changes(s);
        s->value = value;
        look_at_current(s);
    } else {
        fleet_undo(f);
    }
    s->feasible_rounds += fleet_is_feasible(f);
    if (++s->heat.step % ADAPT_EVERY == 0) adapt(s);
}

static void return_to_best(struct routes *s, int with_descent)
{
    go_back_to_best(s);
    if (!with_descent) return;
    polish(s);
    look_at_current(s);
}

/* From begin to end of a run; share: how much of it is gone. */
static void cool_once(struct routes *s, double share)
{
    const struct fleet *f = &s->fleet;
    if (s->returned < RETURNS && share >= returns[s->returned]) {
        while (s->returned < RETURNS && share >= returns[s->returned]) s->returned++;
        return_to_best(s, s->returned == RETURNS);
    }
    double rounds = (double)(s->heat.step - s->rounds_begin) / (f->n - 1);
    double gone = pace_gone(&s->pace);
    rounds = gone > 0.0 ? rounds / gone : 1.0; /* per customer in all */
    double by_rounds = has_windows(f) ? hot_with_windows : hot_by_rounds;
    double from = less_of(more_of(by_rounds * sqrt(rounds), least_hot), once_hot);
    s->ruin.mean_cut = less_of(more_of(cut_by_rounds * cbrt(rounds), least_cut), most_cut);
    double leg = s->best_value < HUGE_VAL ? s->best_value / (f->n - 1 + f->actives) : 1.5 * s->leg;
    s->heat.now = leg * heat_between(from, once_cold, share);
}

static void cool(struct routes *s)
{
    double share = pace_share(&s->pace);
    int is_first = s->heat.cycle_length == 0;
    if (share >= 0.0)
        cool_once(s, share);
    else if (heat_in_cycles(&s->heat, &in_cycles, s->fleet.n, s->leg, &s->pace) && !is_first)
        return_to_best(s, 1);
}

void routes_run(struct routes *s, int64_t effort, const struct stop *stop)
{
    struct pace *pace = &s->pace;
    pace_begin(pace, effort, stop);
    s->rounds_begin = s->heat.step;
    s->returned = 0;
    if (s->heat.step == 0) begin(s);
    while (!pace_is_over(pace)) {
        if (heat_is_due(&s->heat)) cool(s);
        round_of_ruin(s);
        if (pace->effort - s->confirmed_at < CONFIRM_EVERY) continue;
        s->confirmed_at = pace->effort;
        confirm(s);
    }
    confirm(s);
}

const struct best *routes_best(const struct routes *s)
{
    return &s->best;
}
