/* ucpo_explain: proofs from the simple to the costly, then what is tight, then the plan. */

#include "explain/explain.h"

/* The first argument about times that succeeds is the simplest to understand: others would follow
 * from it or repeat it. After a proof from loads only the two that do not look at loads. */
static void prove_times(struct bounds *b, ucpo_explanation *out)
{
    static const struct {
        void (*prove)(struct bounds *b, ucpo_explanation *out);
        int32_t least, most; /* fleets that it says something about */
    } ladder[] = {{prove_reach, 0, INT32_MAX}, {prove_pairs, 1, 1},
                  {prove_apart, 2, INT32_MAX}, {prove_crowds, 1, INT32_MAX},
                  {prove_precedences, 1, 1},   {prove_crowds, 1, INT32_MAX},
                  {prove_sets, 0, INT32_MAX}};

    size_t before = out->count, steps = before ? 2 : sizeof ladder / sizeof ladder[0];
    for (size_t i = 0; i < steps && out->count == before && !out->status; i++)
        if (b->fleet >= ladder[i].least && b->fleet <= ladder[i].most) ladder[i].prove(b, out);
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
    if (out->count == 0 && !out->status) prove_few(b->inst, out);
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
    if (inst->data.ready) bounds_find(&b, e);
    if (!e->status) search(&b, e);
    if (!e->status && e->count == 0) show_tight(&b, e);
    if (!e->status && plan) show_relaxations(inst, plan, len, e);
    ucpo_status st = e->status;
    e->err = NULL;
    mem_pool_free(&e->room);
    if (st)
        ucpo_explanation_free(e);
    else
        *out = e;
    return st;
}
