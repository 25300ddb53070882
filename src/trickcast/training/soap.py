"""SOAP: Adam in the axes along which a matrix of weights really moves.

Vyas and others, "SOAP: Improving and Stabilizing Shampoo using Adam", ICLR 2025 (arXiv:2409.11321).
Of every matrix the second moments of rows and of columns are averaged, as in Shampoo; Adam works
on the gradient turned into their eigenvectors. Where inputs go together, as suits' cards do, this
takes a fraction of Adam's steps; for matrices this small a step costs a seventh more.
"""

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor, nn

_REFRESHED = 10
"""Steps between two refreshments of the eigenvectors."""
_TINY = 1e-8


class Soap(torch.optim.Optimizer):
    """SOAP for matrices, Adam for vectors; of more axes all but the first are taken as one.

    ``betas`` are the shares of old in the averaged gradient and in its second moments, those of
    rows and columns too. ``weight_decay`` is decoupled, as in AdamW.
    """

    def __init__(
        self,
        params: Iterable[nn.Parameter],
        lr: float,
        betas: tuple[float, float] = (0.95, 0.95),
        weight_decay: float = 0.0,
    ):
        super().__init__(params, {"lr": lr, "betas": betas, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[override]
        """Take one step along the gradients there are; ``closure`` is none of this optimizer's."""
        if closure is not None:
            raise ValueError("a closure (expected none: the gradients are there)")
        for group in self.param_groups:
            for weights in group["params"]:
                if weights.grad is not None:
                    _move(weights, weights.grad, self.state[weights], group)


OPTIMIZERS: dict[str, Any] = {"adam": torch.optim.AdamW, "soap": Soap}
"""By the names that settings have for them."""


def _move(weights: Tensor, gradient: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
    """Take one step of one tensor of weights."""
    gradient = gradient.flatten(1) if gradient.ndim > 1 else gradient
    if not state:
        _begin(gradient, state)
    old_mean, old_square = group["betas"]
    state["step"] += 1
    state["mean"].lerp_(gradient, 1 - old_mean)
    state["square"].lerp_(_turned(gradient, state).square(), 1 - old_square)
    mean = _turned(state["mean"], state) / (1 - old_mean ** state["step"])
    square = state["square"] / (1 - old_square ** state["step"])
    change = mean / (square.sqrt() + _TINY)
    if gradient.ndim == 2:
        change = state["left"] @ change @ state["right"].T
    weights.mul_(1 - group["lr"] * group["weight_decay"])
    weights.sub_(change.view_as(weights), alpha=group["lr"])
    if gradient.ndim == 2:
        state["rows"].lerp_(gradient @ gradient.T, 1 - old_square)
        state["columns"].lerp_(gradient.T @ gradient, 1 - old_square)
        if state["step"] % _REFRESHED == 0:
            _refresh(state)


def _begin(gradient: Tensor, state: dict[str, Any]) -> None:
    """Set the state of a tensor that has its first gradient."""
    state["step"] = 0
    state["mean"], state["square"] = torch.zeros_like(gradient), torch.zeros_like(gradient)
    if gradient.ndim == 2:
        state["rows"], state["columns"] = gradient @ gradient.T, gradient.T @ gradient
        state["left"], state["right"] = (  # doubles: in floats those of low rank may not converge
            torch.linalg.eigh(state[name].double()).eigenvectors.flip(1).type_as(gradient)
            for name in ("rows", "columns")
        )


def _turned(gradient: Tensor, state: dict[str, Any]) -> Tensor:
    """Return a gradient in the axes of its eigenvectors; that of a vector as it is."""
    if gradient.ndim != 2:
        return gradient
    turned: Tensor = state["left"].T @ gradient @ state["right"]
    return turned


def _refresh(state: dict[str, Any]) -> None:
    """Bring the eigenvectors up to date by one power iteration, largest eigenvalues first."""
    for moments, vectors, axis in (("rows", "left", 0), ("columns", "right", 1)):
        reached = state[moments] @ state[vectors]
        order = (state[vectors] * reached).sum(0).argsort(descending=True)
        state["square"] = state["square"].index_select(axis, order)
        state[vectors] = torch.linalg.qr(reached[:, order]).Q
