"""Plans: checking, schedules, violations, explanations, pictures."""
from __future__ import annotations

import ctypes as C
import math
import os
from typing import Any, Iterable, Mapping, NamedTuple, Optional, Sequence, Union

from . import _abi as abi
from ._errors import ArgumentError, WrongType
from ._instance import Dataset, Instance, as_dataset
from ._lib import Handle, PathLike, call, default, handle, lib, path_bytes, taken_bytes, text_bytes
from ._np import np
from ._picture import Page, Picture
from ._values import PLAN, index as place_in, no_plan, node_array, place, refuse, shown

Plan = Any  # a Solution, routes (lists of nodes), or a flat sequence of nodes in which 0 separates routes


class Violation(NamedTuple):
    """One thing that is wrong with a plan: what, where, by how much."""

    kind: str  #: late, over, duplicate, unknown, no_way, missing, vehicles
    node: Optional[int]
    route: Optional[int]  #: counted from 1
    amount: float
    text: str


class Reason(NamedTuple):
    """One finding of `explain` (docs/explain.md)."""

    kind: str
    is_proof: bool
    is_joint: bool
    customers: "list[int]"
    value: float
    bound: float
    excess: float
    text: str


class Explanation:
    """Why an instance has no feasible plan, or why a plan is not one. `proved`: no plan can be feasible. `note`: what the proof
    is not about, if something was left out when the instance was read, else ""."""

    def __init__(self, proved: bool, reasons: "list[Reason]", note: str = ""):
        self.proved = proved
        self.reasons = reasons
        self.note = note if proved else ""

    def __iter__(self) -> Any:
        return iter(self.reasons)

    def __len__(self) -> int:
        return len(self.reasons)

    def __str__(self) -> str:
        head = "no plan can be feasible" if self.proved else "no proof that the instance is infeasible"
        if self.note:
            head += f"; {self.note}"
        return "\n".join([head + ":"] + [f"- {reason.text}" for reason in self.reasons])

    def __repr__(self) -> str:
        return f"<ucpo.Explanation, {'proved' if self.proved else 'no proof'}{' (as read)' if self.note else ''}, {len(self)} findings>"


def _is_route(item: Any) -> bool:
    return hasattr(item, "__iter__") and not isinstance(item, (str, bytes)) and getattr(item, "ndim", 1) != 0


def _refuse_unordered(what: str, value: Any) -> None:
    if isinstance(value, Mapping):
        no_plan(what, value)
    if isinstance(value, (set, frozenset)):
        raise WrongType(f"{what} is {shown(value)}, which has no order: {PLAN}")


def flat_nodes(plan: Plan, what: str = "plan") -> Any:
    """A plan in any form as a contiguous int32 array; node numbers that do not fit are refused."""
    if isinstance(plan, Solution):
        return plan.nodes
    if hasattr(plan, "dtype"):
        return node_array(what, plan)
    if not _is_route(plan):
        no_plan(what, plan)
    _refuse_unordered(what, plan)
    plan = list(plan)
    if not plan or not _is_route(plan[0]):
        return node_array(what, plan)
    parts, depot = [], np.zeros(1, dtype=np.int32)
    for i, route in enumerate(plan):
        if not _is_route(route):
            refuse(place(what, (i,)), route, "a route, as those before it", WrongType)
        _refuse_unordered(place(what, (i,)), route)
        parts += [node_array(place(what, (i,)), route), depot]
    return np.concatenate(parts)


def _stop_dtype() -> Any:
    kinds = {C.c_int32: "i4", C.c_int: "i4", C.c_double: "f8"}
    names, formats, offsets = [], [], []
    for name, kind in abi.ucpo_stop._fields_:
        names.append(name)
        formats.append(kinds[kind])
        offsets.append(getattr(abi.ucpo_stop, name).offset)
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": C.sizeof(abi.ucpo_stop)})


class Solution:
    """A plan for an instance and the independent checker's verdict about it.

    Attributes: `instance`, `nodes` (flat int32 array, 0 separates routes; it cannot be written, the verdict is about
    these), `feasible`, `cost`, `violation` (normalised, 0 if feasible), `info` (what the search did: seconds, candidates, searches, ended_by, ...; empty for a plan that was only
    checked). In a notebook it shows its picture.
    """

    def __init__(self, instance: Instance, nodes: Any, info: "dict[str, Any] | None" = None):
        self.instance = instance
        self._nodes = flat_nodes(nodes).copy()
        self._nodes.flags.writeable = False
        self.info: "dict[str, Any]" = info or {}
        self._evaluation = abi.ucpo_evaluation()
        call(lib.ucpo_check, instance.address, self.nodes.ctypes.data, len(self.nodes), C.byref(self._evaluation),
             None, 0, None, 0)

    @property
    def nodes(self) -> Any:
        return self._nodes

    # ---- verdict ----

    @property
    def feasible(self) -> bool:
        return bool(self._evaluation.is_feasible)

    @property
    def cost(self) -> float:
        return self._evaluation.cost

    @property
    def violation(self) -> float:
        return self._evaluation.violation

    @property
    def note(self) -> str:
        """What `feasible` is not about, if something was left out when the instance was read (`instance.left_out`), else ""."""
        return self.instance.claim_note("feasible" if self.feasible else "infeasible")

    @property
    def evaluation(self) -> "dict[str, Any]":
        """Everything the checker says, by name (include/ucpo.h, ucpo_evaluation)."""
        return {name: getattr(self._evaluation, name) for name, _ in self._evaluation._fields_}

    @property
    def routes(self) -> "list[list[int]]":
        """Customers of each route in order, without the depot."""
        routes: "list[list[int]]" = [[]]
        for node in self.nodes.tolist():
            if node == 0:
                routes.append([])
            else:
                routes[-1].append(node)
        return [route for route in routes if route]

    def schedule(self) -> Any:
        """One row per stop, the returns to the depot included: a structured array with the fields route, node,
        arrive, wait, start, leave, slack, load, late, over, is_duplicate, is_unknown, is_blocked.
        ``pandas.DataFrame(plan.schedule())`` makes a table of it."""
        rows = np.zeros(self._evaluation.stops, dtype=_stop_dtype())
        again = abi.ucpo_evaluation()
        call(lib.ucpo_check, self.instance.address, self.nodes.ctypes.data, len(self.nodes), C.byref(again),
             rows.ctypes.data, len(rows), None, 0)
        return rows

    def missing(self) -> "list[int]":
        """Customers that no route visits."""
        out = np.zeros(self._evaluation.missing, dtype=np.int32)
        again = abi.ucpo_evaluation()
        call(lib.ucpo_check, self.instance.address, self.nodes.ctypes.data, len(self.nodes), C.byref(again), None, 0,
             out.ctypes.data, len(out))
        return out.tolist()

    def violations(self) -> "list[Violation]":
        """What is wrong, stop by stop; empty if the plan is feasible."""
        found = []
        for row in self.schedule():
            node, route = int(row["node"]), int(row["route"])
            text = f"node {node}" if row["is_unknown"] else self.instance.node_text(node)
            place = f"{text} on route {route}" if node else f"the depot at the end of route {route}"
            for kind, amount, words in (
                ("unknown", float(row["is_unknown"]), "there is no such node"),
                ("duplicate", float(row["is_duplicate"]), "visited before"),
                ("no_way", float(row["is_blocked"]), "no way from the stop before"),
                ("late", float(row["late"]), f"late by {row['late']:.6g}"),
                ("over", float(row["over"]), f"over by {row['over']:.6g}"),
            ):
                if amount > 0:
                    found.append(Violation(kind, node, route, amount, f"{place}: {words}"))
        for node in self.missing():
            found.append(Violation("missing", node, None, 1.0, f"{self.instance.node_text(node)}: not visited"))
        over = self._evaluation.vehicles_over
        if over:
            found.append(Violation("vehicles", None, None, float(over), f"{over} routes too many"))
        return found

    def explain(self) -> Explanation:
        """Why it is not feasible, and the smallest changes that would make it so."""
        return explain(self.instance, self)

    # ---- pictures and files ----

    def plot(self, path: "PathLike | None" = None, *, show: "str | None" = None, title: "str | None" = None,
             names: "str | None" = None) -> Picture:
        """Map, timeline and load as SVG. show: panels, for example "map,time"; names: what stands at the stops, "order",
        "id" or "name". With a path it is also written there."""
        options = default(abi.ucpo_plot_config)
        options.show, options.title, options.names = text_bytes(show), text_bytes(title), text_bytes(names)
        data = taken_bytes(lib.ucpo_plot_plan, self.instance.address, self.nodes.ctypes.data, len(self.nodes),
                           C.byref(options))
        picture = Picture(data.decode())
        if path is not None:
            if not os.fspath(path).endswith(".svg"):
                raise ArgumentError(f"{path}: a picture is an SVG, expected a name that ends in .svg")
            picture.save(path)
        return picture

    def report(self, path: "PathLike | None" = None, *, title: "str | None" = None) -> Page:
        """A web page about the plan, in one file. With a path it is also written there."""
        return report([self], path, title=title)

    def to_json(self) -> str:
        """The plan with schedule and violations (docs/formats.md, ucpo.solution/1)."""
        return plans_bytes([self], "json").decode()

    def write(self, path: PathLike, format: "str | None" = None) -> None:
        """A plan file: json, sol, tour, csv, npy; the ending of the path decides unless a format is given."""
        write_plans([self], path, format)

    def _repr_svg_(self) -> str:
        return self.plot().text

    def __repr__(self) -> str:
        state = "feasible" if self.feasible else f"infeasible (violation {self.violation:.4g})"
        unit = f" {self.instance.cost_unit}" if self.instance.cost_unit else ""
        note = f"; {self.note}" if self.note else ""
        return f"<ucpo.Solution {state}, cost {self.cost:.6g}{unit}, {len(self.routes)} route(s){note}>"

    def __reduce__(self) -> Any:
        return (Solution, (self.instance, self.nodes, self.info))


# ---- plans of several instances ----


class PlanList(Handle):
    """ucpo_plans of the C library."""

    _free = lib.ucpo_plans_free

    def __init__(self, plans: "Iterable[Any]" = (), address: "int | None" = None):
        super().__init__(handle(lib.ucpo_plans_create) if address is None else address)
        for plan in plans:
            nodes = flat_nodes(plan)
            cost = plan.cost if isinstance(plan, Solution) else math.nan
            call(lib.ucpo_plans_add, self.address, nodes.ctypes.data, len(nodes), cost)

    def __len__(self) -> int:
        return lib.ucpo_plans_count(self.address)

    def __getitem__(self, index: int) -> Any:
        plan = lib.ucpo_plans_at(self.address, place_in("plan", index, len(self)))
        if plan.len == 0:
            return np.zeros(0, dtype=np.int32)
        return np.ctypeslib.as_array(plan.nodes, (plan.len,)).copy()


def plans_bytes(solutions: "Sequence[Solution]", format: str) -> bytes:
    data = Dataset(solution.instance for solution in solutions)
    plans = PlanList(solutions)
    return taken_bytes(lib.ucpo_plans_write_bytes, text_bytes(format), data.address, plans.address)


def write_plans(solutions: "Sequence[Solution]", path: PathLike, format: "str | None" = None) -> None:
    """Writes plans of several instances into one file (json, csv, npy; sol and tour hold one)."""
    import os

    name = format or os.path.splitext(os.fspath(path))[1].lstrip(".") or "json"
    data = plans_bytes(solutions, name)
    call(lib.ucpo_file_write, path_bytes(path), data, len(data))


def read_plans(path: PathLike, data: "Union[Dataset, Instance]", format: "str | None" = None) -> "list[Solution]":
    """Plans from a file, each checked against its instance.

    >>> import ucpo
    >>> inst = ucpo.read("examples/data/toy.tsptw")
    >>> ucpo.read_plans("examples/data/toy_tsptw.sol", inst)[0].feasible
    True
    """
    instances = as_dataset(data)
    plans = PlanList(address=handle(lib.ucpo_plans_read, path_bytes(path), text_bytes(format), instances.address))
    count = min(len(plans), len(instances))
    return [Solution(instances[i], plans[i]) for i in range(count)]


def report(solutions: "Sequence[Solution]", path: "PathLike | None" = None, *, title: "str | None" = None) -> Page:
    """One web page about several plans."""
    solutions = list(solutions)
    data = Dataset(solution.instance for solution in solutions)
    plans = PlanList(solutions)
    options = default(abi.ucpo_plot_config)
    options.title = text_bytes(title)
    page = Page(taken_bytes(lib.ucpo_report_html, data.address, plans.address, C.byref(options)).decode())
    if path is not None:
        page.save(path)
    return page


# ---- checking and explaining ----


def check(instance: Instance, plan: Plan) -> Solution:
    """The independent checker's verdict about a plan.

    `plan` is a list of routes, a flat sequence of nodes in which 0 separates routes, or a `Solution`.

    >>> inst = Instance.tsptw([(0, 0), (3, 0), (3, 4)], [(0, 100), (0, 8), (5, 9)])
    >>> check(inst, [1, 2]).cost
    12.0
    >>> [v.kind for v in check(inst, [1]).violations()]
    ['missing']
    """
    return Solution(instance, plan)


def explain(instance: Instance, plan: "Plan | None" = None) -> Explanation:
    """Proofs that no plan can be feasible; with a plan also the smallest changes that would save it.

    >>> import ucpo
    >>> explain(ucpo.read("examples/data/toy_impossible.tsptw")).proved
    True
    """
    nodes = None if plan is None else flat_nodes(plan)
    address = handle(lib.ucpo_explain, instance.address, None if nodes is None else nodes.ctypes.data,
                     0 if nodes is None else len(nodes))
    try:
        reasons = []
        for index in range(lib.ucpo_explanation_count(address)):
            found = lib.ucpo_explanation_at(address, index).contents
            reasons.append(Reason(
                lib.ucpo_reason_name(found.kind).decode(), bool(found.is_proof), bool(found.is_joint),
                found.customers[: found.customer_count], found.value, found.bound, found.excess, found.text.decode()))
        return Explanation(bool(lib.ucpo_explanation_is_proof(address)), reasons, instance.claim_note("infeasible"))
    finally:
        lib.ucpo_explanation_free(address)
