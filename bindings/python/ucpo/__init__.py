"""Routing under hard constraints: solve, check, explain, train, and the UCPO preference loss.

    import ucpo

    day = ucpo.read("stops.csv", capacity=15, speed=25)
    plan = ucpo.solve(day, time=2)
    print(plan.feasible, plan.cost, plan.routes)
    plan.report("plan.html")

`ucpo.loss` is the preference loss on numpy arrays; `ucpo.torch` has it for PyTorch. docs/python.md shows everything.
"""
from ._errors import (ArgumentError, Cancelled, Diverged, Error, FileError, FormatError, Interrupted, MismatchError,
                      Notice, OutOfMemory, UnsupportedError)
from ._facts import Problem, formats, loss_presets, presets, problems, show_versions, versions
from ._instance import Dataset, Instance, generate, read, read_bytes, read_set
from ._loss import LossMetrics, compare, loss, rank
from ._model import Evaluation, Model, evaluate
from ._picture import Page, Picture
from ._plan import (Explanation, Reason, Solution, Violation, check, explain, read_plans, report, write_plans)
from ._solve import Improvement, Solutions, Solver, bound, solve, solve_many
from ._train import Run, TrainReport, dry_run, finetune, plot_runs, report_runs, resume, train, train_keys
from ._version import VERSION as __version__

__all__ = [
    "ArgumentError", "Cancelled", "Dataset", "Diverged", "Error", "Evaluation", "Explanation", "FileError",
    "FormatError", "Improvement", "Instance", "Interrupted", "LossMetrics", "MismatchError", "Model", "Notice",
    "OutOfMemory", "Page", "Picture", "Problem", "Reason", "Run", "Solution", "Solutions", "Solver", "TrainReport",
    "UnsupportedError", "Violation", "__version__", "bound", "check", "compare", "dry_run", "evaluate", "explain",
    "finetune", "formats", "generate", "loss", "loss_presets", "plot_runs", "presets", "problems", "rank", "read", "read_bytes",
    "read_plans", "read_set", "report", "report_runs", "resume", "show_versions", "solve", "solve_many", "train",
    "train_keys", "versions", "write_plans",
]
