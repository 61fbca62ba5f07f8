"""The search for fleets beside PyVRP at equal processor time: mean gap to the better of both.

    fleet.py [--sizes 50,100] [--classes R1n,C2w] [--count 2] [--seed 1] [--seconds 10]
             [--program build/release/bench_fleet] [--python /opt/pyvrpenv/bin/python3] [--keep FOLDER]

Instances are those of fleet_instances.py. Each is searched for SECONDS of processor time on one thread,
then by PyVRP (peers/routes_pyvrp.py; --python "": without it); plans of both are judged by ucpo's
checker. --keep: plans of PyVRP are read from there if they are there, and left there. --detail: a row
per instance. Run from the source directory.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import fleet_instances

ONE_THREAD = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")


def results(text):
    """By index: feasible, seconds, cost, routes."""
    rows = {}
    for line in text.splitlines():
        index, feasible, seconds, cost, routes = line.split()[:5]
        rows[int(index)] = (feasible == "1", float(seconds), float(cost), int(routes))
    return rows


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, env=ONE_THREAD, **more)


def ours(args, path):
    return results(run([args.program, path, str(args.seconds), str(args.search_seed)], check=True).stdout)


def peer(args, path, key):
    kept = os.path.join(args.keep, key) if args.keep else ""
    if kept and os.path.exists(kept):
        with open(kept, encoding="utf-8") as file:
            plans = file.read()
    else:
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers/routes_pyvrp.py")
        done = run([args.python, script, path, str(args.seconds)])
        if done.returncode == 77:
            sys.exit("fleet.py: no PyVRP there (python3 -m venv ENV; ENV/bin/pip install pyvrp)")
        if done.returncode:
            sys.exit(f"fleet.py: {script} ended with {done.returncode}")
        plans = done.stdout
        if kept:
            with open(kept, "w", encoding="utf-8") as file:
                file.write(plans)
    return results(run([args.program, path, "-"], check=True, input=plans).stdout)


def mean(values):
    return sum(values) / len(values) if values else float("nan")


def row(name, pairs):
    """pairs: (ours, peer) of some instances; peer None: not run."""
    mine, theirs, routes, better = [], [], [[], []], [0, 0]
    bad = [sum(not a[0] for a, _ in pairs), sum(b is not None and not b[0] for _, b in pairs)]
    for a, b in pairs:
        routes[0].append(a[3])
        costs = [c[2] for c in (a, b) if c and c[0]]
        if not costs:
            continue
        best = min(costs)
        if a[0]:
            mine.append(100 * (a[2] / best - 1))
        if b:
            routes[1].append(b[3])
            if b[0]:
                theirs.append(100 * (b[2] / best - 1))
            if a[0] and b[0]:
                better[0] += a[2] < b[2] * (1 - 1e-6)
                better[1] += b[2] < a[2] * (1 - 1e-6)
    print(f"| {name} | {len(pairs)} | {bad[0]} / {bad[1]} | {mean(mine):.3f} | {mean(theirs):.3f} | "
          f"{better[0]} / {better[1]} | {mean(routes[0]):.1f} / {mean(routes[1]):.1f} | "
          f"{mean([a[1] for a, _ in pairs]):.2f} / {mean([b[1] for _, b in pairs if b]):.2f} | "
          f"{mean([a[2] for a, _ in pairs]):.2f} |",
          flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="50,100,200,400,1000")
    parser.add_argument("--classes", default=",".join(fleet_instances.CLASSES))
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--search-seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--program", default="build/release/bench_fleet")
    parser.add_argument("--python", default="/opt/pyvrpenv/bin/python3")
    parser.add_argument("--keep", default="")
    parser.add_argument("--detail", action="store_true")
    args = parser.parse_args()
    classes = args.classes.split(",")
    if args.keep:
        os.makedirs(args.keep, exist_ok=True)
    print(f"{args.seconds:g} s, {args.count} of each class, seed {args.seed}; ours / PyVRP")
    print("| class, customers | instances | infeasible | ours: gap % | PyVRP: gap % | better on |"
          " routes | CPU s | ours: cost |\n|---|---|---|---|---|---|---|---|---|")
    of_all = {}
    for size in map(int, args.sizes.split(",")):
        of_size = {"1": [], "2": []}
        for kind in classes:
            made = fleet_instances.make_set([kind], [size], args.count, args.seed)
            with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
                json.dump({"schema": "ucpo.dataset/1", "instances": made}, file)
            key = f"{kind}_{size}_{args.count}_{args.seed}_{args.seconds:g}.plans"
            a = ours(args, file.name)
            b = peer(args, file.name, key) if args.python else {}
            os.unlink(file.name)
            pairs = [(a[i], b.get(i)) for i in range(args.count)]
            if args.detail:
                row(f"{kind}, {size}", pairs)
            of_size[kind[1]] += pairs
        for kind, words in (("1", "short routes"), ("2", "long routes")):
            if of_size[kind]:
                row(f"{words}, {size}", of_size[kind])
                of_all.setdefault(kind, []).extend(of_size[kind])
    for kind, words in (("1", "short routes"), ("2", "long routes")):
        if kind in of_all:
            row(words, of_all[kind])


if __name__ == "__main__":
    main()
