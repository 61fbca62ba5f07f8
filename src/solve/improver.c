/* Local searches side by side: a wave of them, each from a start of its own. */
#include "solve/solve.h"

#include "core/par.h"

#include <stdlib.h>
#include <string.h>

struct search {
    int32_t *start, *nodes;
    size_t start_len, len;
    uint64_t seed;
    double objective, violation;
    int is_done;
};

struct improver {
    const ucpo_instance *inst;
    int threads, is_tour;
    size_t room;
    struct ground *ground;  /* of all searches, made by the first wave; NULL: of no instance yet */
    int is_ready;           /* the ground, for this instance */
    struct refine **refine; /* one per thread, made when it is needed */
    int *is_bound;          /* to this ground */
    struct search search[SOLVE_WAVE];
    int32_t *store;
    int count; /* searches of the wave at hand */
    int64_t effort;
    const struct stop *stop;
    struct board *board;         /* or NULL */
    const struct errand *errand; /* or NULL */
};

static ucpo_status create(const ucpo_instance *inst, size_t room, int threads,
                          struct improver **out, ucpo_error *err)
{
    struct improver *m = mem_zeroed(1, sizeof *m);
    if (!m) return status_no_memory(err, sizeof *m);
    m->inst = inst;
    m->threads = threads;
    m->room = room;
    m->refine = mem_zeroed((size_t)threads, sizeof(struct refine *));
    m->is_bound = mem_zeroed((size_t)threads, sizeof *m->is_bound);
    m->store = mem_zeroed((size_t)2 * SOLVE_WAVE * room, sizeof *m->store);
    if (!m->refine || !m->is_bound || !m->store) {
        improver_free(m);
        return status_no_memory(err, (size_t)2 * SOLVE_WAVE * room * sizeof *m->store);
    }
    for (size_t k = 0; k < SOLVE_WAVE; k++) {
        m->search[k].start = m->store + 2 * k * room;
        m->search[k].nodes = m->store + (2 * k + 1) * room;
    }
    *out = m;
    return UCPO_OK;
}

static int is_tour(const ucpo_instance *inst)
{
    return inst->ops->max_vehicles == 1;
}

ucpo_status improver_fit(struct improver **improver, const ucpo_instance *inst, size_t room,
                         int threads, ucpo_error *err)
{
    struct improver *m = *improver;
    if (threads > SOLVE_WAVE) threads = SOLVE_WAVE;
    if (m && m->threads == threads && m->room >= room && m->is_tour == is_tour(inst)) {
        m->inst = inst;
        m->is_ready = 0;
        for (int t = 0; t < threads; t++) m->is_bound[t] = 0;
        return UCPO_OK;
    }
    improver_free(m);
    *improver = NULL;
    ucpo_status st = create(inst, room, threads, improver, err);
    if (!st) (*improver)->is_tour = is_tour(inst);
    return st;
}

void improver_free(struct improver *m)
{
    if (!m) return;
    for (int t = 0; m->refine && t < m->threads; t++) refine_free(m->refine[t]);
    ground_free(m->ground);
    free(m->refine);
    free(m->is_bound);
    free(m->store);
    free(m);
}

void improver_clear(struct improver *m)
{
    m->count = 0;
}

void improver_add(struct improver *m, const int32_t *nodes, size_t len, int is_reversed,
                  uint64_t seed)
{
    struct search *s = &m->search[m->count++];
    for (size_t i = 0; i < len; i++) s->start[i] = nodes[is_reversed ? len - 1 - i : i];
    s->start_len = len;
    s->seed = seed;
    s->is_done = 0;
}

static void offer(void *user, const struct refined *best)
{
    board_offer(user, best->nodes, best->len, best->objective, best->violation);
}

static void run_search(const struct improver *m, struct refine *refine, const struct stop *stop)
{
    struct teller teller = {.inner = stop, .refine = refine, .offer = offer, .user = m->board};
    struct stop telling = teller_stop(&teller);
    refine_run(refine, m->effort, m->board ? &telling : stop);
}

static ucpo_status search_one(void *context, size_t begin, size_t end, int thread, ucpo_error *err)
{
    struct improver *m = context;
    (void)end; /* searches come one at a time, the errand first */
    if (m->errand && begin == 0) return m->errand->run(m->errand->user, &m->stop[thread], err);
    struct search *s = &m->search[begin - (m->errand != NULL)];
    if (stop_is_asked(&m->stop[thread])) return UCPO_E_CANCELLED;
    ucpo_status st = UCPO_OK;
    if (!m->refine[thread])
        st = refine_create_on(m->ground, &m->refine[thread], err);
    else if (!m->is_bound[thread])
        st = refine_bind_on(m->refine[thread], m->ground, err);
    m->is_bound[thread] = !st;
    if (!st) st = refine_start(m->refine[thread], s->start, s->start_len, s->seed, err);
    if (st) return st;
    run_search(m, m->refine[thread], &m->stop[thread]);
    struct refined best = refine_best(m->refine[thread]);
    memcpy(s->nodes, best.nodes, best.len * sizeof *s->nodes);
    s->len = best.len;
    s->objective = best.objective;
    s->violation = best.violation;
    s->is_done = 1;
    return UCPO_OK;
}

static ucpo_status make_ground(struct improver *m, ucpo_error *err)
{
    ucpo_status st = m->ground ? ground_bind(m->ground, m->inst, m->stop, err)
                               : ground_create(m->inst, m->stop, &m->ground, err);
    m->is_ready = !st;
    return st;
}

ucpo_status improver_wave(struct improver *m, int64_t effort, const struct stop *stop,
                          struct board *board, const struct errand *errand, ucpo_error *err)
{
    m->effort = effort;
    m->stop = stop;
    m->board = board;
    m->errand = errand;
    ucpo_status st = m->is_ready ? UCPO_OK : make_ground(m, err);
    if (st) return st;
    return par_run((size_t)m->count + (errand != NULL), 1, m->threads, NULL, search_one, m, err);
}

int improver_result(const struct improver *m, int k, struct sampled *out)
{
    if (k >= m->count || !m->search[k].is_done) return 0;
    const struct search *s = &m->search[k];
    *out = (struct sampled){s->nodes, s->len, s->objective, s->violation};
    return 1;
}
