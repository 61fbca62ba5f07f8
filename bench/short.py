"""Large fleets in little time: `ucpo solve -j 1 -t SECONDS` beside PyVRP, without and with a fleet limit.

    short.py [--sizes 1000] [--classes R1n,C2w] [--seed 911] [--seconds 0.25,1] [--unlimited]
             [--program build/release/ucpo] [--before OTHER_UCPO] [--python ENV/bin/python3] [--first "chrt -f 50"]

Instances are those of fleet_instances.py. The limit is 3 % above the routes that two seconds without one
need, rounded up. ucpo's time is wall time, reading included; PyVRP's is processor time from the start of
its search, and it always ends a round it began. Plans of both are judged by ucpo's checker: cost, or
"infeasible". --before: another build of ucpo, beside it. --first: put in front of all commands, here a
real-time priority, so that a busy machine does not matter. Run from the source directory.
"""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import fleet_instances


class Bench:
    def __init__(self, args, folder):
        self.args = args
        self.folder = folder

    def run(self, command):
        return subprocess.run(self.args.first.split() + command, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, check=False).stdout

    def judged(self, path, plan):
        answer = json.loads(self.run([self.args.program, "check", path, plan, "--format", "json"]))
        return answer["status"] == "feasible", answer["cost"], answer["summary"]["routes"]

    def ours(self, program, path, seconds):
        plan = os.path.join(self.folder, "plan.sol")
        self.run([program, "solve", path, "-t", str(seconds), "-j", "1", "-q", "--explain", "never",
                  "-o", plan])
        return self.judged(path, plan)

    def peer(self, path, seconds):
        script = os.path.join(HERE, "peers/routes_pyvrp.py")
        line = self.run([self.args.python, script, path, str(seconds)]).split()
        plan = os.path.join(self.folder, "peer.sol")
        routes = " ".join(line[3:]).split(" 0 ")
        with open(plan, "w", encoding="utf-8") as file:
            for k, route in enumerate(routes):
                file.write(f"Route #{k + 1}: {route}\n")
        return self.judged(path, plan) + (float(line[2]),)


def show(result):
    return f"{result[1]:.1f} ({result[2]})" if result[0] else f"infeasible ({result[2]})"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="1000")
    parser.add_argument("--classes", default=",".join(fleet_instances.CLASSES))
    parser.add_argument("--seed", type=int, default=911)
    parser.add_argument("--seconds", default="0.25,1")
    parser.add_argument("--unlimited", action="store_true")
    parser.add_argument("--program", default="build/release/ucpo")
    parser.add_argument("--before", default="")
    parser.add_argument("--python", default="", help="one that has PyVRP; without it ucpo alone is measured")
    parser.add_argument("--first", default="")
    args = parser.parse_args()
    made = fleet_instances.make_set(args.classes.split(","), [int(s) for s in args.sizes.split(",")], 1,
                                    args.seed)
    print("| instance | limit | s |" + (" before |" if args.before else "") + " ucpo |"
          + (" PyVRP (its s) |" if args.python else ""))
    print("|---|---|---|" + ("---|" if args.before else "") + "---|" + ("---|" if args.python else ""))
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(args, folder)
        path = os.path.join(folder, "instance.json")
        for inst in made:
            with open(path, "w", encoding="utf-8") as file:
                json.dump(inst, file)
            limit = "-"
            if not args.unlimited:
                limit = math.ceil(1.03 * bench.ours(args.program, path, 2)[2])
                with open(path, "w", encoding="utf-8") as file:
                    json.dump(dict(inst, problem="cvrptwlv", vehicles=limit), file)
            for seconds in args.seconds.split(","):
                row = [inst["name"], str(limit), seconds]
                row += [show(bench.ours(args.before, path, seconds))] if args.before else []
                row += [show(bench.ours(args.program, path, seconds))]
                if args.python:
                    peer = bench.peer(path, seconds)
                    row += [f"{show(peer)} {peer[3]:.2f}"]
                print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
