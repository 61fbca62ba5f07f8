/* Every kind of move: its price is what the plan's value really changes by. */
#include "refine/routes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/random_instance.h"
#include "support/support.h"

struct rig {
    ucpo_instance *inst;
    struct ground *ground;
    struct fleet f;
    struct arena arena;
    struct rng rng;
};

static void set_up(struct rig *g, const char *problem, int32_t n, enum test_shape shape,
                   uint64_t seed)
{
    *g = (struct rig){.inst = test_random_instance(prob_find(problem), n, shape, seed)};
    g->rng = rng_at(seed, RNG_TEST, 77);
    assert_int_equal(ground_create(g->inst, NULL, &g->ground, NULL), UCPO_OK);
    fleet_bind(&g->f, g->ground, &g->arena);
    assert_int_equal(arena_reserve(&g->arena, NULL), UCPO_OK);
    fleet_bind(&g->f, g->ground, &g->arena);
    fleet_clear(&g->f);
    g->f.penalty = (struct fleet_penalty){1.7, 2.3, 31.0};
}

static void tear_down(struct rig *g)
{
    arena_free(&g->arena);
    ground_free(g->ground);
    ucpo_instance_free(g->inst);
}

static int32_t below(struct rig *g, int32_t bound)
{
    return (int32_t)rng_below(&g->rng, (uint32_t)bound);
}

/* Customers in random order, cut into about `routes` routes. */
static void draw_plan(struct rig *g, int32_t routes)
{
    struct fleet *f = &g->f;
    int32_t order[64], count = 0;
    for (int32_t i = 1; i < f->n; i++) order[i - 1] = i;
    for (int32_t i = f->n - 2; i > 0; i--) {
        int32_t j = below(g, i + 1), swap = order[i];
        order[i] = order[j], order[j] = swap;
    }
    fleet_clear(f);
    for (int32_t i = 0; i < f->n - 1; i++) {
        count++;
        if (i < f->n - 2 && below(g, f->n - 1) >= routes) continue;
        fleet_set(f, fleet_spare(f), order + i + 1 - count, count);
        count = 0;
    }
    fleet_mark(f);
}

static size_t plan_of(const struct fleet *f, int32_t *nodes)
{
    size_t len = 0;
    for (int32_t k = 0; k < f->actives; k++) {
        int32_t head = f->n + f->active[k];
        for (int32_t i = f->stop[head].next; i != head; i = f->stop[i].next) nodes[len++] = i;
        nodes[len++] = 0;
    }
    return len;
}

/* Time warp of a plan by walking it. */
static double walked_warp(const ucpo_instance *inst, const int32_t *nodes, size_t len)
{
    const ucpo_instance_data *d = &inst->data;
    double warp = 0.0, time = d->ready[0];
    int32_t at = 0;
    for (size_t k = 0; k < len; k++) {
        int32_t j = nodes[k];
        double due = d->due[j] + 0.999 * d->tolerance;
        time += ucpo_instance_duration(inst, at, j);
        if (j && time < d->ready[j]) time = d->ready[j];
        if (time > due) warp += time - due, time = due;
        time = j == 0 ? d->ready[0] : time + (d->service ? d->service[j] : 0.0);
        at = j;
    }
    return warp;
}

/* The value of the plan from checker and walk; also holds all that the fleet says of itself to it. */
static double true_value(const struct rig *g)
{
    const struct fleet *f = &g->f;
    int32_t nodes[128] = {0};
    ucpo_evaluation e;
    size_t len = plan_of(f, nodes);
    assert_int_equal(ucpo_check(g->inst, nodes, len, &e, NULL, 0, NULL, 0, NULL), UCPO_OK);
    double warp = walked_warp(g->inst, nodes, len);
    assert_int_equal(e.missing + e.duplicates, 0);
    assert_int_equal(e.routes, f->actives);
    assert_close(f->total.cost, e.cost, 1e-9, 1e-9);
    assert_close(f->total.over, e.over_sum, 1e-6, 1e-6);
    assert_close(f->total.warp, warp, 1e-9, g->inst->data.tolerance * f->n);
    assert_int_equal(e.is_feasible, fleet_is_feasible(f));
    if (g->inst->data.vehicles > 0)
        assert_int_equal(e.vehicles_over, f->actives > f->limit ? f->actives - f->limit : 0);
    return e.cost + f->penalty.warp * warp + f->penalty.over * e.over_sum +
           f->penalty.fleet * e.vehicles_over;
}

static int is_possible(const struct fleet *f, const struct move *m)
{
    int32_t a = f->stop[m->u].route, b = f->stop[m->v].route;
    int32_t u_left = f->route[a].count - f->stop[m->u].place + 1;
    int32_t v_left = f->route[b].count - f->stop[m->v].place + 1;
    int is_within = m->kind >= MOVE_SHIFT;
    if (is_within != (a == b) || (m->u >= f->n && m->kind != MOVE_CROSS)) return 0;
    if (m->kind == MOVE_CROSS) return f->route[a].count > 0;
    if (m->u_count > u_left) return 0;
    int v_is_customer = m->v < f->n;
    if (m->kind == MOVE_SWAP) return v_is_customer && m->v_count <= v_left;
    if (m->kind == MOVE_STAR) return v_is_customer;
    if (m->kind == MOVE_SHIFT)
        return f->stop[m->v].place < f->stop[m->u].place ||
               f->stop[m->v].place >= f->stop[m->u].place + m->u_count;
    if (m->kind == MOVE_EXCHANGE || m->kind == MOVE_TURN)
        return v_is_customer && f->stop[m->v].place > f->stop[m->u].place;
    return 1;
}

/* A stop of the route of `of`, the depot end included, but not `but`. */
static int32_t draw_place(struct rig *g, int32_t of, int32_t but)
{
    const struct fleet *f = &g->f;
    int32_t at = of;
    for (int32_t steps = below(g, 2 * f->n); steps > 0; steps--) at = f->stop[at].next;
    return at == but ? f->stop[at].prev : at;
}

static struct move draw_move(struct rig *g, enum move_kind kind)
{
    const struct fleet *f = &g->f;
    struct move m = {.kind = kind,
                     .u = 1 + below(g, f->n - 1),
                     .u_count = 1 + below(g, 3),
                     .v_count = 1 + below(g, 2),
                     .is_turned = below(g, 2)};
    m.v = kind >= MOVE_SHIFT ? draw_place(g, m.u, -1) : 1 + below(g, f->n - 1);
    if (kind == MOVE_CROSS && below(g, 4) == 0) m.u = f->n + f->stop[m.u].route;
    if (kind < MOVE_SHIFT && below(g, 6) == 0) m.v = f->n + f->stop[m.v].route;
    if (kind < MOVE_SHIFT && below(g, 8) == 0) m.v = f->n + fleet_spare(f);
    if (kind == MOVE_STAR) {
        m.u_count = m.v_count = 1;
        m.u_to = draw_place(g, m.v, m.v);
        m.v_to = draw_place(g, m.u, m.u);
    }
    return m;
}

static const enum test_shape shapes[] = {SHAPE_GENERATED, SHAPE_MATRIX, SHAPE_TWO_MATRIX,
                                         SHAPE_TIGHT};

/* Draws moves until one of the kind is possible; does it, compares, and takes it back. */
static int try_move(struct rig *g, enum move_kind kind)
{
    struct fleet *f = &g->f;
    for (int tries = 0; tries < 200; tries++) {
        struct move m = draw_move(g, kind);
        if (!is_possible(f, &m)) continue;
        double before = true_value(g), delta = move_price(f, &m, HUGE_VAL);
        if (delta == HUGE_VAL) continue; /* a cross that would only exchange names */
        double cut = move_price(f, &m, delta - 1e-6 * (1.0 + fabs(delta)));
        assert_true(cut == HUGE_VAL || cut == delta);
        move_do(f, &m);
        assert_close(delta, true_value(g) - before, 1e-9, 1e-6 * (1.0 + fabs(before)));
        fleet_undo(f);
        assert_close(true_value(g), before, 1e-12, 1e-12);
        return 1;
    }
    return 0;
}

static void every_kind_of_move_is_priced_as_the_checker_would(void **state)
{
    (void)state;
    int tried[MOVE_KINDS] = {0};
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct rig g;
        const char *problem = seed % 2 ? "cvrptw" : "cvrptwlv";
        set_up(&g, problem, 4 + (int32_t)(seed % 17), shapes[seed / 2 % 4], seed);
        for (int plan = 0; plan < 6; plan++) {
            draw_plan(&g, 1 + plan);
            for (int kind = 0; kind < MOVE_KINDS; kind++)
                for (int k = 0; k < 8; k++) tried[kind] += try_move(&g, (enum move_kind)kind);
        }
        tear_down(&g);
    }
    for (int kind = 0; kind < MOVE_KINDS; kind++) assert_true(tried[kind] > 500);
}

/* What the step-by-step searches return is priced right, and below what they were given. */
static void the_best_move_found_is_worth_what_it_says(void **state)
{
    (void)state;
    int found[MOVE_KINDS] = {0};
    for (uint64_t seed = 0; seed < 80; seed++) {
        struct rig g;
        set_up(&g, "cvrptw", 8 + (int32_t)(seed % 13), shapes[seed % 4], seed);
        draw_plan(&g, 2);
        for (int k = 0; k < 40; k++) {
            struct fleet *f = &g.f;
            struct move m = {.kind = MOVE_KINDS, .delta = -1e-7};
            int32_t a = f->active[below(&g, f->actives)], b = f->active[below(&g, f->actives)];
            if (k % 2 == 0)
                assert_true(move_best_within(f, f->stop[f->n + a].next, &m) >= 0);
            else if (a != b)
                assert_true(move_best_star(f, a, b, &m) > 0);
            if (m.kind == MOVE_KINDS) continue;
            double before = true_value(&g);
            found[m.kind]++;
            assert_close(m.delta, move_price(f, &m, HUGE_VAL), 1e-9, 1e-6);
            move_do(f, &m);
            double change = true_value(&g) - before;
            assert_close(m.delta, change, 1e-9, 1e-6 * (1.0 + fabs(before)));
            assert_true(change < 0.0);
        }
        tear_down(&g);
    }
    assert_true(found[MOVE_SHIFT] > 20 && found[MOVE_EXCHANGE] > 5);
    assert_true(found[MOVE_TURN] > 5 && found[MOVE_STAR] > 20);
}

/* Within a route: no move of the three kinds is better than the one found. */
static void no_move_within_a_route_beats_the_best(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct rig g;
        set_up(&g, "cvrptw", 9, shapes[seed % 4], seed);
        draw_plan(&g, 1);
        struct move best = {.kind = MOVE_KINDS, .delta = 0.0};
        int32_t r = g.f.active[0];
        for (int32_t u = 1; u < g.f.n; u++)
            if (g.f.stop[u].route == r)
                assert_true(move_best_within(&g.f, u, &best) > 0 || g.f.route[r].count < 2);
        for (int k = 0; k < 600; k++) {
            struct move m = draw_move(&g, (enum move_kind)(MOVE_SHIFT + k % 3));
            if (!is_possible(&g.f, &m) || g.f.stop[m.u].route != r) continue;
            assert_true(move_price(&g.f, &m, HUGE_VAL) >= best.delta - 1e-7);
        }
        tear_down(&g);
    }
}

static void what_is_put_cut_and_undone_agrees_with_the_checker(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct rig g;
        set_up(&g, seed % 2 ? "cvrptw" : "cvrptwlv", 12, shapes[seed % 4], seed);
        draw_plan(&g, 3);
        for (int k = 0; k < 30; k++) {
            struct fleet *f = &g.f;
            double before = true_value(&g);
            fleet_mark(f);
            int32_t u = 1 + below(&g, f->n - 1), r = f->stop[u].route;
            int32_t count = 1 + below(&g, f->route[r].count - f->stop[u].place + 1);
            int32_t out[16], i = u;
            for (int32_t c = 0; c < count; c++, i = f->stop[i].next) out[c] = i;
            fleet_cut(f, u, count);
            for (int32_t c = 0; c < count; c++) {
                int32_t at = below(&g, 3)
                                 ? f->n + fleet_spare(f)
                                 : f->n + f->active[below(&g, f->actives ? f->actives : 1)];
                fleet_put(f, out[c], f->actives ? at : f->n + fleet_spare(f));
            }
            double after = true_value(&g);
            if (k % 3) {
                fleet_undo(f);
                assert_close(true_value(&g), before, 1e-12, 1e-12);
            } else {
                fleet_sum(f);
                assert_close(true_value(&g), after, 1e-9, 1e-9);
            }
        }
        tear_down(&g);
    }
}

/* ---- ruins ---- */

struct ruin_rig {
    struct rig g;
    struct ruin ruin;
    struct arena arena;
    struct dice dice;
};

static void set_up_ruin(struct ruin_rig *r, int32_t n, uint64_t seed)
{
    *r = (struct ruin_rig){.dice = dice_at(seed)};
    set_up(&r->g, seed % 2 ? "cvrptw" : "cvrptwlv", n, shapes[seed / 2 % 4], seed);
    ruin_layout(&r->ruin, n, &r->arena);
    assert_int_equal(arena_reserve(&r->arena, NULL), UCPO_OK);
    ruin_layout(&r->ruin, n, &r->arena);
    ruin_init(&r->ruin, &r->g.f);
    draw_plan(&r->g, 3);
}

static void tear_down_ruin(struct ruin_rig *r)
{
    arena_free(&r->arena);
    tear_down(&r->g);
}

static void a_ruin_is_mended_within_its_limit_or_taken_back(void **state)
{
    (void)state;
    int mended = 0, lost = 0, crossed = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct ruin_rig r;
        set_up_ruin(&r, 24, seed);
        struct fleet *f = &r.g.f;
        for (int k = 0; k < 40; k++) {
            double before = true_value(&r.g), most = before * (0.8 + 0.01 * below(&r.g, 60));
            fleet_mark(f);
            ruin_cut(&r.ruin, f, &r.dice);
            double cut = fleet_value(f), worse = 0.05 * before * (k % 3);
            ruin_cross(&r.ruin, f, worse);
            assert_true(fleet_value(f) <= cut + worse + 1e-9 * before);
            crossed += fleet_value(f) != cut;
            ruin_mend(&r.ruin, f, &r.dice, most);
            if (r.ruin.is_lost || fleet_value(f) >= most) {
                lost += r.ruin.is_lost;
                fleet_undo(f);
                assert_close(true_value(&r.g), before, 1e-12, 1e-12);
            } else {
                mended++;
                assert_close(true_value(&r.g), fleet_value(f), 1e-9, 1e-6);
            }
        }
        tear_down_ruin(&r);
    }
    assert_true(mended > 200 && lost > 50 && crossed > 200);
}

static int32_t count_out(const struct fleet *f)
{
    int32_t out = 0;
    for (int32_t j = 1; j < f->n; j++) out += f->stop[j].route < 0;
    return out;
}

/* A fleet of few: whoever has no place within windows, loads and vehicles stays out. */
static void who_has_no_place_below_the_dearest_stays_out(void **state)
{
    (void)state;
    int without = 0, with = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct ruin_rig r;
        set_up_ruin(&r, 24, seed);
        struct fleet *f = &r.g.f;
        f->limit = 2 + 4 * (int32_t)(seed % 5);
        f->penalty = (struct fleet_penalty){1e15, 1e15, 1e15};
        fleet_clear(f);
        r.ruin.outs = 0, r.ruin.dearest = 1e6;
        for (int32_t j = 1; j < f->n; j++) r.ruin.out[r.ruin.outs++] = j;
        ruin_mend(&r.ruin, f, &r.dice, HUGE_VAL);
        assert_int_equal(count_out(f), r.ruin.outs);
        for (int32_t k = 0; k < r.ruin.outs; k++)
            assert_int_equal(f->stop[r.ruin.out[k]].route, -1);
        assert_true(fleet_is_feasible(f));
        without += r.ruin.outs > 0;
        with += r.ruin.outs == 0;
        tear_down_ruin(&r);
    }
    assert_true(without > 10 && with > 4);
}

static void a_first_plan_is_whole_and_within_the_limit_where_there_is_one(void **state)
{
    (void)state;
    int feasible = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct ruin_rig r;
        set_up_ruin(&r, 24, seed);
        struct fleet *f = &r.g.f;
        const struct fleet_penalty usual = f->penalty;
        struct pace pace;
        struct fill fill = {.out = calloc(24, sizeof(int32_t)),
                            .missed = calloc(24, sizeof(double))};
        pace_begin(&pace, INT64_MAX, NULL);
        fill_anew(f, &r.ruin, &r.dice, &pace);
        assert_int_equal(count_out(f), 0);
        assert_close(true_value(&r.g), fleet_value(f), 1e-9, 1e-6);
        int32_t routes = f->actives;
        int was_feasible = fleet_is_feasible(f);
        for (f->limit = routes; was_feasible && f->limit >= routes - 1 && f->limit > 0;
             f->limit--) {
            pace_begin(&pace, 400000, NULL);
            fill_run(&fill, f, &r.ruin, &r.dice, &pace, 10.0);
            assert_int_equal(count_out(f), 0);
            assert_true(f->actives <= f->limit);
            assert_memory_equal(&f->penalty, &usual, sizeof usual);
            assert_close(true_value(&r.g), fleet_value(f), 1e-9, 1e-6);
            if (f->limit == routes) assert_true(fleet_is_feasible(f));
            feasible += fleet_is_feasible(f);
        }
        free(fill.out);
        free(fill.missed);
        tear_down_ruin(&r);
    }
    assert_true(feasible > 10);
}

/* The least value of the plan with customer j, which is out, at any place. */
static double least_with(struct fleet *f, int32_t j)
{
    double least = HUGE_VAL;
    for (int32_t k = 0; k <= f->actives; k++) {
        int32_t head = f->n + (k < f->actives ? f->active[k] : fleet_spare(f)), i = head;
        do {
            fleet_mark(f);
            int32_t next = f->stop[i].next;
            fleet_put(f, j, i);
            least = less_of(least, fleet_value(f));
            fleet_undo(f);
            f->stop[j].route = -1;
            i = next;
        } while (i != head);
    }
    return least;
}

static void a_customer_comes_back_where_it_costs_least(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 24; seed++) {
        struct ruin_rig r;
        set_up_ruin(&r, 16, seed);
        struct fleet *f = &r.g.f;
        for (int k = 0; k < 60; k++) {
            int32_t j = 1 + below(&r.g, f->n - 1);
            r.ruin.blink = INT32_MAX; /* no place is overlooked */
            fleet_mark(f);
            fleet_cut(f, j, 1);
            double least = least_with(f, j);
            fleet_mark(f); /* no route counts as changed: prices are remembered */
            r.ruin.out[0] = j, r.ruin.outs = 1;
            ruin_mend(&r.ruin, f, &r.dice, HUGE_VAL);
            assert_close(fleet_value(f), least, 1e-9, 1e-7);
            assert_close(true_value(&r.g), least, 1e-9, 1e-6);
        }
        tear_down_ruin(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_move_is_priced_as_the_checker_would),
        cmocka_unit_test(the_best_move_found_is_worth_what_it_says),
        cmocka_unit_test(no_move_within_a_route_beats_the_best),
        cmocka_unit_test(what_is_put_cut_and_undone_agrees_with_the_checker),
        cmocka_unit_test(a_ruin_is_mended_within_its_limit_or_taken_back),
        cmocka_unit_test(who_has_no_place_below_the_dearest_stays_out),
        cmocka_unit_test(a_first_plan_is_whole_and_within_the_limit_where_there_is_one),
        cmocka_unit_test(a_customer_comes_back_where_it_costs_least),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
