#!/usr/bin/env python3
"""Judges random plans with ucpo and with checker.py and counts the disputes.

usage: disputes.py UCPO [--plans N] [--seed S] [--keep DIR]

Instances are of every problem, from the generators (all levels) and odd ones of our own: matrices that
are not symmetric, travel times of their own, service times, open windows, fractional loads, every
rounding, both draft conventions, tolerances from 0 to the cap. Plans come from 'ucpo solve' and 'ucpo
eval' and from mutations of those: swaps, moves, reversals, cut and joined routes, customers dropped,
doubled or unknown, random orders. The verdicts of solve, eval and check on each plan are compared with
the second opinion: feasible or not, every count, cost and lateness. Exit status 1 if any differs.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from checker import Instance, judge  # noqa: E402
from problems import example, problems  # noqa: E402

COPIES = 60  # plans per instance
BATCH = 50   # instances per batch, at most


def run(*words, **more):
    done = subprocess.run(words, capture_output=True, text=True, **more)
    if done.returncode not in (0, 3, 4):
        sys.exit("%s\nexit status %d: %s" % (" ".join(words), done.returncode, done.stderr))
    return done


# ---- instances ----

def generate(ucpo, folder, rng, count, problem, level):
    size = rng.choice([4, 6, 9, 14, 20])
    run(ucpo, "generate", problem, "-n", str(size), "--count", str(count), "-s", str(rng.randrange(1 << 30)),
        "-l", level, "-q", "--to", "json", "-o", folder + "/set.json")
    with open(folder + "/set.json") as file:
        return json.load(file)["instances"]


def number(rng, low, high, whole):
    return rng.randint(int(low), int(high)) if whole else round(rng.uniform(low, high), 3)


def odd(rng, keys):
    """`keys`: by problem, those that its instances have."""
    problem = rng.choice(list(keys))
    has = keys[problem]
    n = rng.randint(3, 12)
    whole = rng.random() < 0.5
    data = {"schema": "ucpo.instance/1", "problem": problem, "name": "odd", "n": n}
    points = [[number(rng, 0, 100, whole), number(rng, 0, 100, whole)] for _ in range(n)]
    kind = rng.randrange(3)
    if kind < 2:
        data["coordinates"] = points
        data["metric"] = rng.choice(["euclid", "euclid", "manhattan", "maximum", "att"])
        data["rounding"] = rng.choice(["none", "nearest", "up", "down", "dimacs", "exact"])
    scale = 1000 if data.get("rounding") == "exact" and data["metric"] != "att" else 1
    if kind > 0:
        data["cost"] = [[number(rng, 1, 120, whole) for _ in range(n)] for _ in range(n)]
        scale = 1
    if rng.random() < 0.3:
        data["duration"] = [[number(rng, 1, 120, whole) for _ in range(n)] for _ in range(n)]
        scale = 1
    if "time_windows" in has:
        horizon = 60.0 * n * scale * rng.choice([0.3, 1.0, 3.0])
        windows = []
        for node in range(n):
            ready = number(rng, 0, 0 if node == 0 else horizon, whole)
            due = None if rng.random() < 0.1 else ready + number(rng, 0, horizon, whole)
            windows.append([ready, due])
        data["time_windows"] = windows
        if rng.random() < 0.5:
            data["service"] = [0] + [number(rng, 0, 20, whole) for _ in range(n - 1)]
    if "draft_limit" in has:
        whole_loads = rng.random() < 0.6
        data["demand"] = [0] + [number(rng, 0, 5, whole_loads) for _ in range(n - 1)]
        data["draft_limit"] = [number(rng, 0, 5 * n, whole_loads) for _ in range(n)]
        data["draft"] = rng.choice(["load", "unload"])
    if "capacity" in has:
        whole_loads = rng.random() < 0.6
        data["demand"] = [0] + [number(rng, 0, 9, whole_loads) for _ in range(n - 1)]
        data["capacity"] = number(rng, 5, 25, whole_loads)
    if "vehicles" in has:
        data["vehicles"] = rng.randint(1, n)
    data["tolerance"] = rng.choice([0, 0, 1e-6, 2e-4])
    return data


# ---- plans ----

def routes_of(plan):
    routes, route = [], []
    for node in plan + [0]:
        if node:
            route.append(node)
        elif route:
            routes.append(route)
            route = []
    return routes


def join(routes):
    plan = []
    for route in routes:
        plan += route + [0]
    return plan


def mutate(rng, plan, n, is_tour):
    plan = list(plan)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        kind = rng.randrange(10)
        if not plan:
            plan = [rng.randint(1, n - 1)]
        i, j = rng.randrange(len(plan)), rng.randrange(len(plan))
        if kind < 3:
            plan[i], plan[j] = plan[j], plan[i]
        elif kind == 3:
            plan.insert(j, plan.pop(i))
        elif kind == 4:
            i, j = min(i, j), max(i, j)
            plan[i:j + 1] = plan[i:j + 1][::-1]
        elif kind == 5 and not is_tour:
            plan.insert(i, 0)
        elif kind == 6 and not is_tour:
            zeros = [k for k, node in enumerate(plan) if node == 0]
            if zeros:
                plan.pop(rng.choice(zeros))
        elif kind == 7:
            plan.pop(i)
        elif kind == 8:
            plan.insert(i, plan[j])
        elif rng.random() < 0.3:
            plan.insert(i, rng.choice([n, n + 7, -3, 0]))
        elif rng.random() < 0.5:
            rng.shuffle(plan)
    return plan


# ---- verdicts of ucpo ----

WORDS = [(re.compile(p), k) for k, p in enumerate(
    [r"late (\S+) in all at (\d+) stop", r"over (\S+) in all at (\d+) stop",
     r"()(\d+) vehicles? too many", r"()(\d+) customers? missing",
     r"()(\d+) (?:customer visited twice|repeated visits)", r"()(\d+) unknown node"])]


def parse_rows(text):
    """index -> (counts, cost text, late, over) from the table of 'ucpo check -v'."""
    rows = {}
    for line in text.split("\n\n")[0].splitlines()[1:]:
        cells = re.split(r"\s{2,}", line.strip(), maxsplit=6)
        counts, late, over = [0] * 6, 0.0, 0.0
        for pattern, k in WORDS if len(cells) > 6 else []:
            found = pattern.search(cells[6])
            if not found:
                continue
            counts[k] = int(found.group(2))
            if k == 0:
                late = float(found.group(1))
            if k == 1:
                over = float(found.group(1))
        rows[int(cells[0])] = (tuple(counts), cells[4], late, over, cells[5])
    return rows


def near(a, b, digits=6):
    return abs(a - b) <= 10.0 ** -digits * max(1.0, abs(a), abs(b))


class Referee:
    def __init__(self, keep):
        self.judged = self.feasible = self.disputes = 0
        self.by = {}
        self.keep = keep

    def compare(self, who, data, inst, plan, is_feasible, cost, printed=0.0, more=None):
        """printed: how far a number on the screen may be rounded."""
        v = judge(inst, plan)
        self.judged += 1
        self.by[who] = self.by.get(who, 0) + 1
        self.feasible += v.is_feasible()
        is_same = v.is_feasible() == is_feasible
        is_same = is_same and abs(v.cost - cost) <= printed + 1e-9 * max(1.0, abs(cost))
        if is_same and (more is None or more(v)):
            return
        self.disputes += 1
        text = json.dumps({"who": who, "plan": plan, "ucpo": [is_feasible, cost],
                           "second": [v.is_feasible(), v.cost, v.counts(), v.late_sum, v.over_sum],
                           "instance": data})
        if self.disputes <= 5:
            print("DISPUTE", text[:2000])
        if self.keep:
            with open("%s/dispute%d.json" % (self.keep, self.disputes), "w") as file:
                file.write(text)


def batch(ucpo, rng, folder, referee, source, keys, count):
    data = generate(ucpo, folder, rng, count, *source) if source else [odd(rng, keys) for _ in range(count)]
    if not source and rng.random() < 0.9:  # a set of one problem, so that eval takes it
        data = [d for d in data if d["problem"] == data[0]["problem"]]
    insts = [Instance(d) for d in data]
    path = folder + "/set.json"
    with open(path, "w") as file:
        json.dump({"schema": "ucpo.dataset/1", "instances": data}, file)
    solved = json.loads(run(ucpo, "solve", path, "-m", "none", "-q", "-f", "json", "-o", "-",
                            "--explain", "never", "--threads", "1", "--samples", "1").stdout)
    base = []
    for d, inst, s in zip(data, insts, solved.get("solutions", [solved])):
        plan = join([route["nodes"] for route in s["routes"]])
        base.append([plan])
        referee.compare("solve", d, inst, plan, s["status"] == "feasible", s["cost"])
    if len({d["problem"] for d in data}) == 1:
        report = json.loads(run(ucpo, "eval", "none", "--set", path, "-q", "-f", "json", "--plans",
                                folder + "/plans.json", "-j", "1").stdout)
        with open(folder + "/plans.json") as file:
            plans = json.load(file)
        records = report["models"][0]["records"]
        for d, inst, s, r, known in zip(data, insts, plans.get("solutions", [plans]), records, base):
            plan = join([route["nodes"] for route in s["routes"]])
            known.append(plan)
            referee.compare("eval", d, inst, plan, r["is_feasible"], r["cost"])
    many, plans, which = [], [], []
    for k, (d, inst) in enumerate(zip(data, insts)):
        text = json.dumps(d)
        for _ in range(COPIES):
            plan = mutate(rng, rng.choice(base[k]), inst.n, inst.vehicles == 1)
            many.append(text)
            plans.append(plan or [0])
            which.append(k)
    with open(path, "w") as file:
        file.write('{"schema": "ucpo.dataset/1", "instances": [%s]}' % ",\n".join(many))
    with open(folder + "/plans.txt", "w") as file:
        file.write("\n".join(" ".join(map(str, plan)) for plan in plans) + "\n")
    rows = parse_rows(run(ucpo, "check", path, folder + "/plans.txt", "-v", "--plan-format",
                          "list").stdout)
    for i, k in enumerate(which):
        counts, cost, late, over, word = rows[i]
        is_feasible = word in ("yes", "within tolerance")
        if word == "placeholder":
            continue
        referee.compare("check", data[k], insts[k], plans[i], is_feasible, float(cost),
                        5.1e-4, lambda v: v.counts() == counts and near(v.late_sum, late, 5) and
                        near(v.over_sum, over, 5) and
                        (word == "within tolerance") == (is_feasible and v.largest > 0))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ucpo")
    parser.add_argument("--plans", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep")
    options = parser.parse_args()
    ucpo = os.path.abspath(options.ucpo)
    rng = random.Random(options.seed)
    referee = Referee(options.keep)
    sources = [(name, level) for name, levels in problems(ucpo) for level in levels] + [None] * 5
    keys = {name: set(example(ucpo, name)) for name, _ in problems(ucpo)}
    count = max(2, min(BATCH, options.plans // (COPIES * len(sources))))  # so that each has its turn
    with tempfile.TemporaryDirectory() as folder:
        turn = 0
        while referee.judged < options.plans:
            batch(ucpo, rng, folder, referee, sources[turn % len(sources)], keys, count)
            turn += 1
    print("%d plans judged (%s), %d feasible, %d disputes" % (
        referee.judged, ", ".join("%s %d" % pair for pair in sorted(referee.by.items())),
        referee.feasible, referee.disputes))
    sys.exit(1 if referee.disputes else 0)


if __name__ == "__main__":
    main()
