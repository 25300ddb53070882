"""t-SNE (van der Maaten and Hinton, 2008), exact: for the pictures of some thousand hands."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_EXAGGERATION, _EXAGGERATED_STEPS = 12.0, 150
_TINY = 1e-12


def tsne(points: Array, *, perplexity: float = 30.0, steps: int = 500, seed: int = 1) -> Array:
    """Return (n, 2) places for (n, k) points, so that near points stay near.

    Memory and time grow with n². Raises ValueError for a perplexity that is not above 1 and below
    a third of the points.
    """
    n = len(points)
    if not 1 < perplexity < n / 3:
        raise ValueError(f"perplexity is {perplexity} for {n} points (expected 1 to a third of n)")
    joint = _affinities(_squared_distances(points), perplexity)
    places = np.random.default_rng(seed).normal(0.0, 1e-4, (n, 2))
    speed, gains = np.zeros((n, 2)), np.ones((n, 2))
    rate = max(n / _EXAGGERATION / 4, 50.0)
    for step in range(steps):
        early = step < _EXAGGERATED_STEPS
        kernel = 1 / (1 + _squared_distances(places))
        np.fill_diagonal(kernel, 0)
        pull = (joint * (_EXAGGERATION if early else 1.0) - kernel / kernel.sum()) * kernel
        slope = 4 * (pull.sum(axis=1)[:, None] * places - pull @ places)
        same = np.sign(slope) == np.sign(speed)
        gains = np.maximum(np.where(same, gains * 0.8, gains + 0.2), 0.01)
        speed = (0.5 if early else 0.8) * speed - rate * gains * slope
        places += speed
        places -= places.mean(axis=0)
    return places


def _squared_distances(points: Array) -> Array:
    squares = (points**2).sum(axis=1)
    found: Array = np.maximum(squares[:, None] + squares - 2 * points @ points.T, 0)
    return found


def _affinities(distances: Array, perplexity: float) -> Array:
    """Return (n, n) symmetric shares: of a normal curve as wide as the perplexity asks, by row."""
    n = len(distances)
    low, high, wanted = np.zeros(n), np.full(n, np.inf), np.log(perplexity)
    precision = np.ones(n)
    for _ in range(50):
        weights = np.exp(-distances * precision[:, None])
        np.fill_diagonal(weights, 0)
        shares = weights / np.maximum(weights.sum(axis=1, keepdims=True), _TINY)
        entropy = -(shares * np.log(np.maximum(shares, _TINY))).sum(axis=1)
        wide = entropy > wanted  # too many neighbours: a narrower curve
        low, high = np.where(wide, precision, low), np.where(wide, high, precision)
        precision = np.where(np.isinf(high), precision * 2, (low + high) / 2)
    found: Array = (shares + shares.T) / (2 * n)
    return found
