"""A second verifier of plans, written from the problem definitions in docs/formats.md and ucpo.h alone.

It shares nothing with the C code: instances are read from the JSON format, plans are lists of node
numbers with 0 between routes. Everything is float64, added in the order of the visits.
"""

import math


def leg_rounding(length, rule):
    if rule == "nearest":
        return math.floor(length + 0.5)
    if rule == "up":
        return math.ceil(length)
    if rule == "down":
        return math.floor(length)
    if rule == "dimacs":
        return math.floor(10.0 * length) / 10.0
    if rule == "exact":
        return math.floor(1000.0 * length + 0.5)
    return length


def leg_length(a, b, metric, rule):
    dx, dy = abs(a[0] - b[0]), abs(a[1] - b[1])
    if metric == "manhattan":
        return leg_rounding(dx + dy, rule)
    if metric == "maximum":
        return leg_rounding(max(dx, dy), rule)
    if metric == "att":
        exact = math.sqrt((dx * dx + dy * dy) / 10.0)
        nearest = math.floor(exact + 0.5)
        return nearest + 1.0 if nearest < exact else nearest
    assert metric == "euclid", metric
    return leg_rounding(math.sqrt(dx * dx + dy * dy), rule)


class Instance:
    def __init__(self, data):
        self.problem = data["problem"]
        n = self.n = data["n"]
        if "cost" in data:
            self.cost = data["cost"]
        else:
            points, metric = data["coordinates"], data.get("metric", "euclid")
            rule = data.get("rounding", "none")
            self.cost = [[leg_length(a, b, metric, rule) for b in points] for a in points]
        self.time = data.get("duration") or self.cost
        windows = data.get("time_windows")
        self.ready = [float(w[0]) for w in windows] if windows else None
        self.due = [math.inf if w[1] is None else float(w[1]) for w in windows] if windows else None
        service = data.get("service", 0)
        self.service = [0.0] + [service] * (n - 1) if not isinstance(service, list) else service
        self.demand = data.get("demand")
        self.limit = data.get("draft_limit")
        self.draft = data.get("draft")
        self.capacity = data.get("capacity")
        self.vehicles = data.get("vehicles", 0) if self.capacity else 1
        self.tolerance = data["tolerance"]
        loads = [x for x in (self.demand or []) + (self.limit or []) + [self.capacity or 0]]
        self.total = 0.0
        for amount in (self.demand or [0])[1:]:
            self.total += amount
        is_whole = all(x == math.floor(x) for x in loads)
        largest = max(self.capacity or 0.0, self.total)
        self.load_tolerance = 0.0 if is_whole else min(1e-9 * largest, 1e-6)


class Verdict:
    """What is wrong with a plan, as counts, and its cost."""

    # largest: the largest excess over any limit, tolerated or not
    __slots__ = ("cost", "routes", "late", "late_sum", "over", "over_sum", "vehicles", "missing",
                 "repeated", "unknown", "largest")

    def __init__(self):
        self.cost = self.late_sum = self.over_sum = self.largest = 0.0
        self.routes = self.late = self.over = self.vehicles = 0
        self.missing = self.repeated = self.unknown = 0

    def is_feasible(self):
        return not (self.late or self.over or self.vehicles or self.missing or self.repeated or
                    self.unknown)

    def counts(self):
        return (self.late, self.over, self.vehicles, self.missing, self.repeated, self.unknown)


def judge(inst, plan):
    v = Verdict()
    n, cost, time = inst.n, inst.cost, inst.time
    seen = bytearray(n)
    ready, due, demand, limit = inst.ready, inst.due, inst.demand, inst.limit
    at, clock, load, under_way = 0, 0.0, 0.0, False

    def is_late(moment, node):
        excess = moment - due[node]
        v.largest = max(v.largest, excess)
        if excess > inst.tolerance:
            v.late += 1
            v.late_sum += excess

    def is_over(excess, raw):
        v.largest = max(v.largest, raw)
        if excess > inst.load_tolerance:
            v.over += 1
            v.over_sum += excess

    def go_home():
        nonlocal under_way, at
        if not under_way:
            return
        v.cost += cost[at][0] if at else 0.0
        if due:
            is_late(clock + (time[at][0] if at else 0.0), 0)
        if limit:  # the depot sees the whole cargo, coming home loaded or leaving full
            is_over(inst.total - limit[0], inst.total - limit[0])
        under_way, at = False, 0

    for node in plan:
        if node == 0:
            go_home()
            continue
        if not 0 < node < n:
            v.unknown += 1
            continue
        if not under_way:
            under_way, at, load = True, 0, 0.0
            clock = ready[0] if ready else 0.0
            v.routes += 1
        same = at == node  # staying costs nothing
        v.cost += 0.0 if same else cost[at][node]
        arrive = clock + (0.0 if same else time[at][node])
        at = node
        start = arrive
        if due:
            start = max(arrive, ready[node])
            is_late(start, node)
        clock = start + inst.service[node]
        taken = demand[node] if demand and not seen[node] else 0.0
        if limit:
            draft = load + taken if inst.draft == "load" else inst.total - load
            is_over(draft - limit[node], draft - limit[node])
            load += taken
        elif demand:
            load += taken
            is_over(min(load - inst.capacity, taken), load - inst.capacity)
        v.repeated += seen[node]
        seen[node] = 1
    go_home()
    v.missing = n - 1 - sum(seen)
    if inst.vehicles:
        v.vehicles = max(0, v.routes - inst.vehicles)
    return v
