"""What a first reader stumbled over."""
import numpy as np
import pytest
import ucpo

STOPS = {"id": ["d", "A", "B", "C"], "lat": [52, 52.1, 52.2, 52.3], "lon": [13, 13.1, 13.2, 13.3], "qty": [0, 1, 1, 1]}


@pytest.mark.parametrize("column", ["lat", "qty"])
def test_a_short_column_is_named(column):
    with pytest.raises(ucpo.ArgumentError, match=f"column '{column}' has 3 values, 'id' has 4"):
        ucpo.Instance.cvrptw({**STOPS, column: STOPS[column][:3]}, capacity=10, speed=30)


@pytest.mark.parametrize("nodes", [0, -5])
def test_nodes_of_the_loss_are_positive(nodes):
    torch = pytest.importorskip("torch")
    from ucpo.torch import ucpo_loss

    with pytest.raises(ucpo.ArgumentError, match=f"nodes is {nodes}"):
        ucpo_loss(torch.tensor([[-3.0, -4.0]]), torch.tensor([[1.0, 2.0]]), torch.tensor([[0.0, 1.0]]), nodes=nodes)


def line():
    return ucpo.Instance.tsptw([(0, 0), (3, 0), (3, 4)], [(0, 100), (0, 8), (5, 9)])


@pytest.mark.parametrize("plan", [[[1.9, 2.2]], [["1", "2"]], [1.5, 2], "1 2", np.array([1.0, 2.0])])
def test_nodes_of_a_plan_are_whole_numbers(plan):
    with pytest.raises(ucpo.ArgumentError, match="a plan is routes or a flat list of node numbers"):
        ucpo.check(line(), plan)


@pytest.mark.parametrize("field, value", [("vehicles", 1.9), ("vehicles", 0), ("capacity", -15), ("capacity", "many")])
def test_fleets_are_positive(field, value):
    settings = {"capacity": 10, **{field: value}}
    with pytest.raises(ucpo.ArgumentError, match=f"{field} is {value!r}, expected"):
        ucpo.Instance.cvrptw(STOPS, speed=30, **settings)


def test_arrays_cannot_be_written_and_are_listed():
    inst = line()
    with pytest.raises(ValueError, match="read-only"):
        inst.ready[0] = 5
    assert {"ready", "due", "x"} <= set(dir(inst))


def test_wrong_things_are_named(tmp_path):
    with pytest.raises(TypeError, match="expected an Instance"):
        ucpo.solve("stops.csv")
    with pytest.raises(ucpo.ArgumentError, match="ends in .svg"):
        ucpo.solve(line(), samples=1).plot(tmp_path / "x.png")
    assert not list(tmp_path.iterdir())


SMALLER = """{"vehicles": [{"start": [13.4, 52.5], "end": [13.4, 52.5], "capacity": [9]},
                          {"start": [13.4, 52.5], "end": [13.4, 52.5], "capacity": [3]}],
             "jobs": [{"id": 1, "location": [13.5, 52.6], "delivery": [9]}, {"id": 2, "location": [13.3, 52.5], "delivery": [6]}]}"""


def test_a_plan_that_no_vehicle_can_drive_was_simply_feasible(tmp_path):
    (tmp_path / "small.json").write_text(SMALLER)
    with pytest.raises(ucpo.UnsupportedError, match="vehicles of one kind"):
        ucpo.read(tmp_path / "small.json")
    inst = ucpo.read(tmp_path / "small.json", ignore_unsupported=True)
    assert inst.reading == "easier" and inst.left_out[0][0] == "easier" and "capacity" in inst.left_out[0][1]
    plan = ucpo.solve(inst, model="none")
    assert plan.feasible and "as read" in plan.note and "as read" in repr(plan)
    assert inst.claim_note("infeasible") == "" and "easier" in inst.claim_note("optimal")
    assert inst.cost_unit == "km" and " km," in repr(plan)
    assert inst.copy().left_out == inst.left_out and line().left_out == [] and line().cost_unit is None


def test_a_proof_about_half_of_the_windows_says_so(tmp_path):
    (tmp_path / "two.json").write_text(
        '{"vehicles": [{"start_index": 0, "end_index": 0}], "jobs": [{"id": 7, "location_index": 1, '
        '"time_windows": [[0, 5], [20, 30]]}], "matrix": [[0, 10], [10, 0]]}')
    why = ucpo.explain(ucpo.read(tmp_path / "two.json", ignore_unsupported=True))
    found = ucpo.solve(ucpo.read(tmp_path / "two.json", ignore_unsupported=True), model="none")
    assert found.info["ended_by"] == "infeasible" and "harder" in found.info["ended_by_note"] and "harder" in found.note
    assert why.proved and "harder" in why.note and "harder" in str(why) and "as read" in repr(why)


def test_jobs_at_one_place_pay_one_setup():
    fields = {"windows": [(0, 100), (0, 80), (0, 80)], "cost": [[0, 20, 20], [20, 0, 0], [20, 0, 0]], "service": [0, 10, 10],
              "setup": [0, 30, 30]}
    alone, together = ucpo.Instance.tsptw(**fields), ucpo.Instance.tsptw(**fields, place=[0, 1, 1])
    assert not ucpo.check(alone, [1, 2]).feasible and ucpo.check(together, [1, 2]).feasible
    assert ucpo.solve(together, model="none").feasible and list(together.setup) == [0, 30, 30]
    for wrong, what in (([0, 1], "place has 2 numbers, expected 3"), ([0, 1, 2.5], r"place\[2\] is 2.5"),
                        ([0, 1, 2**32 + 1], r"place\[2\] is 4294967297")):
        with pytest.raises((ucpo.ArgumentError, TypeError), match=what):
            ucpo.Instance.tsptw(**fields, place=wrong)
