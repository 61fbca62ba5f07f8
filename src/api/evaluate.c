/* A model over a data set. */
#include "api/model.h"
#include "eval/eval.h"

#include <stdlib.h>
#include <string.h>

ucpo_eval_config ucpo_eval_config_default(void)
{
    struct eval_config c = eval_config_default();
    return (ucpo_eval_config){.samples = c.samples,
                              .augment = c.augment,
                              .greedy = c.is_greedy,
                              .mask = "auto",
                              .temperature = c.temperature,
                              .seed = c.seed};
}

const char *ucpo_eval_mask(const ucpo_model *model, const char *mask)
{
    enum prob_mask kind = PROB_MASK_SOFT;
    if (mask && strcmp(mask, "auto") != 0)
        return prob_mask_find(mask, &kind, NULL) ? NULL : prob_mask_name(kind);
    const char *trained = ucpo_model_fact(model, "train.mask");
    if (trained) (void)prob_mask_find(trained, &kind, NULL); /* unknown: the soft one */
    return prob_mask_name(kind);
}

static ucpo_status translate(const ucpo_model *model, const ucpo_eval_config *config,
                             struct eval_config *out, ucpo_error *err)
{
    *out = (struct eval_config){.samples = config->samples,
                                .augment = config->augment,
                                .is_greedy = config->greedy,
                                .temperature = config->temperature,
                                .seed = config->seed,
                                .threads = config->threads};
    const char *mask = ucpo_eval_mask(model, config->mask);
    return prob_mask_find(mask ? mask : config->mask, &out->mask, err);
}

static ucpo_status copy_plans(const struct eval *eval, const ucpo_eval_record *records,
                              size_t count, ucpo_plans **out, ucpo_error *err)
{
    ucpo_plans *plans = NULL;
    ucpo_status st = ucpo_plans_create(&plans, err);
    for (size_t i = 0; !st && i < count; i++) {
        size_t len = 0;
        const int32_t *nodes = eval_plan(eval, i, &len);
        st = ucpo_plans_add(plans, nodes, len, records[i].cost, err);
    }
    if (st)
        ucpo_plans_free(plans);
    else
        *out = plans;
    return st;
}

/* Everything that is allocated for a call. */
struct work {
    struct eval *eval;
    const ucpo_instance **instances;
    ucpo_eval_record *records;
};

static ucpo_status run(struct work *w, const ucpo_model *model, const ucpo_dataset *set,
                       const ucpo_eval_config *config, ucpo_plans **plans, ucpo_error *err)
{
    size_t count = ucpo_dataset_count(set);
    struct eval_config inner;
    ucpo_status st = translate(model, config, &inner, err);
    if (!st) st = eval_create(&model->net, model->ops, &inner, &w->eval, err);
    if (st) return st;
    w->instances = mem_zeroed(count, sizeof *w->instances);
    w->records = mem_zeroed(count, sizeof *w->records);
    if (!w->instances || !w->records) return status_no_memory(err, count * sizeof *w->records);
    for (size_t i = 0; i < count; i++) w->instances[i] = ucpo_dataset_at(set, i);
    st = eval_run(w->eval, model->params, w->instances, count, config->first, &config->hooks,
                  w->records, err);
    if (!st && plans) st = copy_plans(w->eval, w->records, count, plans, err);
    return st;
}

ucpo_status ucpo_evaluate(const ucpo_model *model, const ucpo_dataset *set,
                          const ucpo_eval_config *config, ucpo_eval_record *records,
                          ucpo_plans **plans, ucpo_error *err)
{
    if (!model || !set || !records)
        return status_fail(err, UCPO_E_ARGUMENT, "model, set and records must not be NULL");
    if (ucpo_dataset_count(set) == 0)
        return status_fail(err, UCPO_E_ARGUMENT, "the set holds no instance");
    ucpo_eval_config standard = ucpo_eval_config_default();
    struct work w = {0};
    ucpo_status st = run(&w, model, set, config ? config : &standard, plans, err);
    if (!st) memcpy(records, w.records, ucpo_dataset_count(set) * sizeof *records);
    eval_free(w.eval);
    free(w.instances);
    free(w.records);
    return st;
}
