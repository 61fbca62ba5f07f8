#!/usr/bin/env python3
"""Does a policy pay? Plan of the policy + local search against rules + local search, at equal
processor time, for every set, size and time of the table in docs/results.md.

    bench/pays.py [--ucpo build/release/ucpo] [--models models] [--count 300] [--only tsptw50] \
        [--csv FILE] [--svg FILE]

Times count everything an instance costs: decoding or rules, set-up, search. The search gets what is
left of it, so a cell compares equal totals. Published sets are taken from --first on; the others are
generated with a seed of their own. Gaps are against the best cost any run here found for an instance
set (its mean) unless reference costs lie in ../shared. One thread, one run after the other.
"""
import argparse
import csv
import io
import os
import subprocess
import sys
import tempfile

TIMES = {50: (1, 2.5, 5, 10), 100: (3, 10, 30), 200: (30, 100, 300), 500: (30, 100, 300)}
LEVELS = {"tsptw": ("easy", "medium", "hard"), "tspdl": ("medium", "hard"), "cvrptw": ("cvrp",),
          "cvrptwlv": ("cvrp",)}
SHARED = "../shared/data/validation"


def run(args, more):
    command = [args.ucpo, "eval"] + more + ["-q", "-f", "csv", "-j", "1", "-g", "-a", "1"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return list(csv.DictReader(io.StringIO(text)))


def instances(args, problem, level, size, folder):
    """Options that name a set, how many of it to solve, and its reference costs."""
    name = f"{problem}{size}_{level}"
    published = problem in ("tsptw", "tspdl") and size <= 100
    count = max(8, args.count * 50 // size // (1 if size <= 100 else 2))
    if published:
        reference = f"{SHARED}/{name}_lkh_cost10000.npy"
        more = ["-r", reference] if os.path.exists(reference) else []
        return name, ["--preset", name, "--first", str(args.first), "-c", str(count)] + more
    path = os.path.join(folder, name + ".npy")
    subprocess.run([args.ucpo, "generate", problem, "-n", str(size), "-l", level, "--count",
                    str(count), "--seed", "4711", "-o", path, "-q"], check=True)
    return name, ["--set", path]


def solve(args, model, which, total):
    """Mean cost, infeasible share, gap and milliseconds of one cell; the search gets what decoding
    leaves of the total."""
    more = [] if model == "none" else ["--backtrack", "50"]
    alone = run(args, [model] + which + more)[0]
    left = total - 1e3 * float(alone["cpu_seconds"])
    if left <= 0.05:
        row = alone
    else:
        row = run(args, [model] + which + more + ["--refine", f"{left:.3f}ms"])[-1]
    cost = float(row["mean_objective"]) if row["mean_objective"] else float("nan")
    gap = row.get("gap_mean")
    return {"cost": cost, "infeasible": 100 * float(row["infeasible_instances"]),
            "gap": float(gap) if gap else None, "ms": 1e3 * float(row["cpu_seconds"])}


def svg(rows, path):
    """One panel a set: gap (square-root scale) over time (log scale), two lines."""
    import math
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ucpo", default="build/release/ucpo")
    parser.add_argument("--models", default="models")
    parser.add_argument("--count", type=int, default=300, help="instances of 50 nodes; fewer of more")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", default="", help="sets whose name contains this")
    parser.add_argument("--csv")
    parser.add_argument("--svg")
    args = parser.parse_args()
    rows, folder = [], tempfile.mkdtemp()
    print("| set | ms | rules: infeasible %, gap % | policy: infeasible %, gap % | policy / rules |")
    print("|---|---|---|---|---|")
    for problem, levels in LEVELS.items():
        model = os.path.join(args.models, problem + ".safetensors")
        if not os.path.exists(model):
            print(f"no {model}: {problem} left out", file=sys.stderr)
            continue
        for size, level in ((s, x) for s in TIMES for x in levels):
            if args.only not in f"{problem}{size}_{level}":
                continue
            name, which = instances(args, problem, level, size, folder)
            cells = [(total, {start: solve(args, m, which, total) for start, m in
                              (("rules", "none"), ("policy", model))}) for total in TIMES[size]]
            best = min((c[s]["cost"] for _, c in cells for s in c if c[s]["cost"] > 0), default=float("nan"))
            for total, cell in cells:
                for start, c in cell.items():
                    if c["gap"] is None:
                        c["gap"] = 100 * (c["cost"] / best - 1)
                    rows.append({"set": name, "total": total, "start": start, **c})
                a, b = cell["rules"], cell["policy"]
                ratio = f"{b['gap'] / a['gap']:.2f}" if a["gap"] > 0.005 else "-"
                print(f"| {name} | {total:g} | {a['infeasible']:.2f}, {a['gap']:.3f} | "
                      f"{b['infeasible']:.2f}, {b['gap']:.3f} | {ratio} |", flush=True)
    if args.csv:
        with open(args.csv, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)
    if args.svg:
        svg(rows, args.svg)


if __name__ == "__main__":
    main()
