/* The verifier: a plan against the problem definition, in float64, from the instance alone.
 *
 * It shares no code with the environments (env.c and the problem files) on purpose: it is what
 * catches their mistakes. Which constraints apply follows from the arrays an instance has. */
#include "problem/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The walk along a plan. */
struct walk {
    const ucpo_instance *inst;
    const ucpo_instance_data *data;
    ucpo_evaluation *eval;
    ucpo_stop *schedule;
    size_t capacity;
    uint8_t *visited;
    int32_t at;       /* where the vehicle stands */
    int is_under_way; /* left the depot on the current route */
    double time;      /* end of service at `at` */
    double load;      /* on this route so far: demand served, or cargo taken on board */
    double late_beyond, over_beyond; /* sums of what exceeds the tolerances */
};

/* An excess counts if it is beyond the tolerance; then it is reported in full. */
static double counted(double excess, double tolerance)
{
    return excess > tolerance ? excess : 0.0;
}

/* How far beyond its limit, whether that is tolerated or not. */
static void note_excess(double *largest, double excess)
{
    if (excess > *largest) *largest = excess;
}

static void record(struct walk *w, const ucpo_stop *stop)
{
    ucpo_evaluation *e = w->eval;
    if (e->stops < w->capacity) w->schedule[e->stops] = *stop;
    e->stops++;
    e->wait += stop->wait;
    if (stop->late > 0.0) {
        e->late_sum += stop->late;
        e->late_count++;
        w->late_beyond += stop->late - w->data->tolerance;
    }
    if (stop->over > 0.0) {
        e->over_sum += stop->over;
        e->over_count++;
        w->over_beyond += stop->over - w->inst->load_tolerance;
    }
}

/* Draft at a port: cargo on board after loading here, or on arrival when unloading. The depot
 * always sees the full cargo: on return when loading, on departure when unloading. */
static double draft_at(const struct walk *w, int32_t node, double taken)
{
    if (node == 0) return w->inst->total_demand;
    return w->data->draft == UCPO_DRAFT_LOAD ? w->load + taken : w->inst->total_demand - w->load;
}

/* Fills load, over and (without windows) slack of a stop that takes `demand`. */
static void weigh(struct walk *w, ucpo_stop *stop, double demand)
{
    const ucpo_instance_data *d = w->data;
    if (d->limit) {
        stop->load = draft_at(w, stop->node, demand);
        stop->over = counted(stop->load - d->limit[stop->node], w->inst->load_tolerance);
        note_excess(&w->eval->over_max, stop->load - d->limit[stop->node]);
        stop->slack = d->limit[stop->node] - stop->load;
        w->load += demand;
    } else if (d->demand) {
        w->load += demand;
        stop->load = w->load;
        double excess = w->load - d->capacity, part = excess < demand ? excess : demand;
        stop->over = counted(part, w->inst->load_tolerance); /* what does not fit of this demand */
        note_excess(&w->eval->over_max, excess);
    }
}

static void leave_depot(struct walk *w)
{
    w->is_under_way = 1;
    w->eval->routes++;
    w->at = 0;
    w->time = w->data->ready ? w->data->ready[0] : 0.0;
    w->load = 0.0;
}

static void travel(struct walk *w, int32_t node, ucpo_stop *stop)
{
    stop->route = w->eval->routes;
    stop->node = node;
    stop->arrive = w->time;
    double entry = ucpo_instance_cost(w->inst, w->at, node);
    stop->is_blocked = w->data->no_way > 0.0 && entry >= w->data->no_way;
    if (stop->is_blocked) {
        w->eval->blocked++;
    } else {
        w->eval->cost += entry;
        stop->arrive += ucpo_instance_duration(w->inst, w->at, node);
    }
    w->at = node;
}

/* Setup at a stop: none for who comes from the same place, be it the depot. */
static double setup_at(const struct walk *w, int32_t from, int32_t node)
{
    const ucpo_instance_data *d = w->data;
    if (!d->setup) return 0.0;
    int is_there = from == node || (d->place && d->place[from] == d->place[node]);
    return is_there ? 0.0 : d->setup[node];
}

static void visit(struct walk *w, int32_t node)
{
    const ucpo_instance_data *d = w->data;
    if (!w->is_under_way) leave_depot(w);
    ucpo_stop stop = {0};
    int32_t from = w->at;
    travel(w, node, &stop);
    stop.start = stop.arrive;
    if (d->ready) {
        stop.start = stop.arrive > d->ready[node] ? stop.arrive : d->ready[node];
        stop.wait = stop.start - stop.arrive;
        stop.slack = d->due[node] - stop.start;
        stop.late = counted(stop.start - d->due[node], d->tolerance);
        note_excess(&w->eval->late_max, stop.start - d->due[node]);
    }
    stop.leave = stop.start + setup_at(w, from, node) + (d->service ? d->service[node] : 0.0);
    w->time = stop.leave;
    if (w->visited[node]) {
        stop.is_duplicate = 1;
        w->eval->duplicates++;
    }
    weigh(w, &stop, d->demand && !w->visited[node] ? d->demand[node] : 0.0);
    w->visited[node] = 1;
    record(w, &stop);
}

static void return_to_depot(struct walk *w)
{
    if (!w->is_under_way) return;
    const ucpo_instance_data *d = w->data;
    ucpo_stop stop = {0};
    travel(w, 0, &stop);
    stop.start = stop.leave = stop.arrive;
    if (d->due) {
        stop.slack = d->due[0] - stop.arrive;
        stop.late = counted(stop.arrive - d->due[0], d->tolerance);
        note_excess(&w->eval->late_max, stop.arrive - d->due[0]);
    }
    weigh(w, &stop, 0.0);
    record(w, &stop);
    w->eval->duration = fmax(w->eval->duration, stop.arrive);
    w->is_under_way = 0;
}

static void skip_unknown(struct walk *w, int32_t node)
{
    ucpo_stop stop = {.route = w->is_under_way ? w->eval->routes : w->eval->routes + 1,
                      .node = node,
                      .is_unknown = 1};
    w->eval->unknown++;
    record(w, &stop);
}

static void count_missing(struct walk *w, int32_t *missing, size_t capacity)
{
    for (int32_t i = 1; i < w->data->n; i++) {
        if (w->visited[i]) continue;
        if (missing && (size_t)w->eval->missing < capacity) missing[w->eval->missing] = i;
        w->eval->missing++;
    }
}

static void sum_up(const struct walk *w)
{
    const ucpo_instance *inst = w->inst;
    ucpo_evaluation *e = w->eval;
    int32_t fleet = inst->ops->max_vehicles ? inst->ops->max_vehicles : inst->data.vehicles;
    e->vehicles_over = fleet > 0 && e->routes > fleet ? e->routes - fleet : 0;
    int64_t counts = (int64_t)e->late_count + e->over_count + e->vehicles_over + e->missing +
                     e->duplicates + e->unknown + e->blocked;
    double load_unit = inst->data.limit ? inst->total_demand : inst->data.capacity;
    double heavy = load_unit > 0.0 ? w->over_beyond / load_unit : 0.0;
    e->violation = w->late_beyond / inst->data.unit + heavy + (double)counts;
    e->is_feasible = counts == 0;
    e->is_tolerated = e->is_feasible && (e->late_max > 0.0 || e->over_max > 0.0);
    e->tolerance = inst->data.tolerance;
    e->load_tolerance = inst->load_tolerance;
}

void prob_check(const ucpo_instance *inst, const int32_t *nodes, size_t len, ucpo_evaluation *out,
                uint8_t *visited, ucpo_stop *schedule, size_t schedule_capacity, int32_t *missing,
                size_t missing_capacity)
{
    ucpo_evaluation eval = {0};
    struct walk w = {.inst = inst,
                     .data = &inst->data,
                     .eval = &eval,
                     .schedule = schedule,
                     .capacity = schedule ? schedule_capacity : 0,
                     .visited = visited};
    memset(visited, 0, (size_t)inst->data.n);
    for (size_t i = 0; i < len; i++) {
        if (nodes[i] == 0)
            return_to_depot(&w);
        else if (nodes[i] < 0 || nodes[i] >= inst->data.n)
            skip_unknown(&w, nodes[i]);
        else
            visit(&w, nodes[i]);
    }
    return_to_depot(&w);
    count_missing(&w, missing, missing_capacity);
    sum_up(&w);
    *out = eval;
}

ucpo_status ucpo_check(const ucpo_instance *inst, const int32_t *nodes, size_t len,
                       ucpo_evaluation *out, ucpo_stop *schedule, size_t schedule_capacity,
                       int32_t *missing, size_t missing_capacity, ucpo_error *err)
{
    if (!inst || !out || (!nodes && len > 0))
        return status_argument(err, "inst, nodes and out must not be NULL");
    if (len > INT32_MAX / 2) return status_argument(err, "a plan of %zu stops is too long", len);
    uint8_t *visited = mem_zeroed((size_t)inst->data.n, 1);
    if (!visited) return status_no_memory(err, (size_t)inst->data.n);
    prob_check(inst, nodes, len, out, visited, schedule, schedule_capacity, missing,
               missing_capacity);
    free(visited);
    return UCPO_OK;
}
