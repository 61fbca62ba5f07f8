#!/usr/bin/env python3
"""scripts/models on a list of two tiny models, one grown from the other: models.py UCPO. Bases come first, a
second call does nothing, notes tell command and result, a bad list is refused; and the real list can be read."""
import json
import os
import pathlib
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


def info(path):
    return subprocess.run([UCPO, "info", path], capture_output=True, text=True, check=True).stdout


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    recipes, out = folder / "recipes.toml", folder / "out"
    recipes.write_text(RECIPES)
    common = ("--recipes", recipes, "--out", out, "--count", 3)
    assert "2 of 2 models" in call("tsptw_grown", "--list", *common)
    assert not list(out.glob("*.safetensors"))
    call("tsptw_grown", *common)
    for name, command in (("tsptw_base", "ucpo train tsptw -n 6"), ("tsptw_grown", "finetune tsptw_base.safetensors -n 8")):
        text = info(out / f"{name}.safetensors")
        assert command in text and "tsptw50_hard, first 3, greedy x 8: " in text, text
        assert (out / f"{name}.json").exists()
        results = json.loads((out / f"{name}.json").read_text())["tsptw50_hard"]
        assert results.keys() == {"greedy x 8", "8n samples", "8n in 8 rounds"}, results
    before = {p: p.stat().st_mtime_ns for p in out.rglob("*.safetensors")}
    assert "0 of 2 models" in call(*common)
    assert before == {p: p.stat().st_mtime_ns for p in out.rglob("*.safetensors")}

    (out / "tsptw_grown.safetensors").unlink()  # the run is there: only the end is done again
    call("tsptw_grown", *common)
    assert (out / "tsptw_grown.safetensors").exists()

    recipes.write_text(RECIPES.replace('from = "tsptw_base"', 'from = "tsptw_none"'))
    assert "grows from 'tsptw_none', which is not above it" in call(*common, expect=1)
    assert "there is no recipe 'x'" in call("x", expect=1)
    assert "no such program" in call("--ucpo", "/nowhere", expect=1)
print("ok")
