/* The algebra of stretches against driving along them, stop by stop. */
#include "core/rng.h"
#include "refine/segment.h"
#include "support/support.h"

#include <math.h>

enum { MOST = 7, ROUNDS = 4000 };

/* A row of stops; leg[k] leads to stop k. Quarters: sums are exact. */
struct row {
    int count;
    double leg[MOST], cost[MOST], ready[MOST], due[MOST], service[MOST], load[MOST];
};

static double quarter(struct rng *rng, uint32_t below)
{
    return 0.25 * rng_below(rng, 4 * below + 1);
}

static struct row drawn(struct rng *rng)
{
    struct row r = {.count = 1 + (int)rng_below(rng, MOST)};
    uint32_t width = 1 + rng_below(rng, 12);
    double time = 0.0;
    for (int k = 0; k < r.count; k++) {
        r.leg[k] = quarter(rng, 6), r.cost[k] = quarter(rng, 6);
        r.service[k] = quarter(rng, 3), r.load[k] = quarter(rng, 5);
        time += r.leg[k];
        r.ready[k] = fmax(0.0, time - quarter(rng, width));
        r.due[k] = r.ready[k] + quarter(rng, width);
        if (rng_below(rng, 8) == 0) r.due[k] = HUGE_VAL;
        time += r.service[k];
    }
    return r;
}

struct driven {
    double time, warp, load, cost; /* time: end of service at the last stop */
};

/* Stops from .. to of a row, the first reached at `arrive`. Who is late goes back in time and pays. */
static struct driven drive(const struct row *r, int from, int to, double arrive)
{
    struct driven d = {arrive, 0.0, 0.0, 0.0};
    for (int k = from; k <= to; k++) {
        if (k > from) d.time += r->leg[k], d.cost += r->cost[k];
        if (d.time > r->due[k]) d.warp += d.time - r->due[k], d.time = r->due[k];
        if (d.time < r->ready[k]) d.time = r->ready[k];
        d.time += r->service[k], d.load += r->load[k];
    }
    return d;
}

static struct segment single(const struct row *r, int k)
{
    return (struct segment){.first = k,
                            .last = k,
                            .early = r->ready[k],
                            .late = r->due[k],
                            .span = r->service[k],
                            .load = r->load[k]};
}

/* Put together in any order of joining. */
static struct segment joined(const struct row *r, int from, int to, struct rng *rng)
{
    if (from == to) return single(r, from);
    int middle = from + (int)rng_below(rng, (uint32_t)(to - from));
    struct segment a = joined(r, from, middle, rng), b = joined(r, middle + 1, to, rng);
    return segment_join(&a, r->cost[middle + 1], r->leg[middle + 1], &b);
}

static void a_piece_is_what_driving_along_it_is(void **state)
{
    (void)state;
    struct rng rng = rng_at(1, RNG_TEST, 1);
    int late = 0, waiting = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct row r = drawn(&rng);
        struct segment s = joined(&r, 0, r.count - 1, &rng);
        assert_int_equal(s.first, 0);
        assert_int_equal(s.last, r.count - 1);
        assert_true(s.early <= s.late && s.warp >= 0.0);
        for (double t = 0.0; t < 40.0; t += 0.75) {
            struct driven d = drive(&r, 0, r.count - 1, t);
            double entered = fmin(fmax(t, s.early), s.late);
            assert_true(entered + s.span == d.time);
            assert_true(s.warp + fmax(0.0, t - s.late) == d.warp);
            assert_true(s.load == d.load && s.cost == d.cost);
            late += d.warp > 0.0, waiting += t < s.early;
        }
    }
    assert_true(late > ROUNDS && waiting > ROUNDS);
}

static void a_vehicle_under_way_serves_a_piece_as_it_would_its_stops(void **state)
{
    (void)state;
    struct rng rng = rng_at(2, RNG_TEST, 1);
    for (int round = 0; round < ROUNDS; round++) {
        struct row r = drawn(&rng);
        int cut = (int)rng_below(&rng, (uint32_t)r.count);
        struct segment ahead = joined(&r, cut, r.count - 1, &rng);
        double leave = quarter(&rng, 20);
        struct course c = {.at = 90, .time = leave, .warp = 0.5, .load = 2.0, .cost = 1.25};
        for (int k = 0; k < cut; k++) {
            struct segment s = single(&r, k);
            course_serve(&c, r.cost[k], r.leg[k], &s);
            assert_int_equal(c.at, k);
        }
        course_serve(&c, r.cost[cut], r.leg[cut], &ahead);
        struct driven d = drive(&r, 0, r.count - 1, leave + r.leg[0]);
        assert_int_equal(c.at, r.count - 1);
        assert_true(c.time == d.time && c.warp == 0.5 + d.warp);
        assert_true(c.load == 2.0 + d.load && c.cost == 1.25 + r.cost[0] + d.cost);
    }
}

/* Of tours, whose legs hold the service before them: the warp of the whole from any place where it is cut. */
static void beginnings_and_endings_make_the_warp_of_the_whole(void **state)
{
    (void)state;
    struct rng rng = rng_at(3, RNG_TEST, 1);
    int warped = 0, exact = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct row r = drawn(&rng);
        int last = r.count - 1;
        for (int k = last; k > 0; k--) r.leg[k] += r.service[k - 1];
        for (int k = 0; k <= last; k++) r.service[k] = 0.0;
        double start = quarter(&rng, 1 + (uint32_t)round % 8);
        struct driven whole = drive(&r, 0, last, start + r.leg[0]);
        struct tail tail[MOST] = {{.latest = 0.0}};
        tail[last] = (struct tail){r.due[last], 0.0};
        for (int k = last; k-- > 0;)
            tail[k] = tail_before(tail[k + 1], r.leg[k + 1], r.ready[k], r.due[k]);
        struct moment at = {start, 0.0};
        for (int k = 0; k <= last; k++) {
            assert_true(warp_joined(at, r.leg[k], tail[k]) == whole.warp);
            at = moment_next(at, r.leg[k], r.ready[k], r.due[k]);
            struct driven so_far = drive(&r, 0, k, start + r.leg[0]);
            assert_true(at.time == so_far.time && at.warp == so_far.warp);
            assert_true(tail[k].latest >= r.ready[k] && tail[k].latest <= r.due[k]);
            for (double t = 0.0; t < 30.0; t += 1.25) /* the ending by itself */
                assert_true(tail[k].warp + fmax(0.0, t - tail[k].latest) ==
                            drive(&r, k, last, t).warp);
        }
        warped += whole.warp > 0.0, exact += whole.warp == 0.0;
    }
    print_message("%d with warp, %d without\n", warped, exact);
    assert_true(warped > ROUNDS / 10 && exact > ROUNDS / 10);
}

static void sameness_looks_at_both_numbers(void **state)
{
    (void)state;
    struct moment m = {1.0, 2.0};
    struct tail t = {1.0, 2.0};
    assert_true(moment_is(m, (struct moment){1.0, 2.0}) && tail_is(t, (struct tail){1.0, 2.0}));
    assert_false(moment_is(m, (struct moment){1.5, 2.0}) ||
                 moment_is(m, (struct moment){1.0, 2.5}));
    assert_false(tail_is(t, (struct tail){1.5, 2.0}) || tail_is(t, (struct tail){1.0, 2.5}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_piece_is_what_driving_along_it_is),
        cmocka_unit_test(a_vehicle_under_way_serves_a_piece_as_it_would_its_stops),
        cmocka_unit_test(beginnings_and_endings_make_the_warp_of_the_whole),
        cmocka_unit_test(sameness_looks_at_both_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
