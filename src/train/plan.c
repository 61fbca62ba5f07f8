/* From settings to numbers: what each phase does, checked before anything is spent. */
#include "core/number.h"
#include "core/text.h"
#include "train/keys.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* One part of a mixture: "50" or "50:3". */
static ucpo_status read_part(const char *key, const char *part, size_t length,
                             struct train_mix *mix, ucpo_error *err)
{
    size_t word = 0;
    while (word < length && part[word] != ':') word++;
    double weight = 1.0;
    if (word < length && (!number_read(part + word + 1, length - word - 1, &weight) ||
                          !(weight > 0) || weight > 1e9))
        return status_argument(err, "%s: '%.*s' needs a positive weight after ':'", key,
                               (int)(length > 40 ? 40 : length), part);
    if (word == 0 || word >= sizeof mix->word[0])
        return status_argument(err, "%s: '%.*s' is not a value or value:weight", key,
                               (int)(length > 40 ? 40 : length), part);
    if (mix->count == TRAIN_MAX_MIX)
        return status_argument(err, "%s: a mixture has at most %d parts", key, TRAIN_MAX_MIX);
    memcpy(mix->word[mix->count], part, word);
    mix->word[mix->count][word] = 0;
    mix->weight[mix->count++] = weight;
    return UCPO_OK;
}

static ucpo_status read_mix(const char *key, const char *text, struct train_mix *mix,
                            ucpo_error *err)
{
    memset(mix, 0, sizeof *mix);
    while (*text) {
        size_t length = strcspn(text, ",");
        ucpo_status st = read_part(key, text, length, mix, err);
        if (st) return st;
        text += length + (text[length] == ',');
    }
    double sum = 0.0;
    for (int i = 0; i < mix->count; i++) sum += mix->weight[i];
    for (int i = 0; i < mix->count; i++) mix->weight[i] /= sum;
    return UCPO_OK;
}

static ucpo_status read_sizes(struct train_phase *p, ucpo_error *err)
{
    ucpo_status st = read_mix("size", p->size, &p->sizes, err);
    if (st) return st;
    if (p->sizes.count == 0)
        return status_argument(err, "size is empty, expected a number of nodes");
    for (int i = 0; i < p->sizes.count; i++) {
        double value = 0;
        const char *word = p->sizes.word[i];
        if (!number_read(word, strlen(word), &value) || value != floor(value) || value < 3 ||
            value > 10000)
            return status_argument(err, "size is '%s', expected 3 .. 10000", word);
        p->sizes.number[i] = (int32_t)value;
    }
    return UCPO_OK;
}

static ucpo_status read_levels(const struct prob_ops *ops, struct train_phase *p, ucpo_error *err)
{
    if (!p->level[0])
        snprintf(p->level, sizeof p->level, "%.*s", (int)strcspn(ops->info.levels, " "),
                 ops->info.levels);
    ucpo_status st = read_mix("level", p->level, &p->levels, err);
    for (int i = 0; !st && i < p->levels.count; i++)
        if (prob_level_index(ops, p->levels.word[i]) < 0)
            return status_argument(err, "level is '%s', %s has: %s", p->levels.word[i],
                                   ops->info.name, ops->info.levels);
    return st;
}

static ucpo_status read_loss(struct train_phase *p, ucpo_error *err)
{
    ucpo_status st = ucpo_loss_parse(p->loss, &p->loss_config, err);
    if (st) return st;
    p->last_loss = p->loss_config;
    if (!p->alpha_end[0]) return UCPO_OK;
    char text[TRAIN_TEXT + 64];
    snprintf(text, sizeof text, "%s,alpha=%s", p->loss, p->alpha_end);
    st = ucpo_loss_parse(text, &p->last_loss, err);
    if (st) return st;
    if (p->last_loss.alpha_is_per_node != p->loss_config.alpha_is_per_node)
        return status_argument(
            err,
            "alpha-end is '%s', but alpha of the loss is %s: give both as a number "
            "of n-ths (3/n) or both as plain numbers",
            p->alpha_end, p->loss_config.alpha_is_per_node ? "in n-ths" : "a plain number");
    return UCPO_OK;
}

static int place_in(const char *const *words, const char *word)
{
    int at = 0;
    while (strcmp(words[at], word) != 0) at++; /* the table of keys has checked it */
    return at;
}

static void read_words(struct train_phase *p)
{
    static const char *const scores[] = {"sum", "mean", "cut", "cut-mean"};
    static const char *const curves[] = {"constant", "drop", "linear", "cosine"};
    p->is_predicted = strcmp(p->mask, "pip-d") == 0;
    p->mask_kind = PROB_MASK_LOOKAHEAD;
    if (!p->is_predicted) prob_mask_find(p->mask, &p->mask_kind, NULL);
    p->has_forced_start = strcmp(p->starts, "each") == 0;
    p->score_kind = (enum step_score)place_in(scores, p->score);
    int64_t a_step = p->batch * p->accumulate;
    p->schedule = (struct nn_schedule){.kind = (enum nn_schedule_kind)place_in(curves, p->lr_curve),
                                       .warmup = p->warmup,
                                       .length = (p->instances + a_step - 1) / a_step,
                                       .last = fmin(p->lr_end / p->lr, 1.0)}; /* never rises */
    p->schedule.drop_at = p->schedule.length * 9 / 10;
    if (p->lr_end == 0.0) p->schedule.kind = NN_SCHEDULE_CONSTANT;
}

static ucpo_status read_anchor(const struct prob_ops *ops, struct train_phase *p, ucpo_error *err)
{
    p->anchor_config = (struct anchor_config){
        .weight = p->anchor_weight, .share = p->anchor_share, .effort = p->anchor_effort};
    const char *last = p->anchor_weight_end;
    p->last_anchor_weight = p->anchor_weight;
    if (last[0] && (!number_read(last, strlen(last), &p->last_anchor_weight) ||
                    p->last_anchor_weight < 0.0 || p->last_anchor_weight > 1000.0))
        return status_argument(err, "anchor-weight-end is '%s', expected a number in 0 .. 1000",
                               last);
    int suits = ops->max_vehicles == 1 && strcmp(p->mask, "visited") != 0; /* docs/results.md */
    if (strcmp(p->anchor, "none") == 0 || (strcmp(p->anchor, "auto") == 0 && !suits))
        return UCPO_OK;
    p->anchor_config.mode = strcmp(p->anchor_mode, "pair") == 0 ? ANCHOR_PAIR : ANCHOR_IMITATE;
    if (p->anchor_config.mode == ANCHOR_PAIR && fmax(p->anchor_weight, p->last_anchor_weight) > 1.0)
        return status_argument(
            err,
            "anchor-weight is %g; mode pair needs a share, at most 1, for example 0.1 "
            "(the default 5 is for imitate)",
            fmax(p->anchor_weight, p->last_anchor_weight));
    return UCPO_OK;
}

static ucpo_status finish_phase(const struct prob_ops *ops, struct train_phase *p, ucpo_error *err)
{
    ucpo_status st = p->data[0] ? UCPO_OK : read_sizes(p, err);
    if (!st) st = read_levels(ops, p, err);
    if (!st) st = read_loss(p, err);
    if (!st) st = read_anchor(ops, p, err);
    if (st) return st;
    if (!(p->lr > 0)) return status_argument(err, "lr is %g, expected above 0", p->lr);
    read_words(p);
    p->is_depot_extra = ops->info.depot_is_extra != 0;
    if (p->samples == 1 || p->samples_end == 1)
        return status_argument(err,
                               "%s is 1: every loss compares trajectories, at least 2 are needed",
                               p->samples == 1 ? "samples" : "samples-end");
    if (p->is_predicted && ops->max_vehicles != 1)
        return status_fail(err, UCPO_E_UNSUPPORTED,
                           "mask pip-d predicts the look-ahead of tours, %s is not one: use pip",
                           ops->info.name);
    if (p->batch * p->accumulate > 1000000)
        return status_argument(err, "batch x accumulate is %lld, at most 1000000",
                               (long long)(p->batch * p->accumulate));
    return UCPO_OK;
}

/* Time decides, whatever the number of instances; what moves follows the clock. */
static ucpo_status check_time(const struct train_plan *plan, ucpo_error *err)
{

    if (plan->phases > 1)
        return status_argument(
            err, "time is for a run of one phase, this one has %d: give them instances",
            plan->phases);
    if (plan->phase[0].is_predicted)
        return status_argument(
            err, "time does not go with mask pip-d, whose shares are of instances: give instances");
    return UCPO_OK;
}

ucpo_status train_plan_make(const ucpo_train_config *config, struct train_plan *plan,
                            ucpo_error *err)
{
    char names[128];
    ucpo_status st = train_plan_fill(config, plan, err);
    if (st) return st;
    plan->ops = prob_find(plan->run.problem);
    if (!plan->ops)
        return status_argument(err, "problem is '%s', expected one of %s", plan->run.problem,
                               prob_names(names, sizeof names));
    if (strcmp(plan->run.optimiser, "carry") == 0 && !plan->run.start[0])
        return status_argument(err,
                               "optimiser is 'carry', but there is no checkpoint to start from");
    int has_named_set = text_word_index("auto same none", plan->run.validate) < 0;
    if (plan->run.reference[0] && !has_named_set)
        return status_argument(
            err, "reference costs belong to a set: name it with validate, which is '%s'",
            plan->run.validate);
    plan->instances = 0;
    for (int p = 0; p < plan->phases; p++) {
        ucpo_error inner = {0};
        st = finish_phase(plan->ops, &plan->phase[p], &inner);
        if (st && plan->phases == 1) return status_fail(err, st, "%.500s", inner.text);
        if (st) return status_fail(err, st, "phase %d: %.480s", p + 1, inner.text);
        plan->instances += plan->phase[p].instances;
    }
    if (strcmp(plan->run.validate, "same") == 0 && !plan->phase[plan->phases - 1].data[0])
        return status_argument(err, "validate is 'same', which is for own data");
    return plan->run.time > 0.0 ? check_time(plan, err) : UCPO_OK;
}

/* ---- settings that do nothing ---- */

static int has_own_data(const struct train_phase *p)
{
    return p->data[0] != 0;
}

static int has_predictor(const struct train_phase *p)
{
    return p->is_predicted;
}

static int has_anchors(const struct train_phase *p)
{
    return p->anchor_config.mode != ANCHOR_NONE;
}

static int has_end_of_rate(const struct train_phase *p)
{
    return p->lr_end > 0.0;
}

static int has_curve(const struct train_phase *p)
{
    return strcmp(p->lr_curve, "constant") != 0;
}

static int phases_with(const struct train_plan *plan, int (*has)(const struct train_phase *))
{
    int count = 0;
    for (int p = 0; p < plan->phases; p++) count += has(&plan->phase[p]) != 0;
    return count;
}

static const char *why_idle(const struct train_plan *plan, const char *key)
{
    const struct train_run *r = &plan->run;
    int is_first_level = strcmp(key, "level") == 0 && /* what a file says of a run that has none */
                         prob_level_index(plan->ops, plan->phase[0].level) == 0;
    if (is_first_level) return NULL;
    if (strcmp(key, "size") == 0 || strcmp(key, "level") == 0) /* a warm start has the model's */
        return !r->start[0] && phases_with(plan, has_own_data) == plan->phases
                   ? "the instances come from data"
                   : NULL;
    if (strcmp(key, "images") == 0)
        return phases_with(plan, has_own_data) == 0 ? "generated instances are shown as they are"
                                                    : NULL;
    if (strncmp(key, "aux-", 4) == 0)
        return phases_with(plan, has_predictor) == 0 ? "no phase has mask pip-d" : NULL;
    if (strncmp(key, "anchor-", 7) == 0)
        return phases_with(plan, has_anchors) == 0 ? "no phase has anchors" : NULL;
    if (strcmp(key, "lr-end") == 0)
        return phases_with(plan, has_curve) == 0 ? "lr-curve is constant" : NULL;
    if (strcmp(key, "lr-curve") == 0)
        return phases_with(plan, has_end_of_rate) == 0 ? "lr-end is 0, the rate stays" : NULL;
    if (strncmp(key, "validate-", 9) == 0)
        return strcmp(r->validate, "none") == 0 ? "validate is none" : NULL;
    return NULL;
}

int train_plan_idle(const ucpo_train_config *config, const struct train_plan *plan, size_t *at,
                    char *text, size_t size)
{
    for (const char *key; (key = train_config_changed(config, *at)); (*at)++) {
        const char *why = *key ? why_idle(plan, key) : NULL;
        if (!why) continue;
        snprintf(text, size, "%s has no effect: %s", key, why);
        (*at)++;
        return 1;
    }
    return 0;
}

int train_plan_splits(const struct train_plan *plan)
{
    return strcmp(plan->run.validate, "auto") == 0 && plan->phase[plan->phases - 1].data[0];
}

int train_plan_has_aux(const struct train_plan *plan)
{
    return phases_with(plan, has_predictor) > 0;
}

/* ---- values that move over a phase: `done` is the share 0 .. 1 of its instances ---- */

double train_rate(const struct train_phase *p, int64_t step)
{
    return p->lr * nn_schedule_factor(&p->schedule, step);
}

double train_rate_in_time(const struct train_phase *p, double done, int64_t step)
{
    enum { TICKS = 1000000 };
    struct nn_schedule clock = p->schedule;
    clock.warmup = 0;
    clock.length = TICKS;
    clock.drop_at = (int64_t)TICKS / 10 * 9;
    double rise = p->warmup > step + 1 ? (double)(step + 1) / (double)p->warmup : 1.0;
    return p->lr * rise * nn_schedule_factor(&clock, (int64_t)(done * TICKS));
}

/* By a constant factor where both ends are positive. */
static double between(double from, double to, double done)
{
    if (from == to) return from;
    return from > 0 && to > 0 ? from * pow(to / from, done) : from + (to - from) * done;
}

ucpo_loss_config train_loss(const struct train_phase *p, double done)
{
    ucpo_loss_config loss = p->loss_config;
    loss.alpha = between(loss.alpha, p->last_loss.alpha, done);
    return loss;
}

struct anchor_config train_anchor(const struct train_phase *p, double done)
{
    struct anchor_config anchor = p->anchor_config;
    anchor.weight = between(anchor.weight, p->last_anchor_weight, done);
    return anchor;
}

int train_samples(const struct train_phase *p, int n, double done)
{
    int size =
        n - (p->is_depot_extra || p->has_forced_start); /* as many as customers to start at */
    double from = (double)(p->samples ? p->samples : size);
    double to = (double)(p->samples_end ? p->samples_end : (int64_t)from);
    return (int)(from + (to - from) * done + 0.5);
}

int train_most_samples(const struct train_phase *p, int n)
{
    int first = train_samples(p, n, 0.0), last = train_samples(p, n, 1.0);
    return first > last ? first : last;
}
