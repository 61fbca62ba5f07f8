/* A checkpoint (last, best, at-N): a model file whose facts hold the counters and whose further tensors hold the
 * optimiser. One table of facts for writing and reading. */
#include "api/train.h"

#include "core/number.h"
#include "core/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum fact_kind { FACT_LONG, FACT_INT, FACT_REAL };

struct fact {
    const char *key;
    enum fact_kind kind;
    void *at;
};

enum { FACTS = 42 };

/* Everything that is not an array. */
static size_t facts_of(struct run *run, int64_t offset[RUN_LOGS], struct fact *fact)
{
    struct trainer_counters *at = &run->trainer->at;
    struct pipd *d = &run->trainer->pipd;
    const struct fact all[] = {
        {"run.step", FACT_LONG, &at->step},
        {"run.batches", FACT_LONG, &at->batches},
        {"run.instances", FACT_LONG, &at->instances},
        {"run.phase", FACT_INT, &at->phase},
        {"run.phase-step", FACT_LONG, &at->phase_step},
        {"run.phase-instances", FACT_LONG, &at->phase_instances},
        {"run.adam-step", FACT_LONG, &at->adam_step},
        {"run.elapsed", FACT_REAL, &run->elapsed},
        {"run.best-infeasible", FACT_REAL, &run->best_infeasible},
        {"run.best-objective", FACT_REAL, &run->best_objective},
        {"run.best-samples", FACT_REAL, &run->best_samples},
        {"run.best-at", FACT_LONG, &run->best_at},
        {"run.validated-at", FACT_LONG, &run->validated_at},
        {"run.kept-at", FACT_LONG, &run->kept_at},
        {"run.jsonl-bytes", FACT_LONG, &offset[0]},
        {"run.csv-bytes", FACT_LONG, &offset[1]},
        {"run.events-bytes", FACT_LONG, &offset[2]},
        {"run.aux-block", FACT_LONG, &d->block},
        {"run.aux-judged", FACT_LONG, &d->judged},
        {"run.aux-frozen", FACT_INT, &d->has_frozen},
        {"run.aux-best", FACT_INT, &d->has_best},
        {"run.aux-recall0", FACT_REAL, &d->recall[0]},
        {"run.aux-recall1", FACT_REAL, &d->recall[1]},
        {"run.aux-best-recall", FACT_REAL, &d->best},
        {"run.before-greedy", FACT_INT, &run->has_before[0]},
        {"run.before-greedy-samples", FACT_REAL, &run->before[0].infeasible_samples},
        {"run.before-greedy-instances", FACT_REAL, &run->before[0].infeasible_instances},
        {"run.before-greedy-objective", FACT_REAL, &run->before[0].objective},
        {"run.before-greedy-gap", FACT_REAL, &run->before[0].gap},
        {"run.before-greedy-ratio", FACT_REAL, &run->before[0].gap_of_means},
        {"run.before-sampled", FACT_INT, &run->has_before[1]},
        {"run.before-sampled-samples", FACT_REAL, &run->before[1].infeasible_samples},
        {"run.before-sampled-instances", FACT_REAL, &run->before[1].infeasible_instances},
        {"run.before-sampled-objective", FACT_REAL, &run->before[1].objective},
        {"run.before-sampled-gap", FACT_REAL, &run->before[1].gap},
        {"run.before-sampled-ratio", FACT_REAL, &run->before[1].gap_of_means},
    };
    memcpy(fact, all, sizeof all);
    return sizeof all / sizeof all[0];
}

static ucpo_status set_fact(struct ucpo_model *model, const struct fact *f, ucpo_error *err)
{
    char text[64];
    switch (f->kind) {
    case FACT_LONG: snprintf(text, sizeof text, "%lld", (long long)*(int64_t *)f->at); break;
    case FACT_INT: snprintf(text, sizeof text, "%d", *(int *)f->at); break;
    case FACT_REAL:
        if (isnan(*(double *)f->at))
            snprintf(text, sizeof text, "nan");
        else
            number_write(text, *(double *)f->at);
        break;
    }
    return ucpo_model_set_fact(model, f->key, text, err);
}

static ucpo_status get_fact(const struct ucpo_model *model, const struct fact *f, const char *path,
                            ucpo_error *err)
{
    const char *text = ucpo_model_fact(model, f->key);
    double value = 0;
    int is_nan = text && f->kind == FACT_REAL && strcmp(text, "nan") == 0;
    if (is_nan) value = (double)NAN;
    if (!is_nan && (!text || !number_read(text, strlen(text), &value)))
        return status_format(err, path, 0,
                             "%s is '%.40s', expected a number: not a checkpoint of a run", f->key,
                             text ? text : "missing");
    switch (f->kind) {
    case FACT_LONG: *(int64_t *)f->at = (int64_t)value; break;
    case FACT_INT: *(int *)f->at = (int)value; break;
    case FACT_REAL: *(double *)f->at = value; break;
    }
    return UCPO_OK;
}

/* ---- facts of the model: what it was trained on ---- */

/* Sizes of own instances: those there are, or eight of them from the smallest to the largest. */
static void own_sizes(const struct run *run, int phase, char *buf, size_t size)
{
    enum { MOST = 8, ALL = 4096 };

    int nodes[ALL], extra = run->plan->ops->info.depot_is_extra ? 1 : 0;
    int count = source_sizes(run->trainer->source, phase, nodes, ALL);
    if (count > ALL) count = ALL;
    int shown = count < MOST ? count : MOST;
    buf[0] = 0;
    for (int k = 0; k < shown; k++) {
        int at = shown > 1 ? (int)((int64_t)k * (count - 1) / (shown - 1)) : 0;
        text_append(buf, size, ",", "%d", nodes[count - 1 - at] - extra);
    }
}

static ucpo_status describe_training(struct run *run, ucpo_error *err)
{
    const struct trainer *t = run->trainer;
    int phase = t->at.phase < run->plan->phases ? t->at.phase : run->plan->phases - 1;
    const struct train_phase *p = &run->plan->phase[phase];
    char instances[32], seed[32], sizes[128] = "", held[64] = "";
    if (p->data[0]) own_sizes(run, phase, sizes, sizeof sizes);
    snprintf(instances, sizeof instances, "%lld", (long long)t->at.instances);
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)run->plan->run.seed);
    if (run->validation && run->validation->split_of)
        snprintf(held, sizeof held, "every tenth of %zu instances", run->validation->split_of);
    const char *pair[][2] = {
        {"train.sizes", p->data[0] ? sizes : p->size},
        {"train.level", p->data[0] ? NULL : p->level},
        {"train.data", p->data[0] ? p->data : NULL},
        {"train.held_back", held[0] ? held : NULL},
        {"train.mask", p->mask},
        {"train.loss", p->loss},
        {"train.score", p->score},
        {"train.instances", instances},
        {"train.seed", seed},
        {"train.kernels", t->kern->name},
        {"train.precision", t->kern->precision},
        {"train.start", run->plan->run.start[0] ? run->plan->run.start : NULL},
    };
    ucpo_status st = UCPO_OK;
    for (size_t i = 0; !st && i < sizeof pair / sizeof pair[0]; i++)
        st = ucpo_model_set_fact(run->model, pair[i][0], pair[i][1], err);
    return st;
}

/* ---- the checkpoint ---- */

/* The arrays that go with the weights. */
static size_t states_of(const struct trainer *t, struct model_state *state)
{
    size_t count = 0;
    state[count++] = (struct model_state){MODEL_STATE "m", t->m};
    state[count++] = (struct model_state){MODEL_STATE "v", t->v};
    if (t->pipd.has_frozen)
        state[count++] = (struct model_state){MODEL_STATE "frozen", t->pipd.frozen};
    if (t->pipd.has_best)
        state[count++] = (struct model_state){MODEL_STATE "snapshot", t->pipd.snapshot};
    return count;
}

ucpo_status run_save(struct run *run, const char *name, ucpo_error *err)
{
    if (!run->writes) return UCPO_OK;
    struct fact fact[FACTS];
    struct model_state state[4];
    int64_t offset[RUN_LOGS];
    char path[RUN_PATH], *bytes = NULL;
    size_t size = 0;
    ucpo_status st = UCPO_OK;
    for (int k = 0; !st && k < RUN_LOGS; k++) {
        st = io_append_flush(&run->logs.log[k], err);
        offset[k] = run->logs.log[k].offset;
    }
    if (!st) st = describe_training(run, err);
    size_t count = facts_of(run, offset, fact);
    for (size_t i = 0; !st && i < count; i++) st = set_fact(run->model, &fact[i], err);
    if (!st) st = ucpo_model_set_fact(run->model, "run.events", run->logs.events_name, err);
    if (!st) st = ucpo_model_set_fact(run->model, "run.settings", run->settings, err);
    snprintf(path, sizeof path, "%s/%s", run->dir, name);
    if (!st)
        st = model_save_state(run->model, UCPO_DTYPE_F32, state, states_of(run->trainer, state),
                              &bytes, &size, err);
    if (!st) st = ucpo_file_write(path, bytes, size, err);
    free(bytes);
    return st;
}

/* Moments and copies from the bytes of a checkpoint. */
static ucpo_status load_states(struct trainer *t, const char *bytes, size_t size, const char *path,
                               ucpo_error *err)
{
    struct model_state state[4];
    size_t count = states_of(t, state);
    ucpo_status st = UCPO_OK;
    for (size_t k = 0; !st && k < count; k++) {
        int is_there = 0;
        st = model_load_state(bytes, size, path, t->model->total, state[k].name,
                              (real *)state[k].values, &is_there, err);
        if (!st && !is_there && k < 2)
            st = status_format(err, path, 0, "holds no optimiser: not a checkpoint");
    }
    return st;
}

void run_checkpoint_path(const struct run *run, char path[RUN_PATH])
{
    snprintf(path, RUN_PATH, "%s/%s.safetensors", run->dir, run->plan->run.from);
}

ucpo_status run_load(struct run *run, int64_t offset[RUN_LOGS], ucpo_error *err)
{
    struct fact fact[FACTS];
    char path[RUN_PATH], *bytes = NULL;
    size_t size = 0;
    struct ucpo_model *saved = NULL;
    run_checkpoint_path(run, path);
    ucpo_status st = ucpo_file_read(path, &bytes, &size, err);
    if (!st) st = ucpo_model_load_bytes(bytes, size, path, &saved, err);
    size_t count = facts_of(run, offset, fact);
    for (size_t i = 0; !st && i < count; i++) st = get_fact(saved, &fact[i], path, err);
    if (!st) {
        const char *events = ucpo_model_fact(saved, "run.events");
        if (!events || strncmp(events, "events.out.", 11) != 0 || strchr(events, '/'))
            st = status_format(err, path, 0, "run.events is '%.60s', not a name",
                               events ? events : "missing");
        else
            snprintf(run->logs.events_name, sizeof run->logs.events_name, "%s", events);
    }
    if (!st) st = load_states(run->trainer, bytes, size, path, err);
    const struct trainer_counters *at = &run->trainer->at;
    if (!st && (at->phase < 0 || at->phase > run->plan->phases || at->phase_instances < 0))
        st = status_format(err, path, 0, "run.phase is %d, the run has %d phases", at->phase,
                           run->plan->phases);
    ucpo_model_free(saved);
    free(bytes);
    return st;
}

ucpo_status run_load_optimiser(struct run *run, const char *path, ucpo_error *err)
{
    char *bytes = NULL;
    size_t size = 0;
    struct ucpo_model *saved = NULL;
    struct fact steps = {"run.adam-step", FACT_LONG, &run->trainer->at.adam_step};
    ucpo_status st = ucpo_file_read(path, &bytes, &size, err);
    if (!st) st = ucpo_model_load_bytes(bytes, size, path, &saved, err);
    if (!st) st = get_fact(saved, &steps, path, err);
    if (!st) st = load_states(run->trainer, bytes, size, path, err);
    ucpo_model_free(saved);
    free(bytes);
    return st;
}
