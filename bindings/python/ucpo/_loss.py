"""The preference loss on numpy arrays (docs/loss.md)."""
from __future__ import annotations

import ctypes as C
from functools import lru_cache
from typing import Any, NamedTuple

from . import _abi as abi
from ._errors import ArgumentError
from ._lib import call, failure, lib, text_bytes
from ._np import np
from ._values import reals, setting, whole


class LossMetrics(NamedTuple):
    """A loss in numbers. For a batch the values are means over its instances and the counts are sums."""

    loss: float
    dual: float  #: the terms; their sum is the loss (0 for slim, reinforce, reinforce-norm)
    margin: float
    primal: float
    pairs: int
    feasible: int  #: trajectories with violation 0
    dual_active: int  #: instances where the term has a pair
    margin_active: int
    primal_active: int
    instances: int
    trajectories: int

    @property
    def infeasible_samples(self) -> float:
        """Share of trajectories that violate a constraint."""
        return 1.0 - self.feasible / self.trajectories


class Settings:
    """Parsed settings of a loss; `str` is the shortest text that means the same."""

    def __init__(self, text: str):
        self.config = abi.ucpo_loss_config()
        call(lib.ucpo_loss_config_parse, text_bytes(text), C.byref(self.config), C.sizeof(self.config))
        self.pointer = C.addressof(self.config)

    def alpha(self, nodes: "int | None") -> float:
        """Factor between log-likelihood and score, for instances of so many nodes."""
        if not self.config.alpha_is_per_node:
            return self.config.alpha
        if nodes is None:
            raise ArgumentError(
                f"'{self}' counts alpha in units of 1/n: pass nodes=..., the number of nodes of an instance, or an "
                "alpha of its own (alpha='sum' is the plain log-likelihood)"
            )
        return lib.ucpo_loss_alpha(self.pointer, whole("nodes", nodes, C.c_int32, least=1))

    def __str__(self) -> str:
        buffer = C.create_string_buffer(400)
        lib.ucpo_loss_config_text(self.pointer, buffer, 400)
        return buffer.value.decode()


@lru_cache(maxsize=256)
def _parsed(text: str) -> Settings:
    return Settings(text)


def settings_of(preset: str, options: "dict[str, Any]") -> Settings:
    items = (f"{key.rstrip('_').replace('_', '-')}={setting(key, value, is_real=True)}" for key, value in options.items())
    return _parsed(",".join([setting("preset", preset), *items]))


def run(settings: Settings, batch: int, samples: int, objective: int, violation: int, score: int, weight: int,
        threads: int, rank_address: "int | None" = None) -> LossMetrics:
    """The C call on addresses of float64 arrays."""
    err, result = abi.ucpo_error(), abi.ucpo_loss_result()
    if rank_address is None and settings.config.k > 1:
        room = (C.c_uint32 * (batch * samples))()
        rank_address = C.addressof(room)
    status = lib.ucpo_loss_batch(settings.pointer, batch, samples, objective, violation, score, threads,
                                 C.byref(result), weight, rank_address, C.byref(err))
    if status:
        raise failure(status, err)
    r = result
    return LossMetrics(r.loss, r.dual, r.margin, r.primal, r.pairs, r.feasible, r.dual_active, r.margin_active,
                       r.primal_active, batch, batch * samples)


def _arrays(**named: Any) -> "list[Any]":
    found = [reals(name, value, may_be_flags=name == "violation") for name, value in named.items()]
    for name, array in zip(named, found):
        if array.ndim not in (1, 2) or array.size == 0:
            raise ArgumentError(f"{name} has shape {array.shape}, expected (batch, samples)")
        if array.shape != found[0].shape:
            raise ArgumentError(f"{name} has shape {array.shape}, expected {found[0].shape} as {next(iter(named))}")
    return found


def loss(objective: Any, violation: Any, score: Any, preset: str = "ucpo", *, threads: int = 1,
         **settings: Any) -> "tuple[float, Any, LossMetrics]":
    """Preference loss of trajectories: returns (loss, weight, metrics).

    Arrays are (batch, samples), or (samples,) for one instance. objective: cost; violation: 0 for feasible ones, positive
    otherwise; score: alpha times the log-likelihood. weight is d loss / d score, of the same shape: multiply by the
    gradients of the scores. The loss is the mean over the batch.

    preset is a name of `ucpo.loss_presets()` or a text such as "ucpo,k=2"; settings override: k, lambda_, relation,
    pairing, scaling, terms, tie, indicator, beta, beta_min, beta_max, skip_equal, ...

    >>> value, weight, metrics = loss([10.0, 12.0, 11.0], [0.0, 0.0, 3.0], [-1.0, -1.0, -1.0])
    >>> metrics.feasible, bool(weight[0] < 0 < weight[1])
    (2, True)
    >>> round(value, 4)
    1.3863
    """
    f, v, s = _arrays(objective=objective, violation=violation, score=score)
    batch, samples = (1, f.shape[0]) if f.ndim == 1 else f.shape
    weight = np.empty_like(s)
    metrics = run(settings_of(preset, settings), batch, samples, f.ctypes.data, v.ctypes.data, s.ctypes.data,
                  weight.ctypes.data, threads)
    return metrics.loss, weight, metrics


def rank(objective: Any, violation: Any, preset: str = "ucpo", **settings: Any) -> Any:
    """Indices of one instance's trajectories, the best first.

    >>> rank([10.0, 9.0, 8.0], [0.0, 0.0, 1.0]).tolist()
    [1, 0, 2]
    """
    f, v = _arrays(objective=objective, violation=violation)
    if f.ndim != 1:
        raise ArgumentError(f"rank takes one instance, not an array of shape {f.shape}")
    order = np.empty(f.shape[0], dtype=np.uint32)
    call(lib.ucpo_rank, settings_of(preset, settings).pointer, f.shape[0], f.ctypes.data, v.ctypes.data, order.ctypes.data)
    return order


def compare(objective_a: float, violation_a: float, objective_b: float, violation_b: float, preset: str = "ucpo",
            **settings: Any) -> int:
    """-1: a is strictly better, 1: b is, 0: neither.

    >>> compare(10.0, 0.0, 9.0, 0.5)
    -1
    """
    return lib.ucpo_compare(settings_of(preset, settings).pointer, objective_a, violation_a, objective_b, violation_b)
