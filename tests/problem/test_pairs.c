/* Features of pairs against their definition, on every problem and shape; and that they do not
 * depend on what an instance counts in. */
#include "problem/pairs.h"
#include "support/random_instance.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 40 };

struct rows {
    int features;
    float phi[MOST][MOST][ENV_FEATURES]; /* i, j, feature */
};

static struct rows *rows_of(const ucpo_instance *inst)
{
    ucpo_error err = {0};
    struct arena arena = {0};
    struct prob_pairs p = {0};
    struct env_shape shape;
    struct rows *rows = calloc(1, sizeof *rows);
    assert_non_null(rows);
    prob_pairs_layout(&p, inst->data.n, &arena);
    assert_ok(arena_reserve(&arena, &err), &err);
    prob_pairs_layout(&p, inst->data.n, &arena);
    prob_pairs_bind(&p, inst);
    prob_pairs_shape(inst->ops, &shape);
    rows->features = shape.features;
    for (int i = 0; i < p.n; i++) {
        prob_pairs_row(&p, i);
        for (int f = 0; f < shape.features; f++) {
            const float *raw = p.raw + (size_t)shape.source[f] * p.stride;
            for (int j = 0; j < p.n; j++) rows->phi[i][j][f] = env_shaped(&shape, f, raw[j]);
            for (size_t j = (size_t)p.n; j < p.stride; j++) assert_true(raw[j] == 0.0f);
        }
    }
    arena_free(&arena);
    return rows;
}

static double soft(double x)
{
    return x / (1.0 + fabs(x));
}

static double cut(double x)
{
    return fmin(fmax(x, -4.0), 4.0);
}

/* The numbers of an instance in terms of its units. */
struct scaled {
    const ucpo_instance *inst;
    double unit, time;
};

static struct scaled scale(const ucpo_instance *inst)
{
    const ucpo_instance_data *d = &inst->data;
    double cost = 0.0, duration = 0.0;
    for (int j = 1; j < d->n; j++) {
        cost += ucpo_instance_cost(inst, 0, j) + ucpo_instance_cost(inst, j, 0);
        duration += ucpo_instance_duration(inst, 0, j) + ucpo_instance_duration(inst, j, 0);
    }
    return (struct scaled){inst, d->unit, d->unit * duration / cost};
}

static double way(const struct scaled *s, int i, int j)
{
    return ucpo_instance_cost(s->inst, i, j) / s->unit;
}

static double lasts(const struct scaled *s, int i, int j)
{
    return ucpo_instance_duration(s->inst, i, j) / s->time;
}

static double opens(const struct scaled *s, int i)
{
    return (s->inst->data.ready[i] - s->inst->data.ready[0]) / s->time;
}

static double closes(const struct scaled *s, int i)
{
    return (fmin(s->inst->data.due[i], s->inst->horizon) - s->inst->data.ready[0]) / s->time;
}

static double serves(const struct scaled *s, int i)
{
    return s->inst->data.service ? s->inst->data.service[i] / s->time : 0.0;
}

static double window_feature(const struct scaled *s, const char *name, int i, int j)
{
    double step = way(s, i, j) * sqrt(s->inst->data.n);
    double forward = closes(s, j) - opens(s, i) - serves(s, i) - lasts(s, i, j);
    double backward = closes(s, i) - opens(s, j) - serves(s, j) - lasts(s, j, i);
    double middle = 0.5 * (opens(s, j) + closes(s, j) - opens(s, i) - closes(s, i));
    double apart = middle * middle;
    if (strcmp(name, "forward") == 0) return soft(forward);
    if (strcmp(name, "forward_4") == 0) return soft(4 * forward);
    if (strcmp(name, "backward") == 0) return soft(backward);
    if (strcmp(name, "backward_4") == 0) return soft(4 * backward);
    if (strcmp(name, "wait") == 0)
        return soft(opens(s, j) - closes(s, i) - serves(s, i) - lasts(s, i, j));
    if (strcmp(name, "later") == 0) return soft((opens(s, j) - opens(s, i)) / 3);
    if (strcmp(name, "apart") == 0) return soft(apart);
    if (strcmp(name, "apart_4") == 0) return soft(16 * apart);
    if (strcmp(name, "far_apart") == 0) return soft((1 + step) * (1 + apart) - 1);
    if (strcmp(name, "near_forward") == 0) return soft(forward) / (1 + step);
    return (double)NAN;
}

static double draft_feature(const struct scaled *s, const char *name, int i, int j)
{
    const struct ucpo_instance *inst = s->inst;
    double step = way(s, i, j) * sqrt(inst->data.n), total = inst->total_demand;
    double own = fmin(inst->data.limit[i], total), to = fmin(inst->data.limit[j], total);
    double deeper = (to - own) * (inst->data.n - 1) / (4 * total);
    if (strcmp(name, "deeper") == 0) return soft(deeper);
    if (strcmp(name, "deeper_4") == 0) return soft(4 * deeper);
    if (strcmp(name, "apart") == 0) return soft(deeper * deeper);
    if (strcmp(name, "far_apart") == 0) return soft((1 + step) * (1 + deeper * deeper) - 1);
    if (strcmp(name, "shallow") == 0) return fmin(own, to) / total;
    if (strcmp(name, "limit") == 0) return to / total;
    return (double)NAN;
}

static double route_feature(const struct scaled *s, const char *name, int i, int j)
{
    const ucpo_instance_data *d = &s->inst->data;
    double a = 0.5 * (way(s, 0, i) + way(s, i, 0)), b = 0.5 * (way(s, 0, j) + way(s, j, 0));
    double c = 0.5 * (way(s, i, j) + way(s, j, i)), through = way(s, i, 0) + way(s, 0, j);
    double cosine = a * b > 0 ? (a * a + b * b - c * c) / (2 * a * b) : 1.0;
    double angle = 1 - fmax(fmin(cosine, 1.0), -1.0);
    if (strcmp(name, "load") == 0) return cut((d->demand[i] + d->demand[j]) / d->capacity);
    if (strcmp(name, "saving") == 0) return cut(through - way(s, i, j));
    if (strcmp(name, "saved") == 0)
        return through > 0 ? cut((through - way(s, i, j)) / through) : 0.0;
    if (strcmp(name, "angle") == 0) return angle;
    if (strcmp(name, "angle_4") == 0) return soft(16 * angle);
    return (double)NAN;
}

static double expected(const struct scaled *s, const char *name, int i, int j)
{
    double step = way(s, i, j) * sqrt(s->inst->data.n);
    double turn = (way(s, i, j) - way(s, j, i)) * sqrt(s->inst->data.n), value = (double)NAN;
    if (strcmp(name, "way") == 0) return cut(way(s, i, j));
    if (strcmp(name, "near") == 0) return soft(step);
    if (strcmp(name, "nearest") == 0) return soft(4 * step * step);
    if (strcmp(name, "turn") == 0) return soft(turn);
    if (strcmp(name, "same") == 0) return i == j;
    if (strcmp(name, "depot") == 0) return i == 0 || j == 0;
    if (s->inst->ops->needs & PROB_WINDOWS) value = window_feature(s, name, i, j);
    if (s->inst->ops->needs & PROB_LIMIT) value = draft_feature(s, name, i, j);
    if (isnan(value) && s->inst->ops->needs & PROB_CAPACITY) value = route_feature(s, name, i, j);
    return value;
}

static void features_follow_their_definition(void **state)
{
    (void)state;
    static const int32_t sizes[] = {2, 9, 17, 33};
    for (size_t p = 0; p < prob_registry_count; p++) {
        const struct prob_ops *ops = prob_registry[p];
        for (int shape = 0; shape < SHAPE_COUNT; shape++) {
            for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
                int32_t n = sizes[k];
                if (shape == SHAPE_GENERATED && n < 9) continue;
                ucpo_instance *inst = test_random_instance(ops, n, (enum test_shape)shape, 5);
                const ucpo_instance *load = inst->load;
                struct rows *rows = rows_of(load);
                struct scaled s = scale(load);
                for (int i = 0; i < n; i++)
                    for (int j = 0; j < n; j++)
                        for (int f = 0; f < rows->features; f++) {
                            double should = expected(&s, ops->pair[f].name, i, j);
                            if (!(fabs((double)rows->phi[i][j][f] - should) < 2e-4))
                                print_error("%s shape %d n %d: %s(%d, %d)\n", ops->info.name, shape,
                                            (int)n, ops->pair[f].name, i, j);
                            assert_close((double)rows->phi[i][j][f], should, 0, 2e-4);
                        }
                free(rows);
                ucpo_instance_free(inst);
            }
        }
    }
}

static void times_by(double *to, const double *from, size_t count, double factor)
{
    for (size_t i = 0; i < count; i++) to[i] = from[i] * factor;
}

/* Ways in other units, times in others yet, loads in others. */
static void what_an_instance_counts_in_does_not_matter(void **state)
{
    (void)state;

    enum { N = 12 };

    for (size_t p = 0; p < prob_registry_count; p++) {
        for (int shape = SHAPE_MATRIX; shape < SHAPE_COUNT; shape++) {
            ucpo_instance *inst =
                test_random_instance(prob_registry[p], N, (enum test_shape)shape, 8);
            const struct ucpo_instance *load = inst->load;
            ucpo_instance_data d = load->data;
            struct instance_arrays a = instance_arrays(inst->load == inst ? inst : inst->mirror);
            double x[N], y[N], cost[N * N], duration[N * N], ready[N], due[N], service[N];
            double demand[N], limit[N], by_way = 250.0, by_load = 0.5;
            double by_time = d.duration ? 0.0625 : by_way;
            if (d.x) times_by(x, a.x, N, by_way), times_by(y, a.y, N, by_way), d.x = x, d.y = y;
            if (d.cost) times_by(cost, d.cost, (size_t)N * N, by_way), d.cost = cost;
            if (d.duration)
                times_by(duration, d.duration, (size_t)N * N, by_time), d.duration = duration;
            if (d.ready) times_by(ready, a.ready, N, by_time), d.ready = ready;
            if (d.due) times_by(due, a.due, N, by_time), d.due = due;
            if (d.service) times_by(service, a.service, N, by_time), d.service = service;
            if (d.demand) times_by(demand, a.demand, N, by_load), d.demand = demand;
            if (d.limit) times_by(limit, a.limit, N, by_load), d.limit = limit;
            d.capacity *= by_load, d.unit *= by_way, d.tolerance = -1.0;
            ucpo_instance *other = NULL;
            ucpo_error err = {0};
            assert_ok(ucpo_instance_create(&d, &other, &err), &err);
            struct rows *one = rows_of(load), *two = rows_of(other->load);
            for (int i = 0; i < N; i++)
                for (int j = 0; j < N; j++)
                    for (int f = 0; f < one->features; f++)
                        assert_close((double)two->phi[i][j][f], (double)one->phi[i][j][f], 1e-5,
                                     1e-5);
            free(one), free(two);
            ucpo_instance_free(inst), ucpo_instance_free(other);
        }
    }
}

/* A leg that no vehicle can take has a cost beyond all others: the numbers stay finite. */
static void a_leg_without_a_way_stays_finite(void **state)
{
    (void)state;
    static const double cost[16] = {0, 5, 1e15, 7, 5, 0, 6, 1e15, 8, 6, 0, 4, 7, 1e15, 4, 0};
    static const double ready[4] = {0, 3, 0, 9}, due[4] = {HUGE_VAL, HUGE_VAL, 30, 40};
    ucpo_instance_data d = ucpo_instance_data_default();
    d.problem = "tsptw", d.n = 4, d.cost = cost, d.ready = ready, d.due = due, d.no_way = 1e15;
    ucpo_instance *inst = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_instance_create(&d, &inst, &err), &err);
    struct rows *rows = rows_of(inst);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            for (int f = 0; f < rows->features; f++) {
                assert_true(isfinite(rows->phi[i][j][f]));
                assert_true(fabsf(rows->phi[i][j][f]) <= 4.0f);
            }
    free(rows);
    ucpo_instance_free(inst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(features_follow_their_definition),
        cmocka_unit_test(what_an_instance_counts_in_does_not_matter),
        cmocka_unit_test(a_leg_without_a_way_stays_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
