"""Docstrings, the page docs/python.md and the examples do what they say."""
import doctest
import importlib
import re
import shutil
import subprocess
import sys

import pytest

MODULES = ["_facts", "_instance", "_plan", "_loss", "_model", "_solve", "_train", "torch"]


@pytest.mark.filterwarnings("ignore::ucpo.Notice")
@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    if name == "torch":
        pytest.importorskip("torch")
    found = doctest.testmod(importlib.import_module(f"ucpo.{name}"))
    assert found.attempted > 0 and found.failed == 0


@pytest.mark.heavy
def test_the_page(root, tmp_path, monkeypatch):
    """Every Python block of docs/python.md, one after the other, as one script in an empty folder."""
    pytest.importorskip("torch")
    for name in ("stops.csv", "day50.json", "toy.cvrptw", "toy_impossible.tsptw"):
        shutil.copy(root / "examples/data" / name, tmp_path)
    for name in ("bench", "models"):
        (tmp_path / name).symlink_to(root / name)
    blocks = re.findall(r"^```python\n(.*?)^```", (root / "docs/python.md").read_text(), flags=re.S | re.M)
    assert len(blocks) >= 5 and len(blocks[0].splitlines()) == 5
    (tmp_path / "page.py").write_text("\n".join(blocks))
    done = subprocess.run([sys.executable, "page.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for made in ("plan.html", "plan.svg"):
        assert (tmp_path / made).stat().st_size > 1000


@pytest.mark.heavy
def test_the_readme(root):
    """Python of README.md, in the repository, with three sampled plans for the loss."""
    pytest.importorskip("torch")
    blocks = re.findall(r"^```python\n(.*?)^```", (root / "README.md").read_text(), flags=re.S | re.M)
    assert len(blocks) == 2
    plans = ("import torch\nlog_likelihood = torch.zeros(1, 3, requires_grad=True)\n"
             "cost, violation = torch.tensor([[3.0, 2.0, 1.0]]), torch.tensor([[0.0, 0.0, 5.0]])")
    script = "\n".join([blocks[0], plans, blocks[1], "loss.backward()"])
    done = subprocess.run([sys.executable, "-c", script], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("True ")


@pytest.mark.heavy
def test_the_training_example_learns(root, monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.syspath_prepend(str(root / "bindings/python/examples"))
    import pomo_tsptw

    runs = [pomo_tsptw.train("ucpo", seconds=3600, steps=220, quiet=True, seed=seed) for seed in (1, 2)]
    assert all(first > 0.9 for first, _ in runs)
    assert min(last for _, last in runs) < 0.6  # when it begins to learn depends on the processor's last bits


@pytest.mark.heavy
def test_the_rl4co_example_runs_or_says_why_not(root):
    done = subprocess.run([sys.executable, root / "bindings/python/examples/pomo_rl4co.py"], capture_output=True, text=True)
    if done.returncode == 77:
        assert "rl4co is not installed" in done.stdout
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0, done.stderr
