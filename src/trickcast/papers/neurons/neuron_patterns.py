"""What the papers saw in the weights of their networks, as numbers with plain definitions.

Mossakowski & Mańdziuk 2009, section VII, found by eye: aces that stand out, neurons for one suit,
neurons for the honours of a suit, weights that grow with the rank, and useless neurons. Here each
is a measure of a neuron of the first layer, with a bound at which the neuron shows the pattern.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...cards import RANKS, Suit, card_text, shorten
from ..published import read_table
from .first_layer import Opened

BOUNDS = {"ace": 2.0, "suit": 0.6, "honours": 0.5, "graded": 0.8, "useless": 0.1}
"""Lowest value at which a neuron shows a pattern; for useless ones, the highest."""
_HONOURS = 5


@dataclass(frozen=True, slots=True)
class Neuron:
    """A neuron of the first layer. Only its strongest part (hand) is examined."""

    number: int
    """Its number, from 1 as in the paper."""
    part: str
    """The part of the coding with the greatest sum of squared weights: card, side, N E S W …"""
    ace: str
    """The ace with the greatest weight, as text."""
    ace_ratio: float
    """Its absolute weight divided by that of the strongest card that is not an ace."""
    suit: str
    """The suit with the greatest sum of squared weights."""
    suit_share: float
    """That sum divided by the neuron's."""
    honour_share: float
    """The same for the suit's A K Q J T alone."""
    gradient: float
    """Rank correlation (Spearman) of rank and absolute weight in the suit: 1 if always growing."""
    effect: float
    """Its effect on the next layer, divided by the median neuron's; see ``Opened.effects``."""

    @property
    def shows(self) -> tuple[str, ...]:
        """The patterns that it shows: ace, suit, honours, graded, useless."""
        if self.effect <= BOUNDS["useless"]:
            return ("useless",)
        of_suit = self.suit_share >= BOUNDS["suit"]
        shown = {
            "ace": self.ace_ratio >= BOUNDS["ace"],
            "suit": of_suit,
            "honours": self.honour_share >= BOUNDS["honours"],
            "graded": of_suit and self.gradient >= BOUNDS["graded"],
        }
        return tuple(pattern for pattern, shows in shown.items() if shows)


def neurons(opened: Opened) -> list[Neuron]:
    """Return the measures of every neuron of a first layer.

    Args:
        opened: The first layer, as from ``open_model``.

    Returns:
        A Neuron for each, in the order of the layer.

    Example:
        >>> from trickcast.papers.neurons import open_model
        >>> len(neurons(open_model("(52x4)-(26x4)-26-13-1")[0]))
        104
    """
    median = float(np.median(opened.effects)) or 1.0
    return [
        _measure(number, weights, parts, effect / median)
        for number, (weights, parts, effect) in enumerate(
            zip(opened.weights, opened.parts, opened.effects.tolist(), strict=True), start=1
        )
    ]


def _measure(
    number: int, weights: NDArray[np.float64], parts: tuple[str, ...], effect: float
) -> Neuron:
    strongest = int(np.square(weights).sum(axis=1).argmax())
    cards = np.abs(weights[strongest]).reshape(4, 13)  # suits, ranks from the ace
    squares = np.square(cards)
    total = float(squares.sum()) or 1.0
    suit = int(squares.sum(axis=1).argmax())
    ace = int(cards[:, 0].argmax())
    others = float(cards[:, 1:].max()) or 1.0
    return Neuron(
        number=number,
        part=parts[strongest],
        ace=card_text(13 * ace),
        ace_ratio=float(cards[ace, 0]) / others,
        suit=Suit(suit).letter,
        suit_share=float(squares[suit].sum()) / total,
        honour_share=float(squares[suit, :_HONOURS].sum()) / total,
        gradient=_spearman(cards[suit][::-1]),
        effect=effect,
    )


def _spearman(rising: NDArray[np.float64]) -> float:
    """Return the rank correlation of values with their positions, 0 if all are equal."""
    from scipy.stats import rankdata

    ranks = rankdata(rising)
    if np.ptp(ranks) == 0:
        return 0.0
    return float(np.corrcoef(ranks, np.arange(len(rising)))[0, 1])


def shares(networks: list[list[Neuron]]) -> dict[str, dict[str, float]]:
    """Return, for each pattern, the share of neurons and of networks that show it.

    Args:
        networks: The Neurons of each network.

    Returns:
        Shares, 0 to 1, by pattern: of ``neurons`` and of ``networks``.

    Example:
        >>> from trickcast.papers.neurons import open_model
        >>> found = shares([neurons(each) for each in open_model("(52x4)-(26x4)-26-13-1")])
        >>> set(found) == set(BOUNDS)
        True
    """
    every = [neuron for network in networks for neuron in network]
    return {
        pattern: {
            "neurons": sum(pattern in neuron.shows for neuron in every) / len(every),
            "networks": sum(any(pattern in neuron.shows for neuron in network)
                            for network in networks) / len(networks),
        }
        for pattern in BOUNDS
    }  # fmt: skip


def table_vii(opened: Opened, contracts: str) -> dict[str, Any]:
    """Compare a 52-1 network's weights with Table VII of 2009, on that table's scale.

    The table's scale (0, 4) is not explained, so ours are mapped to it linearly by least squares.

    Args:
        opened: The first layer of the network, as from ``open_model``.
        contracts: Group of the table: notrump, all_suits or spades.

    Returns:
        ``correlation``, and ``ours`` and ``published`` as (13, 4) lists: ranks from the two, suits
        S H D C.

    Raises:
        ValueError: The network is not 52-1, or the table has no such group.

    Example:
        >>> weights = np.arange(52.0).reshape(1, 1, 52)
        >>> opened = Opened("52-1", weights, (("card",),), np.ones(1))
        >>> -1 <= table_vii(opened, "notrump")["correlation"] <= 1
        True
    """
    if opened.weights.shape != (1, 1, 52):
        raise ValueError(f"{opened.name}: not a 52-1 network")
    printed = [row for row in read_table("weights_52_1.csv") if row["contracts"] == contracts]
    if not printed:
        raise ValueError(
            f"Table VII has no group {shorten(contracts)} (notrump, all_suits, spades)"
        )
    by_rank = {row["rank"]: row for row in printed}
    theirs = np.array(
        [[float(by_rank[rank][suit.name.lower()]) for suit in Suit] for rank in RANKS[::-1]]
    )
    ours = opened.weights[0, 0].reshape(4, 13)[:, ::-1].T  # (13, 4), ranks from the two
    slope, start = np.polyfit(ours.ravel(), theirs.ravel(), 1)
    return {
        "correlation": float(np.corrcoef(ours.ravel(), theirs.ravel())[0, 1]),
        "ours": np.round(start + slope * ours, 3).tolist(),
        "published": theirs.tolist(),
    }
