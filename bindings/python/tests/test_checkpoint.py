"""PyTorch checkpoints: read without executing them, hostile ones refused."""
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
    with pytest.raises(ucpo.UnsupportedError, match="AM family"):
        load({"init_embed.weight": torch.zeros(128, 4)})
    with pytest.raises(ucpo.MismatchError, match="embedding_node"):
        load({"fc.weight": torch.zeros(2, 2)})


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


def test_the_published_am_files_are_refused_by_name(shared):
    files = sorted((shared / "checkpoints" / "am").glob("*.pt"))
    assert files
    for file in files:
        refused(file, "AM family", ucpo.UnsupportedError)
