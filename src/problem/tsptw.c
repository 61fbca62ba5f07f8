#include "problem/problem.h"
const struct prob_ops prob_tsptw = {
    .info = {"tsptw", "travelling salesman with time windows", "medium easy hard", 0},
    .needs = PROB_WINDOWS,
    .max_vehicles = 1,
};
