/* A run from its first step to its last: directory, loop, validation, stops. */
#include "api/share.h"
#include "api/train.h"

#include "core/clock.h"
#include "core/number.h"
#include "core/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void tell(const struct run *run, const ucpo_train_report *report)
{
    if (run->hooks && run->hooks->report) run->hooks->report(run->hooks->user, report);
}

__attribute__((format(printf, 3, 4))) static void say(const struct run *run, ucpo_log_level level,
                                                      const char *format, ...)
{
    char text[400];
    va_list args;
    if (!run->hooks || !run->hooks->log) return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    run->hooks->log(run->hooks->user, level, text);
}

static const ucpo_comm *comm_of(const struct run *run)
{
    const ucpo_comm *comm = run->hooks ? run->hooks->comm : NULL;
    return comm && comm->ranks > 1 ? comm : NULL;
}

/* ---- directory ---- */

static int exists(const char *dir, const char *name)
{
    char path[RUN_PATH];
    struct stat about;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return stat(path, &about) == 0;
}

/* One process at a time: the lock dies with its holder. */
static ucpo_status lock_directory(struct run *run, ucpo_error *err)
{
    char path[RUN_PATH];
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    snprintf(path, sizeof path, "%s/.lock", run->dir);
    run->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (run->lock < 0) return status_fail_errno(err, path, errno, "cannot be created");
    if (fcntl(run->lock, F_SETLK, &lock) == 0) return UCPO_OK;
    return status_fail_at(err, UCPO_E_IO, run->dir, 0, "another process is working in it");
}

/* The directories above it, as far as they are missing. */
static void make_parents(const char *dir)
{
    char path[TRAIN_PATH];
    snprintf(path, sizeof path, "%s", dir);
    for (char *at = path + 1; *path && *at; at++) {
        if (*at != '/') continue;
        *at = 0;
        mkdir(path, 0777); /* what cannot be made shows when the run's own is */
        *at = '/';
    }
}

/* A file that a killed process was writing: NAME.tmp.NUMBER, with a name of ours. */
static int is_left_over(const char *name)
{
    const char *ending = strstr(name, ".tmp.");
    if (!ending || ending[5] == 0 || ending[5 + strspn(ending + 5, "0123456789")] != 0) return 0;
    size_t length = (size_t)(ending - name), model = strlen(".safetensors");
    return (length == 11 && memcmp(name, "config.toml", 11) == 0) ||
           (length > model && memcmp(ending - model, ".safetensors", model) == 0);
}

/* Removes them; the lock is ours. */
static void sweep(const struct run *run)
{
    DIR *dir = run->writes ? opendir(run->dir) : NULL;
    if (!dir) return;
    for (struct dirent *entry; (entry = readdir(dir));) { /* NOLINT(concurrency-mt-unsafe) */
        char path[RUN_PATH + 256];
        if (!is_left_over(entry->d_name)) continue;
        snprintf(path, sizeof path, "%s/%s", run->dir, entry->d_name);
        unlink(path);
    }
    closedir(dir);
}

/* Nothing may be there that a run would write over: not another run, not the model it starts from. */
static ucpo_status check_empty(const char *dir, ucpo_error *err)
{
    if (exists(dir, "config.toml") || exists(dir, "last.safetensors"))
        return status_fail_at(err, UCPO_E_ARGUMENT, dir, 0,
                              "already holds a run: resume it, or choose another directory");
    DIR *open_dir = opendir(dir);
    if (!open_dir) return status_fail_errno(err, dir, errno, "cannot be read");
    int is_empty = 1;
    for (struct dirent *entry; (entry = readdir(open_dir));) /* NOLINT(concurrency-mt-unsafe) */
        is_empty &= strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
                    strcmp(entry->d_name, ".lock") == 0 || is_left_over(entry->d_name);
    closedir(open_dir);
    if (is_empty) return UCPO_OK;
    return status_fail_at(err, UCPO_E_ARGUMENT, dir, 0,
                          "is not empty: a run needs a directory of its own");
}

static ucpo_status make_directory(struct run *run, ucpo_error *err)
{
    if (!run->writes) return UCPO_OK;
    make_parents(run->dir);
    if (mkdir(run->dir, 0777) != 0 && errno != EEXIST)
        return status_fail_errno(err, run->dir, errno, "cannot be created");
    ucpo_status st = check_empty(run->dir, err);
    if (!st) st = lock_directory(run, err);
    if (!st) st = check_empty(run->dir, err);
    if (!st) sweep(run);
    return st;
}

/* ---- set-up ---- */

static ucpo_status create_model(struct run *run, ucpo_error *err)
{
    const struct train_run *r = &run->plan->run;
    ucpo_model_config config = ucpo_model_config_default(r->problem);
    config.width = (int32_t)r->width, config.heads = (int32_t)r->heads;
    config.hidden = (int32_t)r->hidden, config.layers = (int32_t)r->layers;
    config.decision = (int32_t)r->decision;
    config.decision_glimpse = r->decision > 0 && strcmp(r->decision_in, "glimpse") == 0;
    config.pair = strcmp(r->pair, "on") == 0;
    config.norm = r->norm, config.clip = r->logit_clip;
    config.has_aux = train_plan_has_aux(run->plan);
    return ucpo_model_create(&config, r->seed, &run->model, err);
}

/* A model for a warm start: any file of the problem; pip-d asks for its auxiliary decoder. */
static ucpo_status load_start(struct run *run, ucpo_error *err)
{
    const char *path = run->plan->run.start;
    ucpo_status st = ucpo_model_load(path, &run->model, err);
    if (st) return st;
    if (run->model->ops != run->plan->ops)
        return status_fail_at(err, UCPO_E_MISMATCH, path, 0, "the model solves %s, the run is %s",
                              run->model->ops->info.name, run->plan->ops->info.name);
    if (train_plan_has_aux(run->plan) && !run->model->net.config.has_aux)
        return status_fail_at(err, UCPO_E_ARGUMENT, path, 0,
                              "mask pip-d needs a model with an auxiliary decoder; use pip");
    return UCPO_OK;
}

/* The model of a run that goes on. */
static ucpo_status load_last(struct run *run, ucpo_error *err)
{
    char path[RUN_PATH];
    run_checkpoint_path(run, path);
    ucpo_status st = ucpo_model_load(path, &run->model, err);
    int is_last = strcmp(run->plan->run.from, "last") == 0;
    if (st == UCPO_E_FORMAT && err && is_last && exists(run->dir, "best.safetensors"))
        text_append(err->text, sizeof err->text, "; ",
                    "option 'from' best goes on from the best validation");
    if (!st && run->model->ops != run->plan->ops)
        st = status_fail_at(err, UCPO_E_MISMATCH, path, 0,
                            "the checkpoint is for %s, the run for %s", run->model->ops->info.name,
                            run->plan->ops->info.name);
    return st;
}

ucpo_status ucpo_train_config_follow(ucpo_train_config *config, const ucpo_model *model,
                                     ucpo_error *err)
{
    if (!config || !model) return status_argument(err, "config and model must not be NULL");
    const struct nn_config *c = &model->net.config;

    const struct {
        const char *key;
        double value;
    } number[] = {{"width", c->width},   {"heads", c->heads},     {"hidden", c->hidden},
                  {"layers", c->layers}, {"logit-clip", c->clip}, {"decision", c->side_hidden}};

    char text[NUMBER_SIZE];
    ucpo_status st = ucpo_train_config_set(config, "norm", model_norm_name[c->norm], err);
    if (!st && c->side_hidden)
        st = ucpo_train_config_set(config, "decision-in", model_decision_in(c), err);
    if (!st) st = ucpo_train_config_set(config, "pair", model_pair(c), err);
    for (size_t i = 0; !st && i < sizeof number / sizeof number[0]; i++)
        st = ucpo_train_config_set(config, number[i].key, number_write(text, number[i].value), err);
    return st;
}

static void run_close(struct run *run)
{
    run_logs_close(&run->logs);
    validation_free(run->validation);
    trainer_free(run->trainer);
    ucpo_model_free(run->model);
    free(run->plan);
    free(run->settings);
    if (run->lock >= 0) close(run->lock);
}

static ucpo_status run_open(struct run *run, const char *dir, const ucpo_train_config *config,
                            const ucpo_train_hooks *hooks, ucpo_error *err)
{
    *run = (struct run){.hooks = hooks,
                        .lock = -1,
                        .best_infeasible = HUGE_VAL,
                        .best_objective = HUGE_VAL,
                        .best_samples = HUGE_VAL,
                        .best_at = -1,
                        .validated_at = -1};
    run->writes = !comm_of(run) || comm_of(run)->rank == 0;
    if (strlen(dir) >= sizeof run->dir)
        return status_argument(err, "the name of the directory is too long");
    memcpy(run->dir, dir, strlen(dir) + 1);
    run->plan = mem_zeroed(1, sizeof *run->plan);
    if (!run->plan) return status_no_memory(err, sizeof *run->plan);
    ucpo_status st = train_plan_make(config, run->plan, err);
    if (!st && run->plan->run.time > 0.0 && comm_of(run))
        st = status_argument(
            err, "time is for one process, whose clock counts: give several processes instances");
    run->plan->run.threads = share_threads(comm_of(run), (int)run->plan->run.threads);
    return st;
}

static ucpo_status make_parts(struct run *run, ucpo_error *err)
{
    ucpo_status st = trainer_create(run->plan, &run->model->net, run->model->params, comm_of(run),
                                    &run->trainer, err);
    if (!st && strcmp(run->plan->run.validate, "none") != 0)
        st = validation_create(run->plan, &run->model->net, &run->validation, err);
    return st;
}

/* ---- the loop ---- */

static ucpo_status write_report(struct run *run, const ucpo_train_report *report, ucpo_error *err)
{
    ucpo_status st = run->writes ? run_logs_put(&run->logs, report, err) : UCPO_OK;
    tell(run, report);
    return st;
}

/* Whether this validation is the best one so far; then it is remembered as such. */
static int is_best(struct run *run, const ucpo_train_report *sampled)
{
    double objective = isfinite(sampled->objective) ? sampled->objective : HUGE_VAL;
    double now[3] = {sampled->infeasible_instances, objective, sampled->infeasible_samples};
    double best[3] = {run->best_infeasible, run->best_objective, run->best_samples};
    int k = 0;
    while (k < 3 && now[k] == best[k]) k++;
    if (k < 3 && now[k] > best[k]) return 0; /* of equals the later one */
    run->best_infeasible = now[0], run->best_objective = now[1], run->best_samples = now[2];
    run->best_at = run->trainer->at.instances;
    return 1;
}

/* The instances that broke the step, beside the checkpoint that is still good. */
static void save_offender(struct run *run, ucpo_error *err)
{
    ucpo_dataset *set = NULL;
    struct source_batch batch;
    char path[RUN_PATH];
    ucpo_write_config options = ucpo_write_config_default();
    options.format = "json";
    snprintf(path, sizeof path, "%s/diverged.json", run->dir);
    run->trainer->comm = NULL; /* the parts of all processes */
    ucpo_status st = ucpo_dataset_create(&set, NULL);
    for (int64_t b = 0; !st; b++) {
        st = trainer_draw(run->trainer, b, &batch, NULL);
        if (st || batch.count == 0) break;
        for (int i = 0; !st && i < batch.count; i++)
            st = ucpo_dataset_share(set, batch.instance[i], NULL);
    }
    if (!st) st = ucpo_write(path, set, &options, NULL);
    ucpo_dataset_free(set);
    if (st || !err) return;
    text_append(err->text, sizeof err->text, "; ",
                "its instances are in %s, the last checkpoint is good", path);
}

struct session {
    double began, start, saved, line; /* when: session, clock, last checkpoint, last metrics */
    int64_t line_instances;
};

static int is_asked_to_stop(const struct run *run)
{
    return run->hooks && run->hooks->stop && run->hooks->stop(run->hooks->user);
}

/* Limits of time are not asked about: a session shorter than a validation would never get past it. */
static int validation_must_stop(void *user, size_t done, size_t total)
{
    (void)done, (void)total;
    return is_asked_to_stop(user);
}

/* Saves with the clock brought up to date. */
static ucpo_status save_now(struct run *run, struct session *s, const char *name, ucpo_error *err)
{
    double now = clock_seconds();
    run->elapsed += now - s->start;
    s->start = now;
    return run_save(run, name, err);
}

/* 0: go on; otherwise why not. Reasons that other processes need not have at the same time. */
static int wants_stop(const struct run *run, const struct session *s)
{
    const struct train_run *r = &run->plan->run;
    if (is_asked_to_stop(run)) return UCPO_TRAIN_STOPPED;
    if (r->max_time > 0 && clock_seconds() - s->began >= r->max_time) return UCPO_TRAIN_LIMIT;
    return 0;
}

/* UCPO_E_CANCELLED: asked to stop; nothing is written then, the validation is still to be done. */
static ucpo_status validate(struct run *run, struct session *s, ucpo_error *err)
{
    ucpo_train_report report[2];
    ucpo_hooks hooks = {.progress = validation_must_stop, .user = run};
    ucpo_status st = UCPO_OK;
    for (int kind = 0; !st && kind < 2; kind++) {
        report[kind] = trainer_report(run->trainer);
        st = validation_run(run->validation, kind, run->model->params, comm_of(run), &hooks,
                            &report[kind], err);
        report[kind].elapsed = run->elapsed + clock_seconds() - s->start;
    }
    for (int kind = 0; !st && kind < 2; kind++) {
        st = write_report(run, &report[kind], err);
        if (!run->has_before[kind]) run->before[kind] = report[kind];
        run->has_before[kind] = 1;
        run->after[kind] = report[kind];
    }
    if (st) return st;
    run->validated_at = run->trainer->at.instances;
    if (!is_best(run, &run->after[1])) return UCPO_OK;
    return save_now(run, s, "best.safetensors", err);
}

/* Reports a step; a line of metrics belongs to one phase. */
static ucpo_status log_step(struct run *run, struct session *s, const ucpo_train_report *step,
                            ucpo_error *err)
{
    int64_t seen = run->trainer->at.instances;
    double now = clock_seconds();
    int is_last_of_phase = run->trainer->at.phase >= step->phase;
    run_mean_add(&run->mean, step);
    tell(run, step);
    if (step->step % run->plan->run.log_every != 0 && !is_last_of_phase) return UCPO_OK;
    ucpo_train_report line = run_mean_take(&run->mean);
    line.kind = "train";
    line.instances_per_s = (double)(seen - s->line_instances) / (now - s->line);
    line.elapsed = run->elapsed + now - s->start;
    s->line = now, s->line_instances = seen;
    return write_report(run, &line, err);
}

static int is_validation_due(const struct run *run)
{
    int64_t every = run->plan->run.validate_every, seen = run->trainer->at.instances;
    if (!run->validation || run->validated_at == seen) return 0;
    return run->validated_at < 0 || trainer_is_done(run->trainer) ||
           (every > 0 && seen / every > run->validated_at / every);
}

/* What is due at the point where the run stands: after a step, and at the start of a session, whose
 * predecessor may have been stopped before it was done. */
static ucpo_status attend(struct run *run, struct session *s, ucpo_train_end *end, ucpo_error *err)
{
    int64_t seen = run->trainer->at.instances, keep = run->plan->run.keep_every;
    double now = clock_seconds();
    ucpo_status st = is_validation_due(run) ? validate(run, s, err) : UCPO_OK;
    s->line += clock_seconds() - now; /* not training time */
    if (st == UCPO_E_CANCELLED) {
        *end = UCPO_TRAIN_STOPPED;
        return UCPO_OK;
    }
    if (!st && keep > 0 && seen / keep > run->kept_at / keep) {
        char name[64];
        snprintf(name, sizeof name, "at-%lld.safetensors", (long long)seen);
        run->kept_at = seen;
        st = save_now(run, s, name, err);
    }
    return st;
}

static ucpo_status checkpoint(struct run *run, struct session *s, ucpo_error *err)
{
    ucpo_status st = save_now(run, s, "last.safetensors", err);
    s->saved = s->start;
    return st;
}

/* The same for all processes: what one of them wants, they hear of with the next step. */
static int must_stop(struct run *run, const struct session *s)
{
    const struct train_run *r = &run->plan->run;
    if (r->max_instances > 0 && run->trainer->at.instances >= r->max_instances)
        return UCPO_TRAIN_LIMIT;
    if (!comm_of(run)) return wants_stop(run, s);
    run->trainer->wish = wants_stop(run, s);
    return run->trainer->heard;
}

/* A step failed. When others did, this process's state is good; save it. */
static void save_what_is_left(struct run *run, struct session *s, ucpo_status st, ucpo_error *err)
{
    if (st == UCPO_E_DIVERGED && run->writes) save_offender(run, err);
    if (st == UCPO_E_IO && comm_of(run)) (void)checkpoint(run, s, NULL);
}

static void warn_of_predictor(const struct run *run)
{
    const struct train_phase *last = &run->plan->phase[run->plan->phases - 1];
    if (!last->is_predicted || run->trainer->pipd.has_frozen || !run->writes) return;
    say(run, UCPO_LOG_WARNING,
        "mask pip-d: the predictor never recognised %g of the infeasible nodes (aux-recall), "
        "all rollouts used the true mask",
        last->aux_recall);
}

/* A run that is measured in time: how far it is, and how many instances it may come to. */
static void follow_clock(struct run *run, double elapsed, int64_t *total)
{
    struct trainer *t = run->trainer;
    t->time_share = fmin(elapsed / run->plan->run.time, 1.0);
    if (t->time_share >= 1.0 && !trainer_is_done(t)) trainer_finish(t);
    *total = (int64_t)((double)t->at.instances / fmax(t->time_share, 1e-9));
}

static ucpo_status loop(struct run *run, ucpo_train_end *end, ucpo_error *err)
{
    struct session s = {.start = clock_seconds()};
    s.began = s.saved = s.line = s.start;
    s.line_instances = run->trainer->at.instances;
    *end = UCPO_TRAIN_FINISHED;
    int64_t total;
    if (run->plan->run.time > 0.0) follow_clock(run, run->elapsed, &total);
    ucpo_status st = attend(run, &s, end, err);
    if (!st) st = checkpoint(run, &s, err);
    s.line = clock_seconds();
    while (!st && !*end && !trainer_is_done(run->trainer)) {
        ucpo_train_report step;
        *end = (ucpo_train_end)must_stop(run, &s);
        if (*end) break;
        st = trainer_step(run->trainer, &step, err);
        if (st) {
            save_what_is_left(run, &s, st, err);
            return st;
        }
        step.kind = "step";
        step.elapsed = run->elapsed + clock_seconds() - s.start;
        if (run->plan->run.time > 0.0) follow_clock(run, step.elapsed, &step.total);
        st = log_step(run, &s, &step, err);
        if (trainer_is_done(run->trainer)) warn_of_predictor(run);
        if (!st) st = attend(run, &s, end, err);
        if (!st && clock_seconds() - s.saved >= run->plan->run.save_every)
            st = checkpoint(run, &s, err);
    }
    return st ? st : checkpoint(run, &s, err);
}

static ucpo_status finish(struct run *run, ucpo_status st, ucpo_train_end end,
                          ucpo_train_summary *summary)
{
    if (!st && summary) {
        *summary = (ucpo_train_summary){.end = end,
                                        .step = run->trainer->at.step,
                                        .instances = run->trainer->at.instances,
                                        .elapsed = run->elapsed,
                                        .best = run->best_at};
        for (int kind = 0; kind < 2; kind++) {
            summary->before[kind] = run->before[kind];
            summary->after[kind] = run->after[kind];
            if (run->has_before[kind]) summary->before[kind].kind = kind ? "sampled" : "greedy";
        }
    }
    run_close(run);
    return st;
}

/* ---- the interface ---- */

static ucpo_status write_config(const struct run *run, const ucpo_train_config *config,
                                ucpo_error *err)
{
    char path[RUN_PATH], *bytes = NULL;
    size_t size = 0;
    if (!run->writes) return UCPO_OK;
    snprintf(path, sizeof path, "%s/config.toml", run->dir);
    ucpo_status st = ucpo_train_config_text(config, &bytes, &size, err);
    if (!st) st = ucpo_file_write(path, bytes, size, err);
    ucpo_bytes_free(bytes);
    return st;
}

/* A copy, so that the caller's settings stay what they are. */
static ucpo_status copy_config(const ucpo_train_config *config, ucpo_train_config **out,
                               ucpo_error *err)
{
    ucpo_status st = ucpo_train_config_create(out, err);
    if (st) return st;
    return train_config_copy(*out, config, err);
}

/* Limits, and what a resumption asks for, are those of a call, not of the run. */
static ucpo_status without_limits(ucpo_train_config *config, ucpo_error *err)
{
    ucpo_status st = ucpo_train_config_set(config, "max-time", "0", err);
    if (!st) st = ucpo_train_config_set(config, "max-instances", "0", err);
    if (!st) st = ucpo_train_config_set(config, "from", "last", err);
    return st ? st : ucpo_train_config_set(config, "allow-changes", "", err);
}

/* A new run that is given time but no number of instances is measured in time. */
static ucpo_status imply_time(ucpo_train_config *config, ucpo_error *err)
{
    struct train_plan *plan = mem_zeroed(1, sizeof *plan);
    if (!plan) return status_no_memory(err, sizeof *plan);
    ucpo_status st = train_plan_make(config, plan, err);
    int is_implied = !st && plan->run.max_time > 0.0 && plan->run.time <= 0.0 &&
                     plan->phases == 1 && !plan->phase[0].is_predicted &&
                     plan->run.max_instances == 0 && !train_config_has(config, "instances") &&
                     !train_config_has(config, "epochs") &&
                     strcmp(plan->run.protocol, "ours") == 0; /* the papers' have a length */
    char seconds[32];
    if (is_implied) {
        st = ucpo_train_config_set(config, "time", number_write(seconds, plan->run.max_time), err);
        if (!st) st = ucpo_train_config_set(config, "max-time", "0", err);
    }
    free(plan);
    return st;
}

/* What was left out of own data: other files, and what validation needs. */
static void tell_of_data(const struct run *run)
{
    struct source_skips skips = source_skipped(run->trainer->source);
    if (!run->writes) return;
    if (skips.count > 0)
        say(run, UCPO_LOG_WARNING, "%s: skipped, holds no instance%s", skips.first,
            skips.count > 1 ? " (and other files like it)" : "");
    if (run->validation && run->validation->split_of)
        say(run, UCPO_LOG_INFO,
            "own data: every tenth of %zu instances is held back for validation (validate "
            "same: none)",
            run->validation->split_of);
    if (train_plan_splits(run->plan) && run->validation && !run->validation->split_of)
        say(run, UCPO_LOG_WARNING,
            "own data: too few instances to hold some back, validation uses those it learns from");
}

/* A warm start under a mask that the model was not trained with, without anybody having said so. */
static void warn_of_mask(const struct run *run, const ucpo_train_config *config)
{
    const struct train_run *r = &run->plan->run;
    const char *mask = run->plan->phase[0].mask, *usual = train_protocol_mask(r->protocol);
    if (!run->writes || !r->start[0]) return;
    if (!train_config_has(config, "mask"))
        say(run, UCPO_LOG_WARNING,
            "nobody says with which mask the model was trained: option 'mask' is %s", mask);
    else if (usual && strcmp(usual, mask) != 0)
        say(run, UCPO_LOG_WARNING,
            "protocol %s is for mask %s, this run has the mask %s (of the model, unless option "
            "'mask' says so)",
            r->protocol, usual, mask);
}

static void warn_of_idle(const struct run *run, const ucpo_train_config *config)
{
    char text[200];
    if (run->writes && run->model->net.config.has_aux && !train_plan_has_aux(run->plan))
        say(run, UCPO_LOG_WARNING,
            "the model has an auxiliary decoder (PIP-D), which this run does not teach: with "
            "another mask than pip-d its predictions grow stale");
    warn_of_mask(run, config);
    for (size_t at = 0; run->writes && train_plan_idle(config, run->plan, &at, text, sizeof text);)
        say(run, UCPO_LOG_WARNING, "%s", text);
}

/* Everything of a new run before its first step; in the directory only at the end, so that bad
 * settings leave nothing behind. */
static ucpo_status set_up(struct run *run, ucpo_train_config *config, ucpo_error *err)
{
    ucpo_status st = run->plan->run.start[0] ? load_start(run, err) : create_model(run, err);
    if (!st && run->plan->run.start[0]) st = ucpo_train_config_follow(config, run->model, err);
    if (!st) st = ucpo_model_set_fact(run->model, "train.changed", NULL, err); /* of its base */
    if (!st) st = make_parts(run, err);
    if (!st) st = run_settings_make(run, 1, err);
    if (!st && strcmp(run->plan->run.optimiser, "carry") == 0)
        st = run_load_optimiser(run, run->plan->run.start, err);
    return st;
}

ucpo_status ucpo_train(const ucpo_train_config *config, const char *dir,
                       const ucpo_train_hooks *hooks, ucpo_train_summary *summary, ucpo_error *err)
{
    struct run run = {.lock = -1};
    ucpo_train_config *own = NULL;
    ucpo_train_end end = UCPO_TRAIN_FINISHED;
    const int64_t fresh[RUN_LOGS] = {-1, -1, -1};
    if (!config || !dir) return status_argument(err, "config and dir must not be NULL");
    ucpo_status st = copy_config(config, &own, err);
    if (!st) st = imply_time(own, err);
    if (!st) st = run_open(&run, dir, own, hooks, err);
    if (!st && (run.plan->run.allow_changes[0] || strcmp(run.plan->run.from, "last") != 0))
        st = status_argument(err, "from and allow-changes are for a run that goes on");
    if (!st) st = set_up(&run, own, err);
    if (!st) st = train_config_root_paths(own, err);
    if (!st) st = without_limits(own, err);
    if (!st) st = make_directory(&run, err);
    if (!st) st = write_config(&run, own, err);
    if (!st && run.writes) st = run_logs_open(&run.logs, run.dir, fresh, err);
    if (!st) warn_of_idle(&run, config);
    char doubt[240];
    if (!st && run.writes && run_impossible(&run, doubt, sizeof doubt))
        say(&run, UCPO_LOG_WARNING, "%s", doubt);
    if (!st) tell_of_data(&run);
    if (!st) st = loop(&run, &end, err);
    ucpo_train_config_free(own);
    return finish(&run, st, end, summary);
}

/* The run's own settings with the changes on top. Limits are those of a call: the old ones would end
 * this one at once. */
static ucpo_status read_config(const char *dir, const ucpo_train_config *changes,
                               ucpo_train_config **out, ucpo_error *err)
{
    char path[RUN_PATH];
    snprintf(path, sizeof path, "%s/config.toml", dir);
    ucpo_status st = ucpo_train_config_create(out, err);
    if (!st) st = ucpo_train_config_read(*out, path, err);
    if (!st) st = without_limits(*out, err); /* of a file that somebody edited */
    if (!st && changes) st = train_config_change(*out, changes, err);
    return st;
}

/* ---- a run without its checkpoint ---- */

/* Instances that a line of metrics.jsonl or (kind, step, instances, ...) of metrics.csv says were learned from. */
static int64_t seen_in_line(const char *line)
{
    static const char key[] = "\"instances\":";
    const char *end = line + strcspn(line, "\n"), *cell = strstr(line, key);
    if (*line == '{') return cell && cell < end ? strtoll(cell + strlen(key), NULL, 10) : 0;
    cell = strchr(line, ',');
    if (cell) cell = strchr(cell + 1, ',');
    return cell && cell < end ? strtoll(cell + 1, NULL, 10) : 0;
}

/* The most that a log says; 0: nothing. */
static int64_t seen_in_log(const char *dir, const char *name)
{
    char path[RUN_PATH], *bytes = NULL;
    size_t size = 0;
    int64_t most = 0;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    if (ucpo_file_read(path, &bytes, &size, NULL)) return 0;
    for (const char *line = bytes; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        int64_t seen = seen_in_line(line);
        if (seen > most) most = seen;
    }
    free(bytes);
    return most;
}

/* -1: there is one that cannot be read. */
static int64_t seen_in_best(const char *dir)
{
    char path[RUN_PATH];
    ucpo_model *model = NULL;
    if (!exists(dir, "best.safetensors")) return 0;
    snprintf(path, sizeof path, "%s/best.safetensors", dir);
    if (ucpo_model_load(path, &model, NULL)) return -1;
    const char *text = ucpo_model_fact(model, "run.instances");
    int64_t seen = text ? strtoll(text, NULL, 10) : -1;
    ucpo_model_free(model);
    return seen;
}

/* Killed before its first checkpoint, a run may begin. But not one that has learned before: that would
 * write over what is left of it. */
static ucpo_status check_nothing_lost(const struct run *run, ucpo_error *err)
{
    int64_t best = seen_in_best(run->dir), log = seen_in_log(run->dir, "metrics.jsonl");
    int64_t table = seen_in_log(run->dir, "metrics.csv");
    if (table > log) log = table;
    char path[RUN_PATH];
    run_checkpoint_path(run, path);
    if (strcmp(run->plan->run.from, "last") != 0)
        return status_fail_at(err, UCPO_E_IO, path, 0, "there is no such checkpoint");
    if (best == 0 && log == 0) return UCPO_OK;
    char seen[80] = "best.safetensors is there";
    if (log > 0 || best > 0)
        snprintf(seen, sizeof seen, "%s says that %lld instances were learned from",
                 log >= best ? "the log" : "best.safetensors",
                 (long long)(log >= best ? log : best));
    return status_fail_at(
        err, UCPO_E_IO, path, 0,
        "is missing, but %s: %sbring it back, or begin anew in another directory", seen,
        best > 0 ? "go on from the best validation with option 'from' best, " : "");
}

/* ---- a run that becomes longer or shorter ---- */

static int moves(const struct train_phase *p)
{
    return p->schedule.kind != NN_SCHEDULE_CONSTANT || p->is_predicted ||
           p->loss_config.alpha != p->last_loss.alpha ||
           p->anchor_weight != p->last_anchor_weight ||
           (p->samples_end != 0 && p->samples_end != p->samples);
}

/* What a run that goes on has before it. */
static void tell_length(const struct run *run)
{
    const struct trainer *t = run->trainer;
    const struct train_phase *p = &run->plan->phase[run->plan->phases - 1];
    char moving[160] = "";
    int is_timed = run->plan->run.time > 0.0;
    if (trainer_is_done(t))
        say(run, UCPO_LOG_WARNING, "the run was finished; to go on say a larger %s",
            is_timed ? "time of the whole run, option 'time'"
                     : "number of instances of the whole run, option 'instances'");
    if (trainer_is_done(t) || !run->has_new_length) return;
    if (moves(p))
        snprintf(moving, sizeof moving, "; what moves over %s now moves until then",
                 run->plan->phases > 1 ? "the last phase" : "the run");
    if (moves(p) && !is_timed && t->at.phase == run->plan->phases - 1)
        text_append(moving, sizeof moving, ", ", "lr goes on at %.3g",
                    train_rate(p, t->at.phase_step));
    if (is_timed)
        say(run, UCPO_LOG_WARNING, "goes on from %.0f to %.0f seconds of learning%s", run->elapsed,
            run->plan->run.time, moving);
    else
        say(run, UCPO_LOG_WARNING, "goes on from %lld to %lld instances%s",
            (long long)t->at.instances, (long long)run->plan->instances, moving);
}

/* Puts the run, as its checkpoint has it, into the plan, which may have another length. */
static ucpo_status fit_length(struct run *run, ucpo_error *err)
{
    struct trainer *t = run->trainer;
    double time = run->plan->run.time;
    if (run->has_new_length && time > 0.0 && run->elapsed > time)
        return status_argument(err, "time is %g s, but the run has learned for %.0f s", time,
                               run->elapsed);
    if (time <= 0.0 && t->at.instances > run->plan->instances)
        return status_argument(err,
                               "instances of the whole run are %lld, but it has learned from %lld "
                               "already",
                               (long long)run->plan->instances, (long long)t->at.instances);
    int is_over = time > 0.0 ? run->elapsed >= time : t->at.instances == run->plan->instances;
    if (is_over && !trainer_is_done(t)) trainer_finish(t);
    if (!is_over && trainer_is_done(t)) trainer_reopen(t);
    return UCPO_OK;
}

/* The new length in config.toml, whose other settings stay what they are there. */
static ucpo_status write_length(const struct run *run, const ucpo_train_config *changes,
                                ucpo_error *err)
{
    char path[RUN_PATH];
    ucpo_train_config *config = NULL;
    int has_length = 0;
    if (!run->writes || !changes) return UCPO_OK;
    snprintf(path, sizeof path, "%s/config.toml", run->dir);
    ucpo_status st = ucpo_train_config_create(&config, err);
    if (!st) st = ucpo_train_config_read(config, path, err);
    if (!st) st = train_config_change_length(config, changes, &has_length, err);
    if (!st && has_length) st = write_config(run, config, err);
    ucpo_train_config_free(config);
    return st;
}

/* What the checkpoint holds, into the parts of a run. */
static ucpo_status load_state(struct run *run, int64_t offset[RUN_LOGS], ucpo_error *err)
{
    ucpo_status st = load_last(run, err);
    if (!st) st = make_parts(run, err);
    if (!st) st = run_load(run, offset, err);
    if (!st) st = run_settings_make(run, 0, err);
    if (!st) st = run_settings_check(run, err);
    return st ? st : fit_length(run, err);
}

ucpo_status ucpo_train_resume(const char *dir, const ucpo_train_config *changes,
                              const ucpo_train_hooks *hooks, ucpo_train_summary *summary,
                              ucpo_error *err)
{
    struct run run = {.lock = -1};
    ucpo_train_config *config = NULL;
    ucpo_train_end end = UCPO_TRAIN_FINISHED;
    int64_t offset[RUN_LOGS] = {-1, -1, -1};
    if (!dir) return status_argument(err, "dir must not be NULL");
    if (strlen(dir) >= TRAIN_PATH)
        return status_argument(err, "the name of the directory is too long");
    ucpo_status st = UCPO_OK;
    if (!exists(dir, "config.toml"))
        st = status_fail_at(err, UCPO_E_IO, dir, 0, "holds no run: there is no config.toml");
    if (!st) st = read_config(dir, changes, &config, err);
    if (!st) st = run_open(&run, dir, config, hooks, err);
    if (!st && run.writes) st = lock_directory(&run, err); /* before anything is read */
    if (!st && strchr(run.plan->run.from, '/'))
        st = status_argument(err, "from is '%s', expected last, best or at-N", run.plan->run.from);
    char name[64] = "";
    if (!st) snprintf(name, sizeof name, "%s.safetensors", run.plan->run.from);
    int has_checkpoint = !st && exists(dir, name); /* killed before its first one: begin */
    if (!st && !has_checkpoint) st = check_nothing_lost(&run, err);
    if (!st) sweep(&run);
    if (!st) st = has_checkpoint ? load_state(&run, offset, err) : set_up(&run, config, err);
    if (!st && run.writes) st = run_logs_open(&run.logs, run.dir, offset, err);
    if (!st && run.logs.damage[0])
        say(&run, UCPO_LOG_WARNING,
            "%s: shorter than when the checkpoint was saved, or missing; what is left is kept and "
            "gone on with, the weights do not depend on it",
            run.logs.damage);
    if (!st) st = write_length(&run, changes, err);
    if (!st) say(&run, UCPO_LOG_INFO, "resumed");
    if (!st && run.writes) tell_length(&run);
    if (!st) st = loop(&run, &end, err);
    ucpo_train_config_free(config);
    return finish(&run, st, end, summary);
}

/* Seconds of an instance in phase p: the sizes it meets, each as often as it comes, at the middle of
 * the phase, where a number of samples that moves has its mean. */
static ucpo_status time_phase(struct trainer *t, int p, double *seconds, ucpo_error *err)
{
    struct source_share share[SOURCE_SHARES];
    int shares = source_shares(t->source, p, share);
    ucpo_status st = UCPO_OK;
    *seconds = 0.0;
    for (int i = 0; !st && i < shares; i++) {
        double best = HUGE_VAL;
        for (int k = 0; !st && k < 3; k++) {
            ucpo_train_report report;
            t->time_share = 0.5;
            t->at = (struct trainer_counters){.phase = p,
                                              .batches = share[i].batch,
                                              .phase_instances = t->plan->phase[p].instances / 2};
            double start = clock_seconds();
            st = trainer_step(t, &report, err);
            double each = (clock_seconds() - start) / (double)t->at.instances;
            if (each < best) best = each;
        }
        *seconds += share[i].weight * best;
    }
    return st;
}

ucpo_status ucpo_train_dry_run(const ucpo_train_config *config, ucpo_train_estimate *out,
                               ucpo_error *err)
{
    struct run run = {.lock = -1};
    ucpo_train_estimate e = {0};
    ucpo_train_config *own = NULL;
    if (!config || !out) return status_argument(err, "config and out must not be NULL");
    ucpo_status st = copy_config(config, &own, err);
    if (!st) st = imply_time(own, err);
    if (!st) st = run_open(&run, "", own, NULL, err);
    if (!st) st = set_up(&run, own, err);
    if (!st) st = trainer_measure(run.trainer, &e.bytes, err);
    if (!st) e.parameters = run.model->net.total;
    if (!st) e.kernels = run.trainer->kern->name, e.precision = run.trainer->kern->precision;
    for (int p = 0; !st && p < run.plan->phases; p++) {
        double each = 0.0;
        run.plan->phase[p].accumulate = 1; /* or a step would go on to batches of other sizes */
        st = time_phase(run.trainer, p, &each, err);
        e.total_seconds += each * (double)run.plan->phase[p].instances;
    }
    if (!st) e.seconds = 10000.0 * e.total_seconds / (double)run.plan->instances;
    if (!st && run.plan->run.time > 0.0) e.total_seconds = run.plan->run.time;
    ucpo_train_config_free(own);
    if (!st) *out = e;
    return finish(&run, st, UCPO_TRAIN_FINISHED, NULL);
}
