/* Validation during training: the same decoding and summary as ucpo_evaluate. */
#include "api/share.h"
#include "api/train.h"

#include "core/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Validation instances and samples are never those of training, whatever its seed. */
#define VALIDATION_SEED 0x76616c6964617465u

static int heaviest(const struct train_mix *mix)
{
    int best = 0;
    for (int i = 1; i < mix->count; i++)
        if (mix->weight[i] > mix->weight[best]) best = i;
    return best;
}

/* Instances like those of the last phase: the part of its mixture with the largest weight. */
static ucpo_status generate_alike(const struct train_plan *plan, ucpo_dataset **out,
                                  ucpo_error *err)
{
    const struct train_phase *p = &plan->phase[plan->phases - 1];
    ucpo_generate_config g = ucpo_generate_config_default();
    g.problem = plan->ops->info.name, g.level = p->levels.word[heaviest(&p->levels)];
    g.size = p->sizes.number[heaviest(&p->sizes)];
    g.count = (size_t)plan->run.validate_count, g.seed = VALIDATION_SEED;
    return ucpo_generate(&g, out, err);
}

static ucpo_status get_set(const struct train_plan *plan, ucpo_dataset **out, ucpo_error *err)
{
    const char *what = plan->run.validate;
    const struct train_phase *last = &plan->phase[plan->phases - 1];
    if (strcmp(what, "auto") == 0 && !last->data[0]) return generate_alike(plan, out, err);
    if (text_word_index("auto same", what) >= 0)
        return source_read(plan->ops, last->data, out, NULL, err);
    if (prob_is_preset(what))
        return ucpo_generate_preset(what, 0, (size_t)plan->run.validate_count, out, err);
    return source_read(plan->ops, what, out, NULL, err);
}

static ucpo_status read_reference(const struct train_plan *plan, struct validation *v,
                                  ucpo_error *err)
{
    if (!plan->run.reference[0]) return UCPO_OK;
    size_t count = 0;
    ucpo_status st = ucpo_costs_read(plan->run.reference, &v->reference, &count, err);
    if (!st && count < v->count)
        st = status_fail_at(err, UCPO_E_MISMATCH, plan->run.reference, 0,
                            "%zu reference costs for %zu instances", count, v->count);
    return st;
}

static ucpo_status make_decoders(const struct train_plan *plan, const struct nn_model *model,
                                 struct validation *v, ucpo_error *err)
{
    ucpo_eval_config config = ucpo_eval_config_default();
    struct policy_means means = {.mask = plan->phase[plan->phases - 1].mask_kind};
    config.samples = (int)plan->run.validate_samples;
    config.augment = (int)plan->run.validate_augment;
    config.seed = VALIDATION_SEED;
    config.threads = (int)plan->run.threads;
    ucpo_status st = kern_choose(plan->run.kernels, plan->run.precision, &means.kern, err);
    for (int kind = 0; !st && kind < 2; kind++) {
        config.greedy = kind == 0;
        st = eval_create(model, plan->ops, &config, &means, &v->eval[kind], err);
    }
    return st;
}

ucpo_status validation_create(const struct train_plan *plan, const struct nn_model *model,
                              struct validation **out, ucpo_error *err)
{
    struct validation *v = mem_zeroed(1, sizeof *v);
    if (!v) return status_no_memory(err, sizeof *v);
    ucpo_status st = get_set(plan, &v->set, err);
    size_t all = st ? 0 : ucpo_dataset_count(v->set), most = (size_t)plan->run.validate_count;
    if (!st) {
        v->instance = mem_zeroed(all, sizeof *v->instance);
        v->record = mem_zeroed(all, sizeof *v->record);
        if (!v->instance || !v->record) st = status_no_memory(err, all * 128);
    }
    if (!st && train_plan_splits(plan) && source_is_held(all < 10 ? all - 1 : 9, all))
        v->split_of = all;
    for (size_t i = 0; !st && i < all && v->count < most; i++)
        if (!v->split_of || source_is_held(i, all))
            v->instance[v->count++] = ucpo_dataset_at(v->set, i);
    for (size_t i = 0; !st && i < v->count; i++) {
        if (v->instance[i]->ops != plan->ops) /* a preset: files have been checked */
            st = status_fail(err, UCPO_E_MISMATCH, "validation instance %zu is %s, the model %s", i,
                             v->instance[i]->data.problem, plan->ops->info.name);
    }
    if (!st) st = read_reference(plan, v, err);
    if (!st) st = make_decoders(plan, model, v, err);
    if (st) {
        validation_free(v);
        return st;
    }
    *out = v;
    return UCPO_OK;
}

void validation_free(struct validation *v)
{
    if (!v) return;
    for (int kind = 0; kind < 2; kind++) eval_free(v->eval[kind]);
    ucpo_dataset_free(v->set);
    ucpo_costs_free(v->reference);
    free(v->instance);
    free(v->record);
    free(v);
}

ucpo_status validation_run(struct validation *v, int kind, const real *params,
                           const ucpo_comm *comm, const ucpo_hooks *hooks,
                           ucpo_train_report *report, ucpo_error *err)
{
    size_t begin, end;
    share_part(comm, v->count, &begin, &end);
    ucpo_status st = UCPO_OK;
    if (end > begin)
        st = eval_run(v->eval[kind], params, v->instance + begin, end - begin, begin, hooks,
                      v->record + begin, err);
    size_t each = sizeof *v->record;
    st = share_bytes(comm, v->record, v->count * each, begin * each, end * each, st, err);
    ucpo_eval_summary sum;
    if (!st) st = ucpo_eval_summarise(v->record, v->count, v->reference, NULL, &sum, err);
    if (st) return st;
    report->kind = kind == 0 ? "greedy" : "sampled";
    report->n = v->instance[0]->data.n;
    report->samples = v->record[0].candidates;
    report->infeasible_samples = sum.infeasible_solutions;
    report->infeasible_instances = sum.infeasible_instances;
    report->objective = sum.mean_objective;
    report->gap = v->reference ? sum.gap_mean : (double)NAN;
    report->gap_of_means = v->reference ? sum.gap_ratio : (double)NAN;
    return UCPO_OK;
}
