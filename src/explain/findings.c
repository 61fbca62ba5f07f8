/* The list of findings: built piece by piece, read through the public accessors. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain/explain.h"

static size_t count_kind(const ucpo_explanation *out, ucpo_reason_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < out->count; i++) count += out->items[i].kind == kind;
    return count;
}

void *explain_room(ucpo_explanation *out, size_t count, size_t size)
{
    void *room = mem_take(&out->room, count, size, out->err);
    if (!room) out->status = UCPO_E_MEMORY;
    return room;
}

void explain_add(ucpo_explanation *out, ucpo_reason_kind kind, const int32_t *customers,
                 size_t count, struct numbers numbers, const char *format, ...)
{
    char text[900];
    if (out->status || count_kind(out, kind) >= EXPLAIN_MOST) return;
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    char *words = mem_take(&out->kept, strlen(text) + 1, 1, out->err);
    int32_t *ids = words ? mem_take(&out->kept, count, sizeof *ids, out->err) : NULL;
    out->status = ids ? UCPO_OK : UCPO_E_MEMORY;
    if (!ids) return;
    memcpy(words, text, strlen(text));
    if (count > 0) memcpy(ids, customers, count * sizeof *ids);
    ucpo_reason reason = {.kind = kind,
                          .is_proof = kind <= UCPO_REASON_FLEET_APART,
                          .text = words,
                          .customers = ids,
                          .customer_count = count,
                          .value = numbers.value,
                          .bound = numbers.bound,
                          .excess = numbers.value - numbers.bound};
    out->status =
        mem_append(&out->items, &out->count, &out->capacity, &reason, sizeof reason, out->err);
}

static int compare_ids(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

void explain_sort(int32_t *customers, size_t count)
{
    if (count > 1) qsort(customers, count, sizeof *customers, compare_ids);
}

const char *explain_list(char buf[EXPLAIN_LIST], const int32_t *customers, size_t count)
{
    enum { SHOWN = 8 };

    size_t used = (size_t)snprintf(buf, EXPLAIN_LIST, count == 1 ? "customer" : "customers");
    size_t shown = count <= SHOWN + 2 ? count : SHOWN;
    for (size_t i = 0; i < shown; i++) {
        const char *before = i == 0 ? " " : i + 1 == count ? " and " : ", ";
        used +=
            (size_t)snprintf(buf + used, EXPLAIN_LIST - used, "%s%d", before, (int)customers[i]);
    }
    if (shown < count) snprintf(buf + used, EXPLAIN_LIST - used, ", ... (%zu in all)", count);
    return buf;
}

struct said explain_time(const ucpo_instance *inst, double time)
{
    struct said said;
    if (inst->data.clock > 0.0)
        ucpo_clock_text(inst, time, 1, said.text, sizeof said.text);
    else
        snprintf(said.text, sizeof said.text, "%.10g", time);
    return said;
}

void ucpo_explanation_free(ucpo_explanation *explanation)
{
    if (!explanation) return;
    free(explanation->items);
    mem_pool_free(&explanation->kept);
    mem_pool_free(&explanation->room);
    free(explanation);
}

int ucpo_explanation_is_proof(const ucpo_explanation *explanation)
{
    return explanation && explanation->count > 0 && explanation->items[0].is_proof;
}

size_t ucpo_explanation_count(const ucpo_explanation *explanation)
{
    return explanation ? explanation->count : 0;
}

const ucpo_reason *ucpo_explanation_at(const ucpo_explanation *explanation, size_t index)
{
    return explanation && index < explanation->count ? &explanation->items[index] : NULL;
}

const char *ucpo_reason_name(ucpo_reason_kind kind)
{
    static const char *const names[] = {
        [UCPO_REASON_REACH] = "reach",
        [UCPO_REASON_RETURN] = "return",
        [UCPO_REASON_PAIR] = "pair",
        [UCPO_REASON_CYCLE] = "cycle",
        [UCPO_REASON_CHAIN] = "chain",
        [UCPO_REASON_CROWD] = "crowd",
        [UCPO_REASON_SET] = "set",
        [UCPO_REASON_LIMIT] = "limit",
        [UCPO_REASON_LIMITS] = "limits",
        [UCPO_REASON_DEMAND] = "demand",
        [UCPO_REASON_FLEET_LOAD] = "fleet_load",
        [UCPO_REASON_FLEET_PACK] = "fleet_pack",
        [UCPO_REASON_FLEET_APART] = "fleet_apart",
        [UCPO_REASON_TIGHT_WINDOW] = "tight_window",
        [UCPO_REASON_TIGHT_LOAD] = "tight_load",
        [UCPO_REASON_TIGHT_FLEET] = "tight_fleet",
        [UCPO_REASON_RELAX_DUE] = "relax_due",
        [UCPO_REASON_RELAX_READY] = "relax_ready",
        [UCPO_REASON_RELAX_LIMIT] = "relax_limit",
        [UCPO_REASON_RELAX_CAPACITY] = "relax_capacity",
        [UCPO_REASON_RELAX_FLEET] = "relax_fleet",
        [UCPO_REASON_PLAN_BROKEN] = "plan_broken",
    };
    return (unsigned)kind < sizeof names / sizeof names[0] ? names[kind] : "unknown";
}
