/* Raw numbers of pairs of nodes, see pairs.h. Plain loops over single precision numbers that do not
 * overlap: compilers make vectors of them. */
#include "problem/pairs.h"

#include <math.h>
#include <string.h>

enum { ROUND = 16 }; /* rows are read in whole vectors (KERN_ROUND) */

/* Beyond any way and time that matters; squares stay finite. */
#define MOST 1e4

void prob_pairs_layout(struct prob_pairs *p, int32_t n, struct arena *arena)
{
    size_t count = (size_t)n;
    p->n = n;
    p->stride = (count + ROUND - 1) / ROUND * ROUND;
    float **const array[] = {&p->ready, &p->due, &p->service, &p->demand, &p->limit,    &p->out,
                             &p->home,  &p->way, &p->back,    &p->time,   &p->time_back};
    for (size_t k = 0; k < sizeof array / sizeof array[0]; k++)
        *array[k] = arena_take(arena, count, sizeof(float));
    p->row = arena_take(arena, count, sizeof(double));
    p->raw = arena_take(arena, PAIR_NUMBERS * p->stride, sizeof(float));
}

static float cut(double x)
{
    return (float)(x < -MOST ? -MOST : x > MOST ? MOST : x);
}

/* Duration of all ways between the depot and others by their cost; 1 where times are costs. */
static double time_of_way(const struct ucpo_instance *inst)
{
    const ucpo_instance_data *d = &inst->data;
    double cost = 0.0, duration = 0.0;
    if (!d->duration) return d->speed > 0.0 ? 1.0 / d->speed : 1.0;
    for (int32_t j = 1; j < d->n; j++) {
        for (int is_back = 0; is_back < 2; is_back++) {
            int32_t from = is_back ? j : 0, to = is_back ? 0 : j;
            if (!ucpo_instance_has_way(inst, from, to)) continue;
            cost += ucpo_instance_cost(inst, from, to);
            duration += ucpo_instance_duration(inst, from, to);
        }
    }
    return cost > 0.0 && duration > 0.0 ? duration / cost : 1.0;
}

/* to[j] = from[j * step] * by, cut */
static void take(float *to, const double *from, size_t step, double by, int32_t n)
{
    for (size_t j = 0; j < (size_t)n; j++) to[j] = cut(from[j * step] * by);
}

/* Ways from i, and to i. */
static void take_ways(struct prob_pairs *p, int32_t i, float *way, float *back)
{
    const double *cost = p->inst->data.cost;
    geometry_row(p->inst, i, p->row);
    take(way, p->row, 1, p->per_way, p->n);
    if (cost)
        take(back, cost + i, (size_t)p->n, p->per_way, p->n);
    else
        memcpy(back, way, (size_t)p->n * sizeof *way);
    way[i] = back[i] = 0.0f;
}

static void take_times(struct prob_pairs *p, int32_t i)
{
    const double *duration = p->inst->data.duration;
    size_t n = (size_t)p->n;
    if (!duration) { /* at any speed a unit of way takes a unit of time */
        memcpy(p->time, p->way, n * sizeof *p->way);
        memcpy(p->time_back, p->back, n * sizeof *p->back);
        return;
    }
    take(p->time, duration + (size_t)i * n, 1, p->per_time, p->n);
    take(p->time_back, duration + i, n, p->per_time, p->n);
    p->time[i] = p->time_back[i] = 0.0f;
}

static void bind_windows(struct prob_pairs *p)
{
    const struct ucpo_instance *inst = p->inst;
    const ucpo_instance_data *d = &inst->data;
    double opening = d->ready[0];
    for (int32_t i = 0; i < p->n; i++) {
        p->ready[i] = cut((d->ready[i] - opening) * p->per_time);
        p->due[i] = cut((fmin(d->due[i], inst->horizon) - opening) * p->per_time);
        p->service[i] = d->service ? cut(d->service[i] * p->per_time) : 0.0f;
    }
}

/* Loads of a ship in terms of four times the mean demand, those of a fleet of the capacity. */
static void bind_loads(struct prob_pairs *p)
{
    const ucpo_instance_data *d = &p->inst->data;
    double total = p->inst->total_demand > 0.0 ? p->inst->total_demand : 1.0;
    double by = d->limit ? (p->n - 1) / (4.0 * total) : 1.0 / d->capacity;
    for (int32_t i = 0; i < p->n; i++) {
        p->demand[i] = cut(d->demand[i] * by);
        p->limit[i] = d->limit ? cut(fmin(d->limit[i], total) * by) : 0.0f;
    }
}

void prob_pairs_bind(struct prob_pairs *p, const struct ucpo_instance *inst)
{
    const ucpo_instance_data *d = &inst->data;
    double unit = d->unit > 0.0 ? d->unit : 1.0;
    p->inst = inst;
    p->per_way = 1.0 / unit;
    p->per_time = 1.0 / (unit * time_of_way(inst));
    p->root = sqrtf((float)p->n);
    if (d->ready && d->due) bind_windows(p);
    if (d->demand) bind_loads(p);
    take_ways(p, 0, p->out, p->home);
}

void prob_pairs_row(struct prob_pairs *p, int32_t i)
{
    p->inst->ops->pair_row(p, i);
}

void prob_pairs_shape(const struct prob_ops *ops, struct env_shape *out)
{
    out->features = ops->pair_features;
    for (int f = 0; f < out->features; f++) {
        out->source[f] = (int)ops->pair[f].raw;
        out->is_squashed[f] = ops->pair[f].is_squashed;
        out->scale[f] = ops->pair[f].scale;
    }
}

/* ---- parts of a row ---- */

static float *raw_of(const struct prob_pairs *p, enum pair_number number)
{
    return p->raw + (size_t)number * p->stride;
}

void pairs_ways(struct prob_pairs *p, int32_t i)
{
    float *restrict way = raw_of(p, PAIR_WAY), *restrict step = raw_of(p, PAIR_STEP);
    float *restrict step_2 = raw_of(p, PAIR_STEP_2), *restrict turn = raw_of(p, PAIR_TURN);
    float *restrict same = raw_of(p, PAIR_SAME), *restrict depot = raw_of(p, PAIR_DEPOT);
    take_ways(p, i, p->way, p->back);
    const float *restrict from = p->way, *restrict back = p->back;
    const float root = p->root, is_depot = i == 0;
    for (int32_t j = 0; j < p->n; j++) {
        float s = from[j] * root;
        way[j] = from[j];
        step[j] = s;
        step_2[j] = s * s;
        turn[j] = (from[j] - back[j]) * root;
        same[j] = 0.0f;
        depot[j] = is_depot;
    }
    same[i] = depot[0] = 1.0f;
}

void pairs_windows(struct prob_pairs *p, int32_t i)
{
    float *restrict forward = raw_of(p, PAIR_FORWARD), *restrict wait = raw_of(p, PAIR_WAIT);
    float *restrict backward = raw_of(p, PAIR_BACKWARD);
    float *restrict later = raw_of(p, PAIR_LATER), *restrict apart = raw_of(p, PAIR_APART);
    float *restrict far = raw_of(p, PAIR_FAR_APART), *restrict near = raw_of(p, PAIR_NEAR_FORWARD);
    take_times(p, i);
    const float *restrict time = p->time, *restrict back = p->time_back;
    const float *restrict step = raw_of(p, PAIR_STEP);
    const float *restrict ready = p->ready, *restrict due = p->due, *restrict service = p->service;
    const float open = ready[i], close = due[i];
    const float first = open + service[i], last = close + service[i],
                middle = 0.5f * (open + close);
    for (int32_t j = 0; j < p->n; j++) {
        float slack = due[j] - first - time[j], room = 1.0f + step[j];
        float m = 0.5f * (ready[j] + due[j]) - middle;
        forward[j] = slack;
        backward[j] = close - (ready[j] + service[j]) - back[j];
        wait[j] = ready[j] - last - time[j];
        later[j] = ready[j] - open;
        apart[j] = m * m;
        far[j] = room * (1.0f + m * m) - 1.0f;
        near[j] = slack / ((1.0f + (slack < 0.0f ? -slack : slack)) * room);
    }
}

void pairs_drafts(struct prob_pairs *p, int32_t i)
{
    float *restrict deeper = raw_of(p, PAIR_DEEPER), *restrict deeper_2 = raw_of(p, PAIR_DEEPER_2);
    float *restrict far = raw_of(p, PAIR_FAR_DEEPER), *restrict to = raw_of(p, PAIR_LIMIT);
    float *restrict shallow = raw_of(p, PAIR_SHALLOW);
    const float *restrict limit = p->limit, *restrict step = raw_of(p, PAIR_STEP);
    const float own = limit[i], share = 4.0f / (float)(p->n - 1); /* of the total demand */
    for (int32_t j = 0; j < p->n; j++) {
        float q = limit[j] - own;
        deeper[j] = q;
        deeper_2[j] = q * q;
        far[j] = (1.0f + step[j]) * (1.0f + q * q) - 1.0f;
        shallow[j] = share * (q < 0.0f ? limit[j] : own);
        to[j] = share * limit[j];
    }
}

void pairs_routes(struct prob_pairs *p, int32_t i)
{
    float *restrict load = raw_of(p, PAIR_LOAD), *restrict saving = raw_of(p, PAIR_SAVING);
    float *restrict saved = raw_of(p, PAIR_SAVED), *restrict angle = raw_of(p, PAIR_ANGLE);
    const float *restrict demand = p->demand, *restrict out = p->out, *restrict home = p->home;
    const float *restrict way = p->way, *restrict back = p->back;
    const float own = demand[i], to_depot = home[i], side = 0.5f * (out[i] + home[i]);
    for (int32_t j = 0; j < p->n; j++) {
        float through = to_depot + out[j], other = 0.5f * (out[j] + home[j]);
        float across = 0.5f * (way[j] + back[j]), product = side * other;
        float less = across * across - (side - other) * (side - other); /* 2 product (1 - cos) */
        float turned = less > 0.0f && product > 0.0f ? 0.5f * less / product : 0.0f;
        load[j] = own + demand[j];
        saving[j] = through - way[j];
        saved[j] = through > 0.0f ? (through - way[j]) / through : 0.0f;
        angle[j] = turned < 2.0f ? turned : 2.0f;
    }
}
