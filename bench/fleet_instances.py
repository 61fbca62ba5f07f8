"""Instances of CVRPTW in the manner of Solomon and of Gehring and Homberger, as JSON that ucpo reads.

    fleet_instances.py [--sizes 50,100] [--classes R1n,C2w] [--count 2] [--seed 1] [-o FILE]

A class is a letter of places (C clusters, R random, M both), the kind of vehicle (1 small, short
routes; 2 large, long routes) and the windows (n narrow, w wide): C1n .. M2w, twelve in all. Instance k
of a class and size is a function of these three and the seed. Distance is the only objective; the
fleet is not limited.
"""
import argparse
import json
import math
import random
import sys

CLASSES = [place + kind + windows for place in "CRM" for kind in "12" for windows in "nw"]


def places(rng, letter, n, side):
    """The depot in the middle, n customers; the cluster of each, or -1."""
    at, cluster = [(side // 2, side // 2)], [-1]
    centres = [(rng.uniform(0.08, 0.92) * side, rng.uniform(0.08, 0.92) * side)
               for _ in range(max(3, round(n / 12)))]
    spread = 0.35 * side / math.sqrt(len(centres))
    taken = set(at)
    while len(at) <= n:
        is_random = letter == "R" or (letter == "M" and len(at) % 2)
        c = -1 if is_random else rng.randrange(len(centres))
        x, y = ((rng.uniform(0, side), rng.uniform(0, side)) if is_random else
                (rng.gauss(centres[c][0], spread / 2), rng.gauss(centres[c][1], spread / 2)))
        x, y = round(x), round(y)
        if not (0 <= x <= side and 0 <= y <= side) or (x, y) in taken:
            continue
        taken.add((x, y))
        at.append((x, y))
        cluster.append(c)
    return at, cluster


def arrivals(at, cluster, demand, capacity, service, horizon):
    """When each customer of a cluster is reached by a vehicle that goes from one to the nearest next."""
    when = {}
    for c in sorted(set(cluster) - {-1}):
        left = {i for i in range(1, len(at)) if cluster[i] == c}
        here, time, load = 0, 0.0, 0.0
        while left:
            i = min(left, key=lambda j: (math.dist(at[here], at[j]), j))
            time += math.dist(at[here], at[i])
            if here and (load + demand[i] > capacity or
                         time + service + math.dist(at[i], at[0]) > horizon):
                here, time, load = 0, 0.0, 0.0
                continue
            when[i] = time
            time, load, here = time + service, load + demand[i], i
            left.remove(i)
    return when


def make(kind, n, index, seed):
    """An instance: kind is a class such as R1n, n the number of customers."""
    rng = random.Random(f"{kind} {n} {index} {seed}")
    side = round(10 * math.sqrt(n)) if n > 100 else 100
    at, cluster = places(rng, kind[0], n, side)
    is_long = kind[1] == "2"
    service = 90 if kind[0] == "C" else 10
    demand = [0] + [min(50, max(1, round(rng.gauss(15, 8)))) for _ in range(n)]
    capacity = (700 if kind[0] == "C" else 1000) if is_long else 200
    leg = 0.7 * side / math.sqrt(n)
    far = max(math.dist(at[0], p) for p in at)
    horizon = round(2 * far + (40 if is_long else 9) * (leg + service))
    known = arrivals(at, cluster, demand, capacity, service, horizon) if kind[0] != "R" else {}
    share = rng.choice([0.75, 1.0]) if kind[2] == "n" else rng.choice([0.5, 0.75, 1.0])
    width = horizon * (rng.uniform(0.04, 0.12) if kind[2] == "n" else rng.uniform(0.2, 0.5))
    windows = [[0, horizon]]
    for i in range(1, n + 1):
        first = math.ceil(math.dist(at[0], at[i]))
        last = horizon - first - service
        if rng.random() >= share:
            windows.append([0, last])
            continue
        centre = known.get(i, rng.uniform(first, last))
        half = max(2.0, 0.5 * width * rng.uniform(0.7, 1.3))
        early = max(0, min(round(centre - half), last - 5))
        windows.append([early, max(min(round(centre + half), last), max(first, early))])
    return {"schema": "ucpo.instance/1", "name": f"{kind}_{n}_{index}_{seed}",
            "problem": "cvrptw", "n": n + 1, "coordinates": [list(p) for p in at],
            "time_windows": windows, "demand": demand, "capacity": capacity,
            "service": [0] + [service] * n, "unit": 100, "tolerance": 0.001}


def make_set(classes, sizes, count, seed):
    return [make(kind, n, k, seed) for n in sizes for kind in classes for k in range(count)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="50,100,200,400,1000")
    parser.add_argument("--classes", default=",".join(CLASSES))
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--output", default="-")
    a = parser.parse_args()
    classes = a.classes.split(",")
    for kind in classes:
        if kind not in CLASSES:
            parser.error(f"unknown class '{kind}'; one of {', '.join(CLASSES)}")
    made = make_set(classes, [int(s) for s in a.sizes.split(",")], a.count, a.seed)
    text = json.dumps({"schema": "ucpo.dataset/1", "instances": made})
    if a.output == "-":
        print(text)
    else:
        with open(a.output, "w", encoding="utf-8") as file:
            file.write(text + "\n")


if __name__ == "__main__":
    main()
