"""Solving one instance or many."""
from __future__ import annotations

import ctypes as C
import threading
from typing import Any, Callable, Iterator, NamedTuple, Optional, Sequence, Union

from . import _abi as abi
from ._errors import ArgumentError
from ._instance import Dataset, Instance, as_dataset
from ._lib import Handle, PathLike, Session, call, default, handle, lib, text_bytes
from ._model import Model, as_model
from ._np import np
from ._plan import Plan, Solution, flat_nodes, report, write_plans
from ._picture import Page
from ._values import index as place_in, real, unknown

ENDS = {
    abi.UCPO_SOLVE_FINISHED: "finished",
    abi.UCPO_SOLVE_TIME: "time",
    abi.UCPO_SOLVE_FEASIBLE: "first_feasible",
    abi.UCPO_SOLVE_STOPPED: "stopped",
    abi.UCPO_SOLVE_OPTIMAL: "optimal",
    abi.UCPO_SOLVE_INFEASIBLE: "infeasible",
}
FACTS = ("candidates", "distinct", "feasible", "rounds", "searches", "start_cost", "images", "disputed", "seconds", "bound")


class Improvement(NamedTuple):
    """A better plan, reported while the search goes on. bound: no plan costs less (0: not known yet)."""

    seconds: float
    candidates: int
    feasible: bool
    cost: float
    violation: float
    nodes: Any
    bound: float = 0.0


class _Handle(Handle):
    """The library's solver for one model: workspaces that stay from one instance to the next, for one thread at a time."""

    _free = lib.ucpo_solver_free

    def __init__(self, address: int):
        super().__init__(address)
        self.lock = threading.Lock()


class Solver:
    """Settings and models that are set up once and used many times: for one instance after the other, or again and again
    for one whose data change (hand the last plan over as `initial`).

    model: None (the shipped one for the problem and the nearest size), "none" (rules and local search only), a path, a run
    directory or a `Model`. The other settings are those of `solve`.

    >>> import ucpo
    >>> solver = Solver(samples=4, seed=7)
    >>> [solver.solve(inst).feasible for inst in ucpo.generate("tsptw", 10, count=2, level="easy")]
    [True, True]
    """

    def __init__(self, model: "Union[Model, PathLike, None]" = None, *, time: "float | None" = None, seed: int = 1,
                 samples: int = 0, augment: int = 8, greedy: bool = False, refine: bool = True,
                 prove: bool = True, first_feasible: bool = False, mask: str = "auto", temperature: float = 1.0, threads: int = 0,
                 kernels: str = "auto", precision: str = "auto"):
        if time is not None and not real("time", time) > 0:
            raise ArgumentError(f"time is {time}, expected seconds above 0 or None")
        self._chosen = model
        self._fixed: "Optional[Model]" = None
        self._is_fixed = model is not None and not (isinstance(model, str) and model == "auto")
        if self._is_fixed:
            self._fixed = as_model(model, None)
        self._found: "dict[tuple[str, int], Optional[Model]]" = {}
        self._solvers: "dict[Optional[int], _Handle]" = {}  # one per model
        c = default(abi.ucpo_solve_config)
        c.time_limit = 0.0 if time is None else time
        c.seed, c.samples, c.augment, c.greedy, c.refine = seed, samples, augment, greedy, refine
        c.prove = prove
        c.first_feasible, c.mask, c.temperature, c.threads = first_feasible, text_bytes(mask), temperature, threads
        c.kernels, c.precision = text_bytes(kernels), text_bytes(precision)
        self._config = c

    def model_for(self, instance: Instance) -> "Optional[Model]":
        """The model that will be used."""
        if self._is_fixed:
            return self._fixed
        key = (instance.problem, instance.n)
        if key not in self._found:
            self._found[key] = Model.shipped(instance)
        return self._found[key]

    def _configured(self, session: Session, number: int, initial: "Plan | None", improved: Any,
                    time: "float | None") -> abi.ucpo_solve_config:
        c = abi.ucpo_solve_config.from_buffer_copy(self._config)
        c.mask, c.kernels, c.precision = self._config.mask, self._config.kernels, self._config.precision
        c.number = number
        if time is not None:
            c.time_limit = real("time", time)
        if initial is not None:
            nodes = flat_nodes(initial, "initial")
            c._initial = nodes  # alive as long as the settings
            c.initial, c.initial_len = C.cast(nodes.ctypes.data, C.POINTER(C.c_int32)), len(nodes)
        if improved is not None:
            def tell(_user: Any, best: Any) -> None:
                if not session.stopped and session.guard(improved, _improvement(best.contents)):
                    session.asked = True

            c.improved = dict(abi.ucpo_solve_config._fields_)["improved"](tell)
        c.hooks = session.hooks
        return c

    def _run(self, session: Session, instance: Instance, config: abi.ucpo_solve_config) -> "tuple[Any, Any, dict[str, Any]]":
        model = self.model_for(instance)
        address = model.address if model else None
        solver = self._solvers.get(address)
        if solver is None:
            solver = self._solvers.setdefault(address, _Handle(handle(lib.ucpo_solver_create, address)))
        out = C.POINTER(abi.ucpo_solution)()
        if solver.lock.acquire(blocking=False):
            try:
                call(lib.ucpo_solver_solve, solver.address, instance.address, C.byref(config), C.byref(out))
            finally:
                solver.lock.release()
        else:  # another thread has it
            call(lib.ucpo_solve, address, instance.address, C.byref(config), C.byref(out))
        try:
            found = out.contents
            nodes = np.ctypeslib.as_array(found.nodes, (found.len,)).copy() if found.len else np.zeros(0, np.int32)
            info = {name: getattr(found, name) for name in FACTS}
            info["ended_by"] = ENDS[found.end]
            claims = {abi.UCPO_SOLVE_OPTIMAL: "optimal", abi.UCPO_SOLVE_INFEASIBLE: "infeasible"}
            note = instance.claim_note(claims[found.end]) if found.end in claims else ""
            if note:
                info["ended_by_note"] = note  # what the proof is not about
            return nodes, abi.ucpo_evaluation.from_buffer_copy(found.evaluation), info
        finally:
            lib.ucpo_solution_free(out)

    def solve(self, instance: Instance, time: "float | None" = None, *, number: int = 0, initial: "Plan | None" = None,
              improved: "Callable[[Improvement], Any] | None" = None,
              progress: "Callable[[int, int], Any] | None" = None) -> Solution:
        """Solves one instance; see `ucpo.solve`."""
        if not isinstance(instance, Instance):
            raise TypeError(f"expected an Instance (ucpo.read reads files), not {type(instance).__name__}")
        with Session(progress) as session:
            config = self._configured(session, number, initial, improved, time)
            nodes, _, info = self._run(session, instance, config)
            solution = Solution(instance, nodes, info)
            session.raise_error(solution)
        return solution

    def solve_many(self, data: "Union[Dataset, Sequence[Instance], PathLike]", time: "float | None" = None, *,
                   progress: "Callable[[int, int], Any] | None" = None) -> "Solutions":
        """Solves every instance of a set; see `ucpo.solve_many`."""
        instances = as_dataset(data)
        count = len(instances)
        rows: "list[tuple[Any, Any, dict[str, Any]]]" = []
        with Session() as session:
            for number in range(count):
                config = self._configured(session, number, None, None, time)
                rows.append(self._run(session, instances[number], config))
                if progress is not None and session.guard(progress, number + 1, count):
                    session.asked = True
                if session.stopped:
                    break
            solutions = Solutions(instances, rows)
            session.raise_error(solutions)
        return solutions


def _improvement(best: abi.ucpo_solve_progress) -> Improvement:
    nodes = np.ctypeslib.as_array(best.nodes, (best.len,)).copy() if best.len else np.zeros(0, np.int32)
    return Improvement(best.seconds, best.candidates, bool(best.is_feasible), best.cost, best.violation, nodes, best.bound)


class Solutions:
    """Answers for a set, as arrays: `feasible`, `cost`, `violation`, `seconds`, `candidates`, and `plans` (int32, one row per
    instance, filled up with 0, which changes nothing). Indexing gives a `Solution`."""

    def __init__(self, data: Dataset, rows: "list[tuple[Any, Any, dict[str, Any]]]"):
        self.data = data
        self._nodes = [nodes for nodes, _, _ in rows]
        self._infos = [info for _, _, info in rows]
        self.feasible = np.array([bool(e.is_feasible) for _, e, _ in rows], dtype=bool)
        self.cost = np.array([e.cost for _, e, _ in rows], dtype=np.float64)
        self.violation = np.array([e.violation for _, e, _ in rows], dtype=np.float64)
        self.seconds = np.array([info["seconds"] for info in self._infos], dtype=np.float64)
        self.candidates = np.array([info["candidates"] for info in self._infos], dtype=np.int64)

    @property
    def plans(self) -> Any:
        width = max((len(nodes) for nodes in self._nodes), default=0)
        out = np.zeros((len(self._nodes), width), dtype=np.int32)
        for row, nodes in zip(out, self._nodes):
            row[: len(nodes)] = nodes
        return out

    def __len__(self) -> int:
        return len(self._nodes)

    def __getitem__(self, index: int) -> Solution:
        at = place_in("solution", index, len(self))
        return Solution(self.data[at], self._nodes[at], self._infos[at])

    def __iter__(self) -> Iterator[Solution]:
        return (self[i] for i in range(len(self)))

    def write(self, path: PathLike, format: "str | None" = None) -> None:
        """All plans in one file (json, csv, npy)."""
        write_plans(list(self), path, format)

    def report(self, path: "PathLike | None" = None, *, title: "str | None" = None) -> Page:
        """A web page about all of them."""
        return report(list(self), path, title=title)

    def __repr__(self) -> str:
        mean = self.cost[self.feasible].mean() if self.feasible.any() else float("nan")
        return f"<ucpo.Solutions: {int(self.feasible.sum())} of {len(self)} feasible, mean cost {mean:.6g}>"


def _check_names(function: "Callable[..., Any]", settings: "dict[str, Any]") -> None:
    """Settings that go on to `Solver` must be some of it."""
    others = Solver.__init__.__kwdefaults__
    for name in settings:
        if name not in others:
            unknown(f"ucpo.{function.__name__}", name, ["time", *function.__kwdefaults__, *others])


def solve(instance: Instance, time: "float | None" = None, *, model: "Union[Model, PathLike, None]" = None, seed: int = 1,
          number: int = 0, initial: "Plan | None" = None, improved: "Callable[[Improvement], Any] | None" = None,
          progress: "Callable[[int, int], Any] | None" = None, **settings: Any) -> Solution:
    """Finds a plan. It is judged by the checker: `.feasible` is never wrong.

    time      seconds to use (None: a fixed effort, the same result everywhere)
    model     None: the shipped one that fits; "none": rules and local search only; a path, a run or a `Model`
    initial   a plan to start from; the answer is never worse
    improved  called with an `Improvement` for a better plan, at most ten times a second, and for the last one; a true
              result stops the search
    progress  called with (done, total) every 10 ms or so; a true result stops
    others    samples, augment, greedy, refine, prove, first_feasible, mask, temperature, threads, kernels, precision

    Ctrl-C raises `Interrupted`, a KeyboardInterrupt whose `result` is the best plan so far.

    >>> inst = Instance.tsptw([(0, 0), (3, 0), (3, 4)], [(0, 100), (0, 8), (5, 9)])
    >>> plan = solve(inst)
    >>> plan.feasible, plan.cost, plan.routes
    (True, 12.0, [[1, 2]])
    """
    _check_names(solve, settings)
    solver = Solver(model, seed=seed, **settings)
    return solver.solve(instance, time, number=number, initial=initial, improved=improved, progress=progress)


def solve_many(data: "Union[Dataset, Sequence[Instance], PathLike]", time: "float | None" = None, *,
               model: "Union[Model, PathLike, None]" = None, seed: int = 1,
               progress: "Callable[[int, int], Any] | None" = None, **settings: Any) -> Solutions:
    """Solves every instance of a set, `time` seconds each; settings as in `solve`. The results are arrays.

    >>> import ucpo
    >>> answers = solve_many(ucpo.generate("tsptw", 10, count=3, level="easy"), samples=4)
    >>> answers.feasible.tolist()
    [True, True, True]
    """
    _check_names(solve_many, settings)
    return Solver(model, seed=seed, **settings).solve_many(data, time, progress=progress)


def bound(instance: Instance, upper: float) -> float:
    """A cost that no plan of the instance is below; 0: nothing is known, as above 400 nodes.

    `upper` is the cost of a known plan, or one that somebody claims: a result not less than it says that no plan costs
    less. With one vehicle and narrow windows the bound is the least cost itself, else it may lie well below.

    >>> inst = Instance.tsptw([(0, 0), (3, 0), (3, 4)], [(0, 100), (0, 8), (5, 9)])
    >>> bound(inst, 20), bound(inst, 12) >= 12, bound(inst, 11.9) >= 11.9
    (12.0, True, True)
    """
    least = C.c_double()
    call(lib.ucpo_bound, instance.address, real("upper", upper), C.byref(least))
    return least.value
