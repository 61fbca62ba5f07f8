/* The search under draft limits: ruin and recreate under annealing, among the tours that keep the
 * limits. Whether any tour keeps them is known at once: the order of the limits does if any does.
 *
 * A customer of demand d comes back between positions p and p + 1 if the load there lets it in and
 * everybody behind can carry d more:
 *
 *   load[p] + d <= limit,   slack[q] = limit(q) - load[q] >= d for all q > p
 *
 * so a scan from the end begins at the first place that is early enough and ends at the first stop
 * that cannot wait; between, it looks at costs alone. Tours that break limits are never seen. */
#include "refine/tour.h"

#include <string.h>

/* Temperatures in mean legs of the tour. Measured on 200 + 60 instances of TSPDL 50 and 100 hard, from
 * 5000 on: larger ruins are slower and end worse, and so does ending colder. Cooling once over the whole allowance was no better at 50 to 2000 nodes. */
static const struct cooling cooling = {.hot = 2.0, .cold = 0.14, .growth = 1.5};

#define SCATTER 0.1

enum {
    MOST_OUT = DRAFT_MOST_OUT,
    FEW = 200,  /* up to so many positions are looked at one by one */
    BLINK = 154 /* of 1024 places better than those before are overlooked */
};

/* ---- what is known at a position ---- */

static void sum_anew(struct tour *t)
{
    t->total = 0.0;
    for (int32_t p = 0; p < t->len; p++) t->total += t->edge[p];
}

static void derive(struct tour *t)
{
    t->load[0] = t->slack[0] = 0.0;
    for (int32_t p = 1; p < t->len; p++) {
        t->load[p] = t->load[p - 1] + t->site[t->at[p]].demand;
        t->slack[p] = t->site[t->at[p]].due - t->load[p];
    }
    sum_anew(t);
}

/* Notes the tour as the one to go back to, and goes back: nothing differs before `changed_from`. */
static void keep(struct tour *t)
{
    int32_t first = t->changed_from;
    size_t count = (size_t)(t->len - first);
    memcpy(&t->kept[first], &t->at[first], count * sizeof t->at[0]);
    memcpy(&t->kept_edge[first - 1], &t->edge[first - 1], (count + 1) * sizeof(double));
    memcpy(&t->kept_load[first], &t->load[first], count * sizeof(double));
    memcpy(&t->kept_slack[first], &t->slack[first], count * sizeof(double));
    for (int32_t p = first; p < t->len; p++) t->pos[t->at[p]] = p;
    if (t->ground->inst->data.cost) sum_anew(t); /* forbidden entries came and went */
    t->kept_total = t->total;
}

static void go_back(struct tour *t)
{
    int32_t first = t->changed_from;
    t->len = t->n;
    size_t count = (size_t)(t->len - first);
    memcpy(&t->at[first], &t->kept[first], count * sizeof t->at[0]);
    memcpy(&t->edge[first - 1], &t->kept_edge[first - 1], (count + 1) * sizeof(double));
    memcpy(&t->load[first], &t->kept_load[first], count * sizeof(double));
    memcpy(&t->slack[first], &t->kept_slack[first], count * sizeof(double));
    t->at[t->len] = 0;
    for (int32_t k = 0; k < t->outs; k++) t->pos[t->out[k]] = t->left[k];
    t->total = t->kept_total;
}

/* ---- out and in ---- */

static void take_out(struct tour *t)
{
    int32_t first = t->len;
    for (int32_t k = 0; k < t->outs; k++) {
        t->left[k] = t->pos[t->out[k]];
        first = t->left[k] < first ? t->left[k] : first;
        t->pos[t->out[k]] = 0;
    }
    t->changed_from = first;
    int32_t to = first, is_gap = 0;
    for (int32_t p = first; p <= t->len; p++) {
        int32_t node = t->at[p];
        double edge = t->edge[p - 1];
        if (node != 0 && t->pos[node] == 0) {
            t->total -= edge;
            is_gap = 1;
            continue;
        }
        if (is_gap) {
            t->total -= edge;
            edge = tour_cost(t, t->at[to - 1], node);
            t->total += edge;
            is_gap = 0;
        }
        t->edge[to - 1] = edge;
        t->load[to] = t->load[to - 1] + t->site[node].demand;
        t->slack[to] = t->site[node].due - t->load[to];
        t->at[to++] = node;
    }
    t->len = to - 1;
    pace_spend(&t->pace, t->len, t->len);
}

struct place {
    double cost;
    int32_t p; /* -1: there is none */
};

/* Whether positions from .. end - 1 can. Sixteen at once: one after the other took a quarter of the
 * time at 2000 nodes. */
static int can_carry(const double *slack, int32_t from, int32_t end, double demand)
{
    enum { AT_ONCE = 16 };

    int32_t p = end;
    for (; p - from >= AT_ONCE; p -= AT_ONCE) {
        int is_full = 0;
        for (int k = 1; k <= AT_ONCE; k++) is_full |= slack[p - k] < demand;
        if (is_full) return 0;
    }
    for (; p > from; p--)
        if (slack[p - 1] < demand) return 0;
    return 1;
}

/* The last position with a load of at most `most`, if everybody behind it can carry more; else -1. */
static int32_t last_place(const struct tour *t, double demand, double most)
{
    int32_t low = -1, high = t->len - 1;
    if (t->len <= FEW) {
        for (; t->load[high] > most; high--)
            if (high == 0 || t->slack[high] < demand) return -1;
        return high;
    }
    while (low < high) { /* loads never fall */
        int32_t middle = low + (high - low + 1) / 2;
        if (t->load[middle] <= most)
            low = middle;
        else
            high = middle - 1;
    }
    return low >= 0 && can_carry(t->slack, low + 1, t->len, demand) ? low : -1;
}

static struct place best_place(struct tour *t, int32_t customer)
{
    const struct ground *g = t->ground;
    const double *row = g->cost ? &g->cost[(size_t)customer * (size_t)t->n] : NULL;
    const double *edge = t->edge, *slack = t->slack;
    const int32_t *at = t->at;
    double demand = t->site[customer].demand, most = t->site[customer].due - demand;
    struct place best = {HUGE_VAL, -1};
    pace_spend(&t->pace, t->len, t->len);
    uint64_t blinks = dice_next(&t->dice);
    int32_t p = last_place(t, demand, most);
    if (p < 0) return best;
    double after = tour_cost(t, customer, at[p + 1]);
    for (; p >= 0; p--) {
        double back = row ? row[at[p]] : tour_cost(t, customer, at[p]);
        double before = g->is_symmetric ? back : tour_cost(t, at[p], customer);
        double cost = before + after - edge[p];
        after = back;
        if (cost < best.cost) {
            blinks = blinks * 6364136223846793005u + 1442695040888963407u;
            if ((blinks >> 54) >= BLINK) best = (struct place){cost, p};
        }
        if (slack[p] < demand) break;
    }
    return best;
}

/* Moves the entries from .. to on by one and adds to them. */
static void move_on(double *entry, int32_t from, int32_t to, double plus)
{
    if (to < from) return;
    memmove(&entry[from + 1], &entry[from], (size_t)(to - from + 1) * sizeof *entry);
    for (int32_t q = from + 1; q <= to + 1; q++) entry[q] += plus;
}

static void put_in(struct tour *t, int32_t customer, struct place place)
{
    int32_t next = place.p + 1, last = t->len;
    double demand = t->site[customer].demand;
    memmove(&t->at[next + 1], &t->at[next], (size_t)(last - next + 1) * sizeof t->at[0]);
    memmove(&t->edge[next + 1], &t->edge[next], (size_t)(last - next) * sizeof t->edge[0]);
    move_on(t->load, next, last - 1, demand);
    move_on(t->slack, next, last - 1, -demand);
    t->len++;
    t->at[next] = customer;
    t->load[next] = t->load[next - 1] + demand;
    t->edge[next - 1] = tour_cost(t, t->at[next - 1], customer);
    t->edge[next] = tour_cost(t, customer, t->at[next + 1]);
    t->total += place.cost;
    t->slack[next] = t->site[customer].due - t->load[next];
    if (next < t->changed_from) t->changed_from = next;
}

/* 0: somebody found no place, or the tour is too long. Without a matrix a customer hardly ever
 * makes it shorter (rounding may), so that is known before all are back. */
static int ruin_and_recreate(struct tour *t, double most)
{
    int is_metric = !t->ground->inst->data.cost;
    tour_choose_out(t, MOST_OUT, SCATTER);
    int32_t line = dice_below(&t->dice, 8);
    tour_line_up(t, line < 4 ? LINE_DUE : line < 5 ? LINE_FAR : LINE_RANDOM);
    take_out(t);
    for (int32_t k = 0; k < t->outs; k++) {
        struct place place = best_place(t, t->out[k]);
        int is_last = k == t->outs - 1;
        if (place.p < 0) return 0;
        if ((is_metric || is_last) && t->total + place.cost >= most) return 0;
        put_in(t, t->out[k], place);
    }
    return 1;
}

/* ---- start and run ---- */

static void order_by_limit(struct tour *t)
{
    for (int32_t i = 1; i < t->n; i++) t->sort_key[i] = t->site[i].due;
    sort_by_key(&t->at[1], t->n - 1, t->sort_key);
    tour_derive(t);
    t->changed_from = 1;
    t->changed_to = t->len - 1;
}

int draft_start(struct tour *t)
{
    if (t->warp > 0.0) order_by_limit(t);
    if (t->warp > 0.0) {
        tour_go_back(t);
        return 0;
    }
    derive(t);
    t->changed_from = 1;
    keep(t);
    tour_judge(t);
    t->best_total = t->total;
    return 1;
}

void draft_run(struct tour *t)
{
    while (!pace_is_over(&t->pace)) {
        if (t->heat.step % 1024 == 0) { /* before rounding adds up */
            sum_anew(t);
            t->kept_total = t->total;
        }
        if (heat_is_due(&t->heat))
            heat_in_cycles(&t->heat, &cooling, t->n, tour_mean_leg(t), &t->pace);
        double most = t->kept_total + t->heat.now * dice_exponential(&t->dice);
        t->heat.step++;
        if (!ruin_and_recreate(t, most)) {
            go_back(t);
            continue;
        }
        keep(t);
        if (t->total < t->best_total - 1e-10 * t->best_total) {
            t->best_total = t->total;
            tour_judge(t);
        }
    }
}
