/* The perturbation: takes customers out and puts them back, after Christiaens and Vanden Berghe
 * (2020): strings of the tour around a place on the map leave it and come back one by one, each
 * where it costs least. */
#include "refine/tour.h"

/* Measured on TSPTW sets of 50 and 100 nodes: few short strings get stuck, many are slow. */
enum {
    MOST_OUT = 20,
    LONGEST_STRING = 6, /* of the tour, leaving it as one */
    BLINK = 10,         /* of 1024 places better than those before are overlooked */
    BEFORE_LATE = 8,    /* stops before a late one whose leaving may help it */
    SPAN = 20,          /* above TOUR_EXACT_NODES: places looked at in each direction */
    WORK_OF_STEP = 40,  /* of a perturbation beside its places, in places */
    PRICE_OF_PLACE = 2  /* effort of a place: times and warp cost as much again as the way */
};

#define SCATTER 0.3

static void take_string(struct tour *t, int32_t around, int32_t length, int32_t most)
{
    int32_t p = t->pos[around], first = p - dice_below(&t->dice, length);
    if (first < 1) first = 1;
    if (first + length > t->len) first = t->len - length;
    if (first < 1) first = 1;
    for (int32_t q = first; q < first + length && q < t->len && t->outs < most; q++) {
        int32_t customer = t->at[q];
        if (t->is_chosen[customer]) continue;
        t->is_chosen[customer] = 1;
        t->out[t->outs++] = customer;
    }
}

/* A stop where warp arises, or one shortly before it. */
static int32_t late_customer(struct tour *t)
{
    double warp = t->warp * dice_uniform(&t->dice);
    int32_t low = 0, high = t->n - 1; /* warp of the beginnings grows */
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (t->head[middle].warp > warp)
            high = middle;
        else
            low = middle + 1;
    }
    int32_t p = low - dice_below(&t->dice, BEFORE_LATE);
    return t->at[p > 0 ? p : 1];
}

void tour_choose_out(struct tour *t, int32_t most_out, double scatter)
{
    int32_t customers = t->len - 1;
    int32_t most = 1 + dice_below(&t->dice, most_out);
    if (most > customers) most = customers;
    int32_t seed = t->at[1 + dice_below(&t->dice, customers)];
    int32_t longest = LONGEST_STRING;
    int is_late = !t->is_drafted && t->best.violation > 0.0 && t->warp > 0.0;
    if (is_late && dice_below(&t->dice, 2)) seed = late_customer(t);
    t->outs = 0;
    take_string(t, seed, 1 + dice_below(&t->dice, longest < most ? longest : most), most);
    if (dice_uniform(&t->dice) < scatter) {
        for (int32_t k = 0; k < 2 * most && t->outs < most; k++) {
            int32_t left = most - t->outs, other = t->at[1 + dice_below(&t->dice, customers)];
            take_string(t, other, 1 + dice_below(&t->dice, longest < left ? longest : left), most);
        }
    }
    const int32_t *near = ground_near(t->ground, seed);
    for (int32_t k = 0; k < t->ground->nears && t->outs < most; k++) {
        int32_t other = near[k];
        if (other == 0 || t->is_chosen[other]) continue;
        if (dice_below(&t->dice, 4) == 0) continue;
        int32_t left = most - t->outs;
        take_string(t, other, 1 + dice_below(&t->dice, longest < left ? longest : left), most);
    }
    for (int32_t k = 0; k < t->outs; k++) t->is_chosen[t->out[k]] = 0;
}

static double place_in_line(struct tour *t, int32_t customer, enum line line)
{
    switch (line) {
    case LINE_DUE: return t->site[customer].due;
    case LINE_NARROW: return t->site[customer].due - t->site[customer].ready;
    case LINE_FAR: return -tour_cost(t, 0, customer);
    case LINE_READY: return t->site[customer].ready;
    case LINE_RANDOM: break;
    }
    return dice_uniform(&t->dice);
}

void tour_line_up(struct tour *t, enum line line)
{
    for (int32_t k = 0; k < t->outs; k++) {
        int32_t customer = t->out[k];
        double key = place_in_line(t, customer, line);
        int32_t place = k;
        for (; place > 0 && t->sort_key[place - 1] > key; place--) {
            t->sort_key[place] = t->sort_key[place - 1];
            t->out[place] = t->out[place - 1];
        }
        t->sort_key[place] = key;
        t->out[place] = customer;
    }
}

/* ---- where a customer comes back ---- */

/* A customer on the way back: its rows of the tables (NULL: computed), and the best place so far. */
struct guest {
    int32_t customer;
    const double *to, *from, *leg_to, *leg_from;
    double ready, due;
    double value; /* of the best place: what cost + weight x warp grow by */
    int32_t p;
    uint64_t blinks;
};

static struct guest guest_of(struct tour *t, int32_t customer)
{
    const struct ground *on = t->ground;
    size_t row = (size_t)customer * (size_t)t->n;
    return (struct guest){.customer = customer,
                          .to = on->cost ? on->cost + row : NULL,
                          .from = on->cost_into ? on->cost_into + row : NULL,
                          .leg_to = on->leg ? on->leg + (size_t)customer * on->leg_stride : NULL,
                          .leg_from = on->leg_into ? on->leg_into + row : NULL,
                          .ready = t->site[customer].ready,
                          .due = t->site[customer].due,
                          .value = HUGE_VAL,
                          .blinks = dice_next(&t->dice)};
}

static inline double leg_from(const struct tour *t, const struct guest *g, int32_t i)
{
    return g->leg_from ? g->leg_from[i] : tour_leg(t, i, g->customer);
}

static inline double leg_to(const struct tour *t, const struct guest *g, int32_t j)
{
    return g->leg_to ? g->leg_to[j] : tour_leg(t, g->customer, j);
}

/* The place between positions p and next; heads and rests are right there. */
static inline void offer_place(const struct tour *t, struct guest *g, int32_t p, int32_t next)
{
    int32_t i = t->at[p], j = t->at[next];
    double in = g->from ? g->from[i] : tour_cost(t, i, g->customer);
    double on = g->to ? g->to[j] : tour_cost(t, g->customer, j);
    double cost = in + on - t->edge[p];
    if (cost >= g->value) return;
    struct moment now = moment_next(t->head[p], leg_from(t, g, i), g->ready, g->due);
    double warp = warp_joined(now, leg_to(t, g, j), t->rest[next]) - t->warp;
    double value = cost + t->weight * warp;
    if (value >= g->value) return;
    g->blinks = g->blinks * 6364136223846793005u + 1442695040888963407u;
    if ((g->blinks >> 54) < BLINK && g->value < HUGE_VAL) return;
    g->value = value;
    g->p = p;
}

/* What a place beyond may save of the warp there is, which pays for being late. Nobody looks that far in
 * large tours that are late all over. */
static double pardon(const struct tour *t, double warp)
{
    return t->n <= TOUR_EXACT_NODES ? t->warp - warp : 0.0;
}

/* From position p on, until whoever comes there is too late for anything better. Time and warp of a
 * beginning together only grow, and so they do with the way to the customer if no detour is shorter. */
static int32_t look_forward(struct tour *t, struct guest *g, int32_t p, int32_t most)
{
    int32_t count = 0;
    for (; p < t->n && count < most; p = tour_next(t, p), count++) {
        if (p > t->head_to) tour_extend_heads(t, p);
        double soonest = t->head[p].time - pardon(t, t->head[p].warp);
        if (t->ground->is_metric) soonest += leg_from(t, g, t->at[p]);
        if (t->weight * (soonest - g->due) >= g->value) break;
        offer_place(t, g, p, tour_next(t, p));
    }
    return count;
}

/* Likewise before position `next`, until whoever stands there would be too late behind the customer. */
static int32_t look_back(struct tour *t, struct guest *g, int32_t next, int32_t most)
{
    int32_t count = 0;
    for (; next > 0 && count < most; next = tour_before(t, next), count++) {
        if (next < t->rest_from) tour_extend_rests(t, next);
        double latest = t->rest[next].latest + pardon(t, t->rest[next].warp);
        if (t->ground->is_metric) latest -= leg_to(t, g, t->at[next]);
        if (t->weight * (g->ready - latest) >= g->value) break;
        offer_place(t, g, tour_before(t, next), next);
    }
    return count;
}

/* What is known at a place may be that of the kept tour. That is good enough to choose by, unless warp
 * comes and goes. */
static void offer_far_place(const struct tour *t, struct guest *g, int32_t p, int32_t next)
{
    int is_known = p <= t->head_to && next >= t->rest_from;
    if (is_known || t->kept_warp <= 0.0) offer_place(t, g, p, next);
}

/* The places beside those who go well before or after. */
static int32_t look_near(struct tour *t, struct guest *g)
{
    const int32_t *near = ground_near(t->ground, g->customer);
    for (int32_t k = 0; k < t->ground->nears; k++) {
        int32_t p = t->pos[near[k]];
        if (near[k] == 0) offer_far_place(t, g, tour_before(t, t->n), t->n);
        if (p <= 0 && near[k] != 0) continue;
        offer_far_place(t, g, p, tour_next(t, p));
        if (p > 0) offer_far_place(t, g, tour_before(t, p), p);
    }
    return 2 * t->ground->nears;
}

/* Makes known what tour_put_in needs, and sets the value right. */
static void settle(struct tour *t, struct guest *g)
{
    int32_t next = tour_next(t, g->p);
    if (g->p <= t->head_to && next >= t->rest_from) return;
    t->pace.work += g->p > t->head_to ? g->p - t->head_to : t->rest_from - next;
    tour_extend_heads(t, g->p);
    tour_extend_rests(t, next);
    g->value = HUGE_VAL;
    offer_place(t, g, g->p, next);
}

/* Looks at all places that can be the best, from where the customer was before. In large tours, once
 * a feasible one is known, at those around it and at those beside near customers. */
static struct guest find_place(struct tour *t, int32_t customer)
{
    struct guest g = guest_of(t, customer);
    int32_t start = -t->pos[customer], count = 0, most = t->n;
    if (start >= t->gap && start < t->gap_end) start = t->gap - 1;
    tour_extend_heads(t, start);
    tour_extend_rests(t, tour_next(t, start));
    if (t->n > TOUR_EXACT_NODES && start > 0 && t->best.violation <= 0.0) {
        count = look_near(t, &g);
        most = SPAN;
    }
    count += look_forward(t, &g, start, most);
    if (start > 0) count += look_back(t, &g, start, most);
    settle(t, &g);
    pace_spend(&t->pace, (int64_t)PRICE_OF_PLACE * count, count);
    return g;
}

void tour_insert(struct tour *t, int32_t customer)
{
    struct guest g = find_place(t, customer);
    tour_put_in(t, customer, g.p);
}

int tour_perturb(struct tour *t, double most)
{
    tour_choose_out(t, MOST_OUT, SCATTER);
    int32_t line = dice_below(&t->dice, 8);
    tour_line_up(t, line < LINE_RANDOM ? (enum line)line : LINE_RANDOM);
    tour_take_out(t);
    pace_spend(&t->pace, (int64_t)PRICE_OF_PLACE * WORK_OF_STEP, WORK_OF_STEP);
    for (int32_t k = 0; k < t->outs; k++) {
        struct guest g = find_place(t, t->out[k]);
        if (t->ground->is_metric && t->total + t->weight * t->warp + g.value >= most) return 0;
        tour_put_in(t, t->out[k], g.p);
    }
    return 1;
}
