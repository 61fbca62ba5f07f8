/* Random small instances, each solved by trying every plan, against what the library says about it. Drawing and
 * trying know the definitions (ucpo.h, sections 3, 4 and 8) and none of the library's code. */
#ifndef UCPO_TEST_ENUMERATE_H
#define UCPO_TEST_ENUMERATE_H

#include <stddef.h>
#include <stdint.h>

enum { SMALL_CUSTOMERS = 9, SMALL_NODES = SMALL_CUSTOMERS + 1, SMALL_PLAN = 2 * SMALL_NODES };

/* ---- instances (enumerate_draw.c) ---- */

struct small {
    const char *problem;
    int n; /* with the depot */
    int has_xy, has_cost, has_duration, has_windows, has_service, has_setup, has_loads, has_limits;
    int is_unloading, is_rounded; /* coordinates: to the nearest whole number */
    double x[SMALL_NODES], y[SMALL_NODES];
    double cost[SMALL_NODES * SMALL_NODES],
        duration[SMALL_NODES * SMALL_NODES]; /* HUGE_VAL: no way */
    double ready[SMALL_NODES], due[SMALL_NODES], service[SMALL_NODES], setup[SMALL_NODES];
    int32_t place[SMALL_NODES]; /* setups are paid once in a row */
    double demand[SMALL_NODES], limit[SMALL_NODES];
    double capacity, speed, tolerance; /* tolerance below 0: the library's own */
    int vehicles;                      /* 0: any number */
};

/* Numbers from a seed: the same everywhere. */
struct draws {
    uint64_t state;
};

struct draws draws_at(uint64_t seed, uint64_t index);
int draw_below(struct draws *d, int bound);
double draw_between(struct draws *d, double low, double high);

/* Instance `index` of a seed. */
void small_draw(struct small *s, struct draws *d);

/* A plan of everybody in any order, with or without cuts; returns its length. */
size_t small_draw_plan(const struct small *s, struct draws *d, int32_t *plan);

/* ---- every plan there is (enumerate_reference.c) ---- */

/* An instance as the definition needs it: legs, and tolerances as the library says that they are granted. */
struct rules {
    const struct small *s;
    double cost[SMALL_NODES][SMALL_NODES], time[SMALL_NODES][SMALL_NODES];
    int is_blocked[SMALL_NODES][SMALL_NODES];
    double tolerance, load_tolerance, total;
    int fleet; /* 0: any number */
};

/* `speed` and rounding applied; returns 0 if s does not say how long legs are. */
void rules_of(struct rules *r, const struct small *s, double tolerance);

struct verdict {
    int is_feasible;
    double cost;
};

/* Of one plan, everybody once or not. */
struct verdict rules_judge(const struct rules *r, const int32_t *plan, size_t len);

struct answer {
    int is_feasible;
    double best, worst; /* costs of feasible plans */
    double second;      /* the least that is not the best; HUGE_VAL: they all cost the same */
    long plans;         /* feasible ones */
    int32_t plan[SMALL_PLAN], bad[SMALL_PLAN]; /* the best, and the dearest */
    size_t len, bad_len;
};

void rules_try_all(const struct rules *r, struct answer *a);

#endif
