"""Measure estimates of play at the table: the figures of the model's card."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

_COUNTS = np.arange(14)
_LEAST = 0.001
"""Chances of making are clipped to this far from 0 and 1 for the log-loss."""
_RANGES = 10
Floats = NDArray[np.float64]


def making(chances: NDArray[np.float32], needed: ArrayLike) -> Floats:
    """Return the chances of at least ``needed`` tricks, (n,), from (n, 14) chances."""
    enough = np.asarray(needed)[:, None] <= _COUNTS
    makes: Floats = (chances.astype(np.float64) * enough).sum(axis=1)
    return makes


def error(chances: NDArray[np.float32], tricks: NDArray[np.int64]) -> Floats:
    """Return expected tricks minus tricks taken, (n,)."""
    off: Floats = chances.astype(np.float64) @ _COUNTS - tricks
    return off


def losses(
    chances: NDArray[np.float32], tricks: NDArray[np.int64], needed: NDArray[np.int64]
) -> dict[str, Floats]:
    """Return the losses of n estimates: squared error of tricks, and two losses of "makes"."""
    makes, made = making(chances, needed), tricks >= needed
    stated = makes.clip(_LEAST, 1 - _LEAST)
    return {
        "squared": error(chances, tricks) ** 2,
        "brier": (makes - made) ** 2,
        "log_loss": -np.log(np.where(made, stated, 1 - stated)),
    }


def measure(
    chances: NDArray[np.float32],
    tricks: NDArray[np.int64],
    needed: NDArray[np.int64],
    count: NDArray[np.int64],
) -> dict[str, float]:
    """Return the figures of (n, 14) chances, each result weighted by its number of tables.

    ``rmse`` and ``bias`` (estimate minus truth) are in tricks. ``brier``, ``log_loss`` and
    ``calibration`` are of "the contract makes".

    >>> from trickcast.played.measures import measure
    >>> sure = np.eye(14, dtype=np.float32)[[10, 9]]
    >>> measure(sure, np.array([10, 10]), np.array([10, 10]), np.array([1, 1]))["rmse"]
    0.7071
    """
    lost = losses(chances, tricks, needed)
    mean = {name: float(np.average(each, weights=count)) for name, each in lost.items()}
    bias = float(np.average(error(chances, tricks), weights=count))
    figures = {
        "results": int(count.sum()),
        "rmse": mean["squared"] ** 0.5,
        "bias": bias,
        "brier": mean["brier"],
        "log_loss": mean["log_loss"],
        "calibration": calibration(making(chances, needed), tricks >= needed, count),
    }
    return {name: round(value, 4) for name, value in figures.items()}


def calibration(stated: Floats, true: NDArray[np.bool_], count: NDArray[Any]) -> float:
    """Return the mean gap between stated and true shares over ten equal ranges, weighted."""
    ranges = np.minimum((stated * _RANGES).astype(int), _RANGES - 1)
    off = np.bincount(ranges, weights=count * (stated - true), minlength=_RANGES)
    return float(np.abs(off).sum() / count.sum())
