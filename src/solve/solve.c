/* The run: where candidates come from, in which order, and what ends it. */
#include "solve/solve.h"

#include "bound/bound.h"

#include "core/clock.h"

#include "core/hash.h"
#include "core/par.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_THREADS = 64,
    WAVE = 4,         /* searches of a wave when no time limit is set: the same on every machine */
    WAVES = 2,        /* and how many waves */
    SLOW_RULES = 400, /* nodes above which rules take as long as a model's plan */
    FAST_RULES = 100, /* nodes up to which all rules together take a millisecond */
    STAGES = 5 /* of the last wave, if threads have parts of a plan: so often it is cut anew */
};

#define SAME_COST 1e-9 /* sums of the same costs in another order, as a share */

static const double turn_of_stage = 0.382; /* no two cuts near each other */

#define LEAST_PROOF 0.05 /* seconds: shorter limits leave no time for a proof, */
#define PROOF_SHARE 0.1  /* longer ones this share, */
#define LONG_PROOF  0.4  /* from so many seconds on, */
#define PROOF_TIME  0.3  /* so many, if that is no more than */
#define PROOF_LEFT  0.25 /* of what is left; of several threads */
#define PROOF_TURN  0.5  /* only one is kept from searching */
#define MOVE_TIME   6e-8 /* seconds, about, that a search takes to price a move */
#define ALONE_SHARE 0.3  /* of the time, before processes share the parts of a plan */

struct run;
struct proof;

/* What a thread's stop asks. */
struct thread_stop {
    struct run *run;
    int is_caller; /* the calling thread: the only one that may call hooks */
};

struct run {
    struct solve_pool *pool;
    const ucpo_solve_config *config;
    const ucpo_instance *work; /* the instance's `load` */
    int is_reversed;           /* whose plans run backwards */
    double begin, last_asked;
    atomic_int is_over; /* 0, or 1 + ucpo_solve_end */
    double phase_end;   /* seconds after which the phase at hand ends; 0: with the run */
    double wave_begin;  /* seconds at which the searches at hand began */
    int64_t most;       /* samples per image */
    int64_t rounds, searches;
    uint64_t fresh[SOLVE_POOL]; /* plans no search has started from, best first */
    int fresh_count, fresh_next;
    int64_t initial_feasible;
    struct herald herald;
    int is_proof_tried;
    const struct proof *proof; /* that a thread tries besides the searches */
    atomic_int is_proved;      /* by it: they end */
    int images;
    int has_plan; /* of the model, a feasible one */
    double bound;
    int is_hopeless; /* no plan is feasible: proved */
    int threads;     /* with other processes: the fewest of all */
    int is_closed;   /* there will be no further meeting of them */
    struct thread_stop thread[MAX_THREADS];
    struct stop stop[MAX_THREADS];
};

/* ---- ends ---- */

static void end_with(struct run *r, ucpo_solve_end end)
{
    int none = 0;
    atomic_compare_exchange_strong(&r->is_over, &none, 1 + (int)end);
}

/* Candidates so far of all, or without such a limit milliseconds of the time. */
static int ask_caller(struct run *r, double passed)
{
    const ucpo_solve_config *c = r->config;
    size_t done = (size_t)r->pool->candidates, total = SIZE_MAX;
    if (c->time_limit > 0.0 && (c->refine || r->most == INT64_MAX)) {
        done = (size_t)(1000.0 * passed);
        total = (size_t)(1000.0 * c->time_limit) + 1;
    } else if (r->most < INT64_MAX) {
        total = (size_t)(r->most + 1) * (size_t)r->images + CONSTRUCT_RULES + 1;
        if (c->refine) total += (size_t)WAVE * WAVES;
    }
    return hooks_progress(&c->hooks, done < total ? done : total - 1, total);
}

static double known_bound(const struct run *r);

static void look(struct run *r)
{
    herald_look(&r->herald, known_bound(r), 0);
}

static int ask(void *user)
{
    struct thread_stop *t = user;
    struct run *r = t->run;
    if (atomic_load(&r->is_over)) return 1;
    double passed = clock_seconds() - r->begin;
    if (r->config->time_limit > 0.0 && passed >= r->config->time_limit)
        end_with(r, UCPO_SOLVE_TIME);
    if (t->is_caller) look(r);
    if (t->is_caller && passed - r->last_asked >= 0.01) {
        r->last_asked = passed;
        if (ask_caller(r, passed)) end_with(r, UCPO_SOLVE_STOPPED);
        const ucpo_comm *comm = r->config->comm; /* why, the others will say when all meet */
        if (comm && comm->over && comm->over(comm->user, 0)) end_with(r, UCPO_SOLVE_TIME);
    }
    int is_phase_over = r->phase_end > 0.0 && passed >= r->phase_end;
    return is_phase_over || atomic_load(&r->is_over) != 0 || atomic_load(&r->is_proved) != 0;
}

/* Of the time that the searches at hand have, if they are the last. */
static double share_spent(void *user)
{
    const struct run *r = ((const struct thread_stop *)user)->run;
    double left = r->config->time_limit - r->wave_begin;
    if (!(left > 0.0)) return r->config->time_limit > 0.0 ? 1.0 : -1.0;
    return (clock_seconds() - r->begin - r->wave_begin) / left;
}

/* ---- candidates ---- */

static void report(struct run *r)
{
    const struct solve_pool *p = r->pool;
    if (r->config->candidate)
        r->config->candidate(r->config->user, p->last_objective * p->inst->data.unit,
                             p->last_violation);
    look(r);
}

static ucpo_status take(struct run *r, const int32_t *nodes, size_t len, double objective,
                        double violation, ucpo_error *err)
{
    if (r->work != r->pool->inst && !r->is_reversed)
        violation = -1.0; /* of an image that is harder */
    ucpo_status st = solve_pool_add(r->pool, nodes, len, objective, violation, r->is_reversed, err);
    if (st) return st;
    report(r);
    if (r->config->first_feasible && r->pool->feasible > r->initial_feasible)
        end_with(r, UCPO_SOLVE_FEASIBLE);
    return UCPO_OK;
}

static ucpo_status take_initial(struct run *r, ucpo_error *err)
{
    if (!r->config->initial) return UCPO_OK;
    ucpo_status st =
        solve_pool_add(r->pool, r->config->initial, r->config->initial_len, 0.0, -1.0, 0, err);
    r->initial_feasible = r->pool->feasible;
    if (!st) report(r);
    return st;
}

/* ---- other processes ---- */

static int thread_count(const struct run *r)
{
    int threads = par_threads(r->config->threads);
    return threads < MAX_THREADS ? threads : MAX_THREADS;
}

/* All processes tell how they stand; who is over ends the run for all. The best plan into `plan`. */
static ucpo_status meet(struct run *r, int32_t *plan, size_t *len, ucpo_error *err)
{
    const ucpo_comm *comm = r->config->comm;
    struct solve_news news = {.over = atomic_load(&r->is_over),
                              .threads = thread_count(r),
                              .rounds = r->rounds,
                              .searches = r->searches,
                              .bound = r->bound};
    if (news.over > 1 + UCPO_SOLVE_TIME && comm->over) (void)comm->over(comm->user, 1);
    ucpo_status st = solve_meet(comm, r->pool, &news, plan, err);
    if (st) return st;
    report(r);
    *len = (size_t)news.len;
    r->threads = (int)news.threads;
    if (news.over == 0) return UCPO_OK;
    atomic_store(&r->is_over, (int)news.over);
    r->is_closed = 1;
    r->rounds = news.rounds;
    r->searches = news.searches;
    r->bound = news.bound;
    r->pool->candidates = news.candidates;
    r->pool->distinct = news.distinct;
    r->pool->feasible = news.feasible;
    r->pool->disputed = news.disputed;
    return UCPO_OK;
}

/* The best plan so far: of this process, or with others of all. */
static ucpo_status agree(struct run *r, int32_t *plan, size_t *len, ucpo_error *err)
{
    if (r->config->comm) return meet(r, plan, len, err);
    *len = r->pool->item[0].len;
    memcpy(plan, r->pool->item[0].nodes, *len * sizeof *plan);
    return UCPO_OK;
}

static ucpo_status meet_last(struct run *r, ucpo_error *err)
{
    if (!r->config->comm || r->is_closed) return UCPO_OK;
    size_t len = 0;
    int32_t *plan = mem_zeroed(r->pool->room, sizeof *plan);
    if (!plan) return status_no_memory(err, r->pool->room * sizeof *plan);
    end_with(r, UCPO_SOLVE_FINISHED);
    ucpo_status st = meet(r, plan, &len, err);
    free(plan);
    return st;
}

/* ---- constructive rules, side by side ---- */

struct built {
    struct run *run;
    struct construct *construct[CONSTRUCT_RULES];
    size_t first;   /* of the rules at hand */
    int32_t *nodes; /* CONSTRUCT_RULES x 2 n */
    size_t room, len[CONSTRUCT_RULES];
    int is_done[CONSTRUCT_RULES];
};

static ucpo_status build_one(void *context, size_t begin, size_t end, int thread, ucpo_error *err)
{
    struct built *b = context;
    size_t k = b->first + begin;
    (void)end;
    const struct stop *stop = b->run->work->data.n > FAST_RULES ? &b->run->stop[thread] : NULL;
    ucpo_status st = construct_create(b->run->work, &b->construct[k], err);
    if (!st)
        st = construct_run(b->construct[k], (int)k, stop, b->nodes + k * b->room, &b->len[k], err);
    b->is_done[k] = !st;
    return st;
}

static ucpo_status take_built(struct built *b, ucpo_error *err)
{
    ucpo_status st = UCPO_OK;
    for (size_t k = b->first; !st && k < CONSTRUCT_RULES && b->is_done[k]; k++) {
        if (k > 0 && atomic_load(&b->run->is_over) == 1 + UCPO_SOLVE_FEASIBLE) break;
        st = take(b->run, b->nodes + k * b->room, b->len[k], 0.0, -1.0, err);
    }
    return st;
}

/* Rules first .. end - 1. Rule 0 is there however short the time is, and where they are fast all are. */
static ucpo_status build(struct run *r, int first, int end, ucpo_error *err)
{
    struct built b = {.run = r, .room = 2 * (size_t)r->work->data.n, .first = (size_t)first};
    b.nodes = mem_zeroed(CONSTRUCT_RULES * b.room, sizeof *b.nodes);
    if (!b.nodes) return status_no_memory(err, CONSTRUCT_RULES * b.room * sizeof *b.nodes);
    int threads =
        r->work->data.n > SLOW_RULES ? thread_count(r) : 1; /* below it is not worth the start */
    ucpo_status st = par_run((size_t)(end - first), 1, threads, NULL, build_one, &b, err);
    if (st == UCPO_E_CANCELLED) {
        st = UCPO_OK;
        if (first == 0 && !b.is_done[0]) {
            construct_free(b.construct[0]);
            b.construct[0] = NULL;
            st = build_one(&b, 0, 1, 0, err);
        }
    }
    if (!st) st = take_built(&b, err);
    for (int k = 0; k < CONSTRUCT_RULES; k++) construct_free(b.construct[k]);
    free(b.nodes);
    return st;
}

/* ---- the model ---- */

static ucpo_status take_round(struct run *r, const struct sampler *s, ucpo_error *err)
{
    int done = sampler_done(s);
    ucpo_status st = UCPO_OK;
    for (int k = 0; !st && k < done; k++) {
        struct sampled c = sampler_at(s, k);
        st = take(r, c.nodes, c.len, c.objective, c.violation, err);
        r->has_plan |= !st && r->pool->last_violation <= 0.0;
        if (atomic_load(&r->is_over) == 1 + UCPO_SOLVE_FEASIBLE) break;
    }
    return st;
}

static ucpo_status sample(struct run *r, struct sampler *s, ucpo_error *err)
{
    ucpo_status st = UCPO_OK;
    int64_t drawn = 0;
    for (int64_t round = 0; !st && (round == 0 || drawn < r->most); round++) {
        if (ask(&r->thread[0])) break;
        st = sampler_round(s, round, r->most, r->stop, err);
        if (st && st != UCPO_E_CANCELLED) return st;
        int is_cut = st == UCPO_E_CANCELLED;
        st = take_round(r, s, err);
        if (is_cut) break;
        if (round > 0) drawn += sampler_round_samples(s);
        r->rounds++;
    }
    return st;
}

static ucpo_status use_model(struct run *r, struct solve_space *space,
                             const struct solve_model *model, ucpo_error *err)
{
    ucpo_status st = sampler_fit(&space->sampler, model, r->config, r->work, r->images, err);
    return st ? st : sample(r, space->sampler, err);
}

/* Plans to start from: of the rules, and of the model. Where rules take long and time is limited, a search,
 * which begins with the best plan, gains more by that time: all but the first rule then only stand in for a
 * model that is not done in time or has no feasible plan. */
static ucpo_status find_starts(struct run *r, struct solve_space *space,
                               const struct solve_model *model, ucpo_error *err)
{
    double limit = r->config->refine ? r->config->time_limit : 0.0;
    int is_short = limit > 0.0 && r->images > 0 && r->work->data.n > SLOW_RULES;
    if (limit > 0.0 && refine_begins_anew(r->work)) {
        r->images = 0;
        return build(r, 0, 1, err);
    }
    r->phase_end = (r->images > 0 ? 0.2 : 0.5) * limit; /* many stops need a good start */
    ucpo_status st = build(r, 0, is_short ? 1 : CONSTRUCT_RULES, err);
    r->phase_end = 0.5 * limit;
    int has_time = r->images > 0 && !ask(&r->thread[0]);
    if (!st && has_time) st = use_model(r, space, model, err);
    if (!has_time) r->images = 0;
    if (st || !is_short || r->has_plan) return st;
    r->phase_end = 0.75 * limit;
    return ask(&r->thread[0]) ? UCPO_OK : build(r, 1, CONSTRUCT_RULES, err);
}

/* ---- local searches ---- */

int64_t solve_first_effort(int32_t n)
{
    return n < 350 ? 160 * (int64_t)n * n : 20000000;
}

static void note_fresh(struct run *r)
{
    for (int k = 0; k < r->pool->count; k++) r->fresh[k] = r->pool->item[k].hash;
    r->fresh_count = r->pool->count;
}

/* The best plan that no search has started from yet, or the best of all. */
static const struct solve_candidate *next_start(struct run *r, int may_be_fresh)
{
    const struct solve_pool *p = r->pool;
    while (may_be_fresh && r->fresh_next < r->fresh_count) {
        uint64_t hash = r->fresh[r->fresh_next++];
        for (int k = 0; k < p->count; k++)
            if (p->item[k].hash == hash) return &p->item[k];
    }
    return &p->item[0];
}

static uint64_t search_seed(const struct run *r, int wave, int k)
{
    uint64_t index = r->config->number * 65536 + (uint64_t)(wave * SOLVE_WAVE + k);
    struct rng rng = rng_at(r->config->seed, RNG_SEARCH, index);
    return rng_u32(&rng);
}

/* Of a wave. */
static int search_count(const struct run *r)
{
    int count = r->config->time_limit > 0.0 ? thread_count(r) : WAVE;
    return count < SOLVE_WAVE ? count : SOLVE_WAVE;
}

/* Wave 0 starts from the best distinct plans; later ones alternate between the best so far and
 * plans that have not had their turn. */
static void put_together(struct run *r, struct improver *m, int wave, int size)
{
    improver_clear(m);
    for (int k = 0; k < size; k++) {
        const struct solve_candidate *s = next_start(r, wave == 0 || (k + wave) % 2 == 0);
        improver_add(m, s->nodes, s->len, r->is_reversed, search_seed(r, wave, k));
    }
}

/* The plan is annealed in the time that is left, unless several waves still fit into it. */
static int is_last_wave(const struct run *r, double took)
{
    double left = r->config->time_limit - r->wave_begin;
    return r->config->time_limit > 0.0 && left < 4.0 * took && !(r->phase_end > 0.0);
}

/* ---- whether the best plan is the best there is ---- */

struct proof {
    struct run *run;
    double upper, end; /* seconds since the begin */
    struct bound bound;
    atomic_int is_done;
};

static double known_bound(const struct run *r)
{
    int is_there = r->proof && atomic_load(&r->proof->is_done);
    return is_there ? fmax(r->bound, r->proof->bound.cost) : r->bound;
}

struct proof_stop {
    const struct proof *proof;
    const struct stop *inner;
};

static int ask_proof(void *user)
{
    const struct proof_stop *s = user;
    double passed = clock_seconds() - s->proof->run->begin;
    return stop_is_asked(s->inner) || passed >= s->proof->end;
}

/* Up to BOUND_EXACT customers it is known before. */
static int wants_proof(const struct run *r)
{
    double limit = r->config->time_limit;
    int32_t n = r->work->data.n;
    return r->config->prove && !r->is_proof_tried && n - 1 > BOUND_EXACT && n <= BOUND_NODES &&
           r->pool->item[0].violation <= 0.0 && !(limit > 0.0 && limit < LEAST_PROOF);
}

/* Seconds since the begin at which it is given up. */
static double proof_end(const struct run *r)
{
    double limit = r->config->time_limit, passed = clock_seconds() - r->begin;
    if (!(limit > 0.0)) return HUGE_VAL;
    double part = thread_count(r) > 1 ? PROOF_TURN : PROOF_LEFT;
    double most = limit < LONG_PROOF ? 0.0 : fmin(PROOF_TIME, part * (limit - passed));
    return passed + fmax(PROOF_SHARE * limit, most);
}

static ucpo_status proof_begin(struct run *r, struct proof *p, ucpo_error *err)
{
    size_t n = (size_t)r->work->data.n;
    *p = (struct proof){.run = r, .upper = r->pool->item[0].cost, .end = proof_end(r)};
    p->bound.better = mem_zeroed(n, sizeof *p->bound.better);
    r->is_proof_tried = 1;
    return p->bound.better ? UCPO_OK : status_no_memory(err, n * sizeof *p->bound.better);
}

/* On any thread. */
static ucpo_status proof_run(void *user, const struct stop *stop, ucpo_error *err)
{
    struct proof *p = user;
    struct proof_stop own = {p, stop};
    struct stop both = {.ask = ask_proof, .user = &own};
    const ucpo_instance *inst = instance_for_bounds(p->run->pool->inst);
    ucpo_status st = bound_compute(inst, p->upper, &both, &p->bound, err);
    if (!st && p->bound.is_optimal) atomic_store(&p->run->is_proved, 1);
    atomic_store(&p->is_done, !st);
    return st;
}

/* What came out; the checker has the last word about a plan. */
static ucpo_status proof_take(struct run *r, struct proof *p, ucpo_error *err)
{
    const struct bound *b = &p->bound;
    ucpo_status st = UCPO_OK;
    atomic_store(&r->is_proved, 0);
    if (b->has_better)
        st =
            take(r, b->better, (size_t)r->work->data.n - 1, b->cost / r->work->data.unit, 0.0, err);
    if (st) return st;
    const struct solve_candidate *best = &r->pool->item[0];
    r->bound = fmax(r->bound, b->cost);
    int over = atomic_load(&r->is_over), is_free = over == 0 || over == 1 + UCPO_SOLVE_TIME;
    int is_best = best->violation <= 0.0 && best->cost <= b->cost + SAME_COST * fabs(b->cost);
    if (b->is_optimal && is_best && is_free) atomic_store(&r->is_over, 1 + UCPO_SOLVE_OPTIMAL);
    return UCPO_OK;
}

static void proof_free(struct proof *p)
{
    free(p->bound.better);
}

/* Between waves. */
static ucpo_status prove(struct run *r, ucpo_error *err)
{
    struct proof p;
    ucpo_status st = proof_begin(r, &p, err);
    if (!st) st = proof_run(&p, &r->stop[0], err);
    if (!st) st = proof_take(r, &p, err);
    proof_free(&p);
    return st;
}

static ucpo_status run_stages(struct run *r, int parts, int wave, int32_t *nodes, size_t len,
                              ucpo_error *err)
{
    const ucpo_comm *comm = r->config->comm;
    double left = r->config->time_limit - r->wave_begin;
    ucpo_status st = UCPO_OK;
    for (int stage = 0; !st && stage < STAGES; stage++) {
        if (comm ? r->is_closed : ask(&r->thread[0])) break; /* processes end in a meeting only */
        if (stage < STAGES - 1) r->phase_end = r->wave_begin + left * (stage + 1) / STAGES;
        st = split_search(r->work, nodes, &len, parts, stage * turn_of_stage,
                          search_seed(r, wave, stage), comm, r->stop, r->herald.board, err);
        r->phase_end = 0.0;
        if (!st) st = take(r, nodes, len, 0.0, -1.0, err);
        r->searches += comm ? thread_count(r) : parts;
        if (!st) st = agree(r, nodes, &len, err);
    }
    return st;
}

/* The last wave of a large fleet: threads, of all processes, have a part of the plan each. At some shares of
 * the time they put the parts together and cut the plan elsewhere; heat goes on falling from stage to stage. */
static ucpo_status run_parts(struct run *r, int wave, ucpo_error *err)
{
    const ucpo_comm *comm = r->config->comm;
    int32_t *nodes = mem_zeroed(r->pool->room, sizeof *nodes);
    if (!nodes) return status_no_memory(err, r->pool->room * sizeof *nodes);
    size_t len = 0;
    ucpo_status st = agree(r, nodes, &len, err);
    if (comm) r->wave_begin = clock_seconds() - r->begin;
    int threads = comm ? r->threads * comm->ranks : search_count(r);
    if (!st && r->pool->item[0].violation <= 0.0)
        st = run_stages(r, split_parts(r->work, threads), wave, nodes, len, err);
    free(nodes);
    return st;
}

/* What the searches of a wave found, up to the first feasible plan if that is all that was asked for. */
static ucpo_status take_found(struct run *r, const struct improver *m, int size, ucpo_error *err)
{
    struct sampled found;
    for (int k = 0; k < size; k++) {
        if (!improver_result(m, k, &found)) continue;
        ucpo_status st = take(r, found.nodes, found.len, found.objective, found.violation, err);
        if (st) return st;
        r->searches++;
        if (atomic_load(&r->is_over) == 1 + UCPO_SOLVE_FEASIBLE) break;
    }
    return UCPO_OK;
}

/* A wave, and a proof meanwhile: one of the threads tries it before it searches. */
static ucpo_status run_wave(struct run *r, struct improver *m, int64_t effort, int has_proof,
                            int size, ucpo_error *err)
{
    struct proof p = {0};
    struct errand errand = {proof_run, &p};
    ucpo_status st = has_proof ? proof_begin(r, &p, err) : UCPO_OK;
    r->proof = &p;
    if (!st)
        st = improver_wave(m, effort, r->stop, r->herald.board, has_proof ? &errand : NULL, err);
    if (st == UCPO_E_CANCELLED) st = UCPO_OK;
    if (!st) st = take_found(r, m, size, err);
    r->proof = NULL;
    if (!st && has_proof) st = proof_take(r, &p, err);
    proof_free(&p);
    return st;
}

/* The first wave will take most of the time. */
static int is_slow(const struct run *r)
{
    double left = r->config->time_limit - (clock_seconds() - r->begin);
    return MOVE_TIME * (double)solve_first_effort(r->work->data.n) > 0.5 * left;
}

static ucpo_status run_waves(struct run *r, struct improver *m, ucpo_error *err)
{
    int is_timed = r->config->time_limit > 0.0, size = search_count(r);
    int64_t effort = solve_first_effort(r->work->data.n);
    int is_open = is_timed && !r->is_hopeless; /* a plan of the least violation is worth no more */
    int is_between = !is_timed || thread_count(r) == 1; /* the proof: otherwise during a wave */
    ucpo_status st = UCPO_OK;
    for (int wave = 0; (is_open || wave < WAVES) && !ask(&r->thread[0]); wave++) {
        int is_late = wave > 0 || (is_timed && is_slow(r));
        if (wave == 0 && is_late && is_between && wants_proof(r) && (st = prove(r, err))) return st;
        double took = clock_seconds() - r->begin - r->wave_begin;
        r->wave_begin += took;
        put_together(r, m, wave, size);
        int is_last = is_open && wave > 0 && is_last_wave(r, took);
        int is_plan = !r->config->comm && r->pool->item[0].violation <= 0.0;
        int has_parts = is_last && is_plan && split_parts(r->work, size) > 1;
        if (has_parts && wants_proof(r) && (st = prove(r, err))) return st;
        if (has_parts) return run_parts(r, wave, err);
        int is_meanwhile = !is_between && is_late && wants_proof(r);
        st = run_wave(r, m, is_last ? INT64_MAX : effort, is_meanwhile, size, err);
        if (st) return st;
        if (is_between && wants_proof(r) && !ask(&r->thread[0]) && (st = prove(r, err))) return st;
        if (effort < INT64_MAX / 4) effort *= 2;
    }
    return UCPO_OK;
}

static ucpo_status improve(struct run *r, struct solve_space *space, ucpo_error *err)
{
    ucpo_status st = improver_fit(&space->improver, r->work, r->pool->room, thread_count(r), err);
    if (st) return st;
    note_fresh(r);
    const ucpo_comm *comm = r->config->comm;
    if (comm && split_parts(r->work, comm->ranks) > 1) {
        r->phase_end = ALONE_SHARE * r->config->time_limit;
        st = run_waves(r, space->improver, err);
        r->phase_end = 0.0;
        if (!st) st = run_parts(r, 0, err);
        if (st || r->is_closed) return st;
    }
    return run_waves(r, space->improver, err);
}

/* ---- a few customers: everything there is ---- */

/* Of the plans met so far, and of all there are. The checker has the last word: what it says otherwise proves
 * nothing. */
static void conclude(struct run *r, const struct bound_exact *all)
{
    const struct solve_candidate *best = &r->pool->item[0];
    int has_plan = best->violation <= 0.0;
    if (has_plan && all->is_feasible && best->cost >= all->cost - SAME_COST * fabs(all->cost)) {
        r->bound = best->cost;
        atomic_store(&r->is_over, 1 + UCPO_SOLVE_OPTIMAL);
    }
    r->is_hopeless = !has_plan && !all->is_feasible;
}

/* However short the time is: it takes some milliseconds. */
static ucpo_status try_all(struct run *r, ucpo_error *err)
{
    int over = atomic_load(&r->is_over);
    if (!r->config->prove || over == 1 + UCPO_SOLVE_FEASIBLE || over == 1 + UCPO_SOLVE_STOPPED)
        return UCPO_OK;
    struct bound_exact all;
    ucpo_status st = bound_exact(r->pool->inst, &all, err);
    if (st || !all.is_known) return st;
    if (all.is_feasible) {
        st = solve_pool_add(r->pool, all.plan, all.len, 0.0, -1.0, 0, err);
        if (st) return st;
        report(r);
    }
    conclude(r, &all);
    return UCPO_OK;
}

/* ---- all together ---- */

static void set_limits(struct run *r, const struct solve_model *model)
{
    const ucpo_solve_config *c = r->config;
    const ucpo_instance *inst = r->pool->inst;
    int size = inst->data.n - (inst->ops->info.depot_is_extra != 0);
    r->images = model ? solve_images(inst->data.n, c->augment) : 0;
    int is_open = c->time_limit > 0.0 && !c->refine;
    int usual = !c->refine || size <= 100 ? size : 1 + 10000 / size; /* the search needs a few */
    r->most = c->samples > 0 ? c->samples : is_open ? INT64_MAX : usual;
    int is_short = c->refine && c->time_limit > 0.0 && c->samples == 0; /* searches gain more */
    if (c->greedy || r->images == 0 || is_short) r->most = 0;
}

void solve_space_free(struct solve_space *space)
{
    sampler_free(space->sampler);
    improver_free(space->improver);
    *space = (struct solve_space){0};
}

static ucpo_status run_all(struct run *r, struct solve_space *space,
                           const struct solve_model *model, struct solve_result *result,
                           ucpo_error *err)
{
    const ucpo_solve_config *config = r->config;
    const struct solve_candidate *best = &r->pool->item[0];
    ucpo_status st = UCPO_OK;
    if (config->comm)
        st = solve_agree_on(config->comm, instance_hash(HASH_BEGIN, &r->work->data), "instance",
                            err);
    if (!st) st = take_initial(r, err);
    if (!st) st = find_starts(r, space, model, err);
    r->phase_end = 0.0;
    result->start_cost = st || best->violation > 0.0 ? (double)NAN : best->cost;
    if (!st) st = try_all(r, err);
    int is_worth_it = config->refine && r->work->data.n > 2;
    if (!st && is_worth_it && !ask(&r->thread[0])) st = improve(r, space, err);
    if (!st && r->is_hopeless && atomic_load(&r->is_over) != 1 + UCPO_SOLVE_STOPPED)
        atomic_store(&r->is_over, 1 + UCPO_SOLVE_INFEASIBLE);
    if (!st) st = meet_last(r, err);
    if (!st) herald_look(&r->herald, r->bound, 1);
    return st;
}

ucpo_status solve_run(struct solve_space *space, struct solve_pool *pool,
                      const struct solve_model *model, const ucpo_solve_config *config,
                      struct solve_result *result, ucpo_error *err)
{
    struct run r = {.pool = pool, .config = config, .begin = clock_seconds()};
    r.work = pool->inst->load;
    r.is_reversed = instance_is_reversed(pool->inst);
    for (int t = 0; t < MAX_THREADS; t++) {
        r.thread[t] = (struct thread_stop){&r, t == 0};
        r.stop[t] = (struct stop){ask, &r.thread[t], share_spent};
    }
    set_limits(&r, model);
    ucpo_status st = herald_begin(&r.herald, config, pool, r.is_reversed, err);
    if (!st) st = run_all(&r, space, model, result, err);
    herald_end(&r.herald);
    if (st) return st;
    int over = atomic_load(&r.is_over);
    result->end = over ? (ucpo_solve_end)(over - 1) : UCPO_SOLVE_FINISHED;
    result->rounds = r.rounds;
    result->searches = r.searches;
    result->images = r.images;
    result->bound = r.bound;
    result->seconds = clock_seconds() - r.begin;
    return UCPO_OK;
}
