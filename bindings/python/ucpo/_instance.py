"""Instances and sets of them: from arrays, tables, files and generators."""
from __future__ import annotations

import ctypes as C
import math
import os
from typing import Any, Callable, Iterable, Iterator, Mapping, Optional, Sequence, Union, overload

from . import _abi as abi
from ._errors import ArgumentError, UnsupportedError, WrongType
from ._facts import presets, problems
from ._lib import (Handle, PathLike, Session, call, default, handle, lib, one_of, path_bytes, taken_bytes, text_array,
                   text_bytes)
from ._np import np
from ._values import index as place_in, real, place, real, reals, refuse, unknown, whole

METRICS = {"euclid": 0, "manhattan": 1, "maximum": 2, "geo": 3, "att": 4, "haversine": 5}
ROUNDINGS = {"declared": 0, "none": 1, "nearest": 2, "up": 3, "down": 4, "dimacs": 5, "exact": 6}
DRAFTS = {"load": abi.UCPO_DRAFT_LOAD, "unload": abi.UCPO_DRAFT_UNLOAD}
ARRAYS = ("x", "y", "ready", "due", "service", "demand", "limit", "setup")
MATRICES = ("cost", "duration")
PLACES = MATRICES + ("x", "y")  # the first of them that is given says how many nodes there are
WINDOWED = ("tsptw", "cvrptw", "cvrptwlv")
OPEN = {"ready": -math.inf, "due": math.inf}  # what None stands for
SETTINGS = ("unit", "tolerance", "best_known", "speed", "clock", "clock_day")
CREATING = ARRAYS + MATRICES + SETTINGS + ("coordinates", "windows", "place", "ids", "labels", "metric", "rounding", "draft",
                                           "name", "cost_unit", "capacity", "vehicles")


def doubles_pointer(array: Any) -> Any:
    return C.cast(array.ctypes.data, C.POINTER(C.c_double))


def _rows(what: str, value: Any) -> Any:
    """An array (n, 2)."""
    array = reals(what, value)
    if array.ndim != 2 or array.shape[1] != 2:
        raise ArgumentError(f"{what} have shape {array.shape}, expected (n, 2)")
    return array


def _times(what: str, value: Any, of_none: float) -> Any:
    """Times, in which None counts as `of_none`."""
    try:
        array = np.asarray(value)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        return reals(what, value)
    if array.dtype.kind != "O":
        return reals(what, value)
    if array.ndim != 1:
        refuse(what, array, "n times")
    return np.array([of_none if time is None else real(place(what, (i,)), time) for i, time in enumerate(array)])


def _spans(windows: Any) -> "tuple[Any, Any]":
    """Columns of windows; None, for one of its ends or in place of a window, is open."""
    try:
        array = np.asarray(windows)
    except (TypeError, ValueError, OverflowError, RuntimeError):  # rows of different lengths
        array = None
    if array is not None and array.dtype.kind != "O":
        spans = _rows("windows", windows)
        return spans[:, 0], spans[:, 1]
    if array is not None and array.ndim == 0:
        refuse("windows", windows, "n pairs (ready, due)", WrongType)
    begin, end = [], []
    for i, span in enumerate(windows if array is None else array):
        pair = (None, None) if span is None else span
        if isinstance(pair, (str, bytes)) or not hasattr(pair, "__len__") or len(pair) != 2:
            refuse(f"windows[{i}]", span, "a pair (ready, due), or None for an open one")
        begin.append(-math.inf if pair[0] is None else real(f"windows[{i}][0]", pair[0]))
        end.append(math.inf if pair[1] is None else real(f"windows[{i}][1]", pair[1]))
    return np.array(begin), np.array(end)


def _open(ready: Any, due: Any) -> Any:
    """Opening times with numbers for the open ones, which make no difference: nobody arrives before the depot opens. A depot
    that is always open opens at 0, or with the earliest time there is."""
    is_open = np.isneginf(ready)
    if not is_open.any():
        return ready
    ready = ready.copy()
    if is_open[0]:
        ready[0] = min([0.0, *ready[~is_open], *due])
    ready[is_open] = np.minimum(ready[0], due[is_open])
    return ready


def is_table(value: Any) -> bool:
    return hasattr(value, "columns") or isinstance(value, Mapping)


def is_whole_table(coordinates: Any, **others: Any) -> bool:
    """A table that brings everything. With arrays beside it only a table of coordinates makes sense: an array, then."""
    given = [name for name, value in others.items() if value is not None]
    if given and isinstance(coordinates, Mapping):
        raise ArgumentError(f"{given[0]} beside a dictionary of columns: put it into the table")
    return is_table(coordinates) and not given


def _size_of(arrays: "Mapping[str, Any]", called: "Mapping[str, str]") -> str:
    """Where the number of nodes is from, in words."""
    name, array = next(iter(arrays.items()))
    if array.ndim == 2:
        return f"{name} is {array.shape[0]} x {array.shape[1]}"
    return f"there are {array.shape[0]} {called[name]}" if name in called else f"{name} has {array.shape[0]} numbers"


class Instance(Handle):
    """One routing problem. Node 0 is the depot; `n` counts it.

    Made by `Instance.tsptw`, `.tspdl`, `.cvrptw`, `.cvrp`, `.from_table`, by `ucpo.read` or taken from a `Dataset`.
    """

    _free = lib.ucpo_instance_free

    def __init__(self, address: int, owner: object = None):
        super().__init__(address)
        self._owner = owner  # a Dataset that frees the handle

    def __del__(self) -> None:
        if getattr(self, "_owner", None) is None:
            super().__del__()

    # ---- making one ----

    @classmethod
    def create(cls, problem: str, coordinates: Any = None, *, windows: Any = None, **fields: Any) -> "Instance":
        """An instance of any problem the library knows.

        `coordinates` is an array (n, 2) or None; `windows` an array (n, 2) in place of `ready` and `due`, in both of which
        None means open. Arrays of n numbers: ready, due, service, demand, limit, setup (and place, whole numbers: nodes with
        the same one are at one place, where a setup is paid once in a row); n x n matrices: cost, duration; also capacity,
        vehicles, name, ids, labels, metric, rounding, draft, unit, tolerance, speed, cost_unit (see include/ucpo.h,
        section 4). What a C number cannot hold exactly is refused.

        >>> Instance.create("tsptw", [(0, 0), (3, 0)], windows=[None, (4, None)]).due.tolist()
        [inf, inf]
        """
        known = problems()
        if problem not in known:
            raise UnsupportedError(f"this library does not know the problem '{problem}', it knows: {', '.join(known)}")
        data = default(abi.ucpo_instance_data)
        fields = {name: value for name, value in fields.items() if value is not None}
        called: "dict[str, str]" = {}  # fields that came under another name
        if coordinates is not None:
            points = _rows("coordinates", coordinates)
            for at, name in enumerate(("x", "y")):
                called[name] = "coordinates"
                fields.setdefault(name, points[:, at])
        if windows is not None:
            for name, times in zip(("ready", "due"), _spans(windows)):
                called[name] = "windows"
                fields.setdefault(name, times)
        data.problem = text_bytes(problem)
        arrays = cls._arrays(fields, called)
        data.n = n = next(iter(arrays.values())).shape[0]
        for name, array in arrays.items():
            setattr(data, name, doubles_pointer(array))
        keep: "list[Any]" = [arrays]  # until the library has copied it
        where = fields.pop("place", None)
        if where is not None:
            if len(where) != n:
                raise ArgumentError(f"place has {len(where)} numbers, expected {n}: {_size_of(arrays, called)}")
            numbers = [whole(f"place[{at}]", value, C.c_int32) for at, value in enumerate(where)]
            keep.append((C.c_int32 * n)(*numbers))
            data.place = C.cast(keep[-1], C.POINTER(C.c_int32))
        for name, attribute in (("ids", "id"), ("labels", "label")):
            texts = fields.pop(name, None)
            if texts is not None:
                if len(texts) != n:
                    raise ArgumentError(f"there are {len(texts)} {name}, expected {n}: {_size_of(arrays, called)}")
                keep.append(text_array(name, texts))
                setattr(data, attribute, C.cast(keep[-1], C.POINTER(C.c_char_p)))
        for name, choices in (("metric", METRICS), ("rounding", ROUNDINGS), ("draft", DRAFTS)):
            value = fields.pop(name, None)
            if value is not None:
                setattr(data, name, one_of(name, value, choices))
        data.name = text_bytes(fields.pop("name", None))
        data.cost_unit = text_bytes(fields.pop("cost_unit", None))
        data.capacity = _above_zero("capacity", fields.pop("capacity", None), real)
        data.vehicles = _above_zero("vehicles", fields.pop("vehicles", None), _fleet)
        for name in SETTINGS:
            value = fields.pop(name, None)
            if value is not None:
                setattr(data, name, value)
        if fields:
            unknown(problem, next(iter(fields)), CREATING)
        if problem in WINDOWED and "ready" not in arrays and "due" not in arrays:
            raise ArgumentError(f"{problem} needs windows, n pairs (ready, due), or the arrays ready and due")
        return cls(handle(lib.ucpo_instance_create, C.byref(data)))

    @staticmethod
    def _arrays(fields: "dict[str, Any]", called: "Mapping[str, str]") -> "dict[str, Any]":
        """Takes the arrays out of the fields. The first says how many nodes there are: a matrix, else the coordinates."""
        found: "dict[str, Any]" = {}
        for name in PLACES + ARRAYS[2:]:
            value = fields.pop(name, None)
            if value is None:
                continue
            if not found and name not in PLACES:
                break
            array = _times(name, value, OPEN[name]) if name in OPEN else reals(name, value)
            n = next(iter(found.values())).shape[0] if found else array.shape[0] if array.ndim else 0
            expected = (n, n) if name in MATRICES else (n,)
            if array.shape != expected:
                words = f"{called[name]}: {name}" if name in called else name
                why = _size_of(found, called) if found else "one for each node"
                if not found and array.ndim != len(expected):  # its first size says nothing
                    raise ArgumentError(f"{words} has shape {array.shape}, expected ({'n, n' if name in MATRICES else 'n,'}): {why}")
                raise ArgumentError(f"{words} has shape {array.shape}, expected {expected}: {why}")
            found[name] = np.ascontiguousarray(array)
        if not found:
            raise ArgumentError("an instance needs coordinates or a cost matrix")
        if "ready" in found and "due" in found:
            found["ready"] = np.ascontiguousarray(_open(found["ready"], found["due"]))
        return found

    @classmethod
    def tsptw(cls, coordinates: Any = None, windows: Any = None, *, ready: Any = None, due: Any = None,
              service: Any = None, cost: Any = None, duration: Any = None, name: "str | None" = None,
              **more: Any) -> "Instance":
        """One vehicle, a time window per customer (start of service).

        `coordinates` is an array (n, 2), a table with named columns (see `from_table`), or None beside `cost`.

        >>> inst = Instance.tsptw([(0, 0), (3, 0), (3, 4)], [(0, 100), (0, 8), (5, 9)])
        >>> inst.problem, inst.n
        ('tsptw', 3)
        """
        if is_whole_table(coordinates, windows=windows, ready=ready, due=due, service=service, cost=cost, duration=duration):
            return cls.from_table(coordinates, "tsptw", name=name, **more)
        return cls.create("tsptw", coordinates, windows=windows, ready=ready, due=due, service=service, cost=cost,
                          duration=duration, name=name, **more)

    @classmethod
    def tspdl(cls, coordinates: Any = None, demand: Any = None, limit: Any = None, *, cost: Any = None,
              draft: str = "load", name: "str | None" = None, **more: Any) -> "Instance":
        """One ship; the load on board may not exceed each port's draft limit.

        draft "load": the ship starts empty and picks up; "unload": it starts full and delivers. A table has the columns
        x, y, demand and limit; `columns` maps others.
        """
        if is_whole_table(coordinates, demand=demand, limit=limit, cost=cost):
            table, names = coordinates, dict(more.pop("columns", None) or {})
            heads = {str(head).strip().lower(): head for head in (table.columns if hasattr(table, "columns") else table)}
            wanted = {name: str(names.get(name, name)).strip().lower() for name in ("x", "y", "demand", "limit")}
            missing = [head for head in wanted.values() if head not in heads]
            if missing:
                raise ArgumentError(f"the table has no column {missing[0]}, expected x, y, demand and limit")
            x, y, demand, limit = _equal_columns(table, [heads[head] for head in wanted.values()])
            coordinates = list(zip(x, y))
            if "id" in heads:
                more.setdefault("ids", [str(text) for text in table[heads["id"]]])
        return cls.create("tspdl", coordinates, demand=demand, limit=limit, cost=cost, draft=draft, name=name, **more)

    @classmethod
    def cvrptw(cls, coordinates: Any = None, windows: Any = None, demand: Any = None,
               capacity: "float | None" = None, vehicles: "int | None" = None, *, ready: Any = None, due: Any = None,
               service: Any = None, cost: Any = None, duration: Any = None, name: "str | None" = None,
               **more: Any) -> "Instance":
        """Vehicles of one capacity, time windows, return before the depot closes; at most `vehicles` if given."""
        problem = "cvrptw" if vehicles is None else "cvrptwlv"
        if is_whole_table(coordinates, windows=windows, demand=demand, ready=ready, due=due, service=service, cost=cost,
                          duration=duration):
            return cls.from_table(coordinates, problem, capacity=capacity, vehicles=vehicles, name=name, **more)
        return cls.create(problem, coordinates, windows=windows, demand=demand, capacity=capacity, vehicles=vehicles,
                          ready=ready, due=due, service=service, cost=cost, duration=duration, name=name, **more)

    @classmethod
    def cvrp(cls, coordinates: Any = None, demand: Any = None, capacity: "float | None" = None,
             vehicles: "int | None" = None, *, cost: Any = None, name: "str | None" = None,
             **more: Any) -> "Instance":
        """Vehicles of one capacity without time windows. `UnsupportedError` if the library has no such problem."""
        if is_whole_table(coordinates, demand=demand, cost=cost):
            if "cvrp" not in problems():
                cls.create("cvrp")  # says what the library knows
            return cls.from_table(coordinates, "cvrp", capacity=capacity, vehicles=vehicles, name=name, **more)
        return cls.create("cvrp", coordinates, demand=demand, capacity=capacity, vehicles=vehicles, cost=cost,
                          name=name, **more)

    @classmethod
    def from_table(cls, table: Any, problem: "str | None" = None, *, capacity: "float | None" = None,
                   vehicles: "int | None" = None, speed: "float | None" = None,
                   columns: "Mapping[str, str] | None" = None, matrix: "PathLike | None" = None,
                   name: "str | None" = None, **more: Any) -> "Instance":
        """From a pandas-like table or a dictionary of columns: one row per stop, the depot first.

        Columns are found by name as in CSV files (docs/formats.md): id, name, lat, lon or x, y, ready, due or window,
        service, demand, ...; `columns` maps others: ``columns={"demand": "qty"}``. Times may be texts such as
        "08:30", datetimes or numbers.

        >>> day = Instance.from_table({"x": [0, 3, 3], "y": [0, 0, 4], "ready": [0, 0, 5], "due": [99, 10, 9]})
        >>> day.problem
        'tsptw'
        """
        import csv
        import io

        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        heads = [str(head) for head in (table.columns if hasattr(table, "columns") else table.keys())]
        writer.writerow(heads)
        for row in zip(*_equal_columns(table, heads)):
            writer.writerow([_cell(value) for value in row])
        data = read_bytes(text.getvalue().encode(), label=name or "table", format="csv", problem=problem,
                          capacity=capacity, vehicles=vehicles, speed=speed, columns=columns, matrix=matrix, **more)
        return data[0]

    def copy(self) -> "Instance":
        return Instance(handle(lib.ucpo_instance_create, C.byref(self._view)))

    # ---- what is in it ----

    @property
    def _view(self) -> abi.ucpo_instance_data:
        return lib.ucpo_instance_view(self.address).contents

    @property
    def n(self) -> int:
        """Number of nodes, the depot included."""
        return self._view.n

    @property
    def problem(self) -> str:
        return self._view.problem.decode()

    @property
    def name(self) -> str:
        return (self._view.name or b"").decode(errors="replace")

    @property
    def capacity(self) -> float:
        return self._view.capacity

    @property
    def vehicles(self) -> int:
        """Fleet limit; 0: none."""
        return self._view.vehicles

    @property
    def unit(self) -> float:
        """The length that counts as 1 in normalised values."""
        return self._view.unit

    @property
    def tolerance(self) -> float:
        return self._view.tolerance

    @property
    def cost_unit(self) -> "Optional[str]":
        """What costs are counted in ("km", "m", "s", ...), or None: not known."""
        unit = self._view.cost_unit
        return unit.decode(errors="replace") if unit else None

    @property
    def left_out(self) -> "list[tuple[str, str]]":
        """What was left out of the file with `ignore_unsupported`: pairs of a way ("easier", "harder", "either", "other cost":
        what the instance is without it) and words. Empty: the instance is the file's problem."""
        view = self._view
        return [(lib.ucpo_reading_name(view.left_out[k].way).decode(), view.left_out[k].text.decode(errors="replace"))
                for k in range(view.left_outs)]

    @property
    def reading(self) -> str:
        """All ways of `left_out` together, "whole" if nothing was left out: how far a verdict about the instance is one
        about its file."""
        return lib.ucpo_reading_name(lib.ucpo_instance_reading(self.address)).decode()

    def claim_note(self, claim: str) -> str:
        """What must stand beside the verdict "feasible", "infeasible" or "optimal" about the instance: "" if it holds for
        the file too."""
        claims = {"feasible": abi.UCPO_CLAIM_FEASIBLE, "infeasible": abi.UCPO_CLAIM_INFEASIBLE,
                  "optimal": abi.UCPO_CLAIM_OPTIMAL}
        return lib.ucpo_claim_note(self.address, one_of("claim", claim, claims)).decode()

    def __getattr__(self, name: str) -> Any:
        """x, y, ready, due, service, demand, limit, setup: a copy as an array of n numbers that cannot be written (an instance does
        not change), or None."""
        if name not in ARRAYS:
            raise AttributeError(f"'Instance' has no attribute '{name}'")
        pointer = getattr(self._view, name)
        if not pointer:
            return None
        array = np.ctypeslib.as_array(pointer, (self.n,)).copy()
        array.flags.writeable = False
        return array

    def __dir__(self) -> "list[str]":
        return sorted({*super().__dir__(), *ARRAYS})

    @property
    def coordinates(self) -> Any:
        """Array (n, 2), or None if there are only matrices."""
        return None if self.x is None else np.stack([self.x, self.y], axis=1)

    def _matrix(self, pointer: Any, leg: "Callable[[int, int, int], float]") -> Any:
        n = self.n
        if pointer:
            return np.ctypeslib.as_array(pointer, (n, n)).copy()
        address = self.address
        return np.array([[leg(address, i, j) for j in range(n)] for i in range(n)])

    def cost_matrix(self) -> Any:
        """Costs of all legs, n x n."""
        return self._matrix(self._view.cost, lib.raw.ucpo_instance_cost)

    def duration_matrix(self) -> Any:
        """Travel times of all legs, n x n."""
        return self._matrix(self._view.duration, lib.raw.ucpo_instance_duration)

    def node_text(self, node: int) -> str:
        """What people call a node: its id, else its number."""
        buffer = C.create_string_buffer(160)
        return lib.ucpo_node_text(self.address, node, buffer, 160).decode(errors="replace")

    def clock(self, time: float) -> str:
        """A time as people write it: 08:30 if the instance has times of the day, else the number."""
        buffer = C.create_string_buffer(40)
        return lib.ucpo_clock_text(self.address, time, 0, buffer, 40).decode() or f"{time:g}"

    def __repr__(self) -> str:
        name = f" '{self.name}'" if self.name else ""
        read = f", not the file's problem: {self.reading}" if self._view.left_outs else ""
        return f"<ucpo.Instance {self.problem}{name}, {self.n} nodes{read}>"

    # ---- files ----

    def write(self, path: PathLike, format: "str | None" = None, scale: float = 0.0) -> None:
        """Writes the instance; the ending of the path is the format unless one is given."""
        Dataset([self]).write(path, format, scale)

    def to_json(self) -> str:
        """The instance as JSON (docs/formats.md)."""
        return Dataset([self]).to_bytes("json").decode()

    def __reduce__(self) -> Any:
        return (_from_json, (self.to_json(),))

    # ---- shortcuts ----

    def solve(self, time: "float | None" = None, **settings: Any) -> Any:
        """`ucpo.solve(self, ...)`."""
        from ._solve import solve

        return solve(self, time, **settings)


def _from_json(text: str) -> Instance:
    return read_bytes(text.encode(), label="copy", format="json")[0]


def _cell(value: Any) -> str:
    if value is None or value != value:  # NaN, NaT
        return ""
    if hasattr(value, "total_seconds"):  # a timedelta since midnight
        seconds = round(value.total_seconds())
        return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    if hasattr(value, "isoformat"):  # datetimes and times of the day
        return value.isoformat()
    if isinstance(value, float):
        return repr(float(value)) if math.isfinite(value) else ""
    return str(value)


class Dataset(Handle):
    """Instances in order: a sequence with len, indices, slices and iteration."""

    _free = lib.ucpo_dataset_free

    def __init__(self, instances: "Iterable[Instance]" = ()):
        super().__init__(handle(lib.ucpo_dataset_create))
        for instance in instances:
            self.append(instance)

    @classmethod
    def _own(cls, address: int) -> "Dataset":
        made = cls.__new__(cls)
        Handle.__init__(made, address)
        return made

    def append(self, instance: Instance) -> None:
        """Adds an instance; it is shared, not copied."""
        call(lib.ucpo_dataset_share, self.address, instance.address)

    def __len__(self) -> int:
        return lib.ucpo_dataset_count(self.address)

    @overload
    def __getitem__(self, index: int) -> Instance: ...

    @overload
    def __getitem__(self, index: slice) -> "Dataset": ...

    def __getitem__(self, index: "Union[int, slice]") -> "Union[Instance, Dataset]":
        count = len(self)
        if isinstance(index, slice):
            return Dataset(self[i] for i in range(*index.indices(count)))
        return Instance(lib.ucpo_dataset_at(self.address, place_in("instance", index, count)), owner=self)

    def __iter__(self) -> Iterator[Instance]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        kinds = sorted({self[i].problem for i in range(min(len(self), 1000))})
        return f"<ucpo.Dataset of {len(self)} instances: {', '.join(kinds) or 'empty'}>"

    def to_bytes(self, format: str, scale: float = 0.0) -> bytes:
        """The content of a file in any format of `ucpo.formats()`."""
        options = default(abi.ucpo_write_config)
        options.format = text_bytes(format)
        options.scale = scale
        with Session() as session:
            options.hooks = session.hooks
            return taken_bytes(lib.ucpo_write_bytes, self.address, C.byref(options))

    def array(self) -> Any:
        """All numbers as one array (instances, nodes, columns); instances must be of one problem and size. Columns as in npy
        files (docs/formats.md): tsptw x, y, ready, due; tspdl x, y, demand, limit; fleets x, y, demand, ready, due, ...

        >>> generate("tsptw", 10, count=3).array().shape
        (3, 10, 4)
        """
        import io

        return np.load(io.BytesIO(self.to_bytes("npy")))

    def write(self, path: PathLike, format: "str | None" = None, scale: float = 0.0) -> None:
        """Writes the set; the file appears complete or not at all."""
        if format is None:
            format = os.path.splitext(os.fspath(path))[1].lstrip(".") or "json"
        data = self.to_bytes({"txt": "plain"}.get(format, format), scale)
        call(lib.ucpo_file_write, path_bytes(path), data, len(data))

    def __reduce__(self) -> Any:
        return (_set_from_json, (self.to_bytes("json"),))


def _set_from_json(data: bytes) -> Dataset:
    return read_bytes(data, label="copy", format="json")


def as_dataset(data: "Union[Dataset, Instance, Sequence[Instance], PathLike]") -> Dataset:
    if isinstance(data, Dataset):
        return data
    if isinstance(data, Instance):
        return Dataset([data])
    if isinstance(data, (str, os.PathLike)):
        return read_set(data)
    return Dataset(data)


# ---- reading ----


def _equal_columns(table: Any, heads: "list[Any]") -> "list[list[Any]]":
    columns = [list(table[head]) for head in heads]
    for head, column in zip(heads, columns):
        if len(column) != len(columns[0]):
            raise ArgumentError(f"column '{head}' has {len(column)} values, '{heads[0]}' has {len(columns[0])}")
    return columns


def _fleet(what: str, value: Any) -> int:
    return whole(what, value, C.c_int32, least=1)


def _above_zero(what: str, value: Any, convert: "Callable[[str, Any], Any]") -> Any:
    """None: 0, not given."""
    if value is None:
        return 0
    found = convert(what, value)
    if not found > 0:
        refuse(what, value, "a number above 0")
    return found


def _read_options(session: Session, format: "str | None" = None, problem: "str | None" = None,
                  rounding: str = "declared", capacity: "float | None" = None, vehicles: "int | None" = None,
                  strict: bool = False, ignore_unsupported: bool = False, tolerance: "float | None" = None,
                  columns: "Mapping[str, str] | None" = None, speed: "float | None" = None,
                  matrix: "PathLike | None" = None) -> abi.ucpo_read_config:
    options = default(abi.ucpo_read_config)
    options.format = text_bytes(format)
    options.problem = text_bytes(problem)
    if problem is not None and problem not in problems():
        raise UnsupportedError(f"this library does not know the problem '{problem}', it knows: {', '.join(problems())}")
    options.rounding = one_of("rounding", rounding, ROUNDINGS)
    options.capacity = _above_zero("capacity", capacity, real)
    options.vehicles = _above_zero("vehicles", vehicles, _fleet)
    options.strict = strict
    options.ignore_unsupported = ignore_unsupported
    if tolerance is not None:
        options.tolerance = tolerance
    if columns:
        options.columns = ",".join(f"{what}={head}" for what, head in columns.items()).encode()
    if speed is not None:
        options.speed = speed
    options.matrix = None if matrix is None else path_bytes(matrix)
    options.hooks = session.hooks
    return options


def read_set(path: PathLike, **options: Any) -> Dataset:
    """Reads a file as a `Dataset`, also if it holds one instance. Options as in `read`."""
    with Session() as session:
        settings = _read_options(session, **options)
        return Dataset._own(handle(lib.ucpo_read, path_bytes(path), C.byref(settings)))


def read_bytes(data: bytes, label: str = "data", **options: Any) -> Dataset:
    """The same from memory. `label` stands for the file in messages."""
    with Session() as session:
        settings = _read_options(session, **options)
        return Dataset._own(handle(lib.ucpo_read_bytes, data, len(data), label.encode(), C.byref(settings)))


def read(path: PathLike, **options: Any) -> "Union[Instance, Dataset]":
    """Reads a file of any format: an `Instance` if it holds one, a `Dataset` if it holds several.

    Options: format, problem, rounding, capacity, vehicles, strict, ignore_unsupported, tolerance; for CSV of stops also
    columns, speed, matrix (docs/formats.md).

    >>> read("examples/data/toy.tsptw").problem
    'tsptw'
    """
    data = read_set(path, **options)
    return data[0] if len(data) == 1 else data


# ---- making some ----


def _preset(preset: str, first: int, count: int, problem: "str | None", size: "int | None", level: "str | None",
            seed: "int | None", capacity: "float | None") -> Dataset:
    """A part of a set whose name says problem, size and level. What is given beside it must agree."""
    if preset not in presets():
        return Dataset._own(handle(lib.ucpo_generate_preset, text_bytes(preset), first, count))  # says what there is
    head, has_level = preset.split("_")
    has_problem, has_size = head.rstrip("0123456789"), head.lstrip("abcdefghijklmnopqrstuvwxyz")
    for name, value, its in (("problem", problem, has_problem), ("level", level, has_level)):
        if value is not None and value != its:
            refuse(name, value, f"{its!r}, that of the preset {preset}")
    if size is not None and whole("size", size, C.c_int32) != int(has_size):
        refuse("size", size, f"{has_size}, that of the preset {preset}")
    if seed is not None:
        refuse("seed", seed, f"none beside the preset {preset}, which has its own")
    found = Dataset._own(handle(lib.ucpo_generate_preset, text_bytes(preset), first, count))
    if capacity is not None and real("capacity", capacity) not in (0.0, found[0].capacity):
        refuse("capacity", capacity, f"{found[0].capacity:g}, that of the preset {preset}")
    return found


def generate(problem: "str | None" = None, size: "int | None" = None, count: int = 1, *, level: "str | None" = None,
             seed: "int | None" = None, first: int = 0, capacity: "float | None" = None, threads: int = 0,
             preset: "str | None" = None) -> Dataset:
    """Random instances: number i depends on (problem, level, size, seed, i) only. size is 50 and seed 1 unless given.

    preset: one of the published sets in place of problem, size, level and seed, see `ucpo.presets()`; what is given beside
    it must be what the set has.

    >>> len(generate("tsptw", size=10, count=5, level="hard"))
    5
    """
    if preset is not None:
        return _preset(preset, first, count, problem, size, level, seed, capacity)
    if problem is None:
        raise ArgumentError("generate needs a problem or a preset")
    if problem not in problems():
        raise UnsupportedError(f"this library does not know the problem '{problem}', it knows: {', '.join(problems())}")
    config = default(abi.ucpo_generate_config)
    config.problem = problem.encode()
    config.level = text_bytes(level)
    config.size, config.seed = 50 if size is None else size, 1 if seed is None else seed
    config.first, config.count = first, count
    config.capacity, config.threads = 0.0 if capacity is None else capacity, threads
    with Session() as session:
        config.hooks = session.hooks
        return Dataset._own(handle(lib.ucpo_generate, C.byref(config)))
