/* Setup times that are paid once per place in a row: what searches, environments and networks work on instead.
 *
 * Time spent at a stop then depends on the stop before, which none of them knows. They get an image without
 * setups whose plans cost the same and are feasible here too: times in it are never earlier than they are here.
 * The converse does not hold. A proof needs an instance that is not harder: that is the instance itself for who
 * looks at service times alone (bounds, explanations), since it leaves the setups out.
 *
 * A stop j of a place that it has to itself pays its setup always: it is service. For one that shares its place
 * there are two ways.
 *   again    the setup is service, paid also behind a stop of the same place
 *   shifted  the setup is part of every leg from another place, and start of service means its end. The window
 *            moves along: its beginning by the setup, unless nobody can be there before it anyway; its end too if
 *            whoever comes from the same place is always in time, else not at all, so that nobody is late here
 *            who is in time there. */
#include "problem/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SHIFTED = 2000 }; /* nodes: shifted stops need a matrix */

struct image {
    const struct ucpo_instance *inst;
    const ucpo_instance_data *data;
    size_t n;
    double *ready, *due, *service, *duration;
    uint8_t *is_shifted;
    int has_shifted;
};

int setup_same_place(const ucpo_instance_data *d, int32_t a, int32_t b)
{
    return d->place ? d->place[a] == d->place[b] : a == b;
}

static double service_of(const struct image *m, int32_t i)
{
    return m->data->service ? m->data->service[i] : 0.0;
}

/* Earliest arrival at j from another place, at least. */
static double reach_of(const struct image *m, int32_t j)
{
    double least = HUGE_VAL;
    for (int32_t i = 0; i < m->data->n; i++)
        if (!setup_same_place(m->data, i, j) && ucpo_instance_has_way(m->inst, i, j))
            least = fmin(least, ucpo_instance_duration(m->inst, i, j));
    return m->data->ready[0] + least;
}

/* Whoever leaves another stop of the place, however late, begins in time at j. */
static int is_always_in_time(const struct image *m, int32_t j)
{
    const ucpo_instance_data *d = m->data;
    for (int32_t i = 0; i < d->n; i++) {
        if (i == j || !setup_same_place(d, i, j)) continue;
        double leave = i == 0 ? d->ready[0] : d->due[i] + d->setup[i] + service_of(m, i);
        if (leave + ucpo_instance_duration(m->inst, i, j) > d->due[j]) return 0;
    }
    return 1;
}

static int is_shared(const struct image *m, int32_t j)
{
    for (int32_t i = 0; i < m->data->n; i++)
        if (i != j && setup_same_place(m->data, i, j)) return 1;
    return 0;
}

static void choose(struct image *m, int32_t j)
{
    const ucpo_instance_data *d = m->data;
    double setup = d->setup[j];
    m->ready[j] = d->ready[j];
    m->due[j] = d->due[j];
    m->service[j] = service_of(m, j) + setup;
    if (setup <= 0.0 || m->n > MOST_SHIFTED || !is_shared(m, j)) return;
    double reach = reach_of(m, j), opens = fmax(d->ready[j], reach);
    double ready = d->ready[j] <= reach ? d->ready[j] : d->ready[j] + setup;
    double due = is_always_in_time(m, j) ? d->due[j] + setup : d->due[j];
    if (isfinite(due) && due - (opens + setup) < 0.5 * (d->due[j] - opens)) return;
    if (ready > due) return;
    m->ready[j] = ready;
    m->due[j] = due;
    m->service[j] -= setup;
    m->is_shifted[j] = 1;
    m->has_shifted = 1;
}

static void fill_legs(struct image *m)
{
    for (int32_t i = 0; i < m->data->n; i++)
        for (int32_t j = 0; j < m->data->n; j++) {
            double *leg = &m->duration[(size_t)i * m->n + (size_t)j];
            *leg = ucpo_instance_duration(m->inst, i, j);
            int is_paid = m->is_shifted[j] && !setup_same_place(m->data, i, j);
            if (is_paid && ucpo_instance_has_way(m->inst, i, j)) *leg += m->data->setup[j];
        }
}

/* NOLINTNEXTLINE(misc-no-recursion): an image has no setups, and so no image */
ucpo_status setup_image(const struct ucpo_instance *inst, struct ucpo_instance **out,
                        ucpo_error *err)
{
    struct image m = {.inst = inst, .data = &inst->data, .n = (size_t)inst->data.n};
    struct mem_pool pool = {0};
    m.ready = mem_take(&pool, m.n, sizeof *m.ready, err);
    m.due = mem_take(&pool, m.n, sizeof *m.due, err);
    m.service = mem_take(&pool, m.n, sizeof *m.service, err);
    m.is_shifted = mem_take(&pool, m.n, 1, err);
    for (int32_t j = 1; !pool.has_failed && j < inst->data.n; j++) choose(&m, j);
    if (!pool.has_failed && m.has_shifted)
        m.duration = mem_take(&pool, m.n, m.n * sizeof *m.duration, err);
    ucpo_status st = pool.has_failed ? UCPO_E_MEMORY : UCPO_OK;
    if (!st) {
        ucpo_instance_data data = inst->data;
        m.ready[0] = data.ready[0];
        m.due[0] = data.due[0];
        if (m.duration) fill_legs(&m);
        if (m.duration) data.duration = m.duration, data.speed = 0.0;
        data.ready = m.ready, data.due = m.due, data.service = m.service;
        data.setup = NULL, data.place = NULL;
        data.id = data.label = NULL;
        data.left_out = NULL, data.left_outs = 0;
        st = ucpo_instance_create(&data, out, err);
    }
    mem_pool_free(&pool);
    return st;
}
