"""Where Python values become C values: exactly, or refused by name and value. Nothing is cut, wrapped or rounded on the way.

Scalars go through `whole`, `real`, `flag` and `text`, arrays through `reals` and `node_array`. Members of the C structs and
arguments of the C functions are converted by their C type (`Struct`, `checked`), so that none is forgotten.
"""
from __future__ import annotations

import ctypes as C
import decimal
import difflib
import math
import numbers
import operator
from collections.abc import Sequence
from typing import Any, Callable, Iterable, NoReturn

from ._errors import ArgumentError, WrongType
from ._np import np


def _range(kind: Any) -> "tuple[int, int]":
    bits = 8 * C.sizeof(kind)
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if kind(-1).value < 0 else (0, (1 << bits) - 1)


RANGES = {kind: _range(kind) for kind in (C.c_int, C.c_uint, C.c_long, C.c_size_t, C.c_int32, C.c_uint32, C.c_int64,
                                          C.c_uint64, C.c_uint8)}


# ---- refusing ----


def shown(value: Any) -> str:
    """A value in a message: short, whatever it is."""
    if type(value) is int and value.bit_length() > 1000:
        return f"a whole number of {value.bit_length()} bits"
    if hasattr(value, "shape") and hasattr(value, "dtype") and getattr(value, "ndim", 0):
        return f"an array {tuple(value.shape)} of {value.dtype}"
    try:
        text = repr(value)
    except ValueError:  # of too many digits
        text = f"a {type(value).__name__}"
    return text if len(text) <= 80 else text[:77] + "..."


def refuse(what: str, value: Any, expected: str, kind: "type[Exception]" = ArgumentError) -> NoReturn:
    raise kind(f"{what} is {shown(value)}, expected {expected}")


def unknown(function: str, name: str, known: "Iterable[str]") -> NoReturn:
    """An argument that a function does not have."""
    near = difflib.get_close_matches(name, list(known), n=1)
    raise TypeError(f"{function}: unknown argument '{name}'" + (f" (did you mean '{near[0]}'?)" if near else ""))


# ---- scalars ----


def _plain(value: Any) -> Any:
    """numpy's and torch's scalars as Python's own, where they have the same value."""
    if not hasattr(value, "item") or getattr(value, "ndim", 1) != 0:
        return value
    is_time = getattr(getattr(value, "dtype", None), "kind", " ") in "mM"
    return value if is_time else value.item()


def exact_whole(value: Any) -> "int | None":
    """The whole number that `value` is; None if it is none. A bool is none."""
    if type(value) is int:
        return value
    value = _plain(value)
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if hasattr(value, "dtype") or not hasattr(value, "__index__"):
        return None
    return operator.index(value)


def whole(what: str, value: Any, kind: Any, least: "int | None" = None) -> int:
    """A whole number of a C type; not below `least`."""
    low, high = RANGES[kind]
    low = low if least is None else least
    found = exact_whole(value)
    if found is None or not low <= found <= high:
        refuse(what, value, f"a whole number {low} .. {high}", WrongType if found is None else ArgumentError)
    return found


def flag(what: str, value: Any) -> int:
    plain = _plain(value)
    found = int(plain) if isinstance(plain, bool) else exact_whole(plain)
    if found not in (0, 1):
        refuse(what, value, "True or False", WrongType)
    return found


def real(what: str, value: Any) -> float:
    """A double; a whole number only if a double holds it."""
    if type(value) is float:
        return value
    plain = _plain(value)
    is_real = isinstance(plain, (numbers.Real, decimal.Decimal)) and not isinstance(plain, bool)
    if not is_real or getattr(getattr(plain, "dtype", None), "kind", "f") != "f":  # numpy's spans of time count as whole
        refuse(what, value, "a number", WrongType)
    try:
        found = float(plain)
    except (OverflowError, ValueError):
        found = math.inf
    if not _is_held(found, plain):
        refuse(what, value, "a number that a double holds")
    return found


def _is_held(found: float, number: Any) -> bool:
    """Whether a double is the number it was made of; digits behind the point may be fewer."""
    if found == number or number != number:
        return True
    if math.isinf(found):
        return False
    return number != number.to_integral_value() if isinstance(number, decimal.Decimal) else number % 1 != 0


def text(what: str, value: "bytes | None") -> "bytes | None":
    """Bytes for C, which ends them at the first zero."""
    if value is not None and b"\0" in value:
        refuse(what, value, "a text without zero bytes")
    return value


def setting(what: str, value: Any, is_real: bool = False) -> str:
    """A setting that the library reads as text; `is_real`: as a double."""
    plain = _plain(value)
    if isinstance(plain, bool):
        return "yes" if plain else "no"
    if isinstance(plain, str):
        return plain
    if hasattr(plain, "__fspath__"):
        return str(plain.__fspath__())
    found = exact_whole(plain)
    is_float = isinstance(plain, float)
    if found is not None and abs(found) < 1 << (63 if is_float else 1000) and not (is_real and float(found) != found):
        return str(found)
    if is_float:
        return repr(plain)
    refuse(what, value, "a number, a text, True or False", WrongType)


def index(what: str, value: Any, count: int) -> int:
    """A place in a sequence, negative ones from its end."""
    found = exact_whole(value)
    if found is None or isinstance(_plain(value), float):
        refuse(what, value, "a whole number or a slice", WrongType)
    if not -count <= found < count:
        raise IndexError(f"{what} is {shown(found)}, there are {count}")
    return found + count if found < 0 else found


# ---- by C type ----


def converter(kind: Any) -> "Callable[[str, Any], Any] | None":
    """How values become `kind`; None: ctypes may do it, it does not lose anything."""
    if kind in RANGES:
        return lambda what, value: whole(what, value, kind)
    return {C.c_double: real, C.c_char_p: text}.get(kind)


class Struct(C.Structure):
    """A C struct whose members take what they can hold and refuse everything else. `_flags_` names those that are yes or
    no."""

    _flags_: "tuple[str, ...]" = ()
    _converters_: "dict[str, Any]" = {}

    def __init_subclass__(cls) -> None:
        cls._converters_ = {name: flag if name in cls._flags_ else converter(kind) for name, kind in cls.__dict__["_fields_"]}
        super().__init_subclass__()

    def __setattr__(self, name: str, value: Any) -> None:
        convert = self._converters_.get(name)
        super().__setattr__(name, value if convert is None else convert(name, value))


def checked(function: Callable[..., Any], arguments: "list[tuple[str, Any]]") -> Callable[..., Any]:
    """`function`, called with arguments of these names and C types."""
    steps = [(at, name, convert) for at, (name, kind) in enumerate(arguments) if (convert := converter(kind)) is not None]
    if not steps:
        return function

    def called(*given: Any) -> Any:
        values = list(given)
        for at, name, convert in steps:
            values[at] = convert(name, values[at])
        return function(*values)

    return called


# ---- arrays ----


def place(what: str, at: "tuple[int, ...]") -> str:
    return what + "".join(f"[{i}]" for i in at)


def _refuse_first(what: str, array: Any, is_bad: Any, expected: str) -> NoReturn:
    at = tuple(int(i) for i in np.argwhere(is_bad)[0])
    refuse(place(what, at), _plain(array[at]), expected)


PLAN = "a plan is routes or a flat list of node numbers, in which 0 separates routes"
NODE = "a whole number {} .. {}: {}".format(*RANGES[C.c_int32], PLAN)


def no_plan(what: str, value: Any) -> NoReturn:
    raise WrongType(f"{what} is {shown(value)}: {PLAN}")


def _one_by_one(what: str, value: Any) -> Any:
    """Columns that may have gaps, whole numbers beyond 64 bits, or a list in which these met a float."""
    try:
        source = np.asarray(value, dtype=object)
    except (TypeError, ValueError, RuntimeError) as error:
        raise ArgumentError(f"{what}: expected numbers ({error})") from None
    lengths = [len(row) if isinstance(row, (list, tuple, np.ndarray)) else -1 for row in source.flat]
    for i, length in enumerate(lengths):
        if source.ndim == 1 and length != lengths[0]:
            refuse(f"{what}[{i}]", source[i], f"{lengths[0]} numbers as in {what}[0]" if lengths[0] >= 0 else "a number", WrongType)
    array = np.empty(source.shape, dtype=np.float64)
    for at in np.ndindex(source.shape):
        array[at] = real(place(what, at), source[at])
    return array


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool) or str(getattr(value, "dtype", "")) in ("bool", "torch.bool")


def _first_bool(value: "Sequence[Any]") -> "tuple[int, ...] | None":
    """Where the first bool is in a list, of which numpy makes a 1 or 0 beside numbers."""
    kinds = set(map(type, value))
    if not any(issubclass(kind, (bool, Sequence)) or hasattr(kind, "dtype") for kind in kinds):
        return None
    for i, item in enumerate(value):
        if _is_bool(item):
            return (i,)
        inside = _first_bool(item) if isinstance(item, Sequence) and not isinstance(item, (str, bytes)) else None
        if inside is not None:
            return (i, *inside)
    return None


def _refuse_bools(what: str, value: Any) -> None:
    at = _first_bool(value) if isinstance(value, Sequence) else None
    if at is None:
        return
    found = value
    for i in at:
        found = found[i]
    refuse(place(what, at), _plain(found), "a number", WrongType)


def _array(what: str, value: Any) -> Any:
    """What numpy makes of the value, if nothing is lost on the way."""
    if isinstance(value, np.ndarray):
        return value
    try:
        array = np.asarray(value)
    except (TypeError, ValueError, OverflowError, RuntimeError):  # rows of different lengths, numbers without end
        return _one_by_one(what, value)
    if array.dtype.kind == "f" and not hasattr(value, "dtype"):
        with np.errstate(invalid="ignore"):
            is_mixed = (np.isfinite(array) & (np.abs(array) >= 2.0**53)).any()
        return _one_by_one(what, value) if is_mixed else array
    return _one_by_one(what, value) if array.dtype.kind == "O" else array


def reals(what: str, value: Any, shape: "tuple[int, ...] | None" = None, dtype: Any = "f8", may_be_flags: bool = False) -> Any:
    """A contiguous array of doubles (or another floating type); the very same object if it is one already. Whole numbers must
    be held exactly; arrays of complex numbers, objects, texts and (unless `may_be_flags`) bools are refused."""
    array = _array(what, value)
    kind = array.dtype.kind
    if kind not in ("fiub" if may_be_flags else "fiu") and array.size:
        refuse(what, array, "numbers", WrongType)
    if not may_be_flags:
        _refuse_bools(what, value)
    if shape is not None and array.shape != shape:
        raise ArgumentError(f"{what} has shape {array.shape}, expected {shape}")
    if array.dtype == dtype:
        return np.ascontiguousarray(array)
    with np.errstate(all="ignore"):
        found = np.ascontiguousarray(array, dtype=dtype)
    if array.size == 0 or array.dtype.itemsize < found.dtype.itemsize:
        return found
    if kind in "iu":
        lost = _inexact(found, array)
    else:
        lost = np.isinf(found) & ~np.isinf(array)
        if found.dtype == np.float64:
            lost |= (found != array) & (array == np.floor(array))
    if lost.any():
        _refuse_first(what, array, lost, f"a number that {found.dtype} holds")
    return found


def _inexact(found: Any, array: Any) -> Any:
    """Which floats are not the whole numbers they were made of."""
    lost = np.abs(found) >= 2.0 ** (np.finfo(found.dtype).nmant + 1)
    for at in np.argwhere(lost):
        lost[tuple(at)] = int(found[tuple(at)]) != int(array[tuple(at)])
    return lost


def node_array(what: str, value: Any) -> Any:
    """A contiguous array of int32: a sequence of node numbers, which are never floats."""
    low, high = RANGES[C.c_int32]
    if not hasattr(value, "dtype"):
        found = []
        for i, node in enumerate(value):
            number = node if type(node) is int else None if isinstance(_plain(node), float) else exact_whole(node)
            if number is None or not low <= number <= high:
                refuse(place(what, (i,)), node, NODE, WrongType if number is None else ArgumentError)
            found.append(number)
        return np.array(found, dtype=np.int32)
    array = value if isinstance(value, np.ndarray) else np.asarray(value)
    if array.size and (array.ndim != 1 or array.dtype.kind not in "iu"):
        no_plan(what, array)
    if array.dtype == np.int32 or array.size == 0:
        return np.ascontiguousarray(array.reshape(-1), dtype=np.int32)
    is_bad = (array < low) | (array > high)
    if is_bad.any():
        _refuse_first(what, array, is_bad, NODE)
    return np.ascontiguousarray(array, dtype=np.int32)
