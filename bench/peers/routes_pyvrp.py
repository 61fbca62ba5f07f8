"""Solves CVRP and CVRPTW instances with PyVRP: the peer of the search for fleets (bench_routes.c).

    routes_pyvrp.py FILE SECONDS [SEED]

FILE is what `ucpo generate` or `ucpo convert` writes as JSON: one instance or a set. One line per
instance goes to standard output: index, 1 if PyVRP calls the plan feasible, CPU seconds, then the plan
(customers, 0 between routes). Exit code 77: PyVRP is not installed (pip install pyvrp; 0.14 is known to work).

PyVRP wants whole numbers: lengths and times are multiplied by 1e6 / unit and rounded. The limit
is CPU time of this process, counted from the start of PyVRP's search.
"""
import json
import math
import sys
import time

try:
    import numpy as np
    import pyvrp
except ImportError:
    sys.exit(77)

FOREVER = 1 << 40


class CpuLimit:
    def __init__(self, seconds):
        self.seconds = seconds
        self.begin = None

    def __call__(self, best_cost):
        now = time.process_time()
        if self.begin is None:
            self.begin = now
        return now - self.begin > self.seconds


def lengths(inst):
    if "cost" in inst:
        cost = np.array(inst["cost"], dtype=float)
    else:
        at = np.array(inst["coordinates"], dtype=float)
        cost = np.sqrt(((at[:, None] - at[None]) ** 2).sum(-1))
        if inst.get("rounding", "none") == "dimacs":
            cost = np.floor(10 * cost) / 10
    times = np.array(inst["duration"], dtype=float) if "duration" in inst else cost
    np.fill_diagonal(cost, 0)
    np.fill_diagonal(times, 0)
    return cost, times


def problem_data(inst):
    n = len(inst["demand"])
    scale = 1e6 / inst["unit"]
    cost, times = lengths(inst)

    def whole(value):
        return FOREVER if value is None or math.isinf(value) else round(value * scale)

    service = inst.get("service", 0)
    service = service if isinstance(service, list) else [service] * n
    windows = inst.get("time_windows") or [[0, None]] * n  # CVRP has none
    clients = [
        pyvrp.Client(i, delivery=[round(inst["demand"][i])], service_duration=whole(service[i]),
                     tw_early=whole(windows[i][0]), tw_late=whole(windows[i][1]))
        for i in range(1, n)
    ]
    open_, close = whole(windows[0][0]), whole(windows[0][1])
    vehicles = pyvrp.VehicleType(inst.get("vehicles") or n - 1, [round(inst["capacity"])],
                                 tw_early=open_, tw_late=close)
    places = [pyvrp.Location(0, 0) for _ in range(n)]
    return pyvrp.ProblemData(places, clients, [pyvrp.Depot(0, open_, close)], [vehicles],
                             [np.rint(cost * scale).astype(np.int64)],
                             [np.rint(times * scale).astype(np.int64)])


def plan_of(solution):
    """Customers are numbered from 0 by PyVRP's clients, from 1 by ours."""
    nodes = []
    for route in solution.routes():
        if nodes:
            nodes.append(0)
        nodes += [visit.idx + 1 for visit in route if visit.is_client()]
    return nodes


def main():
    path, seconds = sys.argv[1], float(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    with open(path, encoding="utf-8") as file:
        data = json.load(file)
    for index, inst in enumerate(data.get("instances", [data])):
        begin = time.process_time()
        result = pyvrp.solve(problem_data(inst), CpuLimit(seconds), seed=seed, display=False,
                             collect_stats=False)
        used = time.process_time() - begin
        plan = plan_of(result.best)
        print(index, int(result.is_feasible()), f"{used:.3f}", *plan, flush=True)


if __name__ == "__main__":
    main()
