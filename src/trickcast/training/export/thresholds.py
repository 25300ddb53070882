"""From one output to a distribution over tricks: an ordered logit fitted on held-out deals."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ...encodings import LOWEST, RANGE

_RIDGE = 1e-3  # keeps thresholds apart at a finite distance where no result fell between them
_FAR = 1e3  # ranges away: beyond it the chance of any count is nothing
_STEPS = 200


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The chance of at most k tricks is logistic(slope × (thresholds[k] - output))."""

    thresholds: tuple[float, ...]
    """Thirteen, rising."""
    slope: float


def fit_thresholds(outputs: NDArray[np.float32], tricks: NDArray[np.uint8]) -> Thresholds:
    """Fit thresholds and slope to (m,) outputs and the tricks that were really taken.

    The ordered logit (McCullagh, "Regression models for ordinal data", 1980) by maximum
    likelihood. Raises ValueError when there is nothing to fit to.
    """
    if len(outputs) == 0 or len(outputs) != len(tricks):
        raise ValueError(f"{len(outputs)} outputs and {len(tricks)} results (expected as many)")
    # counted in ranges, so that all unknowns are near 1; the thresholds start between the ranges
    scaled = (torch.from_numpy(outputs).double() - LOWEST) / RANGE  # (m,)
    taken = torch.from_numpy(tricks.astype(np.int64))  # (m,)
    first = torch.ones(1, dtype=torch.float64, requires_grad=True)
    log_gaps = torch.zeros(12, dtype=torch.float64, requires_grad=True)
    log_slope = torch.zeros(1, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS(
        [first, log_gaps, log_slope], max_iter=_STEPS, line_search_fn="strong_wolfe"
    )
    far = torch.tensor([_FAR], dtype=torch.float64)

    def edges() -> Tensor:  # (15,): of k tricks from edge k to edge k + 1
        inner = torch.cat([first, first + log_gaps.exp().cumsum(0)])
        return torch.cat([-far, inner, far])

    def loss() -> Tensor:
        optimizer.zero_grad()
        at_most = (log_slope.exp() * (edges()[taken + 1] - scaled)).sigmoid()
        below = (log_slope.exp() * (edges()[taken] - scaled)).sigmoid()
        value = -(at_most - below).clamp_min(1e-12).log().mean() + _RIDGE * log_gaps.square().sum()
        value.backward()  # type: ignore[no-untyped-call]
        return value

    optimizer.step(loss)  # type: ignore[no-untyped-call]
    thresholds = LOWEST + RANGE * edges().detach()[1:14]
    return Thresholds(tuple(thresholds.tolist()), log_slope.exp().item() / RANGE)
