"""Sets of instances and the costs that gaps are measured against."""
import ast
import hashlib
import json
import math
import re
import shutil
import struct

from program import Interrupted, Trouble

NO_REFERENCE = "none"  # digest of a set on which no table shows gaps


class Set:
    """Instances to be judged by: a preset, or for another size fresh ones of our generator."""

    def __init__(self, store, preset, budget, needs_reference):
        problem, size, level = re.fullmatch(r"([a-z]+)(\d+)_(\w+)", preset).groups()
        self.store, self.preset, self.problem, self.level = store, preset, problem, level
        self.needs_reference = needs_reference
        self.size = budget.get("size", {}).get(size, int(size))
        self.count = budget["count"]
        self.is_preset = self.size == int(size)
        self.name = preset if self.is_preset else f"{problem}{self.size}_{level}"
        self.file = store.out / "sets" / f"{self.name}-{self.count}.npy"
        self.effort = budget.get("refine", "1s")
        self.lkh = None        # costs of LKH
        self.lkh_failures = 0
        self.head = ""         # what gaps are measured against; keys of evaluations hold these words
        self.costs = None      # file of reference costs
        self.digest = None     # of those costs; None: not known yet

    def prepare(self):
        """Makes what is missing."""
        if not self.file.exists():
            part = self.file.with_suffix(".part.npy")
            what = (["--preset", self.preset] if self.is_preset else
                    [self.problem, "-n", self.size, "--level", self.level, "--seed", 2025])
            self.store.program.call("generate", *what, "--count", self.count, "-o", part, "-q")
            part.rename(self.file)
        if not self.has_reference():
            self.compute()
        self.look()
        if self.lkh and self.stored_file():
            self.lkh_failures = self.count_placeholders()

    def look(self):
        """Finds what gaps are measured against; makes nothing."""
        if not self.needs_reference:
            self.head, self.digest = self.own_words(), NO_REFERENCE
        elif not self.has_reference():
            self.head = f"{self.name}: nothing yet (no {self.preset}_lkh_cost10000.npy in {self.store.reference})"
        else:
            self.read_reference()

    def has_reference(self):
        """Whether costs to compare with are there without computing them, or not needed."""
        return not self.needs_reference or bool(self.stored_file()) or self.computed_file().exists()

    def stored_file(self):
        """Stored costs of LKH, if there are."""
        file = self.store.reference / f"{self.preset}_lkh_cost10000.npy"
        return file if self.is_preset and file.exists() else None

    def lacks_stored_costs(self):
        """Whether LKH's costs of this published set would be used, and are not there."""
        return self.needs_reference and self.is_preset and not self.stored_file()

    def lkh_program(self):
        return self.is_preset and (shutil.which("LKH") or shutil.which("LKH-3"))

    def computed_file(self):
        return self.file.with_suffix(".lkh.csv" if self.lkh_program() else ".costs.csv")

    def own_words(self):
        return f"{self.name}: the best of our own local search ({self.effort} an instance)"

    def read_reference(self):
        if self.stored_file():
            self.costs = self.stored_file()
            self.head = f"{self.name}: LKH3, stored costs ({self.costs.name})"
            costs = self.lkh = self.read_stored()
        else:
            self.costs = self.computed_file()
            costs = self.read_computed()
            if self.lkh_program():
                self.head, self.lkh = f"{self.name}: LKH3, computed here", costs
            else:
                self.head = self.own_words() + self.unsolved_words()
        self.digest = hashlib.sha256(struct.pack(f"<{len(costs)}d", *costs)).hexdigest()[:16]

    def read_stored(self):
        try:
            costs = read_npy(self.costs)[0][:self.count]
            check_costs(costs, self.count)
        except ValueError as trouble:
            raise Trouble(f"{self.costs}: {trouble}; expected {self.count} costs or more: "
                          "bring the file back, or name another directory: --reference") from None
        return costs

    def read_computed(self):
        try:
            lines = self.costs.read_text().split()
            costs = [float(line) for line in lines[1:]]
            check_costs(costs, self.count)
        except ValueError as trouble:
            raise Trouble(f"{self.costs}: {trouble}; expected a line \"cost\" and {self.count} costs: "
                          "remove the file and call again") from None
        return costs

    def unsolved_words(self):
        report = self.costs.with_suffix(".json")
        try:
            unsolved = float(json.loads(report.read_text())["models"][-1]["infeasible_instances"])
        except (OSError, ValueError, TypeError, LookupError):
            raise Trouble(f"{report}: expected the report of the local search, missing or damaged: "
                          f"remove {self.costs} and call again") from None
        return f", which solves {100 - 100 * unsolved:.1f} % of them" if unsolved else ""

    def compute(self):
        file, program = self.computed_file(), self.lkh_program()
        report = file.with_suffix(".json")
        words = f"{self.name}: LKH3, computed here" if program else self.own_words()
        print(f"{words}: {self.count} instances", flush=True)
        more = ["--reference", "lkh", "--lkh", program,
                "--lkh-cache", file.with_suffix(".cache.csv")] if program else []
        try:
            self.store.program.call("eval", "none", "--set", self.file, "--refine", self.effort, *more,
                                    "-j", self.store.workers, "-f", "json", "-o", report, "-q")
        except KeyboardInterrupt:
            raise Interrupted(f"while the reference of {self.name} was computed; the same command "
                              + ("goes on with it" if program else "computes it anew")) from None
        records = json.loads(report.read_text())["models"][-1]["records"]
        best = [r["objective"] for r in records]
        costs = [r["reference"] for r in records] if program else best
        costs = [own if c is None else c for c, own in zip(costs, best)]
        part = file.with_suffix(".part")
        part.write_text("cost\n" + "".join(f"{c!r}\n" for c in costs))
        part.rename(file)

    def count_placeholders(self):
        """Instances LKH did not solve: stored is the length of the order 0, 1, 2, ... instead."""
        try:
            values, (_, n, width) = read_npy(self.file)
        except ValueError as trouble:
            raise Trouble(f"{self.file}: {trouble}; expected {self.count} instances: "
                          "remove the file and call again") from None
        top = max(values[0:width * n:width])
        unit = 100.0 if top > 1.5 else 1.0  # the published sets live in the square of 1 or of 100
        failures = 0
        for i, cost in enumerate(self.lkh):
            at = i * n * width
            points = [(values[at + j * width], values[at + j * width + 1]) for j in range(n)]
            identity = sum(math.dist(a, b) for a, b in zip(points, points[1:] + points[:1])) / unit
            failures += abs(identity - cost) < 1e-4 * identity
        return failures


def check_costs(costs, count):
    if len(costs) != count:
        raise ValueError(f"{len(costs)} costs")
    if not all(map(math.isfinite, costs)):
        raise ValueError("a cost that is not a number")


def read_npy(path):
    """Flat list of numbers, and the shape: a file of NumPy, without NumPy."""
    data = path.read_bytes()
    try:
        wide = data[6] > 1
        length = struct.unpack_from("<I" if wide else "<H", data, 8)[0]
        start = 8 + (4 if wide else 2)
        header = ast.literal_eval(data[start:start + length].decode("latin1"))
        code = {"<f4": "f", "<f8": "d"}[header["descr"]]
        shape, begin = header["shape"], start + length
        values = list(struct.unpack_from(f"<{math.prod(shape)}{code}", data, begin))
    except (struct.error, LookupError, SyntaxError, TypeError, ValueError):
        values = None
    if data[:6] != b"\x93NUMPY" or values is None:
        raise ValueError("not an NPY file of float32 or float64, or cut off")
    return values, shape
