#include "problem/problem.h"
const struct prob_ops prob_tspdl = {
    .info = {"tspdl", "travelling salesman with draft limits", "medium easy hard", 0},
    .needs = PROB_DEMAND | PROB_LIMIT,
    .max_vehicles = 1,
};
