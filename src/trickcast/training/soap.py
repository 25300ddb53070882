"""SOAP: Adam in the eigenbasis in which a weight matrix really moves.

Vyas and others, "SOAP: Improving and Stabilizing Shampoo using Adam", ICLR 2025 (arXiv:2409.11321).
The second moments of each matrix's rows and columns are averaged, as in Shampoo. Adam works
on the gradient rotated into their eigenvectors. If inputs are correlated, as suits' cards are, this
takes a fraction of Adam's steps. Weights of one shape are updated together: launching a hundred
small products one by one would leave a GPU waiting.
"""

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor, nn

_REFRESHED = 10
"""Steps between two updates of the eigenvectors."""
_TINY = 1e-8
_LEAST = 1e-6
"""Added to all eigenvalues, relative to their mean, so that none is zero."""
_SHIFT = 1e-12
"""Added before the first Cholesky factor, relative to a vector's square."""


class Soap(torch.optim.Optimizer):
    """SOAP for matrices, Adam for vectors; with more axes, all but the first are flattened.

    ``betas`` are the shares of old values in the averages of the gradient and its second moments,
    including those of rows and columns. ``weight_decay`` is decoupled, as in AdamW. The state of
    all weights of one shape is stored with the first of them.
    """

    def __init__(
        self,
        params: Iterable[nn.Parameter],
        lr: float,
        betas: tuple[float, float] = (0.95, 0.95),
        weight_decay: float = 0.0,
    ):
        super().__init__(params, {"lr": lr, "betas": betas, "weight_decay": weight_decay})

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load a state. Raises ValueError for one of an earlier version, stored by weight."""
        super().load_state_dict(state_dict)
        for weights, state in self.state.items():
            if state["mean"].ndim != 1 + min(weights.ndim, 2):
                raise ValueError("its optimizer's state is of an earlier version: begin anew")

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[override]
        """Take one step along the gradients; ``closure`` is not supported.

        Raises ValueError if there is one.
        """
        if closure is not None:
            raise ValueError("a closure (expected none: the gradients are there)")
        for group in self.param_groups:
            alike: dict[torch.Size, list[Tensor]] = {}
            for weights in group["params"]:
                if weights.requires_grad:
                    alike.setdefault(weights.shape, []).append(weights)
            for several in alike.values():
                _move(several, self.state[several[0]], group)


OPTIMIZERS: dict[str, Any] = {"adam": torch.optim.AdamW, "soap": Soap}
"""By their names in settings."""


def _move(several: list[Tensor], state: dict[str, Any], group: dict[str, Any]) -> None:
    """Take one step for weights of one shape."""
    gradients = [
        torch.zeros_like(weights) if weights.grad is None else weights.grad for weights in several
    ]
    gradient = torch.stack(gradients)
    gradient = gradient.flatten(2) if gradient.ndim > 2 else gradient
    if not state:
        _begin(gradient, state)
    old_mean, old_square = group["betas"]
    state["step"] += 1
    state["mean"].lerp_(gradient, 1 - old_mean)
    state["square"].lerp_(_turned(gradient, state).square(), 1 - old_square)
    mean = _turned(state["mean"], state) / (1 - old_mean ** state["step"])
    square = state["square"] / (1 - old_square ** state["step"])
    change = mean / (square.sqrt() + _TINY)
    if gradient.ndim == 3:
        change = state["left"] @ change @ state["right"].mT
    torch._foreach_mul_(several, 1 - group["lr"] * group["weight_decay"])
    changes = [part.view_as(several[0]) for part in change]
    torch._foreach_sub_(several, changes, alpha=group["lr"])
    if gradient.ndim == 3:
        state["rows"].lerp_(gradient @ gradient.mT, 1 - old_square)
        state["columns"].lerp_(gradient.mT @ gradient, 1 - old_square)
        if state["step"] % _REFRESHED == 0:
            _refresh(state)


def _begin(gradient: Tensor, state: dict[str, Any]) -> None:
    """Initialise the state of weights that have their first gradient."""
    state["step"] = 0
    state["mean"], state["square"] = torch.zeros_like(gradient), torch.zeros_like(gradient)
    if gradient.ndim == 3:
        state["rows"], state["columns"] = gradient @ gradient.mT, gradient.mT @ gradient
        state["left"], state["right"] = _axes(gradient), _axes(gradient.mT)


def _axes(gradient: Tensor) -> Tensor:
    """Return the (k, n, n) eigenvectors of the rows of (k, n, m) gradients, largest first.

    At most m of them carry any gradient: they are found without n eigenvalues.
    """
    doubles = gradient.double()  # in floats, low-rank ones may not converge
    axes: Tensor
    axes, sums = torch.linalg.qr(doubles, mode="complete")
    some = sums[:, : gradient.shape[2]]
    axes[:, :, : some.shape[1]] @= torch.linalg.eigh(some @ some.mT).eigenvectors.flip(2)
    return axes.type_as(gradient)


def _turned(gradient: Tensor, state: dict[str, Any]) -> Tensor:
    """Return gradients rotated into their eigenvectors; those of vectors unchanged."""
    if gradient.ndim != 3:
        return gradient
    turned: Tensor = state["left"].mT @ gradient @ state["right"]
    return turned


def _refresh(state: dict[str, Any]) -> None:
    """Update the eigenvectors by one power iteration, largest eigenvalues first."""
    for moments, vectors, axis in (("rows", "left", 1), ("columns", "right", 2)):
        least = _LEAST * state[moments].diagonal(dim1=1, dim2=2).mean(1)[:, None, None]
        reached = state[moments] @ state[vectors] + least * state[vectors]
        order = (state[vectors] * reached).sum(1).argsort(descending=True)
        along = order.unsqueeze(3 - axis)
        state["square"] = state["square"].take_along_dim(along, axis)
        state[vectors] = _orthonormal(reached.take_along_dim(order.unsqueeze(1), 2))


def _orthonormal(vectors: Tensor) -> Tensor:
    """Return (k, n, n) vectors, in columns, orthonormalised one after the other.

    On a processor this uses QR. A GPU does QRs one after the other, but Cholesky factors of their
    products all at once, with the same result.
    """
    if vectors.device.type != "cpu":
        return by_cholesky(vectors)
    turned: Tensor = torch.linalg.qr(vectors).Q
    return turned


def by_cholesky(vectors: Tensor) -> Tensor:
    """Return the factor Q of (k, n, n) vectors up to signs, computed in doubles.

    The second of two rounds separates nearly parallel vectors (Fukaya and others, "Shifted
    Cholesky QR for computing the QR factorization of ill-conditioned matrices", 2020); if even
    that fails, QR is used.
    """
    doubles = vectors.double()
    turned: Tensor = doubles / doubles.norm(dim=1, keepdim=True).clamp_min(_TINY**2)
    for shift in (_SHIFT, 0.0):
        products = turned.mT @ turned
        products.diagonal(dim1=1, dim2=2).add_(shift)
        factors, failed = torch.linalg.cholesky_ex(products)
        turned = torch.linalg.solve_triangular(factors.mT, turned, upper=True, left=False)
    if failed.any():
        turned[failed > 0] = torch.linalg.qr(doubles[failed > 0]).Q
    return turned.type_as(vectors)
