/* A model over a data set. */
#include "api/model.h"
#include "api/share.h"
#include "core/sized.h"
#include "eval/eval.h"

#include <stdlib.h>
#include <string.h>

void ucpo_eval_config_init(ucpo_eval_config *config, size_t size)
{
    ucpo_eval_config own = {.augment = EVAL_IMAGES, .mask = "auto", .temperature = 1.0, .seed = 1};
    sized_give(config, size, &own, sizeof own);
}

const char *ucpo_eval_mask(const ucpo_model *model, const char *mask)
{
    enum prob_mask kind = PROB_MASK_SOFT;
    if (mask && strcmp(mask, PROB_MASK_PREDICTED) == 0) return PROB_MASK_PREDICTED;
    if (mask && strcmp(mask, "auto") != 0)
        return prob_mask_find(mask, &kind, NULL) ? NULL : prob_mask_name(kind);
    const char *trained = ucpo_model_fact(model, "train.mask");
    if (!trained && model && model->net.config.has_aux) trained = PROB_MASK_PREDICTED;
    if (trained && strcmp(trained, PROB_MASK_PREDICTED) == 0) kind = PROB_MASK_LOOKAHEAD;
    if (trained) (void)prob_mask_find(trained, &kind, NULL); /* unknown: the soft one */
    return prob_mask_name(kind);
}

ucpo_status model_means(const ucpo_model *model, const char *mask, const char *kernels,
                        const char *precision, struct policy_means *out, ucpo_error *err)
{
    *out = (struct policy_means){.mask = PROB_MASK_SOFT};
    ucpo_status st = kern_choose(kernels, precision, &out->kern, err);
    if (st || !model) return st;
    const char *name = ucpo_eval_mask(model, mask);
    out->is_predicted = name && strcmp(name, PROB_MASK_PREDICTED) == 0;
    if (!out->is_predicted) return prob_mask_find(name ? name : mask, &out->mask, err);
    out->mask = PROB_MASK_LOOKAHEAD;
    if (model->net.config.has_aux) return UCPO_OK;
    return status_fail(err, UCPO_E_MISMATCH,
                       "mask pip-d is what an auxiliary decoder predicts, and the model has none: "
                       "it was not trained with pip-d; use pip");
}

/* Everything that is allocated for a call. */
struct work {
    struct eval *eval;
    const ucpo_instance **instances;
    ucpo_eval_record *records;
    size_t count, begin, end; /* of the set; this process's part of it */
    uint64_t *start;          /* count + 1: where each plan begins among the nodes */
    int32_t *nodes;           /* the plans of all instances, one after the other */
    ucpo_dataset *embedded;   /* copies of matrices with coordinates */
};

/* ---- plans ---- */

/* Lengths first: start[i + 1] is that of plan i, and becomes the sum of all up to it. */
static ucpo_status share_lengths(struct work *w, const ucpo_comm *comm, ucpo_error *err)
{
    ucpo_status st = UCPO_OK;
    size_t each = sizeof *w->start;
    w->start = mem_zeroed(w->count + 1, each);
    if (!w->start) st = status_no_memory(err, (w->count + 1) * each);
    for (size_t i = w->begin; !st && i < w->end; i++) {
        size_t len = 0;
        (void)eval_plan(w->eval, i - w->begin, &len);
        w->start[i + 1] = len;
    }
    st = share_bytes(comm, w->start, (w->count + 1) * each, (w->begin + 1) * each,
                     (w->end + 1) * each, st, err);
    for (size_t i = 0; !st && w->start && i < w->count; i++) w->start[i + 1] += w->start[i];
    return st;
}

static ucpo_status share_nodes(struct work *w, const ucpo_comm *comm, ucpo_error *err)
{
    ucpo_status st = UCPO_OK;
    size_t total = w->start[w->count], each = sizeof *w->nodes;
    w->nodes = mem_zeroed(total, each);
    if (!w->nodes) st = status_no_memory(err, total * each);
    for (size_t i = w->begin; !st && i < w->end; i++) {
        size_t len = 0;
        const int32_t *plan = eval_plan(w->eval, i - w->begin, &len);
        memcpy(w->nodes + w->start[i], plan, len * each);
    }
    return share_bytes(comm, w->nodes, total * each, w->start[w->begin] * each,
                       w->start[w->end] * each, st, err);
}

static ucpo_status collect_plans(struct work *w, const ucpo_comm *comm, ucpo_plans **out,
                                 ucpo_error *err)
{
    ucpo_plans *plans = NULL;
    ucpo_status st = share_lengths(w, comm, err);
    if (!st) st = share_nodes(w, comm, err);
    if (!st) st = ucpo_plans_create(&plans, err);
    for (size_t i = 0; !st && i < w->count; i++)
        st = ucpo_plans_add(plans, w->nodes + w->start[i], w->start[i + 1] - w->start[i],
                            w->records[i].cost, err);
    if (st)
        ucpo_plans_free(plans);
    else
        *out = plans;
    return st;
}

/* ---- work ---- */

/* A matrix alone is shown by coordinates made from it, as in solving. */
static ucpo_status show_matrix(struct work *w, size_t i, ucpo_error *err)
{
    ucpo_instance *embedded = NULL;
    ucpo_status st = w->embedded ? UCPO_OK : ucpo_dataset_create(&w->embedded, err);
    if (!st) st = embed_instance(w->instances[i], &embedded, err);
    if (!st) st = ucpo_dataset_add(w->embedded, embedded, err);
    if (st)
        ucpo_instance_free(embedded);
    else
        w->instances[i] = embedded;
    return st;
}

static ucpo_status prepare(struct work *w, const ucpo_model *model, const ucpo_dataset *set,
                           const ucpo_eval_config *config, ucpo_error *err)
{
    struct policy_means means;
    ucpo_status st =
        model_means(model, config->mask, config->kernels, config->precision, &means, err);
    const struct prob_ops *ops = model ? model->ops : ucpo_dataset_at(set, 0)->ops;
    if (!st) st = eval_create(model ? &model->net : NULL, ops, config, &means, &w->eval, err);
    if (st) return st;
    w->instances = mem_zeroed(w->count, sizeof(const ucpo_instance *));
    w->records = mem_zeroed(w->count, sizeof *w->records);
    if (!w->instances || !w->records) return status_no_memory(err, w->count * sizeof *w->records);
    for (size_t i = 0; !st && i < w->count; i++) {
        w->instances[i] = ucpo_dataset_at(set, i);
        if (model && !w->instances[i]->data.x) st = show_matrix(w, i, err);
    }
    return st;
}

static ucpo_status run(struct work *w, const ucpo_model *model, const ucpo_dataset *set,
                       const ucpo_eval_config *config, ucpo_plans **plans, ucpo_error *err)
{
    const ucpo_comm *comm = config->comm;
    size_t each = sizeof *w->records;
    w->count = ucpo_dataset_count(set);
    share_part(comm, w->count, &w->begin, &w->end);
    ucpo_status st = prepare(w, model, set, config, err);
    if (!st)
        st = eval_run(w->eval, model ? model->params : NULL, w->instances + w->begin,
                      w->end - w->begin, config->first + w->begin, &config->hooks,
                      w->records + w->begin, err);
    if (st == UCPO_E_CANCELLED && config->partial) st = UCPO_OK;
    st = share_bytes(comm, w->records, w->count * each, w->begin * each, w->end * each, st, err);
    if (!st && plans) st = collect_plans(w, comm, plans, err);
    return st;
}

ucpo_status ucpo_evaluate(const ucpo_model *model, const ucpo_dataset *set,
                          const ucpo_eval_config *config, ucpo_eval_record *records,
                          ucpo_plans **plans, ucpo_error *err)
{
    if (!set || !records) return status_argument(err, "set and records must not be NULL");
    if (ucpo_dataset_count(set) == 0) return status_argument(err, "the set holds no instance");
    ucpo_eval_config own = ucpo_eval_config_default();
    struct work w = {0};
    ucpo_status st = sized_take(&own, sizeof own, config, "ucpo_eval_config", err);
    if (st) return st;
    own.threads = share_threads(own.comm, own.threads);
    st = run(&w, model, set, &own, plans, err);
    if (!st) memcpy(records, w.records, ucpo_dataset_count(set) * sizeof *records);
    eval_free(w.eval);
    ucpo_dataset_free(w.embedded);
    free(w.instances);
    free(w.records);
    free(w.start);
    free(w.nodes);
    return st;
}
