/* The descent of a fleet: improving moves until none is left. */
#include "refine/routes.h"

#include <string.h>

enum { NEAR = 20, NEAR_FOR_STARS = 4 };

void descend_layout(struct descend *d, int32_t n, struct arena *arena)
{
    size_t count = (size_t)n;
    d->order = arena_take(arena, count, sizeof *d->order);
    d->tested = arena_take(arena, count, sizeof *d->tested);
    d->changed = arena_take(arena, count, sizeof *d->changed);
    d->star_tested = arena_take(arena, count, sizeof *d->star_tested);
    d->lane = arena_take(arena, count, sizeof *d->lane);
}

void descend_init(struct descend *d, int32_t n, double least)
{
    d->least = least;
    d->lanes = 0;
    memset(d->lane, 0, (size_t)n * sizeof *d->lane);
    for (int32_t i = 1; i < n; i++) d->order[i - 1] = i;
    descend_forget(d, n);
}

void descend_forget(struct descend *d, int32_t n)
{
    d->clock = 1;
    for (int32_t i = 0; i < n; i++) {
        d->tested[i] = d->star_tested[i] = 0;
        d->changed[i] = 1;
    }
}

/* One round of local search in progress. */
struct work {
    struct descend *d;
    struct fleet *f;

    struct pace *pace;
    int is_better;
};

static void make(struct work *w, const struct move *m)
{
    int32_t a = w->f->stop[m->u].route, b = w->f->stop[m->v].route;
    move_do(w->f, m);
    w->d->clock++;
    w->d->changed[a] = w->d->changed[b] = w->d->clock;
    w->is_better = 1;
}

static void offer(struct work *w, struct move *best, struct move m)
{
    m.delta = move_price(w->f, &m, best->delta);
    fleet_spend(w->pace, 1);
    if (m.delta < best->delta) *best = m;
}

/* u and those behind it to the places beside v, or in exchange for v. */
static void offer_pairs(struct work *w, struct move *best, int32_t u, int32_t v)
{
    const struct fleet *f = w->f;
    int32_t v_before = f->stop[v].prev;
    int32_t u_left = f->route[f->stop[u].route].count - f->stop[u].place + 1;
    int32_t v_left = f->route[f->stop[v].route].count - f->stop[v].place + 1;
    for (int32_t count = 1; count <= 3 && count <= u_left; count++) {
        struct move m = {.kind = MOVE_RELOCATE, .u = u, .v = v, .u_count = count};
        offer(w, best, m);
        m.v = v_before;
        offer(w, best, m);
        if (count == 1) continue;
        m.is_turned = 1;
        offer(w, best, m);
        m.v = v;
        offer(w, best, m);
    }
    for (int32_t i = 1; i <= 2 && i <= u_left; i++)
        for (int32_t j = 1; j <= 2 && j <= v_left; j++)
            offer(w, best,
                  (struct move){.kind = MOVE_SWAP, .u = u, .v = v, .u_count = i, .v_count = j});
    offer(w, best, (struct move){.kind = MOVE_CROSS, .u = u, .v = v_before});
    offer(w, best, (struct move){.kind = MOVE_CROSS, .u = f->stop[u].prev, .v = v});
}

/* A route of their own for u, or for all behind it. */
static void offer_alone(struct work *w, struct move *best, int32_t u)
{
    const struct fleet *f = w->f;
    int32_t head = f->n + fleet_spare(f);
    if (f->route[f->stop[u].route].count == 1) return;
    offer(w, best, (struct move){.kind = MOVE_RELOCATE, .u = u, .v = head, .u_count = 1});
    if (f->stop[u].next < f->n)
        offer(w, best, (struct move){.kind = MOVE_CROSS, .u = u, .v = head});
}

static struct move nothing(const struct work *w)
{
    return (struct move){.kind = MOVE_KINDS, .delta = -w->d->least};
}

static void improve_within(struct work *w, int32_t u, int64_t before)
{
    struct move best = nothing(w);
    if (w->d->changed[w->f->stop[u].route] <= before) return;
    fleet_spend(w->pace, move_best_within(w->f, u, &best));
    if (best.kind != MOVE_KINDS) make(w, &best);
}

static void improve_beside(struct work *w, int32_t u, int64_t before)
{
    struct descend *d = w->d;
    const struct fleet *f = w->f;
    const int32_t *list = ground_near(w->f->ground, u);
    for (int32_t k = 0; k < w->f->ground->nears && k < NEAR; k++) {
        int32_t v = list[k], a = f->stop[u].route, b = f->stop[v].route;
        if (a == b || (d->changed[a] <= before && d->changed[b] <= before)) continue;
        struct move best = nothing(w);
        offer_pairs(w, &best, u, v);
        if (best.kind != MOVE_KINDS) make(w, &best);
    }
    if (d->changed[f->stop[u].route] <= before) return;
    struct move best = nothing(w);
    offer_alone(w, &best, u);
    if (best.kind != MOVE_KINDS) make(w, &best);
}

static void improve_stars_with(struct work *w, int32_t a, int64_t before)
{
    struct fleet *f = w->f;
    int32_t head = f->n + a, mark = ++w->d->lanes;
    for (int32_t u = f->stop[head].next; u != head; u = f->stop[u].next) {
        const int32_t *list = ground_near(w->f->ground, u);
        for (int32_t k = 0; k < w->f->ground->nears && k < NEAR_FOR_STARS; k++) {
            int32_t b = f->stop[list[k]].route;
            if (b == a || w->d->lane[b] == mark || pace_is_over(w->pace)) continue;
            w->d->lane[b] = mark;
            if (w->d->changed[a] <= before && w->d->changed[b] <= before) continue;
            struct move best = nothing(w);
            fleet_spend(w->pace, move_best_star(f, a, b, &best));
            if (best.kind == MOVE_KINDS) continue;
            make(w, &best);
            return; /* the customers of a are others now */
        }
    }
}

static void improve_stars(struct work *w)
{
    struct descend *d = w->d;
    for (int32_t k = 0; k < w->f->actives; k++) {
        int32_t a = w->f->active[k];
        int64_t before = d->star_tested[a];
        if (pace_is_over(w->pace)) return;
        d->star_tested[a] = d->clock;
        improve_stars_with(w, a, before);
    }
}

static void shuffle(struct descend *d, int32_t count, struct dice *dice)
{
    for (int32_t i = count - 1; i > 0; i--) {
        int32_t j = dice_below(dice, i + 1), swap = d->order[i];
        d->order[i] = d->order[j];
        d->order[j] = swap;
    }
}

void descend_run(struct descend *d, struct fleet *f, struct dice *dice, struct pace *pace)
{
    struct work w = {.d = d, .f = f, .pace = pace};
    int32_t customers = f->n - 1;
    shuffle(d, customers, dice);
    do {
        w.is_better = 0;
        for (int32_t k = 0; k < customers && !pace_is_over(pace); k++) {
            int32_t u = d->order[k];
            int64_t before = d->tested[u];
            d->tested[u] = d->clock;
            improve_beside(&w, u, before);
            improve_within(&w, u, before);
        }
        if (!w.is_better) improve_stars(&w);
    } while (w.is_better && !pace_is_over(pace));
}
