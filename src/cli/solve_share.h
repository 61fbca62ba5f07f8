/* Solutions that several processes found, made known to all of them. */
#ifndef UCPO_CLI_SOLVE_SHARE_H
#define UCPO_CLI_SOLVE_SHARE_H

#include "cli/solve_report.h"

/* Whether this process solves item `number`: every comm->ranks-th. comm NULL: all. */
int solve_is_mine(const ucpo_comm *comm, size_t number);

/* Fills in the solutions of the others (items without one); an item that nobody solved, since they
 * were interrupted, stays without. `code` is how this process fared: a failure is passed on and makes
 * the call fail everywhere. `was_interrupted` becomes true if any process was. Returns the exit code. */
int solve_share(const ucpo_comm *comm, struct solved *items, size_t count, int code,
                int *was_interrupted);

#endif
