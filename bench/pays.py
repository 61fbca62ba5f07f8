#!/usr/bin/env python3
"""Does a policy pay? Plan of the policy + local search against rules + local search, at equal
processor time, for every set, size and time of the table in docs/results.md.

    bench/pays.py [--ucpo build/release/ucpo] [--models models] [--count 200] [--only tsptw50 ...] \
        [--csv FILE] [--svg FILE]
    bench/pays.py --from A.csv B.csv [--svg FILE]      table and picture of runs before

Times count everything an instance costs: decoding or rules, set-up, search. The search gets what is
left of it, found on some of the instances first. The two starts take turns, block by block of the
instances, so that what else the machine does meets both; each block makes up for what the ones before
took too much or too little. Published sets are taken from --first on; the others are generated with a
seed of their own. Gaps are means per instance, against reference costs in ../shared, else against the best
cost any run here found for that instance, over the instances both solved. One thread, one run after
the other. A cell is lost if decoding alone takes longer, or fewer instances are solved, or as many
with a larger gap.
"""
import argparse
import csv
import json
import math
import os
import re
import subprocess
import sys
import tempfile

TIMES = {50: (1, 2.5, 5, 10), 100: (3, 10, 30), 200: (30, 100, 300), 500: (30, 100, 300)}
LEVELS = {"tsptw": ("easy", "medium", "hard"), "tspdl": ("medium", "hard"), "cvrptw": ("cvrp",),
          "cvrptwlv": ("cvrp",)}
STEPS_BACK = {"tsptw": 50, "tspdl": 50}  # as in solve -t,
STEPS_BACK_NODES = 200  # up to this size
BLOCKS = 10  # of the instances of a cell, at most, and at least 4,
BLOCK_MS = 500  # of about so long at least: a process is slow at first
SHARED = "../shared/data/validation"


def run(args, more):
    """Rows of `ucpo eval`: decoded, and with --refine searched."""
    command = [args.ucpo, "eval"] + more + ["-q", "-f", "json", "-j", "1", "-g", "-a", "1"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode not in (0, 3):  # 3: some are not solved
        sys.exit(done.stderr)
    return json.loads(done.stdout)["models"]


def instances(args, problem, level, size, folder):
    """Name of a set, options that name it and its reference costs, the first to solve and how many."""
    name = f"{problem}{size}_{level}"
    published = problem in ("tsptw", "tspdl") and size <= 100
    count = max(16, args.count * 50 // size // (1 if size <= 100 else 2))
    if published:
        reference = f"{SHARED}/{name}_lkh_cost10000.npy"
        more = ["-r", reference] if os.path.exists(reference) else []
        return name, ["--preset", name] + more, args.first, count
    path = os.path.join(folder, name + ".npy")
    subprocess.run([args.ucpo, "generate", problem, "-n", str(size), "-l", level, "--count",
                    str(count), "--seed", "4711", "-o", path, "-q"], check=True)
    return name, ["--set", path], 0, count


class Start:
    """One of the two starts in a cell: what its search may take, and the records so far."""

    def __init__(self, args, model, which, size, total):
        problem = re.match("[a-z]+", os.path.basename(model)).group()
        steps = STEPS_BACK.get(problem) if size <= STEPS_BACK_NODES else None
        self.args, self.total = args, total
        self.options = [model] + which + (["--backtrack", str(steps)] if steps else [])
        self.left, self.records, self.spent = 0.0, [], 0.0

    def run(self, first, count):
        """Records of these instances, and the milliseconds each took."""
        more = ["--refine", f"{self.left:.3f}ms"] if self.left > 0.05 else []
        row = run(self.args, self.options + ["--first", str(first), "-c", str(count)] + more)[-1]
        return row["records"], 1e3 * row["cpu_seconds"]

    def calibrate(self, first, count):
        """The time without search, then the one beside it, on a block that is not kept."""
        self.run(first, count)  # the first run in a while is slow
        self.left = self.total - self.run(first, count)[1]
        self.left += self.total - self.run(first, count)[1]

    def go_on(self, first, count):
        """Another block, again if it was disturbed; the next one makes up for what is missing."""
        for _ in range(3):
            records, each = self.run(first, count)
            if abs(each - self.total) < 0.3 * self.total or self.left <= 0.05:
                break
        self.records += records
        self.spent += each * count
        missing = (self.total * len(self.records) - self.spent) / count
        beside, most = each - max(self.left, 0.0), 0.1 * self.total
        self.left = self.total - beside + max(-most, min(most, missing))

    def row(self):
        ms = self.spent / len(self.records)
        return {"records": self.records, "instances": len(self.records), "ms": ms,
                "is_slow": int(self.left <= 0.05 and ms > 1.1 * self.total)}


def solve(args, models, which, first, count, size, total):
    """Both starts of a cell in turns, block by block: whatever else the machine does meets both."""
    starts = [Start(args, model, which, size, total) for model in models]
    blocks = max(4, min(BLOCKS, int(count * total / BLOCK_MS)))
    size_of_block = -(-count // blocks)
    for start in starts:
        start.calibrate(first, size_of_block)
    for begin in range(0, count, size_of_block):
        block = min(size_of_block, count - begin)
        for start in starts if begin // size_of_block % 2 == 0 else starts[::-1]:
            start.go_on(first + begin, block)
    return [start.row() for start in starts]


def costs_of(row):
    return [r["objective"] if r["is_feasible"] else None for r in row["records"]]


def compare(rules, policy, reference):
    """Both starts of a cell: share of unsolved instances, mean gap over those both solved, and the
    standard error of the difference of gaps."""
    pairs = [(100 * (a / r - 1), 100 * (b / r - 1)) for a, b, r in zip(rules, policy, reference)
             if a is not None and b is not None]
    differences = [b - a for a, b in pairs]
    mean = sum(differences) / len(pairs) if pairs else float("nan")
    spread = sum((d - mean) ** 2 for d in differences)
    error = math.sqrt(spread / len(pairs) / max(len(pairs) - 1, 1)) if pairs else float("nan")
    return [{"start": start, "infeasible": 100 * costs.count(None) / len(costs), "error": error,
             "gap": sum(p[k] for p in pairs) / len(pairs) if pairs else float("nan")}
            for k, (start, costs) in enumerate((("rules", rules), ("policy", policy)))]


def measure_set(args, model, problem, level, size, folder):
    """All cells of a set."""
    name, which, first, count = instances(args, problem, level, size, folder)
    cells = [(total, solve(args, ("none", model), which, first, count, size, total))
             for total in TIMES[size]]
    reference = [r.get("reference") for r in cells[0][1][0]["records"]]
    if None in reference:
        found = zip(*(costs_of(row) for _, pair in cells for row in pair))
        reference = [min((c for c in costs if c is not None), default=None) for costs in found]
    rows = []
    for total, pair in cells:
        both = compare(*(costs_of(row) for row in pair), reference)
        for row, cell in zip(pair, both):
            rows.append({"set": name, "total": total, "count": row["instances"],
                         "ms": row["ms"], "is_slow": row["is_slow"], **cell})
        print_cell(rows[-2], rows[-1])
    return rows


def verdict(a, b):
    """At or below; by a third or more; beyond two standard errors. Decoding alone may take too long."""
    if b["is_slow"]:
        return False, False, True
    if a["infeasible"] != b["infeasible"]:
        shares = [x["infeasible"] / 100 for x in (a, b)]
        error = math.sqrt(sum(p * (1 - p) for p in shares) / a["count"])
        is_sure = abs(shares[0] - shares[1]) > 2 * error
        return shares[1] < shares[0], 3 * shares[1] <= 2 * shares[0], is_sure
    if math.isnan(a["gap"]):  # nobody solved anything
        return True, False, False
    is_sure = abs(b["gap"] - a["gap"]) > 2 * a["error"]
    is_third = a["gap"] > 5e-4 and 3 * b["gap"] <= 2 * a["gap"]
    return b["gap"] <= a["gap"] + 5e-4, is_third, is_sure


def mistimed(a, b):
    """Milliseconds of both, where they are more than 3 % from what was asked for."""
    is_off = any(abs(x["ms"] - x["total"]) > 0.03 * x["total"] for x in (a, b))
    return f" ({a['ms']:.3g} against {b['ms']:.3g} ms)" if is_off else ""


def print_cell(a, b):
    is_below, is_third, is_sure = verdict(a, b)
    ratio = f"{b['gap'] / a['gap']:.2f}" if a["gap"] > 0.005 else "-"
    word = "too slow" if b["is_slow"] else "above"
    if is_below:
        is_less = is_sure or a["infeasible"] != b["infeasible"] or b["gap"] < a["gap"] - 5e-4
        word = "a third" if is_third else "below" if is_less else "equal"
    print(f"| {a['set']} | {a['total']:g} | {a['infeasible']:.2f}, {a['gap']:.3f} | "
          f"{b['infeasible']:.2f}, {b['gap']:.3f} | {a['error']:.3f} | {ratio} | "
          f"{word}{'' if is_sure or word == 'equal' else ' ?'}{mistimed(a, b)} |", flush=True)


def print_sum(rows):
    """How many cells of each problem, and of all."""
    pairs = list(zip(rows[::2], rows[1::2]))
    for problem in [*LEVELS, ""]:
        of = [verdict(a, b) for a, b in pairs if re.match("[a-z]*", a["set"]).group() == problem or not problem]
        if of:
            print(f"{problem or 'all'}: {len(of)} cells, at or below in {sum(v[0] for v in of)}, by a third or "
                  f"more in {sum(v[0] and v[1] for v in of)}; above by more than two standard errors in "
                  f"{sum(not v[0] and v[2] for v in of)}, below by more than that in {sum(v[0] and v[2] for v in of)} "
                  f"({sum(all(v) for v in of)} by a third)")


def svg(rows, path):
    """One panel a set: gap (square-root scale) over time (log scale), two lines."""
    rows = [r for r in rows if not math.isnan(r["gap"])]  # nothing was solved
    sets = sorted({r["set"] for r in rows}, key=[r["set"] for r in rows].index)
    columns, width, height = 4, 230, 170
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{columns * width}" '
             f'height="{height * ((len(sets) + columns - 1) // columns) + 24}" '
             'font-family="sans-serif" font-size="11">',
             '<text x="8" y="14" fill="#b33">rules + local search</text>',
             '<text x="130" y="14" fill="#06c">small policy + local search</text>',
             '<text x="300" y="14" fill="#555">gap % over processor ms an instance</text>']
    for k, name in enumerate(sets):
        x0, y0 = k % columns * width + 34, k // columns * height + 40
        w, h = width - 50, height - 46
        of = [r for r in rows if r["set"] == name]
        most = max(max(r["gap"], 1e-3) for r in of)
        times = sorted({r["total"] for r in of})
        span = math.log(times[-1] / times[0]) or 1
        lines.append(f'<text x="{x0}" y="{y0 - 6}">{name}</text>'
                     f'<rect x="{x0}" y="{y0}" width="{w}" height="{h}" fill="none" stroke="#ccc"/>'
                     f'<text x="{x0 - 4}" y="{y0 + 9}" text-anchor="end">{most:.2g}</text>'
                     f'<text x="{x0 - 4}" y="{y0 + h}" text-anchor="end">0</text>')
        for t in times:
            x = x0 + w * math.log(t / times[0]) / span
            lines.append(f'<text x="{x:.0f}" y="{y0 + h + 13}" text-anchor="middle">{t:g}</text>')
        for start, colour in (("rules", "#b33"), ("policy", "#06c")):
            points = [(x0 + w * math.log(r["total"] / times[0]) / span,
                       y0 + h - h * math.sqrt(max(r["gap"], 0) / most)) for r in of
                      if r["start"] == start]
            lines.append('<polyline fill="none" stroke-width="2" stroke="%s" points="%s"/>' % (
                colour, " ".join(f"{x:.1f},{y:.1f}" for x, y in points)))
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n</svg>\n")


def read_rows(paths):
    rows = []
    for path in paths:
        with open(path, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                row = {k: v if k in ("set", "start") else float(v) for k, v in row.items()}
                rows.append({"is_slow": 0.0, **row})
    return rows


def measure(args):
    rows, folder = [], tempfile.mkdtemp()
    for problem, levels in LEVELS.items():
        model = os.path.join(args.models, problem + ".safetensors")
        if not os.path.exists(model):
            print(f"no {model}: {problem} left out", file=sys.stderr)
            continue
        for size, level in ((s, x) for s in TIMES for x in levels):
            if any(re.match(word + r"(?!(?<=\d)\d)", f"{problem}{size}_{level}") for word in args.only):
                rows += measure_set(args, model, problem, level, size, folder)
    if not rows:
        words = " or ".join(args.only)
        sys.exit(f"nothing to measure: no model in {args.models}, or no set begins with {words}")
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ucpo", default="build/release/ucpo")
    parser.add_argument("--models", default="models")
    parser.add_argument("--count", type=int, default=200, help="instances of 50 nodes; fewer of more")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", nargs="+", default=[""], help="sets whose name begins with one of these")
    parser.add_argument("--from", nargs="+", dest="files", help="results of runs before instead of measuring")
    parser.add_argument("--csv")
    parser.add_argument("--svg")
    args = parser.parse_args()
    print("| set | ms | rules: infeasible %, gap % | policy: infeasible %, gap % | standard error | "
          "policy / rules | policy is |")
    print("|---|---|---|---|---|---|---|")
    if args.files:
        rows = read_rows(args.files)
        for a, b in zip(rows[::2], rows[1::2]):
            print_cell(a, b)
    else:
        rows = measure(args)
    print_sum(rows)
    if args.csv:
        with open(args.csv, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)
    if args.svg:
        svg(rows, args.svg)


if __name__ == "__main__":
    main()
