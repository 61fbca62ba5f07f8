#include "eval/elite.h"

#include "core/mem.h"
#include "core/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 4 }; /* runs that a tour may take from another, or find to be of no use */

ucpo_status elites_create(struct elites *e, int n, size_t most, int is_fleet, ucpo_error *err)
{
    size_t nodes = (size_t)n, plans = ELITE_MOST, numbers = 6 * nodes + 2 * most;
    *e = (struct elites){.most = most, .is_fleet = is_fleet};
    e->actions = mem_zeroed((plans + 2) * most, sizeof *e->actions);
    e->numbers = mem_zeroed(numbers, sizeof *e->numbers);
    e->sums = mem_zeroed((plans + 1) * (most + 2) + 2 * nodes, sizeof *e->sums);
    if (!is_fleet) e->sure = mem_zeroed(plans * most, sizeof *e->sure);
    if (!e->actions || !e->numbers || !e->sums || (!is_fleet && !e->sure))
        return status_no_memory(err, plans * most * sizeof *e->sums);
    for (size_t k = 0; k < plans; k++) {
        e->plan[k].actions = e->actions + k * most;
        e->plan[k].sum = e->sums + k * (most + 2);
        if (e->sure) e->plan[k].sure = e->sure + k * most;
    }
    e->draft = e->actions + plans * most;
    e->whole = e->draft + most;
    e->given.sum = e->sums + plans * (most + 2);
    e->cells = e->numbers;
    int32_t *rest = e->cells + nodes + 2 * most;
    e->routes = (struct join_routes){rest, rest + nodes, rest + 3 * nodes, e->given.sum + most + 2};
    return is_fleet ? partition_create(n, &e->partition, err) : UCPO_OK;
}

void elites_free(struct elites *e)
{
    free(e->actions);
    free(e->numbers);
    free(e->sums);
    free(e->sure);
    partition_free(e->partition);
}

void elites_clear(struct elites *e, const ucpo_instance *inst)
{
    e->inst = inst;
    e->count = 0;
    if (e->partition) partition_clear(e->partition, inst);
}

int elites_is_same_sum(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fabs(a);
}

static int is_kept(const struct elites *e, double objective, double violation)
{
    for (int k = 0; k < e->count; k++)
        if (elites_is_same_sum(e->plan[k].objective + e->plan[k].violation, objective + violation))
            return 1;
    return 0;
}

/* Where a plan belongs that is none of plan[end ..]. */
static int place_of(const struct elites *e, int end, double objective, double violation)
{
    while (end > 0 && ucpo_compare(NULL, e->plan[end - 1].objective, e->plan[end - 1].violation,
                                   objective, violation) > 0)
        end--;
    return end;
}

/* Plan k goes to `to`, which is before it. */
static void move_up(struct elites *e, int k, int to)
{
    struct elite plan = e->plan[k];
    memmove(e->plan + to + 1, e->plan + to, (size_t)(k - to) * sizeof *e->plan);
    e->plan[to] = plan;
}

static void keep(struct elites *e)
{
    const struct given *given = &e->given;
    int to = place_of(e, e->count, given->objective, given->violation);
    if (to == ELITE_MOST || is_kept(e, given->objective, given->violation)) return;
    if (e->count < ELITE_MOST) e->count++;
    struct elite *plan = &e->plan[e->count - 1]; /* free, or the worst */
    memcpy(plan->actions, given->actions, e->most * sizeof *plan->actions);
    memcpy(plan->sum, given->sum, (given->len + 2) * sizeof *plan->sum);
    if (plan->sure && given->sure) memcpy(plan->sure, given->sure, e->most * sizeof *plan->sure);
    plan->len = given->len;
    plan->objective = given->objective;
    plan->violation = given->violation;
    move_up(e, e->count - 1, to);
}

static struct joint joint_of_plan(const struct elite *plan)
{
    return (struct joint){plan->actions, plan->sum, plan->len};
}

static struct joint joint_of_given(const struct given *given)
{
    return (struct joint){given->actions, given->sum, given->len};
}

/* Makes the draft of so many actions the plan, if it is feasible, better and none of the others. */
static ucpo_status adopt(struct elites *e, struct elite *plan, size_t len, int *is_adopted,
                         ucpo_error *err)
{
    ucpo_evaluation check;
    ucpo_status st = ucpo_check(e->inst, e->draft, len, &check, NULL, 0, NULL, 0, err);
    if (st) return st;
    double objective = check.cost / e->inst->data.unit;
    *is_adopted = check.is_feasible && objective < plan->objective && !is_kept(e, objective, 0.0);
    if (!*is_adopted) return UCPO_OK;
    memcpy(plan->actions, e->draft, len * sizeof *plan->actions);
    memset(plan->actions + len, 0, (e->most - len) * sizeof *plan->actions);
    join_sum(e->inst, plan->actions, len, plan->sum);
    plan->len = len;
    plan->objective = objective;
    return UCPO_OK;
}

static ucpo_status take_runs(struct elites *e, struct elite *plan, ucpo_error *err)
{
    struct joint other = joint_of_given(&e->given);
    double below = HUGE_VAL;
    for (int tries = 0; tries < TRIES; tries++) {
        struct run run;
        int is_adopted = 0;
        struct joint own = joint_of_plan(plan);
        if (!join_find_run(e->inst, &own, &other, below, e->cells, &run)) break;
        memcpy(e->draft, plan->actions, plan->len * sizeof *e->draft);
        memcpy(e->draft + run.at, other.actions + run.from, run.len * sizeof *e->draft);
        ucpo_status st = adopt(e, plan, plan->len, &is_adopted, err);
        if (st) return st;
        if (is_adopted && !e->is_fleet)
            memcpy(plan->sure + run.at, e->given.sure + run.from, run.len * sizeof *plan->sure);
        below = is_adopted ? HUGE_VAL : run.gain;
    }
    return UCPO_OK;
}

static ucpo_status take_routes(struct elites *e, struct elite *plan, ucpo_error *err)
{
    struct joint own = joint_of_plan(plan), other = joint_of_given(&e->given);
    int is_adopted;
    size_t len = join_find_routes(e->inst, &own, &other, &e->routes, e->draft);
    return len > 0 ? adopt(e, plan, len, &is_adopted, err) : UCPO_OK;
}

/* The plan that has come is kept if it is good, and the others take over what it does better. */
static ucpo_status share(struct elites *e, ucpo_error *err)
{
    keep(e);
    for (int k = 0; k < e->count; k++) {
        struct elite *plan = &e->plan[k];
        double before = plan->objective;
        if (plan->violation > 0.0) continue;
        ucpo_status st = e->is_fleet ? take_routes(e, plan, err) : UCPO_OK;
        if (!st) st = take_runs(e, plan, err);
        if (st) return st;
        if (plan->objective < before) move_up(e, k, place_of(e, k, plan->objective, 0.0));
    }
    return UCPO_OK;
}

static void receive(struct elites *e, const int32_t *actions, const real *sure, double objective,
                    double violation)
{
    size_t len = e->most;
    while (len > 0 && actions[len - 1] == 0) len--;
    join_sum(e->inst, actions, len, e->given.sum);
    e->given = (struct given){actions, sure, e->given.sum, len, objective, violation};
}

ucpo_status elites_take(struct elites *e, const int32_t *actions, const real *sure,
                        double objective, double violation, ucpo_error *err)
{
    receive(e, actions, sure, objective, violation);
    if (e->partition) {
        struct joint plan = joint_of_given(&e->given);
        partition_add(e->partition, &plan, violation <= 0.0);
    }
    return share(e, err);
}

ucpo_status elites_assemble(struct elites *e, ucpo_error *err)
{
    if (!e->partition || e->count == 0) return UCPO_OK;
    for (int k = 0; k < e->count; k++) {
        struct joint plan = joint_of_plan(&e->plan[k]);
        partition_add(e->partition, &plan, e->plan[k].violation <= 0.0);
    }
    const struct elite *best = &e->plan[0];
    double below = best->violation > 0.0 ? HUGE_VAL : best->sum[best->len + 1];
    size_t len = partition_find(e->partition, below, e->whole);
    if (len == 0) return UCPO_OK;
    ucpo_evaluation check;
    ucpo_status st = ucpo_check(e->inst, e->whole, len, &check, NULL, 0, NULL, 0, err);
    if (st || !check.is_feasible) return st;
    memset(e->whole + len, 0, (e->most - len) * sizeof *e->whole);
    receive(e, e->whole, NULL, check.cost / e->inst->data.unit, 0.0);
    return share(e, err);
}
