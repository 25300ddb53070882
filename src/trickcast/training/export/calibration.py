"""Making stated chances come true: what is fitted on validation deals when a model is exported."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax
from torch import Tensor

from ...cards import Strain
from ...evaluation import CONTRACTS
from ...papers.codings import LOWEST, RANGE

FAR = 5.0
"""Below e⁻⁵ (0.7 %) of probability, calibration is a factor alone: there are too few such results
that came true to fit a curve."""
_STEEPNESS = 1e-8  # of the loss where the fit ends
_PRIOR = 1e-4  # labels learned by heart have no best factor: it grows without end
_RIDGE = 1e-3  # keeps thresholds apart at a finite distance where no result fell between them
_FARTHEST = 1e3  # ranges away: beyond it the chance of any count is nothing
_STEPS = 200
_FLATTEST = 0.05  # slope of a network whose likeliest results happen least: its order is kept
LEAST = 1e-30  # of a probability before its logarithm is taken


class Calibration(NamedTuple):
    """How log-probabilities *l* of *k* tricks, the largest of them *m*, become calibrated:
    softmax((slope + doubt · m) · l - curve · min(-l, 5)² + tilt · k).

    A slope alone is temperature scaling (Guo et al., "On calibration of modern neural networks",
    2017). It makes all answers less sure, or all surer; a network that is too sure of what it
    finds likely and not sure enough of what it finds certain needs the others too: the curve
    bends the logarithms of every answer, doubt lessens the slope of an answer that is unsure.
    None of these changes the order of probabilities. Rounding weights to eight bits moves what all
    answers expect a little to one side, and the tilt moves it back. All four leave the symmetries
    of play as they are.
    """

    slope: tuple[float, ...] = (1.0,) * len(Strain)
    """By strain, S H D C N; above zero."""
    curve: tuple[float, ...] = (0.0,) * len(Strain)
    """By strain; zero or more."""
    doubt: tuple[float, ...] = (0.0,) * len(Strain)
    """By strain; leaves the slope of the most unsure answer, of 14 equal chances, above zero."""
    tilt: tuple[float, ...] = (0.0,) * len(Strain)
    """By strain; above zero for more tricks."""

    def apply(self, logits: Tensor) -> Tensor:
        """Return calibrated probabilities of (…, 5, 4, 14) logits."""
        slope, curve, doubt, tilt = (torch.tensor(numbers)[:, None, None] for numbers in self)
        logs = logits.log_softmax(-1)
        steep = slope + doubt * logs.amax(-1, keepdim=True)
        bent = steep * logs - curve * logs.clamp_min(-FAR).square()
        return (bent + tilt * torch.arange(logs.shape[-1])).softmax(-1)


def fit_calibration(probabilities: NDArray[np.float32], tricks: NDArray[np.uint8]) -> Calibration:
    """Return the calibration that makes (n, 5, 4) tricks likeliest, of (n, 5, 4, 14) probabilities.

    One slope, curve, doubt and tilt for all suits, which are alike, and one of each for notrump.
    """
    rows = list[tuple[float, ...]]()
    for strains in CONTRACTS.values():
        stated = probabilities[:, strains].reshape(-1, probabilities.shape[-1])
        fitted = _of_contracts(stated, tricks[:, strains].ravel())
        rows += [fitted] * (strains.stop - strains.start)
    return Calibration(*zip(*rows, strict=True))


def _of_contracts(stated: NDArray[np.float32], real: NDArray[np.uint8]) -> tuple[float, ...]:
    """Return slope, curve, doubt and tilt for (rows, 14) probabilities of one kind of contract.

    The likeliest tilt is that by which the mean of what is expected is the mean that was taken.
    """
    logs = np.log(np.maximum(stated.astype(np.float64), LEAST))
    largest = logs.max(axis=1, keepdims=True)
    counts = np.broadcast_to(np.arange(float(logs.shape[1])), logs.shape)
    bend = -np.square(np.maximum(logs, -FAR))
    features = np.stack([logs, bend, logs * largest, counts], axis=-1)
    for used in ([0, 1, 2, 3], [0, 2, 3], [0, 1, 3]):
        weights = np.zeros(features.shape[-1])
        weights[used] = _likeliest(features[..., used], real)
        slope, curve, doubt, tilt = (float(weight) for weight in weights)
        if curve >= 0 and min(slope, slope - doubt * math.log(logs.shape[1])) > 0:
            return slope, curve, doubt, tilt
    slope = float(_likeliest(features[..., :1], real)[0])
    return max(slope, _FLATTEST), 0.0, 0.0, 0.0  # others turn the order


def fit_sharpness(logits: Tensor, tricks: NDArray[np.uint8]) -> tuple[float, ...]:
    """Return, for each strain, the factor of (n, 5, 2, 14) logits that makes the tricks likeliest.

    One factor for all suits, which are alike, and one for notrump (temperature scaling: Guo et
    al., "On calibration of modern neural networks", 2017); 0.2 to 5.
    """
    factors = list[float]()
    for strains in CONTRACTS.values():
        rows = logits[:, strains].reshape(-1, logits.shape[-1], 1).double().numpy()
        fitted = _likeliest(rows, tricks[:, strains].ravel(), prior=0.0)
        factor = fitted.clip(0.2, 5.0).item()
        factors += [factor] * (strains.stop - strains.start)
    return tuple(factors)


def _likeliest(
    features: NDArray[np.float64], real: NDArray[np.uint8], prior: float = _PRIOR
) -> NDArray[np.float64]:
    """Return the weights of (rows, 14, k) features in logits that make the real counts likeliest.

    The likelihood of an exponential family has one top. A faint prior holds the weights near
    (1, 0).
    """
    start = np.eye(features.shape[-1])[0]
    taken = np.arange(len(real)), real
    happened = features[taken].mean(axis=0)

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        logs, off = log_softmax(features @ weights, axis=1), weights - start
        stated = np.tensordot(np.exp(logs), features) / len(real)
        return (
            float(prior / 2 * off @ off - logs[taken].mean()),
            prior * off - happened + stated,
        )

    weights: NDArray[np.float64] = minimize(
        loss, start, jac=True, method="BFGS", options={"gtol": _STEEPNESS}
    ).x
    return weights


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
    far = torch.tensor([_FARTHEST], dtype=torch.float64)

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
