/* One instance, solved. */
#include "solve/solve.h"

#include "api/model.h"
#include "bound/bound.h"
#include "core/clock.h"
#include "core/sized.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void ucpo_solve_config_init(ucpo_solve_config *config, size_t size)
{
    ucpo_solve_config own = {.augment = SOLVE_IMAGES,
                             .refine = 1,
                             .prove = 1,
                             .mask = "auto",
                             .temperature = 1.0,
                             .seed = 1};
    sized_give(config, size, &own, sizeof own);
}

static ucpo_status check_config(const ucpo_solve_config *c, ucpo_error *err)
{
    if (!(c->time_limit >= 0.0 && c->time_limit <= 1e9))
        return status_argument(err, "time_limit is %g, expected 0 .. 1e9 seconds", c->time_limit);
    if (c->samples < 0 || c->samples > INT64_MAX / 1024)
        return status_argument(err, "samples is %lld, expected 0 or more", (long long)c->samples);
    if (c->augment < 1 || c->augment > SOLVE_IMAGES)
        return status_argument(err, "augment is %d, expected 1 .. %d", c->augment, SOLVE_IMAGES);
    if (!(c->temperature >= 1e-3 && c->temperature <= 1e3))
        return status_argument(err, "temperature is %g, expected 0.001 .. 1000", c->temperature);
    if (c->initial_len > 0 && !c->initial)
        return status_argument(err, "initial_len is %zu, but initial is NULL", c->initial_len);
    return UCPO_OK;
}

/* The solution and its plan in one block. */
static ucpo_status make_solution(const struct solve_pool *pool, const struct solve_result *result,
                                 ucpo_solution **out, ucpo_error *err)
{
    const struct solve_candidate *best = &pool->item[0];
    ucpo_solution *s = mem_zeroed(1, sizeof *s);
    int32_t *nodes = mem_copy(best->nodes, best->len, sizeof *nodes);
    ucpo_status st = s && nodes ? UCPO_OK : status_no_memory(err, best->len * sizeof *nodes);
    if (!st)
        st = ucpo_check(pool->inst, best->nodes, best->len, &s->evaluation, NULL, 0, NULL, 0, err);
    if (st) {
        free(s);
        free(nodes);
        return st;
    }
    s->nodes = nodes;
    s->len = best->len;
    s->candidates = pool->candidates;
    s->distinct = pool->distinct;
    s->feasible = pool->feasible;
    s->disputed = pool->disputed;
    s->rounds = result->rounds;
    s->searches = result->searches;
    s->start_cost = result->start_cost;
    s->images = result->images;
    s->seconds = result->seconds;
    s->end = result->end;
    s->bound = result->bound; /* from other sums of the same costs: not an ulp above */
    int is_above = s->evaluation.is_feasible && s->bound > s->evaluation.cost;
    if (is_above || s->end == UCPO_SOLVE_OPTIMAL) s->bound = s->evaluation.cost;
    *out = s;
    return UCPO_OK;
}

void ucpo_solution_free(ucpo_solution *s)
{
    if (!s) return;
    free((int32_t *)s->nodes);
    free(s);
}

/* ---- how far an instance is from what a model knows ---- */

/* The next number in a text such as "50", "20 50 100", "20..100" or, with weights, "20:1,50:3"; 0: no
 * more. */
static double next_number(const char **text)
{
    const char *at = *text + strcspn(*text, "0123456789");
    double value = 0.0;
    for (; *at >= '0' && *at <= '9'; at++) value = 10.0 * value + (*at - '0');
    if (*at == ':') at += strcspn(at, ",");
    *text = at;
    return value;
}

/* As ucpo_model_distance, from the text of "train.sizes". */
double model_size_distance(const char *sizes, const ucpo_instance *inst)
{
    double size = inst->data.n - (inst->ops->info.depot_is_extra != 0);
    double low = HUGE_VAL, high = 0.0;
    for (double v; sizes && (v = next_number(&sizes)) > 0.0;) {
        low = fmin(low, v);
        high = fmax(high, v);
    }
    if (high <= 0.0) return 0.0;
    return size > high ? size / high : size < low ? low / fmax(size, 1.0) : 1.0;
}

double ucpo_model_distance(const ucpo_model *model, const ucpo_instance *inst)
{
    if (!inst) return 0.0;
    return model_size_distance(ucpo_model_fact(model, "train.sizes"), inst);
}

static void warn(const ucpo_model *model, const ucpo_instance *inst, const ucpo_hooks *hooks)
{
    double distance = ucpo_model_distance(model, inst);
    int32_t n = inst->data.n;
    char text[160];
    if (n > SOLVE_MODEL_NODES)
        hooks_log(hooks, UCPO_LOG_WARNING,
                  "%d nodes are too many for a model (limit %d): rules and local search only",
                  (int)n, SOLVE_MODEL_NODES);
    else if (distance > 2.0 && n - 1 > BOUND_EXACT) /* below, all orders are looked at */
        hooks_log(hooks, UCPO_LOG_WARNING,
                  "the model was trained on size %s, the instance has %d nodes: its own plans may "
                  "be weak",
                  ucpo_model_fact(model, "train.sizes"), (int)n);
    else if (model_is_far(model, inst, text, sizeof text))
        hooks_log(hooks, UCPO_LOG_WARNING,
                  "the instance is unlike those the model was trained on (level %s): %s",
                  ucpo_model_fact(model, "train.level"), text);
    if (!inst->data.x && n <= SOLVE_MODEL_NODES)
        hooks_log(hooks, UCPO_LOG_INFO,
                  "no coordinates: the network sees an embedding of the matrix in the plane");
}

/* ---- the calls ---- */

struct ucpo_solver {
    const ucpo_model *model;
    struct solve_space space;
};

ucpo_status ucpo_solver_create(const ucpo_model *model, ucpo_solver **out, ucpo_error *err)
{
    if (!out) return status_argument(err, "out must not be NULL");
    ucpo_solver *solver = mem_zeroed(1, sizeof *solver);
    if (!solver) return status_no_memory(err, sizeof *solver);
    solver->model = model;
    *out = solver;
    return UCPO_OK;
}

void ucpo_solver_free(ucpo_solver *solver)
{
    if (!solver) return;
    solve_space_free(&solver->space);
    free(solver);
}

/* Without a time limit there is one answer, which every process finds alone. */
static void settle_comm(ucpo_solve_config *c)
{
    if (c->comm && (c->comm->ranks < 2 || !(c->time_limit > 0.0))) c->comm = NULL;
    if (!c->comm) return;
    c->seed += (uint64_t)c->comm->rank * 0x9e3779b97f4a7c15U; /* searches of its own */
    if (c->threads == 0) c->threads = c->comm->threads;
}

ucpo_status ucpo_solver_solve(ucpo_solver *solver, const ucpo_instance *inst,
                              const ucpo_solve_config *config, ucpo_solution **out, ucpo_error *err)
{
    if (!solver || !inst || !out)
        return status_argument(err, "solver, inst and out must not be NULL");
    const ucpo_model *model = solver->model;
    if (model && model->ops != inst->ops)
        return status_fail(err, UCPO_E_MISMATCH, "the model is for %s, but the instance is %s",
                           model->ops->info.name, inst->ops->info.name);
    ucpo_solve_config own = ucpo_solve_config_default();
    struct solve_model inner = {.net = model ? &model->net : NULL,
                                .params = model ? model->params : NULL};
    struct solve_result result = {0};
    struct solve_pool *pool = NULL;
    ucpo_status st = sized_take(&own, sizeof own, config, "ucpo_solve_config", err);
    if (!st) st = check_config(&own, err);
    settle_comm(&own);
    if (!st) st = model_means(model, own.mask, own.kernels, own.precision, &inner.means, err);
    if (!st && model) warn(model, inst, &own.hooks);
    if (!st) st = solve_pool_create(inst, own.initial_len, &pool, err);
    if (!st) st = solve_run(&solver->space, pool, model ? &inner : NULL, &own, &result, err);
    if (!st) st = make_solution(pool, &result, out, err);
    solve_pool_free(pool);
    return st;
}

ucpo_status ucpo_solve(const ucpo_model *model, const ucpo_instance *inst,
                       const ucpo_solve_config *config, ucpo_solution **out, ucpo_error *err)
{
    ucpo_solver solver = {.model = model};
    ucpo_status st = ucpo_solver_solve(&solver, inst, config, out, err);
    solve_space_free(&solver.space);
    return st;
}

/* ---- local search alone ---- */

void ucpo_refine_config_init(ucpo_refine_config *config, size_t size)
{
    ucpo_refine_config own = {.seed = 1};
    sized_give(config, size, &own, sizeof own);
}

struct pace {
    const ucpo_refine_config *config;
    double begin, asked;
    int is_over;
    ucpo_solve_end end;
};

static int is_over(void *user)
{
    struct pace *p = user;
    double limit = p->config->time_limit, passed = clock_seconds() - p->begin;
    if (!p->is_over && limit > 0.0 && passed >= limit) p->is_over = 1, p->end = UCPO_SOLVE_TIME;
    if (!p->is_over && passed - p->asked >= 0.01) {
        size_t total = limit > 0.0 ? (size_t)(1000.0 * limit) + 1 : SIZE_MAX;
        p->asked = passed;
        if (hooks_progress(&p->config->hooks, (size_t)(1000.0 * passed), total))
            p->is_over = 1, p->end = UCPO_SOLVE_STOPPED;
    }
    return p->is_over;
}

static double share_over(void *user)
{
    const struct pace *p = user;
    double limit = p->config->time_limit;
    return limit > 0.0 ? (clock_seconds() - p->begin) / limit : -1.0;
}

static ucpo_status check_refine_config(const ucpo_refine_config *c, ucpo_error *err)
{
    if (!(c->time_limit >= 0.0 && c->time_limit <= 1e9))
        return status_argument(err, "time_limit is %g, expected 0 .. 1e9 seconds", c->time_limit);
    if (c->moves < 0)
        return status_argument(err, "moves is %lld, expected 0 or more", (long long)c->moves);
    return UCPO_OK;
}

/* Adds to the pool what a search from the start finds. */
static ucpo_status refine_into(struct solve_pool *pool, const int32_t *nodes, size_t len,
                               const ucpo_refine_config *c, struct solve_result *result,
                               ucpo_error *err)
{
    const ucpo_instance *work = pool->inst->load;
    int is_reversed = instance_is_reversed(pool->inst);
    struct pace pace = {.config = c, .begin = clock_seconds()};
    struct stop stop = {is_over, &pace, share_over};
    int64_t usual = c->time_limit > 0.0 ? INT64_MAX : 4 * solve_first_effort(work->data.n);
    struct improver *m = NULL;
    struct sampled found;
    struct rng rng = rng_at(c->seed, RNG_SEARCH, 0);
    ucpo_status st = improver_fit(&m, work, pool->room, 1, err);
    if (!st) {
        improver_clear(m);
        improver_add(m, nodes, len, is_reversed, rng_u32(&rng));
        st = improver_wave(m, c->moves > 0 ? c->moves : usual, &stop, NULL, NULL, err);
        if (st == UCPO_E_CANCELLED) st = UCPO_OK; /* no time to begin: the start stays */
    }
    if (!st && improver_result(m, 0, &found)) {
        double violation = work == pool->inst || is_reversed ? found.violation : -1.0;
        st = solve_pool_add(pool, found.nodes, found.len, found.objective, violation, is_reversed,
                            err);
        result->searches = 1;
    }
    improver_free(m);
    result->end = pace.end;
    result->seconds = clock_seconds() - pace.begin;
    return st;
}

ucpo_status ucpo_refine(const ucpo_instance *inst, const int32_t *nodes, size_t len,
                        const ucpo_refine_config *config, ucpo_solution **out, ucpo_error *err)
{
    if (!inst || !out || (len > 0 && !nodes))
        return status_argument(err, "inst, nodes and out must not be NULL");
    ucpo_refine_config own = ucpo_refine_config_default();
    struct solve_result result = {.start_cost = (double)NAN};
    struct solve_pool *pool = NULL;
    ucpo_status st = sized_take(&own, sizeof own, config, "ucpo_refine_config", err);
    if (!st) st = check_refine_config(&own, err);
    if (!st) st = solve_pool_create(inst, len, &pool, err);
    ucpo_evaluation start = {0};
    if (!st) st = ucpo_check(inst, nodes, len, &start, NULL, 0, NULL, 0, err);
    int is_whole = start.missing == 0 && start.duplicates == 0 && start.unknown == 0;
    if (!st && start.is_feasible) result.start_cost = start.cost;
    if (!st && is_whole) st = solve_pool_add(pool, nodes, len, 0.0, -1.0, 0, err);
    if (!st && inst->data.n > 2) st = refine_into(pool, nodes, len, &own, &result, err);
    if (!st && pool->count == 0) /* no time to put in who is missing */
        st = solve_pool_add(pool, nodes, len, 0.0, -1.0, 0, err);
    if (!st) st = make_solution(pool, &result, out, err);
    solve_pool_free(pool);
    return st;
}
