/* Proofs from matrices with gaps: a customer that no route can reach, or that none can leave. Windows
 * and loads play no role. */
#include <math.h>

#include "explain/explain.h"

static int has_leg(const ucpo_instance *inst, int32_t i, int32_t j, int is_back)
{
    return is_back ? ucpo_instance_has_way(inst, j, i) : ucpo_instance_has_way(inst, i, j);
}

/* Whether any leg leads to i (is_back: from i). */
static int has_any_leg(const ucpo_instance *inst, int32_t i, int is_back)
{
    for (int32_t j = 0; j < inst->data.n; j++)
        if (j != i && has_leg(inst, j, i, is_back)) return 1;
    return 0;
}

/* Marks the customers that can be reached from the depot, over customers (is_back: that can reach it).
 * Returns how many there are. */
static int32_t mark(const ucpo_instance *inst, int is_back, uint8_t *is_met, int32_t *queue)
{
    int32_t head = 0, tail = 0;
    for (int32_t i = 0; i < inst->data.n; i++) is_met[i] = i == 0;
    queue[tail++] = 0;
    while (head < tail) {
        int32_t i = queue[head++];
        for (int32_t j = 1; j < inst->data.n; j++) {
            if (is_met[j] || !has_leg(inst, i, j, is_back)) continue;
            is_met[j] = 1;
            queue[tail++] = j;
        }
    }
    return tail - 1;
}

static struct numbers never(const ucpo_instance *inst, int32_t i)
{
    double due = inst->data.due ? inst->data.due[i] : 0.0;
    return (struct numbers){HUGE_VAL, isfinite(due) ? due : 0.0};
}

static void add_one(const ucpo_instance *inst, int32_t i, int is_back, ucpo_explanation *out)
{
    int is_island = !has_any_leg(inst, i, is_back);
    const char *detour = is_island ? "" : ", not even over other customers";
    if (is_back)
        explain_add(out, UCPO_REASON_RETURN, &i, 1, never(inst, 0),
                    "there is no way from customer %d%s%s", (int)i,
                    is_island ? "" : " to the depot", detour);
    else
        explain_add(out, UCPO_REASON_REACH, &i, 1, never(inst, i),
                    "there is no way %sto customer %d%s", is_island ? "" : "from the depot ",
                    (int)i, detour);
}

void prove_ways(const ucpo_instance *inst, ucpo_explanation *out)
{
    size_t n = (size_t)inst->data.n;
    if (inst->data.no_way <= 0.0) return;
    uint8_t *is_met = explain_room(out, n, 1);
    int32_t *queue = explain_room(out, n, sizeof *queue);
    for (int is_back = 0; is_met && queue && is_back < 2; is_back++) {
        int32_t count = mark(inst, is_back, is_met, queue);
        if (count == 0)
            explain_add(out, is_back ? UCPO_REASON_RETURN : UCPO_REASON_REACH, NULL, 0,
                        never(inst, 0), "there is no way %s the depot", is_back ? "to" : "from");
        for (int32_t i = 1; count > 0 && i < inst->data.n; i++)
            if (!is_met[i]) add_one(inst, i, is_back, out);
    }
}
