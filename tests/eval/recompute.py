#!/usr/bin/env python3
"""Recomputes every number of `ucpo eval --format json` from the instances and the exported plans.

recompute.py UCPO MAKE_MODEL. Plain Python; shares nothing with the library. Costs, feasibility and
violations come from the problem definitions in docs/formats.md, the summary from section E.3 of
the evaluation protocol as docs/eval.md tells it.
"""
import json
import math
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from problems import problems  # noqa: E402

UCPO, MAKE_MODEL = (os.path.abspath(path) for path in sys.argv[1:3])


def call(*arguments, expect=0):
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == expect, (arguments, done.returncode, done.stderr)
    return done.stdout


def close(found, expected, what):
    if expected is None or found is None:
        assert found is None and expected is None, (what, found, expected)
        return
    bound = 1e-9 * max(1.0, abs(expected))
    assert abs(found - expected) <= bound, (what, found, expected)


# ---- one plan ----

def leg(inst, a, b):
    (xa, ya), (xb, yb) = inst["coordinates"][a], inst["coordinates"][b]
    return math.hypot(xa - xb, ya - yb)


def judge_times(inst, route):
    """Excess over the tolerance of every late stop of a route, the return included."""
    windows, tolerance = inst["time_windows"], inst["tolerance"]
    service = inst.get("service", [0.0] * inst["n"])
    time, at, late = windows[0][0], 0, []
    for node in route:
        time = max(time + leg(inst, at, node), windows[node][0])
        late.append(time - windows[node][1] - tolerance)
        time += service[node]
        at = node
    late.append(time + leg(inst, at, 0) - windows[0][1] - tolerance)
    return [x for x in late if x > 0]


def judge_drafts(inst, route):
    total, load, over = sum(inst["demand"]), 0, []
    for node in route:
        if inst["draft"] == "load":
            load += inst["demand"][node]
            draft = load
        else:
            draft = total - load
            load += inst["demand"][node]
        over.append(draft - inst["draft_limit"][node])
    over.append(total - inst["draft_limit"][0])
    return [x / total for x in over if x > 0]


def judge_capacity(inst, route):
    load, over = 0, []
    for node in route:
        load += inst["demand"][node]
        over.append(min(load - inst["capacity"], inst["demand"][node]))
    return [x / inst["capacity"] for x in over if x > 0]


def judge(inst, routes):
    """Cost and violation of a plan; the violation is 0 for a feasible one."""
    assert sorted(sum(routes, [])) == list(range(1, inst["n"])), routes
    cost, violation = 0.0, 0.0
    for route in routes:
        stops = [0] + route + [0]
        cost += sum(leg(inst, a, b) for a, b in zip(stops, stops[1:]))
        excess = []
        if "time_windows" in inst:
            excess += [x / inst["unit"] for x in judge_times(inst, route)]
        if "draft_limit" in inst:
            excess += judge_drafts(inst, route)
        if "capacity" in inst:
            excess += judge_capacity(inst, route)
        violation += sum(excess) + len(excess)
    fleet = inst.get("vehicles", 0 if "capacity" in inst else 1)
    if fleet:
        violation += max(0, len(routes) - fleet)
    return cost, violation


# ---- a set ----

def mean(values):
    return sum(values) / len(values) if values else None


def ratio_gap(ours, theirs):
    return None if ours is None or theirs is None else 100 * (ours / theirs - 1)


def check_summary(row, reference, common):
    records = row["records"]
    solved = [i for i, r in enumerate(records) if r["is_feasible"]]
    objective = [r["objective"] for r in records]
    first = [r["first_objective"] for r in records if r["first_is_feasible"]]
    candidates = sum(r["candidates"] for r in records)
    feasible = sum(r["feasible"] for r in records)
    expected = {
        "instances": len(records),
        "feasible_instances": len(solved),
        "candidates": candidates,
        "feasible_candidates": feasible,
        "disputed": 0,
        "tolerated": sum(r["within_tolerance"] for r in records),
        "late_max": max([records[i]["late_max"] for i in solved], default=0),
        "over_max": max([records[i]["over_max"] for i in solved], default=0),
        "infeasible_instances": 1 - len(solved) / len(records),
        "infeasible_solutions": 1 - feasible / candidates,
        "mean_objective": mean([objective[i] for i in solved]),
        "mean_cost": mean([records[i]["cost"] for i in solved]),
        "first_infeasible": 1 - len(first) / len(records),
        "first_objective": mean(first),
        "mean_reference": mean(reference),
        "gap_mean": mean([100 * (objective[i] - reference[i]) / reference[i] for i in solved]),
        "gap_ratio": ratio_gap(mean([objective[i] for i in solved]), mean(reference)),
        "common": len(common),
        "common_objective": mean([objective[i] for i in common]),
        "gap_common": ratio_gap(mean([objective[i] for i in common]),
                                mean([reference[i] for i in common])),
    }
    for key, value in expected.items():
        close(row[key], value, key)
    assert row["partial"] is False
    assert set(row) == set(expected) | {"model", "mask", "refine", "cpu_seconds", "seconds", "records",
                                        "partial"}


def check_records(row, instances, plans, reference):
    for inst, plan, record, cost in zip(instances, plans, row["records"], reference):
        routes = [route["nodes"] for route in plan["routes"]]
        found, violation = judge(inst, routes)
        close(record["cost"], found, "cost")
        close(record["objective"], found / inst["unit"], "objective")
        close(record["violation"], violation, "violation")
        close(record["reference"], cost, "reference")
        assert record["is_feasible"] == (violation == 0), record
        assert (record["feasible"] > 0) == record["is_feasible"]
        assert 0 <= record["best"] < record["candidates"]
        if record["feasible"]:
            assert record["objective"] <= record["mean_objective"] * (1 + 1e-12)
        if record["first_is_feasible"]:
            assert record["objective"] <= record["first_objective"] * (1 + 1e-12)


def run_set(problem, size, decoding, seed, draft=None, instance_units=False):
    """One set, two models; returns how many instances were solved."""
    call(UCPO, "generate", problem, "-n", str(size), "--count", "12", "--seed", str(seed), "-o",
         "set.json")
    with open("set.json", encoding="utf-8") as file:
        data = json.load(file)
    if draft:
        for inst in data["instances"]:
            inst["draft"] = draft
        with open("set.json", "w", encoding="utf-8") as file:
            json.dump(data, file)
    instances = data["instances"]
    rng = random.Random(seed)
    reference = [rng.uniform(1, 3) for _ in instances]
    units = [inst["unit"] if instance_units else 1 for inst in instances]
    with open("costs.csv", "w", encoding="utf-8") as file:
        file.write("name,cost\n")
        file.writelines(f"i{i},{r * u!r}\n" for i, (r, u) in enumerate(zip(reference, units)))
    common = [UCPO, "eval", "--set", "set.json", "-r", "costs.csv", "-f", "json", "-q",
              "--reference-units", "instance" if instance_units else "normalised", *decoding]

    rows = []
    for name in "ab":
        call(MAKE_MODEL, problem, str(ord(name)), f"{name}.safetensors", "pip")
        report = json.loads(call(*common, f"{name}.safetensors", "--plans", "plans.json"))
        assert report["schema"] == "ucpo.eval/1" and report["problem"] == problem
        with open("plans.json", encoding="utf-8") as file:
            plans = json.load(file)["solutions"]
        row = report["models"][0]
        assert len(plans) == len(row["records"]) == len(instances)
        assert row["mask"] == "pip"
        check_records(row, instances, plans, reference)
        check_summary(row, reference,
                      [i for i, r in enumerate(row["records"]) if r["is_feasible"]])
        rows.append(row)

    both = json.loads(call(*common, "a.safetensors", "b.safetensors"))["models"]
    shared = [i for i in range(len(instances))
              if all(row["records"][i]["is_feasible"] for row in rows)]
    for row, alone in zip(both, rows):
        assert row["records"] == alone["records"]
        check_summary(row, reference, shared)
    return sum(row["feasible_instances"] for row in rows)


def main():
    solved = {}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for problem, _ in problems(UCPO):
            solved[problem] = run_set(problem, 7, ["-k", "5", "-a", "4"], 3)
            solved[problem] += run_set(problem, 6, ["--greedy"], 4, instance_units=True)
            solved[problem] += run_set(problem, 10, ["--temperature", "2", "-k", "3"], 5)
        solved["unload"] = run_set("tspdl", 7, [], 6, draft="unload")
    assert all(solved.values()), solved
    print("solved:", solved)


main()
