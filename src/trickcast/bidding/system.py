"""What every opening system offers, whatever it is made of."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from ..cards import Hand, HandsLike, as_hands

Floats = NDArray[np.float32]
Probabilities = Floats
Indices = NDArray[np.int64]
Sure = bool | NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """Why a system makes its call with one hand; prints as a few lines of text."""

    hand: Hand
    system: str
    call: str
    reason: str
    """The rule that fired, or how the network's outputs stand."""
    probabilities: Mapping[str, float]
    """Of the calls that are not out of the question, likeliest first."""
    doubts: tuple[str, ...] = ()
    """Why the system does not know what is right; empty where it is sure."""

    @property
    def sure(self) -> bool:
        """Whether the system is sure of its call; see ``OpeningSystem.sure``."""
        return not self.doubts

    def lines(self) -> list[str]:
        """Return the text line by line."""
        doubts = [f"not sure: {doubt}" for doubt in self.doubts]
        return [f"{self.hand}: {self.call} ({self.system})", *doubts, self.reason]

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
    def bid(self, hands: HandsLike) -> str | list[str]: ...
    def bid(self, hands: HandsLike) -> str | list[str]:
        """Return the call with a hand (``"1C"``, ``"1N"``, ``"PASS"``), or a list with many.

        ``hands`` is a Hand, dotted text, a list of these, or an (n, 52) bool array. Raises
        DealError naming a bad hand.
        """
        held, single = as_hands(hands)
        calls = [self.calls[i] for i in self.choose(held)]
        return calls[0] if single else calls

    def probabilities(self, hands: HandsLike) -> Probabilities:
        """Return the probability of each of ``calls``: (n, len(calls)), or one row for one hand.

        Raises DealError naming a bad hand.
        """
        held, single = as_hands(hands)
        chances = self._probabilities(held)
        return chances[0] if single else chances

    def sure(self, hands: HandsLike) -> Sure:
        """Return whether the system knows what to call: (n,) bool, or one for one hand.

        What that means depends on what it is made of: rules always know, a network does not where
        it answers UNKNOWN, and ``polish-club`` does not where players would disagree, or where it
        has hardly seen such hands. Raises DealError naming a bad hand.
        """
        held, single = as_hands(hands)
        sure = self._sure(held)
        return bool(sure[0]) if single else sure

    def choose(self, held: NDArray[np.bool_]) -> Indices:
        """Return the index in ``calls`` of the call with each of (n, 52) hands: (n,)."""
        return np.asarray(self._probabilities(held).argmax(axis=1))

    @abstractmethod
    def explain(self, hand: str | Hand) -> Explanation:
        """Say why the system calls what it calls. Raises DealError for a bad hand."""

    def _explained(self, hand: Hand, reason: str, doubts: tuple[str, ...] = ()) -> Explanation:
        """Explain the call with a hand by a reason."""
        return Explanation(
            hand=hand,
            system=self.name,
            call=self.bid(hand),
            reason=reason,
            probabilities=likely(self.calls, self.probabilities(hand)),
            doubts=doubts,
        )

    def _sure(self, held: NDArray[np.bool_]) -> NDArray[np.bool_]:
        return np.ones(len(held), np.bool_)

    @abstractmethod
    def _probabilities(self, held: NDArray[np.bool_]) -> Probabilities: ...

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}: {len(self.calls)} calls>"


def likely(calls: Sequence[str], row: Probabilities, least: float = 0.01) -> dict[str, float]:
    """Return the calls of at least this probability, likeliest first."""
    order = np.argsort(-row, kind="stable")
    return {calls[i]: float(row[i]) for i in order if row[i] >= least}
