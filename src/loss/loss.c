/* The public door: checks, then one instance or a batch. */
#include "loss/loss.h"
#include "core/mem.h"
#include "core/par.h"
#include "core/sized.h"

#include <math.h>
#include <string.h>

/* ---- checks: everything is looked at before anything is written ---- */

struct input {
    size_t batch, samples;
    const double *objective, *violation, *score; /* score NULL: not part of the question */
};

static ucpo_status bad_value(const struct input *in, const char *name, size_t at, double value,
                             const char *expected, ucpo_error *err)
{
    if (in->batch == 1)
        return status_fail(err, UCPO_E_ARGUMENT, "%s[%zu] is %.17g, expected %s", name, at, value,
                           expected);
    return status_fail(err, UCPO_E_ARGUMENT, "instance %zu: %s[%zu] is %.17g, expected %s",
                       at / in->samples, name, at % in->samples, value, expected);
}

/* Also false for NaN. */
static int is_usable(double value)
{
    return fabs(value) <= LOSS_LIMIT;
}

/* Whether there is anything to complain about: quickly, since there hardly ever is. */
static int has_bad_value(const struct input *in, const ucpo_loss_config *config)
{
    const double *f = in->objective, *v = in->violation, *l = in->score ? in->score : f;
    int bad = 0;
    for (size_t i = 0; i < in->batch * in->samples; i++) {
        double lagrangian = order_lagrangian(config, f[i], v[i]);
        bad += !is_usable(f[i]) + !is_usable(v[i]) + !(v[i] >= 0.0) + !is_usable(lagrangian) +
               !is_usable(l[i]);
    }
    return bad;
}

static ucpo_status check_values(const struct input *in, const ucpo_loss_config *config,
                                ucpo_error *err)
{
    const double *f = in->objective, *v = in->violation, *l = in->score;
    if (!has_bad_value(in, config)) return UCPO_OK;
    const char *number = "a finite number of magnitude at most 1e100";
    for (size_t i = 0; i < in->batch * in->samples; i++) {
        double lagrangian = order_lagrangian(config, f[i], v[i]);
        int is_fine = is_usable(f[i]) && is_usable(v[i]) && v[i] >= 0.0 && is_usable(lagrangian);
        if (is_fine && (!l || is_usable(l[i]))) continue;
        if (!is_usable(f[i])) return bad_value(in, "objective", i, f[i], number, err);
        if (!is_usable(v[i]) || v[i] < 0.0)
            return bad_value(in, "violation", i, v[i], "a number 0 .. 1e100", err);
        if (!is_usable(lagrangian))
            return bad_value(in, "objective + lambda x violation", i, lagrangian, number, err);
        if (l) return bad_value(in, "score", i, l[i], number, err);
    }
    return UCPO_OK;
}

static ucpo_status check_size(size_t batch, size_t samples, ucpo_error *err)
{
    size_t count, bytes;
    if (samples == 0 || samples > UINT32_MAX)
        return status_fail(err, UCPO_E_ARGUMENT, "samples is %zu, expected 1 .. %u", samples,
                           UINT32_MAX);
    if (batch == 0) return status_fail(err, UCPO_E_ARGUMENT, "batch is 0, expected at least 1");
    if (size_mul_overflows(batch, samples, &count) ||
        size_mul_overflows(count, sizeof(double), &bytes) || bytes > PTRDIFF_MAX)
        return status_fail(err, UCPO_E_ARGUMENT, "%zu x %zu trajectories do not fit in memory",
                           batch, samples);
    return UCPO_OK;
}

static ucpo_status check_present(const char *name, const void *pointer, ucpo_error *err)
{
    return pointer ? UCPO_OK : status_fail(err, UCPO_E_ARGUMENT, "%s is NULL", name);
}

/* ---- one instance ---- */

static void evaluate(const ucpo_loss_config *config, size_t samples, const double *objective,
                     const double *violation, const double *score, ucpo_loss_result *result,
                     double *weight, uint32_t *rank)
{
    struct loss_view view = {
        .config = config,
        .order = order_of(config),
        .f = objective,
        .v = violation,
        .l = score,
        .rank = config->k > 1 ? rank : NULL,
        .kept = (samples - 1) / config->k + 1,
    };
    if (rank) order_rank(&view.order, objective, violation, samples, rank);
    *result = (ucpo_loss_result){0};
    memset(weight, 0, samples * sizeof *weight);
    for (size_t i = 0; i < samples; i++) result->feasible += violation[i] <= 0.0;
    switch (config->family) {
    case UCPO_LOSS_PAIRS: loss_pairs(&view, result, weight); break;
    case UCPO_LOSS_SLIM: loss_slim(&view, result, weight); break;
    case UCPO_LOSS_REINFORCE:
    case UCPO_LOSS_REINFORCE_NORM: loss_reinforce(&view, result, weight); break;
    }
}

/* ---- a batch ---- */

/* Results of a wave wait on the stack to be summed in instance order: no allocation, and the same
 * sum for any number of threads. */
enum { WAVE = 256, CHUNK = 8 };

struct wave {
    const ucpo_loss_config *config;
    const struct input *in;
    size_t first; /* instance */
    double *weight;
    uint32_t *rank;
    ucpo_loss_result result[WAVE];
};

static ucpo_status run_wave(void *context, size_t begin, size_t end, int thread, ucpo_error *err)
{
    struct wave *wave = context;
    const struct input *in = wave->in;
    (void)thread;
    (void)err;
    for (size_t w = begin; w < end; w++) {
        size_t at = (wave->first + w) * in->samples;
        evaluate(wave->config, in->samples, in->objective + at, in->violation + at, in->score + at,
                 &wave->result[w], wave->weight + at, wave->rank ? wave->rank + at : NULL);
        for (size_t i = 0; i < in->samples; i++) wave->weight[at + i] /= (double)in->batch;
    }
    return UCPO_OK;
}

static void accumulate(ucpo_loss_result *sum, const ucpo_loss_result *one)
{
    sum->loss += one->loss;
    sum->dual += one->dual;
    sum->margin += one->margin;
    sum->primal += one->primal;
    sum->pairs += one->pairs;
    sum->feasible += one->feasible;
    sum->dual_active += one->dual_active;
    sum->margin_active += one->margin_active;
    sum->primal_active += one->primal_active;
}

static ucpo_status check_all(const ucpo_loss_config *config, const struct input *in,
                             const void *result, const void *weight, const void *rank,
                             ucpo_error *err)
{
    ucpo_status st = config_check(config, err);
    if (!st) st = check_size(in->batch, in->samples, err);
    if (!st) st = check_present("objective", in->objective, err);
    if (!st) st = check_present("violation", in->violation, err);
    if (!st) st = check_present("score", in->score, err);
    if (!st) st = check_present("result", result, err);
    if (!st) st = check_present("weight", weight, err);
    if (!st && config->k > 1 && !rank)
        st = status_fail(err, UCPO_E_ARGUMENT, "rank is NULL, but k = %u needs it", config->k);
    return st ? st : check_values(in, config, err);
}

/* ---- public ---- */

ucpo_status ucpo_rank(const ucpo_loss_config *given, size_t samples, const double *objective,
                      const double *violation, uint32_t *rank, ucpo_error *err)
{
    ucpo_loss_config own = ucpo_loss_config_default(), *config = &own;
    struct input in = {1, samples, objective, violation, NULL};
    ucpo_status st = sized_take(&own, sizeof own, given, "ucpo_loss_config", err);
    if (!st) st = config_check(config, err);
    if (!st) st = check_size(1, samples, err);
    if (!st) st = check_present("objective", objective, err);
    if (!st) st = check_present("violation", violation, err);
    if (!st) st = check_present("rank", rank, err);
    if (!st) st = check_values(&in, config, err);
    if (st) return st;
    struct order order = order_of(config);
    order_rank(&order, objective, violation, samples, rank);
    return UCPO_OK;
}

ucpo_status ucpo_loss(const ucpo_loss_config *given, size_t samples, const double *objective,
                      const double *violation, const double *score, ucpo_loss_result *result,
                      double *weight, uint32_t *rank, ucpo_error *err)
{
    ucpo_loss_config own = ucpo_loss_config_default(), *config = &own;
    struct input in = {1, samples, objective, violation, score};
    ucpo_status st = sized_take(&own, sizeof own, given, "ucpo_loss_config", err);
    if (!st) st = check_all(config, &in, result, weight, rank, err);
    if (!st) evaluate(config, samples, objective, violation, score, result, weight, rank);
    return st;
}

ucpo_status ucpo_loss_batch(const ucpo_loss_config *given, size_t batch, size_t samples,
                            const double *objective, const double *violation, const double *score,
                            int threads, ucpo_loss_result *result, double *weight, uint32_t *rank,
                            ucpo_error *err)
{
    ucpo_loss_config own = ucpo_loss_config_default(), *config = &own;
    struct input in = {batch, samples, objective, violation, score};
    ucpo_status st = sized_take(&own, sizeof own, given, "ucpo_loss_config", err);
    if (!st) st = check_all(config, &in, result, weight, rank, err);
    if (st) return st;
    struct wave wave = {.config = config, .in = &in, .weight = weight, .rank = rank};
    ucpo_loss_result sum = {0};
    for (; wave.first < batch; wave.first += WAVE) {
        size_t count = batch - wave.first < WAVE ? batch - wave.first : WAVE;
        st = par_run(count, CHUNK, threads, NULL, run_wave, &wave, err);
        if (st) return st; /* cannot happen: a wave has no way to fail */
        for (size_t w = 0; w < count; w++) accumulate(&sum, &wave.result[w]);
    }
    sum.loss /= (double)batch;
    sum.dual /= (double)batch;
    sum.margin /= (double)batch;
    sum.primal /= (double)batch;
    *result = sum;
    return UCPO_OK;
}
