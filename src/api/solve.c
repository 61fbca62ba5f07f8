/* One instance, solved. */
#include "solve/solve.h"

#include "api/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ucpo_solve_config ucpo_solve_config_default(void)
{
    return (ucpo_solve_config){
        .augment = SOLVE_IMAGES, .refine = 1, .mask = "auto", .temperature = 1.0, .seed = 1};
}

static ucpo_status check_config(const ucpo_solve_config *c, ucpo_error *err)
{
    if (!(c->time_limit >= 0.0 && c->time_limit <= 1e9))
        return status_fail(err, UCPO_E_ARGUMENT, "time_limit is %g, expected 0 .. 1e9 seconds",
                           c->time_limit);
    if (c->samples < 0 || c->samples > INT64_MAX / 1024)
        return status_fail(err, UCPO_E_ARGUMENT, "samples is %lld, expected 0 or more",
                           (long long)c->samples);
    if (c->augment < 1 || c->augment > SOLVE_IMAGES)
        return status_fail(err, UCPO_E_ARGUMENT, "augment is %d, expected 1 .. %d", c->augment,
                           SOLVE_IMAGES);
    if (!(c->temperature >= 1e-3 && c->temperature <= 1e3))
        return status_fail(err, UCPO_E_ARGUMENT, "temperature is %g, expected 0.001 .. 1000",
                           c->temperature);
    if (c->initial_len > 0 && !c->initial)
        return status_fail(err, UCPO_E_ARGUMENT, "initial_len is %zu, but initial is NULL",
                           c->initial_len);
    return UCPO_OK;
}

static ucpo_status translate(const ucpo_model *model, const ucpo_solve_config *c,
                             struct solve_config *out, ucpo_error *err)
{
    *out = (struct solve_config){.time_limit = c->time_limit,
                                 .samples = c->samples,
                                 .images = c->augment,
                                 .is_greedy = c->greedy,
                                 .is_refined = c->refine,
                                 .first_feasible = c->first_feasible,
                                 .temperature = c->temperature,
                                 .seed = c->seed,
                                 .number = c->number,
                                 .threads = c->threads,
                                 .initial = c->initial,
                                 .initial_len = c->initial_len,
                                 .hooks = c->hooks,
                                 .improved = c->improved,
                                 .candidate = c->candidate,
                                 .candidate_user = c->candidate_user};
    ucpo_status st = kern_choose(c->kernels, c->precision, &out->kern, err);
    if (st || !model) return st;
    return model_mask(model, c->mask, &out->mask, &out->is_predicted, err);
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
    else if (distance > 2.0)
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

ucpo_status ucpo_solve(const ucpo_model *model, const ucpo_instance *inst,
                       const ucpo_solve_config *config, ucpo_solution **out, ucpo_error *err)
{
    if (!inst || !out) return status_fail(err, UCPO_E_ARGUMENT, "inst and out must not be NULL");
    if (model && model->ops != inst->ops)
        return status_fail(err, UCPO_E_MISMATCH, "the model is for %s, but the instance is %s",
                           model->ops->info.name, inst->ops->info.name);
    ucpo_solve_config standard = ucpo_solve_config_default();
    const ucpo_solve_config *c = config ? config : &standard;
    struct solve_config inner;
    struct solve_result result = {0};
    struct solve_pool *pool = NULL;
    ucpo_status st = check_config(c, err);
    if (!st) st = translate(model, c, &inner, err);
    if (!st && model) warn(model, inst, &c->hooks);
    if (!st) st = solve_pool_create(inst, c->initial_len, &pool, err);
    if (!st)
        st = solve_run(pool, model ? &model->net : NULL, model ? model->params : NULL, &inner,
                       &result, err);
    if (!st) st = make_solution(pool, &result, out, err);
    solve_pool_free(pool);
    return st;
}
