#include "problem/problem.h"
const struct prob_ops prob_cvrptw = {
    .info = {"cvrptw", "capacitated vehicle routing with time windows", "cvrp jampr", 1},
    .needs = PROB_WINDOWS | PROB_DEMAND | PROB_CAPACITY,
};
const struct prob_ops prob_cvrptwlv = {
    .info = {"cvrptwlv", "the same with a limited fleet", "cvrp", 1},
    .needs = PROB_WINDOWS | PROB_DEMAND | PROB_CAPACITY | PROB_FLEET,
};
