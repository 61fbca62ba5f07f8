/* Plans without a model: sequential nearest-neighbour rules with a look-ahead (after Solomon, 1987).
 *
 * They need O(n) memory, so they also serve instances whose n x n tables nobody can pay for. Which
 * constraints apply follows from the arrays the instance has. */
#include "refine/ground.h"

#include <stdlib.h>
#include <string.h>

/* What makes a customer the next one: the smallest way + wait x waiting + urgency x slack. */
static const struct rule {
    double wait, urgency;
    int starts_far; /* routes begin with the customer farthest from the depot */
} rules[CONSTRUCT_RULES] = {
    {0.0, 0.0, 0}, /* 0: order of deadlines, see by_deadline */
    {0.0, 0.0, 0}, {1.0, 0.0, 0}, {1.0, 0.1, 0}, {1.0, 0.5, 0}, {1.0, 2.0, 0}, {0.5, 0.1, 1},
};

/* The look-ahead looks at the most urgent open customers only: 16 of them, fewer for large n. */
enum { MOST_URGENT = 16, URGENT_WORK = 16000 };

struct construct {
    const ucpo_instance *inst;
    int is_tour;
    int32_t *order;   /* customers, the most urgent first */
    uint8_t *visited; /* n */
    int32_t first;    /* first open entry of `order` */
    int32_t urgent[MOST_URGENT + 1];
    int urgents;
    int32_t at, left;
    double time, load;
    double slack_scale; /* slack to lengths */
};

/* The latest state in which a customer can be entered: time, or load on board. */
static double bound_of(const ucpo_instance_data *d, int32_t j)
{
    if (d->limit) return d->limit[j] - d->demand[j];
    return d->due ? d->due[j] : 0.0;
}

ucpo_status construct_create(const ucpo_instance *inst, struct construct **out, ucpo_error *err)
{
    size_t n = (size_t)inst->data.n;
    struct construct *c = mem_zeroed(1, sizeof *c);
    if (!c) return status_no_memory(err, sizeof *c);
    c->inst = inst;
    c->is_tour = inst->ops->max_vehicles == 1;
    c->order = mem_zeroed(n, sizeof *c->order);
    c->visited = mem_zeroed(n, 1);
    double *key = mem_zeroed(n, sizeof *key);
    if (!c->order || !c->visited || !key) {
        free(key);
        construct_free(c);
        return status_no_memory(err, n * sizeof *key);
    }
    for (int32_t j = 1; j < inst->data.n; j++)
        c->order[j - 1] = j, key[j] = bound_of(&inst->data, j);
    sort_by_key(c->order, inst->data.n - 1, key);
    free(key);
    double total = inst->total_demand > 0.0 ? inst->total_demand : 1.0;
    c->slack_scale = inst->data.limit ? inst->data.unit / total : 1.0;
    *out = c;
    return UCPO_OK;
}

void construct_free(struct construct *c)
{
    if (!c) return;
    free(c->order);
    free(c->visited);
    free(c);
}

static void reset(struct construct *c)
{
    const ucpo_instance_data *d = &c->inst->data;
    memset(c->visited, 0, (size_t)d->n);
    c->first = 0;
    c->at = 0;
    c->left = d->n - 1;
    c->time = d->ready ? d->ready[0] : 0.0;
    c->load = 0.0;
}

/* ---- moves ---- */

static double start_at(const struct construct *c, int32_t j, double way)
{
    const ucpo_instance_data *d = &c->inst->data;
    return d->ready ? fmax(c->time + way, d->ready[j]) : c->time + way;
}

static double service_of(const ucpo_instance_data *d, int32_t j)
{
    return d->service ? d->service[j] : 0.0;
}

static void visit(struct construct *c, int32_t j)
{
    const ucpo_instance_data *d = &c->inst->data;
    c->time = start_at(c, j, ucpo_instance_duration(c->inst, c->at, j)) + service_of(d, j);
    c->load += d->demand ? d->demand[j] : 0.0;
    c->at = j;
    c->visited[j] = 1;
    c->left--;
}

static void go_home(struct construct *c)
{
    c->at = 0;
    c->time = c->inst->data.ready ? c->inst->data.ready[0] : 0.0;
    c->load = 0.0;
}

/* ---- rules ---- */

/* The most urgent open customers: those the look-ahead has an eye on. */
static void find_urgent(struct construct *c)
{
    int32_t n = c->inst->data.n;
    int32_t most = URGENT_WORK / n < 1             ? 1
                   : URGENT_WORK / n > MOST_URGENT ? MOST_URGENT
                                                   : URGENT_WORK / n;
    while (c->first < n - 1 && c->visited[c->order[c->first]]) c->first++;
    c->urgents = 0; /* one more than needed: the candidate itself does not count */
    for (int32_t k = c->first; k < n - 1 && c->urgents <= most; k++)
        if (!c->visited[c->order[k]]) c->urgent[c->urgents++] = c->order[k];
}

/* Served from here at `start`: within its own window and limit, fleets also home in time. */
static int is_good_itself(const struct construct *c, int32_t j, double start)
{
    const ucpo_instance_data *d = &c->inst->data;
    double tolerance = d->tolerance, heavy = c->inst->load_tolerance;
    if (d->due && start > d->due[j] + tolerance) return 0;
    if (d->limit && c->load + d->demand[j] > d->limit[j] + heavy) return 0;
    if (c->is_tour) return 1;
    if (d->demand && c->load + d->demand[j] > d->capacity + heavy) return 0;
    double home = start + service_of(d, j) + ucpo_instance_duration(c->inst, j, 0);
    return !d->due || home <= d->due[0] + tolerance;
}

/* The urgent ones can still be entered directly after it. Other vehicles may serve them in fleets. */
static int is_good_for_others(const struct construct *c, int32_t j, double start)
{
    const ucpo_instance_data *d = &c->inst->data;
    double leave = start + service_of(d, j);
    for (int i = 0; c->is_tour && i < c->urgents; i++) {
        int32_t k = c->urgent[i];
        if (k == j) continue;
        if (d->due && leave + ucpo_instance_duration(c->inst, j, k) > d->due[k] + d->tolerance)
            return 0;
        if (d->limit && c->load + d->demand[j] > bound_of(d, k) + c->inst->load_tolerance) return 0;
    }
    return 1;
}

static double key_of(const struct construct *c, const struct rule *rule, int32_t j, double way,
                     double start)
{
    const ucpo_instance_data *d = &c->inst->data;
    double slack = 0.0;
    if (rule->starts_far && c->at == 0) return -way;
    if (d->limit)
        slack = d->limit[j] - c->load - d->demand[j];
    else if (d->due)
        slack = fmin(d->due[j], c->inst->horizon) - start;
    return way + rule->wait * (start - c->time - way) + rule->urgency * c->slack_scale * slack;
}

/* The next customer, or 0: home first. Better one that harms nobody than one that is in time itself
 * than any. */
static int32_t choose(struct construct *c, const struct rule *rule)
{
    int32_t best = 0;
    int best_rank = 3;
    double best_key = 0.0;
    find_urgent(c);
    for (int32_t j = 1; j < c->inst->data.n; j++) {
        if (c->visited[j]) continue;
        double way = ucpo_instance_duration(c->inst, c->at, j), start = start_at(c, j, way);
        int rank = is_good_itself(c, j, start) ? 0 : 2;
        if (rank > best_rank) continue;
        double key = rank == 2 ? way : key_of(c, rule, j, way, start);
        if (rank == best_rank && key >= best_key) continue; /* before the expensive test */
        if (rank == 0 && !is_good_for_others(c, j, start)) rank = 1;
        if (rank > best_rank || (rank == best_rank && key >= best_key)) continue;
        best = j, best_rank = rank, best_key = key;
    }
    int is_out = !c->is_tour && c->at != 0;
    return is_out && best_rank == 2 ? 0 : best;
}

static size_t by_deadline(struct construct *c, int32_t *nodes)
{
    size_t len = 0;
    for (int32_t k = 0; k < c->inst->data.n - 1; k++) {
        int32_t j = c->order[k];
        double start = start_at(c, j, ucpo_instance_duration(c->inst, c->at, j));
        if (!c->is_tour && c->at != 0 && !is_good_itself(c, j, start)) {
            nodes[len++] = 0;
            go_home(c);
        }
        nodes[len++] = j;
        visit(c, j);
    }
    return len;
}

ucpo_status construct_run(struct construct *c, int rule, const struct stop *stop, int32_t *nodes,
                          size_t *len, ucpo_error *err)
{
    size_t count = 0;
    reset(c);
    if (rule == 0) count = by_deadline(c, nodes);
    while (c->left > 0) {
        if (stop_is_asked(stop)) return status_fail(err, UCPO_E_CANCELLED, "stopped");
        int32_t next = choose(c, &rules[rule]);
        nodes[count++] = next;
        if (next == 0)
            go_home(c);
        else
            visit(c, next);
    }
    *len = count;
    return UCPO_OK;
}
