"""What every opening system offers, whatever it is made of."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from ..cards import Hand, as_hands

Probabilities = NDArray[np.float32]
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Explanation:
    """Why a system makes its call with one hand; prints as a few lines of text."""

    hand: Hand
    system: str
    call: str
    reason: str
    """The rule that fired, or how the network's outputs stand."""
    probabilities: Mapping[str, float]
    """Of the calls that are not out of the question, likeliest first."""

    def lines(self) -> list[str]:
        """Return the text line by line."""
        return [f"{self.hand}: {self.call} ({self.system})", self.reason]

    def __str__(self) -> str:
        return "\n".join(self.lines())


class OpeningSystem(ABC):
    """A way of opening the bidding: to every hand a call."""

    name: str
    """What ``openings.load`` knows it by."""
    title: str
    calls: tuple[str, ...]
    """The calls it can make, lowest first; the order of the last axis of ``probabilities``."""

    @overload
    def bid(self, hands: str | Hand) -> str: ...
    @overload
    def bid(self, hands: list[Any] | tuple[Any, ...]) -> list[str]: ...
    @overload
    def bid(self, hands: Any) -> str | list[str]: ...
    def bid(self, hands: Any) -> str | list[str]:
        """Return the call with a hand (``"1C"``, ``"1N"``, ``"PASS"``), or a list with many.

        ``hands`` is a Hand, dotted text, a list of these, or an (n, 52) bool array. Raises
        DealError naming a bad hand.
        """
        held, single = as_hands(hands)
        calls = [self.calls[i] for i in self.choose(held)]
        return calls[0] if single else calls

    def probabilities(self, hands: Any) -> Probabilities:
        """Return the probability of each of ``calls``: (n, len(calls)), or one row for one hand.

        Raises DealError naming a bad hand.
        """
        held, single = as_hands(hands)
        found = self._probabilities(held)
        return found[0] if single else found

    def choose(self, held: NDArray[np.bool_]) -> Indices:
        """Return the index in ``calls`` of the call with each of (n, 52) hands: (n,)."""
        return np.asarray(self._probabilities(held).argmax(axis=1))

    @abstractmethod
    def explain(self, hand: str | Hand) -> Explanation:
        """Say why the system calls what it calls. Raises DealError for a bad hand."""

    @abstractmethod
    def _probabilities(self, held: NDArray[np.bool_]) -> Probabilities: ...

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}: {len(self.calls)} calls>"


def likely(calls: Sequence[str], row: Probabilities, least: float = 0.01) -> dict[str, float]:
    """Return the calls of at least this probability, likeliest first."""
    order = np.argsort(-row, kind="stable")
    return {calls[i]: float(row[i]) for i in order if row[i] >= least}
