"""The optimum of a small symmetric TSPDL instance, by a dynamic program over subsets of its customers.

    tspdl_exact.py FILE

FILE is what `ucpo convert` writes as JSON, with a cost matrix; up to some 18 nodes. Prints the cost, or "none" if
no order keeps the limits. A tour that unloads is one that loads, driven backwards, and costs are the same both ways.
"""
import json
import math
import sys

with open(sys.argv[1]) as file:
    data = json.load(file)
cost, demand, limit = data["cost"], data["demand"], data["draft_limit"]
customers = range(1, data["n"])
if any(cost[i][j] != cost[j][i] for i in customers for j in customers):
    sys.exit("costs are not symmetric")

# cheapest[subset][last]: from the depot through the subset, ending at last
cheapest = [{} for _ in range(1 << len(customers))]
for i in customers:
    if demand[i] <= limit[i]:
        cheapest[1 << i - 1][i] = cost[0][i]
for subset, ends in enumerate(cheapest):
    load = sum(demand[i] for i in customers if subset >> i - 1 & 1)
    for j in customers:
        if subset >> j - 1 & 1 or load + demand[j] > limit[j] or not ends:
            continue
        best = min(value + cost[i][j] for i, value in ends.items())
        onward = cheapest[subset | 1 << j - 1]
        onward[j] = min(best, onward.get(j, math.inf))
print(min((value + cost[i][0] for i, value in cheapest[-1].items()), default="none"))
