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
