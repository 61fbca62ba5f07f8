/* Lower bounds: what no plan of an instance can cost less than, and, where windows are narrow, the proof
 * that a plan is the best one.
 *
 *   arcs       which customer may follow which at all (windows, loads, ways)
 *   tree       any instance: paths are forests; multipliers make customers have two ends (Held and Karp)
 *   radial     loads: a customer's share of a vehicle pays its share of the way there and back
 *   assign     tours: everybody has one successor, over the arcs that are left
 *   labels     tours: all partial tours by set of customers and last one, the dominated ones left out,
 *              cut off by the cost of a known plan; complete within its limit or of no use
 *   exact      up to nine customers, any problem: the best plan, or that there is none
 *
 * Everything is a relaxation of what ucpo_check asks for: a plan within its tolerances is not cheaper
 * than the bound. */
#ifndef UCPO_BOUND_BOUND_H
#define UCPO_BOUND_BOUND_H

#include "core/stop.h"
#include "problem/problem.h"

enum {
    BOUND_NODES = 400,         /* larger instances get no bound: ways and assignments take n^3 */
    BOUND_LABEL_NODES = 256,   /* the same for labels, */
    BOUND_LABELS = 300 * 1000, /* of which this many are kept at most: some 0.2 s, 25 MB */
    BOUND_WORDS = BOUND_LABEL_NODES / 64,
    BOUND_EXACT = 9 /* customers whose orders are all looked at: some milliseconds */
};

/* What all of them work on. Rows i, columns j: from i to j; node 0 is the depot. */
struct bound_arcs {
    int32_t n;
    int is_tour;
    int32_t least_routes, most_routes;
    double *cost; /* HUGE_VAL: j never follows i */
    double *leg;  /* time from the start of service at i to the arrival at j, straight */
    double *way;  /* the same over any others, at least */
    double *ready, *due;
    uint64_t *before; /* tours up to BOUND_LABEL_NODES: row j, who must come before j */
    int are_costs_whole;
    struct arena arena;
};

/* *out NULL: `stop` came first. */
ucpo_status bound_arcs_create(const ucpo_instance *inst, const struct stop *stop,
                              struct bound_arcs **out, ucpo_error *err);
void bound_arcs_free(struct bound_arcs *arcs);

static inline double bound_cost(const struct bound_arcs *a, int32_t i, int32_t j)
{
    return a->cost[(size_t)i * (size_t)a->n + (size_t)j];
}

static inline double bound_leg(const struct bound_arcs *a, int32_t i, int32_t j)
{
    return a->leg[(size_t)i * (size_t)a->n + (size_t)j];
}

/* Whether a set of customers, BOUND_WORDS words, has j. */
static inline int bound_has(const uint64_t *set, int32_t j)
{
    return (int)(set[j / 64] >> (j % 64) & 1);
}

/* Demand that can be over: the checker tolerates amounts up to the tolerance, however many of them. The others
 * of a vehicle are within capacity and tolerance; a little more, for sums in another order. */
static inline double bound_demand(const ucpo_instance *inst, int32_t j)
{
    return inst->data.demand[j] > inst->load_tolerance ? inst->data.demand[j] : 0.0;
}

static inline double bound_capacity(const ucpo_instance *inst)
{
    return (inst->data.capacity + inst->load_tolerance) * (1.0 + 1e-12);
}

/* Each gives a lower bound, or 0. `upper`: cost of a known plan. */
ucpo_status bound_by_tree(const struct bound_arcs *arcs, double upper, const struct stop *stop,
                          double *out, ucpo_error *err);

ucpo_status bound_by_loads(const struct bound_arcs *arcs, const ucpo_instance *inst, double *out,
                           ucpo_error *err);

/* out and in (n each): prices with cost(i, j) >= out[i] + in[j], whose sum is the bound. */
ucpo_status bound_by_assignment(const struct bound_arcs *arcs, const struct stop *stop, double *out,
                                double *in, double *bound, ucpo_error *err);

/* The best tour that costs less than `upper` by more than `margin`, into tour (n - 1 customers), if there
 * is one. *is_done = 0: limit or stop came first, nothing is known. */
ucpo_status bound_by_labels(const struct bound_arcs *arcs, const double *out, const double *in,
                            double bound, double upper, double margin, const struct stop *stop,
                            int32_t *tour, int *has_tour, int *is_done, ucpo_error *err);

/* All of them. A known plan costs `upper`. Drafts in the convention of loading. */
struct bound {
    double cost; /* no plan costs less (within a millionth of a millionth); 0: nothing is known */
    int is_optimal;  /* `cost` is the least cost of all plans: that of the plan, or of `better` */
    int has_better;  /* a cheaper plan came out: */
    int32_t *better; /* n - 1 customers, given by the caller */
};

ucpo_status bound_compute(const ucpo_instance *inst, double upper, const struct stop *stop,
                          struct bound *bound, ucpo_error *err);

/* Everything there is, of at most BOUND_EXACT customers. */
struct bound_exact {
    int is_known;    /* 0: there are too many customers */
    int is_feasible; /* 0: no plan is */
    double cost;     /* of the best one: a sum of routes' sums, an ulp or two beside ucpo_check's */
    int32_t plan[2 * BOUND_EXACT];
    size_t len;
};

/* The instance in its own direction: no need to turn ships round. */
ucpo_status bound_exact(const ucpo_instance *inst, struct bound_exact *out, ucpo_error *err);

#endif
