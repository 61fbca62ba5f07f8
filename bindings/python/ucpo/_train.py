"""Training and fine-tuning in run directories (docs/training.md)."""
from __future__ import annotations

import ctypes as C
import os
import sys
from typing import Any, Callable, Mapping, NamedTuple, Optional, Sequence, Union

from . import _abi as abi
from ._errors import ArgumentError, Interrupted
from ._instance import Dataset, Instance, as_dataset
from ._lib import Handle, PathLike, Session, call, default, handle, lib, path_bytes, taken_bytes, text_array, text_bytes
from ._model import Model, file_of
from ._np import np
from ._picture import Page, Picture
from ._values import setting

ENDS = {
    abi.UCPO_TRAIN_FINISHED: "finished",
    abi.UCPO_TRAIN_STOPPED: "stopped",
    abi.UCPO_TRAIN_LIMIT: "limit",
}


class TrainReport(NamedTuple):
    """One line of metrics; kind is "step", "train", "greedy" or "sampled" (include/ucpo.h, ucpo_train_report)."""

    kind: str
    step: int
    instances: int
    total: int
    phase: int
    n: int
    samples: int
    loss: float
    dual: float
    margin: float
    primal: float
    dual_share: float
    margin_share: float
    primal_share: float
    infeasible_samples: float
    infeasible_instances: float
    objective: float
    gap: float
    gap_of_means: float
    lr: float
    alpha: float
    grad_norm: float
    replayed: float
    aux_loss: float
    recall_feasible: float
    recall_infeasible: float
    anchor_share: float
    anchor_masked: float
    anchor_gain: float
    anchor_log_prob: float
    anchor_time: float
    instances_per_s: float
    elapsed: float


def _report(found: abi.ucpo_train_report) -> "Optional[TrainReport]":
    if not found.kind:
        return None
    return TrainReport(found.kind.decode(), *[getattr(found, name) for name in TrainReport._fields[1:]])


class _Config(Handle):
    _free = lib.ucpo_train_config_free

    def __init__(self) -> None:
        super().__init__(handle(lib.ucpo_train_config_create))

    def set(self, key: str, value: Any) -> None:
        name, text = key.rstrip("_").replace("_", "-"), setting(key, value)
        try:
            call(lib.ucpo_train_config_set, self.address, name.encode(), text.encode())
        except ArgumentError as error:
            if name not in train_keys():
                raise ArgumentError(f"{error}; ucpo.train_keys() has all of them") from None
            if text in ("yes", "no") and not isinstance(value, str):  # as the caller wrote it
                raise ArgumentError(str(error).replace(f"'{text}'", str(value))) from None
            raise

    def apply(self, settings: "Union[Mapping[str, Any], PathLike, None]", more: "Mapping[str, Any]") -> None:
        if settings is not None and not isinstance(settings, Mapping):
            call(lib.ucpo_train_config_read, self.address, path_bytes(settings))
            settings = None
        for source in (settings or {}, more):
            late = {}
            for key, value in source.items():
                if key == "phases":  # each inherits what the run says
                    late[key] = _phases(value)
                elif value is not None:
                    self.set(key, value)
            for key, value in late.items():
                self.set(key, value)

    def text(self) -> str:
        return taken_bytes(lib.ucpo_train_config_text, self.address).decode()


def _phases(value: Any) -> str:
    """A text, or a list of dictionaries."""
    if isinstance(value, str):
        return value
    return "; ".join(" ".join(f"{k.rstrip('_').replace('_', '-')}={setting(k, v)}" for k, v in phase.items()) for phase in value)


class TrainKey(NamedTuple):
    """A setting of `train`. words: what it may be, None if that is not a list of words; is_phase: phases may differ in it."""

    name: str
    default: str
    words: "Optional[list[str]]"
    help: str
    is_phase: bool


def train_keys() -> "dict[str, TrainKey]":
    """All settings of `train`: a dictionary from the name, as `ucpo help train` writes it (keywords have `_` for `-`), to a
    `TrainKey` with name, default (a text), words, help and is_phase.

    >>> train_keys()["network"].default, train_keys()["network"].words
    ('large', ['large', 'small'])
    """
    found: "dict[str, TrainKey]" = {}
    while True:
        key = lib.ucpo_train_key_at(len(found))
        if not key.name:
            return found
        name = key.name.decode()
        words = key.words.decode().split() if key.words else None
        found[name] = TrainKey(name, (key.preset or b"").decode(), words, (key.help or b"").decode(), bool(key.is_phase))


class Run:
    """A run directory: settings, metrics, checkpoints.

    Attributes: `dir`, `ended_by` ("finished", "limit", "stopped" or None if unknown), `step`, `instances`, `elapsed`, `before` and
    `after` (greedy and sampled validation as `TrainReport`, None where there was none).
    """

    def __init__(self, dir: PathLike, summary: "abi.ucpo_train_summary | None" = None):
        self.dir = os.fspath(dir)
        if summary is None and not os.path.exists(os.path.join(self.dir, "config.toml")):
            raise ArgumentError(f"{self.dir} holds no run: there is no config.toml")
        self.ended_by = None if summary is None else ENDS[summary.end]
        self.step = 0 if summary is None else summary.step
        self.instances = 0 if summary is None else summary.instances
        self.elapsed = 0.0 if summary is None else summary.elapsed
        none = {"greedy": None, "sampled": None}
        self.before: "dict[str, Optional[TrainReport]]" = none if summary is None else _pair(summary.before)
        self.after: "dict[str, Optional[TrainReport]]" = dict(none) if summary is None else _pair(summary.after)

    @property
    def best(self) -> str:
        """The model of the best validation, else the last one."""
        return file_of(self.dir)

    @property
    def last(self) -> str:
        return os.path.join(self.dir, "last.safetensors")

    def model(self) -> Model:
        """The best model."""
        return Model.load(self.best)

    def config(self) -> str:
        """The effective settings (TOML)."""
        with open(os.path.join(self.dir, "config.toml"), encoding="utf-8") as file:
            return file.read()

    def metrics(self, kind: "str | None" = None) -> "dict[str, Any]":
        """Columns of metrics.csv as arrays; kind "train", "greedy" or "sampled" selects rows."""
        import csv

        with open(os.path.join(self.dir, "metrics.csv"), newline="", encoding="utf-8") as file:
            rows = [row for row in csv.DictReader(file) if kind is None or row["kind"] == kind]
        heads = list(rows[0]) if rows else []
        found = {}
        for head in heads:
            texts = [row[head] for row in rows]
            try:
                found[head] = np.array([float(text) if text else np.nan for text in texts])
            except ValueError:
                found[head] = np.array(texts)
        return found

    def plot(self, path: "PathLike | None" = None, x: str = "instances") -> Picture:
        """The curves."""
        return plot_runs([self], path, x=x)

    def report(self, path: "PathLike | None" = None) -> Page:
        """A web page: curves, validation, settings."""
        return report_runs([self], path)

    def resume(self, **changes: Any) -> "Run":
        """Goes on exactly where the last checkpoint stands, or for longer: `run.resume(instances=200000)`."""
        return resume(self.dir, **changes)

    def __fspath__(self) -> str:
        return self.dir

    def _repr_svg_(self) -> str:
        return self.plot().text

    def __repr__(self) -> str:
        state = f", {self.ended_by} after {self.instances} instances" if self.ended_by else ""
        return f"<ucpo.Run '{self.dir}'{state}>"


def _pair(reports: Any) -> "dict[str, Optional[TrainReport]]":
    return {"greedy": _report(reports[0]), "sampled": _report(reports[1])}


def _dirs(runs: "Sequence[Union[Run, PathLike]]") -> Any:
    return text_array("runs", [path_bytes(run) for run in runs])


def plot_runs(runs: "Sequence[Union[Run, PathLike]]", path: "PathLike | None" = None, *, x: str = "instances") -> Picture:
    """Curves of 1 to 8 runs in one SVG; x is "instances" or "time"."""
    options = default(abi.ucpo_plot_config)
    options.x = text_bytes(x)
    picture = Picture(taken_bytes(lib.ucpo_plot_runs, _dirs(runs), len(runs), C.byref(options)).decode())
    if path is not None:
        picture.save(path)
    return picture


def report_runs(runs: "Sequence[Union[Run, PathLike]]", path: "PathLike | None" = None, *,
                title: "str | None" = None) -> Page:
    """A web page about 1 to 8 runs."""
    options = default(abi.ucpo_plot_config)
    options.title = text_bytes(title)
    page = Page(taken_bytes(lib.ucpo_report_runs, _dirs(runs), len(runs), C.byref(options)).decode())
    if path is not None:
        page.save(path)
    return page


# ---- progress ----


class _Display:
    """One line that is redrawn: in a notebook by its display, on a terminal by a carriage return; elsewhere now and then."""

    def __init__(self, is_on: bool):
        self._is_on = is_on
        self._handle: Any = None
        self._last = float("-inf")
        ipython = sys.modules.get("IPython")
        shell = ipython.get_ipython() if ipython and is_on else None
        if shell is not None and type(shell).__name__ == "ZMQInteractiveShell":
            from IPython.display import display  # type: ignore[import-not-found]

            self._handle = display("", display_id=True)
        self._is_tty = self._handle is None and sys.stderr.isatty()
        self._pause = 0.2 if self._handle is not None or self._is_tty else 10.0

    def show(self, r: TrainReport) -> None:
        if not self._is_on or r.kind not in ("step", "sampled") or r.elapsed - self._last < self._pause:
            return
        self._last = r.elapsed
        text = (f"{r.instances}/{r.total} instances  infeasible {100 * r.infeasible_samples:.2f} % of samples, "
                f"{100 * r.infeasible_instances:.2f} % of instances  cost {r.objective:.4g}  {r.elapsed:.0f} s")
        if self._handle is not None:
            self._handle.update({"text/plain": text}, raw=True)
        else:
            print(("\r" if self._is_tty else "") + text, end="" if self._is_tty else "\n", file=sys.stderr, flush=True)

    def close(self) -> None:
        if self._is_on and self._is_tty and self._last >= 0:
            print(file=sys.stderr)


# ---- learning ----


def _learn(function: Any, before: "tuple[Any, ...]", dir: PathLike, callback: "Callable[[TrainReport], Any] | None",
           progress: bool) -> Run:
    summary = abi.ucpo_train_summary()
    kinds = dict(abi.ucpo_train_hooks._fields_)
    display = _Display(progress)
    with Session() as session:

        def report(_user: Any, found: Any) -> None:
            line = _report(found.contents)
            if line is None or session.stopped:
                return
            session.guard(display.show, line)
            if callback is not None and session.guard(callback, line):
                session.asked = True

        hooks = abi.ucpo_train_hooks(kinds["report"](report), kinds["log"](session._log),
                                     kinds["stop"](lambda _user: int(session.stopped)), None, None)
        try:
            call(function, *before, C.byref(hooks), C.byref(summary))
        finally:
            display.close()
        run = Run(dir, summary)
        if session.interrupted:
            session.interrupted = False
            raise Interrupted(f"stopped and saved; go on with ucpo.resume({run.dir!r})", run)
        session.raise_error(run)
    return run


def train(config: "Union[str, Mapping[str, Any], PathLike, None]" = None, dir: "PathLike | None" = None, *,
          callback: "Callable[[TrainReport], Any] | None" = None, progress: bool = True, **settings: Any) -> Run:
    """Learns a model in a new run directory.

    config    a problem's name, a dictionary of settings, or a TOML file; further settings as keywords, `_` for `-`
              (`ucpo.train_keys()`: size, level, instances, loss, mask, layers, width, max_time, ...); phases may be a list
              of dictionaries
    callback  called with a `TrainReport` after every step and validation; a true result saves the run and ends it
    progress  a line that is redrawn (also in notebooks)

    Ctrl-C finishes the step, saves, and raises `Interrupted` (a KeyboardInterrupt) whose `result` is the run.

    >>> import tempfile, ucpo
    >>> run = train("tsptw", tempfile.mkdtemp() + "/run", size=10, level="easy", instances=128, network="small",
    ...             progress=False)
    >>> run.ended_by, run.instances
    ('finished', 128)
    """
    if dir is None:
        raise ArgumentError("train needs dir=..., where the run should be kept")
    made = _Config()
    data = settings.pop("data", None)
    if isinstance(config, str) and not config.endswith(".toml") and not os.path.exists(config):
        made.set("problem", config)
        config = None
    made.apply(config, settings)
    _use_data(made, data, dir)
    return _learn(lib.ucpo_train, (made.address, path_bytes(dir)), dir, callback, progress)


def _use_data(made: _Config, data: Any, dir: PathLike) -> None:
    """Instances to learn from: a path, or instances in memory, which are written beside the run."""
    if data is None:
        return
    if isinstance(data, (Dataset, Instance)) or not isinstance(data, (str, os.PathLike)):
        path = os.fspath(dir).rstrip("/") + ".data.json"
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
        as_dataset(data).write(path, "json")
        data = path
    made.set("data", os.fspath(data))


def finetune(model: "Union[Model, Run, PathLike]", dir: "PathLike | None" = None, *, data: Any = None,
             config: "Union[Mapping[str, Any], PathLike, None]" = None,
             callback: "Callable[[TrainReport], Any] | None" = None, progress: bool = True, **settings: Any) -> Run:
    """Goes on from a model in a new run directory: on your own instances (`data`: a path, a `Dataset` or instances, which are
    then kept in DIR.data.json) or with another loss. The architecture stays; size, level and mask are by default what the
    model was trained with. Arguments as in `train`."""
    if dir is None:
        raise ArgumentError("finetune needs dir=..., where the run should be kept")
    if isinstance(model, Model):
        path = os.fspath(dir).rstrip("/") + ".start.safetensors"
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
        model.save(path)
    else:
        path = file_of(os.fspath(model))
        model = Model.load(path)
    made = _Config()
    made.set("problem", model.problem)
    made.set("start", path)
    facts = model.facts
    for key, fact in (("mask", "train.mask"), ("size", "train.sizes"), ("level", "train.level")):
        if fact in facts:
            made.set(key, facts[fact])
    made.apply(config, settings)
    if config is not None:
        made.set("problem", model.problem)
        made.set("start", path)
    _use_data(made, data, dir)
    return _learn(lib.ucpo_train, (made.address, path_bytes(dir)), dir, callback, progress)


def resume(dir: PathLike, *, callback: "Callable[[TrainReport], Any] | None" = None, progress: bool = True,
           **changes: Any) -> Run:
    """Goes on with a run exactly where its last checkpoint stands. Changes: threads, kernels, max_time, max_instances,
    save_every, keep_every, log_every, from_, allow_changes; and its length: instances (or epochs) of the whole run, or
    time of a run measured in time. A finished run goes on with a larger one; what moves over the run, as the rate does,
    then moves until the new end.

    >>> import tempfile, ucpo
    >>> run = train("tsptw", tempfile.mkdtemp() + "/run", size=10, level="easy", instances=64, network="small",
    ...             progress=False)
    >>> resume(run, instances=128, progress=False).instances
    128
    """
    made = None
    if changes:
        made = _Config()
        made.apply(None, changes)
    return _learn(lib.ucpo_train_resume, (path_bytes(dir), made.address if made else None), dir, callback, progress)


def dry_run(config: "Union[str, Mapping[str, Any], PathLike, None]" = None, **settings: Any) -> "dict[str, Any]":
    """What a run would cost: parameters, bytes, seconds for 10,000 instances, total_seconds; nothing is written."""
    made = _Config()
    if isinstance(config, str) and not config.endswith(".toml") and not os.path.exists(config):
        made.set("problem", config)
        config = None
    made.apply(config, settings)
    out = abi.ucpo_train_estimate()
    call(lib.ucpo_train_dry_run, made.address, C.byref(out))
    return {name: (value.decode() if isinstance(value := getattr(out, name), bytes) else value)
            for name, _ in out._fields_}
