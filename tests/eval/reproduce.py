#!/usr/bin/env python3
"""Every table of the paper at budget smoke: reproduce.py UCPO. Tables are complete, bases are shared,
an interrupted call goes on, a second call does nothing, the sentences are right."""
import csv
import importlib.util
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib

UCPO = os.path.abspath(sys.argv[1])
ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "reproduce"


def call(*arguments, expect=0):
    done = subprocess.run([sys.executable, SCRIPT, *arguments, "--ucpo", UCPO], capture_output=True,
                          text=True, check=False)
    assert done.returncode == expect, (arguments, done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


def stamps(out):
    return {p: p.stat().st_mtime_ns for p in (out / "runs").glob("*/last.safetensors")}


def check_table(path, out):
    table = tomllib.loads(path.read_text())
    assert {"title", "paper", "sets", "row", "budget"} <= table.keys(), path
    assert set(table["budget"]) == {"smoke", "desk", "paper"}, path
    stem = out / f"{path.stem}-smoke"
    text = stem.with_suffix(".md").read_text()
    names = [row["name"] for row in table["row"]]
    rows = list(csv.DictReader(stem.with_suffix(".csv").open()))
    for row in table["row"]:
        assert f"| {row['name']} |" in text, (path, row["name"])
        assert row.get("over") in [None, *names], (path, row)
        assert set(row.get("paper", {})) <= set(table["sets"]), (path, row)
        count = sum(found["method"] == row["name"] for found in rows)
        points = len(table["sets"]) * table.get("points", 1)
        assert count == (0 if row.get("kind") == "lkh" else points), (path, row["name"], count)
    for found in rows:
        assert 0 <= float(found["inst"]) <= 100, found
    assert "## What agrees" in text and "our own local search" in text
    assert r"\end{tabular}" in stem.with_suffix(".tex").read_text()


def check_sentences():
    """Orders are counted, not written by hand."""
    spec = importlib.util.spec_from_file_location("tables", ROOT / "reproduce" / "tables.py")
    tables = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tables)

    class Set:
        preset = name = "s"

    def cell(inst, gap, paper):
        return tables.Cell([{"infeasible_instances": inst, "mean_objective": 1.0, "gap_ratio": gap}], paper)

    table = {"row": [{"name": "a", "paper": {}}, {"name": "b", "over": "a"}, {"name": "c"}]}
    cells = {("a", "s"): cell(0.5, 1.0, [5.0, 1.0, 1.0]), ("b", "s"): cell(0.1, 2.0, [2.0, 1.0, 2.0]),
             ("c", "s"): cell(0.1, 0.5, [1.0, 1.0, 3.0])}
    text = tables.sentences(table, [Set], cells)[0]
    assert "by infeasible rate 2 of 3 pairs of methods stand in the paper's order, 0 in the other, 1 are equal" in text
    assert "by gap 1 of 3 pairs of methods stand in the paper's order, 2 in the other" in text
    gain = "b against a: infeasible rate 10.00 % against 50.00 %; b against a: gap 2.00 % against 1.00 %."
    assert gain in text, text
    assert math.isnan(tables.Cell([{"gap_ratio": 1.0}, {"gap_ratio": None}], []).mean["gap"])
    assert tables.count_of("1.5k") == 1500 and tables.duration(90) == "90 s"


def check_kept(folder, smoke):
    """Results that are kept spare the runs; without them a table says what is missing."""
    kept, other = pathlib.Path(folder) / "kept", pathlib.Path(folder) / "other"
    elsewhere = [*smoke, "--out", str(other), "--kept", str(kept)]
    call("density", *elsewhere, "--so-far")
    text = (other / "density-smoke.md").read_text()
    assert "| not run" in text and "nothing yet" in text and not list((other / "sets").iterdir())
    call("density", *smoke, "--kept", str(kept), "--keep")
    labels = [json.loads(path.read_text())["what"] for path in kept.glob("*.json")]
    assert len(labels) == len(set(labels)) > 0, labels
    shutil.copytree(pathlib.Path(folder) / "out" / "sets", other / "sets", dirs_exist_ok=True)  # and references
    assert call("density", *elsewhere, "--dry-run").startswith("0 runs, instances: none; 0 evaluations")
    call("density", *elsewhere)
    assert not stamps(other)  # nothing was trained
    assert "not run" not in (other / "density-smoke.md").read_text()
    assert "0 runs" not in call("density", *elsewhere, "--kept", "none", "--dry-run")
    broken = next(kept.glob("*.json"))
    broken.write_text("")
    errors = call("density", *elsewhere, expect=2)
    assert f"{broken}: " in errors and "remove the file" in errors and "Traceback" not in errors, errors
    assert "--keep: where?" in call("density", *elsewhere, "--kept", "none", "--keep", expect=2)
    evaluation = next((pathlib.Path(folder) / "out" / "evals").glob("*.json"))
    evaluation.rename(evaluation.with_suffix(".gone"))  # its run is done: nothing to train
    assert call("all", *smoke, "--dry-run").startswith("0 runs, instances: none; 1 evaluations")
    evaluation.with_suffix(".gone").rename(evaluation)


def main():
    check_sentences()
    files = sorted((ROOT / "reproduce").glob("*.toml"))
    listing = call("--list")
    assert all(path.stem in listing for path in files), listing
    assert "there is no table 'tsptw5'" in call("terms", "tsptw5", expect=2)
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out"
        smoke = ["--budget", "smoke", "--out", str(out), "--reference", folder]
        begin = time.monotonic()
        process = subprocess.Popen([sys.executable, SCRIPT, "lambda", *smoke, "--ucpo", UCPO],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        while process.poll() is None and not stamps(out):  # until the first run has begun
            time.sleep(0.02)
        process.send_signal(2)
        _, errors = process.communicate()
        assert process.returncode in (0, 130), errors
        assert process.returncode == 0 or "the same command goes on" in errors, errors
        call("all", *smoke)
        for path in files:
            check_table(path, out)
        runs = stamps(out)
        call("tsptw50", *smoke)
        assert stamps(out) == runs
        labels = [p.read_text().splitlines()[0] for p in (out / "runs").glob("*.toml")]
        assert len(labels) == len(runs)
        bases = [line for line in labels if line.startswith("# base of") or ", 8 greedy for" in line]
        pomo = [line for line in bases if "tsptw8_medium" in line]
        assert len(pomo) == 4, pomo  # POMO, PIP, PIP-D, SLIM, for all tables together
        call("warm", "terms", "warm", *smoke, "--seeds", "1,2")  # the second seed fine-tunes the base of the first
        assert len(stamps(out)) == len(runs) + 8 + 7 * 2 - 1  # nothing from nothing; one is in both tables
        assert "±" in (out / "terms-smoke.md").read_text()
        assert "there is no 'tsptw5'" in call("warm", *smoke, "--sets", "tsptw5", expect=2)
        call("relations", *smoke, "--sets", "tsptw50_hard")
        text = (out / "relations-smoke.md").read_text()
        assert "tsptw8_hard" in text and "tsptw8_medium" not in text
        assert "A part of the table (--sets); without: tsptw50_medium." in text
        check_kept(folder, smoke)
        assert "there is no ''" in call("warm", *smoke, "--sets", "", expect=2)
        assert "expected whole numbers" in call("warm", *smoke, "--seeds", "1,a", expect=2)
        print(f"{len(files)} tables, {len(runs)} runs, {time.monotonic() - begin:.0f} s")


if __name__ == "__main__":
    main()
