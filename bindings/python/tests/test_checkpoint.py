"""PyTorch checkpoints: read without executing them, hostile ones refused."""
import json
import os
import pickle
import struct
import subprocess
import zipfile

import numpy as np
import pytest
import ucpo

pytestmark = pytest.mark.heavy
torch = pytest.importorskip("torch")


@pytest.fixture
def peer(root, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "bench" / "peers"))
    import pomo_torch

    def make(problem="tsptw", **more):
        torch.manual_seed(5)
        return pomo_torch.Model(problem, width=32, heads=2, hidden=24, layers=2, **more)

    return make


def published(network):
    """As the PIP repository saves it."""
    optimiser = torch.optim.Adam(network.parameters(), lr=1e-4)
    scheduler = torch.optim.lr_scheduler.MultiStepLR(optimiser, milestones=[9001])
    sum(p.sum() for p in network.parameters()).backward()
    optimiser.step()
    return {"epoch": 100, "problem": "TSPTW", "model_state_dict": network.state_dict(),
            "optimizer_state_dict": optimiser.state_dict(), "scheduler_state_dict": scheduler.state_dict(),
            "result_log": {"train_score": [[1, 8.25]], "best": np.float64(7.5)}}


def same(model, network):
    state = network.state_dict()
    assert list(model.tensors()) == list(state)
    return all(np.array_equal(value, state[name].numpy()) for name, value in model.tensors().items())


@pytest.mark.parametrize("problem, aux", [("tsptw", False), ("tsptw", True), ("tspdl", True), ("cvrptw", False), ("cvrptwlv", True)])
def test_every_family_comes_over_bit_for_bit(peer, problem, aux, tmp_path):
    network = peer(problem, aux=aux)
    for content in (published(network), network.state_dict(), {"model": {"module." + k: v for k, v in network.state_dict().items()}}):
        torch.save(content, tmp_path / "model.pt")
        model = ucpo.Model.load(tmp_path / "model.pt", problem=problem)
        assert model.problem == problem and model.config["heads"] == 2 and model.config["aux"] == aux
        assert same(model, network)
    if problem.startswith("cvrptw"):
        assert ucpo.Model.load(tmp_path / "model.pt").problem == problem  # the shapes say it
    else:
        with pytest.raises(ValueError, match="name the problem"):
            ucpo.Model.load(tmp_path / "model.pt")


def test_the_program_converts(peer, tmp_path):
    program = os.environ.get("UCPO_PROGRAM")
    if not program:
        pytest.skip("$UCPO_PROGRAM is not set")
    network = peer(aux=True)
    torch.save(published(network), tmp_path / "model.pt")
    subprocess.run([program, "convert", tmp_path / "model.pt", tmp_path / "model.safetensors", "--problem", "tsptw"], check=True)
    model = ucpo.Model.load(tmp_path / "model.safetensors")
    assert same(model, network)
    assert ucpo.evaluate(model, ucpo.generate("tsptw", 8, count=2), samples=2).instances == 2
    done = subprocess.run([program, "convert", tmp_path / "model.pt", "-o", tmp_path / "x.safetensors"], capture_output=True, text=True)
    assert done.returncode == 2 and "name the problem" in done.stderr and not (tmp_path / "x.safetensors").exists()


def test_wrong_networks_are_named(peer, tmp_path):
    def load(state):
        torch.save({"model_state_dict": state}, tmp_path / "model.pt")
        return ucpo.Model.load(tmp_path / "model.pt", problem="tsptw")

    state = peer().state_dict()
    with pytest.raises(ucpo.MismatchError, match="tensor decoder.Wk.weight is missing"):
        load({k: v for k, v in state.items() if k != "decoder.Wk.weight"})
    with pytest.raises(ucpo.MismatchError, match="'decoder.more' is unexpected"):
        load({**state, "decoder.more": torch.zeros(3)})
    with pytest.raises(ucpo.MismatchError, match="expected 32 x 33"):
        load({**state, "decoder.Wq_last.weight": torch.zeros(32, 35)})
    with pytest.raises(ucpo.MismatchError, match="F64"):
        load({k: v.double() for k, v in state.items()})
    with pytest.raises(ucpo.FormatError, match="nan"):
        load({**state, "decoder.Wk.weight": torch.full((32, 32), float("nan"))})
    with pytest.raises(ucpo.FormatError, match="not row-major"):
        load({**state, "decoder.Wk.weight": state["decoder.Wk.weight"].t()})
    with pytest.raises(ucpo.MismatchError, match="embedding_node"):
        load({"fc.weight": torch.zeros(2, 2)})


# ---- the AM family ----


@pytest.fixture
def attention(root, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "bench" / "peers"))
    import am_torch

    def make(**more):
        """One whose statistics, gains and logits are not those of a new network."""
        torch.manual_seed(7)
        network = am_torch.AttentionModel(width=32, heads=4, hidden=40, layers=2, **more)
        with torch.no_grad():
            for name, value in list(network.named_parameters()) + list(network.named_buffers()):
                if "normalizer" in name and value.is_floating_point():
                    value += torch.rand_like(value) - (0 if "var" in name else 0.5)
                if name.startswith("project"):
                    value *= 1.2
        return network.eval()

    make.greedy = am_torch.greedy
    return make


@pytest.mark.parametrize("level", ["easy", "hard"])
@pytest.mark.parametrize("mask", ["visited", "pip"])
def test_am_decides_as_its_pytorch_network(attention, level, mask, tmp_path):
    network = attention()
    torch.save({"model": network.state_dict()}, tmp_path / "am.pt")
    model = ucpo.Model.load(tmp_path / "am.pt")  # the only problem it was published for
    assert model.problem == "tsptw" and model.config["norm"] == "fixed" and model.config["heads"] == 4
    model.save(tmp_path / "am.safetensors")
    data = ucpo.generate("tsptw", 20, count=60, level=level, seed=3)
    tours, _, margin = attention.greedy(network.double(), data.array(), mask == "pip", tolerance=1e-5)
    clear = margin.numpy() > 1e-5  # others may go either way in float32
    assert clear.mean() > 0.8 and len({tuple(t) for t in tours.tolist()}) == 60
    for ours in (model, ucpo.Model.load(tmp_path / "am.safetensors")):
        result = ucpo.evaluate(ours, data, greedy=True, augment=1, mask=mask)
        for i in np.flatnonzero(clear):
            assert result[i].routes[0] == tours[i].tolist(), i


def test_am_is_tuned_with_its_statistics_as_they_are(attention, tmp_path):
    torch.save({"model": attention().state_dict()}, tmp_path / "am.pt")
    model = ucpo.Model.load(tmp_path / "am.pt")
    model.save(tmp_path / "am.safetensors")
    run = ucpo.finetune(tmp_path / "am.safetensors", tmp_path / "run", size=10, level="hard", instances=64, batch=16,
                        progress=False)
    before, after = model.tensors(), ucpo.Model.load(run.dir).tensors()
    assert list(before) == list(after) and run.model().config == model.config
    for name, value in before.items():
        is_fixed = ".running_" in name
        assert np.array_equal(value, after[name]) == is_fixed, name
    assert sum(".running_" in name for name in before) == 8


def test_am_files_that_are_not_whole(attention, tmp_path):
    def load(state, problem=None):
        torch.save({"model": state}, tmp_path / "am.pt")
        return ucpo.Model.load(tmp_path / "am.pt", problem=problem)

    state = attention().state_dict()
    variance = "embedder.layers.1.3.normalizer.running_var"
    assert load({k: v for k, v in state.items() if "num_batches" not in k}).problem == "tsptw"
    assert load(state, "tspdl").problem == "tspdl"
    with pytest.raises(ucpo.MismatchError, match="W_val is missing"):
        load({k: v for k, v in state.items() if k != "embedder.layers.1.0.module.W_val"})
    with pytest.raises(ucpo.MismatchError, match="expected 4 x 32 x 8"):
        load({**state, "embedder.layers.0.0.module.W_key": torch.zeros(4, 8, 32)})
    with pytest.raises(ucpo.MismatchError, match="'project_more.weight' is unexpected"):
        load({**state, "project_more.weight": torch.zeros(3)})
    with pytest.raises(ucpo.MismatchError, match="init_embed"):
        load(state, "cvrptw")
    with pytest.raises(ucpo.FormatError, match="running_var.* of layer 1 is -1"):
        load({**state, variance: torch.full((32,), -1.0)})
    with pytest.raises(ucpo.FormatError, match="too large"):
        load({**state, "project_out.weight": torch.full((32, 32), 3e38)})
    with pytest.raises(ucpo.UnsupportedError, match="AM family without running statistics"):
        load(attention(statistics=False).state_dict())
    with pytest.raises(ucpo.MismatchError, match="W_query is missing"):
        load({"init_embed.weight": torch.zeros(128, 4)})
    model = load(state)
    name = "encoder.layers.0.addAndNormalization1.norm.running_var"
    with pytest.raises(ucpo.FormatError, match="running_var.* of layer 0 is -2"):
        model.with_tensors({**model.tensors(), name: np.full(32, -2.0)})


def test_am_in_our_files_says_what_it_is(attention, tmp_path):
    from ucpo._model import join_safetensors, split_safetensors

    torch.save({"model": attention().state_dict()}, tmp_path / "am.pt")
    model = ucpo.Model.load(tmp_path / "am.pt")
    header, body = split_safetensors(model.to_bytes())
    arch = json.loads(header["__metadata__"]["arch"])
    assert arch["norm"] == "fixed" and arch["mean_context"] is True and arch["time_in_units"] is True
    header["__metadata__"].pop("checksum")

    def load(**changes):
        changed = {key: value for key, value in {**arch, **changes}.items() if value is not None}
        header["__metadata__"]["arch"] = json.dumps(changed)
        (tmp_path / "changed.safetensors").write_bytes(join_safetensors(header, body))
        return ucpo.Model.load(tmp_path / "changed.safetensors")

    assert load().to_bytes() == model.to_bytes()
    with pytest.raises(ucpo.FormatError, match="time_in_units"):
        load(time_in_units=False)
    with pytest.raises(ucpo.MismatchError, match="Wq_mean.weight' is unexpected"):
        load(mean_context=None)
    with pytest.raises(ucpo.MismatchError, match="running_mean' is unexpected"):
        load(norm="layer")
    with pytest.raises(ucpo.UnsupportedError, match="newer version"):
        load(more=1)
    with pytest.raises(ucpo.FormatError, match='"fixed"'):
        load(norm="batch")
    with pytest.raises(ucpo.ArgumentError, match="needs the statistics"):
        ucpo.Model.create("tsptw", norm="fixed")


AM_TABLE = {  # greedy, first 1000 instances: infeasible %, objective, gap % (mean over instances)
    "tsptw50_easy_AM_star": (3.70, 8.300, 13.70),
    "tsptw50_easy_AM_star_PIP": (0.70, 8.169, 11.80),
    "tsptw50_medium_AM_star": (20.40, 14.505, 12.16),
    "tsptw50_medium_AM_star_PIP": (7.50, 14.288, 10.16),
    "tsptw50_hard_AM_star": (37.80, 26.212, 1.58),
    "tsptw50_hard_AM_star_PIP": (14.90, 25.821, 0.93),
    "tsptw100_hard_AM_star_PIP": (41.30, 51.669, 0.67),
}


@pytest.mark.parametrize("name", AM_TABLE)
def test_the_published_am_files_give_the_published_numbers(shared, name):
    model = ucpo.Model.load(shared / "checkpoints" / "am" / (name + ".pt"))
    folder, case = shared / "data" / "validation", name.split("_AM")[0]
    data = ucpo.read(folder / (case + "_first1000.npy"))
    reference = np.load(folder / (case + "_lkh_cost10000.npy"))[:1000]
    result = ucpo.evaluate(model, data, greedy=True, augment=1, mask="pip" if "PIP" in name else "visited",
                           mask_tolerance=0.01, reference=reference)  # 1e-4 of the unit, as the AM code has it
    found = 100 * result.infeasible_instances, result.mean_objective, result.gap_mean
    assert tuple(map(float, ("%.2f" % found[0], "%.3f" % found[1], "%.2f" % found[2]))) == AM_TABLE[name]


def test_the_published_am_pip_d_is_refused_by_name(shared):
    refused(shared / "checkpoints" / "am" / "tsptw50_hard_AM_star_PIP-D.pt", "without running statistics", ucpo.UnsupportedError)


# ---- hostile files ----


class Attack:
    def __init__(self, *call):
        self.call = call

    def __reduce__(self):
        return self.call


def archive(path, pickled, **files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as out:
        out.writestr("x/data.pkl", pickled)
        for name, content in files.items():
            out.writestr("x/" + name.replace("__", "/"), content)


def refused(path, text, kind=ucpo.Error):
    with pytest.raises(kind, match=text):
        ucpo.Model.load(path, problem="tsptw")


@pytest.mark.parametrize("call, name", [
    ((os.system, ("touch hacked",)), "posix.system|os.system"),
    ((eval, ("__import__('os').system('touch hacked')",)), "builtins?(__)?.eval"),
    ((exec, ("open('hacked', 'w')",)), "builtins?(__)?.exec"),
    ((subprocess.Popen, (["touch", "hacked"],)), "(subprocess|commands).Popen"),
    ((getattr, (os, "system")), "names|opcode"),
])
def test_calls_are_refused_and_not_made(call, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for protocol in (2, 4):
        try:
            data = pickle.dumps({"model": Attack(*call)}, protocol)
        except TypeError:  # modules cannot be pickled
            continue
        archive(tmp_path / "bad.pt", data)
        refused(tmp_path / "bad.pt", name, ucpo.UnsupportedError)
    assert not (tmp_path / "hacked").exists()


def test_deep_and_endless_structures(tmp_path):
    archive(tmp_path / "deep.pt", b"\x80\x02" + b"(" * 200000 + b"t" * 200000 + b".")
    refused(tmp_path / "deep.pt", "no dictionary")
    archive(tmp_path / "self.pt", b"\x80\x02}q\x00X\x05\x00\x00\x00modelh\x00s.")  # a dictionary that holds itself
    refused(tmp_path / "self.pt", "no tensor")
    archive(tmp_path / "memo.pt", b"\x80\x02}r\xff\xff\xff\x7f.")
    refused(tmp_path / "memo.pt", "memo")
    archive(tmp_path / "text.pt", b"\x80\x02X\xff\xff\xff\x7fa.")
    refused(tmp_path / "text.pt", "cut short")


def tensor_pickle(shape, strides, offset=0, key="0"):
    def whole(n):
        return b"J" + struct.pack("<i", n) if abs(n) < 2**31 else b"\x8a\x08" + struct.pack("<q", n)

    def text(word):
        return b"X" + struct.pack("<I", len(word)) + word.encode()

    numbers = lambda values: b"(" + b"".join(map(whole, values)) + b"t"
    return (b"\x80\x02}" + text("encoder.embedding_node.weight") + b"ctorch._utils\n_rebuild_tensor_v2\n(" + b"(" + text("storage")
            + b"ctorch\nFloatStorage\n" + text(key) + text("cpu") + whole(4) + b"tQ" + whole(offset) + numbers(shape)
            + numbers(strides) + b"\x89" + b"ccollections\nOrderedDict\n)R" + b"tRs.")


@pytest.mark.parametrize("shape, strides, offset, key, text", [
    ((2**39, 2**39), (2**39, 1), 0, "0", "too large"),
    ((3, 2), (2, 1), 0, "0", "larger than its storage"),
    ((2, 2), (2, 1), 1, "0", "larger than its storage"),
    ((2, 2), (2, 1), 2**40, "0", "larger than its storage"),
    ((-2, 2), (2, 1), 0, "0", "whole numbers"),
    ((2, 2), (2, 1), -1, "0", "not understood"),
    ((1,) * 9, (1,) * 9, 0, "0", "at most 4"),
    ((2, 2), (2, 1), 0, "1", "missing"),
    ((2, 2), (2, 1), 0, "../../../../../../../../../../etc/passwd", "not understood"),
])
def test_sizes_that_lie(shape, strides, offset, key, text, tmp_path):
    archive(tmp_path / "bad.pt", tensor_pickle(shape, strides, offset, key), data__0=struct.pack("<4f", 1, 2, 3, 4))
    refused(tmp_path / "bad.pt", text)


def test_damaged_archives(peer, tmp_path):
    torch.save(peer().state_dict(), tmp_path / "good.pt")
    good = (tmp_path / "good.pt").read_bytes()
    for cut in (4, 100, len(good) // 2, len(good) - 1):
        (tmp_path / "cut.pt").write_bytes(good[:cut])
        refused(tmp_path / "cut.pt", "zip archive", ucpo.FormatError)
    spot = good.index(b"data.pkl") + 4000
    (tmp_path / "flip.pt").write_bytes(good[:spot] + bytes([good[spot] ^ 1]) + good[spot + 1:])
    refused(tmp_path / "flip.pt", "")
    with zipfile.ZipFile(tmp_path / "packed.pt", "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("x/data.pkl", b"\x80\x02}." * 100)
    refused(tmp_path / "packed.pt", "compressed", ucpo.UnsupportedError)
    with zipfile.ZipFile(tmp_path / "other.pt", "w") as out:
        out.writestr("hello.txt", "hello")
    refused(tmp_path / "other.pt", "no data.pkl")
