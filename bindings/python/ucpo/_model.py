"""Models: loading, saving, weights as arrays, evaluation over a set."""
from __future__ import annotations

import ctypes as C
import os
from typing import Any, Mapping, Optional, Sequence, Union

from . import _abi as abi
from ._errors import ArgumentError, FormatError
from ._instance import Dataset, Instance, as_dataset
from ._lib import (Handle, PathLike, Session, call, default, handle, lib, models_folder, one_of, path_bytes, taken_bytes,
                   text_bytes, words)
from ._np import np
from ._plan import PlanList, Solution
from ._values import flag, index as place_in, reals

DTYPES = {"f32": abi.UCPO_DTYPE_F32, "f16": abi.UCPO_DTYPE_F16}


def file_of(model: PathLike) -> str:
    """A model file; of a run its best model, else the last."""
    path = os.fspath(model)
    if os.path.isdir(path):
        for name in ("best.safetensors", "last.safetensors"):
            if os.path.exists(os.path.join(path, name)):
                return os.path.join(path, name)
    return path


class Model(Handle):
    """A policy network for one problem: architecture, weights and facts about its training."""

    _free = lib.ucpo_model_free

    @classmethod
    def load(cls, path: PathLike, problem: "str | None" = None) -> "Model":
        """From a .safetensors file, a run directory (its best model), or a PyTorch checkpoint (.pt) of the POMO, PIP or
        PIP-D networks, or of AM with running statistics. Of a checkpoint nothing is executed; `problem` says what it was trained for where the shapes
        leave it open (tsptw or tspdl)."""
        name = file_of(path)
        if not os.path.isfile(name):
            return cls(handle(lib.ucpo_model_load, path_bytes(name)))  # says what is wrong
        with open(name, "rb") as file:
            is_archive = file.read(4) == b"PK\x03\x04"
            if is_archive:
                data = b"PK\x03\x04" + file.read()
        if not is_archive:
            return cls(handle(lib.ucpo_model_load, path_bytes(name)))
        return cls(handle(lib.ucpo_model_import_bytes, data, len(data), path_bytes(name), text_bytes(problem)))

    @classmethod
    def create(cls, problem: str, *, seed: int = 1, width: "int | None" = None, heads: "int | None" = None,
               hidden: "int | None" = None, layers: "int | None" = None, norm: "str | None" = None,
               clip: "float | None" = None, aux: bool = False, decision: "int | None" = None,
               decision_glimpse: bool = False, pair: bool = False) -> "Model":
        """A new one with random weights; by default the published architecture.

        >>> Model.create("tsptw", width=32, heads=4, hidden=64, layers=1).parameters > 0
        True
        """
        config = lib.ucpo_model_config_default(text_bytes(problem))
        config.problem = text_bytes(problem)  # kept alive by the struct
        given = {"width": width, "heads": heads, "hidden": hidden, "layers": layers, "norm": text_bytes(norm),
                 "clip": clip, "decision": decision}
        for name, value in given.items():
            if value is not None:
                setattr(config, name, value)
        config.has_aux, config.decision_glimpse = flag("aux", aux), decision_glimpse
        config.pair = flag("pair", pair)
        return cls(handle(lib.ucpo_model_create, C.byref(config), seed))

    @classmethod
    def shipped(cls, instance: Instance) -> "Optional[Model]":
        """The shipped model for the instance's problem and the nearest size, or None."""
        folder = models_folder()
        if folder is None:
            return None
        buffer = C.create_string_buffer(4096)
        call(lib.ucpo_model_find, path_bytes(folder), instance.address, buffer, 4096)
        return cls.load(os.fsdecode(buffer.value)) if buffer.value else None

    def save(self, path: PathLike, dtype: str = "f32") -> None:
        """Writes a .safetensors file. dtype "f16": half the size."""
        call(lib.ucpo_model_save, self.address, path_bytes(path), one_of("dtype", dtype, DTYPES))

    # ---- what it is ----

    @property
    def _info(self) -> abi.ucpo_model_info:
        return lib.ucpo_model_describe(self.address)

    @property
    def problem(self) -> str:
        return self._info.config.problem.decode()

    @property
    def parameters(self) -> int:
        return self._info.parameters

    @property
    def config(self) -> "dict[str, Any]":
        """The architecture, by the names of `Model.create`."""
        found = {name: getattr(self._info.config, name) for name, _ in abi.ucpo_model_config._fields_}
        found["problem"], found["norm"] = found["problem"].decode(), found["norm"].decode()
        found["aux"] = bool(found.pop("has_aux"))
        found["decision_glimpse"], found["pair"] = bool(found["decision_glimpse"]), bool(found["pair"])
        return found

    @property
    def facts(self) -> "dict[str, str]":
        """Short texts about the training: train.sizes, train.level, train.loss, notes, ..."""
        keys = words(lambda i: lib.ucpo_model_fact_key(self.address, i))
        return {key: lib.ucpo_model_fact(self.address, key.encode()).decode() for key in list(keys)}

    def set_fact(self, key: str, value: "str | None") -> None:
        call(lib.ucpo_model_set_fact, self.address, text_bytes(key), text_bytes(value))

    def __repr__(self) -> str:
        return f"<ucpo.Model {self.problem}, {self.parameters} weights>"

    def __reduce__(self) -> Any:
        return (_model_from_bytes, (self.to_bytes(),))

    # ---- weights ----

    def to_bytes(self) -> bytes:
        """The content of a .safetensors file."""
        return taken_bytes(lib.ucpo_model_save_bytes, self.address, abi.UCPO_DTYPE_F32)

    def tensors(self) -> "dict[str, Any]":
        """All weights as float32 arrays, by the names of the published POMO and PIP checkpoints (docs/model.md).

        ``peer.load_state_dict({k: torch.from_numpy(v) for k, v in model.tensors().items()})`` moves them to PyTorch.
        """
        header, body = split_safetensors(self.to_bytes())
        found = {}
        for name, entry in header.items():
            if name != "__metadata__":
                begin, end = entry["data_offsets"]
                found[name] = np.frombuffer(body[begin:end], dtype="<f4").reshape(entry["shape"]).copy()
        return found

    def with_tensors(self, tensors: "Mapping[str, Any]") -> "Model":
        """The same model with other weights: arrays or torch tensors, every name and shape as in `tensors()`.

        The way back from PyTorch: ``model.with_tensors(peer.state_dict())``.
        """
        header, body = split_safetensors(self.to_bytes())
        content = bytearray(body)
        expected = {name for name in header if name != "__metadata__"}
        if set(tensors) != expected:
            missing, extra = sorted(expected - set(tensors)), sorted(set(tensors) - expected)
            raise ArgumentError(f"tensors missing: {missing or 'none'}, unexpected: {extra or 'none'}")
        for name in expected:
            value = tensors[name]
            if hasattr(value, "detach"):  # torch's bfloat16 is unknown to numpy
                value = value.detach().cpu()
                value = (value.double() if value.is_floating_point() else value).numpy()
            array = reals(name, value, dtype="<f4")
            if list(array.shape) != header[name]["shape"]:
                raise ArgumentError(f"{name} has shape {list(array.shape)}, expected {header[name]['shape']}")
            begin, end = header[name]["data_offsets"]
            content[begin:end] = array.tobytes()
        header["__metadata__"].pop("checksum", None)  # of the old weights
        return Model(handle(*_load_bytes(join_safetensors(header, bytes(content)), "weights")))


def _load_bytes(data: bytes, label: str) -> "tuple[Any, ...]":
    return lib.ucpo_model_load_bytes, data, len(data), label.encode()


def _model_from_bytes(data: bytes) -> Model:
    return Model(handle(*_load_bytes(data, "copy")))


def split_safetensors(data: bytes) -> "tuple[dict[str, Any], bytes]":
    import json

    if len(data) < 8:
        raise FormatError("not a safetensors file")
    size = int.from_bytes(data[:8], "little")
    return json.loads(data[8 : 8 + size]), data[8 + size :]


def join_safetensors(header: "Mapping[str, Any]", body: bytes) -> bytes:
    import json

    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(8 + len(text)) % 64)
    return len(text).to_bytes(8, "little") + text + body


def as_model(model: "Union[Model, PathLike, None, bool]", instance: "Instance | None") -> "Optional[Model]":
    """None or "auto": the shipped one that fits; "none" or False: no model; a path, a run or a Model."""
    if isinstance(model, Model):
        return model
    if model is None or (isinstance(model, str) and model == "auto"):
        return None if instance is None else Model.shipped(instance)
    if model is False or (isinstance(model, str) and model == "none"):
        return None
    if model is True:
        raise ArgumentError("model is True, expected a Model, a path, None (the shipped one) or 'none'")
    return Model.load(model)


# ---- evaluation ----


class Evaluation:
    """How a model fares on a set. `records`: one row per instance (structured array); the summary's numbers are
    attributes: feasible_instances, infeasible_instances, infeasible_solutions, mean_objective, gap_mean, gap_ratio, ...
    (include/ucpo.h, ucpo_eval_summary)."""

    def __init__(self, data: Dataset, records: Any, summary: abi.ucpo_eval_summary, plans: PlanList):
        self.data = data
        self.records = records
        self.summary: "dict[str, Any]" = {name: getattr(summary, name) for name, _ in summary._fields_}
        self._plans = plans

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["summary"][name]
        except KeyError:
            raise AttributeError(name) from None

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, index: int) -> Solution:
        """The answer for instance `index`."""
        at = place_in("answer", index, len(self))
        return Solution(self.data[at], self._plans[at])

    def __repr__(self) -> str:
        return (f"<ucpo.Evaluation of {self.instances} instances: {100 * self.infeasible_instances:.2f} % infeasible, "
                f"objective {self.mean_objective:.6g}>")


def _record_dtype() -> Any:
    kinds = {C.c_int32: "i4", C.c_int: "i4", C.c_double: "f8"}
    fields = abi.ucpo_eval_record._fields_
    return np.dtype({"names": [n for n, _ in fields], "formats": [kinds[k] for _, k in fields],
                     "offsets": [getattr(abi.ucpo_eval_record, n).offset for n, _ in fields],
                     "itemsize": C.sizeof(abi.ucpo_eval_record)})


def evaluate(model: "Union[Model, PathLike, None]", data: "Union[Dataset, Instance, Sequence[Instance], PathLike]", *,
             samples: int = 0, augment: int = 8, rounds: int = 1, greedy: bool = False, backtrack: int = 0,
             multi_start: bool = False, mask: str = "auto", mask_tolerance: float = 0.0, temperature: float = 1.0, seed: int = 1, threads: int = 0,
             refine_moves: int = 0,
             refine_seconds: float = 0.0, kernels: str = "auto", precision: str = "auto", reference: Any = None,
             progress: Any = None) -> Evaluation:
    """Decodes every instance of a set with a model (None: constructive rules) and checks the answers.

    rounds: the samples are drawn in so many rounds; the best take over parts of others, and later ones decide a part of one of them anew.
    mask_tolerance: lateness that a look-ahead mask lets pass, in the instance's units (0: the instance's tolerance).
    reference: normalised costs, one per instance, for the gaps. progress(done, total): a true result stops.

    >>> import ucpo
    >>> result = evaluate("models/tsptw.safetensors", ucpo.generate("tsptw", 10, count=4), greedy=True)
    >>> result.instances
    4
    """
    instances = as_dataset(data)
    network = None if model is None else as_model(model, None)
    config = default(abi.ucpo_eval_config)
    config.samples, config.augment, config.greedy, config.backtrack = samples, augment, greedy, backtrack
    config.multi_start, config.mask, config.temperature, config.seed = multi_start, text_bytes(mask), temperature, seed
    config.mask_tolerance, config.rounds = mask_tolerance, rounds
    config.threads, config.kernels, config.precision = threads, text_bytes(kernels), text_bytes(precision)
    config.refine_moves, config.refine_seconds = refine_moves, refine_seconds
    costs = None if reference is None else reals("reference", reference, (len(instances),))
    records = np.zeros(len(instances), dtype=_record_dtype())
    plans = C.c_void_p()
    with Session(progress) as session:
        config.hooks = session.hooks
        call(lib.ucpo_evaluate, network.address if network else None, instances.address, C.byref(config),
             records.ctypes.data, C.byref(plans))
    answers = PlanList(address=plans.value)
    summary = abi.ucpo_eval_summary()
    call(lib.ucpo_eval_summarise, records.ctypes.data, len(instances), None if costs is None else costs.ctypes.data, None,
         C.byref(summary))
    return Evaluation(instances, records, summary, answers)
