"""Training runs and evaluations: known by their settings, made once, found again."""
import hashlib
import json
import os
import pathlib
import re
import tempfile
import time
import tomllib

from program import Trouble

# Settings that do not change the weights of a run.
IDLE = {"threads", "save-every", "log-every", "max-time", "max-instances", "start",
        "validate", "validate-count", "validate-samples", "validate-augment",
        "validate-every", "reference"}
# What tables take from a result: numbers, or None where nothing was solved or nothing is compared with.
NEEDED = ("infeasible_instances", "infeasible_solutions", "mean_objective", "gap_mean", "gap_ratio")


def digest(*parts):
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def write_whole(file, text):
    """A file is there with all its text, or not at all."""
    part = file.with_suffix(".part")
    part.write_text(text)
    part.rename(file)


class Run:
    """A training run, known by its settings: the file that `ucpo train --print-config` prints."""

    def __init__(self, store, label, options, base=None):
        self.store, self.label, self.base = store, label, base
        self.text = self.ask(options)
        self.settings = tomllib.loads(self.text)
        # what came later and is off: runs of before are the same runs
        idle = IDLE | ({"decision-in"} if self.settings["decision"] == 0 else set()) \
            | ({"pair"} if self.settings["pair"] == "off" else set())
        told = [f"{key} = {value!r}" for key, value in sorted(self.settings.items())
                if key not in idle]
        # keep-every is told: a run with points is another one
        told.append(f"base = {base.name if base else ''}")
        self.name = digest(*told)
        self.dir = store.out / "runs" / self.name
        self.work = self.settings["instances"] * self.weight()

    def ask(self, options):
        """All settings that these options mean."""
        problem, *rest = options
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as question:
            if self.base:
                question.write(f'start = "{self.base.name}"\nmask = "{self.base.settings["mask"]}"\n')
                question.flush()
            return self.store.program.call("train", problem, "--config", question.name, *rest, "--print-config")

    def weight(self):
        """Work of an instance, roughly."""
        size = max(int(part.split(":")[0]) for part in str(self.settings["size"]).split(","))
        samples = self.settings["samples"] or size
        return size * (samples + 20)

    def model(self, at=None):
        return self.dir / (f"at-{at}.safetensors" if at else "last.safetensors")

    def is_done(self):
        return (self.dir / "done").exists()

    def needs(self):
        """Runs that have to be finished first."""
        return {self.base.name} if self.base and not self.base.is_done() else set()

    def seen(self):
        """Instances of a run under way."""
        try:
            with open(self.dir / "metrics.jsonl", "rb") as file:
                file.seek(max(0, os.path.getsize(file.name) - 2000))
                return json.loads(file.read().splitlines()[-1])["instances"]
        except (OSError, ValueError, IndexError, KeyError, TypeError):
            return 0

    def go(self):
        tail = ["--threads", 1, "-q"]
        if (self.dir / "config.toml").exists():
            self.store.program.call("train", "--resume", self.dir, *tail)
        else:
            file = self.dir.with_suffix(".toml")
            text = self.text
            if self.base:
                text = text.replace(f'"{self.base.name}"', json.dumps(str(self.base.model().resolve())))
            file.write_text(f"# {self.label}\n{text}")
            self.store.program.call("train", "--config", file, "-o", self.dir, *tail)
        (self.dir / "done").touch()


class Evaluation:
    """A model on a set; the summary of `ucpo eval` is kept."""

    def __init__(self, store, run, a_set, options, at=None):
        self.store, self.run, self.set, self.options, self.at = store, run, a_set, options, at
        where = f", after {at} instances" if at else ""
        self.label = f"{run.label}{where}; eval {' '.join(map(str, options))}"
        key = digest(run.name, str(at), a_set.name, str(a_set.count), a_set.head, *map(str, options))
        self.file = store.out / "evals" / f"{key}.json"
        self.kept = store.kept / f"{key}.json" if store.kept else None
        self.work = a_set.count * 8 * a_set.size * (a_set.size + 20) / 6
        own = self.read(self.file)
        self.is_from_kept = not own and bool(self.kept)
        self.result = self.read(self.kept) if self.is_from_kept else own

    def read(self, file):
        """The result in a file; None if there is none, or if it was compared with another reference."""
        try:
            found = read_result(file)
        except FileNotFoundError:
            return None
        return found if self.set.digest and found.get("reference") == self.set.digest else None

    def is_done(self):
        return bool(self.result)

    def needs(self):
        return set() if self.run.is_done() else {self.run.name}

    def go(self):
        report = self.file.with_suffix(".csv")
        compare = ["-r", self.set.costs] if self.set.costs else []
        self.store.program.call("eval", self.run.model(self.at), "--set", self.set.file, *compare,
                                "-c", self.set.count, *self.options, "-j", 1, "-f", "csv", "-o", report, "-q")
        header, row = [line.split(",") for line in report.read_text().splitlines()]
        numbers = {k: float(v) if v else None for k, v in zip(header, row)
                   if k not in ("model", "mask", "refine")}
        self.result, self.is_from_kept = {"reference": self.set.digest, **numbers}, False
        write_whole(self.file, json.dumps(self.result))
        report.unlink()

    def keep(self):
        """Puts a result that was made here where it can be committed, with words on what it is."""
        if not self.result or self.is_from_kept or self.read(self.kept):
            return
        self.kept.parent.mkdir(parents=True, exist_ok=True)
        facts = {"what": self.label, "when": time.strftime("%Y-%m-%d"), "processor": processor()}
        write_whole(self.kept, json.dumps({**facts, **self.result}, indent=0) + "\n")


def read_result(file):
    try:
        found = json.loads(file.read_text())
    except ValueError:
        found = None
    if not is_result(found):
        raise Trouble(f"{file}: damaged, expected a result: remove the file and call again")
    return found


def is_result(found):
    return (isinstance(found, dict) and all(key in found for key in NEEDED)
            and all(isinstance(found[key], (int, float, type(None))) for key in NEEDED))


def processor():
    """What /proc says it is."""
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text()
        return re.search(r"model name\s*: (.*)", text).group(1)
    except (OSError, AttributeError):
        return "unknown"
