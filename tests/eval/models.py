#!/usr/bin/env python3
"""scripts/models on a list of two tiny models, one grown from the other: models.py UCPO. Bases come first, a
second call does nothing, notes tell command, commit and result, the time that is left counts what was learned and the
processes, an interrupted run goes on; a bad list and a folder that cannot be written are refused in one line."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

UCPO = os.path.abspath(sys.argv[1])
ROOT = pathlib.Path(__file__).resolve().parents[2]
TINY = "--width 16 --heads 2 --hidden 16 --layers 1 --batch 8 --samples 4 --validate none"
RECIPES = f"""
[[model]]
name = "tsptw_base"
train = "tsptw -n 6 --level hard --instances 16 {TINY}"
sets = ["tsptw50_hard"]

[[model]]
name = "tsptw_grown"
from = "tsptw_base"
train = "-n 8 --instances 8 --batch 8 --samples 4 --validate none"
sets = ["tsptw50_hard"]
"""


def call(*words, expect=0):
    done = subprocess.run([sys.executable, ROOT / "scripts/models", "--ucpo", UCPO, "--threads", "1", *map(str, words)],
                          capture_output=True, text=True, check=False)
    assert done.returncode == expect, (words, done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


def minutes(text, name):
    return int(re.search(rf"^{name} +about (\d+) min", text, re.M).group(1))


def commit_here():
    """What `git` says of the tree; "unknown" outside a repository."""
    done = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty", "--abbrev=7", "--exclude", "*"],
                          capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def info(path):
    return subprocess.run([UCPO, "info", path], capture_output=True, text=True, check=True).stdout


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    recipes, out = folder / "recipes.toml", folder / "out"
    recipes.write_text(RECIPES)
    common = ("--recipes", recipes, "--out", out, "--count", 3)
    assert "2 of 2 models" in call("tsptw_grown", "--list", *common)
    assert not out.exists()  # a list writes nothing
    begun_with = commit_here()
    call("tsptw_grown", *common)
    for name, command in (("tsptw_base", "ucpo train tsptw -n 6"), ("tsptw_grown", "finetune tsptw_base.safetensors -n 8")):
        text = info(out / f"{name}.safetensors")
        assert command in text and "tsptw50_hard, first 3, greedy x 8: " in text, text
        if begun_with == commit_here():
            assert f"commit {begun_with}, " in text, text
        assert (out / f"{name}.json").exists()
        results = json.loads((out / f"{name}.json").read_text())["tsptw50_hard"]
        assert results.keys() == {"greedy x 8", "8n samples", "8n in 8 rounds"}, results
    before = {p: p.stat().st_mtime_ns for p in out.rglob("*.safetensors")}
    assert "0 of 2 models" in call(*common)
    assert before == {p: p.stat().st_mtime_ns for p in out.rglob("*.safetensors")}

    (out / "tsptw_grown.safetensors").unlink()  # the run is there: only the end is done again
    (out / "tsptw_grown.commit").write_text("0000000\n")  # and nothing is learned with today's commit
    assert "about 0.0 hours" in call("tsptw_grown", *common)
    assert "commit 0000000, " in info(out / "tsptw_grown.safetensors")

    # A run cut short says how much is left, goes on, and names both commits.
    (out / "tsptw_base.safetensors").unlink()
    shutil.rmtree(out / "tsptw_base")
    words = RECIPES.split('train = "')[1].split('"')[0].split()
    subprocess.run([UCPO, "train", *words, "-q", "--threads", "1", "--max-instances", "8", "-o", out / "tsptw_base"],
                   check=True, capture_output=True)
    (out / "tsptw_base.commit").write_text("0000000\n")
    call("tsptw_base", *common)
    assert re.search("commit 0000000, then [0-9a-z-]+, ", info(out / "tsptw_base.safetensors"))

    # Estimates, by a program that always takes 60 s for 10,000 instances on a thread: what was learned is not
    # counted again, and two processes share the two chunks of a batch of 16, three no better.
    clock = folder / "clock"
    clock.write_text('#!/bin/sh\nfor w; do [ "$w" = --dry-run ] && echo "time 60.0 s for 10,000 instances" && exit; done\n'
                     f'exec "{UCPO}" "$@"\n')
    recipes.write_text(RECIPES.replace("--instances 16", "--instances 40k").replace("--batch 8", "--batch 16", 1))
    run = folder / "long/tsptw_base"
    run.mkdir(parents=True)
    ask = ("tsptw_base", "--list", "--ucpo", clock, "--recipes", recipes, "--out", folder / "long")
    for times in ("1", "2", "3"):
        (folder / times).write_text("#!/bin/sh\n" + " && ".join(['"$@"'] * int(times)) + "\n")
    for path in (clock, folder / "1", folder / "2", folder / "3"):
        path.chmod(0o755)
    assert minutes(call(*ask), "tsptw_base") == 4
    for ranks, expected in (("1", 4), ("2", 2), ("3", 2)):
        text = call(*ask, "--launcher", folder / ranks)
        assert minutes(text, "tsptw_base") == expected and (f"and {ranks} processes" in text) == (ranks != "1"), text
    (run / "metrics.jsonl").write_text('{"instances": 30000}\n{"instances": 300')
    assert minutes(call(*ask), "tsptw_base") == 1
    assert "--launcher: " in call("--list", "--launcher", "/nowhere/mpirun", *common, expect=2)

    (folder / "file").write_text("")
    said = call("tsptw_base", "--recipes", recipes, "--out", folder / "file" / "out", expect=2)
    assert "cannot write there" in said and said.count("\n") == 1, said
    assert "no.toml" in call("--recipes", folder / "no.toml", expect=2)

    for text, expected in ((RECIPES.replace("train = ", "trains = ", 1), "[[model]] number 1 (tsptw_base) has no 'train'"),
                           (RECIPES + RECIPES, "there are two recipes 'tsptw_base'"), ("", "no [[model]] in it"),
                           ("model = 3", "expected [[model]] sections"), ("[model]", "expected [[model]] sections"),
                           (RECIPES.replace('from = "tsptw_base"', 'from = "tsptw_grown"'), "which is not above it")):
        recipes.write_text(text)
        said = call("--dry-run", *common, expect=2)
        assert f"{recipes}: " in said and expected in said and said.count("\n") == 1, said
    recipes.write_bytes(b"\xff\xfe\x00")
    assert "is not text" in call("--list", *common, expect=2)
    assert "--count is 0" in call("--list", "--count", 0, expect=2)
    assert "make mpi" in call("--ucpo", "build/mpi-nowhere/ucpo", expect=2)
    recipes.write_text(RECIPES.replace('from = "tsptw_base"', 'from = "tsptw_none"'))
    assert "grows from 'tsptw_none', which is not above it" in call(*common, expect=2)
    assert "there is no recipe 'x'" in call("x", expect=2)
    assert "no such program" in call("--ucpo", "/nowhere", expect=2)
print("ok")
