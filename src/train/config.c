/* The table of settings, and how text becomes a value. */
#include "train/config.h"

#include "core/number.h"
#include "core/text.h"
#include "train/keys.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What was set: phase 0 is the run as a whole. */
struct train_item {
    int phase;
    char key[24];
    char value[TRAIN_PATH];
};

#define RUN(field) offsetof(struct train_run, field), sizeof(((struct train_run *)0)->field), 0
#define PHASE(field)                                                                               \
    offsetof(struct train_phase, field), sizeof(((struct train_phase *)0)->field), 1

static const char mask_words[] = "visited pip pip-own pip-d";
static const char score_words[] = "sum mean cut cut-mean";
static const char curve_words[] = "constant linear cosine drop";

/* name, kind, default, low, high, words, field, help */
static const struct train_key keys[] = {
    {"problem", KEY_WORD, "", 0, 0, NULL, RUN(problem), "what the model solves"},
    {"size", KEY_TEXT, "50", 0, 0, NULL, PHASE(size),
     "nodes of generated instances (customers for fleets), or a mixture with weights: 20:1,50:3"},
    {"level", KEY_TEXT, "", 0, 0, NULL, PHASE(level),
     "level or profile of the generator, or a mixture with weights: easy:1,hard:2; none: the "
     "problem's first"},
    {"data", KEY_PATH, "", 0, 0, NULL, PHASE(data),
     "train on your own instances instead: a file, or a directory of files"},
    {"images", KEY_COUNT, "8", 1, 8, NULL, PHASE(images),
     "own instances are shown under a random one of this many symmetries of the square"},
    {"instances", KEY_COUNT, "100k", 1, 1e15, NULL, PHASE(instances),
     "instances to learn from; 200k and 1.5M are understood"},
    {"epochs", KEY_COUNT, "0", 0, 1e11, NULL, PHASE(epochs),
     "the same in the papers' unit, an epoch of 10,000 instances; 0: instances counts"},
    {"time", KEY_DURATION, "0", 0, 1e9, NULL, RUN(time),
     "learn for this long instead, all sessions together: 8h; the rate then falls with the time. "
     "max-time without instances means it"},
    {"protocol", KEY_WORD, "ours", 0, 0, "ours paper paper-sum pomo pip pip-d slim bopo poco",
     RUN(protocol),
     "whose defaults: ours; the paper's UCPO (paper: its score / n, paper-sum: as printed), cold "
     "or with a model to start from warm; or another method's, as published: pomo, pip, pip-d, "
     "slim, "
     "bopo, poco"},
    {"loss", KEY_TEXT, "ucpo,alpha=3/n,beta-max=4", 0, 0, NULL, PHASE(loss),
     "preset and settings of the loss, for example ucpo,alpha=2/n (docs/loss.md)"},
    {"score", KEY_WORD, "cut", 0, 0, score_words, PHASE(score),
     "score of a trajectory: sum (alpha x its log-likelihood), mean (over its decisions), cut (sum "
     "until a violation is certain), cut-mean"},
    {"alpha-end", KEY_TEXT, "", 0, 0, NULL, PHASE(alpha_end),
     "move alpha of the loss to this value over the phase: 1/n, 0.1"},
    {"mask", KEY_WORD, "pip", 0, 0, mask_words, PHASE(mask),
     "what the policy may not choose: visited nodes (POMO), pip (look-ahead), pip-own (and its own "
     "deadline), pip-d (predicted look-ahead)"},
    {"samples", KEY_COUNT, "0", 0, 10000, NULL, PHASE(samples),
     "trajectories per instance, 0 for the size of the instance"},
    {"samples-end", KEY_COUNT, "0", 0, 10000, NULL, PHASE(samples_end),
     "move the number of trajectories to this over the phase, 0 for no change"},
    {"starts", KEY_WORD, "sampled", 0, 0, "sampled each", PHASE(starts),
     "first customer of a trajectory: sampled, or each in turn with probability 1 (POMO's "
     "multi-start)"},
    {"batch", KEY_COUNT, "16", 1, 65536, NULL, PHASE(batch), "instances worked on together"},
    {"accumulate", KEY_COUNT, "1", 1, 65536, NULL, PHASE(accumulate),
     "batches per step of the optimiser"},
    {"lr", KEY_REAL, "1.5e-4", 0, 1, NULL, PHASE(lr), "learning rate of Adam"},
    {"lr-end", KEY_REAL, "1e-6", 0, 1, NULL, PHASE(lr_end),
     "move the rate to this over the phase, 0 for no change"},
    {"lr-curve", KEY_WORD, "cosine", 0, 0, curve_words, PHASE(lr_curve),
     "how it moves: constant, linear, cosine, drop (at nine tenths, as published)"},
    {"warmup", KEY_COUNT, "0", 0, 1e9, NULL, PHASE(warmup),
     "steps over which the rate rises from 0"},
    {"weight-decay", KEY_REAL, "1e-6", 0, 1, NULL, PHASE(weight_decay), "added to the gradient"},
    {"clip-norm", KEY_REAL, "0", 0, 1e9, NULL, PHASE(clip_norm),
     "cap on the gradient's norm, 0 for none"},
    {"aux-open", KEY_REAL, "0.02", 0, 1, NULL, PHASE(aux_open),
     "pip-d: share of the phase that opens with learning the mask"},
    {"aux-blocks", KEY_COUNT, "10", 1, 1e6, NULL, PHASE(aux_blocks),
     "pip-d: blocks of the phase, each begins with the best predictor so far"},
    {"aux-update", KEY_REAL, "0.05", 0, 1, NULL, PHASE(aux_update),
     "pip-d: share of a block, at its end, in which the mask is learned again"},
    {"aux-close", KEY_REAL, "0.005", 0, 1, NULL, PHASE(aux_close),
     "pip-d: share of the phase that closes with learning the mask"},
    {"aux-recall", KEY_REAL, "0.75", 0, 1, NULL, PHASE(aux_recall),
     "pip-d: a predictor must recognise this share of infeasible nodes"},
    {"anchor", KEY_WORD, "auto", 0, 0, "auto none refine", PHASE(anchor),
     "also learn from the best sample of an instance after local search (refine), if that made it "
     "better; auto: for tours with a look-ahead mask, not with visited, not for fleets"},
    {"anchor-mode", KEY_WORD, "imitate", 0, 0, "imitate pair", PHASE(anchor_mode),
     "how: imitate (raises its likelihood), pair (it joins the ranking of the loss)"},
    {"anchor-weight", KEY_REAL, "5", 0, 1000, NULL, PHASE(anchor_weight),
     "imitate: weight of its mean log-probability per decision; pair: share of the loss in which "
     "it takes part, at most 1 (so say one)"},
    {"anchor-weight-end", KEY_TEXT, "", 0, 0, NULL, PHASE(anchor_weight_end),
     "move anchor-weight to this over the phase"},
    {"anchor-share", KEY_REAL, "1", 0, 1, NULL, PHASE(anchor_share),
     "share of the instances whose best sample is refined"},
    {"anchor-effort", KEY_COUNT, "0", 0, 1e12, NULL, PHASE(anchor_effort),
     "moves the local search may price for an instance, 0 for 40 n^2"},

    {"network", KEY_WORD, "large", 0, 0, "large small", RUN(network),
     "size of the network: large (128 wide, 8 heads, 512 hidden, 6 layers), small (32, 4, 64, 1; "
     "lr "
     "1e-3): learned in minutes, a plan in a fraction of a millisecond"},
    {"width", KEY_COUNT, "128", 8, 1024, NULL, RUN(width), "of an embedding"},
    {"heads", KEY_COUNT, "8", 1, 128, NULL, RUN(heads), "of attention"},
    {"hidden", KEY_COUNT, "512", 1, 8192, NULL, RUN(hidden), "width of the feed-forward layers"},
    {"layers", KEY_COUNT, "6", 0, 16, NULL, RUN(layers), "of the encoder"},
    {"decision", KEY_COUNT, "16", 0, 64, NULL, RUN(decision),
     "hidden units of the pointer's side network, which sees what going to a node now would mean "
     "(way, slack, load); a multiple of 4, 0 for none (the papers' pointer)"},
    {"decision-in", KEY_WORD, "glimpse", 0, 0, "logits glimpse", RUN(decision_in),
     "where that is heard: logits, or the attention of the decoder's glimpse as well (glimpse)"},
    {"pair", KEY_WORD, "on", 0, 0, "off on", RUN(pair),
     "whether the encoder's attention hears features of every pair of nodes (legs both ways, "
     "windows, "
     "loads): off as in the papers"},
    {"norm", KEY_WORD, "instance", 0, 0, "instance layer fixed", RUN(norm),
     "normalisation: instance (over the nodes), layer (over the channels), fixed (by the "
     "statistics "
     "of the model the run starts from)"},
    {"logit-clip", KEY_REAL, "10", 0, 1000, NULL, RUN(logit_clip),
     "logits are clip x tanh(.), 0 for no clip"},

    {"start", KEY_PATH, "", 0, 0, NULL, RUN(start), "begin with this model instead of nothing"},
    {"seed", KEY_SEED, "1", 0, 0, NULL, RUN(seed), "same seed, same run, on any number of threads"},
    {"threads", KEY_COUNT, "0", 0, 1024, NULL, RUN(threads), "threads, 0 for all processors"},
    {"kernels", KEY_WORD, "auto", 0, 0, "auto portable avx2 avx512 amx", RUN(kernels),
     "instructions of the processor: auto for the best there are, portable, avx2, avx512, amx"},
    {"precision", KEY_WORD, "auto", 0, 0, "auto f32 bf16", RUN(precision),
     "of factors in matrix products: f32, bf16 (fast with amx only), auto for f32"},
    {"negligible", KEY_REAL, "1e-3", 0, 1, NULL, RUN(negligible),
     "trajectories whose weight is below this share of the largest are not replayed"},
    {"validate", KEY_PATH, "auto", 0, 0, NULL, RUN(validate),
     "a preset, a file or directory, none, or auto: instances like the last phase's, of another "
     "seed; of own data a tenth, which is then not learned from (same: all of it, and learned "
     "from)"},
    {"validate-count", KEY_COUNT, "256", 1, 1e6, NULL, RUN(validate_count),
     "validate on the first so many"},
    {"validate-samples", KEY_COUNT, "0", 0, 100000, NULL, RUN(validate_samples),
     "samples per image in validation, 0 for as many as nodes"},
    {"validate-augment", KEY_COUNT, "1", 1, 8, NULL, RUN(validate_augment),
     "images per instance in validation"},
    {"validate-every", KEY_COUNT, "20k", 0, 1e15, NULL, RUN(validate_every),
     "instances between validations, 0 for the beginning and the end only"},
    {"reference", KEY_PATH, "", 0, 0, NULL, RUN(reference),
     "costs to compare with in validation: npy, csv, pkl"},
    {"save-every", KEY_DURATION, "120", 0.01, 1e9, NULL, RUN(save_every),
     "time between checkpoints: 90, 2m, 1h"},
    {"keep-every", KEY_COUNT, "0", 0, 1e15, NULL, RUN(keep_every),
     "keep a checkpoint of its own every so many instances, 0 for none"},
    {"log-every", KEY_COUNT, "10", 1, 1e9, NULL, RUN(log_every), "steps per line of metrics"},
    {"max-time", KEY_DURATION, "0", 0, 1e9, NULL, RUN(max_time),
     "this call stops (resumable) after this time: 90, 2m, 1h; 0 for no limit. In a new run "
     "without instances it is the run's time"},
    {"max-instances", KEY_COUNT, "0", 0, 1e15, NULL, RUN(max_instances),
     "this call stops (resumable) when the run has seen this many instances, 0 for no limit"},
    {"from", KEY_TEXT, "last", 0, 0, NULL, RUN(from),
     "a run that goes on: the checkpoint it goes on from: last, best or at-N"},
    {"allow-changes", KEY_TEXT, "", 0, 0, NULL, RUN(allow_changes),
     "a run that goes on: settings that may differ from what the run was trained with (edited in "
     "config.toml, or data that changed), separated by commas; the model's facts record them"},
    {"optimiser", KEY_WORD, "fresh", 0, 0, "fresh carry", RUN(optimiser),
     "warm start: a fresh optimiser, or carry on with the one in the checkpoint"},
};

enum { KEYS = sizeof keys / sizeof keys[0] };

const struct train_key *train_key_at(size_t index)
{
    return index < KEYS ? &keys[index] : NULL;
}

const struct train_key *train_key_find(const char *name)
{
    for (size_t i = 0; i < KEYS; i++)
        if (strcmp(keys[i].name, name) == 0) return &keys[i];
    return NULL;
}

/* ---- text to value ---- */

/* A number with an optional unit: factor[k] belongs to letter[k]. */
static int read_scaled(const char *text, const char *letters, const double *factor, double *out)
{
    size_t length = strlen(text);
    double scale = 1.0;
    const char *unit = length > 0 ? strchr(letters, text[length - 1]) : NULL;
    if (unit) {
        scale = factor[unit - letters];
        length--;
    }
    if (!number_read(text, length, out)) return 0;
    *out *= scale;
    if (scale > 1.0 && fabs(*out - round(*out)) < 1e-12 * fabs(*out)) *out = round(*out); /* 8.2M */
    return 1;
}

static ucpo_status bad_value(const struct train_key *key, const char *value, ucpo_error *err)
{
    static const char *const kinds[] = {"a word",           "a text",
                                        "a file name",      "a whole number",
                                        "a number",         "a time such as 200ms, 90s, 30m or 2h",
                                        "a seed of 64 bits"};
    if (key->words)
        return status_argument(err, "%s is '%.80s', expected one of: %s", key->name, value,
                               key->words);
    if (key->high > key->low)
        return status_argument(err, "%s is '%.80s', expected %s in %g .. %g", key->name, value,
                               kinds[key->kind], key->low, key->high);
    return status_argument(err, "%s is '%.80s', expected %s", key->name, value, kinds[key->kind]);
}

static ucpo_status put_text(const struct train_key *key, void *at, const char *value,
                            ucpo_error *err)
{
    if (key->words && text_word_index(key->words, value) < 0) return bad_value(key, value, err);
    if (strlen(value) >= key->bytes)
        return status_argument(err, "%s has %zu characters, at most %zu are kept", key->name,
                               strlen(value), key->bytes - 1);
    memcpy(at, value, strlen(value) + 1);
    return UCPO_OK;
}

/* Stores `value` in the struct `base` (a run or a phase). */
ucpo_status train_key_put(const struct train_key *key, void *base, const char *value,
                          ucpo_error *err)
{
    static const double thousands[] = {1e3, 1e6};
    void *at = (char *)base + key->offset;
    double number = 0;
    int64_t whole;
    switch (key->kind) {
    case KEY_WORD:
    case KEY_TEXT:
    case KEY_PATH: return put_text(key, at, value, err);
    case KEY_COUNT:
        if (!read_scaled(value, "kM", thousands, &number) || number != floor(number) ||
            number < key->low || number > key->high)
            return bad_value(key, value, err);
        whole = (int64_t)number;
        memcpy(at, &whole, sizeof whole);
        return UCPO_OK;
    case KEY_REAL:
    case KEY_DURATION:
        if (!(key->kind == KEY_REAL ? number_read(value, strlen(value), &number)
                                    : number_read_time(value, &number)) ||
            !isfinite(number) || number < key->low || number > key->high)
            return bad_value(key, value, err);
        memcpy(at, &number, sizeof number);
        return UCPO_OK;
    case KEY_SEED:
        if (!number_read_seed(value, at)) return bad_value(key, value, err);
        return UCPO_OK;
    }
    return UCPO_E_INTERNAL;
}

/* The inverse, for files. */
void train_key_text(const struct train_key *key, const void *base, char *buf, size_t size)
{
    const void *at = (const char *)base + key->offset;
    char number[NUMBER_SIZE];
    double real_value;
    int64_t whole;
    uint64_t seed;
    switch (key->kind) {
    case KEY_WORD:
    case KEY_TEXT:
    case KEY_PATH: snprintf(buf, size, "%s", (const char *)at); break;
    case KEY_COUNT:
        memcpy(&whole, at, sizeof whole);
        snprintf(buf, size, "%lld", (long long)whole);
        break;
    case KEY_REAL:
    case KEY_DURATION:
        memcpy(&real_value, at, sizeof real_value);
        snprintf(buf, size, "%s", number_write(number, real_value));
        break;
    case KEY_SEED:
        memcpy(&seed, at, sizeof seed);
        snprintf(buf, size, "%llu", (unsigned long long)seed);
        break;
    }
}

/* ---- the container ---- */

ucpo_status ucpo_train_config_create(ucpo_train_config **out, ucpo_error *err)
{
    if (!out) return status_argument(err, "out must not be NULL");
    ucpo_train_config *config = mem_zeroed(1, sizeof *config);
    if (!config) return status_no_memory(err, sizeof *config);
    *out = config;
    return UCPO_OK;
}

void ucpo_train_config_free(ucpo_train_config *config)
{
    if (!config) return;
    free(config->item);
    free(config);
}

static ucpo_status unknown_key(const char *key, ucpo_error *err)
{
    const char *names[KEYS];
    for (size_t i = 0; i < KEYS; i++) names[i] = keys[i].name;
    const char *near = text_nearest(key, names, KEYS);
    return status_argument(err, "unknown setting '%.40s'%s%s%s", key,
                           near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
}

/* Adds an item, or replaces the one of the same phase and key. */
static ucpo_status store(ucpo_train_config *config, int phase, const char *key, const char *value,
                         ucpo_error *err)
{
    struct train_item item = {.phase = phase};
    snprintf(item.key, sizeof item.key, "%s", key);
    snprintf(item.value, sizeof item.value, "%s", value);
    for (size_t i = 0; i < config->items; i++) {
        struct train_item *known = &config->item[i];
        if (known->phase != phase || strcmp(known->key, key) != 0) continue;
        *known = item;
        return UCPO_OK;
    }
    return mem_append(&config->item, &config->items, &config->capacity, &item, sizeof item, err);
}

/* Drops what was set for phases (from the first on, to the last), of one key or, NULL, of all. */
static void drop(ucpo_train_config *config, int first, int last, const char *key)
{
    size_t kept = 0;
    for (size_t i = 0; i < config->items; i++) {
        const struct train_item *item = &config->item[i];
        int goes =
            item->phase >= first && item->phase <= last && (!key || strcmp(item->key, key) == 0);
        if (!goes) config->item[kept++] = *item;
    }
    config->items = kept;
}

/* Instances and epochs are one thing in two units. Of the run the one that comes later counts (an
 * option after a file); within a phase both are a contradiction. "epochs = 0" says nothing. */
static ucpo_status settle_length(ucpo_train_config *config, int phase, const char *name,
                                 const char *value, ucpo_error *err)
{
    int is_epochs = strcmp(name, "epochs") == 0;
    if (!is_epochs && strcmp(name, "instances") != 0) return UCPO_OK;
    if (is_epochs && strcmp(value, "0") == 0) return UCPO_OK;
    const char *other = is_epochs ? "instances" : "epochs";
    for (size_t i = 0; phase > 0 && i < config->items; i++) {
        const struct train_item *item = &config->item[i];
        if (item->phase == phase && strcmp(item->value, "0") != 0 && strcmp(item->key, other) == 0)
            return status_argument(err, "epochs and instances exclude each other");
    }
    if (phase == 0) drop(config, 0, 0, other);
    return UCPO_OK;
}

ucpo_status train_config_put(ucpo_train_config *config, int phase, const char *name,
                             const char *value, ucpo_error *err)
{
    const struct train_key *key = train_key_find(name);
    if (!key) return unknown_key(name, err);
    if (phase > TRAIN_MAX_PHASES)
        return status_argument(err, "more than %d phases", TRAIN_MAX_PHASES);
    if (phase > 0 && !key->is_phase)
        return status_argument(err, "'%s' belongs to the run, not to phase %d", name, phase);

    union {
        struct train_phase phase;
        struct train_run run;
    } scratch;

    ucpo_status st = train_key_put(key, &scratch, value, err);
    if (!st) st = settle_length(config, phase, name, value, err);
    return st ? st : store(config, phase, name, value, err);
}

ucpo_status train_config_copy(ucpo_train_config *config, const ucpo_train_config *from,
                              ucpo_error *err)
{
    ucpo_status st = UCPO_OK;
    for (size_t i = 0; !st && i < from->items; i++)
        st = store(config, from->item[i].phase, from->item[i].key, from->item[i].value, err);
    return st;
}

int train_key_is_free(const char *name)
{
    return text_word_index(
               "threads kernels max-time max-instances save-every keep-every log-every from "
               "allow-changes",
               name) >= 0;
}

static int is_length(const struct train_item *item)
{
    return item->phase == 0 && text_word_index("instances epochs time", item->key) >= 0;
}

/* Instances of the whole run: the last phase gets what the others leave. */
static ucpo_status put_instances(ucpo_train_config *config, const struct train_plan *plan,
                                 const struct train_item *item, ucpo_error *err)
{
    struct train_phase length = {0};
    int64_t others = 0;
    (void)train_key_put(train_key_find(item->key), &length, item->value, NULL); /* was checked */
    if (length.epochs > 0) length.instances = length.epochs * TRAIN_EPOCH;
    for (int p = 0; p < plan->phases - 1; p++) others += plan->phase[p].instances;
    if (length.instances <= others)
        return status_argument(err, "the whole run would have %lld instances, expected more%s",
                               (long long)length.instances,
                               others > 0 ? " than the phases before the last have" : "");
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)(length.instances - others));
    drop(config, plan->phases > 1 ? plan->phases : 0, plan->phases, "epochs");
    drop(config, plan->phases > 1 ? plan->phases : 0, plan->phases, "instances");
    return store(config, plan->phases > 1 ? plan->phases : 0, "instances", text, err);
}

static ucpo_status put_length(ucpo_train_config *config, const struct train_item *item,
                              ucpo_error *err)
{
    struct train_plan *plan = mem_zeroed(1, sizeof *plan);
    if (!plan) return status_no_memory(err, sizeof *plan);
    ucpo_status st = train_plan_fill(config, plan, err);
    int is_time = strcmp(item->key, "time") == 0, has_time = plan->run.time > 0.0;
    double seconds = 0.0;
    if (is_time) (void)number_read_time(item->value, &seconds); /* was checked */
    if (!st && is_time && !has_time)
        st = status_argument(err, "the run is measured in instances: give option 'instances', not "
                                  "option 'time'");
    else if (!st && !is_time && has_time)
        st = status_argument(err,
                             "the run is measured in time: give option 'time', not option "
                             "'%s'",
                             item->key);
    else if (!st && is_time && !(seconds > 0.0))
        st = status_argument(err, "time is '%.80s', expected more than 0", item->value);
    else if (!st && is_time)
        st = store(config, 0, item->key, item->value, err);
    else if (!st)
        st = put_instances(config, plan, item, err);
    free(plan);
    return st;
}

ucpo_status train_config_change_length(ucpo_train_config *config, const ucpo_train_config *changes,
                                       int *has_changed, ucpo_error *err)
{
    ucpo_status st = UCPO_OK;
    *has_changed = 0;
    for (size_t i = 0; !st && i < changes->items; i++) {
        if (!is_length(&changes->item[i])) continue;
        st = put_length(config, &changes->item[i], err);
        *has_changed = 1;
    }
    return st;
}

ucpo_status train_config_change(ucpo_train_config *config, const ucpo_train_config *changes,
                                ucpo_error *err)
{
    int has_length;
    ucpo_status st = train_config_change_length(config, changes, &has_length, err);
    for (size_t i = 0; !st && i < changes->items; i++) {
        const struct train_item *item = &changes->item[i];
        if (is_length(item)) continue;
        if (item->phase > 0 || !train_key_is_free(item->key))
            return status_argument(
                err,
                "%s%s cannot change when a run goes on; only its length (instances, epochs or "
                "time) and these can: "
                "threads kernels max-time max-instances save-every keep-every log-every",
                item->key, item->phase > 0 ? " of a phase" : "");
        st = store(config, 0, item->key, item->value, err);
    }
    return st;
}

/* "instances=50k loss=reinforce-norm; instances=150k loss=ucpo,alpha=2/n" */
static ucpo_status put_phases(ucpo_train_config *config, const char *text, ucpo_error *err)
{
    drop(config, 1, TRAIN_MAX_PHASES, NULL);
    for (int phase = 1; *text; phase++) {
        size_t end = strcspn(text, ";");
        if (strspn(text, " \t\n") >= end)
            return status_argument(err, "phases: phase %d is empty", phase);
        for (const char *at = text; at < text + end;) {
            at += strspn(at, " \t\n");
            size_t length = strcspn(at, " \t\n;");
            if (length == 0 || at >= text + end) break;
            char item[TRAIN_PATH];
            if (length >= sizeof item) return status_argument(err, "phases: an item is too long");
            memcpy(item, at, length);
            item[length] = 0;
            char *value = strchr(item, '=');
            if (!value)
                return status_argument(err, "phases: '%.60s' is not key=value (phase %d)", item,
                                       phase);
            *value++ = 0;
            ucpo_error inner = {0};
            ucpo_status st = train_config_put(config, phase, item, value, &inner);
            if (st) return status_fail(err, st, "phases: phase %d: %.400s", phase, inner.text);
            at += length;
        }
        text += end + (text[end] == ';');
        if (text[strspn(text, " \t\n")] == 0) break; /* a last ';' begins no phase */
    }
    return UCPO_OK;
}

const char *train_config_changed(const ucpo_train_config *config, size_t index)
{
    union {
        struct train_phase phase;
        struct train_run run;
    } scratch;

    char given[TRAIN_PATH], preset[TRAIN_PATH];
    if (index >= config->items) return NULL;
    const struct train_key *key = train_key_find(config->item[index].key);
    (void)train_key_put(key, &scratch, config->item[index].value,
                        NULL); /* was checked when it came */
    train_key_text(key, &scratch, given, sizeof given);
    (void)train_key_put(key, &scratch, key->preset, NULL);
    train_key_text(key, &scratch, preset, sizeof preset);
    return strcmp(given, preset) == 0 ? "" : key->name;
}

int train_config_has(const ucpo_train_config *config, const char *key)
{
    for (size_t i = 0; i < config->items; i++)
        if (strcmp(config->item[i].key, key) == 0) return 1;
    return 0;
}

ucpo_status train_config_root_paths(ucpo_train_config *config, ucpo_error *err)
{
    char here[TRAIN_PATH], whole[2 * TRAIN_PATH + 1];
    if (!getcwd(here, sizeof here)) return UCPO_OK; /* they stay as they are */
    for (size_t i = 0; i < config->items; i++) {
        struct train_item *item = &config->item[i];
        int is_validate = strcmp(item->key, "validate") == 0;
        if (train_key_find(item->key)->kind != KEY_PATH) continue;
        if (item->value[0] == 0 || item->value[0] == '/') continue;
        if (is_validate &&
            (prob_is_preset(item->value) || text_word_index("auto same none", item->value) >= 0))
            continue;
        snprintf(whole, sizeof whole, "%s/%s", here, item->value);
        if (strlen(whole) >= sizeof item->value)
            return status_argument(err, "%s: its path has %zu characters, at most %zu", item->key,
                                   strlen(whole), sizeof item->value - 1);
        memcpy(item->value, whole, strlen(whole) + 1);
    }
    return UCPO_OK;
}

ucpo_status ucpo_train_config_set(ucpo_train_config *config, const char *key, const char *value,
                                  ucpo_error *err)
{
    if (!config || !key || !value)
        return status_argument(err, "config, key and value must not be NULL");
    if (strcmp(key, "phases") == 0) return put_phases(config, value, err);
    ucpo_status st = train_config_put(config, 0, key, value, err);
    if (st) return st;
    /* what is said for the whole run counts for the phases named before */
    drop(config, 1, TRAIN_MAX_PHASES, key);
    if (strcmp(key, "instances") == 0) drop(config, 1, TRAIN_MAX_PHASES, "epochs");
    if (strcmp(key, "epochs") == 0 && strcmp(value, "0") != 0)
        drop(config, 1, TRAIN_MAX_PHASES, "instances");
    return UCPO_OK;
}

ucpo_train_key ucpo_train_key_at(size_t index)
{
    if (index >= KEYS) return (ucpo_train_key){0};
    const struct train_key *k = &keys[index];
    return (ucpo_train_key){k->name, k->preset, k->words, k->help, k->is_phase};
}

/* ---- defaults and items into a plan ---- */

/* Words that change other defaults: what a small network is. For `protocol` see protocol.c. */
static const struct {
    const char *of, *word, *key, *value;
} preset[] = {
    {"network", "small", "width", "32"},  {"network", "small", "heads", "4"},
    {"network", "small", "hidden", "64"}, {"network", "small", "layers", "1"},
    {"network", "small", "lr", "1e-3"},
};

const char *train_config_value(const ucpo_train_config *config, const char *key)
{
    const char *value = train_key_find(key)->preset;
    for (size_t i = 0; i < config->items; i++)
        if (strcmp(config->item[i].key, key) == 0) value = config->item[i].value;
    return value;
}

static ucpo_status put_default(const struct train_key *key, const char *value,
                               struct train_plan *plan, struct train_phase *base, ucpo_error *err)
{
    return train_key_put(key, key->is_phase ? (void *)base : (void *)&plan->run, value, err);
}

static ucpo_status put_defaults(const ucpo_train_config *config, struct train_plan *plan,
                                struct train_phase *base, ucpo_error *err)
{
    ucpo_status st = UCPO_OK;
    for (size_t i = 0; !st && i < KEYS; i++)
        st = put_default(&keys[i], keys[i].preset, plan, base, err);
    for (size_t i = 0; !st && i < sizeof preset / sizeof preset[0]; i++)
        if (strcmp(train_config_value(config, preset[i].of), preset[i].word) == 0)
            st = put_default(train_key_find(preset[i].key), preset[i].value, plan, base, err);
    const char *key, *value;
    for (size_t i = 0; !st && train_protocol_rule(config, i, &key, &value); i++)
        if (key) st = put_default(train_key_find(key), value, plan, base, err);
    return st;
}

/* An item of the run or of a phase; instances win over epochs that were only a default. */
static ucpo_status put_item(const struct train_item *item, struct train_run *run,
                            struct train_phase *phase, ucpo_error *err)
{
    const struct train_key *key = train_key_find(item->key);
    if (strcmp(item->key, "instances") == 0) phase->epochs = 0;
    return train_key_put(key, key->is_phase ? (void *)phase : (void *)run, item->value, err);
}

ucpo_status train_plan_fill(const ucpo_train_config *config, struct train_plan *plan,
                            ucpo_error *err)
{
    struct train_phase base = {0};
    memset(plan, 0, sizeof *plan);
    ucpo_status st = put_defaults(config, plan, &base, err);
    plan->phases = 1;
    for (size_t i = 0; !st && i < config->items; i++) {
        const struct train_item *item = &config->item[i];
        if (item->phase > plan->phases) plan->phases = item->phase;
        if (item->phase == 0) st = put_item(item, &plan->run, &base, err);
    }
    for (int p = 0; p < plan->phases; p++) plan->phase[p] = base;
    for (size_t i = 0; !st && i < config->items; i++) {
        const struct train_item *item = &config->item[i];
        if (item->phase > 0) st = put_item(item, NULL, &plan->phase[item->phase - 1], err);
    }
    for (int p = 0; p < plan->phases; p++) {
        struct train_phase *phase = &plan->phase[p];
        if (phase->epochs > 0) phase->instances = phase->epochs * TRAIN_EPOCH;
        phase->epochs = 0; /* in files there are instances only */
    }
    return st;
}
