#include "support/random_instance.h"

#include <math.h>
#include <stdlib.h>

#include "support/support.h"

enum { MOST = 64 };

struct arrays {
    double x[MOST], y[MOST], cost[MOST * MOST], duration[MOST * MOST];
    double ready[MOST], due[MOST], service[MOST], demand[MOST], limit[MOST];
};

static double draw(struct rng *rng, double low, double high, int whole)
{
    double value = low + (high - low) * rng_uniform(rng);
    return whole ? floor(value) : value;
}

static ucpo_instance *generated(const struct prob_ops *ops, int32_t n, uint64_t seed)
{
    ucpo_generate_config config = ucpo_generate_config_default();
    config.problem = ops->info.name;
    config.size = ops->info.depot_is_extra ? n - 1 : n;
    config.seed = seed;
    ucpo_dataset *set = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_generate(&config, &set, &err), &err);
    ucpo_instance *copy = NULL;
    assert_ok(ucpo_instance_create(ucpo_instance_view(ucpo_dataset_at(set, 0)), &copy, &err), &err);
    ucpo_dataset_free(set);
    return copy;
}

static void fill(struct arrays *a, int32_t n, enum test_shape shape, struct rng *rng)
{
    int whole = shape == SHAPE_MATRIX;
    double day = shape == SHAPE_TIGHT ? 150.0 : 100.0 * n;
    for (int32_t i = 0; i < n; i++) {
        a->x[i] = draw(rng, -50, 50, 0);
        a->y[i] = draw(rng, 0, 100, 0);
        a->service[i] = i == 0 ? 0.0 : draw(rng, 0, 10, whole);
        a->demand[i] = i == 0 ? 0.0 : draw(rng, 1, 10, shape != SHAPE_TIGHT);
        a->limit[i] = draw(rng, 1, 8.0 * n, shape != SHAPE_TIGHT);
        a->ready[i] = i == 0 ? 10.0 : draw(rng, 0, day, whole);
        a->due[i] = a->ready[i] + draw(rng, 0, i == 0 ? 3 * day : day, whole);
        for (int32_t j = 0; j < n; j++) {
            a->cost[i * n + j] = draw(rng, 0, 100, whole);
            a->duration[i * n + j] = draw(rng, 0, 60, 0);
        }
    }
    if (rng_below(rng, 4) == 0) a->due[n - 1] = HUGE_VAL;
}

ucpo_instance *test_random_instance(const struct prob_ops *ops, int32_t n, enum test_shape shape,
                                    uint64_t seed)
{
    if (shape == SHAPE_GENERATED) return generated(ops, n, seed);
    struct arrays *a = malloc(sizeof *a);
    struct rng rng = rng_at(seed, RNG_TEST, (uint64_t)shape * 100 + (uint64_t)n);
    assert_non_null(a);
    fill(a, n, shape, &rng);
    ucpo_instance_data d = ucpo_instance_data_default();
    d.problem = ops->info.name;
    d.n = n;
    if (shape == SHAPE_TIGHT) {
        d.x = a->x;
        d.y = a->y;
    } else {
        d.cost = a->cost;
    }
    if (shape == SHAPE_TWO_MATRIX) d.duration = a->duration;
    if (ops->needs & PROB_WINDOWS) {
        d.ready = a->ready;
        d.due = a->due;
        d.service = a->service;
    }
    if (ops->needs & PROB_DEMAND) d.demand = a->demand;
    if (ops->needs & PROB_LIMIT) d.limit = a->limit;
    if (ops->needs & PROB_CAPACITY) d.capacity = shape == SHAPE_TIGHT ? 9.5 : 25.0;
    if (ops->needs & PROB_FLEET) d.vehicles = 2;
    ucpo_instance *inst = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_instance_create(&d, &inst, &err), &err);
    free(a);
    return inst;
}
