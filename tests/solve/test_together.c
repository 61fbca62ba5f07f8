/* Processes that search one instance, played by threads. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "core/clock.h"
#include "core/rng.h"
#include "problem/problem.h"
#include "solve/solve.h"
#include "support/random_instance.h"
#include "support/support.h"

enum { MOST = 3 };

/* Everybody writes its part into `bytes`, waits, and reads the whole. */
struct hall {
    int ranks;
    pthread_barrier_t barrier;
    unsigned char bytes[1 << 20];
    atomic_int told; /* after so many rounds, + 1 */
};

struct player {
    struct hall *hall;
    const ucpo_instance *inst;
    ucpo_solve_config config;
    ucpo_comm comm;
    ucpo_solution *found;
    double stop_after, began; /* 0: never */
    int gathered;
    ucpo_status status;
};

static ucpo_status gather(void *user, void *bytes, size_t size, size_t begin, size_t end,
                          ucpo_error *err)
{
    struct player *p = user;
    (void)err;
    if (size > sizeof p->hall->bytes) return UCPO_E_INTERNAL;
    memcpy(p->hall->bytes + begin, (unsigned char *)bytes + begin, end - begin);
    (void)pthread_barrier_wait(&p->hall->barrier);
    memcpy(bytes, p->hall->bytes, size);
    p->gathered++;
    (void)pthread_barrier_wait(&p->hall->barrier);
    return UCPO_OK;
}

static int over(void *user, int is_over)
{
    struct player *p = user;
    if (is_over) atomic_store(&p->hall->told, p->gathered + 1);
    return atomic_load(&p->hall->told) > p->gathered;
}

static int wants_to_stop(void *user, size_t done, size_t total)
{
    const struct player *p = user;
    (void)done, (void)total;
    return p->stop_after > 0.0 && clock_seconds() - p->began > p->stop_after;
}

static void *play(void *user)
{
    struct player *p = user;
    p->began = clock_seconds();
    p->config.comm = &p->comm;
    p->config.hooks = (ucpo_hooks){.progress = wants_to_stop, .user = p};
    p->status = ucpo_solve(NULL, p->inst, &p->config, &p->found, NULL);
    return NULL;
}

static void assert_found(const struct player *p)
{
    ucpo_evaluation e;
    assert_int_equal(p->status, UCPO_OK);
    assert_int_equal(
        ucpo_check(p->inst, p->found->nodes, p->found->len, &e, NULL, 0, NULL, 0, NULL), UCPO_OK);
    assert_int_equal(e.missing + e.duplicates + e.unknown, 0);
    assert_true(e.cost == p->found->evaluation.cost);
}

/* All find plans of one cost. Returns the first one's, which the caller frees; the seconds it took. */
static ucpo_solution *play_all(struct player *player, int ranks, const ucpo_instance *inst,
                               double limit, double *seconds)
{
    static struct hall hall;
    pthread_t thread[MOST];
    hall.ranks = ranks;
    atomic_store(&hall.told, 0);
    assert_int_equal(pthread_barrier_init(&hall.barrier, NULL, (unsigned)ranks), 0);
    double began = clock_seconds();
    for (int k = 0; k < ranks; k++) {
        struct player *p = &player[k];
        p->hall = &hall;
        p->inst = inst;
        p->config = ucpo_solve_config_default();
        p->config.time_limit = limit;
        p->config.threads = 1;
        p->comm = (ucpo_comm){.rank = k, .ranks = ranks, .gather = gather, .over = over, .user = p};
        assert_int_equal(pthread_create(&thread[k], NULL, play, p), 0);
    }
    for (int k = 0; k < ranks; k++) pthread_join(thread[k], NULL);
    *seconds = clock_seconds() - began;
    pthread_barrier_destroy(&hall.barrier);
    for (int k = 0; k < ranks; k++) {
        assert_found(&player[k]);
        assert_true(player[k].found->evaluation.cost == player[0].found->evaluation.cost);
        assert_int_equal(player[k].found->end, player[0].found->end);
        assert_int_equal(player[k].found->searches, player[0].found->searches);
        assert_int_equal(player[k].gathered, player[0].gathered);
        if (k > 0) ucpo_solution_free(player[k].found);
    }
    return player[0].found;
}

static ucpo_instance *instance_of(const char *problem, int32_t n)
{
    return test_random_instance(prob_find(problem), n, SHAPE_GENERATED, 11);
}

static void all_processes_end_with_the_best_plan(void **state)
{
    (void)state;
    const char *const problems[] = {"cvrptw", "tsptw", "cvrp", "tspdl"};
    for (size_t k = 0; k < 4; k++) {
        ucpo_instance *inst = instance_of(problems[k], 320);
        double seconds, limit = 0.5;
        ucpo_solution *found = NULL;
        for (; !found; limit *= 4) { /* a busy machine does not come to a search in half a second */
            struct player player[MOST] = {0};
            found = play_all(player, MOST, inst, limit, &seconds);
            assert_int_equal(found->end, UCPO_SOLVE_TIME);
            if (found->searches >= MOST || limit > 100.0) break;
            ucpo_solution_free(found);
            found = NULL;
        }
        assert_true(found->searches >= MOST);
        ucpo_solution_free(found);
        ucpo_instance_free(inst);
    }
}

/* Process k brings plan k of a few shuffled ones, the best one comes from anywhere. */
struct guest {
    struct player player;
    int32_t order[32];
    double worth;
    struct solve_news news;
};

/* The pool's order: feasible ones by objective, then the others by objective + violation. */
static double worth(double objective, double violation)
{
    return objective + violation + (violation > 0.0 ? 1e6 : 0.0);
}

static void *meet(void *user)
{
    struct guest *g = user;
    struct player *p = &g->player;
    struct solve_pool *pool = NULL;
    int32_t plan[64];
    size_t len = (size_t)p->inst->data.n - 1;
    assert_int_equal(solve_pool_create(p->inst, len + 1, &pool, NULL), UCPO_OK);
    assert_int_equal(solve_pool_add(pool, g->order, len, 0.0, -1.0, 0, NULL), UCPO_OK);
    g->worth = worth(pool->item[0].objective, pool->item[0].violation);
    p->status = solve_meet(&p->comm, pool, &g->news, plan, NULL);
    ucpo_evaluation e;
    assert_int_equal(ucpo_check(p->inst, plan, len, &e, NULL, 0, NULL, 0, NULL), UCPO_OK);
    assert_true(e.cost == g->news.objective && e.cost == pool->item[0].objective);
    assert_memory_equal(plan, pool->item[0].nodes, len * sizeof *plan);
    solve_pool_free(pool);
    return NULL;
}

static void whoever_has_the_best_plan_all_go_on_with_it(void **state)
{
    (void)state;
    static struct hall hall;
    struct rng rng = rng_at(5, 0, 0);
    ucpo_instance *inst = instance_of("tspdl", 12);
    int seen[MOST] = {0};
    for (int turn = 0; turn < 40; turn++) {
        struct guest guest[MOST] = {0};
        pthread_t thread[MOST];
        hall.ranks = MOST;
        assert_int_equal(pthread_barrier_init(&hall.barrier, NULL, MOST), 0);
        for (int k = 0; k < MOST; k++) {
            struct guest *g = &guest[k];
            for (int32_t i = 0; i < 11; i++) g->order[i] = i + 1;
            for (uint32_t i = 10; i > 0; i--) {
                uint32_t j = rng_below(&rng, i + 1);
                int32_t swap = g->order[i];
                g->order[i] = g->order[j], g->order[j] = swap;
            }
            struct player *p = &g->player;
            p->hall = &hall, p->inst = inst;
            p->comm = (ucpo_comm){.rank = k, .ranks = MOST, .gather = gather, .user = p};
            assert_int_equal(pthread_create(&thread[k], NULL, meet, g), 0);
        }
        int best = 0;
        for (int k = 0; k < MOST; k++) pthread_join(thread[k], NULL);
        for (int k = 1; k < MOST; k++)
            if (guest[k].worth < guest[best].worth) best = k;
        for (int k = 0; k < MOST; k++) {
            assert_int_equal(guest[k].player.status, UCPO_OK);
            assert_true(worth(guest[k].news.objective, guest[k].news.violation) ==
                        guest[best].worth);
            assert_int_equal(guest[k].news.distinct, MOST);
        }
        seen[best]++;
        pthread_barrier_destroy(&hall.barrier);
    }
    for (int k = 0; k < MOST; k++) assert_true(seen[k] > 0);
    ucpo_instance_free(inst);
}

static void a_stop_in_one_process_ends_all(void **state)
{
    (void)state;
    const char *const problems[] = {"cvrptw", "tsptw"};
    for (size_t k = 0; k < 2; k++) {
        ucpo_instance *inst = instance_of(problems[k], 320);
        struct player player[MOST] = {0};
        player[1].stop_after = 0.2;
        double seconds;
        ucpo_solution *found = play_all(player, MOST, inst, 60.0, &seconds);
        assert_int_equal(found->end, UCPO_SOLVE_STOPPED);
        assert_true(seconds < 30.0);
        ucpo_solution_free(found);
        ucpo_instance_free(inst);
    }
}

static void a_proof_in_one_process_ends_all(void **state)
{
    (void)state;
    ucpo_instance *inst = instance_of("tspdl", 8);
    struct player player[2] = {0};
    double seconds;
    ucpo_solution *found = play_all(player, 2, inst, 60.0, &seconds);
    assert_int_equal(found->end, UCPO_SOLVE_OPTIMAL);
    assert_true(seconds < 30.0 && found->bound > 0.0);
    ucpo_solution_free(found);
    ucpo_instance_free(inst);
}

static void without_a_time_limit_each_process_is_alone(void **state)
{
    (void)state;
    ucpo_instance *inst = instance_of("cvrptw", 12);
    struct player player[2] = {0};
    double seconds;
    ucpo_solution *found = play_all(player, 2, inst, 0.0, &seconds);
    assert_int_equal(player[0].gathered, 0);
    ucpo_solution_free(found);
    ucpo_instance_free(inst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_processes_end_with_the_best_plan),
        cmocka_unit_test(whoever_has_the_best_plan_all_go_on_with_it),
        cmocka_unit_test(a_stop_in_one_process_ends_all),
        cmocka_unit_test(a_proof_in_one_process_ends_all),
        cmocka_unit_test(without_a_time_limit_each_process_is_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
