/* Coordinates from a matrix. */
#include <math.h>
#include <stdlib.h>

#include "core/stop.h"
#include "problem/problem.h"
#include "support/random_instance.h"
#include "support/support.h"

static ucpo_instance *with_matrix(const double *cost, int32_t n)
{
    double *ready = calloc((size_t)n, sizeof *ready), *due = calloc((size_t)n, sizeof *due);
    ucpo_instance_data d = ucpo_instance_data_default();
    d.problem = "tsptw", d.n = n, d.cost = cost, d.ready = ready, d.due = due;
    ucpo_instance *inst = NULL;
    ucpo_error err = {0};
    assert_ok(ucpo_instance_create(&d, &inst, &err), &err);
    free(ready);
    free(due);
    return inst;
}

static void embed(const ucpo_instance *inst, float *xy)
{
    ucpo_error err = {0};
    assert_ok(embed_matrix(inst, NULL, xy, &err), &err);
    for (int32_t i = 0; i < 2 * inst->data.n; i++) assert_true(xy[i] >= 0.0f && xy[i] <= 1.0f);
}

static void points_of_the_plane_are_found_again(void **state)
{
    (void)state;

    enum { N = 60 };

    for (uint64_t seed = 0; seed < 20; seed++) {
        ucpo_instance *points = test_random_instance(prob_find("tsptw"), N, SHAPE_GENERATED, seed);
        static double cost[N * N];
        for (int32_t i = 0; i < N; i++)
            for (int32_t j = 0; j < N; j++) cost[i * N + j] = ucpo_instance_cost(points, i, j);
        ucpo_instance *inst = with_matrix(cost, N);
        float xy[2 * N];
        embed(inst, xy);
        double scale = 0.0; /* one factor for all pairs: congruent up to turning and mirroring */
        for (int i = 0; i < N; i++)
            for (int j = 0; j < i; j++) {
                double d = hypot((double)xy[2 * i] - (double)xy[2 * j],
                                 (double)xy[2 * i + 1] - (double)xy[2 * j + 1]);
                if (scale <= 0.0) scale = cost[i * N + j] / d;
                assert_close(d * scale, cost[i * N + j], 1e-3, 1e-2);
            }
        ucpo_instance_free(inst);
        ucpo_instance_free(points);
    }
}

/* How far the embedding is from the distances, as a share of the largest, at worst. */
static double worst_error(const float *xy, const double *cost, int n)
{
    double scale = 0.0, largest = 0.0, worst = 0.0;
    for (int pass = 0; pass < 2; pass++) {
        double both = 0.0, own = 0.0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < i; j++) {
                double d = hypot((double)xy[2 * i] - (double)xy[2 * j],
                                 (double)xy[2 * i + 1] - (double)xy[2 * j + 1]);
                both += d * cost[i * n + j];
                own += d * d;
                largest = fmax(largest, cost[i * n + j]);
                if (pass) worst = fmax(worst, fabs(d * scale - cost[i * n + j]));
            }
        scale = both / own;
    }
    return worst / largest;
}

static void forbidden_arcs_do_not_flatten_the_picture(void **state)
{
    (void)state;

    enum { N = 40 };

    for (uint64_t seed = 0; seed < 10; seed++) {
        ucpo_instance *points = test_random_instance(prob_find("tsptw"), N, SHAPE_GENERATED, seed);
        static double cost[N * N], holed[N * N];
        for (int32_t i = 0; i < N; i++)
            for (int32_t j = 0; j < N; j++)
                holed[i * N + j] = cost[i * N + j] = ucpo_instance_cost(points, i, j);
        struct rng rng = rng_at(seed, RNG_TEST, 1);
        int holes = seed < 5 ? 1 : 60;
        for (int k = 0; k < holes; k++) {
            int i = (int)(N * rng_uniform(&rng)), j = (int)(N * rng_uniform(&rng));
            if (i == j) continue;
            holed[i * N + j] = 1e15;
            if (k % 2 == 0) holed[j * N + i] = 1e15;
        }
        ucpo_instance *inst = with_matrix(holed, N);
        float xy[2 * N];
        embed(inst, xy);
        assert_true(worst_error(xy, cost, N) < (holes == 1 ? 0.05 : 0.15));
        ucpo_instance_free(inst);
        ucpo_instance_free(points);
    }
}

static void any_matrix_gives_points_of_the_square(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        int32_t n = 2 + (int32_t)seed;
        double *cost = calloc((size_t)(n * n), sizeof *cost);
        float *xy = calloc((size_t)(2 * n), sizeof *xy);
        struct rng rng = rng_at(seed, RNG_TEST, 0);
        for (int32_t k = 0; k < n * n; k++) cost[k] = floor(100.0 * rng_uniform(&rng));
        ucpo_instance *inst = with_matrix(cost, n);
        embed(inst, xy); /* neither symmetric nor metric */
        ucpo_instance_free(inst);
        for (int32_t k = 0; k < n * n; k++) cost[k] = 1.0;
        inst = with_matrix(cost, n);
        embed(inst, xy); /* all equal */
        ucpo_instance_free(inst);
        for (int32_t k = 0; k < n * n; k++) cost[k] = 0.0;
        inst = with_matrix(cost, n);
        embed(inst, xy); /* all at one place */
        assert_true(xy[0] == xy[2 * n - 2] && xy[1] == xy[2 * n - 1]);
        ucpo_instance_free(inst);
        free(cost);
        free(xy);
    }
}

static void two_nodes_lie_apart(void **state)
{
    (void)state;
    const double cost[4] = {0, 3, 5, 0};
    float xy[4];
    ucpo_instance *inst = with_matrix(cost, 2);
    embed(inst, xy);
    assert_close(fabs((double)xy[0] - (double)xy[2]), 1.0, 0, 1e-6);
    ucpo_instance_free(inst);
}

static int always(void *user)
{
    (void)user;
    return 1;
}

static void it_can_be_stopped(void **state)
{
    (void)state;
    const double cost[4] = {0, 3, 5, 0};
    float xy[4];
    struct stop stop = {.ask = always, .user = NULL};
    ucpo_instance *inst = with_matrix(cost, 2);
    assert_int_equal(embed_matrix(inst, &stop, xy, NULL), UCPO_E_CANCELLED);
    ucpo_instance_free(inst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_of_the_plane_are_found_again),
        cmocka_unit_test(forbidden_arcs_do_not_flatten_the_picture),
        cmocka_unit_test(any_matrix_gives_points_of_the_square),
        cmocka_unit_test(two_nodes_lie_apart),
        cmocka_unit_test(it_can_be_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
