"""Making stated chances come true: what is fitted on validation deals when a model is exported."""

import math
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ...cards import Strain
from ...evaluation import CONTRACTS

FAR = 5.0
"""Below e⁻⁵ (0.7 %) of probability, calibration is a factor alone: there are too few such results
that came true to fit a curve."""
_STEPS, _TOLERANCE = 50, 1e-9
_PRIOR = 1e-4  # labels learned by heart have no best factor: it grows without end
_LEAST = 1e-30  # of a probability before its logarithm is taken


class Calibration(NamedTuple):
    """How log-probabilities *l*, the largest of them *m*, become those of a calibrated answer:
    softmax((slope + doubt · m) · l - curve · min(-l, 5)²).

    A slope alone is temperature scaling (Guo et al., "On calibration of modern neural networks",
    2017). It makes all answers less sure, or all surer; a network that is too sure of what it
    finds likely and not sure enough of what it finds certain needs the others too: the curve
    bends the logarithms of every answer, doubt lessens the slope of an answer that is unsure.
    None changes the order of probabilities, nor the symmetries of play.
    """

    slope: tuple[float, ...] = (1.0,) * len(Strain)
    """By strain, S H D C N; above zero."""
    curve: tuple[float, ...] = (0.0,) * len(Strain)
    """By strain; zero or more."""
    doubt: tuple[float, ...] = (0.0,) * len(Strain)
    """By strain; leaves the slope of the most unsure answer, of 14 equal chances, above zero."""

    def apply(self, logits: Tensor) -> Tensor:
        """Return calibrated probabilities of (…, 5, 4, 14) logits."""
        slope, curve, doubt = (torch.tensor(numbers)[:, None, None] for numbers in self)
        found = logits.log_softmax(-1)
        steep = slope + doubt * found.amax(-1, keepdim=True)
        return (steep * found - curve * found.clamp_min(-FAR).square()).softmax(-1)


def fit_calibration(probabilities: NDArray[np.float32], tricks: NDArray[np.uint8]) -> Calibration:
    """Return the calibration that makes (n, 5, 4) tricks likeliest, of (n, 5, 4, 14) probabilities.

    One slope, curve and doubt for all suits, which are alike, and one of each for notrump.
    """
    rows = list[tuple[float, float, float]]()
    for strains in CONTRACTS.values():
        stated = probabilities[:, strains].reshape(-1, probabilities.shape[-1])
        found = _of_contracts(stated, tricks[:, strains].ravel())
        rows += [found] * (strains.stop - strains.start)
    slopes, curves, doubts = zip(*rows, strict=True)
    return Calibration(slopes, curves, doubts)


def _of_contracts(
    stated: NDArray[np.float32], real: NDArray[np.uint8]
) -> tuple[float, float, float]:
    """Return slope, curve and doubt for (rows, 14) probabilities of one kind of contract."""
    logs = np.log(np.maximum(stated.astype(np.float64), _LEAST))
    largest = logs.max(axis=1, keepdims=True)
    features = np.stack([logs, -np.square(np.maximum(logs, -FAR)), logs * largest], axis=-1)
    for used in ([0, 1, 2], [0, 2], [0, 1]):
        weights = np.zeros(features.shape[-1])
        weights[used] = _likeliest(features[..., used], real)
        slope, curve, doubt = (float(weight) for weight in weights)
        if curve >= 0 and min(slope, slope - doubt * math.log(logs.shape[1])) > 0:
            return slope, curve, doubt
    return float(_likeliest(features[..., :1], real)[0]), 0.0, 0.0  # others turn the order


def _likeliest(features: NDArray[np.float64], real: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return the weights of (rows, 14, k) features in logits that make the real counts likeliest.

    The likelihood of an exponential family has one top; Newton's method, its steps halved where
    they would go down, finds it. A faint prior holds the weights near (1, 0).
    """
    count = features.shape[-1]
    start = np.eye(count)[0]
    happened = features[np.arange(len(real)), real].mean(axis=0)

    def loss_at(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        logits = features @ weights
        top = logits.max(axis=1, keepdims=True)
        shares = np.exp(logits - top)
        sums = shares.sum(axis=1, keepdims=True)
        loss = float((top + np.log(sums)).mean() - happened @ weights)
        return loss + _PRIOR / 2 * float(np.square(weights - start).sum()), shares / sums

    weights: NDArray[np.float64] = start
    loss, shares = loss_at(weights)
    for _ in range(_STEPS):
        mean = np.einsum("rc,rck->rk", shares, features)
        gradient = mean.mean(axis=0) - happened + _PRIOR * (weights - start)
        spread = np.einsum("rc,rcj,rck->jk", shares, features, features) - mean.T @ mean
        step = np.linalg.solve(spread / len(real) + _PRIOR * np.eye(count), gradient)
        for _half in range(_STEPS):
            tried: NDArray[np.float64] = weights - step
            tried_loss, tried_shares = loss_at(tried)
            if tried_loss <= loss:
                break
            step = step / 2
        else:
            return weights
        if loss - tried_loss < _TOLERANCE:
            return tried
        weights, loss, shares = tried, tried_loss, tried_shares
    return weights


def fit_sharpness(logits: Tensor, tricks: NDArray[np.uint8]) -> tuple[float, ...]:
    """Return, for each strain, the factor of (n, 5, 4, 14) logits of the lowest log-loss.

    One factor for all suits, which are alike, and one for notrump (temperature scaling: Guo et
    al., "On calibration of modern neural networks", 2017). Found by Newton's method.
    """
    factors = []
    for strains in (slice(0, 4), slice(4, 5)):
        rows = logits[:, strains].reshape(-1, logits.shape[-1]).double()
        real = torch.from_numpy(tricks[:, strains].reshape(-1, 1).astype(np.int64))
        factor = torch.ones((), dtype=torch.float64)
        for _ in range(20):
            shares = (factor * rows).softmax(-1)
            mean = (shares * rows).sum(-1)
            slope = (mean - rows.gather(1, real)[:, 0]).mean()
            curve = ((shares * rows.square()).sum(-1) - mean.square()).mean()
            # labels learned by heart have no best factor: it grows without end
            factor = (factor - slope / curve.clamp_min(1e-6)).clamp(0.2, 5.0)
        factors.append(float(factor))
    return (*[factors[0]] * 4, factors[1])
