"""The interface of every opening system."""

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
    """The rule that fired, or a summary of the network's outputs."""
    probabilities: Mapping[str, float]
    """The plausible calls, likeliest first."""
    doubts: tuple[str, ...] = ()
    """Why the system is unsure; empty if it is sure."""

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
    """A way of opening the bidding: a call for every hand."""

    name: str
    """The name that ``openings.load`` knows it by."""
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
        """Return the opening call of each hand.

        Args:
            hands: A Hand, its text, a list of these, or hands of shape (n, 52), bool.

        Returns:
            A call such as ``"1C"``, ``"1N"`` or ``"PASS"``; a list of n for many hands.

        Raises:
            DealError: A hand is not valid; the message names its index.
        """
        held, single = as_hands(hands)
        calls = [self.calls[i] for i in self.choose(held)]
        return calls[0] if single else calls

    def probabilities(self, hands: HandsLike) -> Probabilities:
        """Return the probability of each opening call.

        Args:
            hands: A Hand, its text, a list of these, or hands of shape (n, 52), bool.

        Returns:
            Probabilities of ``calls``, shape (n, number of calls); one axis less for one hand.

        Raises:
            DealError: A hand is not valid; the message names its index.
        """
        held, single = as_hands(hands)
        chances = self._probabilities(held)
        return chances[0] if single else chances

    def sure(self, hands: HandsLike) -> Sure:
        """Return whether the system is sure of its call.

        Rules always are. A network is not if it answers UNKNOWN. ``polish-club`` is not if players
        would disagree, or if it has seen hardly any similar hands.

        Args:
            hands: A Hand, its text, a list of these, or hands of shape (n, 52), bool.

        Returns:
            Shape (n,), bool; one bool for one hand.

        Raises:
            DealError: A hand is not valid; the message names its index.
        """
        held, single = as_hands(hands)
        sure = self._sure(held)
        return bool(sure[0]) if single else sure

    def choose(self, held: NDArray[np.bool_]) -> Indices:
        """Return the index in ``calls`` of the call with each of (n, 52) hands: (n,)."""
        return np.asarray(self._probabilities(held).argmax(axis=1))

    @abstractmethod
    def explain(self, hand: str | Hand) -> Explanation:
        """Explain the system's call. Raises DealError for an invalid hand."""

    def _explained(self, hand: Hand, reason: str, doubts: tuple[str, ...] = ()) -> Explanation:
        """Return the Explanation of the call with a hand, given a reason."""
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
    """Return the calls with at least this probability, likeliest first."""
    order = np.argsort(-row, kind="stable")
    return {calls[i]: float(row[i]) for i in order if row[i] >= least}
