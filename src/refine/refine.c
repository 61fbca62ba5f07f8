/* The facade: one vehicle or a fleet, on ground of its own or not. */
#include "refine/search.h"

#include <assert.h>
#include <stdlib.h>

static ucpo_status create(int is_tour, struct refine **out, ucpo_error *err)
{
    struct refine *r = mem_zeroed(1, sizeof *r);
    if (r && is_tour) r->tour = tour_create();
    if (r && !is_tour) r->routes = routes_create();
    if (!r || !(r->tour || r->routes)) {
        refine_free(r);
        return status_no_memory(err, sizeof *r);
    }
    *out = r;
    return UCPO_OK;
}

void refine_free(struct refine *r)
{
    if (!r) return;
    free(r->tour);
    free(r->routes);
    arena_free(&r->arena);
    ground_free(r->own);
    free(r);
}

static void lay_out(struct refine *r, struct arena *arena)
{
    if (r->tour)
        tour_bind(r->tour, r->ground, arena);
    else
        routes_bind(r->routes, r->ground, arena);
}

static ucpo_status check_kind(const struct refine *r, const ucpo_instance *inst, ucpo_error *err)
{
    if ((inst->ops->max_vehicles == 1) == (r->tour != NULL)) return UCPO_OK;
    return status_fail(err, UCPO_E_MISMATCH, "this search cannot become one for %s",
                       inst->ops->info.name);
}

ucpo_status refine_bind_on(struct refine *r, const struct ground *ground, ucpo_error *err)
{
    struct arena need = {0};
    ucpo_status st = check_kind(r, ground->inst, err);
    if (st) return st;
    r->ground = ground;
    lay_out(r, &need);
    st = arena_fit(&r->arena, &need, err);
    if (!st) lay_out(r, &r->arena);
    return st;
}

ucpo_status refine_create_on(const struct ground *ground, struct refine **out, ucpo_error *err)
{
    struct refine *r = NULL;
    ucpo_status st = create(ground->is_tour, &r, err);
    if (!st) st = refine_bind_on(r, ground, err);
    if (!st)
        *out = r;
    else
        refine_free(r);
    return st;
}

ucpo_status refine_bind(struct refine *r, const ucpo_instance *inst, const struct stop *stop,
                        ucpo_error *err)
{
    ucpo_status st = check_kind(r, inst, err);
    if (st) return st;
    st = r->own ? ground_bind(r->own, inst, stop, err) : ground_create(inst, stop, &r->own, err);
    return st ? st : refine_bind_on(r, r->own, err);
}

ucpo_status refine_create(const ucpo_instance *inst, const struct stop *stop, struct refine **out,
                          ucpo_error *err)
{
    struct refine *r = NULL;
    ucpo_status st = create(inst->ops->max_vehicles == 1, &r, err);
    if (!st) st = refine_bind(r, inst, stop, err);
    if (!st)
        *out = r;
    else
        refine_free(r);
    return st;
}

ucpo_status refine_start(struct refine *r, const int32_t *nodes, size_t len, uint64_t seed,
                         ucpo_error *err)
{
    if (!nodes && len > 0) return status_fail(err, UCPO_E_ARGUMENT, "nodes must not be NULL");
    if (r->tour)
        tour_start(r->tour, nodes, len, seed);
    else
        routes_start(r->routes, nodes, len, seed);
    return UCPO_OK;
}

int refine_begins_anew(const ucpo_instance *inst)
{
    return inst->ops->max_vehicles != 1 && routes_begin_anew(inst);
}

void refine_run(struct refine *r, int64_t effort, const struct stop *stop)
{
    if (r->ground->n <= 2) return;
    if (r->tour)
        tour_run(r->tour, effort, stop);
    else
        routes_run(r->routes, effort, stop);
}

struct refined refine_best(const struct refine *r)
{
    const struct best *b = r->tour ? tour_best(r->tour) : routes_best(r->routes);
    assert(b->is_known && b->violation >= 0.0);
    return (struct refined){b->nodes, b->len, b->objective, b->violation};
}
