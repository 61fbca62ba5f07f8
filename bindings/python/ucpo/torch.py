"""The preference loss for PyTorch: one line in somebody else's training script.

    from ucpo.torch import ucpo_loss

    loss, metrics = ucpo_loss(log_likelihood, cost, violation, nodes=50)
    loss.backward()

Works with PyTorch 1.13 and 2.x, log-likelihoods of float32 and float64, on any device (the small arrays are copied to the
processor; the loss itself is computed in C, in double).
"""
from __future__ import annotations

from typing import Any, Optional

import torch
from torch.autograd.function import once_differentiable

from ._errors import ArgumentError, WrongType
from ._loss import LossMetrics, Settings, run, settings_of
from ._values import reals, shown

__all__ = ["LossMetrics", "UCPOLoss", "ucpo_loss"]


_EXACT = {torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int8, torch.int16, torch.int32, torch.uint8}


def _flat(name: str, tensor: torch.Tensor) -> torch.Tensor:
    """In double, on the processor, row by row. Short ways: at B = 64, N = 50 every call of PyTorch counts."""
    flat = tensor.detach()
    if flat.dtype not in _EXACT and flat.dtype is not torch.bool:  # whole numbers that may be too large, complex ones
        return torch.from_numpy(reals(name, flat.cpu().numpy()))
    flat = flat.double() if flat.device.type == "cpu" else flat.to("cpu", torch.float64)
    return flat if flat.is_contiguous() else flat.contiguous()


def _compute(log_likelihood: torch.Tensor, objective: torch.Tensor, violation: torch.Tensor, settings: Settings,
             alpha: float, threads: int) -> "tuple[torch.Tensor, torch.Tensor, LossMetrics]":
    """The loss, its derivative with respect to the log-likelihood, and the metrics."""
    score = _flat("log_likelihood", log_likelihood) * alpha
    f, v = _flat("objective", objective), _flat("violation", violation)
    weight = torch.empty_like(score)
    batch, samples = (1, score.shape[0]) if score.dim() == 1 else score.shape
    metrics = run(settings, batch, samples, f.data_ptr(), v.data_ptr(), score.data_ptr(), weight.data_ptr(), threads)
    gradient = weight.mul_(alpha)
    if gradient.dtype is not log_likelihood.dtype or gradient.device != log_likelihood.device:
        gradient = gradient.to(log_likelihood)
    return log_likelihood.new_full((), metrics.loss), gradient, metrics


class _Loss(torch.autograd.Function):
    @staticmethod
    def forward(ctx, log_likelihood, objective, violation, settings, alpha, threads):
        loss, ctx.gradient, metrics = _compute(log_likelihood, objective, violation, settings, alpha, threads)
        return loss, metrics

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_loss, *_unused):
        return grad_loss * ctx.gradient, None, None, None, None, None


_apply = _Loss.apply

if hasattr(torch.autograd.Function, "setup_context"):

    class _SplitLoss(torch.autograd.Function):
        """The form that torch.func's transforms need; each call costs 100 us more than the one above."""

        @staticmethod
        def forward(log_likelihood, objective, violation, settings, alpha, threads):
            return _compute(log_likelihood, objective, violation, settings, alpha, threads)

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.mark_non_differentiable(output[1])
            ctx.save_for_backward(output[1])

        @staticmethod
        @once_differentiable
        def backward(ctx, grad_loss, *_unused):
            (gradient,) = ctx.saved_tensors
            return grad_loss * gradient, None, None, None, None, None

    _is_transformed = getattr(torch._C, "_are_functorch_transforms_active", lambda: True)

    def _apply(*arguments):  # type: ignore[no-redef]
        if not _is_transformed():
            return _Loss.apply(*arguments)
        loss, _, metrics = _SplitLoss.apply(*arguments)
        return loss, metrics


def _check(log_likelihood: torch.Tensor, others: "dict[str, torch.Tensor]") -> None:
    for name, tensor in (("log_likelihood", log_likelihood), *others.items()):
        if not isinstance(tensor, torch.Tensor):
            raise WrongType(f"{name} is {shown(tensor)}, expected a torch tensor (ucpo.loss takes arrays)")
    if log_likelihood.dim() not in (1, 2) or log_likelihood.numel() == 0:
        raise ArgumentError(f"log_likelihood has shape {tuple(log_likelihood.shape)}, expected (batch, samples)")
    if log_likelihood.dtype not in (torch.float32, torch.float64):
        way = ": pass log_likelihood.float()" if log_likelihood.is_floating_point() else ", floating point"
        raise ArgumentError(f"log_likelihood is of {log_likelihood.dtype}, expected float32 or float64{way}")
    for name, tensor in others.items():
        if tensor.is_complex() or (tensor.dtype is torch.bool and name != "violation"):
            raise ArgumentError(f"{name} is of {tensor.dtype}, expected numbers")
        if tensor.shape != log_likelihood.shape:
            raise ArgumentError(f"{name} has shape {tuple(tensor.shape)}, expected {tuple(log_likelihood.shape)} as log_likelihood")


def ucpo_loss(log_likelihood: torch.Tensor, objective: torch.Tensor, violation: torch.Tensor, preset: str = "ucpo", *,
              nodes: Optional[int] = None, threads: int = 1, **settings: Any) -> "tuple[torch.Tensor, LossMetrics]":
    """Preference loss of N sampled trajectories for each of B instances: (loss, metrics).

    log_likelihood  (B, N), with gradient, float32 or float64: sums of the log-probabilities of the decisions
    objective       (B, N): costs, to be minimised; data, as violation is: gradients go to log_likelihood only
    violation       (B, N): 0 for feasible trajectories, positive otherwise, in units comparable to the objective
    nodes           number of nodes of an instance; needed while alpha counts in 1/n (the default). The score is
                    alpha x log_likelihood; alpha="sum" is the plain log-likelihood
    preset          a name of ucpo.loss_presets() or a text such as "ucpo,k=2"; settings override (see ucpo.loss)

    >>> import torch
    >>> ll = torch.tensor([[-1.0, -2.0, -3.0]], requires_grad=True)
    >>> value, metrics = ucpo_loss(ll, torch.tensor([[5.0, 6.0, 4.0]]), torch.tensor([[0.0, 0.0, 2.0]]), nodes=3)
    >>> value.backward()
    >>> bool(ll.grad[0, 0] < 0 < ll.grad[0, 1]), metrics.feasible
    (True, 2)
    """
    _check(log_likelihood, {"objective": objective, "violation": violation})
    chosen = settings_of(preset, settings)
    return _apply(log_likelihood, objective.detach(), violation.detach(), chosen, chosen.alpha(nodes), threads)


class UCPOLoss(torch.nn.Module):
    """The same as a module: ``criterion = UCPOLoss("ucpo", nodes=50); loss, metrics = criterion(ll, cost, violation)``."""

    def __init__(self, preset: str = "ucpo", *, nodes: Optional[int] = None, threads: int = 1, **settings: Any):
        super().__init__()
        self._settings = settings_of(preset, settings)
        self._nodes, self._threads = nodes, threads

    def forward(self, log_likelihood: torch.Tensor, objective: torch.Tensor, violation: torch.Tensor,
                nodes: Optional[int] = None) -> "tuple[torch.Tensor, LossMetrics]":
        _check(log_likelihood, {"objective": objective, "violation": violation})
        alpha = self._settings.alpha(self._nodes if nodes is None else nodes)
        return _apply(log_likelihood, objective.detach(), violation.detach(), self._settings, alpha, self._threads)

    def extra_repr(self) -> str:
        return f"'{self._settings}', nodes={self._nodes}"
