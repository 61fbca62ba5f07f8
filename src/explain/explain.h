/* Explaining: lower bounds that hold for every plan, and the proofs drawn from them.
 *
 * Everything here is a relaxation. A plan that ucpo_check accepts starts service at i no earlier than
 * earliest[i] and no later than latest[i], and needs at least way(i, j) from one to the other; a proof
 * is a contradiction between such statements. Rounding is on the plan's side: latest[] and the room
 * for loads contain the instance's tolerance and a margin for the different order of additions. */
#ifndef UCPO_EXPLAIN_EXPLAIN_H
#define UCPO_EXPLAIN_EXPLAIN_H

#include "problem/problem.h"

/* ---- findings (findings.c) ---- */

struct ucpo_explanation {
    ucpo_reason *items;
    size_t count, capacity;
    struct mem_pool kept; /* what the findings point to */
    struct mem_pool room; /* while the proofs work */
    ucpo_status status;   /* the first failure; findings after it are dropped */
    ucpo_error *err;
};

/* count * size zeroed bytes until the explanation is complete; NULL: the status says why. */
void *explain_room(ucpo_explanation *out, size_t count, size_t size);

enum { EXPLAIN_MOST = 20 }; /* findings of one kind */

struct numbers {
    double value, bound;
};

/* Adds a finding with excess = value - bound. */
void explain_add(ucpo_explanation *out, ucpo_reason_kind kind, const int32_t *customers,
                 size_t count, struct numbers numbers, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* Ascending; the customers of findings are lists for people. */
void explain_sort(int32_t *customers, size_t count);

/* "customers 1, 2 and 5", "customer 3", long lists cut: "customers 1, 2, 3, ... (40 in all)". */
enum { EXPLAIN_LIST = 160 };

const char *explain_list(char buf[EXPLAIN_LIST], const int32_t *customers, size_t count);

/* A time for people: 08:30 where the instance has a clock (with its date if it has one), else a number. */
struct said {
    char text[48];
};

struct said explain_time(const ucpo_instance *inst, double time);

/* ---- times (bounds.c) ---- */

/* Sizes up to which the costly parts run; see docs/explain.md. */
enum { EXPLAIN_PATHS_UP_TO = 300, EXPLAIN_TREES_UP_TO = 3000 };

struct bounds {
    const ucpo_instance *inst;
    const ucpo_instance_data *data;
    int32_t n, fleet;          /* fleet 0: unlimited */
    double margin;             /* what different orders of addition can make of a time */
    int is_narrowed;           /* windows follow from forced orders, not from the instance alone */
    int is_metric;             /* coordinates as they are: the straight way is the fastest */
    double *earliest, *latest; /* start of service */
    double *first_earliest, *first_latest; /* the same before forced orders narrowed them */
    double *home;                          /* from the end of service to the depot, at least */
    double *least_out, *least_in;          /* shortest leg to, from another customer */
    double least_service;
    double *paths; /* n x n fastest ways, or NULL above EXPLAIN_PATHS_UP_TO or if is_metric */
};

/* Finds the times of b->inst, whose other members are set; a failure goes into the report's status. */
void bounds_find(struct bounds *b, ucpo_explanation *report);

double bounds_service(const struct bounds *b, int32_t i);

/* Travel time of a leg; infinite where there is no way. */
double bounds_leg(const struct bounds *b, int32_t i, int32_t j);

/* At least this long from the end of service at i to the arrival at j, whatever lies between (not the
 * depot); infinite if there is no way. */
double bounds_way(const struct bounds *b, int32_t i, int32_t j);

/* Can i be served before j in one route? */
int bounds_may_precede(const struct bounds *b, int32_t i, int32_t j);

/* A latest start as people know it: without tolerance and margin. */
double bounds_plain(const struct bounds *b, double latest);

/* The `most` customers with the smallest high - low (low NULL: 0), ties by number; returns how many.
 * A failure goes into the report's status and gives 0. */
size_t bounds_rank(int32_t n, const double *low, const double *high, size_t most, int32_t *out,
                   ucpo_explanation *report);

/* ---- proofs; each adds findings, none if it has none ---- */

void prove_ways(const ucpo_instance *inst, ucpo_explanation *out); /* any problem */
void prove_reach(struct bounds *b, ucpo_explanation *out);
void prove_pairs(struct bounds *b, ucpo_explanation *out); /* one vehicle */
void prove_crowds(struct bounds *b, ucpo_explanation *out);
void prove_precedences(struct bounds *b, ucpo_explanation *out); /* one vehicle; tightens b */
void prove_sets(struct bounds *b, ucpo_explanation *out);
void prove_drafts(const ucpo_instance *inst, ucpo_explanation *out);
void prove_packing(const ucpo_instance *inst, ucpo_explanation *out);
void prove_apart(struct bounds *b, ucpo_explanation *out);
void prove_few(const ucpo_instance *inst, ucpo_explanation *out); /* any problem, 9 customers */

/* Room of a vehicle or port with all tolerances: what exceeds it is over for ucpo_check too. */
double load_room(const ucpo_instance *inst, double limit);

/* Demand that the capacity check sees: amounts within the tolerance do not count. */
double load_counted(const ucpo_instance *inst, int32_t i);
int32_t fleet_of(const ucpo_instance *inst);

/* ---- without a proof ---- */

void show_tight(const struct bounds *b, ucpo_explanation *out); /* b->inst always set */
void show_relaxations(const ucpo_instance *inst, const int32_t *plan, size_t len,
                      ucpo_explanation *out);

#endif
