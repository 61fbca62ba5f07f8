/* The settings and data that decide the result of a run, as text in every checkpoint: a line
 * "key=value" each, "2.key=value" in the second of several phases. Files count by what they say, not
 * by their names. */
#include "api/train.h"

#include "core/hash.h"
#include "core/text.h"
#include "train/keys.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What the weights have and no file can change. */
static const char shape_keys[] =
    "problem width heads hidden layers decision decision-in pair norm logit-clip";

static void put_hash(struct io_buffer *out, uint64_t hash)
{
    io_printf(out, "%016llx", (unsigned long long)hash);
}

/* As config.toml has it, which is read when the run goes on. */
static void put_path(struct io_buffer *out, const char *path)
{
    char here[TRAIN_PATH];
    int is_relative = path[0] && path[0] != '/' && getcwd(here, sizeof here);
    io_printf(out, "%s%s%s", is_relative ? here : "", is_relative ? "/" : "", path);
}

static int names_a_file(const struct run *run)
{
    const char *validate = run->plan->run.validate;
    return run->validation && !prob_is_preset(validate) &&
           text_word_index("auto none", validate) < 0;
}

static void put_value(struct io_buffer *out, const struct run *run, const struct train_run *shape,
                      const struct train_key *key, int phase)
{
    char text[TRAIN_PATH];
    const void *base = key->is_phase ? (const void *)&run->plan->phase[phase] : (const void *)shape;
    train_key_text(key, base, text, sizeof text);
    if (strcmp(key->name, "data") == 0 && text[0])
        put_hash(out, source_hash(source_own(run->trainer->source, phase)));
    else if (strcmp(key->name, "start") == 0)
        put_path(out, text);
    else if (strcmp(key->name, "validate") == 0 && names_a_file(run))
        put_hash(out, source_hash(run->validation->set));
    else if (strcmp(key->name, "reference") == 0 && run->validation && run->validation->reference)
        put_hash(out, hash_bytes(HASH_BEGIN, run->validation->reference,
                                 run->validation->count * sizeof(double)));
    else
        io_printf(out, "%s", text);
}

/* A line of such a text. */
struct line {
    const char *key, *value;
    int key_length, length;
};

static int next_line(const char **at, struct line *out)
{
    size_t length = strcspn(*at, "\n");
    if (length == 0) return 0;
    const char *equals = memchr(*at, '=', length);
    const char *value = equals ? equals + 1 : *at + length;
    *out = (struct line){*at, value, (int)(value - *at) - (equals ? 1 : 0),
                         (int)length - (int)(value - *at)};
    *at += length + ((*at)[length] == '\n');
    return 1;
}

static int find_line(const char *text, const struct line *wanted, struct line *out)
{
    while (next_line(&text, out))
        if (out->key_length == wanted->key_length &&
            memcmp(out->key, wanted->key, (size_t)wanted->key_length) == 0)
            return 1;
    return 0;
}

/* The name without the number of a phase. */
static void name_of(const struct line *line, char name[32])
{
    const char *dot = memchr(line->key, '.', (size_t)line->key_length);
    const char *from = dot ? dot + 1 : line->key;
    snprintf(name, 32, "%.*s", line->key_length - (int)(from - line->key), from);
}

/* Whether a text has the setting at all, for the run or for any phase: one of an older version may not. */
static int has_name(const char *text, const char *name)
{
    char other[32];
    for (struct line line; next_line(&text, &line);) {
        name_of(&line, other);
        if (strcmp(other, name) == 0) return 1;
    }
    return 0;
}

/* Whether a setting is left out of the text: one that says nothing about this run, or that the checkpoint
 * of an older version did not have. */
static int is_left_out(const struct run *run, const char *name, int is_new)
{
    const char *saved = ucpo_model_fact(run->model, "run.settings");
    if (text_word_index("decision-in pair", name) < 0) return train_key_is_free(name);
    if (!is_new && saved && !has_name(saved, name)) return 1;
    return strcmp(name, "decision-in") == 0 && !run->model->net.config.side_hidden;
}

ucpo_status run_settings_make(struct run *run, int is_new, ucpo_error *err)
{
    struct io_buffer out = {0};
    const struct train_key *key;
    const struct nn_config *c = &run->model->net.config;
    struct train_run shape = run->plan->run;
    if (is_new) { /* a warm start has the model's, whatever the plan says */
        shape.width = c->width, shape.heads = c->heads, shape.hidden = c->hidden;
        shape.layers = c->layers, shape.logit_clip = c->clip, shape.decision = c->side_hidden;
        if (c->side_hidden)
            snprintf(shape.decision_in, sizeof shape.decision_in, "%s", model_decision_in(c));
        snprintf(shape.pair, sizeof shape.pair, "%s", model_pair(c));
        snprintf(shape.norm, sizeof shape.norm, "%s", model_norm_name[c->norm]);
    }
    for (size_t i = 0; (key = train_key_at(i)); i++) {
        if (is_left_out(run, key->name, is_new)) continue;
        for (int p = 0; p < (key->is_phase ? run->plan->phases : 1); p++) {
            if (key->is_phase && run->plan->phases > 1) io_printf(&out, "%d.", p + 1);
            io_printf(&out, "%s=", key->name);
            put_value(&out, run, &shape, key, p);
            io_put(&out, "\n", 1);
        }
    }
    io_put(&out, "", 1);
    ucpo_status st = io_buffer_status(&out, err);
    if (st)
        io_buffer_free(&out);
    else
        run->settings = out.bytes;
    return st;
}

/* ---- comparing ---- */

static int is_allowed(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; *at;) {
        at += strspn(at, ", ");
        size_t word = strcspn(at, ", ");
        if (word == length && memcmp(at, name, length) == 0) return 1;
        at += word;
    }
    return 0;
}

static ucpo_status refuse(const struct run *run, const struct line *now, const struct line *before,
                          const char *name, ucpo_error *err)
{
    char path[RUN_PATH];
    snprintf(path, sizeof path, "%s/config.toml", run->dir);
    int is_shape = text_word_index(shape_keys, name) >= 0;
    int is_data = text_word_index("data validate reference", name) >= 0;
    const char *phase = memchr(now->key, '.', (size_t)now->key_length) ? " of a phase" : "";
    if (is_shape)
        return status_fail_at(err, UCPO_E_MISMATCH, path, 0,
                              "%s is %.*s, but the weights of the run have %.*s: put it back", name,
                              now->length, now->value, before->length, before->value);
    if (is_data)
        return status_fail_at(
            err, UCPO_E_MISMATCH, path, 0,
            "%s%s: the files do not say what they said when the run was trained "
            "on them: put them back, or go on with option 'allow-changes' %s, which the "
            "model's facts will say",
            name, phase, name);
    return status_fail_at(err, UCPO_E_MISMATCH, path, 0,
                          "%s%s is %.*s, but the run was trained with %.*s: put it back, or go on "
                          "with option 'allow-changes' %s, which the model's facts will say",
                          name, phase, now->length < 80 ? now->length : 80, now->value,
                          before->length < 80 ? before->length : 80, before->value, name);
}

/* "lr 0.00015 -> 0.001 after 20000 instances", behind what was recorded before. */
static ucpo_status record(struct run *run, const struct line *now, const struct line *before,
                          ucpo_error *err)
{
    const char *old = ucpo_model_fact(run->model, "train.changed");
    struct io_buffer text = {0};
    io_printf(&text, "%s%s%.*s %.*s -> %.*s after %lld instances", old ? old : "", old ? "; " : "",
              now->key_length, now->key, before->length, before->value, now->length, now->value,
              (long long)run->trainer->at.instances);
    io_put(&text, "", 1);
    ucpo_status st = io_buffer_status(&text, err);
    if (!st) st = ucpo_model_set_fact(run->model, "train.changed", text.bytes, err);
    io_buffer_free(&text);
    return st;
}

/* Whether a line is the length of the run: the instances of its (last) phase, or its time. */
static int is_length(const struct run *run, const struct line *now, const struct line *before)
{
    char last[32] = "instances";
    if (run->plan->run.time > 0.0) {
        int had_time = before->length != 1 || before->value[0] != '0';
        return had_time && now->key_length == 4 && memcmp(now->key, "time", 4) == 0;
    }
    if (run->plan->phases > 1) snprintf(last, sizeof last, "%d.instances", run->plan->phases);
    return now->key_length == (int)strlen(last) && memcmp(now->key, last, strlen(last)) == 0;
}

ucpo_status run_settings_check(struct run *run, ucpo_error *err)
{
    static const struct line nothing = {"", "(nothing)", 0, 9};
    const char *saved = ucpo_model_fact(run->model, "run.settings"), *at = run->settings;
    const char *allowed = run->plan->run.allow_changes;
    if (!saved) return UCPO_OK; /* a checkpoint of an older version */
    ucpo_status st = UCPO_OK;
    for (struct line now, before; !st && next_line(&at, &now);) {
        char name[32];
        name_of(&now, name);
        if (!find_line(saved, &now, &before)) before = nothing;
        int is_same =
            now.length == before.length && memcmp(now.value, before.value, (size_t)now.length) == 0;
        if (is_same || !has_name(saved, name)) continue;
        int may_differ = is_length(run, &now, &before);
        run->has_new_length |= may_differ;
        may_differ |= is_allowed(allowed, name) && text_word_index(shape_keys, name) < 0;
        st = may_differ ? record(run, &now, &before, err) : refuse(run, &now, &before, name, err);
    }
    return st;
}
