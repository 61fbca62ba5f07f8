import datetime
import pickle
import threading

import numpy as np
import pytest
import ucpo

XY = [(0, 0), (3, 0), (3, 4)]
WINDOWS = [(0, 100), (0, 8), (5, 9)]


def test_arrays_come_back():
    inst = ucpo.Instance.tsptw(XY, WINDOWS, name="small", ids=["depot", "a", "b"])
    assert (inst.problem, inst.n, inst.name) == ("tsptw", 3, "small")
    assert inst.coordinates.tolist() == [[0, 0], [3, 0], [3, 4]]
    assert inst.due.tolist() == [100, 8, 9] and inst.limit is None
    assert inst.node_text(1) == "a"
    assert inst.cost_matrix()[0, 2] == 5


def test_a_matrix_is_enough():
    matrix = np.array([[0, 1, 9], [9, 0, 1], [1, 9, 0]], dtype=np.float32)  # another type is converted
    inst = ucpo.Instance.tsptw(windows=[(0, 50)] * 3, cost=matrix)
    assert inst.coordinates is None
    assert ucpo.solve(inst, model="none").routes == [[1, 2]]


def test_every_problem_from_arrays():
    dl = ucpo.Instance.tspdl(XY, demand=[0, 1, 1], limit=[2, 2, 2])
    fleet = ucpo.Instance.cvrptw(XY, WINDOWS, demand=[0, 2, 2], capacity=3)
    limited = ucpo.Instance.cvrptw(XY, WINDOWS, demand=[0, 2, 2], capacity=3, vehicles=2)
    assert [i.problem for i in (dl, fleet, limited)] == ["tspdl", "cvrptw", "cvrptwlv"]
    assert limited.vehicles == 2 and fleet.capacity == 3


def test_cvrp_works_where_the_library_has_it_and_is_refused_clearly_elsewhere():
    make = lambda: ucpo.Instance.cvrp(XY, demand=[0, 2, 2], capacity=3)
    if "cvrp" in ucpo.problems():
        assert ucpo.solve(make(), model="none").feasible
    else:
        with pytest.raises(ucpo.UnsupportedError, match="does not know the problem 'cvrp', it knows: tsptw"):
            make()


@pytest.mark.parametrize("call, text", [
    (lambda: ucpo.Instance.tsptw(XY), "tsptw needs windows"),
    (lambda: ucpo.Instance.tsptw(XY, WINDOWS[:2]), r"ready has shape \(2,\), expected \(3,\)"),
    (lambda: ucpo.Instance.tsptw(XY, [(0, 1), (5, 2), (0, 1)]), "window"),
    (lambda: ucpo.Instance.tsptw([1, 2, 3], WINDOWS), r"expected \(n, 2\)"),
    (lambda: ucpo.Instance.tsptw(["a", "b"], WINDOWS), "expected numbers"),
    (lambda: ucpo.Instance.tsptw(XY, WINDOWS, metric="miles"), "metric is 'miles', expected one of: euclid"),
    (lambda: ucpo.Instance.tsptw(XY, WINDOWS, ids=["a"]), "there are 1 ids, expected 3"),
    (lambda: ucpo.Instance.tsptw([(0, 0), (np.nan, 1), (1, 1)], WINDOWS), "x"),
    (lambda: ucpo.Instance.create("tsptw"), "needs coordinates or a cost matrix"),
    (lambda: ucpo.Instance.cvrptw(XY, WINDOWS, demand=[0, 1, 1]), "capacity"),
])
def test_what_is_wrong_is_said(call, text):
    with pytest.raises(ValueError, match=text):
        call()


def test_unknown_arguments_are_refused():
    with pytest.raises(TypeError, match="tsptw: unknown argument 'colour'"):
        ucpo.Instance.tsptw(XY, WINDOWS, colour=3)
    with pytest.raises(TypeError, match=r"unknown argument 'windws' \(did you mean 'windows'\?\)"):
        ucpo.Instance.tsptw(XY, windws=WINDOWS)


class Frame:
    """As much of a pandas.DataFrame as is needed."""

    def __init__(self, **columns):
        self._columns = columns
        self.columns = list(columns)

    def __getitem__(self, name):
        return self._columns[name]


def test_a_table_of_stops_with_times_of_the_day():
    frame = Frame(
        Kunde=["depot", "A", "B"], lat=[52.50, 52.51, 52.52], lon=[13.43, 13.39, 13.40],
        start=[datetime.time(7), datetime.datetime(2026, 3, 1, 8, 0).time(), None],
        end=["16:00", "12:00", float("nan")], qty=[None, 4, np.int64(3)])
    day = ucpo.Instance.cvrptw(frame, capacity=10, speed=30, columns={"id": "Kunde"})
    assert day.problem == "cvrptw" and day.n == 3 and day.node_text(1) == "A"
    assert day.demand.tolist() == [0, 4, 3]
    assert day.clock(day.ready[1]) == "08:00"
    assert ucpo.solve(day, model="none").feasible


def test_warnings_of_the_reader_are_python_warnings():
    with pytest.warns(ucpo.Notice, match="speed"):
        ucpo.Instance.from_table({"lat": [52.5, 52.6], "lon": [13.4, 13.5], "open": ["8:00", "9:00"], "close": ["18:00", "10:00"]})


def test_reading_every_example(root):
    assert ucpo.read("examples/data/toy.tsptw").problem == "tsptw"
    assert ucpo.read(root / "examples/data/toy_solomon.txt").problem == "cvrptwlv"
    assert len(ucpo.read("examples/data/toy_set.json")) > 1
    assert ucpo.read("examples/data/stops.csv", capacity=15, speed=25).n == 9


def test_errors_name_file_and_line(tmp_path):
    bad = tmp_path / "bad.json"
    bad.write_text('{"schema": "ucpo.instance/1",\n "problem": 7}')
    with pytest.raises(ucpo.FormatError) as caught:
        ucpo.read(bad)
    assert "bad.json" in str(caught.value) and caught.value.file.endswith("bad.json")
    assert caught.value.code == "UCPO_E_FORMAT"
    with pytest.raises(OSError, match="nothing.json"):
        ucpo.read(tmp_path / "nothing.json")
    with pytest.raises(ucpo.UnsupportedError, match="'pdptw'"):
        ucpo.read("examples/data/toy.tsptw", problem="pdptw")


def test_sets(tmp_path):
    data = ucpo.generate("tsptw", 10, count=5, level="hard", seed=3)
    assert len(data) == 5 and len(data[1:3]) == 2 and data[-1].n == 10
    with pytest.raises(IndexError):
        data[5]
    again = ucpo.generate("tsptw", 10, count=2, level="hard", seed=3, first=3)
    assert again[0].x.tolist() == data[3].x.tolist()
    data.write(tmp_path / "set.npy")
    assert ucpo.read(tmp_path / "set.npy")[4].due.tolist() == data[4].due.tolist()
    assert data.array().shape == (5, 10, 4)
    first = data[0]
    del data  # an instance keeps its set alive
    assert first.n == 10


def test_presets_are_the_published_ones():
    data = ucpo.generate(preset="tsptw50_hard", count=2)
    assert len(data) == 2 and data[0].n == 50
    with pytest.raises(ucpo.Error):
        ucpo.generate(preset="tsptw51_hard")


def test_every_preset_says_in_its_name_what_it_is():
    for name in ucpo.presets():
        inst = ucpo.generate(preset=name)[0]
        level, extra = name.split("_")[1], ucpo.problems()[inst.problem].depot_is_extra
        agreed = ucpo.generate(inst.problem, inst.n - extra, level=level, preset=name, capacity=inst.capacity)[0]
        assert (agreed.x == inst.x).all() and level in ucpo.problems()[inst.problem].levels


@pytest.mark.parametrize("given, text", [
    (dict(size=5), "size is 5, expected 50, that of the preset tsptw50_hard"),
    (dict(problem="cvrptw"), "problem is 'cvrptw', expected 'tsptw', that of the preset tsptw50_hard"),
    (dict(level="easy"), "level is 'easy', expected 'hard', that of the preset tsptw50_hard"),
    (dict(seed=1), "seed is 1, expected none beside the preset tsptw50_hard"),
    (dict(capacity=7), "capacity is 7, expected 0, that of the preset tsptw50_hard"),
    (dict(size="50"), "size is '50', expected a whole number"),
])
def test_what_contradicts_a_preset_is_refused_not_ignored(given, text):
    with pytest.raises(ucpo.ArgumentError, match=text):
        ucpo.generate(preset="tsptw50_hard", **given)


def test_without_a_preset_size_is_50_and_seed_1():
    assert (ucpo.generate("tsptw")[0].x == ucpo.generate("tsptw", 50, seed=1)[0].x).all()


@pytest.mark.parametrize("call, text", [
    (lambda: ucpo.Instance.tsptw(XY, None), r"tsptw needs windows, n pairs \(ready, due\)"),
    (lambda: ucpo.Instance.cvrptw(XY, None, [0, 1, 1], 5), "cvrptw needs windows"),
    (lambda: ucpo.Instance.create("cvrptwlv", XY, demand=[0, 1, 1], capacity=5, vehicles=2), "cvrptwlv needs windows"),
    (lambda: ucpo.Instance.tsptw(XY, ready=[0, 0, 0]), "needs the array 'due'"),
    (lambda: ucpo.Instance.tsptw(cost=np.ones((1, 3, 3)), windows=WINDOWS), r"cost has shape \(1, 3, 3\), expected \(n, n\)"),
    (lambda: ucpo.Instance.tsptw(cost=np.ones(3), windows=WINDOWS), r"cost has shape \(3,\), expected \(n, n\)"),
])
def test_no_windows_and_batches_of_matrices_are_named_as_the_caller_wrote_them(call, text):
    with pytest.raises(ucpo.ArgumentError, match=text):
        call()


def test_pickles_and_copies():
    inst = ucpo.Instance.tsptw(XY, WINDOWS, name="one")
    copy = pickle.loads(pickle.dumps(inst))
    assert copy.name == "one" and copy.due.tolist() == inst.due.tolist()
    plan = pickle.loads(pickle.dumps(ucpo.solve(inst, model="none")))
    assert plan.feasible


def test_threads_may_share_instances():
    data = ucpo.generate("tsptw", 20, count=8)
    costs = [None] * 8

    def work(i):
        costs[i] = ucpo.solve(data[i], model="none", threads=1).cost

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert costs == [ucpo.solve(i, model="none", threads=1).cost for i in data]


def test_pandas_tables():
    pd = pytest.importorskip("pandas")
    stops = pd.DataFrame({"id": ["depot", "A", "B"], "x": [0, 3, 3], "y": [0, 0, 4], "from": ["07:00", "08:00", None],
                          "until": ["16:00", "12:00", None], "qty": pd.array([0, 4, 3], dtype="Int64")}, index=[7, 8, 9])
    day = ucpo.Instance.cvrptw(stops, capacity=10)
    assert day.node_text(1) == "A" and day.demand.tolist() == [0, 4, 3] and day.ready[1] == 480
    hours = stops.assign(**{"from": pd.to_timedelta(["7h", "8h", "9h"])})
    assert ucpo.Instance.cvrptw(hours, capacity=10).ready.tolist() == [420, 480, 540]
    assert ucpo.Instance.tsptw(cost=pd.DataFrame([[0, 2, 9], [2, 0, 4], [9, 4, 0]]), windows=[(0, 99)] * 3).n == 3
    assert len(pd.DataFrame(ucpo.solve(day, model="none").schedule())) >= 2


def test_arrays_beside_a_table_are_not_lost():
    windows = [(0, 100), (0, 8), (5, 9)]
    with pytest.raises(ValueError, match="windows beside a dictionary"):
        ucpo.Instance.tsptw({"x": [0, 3, 3], "y": [0, 0, 4]}, windows)
    with pytest.raises(ValueError, match="demand beside a dictionary"):
        ucpo.Instance.cvrp({"x": [0, 3, 3], "y": [0, 0, 4]}, [0, 1, 1], capacity=2)
    pd = pytest.importorskip("pandas")
    points = pd.DataFrame({"x": [0, 3, 3], "y": [0, 0, 4]})
    assert ucpo.Instance.tsptw(points, pd.DataFrame(windows)).due.tolist() == [100, 8, 9]


def test_draft_limits_from_a_table():
    table = {"ID": ["home", "a", "b"], "x": [0, 3, 3], "Y": [0, 0, 4], "tons": [0, 1, 1], "limit": [2, 1, 2]}
    ship = ucpo.Instance.tspdl(table, columns={"demand": "tons"})
    assert ship.problem == "tspdl" and ship.limit.tolist() == [2, 1, 2] and ship.node_text(1) == "a"
    with pytest.raises(ValueError, match="no column demand"):
        ucpo.Instance.tspdl(table)


MATRIX = np.ones((150, 150))


@pytest.mark.parametrize("call, text", [
    (lambda: ucpo.Instance.cvrptw(windows=[(0, 1)] * 5, demand=[1] * 150, capacity=200, cost=MATRIX),
     r"windows: ready has shape \(5,\), expected \(150,\): cost is 150 x 150"),
    (lambda: ucpo.Instance.cvrptw(windows=[(0, 1)] * 5, demand=[1] * 5, capacity=9, cost=MATRIX),
     r"windows: ready has shape \(5,\), expected \(150,\): cost is 150 x 150"),
    (lambda: ucpo.Instance.tsptw([(0, 0)] * 5, [(0, 1)] * 150, cost=MATRIX),
     r"coordinates: x has shape \(5,\), expected \(150,\): cost is 150 x 150"),
    (lambda: ucpo.Instance.tsptw(windows=[(0, 1)] * 150, cost=MATRIX, duration=MATRIX[:5, :5]),
     r"duration has shape \(5, 5\), expected \(150, 150\): cost is 150 x 150"),
    (lambda: ucpo.Instance.cvrp(XY, [0, 1, 1, 1], capacity=3), r"demand has shape \(4,\), expected \(3,\): there are 3 coordinates"),
    (lambda: ucpo.Instance.tsptw(windows=[(0, 1)] * 3, cost=np.ones((3, 4))), r"cost has shape \(3, 4\), expected \(3, 3\): one for each node"),
    (lambda: ucpo.Instance.tsptw(XY, ready=[0, 0], due=[9, 9, 9]), r"ready has shape \(2,\), expected \(3,\): there are 3 coordinates"),
    (lambda: ucpo.Instance.tsptw(XY, ready=[0, 0, 0], due=[9, None]), r"due has shape \(2,\), expected \(3,\): there are 3 coordinates"),
    (lambda: ucpo.Instance.tsptw(XY, WINDOWS, labels="ab"), "there are 2 labels, expected 3: there are 3 coordinates"),
    (lambda: ucpo.Instance.tsptw(windows=WINDOWS), "needs coordinates or a cost matrix"),
    (lambda: ucpo.Instance.tsptw(XY, [(0, 9), (0, 9, 9), (0, 9)]), r"windows\[1\] is \(0, 9, 9\), expected a pair"),
    (lambda: ucpo.Instance.tsptw(XY, [(0, 9), 5, (0, 9)]), r"windows\[1\] is 5, expected a pair"),
    (lambda: ucpo.Instance.tsptw(XY, [(0, 9), (None, "9"), (0, 9)]), r"windows\[1\]\[1\] is '9', expected a number"),
    (lambda: ucpo.Instance.tsptw(XY, ready=[0, None, "x"], due=[9, 9, 9]), r"ready\[2\] is 'x', expected a number"),
    (lambda: ucpo.Instance.create("tsptw", XY, windows=5), "windows"),
    (lambda: ucpo.Instance.tsptw(XY, iter(WINDOWS)), r"windows is <.*, expected n pairs \(ready, due\)"),
    (lambda: ucpo.Instance.tsptw([[0, 0], [1, 1], [2]], WINDOWS), r"coordinates\[2\] is \[2\], expected 2 numbers as in coordinates\[0\]"),
    (lambda: ucpo.Instance.tsptw(windows=WINDOWS, cost=[[0, 1, 1], [1, 0], [1, 1, 0]]), r"cost\[1\] is \[1, 0\], expected 3 numbers"),
    (lambda: ucpo.Instance.cvrp(XY, [0, [1], 1], capacity=3), r"demand\[1\] is \[1\], expected a number"),
    (lambda: ucpo.Instance.cvrp(XY, [[0], 1, 1], capacity=3), r"demand\[1\] is 1, expected 1 numbers as in demand\[0\]"),
])
def test_the_array_that_disagrees_is_named_with_what_it_disagrees_with(call, text):
    with pytest.raises(ucpo.ArgumentError, match=text):
        call()


def test_an_end_of_a_window_that_is_none_is_open():
    inst = ucpo.Instance.tsptw(XY, [(0, None), (None, 8), None])
    assert inst.due.tolist() == [np.inf, 8, np.inf] and inst.ready.tolist() == [0, 0, 0]
    same = ucpo.Instance.tsptw(XY, ready=[0, None, None], due=(None, 8, None))
    assert same.due.tolist() == inst.due.tolist() and same.ready.tolist() == inst.ready.tolist()
    array = ucpo.Instance.tsptw(XY, np.array([(0, None), (None, 8), (None, None)], dtype=object))
    assert array.due.tolist() == inst.due.tolist()
    assert ucpo.solve(inst, model="none").feasible
    assert pickle.loads(pickle.dumps(inst)).due.tolist() == inst.due.tolist()


def test_a_time_that_is_none_makes_no_difference_to_any_plan():
    windows = [(480, 900), (None, 600), (None, 100), (500, None)]
    inst = ucpo.Instance.tsptw([(0, 0), (3, 0), (3, 4), (1, 1)], windows)
    assert inst.ready.tolist() == [480, 480, 100, 500]  # nobody arrives before the depot opens
    whole = ucpo.Instance.tsptw([(0, 0), (3, 0), (3, 4)], [None, (-20, -10), (0, None)])
    assert whole.ready.tolist() == [-20, -20, 0]  # vehicles leave with the earliest time there is
    for k in range(3):
        late = ucpo.Instance.tsptw(XY, [(None, None), (None, 3 - k), (None, 7)])
        assert ucpo.check(late, [1, 2]).feasible == (k == 0)
