"""Whatever enters from Python arrives exactly, or an error names it with its value. What enters is not listed here: members of
the C structs, arguments of the C functions, parameters of the public ones and settings of training and loss are looked up."""
import ctypes
import inspect
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import ucpo
from ucpo import _abi as abi
from ucpo._instance import ARRAYS, MATRICES, _read_options
from ucpo._lib import lib
from ucpo._loss import settings_of
from ucpo._train import _Config
from ucpo._values import RANGES, Struct, checked

REFUSALS = (ValueError, TypeError, OverflowError)
SCALARS = sorted({kind for kind in np.sctypeDict.values() if kind is not np.void}, key=lambda kind: kind.__name__)
INTEGERS = [kind for kind in SCALARS if issubclass(kind, np.integer) and not issubclass(kind, np.timedelta64)]
ODD = [True, False, np.True_, 0.5, -1.5, np.float32(2.5), float("nan"), float("inf"), -float("inf"), 1 + 0j, np.complex64(3),
       "1", b"1", [1], np.array([1]), object(), Decimal("1.5"), Fraction(3, 2), 10**5000, 1e300, np.datetime64(7, "ns"),
       np.timedelta64(7, "ns"), np.longdouble(1.5)]


def whole_numbers(low, high):
    """At, just inside and just outside the limits of every C type, and beyond by k turns of 32 and 64 bits."""
    edges = {low, high} | {edge for kind in RANGES.values() for edge in kind}
    found = {edge + step for edge in edges for step in (-1, 0, 1)}
    found |= {turn + k for turn in (2**32, 2**64, -(2**32), -(2**64), 2**128) for k in (-2, -1, 0, 1, 2, 5, 50)}
    return sorted(found | {-1, 0, 1, 2, 5, 2**53 + 1, 2**63 + 1})


def forms(value):
    """A whole number as Python and numpy say it."""
    yield value
    for kind in INTEGERS:
        if np.iinfo(kind).min <= value <= np.iinfo(kind).max:
            yield kind(value)
            yield np.array(value, dtype=kind)
    if abs(value) < 2**1000 and int(float(value)) == value:
        yield float(value)
        yield np.float64(value)


def is_said(value, text):
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value)) in text or ("yes" if value else "no") in text  # settings that are texts
    if isinstance(value, (np.ndarray, ucpo.Instance)) and getattr(value, "ndim", 1):
        return str(value.dtype) in text
    if isinstance(value, int) and value.bit_length() > 1000:
        return "bits" in text or "whole number" in text
    if isinstance(value, (int, np.integer, np.ndarray)):
        return str(int(value)) in text or float(value) in map(float, re.findall(r"-?\d[-+.e\d]*\b", text))
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return is_said(int(value), text)
    return repr(value)[:60] in text or str(value)[:60] in text


def exactly(name, value, enter):
    """Whether `value` arrived. If not, the error must name it."""
    try:
        arrived = enter(value)
    except REFUSALS as error:
        assert re.search(rf"\b{name.rstrip('_').replace('_', '[-_]')}\b", str(error)), f"{name}={value!r}: {error}"
        assert is_said(value, str(error)), f"{name}={value!r}: {error}"
        return False
    assert arrived == value and not isinstance(value, (str, bytes, list)), f"{name}={value!r} became {arrived!r}"
    return True


def integer_members():
    for name, kind in vars(abi).items():
        if isinstance(kind, type) and issubclass(kind, Struct):
            for field, of in kind._fields_:
                if of in RANGES:
                    yield pytest.param(kind, field, of, id=f"{name}.{field}")


@pytest.mark.parametrize("kind, field, of", integer_members())
def test_members_of_structs_hold_what_they_are_given_or_refuse_it(kind, field, of):
    low, high = RANGES[of]
    is_flag = field in kind._flags_
    struct = kind()

    def enter(value):
        setattr(struct, field, value)
        return getattr(struct, field)

    for number in whole_numbers(low, high):
        for value in forms(number):
            fits = number in (0, 1) if is_flag else low <= number <= high
            assert exactly(field, value, enter) == fits, (field, value)
    for value in ODD:
        assert exactly(field, value, enter) == (is_flag and isinstance(value, (bool, np.bool_))), (field, value)


def test_structs_have_many_integer_members():
    assert len(list(integer_members())) > 100


def test_doubles_of_structs_hold_whole_numbers_exactly():
    config = abi.ucpo_solve_config()

    def enter(value):
        config.time_limit = value
        return config.time_limit

    for number in whole_numbers(0, 2**53):
        for value in forms(number):
            assert exactly("time_limit", value, enter) == (int(float(number)) == number)
    for value in ODD:
        is_real = isinstance(value, (float, np.floating, Decimal, Fraction))
        if value == value:
            assert exactly("time_limit", value, enter) == is_real, value
    assert enter(np.longdouble("inf")) == float("inf") and np.isnan(enter(float("nan")))
    for value in (np.longdouble("1e4000"), np.longdouble(2) ** 53 + 1, Decimal("1e400"), Decimal("1e300"), 10**5000, -(10**5000)):
        if value < np.inf and int(value) != int(float(2**53)):
            assert not exactly("time_limit", value, enter)


def test_texts_are_not_cut_at_a_zero_byte():
    for name, enter in (("problem", lambda text: ucpo.Instance.create("tsptw\0x", [(0, 0), (1, 1)])),
                        ("title", lambda text: ucpo.report_runs([], title="a\0b")),
                        ("path", lambda text: ucpo.read("examples/data/toy.tsptw\0.csv")),
                        (r"ids\[1\]", lambda text: ucpo.Instance.tsptw(*toy(), ids=["a", "b\0c", "d"]))):
        with pytest.raises((ValueError, ucpo.Error), match=f"{name} is .*zero byte|does not know"):
            enter(None)


# ---- the C functions ----


def integer_arguments():
    for name, (_, arguments) in abi.FUNCTIONS.items():
        for at, (argument, kind) in enumerate(arguments):
            if kind in RANGES:
                yield pytest.param(name, at, argument, kind, id=f"{name}({argument})")


@pytest.mark.parametrize("name, at, argument, kind", integer_arguments())
def test_arguments_of_functions_are_held_or_refused(name, at, argument, kind):
    low, high = RANGES[kind]
    arguments = abi.FUNCTIONS[name][1]
    stand_in = checked(lambda *given: given[at], arguments)
    neutral = [0 if of in RANGES or of is ctypes.c_double else None for _, of in arguments]

    def enter(value, function=stand_in):
        return function(*neutral[:at], value, *neutral[at + 1 :])

    for number in whole_numbers(low, high):
        for value in forms(number):
            assert exactly(argument, value, enter) == (low <= number <= high)
    for value in ODD:
        assert not exactly(argument, value, enter)
        with pytest.raises(ucpo.ArgumentError, match=rf"\b{argument} is "):  # and so does the library's own
            enter(value, getattr(lib, name))


# ---- the public functions ----


class Arrived(BaseException):
    pass


@pytest.fixture
def arrival(monkeypatch):
    """Ends a call as soon as a setting or an argument of a name reaches the library, with what arrived."""

    def listen(wanted):
        def spy(name, arguments):
            raw = getattr(lib.raw, name)

            def heard(*given):
                for (argument, kind), value in zip(arguments, given):
                    struct = getattr(value, "_obj", None)
                    if isinstance(struct, Struct) and wanted in dict(struct._fields_):
                        raise Arrived(getattr(struct, wanted))
                    if argument == wanted and kind in RANGES and wanted != "size":  # which is that of a buffer
                        raise Arrived(value)
                return raw(*given)

            return checked(heard, arguments)

        for name, (_, arguments) in abi.FUNCTIONS.items():
            if not name.endswith("_init"):
                monkeypatch.setattr(lib, name, spy(name, arguments))

    return listen


XY = [(0, 0), (3, 0), (3, 4)]
WINDOWS = [(0, 100), (0, 8), (5, 9)]
THREE = ([10.0, 12.0, 11.0], [0.0, 0.0, 3.0], [-1.0, -1.0, -1.0])


def toy():
    return XY, WINDOWS


def small():
    return ucpo.Instance.tsptw(XY, WINDOWS)


TABLE = {"x": [0, 3, 3], "y": [0, 0, 4], "ready": [0, 0, 5], "due": [99, 10, 9], "demand": [0, 1, 1]}
MODEL = dict(width=8, heads=1, hidden=8, layers=1)

# How each public callable that takes whole numbers is called; a parameter that is added to one of them is tried by itself.
CALLS = {
    "generate": lambda **k: ucpo.generate(**{"problem": "tsptw", "size": 10, **k}),
    "solve": lambda **k: ucpo.solve(small(), model="none", **k),
    "solve_many": lambda **k: ucpo.solve_many([small()], model="none", **k),
    "Solver.__init__": lambda **k: ucpo.Solver("none", **k).solve(small()),
    "Solver.solve": lambda **k: ucpo.Solver("none").solve(small(), **k),
    "evaluate": lambda **k: ucpo.evaluate(None, small(), **k),
    "loss": lambda **k: ucpo.loss(*THREE, **k),
    "Model.create": lambda **k: ucpo.Model.create("tsptw", **{**MODEL, **k}),
    "Instance.cvrptw": lambda **k: ucpo.Instance.cvrptw(XY, WINDOWS, [0, 1, 1], 3, **k),
    "Instance.cvrp": lambda **k: ucpo.Instance.cvrp(XY, [0, 1, 1], 3, **k),
    "Instance.from_table": lambda **k: ucpo.Instance.from_table(TABLE, **{"capacity": 3, **k}),
    "Instance.node_text": lambda **k: small().node_text(**k),
}
ALIASES = {"nodes": "n"}  # by what name it reaches the library
INDEXED = {"Dataset.__getitem__", "Solutions.__getitem__", "Evaluation.__getitem__"}  # test_indices


def integer_parameters(module):
    for name in module.__all__:
        thing = getattr(module, name)
        if not callable(thing) or isinstance(thing, type) and issubclass(thing, (tuple, BaseException)):
            continue  # records and errors come out of the library
        members = {name: thing}
        if isinstance(thing, type):
            members = {f"{name}.{key}": getattr(thing, key) for key, value in vars(thing).items()
                       if not isinstance(value, property) and (not key.startswith("_") or key in ("__init__", "__getitem__"))}
        for label, member in members.items():
            for parameter in inspect.signature(member).parameters.values() if callable(member) else ():
                kind = str(parameter.annotation)
                if re.search(r"\bint\b", kind) and "Callable" not in kind and parameter.name != "address":  # of a handle
                    yield label, parameter.name


def test_every_public_parameter_is_tried():
    found = {label for label, _ in integer_parameters(ucpo)}
    assert found == set(CALLS) | INDEXED


@pytest.mark.parametrize("label, name", [p for p in integer_parameters(ucpo) if p[0] in CALLS])
def test_public_parameters_arrive_or_are_refused(arrival, label, name):
    held = held_or_refused(arrival, name, CALLS[label])
    assert {1, 2, 5} <= held, "nothing arrives"
    assert held & {2**31 - 1, 2**32 - 1, 2**64 - 1}, "nor the largest"


def held_or_refused(arrival, name, call):
    arrival(ALIASES.get(name, name))

    def enter(value):
        try:
            call(**{name: value})
        except Arrived as arrived:
            return arrived.args[0]
        raise AssertionError(f"{name}={value!r} did not reach the library")

    held = {number for number in whole_numbers(0, 2**64 - 1) for value in forms(number) if exactly(name, value, enter)}
    for value in ODD:
        if name == "threads" or not isinstance(value, (bool, np.bool_)):
            assert not exactly(name, value, enter), value
    return held


@pytest.mark.parametrize("name", [n for n, kind in abi.ucpo_instance_data._fields_ if n in ("vehicles", "clock_day")])
def test_fields_of_an_instance(arrival, name):
    held_or_refused(arrival, name, lambda **k: ucpo.Instance.create("cvrptwlv", XY, windows=WINDOWS, demand=[0, 1, 1],
                                                                    **{"capacity": 3, "vehicles": 2, **k}))


@pytest.mark.parametrize("name", [p.name for p in inspect.signature(_read_options).parameters.values()
                                  if re.search(r"\bint\b", str(p.annotation))])
def test_options_of_reading(arrival, name):
    assert held_or_refused(arrival, name, lambda **k: ucpo.read("examples/data/stops.csv", **k)) >= {1, 2, 5, 2**31 - 1}


@pytest.mark.parametrize("name", ["first", "count"])
def test_parts_of_a_preset(arrival, name):
    held_or_refused(arrival, name, lambda **k: ucpo.generate(preset="tsptw50_hard", **k))


NUMBERS = [key.name for key in ucpo.train_keys().values() if re.fullmatch("[-+0-9.ekM]+", key.default) and not key.words]


@pytest.mark.parametrize("key", NUMBERS)
def test_settings_of_training(key):
    def enter(value):
        made = _Config()
        made.set("problem", "tsptw")
        made.set(key, value)
        shown, times = ("instances", 10000) if key == "epochs" else (key, 1)
        number = re.search(rf'^{shown} = "?([^"\n]*)"?$', made.text(), re.M)[1]
        found = float(number) if re.search("[.en]", number) else int(number)
        return found if times == 1 else found / times

    for number in set(whole_numbers(0, 2**63 - 1)) - ({0} if key == "epochs" else set()):  # which means: instances count
        for value in forms(number):
            exactly(key, value, enter)
    for value in ODD:
        if not isinstance(value, (str, np.ndarray)) and value == value:
            exactly(key, value, enter)


def test_most_settings_of_training_are_numbers():
    assert len(NUMBERS) > 35


@pytest.mark.parametrize("key", [name for name, _ in abi.ucpo_loss_config._fields_
                                 if name not in ("struct_size", "family", "relation", "pairing", "scaling", "terms",
                                                 "alpha", "alpha_is_per_node")])
def test_settings_of_the_loss(key):
    def enter(value):
        return getattr(settings_of("ucpo", {key: value}).config, key)

    held = {number for number in whole_numbers(0, 2**32 - 1) for value in forms(number) if exactly(key, value, enter)}
    is_flag = key in abi.ucpo_loss_config._flags_
    assert held == set() if is_flag else 1 in held
    for value in ODD:
        if value == value and not isinstance(value, str):
            exactly(key, value, enter)


def test_one_and_true_are_two_settings_of_the_loss():
    for _ in range(2):  # the second time from the cache
        assert settings_of("ucpo", {"k": 1}).config.k == 1 and settings_of("ucpo", {"skip_equal": True}).config.skip_equal
        for wrong in ({"k": True}, {"skip_equal": 1}):
            with pytest.raises(ucpo.ArgumentError):
                settings_of("ucpo", wrong)


def test_indices():
    data = ucpo.generate("tsptw", 10, count=3)
    answers = ucpo.solve_many(data, model="none")
    result = ucpo.evaluate(None, data, samples=1)
    for sequence in (data, answers, result):
        for number in whole_numbers(-3, 2):
            for value in forms(number):
                if isinstance(value, float):
                    with pytest.raises(TypeError, match="expected a whole number"):
                        sequence[value]
                elif -3 <= number < 3:
                    got, wanted = sequence[value], sequence[number % 3]
                    assert str(got.nodes if sequence is not data else got.x) == str(wanted.nodes if sequence is not data else wanted.x)
                else:
                    with pytest.raises(IndexError, match=f"is {number}, there are 3"):
                        sequence[value]
        for value in ODD:
            with pytest.raises((TypeError, IndexError), match=" is "):
                sequence[value]


# ---- arrays ----


def wide(most):
    return np.int64 if most < 2**63 else np.uint64 if most < 2**64 else object


def arrays_of(numbers):
    """Lists and arrays of every type of numpy that may hold the numbers or something like them, with what is in them."""
    yield list(numbers), numbers
    for kind in SCALARS:
        with np.errstate(all="ignore"):
            try:
                array = np.array(numbers, dtype=wide(max(map(abs, numbers)))).astype(kind)
            except (ValueError, TypeError, OverflowError):
                continue
        yield array, None
        if array.ndim == 1 and kind is not np.object_:
            yield list(array), None


def is_exact(array, found):
    """Whether whole numbers came out of an array as they went in."""
    return len(array) == len(found) and all(
        not isinstance(value, (str, bytes, np.datetime64, np.timedelta64, bool, np.bool_, complex, np.complexfloating))
        and value == there and (value == np.inf or int(value) == int(there)) for value, there in zip(array, found))


PLANS = [[1, 2], [2**32 + 1, 2], [1, -(2**32) + 2], [2**31 - 1, 2], [2**31, 2], [-(2**31), 1], [-(2**31) - 1, 1], [2**64 + 1, 2],
         [2**63 + 1, 2], [2**53 + 1, 2], [257, 258], [-1, 2], [65537, 2]]
WAYS = {
    "check": lambda plan: ucpo.check(small(), plan).nodes,
    "routes": lambda plan: ucpo.check(small(), [plan]).nodes[:-1],
    "explain": lambda plan: ucpo.explain(small(), plan) and ucpo.check(small(), plan).nodes,
    "initial": lambda plan: ucpo.solve(small(), initial=plan, model="none", samples=1) and ucpo.check(small(), plan).nodes,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("numbers", PLANS, ids=str)
def test_plans_of_every_type_are_taken_exactly_or_refused(way, numbers):
    taken = 0
    name = "initial" if way == "initial" else "plan"
    for array, inside in arrays_of(numbers):
        try:
            found = WAYS[way](array)
        except REFUSALS as error:
            assert re.search(rf"\b{name}(\[\d\])* is ", str(error)), error
            continue
        assert is_exact(inside or array.tolist() if hasattr(array, "tolist") else array, found), (array, found)
        taken += 1
    assert taken > 1 if all(-(2**31) <= v < 2**31 for v in numbers) else taken >= 0


@pytest.mark.parametrize("plan, text", [
    ([2**32 + 1, 2], r"plan\[0\] is 4294967297, expected a whole number -2147483648 \.\. 2147483647"),
    (np.array([2**32 + 1, 2]), r"plan\[0\] is 4294967297"),
    (np.array([1, 2**32 + 2], dtype=np.uint64), r"plan\[1\] is 4294967298"),
    ([[1], [2**32 + 2]], r"plan\[1\]\[0\] is 4294967298"),
    ([1, 2.5], r"plan\[1\] is 2.5"), ([1.0, 2.0], r"plan\[0\] is 1.0"), (np.array([1.0, np.nan]), "plan is an array .* of float64"),
    ([1, True], r"plan\[1\] is True"), (np.array([True, False]), "plan is an array .* of bool"),
    (np.array([1 + 0j, 2]), "plan is an array .* of complex128"), (np.array([1, 2], dtype=object), "plan is an array .* of object"),
    (["1", "2"], r"plan\[0\] is '1'"), ([1, None], r"plan\[1\] is None"), ([[1], 2], r"plan\[1\] is 2, expected a route"),
    ("12", "plan is '12': a plan is routes or"), (5, "plan is 5: a plan"), ({1: 2}, "plan is {1: 2}: a plan"),
    (np.zeros((2, 2), dtype=int), r"plan is an array \(2, 2\)"),
    ({1, 2}, "plan is {1, 2}, which has no order: a plan is routes"), (frozenset([2]), r"plan is frozenset\(\{2\}\), which has no order"),
    ([{1, 2}], r"plan\[0\] is {1, 2}, which has no order"), ([[1], {2}], r"plan\[1\] is \{2\}, which has no order"),
    ([{1: 2}], r"plan\[0\] is {1: 2}: a plan"),
])
def test_what_is_no_plan_is_named(plan, text):
    with pytest.raises(ucpo.ArgumentError, match=text):
        ucpo.check(small(), plan)


def test_a_plan_cannot_be_changed_behind_its_verdict():
    mine = np.array([1, 2], dtype=np.int32)
    plan = ucpo.check(small(), mine)
    with pytest.raises(ValueError):
        plan.nodes[0] = 2
    with pytest.raises(AttributeError):
        plan.nodes = [2**32 + 1, 2]
    mine[0] = 2  # was copied
    assert plan.feasible and plan.nodes.tolist() == [1, 2]


def instance_with(name, array):
    """An instance with this array, and the array as the instance has it."""
    fields = {"ready": [0, 0, 0], "due": [1e9, 1e9, 1e9], "demand": [0, 1, 1], "capacity": 1e12, "x": [0, 1, 2], "y": [0, 1, 2]}
    problem = "cvrptw"
    if name == "limit":
        problem, fields = "tspdl", {"demand": [0, 0, 0], "x": [0, 1, 2], "y": [0, 1, 2]}
    if name in MATRICES:
        a, b, c = array
        rows = [[a, a, b], [a, a, b], [c, b, a]]
        array = np.array(rows, dtype=array.dtype) if hasattr(array, "dtype") else rows
    if name == "duration":
        fields["cost"] = np.ones((3, 3))
    made = ucpo.Instance.create(problem, **{**fields, name: array})
    if name == "cost":
        return [made.cost_matrix()[at] for at in ((0, 1), (0, 2), (2, 0))]
    if name == "duration":
        return [made.duration_matrix()[at] for at in ((0, 1), (0, 2), (2, 0))]
    return getattr(made, name)


@pytest.mark.parametrize("name", ARRAYS + MATRICES)
@pytest.mark.parametrize("numbers", [[0, 1, 2], [0, 5, 2**32 + 1], [0, 1, 2**40 + 1], [0, 3, 2**53 + 1], [0, 1, 2**63 + 1],
                                     [0, 1, 2**64 + 1], [0, 257, 3]], ids=str)
def test_arrays_of_instances_are_taken_exactly_or_refused(name, numbers):
    taken = 0
    for array, inside in arrays_of(numbers):
        if name in MATRICES and isinstance(array[-1], np.floating) and np.inf in array:
            continue  # no way, which is another number in the instance
        try:
            found = instance_with(name, array)
        except REFUSALS as error:
            assert re.search(rf"\b{name}\b", str(error)), error
            continue
        assert is_exact(inside or array.tolist() if hasattr(array, "tolist") else array, found), (array, found)
        taken += 1
    assert taken > 1 or max(numbers) > 1e12


@pytest.mark.parametrize("wrong, text", [
    (np.array([0, 1j, 1]), "of complex128, expected numbers"), (np.array([0, 1, 2], dtype=object), "of object, expected numbers"),
    (np.array([True, True, True]), "of bool, expected numbers"), ([0, None, 1], r"\[1\] is None"), (["0", "1", "2"], "expected numbers"),
    ([0, 1, float("nan")], "node 2 is nan"), ([0, 1, [2]], r"\[2\] is \[2\], expected a number"),
    (np.array([0, 1, 2**63 + 1], dtype=np.uint64), r"\[2\] is 9223372036854775809, expected a number that float64 holds"),
    (np.array([0, 1, 2], dtype="M8[s]"), "of datetime64"), ([0, 1, 10**400], r"\[2\] is a whole number of 1329 bits"),
])
def test_arrays_that_are_none_of_numbers_are_named(wrong, text):
    with pytest.raises(ucpo.ArgumentError, match="demand.*" + text):
        ucpo.Instance.cvrp(XY, wrong, capacity=5)


@pytest.mark.parametrize("call, text", [
    (lambda: ucpo.Instance.tsptw(XY, [(0, True)] * 3), r"windows\[0\]\[1\] is True, expected a number"),
    (lambda: ucpo.Instance.tsptw(XY, [(0, None), (0, True), (0, 9)]), r"windows\[1\]\[1\] is True"),
    (lambda: ucpo.Instance.tsptw(XY, ready=[0, 0, 0], due=[9, True, 9]), r"due\[1\] is True"),
    (lambda: ucpo.Instance.cvrp(XY, [0, True, 2], capacity=5), r"demand\[1\] is True"),
    (lambda: ucpo.Instance.cvrp(XY, (0, 1.5, np.False_), capacity=5), r"demand\[2\] is False"),
    (lambda: ucpo.Instance.cvrp(XY, [np.int64(0), np.array(True), 2], capacity=5), r"demand\[1\] is True"),
    (lambda: ucpo.Instance.tsptw([(0, 0), [3, False], (3, 4)], WINDOWS), r"coordinates\[1\]\[1\] is False"),
    (lambda: ucpo.Instance.tsptw([np.array([0, 0]), np.array([True, False]), (3, 4)], WINDOWS), r"coordinates\[1\] is an array"),
    (lambda: ucpo.Instance.tsptw(cost=[[0, 1, 1], [1, 0, True], [1, 1, 0]], windows=WINDOWS), r"cost\[1\]\[2\] is True"),
    (lambda: ucpo.loss([10.0, True, 11.0], [0, 0, 3], [-1, -1, -1]), r"objective\[1\] is True"),
])
def test_a_bool_among_numbers_is_not_one(call, text):
    with pytest.raises(TypeError, match=text):
        call()


def test_lists_of_numbers_are_still_numbers():
    inst = ucpo.Instance.tsptw([(0, 0), [3, np.float32(0)], np.array([3, 4])], [(0, np.int8(100)), (0, 8), [5.5, 9]])
    assert inst.x.tolist() == [0, 3, 3] and inst.ready.tolist() == [0, 0, 5.5]
    assert ucpo.loss([10.0, 12.0, 11.0], [False, 0, True], [-1.0, -1.0, -1.0])[2].feasible == 2  # a violation may be one


def seen_by_loss(monkeypatch, arrays):
    """The three arrays as the C function sees them."""

    def heard(settings, batch, samples, *pointers):
        raise Arrived([list((ctypes.c_double * samples).from_address(at)) for at in pointers[:3]])

    monkeypatch.setattr(lib, "ucpo_loss_batch", heard)
    with pytest.raises(Arrived) as arrived:
        ucpo.loss(*arrays)
    return arrived.value.args[0]


@pytest.mark.parametrize("at, name", enumerate(["objective", "violation", "score"]))
@pytest.mark.parametrize("numbers", [[1, 2, 3], [1, 2**53 + 1, 3], [1, 2, 2**63 + 1], [1, 2**64 + 1, 3]], ids=str)
def test_arrays_of_the_loss_are_taken_exactly_or_refused(monkeypatch, at, name, numbers):
    for array, inside in arrays_of(numbers):
        arrays = [[1.0, 1.0, 1.0] for _ in range(3)]
        arrays[at] = array
        try:
            found = seen_by_loss(monkeypatch, arrays)[at]
        except REFUSALS as error:
            assert re.search(rf"\b{name}\b", str(error)), error
            continue
        values = inside or array.tolist() if hasattr(array, "tolist") else array
        if name == "violation" and isinstance(values[0], (bool, np.bool_)):  # violated or not
            values = [int(v) for v in values]
        assert is_exact([v + 0 for v in values], found), (array, found)


def test_arrays_of_the_loss_that_disagree_are_named():
    with pytest.raises(ucpo.ArgumentError, match=r"violation has shape \(2,\), expected \(3,\) as objective"):
        ucpo.loss([1, 2, 3], [0, 0], [1, 2, 3])


def test_weights_are_taken_exactly_or_refused():
    model = ucpo.Model.create("tsptw", **MODEL)
    weights = model.tensors()
    name = next(iter(weights))
    shape = weights[name].shape
    for kind in SCALARS:
        for number in (3, 2**24 + 1):
            with np.errstate(all="ignore"):
                try:
                    array = np.full(shape, number).astype(kind)
                except (TypeError, ValueError):
                    continue
            try:
                there = model.with_tensors({**weights, name: array}).tensors()[name]
            except REFUSALS as error:
                assert name in str(error)
                continue
            assert array.dtype.kind in "iuf" and (array.dtype.kind == "f" or there.ravel()[0] == int(array.ravel()[0])), kind
    with pytest.raises(ucpo.ArgumentError, match=re.escape(name) + r"(\[0\])+ is 1e\+300"):
        model.with_tensors({**weights, name: np.full(shape, 1e300)})


def test_references_are_costs():
    data = ucpo.generate("tsptw", 10, count=2)
    for wrong in ([1 + 0j, 1], ["1", "2"], np.array([1, 2], dtype=object), [1.0], [2**53 + 1, 1]):
        with pytest.raises(ucpo.ArgumentError, match="reference"):
            ucpo.evaluate(None, data, samples=1, reference=wrong)


# ---- what callbacks return ----


@pytest.mark.parametrize("answer, stops", [(2**32, True), (2**64, True), (0, False), (None, False), (np.int64(0), False), ("yes", True)])
def test_answers_of_callbacks_are_true_or_false(answer, stops):
    day = ucpo.read("examples/data/day50.json")
    plan = ucpo.solve(day, time=0.5, prove=False, threads=1, progress=lambda done, total: answer)
    assert (plan.info["ended_by"] == "stopped") == stops
    assert len(ucpo.solve_many([day, day], model="none", samples=1, progress=lambda done, total: answer)) == 2 - stops


def test_an_answer_that_is_neither_comes_out_as_an_error():
    day = ucpo.read("examples/data/day50.json")
    for how in ("progress", "improved"):
        with pytest.raises(ValueError, match="ambiguous"):
            ucpo.solve(day, time=2, prove=False, **{how: lambda *_: np.array([0, 1])})


# ---- PyTorch ----


@pytest.mark.heavy
def test_tensors_of_every_type(monkeypatch):
    torch = pytest.importorskip("torch")
    from ucpo.torch import ucpo_loss

    kinds = sorted({kind for kind in vars(torch).values() if isinstance(kind, torch.dtype)}, key=str)
    held = set()

    def heard(settings, batch, samples, *pointers):
        raise Arrived([list((ctypes.c_double * samples).from_address(at)) for at in pointers[:3]])

    monkeypatch.setattr(lib, "ucpo_loss_batch", heard)
    for at, name in enumerate(["objective", "violation"]):
        for kind in kinds:
            for number in (1, 2**53 + 1):
                try:
                    tensor = torch.tensor([0, number, 1]).to(kind)
                except (RuntimeError, TypeError):
                    continue
                others = [torch.ones(3), torch.ones(3)]
                others[at] = tensor
                try:
                    ucpo_loss(torch.ones(3), *others, nodes=3)
                except REFUSALS as error:
                    assert name in str(error)
                except Arrived as arrived:
                    assert arrived.args[0][at] == tensor.tolist(), (kind, number)
                    held.add(kind)
    assert {torch.float32, torch.int64, torch.uint8, torch.bfloat16} <= held


@pytest.mark.heavy
def test_number_of_nodes_for_pytorch(arrival):
    torch = pytest.importorskip("torch")
    from ucpo import torch as binding

    found = list(integer_parameters(binding))
    assert {name for _, name in found} == {"nodes", "threads"}
    calls = {"ucpo_loss": binding.ucpo_loss, "UCPOLoss.__init__": lambda *three, **k: binding.UCPOLoss(**k)(*three),
             "UCPOLoss.forward": lambda *three, **k: binding.UCPOLoss()(*three, **k)}
    three = [torch.tensor([1.0, 2.0, 3.0])] * 3
    for label, name in found:
        k = {} if name == "nodes" else {"nodes": 3}
        held = held_or_refused(arrival, name, lambda **given: calls[label](*three, **k, **given))
        assert {1, 2, 5, 2**31 - 1} <= held
