#!/usr/bin/env python3
"""Runs a table of training recipes, several seeds each, and sums up what they reached.

    grid.py run TABLE OUT [--ucpo PROGRAM] [--workers 2]   one process per core, resumable
    grid.py sum TABLE OUT [--csv]                          mean and spread of the last validation

A TABLE is a text file: "name: options of ucpo train", '#' begins a comment, a line "* options" is
put in front of every recipe, "seeds: 1 2 3" names the seeds. Each run lives in OUT/name-seed.
"""
import argparse
import csv
import pathlib
import shlex
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor


def read_table(path):
    common, seeds, recipes = [], [1], []
    for line in pathlib.Path(path).read_text().splitlines():
        line = line.split("#")[0].strip()
        if line.startswith("*"):
            common += shlex.split(line[1:])
        elif line.startswith("seeds:"):
            seeds = [int(s) for s in line[6:].split()]
        elif line:
            name, options = line.split(":", 1)
            recipes.append((name.strip(), shlex.split(options)))
    return common, seeds, recipes


def last_rows(run):
    """The last row of each kind of a run's metrics, or {} if it is not finished."""
    path = run / "metrics.csv"
    rows = {}
    if (run / "done").exists():
        for row in csv.DictReader(path.open()):
            rows[row["kind"]] = row
    return rows


def train(program, threads, run, options, seed):
    done = run / "done"
    if done.exists():
        return
    tail = ["--threads", str(threads), "-q"]
    if (run / "config.toml").exists():
        command = [program, "train", "--resume", str(run), *tail]
    else:
        command = [program, "train", *options, "--seed", str(seed), "-o", str(run), *tail]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode == 0:
        done.touch()
    else:
        print(f"{run}: exit {result.returncode}: {result.stderr.strip()}", flush=True)


def run_all(args):
    common, seeds, recipes = read_table(args.table)
    out = pathlib.Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(args.workers) as pool:
        for seed in seeds:
            for name, options in recipes:
                pool.submit(train, args.ucpo, args.threads, out / f"{name}-{seed}",
                            common + options, seed)


def mean_and_spread(values):
    if not values:
        return "-"
    text = f"{statistics.mean(values):.2f}"
    return text + (f" ± {statistics.stdev(values):.2f}" if len(values) > 1 else "")


def sum_up(args):
    _, seeds, recipes = read_table(args.table)
    print("| recipe | runs | infeasible instances % | infeasible samples % | cost | time s |")
    print("|---|---|---|---|---|---|")
    for name, _ in recipes:
        rows = [last_rows(pathlib.Path(args.out) / f"{name}-{seed}") for seed in seeds]
        rows = [r["sampled"] for r in rows if "sampled" in r]
        number = lambda key, scale: [scale * float(r[key]) for r in rows if r[key]]
        print(f"| {name} | {len(rows)} | {mean_and_spread(number('infeasible_instances', 100))} | "
              f"{mean_and_spread(number('infeasible_samples', 100))} | "
              f"{mean_and_spread(number('objective', 1))} | {mean_and_spread(number('elapsed', 1))} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["run", "sum"])
    parser.add_argument("table")
    parser.add_argument("out")
    parser.add_argument("--ucpo", default="ucpo")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    run_all(args) if args.what == "run" else sum_up(args)


if __name__ == "__main__":
    sys.exit(main())
