/* An anytime solver for one instance: candidates come one after the other, the best are kept.
 *
 *   the caller's plan -> constructive rules (refine/refine.h) -> with a model: greedy decoding of every
 *   image, then samples in rounds (sampler.c) -> local searches from the best (improver.c)
 *
 * Candidates are numbered in one fixed order. Threads only speed it up; a limit only cuts it (and of slow
 * rules, with a model, all but the first come behind it, if at all). Every
 * candidate that enters the pool is evaluated by the checker, whose numbers count from then on. */
#ifndef UCPO_SOLVE_SOLVE_H
#define UCPO_SOLVE_SOLVE_H

#include "core/stop.h"
#include "policy/policy.h"
#include "refine/refine.h"

enum {
    SOLVE_POOL = 32,         /* best distinct candidates that are kept */
    SOLVE_WAVE = 16,         /* local searches side by side, at most */
    SOLVE_IMAGES = 8,        /* at most */
    SOLVE_MODEL_NODES = 2000 /* above this n the model is left out; see solve_images */
};

/* ---- candidates (pool.c) ---- */

struct solve_candidate {
    double objective, violation; /* normalised, as the checker has it; 0: feasible */
    double cost;                 /* in the instance's unit */
    uint64_t hash;
    size_t len;
    int32_t *nodes; /* in the form ucpo_check takes */
};

/* Best first: feasible ones by objective, then the others by objective + violation. Equal ones in the
 * order they came. Local search may take its starting points from here and add what it finds. */
struct solve_pool {
    const ucpo_instance *inst;
    struct solve_candidate item[SOLVE_POOL];
    int count;
    int64_t candidates, distinct, feasible, disputed;
    int64_t improved;                      /* how often the best one changed */
    double last_objective, last_violation; /* of the candidate that came last, kept or not */
    size_t room;                           /* nodes a plan may have */
    int32_t *store, *draft;
    uint64_t *seen; /* open addressing; 0: empty */
    size_t slots, used;
};

ucpo_status solve_pool_create(const ucpo_instance *inst, size_t longest, struct solve_pool **out,
                              ucpo_error *err);
void solve_pool_free(struct solve_pool *pool);

/* Counts a candidate and keeps it if it is new and good enough. `violation` is the environment's
 * (negative: not known, the checker decides); if the two disagree, `disputed` counts it. is_reversed:
 * the plan is of the mirrored instance. */
ucpo_status solve_pool_add(struct solve_pool *pool, const int32_t *nodes, size_t len,
                           double objective, double violation, int is_reversed, ucpo_error *err);

/* The plan in the form that is kept, into `to`: without depots at its ends or in a row. Returns its length. */
size_t solve_plain_plan(const int32_t *nodes, size_t len, int is_reversed, int32_t *to);

/* Equal for plans with the same routes, whatever the order of the routes. Never 0. */
uint64_t solve_plan_hash(const int32_t *nodes, size_t len);

/* ---- a model's candidates (sampler.c) ---- */

/* A model, and what settings mean for it. */
struct solve_model {
    const struct nn_model *net;
    const real *params;
    struct policy_means means;
};

struct sampler;

/* Images that fit into memory, at most `wanted`; 0: the instance is too large for a model. A function
 * of n alone: 8 up to 1365 nodes, 1 at SOLVE_MODEL_NODES or more than half a gigabyte of tables. */
int solve_images(int32_t n, int wanted);

/* A sampler for `inst` (its own `load`): *sampler, if it fits, otherwise a new one in its place. Model, settings
 * and instance must outlive the rounds. */
ucpo_status sampler_fit(struct sampler **sampler, const struct solve_model *model,
                        const ucpo_solve_config *config, const ucpo_instance *inst, int images,
                        ucpo_error *err);
void sampler_free(struct sampler *sampler);

/* Samples of an image that one round draws. */
int64_t sampler_round_samples(const struct sampler *sampler);

/* Round 0 is greedy, one candidate per image, and encodes the images; round r draws samples
 * (r - 1) k .. r k - 1 of every image, k = sampler_round_samples, but none from `most` on.
 * stop[thread] is asked all the time: then UCPO_E_CANCELLED, and sampler_done says how much is there.
 */
ucpo_status sampler_round(struct sampler *sampler, int64_t round, int64_t most,
                          const struct stop *stop, ucpo_error *err);

/* Candidates of the last round that precede the first missing one. */
int sampler_done(const struct sampler *sampler);

struct sampled {
    const int32_t *nodes;
    size_t len;
    double objective, violation;
};

struct sampled sampler_at(const struct sampler *sampler, int candidate);

/* ---- better plans, told while the search goes on (news.c) ---- */

/* Where threads leave the best plan of all; one at a time looks. */
struct board;

ucpo_status board_create(size_t room, struct board **out, ucpo_error *err);
void board_free(struct board *board);
void board_offer(struct board *board, const int32_t *nodes, size_t len, double objective,
                 double violation);

/* A stop for one search that asks `inner` and, whenever the search has a better plan, hands it to `offer`, some
 * thirty times a second at most. Begins as {.inner, .refine, .offer, .user}. */
struct teller {
    const struct stop *inner;
    const struct refine *refine;
    void (*offer)(void *user, const struct refined *best);
    void *user;
    int is_known; /* what was handed on: */
    double objective, violation, offered;
};

struct stop teller_stop(struct teller *teller);

/* Calls the hooks `improved` and `watch` of the calling thread; without them it does nothing. */
struct herald {
    const ucpo_solve_config *config;
    const struct solve_pool *pool;
    struct board *board; /* NULL: nobody listens */
    int is_reversed;     /* plans on the board */
    double begin, last;  /* news, seconds */
    int64_t improved;    /* of the pool, and */
    unsigned seen;       /* of the board, what is known of */
    int is_known;        /* the best plan: */
    double cost, objective, violation;
    size_t len;
    int is_told; /* that, or an earlier one: */
    double told_cost, told_violation;
    int32_t *nodes, *taken, *turned;
    uint8_t *visited;
};

/* If it fails herald_end may follow. */
ucpo_status herald_begin(struct herald *herald, const ucpo_solve_config *config,
                         const struct solve_pool *pool, int is_reversed, ucpo_error *err);
void herald_end(struct herald *herald);

/* Tells what is new, at most ten times a second; is_last: in any case. */
void herald_look(struct herald *herald, double bound, int is_last);

/* ---- local searches (improver.c) ---- */

struct improver;

/* Searches for `inst`: *improver, if it fits, otherwise a new one in its place. room: nodes a start may have.
 * Tables are made by the first wave. */
ucpo_status improver_fit(struct improver **improver, const ucpo_instance *inst, size_t room,
                         int threads, ucpo_error *err);
void improver_free(struct improver *m);

/* A wave is put together, at most SOLVE_WAVE searches, then runs; each search for `effort`. A search
 * that `stop` (one per thread) ends has its result all the same; UCPO_E_CANCELLED: some have none. */
void improver_clear(struct improver *m);
void improver_add(struct improver *m, const int32_t *nodes, size_t len, int is_reversed,
                  uint64_t seed);

/* Something else that one of the threads does first; it asks `stop`. */
struct errand {
    ucpo_status (*run)(void *user, const struct stop *stop, ucpo_error *err);
    void *user;
};

/* board, errand: NULL, or where better plans go as they come, and what is done besides. */
ucpo_status improver_wave(struct improver *m, int64_t effort, const struct stop *stop,
                          struct board *board, const struct errand *errand, ucpo_error *err);

/* What search k found; 0: it has no result. */
int improver_result(const struct improver *m, int k, struct sampled *out);

/* ---- a fleet's plan in parts (split.c) ---- */

/* Parts that threads search side by side; 1: a tour, no coordinates, or too small. */
int split_parts(const ucpo_instance *inst, int threads);

/* Cuts a complete plan of a fleet into parts by the directions of its routes from the depot, beginning at
 * `turn` (1: once around), searches each on a thread of its own until `stop` (one per thread) says so,
 * and puts them together again. A plan that is feasible stays so and gets no worse. nodes: room for 2 n.
 * comm: NULL, or the processes that share the parts out among them, all with the same plan and arguments;
 * it is the same again afterwards. board: NULL, or where better plans go as they come. */
ucpo_status split_search(const ucpo_instance *inst, int32_t *nodes, size_t *len, int parts,
                         double turn, uint64_t seed, const ucpo_comm *comm, const struct stop *stop,
                         struct board *board, ucpo_error *err);

/* ---- several processes that search one instance (together.c) ---- */

/* Of one process; after a meeting of all: sums, the largest `over` and bound, the fewest threads, the best
 * plan. Members of eight bytes only: it travels as it is. */
struct solve_news {
    int64_t over; /* 0, or 1 + ucpo_solve_end */
    int64_t threads, rounds, searches;
    double bound;
    int64_t candidates, distinct, feasible, disputed; /* from here on solve_meet fills it in */
    double objective, violation;
    int64_t len;
};

/* UCPO_E_ARGUMENT, everywhere, if the processes do not give the same number. */
ucpo_status solve_agree_on(const ucpo_comm *comm, uint64_t number, const char *what,
                           ucpo_error *err);

/* Waits for all processes. Afterwards everybody has the same news, and the best plan of all in `plan`
 * (room as the pool has) and in the pool. */
ucpo_status solve_meet(const ucpo_comm *comm, struct solve_pool *pool, struct solve_news *news,
                       int32_t *plan, ucpo_error *err);

/* ---- all together (solve.c) ---- */

/* What stays between two runs; begins as {0}. */
struct solve_space {
    struct sampler *sampler;
    struct improver *improver;
};

void solve_space_free(struct solve_space *space);

struct solve_result {
    ucpo_solve_end end;
    int64_t rounds, searches;
    int images;        /* that the model saw; 0: no model */
    double start_cost; /* best feasible one before the local searches; NaN: none */
    double seconds;
    double bound; /* of the cost of all plans; 0: none */
};

/* Moves a search of the first wave prices: some 20 ms at 50 nodes. Each wave doubles it. */
int64_t solve_first_effort(int32_t n);

/* Fills a pool that the caller made with solve_pool_create. model NULL: constructive rules only. */
ucpo_status solve_run(struct solve_space *space, struct solve_pool *pool,
                      const struct solve_model *model, const ucpo_solve_config *config,
                      struct solve_result *result, ucpo_error *err);

#endif
