/* Better plans, told while the search goes on: threads put them on a board, the calling thread takes them from there
 * and tells the hook. */
#include "solve/solve.h"

#include "core/clock.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define BETWEEN_OFFERS 0.03 /* seconds, of one thread */
#define BETWEEN_NEWS   0.1  /* seconds: at most ten a second */
#define WORTH_TELLING  1e-9 /* share of the cost; less is the same sum in another order */

/* ---- the board ---- */

struct board {
    pthread_mutex_t lock;
    atomic_uint version; /* rises with every plan */
    int32_t *nodes;
    size_t len, room;
    double objective, violation;
};

ucpo_status board_create(size_t room, struct board **out, ucpo_error *err)
{
    struct board *b = mem_zeroed(1, sizeof *b);
    if (!b) return status_no_memory(err, sizeof *b);
    b->room = room;
    b->nodes = mem_zeroed(room, sizeof *b->nodes);
    if (!b->nodes || pthread_mutex_init(&b->lock, NULL) != 0) {
        free(b->nodes);
        free(b);
        return status_no_memory(err, room * sizeof *b->nodes);
    }
    *out = b;
    return UCPO_OK;
}

void board_free(struct board *b)
{
    if (!b) return;
    pthread_mutex_destroy(&b->lock);
    free(b->nodes);
    free(b);
}

void board_offer(struct board *b, const int32_t *nodes, size_t len, double objective,
                 double violation)
{
    pthread_mutex_lock(&b->lock);
    int is_better = atomic_load(&b->version) == 0 ||
                    ucpo_compare(NULL, objective, violation, b->objective, b->violation) < 0;
    if (is_better && len <= b->room) {
        memcpy(b->nodes, nodes, len * sizeof *nodes);
        b->len = len;
        b->objective = objective;
        b->violation = violation;
        atomic_fetch_add(&b->version, 1);
    }
    pthread_mutex_unlock(&b->lock);
}

/* What came since version *seen, into `nodes`; returns 0 if nothing did. */
static int board_take(struct board *b, unsigned *seen, int32_t *nodes, size_t *len)
{
    if (!b || atomic_load(&b->version) == *seen) return 0;
    pthread_mutex_lock(&b->lock);
    *seen = atomic_load(&b->version);
    *len = b->len;
    memcpy(nodes, b->nodes, b->len * sizeof *nodes);
    pthread_mutex_unlock(&b->lock);
    return 1;
}

/* ---- a search that tells ---- */

static int ask_and_offer(void *user)
{
    struct teller *t = user;
    int is_over = stop_is_asked(t->inner);
    double now = clock_seconds();
    if (now - t->offered < BETWEEN_OFFERS) return is_over;
    struct refined best = refine_best(t->refine);
    if (t->is_known &&
        ucpo_compare(NULL, best.objective, best.violation, t->objective, t->violation) >= 0)
        return is_over;
    t->offered = now;
    t->is_known = 1;
    t->objective = best.objective;
    t->violation = best.violation;
    t->offer(t->user, &best);
    return is_over;
}

static double share_of_inner(void *user)
{
    const struct teller *t = user;
    return t->inner && t->inner->share ? t->inner->share(t->inner->user) : -1.0;
}

struct stop teller_stop(struct teller *t)
{
    return (struct stop){ask_and_offer, t, share_of_inner};
}

/* ---- the hooks ---- */

ucpo_status herald_begin(struct herald *h, const ucpo_solve_config *config,
                         const struct solve_pool *pool, int is_reversed, ucpo_error *err)
{
    size_t room = pool->room;
    *h = (struct herald){.config = config, .pool = pool, .is_reversed = is_reversed};
    h->begin = clock_seconds();
    h->last = -HUGE_VAL;
    if (!config->improved && !config->watch) return UCPO_OK;
    h->nodes = mem_zeroed(3 * room, sizeof *h->nodes);
    h->visited = mem_zeroed((size_t)pool->inst->data.n, 1);
    if (!h->nodes || !h->visited) return status_no_memory(err, 3 * room * sizeof *h->nodes);
    h->taken = h->nodes + room;
    h->turned = h->nodes + 2 * room;
    return board_create(room, &h->board, err);
}

void herald_end(struct herald *h)
{
    board_free(h->board);
    free(h->nodes);
    free(h->visited);
}

/* Keeps the plan if it is better than what was known. */
static void learn(struct herald *h, const int32_t *nodes, size_t len, double cost, double violation)
{
    double objective = cost / h->pool->inst->data.unit;
    if (h->is_known && ucpo_compare(NULL, objective, violation, h->objective, h->violation) >= 0)
        return;
    memcpy(h->nodes, nodes, len * sizeof *nodes);
    h->is_known = 1;
    h->len = len;
    h->cost = cost;
    h->objective = objective;
    h->violation = violation;
}

/* The plan on the board, as the checker sees it in the instance's own direction. */
static void learn_from_board(struct herald *h)
{
    size_t len = 0;
    ucpo_evaluation e;
    if (!board_take(h->board, &h->seen, h->taken, &len)) return;
    len = solve_plain_plan(h->taken, len, h->is_reversed, h->turned);
    prob_check(h->pool->inst, h->turned, len, &e, h->visited, NULL, 0, NULL, 0);
    learn(h, h->turned, len, e.cost, e.is_feasible ? 0.0 : e.violation);
}

static void learn_from_pool(struct herald *h)
{
    const struct solve_candidate *c = &h->pool->item[0];
    if (h->pool->improved == h->improved) return;
    h->improved = h->pool->improved;
    learn(h, c->nodes, c->len, c->cost, c->violation);
}

/* Whether what is known now is not what was told. */
static int is_news(const struct herald *h, int is_last)
{
    if (!h->is_told || h->violation < h->told_violation) return 1;
    double less = is_last ? 0.0 : WORTH_TELLING * fabs(h->told_cost);
    return h->violation <= h->told_violation && h->cost < h->told_cost - less;
}

void herald_look(struct herald *h, double bound, int is_last)
{
    const ucpo_solve_config *c = h->config;
    if (!h->board || h->pool->count == 0) return;
    double now = clock_seconds();
    if (!is_last && now - h->last < BETWEEN_NEWS) return;
    learn_from_pool(h);
    learn_from_board(h);
    int is_better = is_news(h, is_last);
    if (!is_better && !c->watch) return;
    h->last = now;
    int is_feasible = h->violation <= 0.0;
    ucpo_solve_progress progress = {.seconds = now - h->begin,
                                    .candidates = h->pool->candidates,
                                    .is_feasible = is_feasible,
                                    .cost = h->cost,
                                    .violation = h->violation,
                                    .nodes = h->nodes,
                                    .len = h->len,
                                    .bound = is_feasible && bound > h->cost ? h->cost : bound};
    if (is_better) h->is_told = 1, h->told_cost = h->cost, h->told_violation = h->violation;
    if (is_better && c->improved) c->improved(c->user, &progress);
    if (c->watch) c->watch(c->user, &progress);
}
