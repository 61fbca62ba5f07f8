#!/usr/bin/env python3
"""Tests of the program over MPI: mpi.py PROGRAM MAKE_MODEL CASE

Every command runs with a time limit: a broken collective hangs.
"""
import array
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

program, make_model = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
LIMIT = 600  # seconds; a busy machine needs some of them
# as root and with more ranks than cores: fine in a test
ENV = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
           OMPI_MCA_rmaps_base_oversubscribe="1", NO_COLOR="1")
SMALL = ["--width", "32", "--heads", "4", "--hidden", "32", "--layers", "2"]
TRAIN = ["train", "tsptw", "-n", "10", "-l", "easy", *SMALL, "--batch", "36", "--instances", "720",
         "--validate-count", "33", "--validate-every", "360", "--log-every", "1"]
ENDLESS = ["train", "tsptw", "-n", "10", "-l", "easy", *SMALL, "--batch", "32", "--instances",
           "100M", "--validate-count", "8", "--save-every", "1"]


def command(ranks, args):
    return (["mpirun", "-np", str(ranks)] if ranks else []) + [program, *args]


def run(ranks, args, code=0):
    done = subprocess.run(command(ranks, args), env=ENV, capture_output=True, text=True,
                          timeout=LIMIT, check=False)
    if code is not None and done.returncode != code:
        sys.exit(f"{ranks} ranks, {args}: exit status {done.returncode}, expected {code}\n"
                 f"{done.stdout}{done.stderr}")
    return done


def expect(condition, text):
    if not condition:
        sys.exit(text)


def read_bytes(path):
    with open(path, "rb") as file:
        return file.read()


def tensors(path):
    """name -> array of floats, and the metadata of a safetensors file"""
    data = read_bytes(path)
    size = int.from_bytes(data[:8], "little")
    head = json.loads(data[8:8 + size])
    facts = head.pop("__metadata__", {})
    values = {}
    for name, entry in head.items():
        begin, end = entry["data_offsets"]
        values[name] = array.array("f", data[8 + size + begin:8 + size + end])
    return values, facts


# What the instance normalisation behind them takes out: their true gradient is 0, and Adam makes
# steps of full size of whatever rounding leaves of it. They change no output.
IDLE = ("embedding_node.bias", "multi_head_combine.bias", "feedForward.W2.bias")


def is_idle(name):
    return name.startswith("encoder.") and name.endswith(IDLE)


def is_side(name):
    return name.startswith("decoder.side_W1")


def distance(one, two, matters=lambda name: not is_idle(name)):
    """norm of the difference of two checkpoints / norm, over the weights that matter"""
    a, b = tensors(one + "/last.safetensors")[0], tensors(two + "/last.safetensors")[0]
    expect(a.keys() == b.keys(), "different tensors")
    names = [name for name in a if not name.startswith("state.")]
    expect(len(names) > 20, "hardly any tensors")
    names = [name for name in names if matters(name)]
    expect(names, "no tensors")
    apart = sum((x - y) ** 2 for name in names for x, y in zip(a[name], b[name]))
    norm = sum(x * x for name in names for x in a[name])
    return math.sqrt(apart / norm)


def fact(run_dir, key):
    return tensors(run_dir + "/last.safetensors")[1][key]


def metrics(path):
    with open(path + "/metrics.jsonl", encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    for line in lines:
        for key in ("elapsed", "instances_per_s"):
            line.pop(key, None)
    return lines


def compare_metrics(one, two, tolerance):
    a, b = metrics(one), metrics(two)
    expect(len(a) == len(b) > 20, f"{len(a)} and {len(b)} lines of metrics")
    worst = 0.0
    for left, right in zip(a, b):
        expect(left.keys() == right.keys(), f"{left}\n{right}")
        for key, value in left.items():
            other = right[key]
            if not isinstance(value, float) and not isinstance(other, float):
                expect(value == other, f"{key}: {value} and {other}")
                continue
            apart = abs(value - other) / max(abs(value), 1e-3)
            expect(apart < tolerance, f"step {left.get('step')}, {key}: {value} and {other}")
            worst = max(worst, apart)
    return worst


def start_endless(ranks, dir_name, options=()):
    """A run that has saved something since its first step; own process group."""
    process = subprocess.Popen(command(ranks, [*ENDLESS, "-o", dir_name, *options]), env=ENV,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               start_new_session=True)
    end = time.time() + LIMIT
    while time.time() < end and process.poll() is None:
        time.sleep(0.1)
        if os.path.exists(dir_name + "/last.safetensors") and int(fact(dir_name, "run.step")) > 0:
            return process
    process.kill()
    sys.exit(f"the run did not begin:\n{process.communicate()[0]}")


def ranks_of(process):
    """process numbers of the ranks below an mpirun"""
    path = f"/proc/{process.pid}/task/{process.pid}/children"
    with open(path, encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


def finish(process):
    begin = time.time()
    try:
        text = process.communicate(timeout=LIMIT)[0]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL) # a session of its own: this run only
        sys.exit(f"the run did not end within {LIMIT} seconds")
    return text, time.time() - begin


def resume_some(ranks, dir_name, instances):
    before = int(fact(dir_name, "run.instances"))
    run(ranks, ["train", "--resume", dir_name, "-q", "--max-instances", str(before + instances)])
    after = int(fact(dir_name, "run.instances"))
    expect(after == before + instances, f"from {before} to {after}, expected {instances} more")


# ---- cases ----

# Sums in another order move a weight by some share of its rate a step (measured: below 1e-6). The first layer of
# the pointer's side network learns at 30 times the rate of the others, and Adam makes steps of full size of the
# rounding of a unit that hardly gets a gradient (measured: up to 2e-3).
CLOSE, CLOSE_SIDE = 1e-5, 1e-2


def expect_close(one, two, what):
    apart = distance(one, two, lambda name: not is_idle(name) and not is_side(name))
    side = distance(one, two, is_side)
    print(f"{what}: weights {apart:.2g}, side network {side:.2g}")
    expect(apart < CLOSE and side < CLOSE_SIDE, f"{what}: weights differ by {apart}, the side network's by {side}")
    return apart


def case_same_result():
    run(0, [*TRAIN, "-o", "alone"])
    run(1, [*TRAIN, "-o", "one"])
    expect(distance("alone", "one") == 0.0, "one rank differs from no mpirun")
    for ranks in (2, 3):
        name = f"ranks{ranks}"
        done = run(ranks, [*TRAIN, "-o", name])
        expect(done.stdout.count("720 in 20 steps") == 1, f"not one report:\n{done.stdout}")
        expect(done.stderr.count("validation at 0, greedy") == 1, f"not one log:\n{done.stderr}")
        apart = expect_close("alone", name, f"1 against {ranks} ranks")
        print(f"metrics {compare_metrics('alone', name, 1e-3):.2g}")
        expect(apart > 0.0, f"weights of {ranks} ranks do not differ at all")


def case_predicted_mask_same_result():
    extra = ["--mask", "pip-d", "--accumulate", "2", "--max-instances", "360"]
    run(0, [*TRAIN, *extra, "-o", "alone"])
    run(2, [*TRAIN, *extra, "-o", "two"])
    expect_close("alone", "two", "pip-d, 1 against 2 ranks")
    expect(fact("alone", "run.instances") == fact("two", "run.instances"), "not the same end")


def case_deterministic():
    for ranks in (2, 3):
        for name in ("a", "b"):
            run(ranks, [*TRAIN, "-o", f"{name}{ranks}"])
        expect(tensors(f"a{ranks}/last.safetensors")[0] == tensors(f"b{ranks}/last.safetensors")[0],
               f"{ranks} ranks: two runs differ")


def case_more_ranks_than_chunks():
    few = ["train", "tsptw", "-n", "10", "-l", "easy", *SMALL, "--batch", "8", "--instances", "40",
           "--validate-count", "2"]
    run(0, [*few, "-o", "alone"])
    run(3, [*few, "-o", "three"])
    expect_close("alone", "three", "1 against 3 ranks")


def case_resume_with_other_ranks():
    run(0, [*TRAIN, "-o", "whole"])
    run(2, [*TRAIN, "-o", "parts", "--max-instances", "216"])
    expect(fact("parts", "run.instances") == "216", "max-instances not kept")
    run(3, ["train", "--resume", "parts", "--max-instances", "468"])
    run(0, ["train", "--resume", "parts", "--max-instances", "720"])
    expect_close("whole", "parts", "2, then 3, then 1 ranks against 1")
    compare_metrics("whole", "parts", 1e-3)


def case_resume_is_exact():
    run(2, [*TRAIN, "-o", "whole"])
    run(2, [*TRAIN, "-o", "parts", "--max-instances", "216"])
    run(2, ["train", "--resume", "parts", "--max-instances", "720"])
    expect(tensors("whole/last.safetensors")[0] == tensors("parts/last.safetensors")[0],
           "a resumed run of two ranks differs from an uninterrupted one")


def case_resume_for_longer():
    """A finished run of two ranks goes on with two, then with three, to other ends."""
    constant = [*TRAIN, "--lr-end", "0"]
    run(2, [*constant, "-o", "whole"])
    run(2, [*constant, "-o", "parts", "--instances", "360"])
    done = run(2, ["train", "--resume", "parts", "--instances", "720"])
    expect(done.stderr.count("goes on from 360 to 720 instances") == 1, done.stderr)
    expect(tensors("whole/last.safetensors")[0] == tensors("parts/last.safetensors")[0],
           "a lengthened run of two ranks differs from one begun so")
    with open("parts/config.toml", encoding="utf-8") as file:
        expect("\ninstances = 720\n" in file.read(), "config.toml has the old length")
    done = run(2, ["train", "--resume", "parts", "--instances", "360"], 2)
    expect("learned from 720 already" in done.stderr, done.stderr)
    run(3, ["train", "--resume", "parts", "--instances", "792"])
    expect(fact("parts", "run.instances") == "792", "not lengthened by three ranks")


def case_killed_rank():
    for victim in (0, 1):
        name = f"victim{victim}"
        process = start_endless(2, name)
        os.kill(ranks_of(process)[victim], signal.SIGKILL)
        text, seconds = finish(process)
        print(f"rank {victim} killed: ended after {seconds:.1f} s with {process.returncode}")
        expect(process.returncode != 0, f"{process.returncode} after {seconds}")
        expect("signal 9" in text, f"no word of it:\n{text}")
        resume_some(2, name, 64)
        resume_some(0, name, 64)


def case_stop():
    for number, name in ((signal.SIGTERM, "term"), (signal.SIGINT, "int"), (signal.SIGUSR1, "usr1")):
        process = start_endless(2, name, ["--save-every", "1"])
        process.send_signal(number)
        text, seconds = finish(process)
        print(f"{name}: ended after {seconds:.1f} s with {process.returncode}")
        if number == signal.SIGUSR1: # mpirun passes it on and lets the ranks take their time
            expect(process.returncode == 130, f"{name}: {process.returncode}\n{text}")
        expect("go on with: ucpo train --resume" in text, f"{name}: not saved:\n{text}")
        resume_some(3, name, 64)


def case_time_limit():
    run(2, [*ENDLESS, "-o", "limit", "--max-time", "2"])
    resume = run(2, ["train", "--resume", "limit", "--max-time", "3"])
    expect("limit reached" in resume.stderr, resume.stderr)


def case_failures_end():
    run(2, [*TRAIN, "-o", "there"])
    done = run(2, [*TRAIN, "-o", "there"], 2) # rank 0 alone finds out
    expect("already holds a run" in done.stderr, done.stderr)
    done = run(2, ["train", "--resume", "nowhere"], 2) # all find out
    expect("holds no run" in done.stderr and "in process 1" in done.stderr, done.stderr)
    run(2, ["train", "tsptw", "--batch", "none", "-o", "bad"], 2)
    expect(run(2, [*TRAIN, "--print-config"]).stdout.count("problem") == 1, "not one answer")


def case_weights_apart():
    """Rank 1 finds another checkpoint, as on a file system that lags behind."""
    for seed in ("1", "2"):
        run(0, [*TRAIN, "-s", seed, "--max-instances", "36", "-o", f"seed{seed}"])
    script = f'exec {program} train --resume seed$((OMPI_COMM_WORLD_RANK + 1)) --max-instances 720'
    done = subprocess.run(["mpirun", "-np", "2", "sh", "-c", script], env=ENV, capture_output=True,
                          text=True, timeout=LIMIT, check=False)
    expect(done.returncode != 0 and "different weights" in done.stderr, done.stderr)


def case_diverged():
    """A gradient that is not finite: status 6, the instances of all ranks kept."""
    done = run(2, [*TRAIN, "--loss", "ucpo,alpha=1e38", "-o", "run"], 6)
    expect("not finite" in done.stderr, done.stderr)
    with open("run/diverged.json", encoding="utf-8") as file:
        found = len(json.load(file)["instances"])
    expect(found == 36, f"{found} instances kept, expected 36")


def drop_times(value):
    if isinstance(value, dict):
        return {k: drop_times(v) for k, v in value.items() if k not in ("seconds", "cpu_seconds", "threads")}
    return [drop_times(v) for v in value] if isinstance(value, list) else value


def case_eval():
    subprocess.run([make_model, "cvrptw", "1", "m1.safetensors"], check=True)
    subprocess.run([make_model, "cvrptw", "2", "m2.safetensors"], check=True)
    run(0, ["generate", "cvrptw", "-n", "12", "-c", "23", "-s", "5", "-o", "set.json"])
    args = ["eval", "m1.safetensors", "m2.safetensors", "--set", "set.json", "-k", "7", "--first",
            "2", "--format", "json"]
    plans = ["eval", "m1.safetensors", "--set", "set.json", "-a", "3", "--format", "csv", "--plans"]
    expected = drop_times(json.loads(run(0, args).stdout))
    run(0, [*plans, "alone.json"])
    for ranks in (1, 2, 3):
        found = drop_times(json.loads(run(ranks, args).stdout))
        expect(found == expected, f"{ranks} ranks: other numbers\n{found}\n{expected}")
        run(ranks, [*plans, f"{ranks}.json"])
        expect(read_bytes("alone.json") == read_bytes(f"{ranks}.json"), f"{ranks}: other plans")


def case_eval_failures():
    subprocess.run([make_model, "cvrptw", "1", "m.safetensors"], check=True)
    done = run(2, ["eval", "m.safetensors", "--set", "-"], 2)
    expect("standard input" in done.stderr, done.stderr)
    run(2, ["eval", "missing.safetensors", "--preset", "tsptw50_hard", "--count", "2"], 2)
    run(2, ["eval", "m.safetensors", "--preset", "tsptw50_hard", "--count", "2"], 5)
    run(0, ["generate", "cvrptw", "-n", "12", "-c", "3", "-s", "5", "-o", "set.json"])
    run(2, ["eval", "m.safetensors", "--set", "set.json", "-o", "no/such/folder/report"], 2)
    expected = run(0, ["eval", "m.safetensors", "--set", "set.json", "-f", "csv", "-c", "1"])
    found = run(2, ["eval", "m.safetensors", "--set", "set.json", "-f", "csv", "-c", "1"])
    expect(found.stdout.count("\n") == expected.stdout.count("\n"), "one instance for two ranks")


def solver_facts(text):
    """the solution file without times, and without what depends on them"""
    data = json.loads(text)
    for facts in data["solver"] if isinstance(data["solver"], list) else [data["solver"]]:
        del facts["seconds"]
    return data


def case_solve():
    subprocess.run([make_model, "cvrptw", "1", "m.safetensors"], check=True)
    run(0, ["generate", "cvrptw", "-n", "12", "-c", "7", "-s", "5", "-o", "set.json"])
    run(0, ["generate", "cvrptw", "-n", "9", "-s", "6", "-o", "one.json"])
    args = ["solve", "set.json", "one.json", "-m", "m.safetensors", "-k", "20"]
    expected = solver_facts(run(0, [*args, "-f", "json"]).stdout)
    expect(len(expected["solver"]) == 8, "eight instances")
    for ranks in (1, 2, 3, 9):
        found = solver_facts(run(ranks, [*args, "-f", "json"]).stdout)
        expect(found == expected, f"{ranks} ranks: other plans\n{found}\n{expected}")
    os.mkdir("plans")
    done = run(2, [*args, "-o", "plans/", "-f", "csv"])
    expect(sorted(os.listdir("plans")) == ["one.csv", "set.csv"] and "instances    8" in done.stdout,
           f"{os.listdir('plans')} {done.stdout}")


def case_solve_infeasible():
    """found by another process than the one that reports; proved there"""
    data = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/data/toy.tsptw")
    with open(data, encoding="utf-8") as file:
        text = file.read()
    for name, changed in (("good.tsptw", text), ("bad.tsptw", text.replace("4 15 22", "4 1 2"))):
        with open(name, "w", encoding="utf-8") as file:
            file.write(changed)
    done = run(2, ["solve", "good.tsptw", "bad.tsptw", "-m", "none"], 4)
    expect("never: proved" in done.stdout and "cannot be reached" in done.stdout, done.stdout)


def case_solve_failures():
    subprocess.run([make_model, "cvrptw", "1", "m.safetensors"], check=True)
    run(0, ["generate", "cvrptw", "-n", "12", "-c", "3", "-s", "5", "-o", "set.json"])
    done = run(2, ["solve", "-", "-m", "none"], 2)
    expect("standard input" in done.stderr, done.stderr)
    run(2, ["solve", "set.json", "-m", "none", "--cloud", "c.csv"], 2)
    run(2, ["solve", "set.json", "missing.json", "-m", "none"], 2)
    run(2, ["solve", "set.json", "-m", "none", "-o", "no/such/folder/plans.json"], 2)
    run(0, ["generate", "tsptw", "-n", "6", "-s", "5", "-o", "other.json"])
    run(2, ["solve", "set.json", "other.json", "-m", "m.safetensors"], 5)


def case_solve_stop():
    subprocess.run([make_model, "cvrptw", "1", "m.safetensors"], check=True)
    run(0, ["generate", "cvrptw", "-n", "12", "-c", "4", "-s", "5", "-o", "set.json"])
    process = subprocess.Popen(command(2, ["solve", "set.json", "-m", "m.safetensors", "-t", "20s",
                                           "-o", "plans.json"]), env=ENV)
    time.sleep(3)
    process.send_signal(signal.SIGUSR1)
    process.wait(LIMIT)
    expect(process.returncode == 130, f"exit status {process.returncode}")
    with open("plans.json", encoding="utf-8") as file:
        found = json.load(file)["solver"]
    expect(len(found) == 2, f"each process had begun one: {len(found)}")


def case_solve_together():
    """fewer instances than processes: several search the same one, and one answer is written"""
    run(0, ["generate", "cvrptw", "-n", "250", "-s", "5", "-o", "fleet.json"])
    run(0, ["generate", "tsptw", "-n", "60", "-s", "5", "-c", "2", "-o", "tours.json"])
    for path, ranks, count in (("fleet.json", 2, 1), ("fleet.json", 3, 1), ("tours.json", 3, 2), ("tours.json", 5, 2)):
        begin = time.time()
        run(ranks, ["solve", path, "-m", "none", "-t", "2s", "-o", "plans.json"])
        took = time.time() - begin
        run(0, ["check", path, "plans.json"])
        with open("plans.json", encoding="utf-8") as file:
            data = json.load(file)
        found = data["solver"] if count > 1 else [data["solver"]]
        expect(len(found) == count, f"{path}, {ranks} ranks: {len(found)} answers")
        expect(all(f["searches"] >= ranks // count for f in found), f"{path}, {ranks} ranks: {found}")
        expect(took < 20, f"{path}, {ranks} ranks: {took:.1f} s")
    run(0, ["generate", "cvrptw", "-n", "250", "-s", "6", "-o", "another.json"])
    words = ["-m", "none", "-t", "2s", "-o", "never.json"]
    mixed = command(1, ["solve", "fleet.json", *words]) + [":"] + command(1, ["solve", "another.json", *words])[1:]
    done = subprocess.run(mixed, env=ENV, capture_output=True, text=True, timeout=LIMIT, check=False)
    expect(done.returncode == 2 and "another instance" in done.stderr, f"{done.returncode}: {done.stderr}")
    expect(not os.path.exists("never.json"), "a plan was written")
    done = run(3, ["solve", "fleet.json", "missing.json", "-m", "none", "-t", "1s"], 2)
    expect("missing.json" in done.stderr, done.stderr)
    with open("late.csv", "w", encoding="utf-8") as file:
        file.write("x,y,ready,due\n0,0,0,100\n50,0,0,1\n")
    done = run(2, ["solve", "late.csv", "-m", "none", "-t", "1s"], 4)
    expect("PROVED" in done.stdout, done.stdout)


def case_solve_together_stop():
    """a signal to one of the processes that search an instance ends all of them"""
    for problem in ("cvrptw", "tsptw"):
        run(0, ["generate", problem, "-n", "300", "-s", "5", "-o", "one.json"])
        process = subprocess.Popen(command(3, ["solve", "one.json", "-m", "none", "-t", "100s", "-o", "plan.json"]),
                                   env=ENV, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                   start_new_session=True)
        time.sleep(3)
        os.kill(ranks_of(process)[1], signal.SIGTERM)
        text, took = finish(process)
        expect(process.returncode == 130 and took < 20, f"exit status {process.returncode} after {took:.1f} s: {text}")
        with open("plan.json", encoding="utf-8") as file:
            expect(json.load(file)["solver"]["end"] == "interrupted", "ended by the signal")


def main():
    if not shutil.which("mpirun"):
        print("skipped: there is no mpirun")
        sys.exit(77)
    case = globals()["case_" + sys.argv[3]]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        case()
        os.chdir("/")


main()
