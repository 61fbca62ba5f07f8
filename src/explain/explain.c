/* ucpo_explain: proofs from the simple to the costly, then what is tight, then the plan. */

#include "explain/explain.h"

static void settle(ucpo_explanation *e)
{
    for (size_t i = 0; i < e->count; i++) {
        struct finding *item = &e->items[i];
        item->reason.text = e->text + item->text_at;
        item->reason.customers = e->customers + item->customers_at;
    }
}

typedef void (*proof)(struct bounds *b, ucpo_explanation *out);

static void reach(struct bounds *b, ucpo_explanation *out)
{
    prove_reach(b, out);
}

static void pairs(struct bounds *b, ucpo_explanation *out)
{
    if (b->fleet == 1) prove_pairs(b, out);
}

static void crowds(struct bounds *b, ucpo_explanation *out)
{
    if (b->fleet > 0) prove_crowds(b, out);
}

static void apart(struct bounds *b, ucpo_explanation *out)
{
    if (b->fleet > 1) prove_apart(b, out);
}

static void precedences(struct bounds *b, ucpo_explanation *out)
{
    if (b->fleet == 1) prove_precedences(b, out);
}

static void sets(struct bounds *b, ucpo_explanation *out)
{
    prove_sets(b, out);
}

/* The first argument about times that succeeds is the simplest to understand: others would follow
 * from it or repeat it. After a proof from loads only the two that do not look at loads. */
static void prove_times(struct bounds *b, ucpo_explanation *out)
{
    static const proof ladder[] = {reach, pairs, apart, crowds, precedences, crowds, sets};
    size_t before = out->count, steps = before ? 2 : sizeof ladder / sizeof ladder[0];
    for (size_t i = 0; i < steps && out->count == before && !out->status; i++) ladder[i](b, out);
}

static void search(struct bounds *b, ucpo_explanation *out)
{
    prove_ways(b->inst, out);
    if (out->count > 0) return; /* nothing is simpler, and times to a place without ways are none */
    if (b->data->limit)
        prove_drafts(b->inst, out);
    else if (b->data->demand)
        prove_packing(b->inst, out);
    if (b->data->ready) prove_times(b, out);
}

ucpo_status ucpo_explain(const ucpo_instance *inst, const int32_t *plan, size_t len,
                         ucpo_explanation **out, ucpo_error *err)
{
    if (!inst || !out || (!plan && len > 0))
        return status_argument(err, "inst, plan and out must not be NULL");
    ucpo_explanation *e = mem_zeroed(1, sizeof *e);
    if (!e) return status_no_memory(err, sizeof *e);
    struct bounds b = {.inst = inst, .data = &inst->data, .n = inst->data.n};
    e->err = err;
    b.fleet = fleet_of(inst);
    if (inst->data.ready) e->status = bounds_create(inst, &b, err);
    if (!e->status) search(&b, e);
    if (!e->status && e->count == 0) show_tight(&b, e);
    if (!e->status && plan) show_relaxations(inst, plan, len, e);
    bounds_free(&b);
    ucpo_status st = e->status;
    e->err = NULL;
    if (st) {
        ucpo_explanation_free(e);
        return st;
    }
    settle(e);
    *out = e;
    return UCPO_OK;
}
