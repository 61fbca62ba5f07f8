import pickle
import re

import numpy as np
import pytest
import ucpo


def small(problem="tsptw", **more):
    return ucpo.Model.create(problem, width=32, heads=4, hidden=64, layers=1, **more)


def test_loading_and_saving(tmp_path):
    model = ucpo.Model.load("models/tsptw.safetensors")
    assert model.problem == "tsptw" and "train.sizes" in model.facts
    model.set_fact("notes", "from Python")
    model.save(tmp_path / "m.safetensors")
    again = ucpo.Model.load(tmp_path / "m.safetensors")
    assert again.facts["notes"] == "from Python" and again.config == model.config
    assert pickle.loads(pickle.dumps(model)).parameters == model.parameters
    (tmp_path / "bad.safetensors").write_bytes(b"{}" * 40)
    with pytest.raises(ucpo.Error, match="bad.safetensors"):
        ucpo.Model.load(tmp_path / "bad.safetensors")


def test_weights_as_arrays_and_back():
    model, other = small(seed=1), small(seed=2)
    weights = model.tensors()
    assert sum(w.size for w in weights.values()) == model.parameters
    copy = other.with_tensors(weights)
    assert all((copy.tensors()[name] == weights[name]).all() for name in weights)
    data = ucpo.generate("tsptw", 10, count=3)
    a, b = (ucpo.evaluate(m, data, greedy=True).records["cost"] for m in (model, copy))
    assert (a == b).all()
    with pytest.raises(ValueError, match="missing: .*embedding_node.bias"):
        other.with_tensors({k: v for k, v in weights.items() if k != "encoder.embedding_node.bias"})
    with pytest.raises(ValueError, match=r"has shape \[2\]"):
        other.with_tensors({**weights, "encoder.embedding_node.bias": np.zeros(2)})


def test_the_side_network_in_the_glimpse(tmp_path):
    model = small(decision=16, decision_glimpse=True)
    assert model.config["decision_glimpse"] is True and model.tensors()["decoder.side_V.weight"].shape == (4, 16)
    model.save(tmp_path / "m.safetensors")
    assert ucpo.Model.load(tmp_path / "m.safetensors").config == model.config
    assert small().config["decision_glimpse"] is False
    with pytest.raises(ucpo.Error, match="needs decision > 0"):
        small(decision_glimpse=True)


def test_features_of_pairs(tmp_path):
    model = small(pair=True)
    assert model.config["pair"] is True and model.tensors()["encoder.layers.0.pair.weight"].shape == (4, 16)
    model.save(tmp_path / "m.safetensors")
    assert ucpo.Model.load(tmp_path / "m.safetensors").config == model.config
    assert small().config["pair"] is False


@pytest.mark.heavy
@pytest.mark.parametrize("problem", ["tsptw", "tspdl", "cvrptw", "cvrptwlv"])
@pytest.mark.parametrize("aux", [False, True])
def test_the_pytorch_network_takes_the_weights_and_gives_them_back(problem, aux, root, monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.syspath_prepend(str(root / "bench" / "peers"))
    import pomo_torch

    model = small(problem, aux=aux, pair=aux)
    peer = pomo_torch.Model(problem, width=32, heads=4, hidden=64, layers=1, aux=aux,
                            pairs=len(pomo_torch.PAIRS[problem]) if aux else 0)
    assert list(peer.state_dict()) == list(model.tensors())  # the names of the public checkpoints, in their order
    peer.load_state_dict({name: torch.from_numpy(value) for name, value in model.tensors().items()})
    with torch.no_grad():
        for parameter in peer.parameters():
            parameter.mul_(1.5)
    back = model.with_tensors(peer.state_dict())
    for name, value in model.tensors().items():
        assert np.array_equal(back.tensors()[name], (torch.from_numpy(value) * 1.5).numpy())


@pytest.mark.heavy
def test_every_shipped_model_goes_into_the_pytorch_network_with_its_side(root, monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.syspath_prepend(str(root / "bench" / "peers"))
    import pomo_torch

    seen = {}
    for path in sorted((root / "models").glob("*.safetensors")):
        model = ucpo.Model.load(path)
        c, weights = model.config, model.tensors()
        if c["problem"] not in pomo_torch.WIDTHS:
            continue
        units, features = weights["decoder.side_W1.weight"].shape
        peer = pomo_torch.Model(c["problem"], c["width"], c["heads"], c["hidden"], c["layers"], c["norm"], c["clip"], c["aux"],
                                side=(features, units), glimpse=c["decision_glimpse"])
        assert list(peer.state_dict()) == list(weights)
        peer.load_state_dict({name: torch.from_numpy(value) for name, value in weights.items()})
        seen[c["problem"]] = (features, units)
        bare = pomo_torch.Model(c["problem"], c["width"], c["heads"], c["hidden"], c["layers"])
        with pytest.raises(RuntimeError, match="side_W1"):
            bare.load_state_dict({name: torch.from_numpy(value) for name, value in weights.items()})
    assert seen == {"tsptw": (16, 16), "tspdl": (12, 16), "cvrptw": (18, 16), "cvrptwlv": (18, 16)}  # docs/python.md says so


@pytest.mark.heavy
def test_a_problem_the_pytorch_network_does_not_have_is_a_sentence(root, monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.syspath_prepend(str(root / "bench" / "peers"))
    import pomo_torch

    with pytest.raises(ValueError, match="problem is 'cvrp', the network in PyTorch has: tsptw, tspdl, cvrptw, cvrptwlv$"):
        pomo_torch.Model("cvrp")


@pytest.mark.heavy
@pytest.mark.parametrize("settings, pair", [({}, True), ({"pair": "off"}, False)])
def test_a_trained_model_says_whether_it_has_pairs_and_goes_into_pytorch_as_the_page_says(root, tmp_path, monkeypatch, settings, pair):
    torch = pytest.importorskip("torch")
    monkeypatch.syspath_prepend(str(root / "bench" / "peers"))
    import pomo_torch

    page = (root / "docs/python.md").read_text()
    recipe = re.search(r"^def to_torch\(model\):\n(?:[ ].*\n)+", page, re.M)[0]
    names = {"np": np, "torch": torch, "pomo_torch": pomo_torch}
    exec(recipe, names)
    run = ucpo.train("tsptw", tmp_path / "run", size=10, level="easy", network="small", instances=32, progress=False, **settings)
    model = run.model()
    assert model.config["pair"] is pair
    peer = names["to_torch"](model)
    assert list(peer.state_dict()) == list(model.tensors())
    assert ucpo.Model.load("models/cvrptw.safetensors").with_tensors(
        names["to_torch"](ucpo.Model.load("models/cvrptw.safetensors")).state_dict()).problem == "cvrptw"


def test_evaluation():
    data = ucpo.generate("tsptw", 20, count=10, level="hard")
    result = ucpo.evaluate("models/tsptw.safetensors", data, samples=4, augment=2, reference=np.full(10, 3.0))
    assert result.instances == 10 and len(result.records) == 10 and result.records["candidates"].sum() == 80
    assert result.feasible_instances == int(result.records["is_feasible"].sum())
    assert result.gap_mean == pytest.approx(np.mean([100 * (r["objective"] - 3) / 3 for r in result.records if r["is_feasible"]]))
    plan = result[0]
    assert plan.cost == pytest.approx(result.records["cost"][0]) and plan.feasible == bool(result.records["is_feasible"][0])
    rules = ucpo.evaluate(None, data)
    assert rules.instances == 10
    with pytest.raises(ucpo.Cancelled):
        ucpo.evaluate("models/tsptw.safetensors", data, progress=lambda done, total: True)
    with pytest.raises(ucpo.MismatchError):
        ucpo.evaluate("models/tspdl.safetensors", data)
    for rounds in (float("nan"), 2.5, "2"):
        with pytest.raises(TypeError):
            ucpo.evaluate("models/tsptw.safetensors", data, rounds=rounds)
    with pytest.raises(ValueError, match="rounds is -1"):
        ucpo.evaluate("models/tsptw.safetensors", data, rounds=-1)
    with pytest.raises(ValueError, match="temperature is nan"):
        ucpo.evaluate("models/tsptw.safetensors", data, temperature=float("nan"))
