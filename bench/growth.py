#!/usr/bin/env python3
"""Cost over size: one instance a size of tours and fleets, against a long run of our own and PyVRP.

    bench/growth.py [--sizes 50,100,...] [--kinds tour,draft,fleet] [--ucpo build/release/ucpo]
                    [--judge build/release/bench_fleet] [--python PYTHON] [--svg FILE] [--markdown] [--long]

Instances are generated with fixed seeds (SETS). Each is searched by rules and local search for n / 100
seconds of processor time on one thread, 0.5 to 10 (`ucpo eval none --refine`). bench/growth_best.csv
holds costs of runs eight times as long, at most LONGEST, that --long makes and stores where they are lower.
Fleets up to 1000 customers are then solved by PyVRP (peers/routes_pyvrp.py) in the same processor time;
our checker judges its plans. --python: a Python that has PyVRP; without it build/pyvrpenv, made at the
first call; "": no peer. Run from the source directory.
"""
import argparse
import csv
import io
import math
import os
import subprocess
import sys
import tempfile

SETS = {"tour": ["tsptw", "-l", "medium"], "draft": ["tspdl", "-l", "hard"], "fleet": ["cvrptw", "-l", "cvrp"]}
WORDS = {"tour": "TSPTW medium", "draft": "TSPDL hard", "fleet": "CVRPTW cvrp"}
SEED, BEST, PEER_NODES, LONGEST = "20261117", "bench/growth_best.csv", 1000, 25.0


def seconds_for(n):
    return min(10.0, max(0.5, n / 100))


def instance(args, kind, n, folder):
    path = os.path.join(folder, f"{kind}{n}.json")
    subprocess.run([args.ucpo, "generate", *SETS[kind], "-n", str(n), "--count", "1", "--seed", SEED,
                    "-o", path, "-q"], check=True)
    return path


def ours(args, path, seconds):
    """Cost, or None without a feasible plan."""
    text = subprocess.run([args.ucpo, "eval", "none", "--set", path, "--refine", f"{seconds:g}s", "-j", "1",
                           "-q", "-f", "csv"], check=True, capture_output=True, text=True).stdout
    row = list(csv.DictReader(io.StringIO(text)))[-1]
    return float(row["mean_objective"]) if row["mean_objective"] and float(row["infeasible_instances"]) == 0 else None


def peer(args, path, seconds, unit):
    plans = subprocess.run([args.python, "bench/peers/routes_pyvrp.py", path, str(seconds)],
                           stdout=subprocess.PIPE, text=True, check=False)
    if plans.returncode:
        return None
    judged = subprocess.run([args.judge, path, "-"], input=plans.stdout, stdout=subprocess.PIPE, text=True,
                            check=True).stdout.split()
    return float(judged[3]) / unit if judged[1] == "1" else None


def peer_python():
    """Of build/pyvrpenv, made if it is not there; empty, with a word why, if it cannot be."""
    python = "build/pyvrpenv/bin/python"
    if subprocess.run([python, "-c", "import pyvrp"], check=False, stderr=subprocess.DEVNULL).returncode \
            if os.path.exists(python) else True:
        print("making build/pyvrpenv with PyPI's PyVRP", file=sys.stderr)
        made = subprocess.run([sys.executable, "-m", "venv", "build/pyvrpenv"], check=False).returncode == 0 and \
            subprocess.run([python, "-m", "pip", "install", "-q", "pyvrp"], check=False).returncode == 0
        if not made:
            print("could not make it (no network?): no peer", file=sys.stderr)
            return ""
    return python


def read_best():
    if not os.path.exists(BEST):
        return {}
    with open(BEST, encoding="utf-8") as file:
        return {(r["kind"], int(r["n"])): (float(r["cost"]), float(r["seconds"])) for r in csv.DictReader(file)}


def write_best(best):
    with open(BEST, "w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["kind", "n", "cost", "seconds"])
        for (kind, n), (cost, seconds) in sorted(best.items()):
            rows.writerow([kind, n, f"{cost:.6f}", f"{seconds:g}"])


def gap(cost, best):
    return 100 * (cost / best - 1) if cost and best else None


def shown(value, digits):
    return "-" if value is None else f"{value:.{digits}f}"


def draw(rows, path):
    """Gap over size (log scale), a line a kind."""
    colours = {"tour": "#06c", "draft": "#283", "fleet": "#b33", "PyVRP": "#888"}
    lines = {}
    for r in rows:
        lines.setdefault(r["kind"], []).append((r["n"], r["gap"]))
    lines["PyVRP"] = [(r["n"], r["peer_gap"]) for r in rows]
    lines = {k: [(n, g) for n, g in v if g is not None] for k, v in lines.items()}
    sizes = sorted({r["n"] for r in rows})
    gaps = [g for points in lines.values() for _, g in points]
    low, high = min(gaps + [0.0]), max(gaps + [1.0])
    span = math.log(sizes[-1] / sizes[0]) or 1

    def x(n):
        return 50 + 500 * math.log(n / sizes[0]) / span

    def y(g):
        return 250 - 210 * (g - low) / (high - low)

    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="600" height="290" font-family="sans-serif" font-size="11">',
           '<rect width="600" height="290" fill="#fff"/>',
           '<text x="50" y="16" fill="#555">% above a long run of our own, over nodes</text>']
    step = max(1, round((high - low) / 6))
    for level in range(0, int(high) + 1, step):
        out.append(f'<line x1="50" x2="550" y1="{y(level):.1f}" y2="{y(level):.1f}" stroke="{"#ddd" if level else "#999"}"/>'
                   f'<text x="42" y="{y(level) + 4:.1f}" text-anchor="end" fill="#555">{level}</text>')
    out += [f'<text x="{x(n):.0f}" y="270" text-anchor="middle">{n}</text>' for n in sizes]
    for k, (name, points) in enumerate((k, v) for k, v in lines.items() if v):
        out.append('<polyline fill="none" stroke-width="2" stroke="%s" points="%s"/>' % (
            colours[name], " ".join(f"{x(n):.1f},{y(g):.1f}" for n, g in points)))
        out.append(f'<text x="{60 + 130 * k}" y="32" fill="{colours[name]}">{WORDS.get(name, name + ", the same fleets")}</text>')
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(out) + "\n</svg>\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="50,100,200,400,1000,2000,5000")
    parser.add_argument("--kinds", default=",".join(SETS))
    parser.add_argument("--ucpo", default="build/release/ucpo")
    parser.add_argument("--judge", default="build/release/bench_fleet")
    parser.add_argument("--python", default=None)
    parser.add_argument("--svg")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--long", action="store_true")
    args = parser.parse_args()
    if args.python is None:
        args.python = "" if args.long else peer_python()
    best, rows, folder = read_best(), [], tempfile.mkdtemp()
    head = ["set", "n", "seconds", "cost", "long run", "gap %", "PyVRP", "PyVRP's gap %"]
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head) if args.markdown else ",".join(head), flush=True)
    for kind in args.kinds.split(","):
        for n in map(int, args.sizes.split(",")):
            path, seconds = instance(args, kind, n, folder), seconds_for(n)
            if args.long:
                seconds = min(LONGEST, 8 * seconds)
            cost = ours(args, path, seconds)
            if args.long and cost and cost < best.get((kind, n), (math.inf, 0))[0]:
                best = {**read_best(), (kind, n): (cost, seconds)}
                write_best(best)
            known = best.get((kind, n), (None, 0))[0]
            other = None
            if kind == "fleet" and args.python and n <= PEER_NODES:
                other = peer(args, path, seconds, 1.0)
            row = {"kind": kind, "n": n, "gap": gap(cost, known), "peer_gap": gap(other, known)}
            rows.append(row)
            cells = [WORDS[kind], str(n), f"{seconds:g}", shown(cost, 3), shown(known, 3), shown(row["gap"], 2),
                     shown(other, 3), shown(row["peer_gap"], 2)]
            print("| " + " | ".join(cells) + " |" if args.markdown else ",".join(cells), flush=True)
    if args.svg:
        draw(rows, args.svg)


if __name__ == "__main__":
    main()
