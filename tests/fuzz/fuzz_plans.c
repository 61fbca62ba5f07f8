/* Solution files. The first byte chooses the format ('0' json ... '6' mtsp, '7' by content). What
 * was read is written in every format that takes it, and reads back to the same plan. */
#include "ucpo.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define XY      "\"coordinates\":[[0,0],[1,0],[2,0],[3,0],[4,0]]"
#define WINDOWS "\"time_windows\":[[0,20],[0,20],[5,6],[0,20],[0,null]]"

static const char instances[] =
    "{\"schema\":\"ucpo.dataset/1\",\"instances\":["
    "{\"problem\":\"cvrptw\",\"name\":\"a\\nb\"," XY "," WINDOWS
    ",\"demand\":[0,1,1,1,1],\"capacity\":2},"
    "{\"problem\":\"tsptw\"," XY "," WINDOWS "},"
    "{\"problem\":\"tspdl\"," XY ",\"demand\":[0,1,1,1,1],\"draft_limit\":[4,4,1,4,4],"
    "\"draft\":\"unload\"}]}";

/* The customers in order, depot left out: 1 if both plans have the same. */
static int same_customers(ucpo_plan a, ucpo_plan b)
{
    size_t i = 0, j = 0;
    for (;;) {
        while (i < a.len && a.nodes[i] == 0) i++;
        while (j < b.len && b.nodes[j] == 0) j++;
        if (i == a.len || j == b.len) return i == a.len && j == b.len;
        if (a.nodes[i++] != b.nodes[j++]) return 0;
    }
}

static int same_plan(const ucpo_instance *inst, ucpo_plan a, ucpo_plan b)
{
    ucpo_evaluation p, q;
    ucpo_error err;
    if (!same_customers(a, b)) return 0;
    if (!inst) return 1;
    if (ucpo_check(inst, a.nodes, a.len, &p, NULL, 0, NULL, 0, &err)) abort();
    if (ucpo_check(inst, b.nodes, b.len, &q, NULL, 0, NULL, 0, &err)) abort();
    return p.cost == q.cost && p.routes == q.routes && p.violation == q.violation;
}

static void check_round_trip(const ucpo_dataset *set, const ucpo_plans *plans, const char *format)
{
    char *bytes = NULL;
    size_t size = 0;
    ucpo_plans *back = NULL;
    ucpo_error err;
    if (ucpo_plans_write_bytes(format, set, plans, &bytes, &size, &err) != UCPO_OK) return;
    if (ucpo_plans_read_bytes(bytes, size, "back", NULL, set, &back, &err) != UCPO_OK) abort();
    if (ucpo_plans_count(plans) != ucpo_plans_count(back)) abort();
    for (size_t i = 0; i < ucpo_plans_count(plans); i++)
        if (!same_plan(ucpo_dataset_at(set, i), ucpo_plans_at(plans, i), ucpo_plans_at(back, i)))
            abort();
    ucpo_bytes_free(bytes);
    ucpo_plans_free(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ucpo_error err;
    static ucpo_dataset *set;
    if (!set && ucpo_read_bytes(instances, strlen(instances), "", NULL, &set, &err)) abort();
    if (size == 0) return 0;
    const char *format = ucpo_plan_format_at(data[0] & 7);
    ucpo_plans *plans = NULL;
    if (ucpo_plans_read_bytes(data + 1, size - 1, "fuzz", format, set, &plans, &err)) return 0;
    for (size_t i = 0; ucpo_plan_format_at(i); i++)
        check_round_trip(set, plans, ucpo_plan_format_at(i));
    ucpo_plans_free(plans);
    return 0;
}
