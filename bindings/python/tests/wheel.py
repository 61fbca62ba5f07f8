#!/usr/bin/env python3
"""Builds the wheel and uses it as a stranger would: wheel.py [PYTHON]

1. pip builds the wheel from the repository (build/wheel keeps the objects).
2. An empty virtual environment, with nothing but the wheel and numpy, without a compiler on the path.
3. One that sees the system's torch: both orders of import, with threads, and a fork.

Ends with 77 (skipped) where scikit-build-core or numpy cannot be fetched, and without UCPO_TEST_FULL=1, since
the library is compiled once more.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
PYTHON = sys.argv[1] if len(sys.argv) > 1 else "/usr/bin/python3"

SMOKE = """
import ucpo
facts = ucpo.versions()
assert facts["threads"] == "POSIX", facts
day = ucpo.read("day50.json")
assert ucpo.Solver().model_for(day) is not None, facts["models"]
plan = ucpo.solve(day, time=0.5, threads=2)
assert plan.feasible
plan.report("plan.html")
loss, weight, metrics = ucpo.loss([[1.0, 2.0]], [[0.0, 0.0]], [[0.0, 0.0]])
assert weight[0, 0] < 0 < weight[0, 1]
run = ucpo.train("tsptw", "run", size=10, network="small", instances=64, progress=False)
assert run.ended_by == "finished"
print("smoke: ok", ucpo.__version__)
"""


def run(*command, **more):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **more)
    return done.returncode, done.stdout + done.stderr


def must(*command, **more):
    code, text = run(*command, **more)
    if code:
        sys.exit(f"wheel: {' '.join(map(str, command))} failed with {code}:\n{text[-4000:]}")
    return text


def skip(why):
    print(f"wheel: skipped, {why}")
    sys.exit(77)


def environment(folder, *options):
    must(PYTHON, "-m", "venv", *options, folder)
    return folder / "bin"


def clean(bin_folder):
    """An environment without compilers, our own variables and the caller's Python."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("UCPO_", "PYTHON"))}
    tools = pathlib.Path(bin_folder).parent / "tools"
    tools.mkdir()
    return dict(kept, PATH=f"{bin_folder}:{tools}", CC="/nowhere/cc")


def build(scratch):
    builder = environment(scratch / "builder")
    clear = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    code, text = run(builder / "pip", "wheel", "--no-deps", "-w", scratch / "wheels", ROOT, env=clear)
    if code and ("No matching distribution found for scikit-build-core" in text or "Failed to establish a new connection" in text):
        skip("scikit-build-core cannot be fetched")
    if code:
        sys.exit(f"wheel: pip wheel failed:\n{text[-6000:]}")
    (wheel,) = (scratch / "wheels").glob("ucpo-*.whl")
    if "-py3-none-" not in wheel.name:
        sys.exit(f"wheel: {wheel.name} is not for any Python 3")
    return wheel


def try_empty(scratch, wheel):
    bin_folder = environment(scratch / "empty")
    code, text = run(bin_folder / "pip", "install", "-q", wheel)
    if code and ("No matching distribution found for numpy" in text or "Failed to establish a new connection" in text):
        return "numpy cannot be fetched"
    if code:
        sys.exit(f"wheel: pip install failed:\n{text[-4000:]}")
    use(scratch / "work", bin_folder)
    return None


def use(folder, bin_folder):
    """The package and the program, in a folder of their own."""
    folder.mkdir()
    (folder / "day50.json").write_bytes((ROOT / "examples/data/day50.json").read_bytes())
    settings = clean(bin_folder)
    must(bin_folder / "python", "-c", SMOKE, cwd=folder, env=settings)
    text = must("ucpo", "solve", "day50.json", "-t", "0.5s", cwd=folder, env=settings)
    if "safetensors" not in text:
        sys.exit(f"wheel: the program does not find the shipped models:\n{text}")
    must(bin_folder / "python", "-m", "ucpo", "--version", cwd=folder, env=settings)


def try_with_torch(scratch, wheel):
    bin_folder = environment(scratch / "torch", "--system-site-packages")
    must(bin_folder / "pip", "install", "-q", "--no-deps", "--no-index", wheel)
    tests = ROOT / "bindings/python/tests"
    names = ["test_process.py", "test_solve.py::test_the_process_may_fork_after_a_solve", "test_loss.py"]
    settings = {key: value for key, value in os.environ.items() if not key.startswith(("UCPO_", "PYTHON"))}
    print(must(bin_folder / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider", *[f"{tests}/{name}" for name in names],
               cwd=scratch, env=settings).strip().splitlines()[-1])


def main():
    if os.environ.get("UCPO_TEST_FULL") != "1":
        skip("the wheel is built with UCPO_TEST_FULL=1")
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        wheel = build(scratch)
        size = wheel.stat().st_size
        missing = try_empty(scratch, wheel)
        try_with_torch(scratch, wheel)
        if missing:
            skip(missing)
        print(f"wheel: {wheel.name}, {size / 1e6:.1f} MB, works")


if __name__ == "__main__":
    main()
