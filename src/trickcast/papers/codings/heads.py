"""Heads: how outputs of a network stand for tricks, in all the ways that the papers tried."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...cards import shorten

LOWEST, HIGHEST = 0.1, 0.9
"""The ends of the 14 equal ranges into which a single output is cut, for 0 to 13 tricks."""
RANGE = (HIGHEST - LOWEST) / 14
"""The width of a range."""


def output_of(tricks: ArrayLike) -> NDArray[np.float32]:
    """Return the training targets of a one-output network: the centre of the range of the tricks.

    The 2009 paper does not say where in a range its targets lie; Mańdziuk and Suchan (2018) used
    the centre.

    Args:
        tricks: Tricks, 0 to 13, of any shape.

    Returns:
        Outputs of the same shape, float32, 0 to 1.

    Example:
        >>> tricks_of(output_of([0, 9, 13]))
        array([ 0,  9, 13], dtype=uint8)
    """
    return (LOWEST + RANGE * (np.asarray(tricks, dtype=np.float32) + 0.5)).astype(np.float32)


def tricks_of(outputs: ArrayLike) -> NDArray[np.uint8]:
    """Return the tricks in whose range each output falls.

    Args:
        outputs: Outputs of a one-output network, of any shape.

    Returns:
        Tricks of the same shape, uint8: 0 below all ranges, 13 above them.

    Example:
        >>> tricks_of([-1.0, 0.5, 2.0])
        array([ 0,  7, 13], dtype=uint8)
    """
    ranges = np.floor((np.asarray(outputs, dtype=np.float32) - LOWEST) / RANGE)
    return np.asarray(np.clip(ranges, 0, 13), dtype=np.uint8)


class Head(Protocol):
    """How tricks become the targets of a network, and its outputs become tricks."""

    @property
    def name(self) -> str:
        """The name of the head."""

    @property
    def outputs(self) -> int:
        """Output neurons: 1 or 14."""

    @property
    def unit(self) -> float:
        """The divisor for errors of the outputs: for one output, the width of a range."""

    def targets(self, tricks: ArrayLike) -> NDArray[np.float32]:
        """Return the network's targets for (n,) tricks: (n, outputs)."""

    def tricks(self, outputs: ArrayLike) -> NDArray[np.uint8]:
        """Return the (n,) tricks that (n, outputs) outputs stand for."""


class EqualRanges:
    """One output, fourteen equal ranges on [0.1, 0.9], targets in their middle (2009)."""

    name = "equal"
    outputs = 1
    unit = RANGE

    def targets(self, tricks: ArrayLike) -> NDArray[np.float32]:
        """Return the (n, 1) middles of the ranges."""
        return output_of(tricks)[:, None]

    def tricks(self, outputs: ArrayLike) -> NDArray[np.uint8]:
        """Return the (n,) ranges in which the outputs fall."""
        return tricks_of(np.asarray(outputs)[:, 0])


@dataclass(frozen=True)
class OneOutput:
    """One output, a target for each number of tricks and limits between them."""

    name: str
    centres: tuple[float, ...]
    """Fourteen targets, rising."""
    limits: tuple[float, ...]
    """Thirteen limits; an output on a limit counts as the higher number of tricks."""
    outputs = 1
    unit = RANGE

    @classmethod
    def of_widths(
        cls, name: str, widths: ArrayLike, low: float = LOWEST, high: float = HIGHEST
    ) -> "OneOutput":
        """Cut [low, high] into fourteen ranges of these relative widths, targets in the middle."""
        shares = np.asarray(widths, dtype=float) / np.sum(widths)
        ends = low + (high - low) * np.concatenate([[0.0], np.cumsum(shares)])
        centres = (ends[1:] + ends[:-1]) / 2
        return cls(name, tuple(centres.tolist()), tuple(ends[1:-1].tolist()))

    @classmethod
    def of_centres(cls, name: str, centres: ArrayLike) -> "OneOutput":
        """Make a head that reads an output as the nearest of these targets."""
        targets = np.asarray(centres, dtype=float)
        between = (targets[1:] + targets[:-1]) / 2
        return cls(name, tuple(targets.tolist()), tuple(between.tolist()))

    def targets(self, tricks: ArrayLike) -> NDArray[np.float32]:
        """Return the (n, 1) targets."""
        centres: NDArray[np.float32] = np.asarray(self.centres, dtype=np.float32)
        return centres[np.asarray(tricks, dtype=np.intp)][:, None]

    def tricks(self, outputs: ArrayLike) -> NDArray[np.uint8]:
        """Return the (n,) tricks between whose limits the outputs fall."""
        limits = np.asarray(self.limits, dtype=np.float32)
        return np.searchsorted(limits, np.asarray(outputs)[:, 0], side="right").astype(np.uint8)


@dataclass(frozen=True)
class FourteenOutputs:
    """One output for each number of tricks; the highest wins."""

    name: str
    wrong: float
    """The target of the thirteen wrong outputs; that of the right one is 1."""
    outputs = 14
    unit = 1.0

    def targets(self, tricks: ArrayLike) -> NDArray[np.float32]:
        """Return (n, 14) targets."""
        right = np.asarray(tricks)[:, None] == np.arange(14)
        return np.where(right, 1.0, self.wrong).astype(np.float32)

    def tricks(self, outputs: ArrayLike) -> NDArray[np.uint8]:
        """Return the (n,) positions of the highest outputs."""
        highest: NDArray[np.intp] = np.argmax(np.asarray(outputs), axis=1)
        return highest.astype(np.uint8)


_DEALS_2009 = (1138, 2725, 5156, 8043, 10447, 12201, 12927, 12709, 11467, 9618, 6866, 4225, 1935,
               543)  # fmt: skip
"""Deals for each number of tricks, from Table VI of the 2009 paper (spades, West leads)."""
_MIDDLE_WIDER = tuple(1.5 if 5 <= tricks <= 9 else 1.0 for tricks in range(14))
"""Wider ranges for 5 to 9 tricks; the 2009 paper does not say how much wider."""

HEADS: dict[str, Head] = {
    head.name: head
    for head in (
        EqualRanges(),
        OneOutput.of_centres("linear", LOWEST + (HIGHEST - LOWEST) * np.arange(14) / 13),  # 2004
        OneOutput.of_widths("proportional", _DEALS_2009),
        OneOutput.of_widths("wider-middle", _MIDDLE_WIDER),
        OneOutput.of_widths("equal-unit", np.ones(14), 0.0, 1.0),  # 2018
        FourteenOutputs("fourteen", 0.0),
        FourteenOutputs("fourteen-negative", -1.0),
    )
}
"""Every head by name."""


def find_head(name: str) -> Head:
    """Return a head by its name.

    Args:
        name: Name of the head.

    Returns:
        The Head.

    Raises:
        ValueError: The name is unknown; the message lists the known ones.

    Example:
        >>> [(name, find_head(name).outputs) for name in sorted(HEADS)[:2]]
        [('equal', 1), ('equal-unit', 1)]
    """
    head = HEADS.get(name)
    if head is None:
        raise ValueError(f"no head {shorten(name)} (there are: {', '.join(HEADS)})")
    return head
