#!/usr/bin/env python3
"""Every table of the paper at budget smoke: reproduce.py UCPO. Tables are complete, bases are shared,
an interrupted call goes on, a second call does nothing, the sentences are right, and what is damaged
or asked wrongly is told in one line."""
import csv
import json
import math
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import tomllib

UCPO = os.path.abspath(sys.argv[1])
ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "reproduce"
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "reproduce"))
import tables  # noqa: E402


def call(*arguments, expect=0, ucpo=UCPO):
    done = subprocess.run([sys.executable, SCRIPT, "--ucpo", str(ucpo), *map(str, arguments)], capture_output=True,
                          text=True, check=False)
    assert done.returncode == expect, (arguments, done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


def refuse(text, *arguments, **more):
    """It ends with one line that has this text."""
    output = call(*arguments, expect=2, **more)
    line = output.splitlines()[-1]
    assert line.startswith("reproduce: ") and text in line and "Traceback" not in output, (text, output)


def start(*arguments, ucpo=UCPO, **more):
    return subprocess.Popen([sys.executable, SCRIPT, "--ucpo", str(ucpo), *map(str, arguments)],
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **more)


def wait_until(condition):
    end = time.monotonic() + 600  # the machine may be busy
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


def stamps(out):
    return {p: p.stat().st_mtime_ns for p in (out / "runs").glob("*/last.safetensors")}


def write_npy(path, values):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(values)},), }}\n".encode()
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header
                     + struct.pack(f"<{len(values)}d", *values))


# ---- from numbers to text ----

class Set:
    preset = name = "s"
    head, digest, lkh, is_preset = "s: somebody", "d", None, True


class Evaluation:
    def __init__(self, result, at=None):
        self.result, self.at = result, at


def numbers(inst, gap):
    return {"infeasible_instances": inst, "mean_objective": 1.0, "gap_ratio": gap, "gap_mean": gap,
            "infeasible_solutions": inst}


def check_sentences():
    """Orders are counted, not written by hand."""
    def cell(inst, gap, paper):
        return tables.Cell([numbers(inst, gap)], paper)

    table = {"row": [{"name": "a", "paper": {}}, {"name": "b", "over": "a"}, {"name": "c"}]}
    cells = {("a", "s"): cell(0.5, 1.0, [5.0, 1.0, 1.0]), ("b", "s"): cell(0.1, 2.0, [2.0, 1.0, 2.0]),
             ("c", "s"): cell(0.1, 0.5, [1.0, 1.0, 3.0])}
    text = "\n".join(tables.sentences(table, [Set], cells))
    assert "by infeasible rate 2 of 3 pairs of methods stand in the paper's order, 0 in the other, 1 is equal" in text
    assert "by gap 1 of 3 pairs of methods stands in the paper's order, 2 in the other." in text, text
    gain = "b against a: infeasible rate 10.00 % against 50.00 %: better; gap 2.00 % against 1.00 %: worse."
    assert gain in text, text
    cells["a", "s"] = cell(0.6, 1.0, [5.0, 1.0, 1.0])  # a mean over a few instances is no order
    text = "\n".join(tables.sentences(table, [Set], cells))
    assert "by gap 0 of 1 pair of methods stand in the paper's order, 1 in the other (1 method left out" in text, text
    assert "b against a: infeasible rate" in text and "gap 2.00 % against" not in text, text
    seeds = {"a": (1.0, 1.2), "b": (1.3, 1.1), "c": (0.1, 0.2)}  # a and b: apart by less than they spread
    cells = {(row, "s"): tables.Cell([numbers(0.1, gap) for gap in gaps], [0.0, 1.0, theirs])
             for theirs, (row, gaps) in enumerate(seeds.items())}
    text = "\n".join(tables.sentences(table, [Set], cells))
    assert "by gap 0 of 3 pairs of methods stand in the paper's order, 2 in the other, 1 is no further apart" in text, text
    assert "10.00 ± 0.00 %: equal; gap 1.20 ± 0.14 % against 1.10 ± 0.14 %: no further apart than our seeds." in text
    assert tables.sentences(table, [Set], {}) == [] and tables.bullets([]) == ["Nothing to compare."]
    assert math.isnan(tables.Cell([{"gap_ratio": 1.0}, {"gap_ratio": None}], []).mean["gap"])
    assert tables.count_of("1.5k") == 1500 and tables.duration(90) == "90 s"


def check_seeds(folder):
    """Some seeds are missing: the mean of those that are there, and a name of its own."""
    budget = {"count": 8, "seeds": [1, 2, 3], "base_seed": 7}
    table = {"name": "t", "title": "T", "paper": "Table 0", "budget": {"desk": budget},
             "row": [{"name": "a", "train": "", "tune": ""}, {"name": "b", "train": ""}]}
    there = [[Evaluation(numbers(0.1, 1.0))], [Evaluation(numbers(0.3, 3.0))], [Evaluation(None)]]
    paths = tables.write(table, "desk", [Set], [1, 2, 3], {("a", "s"): there, ("b", "s"): [[Evaluation(None)]]}, folder)
    assert [path.name for path in paths] == ["t-desk-part.md", "t-desk-part.csv", "t-desk-part.tex"], paths
    text = paths[0].read_text()
    assert "| a | 20.00 ± 14.14, 2 of 3 seeds |" in text and "| b | not run |" in text, text
    assert "3 seeds of the fine-tuning on one base (seed 7); rows trained from nothing: seed 7" in text
    assert "2 of 4 results are missing (--so-far)" in text
    assert "s,a,2,20.0," in paths[1].read_text() and "2 of 4 results" in paths[2].read_text()
    there[2] = [Evaluation(numbers(0.2, 2.0))]
    paths = tables.write(table, "desk", [Set], [1, 2, 3], {("a", "s"): there, ("b", "s"): [there[0]]}, folder)
    assert paths[0].name == "t-desk.md" and "A part" not in paths[0].read_text()


def check_curves(folder):
    """Only what both curves have is compared; equal is not better."""
    table = {"name": "c", "title": "C", "paper": "Figure 0", "points": 2,
             "budget": {"desk": {"count": 8, "seeds": [1]}},
             "row": [{"name": "on", "train": "", "tune": ""}, {"name": "new", "train": "", "tune": "", "over": "on"}]}

    def bullets(on, new):
        cells = {(name, "s"): [[Evaluation(r, at) for at, r in zip((16, 32), each)]]
                 for name, each in (("on", on), ("new", new))}
        path = tables.write(table, "desk", [Set], [1], cells, folder)[0]
        return path.read_text().split("at once.\n\n")[1]

    one, two, bad = numbers(0.1, 1.0), numbers(0.1, 2.0), numbers(0.9, 0.5)
    assert ("after 32 instances: new against on: infeasible rate 10.00 % against 10.00 %: equal; "
            "gap 1.00 % against 2.00 %: agrees.") in bullets([one, two], [two, one])
    assert "gap 2.00 % against 1.00 %: does not agree" in bullets([one, one], [two, two])
    assert "after 16 instances" in bullets([one, None], [two, one])
    assert "gap: nothing to compare" in bullets([one, one], [two, bad])
    assert bullets([one, one], [None, None]) == "Nothing to compare.\n"


# ---- tables at smoke ----

def check_table(path, out):
    table = tomllib.loads(path.read_text())
    assert {"title", "paper", "sets", "row", "budget"} <= table.keys(), path
    assert set(table["budget"]) == {"smoke", "desk", "paper"}, path
    stem = out / f"{path.stem}-smoke"
    text = stem.with_suffix(".md").read_text()
    names = [row["name"] for row in table["row"]]
    rows = list(csv.DictReader(stem.with_suffix(".csv").open()))
    latex = stem.with_suffix(".tex").read_text()
    points = 2 if "points" in table else 1  # 32 instances in batches of 16: no more checkpoints than steps
    for row in table["row"]:
        assert row["name"] in text, (path, row["name"])
        assert row.get("over") in [None, *names], (path, row)
        assert set(row.get("paper", {})) <= set(table["sets"]), (path, row)
        count = sum(found["method"] == row["name"] for found in rows)
        assert count == (0 if row.get("kind") == "lkh" else len(table["sets"]) * points), (path, row["name"], count)
    for found in rows:
        assert 0 <= float(found["inst"]) <= 100 and found["seeds"] == "1", found
    shows_gaps = "gap" in table.get("figures", ["gap"])
    assert "## What agrees" in text and ("our own local search" in text) == shows_gaps, path
    assert r"\end{tabular}" in latex and latex.count(r"\\") >= (len(rows) if points > 1 else len(names)), path


def check_kept(folder, smoke):
    """Results that are kept spare the runs, if they were compared with the same reference."""
    out, kept, other = (folder / name for name in ("out", "kept", "other"))
    elsewhere = [*smoke, "--out", other, "--kept", kept]
    refuse(f"--kept: {kept}: no such directory", "density", *elsewhere)
    kept.mkdir()
    call("density", *elsewhere, "--so-far")
    text = (other / "density-smoke-part.md").read_text()
    assert "| not run" in text and "nothing yet" in text and not list((other / "sets").iterdir())
    call("density", *smoke, "--kept", kept, "--keep")
    call("tsptw50", *smoke, "--kept", kept, "--keep", "--sets", "tsptw50_hard")
    labels = {json.loads(path.read_text())["what"] for path in kept.glob("*.json")}
    assert len(labels) == len(list(kept.glob("*.json"))), labels
    pip = "smoke, tsptw8_hard: --instances 64 --protocol pip --seed 1; eval "
    assert {pip + "--greedy --augment 2", pip + "--samples 8 --augment 2"} <= labels, labels
    shutil.copytree(out / "sets", other / "sets", dirs_exist_ok=True)  # and references
    assert call("density", *elsewhere, "--dry-run").startswith("0 runs, instances: none; 0 evaluations")
    assert "results were made before" in call("density", *elsewhere)
    assert not stamps(other)  # nothing was trained
    assert "not run" not in (other / "density-smoke.md").read_text()
    assert "0 runs" not in call("density", *elsewhere, "--kept", "none", "--dry-run")
    costs = other / "sets" / "tsptw8_hard-8.costs.csv"
    right = costs.read_text()
    costs.write_text(right.replace(right.split()[1], "1.5", 1))
    assert "; 3 evaluations" in call("density", *elsewhere, "--dry-run")  # k = 1, 2, 4 on this set
    for text, expected in (("cost\n1\n", "1 costs"), ("cost\n" + "x\n" * 8, "could not convert"), ("", "0 costs"),
                           ("cost\n" + "nan\n" * 8, "not a number")):
        costs.write_text(text)
        refuse(expected, "density", *elsewhere)
        refuse(f"{costs}: ", "density", *elsewhere)
    costs.write_text(right)
    report = costs.with_suffix(".json")
    for text in ("{", "[]", '{"models": 1}'):
        report.write_text(text)
        refuse(f"{report}: expected the report of the local search", "density", *elsewhere)
    shutil.copy(out / "sets" / report.name, report)
    broken = next(path for path in kept.glob("*.json") if "tsptw8_medium" in path.read_text())
    wrong = json.dumps({**json.loads(broken.read_text()), "gap_ratio": "0"})
    for text in ("", "[]", "7", "{}", '{"infeasible_instances": 0}', wrong):
        broken.write_text(text)
        refuse(f"{broken}: damaged, expected a result: remove the file", "density", *elsewhere)
    refuse("results of smoke say nothing", "density", *smoke, "--kept", ROOT / "reproduce/kept", "--keep")
    assert "--keep: where?" in call("density", *elsewhere, "--kept", "none", "--keep", expect=2)
    evaluation = next((out / "evals").glob("*.json"))
    whole = evaluation.read_text()
    evaluation.unlink()  # its run is done: nothing to train
    assert call("all", *smoke, "--dry-run").startswith("0 runs, instances: none; 1 evaluations")
    evaluation.write_text("[]")
    refuse(f"{evaluation}: damaged", "all", *smoke)
    evaluation.write_text(whole)


def check_parts(out, smoke):
    """What is not the whole table does not take its place."""
    whole = (out / "density-smoke.md").read_text()
    call("density", *smoke, "--so-far", "--seeds", "1,2")
    text = (out / "density-smoke-part.md").read_text()
    assert "1 of 2 seeds" in text and "seeds 1, 2 instead of 1 (--seeds)" in text and "are missing (--so-far)" in text
    assert "; 2 seeds of all that is trained;" in text
    call("density", *smoke, "--sets", "tsptw50_hard")
    text = (out / "density-smoke-part.md").read_text()
    assert "tsptw8_hard" in text and "tsptw8_medium" not in text and "without tsptw50_medium (--sets)" in text
    assert (out / "density-smoke.md").read_text() == whole
    call("density", *smoke, "--so-far")
    assert (out / "density-smoke.md").read_text() == whole


# ---- what goes wrong ----

def check_refusals(folder, smoke):
    nothing = folder / "nothing"
    here = [*smoke, "--out", nothing]
    refuse("there is no table 'tsptw5'", "terms", "tsptw5")
    refuse("there is no table 'nosuch'", "all", "nosuch")
    refuse("there is no 'tsptw5'", "warm", *here, "--sets", "tsptw5")
    refuse("there is no ''", "warm", *here, "--sets", "")
    refuse("expected whole numbers", "warm", *here, "--seeds", "1,a")
    refuse("--seeds: 2 is named twice", "warm", *here, "--seeds", "2,1,2")
    refuse("--workers: 0, expected 1 or more", "warm", *here, "--workers", "0")
    refuse("--seeds: -1, expected numbers of 64 bits", "warm", *here, "--seeds=-1")
    refuse("/nosuch/ucpo: no program", "warm", *here, ucpo="/nosuch/ucpo")
    refuse("is not ucpo ('--version' says '", "warm", *here, ucpo=shutil.which("env"))
    refuse("--reference: /nosuch: no such directory", "warm", *here, "--reference", "/nosuch")
    assert "runs, instances: " in call("density", *here, "--dry-run")
    assert not nothing.exists()  # neither refusals nor a dry run leave anything
    file = folder / "file"
    file.touch()
    refuse(f"{file}/runs: Not a directory", "density", *smoke, "--out", file)
    stored = folder / "tsptw50_hard_lkh_cost10000.npy"
    desk = ["density", "--budget", "desk", "--reference", folder, "--out", nothing, "--dry-run"]
    kept = json.loads(next((ROOT / "reproduce/kept").glob("*.json")).read_text())
    (folder / "few").mkdir()
    (folder / "few/one.json").write_text(json.dumps({**kept, "what": "desk, tsptw50_hard: a run"}))
    passed = "1 results of tsptw50_hard in"
    assert passed in call(*desk, "--kept", folder / "few") and "tsptw50_medium" not in call(*desk, "--kept", folder / "few")
    write_npy(stored, [1.0] * 1000)
    assert passed not in call(*desk, "--kept", folder / "few")
    for damage, text in ((lambda: stored.write_bytes(b""), "not an NPY file"),
                         (lambda: stored.write_bytes(stored.read_bytes()[:200]), "not an NPY file"),
                         (lambda: stored.write_bytes(b"\x93NUMPY\x01\x00\x04\x00 {1:"), "not an NPY file"),
                         (lambda: write_npy(stored, [1.0] * 999), "999 costs"),
                         (lambda: write_npy(stored, [math.nan] * 1000), "a cost that is not a number")):
        write_npy(stored, [1.0] * 1000)
        damage()
        refuse(f"{stored}: {text}", *desk)
    stored.unlink()


def check_damaged_runs(out, smoke):
    """The message says what to remove; then the same call goes on."""
    run = next(path.parent for path in stamps(out) if "--protocol paper" in
               path.parent.with_suffix(".toml").read_text().splitlines()[0])
    (run / "done").unlink()
    shutil.move(out / "evals", out / "gone")
    for name in ("last.safetensors", "config.toml"):
        (run / name).write_text("junk")
        refuse(f"remove {run} and call again", "all", *smoke)
    shutil.rmtree(run)
    shutil.rmtree(out / "evals")
    a_set = out / "sets" / "tsptw8_hard-8.npy"
    for damage in (b"", b"junk", a_set.read_bytes()[:50]):
        a_set.write_bytes(damage)
        refuse(f"remove {a_set} and call again", "density", *smoke, "--sets", "tsptw50_hard")
    a_set.unlink()
    call("all", *smoke)
    shutil.rmtree(out / "gone")


def check_desk(folder):
    """reproduce/desk is what reproduce/kept gives, where the costs of LKH are there."""
    costs = ROOT.parent / "shared/data/validation"
    if not costs.is_dir():
        print("reproduce/desk: skipped, no ../shared/data/validation")
        return
    for path in sorted((ROOT / "reproduce/desk").glob("*.md")):
        call(path.name.split("-")[0], "--budget", "desk", "--so-far", "--reference", costs, "--out", folder / "desk")
        assert (folder / "desk" / path.name).read_text() == path.read_text(), f"{path}: not what reproduce/kept gives"


def check_children(folder, smoke):
    """They end with the script, and a reference takes no more threads than there are workers."""
    pid, log, slow, told = (folder / name for name in ("pid", "log", "slow", "told"))
    slow.write_text('#!/bin/sh\nPATH=/usr/bin:/bin\n'
                    f'[ "$1" != eval ] || {{ echo $$ > {pid}.part; mv {pid}.part {pid}; exec sleep 3600; }}\n'
                    f'exec {UCPO} "$@"\n')
    told.write_text(f'#!/bin/sh\necho "$@" >> {log}\nexec {UCPO} "$@"\n')
    slow.chmod(0o755)
    told.chmod(0o755)
    killing = [signal.SIGKILL] if shutil.which("setpriv") else []
    for number in (signal.SIGINT, signal.SIGTERM, *killing):
        path = os.environ["PATH"] if number in killing else ""  # the first two without setpriv
        process = start("density", *smoke, "--out", folder / "slow-out", ucpo=slow, env={"PATH": path})
        assert wait_until(pid.exists)
        child = pathlib.Path("/proc") / pid.read_text().strip()
        process.send_signal(number)
        _, errors = process.communicate()
        if number != signal.SIGKILL:
            assert process.returncode == 130 and "while the reference of tsptw8_medium was computed" in errors, errors
        assert wait_until(lambda: not child.exists()), number
        pid.unlink()
    call("density", *smoke, "--out", folder / "told-out", "--workers", "3", ucpo=told)
    lines = log.read_text().splitlines()
    assert any(line.startswith("eval none") and " -j 3 " in line for line in lines), lines
    assert all(" -j 1 " in line for line in lines if line.startswith("eval ") and " none " not in line)


def interrupt(out, smoke):
    process = start("lambda", *smoke)
    while process.poll() is None and not stamps(out):  # until the first run has begun
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert process.returncode in (0, 130), errors
    assert process.returncode == 0 or "the same command goes on" in errors, errors


def main():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have had it ignored
    files = sorted((ROOT / "reproduce").glob("*.toml"))
    listing = call("--list")
    assert all(path.stem in listing for path in files), listing
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        out = folder / "out"
        smoke = ["--budget", "smoke", "--reference", folder, "--kept", "none", "--out", out]
        begin = time.monotonic()
        check_sentences()
        check_seeds(folder)
        check_curves(folder)
        check_refusals(folder, smoke)
        check_desk(folder)
        interrupt(out, smoke)
        call("all", *smoke)
        for path in files:
            check_table(path, out)
        assert not list((out / "sets").glob("cvrp*.costs.*"))  # nothing is compared with them
        runs = stamps(out)
        call("tsptw50", *smoke)
        assert stamps(out) == runs
        labels = [p.read_text().splitlines()[0] for p in (out / "runs").glob("*.toml")]
        assert len(set(labels)) == len(runs)
        bases = [line for line in labels if "tsptw8_medium" in line and "then" not in line and "paper" not in line]
        assert len(bases) == 4, bases  # POMO, PIP, PIP-D, SLIM, for all tables together
        check_parts(out, smoke)
        check_kept(folder, smoke)
        check_damaged_runs(out, smoke)
        call("warm", "terms", "warm", *smoke, "--seeds", "1,2")  # the second seed fine-tunes the base of the first
        assert len(stamps(out)) == len(runs) + (8 + 7 - 1) * 2  # nothing from nothing; one of a set is in both tables
        assert "±" in (out / "terms-smoke-part.md").read_text()
        check_children(folder, smoke)
        print(f"{len(files)} tables, {len(runs)} runs, {time.monotonic() - begin:.0f} s")


if __name__ == "__main__":
    main()
