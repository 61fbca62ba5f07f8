/* Moves of local search: what each would change, priced without walking the routes, and done.
 *
 *   relocate   u and the u_count - 1 after it go behind v in another route, maybe turned around
 *   swap       they and the v_count from v on change places, in two routes
 *   cross      the rest of a route behind u and that of another behind v change places (2-opt*)
 *   star       u and v change routes, each to the best place there (swap*): behind u_to and v_to,
 *              which are neither u nor v; u_to is in v's route
 *   shift      like relocate within a route (or-opt); v is not in the piece that moves
 *   exchange   u and v change places within a route, u before v
 *   turn       the piece from u to v is turned around (2-opt), u before v
 *
 * v, or u of a cross, may be the depot end of a route: the place in front of its first customer. */
#ifndef UCPO_REFINE_ROUTES_MOVE_H
#define UCPO_REFINE_ROUTES_MOVE_H

#include "refine/routes_fleet.h"

enum move_kind {
    MOVE_RELOCATE,
    MOVE_SWAP,
    MOVE_CROSS,
    MOVE_STAR,
    MOVE_SHIFT,
    MOVE_EXCHANGE,
    MOVE_TURN,
    MOVE_KINDS
};

struct move {
    enum move_kind kind;
    int32_t u, v, u_count, v_count;
    int is_turned;
    int32_t u_to, v_to;
    double delta; /* of fleet_value */
};

/* The change of fleet_value, or HUGE_VAL as soon as it is known not to be below `bound`. Moves within
 * a route take time for the stops between u and v; move_best_within extends them step by step. */
double move_price(const struct fleet *f, const struct move *m, double bound);

/* The best shift of u, or exchange or turn from u on, with a delta below m->delta goes into m; returns
 * the number of moves priced. */
int64_t move_best_within(const struct fleet *f, int32_t u, struct move *m);

/* The best star of two routes, likewise. */
int64_t move_best_star(const struct fleet *f, int32_t a, int32_t b, struct move *m);

void move_do(struct fleet *f, const struct move *m);

#endif
