/* First plans of a fleet: made of nothing, and such that keep to a limit. */
#include "refine/routes.h"

#include <string.h>

/* What a violation costs beside its usual price: nothing feasible is ever dearer, */
static const double strict = 1e9;
/* and a place that costs so many legs is none. */
static const double dearest = 1e6;

void fill_layout(struct fill *fill, int32_t n, struct arena *arena)
{
    fill->out = arena_take(arena, (size_t)n, sizeof *fill->out);
    fill->missed = arena_take(arena, (size_t)n, sizeof *fill->missed);
}

/* ---- of nothing ---- */

static void put_all(struct fleet *f, struct ruin *ruin, struct dice *dice, struct pace *pace,
                    enum ruin_order order)
{
    fleet_clear(f);
    ruin->outs = 0;
    for (int32_t j = 1; j < f->n; j++) ruin->out[ruin->outs++] = j;
    ruin->order = order;
    fleet_spend(pace, ruin_mend(ruin, f, dice, HUGE_VAL));
    ruin->order = RUIN_ANY;
}

void fill_anew(struct fleet *f, struct ruin *ruin, struct dice *dice, struct pace *pace)
{
    const struct fleet_penalty usual = f->penalty;
    f->penalty.warp *= strict;
    f->penalty.over *= strict;
    put_all(f, ruin, dice, pace, RUIN_NEAR_FIRST);
    double near_first = fleet_value(f);
    put_all(f, ruin, dice, pace, RUIN_FAR_FIRST);
    if (near_first < fleet_value(f)) put_all(f, ruin, dice, pace, RUIN_NEAR_FIRST);
    f->penalty = usual;
    fleet_sum(f);
}

/* ---- within the limit ---- */

static void keep_out(struct fill *fill, const struct ruin *ruin)
{
    fill->outs = ruin->outs;
    memcpy(fill->out, ruin->out, (size_t)fill->outs * sizeof *fill->out);
}

static double sum_missed(const struct fill *fill, const int32_t *out, int32_t outs)
{
    double sum = 0.0;
    for (int32_t k = 0; k < outs; k++) sum += fill->missed[out[k]];
    return sum;
}

/* One ruin. Kept if fewer are left out, or such as were missed less often, or the same at a cost that is
 * not much higher. */
static void one_round(struct fill *fill, struct fleet *f, struct ruin *ruin, struct dice *dice,
                      struct pace *pace, double hot)
{
    double most = fleet_value(f) + hot * dice_exponential(dice);
    double before = sum_missed(fill, fill->out, fill->outs);
    fleet_mark(f);
    ruin_cut(ruin, f, dice);
    for (int32_t k = 0; k < fill->outs; k++) ruin->out[ruin->outs++] = fill->out[k];
    fleet_spend(pace, ruin->outs);
    fleet_spend(pace, ruin_mend(ruin, f, dice, HUGE_VAL));
    double now = sum_missed(fill, ruin->out, ruin->outs);
    int is_kept =
        ruin->outs < fill->outs || now < before || (now == before && fleet_value(f) < most);
    for (int32_t k = 0; k < ruin->outs; k++) fill->missed[ruin->out[k]] += 1.0;
    if (is_kept) {
        keep_out(fill, ruin);
    } else {
        fleet_undo(f);
        for (int32_t k = 0; k < fill->outs; k++) f->stop[fill->out[k]].route = -1;
    }
}

void fill_run(struct fill *fill, struct fleet *f, struct ruin *ruin, struct dice *dice,
              struct pace *pace, double leg)
{
    const struct fleet_penalty usual = f->penalty;
    f->penalty.warp *= strict;
    f->penalty.over *= strict;
    f->penalty.fleet *= strict;
    ruin->dearest = dearest * leg;
    put_all(f, ruin, dice, pace, RUIN_ANY);
    keep_out(fill, ruin);
    for (int32_t j = 0; j < f->n; j++) fill->missed[j] = 1.0;
    while (fill->outs && !pace_is_over(pace)) one_round(fill, f, ruin, dice, pace, leg);
    ruin->dearest = HUGE_VAL;
    f->penalty.warp = usual.warp;
    f->penalty.over = usual.over;
    fleet_sum(f);
    ruin->outs = fill->outs;
    memcpy(ruin->out, fill->out, (size_t)fill->outs * sizeof *fill->out);
    fleet_spend(pace, ruin_mend(ruin, f, dice, HUGE_VAL));
    f->penalty.fleet = usual.fleet;
    fleet_sum(f);
}
